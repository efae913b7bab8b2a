//! Memory and interface in SPIR-V: layouts, conversions, checks, traps, push constants, launch words.

use crate::support::{disassemble, emit_text, module, validate};
use gridwise_ir::compile::{CompileOptions, compile};
use gridwise_ir::descriptor::{LaunchWord, LaunchWordKind, ParamKind};
use gridwise_ir::layout::Layout;
use gridwise_ir::spirv::PushSlot;

/// Structs, arrays and vectors in buffers and push constants, `bool`s among the latter.
const AGGREGATES: &str = r#"file0 "k.rs"
struct0 Inner { at: vec3<f32>, weight: f32 }
struct1 Outer { name: u32, inner: [struct0; 2], wide: vec4<f32>, count: vec4<u32>, small: vec2<i32> }
kernel fn0 workgroup(8, 8, 1) {
    buffer0 from: [struct1]
    buffer1 to: [struct1] mut
    buffer2 flat: [vec3<u32>] mut
    param0 enable: bool
    param1 default: struct1
    param2 scale: f32
    param3 table: [f32; 3]
}
fn0 k() -> () @file0:1:1 {
    local0 copy: struct1
    local1 cells: [vec3<f32>; 4]
    local2 pair: (bool, f32)
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
    %2: struct1 = load buffer0[%1]
    store buffer1[%1] = %2
    store local0 = %2
    %3: struct1 = param1
    store buffer1[%1] = %3
    %4: bool = param0
    %5: f32 = param2
    %6: (bool, f32) = compose %4, %5
    store local2 = %6
    %7: f32 = load local2.1
    store buffer1[%1].1.1.0.2 = %7
    %8: u32 = const 1
    %9: vec3<f32> = load buffer0[%1].1[%8].0
    store local1[%8] = %9
    %10: f32 = load local1[%8][%8]
    store buffer1[%1].2[%8] = %10
    %11: [struct0; 2] = load buffer1[%1].1
    store local0.1 = %11
    %12: struct1 = load local0
    %13: [f32; 3] = param3
    %14: f32 = extract %13.2
    %15: struct1 = insert %12.2.3, %14
    %16: vec4<u32> = extract %15.3
    %17: vec3<u32> = load buffer2[%1]
    %18: u32 = extract %16.0
    %19: vec3<u32> = insert %17.0, %18
    store buffer2[%1] = %19
    return
}
"#;

#[test]
fn aggregates_use_rust_layouts() {
    let emitted = emit_text(AGGREGATES);
    validate("aggregates", &emitted.words);
    assert_eq!(emitted.elements, [(96, 16), (96, 16), (12, 4)].map(|(size, align)| Layout { size, align }));
    let slots = [(0, 4), (16, 96), (112, 4), (116, 12)].map(|(offset, size)| PushSlot { offset, size });
    assert_eq!(emitted.params, slots);
    assert_eq!(emitted.facts.push_constant_size, 140);
    let text = disassemble(&emitted.words);
    assert!(text.contains("OpCopyLogical"), "{text}");
}

/// Tables: by data, by a counter, and one that is changed.
const TABLES: &str = r#"file0 "k.rs"
kernel fn0 workgroup(8, 1, 1) {
    buffer0 from: [u32]
    buffer1 to: [u32] mut
}
fn0 k() -> () {
    local0 data: [u32; 4]
    local1 counted: [u32; 4]
    local2 changed: [u32; 4]
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
    %2: u32 = const 3
    %3: u32 = const 5
    %4: [u32; 4] = compose %2, %3, %3, %2
    store local0 = %4
    store local1 = %4
    store local2 = %4
    %5: u32 = load buffer0[%1]
    %6: u32 = and %5, %2
    %7: u32 = load local0[%6]
    store local2[%6] = %7
    %8: u32 = load local2[%6]
    store buffer1[%1] = %8
    %9: u32 = const 0
    loop block1(%10: u32 = %9, %11: u32 = %8) -> (%12: u32) {
        %13: bool = lt %10, %2
        if %13 {
            yield
        } else {
            break block1(%11)
        }
        %14: u32 = load local1[%10]
        %15: u32 = mul %11, %14
        %16: u32 = const 1
        %17: u32 = add %10, %16
        continue block1(%17, %15)
    }
    store buffer1[%1] = %12
    return
}
"#;

#[test]
fn tables_that_data_index_are_constants() {
    let emitted = emit_text(TABLES);
    validate("tables", &emitted.words);
    let text = disassemble(&emitted.words);
    let line = |what: &str| text.lines().find(|line| line.contains(what)).unwrap_or_else(|| panic!("{what}: {text}"));
    let name = |name: &str| line(&format!("\"{name}\"")).split_whitespace().nth(1).expect("an id").to_owned();
    let constant = line("OpConstantComposite").split_whitespace().next().expect("an id");
    for (local, starts) in [("data", true), ("counted", false), ("changed", false)] {
        let id = name(local);
        assert_eq!(line(&format!("{id} = OpVariable")).ends_with(constant), starts, "{local}: {text}");
        assert_eq!(text.contains(&format!("OpStore {id} {constant}")), !starts, "{local}: {text}");
    }
}

