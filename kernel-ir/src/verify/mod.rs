//! The verifier: after it accepts a module, passes and back ends need no checks of their own. It changes nothing.
//!
//! It collects all errors. The checklist, on which later passes and the back end rely:
//!
//! **Module** (`module`)
//! - Types are made of earlier types; vectors have 2 to 4 lanes; arrays, tuples and structs are not empty.
//! - Every id names something: types, functions, blocks, instructions, values, locals, buffers, parameters, sites, files.
//! - The kernel's function exists, has no parameters and returns unit; no workgroup size is zero.
//! - Buffer elements and by-value parameters have a memory [layout](crate::layout); a parameter may also be a plain `bool`.
//!
//! **Structure** (`structure`)
//! - A block is owned by exactly one instruction, or is the entry; an instruction stands in exactly one block.
//!   (Blocks nobody owns, and instructions in no block, are left-overs that are not looked at.)
//! - The last instruction of every block is a terminator and no other is.
//! - A value is defined once, and used only later in its block or in blocks nested there.
//! - Blocks of `if` and `switch` have no parameters. They end in `yield`, with the types of the results, or diverge.
//! - `break` and `continue` name the body of an enclosing `loop`, with the types of its results or parameters.
//! - `return` fits the function's result.
//! - If control never comes out — behind an `if` or `switch` none of whose blocks yields, and behind a `loop` that
//!   nothing breaks — the next instruction is `unreachable`. Results of such an instruction can therefore never be used.
//!
//! **Types** (`types`)
//! - Operands fit the op's arity and type rule; values have the type that their instruction gives; none is unit.
//! - Steps of `extract` and `insert` lead to members; members of `compose` are complete and fit.
//! - Conditions are `bool`, selectors integers with distinct cases, operands of `trap`, `print` and `panic` are `u32`.
//! - Calls fit the callee, which comes earlier in the module (so nothing recurs) and is not the kernel.
//!
//! **Memory** (`memory`)
//! - Places lead to a cell, and have its type; in a buffer they begin with an index; indices are `u32`.
//! - Only functions of a module with a kernel name buffers, only the kernel's own its by-value parameters; stores go to writable buffers or locals.
//! - The site of a checked index is of the kind `IndexOutOfBounds`.
//!
//! **Parallelism** (`parallel`)
//! - Atomics name cells of writable buffers or shared variables, of a type the op takes; a load may also read other buffers.
//! - Loads do not release, stores do not acquire, failed exchanges do not release, fences are not relaxed.
//! - Barriers are those of the subgroup or workgroup. Whether all invocations reach them is what [`uniformity`](crate::uniformity) finds out.
//! - Operands of subgroup operations have the types the operation takes; clusters have a power of two of lanes.
//! - Operations on matrices of a subgroup fit their roles and shapes ([`coop`](crate::coop)); matrices lie in buffers and shared memory, their
//!   lines filling whole cells. That all of a subgroup come to them, with the same operands, [`uniformity`](crate::uniformity) finds out, too.
//! - Shared variables have a type that values have; the demanded lanes of a subgroup are a power of two of at most 128.

mod error;
mod memory;
mod module;
mod parallel;
mod structure;
mod types;

use crate::few::Few;
use crate::ir::{BlockId, Function, FunctionId, InstId, Module, SourceLocation, ValueId};
use crate::types::TypeId;

pub use error::{VerifyError, VerifyErrorKind, VerifyErrors};

/// Checks a module against the [checklist](self).
///
/// # Errors
/// Everything that is wrong with it.
pub fn verify(module: &Module) -> Result<(), VerifyErrors> {
    let mut errors = Vec::new();
    // Everything else looks types up, so nothing can be said while they are malformed.
    if module::check_types(module, &mut errors) {
        module::check_sites(module, &mut errors);
        module::check_kernel(module, &mut errors);
        for (id, function) in module.functions.iter() {
            if module::check_signature(module, id, function, &mut errors) {
                structure::check_function(module, id, function, &mut errors);
            }
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(VerifyErrors(errors)) }
}

/// The function being verified.
struct FunctionCx<'m, 'e> {
    module: &'m Module,
    id: FunctionId,
    function: &'m Function,
    errors: &'e mut Vec<VerifyError>,
    /// The instruction being looked at; errors are about it.
    current: Option<InstId>,
    /// Instructions around the current block, innermost last.
    regions: Vec<Region>,
    /// Values in scope, in order of definition.
    scope: Vec<ValueId>,
    /// By value: whether it is in scope, and whether anything defined it so far.
    in_scope: Vec<bool>,
    defined: Vec<bool>,
    /// By block: whether an owner was seen.
    owned: Vec<bool>,
    /// By instruction: whether it was seen in a block.
    placed: Vec<bool>,
}

/// The owner of a block.
#[derive(Clone, Copy)]
enum Region {
    /// An `if` or `switch`.
    Arm(InstId),
    /// A `loop`, with its body.
    Loop(InstId, BlockId),
}

impl<'m> FunctionCx<'m, '_> {
    /// Records an error about the current instruction, or the function when there is none.
    fn error(&mut self, kind: VerifyErrorKind, message: impl Into<String>) {
        let entity = self.current.map_or_else(|| self.id.to_string(), |inst| inst.to_string());
        self.error_at(kind, entity, message);
    }

    /// Records an error about `entity` near the current instruction.
    fn error_at(&mut self, kind: VerifyErrorKind, entity: String, message: impl Into<String>) {
        let text = self.current.map(|id| self.module.display_inst(self.function, id).to_string());
        let location = self.current.and_then(|id| self.function.insts.get(id)).and_then(|inst| inst.location);
        self.errors.push(VerifyError {
            kind,
            message: message.into(),
            function: Some(self.id),
            entity,
            text,
            location: location.or(self.function.location),
        });
    }

    /// The type of a value; `None` when it does not exist, which is reported where its use is checked.
    fn type_of(&self, value: ValueId) -> Option<TypeId> {
        self.function.values.get(value).map(|value| value.ty)
    }

    fn types_of(&self, values: &[ValueId]) -> Option<Few<TypeId>> {
        let mut types = Few::new();
        for value in values {
            types.push(self.type_of(*value)?);
        }
        Some(types)
    }

    fn show(&self, ty: TypeId) -> String {
        self.module.types.display(ty).to_string()
    }

    /// Reports a location in a file that does not exist.
    fn check_location(&mut self, location: Option<SourceLocation>) {
        if let Some(location) = location.filter(|location| !self.module.files.contains(location.file)) {
            self.error(VerifyErrorKind::UnknownId, format!("there is no {}", location.file));
        }
    }
}
