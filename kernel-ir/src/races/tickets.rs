//! Tickets: numbers that atomic additions give, of which nobody else gets the same. An addition of a number to a counter gives a range of
//! so many numbers, from what the counter was on. A subgroup or a workgroup may draw for all its invocations.

use super::access::{Fact, Walker};
use super::atoms::{Atom, Less, Limit, Uniform};
use super::form::{AtomId, Form};
use super::index::{Index, WORD};
use super::mutants::{Mutant, shift};
use super::rules::{Goal, Pair};
use crate::hash::FastMap;
use crate::ir::{
    Atomic, AtomicOp, BlockId, Bound, BufferId, Fold, InstId, InstKind, Place, Root, Scope, SharedId, Span, Step,
    SubgroupOp, ValueId,
};
use crate::op::Op;
use crate::types::Scalar;

/// Atomic additions of a kernel that are looked at.
const MOST_ADDS: usize = 16;
/// Numbers that loops may add again and again: larger ones come to 2^32 too soon.
const MOST_IN_LOOPS: i128 = 1 << 16;

/// How long a range is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Count {
    /// One, where a condition holds, else nothing.
    Flag(ValueId),
    /// So many.
    Number(ValueId),
}

/// A counter: a cell that a kernel only adds to.
#[derive(Debug, Default)]
struct Counter {
    /// The buffer, and the index of the element that the cell is in.
    cell: Option<(BufferId, Form)>,
    /// The number that is added each time, if it is fixed.
    by: Option<i128>,
    /// The most that a launch adds outside of loops, in numbers of `by`.
    total: Option<Form>,
    adds_in_loops: bool,
    has_no_limit: bool,
}

/// The counters of a kernel.
#[derive(Debug, Default)]
pub(super) struct Tickets {
    /// By addition: the first one to the same cell.
    adds: FastMap<InstId, InstId>,
    counters: FastMap<InstId, Counter>,
    /// Values with which a range begins: its counter, and how long it is.
    starts: FastMap<ValueId, (InstId, Count)>,
    /// Additions whose range is divided among the lanes of a subgroup: how many numbers each lane takes.
    divided: FastMap<InstId, Count>,
    /// Loads from shared memory, by the addition whose result one invocation left there for all.
    shared: FastMap<ValueId, InstId>,
    /// Conditions of counts that are flags.
    flags: Vec<ValueId>,
}

impl Tickets {
    /// Whether a range is as long as a condition says.
    pub(super) fn is_flag(&self, condition: ValueId) -> bool {
        self.flags.contains(&condition)
    }
}

impl Index<'_> {
    /// The form of a value that a counter gives.
    pub(super) fn ticket(&mut self, value: ValueId) -> Option<Form> {
        if let Some((of, _)) = self.tickets.starts.get(&value) {
            let atom = Atom::Start(*of, value);
            return Some(Form::atom(self.atoms.intern(atom).0));
        }
        let definition = self.definition_id(value)?;
        let (of, atom): (InstId, fn(InstId) -> Atom) = match self.tickets.shared.get(&value) {
            Some(add) => (self.tickets.adds[add], Atom::GroupTicket),
            None => (*self.tickets.adds.get(&definition)?, Atom::Ticket),
        };
        let by = self.tickets.counters.get(&of)?.by?;
        let ticket = self.atoms.intern(atom(of)).0;
        // Where the cell starts, is the same for all.
        let first = self.atoms.uniform(Uniform::Value(self.function.insts[of].results[0]));
        Some(Form::atom(ticket).scale(by).add(&first))
    }

    /// The condition that a counter exists: one that does not gives everyone zero. `None` of one that may begin anew.
    pub(super) fn has_counter(&mut self, of: InstId) -> Option<Less> {
        let counter = self.tickets.counters.get(&of).filter(|counter| !counter.has_no_limit)?;
        let (buffer, index) = counter.cell.clone()?;
        Some(Less(index, self.len(buffer)))
    }

    /// Whether an index begins where a counter says that has no limit.
    pub(super) fn has_endless_counter(&self, path: &[Form]) -> bool {
        path.iter().flat_map(Form::atoms).any(|atom| match self.atoms.get(atom) {
            Atom::Start(of, _) => self.tickets.counters.get(of).is_some_and(|counter| counter.has_no_limit),
            _ => false,
        })
    }

    /// Says how many tickets a launch draws, now that it is known where it does.
    pub(super) fn limit_tickets(&mut self) {
        for (of, counter) in &self.tickets.counters {
            let Some(by) = counter.by else { continue };
            let below = match (&counter.total, counter.adds_in_loops) {
                (Some(total), false) => total.clone(),
                // A launch that counts on to where it began is beyond what is promised.
                _ => Form::constant(WORD / by),
            };
            for atom in [Atom::Ticket(*of), Atom::GroupTicket(*of)] {
                if let Some(ticket) = self.atoms.find(&atom) {
                    self.atoms.limit(ticket, Limit::always(below.clone()));
                }
            }
        }
    }
}

