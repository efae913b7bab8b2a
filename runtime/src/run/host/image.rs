//! Steps on images whose texels lie in the host's memory, level after level, row after row.

use std::sync::Arc;

use crate::device::image_layout::ImageLayout;
use crate::memory::buffer::Buffer;
use crate::record::steps::ImageStep;

/// Runs a step.
///
/// # Safety
/// The caller has the turn of the device's queue, and no host access to the step's memory is under way.
pub(crate) unsafe fn run(step: &ImageStep) {
    match step {
        ImageStep::In { tensor, row_length, image, level, .. } => {
            // SAFETY: the recorder checked that tensor and level have these rows; likewise below.
            for_each_row(image, *level, *row_length, |texels, apart, bytes| unsafe {
                std::ptr::copy_nonoverlapping(tensor.host_data(apart), image.host_data(texels), bytes);
            });
        }
        ImageStep::Out { image, level, row_length, tensor, .. } => {
            // SAFETY: as above.
            for_each_row(image, *level, *row_length, |texels, apart, bytes| unsafe {
                std::ptr::copy_nonoverlapping(image.host_data(texels), tensor.host_data(apart), bytes);
            });
        }
        ImageStep::Copy { from, to, level } => {
            let bytes = from.image_layout().bytes_of(*level);
            let (from, to) = (from.host_data(bytes.start), to.host_data(to.image_layout().bytes_of(*level).start));
            // SAFETY: two images whose levels are of one size.
            unsafe { std::ptr::copy_nonoverlapping(from, to, (bytes.end - bytes.start) as usize) };
        }
        ImageStep::Clear { image, texel } => {
            let format = image.image_layout().format;
            let mut raw = [0; 16];
            format.encode(*texel, &mut raw[..format.bytes() as usize]);
            for index in 0..image.len() {
                let target = image.host_data(u64::from(index) * u64::from(format.bytes()));
                // SAFETY: the texel lies in the image.
                unsafe { std::ptr::copy_nonoverlapping(raw.as_ptr(), target, format.bytes() as usize) };
            }
        }
        ImageStep::Shrink { image, level } => shrink(image, *level),
    }
}

/// Calls `f` for each row of a level: where it lies in the image, where in memory whose rows are `row_length` texels apart, its
/// bytes.
fn for_each_row(image: &Arc<Buffer>, level: u32, row_length: u32, f: impl Fn(u64, u64, usize)) {
    let layout = image.image_layout();
    let [width, height, depth] = layout.extent_of(level);
    let texel = u64::from(layout.format.bytes());
    let start = layout.bytes_of(level).start;
    for row in 0..u64::from(height) * u64::from(depth) {
        f(
            start + row * u64::from(width) * texel,
            row * u64::from(row_length) * texel,
            (u64::from(width) * texel) as usize,
        );
    }
}

/// Makes a level of the one before, each texel of what lies around its middle there: linear along each axis.
fn shrink(image: &Buffer, level: u32) {
    let layout = image.image_layout();
    let [width, height, depth] = layout.extent_of(level);
    let from = layout.extent_of(level - 1);
    for z in 0..depth {
        for y in 0..height {
            for x in 0..width {
                let axes = [axis(x, width, from[0]), axis(y, height, from[1]), axis(z, depth, from[2])];
                let mut sums = [0f32; 4];
                for corner in 0..8 {
                    let pick = |axis: usize| axes[axis][corner >> axis & 1];
                    let (weight, at) =
                        ((0..3).map(|axis| pick(axis).1).product::<f32>(), [0, 1, 2].map(|axis| pick(axis).0));
                    if weight > 0.0 {
                        let texel = load(image, layout, level - 1, at).map(f32::from_bits);
                        (0..4).for_each(|component| sums[component] += weight * texel[component]);
                    }
                }
                store(image, layout, level, [x, y, z], sums.map(f32::to_bits));
            }
        }
    }
}

/// The two texels of `from` that lie around the middle of texel `at` of `to`, with their weights.
fn axis(at: u32, to: u32, from: u32) -> [(u32, f32); 2] {
    let middle = (at as f32 + 0.5) * (from as f32 / to as f32) - 0.5;
    let (low, weight) = (middle.floor(), middle - middle.floor());
    let clamp = |at: f32| at.clamp(0.0, (from - 1) as f32) as u32;
    [(clamp(low), 1.0 - weight), (clamp(low + 1.0), weight)]
}

fn place(layout: &ImageLayout, level: u32, [x, y, z]: [u32; 3]) -> u64 {
    let [width, height, _] = layout.extent_of(level).map(u64::from);
    let texel = (u64::from(z) * height + u64::from(y)) * width + u64::from(x);
    layout.bytes_of(level).start + texel * u64::from(layout.format.bytes())
}

fn load(image: &Buffer, layout: &ImageLayout, level: u32, at: [u32; 3]) -> [u32; 4] {
    let (from, mut raw, bytes) = (image.host_data(place(layout, level, at)), [0; 16], layout.format.bytes() as usize);
    // SAFETY: the texel lies in the image, which nobody writes but this thread.
    unsafe { std::ptr::copy_nonoverlapping(from, raw.as_mut_ptr(), bytes) };
    layout.format.decode(&raw[..bytes])
}

fn store(image: &Buffer, layout: &ImageLayout, level: u32, at: [u32; 3], texel: [u32; 4]) {
    let (to, mut raw, bytes) = (image.host_data(place(layout, level, at)), [0; 16], layout.format.bytes() as usize);
    layout.format.encode(texel, &mut raw[..bytes]);
    // SAFETY: as in `load`.
    unsafe { std::ptr::copy_nonoverlapping(raw.as_ptr(), to, bytes) };
}
