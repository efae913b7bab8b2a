//! Evaluation of consts in blocks with variables, loops and patterns, as rustc does it: with checked arithmetic, and in
//! a bounded number of steps.

use std::collections::BTreeMap;

use crate::ast::{BinaryOp, BindingId, Block, Expr, ExprId, ExprKind, Pattern, Statement, rest_range};
use crate::typed::{ConstValue, Resolution};

use super::evaluate::{Evaluator, Failure, Jump, Outcome, binary, failure, unsupported};

/// How many rounds loops may have, all together, and calls with them.
const MAX_ROUNDS: u32 = 1 << 20;

/// A variable, and the way from it to a part.
struct Place {
    root: BindingId,
    path: Vec<usize>,
}

pub(super) const UNIT: ConstValue = ConstValue::Aggregate(Vec::new());

impl Evaluator<'_> {
    /// The value of a block.
    pub(super) fn block(&self, block: &Block) -> Outcome {
        for statement in &block.statements {
            match statement {
                Statement::Let { value: Some(value), .. } if self.tables.written_apart.contains_key(&value.id) => {
                    return unsupported(value);
                }
                Statement::Let { pattern, value: Some(value), otherwise, .. } => {
                    let value = self.value(value)?;
                    match (self.take_apart(pattern, &value)?, otherwise) {
                        (true, _) => {}
                        (false, Some(otherwise)) => return self.block(otherwise),
                        (false, None) => return Err(failure(pattern.span(), "this cannot be evaluated in a const")),
                    }
                }
                // Written before it is read, as rustc sees to.
                Statement::Let { pattern: Pattern::Binding { .. }, value: None, .. } => {}
                Statement::Let { span, .. } => return Err(failure(*span, "this cannot be evaluated in a const")),
                Statement::OptionPlace(option_place) => return unsupported(&option_place.receiver),
                Statement::Const(_) | Statement::Use(_) => {}
                Statement::Expr { expr, .. } => {
                    self.value(expr)?;
                }
            }
        }
        block.tail.as_ref().map_or(Ok(UNIT), |tail| self.value(tail))
    }

    /// Blocks, loops, jumps, patterns and assignments.
    pub(super) fn compute(&self, expr: &Expr) -> Outcome {
        match &expr.kind {
            ExprKind::Block { label: None, block } | ExprKind::Const(block) => self.block(block),
            ExprKind::Block { block, .. } => match self.block(block) {
                Err(Failure { jump: Some(Jump::Break(Some(target))), .. }) if target == expr.id => {
                    Ok(self.take_carried())
                }
                other => other,
            },
            ExprKind::While { condition, body, .. } => {
                while matches!(self.value(condition)?, ConstValue::Bool(true)) {
                    if self.round(expr, body)? {
                        break;
                    }
                }
                Ok(UNIT)
            }
            ExprKind::Loop { body, .. } => {
                while !self.round(expr, body)? {}
                Ok(self.take_carried())
            }
            ExprKind::Break { value, .. } => {
                let target = self.tables.targets.get(&expr.id).copied();
                self.jump(expr, value.as_deref(), Jump::Break(target))
            }
            ExprKind::Continue { .. } => {
                let target = self.tables.targets.get(&expr.id).copied();
                self.jump(expr, None, Jump::Continue(target))
            }
            ExprKind::Return(value) => self.jump(expr, value.as_deref(), Jump::Return),
            // Values have no places here that patterns could name.
            ExprKind::Match { scrutinee: value, .. } | ExprKind::Let { value, .. }
                if self.tables.written_apart.contains_key(&value.id) =>
            {
                unsupported(expr)
            }
            ExprKind::Match { scrutinee, arms } => {
                let value = self.value(scrutinee)?;
                for arm in arms {
                    let chosen = self.take_apart(&arm.pattern, &value)?
                        && match &arm.guard {
                            Some(guard) => matches!(self.value(guard)?, ConstValue::Bool(true)),
                            None => true,
                        };
                    if chosen {
                        return self.value(&arm.body);
                    }
                }
                unsupported(expr)
            }
            ExprKind::Let { pattern, value } => {
                let value = self.value(value)?;
                self.take_apart(pattern, &value).map(ConstValue::Bool)
            }
            ExprKind::Assign(place, value) => {
                let value = self.value(value)?;
                self.store(place, value)
            }
            ExprKind::AssignOp(op, place, value, _) if !self.tables.calls.contains_key(&expr.id) => {
                let value = self.value(value)?;
                let old = self.value(place)?;
                let new = binary(expr, *op, old, value)?;
                self.store(place, new)
            }
            _ => unsupported(expr),
        }
    }

    fn jump(&self, expr: &Expr, value: Option<&Expr>, jump: Jump) -> Outcome {
        let value = value.map(|value| self.value(value)).transpose()?;
        self.carried.replace(value);
        let mut failure = failure(expr.span, "this has no value in a const");
        failure.jump = Some(jump);
        Err(failure)
    }

    /// The value that a jump took along.
    pub(super) fn take_carried(&self) -> ConstValue {
        self.carried.take().unwrap_or(UNIT)
    }

    /// Counts a round of a loop, or a call.
    pub(super) fn count_round(&self, at: &Expr, message: &str) -> Result<(), Failure> {
        let rounds = self.rounds.get();
        self.rounds.set(rounds + 1);
        if rounds < MAX_ROUNDS {
            return Ok(());
        }
        let mut failure = failure(at.span, message);
        failure.help = Some("compute it on the host, and pass it in a buffer".to_owned());
        Err(failure)
    }

    /// One round of a loop; whether it was the last.
    fn round(&self, looping: &Expr, body: &Block) -> Result<bool, Failure> {
        self.count_round(looping, "the loops of this const run too many iterations")?;
        let is_own = |target: Option<ExprId>| target.is_none_or(|target| target == looping.id);
        match self.block(body) {
            Err(Failure { jump: Some(Jump::Break(target)), .. }) if is_own(target) => Ok(true),
            Err(Failure { jump: Some(Jump::Continue(target)), .. }) if is_own(target) => Ok(false),
            other => other.map(|_| false),
        }
    }

    /// Whether a value has a pattern's form; its names hold the parts then.
    pub(super) fn take_apart(&self, pattern: &Pattern, value: &ConstValue) -> Result<bool, Failure> {
        let refused = || failure(pattern.span(), "this pattern cannot be evaluated in a const");
        Ok(match (pattern, value) {
            (Pattern::Binding { binding, inner, .. }, _) => {
                if let Some(inner) = inner
                    && !self.take_apart(inner, value)?
                {
                    return Ok(false);
                }
                self.held.borrow_mut().insert(*binding, value.clone());
                true
            }
            (Pattern::Wild(_), _) => true,
            (Pattern::Reference(inner, _) | Pattern::Ref(inner, _) | Pattern::RefMut(inner, _), _) => {
                self.take_apart(inner, value)?
            }
            (Pattern::Or(alternatives, _), _) => {
                for alternative in alternatives {
                    if self.take_apart(alternative, value)? {
                        return Ok(true);
                    }
                }
                false
            }
            (Pattern::Literal(literal), _) => {
                let equal = binary(literal, BinaryOp::Eq, value.clone(), self.value(literal)?)?;
                equal == ConstValue::Bool(true)
            }
            (Pattern::Range { start, end, inclusive, .. }, _) => {
                let holds = |op: BinaryOp, end: &Expr| -> Result<bool, Failure> {
                    Ok(binary(end, op, value.clone(), self.value(end)?)? == ConstValue::Bool(true))
                };
                let last = if *inclusive { BinaryOp::Le } else { BinaryOp::Lt };
                start.as_deref().map_or(Ok(true), |start| holds(BinaryOp::Ge, start))?
                    && end.as_deref().map_or(Ok(true), |end| holds(last, end))?
            }
            (
                Pattern::Tuple(patterns, _) | Pattern::Slice { members: patterns, .. },
                ConstValue::Aggregate(members),
            ) => self.take_members(patterns, members)?,
            (Pattern::Path { id, .. }, ConstValue::Variant(variant, _)) if self.tables.variants.contains_key(id) => {
                self.tables.variants.get(id) == Some(variant)
            }
            (Pattern::TupleStruct { id, members: patterns, .. }, ConstValue::Variant(variant, members)) => {
                self.tables.variants.get(id) == Some(variant) && self.take_members(patterns, members)?
            }
            (Pattern::TupleStruct { id, members: patterns, .. }, ConstValue::Aggregate(members))
                if !self.tables.variants.contains_key(id) =>
            {
                self.take_members(patterns, members)?
            }
            (Pattern::Struct { id, fields, .. }, ConstValue::Aggregate(members) | ConstValue::Variant(_, members)) => {
                if let ConstValue::Variant(variant, _) = value
                    && self.tables.variants.get(id) != Some(variant)
                {
                    return Ok(false);
                }
                let positions = self.tables.structs.get(id).ok_or_else(refused)?;
                for (field, position) in fields.iter().zip(positions) {
                    let member = members.get(*position as usize).ok_or_else(refused)?;
                    if !self.take_apart(&field.pattern, member)? {
                        return Ok(false);
                    }
                }
                true
            }
            _ => return Err(refused()),
        })
    }

    fn take_members(&self, patterns: &[Pattern], members: &[ConstValue]) -> Result<bool, Failure> {
        let rest = patterns.iter().position(Pattern::is_rest).unwrap_or(patterns.len());
        let (front, back) = patterns.split_at(rest);
        let back = back.get(1..).unwrap_or_default();
        let behind = members.len().saturating_sub(back.len());
        if let Some((Pattern::Binding { binding, .. }, ..)) = rest_range(patterns, members.len()) {
            let between = members.get(front.len()..behind).unwrap_or_default().to_vec();
            self.held.borrow_mut().insert(*binding, ConstValue::Aggregate(between));
        }
        let pairs = front.iter().zip(members).chain(back.iter().zip(members.get(behind..).unwrap_or_default()));
        for (pattern, member) in pairs {
            if !self.take_apart(pattern, member)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether an expression is a variable of the const or a part of one.
    pub(super) fn is_computed(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Paren(inner, ..) | ExprKind::Field { base: inner, .. } | ExprKind::Index { base: inner, .. } => {
                self.is_computed(inner)
            }
            _ => matches!(self.tables.paths.get(&expr.id), Some(Resolution::Binding(_))),
        }
    }

    /// Reads a variable or a part of one.
    pub(super) fn read_computed(&self, expr: &Expr) -> Outcome {
        let place = self.place(expr)?;
        let mut held = self.held.borrow_mut();
        part(&mut held, &place).cloned().ok_or_else(|| failure(expr.span, "index out of range"))
    }

    fn store(&self, expr: &Expr, value: ConstValue) -> Outcome {
        let place = self.place(expr)?;
        let mut held = self.held.borrow_mut();
        if place.path.is_empty() {
            held.insert(place.root, value);
            return Ok(UNIT);
        }
        *part(&mut held, &place).ok_or_else(|| failure(expr.span, "index out of range"))? = value;
        Ok(UNIT)
    }

    fn place(&self, expr: &Expr) -> Result<Place, Failure> {
        let unknown = || failure(expr.span, "this cannot be evaluated in a const");
        match &expr.kind {
            ExprKind::Paren(inner, ..) => self.place(inner),
            ExprKind::Field { base, .. } => {
                let mut place = self.place(base)?;
                place.path.push(*self.tables.fields.get(&expr.id).ok_or_else(unknown)? as usize);
                Ok(place)
            }
            ExprKind::Index { base, index } if !self.tables.calls.contains_key(&expr.id) => {
                let mut place = self.place(base)?;
                let index = self.value(index)?.as_int().ok_or_else(unknown)?;
                place.path.push(usize::try_from(index).unwrap_or(usize::MAX));
                Ok(place)
            }
            _ => match self.tables.paths.get(&expr.id) {
                Some(Resolution::Binding(binding)) => Ok(Place { root: *binding, path: Vec::new() }),
                _ => Err(unknown()),
            },
        }
    }
}

fn part<'v>(held: &'v mut BTreeMap<BindingId, ConstValue>, place: &Place) -> Option<&'v mut ConstValue> {
    let root = held.get_mut(&place.root)?;
    place.path.iter().try_fold(root, |value, step| match value {
        ConstValue::Aggregate(members) => members.get_mut(*step),
        _ => None,
    })
}
