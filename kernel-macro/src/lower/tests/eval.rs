//! A plain evaluator of IR: the oracle for what lowered code means. Slow, and panics on malformed modules.

use std::collections::HashMap;

use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::{BlockId, Constant, Function, FunctionId, InstKind, LocalId, Module, Place, Root, Step, ValueId};
use gridwise_ir::op::{Op, TypeRule};
use gridwise_ir::passes::eval;
use gridwise_ir::types::{Scalar, Type, TypeId};

/// A value: the bits of a scalar, or members.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Datum {
    Bits(u64),
    Members(Vec<Self>),
}

/// The outcome of a call.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Outcome {
    pub(super) result: Option<Datum>,
    pub(super) traps: Vec<(SiteKind, [u32; 2])>,
}

/// Calls the last function of a module.
pub(super) fn call(module: &Module, args: &[Datum]) -> Outcome {
    let mut eval = Eval { module, traps: Vec::new() };
    let last = module.functions.ids().next_back().expect("a function");
    let result = eval.call(last, args);
    Outcome { result, traps: eval.traps }
}

struct Eval<'m> {
    module: &'m Module,
    traps: Vec<(SiteKind, [u32; 2])>,
}

struct Frame<'m> {
    function: &'m Function,
    values: HashMap<ValueId, Datum>,
    locals: HashMap<LocalId, Datum>,
}

enum Exit {
    Yield(Vec<Datum>),
    Break(BlockId, Vec<Datum>),
    Continue(BlockId, Vec<Datum>),
    Return(Option<Datum>),
}

impl Datum {
    /// The bits of a scalar, of wider ones the lower 32.
    pub(super) fn bits(&self) -> u32 {
        self.wide() as u32
    }

    fn wide(&self) -> u64 {
        match self {
            Self::Bits(bits) => *bits,
            Self::Members(_) => panic!("a composite has no bits"),
        }
    }

    fn members(&mut self) -> &mut Vec<Self> {
        match self {
            Self::Members(members) => members,
            Self::Bits(_) => panic!("a scalar has no members"),
        }
    }

    fn at(&mut self, steps: &[u32]) -> &mut Self {
        steps.iter().fold(self, |datum, step| &mut datum.members()[*step as usize])
    }
}

impl<'m> Eval<'m> {
    fn call(&mut self, id: FunctionId, args: &[Datum]) -> Option<Datum> {
        let module = self.module;
        let function = &module.functions[id];
        let mut frame = Frame { function, values: HashMap::new(), locals: HashMap::new() };
        for (id, local) in function.locals.iter() {
            frame.locals.insert(id, self.zero(local.ty));
        }
        let params = &function.blocks[function.entry].params;
        assert_eq!(params.len(), args.len(), "arguments");
        frame.values.extend(params.iter().copied().zip(args.iter().cloned()));
        match self.block(&mut frame, function.entry) {
            Exit::Return(value) => value,
            _ => panic!("a function ends with `return`"),
        }
    }

    fn zero(&self, ty: TypeId) -> Datum {
        let types = &self.module.types;
        match types.get(ty) {
            Type::Unit | Type::Scalar(_) => Datum::Bits(0),
            Type::Coop(ty) => Datum::Members(vec![Datum::Bits(0); ty.len() as usize]),
            Type::Vector(_, count) => Datum::Members(vec![Datum::Bits(0); usize::from(*count)]),
            Type::Array(element, len) => Datum::Members(vec![self.zero(*element); len.known().unwrap_or(0) as usize]),
            Type::Tuple(members) => Datum::Members(members.iter().map(|ty| self.zero(*ty)).collect()),
            Type::Struct(id) => {
                Datum::Members(types.struct_def(*id).fields.iter().map(|field| self.zero(field.ty)).collect())
            }
        }
    }

