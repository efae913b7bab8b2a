//! A reference interpreter: runs whole launches, or one invocation or function, step by step. Slow, and meant to be evident.
//!
//! It is the oracle of the passes' tests and the sanitizer of kernels. Behaviour that the IR leaves undefined (an
//! unchecked index out of range, a zero divisor, an `unreachable` that is reached) is an error here, never a guess.
//!
//! [`run`] runs the invocations of a workgroup in turns, each as a machine of its own that stops where it waits for others.
//! With a shadow of every memory cell it finds accesses that no barrier and no release and acquire put in order. A seed
//! permutes the order in which workgroups and invocations run; equal seeds give equal outcomes.

mod atomic;
mod bytes;
mod clock;
mod control;
mod coop;
mod finding;
mod group;
mod image;
mod joined;
mod launch;
mod memory;
mod runs;
mod shadow;
mod step;
mod subgroup;
mod thread;
mod value;

use crate::ir::{FunctionId, Module, SiteId};
use crate::types::Size;
pub use bytes::{read_value, write_value};
pub use finding::{Conflict, Finding, FindingKind, Party};
pub use image::{ImageInput, texel_value, texel_words};
pub use launch::{Inputs, Options, Outcome, Report, run};
use memory::Memory;
use thread::{State, Thread};
pub use value::Value;

/// A size of a module whose const parameters have values.
fn settled(size: Size) -> u32 {
    size.known().expect("`fix_constants` comes first")
}

/// The ids one invocation sees.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Invocation {
    /// Position in the grid.
    pub global_id: [u32; 3],
    /// Position in the workgroup.
    pub local_id: [u32; 3],
    /// Position of the workgroup.
    pub workgroup_id: [u32; 3],
    /// Workgroups in the grid.
    pub num_workgroups: [u32; 3],
}

/// The memory and the ids that one invocation can access besides its locals.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct World {
    /// The running invocation.
    pub invocation: Invocation,
    /// By-value parameters of the kernel.
    pub params: Vec<Value>,
    /// Elements of each buffer.
    pub buffers: Vec<Vec<Value>>,
    /// As [`Inputs::lists`].
    pub lists: Vec<Option<Vec<u32>>>,
    /// Traps recorded so far.
    pub traps: Vec<Trap>,
    /// Messages printed so far.
    pub prints: Vec<Trap>,
    /// Instructions that may still run.
    pub fuel: u64,
}

/// A recorded trap or message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trap {
    /// The trap site.
    pub site: SiteId,
    /// Its operands.
    pub operands: Vec<u32>,
}

/// Why a run stopped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InterpretError {
    /// The invocation panicked, which its traps say more about.
    #[error("panicked")]
    Panicked,
    /// All fuel was used.
    #[error("out of fuel")]
    OutOfFuel,
    /// The IR does not say what happens.
    #[error("undefined: {0}")]
    Undefined(String),
}

/// Runs a function alone and returns its result. Barriers wait for nobody, and a subgroup has one lane.
///
/// # Errors
/// When the invocation panics, the fuel is used up or something undefined happens.
///
/// # Panics
/// When the module is malformed, or arguments, parameters or buffers do not fit it.
pub fn run_function(
    module: &Module,
    function: FunctionId,
    arguments: &[Value],
    world: &mut World,
) -> Result<Option<Value>, InterpretError> {
    let mut memory = Memory::new(module, std::mem::take(&mut world.buffers), None);
    memory.lists.clone_from(&world.lists);
    memory.traps = std::mem::take(&mut world.traps);
    memory.prints = std::mem::take(&mut world.prints);
    let mut thread = Thread::new(module, function, arguments, world.invocation, world.fuel);
    let result = run_alone(module, &mut thread, &mut memory, &world.params);
    world.fuel = thread.fuel;
    (world.buffers, world.traps, world.prints) = (memory.buffers, memory.traps, memory.prints);
    result
}

fn run_alone<'m>(
    module: &'m Module,
    thread: &mut Thread<'m>,
    memory: &mut Memory,
    params: &'m [Value],
) -> Result<Option<Value>, InterpretError> {
    let cx = step::Context { module, params, width: 1, leaves_at_traps: false };
    loop {
        thread.run(&cx, memory, u64::MAX)?;
        match thread.state {
            State::Finished => return Ok(thread.result.take()),
            State::AtSubgroup => subgroup::advance(&cx, std::slice::from_mut(thread))?,
            _ => thread.state = State::Ready,
        }
    }
}

/// Runs the kernel for one invocation.
///
/// # Errors
/// When the fuel is used up or something undefined happens.
///
/// # Panics
/// When the module is malformed, has no kernel, or parameters or buffers do not fit it.
pub fn run_kernel(module: &Module, world: &mut World) -> Result<(), InterpretError> {
    let kernel = module.kernel.as_ref().expect("a module with a kernel");
    match run_function(module, kernel.function, &[], world) {
        Ok(_) | Err(InterpretError::Panicked) => Ok(()),
        Err(error) => Err(error),
    }
}

/// The number of an invocation along all axes, x first.
fn linear([x, y, z]: [u32; 3], [width, height, _]: [u32; 3]) -> u32 {
    x + width * (y + height * z)
}

/// The position with this number.
fn position(number: u32, [width, height, _]: [u32; 3]) -> [u32; 3] {
    [number % width, number / width % height, number / width / height]
}
