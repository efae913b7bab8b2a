//! `#[kernel]`.

use gridwise_ir::batch::Request;
use gridwise_ir::compile::{CompileError, CompileOptions, compile};
use gridwise_ir::parallel::{NativeFloats, native_floats};
use gridwise_ir::spirv::EmitError;
use proc_macro2::{Ident, TokenStream, TokenTree};

use super::globs::gather_first;
use super::incomplete::{check_incomplete, report_unmarked};
use super::instances::{bind_unknown_types, compile_instances};
use super::own_items::set_apart;
use super::printed;
use super::{Finished, advance, errors_of, internal_error, outward, start, unreadable_fn, wrong_item};
use crate::ast::{Fn, Item, Path, ScalarName, SpanRange, TypeKind};
use crate::attribute::KernelAttr;
use crate::builtin::names::is_type_name;
use crate::check::check_kernel;
use crate::diag::{Diagnostics, code};
use crate::dump::{dump, lowered_text, words_text};
use crate::emit::codegen::{
    BuiltKernel, check_barriers, check_items, check_matrices, check_push_constants, check_races, check_shared_memory,
    dispatch_items, fn_stub, kernel_items, kernel_stub, report_long_value, report_nesting, report_repeated,
    report_size, type_name,
};
use crate::emit::editor;
use crate::emit::{derivatives, fits, gradient, print_options};
use crate::gather::{Closure, EntryKind, Place, State, is_associated, names_of_fn, names_of_type, traits_in_scope};
use crate::infer::{const_params, infer_item};
use crate::krate::facade_path;
use crate::lower::{Lowered, lower_kernel, lower_kernel_natively, lower_kernel_to_derive};
use crate::parse::{Signature, read_kernel};
use crate::program::assemble::{AssembleError, Assembled, MainItem, assemble};
use crate::program::instantiate::instantiate;
use crate::program::{Binding, Chosen, ItemId, Program, TypedItem};
use crate::typed::Ty;

/// A kernel as read.
pub(super) struct KernelItem {
    item: TokenStream,
    signature: Signature,
    attr: KernelAttr,
    function: Fn,
}

impl KernelItem {
    /// Reads the attribute and the function.
    ///
    /// # Errors
    /// When the item is no function with a body.
    pub(super) fn read(attr: TokenStream, item: &TokenStream, diags: &mut Diagnostics) -> syn::Result<Self> {
        let (signature, function) = read_kernel(item, diags)?;
        let attr = KernelAttr::parse(attr, &function.generics.source, diags);
        Ok(Self { item: item.clone(), signature, attr, function })
    }

    /// The names to gather.
    pub(super) fn names(&self, diags: &mut Diagnostics) -> Vec<Path> {
        check_name(&self.function.name, diags);
        check_hidden(&self.function.name, self.item.clone(), diags);
        let mut names = names_of_fn(&self.function, diags);
        let is_param = |path: &&Path| {
            path.as_name().is_some_and(|name| self.function.generics.params.iter().any(|param| param.name == *name))
        };
        names.extend(self.attr.const_paths().filter(|path| !is_param(path)).cloned());
        let listed = self.attr.type_lists().iter().flat_map(|list| &list.types).flat_map(names_of_type);
        names.extend(listed.filter(|path| !is_param(&path)));
        names.extend(traits_in_scope(&self.item, &self.function.name, false));
        dump("ast", &self.function.name.to_string(), || format!("{:#?}", self.function));
        names
    }

    /// The gathering of `names`, which carries the kernel as tokens.
    pub(super) fn state(&self, attr: TokenStream, item: TokenStream, names: Vec<Path>) -> State {
        let state = start(EntryKind::Kernel, &self.function.name, attr, item, names);
        if self.function.globs.is_empty() { state } else { gather_first(state, &self.function.globs) }
    }
}

