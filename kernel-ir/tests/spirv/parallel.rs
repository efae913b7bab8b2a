//! Shared memory, atomics, barriers and subgroups in SPIR-V: every operation on every type, memory semantics, descriptors.

use crate::support::{disassemble, emit_text, module, validate};
use gridwise_ir::compile::{CompileOptions, compile};
use gridwise_ir::descriptor::{Feature, LaunchWordKind, Parallel, SubgroupOperations};
use gridwise_ir::ir::{AtomicOp, Fold, SubgroupOp};
use gridwise_ir::parallel::native_floats;
use gridwise_ir::parse::parse;
use gridwise_ir::variant::without_gathering;

const VALUES: [&str; 13] = [
    "i32",
    "u32",
    "f32",
    "bool",
    "vec2<i32>",
    "vec3<u32>",
    "vec4<f32>",
    "vec2<bool>",
    "i8",
    "u16",
    "u64",
    "f16",
    "f64",
];

/// A kernel whose body uses `%0: u32` and `%1: ty`.
fn kernel(ty: &str, body: &str) -> String {
    format!(
        "kernel fn0 workgroup(64, 1, 1) {{\n buffer0 y: [u32] mut\n}}\nfn0 k() -> () {{\n local0 l: {ty}\n \
         %0: u32 = subgroup_local_id\n %1: {ty} = load local0\n{body} store buffer0[%0] = %0\n return\n}}\n"
    )
}

#[test]
fn subgroup_operations_on_all_types() {
    for ty in VALUES {
        let mut body = String::new();
        let mut next = 2;
        let mut add = |text: String, result: &str| {
            body += &format!(" %{next}: {result} = {text}\n");
            next += 1;
            next - 1
        };
        for op in ["subgroup_broadcast_first", "subgroup_quad_broadcast(3)", "subgroup_quad_swap(1)"] {
            add(format!("{op} %1"), ty);
        }
        for op in ["", "_xor", "_up", "_down"] {
            add(format!("subgroup_shuffle{op} %1, %0"), ty);
        }
        add("subgroup_rotate %1, %0".to_owned(), ty);
        let constant = add("const 3".to_owned(), "u32");
        add(format!("subgroup_shuffle %1, %{constant}"), ty);
        add("subgroup_all_equal %1".to_owned(), "bool");
        let is_bool = ty.contains("bool");
        for fold in Fold::ALL {
            let is_bitwise = matches!(fold, Fold::And | Fold::Or | Fold::Xor);
            if is_bitwise && ty.contains('f') || !is_bitwise && is_bool {
                continue;
            }
            for span in ["", "inclusive_", "exclusive_"] {
                add(format!("subgroup_{span}{} %1", fold.name()), ty);
            }
            for size in [1, 4, 64] {
                add(format!("subgroup_cluster_{}({size}) %1", fold.name()), ty);
            }
        }
        let text = kernel(ty, &body);
        validate(ty, &emit_text(&text).words);
        let demanding = text.replace("workgroup(64, 1, 1)", "workgroup(64, 1, 1) subgroup(16)");
        validate(ty, &emit_text(&demanding).words);
    }
}

#[test]
fn votes_and_ballots() {
    let mut body = " %2: vec4<u32> = subgroup_ballot %1\n %3: bool = subgroup_elect\n %4: bool = subgroup_any %1\n \
                    %5: bool = subgroup_all %1\n %6: bool = subgroup_ballot_bit %2, %0\n"
        .to_owned();
    for (at, (_, name)) in SubgroupOp::NAMED.iter().filter(|(_, name)| name.starts_with("subgroup_ballot_")).enumerate()
    {
        if *name != "subgroup_ballot_bit" {
            body += &format!(" %{}: u32 = {name} %2\n", at + 7);
        }
    }
    let emitted = emit_text(&kernel("bool", &body));
    validate("ballots", &emitted.words);
    let operations = SubgroupOperations::BASIC.union(SubgroupOperations::VOTE).union(SubgroupOperations::BALLOT);
    let expected = Parallel { full_workgroups: true, subgroup_operations: operations, ..Parallel::NONE };
    assert_eq!(emitted.facts.parallel, expected);
    assert!(!emitted.launch_words.iter().any(|word| matches!(word.kind, LaunchWordKind::Items(_))), "there is no mask");
}

/// All atomics on one cell, with some orders; results are numbered from `first`.
fn atomics(cell: &str, ty: &str, first: u32) -> String {
    let mut body = String::new();
    let mut next = first;
    for op in AtomicOp::ALL {
        if ty.starts_with('f') && matches!(op, AtomicOp::And | AtomicOp::Or | AtomicOp::Xor) {
            continue;
        }
        let orders: &[&str] = match op {
            AtomicOp::Load => &["relaxed", "acquire"],
            AtomicOp::Store => &["relaxed", "release"],
            AtomicOp::CompareExchange(_) => &["relaxed acquire", "release acquire", "acq_rel relaxed"],
            _ => &["relaxed", "acquire", "release", "acq_rel"],
        };
        for (order, scope) in orders.iter().zip(["device", "workgroup", "subgroup", "device"]) {
            let result = if op.reads() { format!("%{next}: {ty} = ") } else { String::new() };
            next += 1;
            let operands = ", %1".repeat(op.arity());
            body += &format!(" {result}{} {cell}{operands} {order} {scope}\n", op.name());
        }
    }
    body
}

