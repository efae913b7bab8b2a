//! Functions: their parameters and variables, and what is known of one while it is written.

use std::cell::OnceCell;

use rspirv::spirv::{Op, StorageClass};

use super::EmitError;
use super::interface::Prologue;
use super::late_traps::{Failed, LateTrap, LoopTraps, Repeat};
use super::locals::{self, Locals, Start};
use super::loops::OpenLoop;
use super::module::Writer;
use super::words::{Id, Ids};
use crate::arena::EntityId;
use crate::flow::nobody_waits;
use crate::ir::{Function, FunctionId, InstId, InstKind, LocalId, ValueId};
use crate::rounds::definitions;

/// The function being written.
pub(super) struct FunctionWriter<'w, 'm> {
    pub(super) w: &'w mut Writer<'m>,
    pub(super) function: &'m Function,
    pub(super) prologue: Prologue,
    /// Id of each value, by number; zero before its definition.
    pub(super) values: Vec<Id>,
    /// The instruction that defines each value written so far.
    pub(super) definitions: Vec<Option<InstId>>,
    locals: Locals,
    pub(super) loops: Vec<OpenLoop>,
    /// The instruction that defines each value, written or not, once a loop is met.
    pub(super) ahead: OnceCell<Vec<Option<InstId>>>,
    /// By value, whether somebody reads more of a narrow integer than its lower bits; once one is computed.
    pub(super) read_whole: OnceCell<Vec<bool>>,
    /// If the function is an item of a batch: by number of the buffer, the variable in place of the item's own element.
    pub(super) own: Option<Vec<Option<OwnElement>>>,
    /// Checks that were made, whose traps are not written yet.
    pub(super) late_traps: Vec<LateTrap>,
    /// The variables for traps behind loops, if the function has such loops.
    pub(super) failed: Option<Failed>,
    /// The checks so far of the loop that is being written, if its traps stand behind it.
    pub(super) traps_of_loop: Option<LoopTraps>,
    /// If a loop is being written once more, for its first trap.
    pub(super) repeat: Option<Repeat>,
    /// Whether an invocation that traps in a loop may leave the kernel: nobody waits for it.
    pub(super) may_leave: bool,
    /// Indices that are below a length wherever control is, for those where they were not have left.
    pub(super) inside: Vec<(Id, Id)>,
    /// Angles of which sine and cosine are computed together, and the pair, wherever control is.
    pub(super) angles: Vec<(ValueId, Id)>,
}

/// The element of a buffer that is an item's own.
#[derive(Debug, Clone, Copy)]
pub(super) enum OwnElement {
    /// It is in this variable.
    Variable(Id),
    /// This is its value, until it is stored to.
    Value(Id),
}

