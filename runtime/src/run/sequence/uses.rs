//! The accesses of a recording to its buffers, for the schedule. It must not know what the steps do.

use std::ops::Range;
use std::sync::Arc;

use crate::core::sync::numbering::Numbering;
use crate::core::sync::schedule::{Use, WHOLE};
use crate::memory::buffer::Buffer;

/// The most uses of one buffer that are told apart; a recording with more uses all of it.
const MOST: usize = 16;

/// A buffer, and what a recording does to some bytes of its memory.
#[derive(Debug, Clone)]
pub(crate) struct BufferUse {
    pub(crate) buffer: Arc<Buffer>,
    bytes: Range<u64>,
    is_written: bool,
}

impl BufferUse {
    pub(super) fn new(buffer: &Arc<Buffer>, bytes: Range<u64>, is_written: bool) -> Self {
        let bytes = if buffer.is_shared() { WHOLE } else { bytes };
        Self { buffer: buffer.clone(), bytes, is_written: is_written || buffer.is_shared() }
    }

    /// Whether it is this use, as [`new`](Self::new) is told of it.
    pub(super) fn is(&self, buffer: &Arc<Buffer>, bytes: &Range<u64>, is_written: bool) -> bool {
        Arc::ptr_eq(&self.buffer, buffer) && self.bytes == *bytes && self.is_written == is_written
    }

    fn is_whole(&self) -> bool {
        self.bytes.start == 0 && self.bytes.end >= self.buffer.memory_bytes()
    }

    /// The same, as the schedule has it.
    pub(super) fn scheduled(&self) -> Use<'_> {
        Use { uses: &self.buffer.uses, bytes: self.bytes.clone(), is_write: self.is_written }
    }
}

/// Gathers the uses of steps.
pub(super) struct Gathered<'a> {
    uses: &'a mut Vec<BufferUse>,
    numbering: &'a mut Numbering,
    /// Whether a buffer has several.
    are_several: bool,
    /// The use that the step before had at each position. Launches in a row most often have the same, or one that is next in order.
    before: [usize; 4],
    position: usize,
}

impl<'a> Gathered<'a> {
    /// None yet.
    pub(super) fn new(uses: &'a mut Vec<BufferUse>, numbering: &'a mut Numbering) -> Self {
        uses.clear();
        numbering.clear();
        Self { uses, numbering, are_several: false, before: [usize::MAX; 4], position: 0 }
    }

    pub(super) fn begin_step(&mut self) {
        self.position = 0;
    }

    /// Adds a use of a step.
    pub(super) fn add(&mut self, buffer: &Arc<Buffer>, bytes: Range<u64>, is_written: bool) {
        if let Some(before) = self.before.get_mut(self.position) {
            self.position += 1;
            if self.uses.get(*before).is_some_and(|used| used.is(buffer, &bytes, is_written)) {
                return;
            }
            *before = self.uses.len();
        }
        self.are_several |= self.numbering.place_of(buffer.id) < self.uses.len();
        self.uses.push(BufferUse::new(buffer, bytes, is_written));
    }

    /// Makes one use of those that the schedule need not tell apart.
    pub(super) fn finish(self) {
        match self.are_several {
            true => join(self.uses),
            false => mark_whole(self.uses),
        }
    }
}

fn mark_whole(uses: &mut [BufferUse]) {
    uses.iter_mut().filter(|used| used.is_whole()).for_each(|used| used.bytes = WHOLE);
}

fn join(uses: &mut Vec<BufferUse>) {
    // Writes first: they stand for reads of the same.
    uses.sort_unstable_by_key(|used| (used.buffer.id, !used.is_written, used.bytes.start));
    let is_joined = |later: &mut BufferUse, earlier: &mut BufferUse| {
        let is_one = later.buffer.id == earlier.buffer.id && earlier.bytes.start <= later.bytes.start;
        let is_covered = is_one && later.bytes.end <= earlier.bytes.end;
        let is_continued = is_one && later.is_written == earlier.is_written && later.bytes.start <= earlier.bytes.end;
        if is_continued {
            earlier.bytes.end = earlier.bytes.end.max(later.bytes.end);
        }
        is_covered || is_continued
    };
    uses.dedup_by(is_joined);
    mark_whole(uses);
    for of_one in uses.chunk_by_mut(|one, other| one.buffer.id == other.buffer.id) {
        if of_one.len() > MOST {
            let is_written = of_one.iter().any(|used| used.is_written);
            of_one.iter_mut().for_each(|used| (used.bytes, used.is_written) = (WHOLE, is_written));
        }
    }
    uses.dedup_by(is_joined);
}
