//! Programs that lack what systems bound: file descriptors, memory, threads, room on the disk; many processes with one folder of
//! pipelines; and a process that forks. Each is a process of its own, with the limits that a shell sets: it gives the right data or an error, and never panics.

use std::ffi::{c_int, c_void};
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Output};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::{env, thread};

use gridwise::prelude::*;
use gridwise::{Contents, Error, ManagerDesc, PipelineCache, TensorDesc};
use libtest_mimic::{Arguments, Failed, Trial};

/// The task of a child process.
const TASK: &str = "GRIDWISE_SCARCE_TASK";
const FOLDER: &str = "GRIDWISE_SCARCE_FOLDER";

fn main() -> ExitCode {
    match env::var(TASK).as_deref() {
        Err(_) => libtest_mimic::run(&Arguments::from_args(), trials()).exit_code(),
        Ok(task) => {
            let done = match task {
                "files" => without_files(),
                "threads" => without_threads(),
                "memory" => without_memory(),
                "fork" => forking(),
                _ => open().and_then(|mgr| launch(&mgr)),
            };
            match done {
                Ok(()) => println!("done"),
                Err(error) => println!("error: {error}"),
            }
            ExitCode::SUCCESS
        }
    }
}

#[kernel]
fn scale(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = a * x[i];
}

#[kernel]
fn shift(a: f32, y: &mut [f32]) {
    let i = global_id().x;
    y[i] += a;
}

fn open() -> gridwise::Result<Manager> {
    let pipeline_cache = match env::var_os(FOLDER) {
        Some(folder) => PipelineCache::At(folder.into()),
        None => PipelineCache::Off,
    };
    Manager::with(ManagerDesc { validation: false, pipeline_cache, ..ManagerDesc::from_env()? })
}

/// Runs two kernels; panics at wrong data.
fn launch(mgr: &Manager) -> gridwise::Result<()> {
    let x = mgr.tensor(&[2.0f32; 50_000])?;
    let mut y = mgr.tensor_of_len::<f32>(50_000)?;
    let seq = mgr.sequence()?;
    Scale::dispatch(&seq, Grid::items(50_000), 3.0, &x, &mut y)?;
    Shift::dispatch(&seq, Grid::items(50_000), 1.0, &mut y)?;
    seq.eval()?;
    pollster::block_on(seq.eval_async()?)?;
    assert_eq!(y.to_vec()?, vec![7.0; 50_000]);
    mgr.save_pipelines();
    let statistics = mgr.statistics();
    eprintln!("{} compiled, {} loaded", statistics.pipelines_compiled, statistics.pipelines_loaded);
    Ok(())
}

/// With a manager, and then without a file descriptor.
fn without_files() -> gridwise::Result<()> {
    let mgr = open()?;
    let mut taken = Vec::new();
    while let Ok(file) = File::open("/dev/null") {
        taken.push(file);
    }
    match launch(&mgr) {
        Ok(()) => {}
        Err(error) => eprintln!("without files: {error}"),
    }
    match open() {
        Ok(mgr) => launch(&mgr)?,
        Err(error) => eprintln!("a manager without files: {error}"),
    }
    drop(taken);
    launch(&mgr)?;
    launch(&open()?)
}

/// Whether this process gets no threads.
static NO_THREADS: AtomicBool = AtomicBool::new(false);

/// Stands before the system's function, for everything in this process.
///
/// # Safety
/// As the function of this name.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_create(
    thread: *mut c_void,
    attributes: *const c_void,
    start: extern "C" fn(*mut c_void) -> *mut c_void,
    argument: *mut c_void,
) -> c_int {
    type Create = unsafe extern "C" fn(
        *mut c_void,
        *const c_void,
        extern "C" fn(*mut c_void) -> *mut c_void,
        *mut c_void,
    ) -> c_int;
    unsafe extern "C" {
        fn dlsym(handle: *mut c_void, name: *const std::ffi::c_char) -> *mut c_void;
    }
    const EAGAIN: c_int = 11;
    if NO_THREADS.load(Relaxed) {
        return EAGAIN;
    }
    // SAFETY: the next function of this name (`RTLD_NEXT` is -1), which has this type.
    unsafe {
        let next = dlsym(std::ptr::without_provenance_mut(usize::MAX), c"pthread_create".as_ptr());
        std::mem::transmute::<*mut c_void, Create>(next)(thread, attributes, start, argument)
    }
}

/// With a manager, and then without threads.
fn without_threads() -> gridwise::Result<()> {
    let (mgr, host) = (open()?, Manager::host());
    NO_THREADS.store(true, Relaxed);
    assert!(thread::Builder::new().spawn(|| {}).is_err(), "no thread can be had");
    launch(&mgr)?;
    launch(&host)?;
    NO_THREADS.store(false, Relaxed);
    launch(&mgr)?;
    launch(&host)
}

