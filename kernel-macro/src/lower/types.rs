//! Types of the kernel language as IR types; `usize` is `u32` here, `isize` `i32`. Declares structs when they are first met.

use std::borrow::Cow;
use std::rc::Rc;

use gridwise_ir::arena::EntityId;
use gridwise_ir::hash::FastMap;
use gridwise_ir::parallel::NativeFloats;
use gridwise_ir::types::{ConstParamId, Field, Scalar, Size, StructDef, Type, TypeId, Types};

use super::parallel::cell_of;
use super::wide::wide_type;
use crate::ast::{ExprId, Item, ScalarName};
use crate::builtin::matrix;
use crate::program::{ItemId, Program, TypedItem};
use crate::typed::{Len, Ty, TyArgs};

/// Maps types, and remembers which structs the module has.
pub(super) struct TypeCx<'p> {
    program: &'p Program,
    structs: FastMap<(ItemId, TyArgs), TypeId>,
    /// Those of two, three and four columns.
    matrices: [Option<TypeId>; 3],
    enums: FastMap<Ty, Rc<EnumLayout>>,
    /// The structs that tuples are, by their members, where tuples lie in buffers.
    tuples: Option<FastMap<Vec<TypeId>, TypeId>>,
    /// Atomics that lie in memory as floats.
    native: NativeFloats,
}

/// How values of an enum lie in IR: as the tag alone, or as a tuple of the tag and the slots.
pub(super) struct EnumLayout {
    pub(super) ty: TypeId,
    /// Types of the slots; variants share them.
    pub(super) slots: Vec<TypeId>,
    /// For each variant and member the position in the tuple; `None` for members without values.
    pub(super) positions: Vec<Vec<Option<u32>>>,
}

