//! Module part of the verifier: types, sites, the kernel's interface, signatures of functions.

use super::VerifyErrorKind::{KernelInterface, Layout as NoLayout, MalformedType, UnknownId};
use super::{VerifyError, VerifyErrorKind};
use crate::arena::EntityId;
use crate::coop;
use crate::ir::{Bound, Buffer, BufferId, ConstParam, Function, FunctionId, Kernel, Module};
use crate::layout::Layout;
use crate::types::{Scalar, Size, StructId, Type, TypeId, Types};

fn error(kind: VerifyErrorKind, entity: impl ToString, message: impl Into<String>) -> VerifyError {
    let (entity, message) = (entity.to_string(), message.into());
    VerifyError { kind, message, function: None, entity, text: None, location: None }
}

/// Whether all types are well formed.
pub(super) fn check_types(module: &Module, errors: &mut Vec<VerifyError>) -> bool {
    let before = errors.len();
    for (id, ty) in module.types.all().iter() {
        if let Err(message) = check_type(module, id, ty) {
            errors.push(error(MalformedType, id, message));
        }
    }
    errors.len() == before
}

/// Members come before the types made of them, so that no type contains itself.
fn check_type(module: &Module, id: TypeId, ty: &Type) -> Result<(), String> {
    let check_member = |member: TypeId| {
        if member >= id {
            return Err(format!("a member's type, {member}, is not an earlier one"));
        }
        if *module.types.get(member) == Type::Unit { Err("a member is unit".to_owned()) } else { Ok(()) }
    };
    match ty {
        Type::Unit | Type::Scalar(_) => Ok(()),
        Type::Vector(_, 2..=4) => Ok(()),
        Type::Vector(_, lanes) => Err(format!("a vector of {lanes} lanes")),
        Type::Coop(ty) => coop::check_type(*ty),
        Type::Array(_, Size::Known(0)) => Err("an array of no elements".to_owned()),
        Type::Array(element, len) => check_size(module, *len).and_then(|()| check_member(*element)),
        Type::Tuple(members) if members.is_empty() => Err("a tuple without members".to_owned()),
        Type::Tuple(members) => members.iter().try_for_each(|member| check_member(*member)),
        Type::Struct(def) => check_struct(module, *def, check_member),
    }
}

/// A size that the launch decides is a const parameter of type `u32`, which the kernel has.
fn check_size(module: &Module, size: Size) -> Result<(), String> {
    let Size::Param(param) = size else { return Ok(()) };
    let def = module.kernel.as_ref().and_then(|kernel| kernel.constants.get(param));
    match def {
        Some(ConstParam { scalar: Scalar::U32, default: 1.., .. }) => Ok(()),
        Some(_) => Err(format!("the size {param} is no `u32` of at least 1")),
        None => Err(format!("there is no {param}")),
    }
}

fn check_struct(
    module: &Module,
    id: StructId,
    check_member: impl Fn(TypeId) -> Result<(), String>,
) -> Result<(), String> {
    let def = module.types.structs().get(id).ok_or_else(|| format!("there is no {id}"))?;
    if def.fields.is_empty() {
        return Err(format!("struct `{}` has no fields", def.name));
    }
    if !def.align.is_power_of_two() || def.align > 16 {
        return Err(format!("struct `{}` cannot be aligned to {}", def.name, def.align));
    }
    def.fields.iter().try_for_each(|field| check_member(field.ty))
}

pub(super) fn check_sites(module: &Module, errors: &mut Vec<VerifyError>) {
    for (id, site) in module.sites.iter() {
        let file = site.location.file;
        if !module.files.contains(file) {
            let located = error(UnknownId, id, format!("there is no {file}"));
            errors.push(VerifyError { location: Some(site.location), ..located });
        }
    }
}