/// The names to gather for a kernel that was rewritten.
pub(super) fn names_of_state(state: &State, diags: &mut Diagnostics) -> Vec<Path> {
    let kernel = KernelItem::read(state.attr.clone(), &state.item, diags);
    kernel.map(|kernel| kernel.names(diags)).unwrap_or_default()
}

/// Expands `#[kernel(attr)] item`. The dispatch type comes first: it stays whatever fails later.
pub(crate) fn kernel(attr: TokenStream, item: TokenStream) -> TokenStream {
    let mut diags = Diagnostics::new();
    let item = outward(item);
    let Ok(kernel) = KernelItem::read(attr.clone(), &item, &mut diags) else {
        let mut tokens = unreadable_fn(&item).unwrap_or_else(|| {
            wrong_item(
                SpanRange::of(item.clone()),
                "`#[kernel]` is for free functions with a body",
                "put it on a `fn`; consts and helper functions take `#[device]`, structs `#[derive(GpuData)]`",
            )
        });
        tokens.extend(editor::unread(item));
        return tokens;
    };
    let other = if !kernel.signature.has_receiver && is_associated(&kernel.function.name, &item) {
        Some(in_implementation(&kernel))
    } else {
        set_apart("kernel", &attr, &item)
    };
    if let Some(other) = other {
        // Nothing else is said of the one, and what is wrong with the other is found in what is written here.
        drop(diags.into_list());
        return other;
    }
    let names = kernel.names(&mut diags);
    let failed = diags.has_errors();
    if failed {
        report_unmarked(&names, &kernel.function.name, false, &mut diags);
    }
    let errors = errors_of(diags);
    let krate = facade_path();
    let dispatch = (has_dispatch_type(&kernel.function, kernel.signature) && !kernel.attr.is_derivative())
        .then(|| dispatch_items(kernel.signature, &kernel.function, &kernel.attr, &krate));
    let written = editor::written(&item);
    let (later_errors, rest) = if failed {
        (TokenStream::new(), stub(kernel.item))
    } else if names.is_empty() && !kernel.function.has_debug {
        // Nothing to gather: no need to read the tokens again.
        let mut diags = Diagnostics::new();
        let finished = finish_item(kernel, Vec::new(), None, &krate, &mut diags);
        (errors_of(diags), finished)
    } else {
        (TokenStream::new(), advance(kernel.state(attr, item, names)))
    };
    // In one step, which is told how much there is.
    dispatch.into_iter().chain([written, errors, later_errors, rest]).collect()
}

/// Reports a kernel in an `impl` or trait, where its dispatch type cannot stand.
fn in_implementation(kernel: &KernelItem) -> TokenStream {
    let name = &kernel.function.name;
    let mut diags = Diagnostics::new();
    diags
        .error(
            code::BAD_SIGNATURE,
            SpanRange::token(name.span()),
            format!("the kernel `{name}` stands in an `impl` or a trait"),
        )
        .note("a kernel defines a type of its own beside it, which cannot stand there")
        .help("make it a free function beside the `impl`, which may call methods of the type");
    let mut tokens = editor::written(&kernel.item);
    tokens.extend(errors_of(diags));
    let source = syn::parse2::<syn::ItemFn>(kernel.item.clone());
    tokens.extend(editor::unless_written(|| source.map(|source| fn_stub(&source)).unwrap_or_default()));
    tokens
}

/// The second half, with everything gathered.
pub(super) fn finish(state: State, diags: &mut Diagnostics) -> Finished {
    let Ok(kernel) = KernelItem::read(state.attr.clone(), &state.item, diags) else { return Finished::default() };
    Finished {
        tokens: finish_item(kernel, state.done.clone(), Some(state), &facade_path(), diags),
        closure: Closure::Broken,
    }
}

