//! The device's own ids and sizes of the invocation: which input variable each builtin reads.

use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass};

use super::interface::UVEC3;
use super::module::Writer;
use super::types::Lanes;
use super::words::Id;
use crate::ir::Builtin;
use crate::types::{Scalar, Size};

/// SPIR-V's name of the builtin; `None` if no input variable holds it.
fn input_of(builtin: Builtin) -> Option<(BuiltIn, &'static str)> {
    Some(match builtin {
        Builtin::GlobalId => (BuiltIn::GlobalInvocationId, "global_invocation_id"),
        Builtin::LocalId => (BuiltIn::LocalInvocationId, "local_invocation_id"),
        Builtin::WorkgroupId => (BuiltIn::WorkgroupId, "workgroup_id"),
        Builtin::LocalIndex => (BuiltIn::LocalInvocationIndex, "local_invocation_index"),
        Builtin::SubgroupSize => (BuiltIn::SubgroupSize, "subgroup_size"),
        Builtin::SubgroupId => (BuiltIn::SubgroupId, "subgroup_id"),
        Builtin::SubgroupLocalId => (BuiltIn::SubgroupLocalInvocationId, "subgroup_invocation_id"),
        Builtin::NumSubgroups => (BuiltIn::NumSubgroups, "num_subgroups"),
        Builtin::NumWorkgroups => (BuiltIn::NumWorkgroups, "num_workgroups"),
        Builtin::WorkgroupSize => return None,
    })
}

fn lanes_of(builtin: Builtin) -> Lanes {
    if builtin.is_scalar() { Lanes::one(Scalar::U32) } else { UVEC3 }
}

impl Writer<'_> {
    /// Declares the input variables that anything reads.
    pub(super) fn declare_inputs(&mut self) {
        for builtin in Builtin::ALL {
            let is_used = match builtin {
                Builtin::GlobalId => self.uses.all.has_builtin(builtin) || self.needs_global_id(),
                Builtin::LocalId => self.uses.all.has_builtin(builtin) || self.needs_index() && self.knows_axes(),
                Builtin::LocalIndex => self.needs_index() && !self.knows_axes(),
                _ => self.uses.all.has_builtin(builtin),
            };
            if let Some((input, name)) = input_of(builtin).filter(|_| is_used) {
                let ty = self.lanes_type(lanes_of(builtin));
                let variable = self.interface_variable(StorageClass::Input, ty, name);
                self.decorate(variable, Decoration::BuiltIn, &[input as u32]);
                self.interface.inputs[builtin as usize] = variable;
            }
        }
    }

    /// Reads an input variable that was declared.
    pub(super) fn load_input(&mut self, builtin: Builtin) -> Id {
        let ty = self.lanes_type(lanes_of(builtin));
        let variable = self.interface.inputs[builtin as usize];
        self.op(Op::Load, ty, &[variable])
    }

    fn needs_index(&self) -> bool {
        self.uses.all.has_builtin(Builtin::LocalIndex) || self.zeroes_shared()
    }

    /// Whether the invocation's position in its workgroup gives its index by constants.
    fn knows_axes(&self) -> bool {
        !self.kernel.has_open_workgroup()
    }

    /// The index of the invocation in its workgroup. Of constant sizes it is computed from the position, which `here` may have:
    /// llvmpipe makes the index of the position, and divides by sizes that it does not know, on each way out of a barrier.
    pub(super) fn local_index(&mut self, here: Option<Id>) -> Id {
        if !self.knows_axes() {
            return self.load_input(Builtin::LocalIndex);
        }
        let here = here.unwrap_or_else(|| self.load_input(Builtin::LocalId));
        let word = self.u32_type();
        let (mut index, mut stride) = (None, 1u32);
        for (axis, size) in (0..).zip(self.kernel.workgroup) {
            let size = size.known().unwrap_or(1);
            if size == 1 {
                continue;
            }
            let mut part = self.op(Op::CompositeExtract, word, &[here, axis]);
            if stride != 1 {
                let stride = self.const_u32(stride);
                part = self.op(Op::IMul, word, &[part, stride]);
            }
            index = Some(index.map_or(part, |index| self.op(Op::IAdd, word, &[index, part])));
            stride = stride.saturating_mul(size);
        }
        index.unwrap_or_else(|| self.const_u32(0))
    }

    /// The number of invocations along each axis, which the kernel fixes.
    pub(super) fn workgroup_size(&mut self) -> Id {
        if let Some(id) = self.interface.workgroup_size {
            return id;
        }
        let sizes = self.kernel.workgroup.map(|size| self.size(size));
        let ty = self.lanes_type(UVEC3);
        if !self.kernel.has_open_workgroup() {
            return self.global(Op::ConstantComposite, Some(ty), &sizes);
        }
        let id = self.new_global(Op::SpecConstantComposite, Some(ty), &sizes);
        self.decorate(id, Decoration::BuiltIn, &[BuiltIn::WorkgroupSize as u32]);
        self.interface.workgroup_size = Some(id);
        id
    }

    /// The product of sizes.
    pub(super) fn product(&mut self, sizes: &[Size]) -> Id {
        let word = self.u32_type();
        let known = sizes.iter().filter_map(|size| size.known()).fold(1, u32::saturating_mul);
        let mut product = (known != 1).then(|| self.const_u32(known));
        for size in sizes.iter().filter(|size| size.known().is_none()) {
            let size = self.size(*size);
            product = Some(product.map_or(size, |product| self.op(Op::IMul, word, &[product, size])));
        }
        product.unwrap_or_else(|| self.const_u32(1))
    }
}
