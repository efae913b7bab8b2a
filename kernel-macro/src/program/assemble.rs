//! A finished gathering → a program: entries parsed, paths linked, what the item names inferred. Reports nothing.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;

use crate::ast::Item;
use crate::diag::Diagnostics;
use crate::gather::{Closure, Entry, EntryKind, Place};
use crate::infer::infer_item;
use crate::parse::{
    Role, SourceItems, parse_alias, parse_const, parse_device_struct, parse_enum, parse_fn, parse_struct,
};
use crate::program::module::{infer_module, member_key, name_of, push_module};
use crate::program::{ItemId, Program, ProgramItem, TypedItem};

/// A program whose last item is still to infer, and what it was made of.
#[derive(Debug)]
pub(crate) struct Assembled {
    pub(crate) program: Program,
    pub(crate) item: ItemId,
    /// All items but the last, as gathered.
    pub(crate) entries: Vec<Entry>,
    /// From path to key, for the last.
    pub(crate) uses: Vec<(String, String)>,
}

/// A gathered item cannot be read again.
#[derive(Debug)]
pub(crate) struct AssembleError(pub(crate) String);

/// The item being expanded.
#[derive(Debug)]
pub(crate) struct MainItem {
    pub(crate) item: Item,
    pub(crate) file: String,
    pub(crate) position: (u32, u32),
}

/// Gathered items in a program, inferred.
pub(crate) struct Gathered {
    pub(crate) program: Program,
    pub(crate) entries: Vec<Entry>,
    /// From path to key, for the item being expanded.
    pub(crate) uses: Vec<(String, String)>,
    /// From path to item, for the item being expanded.
    pub(crate) linked: BTreeMap<String, ItemId>,
}

/// Puts the program together.
pub(crate) fn assemble(main: MainItem, done: Vec<(String, Closure)>) -> Result<Assembled, AssembleError> {
    let Gathered { mut program, entries, uses, linked } = assemble_gathered(done)?;
    let item = program.items.push(ProgramItem {
        item: main.item,
        uses: linked,
        file: main.file,
        position: main.position,
        owner: None,
        bindings: Vec::new(),
        typed: TypedItem::None,
    });
    Ok(Assembled { program, item, entries, uses })
}

/// Puts the gathered items together. An item with errors of its own, which are reported at its place, is lost.
pub(crate) fn assemble_gathered(done: Vec<(String, Closure)>) -> Result<Gathered, AssembleError> {
    let mut uses = Vec::new();
    let mut lost = BTreeSet::new();
    for (path, closure) in &done {
        match closure.key() {
            Some(key) => uses.push((path.clone(), key.to_owned())),
            None => _ = lost.insert(path.clone()),
        }
    }
    let entries = Closure::merge(done.into_iter().map(|(_, closure)| closure));
    let mut program = Program { lost, ..Program::default() };
    let mut ids = BTreeMap::new();
    for entry in &entries {
        // Errors here were reported where the item stands.
        let mut repeated = Diagnostics::new();
        match entry.kind {
            EntryKind::Member => {}
            EntryKind::Module => push_module_entry(&mut program, entry, &mut ids, &mut repeated)?,
            _ => {
                let item = parse_entry(entry)?;
                let id = program.items.push(ProgramItem {
                    item,
                    uses: link(&entry.uses, &ids),
                    file: entry.file.clone(),
                    position: entry.position,
                    owner: None,
                    bindings: Vec::new(),
                    typed: TypedItem::None,
                });
                ids.insert(entry.key.clone(), id);
                infer_item(&mut program, id, &mut repeated);
            }
        }
        let repeated = repeated.into_list();
        if let Some(error) = repeated.first() {
            return Err(AssembleError(format!("{}: {}", entry.key, error.message)));
        }
    }
    let linked = link(&uses, &ids);
    Ok(Gathered { program, entries, uses, linked })
}

fn push_module_entry(
    program: &mut Program,
    entry: &Entry,
    ids: &mut BTreeMap<String, ItemId>,
    diags: &mut Diagnostics,
) -> Result<(), AssembleError> {
    let items = read::<SourceItems>(entry.tokens.clone())?.parse_all(diags);
    let place = Place { file: entry.file.clone(), position: entry.position };
    let first = program.items.len();
    let pushed = push_module(program, items, &link(&entry.uses, ids), &place);
    for id in pushed {
        if let Some(name) = name_of(&program.items[id].item) {
            ids.insert(member_key(&entry.key, name), id);
        }
    }
    infer_module(program, first..program.items.len(), diags);
    Ok(())
}

fn link(uses: &[(String, String)], ids: &BTreeMap<String, ItemId>) -> BTreeMap<String, ItemId> {
    uses.iter().filter_map(|(path, key)| Some((path.clone(), *ids.get(key)?))).collect()
}

fn parse_entry(entry: &Entry) -> Result<Item, AssembleError> {
    let mut diags = Diagnostics::new();
    let tokens = entry.tokens.clone();
    let item = match entry.kind {
        EntryKind::Fn | EntryKind::Kernel => {
            read::<syn::ItemFn>(tokens).map(|item| Item::Fn(parse_fn(&item, Role::Device, &mut diags)))
        }
        EntryKind::Const => read::<syn::ItemConst>(tokens).map(|item| Item::Const(parse_const(&item, &mut diags))),
        EntryKind::DeviceStruct => {
            read::<syn::ItemStruct>(tokens).map(|item| Item::Struct(parse_device_struct(&item, &mut diags)))
        }
        EntryKind::Alias => read::<syn::ItemType>(tokens).map(|item| Item::Alias(parse_alias(&item, &mut diags))),
        EntryKind::Enum => read::<syn::ItemEnum>(tokens).map(|item| Item::Enum(parse_enum(&item, &mut diags))),
        EntryKind::Module | EntryKind::Member => Err(AssembleError("not an item".to_owned())),
        EntryKind::Struct => read::<syn::DeriveInput>(tokens).map(|item| Item::Struct(parse_struct(&item, &mut diags))),
    };
    if let Some(error) = diags.into_list().first() {
        return Err(AssembleError(format!("{}: {}", entry.key, error.message)));
    }
    item
}

fn read<T: syn::parse::Parse>(tokens: TokenStream) -> Result<T, AssembleError> {
    syn::parse2(tokens).map_err(|error| AssembleError(error.to_string()))
}
