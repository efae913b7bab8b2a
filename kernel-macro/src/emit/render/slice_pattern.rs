//! Patterns of slices in what runs on the host. A slice there is one that many invocations share, which Rust has no patterns for: a
//! `View` of it holds the elements that the patterns name, as options. rustc sees in the original whether the patterns cover all
//! lengths; a function that is its own original says so in the last arm.

use proc_macro2::{Ident, Span};

use super::{Mode, Renderer, numbered};
use crate::ast::{Arm, Expr, ExprId, Pattern, rest_range};
use crate::emit::tokens::{Tokens, tokens, tokens_at};
use crate::infer::{holds_slice, matched_slice};
use crate::typed::Ty;

/// The elements of slices that some patterns name.
#[derive(Debug, Default)]
pub(super) struct View {
    /// How many from the front.
    front: usize,
    /// How many from the end.
    back: usize,
    /// Slices that `rest @ ..` names, by the pattern around it: elements that are left out at the front, and at the end.
    rests: Vec<(ExprId, usize, usize)>,
}

/// How many patterns stand before `..`, and behind it; without one, all stand before.
fn ends(members: &[Pattern]) -> (usize, Option<usize>) {
    match members.iter().position(Pattern::is_rest) {
        Some(rest) => (rest, Some(members.len() - rest - 1)),
        None => (members.len(), None),
    }
}

