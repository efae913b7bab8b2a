//! Inference of the operators of matrices and quaternions, glam's and those of subgroups.

use crate::ast::{BinaryOp, ScalarName};
use crate::diag::{Diagnostic, code};
use crate::typed::CoopTy;

use super::Infer;
use super::op::Operation;
use super::unify::Term;

impl<'a> Infer<'a> {
    /// Operators of matrices of subgroups.
    pub(super) fn coop_arithmetic(&mut self, operation: Operation<'a>, ty: CoopTy, right: &Term) -> Term {
        let left = Term::Coop(ty);
        match operation.op {
            _ if ty.scalar == ScalarName::Bf16 => {}
            BinaryOp::Add | BinaryOp::Sub if *right == left => return left,
            BinaryOp::Mul if self.is_number(right) => {
                self.expect_right(operation, &left, right, &Term::Scalar(ty.scalar));
                return left;
            }
            _ => {}
        }
        let error = self.report_both(operation, &left, right);
        error.note(
            "matrices of subgroups have `+` and `-` of their own type, and `*` by a number, but for those of `bf16`",
        );
        if operation.op == BinaryOp::Mul {
            error.help("write `a.mul_add(b, c)` for `a * b + c`");
        }
        Term::Error
    }

    /// glam's operators of matrices and quaternions.
    pub(super) fn linear_arithmetic(&mut self, operation: Operation<'a>, left: Term, right: &Term) -> Term {
        use BinaryOp::{Add, Div, Mul, Sub};
        let (op, assigns) = (operation.op, operation.assigns);
        let quat_vector = Term::Vector(ScalarName::F32, 3);
        match (&left, right) {
            (Term::Matrix(a), Term::Matrix(b)) if a == b && matches!(op, Add | Sub | Mul) => left,
            (Term::Matrix(a), Term::Vector(ScalarName::F32, b)) if a == b && op == Mul && !assigns => right.clone(),
            (Term::Quat, Term::Quat) if matches!(op, Add | Sub | Mul) => left,
            (Term::Quat, vector) if *vector == quat_vector && op == Mul && !assigns => quat_vector,
            (Term::Matrix(_) | Term::Quat, _) if self.is_number(right) && matches!(op, Mul | Div) => {
                self.expect_right(operation, &left, right, &Term::F32);
                left
            }
            (_, Term::Matrix(_)) if self.is_number(&left) && matches!(op, Mul | Div) && !assigns => {
                self.expect_left(operation, &left, right, &Term::F32);
                right.clone()
            }
            _ => {
                self.report_both(operation, &left, right).help(linear_help(&left, right));
                Term::Error
            }
        }
    }

    /// Reports operands that the operator does not have together.
    fn report_both(&mut self, operation: Operation<'a>, left: &Term, right: &Term) -> &mut Diagnostic {
        let (left, right) = (self.describe(left), self.describe(right));
        let message = format!("cannot apply `{}` to {left} and {right}", operation.written());
        self.error(code::BAD_OPERAND, operation.right.span, message)
    }
}

/// Whether a type is a matrix or a quaternion.
pub(super) fn is_linear(term: &Term) -> bool {
    matches!(term, Term::Matrix(_) | Term::Quat)
}

/// The advice for the other operand of a matrix or quaternion.
fn linear_help(left: &Term, right: &Term) -> String {
    match (left, right) {
        (Term::Matrix(4), Term::Vector(ScalarName::F32, 3)) => {
            "write `m.transform_point3(v)` or `m.transform_vector3(v)`".to_owned()
        }
        (Term::Matrix(3), Term::Vector(ScalarName::F32, 2)) => {
            "write `m.transform_point2(v)` or `m.transform_vector2(v)`".to_owned()
        }
        (Term::Vector(..), Term::Matrix(_) | Term::Quat) => "a vector stands on the right side".to_owned(),
        (Term::Matrix(size), _) | (_, Term::Matrix(size)) => {
            format!("`Mat{size}` is multiplied with `Mat{size}`, `Vec{size}` and `f32`, and added to `Mat{size}`")
        }
        _ => "`Quat` is multiplied with `Quat`, `Vec3` and `f32`, and added to `Quat`".to_owned(),
    }
}
