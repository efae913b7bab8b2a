//! The optimisation passes and the order they run in. A pass never changes what a kernel computes or which traps it records.
//!
//! Every pass leaves a module that [`verify`](crate::verify) accepts, which debug builds check after each one.
//! `KERNEL_DUMP=ir` prints the module before and after each pass that changes it.
//!
//! An index carries a *check*, a trap site that fires when it is out of range, and passes remove checks by proof. If an
//! index has a bound that is known at launch (`(items - 1) * n + k < len`), its check becomes an *obligation*: the host
//! evaluates it for each launch. If all that a group of checks needs hold, a specialization constant switches the group off;
//! otherwise the launch runs with it.

mod assumptions;
pub mod compared_numbers;
pub mod constant_divisions;
pub mod count_lanes;
mod edit;
pub mod eliminate_checks;
pub mod eval;
mod facts;
mod fix_constants;
pub mod flatten_branches;
pub mod fold_constants;
mod halving_loops;
pub mod hoist_invariants;
mod identities;
pub mod inline_functions;
pub mod join_bytes;
pub mod join_loads;
pub mod late_panics;
pub mod leave_at_head;
pub mod leave_at_traps;
mod live_locals;
pub mod loop_divisions;
pub(crate) mod loop_ends;
mod loop_spans;
pub mod lower_labels;
pub mod mask_panics;
mod multiples;
mod never;
pub mod promote_locals;
mod ranges;
pub mod remove_dead_code;
pub mod renumber;
pub mod share_values;
pub mod split_locals;
mod strides;
pub mod tail_exits;
pub mod thread_branches;
mod trap_blocks;
pub mod unroll_loops;
mod upper_bounds;
pub mod version_loops;

pub use fix_constants::fix_constants;

use std::ops::{BitOr, BitOrAssign};
use std::sync::OnceLock;

use crate::arena::{Arena, EntityId};
use crate::ir::{Function, FunctionId, ImageOp, InstKind, Kernel, Module, Obligation, Root, SiteId, Step};
use crate::races::{self, Analysis};
use crate::types::Types;
use crate::uniformity::{self, Divergence};
use crate::verify::verify;

pub use inline_functions::TooLarge;

/// Rounds of the scalar passes; most kernels settle in two.
const ROUNDS: usize = 4;

/// How often what was unrolled goes to the next round at once.
const MOST_UNROLLED: usize = 2;

/// Whether a pass changed anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Changed {
    /// Nothing changed.
    No,
    /// Something changed.
    Yes,
}

impl BitOr for Changed {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        if self == Self::Yes { self } else { other }
    }
}

impl BitOrAssign for Changed {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

/// The part of a module that a pass over one function may use.
pub struct PassCx<'m> {
    /// The module's types; a pass may add to them.
    pub types: &'m mut Types,
    /// The kernel's interface.
    pub kernel: Option<&'m Kernel>,
    /// Whether the function is the kernel's own, which each invocation runs from its beginning.
    pub is_kernel: bool,
    /// Checks seen by the last run of [`eliminate_checks`].
    pub checks: CheckCount,
    effects: &'m [bool],
}

impl PassCx<'_> {
    /// Whether a call of the function does nothing but compute its result.
    pub fn is_pure(&self, function: FunctionId) -> bool {
        // Where there is one function nothing is called.
        self.effects.get(function.index()) == Some(&false)
    }
}

/// How many bounds checks were proven needless, and how many are left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckCount {
    /// Checks removed.
    pub removed: usize,
    /// Checks that stay.
    pub residual: usize,
    /// Those that stay because their index is not known to be in range.
    pub indices: Indices,
}

/// Checks of indices that [`eliminate_checks`] could not remove, in its last run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Indices {
    /// In range if the host finds the obligation to hold.
    pub at_launch: Vec<(SiteId, Obligation)>,
    /// Nothing but the device can check them.
    pub on_device: Vec<SiteId>,
}

/// The result of the passes besides the changed module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Optimized {
    /// Bounds checks.
    pub checks: CheckCount,
    /// Barriers that not all invocations of a workgroup reach. The module is what it would be without them.
    pub divergences: Vec<Divergence>,
    /// Races, if they were looked for.
    pub races: Analysis,
    /// Why nothing was done, and the module is not to be used any more.
    pub too_large: Option<TooLarge>,
}

