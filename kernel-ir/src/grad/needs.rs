//! The values that the backward code has to know again: operands that rules ask for, indices, and the conditions that lead to them. Everything else is left out of the code that is computed once more.

use crate::arena::EntityId;
use crate::ir::{BlockId, CoopOp, Function, InstId, InstKind, LocalId, Place, Root, ValueId};
use crate::op::Op;

use super::activity::Activity;
use super::normal::{Exit, exit};
use super::rules;
use super::subgroups;

/// By value, instruction and variable: what the backward code needs.
#[derive(Clone)]
pub(super) struct Needs {
    values: Vec<bool>,
    /// By value: whether the transpose of the matrix that it is is needed.
    turned: Vec<bool>,
    /// By instruction: whether something in it is done backward.
    acts: Vec<bool>,
    /// By instruction: whether something in it panics.
    panics: Vec<bool>,
    /// By local variable: whether what it held is needed.
    locals: Vec<bool>,
    /// By variable of the workgroup.
    shared: Vec<bool>,
}

impl Needs {
    /// Finds out. `is_consumed`: whether each store to a buffer takes what the buffer's adjoint holds. `waits`: whether adjoints go from
    /// one invocation to another, so that barriers are needed on the way back.
    pub(super) fn of(
        function: &Function,
        activity: &Activity,
        is_output: &dyn Fn(&Place) -> bool,
        is_consumed: &dyn Fn(&Place) -> bool,
        waits: bool,
    ) -> Self {
        let insts = function.insts.len();
        let needs = Self {
            values: vec![false; function.values.len()],
            turned: vec![false; function.values.len()],
            acts: vec![false; insts],
            panics: vec![false; insts],
            locals: vec![false; function.locals.len()],
            shared: Vec::new(),
        };
        let mut finder = Finder { function, activity, is_output, is_consumed, waits, needs, changed: true };
        finder.find_acts(function.entry);
        finder.seed(function.entry);
        while std::mem::take(&mut finder.changed) {
            finder.close(function.entry, &[]);
        }
        finder.needs
    }

    /// The needs of the way back through a loop or a branch, without those of its results alone. All of them are needed.
    pub(super) fn within(&self, function: &Function, activity: &Activity, id: InstId) -> Self {
        let mut needs = self.clone();
        needs.values.fill(false);
        needs.turned.fill(false);
        // Which instructions act, and which variables are needed, is known.
        let never = |_: &Place| false;
        let mut finder =
            Finder { function, activity, is_output: &never, is_consumed: &never, waits: false, needs, changed: true };
        let blocks = function.insts[id].kind.blocks();
        blocks.iter().for_each(|block| finder.seed(*block));
        while std::mem::take(&mut finder.changed) {
            blocks.iter().for_each(|block| finder.close(*block, &[]));
        }
        finder.needs
    }

    /// Whether the value is needed.
    pub(super) fn value(&self, value: ValueId) -> bool {
        self.values[value.index()]
    }

    /// Whether the transpose of the matrix is needed.
    pub(super) fn turned(&self, value: ValueId) -> bool {
        self.turned[value.index()]
    }

    /// Whether something is done backward at the instruction or in it.
    pub(super) fn acts(&self, id: InstId) -> bool {
        self.acts[id.index()]
    }

    /// Whether an invocation may panic in the instruction.
    pub(super) fn panics(&self, id: InstId) -> bool {
        self.panics[id.index()]
    }

    /// Whether what a local variable held is needed.
    pub(super) fn local(&self, local: LocalId) -> bool {
        self.locals[local.index()]
    }

    /// Whether a load needs what a variable of the workgroup held.
    pub(super) fn shared(&self, shared: crate::ir::SharedId) -> bool {
        self.shared.get(shared.index()).copied().unwrap_or(false)
    }
}

/// By value, the instruction that defines it; none for parameters of blocks.
pub(super) fn definitions(function: &Function) -> Vec<Option<InstId>> {
    let mut definitions = vec![None; function.values.len()];
    for (id, inst) in function.insts.iter() {
        inst.results.iter().for_each(|result| definitions[result.index()] = Some(id));
    }
    definitions
}

struct Finder<'f> {
    function: &'f Function,
    activity: &'f Activity,
    is_output: &'f dyn Fn(&Place) -> bool,
    is_consumed: &'f dyn Fn(&Place) -> bool,
    waits: bool,
    needs: Needs,
    changed: bool,
}

