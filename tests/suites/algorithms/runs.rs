//! Runs and segments: what is unique, lengths of runs, scans and reductions by key and of segments.

use std::fmt::Debug;
use std::ops::Range;

use gridwise::Tensor;
use gridwise::algorithms::{OpReduce, OpRunLengths, OpScan, OpSelect, OpTopK, OpUnique, Progress, Reducible, Word};

use super::{LENGTHS, MANAGER, floats, is_interpreter, words};

/// Keys in runs: of one to `longest` elements, and now and then one that is longer than tiles.
fn keys(len: usize, longest: u32, seed: u64) -> Vec<u32> {
    let mut keys = Vec::with_capacity(len);
    let lengths = words(len + 1, seed);
    for (run, length) in lengths.into_iter().enumerate() {
        let length = if longest > 100 && run == 3 { 5000 } else { length % longest + 1 };
        keys.extend(std::iter::repeat_n((run as u32 * 7) % 5, length as usize));
        if keys.len() >= len {
            break;
        }
    }
    keys.truncate(len);
    keys
}

/// The runs of equal keys.
fn runs(keys: &[u32]) -> Vec<Range<usize>> {
    let mut at = 0;
    keys.chunk_by(|a, b| a == b)
        .map(|run| {
            at += run.len();
            at - run.len()..at
        })
        .collect()
}

/// Whether invocations are fibers of the host, which take long.
fn is_host() -> bool {
    MANAGER.device().kind == gridwise::DeviceKind::Host
}

/// Lengths with the longest runs of each; few where an invocation takes long.
fn cases() -> Vec<(usize, u32)> {
    if is_interpreter() {
        return vec![(0, 9), (1, 9), (2050, 700)];
    }
    if is_host() {
        return vec![(0, 9), (1, 9), (257, 9), (2050, 700)];
    }
    // Around words of 32 bits and parts of 256 words, and some parts.
    let lengths = LENGTHS.into_iter().chain([2, 4, 5, 32, 8191, 8192, 8193, 16_384, 40_001, 131_071]);
    lengths.flat_map(|len| [(len, 1), (len, 9), (len, 700)]).collect()
}

/// Keys of all parts at once: all equal, all different, a run that reaches over parts, runs that begin and end where parts do.
fn hard_keys() -> Vec<Vec<u32>> {
    if is_interpreter() {
        return vec![vec![7; 1030], (0..1030).collect()];
    }
    let (part, parts) = (8192, if is_host() { 2 } else { 5 });
    let len = part * parts + 3;
    let over = |first: u32, last: u32| (0..len).map(|i| if (first..last).contains(&i) { 3 } else { i % 3 }).collect();
    vec![
        vec![7; len as usize],
        (0..len).collect(),
        over(1, len - 1),
        over(part - 1, part * (parts - 1) + 1),
        over(part, part * (parts - 1)),
        (0..len).map(|i| i / part).collect(),
        (0..len).map(|i| (i + 1) / part).collect(),
        (0..len).map(|i| i.div_ceil(part)).collect(),
    ]
}

pub(super) fn unique_elements_and_lengths_of_runs() {
    for (len, longest) in cases() {
        unique_and_lengths(&keys(len, longest, 21));
        kept(&keys(len, longest, 21));
    }
    for keys in hard_keys() {
        unique_and_lengths(&keys);
    }
    unique_of_other_types();
}

/// So many elements that a workgroup goes through several rounds of them.
pub(super) fn runs_of_many_elements() {
    if is_interpreter() || is_host() {
        return;
    }
    let len = (1 << 24) + (1 << 23) + 8197;
    let x: Vec<u32> = (0..len).map(|i| if i % 1000 < 9 { i } else { i / 3_000_000 }).collect();
    unique_and_lengths(&x);
    let numbers: Vec<u32> = words(len as usize, 28);
    let (keys, tensor) = (MANAGER.tensor(&x).unwrap(), MANAGER.tensor(&numbers).unwrap());
    let (mut unique, mut sums) = (MANAGER.tensor_of_len(x.len()).unwrap(), MANAGER.tensor_of_len(x.len()).unwrap());
    let mut count = MANAGER.tensor_of_len(1).unwrap();
    let op = OpReduce::sum_by_key((&keys, &tensor), (&mut unique, &mut sums), &mut count).unwrap();
    MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
    let sum = |run: Range<usize>| numbers[run].iter().copied().fold(0, u32::wrapping_add);
    let expected: Vec<u32> = runs(&x).into_iter().map(sum).collect();
    assert_eq!(count.to_vec().unwrap(), [expected.len() as u32]);
    assert!(sums.to_vec().unwrap()[..expected.len()] == expected);
}