/// Compiles a kernel. If it matters whether there are debug assertions and `state` does not say, it asks rustc first.
fn finish_item(
    kernel: KernelItem,
    done: Vec<(String, Closure)>,
    state: Option<State>,
    krate: &TokenStream,
    diags: &mut Diagnostics,
) -> TokenStream {
    let KernelItem { item, attr, function, .. } = kernel;
    let name = function.name.clone();
    let place = Place::of(&name);
    let again = printed::is_wanted(&attr).then(|| (place.file.clone(), place.position, done.clone()));
    let main = MainItem { item: Item::Fn(function), file: place.file, position: place.position };
    let tokens = match assemble(main, done) {
        Ok(assembled) => {
            let debug = state.as_ref().and_then(|state| state.debug);
            let has_debug = |item: &Item| matches!(item, Item::Fn(function) if function.has_debug);
            if let (None, Some(state)) = (debug, state)
                && assembled.program.lost.is_empty()
                && assembled.program.items.iter().any(|(_, item)| has_debug(&item.item))
            {
                return state.ask_for_debug(krate);
            }
            let debug = debug.unwrap_or(true);
            let printed = again.and_then(|(file, position, done)| {
                printed::compile_printed((&attr, &item), (&file, position), &done, debug, krate)
            });
            printed.or_else(|| compile_kernel(assembled, (&attr, &item), debug, krate, diags))
        }
        Err(AssembleError(detail)) => {
            internal_error(&name, "gathering", &detail, diags);
            None
        }
    };
    tokens.unwrap_or_else(|| if attr.is_derivative() { TokenStream::new() } else { stub(item) })
}

/// The stub of a kernel with errors.
fn stub(item: TokenStream) -> TokenStream {
    let mut tokens = TokenStream::new();
    // Its errors were reported when it was read before.
    let mut reported = Diagnostics::new();
    if let Ok((signature, function)) = read_kernel(&item, &mut reported)
        && has_dispatch_type(&function, signature)
    {
        tokens.extend(kernel_stub(&function, &facade_path()));
    }
    drop(reported.into_list());
    // It was a function when it was read.
    // No const calls a kernel.
    let stub =
        |source: syn::ItemFn| fn_stub(&syn::ItemFn { sig: syn::Signature { constness: None, ..source.sig }, ..source });
    tokens.extend(editor::unless_written(|| syn::parse2(item).map(stub).unwrap_or_default()));
    tokens
}

/// Whether a kernel has a type that dispatches it.
fn has_dispatch_type(function: &Fn, signature: Signature) -> bool {
    // A struct cannot stand in an `impl`, where a function with a receiver does.
    type_name(&function.name) != function.name && !signature.has_receiver
}

/// Everything after gathering; `None` after errors.
pub(super) fn compile_kernel(
    assembled: Assembled,
    (attr, source): (&KernelAttr, &TokenStream),
    debug_assertions: bool,
    krate: &TokenStream,
    diags: &mut Diagnostics,
) -> Option<TokenStream> {
    let Assembled { mut program, item, .. } = assembled;
    bind_const_params(&mut program, item, attr, diags);
    if !program.lost.is_empty() {
        if !attr.type_lists().is_empty() {
            bind_unknown_types(&mut program, item, attr);
        }
        check_incomplete(
            &mut program,
            |program, diags| {
                infer_item(program, item, diags);
                // The parameters of functions need not reach the device.
                if !attr.is_derivative() {
                    check_kernel(program, item, diags);
                }
            },
            diags,
        );
        return None;
    }
    if attr.is_derivative() {
        infer_item(&mut program, item, diags);
        instantiate(&mut program, item, diags);
        let Item::Fn(function) = &program.items[item].item else { return None };
        let TypedItem::Fn(typed) = &program.items[item].typed else { return None };
        if diags.has_errors() || !fits(function, (&program, &typed.params), diags) {
            return None;
        }
        let workgroup = attr.workgroup(&program, item, diags);
        let lowered = lower_kernel_to_derive(&program, item, workgroup, (debug_assertions, true));
        let options = print_options(function, (&program, &typed.params), &lowered);
        return derivatives(function, &lowered.module, options, krate, diags);
    }
    if !attr.type_lists().is_empty() {
        return compile_instances(&mut program, item, (attr, source), debug_assertions, diags);
    }
    infer_item(&mut program, item, diags);
    let built = build(&mut program, item, (attr, source), debug_assertions, diags)?;
    let mut tokens = kernel_items(&program, item, &built, krate);
    if !attr.gradient().is_empty()
        && let Item::Fn(function) = &program.items[item].item
        && let TypedItem::Fn(typed) = &program.items[item].typed
    {
        let workgroup = attr.workgroup(&program, item, diags);
        let lowered = lower_kernel_to_derive(&program, item, workgroup, (debug_assertions, false));
        let options = print_options(function, (&program, &typed.params), &lowered);
        tokens.extend(gradient(function, attr, &lowered.module, source, options, krate, diags));
    }
    Some(tokens)
}

