//! Replaces loops of few rounds that choose elements of local arrays and vectors by their counters, by their rounds, one after the other: the
//! indices become constants, and the arrays values. Other loops stay, unless their author asks for it: a driver unrolls them as it sees fit.
//!
//! Values that depend on a round's counters are folded while the round is copied (`copies`): most of an unrolled loop computes
//! indices.
//!
//! Arrays that are only read by counters stay, too, unless they are of matrices: a table costs less than its loop written out. Not so where its
//! elements are steps to other places: constant ones need no check. It looks at nothing in functions without local arrays and vectors, unless
//! an author asks.
//!
//! If an unroll factor is asked for, a loop's body becomes that many of its rounds, of which only the first asks for
//! the end: the greatest factor that leaves no round over, or another loop runs the rest (`open_ended`). That is done last, when no check is
//! left that counters rule out: less is known of the copies' counters.

use super::edit::{SpareLists, Substitution, cut_unreachable, walk};
use super::fold_constants::View;
use super::{Changed, PassCx};
use crate::arena::EntityId;
use crate::ir::{Block, BlockId, Constant, Function, Inst, InstId, InstKind, Kernel, Root, Unroll, ValueId};
use crate::rounds::{Counted, Counter, definitions};
use crate::types::{Size, Type, TypeId, Types};

mod copies;
mod first_round;
mod guarded;
mod leaving;
mod open_ended;
mod registers;
mod tables;

use copies::{Copy, Round};
use tables::Tables;

/// Rounds of the longest loop that is unrolled.
const MOST_ROUNDS: usize = 16;

/// The same where all that the invocation chooses elements of may stay in registers, in all of its loops, and has at most so many words.
const MOST_ROUNDS_OF_REGISTERS: usize = 64;
const MOST_REGISTERS: u32 = 128;

/// Elements of an array that is computed, and then only read: a loop over it is written out for what the elements are made of.
const MOST_COMPUTED: u32 = 8;

/// Rounds of a loop that may each ask whether they run.
const FEW_GUARDS: usize = 4;

/// Instructions that a loop may become.
const MOST_INSTS: usize = 1536;

/// The same where the elements are matrices of subgroups, which are registers of all its invocations: memory costs far more than code.
const MOST_INSTS_OF_MATRICES: usize = 16 * 1024;

/// Instructions that a loop may become whose author asks for it, and the longest such loop.
const MOST_INSTS_ASKED: usize = 16 * 1024;
const MOST_ROUNDS_ASKED: usize = 1024;

/// Rounds of the longest loop that becomes shorter by some at a time.
const MOST_ROUNDS_FOLLOWED: usize = 1 << 16;

/// Runs the pass.
pub fn run(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    let changed = unroll_arrays(function, cx);
    // Those of arrays first: an outer loop is smaller once they are values.
    if changed == Changed::Yes { changed } else { unroll_asked(function, cx) }
}

/// Runs what is done last.
pub fn run_partly(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    run_where(function, cx, |unroll| matches!(unroll, Unroll::Auto | Unroll::Times(2..)), Wanted::Partly)
}

/// Loops whose authors ask for it.
fn unroll_asked(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    run_where(function, cx, |unroll| unroll == Unroll::Full, Wanted::Asked)
}

fn run_where(
    function: &mut Function,
    cx: &mut PassCx<'_>,
    is_wanted: impl Fn(Unroll) -> bool,
    wanted: Wanted,
) -> Changed {
    let is_one = |inst: &Inst| matches!(inst.kind, InstKind::Loop { unroll, .. } if is_wanted(unroll));
    if !function.insts.iter().any(|(_, inst)| is_one(inst)) {
        return Changed::No;
    }
    let definitions = definitions(function);
    run_with(function, cx, definitions, wanted)
}

fn unroll_arrays(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    let has_elements = |ty: TypeId| matches!(cx.types.get(ty), Type::Array(..) | Type::Vector(..));
    if !function.locals.iter().any(|(_, local)| has_elements(local.ty)) {
        return Changed::No;
    }
    let mut written: Vec<bool> = function.locals.iter().map(|(_, local)| holds_matrices(cx.types, local.ty)).collect();
    let (stores, whole) = stores_by_value(function, cx.types);
    // Where none is chosen at all, nothing needs to be known of the indices.
    if !written.contains(&true) && stores.is_empty() && !has_composed(function) {
        return Changed::No;
    }
    let definitions = definitions(function);
    let tables = Tables::of(function, &definitions);
    note_written_by_index(function, &stores, &definitions, &mut written);
    note_computed(function, &whole, &definitions, &mut written);
    if !written.contains(&true) && !tables.has_any() {
        return Changed::No;
    }
    let registers = registers::find(function, cx.types, &definitions, &written);
    run_with(function, cx, definitions, Wanted::Arrays { written, registers, tables })
}

