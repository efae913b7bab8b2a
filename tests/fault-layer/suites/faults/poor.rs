//! Devices that lack things: limits lowered, features and extensions hidden. A program that needs one of them gets an
//! error that names it; all others run.

use gridwise::descriptor::Feature;
use gridwise::prelude::*;
use gridwise::{Contents, Error, ManagerDesc, PipelineCache, PrintSink, TensorDesc};
use gridwise_fault_layer::Control;
use libtest_mimic::Failed;

use crate::programs;

/// The trials.
pub(crate) const ALL: &[crate::Case] = &[
    ("poor::what_every_kernel_needs_is_named", what_every_kernel_needs_is_named),
    ("poor::what_one_kernel_needs_is_named", what_one_kernel_needs_is_named),
    ("poor::what_only_helps_may_be_missing", what_only_helps_may_be_missing),
    ("poor::limits_are_kept", limits_are_kept),
    ("poor::what_a_driver_gets_wrong_is_done_otherwise", what_a_driver_gets_wrong_is_done_otherwise),
];

#[kernel(workgroup = [64, 2])]
fn wide(y: &mut [u64]) {
    let tile = Shared::<[u32; 256]>::new();
    let l = local_index();
    tile[l] = l;
    barrier();
    if local_id().y == 0 {
        y[global_id().x] = tile[127 - l] as u64;
    }
}

#[kernel]
fn bytes(x: &[u8], y: &mut [f64]) {
    let i = global_id().x;
    y[i] = x[i] as f64;
}

#[kernel]
fn halves(x: &[f16], y: &mut [f16]) {
    let i = global_id().x;
    y[i] = x[i] * x[i];
}

#[kernel]
fn three(a: &[u32], b: &[u32], c: &mut [u32]) {
    let i = global_id().x;
    c[i] = a[i] + b[i];
}

#[kernel]
fn counts(parts: &[&[u32]], y: &mut [u32]) {
    let i = global_id().x;
    y[i] = parts[i].len() as u32;
}

#[kernel(workgroup = 64)]
fn folds(x: &[u32], y: &mut [UVec4]) {
    let i = global_id().x;
    let value = x[i];
    let (sum, least) = (subgroup::add(value), subgroup::min(value as i32));
    let mut odd = 0;
    if value % 2 == 1 {
        odd = subgroup::xor(value);
    }
    let most = subgroup::max(uvec2(value, !value));
    y[i] = uvec4(sum, least as u32, odd, most.y);
}

#[kernel]
fn vanishes(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = x[i] * 0.0;
}

fn open(faults: Control, change: impl FnOnce(Control)) -> gridwise::Result<Manager> {
    (faults.reset)();
    change(faults);
    let device = ManagerDesc::from_env()?.device;
    Manager::with(ManagerDesc {
        device,
        pipeline_cache: PipelineCache::Off,
        print: PrintSink::new(|_| {}),
        ..ManagerDesc::default()
    })
}

fn what_every_kernel_needs_is_named(faults: Control) -> Result<(), Failed> {
    let required =
        [("vulkanMemoryModel", ""), ("scalarBlockLayout", ""), ("timelineSemaphore", ""), ("Vulkan 1.2", "")];
    for (name, _) in required.into_iter().chain([("compute queue", "")]) {
        let error = open(faults, |faults| (faults.hide)(name)).map(|_| ()).expect_err(name);
        let is_named = matches!(&error, Error::DeviceNotSuitable { missing, .. } if missing.contains(name));
        assert!(is_named, "{name}: {error}");
    }
    (faults.reset)();
    Ok(())
}

fn what_one_kernel_needs_is_named(faults: Control) -> Result<(), Failed> {
    for name in ["shaderFloat64", "shaderInt8", "storageBuffer8BitAccess"] {
        let mgr = open(faults, |faults| (faults.hide)(name))?;
        let error = mgr.algorithm::<Bytes>().map(|_| ()).expect_err(name);
        let is_named = matches!(&error, Error::MissingFeature { feature, .. } if feature.vulkan_name() == name);
        assert!(is_named, "{name}: {error}");
        mgr.algorithm::<Three>()?;
    }
    for name in ["shaderFloat16", "storageBuffer16BitAccess"] {
        let mgr = open(faults, |faults| (faults.hide)(name))?;
        let error = mgr.algorithm::<Halves>().map(|_| ()).expect_err(name);
        let is_named = matches!(&error, Error::MissingFeature { feature, .. } if feature.vulkan_name() == name);
        // The kernel, and the line with the first half.
        let text = error.to_string();
        assert!(is_named && text.contains("halves") && text.contains("poor.rs"), "{name}: {error}");
        mgr.algorithm::<Three>()?;
    }
    let mgr = open(faults, |faults| (faults.hide)("bufferDeviceAddress"))?;
    let error = mgr.algorithm::<Counts>().map(|_| ()).expect_err("no addresses");
    assert!(matches!(error, Error::MissingFeature { feature: Feature::BufferAddresses, .. }), "{error}");
    let mut y = mgr.tensor_of_len::<u32>(4)?;
    assert!(Counts::dispatch(&mgr.sequence()?, Grid::items(4), &[], &mut y).is_err());
    let mgr = open(faults, |faults| (faults.hide)("shaderInt64"))?;
    assert!(matches!(mgr.algorithm::<Wide>(), Err(Error::MissingFeature { .. })));
    let mgr = open(faults, |faults| (faults.hide)("timestamps"))?;
    let mut y = mgr.tensor_of_len::<u32>(4)?;
    let seq = mgr.sequence()?;
    seq.record(gridwise::ops::OpFill::new(&mut y, 1))?;
    assert!(matches!(seq.eval_profiled(), Err(Error::NoTimestamps)));
    seq.eval()?;
    (faults.reset)();
    Ok(())
}