/// More than there is, then less.
fn without_memory() -> gridwise::Result<()> {
    let mgr = open()?;
    let desc = TensorDesc::<[u32; 64]> { name: "large", contents: Contents::Uninit(1 << 22) };
    let mut held = Vec::new();
    let error = loop {
        match mgr.tensor_with(desc) {
            Ok(tensor) => held.push(tensor),
            Err(error) => break error,
        }
        assert!(held.len() < 64, "64 GiB of tensors in a process that has not so much");
    };
    assert!(matches!(error, Error::OutOfMemory { .. } | Error::BufferTooLarge { .. }), "{error}");
    eprintln!("{} of 1 GiB, then: {error}", held.len());
    drop(held);
    launch(&mgr)
}

/// With children of a process that has managers and work under way: what is left alone in them goes on in the parent.
fn forking() -> gridwise::Result<()> {
    unsafe extern "C" {
        fn fork() -> c_int;
        fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
        fn _exit(status: c_int) -> !;
    }
    let (mgr, host) = (open()?, Manager::host());
    launch(&host)?;
    let x = mgr.tensor(&[2.0f32; 50_000])?;
    let mut y = mgr.tensor_of_len::<f32>(50_000)?;
    let seq = mgr.sequence()?;
    for _ in 0..20 {
        Scale::dispatch(&seq, Grid::items(50_000), 3.0, &x, &mut y)?;
    }
    let running = seq.eval_async()?;
    // SAFETY: the child does nothing but end, which it may whatever threads the parent has.
    let child = unsafe {
        match fork() {
            0 => _exit(7),
            child => child,
        }
    };
    assert!(child > 0, "a child");
    let replaced = Command::new("/bin/sh").args(["-c", "exit 3"]).status().expect("a shell");
    assert_eq!(replaced.code(), Some(3));
    let mut status = 0;
    // SAFETY: a child of this process, and a place for its status.
    assert_eq!(unsafe { waitpid(child, &raw mut status, 0) }, child);
    assert_eq!(status >> 8, 7, "it ended by itself");
    running.wait()?;
    assert_eq!(y.to_vec()?, vec![6.0; 50_000]);
    launch(&mgr)?;
    launch(&host)
}

/// Runs this program as a child, with limits that a shell sets first.
fn child(task: &str, limits: &str, folder: Option<&PathBuf>) -> Result<Output, Failed> {
    let program = env::args().next().ok_or("no name")?;
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &format!("{limits}exec \"$0\""), &program]).env(TASK, task);
    if let Some(folder) = folder {
        command.env(FOLDER, folder);
    }
    Ok(command.output()?)
}

/// The child came to its end; `must_work`: without an error.
fn check(output: &Output, must_work: bool) -> Result<(), Failed> {
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let is_fine = output.status.success() && !errors.contains("panicked") && !(must_work && text.contains("error: "));
    match is_fine && (text.contains("done") || text.contains("error: ")) {
        true => Ok(()),
        false => Err(format!("{}: {text}{errors}", output.status).into()),
    }
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("gridwise-scarce-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

fn trials() -> Vec<Trial> {
    vec![
        Trial::test("eight_processes_share_a_folder", eight_processes),
        Trial::test("a_full_disk_costs_nothing", full_disk),
        Trial::test("few_file_descriptors", few_files),
        Trial::test("no_file_descriptor_left", || check(&child("files", "ulimit -n 128; ", None)?, true)),
        Trial::test("no_thread_left", || check(&child("threads", "", None)?, true)),
        Trial::test("children_leave_managers_alone", || check(&child("fork", "", None)?, true)),
        Trial::test("little_memory", || check(&child("memory", "ulimit -v 4000000; ", None)?, true)),
    ]
}

fn eight_processes() -> Result<(), Failed> {
    let folder = Folder::new("eight");
    let run = || {
        let path = folder.0.clone();
        thread::spawn(move || {
            child("launch", "", Some(&path)).map_err(|failed| failed.message().unwrap_or("?").to_owned())
        })
    };
    let threads: Vec<_> = (0..8).map(|_| run()).collect();
    for thread in threads {
        let output = thread.join().map_err(|_| "panicked")??;
        check(&output, true)?;
    }
    let files: Vec<_> = fs::read_dir(&folder.0).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    assert!(files.iter().all(|path| path.extension().is_some_and(|extension| extension == "pipeline")), "{files:?}");
    let last = child("launch", "", Some(&folder.0))?;
    check(&last, true)?;
    let told = String::from_utf8_lossy(&last.stderr).into_owned();
    assert!(files.is_empty() || told.contains("0 compiled, 2 loaded"), "{told}");
    Ok(())
}

fn full_disk() -> Result<(), Failed> {
    let folder = Folder::new("full");
    let output = child("launch", "trap '' XFSZ; ulimit -f 0; ", Some(&folder.0))?;
    check(&output, true)?;
    let whole = fs::read_dir(&folder.0).into_iter().flatten().flatten().count();
    assert_eq!(whole, 0, "no half-written file stays");
    Ok(())
}

fn few_files() -> Result<(), Failed> {
    // With three a program does not even find its libraries.
    for count in [4, 6, 8, 12, 16, 24, 32, 64] {
        let output = child("launch", &format!("ulimit -n {count}; "), None)?;
        check(&output, count == 64).map_err(|failed| format!("{count}: {}", failed.message().unwrap_or("?")))?;
    }
    Ok(())
}
