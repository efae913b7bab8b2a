//! Values of const parameters that no kernel or no device can have.

use gridwise::__private::twin::{HostArgs, HostGroup};
use gridwise::descriptor::KernelDescriptor;
use gridwise::prelude::*;
use gridwise::{DeviceKind, Error, Kernel};

use super::{clean, manager};

#[kernel(workgroup = N)]
fn tile<const N: u32, const M: usize>(values: &mut [u32]) {
    let tile = Shared::<[[u32; M]; 2]>::new();
    tile[0][local_id().x] = 1;
    barrier();
    values[global_id().x] = tile[0][0] + M as u32;
}

/// Const arguments that the device cannot run are errors of the launch; others of the same kernel run.
pub(super) fn const_arguments_beyond_the_device() {
    let mgr = manager();
    let mut values = mgr.tensor(&[0u32; 64]).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    Tile::<64, 1024>::dispatch(&seq, Grid::items(64), &mut values).expect("recorded");
    let error = Tile::<64, 1_000_000>::dispatch(&seq, Grid::items(64), &mut values);
    if mgr.device().kind == DeviceKind::Host {
        error.expect("the host has enough");
    } else {
        let error = error.expect_err("8 MB of shared memory");
        assert!(matches!(error, Error::SharedMemoryTooLarge { asked: 8_000_000, .. }), "{error}");
    }
    let error = Tile::<64, 1024>::dispatch(&seq, Grid::items(65), &mut values).expect_err("not full");
    assert!(matches!(error, Error::PartialWorkgroup { width: 64, .. }), "{error}");
    seq.eval().expect("evaluated");
    clean(&mgr);
}

/// `tile` with const arguments that the macro would refuse.
struct Refused<const LEN: usize>;

// SAFETY: the descriptor is that of a kernel; the launch is refused before anything runs.
unsafe impl<const LEN: usize> Kernel for Refused<LEN> {
    const DESCRIPTOR: &'static KernelDescriptor = <Tile<64, 64> as Kernel>::DESCRIPTOR;
    const CONSTANTS: &'static [u64] = [&[0u64, 4] as &[u64], &[64, 1 << 33], &[64]][LEN];

    fn host(_: &HostArgs<'_>, _: HostGroup<'_>) {}
}

pub(super) fn const_arguments_are_checked() {
    let mgr = manager();
    let error = mgr.algorithm::<Refused<0>>().expect_err("a workgroup of nobody");
    assert_eq!(
        error.to_string(),
        "kernel `tile`: the const parameter `N` cannot be 0: a workgroup or an array cannot have this size"
    );
    let error = mgr.algorithm::<Refused<1>>().expect_err("33 bits");
    assert!(matches!(error, Error::InvalidConstant { constant: "M", value: 0x2_0000_0000, .. }), "{error}");
    let error = mgr.algorithm::<Refused<2>>().expect_err("one is missing");
    assert!(matches!(error, Error::InvalidModule { .. }), "{error}");
    let small = mgr.algorithm::<Tile<32, 16>>().expect("ready");
    assert_eq!((small.constants(), small.descriptor().workgroup_with(small.constants())), (&[32, 16][..], [32, 1, 1]));
}
