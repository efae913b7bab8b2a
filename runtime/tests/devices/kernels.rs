//! Hand-assembled kernels with hand-written twins: what `#[kernel]` generates, without the compiler.

use gridwise_runtime::descriptor::{
    KernelDescriptor, LaunchWord, LaunchWordKind, Location, Param, ParamKind, Site, SiteKind, Spirv, known,
};
use gridwise_runtime::twin::{HostArgs, HostGroup};
use gridwise_runtime::{Grid, Kernel, KernelArgs, Result, Sequence, Tensor};

const LOCATION: Location = Location { file: "kernels.rs", line: 7, column: 5 };

const fn buffer(name: &'static str, binding: u32, writable: bool) -> Param {
    Param { name, kind: ParamKind::Buffer { binding, writable, stride: 4, align: 4 } }
}

/// `y[i] = a * x[i] + y[i]`
pub(crate) struct Saxpy;

const SAXPY_MODULE: &[u8] = include_bytes!("modules/saxpy.spv");

static SAXPY: KernelDescriptor = KernelDescriptor {
    spirv: Spirv::Bytes(SAXPY_MODULE),
    params: &[
        Param { name: "a", kind: ParamKind::Value { offset: 0, size: 4 } },
        buffer("x", 0, false),
        buffer("y", 1, true),
    ],
    launch_words: &[
        LaunchWord { offset: 4, kind: LaunchWordKind::Items(0) },
        LaunchWord { offset: 8, kind: LaunchWordKind::FirstGroup },
    ],
    ..KernelDescriptor::new("saxpy", LOCATION, &[], "saxpy", [64, 1, 1], 12)
};

// SAFETY: the module and the twin do what the descriptor says.
unsafe impl Kernel for Saxpy {
    const DESCRIPTOR: &'static KernelDescriptor = &SAXPY;

    fn host(args: &HostArgs<'_>, group: HostGroup<'_>) {
        static SITE: Site = Site { kind: SiteKind::IndexOutOfBounds, location: LOCATION, text: "y[i]", message: None };
        let (a, x, y) = (args.value::<f32>(0), args.slice::<f32>(1), args.slice_mut::<f32>(2));
        group.run(|invocation| {
            let i = invocation.global_id().x as usize;
            let old = y.get(invocation, &SITE, i, |whole| Some(whole));
            y.set(invocation, &SITE, i, |whole| Some(whole), a * x[i] + old);
        });
    }
}

impl Saxpy {
    pub(crate) fn dispatch<'s>(
        seq: &'s Sequence,
        grid: Grid,
        a: f32,
        x: &Tensor<f32>,
        y: &mut Tensor<f32>,
    ) -> Result<&'s Sequence> {
        seq.dispatch(grid, KernelArgs::new::<Self>().value(a).read(x).write(y))
    }
}

/// `y[i + shift] = i`, with a bounds check
pub(crate) struct Mark;

static MARK: KernelDescriptor = KernelDescriptor {
    name: "mark",
    spirv: Spirv::Bytes(include_bytes!("modules/mark.spv")),
    entry_point: "mark",
    params: &[Param { name: "shift", kind: ParamKind::Value { offset: 0, size: 4 } }, buffer("y", 0, true)],
    launch_words: &[
        LaunchWord { offset: 4, kind: LaunchWordKind::Items(0) },
        LaunchWord { offset: 8, kind: LaunchWordKind::Len(1) },
    ],
    trap_binding: Some(1),
    trap_words: 8,
    sites: &[Site { kind: SiteKind::IndexOutOfBounds, location: LOCATION, text: "y[i + shift]", message: None }],
    ..SAXPY
};

// SAFETY: the module and the twin do what the descriptor says.
unsafe impl Kernel for Mark {
    const DESCRIPTOR: &'static KernelDescriptor = &MARK;

    fn host(args: &HostArgs<'_>, group: HostGroup<'_>) {
        let (shift, y) = (args.value::<u32>(0), args.slice_mut::<u32>(1));
        group.run(|invocation| {
            let i = invocation.global_id().x;
            y.set(invocation, &MARK.sites[0], (i + shift) as usize, |whole| Some(whole), i);
        });
    }
}

impl Mark {
    pub(crate) fn dispatch<'s>(seq: &'s Sequence, grid: Grid, shift: u32, y: &mut Tensor<u32>) -> Result<&'s Sequence> {
        seq.dispatch(grid, KernelArgs::new::<Self>().value(shift).write(y))
    }
}

/// Kernels that ask for too much, or are none: `N` says which.
pub(crate) struct Wrong<const N: usize>;

static WRONG: [KernelDescriptor; 6] = [
    KernelDescriptor { workgroup: known([1 << 20, 1, 1]), ..SAXPY },
    KernelDescriptor { push_constant_size: 132, ..SAXPY },
    KernelDescriptor { spirv: Spirv::Bytes(&[3, 2, 35, 7]), ..SAXPY },
    KernelDescriptor { spirv: Spirv::Bytes(SAXPY_MODULE.split_at(400).0), ..SAXPY },
    KernelDescriptor { trap_binding: Some(77), ..SAXPY },
    KernelDescriptor { workgroup: known([0, 1, 1]), ..SAXPY },
];

// SAFETY: the module and the twin do what the descriptor says, or never run.
unsafe impl<const N: usize> Kernel for Wrong<N> {
    const DESCRIPTOR: &'static KernelDescriptor = &WRONG[N];

    fn host(_: &HostArgs<'_>, _: HostGroup<'_>) {}
}

/// Saxpy under another name: another kernel, the same pipeline.
pub(crate) struct Renamed;

static RENAMED: KernelDescriptor = KernelDescriptor { name: "renamed", ..SAXPY };

// SAFETY: the module and the twin do what the descriptor says.
unsafe impl Kernel for Renamed {
    const DESCRIPTOR: &'static KernelDescriptor = &RENAMED;

    fn host(args: &HostArgs<'_>, group: HostGroup<'_>) {
        Saxpy::host(args, group);
    }
}

/// A kernel whose twin panics, as no generated twin does.
pub(crate) struct Panics;

// SAFETY: the module and the twin do what the descriptor says.
unsafe impl Kernel for Panics {
    const DESCRIPTOR: &'static KernelDescriptor = &SAXPY;

    fn host(_: &HostArgs<'_>, group: HostGroup<'_>) {
        group.run(|invocation| assert!(invocation.global_id().x != 20_000, "twenty thousand"));
    }
}

impl Panics {
    pub(crate) fn dispatch<'s>(
        seq: &'s Sequence,
        grid: Grid,
        x: &Tensor<f32>,
        y: &mut Tensor<f32>,
    ) -> Result<&'s Sequence> {
        seq.dispatch(grid, KernelArgs::new::<Self>().value(1.0f32).read(x).write(y))
    }
}
