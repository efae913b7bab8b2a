//! Loads and stores: places become access chains, checked steps become branches around the access.

use rspirv::spirv::{GlslStd450Op, MemoryAccess, Op, StorageClass};

use super::function::{FunctionWriter, OwnElement};
use super::late_traps::LateTrap;
use super::module::Writer;
use super::packed::Packed;
use super::rows::Row;
use super::types::Lanes;
use super::words::{Id, Ids};
use crate::arena::EntityId;
use crate::ir::{BufferId, Builtin, InstKind, Place, Root, SiteId, Step, ValueId};
use crate::types::{Size, Type, TypeId};

/// A place with its steps as ids, ready to be accessed.
#[derive(Clone)]
struct Access {
    class: StorageClass,
    /// Whether several invocations access it and one of them may write.
    is_shared: bool,
    /// Whether others may access the cell in any order: then it is read where it is read, and not once more.
    is_volatile: bool,
    /// The variable, then the indices into it.
    operands: Ids,
    /// In the order of the steps.
    checks: Vec<Check>,
    /// Type of the cell.
    ty: TypeId,
    /// The type of the elements, if they are fetched as texels are.
    texel: Option<TypeId>,
    /// The vectors that the buffer's elements are made of.
    row: Option<Row>,
    /// The words that the buffer's elements lie in.
    packed: Option<Packed>,
}

impl Access {
    /// Whether the memory has a layout of its own. Workgroup memory has none, as local variables.
    fn is_laid_out(&self) -> bool {
        matches!(self.class, StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer)
    }
}

/// `index < len`, or the site traps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Check {
    pub(super) site: SiteId,
    pub(super) index: Id,
    pub(super) len: Id,
}

/// The labels of a branch around an access that is not closed yet.
struct Open {
    outside: Id,
    merge: Id,
}

impl Writer<'_> {
    /// Converts a value that was loaded from a buffer or push constant to the type of values.
    pub(super) fn load_converted(&mut self, stored: Id, ty: TypeId) -> Id {
        let (value, storage) = (self.value_type(ty), self.storage_type(ty));
        if value == storage { stored } else { self.op(Op::CopyLogical, value, &[stored]) }
    }

    fn store_converted(&mut self, value: Id, ty: TypeId) -> Id {
        let (value_type, storage) = (self.value_type(ty), self.storage_type(ty));
        if value_type == storage { value } else { self.op(Op::CopyLogical, storage, &[value]) }
    }
}

impl FunctionWriter<'_, '_> {
    /// Reads a place; where a check fails, traps and gives zero.
    pub(super) fn load(&mut self, place: &Place, ty: TypeId) -> Id {
        if let Some(OwnElement::Value(value)) = self.own_element(place) {
            let value = *value;
            return self.w.widen(value, ty);
        }
        if let (Root::Buffer(buffer), [Step::Index { value, .. }, Step::Joined { scalar, lanes }]) =
            (place.root, &place.path[..])
        {
            let index = self.value(*value);
            return self.w.load_joined(buffer, index, Lanes { scalar: *scalar, count: *lanes });
        }
        let access = self.access(place);
        if access.checks.is_empty() {
            return self.load_unchecked(&access);
        }
        if let [check] = access.checks[..]
            && access.class == StorageClass::StorageBuffer
        {
            return self.load_or_zero(&access, check);
        }
        self.flush_traps();
        let open = self.enter_checks(&access.checks);
        let mut loaded = self.load_unchecked(&access);
        let (ty, zero) = (self.w.register_type(access.ty), self.w.register_zero(access.ty));
        self.leave_checks(&access.checks, open, |w, passed, failed| {
            loaded = w.op(Op::Phi, ty, &[loaded, passed, zero, failed]);
        });
        loaded
    }

