//! The parent's side: the process, and what it is asked. It must not touch Vulkan.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::WorkerDesc;
use super::wire::{self, Answer, Hello, Request};
use crate::core::error::{Error, Result, WorkerEnd};
use crate::core::grid::Grid;
use crate::memory::data::GpuData;
use crate::memory::padding;
use crate::record::module::SpirvDesc;

/// The variable that tells a process that it is a worker.
pub(super) const ASKED: &str = "GRIDWISE_WORKER";

/// How long a process may take to say that it is a worker: it does before it does anything else.
const TO_GREET: Duration = Duration::from_secs(20);

/// How long one that closed its line may take to end, until nothing is said of how it did.
const TO_END: Duration = Duration::from_secs(60);

/// How long dropping a worker waits for its process.
const TO_REAP: Duration = Duration::from_millis(100);

/// A process that runs SPIR-V of others, so that a module which crashes or hangs its driver takes nobody along.
///
/// It is this program once more: `main` has to begin with [`serve_if_asked`](super::serve_if_asked). Data goes there and back by copies, so a call costs more
/// than a launch. Its device is that of [`Manager::new`](crate::Manager::new). When it ends in the midst of a call, that call is
/// [`Error::WorkerDied`], nothing that was to be written has changed, and the next call starts it anew. When it loses its device and
/// lives, that call is [`Error::WorkerRefused`], and the next call has another device.
///
/// A worker keeps faults apart, not attackers: it has all rights that the program has. There are workers on Unix; elsewhere
/// [`start`](Self::start) says that there are none, so that a program is the same everywhere.
///
/// ```no_run
/// use gridwise::{Error, Grid, Result, SpirvCode, SpirvDesc, Worker, WorkerDesc, serve_if_asked};
///
/// fn main() -> Result<()> {
///     serve_if_asked(); // in a worker, does not return
///     let file = std::fs::read("blur.spv").expect("a module");
///     let module = SpirvDesc { name: "blur", code: SpirvCode::Bytes(&file), entry_point: None, constants: &[] };
///     let mut worker = Worker::start(WorkerDesc::default())?;
///     let (from, mut to) = (vec![1.0f32; 100], vec![0.0f32; 100]);
///     match worker.call(&module, Grid::items(100)).read(0, &from).write(1, &mut to).push(&100u32).run() {
///         Err(died @ Error::WorkerDied { .. }) => println!("{died}"),
///         other => other?,
///     }
///     Ok(())
/// }
/// ```
#[derive(Debug)]
pub struct Worker {
    desc: WorkerDesc,
    running: Option<Process>,
    /// The process before, that was ended: until the system has done so its device may be busy with what it was told.
    ended: Option<Process>,
}

/// The process, while there is one. Invariant: it is killed when this is dropped.
#[derive(Debug)]
struct Process {
    /// There until this is dropped.
    child: Option<Child>,
    line: UnixStream,
}

impl Drop for Process {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        // This fails only where it has ended already, and so does waiting for it.
        let _ = child.kill();
        let until = Instant::now() + TO_REAP;
        while Instant::now() < until {
            if !matches!(child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        // A driver may keep a process until its device has done what it was told: seconds on an NVIDIA GPU.
        let reaper = std::thread::Builder::new().name("gridwise-reaper".into());
        let _ = reaper.spawn(move || child.wait());
    }
}

impl Worker {
    /// Starts the process.
    ///
    /// ```no_run
    /// use gridwise::{Error, Worker, WorkerDesc};
    ///
    /// match Worker::start(WorkerDesc::default()) {
    ///     Ok(worker) => println!("process {:?}", worker.process()),
    ///     Err(error @ Error::NoWorker { .. }) => println!("{error}"), // says why not
    ///     Err(other) => panic!("{other}"),
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Error::NoWorker`] when there can be no process, as on systems other than Unix, or the program does not begin with
    /// [`serve_if_asked`](super::serve_if_asked).
    pub fn start(desc: WorkerDesc) -> Result<Self> {
        let running = Some(Process::start(&desc.command)?);
        Ok(Self { desc, running, ended: None })
    }

    /// The number of the process, by which the system's tools know it; none after it has died, until the next call.
    ///
    /// ```no_run
    /// fn is_there(worker: &gridwise::Worker) -> bool {
    ///     worker.process().is_some()
    /// }
    /// ```
    pub fn process(&self) -> Option<u32> {
        self.running.as_ref()?.child.as_ref().map(Child::id)
    }

