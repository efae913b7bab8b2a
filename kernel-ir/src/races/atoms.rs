//! The variables of forms: positions of the invocation, numbers of the launch, and what neither is. Each knows its limits.

use std::sync::Arc;

use super::form::{AtomId, Form};
use crate::hash::FastMap;
use crate::ir::{Bound, BoundOp, BufferId, InstId, ValueId};
use crate::op::Op;
use crate::types::Scalar;

/// The meaning of a variable.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Atom {
    /// Position of the invocation in the grid along an axis.
    Global(u8),
    /// Position of the workgroup along an axis.
    Group(u8),
    /// Position of the invocation in the workgroup along an axis.
    Local(u8),
    /// Number of the invocation in the workgroup.
    LocalIndex,
    /// Number of the subgroup in the workgroup.
    Subgroup,
    /// Lane of the invocation in the subgroup.
    Lane,
    /// A number that is the same in all invocations of a launch, and what it is for the host, if it can tell.
    Uniform(Uniform),
    /// A quotient by a number of the launch.
    Quotient(Form, Form),
    /// A remainder by a number of the launch.
    Remainder(Form, Form),
    /// The exclusive or with a number of the launch, which exchanges numbers in pairs.
    Exchanged(Form, Form),
    /// A number whose bits are mixed, from which it follows.
    Mixed(Form, Mix),
    /// Half of the product of a number and the next one, which are multiplied as numbers of 32 bits.
    Triangle(Form),
    /// The result of an atomic addition of a fixed number, divided by that number: nobody else gets the same.
    Ticket(InstId),
    /// The same, drawn by one invocation for its workgroup.
    GroupTicket(InstId),
    /// The beginning of a range of tickets, and the value that says it.
    Start(InstId, ValueId),
    /// The element of a buffer whose elements differ, by its index there: elements at other indices within the buffer are others.
    Distinct(BufferId, Form),
    /// The element of a buffer of offsets, by its index there: elements at higher indices within the buffer are no less.
    Offset(BufferId, Form),
    /// How many rounds of a loop came before: no number of 32 bits.
    Round(u32),
    /// A number that is another one in each invocation and each round of a loop.
    Free(u32),
}

/// A way of mixing the bits of a number so that different ones stay different.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Mix {
    /// The exclusive or with itself shifted to the right: from the highest bit on, each bit follows.
    Right(u32),
    /// The same, shifted to the left.
    Left(u32),
    /// The bits in reverse order, shifted to the right by as many as are zero.
    Reversed(u32),
}

/// The origin of a number of the launch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Uniform {
    /// The host can compute it.
    Known(Bound),
    /// The value is computed from such numbers.
    Value(ValueId),
    /// Memory that nobody writes.
    Memory(BufferId, Vec<Form>),
    /// Texels along an axis.
    Size(BufferId, u8),
    /// An operation on such numbers, of which type the first is.
    Op(Op, Option<Scalar>, Vec<Form>),
}

/// The first number is less than the second, which speak of numbers of the launch only.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Less(pub(super) Form, pub(super) Form);

/// A number that something is below, and what must hold for that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Limit {
    pub(super) below: Form,
    pub(super) requires: Vec<Less>,
}

impl Limit {
    pub(super) fn always(below: Form) -> Self {
        Self { below, requires: Vec::new() }
    }
}

/// All variables of a kernel.
#[derive(Debug, Default)]
pub(super) struct Atoms {
    atoms: Vec<Atom>,
    known: FastMap<Atom, AtomId>,
    /// By atom: what it is always below, besides 2^32.
    limits: Vec<Vec<Limit>>,
    /// By atom: what must hold for its bound to be its value.
    requires: Vec<Vec<Less>>,
    free: u32,
}

impl Atoms {
    pub(super) fn get(&self, id: AtomId) -> &Atom {
        &self.atoms[id.0 as usize]
    }

