//! Constructors and patterns of structs and enums: `Some`, `Shape::Circle`, tuple structs; and the variants of enum
//! items.

use std::rc::Rc;

use proc_macro2::Ident;

use crate::ast::{
    Enum, Expr, ExprKind, Item, Literal, Path, ScalarName, Shape, SpanRange, TypeExpr, TypeKind, UnaryOp,
};
use crate::diag::code;
use crate::program::{ItemId, TypedItem, TypedVariant};
use crate::typed::{Callee, ConstValue, Ty};

use super::expr::path_span;
use super::mismatch::Because;
use super::name::parent;
use super::suggest::nearest;
use super::ty::builtin_modules;
use super::unify::{Term, TermArgs};
use super::{Expect, Infer};

/// A struct or variant that a path names.
pub(super) struct Constructor<'a> {
    /// The type it makes, with new variables for what is generic.
    pub(super) term: Term,
    /// The variant's position; `None` for a struct.
    pub(super) variant: Option<u32>,
    pub(super) fields: Vec<Term>,
    /// The members' names; nothing for built-in variants.
    pub(super) names: &'a [(Ident, TypeExpr)],
    pub(super) shape: Shape,
    /// The item that defines it.
    pub(super) item: Option<ItemId>,
}

/// The meaning of a path as a constructor.
pub(super) enum Named<'a> {
    Constructor(Constructor<'a>),
    /// Something else.
    Other,
    /// Reported, here or where the item stands.
    Broken,
}

impl Constructor<'_> {
    /// Whether a member is a slice.
    fn holds(&self, position: u32) -> bool {
        let member = self.names.get(position as usize);
        member.is_some_and(|(_, ty)| matches!(ty.kind, TypeKind::Slice { .. }))
    }
}

impl<'a> Infer<'a> {
    fn check_held_member(&mut self, constructor: &Constructor<'a>, position: u32, value: &'a Expr) {
        if let Term::Struct(item, args) = &constructor.term {
            self.check_held(*item, position, value, &constructor.fields[position as usize], args);
        }
    }

    /// Notes that the references in a member stand for values.
    fn note_kept_member(&mut self, constructor: &Constructor<'a>, position: u32, value: &'a Expr) {
        if constructor.names.get(position as usize).is_some_and(|(_, ty)| ty.holds_references()) {
            self.has_references = true;
            self.note_kept_ends(value);
        }
    }

