//! Name resolution and type inference of one item, as rustc does them. Rules that need more than types are in `check`.
//!
//! Types are unified with integer and float variables, expectations flow down so that literals take the expected type,
//! and what is still open at the end takes Rust's defaults (`i32`; `f32`, the only float type). All errors are collected;
//! `Term::Error` fits everything, so nothing is reported twice.

mod associated;
mod associated_const;
mod atomic;
mod block;
mod call;
mod chain;
mod chosen_slice;
mod chunk;
mod closure;
mod compare;
mod computed;
mod const_call;
mod constant;
mod control;
mod coop;
mod default;
mod evaluate;
mod expr;
mod extent;
mod finish;
mod forwarded;
mod generic;
mod given_iterator;
mod given_slice;
mod held_limits;
mod held_slice;
mod image;
mod in_place;
mod index_impl;
mod into;
mod iterable;
mod iterate;
mod iterator;
mod iterator_parameter;
mod lent_value;
mod linear;
mod list;
mod literal;
mod memory;
mod method;
mod mismatch;
mod moving_slice;
mod name;
mod op;
mod operator_impl;
mod option;
mod own_iterator;
mod own_total;
mod parallel;
mod pattern;
mod place;
mod projection;
mod range;
mod reference;
mod report;
mod scope;
mod shared;
mod slice;
mod slice_method;
mod slice_pattern;
mod split;
mod stored_iterator;
mod subgroup;
mod suggest;
mod trait_call;
mod try_into;
mod ty;
mod unify;
mod variant;
mod written;
mod written_pattern;

#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeMap;

use gridwise_ir::arena::EntityId;
use proc_macro2::{Ident, Span};

use crate::ast::{Alias, BindingId, Const, Expr, ExprId, Fn, Item, SpanRange, Struct, TypeExpr};
use crate::diag::{Diagnostic, Diagnostics, code};
use crate::program::named_function::close_over_names;
use crate::program::{ItemId, Program, TypedItem};
use crate::source::Spelling;
use crate::typed::{ConstValue, Ty, TypedConst, TypedFn};

pub(crate) use closure::callable_of;
pub(crate) use constant::{is_bare_math_constant, is_math_constant, math_constants};
pub(crate) use coop::role_name;
pub(crate) use generic::const_params;
pub(crate) use index_impl::{ends_of_function, gives_one_of, is_one_place};
pub(crate) use name::parent;
pub(crate) use range::is_place;
pub(crate) use reference::is_self;
pub(crate) use shared::holds_atomics;
pub(crate) use slice::sliced;
pub(crate) use slice_pattern::matched_slice;
pub(crate) use split::holds_slice;
pub(crate) use suggest::nearest;
pub(crate) use ty::{TEXT, builtin_path, type_name};
pub(crate) use written_pattern::taken_place;

use block::strip;
use control::Frame;
use finish::Deferred;
use generic::{Param, Request};
use mismatch::Because;
use scope::Scope;
use unify::{Table, Term, VarKind};

/// Infers an item whose dependencies are inferred already, and stores the result in it.
pub(crate) fn infer_item(program: &mut Program, item: ItemId, diags: &mut Diagnostics) {
    close_over_names(program, item);
    let mut cx = Infer::new(program, item);
    cx.enter_owner();
    let typed = match &program.items[item].item {
        Item::Fn(function) if cx.params.iter().any(|param| param.term == Term::Error) => {
            TypedItem::Generic(Box::new(cx.function(function)))
        }
        Item::Fn(function) => TypedItem::Fn(Box::new(cx.function(function))),
        // Its value is found where it is used.
        Item::Const(_) if cx.params.iter().any(|param| cx.table.is_poisoned(&param.term)) => TypedItem::None,
        Item::Const(constant) => cx.constant_item(constant).map_or(TypedItem::Error, TypedItem::Const),
        Item::Struct(definition) => TypedItem::Struct(cx.fields_of(definition)),
        Item::Enum(definition) => TypedItem::Enum(cx.variants_of(definition)),
        Item::Alias(alias) => TypedItem::Alias(cx.alias_of(alias)),
        Item::Impl(implementation) if !program.held_slices.is_empty() => {
            cx.params = generic::unknown_params(&implementation.generics);
            cx.refuse_held_impl(implementation);
            TypedItem::None
        }
        Item::Impl(_) | Item::Trait(_) => TypedItem::None,
    };
    let failed = cx.poisoned || cx.diags.has_errors();
    diags.append(cx.diags);
    if !cx.held.is_empty() || cx.has_twin {
        program.held_slices.insert(item, cx.held);
    }
    program.items[item].typed = if failed { TypedItem::Error } else { typed };
}

