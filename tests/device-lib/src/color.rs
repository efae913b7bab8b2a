//! Colour transfer functions.

use gridwise::prelude::*;

/// The end of the linear part of the sRGB curve, as IEC 61966-2-1 defines it.
#[device]
pub const SRGB_THRESHOLD: f32 = 0.0031308;

/// Linear light to sRGB, per channel, with the standard's threshold.
#[device]
pub fn to_srgb(linear: f32) -> f32 {
    to_srgb_with(linear, SRGB_THRESHOLD)
}

/// Linear light to sRGB, per channel, with a threshold of one's own.
#[device]
pub fn to_srgb_with(linear: f32, threshold: f32) -> f32 {
    if linear <= threshold { linear * 12.92 } else { power(linear) }
}

// Private: reached only through the functions above.
#[device]
fn power(linear: f32) -> f32 {
    1.055 * linear.powf(1.0 / 2.4) - 0.055
}

/// A value in 0..=1 to a byte, rounded to nearest.
#[device]
pub fn to_byte(value: f32) -> u32 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u32
}
