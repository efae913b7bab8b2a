//! Proof that a device const has the value for rustc that kernels were compiled with.

use gridwise_ir::float16;
use proc_macro2::TokenStream;
use quote::quote;

use crate::ast::{Item, ScalarName};
use crate::program::{ItemId, Program, ProgramItem, TypedItem};
use crate::typed::ConstValue;

/// An assertion about a const of a scalar type; others have none.
pub(crate) fn const_assertion(program: &Program, item: ItemId) -> TokenStream {
    let ProgramItem { item: Item::Const(constant), typed: TypedItem::Const(typed), .. } = &program.items[item] else {
        return TokenStream::new();
    };
    let name = &constant.name;
    let holds = match typed.value {
        ConstValue::Bool(value) => quote!(#name == #value),
        ConstValue::I32(value) => quote!(#name == #value),
        // Also for `usize`, which the device cuts to 32 bits.
        ConstValue::U32(value) => {
            let value = u64::from(value);
            quote!(#name as ::core::primitive::u64 == #value)
        }
        // A NaN has many bit patterns.
        ConstValue::F32(value) if value.is_nan() => quote!(#name.is_nan()),
        ConstValue::F32(value) => {
            let bits = value.to_bits();
            quote!(#name.to_bits() == #bits)
        }
        // Wider than any of the types: a cast keeps the number.
        ConstValue::Int(_, value) => quote!(#name as ::core::primitive::i128 == #value),
        ConstValue::Float(_, value) if value.is_nan() => quote!(#name.is_nan()),
        ConstValue::Float(ScalarName::F64, value) => {
            let bits = value.to_bits();
            quote!(#name.to_bits() == #bits)
        }
        ConstValue::Float(scalar, value) => {
            let value = value as f32;
            let bits = if scalar == ScalarName::F16 { float16::f32_to_f16(value) } else { float16::f32_to_bf16(value) };
            quote!(#name.to_bits() == #bits)
        }
        ConstValue::Aggregate(_) | ConstValue::Variant(..) => return TokenStream::new(),
    };
    let message = format!("gridwise: kernels were compiled with another value of `{name}`: please report this");
    let cfgs = constant.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    quote! {
        #(#cfgs)*
        #[allow(clippy::all, clippy::pedantic)]
        const _: () = ::core::assert!(#holds, #message);
    }
}
