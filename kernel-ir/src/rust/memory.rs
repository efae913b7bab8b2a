//! Places, loads, stores and atomic accesses as Rust.

use super::{Printed, Printer, Quaternions};
use crate::ir::{Atomic, AtomicOp, Order, Place, Root, Step, ValueId};
use crate::types::{Type, TypeId};

/// Something that lies in memory or is a parameter.
pub(super) struct Stored<'p> {
    /// The expression that names it.
    pub(super) text: String,
    /// Its type.
    pub(super) ty: TypeId,
    /// The quaternions in it.
    pub(super) quaternions: &'p Quaternions,
}

impl<'m> Printer<'m> {
    /// The thing at a place. Structs in buffers have fields, those in variables are tuples.
    fn place(&self, place: &Place) -> Printed<Stored<'m>> {
        if place.is_unordered {
            return self.fail("accesses by `unordered`");
        }
        let types = &self.module.types;
        let (mut text, mut ty, buffer) = match place.root {
            Root::Local(local) => (self.local(local), self.function.locals[local].ty, None),
            Root::Buffer(buffer) => {
                (self.kernel.buffers[buffer].name.clone(), self.kernel.buffers[buffer].element, Some(buffer))
            }
            Root::Member(list, member) => {
                let text = format!("{}[{}]", self.kernel.buffers[list].name, self.name(member));
                (text, self.kernel.buffers[list].element, Some(list))
            }
            Root::Shared(shared) => (self.shared_name(shared), self.kernel.shared[shared].ty, None),
        };
        let mut quaternions = buffer.map_or(&Quaternions::None, |buffer| self.options.of_buffer(buffer));
        let mut steps = place.path.iter();
        if buffer.is_some() {
            let Some(Step::Index { value, .. }) = steps.next() else { return self.fail("a buffer as a whole") };
            text = format!("{text}[{}]", self.name(*value));
        } else if matches!(place.root, Root::Shared(_)) && place.path.is_empty() {
            text = format!("(*{text})");
        }
        for step in steps {
            match step {
                Step::Field(field) => {
                    text += &self.field(ty, *field, buffer.is_some());
                    quaternions = quaternions.member(types, ty, *field);
                    let Some(member) = types.member(ty, *field) else { return self.fail("a place") };
                    ty = member;
                }
                Step::Index { value, .. } => {
                    let lane = if matches!(types.get(ty), Type::Vector(..)) { " as usize" } else { "" };
                    text = format!("{text}[{}{lane}]", self.name(*value));
                    quaternions = quaternions.member(types, ty, 0);
                    let Some(member) = types.member(ty, 0) else { return self.fail("a place") };
                    ty = member;
                }
                Step::Joined { .. } => return self.fail("several elements as one"),
                Step::Element(number) => {
                    text = format!("{text}.__element({})", self.name(*number));
                    let Some(element) = types.held_element(ty) else { return self.fail("a place") };
                    ty = element;
                }
            }
        }
        Ok(Stored { text, ty, quaternions })
    }

    pub(super) fn load(&self, place: &Place) -> Printed<String> {
        let stored = self.place(place)?;
        match place.root {
            Root::Buffer(_) | Root::Member(..) => self.as_value(stored),
            Root::Local(_) | Root::Shared(_) => Ok(stored.text),
        }
    }

    /// Whether values of the printed text have the type of what is stored.
    fn is_value(&self, stored: &Stored<'_>) -> bool {
        *stored.quaternions == Quaternions::None && !super::holds_struct(self.module, stored.ty)
    }

    /// The contents of a buffer's element or a parameter as a value: structs become tuples, quaternions become vectors.
    pub(super) fn as_value(&self, stored: Stored<'_>) -> Printed<String> {
        if self.is_value(&stored) {
            return Ok(stored.text);
        }
        let ty = self.module.types.get(stored.ty);
        if *stored.quaternions == Quaternions::Itself {
            return Ok(format!("Vec4::from_array({}.to_array())", stored.text));
        }
        let members: Printed<Vec<_>> = self.parts(&stored)?.into_iter().map(|(_, part)| self.as_value(part)).collect();
        let members = members?.join(", ");
        Ok(if matches!(ty, Type::Array(..)) { format!("[{members}]") } else { format!("({members},)") })
    }

    /// The members of what lies in a buffer or parameter, each with what stands behind the name of a value that it is a part of.
    fn parts<'p>(&self, stored: &Stored<'p>) -> Printed<Vec<(String, Stored<'p>)>> {
        /// Longer arrays are no values, but read by elements.
        const LONGEST: u32 = 256;
        let part = |behind: &str, ty, at| Stored {
            text: format!("{}{behind}", stored.text),
            ty,
            quaternions: stored.quaternions.member(&self.module.types, stored.ty, at),
        };
        Ok(match self.module.types.get(stored.ty) {
            Type::Struct(id) => {
                let fields = self.module.types.struct_def(*id).fields.iter().zip(0..);
                let of_field = |(field, at): (&crate::types::Field, u32)| {
                    let name = format!(".{}", field_name(&field.name));
                    (format!(".{at}"), part(&name, field.ty, at))
                };
                fields.map(of_field).collect()
            }
            Type::Tuple(members) => {
                let name = |at: u32| format!(".{at}");
                (0..).zip(members).map(|(at, ty)| (name(at), part(&name(at), *ty, at))).collect()
            }
            Type::Array(element, len) => match len.known().filter(|len| *len <= LONGEST) {
                Some(len) => {
                    let name = |at: u32| format!("[{at}]");
                    (0..len).map(|at| (name(at), part(&name(at), *element, at))).collect()
                }
                None => return self.fail("a long array of structs as a value"),
            },
            _ => return self.fail("a part of a number"),
        })
    }

    /// Statements that set all of what lies in a place of a buffer to zero.
    pub(super) fn clear(&mut self, stored: Stored<'_>) -> Printed {
        if *stored.quaternions == Quaternions::Itself || self.is_value(&stored) {
            let zero = self.zero(stored.ty)?;
            return self.store_parts(stored, &zero);
        }
        self.parts(&stored)?.into_iter().try_for_each(|(_, part)| self.clear(part))
    }

    pub(super) fn store(&mut self, place: &Place, value: ValueId) -> Printed {
        if place.path.iter().any(|step| matches!(step, Step::Element(_))) {
            return self.fail("a function of a matrix's elements");
        }
        let (stored, name) = (self.place(place)?, self.name(value));
        if matches!(place.root, Root::Buffer(_) | Root::Member(..)) {
            return self.store_parts(stored, &name);
        }
        self.line(&format!("{} = {name};", stored.text));
        Ok(())
    }

    /// Stores a value part by part, as it has another type than what is stored.
    fn store_parts(&mut self, stored: Stored<'_>, value: &str) -> Printed {
        if self.is_value(&stored) {
            self.line(&format!("{} = {value};", stored.text));
            return Ok(());
        }
        if *stored.quaternions == Quaternions::Itself {
            self.line(&format!("{} = Quat::from_vec4({value});", stored.text));
            return Ok(());
        }
        self.parts(&stored)?
            .into_iter()
            .try_for_each(|(behind, part)| self.store_parts(part, &format!("{value}{behind}")))
    }

    pub(super) fn atomic(&mut self, atomic: &Atomic, result: Option<ValueId>) -> Printed {
        let place = self.place(&atomic.place)?.text;
        let order = match atomic.order {
            Order::Relaxed => "Relaxed",
            Order::Acquire => "Acquire",
            Order::Release => "Release",
            Order::AcqRel => "AcqRel",
        };
        let method = match atomic.op {
            AtomicOp::Load => "load",
            AtomicOp::Store => "store",
            AtomicOp::Exchange => "swap",
            AtomicOp::Add => "fetch_add",
            AtomicOp::Sub => "fetch_sub",
            AtomicOp::And => "fetch_and",
            AtomicOp::Or => "fetch_or",
            AtomicOp::Xor => "fetch_xor",
            AtomicOp::Min => "fetch_min",
            AtomicOp::Max => "fetch_max",
            AtomicOp::CompareExchange(_) => return self.fail("a compare-exchange"),
        };
        let mut arguments = self.names(&atomic.operands);
        arguments.push(format!("Ordering::{order}"));
        let text = format!("{place}.{method}({})", arguments.join(", "));
        match result {
            Some(result) => self.let_(result, &text),
            None => {
                self.line(&format!("{text};"));
                Ok(())
            }
        }
    }

    /// Steps into a value.
    pub(super) fn fields(&self, mut ty: TypeId, steps: &[u32]) -> String {
        let mut text = String::new();
        for step in steps {
            text += &self.field(ty, *step, false);
            ty = self.module.types.member(ty, *step).unwrap_or(ty);
        }
        text
    }

    fn field(&self, ty: TypeId, field: u32, in_buffer: bool) -> String {
        match self.module.types.get(ty) {
            Type::Vector(..) => format!(".{}", ["x", "y", "z", "w"][field as usize % 4]),
            Type::Array(..) => format!("[{field}]"),
            Type::Struct(id) if in_buffer => {
                let fields = &self.module.types.struct_def(*id).fields;
                format!(".{}", fields.get(field as usize).map_or("", |field| field_name(&field.name)))
            }
            _ => format!(".{field}"),
        }
    }
}

/// Fields of tuple structs are called `_0`, `_1`, … by the front end.
fn field_name(name: &str) -> &str {
    match name.strip_prefix('_') {
        Some(number) if !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()) => number,
        _ => name,
    }
}
