//! Types as written. Whether a path names a type is found out later.

use quote::ToTokens;
use syn::Type;

use super::Parser;
use super::image::image_path;
use super::parallel::parallel_type;
use super::span::type_range;
use crate::ast::{SpanRange, TypeExpr, TypeKind};
use crate::diag::{Diagnostics, code};

/// Parses a type that stands alone.
pub(crate) fn parse_type(ty: &Type, diags: &mut Diagnostics) -> TypeExpr {
    Parser::new(diags).ty(ty)
}

/// The traits that the result of a function may name, if it is an iterator.
const ITERATORS: [&str; 5] = ["Iterator", "DoubleEndedIterator", "ExactSizeIterator", "FusedIterator", "Clone"];

impl Parser<'_> {
    /// A type anywhere but in a kernel's parameter list.
    pub(super) fn ty(&mut self, ty: &Type) -> TypeExpr {
        if let Some(text) = Self::text_ty(ty, false) {
            return text;
        }
        let kind = self.type_kind(ty);
        TypeExpr { kind, span: type_range(ty), tokens: ty.to_token_stream() }
    }

    /// The type of a kernel's parameter: slices are allowed, and lists of them.
    pub(super) fn kernel_param_ty(&mut self, ty: &Type) -> TypeExpr {
        self.slice_ty(ty, true)
    }

    /// The type of a parameter or variable that may be a slice.
    pub(super) fn param_ty(&mut self, ty: &Type) -> TypeExpr {
        self.slice_ty(ty, false)
    }

    /// `&[&[T]]` or `&mut [&mut [T]]`: whether the list is `&mut`, and what it is of.
    fn list_of_slices(
        &mut self,
        ty: &Type,
        mutable: bool,
        (inner, element): (bool, &Type),
        is_kernel: bool,
    ) -> TypeKind {
        let message = match is_kernel {
            true if mutable == inner => return TypeKind::List { mutable, element: Box::new(self.ty(element)) },
            true => ("a list that is only partly `&mut` is", "write `&[&[T]]` to read, and `&mut [&mut [T]]` to write"),
            false => ("a list of buffers here is", "take one of them, `x: &[T]`, and pass `lists[k]`"),
        };
        self.unsupported(ty, message.0, message.1);
        TypeKind::Error
    }

    /// `&[&Image2D<F>]`, `&mut [&mut Image2D<F>]` and their like.
    fn list_of_images(&mut self, ty: &Type, mutable: bool, member: &Type, is_kernel: bool) -> TypeKind {
        let Type::Reference(reference) = ungroup(member) else { return TypeKind::Error };
        if !is_kernel {
            self.unsupported(ty, "a list of images here is", "take it in the kernel, and pass texels");
            return TypeKind::Error;
        }
        if mutable != reference.mutability.is_some() {
            let help = "write `&[&Image2D<F>]` to read, and `&mut [&mut Image2D<F>]` to store";
            self.unsupported(ty, "a list of images that is only partly `&mut` is", help);
            return TypeKind::Error;
        }
        match self.image_param(reference) {
            Some(TypeKind::Image { image, target, format, .. }) => {
                TypeKind::Image { image, target, format, is_list: true }
            }
            _ => TypeKind::Error,
        }
    }

    fn slice_ty(&mut self, ty: &Type, is_kernel: bool) -> TypeExpr {
        if let Some(text) = Self::text_ty(ty, false) {
            return text;
        }
        let kind = match ungroup(ty) {
            Type::Reference(reference) if matches!(ungroup(&reference.elem), Type::Slice(_)) => {
                self.refuse_lifetime(reference, is_kernel);
                let Type::Slice(slice) = ungroup(&reference.elem) else { unreachable!("just matched") };
                let mutable = reference.mutability.is_some();
                match inner_slice(&slice.elem) {
                    Some(inner) => self.list_of_slices(ty, mutable, inner, is_kernel),
                    None if inner_image(&slice.elem) => self.list_of_images(ty, mutable, &slice.elem, is_kernel),
                    None => TypeKind::Slice { mutable, element: Box::new(self.ty(&slice.elem)) },
                }
            }
            Type::Reference(reference) => match self.image_param(reference) {
                Some(kind) => kind,
                None if is_kernel => self.refuse_kernel_reference(ty, reference),
                None => self.type_kind(ungroup(ty)),
            },
            other => self.type_kind(other),
        };
        TypeExpr { kind, span: type_range(ty), tokens: ty.to_token_stream() }
    }

    /// The type of a variable, or of a closure's parameter: it may be a reference or a slice.
    pub(super) fn variable_ty(&mut self, ty: &Type) -> TypeExpr {
        if let Some(text) = Self::text_ty(ty, true) {
            return text;
        }
        match ungroup(ty) {
            Type::Reference(reference) if matches!(ungroup(&reference.elem), Type::Slice(_)) => self.param_ty(ty),
            Type::Reference(_) => self.reference_ty(ty),
            _ => self.lent_ty(ty),
        }
    }

    /// A type that may hold references: they are the values that they lead to.
    pub(super) fn lent_ty(&mut self, ty: &Type) -> TypeExpr {
        let outer = std::mem::replace(&mut self.lends, true);
        let parsed = self.ty(ty);
        self.lends = outer;
        parsed
    }

    /// The type of a device function's parameter: it may be a reference.
    pub(super) fn reference_ty(&mut self, ty: &Type) -> TypeExpr {
        if let Some(text) = Self::text_ty(ty, false) {
            return text;
        }
        let Type::Reference(reference) = ungroup(ty) else { return self.ty(ty) };
        self.refuse_lifetime(reference, false);
        let target = Box::new(self.ty(&reference.elem));
        let kind = TypeKind::Ref { mutable: reference.mutability.is_some(), target };
        TypeExpr { kind, span: type_range(ty), tokens: ty.to_token_stream() }
    }

    /// `impl Iterator<Item = T> + …` as the result of a function.
    pub(super) fn iterator_ty(&mut self, ty: &Type, some: &syn::TypeImplTrait) -> TypeExpr {
        for bound in &some.bounds {
            let syn::TypeParamBound::Trait(bound) = bound else { continue };
            let Some(last) = bound.path.segments.last() else { continue };
            if !ITERATORS.iter().any(|name| last.ident == name) {
                let help = format!("supported are {}", ITERATORS.join(", "));
                self.unsupported(bound, "this bound of an iterator is", &help);
            }
        }
        let element = elements_given(ty);
        let kind = match element.map(ungroup) {
            Some(Type::Reference(reference)) if matches!(ungroup(&reference.elem), Type::Slice(_)) => {
                let help = "give the starts, and cut where they are used: `&x[start..start + n]`";
                self.unsupported(reference, "an iterator of slices as a function's result is", help);
                TypeKind::Error
            }
            Some(Type::Reference(reference)) if reference.mutability.is_some() => {
                let help = "give the indices, `-> impl Iterator<Item = usize>`, and write `x[i]` where they are used";
                self.unsupported(reference, "an iterator of `&mut` references as a function's result is", help);
                TypeKind::Error
            }
            Some(element) => TypeKind::Iterator(Box::new(self.lent_ty(element))),
            None => {
                self.unsupported(
                    ty,
                    "an iterator without the type of its elements is",
                    "write `impl Iterator<Item = …>`",
                );
                TypeKind::Error
            }
        };
        TypeExpr { kind, span: type_range(ty), tokens: ty.to_token_stream() }
    }

    /// The elements of an iterator that is a parameter. They are values here.
    pub(super) fn iterated_ty(&mut self, ty: &Type) -> TypeExpr {
        let help = match ungroup(ty) {
            Type::Reference(reference) if reference.mutability.is_some() => {
                Some("take the slice, `x: &mut [T]`, and go through it in the function")
            }
            Type::Reference(reference) if matches!(ungroup(&reference.elem), Type::Slice(_)) => {
                Some("take the slice, `x: &[T]`, and cut it in the function, `x.chunks(n)`")
            }
            Type::Tuple(tuple) if tuple.elems.iter().any(|member| matches!(ungroup(member), Type::Reference(_))) => {
                Some("take values, and copy them where the function is called: `.iter().copied().enumerate()`")
            }
            _ => None,
        };
        let Some(help) = help else { return self.lent_ty(ty) };
        self.unsupported(ty, "an iterator of these elements as a parameter is", help);
        TypeExpr { kind: TypeKind::Error, span: type_range(ty), tokens: ty.to_token_stream() }
    }

    /// Reports a lifetime: of a kernel's parameter, as those are the launch's, and `'static` anywhere.
    fn refuse_lifetime(&mut self, reference: &syn::TypeReference, is_kernel: bool) {
        // A name that a kernel declares is refused there.
        let is_refused = |lifetime: &&syn::Lifetime| lifetime.ident == "static" || is_kernel && lifetime.ident == "_";
        if let Some(lifetime) = reference.lifetime.as_ref().filter(is_refused) {
            self.unsupported(lifetime, "this lifetime is", "remove the lifetime");
        }
    }

    fn type_kind(&mut self, ty: &Type) -> TypeKind {
        match ungroup(ty) {
            Type::Path(path) if path.qself.is_none() && parallel_type(&path.path).is_some() => {
                self.parallel_type(&path.path)
            }
            Type::Path(path) if path.qself.is_none() && image_path(&path.path).is_some() => {
                self.misplaced_image(&path.path)
            }
            Type::Path(path) if path.qself.is_none() => self.type_path(&path.path),
            Type::Path(path) if path.qself.is_some() => self.projection(path),
            Type::Array(array) => {
                TypeKind::Array { element: Box::new(self.ty(&array.elem)), len: Box::new(self.expr(&array.len)) }
            }
            Type::Tuple(tuple) => TypeKind::Tuple(tuple.elems.iter().map(|elem| self.ty(elem)).collect()),
            Type::Infer(_) => TypeKind::Infer,
            Type::Reference(reference)
                if self.lends
                    && reference.mutability.is_none()
                    && !matches!(ungroup(&reference.elem), Type::Slice(_)) =>
            {
                self.refuse_lifetime(reference, false);
                self.type_kind(&reference.elem)
            }
            other => {
                self.unsupported_type(other);
                TypeKind::Error
            }
        }
    }

    /// `<T as Trait>::Name`
    fn projection(&mut self, ty: &syn::TypePath) -> TypeKind {
        let Some(qself) = ty.qself.as_ref().filter(|qself| qself.position > 0) else {
            self.unsupported(ty, "a type in `<…>` without its trait is", "write `<T as Trait>::Name`");
            return TypeKind::Error;
        };
        let [name] = ty.path.segments.iter().skip(qself.position).collect::<Vec<_>>()[..] else {
            self.unsupported(ty, "this type is", "name one type of the trait: `<T as Trait>::Name`");
            return TypeKind::Error;
        };
        let segments = ty.path.segments.iter().take(qself.position).cloned().collect();
        let through = syn::Path { leading_colon: ty.path.leading_colon, segments };
        let of = Box::new(self.ty(&qself.ty));
        match self.path(&through) {
            Some(through) => TypeKind::Projection { of, through, name: name.ident.clone() },
            None => TypeKind::Error,
        }
    }

    fn type_path(&mut self, path: &syn::Path) -> TypeKind {
        if let Some(last) = path.segments.last()
            && let syn::PathArguments::AngleBracketed(args) = &last.arguments
        {
            let types: Vec<&Type> = args
                .args
                .iter()
                .filter_map(|arg| match arg {
                    syn::GenericArgument::Type(ty) => Some(ty),
                    _ => None,
                })
                .collect();
            match (last.ident.to_string().as_str(), types.as_slice()) {
                ("Option", [value]) => return TypeKind::Option(Box::new(self.ty(value))),
                (name @ ("Range" | "RangeInclusive"), [value]) => {
                    return TypeKind::Range { of: Box::new(self.ty(value)), inclusive: name == "RangeInclusive" };
                }
                ("Result", [value, error]) => {
                    return TypeKind::Result(Box::new(self.ty(value)), Box::new(self.ty(error)));
                }
                _ => {}
            }
        }
        self.path(path).map_or(TypeKind::Error, TypeKind::Path)
    }

    /// Reports a reference to something but a slice or an image as a kernel's parameter.
    fn refuse_kernel_reference(&mut self, ty: &Type, reference: &syn::TypeReference) -> TypeKind {
        let mutable = if reference.mutability.is_some() { "mut " } else { "" };
        let target = ungroup(&reference.elem);
        let (last, element) = match target {
            Type::Path(path) => last_and_argument(&path.path),
            _ => (String::new(), None),
        };
        let written = as_written(target);
        let help = match (last.as_str(), element) {
            ("Vec" | "Tensor", Some(element)) => format!("write `&{mutable}[{}]`", as_written(element)),
            ("Shared", Some(element)) => {
                let element = as_written(element);
                format!("declare it in the kernel's body: `let tile = Shared::<{element}>::new();`")
            }
            ("str" | "String", _) => "write `&[u8]`, and launch with a tensor of `text.as_bytes()`".to_owned(),
            _ if matches!(target, Type::ImplTrait(_) | Type::TraitObject(_)) => {
                "name the type of its source: `&[f32]`".to_owned()
            }
            _ if mutable.is_empty() => {
                format!("pass the value, `{written}`, or for one in a buffer its slice, `&[{written}]`")
            }
            _ => format!("write a slice, `&mut [{written}]`, which may have one element"),
        };
        self.error(code::BAD_SIGNATURE, SpanRange::of(ty), "a kernel refers to nothing but slices and images")
            .note("a launch passes tensors and images by reference, and everything else by value")
            .help(help);
        TypeKind::Error
    }

    fn unsupported_type(&mut self, ty: &Type) {
        const SLICE: &str =
            "a kernel's parameters may be `&[T]` or `&mut [T]`; elsewhere use values or arrays `[T; N]`";
        const PLAIN: &str =
            "supported are f32, i32, u32, usize, bool, glam's vectors, arrays, tuples and `GpuData` structs";
        const REST: &str = "a slice may be a member of a struct, which results and options hold: `struct Rest<'a> { items: &'a [T] }`; or give the position where it begins";
        let is_slice = |ty: &Type| matches!(ungroup(ty), Type::Slice(_));
        let (what, help) = match ty {
            Type::Reference(reference) if is_slice(&reference.elem) => ("a slice here is", REST),
            Type::Reference(_) => (
                "a reference here is",
                "parameters of device functions and variables of a `let` may be references; elsewhere write the value's type",
            ),
            Type::Slice(_) => ("slices by value are", SLICE),
            Type::Ptr(_) => ("raw pointers are", SLICE),
            Type::FnPtr(_) => (
                "function pointers are",
                "take the function by its parameters, `f: impl Fn(f32) -> f32`; its name or a closure may be passed",
            ),
            Type::ImplTrait(some) if is_iterator(some) => (
                "`impl Iterator` here is",
                "it is for parameters and the result of a `#[device] fn`; a parameter of a kernel is the source, `x: &[f32]`",
            ),
            Type::ImplTrait(some) if is_function(some) => (
                "a closure as a function's result is",
                "write the closure where it is called; or a `#[device] fn` that takes what the closure captures",
            ),
            Type::ImplTrait(_) => {
                ("`impl Trait` is", "name a type parameter: `fn f<T: Trait>(x: T)`; write the result's type out")
            }
            Type::TraitObject(_) => (
                "`dyn Trait` is",
                "name a type parameter: `fn f<T: Trait>(x: T)`; calls are resolved when the kernel is compiled",
            ),
            Type::Never(_) => ("the type `!` here is", "it is for the result of a `#[device] fn`; leave the type out"),
            Type::Macro(_) => ("macros are", "write the type out"),
            _ => ("this type is", PLAIN),
        };
        self.unsupported(ty, what, help);
    }
}

