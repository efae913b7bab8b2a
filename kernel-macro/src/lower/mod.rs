//! Lowers the typed tree of a kernel and its device functions to IR, with exactly Rust's meaning. Cannot fail; reports nothing.
//!
//! Expressions become SSA values; mutable variables become IR locals, which a pass promotes later. A value-less result
//! (`None`) means unit or that control does not come out of the expression: whoever needs a value passes `None` on.
//! Masking of invocations beyond the grid and the code of checked accesses belong to the back end.

#![allow(
    clippy::wrong_self_convention,
    reason = "what lowers a method of Rust or glam is called as it, and adds to the function being built"
)]

mod angle;
mod ascii;
mod budget;
mod chain;
mod character;
mod chunk;
mod closure;
mod compare;
mod constant;
mod control;
mod coop;
mod default;
mod direction;
mod division;
mod double;
mod expr;
mod float;
mod function;
mod image;
mod inline;
mod int;
mod intrinsic;
mod lanes;
mod matching;
mod matrix;
mod number;
mod one_of;
mod operator;
mod option;
mod orientation;
mod overflow;
mod parallel;
mod pattern;
mod place;
mod quaternion;
mod range;
mod reference;
mod report;
mod shorthand;
mod single;
mod slice;
mod slice_pattern;
mod slope;
mod stmt;
#[cfg(test)]
mod tests;
mod try_into;
mod types;
mod variant;
mod vector;
mod wide;

use std::collections::BTreeSet;

use gridwise_ir::builder::ModuleBuilder;
use gridwise_ir::hash::FastMap;
use gridwise_ir::ir::{BufferId, FunctionId, Module, ParamId, SourceLocation};
use gridwise_ir::parallel::NativeFloats;
use gridwise_ir::types::{Scalar, Size, Type, TypeId, Types};

use crate::ast::{BindingId, ExprId, Fn, Item, Scattered, SpanRange};
use crate::builtin::image::ImageTy;
use crate::program::message::Message;
use crate::program::{Chosen, ItemId, Program, TypedItem};
use crate::typed::{Callee, Len, Resolution, Ty, TypedFn};

use budget::Budget;
pub(crate) use budget::Repeated;
use closure::lower_closure_fn;
pub(crate) use coop::MatrixFault;
use function::{FnCx, Slot};
use reference::is_in_place;
use types::TypeCx;
pub(crate) use types::matrix_type;
use types::size;

/// The state that the functions of one module share.
struct Shared<'p> {
    program: &'p Program,
    types: TypeCx<'p>,
    /// Device functions lowered already.
    functions: FastMap<ItemId, FunctionId>,
    /// Closures lowered already.
    closures: FastMap<(ItemId, ExprId), FunctionId>,
    /// The kernel's buffers and shared variables, for closures that name them.
    memory: FastMap<BindingId, Slot>,
    /// Whether `debug_assert!` and its like are there.
    debug_assertions: bool,
    /// Whether the module is to be derived.
    derives: bool,
    /// The messages of panics and prints, by the numbers in their sites.
    messages: Vec<Message>,
    /// The barriers, with what is written there.
    barriers: Vec<(SourceLocation, SpanRange)>,
    /// The calls around of functions that are lowered in place, outer ones first.
    calls: Vec<SourceLocation>,
    /// The elements that such functions name.
    elsewhere: Vec<Elsewhere>,
    /// The faults of matrices, with their places.
    matrix_faults: Vec<(SpanRange, MatrixFault)>,
    /// How much was lowered.
    budget: Budget,
}

/// A kernel's module, and what there is to say about it that IR does not know.
#[derive(Debug)]
pub(crate) struct Lowered {
    pub(crate) module: Module,
    /// The messages that its sites name.
    pub(crate) messages: Vec<Message>,
    /// Its barriers, as written.
    pub(crate) barriers: Vec<(SourceLocation, SpanRange)>,
    /// The elements that functions name which are lowered where they are called.
    pub(crate) elsewhere: Vec<Elsewhere>,
    /// The faults of its matrices.
    pub(crate) matrix_faults: Vec<(SpanRange, MatrixFault)>,
    /// Why only a part of it was lowered, and the module is not to be used.
    pub(crate) too_large: Option<Repeated>,
}

/// An element that a function names which is lowered where it is called: `y[i]`.
#[derive(Debug)]
pub(crate) struct Elsewhere {
    /// Its place.
    pub(crate) location: SourceLocation,
    /// The element as written.
    pub(crate) span: SpanRange,
    /// The calls by which the kernel comes there, its own first.
    pub(crate) calls: Vec<SourceLocation>,
}

/// How a kernel's parameter is reached.
#[derive(Clone, Copy)]
enum KernelParam {
    Buffer(BufferId),
    Value(ParamId),
    /// Of unit type.
    Nothing,
}

