//! Cases of halos: every cell of every halo is the neighbour's, or what it was.

use gridwise::prelude::*;
use gridwise::{Manager, Plain};
use gridwise_mpi::{Decomposition, Error, Halo, Neighbours, Rank};

use crate::Outcome;

/// Fills each box with the numbers of its cells in the whole, exchanges, and checks every cell.
fn check<T: Plain + PartialEq + std::fmt::Debug, const D: usize>(
    rank: &Rank,
    mgr: &Manager,
    all: [usize; D],
    periodic: [bool; D],
    width: usize,
    neighbours: Neighbours,
    value_of: fn(usize) -> T,
) -> Outcome {
    let boxes = Decomposition::new(rank, all, periodic)?;
    let (padded, cells) = (boxes.padded(width), boxes.cells());
    let nothing = value_of(1 << 20);
    // The cell of the whole at a position of the padded box; `None` beyond an end; with it how many axes are in the halo.
    let cell_at = |position: usize| {
        let mut rest = position;
        let (mut number, mut stride, mut outside) = (Some(0), 1, 0);
        for axis in 0..D {
            let place = (rest % padded[axis]) as isize - width as isize + cells[axis].start as isize;
            rest /= padded[axis];
            outside += usize::from(!cells[axis].contains(&(place as usize)));
            let within = (0..all[axis] as isize).contains(&place) || periodic[axis];
            let place = place.rem_euclid(all[axis] as isize) as usize;
            number = number.filter(|_| within).map(|number| number + stride * place);
            stride *= all[axis];
        }
        (number, outside)
    };
    let first: Vec<T> = (0..boxes.len(width))
        .map(|position| match cell_at(position) {
            (Some(cell), 0) => value_of(cell),
            _ => nothing,
        })
        .collect();
    let mut tensor = mgr.tensor(&first)?;
    let mut halo = Halo::new(rank, &boxes, width, neighbours, &mut tensor)?;
    for _ in 0..2 {
        halo.exchange()?;
        for (position, value) in tensor.to_vec()?.into_iter().enumerate() {
            let expected = match cell_at(position) {
                (Some(cell), outside) if outside <= 1 || neighbours == Neighbours::All => value_of(cell),
                _ => nothing,
            };
            if value != expected {
                let place =
                    format!("{all:?} {periodic:?} halo {width} {neighbours:?}, position {position} of {padded:?}");
                return Err(format!("rank {}: {place}: {value:?} instead of {expected:?}", rank.index()).into());
            }
        }
    }
    Ok(())
}

pub(crate) fn lines(rank: &Rank) -> Outcome {
    let mgr = rank.manager()?;
    for periodic in [false, true] {
        for width in [0, 1, 3] {
            check(rank, &mgr, [17], [periodic], width, Neighbours::All, |cell| cell as u32)?;
            check(rank, &mgr, [12], [periodic], width, Neighbours::Sides, |cell| cell as f32 + 0.5)?;
        }
    }
    check(rank, &mgr, [13], [true], 2, Neighbours::All, |cell| (cell % 251) as u8)?;
    check(rank, &mgr, [13], [true], 2, Neighbours::All, |cell| [cell as i16, -7, cell as i16 + 1])?;
    check(rank, &mgr, [4], [true], 1, Neighbours::All, |cell| [cell as f32; 16])?;
    Ok(())
}

pub(crate) fn planes(rank: &Rank) -> Outcome {
    let mgr = rank.manager()?;
    for periodic in [[false, false], [true, false], [true, true]] {
        for neighbours in [Neighbours::All, Neighbours::Sides] {
            check(rank, &mgr, [9, 10], periodic, 1, neighbours, |cell| cell as u32)?;
        }
        check(rank, &mgr, [33, 8], periodic, 2, Neighbours::All, |cell| vec2(cell as f32, -1.0))?;
        check(rank, &mgr, [7, 7], periodic, 1, Neighbours::All, |cell| (cell % 251) as u8)?;
    }
    Ok(())
}

pub(crate) fn boxes(rank: &Rank) -> Outcome {
    let mgr = rank.manager()?;
    for periodic in [[false, true, false], [true, true, true]] {
        for neighbours in [Neighbours::All, Neighbours::Sides] {
            check(rank, &mgr, [6, 5, 7], periodic, 1, neighbours, |cell| cell as i32)?;
        }
        check(rank, &mgr, [4, 9, 6], periodic, 2, Neighbours::All, |cell| [cell as u32, 1, 2])?;
    }
    Ok(())
}

/// One step of the heat equation for a rectangle of cells.
#[kernel(workgroup = [16, 8])]
fn diffuse(k: f32, first: UVec2, pitch: u32, from: &[f32], to: &mut [f32]) {
    let at = first + global_id().xy();
    let i = at.y * pitch + at.x;
    let around = from[i - 1] + from[i + 1] + from[i - pitch] + from[i + pitch];
    to[i] = from[i] + k * (around - 4.0 * from[i]);
}

