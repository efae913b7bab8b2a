//! Arrays around each bound that passes know: a check goes where the array is as long as the bound, and stays where it is one shorter.

use gridwise_ir::parse::parse;
use gridwise_ir::verify::verify;

use crate::run_pass;

/// Whether the check of `array[%1]` is gone, for a local array, and for one that a workgroup shares.
fn is_proven(head: &str, body: &str, length: u64) -> [bool; 2] {
    ["local0", "shared0"].map(|array| {
        let (local, shared) = match array {
            "local0" => (format!("    local0 tile: [u32; {length}]\n"), String::new()),
            _ => (String::new(), format!("    shared0 tile: [u32; {length}]\n")),
        };
        let text = format!(
            "file0 \"a.rs\"\nsite0 index_out_of_bounds @file0:1:1 \"a\"\nkernel fn0 {head} {{\n    buffer0 a: [u32]\n    buffer1 b: [u32] mut\n    \
             param0 n: u32\n{shared}}}\nfn0 k() -> () {{\n{local}{body}\n    return\n}}\n"
        );
        let text = text.replace("ARRAY", array);
        let mut module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        verify(&module).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        run_pass(&mut module, "eliminate_checks");
        !module.to_string().contains("!site0]")
    })
}

/// The bound is the least length at which the check may go.
#[track_caller]
fn bound(head: &str, body: &str, bound: u64) {
    for (length, expected) in [(bound - 1, false), (bound, true), (bound + 1, true)] {
        if length > 0 {
            assert_eq!(is_proven(head, body, length), [expected; 2], "of {length} elements: {head}\n{body}");
        }
    }
}

/// The store that is checked, of an index that some lines compute as `%9`.
fn store_at(lines: &str) -> String {
    format!("{lines}    %90: u32 = const 1\n    store ARRAY[%9 !site0] = %90")
}

fn axis(builtin: &str, axis: u32) -> String {
    store_at(&format!("    %8: vec3<u32> = {builtin}\n    %9: u32 = extract %8.{axis}\n"))
}

const BOX: &str = "workgroup(64, 4, 2)";

#[test]
fn ids() {
    for (number, size) in [64, 4, 2].into_iter().enumerate() {
        bound(BOX, &axis("local_id", number as u32), size);
        // The size itself is an index into an array that is longer by one.
        bound(BOX, &axis("workgroup_size", number as u32), size + 1);
    }
    let scalar = |builtin: &str| store_at(&format!("    %9: u32 = {builtin}\n"));
    bound(BOX, &scalar("local_index"), 512);
    bound(BOX, &scalar("subgroup_id"), 512);
    bound(BOX, &scalar("num_subgroups"), 513);
    bound(BOX, &scalar("subgroup_size"), 129);
    bound(BOX, &scalar("subgroup_local_id"), 128);
    let of_32 = "workgroup(64, 1, 1) subgroup(32)";
    bound(of_32, &scalar("subgroup_size"), 33);
    bound(of_32, &scalar("subgroup_local_id"), 32);
    bound("workgroup(1, 1, 1)", &scalar("local_index"), 1);
}

#[test]
fn arithmetic() {
    let of = |line: &str| {
        let lines = "    %6: u32 = const 5\n    %8: vec3<u32> = local_id\n    %7: u32 = extract %8.0\n    %5: u32 = load buffer0[%7]\n";
        store_at(&format!("{lines}    %9: u32 = {line}\n"))
    };
    // `%7` is below 64, `%5` may be anything.
    for (line, least) in [
        ("add %7, %6", 69),
        ("add %7, %7", 127),
        ("mul %7, %6", 316),
        ("div %7, %6", 13),
        ("shr %7, %6", 2),
        ("shl %7, %6", 63 * 32 + 1),
        ("rem %5, %6", 5),
        ("rem %7, %6", 5),
        ("and %5, %6", 6),
        ("or %7, %6", 64),
        ("xor %7, %6", 64),
        ("min %5, %6", 6),
        ("min %5, %7", 64),
        ("max %7, %6", 64),
    ] {
        bound(BOX, &of(line), least);
    }
}

#[test]
fn branches() {
    for (op, least) in [("lt", 40), ("le", 41), ("eq", 41)] {
        let body = format!(
            "    %8: vec3<u32> = global_id\n    %9: u32 = extract %8.0\n    %7: u32 = const 40\n    %6: bool = {op} %9, %7\n    if %6 {{\n        \
             store ARRAY[%9 !site0] = %7\n        yield\n    }} else {{\n        yield\n    }}"
        );
        bound(BOX, &body, least);
    }
    for (op, least) in [("gt", 41), ("ge", 40), ("ne", 41)] {
        let body = format!(
            "    %8: vec3<u32> = global_id\n    %9: u32 = extract %8.0\n    %7: u32 = const 40\n    %6: bool = {op} %9, %7\n    if %6 {{\n        \
             return\n    }} else {{\n        yield\n    }}\n    store ARRAY[%9 !site0] = %7"
        );
        bound(BOX, &body, least);
    }
}

/// A counter from a first value that is raised while it holds that it is below, or not above, a last one.
fn counter(first: u32, op: &str, last: u32, step: &str, by: u32) -> String {
    format!(
        "    %1: u32 = const {first}\n    %2: u32 = const {last}\n    %3: u32 = const {by}\n    loop block1(%9: u32 = %1) {{\n        \
         %4: bool = {op} %9, %2\n        if %4 {{\n            store ARRAY[%9 !site0] = %3\n            yield\n        }} else {{\n            \
         break block1()\n        }}\n        %5: u32 = {step} %9, %3\n        continue block1(%5)\n    }}"
    )
}

#[test]
fn counters() {
    bound(BOX, &counter(0, "lt", 10, "add", 1), 10);
    bound(BOX, &counter(3, "lt", 10, "add", 1), 10);
    bound(BOX, &counter(0, "le", 10, "add", 1), 11);
    bound(BOX, &counter(0, "ne", 10, "add", 1), 10);
    // Counters that grow: whatever they reach, they are below the bound where they are used.
    for (step, by) in [("add", 4), ("mul", 2), ("mul", 3), ("shl", 1)] {
        let body = counter(1, "lt", 10, step, by);
        let proven = [9, 10, 11].map(|length| is_proven(BOX, &body, length));
        assert_eq!(proven[1..], [[true; 2]; 2], "{step} {by}");
        // One of 9 elements is left by 1, 5, 9, and by 1, 3, 9; not by 1, 2, 4, 8.
        if (step, by) != ("mul", 2) && (step, by) != ("shl", 1) {
            assert_eq!(proven[0], [false; 2], "{step} {by}");
        }
    }
}
