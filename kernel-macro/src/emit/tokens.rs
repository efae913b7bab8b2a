//! Tokens that are put together in plain vectors and move into what is built around them. `quote!` makes a stream at each level of
//! nesting and copies every token of it into the next: with it, an expansion of `#[kernel]` takes 11 to 18 % longer. So all of `emit`
//! uses `tokens!`, and nothing else does: `quote!` writes what is parsed once more, and the items around an expansion. Knows nothing of
//! what the tokens mean.

use std::cell::{Cell, RefCell};

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;

/// Tokens to be used exactly once.
pub(crate) struct Tokens(Cell<Option<Vec<TokenTree>>>);

thread_local! {
    /// Vectors that nothing uses any more.
    static SPARE: RefCell<Vec<Vec<TokenTree>>> = const { RefCell::new(Vec::new()) };
}

impl Tokens {
    /// Whether they are a name, a path, a literal or something in parentheses, with nothing behind it but members, calls and indices:
    /// what binds tighter than any operator in front of it or behind it. `false` where that takes more than a look.
    pub(crate) fn is_postfix(&self) -> bool {
        let trees = self.0.take().unwrap_or_default();
        let is_postfix = is_postfix(&trees);
        self.0.set(Some(trees));
        is_postfix
    }

    /// Whether braces of theirs could be taken for a block that follows them.
    pub(crate) fn has_braces(&self) -> bool {
        let trees = self.0.take().unwrap_or_default();
        let is_braced =
            |tree: &TokenTree| matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        let has_braces = trees.iter().any(is_braced);
        self.0.set(Some(trees));
        has_braces
    }

    /// A copy, and the tokens still to be used.
    pub(crate) fn copy(&self) -> Self {
        let tokens = self.0.take();
        let copy = tokens.clone();
        self.0.set(tokens);
        Self(Cell::new(copy))
    }
}

fn is_postfix(trees: &[TokenTree]) -> bool {
    /// The position in front of a token.
    #[derive(PartialEq)]
    enum Front {
        Nothing,
        Operand,
        Dot,
        Colon,
        Colons,
    }
    const JUMPS: [&str; 3] = ["return", "break", "yield"];
    let mut front = Front::Nothing;
    for tree in trees {
        front = match (tree, front) {
            (TokenTree::Ident(_) | TokenTree::Literal(_), Front::Operand | Front::Colon) => return false,
            (TokenTree::Ident(name), Front::Nothing) if JUMPS.iter().any(|jump| name == jump) => return false,
            (TokenTree::Ident(_) | TokenTree::Literal(_), _) => Front::Operand,
            (TokenTree::Group(group), Front::Nothing | Front::Operand)
                if group.delimiter() == Delimiter::Parenthesis =>
            {
                Front::Operand
            }
            (TokenTree::Group(group), Front::Operand) if group.delimiter() == Delimiter::Bracket => Front::Operand,
            (TokenTree::Punct(punct), Front::Operand) if punct.as_char() == '.' => Front::Dot,
            (TokenTree::Punct(punct), Front::Nothing | Front::Operand) if punct.as_char() == ':' => Front::Colon,
            (TokenTree::Punct(punct), Front::Colon) if punct.as_char() == ':' => Front::Colons,
            _ => return false,
        };
    }
    front == Front::Operand
}

impl From<TokenTree> for Tokens {
    fn from(tree: TokenTree) -> Self {
        let mut tokens = Writer::new();
        tokens.trees.push(tree);
        tokens.finish()
    }
}

impl From<TokenStream> for Tokens {
    fn from(stream: TokenStream) -> Self {
        let mut tokens = Writer::new();
        tokens.trees.extend(stream);
        tokens.finish()
    }
}

impl From<Tokens> for TokenStream {
    fn from(tokens: Tokens) -> Self {
        let mut trees = tokens.0.take().unwrap_or_default();
        let stream = trees.drain(..).collect();
        give_back(trees);
        stream
    }
}

