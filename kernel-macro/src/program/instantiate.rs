//! Makes the instances of generic functions that an item needs, directly or through others, and infers each with all
//! types known. Errors in an instance are reported at the call that asked for it.
//!
//! The function as written is rendered once, and rustc checks it against its bounds. Operators on values of a
//! parameter's type go through `twin::generic` there: integers wrap and trap whatever the parameter is, and other types
//! use the author's operator. Types known in the rendering must be the same in every instance, which [`compare`]
//! checks. A method of a type or trait is an instance with `Self` bound; `infer/associated.rs` chooses it among the
//! gathered `impl` blocks.
//!
//! A generic struct or enum has its arguments in its type (`Ty::Struct(item, args)`), and its definition names its
//! parameters by position (`Ty::Param`), for which `Program::fields_of` puts the arguments. Only lowering makes a
//! struct of the module for each list of arguments. Each kernel that names a generic `GpuData` struct in its signature
//! asserts its layout. A type alias stands for its type as soon as inference meets it.

use std::collections::BTreeSet;

use crate::ast::{ExprId, Item, SpanRange};
use crate::diag::{Diagnostics, code};
use crate::infer::{infer_item, type_name};
use crate::program::{ItemId, Program, ProgramItem, TypedItem};
use crate::typed::{Callee, InstanceRequest, Ty};

/// How deep calls of generic functions may nest: deeper ones have no end.
const MAX_DEPTH: usize = 64;

/// How many instances an item may need: each may ask for several others.
const MAX_INSTANCES: usize = 2000;

/// Makes all instances that `item` needs. Reports at its calls.
pub(crate) fn instantiate(program: &mut Program, item: ItemId, diags: &mut Diagnostics) {
    let mut work = Work { visited: BTreeSet::new(), depth: 0, failed: false };
    work.visit(program, item, None, diags);
}

/// How many parts the types of generic arguments may have.
const MAX_SIZE: usize = 1000;

/// Whether a type has no more parts than the budget, which it uses up.
fn fits(ty: &Ty, budget: &mut usize) -> bool {
    if *budget == 0 {
        return false;
    }
    *budget -= 1;
    match ty {
        Ty::Array(element, _) | Ty::Option(element) => fits(element, budget),
        Ty::Result(value, error) => fits(value, budget) && fits(error, budget),
        Ty::Tuple(members) | Ty::Struct(_, Some(members)) | Ty::Enum(_, Some(members)) => {
            members.iter().all(|member| fits(member, budget))
        }
        _ => true,
    }
}

struct Work {
    visited: BTreeSet<ItemId>,
    depth: usize,
    /// Instances without end were met: one report is enough.
    failed: bool,
}

impl Work {
    /// Visits a function; `at`: the call in the item being expanded that led here.
    fn visit(&mut self, program: &mut Program, item: ItemId, at: Option<SpanRange>, diags: &mut Diagnostics) {
        if !self.visited.insert(item) {
            return;
        }
        let TypedItem::Fn(typed) = &mut program.items[item].typed else { return };
        let requests = std::mem::take(&mut typed.requests);
        let called: BTreeSet<ItemId> = typed.callees().collect();
        let generic: BTreeSet<ItemId> = requests.iter().map(|request| request.item).collect();
        for callee in called.difference(&generic) {
            self.visit(program, *callee, at, diags);
        }
        for request in requests {
            let span = at.unwrap_or(request.span);
            let (expr, generic) = (request.expr, request.item);
            if let Some(instance) = self.instance(program, request, span, diags) {
                self.patch(program, item, (expr, generic), instance);
            }
        }
    }

    fn patch(&mut self, program: &mut Program, item: ItemId, (expr, generic): (ExprId, ItemId), instance: ItemId) {
        let TypedItem::Fn(typed) = &mut program.items[item].typed else { return };
        // The `next` of what is gone through there, which may be a call of another function.
        match typed.own_iterators.get_mut(&expr) {
            Some(next) if *next == generic => *next = instance,
            _ => _ = typed.calls.insert(expr, Callee::Device(instance)),
        }
    }

