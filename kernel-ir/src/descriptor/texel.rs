//! Texels between memory and kernels, as Vulkan converts them. It must not know images.
//!
//! A texel in a kernel is four words: the bits of `f32`, `u32` or `i32` by its format's kind. Components that the format lacks
//! are read as 0, and the fourth as 1.

use super::image::{Encoding, ImageFormat};

impl ImageFormat {
    /// The components of the texel that lies in `bytes`, which has [`bytes`](Self::bytes) of them.
    pub fn decode(self, bytes: &[u8]) -> [u32; 4] {
        let mut packed = [0u8; 16];
        let len = bytes.len().min(16);
        packed[..len].copy_from_slice(&bytes[..len]);
        let packed = u128::from_le_bytes(packed);
        let one = if matches!(self.encoding(), Encoding::Uint | Encoding::Sint) { 1 } else { 1f32.to_bits() };
        let mut texel = [0, 0, 0, one];
        let mut at = 0;
        for (component, bits) in texel.iter_mut().zip(self.bits()).filter(|(_, bits)| *bits > 0) {
            let raw = (packed >> at) as u32 & mask(bits);
            at += bits;
            *component = match self.encoding() {
                Encoding::Uint => raw,
                Encoding::Sint => sign_extend(raw, bits),
                Encoding::Unorm => (raw as f32 / mask(bits) as f32).to_bits(),
                Encoding::Snorm => {
                    let most = mask(bits - 1) as f32;
                    (sign_extend(raw, bits) as i32 as f32 / most).max(-1.0).to_bits()
                }
                Encoding::Float => widen(raw, bits),
            };
        }
        texel
    }

    /// Puts a texel into `bytes`, which has [`bytes`](Self::bytes) of them. Normalised numbers are clamped and rounded to the
    /// nearest, integers keep their low bits, floats are rounded to the nearest, and what is no number becomes 0 where there
    /// is no such thing.
    pub fn encode(self, texel: [u32; 4], bytes: &mut [u8]) {
        let (mut packed, mut at) = (0u128, 0);
        for (component, bits) in texel.into_iter().zip(self.bits()).filter(|(_, bits)| *bits > 0) {
            let number = f32::from_bits(component);
            let raw = match self.encoding() {
                Encoding::Uint | Encoding::Sint => component,
                // A cast takes what is no number for zero.
                Encoding::Unorm => (number.clamp(0.0, 1.0) * mask(bits) as f32).round_ties_even() as u32,
                Encoding::Snorm => (number.clamp(-1.0, 1.0) * mask(bits - 1) as f32).round_ties_even() as i32 as u32,
                Encoding::Float => narrow(component, bits),
            };
            packed |= u128::from(raw & mask(bits)) << at;
            at += bits;
        }
        let len = bytes.len().min(16);
        bytes[..len].copy_from_slice(&packed.to_le_bytes()[..len]);
    }
}

fn mask(bits: u32) -> u32 {
    u32::MAX >> (32 - bits)
}

fn sign_extend(raw: u32, bits: u32) -> u32 {
    ((raw << (32 - bits)) as i32 >> (32 - bits)) as u32
}

/// Bits of the mantissa of a float with so many bits; those of fewer than 16 have no sign. All have five bits of exponent.
fn mantissa_of(bits: u32) -> u32 {
    if bits == 16 { 10 } else { bits - 5 }
}

/// The bits of the `f32` that a float of 10, 11, 16 or 32 bits is.
fn widen(raw: u32, bits: u32) -> u32 {
    if bits == 32 {
        return raw;
    }
    let width = mantissa_of(bits);
    let (mantissa, exponent) = (raw & mask(width), raw >> width & 31);
    let sign = if bits == 16 { raw >> 15 << 31 } else { 0 };
    sign | match exponent {
        // Subnormal: a multiple of the smallest step, which is exact in an `f32`.
        0 => (mantissa as f32 * 2f32.powi(-14 - width as i32)).to_bits(),
        31 => 0x7f80_0000 | mantissa << (23 - width),
        _ => (exponent + 112) << 23 | mantissa << (23 - width),
    }
}

