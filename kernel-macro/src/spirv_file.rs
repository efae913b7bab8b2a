//! `include_spirv!`: a module in a file becomes a type whose `dispatch` has the module's own parameters. It must not know
//! what `#[kernel]` does; what is wrong with the file is said at its name.

use std::path::{Path, PathBuf};

use gridwise_ir::descriptor::ImageAccess;
use gridwise_ir::reflect::{BufferBinding, DataType, Field, Interface, ScalarType, words_of};
use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};

use crate::ast::SpanRange;
use crate::diag::{Diagnostics, code};
use crate::krate::facade_path;

/// The first word of all modules.
const MAGIC: u32 = 0x0723_0203;

/// The input of the macro: a path, and the name of the type if it is not the file's.
struct Input {
    path: String,
    span: Span,
    name: Option<Ident>,
}

/// Expands `include_spirv!(…)` in a source file of this folder.
pub(crate) fn include(tokens: TokenStream, folder: Option<PathBuf>) -> TokenStream {
    let mut diags = Diagnostics::new();
    let items = include_or_report(tokens, folder, &mut diags);
    diags.finish().map_or_else(|errors| errors, |()| items.unwrap_or_default())
}

/// The items, or an error among `diags`.
pub(crate) fn include_or_report(
    tokens: TokenStream,
    folder: Option<PathBuf>,
    diags: &mut Diagnostics,
) -> Option<TokenStream> {
    let input = read_input(tokens, diags)?;
    generate(&input, folder, diags)
}

fn read_input(tokens: TokenStream, diags: &mut Diagnostics) -> Option<Input> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut refuse = |span: Span, message: String| {
        diags
            .error(code::SPIRV_ARGUMENT, SpanRange::token(span), message)
            .help("write `include_spirv!(\"shader.spv\")`, or `include_spirv!(\"shader.spv\" as Name)`");
        None
    };
    let Some(first) = tokens.first() else { return refuse(Span::call_site(), "expected a path".to_owned()) };
    let literal = syn::parse2::<syn::LitStr>(TokenStream::from(first.clone()));
    let (TokenTree::Literal(_), Ok(path)) = (first, literal) else {
        return refuse(first.span(), "expected the path of a SPIR-V file".to_owned());
    };
    let name = match &tokens[1..] {
        [] => None,
        [TokenTree::Ident(word), TokenTree::Ident(name)] if word == "as" => Some(name.clone()),
        [other, ..] => return refuse(other.span(), format!("unexpected `{other}`")),
    };
    Some(Input { path: path.value(), span: first.span(), name })
}

fn generate(input: &Input, folder: Option<PathBuf>, diags: &mut Diagnostics) -> Option<TokenStream> {
    let span = SpanRange::token(input.span);
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let path = folder.unwrap_or(manifest).join(&input.path);
    let path = std::path::absolute(&path).unwrap_or(path);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) => {
            diags
                .error(code::SPIRV_FILE, span, format!("`{}` cannot be read: {error}", input.path))
                .note("paths are relative to this file");
            return None;
        }
    };
    let words = match words_of(&bytes) {
        Ok(words) => words,
        Err(error) => {
            diags
                .error(code::SPIRV_FILE, span, format!("`{}` is no SPIR-V: {error}", input.path))
                .help("compile the shader first, as `glslc --target-env=vulkan1.2 shader.comp -o shader.spv` does");
            return None;
        }
    };
    if words.first() != Some(&MAGIC) {
        diags
            .error(code::SPIRV_FILE, span, format!("`{}` is no SPIR-V: it begins with another number", input.path))
            .help("compile the shader first, as `glslc --target-env=vulkan1.2 shader.comp -o shader.spv` does");
        return None;
    }
    let interface = match Interface::read(&words, None) {
        Ok(interface) => interface,
        Err(error) => {
            diags
                .error(code::SPIRV_MODULE, span, format!("`{}` cannot be launched: {error}", input.path))
                .help("compile it for Vulkan 1.2, with buffers, storage images and images with samplers joined");
            return None;
        }
    };
    let Some(name) = input.name.clone().or_else(|| type_name(&path)) else {
        diags
            .error(code::SPIRV_ARGUMENT, span, "the file's name is no name of a type".to_owned())
            .help("write `as Name` after the path");
        return None;
    };
    let Some(path) = path.to_str() else {
        diags.error(code::SPIRV_FILE, span, "the path is no UTF-8".to_owned()).help("rename the file or its folder");
        return None;
    };
    Some(items(&name, &interface, path, input))
}

