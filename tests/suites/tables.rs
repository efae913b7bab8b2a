//! Tables: lists whose slots change between evaluations of one recording.

use gridwise::image::{R32Float, Sampler};
use gridwise::ops::{OpCopy, OpFill, OpHost};
use gridwise::prelude::*;
use gridwise::{Contents, Error, KernelArgs, RecordingError, Table, TableMut, TensorDesc};

/// The last element of each list, and the number of its elements; 1000 of an empty one.
#[kernel(workgroup = 64)]
fn lasts(parts: &[&[u32]], to: &mut [UVec2]) {
    let k = global_id().x;
    let part = parts[k];
    let len = part.len() as u32;
    to[k] = uvec2(if len > 0 { part[len - 1] } else { 1000 }, len);
}

/// Each list's elements, and one more.
#[kernel(workgroup = 64)]
fn count_up(parts: &mut [&mut [u32]]) {
    let i = global_id().x;
    for k in 0..parts.len() {
        parts[k][i] += 1;
    }
}

#[kernel]
fn firsts(images: &[&Image1D<R32Float>], textures: &[&Sampled1D<R32Float>], to: &mut [f32]) {
    let i = global_id().x;
    to[i] = images[i].load(0) + 100.0 * textures[i].fetch(0, 0);
}

#[kernel]
fn paint(images: &mut [&mut Image1D<R32Float>], value: f32) {
    let i = global_id().x;
    images[i].store(0, value);
}

fn numbers(mgr: &Manager, name: &str, elements: &[u32]) -> Tensor<u32> {
    mgr.tensor_with(TensorDesc { name, contents: Contents::Data(elements) }).unwrap()
}

/// `None` where the device finds no tensors by addresses.
fn recorded(outcome: Result<&Sequence, Error>) -> Option<&Sequence> {
    match outcome {
        Err(Error::MissingFeature { .. } | Error::TooManyImages { .. }) => None,
        outcome => Some(outcome.unwrap()),
    }
}

pub(super) fn slots_are_set_between_evaluations() {
    let mgr = super::manager();
    let all: Vec<Tensor<u32>> =
        (0..6u32).map(|len| numbers(&mgr, "part", &(0..len).map(|i| 10 * len + i).collect::<Vec<_>>())).collect();
    let last = |k: usize| if k > 0 { uvec2(10 * k as u32 + k as u32 - 1, k as u32) } else { uvec2(1000, 0) };
    let mut to = mgr.tensor_of_len::<UVec2>(4).unwrap();
    let table: Table<Tensor<u32>> = mgr.table(&[&all[1]; 4]).unwrap();
    assert_eq!((table.len(), table.is_empty()), (4, false));
    let seq = mgr.sequence().unwrap();
    if recorded(Lasts::dispatch(&seq, Grid::items(4), &table, &mut to)).is_none() {
        return;
    }
    let mut slots = [1; 4];
    for (slot, k) in [(0, 2), (3, 5), (3, 0), (1, 4), (2, 2), (3, 3), (0, 1)] {
        table.set(slot, &all[k]).unwrap();
        slots[slot] = k;
        seq.eval().unwrap();
        assert_eq!(to.to_vec().unwrap(), slots.map(last), "{slots:?}");
        // The same once more, and by the other kinds of evaluation.
        seq.eval_async().unwrap().wait().unwrap();
        assert_eq!(to.to_vec().unwrap(), slots.map(last), "{slots:?}");
    }
    // Several slots at once, one of them several times; what the sequence has recorded before is the same operation.
    (0..4).for_each(|slot| table.set(slot, &all[5 - slot]).unwrap());
    table.set(2, &all[0]).unwrap();
    assert_eq!(seq.len(), 1);
    seq.eval_profiled().unwrap();
    assert_eq!(to.to_vec().unwrap(), [5, 4, 0, 2].map(last));
    // Another sequence follows by itself, and a launch that is recorded later has what there is then.
    let mut later = mgr.tensor_of_len::<UVec2>(4).unwrap();
    let other = mgr.sequence().unwrap();
    Lasts::dispatch(&other, Grid::items(4), &table, &mut later).unwrap();
    drop(all);
    table.set(0, &numbers(&mgr, "only the table has it", &[7, 8])).unwrap();
    other.eval().unwrap();
    seq.eval().unwrap();
    assert_eq!(later.to_vec().unwrap(), [uvec2(8, 2), last(4), last(0), last(2)]);
    assert_eq!(to.to_vec().unwrap(), later.to_vec().unwrap());
    // The recording goes on without the table.
    drop(table);
    seq.eval().unwrap();
    super::clean(&mgr);
}

