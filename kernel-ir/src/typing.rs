//! Type rules: the result type of ops and the type of places. Shared by the builder and the verifier; changes nothing.

use crate::ir::{AtomicOp, Fold, Function, Module, Place, Root, Span, Step, SubgroupOp};
use crate::layout::Layout;
use crate::op::{Op, TypeRule};
use crate::types::{Scalar, Size, Type, TypeId, Types};

/// The lanes of a scalar (1) or vector type.
fn lanes(ty: &Type) -> Option<(Scalar, u8)> {
    match *ty {
        Type::Scalar(scalar) => Some((scalar, 1)),
        Type::Vector(scalar, len) => Some((scalar, len)),
        _ => None,
    }
}

/// The scalar or vector type with `count` lanes.
fn shaped(scalar: Scalar, count: u8) -> Type {
    if count == 1 { Type::Scalar(scalar) } else { Type::Vector(scalar, count) }
}

/// Whether a rule allows operands of this scalar.
fn accepts(rule: TypeRule, scalar: Scalar) -> bool {
    use Scalar::{Bool, F32, F64};
    match rule {
        TypeRule::Numeric | TypeRule::Order | TypeRule::Bitcast => scalar != Bool,
        TypeRule::Signed => scalar.is_signed() || scalar.is_float(),
        TypeRule::Float | TypeRule::FloatTest => scalar.is_float(),
        TypeRule::Single => scalar == F32,
        TypeRule::Fused => matches!(scalar, F32 | F64),
        TypeRule::Int | TypeRule::Shift | TypeRule::IntCount => scalar.is_int(),
        TypeRule::Bits => !scalar.is_float(),
        TypeRule::Reduce => scalar == Bool,
        TypeRule::Equality | TypeRule::Cast | TypeRule::Select => true,
    }
}

/// The result type of `op` on operands of these types.
///
/// `Cast` and `Bitcast` do not determine theirs: they check `wanted` and give it back.
///
/// # Errors
/// A sentence about the rule that is broken.
pub fn op_result(types: &Types, op: Op, operands: &[TypeId], wanted: Option<TypeId>) -> Result<Type, String> {
    let name = op.name();
    if operands.len() != op.arity() {
        return Err(format!("`{name}` takes {} operands, not {}", op.arity(), operands.len()));
    }
    let rule = op.rule();
    if rule == TypeRule::Select {
        return select_result(types, operands);
    }
    let first = types.get(operands[0]);
    let (scalar, count) = lanes(first)
        .filter(|(scalar, _)| accepts(rule, *scalar))
        .ok_or_else(|| format!("`{name}` does not take operands of type `{}`", types.display(operands[0])))?;
    for &other in &operands[1..] {
        let fits = match rule {
            TypeRule::Shift => *types.get(other) == shaped(Scalar::U32, count),
            _ => other == operands[0],
        };
        if !fits {
            let expected = if rule == TypeRule::Shift { shaped(Scalar::U32, count) } else { first.clone() };
            let (expected, found) = (types.display_type(&expected), types.display(other));
            return Err(format!("`{name}` expects an operand of type `{expected}`, found `{found}`"));
        }
    }
    Ok(match rule {
        TypeRule::Equality | TypeRule::Order | TypeRule::FloatTest => shaped(Scalar::Bool, count),
        TypeRule::Reduce if count == 1 => return Err(format!("`{name}` takes a vector of bool, found `bool`")),
        TypeRule::Reduce => Type::Scalar(Scalar::Bool),
        TypeRule::IntCount => shaped(Scalar::U32, count),
        TypeRule::Cast | TypeRule::Bitcast => {
            return conversion_result(types, op, (operands[0], scalar, count), wanted);
        }
        _ => first.clone(),
    })
}

