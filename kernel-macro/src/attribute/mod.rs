//! The arguments of `#[kernel(…)]`. Reads tokens and checks numbers; expands nothing.

pub(crate) mod const_defaults;
mod size;
pub(crate) mod type_list;

use gridwise_ir::batch::{COUNTS, Request};
use gridwise_ir::ir::FloatRules;
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{Expr, Token};

use crate::ast::SpanRange;
use crate::attribute::const_defaults::{ConstDefault, ConstDefaults, literal_number};
use crate::diag::{Diagnostics, code};
use crate::infer::nearest;
pub(crate) use size::MAX_INVOCATIONS;
use size::{Size, WorkgroupArg, plain_size};
use type_list::{ListSyntax, TypeList};

/// The arguments that `#[kernel]` knows.
const KEYS: [&str; 6] = ["workgroup", "subgroup", "fast_math", SUBNORMALS, ITEMS, GRADIENT];

/// The argument by which a kernel asks for devices that keep subnormal numbers.
const SUBNORMALS: &str = "subnormals";

/// The argument that says how many items an invocation runs.
const ITEMS: &str = "items_per_invocation";

/// The argument that names the parameters by which a kernel is derived.
const GRADIENT: &str = "grad";

/// The argument of a kernel that stands for a device function. Written by `#[device(grad)]` only.
pub(crate) const DERIVATIVE: &str = "__derivative";

/// The function that has derivatives, where those call it.
pub(crate) const ITSELF: &str = "__itself";

/// The argument of a kernel that was derived from another one. Written by `#[kernel(grad(…))]` only.
pub(crate) const DERIVED: &str = "__derived";

/// The arguments of `#[kernel(…)]`.
#[derive(Debug, Clone)]
pub(crate) struct KernelAttr {
    /// Invocations per workgroup: one to three axes.
    workgroup: Vec<WorkgroupArg>,
    /// The value of `workgroup`, or the call site.
    span: SpanRange,
    /// Invocations per subgroup, if it says so.
    subgroup: Option<WorkgroupArg>,
    /// The guarantees that `fast_math` waives.
    float_rules: FloatRules,
    /// Whether it asks for subnormal numbers.
    needs_subnormals: bool,
    /// How many items an invocation runs, and where that is written.
    items: (Request, SpanRange),
    /// The parameters by which it is derived.
    gradient: Vec<Ident>,
    /// Whether it stands for a device function, of which `vjp` and `jvp` are wanted.
    is_derivative: bool,
    /// Whether it was derived from a kernel, in which races were looked for.
    is_derived: bool,
    /// The arguments that its derived kernel has, too.
    forwarded: TokenStream,
    /// Values of const parameters where nothing else is said.
    defaults: ConstDefaults,
    /// The types that type parameters stand for.
    type_lists: Vec<TypeList>,
}

/// `key = value`, `key(name, …)`, `T = [A, B]`
struct Argument {
    key: Ident,
    value: Option<Expr>,
    names: Option<Vec<Ident>>,
    types: Option<ListSyntax>,
}