/// A pass over one function.
pub type FunctionPass = fn(&mut Function, &mut PassCx<'_>) -> Changed;

/// Optimises a module. The result has no call that can be inlined, no local that can be a value, and no jump out of more
/// than one loop.
pub fn optimize(module: &mut Module) -> Optimized {
    optimize_with(module, Aims::default())
}

/// Things to do besides what [`optimize`] does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Aims {
    /// Whether to look for races first.
    pub finds_races: bool,
    /// Whether an invocation leaves at a trap in a loop where nobody waits for it. No later trap counts then, and no store behind it.
    pub leaves: bool,
}

/// As [`optimize`], with other aims.
pub fn optimize_with(module: &mut Module, aims: Aims) -> Optimized {
    let Aims { finds_races, leaves } = aims;
    let mut checks = CheckCount::default();
    let is_alone = module.functions.len() == 1;
    let mut too_large = None;
    let _ = run_on_module(module, "inline_functions", |module| {
        inline_functions::run(module).unwrap_or_else(|large| {
            too_large = Some(large);
            Changed::No
        })
    });
    if too_large.is_some() {
        return Optimized { too_large, ..Optimized::default() };
    }
    // Where there was one function, none is called no longer.
    if !is_alone {
        let _ = run_on_module(module, "renumber", renumber::run);
    }
    let divergences = divergences(module, &mut checks);
    let mut races = Analysis::default();
    if finds_races {
        let _ = run_on_functions(module, "split_locals", split_locals::run, &mut checks);
        let _ = run_on_functions(module, "promote_locals", promote_locals::run, &mut checks);
        races = races::analyse(module);
        if !races.races.is_empty()
            && let Some(written_out) = races_of_rounds(module)
        {
            races = written_out;
        }
    }
    mask_panics(module, &mut checks);
    run_rounds(module, &mut checks);
    if run_on_functions(module, "split_columns", split_locals::run_columns, &mut checks) == Changed::Yes {
        fold_and_share(module, &mut checks);
    }
    if run_on_functions(module, "unroll_partly", unroll_loops::run_partly, &mut checks) == Changed::Yes {
        let _ = run_on_functions(module, "tail_breaks", tail_exits::run_on_loops, &mut checks);
        fold_and_share(module, &mut checks);
    }
    let _ = run_on_functions(module, "late_panics", late_panics::run, &mut checks);
    if run_on_functions(module, "constant_divisions", constant_divisions::run, &mut checks) == Changed::Yes {
        fold_and_share(module, &mut checks);
    }
    if run_on_functions(module, "count_lanes", count_lanes::run, &mut checks) == Changed::Yes {
        fold_and_share(module, &mut checks);
    }
    let _ = run_on_functions(module, "hoist_invariants", hoist_invariants::run, &mut checks);
    if run_on_functions(module, "lower_labels", lower_labels::run, &mut checks) == Changed::Yes {
        let _ = run_on_functions(module, "fold_constants", fold_constants::run, &mut checks);
        let _ = run_on_functions(module, "remove_dead_code", remove_dead_code::run, &mut checks);
    }
    let _ = run_on_functions(module, "leave_at_head", leave_at_head::run, &mut checks);
    if leaves && run_on_module(module, "leave_at_traps", leave_at_traps::run) == Changed::Yes {
        let _ = run_on_functions(module, "share_values", share_values::run, &mut checks);
        // Indices that were chosen are sums after the first time.
        for _ in 0..2 {
            if run_on_functions(module, "eliminate_checks", eliminate_checks::run, &mut checks) == Changed::Yes {
                fold_and_share(module, &mut checks);
            }
        }
    }
    leave_to_the_launch(module, std::mem::take(&mut checks.indices));
    if run_on_module(module, "version_loops", version_loops::run) == Changed::Yes {
        let _ = run_on_functions(module, "share_values", share_values::run, &mut checks);
    }
    if run_on_module(module, "join_loads", join_loads::run) == Changed::Yes {
        fold_and_share(module, &mut checks);
        if run_on_functions(module, "join_bytes", join_bytes::run, &mut checks) == Changed::Yes {
            fold_and_share(module, &mut checks);
        }
    }
    if run_on_functions(module, "loop_divisions", loop_divisions::run, &mut checks) == Changed::Yes {
        fold_and_share(module, &mut checks);
    }
    let _ = run_on_module(module, "renumber", renumber::run);
    checks.residual = residual_checks(module);
    Optimized { checks, divergences, races, too_large: None }
}

