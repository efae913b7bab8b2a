//! Every op of the table, on every type its rule allows, becomes SPIR-V that `spirv-val` accepts.

use crate::support::validate;
use gridwise_ir::builder::{FunctionBuilder, ModuleBuilder};
use gridwise_ir::ir::{Place, ValueId};
use gridwise_ir::op::{Op, TypeRule};
use gridwise_ir::spirv::emit;
use gridwise_ir::types::{Scalar, Type};

fn shaped(scalar: Scalar, lanes: u8) -> Type {
    if lanes == 1 { Type::Scalar(scalar) } else { Type::Vector(scalar, lanes) }
}

/// The scalars of the operands and of the result for each case a rule allows.
fn cases(op: Op) -> Vec<(Vec<Scalar>, Scalar)> {
    use Scalar::{Bool, U32};
    let of = |fits: fn(Scalar) -> bool| Scalar::ALL.into_iter().filter(move |scalar| fits(*scalar));
    let same = |scalar: Scalar| (vec![scalar; op.arity()], scalar);
    let to = |result| move |scalar: Scalar| (vec![scalar; op.arity()], result);
    let pairs = |fits: fn(Scalar, Scalar) -> bool| {
        let all = Scalar::ALL.into_iter().flat_map(|from| Scalar::ALL.into_iter().map(move |to| (from, to)));
        all.filter(move |(from, to)| fits(*from, *to)).map(|(from, to)| (vec![from], to)).collect::<Vec<_>>()
    };
    let is_small = |scalar: Scalar| matches!(scalar, Scalar::F16 | Scalar::Bf16);
    match op.rule() {
        TypeRule::Numeric => of(|scalar| scalar != Bool).map(same).collect(),
        TypeRule::Signed => of(|scalar| scalar.is_signed() || scalar.is_float()).map(same).collect(),
        TypeRule::Float => of(Scalar::is_float).map(same).collect(),
        TypeRule::Single => vec![same(Scalar::F32)],
        TypeRule::Fused => vec![same(Scalar::F32), same(Scalar::F64)],
        TypeRule::Int => of(Scalar::is_int).map(same).collect(),
        TypeRule::Bits => of(|scalar| !scalar.is_float()).map(same).collect(),
        TypeRule::Shift => of(Scalar::is_int).map(|scalar| (vec![scalar, U32], scalar)).collect(),
        TypeRule::Equality => of(|_| true).map(to(Bool)).collect(),
        TypeRule::Order => of(|scalar| scalar != Bool).map(to(Bool)).collect(),
        TypeRule::Select => of(|_| true).map(|scalar| (vec![Bool, scalar, scalar], scalar)).collect(),
        TypeRule::Cast => pairs(|_, _| true)
            .into_iter()
            .filter(|(from, to)| !(is_small(from[0]) || is_small(*to)) || from[0].is_float() && to.is_float())
            .collect(),
        TypeRule::Bitcast => pairs(|from, to| from != Bool && to != Bool && from.bits() == to.bits()),
        TypeRule::Reduce => vec![(vec![Bool], Bool)],
        TypeRule::FloatTest => of(Scalar::is_float).map(to(Bool)).collect(),
        TypeRule::IntCount => of(Scalar::is_int).map(to(U32)).collect(),
    }
}

/// Uses `op` once in a kernel, its operands and result in locals.
fn use_op(b: &mut FunctionBuilder<'_>, op: Op, operands: &[Type], result: &Type) {
    let result = b.types_mut().intern(result.clone());
    let mut values: Vec<ValueId> = Vec::new();
    for ty in operands {
        let ty = b.types_mut().intern(ty.clone());
        let local = b.new_local("operand", ty);
        values.push(b.load(Place::local(local)));
    }
    let value = match op {
        Op::Cast => b.cast(values[0], result),
        Op::Bitcast => b.bitcast(values[0], result),
        _ => b.op(op, &values),
    };
    let local = b.new_local("result", result);
    b.store(Place::local(local), value);
}

