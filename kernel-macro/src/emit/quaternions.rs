//! The places where a kernel's parameters have quaternions, which are vectors in IR.

use gridwise_ir::arena::EntityId;
use gridwise_ir::ir::{BufferId, ParamId};
use gridwise_ir::rust::{Options, Quaternions};
use gridwise_ir::types::{Type, TypeId, Types};

use crate::ast::{Fn, Item, TypeKind};
use crate::lower::Lowered;
use crate::program::Program;
use crate::program::message::Message;
use crate::typed::Ty;

/// How a module is printed that has the parameters of this function, whose types are `params`.
pub(crate) fn print_options(function: &Fn, (program, params): (&Program, &[Ty]), lowered: &Lowered) -> Options {
    let module = &lowered.module;
    let messages = lowered.messages.iter().map(Message::without_values).collect();
    let mut options = Options { messages, ..Options::default() };
    let Some(kernel) = &module.kernel else { return options };
    let (mut buffers, mut values) = (0, 0);
    for (param, ty) in function.params.iter().zip(params) {
        if matches!(param.ty.kind, TypeKind::Slice { .. } | TypeKind::List { .. } | TypeKind::Image { .. }) {
            let (id, mut ty) = (BufferId::new(buffers), ty);
            buffers += 1;
            while let Some(element) = ty.slice_element() {
                ty = element;
            }
            let found = quaternions(program, &module.types, ty, kernel.buffers[id].element);
            options.buffers.extend((found != Quaternions::None).then_some((id, found)));
        } else {
            let id = ParamId::new(values);
            values += 1;
            let found = quaternions(program, &module.types, ty, kernel.params[id].ty);
            options.params.extend((found != Quaternions::None).then_some((id, found)));
        }
    }
    options
}

/// The quaternions in a type, which is `lowered` in IR.
fn quaternions(program: &Program, types: &Types, ty: &Ty, lowered: TypeId) -> Quaternions {
    let of = |ty: &Ty, lowered: TypeId| quaternions(program, types, ty, lowered);
    let members: Vec<_> = match (ty, types.get(lowered)) {
        (Ty::Quat, _) => return Quaternions::Itself,
        (Ty::Array(element, _), Type::Array(lowered, _)) => vec![of(element, *lowered)],
        (Ty::Tuple(members), Type::Struct(id)) => {
            let fields = &types.struct_def(*id).fields;
            members.iter().zip(fields).map(|(member, field)| of(member, field.ty)).collect()
        }
        (Ty::Struct(item, _), Type::Struct(id)) => {
            let Item::Struct(ast) = &program.items[*item].item else { return Quaternions::None };
            let fields = program.fields_of(ty);
            let of_field = |field: &gridwise_ir::types::Field| {
                // Fields without values are left out in IR.
                let at = ast.fields.iter().position(|(name, _)| *name == field.name);
                at.and_then(|at| fields.get(at)).map_or(Quaternions::None, |ty| of(ty, field.ty))
            };
            types.struct_def(*id).fields.iter().map(of_field).collect()
        }
        _ => return Quaternions::None,
    };
    let has_none = members.iter().all(|member| *member == Quaternions::None);
    if has_none { Quaternions::None } else { Quaternions::Within(members) }
}
