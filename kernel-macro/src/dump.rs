//! `KERNEL_DUMP=ast,ir,spv`: stages of a compilation printed to stderr, for people who work on the compiler.

use std::sync::OnceLock;

/// Prints a stage of item `name` when the environment asks for it; `text` is only made then.
pub(crate) fn dump(stage: &str, name: &str, text: impl FnOnce() -> String) {
    static STAGES: OnceLock<Vec<String>> = OnceLock::new();
    let stages = STAGES.get_or_init(|| {
        let value = std::env::var("KERNEL_DUMP").unwrap_or_default();
        value.split(',').map(|stage| stage.trim().to_owned()).collect()
    });
    if stages.iter().any(|wanted| wanted == stage) {
        eprintln!("=== {stage} of {name}\n{}", text());
    }
}

/// SPIR-V words as hexadecimal text, eight to a line.
pub(crate) fn words_text(words: &[u32]) -> String {
    let line = |words: &[u32]| words.iter().map(|word| format!("{word:08x}")).collect::<Vec<_>>().join(" ");
    words.chunks(8).map(line).collect::<Vec<_>>().join("\n")
}
