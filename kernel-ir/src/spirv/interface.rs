//! The kernel's interface: buffers, push constants and ids of the invocation; how they are laid out and read.

use rspirv::spirv::{Decoration, Op, StorageClass};

use super::batch::BatchEntry;
use super::features::OuterMemory;
use super::joined::JoinedVariable;
use super::module::Writer;
use super::types::Lanes;
use super::uses::{FunctionUses, Uses};
use super::words::Id;
use super::{EmitError, PushSlot};
use crate::arena::EntityId;
use crate::descriptor::NATIVES;
use crate::descriptor::{CHECK_GROUPS, Feature, LaunchWord, LaunchWordKind, ListRow};
use crate::ir::{BufferId, Builtin, Kernel, Module, ParamId, SharedId};
use crate::layout::Layout;
use crate::types::{Scalar, Size, Type, TypeId, Types};

/// `UVec3`, the type of most builtins.
pub(super) const UVEC3: Lanes = Lanes { scalar: Scalar::U32, count: 3 };

/// Layout of the interface, and the ids of its variables once declared.
#[derive(Debug, Default)]
pub(super) struct Interface {
    pub(super) push_constant_size: u32,
    pub(super) params: Vec<PushSlot>,
    pub(super) launch_words: Vec<LaunchWord>,
    pub(super) elements: Vec<Layout>,
    /// All variables, for the entry point.
    pub(super) variables: Vec<Id>,
    /// The variable of each buffer; of a list its table.
    pub(super) buffers: Vec<Id>,
    /// Further variables of buffers.
    pub(super) joined: Vec<JoinedVariable>,
    /// The type of the addresses in the table of each list, by number.
    pub(super) addresses: Vec<Option<Id>>,
    /// Each function that runs, by number.
    pub(super) functions: Vec<Id>,
    /// The trap record's variable.
    pub(super) trap: Id,
    /// The print buffer's variable.
    pub(super) print: Id,
    /// The variable of each shared variable that is used, by number, and those that start with zeros.
    pub(super) shared: Vec<Id>,
    pub(super) zeroed: Vec<SharedId>,
    /// The constant that tells whether the obligations hold, once something asks.
    pub(super) is_proven: [Option<Id>; CHECK_GROUPS],
    /// The constants that tell whether the device's `Fma` of `f32` and of `f64` rounds once, and whether its `Exp2` is near enough, once
    /// something asks.
    pub(super) has_native: [Option<Id>; NATIVES.len()],
    /// The constant that tells whether the device itself knows the number of workgroups, once something asks.
    pub(super) is_indirect: Option<Id>,
    /// The constant that tells whether a launch takes several dispatches, once something asks.
    pub(super) is_split: Option<Id>,
    pub(super) forgets_results: Option<Id>,
    /// [`descriptor::LOSES_INDICES`](crate::descriptor::LOSES_INDICES), once it is needed.
    pub(super) loses_indices: Option<Id>,
    /// Likewise whether each of its invocations has an item.
    pub(super) is_full: Option<Id>,
    /// The specialization constants that are declared, by the number of the const parameter.
    pub(super) constants: Vec<Option<Id>>,
    /// The built-in `WorkgroupSize`, where that is a specialization constant.
    pub(super) workgroup_size: Option<Id>,
    /// The second entry point, where there is one.
    pub(super) batch: Option<BatchEntry>,
    push: Id,
    /// The input variable of each builtin that has one, by number.
    pub(super) inputs: [Id; Builtin::ALL.len()],
}

/// The values that a function reads once, in its first block.
#[derive(Debug, Clone, Default)]
pub(super) struct Prologue {
    /// By number of the builtin.
    builtins: [Id; Builtin::ALL.len()],
    /// By axis: the invocation's position in the grid where the mask asked for it.
    positions: [Option<Id>; 3],
    /// By number of the buffer.
    lens: Vec<Id>,
}

impl Prologue {
    /// The value of a builtin the function uses.
    pub(super) fn builtin(&self, builtin: Builtin) -> Id {
        self.builtins[builtin as usize]
    }

    /// A member of a vector that was taken already.
    pub(super) fn member(&self, vector: Id, member: u32) -> Option<Id> {
        let is_position = vector == self.builtin(Builtin::GlobalId);
        self.positions.get(member as usize).copied().flatten().filter(|_| is_position)
    }