/// The file's name in CamelCase.
fn type_name(path: &Path) -> Option<Ident> {
    let stem = path.file_name()?.to_str()?.split('.').next()?;
    let words = stem.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name: String = words.map(|word| word[..1].to_ascii_uppercase() + &word[1..]).collect();
    name.starts_with(|c: char| c.is_ascii_alphabetic()).then(|| Ident::new(&name, Span::call_site()))
}

/// A name of the module in snake_case, or what stands for it; each once.
fn value_name(name: Option<&str>, fallback: String, taken: &mut Vec<String>) -> Ident {
    let mut snake = String::new();
    for c in name.unwrap_or_default().chars() {
        let is_upper = c.is_ascii_uppercase();
        if is_upper && snake.ends_with(|last: char| last.is_ascii_lowercase() || last.is_ascii_digit()) {
            snake.push('_');
        }
        snake.push(if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    }
    let is_name = snake.starts_with(|c: char| c.is_ascii_lowercase()) && syn::parse_str::<Ident>(&snake).is_ok();
    let mut chosen = if is_name { snake } else { fallback.clone() };
    if taken.contains(&chosen) || matches!(chosen.as_str(), "sequence" | "grid" | "manager" | "constants" | "algorithm")
    {
        chosen = format!("{chosen}_{fallback}");
    }
    taken.push(chosen.clone());
    Ident::new(&chosen, Span::call_site())
}

/// The specialization constants: their fields, their own values, and their numbers with the fields.
fn constants(interface: &Interface, facade: &TokenStream) -> [Vec<TokenStream>; 3] {
    let (mut taken, mut fields, mut defaults, mut pairs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for constant in &interface.constants {
        let field = value_name(constant.name.as_deref(), format!("constant{}", constant.number), &mut taken);
        let ty = scalar(constant.ty, facade);
        let (doc, number) = (format!(" Specialization constant {}.", constant.number), constant.number);
        let bits = Literal::u64_suffixed(constant.default);
        fields.push(quote!(#[doc = #doc] pub #field: #ty));
        let value = match constant.ty {
            ScalarType::Bool => quote!(#bits != 0),
            ScalarType::F16 => quote!(#ty::from_bits(#bits as u16)),
            ScalarType::F32 => quote!(f32::from_bits(#bits as u32)),
            ScalarType::F64 => quote!(f64::from_bits(#bits)),
            _ => quote!(#bits as #ty),
        };
        defaults.push(quote!(#field: #value));
        pairs.push(quote!((#number, #facade::Constant::from(self.#field))));
    }
    [fields, defaults, pairs]
}

/// The parameters of a launch, the writes of its push constants, and the calls that bind its buffers and images.
fn parameters(interface: &Interface, facade: &TokenStream) -> [Vec<TokenStream>; 3] {
    let mut taken = Vec::new();
    let (mut params, mut writes, mut binds) = (Vec::new(), Vec::new(), Vec::new());
    for (index, field) in interface.push_constants.iter().enumerate() {
        let param = value_name(field.name.as_deref(), format!("push{index}"), &mut taken);
        let (ty, offset, size) = (push_type(field, facade), field.offset as usize, field.size as usize);
        params.push(quote!(#param: #ty));
        writes.push(quote!(#facade::__private::spirv::put(&mut push[#offset..#offset + #size], #param);));
    }
    for buffer in &interface.buffers {
        let param = value_name(buffer.name.as_deref(), fallback_name(buffer.set, buffer.binding), &mut taken);
        let (ty, binding) = (element_type(buffer, facade), place(buffer.set, buffer.binding));
        if buffer.is_writable {
            params.push(quote!(#param: &mut #facade::Tensor<#ty>));
            binds.push(quote!(let launch = launch.write(#binding, #param);));
        } else {
            params.push(quote!(#param: &#facade::Tensor<#ty>));
            binds.push(quote!(let launch = launch.read(#binding, #param);));
        }
    }
    for image in &interface.images {
        let param = value_name(image.name.as_deref(), fallback_name(image.set, image.binding), &mut taken);
        let (binding, dimensions) = (place(image.set, image.binding), usize::from(image.dimensions));
        let format = match image.format {
            Some(format) => {
                let name = Ident::new(format.name(), Span::call_site());
                quote!(#facade::image::#name)
            }
            None => quote!(impl #facade::image::Format),
        };
        let (ty, bind) = match image.access {
            ImageAccess::Load => (quote!(&#facade::image::Image<#format, #dimensions>), quote!(image)),
            ImageAccess::Store => (quote!(&mut #facade::image::Image<#format, #dimensions>), quote!(image_mut)),
            ImageAccess::Sample => (quote!(&#facade::image::Sampled<#format, #dimensions>), quote!(sampled)),
        };
        params.push(quote!(#param: #ty));
        binds.push(quote!(let launch = launch.#bind(#binding, #param);));
    }
    [params, writes, binds]
}

fn items(name: &Ident, interface: &Interface, path: &str, input: &Input) -> TokenStream {
    let facade = facade_path();
    let constants_name = format_ident!("{name}Constants");
    let [fields, defaults, pairs] = constants(interface, &facade);
    let [params, writes, binds] = parameters(interface, &facade);
    let size = interface.push_constant_size as usize;
    let doc = format!(" The module `{}`, ready to run on a device.", input.path);
    let constants_doc = format!(" The specialization constants of [`{name}`]; the module's own by default.");
    let text = name.to_string();
    let source = Literal::string(path);
    quote! {
        #[doc = #doc]
        #[derive(Debug, Clone)]
        pub struct #name {
            algorithm: #facade::SpirvAlgorithm,
        }

        #[doc = #constants_doc]
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct #constants_name {
            #(#fields,)*
        }

        impl ::core::default::Default for #constants_name {
            #[allow(clippy::unnecessary_cast)]
            fn default() -> Self {
                Self { #(#defaults,)* }
            }
        }

        impl #constants_name {
            fn pairs(&self) -> ::std::vec::Vec<(u32, #facade::Constant)> {
                ::std::vec![#(#pairs),*]
            }
        }

        impl #name {
            /// Makes the module ready for a manager's device.
            ///
            /// # Errors
            /// When it needs what the device lacks.
            ///
            /// # Safety
            /// As for `Algorithm::from_spirv`: in each launch the module stays within its buffers, ends, and does not race.
            pub unsafe fn new(manager: &#facade::Manager, constants: #constants_name) -> #facade::Result<Self> {
                let desc = #facade::SpirvDesc {
                    name: #text,
                    code: #facade::SpirvCode::Bytes(::core::include_bytes!(#source)),
                    entry_point: ::core::option::Option::None,
                    constants: &constants.pairs(),
                };
                // SAFETY: the caller's promise.
                let algorithm = unsafe { #facade::Algorithm::from_spirv(manager, &desc) }?;
                ::core::result::Result::Ok(Self { algorithm })
            }

            /// Records a launch, and gives back the sequence; a grid in items is rounded up to whole workgroups.
            ///
            /// # Errors
            /// When an argument or the grid does not fit.
            #[allow(clippy::too_many_arguments, unused_mut)]
            pub fn dispatch<'__seq>(
                &self,
                sequence: &'__seq #facade::Sequence,
                grid: #facade::Grid,
                #(#params),*
            ) -> #facade::Result<&'__seq #facade::Sequence> {
                let mut push = [0u8; #size];
                #(#writes)*
                let launch = self.algorithm.launch(grid).push_bytes(&push);
                #(#binds)*
                sequence.record(launch)
            }
        }
    }
}

/// The name of a binding without a name.
fn fallback_name(set: u32, binding: u32) -> String {
    if set == 0 { format!("binding{binding}") } else { format!("set{set}_binding{binding}") }
}

/// A binding as launches take it.
fn place(set: u32, binding: u32) -> TokenStream {
    if set == 0 { quote!(#binding) } else { quote!((#set, #binding)) }
}

fn scalar(ty: ScalarType, facade: &TokenStream) -> TokenStream {
    let name = Ident::new(ty.name(), Span::call_site());
    if ty == ScalarType::F16 { quote!(#facade::half::f16) } else { quote!(#name) }
}

/// Rust's type with the same bytes, where there is one: scalars, and glam's vectors.
fn data(ty: DataType, facade: &TokenStream) -> TokenStream {
    let prefix = match ty.scalar {
        ScalarType::F32 => "Vec",
        ScalarType::I32 => "IVec",
        ScalarType::U32 => "UVec",
        _ => "",
    };
    match ty.count {
        1 => scalar(ty.scalar, facade),
        count if !prefix.is_empty() => {
            let name = format_ident!("{prefix}{count}");
            quote!(#facade::glam::#name)
        }
        count => {
            let (element, count) = (scalar(ty.scalar, facade), count as usize);
            quote!([#element; #count])
        }
    }
}

fn push_type(field: &Field, facade: &TokenStream) -> TokenStream {
    let size = field.size as usize;
    field.ty.map_or_else(|| quote!([u8; #size]), |ty| data(ty, facade))
}

/// The type of a buffer's elements; any of the right size, where Rust has none of its own.
fn element_type(buffer: &BufferBinding, facade: &TokenStream) -> TokenStream {
    let plain = buffer.element.filter(|_| buffer.fixed_bytes == 0);
    let fits = plain.and_then(|element| element.ty.filter(|ty| ty.scalar.size() * ty.count == element.stride));
    fits.map_or_else(|| quote!(impl #facade::GpuData), |ty| data(ty, facade))
}
