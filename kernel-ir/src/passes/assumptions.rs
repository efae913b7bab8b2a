//! Assumptions that launches keep as a rule, and the host can ask for: divisors are not zero, numbers that become signed are small. They
//! prove nothing themselves; a check that they make needless is left out of launches that meet them as obligations.

use super::ranges::Range;
use crate::arena::EntityId;
use crate::few::Few;
use crate::ir::{
    Bound, BoundOp, BufferId, Builtin, Constant, Function, ImageOp, InstId, InstKind, Kernel, Obligation, ParamId,
    ValueId,
};
use crate::op::Op;
use crate::rounds::definitions;
use crate::types::{Scalar, Type, TypeId, Types};

/// The limit of numbers that become signed, so that sums of a few of them do not wrap.
const SIGNED: u32 = 1 << 30;
/// Workgroups along an axis of a grid whose ids become signed.
const GROUPS: u32 = 1 << 20;
/// The largest number that a parameter is assumed not to be below.
const MOST_TAKEN: u32 = 64;
/// How many casts are followed.
const CASTS: usize = 4;

/// A number of which the host knows all.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Number {
    Param(ParamId, Few<u32>),
    Len(BufferId),
    Extent(BufferId, u8),
    /// Elements of each buffer in a list: of the shortest one, whose length alone the host knows.
    Least(BufferId),
}

impl Number {
    /// Whether it is the least of several numbers.
    fn is_of_several(&self) -> bool {
        matches!(self, Self::Least(_))
    }

    fn bound(&self) -> Bound {
        match self {
            Self::Param(param, path) => Bound::Param(*param, path.clone()),
            Self::Len(buffer) => Bound::Len(*buffer),
            Self::Extent(image, axis) => Bound::Extent(*image, *axis),
            Self::Least(list) => Bound::Least(*list),
        }
    }
}

/// The assumptions of one launch.
#[derive(Debug, Default)]
pub(super) struct Assumptions {
    /// Numbers, the least that each is, and what it is below, if anything.
    numbers: Vec<(Number, u32, Option<u32>)>,
    /// Axes along which the grid has few invocations and workgroups, and the number of workgroups is asked for.
    axes: [bool; 3],
}

impl Assumptions {
    /// The assumptions that may help a kernel's function; nothing where there are none.
    pub(super) fn of(function: &Function, types: &Types, kernel: Option<&Kernel>) -> Option<Self> {
        let view = View { function, types, kernel, definitions: definitions(function) };
        let mut found = Self::default();
        let (mut needs_few, mut axes) = (false, [false; 3]);
        for (_, inst) in function.insts.iter() {
            match &inst.kind {
                InstKind::Op(Op::Cast, operands) if view.becomes_signed(operands[0], inst.results.first()) => {
                    needs_few = true;
                    found.learn(&view, operands[0], 0, Some(SIGNED));
                }
                InstKind::Op(Op::Eq | Op::Ne, operands) if view.number(operands[1]) == Some(0) => {
                    found.learn(&view, operands[0], 1, None);
                }
                // The host reads the bits of a signed number: one that is small is not negative.
                InstKind::Op(Op::Div | Op::Rem, operands) if view.scalar(operands[1]) == Some(Scalar::I32) => {
                    let divisor = match view.definition(operands[1]) {
                        Some(InstKind::Op(Op::Select, chosen)) if view.number(chosen[1]) == Some(1) => chosen[2],
                        _ => operands[1],
                    };
                    if let Some(number) = view.asked(divisor, Scalar::I32).filter(|number| !number.is_of_several()) {
                        found.note(number, 1, Some(SIGNED));
                    }
                }
                InstKind::Op(Op::Sub, operands) => {
                    // The shortest buffer of a list may well have nothing, which whoever asks for its last element finds out.
                    let is_of_several = || view.asked(operands[0], Scalar::U32).is_some_and(|of| of.is_of_several());
                    if let Some(taken @ 1..=MOST_TAKEN) = view.number(operands[1])
                        && !is_of_several()
                    {
                        found.learn(&view, operands[0], taken, None);
                    }
                }
                // `x + 3 < width`: a sum of a position, which does not wrap where there are few.
                InstKind::Op(Op::Lt | Op::Le | Op::Gt | Op::Ge, operands)
                    if operands.iter().any(|operand| view.is_step_ahead(*operand)) =>
                {
                    needs_few = true;
                }
                // `x.clamp(0, width - 1)` of a signed width, which is a size.
                InstKind::Op(Op::Min, operands) if view.scalar(operands[0]) == Some(Scalar::I32) => {
                    for operand in operands {
                        if let Some(InstKind::Op(Op::Sub, parts)) = view.definition(*operand)
                            && let Some(taken @ 1..=MOST_TAKEN) = view.number(parts[1])
                            && let Some(number) = view.asked(parts[0], Scalar::I32).filter(|of| !of.is_of_several())
                        {
                            found.note(number, taken, Some(SIGNED));
                        }
                    }
                }
                InstKind::Image(_, list, operands) if kernel.is_some_and(|kernel| kernel.buffers[*list].is_list) => {
                    if let Some(last) = operands.first().and_then(|member| view.number(*member))
                        && last < MOST_TAKEN
                    {
                        found.note(Number::Len(*list), last + 1, None);
                    }
                }
                InstKind::Extract(composite, path) => {
                    let kind = view.definition(*composite);
                    if let Some(InstKind::Builtin(Builtin::GlobalId | Builtin::WorkgroupId)) = kind
                        && let Some(axis) = path.first().and_then(|axis| axes.get_mut(*axis as usize))
                    {
                        *axis = true;
                    }
                }
                _ => {}
            }
        }
        if needs_few {
            found.axes = axes;
        }
        if function.insts.iter().any(|(_, inst)| view.is_middle(&inst.kind)) {
            found.note_ends(&view);
        }
        (!found.numbers.is_empty() || found.axes.contains(&true)).then_some(found)
    }

