//! Programs that together go all of the runtime's ways to Vulkan.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use gridwise::image::{Image2D, R32Uint};
use gridwise::ops::{
    OpBarrier, OpCopy, OpCopyImage, OpFill, OpHost, OpMultiply, OpSignal, OpSyncDevice, OpSyncHost, OpWait,
};
use gridwise::prelude::*;
use gridwise::{
    Contents, DeviceInfo, DeviceKind, Error, Kernel, ManagerDesc, MemoryKind, PipelineCache, QueueChoice, Result,
    TensorDesc, include_spirv,
};

include_spirv!("../../../../runtime/tests/modules/scale.spv");

/// The words that a program of this file found.
pub(crate) type Words = Vec<u32>;

/// The findings of a program.
#[derive(Debug, Clone)]
pub(crate) enum Found {
    /// The same each time.
    Words(Words),
    /// With how far each output may differ from one time to the next: sums of floats are made in any order.
    #[cfg(feature = "corpus")]
    Outputs(Vec<gridwise_tests::case::Output>),
}

impl Found {
    /// How it differs from what was found another time.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        match (self, other) {
            (Self::Words(one), Self::Words(other)) => (one != other).then(|| "other words".to_owned()),
            #[cfg(feature = "corpus")]
            (Self::Outputs(one), Self::Outputs(other)) if one.len() == other.len() => {
                one.iter().zip(other).find_map(|(one, other)| one.difference(other))
            }
            #[cfg(feature = "corpus")]
            _ => Some("other outputs".to_owned()),
        }
    }

    /// Whether it takes errors for results: panics of kernels are what some of the corpus is about.
    pub(crate) fn has_errors(&self) -> bool {
        match self {
            Self::Words(_) => false,
            #[cfg(feature = "corpus")]
            Self::Outputs(outputs) => {
                outputs.iter().any(|output| matches!(output, gridwise_tests::case::Output::Report(_)))
            }
        }
    }
}

/// A program.
#[derive(Clone)]
pub(crate) struct Program {
    /// Its name.
    pub(crate) name: &'static str,
    /// Whether the manager does without what not all devices have.
    is_baseline: bool,
    /// Whether compiled pipelines are kept on disk.
    is_cached: bool,
    run: Run,
}

#[derive(Clone, Copy)]
enum Run {
    Own(fn(&Manager) -> Result<Words>),
    #[cfg(feature = "corpus")]
    Corpus(gridwise_tests::case::Case),
}

impl Program {
    /// Runs it.
    pub(crate) fn run(&self, mgr: &Manager) -> Result<Found> {
        match self.run {
            Run::Own(run) => run(mgr).map(Found::Words),
            #[cfg(feature = "corpus")]
            Run::Corpus(case) => (case.run)(mgr).map(Found::Outputs),
        }
    }

    /// The name of its trial.
    pub(crate) fn trial(&self) -> String {
        match self.run {
            Run::Own(_) => format!("sweep::{}", self.name),
            #[cfg(feature = "corpus")]
            Run::Corpus(_) => format!("corpus::{}", self.name),
        }
    }

    /// Whether all that it does is to copy.
    pub(crate) fn has_no_kernels(&self) -> bool {
        ["transfers_on_less", "images"].contains(&self.name)
    }

    /// Whether a device has what its kernels need.
    pub(crate) fn is_possible(&self, device: &DeviceInfo) -> bool {
        let has_kernels = match self.run {
            Run::Own(_) => self.name != "image_lists" || has_all(device, Layers::DESCRIPTOR),
            #[cfg(feature = "corpus")]
            Run::Corpus(case) => case.kernels.iter().all(|kernel| {
                let has_operations = device.limits.subgroup.operations.contains(kernel.parallel.subgroup_operations);
                has_operations && has_all(device, kernel)
            }),
        };
        has_kernels && device.kind != DeviceKind::Host
    }

    /// How its manager is made, but for the device.
    pub(crate) fn desc(&self) -> ManagerDesc {
        let folder = std::env::temp_dir().join(format!("gridwise-faults-{}", std::process::id()));
        let pipeline_cache = if self.is_cached { PipelineCache::At(folder) } else { PipelineCache::Off };
        let queues = if self.name == "queues" { QueueChoice::AtLeast(2) } else { QueueChoice::default() };
        ManagerDesc { baseline_only: self.is_baseline, pipeline_cache, queues, ..ManagerDesc::default() }
    }
}

