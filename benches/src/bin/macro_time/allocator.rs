//! The allocator of both contenders, which is the one that macros have.
//!
//! On Linux the program `rustc` is linked with jemalloc and exports `malloc` and its like, so a macro's shared library, which asks for
//! these by name, gets jemalloc's: `LD_DEBUG=bindings cargo check` shows it. A macro and naga alike spend a quarter of their time
//! there, so with the C library's allocator times and ratios are others.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod symbols {
    use std::ffi::{c_int, c_void};

    use tikv_jemalloc_sys as jemalloc;

    // Named as in rustc's own `main`: the linker takes jemalloc's functions in place of the C library's only where something needs them.
    #[used]
    static MALLOC: unsafe extern "C" fn(usize) -> *mut c_void = jemalloc::malloc;
    #[used]
    static CALLOC: unsafe extern "C" fn(usize, usize) -> *mut c_void = jemalloc::calloc;
    #[used]
    static REALLOC: unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void = jemalloc::realloc;
    #[used]
    static FREE: unsafe extern "C" fn(*mut c_void) = jemalloc::free;
    #[used]
    static POSIX_MEMALIGN: unsafe extern "C" fn(*mut *mut c_void, usize, usize) -> c_int = jemalloc::posix_memalign;
    #[used]
    static ALIGNED_ALLOC: unsafe extern "C" fn(usize, usize) -> *mut c_void = jemalloc::aligned_alloc;
}

/// What a report says of it.
pub(crate) const NAME: &str = if cfg!(all(target_os = "linux", target_env = "gnu")) {
    "jemalloc, as in rustc"
} else {
    "the system's, and not rustc's"
};
