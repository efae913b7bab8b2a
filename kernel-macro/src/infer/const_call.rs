//! Calls in consts: functions of the author's that are `const`, members of structs and variants, methods of numbers.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::ast::{Expr, Item, ScalarName};
use crate::builtin::elementary::Elementary;
use crate::builtin::intrinsic::{Intrinsic, Length};
use crate::builtin::matrix::Linear;
use crate::builtin::overflow::{Arithmetic, Overflow};
use crate::builtin::rotation::Rotation;
use crate::builtin::vector::Vector;
use crate::program::{ItemId, TypedItem};
use crate::typed::{Callee, ChoiceMethod, ConstValue, Ty};

use super::evaluate::{Evaluator, Failure, Jump, Outcome, failure, overflow, unsupported};

/// How deep calls of consts may be.
const MAX_CALLS: u32 = 64;

const NONE: ConstValue = ConstValue::Variant(0, Vec::new());

fn some(value: ConstValue) -> ConstValue {
    ConstValue::Variant(1, vec![value])
}

impl Evaluator<'_> {
    pub(super) fn call_value(&self, expr: &Expr, args: &[&Expr]) -> Outcome {
        let callee = self.tables.calls.get(&expr.id);
        let values = || args.iter().map(|arg| self.value(arg)).collect::<Result<Vec<_>, _>>();
        match callee {
            Some(Callee::Constructor) => Ok(self.built(expr, values()?)),
            Some(Callee::Device(function)) => self.call_function(expr, *function, values()?),
            Some(Callee::Choice(method)) => match (method, values()?.as_slice()) {
                (ChoiceMethod::IsSome | ChoiceMethod::IsErr, [ConstValue::Variant(variant, _)]) => {
                    Ok(ConstValue::Bool(*variant == 1))
                }
                (ChoiceMethod::IsNone | ChoiceMethod::IsOk, [ConstValue::Variant(variant, _)]) => {
                    Ok(ConstValue::Bool(*variant == 0))
                }
                _ => unsupported(expr),
            },
            Some(Callee::Intrinsic(intrinsic)) => {
                let receiver = args.first().map_or(Ty::Error, |receiver| self.final_type(receiver));
                self.intrinsic(expr, *intrinsic, &receiver, &values()?)
            }
            _ => unsupported(expr),
        }
    }

    /// Runs a `const fn`.
    fn call_function(&self, expr: &Expr, id: ItemId, args: Vec<ConstValue>) -> Outcome {
        let entry = &self.program.items[id];
        let Item::Fn(function) = &entry.item else { return unsupported(expr) };
        if !function.is_const {
            return Err(Failure {
                help: Some(format!("make it one: `const fn {}(…)`", function.name)),
                ..failure(expr.span, "a const can call only `const fn`s")
            });
        }
        let typed = match &entry.typed {
            TypedItem::Fn(typed) if !function.writes_self() => typed,
            _ => {
                return Err(Failure {
                    help: Some(
                        "write its body in the const: blocks with variables and loops are allowed there".to_owned(),
                    ),
                    ..failure(expr.span, "a const cannot call generic functions, nor such as write through references")
                });
            }
        };
        if self.calls >= MAX_CALLS {
            return Err(failure(expr.span, "the calls of this const are too deep"));
        }
        // Functions that call each other twice make more calls than rounds of any loop.
        self.count_round(expr, "the functions that this const calls make too many calls")?;
        let types = |expr: &Expr| typed.ty(expr.id).clone();
        let held: BTreeMap<_, _> = function.params.iter().map(|param| param.binding).zip(args).collect();
        let inner = Evaluator {
            program: self.program,
            tables: typed,
            types: &types,
            held: RefCell::new(held),
            carried: RefCell::default(),
            rounds: self.rounds,
            calls: self.calls + 1,
        };
        match inner.block(&function.body) {
            Err(Failure { jump: Some(Jump::Return), .. }) => Ok(inner.take_carried()),
            // At the call, where the author of the const looks: the function may stand in another crate.
            Err(inner) => {
                Err(Failure { span: expr.span, message: format!("in `{}`: {}", function.name, inner.message), ..inner })
            }
            other => other,
        }
    }

    fn intrinsic(&self, expr: &Expr, intrinsic: Intrinsic, receiver: &Ty, args: &[ConstValue]) -> Outcome {
        let is_size = matches!(receiver, Ty::Scalar(ScalarName::Usize | ScalarName::Isize));
        let scalar = match receiver {
            Ty::Scalar(scalar) => Some(*scalar),
            _ => None,
        };
        if scalar.is_some_and(ScalarName::is_wide) {
            return unsupported(expr);
        }
        match (intrinsic, args) {
            (Intrinsic::Vector(Vector::New), _) => return Ok(ConstValue::Aggregate(args.to_vec())),
            (Intrinsic::Vector(Vector::Splat), [value]) => {
                if let Ty::Vector(_, lanes) = self.final_type(expr) {
                    return Ok(ConstValue::Aggregate(vec![value.clone(); usize::from(lanes)]));
                }
            }
            (Intrinsic::Length(Length::Len), [ConstValue::Aggregate(elements)]) => {
                return Ok(ConstValue::U32(elements.len() as u32));
            }
            (Intrinsic::Length(Length::IsEmpty), [ConstValue::Aggregate(elements)]) => {
                return Ok(ConstValue::Bool(elements.is_empty()));
            }
            (Intrinsic::Vector(Vector::FromArray | Vector::ToArray), [array])
            | (Intrinsic::Rotation(Rotation::QuatFromArray), [array])
            | (Intrinsic::Linear(Linear::FromColsArray2d | Linear::ToColsArray2d), [array]) => {
                return Ok(array.clone());
            }
            (Intrinsic::Linear(Linear::FromCols), _) | (Intrinsic::Rotation(Rotation::FromXyzw), _) => {
                return Ok(ConstValue::Aggregate(args.to_vec()));
            }
            (Intrinsic::Linear(Linear::FromColsArray | Linear::FromRowsArray), [ConstValue::Aggregate(cells)]) => {
                if let Ty::Matrix(size) = self.final_type(expr) {
                    let columns: Vec<Vec<_>> = cells.chunks(size.into()).map(<[_]>::to_vec).collect();
                    let is_by_row = intrinsic == Intrinsic::Linear(Linear::FromRowsArray);
                    let columns = if is_by_row { transposed(&columns) } else { columns };
                    return Ok(ConstValue::Aggregate(columns.into_iter().map(ConstValue::Aggregate).collect()));
                }
            }
            (Intrinsic::Elementary(Elementary::ToBits), [ConstValue::F32(value)]) => {
                return Ok(ConstValue::U32(value.to_bits()));
            }
            (Intrinsic::Elementary(Elementary::ToBits), [ConstValue::Float(ScalarName::F64, value)]) => {
                return Ok(ConstValue::Int(ScalarName::U64, value.to_bits().into()));
            }
            (Intrinsic::Elementary(Elementary::FromBits), [ConstValue::U32(bits)]) => {
                return Ok(ConstValue::F32(f32::from_bits(*bits)));
            }
            (Intrinsic::Elementary(Elementary::FromBits), [ConstValue::Int(ScalarName::U64, bits)]) => {
                return Ok(ConstValue::Float(ScalarName::F64, f64::from_bits(*bits as u64)));
            }
            (Intrinsic::Elementary(Elementary::FromF32), [ConstValue::F32(value)]) => {
                if let Ty::Scalar(scalar) = self.final_type(expr) {
                    return Ok(ConstValue::float(scalar, (*value).into()));
                }
            }
            (Intrinsic::Arithmetic(form, op), [value, ..]) => {
                if let (Some(scalar), Some(a)) = (scalar, value.as_int()) {
                    let b = args.get(1).and_then(ConstValue::as_int).unwrap_or(0);
                    return arithmetic(expr, (form, op), scalar, a, b);
                }
            }
            (Intrinsic::Elementary(Elementary::Abs), [value]) if value.as_float().is_some() => {
                if let (Some(scalar), Some(value)) = (scalar, value.as_float()) {
                    return Ok(ConstValue::float(scalar, value.abs()));
                }
            }
            (Intrinsic::Elementary(function), [value, rest @ ..]) => {
                if let (Some(scalar), Some(a)) = (scalar, value.as_int()) {
                    let rest: Vec<i128> = rest.iter().filter_map(ConstValue::as_int).collect();
                    if let Some(outcome) = integer_method(expr, function, (scalar, is_size), a, &rest) {
                        return outcome;
                    }
                }
            }
            _ => {}
        }
        unsupported(expr)
    }
}

