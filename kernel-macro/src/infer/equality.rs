//! Which types are compared member by member: those whose `PartialEq` is Rust's or derived.

use crate::ast::{Expr, Item};
use crate::diag::code;
use crate::program::ItemId;
use crate::typed::{Len, Ty};

use super::Infer;

/// Longer arrays are compared in a loop that their author writes.
const MAX_COMPARED: u32 = 64;

impl Infer<'_> {
    /// Reports an operand of `==` in which something has no equality that kernels know.
    pub(super) fn check_equality(&mut self, operand: &Expr, ty: &Ty) {
        let Some(part) = self.incomparable(ty) else { return };
        let (whole, part_name) = (self.name_of(ty), self.name_of(&part));
        let help = match &part {
            Ty::Struct(item) | Ty::Enum(item) => match self.program.items[*item].item {
                Item::Struct(_) if !self.is_local_type(*item) => {
                    format!("compare its fields, or write `#[device] impl PartialEq for {part_name}`")
                }
                _ => format!("write `#[derive(Clone, Copy, PartialEq)]` below the `#[device]` of `{part_name}`"),
            },
            Ty::Array(_, Len::Chosen(_)) => "compare the elements in a loop: the launch decides how many".to_owned(),
            Ty::Array(..) => format!("compare the elements in a loop: arrays of more than {MAX_COMPARED} are long"),
            _ => "compare the parts that can be compared".to_owned(),
        };
        let error = self.diags.error(code::BAD_OPERAND, operand.span, format!("cannot compare `{whole}` with `==`"));
        if part != *ty {
            error.note(format!("it contains `{part_name}`"));
        }
        error.help(help);
    }

    /// Whether a type was declared by `#[device]`, so that its attributes were seen.
    fn is_local_type(&self, item: ItemId) -> bool {
        match &self.program.items[item].item {
            Item::Struct(definition) => definition.shape != crate::ast::Shape::Named,
            _ => true,
        }
    }

    /// The part of a type that has no equality.
    fn incomparable(&self, ty: &Ty) -> Option<Ty> {
        match ty {
            Ty::Unit | Ty::Scalar(_) | Ty::Vector(..) | Ty::Matrix(_) | Ty::Quat | Ty::Error | Ty::Never => None,
            Ty::Array(_, len) if len.known().is_none_or(|len| len > MAX_COMPARED) => Some(ty.clone()),
            Ty::Array(element, _) | Ty::Option(element) => self.incomparable(element),
            Ty::Result(value, error) => self.incomparable(value).or_else(|| self.incomparable(error)),
            Ty::Tuple(members) => members.iter().find_map(|member| self.incomparable(member)),
            Ty::Struct(item) | Ty::Enum(item) => {
                let comparable = match &self.program.items[*item].item {
                    Item::Struct(definition) => definition.derives.partial_eq,
                    Item::Enum(definition) => definition.derives.partial_eq,
                    _ => false,
                };
                if !comparable {
                    return Some(ty.clone());
                }
                let members: Vec<Ty> = match &self.program.items[*item].typed {
                    crate::program::TypedItem::Struct(fields) => fields.clone(),
                    _ => self.program.variants_of(ty).unwrap_or_default().concat(),
                };
                members.iter().find_map(|member| self.incomparable(member))
            }
            other => Some(other.clone()),
        }
    }
}
