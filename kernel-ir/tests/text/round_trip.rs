//! Printing what was parsed gives the same text.

use gridwise_ir::arena::EntityId;
use gridwise_ir::ir::{Constant, InstKind};
use gridwise_ir::parse::parse;
use gridwise_ir::verify::verify;

#[track_caller]
fn round_trip(text: &str) {
    let module = parse(text).unwrap_or_else(|error| panic!("{error}"));
    let printed = module.to_string();
    assert_eq!(printed, text);
    assert_eq!(parse(&printed).unwrap(), module);
}

#[test]
fn every_construct() {
    let text = include_str!("every_construct.ir");
    round_trip(text);
    if let Err(errors) = verify(&parse(text).unwrap()) {
        panic!("{errors}");
    }
}

#[test]
fn accesses_in_any_order() {
    round_trip(
        "kernel fn0 workgroup(64, 1, 1) {\n    buffer0 y: [u32] mut\n    shared0 tile: [u32; 8]\n}\nfn0 k() -> () {\n    \
         %0: u32 = const 1\n    %1: u32 = load unordered buffer0[%0]\n    store unordered shared0[%0] = %1\n    return\n}\n",
    );
}

#[test]
fn comments_and_spaces_mean_nothing() {
    let module =
        parse("; a kernel\nfn0 f ( %7 : f32 ) -> f32 {;}\n\t%9:f32=add %7 ,%7 ; doubled\n return %9}").unwrap();
    assert_eq!(module.to_string(), "fn0 f(%7: f32) -> f32 {\n    %9: f32 = add %7, %7\n    return %9\n}\n");
}

#[test]
fn ids_are_kept_and_gaps_filled() {
    let text = "fn0 f(%5: bool) -> () {\n    loop block4() {\n        if %5 {\n            break block4()\n        } else {\n            continue block4()\n        }\n        unreachable\n    }\n    return\n}\n";
    round_trip(text);
    let module = parse(text).unwrap();
    let function = module.functions.iter().next().unwrap().1;
    assert_eq!((function.values.len(), function.blocks.len(), function.entry.index()), (6, 5, 0));
    assert_eq!(verify(&module).map_err(|errors| errors.to_string()), Ok(()));
}

#[test]
fn floats_keep_their_bits() {
    for bits in [0, 1, 0x8000_0000, 0x3dcc_cccd, 0x7f7f_ffff, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0xffc1_2345] {
        let text = format!("fn0 f() -> f32 {{ %0: f32 = const bits {bits:#x} return %0 }}");
        let printed = parse(&text).unwrap().to_string();
        let again = parse(&printed).unwrap();
        let function = again.functions.iter().next().unwrap().1;
        let first = function.insts.iter().next().unwrap().1;
        assert_eq!(first.kind, InstKind::Const(Constant::F32(bits)), "{printed}");
        assert_eq!(again.to_string(), printed);
    }
}

const IMAGES: &str = "kernel fn0 workgroup(64, 1, 1) {
    buffer0 from: [vec4<f32>] image(2, Rgba8Unorm, sampled)
    buffer1 to: [u32] mut image(1, R16Uint)
    requires extent(buffer1, 0) < extent(buffer0, 1)
}
fn0 k() -> () {
    %0: u32 = image_size_x buffer1()
    %1: u32 = image_levels buffer0()
    %2: u32 = image_load buffer1(%0)
    %3: f32 = const 0.5
    %4: vec4<f32> = image_sample buffer0(%3, %3, %3)
    image_store buffer1(%2, %1)
    return
}
";

