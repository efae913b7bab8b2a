//! Launches whose invocations may race: refused when they are recorded.

use gridwise::prelude::*;
use gridwise::{Error, MayRace};

use super::{clean, manager};

#[kernel(workgroup = 64)]
fn along_x(y: &mut [u32]) {
    y[global_id().x] = global_id().x;
}

#[kernel(workgroup = [8, 8])]
fn rows(width: u32, y: &mut [u32]) {
    let g = global_id();
    y[g.y * width + g.x] = g.x;
}

#[kernel(workgroup = 1)]
fn one_cell(y: &mut [u32]) {
    y[0] += 1;
}

/// # Safety
/// The order of invocations does not matter.
#[kernel(workgroup = 64)]
unsafe fn any_order(value: u32, y: &mut [u32]) {
    y[0] = value;
}

fn told(error: Error) -> MayRace {
    let text = error.to_string();
    match error {
        Error::MayRace(race) => *race,
        _ => panic!("{text}"),
    }
}

pub(super) fn launches_may_race() {
    let mgr = manager();
    let mut y = mgr.tensor_of_len::<u32>(4096).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    for axis in [1, 2] {
        let mut size = [64, 1, 1];
        size[axis] = 3;
        let race = told(AlongX::dispatch(&seq, Grid::items(size), &mut y).expect_err("three write one element"));
        assert_eq!(race.kernel, "along_x");
        let name = format!("invocations along {}", ["x", "y", "z"][axis]);
        assert_eq!(race.condition, format!("{name} < 2"));
        assert_eq!(race.values, [(name, Some(3))]);
        assert!(race.file.ends_with("races.rs") && race.line == 10, "{race}");
    }
    AlongX::dispatch(&seq, Grid::items(64), &mut y).expect("one along y and z");
    // Rows of 64 are 16 apart.
    let race = told(Rows::dispatch(&seq, Grid::items((64, 8)), 16, &mut y).expect_err("rows overlap"));
    assert!(race.values.contains(&("width".to_owned(), Some(16))), "{race}");
    assert!(race.values.contains(&("invocations along x".to_owned(), Some(64))), "{race}");
    Rows::dispatch(&seq, Grid::items((64, 8)), 64, &mut y).expect("rows side by side");
    Rows::dispatch(&seq, Grid::items((0, 8)), 0, &mut y).expect("no invocation");
    told(OneCell::dispatch(&seq, Grid::items(2), &mut y).expect_err("two write one element"));
    OneCell::dispatch(&seq, Grid::items(1), &mut y).expect("one does");
    // SAFETY: all write the same.
    unsafe { AnyOrder::dispatch(&seq, Grid::items((64, 3)), 5, &mut y) }.expect("the caller vouches for it");
    seq.eval().expect("no race");
    clean(&mgr);
}

pub(super) fn indirect_launches_may_race() {
    let mgr = manager();
    let mut y = mgr.tensor_of_len::<u32>(4096).expect("memory");
    let counts = mgr.tensor(&[2u32, 1, 1, 2, 3, 1]).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    // How many there are along x, the device alone knows.
    let race = told(Rows::dispatch(&seq, Grid::indirect(&counts), 4096, &mut y).expect_err("rows may overlap"));
    assert!(race.is_indirect, "{race}");
    AlongX::dispatch(&seq, Grid::indirect(&counts), &mut y).expect("one along y and z");
    seq.eval().expect("no race");
    assert_eq!(y.get(127).expect("in range"), 127);
    seq.clear().expect("not running");
    AlongX::dispatch(&seq, Grid::indirect(&counts).at(3), &mut y).expect("nobody knows yet");
    let error = seq.eval().expect_err("three along y");
    assert!(matches!(error, Error::IndirectGridTooLarge { limit: [_, 1, 1], .. }), "{error}");
    clean(&mgr);
}
