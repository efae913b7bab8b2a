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

/// Sums of workgroups, of which all that is read was written.
pub(crate) const REDUCTION: &str = r#"kernel fn0 workgroup(64, 1, 1) {
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