pub(super) fn slots_that_do_not_fit() {
    let (mgr, host) = (super::manager(), Manager::host());
    let (a, b, foreign) = (numbers(&mgr, "a", &[1]), numbers(&mgr, "b", &[2, 3]), numbers(&host, "foreign", &[4]));
    let mut to = mgr.tensor_of_len::<UVec2>(2).unwrap();
    let table = mgr.table(&[&a, &a]).unwrap();

    let error = table.set(2, &b).unwrap_err();
    assert!(matches!(error, Error::Recording(RecordingError::NoSuchSlot { slot: 2, len: 2 })), "{error}");
    assert!(error.to_string().contains("it has 2 slots"), "{error}");
    for error in [table.set(0, &foreign).unwrap_err(), mgr.table(&[&a, &foreign]).unwrap_err()] {
        assert!(matches!(&error, Error::ForeignTensor { tensor, .. } if *tensor == *"foreign"), "{error}");
    }

    let seq = mgr.sequence().unwrap();
    if recorded(Lasts::dispatch(&seq, Grid::items(2), &table, &mut to)).is_none() {
        return;
    }
    // A table of another manager, and of other elements.
    let theirs = host.table(&[&foreign, &foreign]).unwrap();
    let error = Lasts::dispatch(&seq, Grid::items(2), &theirs, &mut to).unwrap_err();
    assert!(matches!(&error, Error::ForeignTensor { .. }), "{error}");
    let wide = mgr.tensor(&[1u64]).unwrap();
    let error =
        seq.dispatch(Grid::items(2), KernelArgs::new::<Lasts>().list(&mgr.table(&[&wide]).unwrap()).write(&mut to));
    assert!(matches!(error, Err(Error::ArgumentMismatch { .. })));
    let image = mgr.image_1d::<R32Float>(2).unwrap();
    let error =
        seq.dispatch(Grid::items(2), KernelArgs::new::<Lasts>().list(&mgr.table(&[&image]).unwrap()).write(&mut to));
    assert!(matches!(error, Err(Error::ArgumentMismatch { .. })));
    seq.eval().unwrap();

    // A launch would write by another argument what it reads by a slot: nothing runs until the slot is another's.
    let before = to.to_vec().unwrap();
    let shared = to.cast::<u32>().unwrap();
    table.set(1, &shared).unwrap();
    table.set(0, &b).unwrap();
    for _ in 0..2 {
        let error = seq.eval().unwrap_err();
        let Error::AliasedTensor { tensor, .. } = &error else { panic!("{error}") };
        assert!(tensor.to_string().contains("`parts[1]`"), "{error}");
        assert_eq!(to.to_vec().unwrap(), before);
    }
    table.set(1, &a).unwrap();
    seq.eval().unwrap();
    assert_eq!(to.to_vec().unwrap(), [uvec2(3, 2), uvec2(1, 1)]);
    // A tensor that was rebuilt with another length is another one: the slot has to be told.
    let mut grown = numbers(&mgr, "grown", &[9]);
    table.set(0, &grown).unwrap();
    seq.eval().unwrap();
    grown.rebuild(&[5, 6, 7]).unwrap();
    let error = seq.eval().unwrap_err();
    assert!(matches!(error, Error::TensorRebuilt { recorded: 1, now: Some(3), .. }), "{error}");
    table.set(0, &grown).unwrap();
    seq.eval().unwrap();
    assert_eq!(to.to_vec().unwrap()[0], uvec2(7, 3));
    super::clean(&mgr);
}

