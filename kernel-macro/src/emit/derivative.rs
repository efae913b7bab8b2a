//! `vjp` and `jvp` of a device function: its derived modules as device functions, printed as Rust.
//!
//! The function stands in a kernel that calls it once, so that the derivation of kernels does. What that kernel reads and writes are
//! variables of the device function.

use gridwise_ir::grad::{By, Refusal, Refused, derive, derive_forward, name_of};
use gridwise_ir::ir::{BufferId, Module, ParamId};
use gridwise_ir::rust::{self, Unprintable};
use gridwise_ir::types::{Type, TypeId};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use crate::ast::{Fn, SpanRange, TypeKind};
use crate::diag::{Diagnostics, code};

/// The items; `None` after errors. The last parameter is the result, a buffer with one element.
pub(crate) fn derivatives(
    function: &Fn,
    module: &Module,
    krate: &TokenStream,
    diags: &mut Diagnostics,
) -> Option<TokenStream> {
    let cx = Cx { function, module, krate };
    let written = cx.vjp().and_then(|vjp| Ok((vjp, cx.jvp()?)));
    match written {
        Ok((vjp, jvp)) => Some(quote!(#vjp #jvp)),
        Err(fault) => {
            cx.report(fault, diags);
            None
        }
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
    krate: &'a TokenStream,
}

impl Cx<'_> {
    /// The parameters with floats.
    fn by(&self) -> Result<By, Fault> {
        let mut by = By { is_function: true, ..By::default() };
        let Some(kernel) = &self.module.kernel else { return Ok(by) };
        by.params = kernel.params.iter().filter(|(_, param)| self.has_floats(param.ty)).map(|(id, _)| id).collect();
        let result = kernel.buffers.iter().next().map(|(_, buffer)| buffer.element);
        if let Some(ty) = result.filter(|ty| !self.is_plain(*ty)) {
            let ty = name_of(&self.module.types, ty);
            let refused = Refused::Argument { name: String::new(), ty };
            return Err(Fault::Refused(Refusal { location: None, refused }));
        }
        Ok(by)
    }

    fn is_plain(&self, ty: TypeId) -> bool {
        match self.module.types.get(ty) {
            Type::Scalar(scalar) | Type::Vector(scalar, _) => scalar.is_float(),
            Type::Array(element, len) => len.known().is_some() && self.is_plain(*element),
            _ => false,
        }
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
                    result = quote!(#source);
                }
                _ => {
                    let (id, source) = (gridwise_ir::arena::EntityId::new(params.len()), &param.ty.tokens);
                    params.push((param.name.clone(), quote!(#source), id));
                }
            }
        }
        (params, result)
    }

    /// A body that has what `tail` says for its value.
    fn body(&self, module: &Module, tail: &str) -> Result<TokenStream, Fault> {
        let name = self.function.name.to_string();
        crate::dump::dump("gradient", &name, || module.to_string());
        let body = rust::print(module, &rust::Options { marks: false })?;
        crate::dump::dump("gradient", &name, || body.clone());
        let text = format!("{body}\n{tail}");
        text.parse().map_err(|_| Fault::Unreadable)
    }

    /// `fn vjp(arguments…, seed) -> (adjoints…)`
    fn vjp(&self) -> Result<TokenStream, Fault> {
        let by = self.by()?;
        let derived = derive(self.module, &by)?;
        let (params, result) = self.interface();
        let buffer = |id: BufferId| format_ident!("{}", self.buffer(&derived.module, id));
        let (mut variables, mut adjoints, mut types) = (Vec::new(), Vec::new(), Vec::new());
        for (_, ty, id) in &params {
            if let Some(shadow) = derived.param(*id) {
                let name = buffer(shadow.buffer);
                let element = derived.module.kernel.as_ref().map(|kernel| kernel.buffers[shadow.buffer].element);
                let zero = element.map(|element| rust::zero(&derived.module, element)).transpose()?.unwrap_or_default();
                let zero: TokenStream = zero.parse().map_err(|_| Fault::Unreadable)?;
                variables.push(quote!(let mut #name: [#ty; 1] = [#zero];));
                adjoints.push(format!("{name}[0]"));
                types.push(ty.clone());
            }
        }
        if let Some(shadow) = derived.buffer(gridwise_ir::arena::EntityId::new(0)) {
            let name = buffer(shadow.buffer);
            variables.push(quote!(let #name: [#result; 1] = [seed];));
        }
        let tail = if let [one] = adjoints.as_slice() { one.clone() } else { format!("({})", adjoints.join(", ")) };
        let body = self.body(&derived.module, &tail)?;
        let names = params.iter().map(|(name, ty, _)| quote!(#name: #ty));
        let given = if let [one] = types.as_slice() { one.clone() } else { quote!((#(#types),*)) };
        let device = self.device();
        Ok(quote! {
            /// The adjoints of the function's arguments, given that of its result.
            #device
            pub fn vjp(#(#names,)* seed: #result) -> #given { #(#variables)* #body }
        })
    }

    /// `fn jvp(arguments…, directions…) -> (value, change)`
    fn jvp(&self) -> Result<TokenStream, Fault> {
        let by = self.by()?;
        let forward = derive_forward(self.module, &by)?;
        let (params, result) = self.interface();
        let Some(kernel) = &forward.module.kernel else { return Ok(TokenStream::new()) };
        let mut names: Vec<_> = params.iter().map(|(name, ty, _)| quote!(#name: #ty)).collect();
        for (_, ty, id) in &params {
            if let Some(direction) = forward.directions.get(gridwise_ir::arena::EntityId::index(*id)).copied().flatten()
            {
                let name = format_ident!("{}", kernel.params[direction].name);
                names.push(quote!(#name: #ty));
            }
        }
        let (mut variables, mut tail) = (Vec::new(), Vec::new());
        for (id, buffer) in kernel.buffers.iter() {
            let zero: TokenStream =
                rust::zero(&forward.module, buffer.element)?.parse().map_err(|_| Fault::Unreadable)?;
            let name = format_ident!("{}", self.buffer(&forward.module, id));
            variables.push(quote!(let mut #name: [#result; 1] = [#zero];));
            tail.push(format!("{name}[0]"));
        }
        let body = self.body(&forward.module, &format!("({})", tail.join(", ")))?;
        let device = self.device();
        Ok(quote! {
            /// The function's value, and its change where the arguments go along a direction.
            #device
            pub fn jvp(#(#names),*) -> (#result, #result) { #(#variables)* #body }
        })
    }

    fn buffer(&self, module: &Module, id: BufferId) -> String {
        module.kernel.as_ref().map(|kernel| kernel.buffers[id].name.clone()).unwrap_or_default()
    }

    fn device(&self) -> TokenStream {
        let krate = self.krate;
        quote!(#[#krate::device] #[allow(warnings, clippy::all, clippy::pedantic)])
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
