//! Tuple structs that lie in buffers, in shared memory and in parameters. The module around the types imports no `GpuData`.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, moderate, patterns};

const N: usize = 96;

#[device]
mod units {
    use std::ops::Add;

    #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, GpuData)]
    #[repr(C)]
    pub(super) struct Meters(pub(super) f32);

    impl Add for Meters {
        type Output = Self;
        fn add(self, Self(other): Self) -> Self {
            Self(self.0 + other)
        }
    }

    /// 16 bytes of which four are between the members.
    #[derive(Debug, Clone, Copy, PartialEq, GpuData)]
    #[repr(C)]
    pub(super) struct Marked<T>(pub(super) u32, pub(super) T);

    impl<T> Marked<T> {
        pub(super) fn raise(&mut self, by: u32) -> u32 {
            self.0 += by;
            self.0
        }
    }

    #[derive(Debug, Clone, Copy, PartialEq, ::gridwise::GpuData)]
    #[repr(C)]
    pub(super) struct Track(pub(super) [Meters; 3], pub(super) Marked<u64>);

    pub(super) fn length(Track(steps, _): Track) -> Meters {
        steps.iter().fold(Meters::default(), |sum, step| sum + *step)
    }
}
use units::{Marked, Meters, Track, length};

/// Beside a module, with an atomic.
#[derive(Debug, Clone, Copy, GpuData)]
#[repr(C)]
pub struct Counter(u32, Atomic<u32>);

#[kernel(workgroup = 32)]
fn in_buffers(offset: Meters, tracks: &mut [Track], lengths: &mut [Meters], counters: &[Counter]) {
    let tile = Shared::<[Marked<u64>; 32]>::new();
    let (i, t) = (global_id().x as usize, local_id().x as usize);
    tile[t] = tracks[i].1;
    barrier();
    let Marked(number, value) = tile[31 - t];
    tracks[i].1.1 ^= value;
    let raised = tracks[i].1.raise(number);
    tracks[i].0[raised as usize % 3].0 += 1.0;
    tracks[i].0[0] = tracks[i].0[0] + offset;
    lengths[i] = match length(tracks[i]) {
        Meters(short) if short < 0.0 => Meters(-short),
        long => long,
    };
    counters[i % 4].1.fetch_add(counters[i % 4].0, Relaxed);
}

fn tracks() -> Vec<Track> {
    let (steps, marks) = (moderate(3 * N, 17, 10.0), patterns(N, 18));
    let marks = marks.into_iter().map(|mark| Marked(mark % 1000, u64::from(mark) << 20));
    let steps = steps.chunks(3).map(|steps| [Meters(steps[0]), Meters(steps[1]), Meters(steps[2])]);
    steps.zip(marks).map(|(steps, mark)| Track(steps, mark)).collect()
}

fn flat(tracks: &[Track], lengths: &[Meters], counters: &[Counter]) -> Vec<Output> {
    let steps = tracks.iter().flat_map(|track| track.0.map(|step| step.0));
    let marks =
        tracks.iter().flat_map(|Track(_, Marked(number, value))| [*number, *value as u32, (*value >> 32) as u32]);
    let counters = counters.iter().map(|counter| counter.1.into_inner());
    vec![
        Output::exact(steps.chain(lengths.iter().map(|length| length.0)).collect()),
        Output::U32(marks.chain(counters).collect()),
    ]
}

fn expected() -> Vec<Output> {
    let old = tracks();
    let mut new = old.clone();
    let mut lengths = Vec::new();
    for (i, track) in new.iter_mut().enumerate() {
        let other = old[i / 32 * 32 + 31 - i % 32].1;
        track.1.1 ^= other.1;
        track.1.0 += other.0;
        track.0[track.1.0 as usize % 3].0 += 1.0;
        track.0[0].0 += 0.25;
        lengths.push(Meters((0.0 + track.0[0].0 + track.0[1].0 + track.0[2].0).abs()));
    }
    let counters: Vec<_> = (0..4).map(|k| Counter(k, Atomic::new(N as u32 / 4 * k))).collect();
    flat(&new, &lengths, &counters)
}

/// The entries.
pub const CASES: &[Case] = &[case!(
    "tuple_structs::in_buffers",
    [InBuffers],
    |mgr| {
        let mut tracks = mgr.tensor(&tracks())?;
        let mut lengths = mgr.tensor_of_len::<Meters>(N)?;
        let counters = mgr.tensor(&[0u32, 1, 2, 3].map(|k| Counter(k, Atomic::new(0))))?;
        let seq = mgr.sequence()?;
        InBuffers::dispatch(&seq, Grid::items(N), Meters(0.25), &mut tracks, &mut lengths, &counters)?;
        seq.eval()?;
        Ok(flat(&tracks.to_vec()?, &lengths.to_vec()?, &counters.to_vec()?))
    },
    expected
)];
