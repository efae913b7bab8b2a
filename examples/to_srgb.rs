//! A photo in linear light: three kernels that share device functions, checked pixel by pixel against the host device.
//!
//! Bytes become linear light, exposure and a 5×5 blur are applied there, and `to_srgb` makes bytes of it again. Must not
//! need a window: it writes a PNG.
//!
//! With `--fill` it draws the gradient of LuisaCompute's sample instead: red = x / 1024, green = y / 1024, blue = 1. That
//! sample switches from the line to the curve at 0.00031308; the sRGB standard says 0.0031308. Both are here, both sums of
//! the red bytes are known, and the file shows the standard's.

use std::{
    error::Error,
    io::Cursor,
    path::{Path, PathBuf},
    process::ExitCode,
};

use gridwise::prelude::*;
use image::{ImageReader, RgbaImage};

/// Below this the encoding is a line, above it a curve (IEC 61966-2-1).
#[device]
const STANDARD_THRESHOLD: f32 = 0.0031308;

/// The same constant as LuisaCompute's sample has it, a digit off.
#[device]
const SAMPLE_THRESHOLD: f32 = 0.00031308;

/// Linear light to its sRGB encoding, both from 0 to 1.
#[device]
fn to_srgb(linear: f32, threshold: f32) -> f32 {
    if linear <= threshold { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

/// An sRGB-encoded value from 0 to 1 to linear light.
#[device]
fn from_srgb(encoded: f32) -> f32 {
    if encoded <= 0.04045 { encoded / 12.92 } else { ((encoded + 0.055) / 1.055).powf(2.4) }
}

/// Byte `lane` of a packed pixel as a number from 0 to 1.
#[device]
fn unpack(rgba: u32, lane: u32) -> f32 {
    ((rgba >> (8 * lane)) & 255) as f32 / 255.0
}

/// A number from 0 to 1 as the nearest byte, put in place `lane` of a packed pixel.
#[device]
fn pack(value: f32, lane: u32) -> u32 {
    ((value.clamp(0.0, 1.0) * 255.0 + 0.5) as u32) << (8 * lane)
}

/// A linear colour and alpha as four sRGB bytes.
#[device]
fn encode_pixel(color: Vec4, threshold: f32) -> u32 {
    let r = pack(to_srgb(color.x, threshold), 0);
    let g = pack(to_srgb(color.y, threshold), 1);
    let b = pack(to_srgb(color.z, threshold), 2);
    r | g | b | pack(color.w, 3)
}

/// Bytes to linear light, `gain` times as bright.
#[kernel(workgroup = 256)]
fn decode(gain: f32, rgba: &[u32], linear: &mut [Vec4]) {
    let i = global_id().x;
    let pixel = rgba[i];
    let r = gain * from_srgb(unpack(pixel, 0));
    let g = gain * from_srgb(unpack(pixel, 1));
    let b = gain * from_srgb(unpack(pixel, 2));
    linear[i] = Vec4::new(r, g, b, unpack(pixel, 3));
}

/// A 5×5 binomial blur; at the border the nearest pixel stands in.
#[kernel(workgroup = [16, 16])]
fn blur(size: IVec2, source: &[Vec4], target: &mut [Vec4]) {
    let x = global_id().x as i32;
    let y = global_id().y as i32;
    let weights: [f32; 5] = [1.0, 4.0, 6.0, 4.0, 1.0];
    let mut sum = Vec4::splat(0.0);
    for row in 0..5 {
        for column in 0..5 {
            let from_x = (x + column - 2).clamp(0, size.x - 1);
            let from_y = (y + row - 2).clamp(0, size.y - 1);
            let weight = weights[row as usize] * weights[column as usize] / 256.0;
            sum += weight * source[(from_y * size.x + from_x) as u32];
        }
    }
    target[(y * size.x + x) as u32] = sum;
}

/// Linear light to bytes.
#[kernel(workgroup = 256)]
fn encode(linear: &[Vec4], rgba: &mut [u32]) {
    let i = global_id().x;
    rgba[i] = encode_pixel(linear[i], STANDARD_THRESHOLD);
}

/// The gradient of LuisaCompute's sample, `size` pixels wide and high.
#[kernel(workgroup = [16, 16])]
fn fill(size: u32, threshold: f32, rgba: &mut [u32]) {
    let x = global_id().x;
    let y = global_id().y;
    let color = Vec4::new(x as f32 / size as f32, y as f32 / size as f32, 1.0, 1.0);
    rgba[y * size + x] = encode_pixel(color, threshold);
}

const FILL_SIZE: u32 = 1024;
const DEFAULT_PHOTO: &[u8] = include_bytes!("data/flower.jpg");
const USAGE: &str = "\
usage: to_srgb [--input FILE] [--output FILE] [--exposure EV] [--fill]
  --input FILE    JPEG or PNG (default: a photo that is built in)
  --output FILE   PNG to write (default: target/to_srgb.png)
  --exposure EV   stops by which to brighten (default: 0.5)
  --fill          draw a gradient instead of developing a photo";

/// The options of the command line.
struct Options {
    input: Option<PathBuf>,
    output: PathBuf,
    exposure: f32,
    fill: bool,
}

impl Options {
    /// Nothing when the user asked for help.
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Option<Self>, Box<dyn Error>> {
        let mut options = Self { input: None, output: "target/to_srgb.png".into(), exposure: 0.5, fill: false };
        while let Some(flag) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{flag} needs a value\n{USAGE}"));
            match flag.as_str() {
                "--input" => options.input = Some(value()?.into()),
                "--output" => options.output = value()?.into(),
                "--exposure" => options.exposure = value()?.parse().map_err(|e| format!("--exposure: {e}"))?,
                "--fill" => options.fill = true,
                "--help" | "-h" => return Ok(None),
                _ => return Err(format!("unknown option {flag}\n{USAGE}").into()),
            }
        }
        Ok(Some(options))
    }
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
    let Some(options) = Options::parse(std::env::args().skip(1))? else {
        println!("{USAGE}");
        return Ok(());
    };
    // Unreadable input is reported before any device is looked for.
    let photo = if options.fill { RgbaImage::new(FILL_SIZE, FILL_SIZE) } else { read_photo(options.input.as_deref())? };
    let (width, height) = photo.dimensions();

    let mgr = Manager::new()?;
    println!("device: {}", mgr.device());
    let host = Manager::host();
    let pixels = if options.fill {
        draw_gradients(&mgr, &host)?
    } else {
        let pixels = develop(&mgr, &photo, options.exposure)?;
        let largest = compare(&pixels, &develop(&host, &photo, options.exposure)?, width)?;
        println!("checked: {width} × {height} pixels, bytes differ from the host device's by {largest} at most");
        pixels
    };

    let bytes: Vec<u8> = pixels.iter().flat_map(|pixel| pixel.to_le_bytes()).collect();
    let picture = RgbaImage::from_raw(width, height, bytes).ok_or("the picture has too few bytes")?;
    write_picture(&picture, &options.output)
}

fn read_photo(path: Option<&Path>) -> Result<RgbaImage, Box<dyn Error>> {
    let name = path.map_or("the built-in photo".into(), |path| path.display().to_string());
    let bytes = match path {
        Some(path) => std::fs::read(path).map_err(|e| format!("cannot read {name}: {e}"))?,
        None => DEFAULT_PHOTO.to_vec(),
    };
    let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format()?;
    Ok(reader.decode().map_err(|e| format!("cannot decode {name}: {e}"))?.to_rgba8())
}

fn write_picture(picture: &RgbaImage, path: &Path) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    picture.save(path).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    println!("wrote: {}", path.display());
    Ok(())
}