impl Walker<'_, '_> {
    /// Finds counters, and who draws from them for whom.
    pub(super) fn note_tickets(&mut self) {
        let function = self.index.function;
        let is_buffer = |place: &Place| matches!(place.root, Root::Buffer(_));
        let adds = function.insts.iter().filter_map(|(id, inst)| match &inst.kind {
            InstKind::Atomic(atomic) if atomic.op == AtomicOp::Add && is_buffer(&atomic.place) => Some((id, &**atomic)),
            _ => None,
        });
        let adds: Vec<(InstId, &Atomic)> = adds.collect();
        if adds.is_empty() || adds.len() > MOST_ADDS {
            return;
        }
        let writes: Vec<(InstId, &InstKind)> = (function.insts.iter())
            .filter(|(_, inst)| match &inst.kind {
                InstKind::Store(..) | InstKind::CoopStore(..) => true,
                InstKind::Atomic(atomic) => atomic.op.writes(),
                _ => false,
            })
            .map(|(id, inst)| (id, &inst.kind))
            .collect();
        for (id, atomic) in &adds {
            let Some(cell) = self.fixed_cell(&atomic.place) else { continue };
            if self.index.scalar(atomic.operands[0]) != Some(Scalar::U32) {
                continue;
            }
            let mut by = self.index.constant(atomic.operands[0]).map(i128::from);
            let mut first = *id;
            let is_alone = writes.iter().all(|(other, kind)| {
                let place = kind.place().filter(|place| place.root == atomic.place.root);
                let Some(place) = place.filter(|_| other != id) else { return true };
                match self.fixed_cell(place) {
                    Some(theirs) if theirs == cell => {
                        let InstKind::Atomic(more) = kind else { return false };
                        first = first.min(*other);
                        by = by.filter(|by| self.index.constant(more.operands[0]).map(i128::from) == Some(*by));
                        more.op == AtomicOp::Add
                    }
                    // Two constants that differ are two cells.
                    Some(theirs) => theirs
                        .iter()
                        .zip(&cell)
                        .any(|(a, b)| a.as_constant().zip(b.as_constant()).is_some_and(|(a, b)| a != b)),
                    None => false,
                }
            });
            if !is_alone || by.is_some_and(|by| !(1..1 << 31).contains(&by)) {
                continue;
            }
            let tickets = &mut self.index.tickets;
            tickets.adds.insert(*id, first);
            let counter = tickets.counters.entry(first).or_default();
            counter.by = by;
            if let (Root::Buffer(buffer), Some(Step::Index { .. }), Some(index)) =
                (atomic.place.root, atomic.place.path.first(), cell.first())
            {
                counter.cell = Some((buffer, index.clone()));
            }
            if by.is_none() {
                let count = self.count_of(atomic.operands[0]);
                self.note_start(function.insts[*id].results[0], first, count);
            }
        }
        // An invocation that panicked walks on without drawing where others wait.
        let panics = function.insts.iter().any(|(_, inst)| matches!(inst.kind, InstKind::Panic(..)));
        if !self.index.tickets.adds.is_empty() && !panics {
            self.note_draws();
        }
    }

    fn note_start(&mut self, value: ValueId, counter: InstId, count: Count) {
        let tickets = &mut self.index.tickets;
        if let Count::Flag(condition) = count {
            tickets.flags.push(condition);
        }
        tickets.starts.insert(value, (counter, count));
    }

    /// The length of a range.
    fn count_of(&self, value: ValueId) -> Count {
        match self.index.definition(value) {
            Some(InstKind::Op(Op::Cast, operands)) if self.index.scalar(operands[0]) == Some(Scalar::Bool) => {
                Count::Flag(operands[0])
            }
            Some(InstKind::Op(Op::Select, operands))
                if self.index.constant(operands[1]) == Some(1) && self.index.constant(operands[2]) == Some(0) =>
            {
                Count::Flag(operands[0])
            }
            _ => Count::Number(value),
        }
    }

