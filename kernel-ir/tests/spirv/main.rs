//! The SPIR-V back end: every module must pass `spirv-val`, and equal modules must give equal words.

mod addresses;
mod batch;
mod control;
#[path = "../passes/generate/mod.rs"]
mod generate;
mod images;
mod memory;
mod ops;
mod parallel;
mod random;
mod reports;
mod support;
mod variant;
mod watch;
mod zeros;

use expect_test::expect;
use support::{disassemble, emit_text, validate};

const SAXPY: &str = r#"file0 "src/main.rs"
kernel fn0 workgroup(256, 1, 1) {
    buffer0 x: [f32]
    buffer1 y: [f32] mut
    param0 a: f32
}
fn0 saxpy() -> () @file0:3:1 {
    %0: f32 = param0
    %1: vec3<u32> = global_id
    %2 "i": u32 = extract %1.0
    %3: f32 = load buffer0[%2] @file0:5:16
    %4: f32 = load buffer1[%2] @file0:5:23
    %5: f32 = mul %0, %3 @file0:5:12
    %6: f32 = add %5, %4 @file0:5:12
    store buffer1[%2] = %6 @file0:5:5
    return
}
"#;

#[test]
fn saxpy_validates() {
    let emitted = emit_text(SAXPY);
    validate("saxpy", &emitted.words);
    expect![[r#"
        ; SPIR-V
        ; Version: 1.5
        ; Generator: rspirv
        ; Bound: 58
        OpCapability Shader
        OpCapability VulkanMemoryModel
        OpCapability DenormPreserve
        OpCapability SignedZeroInfNanPreserve
        OpCapability RoundingModeRTE
        %1 = OpExtInstImport "GLSL.std.450"
        OpMemoryModel Logical Vulkan
        OpEntryPoint GLCompute %18 "main" %6 %10 %14 %17
        OpExecutionMode %18 LocalSize 256 1 1
        OpExecutionMode %18 DenormPreserve 32
        OpExecutionMode %18 SignedZeroInfNanPreserve 32
        OpExecutionMode %18 RoundingModeRTE 32
        %21 = OpString "src/main.rs"
        OpSource Unknown 0 %21
        OpName %6 "x"
        OpName %10 "y"
        OpMemberName %12 0 "a"
        OpMemberName %12 1 "items_x"
        OpMemberName %12 2 "first_group"
        OpName %14 "launch"
        OpName %17 "global_invocation_id"
        OpName %18 "saxpy"
        OpDecorate %3 ArrayStride 4
        OpDecorate %4 Block
        OpMemberDecorate %4 0 Offset 0
        OpDecorate %6 DescriptorSet 0
        OpDecorate %6 Binding 0
        OpDecorate %6 Restrict
        OpDecorate %6 NonWritable
        OpDecorate %7 ArrayStride 4
        OpDecorate %8 Block
        OpMemberDecorate %8 0 Offset 0
        OpDecorate %10 DescriptorSet 0
        OpDecorate %10 Binding 1
        OpDecorate %10 Restrict
        OpDecorate %12 Block
        OpMemberDecorate %12 0 Offset 0
        OpMemberDecorate %12 1 Offset 4
        OpMemberDecorate %12 2 Offset 8
        OpDecorate %17 BuiltIn GlobalInvocationId
        OpDecorate %31 SpecId 65530
        OpDecorate %41 SpecId 65529
        OpDecorate %55 NoContraction
        OpDecorate %56 NoContraction
        %2 = OpTypeFloat 32
        %3 = OpTypeRuntimeArray %2
        %4 = OpTypeStruct %3
        %5 = OpTypePointer StorageBuffer %4
        %6 = OpVariable  %5  StorageBuffer
        %7 = OpTypeRuntimeArray %2
        %8 = OpTypeStruct %7
        %9 = OpTypePointer StorageBuffer %8
        %10 = OpVariable  %9  StorageBuffer
        %11 = OpTypeInt 32 0
        %12 = OpTypeStruct %2 %11 %11
        %13 = OpTypePointer PushConstant %12
        %14 = OpVariable  %13  PushConstant
        %15 = OpTypeVector %11 3
        %16 = OpTypePointer Input %15
        %17 = OpVariable  %16  Input
        %19 = OpTypeVoid
        %20 = OpTypeFunction %19
        %24 = OpTypePointer PushConstant %11
        %25 = OpConstant  %11  2
        %28 = OpConstant  %11  256
        %30 = OpTypeBool
        %31 = OpSpecConstantFalse  %30
        %37 = OpConstant  %11  1
        %41 = OpSpecConstantFalse  %30
        %46 = OpTypePointer PushConstant %2
        %47 = OpConstant  %11  0
        %50 = OpTypePointer StorageBuffer %2
        OpLine %21 3 1
        %18 = OpFunction  %19  None %20
        %22 = OpLabel
        %23 = OpLoad  %15  %17
        %26 = OpAccessChain  %24  %14 %25
        %27 = OpLoad  %11  %26
        %29 = OpIMul  %11  %27 %28
        %32 = OpCompositeExtract  %11  %23 0
        %33 = OpIAdd  %11  %32 %29
        %34 = OpCompositeInsert  %15  %33 %23 0
        %35 = OpSelect  %15  %31 %34 %23
        %36 = OpCompositeExtract  %11  %35 0
        %38 = OpAccessChain  %24  %14 %37
        %39 = OpLoad  %11  %38
        %40 = OpUGreaterThanEqual  %30  %36 %39
        %42 = OpLogicalNot  %30  %41
        %43 = OpLogicalAnd  %30  %42 %40
        OpSelectionMerge %45 None
        OpBranchConditional %43 %44 %45
        %44 = OpLabel
        OpReturn
        %45 = OpLabel
        %48 = OpAccessChain  %46  %14 %47
        %49 = OpLoad  %2  %48
        OpLine %21 5 16
        %51 = OpAccessChain  %50  %6 %47 %36
        %52 = OpLoad  %2  %51
        OpLine %21 5 23
        %53 = OpAccessChain  %50  %10 %47 %36
        %54 = OpLoad  %2  %53
        OpLine %21 5 12
        %55 = OpFMul  %2  %49 %52
        %56 = OpFAdd  %2  %55 %54
        OpLine %21 5 5
        %57 = OpAccessChain  %50  %10 %47 %36
        OpStore %57 %56
        OpNoLine
        OpReturn
        OpFunctionEnd"#]]
    .assert_eq(&disassemble(&emitted.words));
}

/// A module lacks exactly the guarantees of exact arithmetic that its kernel waives.
#[test]
fn fast_math() {
    let text = |relaxed: &str| {
        let module = SAXPY.replace("workgroup(256, 1, 1)", &format!("workgroup(256, 1, 1){relaxed}"));
        assert!(relaxed.is_empty() || module.contains(relaxed));
        let module =
            module.replace("    store buffer1", "    %7: f32 = sin %6\n    %8: f32 = sub %7, %5\n    store buffer1");
        let module = module.replace("= %6 @file0:5:5", "= %8 @file0:5:5");
        let emitted = emit_text(&module);
        validate(relaxed, &emitted.words);
        // The kernel's own function comes first.
        let text = support::disassemble(&emitted.words);
        let kernel = text.split("OpFunctionEnd").next().unwrap_or_default().to_owned();
        (text, kernel)
    };
    let count = |text: &str, what: &str| text.matches(what).count();
    let (exact, exact_kernel) = text("");
    assert_eq!(count(&exact_kernel, "Fma"), 0);
    let (contract, kernel) = text(" fast_math(contract)");
    assert_eq!(count(&kernel, "Fma"), 2);
    assert_eq!(count(&exact, "SignedZeroInfNanPreserve"), count(&contract, "SignedZeroInfNanPreserve"));
    let (reassociate, kernel) = text(" fast_math(reassociate)");
    // The product, the sum and the difference; the helper keeps its own.
    assert_eq!(count(&exact, "NoContraction") - count(&reassociate, "NoContraction"), 3);
    assert_eq!(count(&kernel, "Fma"), 0);
    let (no_nan, _) = text(" fast_math(no_nan)");
    assert_eq!(count(&no_nan, "SignedZeroInfNanPreserve"), 0);
    assert_eq!(count(&no_nan, "NoContraction"), count(&exact, "NoContraction"));
    let (approximate, kernel) = text(" fast_math(approximate_functions)");
    assert_eq!((count(&kernel, " Sin "), count(&exact_kernel, " Sin ")), (1, 0));
    assert_eq!(count(&approximate, "NoContraction"), 3);
}
