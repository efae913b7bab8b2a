//! Lets a loop panic behind its last round where it only computes and loads, and panics where floats do not compare: sums and best ones by
//! `partial_cmp`.
//!
//! A way out of each round keeps drivers from having the loads of several rounds on their way at once. Nothing that others see tells when the
//! panic came, and no index depends on how floats compare.

use super::edit::{add_effect, add_inst, add_value, walk, yields};
use super::{Changed, PassCx, loop_ends};
use crate::arena::EntityId;
use crate::ir::{Block, BlockId, Constant, Function, InstId, InstKind, SiteId, SourceLocation, Unroll, ValueId};
use crate::op::Op;
use crate::types::{Scalar, Type, TypeId, Types};

/// How many conditions are looked through, one inside of the other.
const DEEPEST: usize = 8;

/// Runs the pass.
pub fn run(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    if !function.insts.iter().any(|(_, inst)| matches!(inst.kind, InstKind::Panic(..))) {
        return Changed::No;
    }
    let mut definitions = vec![None; function.values.len()];
    for (id, inst) in function.insts.iter() {
        inst.results.iter().for_each(|result| definitions[result.index()] = Some(id));
    }
    let bool_type = cx.types.scalar(Scalar::Bool);
    let mut pass = Pass { function, types: cx.types, definitions, bool_type, changed: Changed::No };
    pass.block(pass.function.entry);
    pass.changed
}

struct Pass<'a> {
    function: &'a mut Function,
    types: &'a Types,
    /// By value: what defines it.
    definitions: Vec<Option<InstId>>,
    bool_type: TypeId,
    changed: Changed,
}

/// A branch of a loop's body to a panic.
struct Panic {
    /// The `if`.
    id: InstId,
    condition: ValueId,
    /// It panics where the condition is this.
    truth: bool,
}

/// A loop that may panic behind its last round.
struct Late {
    body: BlockId,
    /// The jump out of it.
    leave: InstId,
    panics: Vec<Panic>,
    site: SiteId,
    location: Option<SourceLocation>,
}

