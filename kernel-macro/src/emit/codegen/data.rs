//! `#[derive(GpuData)]`: its rules, and the implementations with proof that rustc lays the struct out as we do.

use gridwise_ir::layout::{Layout, field_offsets};
use gridwise_ir::types::{Field, Scalar, StructDef, StructId, TypeId, Types};
use proc_macro2::TokenStream;
use quote::ToTokens as _;

use super::generics::bounded;
use crate::ast::{Item, ScalarName, Shape, SpanRange, Struct};
use crate::diag::{Diagnostics, code};
use crate::emit::tokens::{Tokens, tokens, tokens_at};
use crate::program::{ItemId, Program, TypedItem};
use crate::typed::{Len, Ty};

/// The struct must say `#[repr(C)]`, and nothing else about its layout.
pub(crate) fn check_repr(input: &syn::DeriveInput, diags: &mut Diagnostics) {
    let mut has_c = false;
    for attr in input.attrs.iter().filter(|attr| attr.path().is_ident("repr")) {
        // rustc reports attributes that syn cannot read here.
        let _ = attr.parse_nested_meta(|meta| {
            if meta.path.is_ident("C") {
                has_c = true;
            } else {
                diags
                    .error(
                        code::BAD_STRUCT,
                        SpanRange::of(&meta.path),
                        "a `GpuData` struct has the layout of plain `#[repr(C)]`",
                    )
                    .help("remove this: write `#[repr(C)]`");
            }
            if meta.input.peek(syn::token::Paren) {
                let content;
                syn::parenthesized!(content in meta.input);
                content.parse::<TokenStream>()?;
            }
            Ok(())
        });
    }
    if !has_c && !diags.has_errors() {
        diags
            .error(
                code::BAD_STRUCT,
                SpanRange::token(input.ident.span()),
                format!("`{}` needs `#[repr(C)]`", input.ident),
            )
            .note("without it Rust may reorder the fields, and the device could not find them")
            .help("write `#[repr(C)]` above the struct");
    }
}

/// Each field must be able to lie in a buffer.
pub(crate) fn check_fields(program: &Program, item: ItemId, definition: &Struct, diags: &mut Diagnostics) {
    let TypedItem::Struct(types) = &program.items[item].typed else { return };
    for ((position, (name, written)), ty) in definition.fields.iter().enumerate().zip(types) {
        let Some((what, help)) = misfit(ty) else { continue };
        let name = if definition.shape == Shape::Tuple { position.to_string() } else { name.to_string() };
        diags
            .error(code::BAD_STRUCT, written.span, format!("the field `{name}` cannot lie in a buffer: {what}"))
            .help(help);
    }
    if definition.fields.is_empty() && !diags.has_errors() {
        diags
            .error(
                code::BAD_STRUCT,
                SpanRange::token(definition.name.span()),
                "a `GpuData` struct needs at least one field",
            )
            .help("add a field, or do not pass the struct");
    }
}

