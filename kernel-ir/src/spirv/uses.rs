//! The uses that a kernel's functions make of its interface, found in one walk before anything is written.

use std::collections::{BTreeMap, HashSet};

use super::subgroup;
use crate::arena::{EntityId, SecondaryMap};
use crate::descriptor::{SiteKind, SubgroupOperations, TrapRecord};
use crate::ir::{
    Atomic, BlockId, BufferId, Builtin, Function, FunctionId, ImageOp, InstKind, Kernel, Module, Order, Place, Root,
    Scope, SharedId, SiteId, Step, ValueId,
};
use crate::op::Op;
use crate::types::Type;

/// The uses of the kernel's functions, together and one by one.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// The functions that run, in the module's order; the kernel's own is the last.
    pub(super) functions: Vec<FunctionId>,
    /// The uses of each function.
    pub(super) by_function: SecondaryMap<FunctionId, FunctionUses>,
    /// The uses of all functions together.
    pub(super) all: FunctionUses,
    /// Sites that are left, in the module's order.
    pub(super) sites: Vec<SiteId>,
    /// Words that each of them records besides its number and the invocation.
    pub(super) site_words: Vec<u32>,
    /// Words of the trap record, when a site can trap.
    pub(super) trap_words: Option<u32>,
    /// Whether a trap is possible even if the kernel's obligations hold.
    pub(super) traps_anyway: bool,
    /// Whether a site prints.
    pub(super) prints: bool,
    /// Buffers that are loaded from.
    pub(super) loaded: SecondaryMap<BufferId, bool>,
    /// Buffers of which whole elements are loaded or stored.
    pub(super) whole: SecondaryMap<BufferId, bool>,
    /// Buffers of which parts of elements are loaded or stored.
    pub(super) parted: SecondaryMap<BufferId, bool>,
    /// Buffers whose whole elements a loop with divisions of floats loads or stores.
    pub(super) whole_beside_divisions: SecondaryMap<BufferId, bool>,
    /// Buffers that are accessed through pointers: atomically, or by lines of a matrix.
    pub(super) pointed: SecondaryMap<BufferId, bool>,
    /// Buffers of atomic cells of 8 or 16 bits, which are accessed by whole words.
    pub(super) words: SecondaryMap<BufferId, bool>,
    /// Shared variables that are named.
    pub(super) shared: SecondaryMap<SharedId, bool>,
    /// Whether any shared variable is.
    pub(super) has_shared: bool,
    /// Whether a barrier, a fence or an atomic orders accesses of different invocations.
    pub(super) orders_memory: bool,
    /// Whether an access to a buffer that is written may come before a barrier, which then orders such accesses, too.
    pub(super) barriers_order_buffers: bool,
    /// Whether a barrier or subgroup operation needs all invocations of a workgroup.
    pub(super) needs_full_workgroups: bool,
    /// The subgroup operations that the kernel needs.
    pub(super) subgroup: SubgroupOperations,
}

/// The uses of a function that its prologue must provide.
#[derive(Debug, Clone, Default)]
pub(super) struct FunctionUses {
    builtins: [bool; Builtin::ALL.len()],
    lens: Vec<bool>,
}

impl FunctionUses {
    /// Whether it reads `builtin`.
    pub(super) fn has_builtin(&self, builtin: Builtin) -> bool {
        self.builtins[builtin as usize]
    }

    /// Whether it needs the length of `buffer`.
    pub(super) fn has_len(&self, buffer: BufferId) -> bool {
        self.lens.get(buffer.index()).copied().unwrap_or(false)
    }

    fn add_len(&mut self, buffer: BufferId) {
        if self.lens.len() <= buffer.index() {
            self.lens.resize(buffer.index() + 1, false);
        }
        self.lens[buffer.index()] = true;
    }

    fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.builtins.iter_mut().zip(other.builtins) {
            *mine |= theirs;
        }
        for (index, _) in other.lens.iter().enumerate().filter(|(_, used)| **used) {
            self.add_len(BufferId::new(index));
        }
    }
}

