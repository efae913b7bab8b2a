//! The allocator of both contenders, which is to be the one that macros have.
//!
//! On Linux the program `rustc` is linked with jemalloc and exports `malloc` and its like, so a macro's shared library, which asks for
//! these by name, gets jemalloc's: `LD_DEBUG=bindings cargo check` shows it. The macro and naga alike spend an eighth of their time there,
//! so with the C library's allocator times and ratios are others.

/// The library, which the loader finds where the system has it.
const LIBRARY: &str = "libjemalloc.so.2";

/// The variable that names libraries to load before all others.
pub(crate) const PRELOAD: &str = "LD_PRELOAD";

/// Starts this program again with jemalloc, unless the variable says already what is to be loaded, be it nothing. Comes back where that
/// fails or there is nothing to do.
pub(crate) fn enter() {
    #[cfg(target_os = "linux")]
    if std::env::var_os(PRELOAD).is_none()
        && let Ok(program) = std::env::current_exe()
    {
        use std::os::unix::process::CommandExt;
        // A library that is not there is left out, with a word of the loader. What cannot be started again is measured as it is.
        let _ = std::process::Command::new(program).args(std::env::args_os().skip(1)).env(PRELOAD, LIBRARY).exec();
    }
}

/// The name of the allocator for reports.
pub(crate) fn name() -> &'static str {
    let loaded = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    match loaded.contains("libjemalloc") {
        true => "jemalloc, as in rustc",
        false => "the system's, and not rustc's (Debian: `apt install libjemalloc2`)",
    }
}
