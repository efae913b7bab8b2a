//! Shallow water in a basin: a recorded step whose length the device chooses, with drops that the host lets fall.
//!
//! Each step finds the fastest wave by a reduction, takes the longest time step that is stable (Courant, Friedrichs, Lewy), and moves water
//! between cells by Rusanov's fluxes. It is recorded once. Nothing comes back to the host between two steps; one parameter goes to the
//! device, the drop. The old and the new state change places.
//!
//! The run fails unless the basin holds the water that was there and fell, and its surface is that of the host device. The picture shows the
//! surface from above. Must not need a window: it writes a PNG.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gridwise::algorithms::OpReduce;
use gridwise::prelude::*;
use image::RgbaImage;
use indicatif::{ProgressBar, ProgressStyle};

#[device]
const GRAVITY: f32 = 9.81;

/// The share of the longest stable time step that is taken.
#[device]
const COURANT: f32 = 0.4;

/// The speed of the fastest wave in a cell. A cell has the height of the water, and its momentum along x and y.
#[device]
fn wave_speed(cell: Vec3) -> f32 {
    (cell.y / cell.x).abs().max((cell.z / cell.x).abs()) + (GRAVITY * cell.x).sqrt()
}

/// The flow along x.
#[device]
fn flux_x(cell: Vec3) -> Vec3 {
    let u = cell.y / cell.x;
    vec3(cell.y, cell.y * u + 0.5 * GRAVITY * cell.x * cell.x, cell.z * u)
}

/// The flow along y.
#[device]
fn flux_y(cell: Vec3) -> Vec3 {
    let v = cell.z / cell.x;
    vec3(cell.z, cell.y * v, cell.z * v + 0.5 * GRAVITY * cell.x * cell.x)
}

/// The flow between two cells beside each other: the mean of both, and as much of the difference as the faster wave carries.
#[device]
fn between_x(left: Vec3, right: Vec3) -> Vec3 {
    let speed = wave_speed(left).max(wave_speed(right));
    0.5 * (flux_x(left) + flux_x(right)) - 0.5 * speed * (right - left)
}

/// The same of two cells one above the other.
#[device]
fn between_y(above: Vec3, below: Vec3) -> Vec3 {
    let speed = wave_speed(above).max(wave_speed(below));
    0.5 * (flux_y(above) + flux_y(below)) - 0.5 * speed * (below - above)
}

#[kernel(workgroup = 256)]
fn wave_speeds(water: &[Vec3], speeds: &mut [f32]) {
    let i = global_id().x;
    speeds[i] = wave_speed(water[i]);
}

/// The length of the step, and the time behind it; the basin is 1 wide.
#[kernel(workgroup = 1)]
fn choose_step(side: u32, fastest: &[f32], clock: &mut [Vec2]) {
    let i = global_id().x;
    let dt = COURANT / (side as f32 * fastest[i]);
    clock[i] = vec2(dt, clock[i].y + dt);
}

/// One step. Walls throw the water back: behind them lies the cell before them with the opposite momentum.
///
/// `drop` falls at (x, y), with its radius and height.
#[kernel(workgroup = [16, 16])]
fn advance(side: u32, drop: Vec4, clock: &[Vec2], water: &[Vec3], next: &mut [Vec3]) {
    let at = global_id().xy();
    let i = at.y * side + at.x;
    let here = water[i];
    let left = if at.x > 0 { water[i - 1] } else { here * vec3(1.0, -1.0, 1.0) };
    let right = if at.x + 1 < side { water[i + 1] } else { here * vec3(1.0, -1.0, 1.0) };
    let above = if at.y > 0 { water[i - side] } else { here * vec3(1.0, 1.0, -1.0) };
    let below = if at.y + 1 < side { water[i + side] } else { here * vec3(1.0, 1.0, -1.0) };

    let out = between_x(here, right) - between_x(left, here) + between_y(here, below) - between_y(above, here);
    let mut cell = here - clock[0].x * side as f32 * out;
    let from_drop = (at.as_vec2() + 0.5) / side as f32 - drop.xy();
    cell.x += drop.w * (-from_drop.length_squared() / (drop.z * drop.z)).exp();
    next[i] = cell;
}

/// The surface as it looks from above, lit from the upper left.
#[kernel(workgroup = [16, 16])]
fn paint(side: u32, water: &[Vec3], pixels: &mut [u32]) {
    let at = global_id().xy();
    let i = at.y * side + at.x;
    let height = water[i].x;
    let slope_x = if at.x + 1 < side { water[i + 1].x - height } else { 0.0 };
    let slope_y = if at.y + 1 < side { water[i + side].x - height } else { 0.0 };
    let normal = vec3(-slope_x * side as f32, -slope_y * side as f32, 4.0).normalize();
    let light = normal.dot(vec3(-0.5, -0.6, 0.62)).clamp(0.0, 1.0);
    let depth = (0.5 + 2.0 * (height - 1.0)).clamp(0.0, 1.0);
    let color = (vec3(0.02, 0.16, 0.36) * (1.0 - depth) + vec3(0.35, 0.78, 0.86) * depth) * (0.35 + light);
    let shine = light.powf(24.0) * 0.6;
    let byte = (color + shine).clamp(Vec3::ZERO, Vec3::ONE) * 255.0;
    pixels[i] = byte.x as u32 | (byte.y as u32) << 8 | (byte.z as u32) << 16 | 0xff00_0000;
}

/// Steps between two drops.
const PAUSE: usize = 60;
const RADIUS: f32 = 0.03;
const HEIGHT: f32 = 0.25;

