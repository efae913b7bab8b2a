//! `tune` on the device that `GRIDWISE_DEVICE` selects: it chooses among what was listed, leaves tensors as they were, remembers, and
//! says why a candidate cannot run.

use std::path::PathBuf;

use gridwise::image::{Image2D, ImageDesc, Levels, R32Float};
use gridwise::prelude::*;
use gridwise::{DeviceKind, Error, ManagerDesc, PipelineCache};

#[kernel(workgroup = N, N = [64, 32, 128], STEP = [1, 2])]
fn accumulate<const N: u32, const STEP: u32>(x: &[u32], y: &mut [u32]) {
    let first = global_id().x * STEP;
    for i in first..first + STEP {
        if i < y.len() as u32 {
            y[i] += x[i];
        }
    }
}

#[kernel(workgroup = 64, LEN = [64, 1048576])]
fn through_shared<const LEN: usize>(x: &mut [u32]) {
    let all = Shared::<[u32; LEN]>::new();
    let i = local_index();
    all[i] = x[i];
    barrier();
    x[i] = all[63 - i] + LEN as u32;
}

#[kernel(workgroup = N, N = [64, 128])]
fn never_seven<const N: u32>(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    y[i] = 1;
    assert!(x[i] != 7, "seven");
}

#[kernel(workgroup = [N, 1], N = [64, 128])]
fn brightens<const N: u32>(images: &mut [&mut Image2D<R32Float>], image: &mut Image2D<R32Float>) {
    let at = global_id().xy();
    image.store(at, image.load(at) + 1.0);
    images[0].store(at, images[0].load(at) + 1.0);
}

const LEN: usize = 1000;

/// A manager with a folder of its own for what it keeps, which goes with the second part.
fn manager() -> gridwise::Result<(Manager, Folder)> {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("gridwise-tuning-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let folder = Folder(std::env::temp_dir().join(name));
    let cache = PipelineCache::At(folder.0.clone());
    Ok((Manager::with(ManagerDesc { pipeline_cache: cache, ..ManagerDesc::from_env()? })?, folder))
}

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // There is none where nothing was kept.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn grid(constants: &[u64]) -> Grid {
    Grid::items(LEN.div_ceil(constants[1] as usize))
}

#[test]
fn the_fastest_of_all_combinations_is_chosen_and_remembered() -> gridwise::Result<()> {
    let (mgr, _folder) = manager()?;
    let x = mgr.tensor(&vec![3u32; LEN])?;
    let mut y = mgr.tensor(&(0..LEN as u32).collect::<Vec<_>>())?;
    let tuned = Accumulate::tune(&mgr, grid, &x, &mut y)?;
    let tried: Vec<_> = tuned.times().iter().map(|(candidate, _)| candidate.constants().to_vec()).collect();
    assert_eq!(tried, [[64, 1], [64, 2], [32, 1], [32, 2], [128, 1], [128, 2]]);
    let best = tuned.times().iter().filter_map(|(candidate, time)| Some((time.as_ref().ok()?, candidate.constants())));
    assert_eq!(best.min().map(|(_, constants)| constants), Some(tuned.constants()));
    assert_eq!((tuned.value("N"), tuned.value("STEP")), (Some(tuned.constants()[0]), Some(tuned.constants()[1])));
    assert_eq!(tuned.value("M"), None);
    // Dozens of runs later the tensor is as it was.
    assert_eq!(y.to_vec()?, (0..LEN as u32).collect::<Vec<_>>());

    let again = Accumulate::tune(&mgr, grid, &x, &mut y)?;
    assert!(again.is_remembered() && !tuned.is_remembered());
    assert_eq!(again.constants(), tuned.constants());
    // Other lengths are another question.
    let mut longer = mgr.tensor(&vec![0u32; 2 * LEN])?;
    assert!(!Accumulate::tune(&mgr, grid, &x, &mut longer)?.is_remembered());

    let seq = mgr.sequence()?;
    Accumulate::dispatch_tuned(&again, &seq, grid(again.constants()), &x, &mut y)?;
    seq.eval()?;
    assert_eq!(y.to_vec()?, (3..LEN as u32 + 3).collect::<Vec<_>>());
    Ok(())
}

