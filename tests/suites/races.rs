//! Launches whose invocations may race: refused when they are recorded.

use gridwise::ops::{Access, Op, OpDispatch, Recorder};
use gridwise::prelude::*;
use gridwise::{Error, KernelArgs, MayRace, RecordingError, TensorRef};

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
        assert!(race.file.ends_with("races.rs") && race.line == 11, "{race}");
    }
    AlongX::dispatch(&seq, Grid::items(64), &mut y).expect("one along y and z");
    // Rows of 64 are 16 apart.
    let race = told(Rows::dispatch(&seq, Grid::items((64, 8)), 16, &mut y).expect_err("rows overlap"));
    assert!(race.values.contains(&("width".to_owned(), Some(16))), "{race}");
    assert!(race.values.contains(&("invocations along x".to_owned(), Some(64))), "{race}");
    Rows::dispatch(&seq, Grid::items((64, 8)), 64, &mut y).expect("rows side by side");
    // Another value is another launch.
    told(Rows::dispatch(&seq, Grid::items((64, 8)), 63, &mut y).expect_err("the last element is the next row's first"));
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

#[kernel(workgroup = 64)]
fn scatter(to: &Distinct<u32>, y: &mut [u32]) {
    let i = global_id().x;
    y[to[i]] = i;
}

#[kernel(workgroup = 64)]
fn scatter_even(to: &Distinct<u32>, y: &mut [u32]) {
    let i = global_id().x;
    if i % 2 == 0 {
        y[to[i]] = i;
    }
}

/// Writes what it has a handle of.
struct Clear(TensorRef);

impl Op for Clear {
    fn name(&self) -> &str {
        "clear"
    }

