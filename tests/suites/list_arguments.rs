//! Lists of tensors as arguments: followed when they are rebuilt, made of parts, and refused where a tensor is named twice.

use gridwise::prelude::*;
use gridwise::{Error, KernelArgs};

use super::{Add, clean, manager};

#[kernel(workgroup = 64)]
fn sums(parts: &[&[f32]], to: &mut [f32]) {
    let k = global_id().x;
    to[k] = parts[k].iter().sum::<f32>();
}

pub(super) fn lists_are_parameters_of_kernels() {
    let mgr = manager();
    let (one, mut two) = (mgr.tensor(&[1.0f32, 2.0]).expect("memory"), mgr.tensor(&[3.0f32]).expect("memory"));
    let mut to = mgr.tensor_of_len::<f32>(3).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    Sums::dispatch(&seq, Grid::items(3), &[&one, &two, &one], &mut to).expect("fits");
    // A member that is rebuilt is followed: the table of the list has its new address.
    two.rebuild(&[5.0]).expect("memory");
    seq.eval().expect("runs");
    assert_eq!(to.to_vec().expect("readable"), [3.0, 5.0, 3.0]);
    two.write(&[3.0]).expect("as long");
    // A recording keeps what it names alive.
    drop((one, two));
    seq.eval().expect("runs");
    assert_eq!(to.to_vec().expect("readable"), [3.0, 3.0, 3.0]);
    seq.clear().expect("idle");

    let mut own = mgr.tensor_of_len::<f32>(3).expect("memory");
    // What `dispatch` does not let through: a tensor of the list that is written, too.
    let args = || KernelArgs::new::<Sums>();
    let both = args().read_list(&[&to, &own]).write(&mut own);
    let error = seq.dispatch(Grid::items(1), both).expect_err("read and written at once");
    assert!(matches!(error, Error::AliasedTensor { .. }), "{error}");
    let error = seq.dispatch(Grid::items(1), args().read(&to).write(&mut own)).expect_err("one tensor");
    assert!(matches!(error, Error::ArgumentMismatch { .. }), "{error}");
    let words = mgr.tensor(&[1.0f64]).expect("memory");
    let error = seq.dispatch(Grid::items(1), args().read_list(&[&words]).write(&mut own)).expect_err("other elements");
    assert!(matches!(error, Error::ArgumentMismatch { .. }), "{error}");
    let other = Manager::host();
    let foreign = other.tensor(&[1.0f32]).expect("memory");
    let error = Sums::dispatch(&seq, Grid::items(1), &[&to, &foreign], &mut own).expect_err("of another manager");
    assert!(matches!(error, Error::ForeignTensor { .. }), "{error}");
    // A list is no tensor.
    let error = seq
        .dispatch(Grid::items(1), KernelArgs::new::<Add>().read_list(&[&to]).write(&mut own))
        .expect_err("the kernel takes one");
    assert!(matches!(error, Error::ArgumentMismatch { .. }), "{error}");
    assert!(seq.is_empty(), "nothing of what was refused is kept");
    #[cfg(unix)]
    if let Ok(shared) =
        mgr.shareable_tensor(gridwise::TensorDesc { name: "shared", contents: gridwise::Contents::Data(&[1.0f32]) })
    {
        let error = Sums::dispatch(&seq, Grid::items(1), &[&shared], &mut own).expect_err("without an address");
        assert!(matches!(&error, Error::NoAddress { tensor, .. } if tensor == "shared"), "{error}");
    }
    clean(&mgr);
}

#[kernel(workgroup = 1)]
fn first_of_each(x: &[f32], parts: &mut [&mut [f32]]) {
    for k in 0..parts.len() {
        parts[k][0] = x[0];
    }
}

