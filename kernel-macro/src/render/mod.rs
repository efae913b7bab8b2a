//! Typed trees back to Rust: the checked original of a kernel, device functions, and the host twin. Decides nothing about types.
//!
//! Three renderings of one tree, every inferred type stated in each, so that a difference from rustc's inference is a
//! compile error:
//! - *original*: the kernel with the types its author wrote, for rustc's checks and for editors; it never runs;
//! - *twin*: the kernel with buffers that many invocations share, wrapping integers, and traps instead of panics; it runs
//!   on the host device;
//! - *device*: a device function, which serves as both and finds the running invocation by thread.

mod assign;
mod expr;
mod function;
mod intrinsic;
mod operator;
mod place;
mod site;
mod types;

pub(crate) use function::{render_fn, render_host};

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use crate::ast::Expr;
use crate::program::ProgramItem;
use crate::typed::{Ty, TypedFn};

/// Which rendering is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Original,
    Twin,
    Device,
}

/// What rendering one function needs.
struct Renderer<'a> {
    item: &'a ProgramItem,
    typed: &'a TypedFn,
    mode: Mode,
    /// Path of the twin's support module.
    twin: TokenStream,
    /// Path of glam.
    glam: TokenStream,
}

impl<'a> Renderer<'a> {
    fn new(item: &'a ProgramItem, typed: &'a TypedFn, mode: Mode, krate: &TokenStream) -> Self {
        let twin = quote!(#krate::__private::twin);
        let glam = quote!(#krate::__private::glam);
        Self { item, typed, mode, twin, glam }
    }

    /// Whether the rendering is the author's own code, not one that runs on the host device.
    fn is_original(&self) -> bool {
        self.mode == Mode::Original
    }

    /// The trap sink of the rendering.
    fn sink(&self) -> TokenStream {
        let twin = &self.twin;
        match self.mode {
            Mode::Twin => {
                let cx = context();
                quote!(#cx)
            }
            Mode::Device | Mode::Original => quote!(#twin::Ambient),
        }
    }

    fn expr_ty(&self, expr: &Expr) -> &'a Ty {
        self.typed.ty(expr.id)
    }
}

/// A name that cannot clash with the author's.
fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// The name of the twin's first parameter, the running invocation.
fn context() -> Ident {
    local("__invocation")
}