    /// Sets the value of a builtin.
    pub(super) fn set_builtin(&mut self, builtin: Builtin, value: Id) {
        self.builtins[builtin as usize] = value;
    }

    /// The length of a buffer whose length the function uses.
    pub(super) fn len(&self, buffer: BufferId) -> Id {
        self.lens[buffer.index()]
    }
}

impl Interface {
    /// Lays out the push-constant block.
    pub(super) fn lay_out(module: &Module, kernel: &Kernel, uses: &Uses) -> Result<Self, EmitError> {
        let mut interface = Self { constants: vec![None; kernel.constants.len()], ..Self::default() };
        for (id, buffer) in kernel.buffers.iter() {
            let layout = Layout::of(&module.types, buffer.element);
            let Layout { size, align } = layout.ok_or_else(|| EmitError::NoLayout(buffer.name.clone()))?;
            let align = if uses.words[id] { align.max(4) } else { align };
            interface.elements.push(Layout { size, align });
        }
        for (_, param) in kernel.params.iter() {
            let slot = interface.push_slot(push_layout(&module.types, param.ty));
            interface.params.push(slot.ok_or_else(|| EmitError::NoLayout(param.name.clone()))?);
        }
        for kind in launch_words(kernel, uses) {
            let word = Layout { size: 4, align: 4 };
            let slot = interface.push_slot(Some(word)).ok_or_else(|| EmitError::NoLayout("launch words".to_owned()))?;
            interface.launch_words.push(LaunchWord { offset: slot.offset, kind });
        }
        interface.push_constant_size = interface.push_constant_size.next_multiple_of(4);
        Ok(interface)
    }

    fn push_slot(&mut self, layout: Option<Layout>) -> Option<PushSlot> {
        let Layout { size, align } = layout?;
        let offset = self.push_constant_size.checked_next_multiple_of(align)?;
        self.push_constant_size = offset.checked_add(size).filter(|end| *end <= u32::MAX - 64)?;
        Some(PushSlot { offset, size })
    }

    /// The member of the push-constant block that holds a launch word.
    fn launch_member(&self, kind: LaunchWordKind) -> u32 {
        let position = self.launch_words.iter().position(|word| word.kind == kind);
        (self.params.len() + position.expect("every launch word that is read was laid out")) as u32
    }
}

/// The layout of a by-value parameter: a `bool` is a `u32`.
fn push_layout(types: &Types, ty: TypeId) -> Option<Layout> {
    match types.get(ty) {
        Type::Scalar(Scalar::Bool) => Some(Layout { size: 4, align: 4 }),
        _ => Layout::of(types, ty),
    }
}

/// Whether invocations beyond the asked ones exist along this axis.
fn is_masked(kernel: &Kernel, uses: &Uses, axis: u8) -> bool {
    !uses.needs_full_workgroups && kernel.workgroup[usize::from(axis)] != Size::Known(1)
}

/// The launch words a kernel needs, in the order of the block.
fn launch_words(kernel: &Kernel, uses: &Uses) -> Vec<LaunchWordKind> {
    let ids = [Builtin::GlobalId, Builtin::WorkgroupId].into_iter().any(|builtin| uses.all.has_builtin(builtin));
    let mut words: Vec<_> = (0..3).filter(|axis| is_masked(kernel, uses, *axis)).map(LaunchWordKind::Items).collect();
    if ids || is_masked(kernel, uses, 0) || !uses.sites.is_empty() {
        words.push(LaunchWordKind::FirstGroup);
    }
    if uses.all.has_builtin(Builtin::NumWorkgroups) {
        words.extend((0..3).map(LaunchWordKind::Groups));
    }
    let lens = kernel.buffers.ids().filter(|buffer| uses.all.has_len(*buffer));
    words.extend(lens.map(|buffer| LaunchWordKind::Len(buffer.index() as u32)));
    words
}

