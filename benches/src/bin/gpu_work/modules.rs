//! How large our modules are beside those that `glslc -O` makes for the same algorithm; needs no device.

use std::path::Path;

use gridwise::Kernel;
use gridwise_benches::Error as BenchError;

use crate::error::Error;
use crate::shaders::Shaders;
use crate::{copy, nbody, saxpy, sgemm, stencil, transpose};

/// A kernel with the reference for it.
pub(crate) type Pair = (&'static str, fn() -> Vec<u32>);

pub(crate) const PAIRS: [Pair; 6] = [
    ("copy", words::<copy::Copy>),
    ("saxpy", words::<saxpy::Saxpy>),
    ("transpose", words::<transpose::Transpose>),
    ("stencil3d", words::<stencil::Stencil>),
    ("nbody", words::<nbody::Nbody>),
    ("sgemm", words::<sgemm::Sgemm>),
];

fn words<K: Kernel>() -> Vec<u32> {
    K::DESCRIPTOR.spirv.words().unwrap_or_default()
}

/// The words of a module that was read from a file.
pub(crate) fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Prints sizes and numbers of instructions, and writes our modules to a folder.
pub(crate) fn compare(shaders: &Shaders, folder: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(folder).map_err(BenchError::file(folder))?;
    println!("{:10} {:>14} {:>14} {:>12} {:>12}", "module", "gridwise bytes", "GLSL bytes", "instructions", "GLSL's");
    for (name, ours) in PAIRS {
        let ours = ours();
        let reference = shaders.module(name)?;
        let theirs = words_of(&reference);
        let path = folder.join(format!("{name}.spv"));
        let bytes: Vec<u8> = ours.iter().flat_map(|word| word.to_ne_bytes()).collect();
        std::fs::write(&path, &bytes).map_err(BenchError::file(&path))?;
        let (own, other) = (instructions(&ours), instructions(&theirs));
        println!("{name:10} {:>14} {:>14} {own:>12} {other:>12}", bytes.len(), reference.len());
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