/// Whether everything a bound names is there.
fn check_bound(module: &Module, kernel: &Kernel, bound: &Bound) -> Result<(), String> {
    let missing = |id: &dyn std::fmt::Display| Err(format!("{id}, which there is not"));
    match bound {
        Bound::Const(_) | Bound::Items(0..=2) | Bound::Groups(0..=2) => Ok(()),
        Bound::Items(axis) | Bound::Groups(axis) => missing(&format_args!("axis {axis}")),
        Bound::Len(buffer) if kernel.buffers.contains(*buffer) => Ok(()),
        Bound::Len(buffer) => missing(buffer),
        Bound::Extent(image, axis) => match kernel.buffers.get(*image) {
            Some(Buffer { image: Some(of), is_list: false, .. }) if *axis < of.dimensions => Ok(()),
            Some(_) => missing(&format_args!("axis {axis} of {image}")),
            None => missing(image),
        },
        Bound::Least(list) => match kernel.buffers.get(*list) {
            Some(Buffer { image: None, is_list: true, .. }) => Ok(()),
            Some(_) => missing(&format_args!("a list of buffers {list}")),
            None => missing(list),
        },
        Bound::LeastExtent(list, axis) => match kernel.buffers.get(*list) {
            Some(Buffer { image: Some(of), is_list: true, .. }) if *axis < of.dimensions => Ok(()),
            Some(_) => missing(&format_args!("axis {axis} of a list of images {list}")),
            None => missing(list),
        },
        Bound::Constant(param) => match kernel.constants.get(*param) {
            Some(constant) if constant.scalar.is_int() => Ok(()),
            _ => missing(param),
        },
        Bound::Param(param, path) => {
            let Some(declared) = kernel.params.get(*param) else { return missing(param) };
            if !module.types.all().contains(declared.ty) {
                return missing(&declared.ty);
            }
            let member = |ty, member: &u32| module.types.member(ty, *member);
            match path.iter().try_fold(declared.ty, member).map(|ty| module.types.get(ty)) {
                Some(Type::Scalar(scalar)) if scalar.is_int() => Ok(()),
                _ => Err(format!("`{bound}`, which is no integer")),
            }
        }
        Bound::Binary(_, operands) => operands.iter().try_for_each(|operand| check_bound(module, kernel, operand)),
    }
}

pub(super) fn check_kernel(module: &Module, errors: &mut Vec<VerifyError>) {
    let Some(kernel) = &module.kernel else { return };
    check_workgroup(module, kernel, errors);
    for (id, constant) in kernel.constants.iter() {
        let is_number = constant.scalar.is_int() || constant.scalar == Scalar::Bool;
        if !is_number || constant.default & !constant.scalar.mask() != 0 {
            errors.push(error(KernelInterface, id, "a const parameter is an integer or `bool`"));
        }
    }
    check_kernel_function(module, kernel, errors);
    for id in kernel.buffers.ids() {
        check_buffer(&module.types, kernel, id, errors);
    }
    let types = &module.types;
    for (id, shared) in kernel.shared.iter() {
        if !types.all().contains(shared.ty) {
            errors.push(error(UnknownId, id, format!("there is no {}", shared.ty)));
        } else if *types.get(shared.ty) == Type::Unit {
            errors.push(error(NoLayout, id, "a shared variable is unit"));
        }
    }
    for obligation in &kernel.obligations {
        let bounds =
            check_bound(module, kernel, &obligation.index).and(check_bound(module, kernel, &obligation.length));
        let site = match obligation.in_all {
            Some(site) if !module.sites.contains(site) => Err(format!("{site}, which there is not")),
            _ => Ok(()),
        };
        if let Err(message) = bounds.and(site) {
            errors.push(error(UnknownId, "kernel", format!("the obligation `{obligation}` names {message}")));
        }
    }
    for (id, param) in kernel.params.iter() {
        if !types.all().contains(param.ty) {
            errors.push(error(UnknownId, id, format!("there is no {}", param.ty)));
        } else if *types.get(param.ty) != Type::Scalar(Scalar::Bool) && Layout::of(types, param.ty).is_none() {
            let message = format!("`{}` cannot be a parameter of a kernel", types.display(param.ty));
            errors.push(error(NoLayout, id, message));
        }
    }
}

fn check_workgroup(module: &Module, kernel: &Kernel, errors: &mut Vec<VerifyError>) {
    if kernel.workgroup.contains(&Size::Known(0)) {
        errors.push(error(KernelInterface, "kernel", "a workgroup size is zero"));
    }
    for size in kernel.workgroup {
        if let Err(message) = check_size(module, size) {
            errors.push(error(KernelInterface, "kernel", message));
        }
    }
    if kernel.subgroup_size.is_some_and(|lanes| !lanes.is_power_of_two() || lanes > 128) {
        errors.push(error(KernelInterface, "kernel", "the lanes of a subgroup are a power of two of at most 128"));
    }
}

