//! Runs recorded steps on the processor.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use gridwise_ir::descriptor::{KernelDescriptor, ParamKind};

use crate::core::error::Error;
use crate::core::print::LaunchPrints;
use crate::core::times::Times;
use crate::core::trap::panic_error;
use crate::device::host::{HostDevice, HostOptions, HostPool};
use crate::record::launch::Extent;
use crate::record::steps::RecordedOp;
use crate::record::steps::{BufferArg, DispatchStep, Role, Step};
use crate::twin::{
    HostArgs, HostBuffer, HostFailure, HostGroup, HostImage, HostList, LaunchContext, Permutation, Stopped, Trap, stack,
};

/// Invocations that are worth waking another thread for.
const INVOCATIONS_PER_THREAD: u64 = 8 * 1024;

/// Fibers that are worth waking another thread for.
const FIBERS_PER_THREAD: u64 = 1024;

/// Fibers that may exist at once: systems bound how many stacks, with their guard pages, a process maps.
const MAX_FIBERS: u64 = 24 * 1024;

/// Runs all operations one after the other and notes when each ran; else as [`run_steps`].
///
/// # Safety
/// As [`run_steps`].
pub(crate) unsafe fn run_timed(
    host: &HostDevice,
    steps: &[Step],
    ops: &[RecordedOp],
    capacity: u32,
) -> (Option<Error>, Vec<LaunchPrints>, Times) {
    let (mut first, mut printed, mut spans) = (None, Vec::new(), Times::new());
    let start = Instant::now();
    for op in ops {
        let begun = start.elapsed();
        // SAFETY: the caller's promise.
        let (error, prints) = unsafe { run_steps(host, &steps[op.steps.clone()], capacity) };
        spans.push((!op.steps.is_empty()).then(|| (begun, start.elapsed())));
        printed.extend(prints);
        first = first.or(error);
    }
    (first, printed, spans)
}

/// Runs all steps; gives the error of the first launch that trapped or panicked, and what all of them printed, at most
/// `capacity` words each.
///
/// # Safety
/// The caller has the turn of the device's queue, and no host access to the steps' buffers is under way.
pub(crate) unsafe fn run_steps(host: &HostDevice, steps: &[Step], capacity: u32) -> (Option<Error>, Vec<LaunchPrints>) {
    let (mut first, mut printed) = (None, Vec::new());
    for step in steps {
        match step {
            Step::Dispatch(dispatch) => {
                // SAFETY: the caller's promise.
                let (error, prints) = unsafe { run_dispatch(host, dispatch, capacity) };
                printed.extend(prints);
                first = first.or(error);
            }
            // The recorder refuses them here.
            Step::Module(_) | Step::Commands(_) => {}
            // Steps run one after the other here.
            Step::Barrier | Step::Signal(_) | Step::WaitFor(_) => {}
            // Whoever runs a recording divides it there.
            Step::Host(_) | Step::Between(_) => {}
            Step::Copy { from, from_offset, to, to_offset, bytes } => {
                let (from, to) = (from.host_data(*from_offset), to.host_data(*to_offset));
                // SAFETY: the recorder checked both ranges; nothing else accesses them now. They may overlap.
                unsafe { std::ptr::copy(from, to, *bytes as usize) };
            }
            Step::CopyBox(step) => {
                for row in &step.rows {
                    let (from, to) = (step.from.0.host_data(row.from), step.to.0.host_data(row.to));
                    // SAFETY: the recorder checked all rows; nothing else accesses them now.
                    unsafe { std::ptr::copy_nonoverlapping(from, to, row.bytes as usize) };
                }
            }
            // SAFETY: the caller's promise.
            Step::Image(image) => unsafe { super::image::run(image) },
            Step::Fill { buffer, pattern, bytes } => {
                let data = buffer.host_data(0);
                for (word, value) in (0..*bytes as usize / 4).zip(pattern.iter().cycle()) {
                    // SAFETY: within the buffer, which is aligned; nothing else accesses it now.
                    unsafe { data.cast::<u32>().add(word).write(*value) };
                }
            }
        }
    }
    (first, printed)
}