#[test]
fn atomics_on_buffers_and_shared_memory() {
    let types = [("i32", "i32"), ("u32", "u32"), ("u32", "f32"), ("i64", "i64"), ("u64", "u64"), ("u64", "f64")];
    for (cell_type, ty) in types {
        let text = format!(
            "file0 \"k.rs\"\nsite0 index_out_of_bounds @file0:1:1 \"x[i]\"\nstruct0 S {{ a: f32, b: [{cell_type}; 3] }}\n\
             kernel fn0 workgroup(64, 1, 1) {{\n buffer0 x: [struct0] mut\n buffer1 y: [{cell_type}] mut\n \
             shared0 s: [[{cell_type}; 4]; 5]\n shared1 t: {cell_type}\n}}\nfn0 k() -> () {{\n local0 l: {ty}\n \
             %0: u32 = local_index\n %1: {ty} = load local0\n{}{}{}{} return\n}}\n",
            atomics("buffer0[%0 !site0].1[%0 !site0]", ty, 100),
            atomics("buffer1[%0]", ty, 200),
            atomics("shared0[%0 !site0].3", ty, 300),
            atomics("shared1", ty, 400),
        );
        let emitted = emit_text(&text);
        validate(&format!("atomics of {ty}"), &emitted.words);
        let is_wide = cell_type.ends_with("64");
        assert_eq!(emitted.facts.parallel.shared_bytes, if is_wide { 168 } else { 84 });
        for feature in [Feature::BufferInt64Atomics, Feature::SharedInt64Atomics] {
            assert_eq!(emitted.features.iter().any(|(used, _)| *used == feature), is_wide);
        }
    }
}

#[test]
fn atomics_of_parts_of_words() {
    for (cell, ty) in [("i8", "i8"), ("u8", "u8"), ("i16", "i16"), ("u16", "u16"), ("u16", "f16")] {
        let text = format!(
            "kernel fn0 workgroup(64, 1, 1) {{\n buffer0 x: [{cell}] mut\n shared0 s: [u32; 8]\n}}\nfn0 k() -> () {{\n \
             local0 l: {ty}\n %0: u32 = local_index\n %1: {ty} = load local0\n{}{} return\n}}\n",
            atomics("buffer0[%0]", ty, 100),
            atomics("shared0.5", ty, 200),
        );
        validate(&format!("atomics of {ty}"), &emit_text(&text).words);
    }
}

#[test]
fn the_lesser_of_two_is_chosen() {
    let chosen = |op: &str, ty: &str| {
        let text = format!(
            "kernel fn0 workgroup(64, 1, 1) {{\n buffer0 x: [{ty}] mut\n}}\nfn0 k() -> () {{\n %0: u32 = local_index\n \
             %1: {ty} = const 7\n %2: {ty} = {op} buffer0[%0], %1 relaxed device\n return\n}}\n"
        );
        let text = disassemble(&emit_text(&text).words);
        let is_less = text.lines().rev().find(|line| line.contains("LessThan")).expect("two are compared");
        let (condition, less) = is_less.split_once(" = ").expect("it has a result");
        let operands: Vec<&str> = less.split_whitespace().skip(2).collect();
        let choice = text.lines().find(|line| line.contains(&format!(" {condition} "))).expect("one is chosen");
        let choices: Vec<&str> = choice.split_whitespace().skip(5).collect();
        [operands == choices, operands.iter().rev().eq(&choices)]
    };
    for ty in ["i8", "u16"] {
        assert_eq!(chosen("atomic_min", ty), [true, false]);
        assert_eq!(chosen("atomic_max", ty), [false, true]);
    }
}

#[test]
fn matrices_are_made_of_elements_of_their_type() {
    let emitted = |ty: &str, body: &str| {
        let head = "kernel fn0 workgroup(32, 1, 1) {\n buffer0 x: [";
        let code = "] mut\n}\nfn0 k() -> () {\n %0: u32 = const 0\n %1: ";
        let text = format!("{head}{ty}{code}{ty} = load buffer0[%0]\n{body} return\n}}\n");
        let emitted = emit_text(&text);
        validate(&text, &emitted.words);
        disassemble(&emitted.words)
    };
    let stored = " coop_store buffer0[%0] from %0 step %0 row_major";
    for ty in ["f16", "bf16", "f32", "i8", "u8", "i32", "u32"] {
        let matrix = format!("coop<{ty}, accumulator, 16, 16>");
        emitted(
            ty,
            &format!(" %2: {matrix} = coop_splat %1\n{stored} = %2\n %3: {matrix} = const zero\n{stored} = %3\n"),
        );
        if ty == "bf16" {
            let text =
                emitted(ty, &format!(" %2: bf16 = const bits 0x0000\n %3: {matrix} = coop_splat %2\n{stored} = %3\n"));
            assert!(!text.contains("OpBitcast"), "zeros are a constant: {text}");
        }
        if ty.contains('f') {
            let body = format!(" %2: {matrix} = coop_splat %1\n %3: {matrix} = coop_convert %2\n{stored} = %3\n");
            assert!(!emitted(ty, &body).contains("OpFConvert"), "it is of its type already");
            let other = if ty == "f32" { "f16" } else { "f32" };
            let body = format!(
                "{} %3: coop<{other}, accumulator, 16, 16> = coop_convert %2\n",
                &body[..body.find(" %3").unwrap_or(0)]
            );
            assert!(emitted(ty, &body).contains("OpFConvert"));
        }
    }
}

