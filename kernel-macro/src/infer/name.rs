//! Resolution of names that stand for values. Functions are in `call`, types in `ty`.

use gridwise_ir::ir::Builtin;

use crate::ast::{Expr, ExprId, Item, Path, ScalarName, Shape, SpanRange};
use crate::diag::code;
use crate::program::TypedItem;
use crate::source::Spelling;
use crate::typed::{ConstValue, Resolution, Ty};

use super::Infer;
use super::constant::{MATHS, builtin_constant};
use super::suggest::nearest;
use super::ty::{UNSUPPORTED_TYPES, builtin_path};
use super::unify::Term;
use super::variant::{Constructor, Named};

impl<'a> Infer<'a> {
    /// Infers a path used as a value: anything but a buffer.
    pub(super) fn infer_value_path(&mut self, expr: &'a Expr, path: &'a Path) -> Term {
        let term = self.infer_path(expr, path);
        if self.refuse_buffer(expr, path, &term) { Term::Error } else { term }
    }

    /// Reports a buffer that is used as a value; whether it did.
    pub(super) fn refuse_buffer(&mut self, expr: &Expr, path: &Path, term: &Term) -> bool {
        if let Term::Image(image) = term {
            self.refuse_image(expr, path, *image);
            return true;
        }
        let Term::Buffer { element, origin: None, .. } = term else { return false };
        let name = path.text();
        if let Term::Image(_) = self.table.shallow(element) {
            self.error(code::BUFFER_USE, expr.span, format!("the list of images `{name}` is used as a value"))
                .note(format!("`{name}[k]` is one of them; `{name}.len()` is their number"))
                .help("read texels in the kernel, and pass their values");
            return true;
        }
        let help = match self.table.shallow(element) {
            Term::Buffer { .. } => format!("take one of them: `{name}[k]`"),
            _ => format!("take an element, `{name}[i]`, or name all of them: `let part = &{name}[..];`"),
        };
        let element = self.written(element);
        self.error(code::BUFFER_USE, expr.span, format!("the buffer `{name}` is used as a value"))
            .note(format!("kernels index buffers: `{name}[i]` is a `{element}`; `{name}.len()` is their length"))
            .help(help);
        true
    }

    /// Infers a path, buffers included.
    pub(super) fn infer_path(&mut self, expr: &'a Expr, path: &'a Path) -> Term {
        if let Some(name) = path.as_name() {
            let spelling = Spelling::of(name);
            let name: &str = &spelling;
            if let Some(binding) = self.visible.named(name) {
                if self.constant {
                    self.error(code::BAD_CONST, expr.span, format!("the variable `{name}` is used in a constant"))
                        .note("array lengths and consts are known when the kernel is compiled")
                        .help("use a literal or a `#[device] const`");
                    return Term::Error;
                }
                self.tables.paths.insert(expr.id, Resolution::Binding(binding));
                self.note_capture(binding);
                if self.refuse_captured_iterator(expr, binding) {
                    return Term::Error;
                }
                let term = self.local(binding).map_or(Term::Error, |local| local.term.clone());
                self.note_closure_value(expr, name, &term);
                return term;
            }
        }
        if let Some(term) = self.infer_param(expr, path) {
            return term;
        }
        if let Some(term) = self.infer_associated_const(expr, path) {
            return term;
        }
        if let (Some(through), Some(name)) = (&path.through, path.segments.last()) {
            let (of, through) = (parent(path).text(), through.text());
            let message = format!("no `impl {through} for {of}` with a const `{name}` is known here");
            self.error(code::UNKNOWN_NAME, expr.span, message)
                .help("write the trait and its `impl` in a `#[device] mod`");
            return Term::Error;
        }
        match self.constructor_of(path) {
            Named::Constructor(constructor) if constructor.shape == Shape::Unit => {
                self.unify_variant_args(&constructor, path);
                self.note_variant(expr, &constructor);
                self.tables.paths.insert(expr.id, Resolution::Unit);
                return constructor.term;
            }
            Named::Constructor(constructor) => return self.report_bare_constructor(expr, path, &constructor),
            Named::Broken => return Term::Error,
            Named::Other => {}
        }
        if let Some(term) = self.infer_const_path(expr.id, expr.span, path) {
            return term;
        }
        self.report_unknown_name(expr, path);
        Term::Error
    }