/// The float of 10, 11, 16 or 32 bits nearest to an `f32`.
fn narrow(number: u32, bits: u32) -> u32 {
    if bits == 32 {
        return number;
    }
    let width = mantissa_of(bits);
    let (is_negative, magnitude) = (number >> 31 == 1, number & 0x7fff_ffff);
    let sign = if bits == 16 { (number >> 31) << 15 } else { 0 };
    let infinity = 31 << width;
    if magnitude > 0x7f80_0000 {
        return sign | infinity | 1 << (width - 1);
    }
    if is_negative && bits != 16 {
        return 0;
    }
    if magnitude == 0x7f80_0000 {
        return sign | infinity;
    }
    // In steps of the target's, which double with each exponent; below the smallest exponent they stay.
    let exponent = (magnitude >> 23).max(113) as i32 - 127;
    let steps = f64::from(f32::from_bits(magnitude)) * 2f64.powi(width as i32 - exponent);
    let rounded = steps.round_ties_even() as u32;
    let biased = (exponent + 14) as u32;
    // A mantissa that rounds up to the next power of two carries into the exponent.
    let raw = (biased << width) + rounded;
    let largest = infinity - 1;
    match (raw > largest, bits) {
        (false, _) => sign | raw,
        (true, 16) => sign | infinity,
        (true, _) => largest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw_of(format: ImageFormat, texel: [f32; 4]) -> Vec<u8> {
        let mut bytes = vec![0; format.bytes() as usize];
        format.encode(texel.map(f32::to_bits), &mut bytes);
        bytes
    }

    #[test]
    fn what_was_read_is_written_again() {
        for format in ImageFormat::ALL {
            let mut state = 0x9e37_79b9_7f4a_7c15u64;
            for _ in 0..2000 {
                let mut bytes = [0u8; 16];
                for half in bytes.chunks_mut(8) {
                    state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                    half.copy_from_slice(&(state ^ state >> 29).to_le_bytes());
                }
                let bytes = &bytes[..format.bytes() as usize];
                let texel = format.decode(bytes);
                let mut again = vec![0; bytes.len()];
                format.encode(texel, &mut again);
                // The least of a signed normalised format is its neighbour, and a NaN may be another.
                let same = format
                    .decode(&again)
                    .iter()
                    .zip(texel)
                    .all(|(a, b)| *a == b || f32::from_bits(*a).is_nan() && f32::from_bits(b).is_nan());
                assert!(same, "{format}: {bytes:?}, {texel:x?}, {again:?}");
            }
        }
    }

    #[test]
    fn floats_are_those_of_half() {
        for bits in 0..=u16::MAX {
            let texel = ImageFormat::R16Float.decode(&bits.to_le_bytes());
            let expected = half::f16::from_bits(bits).to_f32();
            assert!(
                texel[0] == expected.to_bits() || expected.is_nan() && f32::from_bits(texel[0]).is_nan(),
                "{bits:x}"
            );
        }
        for step in 0..200_000u32 {
            let number = f32::from_bits(step.wrapping_mul(21_475));
            let raw = raw_of(ImageFormat::R16Float, [number, 0.0, 0.0, 0.0]);
            let expected = half::f16::from_f32(number);
            let found = half::f16::from_bits(u16::from_le_bytes([raw[0], raw[1]]));
            assert!(found == expected || found.is_nan() && expected.is_nan(), "{number}: {found}, {expected}");
        }
    }

    #[test]
    fn normalised_numbers_are_clamped() {
        assert_eq!(raw_of(ImageFormat::Rgba8Unorm, [0.5, -1.0, 2.0, f32::NAN]), [128, 0, 255, 0]);
        assert_eq!(raw_of(ImageFormat::Rgba8Snorm, [0.5, -2.0, 2.0, f32::NAN]), [64, 129, 127, 0]);
        assert_eq!(ImageFormat::R8Snorm.decode(&[128]).map(f32::from_bits), [-1.0, 0.0, 0.0, 1.0]);
        assert_eq!(ImageFormat::Rg8Uint.decode(&[7, 200]), [7, 200, 0, 1]);
        assert_eq!(ImageFormat::R8Sint.decode(&[255]), [u32::MAX, 0, 0, 1]);
    }

    #[test]
    fn small_floats_have_no_sign() {
        let raw = raw_of(ImageFormat::Rg11B10Float, [1.0, -1.0, 1e9, 0.0]);
        let texel = ImageFormat::Rg11B10Float.decode(&raw).map(f32::from_bits);
        assert_eq!(texel, [1.0, 0.0, 64512.0, 1.0]);
    }

    #[test]
    fn packed_components_begin_at_the_lowest_bits() {
        let raw = raw_of(ImageFormat::Rgb10A2Unorm, [1.0, 0.0, 1.0, 1.0]);
        assert_eq!(u32::from_le_bytes(raw.try_into().unwrap()), 0x3ff | 0x3ff << 20 | 3 << 30);
    }
}
