//! Programs as people write them. Each computes its result in every order, and races without any one of its barriers.

use crate::{computes, finds_race, without_each_barrier, words};

/// Each workgroup of 16 sums its elements.
const REDUCTION: &str = r#"kernel fn0 workgroup(16, 1, 1) {
    buffer0 x: [u32]
    buffer1 sums: [u32] mut
    shared0 tile: [u32; 16]
}
fn0 k() -> () {
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
    %2: u32 = local_index
    %3: u32 = load buffer0[%1]
    store shared0[%2] = %3
    barrier workgroup
    %4: u32 = const 8
    %5: u32 = const 0
    loop block1(%6 "stride": u32 = %4) {
        %7: bool = eq %6, %5
        if %7 {
            break block1()
        } else {
            yield
        }
        %8: bool = lt %2, %6
        if %8 {
            %9: u32 = add %2, %6
            %10: u32 = load shared0[%9]
            %11: u32 = load shared0[%2]
            %12: u32 = add %10, %11
            store shared0[%2] = %12
            yield
        } else {
            yield
        }
        barrier workgroup
        %13: u32 = const 1
        %14: u32 = shr %6, %13
        continue block1(%14)
    }
    %15: bool = eq %2, %5
    if %15 {
        %16: u32 = load shared0.0
        %17: vec3<u32> = workgroup_id
        %18: u32 = extract %17.0
        store buffer1[%18] = %16
        yield
    } else {
        yield
    }
    return
}
"#;

#[test]
fn tree_reduction() {
    let input = || vec![words(0..48), words([0; 3])];
    computes(REDUCTION, 3, input(), &[120, 376, 632]);
    for broken in without_each_barrier(REDUCTION) {
        assert!(finds_race(&broken, 3, input(), "tile"), "{broken}");
    }
}

/// Hillis and Steele: inclusive prefix sums of 16 elements.
const SCAN: &str = r#"kernel fn0 workgroup(16, 1, 1) {
    buffer0 x: [u32] mut
    shared0 sums: [u32; 16]
}
fn0 k() -> () {
    %0: u32 = local_index
    %1: u32 = load buffer0[%0]
    store shared0[%0] = %1
    barrier workgroup
    %2: u32 = const 1
    %3: u32 = const 16
    loop block1(%4: u32 = %2) {
        %5: bool = lt %4, %3
        if %5 {
            yield
        } else {
            break block1()
        }
        %6: bool = ge %0, %4
        %7: u32 = const 0
        if %6 -> (%8: u32) {
            %9: u32 = sub %0, %4
            %10: u32 = load shared0[%9]
            yield %10
        } else {
            yield %7
        }
        barrier workgroup
        %11: u32 = load shared0[%0]
        %12: u32 = add %11, %8
        store shared0[%0] = %12
        barrier workgroup
        %13: u32 = add %4, %4
        continue block1(%13)
    }
    %14: u32 = load shared0[%0]
    store buffer0[%0] = %14
    return
}
"#;

#[test]
fn hillis_steele_scan() {
    let expected: Vec<u32> = (1..=16).map(|n| n * (n + 1) / 2).collect();
    computes(SCAN, 1, vec![words(1..=16)], &expected);
    for broken in without_each_barrier(SCAN) {
        assert!(finds_race(&broken, 1, vec![words(1..=16)], "sums"), "{broken}");
    }
}

/// Counts elements by their lowest two bits: in shared memory, then for all workgroups.
const HISTOGRAM: &str = r#"kernel fn0 workgroup(32, 1, 1) {
    buffer0 x: [u32]
    buffer1 counts: [u32] mut
    shared0 bins: [u32; 4]
}
fn0 k() -> () {
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
    %2: u32 = local_index
    %3: u32 = load buffer0[%1]
    %4: u32 = const 3
    %5: u32 = and %3, %4
    %6: u32 = const 1
    %7: u32 = atomic_add shared0[%5], %6 relaxed workgroup
    barrier workgroup
    %8: u32 = const 4
    %9: bool = lt %2, %8
    if %9 {
        %10: u32 = load shared0[%2]
        %11: u32 = atomic_add buffer1[%2], %10 relaxed device
        yield
    } else {
        yield
    }
    return
}
"#;

#[test]
fn histogram() {
    let input = || vec![words((0..96).map(|n| n * n)), words([0; 4])];
    computes(HISTOGRAM, 3, input(), &[48, 48, 0, 0]);
    for broken in without_each_barrier(HISTOGRAM) {
        assert!(finds_race(&broken, 3, input(), "bins"), "{broken}");
    }
    // Adding without atomics loses counts of invocations, or of workgroups.
    let plain = "%17: u32 = load shared0[%5]\n %18: u32 = add %17, %6\n store shared0[%5] = %18";
    let broken = HISTOGRAM.replace("%7: u32 = atomic_add shared0[%5], %6 relaxed workgroup", plain);
    assert!(finds_race(&broken, 1, input(), "bins"));
    let plain = "%17: u32 = load buffer1[%2]\n %18: u32 = add %17, %10\n store buffer1[%2] = %18";
    let broken = HISTOGRAM.replace("%11: u32 = atomic_add buffer1[%2], %10 relaxed device", plain);
    assert!(!finds_race(&broken, 1, input(), "counts"));
    assert!(finds_race(&broken, 3, input(), "counts"));
}