    /// A launch of a module, to be given its arguments and run.
    ///
    /// ```no_run
    /// use gridwise::{Grid, Result, SpirvDesc, Worker};
    ///
    /// fn blur(worker: &mut Worker, module: &SpirvDesc<'_>, from: &[f32], to: &mut [f32]) -> Result<()> {
    ///     let size = from.len() as u32;
    ///     worker.call(module, Grid::items(size)).read(0, from).write(1, to).push(&size).run()
    /// }
    /// ```
    pub fn call<'a>(&'a mut self, module: &SpirvDesc<'_>, grid: Grid) -> WorkerCall<'a> {
        let request = Request::new(module, grid);
        WorkerCall { worker: self, request, outputs: Vec::new() }
    }
}

/// A launch in a [`Worker`], with arguments by binding; made by [`Worker::call`].
///
/// ```no_run
/// use gridwise::{Grid, Result, SpirvDesc, Worker};
///
/// fn blur(worker: &mut Worker, module: &SpirvDesc<'_>, from: &[f32], to: &mut [f32]) -> Result<()> {
///     let size = from.len() as u32;
///     worker.call(module, Grid::items(size)).read(0, from).write(1, to).push(&size).run()
/// }
/// ```
#[must_use = "a call does nothing until it is run"]
pub struct WorkerCall<'a> {
    worker: &'a mut Worker,
    request: Request,
    /// The memory for the outputs, in the order of the request's buffers that are written.
    outputs: Vec<&'a mut [u8]>,
}

impl std::fmt::Debug for WorkerCall<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkerCall").field("worker", &self.worker).finish_non_exhaustive()
    }
}

impl<'a> WorkerCall<'a> {
    /// Data that the module reads through a binding.
    ///
    /// ```no_run
    /// use gridwise::{Grid, Result, SpirvDesc, Worker};
    ///
    /// fn blur(worker: &mut Worker, module: &SpirvDesc<'_>, from: &[f32], to: &mut [f32]) -> Result<()> {
    ///     let size = from.len() as u32;
    ///     worker.call(module, Grid::items(size)).read(0, from).write(1, to).push(&size).run()
    /// }
    /// ```
    pub fn read<T: GpuData>(mut self, binding: u32, data: &[T]) -> Self {
        let mut bytes = Vec::new();
        padding::append(data, &mut bytes);
        self.request.buffer(binding, false, size_of::<T>(), bytes);
        self
    }

    /// Data that the module may read and write through a binding; it changes only if the call ends well.
    ///
    /// ```no_run
    /// use gridwise::{Grid, Result, SpirvDesc, Worker};
    ///
    /// fn blur(worker: &mut Worker, module: &SpirvDesc<'_>, from: &[f32], to: &mut [f32]) -> Result<()> {
    ///     let size = from.len() as u32;
    ///     worker.call(module, Grid::items(size)).read(0, from).write(1, to).push(&size).run()
    /// }
    /// ```
    pub fn write<T: GpuData>(mut self, binding: u32, data: &'a mut [T]) -> Self {
        let len = size_of_val(data);
        let values = data.as_mut_ptr().cast::<u8>();
        // SAFETY: without padding, plain data is valid for reads of its bytes, and any bytes are such data; it is borrowed as long as
        // the call.
        let bytes = unsafe {
            padding::clear::<T>(values, data.len());
            std::slice::from_raw_parts_mut(values, len)
        };
        self.request.buffer(binding, true, size_of::<T>(), bytes.to_vec());
        self.outputs.push(bytes);
        self
    }

    /// All push constants, as one struct.
    ///
    /// ```no_run
    /// use gridwise::{Grid, Result, SpirvDesc, Worker};
    ///
    /// fn blur(worker: &mut Worker, module: &SpirvDesc<'_>, from: &[f32], to: &mut [f32]) -> Result<()> {
    ///     let size = from.len() as u32;
    ///     worker.call(module, Grid::items(size)).read(0, from).write(1, to).push(&size).run()
    /// }
    /// ```
    pub fn push<T: GpuData>(mut self, constants: &T) -> Self {
        padding::append(std::slice::from_ref(constants), self.request.push.insert(Vec::new()));
        self
    }

