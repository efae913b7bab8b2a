//! The algorithms of `gridwise::algorithms`, on the device that `GRIDWISE_DEVICE` selects, against plain Rust: at lengths
//! around those of subgroups, tiles and levels, and with values that are hard.

mod layers;
mod order;
mod products;
mod random;
mod runs;
mod transforms;

use std::process::ExitCode;
use std::sync::LazyLock;

use gridwise::algorithms::{OpFft, OpHistogram, OpReduce, OpScan, OpSelect, OpSoftmax, OpSort, OpTranspose, Progress};
use gridwise::descriptor::Feature;
use gridwise::prelude::*;
use libtest_mimic::{Arguments, Trial};

static MANAGER: LazyLock<Manager> = LazyLock::new(|| {
    let manager = Manager::new().expect("there is always the host");
    eprintln!("device: {}", manager.device());
    manager
});

/// The trials that run on every device.
const EVERYWHERE: [(&str, fn()); 32] = [
    ("long_sums", long_sums),
    ("sums_and_extremes", sums_and_extremes),
    ("scans", scans),
    ("tensors_as_other_types", tensors_as_other_types),
    ("parts_of_tensors", parts_of_tensors),
    ("histograms", histograms),
    ("sorting", sorting),
    ("selecting", selecting),
    ("random_numbers", random::random_numbers),
    ("unique_elements_and_lengths_of_runs", runs::unique_elements_and_lengths_of_runs),
    ("runs_of_many_elements", runs::runs_of_many_elements),
    ("scans_and_reductions_by_key", runs::scans_and_reductions_by_key),
    ("scans_and_reductions_of_segments", runs::scans_and_reductions_of_segments),
    ("long_segments", runs::long_segments),
    ("grids_of_several_rows", runs::grids_of_several_rows),
    ("batched_products", layers::batched_products),
    ("batches_of_whole_tiles", layers::batches_of_whole_tiles),
    ("convolutions", layers::convolutions),
    ("sparse_products", layers::sparse_products),
    ("sparse_products_of_doubles", layers::sparse_products_of_doubles),
    ("merging", order::merging),
    ("largest_and_smallest", order::largest_and_smallest),
    ("transposing", transposing),
    ("products", products::products),
    ("products_of_halves", products::products_of_halves),
    ("products_of_bfloats", products::products_of_bfloats),
    ("products_on_copies", products::products_on_copies),
    ("whole_tiles_without_checks", products::whole_tiles_without_checks),
    ("softmax", softmax),
    ("fourier_transforms", transforms::fourier_transforms),
    ("transforms_of_reals_and_images", transforms::transforms_of_reals_and_images),
    ("what_does_not_fit", what_does_not_fit),
];

/// The trials for devices with matrices of halves.
const WHERE_HALVES_ARE_MULTIPLIED: [(&str, fn()); 2] = [
    ("whole_tiles_of_halves_without_checks", products::whole_tiles_of_halves_without_checks),
    ("products_of_many_tiles", products::products_of_many_tiles),
];

/// The trials for devices whose workgroups can wait for each other.
const WHERE_GROUPS_WAIT: [(&str, fn()); 6] = [
    ("scans_in_one_pass", scans_in_one_pass),
    ("sorts_in_sweeps", sorts_in_sweeps),
    ("runs_in_one_pass", runs::runs_in_one_pass),
    ("segments_in_one_pass", runs::segments_in_one_pass),
    ("largest_and_smallest_in_one_pass", order::largest_and_smallest_in_one_pass),
    ("sparse_products_in_one_pass", layers::sparse_products_in_one_pass),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let can_wait = can_wait();
    if !can_wait {
        eprintln!("ignored: workgroups cannot wait for each other on {}", MANAGER.device());
    }
    let trial = |(name, test): (&str, fn()), is_ignored| {
        let run = move || {
            test();
            Ok(())
        };
        Trial::test(name, run).with_ignored_flag(is_ignored)
    };
    let has_matrices =
        MANAGER.device().features.iter().any(|feature| matches!(feature, Feature::CooperativeProduct(_)));
    if !has_matrices {
        eprintln!("ignored: there are no matrices of halves on {}", MANAGER.device());
    }
    let everywhere = EVERYWHERE.into_iter().map(|test| trial(test, false));
    let of_halves = WHERE_HALVES_ARE_MULTIPLIED.into_iter().map(|test| trial(test, !has_matrices));
    let waiting = WHERE_GROUPS_WAIT.into_iter().map(|test| trial(test, !can_wait));
    libtest_mimic::run(&arguments, everywhere.chain(of_halves).chain(waiting).collect()).exit_code()
}

