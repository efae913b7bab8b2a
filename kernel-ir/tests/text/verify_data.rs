//! The verifier on modules that the text format cannot express.

use gridwise_ir::arena::EntityId;
use gridwise_ir::ir::{Block, BlockId, Function, InstId, InstKind, Module, ValueId};
use gridwise_ir::parse::parse;
use gridwise_ir::types::{Scalar, StructDef, Type, TypeId};
use gridwise_ir::verify::verify;

const TEXT: &str = "fn0 f(%0: bool) -> () {
    %1: bool = not %0
    if %0 {
        yield
    } else {
        yield
    }
    return
}
";

/// Checks the only error of a module changed by `change`, and that printing it does not panic.
#[track_caller]
fn fails(change: impl FnOnce(&mut Module), expected: &str) {
    let mut module = parse(TEXT).unwrap();
    assert_eq!(verify(&module), Ok(()));
    change(&mut module);
    let _ = module.to_string();
    assert_eq!(verify(&module).unwrap_err().to_string(), expected);
}

#[track_caller]
fn fails_in(change: impl FnOnce(&mut Function), expected: &str) {
    fails(|module| change(module.functions.values_mut().next().unwrap()), expected);
}

/// The block of the `if` for true.
fn then_block(function: &Function) -> BlockId {
    let mut blocks = function.insts.iter().filter_map(|(_, inst)| match inst.kind {
        InstKind::If { then_block, .. } => Some(then_block),
        _ => None,
    });
    blocks.next().unwrap()
}

fn then_block_mut(function: &mut Function) -> &mut Block {
    let id = then_block(function);
    &mut function.blocks[id]
}

fn set_else_block(function: &mut Function, block: BlockId) {
    for inst in function.insts.values_mut() {
        if let InstKind::If { else_block, .. } = &mut inst.kind {
            *else_block = block;
        }
    }
}

#[test]
fn blocks_and_instructions() {
    fails_in(
        |f| set_else_block(f, then_block(f)),
        "fn0 block1: BlockOwner: the block has another owner already, in `if %0`",
    );
    fails_in(
        |f| set_else_block(f, f.entry),
        "fn0 block0: BlockOwner: only bodies of loops have parameters, in `if %0`\n\
         fn0 block0: BlockOwner: the block has another owner already, in `if %0`",
    );
    fails_in(|f| set_else_block(f, BlockId::new(9)), "fn0 inst1: UnknownId: there is no block9, in `if %0`");
    fails_in(|f| f.entry = BlockId::new(9), "fn0: UnknownId: there is no block9");
    fails_in(
        |f| then_block_mut(f).insts.insert(0, InstId::new(0)),
        "fn0 inst0: InstPlacement: the instruction stands in two places, in `%1: bool = not %0`",
    );
    fails_in(
        |f| then_block_mut(f).insts.insert(0, InstId::new(99)),
        "fn0 block1: UnknownId: there is no inst99, in `if %0`",
    );
    fails_in(
        |f| {
            let param = f.values.push(f.values[ValueId::new(0)].clone());
            then_block_mut(f).params.push(param);
        },
        "fn0 block1: BlockOwner: only bodies of loops have parameters, in `if %0`",
    );
}

#[test]
fn values() {
    fails_in(
        |f| f.insts[InstId::new(0)].results = [ValueId::new(0)].into(),
        "fn0 %0: Definition: the value is defined twice, in `%0: bool = not %0`",
    );
    fails_in(
        |f| f.insts[InstId::new(0)].results = [].into(),
        "fn0 inst0: Result: expected one result, found 0, in `not %0`",
    );
    fails_in(|f| f.values[ValueId::new(1)].ty = TypeId::new(99), "fn0 %1: UnknownId: there is no type99");
    fails_in(|f| f.result = TypeId::new(99), "fn0: UnknownId: there is no type99");
}

#[test]
fn types() {
    let add = |ty: Type| {
        move |module: &mut Module| {
            module.types.intern(ty);
        }
    };
    fails(add(Type::Array(TypeId::new(0), 0.into())), "type2: MalformedType: an array of no elements");
    fails(add(Type::Tuple(Vec::new())), "type2: MalformedType: a tuple without members");
    fails(add(Type::Vector(Scalar::Bool, 5)), "type2: MalformedType: a vector of 5 lanes");
    fails(add(Type::Tuple(vec![TypeId::new(1)])), "type2: MalformedType: a member is unit");
    let forward = "type2: MalformedType: a member's type, type7, is not an earlier one";
    fails(add(Type::Array(TypeId::new(7), 1.into())), forward);
    fails(
        |module| {
            module.types.add_struct(StructDef { name: "S".into(), fields: Vec::new(), align: 1 });
        },
        "type2: MalformedType: struct `S` has no fields",
    );
}
