//! Shared variables in the derived kernel: their adjoints, which are atomic, and their contents, of which each invocation keeps a part.

use crate::arena::EntityId;
use crate::ir::{
    Atomic, AtomicOp, Builtin, InstId, InstKind, LocalId, Module, Order, Place, Root, Scope, Shared, SharedId, Step,
    ValueId,
};
use crate::op::Op;
use crate::types::{Scalar, Type, TypeId, Types};

use super::activity::Activity;
use super::contents::{Again, cells, stripe};
use super::refusal::{Refusal, Refused};
use super::reverse::Reverse;

/// A variable whose contents are kept: the invocation's own, or a shared one, of which the invocation holds its part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// Of the invocation.
    Local(LocalId),
    /// Of the workgroup.
    Shared(SharedId),
}

/// Adds the adjoints of shared variables to the derived module: by variable of the source.
pub(super) fn shadows(
    source: &Module,
    activity: &Activity,
    result: &mut Module,
) -> Result<Vec<Option<SharedId>>, Refusal> {
    let Some(kernel) = &source.kernel else { return Ok(Vec::new()) };
    let mut shadows = vec![None; kernel.shared.len()];
    for (id, shared) in kernel.shared.iter().filter(|(id, _)| activity.is_active_shared(*id)) {
        let mut insts = source.functions[kernel.function].insts.iter();
        let atomic = insts
            .find(|(_, inst)| matches!(&inst.kind, InstKind::Atomic(atomic) if atomic.place.root == Root::Shared(id)));
        if let Some((_, inst)) = atomic {
            let refused = Refused::SharedAtomic { name: shared.name.clone() };
            return Err(Refusal { location: inst.location, refused });
        }
        let Some(ty) = atomic_cells(&mut result.types, shared.ty) else {
            let ty = source.types.display(shared.ty).to_string();
            return Err(Refusal { location: None, refused: Refused::SharedType { name: shared.name.clone(), ty } });
        };
        let Some(kernel) = &mut result.kernel else { continue };
        let mut name = format!("d_{}", shared.name);
        while kernel.shared.iter().any(|(_, other)| other.name == name) {
            name.insert(0, 'd');
        }
        shadows[id.index()] = Some(kernel.shared.push(Shared { name, ty }));
    }
    Ok(shadows)
}

/// The type with an atomic cell for each float.
fn atomic_cells(types: &mut Types, ty: TypeId) -> Option<TypeId> {
    Some(match types.get(ty).clone() {
        Type::Scalar(scalar @ (Scalar::F32 | Scalar::F64)) => types.scalar(scalar.unsigned()),
        Type::Vector(scalar @ (Scalar::F32 | Scalar::F64), lanes) => {
            let cell = types.scalar(scalar.unsigned());
            types.array(cell, u32::from(lanes))
        }
        Type::Array(element, len) => {
            let element = atomic_cells(types, element)?;
            types.array(element, len)
        }
        _ => return None,
    })
}

impl Reverse<'_, '_> {
    /// Waits for the other invocations of the workgroup.
    pub(super) fn wait(&mut self) {
        self.b.append(InstKind::Barrier(Scope::Workgroup), &[]);
    }

    fn shared_access(&mut self, op: AtomicOp, place: &Place, operand: Option<ValueId>, ty: TypeId) -> Option<ValueId> {
        let operands: Vec<ValueId> = operand.into_iter().collect();
        let atomic = Atomic {
            op,
            place: place.clone(),
            operands: operands.as_slice().into(),
            order: Order::Relaxed,
            scope: Scope::Workgroup,
        };
        let results = if op == AtomicOp::Store { vec![] } else { vec![ty] };
        self.b.append(InstKind::Atomic(Box::new(atomic)), &results).first().copied()
    }

    /// The adjoint of a shared variable's cell, by the place in the source.
    fn shared_adjoint(&mut self, place: &Place) -> Option<Place> {
        let Root::Shared(shared) = place.root else { return None };
        let shadow = self.shared_shadows[shared.index()]?;
        Some(self.with_root(place, Root::Shared(shadow)))
    }

    /// A read of a shared variable on the way back.
    pub(super) fn add_to_shared(&mut self, place: &Place, g: ValueId) {
        if let Some(place) = self.shared_adjoint(place) {
            self.add_shared_cells(&place, g);
        }
    }

    fn add_shared_cells(&mut self, place: &Place, g: ValueId) {
        let ty = self.b.value_type(g);
        match self.b.types().get(ty) {
            Type::Vector(..) | Type::Array(..) => {
                for field in 0..self.members(ty) {
                    let member = self.b.extract(g, &[field]);
                    let mut inner = place.clone();
                    inner.path.push(Step::Field(field));
                    self.add_shared_cells(&inner, member);
                }
            }
            _ => {
                self.shared_access(AtomicOp::Add, place, Some(g), ty);
            }
        }
    }

    /// Takes the adjoint of a place of type `ty`, and leaves zero.
    pub(super) fn take_shared(&mut self, place: &Place, ty: TypeId) -> Option<ValueId> {
        let place = self.shared_adjoint(place)?;
        self.take_shared_cells(&place, ty)
    }

