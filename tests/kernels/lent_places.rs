//! References to atomics in variables, and methods that change values which lie nowhere.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

const N: u32 = 256;

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "lent_places::inserted",
        [Insert],
        |mgr| {
            let table = mgr.tensor(&[u32::MAX; SLOTS as usize])?;
            let counts = mgr.tensor(&[Bin::default(); 3])?;
            let mut at = mgr.tensor(&vec![0u32; N as usize])?;
            let seq = mgr.sequence()?;
            Insert::dispatch(&seq, Grid::items(N), &table, &counts, &mut at)?;
            seq.eval()?;
            // Which slot a key gets depends on the order.
            let (mut keys, mut at) = (table.to_vec()?, at.to_vec()?);
            keys.sort_unstable();
            at.sort_unstable();
            let counts = counts.to_vec()?;
            let counts = counts.iter().flat_map(|bin| [bin.first, bin.seen[0], bin.seen[1]].map(Atomic::into_inner));
            Ok(vec![Output::U32(keys), Output::U32(at), Output::U32(counts.collect())])
        },
        || {
            let mut keys: Vec<u32> = (0..N).map(|i| i * 7 + 1).collect();
            keys.resize(SLOTS as usize, u32::MAX);
            let mut bins = [u32::MAX, 0, 0].repeat(3);
            for i in 0..N {
                let bin = (i % 3 * 3) as usize;
                bins[bin] = bins[bin].min(i + 5);
                bins[bin + 1 + (i % 2) as usize] += 2;
            }
            vec![Output::U32(keys), Output::U32(vec![1; N as usize]), Output::U32(bins)]
        }
    ),
    case!(
        "lent_places::shared",
        [InSharedMemory],
        |mgr| {
            let (bytes, mut y) = (mgr.tensor(&[0u8; 7])?, mgr.tensor(&[0u32; 4 * 3])?);
            let seq = mgr.sequence()?;
            InSharedMemory::dispatch(&seq, Grid::items(N), &bytes, &mut y)?;
            seq.eval()?;
            let bytes = bytes.to_vec()?.into_iter().map(u32::from);
            Ok(vec![Output::U32(y.to_vec()?.into_iter().chain(bytes).collect())])
        },
        || {
            let group = |g: u32| {
                let items = move || g * 64..g * 64 + 64;
                let most = items().filter(|i| i % 2 == 1).max().unwrap_or(0);
                [32, 32, most]
            };
            let mut bytes = [0u32; 7];
            (0..N).for_each(|i| bytes[(i % 7) as usize] += 1);
            vec![Output::U32((0..4).flat_map(group).chain(bytes).collect())]
        }
    ),
    case!(
        "lent_places::own",
        [Draw],
        |mgr| {
            let mut y = mgr.tensor(&vec![[0u32; 4]; N as usize])?;
            let seq = mgr.sequence()?;
            Draw::dispatch(&seq, Grid::items(N), &mut y)?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?.concat())])
        },
        || vec![Output::U32((0..N).flat_map(plain::drawn).collect())]
    ),
    case!("lent_places::out_of_range", [OutOfRange], |mgr| {
        let cells = mgr.tensor(&[1u32, 2, 3])?;
        let mut y = mgr.tensor(&[9u32; 4])?;
        let seq = mgr.sequence()?;
        OutOfRange::dispatch(&seq, Grid::items(4), &cells, &mut y)?;
        let report = super::traps::report(&seq)?;
        Ok(vec![report, Output::U32(cells.to_vec()?.into_iter().chain(y.to_vec()?).collect())])
    }),
];

#[device]
const SLOTS: u32 = 300;

/// The count and the first of a kind of item.
#[derive(GpuData, Debug, Clone, Copy)]
#[repr(C)]
struct Bin {
    first: Atomic<u32>,
    weight: u32,
    seen: [Atomic<u32>; 2],
}

impl Default for Bin {
    fn default() -> Self {
        Self { first: Atomic::new(u32::MAX), weight: 2, seen: [Atomic::new(0), Atomic::new(0)] }
    }
}

