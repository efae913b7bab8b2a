//! Inference of the functions of module `subgroup`: which there are, and what they take.

use gridwise_ir::ir::{Fold, Span, SubgroupOp};

use crate::ast::{Expr, ScalarName, SpanRange};
use crate::diag::code;
use crate::source::text;
use crate::typed::{Callee, ConstValue, Ty};

use super::finish::Deferred;
use super::mismatch::Because;
use super::suggest::nearest;
use super::unify::Term;
use super::{Expect, Infer};

/// The scalars that subgroups exchange, also in vectors.
const EXCHANGED: [ScalarName; 12] = [
    ScalarName::Bool,
    ScalarName::I8,
    ScalarName::U8,
    ScalarName::I16,
    ScalarName::U16,
    ScalarName::I32,
    ScalarName::U32,
    ScalarName::I64,
    ScalarName::U64,
    ScalarName::F16,
    ScalarName::F32,
    ScalarName::F64,
];

/// The operand of an operation of the subgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operand {
    Nothing,
    Bool,
    Ballot,
    /// Any scalar or vector.
    Any,
    /// Numbers and vectors of them.
    Number,
    /// `bool`, integers and vectors of them.
    Bits,
}

/// The argument behind the operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extra {
    Nothing,
    /// A `u32`.
    Index,
    /// A constant power of two.
    ClusterSize,
    /// A constant from 0 to 3.
    QuadLane,
}

impl<'a> Infer<'a> {
    pub(super) fn infer_subgroup(&mut self, expr: &'a Expr, name: &str, span: SpanRange, args: &'a [Expr]) -> Term {
        if name == "barrier" {
            if !args.is_empty() {
                self.report_arity(name, 0, args, span);
                return self.infer_arguments_only(args);
            }
            self.tables.calls.insert(expr.id, Callee::SubgroupBarrier);
            return Term::Unit;
        }
        let Some((op, operand, extra)) = subgroup_function(name) else {
            let names: Vec<String> = subgroup_names();
            let message = format!("cannot find function `{name}` in module `subgroup`");
            let suggestion = nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
            let error = self.error(code::UNKNOWN_NAME, span, message);
            match suggestion {
                Some(known) => error.help(format!("a function with a similar name exists: `subgroup::{known}`")),
                None => error
                    .help("subgroups have `add`, `min`, `inclusive_add`, `ballot`, `shuffle` and others")
                    .help("positions are functions of their own: `subgroup_id()`, `subgroup_local_id()`, `subgroup_size()` and `num_subgroups()`"),
            };
            return self.infer_arguments_only(args);
        };
        let expected = usize::from(operand != Operand::Nothing) + usize::from(extra != Extra::Nothing);
        if args.len() != expected {
            self.report_arity(name, expected, args, span);
            return self.infer_arguments_only(args);
        }
        let first = match operand {
            Operand::Nothing => Term::BOOL,
            Operand::Bool => {
                self.check(&args[0], &Term::BOOL, Because::Nothing);
                Term::BOOL
            }
            Operand::Ballot => {
                self.check(&args[0], &Term::Vector(ScalarName::U32, 4), Because::Nothing);
                Term::U32
            }
            Operand::Any | Operand::Number | Operand::Bits => {
                let term = self.infer(&args[0], &Expect::Nothing);
                self.deferred.push(Deferred::Subgroup { arg: &args[0], term: term.clone(), operand });
                term
            }
        };
        let op = match extra {
            Extra::Nothing => Some(op),
            Extra::Index => {
                self.check(&args[1], &Term::U32, Because::Nothing);
                Some(op)
            }
            Extra::ClusterSize | Extra::QuadLane => self.constant_extra(op, &args[1]),
        };
        if let Some(op) = op {
            self.tables.calls.insert(expr.id, Callee::Subgroup(op));
        }
        match op {
            None => Term::Error,
            Some(SubgroupOp::Ballot) => Term::Vector(ScalarName::U32, 4),
            Some(SubgroupOp::AllEqual | SubgroupOp::BallotBit) => Term::BOOL,
            Some(_) => first,
        }
    }

    /// The operation with its constant argument.
    fn constant_extra(&mut self, op: SubgroupOp, arg: &'a Expr) -> Option<SubgroupOp> {
        let outer = (std::mem::replace(&mut self.constant, true), self.diverges);
        let before = self.diags.len();
        self.check(arg, &Term::U32, Because::Nothing);
        (self.constant, self.diverges) = outer;
        if self.diags.len() > before || self.table.is_poisoned(&self.term(arg)) {
            return None;
        }
        let ConstValue::U32(value) = self.evaluate(arg)? else { return None };
        let (fits, message, help) = match op {
            SubgroupOp::QuadBroadcast(_) => {
                (value < 4, format!("a quad has no invocation {value}"), "a quad has invocations 0 to 3")
            }
            _ => (
                value.is_power_of_two() && value <= 128,
                format!("a cluster of {value} invocations is not possible"),
                "the size of a cluster is a power of two from 1 to 128",
            ),
        };
        if !fits {
            self.error(code::SUBGROUP_OPERAND, arg.span, message).help(help);
            return None;
        }
        Some(match op {
            SubgroupOp::QuadBroadcast(_) => SubgroupOp::QuadBroadcast(value),
            SubgroupOp::Reduce(fold, _) => SubgroupOp::Reduce(fold, Span::Cluster(value)),
            other => other,
        })
    }