pub(super) fn written_tables() {
    let mgr = super::manager();
    let [mut a, mut b, mut c] = ["a", "b", "c"].map(|name| numbers(&mgr, name, &[0; 64]));
    let mut table: TableMut<Tensor<u32>> = mgr.table_mut(&mut [&mut a, &mut b]).unwrap();
    let mut to = mgr.tensor_of_len::<UVec2>(2).unwrap();
    let seq = mgr.sequence().unwrap();
    if recorded(CountUp::dispatch(&seq, Grid::items(64), &mut table)).is_none() {
        return;
    }
    CountUp::dispatch(&seq, Grid::items(64), &mut table).unwrap();
    Lasts::dispatch(&seq, Grid::items(2), &table, &mut to).unwrap();
    seq.eval().unwrap();
    table.set(1, &mut c).unwrap();
    seq.eval().unwrap();
    seq.eval().unwrap();
    assert_eq!(to.to_vec().unwrap(), [uvec2(6, 64), uvec2(4, 64)]);
    assert_eq!([&a, &b, &c].map(|tensor| tensor.to_vec().unwrap()[63]), [6, 2, 4]);
    // One tensor twice would be written by two invocations at once.
    table.set(0, &mut c).unwrap();
    let error = seq.eval().unwrap_err();
    assert!(matches!(&error, Error::AliasedTensor { .. }), "{error}");
    assert!(error.to_string().contains("`parts[0]`") && error.to_string().contains("`parts[1]`"), "{error}");
    // Two slots change places, with a state in between that no evaluation sees.
    table.set(1, &mut a).unwrap();
    seq.eval().unwrap();
    assert_eq!(to.to_vec().unwrap(), [uvec2(6, 64), uvec2(8, 64)]);
    super::clean(&mgr);
}

/// A launch is told once how long the shortest list is. With a table, a slot may have a shorter one later.
pub(super) fn checks_follow_slots() {
    let mgr = super::manager();
    let [mut a, mut b, mut short] = [4, 4, 2].map(|len| numbers(&mgr, "part", &vec![0; len]));
    let mut table = mgr.table_mut(&mut [&mut a, &mut b]).unwrap();
    let seq = mgr.sequence().unwrap();
    if recorded(CountUp::dispatch(&seq, Grid::items(4), &mut table)).is_none() {
        return;
    }
    seq.eval().unwrap();
    table.set(1, &mut short).unwrap();
    let error = seq.eval().unwrap_err();
    assert!(matches!(&error, Error::KernelPanic { .. }), "{error}");
    assert!(short.to_vec().unwrap().iter().all(|count| *count <= 1));
    table.set(1, &mut b).unwrap();
    seq.eval().unwrap();
    assert_eq!(b.to_vec().unwrap(), [2; 4]);
    // Without a table, each launch finds it out anew.
    let launch = |items: u32, parts: &mut [&mut Tensor<u32>]| {
        let seq = mgr.sequence().unwrap();
        CountUp::dispatch(&seq, Grid::items(items), parts).unwrap().eval().map(|_| ())
    };
    short.write(&[0; 2]).unwrap();
    launch(2, &mut [&mut a, &mut short]).unwrap();
    let error = launch(4, &mut [&mut a, &mut short]).unwrap_err();
    assert!(matches!(&error, Error::KernelPanic { .. }), "{error}");
    assert!(short.to_vec().unwrap().iter().all(|count| *count <= 2));
    launch(4, &mut [&mut a, &mut b]).unwrap();
    assert_eq!(b.to_vec().unwrap(), [3; 4]);
    super::clean(&mgr);
}

