//! The content of a command buffer as numbers: a recording with the same numbers needs no new command buffer, and one that differs in
//! nothing but which buffers, kernels and values there are has the same order and the same barriers.
//!
//! Programs often record the same launches before each evaluation, or the same with other tensors; a comparison costs less than writing
//! or ordering them anew.

use std::sync::Arc;

use crate::core::sync::numbering::Numbering;
use crate::memory::buffer::Buffer;
use crate::record::steps::{BufferArg, DispatchStep, RecordedOp, Role, Step};

/// The numbers of the recording that was written last, and of the one that asks for a command buffer.
#[derive(Default)]
pub(crate) struct Signature {
    last: Numbers,
    next: Numbers,
    /// Whether the command buffer is what `last` says.
    is_written: bool,
    /// The buffers of `next`, by their ids.
    places: Numbering,
}

/// How a recording is like the one that was written last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Likeness {
    /// It gives the same command buffer.
    Same,
    /// It has the same dependencies: buffers, kernels or values are others.
    Shape,
    Different,
}

/// A recording as numbers; none where they do not settle its commands.
#[derive(Default)]
struct Numbers {
    /// All that order and barriers follow from: which steps use which bytes of which buffer, where buffers are told by the order of their
    /// first use.
    shape: Vec<u64>,
    /// The rest.
    content: Vec<u64>,
}

impl Signature {
    /// How these steps are like those of the last time.
    pub(crate) fn compare(&mut self, steps: &[Step], ops: &[RecordedOp]) -> Likeness {
        let Self { last, next, places, .. } = self;
        next.clear();
        places.clear();
        for op in ops {
            next.shape.push(op.steps.len() as u64);
            if !steps[op.steps.clone()].iter().all(|step| next.add_step(places, step)) {
                next.clear();
                break;
            }
        }
        match next.shape.is_empty() || next.shape != last.shape {
            true => Likeness::Different,
            false if self.is_written && next.content == last.content => Likeness::Same,
            false => Likeness::Shape,
        }
    }

    /// The command buffer is written anew: what it was serves nobody.
    pub(crate) fn forget(&mut self) {
        self.is_written = false;
    }

    /// The command buffer of the steps that were asked about last is complete.
    pub(crate) fn settle(&mut self) {
        std::mem::swap(&mut self.last, &mut self.next);
        self.is_written = true;
    }
}

impl Numbers {
    fn clear(&mut self) {
        self.shape.clear();
        self.content.clear();
    }

    /// Adds a step; false for one whose commands numbers do not settle.
    fn add_step(&mut self, places: &mut Numbering, step: &Step) -> bool {
        match step {
            Step::Dispatch(dispatch) => return self.add_dispatch(places, dispatch),
            Step::Barrier => self.shape.push(1),
            Step::Copy { from, from_offset, to, to_offset, bytes } => {
                self.shape.extend([2, *from_offset, *to_offset, *bytes]);
                self.add_buffer(places, from);
                self.add_buffer(places, to);
            }
            Step::Fill { buffer, pattern, bytes } => {
                self.shape.extend([3, pattern.len() as u64, *bytes]);
                self.add_buffer(places, buffer);
                self.shape.extend(pattern.iter().map(|word| u64::from(*word)));
            }
            // They write no commands; what an evaluation does about them is gathered anew.
            Step::Signal(_) => self.shape.push(4),
            Step::WaitFor(_) => self.shape.push(5),
            Step::Module(_)
            | Step::Host(_)
            | Step::CopyBox(_)
            | Step::Image(_)
            | Step::Commands(_)
            | Step::Between(_) => return false,
        }
        true
    }

    fn add_dispatch(&mut self, places: &mut Numbering, step: &DispatchStep) -> bool {
        let DispatchStep { settled, args, .. } = step;
        let Some(pipeline) = &settled.pipeline else { return false };
        let is_plain = args.parameters.is_empty() && step.indirect.is_none() && step.guards.is_none();
        // A view of texels lasts as long as its argument does.
        let is_lasting = |argument: &BufferArg| !argument.buffer.is_image() && argument.role != Role::Texels;
        if !is_plain || !args.buffers.iter().all(is_lasting) {
            return false;
        }
        self.shape.push((args.buffers.len() as u64) << 3 | 6);
        // A device keeps the pipelines of its kernels, so no other has the address. Kernels of the same words have one pipeline.
        let [x, y, z] = settled.extent.groups.map(u64::from);
        let pipeline = Arc::as_ptr(pipeline).addr() as u64;
        let descriptor = std::ptr::from_ref(settled.descriptor).addr() as u64;
        let constants = settled.constants.as_ptr().addr() as u64;
        self.content.extend_from_slice(&[pipeline, descriptor, constants, x, y << 32 | z, settled.proven.bits()]);
        for BufferArg { buffer, param, binding, is_written, sampler: _, role } in &args.buffers {
            let place = (places.place_of(buffer.id) as u64) << 1 | u64::from(*is_written);
            self.shape.extend_from_slice(&[place, buffer.start(), buffer.bytes()]);
            let binding = u64::from(*param) << 32 | u64::from(*binding) << 8 | *role as u64;
            self.content.extend_from_slice(&[buffer.id, binding]);
        }
        let (words, rest) = args.push.bytes().as_chunks::<8>();
        self.content.extend(words.iter().map(|word| u64::from_ne_bytes(*word)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.content.push(u64::from_ne_bytes(last));
        true
    }

    /// Adds a buffer, as no other has ever been told, and its place in the memory that it is a part of.
    fn add_buffer(&mut self, places: &mut Numbering, buffer: &Buffer) {
        self.shape.extend_from_slice(&[places.place_of(buffer.id) as u64, buffer.start(), buffer.bytes()]);
        self.content.push(buffer.id);
    }
}