impl Argument {
    fn parse_all(input: ParseStream<'_>, generics: &syn::Generics) -> syn::Result<Vec<Self>> {
        let mut arguments = Vec::new();
        while !input.is_empty() {
            arguments.push(Self::parse(input, generics)?);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(arguments)
    }

    fn parse(input: ParseStream<'_>, generics: &syn::Generics) -> syn::Result<Self> {
        let key: Ident = input.parse()?;
        if generics.type_params().any(|param| param.ident == key) {
            let types = input.parse::<Option<Token![=]>>()?.map(|_| ListSyntax::parse(input)).transpose()?;
            return Ok(Self { key, value: None, names: None, types });
        }
        let mut names = None;
        if input.peek(syn::token::Paren) {
            let list;
            syn::parenthesized!(list in input);
            names = Some(Punctuated::<Ident, Token![,]>::parse_terminated(&list)?.into_iter().collect());
        }
        let value = input.parse::<Option<Token![=]>>()?.map(|_| input.parse()).transpose()?;
        Ok(Self { key, value, names, types: None })
    }
}

impl KernelAttr {
    /// Reads the attribute's arguments; those named like a generic parameter are about it.
    pub(crate) fn parse(tokens: TokenStream, generics: &syn::Generics, diags: &mut Diagnostics) -> Self {
        if let Some(attr) = Self::read_plainly(&tokens).filter(|_| generics.params.is_empty()) {
            return attr;
        }
        let mut attr = Self::silent();
        if tokens.to_string() == DERIVATIVE {
            attr.is_derivative = true;
            return attr;
        }
        attr.forwarded = without_gradient(&tokens);
        let arguments = match (|input: ParseStream<'_>| Argument::parse_all(input, generics)).parse2(tokens) {
            Ok(arguments) => arguments,
            Err(error) => {
                let message = format!("cannot read the arguments of `#[kernel]`: {error}");
                diags
                    .error(code::BAD_ATTRIBUTE, SpanRange::token(error.span()), message)
                    .help("write `#[kernel(workgroup = 64)]`");
                return attr;
            }
        };
        let mut seen: Vec<String> = Vec::new();
        for mut argument in arguments {
            let (span, key) = (SpanRange::token(argument.key.span()), argument.key.to_string());
            let is_const = generics.const_params().any(|param| param.ident == argument.key);
            let is_type = generics.type_params().any(|param| param.ident == argument.key);
            if key == DERIVED {
                attr.is_derived = true;
                continue;
            }
            if !KEYS.contains(&key.as_str()) && !is_const && !is_type {
                unknown_key(&argument.key, diags);
                continue;
            }
            if seen.contains(&key) {
                diags.error(code::BAD_ATTRIBUTE, span, format!("`{key}` is given twice")).help("keep one of them");
                continue;
            }
            match (&argument.value, key.as_str()) {
                _ if is_type => {
                    attr.type_lists.push(TypeList::read(&argument.key, argument.types.take(), diags));
                }
                (value, _) if is_const => attr.defaults.read(&argument.key, value.as_ref(), diags),
                (value, GRADIENT) => attr.read_gradient(&argument, value.is_some(), generics, diags),
                (value, "fast_math") => attr.read_fast_math(&argument, value.is_some(), diags),
                (None, SUBNORMALS) if argument.names.is_none() => attr.needs_subnormals = true,
                (_, SUBNORMALS) => {
                    diags
                        .error(code::BAD_ATTRIBUTE, span, "`subnormals` takes no value")
                        .help("write `subnormals` alone: it applies to all floats of the kernel");
                }
                _ if argument.names.is_some() => {
                    diags
                        .error(code::BAD_ATTRIBUTE, span, format!("`{key}` takes no parentheses"))
                        .help(format!("write `{key} = 64`"));
                }
                (Some(value), "workgroup") => attr.read_workgroup(value, diags),
                (value, ITEMS) => attr.read_items(value.as_ref(), span, diags),
                (Some(value), _) => attr.read_subgroup(value, diags),
                (None, "workgroup") => {
                    diags
                        .error(code::BAD_ATTRIBUTE, span, "`workgroup` needs a value")
                        .help("write `workgroup = 64` or `workgroup = [8, 8]`");
                }
                (None, _) => {
                    diags.error(code::BAD_ATTRIBUTE, span, "`subgroup` needs a value").help("write `subgroup = 32`");
                }
            }
            seen.push(key);
        }
        attr.type_lists = type_list::complete(attr.type_lists, generics, diags);
        attr.defaults.check(generics, diags);
        attr
    }

    /// The types that the kernel's type parameters stand for, in their order.
    pub(crate) fn type_lists(&self) -> &[TypeList] {
        &self.type_lists
    }

    /// The meaning of an attribute without arguments.
    fn silent() -> Self {
        let span = SpanRange::token(Span::call_site());
        Self {
            workgroup: Vec::new(),
            span,
            subgroup: None,
            float_rules: FloatRules::default(),
            needs_subnormals: false,
            items: (Request::Automatic, span),
            gradient: Vec::new(),
            is_derivative: false,
            is_derived: false,
            forwarded: TokenStream::new(),
            defaults: ConstDefaults::default(),
            type_lists: Vec::new(),
        }
    }

