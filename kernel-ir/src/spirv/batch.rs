//! The second entry point of a kernel that can run several items per invocation; what it may do was decided in [`batch`].
//!
//! The kernel's code becomes a function of the item's number and of variables that stand for the item's own elements. The
//! entry loads vectors, calls the function for each item, or has a short one's code in its place, and stores vectors. The invocation behind the last full one runs
//! the items that are left one by one. Both read the buffers through variables of their own, so that within an entry point
//! no two variables name one buffer that is written, and all keep `Restrict`.
//!
//! A launch that passes over gigabytes goes in four places at once, a quarter of it apart, or in two where it reads and writes more
//! than two vectors at each: workgroups that run together would else all come to a page of memory that the device has to look up at
//! the same time, and wait for it together.
//!
//! [`batch`]: crate::batch

use rspirv::spirv::{Decoration, Op, StorageClass};

use super::EmitError;
use super::function::{FunctionWriter, OwnElement};
use super::interface::Prologue;
use super::locals::Locals;
use super::module::Writer;
use super::types::Lanes;
use super::words::Id;
use crate::arena::EntityId;
use crate::batch::{Batch, Own};
use crate::descriptor::{Batch as BatchDescriptor, IS_WHOLE, LaunchWordKind};
use crate::ir::{BufferId, Builtin, InstId, InstKind, Root};
use crate::types::TypeId;

/// Instructions of all items that stand in the entry itself.
const MOST_IN_PLACE: usize = 96;

/// The second entry point, once written.
#[derive(Debug)]
pub(super) struct BatchEntry {
    pub(super) function: Id,
    /// The variables it uses.
    pub(super) variables: Vec<Id>,
}

/// A buffer whose elements travel as vectors.
struct View {
    own: Own,
    buffer: BufferId,
    /// The buffer as vectors.
    variable: Id,
    /// The element of the item that runs.
    element: Id,
    element_type: TypeId,
    /// The components of the invocation's vectors, before and after.
    lanes: Vec<Id>,
}

impl View {
    /// An element.
    fn shape(&self) -> Lanes {
        Lanes { scalar: self.own.scalar, count: self.own.lanes as u8 }
    }

    /// The vectors.
    fn vector(&self) -> Lanes {
        Lanes { scalar: self.own.scalar, count: self.own.width as u8 }
    }

    /// The components that belong to an item.
    fn lanes_of(&self, item: u32) -> &[Id] {
        &self.lanes[(item * self.own.lanes) as usize..][..self.own.lanes as usize]
    }

    /// Vectors of all items of an invocation.
    fn vectors(&self, items: u32) -> u32 {
        items * self.own.lanes / self.own.width
    }
}