#[test]
fn images() {
    round_trip(IMAGES);
    assert_eq!(verify(&parse(IMAGES).unwrap()).map_err(|errors| errors.to_string()), Ok(()));
    for (good, bad) in [
        ("image_store buffer1(%2, %1)", "image_store buffer0(%2, %1)"),
        ("image_load buffer1(%0)", "image_load buffer1(%0, %0)"),
        ("image_levels buffer0()", "image_levels buffer1()"),
        ("image_size_x buffer1()", "image_size_y buffer1()"),
        ("image(1, R16Uint)", "image(4, R16Uint)"),
        ("image(1, R16Uint)", "image(1, R16Sint)"),
        ("mut image(1", "image(1"),
        ("extent(buffer1, 0)", "extent(buffer1, 1)"),
        ("extent(buffer1, 0)", "extent(buffer2, 0)"),
    ] {
        assert!(verify(&parse(&IMAGES.replace(good, bad)).unwrap()).is_err(), "{bad}");
    }
}

const TEXELS: &str = "kernel fn0 workgroup(64, 1, 1) {
    buffer0 x: [vec4<f32>] texels
    buffer1 y: [u32] texels
    buffer2 to: [f32] mut
}
fn0 k() -> () {
    %0: u32 = len buffer0
    %1: f32 = load buffer0[%0].2
    %2: u32 = load buffer1[%0]
    store buffer2[%2] = %1
    return
}
";

#[test]
fn texels() {
    round_trip(TEXELS);
    assert_eq!(verify(&parse(TEXELS).unwrap()).map_err(|errors| errors.to_string()), Ok(()));
    for (good, bad) in [
        ("[vec4<f32>] texels", "[vec3<f32>] texels"),
        ("[u32] texels", "[u64] texels"),
        ("[u32] texels", "[u32] mut texels"),
        ("[u32] texels", "[u32] list texels"),
        ("[f32] mut", "[f32] texels"),
    ] {
        assert!(verify(&parse(&TEXELS.replace(good, bad)).unwrap()).is_err(), "{bad}");
    }
}

#[test]
fn offsets() {
    let text = DISTINCT.replace("distinct", "offsets");
    round_trip(&text);
    assert_eq!(verify(&parse(&text).unwrap()).map_err(|errors| errors.to_string()), Ok(()));
    assert!(verify(&parse(&text.replace("[u32] offsets", "[u32] mut offsets")).unwrap()).is_err());
    assert!(verify(&parse(&text.replace("[u32] offsets", "[i32] offsets")).unwrap()).is_err());
}

const DISTINCT: &str = "kernel fn0 workgroup(64, 1, 1) {
    buffer0 ix: [u32] distinct
    buffer1 to: [u32] mut
}
fn0 k() -> () {
    %0: u32 = len buffer0
    %1: u32 = load buffer0[%0]
    store buffer1[%1] = %0
    return
}
";

#[test]
fn elements_that_differ() {
    round_trip(DISTINCT);
    assert_eq!(verify(&parse(DISTINCT).unwrap()).map_err(|errors| errors.to_string()), Ok(()));
    for (good, bad) in [
        ("[u32] distinct", "[i32] distinct"),
        ("[u32] distinct", "[u32] mut distinct"),
        ("[u32] distinct", "[u32] list distinct"),
        ("[u32] distinct", "[u32] texels distinct"),
        // Whoever wrote it could make two of them equal.
        ("store buffer1[%1] = %0", "store buffer0[%1] = %0"),
        ("store buffer1[%1] = %0", "%2: u32 = atomic_add buffer0[%1], %0 relaxed device"),
    ] {
        let text = DISTINCT.replace(good, bad);
        assert!(text != DISTINCT && verify(&parse(&text).unwrap()).is_err(), "{bad}");
    }
}

const CLAIMS: &str = "kernel fn0 workgroup(64, 1, 1) {
    buffer0 y: [f32] mut
    buffer1 y: [u32] mut claims
}
fn0 k() -> () {
    %0: u32 = len buffer0
    %1: u32 = atomic_add buffer1[%0], %0 relaxed device
    return
}
";