/// The `T` of `impl Iterator<Item = T>`.
pub(crate) fn elements_given(ty: &Type) -> Option<&Type> {
    let Type::ImplTrait(some) = ungroup(ty) else { return None };
    some.bounds.iter().find_map(|bound| {
        let syn::TypeParamBound::Trait(bound) = bound else { return None };
        match &bound.path.segments.last()?.arguments {
            syn::PathArguments::AngleBracketed(args) => args.args.iter().find_map(|arg| match arg {
                syn::GenericArgument::AssocType(item) if item.ident == "Item" => Some(&item.ty),
                _ => None,
            }),
            _ => None,
        }
    })
}

/// `impl Iterator<Item = T>` and its like.
pub(super) fn is_iterator(some: &syn::TypeImplTrait) -> bool {
    is_of(some, |name| name.ends_with("Iterator"))
}

/// `impl Fn(T) -> T` and its like.
fn is_function(some: &syn::TypeImplTrait) -> bool {
    is_of(some, |name| ["Fn", "FnMut", "FnOnce"].contains(&name))
}

fn is_of(some: &syn::TypeImplTrait, is_meant: impl Fn(&str) -> bool) -> bool {
    some.bounds.iter().any(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => {
            bound.path.segments.last().is_some_and(|last| is_meant(&last.ident.to_string()))
        }
        _ => false,
    })
}