    /// The variable for `atom`; `true` where it is new.
    pub(super) fn intern(&mut self, atom: Atom) -> (AtomId, bool) {
        if let Some(id) = self.known.get(&atom) {
            return (*id, false);
        }
        let id = AtomId(self.atoms.len() as u32);
        self.known.insert(atom.clone(), id);
        self.atoms.push(atom);
        self.limits.push(Vec::new());
        self.requires.push(Vec::new());
        (id, true)
    }

    /// A number about which nothing is known but what it is below.
    pub(super) fn free(&mut self, limits: Vec<Limit>) -> Form {
        self.free += 1;
        let (id, _) = self.intern(Atom::Free(self.free));
        self.limits[id.0 as usize] = limits;
        Form::atom(id)
    }

    /// A variable that is known already.
    pub(super) fn find(&self, atom: &Atom) -> Option<AtomId> {
        self.known.get(atom).copied()
    }

    pub(super) fn uniform(&mut self, uniform: Uniform) -> Form {
        if let Uniform::Known(Bound::Const(number)) = uniform {
            return Form::constant(number.into());
        }
        Form::atom(self.intern(Atom::Uniform(uniform)).0)
    }

    /// A number that the host computes, if something holds.
    pub(super) fn computed(&mut self, bound: Bound, requires: Vec<Less>) -> Form {
        let form = self.uniform(Uniform::Known(bound));
        if let Some(id) = form.as_atom() {
            let known = &mut self.requires[id.0 as usize];
            known.extend(requires.into_iter().filter(|new| !known.contains(new)).collect::<Vec<_>>());
        }
        form
    }

    pub(super) fn limit(&mut self, id: AtomId, limit: Limit) {
        self.limits[id.0 as usize].push(limit);
    }

    pub(super) fn limits(&self, id: AtomId) -> &[Limit] {
        &self.limits[id.0 as usize]
    }

    pub(super) fn requires(&self, id: AtomId) -> &[Less] {
        &self.requires[id.0 as usize]
    }

    pub(super) fn is_uniform(&self, id: AtomId) -> bool {
        matches!(self.get(id), Atom::Uniform(_))
    }

    /// Whether a form is the same in all invocations of a launch.
    pub(super) fn is_launch_wide(&self, form: &Form) -> bool {
        form.atoms().all(|atom| self.is_uniform(atom))
    }

    /// The host's computation of a natural form of the launch; adds the conditions under which it is right.
    pub(super) fn bound(&self, form: &Form, requires: &mut Vec<Less>) -> Option<Bound> {
        let mut sum: Option<Bound> = None;
        for (product, factor) in form.terms() {
            let factor = u128::try_from(*factor).ok()?;
            let mut term: Option<Bound> = None;
            let mut multiply = |by: Bound| {
                term = Some(match term.take() {
                    Some(term) => Bound::binary(BoundOp::Mul, term, by),
                    None => by,
                });
            };
            for atom in product.iter() {
                let Atom::Uniform(Uniform::Known(bound)) = self.get(*atom) else { return None };
                requires.extend_from_slice(self.requires(*atom));
                multiply(bound.clone());
            }
            if factor != 1 || product.is_empty() {
                multiply(number(factor)?);
            }
            sum = Some(match (sum, term?) {
                (Some(sum), term) => Bound::binary(BoundOp::Add, sum, term),
                (None, term) => term,
            });
        }
        Some(sum.unwrap_or(Bound::Const(0)))
    }
}

/// A number as one of the host's.
fn number(number: u128) -> Option<Bound> {
    if let Ok(small) = u32::try_from(number) {
        return Some(Bound::Const(small));
    }
    let part = 1u128 << 16;
    let (high, low) = (u32::try_from(number / part).ok()?, (number % part) as u32);
    // Not put together again: constants have 32 bits.
    let high = Bound::Binary(BoundOp::Mul, Arc::new([Bound::Const(part as u32), Bound::Const(high)]));
    Some(Bound::binary(BoundOp::Add, high, Bound::Const(low)))
}