    /// The instance a request asks for; `None` after errors.
    fn instance(
        &mut self,
        program: &mut Program,
        request: InstanceRequest,
        span: SpanRange,
        diags: &mut Diagnostics,
    ) -> Option<ItemId> {
        let InstanceRequest { item: generic, bindings, .. } = request;
        let mut budget = MAX_SIZE;
        let is_small = bindings.iter().all(|binding| fits(&binding.ty, &mut budget));
        // Longer than any text should be: types that double from call to call.
        let key = (generic, if is_small { format!("{bindings:?}") } else { String::new() });
        if let Some(known) = program.instances.get(&key) {
            return Some(*known);
        }
        let name = match &program.items[generic].item {
            Item::Fn(function) => function.name.to_string(),
            _ => return None,
        };
        if program.instances.len() >= MAX_INSTANCES {
            if !std::mem::replace(&mut self.failed, true) {
                diags
                    .error(code::KERNEL_SIZE, span, format!("this needs more than {MAX_INSTANCES} functions"))
                    .note(format!("`{name}` is generic, and each list of arguments makes another function of it"))
                    .help("let generic functions call each other with the arguments they have");
            }
            return None;
        }
        if self.depth >= MAX_DEPTH || !is_small {
            if !std::mem::replace(&mut self.failed, true) {
                diags
                    .error(code::RECURSION, span, format!("`{name}` needs itself with ever new generic arguments"))
                    .note(format!(
                        "each of more than {MAX_DEPTH} functions calls the next, or their types have no bound"
                    ))
                    .help("write a loop: there is no call stack on the device");
            }
            return None;
        }
        let made = program.items[generic].instance(bindings);
        let id = program.items.push(made);
        program.instances.insert(key, id);
        let mut inner = Diagnostics::new();
        infer_item(program, id, &mut inner);
        compare(program, generic, id, &mut inner);
        let errors = inner.into_list();
        if let Some(error) = errors.first() {
            let (file, line) = (program.items[id].file.clone(), error.span.start.start().line);
            let report = diags.error(error.code, span, format!("in {}: {}", instance_name(program, id), error.message));
            report.note(format!("the error is in {file}, line {line}"));
            report.lines.extend(error.lines.iter().cloned());
            return None;
        }
        self.depth += 1;
        self.visit(program, id, Some(span), diags);
        self.depth -= 1;
        Some(id)
    }
}

/// `lerp::<f32>` with its arguments, in backticks.
pub(crate) fn instance_name(program: &Program, id: ItemId) -> String {
    let ProgramItem { item: Item::Fn(function), bindings, .. } = &program.items[id] else { return String::new() };
    let own = bindings.iter().filter(|binding| binding.name != "Self" && !binding.name.starts_with("__"));
    let args: Vec<String> = own.map(|binding| type_name(program, &binding.ty)).collect();
    if args.is_empty() { format!("`{}`", function.name) } else { format!("`{}::<{}>`", function.name, args.join(", ")) }
}

/// Compares an instance with the generic function as written: the types found there must hold here, because its
/// rendering, which runs on the host, has the former types, and the device the latter.
pub(crate) fn compare(program: &Program, generic: ItemId, instance: ItemId, diags: &mut Diagnostics) {
    let TypedItem::Generic(written) = &program.items[generic].typed else { return };
    let TypedItem::Fn(typed) = &program.items[instance].typed else { return };
    let Item::Fn(function) = &program.items[generic].item else { return };
    let differs = |(written, found): (&Ty, &Ty)| !agrees(written, found);
    let count = written.exprs.iter().zip(&typed.exprs).filter(|pair| differs(*pair)).count()
        + written.bindings.iter().zip(&typed.bindings).filter(|pair| differs(*pair)).count();
    if typed.sized.iter().any(|call| !written.calls.contains_key(call))
        || !typed.host_sized.is_subset(&written.host_sized)
    {
        diags
            .error(
                code::CANNOT_INFER,
                SpanRange::token(function.name.span()),
                "a method or limit of `usize` or `isize` is named through a generic parameter",
            )
            .note("these types have 32 bits on the device and 64 on the host, where it would be another")
            .help("use `u32` or `i32` as the generic argument");
        return;
    }
    if typed.bare_slices.iter().any(|call| !written.calls.contains_key(call)) {
        diags
            .error(
                code::CANNOT_INFER,
                SpanRange::token(function.name.span()),
                "a method of a generic parameter takes a slice, and gets an array",
            )
            .note("the parameters of a method are not known while its type is unknown")
            .help("write that the array becomes a slice: `&own[..]`");
        return;
    }
    if count > 0 {
        diags
            .error(
                code::CANNOT_INFER,
                SpanRange::token(function.name.span()),
                "the type of a number depends on the generic arguments",
            )
            .note("only values of the parameters' types may differ from one instance to the next")
            .help("write the types of the literals: `1u32`, `0.5f32`");
    }
}

fn agrees(written: &Ty, found: &Ty) -> bool {
    match (written, found) {
        (Ty::Error | Ty::Never, _) | (_, Ty::Error | Ty::Never) => true,
        (Ty::Closure(_, a), Ty::Closure(_, b)) => a == b,
        (Ty::Array(a, n), Ty::Array(b, m)) => n.fits(*m) && agrees(a, b),
        (Ty::Option(a), Ty::Option(b)) | (Ty::Iterator(a), Ty::Iterator(b)) | (Ty::Shared(a), Ty::Shared(b)) => {
            agrees(a, b)
        }
        (Ty::Buffer { element: a, mutable: m, .. }, Ty::Buffer { element: b, mutable: n, .. }) => {
            m == n && agrees(a, b)
        }
        (Ty::Range(a, n), Ty::Range(b, m)) => n == m && agrees(a, b),
        (Ty::Result(a, e), Ty::Result(b, f)) => agrees(a, b) && agrees(e, f),
        (Ty::Tuple(a), Ty::Tuple(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| agrees(a, b)),
        (Ty::Struct(x, Some(a)), Ty::Struct(y, Some(b))) | (Ty::Enum(x, Some(a)), Ty::Enum(y, Some(b))) => {
            x == y && a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| agrees(a, b))
        }
        _ => written == found,
    }
}