impl Writer<'_> {
    /// Declares all variables of the interface.
    pub(super) fn declare_interface(&mut self) -> Result<(), EmitError> {
        let kernel = self.kernel;
        for (id, buffer) in kernel.buffers.iter() {
            if let Some(image) = buffer.image {
                self.interface.addresses.push(None);
                self.declare_image(id, buffer, image, id.index() as u32);
                continue;
            }
            if buffer.is_texels {
                self.interface.addresses.push(None);
                self.declare_texels(buffer, id.index() as u32);
                continue;
            }
            let (element, stride) = if self.uses.words[id] {
                (self.u32_type(), 4)
            } else {
                self.need_memory(OuterMemory::Buffer, buffer.element);
                let element = match (self.row(id), self.packed(id)) {
                    (Some(row), _) => self.row_type(row, buffer.element),
                    (None, Some(packed)) => self.packed_type(packed),
                    (None, None) => self.storage_type(buffer.element),
                };
                (element, self.interface.elements[id.index()].size)
            };
            let block = self.elements_type(element, stride);
            self.interface.addresses.push(None);
            let block = if buffer.is_list { self.table_type(id, block) } else { block };
            let variable = self.bound_variable(block, id.index() as u32, &buffer.name);
            // Of a list, the variable is the table.
            if buffer.is_list || !buffer.writable {
                self.decorate(variable, Decoration::NonWritable, &[]);
            }
            if !buffer.is_list && !self.uses.loaded[id] {
                self.decorate(variable, Decoration::NonReadable, &[]);
            }
            self.interface.buffers.push(variable);
        }
        if let (Some(words), Some(binding)) = (self.uses.trap_words, self.trap_binding()) {
            let word = self.u32_type();
            let members: Vec<_> = (0..words).map(|member| (word, 4 * member)).collect();
            let block = self.block_type(&members);
            self.interface.trap = self.bound_variable(block, binding, "trap_record");
        }
        if let Some(binding) = self.print_binding() {
            self.interface.print = self.declare_print_buffer(binding);
        }
        self.declare_push_constants();
        self.declare_shared();
        self.declare_inputs();
        Ok(())
    }

    /// A block of elements that lie so far apart.
    pub(super) fn elements_type(&mut self, element: Id, stride: u32) -> Id {
        let array = self.new_global(Op::TypeRuntimeArray, None, &[element]);
        self.decorate(array, Decoration::ArrayStride, &[stride]);
        self.block_type(&[(array, 0)])
    }

    /// The block of a list's table: for each member its address and how many elements it has. `elements` is what lies at the address.
    fn table_type(&mut self, list: BufferId, elements: Id) -> Id {
        self.need(Feature::BufferAddresses);
        if !self.kernel.buffers[list].writable {
            self.decorate_member(elements, 0, Decoration::NonWritable, &[]);
        }
        let address = self.pointer_type(StorageClass::PhysicalStorageBuffer, elements);
        self.interface.addresses[list.index()] = Some(address);
        let word = self.u32_type();
        let row = self.new_global(Op::TypeStruct, None, &[address, word, word]);
        for (member, offset) in (0..).zip([0, 8, 12]) {
            self.decorate_member(row, member, Decoration::Offset, &[offset]);
        }
        self.elements_type(row, ListRow::BYTES)
    }

    /// Binding of the trap record.
    pub(super) fn trap_binding(&self) -> Option<u32> {
        self.uses.trap_words.map(|_| self.kernel.buffers.len() as u32)
    }

    /// Binding of the print buffer.
    pub(super) fn print_binding(&self) -> Option<u32> {
        let after = self.kernel.buffers.len() as u32 + u32::from(self.uses.trap_words.is_some());
        self.uses.prints.then_some(after)
    }

    /// A struct type with members at offsets, decorated as an interface block.
    pub(super) fn block_type(&mut self, members: &[(Id, u32)]) -> Id {
        let types: Vec<_> = members.iter().map(|(ty, _)| *ty).collect();
        let block = self.new_global(Op::TypeStruct, None, &types);
        self.decorate(block, Decoration::Block, &[]);
        for (member, (_, offset)) in members.iter().enumerate() {
            self.decorate_member(block, member as u32, Decoration::Offset, &[*offset]);
        }
        block
    }

    pub(super) fn bound_variable(&mut self, block: Id, binding: u32, name: &str) -> Id {
        let variable = self.interface_variable(StorageClass::StorageBuffer, block, name);
        self.decorate(variable, Decoration::DescriptorSet, &[0]);
        self.decorate(variable, Decoration::Binding, &[binding]);
        self.decorate(variable, Decoration::Restrict, &[]);
        variable
    }

    pub(super) fn interface_variable(&mut self, class: StorageClass, ty: Id, name: &str) -> Id {
        let pointer = self.pointer_type(class, ty);
        let variable = self.new_global(Op::Variable, Some(pointer), &[class as u32]);
        self.name(variable, name);
        self.interface.variables.push(variable);
        variable
    }

    fn declare_push_constants(&mut self) {
        let kernel = self.kernel;
        let mut members = Vec::new();
        for (id, param) in kernel.params.iter() {
            self.need_memory(OuterMemory::PushConstants, param.ty);
            let ty = self.storage_type(param.ty);
            members.push((ty, self.interface.params[id.index()].offset));
        }
        let word = self.u32_type();
        members.extend(self.interface.launch_words.iter().map(|launch| (word, launch.offset)));
        if members.is_empty() {
            return;
        }
        let block = self.block_type(&members);
        for (id, param) in kernel.params.iter() {
            self.name_member(block, id.index() as u32, &param.name);
        }
        for index in 0..self.interface.launch_words.len() {
            let name = self.launch_word_name(self.interface.launch_words[index].kind);
            self.name_member(block, (kernel.params.len() + index) as u32, &name);
        }
        self.interface.push = self.interface_variable(StorageClass::PushConstant, block, "launch");
    }

    fn launch_word_name(&self, kind: LaunchWordKind) -> String {
        let axis = |axis: u8| char::from(b'x' + axis);
        match kind {
            LaunchWordKind::Items(of) => format!("items_{}", axis(of)),
            LaunchWordKind::Groups(of) => format!("groups_{}", axis(of)),
            LaunchWordKind::FirstGroup => "first_group".to_owned(),
            LaunchWordKind::Len(buffer) => format!("len_{}", self.kernel.buffers[BufferId::new(buffer as usize)].name),
        }
    }

    /// Whether anything reads the invocation's id: the kernel, the mask or the trap record.
    pub(super) fn needs_global_id(&self) -> bool {
        let is_masked = (0..3).any(|axis| is_masked(self.kernel, &self.uses, axis));
        is_masked || self.uses.all.has_builtin(Builtin::GlobalId) || !self.uses.sites.is_empty()
    }

    /// Reads what a function uses of the interface. The kernel's own function also masks the invocations nobody asked for.
    pub(super) fn write_prologue(&mut self, uses: &FunctionUses, is_kernel: bool) -> Prologue {
        let mut prologue = Prologue::default();
        let masked: Vec<u8> = (0..3).filter(|axis| is_kernel && is_masked(self.kernel, &self.uses, *axis)).collect();
        if uses.has_builtin(Builtin::GlobalId) || !masked.is_empty() {
            prologue.builtins[Builtin::GlobalId as usize] = self.write_global_id();
        }
        if !masked.is_empty() {
            prologue.positions = self.write_mask(prologue.builtin(Builtin::GlobalId), &masked);
        }
        for builtin in Builtin::ALL {
            let is_plain = builtin == Builtin::LocalId || builtin.is_scalar();
            if is_plain && uses.has_builtin(builtin) {
                prologue.builtins[builtin as usize] = match builtin {
                    Builtin::LocalIndex => {
                        let here = prologue.builtin(Builtin::LocalId);
                        self.local_index((here != 0).then_some(here))
                    }
                    _ => self.load_input(builtin),
                };
            }
        }
        if uses.has_builtin(Builtin::WorkgroupSize) {
            prologue.builtins[Builtin::WorkgroupSize as usize] = self.workgroup_size();
        }
        if uses.has_builtin(Builtin::WorkgroupId) {
            let here = self.load_input(Builtin::WorkgroupId);
            let first = self.load_launch_word(LaunchWordKind::FirstGroup);
            prologue.builtins[Builtin::WorkgroupId as usize] = self.move_along_x(here, first);
        }
        if uses.has_builtin(Builtin::NumWorkgroups) {
            prologue.builtins[Builtin::NumWorkgroups as usize] = self.write_num_workgroups();
        }
        if is_kernel {
            self.zero_shared(&prologue);
        }
        self.write_lens(uses, &mut prologue);
        prologue
    }

    /// Reads the lengths that a function uses.
    pub(super) fn write_lens(&mut self, uses: &FunctionUses, prologue: &mut Prologue) {
        for buffer in self.kernel.buffers.ids() {
            let is_used = uses.has_len(buffer);
            let len = if is_used { self.load_launch_word(LaunchWordKind::Len(buffer.index() as u32)) } else { 0 };
            prologue.lens.push(len);
        }
    }

    /// The invocation's id in the whole grid, not only in this dispatch.
    pub(super) fn write_global_id(&mut self) -> Id {
        let here = self.load_input(Builtin::GlobalId);
        if !self.interface.launch_words.iter().any(|word| word.kind == LaunchWordKind::FirstGroup) {
            return here;
        }
        let first = self.load_launch_word(LaunchWordKind::FirstGroup);
        let word = self.u32_type();
        let width = self.kernel.workgroup[0];
        let moved = match width {
            Size::Known(1) => first,
            _ => {
                let width = self.size(width);
                self.op(Op::IMul, word, &[first, width])
            }
        };
        self.move_along_x(here, moved)
    }

    /// The workgroups of the whole grid: all dispatches of a launch tell theirs, unless the only one found it on the device.
    fn write_num_workgroups(&mut self) -> Id {
        let (word, ty) = (self.u32_type(), self.lanes_type(UVEC3));
        let (is_indirect, here) = (self.is_indirect(), self.load_input(Builtin::NumWorkgroups));
        let groups = [0, 1, 2].map(|axis| {
            let told = self.load_launch_word(LaunchWordKind::Groups(axis));
            let found = self.op(Op::CompositeExtract, word, &[here, u32::from(axis)]);
            self.op(Op::Select, word, &[is_indirect, found, told])
        });
        self.op(Op::CompositeConstruct, ty, &groups)
    }

    /// A position in the whole grid by the one in this dispatch, which begins at `by` if it is not the only one.
    fn move_along_x(&mut self, here: Id, by: Id) -> Id {
        let (word, ty) = (self.u32_type(), self.lanes_type(UVEC3));
        let is_split = self.is_split();
        let x = self.op(Op::CompositeExtract, word, &[here, 0]);
        let x = self.op(Op::IAdd, word, &[x, by]);
        let moved = self.op(Op::CompositeInsert, ty, &[x, here, 0]);
        self.op(Op::Select, ty, &[is_split, moved, here])
    }

    /// Returns from the kernel where an axis is at or past its number of items; gives the positions that it took for that.
    fn write_mask(&mut self, global_id: Id, axes: &[u8]) -> [Option<Id>; 3] {
        let (word, bool_) = (self.u32_type(), self.bool_type());
        let (mut outside, mut positions) = (None, [None; 3]);
        for &axis in axes {
            let position = self.op(Op::CompositeExtract, word, &[global_id, u32::from(axis)]);
            positions[usize::from(axis)] = Some(position);
            let items = self.load_launch_word(LaunchWordKind::Items(axis));
            let past = self.op(Op::UGreaterThanEqual, bool_, &[position, items]);
            outside = Some(match outside {
                Some(before) => self.op(Op::LogicalOr, bool_, &[before, past]),
                None => past,
            });
        }
        let Some(outside) = outside else { return positions };
        let is_not_full = self.is_not_full();
        let outside = self.op(Op::LogicalAnd, bool_, &[is_not_full, outside]);
        let (masked, inside) = (self.new_id(), self.new_id());
        self.effect(Op::SelectionMerge, &[inside, 0]);
        self.effect(Op::BranchConditional, &[outside, masked, inside]);
        self.begin_block(masked);
        self.effect(Op::Return, &[]);
        self.begin_block(inside);
        positions
    }

    /// Reads a launch word.
    pub(super) fn load_launch_word(&mut self, kind: LaunchWordKind) -> Id {
        let member = self.interface.launch_member(kind);
        let ty = self.u32_type();
        self.load_push_member(member, ty)
    }

    fn load_push_member(&mut self, member: u32, ty: Id) -> Id {
        let pointer_type = self.pointer_type(StorageClass::PushConstant, ty);
        let member = self.const_u32(member);
        let block = self.interface.push;
        let pointer = self.op(Op::AccessChain, pointer_type, &[block, member]);
        self.op(Op::Load, ty, &[pointer])
    }

    /// Reads a by-value parameter.
    pub(super) fn load_param(&mut self, param: ParamId) -> Id {
        let ty = self.kernel.params[param].ty;
        let storage = self.storage_type(ty);
        let stored = self.load_push_member(param.index() as u32, storage);
        if *self.module.types.get(ty) == Type::Scalar(Scalar::Bool) {
            let (bool_, zero) = (self.bool_type(), self.const_u32(0));
            return self.op(Op::INotEqual, bool_, &[stored, zero]);
        }
        self.load_converted(stored, ty)
    }
}
