//! The adjoints of buffers and parameters: buffers of the derived kernel, and how they are added to.

use crate::arena::EntityId;
use crate::ir::{BufferId, Builtin, Function, InstKind, Kernel, Module, Place, Root, Step, ValueId};
use crate::layout::{Layout, field_offsets};
use crate::types::{Scalar, Type, TypeId, Types};

use super::activity::{Activity, By, has_floats};
use super::needs::definitions;
use super::refusal::{Refusal, Refused};

/// The adjoint of a buffer or parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shadow {
    /// The buffer of the derived kernel.
    pub buffer: BufferId,
    /// How it is accessed.
    pub kind: ShadowKind,
}

/// How an adjoint is accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShadowKind {
    /// Of an input; each invocation adds to the element with its own number. Of a function's argument, to the only one.
    Own,
    /// Of an input; each invocation adds to elements that no other one has, as was proven.
    Apart,
    /// Of an input; any invocation adds to any element, atomically. The buffer has scalars for elements: those of which the input's
    /// elements consist, one after another.
    Atomic(Scalar),
    /// Of an output; it is read.
    Read,
    /// Of an output that an invocation may write more than once; what was taken is set to zero.
    Taken,
}

/// The shadows of a kernel, and the module of the derived one without its function.
pub(super) struct Shadows {
    pub(super) buffers: Vec<Option<Shadow>>,
    pub(super) params: Vec<Option<Shadow>>,
}

/// Finds out which shadows there are.
pub(super) fn find(
    module: &Module,
    function: &Function,
    activity: &Activity,
    (by, apart): (&By, &[BufferId]),
    result: &mut Module,
) -> Result<Shadows, Refusal> {
    let kernel = module.kernel.as_ref().expect("a kernel is derived");
    let uses = Uses::of(function, kernel, activity);
    let mut shadows = Shadows { buffers: Vec::new(), params: vec![None; kernel.params.len()] };
    for id in kernel.buffers.ids() {
        let kind = kind_of(module, kernel, &uses, id, by.buffers.contains(&id), apart.contains(&id));
        let kind = kind.map_err(|refused| Refusal { location: None, refused })?;
        shadows.buffers.push(kind.map(|kind| {
            let buffer = &kernel.buffers[id];
            let element = match kind {
                ShadowKind::Atomic(scalar) => result.types.scalar(scalar.unsigned()),
                ShadowKind::Read if uses.adds[id.index()] => float_of(module, buffer.element, result),
                _ => buffer.element,
            };
            Shadow { buffer: add(result, &buffer.name, element, kind != ShadowKind::Read), kind }
        }));
    }
    for param in &by.params {
        let (name, ty) = (&kernel.params[*param].name, kernel.params[*param].ty);
        let is_active = || {
            let is_param = |kind: &InstKind| matches!(kind, InstKind::Param(of) if of == param);
            function.insts.iter().any(|(_, inst)| is_param(&inst.kind) && activity.is_active(inst.results[0]))
        };
        let kind = kind_of_param(&module.types, name, ty, by.is_function, is_active);
        let kind = kind.map_err(|refused| Refusal { location: None, refused })?;
        let element = match kind {
            ShadowKind::Atomic(scalar) => result.types.scalar(scalar.unsigned()),
            _ => ty,
        };
        shadows.params[param.index()] = Some(Shadow { buffer: add(result, name, element, true), kind });
    }
    Ok(shadows)
}

/// How the adjoint of a buffer is accessed, if it has one.
fn kind_of(
    module: &Module,
    kernel: &Kernel,
    uses: &Uses,
    id: BufferId,
    is_input: bool,
    is_apart: bool,
) -> Result<Option<ShadowKind>, Refused> {
    let (buffer, at) = (&kernel.buffers[id], id.index());
    let is_written = uses.stores[at] > 0 || uses.adds[at];
    if !is_input {
        if !is_written || !uses.is_active[at] || buffer.is_list {
            return Ok(None);
        }
        let is_taken = !uses.adds[at] && uses.is_taken[at];
        return Ok(Some(if is_taken { ShadowKind::Taken } else { ShadowKind::Read }));
    }
    let name = buffer.name.clone();
    if buffer.is_list || buffer.image.is_some() {
        return Err(Refused::Kind { name, is_list: buffer.is_list });
    }
    if !has_floats(&module.types, buffer.element) {
        return Err(Refused::NoFloats { name });
    }
    if is_written {
        return Err(Refused::Written { name });
    }
    if !uses.is_active[at] {
        return Err(Refused::NoPath { name });
    }
    // Invocations of one workgroup may share a number along x.
    let is_line = kernel.workgroup[1..].iter().all(|size| size.known() == Some(1));
    if uses.is_own[at] && is_line {
        return Ok(Some(ShadowKind::Own));
    }
    if is_apart {
        return Ok(Some(ShadowKind::Apart));
    }
    match added_scalar(&module.types, buffer.element) {
        Some(scalar) => Ok(Some(ShadowKind::Atomic(scalar))),
        None => Err(Refused::Element { name, ty: name_of(&module.types, buffer.element) }),
    }
}

