//! The choice of a manager's queues from a device's families, by a request. Pure.

use crate::core::error::{Error, Result};
use crate::core::sync::schedule::MAX_QUEUES;
use crate::device::existing::ExistingVulkan;
use crate::device::info::{QueueFamily, QueueKind};

/// The queues that a manager opens.
///
/// Work on one queue is submitted in order, and overlaps only as far as the device allows. Work on several queues runs
/// concurrently. A sequence is put on a queue by [`Manager::sequence_on`](crate::Manager::sequence_on).
///
/// ```
/// use gridwise::{Manager, ManagerDesc, QueueChoice, ops::OpFill};
///
/// # fn main() -> gridwise::Result<()> {
/// let manager = Manager::with(ManagerDesc { queues: QueueChoice::AtLeast(2), ..ManagerDesc::from_env()? })?;
/// let (mut a, mut b) = (manager.tensor_of_len::<f32>(1000)?, manager.tensor_of_len::<f32>(1000)?);
/// let (first, second) = (manager.sequence_on(0)?, manager.sequence_on(1)?);
/// first.record(OpFill::new(&mut a, 1.0))?;
/// second.record(OpFill::new(&mut b, 2.0))?;
/// let running = (first.eval_async()?, second.eval_async()?); // they share no tensor: neither waits for the other
/// running.0.wait()?;
/// running.1.wait()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueueChoice {
    /// One queue of each compute family, and up to two queues of a transfer-only family, one for each direction. The first queue
    /// is of the compute family that the driver lists first. Each queue costs time at the start: four queues took an H200 38 ms.
    Best,
    /// One compute queue: the fastest start.
    #[default]
    One,
    /// So many queues of each of these families, by their positions in
    /// [`DeviceInfo::queue_families`](crate::DeviceInfo::queue_families). The first of them computes.
    Families(Vec<(u32, u32)>),
    /// As [`Best`](Self::Best), but at least so many that compute. If the device has fewer, several of them share one
    /// queue of the device: the results are the same, and their work may overlap less.
    AtLeast(usize),
}

/// A queue of a manager; listed by [`Manager::queues`](crate::Manager::queues).
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// # let manager = gridwise::Manager::host();
/// let queue = manager.queues()[0];
/// if queue.timestamp_bits > 0 {
///     manager.sequence_on(0)?.eval_profiled()?; // this queue takes times
/// }
/// # assert!(queue.timestamp_bits > 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueInfo {
    /// The kind of its work.
    pub kind: QueueKind,
    /// Its family's position in [`DeviceInfo::queue_families`](crate::DeviceInfo::queue_families).
    pub family: u32,
    /// Its position in the family. Queues of one family and position are one queue of the device.
    pub index: u32,
    /// Bits of its timestamps; zero where [`Sequence::eval_profiled`](crate::Sequence::eval_profiled) cannot work.
    pub timestamp_bits: u32,
    /// Whether it scales images.
    pub(crate) can_blit: bool,
}

impl QueueChoice {
    /// The queues of this choice.
    ///
    /// # Errors
    /// When the device does not have them, the first would not compute, or they are too many.
    pub(crate) fn plan(&self, families: &[QueueFamily]) -> Result<Vec<QueueInfo>> {
        let of =
            |kind: QueueKind| (0u32..).zip(families).filter(move |(_, family)| family.kind == kind && family.count > 0);
        let compute: Vec<QueueInfo> = of(QueueKind::Compute).map(|(at, family)| queue(at, family, 0)).collect();
        let two = |(at, family): (u32, &QueueFamily)| {
            [0, 1].map(|index| (index < family.count).then(|| queue(at, family, index)))
        };
        let transfer = of(QueueKind::Transfer).next().map(two).into_iter().flatten().flatten();
        let planned = match self {
            Self::Best => compute.into_iter().take(MAX_QUEUES - 2).chain(transfer).collect(),
            Self::One => compute.into_iter().take(1).collect(),
            Self::Families(asked) => of_families(families, asked)?,
            Self::AtLeast(count) => at_least(families, compute, *count).into_iter().chain(transfer).collect(),
        };
        match planned.first() {
            _ if planned.len() > MAX_QUEUES => Err(Error::TooManyQueues { asked: planned.len(), limit: MAX_QUEUES }),
            Some(first) if first.kind == QueueKind::Compute => Ok(planned),
            _ => Err(Error::QueueCannot { queue: 0, operation: "being the first of a manager".to_owned() }),
        }
    }
}

impl QueueInfo {
    /// The only one that the host device needs.
    pub(crate) fn of_host() -> Self {
        Self { kind: QueueKind::Compute, family: 0, index: 0, timestamp_bits: 64, can_blit: true }
    }
}

/// The queues of an application; their indices are told apart by nothing but their order.
pub(crate) fn of_existing(vulkan: &ExistingVulkan, families: &[QueueFamily]) -> Result<Vec<QueueInfo>> {
    let mut queues = Vec::new();
    for existing in vulkan.all_queues() {
        let before = queues.iter().filter(|queue: &&QueueInfo| queue.family == existing.family).count() as u32;
        let unavailable = Error::QueueUnavailable { family: existing.family, asked: before + 1, available: 0 };
        let family = families.get(existing.family as usize).ok_or(unavailable)?;
        queues.push(queue(existing.family, family, before));
    }
    match queues.len() {
        asked if asked > MAX_QUEUES => Err(Error::TooManyQueues { asked, limit: MAX_QUEUES }),
        _ => Ok(queues),
    }
}