fn check_kernel_function(module: &Module, kernel: &Kernel, errors: &mut Vec<VerifyError>) {
    let Some(function) = module.functions.get(kernel.function) else {
        return errors.push(error(UnknownId, "kernel", format!("there is no {}", kernel.function)));
    };
    let mut report = |message: &str| {
        let located = error(KernelInterface, kernel.function, message);
        errors.push(VerifyError { location: function.location, ..located });
    };
    if function.blocks.get(function.entry).is_some_and(|entry| !entry.params.is_empty()) {
        report("the kernel's function has parameters");
    }
    if module.types.all().get(function.result).is_some_and(|ty| *ty != Type::Unit) {
        report("the kernel's function returns a value");
    }
}

fn check_buffer(types: &Types, kernel: &Kernel, id: BufferId, errors: &mut Vec<VerifyError>) {
    let buffer = &kernel.buffers[id];
    let element = types.all().get(buffer.element);
    let is_word = element == Some(&Type::Scalar(Scalar::U32));
    let is_storage = !buffer.is_list && buffer.image.is_none();
    let mut report = |message: &str| errors.push(error(KernelInterface, id, message));
    if let Some(image) = buffer.image {
        let has_texels = element == Some(&image.texel());
        if !has_texels || !(1..=3).contains(&image.dimensions) || image.is_sampled && buffer.writable {
            report("an image has texels of its format in 1 to 3 dimensions");
        }
    }
    if buffer.is_texels && (buffer.writable || !is_storage) {
        report("texels are only read, of one buffer");
    }
    if buffer.is_texels && !element.is_some_and(Type::is_texel) {
        report("texels are one, two or four numbers of 32 bits");
    }
    if buffer.checked.is_some() && (buffer.writable || !is_storage || buffer.is_texels) {
        report("a buffer whose elements were checked is only read, and one storage buffer");
    }
    if buffer.checked.is_some() && !is_word {
        report("elements that were checked are numbers of 32 bits without sign");
    }
    if buffer.is_claims {
        let is_plain = |of: &Buffer| of.writable && !of.is_list && of.image.is_none() && !of.is_claims;
        let before = id.index().checked_sub(1).map(|before| &kernel.buffers[BufferId::new(before)]);
        if !(buffer.writable && is_storage && is_word && before.is_some_and(is_plain)) {
            report("claims are words of a buffer, behind another one that is written");
        }
    }
    if element.is_none() {
        errors.push(error(UnknownId, id, format!("there is no {}", buffer.element)));
    } else if Layout::of(types, buffer.element).is_none_or(|layout| layout.size == 0) {
        let message = format!("`{}` cannot lie in a buffer", types.display(buffer.element));
        errors.push(error(NoLayout, id, message));
    }
}

/// Whether the types that a function names exist, so that its body can be looked at.
pub(super) fn check_signature(
    module: &Module,
    id: FunctionId,
    function: &Function,
    errors: &mut Vec<VerifyError>,
) -> bool {
    let types = module.types.all();
    let mut ok = true;
    let mut report = |kind, entity: String, message: String| {
        ok = false;
        errors.push(VerifyError { function: Some(id), location: function.location, ..error(kind, entity, message) });
    };
    let mut check = |entity: &dyn std::fmt::Display, ty: TypeId| {
        if !types.contains(ty) {
            report(UnknownId, entity.to_string(), format!("there is no {ty}"));
        }
    };
    function.values.iter().for_each(|(value, def)| check(&value, def.ty));
    function.locals.iter().for_each(|(local, def)| check(&local, def.ty));
    check(&id, function.result);
    for (local, def) in function.locals.iter() {
        if types.get(def.ty) == Some(&Type::Unit) {
            report(MalformedType, local.to_string(), "a local variable is unit".to_owned());
        }
    }
    if !function.blocks.contains(function.entry) {
        report(UnknownId, id.to_string(), format!("there is no {}", function.entry));
    }
    ok
}
