//! The variables that a launch has to do with: which buffers and images there are, and the slots that stand for their sets and bindings.

use std::collections::{HashMap, HashSet};

use super::layout::Layout;
use super::parse::{Inst, Instructions};
use super::types::{Type, Types};
use super::{BufferBinding, Field, ImageBinding, ModuleError};
use crate::binary::{class, op};

/// The variables outside of functions that a launch has to do with.
#[derive(Default)]
pub(super) struct Bindings {
    pub(super) buffers: Vec<BufferBinding>,
    pub(super) images: Vec<ImageBinding>,
    pub(super) push_constants: Vec<Field>,
    pub(super) push_constant_size: u32,
    /// Bytes of workgroup memory.
    pub(super) shared_bytes: u64,
    /// Set, binding and variable of all buffers and images.
    places: Vec<(u32, u32, u32)>,
}

impl Bindings {
    /// Reads the variables; `called` are the functions that run.
    pub(super) fn of(
        module: &Instructions<'_>,
        layout: &Layout<'_>,
        called: &HashSet<u32>,
    ) -> Result<Self, ModuleError> {
        let (used, written) = (used_variables(module, called), written_variables(module, layout.types, called));
        let functions = module.list.iter().position(|inst| inst.opcode == op::FUNCTION).unwrap_or(module.list.len());
        let mut bindings = Self::default();
        for inst in module.list[..functions].iter().filter(|inst| inst.opcode == op::VARIABLE) {
            let pointer = inst.ty.and_then(|ty| layout.types.get(ty));
            let (Some(id), Some(Type::Pointer { class, pointee })) = (inst.result, pointer) else { continue };
            let use_of = (used.contains(&id), written.contains(&id));
            let added = bindings.add(layout, (id, *class, *pointee), use_of);
            added.map_err(|cause| ModuleError::new(inst.at, cause))?;
        }
        Ok(bindings)
    }

    /// Adds a variable, which functions use or write.
    fn add(
        &mut self,
        layout: &Layout<'_>,
        (id, class, pointee): (u32, u32, u32),
        (is_used, is_written): (bool, bool),
    ) -> Result<(), String> {
        match class {
            class::FUNCTION => return Err("a variable of a function stands outside of functions".to_owned()),
            class::INPUT => layout.check_input(id, pointee)?,
            class::UNIFORM_CONSTANT => {
                let image = layout.image(id, pointee)?;
                self.places.push((image.set, image.binding, id));
                self.images.push(image);
            }
            class::WORKGROUP => {
                let bytes = layout.types.packed_bytes(pointee).ok_or("workgroup memory has no size")?;
                self.shared_bytes = self.shared_bytes.saturating_add(bytes);
            }
            class::PUSH_CONSTANT => {
                if !self.push_constants.is_empty() && is_used {
                    return Err("it has two blocks of push constants".to_owned());
                }
                (self.push_constants, self.push_constant_size) = layout.push_constants(pointee)?;
            }
            class::STORAGE_BUFFER | class::UNIFORM => {
                let mut buffer = layout.buffer(id, class, pointee)?;
                if is_written && !buffer.is_writable {
                    return Err("it writes a buffer that it declares not to write".to_owned());
                }
                buffer.is_writable = is_written;
                self.places.push((buffer.set, buffer.binding, id));
                self.buffers.push(buffer);
            }
            _ => {}
        }
        Ok(())
    }

    /// Gives buffers and images their slots, and their order; the slot of each variable.
    pub(super) fn settle(&mut self) -> Result<HashMap<u32, u32>, ModuleError> {
        join_aliases(&mut self.buffers);
        let slots = slots(std::mem::take(&mut self.places), &self.images)?;
        let slot_of = |set: u32, binding: u32| slots.by_place.get(&(set, binding)).copied().unwrap_or(binding);
        self.buffers.iter_mut().for_each(|buffer| buffer.slot = slot_of(buffer.set, buffer.binding));
        self.images.iter_mut().for_each(|image| image.slot = slot_of(image.set, image.binding));
        self.buffers.sort_by_key(|buffer| (buffer.set, buffer.binding));
        self.images.sort_by_key(|image| (image.set, image.binding));
        Ok(slots.by_variable)
    }
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
