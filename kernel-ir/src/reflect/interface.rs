//! The interface of a module: the bindings, push constants and entry points that a launch must provide, read from its
//! decorations.

use std::collections::{HashMap, HashSet};

use super::adapt;
use super::flow::{check_functions, reached};
use super::grammar::CAPABILITIES;
use super::parse::{Inst, Instructions, parse, text};
use super::types::{Kind, Type, Types};
use super::{
    BufferBinding, DataType, Element, Field, ImageBinding, Interface, ModuleError, ScalarType, SpecConstant,
    WorkgroupSize,
};
use crate::binary::{built_in, class, decoration, op};
use crate::descriptor::{ImageAccess, ImageFormat, SubgroupOperations};

/// An id, and which of its members.
type Place = (u32, Option<u32>);

/// Decorations and names, by id and member.
#[derive(Default)]
struct Notes {
    /// Each with its first word.
    decorations: HashMap<Place, Vec<(u32, u32)>>,
    names: HashMap<Place, String>,
}

impl Notes {
    fn get(&self, id: u32, member: Option<u32>, kind: u32) -> Option<u32> {
        self.decorations.get(&(id, member))?.iter().find(|(found, _)| *found == kind).map(|(_, value)| *value)
    }

    fn has(&self, id: u32, kind: u32) -> bool {
        self.get(id, None, kind).is_some()
    }

    fn name(&self, id: u32, member: Option<u32>) -> Option<String> {
        self.names.get(&(id, member)).filter(|name| !name.is_empty()).cloned()
    }
}

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
    let mut interface = Interface {
        entry_point,
        version: module.version,
        workgroup: workgroup(&module, &types, &notes, function)?,
        buffers: Vec::new(),
        images: Vec::new(),
        push_constants: Vec::new(),
        push_constant_size: 0,
        constants: spec_constants(&module, &types, &notes)?,
        subgroup_operations: subgroup_operations(&capabilities),
        capabilities,
        shared_bytes: 0,
        uses_device_scope: uses_device_scope(&module, &types)?,
        has_vulkan_memory_model: memory_model(&module) == Some(3),
    };
    let used = used_variables(&module, &called);
    let written = written_variables(&module, &types, &called);
    let layout = Layout { types: &types, notes: &notes };
    // Set, binding and variable of all buffers and images.
    let mut places: Vec<(u32, u32, u32)> = Vec::new();
    let first_function = module.list.iter().position(|inst| inst.opcode == op::FUNCTION).unwrap_or(module.list.len());
    for inst in module.list[..first_function].iter().filter(|inst| inst.opcode == op::VARIABLE) {
        let (Some(id), Some(Type::Pointer { class, pointee })) = (inst.result, inst.ty.and_then(|ty| types.get(ty)))
        else {
            continue;
        };
        let fail = |cause: String| ModuleError::new(inst.at, cause);
        match *class {
            class::FUNCTION => return Err(fail("a variable of a function stands outside of functions".to_owned())),
            class::INPUT => check_input(&types, &notes, id, *pointee).map_err(fail)?,
            class::UNIFORM_CONSTANT => {
                let image = layout.image(id, *pointee).map_err(fail)?;
                places.push((image.set, image.binding, id));
                interface.images.push(image);
            }
            class::WORKGROUP => {
                let bytes =
                    types.packed_bytes(*pointee).ok_or_else(|| fail("workgroup memory has no size".to_owned()))?;
                interface.shared_bytes = interface.shared_bytes.saturating_add(bytes);
            }
            class::PUSH_CONSTANT => {
                if !interface.push_constants.is_empty() && used.contains(&id) {
                    return Err(fail("it has two blocks of push constants".to_owned()));
                }
                (interface.push_constants, interface.push_constant_size) =
                    layout.push_constants(*pointee).map_err(fail)?;
            }
            class::STORAGE_BUFFER | class::UNIFORM => {
                let mut buffer = layout.buffer(id, *class, *pointee).map_err(fail)?;
                if written.contains(&id) && !buffer.is_writable {
                    return Err(fail("it writes a buffer that it declares not to write".to_owned()));
                }
                buffer.is_writable = written.contains(&id);
                places.push((buffer.set, buffer.binding, id));
                interface.buffers.push(buffer);
            }
            _ => {}
        }
    }
    join_aliases(&mut interface.buffers);
    let slots = slots(places, &interface.images)?;
    let slot_of = |set: u32, binding: u32| slots.by_place.get(&(set, binding)).copied().unwrap_or(binding);
    interface.buffers.iter_mut().for_each(|buffer| buffer.slot = slot_of(buffer.set, buffer.binding));
    interface.images.iter_mut().for_each(|image| image.slot = slot_of(image.set, image.binding));
    interface.buffers.sort_by_key(|buffer| (buffer.set, buffer.binding));
    interface.images.sort_by_key(|image| (image.set, image.binding));
    let finished = adapt::finished(&words, &slots.by_variable, module.version);
    Ok((finished, interface))
}

