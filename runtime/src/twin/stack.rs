//! The stacks that twins run on where a thread's own does not do: those of fibers, and that of a kernel with large locals.
//!
//! A stack is as large as the descriptor's `HostStack` says, an estimate from the IR as lowered.
//! [`Error::LocalsTooLarge`](crate::Error::LocalsTooLarge) refuses more than 128 MiB of locals, or 4 GiB in a workgroup
//! that waits.

use std::cell::RefCell;
use std::io;

#[cfg(windows)]
use corosensei::stack::StackTebFields;
use corosensei::stack::{DefaultStack, Stack, StackPointer};
use gridwise_ir::descriptor::HostStack;

/// Bytes of an ordinary fiber's stack; pages that are not used cost address space only.
const LEAST_BYTES: u64 = 1024 * 1024;

/// Bytes of a kernel's that the stack of any thread has room for.
const BYTES_OF_ANY_THREAD: u64 = 256 * 1024;

/// Bytes for what runs on a kernel's behalf: formatting of messages, the runtime itself, the system's signals.
const RESERVE_BYTES: u64 = 256 * 1024;

/// Bytes of the largest stack. An estimate counts each value several times, so that it may be many times [`MOST_LOCALS`]; it costs address
/// space, and memory only as far as the kernel reaches. A kernel with more is refused.
pub(crate) const MOST_BYTES: u64 = if usize::BITS == 64 { 1 << 37 } else { 1 << 30 };

/// Bytes of local variables that an invocation may have; a kernel with more is refused.
pub(crate) const MOST_LOCALS: u64 = 1 << 27;

/// Bytes of local variables that all fibers may have together. They are in memory as soon as the kernel has written them.
pub(crate) const MOST_LOCALS_TOGETHER: u64 = 1 << 32;

/// Ordinary stacks that a thread keeps for the next workgroup.
const KEPT_STACKS: usize = 1024;

/// Bytes by which neighbouring stacks begin at different places of their pages, and how many places there are.
const SHIFT: (usize, usize) = (64, 48);

thread_local! {
    static KEPT: RefCell<Vec<FiberStack>> = const { RefCell::new(Vec::new()) };
}

/// Bytes of stack for one invocation.
pub(super) fn bytes_for(stack: HostStack) -> u64 {
    stack.bytes.saturating_add(RESERVE_BYTES).clamp(LEAST_BYTES, MOST_BYTES).next_multiple_of(4096)
}

/// Runs `work`, which keeps so much on the stack, on this thread: on its own stack where that has room in any case.
///
/// # Errors
/// When there is no memory for another stack: so many bytes, and what the system said.
pub(crate) fn with_room<R>(stack: HostStack, work: impl FnOnce() -> R) -> Result<R, (u64, io::Error)> {
    if stack.bytes <= BYTES_OF_ANY_THREAD {
        return Ok(work());
    }
    let bytes = bytes_for(stack);
    match FiberStack::new(bytes, 0) {
        Ok(stack) => Ok(corosensei::on_stack(stack, work)),
        Err(cause) => Err((bytes, cause)),
    }
}

/// A stack that begins a little below the end of its memory.
///
/// All memory of stacks ends at the end of a page, so that what fibers use most would share few sets of the processor's caches.
pub(super) struct FiberStack {
    memory: DefaultStack,
    /// A multiple of the alignment of stacks.
    shift: usize,
    bytes: u64,
}

impl FiberStack {
    /// The stack number `index` of those that a workgroup takes.
    fn new(bytes: u64, index: usize) -> io::Result<Self> {
        let (step, places) = SHIFT;
        let size = usize::try_from(bytes).map_err(|_| io::ErrorKind::OutOfMemory)? + step * places;
        Ok(Self { memory: DefaultStack::new(size)?, shift: index % places * step, bytes })
    }
}

// SAFETY: the memory is a stack with a guard page; of its bytes fewer than a page are left out at the end, where it begins, and
// it is larger than a page by far.
unsafe impl Stack for FiberStack {
    #[inline]
    fn base(&self) -> StackPointer {
        // The shift is less than the size of the memory.
        StackPointer::new(self.memory.base().get() - self.shift).unwrap_or_else(|| self.memory.base())
    }

    #[inline]
    fn limit(&self) -> StackPointer {
        self.memory.limit()
    }

    #[cfg(windows)]
    fn teb_fields(&self) -> StackTebFields {
        self.memory.teb_fields()
    }

    #[cfg(windows)]
    fn update_teb_fields(&mut self, stack_limit: usize, guaranteed_stack_bytes: usize) {
        self.memory.update_teb_fields(stack_limit, guaranteed_stack_bytes);
    }
}

/// `count` stacks of at least `bytes` each.
pub(super) fn take(count: usize, bytes: u64) -> io::Result<Vec<FiberStack>> {
    let mut stacks = Vec::with_capacity(count);
    if bytes <= LEAST_BYTES {
        // There are none left where a thread ends.
        let _ = KEPT.try_with(|kept| {
            let mut kept = kept.borrow_mut();
            let from = kept.len().saturating_sub(count);
            stacks.extend(kept.drain(from..));
        });
    }
    while stacks.len() < count {
        stacks.push(FiberStack::new(bytes, stacks.len())?);
    }
    Ok(stacks)
}

/// Keeps ordinary stacks for the next workgroup of this thread. Larger ones go, and with them the memory that they have touched.
pub(super) fn give_back(stacks: impl Iterator<Item = FiberStack>) {
    let ordinary = stacks.filter(|stack| stack.bytes <= LEAST_BYTES);
    // Where the thread ends, they go at once.
    let _ = KEPT.try_with(|kept| {
        let mut kept = kept.borrow_mut();
        let room = KEPT_STACKS.saturating_sub(kept.len());
        kept.extend(ordinary.take(room));
    });
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[test]
    fn ordinary_stacks_are_used_again_and_large_ones_go() {
        let places = |stacks: &[FiberStack]| stacks.iter().map(|stack| stack.base().get()).collect::<Vec<_>>();
        let small = take(3, bytes_for(HostStack::LITTLE)).unwrap();
        let first = places(&small);
        give_back(small.into_iter());
        let again = take(3, bytes_for(HostStack::new(1000, 1000))).unwrap();
        assert_eq!(places(&again), first);
        give_back(again.into_iter());
        give_back(take(2, bytes_for(HostStack::new(4 << 20, 16 << 20))).unwrap().into_iter());
        assert_eq!(KEPT.with_borrow(Vec::len), 3);
    }

    #[test]
    fn neighbours_begin_at_different_places_of_their_pages() {
        let stacks = take(8, bytes_for(HostStack::new(1 << 20, 4 << 20))).unwrap();
        let mut inside: Vec<_> = stacks.iter().map(|stack| stack.base().get() % 4096).collect();
        inside.sort_unstable();
        inside.dedup();
        assert_eq!(inside.len(), 8);
    }

    #[test]
    fn locals_larger_than_a_threads_stack_have_room() {
        #[inline(never)]
        fn large() -> u64 {
            let mut locals = [1u64; 4 << 20];
            black_box(&mut locals).iter().sum()
        }
        let sum = with_room(HostStack::new(32 << 20, 100 << 20), large).unwrap();
        assert_eq!(sum, 4 << 20);
    }
}
