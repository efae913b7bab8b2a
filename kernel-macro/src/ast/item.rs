//! Items a kernel consists of: functions, structs, enums and consts; what stands in bodies is in `expr.rs`.

use gridwise_ir::ir::Checked;
use proc_macro2::Ident;

use super::{BindingId, Block, Expr, ExprId, Generics, Impl, Path, Trait, TypeExpr, TypeKind};

/// An item a kernel can consist of.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "most items are functions, and nobody keeps many")]
pub(crate) enum Item {
    Fn(Fn),
    Struct(Struct),
    Enum(Enum),
    Const(Const),
    Impl(Impl),
    Trait(Trait),
    Alias(Alias),
}

/// A kernel or device function.
#[derive(Debug, Clone)]
pub(crate) struct Fn {
    /// Attributes to put on the emitted function (docs, lints, cfg), ours removed.
    pub(crate) attrs: Vec<syn::Attribute>,
    pub(crate) vis: syn::Visibility,
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    /// `self` of a method as written: then it is the first parameter.
    pub(crate) receiver: Option<syn::Receiver>,
    /// Whether it is a `const fn`, which consts may call.
    pub(crate) is_const: bool,
    /// Whether it is an `unsafe fn`: a kernel whose caller promises that its invocations do not race.
    pub(crate) is_unsafe: bool,
    /// Whether its result is a reference to a part of `self`: then so is its value.
    pub(crate) gives_place: bool,
    pub(crate) params: Vec<Param>,
    /// `None` for unit.
    pub(crate) result: Option<TypeExpr>,
    pub(crate) body: Block,
    /// How many expression ids the function uses.
    pub(crate) expr_count: usize,
    /// How many binding ids the function uses.
    pub(crate) binding_count: usize,
    /// Whether it has a `debug_assert!` or its like.
    pub(crate) has_debug: bool,
    /// Whether control may leave it elsewhere than at its end.
    pub(crate) returns_early: bool,
    /// The names of slices that are moved where they stand.
    pub(crate) moved: Vec<ExprId>,
    /// The enums of which `use` in it imports all names, while these are not known.
    pub(crate) globs: Vec<Path>,
    /// The paths of types that count as built-in ones by their last name.
    pub(crate) assumed: Vec<Vec<Ident>>,
}

/// A function parameter.
#[derive(Debug, Clone)]
pub(crate) struct Param {
    pub(crate) name: Ident,
    pub(crate) mutable: bool,
    pub(crate) ty: TypeExpr,
    pub(crate) binding: BindingId,
    /// Whether the type is `&mut I` of an iterator: then `ty` is `I`, and the iterator goes on where it was lent.
    pub(crate) lends_iterator: bool,
    /// `#[texels]`, where a kernel's parameter has it.
    pub(crate) texels: Option<super::SpanRange>,
    /// The property that the type of a kernel's parameter promises, `&Distinct<T>` or `&Offsets<T>`: then `ty` is the slice that it is in the
    /// kernel.
    pub(crate) checked: Option<Checked>,
    /// The part of a `&mut Scatter<T>` that a kernel's parameter is, if it is one.
    pub(crate) scattered: Option<Scattered>,
}

impl Param {
    /// Whether it may be asked for one element at a time, if it is an iterator.
    pub(crate) const fn goes_on(&self) -> bool {
        self.mutable || self.lends_iterator
    }
}

/// The two parameters of a kernel that a `&mut Scatter<T>` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scattered {
    /// The elements, as a slice.
    Elements,
    /// The words with which invocations claim them, which come with the elements' argument.
    Claims,
}

impl Scattered {
    /// The beginning of the names of claims, before the name of the elements. No author may write one.
    pub(crate) const CLAIMS: &str = "__claims_of_";
}

/// A struct.
#[derive(Debug, Clone)]
pub(crate) struct Struct {
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    /// Those of a tuple struct are called `_0`, `_1`, ….
    pub(crate) fields: Vec<(Ident, TypeExpr)>,
    pub(crate) shape: Shape,
    pub(crate) derives: Derives,
}

impl Struct {
    /// Whether members are `&` references to values, or have some in them.
    pub(crate) fn refers(&self) -> bool {
        self.fields.iter().any(|(_, ty)| !matches!(ty.kind, TypeKind::Slice { .. }) && ty.holds_references())
    }
}

/// The traits of Rust that a struct or enum derives, as far as the macro sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Derives {
    pub(crate) clone: bool,
    pub(crate) copy: bool,
    pub(crate) partial_eq: bool,
    pub(crate) partial_ord: bool,
    pub(crate) ord: bool,
    pub(crate) default: bool,
    pub(crate) gpu_data: bool,
    /// Whether it is `core::cmp::Reverse`, whose order is that of its member the other way round.
    pub(crate) reverse: bool,
    /// Whether it is `core::num::Wrapping`, whose operators are those of its member.
    pub(crate) wrapping: bool,
}

/// How the members of a struct or variant are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `{ a: A, b: B }`
    Named,
    /// `(A, B)`
    Tuple,
    /// Nothing.
    Unit,
}

