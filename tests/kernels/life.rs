//! Conway's Game of Life on a torus: patterns that move and grow as is known of them.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

const SIDE: usize = 32;

/// The entries.
pub const CASES: &[Case] = &[
    // A glider is where it was, one down and one to the right, after four generations: round the torus after 4 × 32.
    case!("programs::glider", [Life], |mgr| live(mgr, &GLIDER, 4 * SIDE), || vec![Output::U32(world(&GLIDER))]),
    // A host that counts neighbours by hand agrees.
    case!("programs::r_pentomino", [Life], |mgr| live(mgr, &R_PENTOMINO, 40), || {
        vec![Output::U32((0..40).fold(world(&R_PENTOMINO), |world, _| by_hand(&world)))]
    }),
];

const GLIDER: [(usize, usize); 5] = [(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)];
const R_PENTOMINO: [(usize, usize); 5] = [(16, 15), (17, 15), (15, 16), (16, 16), (16, 17)];

fn world(cells: &[(usize, usize)]) -> Vec<u32> {
    (0..SIDE * SIDE).map(|i| u32::from(cells.contains(&(i % SIDE, i / SIDE)))).collect()
}

fn by_hand(world: &[u32]) -> Vec<u32> {
    let at = |x: usize, y: usize| world[x % SIDE + y % SIDE * SIDE];
    let next = |i: usize| {
        let (x, y) = (i % SIDE + SIDE, i / SIDE + SIDE);
        let square: u32 = (0..9).map(|j| at(x + j % 3 - 1, y + j / 3 - 1)).sum();
        u32::from(square == 3 || square == 4 && at(x, y) == 1)
    };
    (0..SIDE * SIDE).map(next).collect()
}

fn live(mgr: &Manager, cells: &[(usize, usize)], generations: usize) -> gridwise::Result<Vec<Output>> {
    let (mut old, mut new) = (mgr.tensor(&world(cells))?, mgr.tensor(&world(&[]))?);
    for _ in 0..generations {
        let seq = mgr.sequence()?;
        Life::dispatch(&seq, Grid::items([SIDE, SIDE]), SIDE as i32, &old, &mut new)?;
        seq.eval()?;
        std::mem::swap(&mut old, &mut new);
    }
    Ok(vec![Output::U32(old.to_vec()?)])
}

/// The state of a cell.
#[device]
#[derive(Clone, Copy)]
enum Cell {
    Dead,
    Alive,
}

#[device]
fn cell(state: u32) -> Cell {
    if state == 0 { Cell::Dead } else { Cell::Alive }
}

#[kernel(workgroup = [8, 8])]
fn life(side: i32, old: &[u32], new: &mut [u32]) {
    let x = global_id().x as i32;
    let y = global_id().y as i32;
    let mut neighbours = 0;
    for (dx, dy) in [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)] {
        let (column, row) = ((x + dx).rem_euclid(side), (y + dy).rem_euclid(side));
        neighbours += old[(row * side + column) as u32];
    }
    let here = (y * side + x) as u32;
    new[here] = match (cell(old[here]), neighbours) {
        (Cell::Alive, 2 | 3) | (Cell::Dead, 3) => 1,
        _ => 0,
    };
}