fn transposed(rows: &[Vec<ConstValue>]) -> Vec<Vec<ConstValue>> {
    (0..rows.len()).map(|at| rows.iter().filter_map(|row| row.get(at).cloned()).collect()).collect()
}

/// The failure of an expression whose value differs if `usize` has 64 bits.
pub(super) fn of_another_size(expr: &Expr) -> Failure {
    Failure {
        help: Some("compute it as `u32` or `u64`, and convert the result".to_owned()),
        ..failure(expr.span, "the result differs on the host, where `usize` has 64 bits")
    }
}

/// A method that says what overflow does.
fn arithmetic(expr: &Expr, (form, op): (Overflow, Arithmetic), scalar: ScalarName, a: i128, b: i128) -> Outcome {
    use Arithmetic as A;
    let (min, max) = scalar.limits();
    let is_size = matches!(scalar, ScalarName::Usize | ScalarName::Isize);
    let bits = i128::from(scalar.bits());
    if op.divides() && b == 0 {
        return if form == Overflow::Checked { Ok(NONE) } else { Err(failure(expr.span, "division by zero")) };
    }
    // Shifts are out of range by their amount, and lose bits silently.
    if let A::Shl | A::Shr = op {
        if is_size && (b >= bits || op == A::Shl && !(min..=max).contains(&(a << b.min(64)))) {
            return Err(of_another_size(expr));
        }
        let amount = b & (bits - 1);
        let value = ConstValue::wrapped(scalar, if op == A::Shl { a << amount } else { a >> amount });
        return match form {
            Overflow::Overflowing => Ok(ConstValue::Aggregate(vec![value, ConstValue::Bool(b >= bits)])),
            Overflow::Checked if b >= bits => Ok(NONE),
            Overflow::Checked => Ok(some(value)),
            Overflow::Strict if b >= bits => Err(overflow(expr)),
            _ => Ok(value),
        };
    }
    let exact = match op {
        A::Add | A::AddSigned | A::AddUnsigned => Some(a + b),
        A::Sub | A::SubUnsigned => Some(a - b),
        A::Mul => a.checked_mul(b),
        A::Div => Some(a / b),
        A::Rem => Some(a % b),
        A::DivEuclid => Some(a.div_euclid(b)),
        A::RemEuclid => Some(a.rem_euclid(b)),
        A::Neg => Some(-a),
        A::Abs => Some(a.abs()),
        A::Pow => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        A::Shl | A::Shr => None,
    };
    // MIN % -1 is zero, and yet an overflow.
    let is_remainder_of_least = op.is_remainder() && a == min && b == -1 && scalar.is_signed();
    let fits = exact.is_some_and(|exact| (min..=max).contains(&exact)) && !is_remainder_of_least;
    let is_below = exact.is_some_and(|exact| exact < min);
    let is_same = fits || !scalar.is_signed() && is_below && matches!(form, Overflow::Checked | Overflow::Saturating);
    if is_size && !is_same {
        return Err(of_another_size(expr));
    }
    let wrapped = || match (exact, op) {
        (Some(exact), _) => Ok(ConstValue::wrapped(scalar, exact)),
        (None, A::Mul) => Ok(ConstValue::wrapped(scalar, a.wrapping_mul(b))),
        (None, _) => {
            let power = u32::try_from(b).map_err(|_| overflow(expr))?;
            Ok(ConstValue::wrapped(scalar, a.wrapping_pow(power)))
        }
    };
    match form {
        Overflow::Wrapping => wrapped(),
        Overflow::Overflowing => Ok(ConstValue::Aggregate(vec![wrapped()?, ConstValue::Bool(!fits)])),
        Overflow::Checked if fits => Ok(some(wrapped()?)),
        Overflow::Checked => Ok(NONE),
        _ if fits => wrapped(),
        Overflow::Strict => Err(overflow(expr)),
        Overflow::Saturating => {
            // Too long for 128 bits is a product or power whose sign says which end.
            let negative = is_below || exact.is_none() && (a < 0) != (b < 0 || op == A::Pow && b % 2 == 0 && a < 0);
            let is_low = if exact.is_some() { is_below } else { negative };
            let end = if is_low { min } else { max };
            ConstValue::int(scalar, end).ok_or_else(|| overflow(expr))
        }
    }
}

