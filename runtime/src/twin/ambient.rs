//! The running invocation of the current thread, for device functions, which are not handed one.

use std::cell::Cell;
use std::fmt;
use std::ptr::NonNull;

use glam::UVec3;
use gridwise_ir::descriptor::{Location, Site, SiteKind};

use super::group::Invocation;
use super::launch::TrapSink;
use crate::core::trap::message_of;

thread_local! {
    /// Invariant: points to an invocation that outlives the `Scope` which set it, or is `None`.
    static CURRENT: Cell<Option<NonNull<()>>> = const { Cell::new(None) };
}

/// Makes an invocation the thread's current one until dropped.
pub(super) struct Scope {
    previous: Option<NonNull<()>>,
}

impl Scope {
    /// No current invocation yet; [`Scope::enter`] sets it.
    pub(super) fn new() -> Self {
        Self { previous: CURRENT.get() }
    }

    /// Makes `invocation` the current one until the next call or the end of the scope.
    ///
    /// # Safety
    /// `invocation` must stay alive and in place until then.
    #[inline]
    pub(super) unsafe fn enter(&self, invocation: &Invocation<'_>) {
        CURRENT.set(Some(NonNull::from(invocation).cast()));
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        CURRENT.set(self.previous);
    }
}

/// Calls `f` with the current invocation, if a kernel is running on this thread.
#[inline]
pub(super) fn with_current<R>(f: impl FnOnce(Option<&Invocation<'_>>) -> R) -> R {
    // SAFETY: by the invariant of `CURRENT` the pointer is to a live `Invocation`; it is only read, and not kept.
    f(CURRENT.get().map(|current| unsafe { current.cast::<Invocation<'_>>().as_ref() }))
}

/// The trap sink of device functions: the current invocation's launch, or a panic when no kernel is running.
#[derive(Debug, Clone, Copy)]
pub struct Ambient;

impl TrapSink for Ambient {
    #[cold]
    #[track_caller]
    fn trap(self, site: &'static Site, operands: [u32; 2]) {
        with_current(|current| match current {
            Some(invocation) => invocation.trap(site, operands),
            None => panic_as_rust(site, message_of(site, &operands)),
        });
    }

    #[cold]
    #[track_caller]
    fn panic(self, site: &'static Site, message: fmt::Arguments<'_>) -> ! {
        with_current(|current| {
            if let Some(invocation) = current {
                invocation.panic(site, message);
            }
        });
        panic_as_rust(site, message)
    }

    #[cold]
    fn print(self, site: &'static Site, words: u32, text: fmt::Arguments<'_>) {
        with_current(|current| match current {
            Some(invocation) => invocation.print(site, words, text),
            None if site.kind == SiteKind::PrintError => eprint!("{text}"),
            None => print!("{text}"),
        });
    }
}

/// Outside of a kernel, a device function is an ordinary function and panics as one.
#[cold]
#[track_caller]
fn panic_as_rust(site: &Site, message: impl fmt::Display) -> ! {
    let Site { location, text, .. } = site;
    panic!("{message}: `{text}` at {}:{}:{}", location.file, location.line, location.column)
}

/// Calls `f` with the current invocation.
///
/// # Panics
/// When the current thread is not running a kernel.
#[inline]
pub(super) fn with_running<R>(name: &str, f: impl FnOnce(&Invocation<'_>) -> R) -> R {
    with_current(|invocation| match invocation {
        Some(invocation) => f(invocation),
        None => panic!("`{name}()` was called outside of a running kernel; call it in a `#[kernel]` or `#[device]` fn"),
    })
}

/// Waits for all invocations of the running workgroup.
///
/// # Panics
/// When the current thread is not running a kernel.
pub fn barrier(place: &'static Location) {
    with_running("barrier", |invocation| invocation.barrier(place));
}

macro_rules! builtins {
    ($($name:ident $ty:ty, $doc:literal;)+) => { $(
        #[doc = $doc]
        ///
        /// # Panics
        /// When the current thread is not running a kernel.
        #[inline]
        pub fn $name() -> $ty {
            with_running(stringify!($name), |invocation| invocation.$name())
        }
    )+ };
}

builtins! {
    global_id UVec3, "Position of the running invocation in the grid.";
    local_id UVec3, "Position of the running invocation in its workgroup.";
    workgroup_id UVec3, "Position of the running workgroup in the grid.";
    num_workgroups UVec3, "Number of workgroups in the grid.";
    workgroup_size UVec3, "Invocations per workgroup along x, y and z.";
    local_index u32, "Position of the running invocation in its workgroup, counted along x first, then y, then z.";
    subgroup_id u32, "Number of the running subgroup in its workgroup.";
    subgroup_size u32, "Invocations per subgroup: the device's number, or what `#[kernel(subgroup = N)]` asks for.";
    subgroup_local_id u32, "Position of the running invocation in its subgroup.";
    num_subgroups u32, "Number of subgroups in the workgroup.";
}
