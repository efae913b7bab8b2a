//! From Rust source to a verified module, without a proc macro around it.

use std::collections::BTreeMap;

use gridwise_ir::builder::ModuleBuilder;
use gridwise_ir::ir::Module;

use super::super::{Shared, lower_device_fn, lower_kernel};
use crate::ast::Item;
use crate::diag::Diagnostics;
use crate::infer::infer_item;
use crate::infer::tests::harness::{kernel_of, parse_item};
use crate::lower::types::TypeCx;
use crate::program::instantiate::instantiate;
use crate::program::{ItemId, Program, ProgramItem, TypedItem};

/// The items of a source text, inferred. A `fn` named `kernel` is a kernel, all others are device functions; an item may
/// name those above it.
pub(super) fn program_of(source: &str) -> Program {
    let file: syn::File = syn::parse_str(source).expect("the test is Rust");
    let mut program = Program::default();
    let mut names: BTreeMap<String, ItemId> = BTreeMap::new();
    for item in &file.items {
        let mut diags = Diagnostics::new();
        let (name, item) = parse_item(item, &mut diags);
        let position = (name.span().start().line as u32, name.span().start().column as u32 + 1);
        let id = program.items.push(ProgramItem {
            item,
            uses: names.clone(),
            file: "src/kernel.rs".to_owned(),
            position,
            owner: None,
            bindings: Vec::new(),
            typed: TypedItem::None,
        });
        infer_item(&mut program, id, &mut diags);
        instantiate(&mut program, id, &mut diags);
        let errors: Vec<_> = diags.into_list().iter().map(|error| error.text()).collect();
        assert!(errors.is_empty(), "{errors:#?}\n{source}");
        names.insert(name.to_string(), id);
    }
    program
}

/// The module of the last item, a kernel.
pub(super) fn kernel_module(source: &str) -> Module {
    let program = program_of(source);
    let kernel = kernel_of(&program);
    verified(lower_kernel(&program, kernel, [64, 1, 1], true).module, source)
}

/// A module of device functions without a kernel.
pub(super) fn device_module(source: &str) -> Module {
    let program = program_of(source);
    let mut module = ModuleBuilder::new();
    let mut shared = Shared {
        program: &program,
        types: TypeCx::new(&program),
        functions: Default::default(),
        closures: Default::default(),
        memory: Default::default(),
        debug_assertions: true,
        derives: false,
        messages: Vec::new(),
        barriers: Vec::new(),
        calls: Vec::new(),
        elsewhere: Vec::new(),
        matrix_faults: Vec::new(),
        budget: Default::default(),
    };
    for (id, item) in program.items.iter() {
        if let Item::Fn(_) = item.item {
            let function = lower_device_fn(&mut module, &mut shared, id);
            shared.functions.insert(id, function);
        }
    }
    verified(module.finish(), source)
}

fn verified(module: Module, source: &str) -> Module {
    if let Err(errors) = gridwise_ir::verify::verify(&module) {
        panic!("{errors}\n{source}\n{module}");
    }
    module
}
