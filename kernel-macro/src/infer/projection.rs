//! `<T as Trait>::Name`, where it is known what `T` stands for: by the `impl` blocks that were gathered, and for the operators of
//! Rust's and glam's own types by what these give. Bounds are rustc's to check.

use proc_macro2::Ident;

use crate::ast::{Bound, GenericKind, Generics, Item, Path, ScalarName};
use crate::diag::code;
use crate::program::ItemId;

use super::generic::Param;
use super::unify::{Term, VarKind};
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
            params.push(Param { name: "Self".to_owned(), term: own.clone(), scalar: None });
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
            let message = format!("kernels find no `impl` of `{of}` for {left} and {right}");
            let error = self.error(code::UNKNOWN_TYPE, range(name.span()), message);
            match is_own {
                true => error.help("implement it in the `#[device] mod` of the type"),
                false => error.help("convert the argument, or give a literal its type: `2.0f32`"),
            };
            Term::Error
        })
    }

    /// Gives literals that are arguments of a generic function the types which its bounds leave them: of `A: Mul<B>`, where one
    /// of both is known, there is as a rule only one such operator.
    pub(super) fn fit_literals(&mut self, item: ItemId, generics: &'a Generics, params: &[Param]) {
        let is_open =
            |cx: &Self, param: &Param| matches!(cx.table.kind(&param.term), Some(kind) if kind != VarKind::Any);
        if !params.iter().any(|param| is_open(self, param)) {
            return;
        }
        let own = generics.params.iter().filter_map(|param| match &param.kind {
            GenericKind::Type { bounds, .. } => {
                let term = params.iter().find(|known| param.name == known.name.as_str())?.term.clone();
                Some((term, bounds))
            }
            GenericKind::Const(_) => None,
        });
        let mut bounds: Vec<(Term, &'a [Bound])> = own.map(|(term, bounds)| (term, bounds.as_slice())).collect();
        for (ty, clause) in &generics.clauses {
            bounds.push((self.within(item, params.to_vec(), |cx| cx.term_of(ty)), clause));
        }
        for (term, bounds) in bounds {
            for bound in bounds {
                let Bound::Trait { path, .. } = bound else { continue };
                let Some(of) = path.segments.last().map(ToString::to_string).filter(|of| is_operator(of)) else {
                    continue;
                };
                let right = self.within(item, params.to_vec(), |cx| cx.trait_argument(path));
                self.fit_literal(&of, &term, &right.unwrap_or_else(|| term.clone()));
            }
        }
    }

    /// Gives the literal that is one operand the type that the operator leaves it.
    fn fit_literal(&mut self, of: &str, left: &Term, right: &Term) {
        let (left, right) = (self.table.shallow(left), self.table.shallow(right));
        let is_literal = |cx: &Self, term: &Term| matches!(cx.table.kind(term), Some(kind) if kind != VarKind::Any);
        let (literal, other) = match (is_literal(self, &left), is_literal(self, &right)) {
            (true, false) => (&left, &right),
            (false, true) => (&right, &left),
            _ => return,
        };
        let mut fitting = Vec::new();
        // Rust shifts by integers of each type.
        if let Some(scalar) = scalar_beside(other).filter(|_| !matches!(of, "Shl" | "Shr")) {
            fitting.push(Term::Scalar(scalar));
        }
        let program = self.program;
        for (id, item) in program.items.iter() {
            let Item::Impl(implementation) = &item.item else { continue };
            let Some(path) = &implementation.of else { continue };
            if path.segments.last().is_none_or(|last| last != of) {
                continue;
            }
            let mut params = self.open_params(&implementation.generics);
            let own = self.within(id, params.clone(), |cx| cx.term_of(&implementation.self_ty));
            params.push(Param { name: "Self".to_owned(), term: own.clone(), scalar: None });
            let operand = self.within(id, params, |cx| cx.trait_argument(path)).unwrap_or_else(|| own.clone());
            let pair = Term::tuple(vec![own.clone(), operand.clone()]);
            if self.table.would_unify(&pair, &Term::tuple(vec![left.clone(), right.clone()])) {
                fitting.push(if literal == &left { own } else { operand });
            }
        }
        if let [only] = fitting.as_slice() {
            self.table.unify(literal, only);
        }
    }

    /// The type that a trait is applied to: `U` of `Add<U>`.
    fn trait_argument(&mut self, path: &'a Path) -> Option<Term> {
        let ty = path.last_args()?.args.first()?.ty.as_ref()?;
        Some(self.term_of(ty))
    }
}

/// The number that operators of Rust and glam take beside a value.
fn scalar_beside(term: &Term) -> Option<ScalarName> {
    match term {
        Term::Scalar(scalar) | Term::Vector(scalar, _) => Some(*scalar),
        Term::Matrix(_) | Term::Quat => Some(ScalarName::F32),
        _ => None,
    }
}

/// The result of any operator of Rust or glam for operands that it takes.
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
