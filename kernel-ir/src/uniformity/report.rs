//! The report of a divergent barrier: where control flow diverged, which invocations left, and where the divergence
//! comes from. It decides nothing.

use super::{Cause, Uniformity};
use crate::arena::EntityId;
use crate::ir::{Builtin, InstKind, Scope, SourceLocation, ValueId};

/// A barrier that not all invocations of a workgroup reach, or an operation on matrices that a subgroup does not do together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divergence {
    /// The operation that not all invocations reach together.
    pub kind: DivergenceKind,
    /// The barrier or operation.
    pub barrier: Option<SourceLocation>,
    /// The condition that differs.
    pub condition: Option<SourceLocation>,
    /// The jump by which some invocations left, if they did not just take another branch.
    pub jump: Option<(Jump, Option<SourceLocation>)>,
    /// The variables through which the difference comes, the condition's side first.
    pub through: Vec<Link>,
    /// The origin of the divergence.
    pub origin: Origin,
    /// The place of the origin in the source.
    pub origin_at: Option<SourceLocation>,
}

/// The kind of operation that not all invocations reach together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DivergenceKind {
    /// A barrier, which not all of the workgroup reach.
    Barrier,
    /// An operation on matrices, which not all of the subgroup reach.
    Matrix,
    /// An operation on matrices with operands that differ within the subgroup; there is no condition.
    Operand,
}

/// A variable that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// The place where it got the value.
    pub at: Option<SourceLocation>,
}

/// How some invocations left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jump {
    /// By `return`.
    Return,
    /// By `break`, also that of a loop's condition.
    Break,
    /// By `continue`.
    Continue,
}

/// The origin of a divergence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The position of the invocation.
    Builtin(Builtin),
    /// An atomic operation.
    Atomic,
    /// An operation of the subgroup.
    Subgroup,
    /// A function that finds out about its invocation.
    Call,
    /// Memory.
    Load,
}

impl Uniformity<'_> {
    /// The barriers that not all reach, in order.
    pub(super) fn report(&self) -> Vec<Divergence> {
        let function = self.function;
        let at = |inst| function.insts[inst].location;
        let kind = if self.scope == Scope::Subgroup { DivergenceKind::Matrix } else { DivergenceKind::Barrier };
        let report = |(barrier, diverged): &(_, super::DivergedAt)| {
            let jump = diverged.jump.map(|jump| {
                let kind = match function.insts[jump].kind {
                    InstKind::Return(_) => Jump::Return,
                    InstKind::Continue(..) => Jump::Continue,
                    _ => Jump::Break,
                };
                (kind, at(jump))
            });
            let selector = self.selector(diverged.branch);
            let (through, origin, origin_at) = self.chain(selector);
            let condition = self.definitions[selector.index()].and_then(at).or(at(diverged.branch));
            Divergence { kind, barrier: at(*barrier), condition, jump, through, origin, origin_at }
        };
        let operand = |(inst, value): &(_, ValueId)| {
            let (through, origin, origin_at) = self.chain(*value);
            let (kind, barrier) = (DivergenceKind::Operand, at(*inst));
            Divergence { kind, barrier, condition: None, jump: None, through, origin, origin_at }
        };
        self.barriers.iter().map(report).chain(self.operands.iter().map(operand)).collect()
    }

    /// From a value that differs to where that comes from: the causes were found before their effects, so that it ends.
    fn chain(&self, mut value: ValueId) -> (Vec<Link>, Origin, Option<SourceLocation>) {
        let mut through: Vec<Link> = Vec::new();
        loop {
            let definition = self.definitions[value.index()].map(|id| &self.function.insts[id]);
            if let Some(name) = &self.function.values[value].name
                && through.iter().all(|link| link.name != **name)
            {
                through.push(Link { name: name.to_string(), at: definition.and_then(|inst| inst.location) });
            }
            match self.values[value.index()] {
                Some(Cause::From(next) | Cause::Chosen(next)) => value = next,
                Some(Cause::Source(id)) => {
                    let inst = &self.function.insts[id];
                    let origin = match &inst.kind {
                        InstKind::Builtin(builtin) => Origin::Builtin(*builtin),
                        InstKind::Atomic(_) => Origin::Atomic,
                        InstKind::Subgroup(..) => Origin::Subgroup,
                        InstKind::Call(..) => Origin::Call,
                        _ => Origin::Load,
                    };
                    return (through, origin, inst.location);
                }
                None => return (through, Origin::Load, None),
            }
        }
    }
}
