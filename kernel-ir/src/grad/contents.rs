//! The contents of shared variables for code that runs again: what is there still, what that code writes itself, and what has to be kept.
//!
//! A round of a loop, or an arm with a barrier in it, runs again with its stores and barriers. An arm without one runs again without: what it
//! read is in variables.

use crate::arena::EntityId;
use crate::ir::{BlockId, Function, InstId, InstKind, Kernel, Module, Place, Root, SharedId};
use crate::passes::{self, CheckCount};
use crate::types::{Size, Type, TypeId, Types};
use crate::uniformity::Uniformity;
use crate::written_first::is_written_first_in;

use super::needs::Needs;
use super::normal::exit;
use super::refusal::{Refusal, Refused};

/// Cells that one invocation keeps of a variable, at most.
const MOST_KEPT: u32 = 16;

/// How code that runs again finds in a variable what it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    /// Nobody has written since.
    Stays,
    /// The code writes what it reads.
    Writes,
    /// It is put back before.
    Restored,
    /// It is put back before each round.
    EachRound,
}

/// A loop, or a branch.
#[derive(Debug, Clone, Default)]
pub(super) struct Region {
    /// The variables that it reads, in a way that is needed.
    pub(super) reads: Vec<(SharedId, Again)>,
    /// Whether an invocation waits for others in it.
    pub(super) waits: bool,
    /// Whether it has to run on the way forward, for what it leaves in variables.
    pub(super) runs: bool,
}

/// By instruction: what code that runs again does with shared variables.
#[derive(Debug, Default)]
pub(super) struct Contents {
    regions: Vec<Region>,
    /// Loads whose values are kept for arms that run again.
    kept: Vec<bool>,
    /// By variable: whether a load needs it.
    needed: Vec<bool>,
    /// Whether all enclosing loops go through their rounds together.
    together: Vec<bool>,
}

impl Contents {
    pub(super) fn of(module: &Module, function: &Function, needs: &Needs) -> Result<Self, Refusal> {
        let Some(kernel) = &module.kernel else { return Ok(Self::default()) };
        let proven = without_checks(module);
        let uniformity = Uniformity::of(function, Some(kernel), &[]);
        let count = function.insts.len();
        let mut survey = Survey {
            kernel,
            function,
            needs,
            uniformity: &uniformity,
            spans: vec![Span::default(); count],
            accesses: Vec::new(),
            path: Vec::new(),
            next: 0,
            together: vec![true; count],
            rounds: vec![true; count],
        };
        survey.block(function.entry, (true, true));
        let mut contents = Self {
            regions: vec![Region::default(); count],
            kept: vec![false; count],
            needed: kernel.shared.iter().map(|(id, _)| needs.shared(id)).collect(),
            together: std::mem::take(&mut survey.rounds),
        };
        for (at, span) in survey.spans.iter().enumerate() {
            contents.regions[at].waits = span.waits;
        }
        for load in survey.accesses.iter().filter(|access| !access.is_store) {
            contents.load(&survey, &proven, load)?;
        }
        contents.find_runs(&survey);
        Ok(contents)
    }

    /// The findings about a loop or branch.
    pub(super) fn region(&self, id: InstId) -> &Region {
        &self.regions[id.index()]
    }

    /// Whether a load's value is kept.
    pub(super) fn is_kept(&self, load: InstId) -> bool {
        self.kept[load.index()]
    }

    /// By variable: whether its contents are needed.
    pub(super) fn needed(&self) -> &[bool] {
        &self.needed
    }

    /// Whether the loops around an instruction have as many rounds in all invocations.
    pub(super) fn are_together(&self, id: InstId) -> bool {
        self.together[id.index()]
    }

