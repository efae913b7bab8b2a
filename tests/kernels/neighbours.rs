//! Neighbours of a buffer that devices load as one word or vector: numbers from bytes, pixels, rows of a width that fits and of one that does
//! not, parts of tensors, and loads whose checks a launch keeps.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, patterns};

const N: usize = 64;

/// Words of rows, from both ends, by what the width allows.
#[kernel(workgroup = 32)]
fn row_words(width: u32, rows: &[u8], out: &mut [u64]) {
    let i = global_id().x as usize;
    let row = &rows[i * width as usize..][..width as usize];
    let mut sum = 0u64;
    for chunk in row.chunks_exact(16) {
        let (a, b) = chunk.split_at(8);
        let (a, b) = (u64::from_le_bytes(a.try_into().unwrap()), u64::from_le_bytes(b.try_into().unwrap()));
        sum = (sum ^ a).rotate_left(9).wrapping_add(b);
    }
    for chunk in row.chunks_exact(8) {
        sum = sum.rotate_left(5) ^ u64::from_be_bytes(chunk.try_into().unwrap());
    }
    for chunk in row.chunks_exact(4) {
        let word =
            u32::from(chunk[0]) | u32::from(chunk[1]) << 8 | u32::from(chunk[2]) << 16 | u32::from(chunk[3]) << 24;
        let signed = i32::from_be_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        sum = sum.wrapping_mul(31).wrapping_add(u64::from(word)).wrapping_add(signed as u64);
    }
    for chunk in row.chunks_exact(2) {
        sum = sum.wrapping_mul(7) ^ u64::from(u16::from_le_bytes([chunk[0], chunk[1]]));
    }
    out[i] = sum;
}

fn row_words_of(width: usize, rows: &[u8]) -> Vec<u64> {
    let of = |row: &[u8]| {
        let mut sum = 0u64;
        for chunk in row.chunks_exact(16) {
            let [a, b] = [&chunk[..8], &chunk[8..]].map(|half| u64::from_le_bytes(half.try_into().unwrap()));
            sum = (sum ^ a).rotate_left(9).wrapping_add(b);
        }
        for chunk in row.chunks_exact(8) {
            sum = sum.rotate_left(5) ^ u64::from_be_bytes(chunk.try_into().unwrap());
        }
        for chunk in row.chunks_exact(4) {
            let [word, signed]: [u32; 2] =
                [u32::from_le_bytes, u32::from_be_bytes].map(|read| read(chunk.try_into().unwrap()));
            let signed = i64::from(signed.cast_signed()).cast_unsigned();
            sum = sum.wrapping_mul(31).wrapping_add(u64::from(word)).wrapping_add(signed);
        }
        for &[a, b] in row.as_chunks::<2>().0 {
            sum = sum.wrapping_mul(7) ^ u64::from(u16::from_le_bytes([a, b]));
        }
        sum
    };
    rows.chunks(width).take(N).map(of).collect()
}

fn words_of(values: &[u64]) -> Output {
    Output::U32(values.iter().flat_map(|value| [*value as u32, (*value >> 32) as u32]).collect())
}

/// Rows whose words begin at multiples of 16, 8, 4 and 1 bytes.
const WIDTHS: [usize; 5] = [48, 24, 20, 19, 16];

/// Checks that a launch keeps where the buffer is too short: nothing but those elements reads as zero.
#[kernel(workgroup = 32)]
fn checked_words(x: &[u8], y: &[i16], out: &mut [i32]) {
    let i = global_id().x as usize;
    let word = i32::from_le_bytes([x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3]]);
    out[i] = word.wrapping_add(i32::from(y[2 * i]) * 3 - i32::from(y[2 * i + 1]));
}

/// Pixels by three of their four bytes, as arrays, and as structs.
#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Pixel {
    r: u8,
    g: i8,
    ba: [u8; 2],
}

