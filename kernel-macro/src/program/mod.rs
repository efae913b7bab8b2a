//! A kernel with every item it names, gathered: what inference, lowering and rendering work on.

pub(crate) mod assemble;
pub(crate) mod crossing;
pub(crate) mod held;
pub(crate) mod instantiate;
pub(crate) mod message;
pub(crate) mod module;
mod moves;
pub(crate) mod named_function;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use gridwise_ir::arena::{Arena, EntityId as _};
use gridwise_ir::entity_id;
use proc_macro2::Ident;

use crate::ast::{ExprId, Item, ScalarName};
use crate::typed::{GivenIterator, Ty, TypedConst, TypedFn};

entity_id!(
    /// An item of a program.
    ItemId,
    "item"
);

/// The items of one expansion. The last is the item being expanded; what an item names stands before it.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) items: Arena<ItemId, ProgramItem>,
    /// Generic functions with their arguments, and the items that were made of them.
    pub(crate) instances: BTreeMap<(ItemId, String), ItemId>,
    /// The slices that structs hold, those of structs in them included, by what their parameters leave open.
    pub(crate) held_slices: BTreeMap<ItemId, Vec<Ty>>,
    /// The kernel's const parameters, whose values are chosen for each launch.
    pub(crate) chosen: Vec<Chosen>,
    /// Paths in the item being expanded of which nothing is known, as was reported elsewhere: it is checked for other errors
    /// and goes no further.
    pub(crate) lost: BTreeSet<String>,
}

/// A const parameter of a kernel.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    pub(crate) name: Ident,
    pub(crate) scalar: ScalarName,
    /// The bits of its value where nothing else is said.
    pub(crate) default: Option<u64>,
}

impl Program {
    /// The name of a kernel's const parameter.
    pub(crate) fn chosen_name(&self, number: u32) -> String {
        self.chosen.get(number as usize).map_or_else(|| "_".to_owned(), |chosen| chosen.name.to_string())
    }

    /// The functions and consts of an `impl` or trait: they stand behind it.
    pub(crate) fn members(&self, owner: ItemId) -> impl Iterator<Item = (ItemId, &ProgramItem)> {
        self.items.iter().skip(owner.index() + 1).take_while(move |(_, item)| item.owner == Some(owner))
    }
}

/// An item and what its paths stand for.
#[derive(Debug)]
pub(crate) struct ProgramItem {
    pub(crate) item: Item,
    /// From the text of a path in this item to the gathered item it names.
    pub(crate) uses: BTreeMap<String, ItemId>,
    /// Path of the source file, as rustc prints it.
    pub(crate) file: String,
    /// Line and column (both from 1) of the item's name.
    pub(crate) position: (u32, u32),
    /// The `impl` or trait that a function or const belongs to.
    pub(crate) owner: Option<ItemId>,
    /// The values of generic parameters in scope: of an instance. Empty for an item as written.
    pub(crate) bindings: Vec<Binding>,
    /// The result of inference.
    pub(crate) typed: TypedItem,
}

impl ProgramItem {
    /// An instance of the item, yet to be inferred.
    pub(crate) fn instance(&self, bindings: Vec<Binding>) -> Self {
        let Self { item, uses, file, position, owner, .. } = self;
        Self {
            item: item.clone(),
            uses: uses.clone(),
            file: file.clone(),
            position: *position,
            owner: *owner,
            bindings,
            typed: TypedItem::None,
        }
    }
}

/// A generic parameter of an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binding {
    pub(crate) name: String,
    /// For a const parameter a [`Ty::Const`] or [`Ty::Chosen`].
    pub(crate) ty: Ty,
    /// The type of a const parameter.
    pub(crate) scalar: Option<ScalarName>,
    /// Of the type of an iterator, the chain that is passed.
    pub(crate) chain: Option<GivenIterator>,
}

/// The result of inference for an item.
#[derive(Debug)]
pub(crate) enum TypedItem {
    /// Not inferred yet.
    None,
    Fn(Box<TypedFn>),
    /// A generic function as written: what depends on its parameters has the type [`Ty::Error`], and rustc checks it.
    Generic(Box<TypedFn>),
    Const(TypedConst),
    Struct(Vec<crate::typed::Ty>),
    Enum(Vec<TypedVariant>),
    /// The type that an alias stands for.
    Alias(Ty),
    /// Has errors, which were reported where the item stands.
    Error,
}

