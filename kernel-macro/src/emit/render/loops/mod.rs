//! Kernels and device functions whose invocations wait for each other, as loops over all invocations between two barriers.
//!
//! A loop costs nothing at a barrier, and rustc optimises it as any other; a fiber or an async function is resumed at each. What the parts
//! are, the plan says. Variables that are the same for all invocations are Rust's own around the parts; the others that live in several
//! parts have a place for each invocation, from where a part copies them in, and where it copies them out.

mod calls;
mod kept;
mod plan;
mod uniform;
mod waiting;

use gridwise_ir::arena::EntityId as _;
use gridwise_ir::descriptor::Size;
use proc_macro2::{Ident, Literal, Span};

use calls::whole_of;
pub(super) use plan::has_loops;
use plan::{Node, Part, Piece, Plan, plan};

use super::expr::path_tokens;
use super::{Renderer, context, numbered};
use crate::ast::{BindingId, Expr, ExprId, ExprKind, Fn, Item, TypeKind};
use crate::emit::tokens::{Put as _, Tokens, Writer, tokens};
use crate::program::{ItemId, Program};
use crate::typed::Callee;

/// The name of a device function in loops: a function of a type named like the device function.
pub(super) const LOOPS_FN: &str = "__loops";

/// Whether the host device runs a kernel in loops.
pub(super) fn runs_in_loops(program: &Program, kernel: ItemId) -> bool {
    plan(program, kernel, true).is_some()
}