/// Runs the passes that make work for each other, until none of them finds any.
fn run_rounds(module: &mut Module, checks: &mut CheckCount) {
    let (mut round, mut unrolled, mut unshared) = (0, 0, true);
    while round < ROUNDS {
        let mut changed = Changed::No;
        changed |= run_on_functions(module, "split_locals", split_locals::run, checks);
        changed |= run_on_functions(module, "promote_locals", promote_locals::run, checks);
        changed |= run_on_functions(module, "tail_breaks", tail_exits::run_on_loops, checks);
        changed |= run_on_functions(module, "fold_constants", fold_constants::run, checks);
        if run_on_functions(module, "unroll_loops", unroll_loops::run, checks) == Changed::Yes {
            // The arrays become values first, so that the others have less to look at.
            if unrolled < MOST_UNROLLED {
                unrolled += 1;
                continue;
            }
            changed |= Changed::Yes | run_on_functions(module, "fold_constants", fold_constants::run, checks);
        }
        changed |= run_on_functions(module, "thread_branches", thread_branches::run, checks);
        // Behind the one that looks for branches which leave: afterwards fewer do.
        changed |= run_on_functions(module, "tail_continues", tail_exits::run_on_rounds, checks);
        changed |= run_on_functions(module, "flatten_branches", flatten_branches::run, checks);
        changed |= run_on_functions(module, "thread_results", thread_branches::run_on_results, checks);
        changed |= run_on_functions(module, "compared_numbers", compared_numbers::run, checks);
        if changed == Changed::No && round > 0 {
            // The others have seen all that is there.
            break;
        }
        // Neither finds anything new in what it left behind itself, and the first only where checks went since.
        if changed == Changed::Yes || unshared {
            changed |= run_on_functions(module, "share_values", share_values::run, checks);
        }
        unshared = false;
        if changed == Changed::Yes || round == 0 {
            let eliminated = run_on_functions(module, "eliminate_checks", eliminate_checks::run, checks);
            unshared = eliminated == Changed::Yes;
            changed |= eliminated;
        }
        changed |= run_on_functions(module, "remove_dead_code", remove_dead_code::run, checks);
        if changed == Changed::No {
            break;
        }
        round += 1;
    }
}

/// Folds and shares behind a pass that makes values of arrays.
fn fold_and_share(module: &mut Module, checks: &mut CheckCount) {
    let _ = run_on_functions(module, "fold_constants", fold_constants::run, checks);
    let _ = run_on_functions(module, "share_values", share_values::run, checks);
    let _ = run_on_functions(module, "remove_dead_code", remove_dead_code::run, checks);
}

/// Makes a module quicker to interpret: calls are inlined, variables become values, and what that makes constant is folded. Accesses
/// of buffers and shared memory, their checks, and barriers stay what they are.
///
/// # Errors
/// When inlining is too much; the module is not to be used any more.
pub fn simplify(module: &mut Module) -> Result<(), TooLarge> {
    if inline_functions::run(module)? == Changed::Yes {
        let _ = run_on_module(module, "renumber", renumber::run);
    }
    let mut checks = CheckCount::default();
    for _ in 0..ROUNDS {
        let mut changed = run_on_functions(module, "split_locals", split_locals::run, &mut checks);
        changed |= run_on_functions(module, "promote_locals", promote_locals::run, &mut checks);
        changed |= run_on_functions(module, "fold_constants", fold_constants::run, &mut checks);
        changed |= run_on_functions(module, "unroll_loops", unroll_loops::run, &mut checks);
        if changed == Changed::No {
            break;
        }
    }
    // The interpreter takes instructions for further up in the program by their numbers.
    let _ = run_on_module(module, "renumber", renumber::run);
    Ok(())
}

