//! Keeps a program on one core: where the "GPU" is the processor, the scheduler's choices would be what is measured.

/// Ties this thread, and all it starts from now on, to the core it runs on; whether the system did so.
#[cfg(target_os = "linux")]
pub fn pin_to_this_core() -> bool {
    // SAFETY: a set of zeros is valid and empty; the calls take pointers to it, and its size.
    unsafe {
        let Ok(core) = usize::try_from(libc::sched_getcpu()) else { return false };
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(core, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set) == 0
    }
}

/// Ties this thread to the core it runs on; whether the system did so, which is unknown here.
#[cfg(not(target_os = "linux"))]
pub fn pin_to_this_core() -> bool {
    false
}
