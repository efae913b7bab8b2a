//! An invocation as a machine: its call stack, where it stands in each function, and what it waits for.

use super::clock::Clock;
use super::memory::Memory;
use super::step::Context;
use super::{InterpretError, Invocation, Value};
use crate::arena::EntityId;
use crate::ir::{BlockId, Constant, Function, FunctionId, InstId, Module, Scope, SourceLocation, ValueId};

/// No operation on scalars has more operands.
const MOST_OPERANDS: usize = 3;

/// The state of an invocation: its next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It runs on.
    Ready,
    /// It waits at a barrier of this scope.
    AtBarrier(Scope),
    /// It waits for the other lanes at a subgroup operation.
    AtSubgroup,
    /// It returned from the kernel.
    Finished,
    /// It panicked, or did something undefined, and takes part in nothing any more.
    Stopped,
}

/// A block being run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region {
    pub(super) block: BlockId,
    /// The next instruction of it.
    pub(super) next: usize,
    /// The instruction that owns the block; none for the entry.
    pub(super) owner: Option<InstId>,
}

/// A function being run.
pub(super) struct Frame<'m> {
    pub(super) id: FunctionId,
    pub(super) function: &'m Function,
    pub(super) values: Vec<Option<Value>>,
    pub(super) locals: Vec<Value>,
    /// Blocks around the next instruction, innermost last.
    pub(super) regions: Vec<Region>,
    /// The instruction that runs, or ran last.
    pub(super) current: InstId,
}

impl Frame<'_> {
    pub(super) fn value(&self, value: ValueId) -> &Value {
        self.values[value.index()].as_ref().unwrap_or_else(|| panic!("{value} is used before it is defined"))
    }

    pub(super) fn values(&self, values: &[ValueId]) -> Vec<Value> {
        values.iter().map(|value| self.value(*value).clone()).collect()
    }

    /// The operands as scalars, zeros behind them; none where one is no scalar or they are too many.
    pub(super) fn scalars(&self, values: &[ValueId]) -> Option<[Constant; MOST_OPERANDS]> {
        let mut scalars = [Constant::Zero; MOST_OPERANDS];
        if values.len() > scalars.len() {
            return None;
        }
        for (scalar, value) in scalars.iter_mut().zip(values) {
            let Value::Scalar(constant) = self.value(*value) else { return None };
            *scalar = *constant;
        }
        Some(scalars)
    }

    pub(super) fn words(&self, values: &[ValueId]) -> Vec<u32> {
        values.iter().map(|value| self.value(*value).bits()).collect()
    }

    pub(super) fn define(&mut self, results: &[ValueId], values: Vec<Value>) {
        for (result, value) in results.iter().zip(values) {
            self.values[result.index()] = Some(value);
        }
    }

    /// Defines the only result of an instruction.
    pub(super) fn define_one(&mut self, results: &[ValueId], value: Value) {
        self.values[results[0].index()] = Some(value);
    }

    /// Defines `results` as what `values` are, all at once: they may be the same ones in another order.
    pub(super) fn pass(&mut self, values: &[ValueId], results: &[ValueId]) {
        if values.len() > 1 && values.iter().any(|value| results.contains(value)) {
            let values = self.values(values);
            return self.define(results, values);
        }
        for (value, result) in values.iter().zip(results) {
            self.values[result.index()] = Some(self.value(*value).clone());
        }
    }
}

/// An instruction of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Spot {
    pub(super) function: FunctionId,
    pub(super) inst: InstId,
}

impl Spot {
    /// The place in the user's source.
    pub(super) fn location(self, module: &Module) -> Option<SourceLocation> {
        let function = &module.functions[self.function];
        function.insts[self.inst].location.or(function.location)
    }
}

/// A running invocation.
pub(super) struct Thread<'m> {
    pub(super) ids: Invocation,
    /// Its number in its workgroup, and its lane.
    pub(super) local_index: u32,
    pub(super) lane: u32,
    pub(super) frames: Vec<Frame<'m>>,
    pub(super) state: State,
    pub(super) result: Option<Value>,
    pub(super) fuel: u64,
    pub(super) clock: Clock,
}

impl<'m> Thread<'m> {
    /// An invocation at the start of a function.
    pub(super) fn new(
        module: &'m Module,
        function: FunctionId,
        arguments: &[Value],
        ids: Invocation,
        fuel: u64,
    ) -> Self {
        let mut thread = Self {
            ids,
            local_index: 0,
            lane: 0,
            frames: Vec::new(),
            state: State::Ready,
            result: None,
            fuel,
            clock: Clock::default(),
        };
        thread.call(module, function, arguments.to_vec());
        thread
    }

    /// Enters a function.
    pub(super) fn call(&mut self, module: &'m Module, id: FunctionId, arguments: Vec<Value>) {
        let function = &module.functions[id];
        let mut frame = Frame {
            id,
            function,
            values: vec![None; function.values.len()],
            locals: function.locals.iter().map(|(_, local)| Value::zero(&module.types, local.ty)).collect(),
            regions: vec![Region { block: function.entry, next: 0, owner: None }],
            current: InstId::new(0),
        };
        frame.define(&function.blocks[function.entry].params, arguments);
        self.frames.push(frame);
    }

    /// The innermost function.
    ///
    /// # Panics
    /// When the invocation has finished.
    pub(super) fn frame(&mut self) -> &mut Frame<'m> {
        self.frames.last_mut().expect("a running invocation is in a function")
    }

    /// The instruction that runs, or ran last; none when the invocation has returned.
    pub(super) fn spot(&self) -> Option<Spot> {
        self.frames.last().map(|frame| Spot { function: frame.id, inst: frame.current })
    }

    /// The position of the invocation, through all calls: places further up in the program come first.
    pub(super) fn place(&self) -> Vec<Spot> {
        self.frames.iter().map(|frame| Spot { function: frame.id, inst: frame.current }).collect()
    }

    /// Runs until the invocation waits or ends, or for so many instructions.
    pub(super) fn run(&mut self, cx: &Context<'m>, memory: &mut Memory, quantum: u64) -> Result<(), InterpretError> {
        let mut left = quantum;
        while self.state == State::Ready && left > 0 {
            self.fuel = self.fuel.checked_sub(1).ok_or(InterpretError::OutOfFuel)?;
            left -= 1;
            self.step(cx, memory)?;
            if cx.leaves_at_traps && !memory.traps.is_empty() {
                return Err(InterpretError::Panicked);
            }
        }
        Ok(())
    }
}
