//! Memory on the way back: a read adds to an adjoint, a write takes it; variables are put back to what they held before.

use crate::arena::EntityId;
use crate::ir::{Atomic, AtomicOp, InstId, InstKind, LocalId, Order, Place, Root, Scope, Step, ValueId};
use crate::op::Op;
use crate::types::{Type, TypeId};

use super::exchange::Held;
use super::matrices;
use super::reverse::Reverse;
use super::rules;
use super::shadows::{Shadow, ShadowKind, scalar_offset};

impl Reverse<'_, '_> {
    /// The variable that takes the place of one of the source.
    fn local(&mut self, local: LocalId) -> LocalId {
        if let Some(known) = self.locals[local.index()] {
            return known;
        }
        let of = &self.function.locals[local];
        let new = self.b.new_local(of.name.clone(), of.ty);
        self.locals[local.index()] = Some(new);
        new
    }

    fn local_adjoint(&mut self, local: LocalId) -> LocalId {
        if let Some(known) = self.local_adjoints[local.index()] {
            return known;
        }
        let of = &self.function.locals[local];
        let ty = matrices::adjoint_type(self.b.types_mut(), of.ty);
        let new = self.b.new_local(format!("d_{}", of.name), ty);
        self.local_adjoints[local.index()] = Some(new);
        new
    }

    /// A place of the source, with the values as they are now.
    pub(super) fn place(&mut self, place: &Place) -> Place {
        let root = match place.root {
            Root::Local(local) => Root::Local(self.local(local)),
            Root::Member(list, member) => Root::Member(list, self.get(member)),
            other => other,
        };
        self.with_root(place, root)
    }

    pub(super) fn with_root(&self, place: &Place, root: Root) -> Place {
        let steps: Vec<_> = place
            .path
            .iter()
            .map(|step| match *step {
                Step::Index { value, check } => Step::Index { value: self.get(value), check },
                other => other,
            })
            .collect();
        Place { root, path: steps.as_slice().into(), is_unordered: place.is_unordered }
    }

    /// The place of the adjoint, if it is one of the same shape.
    fn adjoint_place(&mut self, place: &Place) -> Option<(Place, ShadowKind)> {
        let (root, kind) = match place.root {
            Root::Local(local) => (Root::Local(self.local_adjoint(local)), ShadowKind::Taken),
            Root::Buffer(buffer) => {
                let shadow = self.shadows.buffers[buffer.index()]?;
                (Root::Buffer(shadow.buffer), shadow.kind)
            }
            Root::Shared(_) | Root::Member(..) => return None,
        };
        Some((self.with_root(place, root), kind))
    }

    /// The contents of an output's adjoint.
    pub(super) fn load_shadow(&mut self, place: &Place) -> Option<(ValueId, ShadowKind)> {
        let (place, kind) = self.adjoint_place(place)?;
        Some((self.b.load(place), kind))
    }

    pub(super) fn backward_load(&mut self, place: &Place, result: ValueId) {
        let g = self.adjoint(result);
        if let Root::Shared(_) = place.root {
            return self.add_to_shared(place, g);
        }
        if let Root::Buffer(buffer) = place.root
            && let Some(shadow @ Shadow { kind: ShadowKind::Atomic(_), .. }) = self.shadows.buffers[buffer.index()]
        {
            return self.add_atomically(shadow, place, g);
        }
        if let Some((place, _)) = self.adjoint_place(place) {
            self.add_to(&place, g);
        }
    }

    pub(super) fn backward_store(&mut self, place: &Place, value: ValueId) {
        if let Root::Shared(_) = place.root {
            if let Some(g) = self.take_shared(place, self.ty(value)) {
                self.give(value, g);
            }
            return;
        }
        let Some((shadow, kind)) = self.adjoint_place(place) else { return };
        if self.is_active(value) {
            let g = self.b.load(shadow.clone());
            self.give(value, g);
        }
        if kind == ShadowKind::Taken {
            let ty = self.adjoint_type(value);
            let nothing = rules::zero(&mut self.b, ty);
            self.b.store(shadow, nothing);
        }
    }

