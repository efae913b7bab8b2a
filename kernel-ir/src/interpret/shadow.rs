//! The shadow of memory: who accessed each scalar, so that accesses in no order are found.

use std::collections::{BTreeMap, HashMap};

use super::clock::{Clock, Times, join};
use super::finding::{Conflict, Finding, FindingKind, Kind, Object, Party};
use super::launch::Grid;
use super::memory::Access;
use super::runs::Runs;
use super::thread::{Spot, Thread};
use crate::arena::EntityId;
use crate::ir::{Module, Order, Scope};
use crate::types::{Type, TypeId};

/// An access that was made.
#[derive(Debug, Clone, Copy)]
struct Past {
    number: u32,
    time: u32,
    spot: Spot,
}

/// The invocation that made an access which conflicts with a later one.
#[derive(Debug, Clone, Copy)]
struct Other {
    number: u32,
    kind: Kind,
    spot: Spot,
}

/// The effect of an atomic access, and its order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effect {
    pub(super) reads: bool,
    pub(super) writes: bool,
    pub(super) order: Order,
    pub(super) scope: Scope,
}

/// Invocations that a release reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Domain {
    Launch,
    Group(u32),
    Subgroup(u32, u32),
}

/// The history of a scalar.
#[derive(Debug, Default)]
struct Cell {
    write: Option<Past>,
    reads: Runs,
    atomic_reads: Runs,
    atomic_writes: Runs,
    /// The times that its last atomic write passes on.
    released: BTreeMap<Domain, Times>,
}

impl Cell {
    /// An access that an access of this kind, by the clock's invocation, conflicts with.
    fn conflict(&mut self, clock: &Clock, kind: Kind) -> Option<Other> {
        let write = self.write.filter(|past| !clock.knows_of(past.number, past.time));
        if let Some(Past { number, spot, .. }) = write {
            return Some(Other { number, kind: Kind::Write, spot });
        }
        let among = |runs: &mut Runs, of: Kind| {
            let conflicts = (of.writes() || kind.writes()) && !(of.is_atomic() && kind.is_atomic());
            let (number, spot) = conflicts.then(|| runs.unknown(clock))??;
            Some(Other { number, kind: of, spot })
        };
        among(&mut self.atomic_writes, Kind::AtomicWrite)
            .or_else(|| among(&mut self.atomic_reads, Kind::AtomicRead))
            .or_else(|| among(&mut self.reads, Kind::Read))
    }
}

/// The shadow of all memory that invocations share.
pub(super) struct Shadow {
    grid: Grid,
    finds_reads_before_writes: bool,
    /// The cells of each object, as far as they were accessed.
    buffers: Vec<Vec<Option<Box<Cell>>>>,
    shared: Vec<Vec<Option<Box<Cell>>>>,
    /// As [`Inputs::lists`](super::Inputs::lists).
    lists: Vec<Option<Vec<u32>>>,
    pub(super) findings: Vec<Finding>,
    /// Findings by what makes them the same one.
    known: HashMap<(Object, Spot, Option<Spot>), usize>,
}

