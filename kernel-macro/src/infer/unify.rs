//! Types under inference and their unification. Knows no expressions and reports nothing.

use std::rc::Rc;

use crate::ast::{ExprId, ScalarName};
use crate::builtin::image::ImageTy;
use crate::program::ItemId;
use crate::typed::{ConversionError, CoopTy, Len, Ty, TyArgs};

/// A type that may still hold variables.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Term {
    Unit,
    Scalar(ScalarName),
    Vector(ScalarName, u8),
    Matrix(u8),
    Quat,
    Array(Rc<Term>, Len),
    Tuple(Rc<[Term]>),
    Struct(ItemId, TermArgs),
    /// An array whose length is still open.
    ArrayOf(Rc<Term>, Rc<Term>),
    /// The value of a const parameter.
    Const(i128),
    /// The kernel's const parameter with this number.
    Chosen(u32),
    /// The type of a closure.
    Closure(ItemId, ExprId),
    Enum(ItemId, TermArgs),
    /// A parameter of the struct or enum around, by its position.
    Param(u32),
    Option(Rc<Term>),
    Result(Rc<Term>, Rc<Term>),
    /// `core::cmp::Ordering`
    Ordering,
    ConversionError(ConversionError),
    /// As [`Ty::Range`].
    Range(Rc<Term>, bool),
    /// An iterator over elements of a type.
    Iterator(Rc<Term>),
    Buffer {
        element: Rc<Term>,
        mutable: bool,
        origin: Option<ExprId>,
    },
    Image(ImageTy),
    Shared(Rc<Term>),
    Atomic(ScalarName),
    Coop(CoopTy),
    /// Of expressions that never yield a value.
    Never,
    /// Reported already: fits everything.
    Error,
    Var(Var),
}

/// As [`TyArgs`].
pub(super) type TermArgs = Option<Rc<[Term]>>;

/// A type variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Var(u32);

/// The types that a variable may become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VarKind {
    Any,
    /// An integer; `index`: became an index somewhere, so `usize` when nothing else decides.
    Int {
        index: bool,
    },
    Float,
}

#[derive(Debug, Clone)]
enum Slot {
    Free(VarKind),
    Bound(Term),
}

/// All variables of one function.
#[derive(Debug, Default)]
pub(super) struct Table {
    slots: Vec<Slot>,
}

impl Term {
    pub(super) const BOOL: Self = Self::Scalar(ScalarName::Bool);
    pub(super) const I32: Self = Self::Scalar(ScalarName::I32);
    pub(super) const U32: Self = Self::Scalar(ScalarName::U32);
    pub(super) const USIZE: Self = Self::Scalar(ScalarName::Usize);
    pub(super) const F32: Self = Self::Scalar(ScalarName::F32);

    /// A tuple, or unit when there are no members.
    pub(super) fn tuple(members: Vec<Self>) -> Self {
        if members.is_empty() { Self::Unit } else { Self::Tuple(members.into()) }
    }
}

impl From<&Ty> for Term {
    fn from(ty: &Ty) -> Self {
        match ty {
            Ty::Unit => Self::Unit,
            Ty::Scalar(scalar) => Self::Scalar(*scalar),
            Ty::Vector(scalar, lanes) => Self::Vector(*scalar, *lanes),
            Ty::Matrix(size) => Self::Matrix(*size),
            Ty::Quat => Self::Quat,
            Ty::Array(element, len) => Self::Array(Rc::new(Self::from(&**element)), *len),
            Ty::Tuple(members) => Self::Tuple(members.iter().map(Self::from).collect()),
            Ty::Struct(item, args) => Self::Struct(*item, terms_of(args)),
            Ty::Const(value) => Self::Const(*value),
            Ty::Chosen(number) => Self::Chosen(*number),
            Ty::Closure(item, expr) => Self::Closure(*item, *expr),
            Ty::Enum(item, args) => Self::Enum(*item, terms_of(args)),
            Ty::Param(position) => Self::Param(*position),
            Ty::Option(value) => Self::Option(Rc::new(Self::from(&**value))),
            Ty::Iterator(item) => Self::Iterator(Rc::new(Self::from(&**item))),
            Ty::Ordering => Self::Ordering,
            Ty::ConversionError(error) => Self::ConversionError(*error),
            Ty::Range(value, inclusive) => Self::Range(Rc::new(Self::from(&**value)), *inclusive),
            Ty::Result(value, error) => Self::Result(Rc::new(Self::from(&**value)), Rc::new(Self::from(&**error))),
            Ty::Buffer { element, mutable, origin } => {
                Self::Buffer { element: Rc::new(Self::from(&**element)), mutable: *mutable, origin: *origin }
            }
            Ty::Image(image) => Self::Image(*image),
            Ty::Shared(value) => Self::Shared(Rc::new(Self::from(&**value))),
            Ty::Atomic(scalar) => Self::Atomic(*scalar),
            Ty::Coop(ty) => Self::Coop(*ty),
            Ty::Never => Self::Never,
            Ty::Error => Self::Error,
        }
    }
}