/// Whether the device has a feature.
fn has(feature: Feature) -> bool {
    MANAGER.device().features.contains(&feature)
}

/// Whether kernels run in the interpreter, which is slow.
fn is_interpreter() -> bool {
    MANAGER.device().name == "sanitizer"
}

/// Lengths around powers of two and tiles of 1024 to 4096, and one with three levels of tiles of 2048 where that is quick.
const LENGTHS: [usize; 11] = [0, 1, 3, 31, 33, 257, 1023, 1025, 2049, 4097, 10_000];

/// Words that look random, the same each time (splitmix64).
fn words(len: usize, seed: u64) -> Vec<u32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 16) as u32
    };
    (0..len).map(|_| next()).collect()
}

/// Small whole numbers, whose sums are exact.
fn floats(len: usize, seed: u64) -> Vec<f32> {
    words(len, seed).into_iter().map(|word| (word % 201) as f32 - 100.0).collect()
}

fn reduced<T: gridwise::algorithms::Reducible + PartialEq + std::fmt::Debug>(
    x: &[T],
    make: fn(&Tensor<T>, &mut Tensor<T>) -> gridwise::Result<OpReduce>,
) -> T {
    let tensor = MANAGER.tensor(x).unwrap();
    let mut result = MANAGER.tensor_of_len::<T>(1).unwrap();
    let seq = MANAGER.sequence().unwrap();
    seq.record(make(&tensor, &mut result).unwrap()).unwrap();
    seq.eval().unwrap();
    if x.len() == 4097 {
        // Nothing may be left over from the first time.
        seq.eval().unwrap();
    }
    result.get(0).unwrap()
}

fn sums_and_extremes() {
    for len in LENGTHS.into_iter().chain([20_000]) {
        let x = words(len, 1);
        assert_eq!(reduced(&x, OpReduce::sum), x.iter().copied().fold(0, u32::wrapping_add), "{len}");
        assert_eq!(reduced(&x, OpReduce::min), x.iter().copied().min().unwrap_or(u32::MAX), "{len}");
        assert_eq!(reduced(&x, OpReduce::max), x.iter().copied().max().unwrap_or(0), "{len}");
        let x: Vec<i32> = x.into_iter().map(|word| word as i32).collect();
        assert_eq!(reduced(&x, OpReduce::sum), x.iter().copied().fold(0, i32::wrapping_add), "{len}");
        assert_eq!(reduced(&x, OpReduce::min), x.iter().copied().min().unwrap_or(i32::MAX), "{len}");
        assert_eq!(reduced(&x, OpReduce::max), x.iter().copied().max().unwrap_or(i32::MIN), "{len}");
        let x = floats(len, 2);
        assert_eq!(reduced(&x, OpReduce::sum), x.iter().sum::<f32>(), "{len}");
        assert_eq!(reduced(&x, OpReduce::min), x.iter().copied().fold(f32::INFINITY, f32::min), "{len}");
        assert_eq!(reduced(&x, OpReduce::max), x.iter().copied().fold(f32::NEG_INFINITY, f32::max), "{len}");
    }
}

/// A workgroup takes 4,096 elements at a time, and there are at most 1,056 of them: from 4,325,377 elements on, the first ones take a second
/// time.
fn long_sums() {
    const ONCE: usize = 1056 * 4096;
    let all = [1 << 20, (1 << 20) + 1, ONCE - 1, ONCE, ONCE + 1, ONCE + 4097, 2 * ONCE + 3];
    for len in if is_interpreter() { &[4097][..] } else { &all[..] } {
        let x = words(*len, 17);
        assert_eq!(reduced(&x, OpReduce::sum), x.iter().copied().fold(0, u32::wrapping_add), "{len}");
        // The least and the greatest are the last two.
        let mut x: Vec<i32> = x.into_iter().map(|word| word as i32 / 2).collect();
        x[len - 1] = i32::MIN;
        x[len - 2] = i32::MAX;
        assert_eq!(reduced(&x, OpReduce::min), i32::MIN, "{len}");
        assert_eq!(reduced(&x, OpReduce::max), i32::MAX, "{len}");
    }
}