impl Renderer<'_> {
    /// The body of a kernel in loops, in braces; `size`: that of its workgroups.
    pub(super) fn kernel_in_loops(&mut self, item: ItemId, size: &[Size; 3]) -> Option<Tokens> {
        let plan = plan(self.program, item, true)?;
        let (twin, second, cx, outer, crew) = (self.twin(), self.twin(), context(), context(), crew());
        let extent = match size {
            [Size::Known(x), Size::Known(y), Size::Known(z)] => {
                let [x, y, z] = [x, y, z].map(|size| Literal::u32_unsuffixed(*size));
                tokens!(Known::<#x, #y, #z>)
            }
            _ => tokens!(Chosen),
        };
        let body = self.in_loops(&plan);
        Some(tokens!({
            let #crew = &#twin::Loops::new(#cx, #second::#extent);
            let #outer = #crew.leader();
            #body
        }))
    }

    /// The body of a device function in loops, in braces, behind its parameters.
    pub(super) fn function_in_loops(&mut self, item: ItemId) -> Option<Tokens> {
        let plan = plan(self.program, item, false)?;
        let (cx, crew) = (context(), crew());
        let body = self.in_loops(&plan);
        Some(tokens!({
            let #cx = #crew.leader();
            #body
        }))
    }

    /// The parameters of a device function in loops that are no slices: places for each invocation, and for its result.
    pub(super) fn kept_params(&self, function: &Fn) -> (Vec<(BindingId, Ident)>, Option<Ident>) {
        let values = function.params.iter().filter(|param| !matches!(param.ty.kind, TypeKind::Slice { .. }));
        let values = values.map(|param| (param.binding, kept_place(param.binding)));
        (values.collect(), function.result.is_some().then(|| numbered("__kept_result")))
    }

    fn in_loops(&mut self, plan: &Plan<'_>) -> Tokens {
        self.in_loops = true;
        let (mut places, crew) = (Writer::new(), crew());
        let Item::Fn(function) = &self.item.item else { return tokens!() };
        let is_param = |binding: &BindingId| function.params.iter().any(|param| param.binding == *binding);
        let mut place = |name: Ident| tokens!(let #name = &*#crew.kept();).put(&mut places);
        for binding in plan.kept.keys().filter(|binding| !is_param(binding)) {
            place(kept_place(*binding));
        }
        for call in &plan.calls {
            let ExprKind::Call { args, .. } = &call.kind else { continue };
            for position in self.value_params(call) {
                debug_assert!(position < args.len(), "inference compared the numbers");
                place(argument(call.id, position));
            }
            if self.gives_value(call) {
                place(result(call.id));
                self.results.insert(call.id);
            }
        }
        let nodes = self.nodes(plan, &plan.nodes);
        let places = places.finish();
        tokens!(#places #nodes)
    }

    /// The positions of the arguments of a call that are no slices.
    fn value_params(&self, call: &Expr) -> Vec<usize> {
        let ExprKind::Call { args, .. } = &call.kind else { return Vec::new() };
        let Some(Callee::Device(item)) = self.typed.calls.get(&call.id) else { return (0..args.len()).collect() };
        let Item::Fn(function) = &self.program.items[*item].item else { return Vec::new() };
        let params = function.params.iter().enumerate();
        params
            .filter(|(_, param)| !matches!(param.ty.kind, TypeKind::Slice { .. }))
            .map(|(position, _)| position)
            .collect()
    }

    fn gives_value(&self, call: &Expr) -> bool {
        let Some(Callee::Device(item)) = self.typed.calls.get(&call.id) else { return true };
        matches!(&self.program.items[*item].item, Item::Fn(function) if function.result.is_some())
    }

    fn nodes(&mut self, plan: &Plan<'_>, nodes: &[Node<'_>]) -> Tokens {
        let mut writer = Writer::new();
        for node in nodes {
            let tokens = match node {
                Node::Once(statement) => self.statement(statement),
                Node::Part(part) => self.part(plan, part),
                Node::Loop(whole, body) => self.level_loop(plan, whole, body),
                Node::If(whole, then_nodes, else_nodes) => {
                    self.level_if(plan, whole, then_nodes, else_nodes.as_deref())
                }
                Node::Block(body) => {
                    let body = self.nodes(plan, body);
                    tokens!({ #body })
                }
                Node::Call(call) => self.call_in_loops(call),
                Node::Exchange(call) => self.exchange(call),
            };
            tokens.put(&mut writer);
        }
        writer.finish()
    }

    fn level_loop(&mut self, plan: &Plan<'_>, whole: &Expr, body: &[Node<'_>]) -> Tokens {
        match &whole.kind {
            ExprKind::For { pattern, iterated, .. } => {
                let (pattern, iterated) = self.for_head(pattern, iterated);
                let body = self.nodes(plan, body);
                tokens!(for #pattern in #iterated { #body })
            }
            ExprKind::While { condition, .. } => {
                let condition = self.condition(condition);
                let body = self.nodes(plan, body);
                tokens!(while #condition { #body })
            }
            _ => tokens!(),
        }
    }

    fn level_if(
        &mut self,
        plan: &Plan<'_>,
        whole: &Expr,
        then_nodes: &[Node<'_>],
        else_nodes: Option<&[Node<'_>]>,
    ) -> Tokens {
        let ExprKind::If { condition, .. } = &whole.kind else { return tokens!() };
        let condition = self.condition(condition);
        let then_nodes = self.nodes(plan, then_nodes);
        let else_nodes = else_nodes.map(|nodes| {
            let nodes = self.nodes(plan, nodes);
            tokens!(else { #nodes })
        });
        tokens!(if #condition { #then_nodes } #else_nodes)
    }

    /// `crew.part(|at, invocation| { … });`
    fn part(&mut self, plan: &Plan<'_>, part: &Part<'_>) -> Tokens {
        let mut body = Writer::new();
        for binding in &part.loads {
            let Some((name, mutable)) = plan.kept.get(binding) else { continue };
            let (place, at) = (kept_place(*binding), at());
            let mutable = mutable.then(|| tokens!(mut));
            tokens!(let #mutable #name = #place[#at].get();).put(&mut body);
        }
        for piece in &part.pieces {
            self.piece(*piece).put(&mut body);
        }
        for binding in &part.stores {
            let Some((name, _)) = plan.kept.get(binding) else { continue };
            let (place, at) = (kept_place(*binding), at());
            tokens!(#place[#at].set(#name);).put(&mut body);
        }
        let (body, crew, at, cx) = (body.finish(), crew(), at(), context());
        let is_ambient = self.typed.callees().any(|item| !has_loops(self.program, item));
        let way = numbered(if is_ambient { "part_ambient" } else { "part" });
        tokens!(#crew.#way(move |#at, #cx| { #body });)
    }

    fn piece(&mut self, piece: Piece<'_>) -> Tokens {
        match piece {
            Piece::Statement(statement) => self.statement(statement),
            Piece::Args(call) => {
                let ExprKind::Call { args, .. } = &call.kind else { return tokens!() };
                let mut puts = Writer::new();
                for position in self.value_params(call) {
                    let (place, at, value) = (argument(call.id, position), at(), self.bare(&args[position]));
                    tokens!(#place[#at].set(#value);).put(&mut puts);
                }
                puts.finish()
            }
            Piece::Tail(expr) => {
                let expr = self.bare(expr);
                tokens!(#expr;)
            }
            Piece::Result(expr) => {
                let (place, at, value) = (numbered("__kept_result"), at(), self.bare(expr));
                tokens!(#place[#at].set(#value);)
            }
        }
    }

    /// An operation of the subgroups, whose arguments a part before has put into places.
    fn exchange(&mut self, call: &Expr) -> Tokens {
        let ExprKind::Call { callee, .. } = &call.kind else { return tokens!() };
        let name = callee.segments.last().map(|name| Ident::new(&name.to_string(), Span::call_site()));
        let arguments = self.value_params(call).into_iter().map(|position| argument(call.id, position));
        let places: Vec<_> = arguments.chain([result(call.id)]).collect();
        let (twin, crew) = (self.twin(), crew());
        tokens!(#twin::subgroup::whole::#name(#crew, #(#places),*);)
    }

    /// `f::__loops(crew, …);`
    fn call_in_loops(&mut self, call: &Expr) -> Tokens {
        let (ExprKind::Call { callee, args, .. }, Some(Callee::Device(item))) =
            (&call.kind, self.typed.calls.get(&call.id))
        else {
            return tokens!();
        };
        let Item::Fn(function) = &self.program.items[*item].item else { return tokens!() };
        let (mut slices, mut places) = (Vec::new(), Vec::new());
        for (position, (param, arg)) in function.params.iter().zip(args).enumerate() {
            if let TypeKind::Slice { mutable, .. } = param.ty.kind {
                slices.push(self.slice(whole_of(arg), mutable));
            } else {
                let place = argument(call.id, position);
                places.push(tokens!(#place));
            }
        }
        let result = self.gives_value(call).then(|| result(call.id)).map(|result| tokens!(#result));
        let given: Vec<_> = slices.into_iter().chain(places).chain(result).collect();
        let (path, function, crew) = (path_tokens(callee), Ident::new(LOOPS_FN, Span::call_site()), crew());
        tokens!(#path::#function(#crew, #(#given),*);)
    }

    /// The result of a call that has been done.
    pub(super) fn result_of_call(&self, call: &Expr) -> Option<Tokens> {
        self.results.contains(&call.id).then(|| {
            let (place, at) = (result(call.id), at());
            tokens!(#place[#at].get())
        })
    }
}

/// The name of the workgroup.
pub(super) fn crew() -> Ident {
    numbered("__crew")
}

/// The name of the position of an invocation.
fn at() -> Ident {
    numbered("__at")
}

/// The name of the places of a variable.
fn kept_place(binding: BindingId) -> Ident {
    numbered(&format!("__kept{}", binding.index()))
}

/// The name of the places of an argument.
fn argument(call: ExprId, position: usize) -> Ident {
    numbered(&format!("__argument{}_{position}", call.index()))
}

/// The name of the places of a call's result.
fn result(call: ExprId) -> Ident {
    numbered(&format!("__result{}", call.index()))
}
