//! Exchange of halos: the cells at the sides of each rank's box, which its neighbours read.

use std::mem;

use gridwise::prelude::*;
use gridwise::{Contents, Mapped, MappedMut, MemoryKind, Plain, TensorDesc};
use mpi::request::{Request, StaticScope};
use mpi::traits::{Communicator, Destination, Equivalence, Source};
use self_cell::{MutBorrow, self_cell};

use crate::decomposition::Decomposition;
use crate::error::{Error, Expected, Result};
use crate::rank::{Offer, Rank};

/// Copies a box of words out of one box into another. A pitch is the distance of two rows, and of two layers.
#[kernel(workgroup = [16, 8], T = [u8, u16, u32])]
fn copy_box<T: Copy>(from_start: u32, from_pitch: UVec2, from: &[T], to_start: u32, to_pitch: UVec2, to: &mut [T]) {
    let at = global_id();
    let source = from_start + at.z * from_pitch.y + at.y * from_pitch.x + at.x;
    // SAFETY: lines and planes of a box are at least as far apart as they are long.
    unsafe { to.unordered()[to_start + at.z * to_pitch.y + at.y * to_pitch.x + at.x] = from[source] };
}

/// Which neighbours exchange cells.
///
/// ```
/// use gridwise_mpi::Neighbours;
///
/// // Enough for a stencil of five or seven points; others read cells across edges and corners.
/// assert_ne!(Neighbours::Sides, Neighbours::All);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Neighbours {
    /// All of them, also across edges and corners.
    #[default]
    All,
    /// Those that share a side.
    Sides,
}

/// The halo of a tensor: cells around this rank's box that are copies of its neighbours' cells.
///
/// The tensor holds the box of this rank with a halo of some cells on each side, axis 0 side by side:
/// [`Decomposition::len`] elements. The sides of the box are packed by kernels into memory that the host reaches, from which MPI sends
/// them without a copy.
///
/// ```no_run
/// use gridwise::prelude::*;
/// use gridwise_mpi::{Decomposition, Halo, Neighbours, run};
///
/// # fn main() -> std::process::ExitCode {
/// run(|rank| {
///     let mgr = rank.manager()?;
///     let boxes = Decomposition::new(rank, [64, 64], [true, true])?;
///     let mut cells = mgr.tensor(&vec![rank.index() as u32; boxes.len(1)])?;
///     let mut halo = Halo::new(rank, &boxes, 1, Neighbours::All, &mut cells)?;
///     halo.exchange()?;
///     let left = boxes.neighbour([-1, 0]).expect("the axis is periodic");
///     let row = boxes.padded(1)[0];
///     assert_eq!(cells.get(row)?, left as u32, "the first cell of the first row");
///     Ok(())
/// })
/// # }
/// ```
///
/// Between [`begin`](Self::begin) and [`finish`](Self::finish) the device may compute the cells that need no halo:
///
/// ```no_run
/// # fn step(halo: &mut gridwise_mpi::Halo<'_, 2>, inner: &gridwise::Sequence, border: &gridwise::Sequence) -> Result<(), Box<dyn std::error::Error>> {
/// halo.begin()?; // packs, and starts the messages
/// let running = inner.eval_async()?; // the cells inside, while messages travel
/// halo.finish()?; // waits for the messages, and unpacks
/// border.eval()?; // the cells at the sides
/// running.wait()?;
/// # Ok(())
/// # }
/// ```
///
/// The halo writes the tensor by a recording, as sequences that were recorded with it do. It keeps the memory alive when the tensor is
/// dropped.
pub struct Halo<'a, const D: usize> {
    rank: &'a Rank,
    regions: Vec<Region<D>>,
    pack: Sequence,
    unpack: Sequence,
    /// The staging tensors while no message uses them.
    idle: Option<Staging>,
    /// The messages on their way.
    flight: Option<Flight>,
}

/// The cells that this rank and one neighbour exchange.
struct Region<const D: usize> {
    neighbour: usize,
    /// The tag of what is sent, which tells its direction.
    sent_tag: i32,
    received_tag: i32,
    /// The start of the region in both staging tensors, in words of 4 bytes; other regions begin behind `words`.
    start: usize,
    words: usize,
    /// Bytes that travel.
    bytes: usize,
    /// The first cell that is sent, and the first that is received, in the padded box.
    from: [usize; D],
    to: [usize; D],
    /// Cells along each axis.
    size: [usize; D],
}

struct Staging {
    sent: Tensor<u32>,
    received: Tensor<u32>,
}

self_cell! {
    /// A staging tensor whose elements MPI reads.
    struct Sent {
        owner: Tensor<u32>,
        #[covariant]
        dependent: MappedWords,
    }
}

