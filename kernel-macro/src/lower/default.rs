//! Values of `Default`: zeros, but for glam's matrices and quaternions, and for what its author says otherwise.

use gridwise_ir::ir::ValueId;

use super::function::FnCx;
use crate::ast::Item;
use crate::builtin::matrix;
use crate::builtin::standard::{Given, Standard};
use crate::program::ItemId;
use crate::typed::Ty;

impl FnCx<'_, '_, '_> {
    /// The value of `Default` for a type that has it.
    pub(super) fn default_of(&mut self, ty: &Ty) -> Option<ValueId> {
        let members: Vec<Ty> = match ty {
            Ty::Matrix(_) | Ty::Quat => return self.constant(&matrix::constant(ty, "IDENTITY")?, ty),
            Ty::Array(element, len) => {
                let value = self.default_of(element)?;
                let id = self.ty(ty)?;
                return self.compose_or_zero(id, &vec![value; len.known()? as usize]);
            }
            Ty::Tuple(members) => members.to_vec(),
            Ty::Struct(item, _) | Ty::Enum(item, _) => match self.shared.program.given(*item, Standard::Default) {
                Given::Written(function) => {
                    let function = self.shared.functions[&function];
                    return self.b.call(function, &[]);
                }
                _ => match self.default_variant(*item) {
                    Some(variant) => return self.make_variant(ty, variant, &[]),
                    None => self.shared.types.members(ty).to_vec(),
                },
            },
            _ => {
                let id = self.ty(ty)?;
                return Some(self.zero(id));
            }
        };
        // Also those without values: what makes them may be seen.
        let values: Vec<_> = members.iter().filter_map(|member| self.default_of(member)).collect();
        let id = self.ty(ty)?;
        self.compose_or_zero(id, &values)
    }

    /// The position of the variant that an enum marks as its default.
    fn default_variant(&self, item: ItemId) -> Option<u32> {
        let Item::Enum(definition) = &self.shared.program.items[item].item else { return None };
        let position = definition.variants.iter().position(|variant| variant.is_default)?;
        u32::try_from(position).ok()
    }
}
