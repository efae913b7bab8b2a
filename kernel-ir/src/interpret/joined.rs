//! Loads of several elements as one value.

use super::memory::Memory;
use super::step::Context;
use super::thread::Thread;
use super::{InterpretError, Value, bytes};
use crate::ir::{Place, Root, Step};
use crate::layout::Layout;
use crate::types::TypeId;

impl<'m> Thread<'m> {
    /// Reads elements one by one, and a value of type `ty` from their bytes.
    pub(super) fn load_joined(
        &mut self,
        cx: &Context<'m>,
        memory: &mut Memory,
        (place, ty): (&Place, TypeId),
    ) -> Result<Value, InterpretError> {
        let (Root::Buffer(buffer), Some(&first @ Step::Index { value, .. })) = (place.root, place.path.first()) else {
            unreachable!("the verifier accepts no other");
        };
        let types = &cx.module.types;
        let element = cx.module.kernel.as_ref().expect("buffers belong to a kernel").buffers[buffer].element;
        let size = |ty: TypeId| Layout::of(types, ty).expect("the verifier accepts nothing without layout").size;
        let (whole, part) = (size(ty), size(element));
        let (start, len) = (self.frame().value(value).bits(), memory.len(buffer));
        if u64::from(start) * u64::from(part) % u64::from(whole) != 0 {
            return Err(InterpretError::Undefined(format!("{whole} bytes at element {start} are not aligned")));
        }
        let one = Place { root: place.root, path: [first].into(), is_unordered: place.is_unordered };
        let mut joined = vec![0; whole as usize];
        for (index, lies_at) in (start..).zip(joined.chunks_exact_mut(part as usize)) {
            // The rest of a word of which there are some bytes.
            if index >= len && index > start && whole == 4 {
                break;
            }
            let access = memory.resolve_at(cx, self, &one, index)?;
            let read = memory.read(cx, self, &access);
            bytes::write_value(types, element, &read, lies_at).expect("it has a layout");
        }
        Ok(bytes::read_value(types, ty, &joined).expect("it has a layout"))
    }
}