self_cell! {
    /// A staging tensor whose elements MPI writes.
    struct Received {
        owner: MutBorrow<Tensor<u32>>,
        #[not_covariant]
        dependent: MappedWordsMut,
    }
}

type MappedWords<'a> = Mapped<'a, u32>;
type MappedWordsMut<'a> = MappedMut<'a, u32>;

/// Messages on their way, with the memory that they use.
struct Flight {
    requests: Vec<Request<'static, [u8], StaticScope>>,
    sent: Sent,
    received: Received,
}

impl<'a, const D: usize> Halo<'a, D> {
    /// Prepares the exchange of the `width` cells at the sides of this rank's box. All ranks call it, with tensors of one element type.
    ///
    /// # Errors
    /// On all ranks: [`Error::NarrowBox`] where a box has fewer cells than the halo needs of it, [`Error::Disagree`] where widths or element
    /// sizes differ. On this rank [`Error::WrongLength`] where the tensor is not as long as its box with the halo, or when the device
    /// fails; the others get [`Error::OtherRank`].
    pub fn new<T: Plain>(
        rank: &'a Rank,
        boxes: &Decomposition<D>,
        width: usize,
        neighbours: Neighbours,
        tensor: &mut Tensor<T>,
    ) -> Result<Self> {
        let variant = 2 * width + usize::from(neighbours == Neighbours::All);
        let offer = Offer { variant, same_len: false, ..Offer::of::<T>("Halo::new", tensor.len()) };
        let mut prepare = || {
            boxes.check_size(rank.size())?;
            boxes.check_width(width)?;
            let expected = boxes.len(width);
            if tensor.len() != expected {
                let (tensor, len) = (tensor.name().to_owned(), tensor.len());
                return Err(Error::WrongLength {
                    operation: "Halo::new",
                    tensor,
                    len,
                    expected: Expected::Exactly(expected),
                });
            }
            let regions = regions(boxes, width, neighbours, size_of::<T>());
            Recorded::new(boxes.padded(width), regions, tensor)
        };
        let ready = prepare();
        let (Recorded { regions, pack, unpack, staging }, _) = rank.agree(offer, ready)?;
        Ok(Self { rank, regions, pack, unpack, idle: Some(staging), flight: None })
    }

    /// Exchanges the halo and waits for it: [`begin`](Self::begin) and [`finish`](Self::finish).
    ///
    /// # Errors
    /// As both.
    pub fn exchange(&mut self) -> Result<()> {
        self.begin()?;
        self.finish()
    }

    /// Packs the cells at the sides, once all evaluations that were started before and write the tensor are complete, and starts the
    /// messages.
    ///
    /// # Errors
    /// [`Error::OutOfTurn`] where the exchange before was not finished, and when the device fails: then the neighbours are told, and
    /// [`finish`](Self::finish) is an error on them.
    pub fn begin(&mut self) -> Result<()> {
        const OUT_OF_TURN: Error = Error::OutOfTurn { called: "begin", instead: "before `finish`" };
        if self.flight.is_some() {
            return Err(OUT_OF_TURN);
        }
        let started = self.pack.eval().map_err(Error::from).and_then(|()| {
            let staging = self.idle.take().ok_or(OUT_OF_TURN)?;
            Flight::start(self.rank, &self.regions, staging)
        });
        match started {
            Ok(flight) => self.flight = Some(flight),
            Err(error) => {
                self.give_up();
                return Err(error);
            }
        }
        Ok(())
    }

    /// Tells the neighbours that this rank has nothing for them, by empty messages. Theirs are received by memory that nobody looks at and that
    /// is never freed: this rank does not wait for them.
    fn give_up(&self) {
        let comm = self.rank.communicator();
        for region in &self.regions {
            let process = comm.process_at_rank(region.neighbour as i32);
            let unread: &'static mut [u8] = Vec::leak(vec![0; region.bytes.max(1)]);
            let received =
                process.immediate_receive_into_with_tag(StaticScope, &mut unread[..region.bytes], region.received_tag);
            // A request that is forgotten goes on.
            mem::forget(received);
            process.send_with_tag(&[0u8; 0][..], region.sent_tag);
        }
    }

    /// Waits for the messages and unpacks the halo, once all evaluations that were started before and use the tensor are complete.
    ///
    /// # Errors
    /// [`Error::OutOfTurn`] without [`begin`](Self::begin), [`Error::OtherRank`] where [`begin`](Self::begin) failed on a neighbour, and
    /// when the device fails. The halo is then as it was.
    pub fn finish(&mut self) -> Result<()> {
        let Some(flight) = self.flight.take() else {
            return Err(Error::OutOfTurn { called: "finish", instead: "without `begin`" });
        };
        let (staging, failed) = flight.land(&self.regions);
        self.idle = Some(staging);
        if let Some(rank) = failed {
            return Err(Error::OtherRank { operation: "Halo::finish", rank });
        }
        self.unpack.eval()?;
        Ok(())
    }

