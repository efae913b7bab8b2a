//! Removes what nothing needs: values, stores to locals never read, branches without effect, results and loop parameters.
//!
//! Checked accesses stay because they may trap, and loops stay because they may never end. Barriers, fences and atomics stay.
//! Subgroup operations that nobody reads go.

use super::edit::{cut_unreachable, for_each_inst};
use super::{Changed, PassCx};
use crate::arena::{Arena, EntityId, SecondaryMap};
use crate::few::Few;
use crate::ir::{BlockId, Function, ImageOp, InstId, InstKind, Place, Root, ValueId};

/// Runs the pass until it finds nothing more.
pub fn run(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    let mut changed = cut_unreachable(function);
    loop {
        let mut marker = Marker::new(function, cx);
        marker.mark();
        let Marker { needed, live, names_locals, .. } = marker;
        let (loops, loads_went) = (SecondaryMap::of(&function.blocks), false);
        let mut sweeper = Sweeper { function, needed, live, loops, changed: Changed::No, loads_went };
        sweeper.block(sweeper.function.entry, None);
        changed |= sweeper.changed;
        if sweeper.loads_went {
            // Stores may be needless that the loads were for.
            continue;
        }
        if !names_locals {
            // Passes that look for variables see at once that there are none.
            function.locals = Arena::new();
        }
        return changed;
    }
}

/// The origin of a value.
#[derive(Clone, Copy, Default)]
enum Origin {
    #[default]
    Nowhere,
    /// A result of an instruction, by position.
    Result(InstId, usize),
    /// A parameter of a loop body, by position.
    Param(BlockId, usize),
}

struct Marker<'a> {
    function: &'a Function,
    origins: Vec<Origin>,
    /// Instruction that owns each block, and the one whose block holds each instruction.
    owner: SecondaryMap<BlockId, Option<InstId>>,
    parent: Vec<Option<InstId>>,
    breaks: SecondaryMap<BlockId, Few<InstId>>,
    continues: SecondaryMap<BlockId, Few<InstId>>,
    roots: Vec<InstId>,
    needed: Vec<bool>,
    live: Vec<bool>,
    /// Whether a variable is loaded, or stored with a check.
    names_locals: bool,
    work: Vec<ValueId>,
}

impl<'a> Marker<'a> {
    fn new(function: &'a Function, cx: &PassCx<'_>) -> Self {
        let mut loaded = vec![false; function.locals.len()];
        if !loaded.is_empty() {
            for_each_inst(function, &mut |_, inst| {
                if let InstKind::Load(Place { root: Root::Local(local), .. }) = inst.kind {
                    loaded[local.index()] = true;
                }
            });
        }
        let mut marker = Self {
            function,
            origins: vec![Origin::Nowhere; function.values.len()],
            owner: SecondaryMap::of(&function.blocks),
            parent: vec![None; function.insts.len()],
            breaks: SecondaryMap::of(&function.blocks),
            continues: SecondaryMap::of(&function.blocks),
            roots: Vec::new(),
            needed: vec![false; function.insts.len()],
            live: vec![false; function.values.len()],
            names_locals: loaded.contains(&true),
            work: Vec::new(),
        };
        marker.scan(function.entry, &loaded, cx);
        marker
    }

    fn scan(&mut self, block: BlockId, loaded: &[bool], cx: &PassCx<'_>) {
        let function = self.function;
        for (index, param) in function.blocks[block].params.iter().enumerate() {
            self.origins[param.index()] = Origin::Param(block, index);
        }
        for &id in &function.blocks[block].insts {
            let inst = &function.insts[id];
            self.parent[id.index()] = self.owner[block];
            for (index, result) in inst.results.iter().enumerate() {
                self.origins[result.index()] = Origin::Result(id, index);
            }
            if let InstKind::CoopLoad(access) | InstKind::CoopStore(access, _) = &inst.kind {
                self.names_locals |= matches!(access.place.root, Root::Local(_));
            }
            let is_root = match &inst.kind {
                InstKind::Load(place) => place.is_checked(),
                InstKind::Store(place, _) => match place.root {
                    Root::Local(local) => {
                        self.names_locals |= place.is_checked();
                        loaded[local.index()] || place.is_checked()
                    }
                    Root::Buffer(_) | Root::Shared(_) | Root::Member(..) => true,
                },
                InstKind::Call(callee, _) => !cx.is_pure(*callee),
                InstKind::Break(target, _) => {
                    self.breaks[*target].push(id);
                    true
                }
                InstKind::Continue(target, _) => {
                    self.continues[*target].push(id);
                    true
                }
                InstKind::Trap(..)
                | InstKind::Print(..)
                | InstKind::Panic(..)
                | InstKind::Return(_)
                | InstKind::Unreachable
                | InstKind::Loop { .. } => true,
                // An atomic load orders other accesses, so even one that nobody reads stays.
                InstKind::Image(op, ..) => *op == ImageOp::Store,
                InstKind::CoopLoad(access) => access.place.is_checked(),
                InstKind::Atomic(_) | InstKind::Barrier(_) | InstKind::Fence(..) | InstKind::CoopStore(..) => true,
                _ => false,
            };
            if is_root {
                self.roots.push(id);
            }
            if !inst.kind.has_blocks() {
                continue;
            }
            for nested in inst.kind.blocks() {
                self.owner[nested] = Some(id);
                self.scan(nested, loaded, cx);
            }
        }
    }