fn terms_of(args: &TyArgs) -> TermArgs {
    args.as_ref().map(|args| args.iter().map(Term::from).collect())
}

impl Term {
    /// The type of a member, with arguments for the parameters of the definition that it stands in.
    fn applied(ty: &Ty, args: &[Self]) -> Self {
        let inner = |ty: &Rc<Ty>| Rc::new(Self::applied(ty, args));
        let all = |list: &TyArgs| list.as_ref().map(|list| list.iter().map(|ty| Self::applied(ty, args)).collect());
        match ty {
            Ty::Param(position) => args.get(*position as usize).cloned().unwrap_or(Self::Error),
            Ty::Array(element, Len::Param(position)) => {
                let len = args.get(*position as usize).cloned().unwrap_or(Self::Error);
                Self::ArrayOf(inner(element), Rc::new(len))
            }
            Ty::Array(element, len) => Self::Array(inner(element), *len),
            Ty::Tuple(members) => Self::Tuple(members.iter().map(|member| Self::applied(member, args)).collect()),
            Ty::Struct(item, own) => Self::Struct(*item, all(own)),
            Ty::Enum(item, own) => Self::Enum(*item, all(own)),
            Ty::Option(value) => Self::Option(inner(value)),
            Ty::Result(value, error) => Self::Result(inner(value), inner(error)),
            Ty::Range(value, inclusive) => Self::Range(inner(value), *inclusive),
            Ty::Buffer { element, mutable, origin } => {
                Self::Buffer { element: inner(element), mutable: *mutable, origin: *origin }
            }
            other => Self::from(other),
        }
    }

    /// The types of a definition's members for some arguments of it.
    pub(super) fn members(fields: &[Ty], args: &TermArgs) -> Vec<Self> {
        fields.iter().map(|field| Self::member(field, args)).collect()
    }

    /// The type of one member.
    pub(super) fn member(field: &Ty, args: &TermArgs) -> Self {
        match args {
            None => Self::from(field),
            Some(args) => Self::applied(field, args),
        }
    }
}

impl Table {
    /// A new variable.
    pub(super) fn fresh(&mut self, kind: VarKind) -> Term {
        let var = Var(u32::try_from(self.slots.len()).unwrap_or(u32::MAX));
        self.slots.push(Slot::Free(kind));
        Term::Var(var)
    }

    /// The term with its outermost variable replaced, if it is bound.
    pub(super) fn shallow(&self, term: &Term) -> Term {
        match self.bound(term) {
            Term::ArrayOf(element, len) => match self.shallow(len) {
                Term::Const(len) => Term::Array(element.clone(), Len::Known(u32::try_from(len).unwrap_or(u32::MAX))),
                Term::Chosen(number) => Term::Array(element.clone(), Len::Chosen(number)),
                Term::Param(position) => Term::Array(element.clone(), Len::Param(position)),
                Term::Error => self.array_of_unknown(element),
                _ => Term::ArrayOf(element.clone(), len.clone()),
            },
            term => term.clone(),
        }
    }