    /// Bytes that this rank sends in an exchange, and as many that it receives.
    pub fn bytes(&self) -> usize {
        self.regions.iter().map(|region| region.bytes).sum()
    }
}

impl<const D: usize> Drop for Halo<'_, D> {
    /// Never waits: a neighbour that failed would never answer. The memory of messages that are still on their way is leaked.
    fn drop(&mut self) {
        if let Some(flight) = self.flight.take() {
            flight.requests.iter().for_each(Request::cancel);
            mem::forget(flight);
        }
    }
}

impl<const D: usize> std::fmt::Debug for Halo<'_, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let neighbours: Vec<_> = self.regions.iter().map(|region| region.neighbour).collect();
        f.debug_struct("Halo").field("neighbours", &neighbours).field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}

impl Flight {
    fn start<const D: usize>(rank: &Rank, regions: &[Region<D>], staging: Staging) -> Result<Self> {
        let sent = Sent::try_new(staging.sent, |tensor| tensor.map())?;
        let mut received = Received::try_new(MutBorrow::new(staging.received), |tensor| tensor.borrow_mut().map_mut())?;
        let comm = rank.communicator();
        let mut requests = Vec::with_capacity(2 * regions.len());
        received.with_dependent_mut(|_, words| {
            let mut rest: &mut [u32] = words;
            let mut taken = 0;
            for region in regions {
                let (own, behind) = mem::take(&mut rest).split_at_mut(region.start + region.words - taken);
                let own = &mut own[region.start - taken..];
                (rest, taken) = (behind, region.start + region.words);
                let bytes = &mut bytemuck::cast_slice_mut::<u32, u8>(own)[..region.bytes];
                // SAFETY: the memory stays where it is until `land`, which waits for the request, or for ever: a flight that is dropped
                // otherwise is leaked. Nobody else uses the bytes as long as the request is open.
                let bytes = unsafe { mem::transmute::<&mut [u8], &'static mut [u8]>(bytes) };
                let process = comm.process_at_rank(region.neighbour as i32);
                requests.push(process.immediate_receive_into_with_tag(StaticScope, bytes, region.received_tag));
            }
        });
        let words: &[u32] = sent.borrow_dependent();
        for region in regions {
            let bytes = &bytemuck::cast_slice::<u32, u8>(&words[region.start..][..region.words])[..region.bytes];
            // SAFETY: as above; evaluations that would write the tensor are refused as long as it is mapped.
            let bytes = unsafe { mem::transmute::<&[u8], &'static [u8]>(bytes) };
            let process = comm.process_at_rank(region.neighbour as i32);
            requests.push(process.immediate_send_with_tag(StaticScope, bytes, region.sent_tag));
        }
        Ok(Self { requests, sent, received })
    }

    /// Waits for all messages and gives the tensors back, and the lowest rank that sent nothing.
    fn land<const D: usize>(self, regions: &[Region<D>]) -> (Staging, Option<usize>) {
        let mut requests = self.requests.into_iter();
        let mut failed: Option<usize> = None;
        // The first requests are those of received regions.
        for (region, request) in regions.iter().zip(&mut requests) {
            let received = request.wait().count(u8::equivalent_datatype());
            if received as usize != region.bytes {
                failed = Some(failed.map_or(region.neighbour, |rank| rank.min(region.neighbour)));
            }
        }
        requests.for_each(Request::wait_without_status);
        (Staging { sent: self.sent.into_owner(), received: self.received.into_owner().into_inner() }, failed)
    }
}

/// The two sequences of a halo, recorded with its tensor.
struct Recorded<const D: usize> {
    regions: Vec<Region<D>>,
    pack: Sequence,
    unpack: Sequence,
    staging: Staging,
}

impl<const D: usize> Recorded<D> {
    fn new<T: Plain>(padded: [usize; D], regions: Vec<Region<D>>, tensor: &mut Tensor<T>) -> Result<Self> {
        let mgr = tensor.manager();
        let words = regions.last().map_or(0, |region| region.start + region.words);
        let staging = |name, memory| mgr.tensor_in(memory, TensorDesc { name, contents: Contents::Zeros(words) });
        let mut staging = Staging {
            sent: staging("halo to send", MemoryKind::Readback)?,
            received: staging("halo received", MemoryKind::Upload)?,
        };
        let (pack, unpack) = (mgr.sequence()?, mgr.sequence()?);
        // The largest words that elements consist of: a cell is one or several of them.
        macro_rules! record {
            ($word:ty) => {{
                let layout = Layout::new(padded, size_of::<T>() / size_of::<$word>())?;
                for region in &regions {
                    let size = layout.size(region);
                    let (start, end) = (region.start, region.start + region.words);
                    let (from, pitch) = (layout.index(region.from), layout.pitch());
                    let mut sent = staging.sent.part_mut(start..end)?;
                    let mut sent = sent.cast_mut::<$word>()?;
                    CopyBox::dispatch(
                        &pack,
                        Grid::items(size),
                        from,
                        pitch,
                        &*tensor.cast::<$word>()?,
                        0,
                        uvec2(size[0], size[0] * size[1]),
                        &mut *sent,
                    )?;
                    let received = staging.received.part(start..end)?;
                    let received = received.cast::<$word>()?;
                    CopyBox::dispatch(
                        &unpack,
                        Grid::items(size),
                        0,
                        uvec2(size[0], size[0] * size[1]),
                        &*received,
                        layout.index(region.to),
                        pitch,
                        &mut *tensor.cast_mut::<$word>()?,
                    )?;
                }
            }};
        }
        match size_of::<T>() {
            bytes if bytes % 4 == 0 => record!(u32),
            bytes if bytes % 2 == 0 => record!(u16),
            _ => record!(u8),
        }
        Ok(Self { regions, pack, unpack, staging })
    }
}

/// The words of a padded box: where a cell begins, and how far rows and layers are from each other.
struct Layout {
    /// Words of a cell.
    words: u32,
    /// Cells along each axis, with the halo; 1 along axes that there are none of.
    padded: [u32; 3],
}

impl Layout {
    /// # Errors
    /// [`Error::BoxTooLarge`] where a 32-bit index does not reach each word.
    fn new<const D: usize>(padded: [usize; D], words: usize) -> Result<Self> {
        let all = padded.iter().try_fold(words, |all, cells| all.checked_mul(*cells));
        if all.is_none_or(|all| u32::try_from(all).is_err()) {
            return Err(Error::BoxTooLarge { cells: padded.to_vec() });
        }
        Ok(Self { words: words as u32, padded: three(padded, 1) })
    }

    fn pitch(&self) -> UVec2 {
        let row = self.words * self.padded[0];
        uvec2(row, row * self.padded[1])
    }

    fn index<const D: usize>(&self, cell: [usize; D]) -> u32 {
        let [x, y, z] = three(cell, 0);
        z * self.pitch().y + y * self.pitch().x + x * self.words
    }

    /// The words of a region along each axis.
    fn size<const D: usize>(&self, region: &Region<D>) -> [u32; 3] {
        let [x, y, z] = three(region.size, 1);
        [x * self.words, y, z]
    }
}

/// Numbers of the first axes, and `rest` for the others.
fn three<const D: usize>(numbers: [usize; D], rest: u32) -> [u32; 3] {
    std::array::from_fn(|axis| numbers.get(axis).map_or(rest, |number| *number as u32))
}

/// The regions that a rank exchanges, one for each neighbour in each direction.
fn regions<const D: usize>(
    boxes: &Decomposition<D>,
    width: usize,
    neighbours: Neighbours,
    element: usize,
) -> Vec<Region<D>> {
    let extent = boxes.extent();
    // Parts of tensors that kernels get begin at a multiple of these bytes on every device.
    const ALIGNMENT: usize = 256;
    let mut start = 0;
    let mut regions = Vec::new();
    for code in 0..3usize.pow(D as u32) {
        let direction: [i8; D] = std::array::from_fn(|axis| (code / 3usize.pow(axis as u32) % 3) as i8 - 1);
        let steps = direction.iter().filter(|step| **step != 0).count();
        if width == 0 || steps == 0 || neighbours == Neighbours::Sides && steps > 1 {
            continue;
        }
        let Some(neighbour) = boxes.neighbour(direction) else { continue };
        let pick = |of: &dyn Fn(i8, usize) -> usize| std::array::from_fn(|axis| of(direction[axis], extent[axis]));
        let size: [usize; D] = pick(&|step, cells| if step == 0 { cells } else { width });
        let bytes = element * size.iter().product::<usize>();
        regions.push(Region {
            neighbour,
            sent_tag: code as i32,
            // The neighbour sends in the opposite direction.
            received_tag: (3usize.pow(D as u32) - 1 - code) as i32,
            start,
            words: bytes.div_ceil(4),
            bytes,
            from: pick(&|step, cells| if step == 1 { cells } else { width }),
            to: pick(&|step, cells| match step {
                -1 => 0,
                0 => width,
                _ => width + cells,
            }),
            size,
        });
        start += bytes.next_multiple_of(ALIGNMENT) / 4;
    }
    regions
}
