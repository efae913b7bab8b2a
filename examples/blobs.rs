//! Inverse rendering: from a picture of three soft blobs, their places, sizes and brightnesses. The renderer is a kernel, and `backward`
//! tells how each of the twelve numbers changes the difference from the picture.
//!
//! The run fails unless it finds every number to a hundredth. The pictures at the start, on the way and at the end are written as a PNG,
//! the loss as an SVG.

use std::{path::Path, process::ExitCode};

use gridwise::prelude::*;
use gridwise_examples::{Curve, Outcome, difference, draw_losses, finish, make_folder, output};

const SIDE: u32 = 64;
const ROUNDS: usize = 300;
/// Place along x and y, size, brightness, each for three blobs; the picture is one wide.
const TRUTH: [f32; 12] = [0.3, 0.35, 0.10, 0.9, 0.7, 0.3, 0.14, 0.6, 0.55, 0.75, 0.12, 0.8];
const GUESS: [f32; 12] = [0.38, 0.42, 0.14, 0.5, 0.60, 0.38, 0.14, 0.5, 0.5, 0.65, 0.14, 0.5];

/// The brightness of a pixel.
#[device]
fn shade(blobs: &[f32], x: f32, y: f32) -> f32 {
    let mut light = 0.0;
    for blob in 0..blobs.len() as u32 / 4 {
        let (dx, dy) = (x - blobs[blob * 4], y - blobs[blob * 4 + 1]);
        let size = blobs[blob * 4 + 2];
        light += blobs[blob * 4 + 3] * (-(dx * dx + dy * dy) / (2.0 * size * size)).exp();
    }
    light
}

/// The picture.
#[kernel(workgroup = [8, 8])]
fn render(side: u32, blobs: &[f32], picture: &mut [f32]) {
    let at = global_id();
    let (x, y) = ((at.x as f32 + 0.5) / side as f32, (at.y as f32 + 0.5) / side as f32);
    picture[at.y * side + at.x] = shade(blobs, x, y);
}

/// The square of each pixel's difference from the picture that is there.
#[kernel(workgroup = [8, 8], grad(blobs))]
fn distance(side: u32, blobs: &[f32], wanted: &[f32], loss: &mut [f32]) {
    let at = global_id();
    let (x, y) = ((at.x as f32 + 0.5) / side as f32, (at.y as f32 + 0.5) / side as f32);
    let pixel = at.y * side + at.x;
    let off = shade(blobs, x, y) - wanted[pixel];
    loss[pixel] = off * off;
}

fn main() -> ExitCode {
    finish(run())
}

fn run() -> Outcome {
    let output = output("blobs", "STEM", "target/blobs")?;
    let mgr = Manager::new()?;
    println!("device: {}", mgr.device());
    let wanted = picture(&mgr, &TRUTH)?;
    let (losses, ways) = search(&mgr, &wanted)?;

    let found = ways.last().copied().unwrap_or(GUESS);
    let miss = difference(&found, &TRUTH);
    if miss > 0.01 {
        return Err(format!("a number differs by {miss} from the one that the picture was made of").into());
    }
    println!("checked: {} numbers within {miss:.1e} of those that the picture was made of", found.len());
    draw_pictures(&mgr, &ways, &wanted, Path::new(&format!("{output}.png")))?;
    let caption = "Blobs: mean square of the difference per round";
    let curve = Curve { name: "loss", losses: &losses };
    draw_losses(Path::new(&format!("{output}.svg")), caption, "round", &[curve])?;
    println!("wrote: {output}.png, {output}.svg");
    Ok(())
}

fn picture(mgr: &Manager, blobs: &[f32]) -> gridwise::Result<Vec<f32>> {
    let (blobs, mut picture) = (mgr.tensor(blobs)?, mgr.tensor_of_len::<f32>((SIDE * SIDE) as usize)?);
    let seq = mgr.sequence()?;
    Render::dispatch(&seq, Grid::items([SIDE, SIDE]), SIDE, &blobs, &mut picture)?;
    seq.eval()?;
    picture.to_vec()
}

/// Goes down the gradient by the method Adam; the losses, and the numbers of each round.
fn search(mgr: &Manager, wanted: &[f32]) -> gridwise::Result<(Vec<f32>, Vec<[f32; 12]>)> {
    let pixels = wanted.len();
    let wanted = mgr.tensor(wanted)?;
    let mut blobs = mgr.tensor(&GUESS)?;
    let mut gradient = mgr.tensor(&[0.0f32; 12])?;
    let mut loss = mgr.tensor_of_len::<f32>(pixels)?;
    // The loss is the mean over the pixels.
    let share = mgr.tensor(&vec![1.0 / pixels as f32; pixels])?;
    let seq = mgr.sequence()?;
    let grid = Grid::items([SIDE, SIDE]);
    Distance::dispatch(&seq, grid, SIDE, &blobs, &wanted, &mut loss)?;
    Distance::backward(&seq, grid, SIDE, &blobs, &mut gradient, &wanted, &loss, &share)?;

    let (mut numbers, mut mean, mut square) = (GUESS, [0.0f32; 12], [0.0f32; 12]);
    let (mut losses, mut ways) = (Vec::new(), vec![GUESS]);
    for round in 1..=ROUNDS {
        blobs.write(&numbers)?;
        gradient.write(&[0.0; 12])?;
        seq.eval()?;
        let now = loss.to_vec()?.iter().sum::<f32>() / pixels as f32;
        losses.push(now);
        if round % 60 == 1 {
            println!("round {round:3}  loss {now:.6}");
        }
        for (at, slope) in gradient.to_vec()?.into_iter().enumerate() {
            mean[at] = 0.9 * mean[at] + 0.1 * slope;
            square[at] = 0.99 * square[at] + 0.01 * slope * slope;
            let (mean, square) =
                (mean[at] / (1.0 - 0.9f32.powi(round as i32)), square[at] / (1.0 - 0.99f32.powi(round as i32)));
            let rate = 0.01 * (1.0 - round as f32 / (ROUNDS + 1) as f32);
            numbers[at] -= rate * mean / (square.sqrt() + 1e-8);
        }
        ways.push(numbers);
    }
    Ok((losses, ways))
}

/// The guess, three pictures on the way, the result, and the one that was given, side by side.
fn draw_pictures(mgr: &Manager, ways: &[[f32; 12]], wanted: &[f32], path: &Path) -> Outcome {
    make_folder(path)?;
    let mut pictures = Vec::new();
    for round in [0, 15, 40, 80, ways.len() - 1] {
        pictures.push(picture(mgr, &ways[round])?);
    }
    pictures.push(wanted.to_vec());
    let image = image::GrayImage::from_fn(SIDE * pictures.len() as u32, SIDE, |x, y| {
        let light = pictures[(x / SIDE) as usize][(y * SIDE + x % SIDE) as usize];
        image::Luma([(light.clamp(0.0, 1.0) * 255.0) as u8])
    });
    image::imageops::resize(&image, image.width() * 3, image.height() * 3, image::imageops::FilterType::Nearest)
        .save(path)?;
    Ok(())
}
