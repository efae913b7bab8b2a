//! Traps: forbidden operations and the launch's report of them, the same on every device. A `return` before an access keeps the host from
//! refusing the launch.

use gridwise::Error;
use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

/// Evaluates, expects a kernel panic, and keeps what does not depend on which invocation came first.
pub(super) fn report(seq: &Sequence) -> gridwise::Result<Output> {
    match seq.eval() {
        Err(Error::KernelPanic { kernel, message, file, line, .. }) => {
            let file = file.rsplit('/').next().unwrap_or_default();
            Ok(Output::Report(format!("{kernel}: {message} ({file}:{line})")))
        }
        other => other.map(|()| Output::Report("no kernel panic".to_owned())),
    }
}

fn one(
    mgr: &Manager,
    run: impl for<'s> FnOnce(&'s Sequence, &mut Tensor<i32>) -> gridwise::Result<&'s Sequence>,
) -> gridwise::Result<Vec<Output>> {
    let mut out = mgr.tensor(&[4i32, 5, 6, i32::MIN])?;
    let seq = mgr.sequence()?;
    run(&seq, &mut out)?;
    let report = report(&seq)?;
    Ok(vec![report, Output::I32(out.to_vec()?)])
}

/// The entries.
pub const CASES: &[Case] = &[
    case!("traps::read_out_of_range", [ReadOutOfRange], |mgr| {
        one(mgr, |seq, out| ReadOutOfRange::dispatch(seq, Grid::items(1), 7, out))
    }),
    case!("traps::write_out_of_range", [WriteOutOfRange], |mgr| {
        one(mgr, |seq, out| WriteOutOfRange::dispatch(seq, Grid::items(1), 9, out))
    }),
    case!("traps::array_out_of_range", [ArrayOutOfRange], |mgr| {
        one(mgr, |seq, out| ArrayOutOfRange::dispatch(seq, Grid::items(1), 3, out))
    }),
    case!("traps::reference_out_of_range", [ReferenceOutOfRange], |mgr| {
        one(mgr, |seq, out| ReferenceOutOfRange::dispatch(seq, Grid::items(1), 3, out))
    }),
    case!("traps::slice_end_out_of_range", [SliceEnd], |mgr| {
        one(mgr, |seq, out| SliceEnd::dispatch(seq, Grid::items(1), 1, 5, out))
    }),
    case!("traps::slice_start_out_of_range", [SliceStart], |mgr| {
        one(mgr, |seq, out| SliceStart::dispatch(seq, Grid::items(1), 4, out))
    }),
    case!("traps::slice_ends_before_its_start", [SliceEnd], |mgr| {
        one(mgr, |seq, out| SliceEnd::dispatch(seq, Grid::items(1), 3, 2, out))
    }),
    case!("traps::slice_element_out_of_range", [SliceElement], |mgr| {
        one(mgr, |seq, out| SliceElement::dispatch(seq, Grid::items(1), 2, out))
    }),
    case!("traps::argument_out_of_range", [ArgumentOutOfRange], |mgr| {
        one(mgr, |seq, out| ArgumentOutOfRange::dispatch(seq, Grid::items(1), 4, out))
    }),
    case!("traps::divide_by_zero", [Divide], |mgr| {
        one(mgr, |seq, out| Divide::dispatch(seq, Grid::items(1), 0, out))
    }),
    case!("traps::divide_overflow", [Divide], |mgr| {
        one(mgr, |seq, out| Divide::dispatch(seq, Grid::items(1), -1, out))
    }),
    case!("traps::remainder_by_zero", [Remainder], |mgr| {
        one(mgr, |seq, out| Remainder::dispatch(seq, Grid::items(1), 0, out))
    }),
    case!("traps::clamp_bounds", [ClampBounds], |mgr| {
        one(mgr, |seq, out| ClampBounds::dispatch(seq, Grid::items(1), 3.0, 2.0, out))
    }),
    case!("traps::in_a_device_fn", [InADeviceFn], |mgr| {
        one(mgr, |seq, out| InADeviceFn::dispatch(seq, Grid::items(1), 5, out))
    }),
    case!(
        "traps::empty_buffer",
        [EmptyBuffer],
        |mgr| {
            let (empty, mut out) = (mgr.tensor::<u32>(&[])?, mgr.tensor(&[1u32, 2])?);
            let seq = mgr.sequence()?;
            EmptyBuffer::dispatch(&seq, Grid::items(1), &empty, &mut out)?;
            let report = report(&seq)?;
            Ok(vec![report, Output::U32(out.to_vec()?)])
        },
        || vec![
            Output::Report("empty_buffer: index out of bounds: the len is 0 but the index is 0 (traps.rs:160)".into()),
            Output::U32(vec![0, 2]),
        ]
    ),
    case!("traps::eval_again_after_a_trap", [Divide], |mgr| {
        let mut out = mgr.tensor(&[4i32, 5, 6, 7])?;
        let seq = mgr.sequence()?;
        Divide::dispatch(&seq, Grid::items(1), 0, &mut out)?;
        let (first, again) = (report(&seq)?, report(&seq)?);
        seq.clear()?;
        Divide::dispatch(&seq, Grid::items(1), 2, &mut out)?;
        seq.eval()?;
        Ok(vec![first, again, Output::I32(out.to_vec()?)])
    }),
];