fn conversion_result(
    types: &Types,
    op: Op,
    (operand, from, count): (TypeId, Scalar, u8),
    wanted: Option<TypeId>,
) -> Result<Type, String> {
    let name = op.name();
    let wanted = wanted.ok_or_else(|| format!("`{name}` needs a result type"))?;
    let fits = |&(to, lanes): &(Scalar, u8)| lanes == count && accepts(op.rule(), to) && converts(op, from, to);
    lanes(types.get(wanted))
        .filter(fits)
        .map(|(scalar, count)| shaped(scalar, count))
        .ok_or_else(|| format!("`{name}` does not convert `{}` to `{}`", types.display(operand), types.display(wanted)))
}

/// Whether `Cast` or `Bitcast` goes from one scalar to the other.
fn converts(op: Op, from: Scalar, to: Scalar) -> bool {
    let is_small = |scalar| matches!(scalar, Scalar::F16 | Scalar::Bf16);
    match op {
        Op::Bitcast => from.bits() == to.bits(),
        _ if is_small(from) || is_small(to) => from.is_float() && to.is_float(),
        _ => true,
    }
}

fn select_result(types: &Types, operands: &[TypeId]) -> Result<Type, String> {
    let (condition, value) = (types.get(operands[0]), types.get(operands[1]));
    if operands[1] != operands[2] {
        let (a, b) = (types.display(operands[1]), types.display(operands[2]));
        return Err(format!("`select` expects two values of one type, found `{a}` and `{b}`"));
    }
    let fits = match (condition, value) {
        (_, Type::Unit) => false,
        (Type::Scalar(Scalar::Bool), _) => true,
        (Type::Vector(Scalar::Bool, count), Type::Vector(_, lanes)) => count == lanes,
        _ => false,
    };
    if fits {
        Ok(value.clone())
    } else {
        let (condition, value) = (types.display(operands[0]), types.display(operands[1]));
        Err(format!("`select` cannot choose between values of type `{value}` by a `{condition}`"))
    }
}

/// The type of the member that constant `steps` lead to.
///
/// # Errors
/// A sentence about the first step that leads nowhere.
pub fn member_type(types: &Types, composite: TypeId, steps: &[u32]) -> Result<TypeId, String> {
    steps.iter().try_fold(composite, |ty, &step| {
        types.member(ty, step).ok_or_else(|| format!("type `{}` has no member {step}", types.display(ty)))
    })
}

/// Checks that a vector, array, tuple or struct of type `ty` has exactly members of these types.
///
/// # Errors
/// A sentence about the first difference.
pub fn check_members(types: &Types, ty: TypeId, members: &[TypeId]) -> Result<(), String> {
    let count = match types.get(ty) {
        Type::Vector(_, len) => usize::from(*len),
        Type::Array(_, Size::Known(len)) => *len as usize,
        Type::Array(_, Size::Param(_)) => {
            return Err("an array whose length the launch decides has no list of members".to_owned());
        }
        Type::Tuple(members) => members.len(),
        Type::Struct(id) => types.struct_def(*id).fields.len(),
        Type::Unit | Type::Scalar(_) | Type::Coop(_) => {
            return Err(format!("type `{}` has no members", types.display(ty)));
        }
    };
    if members.len() != count {
        return Err(format!("type `{}` has {count} members, not {}", types.display(ty), members.len()));
    }
    for (index, &found) in members.iter().enumerate() {
        let expected = member_type(types, ty, &[index as u32])?;
        if found != expected {
            let (expected, found) = (types.display(expected), types.display(found));
            return Err(format!("member {index} of `{}` is `{expected}`, found `{found}`", types.display(ty)));
        }
    }
    Ok(())
}