/// Runs the three kernels over a photo.
fn develop(mgr: &Manager, photo: &RgbaImage, exposure: f32) -> gridwise::Result<Vec<u32>> {
    let (width, height) = photo.dimensions();
    let pixels: Vec<u32> = photo.pixels().map(|pixel| u32::from_le_bytes(pixel.0)).collect();
    let source = mgr.tensor(&pixels)?;
    let mut linear = mgr.tensor_of_len::<Vec4>(pixels.len())?;
    let mut blurred = mgr.tensor_of_len::<Vec4>(pixels.len())?;
    let mut developed = mgr.tensor_of_len::<u32>(pixels.len())?;

    let seq = mgr.sequence()?;
    Decode::dispatch(&seq, Grid::items(width * height), exposure.exp2(), &source, &mut linear)?;
    let size = IVec2::new(width as i32, height as i32);
    Blur::dispatch(&seq, Grid::items([width, height]), size, &linear, &mut blurred)?;
    Encode::dispatch(&seq, Grid::items(width * height), &blurred, &mut developed)?;
    seq.eval()?;
    developed.to_vec()
}

/// Draws the gradient with both constants, checks what is known of it, and returns the standard's.
fn draw_gradients(mgr: &Manager, host: &Manager) -> Result<Vec<u32>, Box<dyn Error>> {
    let mut pixels = Vec::new();
    for (threshold, known) in [(SAMPLE_THRESHOLD, 184_282_112u64), (STANDARD_THRESHOLD, 184_284_160)] {
        pixels = draw_gradient(mgr, threshold)?;
        let expected = draw_gradient(host, threshold)?;
        let largest = compare(&pixels, &expected, FILL_SIZE)?;
        compare(&pixels[3..4], &[u32::from_le_bytes([10, 0, 255, 255])], FILL_SIZE)?;

        let sum = sum_of_red(&pixels);
        println!("threshold {threshold}: red bytes sum to {sum}, known is {known}");
        println!("checked: bytes differ from the host device's by {largest} at most");
        if sum_of_red(&expected) != known {
            return Err(format!("on the host device the red bytes sum to {}", sum_of_red(&expected)).into());
        }
    }
    Ok(pixels)
}

fn draw_gradient(mgr: &Manager, threshold: f32) -> gridwise::Result<Vec<u32>> {
    let mut gradient = mgr.tensor_of_len::<u32>((FILL_SIZE * FILL_SIZE) as usize)?;
    let seq = mgr.sequence()?;
    Fill::dispatch(&seq, Grid::items([FILL_SIZE, FILL_SIZE]), FILL_SIZE, threshold, &mut gradient)?;
    seq.eval()?;
    gradient.to_vec()
}

fn sum_of_red(pixels: &[u32]) -> u64 {
    pixels.iter().map(|&pixel| u64::from(pixel & 255)).sum()
}

/// The largest difference of a byte; fails at the first pixel where it is more than one.
fn compare(pixels: &[u32], expected: &[u32], width: u32) -> Result<u8, String> {
    if pixels.len() != expected.len() {
        return Err(format!("{} pixels instead of {}", pixels.len(), expected.len()));
    }
    let mut largest = 0;
    for (i, (pixel, wanted)) in pixels.iter().zip(expected).enumerate() {
        let (got, want) = (pixel.to_le_bytes(), wanted.to_le_bytes());
        let difference = got.iter().zip(&want).map(|(a, b)| a.abs_diff(*b)).fold(0, u8::max);
        if difference > 1 {
            let (x, y) = (i % width as usize, i / width as usize);
            return Err(format!("pixel ({x}, {y}) is {got:?} instead of {want:?}"));
        }
        largest = largest.max(difference);
    }
    Ok(largest)
}
