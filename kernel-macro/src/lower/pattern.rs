//! Patterns: whether a value matches, and what its variables then are. Both are pure, so nothing is evaluated out of turn.

use gridwise_ir::ir::{Place, ValueId};
use gridwise_ir::op::Op;
use proc_macro2::Ident;

use super::function::{FnCx, Slot};
use super::place::Spot;
use crate::ast::{BindingId, Expr, ExprId, Pattern, rest_range, spread};
use crate::infer::{holds_slice, taken_place};
use crate::typed::{ConstValue, Len, Resolution, Ty};

/// The value that patterns take apart.
#[derive(Clone)]
pub(super) struct Taken<'p> {
    pub(super) ty: &'p Ty,
    pub(super) value: Option<ValueId>,
    /// Its place, if names in the patterns are references to parts of it.
    pub(super) place: Option<Place>,
}

/// A variable and its value.
struct Bound<'e> {
    binding: BindingId,
    name: &'e Ident,
    mutable: bool,
    value: Option<ValueId>,
}

impl<'p> FnCx<'p, '_, '_> {
    /// A place whose parts patterns name to write them, and its value now.
    pub(super) fn lower_written(&mut self, value: &Expr) -> Taken<'p> {
        let ty = self.ty_of(value);
        let spot = self.lower_referent(taken_place(value)).filter(|_| self.ty(ty).is_some());
        // An index out of range was recorded where the place was looked up.
        let place = spot.map(|spot| self.in_place(spot)).map(|place| self.seen_before(place));
        let value = place.clone().filter(|_| !self.b.is_terminated()).map(|place| self.b.load(place));
        Taken { ty, value, place }
    }

    /// Binds the variables of a pattern to the parts of what it takes apart.
    pub(super) fn bind_taken(&mut self, pattern: &Pattern, taken: &Taken<'_>) {
        let Some(place) = &taken.place else { return self.bind_pattern(pattern, taken.ty, taken.value) };
        let mut bound = Vec::new();
        self.bindings(pattern, taken.ty, taken.value, &mut bound);
        bound.retain(|bound| !self.typed.references.contains_key(&bound.binding));
        for Bound { binding, name, mutable, value } in bound {
            self.bind(binding, name, mutable, value);
        }
        self.bind_written(pattern, taken.ty, Some(Spot::at(place.clone())));
    }

    /// Makes the variables of a pattern that are references names of the parts of a place.
    fn bind_written(&mut self, pattern: &Pattern, ty: &Ty, spot: Option<Spot>) {
        if let Pattern::Binding { binding, .. } = pattern
            && self.typed.references.contains_key(binding)
        {
            let slot = spot.clone().map_or(Slot::Nothing, |spot| self.alias(spot));
            self.set_slot(*binding, slot);
        }
        match pattern {
            Pattern::Binding { .. } | Pattern::Reference(..) | Pattern::Ref(..) | Pattern::RefMut(..) => {
                pattern.children().into_iter().for_each(|inner| self.bind_written(inner, ty, spot.clone()));
            }
            // Alternatives with names are arms of their own.
            Pattern::Or(..) => {}
            _ => {
                let variant = self.variant_named(pattern);
                for (index, member) in self.pairs_in(pattern, ty) {
                    let (ty, position) = self.position_in(ty, variant, index);
                    let part = spot.clone().zip(position).map(|(spot, position)| spot.member(position));
                    self.bind_written(member, &ty, part);
                }
            }
        }
    }

    /// The type of a member, and its position in IR; `None` when it has no value.
    fn position_in(&mut self, ty: &Ty, variant: Option<u32>, index: u32) -> (Ty, Option<u32>) {
        if let Some(variant) = variant {
            let (member_ty, _) = self.variant_part(ty, None, variant, index);
            let layout = self.shared.types.enum_layout(self.b.types_mut(), ty);
            let position = layout.and_then(|layout| layout.positions[variant as usize].get(index as usize).copied());
            return (member_ty, position.flatten());
        }
        let (member_ty, _) = self.member_of(ty, None, index);
        let position = match ty {
            Ty::Vector(..) => Some(index),
            _ if self.ty(&member_ty).is_none() => None,
            _ => Some(self.shared.types.position(self.b.types_mut(), ty, index)),
        };
        (member_ty, position)
    }
}

