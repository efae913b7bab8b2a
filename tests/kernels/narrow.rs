//! Integers of 8 and 16 bits that loops carry, conditions choose and functions return: their upper bits in registers never show.

use gridwise::prelude::*;

use super::{case, twice};
use crate::case::{Case, Output};

const N: usize = 256;

/// Elements that each invocation reads, from its own on.
const WINDOW: usize = 9;

macro_rules! narrow {
    ($module:ident, $ty:ident, $other:ident) => {
        mod $module {
            use super::*;

            twice! {
                /// The least and the largest, which a loop carries.
                fn extremes(x: [$ty; 9]) -> $ty {
                    let (mut least, mut largest) = ($ty::MAX, $ty::MIN);
                    for k in 0..9 {
                        least = least.min(x[k]);
                        largest = largest.max(x[k]);
                    }
                    least.wrapping_mul(3) ^ largest
                }

                /// Sums that wrap in each round, and are compared and shifted to the right there.
                fn wrapped(x: [$ty; 9]) -> $ty {
                    let mut sum = x[0];
                    let mut rest = x[1];
                    for k in 0..9 {
                        sum = sum.wrapping_mul(5).wrapping_add(x[k]);
                        if sum > rest {
                            rest = (sum >> 1) ^ (rest >> 3);
                        } else {
                            rest = rest.wrapping_sub(sum) << 1;
                        }
                    }
                    sum / 3 + rest / 5
                }

                /// Shifts by amounts that are masked.
                fn shifted(x: [$ty; 9]) -> $ty {
                    let mut bits = x[0];
                    for k in 1..9 {
                        let by = x[k] as u32;
                        bits = bits.wrapping_shl(by) ^ x[k].wrapping_shr(by >> 2) ^ !bits;
                        bits = bits.rotate_left(by % 5) ^ (bits >> 2);
                    }
                    bits
                }

                /// Arms by the value, one of them of the least, that give what the next round begins with.
                fn matched(x: [$ty; 9]) -> $ty {
                    let mut state: $ty = 0;
                    for k in 0..9 {
                        state = match x[k] {
                            least if least == $ty::MIN => state.wrapping_sub(1),
                            0 => state | 1,
                            1..=40 => state.wrapping_add(x[k]),
                            $ty::MAX => !state,
                            other if other % 2 == 0 => other.wrapping_mul(state),
                            other => other ^ state,
                        };
                    }
                    state
                }

                /// Quotients and remainders, of the least by -1, too.
                fn divided(x: [$ty; 9]) -> $ty {
                    let mut state = x[0];
                    for k in 1..9 {
                        let divisor = if x[k] == 0 { 7 } else { x[k] };
                        let quotient = state.wrapping_div(divisor);
                        let rest = state.wrapping_rem(divisor);
                        state = quotient.wrapping_mul(7) ^ rest.wrapping_neg() ^ state.checked_div(x[k]).unwrap_or(3);
                        state = state.wrapping_add(x[k].div_euclid(3)).wrapping_add(state.rem_euclid(5));
                    }
                    state
                }

                /// Sums and products that saturate, with the number of those that overflow.
                fn saturated(x: [$ty; 9]) -> $ty {
                    let (mut sum, mut overflows) = (x[0], 0u32);
                    for k in 1..9 {
                        sum = sum.saturating_add(x[k]).saturating_sub(x[k - 1] >> 1);
                        let (product, is_over) = sum.overflowing_mul(x[k]);
                        overflows += is_over as u32;
                        sum = if is_over { product } else { sum.saturating_mul(3) };
                        if sum.checked_add(x[k]).is_none() {
                            overflows += 100;
                        }
                    }
                    sum ^ overflows as $ty
                }

                /// Bits counted, turned and exchanged.
                fn counted(x: [$ty; 9]) -> $ty {
                    let mut state = x[0];
                    let mut count = 0u32;
                    for k in 1..9 {
                        state = state.wrapping_add(x[k]);
                        count += state.leading_zeros() + 2 * state.trailing_zeros() + 3 * state.count_ones();
                        state = state.reverse_bits().swap_bytes() ^ state.rotate_right(count % 9);
                        count += (state.abs_diff(x[k]) > 9) as u32;
                    }
                    state ^ count as $ty
                }

                /// Conversions to wider and narrower integers, floats and `bool`, and back.
                fn converted(x: [$ty; 9]) -> $ty {
                    let mut state = x[0];
                    let mut wide = 1i64;
                    for k in 1..9 {
                        let next = x[k].wrapping_add(state);
                        wide = wide * 3 + next as i64;
                        let other = next as $other;
                        let float = next as f32 * 1.5 - other as f32;
                        let words = (next as u32) ^ (other as i32 as u32) ^ (wide as u32);
                        state = (float as $ty) ^ (words as $ty) ^ (wide as u16 as $ty) ^ (other as i8 as $ty);
                        state = state ^ ((next > other as $ty) as $ty) ^ (float as f64 * 1e3) as $ty;
                    }
                    state
                }

                /// A counter that is narrow itself, and a way out in the middle.
                fn searched(x: [$ty; 9]) -> $ty {
                    let mut at: $ty = 100;
                    let found = loop {
                        if at % 10 == (x[(at % 9) as usize] & 7) {
                            break at.wrapping_mul(9);
                        }
                        if at == 3 {
                            return !at;
                        }
                        at -= 1;
                    };
                    let mut last = found;
                    let mut k: $ty = 1;
                    while k < 60 {
                        last = if x[(k / 9) as usize] < last { last.wrapping_sub(k) } else { last ^ k };
                        k = k + k / 2 + 1;
                    }
                    last
                }
            }

            #[kernel(workgroup = 32)]
            pub(super) fn $module(x: &[$ty], out: &mut [[$ty; 9]]) {
                let i = global_id().x as usize;
                let mut own = [0 as $ty; 9];
                for k in 0..9 {
                    own[k] = x[i + k];
                }
                out[i] = [
                    extremes(own),
                    wrapped(own),
                    shifted(own),
                    matched(own),
                    divided(own),
                    saturated(own),
                    counted(own),
                    converted(own),
                    searched(own),
                ];
            }

            pub(super) fn expected(x: &[$ty]) -> [$ty; 9] {
                let x: [$ty; WINDOW] = x.try_into().expect("a window has so many");
                [
                    plain::extremes(x),
                    plain::wrapped(x),
                    plain::shifted(x),
                    plain::matched(x),
                    plain::divided(x),
                    plain::saturated(x),
                    plain::counted(x),
                    plain::converted(x),
                    plain::searched(x),
                ]
            }
        }
    };
}

