//! Turns local variables of scalar and vector type into SSA values: loop parameters, results of `if`, `switch` and `loop`.
//!
//! A value is threaded through an instruction only where a block inside stores the local and the value is live. Locals
//! indexed at run time stay in memory. Run [`split_locals`](super::split_locals) first.

use super::edit::{Substitution, add_inst, add_value, for_each_inst, yields};
use super::live_locals::{self, LiveLocals, Slots};
use super::{Changed, PassCx};
use crate::arena::{EntityId, SecondaryMap};
use crate::ir::{BlockId, Constant, Function, InstId, InstKind, LocalId, Name, Place, Root, Step, ValueId};
use crate::types::{Type, TypeId, Types};

/// Runs the pass.
pub fn run(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    if function.locals.is_empty() {
        return Changed::No;
    }
    let slots = promotable(function, cx.types);
    if slots.locals.is_empty() {
        return Changed::No;
    }
    let live = live_locals::analyse(function, &slots);
    let (count, jumps) = (slots.locals.len(), SecondaryMap::of(&function.blocks));
    let substitution = Substitution::of(function);
    let mut promoter = Promoter {
        function,
        slots: &slots,
        live: &live,
        substitution,
        current: vec![None; count],
        jumps,
        zeros: Vec::new(),
    };
    promoter.block(promoter.function.entry, &[]);
    let zeros = std::mem::take(&mut promoter.zeros);
    let entry = function.entry;
    function.blocks[entry].insts.splice(0..0, zeros.into_iter().map(|(_, inst, _)| inst));
    Changed::Yes
}

/// The locals to promote: scalars and vectors of which no component is chosen at run time.
fn promotable(function: &Function, types: &Types) -> Slots {
    let mut eligible = vec![false; function.locals.len()];
    for (id, local) in function.locals.iter() {
        eligible[id.index()] = matches!(types.get(local.ty), Type::Scalar(_) | Type::Vector(..) | Type::Coop(_));
    }
    if !eligible.contains(&true) {
        return Slots::new(function, |_| false);
    }
    let mut used = vec![false; function.locals.len()];
    for_each_inst(function, &mut |_, inst| {
        if let InstKind::Load(place) | InstKind::Store(place, _) = &inst.kind
            && let Root::Local(local) = place.root
        {
            used[local.index()] = true;
            if place.path.iter().any(|step| step.value().is_some()) {
                eligible[local.index()] = false;
            }
        }
    });
    Slots::new(function, |local| eligible[local.index()] && used[local.index()])
}

/// The values that the jumps to a loop append.
#[derive(Clone, Default)]
struct Jump {
    results: Vec<usize>,
    carried: Vec<usize>,
}

struct Promoter<'a> {
    function: &'a mut Function,
    slots: &'a Slots,
    live: &'a LiveLocals,
    substitution: Substitution,
    /// Value of each promoted local at this point; `None` while it still has its first value, zero.
    current: Vec<Option<ValueId>>,
    jumps: SecondaryMap<BlockId, Jump>,
    /// Zeros to define at the start of the function.
    zeros: Vec<(TypeId, InstId, ValueId)>,
}

