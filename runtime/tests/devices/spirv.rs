//! SPIR-V loaded at run time: launched by what it says of itself; refused where it, or what it is given, does not fit.

use gridwise_runtime::descriptor::{ImageAccess, ImageFormat};
use gridwise_runtime::image::{R32Uint, Rgba8Unorm, Rgba32Float, Sampler};
use gridwise_runtime::ops::OpFill;
use gridwise_runtime::{Algorithm, Constant, Error, Grid, Manager, Result, SpirvAlgorithm, SpirvCode, SpirvDesc};

use crate::harness::{On, cases};
use crate::ramp;

cases! {
    each: modules_that_are_none_are_refused;
    vulkan: constants_and_push_constants_arrive, images_are_bound_by_what_the_module_says, what_compilers_make_runs_in_order_with_everything_else,
        modules_without_bindings_run, modules_of_other_compilers_run, one_binding_for_two_buffers, one_tensor_at_two_bindings, elements_of_other_sizes_fit, arguments_have_to_fit, constants_have_to_fit, damaged_modules_do_not_crash_the_driver;
    once: the_host_device_runs_no_modules;
}

pub(crate) const SCALE: &[u8] = include_bytes!("../modules/scale.spv");
const BINS: &[u8] = include_bytes!("../modules/bins.spv");
const BLEND: &[u8] = include_bytes!("../modules/blend.spv");

pub(crate) fn load(manager: &Manager, bytes: &[u8], constants: &[(u32, Constant)]) -> Result<SpirvAlgorithm> {
    let desc = SpirvDesc { name: "module", code: SpirvCode::Bytes(bytes), entry_point: None, constants };
    // SAFETY: the modules stay within the buffers that the tests give them; damaged ones are not launched.
    unsafe { Algorithm::from_spirv(manager, &desc) }
}

pub(crate) const WIDE: (u32, Constant) = (7, Constant::U32(64));

fn constants_and_push_constants_arrive(on: On) {
    on.run(|manager| {
        let len = 1000;
        let from = manager.tensor(&ramp(len)).unwrap();
        let mut to = manager.tensor(&vec![-1.0f32; len]).unwrap();
        let scale = load(manager, SCALE, &[(0, 3.0f32.into()), (1, 5i32.into()), (3, true.into()), WIDE]).unwrap();
        assert_eq!((scale.workgroup(), scale.name()), ([64, 1, 1], "module"));
        let plain = scale.rebuild(&[WIDE]).unwrap();
        assert_eq!(
            (scale.constants().len(), scale.constants()[1], plain.constants()),
            (4, (1, 5i32.into()), &[WIDE][..])
        );
        let sequence = manager.sequence().unwrap();
        let launch = scale.launch(Grid::items(len)).read(0, &from).write(1, &mut to);
        assert!(launch.push_constants().is_empty());
        let launch = launch.push(&[900u32, 0.5f32.to_bits()]);
        assert_eq!(launch.push_constants(), [900u32.to_ne_bytes(), 0.5f32.to_ne_bytes()].concat());
        sequence.record(launch).unwrap();
        sequence.eval().unwrap();
        let expected = |i: usize| if i < 900 { -(3.0 * i as f32 + 0.5 + 5.0) } else { -1.0 };
        assert_eq!(to.to_vec().unwrap(), (0..len).map(expected).collect::<Vec<_>>());
        // The module's own constants; other launches keep theirs.
        let launch = plain.launch(Grid::groups(1)).read(0, &from).write(1, &mut to);
        sequence.record(launch.push_bytes(&[255, 255, 0, 0, 0, 0, 0, 0])).unwrap();
        for _ in 0..2 {
            sequence.eval().unwrap();
            let expected = |i: usize| if i < 64 { 2.0 * i as f32 - 1.0 } else { expected(i) };
            assert_eq!(to.to_vec().unwrap(), (0..len).map(expected).collect::<Vec<_>>());
        }
    });
}

fn modules_without_bindings_run(on: On) {
    let op = |code: u32, operands: &[u32]| [&[(operands.len() as u32 + 1) << 16 | code], operands].concat();
    let main = u32::from_le_bytes(*b"main");
    // A function that returns, `%3`, as the entry point.
    let words = [
        vec![0x0723_0203, 0x1_0500, 0, 5, 0],
        op(17, &[1]),
        op(14, &[0, 1]),
        op(15, &[5, 3, main, 0]),
        op(16, &[3, 17, 1, 1, 1]),
        op(19, &[1]),
        op(33, &[2, 1]),
        op(54, &[1, 3, 0, 2]),
        op(248, &[4]),
        op(253, &[]),
        op(56, &[]),
    ];
    let bytes: Vec<u8> = words.concat().into_iter().flat_map(u32::to_le_bytes).collect();
    on.run(|manager| {
        let module = load(manager, &bytes, &[]).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.record(module.launch(Grid::groups([3, 4, 5]))).unwrap().eval().unwrap();
        let nothing = manager.tensor(&[1u32]).unwrap();
        let result = sequence.record(module.launch(Grid::groups(1)).read(0, &nothing)).map(|_| ());
        assert!(matches!(result, Err(Error::ArgumentMismatch { .. })));
    });
}

