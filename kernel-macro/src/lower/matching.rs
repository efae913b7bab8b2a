//! `match`, and conditions with `let`: an `if` for each arm, or one `switch` where arms are told apart by an integer.

use gridwise_ir::ir::{BlockId, LocalId, Place, Step, ValueId};
use gridwise_ir::op::Op;
use gridwise_ir::types::TypeId;

use super::function::FnCx;
use super::pattern::Taken;
use crate::ast::{Arm, BinaryOp, Expr, ExprKind, Pattern};
use crate::typed::Ty;

/// A `match` with fewer arms is a chain of `if`s, which become selections where their arms are cheap.
const FEWEST_CASES: usize = 4;
/// A range with more numbers is no list of cases.
const LONGEST_RANGE: u32 = 32;
/// A pattern with a guard is taken apart into at most so many alternatives.
const MOST_ALTERNATIVES: usize = 4096;

/// The value of a `match`.
#[derive(Clone, Copy)]
struct Matched<'e> {
    taken: &'e Taken<'e>,
    /// The type of the whole `match`.
    result: Option<TypeId>,
}

/// The values for which an arm runs.
enum Keys {
    All,
    Some(Vec<u32>),
}

impl<'p> FnCx<'p, '_, '_> {
    pub(super) fn lower_match(&mut self, expr: &Expr, scrutinee: &Expr, arms: &[Arm]) -> Option<ValueId> {
        let taken = self.lower_matched(scrutinee);
        if self.b.is_terminated() {
            return None;
        }
        let matched = Matched { taken: &taken, result: self.ty(self.ty_of(expr)) };
        // Each alternative leads to another place.
        if taken.place.is_some() && arms.iter().any(|arm| arm.pattern.has_named_alternatives()) {
            let apart = |arm: &Arm| {
                let arm = arm.clone();
                multiply(&arm.pattern).into_iter().map(move |pattern| Arm { pattern, ..arm.clone() })
            };
            let arms: Vec<Arm> = arms.iter().flat_map(apart).collect();
            return self.lower_arms(matched, &arms);
        }
        match self.switch_keys(matched, arms) {
            Some(keys) => self.lower_switch(matched, arms, &keys),
            None => self.lower_arms(matched, arms),
        }
    }

    /// Tries one arm after the other. The last one matches whatever is left: rustc has seen to that.
    fn lower_arms(&mut self, matched: Matched<'_>, arms: &[Arm]) -> Option<ValueId> {
        let Some((arm, rest)) = arms.split_first() else {
            self.b.unreachable();
            return None;
        };
        let Matched { taken, result } = matched;
        let Taken { ty, value, .. } = *taken;
        let Some(guard) = &arm.guard else {
            let test = if rest.is_empty() { None } else { self.test(&arm.pattern, ty, value) };
            let Some(test) = test else { return self.lower_arm(matched, &arm.pattern, &arm.body) };
            let run = |cx: &mut Self| cx.lower_arm(matched, &arm.pattern, &arm.body);
            return self.choose(test, result, run, |cx| cx.lower_arms(matched, rest));
        };
        let alternatives = expand(&arm.pattern);
        if let [pattern] = alternatives.as_slice() {
            let passes = self.passes(matched, pattern, guard)?;
            let run = |cx: &mut Self| cx.lower_arm(matched, pattern, &arm.body);
            return self.choose(passes, result, run, |cx| cx.lower_arms(matched, rest));
        }
        // Each alternative asks the guard anew; the first that passes binds the variables.
        let count = alternatives.len() as u32;
        let mut chosen = self.u32(count);
        let number_ty = self.b.value_type(chosen);
        for (number, pattern) in (0u32..).zip(&alternatives) {
            let none = self.u32(count);
            let is_open = self.b.op(Op::Eq, &[chosen, none]);
            let before = chosen;
            chosen = self.choose(
                is_open,
                Some(number_ty),
                |cx| {
                    let passes = cx.passes(matched, pattern, guard)?;
                    let number = cx.u32(number);
                    Some(cx.select(passes, number, before))
                },
                |_| Some(before),
            )?;
        }
        let none = self.u32(count);
        let passes = self.b.op(Op::Ne, &[chosen, none]);
        self.choose(
            passes,
            result,
            |cx| {
                cx.bind_chosen(&alternatives, ty, value, chosen);
                cx.lower_expr(&arm.body)
            },
            |cx| cx.lower_arms(matched, rest),
        )
    }

