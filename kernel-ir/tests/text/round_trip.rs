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