fn what_compilers_make_runs_in_order_with_everything_else(on: On) {
    on.run(|manager| {
        let mut words = vec![0u32; 4 + 8 * 100];
        words[0] = 100;
        for item in 0..100 {
            let place = [1.0f32, 4.0, 9.0, -1.0].map(f32::to_bits);
            words[4 + 8 * item..][..4].copy_from_slice(&place);
            words[8 + 8 * item] = item as u32;
            words[9 + 8 * item] = 1.0f32.to_bits();
        }
        let items = manager.tensor(&words).unwrap();
        let mut bins = manager.tensor_of_len::<u32>(17).unwrap();
        let module = load(manager, BINS, &[]).unwrap();
        let sequence = manager.sequence().unwrap();
        for _ in 0..2 {
            sequence.record(OpFill::new(&mut bins, 0)).unwrap();
            sequence.record(module.launch(Grid::groups(2)).read(0, &items).write(1, &mut bins)).unwrap();
        }
        let profile = sequence.eval_profiled().unwrap();
        assert_eq!(profile.ops()[1].name, "module");
        let found = bins.to_vec().unwrap();
        let expected: Vec<u32> = (0..16).map(|bin| (0..100).filter(|item| item % 16 == bin).count() as u32).collect();
        assert_eq!(found[..16], expected);
        sequence.eval().unwrap();
        assert_eq!(bins.to_vec().unwrap()[..16], expected);
    });
}

fn modules_of_other_compilers_run(on: On) {
    on.run(|manager| {
        // Two sets: the second buffer is binding 1 of set 1.
        let scale = load(manager, include_bytes!("../modules/two_sets.spv"), &[WIDE]).unwrap();
        let from = manager.tensor(&[1.0f32, 2.0, 3.0]).unwrap();
        let mut to = manager.tensor_of_len::<f32>(3).unwrap();
        let sequence = manager.sequence().unwrap();
        let launch = scale.launch(Grid::items(3)).read(0, &from).write((1, 1), &mut to);
        sequence.record(launch.push(&[3u32, 1.5f32.to_bits()])).unwrap().eval().unwrap();
        assert_eq!(to.to_vec().unwrap(), [2.5, 4.5, 6.5]);
        let launch = scale.launch(Grid::items(3)).read(0, &from).write(1, &mut to);
        let error = manager.sequence().unwrap().record(launch.push(&[3u32, 0])).map(drop).unwrap_err();
        assert!(error.to_string().contains("binding 1: expected one of the bindings {0, (1, 1)}"), "{error}");
        // A uniform buffer, the older storage class, nothing `readonly`, also with the memory model `Simple`.
        let older = include_bytes!("../modules/older.spv");
        let mut words: Vec<u32> = older.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        let model = words.windows(3).position(|inst| inst == [3 << 16 | 14, 0, 1]).unwrap() + 2;
        for memory_model in [1, 0] {
            words[model] = memory_model;
            let desc = SpirvDesc { name: "older", code: SpirvCode::Words(&words), entry_point: None, constants: &[] };
            // SAFETY: the module stays within the two elements of each tensor.
            let module = unsafe { Algorithm::from_spirv(manager, &desc) }.unwrap();
            let factor = manager.tensor(&[2.0f32, 3.0, 4.0, 5.0]).unwrap();
            let from = manager.tensor(&ramp(8)).unwrap();
            let mut to = manager.tensor_of_len::<[f32; 4]>(2).unwrap();
            let launch = module.launch(Grid::groups(2)).read(0, &factor).read(1, &from).write(2, &mut to);
            manager.sequence().unwrap().record(launch).unwrap().eval().unwrap();
            assert_eq!(to.to_vec().unwrap(), [[0.0, 3.0, 8.0, 15.0], [8.0, 15.0, 24.0, 35.0]]);
        }
    });
}