    /// Decides, for all that is around a load, how it gets its value again.
    fn load(&mut self, survey: &Survey<'_>, proven: &Module, load: &Access) -> Result<(), Refusal> {
        let refuse = |refused| Err(Refusal { location: survey.function.insts[load.id].location, refused });
        let name = || survey.kernel.shared[load.shared].name.clone();
        // From the inside out.
        let mut in_region = false;
        for (depth, &id) in load.path.iter().enumerate().rev() {
            let span = survey.spans[id.index()];
            let end = survey.end_around(&load.path[..depth]);
            if !survey.is_fresh(id) {
                let is_written = survey.is_stored(load.shared, load.at, end);
                self.kept[load.id.index()] |= !in_region && is_written;
                self.regions[id.index()].runs |= !in_region && is_written;
                continue;
            }
            in_region = true;
            if self.regions[id.index()].reads.iter().any(|(known, _)| *known == load.shared) {
                continue;
            }
            let again = if !survey.is_stored(load.shared, span.start, end) {
                Again::Stays
            } else {
                let outer = load.path[..depth].iter().rev().take_while(|around| !survey.is_fresh(**around));
                let stores = survey.is_stored(load.shared, span.start, span.end);
                let is_loop = matches!(survey.function.insts[id].kind, InstKind::Loop { .. });
                let apart = outer.count() > 0 || !survey.together[id.index()];
                let rounds_apart = is_loop && stores && !survey.go_together(id);
                if apart || rounds_apart {
                    return refuse(Refused::SharedApart { name: name() });
                }
                match (survey.writes_first(proven, id, load.shared), is_loop && stores) {
                    (true, _) => Again::Writes,
                    (false, true) => Again::EachRound,
                    (false, false) => Again::Restored,
                }
            };
            if matches!(again, Again::EachRound | Again::Restored)
                && stripe(&survey.kernel.workgroup, &proven.types, survey.kernel.shared[load.shared].ty).is_none()
            {
                return refuse(Refused::SharedSize { name: name() });
            }
            self.regions[id.index()].reads.push((load.shared, again));
        }
        Ok(())
    }

    /// A region runs for what it stores and others read, or it itself in its next run.
    fn find_runs(&mut self, survey: &Survey<'_>) {
        for store in survey.accesses.iter().filter(|access| access.is_store) {
            for (depth, &id) in store.path.iter().enumerate() {
                let span = survey.spans[id.index()];
                let is_outside = |load: &&Access| {
                    !load.is_store && load.shared == store.shared && !(span.start..span.end).contains(&load.at)
                };
                let region = &self.regions[id.index()];
                let again = region.reads.iter().find(|(shared, _)| *shared == store.shared).map(|(_, again)| *again);
                let runs_again = depth > 0 && again != Some(Again::Writes);
                self.regions[id.index()].runs |=
                    runs_again || !survey.is_fresh(id) || survey.accesses.iter().any(|access| is_outside(&access));
            }
        }
    }
}

/// The innermost type of arrays, and their lengths.
pub(super) fn cells(types: &Types, mut ty: TypeId) -> Option<(TypeId, Vec<u32>)> {
    let mut lens = Vec::new();
    while let Type::Array(element, len) = types.get(ty) {
        lens.push(len.known()?);
        ty = *element;
    }
    Some((ty, lens))
}

/// How many cells of a variable each invocation keeps, and how many there are.
pub(super) fn stripe(workgroup: &[Size; 3], types: &Types, ty: TypeId) -> Option<(u32, u32)> {
    let width = workgroup.iter().try_fold(1u32, |width, size| width.checked_mul(size.known()?))?;
    let (_, lens) = cells(types, ty)?;
    let count = lens.iter().try_fold(1u32, |count, len| count.checked_mul(*len))?;
    let stripe = count.div_ceil(width);
    (stripe <= MOST_KEPT).then_some((stripe, count))
}

/// The module without the checks that are proven to hold, as the back end will see it.
fn without_checks(module: &Module) -> Module {
    let (mut proven, mut checks) = (module.clone(), CheckCount::default());
    let _ = passes::run_on_functions(&mut proven, "eliminate_checks", passes::eliminate_checks::run, &mut checks);
    proven
}