/// The module of a kernel without errors: the device functions it uses, callees first, then the kernel.
pub(crate) fn lower_kernel(
    program: &Program,
    kernel: ItemId,
    workgroup: [impl Into<Len>; 3],
    debug_assertions: bool,
) -> Lowered {
    lower(program, kernel, workgroup, debug_assertions, (NativeFloats::NONE, Derivation::None))
}

/// As [`lower_kernel`], with what the derivation of gradients is told. `of_function`: the kernel stands for a function, and its parameters
/// may be tuples.
pub(crate) fn lower_kernel_to_derive(
    program: &Program,
    kernel: ItemId,
    workgroup: [impl Into<Len>; 3],
    (debug_assertions, of_function): (bool, bool),
) -> Lowered {
    let derivation = if of_function { Derivation::OfFunction } else { Derivation::OfKernel };
    lower(program, kernel, workgroup, debug_assertions, (NativeFloats::NONE, derivation))
}

/// As [`lower_kernel`], for a device that adds to some atomic floats itself.
pub(crate) fn lower_kernel_natively(
    program: &Program,
    kernel: ItemId,
    workgroup: [impl Into<Len>; 3],
    debug_assertions: bool,
    native: NativeFloats,
) -> Lowered {
    lower(program, kernel, workgroup, debug_assertions, (native, Derivation::None))
}

/// The use of the module for gradients.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Derivation {
    None,
    OfKernel,
    OfFunction,
}

fn lower(
    program: &Program,
    kernel: ItemId,
    workgroup: [impl Into<Len>; 3],
    debug_assertions: bool,
    (native, derivation): (NativeFloats, Derivation),
) -> Lowered {
    let workgroup = workgroup.map(|len| size(len.into()));
    let mut module = ModuleBuilder::new();
    let mut shared = Shared {
        program,
        types: TypeCx::new(program).natively(native).tuples_as_structs(derivation == Derivation::OfFunction),
        functions: FastMap::default(),
        closures: FastMap::default(),
        memory: FastMap::default(),
        debug_assertions,
        derives: derivation != Derivation::None,
        messages: Vec::new(),
        barriers: Vec::new(),
        calls: Vec::new(),
        elsewhere: Vec::new(),
        matrix_faults: Vec::new(),
        budget: Budget::default(),
    };
    let params = declare_interface(&mut module, &mut shared, kernel, workgroup);
    let (ast, _) = function_of(program, kernel);
    for (param, kind) in ast.params.iter().zip(&params) {
        if let KernelParam::Buffer(buffer) = kind {
            shared.memory.insert(param.binding, Slot::Buffer(*buffer));
        }
    }
    parallel::declare_shared(&mut module, &mut shared, kernel);
    for node in reachable_functions(program, kernel) {
        match node {
            Node::Fn(item) if is_in_place(program, item) => {}
            Node::Fn(item) => {
                let id = lower_device_fn(&mut module, &mut shared, item);
                shared.functions.insert(item, id);
            }
            Node::Closure(item, expr) => {
                if let Some(id) = lower_closure_fn(&mut module, &mut shared, item, expr) {
                    shared.closures.insert((item, expr), id);
                }
            }
        }
    }
    let builder = module.kernel_function(ast.name.to_string());
    FnCx::new(&mut shared, builder, kernel).lower_kernel_body(&params);
    let Shared { messages, barriers, elsewhere, matrix_faults, budget, .. } = shared;
    Lowered { module: module.finish(), messages, barriers, elsewhere, matrix_faults, too_large: budget.spent }
}

fn declare_interface(
    module: &mut ModuleBuilder,
    shared: &mut Shared<'_>,
    kernel: ItemId,
    workgroup: [Size; 3],
) -> Vec<KernelParam> {
    let (ast, typed) = function_of(shared.program, kernel);
    module.begin_kernel(workgroup);
    for Chosen { name, scalar: of, default } in &shared.program.chosen {
        let of = of.on_device();
        // Any value that it may have will do: each launch gives another.
        module.const_param(name.to_string(), of, default.unwrap_or(u64::from(of != Scalar::Bool)));
    }
    let mut params = Vec::new();
    for (param, ty) in ast.params.iter().zip(&typed.params) {
        let name = param.name.to_string();
        params.push(match ty {
            Ty::Buffer { element, .. } if matches!(**element, Ty::Image(_)) => match **element {
                Ty::Image(ImageTy { image, mutable }) => KernelParam::Buffer(module.image_list(name, image, mutable)),
                _ => KernelParam::Nothing,
            },
            Ty::Buffer { element, mutable, .. } if ty.is_list() => {
                let element = element.slice_element().and_then(|of| shared.types.lower(module.types_mut(), of));
                element
                    .map_or(KernelParam::Nothing, |element| KernelParam::Buffer(module.list(name, element, *mutable)))
            }
            Ty::Buffer { element, mutable, .. } => match shared.types.lower(module.types_mut(), element) {
                Some(element) if param.texels.is_some() => KernelParam::Buffer(module.texels(name, element)),
                Some(element) if param.scattered == Some(Scattered::Claims) => {
                    let of = name.strip_prefix(Scattered::CLAIMS).unwrap_or(&name);
                    KernelParam::Buffer(module.claims(of, element))
                }
                Some(element) => KernelParam::Buffer(match param.checked {
                    Some(checked) => module.checked(name, element, checked),
                    None => {
                        let writable = *mutable || typed.atomic_buffers.contains(&param.binding);
                        module.buffer(name, element, writable)
                    }
                }),
                None => KernelParam::Nothing,
            },
            Ty::Image(ImageTy { image, mutable }) => KernelParam::Buffer(module.image(name, *image, *mutable)),
            ty => match shared.types.lower(module.types_mut(), ty) {
                Some(ty) => KernelParam::Value(module.param(name, ty)),
                None => KernelParam::Nothing,
            },
        });
    }
    params
}