fn has_all(device: &DeviceInfo, kernel: &gridwise::descriptor::KernelDescriptor) -> bool {
    kernel.features.iter().all(|needed| device.has(needed.feature))
}

/// The programs, the smallest first.
pub(crate) const ALL: &[Program] = &[
    Program { name: "launch", is_baseline: false, is_cached: false, run: Run::Own(launch) },
    Program { name: "launch_on_less", is_baseline: true, is_cached: false, run: Run::Own(launch) },
    Program { name: "cached", is_baseline: false, is_cached: true, run: Run::Own(launch) },
    Program { name: "operations", is_baseline: false, is_cached: false, run: Run::Own(operations) },
    Program { name: "operations_on_less", is_baseline: true, is_cached: false, run: Run::Own(operations) },
    Program { name: "transfers_on_less", is_baseline: true, is_cached: false, run: Run::Own(transfers) },
    Program { name: "reports", is_baseline: false, is_cached: false, run: Run::Own(reports) },
    Program { name: "profiled", is_baseline: false, is_cached: false, run: Run::Own(profiled) },
    Program { name: "asynchronous", is_baseline: false, is_cached: false, run: Run::Own(asynchronous) },
    Program { name: "module", is_baseline: false, is_cached: false, run: Run::Own(module) },
    Program { name: "queues", is_baseline: false, is_cached: false, run: Run::Own(queues) },
    Program { name: "host_calls", is_baseline: false, is_cached: false, run: Run::Own(host_calls) },
    Program { name: "images", is_baseline: false, is_cached: false, run: Run::Own(images) },
    Program { name: "indirect", is_baseline: false, is_cached: false, run: Run::Own(indirect) },
    Program { name: "lists", is_baseline: false, is_cached: false, run: Run::Own(lists) },
    Program { name: "tables", is_baseline: false, is_cached: false, run: Run::Own(tables) },
    Program { name: "image_lists", is_baseline: false, is_cached: false, run: Run::Own(image_lists) },
    Program { name: "texels", is_baseline: false, is_cached: false, run: Run::Own(texels) },
    Program { name: "texels_on_less", is_baseline: true, is_cached: false, run: Run::Own(texels) },
    Program { name: "mapped", is_baseline: false, is_cached: false, run: Run::Own(mapped) },
    #[cfg(unix)]
    Program { name: "shared", is_baseline: false, is_cached: false, run: Run::Own(shared) },
    Program { name: "fused", is_baseline: false, is_cached: false, run: Run::Own(fused) },
];

/// All programs, those of the corpus included where it is compiled in: all of them, or as many as `GRIDWISE_FAULTS_SAMPLE` says,
/// which `GRIDWISE_SEED` chooses.
pub(crate) fn all() -> Vec<Program> {
    #[cfg(feature = "corpus")]
    let more = sample(gridwise_tests::kernels::all()).into_iter().map(|case| Program {
        name: case.name,
        is_baseline: false,
        is_cached: false,
        run: Run::Corpus(case),
    });
    #[cfg(not(feature = "corpus"))]
    let more = [];
    ALL.iter().cloned().chain(more).collect()
}

#[cfg(feature = "corpus")]
fn sample(mut cases: Vec<gridwise_tests::case::Case>) -> Vec<gridwise_tests::case::Case> {
    let number = |name| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let Some(wanted) = number("GRIDWISE_FAULTS_SAMPLE") else { return cases };
    let mut state = number("GRIDWISE_SEED").unwrap_or(0);
    let mut chosen = Vec::new();
    while (chosen.len() as u64) < wanted && !cases.is_empty() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        chosen.push(cases.swap_remove((state >> 33) as usize % cases.len()));
    }
    chosen
}

#[kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = a * x[i] + y[i];
}

#[kernel]
fn fuse(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = x[i].mul_add(x[i], y[i]);
}

#[kernel]
fn tells(y: &mut [u32]) {
    let i = global_id().x;
    println!("{i}");
    assert!(y[i] < 7, "seven");
    y[i] += i;
}

#[kernel]
fn gather(parts: &[&[f32]], y: &mut [f32]) {
    let i = global_id().x;
    for k in 0..parts.len() {
        y[i] += parts[k][i as usize % parts[k].len()];
    }
}

fn bits(values: &[f32]) -> Words {
    values.iter().map(|value| value.to_bits()).collect()
}