/// As [`simplify`], and drops the functions that were inlined and values that nobody uses.
///
/// # Errors
/// When inlining is too much; the module is not to be used any more.
pub fn flatten(module: &mut Module) -> Result<(), TooLarge> {
    simplify(module)?;
    if let Some(kernel) = &mut module.kernel {
        let function = module.functions[kernel.function].clone();
        module.functions = Arena::new();
        kernel.function = module.functions.push(function);
    }
    let _ = run_on_functions(module, "remove_dead_code", remove_dead_code::run, &mut CheckCount::default());
    Ok(())
}

/// Makes a module such that [`races::analyse`] understands it: calls are inlined and variables become values.
///
/// # Errors
/// When inlining is too much; the module is not to be used any more.
pub fn expose(module: &mut Module) -> Result<(), TooLarge> {
    if inline_functions::run(module)? == Changed::Yes {
        let _ = run_on_module(module, "renumber", renumber::run);
    }
    let mut checks = CheckCount::default();
    let _ = run_on_functions(module, "split_locals", split_locals::run, &mut checks);
    let _ = run_on_functions(module, "promote_locals", promote_locals::run, &mut checks);
    Ok(())
}

/// The barriers that not all reach. Variables become values first, as far as there is anything to look at.
fn divergences(module: &mut Module, checks: &mut CheckCount) -> Vec<Divergence> {
    let Some(kernel) = &module.kernel else { return Vec::new() };
    if !uniformity::may_diverge(&module.functions[kernel.function]) {
        return Vec::new();
    }
    let _ = run_on_functions(module, "split_locals", split_locals::run, checks);
    let _ = run_on_functions(module, "promote_locals", promote_locals::run, checks);
    uniformity::divergences(module)
}

/// The races with the loops of few rounds written out, if there are none then: `for i in [t, t + 128]` names two places of a table that
/// no counter tells apart.
fn races_of_rounds(module: &Module) -> Option<Analysis> {
    let (mut module, mut checks) = (module.clone(), CheckCount::default());
    let mut written_out = false;
    for _ in 0..MOST_UNROLLED {
        let _ = run_on_functions(&mut module, "fold_constants", fold_constants::run, &mut checks);
        if run_on_functions(&mut module, "unroll_loops", unroll_loops::run, &mut checks) == Changed::No {
            break;
        }
        written_out = true;
        let _ = run_on_functions(&mut module, "split_locals", split_locals::run, &mut checks);
        let _ = run_on_functions(&mut module, "promote_locals", promote_locals::run, &mut checks);
    }
    let analysis = written_out.then(|| races::analyse(&module))?;
    analysis.races.is_empty().then_some(analysis)
}

/// Marks the sites whose indices the host can vouch for, and gathers what it must check for that.
fn leave_to_the_launch(module: &mut Module, indices: Indices) {
    let Some(kernel) = &mut module.kernel else { return };
    let Indices { at_launch, on_device } = indices;
    let left = || at_launch.iter().filter(|(site, _)| !on_device.contains(site));
    for (_, obligation) in left() {
        // Of the copies of an access in an unrolled loop, one speaks for all.
        if !kernel.obligations.iter().any(|known| known.implies(obligation)) {
            kernel.obligations.retain(|known| !obligation.implies(known));
            kernel.obligations.push(obligation.clone());
        }
    }
    for (site, obligation) in left() {
        let number = kernel.obligations.iter().position(|known| known.implies(obligation));
        let mut numbers: Vec<u32> =
            module.sites[*site].at_launch.iter().flat_map(|known| known.iter().copied()).collect();
        numbers.extend(number.map(|number| number as u32));
        numbers.sort_unstable();
        numbers.dedup();
        module.sites[*site].at_launch = Some(numbers.into());
    }
}