/// The types of a function's parameters and result, its body left alone. Errors are those `infer_item` reports.
pub(crate) fn infer_signature(program: &Program, item: ItemId, function: &Fn) -> (Vec<Ty>, Ty) {
    let mut cx = Infer::new(program, item);
    cx.enter_owner();
    let params = function.params.iter().map(|param| cx.known_type(&param.ty)).collect();
    let result = function.result.as_ref().map_or(Ty::Unit, |ty| cx.known_type(ty));
    drop(cx.diags.into_list());
    (params, result)
}

/// The types that type expressions of an item mean, its parameters left out.
pub(crate) fn infer_types(program: &Program, item: ItemId, types: &[TypeExpr], diags: &mut Diagnostics) -> Vec<Ty> {
    let mut cx = Infer::new(program, item);
    cx.params.clear();
    let types = types.iter().map(|ty| cx.known_type(ty)).collect();
    diags.append(cx.diags);
    types
}

/// The demand of the context on an expression.
#[derive(Debug, Clone)]
enum Expect {
    Nothing,
    /// The caller unifies the expression's type with this one.
    Type(Term, Because),
    /// The caller casts to this type: a number literal takes it when it can.
    Cast(Term),
}

/// A variable of the function.
#[derive(Debug, Clone)]
struct Local {
    name: String,
    span: Span,
    mutable: bool,
    term: Term,
}

/// A const of a block.
#[derive(Debug, Clone)]
struct LocalValue {
    name: String,
    term: Term,
    value: ConstValue,
    /// Whether it is a slice.
    is_table: bool,
    /// Whether it is `usize::MAX`, which is another number on the host.
    is_host_sized: bool,
}

