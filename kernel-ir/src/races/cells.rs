//! The accesses of cells since the last barrier. It knows nothing of control.

use std::rc::Rc;

use super::access::{Kind, Object};
use super::mutants::{Mutant, shift};
use crate::ir::InstId;

/// Those who accessed a cell by one instruction: nobody, one invocation, a subgroup, or several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Who(u16);

const TOGETHER: u16 = 0x2000;
const SOME_OF: u16 = 0x4000;
const BEFORE: u16 = 0x8000;
const KIND: u16 = 0xe000;

impl Who {
    pub(super) const NOBODY: Self = Self(0);
    pub(super) const MANY: Self = Self(u16::MAX);

    pub(super) fn lane(lane: usize) -> Self {
        Self(lane as u16 + 1)
    }

    /// A subgroup that does something together.
    pub(super) fn subgroup(number: usize) -> Self {
        Self(TOGETHER | number as u16)
    }

    /// The invocation, where it is one.
    pub(super) fn as_lane(self) -> Option<u32> {
        (self.0 & KIND == 0 && self.0 > 0).then(|| u32::from(self.0) - 1)
    }

    fn group(self, width: Option<u16>) -> Option<u16> {
        match (self, self.0 & KIND) {
            (Self::NOBODY | Self::MANY, _) => None,
            (_, 0) => width.map(|width| (self.0 - 1) / width),
            _ => Some(self.0 & !KIND),
        }
    }

    /// Whether an access by `self` is in no order with one by `other` before it.
    fn meets(self, other: Self, width: Option<u16>) -> bool {
        match other {
            Self::NOBODY => false,
            Self::MANY => true,
            Self(bits) if bits & KIND == BEFORE => self.group(width) != Some(bits & !KIND),
            // Several of a subgroup are not all `self`.
            Self(bits) if bits & KIND == SOME_OF => true,
            other => self != other && shift(Mutant::Cell, 0) == 0,
        }
    }

    /// Both of them.
    fn with(self, other: Self, width: Option<u16>) -> Self {
        match (self, other) {
            _ if self == other => self,
            (Self::NOBODY, who) | (who, Self::NOBODY) => who,
            _ => match (self.group(width), other.group(width)) {
                (Some(a), Some(b)) if a == b => Self(SOME_OF | a),
                _ => Self::MANY,
            },
        }
    }

    fn ordered(self, width: Option<u16>) -> Self {
        self.group(width).map_or(self, |group| Self(BEFORE | group))
    }
}

/// The accesses of one instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Marks {
    inst: InstId,
    object: Object,
    kind: Kind,
    /// Those who accessed a cell that is not known.
    any: Who,
    /// Those who accessed each cell; empty where nobody accessed a known one.
    cells: Vec<Who>,
}

/// Accesses since the last barrier.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Pending {
    marks: Vec<Rc<Marks>>,
}

/// Two that meet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Met {
    pub(super) inst: InstId,
    pub(super) who: [Who; 2],
}

impl Pending {
    pub(super) fn clear(&mut self) {
        self.marks.clear();
    }

    /// Accesses before a barrier of the subgroup are in order with those of the same subgroup behind it.
    pub(super) fn order_subgroups(&mut self, width: u16) {
        for marks in &mut self.marks {
            let marks = Rc::make_mut(marks);
            marks.any = marks.any.ordered(Some(width));
            marks.cells.iter_mut().for_each(|who| *who = who.ordered(Some(width)));
        }
    }

    /// All that either has.
    pub(super) fn join(&mut self, other: &Self, width: Option<u16>) {
        for theirs in &other.marks {
            match self.marks.iter_mut().find(|marks| marks.inst == theirs.inst) {
                None => self.marks.push(theirs.clone()),
                Some(mine) if mine == theirs => {}
                Some(mine) => {
                    let mine = Rc::make_mut(mine);
                    mine.any = mine.any.with(theirs.any, width);
                    if mine.cells.len() < theirs.cells.len() {
                        mine.cells.resize(theirs.cells.len(), Who::NOBODY);
                    }
                    for (mine, theirs) in mine.cells.iter_mut().zip(&theirs.cells) {
                        *mine = mine.with(*theirs, width);
                    }
                }
            }
        }
    }

    /// Whether it holds all that another one does.
    pub(super) fn holds(&self, other: &Self, width: Option<u16>) -> bool {
        let mut joined = self.clone();
        joined.join(other, width);
        joined == *self
    }

    /// The instructions with accesses of an object that one of this kind conflicts with.
    pub(super) fn against(&self, object: Object, kind: Kind) -> impl Iterator<Item = InstId> + '_ {
        let conflicts = move |marks: &&Rc<Marks>| marks.object == object && marks.kind.conflicts(kind);
        self.marks.iter().filter(conflicts).map(|marks| marks.inst)
    }

    /// Notes an access of cells (of any cell where none are given), of which the object has so many; tells whom it meets.
    pub(super) fn note(
        &mut self,
        (inst, object, kind): (InstId, Object, Kind),
        who: Who,
        cells: Option<(std::ops::Range<usize>, usize)>,
        width: Option<u16>,
        met: &mut Vec<Met>,
    ) {
        for marks in &self.marks {
            if marks.object != object || !marks.kind.conflicts(kind) {
                continue;
            }
            let before = match &cells {
                _ if who.meets(marks.any, width) => Some(marks.any),
                Some((range, _)) => {
                    let known = marks.cells.get(range.start..range.end.min(marks.cells.len())).unwrap_or(&[]);
                    known.iter().copied().find(|before| who.meets(*before, width))
                }
                None => marks.cells.iter().copied().find(|before| who.meets(*before, width)),
            };
            if let Some(before) = before {
                met.push(Met { inst: marks.inst, who: [before, who] });
            }
        }
        let at = match self.marks.iter().position(|marks| marks.inst == inst) {
            Some(at) => at,
            None => {
                self.marks.push(Rc::new(Marks { inst, object, kind, any: Who::NOBODY, cells: Vec::new() }));
                self.marks.len() - 1
            }
        };
        let marks = Rc::make_mut(&mut self.marks[at]);
        match cells {
            Some((range, len)) => {
                if marks.cells.len() < len {
                    marks.cells.resize(len, Who::NOBODY);
                }
                let end = range.end.min(len);
                marks.cells[range.start.min(end)..end].iter_mut().for_each(|cell| *cell = cell.with(who, width));
            }
            None => marks.any = marks.any.with(who, width),
        }
    }
}