const REDUCTION: &str = r#"kernel fn0 workgroup(64, 1, 1) {
    buffer0 x: [f32]
    buffer1 y: [f32] mut
    shared0 tile: [f32; 64]
}
fn0 k() -> () {
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
    %2: u32 = local_index
    %3: f32 = load buffer0[%1]
    store shared0[%2] = %3
    barrier workgroup
    %4: u32 = const 32
    loop block1(%5: u32 = %4) {
        %6: u32 = const 0
        %7: bool = eq %5, %6
        if %7 {
            break block1()
        } else {
            yield
        }
        %8: bool = lt %2, %5
        if %8 {
            %9: u32 = add %2, %5
            %10: f32 = load shared0[%9]
            %11: f32 = load shared0[%2]
            %12: f32 = add %10, %11
            store shared0[%2] = %12
            yield
        } else {
            yield
        }
        barrier workgroup
        %13: u32 = const 1
        %14: u32 = shr %5, %13
        continue block1(%14)
    }
    %15: f32 = load shared0.0
    store buffer1[%1] = %15
    return
}
"#;

fn has_constant(text: &str, value: u32) -> bool {
    text.lines().any(|line| line.ends_with(&format!(" {value}")))
}

#[test]
fn barriers_order_buffers_that_are_accessed_before_them() {
    let kernel = |body: &str| {
        let head = "kernel fn0 workgroup(64, 1, 1) {\n    buffer0 x: [f32]\n    buffer1 y: [f32] mut\n}\nfn0 main() -> () {\n    %0: u32 = const 1\n    %1: f32 = load buffer0[%0]\n";
        emit_text(&format!("{head}{body}    return\n}}\n"))
    };
    for (body, are_ordered) in [
        ("    barrier workgroup\n    store buffer1[%0] = %1\n", false),
        ("    store buffer1[%0] = %1\n    barrier workgroup\n", true),
        ("    %2: f32 = load buffer1[%0]\n    barrier workgroup\n    store buffer1[%0] = %2\n", true),
        // What follows in a loop comes before the next round.
        (
            "    loop block1() {\n        barrier workgroup\n        %2: bool = const true\n        if %2 {\n            break block1()\n        } else {\n            yield\n        }\n        store buffer1[%0] = %1\n        continue block1()\n    }\n",
            true,
        ),
    ] {
        let emitted = kernel(body);
        validate("barriers", &emitted.words);
        assert_eq!(
            has_constant(&disassemble(&emitted.words), 0x8 | 0x40 | 0x100 | 0x2000 | 0x4000),
            are_ordered,
            "{body}"
        );
    }
}

#[test]
fn barriers_order_shared_memory_and_buffers() {
    let emitted = emit_text(REDUCTION);
    validate("reduction", &emitted.words);
    assert_eq!(emitted.facts.parallel, Parallel { shared_bytes: 256, full_workgroups: true, ..Parallel::NONE });
    let text = disassemble(&emitted.words);
    assert_eq!(text.matches("OpControlBarrier").count(), 2, "written before it is read, so nothing is zeroed:\n{text}");
    // Acquire and release, of workgroup memory, made available and visible; at workgroup scope. The buffer is written behind
    // the last barrier only.
    assert!(has_constant(&text, 0x8 | 0x100 | 0x2000 | 0x4000), "{text}");
    assert!(!has_constant(&text, 0x8 | 0x40 | 0x100 | 0x2000 | 0x4000), "{text}");
    assert_eq!(text.matches("NonPrivatePointer").count(), 6, "all accesses but that of the read-only buffer:\n{text}");
    assert_eq!(text.matches("ArrayStride").count(), 2, "shared memory has no layout:\n{text}");
}

#[test]
fn shared_memory_is_zeroed_unless_it_is_written_first() {
    let zeroed = |text: &str| {
        let emitted = emit_text(text);
        validate("zeroed", &emitted.words);
        disassemble(&emitted.words).matches("OpControlBarrier").count() - text.matches("barrier workgroup").count()
    };
    assert_eq!(zeroed(REDUCTION), 0);
    // A larger variable keeps cells that nobody wrote; a check may drop a store; without a barrier others read too early.
    assert_eq!(zeroed(&REDUCTION.replace("[f32; 64]", "[f32; 65]")), 1);
    assert_eq!(zeroed(&REDUCTION.replace("[f32; 64]", "[f32; 1000]")), 1);
    let without = REDUCTION.replacen("    barrier workgroup\n", "", 1);
    assert_eq!(zeroed(&without), 1);
    let other_index = REDUCTION.replace("store shared0[%2] = %3", "store shared0[%1] = %3");
    assert_eq!(zeroed(&other_index), 1);
    let plane = |index: &str| {
        format!(
            "kernel fn0 workgroup(8, 4, 1) {{\n buffer0 y: [u32] mut\n shared0 tile: [[u32; 8]; 4]\n shared1 flat: [u32; 32]\n}}\n\
             fn0 k() -> () {{\n %0: vec3<u32> = local_id\n %1: u32 = extract %0.0\n %2: u32 = extract %0.1\n \
             %3: u32 = const 8\n %4: u32 = mul %2, %3\n %5: u32 = add %4, %1\n store shared0{index} = %1\n \
             store shared1[%5] = %2\n barrier workgroup\n %6: u32 = load shared0.0.1\n %7: u32 = load shared1.3\n \
             store buffer0[%1] = %6\n store buffer0[%1] = %7\n return\n}}\n"
        )
    };
    assert_eq!(zeroed(&plane("[%2][%1]")), 0);
    assert_eq!(zeroed(&plane("[%1][%2]")), 1);
    // A member is a part of a cell: the other one is read, too.
    let pairs = |place: &str, value: &str| {
        format!(
            "kernel fn0 workgroup(32, 1, 1) {{\n buffer0 y: [u32] mut\n shared0 pairs: [(u32, u32); 32]\n}}\n\
             fn0 k() -> () {{\n %0: u32 = local_index\n %1: (u32, u32) = compose %0, %0\n store shared0[%0]{place} = {value}\n \
             barrier workgroup\n %2: u32 = load shared0.3.1\n store buffer0[%0] = %2\n return\n}}\n"
        )
    };
    assert_eq!(zeroed(&pairs("", "%1")), 0);
    assert_eq!(zeroed(&pairs(".0", "%0")), 1);
}

