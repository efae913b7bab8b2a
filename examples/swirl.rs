//! A photo as an image with a sampler: turned around its middle, and blurred towards the edges by levels that the device
//! makes. Checked pixel by pixel against the host device. Must not need a window: it writes a PNG.

use std::{error::Error, io::Cursor, path::PathBuf, process::ExitCode};

use gridwise::image::{ImageDesc, Levels, Rgba8Unorm, Sampler};
use gridwise::ops::OpGenerateLevels;
use gridwise::prelude::*;
use image::{ImageReader, RgbaImage};

/// An orange dahlia; see `data/README.md`.
const PHOTO: &[u8] = include_bytes!("data/flower.jpg");

/// How much devices may differ in a byte: they mix neighbours in steps of 1/256, and each level is made of the one before.
const TOLERANCE: u8 = 6;

#[kernel(workgroup = [8, 8])]
fn swirl(photo: &Sampled2D<Rgba8Unorm>, turns: f32, picture: &mut Image2D<Rgba8Unorm>) {
    let at = global_id().xy();
    let size = picture.size();
    if at.x >= size.x || at.y >= size.y {
        return;
    }
    let size = size.as_vec2();
    // From the middle, in units of half the height: the picture turns most there, and not at all beyond a radius of 1.
    let place = (at.as_vec2() + 0.5 - 0.5 * size) / (0.5 * size.y);
    let distance = place.length();
    let angle = turns * 6.2831855 * (1.0 - distance).max(0.0).powi(2);
    let (sin, cos) = (angle.sin(), angle.cos());
    let turned = vec2(cos * place.x - sin * place.y, sin * place.x + cos * place.y);
    let from = turned * (0.5 * size.y) / size + 0.5;
    let level = 4.0 * (distance - 0.6).max(0.0);
    picture.store(at, photo.sample_level(from, level));
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("swirl: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let output = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => PathBuf::from("target/swirl.png"),
        [option, file] if option == "--output" => PathBuf::from(file),
        _ => return Err("usage: swirl [--output FILE]".into()),
    };
    let photo = ImageReader::new(Cursor::new(PHOTO)).with_guessed_format()?.decode()?.to_rgba8();
    let mgr = Manager::new()?;
    println!("device: {}", mgr.device());
    let (picture, expected) = (turn(&mgr, &photo)?, turn(&Manager::host(), &photo)?);
    let difference = |(a, b): (&[u8; 4], &[u8; 4])| a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).fold(0, u8::max);
    let largest = picture.iter().zip(&expected).map(difference).max().unwrap_or(0);
    if largest > TOLERANCE {
        return Err(format!("bytes differ from the host device's by up to {largest}").into());
    }
    println!("checked: {} pixels, bytes differ from the host device's by {largest} at most", picture.len());

    let picture = RgbaImage::from_raw(photo.width(), photo.height(), picture.concat()).ok_or("too few bytes")?;
    if let Some(folder) = output.parent() {
        std::fs::create_dir_all(folder)?;
    }
    picture.save(&output).map_err(|e| format!("cannot write {}: {e}", output.display()))?;
    println!("wrote: {}", output.display());
    Ok(())
}

fn turn(mgr: &Manager, photo: &RgbaImage) -> gridwise::Result<Vec<[u8; 4]>> {
    let (width, height) = photo.dimensions();
    let desc = ImageDesc { name: "photo", extent: [width, height], levels: Levels::All };
    let mut source = mgr.image_with::<Rgba8Unorm, 2>(desc)?;
    source.write(&photo.pixels().map(|pixel| pixel.0).collect::<Vec<_>>())?;
    let mut picture = mgr.image_2d::<Rgba8Unorm>(width, height)?;
    let seq = mgr.sequence()?;
    seq.record(OpGenerateLevels::new(&mut source))?;
    Swirl::dispatch(&seq, Grid::items([width, height]), &source.sampled(Sampler::default())?, 0.75, &mut picture)?;
    seq.eval()?;
    picture.to_vec()
}
