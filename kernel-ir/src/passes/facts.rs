//! Facts that hold at a point of a function: intervals of integers, and values that are below other values.
//!
//! Facts are added on the way into a branch and taken back on the way out, so everything known holds on the current path.

mod conditions;
mod lanes;
mod orders;
mod selects;
mod tables;

use std::cell::{Cell, RefCell};

use super::assumptions::Assumptions;
use super::edit::{for_each_inst, yields};
use super::ranges::{self, Range};
use crate::arena::{EntityId, SecondaryMap};
use crate::hash::FastMap;
use crate::ir::{
    Bound, BufferId, Builtin, ConstParamId, Constant, Function, ImageOp, Inst, InstId, InstKind, Kernel, ValueId,
};
use crate::op::Op;
use crate::types::{Scalar, Size, Type, TypeId, Types};

/// How many bounds there is room for from the start.
const BOUNDS: usize = 48;
/// How many sizes of images are told apart.
const SIZES: usize = 16;
/// No device has subgroups with more lanes.
const MOST_LANES: i128 = 128;

/// Facts to take back, latest last.
enum Undo {
    Range(ValueId, Range),
    Upper(ValueId),
    Hole,
}

/// A point to take facts back to.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize);

/// By value and depth: the fuel that [`Facts::upper_bound`] took for it, and what it found.
pub(super) type KeptBounds = FastMap<(ValueId, usize), (usize, Option<Bound>)>;

/// The facts on the current path.
pub(super) struct Facts<'a> {
    function: &'a Function,
    types: &'a Types,
    kernel: Option<&'a Kernel>,
    /// The assumptions of the launch, where it is walked under some.
    assumptions: Option<&'a Assumptions>,
    definitions: Vec<Option<(InstId, usize)>>,
    /// By value: the one under whose name facts are kept. Empty as long as each is kept under its own.
    canonical: Vec<ValueId>,
    /// By value: whether it has another one's name, or another one has its name. Empty where none has.
    is_shared: Vec<bool>,
    /// The first `len` of each buffer stands for all of them.
    lengths: SecondaryMap<BufferId, Option<ValueId>>,
    /// The same of each member of a list that a value names: list, value, length.
    member_lengths: Vec<(BufferId, ValueId, ValueId)>,
    /// By axis: the position in the workgroup, if the function asks for it.
    local_ids: [Option<ValueId>; 3],
    /// The first use of each const parameter stands for all of them.
    const_params: SecondaryMap<ConstParamId, Option<ValueId>>,
    ranges: Vec<Range>,
    /// By type: all that a value of it may be.
    full: Vec<Range>,
    /// Counts changes of `ranges`.
    version: u32,
    /// By value: what [`Self::range`] found, in which version.
    found: Vec<Cell<(u32, Range)>>,
    /// For each value, values that are not below it; with `true`, that are above it.
    uppers: Vec<Vec<(ValueId, bool)>>,
    /// Sums, differences, quotients and remainders that some value is known not to be below.
    guarded: Vec<ValueId>,
    /// Numbers within the intervals of values that these are not.
    holes: Vec<(ValueId, i128)>,
    undo: Vec<Undo>,
    /// Since anything was learnt last.
    pub(super) bounds: RefCell<KeptBounds>,
    /// Whether the last bound that was asked for would have taken more.
    pub(super) is_out_of_fuel: Cell<bool>,
    /// Loop parameters that are always multiples of a power of two, and that power.
    pub(super) twos: Vec<(ValueId, u32)>,
    tables: Vec<tables::Table>,
}

