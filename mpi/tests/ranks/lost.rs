//! A device that is lost on one rank: that rank is told, the others get an error and do not wait, and all go on with a new device.

use std::sync::OnceLock;

use gridwise::{Contents, DeviceKind, Manager, TensorDesc};
use gridwise_fault_layer::Control;
use gridwise_mpi::{Decomposition, Error, Halo, Neighbours, Rank, ReduceOp};

use crate::{Outcome, layer};

/// The control of the layer that fails calls.
static FAULTS: OnceLock<Control> = OnceLock::new();

/// `VK_ERROR_DEVICE_LOST`.
const LOST: i32 = -4;

/// Puts the layer before Vulkan.
///
/// # Safety
/// No other thread of the process runs.
pub(crate) unsafe fn load() -> Result<(), String> {
    // SAFETY: the caller's promise.
    let faults = unsafe { layer::load() }?;
    FAULTS.set(faults).map_err(|_| "it was loaded before".to_owned())
}

/// Lets the next submission lose the device of rank 1; what the host device cannot be.
fn lose(rank: &Rank) {
    if rank.index() == 1
        && let Some(faults) = FAULTS.get()
    {
        (faults.arm)("vkQueueSubmit", 1, LOST);
    }
}

/// Exchanges halos and sums up.
fn works(rank: &Rank, mgr: &Manager) -> Outcome {
    let boxes = Decomposition::new(rank, [8 * rank.size()], [true])?;
    let mut cells = mgr.tensor(&vec![rank.index() as u32; boxes.len(1)])?;
    Halo::new(rank, &boxes, 1, Neighbours::All, &mut cells)?.exchange()?;
    let before = (rank.index() + rank.size() - 1) % rank.size();
    assert_eq!(cells.get(0)?, before as u32);
    let mut total = mgr.tensor_of_len::<u32>(1)?;
    rank.all_reduce(ReduceOp::Sum, &mgr.tensor(&[1u32])?, &mut total)?;
    assert_eq!(total.get(0)?, rank.size() as u32);
    Ok(())
}

/// A tensor that the host reads by a submission.
fn hidden(mgr: &Manager, elements: &[u32]) -> gridwise::Result<gridwise::Tensor<u32>> {
    let desc = TensorDesc { name: "hidden", contents: Contents::Data(elements) };
    #[cfg(unix)]
    return mgr.shareable_tensor(desc);
    #[cfg(not(unix))]
    mgr.tensor_with(desc)
}

pub(crate) fn is_told(rank: &Rank) -> Outcome {
    let mgr = rank.manager()?;
    works(rank, &mgr)?;
    if mgr.device().kind == DeviceKind::Host {
        return Ok(());
    }
    let is_lost = rank.index() == 1;
    let boxes = Decomposition::new(rank, [8 * rank.size()], [true])?;
    let mut cells = mgr.tensor(&vec![7u32; boxes.len(1)])?;
    let partials = hidden(&mgr, &[1, 2])?;
    let mut total = hidden(&mgr, &[0, 0])?;
    let is_neighbour = [0, 2 % rank.size()].contains(&rank.index());
    {
        let mut halo = Halo::new(rank, &boxes, 1, Neighbours::All, &mut cells)?;
        lose(rank);
        // The second time, the device is known to be lost.
        for _ in 0..2 {
            match halo.exchange() {
                Err(Error::Gridwise(gridwise::Error::DeviceLost { .. })) if is_lost => {}
                Err(Error::OtherRank { operation: "Halo::finish", rank: 1 }) if is_neighbour => {}
                Ok(()) if !is_lost && !is_neighbour => {}
                other => return Err(format!("exchanged: {other:?}").into()),
            }
        }
    }
    let told = [
        rank.all_reduce(ReduceOp::Sum, &partials, &mut total).err(),
        rank.gather(0, &partials).err(),
        rank.broadcast(1, &mut total).err(),
    ];
    for error in told {
        match error.ok_or("a lost device took part")? {
            Error::Gridwise(gridwise::Error::DeviceLost { .. }) if is_lost => {}
            Error::OtherRank { rank: 1, .. } if !is_lost => {}
            other => return Err(other.into()),
        }
    }
    // With a new device in its place all go on.
    let mgr = if is_lost { mgr.recover()?.manager().clone() } else { mgr };
    works(rank, &mgr)
}

pub(crate) fn ends_all(rank: &Rank) -> Outcome {
    let mgr = rank.manager()?;
    works(rank, &mgr)?;
    if mgr.device().kind == DeviceKind::Host && rank.index() == 1 {
        return Err(gridwise::Error::DeviceLost { operation: "pretending" }.into());
    }
    lose(rank);
    // The neighbours are told by an error, and let rank 1 report its own.
    loop {
        works(rank, &mgr)?;
    }
}
