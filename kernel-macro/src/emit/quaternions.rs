//! The places where a kernel's parameters have quaternions, which are vectors in IR.

use gridwise_ir::arena::EntityId;
use gridwise_ir::ir::{BufferId, Module, ParamId};
use gridwise_ir::rust::Quaternions;
use gridwise_ir::types::{Type, TypeId, Types};

use crate::ast::{Fn, Item, TypeKind};
use crate::program::Program;
use crate::typed::Ty;

/// The places of the kernel's own parameters, whose types are `params`.
pub(crate) fn quaternions(function: &Fn, (program, params): (&Program, &[Ty]), module: &Module) -> Quaternions {
    let mut search = Search { program, types: &module.types, found: Quaternions::default() };
    let Some(kernel) = &module.kernel else { return search.found };
    let (mut buffers, mut values) = (0, 0);
    for (param, ty) in function.params.iter().zip(params) {
        if matches!(param.ty.kind, TypeKind::Slice { .. } | TypeKind::List { .. } | TypeKind::Image { .. }) {
            let (id, mut ty) = (BufferId::new(buffers), ty);
            buffers += 1;
            while let Some(element) = ty.slice_element() {
                ty = element;
            }
            if search.holds_quaternions(ty, kernel.buffers[id].element) {
                search.found.buffers.push(id);
            }
        } else {
            let id = ParamId::new(values);
            values += 1;
            if search.holds_quaternions(ty, kernel.params[id].ty) {
                search.found.params.push(id);
            }
        }
    }
    search.found
}

struct Search<'a> {
    program: &'a Program,
    types: &'a Types,
    found: Quaternions,
}

impl Search<'_> {
    /// Whether it is a quaternion or an array of these. Fields of structs that are, are noted.
    fn holds_quaternions(&mut self, ty: &Ty, lowered: TypeId) -> bool {
        match (ty, self.types.get(lowered)) {
            (Ty::Quat, _) => true,
            (Ty::Array(element, _), Type::Array(lowered, _)) => self.holds_quaternions(element, *lowered),
            (Ty::Struct(item, _), Type::Struct(id)) => {
                let Item::Struct(ast) = &self.program.items[*item].item else { return false };
                for ((name, _), ty) in ast.fields.iter().zip(self.program.fields_of(ty).iter()) {
                    // Fields without values are left out in IR.
                    let mut fields = (0..).zip(&self.types.struct_def(*id).fields);
                    let Some((at, field)) = fields.find(|(_, field)| field.name == name.to_string()) else { continue };
                    if self.holds_quaternions(ty, field.ty) && !self.found.fields.contains(&(*id, at)) {
                        self.found.fields.push((*id, at));
                    }
                }
                false
            }
            _ => false,
        }
    }
}