    /// An array whose length a generic function as written does not know. Where it knows no element either, nothing is known: such a value
    /// may be a reference in the twin, and rustc finds its type.
    pub(super) fn array_of_unknown(&self, element: &Rc<Term>) -> Term {
        let mut inner = self.shallow(element);
        while let Term::Array(element, Len::Unknown) = &inner {
            inner = self.shallow(&element.clone());
        }
        if self.is_poisoned(&inner) { Term::Error } else { Term::Array(element.clone(), Len::Unknown) }
    }

    /// The same, but for the lengths of arrays, which may be bound and still count as open.
    pub(super) fn bound<'t>(&'t self, mut term: &'t Term) -> &'t Term {
        while let Term::Var(Var(index)) = term
            && let Slot::Bound(inner) = &self.slots[*index as usize]
        {
            term = inner;
        }
        term
    }

    /// Whether an expression of this type never yields a value.
    pub(super) fn is_never(&self, term: &Term) -> bool {
        matches!(self.bound(term), Term::Never)
    }

    /// The kind of a term that is a free variable.
    pub(super) fn kind(&self, term: &Term) -> Option<VarKind> {
        match self.bound(term) {
            Term::Var(Var(index)) => match self.slots[*index as usize] {
                Slot::Free(kind) => Some(kind),
                Slot::Bound(_) => None,
            },
            _ => None,
        }
    }

    /// Makes both terms equal. `false` when they cannot be; variables inside may then be bound in part.
    pub(super) fn unify(&mut self, a: &Term, b: &Term) -> bool {
        // Most terms are scalars.
        if let (Term::Scalar(a), Term::Scalar(b)) = (self.bound(a), self.bound(b)) {
            return a == b;
        }
        let (a, b) = (self.shallow(a), self.shallow(b));
        match (&a, &b) {
            (Term::Var(x), Term::Var(y)) if x == y => true,
            (Term::Var(x), Term::Var(y)) => self.join(*x, *y),
            (Term::Var(var), other) | (other, Term::Var(var)) => self.bind(*var, other),
            // A length that nothing else tells is as unknown as the array that it is of.
            (Term::Error, other @ Term::ArrayOf(..)) | (other @ Term::ArrayOf(..), Term::Error) => {
                self.poison(other);
                true
            }
            (Term::Error, _) | (_, Term::Error) => true,
            (Term::Shared(x), Term::Shared(y)) => self.unify(x, y),
            (Term::Array(x, n), Term::Array(y, m)) => n.fits(*m) && self.unify(x, y),
            (
                Term::Buffer { element: x, mutable: n, origin: from },
                Term::Buffer { element: y, mutable: m, origin: other },
            ) => n == m && from == other && self.unify(x, y),
            (Term::ArrayOf(x, len), Term::Array(y, n)) | (Term::Array(y, n), Term::ArrayOf(x, len)) => {
                let known = match n {
                    Len::Known(n) => Term::Const(i128::from(*n)),
                    Len::Chosen(number) => Term::Chosen(*number),
                    Len::Param(position) => Term::Param(*position),
                    Len::Unknown => Term::Error,
                };
                self.unify(len, &known) && self.unify(x, y)
            }
            (Term::ArrayOf(x, n), Term::ArrayOf(y, m)) => self.unify(n, m) && self.unify(x, y),
            (Term::Option(x), Term::Option(y)) | (Term::Iterator(x), Term::Iterator(y)) => self.unify(x, y),
            (Term::Range(x, n), Term::Range(y, m)) => n == m && self.unify(x, y),
            (Term::Result(x, e), Term::Result(y, f)) => self.unify(x, y) && self.unify(e, f),
            (Term::Struct(x, Some(xs)), Term::Struct(y, Some(ys)))
            | (Term::Enum(x, Some(xs)), Term::Enum(y, Some(ys))) => {
                x == y && xs.len() == ys.len() && xs.iter().zip(ys.iter()).all(|(x, y)| self.unify(x, y))
            }
            (Term::Tuple(xs), Term::Tuple(ys)) => {
                xs.len() == ys.len() && xs.iter().zip(ys.iter()).all(|(x, y)| self.unify(x, y))
            }
            _ => a == b,
        }
    }

