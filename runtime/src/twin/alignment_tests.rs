//! Launches of arguments that begin at every byte: what is accepted is aligned for the twin, by Miri's word, too.

use std::marker::PhantomData;
use std::sync::atomic::Ordering::Relaxed;

use gridwise_ir::descriptor::{KernelDescriptor, Param, known};

use super::tests::SITES;
use super::*;
use crate::memory::data::{GpuData, Plain};
use crate::parallel::Atomic;
use crate::{Error, Grid, Kernel, KernelArgs, Manager, Sequence, Tensor};

const N: usize = 2;

const BYTES: usize = 160;

/// First bytes: all up to the largest alignment; in Miri, which takes long for each, those that differ.
const STARTS: &[usize] =
    if cfg!(miri) { &[0, 1, 2, 4, 8, 16] } else { &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17] };

/// `to[i] = from[i]`.
struct Copied<T>(PhantomData<T>);

// SAFETY: the twin does what the descriptor says, whose module never runs.
unsafe impl<T: GpuData> Kernel for Copied<T> {
    const DESCRIPTOR: &'static KernelDescriptor = &KernelDescriptor {
        name: "copied",
        workgroup: known([N as u32, 1, 1]),
        params: &[
            Param::buffer("from", 0, false, size_of::<T>() as u32, align_of::<T>() as u32),
            Param::buffer("to", 1, true, size_of::<T>() as u32, align_of::<T>() as u32),
        ],
        push_constant_size: 0,
        ..super::tests::DESCRIPTOR
    };

    fn host(args: &HostArgs<'_>, group: HostGroup<'_>) {
        let (from, to) = (args.slice::<T>(0), args.slice_mut::<T>(1));
        group.run(|cx| {
            let i = cx.global_id().x as usize;
            to.store(cx, &SITES[0], from[i], i);
        });
    }
}

/// `to[0][i] = from[0][i]`.
struct Listed<T>(PhantomData<T>);

// SAFETY: as above.
unsafe impl<T: GpuData> Kernel for Listed<T> {
    const DESCRIPTOR: &'static KernelDescriptor = &KernelDescriptor {
        name: "listed",
        params: &[
            Param::list("from", 0, false, size_of::<T>() as u32, align_of::<T>() as u32),
            Param::list("to", 1, true, size_of::<T>() as u32, align_of::<T>() as u32),
        ],
        ..*Copied::<T>::DESCRIPTOR
    };

    fn host(args: &HostArgs<'_>, group: HostGroup<'_>) {
        let (from, to) = (args.list::<T>(0), args.list_mut::<T>(1));
        group.run(|cx| {
            let i = cx.global_id().x as usize;
            let value = from.member(cx, &SITES[0], 0)[i];
            to.member(cx, &SITES[0], 0).store(cx, &SITES[0], value, i);
        });
    }
}

/// Adds 1 to each, by an atomic operation.
struct Counted;

// SAFETY: as above.
unsafe impl Kernel for Counted {
    const DESCRIPTOR: &'static KernelDescriptor = &KernelDescriptor {
        name: "counted",
        params: &[Param::buffer("cells", 0, true, 8, 8)],
        ..*Copied::<u64>::DESCRIPTOR
    };

    fn host(args: &HostArgs<'_>, group: HostGroup<'_>) {
        let cells = args.slice_mut::<Atomic<u64>>(0);
        group.run(|cx| {
            cells.atomic(cx, &SITES[0], cx.global_id().x as usize, |cell| Some(cell)).fetch_add(1, Relaxed);
        });
    }
}

fn pattern() -> Vec<u8> {
    (0..BYTES).map(|at| at as u8).collect()
}