impl ToTokens for Tokens {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let mut trees = self.0.take().unwrap_or_default();
        tokens.extend(trees.drain(..));
        give_back(trees);
    }
}

fn give_back(trees: Vec<TokenTree>) {
    SPARE.with_borrow_mut(|spare| spare.push(trees));
}

/// Tokens in the making. Calls in templates stay calls: each is run once or twice for a kernel, and the time goes by
/// how much code there is.
pub(crate) struct Writer {
    trees: Vec<TokenTree>,
}

impl Writer {
    pub(crate) fn new() -> Self {
        Self { trees: SPARE.with_borrow_mut(Vec::pop).unwrap_or_default() }
    }

    pub(crate) fn finish(self) -> Tokens {
        Tokens(Cell::new(Some(self.trees)))
    }

    /// An identifier or keyword.
    #[inline(never)]
    pub(crate) fn ident(&mut self, name: &str, span: Span) {
        self.trees.push(Ident::new(name, span).into());
    }

    /// The characters of a punctuation.
    #[inline(never)]
    pub(crate) fn punct(&mut self, characters: &str, span: Span) {
        let mut rest = characters.bytes();
        while let Some(byte) = rest.next() {
            let spacing = if rest.len() > 0 { Spacing::Joint } else { Spacing::Alone };
            let mut punct = Punct::new(char::from(byte), spacing);
            punct.set_span(span);
            self.trees.push(punct.into());
        }
    }

    /// `'name`
    pub(crate) fn lifetime(&mut self, name: &str, span: Span) {
        self.trees.push(Punct::new('\'', Spacing::Joint).into());
        self.ident(&name[1..], span);
    }

    /// A literal as it is written.
    #[inline(never)]
    pub(crate) fn literal(&mut self, text: &str, span: Span) {
        let number = text.parse().map(Literal::u64_unsuffixed);
        // Without escapes, which the constructor would escape again.
        let string = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).filter(|text| !text.contains('\\'));
        let mut literal = match (number, string) {
            (Ok(number), _) => number,
            (_, Some(string)) => Literal::string(string),
            _ => text.parse().expect("a template has valid literals"),
        };
        literal.set_span(span);
        self.trees.push(literal.into());
    }

    /// The position at which a group begins.
    pub(crate) fn open(&self) -> usize {
        self.trees.len()
    }

    /// Makes a group of what was written since `open`.
    #[inline(never)]
    pub(crate) fn close(&mut self, open: usize, delimiter: Delimiter, span: Span) {
        let mut group = Group::new(delimiter, self.trees.drain(open..).collect());
        group.set_span(span);
        self.trees.push(group.into());
    }

    /// One separator, but not in front of the first of several.
    pub(crate) fn separate(&mut self, is_first: &mut bool, separator: &str, span: Span) {
        if !std::mem::replace(is_first, false) {
            self.punct(separator, span);
        }
    }
}

/// A value that templates interpolate.
pub(crate) trait Put {
    /// Appends itself.
    fn put(&self, writer: &mut Writer);
}

impl Put for Tokens {
    fn put(&self, writer: &mut Writer) {
        let own = self.0.take();
        let mut own = own.expect("rendered tokens are used once");
        if writer.trees.is_empty() {
            std::mem::swap(&mut writer.trees, &mut own);
        } else {
            writer.trees.append(&mut own);
        }
        give_back(own);
    }
}

impl Put for TokenStream {
    fn put(&self, writer: &mut Writer) {
        writer.trees.extend(self.clone());
    }
}

impl Put for Ident {
    fn put(&self, writer: &mut Writer) {
        writer.trees.push(self.clone().into());
    }
}

/// An identifier or keyword of generated code.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word(pub(crate) &'static str);

impl Put for Word {
    fn put(&self, writer: &mut Writer) {
        writer.ident(self.0, Span::call_site());
    }
}

/// A variable of generated code, which cannot clash with the author's names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Local(pub(crate) &'static str);

