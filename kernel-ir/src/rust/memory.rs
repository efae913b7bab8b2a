//! Places, loads, stores and atomic accesses as Rust.

use super::{Printed, Printer};
use crate::ir::{Atomic, AtomicOp, Order, Place, Root, Step, ValueId};
use crate::types::{Type, TypeId};

impl Printer<'_> {
    /// The place, and the type of what lies there. Structs in buffers have fields, those in variables are tuples.
    fn place(&self, place: &Place) -> Printed<(String, TypeId)> {
        if place.is_unordered {
            return self.fail("accesses by `unordered`");
        }
        let types = &self.module.types;
        let (mut text, mut ty, in_buffer) = match place.root {
            Root::Local(local) => (self.local(local), self.function.locals[local].ty, false),
            Root::Buffer(buffer) => {
                (self.kernel.buffers[buffer].name.clone(), self.kernel.buffers[buffer].element, true)
            }
            Root::Member(list, member) => {
                let text = format!("{}[{}]", self.kernel.buffers[list].name, self.name(member));
                (text, self.kernel.buffers[list].element, true)
            }
            Root::Shared(shared) => (self.shared_name(shared), self.kernel.shared[shared].ty, false),
        };
        let mut steps = place.path.iter();
        if in_buffer {
            let Some(Step::Index { value, .. }) = steps.next() else { return self.fail("a buffer as a whole") };
            text = format!("{text}[{}]", self.name(*value));
        } else if matches!(place.root, Root::Shared(_)) && place.path.is_empty() {
            text = format!("(*{text})");
        }
        for step in steps {
            match step {
                Step::Field(field) => {
                    text += &self.field(ty, *field, in_buffer);
                    let Some(member) = types.member(ty, *field) else { return self.fail("a place") };
                    ty = member;
                }
                Step::Index { value, .. } => {
                    text = format!("{text}[{}]", self.name(*value));
                    let Some(member) = types.member(ty, 0) else { return self.fail("a place") };
                    ty = member;
                }
                Step::Element(_) => return self.fail("an element of a matrix"),
            }
        }
        Ok((text, ty))
    }

    pub(super) fn load(&self, place: &Place) -> Printed<String> {
        let (text, ty) = self.place(place)?;
        match place.root {
            Root::Buffer(_) | Root::Member(..) => self.as_value(ty, &text),
            Root::Local(_) | Root::Shared(_) => Ok(text),
        }
    }

    /// The contents of a buffer's element or a parameter as a value: structs become tuples.
    pub(super) fn as_value(&self, ty: TypeId, text: &str) -> Printed<String> {
        if !super::holds_struct(self.module, ty) {
            return Ok(text.to_owned());
        }
        let members: Printed<Vec<_>> =
            self.parts(ty)?.into_iter().map(|(part, ty)| self.as_value(ty, &format!("{text}{part}"))).collect();
        let members = members?.join(", ");
        Ok(if matches!(self.module.types.get(ty), Type::Array(..)) {
            format!("[{members}]")
        } else {
            format!("({members},)")
        })
    }

    /// The members of what lies in a buffer or parameter, as they are written behind its name, and their types.
    fn parts(&self, ty: TypeId) -> Printed<Vec<(String, TypeId)>> {
        /// Longer arrays are no values, but read by elements.
        const LONGEST: u32 = 256;
        Ok(match self.module.types.get(ty) {
            Type::Struct(id) => {
                let fields = self.module.types.struct_def(*id).fields.iter();
                fields.map(|field| (format!(".{}", field_name(&field.name)), field.ty)).collect()
            }
            Type::Tuple(members) => {
                members.iter().enumerate().map(|(at, member)| (format!(".{at}"), *member)).collect()
            }
            Type::Array(element, len) => match len.known().filter(|len| *len <= LONGEST) {
                Some(len) => (0..len).map(|at| (format!("[{at}]"), *element)).collect(),
                None => return self.fail("a long array of structs as a value"),
            },
            _ => return self.fail("a part of a number"),
        })
    }

    /// Statements that set all of what lies in a place of a buffer to zero.
    pub(super) fn clear(&mut self, place: &str, ty: TypeId) -> Printed {
        if !super::holds_struct(self.module, ty) {
            let line = format!("{place} = {};", self.zero(ty)?);
            self.line(&line);
            return Ok(());
        }
        self.parts(ty)?.into_iter().try_for_each(|(part, ty)| self.clear(&format!("{place}{part}"), ty))
    }

    pub(super) fn store(&mut self, place: &Place, value: ValueId) -> Printed {
        let (text, ty) = self.place(place)?;
        if matches!(place.root, Root::Buffer(_) | Root::Member(..)) && super::holds_struct(self.module, ty) {
            let name = self.name(value);
            return self.store_fields(&text, &name, ty);
        }
        let line = format!("{text} = {};", self.name(value));
        self.line(&line);
        Ok(())
    }

    fn store_fields(&mut self, place: &str, value: &str, ty: TypeId) -> Printed {
        if !super::holds_struct(self.module, ty) {
            self.line(&format!("{place} = {value};"));
            return Ok(());
        }
        let is_array = matches!(self.module.types.get(ty), Type::Array(..));
        for (at, (part, ty)) in self.parts(ty)?.into_iter().enumerate() {
            let member = if is_array { format!("{value}[{at}]") } else { format!("{value}.{at}") };
            self.store_fields(&format!("{place}{part}"), &member, ty)?;
        }
        Ok(())
    }

    pub(super) fn atomic(&mut self, atomic: &Atomic, result: Option<ValueId>) -> Printed {
        let (place, _) = self.place(&atomic.place)?;
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
