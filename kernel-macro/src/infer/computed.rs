//! Consts that blocks with variables and loops compute, as rustc does it: with checked arithmetic, and in a bounded number of steps.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use crate::ast::{BindingId, Block, Expr, ExprKind, Pattern, Statement};
use crate::typed::{ConstValue, Resolution};

use super::Infer;
use super::evaluate::{Failure, Jump, Outcome, binary, failure, unsupported};

/// How many rounds loops may have, all together.
const MAX_ROUNDS: u32 = 1 << 20;

/// What the variables of a const hold.
#[derive(Debug, Default)]
pub(super) struct Variables {
    held: RefCell<BTreeMap<BindingId, ConstValue>>,
    rounds: Cell<u32>,
}

/// A variable, and the way from it to a part.
struct Place {
    root: BindingId,
    path: Vec<usize>,
}

const UNIT: ConstValue = ConstValue::Aggregate(Vec::new());

impl Infer<'_> {
    /// The value of a block.
    pub(super) fn compute_block(&self, block: &Block) -> Outcome {
        for statement in &block.statements {
            match statement {
                Statement::Let { pattern, value: Some(value), otherwise: None, .. } => {
                    let Pattern::Binding { binding, inner: None, .. } = pattern else {
                        let mut failure = failure(pattern.span(), "a variable of a const is a plain name");
                        failure.help = Some("write one `let` for each");
                        return Err(failure);
                    };
                    let value = self.value(value)?;
                    self.computed.held.borrow_mut().insert(*binding, value);
                }
                Statement::Let { span, .. } => return Err(failure(*span, "this cannot be evaluated in a const")),
                Statement::Sought(sought) => return unsupported(&sought.receiver),
                Statement::Const(_) | Statement::Use(_) => {}
                Statement::Expr { expr, .. } => {
                    self.value(expr)?;
                }
            }
        }
        block.tail.as_ref().map_or(Ok(UNIT), |tail| self.value(tail))
    }

    /// Loops, jumps and assignments.
    pub(super) fn compute(&self, expr: &Expr) -> Outcome {
        match &expr.kind {
            ExprKind::While { label: None, condition, body, .. } => {
                while matches!(self.value(condition)?, ConstValue::Bool(true)) {
                    if self.round(expr, body)? {
                        break;
                    }
                }
                Ok(UNIT)
            }
            ExprKind::Loop { label: None, body, .. } => {
                while !self.round(expr, body)? {}
                Ok(UNIT)
            }
            ExprKind::Break { label: None, value: None } => jump(expr, Jump::Break),
            ExprKind::Continue { label: None } => jump(expr, Jump::Continue),
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

    /// One round of a loop; whether it was the last.
    fn round(&self, looping: &Expr, body: &Block) -> Result<bool, Failure> {
        let rounds = self.computed.rounds.get();
        self.computed.rounds.set(rounds + 1);
        if rounds == MAX_ROUNDS {
            let mut failure = failure(looping.span, "the loops of this const have too many rounds");
            failure.help = Some("compute it on the host, and pass it in a buffer");
            return Err(failure);
        }
        match self.compute_block(body) {
            Err(Failure { jump: Some(jump), .. }) => Ok(jump == Jump::Break),
            other => other.map(|_| false),
        }
    }

    /// Whether an expression is a variable of the const or a part of one.
    pub(super) fn is_computed(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Paren(inner) | ExprKind::Field { base: inner, .. } | ExprKind::Index { base: inner, .. } => {
                self.is_computed(inner)
            }
            _ => matches!(self.tables.paths.get(&expr.id), Some(Resolution::Binding(_))),
        }
    }

    /// Reads a variable or a part of one.
    pub(super) fn read_computed(&self, expr: &Expr) -> Outcome {
        let place = self.place(expr)?;
        let mut held = self.computed.held.borrow_mut();
        part(&mut held, &place).cloned().ok_or_else(|| failure(expr.span, "index out of range"))
    }

    fn store(&self, expr: &Expr, value: ConstValue) -> Outcome {
        let place = self.place(expr)?;
        let mut held = self.computed.held.borrow_mut();
        *part(&mut held, &place).ok_or_else(|| failure(expr.span, "index out of range"))? = value;
        Ok(UNIT)
    }

    fn place(&self, expr: &Expr) -> Result<Place, Failure> {
        let unknown = || failure(expr.span, "this cannot be evaluated in a const");
        match &expr.kind {
            ExprKind::Paren(inner) => self.place(inner),
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

fn jump(expr: &Expr, jump: Jump) -> Outcome {
    let mut failure = failure(expr.span, "no loop around");
    failure.jump = Some(jump);
    Err(failure)
}