impl FnCx<'_, '_, '_> {
    /// Binds the variables of a pattern to the parts of a value of type `ty`; without a value they are only declared.
    pub(super) fn bind_pattern(&mut self, pattern: &Pattern, ty: &Ty, value: Option<ValueId>) {
        let mut bound = Vec::new();
        self.bindings(pattern, ty, value, &mut bound);
        for Bound { binding, name, mutable, value } in bound {
            self.bind(binding, name, mutable, value);
        }
    }

    fn bindings<'e>(&mut self, pattern: &'e Pattern, ty: &Ty, value: Option<ValueId>, bound: &mut Vec<Bound<'e>>) {
        match pattern {
            Pattern::Binding { name, mutable, binding, inner } => {
                bound.push(Bound { binding: *binding, name, mutable: *mutable, value });
                if let Some(inner) = inner {
                    self.bindings(inner, ty, value, bound);
                }
            }
            Pattern::Reference(inner, _) | Pattern::Ref(inner, _) | Pattern::RefMut(inner, _) => {
                self.bindings(inner, ty, value, bound);
            }
            Pattern::Or(cases, _) => {
                self.alternatives(cases, ty, value, bound, |cx, number| cx.test(&cases[number], ty, value));
            }
            Pattern::Slice { members, .. } if matches!(ty, Ty::Buffer { .. }) => {
                for (member, ty, value) in self.elements_in(members, ty, value) {
                    self.bindings(member, &ty, value, bound);
                }
                if let Some((Pattern::Binding { name, mutable, .. }, binding, value)) = self.rest_of(members, ty, value)
                {
                    bound.push(Bound { binding, name, mutable: *mutable, value });
                }
            }
            _ => {
                for (member, ty, value) in self.members_in(pattern, ty, value) {
                    self.bindings(member, &ty, value, bound);
                }
                if let (Pattern::Slice { members, .. }, Ty::Array(_, Len::Known(len))) = (pattern, ty) {
                    self.rest_of_slice(members, *len, value, bound);
                }
            }
        }
    }

    /// Binds the variables of the alternative that `chosen` numbers.
    pub(super) fn bind_chosen(&mut self, cases: &[Pattern], ty: &Ty, value: Option<ValueId>, chosen: ValueId) {
        let mut bound = Vec::new();
        self.alternatives(cases, ty, value, &mut bound, |cx, number| {
            let number = cx.u32(number as u32);
            Some(cx.b.op(Op::Eq, &[chosen, number]))
        });
        for Bound { binding, name, mutable, value } in bound {
            self.bind(binding, name, mutable, value);
        }
    }

    /// `a | b`: each variable is that of the first alternative whose test holds, or of the last one.
    fn alternatives<'e>(
        &mut self,
        cases: &'e [Pattern],
        ty: &Ty,
        value: Option<ValueId>,
        bound: &mut Vec<Bound<'e>>,
        mut test: impl FnMut(&mut Self, usize) -> Option<ValueId>,
    ) {
        let mut chosen: Option<Vec<Bound<'e>>> = None;
        for (number, case) in cases.iter().enumerate().rev() {
            let mut found = Vec::new();
            match if takes_slices(case, ty) { test(self, number) } else { None } {
                Some(test) => self.bindings_where(test, case, ty, value, &mut found),
                None => self.bindings(case, ty, value, &mut found),
            }
            if found.is_empty() {
                return;
            }
            if let Some(others) = &chosen
                && let Some(test) = test(self, number)
            {
                for bound in &mut found {
                    let other = others.iter().find(|other| other.binding == bound.binding).and_then(|it| it.value);
                    bound.value = match (bound.value, other) {
                        (Some(this), Some(other)) => Some(self.select(test, this, other)),
                        (this, other) => this.or(other),
                    };
                }
            }
            chosen = Some(found);
        }
        bound.extend(chosen.into_iter().flatten());
    }

    /// As [`bindings`](Self::bindings), of a pattern that takes elements of a slice, which are only there where it matches.
    fn bindings_where<'e>(
        &mut self,
        test: ValueId,
        pattern: &'e Pattern,
        ty: &Ty,
        value: Option<ValueId>,
        bound: &mut Vec<Bound<'e>>,
    ) {
        let mut held = Vec::new();
        pattern.for_each_binding(&mut |name, binding| held.push((name, binding)));
        let typed = self.typed;
        let held: Vec<_> = held
            .into_iter()
            .filter_map(|(name, binding)| {
                let ty = self.ty(typed.binding(binding))?;
                let zero = self.zero(ty);
                Some((binding, self.spill(zero, &name.to_string())))
            })
            .collect();
        let local = |binding: BindingId| held.iter().find(|(known, _)| *known == binding).map(|(_, local)| *local);
        self.when(test, |cx| {
            cx.bindings(pattern, ty, value, bound);
            for Bound { binding, value, .. } in bound.iter() {
                if let (Some(value), Some(local)) = (*value, local(*binding)) {
                    cx.b.store(Place::local(local), value);
                }
            }
        });
        for Bound { binding, value, .. } in bound {
            *value = local(*binding).map(|local| self.b.load(Place::local(local)));
        }
    }

    /// `[a, rest @ .., b]`
    fn rest_of_slice<'e>(
        &mut self,
        members: &'e [Pattern],
        len: u32,
        value: Option<ValueId>,
        bound: &mut Vec<Bound<'e>>,
    ) {
        let Some((Pattern::Binding { name, mutable, binding, .. }, first, missing)) = rest_range(members, len as usize)
        else {
            return;
        };
        let rest_ty = self.typed.binding(*binding).clone();
        let rest = match (self.ty(&rest_ty), value) {
            (Some(rest), Some(value)) => {
                let parts: Vec<_> =
                    (first..first + missing).map(|index| self.b.extract(value, &[index as u32])).collect();
                Some(self.compose(rest, &parts))
            }
            _ => None,
        };
        bound.push(Bound { binding: *binding, name, mutable: *mutable, value: rest });
    }

    /// Whether a value matches; `None` when it always does.
    pub(super) fn test(&mut self, pattern: &Pattern, ty: &Ty, value: Option<ValueId>) -> Option<ValueId> {
        match pattern {
            Pattern::Binding { inner: Some(inner), .. }
            | Pattern::Reference(inner, _)
            | Pattern::Ref(inner, _)
            | Pattern::RefMut(inner, _) => self.test(inner, ty, value),
            Pattern::Binding { inner: None, .. } | Pattern::Wild(_) | Pattern::Rest(_) => None,
            Pattern::Or(cases, _) => {
                let tests: Vec<_> = cases.iter().map(|case| self.test(case, ty, value)).collect();
                let tests: Option<Vec<ValueId>> = tests.into_iter().collect();
                tests.and_then(|tests| self.all_of(Op::Or, tests))
            }
            Pattern::Literal(literal) => {
                let expected = self.lower_expr(literal)?;
                Some(self.matches_scalar(value?, expected))
            }
            Pattern::Range { start, end, inclusive, .. } => {
                let value = value?;
                let mut tests = Vec::new();
                if let Some(start) = start {
                    let start = self.lower_expr(start)?;
                    tests.push(self.compare_op(Op::Ge, value, start));
                }
                if let Some(end) = end {
                    let end = self.lower_expr(end)?;
                    tests.push(self.compare_op(if *inclusive { Op::Le } else { Op::Lt }, value, end));
                }
                self.all_of(Op::And, tests)
            }
            Pattern::Path { id, .. } => match self.typed.variants.get(id) {
                Some(variant) => self.is_variant(ty, value?, *variant),
                None => self.test_const(*id, ty, value),
            },
            Pattern::Slice { members, .. } if matches!(ty, Ty::Buffer { .. }) => self.test_slice(members, ty, value),
            Pattern::Tuple(..) | Pattern::Slice { .. } | Pattern::TupleStruct { .. } | Pattern::Struct { .. } => {
                let mut tests = Vec::new();
                if let (Some(variant), Some(value)) = (self.variant_named(pattern), value) {
                    tests.extend(self.is_variant(ty, value, variant));
                }
                // The slice of another variant is none.
                if let ([is_variant], true) = (tests.as_slice(), takes_slices(pattern, ty)) {
                    let (is_variant, bool_ty) = (*is_variant, self.b.value_type(*is_variant));
                    let inner = |cx: &mut Self| {
                        let tests = cx.member_tests(pattern, ty, value);
                        let all = cx.all_of(Op::And, tests);
                        Some(all.unwrap_or_else(|| cx.bool(true)))
                    };
                    return self.choose(is_variant, Some(bool_ty), inner, |cx| Some(cx.bool(false)));
                }
                tests.extend(self.member_tests(pattern, ty, value));
                self.all_of(Op::And, tests)
            }
        }
    }

    fn member_tests(&mut self, pattern: &Pattern, ty: &Ty, value: Option<ValueId>) -> Vec<ValueId> {
        let members = self.members_in(pattern, ty, value);
        members.into_iter().filter_map(|(member, ty, value)| self.test(member, &ty, value)).collect()
    }

    pub(super) fn all_of(&mut self, op: Op, tests: Vec<ValueId>) -> Option<ValueId> {
        tests.into_iter().reduce(|a, b| self.b.op(op, &[a, b]))
    }

    fn matches_scalar(&mut self, value: ValueId, expected: ValueId) -> ValueId {
        let is_bool = *self.b.types().get(self.b.value_type(value))
            == gridwise_ir::types::Type::Scalar(gridwise_ir::types::Scalar::Bool);
        match self.known_scalar(expected) {
            Some(1) if is_bool => value,
            Some(0) if is_bool => self.b.op(Op::Not, &[value]),
            _ => self.compare_op(Op::Eq, value, expected),
        }
    }

    fn test_const(&mut self, id: ExprId, ty: &Ty, value: Option<ValueId>) -> Option<ValueId> {
        let constant = match self.typed.paths.get(&id)? {
            Resolution::Value(value) => value.clone(),
            Resolution::Const(item) => self.const_of(*item).value.clone(),
            Resolution::Binding(_) | Resolution::Unit | Resolution::Param | Resolution::Chosen(_) => return None,
        };
        self.test_value(&constant, ty, value)
    }

    /// Whether a value is a constant, member by member, as patterns compare.
    fn test_value(&mut self, constant: &ConstValue, ty: &Ty, value: Option<ValueId>) -> Option<ValueId> {
        match constant {
            ConstValue::Aggregate(members) => {
                let mut tests = Vec::new();
                for (index, member) in (0u32..).zip(members) {
                    let (ty, part) = self.member_of(ty, value, index);
                    tests.extend(self.test_value(member, &ty, part));
                }
                self.all_of(Op::And, tests)
            }
            ConstValue::Variant(variant, members) => {
                let mut tests: Vec<_> = self.is_variant(ty, value?, *variant).into_iter().collect();
                for (index, member) in (0u32..).zip(members) {
                    let (ty, part) = self.variant_part(ty, value, *variant, index);
                    tests.extend(self.test_value(member, &ty, part));
                }
                self.all_of(Op::And, tests)
            }
            scalar => {
                let expected = self.constant(scalar, ty)?;
                Some(self.matches_scalar(value?, expected))
            }
        }
    }

    /// The variant that a pattern with a path names.
    pub(super) fn variant_named(&self, pattern: &Pattern) -> Option<u32> {
        match pattern {
            Pattern::Path { id, .. } | Pattern::TupleStruct { id, .. } | Pattern::Struct { id, .. } => {
                self.typed.variants.get(id).copied()
            }
            _ => None,
        }
    }

    /// The patterns directly inside, each with the number of its part; those that neither test nor bind are left out.
    fn pairs_in<'e>(&mut self, pattern: &'e Pattern, ty: &Ty) -> Vec<(u32, &'e Pattern)> {
        let variant = self.variant_named(pattern);
        let mut pairs: Vec<(u32, &Pattern)> = match pattern {
            Pattern::Tuple(members, _) | Pattern::Slice { members, .. } | Pattern::TupleStruct { members, .. } => {
                let count = self.pattern_members(ty, variant);
                let pairs = spread(members, count).unwrap_or_default();
                pairs.into_iter().map(|(index, member)| (index as u32, member)).collect()
            }
            Pattern::Struct { id, fields, .. } => {
                let positions = self.typed.structs.get(id).cloned().unwrap_or_default();
                positions.into_iter().zip(fields.iter().map(|field| &field.pattern)).collect()
            }
            _ => Vec::new(),
        };
        pairs.retain(|(_, member)| !matches!(member, Pattern::Wild(_)));
        pairs
    }

    /// The patterns directly inside, each with the type and value of its part; those that neither test nor bind are left out.
    fn members_in<'e>(
        &mut self,
        pattern: &'e Pattern,
        ty: &Ty,
        value: Option<ValueId>,
    ) -> Vec<(&'e Pattern, Ty, Option<ValueId>)> {
        let variant = self.variant_named(pattern);
        let parts = self.pairs_in(pattern, ty).into_iter().map(|(index, member)| {
            let (ty, part) = match variant {
                Some(variant) => self.variant_part(ty, value, variant, index),
                None => self.member_of(ty, value, index),
            };
            (member, ty, part)
        });
        parts.collect()
    }

    fn pattern_members(&self, ty: &Ty, variant: Option<u32>) -> usize {
        match (ty, variant) {
            (Ty::Array(_, len), _) => len.known().unwrap_or(0) as usize,
            (ty, Some(variant)) => {
                let variants = self.shared.program.variants_of(ty).unwrap_or_default();
                variants.get(variant as usize).map_or(0, Vec::len)
            }
            (ty, None) => self.shared.types.members(ty).len(),
        }
    }

    /// Member `index` of a tuple, array or struct, or lane of a vector.
    fn member_of(&mut self, ty: &Ty, value: Option<ValueId>, index: u32) -> (Ty, Option<ValueId>) {
        if let Ty::Vector(scalar, _) = ty {
            return (Ty::Scalar(*scalar), value.map(|value| self.lane(value, index as u8)));
        }
        let member_ty = self.member_ty(ty, index);
        if self.ty(&member_ty).is_none() {
            return (member_ty, None);
        }
        let part = value.map(|value| {
            let position = self.shared.types.position(self.b.types_mut(), ty, index);
            self.b.extract(value, &[position])
        });
        (member_ty, part)
    }

    fn variant_part(&mut self, ty: &Ty, value: Option<ValueId>, variant: u32, index: u32) -> (Ty, Option<ValueId>) {
        let variants = self.shared.program.variants_of(ty).unwrap_or_default();
        let member_ty = variants.get(variant as usize).and_then(|members| members.get(index as usize)).cloned();
        let part = value.and_then(|value| self.variant_member(ty, value, variant, index));
        (member_ty.unwrap_or(Ty::Error), part)
    }

    /// The bits of a literal or constant in a pattern.
    pub(super) fn pattern_bits(&mut self, pattern: &Pattern) -> Option<u32> {
        match pattern {
            Pattern::Literal(literal) => self.expr_bits(literal),
            Pattern::Path { id, .. } => match self.typed.paths.get(id)? {
                Resolution::Value(value) => scalar_bits(value),
                Resolution::Const(item) => scalar_bits(&self.const_of(*item).value),
                Resolution::Binding(_) | Resolution::Unit | Resolution::Param | Resolution::Chosen(_) => None,
            },
            _ => None,
        }
    }

    /// The bits of a literal, negative or not, or of a const.
    pub(super) fn expr_bits(&mut self, expr: &Expr) -> Option<u32> {
        let value = self.lower_expr(expr)?;
        u32::try_from(self.known_scalar(value)?).ok()
    }
}

/// Whether a pattern has patterns for elements of slices somewhere.
fn takes_slices(pattern: &Pattern, ty: &Ty) -> bool {
    fn has_elements(pattern: &Pattern) -> bool {
        matches!(pattern, Pattern::Slice { .. }) || pattern.children().into_iter().any(has_elements)
    }
    holds_slice(ty) && has_elements(pattern)
}

fn scalar_bits(value: &ConstValue) -> Option<u32> {
    match value {
        ConstValue::I32(value) => Some(value.cast_unsigned()),
        ConstValue::U32(value) => Some(*value),
        _ => None,
    }
}