/// Why a type cannot lie in a buffer, and what to write.
fn misfit(ty: &Ty) -> Option<(&'static str, &'static str)> {
    match ty {
        Ty::Scalar(ScalarName::Bool) => Some(("not every byte is a `bool`", "use `u32`, and compare it with 0")),
        Ty::Scalar(ScalarName::Char) => {
            Some(("not every number is a `char`", "use `u32`, and `char::from_u32`, which gives an `Option`"))
        }
        Ty::Scalar(ScalarName::Text) => Some(("there are no strings on the device", "use an enum's number, `u32`")),
        Ty::Scalar(ScalarName::U128 | ScalarName::I128) => {
            Some(("devices have no integers of 128 bits in memory", "use two `u64`, `x as u64` and `(x >> 64) as u64`"))
        }
        Ty::Scalar(ScalarName::Usize) => Some(("`usize` is 32 bits on the device", "use `u32`")),
        Ty::Scalar(ScalarName::Isize) => Some(("`isize` is 32 bits on the device", "use `i32`")),
        Ty::Vector(ScalarName::Bool, _) => Some(("not every byte is a `bool`", "use a `UVec`, and compare it with 0")),
        Ty::Range(..) => Some(("Rust does not define the layout of ranges", "use one field for each end")),
        Ty::Tuple(_) | Ty::Unit => Some(("tuples have no fixed layout", "use one field for each member, or a struct")),
        Ty::Enum(_, _) | Ty::Ordering => Some(("not every number is a variant", "use `u32`, and `match` on it")),
        Ty::ConversionError(_) => Some(("it holds nothing", "remove the field")),
        Ty::Option(_) | Ty::Result(..) => {
            Some(("Rust does not define the layout of enums", "use a `u32` flag beside the value"))
        }
        Ty::Array(_, Len::Known(0)) => Some(("it is empty", "remove the field")),
        Ty::Array(element, _) => misfit(element),
        _ => None,
    }
}