impl Uses {
    /// Walks everything the kernel's function reaches.
    pub(super) fn of(module: &Module, kernel: &Kernel) -> Self {
        let mut uses = Self::default();
        let mut walk = Walk {
            module,
            uses: &mut uses,
            sites: BTreeMap::new(),
            called: Vec::new(),
            accesses: false,
            loops: Vec::new(),
        };
        let mut seen = HashSet::from([kernel.function]);
        let mut pending = vec![kernel.function];
        while let Some(id) = pending.pop() {
            walk.uses.functions.push(id);
            let mut found = FunctionUses::default();
            // Values from before a call are not followed.
            walk.accesses = id != kernel.function;
            walk.block(&module.functions[id], module.functions[id].entry, &mut found);
            walk.uses.all.merge(&found);
            walk.uses.by_function[id] = found;
            pending.extend(walk.called.drain(..).filter(|callee| seen.insert(*callee)));
        }
        let sites = walk.sites;
        // Shared variables are zeroed by all invocations together, behind which comes a barrier.
        uses.needs_full_workgroups |= uses.has_shared || kernel.full_workgroups;
        uses.orders_memory |= uses.has_shared;
        if Builtin::ALL.into_iter().any(|builtin| builtin.is_of_subgroup() && uses.all.has_builtin(builtin)) {
            uses.subgroup |= SubgroupOperations::BASIC;
        }
        uses.functions.sort_unstable();
        for (site, words) in sites {
            match module.sites[site].kind {
                SiteKind::Print | SiteKind::PrintError => uses.prints = true,
                _ => {
                    let needed = (TrapRecord::HEADER_WORDS + words).max(TrapRecord::LEAST_WORDS);
                    uses.trap_words = Some(uses.trap_words.unwrap_or(0).max(needed));
                }
            }
            uses.sites.push(site);
            uses.site_words.push(words);
        }
        uses
    }

    /// The number of a site among those left.
    pub(super) fn site_number(&self, site: SiteId) -> u32 {
        self.sites.binary_search(&site).expect("the walk saw every site") as u32
    }
}

struct Walk<'u> {
    module: &'u Module,
    uses: &'u mut Uses,
    sites: BTreeMap<SiteId, u32>,
    called: Vec<FunctionId>,
    /// Whether what was walked of the function accesses a buffer that is written.
    accesses: bool,
    /// The bodies of the loops that are walked, outermost first, with whether they divide floats.
    loops: Vec<(BlockId, bool)>,
}

