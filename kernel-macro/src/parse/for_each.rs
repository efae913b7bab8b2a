//! `x.iter_mut().for_each(|v| …)`, which is a `for` loop: only such a loop knows the places of what it writes.

use std::rc::Rc;

use proc_macro2::Ident;

use crate::ast::{Block, Closure, Expr, ExprKind, Unroll};

/// Names of steps that keep it known where an element lies.
const BY_POSITION: [&str; 6] = ["enumerate", "zip", "rev", "skip", "take", "step_by"];

/// The loop that such a call is; the parts of any other call come back. A closure that something jumps out of stays one.
pub(super) fn written_for_each(
    receiver: Box<Expr>,
    name: &Ident,
    mut args: Vec<Expr>,
) -> Result<ExprKind, (Box<Expr>, Vec<Expr>)> {
    let is_loop = match args.as_slice() {
        [Expr { kind: ExprKind::Closure(closure), .. }] if name == "for_each" => {
            let is_plain = closure.moves.is_none() && closure.result.is_none() && !closure.jumps;
            is_plain && matches!(closure.params.as_slice(), [(_, None)]) && goes_through_written(&receiver)
        }
        _ => false,
    };
    if !is_loop {
        return Err((receiver, args));
    }
    let Some(Expr { kind: ExprKind::Closure(closure), span, .. }) = args.pop() else { return Err((receiver, args)) };
    let Some(Closure { mut params, body, .. }) = Rc::into_inner(closure) else { return Err((receiver, args)) };
    let Some((pattern, _)) = params.pop() else { return Err((receiver, args)) };
    let body = Block { statements: Vec::new(), tail: Some(Box::new(body)), span, safety: None };
    Ok(ExprKind::For { label: None, pattern: Box::new(pattern), iterated: receiver, body, unroll: Unroll::Auto })
}

/// Whether a chain goes through elements by position to write them.
fn goes_through_written(chain: &Expr) -> bool {
    match &chain.kind {
        ExprKind::Paren(inner, ..) => goes_through_written(inner),
        ExprKind::Method { name, args, .. } if name == "iter_mut" => args.is_empty(),
        ExprKind::Method { receiver, name, args, .. } if BY_POSITION.iter().any(|step| name == step) => {
            goes_through_written(receiver) || name == "zip" && args.iter().any(goes_through_written)
        }
        _ => false,
    }
}