/// The drop before a step; most have none.
fn drop_before(step: usize) -> Vec4 {
    if !step.is_multiple_of(PAUSE) {
        return vec4(0.0, 0.0, RADIUS, 0.0);
    }
    // Places that never repeat, by the golden ratio.
    let place = |ratio: f32| 0.15 + 0.7 * (ratio * (1 + step / PAUSE) as f32).fract();
    vec4(place(0.618_034), place(0.754_877_7), RADIUS, HEIGHT)
}

struct Options {
    side: usize,
    steps: usize,
    output: PathBuf,
}

struct Basin {
    water: Vec<Vec3>,
    pixels: Vec<u32>,
    time: f32,
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
    let options = parse(std::env::args().skip(1))?;
    let mgr = Manager::new()?;
    println!("device: {}", mgr.device());
    let basin = simulate(&mgr, &options, true)?;
    println!("simulated: {:.3} s in {} steps", basin.time, options.steps);

    let volume = basin.water.iter().map(|cell| f64::from(cell.x)).sum::<f64>();
    let expected = volume_of_drops(&options) + (options.side * options.side) as f64;
    let loss = (volume / expected - 1.0).abs();
    let host = simulate(&Manager::host(), &options, false)?;
    let pairs = basin.water.iter().zip(&host.water);
    let difference = pairs.map(|(a, b)| (a.x - b.x).abs()).fold(0.0, f32::max);
    // Also catches NaN, which compares as false.
    let is_right = loss <= 1e-4 && difference <= 2e-3 && (basin.time / host.time - 1.0).abs() <= 1e-3;
    if !is_right {
        return Err(format!("the volume is off by {loss:.1e}, a height by {difference:.1e}").into());
    }
    println!("checked: no water is lost ({loss:.0e}), heights within {difference:.1e} of the host device's");

    draw(&basin.pixels, options.side, &options.output)?;
    println!("wrote: {}", options.output.display());
    Ok(())
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Options, Box<dyn Error>> {
    const USAGE: &str =
        "usage: shallow_water [--side CELLS] [--steps N] [--output FILE.png]   (384, 900, target/shallow_water.png)";
    let mut options = Options { side: 384, steps: 900, output: "target/shallow_water.png".into() };
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or(USAGE)?;
        match name.as_str() {
            "--side" => options.side = value.parse().ok().filter(|side| (2..=8192).contains(side)).ok_or(USAGE)?,
            "--steps" => options.steps = value.parse().ok().filter(|steps| *steps > 0).ok_or(USAGE)?,
            "--output" => options.output = value.into(),
            _ => return Err(USAGE.into()),
        }
    }
    Ok(options)
}

/// Records one step and replays it.
fn simulate(mgr: &Manager, options: &Options, show: bool) -> gridwise::Result<Basin> {
    let (side, cells) = (options.side as u32, options.side * options.side);
    let (grid, plane) = (Grid::items(cells), Grid::items([side, side]));
    let mut water = mgr.tensor(&vec![vec3(1.0, 0.0, 0.0); cells])?;
    let mut next = mgr.tensor_of_len::<Vec3>(cells)?;
    let (mut speeds, mut fastest) = (mgr.tensor_of_len::<f32>(cells)?, mgr.tensor_of_len::<f32>(1)?);
    let mut clock = mgr.tensor(&[Vec2::ZERO])?;

    let step = mgr.sequence()?;
    let drop = step.parameter(Vec4::ONE);
    WaveSpeeds::dispatch(&step, grid, &water, &mut speeds)?;
    step.record(OpReduce::max(&speeds, &mut fastest)?)?;
    ChooseStep::dispatch(&step, Grid::items(1), side, &fastest, &mut clock)?;
    Advance::dispatch(&step, plane, side, &drop, &clock, &water, &mut next)?;

    let bar = if show { ProgressBar::new(options.steps as u64) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{bar:40} step {pos}/{len}  {per_sec}") {
        bar.set_style(style);
    }
    for number in 0..options.steps {
        drop.set(drop_before(number));
        step.eval()?;
        step.swap(&mut water, &mut next)?; // `water` is the newest
        bar.inc(1);
    }
    bar.finish_and_clear();

    let mut pixels = mgr.tensor_of_len::<u32>(cells)?;
    let picture = mgr.sequence()?;
    Paint::dispatch(&picture, plane, side, &water, &mut pixels)?;
    picture.eval()?;
    Ok(Basin { water: water.to_vec()?, pixels: pixels.to_vec()?, time: clock.get(0)?.y })
}

/// The water that fell, in cells.
fn volume_of_drops(options: &Options) -> f64 {
    let side = options.side;
    let of_drop = |drop: Vec4| {
        let along = |middle: f32| {
            let share = move |cell: usize| {
                let from = (cell as f64 + 0.5) / side as f64 - f64::from(middle);
                (-(from * from) / f64::from(drop.z * drop.z)).exp()
            };
            (0..side).map(share).sum::<f64>()
        };
        f64::from(drop.w) * along(drop.x) * along(drop.y)
    };
    (0..options.steps).step_by(PAUSE).map(|step| of_drop(drop_before(step))).sum()
}

fn draw(pixels: &[u32], side: usize, path: &Path) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let bytes = pixels.iter().flat_map(|pixel| pixel.to_le_bytes()).collect();
    let picture = RgbaImage::from_raw(side as u32, side as u32, bytes).ok_or("the picture has another size")?;
    Ok(picture.save(path)?)
}