/// A type's text, without the spaces that tokens have between them.
fn as_written(ty: &Type) -> String {
    let text = ty.to_token_stream().to_string();
    [(" < ", "<"), (" >", ">"), (" ,", ","), ("& ", "&"), (" :: ", "::")]
        .iter()
        .fold(text, |text, (from, to)| text.replace(from, to))
}

/// The last name of a path, and the type in its `<…>`.
fn last_and_argument(path: &syn::Path) -> (String, Option<&Type>) {
    let Some(last) = path.segments.last() else { return (String::new(), None) };
    let argument = match &last.arguments {
        syn::PathArguments::AngleBracketed(args) => args.args.first(),
        _ => None,
    };
    let argument = argument.and_then(|arg| match arg {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    (last.ident.to_string(), argument)
}

/// Whether a slice of a list is `&mut`, and what its elements are.
fn inner_slice(ty: &Type) -> Option<(bool, &Type)> {
    let Type::Reference(reference) = ungroup(ty) else { return None };
    let Type::Slice(slice) = ungroup(&reference.elem) else { return None };
    Some((reference.mutability.is_some(), &slice.elem))
}

/// Whether a slice is of references to images.
fn inner_image(ty: &Type) -> bool {
    let Type::Reference(reference) = ungroup(ty) else { return false };
    matches!(ungroup(&reference.elem), Type::Path(path) if path.qself.is_none() && image_path(&path.path).is_some())
}

/// The type inside parentheses and the invisible groups that `macro_rules!` makes.
pub(super) fn ungroup(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            other => return other,
        };
    }
}
