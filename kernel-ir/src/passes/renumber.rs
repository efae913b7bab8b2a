//! Drops what nothing refers to any more, functions, blocks, values, locals, sites, and numbers the rest in program order.

use super::Changed;
use crate::arena::{Arena, EntityId, SecondaryMap};
use crate::ir::{
    Block, BlockId, Function, FunctionId, Inst, InstKind, LocalId, Module, Place, Root, Site, SiteId, Step, ValueId,
};

/// Runs the pass.
pub fn run(module: &mut Module) -> Changed {
    let before = (module.functions.len(), module.sites.len());
    drop_uncalled_functions(module);
    let mut sites = Sites { old: &module.sites, new: Arena::new(), map: SecondaryMap::new() };
    let mut changed = Changed::No;
    for function in module.functions.values_mut() {
        let sizes = |f: &Function| (f.values.len(), f.insts.len(), f.blocks.len(), f.locals.len());
        let renumbered = Renumber::new(function, &mut sites).finish();
        if sizes(&renumbered) != sizes(function) {
            changed = Changed::Yes;
        }
        *function = renumbered;
    }
    if let Some(kernel) = &mut module.kernel {
        for obligation in &mut kernel.obligations {
            obligation.in_all = obligation.in_all.and_then(|site| sites.map[site]);
        }
    }
    module.sites = sites.new;
    if before != (module.functions.len(), module.sites.len()) {
        changed = Changed::Yes;
    }
    changed
}

/// Keeps the kernel's function and those it calls; without a kernel, keeps all.
fn drop_uncalled_functions(module: &mut Module) {
    let Some(kernel) = &mut module.kernel else { return };
    if module.functions.len() == 1 {
        return;
    }
    let mut called = vec![false; module.functions.len()];
    called[kernel.function.index()] = true;
    // Callees stand before callers, so one walk from the end finds all.
    for (id, function) in module.functions.iter().rev() {
        if called[id.index()] {
            super::edit::for_each_inst(function, &mut |_, inst| {
                if let InstKind::Call(callee, _) = inst.kind {
                    called[callee.index()] = true;
                }
            });
        }
    }
    if called.iter().all(|called| *called) {
        return;
    }
    let mut map: SecondaryMap<FunctionId, Option<FunctionId>> = SecondaryMap::new();
    let mut kept = Arena::new();
    for (id, function) in std::mem::take(&mut module.functions).iter() {
        if called[id.index()] {
            map[id] = Some(kept.push(function.clone()));
        }
    }
    kernel.function = map[kernel.function].expect("the kernel is kept");
    for function in kept.values_mut() {
        for inst in function.insts.values_mut() {
            if let InstKind::Call(callee, _) = &mut inst.kind {
                *callee = map[*callee].unwrap_or(*callee);
            }
        }
    }
    module.functions = kept;
}

struct Sites<'a> {
    old: &'a Arena<SiteId, Site>,
    new: Arena<SiteId, Site>,
    map: SecondaryMap<SiteId, Option<SiteId>>,
}

impl Sites<'_> {
    fn map(&mut self, id: SiteId) -> SiteId {
        if let Some(new) = self.map[id] {
            return new;
        }
        let new = self.new.push(self.old[id].clone());
        self.map[id] = Some(new);
        new
    }
}

struct Renumber<'a, 's> {
    old: &'a mut Function,
    new: Function,
    sites: &'a mut Sites<'s>,
    values: SecondaryMap<ValueId, Option<ValueId>>,
    blocks: SecondaryMap<BlockId, Option<BlockId>>,
    locals: SecondaryMap<LocalId, Option<LocalId>>,
}

impl<'a, 's> Renumber<'a, 's> {
    fn new(old: &'a mut Function, sites: &'a mut Sites<'s>) -> Self {
        let mut blocks = Arena::new();
        let entry = blocks.push(Block::default());
        let mut new = Function {
            name: std::mem::take(&mut old.name),
            result: old.result,
            entry,
            locals: Arena::new(),
            values: Arena::new(),
            blocks,
            insts: Arena::new(),
            location: old.location,
        };
        // Where loops were unrolled, as much is left behind as there is.
        new.values.reserve(old.values.len() / 2);
        new.insts.reserve(old.insts.len() / 2);
        let (values, blocks) = (SecondaryMap::of(&old.values), SecondaryMap::of(&old.blocks));
        Self { old, new, sites, values, blocks, locals: SecondaryMap::new() }
    }

    fn finish(mut self) -> Function {
        let (from, to) = (self.old.entry, self.new.entry);
        self.block(from, to);
        self.new
    }

    fn block(&mut self, from: BlockId, to: BlockId) {
        self.blocks[from] = Some(to);
        let mut params = std::mem::take(&mut self.old.blocks[from].params);
        params.iter_mut().for_each(|param| *param = self.value(*param));
        self.new.blocks[to].params = params;
        let mut insts = std::mem::take(&mut self.old.blocks[from].insts);
        for id in &mut insts {
            let inst = &mut self.old.insts[*id];
            let mut kind = std::mem::replace(&mut inst.kind, InstKind::Unreachable);
            let (mut results, location) = (std::mem::take(&mut inst.results), inst.location);
            kind.map_uses(|value| self.values[value].expect("values are defined before they are used"));
            self.operands(&mut kind);
            results.iter_mut().for_each(|result| *result = self.value(*result));
            *id = self.new.insts.push(Inst { kind, results, location });
        }
        self.new.blocks[to].insts = insts;
    }

    /// Maps what an instruction names besides values, and moves the blocks it owns.
    fn operands(&mut self, kind: &mut InstKind) {
        match kind {
            InstKind::Load(place) | InstKind::Store(place, _) => self.place(place),
            InstKind::Proven(site) | InstKind::Trap(site, _) | InstKind::Print(site, _) | InstKind::Panic(site, _) => {
                *site = self.sites.map(*site)
            }
            InstKind::Atomic(atomic) => self.place(&mut atomic.place),
            InstKind::CoopLoad(access) | InstKind::CoopStore(access, _) => self.place(&mut access.place),
            InstKind::If { then_block, else_block, .. } => {
                *then_block = self.nested(*then_block);
                *else_block = self.nested(*else_block);
            }
            InstKind::Switch { cases, default, .. } => {
                for (_, case) in cases {
                    *case = self.nested(*case);
                }
                *default = self.nested(*default);
            }
            InstKind::Loop { body, .. } => *body = self.nested(*body),
            InstKind::Break(target, _) | InstKind::Continue(target, _) => {
                *target = self.blocks[*target].expect("jumps stand inside their loop");
            }
            _ => {}
        }
    }

    fn nested(&mut self, from: BlockId) -> BlockId {
        let to = self.new.blocks.push(Block::default());
        self.block(from, to);
        to
    }

    fn place(&mut self, place: &mut Place) {
        if let Root::Local(local) = &mut place.root {
            *local = match self.locals[*local] {
                Some(new) => new,
                None => {
                    let new = self.new.locals.push(self.old.locals[*local].clone());
                    self.locals[*local] = Some(new);
                    new
                }
            };
        }
        for step in &mut place.path {
            if let Step::Index { check: Some(site), .. } = step {
                *site = self.sites.map(*site);
            }
        }
    }

    fn value(&mut self, old: ValueId) -> ValueId {
        let name = self.old.values[old].name.take();
        let new = self.new.values.push(crate::ir::Value { ty: self.old.values[old].ty, name });
        self.values[old] = Some(new);
        new
    }
}
