//! Functions and their blocks: what follows what, and that each value is made before it is used, whatever way control takes.

use std::collections::{HashMap, HashSet};

use super::ModuleError;
use super::parse::{Inst, Instructions};
use super::rules::Context;
use super::types::{Type, Types};
use crate::binary::op;

/// A function's blocks, by position.
struct Blocks<'a> {
    list: Vec<Block<'a>>,
    by_label: HashMap<u32, usize>,
}

struct Block<'a> {
    label: u32,
    insts: Vec<&'a Inst<'a>>,
    successors: Vec<usize>,
    predecessors: Vec<usize>,
    /// The closest block that all ways to it go through; none for what cannot be reached.
    dominator: Option<usize>,
}

/// Checks all functions of a module; gives the ids of functions that each calls.
pub(super) fn check_functions(
    module: &Instructions<'_>,
    types: &Types,
    glsl: Option<u32>,
) -> Result<HashMap<u32, Vec<u32>>, ModuleError> {
    let mut calls = HashMap::new();
    let mut position = module.list.iter().position(|inst| inst.opcode == op::FUNCTION).unwrap_or(module.list.len());
    // Variables outside of functions.
    let outside = Context { module, types, returned: 0, glsl };
    for inst in module.list[..position].iter().filter(|inst| matches!(inst.opcode, op::VARIABLE | op::UNDEF)) {
        outside.check(inst).map_err(|cause| ModuleError::new(inst.at, cause))?;
    }
    while position < module.list.len() {
        let start = &module.list[position];
        if start.opcode != op::FUNCTION {
            return Err(ModuleError::new(start.at, "an instruction stands outside of functions"));
        }
        let rest = &module.list[position..];
        let end = rest.iter().position(|inst| inst.opcode == op::FUNCTION_END);
        let end = end.ok_or_else(|| ModuleError::new(start.at, "a function has no end"))?;
        check_function(&rest[..end], module, types, glsl)?;
        let called = rest[..end].iter().filter(|inst| inst.opcode == op::FUNCTION_CALL).map(|inst| inst.ids[0]);
        calls.insert(start.result.unwrap_or_default(), called.collect());
        position += end + 1;
    }
    Ok(calls)
}

/// Checks that no function calls itself, also by way of others; gives those that `entry` reaches.
pub(super) fn reached(calls: &HashMap<u32, Vec<u32>>, entry: u32) -> Result<HashSet<u32>, ModuleError> {
    let (mut done, mut open) = (HashSet::new(), HashSet::new());
    let mut stack = vec![(entry, 0usize)];
    open.insert(entry);
    while let Some((function, next)) = stack.pop() {
        match calls.get(&function).and_then(|called| called.get(next)) {
            None => {
                open.remove(&function);
                done.insert(function);
            }
            Some(callee) => {
                stack.push((function, next + 1));
                if !calls.contains_key(callee) {
                    return Err(ModuleError::new(0, "a function is called that is not there"));
                }
                if open.contains(callee) {
                    return Err(ModuleError::new(0, "a function calls itself"));
                }
                if !done.contains(callee) {
                    open.insert(*callee);
                    stack.push((*callee, 0));
                }
            }
        }
    }
    Ok(done)
}

fn check_function<'a>(
    insts: &'a [Inst<'a>],
    module: &'a Instructions<'a>,
    types: &Types,
    glsl: Option<u32>,
) -> Result<(), ModuleError> {
    let fail = |inst: &Inst<'_>, cause: &str| Err(ModuleError::new(inst.at, cause.to_owned()));
    let (function, mut rest) = insts.split_first().ok_or_else(|| ModuleError::new(0, "a function is empty"))?;
    let kind = function.rest.get(1).and_then(|id| types.get(*id));
    let Some(Type::Function { returned, params }) = kind else {
        return fail(function, "a function has no function's type");
    };
    if function.ty != Some(*returned) {
        return fail(function, "a function returns another type than it says");
    }
    for param in params {
        match rest.split_first() {
            Some((inst, after)) if inst.opcode == op::FUNCTION_PARAMETER && inst.ty == Some(*param) => rest = after,
            _ => return fail(function, "a function has other parameters than its type"),
        }
    }
    let blocks = split(function, rest)?;
    let cx = Context { module, types, returned: *returned, glsl };
    // Where each id of this function is made: its block and position.
    let mut places = HashMap::new();
    for (index, block) in blocks.list.iter().enumerate() {
        for (position, inst) in block.insts.iter().enumerate() {
            places.extend(inst.result.map(|id| (id, (index, position))));
        }
    }
    let first_function = module.list.iter().position(|inst| inst.opcode == op::FUNCTION).unwrap_or(usize::MAX);
    let is_global = |id: u32| module.made.get(&id).is_some_and(|made| *made < first_function);
    let is_param = |id: u32| insts[1..=params.len()].iter().any(|inst| inst.result == Some(id));
    for (index, block) in blocks.list.iter().enumerate() {
        let is_reached = index == 0 || block.dominator.is_some();
        for (position, inst) in block.insts.iter().enumerate() {
            cx.check(inst).map_err(|cause| ModuleError::new(inst.at, cause))?;
            let skip = usize::from(matches!(inst.opcode, op::FUNCTION_CALL));
            let values: Vec<u32> = match inst.opcode {
                op::LINE | op::BRANCH | op::LOOP_MERGE | op::SELECTION_MERGE => Vec::new(),
                op::BRANCH_CONDITIONAL | op::SWITCH => vec![inst.ids[0]],
                op::PHI => {
                    check_phi(&blocks, index, inst, &places, &|id| is_global(id) || is_param(id))?;
                    Vec::new()
                }
                _ => inst.ids[skip..].to_vec(),
            };
            for id in values {
                let is_before = match places.get(&id) {
                    Some((made, at)) if *made == index => *at < position,
                    Some((made, _)) => !is_reached || blocks.dominates(*made, index),
                    None => is_global(id) || is_param(id),
                };
                // A type, a label or a function is no value.
                let is_value = module.of(id).is_some_and(|made| made.ty.is_some() && made.opcode != op::FUNCTION)
                    || inst.opcode == op::EXT_INST && Some(id) == glsl;
                if !is_before || !is_value {
                    return fail(inst, "a value is used where it was not made");
                }
            }
        }
    }
    Ok(())
}

