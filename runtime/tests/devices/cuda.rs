//! CUDA on a tensor's memory: a kernel of CUDA between two of ours, without a copy. Where there is no CUDA, the test is ignored.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::os::fd::IntoRawFd;
use std::ptr;

use gridwise_runtime::{Contents, Error, Grid, ManagerDesc, TensorDesc};

use crate::harness::{Device, Outcome, cases, ignored, open};
use crate::kernels::Saxpy;
use crate::ramp;

cases! {
    once_on_vulkan: cuda_kernels_work_on_tensors;
}

/// `data[i] += data[i]` for the first `n` elements.
const DOUBLE: &CStr = c"
.version 7.0
.target sm_70
.address_size 64
.visible .entry double_all(.param .u64 data, .param .u32 n)
{
    .reg .pred %past;
    .reg .b32 %n, %size, %group, %item, %i;
    .reg .b64 %data, %offset, %at;
    .reg .f32 %value;
    ld.param.u64 %data, [data];
    ld.param.u32 %n, [n];
    mov.u32 %size, %ntid.x;
    mov.u32 %group, %ctaid.x;
    mov.u32 %item, %tid.x;
    mad.lo.u32 %i, %group, %size, %item;
    setp.ge.u32 %past, %i, %n;
    @%past bra DONE;
    cvta.to.global.u64 %at, %data;
    mul.wide.u32 %offset, %i, 4;
    add.u64 %at, %at, %offset;
    ld.global.f32 %value, [%at];
    add.f32 %value, %value, %value;
    st.global.f32 [%at], %value;
DONE:
    ret;
}
";

/// `CUDA_EXTERNAL_MEMORY_HANDLE_DESC`.
#[repr(C)]
struct HandleDesc {
    kind: c_uint,
    handle: Handle,
    size: u64,
    flags: c_uint,
    reserved: [c_uint; 16],
}

#[repr(C)]
union Handle {
    fd: c_int,
    win32: [*const c_void; 2],
}

/// `CUDA_EXTERNAL_MEMORY_BUFFER_DESC`.
#[repr(C)]
struct BufferDesc {
    offset: u64,
    size: u64,
    flags: c_uint,
    reserved: [c_uint; 16],
}

const OPAQUE_FD: c_uint = 1;
const DEDICATED: c_uint = 1;

/// `cuLaunchKernel`.
type Launch = extern "C" fn(
    *mut c_void,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    *mut c_void,
    *mut *mut c_void,
    *mut *mut c_void,
) -> c_int;

/// CUDA's driver.
struct Cuda(*mut c_void);

impl Cuda {
    fn load() -> Option<Self> {
        // SAFETY: a library that may be loaded at any time.
        let library = unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW) };
        (!library.is_null()).then_some(Self(library))
    }

    /// A function of the driver.
    ///
    /// # Safety
    /// `F` is the type of a pointer to it.
    unsafe fn get<F: Copy>(&self, name: &CStr) -> F {
        // SAFETY: an open library.
        let found = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        assert!(!found.is_null() && size_of::<F>() == size_of::<*mut c_void>(), "no {name:?}");
        // SAFETY: the caller's promise.
        unsafe { std::mem::transmute_copy(&found) }
    }
}

#[track_caller]
fn check(result: c_int) {
    assert_eq!(result, 0, "an error of CUDA");
}