    fn take_shared_cells(&mut self, place: &Place, ty: TypeId) -> Option<ValueId> {
        if matches!(self.b.types().get(ty), Type::Vector(..) | Type::Array(..)) {
            let mut members = Vec::new();
            for field in 0..self.members(ty) {
                let mut inner = place.clone();
                inner.path.push(Step::Field(field));
                let member = self.b.types().member(ty, field)?;
                members.push(self.take_shared_cells(&inner, member)?);
            }
            return Some(self.b.compose(ty, &members));
        }
        let g = self.shared_access(AtomicOp::Load, place, None, ty);
        let zero = super::rules::zero(&mut self.b, ty);
        self.shared_access(AtomicOp::Store, place, Some(zero), ty);
        g
    }

    /// The variable in which an invocation keeps its part of a shared one.
    fn part(&mut self, shared: SharedId) -> LocalId {
        if let Some(known) = self.parts[shared.index()] {
            return known;
        }
        let Some(kernel) = &self.source.kernel else { unreachable!("a kernel is derived") };
        let of = &kernel.shared[shared];
        let (cell, _) = cells(&self.source.types, of.ty).expect("parts are of known size");
        let (count, _) = stripe(&kernel.workgroup, &self.source.types, of.ty).expect("parts are of known size");
        let ty = self.b.types_mut().array(cell, count);
        let part = self.b.new_local(format!("part_of_{}", of.name), ty);
        self.parts[shared.index()] = Some(part);
        part
    }

    /// The place where the invocation has a variable's contents.
    pub(super) fn held_place(&mut self, held: Held) -> Place {
        Place::local(match held {
            Held::Local(local) => self.own_local(local),
            Held::Shared(shared) => self.part(shared),
        })
    }

    /// Copies the invocation's parts of shared variables out of them; all invocations of the workgroup do.
    pub(super) fn gather(&mut self, held: impl Iterator<Item = Held>) {
        self.copy_parts(held, true);
    }

    /// Puts them back.
    pub(super) fn scatter(&mut self, held: impl Iterator<Item = Held>) {
        self.copy_parts(held, false);
    }

    fn copy_parts(&mut self, held: impl Iterator<Item = Held>, out: bool) {
        let shared: Vec<SharedId> = held
            .filter_map(|held| match held {
                Held::Shared(shared) => Some(shared),
                Held::Local(_) => None,
            })
            .collect();
        if shared.is_empty() {
            return;
        }
        self.wait();
        let own = self.b.builtin(Builtin::LocalIndex);
        shared.into_iter().for_each(|shared| self.copy_part(shared, own, out));
        self.wait();
    }

    fn copy_part(&mut self, shared: SharedId, own: ValueId, out: bool) {
        let Some(kernel) = &self.source.kernel else { return };
        let ty = kernel.shared[shared].ty;
        let width = kernel.workgroup.iter().filter_map(|size| size.known()).product::<u32>();
        let Some((_, lens)) = cells(&self.source.types, ty) else { return };
        let Some((parts, count)) = stripe(&kernel.workgroup, &self.source.types, ty) else { return };
        let part = self.part(shared);
        for at in 0..parts {
            let offset = self.b.const_u32(at * width);
            let cell = self.b.op(Op::Add, &[own, offset]);
            let copy = |reverse: &mut Self| {
                let there = reverse.cell_of(shared, cell, &lens);
                let here = Place { root: Root::Local(part), path: [Step::Field(at)].into(), is_unordered: false };
                let (from, to) = if out { (there, here) } else { (here, there) };
                let value = reverse.b.load(from);
                reverse.b.store(to, value);
            };
            if (at + 1) * width <= count {
                copy(self);
                continue;
            }
            let end = self.b.const_u32(count);
            let is_there = self.b.op(Op::Lt, &[cell, end]);
            let (yes, no) = (self.b.new_block(), self.b.new_block());
            let parent = self.b.switch_to(yes);
            copy(self);
            self.b.switch_to(parent);
            self.b.push_if(is_there, yes, no, &[]);
        }
    }

    /// The cell with a number.
    fn cell_of(&mut self, shared: SharedId, cell: ValueId, lens: &[u32]) -> Place {
        let mut steps = Vec::new();
        let mut rest = cell;
        for (at, len) in lens.iter().enumerate().rev() {
            let value = if at == 0 {
                rest
            } else {
                let len = self.b.const_u32(*len);
                let inner = self.b.op(Op::Rem, &[rest, len]);
                rest = self.b.op(Op::Div, &[rest, len]);
                inner
            };
            steps.insert(0, Step::Index { value, check: None });
        }
        if lens.is_empty() {
            steps.clear();
        }
        Place { root: Root::Shared(shared), path: steps.as_slice().into(), is_unordered: false }
    }

    /// The shared variables whose contents code of a region needs back.
    pub(super) fn shared_of(&self, id: InstId, which: Again) -> Vec<Held> {
        let reads = self.contents.region(id).reads.iter();
        reads.filter(|(_, again)| *again == which).map(|(shared, _)| Held::Shared(*shared)).collect()
    }

    /// Goes on with the stores that a region reads from; gives back which were done before.
    pub(super) fn only_stores_of(&mut self, id: InstId) -> Vec<bool> {
        let before = self.stores.clone();
        for at in 0..before.len() {
            self.stores[at] &= self.contents.region(id).reads.iter().any(|(shared, _)| shared.index() == at);
        }
        before
    }

    /// Waits before code runs again that stores what other invocations may still read.
    pub(super) fn wait_before(&mut self, id: InstId) {
        let writes = |(shared, again): &(SharedId, Again)| {
            self.stores[shared.index()] && matches!(again, Again::Writes | Again::EachRound)
        };
        if self.contents.region(id).reads.iter().any(writes) {
            self.wait();
        }
    }
}
