//! Places, loads, stores and atomic accesses as Rust.

use super::{Printed, Printer};
use crate::arena::EntityId;
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
            Root::Local(local) => (format!("l_{}", local.index()), self.function.locals[local].ty, false),
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
        if !self.holds_struct(ty) {
            return Ok(text.to_owned());
        }
        let Type::Struct(id) = self.module.types.get(ty) else { return self.fail("an array of structs as a value") };
        let fields = &self.module.types.struct_def(*id).fields;
        let members: Printed<Vec<_>> = fields
            .iter()
            .map(|field| self.as_value(field.ty, &format!("{text}.{}", field_name(&field.name))))
            .collect();
        Ok(format!("({},)", members?.join(", ")))
    }

    fn holds_struct(&self, ty: TypeId) -> bool {
        match self.module.types.get(ty) {
            Type::Struct(_) => true,
            Type::Array(element, _) => self.holds_struct(*element),
            Type::Tuple(members) => members.iter().any(|member| self.holds_struct(*member)),
            _ => false,
        }
    }

    pub(super) fn store(&mut self, place: &Place, value: ValueId) -> Printed {
        let (text, ty) = self.place(place)?;
        if matches!(place.root, Root::Buffer(_) | Root::Member(..)) && self.holds_struct(ty) {
            let name = self.name(value);
            return self.store_fields(&text, &name, ty);
        }
        let line = format!("{text} = {};", self.name(value));
        self.line(&line);
        Ok(())
    }

    fn store_fields(&mut self, place: &str, value: &str, ty: TypeId) -> Printed {
        let Type::Struct(id) = self.module.types.get(ty) else {
            if self.holds_struct(ty) {
                return self.fail("an array of structs as a value");
            }
            self.line(&format!("{place} = {value};"));
            return Ok(());
        };
        for (at, field) in self.module.types.struct_def(*id).fields.iter().enumerate() {
            self.store_fields(&format!("{place}.{}", field_name(&field.name)), &format!("{value}.{at}"), field.ty)?;
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