#[test]
fn each_cell_of_shared_memory_is_zeroed() {
    // Each invocation zeroes as many cells, one workgroup apart; where some are left, the first ones zero those, too.
    let sums = |len: u32| {
        let text = format!(
            "kernel fn0 workgroup(32, 1, 1) {{\n buffer0 y: [u32] mut\n shared0 s: [u32; {len}]\n}}\nfn0 k() -> () {{\n \
             %0: u32 = local_index\n %1: u32 = load shared0[%0]\n store buffer0[%0] = %1\n return\n}}\n"
        );
        let emitted = emit_text(&text);
        validate("cells", &emitted.words);
        disassemble(&emitted.words).matches("OpIAdd").count()
    };
    assert_eq!([32, 33, 64, 65, 95, 96, 97].map(sums), [0, 1, 1, 2, 2, 2, 3]);
}

#[test]
fn atomics_of_floats_are_native_where_they_are_sums_alone() {
    let native = |scalar: &str, ops: &[&str]| {
        let ops: String = ops
            .iter()
            .enumerate()
            .map(|(at, op)| format!(" %{}: {scalar} = atomic_{op} buffer0[%0], %1 relaxed device\n", at + 2))
            .collect();
        let text = format!(
            "kernel fn0 workgroup(32, 1, 1) {{\n buffer0 y: [{scalar}] mut\n}}\nfn0 k() -> () {{\n %0: u32 = local_index\n \
             %1: {scalar} = const 1.0\n{ops} return\n}}\n"
        );
        let found = native_floats(&parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}")));
        [found.f32, found.f64]
    };
    assert_eq!(native("f32", &["add"]), [true, false]);
    assert_eq!(native("f64", &["add", "add"]), [false, true]);
    assert_eq!(native("f32", &["exchange", "sub"]), [true, false]);
    // A maximum takes the bits.
    assert_eq!(native("f32", &["add", "max"]), [false; 2]);
    assert_eq!(native("f64", &["max", "add"]), [false; 2]);
    assert_eq!(native("f64", &["max"]), [false; 2]);
}

/// Additions that a subgroup does together, of the module and of it without them.
fn gathered(body: &str) -> usize {
    let text = format!(
        "kernel fn0 workgroup(64, 1, 1) {{\n buffer0 y: [f32] mut\n shared0 s: [u32; 2]\n}}\nfn0 k() -> () {{\n \
         %0: u32 = local_index\n %1: f32 = const 1.0\n %2: u32 = const 3\n %3: bool = eq %0, %2\n %4: bool = lt %0, %2\n{body} return\n}}\n"
    );
    let emitted = emit_text(&text);
    validate("gathered", &emitted.words);
    let count = |words: &[u32], word: &str| disassemble(words).matches(word).count();
    let sums = count(&emitted.words, "OpGroupNonUniformFAdd");
    assert_eq!(sums, count(&emitted.words, "OpGroupNonUniformElect"), "{text}");
    let without = without_gathering(&emitted.words, false);
    validate("not gathered", &without);
    assert_eq!(count(&without, "GroupNonUniform"), 0, "{text}");
    let additions = |words| count(words, "OpAtomicFAddEXT");
    assert_eq!(additions(&without), additions(&emitted.words), "{text}");
    // The launch sees nothing of it.
    assert_eq!(emitted.facts.parallel.subgroup_operations, SubgroupOperations(0), "{text}");
    sums
}