fn one_binding_for_two_buffers(on: On) {
    on.run(|manager| {
        let sums = load(manager, include_bytes!("../modules/aliases.spv"), &[]).unwrap();
        let mut values = manager.tensor(&ramp(12)).unwrap();
        manager.sequence().unwrap().record(sums.launch(Grid::items(3)).write(0, &mut values)).unwrap().eval().unwrap();
        assert_eq!(values.to_vec().unwrap(), [6.0, 1.0, 2.0, 3.0, 22.0, 5.0, 6.0, 7.0, 38.0, 9.0, 10.0, 11.0]);
    });
}

fn one_tensor_at_two_bindings(on: On) {
    on.run(|manager| {
        let scale = load(manager, SCALE, &[WIDE]).unwrap();
        // SAFETY: each invocation reads the one element that it writes.
        let scale = unsafe { scale.aliasing() }.unwrap();
        let mut values = manager.tensor(&ramp(100)).unwrap();
        let push = [100u32, 1.0f32.to_bits()];
        let sequence = manager.sequence().unwrap();
        for _ in 0..3 {
            let launch = scale.launch(Grid::items(100)).read(0, &values).write(1, &mut values);
            sequence.record(launch.push(&push)).unwrap();
        }
        sequence.eval().unwrap();
        let expected: Vec<f32> = ramp(100).iter().map(|value| 8.0 * value).collect();
        assert_eq!(values.to_vec().unwrap(), expected);
        // What was asked for at first stays, with other constants too.
        let negated = scale.rebuild(&[WIDE, (3, true.into())]).unwrap();
        let launch = negated.launch(Grid::items(100)).read(0, &values).write(1, &mut values);
        manager.sequence().unwrap().record(launch.push(&push)).unwrap().eval().unwrap();
        assert_eq!(values.to_vec().unwrap()[3], -48.0);
    });
}

fn elements_of_other_sizes_fit(on: On) {
    on.run(|manager| {
        let older = load(manager, include_bytes!("../modules/older.spv"), &[]).unwrap();
        let launch = || older.launch(Grid::groups(1));
        let says = |launch: gridwise_runtime::ModuleLaunch, text: &str| {
            let error = manager.sequence().unwrap().record(launch).map(drop).unwrap_err();
            assert!(error.to_string().contains(text), "{error}");
        };
        let odd = manager.tensor(&[1.0f32; 7]).unwrap();
        says(launch().read(1, &odd), "expected whole elements of 16 bytes, as many elements as a multiple of 4");
        let bytes = manager.tensor(&[1u8; 64]).unwrap();
        says(launch().read(1, &bytes), "expected elements of 16 bytes");
        let long = manager.tensor(&ramp(64)).unwrap();
        let alignment = manager.device().limits.part_alignment as usize;
        if alignment < 16 {
            let part = long.part(alignment / 4..alignment / 4 + 8).unwrap();
            assert!(matches!(
                manager.sequence().unwrap().record(launch().read(1, &part)).map(drop),
                Err(Error::Misaligned { .. })
            ));
        }
        // The other way: `float[]`, and a tensor of vectors.
        let scale = load(manager, SCALE, &[WIDE]).unwrap();
        let from = manager.tensor(&[[1.0f32, 2.0, 3.0, 4.0]; 2]).unwrap();
        let mut to = manager.tensor_of_len::<f32>(8).unwrap();
        let launch = scale.launch(Grid::items(8)).read(0, &from).write(1, &mut to).push(&[8u32, 1.0f32.to_bits()]);
        manager.sequence().unwrap().record(launch).unwrap().eval().unwrap();
        assert_eq!(to.to_vec().unwrap(), [2.0, 4.0, 6.0, 8.0, 2.0, 4.0, 6.0, 8.0]);
    });
}