/// Arrays of zeros: filled by two loops and a store, by one that leaves an element out, by one that reads; never filled; and one that each
/// round needs anew.
const FILLED: &str = r#"file0 "k.rs"
kernel fn0 workgroup(8, 1, 1) {
    buffer0 to: [u32] mut
}
fn0 k() -> () {
    local0 filled: [u32; 7]
    local1 missed: [u32; 7]
    local2 read: [u32; 7]
    local3 zeros: [u32; 7]
    local4 again: [u32; 7]
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
    %2: [u32; 7] = const zero
    %3: u32 = const 0
    %4: u32 = const 1
    %5: u32 = const 2
    %6: u32 = const 3
    store local0 = %2
    store local1 = %2
    store local2 = %2
    store local3 = %2
    store local3[%1] = %1
    loop block1(%7: u32 = %3) {
        %8: bool = lt %7, %6
        if %8 {
            yield
        } else {
            break block1()
        }
        %9: u32 = mul %7, %5
        loop block2(%10: u32 = %3) {
            %11: bool = lt %10, %5
            if %11 {
                yield
            } else {
                break block2()
            }
            %12: u32 = add %9, %10
            store local0[%12] = %1
            %13: u32 = add %12, %4
            store local1[%13] = %1
            %14: u32 = load local2[%12]
            store local2[%12] = %14
            %15: u32 = add %10, %4
            continue block2(%15)
        }
        store local4 = %2
        store local4[%1] = %1
        %16: u32 = load local4[%7]
        store buffer0[%7] = %16
        %17: u32 = add %7, %4
        continue block1(%17)
    }
    store local0.6 = %1
    store local2.6 = %1
    %18: u32 = load local0[%1]
    %19: u32 = load local1[%1]
    %20: u32 = load local2[%1]
    %21: u32 = load local3[%1]
    %22: u32 = add %18, %19
    %23: u32 = add %20, %21
    %24: u32 = add %22, %23
    store buffer0[%1] = %24
    return
}
"#;

#[test]
fn arrays_that_are_filled_start_with_anything() {
    let emitted = emit_text(FILLED);
    validate("filled", &emitted.words);
    let text = disassemble(&emitted.words);
    let line = |what: &str| text.lines().find(|line| line.contains(what)).unwrap_or_else(|| panic!("{what}: {text}"));
    let zero = line("OpConstantNull").split_whitespace().next().expect("an id");
    let arrays = [
        ("filled", false, false),
        ("missed", true, false),
        ("read", true, false),
        ("zeros", true, false),
        ("again", true, true),
    ];
    for (local, starts, is_stored) in arrays {
        let id = line(&format!("\"{local}\"")).split_whitespace().nth(1).expect("an id").to_owned();
        let end = if starts { zero } else { "Function" };
        assert!(line(&format!("{id} = OpVariable")).ends_with(end), "{local}: {text}");
        assert_eq!(text.contains(&format!("OpStore {id} {zero}")), is_stored, "{local}: {text}");
    }
}

/// A checked gather through two levels, and an explicit trap.
const CHECKED: &str = r#"file0 "k.rs"
site0 index_out_of_bounds @file0:1:1 "unused"
site1 index_out_of_bounds @file0:2:1 "x[i]"
site2 divide_by_zero @file0:3:1 "a / b"
site3 index_out_of_bounds @file0:4:1 "x[i][j]"
kernel fn0 workgroup(1, 1, 1) {
    buffer0 x: [[f32; 5]]
    buffer1 y: [f32] mut
    buffer2 z: [u32] mut
}
fn0 k() -> () {
    local0 cells: [u32; 4]
    %0: vec3<u32> = workgroup_id
    %1: u32 = extract %0.0
    %2: u32 = extract %0.1
    %3: f32 = load buffer0[%1 !site1][%2 !site3]
    store buffer1[%1] = %3
    store local0[%2 !site3] = %1
    %4: u32 = load local0[%1 !site1]
    store buffer2[%2 !site1] = %4
    %5: u32 = len buffer0
    trap site2(%5, %4)
    return
}
"#;

#[test]
fn checks_branch_around_the_access() {
    let emitted = emit_text(CHECKED);
    validate("checked", &emitted.words);
    assert_eq!(emitted.facts.trap_binding, Some(3));
    let numbers: Vec<_> = emitted.sites.iter().map(ToString::to_string).collect();
    assert_eq!(numbers, ["site1", "site2", "site3"]);
    let kinds: Vec<_> = emitted.launch_words.iter().map(|word| word.kind).collect();
    assert_eq!(kinds, [LaunchWordKind::FirstGroup, LaunchWordKind::Len(0), LaunchWordKind::Len(2)]);
    let text = disassemble(&emitted.words);
    assert_eq!(text.matches("OpAtomicCompareExchange").count(), 1, "one trap function:\n{text}");
    assert_eq!(text.matches("NonReadable").count(), 2, "y and z are only written:\n{text}");
}