fn scans() {
    // Three levels.
    let longest = if MANAGER.device().kind == gridwise::DeviceKind::Host { 0 } else { 2048 * 2048 + 5 };
    for len in LENGTHS.into_iter().chain([longest]) {
        let x = words(len, 3);
        let tensor = MANAGER.tensor(&x).unwrap();
        let (mut before, mut up_to) = (MANAGER.tensor(&x).unwrap(), MANAGER.tensor(&x).unwrap());
        let seq = MANAGER.sequence().unwrap();
        seq.record(OpScan::exclusive(&tensor, &mut before).unwrap()).unwrap();
        seq.record(OpScan::inclusive(&tensor, &mut up_to).unwrap()).unwrap();
        seq.eval().unwrap();
        let running = x.iter().scan(0u32, |sum, word| {
            let old = *sum;
            *sum = sum.wrapping_add(*word);
            Some((old, *sum))
        });
        let (expected_before, expected_up_to): (Vec<_>, Vec<_>) = running.unzip();
        assert!(before.to_vec().unwrap() == expected_before, "{len}");
        assert!(up_to.to_vec().unwrap() == expected_up_to, "{len}");

        let x = floats(len.min(20_000), 4);
        let (tensor, mut sums) = (MANAGER.tensor(&x).unwrap(), MANAGER.tensor(&x).unwrap());
        let scan = OpScan::inclusive(&tensor, &mut sums).unwrap();
        MANAGER.sequence().unwrap().record(scan).unwrap().eval().unwrap();
        let mut sum = 0.0;
        let expected: Vec<f32> = x
            .iter()
            .map(|value| {
                sum += value;
                sum
            })
            .collect();
        assert!(sums.to_vec().unwrap() == expected, "{len}");
    }
}

/// Whether workgroups can wait for each other here: where threads of the system run them, and loops have no bound, which they
/// have in older lavapipe.
fn can_wait() -> bool {
    let device = MANAGER.device();
    let is_threads = match device.kind {
        gridwise::DeviceKind::Host => true,
        gridwise::DeviceKind::Cpu => !device.driver.contains("Mesa 22."),
        _ => false,
    };
    is_threads || Progress::of(&MANAGER) == Progress::Guaranteed
}

/// Lengths for workgroups that wait: fewer where each invocation is a fiber.
fn lengths_to_wait_for(more: &[usize]) -> Vec<usize> {
    if MANAGER.device().kind == gridwise::DeviceKind::Host {
        return vec![0, 3, 6, 4096, 8195];
    }
    LENGTHS.iter().chain(more).copied().collect()
}

fn scans_in_one_pass() {
    // Tiles have 8192 elements; the last one may have a single vector.
    for len in lengths_to_wait_for(&[2, 4, 4095, 4096, 8191, 8192, 8195, 8197, 100_001, (1 << 24) + 5]) {
        let x: Vec<i32> = words(len, 3).into_iter().map(|word| word as i32).collect();
        let tensor = MANAGER.tensor(&x).unwrap();
        for is_inclusive in [false, true] {
            let mut sums = MANAGER.tensor(&x).unwrap();
            let scan = OpScan::with_progress(Progress::Guaranteed, &tensor, &mut sums, is_inclusive).unwrap();
            let seq = MANAGER.sequence().unwrap();
            // The states of the first run are not those of the second.
            seq.record(scan).unwrap().eval().unwrap();
            seq.eval().unwrap();
            let mut sum = 0i32;
            let expected: Vec<i32> = x
                .iter()
                .map(|value| {
                    let before = sum;
                    sum = sum.wrapping_add(*value);
                    if is_inclusive { sum } else { before }
                })
                .collect();
            let found = sums.to_vec().unwrap();
            let wrong: Vec<usize> = (0..len).filter(|i| found[*i] != expected[*i]).collect();
            let some: Vec<_> = wrong.iter().take(4).map(|i| (i, found[*i], expected[*i])).collect();
            assert!(
                wrong.is_empty(),
                "{len}, {is_inclusive}: {} wrong, from {some:?} to {:?}",
                wrong.len(),
                wrong.last()
            );
        }
    }
}

