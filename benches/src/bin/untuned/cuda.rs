//! CUDA's side: the driver's own library, found when the program runs, so that machines without it measure the rest.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::time::Duration;

use gridwise_benches::Error as BenchError;
use libloading::{Library, Symbol};

use crate::error::Error;
use crate::workload::{ParamKind, Workload};

type Handle = *mut c_void;
type Pointer = u64;

/// The library, and a context that is this thread's.
pub(crate) struct Cuda {
    library: Library,
}

/// A workload's kernel with its data on the device.
pub(crate) struct Job<'c> {
    cuda: &'c Cuda,
    module: Handle,
    function: Handle,
    events: [Handle; 2],
    groups: [u32; 3],
    threads: [u32; 3],
    /// The bytes of each argument: a value, or an address.
    arguments: Vec<u64>,
    /// Address, bytes, and whether it is written.
    buffers: Vec<(Pointer, usize, bool)>,
}

/// Calls a function of the library; the types are those of `cuda.h`.
macro_rules! call {
    ($cuda:expr, $name:literal, fn($($ty:ty),*), $($argument:expr),*) => {{
        // SAFETY: the function has these parameters in every driver since CUDA 4; what pointers lead to lives as long as the call.
        let code = unsafe {
            let function: Symbol<'_, unsafe extern "C" fn($($ty),*) -> c_int> =
                $cuda.library.get(concat!($name, "\0").as_bytes())?;
            function($($argument),*)
        };
        if code == 0 { Ok(()) } else { Err(Error::Cuda { call: $name, code }) }
    }};
}

impl Cuda {
    /// The first device; nothing where there is no driver.
    ///
    /// # Errors
    /// When the driver fails.
    pub(crate) fn open() -> Result<Option<Self>, Error> {
        // SAFETY: loading the driver's library runs its initializers, which it is made for.
        let Ok(library) = (unsafe { Library::new("libcuda.so.1") }) else { return Ok(None) };
        let cuda = Self { library };
        let (mut device, mut context) = (0, std::ptr::null_mut());
        call!(cuda, "cuInit", fn(c_uint), 0)?;
        call!(cuda, "cuDeviceGet", fn(*mut c_int, c_int), &mut device, 0)?;
        call!(cuda, "cuDevicePrimaryCtxRetain", fn(*mut Handle, c_int), &mut context, device)?;
        call!(cuda, "cuCtxSetCurrent", fn(Handle), context)?;
        Ok(Some(cuda))
    }

    /// The workload from the compiled kernel in a folder.
    ///
    /// # Errors
    /// When there is none, or the driver fails.
    pub(crate) fn job(&self, workload: &Workload, folder: &Path) -> Result<Job<'_>, Error> {
        let path = folder.join(format!("{}.cubin", workload.file()));
        let image = std::fs::read(&path).map_err(BenchError::file(&path))?;
        let null = std::ptr::null_mut();
        let (mut module, mut function, mut events) = (null, null, [null; 2]);
        call!(self, "cuModuleLoadData", fn(*mut Handle, *const u8), &mut module, image.as_ptr())?;
        let name: *const c_char = c"run".as_ptr();
        call!(self, "cuModuleGetFunction", fn(*mut Handle, Handle, *const c_char), &mut function, module, name)?;
        for event in &mut events {
            call!(self, "cuEventCreate", fn(*mut Handle, c_uint), event, 0)?;
        }
        let mut job = Job {
            cuda: self,
            module,
            function,
            events,
            groups: workload.groups,
            threads: workload.kernel.workgroup_with(&[]),
            arguments: Vec::new(),
            buffers: Vec::new(),
        };
        for param in &workload.params {
            match &param.kind {
                ParamKind::Value { value, .. } => job.arguments.push(u32::from_ne_bytes(value.bytes()).into()),
                ParamKind::Buffer { data, is_written } => {
                    let bytes = data.bytes();
                    let mut pointer: Pointer = 0;
                    call!(self, "cuMemAlloc_v2", fn(*mut Pointer, usize), &mut pointer, bytes.len())?;
                    job.arguments.push(pointer);
                    job.buffers.push((pointer, bytes.len(), *is_written));
                    let host = bytes.as_ptr();
                    call!(self, "cuMemcpyHtoD_v2", fn(Pointer, *const u8, usize), pointer, host, bytes.len())?;
                }
            }
        }
        Ok(job)
    }
}

impl Job<'_> {
    /// Runs it so many times and tells what one time took on the device.
    ///
    /// # Errors
    /// When the driver fails.
    pub(crate) fn run(&self, times: u32) -> Result<Duration, Error> {
        let null = std::ptr::null_mut::<c_void>();
        let [first, last] = self.events;
        call!(self.cuda, "cuEventRecord", fn(Handle, Handle), first, null)?;
        let mut pointers: Vec<Handle> =
            self.arguments.iter().map(|argument| std::ptr::from_ref(argument).cast_mut().cast()).collect();
        let ([gx, gy, gz], [tx, ty, tz]) = (self.groups, self.threads);
        for _ in 0..times {
            call!(
                self.cuda,
                "cuLaunchKernel",
                fn(Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut Handle, *mut Handle),
                self.function,
                gx,
                gy,
                gz,
                tx,
                ty,
                tz,
                0,
                null,
                pointers.as_mut_ptr(),
                std::ptr::null_mut()
            )?;
        }
        call!(self.cuda, "cuEventRecord", fn(Handle, Handle), last, null)?;
        call!(self.cuda, "cuEventSynchronize", fn(Handle), last)?;
        let mut milliseconds = 0.0f32;
        call!(self.cuda, "cuEventElapsedTime", fn(*mut f32, Handle, Handle), &mut milliseconds, first, last)?;
        Ok(Duration::from_secs_f64(f64::from(milliseconds) / 1e3 / f64::from(times.max(1))))
    }

    /// The bytes of the written buffers.
    ///
    /// # Errors
    /// When the driver fails.
    pub(crate) fn results(&self) -> Result<Vec<Vec<u8>>, Error> {
        let mut results = Vec::new();
        for (pointer, len, _) in self.buffers.iter().filter(|buffer| buffer.2) {
            let mut bytes = vec![0u8; *len];
            call!(self.cuda, "cuMemcpyDtoH_v2", fn(*mut u8, Pointer, usize), bytes.as_mut_ptr(), *pointer, *len)?;
            results.push(bytes);
        }
        Ok(results)
    }
}

impl Drop for Job<'_> {
    fn drop(&mut self) {
        let free = || {
            for (pointer, ..) in &self.buffers {
                call!(self.cuda, "cuMemFree_v2", fn(Pointer), *pointer)?;
            }
            for event in self.events {
                call!(self.cuda, "cuEventDestroy_v2", fn(Handle), event)?;
            }
            call!(self.cuda, "cuModuleUnload", fn(Handle), self.module)
        };
        // A failure to free is nothing that a measurement could be told.
        let _: Result<(), Error> = free();
    }
}