/// The result of inference for a variant.
#[derive(Debug, Clone)]
pub(crate) struct TypedVariant {
    /// The types of its members.
    pub(crate) fields: Vec<crate::typed::Ty>,
    /// Its number, in 32 bits.
    pub(crate) discriminant: u32,
}

impl Program {
    /// Whether a type is `core::cmp::Reverse`.
    pub(crate) fn is_reverse(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Struct(item, _) if self.is_reverse_item(*item))
    }

    /// Whether an item is `core::cmp::Reverse`.
    pub(crate) fn is_reverse_item(&self, item: ItemId) -> bool {
        matches!(&self.items[item].item, Item::Struct(definition) if definition.derives.reverse)
    }

    /// Whether a type is `core::num::Wrapping`.
    pub(crate) fn is_wrapping(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Struct(item, _) if self.is_wrapping_item(*item))
    }

    /// Whether an item is `core::num::Wrapping`.
    pub(crate) fn is_wrapping_item(&self, item: ItemId) -> bool {
        matches!(&self.items[item].item, Item::Struct(definition) if definition.derives.wrapping)
    }

    /// The types of a struct's fields; empty for other types.
    pub(crate) fn fields_of(&self, ty: &crate::typed::Ty) -> Cow<'_, [crate::typed::Ty]> {
        use crate::typed::Ty;
        let Ty::Struct(item, args) = ty else { return Cow::Borrowed(&[]) };
        match (&self.items[*item].typed, args) {
            (TypedItem::Struct(fields), None) => Cow::Borrowed(fields),
            (TypedItem::Struct(fields), Some(args)) => fields.iter().map(|field| field.applied(args)).collect(),
            _ => Cow::Borrowed(&[]),
        }
    }

    /// Whether a type has structs with slices or references in it, in place of which the host has others.
    pub(crate) fn has_held(&self, ty: &Ty) -> bool {
        let any = |types: &[Ty]| types.iter().any(|ty| self.has_held(ty));
        match ty {
            Ty::Struct(item, args) => {
                self.held_slices.contains_key(item) || args.as_ref().is_some_and(|args| any(args))
            }
            Ty::Array(inner, _) | Ty::Option(inner) => self.has_held(inner),
            Ty::Result(value, error) => self.has_held(value) || self.has_held(error),
            Ty::Tuple(members) | Ty::Enum(_, Some(members)) => any(members),
            _ => false,
        }
    }

    /// The numbers of the slices in structs that a type holds, in order.
    pub(crate) fn held_origins(&self, ty: &Ty) -> Vec<ExprId> {
        let mut found = Vec::new();
        self.add_held_origins(ty, &mut found);
        found
    }

    fn add_held_origins(&self, ty: &Ty, found: &mut Vec<ExprId>) {
        match ty {
            Ty::Struct(item, Some(args)) => {
                let own = args.len().saturating_sub(self.held_slices.get(item).map_or(0, Vec::len));
                args[..own].iter().for_each(|arg| self.add_held_origins(arg, found));
                found.extend(args[own..].iter().filter_map(|arg| match arg {
                    Ty::Buffer { origin, .. } => *origin,
                    _ => None,
                }));
            }
            Ty::Array(inner, _) | Ty::Option(inner) => self.add_held_origins(inner, found),
            Ty::Result(value, error) => {
                self.add_held_origins(value, found);
                self.add_held_origins(error, found);
            }
            Ty::Tuple(members) | Ty::Enum(_, Some(members)) => {
                members.iter().for_each(|member| self.add_held_origins(member, found));
            }
            _ => {}
        }
    }

    /// The members' types of each variant; `None` for types that are no enums.
    pub(crate) fn variants_of(&self, ty: &crate::typed::Ty) -> Option<Vec<Vec<crate::typed::Ty>>> {
        use crate::typed::Ty;
        match ty {
            Ty::Option(value) => Some(vec![Vec::new(), vec![(**value).clone()]]),
            Ty::Result(value, error) => Some(vec![vec![(**value).clone()], vec![(**error).clone()]]),
            Ty::Ordering => Some(vec![Vec::new(); 3]),
            Ty::Enum(item, args) => match &self.items[*item].typed {
                TypedItem::Enum(variants) => Some(match args {
                    None => variants.iter().map(|variant| variant.fields.clone()).collect(),
                    Some(args) => {
                        let applied = |fields: &Vec<Ty>| fields.iter().map(|field| field.applied(args)).collect();
                        variants.iter().map(|variant| applied(&variant.fields)).collect()
                    }
                }),
                _ => None,
            },
            _ => None,
        }
    }
}
