//! The Mandelbrot set, 512 by 256, x from -2.5 to 1 and y from -1 to 1: how many of 50 rounds stay within 20 of the origin.
//!
//! Each count is compared with the host device's; they must be equal. Must not need a window: it writes a PNG.

use std::{error::Error, path::PathBuf, process::ExitCode};

use gridwise::prelude::*;
use image::{Rgb, RgbImage};

const WIDTH: u32 = 512;
const HEIGHT: u32 = 256;

#[device]
const ROUNDS: u32 = 50;
#[device]
const BAILOUT: f32 = 20.0;

/// The fate of a point.
#[device]
#[derive(Clone, Copy)]
enum Fate {
    Stays,
    Leaves { after: u32 },
}

#[device]
fn fate(c: Vec2) -> Fate {
    let mut z = Vec2::ZERO;
    for after in 0..ROUNDS {
        if z.dot(z) > BAILOUT * BAILOUT {
            return Fate::Leaves { after };
        }
        z = Vec2::new(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
    }
    Fate::Stays
}

#[kernel(workgroup = [16, 16])]
fn mandelbrot(size: UVec2, counts: &mut [u32]) {
    let id = global_id();
    let x = -2.5 + 3.5 * (id.x as f32 / size.x as f32);
    let y = -1.0 + 2.0 * (id.y as f32 / size.y as f32);
    counts[id.y * size.x + id.x] = match fate(Vec2::new(x, y)) {
        Fate::Stays => ROUNDS,
        Fate::Leaves { after } => after,
    };
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let output = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => PathBuf::from("target/mandelbrot.png"),
        [option, file] if option == "--output" => PathBuf::from(file),
        _ => return Err("usage: mandelbrot [--output FILE]".into()),
    };
    let mgr = Manager::new()?;
    println!("device: {}", mgr.device());
    let (counts, expected) = (count(&mgr)?, count(&Manager::host())?);
    if let Some(i) = (0..counts.len()).find(|&i| counts[i] != expected[i]) {
        let (x, y) = (i % WIDTH as usize, i / WIDTH as usize);
        return Err(format!("pixel ({x}, {y}) counts {} instead of {}", counts[i], expected[i]).into());
    }
    let inside = counts.iter().filter(|&&count| count == ROUNDS).count();
    println!("checked: {} counts are the host device's, {inside} points stay", counts.len());

    let shade = |count: u32| match count {
        ROUNDS => Rgb([0, 0, 0]),
        count => Rgb([(count * 9 % 256) as u8, (count * 5) as u8, 255 - (count * 4) as u8]),
    };
    let picture = RgbImage::from_fn(WIDTH, HEIGHT, |x, y| shade(counts[(y * WIDTH + x) as usize]));
    if let Some(folder) = output.parent() {
        std::fs::create_dir_all(folder)?;
    }
    picture.save(&output).map_err(|e| format!("cannot write {}: {e}", output.display()))?;
    println!("wrote: {}", output.display());
    Ok(())
}

fn count(mgr: &Manager) -> gridwise::Result<Vec<u32>> {
    let mut counts = mgr.tensor_of_len::<u32>((WIDTH * HEIGHT) as usize)?;
    let seq = mgr.sequence()?;
    Mandelbrot::dispatch(&seq, Grid::items([WIDTH, HEIGHT]), UVec2::new(WIDTH, HEIGHT), &mut counts)?;
    seq.eval()?;
    counts.to_vec()
}