    fn report_bare_constructor(&mut self, expr: &Expr, path: &Path, constructor: &Constructor<'a>) -> Term {
        let text = path.text();
        let message = match constructor.variant {
            Some(_) => format!("the variant `{text}` needs its members"),
            None => format!("expected a value, found struct `{text}`"),
        };
        let error = self.error(code::UNKNOWN_NAME, expr.span, message);
        match constructor.shape {
            Shape::Tuple => error.help(format!("write `{text}(…)`")),
            _ => error.help(format!("write `{text} {{ … }}`")),
        };
        Term::Error
    }

    /// The type of a path that names a const; `None` when it names nothing.
    pub(super) fn infer_const_path(&mut self, id: ExprId, span: SpanRange, path: &'a Path) -> Option<Term> {
        if let Some(name) = path.as_name()
            && let Some(known) = self.local_consts.iter().rev().find(|known| name == known.name.as_str())
        {
            self.tables.paths.insert(id, Resolution::Value(known.value.clone()));
            if known.is_table {
                self.tables.tables.insert(id);
            }
            if known.is_host_sized {
                self.tables.host_sized.insert(id);
            }
            return Some(known.term.clone());
        }
        let program = self.program;
        if let Some(&item) = program.items[self.item].uses.get(&path.text()) {
            return Some(match (&program.items[item].item, &program.items[item].typed) {
                (Item::Const(written), TypedItem::Const(constant)) => {
                    self.tables.paths.insert(id, Resolution::Const(item));
                    if written.ty.is_table() {
                        self.tables.tables.insert(id);
                    }
                    if constant.is_host_sized {
                        self.tables.host_sized.insert(id);
                    }
                    Term::from(&constant.ty)
                }
                (Item::Const(constant), TypedItem::None) => {
                    let message = format!("the value of `{}` depends on itself", constant.name);
                    self.error(code::BAD_CONST, span, message);
                    Term::Error
                }
                (Item::Const(_), _) => {
                    self.poisoned = true;
                    Term::Error
                }
                (Item::Fn(function), _) => {
                    self.error(code::UNKNOWN_NAME, span, format!("the function `{}` is used as a value", path.text()))
                        .note("kernels have no function pointers")
                        .help(format!("call it, `{0}(…)`, or pass a closure that does, `|x| {0}(x)`", function.name));
                    Term::Error
                }
                (other @ (Item::Struct(_) | Item::Enum(_) | Item::Impl(_) | Item::Trait(_) | Item::Alias(_)), _) => {
                    let kind = super::ty::kind_of(other);
                    let message = format!("expected a value, found {kind} `{}`", path.text());
                    self.error(code::UNKNOWN_NAME, span, message);
                    Term::Error
                }
            });
        }
        let (ty, value) = builtin_constant(path).or_else(|| self.alias_constant(path))?;
        if self.is_limit_of_size(path, &ty) {
            self.tables.host_sized.insert(id);
        }
        self.tables.paths.insert(id, Resolution::Value(value));
        Some(Term::from(&ty))
    }

    /// Whether a constant of a built-in type is one of `usize` or `isize`, which has 64 bits on the host.
    fn is_limit_of_size(&self, path: &Path, ty: &Ty) -> bool {
        let is_bits = path.segments.last().is_some_and(|name| name == "BITS");
        let owner = parent(path);
        let of = builtin_path(&owner).or_else(|| match &self.program.items[self.item].uses.get(&owner.text()) {
            Some(item) => match &self.program.items[**item].typed {
                TypedItem::Alias(ty) => Some(ty.clone()),
                _ => None,
            },
            None => None,
        });
        let of = if is_bits { of.as_ref() } else { Some(ty) };
        matches!(of, Some(Ty::Scalar(ScalarName::Usize | ScalarName::Isize)))
    }