impl Pass<'_> {
    fn block(&mut self, block: BlockId) {
        let insts = std::mem::take(&mut self.function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for id in insts {
            for inner in self.function.insts[id].kind.blocks() {
                self.block(inner);
            }
            match self.late(id) {
                Some(late) => self.move_behind(id, &late, &mut out),
                None => out.push(id),
            }
        }
        self.function.blocks[block].insts = out;
    }

    fn late(&self, id: InstId) -> Option<Late> {
        let InstKind::Loop { body, unroll, .. } = self.function.insts[id].kind else { return None };
        let (last, insts) = self.function.blocks[body].insts.split_last()?;
        if unroll == Unroll::Never
            || !matches!(self.function.insts[*last].kind, InstKind::Continue(to, _) if to == body)
        {
            return None;
        }
        let (mut leave, mut panics, mut site, mut location) = (None, Vec::new(), None, None);
        for id in insts {
            let inst = &self.function.insts[*id];
            let InstKind::If { condition, then_block, else_block } = inst.kind else {
                if !is_harmless(&inst.kind) {
                    return None;
                }
                continue;
            };
            if leave.is_none() {
                leave = Some(self.exit([then_block, else_block], body)?);
                continue;
            }
            let arms = [(then_block, else_block, true), (else_block, then_block, false)];
            let found = arms.into_iter().find_map(|(arm, other, truth)| Some((self.only_panics(arm, other)?, truth)));
            match found {
                Some((of, truth)) if inst.results.is_empty() && self.is_of_floats(condition, DEEPEST) => {
                    if site.is_some_and(|site| site != of) {
                        return None;
                    }
                    (site, location) = (Some(of), inst.location);
                    panics.push(Panic { id: *id, condition, truth });
                }
                _ => {
                    let mut is_fine = true;
                    for arm in [then_block, else_block] {
                        walk(self.function, arm, &mut |_, inst| {
                            is_fine &= is_harmless(&inst.kind)
                                || matches!(
                                    inst.kind,
                                    InstKind::If { .. } | InstKind::Switch { .. } | InstKind::Yield(_)
                                );
                        });
                    }
                    if !is_fine {
                        return None;
                    }
                }
            }
        }
        let late = Late { body, leave: leave?, panics, site: site?, location };
        (self.indices_stay(body, &late.panics) && loop_ends::ends(self.function, self.types, body)).then_some(late)
    }

    /// The jump out of a loop's body, if one of the blocks is nothing else, and the other one goes on.
    fn exit(&self, arms: [BlockId; 2], body: BlockId) -> Option<InstId> {
        let goes_on = |arm: BlockId| yields(self.function, arm).is_some_and(<[_]>::is_empty);
        let leave = match arms.map(goes_on) {
            [true, false] => arms[1],
            [false, true] => arms[0],
            _ => return None,
        };
        let (last, before) = self.function.blocks[leave].insts.split_last()?;
        let is_exit = matches!(self.function.insts[*last].kind, InstKind::Break(to, _) if to == body)
            && before
                .iter()
                .all(|id| self.function.insts[*id].kind.is_pure() && !self.function.insts[*id].kind.has_blocks());
        is_exit.then_some(*last)
    }

    /// The site of a panic without arguments that is all of a block, if the other one goes on.
    fn only_panics(&self, arm: BlockId, other: BlockId) -> Option<SiteId> {
        let only = |block: BlockId| match self.function.blocks[block].insts[..] {
            [only] => Some(&self.function.insts[only].kind),
            _ => None,
        };
        match (only(arm)?, only(other)?) {
            (InstKind::Panic(site, words), InstKind::Yield(values)) if words.is_empty() && values.is_empty() => {
                Some(*site)
            }
            _ => None,
        }
    }

    fn is_float(&self, value: ValueId) -> bool {
        matches!(self.types.get(self.function.values[value].ty), Type::Scalar(scalar) if scalar.is_float())
    }

    /// Whether a condition hangs on how floats compare, and on nothing else.
    fn is_of_floats(&self, value: ValueId, left: usize) -> bool {
        let (Some(left), Some(id)) = (left.checked_sub(1), self.definitions[value.index()]) else { return false };
        match &self.function.insts[id].kind {
            InstKind::Op(Op::And | Op::Or | Op::Not, operands) => {
                operands.iter().all(|operand| self.is_of_floats(*operand, left))
            }
            InstKind::Op(op, operands) => is_comparison(*op) && self.is_float(operands[0]),
            _ => false,
        }
    }

    /// Whether neither an index nor the loop's end, nor whether anything is loaded, hangs on how floats compare: where the panic stood in front
    /// of it, more was known of that.
    fn indices_stay(&self, body: BlockId, panics: &[Panic]) -> bool {
        let mut hangs = vec![false; self.function.values.len()];
        let mut is_stable = false;
        while !is_stable {
            is_stable = true;
            let mut note = |hangs: &mut Vec<bool>, value: ValueId| {
                is_stable &= std::mem::replace(&mut hangs[value.index()], true);
            };
            walk(self.function, body, &mut |_, inst| {
                let mut does = match &inst.kind {
                    InstKind::Op(op, operands) => is_comparison(*op) && self.is_float(operands[0]),
                    _ => false,
                };
                inst.kind.for_each_use(|value| does |= hangs[value.index()]);
                for block in inst.kind.blocks() {
                    does |= yields(self.function, block)
                        .is_some_and(|values| values.iter().any(|value| hangs[value.index()]));
                }
                if does {
                    inst.results.iter().for_each(|result| note(&mut hangs, *result));
                }
                if let InstKind::Continue(to, values) = &inst.kind {
                    for (param, value) in self.function.blocks[*to].params.iter().zip(values) {
                        if hangs[value.index()] {
                            note(&mut hangs, *param);
                        }
                    }
                }
            });
        }
        let mut stay = true;
        walk(self.function, body, &mut |id, inst| match &inst.kind {
            InstKind::Load(place) => stay &= !place.values().any(|value| hangs[value.index()]),
            InstKind::If { condition, .. } | InstKind::Switch { selector: condition, .. }
                if hangs[condition.index()] =>
            {
                let mut loads = false;
                for block in inst.kind.blocks() {
                    walk(self.function, block, &mut |_, inst| {
                        loads |= matches!(inst.kind, InstKind::Load(_) | InstKind::Break(..));
                    });
                }
                stay &= !loads || panics.iter().any(|panic| panic.id == id);
            }
            _ => {}
        });
        stay
    }

    /// Keeps whether all rounds may go on in a parameter, and asks for it behind the loop.
    fn move_behind(&mut self, id: InstId, late: &Late, out: &mut Vec<InstId>) {
        let Late { body, leave, site, location, .. } = *late;
        let function = &mut *self.function;
        let (start, goes_on) = add_inst(function, InstKind::Const(Constant::Bool(true)), self.bool_type, location);
        let param = add_value(function, self.bool_type, None);
        let mut all = param;
        let mut insts = Vec::new();
        for inst in std::mem::take(&mut function.blocks[body].insts) {
            let Some(panic) = late.panics.iter().find(|panic| panic.id == inst) else {
                insts.push(inst);
                continue;
            };
            let mut op = |function: &mut Function, op: Op, operands: &[ValueId]| {
                let (id, value) = add_inst(function, InstKind::Op(op, operands.into()), self.bool_type, location);
                insts.push(id);
                value
            };
            let is_fine = if panic.truth { op(function, Op::Not, &[panic.condition]) } else { panic.condition };
            all = op(function, Op::And, &[all, is_fine]);
        }
        if let Some(InstKind::Continue(_, next)) = insts.last().map(|last| &mut function.insts[*last].kind) {
            next.push(all);
        }
        if let InstKind::Break(_, values) = &mut function.insts[leave].kind {
            values.push(param);
        }
        function.blocks[body].params.push(param);
        function.blocks[body].insts = insts;
        if let InstKind::Loop { initial, .. } = &mut function.insts[id].kind {
            initial.push(goes_on);
        }
        let result = add_value(function, self.bool_type, None);
        function.insts[id].results.push(result);
        let stay = add_effect(function, InstKind::Yield([].into()), location);
        let panic = add_effect(function, InstKind::Panic(site, [].into()), location);
        let [then_block, else_block] =
            [stay, panic].map(|id| function.blocks.push(Block { params: Vec::new(), insts: vec![id] }));
        let ask = add_effect(function, InstKind::If { condition: result, then_block, else_block }, location);
        out.extend([start, id, ask]);
        self.definitions.resize(self.function.values.len(), None);
        self.changed = Changed::Yes;
    }
}

fn is_comparison(op: Op) -> bool {
    matches!(op, Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne | Op::IsNan)
}

/// Whether an instruction that owns no blocks does nothing that others see, and does not trap.
fn is_harmless(kind: &InstKind) -> bool {
    match kind {
        InstKind::Load(place) => !place.is_checked(),
        kind => kind.is_pure() && !kind.has_blocks(),
    }
}
