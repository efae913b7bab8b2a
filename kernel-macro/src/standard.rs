//! What Rust's standard traits are for a type: built in, derived, or the author's `impl`. Reports and lowers nothing.

use crate::ast::{Derives, Impl, Item, TypeExpr, TypeKind};
use crate::program::{ItemId, Program, TypedItem};
use crate::typed::{Len, Ty};

/// Rust gives `Default` to arrays of at most so many elements.
const MAX_DEFAULT: u32 = 32;

/// A trait that operators or built-in functions go by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standard {
    Default,
}

/// How a struct or enum has a trait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Given {
    /// Member by member.
    Derived,
    /// By the function of an `impl`.
    Written(ItemId),
    /// Not, as far as the macro sees.
    Nothing,
}

impl Standard {
    /// The trait's name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Default => "Default",
        }
    }

    /// The function that an `impl` must have.
    const fn function(self) -> &'static str {
        match self {
            Self::Default => "default",
        }
    }

    const fn is_derived(self, derives: Derives) -> bool {
        match self {
            Self::Default => derives.default,
        }
    }
}

impl Program {
    /// How a struct or enum has a trait.
    pub(crate) fn given(&self, item: ItemId, of: Standard) -> Given {
        for (id, candidate) in self.items.iter() {
            let Item::Impl(implementation) = &candidate.item else { continue };
            if !is_of(implementation, of) || self.named(id, &implementation.self_ty) != Some(item) {
                continue;
            }
            let is_it = |item: &Item| matches!(item, Item::Fn(function) if function.name == of.function());
            if let Some((function, _)) = self.members(id).find(|(_, member)| is_it(&member.item)) {
                return Given::Written(function);
            }
        }
        let derives = match &self.items[item].item {
            Item::Struct(definition) => definition.derives,
            Item::Enum(definition) => definition.derives,
            _ => return Given::Nothing,
        };
        if of.is_derived(derives) { Given::Derived } else { Given::Nothing }
    }

    /// The struct or enum that a type of an item names.
    fn named(&self, item: ItemId, ty: &TypeExpr) -> Option<ItemId> {
        match &ty.kind {
            TypeKind::Path(path) => self.items[item].uses.get(&path.text()).copied(),
            _ => None,
        }
    }

    /// Adds the functions that a trait leads to for values of a type; the part that lacks the trait where one does.
    pub(crate) fn implied(&self, ty: &Ty, of: Standard, found: &mut Vec<ItemId>) -> Result<(), Ty> {
        match ty {
            Ty::Error | Ty::Never | Ty::Unit => Ok(()),
            Ty::Scalar(_) | Ty::Vector(..) | Ty::Matrix(_) | Ty::Quat => Ok(()),
            Ty::Array(element, Len::Known(len)) if *len <= MAX_DEFAULT => self.implied(element, of, found),
            // `None`, whatever the value would be.
            Ty::Option(_) => Ok(()),
            Ty::Tuple(members) => members.iter().try_for_each(|member| self.implied(member, of, found)),
            Ty::Struct(item) | Ty::Enum(item) => match self.given(*item, of) {
                Given::Written(function) => {
                    found.push(function);
                    Ok(())
                }
                Given::Derived => match &self.items[*item].typed {
                    TypedItem::Struct(fields) => fields.iter().try_for_each(|field| self.implied(field, of, found)),
                    // The variant that is the default has no members.
                    _ => Ok(()),
                },
                Given::Nothing => Err(ty.clone()),
            },
            _ => Err(ty.clone()),
        }
    }
}

/// Whether an `impl` is one of the trait for a type of one's own.
fn is_of(implementation: &Impl, of: Standard) -> bool {
    let name = implementation.of.as_ref().and_then(|path| path.segments.last());
    name.is_some_and(|name| name == of.name()) && implementation.generics.params.is_empty()
}
