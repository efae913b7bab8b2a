//! Puts values in place of the kernel's const parameters, so that the module has none: what a driver does when it makes a
//! pipeline. For the interpreter; the compiler keeps const parameters to the end.

use crate::arena::EntityId;
use crate::ir::{ConstParamId, Constant, InstKind, Module};
use crate::types::{Scalar, Size, StructDef, Type, TypeId, Types};

/// The module with a value for each const parameter, by its bits. Gives `None` where a value is missing, or a size is zero
/// or does not fit in 32 bits.
pub fn fix_constants(module: &Module, values: &[u64]) -> Option<Module> {
    let mut fixed = module.clone();
    let Some(kernel) = &mut fixed.kernel else { return Some(fixed) };
    if kernel.constants.is_empty() {
        return Some(fixed);
    }
    let constants = std::mem::take(&mut kernel.constants);
    let value_of = |param: ConstParamId| values.get(param.index()).copied();
    let size_of = |size: Size| match size {
        Size::Known(_) => Some(size),
        Size::Param(param) => u32::try_from(value_of(param)?).ok().filter(|len| *len > 0).map(Size::Known),
    };
    for size in &mut kernel.workgroup {
        *size = size_of(*size)?;
    }
    let (types, map) = fix_types(&module.types, size_of)?;
    fixed.types = types;
    kernel.buffers.values_mut().for_each(|buffer| buffer.element = map[buffer.element.index()]);
    kernel.params.values_mut().for_each(|param| param.ty = map[param.ty.index()]);
    kernel.shared.values_mut().for_each(|shared| shared.ty = map[shared.ty.index()]);
    for function in fixed.functions.values_mut() {
        function.result = map[function.result.index()];
        function.values.values_mut().for_each(|value| value.ty = map[value.ty.index()]);
        function.locals.values_mut().for_each(|local| local.ty = map[local.ty.index()]);
        for inst in function.insts.values_mut() {
            if let InstKind::ConstParam(param) = inst.kind {
                inst.kind = InstKind::Const(literal(constants[param].scalar, value_of(param)?));
            }
        }
    }
    Some(fixed)
}

/// The types with sizes as numbers, and which became which: two may become one.
fn fix_types(old: &Types, size_of: impl Fn(Size) -> Option<Size>) -> Option<(Types, Vec<TypeId>)> {
    let mut types = Types::new();
    let mut map: Vec<TypeId> = Vec::with_capacity(old.all().len());
    let new = |map: &[TypeId], id: &TypeId| map[id.index()];
    for (_, ty) in old.all().iter() {
        let fixed = match ty {
            Type::Array(element, len) => types.array(new(&map, element), size_of(*len)?),
            Type::Tuple(members) => types.intern(Type::Tuple(members.iter().map(|member| new(&map, member)).collect())),
            Type::Struct(def) => {
                let mut def: StructDef = old.struct_def(*def).clone();
                def.fields.iter_mut().for_each(|field| field.ty = new(&map, &field.ty));
                types.add_struct(def).1
            }
            Type::Unit | Type::Scalar(_) | Type::Vector(..) | Type::Coop(_) => types.intern(ty.clone()),
        };
        map.push(fixed);
    }
    Some((types, map))
}

fn literal(scalar: Scalar, bits: u64) -> Constant {
    let bits = bits & scalar.mask();
    match scalar {
        Scalar::Bool => Constant::Bool(bits != 0),
        Scalar::I32 => Constant::I32((bits as u32).cast_signed()),
        Scalar::U32 => Constant::U32(bits as u32),
        _ => Constant::Bits(scalar, bits),
    }
}