#[test]
fn what_a_device_cannot_run_is_not_chosen() -> gridwise::Result<()> {
    let (mgr, _folder) = manager()?;
    let mut x = mgr.tensor(&[5u32; 64])?;
    let tuned = ThroughShared::tune(&mgr, |_| Grid::groups(1), &mut x)?;
    if mgr.device().kind == DeviceKind::Host {
        assert!(tuned.times().iter().all(|(_, time)| time.is_ok()), "{tuned:?}");
        return Ok(());
    }
    assert_eq!(tuned.constants(), [64]);
    let (candidate, time) = &tuned.times()[1];
    assert_eq!(candidate.constants(), [1 << 20]);
    assert!(matches!(time, Err(Error::SharedMemoryTooLarge { .. })), "{time:?}");
    assert_eq!(x.to_vec()?, [5; 64]);
    Ok(())
}

#[test]
fn a_choice_is_for_its_own_kernel() -> gridwise::Result<()> {
    let (mgr, _folder) = manager()?;
    let x = mgr.tensor(&[3u32; 64])?;
    let mut y = mgr.tensor(&[0u32; 64])?;
    let tuned = NeverSeven::tune(&mgr, |_| Grid::items(64), &x, &mut y)?;
    let seq = mgr.sequence()?;
    let error =
        Accumulate::dispatch_tuned(&tuned, &seq, Grid::items(64), &x, &mut y).map(drop).expect_err("another kernel");
    let is_told =
        matches!(&error, Error::ForeignChoice { kernel, of } if **kernel == *"accumulate" && **of == *"never_seven");
    assert!(is_told, "{error}");
    assert!(seq.is_empty());
    // A list of candidates is a kernel's own, too.
    let candidate = tuned.times()[0].0;
    let args = gridwise::KernelArgs::new::<Accumulate<64, 1>>().read(&x).write(&mut y);
    let error = mgr.tune(&[candidate], |_| Grid::items(64), args).expect_err("another kernel");
    assert!(matches!(error, Error::ForeignChoice { .. }), "{error}");
    assert_eq!(y.to_vec()?, [0; 64]);
    Ok(())
}

#[test]
fn a_launch_that_panics_is_an_error_and_undone() -> gridwise::Result<()> {
    let (mgr, _folder) = manager()?;
    let x = mgr.tensor(&(0..64).collect::<Vec<u32>>())?;
    let mut y = mgr.tensor(&[9u32; 64])?;
    let error = NeverSeven::tune(&mgr, |_| Grid::items(64), &x, &mut y).expect_err("a seven");
    assert!(matches!(&error, Error::KernelPanic { message, .. } if message == "seven"), "{error}");
    assert_eq!(y.to_vec()?, [9; 64]);
    Ok(())
}

#[test]
fn images_are_left_as_they_were() -> gridwise::Result<()> {
    let (mgr, _folder) = manager()?;
    let texels: Vec<f32> = (0..32).map(|texel| texel as f32).collect();
    let mut image = mgr.image_with::<R32Float, 2>(ImageDesc { name: "image", extent: [8, 4], levels: Levels::All })?;
    let mut listed = mgr.image_2d::<R32Float>(8, 4)?;
    image.write(&texels)?;
    image.write_level(1, &texels[..8])?;
    listed.write(&texels)?;
    match Brightens::tune(&mgr, |_| Grid::items([8, 4]), &mut [&mut listed], &mut image) {
        Err(Error::MissingFeature { .. }) => return Ok(()),
        tuned => assert_eq!(tuned?.times().len(), 2),
    }
    assert_eq!((image.to_vec()?, image.level_to_vec(1)?), (texels.clone(), texels[..8].to_vec()));
    assert_eq!(listed.to_vec()?, texels);
    Ok(())
}

#[test]
fn what_was_tuned_launches_its_own_kernel_only() -> gridwise::Result<()> {
    let (mgr, _folder) = manager()?;
    let x = mgr.tensor(&[1u32; 64])?;
    let mut y = mgr.tensor(&[2u32; 64])?;
    let tuned = Accumulate::tune(&mgr, |_| Grid::items(64), &x, &mut y)?;
    let seq = mgr.sequence()?;
    let error = NeverSeven::dispatch_tuned(&tuned, &seq, Grid::items(64), &x, &mut y).expect_err("another kernel");
    let text = error.to_string();
    assert!(text.contains("never_seven") && text.contains("accumulate"), "{text}");
    Ok(())
}