fn sorts_in_sweeps() {
    // Tiles have 5376 keys; the interpreter takes a quarter of a minute for one.
    let lengths = if is_interpreter() { vec![0, 6, 5377] } else { lengths_to_wait_for(&[4, 4096, 5377, 50_001]) };
    for len in lengths {
        let bits = words(len, 16);
        let (mut keys, seq) = (MANAGER.tensor(&bits).unwrap(), MANAGER.sequence().unwrap());
        let sort = OpSort::with_progress(Progress::Guaranteed, &mut keys).unwrap();
        seq.record(sort).unwrap().eval().unwrap();
        let mut expected = bits.clone();
        expected.sort();
        assert!(keys.to_vec().unwrap() == expected, "{len}");

        let x: Vec<f32> = bits.iter().map(|word| f32::from_bits(word.rotate_left(16) & 0xc1ff_0000)).collect();
        let mut expected: Vec<(u32, u32)> = x.iter().map(|x| x.to_bits()).zip(0..).collect();
        expected.sort_by(|a, b| f32::from_bits(a.0).total_cmp(&f32::from_bits(b.0)));
        let (mut keys, mut values) =
            (MANAGER.tensor(&x).unwrap(), MANAGER.tensor(&(0..len as u32).collect::<Vec<_>>()).unwrap());
        let sort = OpSort::by_key_with_progress(Progress::Guaranteed, &mut keys, &mut values).unwrap();
        MANAGER.sequence().unwrap().record(sort).unwrap().eval().unwrap();
        let keys = keys.to_vec().unwrap().into_iter().map(f32::to_bits);
        let found: Vec<_> = keys.zip(values.to_vec().unwrap()).collect();
        assert!(found == expected, "{len}");

        let signed: Vec<i32> = bits.iter().map(|word| word.rotate_left(16) as i32).collect();
        let mut keys = MANAGER.tensor(&signed).unwrap();
        let sort = OpSort::with_progress(Progress::Guaranteed, &mut keys).unwrap();
        MANAGER.sequence().unwrap().record(sort).unwrap().eval().unwrap();
        let mut expected = signed;
        expected.sort();
        assert!(keys.to_vec().unwrap() == expected, "{len}");
    }
}

fn tensors_as_other_types() {
    let mgr = &*MANAGER;
    let words: Vec<u32> = (0..1003).collect();
    let mut tensor = mgr.tensor(&words).unwrap();
    let vectors = tensor.cast::<UVec4>().unwrap();
    assert_eq!(vectors.len(), 250);
    assert_eq!(vectors.to_vec().unwrap()[249], uvec4(996, 997, 998, 999));
    let bytes = tensor.cast::<[u8; 2]>().unwrap();
    assert_eq!((bytes.len(), bytes.to_vec().unwrap()[2000]), (2006, [0xe8, 0x03]));

    // Filled as what it is seen as, and no byte more.
    let seq = mgr.sequence().unwrap();
    let mut vectors = tensor.cast_mut::<UVec4>().unwrap();
    let twice = gridwise::ops::OpFill::new(&mut vectors, uvec4(1, 2, 3, 4));
    seq.record(twice).unwrap().eval().unwrap();
    assert_eq!(tensor.to_vec().unwrap()[996..], [1, 2, 3, 4, 1000, 1001, 1002]);
    let mut odd = tensor.cast_mut::<[u8; 3]>().unwrap();
    odd.write(&vec![[9, 9, 9]; 1337]).unwrap();
    let bytes = gridwise::ops::OpFill::new(&mut odd, [7, 8, 9]);
    mgr.sequence().unwrap().record(bytes).unwrap().eval().unwrap();
    assert_eq!(odd.to_vec().unwrap(), [[7, 8, 9]; 1337]);
    odd.write(&vec![[9, 9, 9]; 1337]).unwrap();
    let vectors = tensor.cast::<UVec4>().unwrap().to_vec().unwrap();
    assert_eq!(vectors[249], UVec4::splat(0x0909_0909));
    assert_eq!(tensor.to_vec().unwrap()[1001..], [0x0909_0909, 0x0009_0909]);

    // Another tensor is one of its own; the same under two types is one.
    let mut copy = mgr.tensor_of_len::<UVec4>(250).unwrap();
    let copied = gridwise::ops::OpCopy::new(&*tensor.cast().unwrap(), &mut copy);
    mgr.sequence().unwrap().record(copied).unwrap().eval().unwrap();
    assert_eq!(copy.to_vec().unwrap()[0], UVec4::splat(0x0909_0909));
    let mut one = mgr.tensor(&[1u32, 2]).unwrap();
    let from = one.cast::<Vec2>().unwrap().handle();
    let to = one.handle();
    let error = mgr.sequence().unwrap().record(CopyOnto(from, to)).unwrap_err().to_string();
    assert_eq!(error, "copying: `tensor` is passed twice and written; copy it, or write to another");
    one.write(&[3, 4]).unwrap();
}

