//! The interface of a module: the bindings, push constants and entry points that a launch must provide, read from its
//! decorations.

use super::adapt;
use super::bindings::Bindings;
use super::flow::{check_functions, reached};
use super::grammar::CAPABILITIES;
use super::layout::{Layout, scalar_of};
use super::notes::{Notes, read_notes};
use super::parse::{Instructions, parse, text};
use super::types::{Type, Types};
use super::{Interface, ModuleError, SpecConstant, WorkgroupSize};
use crate::binary::{built_in, decoration, op};
use crate::descriptor::SubgroupOperations;

/// Checks and reads a module.
pub(super) fn read(words: &[u32], wanted: Option<&str>) -> Result<(Vec<u32>, Interface), ModuleError> {
    let words = adapt::in_place(words)?;
    let module = parse(&words)?;
    let capabilities = check_head(&module)?;
    let notes = read_notes(&module)?;
    let types = Types::new(&module)?;
    let glsl = glsl_import(&module)?;
    let calls = check_functions(&module, &types, glsl)?;
    let (entry_point, function) = entry_point(&module, wanted)?;
    let called = reached(&calls, function)?;
    check_entry_function(&module, &types, function)?;
    let workgroup = workgroup(&module, &types, &notes, function)?;
    let constants = spec_constants(&module, &types, &notes)?;
    let uses_device_scope = uses_device_scope(&module, &types)?;
    let mut bindings = Bindings::of(&module, &Layout { types: &types, notes: &notes }, &called)?;
    let slots = bindings.settle()?;
    let interface = Interface {
        entry_point,
        version: module.version,
        workgroup,
        buffers: bindings.buffers,
        images: bindings.images,
        push_constants: bindings.push_constants,
        push_constant_size: bindings.push_constant_size,
        constants,
        subgroup_operations: subgroup_operations(&capabilities),
        capabilities,
        shared_bytes: bindings.shared_bytes,
        uses_device_scope,
        has_vulkan_memory_model: memory_model(&module) == Some(3),
    };
    Ok((adapt::finished(&words, &slots, module.version), interface))
}

/// Capabilities, extensions and the memory model.
fn check_head(module: &Instructions<'_>) -> Result<Vec<(u32, &'static str)>, ModuleError> {
    const EXTENSIONS: [&str; 8] = [
        "SPV_KHR_storage_buffer_storage_class",
        "SPV_KHR_16bit_storage",
        "SPV_KHR_8bit_storage",
        "SPV_KHR_float_controls",
        "SPV_KHR_vulkan_memory_model",
        "SPV_KHR_variable_pointers",
        "SPV_EXT_shader_atomic_float_add",
        "SPV_KHR_non_semantic_info",
    ];
    let mut capabilities = Vec::new();
    for inst in &module.list {
        match inst.opcode {
            op::CAPABILITY => {
                let known =
                    CAPABILITIES.iter().find(|(number, _)| *number == inst.rest[0] && !matches!(number, 4441 | 4442));
                let known = known.ok_or_else(|| {
                    ModuleError::new(
                        inst.at,
                        format!("it needs the capability {}, which is not supported", inst.rest[0]),
                    )
                })?;
                capabilities.push(*known);
            }
            op::EXTENSION => {
                let name = text(inst.rest).map(|(name, _)| name).unwrap_or_default();
                if !EXTENSIONS.contains(&name.as_str()) {
                    return Err(ModuleError::new(
                        inst.at,
                        format!("it needs the extension `{name}`, which is not supported"),
                    ));
                }
            }
            op::MEMORY_MODEL if inst.rest[0] != 0 || !matches!(inst.rest[1], 1 | 3) => {
                return Err(ModuleError::new(
                    inst.at,
                    "its memory model is not that of shaders, with logical addresses",
                ));
            }
            _ => {}
        }
    }
    if !capabilities.iter().any(|(number, _)| *number == 1) {
        return Err(ModuleError::new(0, "it lacks the capability Shader: it is not for Vulkan"));
    }
    match module.list.iter().filter(|inst| inst.opcode == op::MEMORY_MODEL).count() {
        1 => Ok(capabilities),
        _ => Err(ModuleError::new(0, "it does not have one memory model")),
    }
}