fn lists(mgr: &Manager) -> Result<Words> {
    let parts = [mgr.tensor(&[1.5f32; 50])?, mgr.tensor(&[0.5f32, 2.0])?];
    let mut y = mgr.tensor(&[0.25f32; 500])?;
    let seq = mgr.sequence()?;
    Gather::dispatch(&seq, Grid::items(500), &parts.each_ref(), &mut y)?;
    Gather::dispatch(&seq, Grid::items(20), &[], &mut y)?;
    drop(parts);
    seq.eval()?;
    Ok(bits(&y.to_vec()?))
}

fn tables(mgr: &Manager) -> Result<Words> {
    let parts = [mgr.tensor(&[1.5f32; 50])?, mgr.tensor(&[0.5f32, 2.0])?, mgr.tensor(&[3.0f32; 7])?];
    let mut y = mgr.tensor(&[0.25f32; 500])?;
    let (seq, table) = (mgr.sequence()?, mgr.table(&[&parts[0], &parts[1]])?);
    Gather::dispatch(&seq, Grid::items(500), &table, &mut y)?;
    seq.eval()?;
    table.set(1, &parts[2])?;
    drop(parts);
    seq.eval()?;
    Ok(bits(&y.to_vec()?))
}

fn launch(mgr: &Manager) -> Result<Words> {
    let x = mgr.tensor(&[1.5f32; 500])?;
    let mut y = mgr.tensor(&[0.25f32; 500])?;
    let seq = mgr.sequence()?;
    Saxpy::dispatch(&seq, Grid::items(500), 2.0, &x, &mut y)?;
    seq.eval()?;
    seq.eval()?;
    y.write(&y.to_vec()?)?;
    Saxpy::dispatch(&seq, Grid::items(400), 1.0, &x, &mut y)?;
    seq.eval()?;
    Ok(bits(&y.to_vec()?))
}

fn operations(mgr: &Manager) -> Result<Words> {
    let mut x = mgr.tensor_of_len::<f32>(300)?;
    let mut y = mgr.tensor(&[2.0f32; 300])?;
    let mut z = mgr.tensor_of_len::<f32>(300)?;
    let mut odd = mgr.tensor_of_len::<[u32; 3]>(9000)?;
    let seq = mgr.sequence()?;
    x.stage(&[3.0; 300])?;
    seq.record(OpSyncDevice::new(&x))?
        .record(OpFill::new(&mut odd, [1, 2, 3]))?
        .record(OpMultiply::new(&x, &y, &mut z))?
        .record(OpBarrier)?
        .record(OpCopy::new(&z, &mut y))?
        .record(OpSyncHost::new(&y))?;
    seq.eval()?;
    let second = mgr.sequence()?;
    Saxpy::dispatch(&second, Grid::items(300), 1.0, &y, &mut z)?;
    second.eval()?;
    seq.eval()?;
    mgr.trim();
    let words = [bits(&y.staged()?), bits(&z.to_vec()?), odd.to_vec()?[8997..].concat()];
    Ok(words.concat())
}

fn transfers(mgr: &Manager) -> Result<Words> {
    // Two pieces of staging, the second one short.
    let data: Vec<u32> = (0..(9 << 18)).collect();
    let mut tensor = mgr.tensor(&data)?;
    tensor.write(&data)?;
    let found = tensor.to_vec()?;
    mgr.trim();
    let whole = found == data;
    let rest = tensor.view(|values| values[values.len() - 1])?;
    Ok(vec![whole.into(), rest])
}

#[kernel(workgroup = 8)]
fn layers(from: &[&Image2D<R32Uint>], to: &mut [&mut Image2D<R32Uint>], sums: &mut [u32]) {
    let i = global_id().x;
    let at = uvec2(i % 8, i / 8);
    for k in 0..from.len() {
        sums[i] += from[k].load(at);
    }
    for k in 0..to.len() {
        to[k].store(at, sums[i] + k as u32);
    }
}

fn image_lists(mgr: &Manager) -> Result<Words> {
    let image = |first: u32| {
        let mut image = mgr.image_2d::<R32Uint>(8, 8)?;
        image.write(&(first..first + 64).collect::<Vec<_>>())?;
        Ok::<_, Error>(image)
    };
    let (from, mut to) = ([image(1)?, image(100)?, image(1000)?], [image(0)?, image(0)?]);
    let mut sums = mgr.tensor(&[0u32; 64])?;
    let seq = mgr.sequence()?;
    Layers::dispatch(&seq, Grid::items(64), &from.each_ref(), &mut to.each_mut(), &mut sums)?;
    Layers::dispatch(&seq, Grid::items(64), &[&from[1]], &mut [], &mut sums)?;
    drop(from);
    seq.eval()?;
    Ok([sums.to_vec()?, to[0].to_vec()?, to[1].to_vec()?].concat())
}