/// Everything after inference; `None` after errors.
pub(super) fn build(
    program: &mut Program,
    item: ItemId,
    (attr, source): (&KernelAttr, &TokenStream),
    debug_assertions: bool,
    diags: &mut Diagnostics,
) -> Option<BuiltKernel> {
    instantiate(program, item, diags);
    check_kernel(program, item, diags);
    let workgroup = attr.workgroup(program, item, diags);
    let subgroup = attr.subgroup(program, item, diags);
    check_shared_memory(program, item, diags);
    if diags.has_errors() {
        return None;
    }
    let Item::Fn(function) = &program.items[item].item else { return None };
    let name = function.name.to_string();
    let Lowered { mut module, messages, barriers, elsewhere, matrix_faults, too_large } =
        lower_kernel(program, item, workgroup, debug_assertions);
    if let Some(repeated) = too_large {
        report_repeated(function, &repeated, diags);
        return None;
    }
    if let Some(kernel) = &mut module.kernel {
        kernel.subgroup_size = subgroup;
        kernel.float_rules = attr.float_rules();
    }
    let native = native_floats(&module);
    dump("ir", &name, || module.to_string());
    let options = CompileOptions { batch: attr.items().0, ..compile_options(function) };
    dump("lowered", &name, || lowered_text(&module, &options));
    let mut compiled = match compile(module, &options) {
        Ok(compiled) => compiled,
        Err(CompileError::TooLarge(large)) => {
            report_size(function, &large, diags);
            return None;
        }
        Err(CompileError::TooNested(nested)) => {
            report_nesting(function, nested, diags);
            return None;
        }
        Err(CompileError::Emit(EmitError::TooLong)) => {
            report_long_value(function, diags);
            return None;
        }
        Err(error) => {
            internal_error(&function.name, "code generation", &error.to_string(), diags);
            return None;
        }
    };
    dump("spv", &name, || words_text(&compiled.words));
    if attr.needs_subnormals() {
        compiled.require_subnormals();
    }
    check_push_constants(function, &compiled, diags);
    let lowered = || lower_kernel(program, item, workgroup, debug_assertions).module;
    check_barriers(function, &compiled, &barriers, &lowered, diags);
    check_matrices(&matrix_faults, diags);
    check_items(&compiled, attr.items().1, diags);
    // The accesses of a derived kernel are those of its original, backwards.
    if !diags.has_errors() && !attr.is_derived() {
        check_races(function, &compiled, (source, &elsewhere), diags);
    }
    if diags.has_errors() {
        return None;
    }
    let variant = (native != NativeFloats::NONE).then(|| {
        let mut module = lower_kernel_natively(program, item, workgroup, debug_assertions, native).module;
        if let Some(kernel) = &mut module.kernel {
            kernel.subgroup_size = subgroup;
        }
        compile(
            module,
            &CompileOptions { keep_ir: false, batch: Request::One, finds_races: false, ..compile_options(function) },
        )
    });
    // Without it the kernel computes the same.
    let variant = variant.and_then(Result::ok).filter(|variant| variant.has_interface_of(&compiled));
    Some(BuiltKernel { compiled, variant, messages })
}