    /// Whether [`unify`](Self::unify) would succeed; changes nothing.
    pub(super) fn would_unify(&mut self, a: &Term, b: &Term) -> bool {
        let saved = self.slots.clone();
        let fits = self.unify(a, b);
        self.slots = saved;
        fits
    }

    /// Notes that an integer variable indexes something.
    pub(super) fn mark_index(&mut self, term: &Term) {
        if let Term::Var(Var(index)) = *self.bound(term)
            && let Slot::Free(VarKind::Int { index: mark }) = &mut self.slots[index as usize]
        {
            *mark = true;
        }
    }

    /// The type a term stands for, free number variables at their defaults; `None` when something is undetermined.
    pub(super) fn resolve(&self, term: &Term) -> Option<Ty> {
        Some(match self.bound(term) {
            Term::Unit => Ty::Unit,
            Term::Scalar(scalar) => Ty::Scalar(*scalar),
            Term::Vector(scalar, lanes) => Ty::Vector(*scalar, *lanes),
            Term::Matrix(size) => Ty::Matrix(*size),
            Term::Quat => Ty::Quat,
            Term::Array(element, len) => Ty::Array(Rc::new(self.resolve(element)?), *len),
            Term::Tuple(members) => {
                Ty::Tuple(members.iter().map(|member| self.resolve(member)).collect::<Option<Rc<[Ty]>>>()?)
            }
            Term::Struct(item, args) => Ty::Struct(*item, self.resolve_args(args)?),
            Term::Param(position) => Ty::Param(*position),
            Term::Const(value) => Ty::Const(*value),
            Term::Chosen(number) => Ty::Chosen(*number),
            Term::Closure(item, expr) => Ty::Closure(*item, *expr),
            open @ Term::ArrayOf(..) => match self.shallow(open) {
                Term::ArrayOf(..) => return None,
                known => return self.resolve(&known),
            },
            Term::Enum(item, args) => Ty::Enum(*item, self.resolve_args(args)?),
            Term::Option(value) => Ty::Option(Rc::new(self.resolve(value)?)),
            Term::Iterator(item) => Ty::Iterator(Rc::new(self.resolve(item)?)),
            Term::Ordering => Ty::Ordering,
            Term::ConversionError(error) => Ty::ConversionError(*error),
            Term::Range(value, inclusive) => Ty::Range(Rc::new(self.resolve(value)?), *inclusive),
            Term::Result(value, error) => Ty::Result(Rc::new(self.resolve(value)?), Rc::new(self.resolve(error)?)),
            Term::Buffer { element, mutable, origin } => {
                Ty::Buffer { element: Rc::new(self.resolve(element)?), mutable: *mutable, origin: *origin }
            }
            Term::Image(image) => Ty::Image(*image),
            Term::Shared(value) => Ty::Shared(Rc::new(self.resolve(value)?)),
            Term::Atomic(scalar) => Ty::Atomic(*scalar),
            Term::Coop(ty) => Ty::Coop(*ty),
            Term::Never => Ty::Never,
            Term::Error => Ty::Error,
            Term::Var(Var(index)) => match self.slots[*index as usize] {
                Slot::Free(VarKind::Int { index: true }) => Ty::USIZE,
                Slot::Free(VarKind::Int { index: false }) => Ty::I32,
                // As rustc: what only literals determine is `f64`.
                Slot::Free(VarKind::Float) => Ty::Scalar(ScalarName::F64),
                Slot::Free(VarKind::Any) | Slot::Bound(_) => return None,
            },
        })
    }

    /// `None` when something is undetermined.
    fn resolve_args(&self, args: &TermArgs) -> Option<TyArgs> {
        let Some(args) = args else { return Some(None) };
        args.iter().map(|arg| self.resolve(arg)).collect::<Option<Rc<[Ty]>>>().map(Some)
    }