    fn learn(&mut self, view: &View<'_>, value: ValueId, least: u32, below: Option<u32>) {
        let Some(number) = view.asked(value, Scalar::U32) else { return };
        if let Number::Least(list) = number {
            // No length of another one bounds a buffer's.
            if least > 0 {
                self.note(number, least, None);
                self.numbers_of_members(view, list);
            }
            return;
        }
        self.note(number, least, below);
    }

    /// Assumes of what loops start with that twice as much does not wrap.
    fn note_ends(&mut self, view: &View<'_>) {
        for (_, inst) in view.function.insts.iter() {
            let InstKind::Loop { initial, .. } = &inst.kind else { continue };
            for end in initial.iter().filter_map(|value| view.asked(*value, Scalar::U32)) {
                if !end.is_of_several() {
                    self.note(end, 0, Some(SIGNED));
                }
            }
        }
    }

    /// Assumes that a list has the members that are asked for by constants.
    fn numbers_of_members(&mut self, view: &View<'_>, list: BufferId) {
        for (_, inst) in view.function.insts.iter() {
            if let InstKind::MemberLen(of, member) = inst.kind
                && of == list
                && let Some(last) = view.number(member).filter(|last| *last < MOST_TAKEN)
            {
                self.note(Number::Len(list), last + 1, None);
            }
        }
    }

    fn note(&mut self, number: Number, least: u32, below: Option<u32>) {
        match self.numbers.iter_mut().find(|known| known.0 == number) {
            Some(known) => {
                known.1 = known.1.max(least);
                known.2 = known.2.or(below);
            }
            None => self.numbers.push((number, least, below)),
        }
    }

    /// The range that a by-value parameter, or part of one, is assumed to have.
    pub(super) fn of_param(&self, param: ParamId, path: &[u32]) -> Range {
        self.find(|number| matches!(number, Number::Param(known, way) if *known == param && way[..] == *path))
    }

    /// The range that a buffer's length is assumed to have.
    pub(super) fn of_len(&self, buffer: BufferId) -> Range {
        self.find(|number| *number == Number::Len(buffer))
    }

    /// The range that the length of each buffer in a list is assumed to have.
    pub(super) fn of_least(&self, list: BufferId) -> Range {
        self.find(|number| *number == Number::Least(list))
    }

    /// The range that an image's size along an axis is assumed to have.
    pub(super) fn of_extent(&self, image: BufferId, axis: u8) -> Range {
        self.find(|number| *number == Number::Extent(image, axis))
    }

    fn find(&self, is_it: impl Fn(&Number) -> bool) -> Range {
        let known = self.numbers.iter().find(|known| is_it(&known.0));
        known.map_or(Range::ANY, |(_, least, below)| {
            Range::new((*least).into(), below.map_or(Range::ANY.hi, |below| i128::from(below) - 1))
        })
    }

    /// The range that a position in the grid is assumed to have.
    pub(super) fn of_position(&self, builtin: Builtin, axis: u32) -> Range {
        if self.axes.get(axis as usize) != Some(&true) {
            return Range::ANY;
        }
        match builtin {
            Builtin::GlobalId => Range::new(0, i128::from(SIGNED) - 1),
            Builtin::WorkgroupId => Range::new(0, i128::from(GROUPS) - 1),
            _ => Range::ANY,
        }
    }

