//! Alignment of arguments: all element types, seen from bytes at every offset, as arguments and in lists. An accepted
//! argument gives the right result; the rest are typed errors that name the argument.

use std::ops::Range;

use gridwise::prelude::*;
use gridwise::{AnyGrid, Atomic, Error, Kernel, KernelArgs, Limits, Plain, Result, half};
use half::{bf16, f16};

use super::{clean, manager};

/// Elements that a launch copies.
const N: usize = 4;

/// Aligned as its largest field.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
#[repr(C)]
struct Wide {
    color: Vec4,
    cells: [u64; 2],
}

#[kernel(workgroup = 4, T = [
    u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64, Vec2, Vec3, Vec4, IVec2, IVec3, IVec4, UVec2, UVec3, UVec4,
    Mat2, Mat3, Mat4, Quat, [u8; 3], [u16; 5], [Vec4; 2], Wide
])]
fn copied<T: Copy>(from: &[T], to: &mut [T]) {
    let i = global_id().x;
    to[i] = from[i];
}

#[kernel(workgroup = 4, T = [
    u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64, Vec2, Vec3, Vec4, IVec2, IVec3, IVec4, UVec2, UVec3, UVec4,
    Mat2, Mat3, Mat4, Quat, [u8; 3], [u16; 5], [Vec4; 2], Wide
])]
fn copied_in_lists<T: Copy>(from: &[&[T]], to: &mut [&mut [T]]) {
    let i = global_id().x;
    for k in 0..to.len() {
        to[k][i] = from[k][i];
    }
}

#[kernel(workgroup = 4)]
fn counted_u8(counts: &[Atomic<u8>]) {
    counts[global_id().x].fetch_add(1, Relaxed);
}

#[kernel(workgroup = 4)]
fn counted_u32(counts: &[Atomic<u32>]) {
    counts[global_id().x].fetch_add(1, Relaxed);
}

#[kernel(workgroup = 4)]
fn counted_u64(counts: &[Atomic<u64>]) {
    counts[global_id().x].fetch_add(1, Relaxed);
}

#[kernel(workgroup = 4)]
fn fetched(#[texels] from: &[Vec4], to: &mut [Vec4]) {
    let i = global_id().x;
    to[i] = from[i];
}

/// A sweep over all offsets of a buffer of bytes.
struct Sweep {
    mgr: Manager,
    limits: Limits,
    from: Tensor<u8>,
    to: Tensor<u8>,
}

const BYTES: usize = 2048;

fn pattern() -> Vec<u8> {
    (0..BYTES).map(|at| (at * 7 + at / 256) as u8).collect()
}

impl Sweep {
    /// Every first byte up to the largest alignment, and those around where the device binds the next part.
    fn starts(&self) -> impl Iterator<Item = usize> + use<> {
        let next = self.limits.part_alignment.max(32) as usize;
        (0..=17).chain([next, next + 1, next + 2, next + 4, next + 8, next + 16])
    }

    /// Records a launch over `from` and `to`, which begin at such bytes, and evaluates it if it is accepted. `align` is what each has to begin
    /// at a multiple of, and `params` are those of both.
    fn launch(
        &mut self,
        (what, kernel, params): (&str, &str, [&str; 2]),
        [from, to]: [Range<usize>; 2],
        align: usize,
        args: impl FnOnce(&Tensor<u8>, &mut Tensor<u8>) -> Result<KernelArgs>,
    ) {
        let mut expected = vec![0; BYTES];
        self.to.write(&expected).expect("written");
        let (read, mut written) =
            (self.from.part(from.clone()).expect("in range"), self.to.part_mut(to.clone()).expect("in range"));
        let args = args(&read, &mut written).expect("bytes, as bytes");
        let seq = self.mgr.sequence().expect("a sequence");
        let recorded = seq.dispatch(AnyGrid::from(Grid::items(N)), args);
        drop((read, written));
        match [from.start, to.start].into_iter().position(|start| start % align != 0) {
            None => {
                recorded.unwrap_or_else(|error| panic!("{what} at {from:?} and {to:?}: {error}"));
                seq.eval().expect("evaluated");
                expected[to.clone()].copy_from_slice(&pattern()[from.clone()]);
                assert_eq!(self.to.to_vec().expect("read"), expected, "{what} at {from:?} and {to:?}");
            }
            Some(first) => {
                let error = recorded.expect_err("begins where no element can");
                let Error::Misaligned { tensor, offset, alignment } = &error else { panic!("{what}: {error}") };
                let told = (*offset, *alignment, tensor.place().map(str::to_owned));
                let place = format!("argument {}, `{}`, of kernel `{kernel}`", first + 1, params[first]);
                assert_eq!(told, ([from.start, to.start][first] as u64, align as u64, Some(place)), "{what}: {error}");
                assert!(seq.is_empty(), "nothing of what was refused is kept");
            }
        }
    }

