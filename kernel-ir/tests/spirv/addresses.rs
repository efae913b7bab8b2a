//! Modules that find their buffers by addresses.

use expect_test::expect;
use gridwise_ir::batch::{Request, find};
use gridwise_ir::faults::Faults;
use gridwise_ir::passes::optimize;
use gridwise_ir::spirv::{BATCH_ENTRY_POINT, ENTRY_POINT, emit_with};
use gridwise_ir::variant::{AddressDesc, VariantDesc, loaded_beside_divisions, variant, with_addresses};

use crate::support::{ADDRESSES, disassemble, emit_text, module, validate_words};

const ADD: &str = r#"file0 "k.rs"
kernel fn0 workgroup(64, 1, 1) {
    buffer0 x: [[f32; 4]]
    buffer1 y: [f32] mut
    buffer2 n: [u32] mut
    param0 by: f32
}
fn0 add() -> () @file0:1:1 {
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
    %2: u32 = const 1
    %3: u32 = const 2
    %4: f32 = load buffer0[%1][%2]
    %5: f32 = load buffer1[%1]
    %6: f32 = param0
    %7: f32 = mul %4, %6
    %8: f32 = add %5, %7
    store buffer1[%1] = %8
    %9: u32 = atomic_add buffer2[%3], %2 relaxed device
    return
}
"#;

/// The usual variant of a module.
fn words(text: &str) -> Vec<u32> {
    let words = emit_text(text).words;
    let desc = VariantDesc { entry_point: ENTRY_POINT, constants: &[], keeps_names: false, faults: Faults::NONE };
    variant(&words, &desc).expect("it is a module")
}

fn addressed(text: &str, desc: &AddressDesc<'_>) -> Vec<u32> {
    let words = with_addresses(&words(text), desc).expect("all accesses can be by addresses");
    validate_words("by addresses", &words);
    words
}

