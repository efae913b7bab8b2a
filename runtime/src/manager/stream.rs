//! Data that passes a kernel in chunks: uploads, kernels and downloads of different chunks overlap.

use std::fmt;

use crate::core::error::{Error, Result};
use crate::core::pages;
use crate::device::QueueKind;
use crate::manager::Manager;
use crate::memory::data::GpuData;
use crate::memory::tensor::{Contents, Tensor, TensorDesc};
use crate::record::ops::{OpSyncDevice, OpSyncHost};
use crate::run::evaluation::Evaluation;
use crate::run::sequence::Sequence;

/// As many chunks at once as any device could have a use for; each has memory of its own.
const MOST_IN_FLIGHT: usize = 64;

/// Processes data of any length chunk by chunk. While one chunk is computed, the next is uploaded and the previous one
/// downloaded, on separate queues if the device has them.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{Manager, Stream, ops::OpCopy};
///
/// let manager = Manager::host();
/// let data: Vec<u32> = (0..10_000).collect();
/// // Chunks of 1024 elements, 3 of them under way at once. One usually records a launch of a kernel here.
/// let mut stream = Stream::new(&manager, 1024, 3, |sequence, chunk| {
///     sequence.record(OpCopy::new(chunk.input, chunk.output)).map(drop)
/// })?;
/// assert_eq!(stream.map(&data)?, data);
/// # Ok(())
/// # }
/// ```
///
/// For data that does not fit into memory, [`run`](Self::run) takes chunks from one function and gives results to another. When
/// `in_flight` chunks are in flight, it waits for the oldest before it asks for more data.
pub struct Stream<In: GpuData, Out: GpuData, Record> {
    slots: Vec<Slot<In, Out>>,
    chunk: usize,
    record: Record,
}

/// A chunk as its kernels see it.
///
/// ```
/// use gridwise::{Chunk, Result, Sequence, Stream, ops::OpCopy};
///
/// /// The work on each chunk; a launch would be over `chunk.len` items.
/// fn record(sequence: &Sequence, chunk: Chunk<'_, u8, u8>) -> Result<()> {
///     assert!(chunk.len <= chunk.input.len());
///     sequence.record(OpCopy::new(chunk.input, chunk.output)).map(drop)
/// }
///
/// # fn main() -> Result<()> {
/// # let manager = gridwise::Manager::host();
/// assert_eq!(Stream::new(&manager, 4, 2, record)?.map(b"hello, world")?, b"hello, world");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Chunk<'a, In: GpuData, Out: GpuData> {
    /// The data. Only the first [`len`](Self::len) elements are of this chunk.
    pub input: &'a Tensor<In>,
    /// The tensor for the results, as many elements.
    pub output: &'a mut Tensor<Out>,
    /// Elements of the chunk; fewer than requested at the end of the data.
    pub len: usize,
}

/// The tensors and sequences of one chunk under way; used again for later ones.
struct Slot<In: GpuData, Out: GpuData> {
    input: Tensor<In>,
    output: Tensor<Out>,
    upload: Sequence,
    compute: Sequence,
    download: Sequence,
    /// The length that `compute` was recorded for.
    recorded: usize,
    running: Option<Running>,
}

struct Running {
    upload: Evaluation,
    compute: Evaluation,
    download: Evaluation,
    len: usize,
}