    fn accesses(&self) -> Vec<Access> {
        vec![Access::write(&self.0)]
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> gridwise::Result<()> {
        recorder.fill(&self.0, 0u32)
    }
}

pub(super) fn elements_that_are_equal() {
    let mgr = manager();
    // None, one, many; the last one twice; all the same; numbers that a table puts side by side.
    for len in [0u32, 1, 2, 1000, 70_000] {
        let mut values: Vec<u32> = (0..len).map(|i| i.wrapping_mul(0x9e37_79b1)).collect();
        let tensor = mgr.tensor_named("order", &values).expect("memory");
        assert_eq!(mgr.distinct(&tensor).expect("all differ").to_vec().expect("memory"), values);
        let Some(last) = values.len().checked_sub(1).filter(|last| *last > 0) else { continue };
        values[last] = values[last / 2];
        let tensor = mgr.tensor_named("order", &values).expect("memory");
        match mgr.distinct(&tensor).expect_err("two are equal") {
            Error::NotDistinct(equal) => {
                assert_eq!((equal.value, equal.first, equal.second), (values[last], last / 2, last));
                assert!(equal.to_string().contains("`order`"), "{equal}");
            }
            other => panic!("{other}"),
        }
    }
    let same = mgr.tensor(&[7u32; 4000]).expect("memory");
    assert!(matches!(mgr.distinct(&same), Err(Error::NotDistinct(equal)) if (equal.first, equal.second) == (0, 1)));
    let other = gridwise::Manager::host();
    let foreign = mgr.distinct(&other.tensor(&[1u32]).expect("memory")).expect("copied to this device");
    assert_eq!(foreign.to_vec().expect("memory"), [1]);
}

#[kernel(workgroup = 64)]
fn fill_rows(starts: &Offsets<u32>, y: &mut [u32]) {
    let row = global_id().x;
    for k in starts[row]..starts[row + 1] {
        y[k] = row + 1;
    }
}

pub(super) fn elements_that_fall() {
    let mgr = manager();
    for len in [0u32, 1, 2, 1000, 70_000] {
        let mut values: Vec<u32> = (0..len).map(|i| i / 3 * 2).collect();
        let tensor = mgr.tensor_named("starts", &values).expect("memory");
        assert_eq!(mgr.offsets(&tensor).expect("they ascend").to_vec().expect("memory"), values);
        let Some(last) = values.len().checked_sub(1) else { continue };
        for (value, position) in [(i32::MAX as u32 + 1, last), (u32::MAX, last / 2), (1, last / 2)] {
            let kept = std::mem::replace(&mut values[position], value);
            let tensor = mgr.tensor_named("starts", &values).expect("memory");
            let before = |at: usize| at.checked_sub(1).map_or(0, |before| values[before]);
            let falls = |at: &usize| values[*at] < before(*at) || values[*at] > i32::MAX as u32;
            match ((0..values.len()).find(falls), mgr.offsets(&tensor)) {
                (Some(at), Err(Error::NotOffsets(found))) => {
                    assert_eq!((found.position, found.value, found.before), (at, values[at], before(at)));
                    assert!(found.to_string().contains("`starts`"), "{found}");
                }
                (None, Ok(_)) => {}
                (expected, found) => panic!("{expected:?}: {found:?}"),
            }
            values[position] = kept;
        }
    }
}

pub(super) fn rows_stay_apart() {
    let mgr = manager();
    let mut tensor = mgr.tensor_named("starts", &[0u32, 2, 2, 9]).expect("memory");
    let starts = mgr.offsets(&tensor).expect("they ascend");
    tensor.write(&[9, 0, 9, 0]).expect("a tensor of its own");
    let mut y = mgr.tensor_of_len::<u32>(9).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    // As many invocations as there are places have no row for the last one.
    let error = FillRows::dispatch(&seq, Grid::items(4), &starts, &mut y).expect_err("the last has no end");
    assert!(matches!(error, Error::GridBeyondTensor(_) | Error::MayRace(_)), "{error}");
    FillRows::dispatch(&seq, Grid::items(3), &starts, &mut y).expect("recorded").eval().expect("rows are apart");
    assert_eq!(y.to_vec().expect("memory"), [1, 1, 3, 3, 3, 3, 3, 3, 3]);
    // A row beyond the end is what an index there always is.
    let mut short = mgr.tensor_of_len::<u32>(4).expect("memory");
    let error = FillRows::dispatch(&seq, Grid::items(3), &starts, &mut short).expect("recorded").eval();
    assert!(matches!(error, Err(Error::KernelPanic { .. })), "{error:?}");
    // A tensor that was not checked is no argument, nor is one that was checked for something else.
    let args = KernelArgs::new::<FillRows>().read(&tensor).write(&mut y);
    let error = seq.dispatch(Grid::items(3), args).expect_err("nobody checked it");
    assert!(
        matches!(error, Error::ArgumentMismatch { .. }) && error.to_string().contains("Manager::offsets"),
        "{error}"
    );
    let differ = mgr.distinct(&mgr.tensor(&[4u32, 0, 2]).expect("memory")).expect("all differ");
    let args = KernelArgs::new::<FillRows>().distinct(&differ).write(&mut y);
    assert!(matches!(seq.dispatch(Grid::items(2), args), Err(Error::ArgumentMismatch { .. })));
}

pub(super) fn elements_that_differ_stay_so() {
    let mgr = manager();
    let mut tensor = mgr.tensor_named("order", &[2u32, 0, 9]).expect("memory");
    let to = mgr.distinct(&tensor).expect("all differ");
    tensor.write(&[1, 1, 1]).expect("a tensor of its own");
    let mut y = mgr.tensor_of_len::<u32>(3).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    // More invocations than indices, all of which come there, or only some of which may.
    let error = Scatter::dispatch(&seq, Grid::items(4), &to, &mut y).expect_err("one has no index");
    assert!(matches!(error, Error::GridBeyondTensor(_)), "{error}");
    let race = told(ScatterEven::dispatch(&seq, Grid::items(4), &to, &mut y).expect_err("beyond them is zero"));
    assert!(race.values.contains(&("to.len()".to_owned(), Some(3))), "{race}");
    // A number that is no index of `y` is what it always is.
    let error = Scatter::dispatch(&seq, Grid::items(3), &to, &mut y).expect("recorded").eval().expect_err("9 of 3");
    assert!(matches!(error, Error::KernelPanic { .. }), "{error}");
    assert_eq!(y.to_vec().expect("memory"), [1, 0, 0]);
    // A tensor that was not checked is no argument, nor is a checked one for a slice.
    let args = KernelArgs::new::<Scatter>().read(&tensor).write(&mut y);
    let error = seq.dispatch(Grid::items(3), args).expect_err("nobody checked it");
    assert!(
        matches!(error, Error::ArgumentMismatch { .. }) && error.to_string().contains("Manager::distinct"),
        "{error}"
    );
    let args = KernelArgs::new::<AlongX>().distinct(&to);
    assert!(matches!(seq.dispatch(Grid::items(3), args), Err(Error::ArgumentMismatch { .. })));
    // The handle that an operation tells is for its order only.
    let launch = OpDispatch::new(Grid::items(3), KernelArgs::new::<Scatter>().distinct(&to).write(&mut y));
    let handle = launch.accesses().swap_remove(0).tensor;
    let refused = |error: &Error| matches!(error, Error::Recording(RecordingError::ReadOnly { tensor, .. }) if tensor.name() == "order");
    let error = handle.typed::<u32>().expect_err("it could be written");
    assert!(refused(&error), "{error}");
    let error = handle.typed::<u8>().expect_err("it could be written");
    assert!(refused(&error), "{error}");
    let error = seq.record(Clear(handle)).expect_err("it is only read");
    assert!(refused(&error), "{error}");
    assert_eq!(to.to_vec().expect("memory"), [2, 0, 9]);
    assert_eq!((to.len(), to.is_empty(), to.name()), (3, false, "order"));
}

#[kernel(workgroup = (4, 2))]
fn claim(to: &[u32], y: &mut gridwise::Scatter<u32>) {
    let g = global_id();
    y[to[g.y * 8 + g.x]] = g.x;
}

#[kernel(workgroup = 64)]
fn claim_all(y: &mut gridwise::Scatter<u32>) {
    let i = global_id().x;
    y[i / 2 * 2 + (i & 1)] = i;
}

#[kernel(workgroup = 64)]
fn claim_first(y: &mut gridwise::Scatter<u32>) {
    let g = global_id();
    if g.x + g.y == 0 {
        y[0] = 1;
    }
}

#[kernel(workgroup = 64)]
fn slices(y: &mut [u32], claims: &[Atomic<u32>]) {
    let i = global_id().x;
    y[i] = claims[0].load(Relaxed);
}

pub(super) fn elements_with_two_writers() {
    let mgr = manager();
    let mut to: Vec<u32> = (0..24).collect();
    to[2 * 8 + 3] = to[5];
    let indices = mgr.tensor(&to).expect("memory");
    let mut y = mgr.scatter(mgr.tensor_named("y", &[9u32; 24]).expect("memory")).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    Claim::dispatch(&seq, Grid::items([8, 3]), &indices, &mut y).expect("recorded");
    match seq.eval().expect_err("one element has two writers") {
        Error::KernelPanic { message, invocation, count, .. } => {
            let both = [
                ("invocations (5, 0, 0) and (3, 2, 0) both write element 5 of `y`", [3, 2, 0]),
                ("invocations (3, 2, 0) and (5, 0, 0) both write element 5 of `y`", [5, 0, 0]),
            ];
            assert!(both.contains(&(&message, invocation)) && count == 1, "{message} {invocation:?} {count}");
        }
        other => panic!("{other}"),
    }
    // Every element but the one that nobody wrote.
    let written: Vec<u32> = y.to_vec().expect("memory");
    assert!(written.iter().enumerate().all(|(at, x)| *x == (at as u32 % 8) || [5, 19].contains(&at)), "{written:?}");
    assert!([3, 5].contains(&written[5]) && written[19] == 9);
    // An index out of range is what it always is.
    let far = mgr.tensor(&[24u32]).expect("memory");
    Claim::dispatch(&seq, Grid::items(1), &far, &mut y).expect("recorded");
    let error = seq.eval().expect_err("24 of 24");
    assert!(error.to_string().contains("the len is 24 but the index is 24"), "{error}");
    // Two launches of one recording, and two runs of it, write the same elements.
    let mut all = mgr.scatter(mgr.tensor_of_len::<u32>(128).expect("memory")).expect("memory");
    for _ in 0..2 {
        ClaimAll::dispatch(&seq, Grid::items(128), &mut all).expect("recorded");
    }
    seq.eval().expect("each has its element");
    seq.eval().expect("and again");
    assert_eq!(all.to_vec().expect("memory"), (0..128).collect::<Vec<u32>>());
    // More invocations than numbers to claim with.
    ClaimFirst::dispatch(&seq, Grid::items([64, 3]), &mut y).expect("recorded").eval().expect("one claims");
    let race = told(ClaimFirst::dispatch(&seq, Grid::items([1 << 20, 1 << 12]), &mut y).expect_err("too many"));
    assert!(race.condition.contains("4294967295"), "{race}");
    // Only what `Manager::scatter` made is an argument, and it is no argument for anything else.
    let (mut plain, words) = (mgr.tensor(&[0u32; 24]).expect("memory"), mgr.tensor(&[0u32; 24]).expect("memory"));
    let args = KernelArgs::new::<Claim>().read(&indices).write(&mut plain).read(&words);
    let error = seq.dispatch(Grid::items(1), args).expect_err("claims that nobody clears");
    assert!(
        matches!(error, Error::ArgumentMismatch { .. }) && error.to_string().contains("Manager::scatter"),
        "{error}"
    );
    let args = KernelArgs::new::<Slices>().scatter(&mut y);
    assert!(matches!(seq.dispatch(Grid::items(1), args), Err(Error::ArgumentMismatch { .. })));
    let foreign = gridwise::Manager::host().tensor(&[1u32]).expect("memory");
    assert!(matches!(mgr.scatter(foreign), Err(Error::ForeignTensor { .. })));
    clean(&mgr);
}
