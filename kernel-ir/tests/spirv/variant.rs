//! Variants of modules: what a pipeline is made of has one entry point and nothing that is known not to run.

use expect_test::expect;
use gridwise_ir::batch::{Request, find};
use gridwise_ir::descriptor::{HAS_FMA, IS_FULL, IS_PROVEN, IS_WHOLE, is_proven};
use gridwise_ir::faults::{Fault, Faults};
use gridwise_ir::passes::optimize;
use gridwise_ir::spirv::{BATCH_ENTRY_POINT, ENTRY_POINT, emit_with};
use gridwise_ir::variant::{VariantDesc, tally, variant};

use crate::generate::{Random, kernel};
use crate::support::{disassemble, module, validate_words, variants};

const SCALE: &str = r#"file0 "k.rs"
site0 index_out_of_bounds @file0:2:1 "x[i + 1]" launch 0
kernel fn0 workgroup(64, 1, 1) {
    constant0 FACTOR: u32 = 1
    constant1 IS_ODD: bool = 0
    buffer0 x: [u32]
    buffer1 y: [u32] mut
}
fn0 scale() -> () @file0:1:1 {
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
    %2: u32 = load buffer0[%1 !site0]
    %3: u32 = constant0
    %4: u32 = mul %2, %3
    %5: bool = constant1
    if %5 -> (%6: u32) {
        %7: u32 = const 1
        %8: u32 = or %4, %7
        yield %8
    } else {
        yield %4
    }
    store buffer1[%1] = %6
    return
}
"#;

/// The words of a module with a second entry point where it can have one.
fn words(text: &str) -> Vec<u32> {
    let mut module = module(text);
    let _ = optimize(&mut module);
    let kernel = module.kernel.as_ref().expect("it is a kernel");
    let batch = find(&module, kernel, Request::Automatic).ok().flatten();
    emit_with(&module, batch.as_ref()).expect("it can be expressed").words
}

/// The text of a variant, behind what all modules begin with.
fn text(words: &[u32], entry_point: &str, constants: &[(u32, u64)]) -> String {
    let words = variant(words, &VariantDesc { entry_point, constants, keeps_names: false, faults: Faults::NONE })
        .expect("it is a module");
    validate_words("variant", &words);
    let text = disassemble(&words);
    text.lines().skip_while(|line| !line.contains("OpEntryPoint")).map(|line| format!("{}\n", line.trim())).collect()
}