#[test]
fn subgroups_add_together_where_all_lanes_add_to_one_element() {
    let add = "atomic_add buffer0[%2], %1 relaxed device";
    assert_eq!(gathered(&format!(" %5: f32 = {add}\n")), 1);
    assert_eq!(gathered(" %5: f32 = atomic_sub buffer0[%2], %1 relaxed device\n"), 1);
    // Where control differs, those that come to it do.
    assert_eq!(gathered(&format!(" if %4 {{\n %5: f32 = {add}\n yield\n }} else {{\n yield\n }}\n")), 1);
    // An element of each; a result that is used; an order; one invocation alone.
    assert_eq!(gathered(" %5: f32 = atomic_add buffer0[%0], %1 relaxed device\n"), 0);
    assert_eq!(gathered(&format!(" %5: f32 = {add}\n %6: f32 = atomic_add buffer0[%0], %5 relaxed device\n")), 0);
    assert_eq!(gathered(" %5: f32 = atomic_add buffer0[%2], %1 release device\n"), 0);
    assert_eq!(gathered(&format!(" if %3 {{\n %5: f32 = {add}\n yield\n }} else {{\n yield\n }}\n")), 0);
    // The rounds after which invocations leave differ, and so does what each counted.
    let rounds = |inside: &str, behind: &str| {
        format!(
            " %5: u32 = const 0\n %6: u32 = const 1\n loop block1(%7: u32 = %5) -> (%20: u32) {{\n %8: bool = lt %7, %0\n \
             if %8 {{\n yield\n }} else {{\n break block1(%7)\n }}\n{inside} %9: u32 = add %7, %6\n continue block1(%9)\n }}\n{behind}"
        )
    };
    let (inside, behind) = ("atomic_add buffer0[%7], %1 relaxed device", "atomic_add buffer0[%20], %1 relaxed device");
    assert_eq!(gathered(&rounds(&format!(" %30: f32 = {inside}\n"), "")), 1);
    assert_eq!(gathered(&rounds("", &format!(" %30: f32 = {behind}\n"))), 0);
}

#[test]
fn shared_memory_that_several_stores_fill_is_not_zeroed() {
    // Two stores, at the position and at one that is made of it, then a load of any cell behind a barrier.
    let zeroed = |shared: &str, made: &str, between: &str| {
        let text = format!(
            "kernel fn0 workgroup(8, 4, 1) {{\n buffer0 y: [u32] mut\n shared0 s: {shared}\n}}\n\
             fn0 k() -> () {{\n %0: vec3<u32> = local_id\n %1: u32 = extract %0.0\n %2: u32 = extract %0.1\n \
             %3: u32 = const 3\n %4: u32 = shl %2, %3\n %5: u32 = add %4, %1\n %6: u32 = const 32\n %7: u32 = const 16\n \
             %8: u32 = const 1\n{made} store shared0{{5}} = %1\n{between} store shared0{{9}} = %2\n barrier workgroup\n \
             %19: u32 = mul %5, %5\n %20: u32 = load shared0[%19]\n store buffer0[%1] = %20\n return\n}}\n"
        );
        let nested = shared.contains("[[");
        let text = text.replace("{5}", if nested { ".0[%5]" } else { "[%5]" });
        let text = text.replace("{9}", if nested { ".1[%9]" } else { "[%9]" });
        let text = text.replace("shared0[%19]", if nested { "shared0.0[%19]" } else { "shared0[%19]" });
        let emitted = emit_text(&text);
        validate("filled", &emitted.words);
        let barriers = disassemble(&emitted.words).matches("OpControlBarrier").count();
        barriers - text.matches("barrier workgroup").count()
    };
    assert_eq!(zeroed("[u32; 64]", " %9: u32 = xor %5, %6\n", ""), 0);
    assert_eq!(zeroed("[u32; 64]", " %9: u32 = add %5, %6\n", ""), 0);
    // Another order of the same halves.
    assert_eq!(zeroed("[u32; 64]", " %10: u32 = xor %5, %7\n %9: u32 = or %6, %10\n", ""), 0);
    assert_eq!(zeroed("[[u32; 32]; 2]", " %9: u32 = xor %5, %7\n", ""), 0);
    // The same half twice, by other bits, more cells than that, and what is read in between.
    assert_eq!(zeroed("[u32; 64]", " %9: u32 = xor %5, %7\n", ""), 1);
    assert_eq!(zeroed("[u32; 64]", " %9: u32 = shl %5, %8\n", ""), 1);
    assert_eq!(zeroed("[u32; 128]", " %9: u32 = xor %5, %6\n", ""), 1);
    assert_eq!(zeroed("[u32; 65]", " %9: u32 = xor %5, %6\n", ""), 1);
    let load = " %11: u32 = load shared0.3\n store buffer0[%1] = %11\n";
    assert_eq!(zeroed("[u32; 64]", " %9: u32 = xor %5, %6\n", load), 1);
    // Another number of bits that change.
    assert_eq!(zeroed("[u32; 64]", " %10: u32 = and %5, %7\n %9: u32 = xor %10, %6\n", ""), 1);
    assert_eq!(zeroed("[u32; 64]", " %9: u32 = mul %5, %5\n", ""), 1);
}