fn check_phi(
    blocks: &Blocks<'_>,
    index: usize,
    inst: &Inst<'_>,
    places: &HashMap<u32, (usize, usize)>,
    is_outside: &dyn Fn(u32) -> bool,
) -> Result<(), ModuleError> {
    let fail = |cause: &str| Err(ModuleError::new(inst.at, cause.to_owned()));
    let mut parents = Vec::new();
    for pair in inst.ids.chunks(2) {
        let Some(parent) = blocks.by_label.get(&pair[1]) else { return fail("a phi names a block that is not there") };
        parents.push(*parent);
        let is_reached = *parent == 0 || blocks.list[*parent].dominator.is_some();
        let is_made = match places.get(&pair[0]) {
            Some((made, _)) => made == parent || !is_reached || blocks.dominates(*made, *parent),
            None => is_outside(pair[0]),
        };
        if !is_made {
            return fail("a value is used where it was not made");
        }
    }
    parents.sort_unstable();
    let mut expected = blocks.list[index].predecessors.clone();
    expected.sort_unstable();
    expected.dedup();
    if parents != expected {
        return fail("a phi does not name each block that leads to it once");
    }
    Ok(())
}

/// Splits a function's body into blocks, and finds who leads where.
fn split<'a>(function: &Inst<'_>, mut rest: &'a [Inst<'a>]) -> Result<Blocks<'a>, ModuleError> {
    let mut list: Vec<Block<'a>> = Vec::new();
    let mut by_label = HashMap::new();
    while let Some((label, after)) = rest.split_first() {
        let fail = |cause: &str| Err(ModuleError::new(label.at, cause.to_owned()));
        if label.opcode != op::LABEL {
            return fail("an instruction stands outside of blocks");
        }
        let is_end = |inst: &Inst<'_>| matches!(inst.opcode, op::BRANCH..=op::SWITCH | op::RETURN..=op::UNREACHABLE);
        let Some(last) = after.iter().position(is_end) else { return fail("a block has no end") };
        let insts: Vec<&Inst<'_>> = after[..=last].iter().collect();
        let is_quiet = |inst: &&&Inst<'_>| !matches!(inst.opcode, 0 | 8 | 317);
        let order = insts.iter().filter(is_quiet).map(|inst| match inst.opcode {
            op::PHI => 0,
            op::VARIABLE if list.is_empty() => 1,
            op::LABEL | op::VARIABLE | op::FUNCTION_PARAMETER | op::FUNCTION => 9,
            op::LOOP_MERGE | op::SELECTION_MERGE => 3,
            _ if is_end(inst) => 4,
            _ => 2,
        });
        let order: Vec<u32> = order.collect();
        let merges = order.iter().filter(|rank| **rank == 3).count();
        if !order.is_sorted() || order.contains(&9) || merges > 1 || (list.is_empty() && order.contains(&0)) {
            return fail("a block's instructions stand in no valid order");
        }
        let label = label.result.unwrap_or_default();
        by_label.insert(label, list.len());
        list.push(Block { label, insts, successors: Vec::new(), predecessors: Vec::new(), dominator: None });
        rest = &after[last + 1..];
    }
    if list.is_empty() {
        return Err(ModuleError::new(function.at, "a function has no body"));
    }
    let mut blocks = Blocks { list, by_label };
    blocks.connect()?;
    blocks.find_dominators();
    blocks.check_structure()?;
    Ok(blocks)
}

