//! Heat that spreads over a plate, on any number of ranks: `mpirun -n 4 target/release/examples/heat`.
//!
//! Each rank has a part of the plate. In each step the cells inside are computed while the halo travels, then those at the sides. The
//! first rank shows the progress, draws the plate as `target/heat.png`, and compares every cell with a run of its own: their bits are
//! equal on any number of ranks.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gridwise::prelude::*;
use gridwise_mpi::{Decomposition, Halo, Neighbours, Rank, run};
use indicatif::{ProgressBar, ProgressStyle};

/// One step for a rectangle of cells; a row of the box and its halo has `pitch` cells.
#[kernel(workgroup = [32, 8])]
fn spread(k: f32, first: UVec2, pitch: u32, from: &[f32], to: &mut [f32]) {
    let at = first + global_id().xy();
    let i = at.y * pitch + at.x;
    let around = from[i - 1] + from[i + 1] + from[i - pitch] + from[i + pitch];
    to[i] = from[i] + k * (around - 4.0 * from[i]);
}

/// The share of the difference to its neighbours that a cell makes up for in a step.
const K: f32 = 0.24;

struct Options {
    side: usize,
    steps: usize,
    output: PathBuf,
}

fn main() -> ExitCode {
    run(|rank| {
        let options = parse(std::env::args().skip(1))?;
        let mgr = rank.manager()?;
        println!("rank {} of {}: {}", rank.index(), rank.size(), mgr.device());
        let boxes = Decomposition::new(rank, [options.side; 2], [false; 2])?;
        let plate = simulate(rank, &mgr, &boxes, &options)?;

        // Every rank tells its cells, row by row; the root knows which they are.
        let Some(parts) = rank.gather(0, &mgr.tensor(&inside(&boxes, &plate))?)? else { return Ok(()) };
        let whole = assemble(&boxes, rank.size(), options.side, &parts);
        let digest = whole.iter().fold(0u64, |sum, cell| sum.wrapping_mul(31).wrapping_add(u64::from(cell.to_bits())));
        check(&mgr, &options, &whole)?;
        draw(&whole, options.side, &options.output)?;
        println!("checked: {} cells have the bits of a run on one rank, digest {digest:016x}", whole.len());
        println!("wrote: {}", options.output.display());
        Ok(())
    })
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Options, Box<dyn Error>> {
    const USAGE: &str = "usage: heat [--side CELLS] [--steps N] [--output FILE.png]   (512, 400, target/heat.png)";
    let mut options = Options { side: 512, steps: 400, output: "target/heat.png".into() };
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or(USAGE)?;
        match name.as_str() {
            "--side" => options.side = value.parse().map_err(|_| USAGE)?,
            "--steps" => options.steps = value.parse().map_err(|_| USAGE)?,
            "--output" => options.output = value.into(),
            _ => return Err(USAGE.into()),
        }
    }
    match options.side {
        1..=16384 => Ok(options),
        _ => Err("the side has 1 to 16384 cells".into()),
    }
}

/// A hot ring and a hot spot on a cold plate.
fn start(side: usize, x: usize, y: usize) -> f32 {
    let place = |cell: usize| (cell as f32 + 0.5) / side as f32 - 0.5;
    let (x, y) = (place(x), place(y));
    let ring = ((x * x + y * y).sqrt() - 0.3).abs() < 0.04;
    let spot = (x - 0.12).abs() < 0.05 && (y + 0.1).abs() < 0.05;
    if ring || spot { 1.0 } else { 0.0 }
}

