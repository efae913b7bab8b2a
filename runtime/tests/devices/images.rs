//! Images: texels to and fro, copies with rows of any length, levels, and what cannot be.

use gridwise_runtime::descriptor::ImageFormat;
use gridwise_runtime::glam::{IVec2, UVec4, Vec3, Vec4};
use gridwise_runtime::half::f16;
use gridwise_runtime::image::*;
use gridwise_runtime::ops::{
    Access, OpClearImage, OpCopyImage, OpFill, OpGenerateLevels, OpSyncDevice, OpSyncHost, Recorder,
};
use gridwise_runtime::{DeviceKind, Error, ImageUse, Manager, Op, Result};

use crate::harness::{On, Outcome, cases, ignored};

cases! {
    each: images_of_all_formats_go_both_ways, images_of_all_dimensions_go_both_ways, large_images_go_in_pieces,
        rows_may_be_apart, clears_convert_as_formats_do, levels_are_means, images_that_cannot_be_are_errors,
        images_are_dropped_in_any_order, graphs_name_images,
        images_are_staged_and_synced;
}

/// Numbers that differ from their neighbours.
fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 151 + i / 256) as u8).collect()
}

/// Writes all levels of an image of this format, copies it by way of a tensor and another image, and reads it again.
fn round_trip<F: Format, const D: usize>(manager: &Manager, extent: [u32; D]) -> Result<()>
where
    Image<F, D>: Dimension,
    F::Raw: PartialEq + std::fmt::Debug,
{
    let desc = ImageDesc { name: F::FORMAT.name(), extent, levels: Levels::All };
    let mut image = manager.image_with::<F, D>(desc)?;
    assert!(image.to_vec()?.iter().all(|texel| F::encode(F::decode(*texel)) == *texel));
    let mut copy = manager.image_with::<F, D>(desc)?;
    for level in 0..image.levels() {
        let len = image.extent_of(level)?.iter().product::<u32>() as usize;
        let raw = bytes(len * F::FORMAT.bytes() as usize);
        let zeros = image.level_to_vec(level)?;
        assert_eq!(zeros.len(), len);
        // As the bytes are valid texels of all formats but floats, where a NaN would not be equal to itself.
        let texels: Vec<F::Raw> = raw.chunks(F::FORMAT.bytes() as usize).map(read_raw::<F>).collect();
        image.write_level(level, &texels)?;
        assert_eq!(image.level_to_vec(level)?, texels, "{} level {level}", F::FORMAT);
        let mut between = manager.tensor_of_len::<F::Raw>(len)?;
        let sequence = manager.sequence()?;
        sequence.record(OpCopyImage::to_tensor(&image, &mut between).level(level))?;
        sequence.record(OpCopyImage::from_tensor(&between, &mut copy).level(level))?;
        sequence.eval()?;
        assert_eq!(between.to_vec()?, texels);
        assert_eq!(copy.level_to_vec(level)?, texels);
    }
    let mut other = manager.image_with::<F, D>(desc)?;
    let sequence = manager.sequence()?;
    (0..image.levels())
        .try_for_each(|level| sequence.record(OpCopyImage::new(&copy, &mut other).level(level)).map(|_| ()))?;
    // The recording keeps what it names.
    drop(copy);
    sequence.eval()?;
    sequence.eval()?;
    for level in 0..image.levels() {
        assert_eq!(other.level_to_vec(level)?, image.level_to_vec(level)?);
    }
    Ok(())
}

/// A texel of these bytes, without patterns that floats have for NaN.
fn read_raw<F: Format>(raw: &[u8]) -> F::Raw {
    let mut raw = raw.to_vec();
    if F::FORMAT.kind() == gridwise_runtime::descriptor::TexelKind::Float {
        raw.iter_mut().for_each(|byte| *byte &= 0x3b);
    }
    let mut texel = std::mem::MaybeUninit::<F::Raw>::zeroed();
    // SAFETY: a raw texel has these bytes, any of which are valid.
    unsafe {
        std::ptr::copy_nonoverlapping(raw.as_ptr(), texel.as_mut_ptr().cast(), raw.len());
        texel.assume_init()
    }
}