fn queue(family: u32, QueueFamily { kind, timestamp_bits, can_blit, .. }: &QueueFamily, index: u32) -> QueueInfo {
    QueueInfo { kind: *kind, family, index, timestamp_bits: *timestamp_bits, can_blit: *can_blit }
}

fn of_families(families: &[QueueFamily], asked: &[(u32, u32)]) -> Result<Vec<QueueInfo>> {
    let mut planned: Vec<QueueInfo> = Vec::new();
    for &(position, count) in asked {
        let family = families.get(position as usize).filter(|family| family.kind != QueueKind::Other);
        let before = planned.iter().filter(|queue| queue.family == position).count() as u32;
        match family {
            Some(family) if before.saturating_add(count) <= family.count => {
                // The host has as many as a number can be; more than a manager may have is refused by their number.
                let indices = (before..before + count).take(MAX_QUEUES + 1);
                planned.extend(indices.map(|index| queue(position, family, index)));
            }
            _ => {
                let available = family.map_or(0, |family| family.count);
                return Err(Error::QueueUnavailable {
                    family: position,
                    asked: before.saturating_add(count),
                    available,
                });
            }
        }
    }
    Ok(planned)
}

/// One of each family, then further ones as the families have them, then the same again.
fn at_least(families: &[QueueFamily], mut planned: Vec<QueueInfo>, count: usize) -> Vec<QueueInfo> {
    let each = planned.clone();
    // More than there can be is refused by their number.
    let count = count.min(MAX_QUEUES + 1);
    for index in 1..=MAX_QUEUES as u32 {
        for first in &each {
            if planned.len() < count && families[first.family as usize].count > index {
                planned.push(QueueInfo { index, ..*first });
            }
        }
    }
    for repeated in 0.. {
        if planned.len() >= count || each.is_empty() {
            break;
        }
        planned.push(planned[repeated]);
    }
    planned
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(kind: QueueKind, count: u32) -> QueueFamily {
        QueueFamily { kind, count, timestamp_bits: 64, can_blit: false }
    }

    /// As a large GPU lists them.
    fn large() -> Vec<QueueFamily> {
        let (compute, transfer) = (QueueKind::Compute, QueueKind::Transfer);
        vec![family(compute, 16), family(transfer, 2), family(compute, 8), family(QueueKind::Other, 1)]
    }

    fn plan(choice: QueueChoice, families: &[QueueFamily]) -> Vec<(u32, u32)> {
        let planned = choice.plan(families).unwrap();
        planned.iter().map(|queue| (queue.family, queue.index)).collect()
    }

    #[test]
    fn the_best_are_one_of_each_useful_family() {
        assert_eq!(plan(QueueChoice::Best, &large()), [(0, 0), (2, 0), (1, 0), (1, 1)]);
        assert_eq!(plan(QueueChoice::One, &large()), [(0, 0)]);
        let small = [family(QueueKind::Compute, 1)];
        assert_eq!(plan(QueueChoice::Best, &small), [(0, 0)]);
    }

    #[test]
    fn families_are_taken_at_their_word() {
        let of = |asked: &[(u32, u32)]| QueueChoice::Families(asked.to_vec());
        assert_eq!(plan(of(&[(2, 2), (1, 1), (2, 1)]), &large()), [(2, 0), (2, 1), (1, 0), (2, 2)]);
        for (asked, family, wanted, has) in [
            (&[(0, 1), (1, 3)][..], 1, 3, 2),
            (&[(2, 8), (2, 1)], 2, 9, 8),
            (&[(9, 1)], 9, 1, 0),
            (&[(3, 1)], 3, 1, 0),
            (&[(0, 1), (0, u32::MAX)], 0, u32::MAX, 16),
        ] {
            let error = of(asked).plan(&large()).unwrap_err();
            let Error::QueueUnavailable { family: f, asked, available } = error else { panic!("{error}") };
            assert_eq!((f, asked, available), (family, wanted, has));
        }
        assert!(matches!(of(&[(1, 1)]).plan(&large()), Err(Error::QueueCannot { queue: 0, .. })));
        assert!(matches!(of(&[]).plan(&large()), Err(Error::QueueCannot { .. })));
        assert!(matches!(of(&[(0, 9)]).plan(&large()), Err(Error::TooManyQueues { asked: 9, limit: 8 })));
        let endless = [family(QueueKind::Compute, u32::MAX)];
        assert!(matches!(of(&[(0, u32::MAX)]).plan(&endless), Err(Error::TooManyQueues { asked: 9, .. })));
    }

    #[test]
    fn where_there_are_too_few_queues_are_shared() {
        assert_eq!(plan(QueueChoice::AtLeast(4), &large()), [(0, 0), (2, 0), (0, 1), (2, 1), (1, 0), (1, 1)]);
        let small = [family(QueueKind::Compute, 1)];
        assert_eq!(plan(QueueChoice::AtLeast(3), &small), [(0, 0); 3]);
        assert_eq!(plan(QueueChoice::AtLeast(0), &small), [(0, 0)]);
        assert!(matches!(QueueChoice::AtLeast(usize::MAX).plan(&small), Err(Error::TooManyQueues { asked: 9, .. })));
    }
}