/// Transposes tiles of 4 × 4 of a matrix of 8 × 8.
const TRANSPOSE: &str = r#"kernel fn0 workgroup(4, 4, 1) {
    buffer0 from: [u32]
    buffer1 to: [u32] mut
    shared0 tile: [[u32; 4]; 4]
}
fn0 k() -> () {
    %0: vec3<u32> = local_id
    %1: u32 = extract %0.0
    %2: u32 = extract %0.1
    %3: vec3<u32> = workgroup_id
    %4: u32 = extract %3.0
    %5: u32 = const 2
    %6: u32 = rem %4, %5
    %7: u32 = div %4, %5
    %8: u32 = const 4
    %9: u32 = mul %6, %8
    %10: u32 = mul %7, %8
    %11: u32 = const 8
    %12: u32 = add %10, %2
    %13: u32 = mul %12, %11
    %14: u32 = add %9, %1
    %15: u32 = add %13, %14
    %16: u32 = load buffer0[%15]
    store shared0[%2][%1] = %16
    barrier workgroup
    %17: u32 = load shared0[%1][%2]
    %18: u32 = add %9, %2
    %19: u32 = mul %18, %11
    %20: u32 = add %10, %1
    %21: u32 = add %19, %20
    store buffer1[%21] = %17
    return
}
"#;

#[test]
fn transposed_tiles() {
    let input = || vec![words(0..64), words([0; 64])];
    let expected: Vec<u32> = (0..64).map(|at| at % 8 * 8 + at / 8).collect();
    computes(TRANSPOSE, 4, input(), &expected);
    for broken in without_each_barrier(TRANSPOSE) {
        assert!(finds_race(&broken, 4, input(), "tile"), "{broken}");
    }
}

/// Each workgroup writes a number and counts itself; the last one sums all numbers.
const LAST_GROUP: &str = r#"kernel fn0 workgroup(4, 1, 1) {
    buffer0 partial: [u32] mut
    buffer1 count: [u32] mut
    buffer2 sum: [u32] mut
    shared0 last: bool
}
fn0 k() -> () {
    %0: u32 = local_index
    %1: u32 = const 0
    %2: u32 = const 1
    %3: vec3<u32> = workgroup_id
    %4: u32 = extract %3.0
    %5: bool = eq %0, %1
    if %5 {
        %6: u32 = add %4, %2
        store buffer0[%4] = %6
        %7: u32 = atomic_add buffer1[%1], %2 acq_rel device
        %8: u32 = const 4
        %9: bool = eq %7, %8
        store shared0 = %9
        yield
    } else {
        yield
    }
    barrier workgroup
    %10: bool = load shared0
    if %10 {
        %11: u32 = load buffer0[%0]
        %12: u32 = atomic_add buffer2[%1], %11 relaxed device
        yield
    } else {
        yield
    }
    return
}
"#;

#[test]
fn last_workgroup_sums_what_others_wrote() {
    let input = || vec![words([0; 5]), words([0]), words([0])];
    computes(LAST_GROUP, 5, input(), &[1 + 2 + 3 + 4]);
    // The number may be seen before what was written first: by a weaker order, or a scope that other groups are not in.
    let relaxed = LAST_GROUP.replace("acq_rel device", "relaxed device");
    assert!(finds_race(&relaxed, 5, input(), "partial"));
    let narrow = LAST_GROUP.replace("acq_rel device", "acq_rel workgroup");
    assert!(finds_race(&narrow, 5, input(), "partial"));
    let release_only = LAST_GROUP.replace("acq_rel device", "release device");
    assert!(finds_race(&release_only, 5, input(), "partial"));
    // Fences around a relaxed access do the same.
    let count = "%7: u32 = atomic_add buffer1[%1], %2 acq_rel device";
    let fenced = "fence release device\n %7: u32 = atomic_add buffer1[%1], %2 relaxed device\n fence acquire device";
    computes(&LAST_GROUP.replace(count, fenced), 5, input(), &[1 + 2 + 3 + 4]);
    let no_acquire = "fence release device\n %7: u32 = atomic_add buffer1[%1], %2 relaxed device";
    assert!(finds_race(&LAST_GROUP.replace(count, no_acquire), 5, input(), "partial"));
}