/// Elements that are arrays of numbers, as wholes and number by number.
const ROWS: &str = r#"file0 "k.rs"
kernel fn0 workgroup(64, 1, 1) {
    buffer0 from: [[f32; 8]]
    buffer1 to: [[[u32; 2]; 3]] mut
    buffer2 single: [[f32; 4]] mut
}
fn0 k() -> () @file0:1:1 {
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
    %2: [f32; 8] = load buffer0[%1]
    %3: [[u32; 2]; 3] = load buffer1[%1]
    store buffer1[%1] = %3
    %4: u32 = const 1
    store buffer1[%1][%4][%4] = %1
    %5: [u32; 2] = load buffer1[%1][%4]
    store buffer1[%4][%4] = %5
    %6: f32 = load buffer0[%1][%4]
    store buffer2[%1][%4] = %6
    return
}
"#;

#[test]
fn rows_of_numbers_are_vectors() {
    let emitted = emit_text(ROWS);
    validate("rows", &emitted.words);
    let text = disassemble(&emitted.words);
    let vectors = text.lines().filter(|line| line.contains("OpTypeVector")).count();
    // The position in the grid, four numbers, and two.
    assert_eq!(vectors, 3, "{text}");
}

#[test]
fn no_trap_record_without_sites() {
    let unchecked = CHECKED.replace(" !site1", "").replace(" !site3", "").replace("trap site2(%5, %4)", "");
    let emitted = emit_text(&unchecked);
    validate("unchecked", &emitted.words);
    assert_eq!((emitted.facts.trap_binding, emitted.sites.len()), (None, 0));
}

/// All builtins, in a function that is called and in the kernel.
const BUILTINS: &str = r#"kernel fn1 workgroup(4, 2, 1) {
    buffer0 y: [u32] mut
}
fn0 helper(%0 "a": u32, %1: vec3<u32>) -> vec3<u32> {
    %2: vec3<u32> = num_workgroups
    %3: vec3<u32> = local_id
    %4: vec3<u32> = add %2, %3
    %5: vec3<u32> = insert %4.1, %0
    %6: vec3<u32> = mul %5, %1
    return %6
}
fn1 k() -> () {
    %0: vec3<u32> = global_id
    %1: vec3<u32> = workgroup_id
    %2: u32 = extract %0.0
    %3: vec3<u32> = call fn0(%2, %1)
    %4: u32 = extract %3.2
    store buffer0[%2] = %4
    return
}
"#;

#[test]
fn builtins_and_calls() {
    let emitted = emit_text(BUILTINS);
    validate("builtins", &emitted.words);
    let words = [
        LaunchWordKind::Items(0),
        LaunchWordKind::Items(1),
        LaunchWordKind::FirstGroup,
        LaunchWordKind::Groups(0),
        LaunchWordKind::Groups(1),
        LaunchWordKind::Groups(2),
    ];
    let expected: Vec<_> = (0..).zip(words).map(|(at, kind)| LaunchWord { offset: 4 * at, kind }).collect();
    assert_eq!(emitted.launch_words, expected);
    assert_eq!(emitted.facts.push_constant_size, 24);
}

#[test]
fn functions_nobody_calls_are_left_out() {
    let text = format!("{BUILTINS}fn2 idle() -> () {{\n return\n}}\n");
    let emitted = emit_text(&text);
    validate("idle", &emitted.words);
    assert!(!disassemble(&emitted.words).contains("idle"));
}

#[test]
fn equal_modules_give_equal_words() {
    for text in [AGGREGATES, CHECKED, BUILTINS] {
        assert_eq!(emit_text(text), emit_text(text));
    }
}

#[test]
fn compiled_kernels_know_the_order_of_parameters() {
    // fn k(x: &[_], scale: f32, y: &mut [f32])
    let text = r#"file0 "k.rs"
site0 index_out_of_bounds @file0:2:5 "y[i]"
kernel fn0 workgroup(64, 1, 1) {
    buffer0 x: [f32]
    buffer1 y: [f32] mut
    param0 scale: f32
}
fn0 k() -> () @file0:1:1 {
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
    %2: f32 = load buffer0[%1]
    %3: f32 = param0
    %4: f32 = mul %2, %3
    store buffer1[%1 !site0] = %4
    return
}
"#;
    let options = CompileOptions { buffer_positions: vec![0, 2], ..CompileOptions::default() };
    let compiled = compile(module(text), &options).expect("it compiles");
    validate("compiled", &compiled.words);
    let params: Vec<_> = compiled.params.iter().map(|param| (param.name.as_str(), param.kind)).collect();
    let buffer = |binding, writable| ParamKind::Buffer { binding, writable, stride: 4, align: 4 };
    let scale = ParamKind::Value { offset: 0, size: 4 };
    assert_eq!(params, [("x", buffer(0, false)), ("scale", scale), ("y", buffer(1, true))]);
    let kinds: Vec<_> = compiled.launch_words.iter().map(|word| word.kind).collect();
    assert!(kinds.contains(&LaunchWordKind::Len(2)), "{kinds:?}");
    assert_eq!(compiled.sites[0].text, "y[i]");
    assert_eq!(compiled.location.map(|at| (at.file, at.line)), Some(("k.rs".to_owned(), 1)));
}