    /// Whether a pattern matches and its guard holds.
    fn passes(&mut self, matched: Matched<'_>, pattern: &Pattern, guard: &Expr) -> Option<ValueId> {
        let Taken { ty, value, .. } = *matched.taken;
        let guarded = |cx: &mut Self| {
            cx.bind_taken(pattern, matched.taken);
            cx.lower_expr(guard)
        };
        match self.test(pattern, ty, value) {
            None => guarded(self),
            Some(test) => {
                let bool_ty = self.b.value_type(test);
                self.choose(test, Some(bool_ty), guarded, |cx| Some(cx.bool(false)))
            }
        }
    }

    fn lower_arm(&mut self, matched: Matched<'_>, pattern: &Pattern, body: &Expr) -> Option<ValueId> {
        self.bind_taken(pattern, matched.taken);
        self.lower_expr(body)
    }

    /// For each arm the integers or tags it runs for, if that is all there is to tell arms apart.
    fn switch_keys(&mut self, matched: Matched<'_>, arms: &[Arm]) -> Option<Vec<Keys>> {
        let is_enum = matches!(matched.taken.ty, Ty::Enum(_, _) | Ty::Option(_) | Ty::Result(..) | Ty::Ordering);
        // A selector has 32 bits.
        let is_integer = matches!(matched.taken.ty, Ty::Scalar(name) if name.is_int() && name.bits() == 32);
        if arms.len() < FEWEST_CASES || !(is_enum || is_integer) || arms.iter().any(|arm| arm.guard.is_some()) {
            return None;
        }
        arms.iter().map(|arm| self.keys_of(&arm.pattern)).collect()
    }

    fn keys_of(&mut self, pattern: &Pattern) -> Option<Keys> {
        match pattern {
            Pattern::Wild(_) | Pattern::Binding { inner: None, .. } => Some(Keys::All),
            Pattern::Binding { inner: Some(inner), .. } => self.keys_of(inner),
            Pattern::Or(cases, _) => {
                let mut keys = Vec::new();
                for case in cases {
                    match self.keys_of(case)? {
                        Keys::All => return Some(Keys::All),
                        Keys::Some(more) => keys.extend(more),
                    }
                }
                Some(Keys::Some(keys))
            }
            Pattern::Range { start: Some(start), end: Some(end), inclusive, .. } => {
                let (start, end) = (self.expr_bits(start)?, self.expr_bits(end)?);
                let count = end.wrapping_sub(start).wrapping_add(u32::from(*inclusive));
                (count <= LONGEST_RANGE).then(|| Keys::Some((0..count).map(|it| start.wrapping_add(it)).collect()))
            }
            Pattern::Literal(_) => self.pattern_bits(pattern).map(|bits| Keys::Some(vec![bits])),
            Pattern::Path { .. } | Pattern::TupleStruct { .. } | Pattern::Struct { .. } => {
                match self.variant_named(pattern) {
                    Some(variant) if pattern.children().into_iter().all(always_matches) => {
                        Some(Keys::Some(vec![variant]))
                    }
                    Some(_) => None,
                    None => self.pattern_bits(pattern).map(|bits| Keys::Some(vec![bits])),
                }
            }
            _ => None,
        }
    }

    fn lower_switch(&mut self, matched: Matched<'_>, arms: &[Arm], keys: &[Keys]) -> Option<ValueId> {
        let value = matched.taken.value?;
        let selector = match matched.taken.ty {
            Ty::Scalar(_) => value,
            ty => self.tag_of(ty, value)?,
        };
        // The first arm for everything is the last that can run; else the last one takes what is left.
        let default = keys.iter().position(|keys| matches!(keys, Keys::All)).unwrap_or(arms.len() - 1);
        let mut cases: Vec<(u32, BlockId)> = Vec::new();
        for (arm, keys) in arms[..default].iter().zip(keys) {
            let Keys::Some(keys) = keys else { continue };
            for key in keys {
                if cases.iter().any(|(known, _)| known == key) {
                    continue;
                }
                let block = self.arm_block(matched, arm);
                cases.push((*key, block));
            }
        }
        let default = self.arm_block(matched, &arms[default]);
        let results = self.b.push_switch(selector, &cases, default, matched.result.as_slice());
        results.first().copied().filter(|_| !self.b.is_terminated())
    }