/// Loads of what the loop writes: in each round, the one before has changed what is read, by another index or by its own.
#[test]
fn loads_of_what_is_written_stay_in_their_loops() {
    for (at, expected) in [("%9", [8, 1, 2, 3]), ("%3", [4, 2, 3, 4])] {
        let text = format!(
            r#"kernel fn0 workgroup(1, 1, 1) {{
    buffer0 x: [u32]
    buffer1 y: [u32] mut
}}
fn0 k() -> () {{
    %0: u32 = const 0
    %1: u32 = const 1
    %2: u32 = const 4
    loop block1(%3: u32 = %0) {{
        %8: u32 = load buffer0[%0]
        %9: u32 = const 0
        %4: u32 = load buffer1[{at}]
        %5: u32 = load buffer1[{at}]
        %6: u32 = add %4, %8
        store buffer1[{at}] = %6
        %10: u32 = load buffer1[{at}]
        %11: u32 = add %10, %0
        store buffer1[{at}] = %11
        %7: u32 = add %3, %1
        %12: bool = lt %7, %2
        if %12 {{
            yield
        }} else {{
            break block1()
        }}
        continue block1(%7)
    }}
    %13: u32 = load buffer1[%0]
    %14: u32 = add %13, %0
    store buffer1[%0] = %14
    return
}}
"#
        );
        let first = if at == "%9" { 4 } else { 3 };
        computes(&text, 1, vec![words([1]), words([first, 1, 2, 3])], &expected);
    }
}

/// One load before a write, one behind it, one behind a branch that may write, one behind a loop that does, and one of the
/// other buffer in between.
#[test]
fn loads_are_not_shared_across_writes() {
    let text = r#"kernel fn0 workgroup(1, 1, 1) {
    buffer0 x: [u32] mut
    buffer1 y: [u32] mut
}
fn0 k() -> () {
    %0: u32 = const 0
    %1: u32 = const 1
    %2: u32 = const 2
    %3: u32 = const 3
    %30: u32 = const 4
    %4: u32 = load buffer0[%0]
    %5: u32 = load buffer1[%0]
    store buffer0[%0] = %3
    %6: u32 = load buffer0[%0]
    %7: bool = lt %4, %6
    if %7 {
        store buffer0[%0] = %2
        yield
    } else {
        yield
    }
    %8: u32 = load buffer0[%0]
    loop block1(%9: u32 = %0) {
        %10: bool = lt %9, %2
        if %10 {
            yield
        } else {
            break block1()
        }
        %11: u32 = load buffer0[%0]
        %12: u32 = add %11, %3
        store buffer0[%0] = %12
        %13: u32 = add %9, %1
        continue block1(%13)
    }
    %14: u32 = load buffer0[%0]
    %15: u32 = load buffer1[%0]
    store buffer1[%0] = %4
    store buffer1[%1] = %6
    store buffer1[%2] = %8
    store buffer1[%3] = %14
    %16: u32 = add %5, %15
    store buffer1[%30] = %16
    return
}
"#;
    computes(text, 1, vec![words([1]), words([9, 0, 0, 0, 0])], &[1, 3, 2, 8, 18]);
}

/// Casts behind casts, through integers of each width and through floats: two are joined only where that keeps the value.
#[test]
fn casts_behind_casts() {
    #![allow(clippy::unnecessary_cast, reason = "each type is every type's source and target")]
    const VALUES: [u32; 12] =
        [0, 1, 127, 128, 255, 256, 65_535, 65_536, 16_777_217, 0x7fff_ffff, 0x8000_0000, 0xffff_fff1];
    fn check(from: &str, via: &str, to: &str, expected: Vec<u32>) {
        let text = format!(
            "kernel fn0 workgroup(12, 1, 1) {{\n    buffer0 x: [u32]\n    buffer1 y: [u32] mut\n}}\nfn0 k() -> () {{\n    %0: u32 = local_index\n    \
             %1: u32 = load buffer0[%0]\n    %2: {from} = cast %1\n    %3: {via} = cast %2\n    %4: {to} = cast %3\n    %5: u32 = cast %4\n    \
             store buffer1[%0] = %5\n    return\n}}\n"
        );
        // A cast to the type that a value has is none.
        let same = |a: &str, b: &str, line: &str, by: &str| (a == b).then(|| (line.to_owned(), by.to_owned()));
        let mut lines = text;
        for (line, by) in [
            same("u32", from, "    %2: u32 = cast %1\n", "    %2: u32 = or %1, %1\n"),
            same(from, via, &format!("    %3: {via} = cast %2\n"), &format!("    %3: {via} = or %2, %2\n")),
            same(via, to, &format!("    %4: {to} = cast %3\n"), &format!("    %4: {to} = or %3, %3\n")),
            same(to, "u32", "    %5: u32 = cast %4\n", "    %5: u32 = or %4, %4\n"),
        ]
        .into_iter()
        .flatten()
        {
            lines = lines.replace(&line, &by);
        }
        computes(&lines, 1, vec![words(VALUES), words([0; 12])], &expected);
    }
    macro_rules! all {
        ($from:ident: $($via:ident)+) => { $(all!(@ $from $via: u8 i8 u16 i16 u32 i32 u64 i64);)+ };
        (@ $from:ident $via:ident: $($to:ident)+) => { $(
            let expected = VALUES.iter().map(|value| *value as $from as $via as $to as u32).collect();
            check(stringify!($from), stringify!($via), stringify!($to), expected);
        )+ };
    }
    all!(u32: u8 i8 u16 i16 u32 i32 u64 i64 f32);
    all!(i32: u8 i8 u16 i16 u32 i32 u64 i64 f32);
    all!(i8: u8 i16 u64 f32);
    all!(u16: i8 i16 i64 f32);
}
