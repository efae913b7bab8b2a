//! Loop versioning: where the end of a counter is in range, so is the counter in each round. A loop over elements between two places that only
//! the device knows gets a version without the checks of these elements, for where they are all there. The loop itself stays for the rest: it
//! is to report the first element that is missing, and need not be fast.

use super::Changed;
use super::edit::{Writer, add_effect, add_value, walk};
use crate::arena::{Arena, EntityId};
use crate::few::Few;
use crate::hash::FastMap;
use crate::ir::{
    Block, BlockId, BufferId, Constant, Function, Inst, InstId, InstKind, Kernel, Module, Place, Root, Site, SiteId,
    Step, Unroll, ValueId,
};
use crate::op::Op;
use crate::rounds::definitions;
use crate::types::{Scalar, Type, TypeId, Types};

/// Instructions of the largest loop of which there is a version.
const MOST_INSTS: usize = 160;

/// Runs the pass.
pub fn run(module: &mut Module) -> Changed {
    let Module { types, functions, kernel: Some(kernel), sites, .. } = module else { return Changed::No };
    let function = &mut functions[kernel.function];
    let definitions = definitions(function);
    let mut found = Vec::new();
    Finder { function, types, kernel, sites, definitions: &definitions }.block(function.entry, &mut found);
    if found.is_empty() {
        return Changed::No;
    }
    found.into_iter().for_each(|version| write(function, types, version));
    Changed::Yes
}

/// A loop that is to get a version.
struct Version {
    /// The block that it stands in.
    block: BlockId,
    id: InstId,
    body: BlockId,
    counter: ValueId,
    end: ValueId,
    /// The buffers of which the counter is an index that is checked.
    buffers: Vec<BufferId>,
}

struct Finder<'a> {
    function: &'a Function,
    types: &'a Types,
    kernel: &'a Kernel,
    sites: &'a Arena<SiteId, Site>,
    definitions: &'a [Option<InstId>],
}

impl Finder<'_> {
    fn block(&self, block: BlockId, found: &mut Vec<Version>) {
        for &id in &self.function.blocks[block].insts {
            match &self.function.insts[id].kind {
                InstKind::Loop { body, unroll: Unroll::Auto, .. } => match self.version(block, id, *body) {
                    Some(version) => found.push(version),
                    None => self.block(*body, found),
                },
                kind => kind.blocks().iter().for_each(|inner| self.block(*inner, found)),
            }
        }
    }

    fn version(&self, block: BlockId, id: InstId, body: BlockId) -> Option<Version> {
        let (counter, end) = self.counter(body)?;
        let (mut size, mut may_copy, mut buffers) = (0, true, Vec::new());
        walk(self.function, body, &mut |_, inst| {
            size += 1;
            may_copy &= !inst.kind.needs_full_workgroup() && !matches!(inst.kind, InstKind::Loop { .. });
            if let Some(buffer) = self.checked(&inst.kind, counter)
                && !buffers.contains(&buffer)
            {
                buffers.push(buffer);
            }
        });
        let is_worth_it = may_copy && size <= MOST_INSTS && !buffers.is_empty();
        is_worth_it.then_some(Version { block, id, body, counter, end, buffers })
    }

    /// The buffer whose element at the counter is checked on the device.
    fn checked(&self, kind: &InstKind, counter: ValueId) -> Option<BufferId> {
        let Place { root: Root::Buffer(buffer), path, .. } = kind.place()? else { return None };
        match path.first()? {
            Step::Index { value, check: Some(site) } if *value == counter => {
                let is_on_device = self.sites[*site].at_launch.is_none();
                (is_on_device && !self.kernel.buffers[*buffer].is_list).then_some(*buffer)
            }
            _ => None,
        }
    }

    /// The parameter of a loop that goes up by one, and the value from outside that it stays below.
    fn counter(&self, body: BlockId) -> Option<(ValueId, ValueId)> {
        let Block { params, insts } = &self.function.blocks[body];
        // An access in front of the test has the counter once more, when it has come to its end.
        let test = insts.iter().find(|id| !self.function.insts[**id].kind.is_pure())?;
        let InstKind::If { condition, then_block, else_block } = self.function.insts[*test].kind else { return None };
        let [stay, leave] = [then_block, else_block].map(|block| self.function.blocks[block].insts.first());
        let stays = matches!(self.function.insts[*stay?].kind, InstKind::Yield(_));
        let leaves = matches!(self.function.insts[*leave?].kind, InstKind::Break(target, _) if target == body);
        let &InstKind::Op(Op::Lt, ref compared) = self.kind(condition).filter(|_| stays && leaves)? else {
            return None;
        };
        let &[counter, end] = &compared[..] else { return None };
        let position = params.iter().position(|param| *param == counter)?;
        let is_word = *self.types.get(self.function.values[counter].ty) == Type::Scalar(Scalar::U32);
        let is_next = |value: ValueId| match self.kind(value) {
            Some(InstKind::Op(Op::Add, sum)) => {
                let is_one = |value: ValueId| matches!(self.kind(value), Some(InstKind::Const(Constant::U32(1))));
                sum[..] == [counter, sum[1]] && is_one(sum[1]) || sum[..] == [sum[0], counter] && is_one(sum[0])
            }
            _ => false,
        };
        let mut holds = is_word;
        walk(self.function, body, &mut |_, inst| {
            holds &= !inst.results.contains(&end);
            if let InstKind::Continue(target, values) = &inst.kind
                && *target == body
            {
                holds &= is_next(values[position]);
            }
        });
        (holds && !params.contains(&end)).then_some((counter, end))
    }

    fn kind(&self, value: ValueId) -> Option<&InstKind> {
        self.definitions[value.index()].map(|id| &self.function.insts[id].kind)
    }
}