    /// The obligations under which all of it holds.
    pub(super) fn obligations(&self) -> Vec<Obligation> {
        let mut found = Vec::new();
        for (number, least, below) in &self.numbers {
            if let Some(index) = least.checked_sub(1) {
                found.push(Obligation { index: Bound::Const(index), length: number.bound(), in_all: None });
            }
            if let Some(below) = below {
                found.push(Obligation { index: number.bound(), length: Bound::Const(*below), in_all: None });
            }
        }
        for axis in (0..3u8).filter(|axis| self.axes[usize::from(*axis)]) {
            for (count, below) in [(Bound::Items(axis), SIGNED), (Bound::Groups(axis), GROUPS)] {
                let last = Bound::binary(BoundOp::Sub, count, Bound::Const(1));
                found.push(Obligation { index: last, length: Bound::Const(below), in_all: None });
            }
        }
        found
    }
}

struct View<'a> {
    function: &'a Function,
    types: &'a Types,
    kernel: Option<&'a Kernel>,
    definitions: Vec<Option<InstId>>,
}

impl View<'_> {
    fn definition(&self, value: ValueId) -> Option<&InstKind> {
        self.definitions[value.index()].map(|id| &self.function.insts[id].kind)
    }

    fn scalar(&self, value: ValueId) -> Option<Scalar> {
        self.scalar_of(self.function.values[value].ty)
    }

    fn scalar_of(&self, ty: TypeId) -> Option<Scalar> {
        match *self.types.get(ty) {
            Type::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// Whether an instruction halves a sum: `(low + high) / 2`.
    fn is_middle(&self, kind: &InstKind) -> bool {
        let InstKind::Op(op @ (Op::Div | Op::Shr), operands) = kind else { return false };
        let halves = if *op == Op::Div { 2 } else { 1 };
        self.number(operands[1]) == Some(halves)
            && matches!(self.definition(operands[0]), Some(InstKind::Op(Op::Add, parts))
                if parts.iter().all(|part| self.number(*part).is_none()))
    }

    /// Whether a value is a sum of a small constant and something else.
    fn is_step_ahead(&self, value: ValueId) -> bool {
        let Some(InstKind::Op(Op::Add, parts)) = self.definition(value) else { return false };
        self.scalar(value) == Some(Scalar::U32)
            && parts.iter().any(|part| matches!(self.number(*part), Some(1..=MOST_TAKEN)))
    }

    fn becomes_signed(&self, from: ValueId, to: Option<&ValueId>) -> bool {
        let to = to.and_then(|to| self.scalar(*to));
        self.scalar(from) == Some(Scalar::U32) && to == Some(Scalar::I32)
    }

    /// The constant that a value is.
    fn number(&self, value: ValueId) -> Option<u32> {
        match self.definition(value)? {
            InstKind::Const(Constant::U32(number)) => Some(*number),
            InstKind::Const(Constant::I32(number)) => u32::try_from(*number).ok(),
            InstKind::Const(Constant::Zero) => Some(0),
            _ => None,
        }
    }

    /// The number of the launch, of a type, that a value is, but for casts.
    fn asked(&self, mut value: ValueId, wanted: Scalar) -> Option<Number> {
        for _ in 0..CASTS {
            let scalar = self.scalar(value)?;
            let is_asked = scalar == wanted;
            match self.definition(value)? {
                InstKind::Op(Op::Cast, operands) if scalar.is_int() => value = operands[0],
                InstKind::Param(param) if is_asked => return Some(Number::Param(*param, [].into())),
                InstKind::Len(buffer) => return Some(Number::Len(*buffer)),
                InstKind::MemberLen(list, _) => return Some(Number::Least(*list)),
                // Of a list nobody knows which one it is, and of a sampled image a level may be asked for.
                InstKind::Image(ImageOp::Size(axis), image, operands) => {
                    let is_first = |level: &ValueId| self.number(*level) == Some(0);
                    let is_known = !self.kernel?.buffers[*image].is_list && operands.iter().all(is_first);
                    return is_known.then_some(Number::Extent(*image, *axis));
                }
                InstKind::Extract(composite, path) if is_asked => match self.definition(*composite)? {
                    InstKind::Param(param) => return Some(Number::Param(*param, path.clone())),
                    _ => return None,
                },
                _ => return None,
            }
        }
        None
    }
}