/// Masks what panicked in kernels with barriers. Variables become values first, so that it sees what is the same in all
/// invocations.
fn mask_panics(module: &mut Module, checks: &mut CheckCount) {
    let any = |is: fn(&InstKind) -> bool| {
        module.functions.iter().any(|(_, function)| function.insts.iter().any(|(_, inst)| is(&inst.kind)))
    };
    if any(|kind| matches!(kind, InstKind::Panic(..))) && any(InstKind::needs_full_workgroup) {
        let _ = run_on_functions(module, "split_locals", split_locals::run, checks);
        let _ = run_on_functions(module, "promote_locals", promote_locals::run, checks);
        let _ = run_on_module(module, "mask_panics", mask_panics::run);
    }
}

/// Runs one pass over every function of the module.
pub fn run_on_functions(module: &mut Module, name: &str, pass: FunctionPass, checks: &mut CheckCount) -> Changed {
    let effects = effects(module);
    let before = dump_wanted().then(|| module.to_string());
    let mut changed = Changed::No;
    let Module { types, functions, kernel, .. } = module;
    let (kernel, checked) = (kernel.as_ref(), CheckCount::default());
    let mut cx = PassCx { types, kernel, is_kernel: false, checks: checked, effects: &effects };
    for (number, function) in functions.values_mut().enumerate() {
        cx.is_kernel = kernel.is_some_and(|kernel| kernel.function.index() == number);
        changed |= pass(function, &mut cx);
    }
    let CheckCount { removed, indices, .. } = cx.checks;
    checks.removed += removed;
    if name == "eliminate_checks" {
        // The facts of an earlier run are as true, and this one has seen more.
        checks.indices = indices;
    }
    finish(module, name, changed, before);
    changed
}

fn run_on_module(module: &mut Module, name: &str, pass: impl FnOnce(&mut Module) -> Changed) -> Changed {
    let before = dump_wanted().then(|| module.to_string());
    let changed = pass(module);
    finish(module, name, changed, before);
    changed
}

fn finish(module: &Module, name: &str, changed: Changed, before: Option<String>) {
    if changed == Changed::No {
        return;
    }
    if let Some(before) = before {
        eprintln!("; before {name}\n{before}; after {name}\n{module}");
    }
    if cfg!(debug_assertions) {
        check(module, name);
    }
}

/// # Panics
/// When the module is malformed: a bug of the pass.
fn check(module: &Module, name: &str) {
    if let Err(errors) = verify(module) {
        panic!("{name} broke the module: {errors}\n{module}");
    }
}

/// Whether `KERNEL_DUMP` asks for the IR; read once.
fn dump_wanted() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| {
        std::env::var("KERNEL_DUMP").is_ok_and(|stages| stages.split(',').any(|stage| stage.trim() == "ir"))
    })
}

/// For each function, whether calling it can do more than compute its result.
fn effects(module: &Module) -> Vec<bool> {
    if module.functions.len() == 1 {
        return Vec::new();
    }
    let mut effects = vec![false; module.functions.len()];
    for (id, function) in module.functions.iter() {
        let mut found = false;
        edit::for_each_inst(function, &mut |_, inst| {
            found |= match &inst.kind {
                InstKind::Load(place) => place.is_checked(),
                InstKind::Store(place, _) => place.is_checked() || !matches!(place.root, Root::Local(_)),
                InstKind::Call(callee, _) => effects[callee.index()],
                // A loop may never end, and then its caller does not either.
                InstKind::Trap(..) | InstKind::Print(..) | InstKind::Panic(..) => true,
                InstKind::Unreachable | InstKind::Loop { .. } => true,
                InstKind::Image(op, ..) => *op == ImageOp::Store,
                InstKind::CoopLoad(access) => access.place.is_checked(),
                InstKind::Atomic(_) | InstKind::Barrier(_) | InstKind::Fence(..) | InstKind::CoopStore(..) => true,
                _ => false,
            };
        });
        effects[id.index()] = found;
    }
    effects
}

fn residual_checks(module: &Module) -> usize {
    // Nothing is left behind any more.
    let insts = module.functions.iter().flat_map(|(_, function)| function.insts.iter());
    let steps = insts.filter_map(|(_, inst)| inst.kind.place()).flat_map(|place| &place.path);
    steps.filter(|step| matches!(step, Step::Index { check: Some(_), .. })).count()
}