pub(super) fn tables_of_images() {
    let mgr = super::manager();
    let image = |value: f32| {
        let mut image = mgr.image_1d::<R32Float>(2).unwrap();
        image.write(&[value; 2]).unwrap();
        image
    };
    let (one, two, mut three) = (image(1.0), image(2.0), image(3.0));
    let (dull, bright) = match (one.sampled(Sampler::default()), two.sampled(Sampler::default())) {
        (Ok(dull), Ok(bright)) => (dull, bright),
        _ => return,
    };
    let (images, textures) = (mgr.table(&[&one, &one]).unwrap(), mgr.table(&[&dull, &bright]).unwrap());
    let mut to = mgr.tensor_of_len::<f32>(2).unwrap();
    let seq = mgr.sequence().unwrap();
    if recorded(Firsts::dispatch(&seq, Grid::items(2), &images, &textures, &mut to)).is_none() {
        return;
    }
    let run = || {
        seq.eval().unwrap();
        to.to_vec().unwrap()
    };
    assert_eq!(run(), [101.0, 201.0]);
    images.set(1, &two).unwrap();
    assert_eq!(run(), [101.0, 202.0]);
    textures.set(0, &bright).unwrap();
    images.set(0, &three).unwrap();
    assert_eq!(run(), [203.0, 202.0]);

    let mut four = image(4.0);
    let mut painted = mgr.table_mut(&mut [&mut three]).unwrap();
    let paint = mgr.sequence().unwrap();
    if recorded(Paint::dispatch(&paint, Grid::items(1), &mut painted, 7.0)).is_none() {
        return;
    }
    paint.eval().unwrap();
    assert_eq!(run(), [207.0, 202.0]);
    painted.set(0, &mut four).unwrap();
    images.set(1, &four).unwrap();
    paint.eval().unwrap();
    assert_eq!(run(), [207.0, 207.0]);
    super::clean(&mgr);
}

/// Barriers within a recording, and waits between recordings and for the host, are those of what is in the slots now.
pub(super) fn tables_are_ordered_with_all_else() {
    let mgr = super::manager();
    let (mut a, mut b, mut copy) =
        (numbers(&mgr, "a", &[1; 64]), numbers(&mgr, "b", &[2; 64]), numbers(&mgr, "copy", &[0; 64]));
    let mut table = mgr.table_mut(&mut [&mut a]).unwrap();
    let mut to = mgr.tensor_of_len::<UVec2>(1).unwrap();
    let seq = mgr.sequence().unwrap();
    seq.record(OpFill::new(&mut b, 50)).unwrap();
    if recorded(CountUp::dispatch(&seq, Grid::items(64), &mut table)).is_none() {
        return;
    }
    seq.record(OpCopy::new(&b, &mut copy)).unwrap();
    Lasts::dispatch(&seq, Grid::items(1), &table, &mut to).unwrap();
    seq.eval().unwrap();
    assert_eq!((to.to_vec().unwrap()[0].x, copy.to_vec().unwrap()[63]), (2, 50));
    // Now the fill comes before the launch, and the copy behind it.
    table.set(0, &mut b).unwrap();
    for _ in 0..3 {
        seq.eval().unwrap();
        assert_eq!((to.to_vec().unwrap()[0].x, copy.to_vec().unwrap()[63]), (51, 51));
    }
    // The host waits for a run that writes by a slot, and a run for a view of the host.
    let mut c = numbers(&mgr, "c", &[7; 64]);
    table.set(0, &mut c).unwrap();
    let running = seq.eval_async().unwrap();
    assert_eq!(c.to_vec().unwrap(), [8; 64]);
    running.wait().unwrap();
    {
        let _view = c.map_mut().unwrap();
        let error = seq.eval().unwrap_err();
        assert!(matches!(&error, Error::TensorMapped { .. }), "{error}");
        // What was in the slot before is free.
        a.write(&[100; 64]).unwrap();
    }
    seq.eval().unwrap();
    assert_eq!((a.to_vec().unwrap()[0], c.to_vec().unwrap()[0]), (100, 9));
    super::clean(&mgr);
}