#[kernel]
fn fetch(#[texels] x: &[UVec2], y: &mut [u32]) {
    let i = global_id().x;
    y[i] += x[i].x * 3 + x[i].y;
}

/// Two parts of one tensor, and what is recorded twice.
fn texels(mgr: &Manager) -> Result<Words> {
    let pairs: Vec<UVec2> = (0..64).map(|i| UVec2::new(i, 100 + i)).collect();
    let (x, mut y) = (mgr.tensor(&pairs)?, mgr.tensor(&[1u32; 16])?);
    for from in [0, 32] {
        let seq = mgr.sequence()?;
        let part = x.part(from..from + 16)?;
        Fetch::dispatch(&seq, Grid::items(16), &part, &mut y)?;
        seq.eval()?;
        seq.eval()?;
    }
    y.to_vec()
}

fn indirect(mgr: &Manager) -> Result<Words> {
    let x = mgr.tensor(&[1.0f32; 128])?;
    let mut y = mgr.tensor(&[0.0f32; 128])?;
    let mut counts = mgr.tensor(&[1u32; 3])?;
    let seq = mgr.sequence()?;
    Saxpy::dispatch(&seq, Grid::indirect(&counts), 2.0, &x, &mut y)?;
    seq.eval()?;
    counts.write(&[u32::MAX, 1, 1])?;
    let is_refused = match seq.eval() {
        Err(Error::IndirectGridTooLarge { .. }) => 1,
        Err(error) => return Err(error),
        Ok(()) => 0,
    };
    Ok([bits(&y.to_vec()?), vec![is_refused]].concat())
}

fn mapped(mgr: &Manager) -> Result<Words> {
    let desc = |name| TensorDesc { name, contents: Contents::Data(&[1.0f32; 64]) };
    let mut x = mgr.tensor_in(MemoryKind::Upload, desc("x"))?;
    let mut y = mgr.tensor_in(MemoryKind::Readback, desc("y"))?;
    x.map_mut()?[1] = 3.0;
    let seq = mgr.sequence()?;
    Saxpy::dispatch(&seq, Grid::items(64), 2.0, &x, &mut y)?;
    seq.eval()?;
    let view = y.map()?;
    Ok(bits(&view))
}

/// With itself: what is exported and imported is the same as with another manager.
#[cfg(unix)]
fn shared(mgr: &Manager) -> Result<Words> {
    let desc = TensorDesc { name: "shared", contents: Contents::Data(&[1.0f32; 64]) };
    let mine = mgr.shareable_tensor(desc)?;
    let mut yours = mgr.tensor_from_shared::<f32>("yours", mine.share()?)?;
    let x = mgr.tensor(&[2.0f32; 64])?;
    let seq = mgr.sequence()?;
    Saxpy::dispatch(&seq, Grid::items(64), 2.0, &x, &mut yours)?;
    seq.eval()?;
    Ok(bits(&mine.to_vec()?))
}

fn reports(mgr: &Manager) -> Result<Words> {
    let mut y = mgr.tensor(&[0u32; 64])?;
    let seq = mgr.sequence()?;
    Tells::dispatch(&seq, Grid::items(64), &mut y)?;
    seq.eval()?;
    let count = match seq.eval() {
        Err(Error::KernelPanic { count, .. }) => count,
        Err(error) => return Err(error),
        Ok(()) => 0,
    };
    Ok([y.to_vec()?, vec![count]].concat())
}

fn profiled(mgr: &Manager) -> Result<Words> {
    let x = mgr.tensor(&[1.0f32; 100])?;
    let mut y = mgr.tensor(&[0.0f32; 100])?;
    let seq = mgr.sequence()?;
    Saxpy::dispatch(&seq, Grid::items(100), 2.0, &x, &mut y)?;
    seq.record(OpFill::new(&mut mgr.tensor_of_len::<u32>(8)?, 1))?;
    let ops = seq.eval_profiled()?.ops().len() as u32;
    seq.eval()?;
    Ok([bits(&y.to_vec()?), vec![ops]].concat())
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return value;
        }
        thread::park();
    }
}