impl<In, Out, Record> Stream<In, Out, Record>
where
    In: GpuData,
    Out: GpuData,
    Record: FnMut(&Sequence, Chunk<'_, In, Out>) -> Result<()>,
{
    /// A stream with chunks of `chunk` elements and up to `in_flight` chunks in flight. `record` records the operations that
    /// compute the output of one chunk. It is called once for each of the `in_flight` chunks, and again for chunks of another
    /// length. `in_flight` is limited to 64: three chunks keep both directions and the kernels busy, and each chunk has memory of
    /// its own.
    ///
    /// ```
    /// use gridwise::{Chunk, Error, Sequence, Stream, ops::OpCopy};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let record = |sequence: &Sequence, chunk: Chunk<'_, f32, f32>| {
    ///     sequence.record(OpCopy::new(chunk.input, chunk.output)).map(drop)
    /// };
    /// assert!(Stream::new(&manager, 1 << 12, 3, record).is_ok());
    /// assert!(matches!(Stream::new(&manager, 0, 3, record), Err(Error::EmptyStream { .. })));
    /// ```
    ///
    /// # Errors
    /// When `chunk` or `in_flight` is zero, memory is exhausted, or `record` fails.
    pub fn new(manager: &Manager, chunk: usize, in_flight: usize, mut record: Record) -> Result<Self> {
        if chunk == 0 || in_flight == 0 {
            return Err(Error::EmptyStream { chunk, in_flight });
        }
        let queues = manager.queues();
        let transfers: Vec<usize> = (0..queues.len()).filter(|at| queues[*at].kind == QueueKind::Transfer).collect();
        // Each direction has a queue of its own, if need be one that computes: else downloads, which wait for kernels, would stand in
        // the way of uploads.
        let spare = |taken: &[usize]| (1..queues.len()).rev().find(|at| !taken.contains(at)).unwrap_or(0);
        let up = transfers.first().copied().unwrap_or_else(|| spare(&[]));
        let down = transfers.get(1).copied().unwrap_or_else(|| spare(&[up]));
        let make = |_| Slot::new(manager, chunk, [up, 0, down]);
        let mut slots = (0..in_flight.min(MOST_IN_FLIGHT)).map(make).collect::<Result<Vec<_>>>()?;
        slots.iter_mut().try_for_each(|slot| slot.record(chunk, &mut record))?;
        Ok(Self { slots, chunk, record })
    }

    /// Passes chunks from `source` through the device to `sink`, in order, and returns the number of elements.
    ///
    /// `source` fills a slice from its beginning and returns the number of elements; zero ends the stream. `sink` gets the same
    /// number of results. Both work in place, in memory that the device reads and writes.
    ///
    /// ```
    /// # use gridwise::{Error, Manager, Stream, ops::OpCopy};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::io::{Read, Write};
    ///
    /// # let manager = Manager::host();
    /// # let (mut file, mut results) = (&[7u8; 5000][..], Vec::new());
    /// let mut stream = Stream::new(&manager, 4096, 2, |sequence, chunk| {
    ///     sequence.record(OpCopy::new(chunk.input, chunk.output)).map(drop)
    /// })?;
    /// let passed = stream.run::<Box<dyn std::error::Error>>(
    ///     |into: &mut [u8]| Ok(file.read(into)?),
    ///     |from: &[u8]| Ok(results.write_all(from)?),
    /// )?;
    /// assert_eq!((passed, results.len()), (5000, 5000));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of `source`, `sink` and the recorded operations. After an error, `run` waits for the chunks in flight and drops
    /// their results; the stream may be run again.
    pub fn run<E: From<Error>>(
        &mut self,
        mut source: impl FnMut(&mut [In]) -> Result<usize, E>,
        mut sink: impl FnMut(&[Out]) -> Result<(), E>,
    ) -> Result<u64, E> {
        // A source or sink that panicked has left the chunks that were under way.
        self.drain();
        let passed = self.pass(&mut source, &mut sink);
        self.drain();
        passed
    }

    /// Leaves nothing behind, whatever happened.
    fn drain(&mut self) {
        for slot in &mut self.slots {
            let _ = slot.wait();
        }
    }

    fn pass<E: From<Error>>(
        &mut self,
        source: &mut impl FnMut(&mut [In]) -> Result<usize, E>,
        sink: &mut impl FnMut(&[Out]) -> Result<(), E>,
    ) -> Result<u64, E> {
        let (count, mut passed, mut next) = (self.slots.len(), 0, 0);
        loop {
            let slot = &mut self.slots[next % count];
            slot.finish(sink)?;
            let len = slot.input.fill_staged(|elements| source(elements))??.min(self.chunk);
            if len == 0 {
                break;
            }
            if slot.recorded != len {
                slot.record(len, &mut self.record)?;
            }
            slot.start(len)?;
            (passed, next) = (passed + len as u64, next + 1);
        }
        // The oldest first; the one at hand is free.
        for at in next + 1..next + count {
            self.slots[at % count].finish(sink)?;
        }
        Ok(passed)
    }

    /// Passes a slice through the device.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::{Chunk, Sequence, Stream, ops::OpCopy};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut stream = Stream::new(&manager, 3, 2, |sequence: &Sequence, chunk: Chunk<'_, u32, u32>| {
    ///     sequence.record(OpCopy::new(chunk.input, chunk.output)).map(drop)
    /// })?;
    /// assert_eq!(stream.map(&[1, 2, 3, 4, 5, 6, 7])?, [1, 2, 3, 4, 5, 6, 7]); // the last chunk is short
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run), and when there is no memory for the results.
    pub fn map(&mut self, data: &[In]) -> Result<Vec<Out>> {
        let mut results = pages::reserve(data.len()).map_err(|cause| Error::OutOfMemory {
            object: "results of a stream".to_owned(),
            bytes: size_of_val(data) as u64,
            cause: cause.to_string(),
        })?;
        let mut rest = data;
        let source = |into: &mut [In]| {
            let (now, later) = rest.split_at(rest.len().min(into.len()));
            into[..now.len()].copy_from_slice(now);
            rest = later;
            Ok(now.len())
        };
        self.run::<Error>(source, |chunk| {
            results.extend_from_slice(chunk);
            Ok(())
        })?;
        Ok(results)
    }
}

