//! C++ with OpenMP, the peer of devices that are processors: the kernel's text is called for one invocation after the other, and the cores
//! share the workgroups. The library that the compiler made is loaded when the program runs.

use std::ffi::c_void;
use std::path::Path;
use std::time::{Duration, Instant};

use gridwise_benches::Error as BenchError;
use libloading::{Library, Symbol};

use crate::error::Error;
use crate::workload::{ParamKind, Workload};

/// The kernel's function: addresses of all arguments, and the workgroups along the axes.
type Run = unsafe extern "C" fn(*const *mut c_void, *const u32);

/// A workload's function with its data.
pub(crate) struct Native {
    library: Library,
    groups: [u32; 3],
    arguments: Vec<Argument>,
}

/// A value, or a buffer with its length in bytes, and whether it is written. Elements are aligned to 16 bytes at most.
struct Argument {
    memory: Vec<u128>,
    bytes: usize,
    is_written: bool,
}

impl Argument {
    fn new(bytes: &[u8], is_written: bool) -> Self {
        let mut memory = vec![0u128; bytes.len().div_ceil(size_of::<u128>()).max(1)];
        bytemuck::cast_slice_mut(&mut memory)[..bytes.len()].copy_from_slice(bytes);
        Self { memory, bytes: bytes.len(), is_written }
    }
}

impl Native {
    /// The workload from the compiled library in a folder; nothing where there is none, as of kernels with barriers.
    ///
    /// # Errors
    /// When the library cannot be loaded.
    pub(crate) fn open(workload: &Workload, folder: &Path) -> Result<Option<Self>, Error> {
        let path = folder.join(format!("{}.so", workload.file()));
        if !path.exists() {
            return Ok(None);
        }
        let path = path.canonicalize().map_err(BenchError::file(&path))?;
        // SAFETY: the library was compiled from our own text, which has no initializers but OpenMP's.
        let library = unsafe { Library::new(path) }?;
        let arguments = workload.params.iter().map(|param| match &param.kind {
            ParamKind::Value { value, .. } => Argument::new(&value.bytes(), false),
            ParamKind::Buffer { data, is_written } => Argument::new(data.bytes(), *is_written),
        });
        Ok(Some(Self { library, groups: workload.groups, arguments: arguments.collect() }))
    }

    /// Runs it so many times, and tells how long one time took.
    ///
    /// # Errors
    /// When the library has no such function.
    pub(crate) fn run(&mut self, times: u32) -> Result<Duration, Error> {
        let arguments: Vec<*mut c_void> =
            self.arguments.iter_mut().map(|argument| argument.memory.as_mut_ptr().cast()).collect();
        // SAFETY: our own text declares the function with this type.
        let run: Symbol<'_, Run> = unsafe { self.library.get(b"run\0") }?;
        let start = Instant::now();
        for _ in 0..times {
            // SAFETY: the arguments are those of the workload, in order, and as long as the kernel of ours has them, which checks its
            // indices; results of both are compared.
            unsafe { run(arguments.as_ptr(), self.groups.as_ptr()) };
        }
        Ok(start.elapsed() / times.max(1))
    }

    /// The bytes of the written buffers.
    pub(crate) fn results(&self) -> Vec<Vec<u8>> {
        let written = self.arguments.iter().filter(|argument| argument.is_written);
        written.map(|argument| bytemuck::cast_slice(&argument.memory)[..argument.bytes].to_vec()).collect()
    }
}
