//! The items of a `#[device] mod` in a program: linked to each other, inferred in an order in which each finds what it needs.

use std::collections::{BTreeMap, BTreeSet};

use gridwise_ir::arena::EntityId as _;
use proc_macro2::Ident;

use crate::ast::{Item, Path};
use crate::diag::Diagnostics;
use crate::gather::{Place, calls_of, names_of_alias, names_of_const, names_of_enum, names_of_fn, names_of_struct};
use crate::infer::infer_item;
use crate::parse::ModuleItem;
use crate::program::{ItemId, Program, ProgramItem, TypedItem};

/// The key of an item of a module.
pub(crate) fn member_key(module: &str, name: &Ident) -> String {
    format!("{module}#{name}")
}

/// The name that others call an item by.
pub(crate) fn name_of(item: &Item) -> Option<&Ident> {
    match item {
        Item::Fn(function) => Some(&function.name),
        Item::Struct(definition) => Some(&definition.name),
        Item::Enum(definition) => Some(&definition.name),
        Item::Const(constant) => Some(&constant.name),
        Item::Trait(definition) => Some(&definition.name),
        Item::Alias(alias) => Some(&alias.name),
        Item::Impl(_) => None,
    }
}

/// Adds the items of a module; `uses`: what their paths out of the module name. Returns each item's id, members left out.
pub(crate) fn push_module(
    program: &mut Program,
    items: Vec<ModuleItem>,
    uses: &BTreeMap<String, ItemId>,
    place: &Place,
) -> Vec<ItemId> {
    let (mut uses, mut ids) = (uses.clone(), Vec::new());
    let mut next = program.items.len();
    for item in &items {
        let id = ItemId::new(next);
        next += 1 + item.members.len();
        if let Some(name) = name_of(&item.item) {
            uses.insert(name.to_string(), id);
            uses.insert(format!("self::{name}"), id);
        }
        ids.push(id);
    }
    for (ModuleItem { item, members }, id) in items.into_iter().zip(&ids) {
        push(program, item, None, &uses, place);
        for member in members {
            push(program, member, Some(*id), &uses, place);
        }
    }
    ids
}

fn push(
    program: &mut Program,
    item: Item,
    owner: Option<ItemId>,
    uses: &BTreeMap<String, ItemId>,
    place: &Place,
) -> ItemId {
    let own = name_of(&item).map(Place::of);
    let file = own.as_ref().filter(|own| !own.file.is_empty()).unwrap_or(place).file.clone();
    let position = own.as_ref().map_or(place.position, |own| own.position);
    program.items.push(ProgramItem {
        item,
        uses: uses.clone(),
        file,
        position,
        owner,
        bindings: Vec::new(),
        typed: TypedItem::None,
    })
}

/// Infers the items of a module, `last` the first that is not one of them any more.
pub(crate) fn infer_module(program: &mut Program, ids: std::ops::Range<usize>, diags: &mut Diagnostics) {
    let all: Vec<ItemId> = ids.map(ItemId::new).collect();
    let mut seen = BTreeSet::new();
    // Consts and structs first, each after those that it names: array lengths and struct literals need them. So are functions that consts
    // call.
    for id in &all {
        infer_data(program, *id, &mut seen, diags);
    }
    // Callers must know which slices a result holds.
    for gives in [true, false] {
        for id in &all {
            if gives == gives_held(program, *id) && seen.insert(*id) {
                infer_item(program, *id, diags);
            }
        }
    }
}

/// Whether the result of a function may hold slices.
fn gives_held(program: &Program, id: ItemId) -> bool {
    let Item::Fn(function) = &program.items[id].item else { return false };
    let Some(result) = &function.result else { return false };
    !program.held_slices.is_empty() && (function.gives_slice() || result.tokens.to_string().contains(['\'', 'S']))
}

fn infer_data(program: &mut Program, id: ItemId, seen: &mut BTreeSet<ItemId>, diags: &mut Diagnostics) {
    let entry = &program.items[id];
    let names = match &entry.item {
        Item::Const(constant) if entry.owner.is_none() => names_of_const(constant),
        Item::Struct(definition) => names_of_struct(definition),
        Item::Enum(definition) => names_of_enum(definition),
        Item::Alias(alias) => names_of_alias(alias),
        _ => return,
    };
    infer_behind(program, id, &names, seen, diags);
}

/// Infers an item after what it names.
fn infer_behind(
    program: &mut Program,
    id: ItemId,
    names: &[Path],
    seen: &mut BTreeSet<ItemId>,
    diags: &mut Diagnostics,
) {
    if !seen.insert(id) {
        return;
    }
    for path in names {
        if let Some(needed) = program.items[id].uses.get(&path.text()).copied()
            && matches!(program.items[needed].typed, TypedItem::None)
        {
            infer_data(program, needed, seen, diags);
        }
    }
    for function in called_by_const(program, id) {
        if let Item::Fn(called) = &program.items[function].item {
            // Errors in it are reported where it stands.
            let names = names_of_fn(called, &mut Diagnostics::new());
            infer_behind(program, function, &names, seen, diags);
        }
    }
    infer_item(program, id, diags);
}

/// The `const fn`s that a const, or one of them, may call: by their names, as types are not known yet.
fn called_by_const(program: &Program, id: ItemId) -> Vec<ItemId> {
    let may_be = |item: &ProgramItem| {
        matches!(&item.item, Item::Fn(function) if function.is_const) && matches!(item.typed, TypedItem::None)
    };
    if !matches!(program.items[id].item, Item::Const(_) | Item::Fn(_))
        || !program.items.iter().any(|(_, it)| may_be(it))
    {
        return Vec::new();
    }
    let called = calls_of(&program.items[id].item);
    let found = program.items.iter().filter(|(_, item)| {
        may_be(item) && matches!(&item.item, Item::Fn(function) if called.contains(&function.name.to_string()))
    });
    found.map(|(id, _)| id).collect()
}