pub(super) fn parts_of_tensors_are_in_lists() {
    let mgr = manager();
    let x = mgr.tensor(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).expect("memory");
    let part = |range: std::ops::Range<usize>| x.part(range).expect("in range");
    let mut to = mgr.tensor(&[0.0f32; 5]).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    // Wherever they begin, as lists are found by addresses; also where they overlap, and one without elements.
    let parts = [&part(1..3), &part(2..7), &part(7..7), &part(6..7)];
    let parts = parts.map(|part| &**part);
    Sums::dispatch(&seq, Grid::items(4), &parts, &mut to.part_mut(..4).expect("in range")).expect("fits");
    seq.eval().expect("runs");
    assert_eq!(to.to_vec().expect("readable"), [5.0, 25.0, 0.0, 7.0, 0.0]);

    let seq = mgr.sequence().expect("a sequence");
    let (mut first, mut others) = to.split_at_mut(1).expect("in range");
    let (mut second, mut third) = others.split_at_mut(3).expect("in range");
    FirstOfEach::dispatch(&seq, Grid::items(1), &x, &mut [&mut *third, &mut *first, &mut *second]).expect("fits");
    seq.eval().expect("runs");
    let recorded = Exchange::dispatch(&seq, Grid::items(1), &mut [&mut *first, &mut *second], &mut [&mut *third]);
    recorded.expect("parts of one tensor that have nothing in common");
    seq.eval().expect("runs");
    assert_eq!(to.to_vec().expect("readable"), [1.0, 1.0, 0.0, 7.0, 1.0]);

    // What overlaps one that is written is refused, whichever of a list it is.
    let seq = mgr.sequence().expect("a sequence");
    let args =
        KernelArgs::new::<Sums>().read_list(&[&*to.part(0..1).expect("in range"), &*to.part(2..4).expect("in range")]);
    let mut written = to.part_mut(3..5).expect("in range");
    let error = seq.dispatch(Grid::items(1), args.write(&mut written)).expect_err("an element of both");
    assert!(matches!(error, Error::AliasedTensor { .. }), "{error}");
    clean(&mgr);
}

#[kernel(workgroup = 1)]
fn exchange(a: &mut [&mut [f32]], b: &mut [&mut [f32]]) {
    let kept = a[0][0];
    a[0][0] = b[0][0];
    b[0][0] = kept;
}

#[kernel(workgroup = 64)]
fn take(to: &mut [f32], from: &[f32]) {
    let i = global_id().x;
    to[i] = from[i];
}

pub(super) fn written_lists_have_no_tensor_twice() {
    let mgr = manager();
    let (x, mut one, mut two) = (
        mgr.tensor(&[1.0f32]).expect("memory"),
        mgr.tensor(&[2.0f32]).expect("memory"),
        mgr.tensor(&[3.0f32]).expect("memory"),
    );
    let seq = mgr.sequence().expect("a sequence");
    // What `dispatch` does not let through: a tensor that is read, or in another list, too.
    let of_one = one.name().to_owned();
    let both = KernelArgs::new::<Take>().write(&mut one).read(&one);
    let error = seq.dispatch(Grid::items(1), both).expect_err("written, then read");
    assert!(matches!(&error, Error::AliasedTensor { tensor, .. } if *tensor == of_one), "{error}");
    let both = KernelArgs::new::<FirstOfEach>().read(&one).write_list(&mut [&mut two, &mut one]);
    let error = seq.dispatch(Grid::items(1), both).expect_err("read and written");
    assert!(matches!(&error, Error::AliasedTensor { tensor, .. } if *tensor == of_one), "{error}");
    assert!(error.to_string().contains("`tensor` (argument 1, `x` and argument 2, `parts[1]`)"), "{error}");
    let both = KernelArgs::new::<Exchange>().write_list(&mut [&mut one, &mut two]).write_list(&mut [&mut one]);
    let error = seq.dispatch(Grid::items(1), both).expect_err("in both lists");
    assert!(matches!(&error, Error::AliasedTensor { tensor, .. } if *tensor == of_one), "{error}");
    assert!(error.to_string().contains("`tensor` (argument 1, `a[0]` and argument 2, `b[0]`)"), "{error}");
    // A list to write is not one to read.
    let args = || KernelArgs::new::<FirstOfEach>().read(&x);
    let error = seq.dispatch(Grid::items(1), args().read_list(&[&two])).expect_err("to be written");
    assert!(matches!(error, Error::ArgumentMismatch { .. }), "{error}");
    let error = seq.dispatch(Grid::items(1), args().write(&mut two)).expect_err("no list");
    assert!(matches!(error, Error::ArgumentMismatch { .. }), "{error}");
    assert!(seq.is_empty(), "nothing of what was refused is kept");
    FirstOfEach::dispatch(&seq, Grid::items(1), &x, &mut [&mut one, &mut two]).expect("fits");
    seq.eval().expect("runs");
    assert_eq!((one.to_vec().expect("readable"), two.to_vec().expect("readable")), (vec![1.0], vec![1.0]));
    let seq = mgr.sequence().expect("a sequence");
    two.write(&[8.0]).expect("written");
    Exchange::dispatch(&seq, Grid::items(1), &mut [&mut one], &mut [&mut two]).expect("fits");
    seq.eval().expect("runs");
    assert_eq!((one.to_vec().expect("readable"), two.to_vec().expect("readable")), (vec![8.0], vec![1.0]));
}
