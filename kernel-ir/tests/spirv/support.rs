//! Helpers for the SPIR-V tests: text to words, `spirv-val`, disassembly.

use std::io::Write;
use std::process::{Command, Stdio};

use gridwise_ir::binary::{instructions, op};
use gridwise_ir::descriptor::{HAS_EXP2, HAS_FMA, HAS_FMA_F64, IS_FULL, IS_INDIRECT, IS_PROVEN, IS_SPLIT, IS_WHOLE};
use gridwise_ir::faults::{Fault, Faults};
use gridwise_ir::ir::Module;
use gridwise_ir::spirv::{BATCH_ENTRY_POINT, ENTRY_POINT, Emitted, emit};
use gridwise_ir::variant::{AddressDesc, VariantDesc, variant, with_addresses};
use gridwise_ir::watch::watch;
use rspirv::binary::Disassemble;

/// The bindings of the buffers that kernels take, one for each variable: these have blocks of one member.
fn buffers(words: &[u32]) -> Vec<u32> {
    const STORAGE_BUFFER: u32 = 12;
    const BINDING: u32 = 33;
    let (mut found, mut bindings) = (Vec::new(), Vec::new());
    for inst in instructions(words) {
        match (inst.opcode, inst.words) {
            (op::DECORATE, [id, BINDING, number]) => bindings.push((*id, *number)),
            // Blocks, pointers to these, and variables of such pointers.
            (op::TYPE_STRUCT, [id, _]) => found.push(*id),
            (op::TYPE_POINTER, [id, STORAGE_BUFFER, of]) if found.contains(of) => found.push(*id),
            (op::VARIABLE, [ty, id, STORAGE_BUFFER]) if found.contains(ty) => found.push(*id),
            (op::FUNCTION, _) => break,
            _ => {}
        }
    }
    bindings.iter().filter(|(id, _)| found.contains(id)).map(|(_, number)| *number).collect()
}

/// Addresses of all buffers, behind any push constants.
pub(crate) const ADDRESSES: AddressDesc<'_> =
    AddressDesc { bindings: &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], offset: 256, alignment: 16 };

/// The verified module a text describes.
pub(crate) fn module(text: &str) -> Module {
    let module = gridwise_ir::parse::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    gridwise_ir::verify::verify(&module).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    module
}

/// The words of the module a text describes.
pub(crate) fn emit_text(text: &str) -> Emitted {
    emit(&module(text)).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Runs `spirv-val` on a module, and on the variants of it that have all of a driver's help and none; also for a driver with all faults.
pub(crate) fn validate(name: &str, words: &[u32]) {
    validate_words(name, words);
    let all_faults = Faults::NONE.with(Fault::LostReductions).with(Fault::SimplifiedZeros);
    for (what, words) in variants(words).into_iter().chain(variants_for(words, all_faults)) {
        validate_words(&format!("{name}, {what}"), &words);
        if let Some(watched) = watch(&words, 99, 0) {
            validate_words(&format!("{name}, {what}, watched"), &watched);
        }
        let bindings = buffers(&words);
        if let Some(addressed) = with_addresses(&words, &AddressDesc { bindings: &bindings, ..ADDRESSES }) {
            assert_eq!(buffers(&addressed), [0u32; 0], "{name}, {what}");
            validate_words(&format!("{name}, {what}, by addresses"), &addressed);
        }
    }
}

/// Variants of a module with what they are called: of each entry point, with all flags on and with all off, with names and without.
pub(crate) fn variants(words: &[u32]) -> Vec<(String, Vec<u32>)> {
    variants_for(words, Faults::NONE)
}

fn variants_for(words: &[u32], faults: Faults) -> Vec<(String, Vec<u32>)> {
    let on = [IS_PROVEN, HAS_FMA, HAS_FMA_F64, HAS_EXP2, IS_INDIRECT, IS_SPLIT, IS_WHOLE, IS_FULL].map(|id| (id, 1));
    let mut made = Vec::new();
    for entry_point in [ENTRY_POINT, BATCH_ENTRY_POINT] {
        for (constants, keeps_names) in [(&on[..], false), (&[], true)] {
            match variant(words, &VariantDesc { entry_point, constants, keeps_names, faults }) {
                Ok(words) => made.push((format!("{entry_point}, {} flags, {faults:?}", constants.len()), words)),
                Err(error) => assert_eq!((entry_point, error.cause), (BATCH_ENTRY_POINT, "it has no such entry point")),
            }
        }
    }
    made
}

/// Runs `spirv-val`, or the command in `GRIDWISE_SPIRV_VAL`, on a module; it has to know cooperative matrices, as since 2024. Its
/// absence fails the test unless `GRIDWISE_NO_SPIRV_VAL` is set.
pub(crate) fn validate_words(name: &str, words: &[u32]) {
    if std::env::var_os("GRIDWISE_NO_SPIRV_VAL").is_some() {
        return;
    }
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let command = std::env::var("GRIDWISE_SPIRV_VAL").unwrap_or_else(|_| "spirv-val".to_owned());
    let mut parts = command.split_whitespace();
    // Modules of SPIR-V 1.6 are only for devices that have it.
    let target = if words[1] > 1 << 16 | 5 << 8 { "vulkan1.3" } else { "vulkan1.2" };
    let mut child = Command::new(parts.next().unwrap_or("spirv-val"))
        .args(parts)
        .args(["--target-env", target, "--scalar-block-layout", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("`spirv-val` runs (install SPIRV-Tools, or set GRIDWISE_NO_SPIRV_VAL to do without)");
    child.stdin.take().expect("it is piped").write_all(&bytes).expect("`spirv-val` reads its input");
    let output = child.wait_with_output().expect("`spirv-val` ends");
    let messages = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{name}: {messages}\n{}", disassemble(words));
}

/// The text of a module.
pub(crate) fn disassemble(words: &[u32]) -> String {
    rspirv::dr::load_words(words).expect("the words are a module").disassemble()
}
