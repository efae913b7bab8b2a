//! The arguments of `#[kernel(…)]`. Reads tokens and checks numbers; expands nothing.

pub(crate) mod const_defaults;
pub(crate) mod type_list;

use gridwise_ir::batch::{COUNTS, Request};
use gridwise_ir::ir::FloatRules;
use proc_macro2::{Delimiter, Ident, Literal, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{Expr, Lit, Token};

use crate::ast::{Path, ScalarName, SpanRange};
use crate::attribute::const_defaults::{ConstDefault, ConstDefaults, literal_number};
use crate::diag::{Diagnostics, code};
use crate::infer::nearest;
use crate::program::{Chosen, ItemId, Program, TypedItem};
use crate::typed::{ConstValue, Len};
use type_list::{ListSyntax, TypeList};

/// Invocations per workgroup of a kernel that does not say: a multiple of every GPU's subgroup size.
const DEFAULT_WORKGROUP: u32 = 64;

/// The most invocations a workgroup may have: what desktop GPUs and software devices offer.
pub(crate) const MAX_INVOCATIONS: u64 = 1024;

/// The most invocations along each axis.
const MAX_SIZE: [u64; 3] = [1024, 1024, 64];

/// The most invocations of a subgroup.
const MAX_SUBGROUP: u64 = 128;

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

/// One component of `workgroup`.
#[derive(Debug, Clone)]
struct WorkgroupArg {
    size: Size,
    span: SpanRange,
}

#[derive(Debug, Clone)]
enum Size {
    Number(u64),
    Const(Path),
    /// Reported already.
    Error,
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

    fn read_subgroup(&mut self, value: &Expr, diags: &mut Diagnostics) {
        let arg = read_size(value, diags);
        if let Size::Number(number) = arg.size {
            check_subgroup(number, arg.span, diags);
        }
        self.subgroup = Some(arg);
    }

    /// The subgroup size that the kernel asks for, a const looked up among what `kernel` names.
    pub(crate) fn subgroup(&self, program: &Program, kernel: ItemId, diags: &mut Diagnostics) -> Option<u32> {
        let arg = self.subgroup.as_ref()?;
        let number = match &arg.size {
            Size::Error => return None,
            Size::Number(number) => *number,
            Size::Const(path) => {
                let Some(number) = const_size(path, program, kernel) else {
                    unknown_const(path, arg.span, diags);
                    return None;
                };
                check_subgroup(number, arg.span, diags);
                number
            }
        };
        u32::try_from(number).ok()
    }

    fn read_workgroup(&mut self, value: &Expr, diags: &mut Diagnostics) {
        self.span = SpanRange::of(value);
        let sizes = match value {
            Expr::Array(array) => &array.elems,
            // As grids are written.
            Expr::Tuple(tuple) => &tuple.elems,
            other => {
                self.workgroup = vec![read_size(other, diags)];
                return self.check(diags, Size::number);
            }
        };
        if (1..=3).contains(&sizes.len()) {
            self.workgroup = sizes.iter().map(|size| read_size(size, diags)).collect();
        } else {
            let message = format!("a workgroup has one to three sizes, found {}", sizes.len());
            diags.error(code::BAD_ATTRIBUTE, self.span, message).help("write `[X]`, `[X, Y]` or `[X, Y, Z]`");
        }
        self.check(diags, Size::number);
    }

    /// The consts that the sizes name.
    pub(crate) fn const_paths(&self) -> impl Iterator<Item = &Path> {
        self.workgroup.iter().chain(&self.subgroup).filter_map(|arg| match &arg.size {
            Size::Const(path) => Some(path),
            Size::Number(_) | Size::Error => None,
        })
    }

    /// The workgroup size, consts looked up among what `kernel` names.
    pub(crate) fn workgroup(&self, program: &Program, kernel: ItemId, diags: &mut Diagnostics) -> [Len; 3] {
        if self.workgroup.is_empty() {
            return [DEFAULT_WORKGROUP, 1, 1].map(Len::Known);
        }
        let mut sizes = [1; 3].map(Len::Known);
        let mut known = Vec::new();
        for (arg, size) in self.workgroup.iter().zip(&mut sizes) {
            if let Some((number, chosen)) = arg.chosen(program) {
                if !matches!(chosen.scalar, ScalarName::U32 | ScalarName::Usize) {
                    let (name, ty) = (&chosen.name, chosen.scalar.name());
                    diags
                        .error(code::BAD_ATTRIBUTE, arg.span, format!("the workgroup size `{name}` is a `{ty}`"))
                        .help(format!("make it `const {name}: u32`"));
                }
                known.push(None);
                *size = Len::Chosen(number);
                continue;
            }
            let value = match &arg.size {
                Size::Number(number) => Some(*number),
                Size::Error => None,
                Size::Const(path) => const_size(path, program, kernel).or_else(|| {
                    unknown_const(path, arg.span, diags);
                    None
                }),
            };
            known.push(value);
            *size = Len::Known(value.and_then(|value| u32::try_from(value).ok()).unwrap_or(1));
        }
        if self.workgroup.iter().any(|arg| matches!(arg.size, Size::Const(_))) {
            let mut values = known.into_iter();
            self.check(diags, |_| values.next().flatten());
        }
        sizes
    }

    /// Checks the sizes that `value` knows, each and together.
    fn check(&self, diags: &mut Diagnostics, mut value: impl FnMut(&Size) -> Option<u64>) {
        let mut product = 1_u64;
        let mut fits = true;
        for ((arg, axis), max) in self.workgroup.iter().zip(["x", "y", "z"]).zip(MAX_SIZE) {
            let Some(size) = value(&arg.size) else { continue };
            product = product.saturating_mul(size);
            if size == 0 {
                fits = false;
                diags
                    .error(code::WORKGROUP_SIZE, arg.span, "a workgroup size cannot be zero")
                    .help("write the number of invocations per workgroup, such as 64");
            } else if size > max {
                fits = false;
                diags
                    .error(
                        code::WORKGROUP_SIZE,
                        arg.span,
                        format!("a workgroup size of {size} along {axis} is over {max}"),
                    )
                    .note(format!("devices offer {max} along {axis} (`maxComputeWorkGroupSize`)"));
            }
        }
        if fits && product > MAX_INVOCATIONS {
            let message = format!("a workgroup of {product} invocations is over {MAX_INVOCATIONS}");
            diags
                .error(code::WORKGROUP_SIZE, self.span, message)
                .note(format!(
                    "Vulkan guarantees 128 (`maxComputeWorkGroupInvocations`), devices offer up to {MAX_INVOCATIONS}"
                ))
                .help("make the workgroup smaller and dispatch more of them");
        }
    }
}

impl Size {
    /// The number that is written.
    fn number(&self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Const(_) | Self::Error => None,
        }
    }
}