impl Finder<'_> {
    fn is_active(&self, value: ValueId) -> bool {
        self.activity.is_active(value)
    }

    /// Marks what is done backward; whether anything in the block is.
    fn find_acts(&mut self, block: BlockId) -> (bool, bool) {
        let function = self.function;
        let (mut any, mut ends) = (false, false);
        for &id in &function.blocks[block].insts {
            let inst = &function.insts[id];
            let mut acts = inst.results.iter().any(|result| self.is_active(*result));
            let mut panics = matches!(inst.kind, InstKind::Panic(..) | InstKind::Trap(..));
            match &inst.kind {
                InstKind::Store(place, value) => acts = self.acts_at(place, *value),
                InstKind::CoopStore(access, value) => acts = self.acts_at(&access.place, *value),
                InstKind::Barrier(_) => acts = self.waits,
                InstKind::Atomic(atomic) => acts = atomic.operands.iter().any(|operand| self.is_active(*operand)),
                kind => {
                    for block in kind.blocks() {
                        let (inner, end) = self.find_acts(block);
                        (acts, panics) = (acts | inner, panics | end);
                    }
                }
            }
            (self.needs.acts[id.index()], self.needs.panics[id.index()]) = (acts, panics);
            (any, ends) = (any | acts, ends | panics);
        }
        (any, ends)
    }

    /// Whether something is done backward at a store.
    fn acts_at(&self, place: &Place, value: ValueId) -> bool {
        match place.root {
            Root::Local(local) => self.activity.is_active_local(local),
            Root::Shared(shared) => self.activity.is_active_shared(shared),
            _ => (self.is_output)(place) && (self.is_active(value) || (self.is_consumed)(place)),
        }
    }

    fn need(&mut self, value: ValueId) {
        let flag = &mut self.needs.values[value.index()];
        self.changed |= !*flag;
        *flag = true;
    }

    fn need_turned(&mut self, value: ValueId) {
        let flag = &mut self.needs.turned[value.index()];
        self.changed |= !*flag;
        *flag = true;
    }

    /// Needs what the transpose of a matrix is made of.
    fn close_turned(&mut self, kind: &InstKind) {
        match kind {
            InstKind::CoopLoad(_) => kind.for_each_use(|value| self.need(value)),
            InstKind::Coop(CoopOp::Splat, operands) => self.need(operands[0]),
            InstKind::Coop(CoopOp::Role | CoopOp::Transpose, operands) => self.need(operands[0]),
            InstKind::Coop(CoopOp::Scale, operands) => {
                self.need_turned(operands[0]);
                self.need(operands[1]);
            }
            InstKind::Coop(CoopOp::Neg | CoopOp::Add | CoopOp::Sub | CoopOp::Convert, operands) => {
                operands.iter().for_each(|operand| self.need_turned(*operand));
            }
            // There is none.
            _ => {}
        }
    }

    fn need_indices(&mut self, place: &Place) {
        place.values().for_each(|value| self.need(value));
    }

    /// Needs what rules ask for.
    fn seed(&mut self, block: BlockId) {
        let function = self.function;
        for &id in &function.blocks[block].insts {
            let inst = &function.insts[id];
            if !self.needs.acts(id) && !self.needs.panics(id) {
                continue;
            }
            match &inst.kind {
                InstKind::Op(op, operands) => {
                    let active: Vec<_> = operands.iter().map(|operand| self.is_active(*operand)).collect();
                    let (wanted, result) = rules::needs(*op, &active);
                    for (operand, _) in operands.iter().zip(wanted).filter(|(_, wanted)| *wanted) {
                        self.need(*operand);
                    }
                    if result {
                        self.need(inst.results[0]);
                    }
                }
                InstKind::Load(place) | InstKind::Store(place, _) => self.need_indices(place),
                InstKind::Subgroup(op, operands) => {
                    let (wanted, result) = subgroups::needs(*op);
                    for (operand, _) in operands.iter().zip(wanted).filter(|(_, wanted)| *wanted) {
                        self.need(*operand);
                    }
                    if result {
                        self.need(inst.results[0]);
                    }
                }
                InstKind::CoopLoad(_) => inst.kind.for_each_use(|value| self.need(value)),
                InstKind::CoopStore(access, _) => {
                    self.need_indices(&access.place);
                    self.need(access.first);
                    self.need(access.stride);
                }
                InstKind::Coop(CoopOp::MulAdd, operands) => {
                    for (factor, other) in [(operands[0], operands[1]), (operands[1], operands[0])] {
                        if self.is_active(factor) {
                            self.need_turned(other);
                        }
                    }
                }
                InstKind::Coop(CoopOp::Scale, operands) => self.need(operands[1]),
                InstKind::Atomic(atomic) => self.need_indices(&atomic.place),
                InstKind::If { condition: value, .. } | InstKind::Switch { selector: value, .. } => self.need(*value),
                InstKind::Panic(_, words) | InstKind::Trap(_, words) => words.iter().for_each(|word| self.need(*word)),
                InstKind::Loop { body, .. } => {
                    if let Some(exit) = exit(function, *body) {
                        self.need(exit.condition);
                    }
                }
                _ => {}
            }
            inst.kind.blocks().iter().for_each(|block| self.seed(*block));
        }
    }

    /// Needs what is needed for what is needed already.
    fn close(&mut self, block: BlockId, results: &[ValueId]) {
        let function = self.function;
        for &id in function.blocks[block].insts.iter().rev() {
            let inst = &function.insts[id];
            let wanted: Vec<bool> = inst.results.iter().map(|result| self.needs.value(*result)).collect();
            let any = wanted.iter().any(|wanted| *wanted);
            if inst.results.iter().any(|result| self.needs.turned(*result)) {
                self.close_turned(&inst.kind);
            }
            match &inst.kind {
                InstKind::If { condition: value, .. } | InstKind::Switch { selector: value, .. } => {
                    if any || self.touches_needed(id) {
                        self.need(*value);
                    }
                    inst.kind.blocks().iter().for_each(|block| self.close(*block, &inst.results));
                }
                InstKind::Loop { initial, body, .. } => self.close_loop(id, initial, *body, &wanted),
                InstKind::Yield(values) => {
                    for (value, result) in values.iter().zip(results) {
                        if self.needs.value(*result) {
                            self.need(*value);
                        }
                    }
                }
                InstKind::Continue(target, values) => {
                    for (value, param) in values.iter().zip(&function.blocks[*target].params) {
                        if self.needs.value(*param) {
                            self.need(*value);
                        }
                    }
                }
                InstKind::Store(place, value) if self.is_needed_root(place.root) => {
                    self.need_indices(place);
                    self.need(*value);
                }
                InstKind::Load(place) if any => {
                    self.need_indices(place);
                    self.need_root(place.root);
                }
                InstKind::CoopLoad(access) if any => {
                    inst.kind.for_each_use(|value| self.need(value));
                    self.need_root(access.place.root);
                }
                InstKind::Op(Op::Slope, operands) if any => self.need(operands[0]),
                kind if any => kind.for_each_use(|value| {
                    let flag = &mut self.needs.values[value.index()];
                    self.changed |= !*flag;
                    *flag = true;
                }),
                _ => {}
            }
        }
    }

    fn close_loop(&mut self, id: InstId, initial: &[ValueId], body: BlockId, wanted: &[bool]) {
        let function = self.function;
        let Some(Exit { condition, values, .. }) = exit(function, body) else { return };
        for (value, _) in values.iter().zip(wanted).filter(|(_, wanted)| **wanted) {
            self.need(*value);
        }
        let params = &function.blocks[body].params;
        let any = wanted.contains(&true) || params.iter().any(|param| self.needs.value(*param));
        if any || self.touches_needed(id) {
            self.need(condition);
        }
        self.close(body, &[]);
        for (param, value) in params.iter().zip(initial) {
            if self.needs.value(*param) {
                self.need(*value);
            }
        }
    }

    /// Whether a variable whose contents are needed is written in the instruction's blocks.
    fn touches_needed(&self, id: InstId) -> bool {
        self.function.insts[id].kind.blocks().iter().any(|block| {
            self.function.blocks[*block].insts.iter().any(|id| match &self.function.insts[*id].kind {
                InstKind::Store(place, _) => self.is_needed_root(place.root),
                _ => self.touches_needed(*id),
            })
        })
    }

    fn is_needed_root(&self, root: Root) -> bool {
        match root {
            Root::Local(local) => self.needs.local(local),
            Root::Shared(shared) => self.needs.shared(shared),
            Root::Buffer(_) | Root::Member(..) => false,
        }
    }

    fn need_root(&mut self, root: Root) {
        let flag = match root {
            Root::Local(local) => &mut self.needs.locals[local.index()],
            Root::Shared(shared) => {
                let at = shared.index();
                if self.needs.shared.len() <= at {
                    self.needs.shared.resize(at + 1, false);
                }
                &mut self.needs.shared[at]
            }
            Root::Buffer(_) | Root::Member(..) => return,
        };
        self.changed |= !*flag;
        *flag = true;
    }
}