    /// All of it for one element type of so many bytes.
    fn element<T: GpuData, const SIZE: usize>(&mut self)
    where
        Copied<T>: Kernel,
        CopiedInLists<T>: Kernel,
        [u8; SIZE]: Plain,
    {
        assert_eq!(size_of::<T>(), SIZE);
        let (what, align) = (std::any::type_name::<T>(), align_of::<T>());
        let binds = align.max(self.limits.part_alignment as usize);
        let can_bind = is_possible(self.mgr.algorithm::<Copied<T>>().map(drop));
        let can_list = is_possible(self.mgr.algorithm::<CopiedInLists<T>>().map(drop));
        for start in self.starts() {
            let (at, zero) = (start..start + N * SIZE, 0..N * SIZE);
            for [from, to] in [[at.clone(), zero.clone()], [zero, at.clone()], [at.clone(), at]] {
                if can_bind {
                    let named = (what, name_of::<Copied<T>>(), ["from", "to"]);
                    self.launch(named, [from.clone(), to.clone()], binds, |read, written| {
                        let (read, mut written) = (read.cast::<[u8; SIZE]>()?, written.cast_mut::<[u8; SIZE]>()?);
                        Ok(KernelArgs::new::<Copied<T>>().read(&read).write(&mut written))
                    });
                }
                if can_list {
                    let named = (what, name_of::<CopiedInLists<T>>(), ["from[0]", "to[0]"]);
                    self.launch(named, [from, to], align, |read, written| {
                        let (read, mut written) = (read.cast::<[u8; SIZE]>()?, written.cast_mut::<[u8; SIZE]>()?);
                        let args = KernelArgs::new::<CopiedInLists<T>>().read_list(&[&*read]);
                        Ok(args.write_list(&mut [&mut *written]))
                    });
                }
            }
        }
    }

    /// And casts to it, which begin where it can.
    fn cast<T: Plain>(&mut self) {
        for start in self.starts() {
            let bytes = self.from.part(start..start + size_of::<T>()).expect("in range");
            match bytes.cast::<T>() {
                Ok(cast) => {
                    assert!(start.is_multiple_of(align_of::<T>()));
                    assert_eq!(
                        cast.cast::<u8>().expect("bytes").to_vec().expect("read"),
                        pattern()[start..][..size_of::<T>()]
                    );
                    // In place or in a copy: wherever it is, it is aligned.
                    cast.view(|elements| assert!(elements.as_ptr().is_aligned())).expect("seen");
                    cast.to_vec().expect("read");
                }
                Err(error) => {
                    assert!(!start.is_multiple_of(align_of::<T>()), "{error}");
                    assert!(matches!(error, Error::Misaligned { .. }), "{error}");
                }
            }
        }
    }

    /// Atomics, which are exchanged in words of 4 bytes at least.
    fn atomic<K: Kernel, const SIZE: usize>(&mut self)
    where
        [u8; SIZE]: Plain,
    {
        let kernel = name_of::<K>();
        if !is_possible(self.mgr.algorithm::<K>().map(drop)) {
            return;
        }
        let align = SIZE.max(4).max(self.limits.part_alignment as usize);
        for start in self.starts() {
            let mut expected = pattern();
            self.to.write(&expected).expect("written");
            let seq = self.mgr.sequence().expect("a sequence");
            let bytes = self.to.part(start..start + N * SIZE).expect("in range");
            let cells = bytes.cast::<[u8; SIZE]>().expect("bytes, as bytes");
            let recorded = seq.dispatch(Grid::items(N), KernelArgs::new::<K>().read(&cells));
            if start.is_multiple_of(align) {
                recorded.expect("begins where a cell can");
                seq.eval().expect("evaluated");
                for cell in expected[start..start + N * SIZE].chunks_mut(SIZE) {
                    cell[0] += 1;
                    assert!(cell[0] != 0, "the pattern has no carry here");
                }
                assert_eq!(self.to.to_vec().expect("read"), expected, "{kernel} at {start}");
            } else {
                let error = recorded.expect_err("begins where no cell can");
                let is_told = matches!(&error, Error::Misaligned { tensor, offset, alignment }
                    if (*offset, *alignment) == (start as u64, align as u64)
                        && tensor.place() == Some(&format!("argument 1, `counts`, of kernel `{kernel}`")));
                assert!(is_told, "{error}");
            }
        }
    }
}