#[kernel(workgroup = 32)]
fn pixels(flat: &[u8], arrays: &[[u8; 4]], structs: &[Pixel], pairs: &[[i16; 4]], out: &mut [i32]) {
    let i = global_id().x as usize;
    let p = &flat[4 * i..4 * i + 4];
    let grey = (77 * i32::from(p[0]) + 150 * i32::from(p[1]) + 29 * i32::from(p[2])) >> 8;
    let [r, g, b, a] = arrays[63 - i].map(i32::from);
    let Pixel { r: red, g: green, ba: [blue, alpha] } = structs[i];
    let mixed = i32::from(red) - 2 * i32::from(green) + 3 * i32::from(blue) - 4 * i32::from(alpha);
    let wide = pairs[i].iter().enumerate().map(|(k, &v)| i32::from(v) * (k as i32 - 2)).sum::<i32>();
    out[i] = grey + 1000 * (r - g + 2 * b - a) + 7 * mixed + wide;
}

/// Rows of words and of halves, of a width that the launch gives, and every second number.
#[kernel(workgroup = 32)]
fn row_sums(width: u32, words: &[u32], halves: &[f16], out: &mut [u32]) {
    let (i, width) = (global_id().x as usize, width as usize);
    let mut sum = 0;
    for (chunk, half) in words[i * width..][..width].chunks_exact(4).zip(halves[i * width..][..width].chunks_exact(4)) {
        sum = sum * 3 + (chunk[0] ^ chunk[1] << 1 ^ chunk[2] << 2 ^ chunk[3] << 3);
        sum ^= (half[0] + half[1] * half[2] - half[3]).to_bits() as u32;
    }
    for k in (0..width - 1).step_by(2) {
        sum += words[i * width + k] * words[i * width + k + 1];
    }
    out[i] = sum;
}

/// Runs of eight halves and of twelve, which are vectors of four.
#[kernel(workgroup = 32)]
fn eight_halves(halves: &[f16], out: &mut [f16]) {
    let i = global_id().x as usize;
    let Some(own) = out.chunks_exact_mut(8).nth(i) else { return };
    let mut turned = [f16::ZERO; 8];
    turned.copy_from_slice(&halves[i * 8..(i + 1) * 8]);
    turned.reverse();
    let sum = halves[12 * i..][..12].iter().fold(f16::ZERO, |sum, half| sum + *half);
    own.copy_from_slice(&turned);
    own[i % 8] += sum;
}

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Number {
    value: f32,
}

/// Pairs and structs side by side, whose numbers no vector has for lanes.
#[kernel(workgroup = 32)]
fn side_by_side(
    pairs: &[[f16; 2]],
    numbers: &[Number],
    arrays: &[[u32; 1]],
    halves: &[f16],
    doubles: &[f64],
    out: &mut [f32],
) {
    let i = global_id().x as usize;
    let [a, b] = pairs[2 * i];
    let [c, d] = pairs[2 * i + 1];
    let (x, y) = (numbers[2 * i].value, numbers[2 * i + 1].value);
    let words = arrays[2 * i][0] ^ arrays[2 * i + 1][0];
    let four = halves[4 * i] - halves[4 * i + 1] + halves[4 * i + 2] * halves[4 * i + 3];
    out[i] = f32::from(a + b * c - d) + x - 2.0 * y
        + (words % 64) as f32
        + f32::from(four)
        + (doubles[2 * i] - doubles[2 * i + 1]) as f32;
}

/// Neighbours that no loop moves, and such that begin at no multiple.
#[kernel(workgroup = 32)]
fn unmoved(rounds: u32, x: &[u8], out: &mut [u32]) {
    let i = global_id().x as usize;
    let mut sum = 1;
    for k in 0..rounds as usize {
        for j in 0..4 {
            sum = sum * 31 + u32::from(x[8 * i + j] ^ x[4 * k + j]) + u32::from(x[4 * k + 5 + j]);
        }
    }
    out[i] = sum;
}

/// Two numbers beside each other, and one that memory leaves a byte in front of.
#[derive(Clone, Copy, Default, GpuData)]
#[repr(C)]
struct Uneven {
    first: i8,
    second: u16,
    third: [u8; 4],
}