    fn arm_block(&mut self, matched: Matched<'_>, arm: &Arm) -> BlockId {
        let block = self.b.new_block();
        let parent = self.b.switch_to(block);
        let value = self.lower_arm(matched, &arm.pattern, &arm.body);
        self.yield_(value, matched.result);
        self.b.switch_to(parent);
        block
    }

    /// Runs `then` where a condition holds, with the variables of its `let`s, else `otherwise`.
    pub(super) fn lower_condition(
        &mut self,
        condition: &Expr,
        result: Option<TypeId>,
        then: impl FnOnce(&mut Self) -> Option<ValueId>,
        otherwise: impl FnOnce(&mut Self) -> Option<ValueId>,
    ) -> Option<ValueId> {
        let mut links = Vec::new();
        links_of(condition, &mut links);
        let mut kept = Vec::new();
        let holds = self.lower_links(&links, &mut kept)?;
        let then = |cx: &mut Self| {
            for (pattern, kept) in &kept {
                let taken = cx.taken_again(kept);
                cx.bind_taken(pattern, &taken);
            }
            then(cx)
        };
        self.choose(holds, result, then, otherwise)
    }

    /// Whether all links hold; what their `let`s matched is kept. `None` when control does not come out.
    fn lower_links<'e>(&mut self, links: &[&'e Expr], kept: &mut Vec<KeptLet<'e, 'p>>) -> Option<ValueId> {
        let (link, rest) = links.split_first()?;
        let (test, bound) = match &link.kind {
            ExprKind::Let { pattern, value } => {
                let taken = self.lower_matched(value);
                if self.b.is_terminated() {
                    return None;
                }
                (self.test(pattern, taken.ty, taken.value), Some((&**pattern, taken)))
            }
            _ => (Some(self.lower_expr(link)?), None),
        };
        let test = test.unwrap_or_else(|| self.bool(true));
        if let Some((pattern, taken)) = &bound {
            let value = self.keep(taken);
            kept.push((pattern, value));
        }
        if rest.is_empty() {
            return Some(test);
        }
        let bool_ty = self.b.value_type(test);
        self.links_depth += 1;
        let holds = self.choose(
            test,
            Some(bool_ty),
            |cx| {
                if let Some((pattern, taken)) = &bound {
                    cx.bind_taken(pattern, taken);
                }
                cx.lower_links(rest, kept)
            },
            |cx| Some(cx.bool(false)),
        );
        self.links_depth -= 1;
        holds
    }

    fn keep(&mut self, taken: &Taken<'p>) -> Kept<'p> {
        if self.links_depth == 0 {
            return Kept::Here(taken.clone());
        }
        let mut indices = Vec::new();
        for (position, step) in taken.place.iter().flat_map(|place| &place.path).enumerate() {
            if let Step::Index { value, .. } = step {
                indices.push((position, self.spill(*value, "index")));
            }
        }
        let value = taken.value.map(|value| self.spill(value, "matched"));
        Kept::Spilled { ty: taken.ty, value, place: taken.place.clone(), indices }
    }

    fn taken_again(&mut self, kept: &Kept<'p>) -> Taken<'p> {
        match kept {
            Kept::Here(taken) => taken.clone(),
            Kept::Spilled { ty, value, place, indices } => {
                let mut place = place.clone();
                for (position, local) in indices {
                    let index = self.b.load(Place::local(*local));
                    if let Some(Step::Index { value, .. }) = place.as_mut().map(|place| &mut place.path[*position]) {
                        *value = index;
                    }
                }
                Taken { ty, value: value.map(|local| self.b.load(Place::local(local))), place }
            }
        }
    }
}

/// The pattern of a `let` in a condition, and what it matched.
type KeptLet<'e, 'p> = (&'e Pattern, Kept<'p>);

/// The value or place that a `let` in a condition matched. Inside an earlier link's block a value does not live on: a variable does.
enum Kept<'p> {
    Here(Taken<'p>),
    /// The value, the place, and of its indices the position in its path, each in a variable.
    Spilled {
        ty: &'p Ty,
        value: Option<LocalId>,
        place: Option<Place>,
        indices: Vec<(usize, LocalId)>,
    },
}

/// The operands of `a && b && …`; only where one of them is a `let` are they apart.
fn links_of<'e>(condition: &'e Expr, links: &mut Vec<&'e Expr>) {
    match &condition.kind {
        ExprKind::Binary(BinaryOp::And, left, right, _) if condition.has_let() => {
            links_of(left, links);
            links_of(right, links);
        }
        _ => links.push(condition),
    }
}

