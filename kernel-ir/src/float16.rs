//! `f16` and `bf16` by their bits: conversions to and from wider floats, exact or rounded once to nearest, ties to even.

/// The `f32` with the value of an `f16`. NaNs stay NaNs, with their payload.
pub fn f16_to_f32(bits: u16) -> f32 {
    let (sign, size) = (u32::from(bits & 0x8000) << 16, u32::from(bits & 0x7fff));
    let value = match size >> 10 {
        // Zeros and subnormals: a number of units of 2^-24.
        0 => (size as f32 * f32::from_bits(0x3380_0000)).to_bits(),
        0x1f => 0x7f80_0000 | (size & 0x3ff) << 13,
        _ => (size << 13) + (112 << 23),
    };
    f32::from_bits(sign | value)
}

/// The `f16` nearest to an `f32`. NaNs become quiet and keep the top of their payload.
pub fn f32_to_f16(value: f32) -> u16 {
    let bits = value.to_bits();
    let (sign, size) = ((bits >> 16) as u16 & 0x8000, bits & 0x7fff_ffff);
    let result = if size > 0x7f80_0000 {
        0x7e00 | (size >> 13) as u16 & 0x3ff
    } else if size >= 0x4780_0000 {
        // 2^16 and more.
        0x7c00
    } else if size >= 0x3880_0000 {
        // Normal: a carry out of the fraction goes where it belongs, up to infinity.
        let units = size - (112 << 23);
        ((units + 0xfff + (units >> 13 & 1)) >> 13) as u16
    } else {
        // The fraction of 0.5 + x counts units of 2^-24: the sum rounds as wanted.
        ((f32::from_bits(size) + 0.5).to_bits() - 0x3f00_0000) as u16
    };
    sign | result
}

/// The `f32` with the value of a `bf16`.
pub fn bf16_to_f32(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// The `bf16` nearest to an `f32`. NaNs become quiet and keep the top of their payload.
pub fn f32_to_bf16(value: f32) -> u16 {
    let bits = value.to_bits();
    if value.is_nan() {
        return (bits >> 16) as u16 | 0x40;
    }
    ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

/// The `f32` next to an `f64`, such that rounding it further gives what rounding the `f64` once gives.
pub fn round_to_odd(value: f64) -> f32 {
    let near = value as f32;
    let back = f64::from(near);
    if back == value || value.is_nan() || near.to_bits() & 1 == 1 {
        return near;
    }
    // Inexact and even: the other neighbour is odd.
    let bits = near.to_bits();
    f32::from_bits(if back.abs() > value.abs() { bits - 1 } else { bits + 1 })
}

#[cfg(test)]
mod tests {
    use half::{bf16, f16};

    use super::*;

    #[test]
    fn every_f16_and_bf16_converts_as_in_half() {
        for bits in 0..=u16::MAX {
            let (f, b) = (f16::from_bits(bits), bf16::from_bits(bits));
            if f.is_nan() {
                assert!(f16_to_f32(bits).is_nan());
            } else {
                assert_eq!(f16_to_f32(bits).to_bits(), f.to_f32().to_bits(), "{bits:#x}");
                assert_eq!(f32_to_f16(f.to_f32()), bits);
            }
            if b.is_nan() {
                assert!(bf16_to_f32(bits).is_nan());
            } else {
                assert_eq!(bf16_to_f32(bits).to_bits(), b.to_f32().to_bits(), "{bits:#x}");
                assert_eq!(f32_to_bf16(b.to_f32()), bits);
            }
        }
    }

    #[test]
    fn floats_between_round_as_in_half() {
        // All exponents, with fractions around every tie of the upper bits.
        for high in 0..=u16::MAX {
            for low in [0, 1, 0xfff, 0x1000, 0x1001, 0x7fff, 0x8000, 0x8001, 0xefff, 0xf000, 0xffff] {
                let value = f32::from_bits(u32::from(high) << 16 | low);
                assert_eq!(f32_to_f16(value), f16::from_f32(value).to_bits(), "f16 of {value:e}");
                assert_eq!(f32_to_bf16(value), bf16::from_f32(value).to_bits(), "bf16 of {value:e}");
            }
        }
    }

    /// `half` looks at the upper 32 bits of an `f64` only, or rounds it to `f32` first: it is no judge here.
    #[test]
    fn doubles_beside_ties_round_once() {
        for high in 0..0x7f00u32 {
            let tie = f64::from(f32::from_bits(high << 16 | 0x8000));
            let [below, above] = [1.0 - f64::EPSILON, 1.0 + f64::EPSILON].map(|by| round_to_odd(tie * by));
            assert_eq!(u32::from(f32_to_bf16(below)), high);
            assert_eq!(u32::from(f32_to_bf16(above)), high + 1);
        }
        for bits in 0..0x7bff {
            let [low, high] = [bits, bits + 1].map(|bits| f64::from(f16_to_f32(bits)));
            let tie = f64::midpoint(low, high);
            let [below, above] = [1.0 - f64::EPSILON, 1.0 + f64::EPSILON].map(|by| round_to_odd(tie * by));
            assert_eq!([f32_to_f16(below), f32_to_f16(above)], [bits, bits + 1]);
        }
    }
}