fn run_with(function: &mut Function, cx: &mut PassCx<'_>, definitions: Vec<Option<InstId>>, wanted: Wanted) -> Changed {
    let stand_ins = Substitution::of(function);
    let view = View { function, types: cx.types, definitions };
    let kernel = cx.kernel;
    let mut pass = Pass { view, kernel, wanted, stand_ins, spare: SpareLists::default(), changed: Changed::No };
    pass.block(pass.view.function.entry);
    // Of a loop without a round, the `break`s of outer loops are gone.
    if pass.changed == Changed::Yes { Changed::Yes | cut_unreachable(function) } else { Changed::No }
}

/// Whether an instruction takes part in what an invocation does, beside constants and ends of blocks.
fn is_code(kind: &InstKind) -> bool {
    !matches!(kind, InstKind::Const(_) | InstKind::Yield(_) | InstKind::Continue(..))
}

/// The largest divisor of a number of rounds that is not over `most`.
fn at_a_time(rounds: usize, most: u32) -> Option<usize> {
    (1..=most as usize).rev().find(|times| rounds.is_multiple_of(*times))
}

/// Whether a local is given all of its elements at once.
fn has_composed(function: &Function) -> bool {
    function.insts.iter().any(|(_, inst)| {
        matches!(&inst.kind, InstKind::Store(place, _) if place.path.is_empty() && matches!(place.root, Root::Local(_)))
    })
}

/// Whether an array's elements are matrices of subgroups: registers in any case.
fn holds_matrices(types: &Types, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Array(element, _) => matches!(types.get(*element), Type::Coop(_)) || holds_matrices(types, *element),
        _ => false,
    }
}

/// The stores to elements of locals that a value chooses, and those to small arrays as a whole.
fn stores_by_value(function: &Function, types: &Types) -> (Vec<InstId>, Vec<InstId>) {
    let (mut found, mut whole) = (Vec::new(), Vec::new());
    let is_small = |ty: TypeId| matches!(types.get(ty), Type::Array(_, Size::Known(..=MOST_COMPUTED)));
    walk(function, function.entry, &mut |id, inst| {
        if let InstKind::Store(place, _) = &inst.kind
            && let Root::Local(local) = place.root
        {
            if place.values().next().is_some() {
                found.push(id);
            } else if place.path.is_empty() && is_small(function.locals[local].ty) {
                whole.push(id);
            }
        }
    });
    (found, whole)
}

/// Notes the small arrays that are made of what is computed: no tables.
fn note_computed(function: &Function, whole: &[InstId], definitions: &[Option<InstId>], written: &mut [bool]) {
    let kind = |value: ValueId| definitions[value.index()].map(|id| &function.insts[id].kind);
    for id in whole {
        if let InstKind::Store(place, value) = &function.insts[*id].kind
            && let Root::Local(local) = place.root
            && let Some(InstKind::Compose(members)) = kind(*value)
        {
            written[local.index()] |= members.iter().any(|member| !matches!(kind(*member), Some(InstKind::Const(_))));
        }
    }
}

/// Notes the locals of which an element is written whose index is not constant.
fn note_written_by_index(function: &Function, stores: &[InstId], definitions: &[Option<InstId>], written: &mut [bool]) {
    let is_constant = |value: ValueId| {
        let definition = definitions[value.index()].map(|id| &function.insts[id].kind);
        matches!(definition, Some(InstKind::Const(_)))
    };
    for id in stores {
        if let InstKind::Store(place, _) = &function.insts[*id].kind
            && let Root::Local(local) = place.root
        {
            written[local.index()] |= !place.values().all(is_constant);
        }
    }
}

/// The loops that are looked for.
enum Wanted {
    /// Those that choose elements; by local, whether one is written whose index is not constant, and whether all of it may stay in
    /// registers.
    Arrays { written: Vec<bool>, registers: Vec<bool>, tables: Tables },
    /// Those of which all rounds are asked for.
    Asked,
    /// Those of which some rounds at a time are.
    Partly,
}

struct Pass<'f> {
    view: View<'f>,
    kernel: Option<&'f Kernel>,
    wanted: Wanted,
    /// The values that take the place of the results of unrolled loops.
    stand_ins: Substitution,
    spare: SpareLists,
    changed: Changed,
}