fn images_of_all_formats_go_both_ways(on: On) {
    macro_rules! all {
        ($manager:ident, $($format:ident)+) => { $(
            match round_trip::<$format, 2>($manager, [13, 7]) {
                Err(Error::ImageUnsupported { usage: ImageUse::Any, format: ImageFormat::$format, .. }) => {
                    eprintln!("no images of {} on {}", ImageFormat::$format, $manager.device());
                }
                done => done.unwrap(),
            }
        )+ };
    }
    on.run(|manager| {
        all!(manager, R8Unorm R8Snorm R8Uint R8Sint Rg8Unorm Rg8Snorm Rg8Uint Rg8Sint Rgba8Unorm Rgba8Snorm Rgba8Uint Rgba8Sint
            Rgb10A2Unorm Rgb10A2Uint R16Unorm R16Snorm R16Uint R16Sint R16Float Rg16Unorm Rg16Snorm Rg16Uint Rg16Sint
            Rg16Float Rgba16Unorm Rgba16Snorm Rgba16Uint Rgba16Sint Rgba16Float R32Uint R32Sint R32Float Rg32Uint Rg32Sint
            Rg32Float Rgba32Uint Rgba32Sint Rgba32Float Rg11B10Float);
    });
}

fn images_of_all_dimensions_go_both_ways(on: On) {
    on.run(|manager| {
        round_trip::<Rgba8Uint, 1>(manager, [1]).unwrap();
        round_trip::<Rgba16Float, 1>(manager, [300]).unwrap();
        round_trip::<R32Uint, 2>(manager, [1, 257]).unwrap();
        round_trip::<Rgba8Unorm, 3>(manager, [5, 3, 4]).unwrap();
        round_trip::<Rgba32Float, 3>(manager, [1, 1, 9]).unwrap();
    });
}

fn large_images_go_in_pieces(on: On) {
    on.run(|manager| {
        let (width, height) = (1500u32, 1301u32);
        let texels: Vec<[f32; 4]> = (0..width * height).map(|i| [i as f32, 0.5, -1.0, 2.0]).collect();
        let mut image = manager.image_2d::<Rgba32Float>(width, height).unwrap();
        image.write(&texels).unwrap();
        assert_eq!(image.to_vec().unwrap(), texels);
        let texels: Vec<u32> = (0..200 * 150 * 160).collect();
        let mut image = manager.image_3d::<R32Uint>(200, 150, 160).unwrap();
        image.write(&texels).unwrap();
        assert_eq!(image.to_vec().unwrap(), texels);
    });
}

fn rows_may_be_apart(on: On) {
    on.run(|manager| {
        let texels: Vec<u32> = (0..15).collect();
        let mut image = manager.image_2d::<R32Uint>(5, 3).unwrap();
        image.write(&texels).unwrap();
        let mut rows = manager.tensor(&[99u32; 21]).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.record(OpFill::new(&mut rows, 7)).unwrap();
        sequence.record(OpCopyImage::to_tensor(&image, &mut rows).row_length(8)).unwrap();
        sequence.eval().unwrap();
        let expected: Vec<u32> = (0..21).map(|i| if i % 8 < 5 { i / 8 * 5 + i % 8 } else { 7 }).collect();
        assert_eq!(rows.to_vec().unwrap(), expected);
        let mut again = manager.image_2d::<R32Uint>(5, 3).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.record(OpCopyImage::from_tensor(&rows, &mut again).row_length(8)).unwrap();
        sequence.eval().unwrap();
        assert_eq!(again.to_vec().unwrap(), texels);
    });
}

fn clears_convert_as_formats_do(on: On) {
    on.run(|manager| {
        let mut unorm = manager.image_2d::<Rgba8Unorm>(3, 2).unwrap();
        let mut uint = manager.image_1d::<Rgba8Uint>(9).unwrap();
        let mut sint = manager.image_3d::<Rg16Sint>(2, 2, 2).unwrap();
        let mut float = manager.image_2d::<R16Float>(2, 2).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.record(OpClearImage::new(&mut unorm, Vec4::new(-1.0, 0.2, 2.0, 0.4))).unwrap();
        sequence.record(OpClearImage::new(&mut uint, UVec4::new(1, 255, 256, 513))).unwrap();
        sequence.record(OpClearImage::new(&mut sint, IVec2::new(-7, 40_000))).unwrap();
        sequence.record(OpClearImage::new(&mut float, 0.333)).unwrap();
        sequence.eval().unwrap();
        assert_eq!(unorm.to_vec().unwrap(), [[0, 51, 255, 102]; 6]);
        assert_eq!(uint.to_vec().unwrap(), [[1, 255, 0, 1]; 9]);
        assert_eq!(sint.to_vec().unwrap(), [[-7, 40_000u16 as i16]; 8]);
        assert_eq!(float.to_vec().unwrap(), [f16::from_f32(0.333); 4]);
    });
}