narrow!(bytes, u8, i16);
narrow!(signed_bytes, i8, u16);
narrow!(halves, u16, i8);
narrow!(signed_halves, i16, u8);

/// A struct with narrow members, beside one that is no integer.
#[derive(GpuData, Debug, Clone, Copy)]
#[repr(C)]
struct Mixed {
    byte: u8,
    signed: i8,
    half: i16,
    float: f32,
}

/// Narrow integers between registers, arrays, tuples, structs and shared memory.
#[kernel(workgroup = 32)]
fn stored(least: u8, most: i16, x: &[u8], y: &[i16], bytes: &mut [u8], mixed: &mut [Mixed]) {
    let tile = Shared::<[i16; 32]>::new();
    let (i, local) = (global_id().x as usize, local_id().x as usize);
    let mut array = [x[i], least, x[i + 1], 3];
    let mut pair = (x[i], y[i]);
    let mut table = [0i16; 4];
    for k in 0..9 {
        array[k % 4] = array[(k + 1) % 4].max(x[i + k]) + array[3];
        pair = (pair.1 as u8 + pair.0, pair.1.min(y[i + k]) - most);
        table[k % 4] = table[(k + 1) % 4] + pair.1;
    }
    tile[local] = table[0] ^ table[3] ^ pair.1;
    barrier();
    let other = tile[31 - local];
    let old = mixed[i];
    bytes[i] = array[0] ^ array[1] ^ array[2] ^ array[3] ^ pair.0;
    mixed[i] = Mixed {
        byte: bytes[i] + old.byte,
        signed: other as i8 >> (old.half & 3) as u32,
        half: old.half * other,
        float: old.signed as f32 + old.float,
    };
}

fn numbers() -> impl Iterator<Item = u32> {
    let edges = [0, 1, 0xff, 0x80, 0x7f, 0x8000, 0x7fff, 0xffff, 3, 0x8001];
    (0..(N + WINDOW) as u32).map(move |k| match k % 4 {
        0 => edges[(k / 4) as usize % edges.len()],
        1 => k % 50,
        _ => k.wrapping_mul(0x9e37_79b9) >> (k % 17),
    })
}

macro_rules! narrow_case {
    ($name:literal, $module:ident, $kernel:ident, $ty:ident) => {
        case!(
            $name,
            [$module::$kernel],
            |mgr| {
                let x: Vec<$ty> = numbers().map(|bits| bits as $ty).collect();
                let (x, mut out) = (mgr.tensor(&x)?, mgr.tensor(&vec![[0 as $ty; 9]; N])?);
                let seq = mgr.sequence()?;
                $module::$kernel::dispatch(&seq, Grid::items(N), &x, &mut out)?;
                seq.eval()?;
                Ok(vec![Output::I32(out.to_vec()?.concat().into_iter().map(i32::from).collect())])
            },
            || {
                let x: Vec<$ty> = numbers().map(|bits| bits as $ty).collect();
                vec![Output::I32(x.windows(WINDOW).take(N).flat_map($module::expected).map(i32::from).collect())]
            }
        )
    };
}

/// The entries.
pub const CASES: &[Case] = &[
    narrow_case!("narrow::bytes", bytes, Bytes, u8),
    narrow_case!("narrow::signed_bytes", signed_bytes, SignedBytes, i8),
    narrow_case!("narrow::halves", halves, Halves, u16),
    narrow_case!("narrow::signed_halves", signed_halves, SignedHalves, i16),
    case!("narrow::stored", [Stored], |mgr| {
        let (x, y): (Vec<u8>, Vec<i16>) = numbers().map(|bits| (bits as u8, bits as i16)).unzip();
        let mixed: Vec<Mixed> = numbers()
            .take(N)
            .map(|bits| Mixed { byte: bits as u8, signed: (bits >> 1) as i8, half: (bits >> 2) as i16, float: 0.5 })
            .collect();
        let (x, y, mut bytes, mut mixed) =
            (mgr.tensor(&x)?, mgr.tensor(&y)?, mgr.tensor(&[0u8; N])?, mgr.tensor(&mixed)?);
        let seq = mgr.sequence()?;
        Stored::dispatch(&seq, Grid::items(N), 200, -300, &x, &y, &mut bytes, &mut mixed)?;
        seq.eval()?;
        let bytes = bytes.to_vec()?.into_iter().map(i32::from).collect();
        let parts = |of: Mixed| [of.byte.into(), of.signed.into(), of.half.into(), of.float as i32];
        Ok(vec![Output::I32(bytes), Output::I32(mixed.to_vec()?.into_iter().flat_map(parts).collect())])
    }),
];