/// Four rounds of stores to a padded tile, then loads of it the other way round.
const PADDED: &str = "\
kernel fn0 workgroup(32, 1, 1) {
 buffer0 y: [u32] mut
 shared0 tile: [u32; 264]
}
fn0 k() -> () {
 %0: u32 = local_index
 %1: u32 = const 7
 %2: u32 = and %0, %1
 %3: u32 = const 3
 %4: u32 = shr %0, %3
 %5: u32 = const 0
 %6: u32 = const 8
 %7: u32 = const 4
 %8: u32 = const 33
 %9: u32 = const 1
 loop block1(%10: u32 = %5) {
  %11: bool = lt %10, %6
  if %11 {
   yield
  } else {
   break block1()
  }
  %12: u32 = mul %10, %7
  %13: u32 = add %12, %4
  %14: u32 = mul %2, %8
  %15: u32 = add %14, %13
  store tile[%15] = %0
  %16: u32 = add %10, %9
  continue block1(%16)
 }
 barrier workgroup
 loop block4(%20: u32 = %5) {
  %21: bool = lt %20, %6
  if %21 {
   yield
  } else {
   break block4()
  }
  %22: u32 = mul %2, %7
  %23: u32 = add %22, %4
  %24: u32 = mul %20, %8
  %25: u32 = add %24, %23
  %26: u32 = load tile[%25]
  store buffer0[%0] = %26
  %27: u32 = add %20, %9
  continue block4(%27)
 }
 return
}
";

#[test]
fn shared_memory_of_which_all_that_is_read_is_written_is_not_zeroed() {
    let zeroed = |changes: &[(&str, &str)]| {
        let text = changes.iter().fold(PADDED.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        });
        let text = text.replace(" tile[", " shared0[");
        let emitted = emit_text(&text);
        validate("padded", &emitted.words);
        let barriers = disassemble(&emitted.words).matches("OpControlBarrier").count();
        barriers - text.matches("barrier workgroup").count()
    };
    assert_eq!(zeroed(&[]), 0);
    // The cells between the rows are written by nobody; neither are those of a round that is left out, nor those behind the rows.
    assert_eq!(zeroed(&[("%24: u32 = mul %20, %8", "%24: u32 = mul %20, %6")]), 1);
    assert_eq!(zeroed(&[("%11: bool = lt %10, %6", "%11: bool = lt %10, %1")]), 1);
    assert_eq!(zeroed(&[("%21: bool = lt %20, %6", "%21: bool = lt %20, %8"), ("u32; 264", "u32; 2640")]), 1);
    assert_eq!(zeroed(&[("%23: u32 = add %22, %4", "%23: u32 = add %22, %6")]), 1);
    // Fewer are read, or a part of them by an index of which only the range is known.
    assert_eq!(zeroed(&[("%21: bool = lt %20, %6", "%21: bool = lt %20, %1")]), 0);
    assert_eq!(zeroed(&[("%22: u32 = mul %2, %7", "%22: u32 = const 28"), ("%4\n  %24", "%3\n  %24")]), 0);
    let product = "%17: u32 = mul %0, %0\n  %22: u32 = and %17, %1";
    assert_eq!(zeroed(&[("%22: u32 = mul %2, %7", product)]), 0);
    assert_eq!(zeroed(&[("%22: u32 = mul %2, %7", &product.replace("%1", "%8"))]), 1);
    assert_eq!(zeroed(&[("%22: u32 = mul %2, %7", &product.replace("and %17, %1", "rem %17, %6"))]), 0);
    let least = "%17: u32 = mul %0, %0\n  %18: u32 = const 28\n  %22: u32 = min %17, %18";
    assert_eq!(zeroed(&[("%22: u32 = mul %2, %7", least)]), 0);
    assert_eq!(zeroed(&[("%22: u32 = mul %2, %7", &least.replace("28", "29"))]), 1);
    // What may not be written: by an index that is not known, where a condition holds, before another round begins or none does,
    // or where a check drops it.
    assert_eq!(zeroed(&[("%14: u32 = mul %2, %8", "%17: u32 = mul %0, %0\n  %14: u32 = and %17, %1")]), 1);
    let store = "store tile[%15] = %0";
    let inside = "%17: bool = lt %0, %7\n  if %17 {\n   store tile[%15] = %0\n   yield\n  } else {\n   yield\n  }";
    assert_eq!(zeroed(&[(store, inside)]), 1);
    let leaves =
        "%17: bool = lt %0, %7\n  if %17 {\n   continue block1(%10)\n  } else {\n   yield\n  }\n  store tile[%15] = %0";
    assert_eq!(zeroed(&[(store, leaves)]), 1);
    let unknown = [("loop block1(%10: u32 = %5)", "loop block1(%10: u32 = %0)")];
    assert_eq!(zeroed(&unknown), 1);
    let checked = [
        ("kernel fn0", "file0 \"k.rs\"\nsite0 index_out_of_bounds @file0:1:1 \"tile[i]\"\nkernel fn0"),
        ("tile[%15]", "tile[%15 !site0]"),
    ];
    assert_eq!(zeroed(&checked), 1);
    // Read too early, by each invocation what it wrote.
    assert_eq!(zeroed(&[(store, "store tile[%15] = %0\n  %17: u32 = load tile[%15]")]), 1);
}

/// A tile with a border that 16 by 16 invocations fill; each reads the last cell that it may need.
const BORDERED: &str = "kernel fn0 workgroup(16, 16, 1) {
 buffer0 y: [f32] mut
 shared0 tile: [[f32; 22]; 22]
}
fn0 k() -> () {
 %0: vec3<u32> = local_id
 %1: u32 = extract %0.0
 %2: u32 = extract %0.1
 %3: u32 = const 16
 %4: u32 = const 22
 %5: f32 = const 1
 %6: u32 = const 6
 %7: u32 = const 0
 %8: u32 = const 1
 loop block1(%10: u32 = %2) {
  %11: bool = lt %10, %4
  if %11 {
   yield
  } else {
   break block1()
  }
  loop block4(%12: u32 = %1) {
   %13: bool = lt %12, %4
   if %13 {
    yield
   } else {
    break block4()
   }
   store shared0[%10][%12] = %5
   %14: u32 = add %12, %3
   continue block4(%14)
  }
  %15: u32 = add %10, %3
  continue block1(%15)
 }
 barrier workgroup
 %17: u32 = add %1, %6
 %18: u32 = add %2, %6
 %30: f32 = load shared0[%18][%17]
 store buffer0[%1] = %30
 return
}
";