impl Put for Local {
    fn put(&self, writer: &mut Writer) {
        writer.ident(self.0, Span::mixed_site());
    }
}

impl From<Word> for Ident {
    fn from(Word(name): Word) -> Self {
        Self::new(name, Span::call_site())
    }
}

impl From<Local> for Ident {
    fn from(Local(name): Local) -> Self {
        Self::new(name, Span::mixed_site())
    }
}

/// A number without a suffix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain(pub(crate) u32);

impl Put for Plain {
    fn put(&self, writer: &mut Writer) {
        writer.trees.push(Literal::u32_unsuffixed(self.0).into());
    }
}

/// A byte string.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bytes<'b>(pub(crate) &'b [u8]);

impl Put for Bytes<'_> {
    fn put(&self, writer: &mut Writer) {
        writer.trees.push(Literal::byte_string(self.0).into());
    }
}

impl Put for Literal {
    fn put(&self, writer: &mut Writer) {
        writer.trees.push(self.clone().into());
    }
}

impl Put for Punct {
    fn put(&self, writer: &mut Writer) {
        writer.trees.push(self.clone().into());
    }
}

impl Put for str {
    fn put(&self, writer: &mut Writer) {
        writer.trees.push(Literal::string(self).into());
    }
}

impl Put for String {
    fn put(&self, writer: &mut Writer) {
        self.as_str().put(writer);
    }
}

impl Put for bool {
    fn put(&self, writer: &mut Writer) {
        writer.ident(if *self { "true" } else { "false" }, Span::call_site());
    }
}

macro_rules! put_as_literals {
    ($($ty:ty: $literal:ident),*) => {$(
        impl Put for $ty {
            fn put(&self, writer: &mut Writer) {
                writer.trees.push(Literal::$literal(*self).into());
            }
        }
    )*};
}

put_as_literals!(u16: u16_suffixed, u32: u32_suffixed, u64: u64_suffixed, usize: usize_suffixed, i32: i32_suffixed, i128: i128_suffixed);

impl<T: Put + ?Sized> Put for &T {
    fn put(&self, writer: &mut Writer) {
        (**self).put(writer);
    }
}

impl<T: Put + ?Sized> Put for &mut T {
    fn put(&self, writer: &mut Writer) {
        (**self).put(writer);
    }
}

impl<T: Put + ?Sized> Put for Box<T> {
    fn put(&self, writer: &mut Writer) {
        (**self).put(writer);
    }
}

impl<T: Put> Put for Option<T> {
    fn put(&self, writer: &mut Writer) {
        if let Some(value) = self {
            value.put(writer);
        }
    }
}

macro_rules! put_as_streams {
    ($($ty:ty),*) => {$(
        impl Put for $ty {
            fn put(&self, writer: &mut Writer) {
                writer.trees.extend(self.to_token_stream());
            }
        }
    )*};
}

put_as_streams!(
    syn::Attribute,
    syn::Generics,
    syn::ImplGenerics<'_>,
    syn::LitStr,
    syn::Lifetime,
    syn::Member,
    syn::Path,
    syn::Receiver,
    syn::Signature,
    syn::Turbofish<'_>,
    syn::Type,
    syn::TypeGenerics<'_>,
    syn::Visibility,
    syn::WhereClause,
    syn::WherePredicate
);

/// As `quote!`, with `#name`, `#(#names)*`, `#(#names),*` and `#(#names,)*`.
macro_rules! tokens {
    ($($tokens:tt)*) => { $crate::emit::tokens::tokens_at!(::proc_macro2::Span::call_site()=> $($tokens)*) };
}

/// As `quote_spanned!`: what stands in the template itself gets this span.
macro_rules! tokens_at {
    ($span:expr=> $($tokens:tt)*) => {{
        #[allow(unused_variables)]
        let span: ::proc_macro2::Span = $span;
        #[allow(unused_mut)]
        let mut writer = $crate::emit::tokens::Writer::new();
        $crate::emit::tokens::write_each!(writer span; $($tokens)*);
        writer.finish()
    }};
}