/// Evaluates what was recorded if it begins where it can; else the error tells where it begins.
fn settle(seq: &Sequence, recorded: crate::Result<&Sequence>, start: usize, align: usize) -> bool {
    let is_aligned = start.is_multiple_of(align);
    match recorded {
        Ok(_) => seq.eval().unwrap(),
        Err(Error::Misaligned { offset, alignment, ref tensor }) if !is_aligned => {
            assert_eq!((offset, alignment), (start as u64, align as u64));
            assert!(tensor.place().is_some(), "{tensor}");
        }
        Err(error) => panic!("{error}"),
    }
    assert_eq!(seq.is_empty(), !is_aligned);
    is_aligned
}

fn sweep<T: GpuData, const SIZE: usize>(manager: &Manager, from: &Tensor<u8>, to: &mut Tensor<u8>)
where
    [u8; SIZE]: Plain,
{
    assert_eq!(size_of::<T>(), SIZE);
    let bytes = N * SIZE;
    for &start in STARTS {
        for in_list in [false, true] {
            to.write(&[0; BYTES]).unwrap();
            let seq = manager.sequence().unwrap();
            let (read, mut written) =
                (from.part(start..start + bytes).unwrap(), to.part_mut(start..start + bytes).unwrap());
            let (read, mut written) = (read.cast::<[u8; SIZE]>().unwrap(), written.cast_mut::<[u8; SIZE]>().unwrap());
            let args = match in_list {
                false => KernelArgs::new::<Copied<T>>().read(&read).write(&mut written),
                true => KernelArgs::new::<Listed<T>>().read_list(&[&*read]).write_list(&mut [&mut *written]),
            };
            let recorded = seq.dispatch(Grid::items(N), args);
            drop(written);
            if settle(&seq, recorded, start, align_of::<T>()) {
                let (bytes, pattern) = (start..start + bytes, pattern());
                assert_eq!(to.part(bytes.clone()).unwrap().to_vec().unwrap(), pattern[bytes]);
            }
        }
    }
}

#[test]
fn arguments_begin_where_elements_can() {
    let manager = Manager::host();
    let (from, mut to) = (manager.tensor(&pattern()).unwrap(), manager.tensor(&[0u8; BYTES]).unwrap());
    macro_rules! all {
        ($($ty:ty),*) => { $(sweep::<$ty, { size_of::<$ty>() }>(&manager, &from, &mut to);)* };
    }
    if cfg!(miri) {
        all!(u16, u64, glam::Vec3, [u8; 3]);
    } else {
        all!(u8, u16, u32, u64, f64, half::f16, glam::Vec3, glam::Vec4, glam::UVec4, glam::Mat2, [u8; 3], [u16; 3]);
    }
    for &start in STARTS {
        to.write(&pattern()).unwrap();
        let seq = manager.sequence().unwrap();
        let mut part = to.part_mut(start..start + 8 * N).unwrap();
        let mut cells = part.cast_mut::<[u8; 8]>().unwrap();
        let recorded = seq.dispatch(Grid::items(N), KernelArgs::new::<Counted>().write(&mut cells));
        drop(cells);
        if settle(&seq, recorded, start, 8) {
            assert_eq!(to.part(start..=start).unwrap().to_vec().unwrap(), [start as u8 + 1]);
        }
    }
}

#[test]
fn casts_begin_where_elements_can() {
    let manager = Manager::host();
    let mut bytes = manager.tensor(&pattern()).unwrap();
    for &start in STARTS {
        match bytes.part_mut(start..start + 32).unwrap().cast_mut::<glam::Vec4>() {
            Err(error) => assert!(start % 16 != 0 && matches!(error, Error::Misaligned { .. }), "{error}"),
            Ok(mut vectors) => {
                assert!(start % 16 == 0);
                vectors.map_mut().unwrap().reverse();
                assert_eq!(vectors.map().unwrap().len(), vectors.view(<[glam::Vec4]>::len).unwrap());
                vectors.fill_staged(|elements| elements.fill(glam::Vec4::ONE)).unwrap();
                assert_eq!(vectors.view_staged(<[glam::Vec4]>::to_vec).unwrap(), [glam::Vec4::ONE; 2]);
            }
        }
    }
}