fn levels_are_means(on: On) -> Outcome {
    on.run(|manager| {
        let desc = ImageDesc { name: "levels", extent: [8, 4], levels: Levels::All };
        let mut image = manager.image_with::<R32Float, 2>(desc).unwrap();
        let texels: Vec<f32> = (0..32).map(|i| (i * i % 37) as f32).collect();
        image.write(&texels).unwrap();
        let sequence = manager.sequence().unwrap();
        match sequence.record(OpGenerateLevels::new(&mut image)) {
            Err(error @ Error::ImageUnsupported { usage: ImageUse::Scaled, .. }) => return ignored(error),
            recorded => recorded.unwrap().eval().unwrap(),
        }
        let mut before = texels;
        for level in 1..4 {
            let [width, height] = image.extent_of(level).unwrap().map(|side| side as usize);
            let wide = 2 * width;
            let mean = |at: usize| {
                let (x, y) = (2 * (at % width), 2 * (at / width));
                let tall = if level == 3 { 0 } else { wide };
                let corner = y * if level == 3 { 0 } else { wide } + x;
                (before[corner] + before[corner + 1] + before[corner + tall] + before[corner + tall + 1]) / 4.0
            };
            let expected: Vec<f32> = (0..width * height).map(mean).collect();
            let found = image.level_to_vec(level).unwrap();
            assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-3), "{found:?}, {expected:?}");
            before = found;
        }
        // Odd sides, where each texel covers a part of others: the device's filter may differ a little.
        let desc = ImageDesc { name: "odd", extent: [7, 5, 3], levels: Levels::All };
        let mut image = manager.image_with::<Rgba8Unorm, 3>(desc).unwrap();
        image.write(&[[10, 20, 30, 255]; 105]).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.record(OpGenerateLevels::new(&mut image)).unwrap().eval().unwrap();
        assert_eq!(image.level_to_vec(2).unwrap(), [[10, 20, 30, 255]]);
        assert_eq!(image.level_to_vec(1).unwrap(), [[10, 20, 30, 255]; 6]);
        Outcome::Done
    })
}

fn images_that_cannot_be_are_errors(on: On) {
    on.run(|manager| {
        let error = manager.image_2d::<R32Float>(4, 0).unwrap_err();
        assert!(matches!(error, Error::ImageExtent { extent: [4, 0, 1], .. }), "{error}");
        let large = manager.image_3d::<R8Uint>(1 << 20, 1 << 20, 1 << 20).unwrap_err();
        let is_told = matches!(large, Error::BufferTooLarge { unit: "texels", .. } | Error::ImageExtent { .. });
        assert!(is_told, "{large}");
        if manager.device().kind != DeviceKind::Host {
            let error = manager.image_1d::<R8Uint>(u32::MAX).unwrap_err();
            assert!(matches!(error, Error::ImageExtent { extent: [u32::MAX, 1, 1], .. }), "{error}");
        }
        for (levels, level) in [(0, 0), (4, 3)] {
            let desc = ImageDesc { name: "levels", extent: [4, 3], levels: Levels::Count(levels) };
            let error = manager.image_with::<R32Float, 2>(desc).unwrap_err();
            assert!(matches!(error, Error::ImageLevel { level: found, levels: 3, .. } if found == level), "{error}");
        }
        let mut image = manager.image_2d::<R32Float>(2, 2).unwrap();
        assert!(matches!(image.write(&[1.0; 3]), Err(Error::LengthMismatch { expected: 4, found: 3, .. })));
        assert!(matches!(image.level_to_vec(1), Err(Error::ImageLevel { level: 1, levels: 1, .. })));
        assert!(matches!(image.write_level(7, &[1.0]), Err(Error::ImageLevel { level: 7, .. })));
        let sequence = manager.sequence().unwrap();
        let mut small = manager.tensor_of_len::<f32>(3).unwrap();
        let mut large = manager.tensor_of_len::<Vec3>(5).unwrap();
        let refused = |op| sequence.record(op).map(|_| ()).unwrap_err();
        let error = refused(OpCopyImage::to_tensor(&image, &mut small));
        assert!(matches!(error, Error::LengthMismatch { expected: 16, found: 12, .. }), "{error}");
        let error = refused(OpCopyImage::from_tensor(&large, &mut image));
        assert!(matches!(error, Error::LengthMismatch { expected: 16, found: 60, .. }), "{error}");
        let error = refused(OpCopyImage::to_tensor(&image, &mut large).row_length(1));
        assert!(matches!(error, Error::RowTooShort { row_length: 1, width: 2, .. }), "{error}");
        let error = refused(OpCopyImage::to_tensor(&image, &mut large).row_length(u32::MAX));
        assert!(matches!(error, Error::LengthMismatch { found: 60, .. }), "{error}");
        let error = refused(OpCopyImage::to_tensor(&image, &mut large).level(1));
        assert!(matches!(error, Error::ImageLevel { level: 1, .. }), "{error}");
        let mut wide = manager.image_2d::<R32Float>(4, 1).unwrap();
        let error = refused(OpCopyImage::new(&image, &mut wide));
        assert!(matches!(error, Error::ImageMismatch { .. }), "{error}");
        let other = Manager::host();
        let mut foreign = other.image_2d::<R32Float>(2, 2).unwrap();
        let error = refused(OpCopyImage::new(&image, &mut foreign));
        assert!(matches!(error, Error::ForeignTensor { .. }), "{error}");
    });
}