fn lower_device_fn(module: &mut ModuleBuilder, shared: &mut Shared<'_>, item: ItemId) -> FunctionId {
    let (ast, typed) = function_of(shared.program, item);
    let mut params = Vec::new();
    for (param, ty) in ast.params.iter().zip(&typed.params) {
        if let Some(ty) = shared.types.lower(module.types_mut(), ty) {
            params.push((param.name.to_string(), ty));
        }
    }
    let params: Vec<_> = params.iter().map(|(name, ty)| (name.as_str(), *ty)).collect();
    let result = result_type(shared, module.types_mut(), ast, typed);
    let result = result.unwrap_or_else(|| module.types_mut().unit());
    let builder = module.function(ast.name.to_string(), &params, result);
    FnCx::new(shared, builder, item).lower_device_body()
}

/// The IR type of a function's return: its result, behind the new `self` if it writes that.
fn result_type(shared: &mut Shared<'_>, types: &mut Types, ast: &Fn, typed: &TypedFn) -> Option<TypeId> {
    let result = typed.result.as_ref().and_then(|ty| shared.types.lower(types, ty));
    if !ast.writes_self() {
        return result;
    }
    let written = typed.params.first().and_then(|ty| shared.types.lower(types, ty));
    match (written, result) {
        (Some(written), Some(result)) => Some(types.intern(Type::Tuple(vec![written, result]))),
        (written, result) => written.or(result),
    }
}

/// An item that becomes a function of the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    Fn(ItemId),
    /// A closure of an item.
    Closure(ItemId, ExprId),
}

/// The device functions and closures that `kernel` calls, directly or through others, callees first.
fn reachable_functions(program: &Program, kernel: ItemId) -> Vec<Node> {
    let (mut order, mut seen) = (Vec::new(), BTreeSet::from([Node::Fn(kernel)]));
    visit_callees(program, Node::Fn(kernel), &mut seen, &mut order);
    order
}

fn visit_callees(program: &Program, node: Node, seen: &mut BTreeSet<Node>, order: &mut Vec<Node>) {
    let (item, around) = match node {
        Node::Fn(item) => (item, None),
        Node::Closure(item, expr) => (item, Some(expr)),
    };
    let (_, typed) = function_of(program, item);
    let mut callees = BTreeSet::new();
    for (expr, implied) in &typed.implied {
        if typed.inside.get(expr).copied() == around {
            callees.extend(implied.iter().map(|callee| Node::Fn(*callee)));
        }
    }
    // What goes through the elements of a value calls its `next`.
    for (expr, next) in &typed.own_iterators {
        if typed.inside.get(expr).copied() == around {
            callees.insert(Node::Fn(*next));
        }
    }
    for (expr, callee) in &typed.calls {
        if typed.inside.get(expr).copied() != around {
            continue;
        }
        match callee {
            Callee::Device(callee) => {
                callees.insert(Node::Fn(*callee));
            }
            Callee::Closure => {
                if let Some(Resolution::Binding(binding)) = typed.paths.get(expr)
                    && let Ty::Closure(item, expr) = typed.binding(*binding)
                    && !runs_in_place(program, *item, *expr)
                {
                    callees.insert(Node::Closure(*item, *expr));
                }
            }
            _ => {}
        }
    }
    for callee in callees {
        if seen.insert(callee) {
            visit_callees(program, callee, seen, order);
            order.push(callee);
        }
    }
}

/// Whether a closure runs where it is called, and is no function of its own.
fn runs_in_place(program: &Program, item: ItemId, closure: ExprId) -> bool {
    function_of(program, item).1.closures.get(&closure).is_some_and(|closure| closure.inline)
}

/// The tree and tables of a function.
fn function_of(program: &Program, item: ItemId) -> (&Fn, &TypedFn) {
    match (&program.items[item].item, &program.items[item].typed) {
        (Item::Fn(ast), TypedItem::Fn(typed)) => (ast, typed),
        _ => unreachable!("only functions without errors are lowered"),
    }
}
