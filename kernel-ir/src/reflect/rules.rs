//! The types of operands and results, instruction by instruction: what drivers take for granted.

use super::parse::{Inst, Instructions};
use super::types::{Kind, Shape, Type, Types};
use crate::binary::{class, glsl, op};
use crate::descriptor::TexelKind;

type Checked = Result<(), &'static str>;

fn require(is_right: bool, cause: &'static str) -> Checked {
    if is_right { Ok(()) } else { Err(cause) }
}

const MISFIT: &str = "an operation has operands or a result of types that it cannot have";
const BAD_ACCESS: &str = "an access to memory has a pointer or a value of another type";

/// Checks an operation on values alone: arithmetic, comparisons, conversions.
pub(super) fn check_operation(
    types: &Types,
    type_of: &dyn Fn(u32) -> Option<u32>,
    opcode: u16,
    ty: u32,
    ids: &[u32],
) -> Checked {
    let shape_of = |index: usize| ids.get(index).and_then(|id| types.shape(type_of(*id)?));
    let all: Option<Vec<Shape>> = (0..ids.len()).map(shape_of).collect();
    let result = types.shape(ty);
    if (op::VECTOR_TIMES_SCALAR..=op::DOT).contains(&opcode) || opcode == op::TRANSPOSE {
        return check_linear(
            types,
            opcode,
            ty,
            &ids.iter().map(|id| type_of(*id)).collect::<Option<Vec<_>>>().ok_or(MISFIT)?,
        );
    }
    if matches!(opcode, op::COPY_OBJECT | op::COPY_LOGICAL) {
        let from = ids.first().and_then(|id| type_of(*id)).ok_or(MISFIT)?;
        let fits = if opcode == 83 { from == ty } else { types.matches(from, ty) };
        return require(fits && types.packed_bytes(ty).is_some(), MISFIT);
    }
    if (op::I_ADD_CARRY..=op::S_MUL_EXTENDED).contains(&opcode) {
        let [a, b] = [0, 1].map(|index| ids.get(index).and_then(|id| type_of(*id)));
        let is_pair = matches!(types.get(ty), Some(Type::Struct { members }) if members.len() == 2 && members.iter().all(|m| Some(*m) == a));
        return require(is_pair && a == b && shape_of(0).is_some_and(|shape| shape.kind == Kind::Int), MISFIT);
    }
    if opcode == op::SELECT && result.is_none() {
        let [a, b] = [1, 2].map(|index| ids.get(index).and_then(|id| type_of(*id)));
        let is_chosen = a == Some(ty) && b == a && shape_of(0) == Some(Shape { kind: Kind::Bool, width: 0, count: 1 });
        return require(is_chosen && types.packed_bytes(ty).is_some(), MISFIT);
    }
    let (Some(all), Some(result)) = (all, result) else { return Err(MISFIT) };
    require(!all.is_empty() && fits(opcode, &all, result), MISFIT)
}