    /// `Point::ZERO` where `Point` is another name of a built-in type.
    fn alias_constant(&mut self, path: &'a Path) -> Option<(Ty, ConstValue)> {
        let owner = *self.program.items[self.item].uses.get(&parent(path).text())?;
        let TypedItem::Alias(ty) = &self.program.items[owner].typed else { return None };
        let name = path.segments.last()?;
        if !matches!(ty, Ty::Scalar(_) | Ty::Vector(..) | Ty::Matrix(_) | Ty::Quat) {
            return None;
        }
        let ty = proc_macro2::Ident::new(&self.name_of(ty), name.span());
        builtin_constant(&Path::plain(false, vec![ty, name.clone()]))
    }

    /// Whether a path, or what stands before its last segment, is one of which an error was reported elsewhere.
    pub(super) fn is_lost(&mut self, path: &Path) -> bool {
        let lost = &self.program.lost;
        let is_in = |path: &Path| !path.segments.is_empty() && lost.contains(&path.text());
        let found = !lost.is_empty() && (is_in(path) || is_in(&parent(path)));
        self.poisoned |= found;
        found
    }

    fn report_unknown_name(&mut self, expr: &Expr, path: &Path) {
        if self.is_lost(path) {
            return;
        }
        let message = match path.segments.as_slice() {
            [.., ty, name] if builtin_path(&parent(path)).is_some() => format!("no constant `{name}` on type `{ty}`"),
            _ => format!("cannot find value `{}` in this scope", path.text()),
        };
        let help = self.name_help(path);
        let error = self.error(code::UNKNOWN_NAME, expr.span, message);
        if let Some(help) = help {
            error.help(help);
        }
    }

    fn name_help(&self, path: &Path) -> Option<String> {
        let Some(name) = path.as_name().map(ToString::to_string) else {
            let last = path.segments.last()?.to_string();
            let first = path.segments.first()?.to_string();
            if let Some((_, instead)) = UNSUPPORTED_TYPES.iter().find(|(ty, _)| *ty == first) {
                return Some(format!("`{first}` is not available in kernels yet: {instead}"));
            }
            let suggestion = nearest(&last, constant_names(path))?;
            return Some(format!("a constant with a similar name exists: `{suggestion}`"));
        };
        if let Some(instead) = crate::builtin::foreign::value(&name) {
            return Some(instead.to_owned());
        }
        if MATHS.iter().any(|(math, _)| *math == name) {
            return Some(format!("write `std::f32::consts::{name}`"));
        }
        let waits = ["barrier", "fence"].contains(&name.as_str());
        if waits || Builtin::ALL.iter().any(|builtin| builtin.name() == name) {
            return Some(format!("`{name}` is a function: write `{name}()`"));
        }
        if builtin_path(path).is_some() {
            return Some(format!("`{name}` is a type"));
        }
        let locals = self.visible.names();
        let items = &self.program.items[self.item].uses;
        let consts = items
            .iter()
            .filter(|(_, item)| matches!(self.program.items[**item].item, Item::Const(_)))
            .map(|(name, _)| name.as_str());
        if let Some(suggestion) = nearest(&name, locals.chain(consts)) {
            return Some(format!("a name with a similar spelling exists: `{suggestion}`"));
        }
        let is_const = name.chars().all(|letter| !letter.is_lowercase());
        Some(if is_const {
            "a const needs `#[device]` to be used in kernels".to_owned()
        } else {
            format!("declare it with `let {name} = …`, or make it a parameter")
        })
    }
}

/// The path without its last segment.
pub(crate) fn parent(path: &Path) -> Path {
    let segments = path.segments.split_last().map_or(Vec::new(), |(_, modules)| modules.to_vec());
    let generics = path.generics.iter().filter(|args| args.segment < segments.len()).cloned().collect();
    Path { leading_colon: path.leading_colon, segments, generics, through: None }
}

/// Names of constants that a path with this type in front could mean.
fn constant_names(path: &Path) -> impl Iterator<Item = &'static str> {
    let types = ["MIN", "MAX", "EPSILON", "INFINITY", "NEG_INFINITY", "MIN_POSITIVE", "NAN", "ZERO", "ONE", "NEG_ONE"];
    let in_consts = path.segments.iter().any(|segment| segment == "consts");
    let maths = MATHS.iter().map(|(name, _)| *name).filter(move |_| in_consts);
    types.into_iter().filter(move |_| !in_consts).chain(maths)
}
