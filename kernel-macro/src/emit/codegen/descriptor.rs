//! A compiled kernel as the tokens of a constant.

use gridwise_ir::compile::{Compiled, CompiledConstant, CompiledLocation, CompiledParam, CompiledSite};
use gridwise_ir::descriptor::{
    Feature, FloatAtomics, HostStack, LaunchWord, LaunchWordKind, Parallel, ParamKind, Size, SubgroupOperations, pack,
};
use proc_macro2::Literal;

use super::message::message_tokens;
use crate::emit::render::{MOST_MATCHED, SITES, SiteIndex, SiteUse};
use crate::emit::tokens::{Bytes, Plain, Tokens, Word, tokens};
use crate::program::Program;
use crate::program::message::Message;

/// The name of the descriptor's module in generated code: a `use` in front of it gives the path.
pub(super) const DESCRIPTOR: &str = "__descriptor";

/// The arguments of the facade's `implementation!` for a `KernelDescriptor`, besides its parameters: only those that
/// the kernel has are named. `place` is that of the kernel, `sites` are the rows of the table that stands before it.
pub(super) fn descriptor_tokens(
    program: &Program,
    (compiled, variant): (&Compiled, Option<&Compiled>),
    messages: &[Message],
    place: &CompiledLocation,
    sites: &[SiteUse],
) -> Tokens {
    let home = Word(DESCRIPTOR);
    let (name, size) = (&compiled.name, number(compiled.facts.push_constant_size));
    let (line, column) = (number(place.line), number(place.column));
    let spirv = &pack(&compiled.words);
    let spirv = Bytes(spirv);
    // Sizes that the launch decides stand in fields of their own.
    let [x, y, z] = compiled.workgroup.map(|size| match size {
        Size::Known(size) => number(size),
        Size::Param(_) => number(1),
    });
    let constants = (!compiled.constants.is_empty()).then(|| constants_tokens(compiled, home));
    let words = compiled.launch_words.iter().map(launch_word_tokens);
    let trap = compiled.facts.trap_binding.map(|binding| {
        let (binding, words) = (number(binding), number(compiled.facts.trap_words));
        tokens!(trap #binding #words)
    });
    let obligations = (!compiled.obligations.is_empty()).then(|| {
        let (program, traps_anyway) = (Bytes(&compiled.obligations), compiled.facts.traps_anyway);
        tokens!(obligations #program #traps_anyway)
    });
    let conditions = (!compiled.conditions.is_empty()).then(|| {
        let program = Bytes(&compiled.conditions);
        tokens!(conditions: #home::Conditions(#program),)
    });
    let native = compiled.facts.asks_for.contains(&true).then(|| {
        let [fma, fma_f64, exp2, casts, casts_wide, casts_f64, rounding] = compiled.facts.asks_for;
        tokens!(asks_for: [#fma, #fma_f64, #exp2, #casts, #casts_wide, #casts_f64, #rounding],)
    });
    let print = compiled.facts.print_binding.map(number).map(|binding| tokens!(print_binding: __Some(#binding),));
    let leaves = compiled.facts.leaves_at_traps.then(|| tokens!(leaves_at_traps: true,));
    let (left, told) = left_tokens(program, compiled, messages, sites);
    let features = (!compiled.features.is_empty()).then(|| {
        let features = compiled.features.iter().map(|(feature, at)| {
            let feature = feature_tokens(*feature, home);
            let location = location_tokens(at.as_ref().unwrap_or(place));
            tokens!(#home::FeatureUse { feature: #feature, location: #location })
        });
        tokens!(features: &[#(#features),*],)
    });
    let parallel = (compiled.facts.parallel != Parallel::NONE || variant.is_some()).then(|| {
        let parallel = parallel_tokens(&compiled.facts.parallel, variant, home);
        tokens!(parallel: #parallel,)
    });
    let stack = (compiled.host_stack != HostStack::LITTLE).then(|| {
        let HostStack { locals, bytes } = compiled.host_stack;
        let [locals, bytes] = [locals, bytes].map(Literal::u64_unsuffixed);
        tokens!(host_stack: #home::HostStack::new(#locals, #bytes),)
    });
    let batch = compiled.batch.as_ref().map(|batch| {
        let (items, program, is_asked) = (number(batch.items), Bytes(&batch.obligations), batch.is_asked);
        tokens!(batch #items #program #is_asked)
    });
    let ir = compiled.ir.as_ref().map(|text| tokens!(ir: __Some(#text),));
    tokens! {
        [#(#words),*] #trap #obligations #left #batch
        { #constants #conditions #native #leaves #print #told #features #parallel #stack #ir }
        (#name #line #column #spirv #size #x #y #z)
    }
}

/// The sites that are left: their rows in the table, or a field of the descriptor where one has a message or is no row.
fn left_tokens(
    program: &Program,
    compiled: &Compiled,
    messages: &[Message],
    table: &[SiteUse],
) -> (Option<Tokens>, Option<Tokens>) {
    if compiled.sites.is_empty() {
        return (None, None);
    }
    let message = |site: &CompiledSite| site.format.and_then(|format| messages.get(format as usize));
    let index = SiteIndex::of(table);
    let table = (table, &index);
    let rows = compiled.sites.iter().map(|site| row_of(site, table).filter(|_| message(site).is_none()));
    if compiled.sites.len() <= MOST_MATCHED
        && let Some(rows) = rows.collect::<Option<Vec<_>>>()
    {
        return (Some(tokens!(left #(#rows)*)), None);
    }
    let home = Word(DESCRIPTOR);
    let left = compiled.sites.iter().map(|site| {
        let tokens = site_tokens(site, table, home);
        let Some(message) = message(site) else { return tokens };
        let message = message_tokens(program, message, site.words, &home.into());
        tokens!(#home::Site { message: ::core::option::Option::Some(#message), ..#tokens })
    });
    (None, Some(tokens!(sites: &[#(#left),*],)))
}

/// `workgroup`, `constants` and `shared_arrays` of a kernel with const parameters.
fn constants_tokens(compiled: &Compiled, home: Word) -> Tokens {
    let sizes = compiled.workgroup.map(|size| {
        let (variant, value) = match size {
            Size::Known(value) => ("Known", number(value)),
            Size::Param(param) => ("Param", number(param)),
        };
        let variant = Word(variant);
        tokens!(#home::Size::#variant(#value))
    });
    let constants = compiled.constants.iter().map(|constant| {
        let CompiledConstant { name, ty, default, is_size } = constant;
        let (ty, default) = (Word(ty.name()), Literal::u64_unsuffixed(*default));
        tokens!(#home::ConstParam { name: #name, ty: #home::ConstType::#ty, default: #default, is_size: #is_size })
    });
    let arrays = compiled.facts.shared_arrays.iter().map(|(bytes, lengths)| {
        let (bytes, lengths) = (number(*bytes), lengths.iter().copied().map(number));
        tokens!(#home::SharedArray { bytes: #bytes, lengths: &[#(#lengths),*] })
    });
    tokens!(workgroup: [#(#sizes),*], constants: &[#(#constants),*], shared_arrays: &[#(#arrays),*],)
}

/// How a parameter is described: the function that makes a `Param`, and its arguments behind the name.
pub(super) fn param_tokens(param: &CompiledParam) -> Tokens {
    match param.kind {
        ParamKind::Buffer { binding, writable, stride, align } => {
            let [binding, stride, align] = [binding, stride, align].map(number);
            tokens!(buffer #binding #writable #stride #align)
        }
        ParamKind::Texels { binding, stride, align } => {
            let [binding, stride, align] = [binding, stride, align].map(number);
            tokens!(texels #binding #stride #align)
        }
        ParamKind::Distinct { binding } => {
            let binding = number(binding);
            tokens!(distinct #binding)
        }
        ParamKind::Offsets { binding } => {
            let binding = number(binding);
            tokens!(offsets #binding)
        }
        ParamKind::Claims { binding } => {
            let binding = number(binding);
            tokens!(claims #binding)
        }
        ParamKind::List { binding, writable, stride, align } => {
            let [binding, stride, align] = [binding, stride, align].map(number);
            tokens!(list #binding #writable #stride #align)
        }
        ParamKind::Image { binding, access, format, dimensions }
        | ParamKind::Images { binding, access, format, dimensions } => {
            let (binding, dimensions) = (number(binding), number(dimensions.into()));
            let (home, access, format) = (Word(DESCRIPTOR), Word(access.name()), Word(format.name()));
            let maker = Word(if matches!(param.kind, ParamKind::Images { .. }) { "images" } else { "image" });
            tokens!(#maker #binding [#home::ImageAccess::#access, #home::ImageFormat::#format, #dimensions])
        }
        ParamKind::Value { offset, size } => {
            let (offset, size) = (number(offset), number(size));
            tokens!(value #offset #size)
        }
    }
}

fn launch_word_tokens(word: &LaunchWord) -> Tokens {
    let offset = number(word.offset);
    let (maker, argument) = match word.kind {
        LaunchWordKind::Items(axis) => ("items", Some(axis.into())),
        LaunchWordKind::Groups(axis) => ("groups", Some(axis.into())),
        LaunchWordKind::FirstGroup => ("first_group", None),
        LaunchWordKind::Len(param) => ("len", Some(param)),
    };
    let (maker, argument) = (Word(maker), argument.map(number));
    tokens!(#maker #offset #argument)
}

fn parallel_tokens(parallel: &Parallel, variant: Option<&Compiled>, home: Word) -> Tokens {
    let SubgroupOperations(operations) = parallel.subgroup_operations;
    let (shared_bytes, operations) = (number(parallel.shared_bytes), number(operations));
    let full_workgroups = parallel.full_workgroups;
    let subgroup_size = match parallel.subgroup_size.map(number) {
        Some(lanes) => tokens!(__Some(#lanes)),
        None => tokens!(__None),
    };
    let native = match variant {
        Some(variant) => {
            let (spirv, FloatAtomics(needs)) = (&pack(&variant.words), variant.facts.float_atomics);
            let (spirv, needs) = (Bytes(spirv), number(needs));
            tokens! {
                __Some(#home::NativeModule { spirv: #home::Spirv::Packed(#spirv), needs: #home::FloatAtomics(#needs) })
            }
        }
        None => tokens!(__None),
    };
    tokens! {
        #home::Parallel {
            shared_bytes: #shared_bytes,
            full_workgroups: #full_workgroups,
            subgroup_operations: #home::SubgroupOperations(#operations),
            subgroup_size: #subgroup_size,
            native: #native,
        }
    }
}

fn location_tokens(location: &CompiledLocation) -> Tokens {
    let (file, line, column) = (&location.file, number(location.line), number(location.column));
    tokens!(__Location::new(#file, #line, #column))
}

/// The row of a site that is left in the table that the twin has, too.
fn row_of(site: &CompiledSite, (rows, index): (&[SiteUse], &SiteIndex)) -> Option<Plain> {
    let CompiledLocation { file, line, column } = &site.location;
    let is = |row: &SiteUse| row.text == site.text && row.file == *file;
    index.row(rows, is, (site.kind, *line, *column)).map(number)
}

/// A site that is left.
fn site_tokens(site: &CompiledSite, table: (&[SiteUse], &SiteIndex), home: Word) -> Tokens {
    if let Some(row) = row_of(site, table) {
        let table = Word(SITES);
        return tokens!(#table[#row]);
    }
    let CompiledLocation { file, line, column } = &site.location;
    let (kind, line, column, text) = (Word(site.kind.name()), number(*line), number(*column), &site.text);
    tokens!(#home::Site::new(#home::SiteKind::#kind, #file, #line, #column, #text))
}

fn number(value: u32) -> Plain {
    Plain(value)
}

/// A feature of devices; of matrices with their shapes.
fn feature_tokens(feature: Feature, home: Word) -> Tokens {
    let name = Word(feature.name());
    match feature {
        Feature::CooperativeMatrix(ty) => {
            let (element, role) = (Word(ty.element.name()), Word(ty.role.name()));
            let (rows, columns) = (number(ty.rows), number(ty.columns));
            tokens!(#home::Feature::#name(#home::MatrixType {
                element: #home::MatrixElement::#element,
                role: #home::MatrixUse::#role,
                rows: #rows,
                columns: #columns,
            }))
        }
        Feature::CooperativeProduct(product) => {
            let (factors, sum) = (Word(product.factors.name()), Word(product.sum.name()));
            let [rows, columns, depth] = [product.rows, product.columns, product.depth].map(number);
            tokens!(#home::Feature::#name(#home::MatrixProduct {
                factors: #home::MatrixElement::#factors,
                sum: #home::MatrixElement::#sum,
                rows: #rows,
                columns: #columns,
                depth: #depth,
            }))
        }
        _ => tokens!(#home::Feature::#name),
    }
}