/// The bindings in set 0 that stand for those of all sets.
struct Slots {
    by_place: HashMap<(u32, u32), u32>,
    by_variable: HashMap<u32, u32>,
}

/// Makes one buffer of those with one binding, which are one argument seen as elements of several types: as `float` and as `vec4`. Its
/// elements are the largest of them, whose alignment fits the others.
fn join_aliases(buffers: &mut Vec<BufferBinding>) {
    // Stable: the first that was declared gives the name.
    buffers.sort_by_key(|buffer| (buffer.set, buffer.binding));
    buffers.dedup_by(|other, buffer| {
        let is_same = (other.set, other.binding) == (buffer.set, buffer.binding);
        if is_same {
            buffer.is_writable |= other.is_writable;
            buffer.is_restrict |= other.is_restrict;
            buffer.fixed_bytes = buffer.fixed_bytes.max(other.fixed_bytes);
            let stride = |buffer: &BufferBinding| buffer.element.as_ref().map_or(0, |element| element.stride);
            if stride(other) > stride(buffer) {
                std::mem::swap(&mut buffer.element, &mut other.element);
            }
        }
        is_same
    });
}

/// Gives each buffer and image a slot: its own binding where all are in set 0, else they are counted through.
fn slots(mut places: Vec<(u32, u32, u32)>, images: &[ImageBinding]) -> Result<Slots, ModuleError> {
    places.sort_unstable();
    let is_image = |set, binding| images.iter().any(|image| (image.set, image.binding) == (set, binding));
    let has_sets = places.iter().any(|(set, ..)| *set != 0);
    let mut slots = Slots { by_place: HashMap::new(), by_variable: HashMap::new() };
    for (set, binding, variable) in places {
        let count = slots.by_place.len() as u32;
        let slot = match slots.by_place.get(&(set, binding)) {
            Some(slot) if !is_image(set, binding) => *slot,
            Some(_) => {
                let of_set = if set == 0 { String::new() } else { format!(" of set {set}") };
                return Err(ModuleError::new(
                    0,
                    format!("an image and something else have the binding {binding}{of_set}"),
                ));
            }
            None if has_sets => count,
            None => binding,
        };
        slots.by_place.insert((set, binding), slot);
        slots.by_variable.insert(variable, slot);
    }
    Ok(slots)
}