/// Whether a pattern matches every value, by its looks.
pub(super) fn always_matches(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Wild(_) | Pattern::Rest(_) => true,
        Pattern::Binding { inner, .. } => inner.as_deref().is_none_or(always_matches),
        Pattern::Tuple(members, _) => members.iter().all(always_matches),
        _ => false,
    }
}

/// The alternatives of a pattern, those of its parts multiplied out; itself where alternatives exclude each other.
fn expand(pattern: &Pattern) -> Vec<Pattern> {
    let expanded = multiply(pattern);
    if expanded.len() > MOST_ALTERNATIVES { vec![pattern.clone()] } else { expanded }
}

fn multiply(pattern: &Pattern) -> Vec<Pattern> {
    let combine = |members: &[Pattern]| {
        members.iter().fold(vec![Vec::new()], |done: Vec<Vec<Pattern>>, member| {
            let choices = multiply(member);
            let longer = |start: &Vec<Pattern>| {
                let start = start.clone();
                choices.iter().map(move |choice| [start.clone(), vec![choice.clone()]].concat()).collect::<Vec<_>>()
            };
            done.iter().take(MOST_ALTERNATIVES + 1).flat_map(longer).collect()
        })
    };
    match pattern {
        // Different numbers: at most one of them matches, and the guard is asked once.
        Pattern::Or(cases, _) if cases.iter().all(|case| matches!(case, Pattern::Literal(_))) => {
            vec![pattern.clone()]
        }
        Pattern::Or(cases, _) => cases.iter().flat_map(multiply).collect(),
        Pattern::Reference(inner, _) | Pattern::Ref(inner, _) => multiply(inner),
        Pattern::RefMut(inner, span) => {
            multiply(inner).into_iter().map(|inner| Pattern::RefMut(Box::new(inner), *span)).collect()
        }
        Pattern::Binding { name, mutable, binding, inner: Some(inner) } => multiply(inner)
            .into_iter()
            .map(|inner| Pattern::Binding {
                name: name.clone(),
                mutable: *mutable,
                binding: *binding,
                inner: Some(Box::new(inner)),
            })
            .collect(),
        Pattern::Tuple(members, span) => {
            combine(members).into_iter().map(|members| Pattern::Tuple(members, *span)).collect()
        }
        Pattern::Slice { id, members, span } => {
            combine(members).into_iter().map(|members| Pattern::Slice { id: *id, members, span: *span }).collect()
        }
        Pattern::TupleStruct { id, path, members, span } => combine(members)
            .into_iter()
            .map(|members| Pattern::TupleStruct { id: *id, path: path.clone(), members, span: *span })
            .collect(),
        Pattern::Struct { id, path, fields, rest, span } => {
            let members: Vec<Pattern> = fields.iter().map(|field| field.pattern.clone()).collect();
            let rebuilt = |members: Vec<Pattern>| {
                let fields = fields.iter().zip(members).map(|(field, pattern)| {
                    let mut field = field.clone();
                    field.pattern = pattern;
                    field
                });
                Pattern::Struct { id: *id, path: path.clone(), fields: fields.collect(), rest: *rest, span: *span }
            };
            combine(&members).into_iter().map(rebuilt).collect()
        }
        _ => vec![pattern.clone()],
    }
}