impl WorkgroupArg {
    /// The kernel's const parameter that it names.
    fn chosen<'p>(&self, program: &'p Program) -> Option<(u32, &'p Chosen)> {
        let Size::Const(path) = &self.size else { return None };
        let name = path.as_name()?;
        (0..).zip(&program.chosen).find(|(_, chosen)| chosen.name == *name)
    }
}

fn unknown_const(path: &Path, span: SpanRange, diags: &mut Diagnostics) {
    diags
        .error(code::BAD_ATTRIBUTE, span, format!("`{}` is not an unsigned const", path.text()))
        .help("name a `#[device] const` of type u32 or usize, or write a number");
}

/// Reports a subgroup size that no device has.
fn check_subgroup(number: u64, span: SpanRange, diags: &mut Diagnostics) {
    if !number.is_power_of_two() || number > MAX_SUBGROUP {
        diags
            .error(code::SUBGROUP_OPERAND, span, format!("a subgroup of {number} invocations is not possible"))
            .note("subgroups have a power of two of invocations, at most 128; most devices have 32 or 64")
            .help("write `subgroup = 32`, or leave it out and ask `subgroup_size()`");
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

/// Digits.
fn plain_size(literal: &Literal) -> Option<WorkgroupArg> {
    let size = Size::Number(literal.to_string().parse().ok()?);
    Some(WorkgroupArg { size, span: SpanRange::token(literal.span()) })
}

fn read_size(value: &Expr, diags: &mut Diagnostics) -> WorkgroupArg {
    let span = SpanRange::of(value);
    let size = match value {
        Expr::Group(group) => return read_size(&group.expr, diags),
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(int) if ["", "u32", "usize"].contains(&int.suffix()) => {
                // A number too large for u64 is as much over the limit as u64::MAX.
                Size::Number(int.base10_parse().unwrap_or(u64::MAX))
            }
            _ => bad_size(span, diags),
        },
        Expr::Path(path) if path.qself.is_none() && path.path.segments.iter().all(|it| it.arguments.is_none()) => {
            let segments = path.path.segments.iter().map(|segment| segment.ident.clone()).collect();
            Size::Const(Path::plain(path.path.leading_colon.is_some(), segments))
        }
        _ => bad_size(span, diags),
    };
    WorkgroupArg { size, span }
}

fn bad_size(span: SpanRange, diags: &mut Diagnostics) -> Size {
    diags
        .error(code::BAD_ATTRIBUTE, span, "a workgroup size is a whole number or the path of a `#[device] const`")
        .help("write `workgroup = 64`, `workgroup = [8, 8]` or `workgroup = SIZE`");
    Size::Error
}

fn const_size(path: &Path, program: &Program, kernel: ItemId) -> Option<u64> {
    let used = program.items[kernel].uses.get(&path.text())?;
    match &program.items[*used].typed {
        TypedItem::Const(constant) => match constant.value {
            ConstValue::U32(value) => Some(u64::from(value)),
            _ => None,
        },
        _ => None,
    }
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