#[test]
fn shared_memory_that_invocations_fill_in_turns_is_not_zeroed() {
    let zeroed = |changes: &[(&str, &str)]| {
        let text = changes.iter().fold(BORDERED.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        });
        let emitted = emit_text(&text);
        validate("bordered", &emitted.words);
        disassemble(&emitted.words).matches("OpControlBarrier").count() - 1
    };
    assert_eq!(zeroed(&[]), 0);
    // Cells are left out at the end, at the start, or between.
    assert_eq!(zeroed(&[("lt %12, %4", "lt %12, %3")]), 1);
    assert_eq!(zeroed(&[("loop block4(%12: u32 = %1)", "%19: u32 = add %1, %8\n  loop block4(%12: u32 = %19)")]), 1);
    assert_eq!(zeroed(&[("add %12, %3", "add %12, %4")]), 1);
    assert_eq!(zeroed(&[("add %12, %3", "add %12, %6")]), 1);
    assert_eq!(zeroed(&[("%10: u32 = %2)", "%10: u32 = %7)")]), 1);
    // Both numbers hang on one position.
    assert_eq!(zeroed(&[("%12: u32 = %1)", "%12: u32 = %2)")]), 1);
    assert_eq!(zeroed(&[("shared0[%10][%12]", "shared0[%10][%1]")]), 1, "the border at the right");
    assert_eq!(zeroed(&[("shared0[%10][%12]", "shared0[%12][%1]"), ("[%18][%17]", "[%18][%1]")]), 1);
    // Rows in turns, and a column for each invocation, of which only those are read.
    let columns = ("shared0[%10][%12]", "shared0[%10][%1]");
    assert_eq!(zeroed(&[columns, ("[%18][%17]", "[%18][%1]")]), 0);
    // A round that leaves, or does not come to the store.
    let leaves =
        "%19: bool = lt %10, %6\n   if %19 {\n    break block4()\n   } else {\n    yield\n   }\n   store shared0";
    assert_eq!(zeroed(&[("store shared0", leaves)]), 1);

    // Steps that are counted, as `step_by` counts them.
    let counted = |end: &str| {
        [
            (
                "loop block1(",
                format!(
                    "%40: bool = lt %1, {end}\n %41: u32 = sub {end}, %1\n %42: u32 = select %40, %41, %7\n %43: u32 = div %42, %3\n \
                     %44: u32 = rem %42, %3\n %45: bool = ne %44, %7\n %46: u32 = cast %45\n %47: u32 = add %43, %46\n loop block1("
                ),
            ),
            ("%12: u32 = %1)", "%12: u32 = %7)".to_owned()),
            ("lt %12, %4", "lt %12, %47".to_owned()),
            ("add %12, %3", "add %12, %8".to_owned()),
            (
                "store shared0[%10][%12]",
                "%48: u32 = mul %12, %3\n   %49: u32 = add %1, %48\n   store shared0[%10][%49]".to_owned(),
            ),
        ]
    };
    let zeroed_by = |changes: &[(&str, String)], more: &[(&str, &str)]| {
        let changes: Vec<_> = changes.iter().map(|(from, to)| (*from, &to[..])).chain(more.iter().copied()).collect();
        zeroed(&changes)
    };
    assert_eq!(zeroed_by(&counted("%4"), &[]), 0);
    assert_eq!(zeroed_by(&counted("%3"), &[]), 1);
    assert_eq!(zeroed_by(&counted("%4"), &[("mul %12, %3", "mul %12, %6")]), 1);
    assert_eq!(zeroed_by(&counted("%4"), &[("add %1, %48", "add %2, %48")]), 1);
    assert_eq!(zeroed_by(&counted("%4"), &[("rem %42, %3", "rem %42, %4")]), 1);

    // The cells as one row.
    let flat = [
        (
            "%8: u32 = const 1\n",
            "%8: u32 = const 1\n %20: u32 = local_index\n %21: u32 = const 484\n %22: u32 = const 256\n",
        ),
        ("%12: u32 = %1)", "%12: u32 = %20)"),
        ("lt %12, %4", "lt %12, %21"),
        ("add %12, %3", "add %12, %22"),
        ("store shared0[%10][%12]", "%23: u32 = div %12, %4\n   %24: u32 = rem %12, %4\n   store shared0[%23][%24]"),
    ];
    assert_eq!(zeroed(&flat), 0);
    let with = |changes: &[(&'static str, &'static str)]| zeroed(&[&flat[..], changes].concat());
    assert_eq!(with(&[("const 484", "const 483")]), 1);
    assert_eq!(with(&[("const 256", "const 255")]), 1);
    assert_eq!(with(&[("rem %12, %4", "rem %12, %3")]), 1);
    assert_eq!(with(&[("rem %12, %4", "rem %20, %4")]), 1);
    assert_eq!(with(&[("const 484", "const 600")]), 1, "it goes on behind the tile");
}