    /// `workgroup = 64` or `workgroup = [8, 8]` in plain numbers, as most kernels have it; `None` for all else, and for
    /// what has an error.
    fn read_plainly(tokens: &TokenStream) -> Option<Self> {
        let mut tokens = tokens.clone().into_iter();
        let (TokenTree::Ident(key), TokenTree::Punct(equals)) = (tokens.next()?, tokens.next()?) else { return None };
        let (value, None) = (tokens.next()?, tokens.next()) else { return None };
        if key != "workgroup" || equals.as_char() != '=' {
            return None;
        }
        let span = SpanRange::token(value.span());
        let mut workgroup = Vec::new();
        match value {
            TokenTree::Literal(size) => workgroup.push(plain_size(&size)?),
            TokenTree::Group(list) if list.delimiter() == Delimiter::Bracket => {
                let mut list = list.stream().into_iter();
                while let Some(size) = list.next() {
                    let TokenTree::Literal(size) = size else { return None };
                    workgroup.push(plain_size(&size)?);
                    let comma = list.next();
                    if comma.is_some_and(|comma| !matches!(comma, TokenTree::Punct(comma) if comma.as_char() == ',')) {
                        return None;
                    }
                }
            }
            _ => return None,
        }
        let attr = Self { workgroup, span, ..Self::silent() };
        let mut diags = Diagnostics::new();
        attr.check(&mut diags, Size::number);
        let is_clean = (1..=3).contains(&attr.workgroup.len()) && diags.into_list().is_empty();
        is_clean.then_some(attr)
    }

    /// `fast_math` gives up everything, `fast_math(contract)` what it names.
    fn read_fast_math(&mut self, argument: &Argument, has_value: bool, diags: &mut Diagnostics) {
        let known = format!("`{}`", FloatRules::NAMES.join("`, `"));
        let span = SpanRange::token(argument.key.span());
        match &argument.names {
            _ if has_value => {
                diags
                    .error(code::BAD_ATTRIBUTE, span, "`fast_math` takes no value")
                    .note(format!("it can give up {known}"))
                    .help("write `fast_math` for all of it, or `fast_math(contract)`");
            }
            None => self.float_rules = FloatRules::ALL,
            Some(names) if names.is_empty() => {
                diags
                    .error(code::BAD_ATTRIBUTE, span, "`fast_math()` gives up nothing")
                    .note(format!("it can give up {known}"))
                    .help("write `fast_math` for all of it, or name the parts");
            }
            Some(names) => {
                for name in names {
                    let text = name.to_string();
                    if self.float_rules.allow(&text) {
                        continue;
                    }
                    let message = format!("`fast_math` has no part `{text}`");
                    let error = diags.error(code::BAD_ATTRIBUTE, SpanRange::token(name.span()), message);
                    match nearest(&text, FloatRules::NAMES) {
                        Some(part) => error.help(format!("did you mean `{part}`?")),
                        None => error.help(format!("it can give up {known}")),
                    };
                }
            }
        }
    }

    /// The guarantees of exact float arithmetic that the kernel waives.
    pub(crate) const fn float_rules(&self) -> FloatRules {
        self.float_rules
    }

    /// Whether the kernel asks for devices that keep subnormal numbers.
    pub(crate) const fn needs_subnormals(&self) -> bool {
        self.needs_subnormals
    }

    /// `grad(x, w)`
    fn read_gradient(
        &mut self,
        argument: &Argument,
        has_value: bool,
        generics: &syn::Generics,
        diags: &mut Diagnostics,
    ) {
        let span = SpanRange::token(argument.key.span());
        match &argument.names {
            Some(names) if !has_value && !names.is_empty() => self.gradient = names.clone(),
            _ => {
                diags
                    .error(code::BAD_ATTRIBUTE, span, "`grad` needs the names of parameters")
                    .help("write `grad(x, w)` with the inputs whose gradients are wanted");
            }
        }
        if generics.type_params().next().is_some() {
            diags
                .error(code::BAD_ATTRIBUTE, span, "a kernel with type parameters has no gradient yet")
                .help("write a kernel for each type, which calls a generic `#[device]` function");
        }
    }

