//! Launches that follow the slots of their tables. It must not know how a sequence keeps its steps.

use std::sync::Arc;

use gridwise_ir::descriptor::ListRow;

use crate::core::error::Result;
use crate::device::Device;
use crate::memory::buffer::Buffer;
use crate::record::again::Again;
use crate::record::aliases::refuse_aliases;
use crate::record::hooks::Hooks;
use crate::record::lists::{put_row, row_in};
use crate::record::ops::Recorder;
use crate::record::parameter::Owner;
use crate::record::steps::{BufferArg, DispatchStep, Role, Step};
use crate::record::table::{Changes, Slots};

/// The tables of a recording, each with the oldest version that a launch has.
#[derive(Default)]
pub(crate) struct Tables {
    used: Vec<(Arc<Slots>, u64)>,
}

/// A launch with what is in the slots of its tables by now, before it takes the place of the launch as it was.
struct Change {
    step: usize,
    buffers: Vec<BufferArg>,
    rows: Vec<(Arc<Buffer>, usize, ListRow)>,
}

impl Tables {
    /// Adds the tables of steps.
    pub(crate) fn add(&mut self, steps: &[Step]) {
        for table in steps.iter().filter_map(Step::dispatch).flat_map(|launch| &launch.args.tables) {
            match self.used.iter_mut().find(|(slots, _)| Arc::ptr_eq(slots, &table.slots)) {
                Some((_, oldest)) => *oldest = table.version.min(*oldest),
                None => self.used.push((table.slots.clone(), table.version)),
            }
        }
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.used.clear();
    }

    /// Whether a slot has changed.
    pub(crate) fn have_changed(&self) -> bool {
        self.used.iter().any(|(slots, version)| slots.version() != *version)
    }

    /// Puts what is in the slots by now in the place of what launches have. No device uses the steps' own tables now.
    ///
    /// # Errors
    /// When something in a slot does not fit a launch, or the device fails. Then no launch may run before this succeeds.
    pub(crate) fn put_into(
        &mut self,
        steps: &mut Arc<Vec<Step>>,
        device: &Arc<Device>,
        (queue, owner): (usize, &Owner),
    ) -> Result<()> {
        // At one time for all launches.
        let changes: Vec<Changes> = self.used.iter().map(|(slots, version)| slots.changes(*version)).collect();
        let of = |slots: &Arc<Slots>| self.used.iter().position(|(used, _)| Arc::ptr_eq(used, slots));
        let changes_of = |slots: &Arc<Slots>| of(slots).map(|at| &changes[at]);
        let mut changed = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            let Step::Dispatch(launch) = step else { continue };
            if let Some((buffers, rows)) = follow(launch, &changes_of)? {
                let (mut again, mut hooks) = (Again::default(), Hooks::default());
                let (mut none, name) = (Vec::new(), launch.settled.descriptor.name);
                let memory = (&mut none, &mut again);
                let recorder = Recorder::new(device, (queue, owner), memory, &mut hooks, name, None);
                recorder.check_buffers(launch.settled.descriptor, &buffers)?;
                refuse_aliases(launch.settled.descriptor, &buffers)?;
                changed.push(Change { step: at, buffers, rows });
            }
        }
        // First what keeps memory alive, then what names it: if that fails, the versions are as they were, and it is done again.
        let steps = Arc::make_mut(steps);
        let mut rows = Vec::new();
        for change in changed {
            if let Step::Dispatch(launch) = &mut steps[change.step] {
                launch.args.buffers = change.buffers;
                rows.extend(change.rows);
            }
        }
        rows.into_iter().try_for_each(|(table, position, row)| put_row(&table, position, row))?;
        for step in steps.iter_mut() {
            let Step::Dispatch(launch) = step else { continue };
            for table in &mut launch.args.tables {
                table.version = changes_of(&table.slots).map_or(table.version, |changes| changes.version);
            }
        }
        for ((_, version), changes) in self.used.iter_mut().zip(&changes) {
            *version = changes.version;
        }
        Ok(())
    }
}

/// The arguments of a launch with what is in the slots of its tables, and the rows to put into the tables of its lists; none where no slot
/// has changed.
type Followed = Option<(Vec<BufferArg>, Vec<(Arc<Buffer>, usize, ListRow)>)>;

fn follow<'c>(launch: &DispatchStep, changes_of: &dyn Fn(&Arc<Slots>) -> Option<&'c Changes>) -> Result<Followed> {
    let (mut followed, mut rows) = (None, Vec::new());
    for table in &launch.args.tables {
        let Some(changes) = changes_of(&table.slots) else { continue };
        let is_of = |argument: &BufferArg, role| (argument.param, argument.role) == (table.param, role);
        // Those of one list lie beside each other.
        let first = launch.args.buffers.iter().position(|argument| is_of(argument, Role::Member));
        let members = launch.args.buffers.iter().filter(|argument| is_of(argument, Role::Member)).count();
        let listing = launch.args.buffers.iter().find(|argument| is_of(argument, Role::Table));
        for (position, since, member) in &changes.members {
            let Some(first) = first.filter(|_| *since > table.version && *position < members) else { continue };
            let buffers = followed.get_or_insert_with(|| launch.args.buffers.clone());
            buffers[first + position].buffer = member.buffer.clone();
            buffers[first + position].sampler = member.sampler;
            if let Some(listing) = listing {
                let row = row_in(launch.settled.descriptor, (&listing.buffer, members), &member.buffer)?;
                rows.push((listing.buffer.clone(), *position, row));
            }
        }
    }
    Ok(followed.map(|buffers| (buffers, rows)))
}