/// Whole elements that lie in words, written, and read and written.
#[kernel(workgroup = 32)]
fn whole(
    x: &[u32],
    four: &mut [[u8; 4]],
    twelve: &mut [[[i8; 3]; 4]],
    structs: &mut [Pixel],
    wide: &mut [[i16; 8]],
    uneven: &mut [Uneven],
    halves: &mut [[f16; 2]],
) {
    let i = global_id().x as usize;
    let word = x[i];
    four[i] = word.to_le_bytes();
    let mut rows = twelve[i];
    for (k, row) in rows.iter_mut().enumerate() {
        row[k % 3] = row[k % 3].wrapping_sub(word as i8).wrapping_mul(k as i8 + 1);
    }
    twelve[i] = rows;
    let Pixel { r, g, ba: [b, a] } = structs[i];
    structs[i] = Pixel { r: a, g: g.wrapping_neg(), ba: [r, b ^ word as u8] };
    wide[i] = std::array::from_fn(|k| (word >> k) as i16);
    let old = uneven[i];
    uneven[i] =
        Uneven { first: old.first.wrapping_add(3), second: word as u16, third: (word ^ 0x0102_0304).to_be_bytes() };
    let [low, high] = halves[i];
    halves[i] = [high + f16::from_f32(1.5), -low];
}

fn bytes(len: usize) -> Vec<u8> {
    patterns(len, 7).iter().map(|word| (word >> 11) as u8).collect()
}

fn shorts(len: usize) -> Vec<i16> {
    patterns(len, 3).iter().map(|word| (*word >> 5) as i16).collect()
}

fn checked_of(x: &[u8], y: &[i16]) -> Vec<i32> {
    let byte = |at: usize| x.get(at).copied().unwrap_or(0);
    let short = |at: usize| i32::from(y.get(at).copied().unwrap_or(0));
    let one = |i: usize| {
        let word = i32::from_le_bytes([0, 1, 2, 3].map(|k| byte(4 * i + k)));
        word.wrapping_add(short(2 * i) * 3 - short(2 * i + 1))
    };
    (0..N).map(one).collect()
}

fn structs() -> Vec<Pixel> {
    bytes(4 * N).chunks_exact(4).map(|p| Pixel { r: p[3], g: p[2] as i8, ba: [p[1], p[0]] }).collect()
}

fn pixels_of() -> Vec<Output> {
    let (flat, pairs) = (bytes(4 * N), shorts(4 * N));
    let one = |i: usize| {
        let [p, q] = [i, N - 1 - i].map(|i| [0, 1, 2, 3].map(|k| i32::from(flat[4 * i + k])));
        let grey = (77 * p[0] + 150 * p[1] + 29 * p[2]) >> 8;
        let s = structs()[i];
        let mixed = i32::from(s.r) - 2 * i32::from(s.g) + 3 * i32::from(s.ba[0]) - 4 * i32::from(s.ba[1]);
        let wide: i32 = (0..4).map(|k| i32::from(pairs[4 * i + k]) * (k as i32 - 2)).sum();
        grey + 1000 * (q[0] - q[1] + 2 * q[2] - q[3]) + 7 * mixed + wide
    };
    vec![Output::I32((0..N).map(one).collect())]
}

fn halves(len: usize) -> Vec<f16> {
    patterns(len, 5).iter().map(|word| f16::from_f32((word % 64) as f32 / 8.0 - 3.0)).collect()
}