impl Shadow {
    pub(super) fn new(grid: Grid, lists: &[Option<Vec<u32>>], finds_reads_before_writes: bool) -> Self {
        Self {
            grid,
            finds_reads_before_writes,
            buffers: Vec::new(),
            shared: Vec::new(),
            lists: lists.to_vec(),
            findings: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// Another workgroup has shared variables of its own.
    pub(super) fn start_group(&mut self) {
        self.shared.clear();
    }

    fn cell(&mut self, (object, scalar): (Object, u64)) -> &mut Cell {
        let (objects, object) = match object {
            Object::Buffer(id) => (&mut self.buffers, id.index()),
            Object::Shared(id) => (&mut self.shared, id.index()),
        };
        if objects.len() <= object {
            objects.resize_with(object + 1, Vec::new);
        }
        let (cells, scalar) = (&mut objects[object], scalar as usize);
        if cells.len() <= scalar {
            cells.resize_with(scalar + 1, || None);
        }
        cells[scalar].get_or_insert_default()
    }

    /// Notes an access, and finds those that it conflicts with.
    pub(super) fn access(&mut self, module: &Module, thread: &Thread<'_>, access: &Access, kind: Kind) {
        let (Some(object), Some(spot)) = (access.object(), thread.spot()) else { return };
        if is_read_only(module, object) {
            return;
        }
        for scalar in access.scalars() {
            self.access_scalar(module, thread, (object, scalar), kind, spot);
        }
    }

    fn access_scalar(&mut self, module: &Module, thread: &Thread<'_>, at: (Object, u64), kind: Kind, spot: Spot) {
        let clock = &thread.clock;
        let now = Past { number: clock.number, time: clock.time, spot };
        let cell = self.cell(at);
        let conflict = cell.conflict(clock, kind);
        let is_unwritten = cell.write.is_none() && cell.atomic_writes.is_empty();
        match kind {
            Kind::Write => {
                // Accesses that this write is in order with need not be remembered: whatever conflicts with it later, conflicts
                // with this write too, or comes after it.
                cell.reads.forget_known(clock);
                cell.atomic_reads.forget_known(clock);
                cell.atomic_writes.forget_known(clock);
                cell.write = Some(now);
                cell.released.clear();
            }
            Kind::Read => cell.reads.insert(now.number, now.time, spot),
            Kind::AtomicRead => cell.atomic_reads.insert(now.number, now.time, spot),
            Kind::AtomicWrite => cell.atomic_writes.insert(now.number, now.time, spot),
        }
        if let Some(past) = conflict {
            let other_party = self.party(module, past.number, past.spot);
            self.report(at.0, spot, Some(past.spot), |shadow| Finding {
                kind: FindingKind::Race(Conflict {
                    object: shadow.name(module, at),
                    access: kind.name(),
                    other_access: past.kind.name(),
                    other: other_party,
                }),
                party: shadow.party(module, now.number, spot),
                count: 0,
            });
        } else if is_unwritten && !kind.writes() && self.finds_reads_before_writes && matches!(at.0, Object::Shared(_))
        {
            self.report(at.0, spot, None, |shadow| Finding {
                kind: FindingKind::ReadBeforeWrite { object: shadow.name(module, at) },
                party: shadow.party(module, now.number, spot),
                count: 0,
            });
        }
    }

    /// The object's name and the way to one of its scalars: `tile[3].x`.
    fn name(&self, module: &Module, (object, scalar): (Object, u64)) -> String {
        let kernel = module.kernel.as_ref().expect("shared memory belongs to a kernel");
        let (mut name, ty, first) = match object {
            Object::Shared(id) => (kernel.shared[id].name.clone(), kernel.shared[id].ty, scalar),
            Object::Buffer(id) => {
                let buffer = &kernel.buffers[id];
                let size = super::memory::scalars(&module.types, buffer.element);
                let element = match self.lists.get(id.index()) {
                    Some(Some(lens)) => in_member(lens, scalar / size),
                    _ => format!("[{}]", scalar / size),
                };
                (format!("{}{element}", buffer.name), buffer.element, scalar % size)
            }
        };
        add_path(module, ty, first, &mut name);
        name
    }

    fn report(&mut self, object: Object, spot: Spot, other: Option<Spot>, finding: impl FnOnce(&Self) -> Finding) {
        // Which of two conflicting accesses comes first is chance.
        let key = match other {
            Some(other) if other < spot => (object, other, Some(spot)),
            other => (object, spot, other),
        };
        let index = match self.known.get(&key) {
            Some(index) => *index,
            None => {
                let finding = finding(self);
                self.findings.push(finding);
                self.known.insert(key, self.findings.len() - 1);
                self.findings.len() - 1
            }
        };
        self.findings[index].count += 1;
    }

    fn party(&self, module: &Module, number: u32, spot: Spot) -> Party {
        Party { invocation: self.grid.global_id(number), location: spot.location(module) }
    }

    /// Updates the clocks for an atomic access: takes up the times that it acquires, and passes on those that it
    /// releases.
    pub(super) fn synchronise(&mut self, thread: &mut Thread<'_>, access: &Access, effect: Effect) {
        let Some(object) = access.object() else { return };
        let group = self.grid.group_of(thread.clock.number);
        let cell = self.cell((object, access.scalars().start));
        let subgroup = Domain::Subgroup(group, thread.local_index - thread.lane);
        let domains = [subgroup, Domain::Group(group), Domain::Launch];
        let within = match effect.scope {
            Scope::Subgroup => &domains[..1],
            Scope::Workgroup => &domains[..2],
            Scope::Device => &domains[..],
        };
        if effect.reads {
            for times in within.iter().filter_map(|domain| cell.released.get(domain)) {
                thread.clock.on_read(effect.order, times);
            }
        }
        if effect.writes {
            // A store that reads nothing ends what earlier writes pass on.
            if !effect.reads {
                cell.released.clear();
            }
            if let Some(times) = thread.clock.on_write(effect.order) {
                for domain in within {
                    join(cell.released.entry(*domain).or_default(), &times);
                }
            }
        }
    }
}

fn is_read_only(module: &Module, object: Object) -> bool {
    match object {
        Object::Buffer(buffer) => module.kernel.as_ref().is_some_and(|kernel| !kernel.buffers[buffer].writable),
        Object::Shared(_) => false,
    }
}

/// The buffer of a list, and the index in it, of an element counted over all buffers of the list.
fn in_member(lens: &[u32], mut element: u64) -> String {
    for (member, len) in lens.iter().enumerate() {
        if element < u64::from(*len) {
            return format!("[{member}][{element}]");
        }
        element -= u64::from(*len);
    }
    unreachable!("an access of an element that is there")
}

fn add_path(module: &Module, ty: TypeId, mut scalar: u64, name: &mut String) {
    let types = &module.types;
    let mut index = 0;
    while let Some(member) = types.member(ty, index) {
        let size = super::memory::scalars(types, member);
        if let Type::Array(..) = types.get(ty) {
            index = u32::try_from(scalar / size).expect("arrays have 32-bit lengths");
            scalar %= size;
        } else if scalar >= size {
            (scalar, index) = (scalar - size, index + 1);
            continue;
        }
        match types.get(ty) {
            Type::Array(..) => *name += &format!("[{index}]"),
            Type::Struct(id) => *name += &format!(".{}", types.struct_def(*id).fields[index as usize].name),
            Type::Vector(..) => *name += [".x", ".y", ".z", ".w"][index as usize % 4],
            _ => *name += &format!(".{index}"),
        }
        return add_path(module, member, scalar, name);
    }
}