impl Promoter<'_> {
    /// Rewrites a block; `yielded` are the slots whose values its `yield` appends.
    fn block(&mut self, block: BlockId, yielded: &[usize]) {
        let mut insts = std::mem::take(&mut self.function.blocks[block].insts);
        insts.retain(|&id| {
            self.substitution.apply(&mut self.function.insts[id].kind);
            self.inst(id, yielded)
        });
        self.function.blocks[block].insts = insts;
    }

    /// Rewrites an instruction; false when nothing is left of it.
    fn inst(&mut self, id: InstId, yielded: &[usize]) -> bool {
        match &self.function.insts[id].kind {
            InstKind::Load(place) => {
                if let Some((slot, component)) = self.slot(place) {
                    return self.load(id, slot, component);
                }
            }
            InstKind::Store(place, value) => {
                let value = *value;
                if let Some((slot, component)) = self.slot(place) {
                    return self.store(id, slot, component, value);
                }
            }
            InstKind::If { .. } | InstKind::Switch { .. } => self.branch(id),
            InstKind::Loop { body, .. } => {
                let body = *body;
                self.enter_loop(id, body);
            }
            InstKind::Yield(_) => self.append(id, yielded),
            InstKind::Break(target, _) => {
                let slots = self.jumps[*target].results.clone();
                self.append(id, &slots);
            }
            InstKind::Continue(target, _) => {
                let slots = self.jumps[*target].carried.clone();
                self.append(id, &slots);
            }
            _ => {}
        }
        true
    }

    fn slot(&self, place: &Place) -> Option<(usize, Option<u32>)> {
        let Root::Local(local) = place.root else { return None };
        let slot = self.slots.of(local)?;
        match place.path.first() {
            Some(Step::Field(component)) => Some((slot, Some(*component))),
            _ => Some((slot, None)),
        }
    }

    fn load(&mut self, id: InstId, slot: usize, component: Option<u32>) -> bool {
        let value = self.value(slot);
        match component {
            None => {
                let result = self.function.insts[id].results[0];
                self.substitution.set(result, value);
                false
            }
            Some(component) => {
                self.function.insts[id].kind = InstKind::Extract(value, [component].into());
                true
            }
        }
    }

    fn store(&mut self, id: InstId, slot: usize, component: Option<u32>, value: ValueId) -> bool {
        let Some(component) = component else {
            if self.function.values[value].name.is_none() {
                self.function.values[value].name = self.name(slot);
            }
            self.current[slot] = Some(value);
            return false;
        };
        let composite = self.value(slot);
        let result = self.fresh(slot);
        let inst = &mut self.function.insts[id];
        inst.kind = InstKind::Insert(composite, value, [component].into());
        inst.results = [result].into();
        self.current[slot] = Some(result);
        true
    }

    fn branch(&mut self, id: InstId) {
        let blocks = self.function.insts[id].kind.blocks();
        let comes_out = blocks.iter().any(|block| yields(self.function, *block).is_some());
        let stored = &self.live.stored[blocks[0]];
        let threaded: Vec<usize> = if comes_out {
            stored.iter().filter(|slot| self.live.after[blocks[0]].contains(*slot)).collect()
        } else {
            Vec::new()
        };
        let before: Vec<(usize, Option<ValueId>)> = stored.iter().map(|slot| (slot, self.current[slot])).collect();
        for block in blocks {
            self.block(block, &threaded);
            for (slot, value) in &before {
                self.current[*slot] = *value;
            }
        }
        self.define_results(id, &threaded);
    }

    fn enter_loop(&mut self, id: InstId, body: BlockId) {
        let stored = &self.live.stored[body];
        let carried: Vec<usize> = stored.iter().filter(|slot| self.live.at_start[body].contains(*slot)).collect();
        let results: Vec<usize> = if self.live.is_broken[body] {
            stored.iter().filter(|slot| self.live.after[body].contains(*slot)).collect()
        } else {
            Vec::new()
        };
        let before: Vec<(usize, Option<ValueId>)> = stored.iter().map(|slot| (slot, self.current[slot])).collect();
        for &slot in &carried {
            let first = self.value(slot);
            if let InstKind::Loop { initial, .. } = &mut self.function.insts[id].kind {
                initial.push(first);
            }
            let param = self.fresh(slot);
            self.function.blocks[body].params.push(param);
            self.current[slot] = Some(param);
        }
        self.jumps[body] = Jump { results: results.clone(), carried };
        self.block(body, &[]);
        for (slot, value) in before {
            self.current[slot] = value;
        }
        self.define_results(id, &results);
    }

    fn define_results(&mut self, id: InstId, slots: &[usize]) {
        for &slot in slots {
            let result = self.fresh(slot);
            self.function.insts[id].results.push(result);
            self.current[slot] = Some(result);
        }
    }

    /// Appends the current values of `slots` to a terminator.
    fn append(&mut self, id: InstId, slots: &[usize]) {
        let values: Vec<ValueId> = slots.iter().map(|slot| self.value(*slot)).collect();
        if let InstKind::Yield(all) | InstKind::Break(_, all) | InstKind::Continue(_, all) =
            &mut self.function.insts[id].kind
        {
            all.extend(values);
        }
    }

    fn value(&mut self, slot: usize) -> ValueId {
        if let Some(value) = self.current[slot] {
            return self.substitution.get(value);
        }
        let ty = self.ty(slot);
        if let Some((_, _, value)) = self.zeros.iter().find(|(known, ..)| *known == ty) {
            return *value;
        }
        let (inst, value) = add_inst(self.function, InstKind::Const(Constant::Zero), ty, None);
        self.zeros.push((ty, inst, value));
        value
    }

    fn fresh(&mut self, slot: usize) -> ValueId {
        let (ty, name) = (self.ty(slot), self.name(slot));
        add_value(self.function, ty, name)
    }

    fn ty(&self, slot: usize) -> TypeId {
        self.function.locals[self.local(slot)].ty
    }

    fn name(&self, slot: usize) -> Option<Name> {
        Some(self.function.locals[self.local(slot)].name.clone())
    }

    fn local(&self, slot: usize) -> LocalId {
        self.slots.locals[slot]
    }
}
