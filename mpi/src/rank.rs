//! A rank: one process of a communicator, its place on its machine, and the device that it gets.

use gridwise::{DeviceChoice, DeviceKind, Manager, ManagerDesc};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives};

use crate::error::{Error, Result, Values};

/// This process as one of a communicator's ranks.
///
/// Its messages travel in a duplicate of the communicator, so they never meet those of the program.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use gridwise_mpi::{Rank, mpi::initialize};
///
/// let universe = initialize().ok_or("MPI cannot be initialized")?;
/// let rank = Rank::new(&universe.world())?;
/// println!("rank {} of {}, {} of {} on this machine", rank.index(), rank.size(), rank.local_index(), rank.local_size());
/// # Ok(())
/// # }
/// ```
pub struct Rank {
    comm: SimpleCommunicator,
    /// The ranks on this machine.
    machine: SimpleCommunicator,
}

/// The announcement of a rank before a collective begins. All ranks must name the same operation, root, variant and element, and the
/// same length where `same_len` says so.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Offer {
    /// The operation's name.
    pub(crate) operation: &'static str,
    /// The root; zero where there is none.
    pub(crate) root: usize,
    /// Which of several operations of that name; zero where there is one.
    pub(crate) variant: usize,
    /// Bytes of an element.
    pub(crate) element: usize,
    /// Elements of this rank.
    pub(crate) len: usize,
    /// Whether all ranks have as many.
    pub(crate) same_len: bool,
    /// Partial results of this rank, in a reduction.
    pub(crate) partials: usize,
}

/// The announcements of all ranks, in their order.
#[derive(Debug)]
pub(crate) struct Agreement {
    /// Elements of each rank.
    pub(crate) lens: Vec<usize>,
    /// Partial results of each rank.
    pub(crate) partials: Vec<usize>,
}

/// The operations that agree before they begin; the position is their code in messages.
const OPERATIONS: [&str; 7] =
    ["broadcast", "gather", "all_gather", "scatter", "all_reduce", "Decomposition::new", "Halo::new"];

impl Rank {
    /// Makes a rank of a communicator. All processes of the communicator call it.
    ///
    /// # Errors
    /// None today; MPI itself ends the program when a communicator is broken.
    pub fn new(communicator: &impl Communicator) -> Result<Self> {
        let comm = communicator.duplicate();
        let machine = comm.split_shared(comm.rank());
        Ok(Self { comm, machine })
    }

    /// The number of this rank, from 0.
    pub fn index(&self) -> usize {
        self.comm.rank() as usize
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.comm.size() as usize
    }

    /// The number of this rank among those on the same machine, from 0.
    pub fn local_index(&self) -> usize {
        self.machine.rank() as usize
    }

    /// The number of ranks on this machine.
    pub fn local_size(&self) -> usize {
        self.machine.size() as usize
    }

    /// The communicator of this rank's messages: a duplicate of the one that the rank was made of.
    pub fn communicator(&self) -> &SimpleCommunicator {
        &self.comm
    }

    /// Waits until all ranks are here.
    pub fn barrier(&self) {
        self.comm.barrier();
    }