#[test]
fn buffers_become_pointers_among_the_push_constants() {
    let text = disassemble(&addressed(ADD, &AddressDesc { offset: 16, ..ADDRESSES }));
    let lines: String = text.lines().map(|line| format!("{}\n", line.trim())).collect();
    expect![[r#"
        ; SPIR-V
        ; Version: 1.5
        ; Generator: rspirv
        ; Bound: 74
        OpCapability Shader
        OpCapability VulkanMemoryModel
        OpCapability DenormPreserve
        OpCapability SignedZeroInfNanPreserve
        OpCapability RoundingModeRTE
        OpCapability PhysicalStorageBufferAddresses
        OpMemoryModel PhysicalStorageBuffer64 Vulkan
        OpEntryPoint GLCompute %1 "main" %5 %6
        OpExecutionMode %1 LocalSize 64 1 1
        OpExecutionMode %1 DenormPreserve 32
        OpExecutionMode %1 SignedZeroInfNanPreserve 32
        OpExecutionMode %1 RoundingModeRTE 32
        OpDecorate %7 ArrayStride 4
        OpDecorate %8 ArrayStride 16
        OpDecorate %9 Block
        OpMemberDecorate %9 0 Offset 0
        OpDecorate %10 ArrayStride 4
        OpDecorate %11 Block
        OpMemberDecorate %11 0 Offset 0
        OpDecorate %12 ArrayStride 4
        OpDecorate %13 Block
        OpMemberDecorate %13 0 Offset 0
        OpDecorate %14 Block
        OpMemberDecorate %14 0 Offset 0
        OpMemberDecorate %14 1 Offset 4
        OpMemberDecorate %14 2 Offset 8
        OpDecorate %6 BuiltIn GlobalInvocationId
        OpDecorate %15 NoContraction
        OpDecorate %16 NoContraction
        OpDecorate %54 Block
        OpMemberDecorate %54 0 Offset 0
        OpMemberDecorate %54 0 Restrict
        OpMemberDecorate %54 0 NonWritable
        OpDecorate %58 Block
        OpMemberDecorate %58 0 Offset 0
        OpMemberDecorate %58 0 Restrict
        OpDecorate %62 Block
        OpMemberDecorate %62 0 Offset 0
        OpMemberDecorate %62 0 Restrict
        OpMemberDecorate %14 3 Offset 16
        OpMemberDecorate %14 4 Offset 24
        OpMemberDecorate %14 5 Offset 32
        %17 = OpTypeFloat 32
        %18 = OpTypeInt 32 0
        %19 = OpConstant  %18  4
        %7 = OpTypeArray %17 %19
        %8 = OpTypeRuntimeArray %7
        %9 = OpTypeStruct %8
        %20 = OpTypePointer StorageBuffer %9
        %10 = OpTypeRuntimeArray %17
        %11 = OpTypeStruct %10
        %21 = OpTypePointer StorageBuffer %11
        %12 = OpTypeRuntimeArray %18
        %13 = OpTypeStruct %12
        %22 = OpTypePointer StorageBuffer %13
        %24 = OpTypeVector %18 3
        %25 = OpTypePointer Input %24
        %6 = OpVariable  %25  Input
        %26 = OpTypeVoid
        %27 = OpTypeFunction %26
        %28 = OpTypePointer PushConstant %18
        %29 = OpConstant  %18  2
        %30 = OpTypeBool
        %31 = OpConstant  %18  1
        %32 = OpConstant  %18  0
        %33 = OpTypePointer StorageBuffer %17
        %34 = OpTypePointer PushConstant %17
        %35 = OpTypePointer StorageBuffer %18
        %36 = OpConstant  %18  5
        %54 = OpTypeStruct %8
        %55 = OpTypePointer PhysicalStorageBuffer %54
        %56 = OpTypePointer PushConstant %55
        %58 = OpTypeStruct %10
        %59 = OpTypePointer PhysicalStorageBuffer %58
        %60 = OpTypePointer PushConstant %59
        %62 = OpTypeStruct %12
        %63 = OpTypePointer PhysicalStorageBuffer %62
        %64 = OpTypePointer PushConstant %63
        %66 = OpTypePointer PhysicalStorageBuffer %17
        %67 = OpTypePointer PhysicalStorageBuffer %18
        %14 = OpTypeStruct %17 %18 %18 %55 %59 %63
        %23 = OpTypePointer PushConstant %14
        %5 = OpVariable  %23  PushConstant
        %57 = OpConstant  %18  3
        %61 = OpConstant  %18  4
        %65 = OpConstant  %18  5
        %1 = OpFunction  %26  None %27
        %37 = OpLabel
        %68 = OpAccessChain  %56  %5 %57
        %69 = OpLoad  %55  %68
        %70 = OpAccessChain  %60  %5 %61
        %71 = OpLoad  %59  %70
        %72 = OpAccessChain  %64  %5 %65
        %73 = OpLoad  %63  %72
        %38 = OpLoad  %24  %6
        %39 = OpCompositeExtract  %18  %38 0
        %40 = OpAccessChain  %28  %5 %31
        %41 = OpLoad  %18  %40
        %42 = OpUGreaterThanEqual  %30  %39 %41
        OpSelectionMerge %43 None
        OpBranchConditional %42 %44 %43
        %44 = OpLabel
        OpReturn
        %43 = OpLabel
        %45 = OpAccessChain  %66  %69 %32 %39 %31
        %46 = OpLoad  %17  %45 Aligned 4
        %47 = OpAccessChain  %66  %71 %32 %39
        %48 = OpLoad  %17  %47 Aligned 4
        %49 = OpAccessChain  %34  %5 %32
        %50 = OpLoad  %17  %49
        %15 = OpFMul  %17  %46 %50
        %16 = OpFAdd  %17  %48 %15
        %51 = OpAccessChain  %66  %71 %32 %39
        OpStore %51 %16 Aligned 4
        %52 = OpAccessChain  %67  %73 %32 %29
        %53 = OpAtomicIAdd  %18  %52 %36 %32 %31
        OpReturn
        OpFunctionEnd
    "#]]
    .assert_eq(&lines);
}

/// The alignment of an access follows from where the buffer begins and from the way to the number.
#[test]
fn accesses_tell_their_alignment() {
    let of = |alignment: u32| {
        let text = disassemble(&addressed(ADD, &AddressDesc { alignment, ..ADDRESSES }));
        let aligned = |line: &str| line.split_once("Aligned ").map(|(_, number)| number.trim().to_owned());
        text.lines().filter_map(aligned).collect::<Vec<_>>()
    };
    assert_eq!(of(16), ["4", "4", "4"]);
    assert_eq!(of(4), ["4", "4", "4"]);
    let wide =
        ADD.replace("%4: f32 = load buffer0[%1][%2]", "%10: [f32; 4] = load buffer0[%1]\n    %4: f32 = extract %10.1");
    let text = disassemble(&addressed(&wide, &ADDRESSES));
    assert!(text.contains("Aligned 16"), "{text}");
}

/// A batch reads its own elements as vectors, and others one by one: two variables have one address.
#[test]
fn a_buffer_that_is_read_in_two_ways_has_one_address() {
    let mut module = module(
        r#"file0 "k.rs"
kernel fn0 workgroup(64, 1, 1) {
    buffer0 x: [u32]
    buffer1 y: [u32] mut
}
fn0 k() -> () @file0:1:1 {
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
    %2: u32 = const 0
    %3: u32 = load buffer0[%1]
    %4: u32 = load buffer0[%2]
    %5: u32 = xor %3, %4
    store buffer1[%1] = %5
    return
}
"#,
    );
    let _ = optimize(&mut module);
    let kernel = module.kernel.as_ref().expect("it is a kernel");
    let batch = find(&module, kernel, Request::Automatic).expect("nothing is in the way");
    let emitted = emit_with(&module, batch.as_ref()).expect("it can be expressed");
    let desc = VariantDesc { entry_point: BATCH_ENTRY_POINT, constants: &[], keeps_names: false, faults: Faults::NONE };
    let words = variant(&emitted.words, &desc).expect("it has a batch");
    let words = with_addresses(&words, &AddressDesc { bindings: &[0, 1], offset: 64, alignment: 16 });
    let words = words.expect("all accesses can be by addresses");
    validate_words("two ways", &words);
    let text = disassemble(&words);
    assert!(text.contains("OpBitcast") && !text.contains("Binding"), "{text}");
    assert_eq!((text.matches("Offset 64").count(), text.matches("Offset 72").count()), (1, 1), "{text}");
}

/// A loop that divides loads ahead from what is bound.
#[test]
fn loops_with_divisions_are_found() {
    let looped = |quotient: &str| {
        format!(
            r#"file0 "k.rs"
kernel fn0 workgroup(64, 1, 1) {{
    buffer0 x: [f32]
    buffer1 y: [f32] mut
}}
fn0 sum() -> () @file0:1:1 {{
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
    %2: u32 = const 0
    %3: u32 = const 100
    %4: u32 = const 1
    %5: f32 = const 1.0
    %6: f32 = load buffer1[%1]
    loop block1(%7: u32 = %2, %8: f32 = %5) -> (%9: f32) {{
        %10: bool = lt %7, %3
        if %10 {{
            yield
        }} else {{
            break block1(%8)
        }}
        %11: f32 = load buffer0[%7]
        %12: f32 = {quotient} %11, %8
        %13: u32 = add %7, %4
        continue block1(%13, %12)
    }}
    %14: f32 = div %9, %6
    store buffer1[%1] = %14
    return
}}
"#
        )
    };
    assert_eq!(loaded_beside_divisions(&words(&looped("div"))), [0]);
    assert_eq!(loaded_beside_divisions(&words(&looped("mul"))), [0u32; 0]);
}

/// Atomics that order other accesses keep descriptors.
#[test]
fn what_orders_memory_stays_bound() {
    let ordered = ADD.replace("relaxed device", "acq_rel device");
    assert_eq!(with_addresses(&words(&ordered), &ADDRESSES), None);
}

/// Buffers that a module does not have leave a gap; a module without any stays as it is.
#[test]
fn absent_buffers_keep_their_place() {
    let text = disassemble(&addressed(ADD, &AddressDesc { bindings: &[7, 1], offset: 64, ..ADDRESSES }));
    assert!(text.contains("Offset 72"), "{text}");
    assert!(text.contains("Binding 0") && !text.contains("Binding 1"), "{text}");
    assert_eq!(with_addresses(&words(ADD), &AddressDesc { bindings: &[7], ..ADDRESSES }), None);
}

/// A loop that carries so many sums.
fn sums(count: u32) -> String {
    let params: Vec<_> = (0..count).map(|at| format!("%{}: f32 = %2", 100 + at)).collect();
    let next: Vec<_> = (0..count).map(|at| format!("%{}", 400 + at)).collect();
    let adds: Vec<_> = (0..count).map(|at| format!("        %{}: f32 = add %{}, %8\n", 400 + at, 100 + at)).collect();
    let results: Vec<_> = (0..count).map(|at| format!("%{}: f32", 700 + at)).collect();
    let all: Vec<_> = (0..count).map(|at| format!("%{}", 100 + at)).collect();
    let stores: Vec<_> = (0..count).map(|at| format!("    store buffer1[%1] = %{}\n", 700 + at)).collect();
    format!(
        r#"file0 "k.rs"
kernel fn0 workgroup(64, 1, 1) {{
    buffer0 x: [f32]
    buffer1 y: [f32] mut
    param0 n: u32
}}
fn0 sums() -> () @file0:1:1 {{
    %0: u32 = const 0
    %1: u32 = const 1
    %2: f32 = const 0
    %3: u32 = param0
    loop block1(%5: u32 = %0, {}) -> ({}) {{
        %7: bool = lt %5, %3
        if %7 {{
            yield
        }} else {{
            break block1({})
        }}
        %8: f32 = load buffer0[%5]
{}        %9: u32 = add %5, %1
        continue block1(%9, {})
    }}
{}    return
}}
"#,
        params.join(", "),
        results.join(", "),
        all.join(", "),
        adds.concat(),
        next.join(", "),
        stores.concat()
    )
}

#[test]
fn loops_that_need_the_registers_keep_descriptors() {
    assert!(with_addresses(&words(&sums(32)), &ADDRESSES).is_some());
    assert_eq!(with_addresses(&words(&sums(64)), &ADDRESSES), None);
}