#[derive(Debug, Clone, Copy, Default)]
struct Span {
    start: usize,
    end: usize,
    waits: bool,
}

struct Access {
    id: InstId,
    shared: SharedId,
    is_store: bool,
    at: usize,
    path: Vec<InstId>,
}

struct Survey<'f> {
    kernel: &'f Kernel,
    function: &'f Function,
    needs: &'f Needs,
    uniformity: &'f Uniformity<'f>,
    spans: Vec<Span>,
    accesses: Vec<Access>,
    path: Vec<InstId>,
    next: usize,
    /// Whether all invocations come to the instruction together.
    together: Vec<bool>,
    /// Whether all loops around are gone through together.
    rounds: Vec<bool>,
}

impl Survey<'_> {
    fn block(&mut self, block: BlockId, (together, rounds): (bool, bool)) -> bool {
        let function = self.function;
        let mut waits = false;
        for &id in &function.blocks[block].insts {
            let (at, kind) = (self.next, &function.insts[id].kind);
            self.next += 1;
            (self.together[id.index()], self.rounds[id.index()]) = (together, rounds);
            let access = match kind {
                InstKind::Load(Place { root: Root::Shared(shared), .. }) => {
                    self.needs.value(function.insts[id].results[0]).then_some((*shared, false))
                }
                InstKind::Store(Place { root: Root::Shared(shared), .. }, _) => {
                    self.needs.shared(*shared).then_some((*shared, true))
                }
                _ => None,
            };
            if let Some((shared, is_store)) = access {
                self.accesses.push(Access { id, shared, is_store, at, path: self.path.clone() });
            }
            let inner = match kind {
                InstKind::If { condition: value, .. } | InstKind::Switch { selector: value, .. } => {
                    (together && self.uniformity.is_uniform(*value), rounds)
                }
                InstKind::Loop { body, .. } => {
                    let all = self.uniformity.go_through_together(*body);
                    (together && all, rounds && all)
                }
                _ => (together, rounds),
            };
            self.path.push(id);
            let mut waits_here = matches!(kind, InstKind::Barrier(_));
            for block in kind.blocks() {
                waits_here |= self.block(block, inner);
            }
            self.path.pop();
            self.spans[id.index()] = Span { start: at, end: self.next, waits: waits_here };
            waits |= waits_here;
        }
        waits
    }

    /// Whether the instruction's blocks run again as they ran before: those of a loop, and of branches in which invocations wait.
    fn is_fresh(&self, id: InstId) -> bool {
        matches!(self.function.insts[id].kind, InstKind::Loop { .. }) || self.spans[id.index()].waits
    }

    fn go_together(&self, id: InstId) -> bool {
        match self.function.insts[id].kind {
            InstKind::Loop { body, .. } => self.uniformity.go_through_together(body),
            _ => self.together[id.index()],
        }
    }

    /// The end of the code that runs again as a whole.
    fn end_around(&self, path: &[InstId]) -> usize {
        path.iter().rev().find(|id| self.is_fresh(**id)).map_or(usize::MAX, |id| self.spans[id.index()].end)
    }

    fn is_stored(&self, shared: SharedId, from: usize, to: usize) -> bool {
        self.accesses.iter().any(|access| access.is_store && access.shared == shared && (from..to).contains(&access.at))
    }

    /// Whether the blocks of a region write all cells that they read before they do.
    fn writes_first(&self, proven: &Module, id: InstId, shared: SharedId) -> bool {
        let Some(kernel) = &proven.kernel else { return false };
        let blocks = self.function.insts[id].kind.blocks();
        // The test of a loop runs once more than its rounds.
        let is_plain = match self.function.insts[id].kind {
            InstKind::Loop { body, .. } => exit(self.function, body).is_some(),
            _ => true,
        };
        is_plain && blocks.iter().all(|block| is_written_first_in(proven, kernel, shared, *block))
    }
}
