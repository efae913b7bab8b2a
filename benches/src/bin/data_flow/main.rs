//! The cost of data on its way, and the gain of several queues: transfers beside copies by hand, streaming beside the
//! bus, two sequences on two queues beside one, small tensors, algorithms that were seen before.
//!
//! Takes GiB to stream (default 1) as its only argument, or `lanes` and MiB: then it tries ways to transfer so many by hand.
//! Needs nothing at run time but the Vulkan loader.

mod lanes;
mod raw;

use std::error::Error;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Duration;

use gridwise::ops::OpCopy;
use gridwise::prelude::*;
use gridwise::{Algorithm, Contents, ManagerDesc, MemoryKind, PipelineCache, QueueChoice, Stream, TensorDesc};
use gridwise_benches::raw::{RawBuffer, RawDevice};
use gridwise_benches::{Samples, interleave, time};

use crate::lanes::{Data, Lanes, Place, Plan};
use crate::raw::RawCopy;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[kernel(workgroup = 256)]
fn scale(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = a * x[i];
}

/// Long, and too small to fill a GPU.
#[kernel(workgroup = 64)]
fn spin(rounds: u32, y: &mut [f32]) {
    let i = global_id().x;
    let mut value = y[i];
    for _ in 0..rounds {
        value = value * 0.999 + 0.5;
    }
    y[i] = value;
}

const MIB: usize = 1 << 20;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, rest @ ..] = &arguments[..]
        && first == "lanes"
    {
        return try_lanes(rest.first().map_or(Ok(256), |text| text.parse())?);
    }
    let gibs: usize = std::env::args().nth(1).map_or(Ok(1), |text| text.parse())?;
    let manager = Manager::with(ManagerDesc { queues: QueueChoice::Best, ..ManagerDesc::from_env()? })?;
    println!("{}", manager.device());
    for (at, queue) in manager.queues().iter().enumerate() {
        println!("queue {at}: {:?} of family {}", queue.kind, queue.family);
    }
    let raw = RawDevice::open(&manager.device().name)?;
    for (bytes, runs) in [(4 * MIB, 15), (16 * MIB, 15), (64 * MIB, 15), (256 * MIB, 9), (1024 * MIB, 5)] {
        transfers(&manager, &raw, bytes, runs)?;
    }
    overlap()?;
    stream(&manager, &raw, gibs)?;
    small_tensors(&manager)?;
    known_algorithms(&manager)?;
    starts()
}

fn rate(bytes: usize, samples: &Samples) -> f64 {
    bytes as f64 / (samples.summary(1).median * 1e3)
}

/// Uploads and downloads beside one copy by the processor, and beside the device's copy from memory that is filled already: by hand, and
/// as copies of tensors in the host's memory.
fn transfers(manager: &Manager, raw: &RawDevice, bytes: usize, runs: usize) -> Result<()> {
    let data = vec![1.0f32; bytes / 4];
    let mut back = vec![0.0f32; bytes / 4];
    let mut other = vec![0.0f32; bytes / 4];
    let mut tensor = manager.tensor(&data)?;
    let [up, down] = [true, false].map(|is_up| RawCopy::new(raw, bytes as u64, is_up));
    let (up, down) = (up?, down?);
    let mut write = || time(|| tensor.write(&data)).map_err(Box::<dyn Error>::from);
    let mut copy = || {
        time(|| {
            other.copy_from_slice(black_box(&data));
            Ok::<_, Box<dyn Error>>(())
        })
    };
    let mut bus_up = || time(|| up.run());
    let desc = || TensorDesc { name: "mapped", contents: Contents::Data(&data) };
    // `Upload` may be the device's own memory, which is no way across the bus.
    let (source, mut device) = (manager.tensor_in(MemoryKind::Readback, desc())?, manager.tensor(&data)?);
    let mut sink = manager.tensor_in(MemoryKind::Readback, desc())?;
    let (put, get) = (manager.sequence()?, manager.sequence()?);
    put.record(OpCopy::new(&source, &mut device))?;
    get.record(OpCopy::new(&device, &mut sink))?;
    let mut put = || time(|| put.eval()).map_err(Box::<dyn Error>::from);
    let mut get = || time(|| get.eval()).map_err(Box::<dyn Error>::from);
    let ups = interleave(&mut [&mut write, &mut copy, &mut bus_up, &mut put], 2, runs)?;
    let mut read = || time(|| tensor.read_into(&mut back)).map_err(Box::<dyn Error>::from);
    let mut bus_down = || time(|| down.run());
    let downs = interleave(&mut [&mut read, &mut bus_down, &mut get], 2, runs)?;
    assert!(back.iter().all(|value| *value == 1.0), "what was written comes back");
    println!(
        "{} MiB, GB/s: upload {:.1}, download {:.1}; of tensors in the host's memory: up {:.1}, down {:.1}; memcpy {:.1}; \
         device's copy alone: up {:.1}, down {:.1}",
        bytes / MIB,
        rate(bytes, &ups[0]),
        rate(bytes, &downs[0]),
        rate(bytes, &ups[3]),
        rate(bytes, &downs[2]),
        rate(bytes, &ups[1]),
        rate(bytes, &ups[2]),
        rate(bytes, &downs[1]),
    );
    Ok(())
}