/// Variables that functions may write: their pointers go elsewhere than to a load. A pointer that goes to a call, or is
/// chosen among others, counts as written.
fn written_variables(module: &Instructions<'_>, types: &Types, called: &HashSet<u32>) -> HashSet<u32> {
    let mut roots: HashMap<u32, u32> = HashMap::new();
    let mut inside: Vec<&Inst<'_>> = Vec::new();
    let mut is_called = false;
    for inst in &module.list {
        match inst.opcode {
            op::FUNCTION => is_called = inst.result.is_some_and(|id| called.contains(&id)),
            op::VARIABLE => {
                let is_pointer = inst.ty.is_some_and(|ty| matches!(types.get(ty), Some(Type::Pointer { .. })));
                roots.extend(inst.result.filter(|_| is_pointer).map(|id| (id, id)));
            }
            _ if is_called => inside.push(inst),
            _ => {}
        }
    }
    // Pointers into variables: nothing here relies on the order that blocks stand in.
    loop {
        let known = roots.len();
        for inst in inside.iter().filter(|inst| matches!(inst.opcode, 65 | 66 | 83)) {
            let root = inst.ids.first().and_then(|id| roots.get(id).copied());
            roots.extend(inst.result.zip(root));
        }
        if roots.len() == known {
            break;
        }
    }
    let mut written = HashSet::new();
    for inst in inside {
        for (position, id) in inst.ids.iter().enumerate() {
            // Loads, also atomic ones; lengths; pointers into the same variable; what is copied from.
            let is_read = matches!((inst.opcode, position), (61 | 68 | 227, _) | (65 | 66 | 83, 0) | (63, 1));
            written.extend(roots.get(id).filter(|_| !is_read));
        }
    }
    written
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

fn read_notes(module: &Instructions<'_>) -> Result<Notes, ModuleError> {
    let mut notes = Notes::default();
    for inst in &module.list {
        let rest = inst.rest;
        match inst.opcode {
            op::DECORATE | op::MEMBER_DECORATE => {
                let skip = usize::from(inst.opcode == op::MEMBER_DECORATE);
                let member = (skip == 1).then(|| rest[1]);
                let (kind, value) = (rest[1 + skip], rest.get(2 + skip).copied().unwrap_or_default());
                check_decoration(kind, &rest[2 + skip..]).map_err(|cause| ModuleError::new(inst.at, cause))?;
                if !module.made.contains_key(&rest[0]) {
                    return Err(ModuleError::new(inst.at, "a decoration is for an id that nothing makes"));
                }
                let members =
                    module.of(rest[0]).filter(|made| made.opcode == op::TYPE_STRUCT).map(|made| made.rest.len());
                if member.is_some_and(|member| members.is_none_or(|count| member as usize >= count)) {
                    return Err(ModuleError::new(inst.at, "a decoration is for a member that is not there"));
                }
                notes.decorations.entry((rest[0], member)).or_default().push((kind, value));
            }
            op::NAME | op::MEMBER_NAME => {
                let skip = usize::from(inst.opcode == op::MEMBER_NAME);
                let name = text(&rest[1 + skip..]).map(|(name, _)| name).unwrap_or_default();
                notes.names.insert((rest[0], (skip == 1).then(|| rest[1])), name);
            }
            _ => {}
        }
    }
    Ok(notes)
}

/// Checks that a decoration is known here and has the words it takes.
fn check_decoration(kind: u32, words: &[u32]) -> Result<(), String> {
    let count = match kind {
        // RelaxedPrecision, Block, BufferBlock, RowMajor, ColMajor, Restrict, Aliased, Volatile, Coherent, NonWritable,
        // NonReadable, NoContraction, NoSignedWrap, NoUnsignedWrap, AliasedPointer, RestrictPointer.
        0 | 2..=5 | 19..=21 | 23..=25 | 42 | 4469 | 4470 | 5355 | 5356 => 0,
        decoration::SPEC_ID | 6 | 7 | 11 | 33..=35 | 44 => 1,
        _ => return Err(format!("it has the decoration {kind}, which is not supported")),
    };
    if words.len() == count { Ok(()) } else { Err(format!("a decoration {kind} has another number of words")) }
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

fn scalar_of(types: &Types, ty: u32) -> Option<ScalarType> {
    Some(match types.get(ty)? {
        Type::Bool => ScalarType::Bool,
        Type::Int { width, is_signed } => match (width, is_signed) {
            (8, true) => ScalarType::I8,
            (16, true) => ScalarType::I16,
            (32, true) => ScalarType::I32,
            (64, true) => ScalarType::I64,
            (8, false) => ScalarType::U8,
            (16, false) => ScalarType::U16,
            (32, false) => ScalarType::U32,
            _ => ScalarType::U64,
        },
        Type::Float { width: 16 } => ScalarType::F16,
        Type::Float { width: 32 } => ScalarType::F32,
        Type::Float { .. } => ScalarType::F64,
        _ => return None,
    })
}

fn data_of(types: &Types, ty: u32) -> Option<DataType> {
    match types.get(ty)? {
        Type::Vector { element, count } => Some(DataType { scalar: scalar_of(types, *element)?, count: *count }),
        _ => Some(DataType { scalar: scalar_of(types, ty)?, count: 1 }),
    }
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

/// Variables that the functions name.
fn used_variables(module: &Instructions<'_>, called: &HashSet<u32>) -> HashSet<u32> {
    let mut used = HashSet::new();
    let mut is_called = false;
    for inst in &module.list {
        if inst.opcode == op::FUNCTION {
            is_called = inst.result.is_some_and(|id| called.contains(&id));
        }
        if is_called {
            used.extend(&inst.ids);
        }
    }
    used
}

/// Built-in inputs of compute: three numbers, one number, or a mask of a subgroup.
fn check_input(types: &Types, notes: &Notes, id: u32, pointee: u32) -> Result<(), String> {
    let built_in = notes.get(id, None, decoration::BUILT_IN);
    let count = match built_in {
        Some(24 | 26..=28) => 3,
        Some(29 | 36 | 38 | 40 | 41) => 1,
        Some(4416..=4420) => 4,
        _ => return Err("it has an input that compute modules do not have".to_owned()),
    };
    match types.shape(pointee) {
        Some(shape) if shape.kind == Kind::Int && shape.width == 32 && shape.count == count => Ok(()),
        _ => Err("a built-in input is not of its type".to_owned()),
    }
}

/// The layout of members, by their decorations.
struct Layout<'a> {
    types: &'a Types,
    notes: &'a Notes,
}

impl Layout<'_> {
    /// Bytes of a value in memory that the host sees; none for arrays without a length.
    fn bytes(&self, ty: u32, matrix_stride: Option<u32>) -> Result<u64, String> {
        let missing = |what: &str| Err(format!("a type in a buffer has no {what}"));
        match self.types.get(ty) {
            Some(Type::Array { element, len }) => {
                let Some(stride) = self.notes.get(ty, None, decoration::ARRAY_STRIDE) else {
                    return missing("`ArrayStride`");
                };
                let len = self.types.number(*len).unwrap_or(1);
                if u64::from(stride) < self.bytes(*element, matrix_stride)? {
                    return Err("elements of an array overlap".to_owned());
                }
                u64::from(stride)
                    .checked_mul(len)
                    .filter(|bytes| *bytes <= 1 << 32)
                    .ok_or_else(|| "an array is too large".to_owned())
            }
            Some(Type::Struct { members }) => {
                let mut end = 0;
                for (member, index) in members.iter().zip(0..) {
                    let Some(offset) = self.notes.get(ty, Some(index), decoration::OFFSET) else {
                        return missing("`Offset`");
                    };
                    let stride = self.notes.get(ty, Some(index), decoration::MATRIX_STRIDE);
                    end = end.max(u64::from(offset) + self.bytes(*member, stride)?);
                }
                Ok(end)
            }
            Some(Type::Matrix { count, .. }) => match matrix_stride {
                Some(stride) => Ok(u64::from(stride) * u64::from(*count).max(4)),
                None => missing("`MatrixStride`"),
            },
            Some(Type::Bool) => Err("a `bool` cannot lie in a buffer".to_owned()),
            Some(Type::Vector { element, .. }) if self.types.get(*element) == Some(&Type::Bool) => {
                Err("a `bool` cannot lie in a buffer".to_owned())
            }
            _ => self.types.packed_bytes(ty).ok_or_else(|| "a type in a buffer has no size".to_owned()),
        }
    }

    fn push_constants(&self, block: u32) -> Result<(Vec<Field>, u32), String> {
        let Some(Type::Struct { members }) = self.types.get(block).filter(|_| self.notes.has(block, decoration::BLOCK))
        else {
            return Err("push constants are no block".to_owned());
        };
        let total = self.bytes(block, None)?;
        let field = |(member, index): (&u32, u32)| {
            let offset = self.notes.get(block, Some(index), decoration::OFFSET).unwrap_or_default();
            let stride = self.notes.get(block, Some(index), decoration::MATRIX_STRIDE);
            let size =
                u32::try_from(self.bytes(*member, stride)?).map_err(|_| "push constants are too large".to_owned())?;
            Ok(Field { name: self.notes.name(block, Some(index)), offset, size, ty: data_of(self.types, *member) })
        };
        let fields: Result<Vec<Field>, String> = members.iter().zip(0..).map(field).collect();
        let total = u32::try_from(total).ok().and_then(|total| total.checked_next_multiple_of(4));
        Ok((fields?, total.ok_or_else(|| "push constants are too large".to_owned())?))
    }

    fn image(&self, id: u32, pointee: u32) -> Result<ImageBinding, String> {
        let name = self.notes.name(id, None);
        let shown = name.clone().unwrap_or_else(|| "an image".to_owned());
        let (image, is_joined) = match self.types.get(pointee) {
            Some(Type::SampledImage { image }) => (self.types.get(*image), true),
            other => (other, false),
        };
        let Some(Type::Image { kind, dimensions, is_sampled, format }) = image else {
            return Err(format!("`{shown}` is no image"));
        };
        if *is_sampled != is_joined {
            return Err(format!("`{shown}` has its sampler apart, which is not supported; join them"));
        }
        let place = |kind: u32| self.notes.get(id, None, kind);
        let (Some(set), Some(binding)) = (place(decoration::DESCRIPTOR_SET), place(decoration::BINDING)) else {
            return Err(format!("`{shown}` has no set or no binding"));
        };
        let access = match (is_sampled, self.notes.has(id, decoration::NON_WRITABLE)) {
            (true, _) => ImageAccess::Sample,
            (false, true) => ImageAccess::Load,
            (false, false) => ImageAccess::Store,
        };
        let format = ImageFormat::ALL.iter().copied().find(|known| !is_sampled && known.spirv() == *format);
        if format.is_some_and(|format| format.kind() != *kind) {
            return Err(format!("`{shown}` has texels of another kind than its format"));
        }
        Ok(ImageBinding {
            set,
            binding,
            slot: binding,
            name,
            access,
            format,
            kind: *kind,
            dimensions: *dimensions as u8,
        })
    }

    fn buffer(&self, id: u32, class: u32, pointee: u32) -> Result<BufferBinding, String> {
        let name = self.notes.name(id, None).or_else(|| self.notes.name(pointee, None));
        let shown = name.clone().unwrap_or_else(|| "a buffer".to_owned());
        let kind = if class == class::UNIFORM { decoration::BUFFER_BLOCK } else { decoration::BLOCK };
        let Some(Type::Struct { members }) = self.types.get(pointee) else {
            return Err(format!("`{shown}` is an array of buffers, which is not supported"));
        };
        if !self.notes.has(pointee, kind) {
            return Err(format!("`{shown}` is no block"));
        }
        let place = |kind: u32| self.notes.get(id, None, kind);
        let (Some(set), Some(binding)) = (place(decoration::DESCRIPTOR_SET), place(decoration::BINDING)) else {
            return Err(format!("`{shown}` has no set or no binding"));
        };
        let non_writable = |member: u32| self.notes.get(pointee, Some(member), decoration::NON_WRITABLE).is_some();
        let all_members = !members.is_empty() && (0..members.len() as u32).all(non_writable);
        let is_writable = !self.notes.has(id, decoration::NON_WRITABLE) && !all_members;
        let (mut fixed_bytes, mut element) = (0u64, None);
        for (member, index) in members.iter().zip(0..) {
            let Some(offset) = self.notes.get(pointee, Some(index), decoration::OFFSET) else {
                return Err(format!("a member of `{shown}` has no `Offset`"));
            };
            match self.types.get(*member) {
                Some(Type::RuntimeArray { element: of }) => {
                    let stride = self.notes.get(*member, None, decoration::ARRAY_STRIDE).filter(|stride| *stride > 0);
                    let stride = stride.ok_or_else(|| format!("the array of `{shown}` has no `ArrayStride`"))?;
                    let matrix_stride = self.notes.get(pointee, Some(index), decoration::MATRIX_STRIDE);
                    if self.bytes(*of, matrix_stride)? > stride.into() {
                        return Err(format!("elements of `{shown}` overlap"));
                    }
                    fixed_bytes = fixed_bytes.max(offset.into());
                    element = Some(Element { stride, ty: data_of(self.types, *of) });
                }
                _ => {
                    let stride = self.notes.get(pointee, Some(index), decoration::MATRIX_STRIDE);
                    fixed_bytes = fixed_bytes.max(u64::from(offset) + self.bytes(*member, stride)?);
                }
            }
        }
        let has_restrict = |member: u32| self.notes.get(pointee, Some(member), decoration::RESTRICT).is_some();
        let is_restrict = self.notes.has(id, decoration::RESTRICT) || (0..members.len() as u32).any(has_restrict);
        Ok(BufferBinding { set, binding, slot: binding, name, is_writable, is_restrict, fixed_bytes, element })
    }
}