fn parts_of_tensors() {
    let mgr = &*MANAGER;
    // Where every device can bind a part.
    let first = 64;
    let numbers: Vec<u32> = (0..5000u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let mut x = mgr.tensor(&numbers).unwrap();
    let mut sums = mgr.tensor(&vec![1u32; 6000]).unwrap();
    let seq = mgr.sequence().unwrap();
    let (mut total, mut scanned) = sums.split_at_mut(128).unwrap();
    let part = x.part(first..4801).unwrap();
    seq.record(OpReduce::sum(&part, &mut total.part_mut(64..65).unwrap()).unwrap()).unwrap();
    let mut scanned = scanned.part_mut(..part.len()).unwrap();
    seq.record(OpScan::inclusive(&part, &mut scanned).unwrap()).unwrap();
    seq.record(OpSort::new(&mut x.part_mut(first..4801).unwrap()).unwrap()).unwrap();
    seq.eval().unwrap();
    let sum = |all: &[u32]| all.iter().copied().fold(0, u32::wrapping_add);
    let sums = sums.to_vec().unwrap();
    assert_eq!(sums[64], sum(&numbers[first..4801]));
    assert!((first..4801).all(|i| i % 97 != 0 || sums[128 + i - first] == sum(&numbers[first..=i])));
    assert!(sums[..64].iter().chain(&sums[65..128]).chain(&sums[128 + 4801 - first..]).all(|value| *value == 1));
    let mut sorted = numbers.clone();
    sorted[first..4801].sort_unstable();
    assert_eq!(x.to_vec().unwrap(), sorted);
}

/// Copies one to the other.
struct CopyOnto(gridwise::TensorRef, gridwise::TensorRef);

impl gridwise::Op for CopyOnto {
    fn name(&self) -> &str {
        "copy onto"
    }

    fn accesses(&self) -> Vec<gridwise::ops::Access> {
        vec![gridwise::ops::Access::read(&self.0), gridwise::ops::Access::write(&self.1)]
    }

    fn record(&self, recorder: &mut gridwise::ops::Recorder<'_>) -> gridwise::Result<()> {
        recorder.copy(&self.0, &self.1)
    }
}

fn histograms() {
    for len in LENGTHS {
        let x = words(len, 5);
        let tensor = MANAGER.tensor(&x).unwrap();
        for (shift, count) in [(24, 256), (28, 10), (20, 4000), (0, 0), (23, 512)] {
            let mut bins = MANAGER.tensor(&vec![7u32; count]).unwrap();
            let op = OpHistogram::new(&tensor, shift, &mut bins).unwrap();
            MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
            let mut expected = vec![0u32; count];
            for bin in x.iter().map(|word| (word >> shift) as usize).filter(|bin| *bin < count) {
                expected[bin] += 1;
            }
            assert_eq!(bins.to_vec().unwrap(), expected, "{len}, {shift}, {count}");
        }
        for bytes in [x.iter().map(|word| *word as u8).collect::<Vec<_>>(), vec![200; len]] {
            let tensor = MANAGER.tensor(&bytes).unwrap();
            for shift in [0, 3] {
                let mut bins = MANAGER.tensor_of_len::<u32>(256).unwrap();
                let op = OpHistogram::new(&tensor, shift, &mut bins).unwrap();
                MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
                let mut expected = vec![0u32; 256];
                bytes.iter().for_each(|byte| expected[usize::from(byte >> shift)] += 1);
                assert_eq!(bins.to_vec().unwrap(), expected, "{len}, {shift}");
            }
        }
    }
}

fn sorting() {
    // Around 2^16 and above, digits have more than a handful of tiles each. The interpreter and narrow subgroups take longest for this.
    let long: &[usize] = match MANAGER.device() {
        _ if is_interpreter() => &[],
        device if device.kind != gridwise::DeviceKind::Host => &[65_535, 65_536, 65_537, 200_003],
        device if device.limits.subgroup.size < 32 => &[],
        _ => &[65_537],
    };
    for len in
        LENGTHS.into_iter().chain(long.iter().copied()).filter(|len| !is_interpreter() || *len <= 257 || *len == 4097)
    {
        let x = words(len, 6);
        let mut keys = MANAGER.tensor(&x).unwrap();
        let seq = MANAGER.sequence().unwrap();
        seq.record(OpSort::new(&mut keys).unwrap()).unwrap().eval().unwrap();
        let mut expected = x.clone();
        expected.sort();
        assert!(keys.to_vec().unwrap() == expected, "{len}");

        // Few different keys: equal ones keep their order.
        let keys: Vec<i32> = x.iter().map(|word| (word % 7) as i32 - 3).collect();
        let mut expected: Vec<(i32, u32)> = keys.iter().copied().zip(0..).collect();
        expected.sort_by_key(|(key, _)| *key);
        let (mut keys, mut values) =
            (MANAGER.tensor(&keys).unwrap(), MANAGER.tensor(&(0..len as u32).collect::<Vec<_>>()).unwrap());
        let seq = MANAGER.sequence().unwrap();
        seq.record(OpSort::by_key(&mut keys, &mut values).unwrap()).unwrap().eval().unwrap();
        let found: Vec<_> = keys.to_vec().unwrap().into_iter().zip(values.to_vec().unwrap()).collect();
        assert!(found == expected, "{len}");

        // Into others.
        let mut to = MANAGER.tensor_of_len::<u32>(len).unwrap();
        let (from, numbers) =
            (MANAGER.tensor(&x).unwrap(), MANAGER.tensor(&(0..len as u32).collect::<Vec<_>>()).unwrap());
        let sort = OpSort::by_key_into((&from, &numbers), (&mut to, &mut values)).unwrap();
        MANAGER.sequence().unwrap().record(sort).unwrap().eval().unwrap();
        let mut expected: Vec<(u32, u32)> = x.iter().copied().zip(0..).collect();
        expected.sort();
        let found: Vec<_> = to.to_vec().unwrap().into_iter().zip(values.to_vec().unwrap()).collect();
        assert!(found == expected && from.to_vec().unwrap() == x, "{len}");
    }
    let x = [f32::NAN, 1.0, -0.0, 0.0, f32::NEG_INFINITY, -f32::NAN, f32::INFINITY, -1.5, f32::MIN_POSITIVE / 2.0];
    let mut keys = MANAGER.tensor(&x).unwrap();
    MANAGER.sequence().unwrap().record(OpSort::new(&mut keys).unwrap()).unwrap().eval().unwrap();
    let mut expected = x;
    expected.sort_by(f32::total_cmp);
    let bits = |x: &[f32]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&keys.to_vec().unwrap()), bits(&expected));
}