fn unique_and_lengths(x: &[u32]) {
    let len = x.len();
    let tensor = MANAGER.tensor(x).unwrap();
    let (mut unique, mut count) = (MANAGER.tensor(&vec![77u32; len]).unwrap(), MANAGER.tensor(&[7u32]).unwrap());
    let op = OpUnique::new(&tensor, &mut unique, &mut count).unwrap();
    MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
    let mut expected = x.to_vec();
    expected.dedup();
    assert_eq!(count.to_vec().unwrap(), [expected.len() as u32]);
    expected.resize(len, 77);
    assert!(unique.to_vec().unwrap() == expected, "{len}");

    let mut lengths = MANAGER.tensor(&vec![99u32; len]).unwrap();
    let op = OpRunLengths::new(&tensor, &mut unique, &mut lengths, &mut count).unwrap();
    MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
    assert!(unique.to_vec().unwrap() == expected, "{len}");
    let mut expected: Vec<u32> = runs(x).into_iter().map(|run| run.len() as u32).collect();
    assert_eq!(count.to_vec().unwrap(), [expected.len() as u32]);
    expected.resize(len, 99);
    assert!(lengths.to_vec().unwrap() == expected, "{len}");
}

/// Floats as Rust compares them, and signed integers.
fn unique_of_other_types() {
    let some = [0.0f32, -0.0, f32::NAN, f32::NAN, 1e-40, 0.0, f32::INFINITY, f32::INFINITY];
    unique_of(&some);
    let len = if is_interpreter() || is_host() { 300 } else { 20_003 };
    let floats: Vec<f32> = keys(len, 7, 29)
        .into_iter()
        .zip(words(len, 30))
        .map(|(key, word)| match key {
            0 => {
                if word % 2 == 0 {
                    0.0
                } else {
                    -0.0
                }
            }
            1 => {
                if word % 5 == 0 {
                    f32::NAN
                } else {
                    1.0
                }
            }
            _ => key as f32,
        })
        .collect();
    unique_of(&floats);
    unique_of(&keys(len, 7, 31).into_iter().map(|key| -(key as i32)).collect::<Vec<_>>());
}

fn unique_of<T: Word + PartialEq>(x: &[T]) {
    let len = x.len();
    let (tensor, mut unique) = (MANAGER.tensor(x).unwrap(), MANAGER.tensor_of_len::<T>(len).unwrap());
    let (mut count, mut lengths) = (MANAGER.tensor(&[0u32]).unwrap(), MANAGER.tensor_of_len::<u32>(len).unwrap());
    let bits = |x: &[T]| MANAGER.tensor(x).unwrap().cast::<u32>().unwrap().to_vec().unwrap();
    let mut expected = x.to_vec();
    expected.dedup();
    let op = OpUnique::new(&tensor, &mut unique, &mut count).unwrap();
    MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
    assert_eq!(count.to_vec().unwrap(), [expected.len() as u32]);
    assert!(bits(&unique.to_vec().unwrap()[..expected.len()]) == bits(&expected), "{len}");
    let op = OpRunLengths::new(&tensor, &mut unique, &mut lengths, &mut count).unwrap();
    MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
    assert!(bits(&unique.to_vec().unwrap()[..expected.len()]) == bits(&expected), "{len}");
    let expected: Vec<u32> = x.chunk_by(|a, b| a == b).map(|run| run.len() as u32).collect();
    assert!(lengths.to_vec().unwrap()[..expected.len()] == expected, "{len}");
    // A NaN is a run of its own.
    let (x, mut sums) = (MANAGER.tensor(&vec![1u32; len]).unwrap(), MANAGER.tensor_of_len::<u32>(len).unwrap());
    let op = OpReduce::sum_by_key((&tensor, &x), (&mut unique, &mut sums), &mut count).unwrap();
    MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
    assert!(sums.to_vec().unwrap()[..expected.len()] == expected, "{len}");
}

/// Elements whose key is even.
fn kept(keys: &[u32]) {
    let len = keys.len();
    let marks: Vec<u32> = keys.iter().map(|key| (key % 2 == 0) as u32 * (key + 3)).collect();
    let x: Vec<f32> = (0..len).map(|i| i as f32).collect();
    let mut expected: Vec<f32> = x.iter().zip(&marks).filter(|(_, mark)| **mark != 0).map(|(x, _)| *x).collect();
    let (tensor, keep) = (MANAGER.tensor(&x).unwrap(), MANAGER.tensor(&marks).unwrap());
    let (mut kept, mut count) = (MANAGER.tensor(&vec![-1.0f32; len]).unwrap(), MANAGER.tensor(&[7u32]).unwrap());
    let op = OpSelect::new(&tensor, &keep, &mut kept, &mut count).unwrap();
    MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
    assert_eq!(count.to_vec().unwrap(), [expected.len() as u32]);
    expected.resize(len, -1.0);
    assert!(kept.to_vec().unwrap() == expected, "{len}");
}