fn cuda_kernels_work_on_tensors() -> Outcome {
    let Some(cuda) = Cuda::load() else { return ignored("there is no `libcuda.so.1`") };
    let first = Device { manager: open(ManagerDesc { validation: true, ..ManagerDesc::from_env().unwrap() }) };
    let Some(uuid) = first.device().uuid else { return ignored("the device has no UUID") };
    // SAFETY: the types are those of CUDA's headers, as in all of this function; the pointers live during the calls.
    let context_of = |uuid: [u8; 16]| unsafe {
        let init: extern "C" fn(c_uint) -> c_int = cuda.get(c"cuInit");
        let count_of: extern "C" fn(*mut c_int) -> c_int = cuda.get(c"cuDeviceGetCount");
        let uuid_of: extern "C" fn(*mut [u8; 16], c_int) -> c_int = cuda.get(c"cuDeviceGetUuid");
        let retain: extern "C" fn(*mut *mut c_void, c_int) -> c_int = cuda.get(c"cuDevicePrimaryCtxRetain");
        let make_current: extern "C" fn(*mut c_void) -> c_int = cuda.get(c"cuCtxSetCurrent");
        let (mut count, mut found) = (0, [0; 16]);
        if init(0) != 0 || count_of(&raw mut count) != 0 {
            return false;
        }
        // Ordinals of devices are their handles.
        let Some(device) = (0..count).find(|device| uuid_of(&raw mut found, *device) == 0 && found == uuid) else {
            return false;
        };
        let mut context = ptr::null_mut();
        check(retain(&raw mut context, device));
        check(make_current(context));
        true
    };
    if !context_of(uuid.0) {
        return ignored("CUDA does not have the device");
    }
    let len = 10_000;
    let desc = TensorDesc { name: "shared", contents: Contents::Data(&ramp(len)) };
    let mut shared = match first.shareable_tensor(desc) {
        Err(error @ Error::CannotShare { .. }) => return ignored(error),
        made => made.unwrap(),
    };
    let (ones, mut result) = (first.tensor(&vec![1.0f32; len]).unwrap(), first.tensor(&vec![0.0f32; len]).unwrap());
    let (before, after) = (first.sequence().unwrap(), first.sequence().unwrap());
    Saxpy::dispatch(&before, Grid::items(len), 1.0, &ones, &mut shared).unwrap();
    Saxpy::dispatch(&after, Grid::items(len), 1.0, &shared, &mut result).unwrap();

    let (fd, layout) = shared.share().unwrap().into_parts();
    let (mut memory, mut data, mut module, mut function) = (ptr::null_mut(), 0u64, ptr::null_mut(), ptr::null_mut());
    // SAFETY: as above; the memory is that of a descriptor which CUDA takes over.
    let launch: Launch = unsafe {
        let import: extern "C" fn(*mut *mut c_void, *const HandleDesc) -> c_int = cuda.get(c"cuImportExternalMemory");
        let map: extern "C" fn(*mut u64, *mut c_void, *const BufferDesc) -> c_int =
            cuda.get(c"cuExternalMemoryGetMappedBuffer");
        let load: extern "C" fn(*mut *mut c_void, *const c_char) -> c_int = cuda.get(c"cuModuleLoadData");
        let find: extern "C" fn(*mut *mut c_void, *mut c_void, *const c_char) -> c_int =
            cuda.get(c"cuModuleGetFunction");
        let handle = HandleDesc {
            kind: OPAQUE_FD,
            handle: Handle { fd: fd.into_raw_fd() },
            size: layout.allocated,
            flags: DEDICATED,
            reserved: [0; 16],
        };
        check(import(&raw mut memory, &raw const handle));
        let buffer = BufferDesc { offset: 0, size: layout.bytes, flags: 0, reserved: [0; 16] };
        check(map(&raw mut data, memory, &raw const buffer));
        check(load(&raw mut module, DOUBLE.as_ptr()));
        check(find(&raw mut function, module, c"double_all".as_ptr()));
        cuda.get(c"cuLaunchKernel")
    };
    // SAFETY: as above.
    let synchronize: extern "C" fn() -> c_int = unsafe { cuda.get(c"cuCtxSynchronize") };
    // SAFETY: as above.
    let free: extern "C" fn(u64) -> c_int = unsafe { cuda.get(c"cuMemFree_v2") };
    // SAFETY: as above.
    let destroy: extern "C" fn(*mut c_void) -> c_int = unsafe { cuda.get(c"cuDestroyExternalMemory") };
    let (mut expected, mut sums) = (ramp(len), vec![0.0f32; len]);
    for _ in 0..3 {
        before.eval().unwrap();
        let mut count = len as c_uint;
        let mut arguments = [(&raw mut data).cast::<c_void>(), (&raw mut count).cast()];
        let groups = (len as c_uint).div_ceil(256);
        let (arguments, none) = (arguments.as_mut_ptr(), ptr::null_mut());
        check(launch(function, groups, 1, 1, 256, 1, 1, 0, none, arguments, ptr::null_mut()));
        check(synchronize());
        after.eval().unwrap();
        for (value, sum) in expected.iter_mut().zip(&mut sums) {
            *value = (*value + 1.0) * 2.0;
            *sum += *value;
        }
    }
    assert!(shared.to_vec().unwrap() == expected && result.to_vec().unwrap() == sums);
    check(free(data));
    check(destroy(memory));
    Outcome::Done
}
