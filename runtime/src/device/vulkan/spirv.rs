//! Adapts a module's words to a device. Pure: it must leave every instruction it does not know as it is.
//!
//! The module declares RTE rounding and preservation of signed zeros, infinities, NaN and denormals for each width of
//! float that it uses; the declarations that the device does not support are removed here. SPIR-V leaves open which
//! invocations of a subgroup meet in an operation behind a divergent branch. With `VK_KHR_shader_maximal_reconvergence`
//! kernels with such operations ask for it here, and they meet as the source is nested.

use std::borrow::Cow;

use gridwise_ir::binary::{HEADER, Inst, instructions, op, push, text_words};
use gridwise_ir::descriptor::{FloatAtomics, KernelDescriptor, SubgroupOperations};
use gridwise_ir::faults::{Fault, Faults};
use gridwise_ir::variant::{
    AddressDesc, VariantDesc, loaded_beside_divisions, variant, with_addresses, with_buffered_push, without_gathering,
};
use gridwise_ir::watch::watch;

use super::candidate::Caps;
use super::pipeline::{Addresses, Binding};
use crate::core::error::{Error, KernelName, Result};

/// The float controls that a device supports for floats of each width.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct FloatControls {
    pub(crate) float16: WidthControls,
    pub(crate) float32: WidthControls,
    pub(crate) float64: WidthControls,
}

impl FloatControls {
    /// Whether something holds for floats of every width.
    pub(crate) fn all(&self, holds: impl Fn(&WidthControls) -> bool) -> bool {
        [self.float16, self.float32, self.float64].iter().all(holds)
    }
}

/// The float controls that a device supports for floats of one width.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WidthControls {
    pub(crate) signed_zero_inf_nan_preserve: bool,
    pub(crate) rounding_mode_rte: bool,
    pub(crate) denorm_preserve: bool,
}

/// Capability and execution mode of each control.
const DENORM_PRESERVE: [u32; 2] = [4464, 4459];
const SIGNED_ZERO_INF_NAN_PRESERVE: [u32; 2] = [4466, 4461];
const ROUNDING_MODE_RTE: [u32; 2] = [4467, 4462];

/// Operations of subgroups.
const SUBGROUPS: u32 = 61;

/// Invocations that went apart go on together where the structure of the source says so (SPV_KHR_maximal_reconvergence).
const MAXIMALLY_RECONVERGES: u32 = 6023;
const RECONVERGENCE_EXTENSION: &str = "SPV_KHR_maximal_reconvergence";

/// The words of a kernel's module as this device takes them for one pipeline.
///
/// # Errors
/// When the bytes cannot be a module.
pub(crate) fn words_for(descriptor: &KernelDescriptor, caps: &Caps, desc: &VariantDesc<'_>) -> Result<Vec<u32>> {
    let mut words = words(descriptor, caps.float_atomics, desc)?;
    let asked = descriptor.parallel.subgroup_operations;
    if !caps.gathers && !asked.contains(SubgroupOperations::GATHERING) && has_subgroups(&words) {
        words = without_gathering(&words, !asked.is_empty());
    }
    if caps.reconverges && has_subgroups(&words) {
        words = reconverging(words);
    }
    Ok(strip_float_controls(words.into(), caps.float_controls).into_owned())
}

/// Whether a module has operations of subgroups.
fn has_subgroups(words: &[u32]) -> bool {
    instructions(words).any(|inst| (inst.opcode, inst.words) == (op::CAPABILITY, &[SUBGROUPS]))
}

