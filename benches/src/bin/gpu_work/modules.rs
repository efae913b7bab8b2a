//! The sizes of our modules beside those that `glslc -O` makes for the same algorithm; needs no device.

use std::path::Path;
use std::time::Instant;

use gridwise::Kernel;
use gridwise::descriptor::{IS_FULL, IS_PROVEN, IS_WHOLE, KernelDescriptor, NATIVES};
use gridwise_benches::Error as BenchError;
use gridwise_ir::faults::Faults;
use gridwise_ir::variant::{VariantDesc, variant};

use crate::error::Error;
use crate::shaders::Shaders;
use crate::{copy, nbody, saxpy, sgemm, stencil, transpose};

/// A kernel's name, the reference for it, and the kernel.
pub(crate) type Pair = (&'static str, &'static str, &'static KernelDescriptor);

pub(crate) const PAIRS: [Pair; 7] = [
    ("copy", "copy", <copy::Copy as Kernel>::DESCRIPTOR),
    ("saxpy", "saxpy", <saxpy::Saxpy as Kernel>::DESCRIPTOR),
    ("transpose", "transpose", <transpose::Transpose as Kernel>::DESCRIPTOR),
    ("stencil3d", "stencil3d", <stencil::Stencil as Kernel>::DESCRIPTOR),
    ("nbody", "nbody", <nbody::Nbody as Kernel>::DESCRIPTOR),
    ("nbody by eights", "nbody", <nbody::NbodyByEights as Kernel>::DESCRIPTOR),
    ("sgemm", "sgemm", <sgemm::Sgemm as Kernel>::DESCRIPTOR),
];

/// The words of a kernel's whole module.
fn whole(kernel: &KernelDescriptor) -> Vec<u32> {
    kernel.spirv.words().unwrap_or_default()
}

/// The module that most launches make a pipeline of: all obligations hold, several items an invocation if that is
/// possible, a device whose `fma` rounds once. Const parameters have their defaults.
pub(crate) fn usual(kernel: &KernelDescriptor, whole: &[u32]) -> Result<Vec<u32>, Error> {
    let entry_point = kernel.batch.map_or(kernel.entry_point, |batch| batch.entry_point);
    let constants: Vec<_> = [IS_PROVEN, IS_WHOLE, IS_FULL].into_iter().chain(NATIVES).map(|id| (id, 1)).collect();
    let desc = VariantDesc { entry_point, constants: &constants, keeps_names: false, faults: Faults::NONE };
    variant(whole, &desc)
        .map_err(|error| BenchError::WrongResult { contender: "variant".to_owned(), detail: error.to_string() }.into())
}

/// The words that [`usual`] makes of a kernel's module.
pub(crate) fn usual_words(kernel: &KernelDescriptor) -> Result<Vec<u32>, Error> {
    usual(kernel, &whole(kernel))
}

/// The words of a module that was read from a file.
pub(crate) fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// How often a variant is made to see how long it takes.
const RUNS: usize = 1001;

/// Prints sizes and numbers of instructions, and how long a variant takes to make, and writes our modules to a folder.
pub(crate) fn compare(shaders: &Shaders, folder: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(folder).map_err(BenchError::file(folder))?;
    println!(
        "bytes and instructions in functions of whole modules, of what pipelines are made of, of GLSL's; µs for the second"
    );
    println!("{:15} {:>14} {:>14} {:>14} {:>7}", "module", "whole", "variant", "GLSL", "µs");
    for (name, reference, kernel) in PAIRS {
        let whole = whole(kernel);
        let variant = usual(kernel, &whole)?;
        let theirs = words_of(&shaders.module(reference)?);
        let mut times = Vec::with_capacity(RUNS);
        for _ in 0..RUNS {
            let start = Instant::now();
            std::hint::black_box(usual(kernel, std::hint::black_box(&whole))?);
            times.push(start.elapsed().as_secs_f64() * 1e6);
        }
        times.sort_unstable_by(f64::total_cmp);
        for (suffix, words) in [("", &whole), (".variant", &variant)] {
            let path = folder.join(format!("{name}{suffix}.spv"));
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
            std::fs::write(&path, &bytes).map_err(BenchError::file(&path))?;
        }
        let sizes =
            [&whole, &variant, &theirs].map(|words| format!("{:>8} {:>5}", 4 * words.len(), instructions(words)));
        println!("{name:15} {} {:>7.1}", sizes.join(" "), times[RUNS / 2]);
    }
    Ok(())
}

/// The instructions in functions: what runs, without names, types and lines.
fn instructions(words: &[u32]) -> usize {
    const FUNCTION: u32 = 54;
    const LINES: [u32; 2] = [8, 317];
    let (mut at, mut is_code, mut count) = (5, false, 0);
    while let Some(first) = words.get(at) {
        let (opcode, len) = (first & 0xffff, (first >> 16).max(1));
        is_code |= opcode == FUNCTION;
        count += usize::from(is_code && !LINES.contains(&opcode));
        at += len as usize;
    }
    count
}