/// More workgroups than an axis of a grid has everywhere, so that grids have rows of them; fewer where an invocation takes long.
pub(super) fn grids_of_several_rows() {
    let len = if is_interpreter() || is_host() { 2050 } else { 65_535 * 256 + 300 };
    let (runs, last) = (200, 5);
    let x: Vec<u32> = (0..len).map(|i| if i + last < len { (i * runs / len) as u32 } else { u32::MAX }).collect();
    let tensor = MANAGER.tensor(&x).unwrap();
    let (mut values, mut lengths) = (MANAGER.tensor_of_len(len).unwrap(), MANAGER.tensor_of_len(len).unwrap());
    let mut count = MANAGER.tensor_of_len(1).unwrap();
    let op = OpRunLengths::new(&tensor, &mut values, &mut lengths, &mut count).unwrap();
    MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
    drop(values);
    let expected: Vec<u32> = x.chunk_by(|a, b| a == b).map(|run| run.len() as u32).collect();
    assert_eq!(count.to_vec().unwrap(), [expected.len() as u32]);
    assert!(lengths.to_vec().unwrap()[..expected.len()] == expected);
    drop(lengths);
    let (mut values, mut indices) = (MANAGER.tensor_of_len(7).unwrap(), MANAGER.tensor_of_len(7).unwrap());
    let op = OpTopK::largest(&tensor, &mut values, &mut indices).unwrap();
    MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
    let begin = (len - last) as u32;
    // The first of the run before the last one: of equal elements those with the lowest indices come first.
    let before = begin - expected[expected.len() - 2];
    let expected: Vec<u32> = (begin..begin + last as u32).chain([before, before + 1]).collect();
    assert_eq!(indices.to_vec().unwrap(), expected);
}

/// Numbers of a type, whose sums are exact, with the operations on them.
struct Numbers<T> {
    x: Vec<T>,
    sum: fn(T, T) -> T,
    min: fn(T, T) -> T,
    max: fn(T, T) -> T,
    /// The results for no elements.
    none: [T; 3],
}

impl<T: Reducible + PartialEq + Debug> Numbers<T> {
    /// A scan of each part.
    fn scanned(&self, parts: &[Range<usize>], is_inclusive: bool) -> Vec<T> {
        let mut expected = self.x.clone();
        for part in parts {
            let mut sum = self.none[0];
            for i in part.clone() {
                let before = sum;
                sum = (self.sum)(sum, self.x[i]);
                expected[i] = if is_inclusive { sum } else { before };
            }
        }
        expected
    }

    /// Sum, least and greatest element of each part.
    fn reduced(&self, parts: &[Range<usize>]) -> [Vec<T>; 3] {
        [(self.sum, 0), (self.min, 1), (self.max, 2)].map(|(with, op)| {
            let all = |part: &Range<usize>| self.x[part.clone()].iter().copied().fold(self.none[op], with);
            parts.iter().map(all).collect()
        })
    }

    fn scans_by_key(&self, keys: &[u32]) {
        let len = keys.len();
        let (x, tensor) = (MANAGER.tensor(&self.x).unwrap(), MANAGER.tensor(keys).unwrap());
        let (mut before, mut up_to) = (MANAGER.tensor(&self.x).unwrap(), MANAGER.tensor(&self.x).unwrap());
        let seq = MANAGER.sequence().unwrap();
        seq.record(OpScan::exclusive_by_key(&tensor, &x, &mut before).unwrap()).unwrap();
        seq.record(OpScan::inclusive_by_key(&tensor, &x, &mut up_to).unwrap()).unwrap();
        seq.eval().unwrap();
        let parts = runs(keys);
        assert!(before.to_vec().unwrap() == self.scanned(&parts, false), "{len}");
        assert!(up_to.to_vec().unwrap() == self.scanned(&parts, true), "{len}");
    }