/// Transfers by hand in all ways, GB/s: what the processor alone does, and with the device; up, and down to memory that was
/// touched before and that was not.
fn try_lanes(mibs: usize) -> Result<()> {
    let manager = Manager::with(ManagerDesc::from_env()?)?;
    println!("{}, {} threads", manager.device(), std::thread::available_parallelism()?);
    let raw = RawDevice::open(&manager.device().name)?;
    let bytes = mibs * MIB;
    let own = RawBuffer::new(&raw, bytes as u64, ash::vk::MemoryPropertyFlags::DEVICE_LOCAL)?;
    let data = vec![3u8; bytes];
    let mut back = vec![1u8; bytes];
    for is_up in [true, false] {
        let bus = RawCopy::new(&raw, bytes as u64, is_up)?;
        let mut samples = Samples::default();
        for _ in 0..4 {
            samples.push(time(|| bus.run())?);
        }
        println!("device's copy alone, {}: {:.1}", if is_up { "up" } else { "down" }, rate(bytes, &samples));
    }
    println!("threads MiB cached streaming | copies alone up, down | up, down, down to new memory");
    for (is_cached, is_streaming) in [(true, false), (true, true), (false, true), (false, false)] {
        for threads in [1, 2, 4, 6, 8, 12, 15] {
            for slot in [1, 2, 4, 8, 32] {
                let plan = Plan { threads, slot: slot * MIB, is_cached, is_streaming, with_device: false };
                // Reading what is not cached takes a second for each GiB.
                let goes_down = is_cached;
                let mut row = format!("{threads:2} {slot:2} {is_cached:5} {is_streaming:5} |");
                for with_device in [false, true] {
                    let lanes = Lanes::new(&raw, &own, Plan { with_device, ..plan })?;
                    row += &format!(" {:5.1}", best(bytes, || lanes.run(Data::Up(&data)))?);
                    if goes_down {
                        let place = Place { start: back.as_mut_ptr(), bytes };
                        row += &format!(" {:5.1}", best(bytes, || lanes.run(Data::Down(&place)))?);
                    }
                    if goes_down && with_device {
                        let fresh = || {
                            let mut new = Vec::<u8>::with_capacity(bytes);
                            lanes.run(Data::Down(&Place { start: new.as_mut_ptr(), bytes }))
                        };
                        row += &format!(" {:5.1}", best(bytes, fresh)?);
                        let is_right = back.iter().step_by(4093).all(|byte| *byte == 3);
                        assert!(is_right, "what was written comes back");
                    }
                    row += " |";
                }
                println!("{row}");
            }
        }
    }
    own.destroy(&raw);
    Ok(())
}

/// GB/s of the best of three.
fn best(bytes: usize, mut run: impl FnMut() -> std::result::Result<Duration, gridwise_benches::Error>) -> Result<f64> {
    let mut best = Duration::MAX;
    for _ in 0..3 {
        best = best.min(run()?);
    }
    Ok(bytes as f64 / best.as_nanos() as f64)
}