/// The state of one item's inference.
struct Infer<'a> {
    program: &'a Program,
    item: ItemId,
    /// The generic parameters in scope.
    params: Vec<Param>,
    requests: Vec<Request>,
    diags: Diagnostics,
    /// Something was met that the parser reported already.
    poisoned: bool,
    /// A type that is too large was reported.
    found_large: bool,
    /// Numbers and parts of structs and enums without parameters.
    extents: BTreeMap<ItemId, (u64, usize)>,
    table: Table,
    /// Type of each expression seen so far.
    exprs: Vec<Option<Term>>,
    locals: Vec<Option<Local>>,
    /// Variables in scope, innermost last.
    visible: Scope,
    /// Consts of the blocks around, innermost last.
    local_consts: Vec<LocalValue>,
    /// Inside an array length or const: variables are out of reach.
    constant: bool,
    /// In the value of a const item, whose blocks may have variables.
    computes: bool,
    frames: Vec<Frame>,
    result: Term,
    /// Whether control cannot reach the current point.
    diverges: bool,
    /// How many consts of types are being evaluated.
    depth: usize,
    deferred: Vec<Deferred<'a>>,
    conversions: Vec<try_into::Conversion<'a>>,
    /// Consts of types that are evaluated when these are known.
    open_consts: Vec<associated_const::OpenConst<'a>>,
    /// Expressions whose type only their surroundings can tell.
    open: Vec<(&'a Expr, Term)>,
    /// The literal that is the operand of the minus sign met last.
    negated: Option<ExprId>,
    /// Whether something was met that Rust makes references of: elements of `iter()`, what `filter` hands to its closure.
    has_references: bool,
    /// Values of closures that are gone through where they are made.
    iterated: std::collections::BTreeSet<ExprId>,
    /// Places that hold atomics, and references to them, that a variable is made a name of.
    lent_atomics: std::collections::BTreeSet<ExprId>,
    /// The iterators in variables: what makes them, and whether they may be asked for one element at a time.
    kept: std::collections::BTreeMap<BindingId, (&'a Expr, bool)>,
    /// Parameters that are iterators: the chain that is passed, and whether it may be asked for one element at a time.
    iterators: std::collections::BTreeMap<BindingId, iterator_parameter::Passed<'a>>,
    /// Variables that name one of the buffers of a list, or a part of one.
    members: std::collections::BTreeSet<BindingId>,
    /// Variables that name a slice, by the variable whose elements it has.
    slice_roots: std::collections::BTreeMap<BindingId, BindingId>,
    /// Slices that calls and patterns made, by the variable whose elements they have.
    origin_roots: std::collections::BTreeMap<ExprId, BindingId>,
    /// By variable, and whether they are written, the numbers by which structs know slices of it.
    root_origins: std::collections::BTreeMap<(BindingId, bool), ExprId>,
    /// How many slices there are that no expression made.
    unwritten: usize,
    /// How many loops are around variables, and around what made slices that no expression made.
    depths: (std::collections::BTreeMap<BindingId, usize>, std::collections::BTreeMap<ExprId, usize>),
    /// The slices that the struct holds.
    held: Vec<Ty>,
    /// Whether the host has another struct in its place.
    has_twin: bool,
    /// Variables of loops that are references to parts of the function's own arrays.
    rows: std::collections::BTreeSet<BindingId>,
    /// Parameters of closures without a written type, which may be references.
    closure_params: std::collections::BTreeSet<BindingId>,
    /// Variables that are references to parts of the function's own variables.
    own_references: std::collections::BTreeSet<BindingId>,
    /// Parameters of closures that are references: what others reach is copied in and out around a call.
    closure_references: std::collections::BTreeSet<BindingId>,
    /// The patterns of names alone with which a `let` takes a struct apart.
    flat_patterns: std::collections::BTreeSet<ExprId>,
    /// Variables that hold values in Rust, too, by the form of what they are made of.
    own_values: std::collections::BTreeSet<BindingId>,
    /// The variables that are declared without a value.
    assigned_later: std::collections::BTreeSet<BindingId>,
    /// The references that a function of an `impl Index` gives, which may stand where they are.
    given: std::collections::BTreeSet<ExprId>,
    /// Whether the function gives a slice at exactly one place, which may then be a part of anything.
    only_end: bool,
    /// The parameter, and the way to a field of it, that the slice is a part of which the function gives.
    given_root: Option<(BindingId, Vec<String>)>,
    /// Whether a place is asked for to be written as a whole.
    writes_place: bool,
    /// The left side of the assignment that is inferred, where it is a value's own or an operator's of numbers.
    assigned_place: Option<ExprId>,
    /// Whether something goes through elements to write them.
    writes_elements: bool,
    /// The closures around, innermost last.
    closure_stack: Vec<closure::Around>,
    /// The variables that each of them captures.
    captures: Vec<Vec<BindingId>>,
    /// The closures met so far.
    closures: std::collections::BTreeMap<ExprId, closure::Signature<'a>>,
    /// Calls of closures by others, through variables: the caller and the closure outside of it.
    closure_calls: Vec<(ExprId, ExprId)>,
    /// Closures that run where they are called, used as values.
    closure_values: Vec<(ExprId, SpanRange, String)>,
    /// Slices that patterns take apart, with the types that these see.
    sliced: Vec<(ExprId, Term)>,
    /// For origins of slices, those of what `rest @ ..` names of them.
    rests: Vec<(ExprId, ExprId)>,
    /// How patterns may take slices apart.
    apart: slice_pattern::Apart,
    tables: TypedFn,
}

impl<'a> Infer<'a> {
    /// Records an error of the item, as [`Diagnostics::error`] does.
    fn error(&mut self, code: code::Code, span: SpanRange, message: impl Into<String>) -> &mut Diagnostic {
        self.diags.error(code, span, message)
    }

    fn new(program: &'a Program, item: ItemId) -> Self {
        Self {
            program,
            item,
            params: generic::params_of(&program.items[item]),
            requests: Vec::new(),
            diags: Diagnostics::new(),
            poisoned: false,
            found_large: false,
            extents: BTreeMap::new(),
            table: Table::default(),
            exprs: Vec::new(),
            locals: Vec::new(),
            visible: Scope::default(),
            local_consts: Vec::new(),
            constant: false,
            computes: false,
            frames: Vec::new(),
            result: Term::Unit,
            diverges: false,
            depth: 0,
            deferred: Vec::new(),
            conversions: Vec::new(),
            open_consts: Vec::new(),
            open: Vec::new(),
            negated: None,
            has_references: false,
            iterated: std::collections::BTreeSet::new(),
            lent_atomics: std::collections::BTreeSet::new(),
            kept: std::collections::BTreeMap::new(),
            iterators: std::collections::BTreeMap::new(),
            members: std::collections::BTreeSet::new(),
            slice_roots: std::collections::BTreeMap::new(),
            origin_roots: std::collections::BTreeMap::new(),
            root_origins: std::collections::BTreeMap::new(),
            unwritten: 0,
            depths: Default::default(),
            held: Vec::new(),
            has_twin: false,
            rows: std::collections::BTreeSet::new(),
            closure_params: std::collections::BTreeSet::new(),
            own_references: std::collections::BTreeSet::new(),
            closure_references: std::collections::BTreeSet::new(),
            flat_patterns: std::collections::BTreeSet::new(),
            own_values: std::collections::BTreeSet::new(),
            assigned_later: std::collections::BTreeSet::new(),
            given: std::collections::BTreeSet::new(),
            only_end: false,
            given_root: None,
            writes_place: false,
            assigned_place: None,
            writes_elements: false,
            closure_stack: Vec::new(),
            captures: Vec::new(),
            closures: std::collections::BTreeMap::new(),
            closure_calls: Vec::new(),
            closure_values: Vec::new(),
            sliced: Vec::new(),
            rests: Vec::new(),
            apart: slice_pattern::Apart::Never,
            tables: TypedFn::default(),
        }
    }

    fn function(&mut self, function: &'a Fn) -> TypedFn {
        self.exprs = vec![None; function.expr_count];
        self.tables.paths.reserve(function.expr_count / 4);
        self.locals = vec![None; function.binding_count];
        for param in &function.params {
            let ty = self.parameter_type(function, param);
            self.declare(param.binding, &param.name, param.goes_on(), Term::from(&ty));
            if let Some(mutable) = param.ty.reference() {
                self.note_reference(param.binding, mutable);
            }
            if matches!(ty, Ty::Buffer { .. }) && holds_atomics(self.program, &ty) {
                self.tables.atomic_buffers.push(param.binding);
            }
            self.tables.params.push(ty);
        }
        self.result = match &function.result {
            None => Term::Unit,
            Some(ty) => {
                let term = self.limited_term_of(ty);
                // Its end tells what the slices in it are parts of.
                if self.holds_slices(&term) { term } else { Term::from(&self.known_type(ty)) }
            }
        };
        self.enter_given_slice(function);
        if let Some(tail) = &function.body.tail {
            self.note_returned(tail);
        }
        self.note_lending(function);
        let expected = Expect::Type(self.result.clone(), Because::Result);
        if function.gives_place {
            self.note_given(function);
        }
        if function.given_elements().is_some() {
            self.infer_given_iterator(function);
        } else {
            let found = self.infer_block(&function.body, &expected);
            self.require_value(&function.body, &found, &self.result.clone(), Because::Result);
        }
        self.settle_held(&self.result.clone());
        self.tables.result = self.table.resolve(&self.result);
        self.finish()
    }

    fn constant_item(&mut self, constant: &'a Const) -> Option<TypedConst> {
        self.exprs = vec![None; constant.expr_count];
        self.computes = true;
        let term = self.const_term(&constant.ty);
        self.check_const(&constant.ty, &constant.value, &term);
        self.settle();
        if self.poisoned || self.diags.has_errors() {
            return None;
        }
        let value = self.evaluate(&constant.value)?;
        let Some(ty) = self.table.resolve(&term) else {
            self.report_open_type(constant.ty.span);
            return None;
        };
        let is_host_sized = self.is_largest_size(strip(&constant.value));
        Some(TypedConst { ty, value, is_host_sized })
    }

    /// The type of a const; of a slice, the length is that of its value.
    fn const_term(&mut self, ty: &'a TypeExpr) -> Term {
        if ty.is_table() { self.limited_term_of(ty) } else { Term::from(&self.known_type(ty)) }
    }

    /// Infers the value of a const, which is a reference if the const is a slice.
    fn check_const(&mut self, ty: &TypeExpr, value: &'a Expr, term: &Term) {
        if !ty.is_table() {
            return self.check(value, term, Because::ConstType);
        }
        let found = self.infer_reference(value, &Expect::Type(term.clone(), Because::ConstType));
        self.coerce(value, &found, term, Because::ConstType);
    }

    fn fields_of(&mut self, definition: &'a Struct) -> Vec<Ty> {
        let (fields, held) = self.held_fields(definition);
        self.has_twin = definition.refers() || fields.iter().any(|field| self.program.has_held(field));
        self.held = held;
        self.within_limits(
            Term::tuple(fields.iter().map(Term::from).collect()),
            SpanRange::token(definition.name.span()),
        );
        fields
    }

    fn alias_of(&mut self, alias: &'a Alias) -> Ty {
        self.exprs = vec![None; alias.expr_count];
        let ty = self.known_type(&alias.ty);
        if let Ty::Atomic(_) | Ty::Shared(_) = ty {
            let name = self.name_of(&ty);
            self.error(code::UNSUPPORTED_SYNTAX, alias.ty.span, format!("an alias of `{name}` is not supported"))
                .note("the types of atomics and shared memory say which variables are shared")
                .help(format!("write `{name}` where it is used"));
        }
        ty
    }

    /// A type that must be written out in full.
    fn known_type(&mut self, ty: &'a TypeExpr) -> Ty {
        let term = self.limited_term_of(ty);
        self.settle_held(&term);
        self.table.resolve(&term).unwrap_or_else(|| {
            self.report_open_type(ty.span);
            Ty::Error
        })
    }

    fn report_open_type(&mut self, span: SpanRange) {
        self.error(code::CANNOT_INFER, span, "types of items are written out: `_` is for local variables")
            .help("write the type");
    }

    /// Brings a variable into scope.
    fn declare(&mut self, binding: BindingId, name: &Ident, mutable: bool, term: Term) {
        if binding.index() >= self.locals.len() {
            self.locals.resize(binding.index() + 1, None);
        }
        if !self.program.held_slices.is_empty() {
            self.note_depth(binding);
        }
        let spelling = name.to_string();
        self.visible.push(binding, &spelling);
        self.locals[binding.index()] = Some(Local { name: spelling, span: name.span(), mutable, term });
    }

    /// Records an expression's type.
    fn record(&mut self, id: ExprId, term: Term) {
        if id.index() >= self.exprs.len() {
            self.exprs.resize(id.index() + 1, None);
        }
        self.exprs[id.index()] = Some(term);
        if let Some(around) = self.closure_stack.iter().rev().find(|around| !around.inline) {
            self.tables.inside.insert(id, around.expr);
        }
    }

    /// The type of an expression inferred before.
    fn term(&self, expr: &Expr) -> Term {
        self.exprs.get(expr.id.index()).cloned().flatten().unwrap_or(Term::Error)
    }

    /// Infers an expression and demands a type of it.
    fn check(&mut self, expr: &'a Expr, expected: &Term, because: Because) {
        let found = self.infer(expr, &Expect::Type(expected.clone(), because));
        self.coerce(expr, &found, expected, because);
    }

    /// Makes a found type fit an expected one, or reports that it does not.
    fn coerce(&mut self, expr: &'a Expr, found: &Term, expected: &Term, because: Because) {
        if !self.table.is_never(found) && !self.table.unify(found, expected) {
            self.report_mismatch(expr, expected, found, because);
        }
    }

    /// The variable in scope that a name means.
    fn variable(&self, name: &Ident) -> Option<(BindingId, &Local)> {
        let binding = self.visible.named(&Spelling::of(name))?;
        self.local(binding).map(|local| (binding, local))
    }

    /// A variable by its number.
    fn local(&self, binding: BindingId) -> Option<&Local> {
        self.locals.get(binding.index())?.as_ref()
    }

    /// A new variable of unknown kind.
    fn fresh(&mut self) -> Term {
        self.table.fresh(VarKind::Any)
    }

    /// A type as users write it.
    fn name_of(&self, ty: &Ty) -> String {
        type_name(self.program, ty)
    }
}

/// The line (from 1) on which something begins.
fn line_of(span: Span) -> usize {
    span.start().line
}

/// Both ends of an expression's or token's range on one span.
fn range(span: Span) -> SpanRange {
    SpanRange::token(span)
}
