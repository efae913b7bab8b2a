//! Kernels that nobody tuned, beside the same in CUDA C++ and GLSL, on one device, in turns: time of the device, results compared. On a
//! processor C++ with OpenMP takes the place of CUDA, and its time is that of the call.
//!
//! The kernels are written as somebody writes them who has not heard of this library's hints, and stay as they are: a hint that would
//! help is a pass that is missing. Both peers are made of one text for each workload.
//!
//! `--compile FOLDER` writes the peers' sources and our modules there, compiles the sources by `glslc -O`, `nvcc -O3` and
//! `c++ -O3 -march=native -fopenmp`, as far as these are there, and does nothing else. `--references FOLDER` takes what it made.
//! `--only NAME,NAME` runs some workloads, and `--workloads operations` single operations in place of the domains. `--sizes large` takes the
//! sizes for a GPU, `--sizes small` those for a processor, whatever the device is: beside C++ the small ones measure little but launches.

mod algebra;
mod archives;
mod blocks;
mod boards;
mod ciphers;
mod complex;
mod cuda;
mod data;
mod digests;
mod draws;
mod echoes;
mod elements;
mod error;
mod estimates;
mod fields;
mod filters;
mod flows;
mod frames;
mod grids;
mod halves;
mod integers;
mod likelihoods;
mod measure;
mod meshes;
mod models;
mod motions;
mod numbers;
mod openmp;
mod operations;
mod options;
mod packets;
mod peers;
mod picks;
mod pictures;
mod points;
mod records;
mod rows;
mod scans;
mod search;
mod series;
mod shapes;
mod signals;
mod solvers;
mod sparse;
mod tables;
mod texts;
mod tokens;
mod vision;
mod workload;

use std::process::ExitCode;

use gridwise::{DeviceKind, Manager};
use gridwise_benches::raw::RawDevice;
use gridwise_benches::{Error as BenchError, Machine};

use crate::cuda::Cuda;
use crate::error::Error;
use crate::measure::{Bench, Table};
use crate::options::UntunedOptions;
use crate::workload::Workload;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The workloads, by domain; sizes for a GPU or for a processor.
fn workloads(large: bool) -> Vec<Workload> {
    [
        rows::workloads,
        grids::workloads,
        filters::workloads,
        numbers::workloads,
        solvers::workloads,
        sparse::workloads,
        points::workloads,
        search::workloads,
        ciphers::workloads,
        models::workloads,
        fields::workloads,
        signals::workloads,
        tables::workloads,
        shapes::workloads,
        texts::workloads,
        digests::workloads,
        pictures::workloads,
        estimates::workloads,
        blocks::workloads,
        vision::workloads,
        records::workloads,
        meshes::workloads,
        picks::workloads,
        algebra::workloads,
        series::workloads,
        flows::workloads,
        draws::workloads,
        packets::workloads,
        integers::workloads,
        motions::workloads,
        frames::workloads,
        scans::workloads,
        tokens::workloads,
        archives::workloads,
        boards::workloads,
        likelihoods::workloads,
        elements::workloads,
        echoes::workloads,
    ]
    .into_iter()
    .flat_map(|domain| domain(large))
    .collect()
}

fn run() -> Result<(), Error> {
    let options = UntunedOptions::parse(std::env::args().skip(1))?;
    if let Some(folder) = &options.compile {
        return peers::compile_all(&options.workloads(false), folder);
    }
    // OpenMP's threads would keep the cores from the next side while they wait for its next call.
    // SAFETY: the program has one thread yet.
    unsafe { std::env::set_var("OMP_WAIT_POLICY", "passive") };
    let mut machine = Machine::here(&options.common.profile);
    let manager = Manager::new()?;
    let device = manager.device();
    if device.kind == DeviceKind::Host {
        return Err(Error::NotVulkan(device.to_string()));
    }
    machine.device = Some(device.name.clone());
    machine.driver = Some(device.driver.clone());
    let is_gpu = device.kind != DeviceKind::Cpu;
    let raw = RawDevice::open(&device.name)?;
    let cuda = if is_gpu { Cuda::open()? } else { None };
    let bench = Bench { manager: &manager, raw: &raw, cuda: cuda.as_ref(), options: &options, is_gpu };
    let mut table = Table::new(machine);
    let mut wrong = Vec::new();
    let is_wanted = |workload: &Workload| options.only.is_empty() || options.only.contains(&workload.file());
    for workload in options.workloads(options.is_large.unwrap_or(is_gpu)) {
        if !is_wanted(&workload) {
            continue;
        }
        if workload.buffers().any(|(data, _)| data.bytes().len() as u64 > device.limits.max_buffer_bytes) {
            eprintln!("{} is left out: a buffer is larger than the device takes", workload.name);
            continue;
        }
        eprintln!("{} …", workload.name);
        match bench.measure(&workload) {
            Err(Error::Bench(BenchError::WrongResult { contender, detail })) => {
                wrong.push(format!("{contender}: {detail}"));
            }
            row => table.add(row?),
        }
    }
    print!("{table}");
    println!("written: {}", table.write(&options.common.out)?.display());
    if wrong.is_empty() { Ok(()) } else { Err(Error::Wrong(wrong.join("\n"))) }
}