/// `Value` and `GpuData`. They come before gathering and stay when it fails, so that uses of the struct do not fail, too.
pub(crate) fn data_impls(input: &syn::DeriveInput, krate: &TokenStream) -> TokenStream {
    let name = &input.ident;
    let data: &TokenStream = &tokens!(#krate::__private::data).into();
    let fields = if let syn::Data::Struct(definition) = &input.data { Some(&definition.fields) } else { None };
    // The fields' types are bounds of a generic struct, whose offsets are asserted at each kernel that names it.
    let types = fields.into_iter().flatten().map(|field| field.ty.to_token_stream());
    let generics = bounded(&input.generics, types, &tokens!(#data::GpuData).into());
    let (params, args, clauses) = generics.split_for_impl();
    let fields = fields.map(|fields| field_places(fields, data));
    let tokens = tokens! {
        #[automatically_derived]
        impl #params #data::Value for #name #args #clauses {
            // SAFETY: all fields are `GpuData`, as the same derive asserts, or the bounds: any bits are valid.
            const ZEROED: Self = unsafe { ::core::mem::zeroed() };
        }
        // SAFETY: `repr(C)` with fields that are `GpuData`, at the offsets that the same derive asserts, or each kernel.
        #[automatically_derived]
        unsafe impl #params #data::GpuData for #name #args #clauses { #fields }
    };
    tokens.into()
}

/// The offsets of the fields, from which the runtime knows the padding.
fn field_places(fields: &syn::Fields, data: &TokenStream) -> Tokens {
    let fields = fields.members().zip(fields).map(|(name, field)| {
        let ty = &field.ty;
        tokens! {
            #data::Field::new(
                ::core::mem::offset_of!(Self, #name),
                ::core::mem::size_of::<#ty>(),
                #data::FieldsOf::<#ty>::FIELDS,
            )
        }
    });
    tokens! {
        const FIELDS: &'static [#data::Field] = {
            #[allow(unused_imports)]
            use #data::NotData as _;
            &[#(#fields),*]
        };
    }
}

/// The assertions that make the implementations sound: every field is `GpuData`, and lies at the offset that kernels
/// use.
pub(crate) fn data_assertions(
    program: &Program,
    item: ItemId,
    definition: &Struct,
    krate: &TokenStream,
) -> TokenStream {
    if !definition.generics.params.is_empty() {
        return TokenStream::new();
    }
    let assertions = definition.fields.iter().map(|(_, written)| {
        let ty = &written.tokens;
        tokens_at!(written.span.start=> assert_gpu_data::<#ty>();)
    });
    let name = definition.name.to_token_stream();
    let layout = layout_assertions(program, &Ty::Struct(item, None), &name);
    let tokens = tokens! {
        const _: fn() = || {
            fn assert_gpu_data<T: #krate::__private::data::GpuData>() {}
            #(#assertions)*
        };
        #layout
    };
    tokens.into()
}

/// Asserts that rustc's size, alignment and offsets are those the kernels use; `name`: the struct as written.
pub(super) fn layout_assertions(program: &Program, ty: &Ty, name: &TokenStream) -> Option<Tokens> {
    let mut types = Types::new();
    let Ty::Struct(item, _) = ty else { return None };
    let Item::Struct(definition) = &program.items[*item].item else { return None };
    let (id, ty) = struct_type(program, ty, &mut types)?;
    let (layout, offsets) = (Layout::of(&types, ty)?, field_offsets(&types, id)?);
    let (size, align) = (layout.size as usize, layout.align as usize);
    let message = |what: &str, number: usize| {
        format!(
            "gridwise: `{name}`: {what} is not the {number} that kernels use; is it `#[repr(C)]`, and glam's SIMD on?"
        )
    };
    let (size_message, align_message) = (message("the size", size), message("the alignment", align));
    let fields = definition.fields.iter().enumerate().zip(offsets).map(|((position, (field, _)), offset)| {
        let offset = offset as usize;
        let field = match definition.shape {
            Shape::Tuple => syn::Member::from(position),
            _ => syn::Member::from(field.clone()),
        };
        let message = message(&format!("the offset of `{}`", field.to_token_stream()), offset);
        tokens!(::core::assert!(::core::mem::offset_of!(#name, #field) == #offset, #message);)
    });
    Some(tokens! {
        const _: () = {
            ::core::assert!(::core::mem::size_of::<#name>() == #size, #size_message);
            ::core::assert!(::core::mem::align_of::<#name>() == #align, #align_message);
            #(#fields)*
        };
    })
}

fn struct_type(program: &Program, ty: &Ty, types: &mut Types) -> Option<(StructId, TypeId)> {
    let Ty::Struct(item, _) = ty else { return None };
    let Item::Struct(definition) = &program.items[*item].item else { return None };
    let mut lowered = Vec::new();
    for ((name, _), ty) in definition.fields.iter().zip(program.fields_of(ty).iter()) {
        lowered.push(Field { name: name.to_string(), ty: memory_type(program, ty, types)? });
    }
    Some(types.add_struct(StructDef { name: definition.name.to_string(), fields: lowered, align: 1 }))
}

/// The IR type of something that can lie in a buffer.
fn memory_type(program: &Program, ty: &Ty, types: &mut Types) -> Option<TypeId> {
    let scalar = |name: &ScalarName| match name {
        ScalarName::Bool
        | ScalarName::Char
        | ScalarName::Text
        | ScalarName::Usize
        | ScalarName::Isize
        | ScalarName::U128
        | ScalarName::I128 => None,
        name => Some(name.on_device()),
    };
    match ty {
        Ty::Scalar(name) => Some(types.scalar(scalar(name)?)),
        Ty::Vector(name, lanes) => Some(types.vector(scalar(name)?, *lanes)),
        Ty::Matrix(size) => Some(crate::lower::matrix_type(types, *size)),
        Ty::Quat => Some(types.vector(Scalar::F32, crate::builtin::matrix::QUAT_LANES)),
        Ty::Atomic(name) => Some(types.scalar(scalar(name)?)),
        Ty::Array(element, len) => {
            let element = memory_type(program, element, types)?;
            // Of a length that the launch decides, only the least is certain.
            Some(types.array(element, len.known().unwrap_or(1)))
        }
        Ty::Struct(..) => struct_type(program, ty, types).map(|(_, ty)| ty),
        _ => None,
    }
}

/// Bytes that something takes in a buffer or in shared memory; `None` when they are too many to count.
pub(super) fn byte_size(program: &Program, ty: &Ty) -> Option<u64> {
    let mut types = Types::new();
    let ty = memory_type(program, ty, &mut types)?;
    Layout::of(&types, ty).map(|layout| u64::from(layout.size))
}
