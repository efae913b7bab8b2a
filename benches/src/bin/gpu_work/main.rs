//! Kernels against the reference shaders beside this crate, on one device, in turns: time of the device, results checked.
//!
//! `--modules FOLDER` writes our modules there and tells how large both sides' are.
//!
//! `--references FOLDER` takes compiled shaders (`NAME.spv`) from there; else `glslc -O` compiles them. `--compile FOLDER` does
//! only that (`GLSLC` names another compiler), so that the program and the folder can be copied to a machine with a GPU and nothing else. `--peers FILE` puts
//! ours beside the times that the programs in `peers` print.

mod algorithms;
mod copy;
mod error;
mod fft;
mod hgemm;
mod histogram;
mod modules;
mod nbody;
mod options;
mod peers;
mod pipelines;
mod reduce;
mod rooflines;
mod saxpy;
mod scan;
mod sgemm;
mod shaders;
mod softmax;
mod sort;
mod stencil;
mod transpose;
mod work;

use std::process::ExitCode;

use gridwise::{DeviceKind, Manager};
use gridwise_benches::raw::RawDevice;
use gridwise_benches::{Error as BenchError, Machine, Report};

use crate::algorithms::{matrices, runs, signals, sorted};
use crate::error::Error;
use crate::options::WorkOptions;
use crate::peers::Peers;
use crate::rooflines::Rooflines;
use crate::shaders::Shaders;
use crate::work::{Bench, Scale};

/// Measures a workload at its sizes.
type Workload = fn(&mut Bench<'_>) -> Result<(), Error>;

/// The workloads by name.
const WORKLOADS: [(&str, Workload); 25] = [
    ("copy", copy::bench),
    ("saxpy", saxpy::bench),
    ("reduce", reduce::bench),
    ("scan", scan::bench),
    ("histogram", histogram::bench),
    ("sort", sort::bench),
    ("transpose", transpose::bench),
    ("stencil", stencil::bench),
    ("nbody", nbody::bench),
    ("sgemm", sgemm::bench),
    ("hgemm", hgemm::bench),
    ("softmax", softmax::bench),
    ("fft", fft::bench),
    ("segments", runs::segments),
    ("runs", runs::runs),
    ("merge", sorted::merge),
    ("top", sorted::top),
    ("sparse", matrices::sparse),
    ("batched", matrices::batched),
    ("layer", matrices::layer),
    ("convolve", matrices::convolve),
    ("images", signals::images),
    ("real", signals::real),
    ("random", signals::random),
    ("pipelines", pipelines::bench),
];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Error> {
    let options = WorkOptions::parse(std::env::args().skip(1))?;
    if let Some(folder) = &options.compile {
        return Shaders::compile_all(folder);
    }
    let shaders = Shaders::new(options.references.clone());
    if let Some(folder) = &options.modules {
        return modules::compare(&shaders, folder);
    }
    let mut machine = Machine::here(&options.common.profile);
    let manager = Manager::new()?;
    let device = manager.device();
    if device.kind == DeviceKind::Host {
        return Err(Error::NotVulkan(device.to_string()));
    }
    machine.device = Some(device.name.clone());
    machine.driver = Some(device.driver.clone());
    let peers = Peers::read(&options.peers)?;
    let mut rooflines = Rooflines::new(device.name.clone());
    let mut report = Report::new("work", machine);
    let raw = RawDevice::open(&device.name)?;
    let scale = if device.kind == DeviceKind::Cpu { Scale::Small } else { Scale::Large };
    let mut wrong = Vec::new();
    for (name, bench) in WORKLOADS {
        if !options.only.is_empty() && !options.only.iter().any(|only| only == name) {
            continue;
        }
        eprintln!("{name} …");
        let runs = options.common.runs;
        let outcome = bench(&mut Bench {
            manager: &manager,
            raw: &raw,
            shaders: &shaders,
            scale,
            runs,
            report: &mut report,
            peers: &peers,
            rooflines: &mut rooflines,
        });
        match outcome {
            // The others are measured all the same.
            Err(Error::Bench(BenchError::WrongResult { contender, detail })) => {
                wrong.push(format!("{contender}: {detail}"));
            }
            outcome => outcome?,
        }
    }
    if wrong.is_empty() {
        report.notes.push("every result of both sides was checked".to_owned());
    }
    report.notes.push("µs are the device's, of one run, taken around several".to_owned());
    let path = report.write(&options.common.out)?;
    println!("{report}written: {}", path.display());
    if let Some(path) = rooflines.write(&options.common.out)? {
        println!("for `gridwise-inspect --measured`: {}", path.display());
    }
    if wrong.is_empty() { Ok(()) } else { Err(Error::Wrong(wrong.join("\n"))) }
}
