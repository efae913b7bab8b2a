//! A compiled kernel as the tokens of a constant.

use gridwise_ir::compile::{Compiled, CompiledLocation, CompiledSite};
use gridwise_ir::descriptor::{LaunchWordKind, Parallel, ParamKind, SubgroupOperations, pack};
use proc_macro2::{Ident, Literal, Span};

use super::message::message_tokens;
use crate::message::Message;
use crate::program::Program;
use crate::render::{SITES, SiteUse};
use crate::tokens::{Tokens, tokens};

/// What generated code calls the descriptor's module: a `use` in front of it says where that is.
pub(super) const DESCRIPTOR: &str = "__descriptor";

/// `&KernelDescriptor { … }`; `sites` are the rows of the table that stands before it.
pub(super) fn descriptor_tokens(
    program: &Program,
    compiled: &Compiled,
    messages: &[Message],
    place: &CompiledLocation,
    sites: &[SiteUse],
) -> Tokens {
    let home = &ident(DESCRIPTOR);
    let (name, entry_point, size) = (&compiled.name, compiled.entry_point, number(compiled.push_constant_size));
    let location = location_tokens(compiled.location.as_ref().unwrap_or(place), home);
    let spirv = spirv_tokens(&compiled.words, home);
    let [x, y, z] = compiled.workgroup.map(number);
    let params = compiled.params.iter().map(|param| {
        let name = &param.name;
        match param.kind {
            ParamKind::Buffer { binding, writable, stride } => {
                let (binding, stride) = (number(binding), number(stride));
                tokens!(#home::Param::buffer(#name, #binding, #writable, #stride))
            }
            ParamKind::Value { offset, size } => {
                let (offset, size) = (number(offset), number(size));
                tokens!(#home::Param::value(#name, #offset, #size))
            }
        }
    });
    let launch_words = compiled.launch_words.iter().map(|word| {
        let offset = number(word.offset);
        let kind = match word.kind {
            LaunchWordKind::Items(axis) => call("Items", axis.into()),
            LaunchWordKind::Groups(axis) => call("Groups", axis.into()),
            LaunchWordKind::FirstGroup => ident_tokens("FirstGroup"),
            LaunchWordKind::Len(param) => call("Len", param),
        };
        tokens!(#home::LaunchWord { offset: #offset, kind: #home::LaunchWordKind::#kind })
    });
    let trap_binding = match compiled.trap_binding.map(number) {
        Some(binding) => tokens!(__Some(#binding)),
        None => tokens!(__None),
    };
    let print_binding = match compiled.print_binding.map(number) {
        Some(binding) => tokens!(__Some(#binding)),
        None => tokens!(__None),
    };
    let trap_words = number(compiled.trap_words);
    let left = compiled.sites.iter().map(|site| {
        let tokens = site_tokens(site, sites, home);
        let Some(message) = site.format.and_then(|format| messages.get(format as usize)) else { return tokens };
        let message = message_tokens(program, message, site.words, home);
        tokens!(#home::Site { message: ::core::option::Option::Some(#message), ..#tokens })
    });
    let features = compiled.features.iter().map(|(feature, at)| {
        let feature = ident(feature.name());
        let location = location_tokens(at.as_ref().or(compiled.location.as_ref()).unwrap_or(place), home);
        tokens!(#home::FeatureUse { feature: #home::Feature::#feature, location: #location })
    });
    let ir = match &compiled.ir {
        Some(text) => tokens!(::core::option::Option::Some(#text)),
        None => tokens!(::core::option::Option::None),
    };
    let parallel = parallel_tokens(&compiled.parallel, home);
    tokens! {
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
            sites: &[#(#left),*],
            features: &[#(#features),*],
            parallel: #parallel,
            ir: #ir,
        }
    }
}

fn parallel_tokens(parallel: &Parallel, home: &Ident) -> Tokens {
    if *parallel == Parallel::NONE {
        return tokens!(#home::Parallel::NONE);
    }
    let SubgroupOperations(operations) = parallel.subgroup_operations;
    let (shared_bytes, operations) = (number(parallel.shared_bytes), number(operations));
    let full_workgroups = ident_tokens(if parallel.full_workgroups { "true" } else { "false" });
    let subgroup_size = match parallel.subgroup_size.map(number) {
        Some(lanes) => tokens!(__Some(#lanes)),
        None => tokens!(__None),
    };
    tokens! {
        #home::Parallel {
            shared_bytes: #shared_bytes,
            full_workgroups: #full_workgroups,
            subgroup_operations: #home::SubgroupOperations(#operations),
            subgroup_size: #subgroup_size,
        }
    }
}

/// The words as one literal, which rustc reads faster than a list of numbers, and packed faster than as they are.
fn spirv_tokens(words: &[u32], home: &Ident) -> Tokens {
    let bytes = Literal::byte_string(&pack(words));
    tokens!(#home::Spirv::Packed(#bytes))
}

fn location_tokens(location: &CompiledLocation, home: &Ident) -> Tokens {
    let (file, line, column) = (&location.file, number(location.line), number(location.column));
    tokens!(#home::Location { file: #file, line: #line, column: #column })
}

/// A site that is left: a row of the table that the twin has, too.
fn site_tokens(site: &CompiledSite, table: &[SiteUse], home: &Ident) -> Tokens {
    let CompiledLocation { file, line, column } = &site.location;
    let row = table.iter().position(|row| {
        (row.kind, row.line, row.column) == (site.kind, *line, *column) && row.text == site.text && row.file == *file
    });
    if let Some(row) = row {
        let (table, row) = (ident(SITES), Literal::usize_unsuffixed(row));
        return tokens!(#table[#row]);
    }
    let (kind, line, column, text) = (ident(site.kind.name()), number(*line), number(*column), &site.text);
    tokens!(#home::Site::new(#home::SiteKind::#kind, #file, #line, #column, #text))
}

fn call(name: &str, argument: u32) -> Tokens {
    let (name, argument) = (ident(name), number(argument));
    tokens!(#name(#argument))
}

fn ident_tokens(name: &str) -> Tokens {
    let name = ident(name);
    tokens!(#name)
}

fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

fn number(value: u32) -> Literal {
    Literal::u32_unsuffixed(value)
}
