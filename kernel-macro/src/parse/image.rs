//! Images as the types of kernels' parameters: `&Image2D<Rgba8Unorm>`.

use gridwise_ir::descriptor::ImageFormat;
use gridwise_ir::ir::Image;
use quote::ToTokens;
use syn::{GenericArgument, PathArguments, Type, TypeReference};

use super::Parser;
use super::ty::ungroup;
use crate::ast::{SpanRange, TypeKind};
use crate::builtin::image::{self, ImageTy};
use crate::diag::code;

/// The image that a path names: its dimensions, whether it is sampled, and the argument, its format.
pub(super) fn image_path(path: &syn::Path) -> Option<(u8, bool, &Type)> {
    let last = path.segments.last()?;
    let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    let (dimensions, is_sampled) = image::named(&last.ident.to_string())?;
    match (args.args.first(), args.args.len()) {
        (Some(GenericArgument::Type(format)), 1) => Some((dimensions, is_sampled, format)),
        _ => None,
    }
}

impl Parser<'_> {
    /// The type of a kernel's parameter that is a reference to an image; `None` for other references.
    pub(super) fn image_param(&mut self, reference: &TypeReference) -> Option<TypeKind> {
        let Type::Path(path) = ungroup(&reference.elem) else { return None };
        let (dimensions, is_sampled, format) = image_path(&path.path)?;
        let mutable = reference.mutability.is_some();
        if let Some(lifetime) = &reference.lifetime {
            self.unsupported(lifetime, "lifetimes are", "remove the lifetime");
        }
        let named = match ungroup(format) {
            Type::Path(path) => path.path.segments.last().and_then(|last| ImageFormat::named(&last.ident.to_string())),
            _ => None,
        };
        let Some(format) = named else {
            let name = format.to_token_stream();
            self.error(code::UNKNOWN_TYPE, SpanRange::of(format), format!("`{name}` is no format of images"))
                .note("a format is written by its own name: it is part of the kernel")
                .help("write one of `gridwise::image`, such as `Rgba8Unorm`, `R32Float` or `Rgba16Uint`");
            return Some(TypeKind::Error);
        };
        if is_sampled && mutable {
            self.error(code::PARAMETER_TYPE, SpanRange::of(reference), "an image with a sampler is read-only").help(
                format!("write `&Sampled{dimensions}D<{format}>`, or `&mut Image{dimensions}D<{format}>` to store"),
            );
            return Some(TypeKind::Error);
        }
        let image = ImageTy { image: Image { format, dimensions, is_sampled }, mutable };
        let (target, format) = (reference.elem.to_token_stream(), format_tokens(&path.path));
        Some(TypeKind::Image { image, target, format, is_list: false })
    }

    /// Reports an image that is no parameter of a kernel, or one by value.
    pub(super) fn misplaced_image(&mut self, path: &syn::Path) -> TypeKind {
        let name = path.segments.last().map(|last| last.to_token_stream().to_string().replace(' ', ""));
        let name = name.unwrap_or_default();
        self.error(code::PARAMETER_TYPE, SpanRange::of(path), "images are parameters of kernels, by reference")
            .note("a device function or a struct cannot hold one: load texels in the kernel, and pass these")
            .help(format!("take it in the kernel, as `&{name}`"));
        TypeKind::Error
    }
}

/// The format as written.
fn format_tokens(path: &syn::Path) -> proc_macro2::TokenStream {
    image_path(path).map(|(.., format)| format.to_token_stream()).unwrap_or_default()
}