fn selecting() {
    for len in LENGTHS {
        let (x, keep) = (floats(len, 7), words(len, 8).into_iter().map(|word| word % 3).collect::<Vec<_>>());
        let (tensor, marks) = (MANAGER.tensor(&x).unwrap(), MANAGER.tensor(&keep).unwrap());
        let mut kept = MANAGER.tensor(&vec![0.5f32; len]).unwrap();
        let mut count = MANAGER.tensor(&[7u32]).unwrap();
        let op = OpSelect::new(&tensor, &marks, &mut kept, &mut count).unwrap();
        MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
        let mut expected: Vec<f32> =
            x.iter().zip(&keep).filter(|(_, keep)| **keep != 0).map(|(value, _)| *value).collect();
        assert_eq!(count.to_vec().unwrap(), [expected.len() as u32]);
        expected.resize(len, 0.5);
        assert!(kept.to_vec().unwrap() == expected, "{len}");
    }
}

fn transposing() {
    for (rows, columns) in [
        (0, 5),
        (0, 4),
        (1, 1),
        (1, 40),
        (33, 31),
        (4, 4),
        (32, 64),
        (64, 128),
        (68, 60),
        (132, 4),
        (100, 7),
        (70, 130),
    ] {
        let x = words(rows * columns, 9);
        let (tensor, mut transposed) = (MANAGER.tensor(&x).unwrap(), MANAGER.tensor(&x).unwrap());
        let op = OpTranspose::new(rows as u32, columns as u32, &tensor, &mut transposed).unwrap();
        MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
        let expected: Vec<u32> = (0..x.len()).map(|i| x[i % rows * columns + i / rows]).collect();
        assert_eq!(transposed.to_vec().unwrap(), expected, "{rows} by {columns}");
    }
}