/// Puts a branch in the place of a loop: to its version where all elements are there, and to the loop elsewhere.
fn write(function: &mut Function, types: &mut Types, version: Version) {
    let Version { block, id, body, counter, end, buffers } = version;
    let InstKind::Loop { initial, .. } = function.insts[id].kind.clone() else { return };
    let location = function.insts[id].location;
    let [word, bool_] = [Scalar::U32, Scalar::Bool].map(|scalar| types.scalar(scalar));
    let mut before = Vec::new();
    let mut writer = Writer { function: &mut *function, types, location, out: &mut before };
    let mut are_there = None;
    for buffer in &buffers {
        let len = writer.add(InstKind::Len(*buffer), word);
        let is_there = writer.op(Op::Le, [end, len], bool_);
        are_there = Some(are_there.map_or(is_there, |all| writer.op(Op::And, [all, is_there], bool_)));
    }
    let Some(condition) = are_there else { return };
    let mut copier = Copier { function, values: FastMap::default(), blocks: Vec::new() };
    let copied = copier.block(body);
    let counter = copier.value(counter);
    clear_checks(function, copied, counter, &buffers);
    let results = function.insts[id].results.clone();
    let of_results: Vec<TypeId> = results.iter().map(|result| function.values[*result].ty).collect();
    let [of_version, of_rest] =
        [(); 2].map(|()| of_results.iter().map(|ty| add_value(function, *ty, None)).collect::<Few<ValueId>>());
    let kind = InstKind::Loop { initial: initial.clone(), body: copied, unroll: Unroll::Auto };
    let fast = function.insts.push(Inst { kind, results: of_version.clone(), location });
    let kind = InstKind::Loop { initial, body, unroll: Unroll::Never };
    let rest = function.insts.push(Inst { kind, results: of_rest.clone(), location });
    let [then_block, else_block] = [(fast, of_version), (rest, of_rest)].map(|(inner, values)| {
        let end = add_effect(function, InstKind::Yield(values), location);
        function.blocks.push(Block { params: Vec::new(), insts: vec![inner, end] })
    });
    function.insts[id].kind = InstKind::If { condition, then_block, else_block };
    let insts = &mut function.blocks[block].insts;
    if let Some(at) = insts.iter().position(|known| *known == id) {
        insts.splice(at..at, before);
    }
}

/// Removes the checks of elements at the counter.
fn clear_checks(function: &mut Function, body: BlockId, counter: ValueId, buffers: &[BufferId]) {
    let mut insts = Vec::new();
    walk(function, body, &mut |id, _| insts.push(id));
    for id in insts {
        if let Some(Place { root: Root::Buffer(buffer), path, .. }) = function.insts[id].kind.place_mut()
            && buffers.contains(buffer)
            && let Some(Step::Index { value, check }) = path.first_mut()
            && *value == counter
        {
            *check = None;
        }
    }
}

/// Copies blocks with all that they own.
struct Copier<'f> {
    function: &'f mut Function,
    values: FastMap<ValueId, ValueId>,
    blocks: Vec<(BlockId, BlockId)>,
}

impl Copier<'_> {
    /// The value in the copy.
    fn value(&self, value: ValueId) -> ValueId {
        self.values.get(&value).copied().unwrap_or(value)
    }

    fn new_value(&mut self, value: ValueId) -> ValueId {
        let copied = self.function.values.push(self.function.values[value].clone());
        self.values.insert(value, copied);
        copied
    }

    fn block(&mut self, block: BlockId) -> BlockId {
        let copied = self.function.blocks.push(Block::default());
        self.blocks.push((block, copied));
        let Block { params, insts } = self.function.blocks[block].clone();
        let params = params.iter().map(|param| self.new_value(*param)).collect();
        let insts = insts.iter().map(|id| self.inst(*id)).collect();
        self.function.blocks[copied] = Block { params, insts };
        copied
    }

    fn inst(&mut self, id: InstId) -> InstId {
        let mut inst = self.function.insts[id].clone();
        inst.kind.map_uses(|value| self.value(value));
        match &mut inst.kind {
            InstKind::If { then_block, else_block, .. } => {
                *then_block = self.block(*then_block);
                *else_block = self.block(*else_block);
            }
            InstKind::Switch { cases, default, .. } => {
                cases.iter_mut().for_each(|(_, case)| *case = self.block(*case));
                *default = self.block(*default);
            }
            InstKind::Loop { body, .. } => *body = self.block(*body),
            InstKind::Break(target, _) | InstKind::Continue(target, _) => {
                let copied = self.blocks.iter().rev().find(|(from, _)| from == target);
                *target = copied.map_or(*target, |(_, to)| *to);
            }
            _ => {}
        }
        for result in &mut inst.results {
            *result = self.new_value(*result);
        }
        self.function.insts.push(inst)
    }
}