fn name_of<K: Kernel>() -> &'static str {
    K::DESCRIPTOR.name
}

/// Whether the device has what a kernel needs.
fn is_possible(made: Result<()>) -> bool {
    match made {
        Ok(()) => true,
        Err(Error::MissingFeature { .. }) => false,
        Err(error) => panic!("{error}"),
    }
}

pub(super) fn arguments_begin_where_elements_can() {
    let mgr = manager();
    let limits = mgr.device().limits;
    let from = mgr.tensor_named("from", &pattern()).expect("memory");
    let to = mgr.tensor_of_len(BYTES).expect("memory");
    let mut sweep = Sweep { mgr, limits, from, to };
    macro_rules! all {
        ($($ty:ty),* $(,)?) => { $(sweep.element::<$ty, { size_of::<$ty>() }>();)* };
    }
    all!(u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64);
    all!(Vec2, Vec3, Vec4, IVec2, IVec3, IVec4, UVec2, UVec3, UVec4, Mat2, Mat3, Mat4, Quat);
    all!([u8; 3], [u16; 5], [Vec4; 2], Wide);
    macro_rules! casts {
        ($($ty:ty),* $(,)?) => { $(sweep.cast::<$ty>();)* };
    }
    casts!(u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64);
    casts!(Vec2, Vec3, Vec4, IVec2, IVec3, IVec4, UVec2, UVec3, UVec4, Mat2, Mat3, Mat4, Quat);
    casts!([u8; 3], [u16; 5], [Vec4; 2], [u64; 3]);
    sweep.atomic::<CountedU8, 1>();
    sweep.atomic::<CountedU32, 4>();
    sweep.atomic::<CountedU64, 8>();
    clean(&sweep.mgr);
}

pub(super) fn texels_and_later_members_begin_where_elements_can() {
    let mgr = manager();
    let limits = mgr.device().limits;
    let bytes = mgr.tensor(&pattern()).expect("memory");
    let mut to = mgr.tensor(&[Vec4::ZERO; N]).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    for start in [1, 2, 4, 8, 12, 16] {
        let part = bytes.part(start..start + 16 * N).expect("in range");
        let cells = part.cast::<[u8; 16]>().expect("bytes, as bytes");
        let recorded = seq.dispatch(Grid::items(N), KernelArgs::new::<Fetched>().read(&cells).write(&mut to));
        let is_possible = (start as u64).is_multiple_of(limits.texel_alignment.max(16));
        assert_eq!(recorded.is_ok(), is_possible, "at {start}: {recorded:?}");
    }
    seq.eval().expect("evaluated");
    // Each member of a list is told by its position.
    if !is_possible(mgr.algorithm::<CopiedInLists<u32>>().map(drop)) {
        return;
    }
    let (first, second) = (bytes.part(4..20).expect("in range"), bytes.part(21..37).expect("in range"));
    let (first, second) = (first.cast::<[u8; 4]>().expect("bytes"), second.cast::<[u8; 4]>().expect("bytes"));
    let (mut one, mut two) = (mgr.tensor(&[0u32; N]).expect("memory"), mgr.tensor(&[0u32; N]).expect("memory"));
    let seq = mgr.sequence().expect("a sequence");
    let args = KernelArgs::new::<CopiedInLists<u32>>().read_list(&[&*first, &*second]);
    let error = seq.dispatch(Grid::items(N), args.write_list(&mut [&mut one, &mut two])).expect_err("at byte 21");
    let is_told = matches!(&error, Error::Misaligned { tensor, offset: 21, alignment: 4 }
        if tensor.place() == Some("argument 1, `from[1]`, of kernel `copied_in_lists::<u32>`"));
    assert!(is_told, "{error}");
    clean(&mgr);
}
