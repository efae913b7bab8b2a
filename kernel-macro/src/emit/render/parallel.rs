//! Cooperation of invocations, in all renderings: shared variables, atomics, barriers, subgroup operations.

use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::{AtomicOp, Order};
use proc_macro2::{Ident, Literal, Span};
use quote::format_ident;

use super::place::{Chain, StepExpr, as_slice, index_names};
use super::{Mode, Renderer, context, local, numbered};
use crate::ast::{Expr, ExprKind, Path, Pattern, Statement};
use crate::emit::tokens::{Tokens, tokens, tokens_at};
use crate::program::{ItemId, Program, TypedItem};
use crate::source;
use crate::typed::{Callee, Resolution, Ty};

/// Whether invocations of a kernel wait for each other, so that the host runs them as fibers.
pub(super) fn waits(program: &Program, kernel: ItemId) -> bool {
    let (mut seen, mut todo) = (vec![kernel], vec![kernel]);
    while let Some(item) = todo.pop() {
        let TypedItem::Fn(typed) = &program.items[item].typed else { continue };
        if typed
            .calls
            .values()
            .any(|callee| matches!(callee, Callee::Barrier | Callee::SubgroupBarrier | Callee::Subgroup(_)))
        {
            return true;
        }
        for callee in typed.callees() {
            if !seen.contains(&callee) {
                seen.push(callee);
                todo.push(callee);
            }
        }
    }
    false
}

