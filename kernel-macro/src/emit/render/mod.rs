//! Typed trees back to Rust: the checked original of a kernel, device functions, and the host twin. Decides nothing about types.
//!
//! Three renderings of one tree, every inferred type stated in each, so that a difference from rustc's inference is a
//! compile error:
//! - *original*: the kernel with the types its author wrote, for rustc's checks and for editors; it never runs;
//! - *twin*: the kernel with buffers that many invocations share, wrapping integers, and traps instead of panics; it runs
//!   on the host device;
//! - *device*: a device function, which serves as both and finds the running invocation by thread. One that takes slices has
//!   an original and, for what runs on the host, a function of slices that many invocations share.
//!
//! The twin cannot take `&mut [T]`, because many invocations hold the buffer at once. It takes `SliceMut`, whose
//! accesses are relaxed atomics word by word, so a race is a wrong program and not undefined behaviour. `usize` and
//! `isize` have 32 bits in it, as on the device. rust-analyzer gets the author's own text in place of the original
//! ([`editor`](crate::emit::editor)), before everything that depends on the body, because it completes a word by
//! comparing two expansions.

mod assign;
mod closure;
mod compare;
mod coop;
mod expr;
mod function;
mod generic;
mod held;
mod image;
mod intrinsic;
mod iterate;
mod loops;
mod operator;
mod parallel;
mod pattern;
mod place;
mod reference;
mod report;
mod site;
mod slice;
mod slice_method;
mod slice_pattern;
mod steps;
mod types;

#[cfg(test)]
pub(crate) use function::Way;
pub(crate) use function::{Host, names_any, render_fn, render_held_fn, render_host, render_original, way_of};
use site::SiteRows;
pub(crate) use site::{MOST_MATCHED, SITES, SiteIndex, SiteUse, sites_rows, sites_tokens};
pub(crate) use slice::method_twin;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use gridwise_ir::hash::FastMap;
use proc_macro2::{Ident, Literal, Span, TokenStream};

use crate::ast::{BindingId, Expr, ExprId};
use crate::emit::tokens::{Local, Tokens, Word, tokens};
use crate::program::{Program, ProgramItem};
use crate::typed::{Ty, TypedFn};

/// The name of the twin's support module in generated code: a `use` in front of it gives the path.
pub(crate) const TWIN: &str = "__twin";

/// The rendering that is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Original,
    Twin,
    Device,
    /// A device function that takes slices or is a `const fn`, as what runs on the host calls it.
    Slices,
}

/// The state of rendering one function.
struct Renderer<'a> {
    program: &'a Program,
    item: &'a ProgramItem,
    typed: &'a TypedFn,
    mode: Mode,
    /// Whether anything named the twin's support module.
    uses_twin: Cell<bool>,
    /// The trap sites met so far.
    sites: RefCell<SiteRows>,
    /// The references of the twin that lead into buffers and shared variables.
    parts: RefCell<BTreeSet<BindingId>>,
    /// The variables of patterns that are references here, because what they name moves and a reference leads to the whole.
    lent_parts: RefCell<BTreeSet<BindingId>>,
    /// Whether what is rendered records no traps.
    is_quiet: bool,
    /// Whether what is rendered is an async function, which gives way where it waits.
    in_steps: bool,
    /// Whether what is rendered belongs to a struct with slices, and not to the twin of the struct.
    of_original: bool,
    /// Whether what is rendered runs in loops, part by part.
    in_loops: bool,
    /// The calls whose results are in places of their own, because the function has been called in loops.
    results: BTreeSet<ExprId>,
    /// The variables that name slices, and whether they write.
    slices: RefCell<BTreeMap<BindingId, bool>>,
    /// Numbers with suffixes, which take long to make: each once.
    numbers: RefCell<FastMap<(u128, &'static str), Literal>>,
    /// The slice with which the function ends that is being written.
    given: Option<crate::ast::ExprId>,
    /// Whether arrays that are gone through are taken, not lent: the chain outlives them.
    owns_arrays: bool,
    /// Whether patterns are rendered without their names.
    is_nameless: bool,
}

impl<'a> Renderer<'a> {
    fn new(program: &'a Program, item: &'a ProgramItem, typed: &'a TypedFn, mode: Mode) -> Self {
        Self {
            program,
            item,
            typed,
            mode,
            uses_twin: Cell::new(false),
            sites: RefCell::default(),
            parts: RefCell::default(),
            given: None,
            lent_parts: RefCell::default(),
            is_quiet: false,
            in_steps: false,
            of_original: false,
            in_loops: false,
            results: BTreeSet::new(),
            slices: RefCell::default(),
            owns_arrays: false,
            is_nameless: false,
            numbers: RefCell::default(),
        }
    }

    /// Notes that the short names of the twin's support module are used.
    fn uses_names(&self) {
        self.uses_twin.set(true);
    }

    /// The name of the twin's support module.
    fn twin(&self) -> Word {
        self.uses_twin.set(true);
        Word(TWIN)
    }

    /// Whether the rendering is the author's own code, not one that runs on the host device.
    fn is_original(&self) -> bool {
        self.mode == Mode::Original
    }

    /// Whether the rendering is the one of its function that asserts what names stand for.
    fn keeps_names(&self) -> bool {
        matches!(self.mode, Mode::Original | Mode::Device)
    }

    /// Whether the running invocation has a name in what is rendered.
    fn knows_invocation(&self) -> bool {
        self.mode == Mode::Twin || self.in_loops
    }

    /// The trap sink of the rendering.
    fn sink(&self) -> Tokens {
        if self.is_quiet {
            let twin = self.twin();
            return tokens!(#twin::Quiet);
        }
        if self.knows_invocation() {
            let cx = context();
            return tokens!(#cx);
        }
        let twin = self.twin();
        tokens!(#twin::Ambient)
    }

    fn expr_ty(&self, expr: &Expr) -> &'a Ty {
        self.typed.ty(expr.id)
    }
}

/// `use …::twin::{self as __twin, names::*};`
pub(crate) fn twin_import(krate: &TokenStream) -> Tokens {
    let twin = Word(TWIN);
    tokens!(use #krate::__private::twin::{self as #twin, names::*};)
}

/// As [`local`], with a number in it.
fn numbered(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// A name that cannot clash with the author's.
const fn local(name: &'static str) -> Local {
    Local(name)
}

/// The name of the twin's first parameter, the running invocation.
pub(crate) const fn context() -> Local {
    local("__invocation")
}
