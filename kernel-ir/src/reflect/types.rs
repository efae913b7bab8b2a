//! The types and constants of a module, each checked as it is declared.

use std::collections::HashMap;

use super::ModuleError;
use super::parse::{Inst, Instructions};
use crate::binary::{class, op};
use crate::descriptor::TexelKind;

/// A type; parts are ids of earlier types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Type {
    Void,
    Bool,
    Int {
        width: u32,
        is_signed: bool,
    },
    Float {
        width: u32,
    },
    Vector {
        element: u32,
        count: u32,
    },
    Matrix {
        column: u32,
        count: u32,
    },
    Array {
        element: u32,
        len: u32,
    },
    RuntimeArray {
        element: u32,
    },
    Struct {
        members: Vec<u32>,
    },
    Pointer {
        class: u32,
        pointee: u32,
    },
    Function {
        returned: u32,
        params: Vec<u32>,
    },
    /// Of one to three dimensions; with a number for its format, zero for none.
    Image {
        kind: TexelKind,
        dimensions: u32,
        is_sampled: bool,
        format: u32,
    },
    SampledImage {
        image: u32,
    },
}

/// The kind of number in scalars and vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Int,
    Float,
}

/// A scalar or vector, without the sign of integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) kind: Kind,
    /// Bits of an element; zero for `bool`.
    pub(super) width: u32,
    pub(super) count: u32,
}

/// How deep types may nest, and bytes of the largest: beyond that drivers run out of stack or memory.
const MAX_DEPTH: u32 = 32;
const MAX_BYTES: u64 = 1 << 30;

/// The types of a module by their ids.
#[derive(Debug, Default)]
pub(super) struct Types {
    all: HashMap<u32, (Type, u32)>,
    /// Integer constants by their ids: their value in the module as it is.
    numbers: HashMap<u32, u64>,
}

impl Types {
    /// Checks all declarations outside of functions, but for variables.
    pub(super) fn new(module: &Instructions<'_>) -> Result<Self, ModuleError> {
        let mut types = Self::default();
        for (position, inst) in module.list.iter().enumerate() {
            if inst.opcode == op::FUNCTION {
                break;
            }
            let is_early = |id: &u32| module.made.get(id).is_some_and(|made| *made < position);
            if (op::TYPE_VOID..=op::SPEC_CONSTANT_OP).contains(&inst.opcode)
                && !inst.ids.iter().chain(&inst.ty).all(is_early)
            {
                return Err(ModuleError::new(inst.at, "a declaration names an id that is made later or nowhere"));
            }
            let checked = match inst.opcode {
                op::TYPE_VOID..=op::TYPE_PIPE => types.add_type(inst),
                op::CONSTANT_TRUE..=op::SPEC_CONSTANT_OP => types.check_constant(module, inst),
                _ => Ok(()),
            };
            checked.map_err(|cause| ModuleError::new(inst.at, cause))?;
        }
        Ok(types)
    }

    pub(super) fn get(&self, id: u32) -> Option<&Type> {
        self.all.get(&id).map(|(ty, _)| ty)
    }

    /// An integer constant's value, as the module has it.
    pub(super) fn number(&self, id: u32) -> Option<u64> {
        self.numbers.get(&id).copied()
    }

    /// The components of a scalar or vector type.
    pub(super) fn shape(&self, id: u32) -> Option<Shape> {
        Some(match self.get(id)? {
            Type::Bool => Shape { kind: Kind::Bool, width: 0, count: 1 },
            Type::Int { width, .. } => Shape { kind: Kind::Int, width: *width, count: 1 },
            Type::Float { width } => Shape { kind: Kind::Float, width: *width, count: 1 },
            Type::Vector { element, count } => Shape { count: *count, ..self.shape(*element)? },
            _ => return None,
        })
    }

    /// The type of a part of a composite; any for arrays and vectors.
    pub(super) fn part(&self, id: u32, index: Option<u64>) -> Option<u32> {
        match self.get(id)? {
            Type::Vector { element, count } | Type::Matrix { column: element, count } => {
                index.is_none_or(|index| index < u64::from(*count)).then_some(*element)
            }
            Type::Array { element, len } => {
                let len = self.number(*len)?;
                index.is_none_or(|index| index < len).then_some(*element)
            }
            Type::RuntimeArray { element } => Some(*element),
            Type::Struct { members } => members.get(usize::try_from(index?).ok()?).copied(),
            _ => None,
        }
    }

    /// How many parts a composite has.
    pub(super) fn parts(&self, id: u32) -> Option<u64> {
        match self.get(id)? {
            Type::Vector { count, .. } | Type::Matrix { count, .. } => Some((*count).into()),
            Type::Array { len, .. } => self.number(*len),
            Type::Struct { members } => Some(members.len() as u64),
            _ => None,
        }
    }