/// Whether a scope of memory is the device; all scopes have to be ones that a device knows.
fn uses_device_scope(module: &Instructions<'_>, types: &Types) -> Result<bool, ModuleError> {
    const DEVICE: u64 = 1;
    let mut found = false;
    for inst in &module.list {
        let scopes = match inst.opcode {
            98 => inst.ids.get(2..).unwrap_or_default(),
            99 => inst.ids.get(3..).unwrap_or_default(),
            224 => &inst.ids[..2],
            225 => &inst.ids[..1],
            227..=242 | 6035 => &inst.ids[1..2],
            333..=366 => &inst.ids[..1],
            _ => continue,
        };
        for scope in scopes {
            let scope = types.number(*scope).filter(|scope| (DEVICE..=5).contains(scope));
            let scope = scope.ok_or_else(|| ModuleError::new(inst.at, "a scope is none of a device"))?;
            found |= scope == DEVICE && inst.opcode < 333;
        }
    }
    Ok(found)
}

fn memory_model(module: &Instructions<'_>) -> Option<u32> {
    module.list.iter().find(|inst| inst.opcode == op::MEMORY_MODEL).map(|inst| inst.rest[1])
}

fn glsl_import(module: &Instructions<'_>) -> Result<Option<u32>, ModuleError> {
    let mut found = None;
    for inst in module.list.iter().filter(|inst| inst.opcode == op::EXT_INST_IMPORT) {
        match text(inst.rest).map(|(name, _)| name).as_deref() {
            Some("GLSL.std.450") if found.is_none() => found = inst.result,
            name => {
                let name = name.unwrap_or_default().to_owned();
                return Err(ModuleError::new(
                    inst.at,
                    format!("it imports `{name}`, which is not supported, or imports it twice"),
                ));
            }
        }
    }
    Ok(found)
}

fn entry_point(module: &Instructions<'_>, wanted: Option<&str>) -> Result<(String, u32), ModuleError> {
    const COMPUTE: u32 = 5;
    let mut found: Vec<(String, u32)> = Vec::new();
    for inst in module.list.iter().filter(|inst| inst.opcode == op::ENTRY_POINT) {
        if inst.rest[0] != COMPUTE {
            return Err(ModuleError::new(inst.at, "it has an entry point that is not for compute"));
        }
        let name = text(&inst.rest[2..]).map(|(name, _)| name).unwrap_or_default();
        let is_variable = |id: &u32| module.of(*id).is_some_and(|made| made.opcode == op::VARIABLE);
        if !inst.ids[1..].iter().all(is_variable) || found.iter().any(|(other, _)| *other == name) {
            return Err(ModuleError::new(
                inst.at,
                "an entry point's interface is not made of variables, or its name is not its own",
            ));
        }
        found.push((name, inst.ids[0]));
    }
    let names = || found.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match (wanted, &found[..]) {
        (_, []) => Err(ModuleError::new(0, "it has no entry point")),
        (None, [only]) => Ok(only.clone()),
        (None, _) => Err(ModuleError::new(0, format!("it has several entry points ({}); name one", names()))),
        (Some(wanted), found) => found
            .iter()
            .find(|(name, _)| name == wanted)
            .cloned()
            .ok_or_else(|| ModuleError::new(0, format!("it has no entry point `{wanted}`; there are {}", names()))),
    }
}

fn check_entry_function(module: &Instructions<'_>, types: &Types, function: u32) -> Result<(), ModuleError> {
    let made = module.of(function).filter(|made| made.opcode == op::FUNCTION);
    let made = made.ok_or_else(|| ModuleError::new(0, "an entry point is no function"))?;
    match made.rest.get(1).and_then(|ty| types.get(*ty)) {
        Some(Type::Function { returned, params }) if params.is_empty() && types.get(*returned) == Some(&Type::Void) => {
            Ok(())
        }
        _ => Err(ModuleError::new(made.at, "an entry point takes or returns something")),
    }
}

