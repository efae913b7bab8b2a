//! Tokens that move into what is built around them: with plain `TokenStream`s, `quote!` copies every token once per
//! level of nesting.

use std::cell::Cell;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// Tokens to be used exactly once.
pub(crate) struct Tokens(Cell<Option<TokenStream>>);

impl Tokens {
    /// A copy, and the tokens still to be used.
    pub(crate) fn copy(&self) -> Self {
        let tokens = self.0.take();
        let copy = tokens.clone();
        self.0.set(tokens);
        Self(Cell::new(copy))
    }
}

impl From<TokenStream> for Tokens {
    fn from(tokens: TokenStream) -> Self {
        Self(Cell::new(Some(tokens)))
    }
}

impl ToTokens for Tokens {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let own = self.0.take();
        debug_assert!(own.is_some(), "rendered tokens are used once");
        // As one stream: one after the other, each token would be looked at.
        tokens.extend(own);
    }
}

/// `quote!`, as [`Tokens`].
macro_rules! tokens {
    ($($tokens:tt)*) => { $crate::tokens::Tokens::from(::quote::quote!($($tokens)*)) };
}

/// `quote_spanned!`, as [`Tokens`].
macro_rules! tokens_at {
    ($($tokens:tt)*) => { $crate::tokens::Tokens::from(::quote::quote_spanned!($($tokens)*)) };
}

pub(crate) use {tokens, tokens_at};