#[test]
fn all_ops_validate() {
    // A module per case would spend the time on starting `spirv-val`.
    for op in Op::ALL {
        let mut module = ModuleBuilder::new();
        module.begin_kernel([64, 1, 1]);
        let mut b = module.kernel_function(op.name());
        for (operands, result) in cases(*op) {
            for lanes in 1..=4 {
                if op.rule() == TypeRule::Reduce && lanes == 1 {
                    continue;
                }
                let operands: Vec<_> = operands.iter().map(|scalar| shaped(*scalar, lanes)).collect();
                let result = shaped(result, if op.rule() == TypeRule::Reduce { 1 } else { lanes });
                use_op(&mut b, *op, &operands, &result);
            }
        }
        b.finish();
        let module = module.finish();
        gridwise_ir::verify::verify(&module).unwrap_or_else(|errors| panic!("{errors}\n{module}"));
        let emitted = emit(&module).unwrap_or_else(|error| panic!("{error}\n{module}"));
        validate(op.name(), &emitted.words);
    }
}

#[test]
fn selects_of_aggregates_validate() {
    let array = |module: &mut ModuleBuilder| {
        let float = module.types_mut().scalar(Scalar::F32);
        module.types_mut().array(float, 3)
    };
    let mut module = ModuleBuilder::new();
    let array = array(&mut module);
    module.begin_kernel([1, 1, 1]);
    let mut b = module.kernel_function("select");
    let local = b.new_local("cells", array);
    let (condition, old, zero) = (b.const_bool(true), b.load(Place::local(local)), b.zero(array));
    let chosen = b.op(Op::Select, &[condition, old, zero]);
    b.store(Place::local(local), chosen);
    b.finish();
    let module = module.finish();
    gridwise_ir::verify::verify(&module).unwrap_or_else(|errors| panic!("{errors}\n{module}"));
    validate("select of arrays", &emit(&module).expect("it can be expressed").words);
}

#[test]
fn shifts_by_literals_are_not_masked() {
    let count_masks = |amount: u32| {
        let mut module = ModuleBuilder::new();
        let word = module.types_mut().scalar(Scalar::U32);
        module.begin_kernel([1, 1, 1]);
        let mut b = module.kernel_function("shift");
        let local = b.new_local("word", word);
        let (old, amount) = (b.load(Place::local(local)), b.const_u32(amount));
        let shifted = b.op(Op::Shl, &[old, amount]);
        b.store(Place::local(local), shifted);
        b.finish();
        let words = emit(&module.finish()).expect("it can be expressed").words;
        validate("shift", &words);
        crate::support::disassemble(&words).matches("OpBitwiseAnd").count()
    };
    assert_eq!([31, 32].map(count_masks), [0, 0]);
}

/// The least of some bytes, or what takes its place in `round`, with the sum of shorts beside it.
fn narrow(round: &str) -> String {
    let text = format!(
        r#"file0 "k.rs"
kernel fn0 workgroup(64, 1, 1) {{
    buffer0 x: [u8]
    buffer1 y: [i16]
    buffer2 z: [u8] mut
    buffer3 w: [i16] mut
}}
fn0 k() -> () {{
    %90: vec3<u32> = global_id
    %0: u32 = extract %90.0
    %1: u32 = const 0
    %2: u32 = const 1
    %3: u8 = const 255
    %4: i16 = const -1
    loop block1(%10: u32 = %1, %11: u8 = %3, %12: i16 = %4) -> (%13: u8, %14: i16) {{
        %15: bool = lt %10, %0
        if %15 {{ yield }} else {{ break block1(%11, %12) }}
        %16: u8 = load buffer0[%10]
        %17: i16 = load buffer1[%10]
        {round}
        %30: u32 = add %10, %2
        continue block1(%30, %20, %21)
    }}
    store buffer2[%0] = %13
    store buffer3[%0] = %14
    return
}}
"#
    );
    let words = crate::support::emit_text(&text).words;
    validate(round, &words);
    crate::support::disassemble(&words)
}

