//! A compiled kernel as the tokens of a constant.

use gridwise_ir::compile::{Compiled, CompiledLocation};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// `&KernelDescriptor { … }`
pub(super) fn descriptor_tokens(compiled: &Compiled, place: &CompiledLocation, krate: &TokenStream) -> TokenStream {
    let home = quote!(#krate::__private::descriptor);
    let (name, entry_point, size) = (&compiled.name, compiled.entry_point, compiled.push_constant_size);
    let location = location_tokens(compiled.location.as_ref().unwrap_or(place), &home);
    let spirv = spirv_tokens(&compiled.words);
    let [x, y, z] = compiled.workgroup;
    let params = compiled.params.iter().map(|param| {
        let (name, kind) = (&param.name, debug_tokens(&param.kind));
        quote!(#home::Param { name: #name, kind: #home::ParamKind::#kind })
    });
    let launch_words = compiled.launch_words.iter().map(|word| {
        let (offset, kind) = (word.offset, debug_tokens(&word.kind));
        quote!(#home::LaunchWord { offset: #offset, kind: #home::LaunchWordKind::#kind })
    });
    let trap_binding = match compiled.trap_binding {
        Some(binding) => quote!(::core::option::Option::Some(#binding)),
        None => quote!(::core::option::Option::None),
    };
    let print_binding = match compiled.print_binding {
        Some(binding) => quote!(::core::option::Option::Some(#binding)),
        None => quote!(::core::option::Option::None),
    };
    let trap_words = compiled.trap_words;
    let sites = compiled.sites.iter().map(|site| {
        let (kind, text) = (debug_tokens(&site.kind), &site.text);
        let location = location_tokens(&site.location, &home);
        quote!(#home::Site { kind: #home::SiteKind::#kind, location: #location, text: #text, message: ::core::option::Option::None })
    });
    let features = compiled.features.iter().map(|(feature, at)| {
        let feature = debug_tokens(feature);
        let location = at.as_ref().map_or_else(|| location.clone(), |at| location_tokens(at, &home));
        quote!(#home::FeatureUse { feature: #home::Feature::#feature, location: #location })
    });
    quote! {
        &#home::KernelDescriptor {
            name: #name,
            location: #location,
            spirv: #spirv,
            entry_point: #entry_point,
            workgroup: [#x, #y, #z],
            params: &[#(#params),*],
            launch_words: &[#(#launch_words),*],
            push_constant_size: #size,
            trap_binding: #trap_binding,
            trap_words: #trap_words,
            print_binding: #print_binding,
            sites: &[#(#sites),*],
            features: &[#(#features),*],
        }
    }
}

/// The words as a byte string at an address that is a multiple of 4; rustc reads it faster than a list of numbers.
fn spirv_tokens(words: &[u32]) -> TokenStream {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let bytes = Literal::byte_string(&bytes);
    quote! {{
        #[repr(C, align(4))]
        struct Aligned<T: ?::core::marker::Sized>(T);
        const WORDS: &Aligned<[::core::primitive::u8]> = &Aligned(*#bytes);
        &WORDS.0
    }}
}

fn location_tokens(location: &CompiledLocation, home: &TokenStream) -> TokenStream {
    let CompiledLocation { file, line, column } = location;
    quote!(#home::Location { file: #file, line: #line, column: #column })
}

/// A variant as `Debug` prints it, which for the descriptor's enums is how Rust writes it.
fn debug_tokens(value: &impl std::fmt::Debug) -> TokenStream {
    format!("{value:?}").parse().expect("derived `Debug` of plain enums prints tokens")
}
