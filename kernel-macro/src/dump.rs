//! `KERNEL_DUMP=ast,ir,lowered,spv`: stages of a compilation for people who work on the compiler and for `gridwise-inspect`,
//! printed to stderr, or written to the folder `KERNEL_DUMP_DIR`, a file each.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::OnceLock;

use gridwise_ir::compile::CompileOptions;
use gridwise_ir::ir::Module;

/// The stages that the environment asks for.
struct Wanted {
    stages: Vec<String>,
    folder: Option<PathBuf>,
}

/// Shows a stage of item `name` when the environment asks for it; `text` is only made then.
pub(crate) fn dump(stage: &str, name: &str, text: impl FnOnce() -> String) {
    static WANTED: OnceLock<Wanted> = OnceLock::new();
    let wanted = WANTED.get_or_init(|| {
        let value = std::env::var("KERNEL_DUMP").unwrap_or_default();
        let stages = value.split(',').map(|stage| stage.trim().to_owned()).collect();
        Wanted { stages, folder: std::env::var_os("KERNEL_DUMP_DIR").map(PathBuf::from) }
    });
    if !wanted.stages.iter().any(|wanted| wanted == stage) {
        return;
    }
    let text = text();
    let Some(folder) = &wanted.folder else {
        eprintln!("=== {stage} of {name}\n{text}");
        return;
    };
    // Kernels of one name, in different modules or for different types, differ in their text.
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let plain: String = name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect();
    let path = folder.join(format!("{plain}-{:016x}.{stage}", hasher.finish()));
    if let Err(error) = std::fs::write(&path, text) {
        eprintln!("KERNEL_DUMP_DIR: {} cannot be written: {error}", path.display());
    }
}

/// A module as lowered, with the options it is compiled with in a comment in its first line.
pub(crate) fn lowered_text(module: &Module, options: &CompileOptions) -> String {
    format!("; {options}\n{module}")
}

/// SPIR-V words as hexadecimal text, eight to a line.
pub(crate) fn words_text(words: &[u32]) -> String {
    let line = |words: &[u32]| words.iter().map(|word| format!("{word:08x}")).collect::<Vec<_>>().join(" ");
    words.chunks(8).map(line).collect::<Vec<_>>().join("\n")
}
