//! The functions that make texts of the words of messages: rustc's own formatting, on values put together from words.

use proc_macro2::{Ident, Literal, Span};
use quote::format_ident;

use crate::ast::{Enum, Item, ScalarName, Shape};
use crate::builtin::matrix;
use crate::emit::render::TWIN;
use crate::emit::tokens::{Plain, Tokens, tokens};
use crate::program::Program;
use crate::program::message::Message;
use crate::typed::{ConversionError, Ty};

/// `Message { … }` for a record of so many words.
pub(super) fn message_tokens(program: &Program, message: &Message, words: u32, home: &Ident) -> Tokens {
    let twin = Ident::new(TWIN, Span::call_site());
    let mut decoder = Decoder { program, twin: &twin, structs: Vec::new() };
    let mut values = Vec::new();
    let mut args = Vec::new();
    for (position, (name, ty)) in message.args.iter().enumerate() {
        let value = format_ident!("__value{position}", span = Span::mixed_site());
        let decoded = decoder.value(ty);
        values.push(tokens!(let #value = #decoded;));
        args.push(match name {
            Some(name) => tokens!(#name = #value),
            None => tokens!(#value),
        });
    }
    let structs = decoder.structs.into_iter().map(|(_, tokens)| tokens);
    let format = Literal::string(&message.format);
    tokens! {
        #home::Message {
            words: #words,
            write: |__f, __words| {
                #(#structs)*
                let mut __words = #twin::Words::new(__words);
                #(#values)*
                let _ = &mut __words;
                ::core::write!(__f, #format, #(#args),*)
            },
        }
    }
}

struct Decoder<'a> {
    program: &'a Program,
    twin: &'a Ident,
    /// Stand-ins for structs, whose own names may be out of reach here; they show as derived `Debug` shows them.
    structs: Vec<(Ty, Tokens)>,
}

impl Decoder<'_> {
    /// An expression that takes a value's words.
    fn value(&mut self, ty: &Ty) -> Tokens {
        match ty {
            Ty::Scalar(scalar) => scalar_value(*scalar),
            Ty::Vector(scalar, lanes) => {
                let name = self.vector(*scalar, *lanes);
                let values = (0..*lanes).map(|_| scalar_value(*scalar));
                tokens!(#name::new(#(#values),*))
            }
            Ty::Matrix(size) => {
                let columns: Vec<_> = (0..*size).map(|_| self.value(&matrix::column(*size))).collect();
                let name = self.ty(ty);
                tokens!(#name::from_cols(#(#columns),*))
            }
            Ty::Quat => {
                let name = self.ty(ty);
                let values = (0..matrix::QUAT_LANES).map(|_| scalar_value(ScalarName::F32));
                tokens!(#name::from_xyzw(#(#values),*))
            }
            Ty::Array(element, len) => {
                let value = self.value(element);
                let len = Literal::usize_suffixed(len.known().unwrap_or(0) as usize);
                tokens!(::core::array::from_fn::<_, #len, _>(|_| #value))
            }
            Ty::Range(end, inclusive) => {
                let (first, last) = (self.value(end), self.value(end));
                // Floats are not counted: of those nothing is taken.
                if matches!(**end, Ty::Scalar(scalar) if scalar.is_float()) && *inclusive {
                    return tokens!({
                        let __range = #first..=#last;
                        __words.bool();
                        __range
                    });
                }
                if !inclusive {
                    return tokens!((#first..#last));
                }
                // Both ends of one that has given its last element are that.
                tokens!({
                    let mut __range = #first..=#last;
                    if __words.bool() {
                        ::core::iter::Iterator::next(&mut __range);
                    }
                    __range
                })
            }
            Ty::Tuple(members) => {
                let members = members.iter().map(|member| self.value(member)).collect::<Vec<_>>();
                tokens!((#(#members,)*))
            }
            Ty::Struct(..) => {
                let (name, fields) = (self.stand_in(ty), self.fields(ty));
                let values = fields.iter().map(|(field, ty)| {
                    let value = self.value(ty);
                    tokens!(#field: #value)
                });
                let values: Vec<_> = values.collect();
                tokens!(#name { #(#values),* })
            }
            Ty::Enum(_, _) | Ty::Option(_) | Ty::Result(..) | Ty::Ordering => self.choice(ty),
            Ty::ConversionError(error) => conversion_error(*error),
            _ => tokens!(()),
        }
    }

    /// An enum: its variant's position, then the members of all variants.
    fn choice(&mut self, ty: &Ty) -> Tokens {
        let variants = self.program.variants_of(ty).unwrap_or_default();
        let (mut taken, mut made) = (Vec::new(), Vec::new());
        for (variant, members) in variants.iter().enumerate() {
            let names: Vec<_> = (0..members.len())
                .map(|member| format_ident!("__member{variant}_{member}", span = Span::mixed_site()))
                .collect();
            for (name, member) in names.iter().zip(members) {
                let value = self.value(member);
                taken.push(tokens!(let #name = #value;));
            }
            made.push(match (ty, variant) {
                (Ty::Option(_), 0) => tokens!(::core::option::Option::None),
                (Ty::Option(_), _) => tokens!(::core::option::Option::Some(#(#names),*)),
                (Ty::Result(..), 0) => tokens!(::core::result::Result::Ok(#(#names),*)),
                (Ty::Result(..), _) => tokens!(::core::result::Result::Err(#(#names),*)),
                (Ty::Ordering, 0) => tokens!(::core::cmp::Ordering::Less),
                (Ty::Ordering, 1) => tokens!(::core::cmp::Ordering::Equal),
                (Ty::Ordering, _) => tokens!(::core::cmp::Ordering::Greater),
                (Ty::Enum(..), _) => {
                    let (home, variant) = (self.stand_in(ty), format_ident!("V{variant}"));
                    tokens!(#home::#variant(#(#names),*))
                }
                _ => tokens!(()),
            });
        }
        let last = made.pop();
        let arms = (0..).zip(made).map(|(number, made)| {
            let number = Plain(number);
            tokens!(#number => #made,)
        });
        let annotation = self.ty(ty);
        tokens! {{
            let __tag = __words.u32();
            #(#taken)*
            let __value: #annotation = match __tag { #(#arms)* _ => #last };
            __value
        }}
    }

    /// The type of a decoded value.
    fn ty(&mut self, ty: &Ty) -> Tokens {
        match ty {
            Ty::Scalar(scalar) if scalar.is_half() => {
                let (twin, name) = (self.twin, Ident::new(scalar.name(), Span::call_site()));
                tokens!(#twin::half::#name)
            }
            Ty::Scalar(scalar) => {
                let name = Ident::new(scalar.name(), Span::call_site());
                tokens!(::core::primitive::#name)
            }
            Ty::Vector(scalar, lanes) => self.vector(*scalar, *lanes),
            Ty::Matrix(size) => {
                let (twin, name) = (self.twin, format_ident!("Mat{size}"));
                tokens!(#twin::glam::#name)
            }
            Ty::Quat => {
                let twin = self.twin;
                tokens!(#twin::glam::Quat)
            }
            Ty::Array(element, len) => {
                let element = self.ty(element);
                let len = Literal::usize_suffixed(len.known().unwrap_or(0) as usize);
                tokens!([#element; #len])
            }
            Ty::Tuple(members) => {
                let members = members.iter().map(|member| self.ty(member)).collect::<Vec<_>>();
                tokens!((#(#members,)*))
            }
            Ty::Struct(..) | Ty::Enum(..) => {
                let name = self.stand_in(ty);
                tokens!(#name)
            }
            Ty::Ordering => tokens!(::core::cmp::Ordering),
            Ty::ConversionError(error) => {
                let ident = |name: &str| Ident::new(name, Span::call_site());
                let (module, name) = (ident(error.module()), ident(error.name()));
                tokens!(::core::#module::#name)
            }
            Ty::Range(end, inclusive) => {
                let (name, end) =
                    (Ident::new(if *inclusive { "RangeInclusive" } else { "Range" }, Span::call_site()), self.ty(end));
                tokens!(::core::ops::#name<#end>)
            }
            Ty::Option(value) => {
                let value = self.ty(value);
                tokens!(::core::option::Option<#value>)
            }
            Ty::Result(value, error) => {
                let (value, error) = (self.ty(value), self.ty(error));
                tokens!(::core::result::Result<#value, #error>)
            }
            _ => tokens!(()),
        }
    }

    fn vector(&self, scalar: ScalarName, lanes: u8) -> Tokens {
        let prefix = match scalar {
            ScalarName::F32 => "Vec",
            ScalarName::I32 => "IVec",
            ScalarName::Bool => "BVec",
            _ => "UVec",
        };
        let (twin, name) = (self.twin, format_ident!("{prefix}{lanes}"));
        tokens!(#twin::glam::#name)
    }

    fn fields(&self, ty: &Ty) -> Vec<(Ident, Ty)> {
        let Ty::Struct(item, _) = ty else { return Vec::new() };
        let Item::Struct(definition) = &self.program.items[*item].item else { return Vec::new() };
        let types = self.program.fields_of(ty);
        definition.fields.iter().map(|(name, _)| name.clone()).zip(types.iter().cloned()).collect()
    }

    fn stand_in(&mut self, of: &Ty) -> Ident {
        let (Ty::Struct(item, _) | Ty::Enum(item, _)) = of else { return format_ident!("__Struct") };
        if let Some(known) = self.structs.iter().position(|(known, _)| known == of) {
            return format_ident!("__Struct{known}");
        }
        let position = self.structs.len();
        let name = format_ident!("__Struct{position}");
        self.structs.push((of.clone(), tokens!()));
        if let Item::Enum(definition) = &self.program.items[*item].item {
            let variants = self.program.variants_of(of).unwrap_or_default();
            self.structs[position].1 = self.enum_stand_in(&name, definition, &variants);
            return name;
        }
        let fields = self.fields(of);
        let declared: Vec<_> = fields
            .iter()
            .map(|(field, ty)| {
                let ty = self.ty(ty);
                tokens!(#field: #ty)
            })
            .collect();
        let (text, is_tuple) = match &self.program.items[*item].item {
            Item::Struct(definition) => (definition.name.to_string(), definition.shape == Shape::Tuple),
            _ => (String::new(), false),
        };
        let shown = fields.iter().map(|(field, _)| {
            let text = field.to_string();
            if is_tuple { tokens!(.field(&self.#field)) } else { tokens!(.field(#text, &self.#field)) }
        });
        let start = if is_tuple { tokens!(debug_tuple) } else { tokens!(debug_struct) };
        let tokens = tokens! {
            struct #name { #(#declared),* }
            impl ::core::fmt::Debug for #name {
                fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    __f.#start(#text) #(#shown)* .finish()
                }
            }
        };
        self.structs[position].1 = tokens;
        name
    }
}

impl Decoder<'_> {
    fn enum_stand_in(&mut self, name: &Ident, definition: &Enum, variants: &[Vec<Ty>]) -> Tokens {
        let (mut declared, mut shown) = (Vec::new(), Vec::new());
        for (position, (variant, typed)) in definition.variants.iter().zip(variants).enumerate() {
            let own = format_ident!("V{position}");
            let types: Vec<_> = typed.iter().map(|ty| self.ty(ty)).collect();
            let members: Vec<_> = (0..types.len()).map(|member| format_ident!("__m{member}")).collect();
            let (text, names) = (variant.name.to_string(), &members);
            declared.push(tokens!(#own(#(#types),*)));
            shown.push(match variant.shape {
                Shape::Named => {
                    let shown = variant.fields.iter().zip(&members).map(|((field, _), member)| {
                        let text = field.to_string();
                        tokens!(.field(#text, #member))
                    });
                    tokens!(Self::#own(#(#names),*) => __f.debug_struct(#text) #(#shown)* .finish())
                }
                _ => {
                    let shown = members.iter().map(|member| tokens!(.field(#member)));
                    tokens!(Self::#own(#(#names),*) => __f.debug_tuple(#text) #(#shown)* .finish())
                }
            });
        }
        tokens! {
            #[allow(dead_code)]
            enum #name { #(#declared),* }
            impl ::core::fmt::Debug for #name {
                fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    match self { #(#shown),* }
                }
            }
        }
    }
}

fn scalar_value(scalar: ScalarName) -> Tokens {
    let name = Ident::new(scalar.name(), Span::call_site());
    tokens!(__words.#name())
}

/// An error as Rust's library makes it, of which there is one value.
fn conversion_error(error: ConversionError) -> Tokens {
    match error {
        ConversionError::Int => tokens! {
            ::core::result::Result::unwrap_err(
                <::core::primitive::u8 as ::core::convert::TryFrom<::core::primitive::u16>>::try_from(256)
            )
        },
        ConversionError::Slice => tokens! {
            ::core::result::Result::unwrap_err(
                <[::core::primitive::u8; 1] as ::core::convert::TryFrom<&[::core::primitive::u8]>>::try_from(&[])
            )
        },
        // It has no value, and no message is about one.
        ConversionError::Never => tokens!(::core::unreachable!()),
    }
}