    /// A manager of this rank's device.
    ///
    /// The ranks of a machine take its GPUs in turn, by their local index and the GPUs' places on the bus; where there are more ranks than GPUs, several share one. On a
    /// machine without a GPU each rank gets the device that [`Manager::new`] takes. `GRIDWISE_DEVICE` decides instead where it is set, for
    /// each rank on its own. The ranks share one folder of compiled pipelines.
    ///
    /// ```no_run
    /// # fn main() -> std::process::ExitCode {
    /// gridwise_mpi::run(|rank| {
    ///     let mgr = rank.manager()?;
    ///     println!("rank {} has {}", rank.index(), mgr.device());
    ///     Ok(())
    /// })
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Manager::new`].
    pub fn manager(&self) -> Result<Manager> {
        self.manager_on(&gpus())
    }

    /// A manager of a device that no other rank of this machine has. All ranks of the machine call it.
    ///
    /// # Errors
    /// [`Error::DeviceShared`], on all ranks of a machine, where it has fewer GPUs than ranks, or `GRIDWISE_DEVICE` names one device for
    /// several; and as [`manager`](Self::manager).
    pub fn manager_alone(&self) -> Result<Manager> {
        let (gpus, ranks) = (gpus(), self.local_size());
        let is_chosen = |desc: &ManagerDesc| desc.device != DeviceChoice::Best;
        let made = match ManagerDesc::from_env() {
            Ok(desc) if gpus.len() < ranks && !is_chosen(&desc) => {
                Err(Error::DeviceShared { ranks, devices: gpus.len() })
            }
            _ => self.manager_on(&gpus),
        };
        // Also a rank without a manager says so: the others wait for it. Devices of the host have no UUID, and are one.
        let uuid = made.as_ref().ok().map(|mgr| mgr.device().uuid.map_or(0, |uuid| u128::from_be_bytes(uuid.0)));
        let number = uuid.unwrap_or(0);
        let own = [u64::from(uuid.is_some()), (number >> 64) as u64, number as u64];
        let mut all = vec![0u64; own.len() * ranks];
        self.machine.all_gather_into(&own[..], &mut all[..]);
        let manager = made?;
        let found = all.chunks(own.len()).filter(|offer| offer[0] != 0);
        let devices = found.clone().collect::<std::collections::BTreeSet<_>>().len();
        match devices < found.count() {
            true => Err(Error::DeviceShared { ranks, devices }),
            false => Ok(manager),
        }
    }

    fn manager_on(&self, gpus: &[usize]) -> Result<Manager> {
        let mut desc = ManagerDesc::from_env()?;
        if desc.device == DeviceChoice::Best && !gpus.is_empty() {
            desc.device = DeviceChoice::Index(gpus[self.local_index() % gpus.len()]);
        }
        Ok(Manager::with(desc)?)
    }

    /// Tells all ranks what this one is about to do, and whether it can.
    ///
    /// `ready` is what the rank prepared for the operation, or why it cannot take part. Gives back what was prepared and what all ranks
    /// said, or an error on every rank.
    pub(crate) fn agree<T>(&self, offer: Offer, ready: Result<T>) -> Result<(T, Agreement)> {
        const WORDS: usize = 7;
        let code = OPERATIONS.iter().position(|name| *name == offer.operation).unwrap_or(OPERATIONS.len());
        let words =
            [code, offer.root, offer.variant, offer.element, offer.len, offer.partials, usize::from(ready.is_err())];
        let own: [u64; WORDS] = words.map(|word| word as u64);
        let mut all = vec![0u64; WORDS * self.size()];
        self.comm.all_gather_into(&own[..], &mut all[..]);

        let column = |word: usize| all.iter().skip(word).step_by(WORDS).copied();
        let name = |code: u64| OPERATIONS.get(code as usize).map_or("an unknown operation", |name| name).to_owned();
        let differs = |word: usize| column(word).any(|value| value != all[word]);
        let disagree = |what, values| Error::Disagree { operation: offer.operation, what, values: Values(values) };
        let ready = ready?;
        if differs(0) {
            return Err(disagree("the operation", column(0).map(name).collect()));
        }
        if let Some(rank) = column(6).position(|failed| failed != 0) {
            return Err(Error::OtherRank { operation: offer.operation, rank });
        }
        for (word, what) in
            [(1, "the root"), (2, "the arguments"), (3, "the bytes of an element"), (4, "the number of elements")]
        {
            if differs(word) && (word != 4 || offer.same_len) {
                return Err(disagree(what, column(word).map(|value| value.to_string()).collect()));
            }
        }
        if offer.root >= self.size() {
            return Err(Error::NoSuchRoot { operation: offer.operation, root: offer.root, last: self.size() - 1 });
        }
        let numbers = |word: usize| column(word).map(|value| value as usize).collect();
        Ok((ready, Agreement { lens: numbers(4), partials: numbers(5) }))
    }
}

impl Offer {
    /// An operation on tensors of elements of type `T`.
    pub(crate) fn of<T>(operation: &'static str, len: usize) -> Self {
        Self { operation, root: 0, variant: 0, element: size_of::<T>(), len, same_len: true, partials: 0 }
    }
}

impl std::fmt::Debug for Rank {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rank").field("index", &self.index()).field("size", &self.size()).finish_non_exhaustive()
    }
}

/// The positions of this machine's GPUs in the list of devices, in the order of their places on the bus: every process finds the same.
fn gpus() -> Vec<usize> {
    let is_gpu = |kind| matches!(kind, DeviceKind::DiscreteGpu | DeviceKind::IntegratedGpu | DeviceKind::VirtualGpu);
    let devices = Manager::list_devices();
    let is_usable = |index: &usize| devices[*index].is_suitable() && is_gpu(devices[*index].kind);
    let mut gpus: Vec<_> = (0..devices.len()).filter(is_usable).collect();
    gpus.sort_by_key(|index| (devices[*index].pci, devices[*index].uuid));
    // Two drivers of one GPU list it twice.
    gpus.dedup_by_key(|index| devices[*index].pci.ok_or(*index));
    gpus
}