/// The box of this rank with its halo after all steps.
fn simulate(
    rank: &Rank,
    mgr: &Manager,
    boxes: &Decomposition<2>,
    options: &Options,
) -> Result<Vec<f32>, Box<dyn Error>> {
    let [columns, rows] = boxes.cells();
    let [wide, high] = boxes.padded(1).map(|cells| cells as u32);
    let mut first = vec![0.0; boxes.len(1)];
    for (j, y) in rows.enumerate() {
        for (i, x) in columns.clone().enumerate() {
            first[(j + 1) * wide as usize + i + 1] = start(options.side, x, y);
        }
    }
    let mut planes = [mgr.tensor(&first)?, mgr.tensor_of_len::<f32>(first.len())?];
    let mut halos = Vec::new();
    for plane in &mut planes {
        halos.push(Halo::new(rank, boxes, 1, Neighbours::Sides, plane)?);
    }
    // The two tensors change places in each step: one pair of recordings for even steps, one for odd ones.
    let [a, b] = &mut planes;
    let recordings = [record(mgr, [wide, high], a, b)?, record(mgr, [wide, high], b, a)?];

    let bar = if rank.index() == 0 { ProgressBar::new(options.steps as u64) } else { ProgressBar::hidden() };
    bar.set_style(ProgressStyle::with_template("{bar:40} step {pos}/{len}, {eta} left")?);
    for step in 0..options.steps {
        let ([inner, border], halo) = (&recordings[step % 2], &mut halos[step % 2]);
        halo.begin()?;
        let running = inner.eval_async()?;
        halo.finish()?;
        border.eval()?;
        running.wait()?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(planes[options.steps % 2].to_vec()?)
}

/// One step: the cells that need no halo, and those at the four sides.
fn record(mgr: &Manager, size: [u32; 2], from: &Tensor<f32>, to: &mut Tensor<f32>) -> gridwise::Result<[Sequence; 2]> {
    let [wide, high] = size;
    let (inner, border) = (mgr.sequence()?, mgr.sequence()?);
    let (long, tall) = (wide - 2, high.saturating_sub(4));
    Spread::dispatch(&inner, Grid::items([wide.saturating_sub(4), tall]), K, uvec2(2, 2), wide, from, to)?;
    Spread::dispatch(&border, Grid::items([long, 1]), K, uvec2(1, 1), wide, from, to)?;
    // A box of one row or column has one side, not two.
    if high > 3 {
        Spread::dispatch(&border, Grid::items([long, 1]), K, uvec2(1, high - 2), wide, from, to)?;
    }
    Spread::dispatch(&border, Grid::items([1, tall]), K, uvec2(1, 2), wide, from, to)?;
    if wide > 3 {
        Spread::dispatch(&border, Grid::items([1, tall]), K, uvec2(wide - 2, 2), wide, from, to)?;
    }
    Ok([inner, border])
}

/// The cells of this rank without the halo.
fn inside(boxes: &Decomposition<2>, plate: &[f32]) -> Vec<f32> {
    let wide = boxes.padded(1)[0];
    let rows = plate.chunks_exact(wide).skip(1).take(boxes.extent()[1]);
    rows.flat_map(|row| &row[1..wide - 1]).copied().collect()
}

/// The whole plate of all ranks' cells.
fn assemble(boxes: &Decomposition<2>, ranks: usize, side: usize, parts: &[f32]) -> Vec<f32> {
    let mut whole = vec![0.0; side * side];
    let mut rest = parts;
    for rank in 0..ranks {
        let [columns, rows] = boxes.cells_of_rank(rank);
        for y in rows {
            let (row, behind) = rest.split_at(columns.len());
            whole[y * side..][columns.clone()].copy_from_slice(row);
            rest = behind;
        }
    }
    whole
}

/// Runs the whole plate on this rank's device alone, and compares the bits.
fn check(mgr: &Manager, options: &Options, whole: &[f32]) -> Result<(), Box<dyn Error>> {
    let (side, wide) = (options.side, options.side + 2);
    let mut first = vec![0.0; wide * wide];
    for y in 0..side {
        for x in 0..side {
            first[(y + 1) * wide + x + 1] = start(side, x, y);
        }
    }
    let mut planes = [mgr.tensor(&first)?, mgr.tensor_of_len::<f32>(first.len())?];
    let [a, b] = &mut planes;
    let recordings = [record(mgr, [wide as u32; 2], a, b)?, record(mgr, [wide as u32; 2], b, a)?];
    for step in 0..options.steps {
        recordings[step % 2].iter().try_for_each(Sequence::eval)?;
    }
    let alone = planes[options.steps % 2].to_vec()?;
    for (i, cell) in whole.iter().enumerate() {
        let expected = alone[(i / side + 1) * wide + i % side + 1];
        if cell.to_bits() != expected.to_bits() {
            return Err(format!("cell {}, {} is {cell}, and {expected} on one rank", i % side, i / side).into());
        }
    }
    Ok(())
}

/// Cold cells are dark blue, warm ones red, hot ones yellow.
fn draw(plate: &[f32], side: usize, output: &Path) -> Result<(), Box<dyn Error>> {
    let picture = image::RgbImage::from_fn(side as u32, side as u32, |x, y| {
        let heat = plate[y as usize * side + x as usize].clamp(0.0, 1.0).sqrt();
        let channel = |from: f32, to: f32| (255.0 * ((heat - from) / (to - from)).clamp(0.0, 1.0)) as u8;
        image::Rgb([channel(0.0, 0.6), channel(0.4, 1.0), 60 - channel(0.0, 0.5) / 5])
    });
    if let Some(folder) = output.parent() {
        std::fs::create_dir_all(folder)?;
    }
    picture.save(output)?;
    Ok(())
}