fn arguments_have_to_fit(on: On) {
    on.run(|manager| {
        let scale = load(manager, SCALE, &[WIDE]).unwrap();
        let from = manager.tensor(&[1.0f32; 8]).unwrap();
        let mut to = manager.tensor(&[1.0f32; 8]).unwrap();
        let mut bytes = manager.tensor(&[1u8; 64]).unwrap();
        let mut triples = manager.tensor(&[[1u16; 3]; 8]).unwrap();
        let sequence = manager.sequence().unwrap();
        let launch = || scale.launch(Grid::items(8));
        let refused = |launch: gridwise_runtime::ModuleLaunch, says: &str| {
            let error = sequence.record(launch).map(|_| ()).unwrap_err();
            assert!(error.to_string().contains(says), "{error}");
        };
        let push = [8u32, 0];
        refused(launch().push(&push), "binding 0: expected a tensor, found none");
        refused(launch().read(0, &from).push(&push), "binding 1: expected a tensor, found none");
        refused(launch().read(0, &from).write(1, &mut to), "push constants: expected 8 bytes, found none");
        refused(launch().read(0, &from).write(1, &mut to).push(&7u32), "expected 8 bytes, found 4 bytes");
        refused(launch().read(0, &from).write(1, &mut to).push(&[0u32; 5]), "expected 8 bytes, found 20 bytes");
        refused(launch().read(2, &from).push(&push), "expected one of the bindings {0, 1}");
        refused(launch().read(0, &from).read(0, &from).push(&push), "expected one tensor, found another");
        refused(launch().read(1, &from).push(&push), "a tensor that may be written");
        refused(launch().write(1, &mut bytes).push(&push), "expected elements of 4 bytes");
        refused(launch().write(1, &mut triples).push(&push), "expected elements of 4 bytes");
        let error = sequence.record(launch().read(0, &to).write(1, &mut to.clone_handle(manager)).push(&push));
        assert!(error.is_ok(), "two tensors");
        let alone = &mut to;
        let twice = scale.launch(Grid::items(8)).read(0, &*alone).write(1, alone).push(&push);
        let is_told = |error: &Error| {
            matches!(error, Error::AliasedTensor { tensor, .. } if tensor.place() == Some("binding 0 and binding 1"))
        };
        assert!(sequence.record(twice).is_err_and(|error| is_told(&error)));
        let wide = scale.launch(Grid::groups(1u64 << 31)).read(0, &from).write(1, &mut to).push(&push);
        assert!(matches!(sequence.record(wide).map(|_| ()), Err(Error::GridTooLarge { .. })));
        let nothing = scale.launch(Grid::items(0)).read(0, &from).write(1, &mut to).push(&push);
        sequence.clear().unwrap();
        sequence.record(nothing).unwrap().eval().unwrap();
        let other = crate::harness::open(gridwise_runtime::ManagerDesc::from_env().unwrap());
        let foreign = other.sequence().unwrap();
        let result = foreign.record(launch().read(0, &from).write(1, &mut to).push(&push)).map(|_| ());
        assert!(matches!(result, Err(Error::ForeignAlgorithm { .. })));
        let small = manager.tensor(&[0u32; 3]).unwrap();
        let bins = load(manager, BINS, &[]).unwrap();
        refused(bins.launch(Grid::groups(1)).read(0, &small), "binding 0 (`Items`): expected at least 16 bytes");
    });
}

fn images_are_bound_by_what_the_module_says(on: On) {
    on.run(|manager| {
        let blend = load(manager, BLEND, &[]).unwrap();
        let told: Vec<_> =
            blend.interface().images.iter().map(|image| (image.binding, image.access, image.format)).collect();
        let rgba8 = Some(ImageFormat::Rgba8Unorm);
        assert_eq!(
            told,
            [(0, ImageAccess::Load, rgba8), (1, ImageAccess::Store, rgba8), (3, ImageAccess::Sample, None)]
        );
        let mut from = manager.image_2d::<Rgba8Unorm>(9, 5).unwrap();
        from.write(&[[255, 0, 51, 102]; 45]).unwrap();
        let mut to = manager.image_2d::<Rgba8Unorm>(9, 5).unwrap();
        let mut pattern = manager.image_2d::<Rgba32Float>(9, 5).unwrap();
        let texels: Vec<[f32; 4]> = (0..45).map(|i| [0.0, if i % 2 == 1 { 0.2 } else { 0.0 }, 0.2, 0.0]).collect();
        pattern.write(&texels).unwrap();
        let pattern = pattern.sampled(Sampler::default()).unwrap();
        let sequence = manager.sequence().unwrap();
        let launch = || blend.launch(Grid::items([9, 5])).push(&0.5f32);
        sequence.record(launch().image(0, &from).image_mut(1, &mut to).sampled(3, &pattern)).unwrap().eval().unwrap();
        for (i, texel) in to.to_vec().unwrap().into_iter().enumerate() {
            let expected = [128, if i % 2 == 1 { 26 } else { 0 }, 102, 51];
            let is_near = texel.iter().zip(expected).all(|(a, b): (&u8, u8)| a.abs_diff(b) <= 1);
            assert!(is_near, "{i}: {texel:?}, {expected:?}");
        }
        let refused = |launch: gridwise_runtime::ModuleLaunch, says: &str| {
            let error = sequence.record(launch).map(|_| ()).unwrap_err();
            assert!(error.to_string().contains(says), "{error}");
        };
        let (words, line) = (manager.image_2d::<R32Uint>(9, 5).unwrap(), manager.image_1d::<Rgba8Unorm>(9).unwrap());
        let tensor = manager.tensor(&[0u32; 45]).unwrap();
        refused(launch().image(0, &from), "binding 1: expected an image, found none");
        refused(
            launch().image(0, &words),
            "expected & image of format Rgba8Unorm in 2 dimensions, found & image of format R32Uint",
        );
        refused(launch().image(0, &line), "found & image of format Rgba8Unorm in 1 dimensions");
        refused(launch().image(1, &from), "expected &mut image of format Rgba8Unorm");
        refused(launch().image(2, &from), "expected no image");
        refused(launch().image(3, &from), "expected an image with a sampler of Float texels in 2 dimensions");
        refused(
            launch().sampled(3, &words.sampled(Sampler::default()).unwrap()),
            "an image with a sampler of Float texels",
        );
        refused(launch().read(0, &tensor), "expected one of the bindings {}");
        refused(launch().image(0, &from).image(0, &from), "expected one image, found another");
        let alone = &mut to;
        let twice = launch().image(0, &*alone).image_mut(1, alone);
        let is_told = |error: &Error| {
            matches!(error, Error::AliasedTensor { tensor, .. } if tensor.place() == Some("binding 0 and binding 1"))
        };
        assert!(sequence.record(twice).is_err_and(|error| is_told(&error)));
    });
}