#[kernel(workgroup = 1)]
fn read_out_of_range(i: u32, out: &mut [i32]) {
    if i == 1 << 20 {
        return;
    }
    out[0] = out[i] + 1;
}

#[kernel(workgroup = 1)]
fn write_out_of_range(i: u32, out: &mut [i32]) {
    if i == 1 << 20 {
        return;
    }
    out[i] = 1;
    out[1] = 2;
}

#[kernel(workgroup = 1)]
fn array_out_of_range(i: u32, out: &mut [i32]) {
    let mut a = [1, 2, 3];
    a[i] = 5;
    out[0] = a[0] + a[1] + a[2];
    out[1] = a[i];
}

#[kernel(workgroup = 1)]
fn divide(d: i32, out: &mut [i32]) {
    out[0] = out[3] / d;
}

#[kernel(workgroup = 1)]
fn remainder(d: i32, out: &mut [i32]) {
    out[0] = out[1] % d;
}

#[kernel(workgroup = 1)]
fn clamp_bounds(low: f32, high: f32, out: &mut [i32]) {
    out[0] = 7.5f32.clamp(low, high) as i32;
}

#[device]
fn pick(i: u32) -> i32 {
    let values = [10, 20, 30];
    values[i]
}

#[kernel(workgroup = 1)]
fn in_a_device_fn(i: u32, out: &mut [i32]) {
    out[0] = pick(i);
}

#[kernel(workgroup = 1)]
fn empty_buffer(empty: &[u32], out: &mut [u32]) {
    let i = 0 * out[1];
    if out[1] == 1 << 20 {
        return;
    }
    out[0] = empty[i];
}

#[kernel(workgroup = 1)]
fn reference_out_of_range(i: u32, out: &mut [i32]) {
    let mut a = [1, 2, 3];
    // Traps although nothing is read or written.
    let _unused = &a[i];
    let slot = &mut a[i];
    *slot = 5;
    out[0] = a[0] + a[1] + a[2];
}

#[device]
fn doubled(x: &mut i32) -> i32 {
    *x *= 2;
    *x
}

#[kernel(workgroup = 1)]
fn argument_out_of_range(i: u32, out: &mut [i32]) {
    if i == 1 << 20 {
        return;
    }
    let a = doubled(&mut out[i]);
    let b = doubled(&mut out[0]);
    out[1] = a + b;
}

#[device]
fn first_of(x: &[i32]) -> i32 {
    x[0]
}

#[kernel(workgroup = 1)]
fn slice_end(a: u32, b: u32, out: &mut [i32]) {
    out[1] = 77;
    out[0] = first_of(&out[a..b]);
    out[2] = 9;
}

#[kernel(workgroup = 1)]
fn slice_start(a: u32, out: &mut [i32]) {
    let list = [1, 2, 3];
    out[0] = first_of(&list[a..]);
}

#[device]
fn set(x: &mut [i32], at: u32) -> i32 {
    x[at] = 70;
    x[at]
}

#[kernel(workgroup = 1)]
fn slice_element(i: u32, out: &mut [i32]) {
    // There is an element behind the slice: it stays as it is.
    let read = set(&mut out[0..2], i);
    out[1] = read;
}

/// The part of a message that is the same whichever invocation panics first.
pub(super) fn certain(message: &str) -> &str {
    message.split(" but the index is ").next().unwrap_or(message)
}
