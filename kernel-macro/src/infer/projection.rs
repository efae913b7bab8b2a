//! `<T as Trait>::Name`, where it is known what `T` stands for: by the `impl` blocks that were gathered, and for the operators of
//! Rust's and glam's own types by what these give. Bounds are rustc's to check.

use proc_macro2::Ident;

use crate::ast::{Item, Path, ScalarName};
use crate::diag::code;

use super::unify::Term;
use super::{Infer, range};

/// The traits of operators with a result.
const OPERATORS: &[&str] =
    &["Add", "Sub", "Mul", "Div", "Rem", "BitAnd", "BitOr", "BitXor", "Shl", "Shr", "Neg", "Not"];

/// Whether a trait is that of an operator with a result.
pub(super) fn is_operator(name: &str) -> bool {
    OPERATORS.contains(&name)
}

impl<'a> Infer<'a> {
    /// `<T as Trait>::Name` where `T` stands for `term`.
    pub(super) fn projected(&mut self, term: &Term, through: &'a Path, name: &'a Ident) -> Term {
        let program = self.program;
        let term = self.table.shallow(term);
        let Some(of) = through.segments.last() else { return Term::Error };
        if !is_operator(&of.to_string()) {
            return self.associated_type(&term, name);
        }
        let right = match self.trait_argument(through) {
            Some(right) => self.table.shallow(&right),
            None => term.clone(),
        };
        if [&term, &right].into_iter().any(|term| matches!(term, Term::Error | Term::Var(_))) {
            return Term::Error;
        }
        for (id, item) in program.items.iter() {
            let Item::Impl(implementation) = &item.item else { continue };
            let Some(path) = &implementation.of else { continue };
            let Some((_, ty)) = implementation.types.iter().find(|(alias, _)| alias == name) else { continue };
            if path.segments.last() != Some(of) {
                continue;
            }
            let mut params = self.open_params(&implementation.generics);
            let own = self.within(id, params.clone(), |cx| cx.term_of(&implementation.self_ty));
            params.push(super::generic::Param { name: "Self".to_owned(), term: own.clone(), scalar: None });
            let operand = self.within(id, params.clone(), |cx| cx.trait_argument(path)).unwrap_or_else(|| own.clone());
            let pair = Term::tuple(vec![own, operand]);
            let wanted = Term::tuple(vec![term.clone(), right.clone()]);
            if self.table.would_unify(&pair, &wanted) {
                self.table.unify(&pair, &wanted);
                return self.within(id, params, |cx| cx.term_of(ty));
            }
        }
        built_in(&term, &right).unwrap_or_else(|| {
            let is_own = [&term, &right].iter().any(|term| matches!(term, Term::Struct(..) | Term::Enum(..)));
            let (left, right) = (self.describe(&term), self.describe(&right));
            let message = format!("kernels know no `{of}` of {left} and {right}, of which this is the result");
            let error = self.diags.error(code::UNKNOWN_TYPE, range(name.span()), message);
            match is_own {
                true => error.help("implement it in the `#[device] mod` of the type"),
                false => error.help("convert the argument, or give a literal its type: `2.0f32`"),
            };
            Term::Error
        })
    }

    /// The type that a trait is applied to: `U` of `Add<U>`.
    fn trait_argument(&mut self, path: &'a Path) -> Option<Term> {
        let ty = path.last_args()?.args.first()?.ty.as_ref()?;
        Some(self.term_of(ty))
    }
}

/// What an operator of Rust or glam gives, whichever it is, for operands that it takes.
fn built_in(left: &Term, right: &Term) -> Option<Term> {
    let is_scalar = |term: &Term| matches!(term, Term::Scalar(_));
    let is_lanes = |term: &Term| matches!(term, Term::Vector(..) | Term::Matrix(_) | Term::Quat);
    match (left, right) {
        _ if left == right && (is_scalar(left) || is_lanes(left)) => Some(left.clone()),
        // The amount of a shift may be of another type.
        (Term::Scalar(a), Term::Scalar(b)) => (a.is_int() && b.is_int()).then(|| left.clone()),
        (Term::Matrix(size), Term::Vector(ScalarName::F32, lanes)) => (size == lanes).then(|| right.clone()),
        (Term::Quat, Term::Vector(ScalarName::F32, 3)) => Some(right.clone()),
        _ if is_lanes(left) && is_scalar(right) => Some(left.clone()),
        _ if is_scalar(left) && is_lanes(right) => Some(right.clone()),
        _ => None,
    }
}
