//! The place of a tensor without a name in errors: the position and the parameter, when launches are recorded and when they are evaluated.

use gridwise::algorithms::{OpReduce, OpSelect, OpSort};
use gridwise::ops::{OpCopy, OpMultiply};
use gridwise::prelude::*;
use gridwise::{Contents, Error, MemoryKind, TensorDesc};

use super::{Add, clean, manager};

/// The place that an error names, once with the tensor's name.
#[track_caller]
fn place(error: &Error) -> String {
    let (Error::LengthMismatch { tensor, .. }
    | Error::OutOfRange { tensor, .. }
    | Error::TensorMapped { tensor }
    | Error::TensorRebuilt { tensor, .. }) = error
    else {
        panic!("{error}")
    };
    let place = tensor.place().unwrap_or_default().to_owned();
    assert!(error.to_string().contains(&format!("`tensor` ({place})")), "{error}");
    place
}

pub(super) fn grids_beyond_tensors() {
    let mgr = manager();
    let (x, mut values) = (mgr.tensor(&[1.0f32; 5]).expect("memory"), mgr.tensor(&[1.0f32; 6]).expect("memory"));
    let seq = mgr.sequence().expect("a sequence");
    let error = Add::dispatch(&seq, Grid::items(6), &x, &mut values).expect_err("one too many");
    let text = error.to_string();
    let Error::GridBeyondTensor(beyond) = error else { panic!("{text}") };
    assert_eq!((&*beyond.kernel, beyond.items, beyond.index, beyond.len), ("add", [6, 1, 1], 5, 5));
    assert_eq!((beyond.text, beyond.tensor.place()), ("x[i]", Some("argument 1, `x`, of kernel `add`")));
    assert!(
        beyond.file.ends_with("errors.rs") && text.contains("`tensor` (argument 1, `x`, of kernel `add`)"),
        "{text}"
    );
    // Nothing was recorded, and what fits still is.
    assert!(seq.is_empty());
    Add::dispatch(&seq, Grid::items(5), &x, &mut values).expect("recorded").eval().expect("in range");
    assert_eq!(values.to_vec().expect("readable"), [2.0, 2.0, 2.0, 2.0, 2.0, 1.0]);
    clean(&mgr);
}

pub(super) fn lengths_name_the_argument() {
    let mgr = manager();
    let (mut x, mut short) = (mgr.tensor(&[1.0f32; 4]).expect("memory"), mgr.tensor(&[1.0f32; 3]).expect("memory"));
    let mut same = mgr.tensor(&[1.0f32; 4]).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    let refused = |op: OpCopy| place(&seq.record(op).map(drop).expect_err("lengths differ"));
    assert_eq!(refused(OpCopy::new(&x, &mut short)), "argument 2, `to`, of `OpCopy`");
    assert_eq!(refused(OpCopy::to_all(&x, &mut [&mut same, &mut short])), "argument 2, `to[1]`, of `OpCopy`");
    let multiply = seq.record(OpMultiply::new(&x, &short, &mut same)).map(drop).expect_err("lengths differ");
    assert_eq!(place(&multiply), "argument 2, `y`, of `OpMultiply`");
    assert_eq!(place(&OpReduce::sum(&x, &mut short).expect_err("one sum")), "argument 2, `result`");
    assert_eq!(place(&OpSort::by_key(&mut x, &mut short).expect_err("lengths differ")), "argument 2, `values`");
    let (keep, mut count) = (mgr.tensor(&[1u32; 4]).expect("memory"), mgr.tensor(&[0u32; 2]).expect("memory"));
    let error = OpSelect::new(&x, &keep, &mut same, &mut count).expect_err("one count");
    assert_eq!(place(&error), "argument 4, `count`");
    let counts = mgr.tensor(&[1u32, 1]).expect("memory");
    let error = Add::dispatch(&seq, Grid::indirect(&counts), &x, &mut same).map(drop).expect_err("no third count");
    assert_eq!(place(&error), "the grid of kernel `add`");
    clean(&mgr);
}

pub(super) fn evaluations_name_the_argument() {
    let mgr = manager();
    let mut x = mgr.tensor(&[1.0f32; 4]).expect("memory");
    let desc = TensorDesc { name: "tensor", contents: Contents::Data(&[2.0f32; 4]) };
    let mut values = mgr.tensor_in(MemoryKind::Upload, desc).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    Add::dispatch(&seq, Grid::items(4), &x, &mut values).expect("recorded").eval().expect("evaluated");
    let view = values.map().expect("reached by the host");
    let error = seq.eval().expect_err("written while it is looked at");
    assert_eq!(place(&error), "argument 2, `values`, of kernel `add`");
    drop(view);
    seq.eval().expect("evaluated");
    x.rebuild(&[1.0; 9]).expect("memory");
    let error = seq.eval().expect_err("another length");
    assert_eq!(place(&error), "argument 1, `x`, of kernel `add`");
    clean(&mgr);
}