/// Some steps on the ranks, with messages on their way while the cells inside are computed, and the same on this rank alone.
pub(crate) fn heat(rank: &Rank) -> Outcome {
    const ALL: [usize; 2] = [45, 38];
    const STEPS: usize = 12;
    let mgr = rank.manager()?;
    let start = |x: usize, y: usize| ((x * 31 + y * 17) % 101) as f32 * 0.37;

    let boxes = Decomposition::new(rank, ALL, [false; 2])?;
    let [columns, rows] = boxes.cells();
    let [wide, high] = boxes.padded(1).map(|cells| cells as u32);
    let mut first = vec![0.0; boxes.len(1)];
    for (j, y) in rows.clone().enumerate() {
        for (i, x) in columns.clone().enumerate() {
            first[(j + 1) * wide as usize + i + 1] = start(x, y);
        }
    }
    let mut planes = [mgr.tensor(&first)?, mgr.tensor_of_len::<f32>(first.len())?];
    let mut halos = Vec::new();
    for plane in &mut planes {
        halos.push(Halo::new(rank, &boxes, 1, Neighbours::Sides, plane)?);
    }
    let mut steps = Vec::new();
    for parity in 0..2 {
        let [a, b] = &mut planes;
        let (from, to) = if parity == 0 { (&*a, b) } else { (&*b, a) };
        let (inner, border) = (mgr.sequence()?, mgr.sequence()?);
        if wide > 4 && high > 4 {
            Diffuse::dispatch(&inner, Grid::items([wide - 4, high - 4]), 0.2, uvec2(2, 2), wide, from, to)?;
        }
        let strips = [
            ([1, 1], [wide - 2, 1]),
            ([1, high - 2], [wide - 2, 1]),
            ([1, 2], [1, high - 4]),
            ([wide - 2, 2], [1, high - 4]),
        ];
        for ([x, y], size) in strips {
            Diffuse::dispatch(&border, Grid::items(size), 0.2, uvec2(x, y), wide, from, to)?;
        }
        steps.push((inner, border));
    }
    for step in 0..STEPS {
        let (inner, border) = &steps[step % 2];
        let halo = &mut halos[step % 2];
        halo.begin()?;
        let running = inner.eval_async()?;
        halo.finish()?;
        border.eval()?;
        running.wait()?;
    }
    let ours = planes[STEPS % 2].to_vec()?;

    let alone = heat_alone(&mgr, ALL, STEPS, start)?;
    for (j, y) in rows.enumerate() {
        for (i, x) in columns.clone().enumerate() {
            let (ours, alone) = (ours[(j + 1) * wide as usize + i + 1], alone[(y + 1) * (ALL[0] + 2) + x + 1]);
            if ours.to_bits() != alone.to_bits() {
                return Err(format!("cell {x}, {y}: {ours} instead of {alone}").into());
            }
        }
    }
    Ok(())
}

fn heat_alone(
    mgr: &Manager,
    all: [usize; 2],
    steps: usize,
    start: impl Fn(usize, usize) -> f32,
) -> gridwise::Result<Vec<f32>> {
    let wide = all[0] + 2;
    let mut first = vec![0.0; wide * (all[1] + 2)];
    for y in 0..all[1] {
        for x in 0..all[0] {
            first[(y + 1) * wide + x + 1] = start(x, y);
        }
    }
    let (mut a, mut b) = (mgr.tensor(&first)?, mgr.tensor_of_len::<f32>(first.len())?);
    let grid = Grid::items([all[0] as u32, all[1] as u32]);
    for _ in 0..steps {
        let seq = mgr.sequence()?;
        Diffuse::dispatch(&seq, grid, 0.2, uvec2(1, 1), wide as u32, &a, &mut b)?;
        seq.eval()?;
        std::mem::swap(&mut a, &mut b);
    }
    a.to_vec()
}

pub(crate) fn turns(rank: &Rank) -> Outcome {
    let mgr = rank.manager()?;
    let boxes = Decomposition::new(rank, [8], [true])?;
    let mut cells = mgr.tensor(&vec![rank.index() as u32; boxes.len(1)])?;
    let mut halo = Halo::new(rank, &boxes, 1, Neighbours::All, &mut cells)?;
    assert!(matches!(halo.finish(), Err(Error::OutOfTurn { called: "finish", .. })));
    halo.begin()?;
    assert!(matches!(halo.begin(), Err(Error::OutOfTurn { called: "begin", .. })));
    halo.finish()?;
    assert_eq!(halo.bytes(), 8);
    assert_eq!(cells.get(0)?, 1 - rank.index() as u32);
    Ok(())
}

/// A rank that drops its halo while messages are on their way ends with its own error, and so do all others.
pub(crate) fn gives_up(rank: &Rank) -> Outcome {
    let mgr = rank.manager()?;
    let boxes = Decomposition::new(rank, [16], [true])?;
    let mut cells = mgr.tensor(&vec![0u32; boxes.len(1)])?;
    let mut halo = Halo::new(rank, &boxes, 1, Neighbours::All, &mut cells)?;
    if rank.index() == 1 {
        halo.begin()?;
        drop(halo);
        return Err("gave up".into());
    }
    loop {
        halo.exchange()?; // the second one waits for rank 1
    }
}