    /// Loads where the check passes, and leaves the trap for later: drivers do such a load without a branch, and move it.
    fn load_or_zero(&mut self, access: &Access, check: Check) -> Id {
        let before = self.w.label;
        let is_inside = self.is_inside(&check);
        // Gathers of which a launch knows nothing are faster by a branch, which drivers make a condition of the load.
        if self.w.module.sites[check.site].at_launch.is_some() && self.has_first(access) {
            return self.load_or_first(access, check, is_inside);
        }
        let (inside, merge) = (self.w.new_id(), self.w.new_id());
        self.w.effect(Op::SelectionMerge, &[merge, 0]);
        self.w.effect(Op::BranchConditional, &[is_inside, inside, merge]);
        self.w.begin_block(inside);
        let loaded = self.load_unchecked(access);
        let (ty, zero, passed) = (self.w.register_type(access.ty), self.w.register_zero(access.ty), self.w.label);
        self.w.effect(Op::Branch, &[merge]);
        self.w.begin_block(merge);
        let loaded = self.w.op(Op::Phi, ty, &[loaded, passed, zero, before]);
        if !self.w.module.sites[check.site].is_quiet {
            self.trap_later(LateTrap { is_inside, check });
        }
        loaded
    }

    /// Whether even an empty buffer has memory for the element that is loaded.
    fn has_first(&self, access: &Access) -> bool {
        let types = &self.w.module.types;
        let is_word = matches!(types.get(access.ty), Type::Scalar(scalar) if scalar.bits() <= 32);
        is_word && access.operands.len() == 3 && access.row.is_none()
    }

    /// Loads the first element where the check fails, and gives zero for it: there is no branch at all.
    fn load_or_first(&mut self, access: &Access, check: Check, is_inside: Id) -> Id {
        let (word, zero) = (self.w.u32_type(), self.w.const_u32(0));
        let index = self.w.op(Op::Select, word, &[is_inside, access.operands[2], zero]);
        let mut clamped = access.clone();
        clamped.operands[2] = index;
        let loaded = self.load_unchecked(&clamped);
        let (ty, zero) = (self.w.register_type(access.ty), self.w.register_zero(access.ty));
        let loaded = self.w.op(Op::Select, ty, &[is_inside, loaded, zero]);
        if !self.w.module.sites[check.site].is_quiet {
            self.trap_later(LateTrap { is_inside, check });
        }
        loaded
    }

    /// Whether a check passes.
    fn is_inside(&mut self, check: &Check) -> Id {
        let bool_ = self.w.bool_type();
        let is_inside = self.w.op(Op::ULessThan, bool_, &[check.index, check.len]);
        let Some(group) = self.w.check_groups.group(check.site) else { return is_inside };
        // Drivers know the constant when they compile: where it is true, neither branch nor comparison is left.
        let is_proven = self.w.is_proven(group);
        self.w.op(Op::LogicalOr, bool_, &[is_inside, is_proven])
    }

    /// Accesses a place through a pointer; where a check fails, traps and gives zero of `ty`, if there is a result.
    pub(super) fn access_by_pointer(
        &mut self,
        place: &Place,
        ty: Option<TypeId>,
        access_pointer: impl FnOnce(&mut Self, Id) -> Id,
    ) -> Id {
        let access = self.access(place);
        self.access_checked(&access.checks, ty, |writer| {
            let pointer = writer.pointer(&access);
            access_pointer(writer, pointer)
        })
    }

    /// Accesses a cell of so many bits (8 or 16) through a pointer to the word that it is in. `access_word` is told by how many
    /// bits the cell lies above the lowest one of the word: of a buffer's, for in shared memory it has the word to itself.
    pub(super) fn access_in_word(
        &mut self,
        place: &Place,
        ty: Option<TypeId>,
        bits: u32,
        access_word: impl FnOnce(&mut Self, Id, Option<Id>) -> Id,
    ) -> Id {
        let access = self.access(place);
        self.access_checked(&access.checks, ty, |writer| {
            if access.class != StorageClass::StorageBuffer {
                let pointer = writer.pointer(&access);
                return access_word(writer, pointer, None);
            }
            let index = writer.flat_index(place, &access);
            let word = writer.w.u32_type();
            let (per_word, log_bits) = (32 / bits, bits.trailing_zeros());
            let [log_per_word, last, log_bits] =
                [per_word.trailing_zeros(), per_word - 1, log_bits].map(|value| writer.w.const_u32(value));
            let position = writer.w.op(Op::BitwiseAnd, word, &[index, last]);
            let shift = writer.w.op(Op::ShiftLeftLogical, word, &[position, log_bits]);
            let index = writer.w.op(Op::ShiftRightLogical, word, &[index, log_per_word]);
            let pointer_type = writer.w.pointer_type(access.class, word);
            let pointer = writer.w.op(Op::AccessChain, pointer_type, &[access.operands[0], access.operands[1], index]);
            access_word(writer, pointer, Some(shift))
        })
    }