/// A second tensor, for what must not be the first.
trait CloneHandle {
    fn clone_handle(&self, manager: &Manager) -> gridwise_runtime::Tensor<f32>;
}

impl CloneHandle for gridwise_runtime::Tensor<f32> {
    fn clone_handle(&self, manager: &Manager) -> gridwise_runtime::Tensor<f32> {
        manager.tensor(&self.to_vec().unwrap()).unwrap()
    }
}

fn constants_have_to_fit(on: On) {
    on.run(|manager| {
        let says = |constants: &[(u32, Constant)], text: &str| {
            let error = load(manager, SCALE, constants).unwrap_err();
            assert!(error.to_string().contains(text), "{error}");
        };
        says(&[(0, 3u32.into())], "constant 0: expected f32, found a value of type u32");
        says(&[(3, 1u32.into())], "constant 3: expected bool, found a value of type u32");
        // A compiler may have left out a constant that decides nothing.
        assert!(load(manager, SCALE, &[WIDE, (2, 1u32.into())]).is_ok());
        says(&[WIDE, WIDE], "constant 7: expected one value, found another");
        says(&[(7, 0u32.into())], "workgroup [0, 1, 1]");
        says(&[(7, u32::MAX.into())], "exceeds the device's limits");
    });
}

fn modules_that_are_none_are_refused(on: On) {
    on.run(|manager| {
        let refused = |bytes: &[u8]| matches!(load(manager, bytes, &[]), Err(Error::ModuleRefused { .. }));
        assert!(refused(&[]) && refused(&SCALE[..SCALE.len() / 2]) && refused(&SCALE[4..]) && refused(&SCALE[..99]));
        assert!(refused(&[0xff; 4000]));
        let words: Vec<u32> = SCALE.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        let desc =
            SpirvDesc { name: "m", code: SpirvCode::Words(&words), entry_point: Some("nothing"), constants: &[] };
        // SAFETY: it is not launched.
        let error = unsafe { Algorithm::from_spirv(manager, &desc) }.unwrap_err();
        assert!(error.to_string().contains("no entry point `nothing`; there are `main`"), "{error}");
    });
}

fn the_host_device_runs_no_modules() {
    assert!(matches!(load(&Manager::host(), SCALE, &[]), Err(Error::NeedsVulkan { .. })));
}

fn damaged_modules_do_not_crash_the_driver(on: On) {
    let rounds = std::env::var("GRIDWISE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut number = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut damage = |module: &[u8]| {
        let mut damaged = module.to_vec();
        let at = number(damaged.len());
        match number(3) {
            0 => damaged[at] ^= 1 << number(8),
            1 => damaged[at] = number(256) as u8,
            _ => damaged[at & !3] = module[number(module.len()) & !3],
        }
        damaged
    };
    let damaged: Vec<_> =
        [SCALE, BINS, BLEND].iter().flat_map(|module| vec![*module; rounds]).map(&mut damage).collect();
    // The validation layer would tell of what the driver is given, and of nothing else here.
    let compiled =
        on.run_unvalidated(|manager| damaged.iter().filter(|module| load(manager, module, &[]).is_ok()).count());
    eprintln!("{compiled} of {} damaged modules are still modules", damaged.len());
}
