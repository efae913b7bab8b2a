//! Whole launches: what goes in, what comes out, and the order in which workgroups run.

use super::finding::{Finding, FindingKind, Party};
use super::group::Group;
use super::image::ImageInput;
use super::memory::Memory;
use super::settled;
use super::shadow::Shadow;
use super::step::Context;
use super::{Invocation, Value, position};
use crate::ir::{Module, SiteId};

/// The input of a launch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inputs {
    /// Workgroups along each axis.
    pub groups: [u32; 3],
    /// Invocations asked for along each axis: those beyond do not run. `None`: all of the workgroups.
    pub items: Option<[u32; 3]>,
    /// By-value parameters of the kernel.
    pub params: Vec<Value>,
    /// Elements of each buffer.
    pub buffers: Vec<Vec<Value>>,
    /// The images among the buffers, by number of the buffer, one for each member of a list; buffers without an entry
    /// are no images. The texels of a list's members stand in `buffers` one behind the other.
    pub images: Vec<Vec<ImageInput>>,
    /// How many elements each member of the lists among them has, by the numbers of the buffers; those that are not named are no
    /// lists. The elements of a list's members stand in `buffers` one behind the other.
    pub lists: Vec<Option<Vec<u32>>>,
}

/// How a launch runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Permutes the order of workgroups and invocations; zero leaves them in order.
    pub seed: u64,
    /// Instructions that each invocation may run.
    pub fuel: u64,
    /// Lanes of a subgroup, a power of two of at most 128, where the kernel does not demand a number.
    pub subgroup_size: u32,
    /// Whether accesses in no order are looked for.
    pub finds_races: bool,
    /// Whether reads of shared variables that nobody wrote, and that are therefore zero, are findings.
    pub finds_reads_before_writes: bool,
    /// Whether an invocation ends at its first trap; else it goes on with zero.
    pub leaves_at_traps: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 0,
            fuel: 1 << 20,
            subgroup_size: 8,
            finds_races: true,
            finds_reads_before_writes: false,
            leaves_at_traps: false,
        }
    }
}

/// The result of a launch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// Elements of each buffer.
    pub buffers: Vec<Vec<Value>>,
    /// Traps in the order they came.
    pub traps: Vec<Report>,
    /// Messages in the order they came.
    pub prints: Vec<Report>,
    /// The faults that were found.
    pub findings: Vec<Finding>,
}

/// A trap or message of an invocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The trap site.
    pub site: SiteId,
    /// Its operands.
    pub operands: Vec<u32>,
    /// Global id of the invocation.
    pub invocation: [u32; 3],
}

/// The shape of a launch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    pub(super) workgroup: [u32; 3],
    pub(super) groups: [u32; 3],
}

impl Grid {
    /// Invocations of a workgroup.
    pub(super) fn group_len(&self) -> u32 {
        self.workgroup.iter().product()
    }

    /// The workgroup of the invocation with this number in the launch.
    pub(super) fn group_of(&self, number: u32) -> u32 {
        number / self.group_len()
    }

    /// The ids of the invocation with this number in the launch.
    pub(super) fn ids(&self, number: u32) -> Invocation {
        let workgroup_id = position(self.group_of(number), self.groups);
        let local_id = position(number % self.group_len(), self.workgroup);
        let global = |axis: usize| workgroup_id[axis] * self.workgroup[axis] + local_id[axis];
        Invocation { global_id: [0, 1, 2].map(global), local_id, workgroup_id, num_workgroups: self.groups }
    }

    pub(super) fn global_id(&self, number: u32) -> [u32; 3] {
        self.ids(number).global_id
    }
}

/// Permutations by a seed.
pub(super) struct Shuffle(u64);

impl Shuffle {
    /// The numbers below `len` in some order; in order when the seed is zero.
    pub(super) fn order(&mut self, len: u32) -> Vec<u32> {
        let mut order: Vec<u32> = (0..len).collect();
        if self.0 != 0 {
            for last in (1..order.len()).rev() {
                self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f) | 1;
                order.swap(last, ((self.0 >> 33) % (last as u64 + 1)) as usize);
            }
        }
        order
    }
}

/// Runs a launch of the module's kernel.
///
/// # Panics
/// When the module is malformed, has no kernel or one with const parameters
/// ([`fix_constants`](crate::passes::fix_constants) gives them their values), or parameters or buffers do not fit it.
pub fn run(module: &Module, inputs: &Inputs, options: &Options) -> Outcome {
    let kernel = module.kernel.as_ref().expect("a module with a kernel");
    let grid = Grid { workgroup: kernel.workgroup.map(settled), groups: inputs.groups };
    let shadow = options.finds_races.then(|| Shadow::new(grid, &inputs.lists, options.finds_reads_before_writes));
    let mut memory = Memory::new(module, inputs.buffers.clone(), shadow);
    memory.images.clone_from(&inputs.images);
    memory.lists.clone_from(&inputs.lists);
    let width = kernel.subgroup_size.unwrap_or(options.subgroup_size).clamp(1, 128);
    let cx = Context { module, params: &inputs.params, width, leaves_at_traps: options.leaves_at_traps };
    let mut outcome = Outcome::default();
    let mut shuffle = Shuffle(options.seed);
    for group in shuffle.order(grid.groups.iter().product()) {
        memory.start_group(module);
        let mut group = Group::new(&cx, grid, group, inputs.items, options.fuel);
        let is_done = group.run(&cx, &mut memory, &mut outcome, &mut shuffle);
        if !is_done {
            break;
        }
    }
    outcome.buffers = memory.buffers;
    outcome.findings.extend(memory.shadow.into_iter().flat_map(|shadow| shadow.findings));
    outcome
}

impl Outcome {
    /// Adds a finding, or counts it where it is known.
    pub(super) fn find(&mut self, kind: FindingKind, party: Party) {
        let is_same = |known: &&mut Finding| known.party.location == party.location && same(&known.kind, &kind);
        match self.findings.iter_mut().find(is_same) {
            Some(known) => known.count += 1,
            None => self.findings.push(Finding { kind, party, count: 1 }),
        }
    }
}

fn same(a: &FindingKind, b: &FindingKind) -> bool {
    match (a, b) {
        (FindingKind::DivergentBarrier { other: a }, FindingKind::DivergentBarrier { other: b }) => {
            a.location == b.location
        }
        _ => a == b,
    }
}

/// Whether an invocation is beyond the items asked for.
pub(super) fn is_masked(id: [u32; 3], items: Option<[u32; 3]>) -> bool {
    items.is_some_and(|items| id.iter().zip(items).any(|(at, len)| *at >= len))
}
