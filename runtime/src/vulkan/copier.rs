//! Copies of many bytes by several threads: one alone reaches a fraction of what memory and bus can do.

use std::thread::available_parallelism;

use rayon::ThreadPool;
use rayon::prelude::*;

/// Threads beyond which copies gain nothing.
const MOST: usize = 8;
/// Bytes below which a copy is done before other threads wake.
const WORTH_IT: usize = 1 << 20;

/// Threads that copy, or none: then the caller copies alone.
#[derive(Debug)]
pub(super) struct Copier {
    pool: Option<ThreadPool>,
}

impl Copier {
    /// With as many threads as are of use here.
    pub(super) fn new() -> Self {
        let cores = available_parallelism().map_or(1, |cores| cores.get());
        // One core stays for everything else; two threads gain too little to be worth waking.
        Self::with_threads((cores - 1).min(MOST))
    }

    fn with_threads(threads: usize) -> Self {
        if threads < 3 {
            return Self { pool: None };
        }
        let name = |index| format!("gridwise-copy-{index}");
        // Without threads it takes longer, that is all.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build();
        if let Err(error) = &pool {
            tracing::debug!(%error, "no threads for copies; they take longer");
        }
        Self { pool: pool.ok() }
    }

    /// Copies bytes.
    ///
    /// # Safety
    /// `from` is valid for reads of so many bytes, `to` for writes, and they do not overlap.
    pub(super) unsafe fn copy(&self, from: *const u8, to: *mut u8, bytes: usize) {
        let Some(pool) = self.pool.as_ref().filter(|_| bytes >= WORTH_IT) else {
            // SAFETY: the caller's promise.
            return unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
        };
        // Whole pages, so that no two threads touch one for the first time.
        let part = bytes.div_ceil(pool.current_num_threads()).next_multiple_of(4096);
        let (from, to) = (from.expose_provenance(), to.expose_provenance());
        pool.install(|| {
            (0..bytes.div_ceil(part)).into_par_iter().for_each(|index| {
                let start = index * part;
                let len = part.min(bytes - start);
                // SAFETY: the caller's promise; the parts do not overlap, and the call ends after all of them.
                unsafe {
                    let from = std::ptr::with_exposed_provenance::<u8>(from + start);
                    let to = std::ptr::with_exposed_provenance_mut::<u8>(to + start);
                    std::ptr::copy_nonoverlapping(from, to, len);
                }
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_threads_copies_every_byte_and_no_other() {
        let source: Vec<u8> = (0..(3 << 20) + 4097u32).map(|at| ((at * 31) >> 3) as u8).collect();
        for threads in [0, 3, 4, 7] {
            let copier = Copier::with_threads(threads);
            assert_eq!(copier.pool.is_some(), threads > 0);
            for bytes in [0, 1, WORTH_IT - 1, WORTH_IT, WORTH_IT + 1, source.len()] {
                let mut target = vec![7u8; bytes + 1];
                // SAFETY: both have so many bytes.
                unsafe { copier.copy(source.as_ptr(), target.as_mut_ptr(), bytes) };
                assert!(target[..bytes] == source[..bytes] && target[bytes] == 7, "{threads} threads, {bytes} bytes");
            }
        }
    }
}