    /// Binds every free variable of unknown kind inside `term` to [`Term::Error`].
    pub(super) fn poison(&mut self, term: &Term) {
        match self.shallow(term) {
            Term::Var(Var(index)) => {
                if let Slot::Free(VarKind::Any) = self.slots[index as usize] {
                    self.slots[index as usize] = Slot::Bound(Term::Error);
                }
            }
            Term::Array(element, _)
            | Term::Option(element)
            | Term::Shared(element)
            | Term::Buffer { element, .. }
            | Term::Range(element, _)
            | Term::Iterator(element) => {
                self.poison(&element);
            }
            Term::ArrayOf(value, error) | Term::Result(value, error) => {
                self.poison(&value);
                self.poison(&error);
            }
            Term::Tuple(members) | Term::Struct(_, Some(members)) | Term::Enum(_, Some(members)) => {
                members.iter().for_each(|member| self.poison(member));
            }
            _ => {}
        }
    }

    /// Binds every free variable inside `term`, numbers included, to [`Term::Error`].
    pub(super) fn blur(&mut self, term: &Term) {
        match self.shallow(term) {
            Term::Var(Var(index)) => self.slots[index as usize] = Slot::Bound(Term::Error),
            Term::Array(element, _)
            | Term::Iterator(element)
            | Term::Range(element, _)
            | Term::Buffer { element, .. } => self.blur(&element),
            Term::ArrayOf(element, len) => [element, len].iter().for_each(|part| self.blur(part)),
            Term::Tuple(members) | Term::Struct(_, Some(members)) | Term::Enum(_, Some(members)) => {
                members.iter().for_each(|member| self.blur(member));
            }
            _ => {}
        }
    }

    /// Whether an error is part of the type.
    pub(super) fn is_poisoned(&self, term: &Term) -> bool {
        match self.shallow(term) {
            Term::Error | Term::Array(_, Len::Unknown) => true,
            Term::Array(element, _)
            | Term::Option(element)
            | Term::Shared(element)
            | Term::Buffer { element, .. }
            | Term::Range(element, _)
            | Term::Iterator(element) => self.is_poisoned(&element),
            Term::Result(value, error) => self.is_poisoned(&value) || self.is_poisoned(&error),
            Term::Tuple(members) | Term::Struct(_, Some(members)) | Term::Enum(_, Some(members)) => {
                members.iter().any(|member| self.is_poisoned(member))
            }
            _ => false,
        }
    }

    fn join(&mut self, x: Var, y: Var) -> bool {
        let (Slot::Free(a), Slot::Free(b)) = (&self.slots[x.0 as usize], &self.slots[y.0 as usize]) else {
            return false;
        };
        let kind = match (*a, *b) {
            (VarKind::Any, kind) | (kind, VarKind::Any) => kind,
            (VarKind::Int { index: p }, VarKind::Int { index: q }) => VarKind::Int { index: p || q },
            (VarKind::Float, VarKind::Float) => VarKind::Float,
            _ => return false,
        };
        self.slots[y.0 as usize] = Slot::Free(kind);
        self.slots[x.0 as usize] = Slot::Bound(Term::Var(y));
        true
    }

    fn bind(&mut self, var: Var, term: &Term) -> bool {
        let fits = match (&self.slots[var.0 as usize], term) {
            (_, Term::Error) => true,
            (Slot::Free(VarKind::Any), _) => !self.occurs(var, term),
            (Slot::Free(VarKind::Int { .. }), Term::Scalar(scalar)) => scalar.is_int(),
            (Slot::Free(VarKind::Float), Term::Scalar(scalar)) => scalar.is_float(),
            _ => false,
        };
        if fits {
            self.slots[var.0 as usize] = Slot::Bound(term.clone());
        }
        fits
    }

    fn occurs(&self, var: Var, term: &Term) -> bool {
        match self.shallow(term) {
            Term::Var(other) => var == other,
            Term::Array(element, _)
            | Term::Option(element)
            | Term::Shared(element)
            | Term::Buffer { element, .. }
            | Term::Range(element, _)
            | Term::Iterator(element) => self.occurs(var, &element),
            Term::ArrayOf(value, error) | Term::Result(value, error) => {
                self.occurs(var, &value) || self.occurs(var, &error)
            }
            Term::Tuple(members) | Term::Struct(_, Some(members)) | Term::Enum(_, Some(members)) => {
                members.iter().any(|member| self.occurs(var, member))
            }
            _ => false,
        }
    }
}