#[test]
fn claims_of_elements() {
    round_trip(CLAIMS);
    assert_eq!(verify(&parse(CLAIMS).unwrap()).map_err(|errors| errors.to_string()), Ok(()));
    for (good, bad) in [
        ("[u32] mut claims", "[i32] mut claims"),
        ("[u32] mut claims", "[u32] claims"),
        ("[u32] mut claims", "[u32] list mut claims"),
        ("[f32] mut", "[f32]"),
        ("[f32] mut", "[f32] list mut"),
        ("[f32] mut", "[u32] mut claims"),
    ] {
        let text = CLAIMS.replace(good, bad);
        assert!(text != CLAIMS && verify(&parse(&text).unwrap()).is_err(), "{bad}");
    }
}

const IMAGE_LISTS: &str = "kernel fn0 workgroup(64, 1, 1) {
    buffer0 layers: [vec4<f32>] list image(2, Rgba8Unorm, sampled)
    buffer1 to: [u32] mut
    buffer2 masks: [u32] list image(1, R32Uint)
    buffer3 written: [u32] list mut image(1, R32Uint)
}
fn0 k() -> () {
    %0: u32 = len buffer0
    %1: u32 = image_levels buffer0(%0)
    %2: f32 = const 0.5
    %3: vec4<f32> = image_sample buffer0(%0, %2, %2, %2)
    %4: u32 = image_load buffer2(%0, %1)
    store buffer1[%1] = %4
    image_store buffer3(%0, %1, %4)
    return
}
";

#[test]
fn image_lists() {
    round_trip(IMAGE_LISTS);
    assert_eq!(verify(&parse(IMAGE_LISTS).unwrap()).map_err(|errors| errors.to_string()), Ok(()));
    for (good, bad) in [
        ("image_levels buffer0(%0)", "image_levels buffer0()"),
        ("image_load buffer2(%0, %1)", "image_load buffer2(%0)"),
        ("image_sample buffer0(%0,", "image_sample buffer0(%2,"),
        ("list mut image(1, R32Uint)", "list image(1, R32Uint)"),
    ] {
        assert!(verify(&parse(&IMAGE_LISTS.replace(good, bad)).unwrap()).is_err(), "{bad}");
    }
}

const LISTS: &str = "site0 index_out_of_bounds @file0:1:1 \"parts[k][i]\"
kernel fn0 workgroup(64, 1, 1) {
    buffer0 parts: [vec4<f32>] list
    buffer1 to: [f32] mut
    buffer2 rows: [f32] list mut
}
fn0 k() -> () {
    %0: u32 = len buffer0
    %1: u32 = len buffer0{%0}
    %2: f32 = load buffer0{%0}[%1 !site0].2
    store buffer1[%1] = %2
    store buffer2{%0}[%1] = %2
    return
}
";

#[test]
fn lists() {
    let text = format!("file0 \"a.rs\"\n{LISTS}");
    round_trip(&text);
    assert_eq!(verify(&parse(&text).unwrap()).map_err(|errors| errors.to_string()), Ok(()));
    for (good, bad) in [
        ("load buffer0{%0}[%1 !site0].2", "load buffer0[%1 !site0].2"),
        ("load buffer0{%0}[%1 !site0].2", "load buffer0{%0}.2"),
        ("store buffer1[%1] = %2", "store buffer1{%0}[%1] = %2"),
        ("store buffer1[%1] = %2", "store buffer0{%0}[%1].0 = %2"),
        ("len buffer0{%0}", "len buffer1{%0}"),
        ("len buffer0{%0}", "len buffer0{%2}"),
        ("load buffer0{%0}", "load buffer0{%2}"),
        ("list mut", "list"),
        ("store buffer2{%0}[%1] = %2", "store buffer2{%0} = %2"),
        ("[vec4<f32>] list", "[vec4<f32>] list image(2, Rgba8Unorm)"),
    ] {
        assert!(verify(&parse(&text.replace(good, bad)).unwrap()).is_err(), "{bad}");
    }
}
