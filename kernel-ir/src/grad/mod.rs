//! Gradients of kernels: from a kernel the one that computes, from the adjoints of what it writes, those of what it reads.
//!
//! The derivation works on a copy of the module as lowered, after functions are inlined and variables are values, and before any check is
//! removed: what comes out is compiled as any kernel is. Control flow goes backward as it is nested. A block's code runs once more, as far
//! as anything backward needs it, and then its rules in reverse; a loop counts its rounds, and each is computed again from the nearest of a
//! fixed number of kept states; of few rounds all states are kept. Adjoints are variables, which other passes turn into values; those of shared variables are shared, and
//! atomic. A barrier is a barrier in both directions.

mod activity;
mod apart;
mod check;
mod contents;
mod exchange;
mod forward;
mod loops;
mod matrices;
mod memory;
mod needs;
mod normal;
mod refusal;
mod reverse;
mod rules;
mod shadows;
mod states;
mod subgroups;

pub use activity::By;
pub use forward::Forward;
pub use refusal::{Refusal, Refused};
pub use shadows::{Shadow, ShadowKind, name_of};

use crate::arena::EntityId;
use crate::ir::{BufferId, InstKind, Module, Obligation, ParamId, Root};
use crate::passes::{self, Changed, CheckCount};

/// A derived kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Derived {
    /// The kernel's module. Its first buffers are those of the kernel it was derived from, of which it does not access those that are
    /// written; the shadows stand behind them.
    pub module: Module,
    /// By buffer of the kernel that was derived: where its adjoint is.
    pub buffers: Vec<Option<Shadow>>,
    /// By parameter of the kernel that was derived.
    pub params: Vec<Option<Shadow>>,
    /// Whether launches must be lines, because elements are added to that one invocation has to itself.
    pub needs_line: bool,
    /// Other conditions of launches under which that is so, of lengths of the kernel's own buffers and the line.
    pub conditions: Vec<Obligation>,
}

impl Derived {
    /// The adjoint of a buffer.
    pub fn buffer(&self, buffer: BufferId) -> Option<&Shadow> {
        self.buffers.get(buffer.index())?.as_ref()
    }

    /// The adjoint of a by-value parameter.
    pub fn param(&self, param: ParamId) -> Option<&Shadow> {
        self.params.get(param.index())?.as_ref()
    }
}

/// Derives the kernel of a module as lowered.
///
/// # Errors
/// A construct that cannot be derived, and its place.
///
/// # Panics
/// When the module has no kernel.
pub fn derive(module: &Module, by: &By) -> Result<Derived, Refusal> {
    let prepared = prepare(module)?;
    let apart = apart::find(module, by);
    let mut derived = reverse::derive(&prepared, by, &apart.buffers)?;
    tidy(&mut derived.module);
    let has = |kind| derived.buffers.iter().flatten().any(|shadow| shadow.kind == kind);
    derived.needs_line = has(ShadowKind::Own) || apart.needs_line && has(ShadowKind::Apart);
    derived.conditions = if has(ShadowKind::Apart) { apart.conditions } else { Vec::new() };
    refuse_overwritten(&prepared, &derived)?;
    Ok(derived)
}

/// The kernel that computes, beside what the kernel writes, how that changes along a direction: forward mode. The direction is in
/// parameters behind those of the kernel; the change of each output is in a buffer of its own.
///
/// # Errors
/// A construct that cannot be derived, and its place.
///
/// # Panics
/// When the module has no kernel.
pub fn derive_forward(module: &Module, by: &By) -> Result<Forward, Refusal> {
    let prepared = prepare(module)?;
    let mut derived = forward::derive(&prepared, by)?;
    tidy(&mut derived.module);
    Ok(derived)
}

/// Values for variables, one function, jumps to the innermost loop, and the normal form.
fn prepare(module: &Module) -> Result<Module, Refusal> {
    let mut module = module.clone();
    passes::flatten(&mut module).map_err(|_| Refusal { location: None, refused: Refused::TooLarge })?;
    let mut checks = CheckCount::default();
    if passes::run_on_functions(&mut module, "lower_labels", passes::lower_labels::run, &mut checks) == Changed::Yes {
        let _ = passes::run_on_functions(&mut module, "fold_constants", passes::fold_constants::run, &mut checks);
    }
    let _ = passes::run_on_functions(&mut module, "remove_dead_code", passes::remove_dead_code::run, &mut checks);
    Ok(normal::normalize(&module))
}

/// Turns adjoints into values and removes what nobody uses.
fn tidy(module: &mut Module) {
    let mut checks = CheckCount::default();
    for _ in 0..3 {
        let mut changed = passes::run_on_functions(module, "split_locals", passes::split_locals::run, &mut checks);
        changed |= passes::run_on_functions(module, "promote_locals", passes::promote_locals::run, &mut checks);
        changed |= passes::run_on_functions(module, "fold_constants", passes::fold_constants::run, &mut checks);
        changed |= passes::run_on_functions(module, "share_values", passes::share_values::run, &mut checks);
        changed |= passes::run_on_functions(module, "remove_dead_code", passes::remove_dead_code::run, &mut checks);
        if changed == Changed::No {
            break;
        }
    }
    let _ = passes::renumber::run(module);
}

/// Refuses reads of what the kernel writes: the values are gone when the derived kernel runs.
fn refuse_overwritten(source: &Module, derived: &Derived) -> Result<(), Refusal> {
    let Some(kernel) = &source.kernel else { return Ok(()) };
    let mut written = Vec::new();
    for (_, inst) in source.functions[kernel.function].insts.iter() {
        let writes = match &inst.kind {
            InstKind::Atomic(atomic) => atomic.op.writes(),
            kind => matches!(kind, InstKind::Store(..) | InstKind::CoopStore(..)),
        };
        if let (true, Some(place)) = (writes, inst.kind.place())
            && let Root::Buffer(buffer) | Root::Member(buffer, _) = place.root
        {
            written.push(buffer);
        }
    }
    let Some(target) = &derived.module.kernel else { return Ok(()) };
    for (_, inst) in derived.module.functions[target.function].insts.iter() {
        let is_read = matches!(inst.kind, InstKind::Load(_) | InstKind::CoopLoad(_));
        if let Some(place) = inst.kind.place().filter(|_| is_read)
            && let Root::Buffer(buffer) | Root::Member(buffer, _) = place.root
            && written.contains(&buffer)
        {
            let name = kernel.buffers[buffer].name.clone();
            return Err(Refusal { location: inst.location, refused: Refused::Overwritten { buffer: name } });
        }
    }
    Ok(())
}