fn unmoved_of(rounds: usize, x: &[u8]) -> Vec<u32> {
    let one = |i: usize| {
        let mut sum = 1u32;
        for k in 0..rounds {
            for j in 0..4 {
                let both = u32::from(x[8 * i + j] ^ x[4 * k + j]) + u32::from(x[4 * k + 5 + j]);
                sum = sum.wrapping_mul(31).wrapping_add(both);
            }
        }
        sum
    };
    (0..N).map(one).collect()
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "neighbours::row_words",
        [RowWords],
        |mgr| {
            let mut found = Vec::new();
            for width in WIDTHS {
                let rows = mgr.tensor(&bytes(width * N + 3))?;
                let mut out = mgr.tensor(&[0u64; N])?;
                let seq = mgr.sequence()?;
                RowWords::dispatch(&seq, Grid::items(N), width as u32, &rows, &mut out)?;
                seq.eval()?;
                found.push(words_of(&out.to_vec()?));
            }
            Ok(found)
        },
        || WIDTHS.map(|width| words_of(&row_words_of(width, &bytes(width * N + 3)))).to_vec()
    ),
    case!(
        "neighbours::parts",
        [RowWords],
        |mgr| {
            // The rows begin at a multiple of 64 bytes of a tensor, as devices ask of parts, and end in the middle of a word.
            let all = mgr.tensor(&bytes(256 + 48 * N + 1))?;
            let mut out = mgr.tensor(&[0u64; N])?;
            let seq = mgr.sequence()?;
            RowWords::dispatch(&seq, Grid::items(N), 48, &*all.part(256..)?, &mut out)?;
            seq.eval()?;
            Ok(vec![words_of(&out.to_vec()?)])
        },
        || vec![words_of(&row_words_of(48, &bytes(256 + 48 * N + 1)[256..]))]
    ),
    case!(
        "neighbours::checked_words",
        [CheckedWords],
        |mgr| {
            let mut found = Vec::new();
            for [bytes_left, shorts_left] in [[0, 0], [1, 0], [3, 1], [130, 1], [0, 77]] {
                let x = mgr.tensor(&bytes(4 * N)[..4 * N - bytes_left])?;
                let y = mgr.tensor(&shorts(2 * N)[..2 * N - shorts_left])?;
                let mut out = mgr.tensor(&[0i32; N])?;
                let seq = mgr.sequence()?;
                // A launch whose last invocation reads too far is refused, if all invocations read there.
                let launched = CheckedWords::dispatch(&seq, Grid::items(N), &x, &y, &mut out);
                let ran = launched.and_then(|_| seq.eval().map(|_| ()));
                found.push(Output::U32(vec![u32::from(ran.is_ok())]));
                if ran.is_ok() {
                    found.push(Output::I32(out.to_vec()?));
                }
            }
            Ok(found)
        },
        || {
            let whole = Output::I32(checked_of(&bytes(4 * N), &shorts(2 * N)));
            let mut expected = vec![Output::U32(vec![1]), whole];
            expected.extend((0..4).map(|_| Output::U32(vec![0])));
            expected
        }
    ),
    case!(
        "neighbours::pixels",
        [Pixels],
        |mgr| {
            let flat = bytes(4 * N);
            let arrays = mgr.tensor(flat.as_chunks::<4>().0)?;
            let pairs = shorts(4 * N);
            let (flat, structs) = (mgr.tensor(&flat)?, mgr.tensor(&structs())?);
            let pairs = mgr.tensor(pairs.as_chunks::<4>().0)?;
            let mut out = mgr.tensor(&[0i32; N])?;
            let seq = mgr.sequence()?;
            Pixels::dispatch(&seq, Grid::items(N), &flat, &arrays, &structs, &pairs, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::I32(out.to_vec()?)])
        },
        pixels_of
    ),
    case!(
        "neighbours::eight_halves",
        [EightHalves],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&halves(12 * N))?, mgr.tensor(&[f16::ZERO; 8 * N])?);
            let seq = mgr.sequence()?;
            EightHalves::dispatch(&seq, Grid::items(N), &x, &mut out)?.eval()?;
            Ok(vec![Output::U32(out.to_vec()?.into_iter().map(|half| half.to_bits().into()).collect())])
        },
        || {
            let x = halves(12 * N);
            let one = |i: usize| {
                let mut own: [f16; 8] = std::array::from_fn(|k| x[8 * i + 7 - k]);
                own[i % 8] += x[12 * i..][..12].iter().fold(f16::ZERO, |sum, half| sum + *half);
                own.map(|half| u32::from(half.to_bits()))
            };
            vec![Output::U32((0..N).flat_map(one).collect())]
        }
    ),
    case!("neighbours::whole", [Whole], |mgr| {
        let flat = bytes(12 * N);
        let rows: Vec<[[i8; 3]; 4]> = flat
            .chunks_exact(12)
            .map(|chunk| std::array::from_fn(|k| [0, 1, 2].map(|j| chunk[3 * k + j] as i8)))
            .collect();
        let pairs = halves(2 * N);
        let x = mgr.tensor(&patterns(N, 23))?;
        let (mut four, mut twelve) = (mgr.tensor(&[[0u8; 4]; N])?, mgr.tensor(&rows)?);
        let (mut structs, mut wide) = (mgr.tensor(&structs())?, mgr.tensor(&[[0i16; 8]; N])?);
        let (mut uneven, mut halves) = (mgr.tensor(&[Uneven::default(); N])?, mgr.tensor(pairs.as_chunks::<2>().0)?);
        let seq = mgr.sequence()?;
        let grid = Grid::items(N);
        Whole::dispatch(&seq, grid, &x, &mut four, &mut twelve, &mut structs, &mut wide, &mut uneven, &mut halves)?;
        seq.eval()?;
        let mut found: Vec<i32> = four.to_vec()?.concat().into_iter().map(i32::from).collect();
        found.extend(twelve.to_vec()?.concat().concat().into_iter().map(i32::from));
        found.extend(
            structs
                .to_vec()?
                .iter()
                .flat_map(|p| [p.r.into(), p.g.into(), p.ba[0].into(), p.ba[1].into()])
                .collect::<Vec<i32>>(),
        );
        found.extend(wide.to_vec()?.concat().into_iter().map(i32::from));
        for Uneven { first, second, third } in uneven.to_vec()? {
            found.extend([i32::from(first), i32::from(second)]);
            found.extend(third.map(i32::from));
        }
        found.extend(halves.to_vec()?.concat().into_iter().map(|half| i32::from(half.to_bits())));
        Ok(vec![Output::I32(found)])
    }),
    case!("neighbours::row_sums", [RowSums], |mgr| {
        let mut found = Vec::new();
        for width in [16, 12, 10, 7] {
            let (words, halves) = (mgr.tensor(&patterns(width * N, 9))?, mgr.tensor(&halves(width * N))?);
            let mut out = mgr.tensor(&[0u32; N])?;
            let seq = mgr.sequence()?;
            RowSums::dispatch(&seq, Grid::items(N), width as u32, &words, &halves, &mut out)?;
            seq.eval()?;
            found.push(Output::U32(out.to_vec()?));
        }
        Ok(found)
    }),
    case!("neighbours::side_by_side", [SideBySide], |mgr| {
        let own = halves(4 * N);
        let numbers: Vec<Number> =
            patterns(2 * N, 31).iter().map(|word| Number { value: (word % 100) as f32 }).collect();
        let arrays: Vec<[u32; 1]> = patterns(2 * N, 33).iter().map(|word| [*word]).collect();
        let doubles: Vec<f64> = patterns(2 * N, 35).iter().map(|word| f64::from(word % 1000)).collect();
        let (pairs, numbers, arrays) =
            (mgr.tensor(own.as_chunks::<2>().0)?, mgr.tensor(&numbers)?, mgr.tensor(&arrays)?);
        let (own, doubles, mut out) = (mgr.tensor(&own)?, mgr.tensor(&doubles)?, mgr.tensor(&[0.0f32; N])?);
        let seq = mgr.sequence()?;
        SideBySide::dispatch(&seq, Grid::items(N), &pairs, &numbers, &arrays, &own, &doubles, &mut out)?;
        seq.eval()?;
        Ok(vec![Output::exact(out.to_vec()?)])
    }),
    case!(
        "neighbours::unmoved",
        [Unmoved],
        |mgr| {
            let (x, mut out) = (mgr.tensor(&bytes(8 * N))?, mgr.tensor(&[0u32; N])?);
            let seq = mgr.sequence()?;
            Unmoved::dispatch(&seq, Grid::items(N), 9, &x, &mut out)?;
            seq.eval()?;
            Ok(vec![Output::U32(out.to_vec()?)])
        },
        || vec![Output::U32(unmoved_of(9, &bytes(8 * N)))]
    ),
];