pub(super) fn tables_change_with_swaps_and_rebuilt_tensors() {
    let mgr = super::manager();
    let [mut a, mut b, c] = [10, 20, 30].map(|value| numbers(&mgr, "part", &[value]));
    let table = mgr.table(&[&a, &c]).unwrap();
    let mut to = mgr.tensor_of_len::<UVec2>(2).unwrap();
    let seq = mgr.sequence().unwrap();
    if recorded(Lasts::dispatch(&seq, Grid::items(2), &table, &mut to)).is_none() {
        return;
    }
    let run = || {
        seq.eval().unwrap();
        to.to_vec().unwrap().iter().map(|last| last.x).collect::<Vec<_>>()
    };
    assert_eq!(run(), [10, 30]);
    seq.swap(&mut a, &mut b).unwrap();
    assert_eq!((run(), a.get(0).unwrap()), (vec![20, 30], 20));
    // The slot that is set has what it is set to; the other one keeps what it has in this recording.
    table.set(1, &b).unwrap();
    assert_eq!(run(), [20, 10]);
    seq.swap(&mut a, &mut b).unwrap();
    assert_eq!(run(), [10, 20]);
    // A slot that no evaluation has seen yet changes places, too.
    let mut d = numbers(&mgr, "part", &[40]);
    table.set(0, &d).unwrap();
    seq.swap(&mut d, &mut a).unwrap();
    assert_eq!(run(), [10, 20]);
    seq.swap(&mut d, &mut a).unwrap();
    assert_eq!(run(), [40, 20]);

    d.rebuild(&[41]).unwrap();
    assert_eq!(run(), [41, 20]);
    table.set(1, &d).unwrap();
    assert_eq!(run(), [41, 41]);
    b.rebuild(&[21]).unwrap();
    table.set(0, &b).unwrap();
    assert_eq!(run(), [21, 41]);

    // A recording that goes on.
    let mut more = mgr.tensor_of_len::<UVec2>(2).unwrap();
    table.set(0, &c).unwrap();
    Lasts::dispatch(seq.reopen().unwrap(), Grid::items(2), &table, &mut more).unwrap();
    table.set(1, &c).unwrap();
    assert_eq!((run(), more.to_vec().unwrap()[1].x), (vec![30, 30], 30));
    // One that begins anew knows nothing of the table.
    seq.record(OpFill::new(&mut more, UVec2::ZERO)).unwrap();
    table.set(1, &d).unwrap();
    assert_eq!(run(), [30, 30]);
    super::clean(&mgr);
}

pub(super) fn a_run_keeps_the_slots_it_began_with() {
    let mgr = super::manager();
    let [a, b] = [10, 20].map(|value| numbers(&mgr, "part", &vec![value; 4096]));
    let table = std::sync::Arc::new(mgr.table(&[&a, &a]).unwrap());
    let mut to = mgr.tensor_of_len::<UVec2>(2).unwrap();
    let seq = mgr.sequence().unwrap();
    let mut busy = mgr.tensor_of_len::<u32>(2048).unwrap();
    super::Spin::dispatch(&seq, Grid::items(2048), 2_000, &mut busy).unwrap();
    if recorded(Lasts::dispatch(&seq, Grid::items(2), &*table, &mut to)).is_none() {
        return;
    }
    for _ in 0..3 {
        let running = seq.eval_async().unwrap();
        table.set(0, &b).unwrap();
        table.set(1, &b).unwrap();
        running.wait().unwrap();
        assert_eq!(to.to_vec().unwrap()[1].x, 10);
        seq.eval().unwrap();
        assert_eq!(to.to_vec().unwrap()[1].x, 20);
        (0..2).for_each(|slot| table.set(slot, &a).unwrap());
    }
    // A call of the host sets a slot for the next run.
    let mut behind = mgr.tensor_of_len::<UVec2>(2).unwrap();
    let divided = mgr.sequence().unwrap();
    let (slots, next) = (table.clone(), mgr.tensor(&[77u32]).unwrap());
    Lasts::dispatch(&divided, Grid::items(2), &*table, &mut to).unwrap();
    divided.record(OpHost::new(move || slots.set(0, &next).unwrap())).unwrap();
    Lasts::dispatch(&divided, Grid::items(2), &*table, &mut behind).unwrap();
    for expected in [10, 77] {
        divided.eval().unwrap();
        assert_eq!([&to, &behind].map(|last| last.to_vec().unwrap()[0].x), [expected; 2]);
    }
    super::clean(&mgr);
}