impl Walk<'_> {
    fn block(&mut self, function: &Function, block: BlockId, found: &mut FunctionUses) {
        for &inst in &function.blocks[block].insts {
            let kind = &function.insts[inst].kind;
            self.accesses = self.accesses || self.is_access(kind);
            match kind {
                InstKind::Builtin(builtin) => found.builtins[*builtin as usize] = true,
                InstKind::Atomic(atomic) => self.atomic(atomic, found),
                InstKind::Barrier(scope) => self.barrier(function, *scope),
                InstKind::Fence(..) => self.uses.orders_memory = true,
                InstKind::Subgroup(op, operands) => {
                    self.uses.needs_full_workgroups = true;
                    let scalar =
                        operands.first().and_then(|x| self.module.types.element_scalar(function.values[*x].ty));
                    self.uses.subgroup |= subgroup::operations(*op, scalar);
                    for builtin in subgroup::builtins(*op) {
                        found.builtins[*builtin as usize] = true;
                    }
                }
                InstKind::Image(op, image, _) => self.uses.loaded[*image] |= *op == ImageOp::Load,
                InstKind::Coop(..) => self.needs_subgroups(),
                InstKind::CoopLoad(access) => {
                    self.needs_subgroups();
                    self.read(&access.place);
                    self.point(&access.place);
                    self.place(&access.place, found);
                }
                InstKind::CoopStore(access, _) => {
                    self.needs_subgroups();
                    self.point(&access.place);
                    self.place(&access.place, found);
                }
                InstKind::Len(buffer) => found.add_len(*buffer),
                InstKind::MemberLen(list, _) => {
                    self.uses.loaded[*list] = true;
                    found.add_len(*list);
                }
                InstKind::Load(place) => {
                    self.read(place);
                    self.whole(place);
                    self.place(place, found);
                }
                InstKind::Store(place, _) => {
                    self.whole(place);
                    self.place(place, found);
                }
                InstKind::Call(callee, _) => self.called.push(*callee),
                InstKind::Trap(site, words) | InstKind::Print(site, words) | InstKind::Panic(site, words) => {
                    self.sites.insert(*site, words.len() as u32);
                    let is_at_launch = self.module.sites[*site].at_launch.is_some();
                    self.uses.traps_anyway |= !matches!(kind, InstKind::Print(..)) && !is_at_launch;
                }
                InstKind::Loop { body, .. } => {
                    let divides = self.divides(function, *body);
                    self.loops.push((*body, divides));
                    self.block(function, *body, found);
                    self.loops.pop();
                }
                InstKind::If { .. } | InstKind::Switch { .. } => {
                    for inner in kind.blocks() {
                        self.block(function, inner, found);
                    }
                }
                _ => {}
            }
        }
    }

    fn atomic(&mut self, atomic: &Atomic, found: &mut FunctionUses) {
        self.uses.orders_memory |= atomic.order != Order::Relaxed;
        // Also what is only stored is exchanged, for the sake of its neighbours.
        self.read(&atomic.place);
        self.point(&atomic.place);
        if let Root::Buffer(buffer) = atomic.place.root
            && self.is_narrow(buffer)
        {
            self.uses.words[buffer] = true;
        }
        self.place(&atomic.place, found);
    }

    fn barrier(&mut self, function: &Function, scope: Scope) {
        self.uses.orders_memory = true;
        // In a loop, what follows comes before the next round's barrier.
        let comes_before =
            self.accesses || self.loops.first().is_some_and(|(body, _)| self.has_accesses(function, *body));
        self.uses.barriers_order_buffers |= comes_before;
        self.uses.needs_full_workgroups = true;
        if scope == Scope::Subgroup {
            self.uses.subgroup |= SubgroupOperations::BASIC;
        }
    }

    /// Whether an instruction accesses a buffer that is written, as far as is known.
    fn is_access(&self, kind: &InstKind) -> bool {
        let is_written = |buffer: BufferId| self.module.kernel.as_ref().is_none_or(|it| it.buffers[buffer].writable);
        match kind {
            InstKind::Call(..) => true,
            InstKind::Image(_, image, _) => is_written(*image),
            _ => kind.place().is_some_and(|place| match place.root {
                Root::Buffer(buffer) | Root::Member(buffer, _) => is_written(buffer),
                Root::Local(_) | Root::Shared(_) => false,
            }),
        }
    }

    fn has_accesses(&self, function: &Function, block: BlockId) -> bool {
        function.blocks[block].insts.iter().any(|inst| {
            let kind = &function.insts[*inst].kind;
            self.is_access(kind) || kind.blocks().iter().any(|inner| self.has_accesses(function, *inner))
        })
    }

    /// Whether a block divides floats whatever happens in it, itself or by a function that it calls.
    fn divides(&self, function: &Function, block: BlockId) -> bool {
        function.blocks[block].insts.iter().any(|id| {
            let inst = &function.insts[*id];
            match &inst.kind {
                InstKind::Op(Op::Div, _) => {
                    let is_float = |result: &ValueId| match self.module.types.get(function.values[*result].ty) {
                        Type::Scalar(scalar) => scalar.is_float(),
                        Type::Vector(scalar, _) => scalar.is_float(),
                        _ => false,
                    };
                    inst.results.iter().any(is_float)
                }
                InstKind::Call(callee, _) => {
                    let callee = &self.module.functions[*callee];
                    self.divides(callee, callee.entry)
                }
                InstKind::Loop { body, .. } => self.divides(function, *body),
                _ => false,
            }
        })
    }

    /// Whether a buffer's elements are numbers of 8 or 16 bits, or arrays of them.
    fn is_narrow(&self, buffer: BufferId) -> bool {
        let Some(kernel) = &self.module.kernel else { return false };
        let mut ty = kernel.buffers[buffer].element;
        while let Type::Array(element, _) = *self.module.types.get(ty) {
            ty = element;
        }
        matches!(self.module.types.get(ty), Type::Scalar(scalar) if scalar.bits() < 32)
    }

    /// Subgroups without idle invocations, as matrices need them.
    fn needs_subgroups(&mut self) {
        self.uses.needs_full_workgroups = true;
        self.uses.subgroup |= SubgroupOperations::BASIC;
    }

    fn read(&mut self, place: &Place) {
        if let Root::Buffer(buffer) | Root::Member(buffer, _) = place.root {
            self.uses.loaded[buffer] = true;
        }
    }

    fn whole(&mut self, place: &Place) {
        let Root::Buffer(buffer) = place.root else { return };
        if place.path.len() > 1 && !place.is_joined() {
            self.uses.parted[buffer] = true;
        }
        if let [_] = place.path[..] {
            self.uses.whole[buffer] = true;
            self.uses.whole_beside_divisions[buffer] |= self.loops.last().is_some_and(|(_, divides)| *divides);
        }
    }

    fn point(&mut self, place: &Place) {
        if let Root::Buffer(buffer) = place.root {
            self.uses.pointed[buffer] = true;
        }
    }

    fn place(&mut self, place: &Place, found: &mut FunctionUses) {
        if let Root::Shared(shared) = place.root {
            self.uses.shared[shared] = true;
            self.uses.has_shared = true;
        }
        if let Root::Member(list, _) = place.root {
            found.add_len(list);
        }
        for (depth, step) in place.path.iter().enumerate() {
            if let Step::Index { check: Some(site), .. } = step {
                let known = &self.module.sites[*site];
                if !known.is_quiet {
                    self.sites.insert(*site, 2);
                    self.uses.traps_anyway |= known.at_launch.is_none();
                }
                if let (0, Root::Buffer(buffer)) = (depth, place.root) {
                    found.add_len(buffer);
                }
            }
        }
    }
}