    /// Checks the type of what a subgroup exchanges, once it is known.
    pub(super) fn check_subgroup_operand(&mut self, arg: &Expr, term: &Term, operand: Operand) {
        let Some(ty) = self.table.resolve(term) else { return };
        let scalar = match ty {
            Ty::Error | Ty::Never => return,
            Ty::Scalar(scalar) | Ty::Vector(scalar, _) if EXCHANGED.contains(&scalar) => Some(scalar),
            _ => None,
        };
        let source = text(arg);
        let (note, help) = match (scalar, operand) {
            (None, _) if ty == Ty::USIZE => {
                ("`usize` has another size on the host".to_owned(), Some(format!("write `{source} as u32`")))
            }
            (None, _) => ("subgroups exchange integers, `f16`, `f32`, `f64`, `bool` and vectors".to_owned(), None),
            (Some(ScalarName::Bool), Operand::Number) => {
                ("`bool` has no arithmetic".to_owned(), Some("count with `subgroup::ballot_count`".to_owned()))
            }
            (Some(ScalarName::F16 | ScalarName::F32 | ScalarName::F64), Operand::Bits) => {
                let help = matches!(ty, Ty::Scalar(_)).then(|| format!("write `{source}.to_bits()`"));
                ("bitwise operations are for integers and `bool`".to_owned(), help)
            }
            _ => return,
        };
        let message = format!("a subgroup operation does not take `{}`", self.name_of(&ty));
        let error = self.error(code::SUBGROUP_OPERAND, arg.span, message);
        error.note(note);
        if let Some(help) = help {
            error.help(help);
        }
    }
}

/// The function of module `subgroup` with this name; constant arguments are still to be filled in.
fn subgroup_function(name: &str) -> Option<(SubgroupOp, Operand, Extra)> {
    use SubgroupOp as Op;
    let plain = |op, operand| Some((op, operand, Extra::Nothing));
    let index = |op, operand| Some((op, operand, Extra::Index));
    match name {
        "elect" => plain(Op::Elect, Operand::Nothing),
        "any" => plain(Op::Any, Operand::Bool),
        "all" => plain(Op::All, Operand::Bool),
        "all_equal" => plain(Op::AllEqual, Operand::Any),
        "ballot" => plain(Op::Ballot, Operand::Bool),
        "ballot_bit" => index(Op::BallotBit, Operand::Ballot),
        "ballot_count" => plain(Op::BallotCount, Operand::Ballot),
        "ballot_inclusive_count" => plain(Op::BallotInclusiveCount, Operand::Ballot),
        "ballot_exclusive_count" => plain(Op::BallotExclusiveCount, Operand::Ballot),
        "ballot_lowest" => plain(Op::BallotLowest, Operand::Ballot),
        "ballot_highest" => plain(Op::BallotHighest, Operand::Ballot),
        "broadcast_first" => plain(Op::BroadcastFirst, Operand::Any),
        "broadcast" | "shuffle" => index(Op::Shuffle, Operand::Any),
        "shuffle_xor" => index(Op::ShuffleXor, Operand::Any),
        "shuffle_up" => index(Op::ShuffleUp, Operand::Any),
        "shuffle_down" => index(Op::ShuffleDown, Operand::Any),
        "rotate" => index(Op::Rotate, Operand::Any),
        "quad_broadcast" => Some((Op::QuadBroadcast(0), Operand::Any, Extra::QuadLane)),
        "quad_swap_horizontal" => plain(Op::QuadSwap(0), Operand::Any),
        "quad_swap_vertical" => plain(Op::QuadSwap(1), Operand::Any),
        "quad_swap_diagonal" => plain(Op::QuadSwap(2), Operand::Any),
        _ => {
            let (span, fold) = match name.split_once('_') {
                Some(("inclusive", fold)) => (Span::Inclusive, fold),
                Some(("exclusive", fold)) => (Span::Exclusive, fold),
                Some(("clustered", fold)) => (Span::Cluster(1), fold),
                _ => (Span::All, name),
            };
            let fold = Fold::ALL.into_iter().find(|known| known.name() == fold)?;
            let is_bitwise = matches!(fold, Fold::And | Fold::Or | Fold::Xor);
            let operand = if is_bitwise { Operand::Bits } else { Operand::Number };
            let extra = if matches!(span, Span::Cluster(_)) { Extra::ClusterSize } else { Extra::Nothing };
            Some((Op::Reduce(fold, span), operand, extra))
        }
    }
}

/// All functions of module `subgroup`, for suggestions.
fn subgroup_names() -> Vec<String> {
    let others = SubgroupOp::NAMED.iter().filter_map(|(_, name)| name.strip_prefix("subgroup_")).map(str::to_owned);
    let more =
        ["barrier", "broadcast", "quad_broadcast", "quad_swap_horizontal", "quad_swap_vertical", "quad_swap_diagonal"];
    let folds = Fold::ALL.into_iter().flat_map(|fold| {
        ["", "inclusive_", "exclusive_", "clustered_"].map(|prefix| format!("{prefix}{}", fold.name()))
    });
    others.chain(more.map(str::to_owned)).chain(folds).collect()
}