    /// Finds draws of one invocation for its subgroup or its workgroup.
    fn note_draws(&mut self) {
        let function = self.index.function;
        for (_, of) in function.blocks.iter() {
            for (at, id) in of.insts.iter().enumerate() {
                let inst = &function.insts[*id];
                match &inst.kind {
                    InstKind::Op(Op::Add, operands) => {
                        let (a, b) = (operands[0], operands[1]);
                        let draw = self.draw_of_subgroup(a, b).or_else(|| self.draw_of_subgroup(b, a));
                        if let Some((add, count)) = draw {
                            let counter = self.index.tickets.adds[&add];
                            self.note_start(inst.results[0], counter, count);
                        }
                    }
                    InstKind::If { condition, then_block, .. } if self.is_leader(*condition) => {
                        self.note_shared(*then_block, &of.insts[at + 1..]);
                    }
                    _ => {}
                }
            }
        }
    }

    /// The addition that one lane makes for all, and how many numbers each lane takes, where `base` is its result in all of them and `before`
    /// the numbers of the lanes before: all in one block, so that the same lanes do it.
    fn draw_of_subgroup(&mut self, base: ValueId, before: ValueId) -> Option<(InstId, Count)> {
        let function = self.index.function;
        let drawn_at = self.index.definition_id(base)?;
        if !matches!(function.insts[drawn_at].kind, InstKind::Subgroup(SubgroupOp::BroadcastFirst, _)) {
            return None;
        }
        // The sum itself may stand further inside, where fewer lanes come.
        let block = function.blocks.ids().find(|block| function.blocks[*block].insts.contains(&drawn_at))?;
        let insts = &function.blocks[block].insts;
        let here = |value: ValueId| self.index.definition_id(value).filter(|id| insts.contains(id));
        let subgroup = |value: ValueId, wanted: SubgroupOp| match &function.insts[here(value)?].kind {
            InstKind::Subgroup(op, operands) if *op == wanted => Some(operands.first().copied()),
            _ => None,
        };
        let count = self.count_of(subgroup(before, SubgroupOp::Reduce(Fold::Add, Span::Exclusive))??);
        let drawn = subgroup(base, SubgroupOp::BroadcastFirst)??;
        let branch = here(drawn)?;
        let InstKind::If { condition, then_block, .. } = &function.insts[branch].kind else { return None };
        subgroup(*condition, SubgroupOp::Elect)?;
        let at = function.insts[branch].results.iter().position(|result| *result == drawn)?;
        let InstKind::Yield(values) = crate::flow::terminator(function, *then_block)? else { return None };
        let add = self.index.definition_id(*values.get(at)?)?;
        let counter = *self.index.tickets.adds.get(&add)?;
        let InstKind::Atomic(atomic) = &function.insts[add].kind else { return None };
        // Nothing but the addition may end the lane, which needs its cell.
        let is_plain = |id: &InstId| {
            let kind = &function.insts[*id].kind;
            kind.is_pure() || matches!(kind, InstKind::Yield(_)) || *id == add
        };
        let has_total = subgroup(atomic.operands[0], SubgroupOp::Reduce(Fold::Add, Span::All))?
            .is_some_and(|of| self.count_of(of) == count);
        // A lane that leaves in between is counted once and not again.
        let all = [before, atomic.operands[0], *condition, drawn, base].map(here);
        let at = |id: &InstId| insts.iter().position(|other| other == id);
        let places: Vec<usize> = all.iter().flatten().filter_map(at).collect();
        let (first, last) = (*places.iter().min()?, *places.iter().max()?);
        let leaves = |id: &InstId| *id != branch && !function.insts[*id].kind.blocks().is_empty();
        if places.len() < all.len() || insts[first..=last].iter().any(leaves) {
            return None;
        }
        let is_whole = function.blocks[*then_block].insts.iter().all(is_plain) && has_total;
        let tickets = &mut self.index.tickets;
        if !is_whole || tickets.counters[&counter].cell.is_none() {
            return None;
        }
        // The range is no longer the one lane's.
        tickets.starts.remove(&function.insts[add].results[0]);
        tickets.divided.insert(add, count);
        Some((add, count))
    }

    /// Whether a condition holds in one invocation of each workgroup.
    fn is_leader(&mut self, condition: ValueId) -> bool {
        let Some(InstKind::Op(Op::Eq, operands)) = self.index.definition(condition) else { return false };
        let (a, b) = (operands[0], operands[1]);
        if self.index.constant(b) != Some(0) {
            return false;
        }
        let Some(atom) = self.index.form(a).as_atom() else { return false };
        let widths = self.index.kernel.workgroup.map(|width| width.known());
        match *self.index.atoms.get(atom) {
            Atom::LocalIndex => true,
            Atom::Local(axis) => (0..3).all(|other| other == usize::from(axis) || widths[other] == Some(1)),
            _ => false,
        }
    }