    /// Counts the cells of a buffer's elements, which are arrays if not cells: where the place is among them.
    fn flat_index(&mut self, place: &Place, access: &Access) -> Id {
        let Root::Buffer(buffer) = place.root else { panic!("in a buffer") };
        let (word, types) = (self.w.u32_type(), &self.w.module.types);
        let mut lens = Vec::new();
        let mut ty = self.w.kernel.buffers[buffer].element;
        while let Type::Array(element, len) = *types.get(ty) {
            lens.push(len);
            ty = element;
        }
        let &[_, _, mut index, ref inner @ ..] = &access.operands[..] else { panic!("the path starts with an index") };
        for (next, len) in inner.iter().zip(lens) {
            let len = self.w.size(len);
            let first = self.w.op(Op::IMul, word, &[index, len]);
            index = self.w.op(Op::IAdd, word, &[first, *next]);
        }
        index
    }

    /// Accesses the lines of a matrix, of which a place is the last, through a pointer to the first, whose index in place of
    /// the place's last one is given. `access_pointer` is told, too, whether other invocations may see the access in some order.
    pub(super) fn access_lines(
        &mut self,
        place: &Place,
        first: Id,
        ty: Option<TypeId>,
        access_pointer: impl FnOnce(&mut Writer<'_>, Id, bool) -> Id,
    ) -> Id {
        let mut access = self.access(place);
        if let Some(last) = access.operands.last_mut() {
            *last = first;
        }
        let is_non_private = self.is_non_private(&access);
        self.access_checked(&access.checks, ty, |body| {
            let pointer = body.pointer(&access);
            access_pointer(body.w, pointer, is_non_private)
        })
    }

    /// Accesses where all checks pass; where one fails, traps and gives zero of `ty`.
    fn access_checked(
        &mut self,
        checks: &[Check],
        ty: Option<TypeId>,
        access_unchecked: impl FnOnce(&mut Self) -> Id,
    ) -> Id {
        let open = self.enter_checks(checks);
        let mut result = access_unchecked(self);
        if checks.is_empty() {
            return result;
        }
        let result_type = ty.map(|ty| (self.w.register_type(ty), self.w.register_zero(ty)));
        self.leave_checks(checks, open, |w, passed, failed| {
            if let Some((ty, zero)) = result_type {
                result = w.op(Op::Phi, ty, &[result, passed, zero, failed]);
            }
        });
        result
    }

    /// Writes a place; where a check fails, traps and writes nothing.
    pub(super) fn store(&mut self, place: &Place, value: ValueId) {
        let new = self.stored_value(value);
        if let Some(OwnElement::Value(value)) = self.own_element(place) {
            *value = new;
            return;
        }
        let access = self.access(place);
        if access.checks.is_empty() {
            return self.store_unchecked(access, place, new);
        }
        let open = self.enter_checks(&access.checks);
        self.store_unchecked(access.clone(), place, new);
        self.leave_checks(&access.checks, open, |_, _, _| {});
    }

    fn access(&mut self, place: &Place) -> Access {
        let own = match self.own_element(place) {
            Some(OwnElement::Variable(variable)) => Some(*variable),
            _ => None,
        };
        let mut access = self.access_root(place, own);
        let mut steps = place.path.iter();
        if let Root::Buffer(buffer) | Root::Member(buffer, _) = place.root {
            let Some(Step::Index { value, check }) = steps.next() else {
                panic!("the path into a buffer starts with an index");
            };
            if own.is_none() {
                self.index_buffer(&mut access, (buffer, place.root.member()), *value, *check);
            }
        }
        for step in steps {
            self.add_step(&mut access, step);
        }
        if let (Some(row), Type::Scalar(_)) = (access.row, self.w.module.types.get(access.ty)) {
            self.index_row(row, &mut access.operands);
        }
        if self.own.is_some() {
            // A launch takes the batch where all of them pass.
            access.checks.clear();
        }
        access
    }

    /// The way to a variable or to a buffer's elements; `own` is the variable in place of an item's own element.
    fn access_root(&mut self, place: &Place, own: Option<Id>) -> Access {
        let kernel = self.w.kernel;
        let (class, operands, ty): (_, Ids, _) = match place.root {
            Root::Buffer(buffer) => {
                let (of, variable) = (&kernel.buffers[buffer], self.w.interface.buffers[buffer.index()]);
                match own {
                    Some(own) => (StorageClass::Function, [own].into(), of.element),
                    None if of.is_texels => (StorageClass::UniformConstant, [variable].into(), of.element),
                    // The run-time array is the block's only member.
                    None => {
                        let operands = [variable, self.w.const_u32(0)].into();
                        (StorageClass::StorageBuffer, operands, of.element)
                    }
                }
            }
            Root::Member(list, member) => {
                let operands = [self.member_address(list, member), self.w.const_u32(0)].into();
                (StorageClass::PhysicalStorageBuffer, operands, kernel.buffers[list].element)
            }
            Root::Local(local) => {
                let operands = [self.local(local)].into();
                (StorageClass::Function, operands, self.function.locals[local].ty)
            }
            Root::Shared(shared) => {
                let operands = [self.w.interface.shared[shared.index()]].into();
                (StorageClass::Workgroup, operands, kernel.shared[shared].ty)
            }
        };
        let is_shared = match place.root.object() {
            Root::Buffer(buffer) => own.is_none() && kernel.buffers[buffer].writable,
            root => matches!(root, Root::Shared(_)),
        };
        Access {
            is_volatile: place.is_unordered,
            class,
            is_shared,
            operands,
            checks: Vec::new(),
            ty,
            texel: (class == StorageClass::UniformConstant).then_some(ty),
            row: match place.root {
                Root::Buffer(buffer) if class == StorageClass::StorageBuffer => self.w.row(buffer),
                _ => None,
            },
            packed: match place.root {
                Root::Buffer(buffer) if class == StorageClass::StorageBuffer => self.w.packed(buffer),
                _ => None,
            },
        }
    }

    /// Adds the step to an element of a buffer, or of a member of a list.
    fn index_buffer(
        &mut self,
        access: &mut Access,
        (buffer, member): (BufferId, Option<ValueId>),
        value: ValueId,
        check: Option<SiteId>,
    ) {
        let index = self.value(value);
        let reached = match member {
            Some(member) => self.index_in_member(buffer, member, index),
            None => index,
        };
        access.operands.push(reached);
        if let Some(site) = check {
            let len = match member {
                Some(member) => self.member_len(buffer, member),
                None => self.prologue.len(buffer),
            };
            access.checks.push(Check { site, index, len });
        }
    }

    /// How many elements a member of a list has; zero where there is no such member.
    pub(super) fn member_len(&mut self, list: BufferId, member: ValueId) -> Id {
        let word = self.w.u32_type();
        self.member_row(list, member, 1, word)
    }

    /// The index, or the last one where it is out of range. Its check does not save a load from there, because of
    /// [`Fault::UnaskedLoads`](crate::faults::Fault::UnaskedLoads), and nothing bounds the memory that an address reaches.
    fn index_in_member(&mut self, list: BufferId, member: ValueId, index: Id) -> Id {
        let word = self.w.u32_type();
        let last = self.member_row(list, member, 2, word);
        self.w.glsl_op(GlslStd450Op::UMin, word, &[index, last])
    }

    /// The address of the elements of a member of a list. A member beyond the list has the address of memory for one
    /// element.
    fn member_address(&mut self, list: BufferId, member: ValueId) -> Id {
        let address = self.w.interface.addresses[list.index()].expect("a list has addresses");
        self.member_row(list, member, 0, address)
    }

    /// Loads a part of a row of a list's table. Behind the rows of the members is one for all that there are not.
    fn member_row(&mut self, list: BufferId, member: ValueId, part: u32, ty: Id) -> Id {
        let (count, member, word) = (self.prologue.len(list), self.value(member), self.w.u32_type());
        let row = self.w.glsl_op(GlslStd450Op::UMin, word, &[member, count]);
        let (table, zero, part) = (self.w.interface.buffers[list.index()], self.w.const_u32(0), self.w.const_u32(part));
        let pointer_type = self.w.pointer_type(StorageClass::StorageBuffer, ty);
        let pointer = self.w.op(Op::AccessChain, pointer_type, &[table, zero, row, part]);
        self.w.op(Op::Load, ty, &[pointer])
    }

    /// The alignment of a cell of a buffer.
    fn alignment(&self, access: &Access) -> u32 {
        if access.is_laid_out() { self.w.layout(access.ty).align } else { 1 }
    }

    /// The variable in place of the item's own element, if the place is in that.
    fn own_element(&mut self, place: &Place) -> Option<&mut OwnElement> {
        let (Root::Buffer(buffer), Some(Step::Index { value, .. })) = (place.root, place.path.first()) else {
            return None;
        };
        let is_item = self.own.is_some() && self.is_item(*value);
        self.own.as_mut()?[buffer.index()].as_mut().filter(|_| is_item)
    }

    /// Whether a value is `global_id().x`.
    fn is_item(&self, value: ValueId) -> bool {
        let definition = |value: ValueId| Some(&self.function.insts[self.definitions[value.index()]?].kind);
        match definition(value) {
            Some(InstKind::Extract(id, path)) if path[..] == [0] => {
                matches!(definition(*id), Some(InstKind::Builtin(Builtin::GlobalId)))
            }
            _ => false,
        }
    }

    fn add_step(&mut self, access: &mut Access, step: &Step) {
        let types = &self.w.module.types;
        let (index, member) = match *step {
            Step::Joined { .. } => panic!("several elements have a variable of their own"),
            Step::Field(number) => {
                let member = types.member(access.ty, number);
                (self.w.const_u32(number), member)
            }
            Step::Element(value) => {
                let element = types.held_element(access.ty);
                (self.value(value), element)
            }
            Step::Index { value, check } => {
                let len = match *types.get(access.ty) {
                    Type::Array(_, len) => len,
                    Type::Vector(_, len) => Size::Known(len.into()),
                    _ => panic!("only arrays and vectors are indexed"),
                };
                let member = types.member(access.ty, 0);
                let index = self.value(value);
                if let Some(site) = check {
                    access.checks.push(Check { site, index, len: self.w.size(len) });
                }
                (index, member)
            }
        };
        access.operands.push(index);
        access.ty = member.expect("the verifier follows every path");
    }

    fn pointer(&mut self, access: &Access) -> Id {
        if let [variable] = access.operands[..] {
            return variable;
        }
        let to = self.stored_type(access);
        let pointer_type = self.w.pointer_type(access.class, to);
        self.w.op(Op::AccessChain, pointer_type, &access.operands)
    }

    fn load_unchecked(&mut self, access: &Access) -> Id {
        if let (Some(element), [variable, index, lane @ ..]) = (access.texel, &access.operands[..]) {
            let fetched = self.fetch(*variable, element, *index);
            let Some(lane) = lane.first() else { return fetched };
            let ty = self.w.value_type(access.ty);
            return self.w.op(Op::VectorExtractDynamic, ty, &[fetched, *lane]);
        }
        let mut operands = Ids::from_iter([self.pointer(access)]);
        self.push_memory_operands(access, access.is_volatile, &mut operands);
        let operands = &operands[..];
        let ty = self.stored_type(access);
        let stored = self.w.op(Op::Load, ty, operands);
        match (access.row, access.packed) {
            (Some(row), _) => self.w.load_rows(row, stored, access.ty),
            (None, Some(packed)) => self.w.unpack(packed, stored, access.ty),
            _ if access.is_laid_out() => {
                let value = self.w.load_converted(stored, access.ty);
                self.w.widen(value, access.ty)
            }
            _ => self.w.widen(stored, access.ty),
        }
    }

    /// The type of what is accessed in its memory.
    fn stored_type(&mut self, access: &Access) -> Id {
        match (access.row, access.packed) {
            (Some(row), _) => self.w.row_type(row, access.ty),
            (None, Some(packed)) => self.w.packed_type(packed),
            _ if access.is_laid_out() => self.w.storage_type(access.ty),
            _ => self.w.value_type(access.ty),
        }
    }

    fn store_unchecked(&mut self, mut access: Access, place: &Place, value: Id) {
        if access.class == StorageClass::Function {
            self.keep_indices(&mut access, place);
        }
        let pointer = self.pointer(&access);
        let value = match (access.row, access.packed) {
            (Some(row), _) => self.w.store_rows(row, value, access.ty),
            (None, Some(packed)) => self.w.pack(packed, value, access.ty),
            _ if access.is_laid_out() => self.w.store_converted(value, access.ty),
            _ => value,
        };
        let mut operands = Ids::from_iter([pointer, value]);
        // A store that nobody orders is a store: only a load must happen once.
        self.push_memory_operands(&access, false, &mut operands);
        self.w.effect(Op::Store, &operands);
    }

    /// Gives the indices into a local array values of their own on drivers with [`Fault::LostIndices`](crate::faults::Fault::LostIndices):
    /// a smaller number than any array's length bounds them already, but the driver does not know that.
    fn keep_indices(&mut self, access: &mut Access, place: &Place) {
        // An item's own element has a variable of its own, so that the step to it has no operand.
        for (step, operand) in place.path.iter().rev().zip(access.operands[1..].iter_mut().rev()) {
            if let Step::Index { value, .. } = step
                && self.known_u32(*value).is_none()
            {
                let (word, most) = (self.w.u32_type(), self.w.const_u32(i32::MAX as u32));
                let bounded = self.w.glsl_op(GlslStd450Op::UMin, word, &[*operand, most]);
                let loses = self.w.loses_indices();
                *operand = self.w.op(Op::Select, word, &[loses, bounded, *operand]);
            }
        }
    }

    /// The memory operands of a load or store: the alignment of an address, and visibility to other invocations.
    fn push_memory_operands(&self, access: &Access, is_volatile: bool, operands: &mut Ids) {
        let is_addressed = access.class == StorageClass::PhysicalStorageBuffer;
        let mut what = MemoryAccess::NONE;
        what.set(MemoryAccess::ALIGNED, is_addressed);
        what.set(MemoryAccess::NON_PRIVATE_POINTER, self.is_non_private(access));
        what.set(MemoryAccess::VOLATILE, is_volatile);
        if !what.is_empty() {
            operands.push(what.bits());
        }
        if is_addressed {
            operands.push(self.alignment(access));
        }
    }

    /// Whether other invocations may see the access in some order: where a kernel orders accesses at all, all of them to
    /// memory that changes take part.
    fn is_non_private(&self, access: &Access) -> bool {
        self.w.uses.orders_memory && access.is_shared
    }

    /// Opens one branch per check, each inside the one before; gives back what [`Self::leave_checks`] needs.
    fn enter_checks(&mut self, checks: &[Check]) -> Vec<Open> {
        let mut open = Vec::with_capacity(checks.len());
        for check in checks {
            let is_inside = self.is_inside(check);
            let (inside, outside, merge) = (self.w.new_id(), self.w.new_id(), self.w.new_id());
            self.w.effect(Op::SelectionMerge, &[merge, 0]);
            self.w.effect(Op::BranchConditional, &[is_inside, inside, outside]);
            self.w.begin_block(inside);
            open.push(Open { outside, merge });
        }
        open
    }

    /// Closes the branches, innermost first, with a trap in each. `join` starts each block where the two ways meet, given
    /// the labels that a passed and a failed check come from.
    fn leave_checks(&mut self, checks: &[Check], open: Vec<Open>, mut join: impl FnMut(&mut Writer<'_>, Id, Id)) {
        for (check, Open { outside, merge }) in checks.iter().zip(open).rev() {
            let passed = self.w.label;
            self.w.effect(Op::Branch, &[merge]);
            self.w.begin_block(outside);
            let is_quiet = self.w.module.sites[check.site].is_quiet;
            if !is_quiet {
                self.w.call_trap(check.site, &[check.index, check.len]);
            }
            if !is_quiet && self.leaves_at_traps() {
                self.leave();
                self.inside.push((check.index, check.len));
                self.w.begin_block(merge);
                continue;
            }
            self.w.effect(Op::Branch, &[merge]);
            self.w.begin_block(merge);
            join(self.w, passed, outside);
        }
    }
}