fn what_only_helps_may_be_missing(faults: Control) -> Result<(), Failed> {
    let hidden = [
        "VK_KHR_push_descriptor",
        "VK_EXT_memory_budget",
        "VK_EXT_subgroup_size_control",
        "VK_EXT_shader_atomic_float",
        "subgroupSizeControl",
        "computeFullSubgroups",
    ];
    for program in programs::ALL.iter().filter(|program| matches!(program.name, "launch" | "operations" | "reports")) {
        let expected = program.run(&open(faults, |_| ())?)?;
        for name in hidden {
            let found = program.run(&open(faults, |faults| (faults.hide)(name))?)?;
            assert_eq!(found.difference(&expected), None, "{} without {name}", program.name);
        }
        let all = open(faults, |faults| hidden.into_iter().for_each(|name| (faults.hide)(name)))?;
        assert_eq!(program.run(&all)?.difference(&expected), None, "{} without any", program.name);
        // One at a time: launches are split, sets come from pools.
        let narrow = open(faults, |faults| (faults.limit)("maxPushDescriptors", 1))?;
        assert_eq!(program.run(&narrow)?.difference(&expected), None, "{} with a small push set", program.name);
    }
    let mgr = open(faults, |faults| (faults.limit)("maxComputeWorkGroupCount", 2))?;
    let (a, b) = (mgr.tensor(&[1u32; 1000])?, mgr.tensor(&[2u32; 1000])?);
    let mut c = mgr.tensor(&[0u32; 1000])?;
    let seq = mgr.sequence()?;
    match Three::dispatch(&seq, Grid::items(1000), &a, &b, &mut c) {
        Ok(_) => {
            seq.eval()?;
            assert_eq!(c.to_vec()?, [3; 1000], "in parts");
        }
        Err(error) => assert!(matches!(error, Error::GridTooLarge { .. }), "{error}"),
    }
    (faults.reset)();
    Ok(())
}

fn limits_are_kept(faults: Control) -> Result<(), Failed> {
    let lowered = |name: &'static str, value: u64| open(faults, move |faults| (faults.limit)(name, value));
    for (name, value) in [("maxComputeWorkGroupSize", 32), ("maxComputeWorkGroupInvocations", 64)] {
        let error = lowered(name, value)?.algorithm::<Wide>().map(|_| ()).expect_err(name);
        assert!(matches!(error, Error::WorkgroupTooLarge { .. }), "{name}: {error}");
    }
    let error = lowered("maxComputeSharedMemorySize", 512)?.algorithm::<Wide>().map(|_| ()).expect_err("1 KiB");
    assert!(matches!(error, Error::SharedMemoryTooLarge { asked: 1024, limit: 512, .. }), "{error}");
    let error = lowered("maxPushConstantsSize", 4)?.algorithm::<Three>().map(|_| ()).expect_err("more");
    assert!(matches!(error, Error::PushConstantsTooLarge { limit: 4, .. }), "{error}");
    let error = lowered("maxPerStageDescriptorStorageBuffers", 2)?.algorithm::<Three>().map(|_| ()).expect_err("three");
    assert!(matches!(error, Error::TooManyBuffers { limit: 2, .. }), "{error}");
    let mgr = lowered("maxStorageBufferRange", 256)?;
    let (a, mut c) = (mgr.tensor(&[1u32; 65])?, mgr.tensor(&[0u32; 65])?);
    let error = Three::dispatch(&mgr.sequence()?, Grid::items(65), &a, &a, &mut c).expect_err("260 bytes");
    assert!(matches!(error, Error::BufferTooLarge { asked: 260, limit: 256, .. }), "{error}");
    // Sizes only: a device with more than 4 GiB in one piece gets the tensor or tells, and never makes a smaller one.
    let mgr = lowered("maxMemoryAllocationSize", 5 << 30)?;
    let desc = |len| TensorDesc::<[u32; 64]> { name: "huge", contents: Contents::Uninit(len) };
    let error = mgr.tensor_with(desc((5 << 22) + 4)).map(|_| ()).expect_err("5 GiB and 1 KiB");
    assert!(matches!(error, Error::BufferTooLarge { asked, .. } if asked == (5 << 30) + 1024), "{error}");
    match mgr.tensor_with(desc((1 << 24) + 4)) {
        Ok(tensor) => assert_eq!(tensor.handle().bytes(), (4 << 30) + 1024),
        Err(error) => assert!(matches!(error, Error::OutOfMemory { .. } | Error::BufferTooLarge { .. }), "{error}"),
    }
    (faults.reset)();
    Ok(())
}