impl Renderer<'_> {
    /// `let name = Shared::new();`; `None` for other statements.
    pub(super) fn shared_let(&self, statement: &Statement) -> Option<Tokens> {
        let Statement::Let { pattern: Pattern::Binding { name, binding, .. }, ty, value: Some(value), .. } = statement
        else {
            return None;
        };
        let ExprKind::NewShared { callee, .. } = &value.kind else { return None };
        if self.mode == Mode::Twin {
            let Ty::Shared(held) = self.typed.binding(*binding) else { return None };
            let position = self.typed.shared.iter().position(|known| known.expr == value.id)?;
            let (cx, held, position) = (context(), self.ty(held), Literal::usize_unsuffixed(position));
            return Some(tokens!(let #name = #cx.shared::<#held>(#position);));
        }
        let stated = ty.as_ref().map(|ty| {
            let ty = &ty.tokens;
            tokens!(: #ty)
        });
        let (call, twin, held) = (tokens_at!(value.span.end=> #callee()), self.twin(), local("__held"));
        // rustc sees what the memory holds: by way of `DerefMut` it would take `x[i] += x[j]` for two uses of all of `x`. Elements are
        // assigned to without `mut`, which it wants to see.
        Some(tokens!(#[allow(unused_mut)] let mut #name = { let #held #stated = #call; #twin::held(#held) };))
    }

    /// Whether `root` names a shared variable.
    pub(super) fn is_shared_variable(&self, root: &Expr) -> bool {
        match self.typed.paths.get(&root.id) {
            Some(Resolution::Binding(binding)) => {
                matches!(self.typed.binding(*binding), Ty::Shared(_)) || self.is_part(root)
            }
            _ => false,
        }
    }

    /// Whether a chain is an element of an array that is a shared variable.
    fn is_whole_shared(&self, chain: &Chain<'_>) -> bool {
        let is_array =
            |binding| matches!(self.typed.binding(binding), Ty::Shared(held) if matches!(**held, Ty::Array(..)));
        matches!(chain.steps.as_slice(), [(_, StepExpr::Index(..))])
            && !self.is_part(chain.root)
            && matches!(self.typed.paths.get(&chain.root.id), Some(Resolution::Binding(binding)) if is_array(*binding))
    }

    /// Of an element of an array in shared memory, however deep: the innermost array, the site of the last index, and that index. The
    /// indices are in variables.
    fn nested_shared_element(&mut self, chain: &Chain<'_>, names: &[Ident]) -> Option<(Tokens, Tokens, Tokens)> {
        let is_index = |(_, step): &(&Expr, StepExpr<'_>)| match step {
            StepExpr::Index(base, _) => is_array(self.expr_ty(base)),
            StepExpr::Member(_) => false,
        };
        if self.is_part(chain.root) || chain.steps.is_empty() || !chain.steps.iter().all(is_index) {
            return None;
        }
        let mut array = self.shared_root(chain.root);
        let mut last = None;
        for ((whole, _), index) in chain.steps.iter().zip(names) {
            if let Some((site, index)) = last.take() {
                let sink = self.sink();
                array = tokens!(#array.inner(#sink, #site, #index));
            }
            last = Some((self.site(SiteKind::IndexOutOfBounds, whole), index));
        }
        last.map(|(site, index)| (array, site, tokens!(#index)))
    }

    /// Of an element of a shared array: the array, the site of the index, and the index.
    pub(super) fn whole_shared_element(&mut self, chain: &Chain<'_>) -> Option<(Tokens, Tokens, Tokens)> {
        match chain.steps.as_slice() {
            [(whole, StepExpr::Index(_, index))] if self.is_whole_shared(chain) => {
                let index = self.index(index);
                Some((self.shared_root(chain.root), self.site(SiteKind::IndexOutOfBounds, whole), index))
            }
            _ => None,
        }
    }

    /// The value of a part of a shared variable, the indices already in variables.
    pub(super) fn shared_get(&mut self, chain: &Chain<'_>, names: &[Ident]) -> Tokens {
        if let Some((array, site, index)) = self.nested_shared_element(chain, names) {
            let sink = self.sink();
            return tokens!(#array.load(#sink, #site, #index));
        }
        let (root, part) = (self.shared_root(chain.root), self.shared_part(chain, names, false));
        tokens!(#root.get(#part))
    }

    /// Writes a part of a shared variable, the indices already in variables.
    pub(super) fn shared_set(&mut self, chain: &Chain<'_>, names: &[Ident], value: Tokens) -> Tokens {
        if let Some((array, site, index)) = self.nested_shared_element(chain, names) {
            // The value comes before the traps of the indices.
            let (sink, new) = (self.sink(), local("__put"));
            return tokens!({ let #new = #value; #array.store(#sink, #site, #new, #index) });
        }
        let (root, part) = (self.shared_root(chain.root), self.shared_part(chain, names, true));
        tokens!(#root.set(#part, #value))
    }

    /// The variable itself, where its value would be read.
    pub(super) fn shared_root(&self, root: &Expr) -> Tokens {
        match &root.kind {
            ExprKind::Paren(inner, ..) => self.shared_root(inner),
            ExprKind::Path(path) => super::expr::path_tokens(path),
            _ => tokens!(),
        }
    }

    /// The closure that selects what a chain names of a shared variable.
    pub(super) fn shared_part(&mut self, chain: &Chain<'_>, names: &[Ident], mutable: bool) -> Tokens {
        let element = local("__element");
        let (mut part, mut names) = (tokens!((*#element)), names.iter());
        let (access, reference) = if mutable { ("index_mut", tokens!(&mut)) } else { ("index_ref", tokens!(&)) };
        let access = Ident::new(access, Span::call_site());
        for (whole, step) in &chain.steps {
            part = match step {
                StepExpr::Member(member) => {
                    let member = Self::member(member);
                    tokens!(#part.#member)
                }
                StepExpr::Index(base, _) => {
                    let (index, elements) = (names.next(), as_slice(part, self.expr_ty(base), mutable));
                    let (twin, sink, site) = (self.twin(), self.sink(), self.site(SiteKind::IndexOutOfBounds, whole));
                    tokens!((*#twin::#access(#sink, #site, #elements, #index)?))
                }
            };
        }
        tokens!(|#element| ::core::option::Option::Some(#reference #part))
    }

    /// `place.fetch_add(value, order)` and its like.
    pub(super) fn atomic_method(
        &mut self,
        op: AtomicOp,
        order: Order,
        receiver: &Expr,
        name: &Ident,
        args: &[Expr],
    ) -> Tokens {
        let chain = self.chain(receiver);
        let names = index_names(&chain);
        let lets = self.index_lets(&chain, &names);
        let place = if self.is_shared_variable(chain.root) {
            let (root, part) = (self.shared_root(chain.root), self.shared_part(&chain, &names, true));
            tokens!(#root.atomic(#part))
        } else {
            let (buffer, site, part) = self.buffer_part(&chain, &names);
            let (sink, index) = (self.sink(), &names[0]);
            tokens!(#buffer.atomic(#sink, #site, #index, #part))
        };
        let values: Vec<_> = args.iter().take(op.arity()).map(|arg| self.bare(arg)).collect();
        let order = order_tokens(order);
        let failure = match op {
            AtomicOp::CompareExchange(failure) => {
                let failure = order_tokens(failure);
                Some(tokens!(, #failure))
            }
            _ => None,
        };
        tokens!({ #lets #place }.#name(#(#values,)* #order #failure))
    }

    /// Whether invocations may wait in what is called; of closures nothing more is known than what their function does.
    pub(super) fn may_wait(&self, callee: Callee) -> bool {
        let here = || {
            self.typed.calls.values().any(|callee| match callee {
                Callee::Barrier | Callee::SubgroupBarrier | Callee::Subgroup(_) => true,
                Callee::Device(item) => waits(self.program, *item),
                _ => false,
            })
        };
        match callee {
            Callee::Device(item) => {
                let takes_closure = match &self.program.items[item].typed {
                    TypedItem::Fn(typed) => typed.params.iter().any(|ty| matches!(ty, Ty::Closure(..))),
                    _ => false,
                };
                waits(self.program, item) || takes_closure && here()
            }
            Callee::Closure => here(),
            _ => false,
        }
    }

    /// A call of a device function in which invocations may wait: the host tells apart where it was called from.
    pub(super) fn framed_call(&mut self, callee: &Path, args: &[Expr], whole: &Expr) -> Tokens {
        let (twin, sink, frame) = (self.twin(), self.sink(), local("__frame"));
        let (file, line, column) = source::location(whole.span.start);
        let called = self.typed.calls.get(&whole.id).copied();
        let path = self.callee_path(called, callee);
        let args: Vec<_> = args.iter().collect();
        let gives_way = self.in_steps && matches!(called, Some(Callee::Device(item)) if waits(self.program, item));
        self.call_of(called, whole, &args, |_, args| {
            let way = gives_way.then(|| tokens!(.await));
            tokens!({
                let #frame = #twin::Frame::enter(#sink, &#twin::Location { file: #file, line: #line, column: #column });
                #path(#(#args),*) #way
            })
        })
    }

    /// An operation of a subgroup where the function gives way: the invocation brings its value, waits, and calls the operation then.
    fn arrived_call(&mut self, place: &Tokens, name: Option<&Ident>, args: Vec<Tokens>) -> Tokens {
        let (twin, sink, at) = (self.twin(), self.sink(), local("__place"));
        let names: Vec<Ident> = (0..args.len()).map(|position| numbered(&format!("__given{position}"))).collect();
        // `elect` and `barrier` bring nothing.
        let brought = names.first().map_or_else(|| tokens!(0u32), |name| tokens!(#name));
        let passed: Vec<_> = names.iter().map(|name| tokens!(#name)).collect();
        let names: Vec<_> = names.iter().map(|name| tokens!(#name)).collect();
        let (place, second, third) = (place.copy(), self.sink(), self.twin());
        tokens!({
            let #at = #place;
            let (#(#names,)*) = (#(#args,)*);
            #twin::subgroup::arrive(#sink, #at, #brought).await;
            #third::subgroup::#name(#second, #at, #(#passed),*)
        })
    }

    /// `barrier()`, `workgroup_uniform(…)`, `detach(…)`, `with_slope(…)`, `fence(…)`, `subgroup::…(…)` in what runs on the host device.
    pub(super) fn parallel_call(&mut self, callee: Callee, path: &Path, args: &[Expr], whole: &Expr) -> Tokens {
        let twin = self.twin();
        let (file, line, column) = source::location(whole.span.start);
        let place = tokens!(&#twin::Location { file: #file, line: #line, column: #column });
        match (callee, self.mode) {
            (Callee::Barrier, Mode::Twin) if self.in_steps => {
                let cx = context();
                tokens!(#cx.reach(#place).await)
            }
            (Callee::Barrier, Mode::Twin) => {
                let cx = context();
                tokens!(#cx.barrier(#place))
            }
            (Callee::Barrier, _) if self.in_steps => tokens!(#twin::reach(#place).await),
            (Callee::Barrier, _) => tokens!(#twin::barrier(#place)),
            (Callee::WithSlope, _) => {
                let values: Vec<_> = args.iter().map(|value| self.bare(value)).collect();
                tokens!((#(#values,)*).0)
            }
            (Callee::Uniform | Callee::Detach, _) => {
                let value = args.first().map(|value| self.bare(value));
                tokens!((#value))
            }
            (Callee::Fence(_, order), _) => {
                let order = order_tokens(order);
                tokens!(::core::sync::atomic::fence(#order))
            }
            _ => {
                let sink = self.sink();
                let name = path.segments.last().map(|name| format_ident!("{}", name, span = Span::call_site()));
                let args: Vec<_> = args.iter().map(|arg| self.bare(arg)).collect();
                if self.in_steps && !is_of_ballot(path) {
                    return self.arrived_call(&place, name.as_ref(), args);
                }
                tokens!(#twin::subgroup::#name(#sink, #place, #(#args),*))
            }
        }
    }
}

/// Whether a place is an array, or a shared variable that is one.
fn is_array(ty: &Ty) -> bool {
    match ty {
        Ty::Array(..) => true,
        Ty::Shared(held) => matches!(**held, Ty::Array(..)),
        _ => false,
    }
}

/// Whether an operation of a subgroup only reads a ballot, for which nobody waits.
pub(super) fn is_of_ballot(path: &Path) -> bool {
    path.segments.last().is_some_and(|name| name.to_string().starts_with("ballot_"))
}

fn order_tokens(order: Order) -> Tokens {
    let order = Ident::new(
        match order {
            Order::Relaxed => "Relaxed",
            Order::Acquire => "Acquire",
            Order::Release => "Release",
            Order::AcqRel => "AcqRel",
        },
        Span::call_site(),
    );
    tokens!(::core::sync::atomic::Ordering::#order)
}