/// A table of keys: each is put into the first slot that is empty.
#[kernel]
fn insert(table: &[Atomic<u32>], bins: &[Bin], at: &mut [u32]) {
    let i = global_id().x;
    let key = i * 7 + 1;
    let mut hash = key * 31 % SLOTS;
    loop {
        let slot = &table[hash];
        if slot.load(Relaxed) == u32::MAX && slot.compare_exchange(u32::MAX, key, AcqRel, Relaxed).is_ok() {
            let same = slot;
            at[i] = (same.load(Relaxed) == key) as u32;
            break;
        }
        hash = (hash + 1) % SLOTS;
    }
    let bin = &bins[i % 3];
    bin.first.fetch_min(i + 5, Relaxed);
    let seen = &bin.seen;
    seen[i % 2].fetch_add(bin.weight, Relaxed);
}

#[device]
fn count(bytes: &[Atomic<u8>], i: u32) {
    let byte = &bytes[i % 7];
    byte.fetch_add(1, Relaxed);
}

#[kernel(workgroup = 64)]
fn in_shared_memory(bytes: &[Atomic<u8>], y: &mut [u32]) {
    let counts = Shared::<[Atomic<u32>; 2]>::new();
    let bins = Shared::<[Bin; 4]>::new();
    let (i, lane) = (global_id().x, local_index());
    let mine = &counts[lane % 2];
    mine.fetch_add(1, Relaxed);
    let bin = &bins[lane % 4];
    let most = &bin.seen[1];
    most.fetch_max(i, Relaxed);
    count(bytes, i);
    barrier();
    if lane == 0 {
        let to = workgroup_id().x * 3;
        y[to] = counts[0].load(Relaxed);
        y[to + 1] = counts[1].load(Relaxed);
        let (one, three) = (bins[1].seen[1].load(Relaxed), bins[3].seen[1].load(Relaxed));
        y[to + 2] = one.max(three);
    }
}

macro_rules! twice {
    ($($tokens:tt)*) => {
        #[device]
        mod own {
            $($tokens)*
        }
        mod plain {
            $($tokens)*
        }
    };
}

twice! {
    #[derive(Clone, Copy)]
    pub(super) struct Rng(pub(super) u32);

    impl Rng {
        pub(super) fn new(seed: u32) -> Self {
            Self(seed ^ 77)
        }

        pub(super) fn next(&mut self) -> u32 {
            self.0 = self.0.wrapping_mul(747_796_405).wrapping_add(1);
            self.0 >> 3
        }

        /// Changes itself and gives that.
        pub(super) fn skipped(&mut self, by: u32) -> Self {
            self.0 += by;
            *self
        }
    }

    #[derive(Clone, Copy)]
    pub(super) struct Pair {
        pub(super) left: Rng,
        pub(super) right: Rng,
    }

    pub(super) fn pair(n: u32) -> Pair {
        Pair { left: Rng(n), right: Rng(n + 1) }
    }

    /// References into an `Option`.
    pub(super) fn told(held: Option<u32>) -> u32 {
        let sum = held.as_ref().map_or(2, |v| *v + 1);
        let failed: Result<u32, u32> = held.as_ref().copied().ok_or(sum);
        match failed.as_ref() {
            Ok(v) => sum + v * 7,
            Err(e) => e * 100,
        }
    }

    pub(super) fn drawn(n: u32) -> [u32; 4] {
        let kept = Rng(n);
        let mut rng = kept;
        [
            Rng(n).next() + Rng::new(n).next(),
            Rng(n).skipped(3).next() ^ rng.skipped(1).next(),
            pair(n).right.next() + Pair { left: Rng(5), right: Rng(n) }.left.next(),
            (Rng(n)).next() + kept.0 + rng.next() + told((n % 3 > 0).then_some(n)),
        ]
    }
}

#[kernel]
fn draw(y: &mut [[u32; 4]]) {
    let i = global_id().x;
    y[i] = own::drawn(i);
    y[i][3] += own::Rng(i).next() - own::Rng(i).next();
}

/// A reference to what is not there traps where it is made.
#[kernel]
fn out_of_range(cells: &[Atomic<u32>], y: &mut [u32]) {
    let i = global_id().x;
    if i == 1 << 20 {
        return;
    }
    let cell = &cells[i];
    y[i] = i;
    cell.fetch_add(10, Relaxed);
    y[i] = i + 100;
}