/// Two chains of dependent launches that leave most of the device idle: both on one queue, and on two.
fn overlap() -> Result<()> {
    let desc = ManagerDesc { queues: QueueChoice::AtLeast(2), ..ManagerDesc::from_env()? };
    let manager = Manager::with(desc)?;
    let chain = |queue: usize| -> Result<_> {
        let mut values = manager.tensor(&[1.0f32; 2048])?;
        let sequence = manager.sequence_on(queue)?;
        for _ in 0..50 {
            Spin::dispatch(&sequence, Grid::items(2048), 20_000, &mut values)?;
        }
        Ok((sequence, values))
    };
    let (one, same, other) = (chain(0)?, chain(0)?, chain(1)?);
    let both = |first: &Sequence, second: &Sequence| -> Result<Duration> {
        time(|| {
            let running = (first.eval_async()?, second.eval_async()?);
            running.0.wait()?;
            Ok(running.1.wait()?)
        })
    };
    let mut alone = || time(|| one.0.eval()).map_err(Box::<dyn Error>::from);
    let (mut on_one, mut on_two) = (|| both(&one.0, &same.0), || both(&one.0, &other.0));
    let samples = interleave(&mut [&mut alone, &mut on_one, &mut on_two], 3, 15)?;
    let [alone, on_one, on_two] = [0, 1, 2].map(|at: usize| samples[at].summary(1).median);
    println!(
        "two chains of 50 launches, µs: one alone {alone:.0}, both on one queue {on_one:.0}, on two queues {on_two:.0}"
    );
    Ok(())
}

/// Data through a kernel in chunks, made by nobody and looked at by nobody: what is left is the bus.
fn stream(manager: &Manager, raw: &RawDevice, gibs: usize) -> Result<()> {
    const CHUNK: usize = 16 * MIB;
    let bytes = gibs << 30;
    let [up, down] = [true, false].map(|is_up| RawCopy::new(raw, 4 * CHUNK as u64, is_up));
    let (up, down) = (up?, down?);
    let chunks = bytes / (4 * CHUNK);
    let mut stream = Stream::new(manager, CHUNK, 4, |sequence, chunk| {
        Scale::dispatch(sequence, Grid::items(chunk.len), 2.0, chunk.input, chunk.output)?;
        Ok(())
    })?;
    let mut pass = |chunks: usize| {
        let mut left = chunks;
        stream.run::<gridwise::Error>(
            |_| {
                let len = if left == 0 { 0 } else { CHUNK };
                left = left.saturating_sub(1);
                Ok(len)
            },
            |_| Ok(()),
        )
    };
    pass(8)?;
    let took = time(|| pass(chunks))?;
    let (mut ups, mut downs) = (Samples::default(), Samples::default());
    for _ in 0..10 {
        ups.push(time(|| up.run())?);
        downs.push(time(|| down.run())?);
    }
    let (up, down) = (rate(4 * CHUNK, &ups), rate(4 * CHUNK, &downs));
    let each_way = bytes as f64 / took.as_nanos() as f64;
    println!("streaming {gibs} GiB: {each_way:.1} GB/s each way; device's copies alone: up {up:.1}, down {down:.1}");
    Ok(())
}

fn small_tensors(manager: &Manager) -> Result<()> {
    let make = || -> Result<Vec<Tensor<u8>>> {
        let desc = TensorDesc { name: "small", contents: Contents::Uninit(1024) };
        Ok((0..1000).map(|_| manager.tensor_with(desc)).collect::<gridwise::Result<_>>()?)
    };
    let mut samples = Samples::default();
    for _ in 0..30 {
        samples.push(time(|| make().map(drop))?);
    }
    println!("create and drop 1,000 tensors of 1 KiB: {:.0} µs", samples.summary(1).median);
    Ok(())
}

fn known_algorithms(manager: &Manager) -> Result<()> {
    let kept: Algorithm = manager.algorithm::<Scale>()?;
    let mut samples = Samples::default();
    for _ in 0..100 {
        samples
            .push(time(|| (0..100).try_for_each(|_| manager.algorithm::<Scale>().map(|made| drop(black_box(made)))))?);
    }
    println!("algorithm of a kernel seen before: {:.3} µs", samples.summary(100).median);
    drop(kept);
    Ok(())
}

/// The cost of opening more queues when a manager is made.
fn starts() -> Result<()> {
    let start = |queues: QueueChoice| {
        let desc = ManagerDesc { queues, pipeline_cache: PipelineCache::Off, ..ManagerDesc::from_env()? };
        time(move || Manager::with(desc)).map_err(Box::<dyn Error>::from)
    };
    let (mut one, mut best) = (|| start(QueueChoice::One), || start(QueueChoice::Best));
    let samples = interleave(&mut [&mut one, &mut best], 1, 7)?;
    let [one, best] = [0, 1].map(|at: usize| samples[at].summary(1).median / 1e3);
    println!("a manager, ms: with one queue {one:.1}, with the best {best:.1}");
    Ok(())
}