/// # Safety
/// As [`run_steps`].
unsafe fn run_dispatch(
    host: &HostDevice,
    dispatch: &DispatchStep,
    capacity: u32,
) -> (Option<Error>, Option<LaunchPrints>) {
    let descriptor = dispatch.settled.descriptor;
    let extent = match &dispatch.indirect {
        None => dispatch.settled.extent,
        // SAFETY: the caller's promise.
        Some(indirect) => match unsafe { indirect.read_on_host(&descriptor.name.into()) } {
            Ok(groups) => Extent::of_groups(dispatch.workgroup(), groups),
            Err(error) => return (Some(error), None),
        },
    };
    if extent.is_empty() {
        return (None, None);
    }
    if let Some(error) = refuse_locals(dispatch) {
        return (Some(error), None);
    }
    let subgroup_size = descriptor.parallel.subgroup_size.unwrap_or(host.options.subgroup_size);
    let options = HostOptions { subgroup_size, ..host.options };
    #[cfg(feature = "sanitizer")]
    if host.is_sanitizer {
        // SAFETY: the caller's promise.
        return unsafe { super::sanitizer::run_dispatch(options, dispatch, extent, capacity) };
    }
    let launch = LaunchContext::new(descriptor, extent.items, extent.groups)
        .with_constants(dispatch.settled.constants)
        .with_options(options)
        .with_print_capacity(capacity);
    let bindings = dispatch.args.buffers.iter().map(|buffer| buffer.binding as usize + 1).max().unwrap_or(0);
    let mut buffers =
        vec![HostBuffer { data: std::ptr::NonNull::<u128>::dangling().as_ptr().cast(), len: 0 }; bindings];
    let mut lists = lists_of(descriptor);
    for argument in &dispatch.args.buffers {
        let buffer = HostBuffer { data: argument.buffer.host_data(0), len: argument.buffer.len() };
        if argument.role == Role::Member {
            // Images are found among the images.
            lists.iter_mut().filter(|list| list.binding == argument.binding).for_each(|list| list.members.push(buffer));
            continue;
        }
        buffers[argument.binding as usize] = buffer;
    }
    let of_image = |argument: &BufferArg| HostImage {
        binding: argument.binding,
        data: argument.buffer.host_data(0),
        shape: argument.buffer.image_layout().shape(),
        sampler: argument.sampler.unwrap_or_default(),
    };
    let images: Vec<_> = dispatch.args.buffers.iter().filter(|it| it.buffer.is_image()).map(of_image).collect();
    let push = dispatch.push_of_run();
    // SAFETY: one buffer per parameter, alive as long as `dispatch`; `KernelArgs` refused aliases of written ones, and the
    // queue's turn keeps everybody else away.
    let args = unsafe { HostArgs::new(&launch, &buffers, push.bytes()).with_images(&images).with_lists(&lists) };
    let panicked = run_groups(&host.pool, dispatch, &launch, &args);
    let trap = launch.trap();
    let error = match (panicked, launch.failure()) {
        (Some(payload), _) if !payload.is::<Stopped>() => Some(panic_payload(dispatch, &*payload)),
        (_, Some(failure)) => Some(failure_error(descriptor.name, failure.clone())),
        _ => trap.map(|trap| panic_error(descriptor.name, trap)),
    };
    (error, launch.take_prints())
}

/// The lists of a kernel, without their buffers yet.
fn lists_of(descriptor: &KernelDescriptor) -> Vec<HostList> {
    let lists = descriptor.params.iter().filter_map(|param| match param.kind {
        ParamKind::List { binding, .. } => Some(HostList { binding, members: Vec::new() }),
        _ => None,
    });
    lists.collect()
}

