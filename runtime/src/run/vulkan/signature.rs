//! The content of a command buffer as numbers: a recording with the same numbers needs no new command buffer.
//!
//! Programs often record the same launches before each evaluation; a comparison costs less than writing them anew.

use std::sync::Arc;

use crate::memory::buffer::Buffer;
use crate::record::steps::{BufferArg, DispatchStep, RecordedOp, Role, Step};

/// The numbers of the command buffer as it is, and of the recording that asks for one.
#[derive(Default)]
pub(crate) struct Signature {
    /// Empty where the command buffer cannot serve again.
    current: Vec<u64>,
    next: Vec<u64>,
}

impl Signature {
    /// Whether these steps give the command buffer that there is.
    pub(crate) fn is_of(&mut self, steps: &[Step], ops: &[RecordedOp]) -> bool {
        self.next.clear();
        for op in ops {
            self.next.push(op.steps.len() as u64);
            if !steps[op.steps.clone()].iter().all(|step| add_step(&mut self.next, step)) {
                self.next.clear();
                break;
            }
        }
        !self.next.is_empty() && self.next == self.current
    }

    /// The command buffer is written anew: what it was serves nobody.
    pub(crate) fn forget(&mut self) {
        self.current.clear();
    }

    /// The command buffer of the steps that were asked about last is complete.
    pub(crate) fn settle(&mut self) {
        std::mem::swap(&mut self.current, &mut self.next);
    }
}

/// Adds the numbers of a step; false for one whose commands they do not settle.
fn add_step(numbers: &mut Vec<u64>, step: &Step) -> bool {
    match step {
        Step::Dispatch(dispatch) => return add_dispatch(numbers, dispatch),
        Step::Barrier => numbers.push(1),
        Step::Copy { from, from_offset, to, to_offset, bytes } => {
            numbers.push(2);
            add_buffer(numbers, from);
            add_buffer(numbers, to);
            numbers.extend([from_offset, to_offset, bytes]);
        }
        Step::Fill { buffer, pattern, bytes } => {
            numbers.extend([3, pattern.len() as u64, *bytes]);
            add_buffer(numbers, buffer);
            numbers.extend(pattern.iter().map(|word| u64::from(*word)));
        }
        // They write no commands; what an evaluation does about them is gathered anew.
        Step::Signal(_) => numbers.push(4),
        Step::WaitFor(_) => numbers.push(5),
        Step::Module(_) | Step::Host(_) | Step::CopyBox(_) | Step::Image(_) | Step::Commands(_) | Step::Between(_) => {
            return false;
        }
    }
    true
}

fn add_dispatch(numbers: &mut Vec<u64>, step: &DispatchStep) -> bool {
    let Some(pipeline) = &step.pipeline else { return false };
    let is_plain = step.parameters.is_empty() && step.indirect.is_none() && step.guards.is_none();
    // A view of texels lasts as long as its argument does.
    let is_lasting = |argument: &BufferArg| !argument.buffer.is_image() && argument.role != Role::Texels;
    if !is_plain || !step.buffers.iter().all(is_lasting) {
        return false;
    }
    // A device keeps the pipelines of its kernels, so no other has the address. Kernels of the same words have one pipeline.
    let [x, y, z] = step.extent.groups.map(u64::from);
    let counts = (step.buffers.len() as u64) << 1 | u64::from(step.is_proven);
    let pipeline = Arc::as_ptr(pipeline).addr() as u64;
    let descriptor = std::ptr::from_ref(step.descriptor).addr() as u64;
    let constants = step.constants.as_ptr().addr() as u64;
    numbers.extend_from_slice(&[6, counts, pipeline, descriptor, constants, x, y, z]);
    for BufferArg { buffer, param, binding, is_written, sampler: _, role } in &step.buffers {
        let place = u64::from(*param) << 32 | u64::from(*binding) << 8 | (*role as u64) << 1 | u64::from(*is_written);
        numbers.extend_from_slice(&[buffer.id, buffer.start(), buffer.bytes(), place]);
    }
    let (words, rest) = step.push.bytes().as_chunks::<8>();
    numbers.extend(words.iter().map(|word| u64::from_ne_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    numbers.push(u64::from_ne_bytes(last));
    true
}

/// Adds a buffer, as no other has ever been told, and its place in the memory that it is a part of.
fn add_buffer(numbers: &mut Vec<u64>, buffer: &Buffer) {
    numbers.extend_from_slice(&[buffer.id, buffer.start(), buffer.bytes()]);
}