/// The same of a parameter, or of a function's argument.
fn kind_of_param(
    types: &Types,
    name: &str,
    ty: TypeId,
    is_of_function: bool,
    is_active: impl Fn() -> bool,
) -> Result<ShadowKind, Refused> {
    let name = name.to_owned();
    if is_of_function {
        return match has_adjoint(types, ty) {
            true => Ok(ShadowKind::Own),
            false => Err(Refused::Argument { name, ty: name_of(types, ty), is_part: false }),
        };
    }
    if !has_floats(types, ty) {
        return Err(Refused::NoFloats { name });
    }
    match flat_scalar(types, ty) {
        None => Err(Refused::Element { name, ty: name_of(types, ty) }),
        Some(_) if !is_active() => Err(Refused::NoPath { name }),
        Some(scalar) => Ok(ShadowKind::Atomic(scalar)),
    }
}

/// The scalar that is added atomically to the adjoint of a buffer with such elements. Numbers of 16 bits have adjoints of 32.
fn added_scalar(types: &Types, element: TypeId) -> Option<Scalar> {
    match types.get(element) {
        Type::Scalar(Scalar::F16 | Scalar::Bf16) => Some(Scalar::F32),
        _ => flat_scalar(types, element),
    }
}

/// The element of an output's adjoint where the output is added to atomically: its cells may be the bits of floats.
fn float_of(module: &Module, element: TypeId, result: &mut Module) -> TypeId {
    match module.types.get(element) {
        Type::Scalar(Scalar::U32) => result.types.scalar(Scalar::F32),
        Type::Scalar(Scalar::U64) => result.types.scalar(Scalar::F64),
        _ => element,
    }
}

fn add(result: &mut Module, name: &str, element: TypeId, writable: bool) -> BufferId {
    let kernel = result.kernel.as_mut().expect("a kernel is derived");
    // Another parameter may have the name.
    let mut name = format!("d_{name}");
    while kernel.buffers.iter().any(|(_, buffer)| buffer.name == name)
        || kernel.params.iter().any(|(_, param)| param.name == name)
    {
        name.insert(0, 'd');
    }
    kernel.buffers.push(crate::ir::Buffer { writable, ..crate::ir::Buffer::new(name, element) })
}

/// The only scalar that a type consists of in memory, without a gap, if it can be added to atomically.
pub(super) fn flat_scalar(types: &Types, ty: TypeId) -> Option<Scalar> {
    let scalar = match types.get(ty) {
        Type::Scalar(scalar @ (Scalar::F32 | Scalar::F64)) | Type::Vector(scalar @ (Scalar::F32 | Scalar::F64), _) => {
            *scalar
        }
        Type::Scalar(Scalar::I32 | Scalar::U32) | Type::Vector(Scalar::I32 | Scalar::U32, _) => Scalar::F32,
        Type::Array(element, _) => flat_scalar(types, *element)?,
        Type::Struct(id) => {
            let mut fields = types.struct_def(*id).fields.iter().map(|field| flat_scalar(types, field.ty));
            let first = fields.next()??;
            if !fields.all(|field| field == Some(first)) {
                return None;
            }
            first
        }
        _ => return None,
    };
    let layout = Layout::of(types, ty)?;
    (packed_size(types, ty)? == layout.size).then_some(scalar)
}

/// The name of a type: of a struct, its own.
pub fn name_of(types: &Types, ty: TypeId) -> String {
    match types.get(ty) {
        Type::Struct(id) => types.struct_def(*id).name.clone(),
        _ => types.display(ty).to_string(),
    }
}