/// Runs every workgroup, on several threads when that pays; gives the first panic.
fn run_groups(
    pool: &HostPool,
    dispatch: &DispatchStep,
    launch: &LaunchContext,
    args: &HostArgs<'_>,
) -> Option<Box<dyn Any + Send>> {
    let [x, y, z] = launch.groups.map(u64::from);
    let total = x.saturating_mul(y).saturating_mul(z);
    let width = dispatch.workgroup().iter().map(|size| u64::from(*size)).product::<u64>().max(1);
    let wanted = match launch.options.seed {
        // In one order, whatever the machine: on one thread.
        Some(_) => 1,
        None if dispatch.settled.descriptor.parallel.full_workgroups => {
            let locals = dispatch.settled.descriptor.host_stack.locals.max(1);
            let fibers = MAX_FIBERS.min(stack::MOST_LOCALS_TOGETHER / locals);
            (total.saturating_mul(width) / FIBERS_PER_THREAD).min(fibers / width)
        }
        None => total.saturating_mul(width) / INVOCATIONS_PER_THREAD,
    };
    let order = launch.options.seed.map(|seed| Permutation::new(total, seed));
    let pool = if wanted > 1 { pool.get() } else { None };
    let threads = pool.map_or(1, |pool| wanted.min(pool.current_num_threads() as u64).min(total)).max(1);
    // A few chunks per thread even out uneven work.
    let chunk = (total / (threads * 8)).max(INVOCATIONS_PER_THREAD / 4 / width).max(1);
    let next = AtomicU64::new(0);
    let panicked = Mutex::new(None);
    let work = || {
        loop {
            // Past the end, a thread adds at most once: no overflow below 2^63 chunks.
            let start = next.fetch_add(chunk, Relaxed);
            if start >= total || launch.failure().is_some() {
                return;
            }
            let groups = start..total.min(start + chunk);
            let place = |index| order.as_ref().map_or(index, |order| order.get(index));
            let run = || groups.for_each(|index| run_group(dispatch, launch, args, place(index), x, y));
            match catch_unwind(AssertUnwindSafe(|| stack::with_room(dispatch.settled.descriptor.host_stack, run))) {
                Ok(Ok(())) => {}
                Ok(Err((bytes, cause))) => launch.fail(HostFailure::NoStacks { bytes, cause: cause.to_string() }),
                Err(payload) => {
                    panicked.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(payload);
                }
            }
        }
    };
    match pool {
        // In place: this thread takes part, and while it waits it does not pick up work of somebody else's pool, which
        // could be another launch waiting for this one.
        Some(pool) if threads > 1 => pool.in_place_scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|_| work());
            }
            work();
        }),
        _ => work(),
    }
    panicked.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[inline]
fn run_group(dispatch: &DispatchStep, launch: &LaunchContext, args: &HostArgs<'_>, index: u64, x: u64, y: u64) {
    let group = [index % x, index / x % y, index / x / y].map(|position| position as u32);
    (dispatch.host)(args, HostGroup::new(launch, group));
}

/// The error of a kernel whose locals the host device has no room for.
fn refuse_locals(dispatch: &DispatchStep) -> Option<Error> {
    let descriptor = dispatch.settled.descriptor;
    let asked = descriptor.host_stack.locals;
    let at_once = match descriptor.parallel.full_workgroups {
        true => dispatch.workgroup().iter().map(|size| u64::from(*size)).product(),
        false => 1,
    };
    let limit = stack::MOST_LOCALS.min(stack::MOST_LOCALS_TOGETHER / at_once.max(1));
    let (asked, limit) = match descriptor.host_stack.bytes {
        // Values that are passed on are no locals, and lie on the stack, too.
        bytes if asked <= limit && bytes > stack::MOST_BYTES => (bytes, stack::MOST_BYTES),
        _ => (asked, limit),
    };
    (asked > limit).then(|| Error::LocalsTooLarge { kernel: descriptor.name.into(), asked, limit })
}

/// The error of a launch that could not come to its end.
fn failure_error(kernel: &'static str, failure: HostFailure) -> Error {
    match failure {
        HostFailure::NoStacks { bytes, cause } => {
            Error::OutOfMemory { object: format!("the stacks of kernel `{kernel}` on the host device"), bytes, cause }
        }
        HostFailure::DivergentBarrier { barrier, waiting, invocations, other, group } => {
            let others = match other {
                Some(other) => format!("others wait at {}:{}:{}", other.file, other.line, other.column),
                None => "the others have returned".to_owned(),
            };
            let (file, line, column) = (barrier.file, barrier.line, barrier.column);
            Error::DivergentBarrier {
                kernel: kernel.into(),
                file,
                line,
                column,
                waiting,
                invocations,
                others,
                workgroup: group,
            }
        }
    }
}

/// The error of a twin that panicked.
fn panic_payload(dispatch: &DispatchStep, payload: &(dyn Any + Send)) -> Error {
    let descriptor = dispatch.settled.descriptor;
    if let Some(trap) = payload.downcast_ref::<Trap>() {
        return panic_error(descriptor.name, trap.clone());
    }
    let message = payload.downcast_ref::<String>().cloned();
    let message = message.or_else(|| payload.downcast_ref::<&str>().map(|&message| message.to_owned()));
    Error::KernelPanic {
        kernel: descriptor.name.into(),
        message: message.unwrap_or_else(|| "explicit panic".to_owned()),
        text: descriptor.name,
        file: descriptor.location.file,
        line: descriptor.location.line,
        column: descriptor.location.column,
        invocation: [0; 3],
        count: 1,
    }
}
