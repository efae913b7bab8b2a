//! Barriers and fences, and how scopes and memory orders are spelled for the Vulkan memory model.

use rspirv::spirv::{self, MemorySemantics, Op};

use super::module::Writer;
use super::words::Id;
use crate::ir::{Order, Scope};

impl Writer<'_> {
    /// A scope as an operand.
    pub(super) fn scope(&mut self, scope: Scope) -> Id {
        let scope = match scope {
            Scope::Subgroup => spirv::Scope::Subgroup,
            Scope::Workgroup => spirv::Scope::Workgroup,
            // As far as a launch reaches; device scope would ask for a feature.
            Scope::Device => spirv::Scope::QueueFamily,
        };
        self.const_u32(scope as u32)
    }

    /// An order as an operand. A release makes writes available, an acquire makes them visible.
    pub(super) fn semantics(&mut self, order: Order) -> Id {
        let mut memory = MemorySemantics::UNIFORM_MEMORY | MemorySemantics::WORKGROUP_MEMORY;
        if self.kernel.buffers.iter().any(|(_, buffer)| buffer.image.is_some() && buffer.writable) {
            memory |= MemorySemantics::IMAGE_MEMORY;
        }
        self.semantics_of(order, memory)
    }

    fn semantics_of(&mut self, order: Order, memory: MemorySemantics) -> Id {
        let (available, visible) = (MemorySemantics::MAKE_AVAILABLE, MemorySemantics::MAKE_VISIBLE);
        let semantics = match order {
            Order::Relaxed => MemorySemantics::empty(),
            Order::Acquire => MemorySemantics::ACQUIRE | memory | visible,
            Order::Release => MemorySemantics::RELEASE | memory | available,
            Order::AcqRel => MemorySemantics::ACQUIRE_RELEASE | memory | available | visible,
        };
        self.const_u32(semantics.bits())
    }

    /// Waits for the invocations of the scope and orders their accesses: those to buffers only where some may come before. To order
    /// more than that makes drivers wait for loads that are on their way.
    pub(super) fn barrier(&mut self, scope: Scope) {
        let semantics = match self.uses.barriers_order_buffers {
            true => self.semantics(Order::AcqRel),
            false => self.semantics_of(Order::AcqRel, MemorySemantics::WORKGROUP_MEMORY),
        };
        let scope = self.scope(scope);
        self.effect(Op::ControlBarrier, &[scope, scope, semantics]);
    }

    /// Orders accesses without waiting.
    pub(super) fn fence(&mut self, scope: Scope, order: Order) {
        let (scope, semantics) = (self.scope(scope), self.semantics(order));
        self.effect(Op::MemoryBarrier, &[scope, semantics]);
    }
}