impl<'p> TypeCx<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        Self {
            program,
            structs: FastMap::default(),
            matrices: [None; 3],
            enums: FastMap::default(),
            tuples: None,
            native: NativeFloats::NONE,
        }
    }

    /// With atomics of these floats as what they are.
    pub(super) fn natively(self, native: NativeFloats) -> Self {
        Self { native, ..self }
    }

    /// With structs for tuples, which may then lie in buffers, if `are_structs`.
    pub(super) fn tuples_as_structs(self, are_structs: bool) -> Self {
        Self { tuples: are_structs.then(FastMap::default), ..self }
    }

    /// The IR type, or `None` for types without values or with a single one: unit, never, and what is made of them only.
    pub(super) fn lower(&mut self, types: &mut Types, ty: &Ty) -> Option<TypeId> {
        match ty {
            Ty::Unit | Ty::Const(_) | Ty::Chosen(_) | Ty::Param(_) | Ty::Never | Ty::Error => None,
            // Where it begins, and how many elements it has.
            Ty::Buffer { origin: Some(_), .. } => Some(types.vector(Scalar::U32, 2)),
            Ty::Buffer { .. } | Ty::Image(_) | Ty::Shared(_) => None,
            Ty::Array(_, Len::Known(0)) | Ty::Iterator(_) | Ty::ConversionError(_) => None,
            Ty::Closure(item, expr) => self.lower_closure(types, *item, *expr),
            Ty::Atomic(name) if self.native.holds(scalar(*name)) => Some(types.scalar(scalar(*name))),
            Ty::Atomic(name) => Some(types.scalar(scalar(cell_of(*name)))),
            Ty::Scalar(name) if name.is_wide() => Some(wide_type(types, name.is_signed())),
            Ty::Scalar(name) => Some(types.scalar(scalar(*name))),
            Ty::Vector(name, lanes) => Some(types.vector(scalar(*name), *lanes)),
            Ty::Matrix(size) => {
                let known = self.matrices[usize::from(*size) - 2];
                let id = known.unwrap_or_else(|| matrix_type(types, *size));
                self.matrices[usize::from(*size) - 2] = Some(id);
                Some(id)
            }
            Ty::Coop(ty) => Some(types.intern(Type::Coop(super::coop::coop_type(*ty)))),
            Ty::Quat => Some(types.vector(Scalar::F32, matrix::QUAT_LANES)),
            Ty::Array(element, len) => self.lower(types, element).map(|element| types.array(element, size(*len))),
            Ty::Tuple(members) => {
                let members: Vec<_> = members.iter().filter_map(|member| self.lower(types, member)).collect();
                (!members.is_empty()).then(|| self.tuple(types, members))
            }
            Ty::Range(..) => {
                let members = self.members(ty);
                let members: Option<Vec<_>> = members.iter().map(|member| self.lower(types, member)).collect();
                members.map(|members| types.intern(Type::Tuple(members)))
            }
            Ty::Struct(item, args) => self.lower_struct(types, ty, (*item, args)),
            Ty::Enum(_, _) | Ty::Option(_) | Ty::Result(..) | Ty::Ordering => {
                self.enum_layout(types, ty).map(|layout| layout.ty)
            }
        }
    }

    /// The type of a tuple with members.
    pub(super) fn tuple(&mut self, types: &mut Types, members: Vec<TypeId>) -> TypeId {
        let Some(known) = &mut self.tuples else { return types.intern(Type::Tuple(members)) };
        if let Some(id) = known.get(&members) {
            return *id;
        }
        // As the fields of tuple structs are called.
        let fields = members.iter().enumerate().map(|(at, ty)| Field { name: format!("_{at}"), ty: *ty }).collect();
        let (_, id) = types.add_struct(StructDef { name: "tuple".to_owned(), fields, align: 1 });
        known.insert(members, id);
        id
    }

    /// The layout of an enum; `None` for other types.
    pub(super) fn enum_layout(&mut self, types: &mut Types, ty: &Ty) -> Option<Rc<EnumLayout>> {
        if let Some(known) = self.enums.get(ty) {
            return Some(known.clone());
        }
        let mut slots: Vec<TypeId> = Vec::new();
        let mut positions = Vec::new();
        for members in self.program.variants_of(ty)? {
            let mut taken = vec![false; slots.len()];
            let mut places = Vec::new();
            for member in &members {
                let place = self.lower(types, member).map(|member| {
                    let free = (0..slots.len()).find(|slot| slots[*slot] == member && !taken[*slot]);
                    let slot = free.unwrap_or_else(|| {
                        slots.push(member);
                        taken.push(false);
                        slots.len() - 1
                    });
                    taken[slot] = true;
                    slot as u32 + 1
                });
                places.push(place);
            }
            positions.push(places);
        }
        let tag = types.scalar(Scalar::U32);
        let id = if slots.is_empty() { tag } else { types.intern(Type::Tuple([&[tag], slots.as_slice()].concat())) };
        let layout = Rc::new(EnumLayout { ty: id, slots, positions });
        self.enums.insert(ty.clone(), layout.clone());
        Some(layout)
    }

    /// A closure is what it captured, and nothing where it runs where it is called.
    fn lower_closure(&mut self, types: &mut Types, item: ItemId, expr: ExprId) -> Option<TypeId> {
        let TypedItem::Fn(typed) = &self.program.items[item].typed else { return None };
        let captures = &typed.closures.get(&expr).filter(|closure| !closure.inline)?.captures;
        let members: Vec<_> =
            captures.iter().filter_map(|binding| self.lower(types, typed.binding(*binding))).collect();
        (!members.is_empty()).then(|| types.intern(Type::Tuple(members)))
    }

    fn lower_struct(&mut self, types: &mut Types, whole: &Ty, (item, args): (ItemId, &TyArgs)) -> Option<TypeId> {
        // Whatever the slices in it are parts of.
        let args = args.as_ref().map(|args| args.iter().map(without_origin).collect());
        let key = (item, args);
        if let Some(known) = self.structs.get(&key) {
            return Some(*known);
        }
        let program = self.program;
        let Item::Struct(ast) = &program.items[item].item else { return None };
        let mut fields = Vec::new();
        for ((name, _), ty) in ast.fields.iter().zip(program.fields_of(whole).iter()) {
            if let Some(ty) = self.lower(types, ty) {
                fields.push(Field { name: name.to_string(), ty });
            }
        }
        if fields.is_empty() {
            return None;
        }
        let (_, id) = types.add_struct(StructDef { name: ast.name.to_string(), fields, align: 1 });
        self.structs.insert(key, id);
        Some(id)
    }

    /// The types of the members of a tuple, range or struct; for others it is empty.
    pub(super) fn members<'t>(&self, ty: &'t Ty) -> Cow<'t, [Ty]>
    where
        'p: 't,
    {
        match ty {
            Ty::Tuple(members) => Cow::Borrowed(members),
            Ty::Range(end, inclusive) => {
                let ends = [(**end).clone(), (**end).clone()];
                Cow::Owned(ends.into_iter().chain(inclusive.then_some(Ty::BOOL)).collect())
            }
            _ => self.program.fields_of(ty),
        }
    }

    /// Whether values of the type contain arrays.
    pub(super) fn holds_array(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Array(..)) || self.members(ty).iter().any(|member| self.holds_array(member))
    }

    /// The position that member `index` of `ty` has in IR, where members without values are left out.
    pub(super) fn position(&mut self, types: &mut Types, ty: &Ty, index: u32) -> u32 {
        let members = self.members(ty);
        let missing = members.iter().take(index as usize).filter(|member| self.lower(types, member).is_none()).count();
        index - missing as u32
    }
}

fn without_origin(ty: &Ty) -> Ty {
    match ty {
        Ty::Buffer { element, mutable, origin: Some(_) } => {
            Ty::Buffer { element: element.clone(), mutable: *mutable, origin: Some(ExprId::new(0)) }
        }
        Ty::Struct(item, Some(args)) => Ty::Struct(*item, Some(args.iter().map(without_origin).collect())),
        other => other.clone(),
    }
}

/// A matrix is a struct of its columns. glam keeps a `Mat2` in a SIMD register, which has an alignment of its own.
pub(crate) fn matrix_type(types: &mut Types, size: u8) -> TypeId {
    let column = types.vector(Scalar::F32, size);
    let fields = matrix::AXES[..usize::from(size)].iter().map(|axis| Field { name: (*axis).to_owned(), ty: column });
    let (fields, align) = (fields.collect(), if size == 2 { 16 } else { 1 });
    types.add_struct(StructDef { name: format!("Mat{size}"), fields, align }).1
}

/// The IR size.
pub(super) fn size(len: Len) -> Size {
    match len {
        Len::Known(len) => Size::Known(len),
        // Definitions are not lowered.
        Len::Param(_) | Len::Unknown => Size::Known(0),
        Len::Chosen(number) => Size::Param(ConstParamId::new(number as usize)),
    }
}

/// The IR scalar.
pub(super) const fn scalar(name: ScalarName) -> Scalar {
    name.on_device()
}