impl Writer<'_> {
    /// Writes the second entry point.
    pub(super) fn write_batch(&mut self, batch: &Batch) -> Result<(), EmitError> {
        let mut views = Vec::new();
        for (own, (buffer, parameter)) in batch.own.iter().zip(self.kernel.buffers.iter()) {
            let Some(own) = *own else { continue };
            let vector = self.lanes_type(Lanes { scalar: own.scalar, count: own.width as u8 });
            let array = self.new_global(Op::TypeRuntimeArray, None, &[vector]);
            self.decorate(array, Decoration::ArrayStride, &[own.scalar.bits() / 8 * own.width]);
            let block = self.block_type(&[(array, 0)]);
            let variable = self.bound_variable(block, buffer.index() as u32, &parameter.name);
            if !parameter.writable {
                self.decorate(variable, Decoration::NonWritable, &[]);
            }
            if !own.is_loaded {
                self.decorate(variable, Decoration::NonReadable, &[]);
            }
            let element_type = parameter.element;
            views.push(View { own, buffer, variable, element: 0, element_type, lanes: Vec::new() });
        }
        // Variables of the first entry that this one does not touch are none of its own.
        let is_foreign = |id: BufferId| batch.own[id.index()].is_some_and(|own| !own.is_read_elsewhere);
        let buffers = self.kernel.buffers.ids().zip(&self.interface.buffers);
        let mut foreign: Vec<Id> = buffers.filter(|(id, _)| is_foreign(*id)).map(|(_, variable)| *variable).collect();
        foreign.extend([self.interface.trap, self.interface.print]);
        let variables = self.interface.variables.iter().copied().filter(|id| !foreign.contains(id)).collect();
        self.interface.variables.retain(|id| !views.iter().any(|view| view.variable == *id));
        let item = self.write_item(&views)?;
        let function = self.write_entry(batch.items, item, &mut views)?;
        self.interface.batch = Some(BatchEntry { function, variables });
        Ok(())
    }

    /// The kernel's code as a function of the item's number and pointers to its own elements.
    fn write_item(&mut self, views: &[View]) -> Result<Id, EmitError> {
        let module = self.module;
        let function = &module.functions[self.kernel.function];
        let (void, word) = (self.value_type(function.result), self.u32_type());
        let mut signature = vec![void, word];
        for view in views {
            let element = self.value_type(view.element_type);
            signature.push(self.pointer_type(StorageClass::Function, element));
        }
        let function_type = self.global(Op::TypeFunction, None, &signature);
        let id = self.new_id();
        self.name(id, "item");
        self.debug.forget();
        self.op_into(id, Op::Function, void, &[0, function_type]);
        let number = self.op(Op::FunctionParameter, word, &[]);
        let mut own = vec![None; self.kernel.buffers.len()];
        for (view, ty) in views.iter().zip(&signature[2..]) {
            own[view.buffer.index()] = Some(OwnElement::Variable(self.op(Op::FunctionParameter, *ty, &[])));
        }
        let entry = self.new_id();
        self.begin_block(entry);
        let locals = self.write_locals(function);
        let uses = self.uses.by_function[self.kernel.function].clone();
        let mut prologue = Prologue::default();
        if uses.has_builtin(Builtin::GlobalId) {
            self.set_item(&mut prologue, number);
        }
        self.write_lens(&uses, &mut prologue);
        let mut writer = FunctionWriter::new(self, function, prologue, vec![0; function.values.len()], locals);
        writer.own = Some(own);
        writer.block(function.entry, None)?;
        self.effect(Op::FunctionEnd, &[]);
        Ok(id)
    }

    fn set_item(&mut self, prologue: &mut Prologue, number: Id) {
        let (ids, zero) = (self.lanes_type(super::interface::UVEC3), self.const_u32(0));
        let ids = self.op(Op::CompositeConstruct, ids, &[number, zero, zero]);
        prologue.set_builtin(Builtin::GlobalId, ids);
    }

    /// Whether the kernel's code can stand in the entry once for each item, and is short enough for that: nothing but values, accesses
    /// of whole elements and one way out.
    fn is_straight(&self, items: u32) -> bool {
        let function = &self.module.functions[self.kernel.function];
        let is_plain = |id: &InstId| match &function.insts[*id].kind {
            InstKind::Load(place) | InstKind::Store(place, _) => {
                matches!(place.root, Root::Buffer(_)) && place.path.len() == 1
            }
            kind => matches!(
                kind,
                InstKind::Const(_)
                    | InstKind::Op(..)
                    | InstKind::Param(_)
                    | InstKind::ConstParam(_)
                    | InstKind::Builtin(Builtin::GlobalId)
                    | InstKind::Len(_)
                    | InstKind::Compose(_)
                    | InstKind::Extract(..)
                    | InstKind::Insert(..)
            ),
        };
        let Some((last, insts)) = function.blocks[function.entry].insts.split_last() else { return false };
        let ends = matches!(function.insts[*last].kind, InstKind::Return(None));
        ends && function.locals.is_empty()
            && insts.len() * items as usize <= MOST_IN_PLACE
            && insts.iter().all(is_plain)
    }

    /// Writes the kernel's code for one item, given its own elements before it, by buffer; gives them after it. `params` are the ids of
    /// parameters that were read, by value, none before the first item.
    fn write_in_place(
        &mut self,
        prologue: Prologue,
        params: &mut Vec<Id>,
        own: Vec<Option<OwnElement>>,
    ) -> Result<Vec<Option<OwnElement>>, EmitError> {
        let module = self.module;
        let function = &module.functions[self.kernel.function];
        let mut writer = FunctionWriter::new(self, function, prologue, std::mem::take(params), Locals::default());
        writer.own = Some(own);
        writer.all_but_last(function.entry)?;
        let own = writer.own.take().unwrap_or_default();
        *params = writer.into_params();
        Ok(own)
    }

    /// The entry itself.
    fn write_entry(&mut self, items: u32, item: Id, views: &mut [View]) -> Result<Id, EmitError> {
        let (word, bool_) = (self.u32_type(), self.bool_type());
        let void = self.value_type(self.module.functions[self.kernel.function].result);
        let function_type = self.global(Op::TypeFunction, None, &[void]);
        let function = self.new_id();
        self.name(function, super::BATCH_ENTRY_POINT);
        self.debug.forget();
        self.op_into(function, Op::Function, void, &[0, function_type]);
        let start = self.new_id();
        self.begin_block(start);
        for view in &mut *views {
            let ty = self.value_type(view.element_type);
            let pointer = self.pointer_type(StorageClass::Function, ty);
            view.element = self.op(Op::Variable, pointer, &[StorageClass::Function as u32]);
        }
        let rest = self.pointer_type(StorageClass::Function, word);
        let rest = self.op(Op::Variable, rest, &[StorageClass::Function as u32]);
        let ids = self.write_global_id();
        let number = self.op(Op::CompositeExtract, word, &[ids, 0]);
        let total = self.load_launch_word(LaunchWordKind::Items(0));
        let shift = self.const_u32(items.trailing_zeros());
        // Counted in full invocations, so that nothing wraps around.
        let full = self.op(Op::ShiftRightLogical, word, &[total, shift]);
        // Pipelines for launches of whole invocations in one place have no code for others.
        let is_whole = self.flag(IS_WHOLE);
        let is_odd = self.op(Op::LogicalNot, bool_, &[is_whole]);
        let accesses: u32 =
            views.iter().map(|view| u32::from(view.own.is_loaded) + u32::from(view.own.is_stored)).sum();
        let number = self.spread(number, full, is_odd, if accesses > 2 { 1 } else { 2 });
        let first = self.op(Op::ShiftLeftLogical, word, &[number, shift]);
        // As `false` where each invocation is full, so that what folds constants sees it.
        let is_not_full = self.is_not_full();
        let is_behind = self.op(Op::UGreaterThanEqual, bool_, &[number, full]);
        let is_behind = self.op(Op::LogicalAnd, bool_, &[is_not_full, is_behind]);
        let [whole, part, merge] = [(); 3].map(|()| self.new_id());
        self.effect(Op::SelectionMerge, &[merge, 0]);
        self.effect(Op::BranchConditional, &[is_behind, part, whole]);
        self.begin_block(whole);
        self.write_whole(items, item, number, first, views)?;
        self.effect(Op::Branch, &[merge]);
        self.begin_block(part);
        let is_last = self.op(Op::IEqual, bool_, &[number, full]);
        let is_last = self.op(Op::LogicalAnd, bool_, &[is_odd, is_last]);
        let [tail, done] = [(); 2].map(|()| self.new_id());
        self.effect(Op::SelectionMerge, &[done, 0]);
        self.effect(Op::BranchConditional, &[is_last, tail, done]);
        self.begin_block(tail);
        self.write_tail(item, [first, total], rest, views);
        self.effect(Op::Branch, &[done]);
        self.begin_block(done);
        self.effect(Op::Branch, &[merge]);
        self.begin_block(merge);
        self.effect(Op::Return, &[]);
        self.effect(Op::FunctionEnd, &[]);
        Ok(function)
    }

    /// The place of an invocation by its number. In a launch of more than [`BatchDescriptor::FAR`] full ones, workgroups next to each other take
    /// their turns in the parts of it, a power of two; the few behind whole parts stay where they are.
    fn spread(&mut self, number: Id, full: Id, is_odd: Id, power: u32) -> Id {
        let Some(width) = self.kernel.workgroup[0].known().filter(|width| width.is_power_of_two()) else {
            return number;
        };
        let (word, bool_) = (self.u32_type(), self.bool_type());
        let by_group = self.const_u32(width.trailing_zeros());
        let (by_part, by_turn) = (self.const_u32(width.trailing_zeros() + power), self.const_u32(power));
        let (in_group, in_turn, far) =
            (self.const_u32(width - 1), self.const_u32((1 << power) - 1), self.const_u32(BatchDescriptor::FAR));
        let part = self.op(Op::ShiftRightLogical, word, &[full, by_part]);
        let group = self.op(Op::ShiftRightLogical, word, &[number, by_group]);
        let which = self.op(Op::BitwiseAnd, word, &[group, in_turn]);
        let turn = self.op(Op::ShiftRightLogical, word, &[group, by_turn]);
        let start = self.op(Op::IMul, word, &[which, part]);
        let moved = self.op(Op::IAdd, word, &[start, turn]);
        let moved = self.op(Op::ShiftLeftLogical, word, &[moved, by_group]);
        let within = self.op(Op::BitwiseAnd, word, &[number, in_group]);
        let moved = self.op(Op::BitwiseOr, word, &[moved, within]);
        let is_far = self.op(Op::UGreaterThan, bool_, &[full, far]);
        let is_far = self.op(Op::LogicalAnd, bool_, &[is_odd, is_far]);
        let is_whole = self.op(Op::ULessThan, bool_, &[turn, part]);
        let is_moved = self.op(Op::LogicalAnd, bool_, &[is_far, is_whole]);
        self.op(Op::Select, word, &[is_moved, moved, number])
    }

    /// As many items as an invocation takes: all loads, all items, all stores.
    fn write_whole(
        &mut self,
        items: u32,
        item: Id,
        number: Id,
        first: Id,
        views: &mut [View],
    ) -> Result<(), EmitError> {
        let word = self.u32_type();
        for view in &mut *views {
            view.lanes = Vec::new();
            for part in 0..view.vectors(items) {
                if !view.own.is_loaded {
                    break;
                }
                let pointer = self.vector_pointer(view, items, number, part);
                let vector = self.lanes_type(view.vector());
                let loaded = self.op(Op::Load, vector, &[pointer]);
                let lanes = self.lanes_of_vector(view.vector(), loaded);
                view.lanes.extend(lanes);
            }
        }
        let mut results = vec![Vec::new(); views.len()];
        let is_straight = self.is_straight(items);
        let (mut prologue, mut params) = (Prologue::default(), Vec::new());
        if is_straight {
            params = vec![0; self.module.functions[self.kernel.function].values.len()];
            let uses = self.uses.by_function[self.kernel.function].clone();
            self.write_lens(&uses, &mut prologue);
        }
        for of in 0..items {
            let by = self.const_u32(of);
            let position = self.op(Op::IAdd, word, &[first, by]);
            if is_straight {
                self.set_item(&mut prologue, position);
                let mut own = vec![None; self.kernel.buffers.len()];
                for view in &*views {
                    let value = match view.own.is_loaded {
                        true => self.composed(view.shape(), view.lanes_of(of)),
                        // Nothing reads it before it is written.
                        false => self.const_zero(view.element_type),
                    };
                    own[view.buffer.index()] = Some(OwnElement::Value(value));
                }
                let own = self.write_in_place(prologue.clone(), &mut params, own)?;
                for (view, results) in views.iter().zip(&mut results).filter(|(view, _)| view.own.is_stored) {
                    if let Some(OwnElement::Value(value)) = own[view.buffer.index()] {
                        results.extend(self.lanes_of_vector(view.shape(), value));
                    }
                }
                continue;
            }
            for view in views.iter().filter(|view| view.own.is_loaded) {
                self.store_element(view, view.lanes_of(of));
            }
            self.call_item(item, position, views);
            for (view, results) in views.iter().zip(&mut results).filter(|(view, _)| view.own.is_stored) {
                results.extend(self.load_element(view));
            }
        }
        for (view, results) in views.iter().zip(&results).filter(|(view, _)| view.own.is_stored) {
            for (part, lanes) in (0..).zip(results.chunks(view.own.width as usize)) {
                let vector = self.composed(view.vector(), lanes);
                let pointer = self.vector_pointer(view, items, number, part);
                self.effect(Op::Store, &[pointer, vector]);
            }
        }
        Ok(())
    }

    /// The items behind the last full invocation, one after the other.
    fn write_tail(&mut self, item: Id, [first, total]: [Id; 2], position: Id, views: &[View]) {
        let (word, bool_) = (self.u32_type(), self.bool_type());
        self.effect(Op::Store, &[position, first]);
        let [header, check, body, latch, merge] = [(); 5].map(|()| self.new_id());
        self.effect(Op::Branch, &[header]);
        self.begin_block(header);
        self.effect(Op::LoopMerge, &[merge, latch, 0]);
        self.effect(Op::Branch, &[check]);
        self.begin_block(check);
        let at = self.op(Op::Load, word, &[position]);
        let is_left = self.op(Op::ULessThan, bool_, &[at, total]);
        self.effect(Op::BranchConditional, &[is_left, body, merge]);
        self.begin_block(body);
        for view in views.iter().filter(|view| view.own.is_loaded) {
            let scalar = self.lanes_type(Lanes::one(view.own.scalar));
            let lanes: Vec<Id> = (0..view.own.lanes)
                .map(|lane| {
                    let pointer = self.lane_pointer(view, at, lane);
                    self.op(Op::Load, scalar, &[pointer])
                })
                .collect();
            self.store_element(view, &lanes);
        }
        self.call_item(item, at, views);
        for view in views.iter().filter(|view| view.own.is_stored) {
            for (lane, value) in (0..).zip(self.load_element(view)) {
                let pointer = self.lane_pointer(view, at, lane);
                self.effect(Op::Store, &[pointer, value]);
            }
        }
        self.effect(Op::Branch, &[latch]);
        self.begin_block(latch);
        let one = self.const_u32(1);
        let next = self.op(Op::IAdd, word, &[at, one]);
        self.effect(Op::Store, &[position, next]);
        self.effect(Op::Branch, &[header]);
        self.begin_block(merge);
    }

    fn call_item(&mut self, item: Id, position: Id, views: &[View]) {
        let void = self.value_type(self.module.functions[self.kernel.function].result);
        let mut operands = vec![item, position];
        operands.extend(views.iter().map(|view| view.element));
        self.op(Op::FunctionCall, void, &operands);
    }

    fn load_element(&mut self, view: &View) -> Vec<Id> {
        let ty = self.lanes_type(view.shape());
        let element = self.op(Op::Load, ty, &[view.element]);
        self.lanes_of_vector(view.shape(), element)
    }

    fn store_element(&mut self, view: &View, lanes: &[Id]) {
        let element = self.composed(view.shape(), lanes);
        self.effect(Op::Store, &[view.element, element]);
    }

    /// The lanes of a vector; a scalar is its own.
    fn lanes_of_vector(&mut self, shape: Lanes, vector: Id) -> Vec<Id> {
        if shape.count == 1 {
            return vec![vector];
        }
        let scalar = self.lanes_type(Lanes::one(shape.scalar));
        (0..shape.count.into()).map(|lane| self.op(Op::CompositeExtract, scalar, &[vector, lane])).collect()
    }

    /// A scalar, or a vector of several.
    fn composed(&mut self, shape: Lanes, lanes: &[Id]) -> Id {
        let ty = self.lanes_type(shape);
        if let [lane] = lanes { *lane } else { self.op(Op::CompositeConstruct, ty, lanes) }
    }

    /// A pointer to one of an invocation's vectors.
    fn vector_pointer(&mut self, view: &View, items: u32, number: Id, part: u32) -> Id {
        let word = self.u32_type();
        let vectors = view.vectors(items);
        let mut at = number;
        if vectors > 1 {
            let (vectors, part) = (self.const_u32(vectors), self.const_u32(part));
            at = self.op(Op::IMul, word, &[number, vectors]);
            at = self.op(Op::IAdd, word, &[at, part]);
        }
        let vector = self.lanes_type(view.vector());
        let pointer = self.pointer_type(StorageClass::StorageBuffer, vector);
        let zero = self.const_u32(0);
        self.op(Op::AccessChain, pointer, &[view.variable, zero, at])
    }

    /// A pointer to one lane of an item's own element.
    fn lane_pointer(&mut self, view: &View, item: Id, lane: u32) -> Id {
        let word = self.u32_type();
        let mut at = item;
        if view.own.lanes > 1 {
            let (lanes, lane) = (self.const_u32(view.own.lanes), self.const_u32(lane));
            at = self.op(Op::IMul, word, &[item, lanes]);
            at = self.op(Op::IAdd, word, &[at, lane]);
        }
        let scalar = self.lanes_type(Lanes::one(view.own.scalar));
        let pointer = self.pointer_type(StorageClass::StorageBuffer, scalar);
        let zero = self.const_u32(0);
        if view.own.width == 1 {
            return self.op(Op::AccessChain, pointer, &[view.variable, zero, at]);
        }
        let (shift, mask) = (self.const_u32(view.own.width.trailing_zeros()), self.const_u32(view.own.width - 1));
        let vector = self.op(Op::ShiftRightLogical, word, &[at, shift]);
        let within = self.op(Op::BitwiseAnd, word, &[at, mask]);
        self.op(Op::AccessChain, pointer, &[view.variable, zero, vector, within])
    }
}