/// Writes the tokens of a template, one after the other.
macro_rules! write_each {
    ($writer:ident $span:ident;) => {};
    ($writer:ident $span:ident; # ( # $names:ident ) * $($rest:tt)*) => {
        for name in $names {
            $crate::emit::tokens::Put::put(&name, &mut $writer);
        }
        $crate::emit::tokens::write_each!($writer $span; $($rest)*);
    };
    ($writer:ident $span:ident; # ( # $names:ident , ) * $($rest:tt)*) => {
        for name in $names {
            $crate::emit::tokens::Put::put(&name, &mut $writer);
            $writer.punct(",", $span);
        }
        $crate::emit::tokens::write_each!($writer $span; $($rest)*);
    };
    ($writer:ident $span:ident; # ( # $names:ident ) $separator:tt * $($rest:tt)*) => {
        let mut is_first = true;
        for name in $names {
            $writer.separate(&mut is_first, stringify!($separator), $span);
            $crate::emit::tokens::Put::put(&name, &mut $writer);
        }
        $crate::emit::tokens::write_each!($writer $span; $($rest)*);
    };
    ($writer:ident $span:ident; # $name:ident $($rest:tt)*) => {
        $crate::emit::tokens::Put::put(&$name, &mut $writer);
        $crate::emit::tokens::write_each!($writer $span; $($rest)*);
    };
    ($writer:ident $span:ident; ( $($inner:tt)* ) $($rest:tt)*) => {
        let open = $writer.open();
        $crate::emit::tokens::write_each!($writer $span; $($inner)*);
        $writer.close(open, ::proc_macro2::Delimiter::Parenthesis, $span);
        $crate::emit::tokens::write_each!($writer $span; $($rest)*);
    };
    ($writer:ident $span:ident; { $($inner:tt)* } $($rest:tt)*) => {
        let open = $writer.open();
        $crate::emit::tokens::write_each!($writer $span; $($inner)*);
        $writer.close(open, ::proc_macro2::Delimiter::Brace, $span);
        $crate::emit::tokens::write_each!($writer $span; $($rest)*);
    };
    ($writer:ident $span:ident; [ $($inner:tt)* ] $($rest:tt)*) => {
        let open = $writer.open();
        $crate::emit::tokens::write_each!($writer $span; $($inner)*);
        $writer.close(open, ::proc_macro2::Delimiter::Bracket, $span);
        $crate::emit::tokens::write_each!($writer $span; $($rest)*);
    };
    ($writer:ident $span:ident; $name:ident $($rest:tt)*) => {
        $writer.ident(stringify!($name), $span);
        $crate::emit::tokens::write_each!($writer $span; $($rest)*);
    };
    ($writer:ident $span:ident; _ $($rest:tt)*) => {
        $writer.ident("_", $span);
        $crate::emit::tokens::write_each!($writer $span; $($rest)*);
    };
    ($writer:ident $span:ident; $lifetime:lifetime $($rest:tt)*) => {
        $writer.lifetime(stringify!($lifetime), $span);
        $crate::emit::tokens::write_each!($writer $span; $($rest)*);
    };
    // No sign of a literal: what follows may be interpolated.
    ($writer:ident $span:ident; - $($rest:tt)*) => {
        $writer.punct("-", $span);
        $crate::emit::tokens::write_each!($writer $span; $($rest)*);
    };
    ($writer:ident $span:ident; $literal:literal $($rest:tt)*) => {
        $writer.literal(stringify!($literal), $span);
        $crate::emit::tokens::write_each!($writer $span; $($rest)*);
    };
    ($writer:ident $span:ident; $punct:tt $($rest:tt)*) => {
        $writer.punct(stringify!($punct), $span);
        $crate::emit::tokens::write_each!($writer $span; $($rest)*);
    };
}

pub(crate) use {tokens, tokens_at, write_each};