/// Whether an operation on numbers and vectors, of which there are some, has operands and a result of its types.
fn fits(opcode: u16, all: &[Shape], result: Shape) -> bool {
    let first = all[0];
    let is = |shape: Shape, kind: Kind| shape.kind == kind;
    let same = all.iter().all(|shape| *shape == result);
    let alike = all.iter().all(|shape| *shape == first);
    let bools = is(result, Kind::Bool) && first.count == result.count;
    let converts = |from: Kind, to: Kind| is(first, from) && is(result, to) && first.count == result.count;
    match opcode {
        op::F_NEGATE | op::F_ADD | op::F_SUB | op::F_MUL | op::F_DIV | op::F_REM | op::F_MOD => {
            same && is(result, Kind::Float)
        }
        op::S_NEGATE
        | op::I_ADD
        | op::I_SUB
        | op::I_MUL
        | op::U_DIV
        | op::S_DIV
        | op::U_MOD..=op::S_MOD
        | op::BITWISE_OR..=op::NOT
        | op::BIT_REVERSE => same && is(result, Kind::Int),
        op::SHIFT_RIGHT_LOGICAL..=op::SHIFT_LEFT_LOGICAL => {
            first == result && is(first, Kind::Int) && is(all[1], Kind::Int) && all[1].count == first.count
        }
        op::BIT_FIELD_INSERT => {
            first == result
                && all[1] == result
                && is(result, Kind::Int)
                && result.width == 32
                && all[2..].iter().all(|s| is(*s, Kind::Int) && s.count == 1)
        }
        op::BIT_FIELD_S_EXTRACT | op::BIT_FIELD_U_EXTRACT => {
            first == result
                && is(result, Kind::Int)
                && result.width == 32
                && all[1..].iter().all(|s| is(*s, Kind::Int) && s.count == 1)
        }
        op::BIT_COUNT => {
            is(first, Kind::Int)
                && is(result, Kind::Int)
                && first.count == result.count
                && first.width == 32
                && result.width == 32
        }
        op::CONVERT_F_TO_U | op::CONVERT_F_TO_S => converts(Kind::Float, Kind::Int),
        op::CONVERT_S_TO_F | op::CONVERT_U_TO_F => converts(Kind::Int, Kind::Float),
        op::U_CONVERT | op::S_CONVERT => converts(Kind::Int, Kind::Int) && first.width != result.width,
        op::F_CONVERT => converts(Kind::Float, Kind::Float) && first.width != result.width,
        op::QUANTIZE_TO_F16 => same && is(result, Kind::Float) && result.width == 32,
        op::BITCAST => {
            let bits = |shape: Shape| shape.width * shape.count;
            !is(first, Kind::Bool) && !is(result, Kind::Bool) && bits(first) == bits(result)
        }
        op::ANY | op::ALL => is(first, Kind::Bool) && first.count > 1 && is(result, Kind::Bool) && result.count == 1,
        op::IS_NAN | op::IS_INF => is(first, Kind::Float) && bools,
        op::LOGICAL_EQUAL..=op::LOGICAL_NOT => same && is(result, Kind::Bool),
        op::SELECT => {
            is(first, Kind::Bool)
                && (first.count == result.count || first.count == 1)
                && all[1] == result
                && all[2] == result
        }
        op::I_EQUAL..=op::S_LESS_THAN_EQUAL => alike && is(first, Kind::Int) && bools,
        op::F_ORD_EQUAL..=op::F_UNORD_GREATER_THAN_EQUAL => alike && is(first, Kind::Float) && bools,
        _ => false,
    }
}

/// Products of vectors and matrices.
fn check_linear(types: &Types, opcode: u16, ty: u32, operands: &[u32]) -> Checked {
    let matrix = |id: u32| match types.get(id)? {
        Type::Matrix { column, count } => Some((*column, types.shape(*column)?, *count)),
        _ => None,
    };
    let vector = |id: u32| types.shape(id).filter(|shape| shape.kind == Kind::Float && shape.count > 1);
    let scalar = |id: u32| types.shape(id).filter(|shape| shape.kind == Kind::Float && shape.count == 1);
    let is_right = (|| {
        let a = *operands.first()?;
        let b = operands.get(1).copied();
        Some(match opcode {
            op::TRANSPOSE => {
                let ((_, from, columns), (_, to, rows)) = (matrix(a)?, matrix(ty)?);
                from.width == to.width && from.count == rows && to.count == columns
            }
            op::VECTOR_TIMES_SCALAR => a == ty && vector(a)?.width == scalar(b?)?.width,
            op::MATRIX_TIMES_SCALAR => a == ty && matrix(a)?.1.width == scalar(b?)?.width,
            op::VECTOR_TIMES_MATRIX => {
                let (v, (_, column, count)) = (vector(a)?, matrix(b?)?);
                v == column && vector(ty)? == Shape { count, ..v }
            }
            op::MATRIX_TIMES_VECTOR => {
                let ((column, shape, count), v) = (matrix(a)?, vector(b?)?);
                column == ty && v == Shape { count, ..shape }
            }
            op::MATRIX_TIMES_MATRIX => {
                let ((column, _, inner), (_, right, count), (out, _, out_count)) =
                    (matrix(a)?, matrix(b?)?, matrix(ty)?);
                let left = types.shape(column)?;
                column == out && right.count == inner && right.width == left.width && count == out_count
            }
            op::OUTER_PRODUCT => {
                let (column, shape, count) = matrix(ty)?;
                column == a && vector(b?)? == Shape { count, ..shape }
            }
            op::DOT => Some(a) == b && vector(a)?.width == scalar(ty)?.width,
            _ => false,
        })
    })();
    require(is_right == Some(true), MISFIT)
}