/// Binds the kernel's const parameters to values that each launch chooses.
pub(super) fn bind_const_params(program: &mut Program, item: ItemId, attr: &KernelAttr, diags: &mut Diagnostics) {
    let Item::Fn(function) = &program.items[item].item else { return };
    let (mut chosen, mut bindings) = (Vec::new(), Vec::new());
    for (number, (name, scalar)) in (0..).zip(const_params(&function.generics)) {
        let default = attr.default_of(name).and_then(|default| {
            let (min, max) = if scalar == ScalarName::Bool { (0, 1) } else { scalar.limits() };
            let values = default.listed.iter().map(|(value, _)| *value).chain([default.value]);
            if let Some(value) = values.into_iter().find(|value| !(min..=max).contains(value)) {
                let message = format!("{value} is not a value of `{name}`, which is a `{}`", scalar.name());
                diags
                    .error(code::BAD_ATTRIBUTE, default.span, message)
                    .help(format!("write a number from {min} to {max}"));
                return None;
            }
            Some(default.value as u64 & scalar.on_device().mask())
        });
        chosen.push(Chosen { name: name.clone(), scalar, default });
        bindings.push(Binding { name: name.to_string(), ty: Ty::Chosen(number), scalar: Some(scalar), chain: None });
    }
    program.chosen = chosen;
    program.items[item].bindings = bindings;
}

fn compile_options(function: &Fn) -> CompileOptions {
    let is_bound =
        |kind: &TypeKind| matches!(kind, TypeKind::Slice { .. } | TypeKind::List { .. } | TypeKind::Image { .. });
    let slices = (0..).zip(&function.params).filter(|(_, param)| is_bound(&param.ty.kind));
    let buffer_positions = slices.map(|(position, _)| position).collect();
    CompileOptions {
        buffer_positions,
        keep_ir: cfg!(feature = "sanitizer"),
        batch: Request::Automatic,
        finds_races: !function.is_unsafe,
    }
}

/// The dispatch type needs a name other than the function's.
fn check_name(name: &Ident, diags: &mut Diagnostics) {
    if type_name(name) == *name {
        diags
            .error(
                code::BAD_SIGNATURE,
                SpanRange::token(name.span()),
                format!("the kernel `{name}` needs a snake_case name"),
            )
            .note(format!("the type with its `dispatch` is called `{name}`"))
            .help("begin the function's name with a small letter");
    }
}

/// The dispatch type would hide a built-in type of the same name that the kernel speaks of: `fn scatter(y: &mut Scatter<f32>)`.
fn check_hidden(name: &Ident, item: TokenStream, diags: &mut Diagnostics) {
    let hidden = type_name(name);
    let is_known = |name: &str| is_type_name(name) || matches!(name, "Distinct" | "Offsets" | "Scatter");
    // `Shared` is written with its path where the kernel runs on the host.
    if !is_known(&hidden.to_string()) || hidden == "Shared" {
        return;
    }
    // A name behind `::` is another type's.
    let (mut streams, mut colons) = (vec![item.into_iter()], 0);
    while let Some(tokens) = streams.last_mut() {
        match tokens.next() {
            None => {
                streams.pop();
            }
            Some(TokenTree::Group(group)) => streams.push(group.stream().into_iter()),
            Some(TokenTree::Punct(punct)) if punct.as_char() == ':' => colons += 1,
            Some(TokenTree::Ident(ident)) if ident == hidden && colons < 2 => {
                diags
                    .error(
                        code::BAD_SIGNATURE,
                        SpanRange::token(ident.span()),
                        format!("the kernel `{name}` hides the type `{hidden}`, which it uses"),
                    )
                    .note(format!("the type with the kernel's `dispatch` is called `{hidden}`, too"))
                    .help(format!("give the kernel another name, such as `{name}_all`"));
                return;
            }
            Some(_) => colons = 0,
        }
    }
}