/// Puts a module's push constants into a buffer, which is one more: the binding that it has; `None` where the module has none.
///
/// # Errors
/// When the device, which binds `limit` buffers, has none left for it.
pub(crate) fn buffered(
    (kernel, words): (&KernelName, &mut Cow<'_, [u32]>),
    bindings: &mut Vec<Binding>,
    limit: u32,
) -> Result<Option<u32>> {
    let number = next_binding(bindings);
    let Some(buffered) = with_buffered_push(words, number) else { return Ok(None) };
    *words = buffered.into();
    bindings.push(Binding::buffer(number));
    check_buffers(kernel, bindings, limit)?;
    Ok(Some(number))
}

/// Lets a module find its buffers by addresses behind its push constants, which end at `push_end`; those of `records` stay bound, and so do
/// those that drivers load ahead. `None` where the module has no buffers for that.
pub(crate) fn addressed(
    words: &mut Cow<'_, [u32]>,
    bindings: &mut Vec<Binding>,
    records: &[u32],
    (push_end, alignment): (u32, u64),
) -> Option<Addresses> {
    let ahead = loaded_beside_divisions(words);
    let is_found = |binding: &Binding| {
        binding.image.is_none()
            && !binding.is_texels
            && !records.contains(&binding.number)
            && !ahead.contains(&binding.number)
    };
    let mut found: Vec<u32> =
        bindings.iter().filter(|binding| is_found(binding)).map(|binding| binding.number).collect();
    found.sort_unstable();
    let offset = push_end.next_multiple_of(8);
    // A multiple of the device's own alignment for parts, which recording checks; more than a vector has is of no use.
    let desc = AddressDesc { bindings: &found, offset, alignment: alignment.clamp(1, 16) as u32 };
    let addressed = with_addresses(words, &desc)?;
    *words = addressed.into();
    bindings.retain(|binding| !is_found(binding));
    Some(Addresses { bindings: found, offset })
}

fn next_binding(bindings: &[Binding]) -> u32 {
    bindings.iter().map(|binding| binding.number).max().map_or(0, |last| last.saturating_add(1))
}

fn check_buffers(kernel: &KernelName, bindings: &[Binding], limit: u32) -> Result<()> {
    let asked = bindings.iter().filter(|binding| binding.image.is_none() && !binding.is_texels).count() as u32;
    if asked > limit {
        return Err(Error::TooManyBuffers { kernel: kernel.clone(), asked, limit });
    }
    Ok(())
}

/// Makes a module watch its loops where the driver may stop them, with one more buffer: the binding that it has, if it is needed.
///
/// # Errors
/// When the device, which binds `limit` buffers, has none left for it.
pub(crate) fn watched(
    (kernel, words): (&KernelName, &mut Cow<'_, [u32]>),
    bindings: &mut Vec<Binding>,
    (caps, limit): (&Caps, u32),
) -> Result<Option<u32>> {
    if !caps.faults.contains(Fault::StoppedLoops) {
        return Ok(None);
    }
    let number = next_binding(bindings);
    let Some(watching) = watch(words, number, Faults::MOST_ROUNDS) else { return Ok(None) };
    *words = watching.into();
    bindings.push(Binding::buffer(number));
    check_buffers(kernel, bindings, limit)?;
    Ok(Some(number))
}

/// The words of a variant of a kernel's module, or of the module for a device that adds to these atomic floats.
///
/// # Errors
/// When the bytes cannot be a module.
fn words(descriptor: &KernelDescriptor, float_atomics: FloatAtomics, desc: &VariantDesc<'_>) -> Result<Vec<u32>> {
    let invalid = |cause| Error::InvalidModule { kernel: descriptor.name.into(), cause };
    let native = descriptor.parallel.native.filter(|native| float_atomics.contains(native.needs));
    let spirv = native.map_or(descriptor.spirv, |native| native.spirv);
    let words = spirv.words().ok_or_else(|| invalid("its length is not that of a module"))?;
    variant(&words, desc).map_err(|error| invalid(error.cause))
}

/// Removes the float controls that a device does not support; the module's meaning is then the device's own.
fn strip_float_controls(words: Cow<'_, [u32]>, supported: FloatControls) -> Cow<'_, [u32]> {
    let widths = [(16, supported.float16), (32, supported.float32), (64, supported.float64)];
    let is_supported = |mode: u32, width: u32| {
        let known = widths.iter().find(|(bits, _)| *bits == width).map(|(_, controls)| *controls);
        let controls = known.unwrap_or_default();
        match mode {
            mode if mode == DENORM_PRESERVE[1] => controls.denorm_preserve,
            mode if mode == SIGNED_ZERO_INF_NAN_PRESERVE[1] => controls.signed_zero_inf_nan_preserve,
            mode if mode == ROUNDING_MODE_RTE[1] => controls.rounding_mode_rte,
            _ => true,
        }
    };
    let mode_is_kept = |inst: Inst<'_>| match (inst.opcode, inst.words) {
        (op::EXECUTION_MODE, [_, mode, width, ..]) => is_supported(*mode, *width),
        _ => true,
    };
    if instructions(&words).all(mode_is_kept) {
        return words;
    }
    // A capability goes with the last of its modes.
    let is_asked = |capability: u32| {
        let of = [DENORM_PRESERVE, SIGNED_ZERO_INF_NAN_PRESERVE, ROUNDING_MODE_RTE].into_iter();
        let Some([_, mode]) = of.into_iter().find(|ids| ids[0] == capability) else { return true };
        instructions(&words)
            .any(|inst| inst.opcode == op::EXECUTION_MODE && inst.words.get(1) == Some(&mode) && mode_is_kept(inst))
    };
    let mut kept = words[..words.len().min(HEADER)].to_vec();
    for inst in instructions(&words) {
        let is_kept = match (inst.opcode, inst.words) {
            (op::CAPABILITY, [capability]) => is_asked(*capability),
            _ => mode_is_kept(inst),
        };
        if is_kept {
            push(&mut kept, inst.opcode, inst.words);
        }
    }
    Cow::Owned(kept)
}

/// Asks that a subgroup whose invocations took different branches is whole again behind them, as Rust's reader takes for granted.
/// Without it SPIR-V leaves open which invocations take part in what a subgroup does there.
fn reconverging(words: Vec<u32>) -> Vec<u32> {
    let branches = |inst: Inst<'_>| matches!(inst.opcode, op::BRANCH_CONDITIONAL | op::SWITCH);
    if !instructions(&words).any(branches) {
        return words;
    }
    let (mut entry, mut has_extension) = (None, false);
    let mut asking = Vec::with_capacity(words.len() + 16);
    asking.extend_from_slice(&words[..HEADER]);
    for inst in instructions(&words) {
        // Extensions stand behind the capabilities, modes behind the entry point: a variant has one.
        if inst.opcode != op::CAPABILITY && !has_extension {
            push(&mut asking, op::EXTENSION, &text_words(RECONVERGENCE_EXTENSION));
            has_extension = true;
        }
        if let Some(id) = entry.take() {
            push(&mut asking, op::EXECUTION_MODE, &[id, MAXIMALLY_RECONVERGES]);
        }
        if let (op::ENTRY_POINT, [_, id, ..]) = (inst.opcode, inst.words) {
            entry = Some(*id);
        }
        push(&mut asking, inst.opcode, inst.words);
    }
    asking
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridwise_ir::descriptor::{Location, Spirv};

    const EACH: WidthControls =
        WidthControls { signed_zero_inf_nan_preserve: true, rounding_mode_rte: true, denorm_preserve: true };
    const ALL: FloatControls = FloatControls { float16: EACH, float32: EACH, float64: EACH };

    fn inst(opcode: u16, operands: &[u32]) -> Vec<u32> {
        let mut words = Vec::new();
        push(&mut words, opcode, operands);
        words
    }

    fn module(capabilities: &[u32], modes: &[u32]) -> Vec<u32> {
        let mut words = vec![0x0723_0203, 0x10500, 0, 9, 0];
        words.extend(inst(op::CAPABILITY, &[1]));
        capabilities.iter().for_each(|id| words.extend(inst(op::CAPABILITY, &[*id])));
        words.extend(inst(op::EXECUTION_MODE, &[4, 17, 64, 1, 1]));
        modes.iter().for_each(|id| words.extend(inst(op::EXECUTION_MODE, &[4, *id, 32])));
        // A constant whose operands look like a control stays.
        words.extend(inst(op::CONSTANT, &[1, 4466, 4461]));
        words
    }

    #[test]
    fn supported_controls_stay() {
        let words = module(&[4464, 4466, 4467], &[4459, 4461, 4462]);
        assert!(matches!(strip_float_controls(Cow::Borrowed(&words), ALL), Cow::Borrowed(_)));
    }

    #[test]
    fn unsupported_controls_go() {
        let words = module(&[4464, 4466, 4467], &[4459, 4461, 4462]);
        let without_denorm = FloatControls { float32: WidthControls { denorm_preserve: false, ..EACH }, ..ALL };
        assert_eq!(*strip_float_controls(Cow::Borrowed(&words), without_denorm), module(&[4466, 4467], &[4461, 4462]));
        assert_eq!(*strip_float_controls(Cow::Borrowed(&words), FloatControls::default()), module(&[], &[]));
    }

    #[test]
    fn a_capability_stays_while_a_width_has_its_mode() {
        let mut words = module(&[4464], &[4459]);
        words.extend(inst(op::EXECUTION_MODE, &[4, 4459, 16]));
        let without_denorm = FloatControls { float32: WidthControls { denorm_preserve: false, ..EACH }, ..ALL };
        let mut expected = module(&[4464], &[]);
        expected.extend(inst(op::EXECUTION_MODE, &[4, 4459, 16]));
        assert_eq!(*strip_float_controls(Cow::Borrowed(&words), without_denorm), expected);
    }

    #[test]
    fn modules_that_branch_ask_for_reconvergence() {
        let plain = module(&[61], &[]);
        assert_eq!(reconverging(plain.clone()), plain);
        let built = |extra: bool| {
            let mut words = plain[..HEADER].to_vec();
            words.extend(inst(op::CAPABILITY, &[1]));
            words.extend(inst(op::CAPABILITY, &[61]));
            if extra {
                push(&mut words, op::EXTENSION, &text_words(RECONVERGENCE_EXTENSION));
            }
            words.extend(inst(op::MEMORY_MODEL, &[0, 3]));
            words.extend(inst(op::ENTRY_POINT, &[5, 4, 0x6b]));
            if extra {
                words.extend(inst(op::EXECUTION_MODE, &[4, 6023]));
            }
            words.extend(inst(op::EXECUTION_MODE, &[4, 17, 64, 1, 1]));
            words.extend(inst(op::BRANCH_CONDITIONAL, &[7, 8, 9]));
            words
        };
        assert_eq!(reconverging(built(false)), built(true));
        let mut extension = Vec::new();
        push(&mut extension, op::EXTENSION, &text_words(RECONVERGENCE_EXTENSION));
        let bytes: Vec<u8> = extension[1..].iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(bytes.strip_suffix(b"\0\0\0"), Some(RECONVERGENCE_EXTENSION.as_bytes()));
        assert_eq!(extension[0], (extension.len() as u32) << 16 | u32::from(op::EXTENSION));
    }

    #[test]
    fn broken_modules_are_refused() {
        static GOOD: [u8; 28] = {
            let mut bytes = [0; 28];
            (bytes[0], bytes[1], bytes[2], bytes[3]) = (0x03, 0x02, 0x23, 0x07);
            (bytes[12], bytes[20], bytes[22], bytes[24]) = (1, 17, 2, 1);
            bytes
        };
        let check = |spirv: &'static [u8]| {
            let descriptor = KernelDescriptor {
                spirv: Spirv::Bytes(spirv),
                ..KernelDescriptor::new("k", Location { file: "", line: 1, column: 1 }, &[], "k", [1; 3], 0)
            };
            let desc = VariantDesc { entry_point: "k", constants: &[], keeps_names: false, faults: Faults::NONE };
            match words(&descriptor, FloatAtomics::default(), &desc) {
                Err(Error::InvalidModule { cause, .. }) => cause,
                other => panic!("{other:?}"),
            }
        };
        // Nothing is wrong with its words, only that they have no kernel.
        assert_eq!(check(&GOOD), "it has no such entry point");
        assert_eq!(check(&GOOD[..24]), "an instruction reaches past the end");
        assert_eq!(check(&GOOD[..27]), "its length is not that of a module");
        assert_eq!(check(&GOOD[4..]), "its magic number is not that of SPIR-V in this machine's byte order");
        assert_eq!(check(&[]), "it is shorter than its header");
    }
}