    /// Runs the launch, and waits for its end.
    ///
    /// ```no_run
    /// use gridwise::{Error, WorkerCall};
    ///
    /// fn is_sound(call: WorkerCall<'_>) -> Result<bool, Error> {
    ///     match call.run() {
    ///         Err(Error::WorkerDied { .. }) => Ok(false),
    ///         other => other.map(|()| true),
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Error::WorkerDied`] when the process ended or had to be ended, [`Error::WorkerRefused`] when it could not run the module,
    /// [`Error::NoWorker`] when the process before died and there can be no other.
    pub fn run(self) -> Result<()> {
        let Self { worker, request, mut outputs } = self;
        let desc = &worker.desc;
        let loaded_by = Instant::now().checked_add(desc.load_limit);
        let mut process = match worker.running.take() {
            Some(process) => process,
            None => {
                if let Some(ended) = &mut worker.ended {
                    ended.wait(loaded_by)?;
                }
                worker.ended = None;
                Process::start(&desc.command)?
            }
        };
        let mut phase = Phase { doing: "loading", limit: desc.load_limit, until: loaded_by };
        let answer = process.ask(&request, &mut phase, desc.time_limit, outputs.iter().map(|output| output.len()));
        match answer {
            Ok(Ok(results)) => {
                worker.running = Some(process);
                for (output, result) in outputs.iter_mut().zip(results) {
                    output.copy_from_slice(&result);
                }
                Ok(())
            }
            Ok(Err(cause)) => {
                worker.running = Some(process);
                Err(Error::WorkerRefused { module: request.name().to_owned(), cause })
            }
            Err(error) => {
                let how = process.end(&error, phase.limit);
                worker.ended = Some(process);
                Err(Error::WorkerDied { module: request.name().to_owned(), doing: phase.doing, how })
            }
        }
    }
}

/// The phase of a process, and its time limit.
struct Phase {
    doing: &'static str,
    limit: Duration,
    /// None where that is too far away to be told.
    until: Option<Instant>,
}

impl Process {
    fn start(command: &[OsString]) -> Result<Self> {
        let failed = |cause: String| Error::NoWorker { cause };
        if std::env::var_os(ASKED).is_some() {
            return Err(failed("this is a worker itself".to_owned()));
        }
        let system = |error: io::Error| failed(error.to_string());
        let (line, other) = UnixStream::pair().map_err(system)?;
        let (program, arguments) = match command.split_first() {
            Some((program, arguments)) => (program.into(), arguments),
            None => (std::env::current_exe().map_err(system)?, &[][..]),
        };
        // Text that is printed there, by layers too, is no part of what is said on the line.
        let child = Command::new(program)
            .args(arguments)
            .env(ASKED, "1")
            .stdin(Stdio::from(OwnedFd::from(other)))
            .stdout(Stdio::null())
            .spawn()
            .map_err(system)?;
        let mut process = Self { child: Some(child), line };
        let mut line = wire::Timed { line: &process.line, until: Some(Instant::now() + TO_GREET) };
        if let Err(error) = Hello::read(&mut line) {
            let how = process.end(&error, TO_GREET);
            let missing = "does `main` begin with `serve_if_asked()`?";
            return Err(failed(format!("the program did not say that it is a worker ({how}): {missing}")));
        }
        Ok(process)
    }

    /// The answer of the process to a request: the bytes that it wrote, or the reason why it could not.
    fn ask(
        &mut self,
        request: &Request,
        phase: &mut Phase,
        time_limit: Duration,
        sizes: impl Iterator<Item = usize>,
    ) -> io::Result<Result<Vec<Vec<u8>>, String>> {
        let mut line = wire::Timed { line: &self.line, until: phase.until };
        request.write(&mut line)?;
        if let Answer::Failed(cause) = Answer::read(&mut line)? {
            return Ok(Err(cause));
        }
        line.until = Instant::now().checked_add(time_limit);
        *phase = Phase { doing: "running", limit: time_limit, until: line.until };
        if let Answer::Failed(cause) = Answer::read(&mut line)? {
            return Ok(Err(cause));
        }
        sizes.map(|size| wire::read_bytes(&mut line, size)).collect::<io::Result<_>>().map(Ok)
    }

    /// How it ended; it is ended here where it has not.
    fn end(&mut self, error: &io::Error, limit: Duration) -> WorkerEnd {
        let is_late = matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock);
        // Where the line is closed, the process is about to end.
        let until = Instant::now() + if is_late { Duration::ZERO } else { TO_END };
        loop {
            match self.child.as_mut().map_or(Ok(None), Child::try_wait) {
                Ok(Some(status)) => {
                    return match (status.signal(), status.code()) {
                        (Some(signal), _) => WorkerEnd::Signal(signal),
                        (None, code) => WorkerEnd::Exit(code.unwrap_or_default()),
                    };
                }
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(1)),
                _ => break,
            }
        }
        // This fails only where it has ended already.
        let _ = self.child.as_mut().map(Child::kill);
        if is_late { WorkerEnd::TimeLimit(limit) } else { WorkerEnd::Unfinished }
    }

    /// Waits until the system has ended it, which was told to.
    fn wait(&mut self, until: Option<Instant>) -> Result<()> {
        while matches!(self.child.as_mut().map(Child::try_wait), Some(Ok(None))) {
            if until.is_some_and(|until| until <= Instant::now()) {
                let cause = "the system has not ended the one before yet, as a driver keeps a process until its device has done what it was \
                             told; call again later, or set a longer `load_limit`";
                return Err(Error::NoWorker { cause: cause.to_owned() });
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }
}