    fn mark(&mut self) {
        for root in std::mem::take(&mut self.roots) {
            self.need(root);
        }
        while let Some(value) = self.work.pop() {
            match self.origins[value.index()] {
                Origin::Nowhere => {}
                Origin::Result(id, index) => self.need_result(id, index),
                Origin::Param(body, index) => {
                    if let Some(owner) = self.owner[body] {
                        if let InstKind::Loop { initial, .. } = &self.function.insts[owner].kind {
                            self.make_live(initial[index]);
                        }
                        for at in 0..self.continues[body].len() {
                            self.need_member(self.continues[body][at], index);
                        }
                    }
                }
            }
        }
    }

    fn need_result(&mut self, id: InstId, index: usize) {
        self.need(id);
        let function = self.function;
        match &function.insts[id].kind {
            InstKind::Loop { body, .. } => {
                for at in 0..self.breaks[*body].len() {
                    self.need_member(self.breaks[*body][at], index);
                }
            }
            kind => {
                for block in kind.blocks() {
                    if let Some(values) = super::edit::yields(function, block) {
                        self.make_live(values[index]);
                    }
                }
            }
        }
    }

    /// Value number `index` that a `break` or `continue` carries.
    fn need_member(&mut self, jump: InstId, index: usize) {
        if let InstKind::Break(_, values) | InstKind::Continue(_, values) = &self.function.insts[jump].kind {
            self.make_live(values[index]);
        }
    }

    /// Needs an instruction: what decides whether it runs, and its operands other than those carried on to results.
    fn need(&mut self, id: InstId) {
        if std::mem::replace(&mut self.needed[id.index()], true) {
            return;
        }
        if let Some(parent) = self.parent[id.index()] {
            self.need(parent);
        }
        let function = self.function;
        match &function.insts[id].kind {
            InstKind::Break(..) | InstKind::Continue(..) | InstKind::Yield(_) | InstKind::Loop { .. } => {}
            kind => kind.for_each_use(|value| self.make_live(value)),
        }
    }

    fn make_live(&mut self, value: ValueId) {
        if !std::mem::replace(&mut self.live[value.index()], true) {
            self.work.push(value);
        }
    }
}

struct Sweeper<'a> {
    function: &'a mut Function,
    needed: Vec<bool>,
    live: Vec<bool>,
    /// The results and parameters of each loop that stay.
    loops: SecondaryMap<BlockId, (Vec<bool>, Vec<bool>)>,
    changed: Changed,
    /// Whether a load of a variable was removed.
    loads_went: bool,
}

impl Sweeper<'_> {
    fn block(&mut self, block: BlockId, yielded: Option<&[bool]>) {
        let mut insts = std::mem::take(&mut self.function.blocks[block].insts);
        let before = insts.len();
        insts.retain(|&id| {
            let kind = &mut self.function.insts[id].kind;
            match kind {
                InstKind::Yield(values) => keep(values, yielded.unwrap_or(&[])),
                InstKind::Break(target, values) => keep(values, &self.loops[*target].0),
                InstKind::Continue(target, values) => keep(values, &self.loops[*target].1),
                _ if !self.needed[id.index()] => {
                    self.loads_went |= matches!(kind, InstKind::Load(Place { root: Root::Local(_), .. }));
                    return false;
                }
                InstKind::Loop { body, .. } => {
                    let body = *body;
                    self.enter_loop(id, body);
                }
                InstKind::If { .. } | InstKind::Switch { .. } => {
                    let blocks = kind.blocks();
                    let kept = self.keep_results(id);
                    for nested in blocks {
                        self.block(nested, Some(&kept));
                    }
                }
                _ => {}
            }
            true
        });
        if insts.len() != before {
            self.changed = Changed::Yes;
        }
        self.function.blocks[block].insts = insts;
    }

    /// Drops the results nobody uses and says which stay.
    fn keep_results(&mut self, id: InstId) -> Vec<bool> {
        let results = &mut self.function.insts[id].results;
        let kept: Vec<bool> = results.iter().map(|result| self.live[result.index()]).collect();
        if kept.contains(&false) {
            keep(results, &kept);
            self.changed = Changed::Yes;
        }
        kept
    }

    fn enter_loop(&mut self, id: InstId, body: BlockId) {
        let results = self.keep_results(id);
        let block = &mut self.function.blocks[body];
        let params: Vec<bool> = block.params.iter().map(|param| self.live[param.index()]).collect();
        if params.contains(&false) {
            let mut flags = params.iter();
            block.params.retain(|_| flags.next() == Some(&true));
            self.changed = Changed::Yes;
        }
        if let InstKind::Loop { initial, .. } = &mut self.function.insts[id].kind {
            keep(initial, &params);
        }
        self.loops[body] = (results, params);
        self.block(body, None);
    }
}

/// Keeps the values whose flag is set.
fn keep(values: &mut Few<ValueId>, flags: &[bool]) {
    let mut flags = flags.iter();
    values.retain(|_| flags.next().copied().unwrap_or(true));
}
