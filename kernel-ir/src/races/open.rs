//! The axes of which a launch may have one item or one workgroup, as its kernel does not tell positions along them apart.

use crate::ir::{Builtin, Function, InstKind, Kernel, Module, Root, SourceLocation, ValueId};
use crate::parallel;
use crate::types::Size;

/// Vectors of positions that are followed.
const MOST_VECTORS: usize = 64;

/// The axes that a launch may be said to have one of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    /// One invocation: the kernel does not speak of the axis.
    pub(super) items: [bool; 3],
    /// One workgroup: the kernel speaks of positions in the workgroup only.
    pub(super) groups: [bool; 3],
}

impl Open {
    pub(super) fn of(module: &Module, kernel: &Kernel, function: &Function) -> Self {
        let full = kernel.full_workgroups || parallel::needs_full_workgroups(module);
        let is_single = |axis: usize| kernel.workgroup[axis] == Size::Known(1);
        let mut open = Self { items: [0, 1, 2].map(|axis| !full || is_single(axis)), groups: [true; 3] };
        if (0..3).all(is_single) {
            // Where a workgroup is one invocation, the author may well mean that there is one.
            return open;
        }
        // The code that claims elements speaks of all axes, wherever the kernel does.
        let claims = function.insts.iter().filter(|(_, inst)| match &inst.kind {
            InstKind::Atomic(atomic) => matches!(atomic.place.root, Root::Buffer(of) if kernel.buffers[of].is_claims),
            _ => false,
        });
        let claims: Vec<Option<SourceLocation>> = claims.map(|(_, inst)| inst.location).collect();
        // Vectors of positions, and composite values with such a vector at the end of a path.
        let mut whole: Vec<(ValueId, Vec<u32>, bool)> = Vec::new();
        for (_, inst) in function.insts.iter() {
            match &inst.kind {
                InstKind::Builtin(builtin @ (Builtin::GlobalId | Builtin::LocalId | Builtin::WorkgroupId)) => {
                    let is_local = *builtin == Builtin::LocalId;
                    whole.extend(inst.results.first().map(|result| (*result, Vec::new(), is_local)));
                }
                InstKind::Builtin(Builtin::LocalIndex | Builtin::SubgroupId | Builtin::SubgroupLocalId) => {
                    (0..3).filter(|axis| !is_single(*axis)).for_each(|axis| open.items[axis] = false);
                }
                _ => {}
            }
        }
        let mut at = 0;
        while let Some((value, way, is_local)) = whole.get(at).cloned() {
            at += 1;
            let mut close = |axes: &[usize]| {
                for axis in axes {
                    open.items[*axis] = false;
                    open.groups[*axis] &= is_local;
                }
            };
            for (_, inst) in function.insts.iter().filter(|(_, inst)| !claims.contains(&inst.location)) {
                match &inst.kind {
                    InstKind::Extract(of, path) if *of == value => match path.strip_prefix(&way[..]) {
                        Some([axis, ..]) => close(&[(*axis as usize).min(2)]),
                        Some([]) => whole.extend(inst.results.first().map(|result| (*result, Vec::new(), is_local))),
                        None => {
                            if let Some(rest) = way.strip_prefix(&path[..]) {
                                let rest = rest.to_vec();
                                whole.extend(inst.results.first().map(|result| (*result, rest, is_local)));
                            }
                        }
                    },
                    InstKind::Compose(members) if members.contains(&value) && whole.len() < MOST_VECTORS => {
                        for member in (0..members.len()).filter(|member| members[*member] == value) {
                            let way: Vec<u32> = [member as u32].iter().chain(&way).copied().collect();
                            whole.extend(inst.results.first().map(|result| (*result, way, is_local)));
                        }
                    }
                    kind => kind.for_each_use(|used| {
                        if used == value {
                            close(&[0, 1, 2]);
                        }
                    }),
                }
            }
        }
        open
    }
}