/// Whether a function's argument or result of a type has an adjoint, which is of the same type: numbers, vectors, and what is made of these.
pub(super) fn has_adjoint(types: &Types, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Scalar(_) | Type::Vector(..) => true,
        Type::Array(element, len) => len.known().is_some() && has_adjoint(types, *element),
        Type::Tuple(members) => members.iter().all(|member| has_adjoint(types, *member)),
        Type::Struct(id) => types.struct_def(*id).fields.iter().all(|field| has_adjoint(types, field.ty)),
        Type::Unit | Type::Coop(_) => false,
    }
}

/// The bytes of all scalars in a type.
fn packed_size(types: &Types, ty: TypeId) -> Option<u32> {
    Some(match types.get(ty) {
        Type::Scalar(scalar) => scalar.bits() / 8,
        Type::Vector(scalar, lanes) => scalar.bits() / 8 * u32::from(*lanes),
        Type::Array(element, len) => packed_size(types, *element)?.checked_mul(len.known()?)?,
        Type::Struct(id) => {
            types.struct_def(*id).fields.iter().map(|field| packed_size(types, field.ty)).sum::<Option<u32>>()?
        }
        _ => return None,
    })
}

/// In how many scalars the members of a type lie behind its beginning.
pub(super) fn scalar_offset(types: &Types, ty: TypeId, field: u32, scalar: Scalar) -> Option<u32> {
    let bytes = match types.get(ty) {
        Type::Struct(id) => *field_offsets(types, *id)?.get(field as usize)?,
        Type::Vector(lane, _) => lane.bits() / 8 * field,
        Type::Array(element, _) => Layout::of(types, *element)?.size.checked_mul(field)?,
        _ => return None,
    };
    Some(bytes / (scalar.bits() / 8))
}

/// How a kernel accesses its buffers.
struct Uses {
    /// Stores to each.
    stores: Vec<usize>,
    /// Whether it is added to atomically.
    adds: Vec<bool>,
    /// Whether an element may be written twice by an invocation, or be read with a gradient.
    is_taken: Vec<bool>,
    /// Whether all active reads are of the element with the invocation's number.
    is_own: Vec<bool>,
    /// Whether a gradient flows into or out of it.
    is_active: Vec<bool>,
}

impl Uses {
    fn of(function: &Function, kernel: &Kernel, activity: &Activity) -> Self {
        let count = kernel.buffers.len();
        let mut uses = Self {
            stores: vec![0; count],
            adds: vec![false; count],
            is_taken: vec![false; count],
            is_own: vec![true; count],
            is_active: vec![false; count],
        };
        let definitions = definitions(function);
        let is_own_index = |value: ValueId| {
            let Some(id) = definitions[value.index()] else { return false };
            let InstKind::Extract(of, steps) = &function.insts[id].kind else { return false };
            let Some(of) = definitions[of.index()] else { return false };
            steps.as_ref() == [0] && matches!(function.insts[of].kind, InstKind::Builtin(Builtin::GlobalId))
        };
        uses.block(function, function.entry, activity, &is_own_index, false);
        for buffer in 0..count {
            uses.is_taken[buffer] |= uses.stores[buffer] > 1;
        }
        uses
    }

    fn block(
        &mut self,
        function: &Function,
        block: crate::ir::BlockId,
        activity: &Activity,
        is_own: &dyn Fn(ValueId) -> bool,
        in_loop: bool,
    ) {
        for id in &function.blocks[block].insts {
            let inst = &function.insts[*id];
            let is_loop = matches!(inst.kind, InstKind::Loop { .. });
            inst.kind
                .blocks()
                .iter()
                .for_each(|block| self.block(function, *block, activity, is_own, in_loop || is_loop));
            let Some(Place { root: Root::Buffer(buffer) | Root::Member(buffer, _), path, .. }) = inst.kind.place()
            else {
                continue;
            };
            let at = buffer.index();
            match &inst.kind {
                InstKind::Store(_, value) | InstKind::CoopStore(_, value) => {
                    self.stores[at] += 1;
                    self.is_taken[at] |= in_loop;
                    self.is_active[at] |= activity.is_active(*value);
                }
                InstKind::Atomic(atomic) if atomic.op.writes() => {
                    self.adds[at] = true;
                    self.is_active[at] |= atomic.operands.iter().any(|operand| activity.is_active(*operand));
                }
                _ if inst.results.iter().any(|result| activity.is_active(*result)) => {
                    self.is_active[at] = true;
                    self.is_taken[at] = true;
                    let own = matches!(path.first(), Some(Step::Index { value, .. }) if is_own(*value));
                    self.is_own[at] &= own;
                }
                _ => {}
            }
        }
    }
}