    /// Whether two types differ only in how their structs and arrays are laid out.
    pub(super) fn matches(&self, a: u32, b: u32) -> bool {
        match (self.get(a), self.get(b)) {
            _ if a == b => true,
            (Some(Type::Array { element: a, len: a_len }), Some(Type::Array { element: b, len: b_len })) => {
                self.number(*a_len) == self.number(*b_len) && self.matches(*a, *b)
            }
            (Some(Type::Struct { members: a }), Some(Type::Struct { members: b })) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.matches(*a, *b))
            }
            _ => false,
        }
    }

    /// Bytes of a value where nothing tells its layout, closely packed; none for what has no size.
    pub(super) fn packed_bytes(&self, id: u32) -> Option<u64> {
        let bytes = match self.get(id)? {
            Type::Bool => 4,
            Type::Int { width, .. } | Type::Float { width } => u64::from(*width) / 8,
            Type::Vector { element, count } | Type::Matrix { column: element, count } => {
                self.packed_bytes(*element)?.checked_mul((*count).into())?
            }
            Type::Array { element, len } => self.packed_bytes(*element)?.checked_mul(self.number(*len)?)?,
            Type::Struct { members } => {
                members.iter().try_fold(0u64, |sum, member| sum.checked_add(self.packed_bytes(*member)?))?
            }
            _ => return None,
        };
        (bytes <= MAX_BYTES).then_some(bytes)
    }

    /// An image, with or without a sampler.
    pub(super) fn is_image(&self, id: u32) -> bool {
        matches!(self.get(id), Some(Type::Image { .. } | Type::SampledImage { .. }))
    }

    /// The image type that is declared: of single texels, neither arrayed nor of depth.
    fn image(&self, rest: &[u32]) -> Result<Type, &'static str> {
        const BAD: &str =
            "an image is of a kind that is not supported: it has one to three dimensions, and 32-bit texels";
        let kind = match self.get(*rest.first().ok_or(BAD)?) {
            Some(Type::Float { width: 32 }) => TexelKind::Float,
            Some(Type::Int { width: 32, is_signed: false }) => TexelKind::Uint,
            Some(Type::Int { width: 32, is_signed: true }) => TexelKind::Sint,
            _ => return Err(BAD),
        };
        match rest[1..] {
            [dim @ 0..=2, 0 | 2, 0, 0, 1, format] => {
                Ok(Type::Image { kind, dimensions: dim + 1, is_sampled: true, format })
            }
            [dim @ 0..=2, 0 | 2, 0, 0, 2, format @ 1..=39] => {
                Ok(Type::Image { kind, dimensions: dim + 1, is_sampled: false, format })
            }
            [_, _, _, _, 2, 0] => Err("a storage image has no format; write one, such as `layout(rgba8)`"),
            _ => Err(BAD),
        }
    }

    fn add_type(&mut self, inst: &Inst<'_>) -> Result<(), &'static str> {
        let ty = self.declared(inst)?;
        let depth_of = |id: &u32| self.all.get(id).map(|(_, depth)| *depth);
        let depth = 1 + inst.ids.iter().filter_map(depth_of).max().unwrap_or(0);
        if depth > MAX_DEPTH {
            return Err("its types nest too deep");
        }
        if let Some(id) = inst.result {
            self.all.insert(id, (ty, depth));
        }
        Ok(())
    }

    /// The type that an instruction declares.
    fn declared(&self, inst: &Inst<'_>) -> Result<Type, &'static str> {
        let word = |index: usize| inst.rest.get(index).copied().unwrap_or_default();
        let is_scalar = |id: u32| self.shape(id).is_some_and(|shape| shape.count == 1);
        Ok(match inst.opcode {
            op::TYPE_VOID => Type::Void,
            op::TYPE_BOOL => Type::Bool,
            op::TYPE_INT => match (word(0), word(1)) {
                (width @ (8 | 16 | 32 | 64), sign @ (0 | 1)) => Type::Int { width, is_signed: sign == 1 },
                _ => return Err("an integer has a width or sign that cannot be"),
            },
            op::TYPE_FLOAT => match word(0) {
                width @ (16 | 32 | 64) => Type::Float { width },
                _ => return Err("a float has a width that cannot be"),
            },
            op::TYPE_VECTOR => match (word(0), word(1)) {
                (element, count @ 2..=4) if is_scalar(element) => Type::Vector { element, count },
                _ => return Err("a vector is not of two to four scalars"),
            },
            op::TYPE_MATRIX => match (word(0), word(1)) {
                (column, count @ 2..=4)
                    if self.shape(column).is_some_and(|shape| shape.kind == Kind::Float && shape.count > 1) =>
                {
                    Type::Matrix { column, count }
                }
                _ => return Err("a matrix is not of two to four vectors of floats"),
            },
            op::TYPE_ARRAY => match self.number(word(1)) {
                Some(1..) if self.is_sized(word(0)) => Type::Array { element: word(0), len: word(1) },
                _ => return Err("an array is not of something with a size, or its length is no positive constant"),
            },
            op::TYPE_RUNTIME_ARRAY if self.is_sized(word(0)) => Type::RuntimeArray { element: word(0) },
            op::TYPE_RUNTIME_ARRAY => return Err("an array is not of something with a size"),
            op::TYPE_STRUCT => {
                let (last, before) =
                    inst.rest.split_last().map_or((None, &[][..]), |(last, before)| (Some(last), before));
                let are_sized = before.iter().all(|member| self.is_sized(*member));
                if !are_sized || !last.is_none_or(|last| self.is_data(*last)) {
                    return Err("a struct has a member that it cannot have");
                }
                Type::Struct { members: inst.rest.to_vec() }
            }
            op::TYPE_IMAGE => self.image(inst.rest)?,
            op::TYPE_SAMPLED_IMAGE => match self.get(word(0)) {
                Some(Type::Image { is_sampled: true, .. }) => Type::SampledImage { image: word(0) },
                _ => return Err("a sampler is joined with what is no sampled image"),
            },
            op::TYPE_POINTER => self.pointer(word(0), word(1))?,
            op::TYPE_FUNCTION => self.function(inst.rest)?,
            _ => {
                return Err(
                    "it has a type that is not for compute on buffers: samplers of their own and the like are not supported",
                );
            }
        })
    }

    /// Whether values of a type can lie in memory.
    fn is_data(&self, id: u32) -> bool {
        let is_none = matches!(self.get(id), None | Some(Type::Void | Type::Function { .. } | Type::Pointer { .. }));
        !is_none && !self.is_image(id)
    }

    fn is_sized(&self, id: u32) -> bool {
        self.is_data(id) && self.packed_bytes(id).is_some()
    }

    fn pointer(&self, class: u32, pointee: u32) -> Result<Type, &'static str> {
        match class {
            class::UNIFORM_CONSTANT if self.is_image(pointee) => Ok(Type::Pointer { class, pointee }),
            class::INPUT
            | class::UNIFORM
            | class::WORKGROUP
            | class::PRIVATE
            | class::FUNCTION
            | class::PUSH_CONSTANT
            | class::STORAGE_BUFFER
                if self.is_data(pointee) =>
            {
                Ok(Type::Pointer { class, pointee })
            }
            _ => Err(
                "a pointer is not one to data in memory that compute modules have here: samplers of their own, arrays of images and addresses are not supported",
            ),
        }
    }

    fn function(&self, types: &[u32]) -> Result<Type, &'static str> {
        let is_valid = |id: &u32| match self.get(*id) {
            Some(Type::Pointer { .. }) => true,
            Some(Type::RuntimeArray { .. }) => false,
            _ => self.is_data(*id),
        };
        let (returned, params) = types.split_first().ok_or("a function type returns nothing known")?;
        if !params.iter().all(is_valid) || !(is_valid(returned) || self.get(*returned) == Some(&Type::Void)) {
            return Err("a function takes or returns what it cannot");
        }
        Ok(Type::Function { returned: *returned, params: params.to_vec() })
    }

    fn check_constant(&mut self, module: &Instructions<'_>, inst: &Inst<'_>) -> Result<(), &'static str> {
        let (Some(ty), Some(result)) = (inst.ty, inst.result) else { return Err("a constant has no type") };
        let known = self.get(ty).ok_or("a constant's type is none")?;
        let type_of = |id: u32| module.of(id).and_then(|made| made.ty);
        let is_constant = |id: u32| {
            module.of(id).is_some_and(|made| {
                (op::CONSTANT_TRUE..=op::SPEC_CONSTANT_OP).contains(&made.opcode) || made.opcode == op::UNDEF
            })
        };
        match inst.opcode {
            op::CONSTANT_TRUE | op::CONSTANT_FALSE | op::SPEC_CONSTANT_TRUE | op::SPEC_CONSTANT_FALSE => {
                (*known == Type::Bool).then_some(()).ok_or("a boolean constant is not of type bool")
            }
            op::CONSTANT | op::SPEC_CONSTANT => {
                let [low, high] = [0, 1].map(|index| u64::from(inst.rest.get(index).copied().unwrap_or_default()));
                match known {
                    Type::Int { .. } => {
                        self.numbers.insert(result, low | high << 32);
                        Ok(())
                    }
                    Type::Float { .. } => Ok(()),
                    _ => Err("a number's type is none of numbers"),
                }
            }
            op::CONSTANT_COMPOSITE | op::SPEC_CONSTANT_COMPOSITE => {
                let fits = self.parts(ty) == Some(inst.rest.len() as u64)
                    && inst
                        .rest
                        .iter()
                        .zip(0..)
                        .all(|(part, index)| is_constant(*part) && type_of(*part) == self.part(ty, Some(index)));
                fits.then_some(()).ok_or("a composite constant is not made of what its type says")
            }
            op::CONSTANT_NULL => self.packed_bytes(ty).map(|_| ()).ok_or("a null constant is of a type that has none"),
            op::SPEC_CONSTANT_OP => {
                if !inst.ids.iter().all(|id| is_constant(*id)) {
                    return Err("an operation on constants names what is none");
                }
                super::rules::check_operation(self, &type_of, inst.rest[0] as u16, ty, &inst.ids)?;
                // Its value is the driver's to compute: where a size is asked for, it counts as one.
                self.numbers.insert(result, 1);
                Ok(())
            }
            _ => Err("it has a constant that is not for compute on buffers"),
        }
    }
}
