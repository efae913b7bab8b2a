//! Merges, and the largest and smallest elements.

use gridwise::algorithms::{OpMerge, OpTopK, Progress};

use super::{LENGTHS, MANAGER, is_interpreter, words};

/// Bits of floats that differ in few places, so that many are equal; NaN and infinities among them.
fn hard_floats(len: usize, seed: u64) -> Vec<f32> {
    words(len, seed).into_iter().map(|word| f32::from_bits(word.rotate_left(16) & 0xc1ff_0000)).collect()
}

fn lengths() -> impl Iterator<Item = usize> {
    let longest = if is_interpreter() { 2049 } else { usize::MAX };
    LENGTHS.into_iter().filter(move |len| *len <= longest)
}

pub(super) fn merging() {
    for (case, len) in lengths().enumerate() {
        for other in [0, 1, len / 3, len, 2047, 3840 - len % 3840, 7681] {
            if is_interpreter() && other > 3000 {
                continue;
            }
            let (mut a, mut b) = (hard_floats(len, 31), hard_floats(other, 32 + case as u64));
            a.sort_by(f32::total_cmp);
            b.sort_by(f32::total_cmp);
            let bits = |x: &[f32]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            let mut expected = [a.clone(), b.clone()].concat();
            expected.sort_by(f32::total_cmp);
            let (left, right) = (MANAGER.tensor(&a).unwrap(), MANAGER.tensor(&b).unwrap());
            let mut merged = MANAGER.tensor_of_len::<f32>(len + other).unwrap();
            let merge = OpMerge::new(&left, &right, &mut merged).unwrap();
            MANAGER.sequence().unwrap().record(merge).unwrap().eval().unwrap();
            assert!(bits(&merged.to_vec().unwrap()) == bits(&expected), "{len}, {other}");
        }
        // Few keys: equal ones keep their order.
        let few = |len: usize, seed| {
            let mut keys: Vec<i32> = words(len, seed).into_iter().map(|word| (word % 7) as i32 - 3).collect();
            keys.sort_unstable();
            keys
        };
        let (a, b) = (few(len, 33), few(len / 2 + 1, 34));
        let numbers: Vec<u32> = (0..(a.len() + b.len()) as u32).collect();
        let mut expected: Vec<(i32, u32)> = a.iter().chain(&b).copied().zip(numbers.iter().copied()).collect();
        expected.sort_by_key(|(key, _)| *key);
        let (left, right) = (MANAGER.tensor(&a).unwrap(), MANAGER.tensor(&b).unwrap());
        let (left_values, right_values) =
            (MANAGER.tensor(&numbers[..len]).unwrap(), MANAGER.tensor(&numbers[len..]).unwrap());
        let mut merged = MANAGER.tensor_of_len::<i32>(numbers.len()).unwrap();
        let mut values = MANAGER.tensor_of_len::<u32>(numbers.len()).unwrap();
        let merge =
            OpMerge::by_key((&left, &left_values), (&right, &right_values), (&mut merged, &mut values)).unwrap();
        MANAGER.sequence().unwrap().record(merge).unwrap().eval().unwrap();
        let found: Vec<_> = merged.to_vec().unwrap().into_iter().zip(values.to_vec().unwrap()).collect();
        assert!(found == expected, "{len}");
    }
    // What is not sorted does no harm.
    let (a, b) = (words(3000, 35), words(2500, 36));
    let (left, right) = (MANAGER.tensor(&a).unwrap(), MANAGER.tensor(&b).unwrap());
    let mut merged = MANAGER.tensor_of_len::<u32>(5500).unwrap();
    let merge = OpMerge::new(&left, &right, &mut merged).unwrap();
    MANAGER.sequence().unwrap().record(merge).unwrap().eval().unwrap();
}

pub(super) fn largest_and_smallest_in_one_pass() {
    // Tiles have 4096 elements.
    let is_slow = is_interpreter() || MANAGER.device().kind == gridwise::DeviceKind::Host;
    let lengths: &[usize] =
        if is_slow { &[1, 2, 3, 4, 4099] } else { &[1, 2, 3, 4, 5, 4095, 4096, 4097, 8191, 140_001] };
    Progress::Guaranteed.assumed(|| lengths.iter().for_each(|len| largest_and_smallest_of(*len)));
}

pub(super) fn largest_and_smallest() {
    // Sorts take long where invocations are fibers, and in the interpreter.
    let is_slow = is_interpreter() || MANAGER.device().kind == gridwise::DeviceKind::Host;
    for len in lengths().filter(|len| !is_slow || [0, 1, 257].contains(len) || *len == 2049 && !is_interpreter()) {
        largest_and_smallest_of(len);
    }
    let (x, mut two) = (MANAGER.tensor(&[1u32]).unwrap(), MANAGER.tensor_of_len::<u32>(2).unwrap());
    let mut indices = MANAGER.tensor_of_len::<u32>(2).unwrap();
    assert_eq!(
        OpTopK::largest(&x, &mut two, &mut indices).unwrap_err().to_string(),
        "kernel `largest elements`, parameter `values`: expected at most the 1 elements of `x`, found 2; pass what is expected, in the order of the parameters"
    );
}

fn largest_and_smallest_of(len: usize) {
    let is_slow = is_interpreter() || MANAGER.device().kind == gridwise::DeviceKind::Host;
    let (x, y) = (hard_floats(len, 37), words(len, 38));
    for count in [0, 1, 5, len / 3, len]
        .into_iter()
        .filter(|count| *count <= len && (!is_slow || *count == 5 || *count == 683 || len == 1))
    {
        let mut expected: Vec<(u32, f32)> = (0..).zip(x.iter().copied()).collect();
        expected.sort_by(|a, b| b.1.total_cmp(&a.1));
        let tensor = MANAGER.tensor(&x).unwrap();
        let (mut values, mut indices) =
            (MANAGER.tensor_of_len::<f32>(count).unwrap(), MANAGER.tensor_of_len::<u32>(count).unwrap());
        let op = OpTopK::largest(&tensor, &mut values, &mut indices).unwrap();
        MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
        let found = indices.to_vec().unwrap().into_iter().zip(values.to_vec().unwrap());
        let bits = |(index, value): (u32, f32)| (index, value.to_bits());
        assert!(found.map(bits).eq(expected[..count].iter().copied().map(bits)), "{count} of {len}");

        let mut expected: Vec<(u32, u32)> = y.iter().copied().zip(0..).collect();
        expected.sort_unstable();
        let (tensor, mut values) = (MANAGER.tensor(&y).unwrap(), MANAGER.tensor_of_len::<u32>(count).unwrap());
        let op = OpTopK::smallest(&tensor, &mut values, &mut indices).unwrap();
        MANAGER.sequence().unwrap().record(op).unwrap().eval().unwrap();
        let found: Vec<_> = values.to_vec().unwrap().into_iter().zip(indices.to_vec().unwrap()).collect();
        assert!(found == expected[..count], "{count} of {len}");
    }
}