    /// The struct or variant that a path names.
    pub(super) fn constructor_of(&mut self, path: &'a Path) -> Named<'a> {
        let program = self.program;
        if self.own_item(path).is_none() && self.names_param(path) || self.is_lost(path) {
            return Named::Broken;
        }
        if let Some((item, args)) = self.named_item(path, path.last_args()) {
            let Item::Struct(definition) = &program.items[item].item else {
                // `Err(…)` is Rust's own where `Err` names a type of the author's: an enum is no value.
                return self.builtin_variant(path).map_or(Named::Other, Named::Constructor);
            };
            let TypedItem::Struct(types) = &program.items[item].typed else {
                self.poisoned = true;
                return Named::Broken;
            };
            return Named::Constructor(Constructor {
                variant: None,
                fields: Term::members(types, &args),
                term: Term::Struct(item, args),
                names: &definition.fields,
                shape: definition.shape,
                item: Some(item),
            });
        }
        // `Shape::<f32>::Circle` and `Shape::Circle::<f32>` are the same.
        if let Some((item, args)) = self.named_item(&parent(path), path.generics.last())
            && let Item::Enum(definition) = &program.items[item].item
        {
            return self.variant_of((item, args), definition, path);
        }
        self.builtin_variant(path).map_or(Named::Other, Named::Constructor)
    }

    fn variant_of(&mut self, (item, args): (ItemId, TermArgs), definition: &'a Enum, path: &Path) -> Named<'a> {
        let TypedItem::Enum(types) = &self.program.items[item].typed else {
            self.poisoned = true;
            return Named::Broken;
        };
        let Some(name) = path.segments.last() else { return Named::Other };
        let position = definition.variants.iter().position(|variant| variant.name == *name);
        let Some(position) = position else {
            self.report_unknown_variant(name, definition);
            return Named::Broken;
        };
        let variant = &definition.variants[position];
        Named::Constructor(Constructor {
            variant: u32::try_from(position).ok(),
            fields: Term::members(&types[position].fields, &args),
            term: Term::Enum(item, args),
            names: &variant.fields,
            shape: variant.shape,
            item: Some(item),
        })
    }

    fn report_unknown_variant(&mut self, name: &Ident, definition: &Enum) {
        let names: Vec<String> = definition.variants.iter().map(|variant| variant.name.to_string()).collect();
        let suggestion = nearest(&name.to_string(), names.iter().map(String::as_str)).map(str::to_owned);
        let message = format!("no variant `{name}` in enum `{}`", definition.name);
        let error = self.error(code::UNKNOWN_NAME, super::range(name.span()), message);
        match suggestion {
            Some(variant) => error.help(format!("a variant with a similar name exists: `{variant}`")),
            None => {
                let list: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                error.help(format!("its variants are {}", list.join(", ")))
            }
        };
    }

    /// `Some`, `None`, `Ok`, `Err`.
    fn builtin_variant(&mut self, path: &Path) -> Option<Constructor<'a>> {
        let (last, modules) = path.segments.split_last()?;
        let (owner, variant, shape) = match last.to_string().as_str() {
            "None" => ("Option", 0, Shape::Unit),
            "Some" => ("Option", 1, Shape::Tuple),
            "Ok" => ("Result", 0, Shape::Tuple),
            "Err" => ("Result", 1, Shape::Tuple),
            "Less" => ("Ordering", 0, Shape::Unit),
            "Equal" => ("Ordering", 1, Shape::Unit),
            "Greater" => ("Ordering", 2, Shape::Unit),
            _ => return None,
        };
        if let Some((module, outer)) = modules.split_last()
            && (*module != owner || !builtin_modules(outer.iter().map(ToString::to_string)))
        {
            return None;
        }
        if owner == "Ordering" {
            let (term, variant, fields) = (Term::Ordering, Some(variant), Vec::new());
            return Some(Constructor { term, variant, fields, names: &[], shape, item: None });
        }
        let value = self.fresh();
        let (term, fields) = match (owner, variant) {
            ("Option", 0) => (Term::Option(Rc::new(value)), Vec::new()),
            ("Option", _) => (Term::Option(Rc::new(value.clone())), vec![value]),
            _ => {
                let error = self.fresh();
                let field = if variant == 0 { value.clone() } else { error.clone() };
                (Term::Result(Rc::new(value), Rc::new(error)), vec![field])
            }
        };
        Some(Constructor { term, variant: Some(variant), fields, names: &[], shape, item: None })
    }

    /// `Ok::<u32, i32>(value)`
    pub(super) fn unify_variant_args(&mut self, constructor: &Constructor<'a>, path: &'a Path) {
        let params = match &constructor.term {
            Term::Option(value) => vec![(**value).clone()],
            Term::Result(value, error) => vec![(**value).clone(), (**error).clone()],
            _ => return,
        };
        let Some(written) = path.last_args() else { return };
        for (param, arg) in params.iter().zip(&written.args) {
            if let Some(ty) = &arg.ty {
                let term = self.term_of(ty);
                self.table.unify(param, &term);
            }
        }
    }

    /// `Some(value)`, `Shape::Circle(radius)`, `Meters(1.0)`.
    pub(super) fn infer_constructor_call(
        &mut self,
        expr: &'a Expr,
        constructor: &Constructor<'a>,
        path: &Path,
        span: SpanRange,
        args: &'a [Expr],
    ) -> Term {
        let text = path.text();
        if constructor.shape != Shape::Tuple {
            let error = self.error(code::UNKNOWN_NAME, span, format!("`{text}` is not called like a function"));
            match constructor.shape {
                Shape::Named => error.help(format!("write `{text} {{ … }}`")),
                _ => error.help(format!("write `{text}` alone: it has no members")),
            };
            return self.infer_arguments_only(args);
        }
        self.note_variant(expr, constructor);
        self.tables.calls.insert(expr.id, Callee::Constructor);
        if constructor.fields.len() != args.len() {
            self.report_arity(&text, constructor.fields.len(), args, span);
            self.infer_arguments_only(args);
            return constructor.term.clone();
        }
        for (position, (arg, field)) in (0u32..).zip(args.iter().zip(&constructor.fields)) {
            let because = match (constructor.item, constructor.variant) {
                (Some(item), None) => Because::Field(item, position),
                _ => Because::Member,
            };
            if constructor.holds(position) {
                self.check_held_member(constructor, position, arg);
                continue;
            }
            self.note_kept_member(constructor, position, arg);
            self.check(arg, field, because);
        }
        constructor.term.clone()
    }

    /// Remembers which variant an expression names. A type that nothing determines is reported there.
    pub(super) fn note_variant(&mut self, expr: &'a Expr, constructor: &Constructor<'a>) {
        if let Some(variant) = constructor.variant {
            self.tables.variants.insert(expr.id, variant);
        }
        let is_generic = matches!(constructor.term, Term::Struct(_, Some(_)) | Term::Enum(_, Some(_)));
        if is_generic || constructor.variant.is_some() && constructor.item.is_none() {
            self.open.push((expr, constructor.term.clone()));
        }
    }

    /// `Path { field: value, ..base }` of a struct or variant.
    pub(super) fn infer_struct(
        &mut self,
        expr: &'a Expr,
        path: &'a Path,
        fields: &'a [(Ident, Expr)],
        base: Option<&'a Expr>,
    ) -> Term {
        let constructor = match self.constructor_of(path) {
            Named::Constructor(constructor) if constructor.shape == Shape::Named => constructor,
            Named::Constructor(constructor) => {
                self.report_not_named(path, &constructor);
                return self.infer_fields_only(fields, base);
            }
            Named::Other => {
                self.report_no_struct(path);
                return self.infer_fields_only(fields, base);
            }
            // Nothing is known of it: it may hold slices.
            Named::Broken => {
                for value in fields.iter().map(|(_, value)| value).chain(base) {
                    self.infer_lost_arguments(std::slice::from_ref(value));
                }
                return Term::Error;
            }
        };
        self.note_variant(expr, &constructor);
        let mut positions: Vec<u32> = Vec::with_capacity(fields.len());
        for (name, value) in fields {
            let Some(position) = self.member_position(&constructor, path, name) else {
                self.infer(value, &Expect::Nothing);
                continue;
            };
            if positions.contains(&position) {
                let message = format!("field `{name}` is given twice");
                self.error(code::UNKNOWN_FIELD, super::range(name.span()), message);
            }
            positions.push(position);
            let because = match (constructor.item, constructor.variant) {
                (Some(item), None) => Because::Field(item, position),
                _ => Because::Member,
            };
            if constructor.holds(position) {
                self.check_held_member(&constructor, position, value);
                continue;
            }
            self.note_kept_member(&constructor, position, value);
            self.check(value, &constructor.fields[position as usize], because);
        }
        match base {
            Some(base) if constructor.variant.is_none() && self.holds_slices(&constructor.term) => {
                self.check_held_base(&constructor.term, &constructor.fields, &positions, base);
            }
            Some(base) => {
                if constructor.variant.is_some() {
                    self.error(code::UNKNOWN_FIELD, base.span, "`..` is for structs, not for variants of an enum")
                        .help("write every field");
                }
                self.check(base, &constructor.term, Because::Nothing);
            }
            None if positions.len() == fields.len() => self.report_missing_fields(&constructor, path, &positions),
            None => {}
        }
        self.tables.structs.insert(expr.id, positions);
        constructor.term
    }

    fn report_missing_fields(&mut self, constructor: &Constructor<'a>, path: &Path, positions: &[u32]) {
        let missing: Vec<String> = (0u32..)
            .zip(constructor.names)
            .filter(|(position, _)| !positions.contains(position))
            .map(|(_, (name, _))| format!("`{name}`"))
            .collect();
        if !missing.is_empty() {
            let word = if missing.len() == 1 { "field" } else { "fields" };
            let what = describe_constructor(constructor, path);
            let message = format!("missing {word} {} of {what}", missing.join(", "));
            self.error(code::UNKNOWN_FIELD, path_span(path), message);
        }
    }

    /// The position of a named field; reports when there is none.
    pub(super) fn member_position(&mut self, constructor: &Constructor<'a>, path: &Path, name: &Ident) -> Option<u32> {
        let position = constructor.names.iter().position(|(field, _)| field == name);
        if position.is_none() {
            let what = describe_constructor(constructor, path);
            self.report_unknown_field(name, &what, constructor.names);
        }
        position.and_then(|position| u32::try_from(position).ok())
    }

    fn infer_fields_only(&mut self, fields: &'a [(Ident, Expr)], base: Option<&'a Expr>) -> Term {
        for value in fields.iter().map(|(_, value)| value).chain(base) {
            self.infer(value, &Expect::Nothing);
        }
        Term::Error
    }

    fn report_not_named(&mut self, path: &Path, constructor: &Constructor<'a>) {
        let text = path.text();
        let error = self.error(code::UNKNOWN_FIELD, path_span(path), format!("`{text}` has no named fields"));
        match constructor.shape {
            Shape::Tuple => error.help(format!("write `{text}(…)`")),
            _ => error.help(format!("write `{text}` alone")),
        };
    }

    /// Reports the number of a variant that kernels cannot hold.
    fn report_large_discriminant(&mut self, value: &Expr, definition: &Enum) -> bool {
        let scalar = if definition.unsigned { ScalarName::U32 } else { ScalarName::I32 };
        let (min, max) = scalar.limits();
        let Some(number) = literal_value(value).filter(|number| !(min..=max).contains(number)) else { return false };
        let message =
            format!("the number of a variant has 32 bits in kernels: `{number}` is not one of `{}`", scalar.name());
        let error = self.error(code::BAD_LITERAL, value.span, message);
        if !definition.unsigned && u32::try_from(number).is_ok() {
            error.help("write `#[repr(u32)]` above the enum");
        } else {
            error.help("number the variants otherwise, and `match` where the large number is needed");
        }
        true
    }

    /// The variants of an enum item: their members' types and their numbers.
    pub(super) fn variants_of(&mut self, definition: &'a Enum) -> Vec<TypedVariant> {
        self.exprs = vec![None; definition.expr_count];
        self.constant = true;
        let term = if definition.unsigned { Term::U32 } else { Term::I32 };
        let fields: Vec<Vec<Ty>> = definition
            .variants
            .iter()
            .map(|variant| variant.fields.iter().map(|(_, ty)| self.known_type(ty)).collect())
            .collect();
        let all = Term::tuple(fields.iter().flatten().map(Term::from).collect());
        self.within_limits(all, SpanRange::token(definition.name.span()));
        for value in definition.variants.iter().filter_map(|variant| variant.discriminant.as_ref()) {
            if !self.report_large_discriminant(value, definition) {
                self.check(value, &term, Because::Nothing);
            }
        }
        self.settle();
        let failed = self.poisoned || self.diags.has_errors();
        let mut next = 0u32;
        let mut variants = Vec::with_capacity(fields.len());
        for (variant, fields) in definition.variants.iter().zip(fields) {
            if let Some(value) = variant.discriminant.as_ref().filter(|_| !failed) {
                next = match self.evaluate(value) {
                    Some(ConstValue::I32(value)) => value.cast_unsigned(),
                    Some(ConstValue::U32(value)) => value,
                    _ => next,
                };
            }
            variants.push(TypedVariant { fields, discriminant: next });
            next = next.wrapping_add(1);
        }
        variants
    }
}

/// A literal, maybe with a sign.
fn literal_value(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Paren(inner, ..) => literal_value(inner),
        ExprKind::Unary(UnaryOp::Neg, inner) => literal_value(inner).map(|value| -value),
        ExprKind::Literal(Literal::Int { value, .. }) => i128::try_from(*value).ok(),
        _ => None,
    }
}

/// "struct `S`", "variant `E::V`".
fn describe_constructor(constructor: &Constructor<'_>, path: &Path) -> String {
    match constructor.variant {
        Some(_) => format!("variant `{}`", path.text()),
        None => {
            let name = path.segments.last().map(ToString::to_string).unwrap_or_default();
            format!("struct `{name}`")
        }
    }
}