/// An enum; never without variants.
#[derive(Debug, Clone)]
pub(crate) struct Enum {
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    pub(crate) variants: Vec<Variant>,
    /// Whether discriminants are `u32`; else `i32`, in which all other representations that kernels have fit.
    pub(crate) unsigned: bool,
    pub(crate) expr_count: usize,
    pub(crate) derives: Derives,
}

/// A variant of an enum.
#[derive(Debug, Clone)]
pub(crate) struct Variant {
    pub(crate) name: Ident,
    pub(crate) fields: Vec<(Ident, TypeExpr)>,
    pub(crate) shape: Shape,
    /// The number after `=`.
    pub(crate) discriminant: Option<Expr>,
    /// Whether it is the one marked `#[default]`.
    pub(crate) is_default: bool,
}

/// `type Name<T> = [T; 4];`
#[derive(Debug, Clone)]
pub(crate) struct Alias {
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    pub(crate) ty: TypeExpr,
    pub(crate) expr_count: usize,
}

/// `const NAME: T = expr;`
#[derive(Debug, Clone)]
pub(crate) struct Const {
    pub(crate) attrs: Vec<syn::Attribute>,
    pub(crate) name: Ident,
    pub(crate) ty: TypeExpr,
    pub(crate) value: Expr,
    pub(crate) expr_count: usize,
}

impl Fn {
    /// Whether a parameter is a slice. Of a kernel, buffers are.
    pub(crate) fn takes_slices(&self) -> bool {
        self.params.iter().any(|param| matches!(param.ty.kind, super::TypeKind::Slice { .. }))
    }

    /// For each parameter of the closure that is passed for a parameter, whether it is a slice, and then whether one that writes.
    /// Empty for other parameters.
    pub(crate) fn lent_slices(&self, param: &Param) -> Vec<Option<bool>> {
        self.closure_param(param).map_or_else(Vec::new, super::GenericParam::lent_slices)
    }

    /// The same, and whether it is a reference, and then whether one that writes.
    pub(crate) fn lent_references(&self, param: &Param) -> Vec<Option<bool>> {
        self.closure_param(param).map_or_else(Vec::new, super::GenericParam::lent_references)
    }

    /// The parameter of the function that is the type of `param`, perhaps by a reference.
    fn closure_param(&self, param: &Param) -> Option<&super::GenericParam> {
        let mut target = &param.ty;
        while let super::TypeKind::Ref { target: inner, .. } = &target.kind {
            target = inner;
        }
        let super::TypeKind::Path(path) = &target.kind else { return None };
        path.as_name().and_then(|name| self.generics.params.iter().find(|param| param.name == *name))
    }

    /// The parameter of the function that is the type of `param`, and the type of the elements as far as its bounds tell, if it is an
    /// iterator.
    pub(crate) fn iterator_param(&self, param: &Param) -> Option<(&super::GenericParam, Option<&TypeExpr>)> {
        let super::TypeKind::Path(path) = &param.ty.kind else { return None };
        let name = path.as_name()?;
        let named = self.generics.params.iter().find(|param| param.name == *name)?;
        Some((named, named.iterated()?))
    }

    /// Whether it passes slices to a closure.
    pub(crate) fn lends_slices(&self) -> bool {
        self.generics.params.iter().any(|param| param.lent_slices().iter().any(Option::is_some))
    }

    /// Whether its result is a slice: a part of a parameter.
    pub(crate) fn gives_slice(&self) -> bool {
        self.result.as_ref().is_some_and(|ty| matches!(ty.kind, super::TypeKind::Slice { .. }))
    }

    /// The type of the elements, if its result is an iterator.
    pub(crate) fn given_elements(&self) -> Option<&TypeExpr> {
        match &self.result.as_ref()?.kind {
            super::TypeKind::Iterator(element) => Some(element),
            _ => None,
        }
    }

    /// Whether its result is a `&mut` reference to a part of `self`.
    pub(crate) fn gives_written_place(&self) -> bool {
        self.gives_place && self.writes_self()
    }

    /// Whether its result is a `&` reference or holds some, which are the values that they lead to here.
    pub(crate) fn lends(&self) -> bool {
        use super::TypeKind as T;
        let is_value = |ty: &TypeExpr| !matches!(ty.kind, T::Slice { .. } | T::Iterator(_));
        !self.gives_place && self.result.as_ref().is_some_and(|ty| is_value(ty) && ty.holds_references())
    }

    /// Whether what runs on the host for the device is a function of its own beside the author's: where it takes or lends slices, whose form
    /// differs, and where the author's runs at compile time.
    pub(crate) fn has_twin(&self) -> bool {
        self.is_const
            || self.takes_slices()
            || self.lends_slices()
            || self.lends()
            || self.gives_slice()
            || self.given_elements().is_some()
    }

    /// Whether it is a method that writes through `&mut self`.
    pub(crate) fn writes_self(&self) -> bool {
        let kind = self.receiver.as_ref().map(|receiver| &receiver.kind);
        matches!(kind, Some(syn::ReceiverKind::Reference(_, _, Some(_))))
    }
}