/// The context of the checks of instructions within functions.
pub(super) struct Context<'a> {
    pub(super) module: &'a Instructions<'a>,
    pub(super) types: &'a Types,
    /// The type that the function returns.
    pub(super) returned: u32,
    /// Id of the import of `GLSL.std.450`.
    pub(super) glsl: Option<u32>,
}

impl Context<'_> {
    fn type_of(&self, id: u32) -> Option<u32> {
        self.module.of(id)?.ty
    }

    fn shape_of(&self, id: u32) -> Option<Shape> {
        self.types.shape(self.type_of(id)?)
    }

    fn is_int(&self, id: u32) -> bool {
        self.shape_of(id).is_some_and(|shape| shape.kind == Kind::Int && shape.count == 1)
    }

    /// Whether an id is a constant integer of 32 bits: a scope, or semantics.
    fn is_known(&self, id: u32) -> bool {
        self.types.number(id).is_some() && self.shape_of(id).is_some_and(|shape| shape.width == 32)
    }

    /// Class and pointee of a pointer.
    fn pointer(&self, id: u32) -> Option<(u32, u32)> {
        match self.types.get(self.type_of(id)?)? {
            Type::Pointer { class, pointee } => Some((*class, *pointee)),
            _ => None,
        }
    }

    /// Checks one instruction of a function, but for what control does.
    pub(super) fn check(&self, inst: &Inst<'_>) -> Checked {
        let (ty, ids) = (inst.ty.unwrap_or_default(), &inst.ids[..]);
        if inst.ty.is_some() && self.types.get(ty).is_none() {
            return Err("a result's type is none");
        }
        let type_of = |id: u32| self.type_of(id);
        match inst.opcode {
            op::NOP..=op::MEMBER_DECORATE => self.check_memory(inst, ty, ids),
            op::VECTOR_EXTRACT_DYNAMIC..=op::COPY_OBJECT => self.check_composite(inst, ty, ids),
            op::IMAGE_SAMPLE_EXPLICIT_LOD
            | op::IMAGE_FETCH
            | op::IMAGE_READ..=op::IMAGE
            | op::IMAGE_QUERY_SIZE_LOD
            | op::IMAGE_QUERY_SIZE
            | op::IMAGE_QUERY_LEVELS => self.check_image(inst, ty, ids),
            op::TRANSPOSE | op::CONVERT_F_TO_U..=op::BIT_COUNT | op::COPY_LOGICAL => {
                check_operation(self.types, &type_of, inst.opcode, ty, ids)
            }
            op::CONTROL_BARRIER | op::MEMORY_BARRIER => {
                require(ids.iter().all(|id| self.is_known(*id)), "a barrier's scope is no constant")
            }
            op::ATOMIC_LOAD..=op::ATOMIC_XOR | op::ATOMIC_F_ADD_EXT => self.check_atomic(inst.opcode, ty, ids),
            op::GROUP_NON_UNIFORM_ELECT..=op::GROUP_NON_UNIFORM_QUAD_SWAP => self.check_group(inst.opcode, ty, ids),
            op::RETURN => require(
                self.types.get(self.returned) == Some(&Type::Void),
                "a function returns nothing that has to return something",
            ),
            op::RETURN_VALUE => {
                require(type_of(ids[0]) == Some(self.returned), "a function returns a value of another type")
            }
            op::BRANCH_CONDITIONAL => {
                let is_bool = self.shape_of(ids[0]) == Some(Shape { kind: Kind::Bool, width: 0, count: 1 });
                require(is_bool && matches!(inst.rest.len(), 3 | 5), "a branch is not by a bool")
            }
            op::SWITCH => require(self.is_int(ids[0]), "a switch is not by an integer"),
            op::PHI => {
                let fits = ids.chunks(2).all(|pair| type_of(pair[0]) == Some(ty));
                require(
                    fits && !ids.is_empty()
                        && !self.types.is_image(ty)
                        && !matches!(self.types.get(ty), Some(Type::Void | Type::Function { .. })),
                    "a phi has values of another type",
                )
            }
            _ => Ok(()),
        }
    }

    fn check_memory(&self, inst: &Inst<'_>, ty: u32, ids: &[u32]) -> Checked {
        let is_writable = |class: u32| !matches!(class, class::INPUT | class::PUSH_CONSTANT);
        let has_size = |ty: u32| self.types.packed_bytes(ty).is_some();
        match inst.opcode {
            op::LOAD => {
                let is_of_type = self.pointer(ids[0]).is_some_and(|(_, pointee)| pointee == ty);
                require(is_of_type && (has_size(ty) || self.types.is_image(ty)), BAD_ACCESS)
            }
            op::STORE => {
                let fits = self.pointer(ids[0]).is_some_and(|(class, pointee)| {
                    is_writable(class) && Some(pointee) == self.type_of(ids[1]) && has_size(pointee)
                });
                require(fits, BAD_ACCESS)
            }
            op::COPY_MEMORY => match (self.pointer(ids[0]), self.pointer(ids[1])) {
                (Some((class, to)), Some((_, from))) => {
                    require(to == from && is_writable(class) && has_size(to), BAD_ACCESS)
                }
                _ => Err(BAD_ACCESS),
            },
            op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN => self.check_chain(ty, ids),
            op::ARRAY_LENGTH => self.check_length(inst, ty, ids),
            op::FUNCTION_CALL => {
                let callee = self.module.of(ids[0]).filter(|made| made.opcode == op::FUNCTION);
                let kind = callee.and_then(|callee| self.types.get(*callee.rest.get(1)?));
                let Some(Type::Function { returned, params }) = kind else { return Err("a call is not of a function") };
                let fits = params.len() == ids.len() - 1
                    && params.iter().zip(&ids[1..]).all(|(param, id)| Some(*param) == self.type_of(*id));
                require(fits && *returned == ty, "a call has arguments or a result of other types")
            }
            op::VARIABLE => self.check_variable(inst, ty, ids),
            op::EXT_INST => self.check_glsl(inst, ty, ids),
            op::UNDEF => require(has_size(ty), "an undefined value has no size"),
            _ => Ok(()),
        }
    }

    /// The way to a part of a variable.
    fn check_chain(&self, ty: u32, ids: &[u32]) -> Checked {
        let (class, mut at) = self.pointer(ids[0]).ok_or(BAD_ACCESS)?;
        for index in &ids[1..] {
            require(self.is_int(*index), "an index is no integer")?;
            let known = match self.module.of(*index).map(|made| made.opcode) {
                Some(op::CONSTANT) => self.types.number(*index),
                _ => None,
            };
            at = self.types.part(at, known).ok_or("an index leads nowhere")?;
        }
        require(self.types.get(ty) == Some(&Type::Pointer { class, pointee: at }), BAD_ACCESS)
    }

    /// The length of the array that a block ends with.
    fn check_length(&self, inst: &Inst<'_>, ty: u32, ids: &[u32]) -> Checked {
        let (_, block) = self.pointer(ids[0]).ok_or(BAD_ACCESS)?;
        let Some(Type::Struct { members }) = self.types.get(block) else { return Err(BAD_ACCESS) };
        let member = *inst.rest.get(1).ok_or(BAD_ACCESS)? as usize;
        let is_last = member + 1 == members.len();
        let array = members.get(member).and_then(|member| self.types.get(*member));
        let is_open = matches!(array, Some(Type::RuntimeArray { .. }));
        let is_u32 = matches!(self.types.get(ty), Some(Type::Int { width: 32, .. }));
        require(is_last && is_open && is_u32, BAD_ACCESS)
    }

    fn check_variable(&self, inst: &Inst<'_>, ty: u32, ids: &[u32]) -> Checked {
        let Some(&Type::Pointer { class, pointee }) = self.types.get(ty) else {
            return Err("a variable's type is no pointer");
        };
        let is_small = self.types.packed_bytes(pointee).is_some_and(|bytes| bytes <= 1 << 20);
        let is_constant = |made: &Inst<'_>| (op::CONSTANT_TRUE..=op::SPEC_CONSTANT_OP).contains(&made.opcode);
        let initial = ids
            .first()
            .is_none_or(|id| self.type_of(*id) == Some(pointee) && self.module.of(*id).is_some_and(is_constant));
        let is_local = matches!(class, class::PRIVATE | class::FUNCTION);
        require(
            inst.rest[0] == class && (!is_local || is_small) && initial && (is_local || ids.is_empty()),
            "a variable's class, size or initial value does not fit its type",
        )
    }

    /// Reads, writes, sizes and samples of images.
    fn check_image(&self, inst: &Inst<'_>, ty: u32, ids: &[u32]) -> Checked {
        const BAD: &str = "an operation on an image has operands or a result that do not fit";
        let of = self.type_of(ids[0]).ok_or(BAD)?;
        let joined = match self.types.get(of) {
            Some(Type::SampledImage { image }) => Some(*image),
            _ => None,
        };
        let image = joined.unwrap_or(of);
        let Some(Type::Image { kind, dimensions, is_sampled, .. }) = self.types.get(image) else { return Err(BAD) };
        let (dimensions, is_sampled) = (*dimensions, *is_sampled);
        let kind = if *kind == TexelKind::Float { Kind::Float } else { Kind::Int };
        let shape = |kind, count| Some(Shape { kind, width: 32, count });
        let at = |index: usize| ids.get(index).and_then(|id| self.shape_of(*id));
        let result = self.types.shape(ty);
        let is_at = |kind: Kind| at(1) == shape(kind, dimensions);
        // Behind the ids before them come a mask and what it stands for.
        let lod = |kind: Kind| inst.rest.get(2) == Some(&2) && ids.len() == 3 && at(2) == shape(kind, 1);
        // `SignExtend` and `ZeroExtend`, of which SPIR-V 1.4 and later say one where texels are integers.
        let without_extension = |mask: &u32| mask & !0x3000;
        let flags = |first: usize, allowed: [u32; 2]| match (ids.len() - first, inst.rest.get(first..)) {
            (0, Some([])) => true,
            (0, Some([mask])) => without_extension(mask) == 0,
            (1, Some([mask, ..])) => allowed.contains(&without_extension(mask)) && self.is_known(ids[first]),
            _ => false,
        };
        require(
            match inst.opcode {
                op::IMAGE_SAMPLE_EXPLICIT_LOD => {
                    joined.is_some()
                        && kind == Kind::Float
                        && is_at(Kind::Float)
                        && lod(Kind::Float)
                        && result == shape(kind, 4)
                }
                op::IMAGE_FETCH => {
                    joined.is_none() && is_sampled && is_at(Kind::Int) && lod(Kind::Int) && result == shape(kind, 4)
                }
                op::IMAGE_READ => {
                    !is_sampled && is_at(Kind::Int) && flags(2, [0x600, 0x200]) && result == shape(kind, 4)
                }
                op::IMAGE_WRITE => {
                    let is_texel = at(2).is_some_and(|texel| (texel.kind, texel.width) == (kind, 32));
                    !is_sampled && is_at(Kind::Int) && is_texel && flags(3, [0x500, 0x100])
                }
                op::IMAGE => joined == Some(ty),
                op::IMAGE_QUERY_SIZE_LOD => {
                    joined.is_none()
                        && is_sampled
                        && at(1) == shape(Kind::Int, 1)
                        && result == shape(Kind::Int, dimensions)
                }
                op::IMAGE_QUERY_SIZE => !is_sampled && result == shape(Kind::Int, dimensions),
                _ => joined.is_none() && is_sampled && result == shape(Kind::Int, 1),
            },
            BAD,
        )
    }

    fn check_composite(&self, inst: &Inst<'_>, ty: u32, ids: &[u32]) -> Checked {
        const BAD: &str = "a composite is made or taken apart by parts that it does not have";
        let type_of = |id: u32| self.type_of(id).ok_or(BAD);
        let walk = |from: u32, path: &[u32]| {
            path.iter().try_fold(from, |at, index| self.types.part(at, Some((*index).into())))
        };
        let is_right = match inst.opcode {
            op::VECTOR_EXTRACT_DYNAMIC => {
                let vector = type_of(ids[0])?;
                matches!(self.types.get(vector), Some(Type::Vector { element, .. }) if *element == ty)
                    && self.is_int(ids[1])
            }
            op::VECTOR_INSERT_DYNAMIC => {
                let element = self.type_of(ids[1]);
                matches!(self.types.get(ty), Some(Type::Vector { element: own, .. }) if Some(*own) == element)
                    && type_of(ids[0])? == ty
                    && self.is_int(ids[2])
            }
            op::VECTOR_SHUFFLE => {
                let (Some(a), Some(b), Some(result)) =
                    (self.shape_of(ids[0]), self.shape_of(ids[1]), self.types.shape(ty))
                else {
                    return Err(BAD);
                };
                let picks = &inst.rest[2..];
                (a.kind, a.width) == (b.kind, b.width)
                    && a.count > 1
                    && b.count > 1
                    && (a.kind, a.width) == (result.kind, result.width)
                    && picks.len() == result.count as usize
                    && result.count > 1
                    && picks.iter().all(|pick| *pick < a.count + b.count || *pick == u32::MAX)
            }
            op::COMPOSITE_CONSTRUCT => match self.types.get(ty) {
                Some(Type::Vector { element, count }) => {
                    let whole = self.types.shape(*element).ok_or(BAD)?;
                    let shapes: Option<Vec<Shape>> = ids.iter().map(|id| self.shape_of(*id)).collect();
                    shapes.is_some_and(|shapes| {
                        shapes.iter().all(|shape| (shape.kind, shape.width) == (whole.kind, whole.width))
                            && shapes.iter().map(|shape| shape.count).sum::<u32>() == *count
                    })
                }
                _ => {
                    self.types.parts(ty) == Some(ids.len() as u64)
                        && ids.iter().zip(0..).all(|(id, index)| {
                            self.type_of(*id).is_some() && self.type_of(*id) == self.types.part(ty, Some(index))
                        })
                }
            },
            op::COMPOSITE_EXTRACT => walk(type_of(ids[0])?, &inst.rest[1..]) == Some(ty) && inst.rest.len() > 1,
            op::COMPOSITE_INSERT => {
                type_of(ids[1])? == ty && walk(ty, &inst.rest[2..]) == self.type_of(ids[0]) && inst.rest.len() > 2
            }
            _ => return check_operation(self.types, &|id| self.type_of(id), inst.opcode, ty, ids),
        };
        require(is_right, BAD)
    }

    fn check_atomic(&self, opcode: u16, ty: u32, ids: &[u32]) -> Checked {
        let (class, pointee) = self.pointer(ids[0]).ok_or("an atomic operation is on no pointer")?;
        let shape =
            self.types.shape(pointee).filter(|shape| shape.count == 1).ok_or("an atomic operation is on no number")?;
        let allowed = match opcode {
            op::ATOMIC_LOAD..=op::ATOMIC_EXCHANGE => shape.kind != Kind::Bool && shape.width >= 32,
            op::ATOMIC_F_ADD_EXT => shape.kind == Kind::Float && shape.width >= 32,
            _ => shape.kind == Kind::Int && shape.width >= 32,
        };
        let constants = if opcode == op::ATOMIC_COMPARE_EXCHANGE { &ids[1..4] } else { &ids[1..3] };
        let values = if opcode == op::ATOMIC_COMPARE_EXCHANGE { &ids[4..] } else { &ids[3..] };
        let fits =
            values.iter().all(|id| self.type_of(*id) == Some(pointee)) && (opcode == op::ATOMIC_STORE || ty == pointee);
        let is_place = matches!(class, class::STORAGE_BUFFER | class::UNIFORM | class::WORKGROUP);
        require(
            allowed && fits && is_place && constants.iter().all(|id| self.is_known(*id)),
            "an atomic operation has operands that do not fit",
        )
    }

    fn check_group(&self, opcode: u16, ty: u32, ids: &[u32]) -> Checked {
        const BAD: &str = "a subgroup operation has operands that do not fit";
        let result = self.types.shape(ty).ok_or(BAD)?;
        let bool_of = |id: u32| self.shape_of(id).is_some_and(|shape| shape.kind == Kind::Bool && shape.count == 1);
        let is_bool = result.kind == Kind::Bool && result.count == 1;
        let is_u32 = result.kind == Kind::Int && result.count == 1 && result.width == 32;
        let is_mask = |shape: Option<Shape>| shape == Some(Shape { kind: Kind::Int, width: 32, count: 4 });
        require(self.is_known(ids[0]), BAD)?;
        let same = || ids.get(1).and_then(|id| self.type_of(*id)) == Some(ty);
        require(
            match opcode {
                op::GROUP_NON_UNIFORM_ELECT => is_bool,
                op::GROUP_NON_UNIFORM_ALL | op::GROUP_NON_UNIFORM_ANY => is_bool && bool_of(ids[1]),
                op::GROUP_NON_UNIFORM_ALL_EQUAL => is_bool && self.shape_of(ids[1]).is_some(),
                op::GROUP_NON_UNIFORM_BROADCAST
                | op::GROUP_NON_UNIFORM_SHUFFLE..=op::GROUP_NON_UNIFORM_SHUFFLE_DOWN
                | op::GROUP_NON_UNIFORM_QUAD_BROADCAST
                | op::GROUP_NON_UNIFORM_QUAD_SWAP => same() && self.is_int(ids[2]),
                op::GROUP_NON_UNIFORM_BROADCAST_FIRST => same(),
                op::GROUP_NON_UNIFORM_BALLOT => is_mask(Some(result)) && bool_of(ids[1]),
                op::GROUP_NON_UNIFORM_INVERSE_BALLOT => is_bool && is_mask(self.shape_of(ids[1])),
                op::GROUP_NON_UNIFORM_BALLOT_BIT_EXTRACT => {
                    is_bool && is_mask(self.shape_of(ids[1])) && self.is_int(ids[2])
                }
                op::GROUP_NON_UNIFORM_BALLOT_BIT_COUNT..=op::GROUP_NON_UNIFORM_BALLOT_FIND_MSB => {
                    is_u32 && is_mask(self.shape_of(ids[1]))
                }
                op::GROUP_NON_UNIFORM_I_ADD..=op::GROUP_NON_UNIFORM_BITWISE_XOR => {
                    same()
                        && result.kind
                            == if matches!(
                                opcode,
                                op::GROUP_NON_UNIFORM_F_ADD
                                    | op::GROUP_NON_UNIFORM_F_MUL
                                    | op::GROUP_NON_UNIFORM_F_MIN
                                    | op::GROUP_NON_UNIFORM_F_MAX
                            ) {
                                Kind::Float
                            } else {
                                Kind::Int
                            }
                        && ids.get(2).is_none_or(|id| self.is_known(*id))
                }
                op::GROUP_NON_UNIFORM_LOGICAL_AND..=op::GROUP_NON_UNIFORM_LOGICAL_XOR => {
                    same() && result.kind == Kind::Bool && ids.get(2).is_none_or(|id| self.is_known(*id))
                }
                _ => false,
            },
            BAD,
        )
    }

    /// `GLSL.std.450`: as many operands as the function has, of the result's type where it works by element.
    fn check_glsl(&self, inst: &Inst<'_>, ty: u32, ids: &[u32]) -> Checked {
        const BAD: &str = "a function of `GLSL.std.450` has operands that do not fit";
        let [set, arguments @ ..] = ids else { return Err(BAD) };
        require(Some(*set) == self.glsl, "it uses a set of functions that was not imported")?;
        let number = *inst.rest.get(1).ok_or(BAD)?;
        let result = self.types.shape(ty);
        let shapes: Vec<Option<Shape>> = arguments.iter().map(|id| self.shape_of(*id)).collect();
        let same = |kind: Kind| {
            result.is_some_and(|result| result.kind == kind) && shapes.iter().all(|shape| *shape == result)
        };
        let count = arguments.len();
        let is_f32 =
            |shape: Option<Shape>, lanes: u32| shape == Some(Shape { kind: Kind::Float, width: 32, count: lanes });
        let is_u32 =
            |shape: Option<Shape>, lanes: u32| shape == Some(Shape { kind: Kind::Int, width: 32, count: lanes });
        let first = shapes.first().copied().flatten();
        require(
            match number {
                glsl::ROUND..=glsl::F_ABS
                | glsl::F_SIGN
                | glsl::FLOOR..=glsl::FRACT
                | glsl::RADIANS..=glsl::ATANH
                | glsl::EXP..=glsl::INVERSE_SQRT => count == 1 && same(Kind::Float),
                glsl::S_ABS | glsl::S_SIGN => count == 1 && same(Kind::Int),
                glsl::ATAN2 | glsl::POW | glsl::F_MIN | glsl::F_MAX | glsl::STEP | glsl::N_MIN | glsl::N_MAX => {
                    count == 2 && same(Kind::Float)
                }
                glsl::U_MIN | glsl::S_MIN | glsl::U_MAX | glsl::S_MAX => count == 2 && same(Kind::Int),
                glsl::F_CLAMP | glsl::F_MIX | glsl::SMOOTH_STEP | glsl::FMA | glsl::N_CLAMP => {
                    count == 3 && same(Kind::Float)
                }
                glsl::U_CLAMP | glsl::S_CLAMP => count == 3 && same(Kind::Int),
                glsl::LDEXP => {
                    count == 2
                        && first == result
                        && first.is_some_and(|f| {
                            f.kind == Kind::Float
                                && shapes[1].is_some_and(|e| e.kind == Kind::Int && e.count == f.count && e.width == 32)
                        })
                }
                glsl::LENGTH => {
                    count == 1
                        && first.is_some_and(|f| f.kind == Kind::Float && result == Some(Shape { count: 1, ..f }))
                }
                glsl::DISTANCE => {
                    count == 2
                        && shapes[0] == shapes[1]
                        && first.is_some_and(|f| f.kind == Kind::Float && result == Some(Shape { count: 1, ..f }))
                }
                glsl::CROSS => count == 2 && same(Kind::Float) && result.is_some_and(|shape| shape.count == 3),
                glsl::NORMALIZE => count == 1 && same(Kind::Float),
                glsl::FACE_FORWARD | glsl::REFLECT => {
                    count == if number == glsl::FACE_FORWARD { 3 } else { 2 } && same(Kind::Float)
                }
                glsl::FIND_I_LSB..=glsl::FIND_U_MSB => {
                    count == 1 && same(Kind::Int) && first.is_some_and(|shape| shape.width == 32)
                }
                glsl::PACK_SNORM4X8 | glsl::PACK_UNORM4X8 => count == 1 && is_f32(first, 4) && is_u32(result, 1),
                glsl::PACK_SNORM2X16..=glsl::PACK_HALF2X16 => count == 1 && is_f32(first, 2) && is_u32(result, 1),
                glsl::UNPACK_SNORM4X8 | glsl::UNPACK_UNORM4X8 => count == 1 && is_u32(first, 1) && is_f32(result, 4),
                glsl::UNPACK_SNORM2X16..=glsl::UNPACK_HALF2X16 => count == 1 && is_u32(first, 1) && is_f32(result, 2),
                _ => return Err("it uses a function of `GLSL.std.450` that is not supported"),
            },
            BAD,
        )
    }
}