/// Another method of integers; `None` for those that consts have not.
fn integer_method(
    expr: &Expr,
    function: Elementary,
    (scalar, is_size): (ScalarName, bool),
    a: i128,
    rest: &[i128],
) -> Option<Outcome> {
    use Elementary as E;
    let bits = scalar.bits();
    // The bits as an unsigned number.
    let pattern = (a as u128) & (u128::MAX >> (128 - bits));
    let int = |value: i128| Some(ConstValue::int(scalar, value).ok_or_else(|| overflow(expr)));
    let of_bits = |bits: u128| Some(Ok(ConstValue::wrapped(scalar, bits as i128)));
    let count = |count: u32| Some(Ok(ConstValue::U32(count)));
    let zeros = pattern.leading_zeros().saturating_sub(128 - bits);
    let low = |value: u128| value & (u128::MAX >> (128 - bits));
    let by_width = matches!(
        function,
        E::RotateLeft | E::RotateRight | E::LeadingZeros | E::CountZeros | E::ReverseBits | E::SwapBytes
    ) || (function == E::TrailingZeros && a == 0)
        || (function == E::CountOnes && a < 0);
    if is_size && by_width {
        return Some(Err(of_another_size(expr)));
    }
    match (function, rest) {
        (E::RotateLeft, [by]) => {
            let by = (*by as u32) % bits;
            of_bits(low(pattern << by) | if by == 0 { 0 } else { pattern >> (bits - by) })
        }
        (E::RotateRight, [by]) => {
            let by = (bits - (*by as u32) % bits) % bits;
            of_bits(low(pattern << by) | if by == 0 { 0 } else { pattern >> (bits - by) })
        }
        (E::CountOnes, []) => count(pattern.count_ones()),
        (E::CountZeros, []) => count(bits - pattern.count_ones()),
        (E::LeadingZeros, []) => count(zeros),
        (E::TrailingZeros, []) => count(pattern.trailing_zeros().min(bits)),
        (E::ReverseBits, []) => of_bits(pattern.reverse_bits() >> (128 - bits)),
        (E::SwapBytes, []) => of_bits(pattern.swap_bytes() >> (128 - bits)),
        (E::Abs, []) => int(a.abs()),
        (E::Min, [b]) => int(a.min(*b)),
        (E::Max, [b]) => int(a.max(*b)),
        (E::AbsDiff, [b]) => {
            let unsigned = scalar.unsigned();
            Some(ConstValue::int(unsigned, (a - b).abs()).ok_or_else(|| overflow(expr)))
        }
        (E::Pow, [b]) => {
            let power = u32::try_from(*b).ok().and_then(|b| a.checked_pow(b));
            Some(power.and_then(|power| ConstValue::int(scalar, power)).ok_or_else(|| overflow(expr)))
        }
        (E::DivEuclid | E::RemEuclid | E::DivCeil, [0]) => Some(Err(failure(expr.span, "division by zero"))),
        (E::RemEuclid, [b]) if !(a == scalar.limits().0 && *b == -1) => int(a.rem_euclid(*b)),
        (E::DivEuclid, [b]) => int(a.div_euclid(*b)),
        (E::DivCeil, [b]) => int((a + b - 1) / b),
        (E::NextMultipleOf, [b]) if *b > 0 => int((a + b - 1) / b * b),
        (E::IsPowerOfTwo, []) => Some(Ok(ConstValue::Bool(a.count_ones() == 1))),
        (E::NextPowerOfTwo, []) => int((a.max(1) as u128).next_power_of_two() as i128),
        (E::SignumInt, []) => int(a.signum()),
        (E::IsPositive, []) => Some(Ok(ConstValue::Bool(a > 0))),
        (E::IsNegative, []) => Some(Ok(ConstValue::Bool(a < 0))),
        _ => None,
    }
}
