//! A reference interpreter: runs one invocation of a kernel, or one function, step by step. Slow, and meant to be evident.
//!
//! It is the oracle of the passes' tests. What the IR leaves open (an unchecked index out of range, a zero divisor, an
//! `unreachable` that is reached) is an error here, never a guess.

mod step;
mod value;

use crate::arena::{EntityId, SecondaryMap};
use crate::ir::{Function, FunctionId, Module, SiteId, ValueId};
pub use value::Value;

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

/// What a run can read and write besides its locals.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct World {
    /// The running invocation.
    pub invocation: Invocation,
    /// By-value parameters of the kernel.
    pub params: Vec<Value>,
    /// Elements of each buffer.
    pub buffers: Vec<Vec<Value>>,
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
    /// Where.
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

/// Runs a function and returns its result.
///
/// # Errors
/// When the fuel is used up or something undefined happens.
///
/// # Panics
/// When the module is malformed, or arguments, parameters or buffers do not fit it.
pub fn run_function(
    module: &Module,
    function: FunctionId,
    arguments: &[Value],
    world: &mut World,
) -> Result<Option<Value>, InterpretError> {
    let function = &module.functions[function];
    let mut frame = Frame {
        module,
        function,
        values: SecondaryMap::new(),
        locals: function.locals.iter().map(|(_, local)| Value::zero(&module.types, local.ty)).collect(),
        world,
    };
    for (param, argument) in function.blocks[function.entry].params.iter().zip(arguments) {
        frame.values[*param] = Some(argument.clone());
    }
    match frame.block(function.entry)? {
        step::Flow::Return(value) => Ok(value),
        other => unreachable!("a function ends with a return, not {other:?}"),
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

/// A running function.
struct Frame<'a> {
    module: &'a Module,
    function: &'a Function,
    values: SecondaryMap<ValueId, Option<Value>>,
    locals: Vec<Value>,
    world: &'a mut World,
}

impl Frame<'_> {
    fn value(&self, value: ValueId) -> &Value {
        self.values[value].as_ref().unwrap_or_else(|| panic!("{value} is used before it is defined"))
    }

    fn values(&self, values: &[ValueId]) -> Vec<Value> {
        values.iter().map(|value| self.value(*value).clone()).collect()
    }

    fn local(&mut self, local: crate::ir::LocalId) -> &mut Value {
        &mut self.locals[local.index()]
    }
}