fn images_are_dropped_in_any_order(on: On) {
    on.run(|manager| {
        let before = manager.statistics().tensors;
        let mut image = manager.image_2d::<Rgba8Unorm>(64, 64).unwrap();
        let mut copy = manager.image_2d::<Rgba8Unorm>(64, 64).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.record(OpClearImage::new(&mut image, Vec4::ONE)).unwrap();
        sequence.record(OpCopyImage::new(&image, &mut copy)).unwrap();
        drop(image);
        let running = sequence.eval_async().unwrap();
        drop(sequence);
        running.wait().unwrap();
        drop(running);
        assert_eq!(copy.to_vec().unwrap(), [[255; 4]; 64 * 64]);
        drop(copy);
        assert_eq!(manager.statistics().tensors, before);
        let images: Vec<_> = (0..300).map(|side| manager.image_2d::<R8Unorm>(1 + side, 3).unwrap()).collect();
        assert!(manager.statistics().allocations < 20, "{}", manager.statistics());
        drop(images);
    });
}

fn graphs_name_images(on: On) {
    on.run(|manager| {
        let desc = ImageDesc { name: "photo", extent: [4, 4], levels: Levels::One };
        let mut image = manager.image_with::<Rgba8Unorm, 2>(desc).unwrap();
        let mut texels = manager.tensor_of_len::<u32>(16).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.record(OpClearImage::new(&mut image, Vec4::ONE)).unwrap();
        sequence.record(OpCopyImage::to_tensor(&image, &mut texels)).unwrap();
        let dot = sequence.to_dot();
        assert!(dot.contains("read after write: photo [0..64]"), "{dot}");
    });
}

fn images_are_staged_and_synced(on: On) {
    on.run(|manager| {
        let desc = ImageDesc { name: "staged", extent: [3, 2], levels: Levels::All };
        let mut image = manager.image_with::<R8Unorm, 2>(desc).unwrap();
        let numbers = manager.tensor(&[5u32]).unwrap();
        assert_eq!(image.staged().unwrap(), [0; 6], "zeros at first");
        let (up, down) = (manager.sequence().unwrap(), manager.sequence().unwrap());
        up.record(OpSyncDevice::image(&image)).unwrap();
        down.record(OpSyncHost::all([image.handle(), numbers.handle()])).unwrap();
        for round in 1..3 {
            let texels = [round, 2, 3, 4, 5, 6];
            image.stage(&texels).unwrap();
            assert_ne!(image.to_vec().unwrap(), texels, "not before it is uploaded");
            up.eval().unwrap();
            assert_eq!(image.to_vec().unwrap(), texels);
            assert_eq!(image.level_to_vec(1).unwrap(), [0], "the first level only");
            image.write(&[round; 6]).unwrap();
            assert_eq!(image.staged().unwrap(), texels, "not before it is downloaded");
            down.eval().unwrap();
            assert_eq!((image.staged().unwrap(), numbers.staged().unwrap()), (vec![round; 6], vec![5]));
        }
        let error = image.stage(&[0; 7]).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { expected: 6, found: 7, .. }), "{error}");
        // What has no type is no tensor for that.
        for access in [Access::read(image.handle()), Access::write(image.handle())] {
            let error = manager.sequence().unwrap().record(Bytes(access)).map(|_| ()).unwrap_err();
            assert!(matches!(&error, Error::NotATensor { image, .. } if image == "staged"), "{error}");
        }
    });
}

/// Copies the bytes of what it names, or fills them.
struct Bytes(Access);

impl Op for Bytes {
    fn name(&self) -> &str {
        "bytes"
    }

    fn accesses(&self) -> Vec<Access> {
        vec![self.0.clone()]
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        match self.0.is_write {
            true => recorder.fill(&self.0.tensor, 1u8),
            false => recorder.copy_bytes(&self.0.tensor, 0, &self.0.tensor, 0, 1),
        }
    }
}