fn asynchronous(mgr: &Manager) -> Result<Words> {
    let x = mgr.tensor(&[1.0f32; 50_000])?;
    let (mut y, mut z) = (mgr.tensor(&[0.0f32; 50_000])?, mgr.tensor(&[0.0f32; 50_000])?);
    let (first, second) = (mgr.sequence()?, mgr.sequence()?);
    for _ in 0..8 {
        Saxpy::dispatch(&first, Grid::items(50_000), 2.0, &x, &mut y)?;
    }
    Saxpy::dispatch(&second, Grid::items(50_000), 2.0, &y, &mut z)?;
    let running = first.eval_async()?;
    // Nobody waits for this one but what comes after.
    drop(second.eval_async()?);
    block_on(running)?;
    let again = second.eval_async();
    match again {
        Ok(running) => while !running.wait_timeout(Duration::from_millis(5))? {},
        Err(Error::SequenceInFlight { .. }) => {}
        Err(error) => return Err(error),
    }
    while second.is_running() {
        thread::yield_now();
    }
    drop(first);
    let z = z.to_vec()?;
    // One run of the second sequence or two.
    Ok(vec![u32::from(z[49_999] == 32.0 || z[49_999] == 64.0)])
}

fn module(mgr: &Manager) -> Result<Words> {
    let constants = ScaleConstants { factor: 3.0, constant7: 64, ..Default::default() };
    // SAFETY: the module stays below `count`.
    let scale = unsafe { Scale::new(mgr, constants) }?;
    let from = mgr.tensor(&[1.0f32, 2.0, 3.0])?;
    let mut to = mgr.tensor(&[0.0f32; 3])?;
    let seq = mgr.sequence()?;
    scale.dispatch(&seq, Grid::items(3), 2, 0.5, &from, &mut to)?;
    seq.eval()?;
    Ok(bits(&to.to_vec()?))
}

fn queues(mgr: &Manager) -> Result<Words> {
    let x = mgr.tensor(&[1.0f32; 1000])?;
    let mut y = mgr.tensor(&[0.0f32; 1000])?;
    let (first, second) = (mgr.sequence_on(0)?, mgr.sequence_on(1)?);
    let event = mgr.event();
    Saxpy::dispatch(&first, Grid::items(1000), 2.0, &x, &mut y)?;
    first.record(OpSignal::new(&event))?;
    second.record(OpWait::new(&event))?;
    Saxpy::dispatch(&second, Grid::items(1000), 1.0, &x, &mut y)?;
    let running = first.eval_async()?;
    second.eval()?;
    running.wait()?;
    Ok(bits(&y.to_vec()?))
}

fn host_calls(mgr: &Manager) -> Result<Words> {
    let x = mgr.tensor(&[1.0f32; 1000])?;
    let y = Arc::new(Mutex::new(mgr.tensor(&[0.0f32; 1000])?));
    let lock = |y: &Mutex<Tensor<f32>>| y.lock().unwrap_or_else(PoisonError::into_inner).to_vec();
    let seq = mgr.sequence()?;
    Saxpy::dispatch(&seq, Grid::items(1000), 2.0, &x, &mut y.lock().unwrap_or_else(PoisonError::into_inner))?;
    let between = y.clone();
    seq.record(OpHost::fallible(move || {
        let mut y = between.lock().unwrap_or_else(PoisonError::into_inner);
        let doubled: Vec<f32> = y.to_vec()?.iter().map(|value| value * 2.0).collect();
        y.write(&doubled)
    }))?;
    Saxpy::dispatch(&seq, Grid::items(1000), 1.0, &x, &mut y.lock().unwrap_or_else(PoisonError::into_inner))?;
    seq.eval()?;
    block_on(seq.eval_async()?)?;
    Ok(bits(&lock(&y)?))
}

fn images(mgr: &Manager) -> Result<Words> {
    let mut image = mgr.image_2d::<R32Uint>(40, 30)?;
    let texels: Vec<u32> = (0..1200).collect();
    image.write(&texels)?;
    let mut tensor = mgr.tensor_of_len::<u32>(1200)?;
    let mut copy = mgr.image_2d::<R32Uint>(40, 30)?;
    let seq = mgr.sequence()?;
    seq.record(OpCopyImage::to_tensor(&image, &mut tensor))?;
    seq.record(OpCopyImage::new(&image, &mut copy))?;
    seq.eval()?;
    Ok([tensor.to_vec()?, copy.to_vec()?].concat())
}

fn fused(mgr: &Manager) -> Result<Words> {
    let x = mgr.tensor(&[1.000_000_1f32; 10])?;
    let mut y = mgr.tensor(&[-1.0f32; 10])?;
    let seq = mgr.sequence()?;
    Fuse::dispatch(&seq, Grid::items(10), &x, &mut y)?;
    seq.eval()?;
    Ok(bits(&y.to_vec()?))
}
