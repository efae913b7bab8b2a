//! The parts of a kernel that decide about some accesses: the values they depend on, and the branches and loops to go through.

use crate::arena::EntityId;
use crate::ir::{BlockId, Function, InstId, InstKind, ValueId};

/// The values and branches that matter.
#[derive(Debug)]
pub(super) struct Relevance {
    /// By value: accesses or branches that are gone through depend on it.
    pub(super) values: Vec<bool>,
    /// By instruction: a branch or loop that is gone through.
    pub(super) open: Vec<bool>,
    /// By instruction: a branch or loop that nobody leaves but to come out of it.
    pub(super) is_closed: Vec<bool>,
}

/// The instruction that a value comes from.
#[derive(Debug, Clone, Copy)]
enum Source {
    Result(InstId, usize),
    /// A parameter of a loop's body.
    Param(InstId, usize),
}

/// The contents of a block.
#[derive(Debug, Default)]
struct Contents {
    /// An access that matters, or a barrier.
    acts: bool,
    /// The end of the invocation.
    ends: bool,
    /// Loops that it leaves or begins again.
    jumps: Vec<BlockId>,
}

struct Finder<'f> {
    function: &'f Function,
    sources: Vec<Option<Source>>,
    /// By loop, which its body names: what continues and what leaves it.
    continues: Vec<(BlockId, &'f [ValueId])>,
    breaks: Vec<(BlockId, &'f [ValueId])>,
    acts: Vec<bool>,
    found: Relevance,
    work: Vec<Work>,
}

#[derive(Debug, Clone, Copy)]
enum Work {
    Value(ValueId),
    Inst(InstId),
}

impl Relevance {
    /// Finds everything that decides where the accesses happen that `matters` tells, and to which cells.
    pub(super) fn of(function: &Function, matters: &dyn Fn(InstId) -> bool) -> Self {
        let found = Self {
            values: vec![false; function.values.len()],
            open: vec![false; function.insts.len()],
            is_closed: vec![false; function.insts.len()],
        };
        let mut finder = Finder {
            function,
            sources: vec![None; function.values.len()],
            continues: Vec::new(),
            breaks: Vec::new(),
            acts: vec![false; function.insts.len()],
            found,
            work: Vec::new(),
        };
        finder.contents(function.entry, matters);
        finder.enter(function.entry);
        while let Some(work) = finder.work.pop() {
            match work {
                Work::Value(value) => finder.value(value),
                Work::Inst(inst) => finder.inst(inst),
            }
        }
        finder.found
    }
}

impl<'f> Finder<'f> {
    fn contents(&mut self, block: BlockId, matters: &dyn Fn(InstId) -> bool) -> Contents {
        let function = self.function;
        let mut all = Contents::default();
        for &id in &function.blocks[block].insts {
            let inst = &function.insts[id];
            for (at, result) in inst.results.iter().enumerate() {
                self.sources[result.index()] = Some(Source::Result(id, at));
            }
            let mut of = Contents::default();
            match &inst.kind {
                InstKind::Barrier(_) => of.acts = true,
                InstKind::Return(_) | InstKind::Panic(..) | InstKind::Unreachable => of.ends = true,
                InstKind::Break(body, values) => {
                    self.breaks.push((*body, values));
                    of.jumps.push(*body);
                }
                InstKind::Continue(body, values) => {
                    self.continues.push((*body, values));
                    of.jumps.push(*body);
                }
                InstKind::Loop { body, .. } => {
                    for (at, param) in function.blocks[*body].params.iter().enumerate() {
                        self.sources[param.index()] = Some(Source::Param(id, at));
                    }
                    of = self.contents(*body, matters);
                    of.jumps.retain(|target| target != body);
                }
                kind => {
                    for inner in kind.blocks() {
                        let inner = self.contents(inner, matters);
                        of.acts |= inner.acts;
                        of.ends |= inner.ends;
                        of.jumps.extend(inner.jumps);
                    }
                    if matters(id) {
                        of.acts = true;
                        self.index(kind);
                    }
                }
            }
            let is_closed = !of.ends && of.jumps.is_empty();
            self.found.is_closed[id.index()] = is_closed;
            self.acts[id.index()] = of.acts || !is_closed;
            all.acts |= of.acts;
            all.ends |= of.ends;
            all.jumps.extend(of.jumps);
        }
        all.jumps.dedup();
        all
    }

    /// The values that say which cells an access touches.
    fn index(&mut self, kind: &InstKind) {
        let mut need = |value: ValueId| self.work.push(Work::Value(value));
        if let InstKind::CoopLoad(access) | InstKind::CoopStore(access, _) = kind {
            [access.first, access.stride].into_iter().for_each(&mut need);
        }
        if let Some(place) = kind.place() {
            place.values().for_each(need);
        }
    }

    /// Goes through what matters in a block.
    fn enter(&mut self, block: BlockId) {
        for &id in &self.function.blocks[block].insts {
            if self.acts[id.index()] && !self.function.insts[id].kind.blocks().is_empty() {
                self.work.push(Work::Inst(id));
            }
        }
    }

    fn inst(&mut self, id: InstId) {
        if std::mem::replace(&mut self.found.open[id.index()], true) {
            return;
        }
        let kind = &self.function.insts[id].kind;
        match kind {
            InstKind::If { condition, .. } => self.work.push(Work::Value(*condition)),
            InstKind::Switch { selector, .. } => self.work.push(Work::Value(*selector)),
            _ => {}
        }
        kind.blocks().into_iter().for_each(|block| self.enter(block));
    }

    fn value(&mut self, value: ValueId) {
        if std::mem::replace(&mut self.found.values[value.index()], true) {
            return;
        }
        let function = self.function;
        match self.sources[value.index()] {
            None => {}
            Some(Source::Param(id, at)) => {
                let InstKind::Loop { initial, body, .. } = &function.insts[id].kind else { return };
                self.work.extend(initial.get(at).map(|value| Work::Value(*value)));
                self.jumps_of(true, *body, at);
            }
            Some(Source::Result(id, at)) => match &function.insts[id].kind {
                InstKind::Loop { body, .. } => {
                    self.work.push(Work::Inst(id));
                    self.jumps_of(false, *body, at);
                }
                kind @ (InstKind::If { .. } | InstKind::Switch { .. }) => {
                    self.work.push(Work::Inst(id));
                    for block in kind.blocks() {
                        if let Some(InstKind::Yield(values)) = crate::flow::terminator(function, block) {
                            self.work.extend(values.get(at).map(|value| Work::Value(*value)));
                        }
                    }
                }
                kind => kind.for_each_use(|value| self.work.push(Work::Value(value))),
            },
        }
    }

    fn jumps_of(&mut self, continues: bool, body: BlockId, at: usize) {
        let jumps = if continues { &self.continues } else { &self.breaks };
        let values = jumps.iter().filter(|(of, _)| *of == body).filter_map(|(_, values)| values.get(at));
        self.work.extend(values.map(|value| Work::Value(*value)));
    }
}
