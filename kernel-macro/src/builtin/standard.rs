//! Rust's standard traits of a type: built in, derived, or the author's `impl`. Reports and lowers nothing.

use crate::ast::{Derives, Enum, Impl, Item, ScalarName, Struct, TypeExpr, TypeKind};
use crate::program::{ItemId, Program, TypedItem};
use crate::typed::{Len, Ty};

/// Rust gives `Default` to arrays of at most so many elements.
const MAX_DEFAULT: u32 = 32;
/// Longer arrays are compared in a loop that their author writes.
pub(crate) const MAX_COMPARED: u32 = 64;

/// A trait that operators or built-in functions go by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standard {
    Default,
    PartialEq,
    PartialOrd,
    Ord,
}

/// How a struct or enum has a trait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Given {
    /// Member by member.
    Derived,
    /// By the function of an `impl`.
    Written(ItemId),
    /// By an `impl` with functions beside the one it must have.
    Overridden,
    /// Not, as far as the macro sees.
    Nothing,
}

impl Standard {
    /// The trait's name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Default => "Default",
            Self::PartialEq => "PartialEq",
            Self::PartialOrd => "PartialOrd",
            Self::Ord => "Ord",
        }
    }

    /// The function that an `impl` must have.
    pub(crate) const fn function(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::PartialEq => "eq",
            Self::PartialOrd => "partial_cmp",
            Self::Ord => "cmp",
        }
    }

    /// Functions of an `impl` that override what follows from its one required function. Rust's library decides which
    /// of the two it calls for values that hold such a type.
    const fn overrides(self) -> &'static [&'static str] {
        match self {
            Self::Default => &[],
            Self::PartialEq => &["ne"],
            Self::PartialOrd => &["lt", "le", "gt", "ge"],
            Self::Ord => &["max", "min", "clamp"],
        }
    }

    const fn is_derived(self, derives: Derives) -> bool {
        match self {
            Self::Default => derives.default,
            Self::PartialEq => derives.partial_eq,
            Self::PartialOrd => derives.partial_ord,
            Self::Ord => derives.ord,
        }
    }
}

impl Program {
    /// How a struct or enum has a trait.
    pub(crate) fn given(&self, item: ItemId, of: Standard) -> Given {
        let is_generic = match &self.items[item].item {
            Item::Struct(Struct { generics, .. }) | Item::Enum(Enum { generics, .. }) => !generics.params.is_empty(),
            _ => false,
        };
        for (id, candidate) in self.items.iter() {
            let Item::Impl(implementation) = &candidate.item else { continue };
            if !is_of(implementation, of, is_generic) || self.named(id, &implementation.self_ty) != Some(item) {
                continue;
            }
            // Which function it is depends on the arguments: operators find it, members of other types do not.
            if is_generic {
                return Given::Overridden;
            }
            let is_called = |item: &Item, name: &str| matches!(item, Item::Fn(function) if function.name == name);
            let has = |name: &str| self.members(id).find(|(_, member)| is_called(&member.item, name));
            if of.overrides().iter().any(|name| has(name).is_some()) {
                return Given::Overridden;
            }
            if let Some((function, _)) = has(of.function()) {
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
        let is_default = of == Standard::Default;
        match ty {
            Ty::Error | Ty::Never | Ty::Unit => Ok(()),
            Ty::Scalar(scalar) if of == Standard::Ord && scalar.is_float() => Err(ty.clone()),
            Ty::Scalar(ScalarName::Text) if of != Standard::PartialEq => Err(ty.clone()),
            Ty::Scalar(_) => Ok(()),
            Ty::Vector(..) | Ty::Matrix(_) | Ty::Quat if is_default || of == Standard::PartialEq => Ok(()),
            Ty::Array(element, Len::Known(len)) if *len <= if is_default { MAX_DEFAULT } else { MAX_COMPARED } => {
                self.implied(element, of, found)
            }
            // Each instance knows how many.
            Ty::Array(element, Len::Unknown) => self.implied(element, of, found),
            // `None`, whatever the value would be.
            Ty::Option(_) if is_default => Ok(()),
            Ty::Option(value) => self.implied(value, of, found),
            Ty::Result(value, error) if !is_default => {
                self.implied(value, of, found)?;
                self.implied(error, of, found)
            }
            Ty::Ordering if !is_default => Ok(()),
            Ty::Tuple(members) => members.iter().try_for_each(|member| self.implied(member, of, found)),
            Ty::Struct(item, _) | Ty::Enum(item, _) => match self.given(*item, of) {
                Given::Written(function) => {
                    found.push(function);
                    Ok(())
                }
                Given::Derived => match &self.items[*item].typed {
                    TypedItem::Struct(_) => {
                        self.fields_of(ty).iter().try_for_each(|field| self.implied(field, of, found))
                    }
                    // The variant that is the default has no members.
                    _ if is_default => Ok(()),
                    _ => {
                        let members = self.variants_of(ty).unwrap_or_default().concat();
                        members.iter().try_for_each(|member| self.implied(member, of, found))
                    }
                },
                Given::Overridden | Given::Nothing => Err(ty.clone()),
            },
            _ => Err(ty.clone()),
        }
    }

    /// Whether values of a type are compared by a function of an `impl` somewhere.
    pub(crate) fn leads_to_functions(&self, ty: &Ty, of: Standard) -> bool {
        let mut found = Vec::new();
        let _ = self.implied(ty, of, &mut found);
        !found.is_empty()
    }
}

/// Whether an `impl` is one of the trait for a type of one's own, not for it and another type.
fn is_of(implementation: &Impl, of: Standard, is_generic: bool) -> bool {
    let Some(path) = &implementation.of else { return false };
    let Some(name) = path.segments.last() else { return false };
    let is_alone = path.last_args().is_none_or(|args| match args.args.as_slice() {
        [arg] => arg.ty.as_ref().is_some_and(|ty| names_same(ty, &implementation.self_ty)),
        _ => false,
    });
    name == of.name() && (is_generic || is_alone && implementation.generics.params.is_empty())
}

/// Whether a type in an `impl` is the one that it is for.
fn names_same(ty: &TypeExpr, own: &TypeExpr) -> bool {
    match (&ty.kind, &own.kind) {
        (TypeKind::Path(path), TypeKind::Path(own)) => path.text() == "Self" || path.text() == own.text(),
        _ => false,
    }
}
