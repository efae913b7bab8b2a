//! Heat on a plate of as many strips as there are devices. A strip keeps [`HALO`] rows of each neighbour, and so takes as many steps
//! before it needs new ones: each step computes a row less of them.

use std::time::{Duration, Instant};

use gridwise::ops::OpCopy;
use gridwise::prelude::*;

use crate::error::Error;
use crate::{Bench, together, wrong};

/// Rows that a strip keeps of each neighbour, and steps between two exchanges; even, so that the plate ends where it began.
const HALO: usize = 32;
/// Exchanges of a sample.
const ROUNDS: usize = 8;
/// The share of the difference to its neighbours that a cell makes up for in a step.
const K: f32 = 0.24;

/// One step for a rectangle of cells; a row has `pitch` of them.
#[kernel(workgroup = [32, 8])]
fn spread(k: f32, first: UVec2, pitch: u32, from: &[f32], to: &mut [f32]) {
    let at = first + global_id().xy();
    let i = at.y * pitch + at.x;
    let around = from[i - 1] + from[i + 1] + from[i - pitch] + from[i + pitch];
    to[i] = from[i] + k * (around - 4.0 * from[i]);
}

/// The rows of a device: a row above that stays, or the neighbour's; its own; and the same below.
struct Strip {
    own: usize,
    above: usize,
    below: usize,
}

impl Strip {
    fn new(at: usize, count: usize, own: usize) -> Self {
        Self { own, above: if at == 0 { 1 } else { HALO }, below: if at + 1 == count { 1 } else { HALO } }
    }

    fn rows(&self) -> usize {
        self.above + self.own + self.below
    }

    /// The rows that step `step` of a round computes, as first and number.
    fn computed(&self, step: usize) -> (usize, usize) {
        let lost = |rows: usize| if rows == 1 { 1 } else { step + 1 };
        (lost(self.above), self.rows() - lost(self.above) - lost(self.below))
    }
}

/// A plate on some devices.
struct Plate {
    strips: Vec<Strip>,
    pitch: usize,
    cells: Vec<[Tensor<f32>; 2]>,
    /// A round of steps on each device.
    steps: Vec<Sequence>,
    /// Copies of the rows at the sides.
    exchanges: Vec<Sequence>,
}

impl Plate {
    fn new(managers: &[Manager], pitch: usize, own: usize) -> Result<Self, Error> {
        let count = managers.len();
        let strips: Vec<Strip> = (0..count).map(|at| Strip::new(at, count, own)).collect();
        let mut cells = Vec::new();
        for (at, (manager, strip)) in managers.iter().zip(&strips).enumerate() {
            // The plate's row 0 is the one above the first strip.
            let first = 1 + at * own - strip.above;
            let start: Vec<f32> =
                (first..first + strip.rows()).flat_map(|y| (0..pitch).map(move |x| warm(x, y))).collect();
            cells.push([manager.tensor(&start)?, manager.tensor(&start)?]);
        }
        let mut steps = Vec::new();
        for ((manager, strip), [even, odd]) in managers.iter().zip(&strips).zip(&mut cells) {
            let seq = manager.sequence()?;
            for step in 0..HALO {
                let (from, to) = if step % 2 == 0 { (&*even, &mut *odd) } else { (&*odd, &mut *even) };
                let (first, rows) = strip.computed(step);
                let grid = Grid::items([pitch as u32 - 2, rows as u32]);
                Spread::dispatch(&seq, grid, K, uvec2(1, first as u32), pitch as u32, from, to)?;
            }
            steps.push(seq);
        }
        let mut exchanges = Vec::new();
        for upper in 1..count {
            let (above, below) = cells.split_at_mut(upper);
            let (above, below) = (&mut above[upper - 1][0], &mut below[0][0]);
            let (down, up) = (managers[upper - 1].sequence()?, managers[upper].sequence()?);
            let end = (strips[upper - 1].above + own) * pitch;
            let rows = HALO * pitch;
            down.record(OpCopy::new(&*above.part(end - rows..end)?, &mut *below.part_mut(..rows)?))?;
            up.record(OpCopy::new(&*below.part(rows..2 * rows)?, &mut *above.part_mut(end..end + rows)?))?;
            exchanges.extend([down, up]);
        }
        Ok(Self { strips, pitch, cells, steps, exchanges })
    }

    fn run(&self, rounds: usize) -> Result<Duration, Error> {
        let start = Instant::now();
        for _ in 0..rounds {
            together(&self.steps)?;
            together(&self.exchanges)?;
        }
        Ok(start.elapsed())
    }

    /// The plate's own rows.
    fn whole(&self) -> Result<Vec<f32>, Error> {
        let mut whole = Vec::new();
        for (strip, [cells, _]) in self.strips.iter().zip(&self.cells) {
            let (first, end) = (strip.above * self.pitch, (strip.above + strip.own) * self.pitch);
            whole.extend(cells.part(first..end)?.to_vec()?);
        }
        Ok(whole)
    }
}

/// The cell's heat at the start.
fn warm(x: usize, y: usize) -> f32 {
    if (x / 64 + y / 64).is_multiple_of(3) { 1.0 } else { 0.0 }
}

/// Compares a plate on all devices with the same one on the first, then measures.
pub(crate) fn bench(bench: &mut Bench<'_>) -> Result<(), Error> {
    let (one, all) = (&bench.managers[..1], bench.managers);
    let (pitch, rows) = if bench.is_gpu { (1024, 512) } else { (128, 64) };
    let (split, alone) = (Plate::new(all, pitch, rows)?, Plate::new(one, pitch, rows * all.len())?);
    split.run(3)?;
    alone.run(3)?;
    let differing = split.whole()?.iter().zip(&alone.whole()?).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
    if differing > 0 {
        return Err(wrong("gridwise, heat", format!("{differing} cells differ from those of one device")));
    }

    let side = if bench.is_gpu { 16384 } else { 256 };
    let (split, alone) = (Plate::new(all, side, side)?, Plate::new(one, side, side)?);
    let [several, single] = bench.in_turns(|| split.run(ROUNDS), || alone.run(ROUNDS))?;
    bench.scaling(format!("heat, {side}² cells a device"), &several, &single, ROUNDS * HALO);
    Ok(())
}