    /// The parameters by which the kernel is derived.
    pub(crate) fn gradient(&self) -> &[Ident] {
        &self.gradient
    }

    /// Whether the kernel stands for a device function.
    pub(crate) const fn is_derivative(&self) -> bool {
        self.is_derivative
    }

    /// Whether it was derived from a kernel, in which races were looked for.
    pub(crate) const fn is_derived(&self) -> bool {
        self.is_derived
    }

    /// The same arguments, for a kernel whose races were looked for before it was printed.
    pub(crate) fn printed(&self) -> Self {
        Self { is_derived: true, ..self.clone() }
    }

    /// The arguments that the derived kernel has, too.
    pub(crate) const fn forwarded(&self) -> &TokenStream {
        &self.forwarded
    }

    fn read_items(&mut self, value: Option<&Expr>, key: SpanRange, diags: &mut Diagnostics) {
        let span = value.map_or(key, SpanRange::of);
        let request = match value.and_then(literal_number).and_then(|number| u32::try_from(number).ok()) {
            Some(1) => Request::One,
            Some(number) if COUNTS.contains(&number) => Request::Items(number),
            _ => {
                diags
                    .error(code::BAD_ATTRIBUTE, span, format!("`{ITEMS}` is 1, 2, 4 or 8"))
                    .help(format!("write `{ITEMS} = 4`, or leave it out and the compiler chooses"));
                Request::Automatic
            }
        };
        self.items = (request, span);
    }

    /// How many items an invocation runs, and where that is written.
    pub(crate) const fn items(&self) -> (Request, SpanRange) {
        self.items
    }

    /// The const arguments to tune, in the order of the parameters; none where nothing is listed.
    pub(crate) fn candidates(&self, generics: &syn::Generics) -> Vec<Vec<&TokenStream>> {
        self.defaults.candidates(generics)
    }

    /// The default of a const parameter.
    pub(crate) fn default_of(&self, name: &Ident) -> Option<&ConstDefault> {
        self.defaults.of(name)
    }
}

fn unknown_key(key: &Ident, diags: &mut Diagnostics) {
    let name = key.to_string();
    let error =
        diags.error(code::BAD_ATTRIBUTE, SpanRange::token(key.span()), format!("`#[kernel]` has no argument `{name}`"));
    match nearest(&name, KEYS) {
        Some(key) => error.help(format!("did you mean `{key}`?")),
        None => error.help(format!("it knows `{}`", KEYS.join("`, `"))),
    };
}

/// Reports arguments given to an attribute that takes none.
pub(crate) fn check_no_arguments(name: &str, tokens: &TokenStream, diags: &mut Diagnostics) {
    if !tokens.is_empty() {
        diags
            .error(
                code::BAD_ATTRIBUTE,
                SpanRange::of(tokens.to_token_stream()),
                format!("`#[{name}]` takes no arguments"),
            )
            .help(format!("write `#[{name}]`"));
    }
}

/// The arguments without `grad(…)`, and without a number of items, which the derived kernel need not allow.
fn without_gradient(tokens: &TokenStream) -> TokenStream {
    let mut kept: Vec<Vec<TokenTree>> = vec![Vec::new()];
    for tree in tokens.clone() {
        match &tree {
            TokenTree::Punct(punct) if punct.as_char() == ',' => kept.push(Vec::new()),
            _ => kept.last_mut().expect("there is one from the start").push(tree),
        }
    }
    kept.retain(|argument| {
        !argument.is_empty() && !matches!(&argument[0], TokenTree::Ident(key) if key == GRADIENT || key == ITEMS)
    });
    kept.into_iter().flat_map(|argument| argument.into_iter().chain([comma()])).collect()
}

fn comma() -> TokenTree {
    TokenTree::Punct(proc_macro2::Punct::new(',', proc_macro2::Spacing::Alone))
}