#[test]
fn components_and_axes_of_any_length_are_cells() {
    let zeroed = |workgroup: &str, shared: &str, body: &str| {
        let text = format!(
            "kernel fn0 workgroup{workgroup} {{\n buffer0 y: [f32] mut\n shared0 s: {shared}\n}}\n\
             fn0 k() -> () {{\n %0: vec3<u32> = local_id\n %1: u32 = extract %0.0\n %2: u32 = extract %0.1\n \
             %3: u32 = const 3\n %4: u32 = const 2\n %5: f32 = const 1\n %6: vec4<f32> = const zero\n{body} \
             store buffer0[%1] = %30\n return\n}}\n"
        );
        let emitted = emit_text(&text);
        validate("cells", &emitted.words);
        let barriers = disassemble(&emitted.words).matches("OpControlBarrier").count();
        barriers - text.matches("barrier workgroup").count()
    };
    // Each component by another invocation, rows of five vectors of which four are used.
    let components = " %10: u32 = and %1, %3\n %11: u32 = shr %1, %4\n store shared0[%11][%10] = %5\n barrier workgroup\n \
                      %12: vec4<f32> = load shared0[%10]\n %30: f32 = extract %12.2\n";
    assert_eq!(zeroed("(16, 1, 1)", "[vec4<f32>; 5]", components), 0);
    assert_eq!(zeroed("(16, 1, 1)", "[vec4<f32>; 5]", &components.replace("load shared0[%10]", "load shared0[%1]")), 1);
    assert_eq!(zeroed("(16, 1, 1)", "[vec4<f32>; 5]", &components.replace("and %1, %3", "and %1, %4")), 1);
    assert_eq!(
        zeroed("(16, 1, 1)", "[vec4<f32>; 5]", &components.replace("shared0[%11][%10] = %5", "shared0[%11] = %6")),
        0
    );
    // Seven by three invocations, in rows of eight.
    let rows = " %10: u32 = const 8\n %11: u32 = mul %2, %10\n %12: u32 = add %11, %1\n store shared0[%12] = %5\n barrier workgroup\n \
                %30: f32 = load shared0[%13]\n";
    let rows = |index: &str| rows.replace(" barrier", &format!(" %13: u32 = {index}\n barrier"));
    assert_eq!(zeroed("(7, 3, 1)", "[f32; 32]", &rows("mul %2, %10")), 0);
    assert_eq!(zeroed("(7, 3, 1)", "[f32; 32]", &rows("add %1, %3")), 1);
    assert_eq!(zeroed("(7, 3, 1)", "[f32; 32]", &rows("add %12, %10")), 1);
    assert_eq!(
        zeroed(
            "(7, 3, 1)",
            "[[f32; 8]; 4]",
            &rows("add %2, %3").replace("shared0[%12]", "shared0[%2][%1]").replace("shared0[%13]", "shared0[%4][%13]")
        ),
        0
    );
    assert_eq!(
        zeroed(
            "(7, 3, 1)",
            "[[f32; 8]; 4]",
            &rows("add %2, %3").replace("shared0[%12]", "shared0[%2][%1]").replace("shared0[%13]", "shared0[%3][%13]")
        ),
        1
    );
}

#[test]
fn every_type_can_be_shared() {
    let types = ["bool", "vec3<bool>", "(f32, bool)", "[(u32, vec3<f32>); 3]", "[[[struct0; 2]; 3]; 5]", "struct0"];
    for (ty, bytes) in types.into_iter().zip([4, 12, 8, 96, 30 * 32, 32]) {
        let text = format!(
            "struct0 S {{ at: vec3<f32>, on: [bool; 2] }}\nkernel fn0 workgroup(4, 1, 1) {{\n shared0 s: {ty}\n}}\n\
             fn0 k() -> () {{\n %0: {ty} = load shared0\n barrier workgroup\n store shared0 = %0\n return\n}}\n"
        );
        let emitted = emit_text(&text);
        validate(ty, &emitted.words);
        assert_eq!(emitted.facts.parallel.shared_bytes, bytes, "{ty}");
    }
}

#[test]
fn what_a_launch_must_see_to_does_not_depend_on_passes() {
    // Nothing reads the ballot, so that it goes; the workgroups stay full.
    let text = kernel("bool", " %2: vec4<u32> = subgroup_ballot %1\n");
    let compiled = compile(module(&text), &CompileOptions::default()).expect("it compiles");
    validate("compiled", &compiled.words);
    assert!(compiled.facts.parallel.full_workgroups);
    assert!(!disassemble(&compiled.words).contains("OpGroupNonUniformBallot"));
}

#[test]
fn fences_and_subgroup_barriers() {
    let mut body = " barrier subgroup\n".to_owned();
    for order in ["acquire", "release", "acq_rel"] {
        for scope in ["subgroup", "workgroup", "device"] {
            body += &format!(" fence {order} {scope}\n");
        }
    }
    let emitted = emit_text(&kernel("u32", &body));
    validate("fences", &emitted.words);
    assert_eq!(emitted.facts.parallel.subgroup_operations, SubgroupOperations::BASIC);
}
