//! Random numbers: the published vectors, the same numbers on host and device, and their statistics.

use gridwise::algorithms::{OpRandom, Philox};
use gridwise::prelude::*;

use super::{MANAGER, has};
use gridwise::descriptor::Feature;

/// The known answers of Random123 for Philox 4x32-10.
fn known() -> [([u32; 4], [u32; 2], [u32; 4]); 3] {
    [
        ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
        ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
        (
            [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
            [0xa409_3822, 0x299f_31d0],
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
        ),
    ]
}

#[kernel]
fn blocks(counters: &[[u32; 4]], keys: &[[u32; 2]], words: &mut [[u32; 4]]) {
    let i = global_id().x;
    words[i] = Philox::words(counters[i], keys[i]);
}

/// Numbers of each kind, one stream for each invocation.
#[kernel]
fn streams(seed: u64, words: &mut [[u32; 5]], floats: &mut [f32], below: &mut [u32]) {
    let i = global_id().x;
    let mut random = Philox::new(seed, u64::from(i));
    for k in 0..5 {
        words[i][k] = random.next_u32();
    }
    floats[i] = random.next_f32();
    below[i] = random.next_below(6);
}

pub(super) fn random_numbers() {
    let mgr = &*MANAGER;
    if !has(Feature::Int64) {
        return;
    }
    let cases = known();
    for (counter, key, expected) in cases {
        assert_eq!(Philox::words(counter, key), expected);
    }
    let counters = mgr.tensor(&cases.map(|case| case.0)).unwrap();
    let keys = mgr.tensor(&cases.map(|case| case.1)).unwrap();
    let mut words = mgr.tensor_of_len::<[u32; 4]>(3).unwrap();
    let seq = mgr.sequence().unwrap();
    Blocks::dispatch(&seq, Grid::items(3), &counters, &keys, &mut words).unwrap();
    seq.eval().unwrap();
    assert_eq!(words.to_vec().unwrap(), cases.map(|case| case.2));

    // Streams give the same on the host.
    let (mut words, mut floats) = (mgr.tensor_of_len::<[u32; 5]>(70).unwrap(), mgr.tensor_of_len::<f32>(70).unwrap());
    let mut below = mgr.tensor_of_len::<u32>(70).unwrap();
    let seed = 0x0123_4567_89ab_cdef;
    let seq = mgr.sequence().unwrap();
    Streams::dispatch(&seq, Grid::items(70), seed, &mut words, &mut floats, &mut below).unwrap();
    seq.eval().unwrap();
    let (words, floats, below) = (words.to_vec().unwrap(), floats.to_vec().unwrap(), below.to_vec().unwrap());
    for (stream, (words, (float, below))) in words.iter().zip(floats.iter().zip(&below)).enumerate() {
        let mut random = Philox::new(seed, stream as u64);
        assert_eq!(*words, std::array::from_fn(|_| random.next_u32()));
        assert_eq!((*float, *below), (random.next_f32(), random.next_below(6)));
    }
    let mut moved = Philox::new(seed, 9).at_block(1);
    assert_eq!(moved.next_u32(), words[9][4]);

    // Each element is a function of seed, round and index.
    let reference = |round: u64, len: usize| -> Vec<u32> {
        let mut random = Philox::new(seed, round);
        (0..len).map(|_| random.next_u32()).collect()
    };
    for len in [0, 1, 2, 3, 4, 5, 1023, 1024, 1027, 5000] {
        let mut x = mgr.tensor_of_len::<u32>(len).unwrap();
        let seq = mgr.sequence().unwrap();
        let round = seq.parameter(3u32);
        seq.record(OpRandom::uniform(seed, &round, &mut x).unwrap()).unwrap().eval().unwrap();
        assert!(x.to_vec().unwrap() == reference(3, len), "{len}");
        round.set(4);
        seq.eval().unwrap();
        assert!(x.to_vec().unwrap() == reference(4, len), "{len}");
        let mut x = mgr.tensor_of_len::<f32>(len).unwrap();
        let fill = OpRandom::uniform(seed, 3u32, &mut x).unwrap();
        mgr.sequence().unwrap().record(fill).unwrap().eval().unwrap();
        let expected: Vec<f32> = reference(3, len).into_iter().map(|word| (word >> 8) as f32 / 16_777_216.0).collect();
        assert!(x.to_vec().unwrap() == expected, "{len}");
    }
    normal_numbers();
    if has(Feature::Float64) {
        wide_numbers();
    }
}

/// Mean, deviation and skewness.
fn moments(x: &[f64]) -> [f64; 3] {
    let len = x.len() as f64;
    let mean = x.iter().sum::<f64>() / len;
    let moment = |power| x.iter().map(|x| (x - mean).powi(power)).sum::<f64>() / len;
    let deviation = moment(2).sqrt();
    [mean, deviation, moment(3) / deviation.powi(3)]
}

fn normal_numbers() {
    let mut x = MANAGER.tensor_of_len::<f32>(20_001).unwrap();
    let fill = OpRandom::normal(11, 0u32, 5.0, 2.0, &mut x).unwrap();
    MANAGER.sequence().unwrap().record(fill).unwrap().eval().unwrap();
    let x: Vec<f64> = x.to_vec().unwrap().into_iter().map(f64::from).collect();
    let [mean, deviation, skewness] = moments(&x);
    assert!((mean - 5.0).abs() < 0.06 && (deviation - 2.0).abs() < 0.05 && skewness.abs() < 0.1);
    let within = x.iter().filter(|x| (**x - 5.0).abs() < 2.0).count() as f64 / x.len() as f64;
    assert!((within - 0.6827).abs() < 0.015, "{within}");
    let mut random = Philox::new(11, 0);
    for (i, pair) in x.chunks_exact(2).enumerate() {
        for (x, normal) in pair.iter().zip(normals(random.next_u32(), random.next_u32())) {
            assert!((x - (5.0 + 2.0 * normal)).abs() < 1e-5, "pair {i}: {x} {normal}");
        }
    }
    fits_are_close();
}

/// The two numbers that words stand for, by logarithm, sine and cosine of `f64`.
fn normals(first: u32, second: u32) -> [f64; 2] {
    let radius = (-2.0 * (f64::from((first >> 8) + 1) / f64::from(1 << 24)).ln()).sqrt();
    // The nearest quarter and what is beyond it, as 24 bits.
    let beyond = f64::from((second << 2) as i32 >> 8) / f64::from(1 << 24);
    let angle = (f64::from(second >> 30) + beyond) * std::f64::consts::FRAC_PI_2;
    [radius * angle.cos(), radius * angle.sin()]
}

/// Normal numbers beside logarithm, sine and cosine of `f64`, of all quarters and of the first and last words.
fn fits_are_close() {
    let words = (0..1 << 18).map(|i: u32| (i.wrapping_mul(0x9e37_79b9), i.wrapping_mul(0x85eb_ca6b)));
    let firsts = [0, 255, 256, 0x7fff_ffff, 0x8000_0000, 0xb504_f300, 0xb504_f400, u32::MAX - 256, u32::MAX];
    let seconds = [0, 255, 0x1fff_ffff, 0x2000_0000, 0x4000_0000, 0x7fff_ffff, 0x8000_0000, 0xe000_0000, u32::MAX];
    let ends = firsts.into_iter().flat_map(|first| seconds.map(|second| (first, second)));
    for (first, second) in words.chain(ends) {
        let mut random = Philox::new(0, 0);
        (random.block, random.left) = ([0, 0, first, second], 2);
        let (expected, other) = normals(first, second).into();
        let normal = f64::from(random.next_normal());
        assert!(
            (normal - expected).abs() <= 3e-7 * expected.hypot(other),
            "{first:#x} {second:#x}: {normal} {expected}"
        );
    }
}

fn wide_numbers() {
    for len in [1usize, 2, 7, 5000] {
        let mut x = MANAGER.tensor_of_len::<f64>(len).unwrap();
        let seq = MANAGER.sequence().unwrap();
        seq.record(OpRandom::uniform(5, 1u32, &mut x).unwrap()).unwrap().eval().unwrap();
        let mut random = Philox::new(5, 1);
        assert!(x.to_vec().unwrap().iter().all(|x| *x == random.next_f64()), "{len}");
        let mut x = MANAGER.tensor_of_len::<f64>(len).unwrap();
        let seq = MANAGER.sequence().unwrap();
        seq.record(OpRandom::normal(5, 1u32, 0.0, 1.0, &mut x).unwrap()).unwrap().eval().unwrap();
        let x = x.to_vec().unwrap();
        assert!(x.iter().all(|x| x.abs() < 8.7));
        if len == 5000 {
            let [mean, deviation, _] = moments(&x);
            assert!(mean.abs() < 0.06 && (deviation - 1.0).abs() < 0.05, "{mean} {deviation}");
        }
    }
}