    /// Adds to the scalars that the place consists of, in the shadow of its buffer.
    fn add_atomically(&mut self, shadow: Shadow, place: &Place, g: ValueId) {
        let (Root::Buffer(buffer), ShadowKind::Atomic(scalar)) = (place.root, shadow.kind) else { return };
        let Some(kernel) = &self.source.kernel else { return };
        let types = &self.source.types;
        let mut ty = kernel.buffers[buffer].element;
        let Some((Step::Index { value, check }, rest)) = place.path.split_first() else { return };
        let index = self.get(*value);
        if matches!(types.get(ty), Type::Scalar(_)) {
            let cell = Place::element(shadow.buffer, index, *check);
            let wide = self.b.types_mut().scalar(scalar);
            let g = if self.b.value_type(g) == wide { g } else { self.b.cast(g, wide) };
            return self.add_scalar(cell, g);
        }
        // An index out of range would be another one's scalars.
        let len = self.b.len(buffer);
        let is_inside = self.b.op(Op::Lt, &[index, len]);
        let (inside, outside) = (self.b.new_block(), self.b.new_block());
        let parent = self.b.switch_to(inside);
        let words = crate::layout::Layout::of(types, ty).map_or(1, |layout| layout.size / (scalar.bits() / 8));
        let words = self.b.const_u32(words);
        let mut at = self.b.op(Op::Mul, &[index, words]);
        for step in rest {
            match step {
                Step::Field(field) => {
                    let offset = scalar_offset(types, ty, *field, scalar).unwrap_or(0);
                    let offset = self.b.const_u32(offset);
                    at = self.b.op(Op::Add, &[at, offset]);
                    ty = types.member(ty, *field).unwrap_or(ty);
                }
                Step::Index { value, .. } => {
                    let stride = scalar_offset(types, ty, 1, scalar).unwrap_or(1);
                    let (stride, value) = (self.b.const_u32(stride), self.get(*value));
                    let offset = self.b.op(Op::Mul, &[value, stride]);
                    at = self.b.op(Op::Add, &[at, offset]);
                    ty = types.member(ty, 0).unwrap_or(ty);
                }
                Step::Element(_) | Step::Joined { .. } => {}
            }
        }
        self.add_flat(shadow, at, ty, g);
        self.b.switch_to(parent);
        self.b.push_if(is_inside, inside, outside, &[]);
    }

    /// Adds the floats of a value to the scalars from `at` on.
    pub(super) fn add_flat(&mut self, shadow: Shadow, at: ValueId, ty: TypeId, g: ValueId) {
        let ShadowKind::Atomic(scalar) = shadow.kind else { return };
        match self.b.types().get(ty).clone() {
            Type::Scalar(of) => {
                if of.is_float() {
                    let site = self.site();
                    self.add_scalar(Place::element(shadow.buffer, at, site), g);
                }
            }
            Type::Vector(of, _) if !of.is_float() => {}
            Type::Vector(..) | Type::Array(..) | Type::Struct(_) => {
                for field in 0..self.members(ty) {
                    let offset = scalar_offset(self.b.types(), ty, field, scalar).unwrap_or(0);
                    let Some(member_type) = self.b.types().member(ty, field) else { continue };
                    let member = self.b.extract(g, &[field]);
                    let offset = self.b.const_u32(offset);
                    let place = self.b.op(Op::Add, &[at, offset]);
                    self.add_flat(shadow, place, member_type, member);
                }
            }
            Type::Unit | Type::Tuple(_) | Type::Coop(_) => {}
        }
    }

    /// A site for checks of what has none in the source.
    pub(super) fn site(&mut self) -> Option<crate::ir::SiteId> {
        let location = self.function.location.or_else(|| {
            let mut all = self.function.insts.iter();
            all.find_map(|(_, inst)| inst.location)
        })?;
        Some(self.b.site(crate::descriptor::SiteKind::IndexOutOfBounds, location, "the gradient's element"))
    }

    pub(super) fn add_scalar(&mut self, place: Place, g: ValueId) {
        let ty = self.b.value_type(g);
        let atomic =
            Atomic { op: AtomicOp::Add, place, operands: [g].into(), order: Order::Relaxed, scope: Scope::Device };
        self.b.append(InstKind::Atomic(Box::new(atomic)), &[ty]);
    }

    /// The variables whose contents are needed and that the instruction's blocks write or read.
    pub(super) fn touched(&self, id: InstId) -> Vec<Held> {
        let mut touched = Vec::new();
        self.find_touched(id, &mut touched);
        touched
    }

    fn find_touched(&self, id: InstId, touched: &mut Vec<Held>) {
        for block in self.function.insts[id].kind.blocks() {
            for inner in &self.function.blocks[block].insts {
                if let InstKind::Store(Place { root: Root::Local(local), .. }, _)
                | InstKind::Load(Place { root: Root::Local(local), .. }) = self.function.insts[*inner].kind
                    && self.needs.local(local)
                    && !touched.contains(&Held::Local(local))
                {
                    touched.push(Held::Local(local));
                }
                self.find_touched(*inner, touched);
            }
        }
    }

    /// The present contents of variables.
    pub(super) fn keep(&mut self, held: &[Held]) -> Vec<(Held, ValueId)> {
        self.gather(held.iter().copied());
        held.iter()
            .map(|held| {
                let place = self.held_place(*held);
                (*held, self.b.load(place))
            })
            .collect()
    }

    /// Gives variables back what they held.
    pub(super) fn restore(&mut self, held: &[(Held, ValueId)]) {
        for (held, value) in held {
            let place = self.held_place(*held);
            self.b.store(place, *value);
        }
        self.scatter(held.iter().map(|(held, _)| *held));
    }

    /// The variable of the derived kernel.
    pub(super) fn own_local(&mut self, local: LocalId) -> LocalId {
        self.local(local)
    }
}
