//! The trap function: counts every trap and lets the first invocation write the record. Called at each trap site.

use rspirv::spirv::{Op, Scope, StorageClass};

use super::module::Writer;
use super::words::Id;
use crate::ir::SiteId;

/// Words of [`TrapRecord`](crate::descriptor::TrapRecord).
const CLAIMED: u32 = 0;
const COUNT: u32 = 1;
const OPERANDS: u32 = 2;
const INVOCATION: u32 = 4;

/// The trap function, once something calls it.
#[derive(Debug, Default)]
pub(super) struct TrapFunction {
    id: Option<Id>,
}

impl Writer<'_> {
    /// Calls the trap function. The record claims with 1 + the site's number, for zero means unclaimed.
    pub(super) fn call_trap(&mut self, site: SiteId, operands: [Id; 2]) {
        let claim = self.uses.site_number(site) + 1;
        let claim = self.const_u32(claim);
        let function = match self.trap.id {
            Some(id) => id,
            None => {
                let id = self.new_id();
                self.name(id, "trap");
                self.trap.id = Some(id);
                id
            }
        };
        let void = self.void_type();
        self.op(Op::FunctionCall, void, &[function, claim, operands[0], operands[1]]);
    }

    /// `void`.
    pub(super) fn void_type(&mut self) -> Id {
        self.global(Op::TypeVoid, None, &[])
    }

    /// Defines the trap function when something called it.
    pub(super) fn write_trap_function(&mut self) {
        let Some(function) = self.trap.id else { return };
        let (void, word, bool_) = (self.void_type(), self.u32_type(), self.bool_type());
        let signature = self.global(Op::TypeFunction, None, &[void, word, word, word]);
        self.op_into(function, Op::Function, void, &[0, signature]);
        let [claim, first, second] = [(); 3].map(|()| self.op(Op::FunctionParameter, word, &[]));
        let entry = self.new_id();
        self.begin_block(entry);

        // The launch's queue family is as far as the record is shared while the kernel runs, and unlike device scope it
        // asks for no extra feature. No ordering: the host reads after the launch.
        let scope = self.const_u32(Scope::QueueFamily as u32);
        let (relaxed, zero, one) = (self.const_u32(0), self.const_u32(0), self.const_u32(1));
        let count = self.trap_word(COUNT);
        self.op(Op::AtomicIAdd, word, &[count, scope, relaxed, one]);
        let claimed = self.trap_word(CLAIMED);
        let before = self.op(Op::AtomicCompareExchange, word, &[claimed, scope, relaxed, relaxed, claim, zero]);
        let is_first = self.op(Op::IEqual, bool_, &[before, zero]);
        let (record, done) = (self.new_id(), self.new_id());
        self.effect(Op::SelectionMerge, &[done, 0]);
        self.effect(Op::BranchConditional, &[is_first, record, done]);

        self.begin_block(record);
        let invocation = self.write_global_id();
        let axes = [0, 1, 2].map(|axis| self.op(Op::CompositeExtract, word, &[invocation, axis]));
        let fields = [(OPERANDS, first), (OPERANDS + 1, second)].into_iter().chain((INVOCATION..).zip(axes));
        for (member, value) in fields {
            let pointer = self.trap_word(member);
            self.effect(Op::Store, &[pointer, value]);
        }
        self.effect(Op::Branch, &[done]);
        self.begin_block(done);
        self.effect(Op::Return, &[]);
        self.effect(Op::FunctionEnd, &[]);
    }

    fn trap_word(&mut self, member: u32) -> Id {
        let word = self.u32_type();
        let pointer_type = self.pointer_type(StorageClass::StorageBuffer, word);
        let member = self.const_u32(member);
        let record = self.interface.trap;
        self.op(Op::AccessChain, pointer_type, &[record, member])
    }
}