fn workgroup(
    module: &Instructions<'_>,
    types: &Types,
    notes: &Notes,
    function: u32,
) -> Result<[WorkgroupSize; 3], ModuleError> {
    const LOCAL_SIZE: u32 = 17;
    let mut size = None;
    for inst in module.list.iter().filter(|inst| inst.opcode == op::EXECUTION_MODE && inst.rest[0] == function) {
        match (inst.rest[1], &inst.rest[2..]) {
            (LOCAL_SIZE, [x, y, z]) if size.is_none() => size = Some([*x, *y, *z].map(WorkgroupSize::Known)),
            // Float controls, of a width each.
            (4459 | 4461 | 4462, [16 | 32 | 64]) => {}
            (mode, _) => {
                return Err(ModuleError::new(
                    inst.at,
                    format!("it has the execution mode {mode}, which is not supported here"),
                ));
            }
        }
    }
    let built_in =
        notes.decorations.iter().filter(|(_, list)| list.contains(&(decoration::BUILT_IN, built_in::WORKGROUP_SIZE)));
    let mut built_in: Vec<u32> = built_in.map(|((id, _), _)| *id).collect();
    built_in.sort_unstable();
    match built_in[..] {
        [] => {}
        [id] => {
            let inst = module
                .of(id)
                .filter(|made| matches!(made.opcode, op::CONSTANT_COMPOSITE | op::SPEC_CONSTANT_COMPOSITE));
            let inst =
                inst.ok_or_else(|| ModuleError::new(0, "its workgroup's size is no constant of three numbers"))?;
            let axis = |id: &u32| match module.of(*id).map(|made| made.opcode) {
                Some(op::CONSTANT) => Some(WorkgroupSize::Known(u32::try_from(types.number(*id)?).ok()?)),
                Some(op::SPEC_CONSTANT) => match notes.get(*id, None, decoration::SPEC_ID) {
                    Some(number) => Some(WorkgroupSize::Constant(number)),
                    None => Some(WorkgroupSize::Known(u32::try_from(types.number(*id)?).ok()?)),
                },
                _ => None,
            };
            let sizes: Option<Vec<_>> = inst.rest.iter().map(axis).collect();
            let sizes = sizes.and_then(|sizes| <[WorkgroupSize; 3]>::try_from(sizes).ok());
            size =
                Some(sizes.ok_or_else(|| {
                    ModuleError::new(inst.at, "its workgroup's size is no constant of three numbers")
                })?);
        }
        _ => return Err(ModuleError::new(0, "it has two sizes of workgroups")),
    }
    let size = size.ok_or_else(|| ModuleError::new(0, "it does not say how large its workgroups are"))?;
    match size.contains(&WorkgroupSize::Known(0)) {
        true => Err(ModuleError::new(0, "its workgroups are empty")),
        false => Ok(size),
    }
}

fn spec_constants(module: &Instructions<'_>, types: &Types, notes: &Notes) -> Result<Vec<SpecConstant>, ModuleError> {
    let mut constants: Vec<SpecConstant> = Vec::new();
    for inst in &module.list {
        let (Some(ty), Some(id)) = (inst.ty, inst.result) else { continue };
        let Some(number) = notes.get(id, None, decoration::SPEC_ID) else { continue };
        let default = match inst.opcode {
            op::SPEC_CONSTANT_TRUE => 1,
            op::SPEC_CONSTANT_FALSE => 0,
            op::SPEC_CONSTANT => inst.rest.iter().rev().fold(0, |bits, word| bits << 32 | u64::from(*word)),
            _ => return Err(ModuleError::new(inst.at, "a number is given to what is no specialization constant")),
        };
        if constants.iter().any(|other| other.number == number) {
            return Err(ModuleError::new(inst.at, format!("two specialization constants have the number {number}")));
        }
        let data =
            scalar_of(types, ty).ok_or_else(|| ModuleError::new(inst.at, "a specialization constant is no number"))?;
        constants.push(SpecConstant { number, name: notes.name(id, None), ty: data, default });
    }
    constants.sort_by_key(|constant| constant.number);
    Ok(constants)
}

fn subgroup_operations(capabilities: &[(u32, &'static str)]) -> SubgroupOperations {
    let of = [
        (61, SubgroupOperations::BASIC),
        (62, SubgroupOperations::VOTE),
        (63, SubgroupOperations::ARITHMETIC),
        (64, SubgroupOperations::BALLOT),
        (65, SubgroupOperations::SHUFFLE),
        (66, SubgroupOperations::SHUFFLE_RELATIVE),
        (67, SubgroupOperations::CLUSTERED),
        (68, SubgroupOperations::QUAD),
    ];
    let present = of.iter().filter(|(number, _)| capabilities.iter().any(|(found, _)| found == number));
    present.fold(SubgroupOperations(0), |all, (_, group)| all.union(*group))
}