/// Narrow integers are words from the load to the store, so that drivers need not clear the upper bits of each result.
#[test]
fn narrow_integers_are_words() {
    let count = |text: &str, what: &str| text.matches(what).count();
    let text = narrow("%20: u8 = min %11, %16 %21: i16 = max %12, %17");
    // One of each load and each store.
    assert_eq!([count(&text, "OpUConvert"), count(&text, "OpSConvert")], [2, 2], "{text}");
    assert_eq!([count(&text, "OpBitwiseAnd"), count(&text, "OpBitFieldSExtract")], [0, 0], "{text}");
    // What leaves the range comes back: by a mask, or by its sign bit repeated.
    let text = narrow("%20: u8 = add %11, %16 %21: i16 = mul %12, %17");
    assert_eq!([count(&text, "OpUConvert"), count(&text, "OpSConvert")], [2, 2], "{text}");
    assert_eq!([count(&text, "OpBitwiseAnd"), count(&text, "OpBitFieldSExtract")], [1, 1], "{text}");
    // Of a sum of several, the last one.
    let text = narrow(
        "%22: u8 = mul %16, %16 %23: u8 = sub %22, %11 %20: u8 = add %11, %23 %24: i16 = shl %17, %2 %21: i16 = sub %24, %12",
    );
    assert_eq!([count(&text, "OpBitwiseAnd"), count(&text, "OpBitFieldSExtract")], [1, 1], "{text}");
    // But each that is compared, or is the operand of an operation that reads upper bits.
    let text = narrow(
        "%22: u8 = mul %16, %16 %23: bool = lt %22, %11 %24: u8 = sub %22, %16 %25: u8 = shr %24, %2 %20: u8 = select %23, %25, %11
         %26: i16 = add %12, %17 %27: i16 = abs %26 %21: i16 = min %27, %12",
    );
    assert_eq!([count(&text, "OpBitwiseAnd"), count(&text, "OpBitFieldSExtract")], [2, 2], "{text}");
    // Wider integers have the same word.
    let text = narrow(
        "%22: u32 = cast %16 %23: bool = lt %22, %2 %20: u8 = select %23, %11, %16 %24: i32 = cast %12 %25: i16 = cast %11
         %21: i16 = xor %25, %17 %26: i32 = neg %24 %27: u8 = cast %26",
    );
    assert_eq!([count(&text, "OpUConvert"), count(&text, "OpSConvert")], [2, 2], "{text}");
    assert_eq!([count(&text, "OpBitwiseAnd"), count(&text, "OpBitFieldSExtract")], [1, 0], "{text}");
}

#[test]
fn each_width_of_floats_has_its_modes() {
    let widths = |scalars: &[Scalar]| {
        let mut module = ModuleBuilder::new();
        let types: Vec<_> = scalars.iter().map(|scalar| module.types_mut().scalar(*scalar)).collect();
        module.begin_kernel([1, 1, 1]);
        let mut b = module.kernel_function("floats");
        for ty in types {
            let local = b.new_local("float", ty);
            let old = b.load(Place::local(local));
            let sum = b.op(Op::Add, &[old, old]);
            b.store(Place::local(local), sum);
        }
        b.finish();
        let emitted = emit(&module.finish()).expect("it can be expressed");
        validate("floats", &emitted.words);
        let text = crate::support::disassemble(&emitted.words);
        for width in [16, 32, 64] {
            let has = ["DenormPreserve", "SignedZeroInfNanPreserve", "RoundingModeRTE"]
                .map(|mode| text.contains(&format!("{mode} {width}\n")));
            assert_eq!(has, [emitted.facts.float_widths.contains(&width); 3], "{text}");
        }
        emitted.facts.float_widths
    };
    assert_eq!(widths(&[Scalar::F16]), [16]);
    assert_eq!(widths(&[Scalar::F32]), [32]);
    assert_eq!(widths(&[Scalar::F64]), [64]);
    assert_eq!(widths(&[Scalar::F64, Scalar::F16]), [16, 64]);
    assert_eq!(widths(&[Scalar::U64]), [0; 0]);
}