    fn reductions_by_key(&self, keys: &[u32]) {
        let len = keys.len();
        let (x, tensor) = (MANAGER.tensor(&self.x).unwrap(), MANAGER.tensor(keys).unwrap());
        let parts = runs(keys);
        let expected = self.reduced(&parts);
        let reductions = [OpReduce::sum_by_key, OpReduce::min_by_key, OpReduce::max_by_key];
        for (reduce, expected) in reductions.into_iter().zip(expected) {
            let (mut unique, mut results) = (MANAGER.tensor(keys).unwrap(), MANAGER.tensor(&self.x).unwrap());
            let mut count = MANAGER.tensor(&[7u32]).unwrap();
            let op = reduce((&tensor, &x), (&mut unique, &mut results), &mut count).unwrap();
            MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
            assert_eq!(count.to_vec().unwrap(), [parts.len() as u32]);
            let (unique, results) = (unique.to_vec().unwrap(), results.to_vec().unwrap());
            assert!(unique.iter().zip(&parts).all(|(key, part)| *key == keys[part.start]), "{len}");
            assert!(results[..parts.len()] == expected && results[parts.len()..] == self.x[parts.len()..], "{len}");
        }
    }

    /// Segments that begin and end inside of the tensor, some of them empty.
    fn of_segments(&self, keys: &[u32]) {
        let len = keys.len();
        let mut starts: Vec<u32> = runs(keys).iter().map(|run| run.start as u32).collect();
        let empty: Vec<u32> = starts.iter().copied().filter(|start| start % 3 == 0).collect();
        starts.extend(&empty);
        starts.extend(&empty);
        starts.push(len as u32 / 5 * 4);
        starts.retain(|start| (len as u32 / 9..=len as u32 / 5 * 4).contains(start));
        starts.sort_unstable();
        let parts: Vec<_> = starts.windows(2).map(|ends| ends[0] as usize..ends[1] as usize).collect();
        let around = [0..starts[0] as usize, starts[starts.len() - 1] as usize..len];
        let all: Vec<_> = around.into_iter().chain(parts.iter().cloned()).collect();
        let (x, starts) = (MANAGER.tensor(&self.x).unwrap(), MANAGER.tensor(&starts).unwrap());
        let (mut before, mut up_to) = (MANAGER.tensor(&self.x).unwrap(), MANAGER.tensor(&self.x).unwrap());
        let seq = MANAGER.sequence().unwrap();
        seq.record(OpScan::exclusive_of_segments(&starts, &x, &mut before).unwrap()).unwrap();
        seq.record(OpScan::inclusive_of_segments(&starts, &x, &mut up_to).unwrap()).unwrap();
        seq.eval().unwrap();
        assert!(before.to_vec().unwrap() == self.scanned(&all, false), "{len}");
        assert!(up_to.to_vec().unwrap() == self.scanned(&all, true), "{len}");
        self.reductions_of_segments(&starts, &x, &parts);
    }

    fn of_long_segments(&self, starts: &[u32]) {
        if self.x.is_empty() {
            return;
        }
        let parts: Vec<_> = starts.windows(2).map(|ends| ends[0] as usize..ends[1] as usize).collect();
        let (x, starts) = (MANAGER.tensor(&self.x).unwrap(), MANAGER.tensor(starts).unwrap());
        self.reductions_of_segments(&starts, &x, &parts);
    }

    fn reductions_of_segments(&self, starts: &Tensor<u32>, x: &Tensor<T>, parts: &[Range<usize>]) {
        let reductions = [OpReduce::sum_of_segments, OpReduce::min_of_segments, OpReduce::max_of_segments];
        for (reduce, expected) in reductions.into_iter().zip(self.reduced(parts)) {
            let mut results = MANAGER.tensor_of_len::<T>(parts.len()).unwrap();
            let op = reduce(starts, x, &mut results).unwrap();
            MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
            assert!(results.to_vec().unwrap() == expected, "{} elements, {} segments", x.len(), parts.len());
        }
    }
}

fn all_types(len: usize, keys: &[u32], check: impl Fn(&[u32], &dyn Checked)) {
    let x = words(len, 22);
    check(
        keys,
        &Numbers { sum: u32::wrapping_add, min: u32::min, max: u32::max, none: [0, u32::MAX, 0], x: x.clone() },
    );
    let x: Vec<i32> = x.into_iter().map(|word| word as i32).take(if is_host() { 0 } else { len }).collect();
    check(
        &keys[..x.len()],
        &Numbers { sum: i32::wrapping_add, min: i32::min, max: i32::max, none: [0, i32::MAX, i32::MIN], x },
    );
    let x = floats(len, 23);
    let none = [0.0, f32::INFINITY, f32::NEG_INFINITY];
    check(keys, &Numbers { sum: |a, b| a + b, min: f32::min, max: f32::max, none, x });
}

trait Checked {
    fn scans_by_key(&self, keys: &[u32]);
    fn reductions_by_key(&self, keys: &[u32]);
    fn of_segments(&self, keys: &[u32]);
    fn of_long_segments(&self, starts: &[u32]);
}