    /// Notes loads of what a leader draws and stores in `block`, behind a barrier in the block around.
    fn note_shared(&mut self, block: BlockId, behind: &[InstId]) {
        let function = self.index.function;
        let stored = function.blocks[block].insts.iter().filter_map(|id| match &function.insts[*id].kind {
            InstKind::Store(place, value) => match place.root {
                Root::Shared(shared) => Some((shared, place, *value)),
                _ => None,
            },
            _ => None,
        });
        let stored: Vec<(SharedId, &Place, ValueId)> = stored.collect();
        for (shared, place, value) in stored {
            let Some(add) = self.index.definition_id(value).filter(|id| self.index.tickets.adds.contains_key(id))
            else {
                continue;
            };
            let (Some(cell), true) = (self.constant_cell(place), self.is_only_store(shared)) else { continue };
            let is_barrier =
                |id: &InstId| matches!(function.insts[*id].kind, InstKind::Barrier(Scope::Workgroup | Scope::Device));
            let Some(barrier) = behind.iter().position(is_barrier) else { continue };
            let mut left: Vec<InstId> = behind[barrier..].to_vec();
            while let Some(id) = left.pop() {
                let inst = &function.insts[id];
                inst.kind.blocks().iter().for_each(|inner| left.extend(&function.blocks[*inner].insts));
                if let InstKind::Load(place) = &inst.kind
                    && place.root == Root::Shared(shared)
                    && self.constant_cell(place).as_ref() == Some(&cell)
                {
                    self.index.tickets.shared.insert(inst.results[0], add);
                }
            }
        }
    }

    fn is_only_store(&self, shared: SharedId) -> bool {
        let writes = self.index.function.insts.iter().filter(|(_, inst)| {
            inst.kind.place().is_some_and(|place| place.root == Root::Shared(shared))
                && !matches!(inst.kind, InstKind::Load(_) | InstKind::CoopLoad(_))
        });
        writes.count() == 1
    }

    /// The way to a cell that constants name and that exists for certain.
    fn constant_cell(&self, place: &Place) -> Option<Vec<u32>> {
        let steps = place.path.iter().map(|step| match *step {
            Step::Field(field) => Some(field),
            Step::Index { value, check: None } => self.index.constant(value),
            Step::Index { .. } | Step::Element(_) | Step::Joined { .. } => None,
        });
        steps.collect()
    }

    /// The way to a cell that is the same in all invocations.
    fn fixed_cell(&mut self, place: &Place) -> Option<Vec<Form>> {
        if !place.values().all(|value| self.index.is_launch_wide(value)) {
            return None;
        }
        let mark = self.facts.len();
        let cell = self.path(place);
        self.forget(mark);
        Some(cell)
    }

    /// Counts what an addition adds to its counter, at most.
    pub(super) fn note_add(&mut self, id: InstId, atomic: &Atomic) {
        let Some(first) = self.index.tickets.adds.get(&id).copied() else { return };
        let divided = self.index.tickets.divided.get(&id).copied();
        let is_fixed = self.index.tickets.counters[&first].by.is_some();
        let most = match divided.unwrap_or(Count::Number(atomic.operands[0])) {
            _ if is_fixed => Some(Form::constant(1)),
            Count::Flag(_) => Some(Form::constant(1)),
            Count::Number(number) => {
                let form = self.index.form(number);
                self.index.most(&form)
            }
        };
        let is_elected = self.facts.iter().any(|fact| matches!(fact, Fact::Elected(_)));
        let in_loops = !self.loops.is_empty() || is_elected && is_fixed;
        let amount = self.index.tickets.counters[&first].by.or(most.as_ref().and_then(Form::as_constant));
        let is_small = amount.is_some_and(|amount| amount <= MOST_IN_LOOPS);
        let who = if divided.is_some() { self.all_invocations() } else { self.who_comes() };
        let counter = self.index.tickets.counters.entry(first).or_default();
        counter.adds_in_loops |= in_loops;
        match most {
            _ if in_loops => counter.has_no_limit |= !is_small,
            Some(most) => {
                let all = most.mul(&who);
                counter.total = Some(counter.total.take().map_or(all.clone(), |total| total.add(&all)));
            }
            None => counter.has_no_limit = true,
        }
    }