impl<In: GpuData, Out: GpuData> Slot<In, Out> {
    fn new(manager: &Manager, chunk: usize, [up, compute, down]: [usize; 3]) -> Result<Self> {
        // Zeros, so that what lies behind a short chunk is something.
        let input = manager.tensor_with(TensorDesc { name: "stream input", contents: Contents::Zeros(chunk) })?;
        let output = manager.tensor_with(TensorDesc { name: "stream output", contents: Contents::Zeros(chunk) })?;
        let [upload, compute, download] = [up, compute, down].map(|queue| manager.sequence_on(queue));
        let (upload, compute, download) = (upload?, compute?, download?);
        upload.record(OpSyncDevice::new(&input))?;
        download.record(OpSyncHost::new(&output))?;
        Ok(Self { input, output, upload, compute, download, recorded: 0, running: None })
    }

    fn record(
        &mut self,
        len: usize,
        record: &mut impl FnMut(&Sequence, Chunk<'_, In, Out>) -> Result<()>,
    ) -> Result<()> {
        self.compute.clear()?;
        // Until it is whole, it is for no length.
        self.recorded = 0;
        record(&self.compute, Chunk { input: &self.input, output: &mut self.output, len })?;
        self.recorded = len;
        Ok(())
    }

    fn start(&mut self, len: usize) -> Result<()> {
        let upload = self.upload.eval_async()?;
        let compute = self.compute.eval_async()?;
        let download = self.download.eval_async()?;
        self.running = Some(Running { upload, compute, download, len });
        Ok(())
    }

    /// Waits for what is under way; gives its length.
    fn wait(&mut self) -> Result<Option<usize>> {
        let Some(Running { upload, compute, download, len }) = self.running.take() else { return Ok(None) };
        // All of them, so that none runs when the first error is told.
        let ended = [upload.wait(), compute.wait(), download.wait()];
        ended.into_iter().collect::<Result<()>>()?;
        Ok(Some(len))
    }

    fn finish<E: From<Error>>(&mut self, sink: &mut impl FnMut(&[Out]) -> Result<(), E>) -> Result<(), E> {
        match self.wait()? {
            Some(len) => self.output.view_staged(|elements| sink(&elements[..len]))?,
            None => Ok(()),
        }
    }
}

impl<In: GpuData, Out: GpuData, Record> fmt::Debug for Stream<In, Out, Record> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (chunk, in_flight) = (self.chunk, self.slots.len());
        f.debug_struct("Stream").field("chunk", &chunk).field("in_flight", &in_flight).finish_non_exhaustive()
    }
}