impl<'a> Facts<'a> {
    /// Nothing known but what types and constants say. All instructions are looked at on the way, which `visit` does, too.
    pub(super) fn new(
        function: &'a Function,
        types: &'a Types,
        kernel: Option<&'a Kernel>,
        assumptions: Option<&'a Assumptions>,
        visit: &mut impl FnMut(InstId, &Inst),
    ) -> Self {
        let count = function.values.len();
        let full: Vec<_> = types.all().ids().map(|ty| full(types, ty)).collect();
        let mut facts = Self {
            function,
            types,
            kernel,
            assumptions,
            definitions: vec![None; count],
            canonical: Vec::new(),
            is_shared: Vec::new(),
            lengths: SecondaryMap::new(),
            member_lengths: Vec::new(),
            local_ids: [None; 3],
            const_params: SecondaryMap::new(),
            ranges: function.values.iter().map(|(_, value)| full[value.ty.index()]).collect(),
            full,
            version: 1,
            found: vec![Cell::new((0, Range::ANY)); count],
            uppers: vec![Vec::new(); count],
            guarded: Vec::new(),
            holes: Vec::new(),
            undo: Vec::new(),
            bounds: RefCell::new(KeptBounds::with_capacity_and_hasher(BOUNDS, Default::default())),
            is_out_of_fuel: Cell::new(false),
            twos: Vec::new(),
            tables: Vec::new(),
        };
        let (mut constants, mut sizes) = (Vec::new(), Vec::new());
        for_each_inst(function, &mut |id, inst| {
            visit(id, inst);
            for (index, result) in inst.results.iter().enumerate() {
                facts.definitions[result.index()] = Some((id, index));
            }
            match inst.kind {
                InstKind::Extract(composite, ref path)
                    if matches!(facts.definition(composite), Some(InstKind::Builtin(Builtin::LocalId))) =>
                {
                    if let Some(known) = path.first().and_then(|axis| facts.local_ids.get_mut(*axis as usize)) {
                        let first = *known.get_or_insert(inst.results[0]);
                        facts.keep_under(first, inst.results[0]);
                    }
                }
                InstKind::Len(buffer) => {
                    let first = *facts.lengths[buffer].get_or_insert(inst.results[0]);
                    facts.keep_under(first, inst.results[0]);
                }
                InstKind::MemberLen(list, member) => match facts.member_length(list, member) {
                    Some(first) => facts.keep_under(first, inst.results[0]),
                    None => facts.member_lengths.push((list, member, inst.results[0])),
                },
                InstKind::ConstParam(param) => {
                    let first = *facts.const_params[param].get_or_insert(inst.results[0]);
                    facts.keep_under(first, inst.results[0]);
                    constants.push(inst.results[0]);
                }
                InstKind::Const(_) => constants.push(inst.results[0]),
                InstKind::Image(ImageOp::Size(_), ..) | InstKind::If { .. } => {
                    sizes.extend(inst.results.iter().copied());
                }
                _ => {}
            }
        });
        constants.into_iter().for_each(|value| facts.define_result(value));
        facts.keep_sizes(sizes);
        if function.locals.iter().next().is_some() {
            facts.find_tables();
        }
        facts
    }

    pub(super) fn mark(&self) -> Mark {
        self.bounds.borrow_mut().clear();
        Mark(self.undo.len())
    }

    /// Forgets everything learnt since the mark.
    pub(super) fn take_back(&mut self, mark: Mark) {
        self.bounds.get_mut().clear();
        while self.undo.len() > mark.0 {
            match self.undo.pop() {
                Some(Undo::Range(value, range)) => self.set_range(value, range),
                Some(Undo::Upper(value)) => {
                    self.uppers[value.index()].pop();
                    if self.guarded.last() == Some(&value) {
                        self.guarded.pop();
                    }
                }
                Some(Undo::Hole) => drop(self.holes.pop()),
                None => return,
            }
        }
    }

