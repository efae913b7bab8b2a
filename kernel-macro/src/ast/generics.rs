//! Generic parameters and arguments, `impl` blocks and traits.

use proc_macro2::{Ident, TokenStream};

use super::{Expr, Path, SpanRange, TypeExpr};

/// `<f32, 4>` or `::<f32, 4>` after a segment of a path, or after a method's name.
#[derive(Debug, Clone)]
pub(crate) struct PathArgs {
    /// Position of the segment.
    pub(crate) segment: usize,
    pub(crate) args: Vec<GenericArg>,
    /// The tokens as written, brackets included.
    pub(crate) tokens: TokenStream,
}

/// A generic argument: a type, a value, or a name that may be either.
#[derive(Debug, Clone)]
pub(crate) struct GenericArg {
    pub(crate) ty: Option<TypeExpr>,
    pub(crate) value: Option<Expr>,
    pub(crate) span: SpanRange,
}

/// The generic parameters of an item, and their bounds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Generics {
    pub(crate) params: Vec<GenericParam>,
    /// Types named by `where` clauses about anything but a parameter itself, with their bounds.
    pub(crate) clauses: Vec<(TypeExpr, Vec<Bound>)>,
    /// As written, `where` clause included.
    pub(crate) source: syn::Generics,
}

/// A type or const parameter.
#[derive(Debug, Clone)]
pub(crate) struct GenericParam {
    pub(crate) name: Ident,
    pub(crate) kind: GenericKind,
    /// The default of a parameter of a struct, enum or alias.
    pub(crate) default: Option<GenericArg>,
}

#[derive(Debug, Clone)]
pub(crate) enum GenericKind {
    /// With its bounds, those of `where` clauses included. `implicit`: stands for `impl Trait` as an argument's type.
    Type { bounds: Vec<Bound>, implicit: bool },
    /// `const N: T`
    Const(TypeExpr),
}

/// A bound of a type parameter.
#[derive(Debug, Clone)]
pub(crate) enum Bound {
    /// `Add<f32, Output = T>`
    Trait { path: Path, bindings: Vec<(Ident, TypeExpr)> },
    /// `Fn(A, B) -> C`, `FnMut`, `FnOnce`. `changes`: not the first, whose closures leave variables as they are.
    Fn { params: Vec<TypeExpr>, result: Option<TypeExpr>, changes: bool },
}

/// An `impl` block. Its functions and consts are items of their own.
#[derive(Debug, Clone)]
pub(crate) struct Impl {
    pub(crate) generics: Generics,
    /// The trait.
    pub(crate) of: Option<Path>,
    pub(crate) self_ty: TypeExpr,
    /// Of an operator, whether it is for references: to the type, and to the right operand. Both are the types themselves here.
    pub(crate) lent: Lent,
    /// Of an operator, a sum or a product, the words of its function without `&` and `*` before operands.
    pub(crate) words: Vec<String>,
    /// `type Name = T;`
    pub(crate) types: Vec<(Ident, TypeExpr)>,
}

/// The operands that an `impl` of an operator takes by reference.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Lent {
    pub(crate) left: bool,
    pub(crate) right: bool,
}

/// A trait. Its functions with a body and its consts with a value are items of their own.
#[derive(Debug, Clone)]
pub(crate) struct Trait {
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    pub(crate) supertraits: Vec<Bound>,
    /// Its methods, and whether they have `&mut self`.
    pub(crate) methods: Vec<(Ident, bool)>,
}

impl GenericParam {
    /// For each parameter of the closure that it stands for, whether it is a slice, and then whether one that writes.
    pub(crate) fn lent_slices(&self) -> Vec<Option<bool>> {
        let slice = |ty: &TypeExpr| match ty.kind {
            super::TypeKind::Slice { mutable, .. } => Some(mutable),
            _ => None,
        };
        self.closure_params().iter().map(slice).collect()
    }

    /// The same, and whether it is a reference, and then whether one that writes.
    pub(crate) fn lent_references(&self) -> Vec<Option<bool>> {
        self.closure_params().iter().map(TypeExpr::reference).collect()
    }

    /// The types of the parameters of the closure that it stands for.
    fn closure_params(&self) -> &[TypeExpr] {
        let GenericKind::Type { bounds, .. } = &self.kind else { return &[] };
        let params = bounds.iter().find_map(|bound| match bound {
            Bound::Fn { params, .. } => Some(params.as_slice()),
            Bound::Trait { .. } => None,
        });
        params.unwrap_or_default()
    }

    /// The type of the elements, if its bounds make it an iterator, or something that an iterator is made of; nothing inside where they do
    /// not tell.
    pub(crate) fn iterated(&self) -> Option<Option<&TypeExpr>> {
        let GenericKind::Type { bounds, .. } = &self.kind else { return None };
        bounds.iter().find_map(|bound| match bound {
            Bound::Trait { path, bindings } if is_iterator(path.segments.last()?) => {
                Some(bindings.iter().find(|(name, _)| name == "Item").map(|(_, ty)| ty))
            }
            _ => None,
        })
    }

    /// The types of the elements of these slices.
    pub(crate) fn lent_elements(&self) -> Vec<&TypeExpr> {
        let GenericKind::Type { bounds, .. } = &self.kind else { return Vec::new() };
        let params = bounds.iter().filter_map(|bound| match bound {
            Bound::Fn { params, .. } => Some(params),
            Bound::Trait { .. } => None,
        });
        let kinds = params.flatten().map(|ty| &ty.kind);
        let elements = kinds.filter_map(|kind| match kind {
            super::TypeKind::Slice { element, .. } => Some(&**element),
            _ => None,
        });
        elements.collect()
    }
}

/// Whether a trait of Rust's library makes an iterator of a type.
pub(crate) fn is_iterator(name: &Ident) -> bool {
    const NAMES: [&str; 5] = ["Iterator", "DoubleEndedIterator", "ExactSizeIterator", "FusedIterator", "IntoIterator"];
    NAMES.iter().any(|known| name == known)
}
