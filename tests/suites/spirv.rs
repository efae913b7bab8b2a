//! `include_spirv!`: modules in files as typed dispatches, on the device that `GRIDWISE_DEVICE` selects.

mod cases;

use gridwise::image::{R32Uint, Rgba8Unorm, Sampler};
use gridwise::prelude::*;
use gridwise::{DeviceKind, Error, include_spirv};

use cases::cases;

cases! {
    always: the_host_device_needs_vulkan;
    unless: parameters_are_the_modules_own, structs_and_headers_are_any_data_of_their_size, images_are_typed;
}

include_spirv!("../../runtime/tests/modules/scale.spv");
include_spirv!("../../runtime/tests/modules/bins.spv" as Histogram);
include_spirv!("../../runtime/tests/modules/blend.spv");

const NO_VULKAN: &str = "the host device runs no modules";

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Item {
    place: [f32; 4],
    kind: u32,
    weight: f32,
    rest: [u32; 2],
}

fn the_host_device_needs_vulkan() {
    // SAFETY: it is not made.
    let made = unsafe { Scale::new(&Manager::host(), ScaleConstants::default()) };
    assert!(matches!(made, Err(Error::NeedsVulkan { .. })));
}

fn parameters_are_the_modules_own() -> Option<&'static str> {
    let mgr = Manager::new().expect("a device");
    let constants = ScaleConstants { factor: 3.0, negate: true, constant7: 64, ..Default::default() };
    assert_eq!((constants.shift, ScaleConstants::default().factor), (-1, 2.0));
    // SAFETY: the module stays below `count`.
    let scale = match unsafe { Scale::new(&mgr, constants) } {
        Err(Error::NeedsVulkan { .. }) if mgr.device().kind == DeviceKind::Host => return Some(NO_VULKAN),
        made => made.expect("a module for every device"),
    };
    let from = mgr.tensor(&[1.0f32, 2.0, 3.0]).expect("memory");
    let mut to = mgr.tensor(&[0.0f32; 3]).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    scale.dispatch(&seq, Grid::items(3), 2, 0.5, &from, &mut to).expect("fits");
    seq.eval().expect("runs");
    assert_eq!(to.to_vec().expect("readable"), [-2.5, -5.5, 0.0]);
    let mut short = mgr.tensor(&[0.0f32; 3]).expect("memory");
    let error = scale.dispatch(&seq, Grid::groups(1u64 << 40), 2, 0.5, &from, &mut short).expect_err("too wide");
    assert!(matches!(error, Error::GridTooLarge { .. }), "{error}");
    assert_eq!(mgr.validation_messages(), Vec::<String>::new());
    None
}

fn structs_and_headers_are_any_data_of_their_size() -> Option<&'static str> {
    let mgr = Manager::new().expect("a device");
    // SAFETY: the module reads as many items as the header says.
    let histogram = match unsafe { Histogram::new(&mgr, HistogramConstants::default()) } {
        Err(Error::NeedsVulkan { .. }) if mgr.device().kind == DeviceKind::Host => return Some(NO_VULKAN),
        made => made.expect("a module for every device"),
    };
    let mut words = vec![0u32; 4];
    words[0] = 5;
    words.extend((0..5u32).flat_map(|kind| [0, 0, 0, 0, kind % 2, 0, 0, 0]));
    let items = mgr.tensor(&words).expect("memory");
    let mut bins = mgr.tensor(&[0u32; 17]).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    histogram.dispatch(&seq, Grid::groups(1), &items, &mut bins).expect("fits");
    seq.eval().expect("runs");
    assert_eq!(bins.to_vec().expect("readable")[..4], [3, 2, 0, 0]);
    let none = mgr.tensor::<Item>(&[]).expect("memory");
    let error = histogram.dispatch(&seq, Grid::groups(1), &none, &mut bins).expect_err("no room for the header");
    assert!(matches!(error, Error::ArgumentMismatch { .. }), "{error}");
    assert_eq!(mgr.validation_messages(), Vec::<String>::new());
    None
}

fn images_are_typed() -> Option<&'static str> {
    let mgr = Manager::new().expect("a device");
    // SAFETY: the module asks the image how large it is.
    let blend = match unsafe { Blend::new(&mgr, BlendConstants::default()) } {
        Err(Error::NeedsVulkan { .. }) if mgr.device().kind == DeviceKind::Host => return Some(NO_VULKAN),
        made => made.expect("a module for every device"),
    };
    let mut from = mgr.image_2d::<Rgba8Unorm>(3, 2).expect("memory");
    from.write(&[[100, 0, 200, 255]; 6]).expect("as many");
    let mut to = mgr.image_2d::<Rgba8Unorm>(3, 2).expect("memory");
    let pattern = mgr.image_2d::<Rgba8Unorm>(4, 4).expect("memory");
    let pattern = pattern.sampled(Sampler::default()).expect("filtered");
    let seq = mgr.sequence().expect("a sequence");
    blend.dispatch(&seq, Grid::items((3, 2)), 0.5, &from, &mut to, &pattern).expect("fits");
    seq.eval().expect("runs");
    let texels = to.to_vec().expect("readable");
    assert!(texels.iter().all(|[r, g, b, a]| (*r, *g, *b) == (50, 0, 100) && (127..=128).contains(a)), "{texels:?}");
    let words = mgr.image_2d::<R32Uint>(4, 4).expect("memory");
    let words = words.sampled(Sampler::default()).expect("looked up");
    let error = blend.dispatch(&seq, Grid::items((3, 2)), 0.5, &from, &mut to, &words).expect_err("other texels");
    assert!(matches!(error, Error::ArgumentMismatch { .. }), "{error}");
    assert_eq!(mgr.validation_messages(), Vec::<String>::new());
    None
}