    /// The instruction that defines the value, unless it has several results.
    pub(super) fn definition(&self, value: ValueId) -> Option<&'a InstKind> {
        let (id, _) = self.definitions[value.index()]?;
        match &self.function.insts[id].kind {
            InstKind::If { .. } | InstKind::Switch { .. } | InstKind::Loop { .. } => None,
            kind => Some(kind),
        }
    }

    /// The values that the arms of an `if` or `switch` give as this result of it: it is one of them.
    pub(super) fn given_by_arms(&self, value: ValueId) -> Option<impl Iterator<Item = ValueId> + use<'a>> {
        let (id, index) = self.definitions[value.index()]?;
        let function = self.function;
        let kind = &function.insts[id].kind;
        let is_chosen = matches!(kind, InstKind::If { .. } | InstKind::Switch { .. });
        is_chosen
            .then(|| kind.blocks().into_iter().filter_map(move |arm| yields(function, arm).map(|values| values[index])))
    }

    /// The condition of an `if`, and the values that its blocks give as this result of it.
    pub(super) fn given_by_both(&self, value: ValueId) -> Option<(ValueId, [ValueId; 2])> {
        let (id, index) = self.definitions[value.index()]?;
        let InstKind::If { condition, then_block, else_block } = &self.function.insts[id].kind else { return None };
        let given = [*then_block, *else_block].map(|block| yields(self.function, block).map(|values| values[index]));
        Some((*condition, [given[0]?, given[1]?]))
    }

    /// Sets the interval of a value that the walk now defines.
    pub(super) fn define(&mut self, value: ValueId, range: Range) {
        let range = range.meet(self.full[self.function.values[value].ty.index()]);
        if !self.is_shared.get(value.index()).is_some_and(|is_shared| *is_shared) {
            return self.set_range(value, range);
        }
        // What is known here of one value is not known where an equal one is defined that stands elsewhere.
        let first = self.canonical(value);
        let known = self.ranges[first.index()];
        self.undo.push(Undo::Range(first, known));
        self.set_range(first, known.meet(range));
    }

    fn set_range(&mut self, value: ValueId, range: Range) {
        let known = &mut self.ranges[value.index()];
        if *known != range {
            *known = range;
            self.version += 1;
        }
    }

    /// Finds the interval of the result of an instruction that the walk now reaches.
    pub(super) fn define_result(&mut self, value: ValueId) {
        let mut range = self.computed(value, 1);
        range = self.without_wrap(value, range);
        if let Some(InstKind::Op(Op::Select, parts)) = self.definition(value) {
            let arms = [(parts[1], true), (parts[2], false)];
            let only = arms.into_iter().find(|(_, truth)| self.never(parts[0], !truth));
            range = only.map_or(range, |(arm, _)| self.range(arm).meet(range));
        }
        if let Some(rounded_up) = self.range_of_rounded_up(value) {
            range = rounded_up.meet(range);
        }
        self.define(value, range);
        self.learn_stride(value);
    }

    /// The interval of a difference, of which `range` is known, where the subtrahend is known not to be larger: nothing wraps, unless
    /// it is so negative that the difference is too large.
    pub(super) fn without_wrap(&self, value: ValueId, range: Range) -> Range {
        let (Some(InstKind::Op(Op::Sub, operands)), Some(scalar)) = (self.definition(value), self.integer(value))
        else {
            return range;
        };
        let (a, b) = (self.range(operands[0]), self.range(operands[1]));
        let difference = Range::new(0, a.hi - b.lo);
        // Code that never runs may seem to know otherwise.
        if range.lo <= 0
            && difference.hi >= 1
            && difference.is_within(Range::full(scalar))
            && self.is_below(operands[1], operands[0], false)
        {
            let least = i128::from(self.is_below(operands[1], operands[0], true));
            return Range::new(least, difference.hi).meet(range);
        }
        range
    }

    /// Learns `value < upper` (strict) or `value <= upper` of integers without sign, of which the walk has just found out.
    pub(super) fn learn(&mut self, value: ValueId, upper: ValueId, strict: bool) {
        self.learn_below(value, upper, strict);
    }

    /// The interval of a value on the current path.
    pub(super) fn range(&self, value: ValueId) -> Range {
        let value = self.canonical(value);
        let found = &self.found[value.index()];
        let (version, range) = found.get();
        if version == self.version {
            return range;
        }
        let range = self.range_within(value, 3);
        found.set((self.version, range));
        range
    }

    /// The interval of a constant, which is one number; of another value all that there is.
    pub(super) fn constant(&self, value: ValueId) -> Range {
        match self.definition(value) {
            Some(InstKind::Const(_)) => self.ranges[value.index()],
            _ => Range::ANY,
        }
    }

    /// The type of an integer scalar, or `None`.
    pub(super) fn integer(&self, value: ValueId) -> Option<Scalar> {
        match *self.types.get(self.function.values[value].ty) {
            Type::Scalar(scalar) if scalar.is_int() => Some(scalar),
            _ => None,
        }
    }

    fn range_within(&self, value: ValueId, depth: usize) -> Range {
        let value = self.canonical(value);
        let known = self.ranges[value.index()];
        // Facts about operands that are newer than the value narrow it, too.
        if depth == 0 || !matches!(self.definition(value), Some(InstKind::Op(..))) {
            return known;
        }
        known.meet(self.computed(value, depth))
    }

    fn computed(&self, value: ValueId, depth: usize) -> Range {
        let Some(scalar) = self.integer(value) else { return Range::ANY };
        let full = Range::full(scalar);
        match self.definition(value) {
            Some(InstKind::Const(constant)) => match constant {
                Constant::Zero => Range::new(0, 0),
                constant => super::eval::int(*constant).map_or(full, |value| Range::new(value, value)),
            },
            Some(InstKind::Op(op, operands)) => {
                if *op == Op::Select
                    && depth > 1
                    && let Some(divisor) = self.euclidean(value)
                {
                    return Range::new(0, self.range_within(divisor, depth - 1).hi - 1).meet(full);
                }
                if *op == Op::Select && depth > 1 {
                    return self.range_of_select(operands, scalar, depth - 1);
                }
                let mut ranges = [Range::ANY; 3];
                for (range, operand) in ranges.iter_mut().zip(operands) {
                    *range = self.range_within(*operand, depth - 1);
                }
                ranges::of_op(*op, scalar, &ranges[..operands.len()])
            }
            Some(InstKind::Load(place)) => self.of_table(place, value).unwrap_or(full),
            Some(InstKind::ConstParam(param)) => Range::new(self.least(*param, full.lo), full.hi),
            Some(InstKind::Builtin(builtin)) => self.scalar_builtin(*builtin).meet(full),
            Some(InstKind::Param(param)) => self.assumed(full, |known| known.of_param(*param, &[])),
            Some(InstKind::Len(buffer)) => self.assumed(full, |known| known.of_len(*buffer)),
            Some(InstKind::MemberLen(list, member)) if self.assumptions.is_some() => {
                match self.is_member(*list, *member) {
                    true => self.assumed(full, |known| known.of_least(*list)),
                    false => full,
                }
            }
            Some(kind @ InstKind::Image(..)) => match self.extent(kind) {
                // No image is empty.
                Some(Bound::Extent(image, axis)) => {
                    self.assumed(Range::new(1, full.hi), |known| known.of_extent(image, axis))
                }
                _ if matches!(kind, InstKind::Image(ImageOp::Levels, image, _) if !self.is_list(*image)) => {
                    Range::new(1, full.hi)
                }
                // Nor is one of a list, which is asked where there is one.
                _ if matches!(kind, InstKind::Image(ImageOp::Size(_), image, operands)
                    if self.is_list(*image) && operands[1..].iter().all(|level| self.constant(*level) == Range::new(0, 0))) =>
                {
                    Range::new(1, full.hi)
                }
                _ => full,
            },
            Some(InstKind::Extract(composite, path)) => match (self.definition(*composite), &path[..]) {
                (Some(InstKind::Builtin(Builtin::LocalId)), [axis]) => match self.kernel {
                    Some(kernel) => Range::new(0, most(kernel.workgroup[*axis as usize]) - 1),
                    None => full,
                },
                // A grid has at most 2^32 - 1 invocations and workgroups per axis: the runtime refuses larger ones.
                (Some(InstKind::Builtin(builtin @ (Builtin::GlobalId | Builtin::WorkgroupId))), [axis]) => {
                    self.assumed(Range::new(0, full.hi - 1), |known| known.of_position(*builtin, *axis))
                }
                (Some(InstKind::Param(param)), path) => self.assumed(full, |known| known.of_param(*param, path)),
                (Some(InstKind::Builtin(Builtin::NumWorkgroups)), [_]) => Range::new(1, full.hi),
                (Some(InstKind::Builtin(Builtin::WorkgroupSize)), [axis]) => match self.kernel {
                    Some(kernel) => match kernel.workgroup[*axis as usize].known() {
                        Some(size) => Range::new(size.into(), size.into()),
                        None => Range::new(1, full.hi),
                    },
                    None => full,
                },
                (Some(InstKind::Load(place)), _) => self.of_table(place, value).unwrap_or(full),
                (_, [lane]) => self.lane(*composite, *lane).meet(full),
                _ => full,
            },
            _ => full,
        }
    }

    /// Whether a parameter is a list.
    pub(super) fn is_list(&self, buffer: BufferId) -> bool {
        self.kernel.is_none_or(|kernel| kernel.buffers[buffer].is_list)
    }

    /// The range that is known, and assumed, if any is.
    fn assumed(&self, known: Range, assumed: impl FnOnce(&Assumptions) -> Range) -> Range {
        self.assumptions.map_or(known, |assumptions| known.meet(assumed(assumptions)))
    }

    /// The range of a builtin that is one `u32`.
    fn scalar_builtin(&self, builtin: Builtin) -> Range {
        let Some(kernel) = self.kernel else { return Range::ANY };
        let invocations = kernel.workgroup.iter().map(|size| most(*size)).fold(1, i128::saturating_mul);
        let lanes = kernel.subgroup_size.map_or(MOST_LANES, i128::from);
        match builtin {
            Builtin::LocalIndex | Builtin::SubgroupId => Range::new(0, invocations - 1),
            Builtin::NumSubgroups => Range::new(1, invocations),
            Builtin::SubgroupSize => Range::new(kernel.subgroup_size.map_or(1, i128::from), lanes),
            Builtin::SubgroupLocalId => Range::new(0, lanes - 1),
            _ => Range::ANY,
        }
    }

    /// Keeps what is known of the sizes of images under the first name of each.
    fn keep_sizes(&mut self, sizes: Vec<ValueId>) {
        let mut firsts: Vec<(Option<ValueId>, &InstKind, ValueId)> = Vec::new();
        for value in sizes {
            let (is_there, size) = match self.size_if_there(value) {
                Some((is_there, size)) => (Some(is_there), size),
                None => (None, value),
            };
            let Some(kind @ InstKind::Image(ImageOp::Size(_), ..)) = self.definition(size) else { continue };
            match firsts.iter().find(|known| (known.0, known.1) == (is_there, kind)) {
                Some(&(.., first)) => self.keep_under(first, value),
                None if firsts.len() < SIZES => firsts.push((is_there, kind, value)),
                None => {}
            }
        }
    }

    /// Keeps what is known of a value under the name of an equal one.
    fn keep_under(&mut self, first: ValueId, value: ValueId) {
        if first == value {
            return;
        }
        if self.canonical.is_empty() {
            self.canonical = (0..self.definitions.len()).map(ValueId::new).collect();
            self.is_shared = vec![false; self.definitions.len()];
        }
        for equal in [first, value] {
            self.is_shared[equal.index()] = true;
        }
        self.canonical[value.index()] = first;
    }

    /// The same value under the name facts are kept for.
    pub(super) fn canonical(&self, value: ValueId) -> ValueId {
        self.canonical.get(value.index()).copied().unwrap_or(value)
    }

    /// The operand of a cast between integers that keeps the number.
    fn uncast(&self, value: ValueId) -> Option<ValueId> {
        let Some(InstKind::Op(Op::Cast, operands)) = self.definition(value) else { return None };
        let inner = self.canonical(operands[0]);
        self.integer(inner)?;
        let full = Range::full(self.integer(value)?);
        self.range(inner).is_within(full).then_some(inner)
    }

    /// The value without casts that keep the number it stands for.
    fn stripped(&self, value: ValueId) -> ValueId {
        let mut value = self.canonical(value);
        while let Some(inner) = self.uncast(value) {
            value = inner;
        }
        value
    }

    /// The greatest position in a workgroup along an axis that is left on the current path, and the size of the workgroup, if guards say so.
    pub(super) fn greatest_local_id(&self, axis: usize) -> Option<(u32, u32)> {
        let Size::Known(size) = *self.kernel?.workgroup.get(axis)? else { return None };
        let last = u32::try_from(self.range((*self.local_ids.get(axis)?)?).hi).ok()?;
        (last < size.saturating_sub(1)).then_some((last, size))
    }

    /// Sums, differences, quotients and remainders that some value is known not to be below.
    pub(super) fn guarded(&self) -> &[ValueId] {
        &self.guarded
    }

    /// Values that are not below this one; with `true`, that are above it.
    pub(super) fn uppers_of(&self, value: ValueId) -> &[(ValueId, bool)] {
        &self.uppers[self.canonical(value).index()]
    }

    /// The `len` that stands for the buffer's length, if the function asks for it anywhere.
    pub(super) fn length(&self, buffer: BufferId) -> Option<ValueId> {
        self.lengths[buffer]
    }

    /// Whether a list certainly has a member at a position.
    pub(super) fn is_member(&self, list: BufferId, member: ValueId) -> bool {
        self.length(list).is_some_and(|count| self.is_below(member, count, true))
            || self.assumptions.is_some_and(|known| self.range(member).hi < known.of_len(list).lo)
    }

    /// The value that stands for the length of the list's member that a value names, if it is asked for anywhere.
    pub(super) fn member_length(&self, list: BufferId, member: ValueId) -> Option<ValueId> {
        let known = self.member_lengths.iter().find(|known| (known.0, known.1) == (list, member));
        known.map(|known| known.2)
    }

    /// The least value of a const parameter: sizes are at least 1.
    fn least(&self, param: ConstParamId, otherwise: i128) -> i128 {
        let size = Size::Param(param);
        let is_size = self.types.has_len(size) || self.kernel.is_some_and(|kernel| kernel.workgroup.contains(&size));
        if is_size { 1 } else { otherwise }
    }
}

/// The largest that a size can be.
fn most(size: Size) -> i128 {
    size.known().unwrap_or(u32::MAX).into()
}

fn full(types: &Types, ty: TypeId) -> Range {
    match *types.get(ty) {
        Type::Scalar(scalar) if scalar.is_int() => Range::full(scalar),
        _ => Range::ANY,
    }
}
