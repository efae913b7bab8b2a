//! Proof that a device const has the value for rustc that kernels were compiled with.

use gridwise_ir::float16;
use proc_macro2::{Ident, TokenStream};
use quote::format_ident;

use crate::ast::{ExprKind, Item, ScalarName};
use crate::emit::tokens::{Tokens, tokens};
use crate::program::{ItemId, Program, ProgramItem, TypedItem};
use crate::typed::{ConstValue, Ty};

/// An assertion about a const of a scalar type or of arrays of one; others have none.
pub(crate) fn const_assertion(program: &Program, item: ItemId) -> TokenStream {
    let ProgramItem { item: Item::Const(constant), typed: TypedItem::Const(typed), .. } = &program.items[item] else {
        return TokenStream::new();
    };
    let name = &constant.name;
    let holds = match typed.value {
        ConstValue::Bool(value) => tokens!(#name == #value),
        ConstValue::I32(value) => tokens!(#name == #value),
        ConstValue::U32(value) if typed.is_host_sized => tokens!(#name as ::core::primitive::u32 == #value),
        // Also for `usize`, which the device cuts to 32 bits.
        ConstValue::U32(value) => {
            let value = u64::from(value);
            tokens!(#name as ::core::primitive::u64 == #value)
        }
        // A NaN has many bit patterns.
        ConstValue::F32(value) if value.is_nan() => tokens!(#name.is_nan()),
        ConstValue::F32(value) => {
            let bits = value.to_bits();
            tokens!(#name.to_bits() == #bits)
        }
        ConstValue::Int(ScalarName::Text, _) => return TokenStream::new(),
        // Wider than any of the types: a cast keeps the number.
        ConstValue::Int(_, value) => tokens!(#name as ::core::primitive::i128 == #value),
        ConstValue::Float(_, value) if value.is_nan() => tokens!(#name.is_nan()),
        ConstValue::Float(ScalarName::F64, value) => {
            let bits = value.to_bits();
            tokens!(#name.to_bits() == #bits)
        }
        ConstValue::Float(scalar, value) => {
            let value = value as f32;
            let bits = if scalar == ScalarName::F16 { float16::f32_to_f16(value) } else { float16::f32_to_bf16(value) };
            tokens!(#name.to_bits() == #bits)
        }
        ConstValue::Aggregate(_) => match hash_assertion(&constant.value.kind, name, &typed.ty, &typed.value) {
            Some(holds) => holds,
            None => return TokenStream::new(),
        },
        ConstValue::Variant(..) => return TokenStream::new(),
    };
    let message = format!("gridwise: kernels were compiled with another value of `{name}`: please report this");
    let cfgs = constant.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let assertion = tokens! {
        #(#cfgs)*
        #[allow(clippy::all, clippy::pedantic)]
        const _: () = ::core::assert!(#holds, #message);
    };
    assertion.into()
}

/// The hash of an array that was computed, in which each element counts: FNV-1a over the elements' bits as numbers of 64 bits.
fn hash_assertion(written: &ExprKind, name: &Ident, ty: &Ty, value: &ConstValue) -> Option<Tokens> {
    if let ExprKind::Array(_) | ExprKind::Repeat { .. } | ExprKind::Path(_) = written {
        return None;
    }
    let mut hash = OFFSET;
    add_elements(value, &mut hash)?;
    let steps = steps_over(&tokens!(#name).into(), ty, 0)?;
    let (offset, prime) = (OFFSET, PRIME);
    Some(tokens!({
        const PRIME: ::core::primitive::u64 = #prime;
        let mut hash: ::core::primitive::u64 = #offset;
        #steps
        hash == #hash
    }))
}

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// `None` where what rustc has may differ in bits that mean nothing, or is no number.
fn add_elements(value: &ConstValue, hash: &mut u64) -> Option<()> {
    let bits = match *value {
        ConstValue::Aggregate(ref elements) => {
            return elements.iter().try_for_each(|element| add_elements(element, hash));
        }
        ConstValue::Variant(..) => return None,
        ConstValue::Bool(value) => value.into(),
        ConstValue::I32(value) => value as u64,
        ConstValue::U32(value) => value.into(),
        ConstValue::Int(_, value) => value as u64,
        ConstValue::F32(value) if !value.is_nan() => value.to_bits().into(),
        ConstValue::Float(ScalarName::F64, value) if !value.is_nan() => value.to_bits(),
        ConstValue::F32(_) | ConstValue::Float(..) => return None,
    };
    *hash = (*hash ^ bits).wrapping_mul(PRIME);
    Some(())
}

/// The loops that go through arrays in arrays.
fn steps_over(place: &TokenStream, ty: &Ty, depth: usize) -> Option<Tokens> {
    match ty {
        Ty::Array(element, _) => {
            let index = format_ident!("i{depth}");
            let inner = steps_over(&tokens!(#place[#index]).into(), element, depth + 1)?;
            Some(tokens! {
                let mut #index = 0;
                while #index < #place.len() {
                    #inner
                    #index += 1;
                }
            })
        }
        Ty::Scalar(ScalarName::Text) => None,
        Ty::Scalar(scalar) => {
            let bits = if scalar.is_float() { tokens!(#place.to_bits()) } else { tokens!(#place) };
            Some(tokens!(hash = (hash ^ (#bits as ::core::primitive::u64)).wrapping_mul(PRIME);))
        }
        _ => None,
    }
}
