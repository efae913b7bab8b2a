//! Every op of the table, on every type its rule allows, becomes SPIR-V that `spirv-val` accepts.

use crate::support::validate;
use gridwise_ir::builder::ModuleBuilder;
use gridwise_ir::ir::{Module, Place, ValueId};
use gridwise_ir::op::{Op, TypeRule};
use gridwise_ir::spirv::emit;
use gridwise_ir::types::{Scalar, Type, TypeId};

const SCALARS: [Scalar; 4] = [Scalar::Bool, Scalar::I32, Scalar::U32, Scalar::F32];

fn shaped(scalar: Scalar, lanes: u8) -> Type {
    if lanes == 1 { Type::Scalar(scalar) } else { Type::Vector(scalar, lanes) }
}

/// The scalars of the operands and of the result for each case a rule allows.
fn cases(op: Op) -> Vec<(Vec<Scalar>, Scalar)> {
    use Scalar::{Bool, F32, I32, U32};
    let same = |of: &[Scalar]| of.iter().map(|scalar| (vec![*scalar; op.arity()], *scalar)).collect::<Vec<_>>();
    let to = |of: &[Scalar], result| of.iter().map(|scalar| (vec![*scalar; op.arity()], result)).collect::<Vec<_>>();
    let pairs = |of: &[Scalar], equal: bool| {
        let all = of.iter().flat_map(|from| of.iter().map(move |to| (vec![*from], *to)));
        all.filter(|(from, to)| equal || from[0] != *to).collect::<Vec<_>>()
    };
    match op.rule() {
        TypeRule::Numeric => same(&[I32, U32, F32]),
        TypeRule::Signed => same(&[I32, F32]),
        TypeRule::Float => same(&[F32]),
        TypeRule::Int => same(&[I32, U32]),
        TypeRule::Bits => same(&[I32, U32, Bool]),
        TypeRule::Shift => [I32, U32].map(|scalar| (vec![scalar, U32], scalar)).to_vec(),
        TypeRule::Equality => to(&SCALARS, Bool),
        TypeRule::Order => to(&[I32, U32, F32], Bool),
        TypeRule::Select => SCALARS.map(|scalar| (vec![Bool, scalar, scalar], scalar)).to_vec(),
        TypeRule::Cast => pairs(&SCALARS, true),
        TypeRule::Bitcast => pairs(&[I32, U32, F32], false),
        TypeRule::Reduce => to(&[Bool], Bool),
        TypeRule::FloatTest => to(&[F32], Bool),
        TypeRule::IntCount => to(&[I32, U32], U32),
    }
}

/// A kernel with one use of `op`, its operands and result in locals.
fn kernel(op: Op, operands: &[Type], result: &Type) -> Module {
    let mut module = ModuleBuilder::new();
    let operands: Vec<TypeId> = operands.iter().map(|ty| module.types_mut().intern(ty.clone())).collect();
    let result = module.types_mut().intern(result.clone());
    module.begin_kernel([64, 1, 1]);
    let mut b = module.kernel_function(op.name());
    let values: Vec<ValueId> = operands
        .iter()
        .map(|ty| {
            let local = b.new_local("operand", *ty);
            b.load(Place::local(local))
        })
        .collect();
    let value = match op {
        Op::Cast => b.cast(values[0], result),
        Op::Bitcast => b.bitcast(values[0], result),
        _ => b.op(op, &values),
    };
    let local = b.new_local("result", result);
    b.store(Place::local(local), value);
    b.finish();
    module.finish()
}

#[test]
fn all_ops_validate() {
    // One module per op and number of lanes would spend the time on starting `spirv-val`.
    for op in Op::ALL {
        for (operands, result) in cases(*op) {
            for lanes in 1..=4 {
                if op.rule() == TypeRule::Reduce && lanes == 1 {
                    continue;
                }
                let operands: Vec<_> = operands.iter().map(|scalar| shaped(*scalar, lanes)).collect();
                let result = shaped(result, if op.rule() == TypeRule::Reduce { 1 } else { lanes });
                let module = kernel(*op, &operands, &result);
                gridwise_ir::verify::verify(&module).unwrap_or_else(|errors| panic!("{errors}\n{module}"));
                let emitted = emit(&module).unwrap_or_else(|error| panic!("{error}\n{module}"));
                if lanes == 1 || lanes == 3 {
                    validate(&format!("{} on {operands:?}", op.name()), &emitted.words);
                }
            }
        }
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
fn shifts_by_small_literals_are_not_masked() {
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
    assert_eq!([31, 32].map(count_masks), [0, 1]);
}
