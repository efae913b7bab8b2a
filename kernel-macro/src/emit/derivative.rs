//! `vjp` and `jvp` of a device function: its derived modules as device functions, printed as Rust.
//!
//! The function stands in a kernel that calls it once, so that the derivation of kernels does. What that kernel reads and writes are
//! variables of the device function.

use gridwise_ir::grad::{By, Refusal, Refused, derive, derive_forward, name_of};
use gridwise_ir::ir::{Buffer, BufferId, Module, ParamId};
use gridwise_ir::rust::{self, Options, Unprintable};
use gridwise_ir::types::{Type, TypeId};
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::format_ident;

use super::gradient::with_shadows;
use super::tokens::{Tokens, tokens};
use crate::ast::{Fn, ScalarName, SpanRange, TypeKind};
use crate::attribute::ITSELF;
use crate::diag::{Diagnostics, code};
use crate::infer::type_name;
use crate::program::Program;
use crate::typed::{Len, Ty};

/// The items; `None` after errors. The last parameter is the result, a buffer with one element.
pub(crate) fn derivatives(
    function: &Fn,
    module: &Module,
    options: Options,
    krate: &TokenStream,
    diags: &mut Diagnostics,
) -> Option<TokenStream> {
    let cx = Cx { function, module, options, krate };
    let written = cx.vjp().and_then(|vjp| Ok((vjp, cx.jvp()?)));
    match written {
        Ok((vjp, jvp)) => Some(tokens!(#vjp #jvp).into()),
        Err(fault) => {
            cx.report(fault, diags);
            None
        }
    }
}

/// Whether derived functions can have the function's parameters and result, whose types are `types`; reports the first that they
/// cannot.
pub(crate) fn fits(function: &Fn, (program, types): (&Program, &[Ty]), diags: &mut Diagnostics) -> bool {
    for (param, ty) in function.params.iter().zip(types) {
        let (name, ty) = match ty.slice_element() {
            Some(result) => (String::new(), result),
            None => (param.name.to_string(), ty),
        };
        // A `bool` by itself is passed on.
        let Some(part) = unfit(program, ty).filter(|_| *ty != Ty::BOOL) else { continue };
        let is_part = part != type_name(program, ty);
        let refused = Refused::Argument { name, ty: part, is_part };
        let span = SpanRange::token(function.name.span().resolved_at(Span::call_site()));
        diags.error(code::GRADIENT_OF, span, refused.to_string()).help(refused.help());
        return false;
    }
    true
}

/// The name of the type, or of its first part, that derived functions cannot take apart.
fn unfit(program: &Program, ty: &Ty) -> Option<String> {
    match ty {
        // They have no layout in buffers.
        Ty::Scalar(ScalarName::Bool) | Ty::Vector(ScalarName::Bool, _) => Some(type_name(program, ty)),
        Ty::Scalar(_) | Ty::Vector(..) | Ty::Matrix(_) | Ty::Quat | Ty::Never | Ty::Error => None,
        Ty::Array(element, Len::Known(_)) => unfit(program, element),
        Ty::Tuple(members) => members.iter().find_map(|member| unfit(program, member)),
        Ty::Struct(..) => match program.fields_of(ty).as_ref() {
            [] => Some(type_name(program, ty)),
            fields => fields.iter().find_map(|field| unfit(program, field)),
        },
        _ => Some(type_name(program, ty)),
    }
}

/// Why there are no derivatives.
enum Fault {
    Refused(Refusal),
    Unprintable(Unprintable),
    Unreadable,
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Unprintable> for Fault {
    fn from(unprintable: Unprintable) -> Self {
        Self::Unprintable(unprintable)
    }
}

struct Cx<'a> {
    function: &'a Fn,
    module: &'a Module,
    options: Options,
    krate: &'a TokenStream,
}

impl Cx<'_> {
    /// The parameters with floats.
    fn by(&self) -> Result<By, Fault> {
        let mut by = By { is_function: true, ..By::default() };
        let Some(kernel) = &self.module.kernel else { return Ok(by) };
        by.params = kernel.params.iter().filter(|(_, param)| self.has_floats(param.ty)).map(|(id, _)| id).collect();
        let result = kernel.buffers.iter().next().map(|(_, buffer)| buffer.element);
        if let Some(ty) = result.filter(|ty| !self.has_floats(*ty)) {
            let refused =
                Refused::Argument { name: String::new(), ty: name_of(&self.module.types, ty), is_part: false };
            return Err(Fault::Refused(Refusal { location: None, refused }));
        }
        Ok(by)
    }

    fn has_floats(&self, ty: TypeId) -> bool {
        match self.module.types.get(ty) {
            Type::Scalar(scalar) | Type::Vector(scalar, _) => scalar.is_float(),
            Type::Array(element, _) => self.has_floats(*element),
            Type::Tuple(members) => members.iter().any(|member| self.has_floats(*member)),
            Type::Struct(id) => self.module.types.struct_def(*id).fields.iter().any(|field| self.has_floats(field.ty)),
            Type::Unit | Type::Coop(_) => false,
        }
    }

    /// The function's parameters, with their types and numbers; and the type of the result.
    fn interface(&self) -> (Vec<(Ident, TokenStream, ParamId)>, TokenStream) {
        let (mut params, mut result) = (Vec::new(), TokenStream::new());
        for param in &self.function.params {
            match &param.ty.kind {
                TypeKind::Slice { element, .. } => {
                    let source = &element.tokens;
                    result = source.clone();
                }
                _ => {
                    let (id, source) = (gridwise_ir::arena::EntityId::new(params.len()), &param.ty.tokens);
                    params.push((param.name.clone(), source.clone(), id));
                }
            }
        }
        (params, result)
    }

    /// A body that has what `tail` says for its value.
    fn body(&self, module: &Module, options: &Options, tail: &str) -> Result<TokenStream, Fault> {
        let name = self.function.name.to_string();
        crate::dump::dump("gradient", &name, || module.to_string());
        let body = rust::print(module, options)?;
        crate::dump::dump("gradient", &name, || body.clone());
        let text = format!("{body}\n{tail}");
        text.parse().map_err(|_| Fault::Unreadable)
    }

    /// `fn vjp(arguments…, seed) -> (adjoints…)`
    fn vjp(&self) -> Result<Tokens, Fault> {
        let by = self.by()?;
        let derived = derive(self.module, &by)?;
        let options = with_shadows(self.options.clone(), &derived);
        let (params, result) = self.interface();
        let buffer = |id: BufferId| format_ident!("{}", self.buffer(&derived.module, id));
        let is_taken = params.iter().any(|(name, ..)| name == "seed");
        let seed = format_ident!("{}", if is_taken { "seed_of_result" } else { "seed" });
        let (mut variables, mut adjoints, mut types) = (Vec::new(), Vec::new(), Vec::new());
        for (param, ty, id) in &params {
            if let Some(shadow) = derived.param(*id) {
                let name = self.buffer(&derived.module, shadow.buffer);
                variables.push(self.zeroed(&derived.module, shadow.buffer, (ty, &param.to_string()), &options)?);
                adjoints.push(format!("{name}[0]"));
                types.push(ty.clone());
            }
        }
        if let Some(shadow) = derived.buffer(gridwise_ir::arena::EntityId::new(0)) {
            let name = buffer(shadow.buffer);
            variables.push(tokens!(let mut #name: [#result; 1] = [#seed];).into());
        }
        let tail = if let [one] = adjoints.as_slice() { one.clone() } else { format!("({})", adjoints.join(", ")) };
        let body = self.body(&derived.module, &options, &tail)?;
        let names = params.iter().map(|(name, ty, _)| tokens!(#name: #ty));
        let given = if let [one] = &types[..] { tokens!(#one) } else { tokens!((#(#types),*)) };
        let device = self.device();
        Ok(tokens! {
            /// The adjoints of the function's arguments, given that of its result.
            #device
            pub fn vjp(#(#names,)* #seed: #result) -> #given { #(#variables)* #body }
        })
    }

    /// `fn jvp(arguments…, directions…) -> (value, change)`
    fn jvp(&self) -> Result<Tokens, Fault> {
        let mut by = self.by()?;
        let (params, result) = self.interface();
        let mut options = self.options.clone();
        let of_result = options.buffers.first().map(|(_, found)| found.clone());
        // A struct can be made by the function only.
        let element = |buffer: &Buffer| of_result.is_some() || rust::holds_struct(self.module, buffer.element);
        by.has_values =
            self.module.kernel.as_ref().is_some_and(|kernel| kernel.buffers.iter().any(|(_, buffer)| element(buffer)));
        let forward = derive_forward(self.module, &by)?;
        let Some(kernel) = &forward.module.kernel else { return Ok(tokens!()) };
        // All buffers are of the result's type.
        if let Some(found) = &of_result {
            options.buffers = kernel.buffers.iter().map(|(id, _)| (id, found.clone())).collect();
        }
        let mut names: Vec<_> = params.iter().map(|(name, ty, _)| tokens!(#name: #ty)).collect();
        for (_, ty, id) in &params {
            if let Some(direction) = forward.directions.get(gridwise_ir::arena::EntityId::index(*id)).copied().flatten()
            {
                let of_param = self.options.params.iter().find(|(known, _)| known == id);
                options.params.extend(of_param.map(|(_, found)| (direction, found.clone())));
                let name = format_ident!("{}", kernel.params[direction].name);
                names.push(tokens!(#name: #ty));
            }
        }
        let (mut variables, mut tail) = (Vec::new(), Vec::new());
        let arguments = params.iter().map(|(name, ..)| name);
        let itself = format_ident!("{ITSELF}");
        for (id, buffer) in kernel.buffers.iter() {
            let name = format_ident!("{}", buffer.name);
            let arguments = arguments.clone();
            variables.push(match (by.has_values, tail.first()) {
                (true, None) => tokens!(let #name: [#result; 1] = [#itself(#(#arguments),*)];).into(),
                (_, first) => {
                    self.zeroed(&forward.module, id, (&result, first.map_or("", String::as_str)), &options)?
                }
            });
            tail.push(format!("{name}[0]"));
        }
        let body = self.body(&forward.module, &options, &format!("({})", tail.join(", ")))?;
        let device = self.device();
        Ok(tokens! {
            /// The function's value, and its change where the arguments go along a direction.
            #device
            pub fn jvp(#(#names),*) -> (#result, #result) { #(#variables)* #body }
        })
    }

    /// The variable that takes the place of a buffer, zero. `given`: a value of its type.
    fn zeroed(
        &self,
        module: &Module,
        buffer: BufferId,
        (ty, given): (&TokenStream, &str),
        options: &Options,
    ) -> Result<TokenStream, Fault> {
        // The type's own tokens, as they stand where it was written.
        let text = rust::zeroed(module, buffer, ("__Ty", given), options)?;
        let tokens: TokenStream = text.parse().map_err(|_| Fault::Unreadable)?;
        Ok(with_type(tokens, ty))
    }

    fn buffer(&self, module: &Module, id: BufferId) -> String {
        module.kernel.as_ref().map(|kernel| kernel.buffers[id].name.clone()).unwrap_or_default()
    }

    fn device(&self) -> Tokens {
        let krate = self.krate;
        tokens!(#[#krate::device] #[allow(warnings, clippy::all, clippy::pedantic)])
    }

    fn report(&self, fault: Fault, diags: &mut Diagnostics) {
        let span = SpanRange::token(self.function.name.span().resolved_at(Span::call_site()));
        match fault {
            Fault::Refused(refusal) => {
                let is_argument = matches!(refusal.refused, Refused::Argument { .. });
                let code = if is_argument { code::GRADIENT_OF } else { code::NO_GRADIENT };
                let error = diags.error(code, span, refusal.refused.to_string());
                if let Some(at) = refusal.location {
                    error.note(format!("at {}:{}:{}", self.module.files[at.file], at.line, at.column));
                }
                error.help(refusal.refused.help());
            }
            Fault::Unprintable(unprintable) => {
                let message =
                    format!("the derivative of this function needs {}, which it cannot have", unprintable.what);
                diags
                    .error(code::NO_GRADIENT, span, message)
                    .help("write the derivative by hand: `#[device(grad = rule)]`");
            }
            Fault::Unreadable => {
                diags.error(code::INTERNAL, span, "the derived function cannot be read");
            }
        }
    }
}

/// Puts the type in the place of its mark.
fn with_type(tokens: TokenStream, ty: &TokenStream) -> TokenStream {
    let replaced = tokens.into_iter().map(|tree| match tree {
        TokenTree::Group(group) => {
            TokenStream::from(TokenTree::from(Group::new(group.delimiter(), with_type(group.stream(), ty))))
        }
        TokenTree::Ident(ident) if ident == "__Ty" => ty.clone(),
        tree => TokenStream::from(tree),
    });
    replaced.collect()
}