    fn all_invocations(&mut self) -> Form {
        let axes = [0, 1, 2].map(|axis| self.index.atoms.uniform(Uniform::Known(Bound::Items(axis))));
        axes[0].mul(&axes[1]).mul(&axes[2])
    }

    /// How many invocations come where the walk is, at most.
    fn who_comes(&mut self) -> Form {
        let mut single = [false; 3];
        for fact in &self.facts {
            let Fact::Equal(form, number) = fact else { continue };
            let (Some(atom), Some(_)) = (form.as_atom(), number.as_constant()) else { continue };
            match self.index.atoms.get(atom) {
                Atom::Local(axis) => single[usize::from(*axis)] = true,
                Atom::LocalIndex => single = [true; 3],
                _ => {}
            }
        }
        let mut product = Form::constant(1);
        for axis in 0..3u8 {
            let of = if single[usize::from(axis)] { Bound::Groups(axis) } else { Bound::Items(axis) };
            product = product.mul(&self.index.atoms.uniform(Uniform::Known(of)));
        }
        product
    }
}

impl Pair<'_, '_> {
    /// Whether the indices lie in ranges that a counter gave: two are in one range in one invocation only.
    pub(super) fn are_drawn(&mut self, goal: Goal) -> bool {
        if goal == Goal::Nobody {
            return false;
        }
        let paths = self.sides.map(|side| side.path.clone());
        for (left, right) in paths[0].iter().zip(&paths[1]) {
            let (Some(a), Some(b)) = (self.drawn(left, 0), self.drawn(right, 1)) else { continue };
            if a == b && self.is_drawn_once(a).is_some() {
                return true;
            }
        }
        false
    }

    /// The counter whose range an index lies in where an access stands.
    fn drawn(&self, form: &Form, side: usize) -> Option<InstId> {
        let starts = form.terms().iter().find_map(|(product, factor)| match (&product[..], factor) {
            ([atom], 1) => match self.index.atoms.get(*atom) {
                Atom::Start(of, value) => Some((*atom, *of, *value)),
                _ => None,
            },
            _ => None,
        });
        let (atom, of, value) = starts?;
        let rest = form.sub(&Form::atom(atom));
        let facts = &self.sides[side].facts;
        let is_inside = match self.index.tickets.starts.get(&value)?.1 {
            Count::Flag(condition) => rest.is_zero() && facts.contains(&Fact::Holds(condition)),
            Count::Number(number) => {
                let count = self.index.form_known(number)?;
                let is_below = |limit: i128| {
                    let most = self.index.most(&rest).and_then(|most| most.as_constant());
                    most.is_some_and(|most| most < limit + shift(Mutant::Drawn, 0))
                };
                facts.contains(&Fact::Order(rest.clone(), count.clone()))
                    || count.as_constant().is_some_and(is_below)
                    || self.is_loose_below(&rest, &count, side)
            }
        };
        is_inside.then_some(of)
    }

    /// Whether a variable is below a number of the launch.
    fn is_loose_below(&self, rest: &Form, count: &Form, side: usize) -> bool {
        let Some(atom): Option<AtomId> = rest.as_atom() else { return false };
        self.limits(atom, side).iter().any(|limit| limit.below == *count && limit.requires.is_empty())
    }

    /// The condition that there are no more tickets than numbers.
    pub(super) fn most_drawn(&mut self, of: InstId) -> Less {
        let counter = self.index.tickets.counters.get(&of);
        let limit = counter.and_then(|counter| {
            // The other half is for loops.
            let numbers = if counter.adds_in_loops { WORD / 2 } else { WORD + 1 };
            Some(Less(counter.total.clone()?, Form::constant(numbers)))
        });
        limit.unwrap_or_else(|| {
            let [x, y, z] = [0, 1, 2].map(|axis| self.index.atoms.uniform(Uniform::Known(Bound::Items(axis))));
            Less(x.mul(&y).mul(&z), Form::constant(WORD + 1))
        })
    }

    /// Conditions under which a counter does not begin anew.
    fn is_drawn_once(&mut self, of: InstId) -> Option<()> {
        let counter = self.index.tickets.counters.get(&of)?;
        if counter.has_no_limit {
            return None;
        }
        let mut conditions = Vec::new();
        if let Some(total) = counter.total.clone() {
            // The other half is for loops.
            conditions.push(Less(total, Form::constant(if counter.adds_in_loops { WORD / 2 } else { WORD })));
        }
        conditions.push(self.index.has_counter(of)?);
        self.accept(conditions)
    }
}
