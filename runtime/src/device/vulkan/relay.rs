//! Copies of many bytes by several threads, on and on while the device copies, too: one thread alone reaches a fraction of what
//! memory and bus can do, and threads that wait for each other after every piece leave the bus idle. It must not know what it
//! copies from or to.

use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed, SeqCst},
};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle, available_parallelism};
use std::time::{Duration, Instant};

/// Pieces that may be open at once.
pub(super) const LANES: usize = 4;
/// Threads beyond which copies gain nothing.
const MOST: usize = 12;
/// Bytes that a thread takes at a time: so few that all end a piece at about the same time.
const BLOCK: usize = 256 << 10;
/// Bytes below which a copy is done before other threads wake.
const WORTH_IT: usize = 1 << 20;
/// How long a thread looks for work before it sleeps while there are transfers: longer than the device takes for a piece, but not as
/// long as it may work on something else first. Being woken takes 50 µs and more.
const SPIN: Duration = Duration::from_millis(3);
/// The same when there are none.
const SPIN_AFTER: Duration = Duration::from_micros(50);
/// How often who waits for the threads looks again before it lets others run.
const LOOKS: u32 = 4096;

/// Threads that copy, or none: then who opens a piece copies it alone. Dropping it ends the threads.
#[derive(Debug)]
pub(super) struct Relay {
    work: Arc<Work>,
    threads: Vec<JoinHandle<()>>,
    /// How often was looked in vain since a piece was opened.
    looks: AtomicU32,
}

/// The state that the threads share.
#[derive(Debug, Default)]
struct Work {
    lanes: [Lane; LANES],
    /// Threads that sleep, or are about to.
    sleeping: AtomicUsize,
    /// Whether more pieces are to come soon.
    is_busy: AtomicBool,
    is_closed: AtomicBool,
    door: Mutex<()>,
    opened: Condvar,
}

/// The lane in which one piece after the other is copied. Invariant: a piece is opened only when the one before it is
/// copied whole.
#[derive(Debug, Default)]
struct Lane {
    /// The blocks of the piece, and in the lower half how many of them are taken: one word, so that whoever takes a block knows
    /// that it is one of the piece that the fields below speak of.
    claims: AtomicU64,
    /// Blocks that are not copied yet.
    left: AtomicU32,
    from: AtomicPtr<u8>,
    to: AtomicPtr<u8>,
    bytes: AtomicUsize,
}

impl Relay {
    /// With as many threads as are of use here.
    pub(super) fn new() -> Self {
        let cores = available_parallelism().map_or(1, |cores| cores.get());
        // One core stays for everything else; two threads gain too little to be worth waking.
        Self::with_threads(if cores < 4 { 0 } else { (cores - 1).min(MOST) })
    }

    fn with_threads(count: usize) -> Self {
        let mut relay = Self { work: Arc::default(), threads: Vec::with_capacity(count), looks: AtomicU32::new(0) };
        for index in 0..count {
            let work = relay.work.clone();
            let named = thread::Builder::new().name(format!("gridwise-copy-{index}"));
            match named.spawn(move || work.run()) {
                Ok(thread) => relay.threads.push(thread),
                // With fewer it takes longer, that is all.
                Err(error) => {
                    tracing::debug!(%error, "no thread for copies; they take longer");
                    break;
                }
            }
        }
        relay
    }

    /// Wakes the threads for pieces that come soon, if any of them has so many bytes that it is worth it; until
    /// [`finish`](Self::finish).
    pub(super) fn begin(&self, bytes: u64) {
        if bytes >= WORTH_IT as u64 && !self.threads.is_empty() {
            self.work.is_busy.store(true, SeqCst);
            self.work.wake();
        }
    }

    /// Begins to copy; a small piece is copied at once.
    ///
    /// # Safety
    /// The last piece of the lane is copied. `from` is valid for reads of so many bytes, `to` for writes, they do not overlap, and all
    /// that stays so until [`is_copied`](Self::is_copied) says true of the lane.
    pub(super) unsafe fn open(&self, lane: usize, from: *const u8, to: *mut u8, bytes: usize) {
        if self.threads.is_empty() || bytes < WORTH_IT {
            // SAFETY: the caller's promise.
            return unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
        }
        let lane = &self.work.lanes[lane];
        let blocks = bytes.div_ceil(BLOCK) as u32;
        lane.from.store(from.cast_mut(), Relaxed);
        lane.to.store(to, Relaxed);
        lane.bytes.store(bytes, Relaxed);
        lane.left.store(blocks, Relaxed);
        // All of the above is seen by who takes a block.
        lane.claims.store(u64::from(blocks) << 32, SeqCst);
        self.looks.store(0, Relaxed);
        self.work.wake();
    }

    /// Whether the piece that was opened last on a lane is copied; what it holds is then seen by the caller.
    pub(super) fn is_copied(&self, lane: usize) -> bool {
        self.work.lanes[lane].left.load(Acquire) == 0
    }

    /// Waits until all that was opened is copied; the threads may rest then.
    pub(super) fn finish(&self) {
        self.work.is_busy.store(false, Relaxed);
        for lane in 0..LANES {
            while !self.is_copied(lane) {
                self.pass_time();
            }
        }
    }

    /// Spends a moment while others copy; copies as long as some of them are still asleep.
    pub(super) fn pass_time(&self) {
        if self.work.sleeping.load(Relaxed) > 0 && self.work.lanes.iter().any(Lane::copy_block) {
            return;
        }
        match self.looks.fetch_add(1, Relaxed) {
            0..LOOKS => (0..16).for_each(|_| std::hint::spin_loop()),
            _ => thread::yield_now(),
        }
    }
}

