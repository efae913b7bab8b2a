//! Values as Rust owns them: which types are certainly `Copy`, and which `Clone`s copy. It reports nothing.

use crate::ast::{Derives, Enum, Item, Struct};
use crate::typed::Ty;

use super::{ItemId, Program};

impl Program {
    /// Whether a value of a type may move: it holds a struct or enum that is not `Copy`, as far as the macro sees.
    pub(crate) fn may_move(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Array(inner, _) | Ty::Option(inner) => self.may_move(inner),
            Ty::Result(value, error) => self.may_move(value) || self.may_move(error),
            Ty::Tuple(members) => members.iter().any(|member| self.may_move(member)),
            Ty::Struct(item, args) | Ty::Enum(item, args) => {
                let derives = self.derives_of(*item);
                !(derives.copy || derives.gpu_data)
                    || args.iter().flat_map(|args| args.iter()).any(|arg| self.may_move(arg))
            }
            _ => false,
        }
    }

    /// Whether `clone` of a type copies each part: it is built in or derived, all the way down.
    pub(crate) fn clones_by_copy(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Scalar(_) | Ty::Vector(..) | Ty::Matrix(_) | Ty::Quat | Ty::Ordering | Ty::Unit => true,
            Ty::Buffer { mutable, .. } => !mutable,
            Ty::Array(inner, _) | Ty::Option(inner) => self.clones_by_copy(inner),
            Ty::Result(value, error) => self.clones_by_copy(value) && self.clones_by_copy(error),
            Ty::Tuple(members) => members.iter().all(|member| self.clones_by_copy(member)),
            Ty::Struct(item, _) => {
                self.derives_of(*item).clone && self.fields_of(ty).iter().all(|field| self.clones_by_copy(field))
            }
            Ty::Enum(item, _) => {
                let variants = self.variants_of(ty).unwrap_or_default();
                self.derives_of(*item).clone && variants.iter().flatten().all(|field| self.clones_by_copy(field))
            }
            _ => false,
        }
    }

    fn derives_of(&self, item: ItemId) -> Derives {
        match &self.items[item].item {
            Item::Struct(Struct { derives, .. }) | Item::Enum(Enum { derives, .. }) => *derives,
            _ => Derives::default(),
        }
    }
}