/// The type of the memory cell that `place` names.
///
/// # Errors
/// A sentence about the part that does not exist. Values used as indices are not looked at.
pub fn place_type(module: &Module, function: &Function, place: &Place) -> Result<TypeId, String> {
    let types = &module.types;
    let (start, steps) = match place.root {
        Root::Local(local) => {
            let local = function.locals.get(local).ok_or_else(|| format!("there is no {local}"))?;
            (local.ty, &place.path[..])
        }
        Root::Shared(id) => {
            let shared = module.kernel.as_ref().and_then(|kernel| kernel.shared.get(id));
            (shared.ok_or_else(|| format!("there is no {id}"))?.ty, &place.path[..])
        }
        Root::Buffer(id) | Root::Member(id, _) => {
            let buffer = module.kernel.as_ref().and_then(|kernel| kernel.buffers.get(id));
            let buffer = buffer.ok_or_else(|| format!("there is no {id}"))?;
            if buffer.is_list != place.root.member().is_some() {
                let what = if buffer.is_list { "is a list: which of its buffers" } else { "is no list of buffers" };
                return Err(format!("{id} {what}"));
            }
            match place.path.split_first() {
                Some((Step::Index { .. }, rest)) => (buffer.element, rest),
                _ => return Err(format!("a place in {id} must begin with an index")),
            }
        }
    };
    steps.iter().try_fold(start, |ty, step| match *step {
        Step::Field(member) => member_type(types, ty, &[member]),
        Step::Joined { scalar, lanes } => joined_type(module, place, ty, (scalar, lanes)),
        Step::Index { .. } => match types.get(ty) {
            Type::Array(element, _) => Ok(*element),
            Type::Vector(..) => member_type(types, ty, &[0]),
            _ => Err(format!("type `{}` cannot be indexed", types.display(ty))),
        },
        Step::Element(_) => match (types.held_element(ty), place.root) {
            (Some(element), Root::Local(_)) => Ok(element),
            (Some(_), _) => Err("elements are those of a matrix in a local variable".to_owned()),
            (None, _) => Err(format!("type `{}` has no elements that invocations hold", types.display(ty))),
        },
    })
}

/// The type of several elements as one value, given that of one.
fn joined_type(
    module: &Module,
    place: &Place,
    element: TypeId,
    (scalar, lanes): (Scalar, u8),
) -> Result<TypeId, String> {
    let types = &module.types;
    let buffer = match (place.root, module.kernel.as_ref(), &place.path[..]) {
        (Root::Buffer(id), Some(kernel), [_, _]) => &kernel.buffers[id],
        _ => return Err("elements are joined where they are loaded from a buffer".to_owned()),
    };
    if buffer.writable || buffer.is_texels {
        return Err("elements are joined where nobody writes them".to_owned());
    }
    let number = if lanes == 1 { Type::Scalar(scalar) } else { Type::Vector(scalar, lanes) };
    let joined = types.find(&number).ok_or_else(|| "there is no such vector".to_owned())?;
    let size = |ty: TypeId| Layout::of(types, ty).map(|layout| layout.size);
    match (size(joined), size(element)) {
        (Some(whole), Some(part)) if part > 0 && whole % part == 0 => Ok(joined),
        _ => Err(format!("no number of elements of type `{}` is as large", types.display(element))),
    }
}