impl Work {
    /// The main loop of a thread.
    fn run(&self) {
        let mut at = 0;
        while !self.is_closed.load(Acquire) {
            // Pieces are opened lane after lane: where one has no block left, the next has the next piece.
            match (0..LANES).map(|step| (at + step) % LANES).find(|lane| self.lanes[*lane].copy_block()) {
                Some(lane) => at = lane,
                None => self.idle(),
            }
        }
    }

    /// Lets threads that sleep look again.
    fn wake(&self) {
        if self.sleeping.load(SeqCst) > 0 {
            // Nobody is between looking for work and sleeping while the door is held.
            drop(self.door.lock().unwrap_or_else(PoisonError::into_inner));
            self.opened.notify_all();
        }
    }

    fn has_block(&self) -> bool {
        self.lanes.iter().any(|lane| has_block(lane.claims.load(SeqCst)))
    }

    /// Spins, then sleeps until there is a block to copy.
    fn idle(&self) {
        let since = Instant::now();
        while since.elapsed() < if self.is_busy.load(Relaxed) { SPIN } else { SPIN_AFTER } {
            for _ in 0..64 {
                if self.has_block() || self.is_closed.load(Relaxed) {
                    return;
                }
                std::hint::spin_loop();
            }
        }
        let mut door = self.door.lock().unwrap_or_else(PoisonError::into_inner);
        // From here on, who opens a piece sees that somebody sleeps; or the piece is seen below.
        self.sleeping.fetch_add(1, SeqCst);
        let mut is_woken = false;
        while !(self.has_block() || self.is_closed.load(SeqCst) || is_woken && self.is_busy.load(SeqCst)) {
            is_woken = true;
            door = self.opened.wait(door).unwrap_or_else(PoisonError::into_inner);
        }
        self.sleeping.fetch_sub(1, SeqCst);
    }
}

/// Whether a lane has blocks that nobody took.
fn has_block(claims: u64) -> bool {
    (claims as u32) < (claims >> 32) as u32
}

impl Lane {
    /// Copies a block that nobody has taken; false where there is none.
    fn copy_block(&self) -> bool {
        // A look first: a lane without blocks is not written to.
        if !has_block(self.claims.load(Relaxed)) {
            return false;
        }
        let claims = self.claims.fetch_add(1, Acquire);
        if !has_block(claims) {
            return false;
        }
        let start = claims as u32 as usize * BLOCK;
        let bytes = BLOCK.min(self.bytes.load(Relaxed) - start);
        let (from, to) = (self.from.load(Relaxed), self.to.load(Relaxed));
        // SAFETY: the promise of who opened the piece, which holds as long as a block of it is not copied; this one is nobody else's.
        unsafe { std::ptr::copy_nonoverlapping(from.wrapping_add(start), to.wrapping_add(start), bytes) };
        self.left.fetch_sub(1, AcqRel);
        true
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.finish();
        self.work.is_closed.store(true, SeqCst);
        drop(self.work.door.lock().unwrap_or_else(PoisonError::into_inner));
        self.work.opened.notify_all();
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                tracing::error!("a thread that copies panicked");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_threads_copies_every_byte_and_no_other() {
        let most = if cfg!(miri) { WORTH_IT + 4097 } else { (3 << 20) + 4097 };
        let source: Vec<u8> = (0..most as u32).map(|at| ((at * 31) >> 3) as u8).collect();
        for threads in [0, 1, 3, 7] {
            let relay = Relay::with_threads(threads);
            assert_eq!(relay.threads.len(), threads);
            for (round, bytes) in [0, 1, WORTH_IT - 1, WORTH_IT, WORTH_IT + 1, most].into_iter().enumerate() {
                let mut target = vec![7u8; bytes + 1];
                // SAFETY: both have so many bytes, and live until after `finish`.
                unsafe { relay.open(round % LANES, source.as_ptr(), target.as_mut_ptr(), bytes) };
                relay.finish();
                assert!(target[..bytes] == source[..bytes] && target[bytes] == 7, "{threads} threads, {bytes} bytes");
            }
        }
    }

    #[test]
    fn lanes_are_copied_side_by_side_piece_after_piece() {
        let (pieces, bytes) = if cfg!(miri) { (6, WORTH_IT) } else { (60, WORTH_IT + 4) };
        let source: Vec<u8> = (0..(pieces * bytes) as u32).map(|at| ((at * 7) >> 2) as u8).collect();
        let mut target = vec![0u8; pieces * bytes];
        let (from, to) = (source.as_ptr(), target.as_mut_ptr());
        let relay = Relay::with_threads(3);
        relay.begin(bytes as u64);
        for piece in 0..pieces {
            while !relay.is_copied(piece % LANES) {
                relay.pass_time();
            }
            if piece % 13 == 12 && !cfg!(miri) {
                thread::sleep(SPIN * 3); // they fall asleep, and are woken
            }
            // SAFETY: the piece lies in both, which live until after `finish`; the lane is free.
            unsafe { relay.open(piece % LANES, from.add(piece * bytes), to.add(piece * bytes), bytes) };
        }
        relay.finish();
        assert!(source == target);
    }

    #[test]
    fn dropping_it_ends_what_was_begun() {
        let source = vec![5u8; 2 * WORTH_IT];
        let mut target = vec![0u8; 2 * WORTH_IT];
        let relay = Relay::with_threads(3);
        // SAFETY: both have so many bytes, and live until after the relay.
        unsafe { relay.open(2, source.as_ptr(), target.as_mut_ptr(), 2 * WORTH_IT) };
        drop(relay);
        assert!(source == target);
    }
}