/// A driver's name, as Vulkan numbers them, for which integers are folded by scans.
const NVIDIA_PROPRIETARY: u64 = 4;

/// NVIDIA's driver folds integers by scans; this one does so as well where it is said to be that.
fn what_a_driver_gets_wrong_is_done_otherwise(faults: Control) -> Result<(), Failed> {
    let x: Vec<u32> = (0..128u32).map(|i| i.wrapping_mul(0x9e37_79b9) >> (i % 7)).collect();
    for driver in [None, Some(NVIDIA_PROPRIETARY)] {
        let mgr = open(faults, |faults| driver.into_iter().for_each(|id| (faults.limit)("driverID", id)))?;
        let (from, mut to) = (mgr.tensor(&x)?, mgr.tensor(&[UVec4::ZERO; 128])?);
        let seq = mgr.sequence()?;
        Folds::dispatch(&seq, Grid::items(128), &from, &mut to)?;
        seq.eval()?;
        let size = mgr.device().limits.subgroup.size as usize;
        let expected: Vec<UVec4> = (0..128)
            .map(|i| {
                let lanes = &x[i / size * size..][..size];
                let odd = lanes.iter().filter(|value| *value % 2 == 1).fold(0, |all, value| all ^ value);
                let sum = lanes.iter().fold(0u32, |all, value| all.wrapping_add(*value));
                let least = lanes.iter().map(|value| *value as i32).min().unwrap_or_default();
                let most = lanes.iter().map(|value| !value).max().unwrap_or_default();
                uvec4(sum, least as u32, if x[i] % 2 == 1 { odd } else { 0 }, most)
            })
            .collect();
        assert_eq!(to.to_vec()?, expected, "{driver:?}");
        // The four of the kernel, and nothing but what was asked for.
        let given = Given::to_the_driver(faults);
        let expected = if driver.is_none() { (4, 0) } else { (0, 4) };
        assert_eq!((given.reductions, given.scans), expected, "{driver:?}");
    }
    // Llvmpipe is not to know which floats are zeros, others may.
    for driver in [None, Some(NVIDIA_PROPRIETARY)] {
        let mgr = open(faults, |faults| driver.into_iter().for_each(|id| (faults.limit)("driverID", id)))?;
        let is_told = driver.is_some() || !mgr.device().driver.starts_with("llvmpipe");
        mgr.algorithm::<Vanishes>()?;
        assert_eq!(Given::to_the_driver(faults).products_with_zero > 0, is_told, "{driver:?}");
    }
    (faults.reset)();
    Ok(())
}

/// The contents of the modules that a driver was given.
#[derive(Default)]
struct Given {
    /// A subgroup's reductions of integers.
    reductions: usize,
    /// A subgroup's inclusive scans of integers.
    scans: usize,
    /// Products with a constant that is zero; as many as the items that an invocation has.
    products_with_zero: usize,
}

impl Given {
    fn to_the_driver(faults: Control) -> Self {
        let modules = (faults.modules)();
        assert!(!modules.is_empty(), "the driver was given something");
        let mut given = Self::default();
        for words in &modules {
            // Behind the header, each instruction begins with its length and its opcode.
            let (mut at, mut floats, mut zeros) = (5, Vec::new(), Vec::new());
            while let Some(length @ 1..) = words.get(at).map(|first| (first >> 16) as usize) {
                match (words[at] & 0xffff, &words[at + 1..at + length]) {
                    // OpGroupNonUniform: IAdd; SMin, UMin; SMax, UMax; BitwiseAnd, BitwiseOr, BitwiseXor.
                    (349 | 353 | 354 | 356 | 357 | 359..=361, [_, _, _, operation, ..]) => match operation {
                        0 => given.reductions += 1,
                        1 => given.scans += 1,
                        other => panic!("group operation {other}"),
                    },
                    // OpTypeFloat; OpConstant, OpConstantNull; OpFMul.
                    (22, [id, 32, ..]) => floats.push(*id),
                    (43, [ty, id, 0]) | (46, [ty, id]) if floats.contains(ty) => zeros.push(*id),
                    (133, [_, _, factors @ ..]) => {
                        given.products_with_zero += usize::from(factors.iter().any(|factor| zeros.contains(factor)));
                    }
                    _ => {}
                }
                at += length;
            }
            assert_eq!(at, words.len(), "whole instructions");
        }
        given
    }
}
