//! An estimate of the stack that an invocation takes where rustc has compiled the kernel. It reads a module as lowered, before passes
//! remove what rustc may keep.

use crate::arena::EntityId;
use crate::descriptor::HostStack;
use crate::ir::{Function, InstKind, Module};
use crate::types::{Scalar, Size, Type, TypeId, Types};

/// Copies of a value that rustc keeps without optimisations: the variable, the operand of a move, the result of a block or call.
const COPIES: u64 = 4;

/// Bytes that rustc keeps for an instruction besides its value: references, checked indices and the frames of the runtime's functions.
const BYTES_OF_INST: u64 = 96;

/// Estimates below this many bytes are told as none: the stack of any thread has room for them.
const WORTH_TELLING: u64 = 64 * 1024;

/// Estimates the stack that an invocation needs on the host.
///
/// rustc decides how much that is, and nobody can know for sure: the estimate counts each value that the source makes several times. Frames
/// of functions that do not call each other share their place, as the deepest chain of calls decides.
pub(crate) fn estimate(module: &Module) -> HostStack {
    let Some(kernel) = &module.kernel else { return HostStack::LITTLE };
    let mut sizes = vec![None; module.types.all().len()];
    let mut depths: Vec<HostStack> = Vec::with_capacity(module.functions.len());
    // Callees stand before callers.
    for (_, function) in module.functions.iter() {
        let own = own_bytes(&module.types, &mut sizes, function);
        let callees = function.insts.iter().filter_map(|(_, inst)| match &inst.kind {
            InstKind::Call(callee, _) => depths.get(callee.index()),
            _ => None,
        });
        let below = callees.fold(HostStack::LITTLE, |below, callee| HostStack {
            locals: below.locals.max(callee.locals),
            bytes: below.bytes.max(callee.bytes),
        });
        depths.push(HostStack {
            locals: own.locals.saturating_add(below.locals),
            bytes: own.bytes.saturating_add(below.bytes),
        });
    }
    let stack = depths.get(kernel.function.index()).copied().unwrap_or(HostStack::LITTLE);
    if stack.bytes < WORTH_TELLING { HostStack::LITTLE } else { stack }
}

/// The bytes of a function's own frame.
fn own_bytes(types: &Types, sizes: &mut [Option<u64>], function: &Function) -> HostStack {
    let locals = function.locals.iter().map(|(_, local)| size_of(types, sizes, local.ty)).fold(0, u64::saturating_add);
    let mut values = 0u64;
    let mut largest = 0;
    for (_, value) in function.values.iter() {
        let size = size_of(types, sizes, value.ty);
        values = values.saturating_add(size);
        largest = largest.max(size);
    }
    let insts = (function.insts.len() as u64).saturating_mul(BYTES_OF_INST);
    let bytes = locals.saturating_add(values).saturating_mul(COPIES).saturating_add(insts);
    HostStack { locals: locals.max(largest), bytes }
}

/// Bytes that a value of type `ty` takes on the host, at most.
fn size_of(types: &Types, sizes: &mut [Option<u64>], ty: TypeId) -> u64 {
    if let Some(size) = sizes[ty.index()] {
        return size;
    }
    let size = match types.get(ty) {
        Type::Unit => 0,
        Type::Scalar(scalar) => of_scalar(*scalar),
        Type::Vector(scalar, lanes) => of_scalar(*scalar) * u64::from(lanes.next_power_of_two()),
        Type::Array(element, len) => {
            // Only arrays of a workgroup have a length that the launch decides, and they are on no stack.
            let len = match len {
                Size::Known(len) => u64::from(*len),
                Size::Param(_) => 0,
            };
            size_of(types, sizes, *element).saturating_mul(len)
        }
        Type::Tuple(members) => {
            members.iter().map(|ty| aligned(size_of(types, sizes, *ty))).fold(0, u64::saturating_add)
        }
        Type::Struct(id) => {
            let fields = types.struct_def(*id).fields.iter();
            fields.map(|field| aligned(size_of(types, sizes, field.ty))).fold(0, u64::saturating_add)
        }
        // Each invocation of the host has the whole matrix.
        Type::Coop(coop) => {
            let elements = u64::from(coop.rows).saturating_mul(coop.columns.into());
            elements.saturating_mul(of_scalar(coop.scalar))
        }
    };
    sizes[ty.index()] = Some(size);
    size
}

fn of_scalar(scalar: Scalar) -> u64 {
    u64::from(scalar.bits() / 8).max(1)
}

/// With room for any alignment that a member may have.
fn aligned(size: u64) -> u64 {
    size.saturating_add(15) & !15
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    fn of(text: &str) -> HostStack {
        estimate(&parse(text).unwrap())
    }

    /// A kernel with an array of `len` words, which calls a function with one of `callee` words.
    fn kernel(len: u32, callee: u32) -> String {
        format!(
            "kernel fn1 workgroup(64, 1, 1) {{
}}
fn0 callee() -> u32 {{
    local0 a: [u32; {callee}]
    %0: u32 = const 1
    %1: u32 = load local0[%0]
    return %1
}}
fn1 caller() -> () {{
    local0 a: [u32; {len}]
    %0: u32 = call fn0()
    store local0[%0] = %0
    %1: u32 = call fn0()
    return
}}
"
        )
    }

    #[test]
    fn little_is_told_as_none() {
        assert_eq!(of(&kernel(1000, 1000)), HostStack::LITTLE);
    }

    #[test]
    fn arrays_of_callees_count_once_for_the_deepest_chain() {
        let HostStack { locals, bytes } = of(&kernel(100_000, 50_000));
        assert_eq!(locals, 600_000);
        assert!(bytes >= COPIES * locals && bytes < COPIES * locals + 4096, "{bytes}");
    }

    #[test]
    fn no_length_overflows() {
        let text =
            kernel(u32::MAX, 7).replace("a: [u32; 4294967295]", "a: [[[u32; 4294967295]; 4294967295]; 4294967295]");
        assert_eq!(of(&text.replace("local0[%0] = %0", "local0[%0][%0][%0] = %0")), HostStack::new(u64::MAX, u64::MAX));
    }
}