    fn block(&mut self, frame: &mut Frame<'m>, block: BlockId) -> Exit {
        for inst in &frame.function.blocks[block].insts {
            let inst = &frame.function.insts[*inst];
            let all = |frame: &Frame<'m>, values: &[ValueId]| -> Vec<Datum> {
                values.iter().map(|value| frame.values[value].clone()).collect()
            };
            let results = match &inst.kind {
                InstKind::If { condition, then_block, else_block } => {
                    let taken = if frame.values[condition].bits() != 0 { then_block } else { else_block };
                    match self.block(frame, *taken) {
                        Exit::Yield(values) => values,
                        exit => return exit,
                    }
                }
                InstKind::Switch { selector, cases, default } => {
                    let selector = frame.values[selector].bits();
                    let taken = cases.iter().find(|(case, _)| *case == selector).map_or(default, |(_, block)| block);
                    match self.block(frame, *taken) {
                        Exit::Yield(values) => values,
                        exit => return exit,
                    }
                }
                InstKind::Loop { initial, body, .. } => {
                    let initial = all(frame, initial);
                    match self.run_loop(frame, *body, initial) {
                        Ok(values) => values,
                        Err(exit) => return exit,
                    }
                }
                InstKind::Yield(values) => return Exit::Yield(all(frame, values)),
                InstKind::Break(target, values) => return Exit::Break(*target, all(frame, values)),
                InstKind::Continue(target, values) => return Exit::Continue(*target, all(frame, values)),
                InstKind::Return(value) => return Exit::Return(value.map(|value| frame.values[&value].clone())),
                InstKind::Unreachable => panic!("reached `unreachable`"),
                kind => self.simple(frame, kind, inst.results.first().copied()).into_iter().collect(),
            };
            frame.values.extend(inst.results.iter().copied().zip(results));
        }
        panic!("a block ends with a terminator")
    }

    /// The values of the loop's `break`, or the exit that leaves more than this loop.
    fn run_loop(&mut self, frame: &mut Frame<'m>, body: BlockId, mut carried: Vec<Datum>) -> Result<Vec<Datum>, Exit> {
        for _ in 0..1_000_000 {
            let params = &frame.function.blocks[body].params;
            frame.values.extend(params.iter().copied().zip(carried));
            match self.block(frame, body) {
                Exit::Continue(target, values) if target == body => carried = values,
                Exit::Break(target, values) if target == body => return Ok(values),
                Exit::Yield(_) => panic!("a loop body does not yield"),
                exit => return Err(exit),
            }
        }
        panic!("endless loop")
    }

    fn simple(&mut self, frame: &mut Frame<'m>, kind: &InstKind, result: Option<ValueId>) -> Option<Datum> {
        let value = |id: &ValueId| frame.values[id].clone();
        let ty = result.map(|id| frame.function.values[id].ty);
        Some(match kind {
            InstKind::Const(constant) => match constant {
                Constant::Bool(value) => Datum::Bits(u64::from(*value)),
                Constant::I32(value) => Datum::Bits(value.cast_unsigned().into()),
                Constant::U32(bits) | Constant::F32(bits) => Datum::Bits((*bits).into()),
                Constant::Bits(_, bits) => Datum::Bits(*bits),
                Constant::Zero => self.zero(ty.expect("a constant has a type")),
            },
            InstKind::Op(op, operands) => {
                let scalar = |id: ValueId| self.module.types.element_scalar(frame.function.values[id].ty);
                let to = result.and_then(scalar);
                let from = scalar(operands[operands.len() - 1]);
                apply(*op, &operands.iter().map(value).collect::<Vec<_>>(), from, to)
            }
            InstKind::Compose(members) => Datum::Members(members.iter().map(value).collect()),
            InstKind::Extract(composite, steps) => value(composite).at(steps).clone(),
            InstKind::Insert(composite, member, steps) => {
                let mut composite = value(composite);
                *composite.at(steps) = value(member);
                composite
            }
            InstKind::Load(place) => {
                let zero = self.zero(ty.expect("a load has a type"));
                self.cell(frame, place).map_or(zero, |cell| cell.clone())
            }
            InstKind::Store(place, stored) => {
                let stored = value(stored);
                if let Some(cell) = self.cell(frame, place) {
                    *cell = stored;
                }
                return None;
            }
            InstKind::Call(callee, args) => {
                let args: Vec<_> = args.iter().map(value).collect();
                return self.call(*callee, &args);
            }
            InstKind::Trap(site, operands) => {
                let kind = self.module.sites[*site].kind;
                let words: Vec<_> = operands.iter().map(|id| frame.values[id].bits()).collect();
                self.traps.push((kind, [words[0], words[1]]));
                return None;
            }
            kind => panic!("not in device functions: {kind:?}"),
        })
    }

    fn cell<'f>(&mut self, frame: &'f mut Frame<'m>, place: &Place) -> Option<&'f mut Datum> {
        let Root::Local(local) = place.root else { panic!("device functions have no buffers") };
        let mut cell = frame.locals.get_mut(&local)?;
        for step in &place.path {
            let index = match step {
                Step::Field(index) => *index as usize,
                Step::Element(_) | Step::Joined { .. } => panic!("device functions here have no matrices or buffers"),
                Step::Index { value, check } => {
                    let index = frame.values[value].bits();
                    let len = cell.members().len();
                    if index as usize >= len {
                        let site = check.expect("an index out of range was not checked");
                        self.traps.push((self.module.sites[site].kind, [index, len as u32]));
                        return None;
                    }
                    index as usize
                }
            };
            cell = &mut cell.members()[index];
        }
        Some(cell)
    }
}