fn softmax() {
    for (rows, columns) in [(0, 3), (3, 0), (1, 1), (3, 255), (2, 1000), (5, 33)] {
        let x: Vec<f32> = floats(rows * columns, 13).into_iter().map(|value| value / 8.0).collect();
        let (tensor, mut result) = (MANAGER.tensor(&x).unwrap(), MANAGER.tensor(&x).unwrap());
        let op = OpSoftmax::new(rows as u32, columns as u32, &tensor, &mut result).unwrap();
        MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
        let found = result.to_vec().unwrap();
        for (row, found) in x.chunks(columns.max(1)).zip(found.chunks(columns.max(1))) {
            let exponentials: Vec<f64> = row.iter().map(|value| f64::from(*value).exp()).collect();
            let sum: f64 = exponentials.iter().sum();
            for (found, expected) in found.iter().zip(exponentials) {
                let expected = expected / sum;
                assert!((f64::from(*found) - expected).abs() <= 1e-5 * expected, "{found}, {expected}");
            }
        }
    }
}

fn what_does_not_fit() {
    let mgr = &*MANAGER;
    let x = mgr.tensor(&[1u32, 2, 3]).unwrap();
    // Work space is made where the tensors are; those of another manager are refused where they are recorded.
    let mut total = Manager::host().tensor_of_len::<u32>(1).unwrap();
    let foreign = mgr.sequence().unwrap().record(OpReduce::sum(&x, &mut total).unwrap()).map(drop).unwrap_err();
    assert!(matches!(foreign, gridwise::Error::ForeignTensor { .. }), "{foreign}");
    let mut two = mgr.tensor_of_len::<u32>(2).unwrap();
    let mut keys = mgr.tensor(&[3u32, 2, 1]).unwrap();
    let points = mgr.tensor(&[Vec2::ONE; 3]).unwrap();
    let mut spectrum = mgr.tensor(&[Vec2::ONE; 3]).unwrap();
    let errors = [
        OpReduce::sum(&x, &mut two).unwrap_err().to_string(),
        OpScan::inclusive(&x, &mut two).unwrap_err().to_string(),
        OpSort::by_key(&mut keys, &mut two).unwrap_err().to_string(),
        OpHistogram::new(&x, 32, &mut two).unwrap_err().to_string(),
        OpTranspose::new(2, 2, &x, &mut two).unwrap_err().to_string(),
        OpFft::forward(3, &points, &mut spectrum).unwrap_err().to_string(),
    ];
    assert_eq!(
        errors,
        [
            "reducing to `tensor` (argument 2, `result`): expected 1 elements, found 2; the lengths have to be equal",
            "scanning into `tensor` (argument 2, `sums`): expected 3 elements, found 2; the lengths have to be equal",
            "sorting by as many keys `tensor` (argument 2, `values`): expected 3 elements, found 2; the lengths have to be equal",
            "kernel `histogram`, parameter `shift`: expected less than the 32 bits of an element, found 32; pass what is expected, in the order of the parameters",
            "transposing `tensor` (argument 3, `x`): expected 4 elements, found 3; the lengths have to be equal",
            "kernel `forward transform`, parameter `len`: expected a power of two that divides 3, found 3; pass what is expected, in the order of the parameters",
        ]
    );
}
