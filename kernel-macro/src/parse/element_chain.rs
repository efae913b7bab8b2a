//! Elements to write among other conditions: `if a && let Some(v) = x.get_mut(i)`, `let (Some(v), Some(w)) = (x.get(i), y.get_mut(i)) else { … };` and
//! its like with `if let`. Each such element becomes the whole condition of an `if` or `let` of its own, as [`option_place`](super::option_place)
//! wants it.

use quote::ToTokens;
use syn::{BinOp, Block, Expr, ExprBinary, ExprIf, ExprLet, Local, Pat, Stmt};

use super::choice::names_any;

/// Tokens of an `else` block that is repeated for each condition.
const MOST_TOKENS: usize = 256;

/// The `if`s, one inside of the other, that an `if` with several conditions is; `None` where none of them looks for an element to write.
pub(super) fn written_chain_if(branch: &ExprIf) -> Option<ExprIf> {
    let mut conditions = Vec::new();
    flatten(&branch.cond, &mut conditions);
    if conditions.len() < 2 || !conditions.iter().any(looks_for_place) {
        return None;
    }
    if let Some((_, otherwise)) = &branch.else_branch
        && tokens(otherwise) > MOST_TOKENS
    {
        return None;
    }
    // Those with an element to write alone, others together.
    let mut groups: Vec<Expr> = Vec::new();
    let mut may_join = false;
    for condition in conditions {
        let is_alone = looks_for_place(&condition);
        match groups.pop() {
            Some(last) if may_join && !is_alone => groups.push(both(last, condition)),
            last => groups.extend(last.into_iter().chain([condition])),
        }
        may_join = !is_alone;
    }
    let mut written = None;
    for cond in groups.into_iter().rev() {
        let then_branch = match written.take() {
            Some(inner) => Block { stmts: vec![Stmt::Expr(Expr::If(inner), None)], ..branch.then_branch.clone() },
            None => branch.then_branch.clone(),
        };
        written = Some(ExprIf { cond: Box::new(cond), then_branch, ..branch.clone() });
    }
    written
}

/// The statements, one for each element, that a `let … else` of a tuple is; `None` where none looks for an element to write.
pub(super) fn written_elements_let(local: &Local) -> Option<Vec<Local>> {
    let init = local.init.as_ref()?;
    init.diverge.as_ref()?;
    let parts = parts(&local.pat, &init.expr)?;
    let of_part = |(pat, expr): (Pat, Expr)| {
        let init = syn::LocalInit { expr: Box::new(expr), ..init.clone() };
        Local { pat, init: Some(init), ..local.clone() }
    };
    Some(parts.into_iter().map(of_part).collect())
}

/// The conditions of a chain of `&&`, a `let` of a tuple as several.
fn flatten(condition: &Expr, found: &mut Vec<Expr>) {
    match condition {
        Expr::Binary(ExprBinary { left, op: BinOp::And(_), right, .. }) => {
            flatten(left, found);
            flatten(right, found);
        }
        Expr::Let(test) => {
            match parts(&test.pat, &test.expr) {
                Some(parts) => found.extend(parts.into_iter().map(|(pat, expr)| {
                    Expr::Let(ExprLet { pat: Box::new(pat), expr: Box::new(expr), ..test.clone() })
                })),
                None => found.push(condition.clone()),
            }
        }
        _ => found.push(condition.clone()),
    }
}

/// The patterns and values of a tuple that is taken apart to what each option holds, one of which is an element to write: in whatever order
/// they are looked at, it is the same.
fn parts(pattern: &Pat, value: &Expr) -> Option<Vec<(Pat, Expr)>> {
    let (Pat::Tuple(patterns), Expr::Tuple(values)) = (pattern, value) else { return None };
    let is_some = |pattern: &Pat| matches!(pattern, Pat::TupleStruct(some) if some.path.is_ident("Some"));
    let fits = patterns.elems.len() == values.elems.len()
        && patterns.elems.iter().all(is_some)
        && values.elems.iter().all(is_pure)
        && values.elems.iter().any(is_place);
    if !fits {
        return None;
    }
    // A name must not hide what a later value means by it.
    let hides = |position: usize, pattern: &Pat| {
        let names = pattern.to_token_stream().into_iter().filter_map(|token| match token {
            proc_macro2::TokenTree::Group(names) => Some(names.stream()),
            _ => None,
        });
        let names: Vec<String> = names.flatten().map(|token| token.to_string()).collect();
        let later = values.elems.iter().skip(position + 1);
        later.into_iter().any(|value| names.iter().any(|name| names_any(value.to_token_stream(), name)))
    };
    if patterns.elems.iter().enumerate().any(|(position, pattern)| hides(position, pattern)) {
        return None;
    }
    Some(patterns.elems.iter().cloned().zip(values.elems.iter().cloned()).collect())
}

/// Whether a condition is `let Some(v) = x.get_mut(i)` or its like.
fn looks_for_place(condition: &Expr) -> bool {
    matches!(condition, Expr::Let(test) if is_place(&test.expr))
}

/// Whether a value is `x.get_mut(i)` or its like.
fn is_place(value: &Expr) -> bool {
    matches!(value, Expr::MethodCall(call)
        if ["get_mut", "first_mut", "last_mut"].iter().any(|name| call.method == name))
}

/// Whether a value evidently has no effect: names and numbers, their sums, elements that are looked for by them.
fn is_pure(value: &Expr) -> bool {
    match value {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Paren(inner) => is_pure(&inner.expr),
        Expr::Field(field) => is_pure(&field.base),
        Expr::Cast(cast) => is_pure(&cast.expr),
        Expr::Binary(ExprBinary { left, op: BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_), right, .. }) => {
            is_pure(left) && is_pure(right)
        }
        Expr::Binary(ExprBinary { left, op: BinOp::Rem(_) | BinOp::Div(_), right, .. }) => {
            let is_number =
                |lit: &syn::ExprLit| matches!(&lit.lit, syn::Lit::Int(number) if number.base10_digits() != "0");
            is_pure(left) && matches!(&**right, Expr::Lit(lit) if is_number(lit))
        }
        Expr::MethodCall(call) => {
            let finds =
                ["get", "get_mut", "first", "first_mut", "last", "last_mut"].iter().any(|name| call.method == name);
            finds && is_pure(&call.receiver) && call.args.iter().all(is_pure)
        }
        _ => false,
    }
}

fn both(left: Expr, right: Expr) -> Expr {
    let (left, right) = (Box::new(left), Box::new(right));
    Expr::Binary(ExprBinary { attrs: Vec::new(), left, op: BinOp::And(Default::default()), right })
}

fn tokens(expr: &Expr) -> usize {
    fn count(stream: proc_macro2::TokenStream) -> usize {
        let of_tree = |tree| match tree {
            proc_macro2::TokenTree::Group(group) => 2 + count(group.stream()),
            _ => 1,
        };
        stream.into_iter().map(of_tree).sum()
    }
    count(expr.to_token_stream())
}