impl Renderer<'_> {
    /// The view that patterns need; `None` where they take no slices apart.
    pub(super) fn view_of<'p>(&self, patterns: impl Iterator<Item = &'p Pattern>) -> Option<View> {
        let mut view = None;
        if !self.is_original() {
            patterns.for_each(|pattern| self.add_to_view(pattern, &mut view));
        }
        view
    }

    fn add_to_view(&self, pattern: &Pattern, view: &mut Option<View>) {
        match pattern {
            Pattern::Slice { id, members, .. } if self.takes_slice(*id) => {
                let (front, back) = ends(members);
                let view = view.get_or_insert_default();
                view.front = view.front.max(front);
                view.back = view.back.max(back.unwrap_or(0));
                if let (Some(back), Some((Pattern::Binding { .. }, ..))) = (back, rest_range(members, members.len())) {
                    view.rests.push((*id, front, back));
                }
            }
            _ => pattern.children().into_iter().for_each(|child| self.add_to_view(child, view)),
        }
    }

    /// Whether a pattern with brackets is one of slices.
    fn takes_slice(&self, id: ExprId) -> bool {
        matches!(self.typed.ty(id), Ty::Buffer { .. })
    }

    /// A pattern of what [`viewed`](Self::viewed) gives for the same view.
    pub(super) fn pattern_of_view(&mut self, pattern: &Pattern, view: &Option<View>, perhaps: bool) -> Tokens {
        let Some(view) = view else { return self.pattern_in(pattern, perhaps) };
        self.in_view(pattern, view, perhaps)
    }

    fn in_view(&mut self, pattern: &Pattern, view: &View, perhaps: bool) -> Tokens {
        match pattern {
            Pattern::Slice { id, .. } if self.takes_slice(*id) => self.slice_in_view(pattern, view, None, perhaps),
            Pattern::Binding { binding, .. } if self.is_viewed(*binding) => {
                self.slice_in_view(pattern, view, None, perhaps)
            }
            Pattern::Reference(inner, _) | Pattern::Ref(inner, _) | Pattern::RefMut(inner, _) => {
                self.in_view(inner, view, perhaps)
            }
            Pattern::Or(cases, span) => {
                let cases: Vec<_> = cases.iter().map(|case| self.in_view(case, view, perhaps)).collect();
                tokens_at!(span.start=> (#(#cases)|*))
            }
            Pattern::Tuple(members, span) => {
                let members: Vec<_> = members.iter().map(|member| self.in_view(member, view, perhaps)).collect();
                tokens_at!(span.end=> (#(#members,)*))
            }
            // Other enums are left as they are, and so are slices in them.
            Pattern::TupleStruct { path, members, span, .. }
                if path.segments.last().is_some_and(|name| name == "Some" || name == "Ok") =>
            {
                let path = super::expr::path_tokens(path);
                let members: Vec<_> = members.iter().map(|member| self.in_view(member, view, perhaps)).collect();
                tokens_at!(span.end=> #path(#(#members),*))
            }
            _ => self.pattern_in(pattern, perhaps),
        }
    }

    /// Whether a variable names a slice that is viewed where patterns take others apart.
    fn is_viewed(&self, binding: crate::ast::BindingId) -> bool {
        matches!(self.typed.binding(binding), Ty::Buffer { mutable: false, origin: Some(_), .. })
    }

    /// A pattern of the view of a slice. `whole`: what names the slice.
    fn slice_in_view(
        &mut self,
        pattern: &Pattern,
        view: &View,
        whole: Option<(&Ident, bool)>,
        perhaps: bool,
    ) -> Tokens {
        match pattern {
            Pattern::Binding { name, mutable, inner, .. } => match inner {
                Some(inner) => self.slice_in_view(inner, view, Some((name, *mutable)), perhaps),
                None => self.whole_view(Some((name, *mutable)), perhaps),
            },
            Pattern::Reference(inner, _) | Pattern::Ref(inner, _) | Pattern::RefMut(inner, _) => {
                self.slice_in_view(inner, view, whole, perhaps)
            }
            Pattern::Or(cases, span) => {
                let cases: Vec<_> = cases.iter().map(|case| self.slice_in_view(case, view, whole, perhaps)).collect();
                tokens_at!(span.start=> (#(#cases)|*))
            }
            Pattern::Slice { id, members, span } => {
                let (count, back) = ends(members);
                let some = |cx: &mut Self, member: &Pattern| match member {
                    Pattern::Wild(_) => tokens!(_),
                    member => {
                        let member = cx.pattern_in(member, perhaps);
                        tokens!(::core::option::Option::Some(#member))
                    }
                };
                let front: Vec<_> = members[..count].iter().map(|member| some(self, member)).collect();
                let behind = members.get(count + 1..).unwrap_or_default();
                let behind: Vec<_> = behind.iter().rev().map(|member| some(self, member)).collect();
                let len = match back {
                    None => Some(tokens!(len: #count,)),
                    Some(back) => Some(count + back).filter(|least| *least > 0).map(|least| tokens!(len: #least..,)),
                };
                let rest = view.rests.iter().position(|(pattern, ..)| pattern == id).map(|position| {
                    let skipped: Vec<_> = (0..position).map(|_| tokens!(_)).collect();
                    let name = match rest_range(members, members.len()) {
                        Some((Pattern::Binding { name, mutable, .. }, ..)) => named((name, *mutable), perhaps),
                        _ => tokens!(_),
                    };
                    tokens!(rests: [#(#skipped,)* #name, ..],)
                });
                let whole = whole.map(|whole| {
                    let whole = named(whole, perhaps);
                    tokens!(whole: #whole,)
                });
                let twin = self.twin();
                tokens_at!(span.end=> #twin::View { #len front: [#(#front,)* ..], back: [#(#behind,)* ..], #rest #whole .. })
            }
            _ => self.whole_view(whole, perhaps),
        }
    }

    fn whole_view(&self, whole: Option<(&Ident, bool)>, perhaps: bool) -> Tokens {
        let Some(whole) = whole else { return tokens!(_) };
        let (twin, whole) = (self.twin(), named(whole, perhaps));
        tokens!(#twin::View { whole: #whole, .. })
    }

    /// The value that patterns take apart. A slice is a value here; with a view, so is what has it.
    pub(super) fn viewed(&mut self, value: &Expr, view: &Option<View>) -> Tokens {
        let tokens = self.taken_apart(value);
        match view {
            Some(view) => convert(tokens, self.apart_ty(value), 0, &|slice| self.view(slice, view)),
            None => tokens,
        }
    }

    fn taken_apart(&mut self, value: &Expr) -> Tokens {
        match !self.is_original() && self.typed.sliced.contains_key(&value.id) {
            true => self.slice(matched_slice(value), false),
            false => self.scrutinee(value),
        }
    }

    fn apart_ty(&self, value: &Expr) -> &Ty {
        self.typed.sliced.get(&value.id).unwrap_or_else(|| self.expr_ty(value))
    }

    fn view(&self, slice: Tokens, view: &View) -> Tokens {
        let (front, back, count) = (view.front, view.back, view.rests.len());
        let rests: Vec<_> = view.rests.iter().map(|(_, front, back)| tokens!((#front, #back))).collect();
        tokens!(#slice.view::<#front, #back, #count>([#(#rests),*]))
    }

    /// A `match` of slices.
    pub(super) fn slice_match(&mut self, expr: &Expr, scrutinee: &Expr, arms: &[Arm], view: View) -> Tokens {
        let view = Some(view);
        let tokens: Vec<_> = arms.iter().map(|arm| self.arm(arm, &view)).collect();
        if self.mode != Mode::Device {
            let scrutinee = self.viewed(scrutinee, &view);
            return tokens_at!(expr.span.start=> match #scrutinee {
                #(#tokens)*
                #[allow(unreachable_patterns)]
                _ => ::core::unreachable!(),
            });
        }
        // No other rendering has the patterns as their author wrote them, for rustc to see what they leave out.
        let patterns: Vec<_> = arms
            .iter()
            .filter(|arm| arm.guard.is_none())
            .map(|arm| {
                let pattern = self.nameless(&arm.pattern);
                tokens!(#pattern => ::core::unreachable!(),)
            })
            .collect();
        let at = scrutinee.span.start;
        let (whole, ty) =
            (Ident::new("__matched", Span::mixed_site().located_at(at)), self.apart_ty(scrutinee).clone());
        let value = self.taken_apart(scrutinee);
        let viewed = match &view {
            Some(view) => convert(tokens!(#whole), &ty, 0, &|slice| self.view(slice, view)),
            None => tokens!(#whole),
        };
        let proof = convert(tokens!(#whole), &ty, 0, &|slice| tokens_at!(at=> #slice.proof()));
        let covered = tokens_at!(expr.span.start=> match #proof { #(#patterns)* });
        tokens_at!(expr.span.start=> match #value {
            #whole => match #viewed {
                #(#tokens)*
                #[allow(unreachable_patterns)]
                _ => #covered,
            },
        })
    }

    /// A pattern as its author wrote it, without names.
    fn nameless(&mut self, pattern: &Pattern) -> Tokens {
        let outer = std::mem::replace(&mut self.is_nameless, true);
        let pattern = self.pattern_in(pattern, true);
        self.is_nameless = outer;
        pattern
    }
}

/// A variable of a pattern.
fn named((name, mutable): (&Ident, bool), perhaps: bool) -> Tokens {
    let mutable = mutable.then(|| tokens_at!(name.span()=> mut));
    let at = perhaps.then(|| tokens!(@ _));
    tokens!(#mutable #name #at)
}

/// A value with something else in place of each slice to read that it holds.
fn convert(value: Tokens, ty: &Ty, depth: usize, slice: &impl Fn(Tokens) -> Tokens) -> Tokens {
    match ty {
        Ty::Buffer { mutable: false, .. } => slice(value),
        Ty::Option(inner) | Ty::Result(inner, _) if holds_slice(inner) => {
            let part = numbered(&format!("__part{depth}"));
            let inner = convert(tokens!(#part), inner, depth + 1, slice);
            tokens!(#value.map(|#part| #inner))
        }
        Ty::Tuple(members) if holds_slice(ty) => {
            let names: Vec<_> = (0..members.len()).map(|member| numbered(&format!("__part{depth}_{member}"))).collect();
            let values = members.iter().zip(&names);
            let values: Vec<_> =
                values.map(|(member, name)| convert(tokens!(#name), member, depth + 1, slice)).collect();
            tokens!((match #value { (#(#names,)*) => (#(#values,)*) }))
        }
        _ => value,
    }
}