impl<T: Reducible + PartialEq + Debug> Checked for Numbers<T> {
    fn scans_by_key(&self, keys: &[u32]) {
        self.scans_by_key(keys);
    }

    fn reductions_by_key(&self, keys: &[u32]) {
        self.reductions_by_key(keys);
    }

    fn of_segments(&self, keys: &[u32]) {
        self.of_segments(keys);
    }

    fn of_long_segments(&self, starts: &[u32]) {
        self.of_long_segments(starts);
    }
}

pub(super) fn scans_and_reductions_by_key() {
    for (len, longest) in cases() {
        all_types(len, &keys(len, longest, 24), |keys, numbers| {
            numbers.scans_by_key(keys);
            numbers.reductions_by_key(keys);
        });
    }
    for keys in hard_keys() {
        all_types(keys.len(), &keys, |keys, numbers| numbers.reductions_by_key(keys));
    }
}

/// Lengths for workgroups that wait, with the longest runs of each. Tiles have 4096 elements, groups 32 tiles, blocks 32 groups.
fn cases_to_wait_for() -> Vec<(usize, u32)> {
    if is_interpreter() {
        return vec![(1, 9), (4103, 700)];
    }
    if is_host() {
        return vec![(3, 9), (4, 9), (4097, 700), (8203, 9)];
    }
    let lengths = [2, 3, 4, 5, 1023, 4095, 4096, 4097, 40_001, 131_071, 131_072, 131_077];
    let few = |len| [(len, 1), (len, 9), (len, 700)];
    lengths.into_iter().flat_map(few).chain([((1 << 22) + 4099, 9), (3 * (1 << 22) + 4, 900_000)]).collect()
}

pub(super) fn runs_in_one_pass() {
    Progress::Guaranteed.assumed(|| {
        for (len, longest) in cases_to_wait_for() {
            all_types(len, &keys(len, longest, 26), |keys, numbers| numbers.scans_by_key(keys));
        }
    });
}

pub(super) fn segments_in_one_pass() {
    Progress::Guaranteed.assumed(|| {
        for (len, longest) in cases_to_wait_for() {
            all_types(len, &keys(len, longest, 27), |keys, numbers| numbers.of_segments(keys));
        }
        starts_beyond(3);
    });
}

pub(super) fn scans_and_reductions_of_segments() {
    for (len, longest) in cases() {
        all_types(len, &keys(len, longest, 25), |keys, numbers| numbers.of_segments(keys));
    }
    starts_beyond(3);
}

/// Segments that are long on average: spans of 1024 elements, of which most have a part of one segment, some the parts of many.
pub(super) fn long_segments() {
    let len = if is_interpreter() {
        3_000
    } else if is_host() {
        8_000
    } else {
        40_000u32
    };
    let few = len / 128;
    let steps = |step: u32| (0..=len / step).map(|i| i * step).collect::<Vec<_>>();
    let many_in = |place: u32| (0..few).map(|i| (place + i / 3).min(len)).chain([len]).collect::<Vec<_>>();
    let empty = |place: u32| std::iter::repeat_n(place, few as usize).chain([place + 1]).collect::<Vec<_>>();
    let shapes = [
        vec![0, len],
        vec![3, len - 5],
        vec![1022, 1024, 1026, 2048, 2049],
        vec![len - 1, len],
        steps(1024),
        steps(500),
        many_in(0),
        many_in(700),
        many_in(len - few / 4),
        empty(0),
        empty(1023),
        empty(len - 1),
    ];
    for starts in shapes {
        let keys = vec![0; len as usize];
        all_types(len as usize, &keys, |_, numbers| numbers.of_long_segments(&starts));
    }
    starts_beyond(300);
    if is_host() || is_interpreter() {
        return;
    }
    // Spans of more elements, and a segment over thousands of them.
    let len = 10_000_000;
    for starts in [vec![1, 9_999_999, len], vec![0, 1, 2, 5_000_000, 5_000_001, len]] {
        let keys = vec![0; len as usize];
        all_types(len as usize, &keys, |_, numbers| numbers.of_long_segments(&starts));
    }
}

fn starts_beyond(len: u32) {
    let x = MANAGER.tensor(&vec![1u32; len as usize]).unwrap();
    let mut sums = MANAGER.tensor_of_len::<u32>(1).unwrap();
    let starts = MANAGER.tensor(&[1u32, len + 1]).unwrap();
    let op = OpReduce::sum_of_segments(&starts, &x, &mut sums).unwrap();
    let error = MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap_err();
    assert!(matches!(error, gridwise::Error::KernelPanic { .. }), "{error}");
}