/// An op on whole values: lane by lane unless it reduces or selects whole values.
fn apply(op: Op, operands: &[Datum], from: Option<Scalar>, to: Option<Scalar>) -> Datum {
    match (op, operands) {
        (Op::Any, [Datum::Members(lanes)]) => Datum::Bits(u64::from(lanes.iter().any(|lane| lane.bits() != 0))),
        (Op::All, [Datum::Members(lanes)]) => Datum::Bits(u64::from(lanes.iter().all(|lane| lane.bits() != 0))),
        (Op::Select, [Datum::Bits(condition), yes, no]) => if *condition != 0 { yes } else { no }.clone(),
        (_, [Datum::Members(first), ..]) => {
            let lane = |index: usize| -> Vec<Datum> {
                operands.iter().map(|operand| operand.clone().at(&[index as u32]).clone()).collect()
            };
            Datum::Members((0..first.len()).map(|index| apply(op, &lane(index), from, to)).collect())
        }
        _ => {
            let (from, to) = (from.expect("of scalars"), to.expect("of scalars"));
            let first = if op.rule() == TypeRule::Shift { to } else { from };
            if [first, to]
                .iter()
                .any(|scalar| !matches!(scalar, Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F32))
            {
                return Datum::Bits(other_op(op, operands, first, to));
            }
            let bits: Vec<_> = operands.iter().map(Datum::bits).collect();
            Datum::Bits(scalar_op(op, &bits, from, to).into())
        }
    }
}

/// An op on scalars of other widths: the compiler's own evaluation, which is tested against Rust by itself.
fn other_op(op: Op, operands: &[Datum], first: Scalar, to: Scalar) -> u64 {
    if op == Op::Select {
        return operands[if operands[0].wide() != 0 { 1 } else { 2 }].wide();
    }
    let scalars = [first, if op.rule() == TypeRule::Shift { Scalar::U32 } else { first }, first];
    let constants: Vec<_> =
        operands.iter().zip(scalars).map(|(operand, scalar)| eval::from_bits(operand.wide(), scalar)).collect();
    let result = match (op, &constants[..]) {
        // Folding leaves open which of two zeros comes out.
        (Op::Min | Op::Max, [a, _]) => eval::evaluate(op, &constants, to).unwrap_or(*a),
        _ => eval::evaluate(op, &constants, to).unwrap_or_else(|| panic!("{op:?} of {constants:?}")),
    };
    eval::is_true(result).map_or_else(|| eval::bits(result).expect("a number"), u64::from)
}

fn scalar_op(op: Op, bits: &[u32], from: Scalar, to: Scalar) -> u32 {
    let (a, b) = (bits[0], bits.get(1).copied().unwrap_or(0));
    match op.rule() {
        TypeRule::Cast => cast(a, from, to),
        TypeRule::Bitcast => a,
        TypeRule::Select => {
            if a != 0 {
                b
            } else {
                bits[2]
            }
        }
        TypeRule::Equality | TypeRule::Order => {
            let order = match from {
                Scalar::F32 => f32::from_bits(a).partial_cmp(&f32::from_bits(b)),
                Scalar::I32 => Some(a.cast_signed().cmp(&b.cast_signed())),
                _ => Some(a.cmp(&b)),
            };
            u32::from(match op {
                Op::Eq => order.is_some_and(|order| order.is_eq()),
                Op::Ne => !order.is_some_and(|order| order.is_eq()),
                Op::Lt => order.is_some_and(|order| order.is_lt()),
                Op::Le => order.is_some_and(|order| order.is_le()),
                Op::Gt => order.is_some_and(|order| order.is_gt()),
                _ => order.is_some_and(|order| order.is_ge()),
            })
        }
        _ if from == Scalar::F32 => {
            let operands: Vec<_> = bits.iter().map(|bits| f32::from_bits(*bits)).collect();
            float_op(op, &operands)
        }
        _ if from == Scalar::Bool && op == Op::Not => 1 - a,
        // The operand in hand is a shift's amount, so look at the result.
        _ if to == Scalar::I32 => signed_op(op, a.cast_signed(), b.cast_signed()),
        _ => unsigned_op(op, a, b),
    }
}