impl Pass<'_> {
    /// Inner loops first, so that an outer one sees what they became.
    fn block(&mut self, block: BlockId) {
        let insts = std::mem::take(&mut self.view.function.blocks[block].insts);
        let mut out = self.spare.take(insts.len());
        for &id in &insts {
            self.stand_ins.apply(&mut self.view.function.insts[id].kind);
            if !self.view.function.insts[id].kind.has_blocks() {
                out.push(id);
                continue;
            }
            for inner in self.view.function.insts[id].kind.blocks() {
                self.block(inner);
            }
            if let Some(first) = self.first_round(id) {
                self.split_first_round(id, &first);
                out.push(id);
                continue;
            }
            let mut counted = self.counted(id);
            if counted.is_none()
                && let Some(bounded) = self.bounded(id)
            {
                if bounded.rounds() > FEW_GUARDS {
                    self.split(id, bounded, &mut out);
                    continue;
                }
                if self.guard(bounded) {
                    counted = self.counted(id);
                }
            }
            match counted {
                Some((counted, size)) => match self.at_a_time(id, &counted) {
                    Some(times) => self.unroll_partly(id, &counted, times, &mut out),
                    None => self.unroll(id, &counted, size, &mut out),
                },
                None => match (self.leaving(id), self.open_ended(id)) {
                    (Some(leaving), _) => self.unroll_leaving(id, &leaving, &mut out),
                    (None, Some(open)) => self.unroll_open_ended(id, &open, &mut out),
                    (None, None) => out.push(id),
                },
            }
        }
        self.view.function.blocks[block].insts = out;
        self.spare.give_back(insts);
    }

    /// How a loop runs that is worth it, and how many instructions its body has.
    fn counted(&self, id: InstId) -> Option<(Counted, usize)> {
        let InstKind::Loop { initial, body, unroll } = &self.view.function.insts[id].kind else { return None };
        if !matches!(self.wanted, Wanted::Arrays { .. }) {
            return self.counted_as_asked(initial, *body, *unroll);
        }
        let Chosen { size, most_rounds, .. } = self.chosen(initial, *body, *unroll)?;
        self.counter().count(initial, *body, most_rounds).map(|counted| (counted, size))
    }

    fn counter(&self) -> Counter<'_, impl Fn(ValueId) -> Option<InstId> + '_> {
        let definition = |value: ValueId| self.view.definitions[value.index()];
        Counter { function: self.view.function, types: self.view.types, definition }
    }

    /// The elements that a loop chooses, if its counters decide which.
    fn chosen(&self, initial: &[ValueId], body: BlockId, unroll: Unroll) -> Option<Chosen> {
        let Wanted::Arrays { written, registers, tables } = &self.wanted else { return None };
        if matches!(unroll, Unroll::Times(_) | Unroll::Never) {
            return None;
        }
        let counter = self.counter();
        if !counter.starts(initial, body) {
            return None;
        }
        let (mut size, mut indices, mut limit, mut most_rounds) =
            (0usize, Vec::new(), MOST_INSTS, MOST_ROUNDS_OF_REGISTERS);
        let mut others = Vec::new();
        walk(self.view.function, body, &mut |_, inst| {
            size += usize::from(is_code(&inst.kind));
            if let Some(place) = inst.kind.place()
                && matches!(place.root, Root::Buffer(_) | Root::Shared(_))
            {
                others.extend(place.values());
            }
            if inst.kind.is_of_coop() {
                limit = MOST_INSTS_OF_MATRICES;
            }
            if let Some(place) = inst.kind.place()
                && let Root::Local(local) = place.root
                && written[local.index()]
            {
                let before = indices.len();
                indices.extend(place.values());
                if indices.len() > before && !registers[local.index()] {
                    most_rounds = MOST_ROUNDS;
                }
            }
        });
        // Counted is only what is worth it and not too long: rounds are followed one by one.
        let most_rounds = (limit / size).min(most_rounds + 1).checked_sub(1)?;
        if indices.is_empty() && (others.is_empty() || !tables.has_any()) {
            return None;
        }
        let params = &self.view.function.blocks[body].params;
        let first: Vec<_> = initial.iter().map(|value| counter.value(*value, &[], &[], 2)).collect();
        // An index that no counter decides is as unknown behind it, unless a counter decides where in a table it stands.
        let is_decided = |value: ValueId| counter.value(value, params, &first, 8).is_some();
        let view = (&*self.view.function, &self.view.definitions[..]);
        let is_chosen = indices.iter().any(|index| tables.decide(view, *index, &is_decided))
            || self.decides_inner(body, first.clone(), written);
        let has_offsets = || others.iter().any(|index| tables.offset(view, *index, &is_decided, 8));
        let most_rounds = if is_chosen { most_rounds } else { most_rounds.min(MOST_ROUNDS) };
        (is_chosen || has_offsets()).then_some(Chosen { size, most_rounds, first })
    }

    /// Notes what an instruction defines that is new.
    fn know(&mut self, id: InstId) {
        self.view.definitions.resize(self.view.function.values.len(), None);
        for result in &self.view.function.insts[id].results {
            self.view.definitions[result.index()] = Some(id);
        }
    }

    /// How a loop runs whose author asks for it, if that is known and not too much.
    fn counted_as_asked(&self, initial: &[ValueId], body: BlockId, unroll: Unroll) -> Option<(Counted, usize)> {
        let most = match (&self.wanted, unroll) {
            (Wanted::Asked, Unroll::Full) => MOST_ROUNDS_ASKED,
            // Each of them is followed where counters do not simply count up.
            (Wanted::Partly, Unroll::Times(2..)) => MOST_ROUNDS_FOLLOWED,
            _ => return None,
        };
        let counted = self.counter().count(initial, body, most)?;
        let copies = match unroll {
            Unroll::Times(times) => at_a_time(counted.rounds, times).filter(|times| *times > 1)?,
            _ => counted.rounds,
        };
        let mut size = 0usize;
        walk(self.view.function, body, &mut |_, _| size += 1);
        (size.saturating_mul(copies + 1) <= MOST_INSTS_ASKED).then_some((counted, size))
    }

    /// How many rounds of a loop are written out at a time, where that is not all.
    fn at_a_time(&self, id: InstId, counted: &Counted) -> Option<usize> {
        let InstKind::Loop { unroll: Unroll::Times(times), .. } = self.view.function.insts[id].kind else {
            return None;
        };
        at_a_time(counted.rounds, times).filter(|times| *times < counted.rounds)
    }

    /// Makes so many rounds one, of which whole such rounds are known to be there.
    fn unroll_partly(&mut self, id: InstId, counted: &Counted, times: usize, out: &mut Vec<InstId>) {
        let InstKind::Loop { initial, body, .. } = self.view.function.insts[id].kind.clone() else { return };
        let Block { params, mut insts } = self.view.function.blocks[body].clone();
        let Some(last) = insts.pop() else { return };
        let InstKind::Continue(_, next) = self.view.function.insts[last].kind.clone() else { return };
        let round = Round { params, insts, exit: counted.exit, stay: counted.stay, next };
        let mut copy = Copy::new(self.view.function.values.len());
        let (mut insts, mut next) = (round.insts.clone(), round.next.clone());
        for _ in 1..times {
            next = self.copy_round(&mut copy, &round, &next, &mut insts);
        }
        self.view.function.insts[last].kind = InstKind::Continue(body, next);
        insts.push(last);
        self.view.function.blocks[body].insts = insts;
        self.view.function.insts[id].kind = InstKind::Loop { initial, body, unroll: Unroll::Times(1) };
        self.changed = Changed::Yes;
        out.push(id);
    }

    /// Writes the rounds one after the other, and what leaves the loop.
    fn unroll(&mut self, id: InstId, counted: &Counted, size: usize, out: &mut Vec<InstId>) {
        let InstKind::Loop { initial, body, .. } = self.view.function.insts[id].kind.clone() else { return };
        let Block { params, mut insts } = self.view.function.blocks[body].clone();
        let Some(last) = insts.pop() else { return };
        let InstKind::Continue(_, next) = self.view.function.insts[last].kind.clone() else { return };
        let round = Round { params, insts, exit: counted.exit, stay: counted.stay, next };
        let mut current = initial;
        let mut copy = Copy::new(self.view.function.values.len());
        // Much of it is folded away, and most instructions have one result.
        let room = size * counted.rounds / 2;
        out.reserve(room);
        self.view.function.insts.reserve(room);
        self.view.function.values.reserve(room);
        self.view.definitions.reserve(room);
        for _ in 0..counted.rounds {
            current = self.copy_round(&mut copy, &round, &current, out);
        }
        copy.round += 1;
        copy.bind(&round.params, &current);
        self.copy_all(&mut copy, &round.insts[..round.exit], out);
        let leave = self.view.function.blocks[counted.leave].insts.clone();
        self.copy_all(&mut copy, &leave[..leave.len() - 1], out);
        let left = self.ends_with(counted.leave, &copy);
        for (result, value) in self.view.function.insts[id].results.clone().into_iter().zip(left) {
            self.stand_ins.set(result, value);
        }
        self.changed = Changed::Yes;
    }
}

/// Elements that a loop chooses, and its rounds.
struct Chosen {
    /// Instructions of its body.
    size: usize,
    /// The rounds that it may have to be written out.
    most_rounds: usize,
    /// The counters of its first round.
    first: Vec<Option<Constant>>,
}