impl Writer<'_> {
    /// Gives every function that runs an id, so that calls may come before definitions.
    pub(super) fn declare_function_ids(&mut self) {
        self.interface.functions = vec![0; self.module.functions.len()];
        for id in self.uses.functions.clone() {
            let function = self.new_id();
            self.interface.functions[id.index()] = function;
            let module = self.module;
            self.name(function, &module.functions[id].name);
        }
    }

    /// Defines a function.
    pub(super) fn write_function(&mut self, id: FunctionId) -> Result<(), EmitError> {
        let module = self.module;
        let function = &module.functions[id];
        let is_kernel = id == self.kernel.function;
        self.functions.reserve(8 * function.insts.len());
        let result = self.register_type(function.result);
        let params = &function.blocks[function.entry].params;
        let mut signature = vec![result];
        signature.extend(params.iter().map(|param| self.register_type(function.values[*param].ty)));
        let function_type = self.global(Op::TypeFunction, None, &signature);
        self.debug.forget();
        self.set_location(function.location);
        self.op_into(self.interface.functions[id.index()], Op::Function, result, &[0, function_type]);

        let mut values = vec![0; function.values.len()];
        for (param, ty) in params.iter().zip(&signature[1..]) {
            let value = self.op(Op::FunctionParameter, *ty, &[]);
            values[param.index()] = value;
            self.name(value, function.values[*param].name.as_deref().unwrap_or_default());
        }
        let entry = self.new_id();
        self.begin_block(entry);
        let locals = self.write_locals(function);
        let failed = self.write_failed(function);
        let uses = std::mem::take(&mut self.uses.by_function[id]);
        let prologue = self.write_prologue(&uses, is_kernel);
        self.uses.by_function[id] = uses;
        let mut writer = FunctionWriter::new(self, function, prologue, values, locals);
        writer.failed = failed;
        writer.may_leave = is_kernel && nobody_waits(module, &writer.w.uses.functions);
        writer.block(function.entry, None)?;
        self.effect(Op::FunctionEnd, &[]);
        Ok(())
    }

    /// Local variables.
    pub(super) fn write_locals(&mut self, function: &Function) -> Locals {
        let (starts, left_out) = locals::starts(function, &self.module.types);
        let has_constants = starts.iter().any(|start| matches!(start, Start::Constants(_)));
        let definitions = if has_constants { definitions(function) } else { Vec::new() };
        let mut variables = Vec::with_capacity(starts.len());
        for ((_, local), start) in function.locals.iter().zip(starts) {
            let ty = self.value_type(local.ty);
            let pointer = self.pointer_type(StorageClass::Function, ty);
            let initializer = match start {
                Start::Zero => Some(self.global(Op::ConstantNull, Some(ty), &[])),
                Start::Constants(value) => {
                    let constant = self.constant_composite(function, &|value| definitions[value.index()], value);
                    Some(constant.expect("it was found to be constant"))
                }
                Start::Anything => None,
            };
            let operands: Ids = [StorageClass::Function as u32].into_iter().chain(initializer).collect();
            let variable = self.op(Op::Variable, pointer, &operands);
            self.name(variable, &local.name);
            variables.push(variable);
        }
        Locals { variables, left_out }
    }
}

impl<'w, 'm> FunctionWriter<'w, 'm> {
    /// A writer of a function whose first block was begun; `values` are those that are defined.
    pub(super) fn new(
        w: &'w mut Writer<'m>,
        function: &'m Function,
        prologue: Prologue,
        values: Vec<Id>,
        locals: Locals,
    ) -> Self {
        let definitions = vec![None; values.len()];
        Self {
            w,
            function,
            prologue,
            definitions,
            values,
            locals,
            loops: Vec::new(),
            ahead: OnceCell::new(),
            read_whole: OnceCell::new(),
            own: None,
            late_traps: Vec::new(),
            failed: None,
            traps_of_loop: None,
            repeat: None,
            may_leave: false,
            inside: Vec::new(),
            angles: Vec::new(),
        }
    }
}

impl FunctionWriter<'_, '_> {
    /// The id of a value that is defined already.
    pub(super) fn value(&self, value: ValueId) -> Id {
        let id = self.values[value.index()];
        debug_assert_ne!(id, 0, "{value} is used before its definition");
        id
    }

    /// The ids of several values.
    pub(super) fn ids(&self, values: &[ValueId]) -> Ids {
        values.iter().map(|value| self.value(*value)).collect()
    }

    /// The variable of a local.
    pub(super) fn local(&self, local: LocalId) -> Id {
        self.locals.variables[local.index()]
    }

    /// Whether a store does nothing that anybody reads, or is of what the variable starts with.
    pub(super) fn leaves_out(&self, store: InstId) -> bool {
        self.locals.left_out.contains(&store)
    }

    pub(super) fn define(&mut self, value: ValueId, id: Id) {
        self.values[value.index()] = id;
    }

    /// The ids of the kernel's parameters, by value; zero for all other values.
    pub(super) fn into_params(mut self) -> Vec<Id> {
        for (id, definition) in self.values.iter_mut().zip(&self.definitions) {
            let is_param = definition.is_some_and(|inst| matches!(self.function.insts[inst].kind, InstKind::Param(_)));
            *id = if is_param { *id } else { 0 };
        }
        self.values
    }
}