fn cast(a: u32, from: Scalar, to: Scalar) -> u32 {
    match (from, to) {
        (Scalar::F32, Scalar::I32) => (f32::from_bits(a) as i32).cast_unsigned(),
        (Scalar::F32, Scalar::U32) => f32::from_bits(a) as u32,
        (Scalar::I32, Scalar::F32) => (a.cast_signed() as f32).to_bits(),
        (Scalar::U32 | Scalar::Bool, Scalar::F32) => (a as f32).to_bits(),
        _ => a,
    }
}

fn float_op(op: Op, x: &[f32]) -> u32 {
    let (a, b) = (x[0], x.get(1).copied().unwrap_or(0.0));
    let result = match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div => a / b,
        Op::Rem => a % b,
        Op::Neg => -a,
        Op::Min => a.min(b),
        Op::Max => a.max(b),
        Op::Abs => a.abs(),
        Op::Floor => a.floor(),
        Op::Ceil => a.ceil(),
        Op::Trunc => a.trunc(),
        Op::Round => a.round(),
        Op::RoundTiesEven => a.round_ties_even(),
        Op::Copysign => a.copysign(b),
        Op::Sqrt => a.sqrt(),
        Op::MulAdd | Op::NearMulAdd => a.mul_add(b, x[2]),
        Op::Sin => a.sin(),
        Op::Cos => a.cos(),
        Op::Tan => a.tan(),
        Op::Asin => a.asin(),
        Op::Acos => a.acos(),
        Op::Atan => a.atan(),
        Op::Atan2 => a.atan2(b),
        Op::Sinh => a.sinh(),
        Op::Cosh => a.cosh(),
        Op::Tanh => a.tanh(),
        Op::Exp => a.exp(),
        Op::Exp2 => a.exp2(),
        Op::Ln => a.ln(),
        Op::Log2 => a.log2(),
        Op::Powf => a.powf(b),
        Op::IsNan => return u32::from(a.is_nan()),
        Op::IsInf => return u32::from(a.is_infinite()),
        op => panic!("`{}` of f32", op.name()),
    };
    result.to_bits()
}

fn signed_op(op: Op, a: i32, b: i32) -> u32 {
    let result = match op {
        Op::Div => a.checked_div(b).expect("guarded"),
        Op::Rem => a.checked_rem(b).expect("guarded"),
        Op::Shr => a.wrapping_shr(b.cast_unsigned()),
        Op::Min => a.min(b),
        Op::Max => a.max(b),
        Op::MulHigh => ((i64::from(a) * i64::from(b)) >> 32) as i32,
        Op::Abs => a.wrapping_abs(),
        Op::Neg => a.wrapping_neg(),
        op => return unsigned_op(op, a.cast_unsigned(), b.cast_unsigned()),
    };
    result.cast_unsigned()
}

fn unsigned_op(op: Op, a: u32, b: u32) -> u32 {
    match op {
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::Div => a.checked_div(b).expect("guarded"),
        Op::Rem => a.checked_rem(b).expect("guarded"),
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Not => !a,
        Op::Shl => a.wrapping_shl(b),
        Op::Shr => a.wrapping_shr(b),
        Op::Min => a.min(b),
        Op::Max => a.max(b),
        Op::MulHigh => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        Op::CountOnes => a.count_ones(),
        Op::LeadingZeros => a.leading_zeros(),
        Op::TrailingZeros => a.trailing_zeros(),
        Op::ReverseBits => a.reverse_bits(),
        op => panic!("`{}` of u32", op.name()),
    }
}