#[test]
fn nothing_is_left_of_checks_that_hold() {
    let words = words(SCALE);
    expect![[r#"
        OpEntryPoint GLCompute %1 "main" %2 %3 %4 %5
        OpExecutionMode %1 LocalSize 64 1 1
        OpDecorate %6 ArrayStride 4
        OpDecorate %7 Block
        OpMemberDecorate %7 0 Offset 0
        OpDecorate %2 DescriptorSet 0
        OpDecorate %2 Binding 0
        OpDecorate %2 Restrict
        OpDecorate %2 NonWritable
        OpDecorate %8 ArrayStride 4
        OpDecorate %9 Block
        OpMemberDecorate %9 0 Offset 0
        OpDecorate %3 DescriptorSet 0
        OpDecorate %3 Binding 1
        OpDecorate %3 Restrict
        OpDecorate %3 NonReadable
        OpDecorate %10 Block
        OpMemberDecorate %10 0 Offset 0
        OpMemberDecorate %10 1 Offset 4
        OpMemberDecorate %10 2 Offset 8
        OpDecorate %5 BuiltIn GlobalInvocationId
        %11 = OpTypeInt 32 0
        %6 = OpTypeRuntimeArray %11
        %7 = OpTypeStruct %6
        %12 = OpTypePointer StorageBuffer %7
        %2 = OpVariable  %12  StorageBuffer
        %8 = OpTypeRuntimeArray %11
        %9 = OpTypeStruct %8
        %13 = OpTypePointer StorageBuffer %9
        %3 = OpVariable  %13  StorageBuffer
        %10 = OpTypeStruct %11 %11 %11
        %14 = OpTypePointer PushConstant %10
        %4 = OpVariable  %14  PushConstant
        %15 = OpTypeVector %11 3
        %16 = OpTypePointer Input %15
        %5 = OpVariable  %16  Input
        %17 = OpTypeVoid
        %18 = OpTypeFunction %17
        %19 = OpTypePointer PushConstant %11
        %20 = OpConstant  %11  1
        %21 = OpTypeBool
        %22 = OpConstant  %11  0
        %23 = OpTypePointer StorageBuffer %11
        %24 = OpConstant  %11  7
        %1 = OpFunction  %17  None %18
        %25 = OpLabel
        %26 = OpLoad  %15  %5
        %27 = OpCompositeExtract  %11  %26 0
        %28 = OpAccessChain  %19  %4 %22
        %29 = OpLoad  %11  %28
        %30 = OpUGreaterThanEqual  %21  %27 %29
        OpSelectionMerge %31 None
        OpBranchConditional %30 %32 %31
        %32 = OpLabel
        OpReturn
        %31 = OpLabel
        %33 = OpAccessChain  %23  %2 %22 %27
        %34 = OpLoad  %11  %33
        %35 = OpIMul  %11  %34 %24
        %36 = OpBitwiseOr  %11  %35 %20
        %37 = OpAccessChain  %23  %3 %22 %27
        OpStore %37 %36
        OpReturn
        OpFunctionEnd
    "#]]
    .assert_eq(&text(&words, ENTRY_POINT, &[(IS_PROVEN, 1), (0, 7), (1, 1)]));
}

#[test]
fn each_group_of_checks_goes_with_its_own_obligations() {
    let words = words(
        "file0 \"k.rs\"
site0 index_out_of_bounds @file0:1:1 \"x[i]\" launch 0
site1 index_out_of_bounds @file0:2:1 \"y[i]\" launch 0, 1
kernel fn0 workgroup(64, 1, 1) {
    buffer0 x: [u32]
    buffer1 y: [u32] mut
    requires items(0) < len(buffer0)
    requires items(0) < len(buffer1)
}
fn0 k() -> () {
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
    %2: u32 = load buffer0[%1 !site0]
    store buffer1[%1 !site1] = %2
    return
}
",
    );
    let checks = |constants: &[(u32, u64)]| {
        let desc = VariantDesc { entry_point: ENTRY_POINT, constants, keeps_names: false, faults: Faults::NONE };
        tally(&variant(&words, &desc).expect("it is a module")).checks
    };
    assert_eq!(checks(&[]), 2);
    assert_eq!([0, 1].map(|group| checks(&[(is_proven(group), 1)])), [1, 1]);
    assert_eq!(checks(&[(is_proven(0), 1), (is_proven(1), 1)]), 0);
    assert_eq!(checks(&[(IS_PROVEN, 1)]), 0);
    assert_eq!(
        checks(&[(IS_PROVEN, 1), (is_proven(1), 0)]),
        1,
        "what is told of a group goes before what is told of all"
    );
}

#[test]
fn loops_are_left_in_another_round_only_where_drivers_forget() {
    let words = words(
        "kernel fn0 workgroup(64, 1, 1) {
    buffer0 y: [u32] mut
}
fn0 k() -> () {
    %0: u32 = const 0
    %1: u32 = const 9
    loop block1(%5: u32 = %0) -> (%7: u32) {
        %8: u32 = load buffer0[%5]
        %9: bool = gt %8, %1
        if %9 {
            break block1(%8)
        } else {
            yield
        }
        continue block1(%8)
    }
    store buffer0[%0] = %7
    return
}
",
    );
    let branches = |faults| {
        let constants = &[(IS_FULL, 1)];
        let desc = VariantDesc { entry_point: ENTRY_POINT, constants, keeps_names: false, faults };
        disassemble(&variant(&words, &desc).expect("it is a module")).matches("OpBranchConditional").count()
    };
    assert_eq!(branches(Faults::NONE), 1);
    assert_eq!(branches(Faults::NONE.with(Fault::ForgottenLoopResults)), 2);
}

#[test]
fn other_constants_and_entries_have_their_own_code() {
    let words = words(SCALE);
    let text = |entry, constants: &[_]| text(&words, entry, constants);
    let proven = text(ENTRY_POINT, &[(IS_PROVEN, 1), (0, 7), (1, 1)]);
    assert_eq!(proven.matches("OpBitwiseOr").count(), 1);
    let even = text(ENTRY_POINT, &[(IS_PROVEN, 1), (0, 7), (1, 0)]);
    assert_eq!(even.matches("OpBitwiseOr").count(), 0);
    assert!(!even.contains("OpAtomicCompareExchange"), "{even}");
    // The checks that a launch may need, with the function that records what they find.
    assert!(text(ENTRY_POINT, &[]).contains("OpAtomicCompareExchange"));
    let batch = text(BATCH_ENTRY_POINT, &[(IS_PROVEN, 1), (0, 7)]);
    assert_eq!(batch.matches("OpEntryPoint").count(), 1);
    assert!(batch.contains("\"batch\""), "{batch}");
    // Without items left over there is no loop for them.
    assert!(batch.contains("OpLoopMerge"), "{batch}");
    let whole = text(BATCH_ENTRY_POINT, &[(IS_PROVEN, 1), (IS_WHOLE, 1), (0, 7)]);
    assert!(!whole.contains("OpLoopMerge"), "{whole}");
    assert!(whole.contains("OpBranchConditional"), "{whole}");
    // Where each invocation has items none asks.
    for (entry, constants) in [
        (BATCH_ENTRY_POINT, &[(IS_PROVEN, 1), (IS_WHOLE, 1), (IS_FULL, 1), (0, 7)][..]),
        (ENTRY_POINT, &[(IS_PROVEN, 1), (IS_FULL, 1), (0, 7), (1, 0)]),
    ] {
        let full = text(entry, constants);
        assert!(!full.contains("OpBranch"), "{full}");
    }
}

#[test]
fn what_the_device_rounds_once_is_no_function() {
    let words = words(
        r#"file0 "k.rs"
kernel fn0 workgroup(64, 1, 1) {
    buffer0 x: [f32]
    buffer1 y: [f32] mut
}
fn0 products() -> () @file0:1:1 {
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
    %2: f32 = load buffer0[%1]
    %3: f32 = mul_add %2, %2, %2
    %4: f32 = mul_add %3, %2, %2
    store buffer1[%1] = %4
    return
}
"#,
    );
    let by_device = text(&words, ENTRY_POINT, &[(HAS_FMA, 1)]);
    assert_eq!(
        (by_device.matches("OpFunctionCall").count(), by_device.matches("OpFunctionEnd").count()),
        (0, 1),
        "{by_device}"
    );
    assert_eq!(by_device.matches("OpExtInst ").count(), 2, "{by_device}");
    let by_software = text(&words, ENTRY_POINT, &[]);
    assert!(by_software.contains("OpFunctionCall"), "{by_software}");
}

/// Lanes fold words, pairs, bytes, clusters and floats.
const FOLDS: &str = r#"file0 "k.rs"
kernel fn0 workgroup(64, 1, 1) {
    buffer0 x: [u32]
    buffer1 y: [u32] mut
}
fn0 folds() -> () @file0:1:1 {
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
    %2: u32 = load buffer0[%1]
    %3: u32 = subgroup_add %2
    %4: i32 = bitcast %2
    %5: i32 = subgroup_min %4
    %6: u32 = bitcast %5
    %7: vec2<u32> = compose %2, %3
    %8: vec2<u32> = subgroup_xor %7
    %9: u32 = extract %8.1
    %10: u32 = subgroup_cluster_max(32) %2
    %11: u32 = subgroup_cluster_max(8) %2
    %12: f32 = bitcast %2
    %13: f32 = subgroup_add %12
    %14: u32 = bitcast %13
    %15: u32 = xor %3, %6
    %16: u32 = xor %9, %10
    %17: u32 = xor %11, %14
    %18: u32 = xor %15, %16
    %19: u32 = xor %17, %18
    store buffer1[%1] = %19
    return
}
"#;

#[test]
fn lanes_fold_integers_by_scans_where_reductions_are_wrong() {
    let module = words(FOLDS);
    let desc = VariantDesc {
        entry_point: ENTRY_POINT,
        constants: &[],
        keeps_names: false,
        faults: Faults::NONE.with(Fault::LostReductions),
    };
    let words = variant(&module, &desc).expect("it is a module");
    validate_words("folds_by_scans", &words);
    let text = disassemble(&words);
    let found: Vec<String> = text
        .lines()
        .filter_map(|line| line.split_once(" = OpGroupNonUniform"))
        .map(|(_, op)| op.split_whitespace().filter(|word| !word.starts_with('%')).collect::<Vec<_>>().join(" "))
        .collect();
    let by_scan = |op: &str| [&format!("{op} InclusiveScan"), "Ballot", "BallotFindMSB", "Shuffle"].map(str::to_owned);
    let whole = ["IAdd", "SMin", "BitwiseXor"].iter().flat_map(|op| by_scan(op));
    // Of clusters, what a subgroup of that size or less does stands beside what a larger one does.
    let clusters = by_scan("UMax").into_iter().chain(by_scan("UMax"));
    let small = ["UMax ClusteredReduce".to_owned()].into_iter().chain(by_scan("UMax"));
    let expected: Vec<String> = whole.chain(clusters).chain(small).chain(["FAdd Reduce".to_owned()]).collect();
    assert_eq!(found, expected, "{text}");
    let usual = VariantDesc { faults: Faults::NONE, ..desc };
    assert!(variant(&module, &usual).expect("it is a module").len() < words.len());
}

/// Arithmetic with zeros: of halves, singles and doubles, in vectors, in a local, out of integers and as a phi.
const ZEROS: &str = r#"file0 "k.rs"
kernel fn0 workgroup(64, 1, 1) {
    buffer0 x: [f32]
    buffer1 y: [f32] mut
}
fn0 zeros() -> () @file0:1:1 {
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
    %2: f32 = load buffer0[%1]
    %3: f32 = const 0.0
    %4: f32 = mul %2, %3
    %5: f32 = const -0.0
    %6: f32 = sub %4, %5
    %7: vec3<f32> = compose %6, %3, %2
    %8: vec3<f32> = compose %3, %3, %5
    %9: vec3<f32> = add %7, %8
    %10: f32 = extract %9.2
    %11: f64 = cast %10
    %12: f64 = const 0.0
    %13: f64 = add %11, %12
    %14: f16 = cast %13
    %15: f16 = const bits 0x8000
    %16: f16 = add %14, %15
    %17: i64 = const 3
    %18: bool = lt %2, %3
    if %18 -> (%19: f32) { yield %3 } else { yield %2 }
    %20: f32 = cast %16
    %21: f32 = add %19, %20
    %22: i32 = cast %1
    %23: f32 = cast %22
    %24: f32 = add %21, %23
    %25: i64 = cast %1
    %26: f32 = cast %25
    %27: f32 = add %24, %26
    store buffer1[%1] = %27
    return
}
"#;

#[test]
fn no_arithmetic_shows_a_zero_to_drivers_that_simplify_it() {
    let module = words(ZEROS);
    let faults = Faults::NONE.with(Fault::SimplifiedZeros);
    let usual = VariantDesc { entry_point: ENTRY_POINT, constants: &[], keeps_names: false, faults: Faults::NONE };
    let words = variant(&module, &VariantDesc { faults, ..usual }).expect("it is a module");
    validate_words("simplifies_zeros", &words);
    let text = disassemble(&words);
    let constants = |text: &str| -> Vec<String> {
        let of = text.lines().filter(|line| line.contains("= OpConstant"));
        let zeros =
            of.filter(|line| line.ends_with(" 0") || line.ends_with(" -0") || line.contains("OpConstantComposite"));
        zeros.filter_map(|line| Some(line.split_once(" = ")?.0.to_owned())).collect()
    };
    // Integers have zeros too, so of the constants that are used only those of floats tell.
    let uses = |text: &str| {
        let zeros = constants(text);
        let float_op = |line: &&str| {
            ["OpFAdd", "OpFSub", "OpFMul", "OpPhi", "OpCompositeConstruct"].iter().any(|op| line.contains(op))
        };
        let has_zero = |line: &&str| line.split_whitespace().skip(3).any(|word| zeros.iter().any(|zero| zero == word));
        text.lines().filter(float_op).filter(has_zero).count()
    };
    let before = disassemble(&variant(&module, &usual).expect("it is a module"));
    assert!(uses(&before) >= 5, "{before}");
    assert_eq!(uses(&text), 0, "{text}");
    let converted: Vec<&str> =
        text.lines().filter(|line| line.contains("ToF ")).filter_map(|line| line.split_whitespace().last()).collect();
    assert!(converted.len() >= 2, "{text}");
    for integer in converted {
        assert!(text.contains(&format!("{integer} = OpBitwiseOr")), "{integer}: {text}");
    }
    assert_eq!(text.matches("OpLoad").count(), before.matches("OpLoad").count() + 1, "{text}");
}

/// A condition from before a loop goes round it in place of another.
const STATES: &str = r#"file0 "k.rs"
kernel fn0 workgroup(64, 1, 1) {
    buffer0 x: [u32]
    buffer1 y: [u32] mut
}
fn0 states() -> () @file0:1:1 {
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
    %2: u32 = load buffer0[%1]
    %3: u32 = const 7
    %4: bool = lt %2, %3
    %5: bool = eq %1, %3
    %6: u32 = const 0
    %7: u32 = const 1
    loop block1(%8: u32 = %6, %9: bool = %4) -> (%10: bool) {
        %11: bool = ge %8, %2
        if %11 {
            break block1(%9)
        } else {
            yield
        }
        %12: u32 = add %8, %7
        continue block1(%12, %5)
    }
    if %10 {
        store buffer1[%1] = %7
        yield
    } else {
        store buffer1[%1] = %3
        yield
    }
    return
}
"#;

#[test]
fn conditions_that_go_round_a_loop_are_made_in_it() {
    let text = text(&words(STATES), ENTRY_POINT, &[]);
    let lines: Vec<&str> = text.lines().collect();
    let ty = lines.iter().find_map(|line| line.strip_suffix(" = OpTypeBool")).expect("there are conditions");
    let merge = lines.iter().position(|line| line.starts_with("OpLoopMerge")).expect("there is a loop");
    let phi = format!(" = OpPhi  {ty}  ");
    let phi = lines[..merge].iter().find_map(|line| line.split_once(&phi)).expect("one goes round").1;
    let later = phi.split(' ').nth(2).expect("the second way's value");
    let made = lines.iter().position(|line| line.starts_with(&format!("{later} = "))).expect("it is made");
    assert!(made > merge, "{later} of `{phi}` in\n{text}");
}

#[test]
fn a_variant_is_its_own_variant() {
    let desc =
        |entry_point, keeps_names| VariantDesc { entry_point, constants: &[], keeps_names, faults: Faults::NONE };
    for seed in 0..200 {
        let mut module = kernel(&mut Random(seed));
        optimize(&mut module);
        let Ok(emitted) = emit_with(&module, None) else { continue };
        for (what, words) in variants(&emitted.words) {
            let again = variant(&words, &desc(ENTRY_POINT, true)).expect("it is a module");
            assert_eq!(disassemble(&again), disassemble(&words), "seed {seed}, {what}");
        }
    }
}

#[test]
fn damaged_modules_are_no_harm() {
    let words = words(SCALE);
    let mut random = Random(7);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let mut damaged = words.clone();
        for _ in 0..1 + random.below(3) {
            let at = random.below(damaged.len());
            damaged[at] = match random.below(4) {
                0 => random.next() as u32,
                1 => damaged[at] ^ 1 << random.below(32),
                2 => words[random.below(words.len())],
                _ => random.below(100) as u32,
            };
        }
        if random.below(4) == 0 {
            damaged.truncate(random.below(words.len()));
        }
        let constants = [(IS_PROVEN, 1), (0, 3)];
        let desc = VariantDesc {
            entry_point: ENTRY_POINT,
            constants: &constants,
            keeps_names: random.below(2) == 0,
            faults: [Fault::LostReductions, Fault::SimplifiedZeros]
                .into_iter()
                .filter(|_| random.below(2) == 0)
                .fold(Faults::NONE, Faults::with),
        };
        match variant(&damaged, &desc) {
            Ok(_) => read += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(read > 1_000 && refused > 1_000, "{read} read, {refused} refused");
}

#[test]
fn what_is_no_module_is_refused() {
    let words = words(SCALE);
    let cause = |words: &[u32], entry_point| {
        variant(words, &VariantDesc { entry_point, constants: &[], keeps_names: false, faults: Faults::NONE })
            .unwrap_err()
            .cause
    };
    assert_eq!(cause(&words, "nothing"), "it has no such entry point");
    assert_eq!(cause(&words, "mai"), "it has no such entry point");
    assert_eq!(cause(&words[..words.len() - 2], ENTRY_POINT), "a function does not end");
    assert_eq!(cause(&words[..30], ENTRY_POINT), "an instruction reaches past the end");
    assert_eq!(cause(&words[1..], ENTRY_POINT), "its magic number is not that of SPIR-V in this machine's byte order");
}