/// Checks the types around an atomic access; `value` is that of operands and result.
///
/// # Errors
/// A sentence about the rule that is broken.
pub fn check_atomic(
    types: &Types,
    op: AtomicOp,
    cell: TypeId,
    operands: &[TypeId],
    value: TypeId,
) -> Result<(), String> {
    let name = op.name();
    if operands.len() != op.arity() {
        return Err(format!("`{name}` takes {} operands, not {}", op.arity(), operands.len()));
    }
    let is_float = matches!(types.get(value), Type::Scalar(scalar) if scalar.is_float());
    let fits = match (types.get(cell), types.get(value)) {
        (Type::Scalar(cell), Type::Scalar(value @ (Scalar::F32 | Scalar::F64))) => {
            *cell == value.unsigned() || cell == value && op.is_of_floats()
        }
        (Type::Scalar(cell), Type::Scalar(value)) => match (value, value.bits()) {
            (Scalar::Bool | Scalar::Bf16, _) => false,
            (_, 8 | 16) => *cell == Scalar::U32 || *cell == value.unsigned() || cell == value && cell.is_int(),
            _ => cell == value,
        },
        _ => false,
    };
    if !fits {
        let (cell, value) = (types.display(cell), types.display(value));
        return Err(format!("a cell of type `{cell}` has no atomic operations on `{value}`"));
    }
    if is_float && matches!(op, AtomicOp::And | AtomicOp::Or | AtomicOp::Xor) {
        return Err(format!("`{name}` does not take operands of type `{}`", types.display(value)));
    }
    match operands.iter().find(|operand| **operand != value) {
        Some(other) => {
            let (expected, found) = (types.display(value), types.display(*other));
            Err(format!("`{name}` expects an operand of type `{expected}`, found `{found}`"))
        }
        None => Ok(()),
    }
}

/// The result type of a subgroup operation on operands of these types.
///
/// # Errors
/// A sentence about the rule that is broken.
pub fn subgroup_result(types: &Types, op: SubgroupOp, operands: &[TypeId]) -> Result<Type, String> {
    use SubgroupOp as S;
    let (name, _) = op.text();
    if operands.len() != op.arity() {
        return Err(format!("`{name}` takes {} operands, not {}", op.arity(), operands.len()));
    }
    let bool_ = Type::Scalar(Scalar::Bool);
    let word = Type::Scalar(Scalar::U32);
    let ballot = Type::Vector(Scalar::U32, 4);
    let Some(&first) = operands.first() else { return Ok(bool_) };
    let first_type = types.get(first);
    let expect = |at: usize, expected: &Type| match types.get(operands[at]) == expected {
        true => Ok(()),
        false => {
            let (expected, found) = (types.display_type(expected), types.display(operands[at]));
            Err(format!("`{name}` expects an operand of type `{expected}`, found `{found}`"))
        }
    };
    let refused = || format!("`{name}` does not take operands of type `{}`", types.display(first));
    let (scalar, _) = lanes(first_type).ok_or_else(refused)?;
    match op {
        S::Elect => {}
        S::Any | S::All | S::Ballot => expect(0, &bool_)?,
        S::BallotBit => {
            expect(0, &ballot)?;
            expect(1, &word)?;
        }
        S::BallotCount | S::BallotInclusiveCount | S::BallotExclusiveCount | S::BallotLowest | S::BallotHighest => {
            expect(0, &ballot)?;
        }
        S::Shuffle | S::ShuffleXor | S::ShuffleUp | S::ShuffleDown | S::Rotate => expect(1, &word)?,
        S::Reduce(fold, span) => {
            let is_bitwise = matches!(fold, Fold::And | Fold::Or | Fold::Xor);
            // A `bf16` is no float to devices.
            let is_bf16 = scalar == Scalar::Bf16;
            if is_bf16 || is_bitwise && scalar.is_float() || !is_bitwise && scalar == Scalar::Bool {
                return Err(refused());
            }
            if let Span::Cluster(size) = span
                && !size.is_power_of_two()
            {
                return Err(format!("the size of a cluster is a power of two, not {size}"));
            }
        }
        S::QuadBroadcast(lane) if lane > 3 => return Err(format!("a quad has no lane {lane}")),
        S::QuadSwap(direction) if direction > 2 => return Err(format!("a quad has no direction {direction}")),
        S::AllEqual | S::BroadcastFirst | S::QuadBroadcast(_) | S::QuadSwap(_) => {}
    }
    Ok(match op {
        S::Elect | S::Any | S::All | S::AllEqual | S::BallotBit => bool_,
        S::Ballot => ballot,
        S::BallotCount | S::BallotInclusiveCount | S::BallotExclusiveCount | S::BallotLowest | S::BallotHighest => word,
        _ => first_type.clone(),
    })
}