impl Blocks<'_> {
    fn connect(&mut self) -> Result<(), ModuleError> {
        for index in 0..self.list.len() {
            let Some(last) = self.list[index].insts.last() else { continue };
            let targets: &[u32] = match last.opcode {
                op::BRANCH => &last.ids,
                op::BRANCH_CONDITIONAL | op::SWITCH => &last.ids[1..],
                _ => &[],
            };
            let found: Option<Vec<usize>> = targets.iter().map(|label| self.by_label.get(label).copied()).collect();
            let found = found.filter(|targets| !targets.contains(&0));
            let found = found.ok_or_else(|| ModuleError::new(last.at, "a branch leads to no block of its function"))?;
            for target in &found {
                self.list[*target].predecessors.push(index);
            }
            self.list[index].successors = found;
        }
        Ok(())
    }

    /// Cooper, Harvey and Kennedy's way, over blocks in reverse postorder.
    fn find_dominators(&mut self) {
        let mut order = Vec::new();
        let mut seen = vec![false; self.list.len()];
        let mut stack = vec![(0, 0)];
        seen[0] = true;
        while let Some((block, next)) = stack.pop() {
            match self.list[block].successors.get(next) {
                None => order.push(block),
                Some(target) => {
                    stack.push((block, next + 1));
                    if !std::mem::replace(&mut seen[*target], true) {
                        stack.push((*target, 0));
                    }
                }
            }
        }
        order.reverse();
        let mut rank = vec![usize::MAX; self.list.len()];
        for (position, block) in order.iter().enumerate() {
            rank[*block] = position;
        }
        self.list[0].dominator = Some(0);
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for block in order.iter().skip(1) {
                let mut new: Option<usize> = None;
                for predecessor in &self.list[*block].predecessors {
                    if self.list[*predecessor].dominator.is_none() {
                        continue;
                    }
                    new = Some(match new {
                        None => *predecessor,
                        Some(other) => self.common(&rank, other, *predecessor),
                    });
                }
                if new != self.list[*block].dominator {
                    self.list[*block].dominator = new;
                    has_changed = true;
                }
            }
        }
    }

    fn common(&self, rank: &[usize], mut a: usize, mut b: usize) -> usize {
        while a != b {
            let later = if rank[a] > rank[b] { &mut a } else { &mut b };
            *later = self.list[*later].dominator.unwrap_or(0);
        }
        a
    }

    /// Whether all ways to `b` go through `a`.
    fn dominates(&self, a: usize, mut b: usize) -> bool {
        loop {
            if a == b {
                return true;
            }
            match self.list[b].dominator {
                Some(up) if up != b => b = up,
                _ => return false,
            }
        }
    }

    /// Checks that control is structured: choices and loops say where they end, and only loops go back.
    fn check_structure(&self) -> Result<(), ModuleError> {
        let fail = |inst: &Inst<'_>, cause: &str| Err(ModuleError::new(inst.at, cause.to_owned()));
        let mut ends = HashSet::new();
        let is_reached = |block: usize| self.list[block].dominator.is_some();
        for (index, block) in self.list.iter().enumerate() {
            let [.., end] = block.insts[..] else { continue };
            let merge = block
                .insts
                .iter()
                .rev()
                .nth(1)
                .filter(|inst| matches!(inst.opcode, op::LOOP_MERGE | op::SELECTION_MERGE));
            if let Some(merge) = merge {
                let targets = merge.ids.iter().map(|label| self.by_label.get(label).copied());
                let Some(targets) = targets.collect::<Option<Vec<usize>>>() else {
                    return fail(merge, "a choice or loop ends at no block of its function");
                };
                let is_below =
                    |target: &usize| *target != index && (!is_reached(*target) || self.dominates(index, *target));
                let is_loop = merge.opcode == op::LOOP_MERGE;
                let own_continue = |target: &usize| is_loop && targets.get(1) == Some(target) && *target == index;
                if !targets.iter().all(|target| is_below(target) || own_continue(target)) || !ends.insert(targets[0]) {
                    return fail(merge, "a choice or loop ends where it cannot");
                }
                let fits = match end.opcode {
                    op::BRANCH => is_loop,
                    op::BRANCH_CONDITIONAL => true,
                    op::SWITCH => !is_loop,
                    _ => false,
                };
                if !fits {
                    return fail(merge, "a choice or loop begins with no branch");
                }
            } else if end.opcode == op::SWITCH {
                return fail(end, "a choice does not say where it ends");
            }
            for target in block.successors.iter().filter(|target| is_reached(index) && self.dominates(**target, index))
            {
                let continues = self.list[*target].insts.iter().find(|inst| inst.opcode == op::LOOP_MERGE);
                let back = continues.and_then(|merge| self.by_label.get(&merge.ids[1]));
                if !back.is_some_and(|from| *from == index || self.dominates(*from, index)) {
                    return fail(end, "control goes back to where no loop begins");
                }
            }
        }
        debug_assert!(self.list.iter().all(|block| self.by_label.contains_key(&block.label)));
        Ok(())
    }
}
