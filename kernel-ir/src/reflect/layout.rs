//! The layout of what a host sees of a module, by its decorations: buffers, images, push constants.

use super::notes::Notes;
use super::types::{Kind, Type, Types};
use super::{BufferBinding, DataType, Element, Field, ImageBinding, ScalarType};
use crate::binary::{class, decoration};
use crate::descriptor::{ImageAccess, ImageFormat};

/// The layout of members, by their decorations.
pub(super) struct Layout<'a> {
    pub(super) types: &'a Types,
    pub(super) notes: &'a Notes,
}

impl Layout<'_> {
    /// Built-in inputs of compute: three numbers, one number, or a mask of a subgroup.
    pub(super) fn check_input(&self, id: u32, pointee: u32) -> Result<(), String> {
        let built_in = self.notes.get(id, None, decoration::BUILT_IN);
        let count = match built_in {
            Some(24 | 26..=28) => 3,
            Some(29 | 36 | 38 | 40 | 41) => 1,
            Some(4416..=4420) => 4,
            _ => return Err("it has an input that compute modules do not have".to_owned()),
        };
        match self.types.shape(pointee) {
            Some(shape) if shape.kind == Kind::Int && shape.width == 32 && shape.count == count => Ok(()),
            _ => Err("a built-in input is not of its type".to_owned()),
        }
    }

    /// Bytes of a value in memory that the host sees; none for arrays without a length.
    pub(super) fn bytes(&self, ty: u32, matrix_stride: Option<u32>) -> Result<u64, String> {
        let missing = |what: &str| Err(format!("a type in a buffer has no {what}"));
        match self.types.get(ty) {
            Some(Type::Array { element, len }) => {
                let Some(stride) = self.notes.get(ty, None, decoration::ARRAY_STRIDE) else {
                    return missing("`ArrayStride`");
                };
                let len = self.types.number(*len).unwrap_or(1);
                if u64::from(stride) < self.bytes(*element, matrix_stride)? {
                    return Err("elements of an array overlap".to_owned());
                }
                u64::from(stride)
                    .checked_mul(len)
                    .filter(|bytes| *bytes <= 1 << 32)
                    .ok_or_else(|| "an array is too large".to_owned())
            }
            Some(Type::Struct { members }) => {
                let mut end = 0;
                for (member, index) in members.iter().zip(0..) {
                    let Some(offset) = self.notes.get(ty, Some(index), decoration::OFFSET) else {
                        return missing("`Offset`");
                    };
                    let stride = self.notes.get(ty, Some(index), decoration::MATRIX_STRIDE);
                    end = end.max(u64::from(offset) + self.bytes(*member, stride)?);
                }
                Ok(end)
            }
            Some(Type::Matrix { count, .. }) => match matrix_stride {
                Some(stride) => Ok(u64::from(stride) * u64::from(*count).max(4)),
                None => missing("`MatrixStride`"),
            },
            Some(Type::Bool) => Err("a `bool` cannot lie in a buffer".to_owned()),
            Some(Type::Vector { element, .. }) if self.types.get(*element) == Some(&Type::Bool) => {
                Err("a `bool` cannot lie in a buffer".to_owned())
            }
            _ => self.types.packed_bytes(ty).ok_or_else(|| "a type in a buffer has no size".to_owned()),
        }
    }

    pub(super) fn push_constants(&self, block: u32) -> Result<(Vec<Field>, u32), String> {
        let Some(Type::Struct { members }) = self.types.get(block).filter(|_| self.notes.has(block, decoration::BLOCK))
        else {
            return Err("push constants are no block".to_owned());
        };
        let total = self.bytes(block, None)?;
        let field = |(member, index): (&u32, u32)| {
            let offset = self.notes.get(block, Some(index), decoration::OFFSET).unwrap_or_default();
            let stride = self.notes.get(block, Some(index), decoration::MATRIX_STRIDE);
            let size =
                u32::try_from(self.bytes(*member, stride)?).map_err(|_| "push constants are too large".to_owned())?;
            Ok(Field { name: self.notes.name(block, Some(index)), offset, size, ty: data_of(self.types, *member) })
        };
        let fields: Result<Vec<Field>, String> = members.iter().zip(0..).map(field).collect();
        let total = u32::try_from(total).ok().and_then(|total| total.checked_next_multiple_of(4));
        Ok((fields?, total.ok_or_else(|| "push constants are too large".to_owned())?))
    }

    pub(super) fn image(&self, id: u32, pointee: u32) -> Result<ImageBinding, String> {
        let name = self.notes.name(id, None);
        let shown = name.clone().unwrap_or_else(|| "an image".to_owned());
        let (image, is_joined) = match self.types.get(pointee) {
            Some(Type::SampledImage { image }) => (self.types.get(*image), true),
            other => (other, false),
        };
        let Some(Type::Image { kind, dimensions, is_sampled, format }) = image else {
            return Err(format!("`{shown}` is no image"));
        };
        if *is_sampled != is_joined {
            return Err(format!("`{shown}` has its sampler apart, which is not supported; join them"));
        }
        let place = |kind: u32| self.notes.get(id, None, kind);
        let (Some(set), Some(binding)) = (place(decoration::DESCRIPTOR_SET), place(decoration::BINDING)) else {
            return Err(format!("`{shown}` has no set or no binding"));
        };
        let access = match (is_sampled, self.notes.has(id, decoration::NON_WRITABLE)) {
            (true, _) => ImageAccess::Sample,
            (false, true) => ImageAccess::Load,
            (false, false) => ImageAccess::Store,
        };
        let format = ImageFormat::ALL.iter().copied().find(|known| !is_sampled && known.spirv() == *format);
        if format.is_some_and(|format| format.kind() != *kind) {
            return Err(format!("`{shown}` has texels of another kind than its format"));
        }
        Ok(ImageBinding {
            set,
            binding,
            slot: binding,
            name,
            access,
            format,
            kind: *kind,
            dimensions: *dimensions as u8,
        })
    }

    pub(super) fn buffer(&self, id: u32, class: u32, pointee: u32) -> Result<BufferBinding, String> {
        let name = self.notes.name(id, None).or_else(|| self.notes.name(pointee, None));
        let shown = name.clone().unwrap_or_else(|| "a buffer".to_owned());
        let kind = if class == class::UNIFORM { decoration::BUFFER_BLOCK } else { decoration::BLOCK };
        let Some(Type::Struct { members }) = self.types.get(pointee) else {
            return Err(format!("`{shown}` is an array of buffers, which is not supported"));
        };
        if !self.notes.has(pointee, kind) {
            return Err(format!("`{shown}` is no block"));
        }
        let place = |kind: u32| self.notes.get(id, None, kind);
        let (Some(set), Some(binding)) = (place(decoration::DESCRIPTOR_SET), place(decoration::BINDING)) else {
            return Err(format!("`{shown}` has no set or no binding"));
        };
        let non_writable = |member: u32| self.notes.get(pointee, Some(member), decoration::NON_WRITABLE).is_some();
        let all_members = !members.is_empty() && (0..members.len() as u32).all(non_writable);
        let is_writable = !self.notes.has(id, decoration::NON_WRITABLE) && !all_members;
        let (mut fixed_bytes, mut element) = (0u64, None);
        for (member, index) in members.iter().zip(0..) {
            let Some(offset) = self.notes.get(pointee, Some(index), decoration::OFFSET) else {
                return Err(format!("a member of `{shown}` has no `Offset`"));
            };
            match self.types.get(*member) {
                Some(Type::RuntimeArray { element: of }) => {
                    let stride = self.notes.get(*member, None, decoration::ARRAY_STRIDE).filter(|stride| *stride > 0);
                    let stride = stride.ok_or_else(|| format!("the array of `{shown}` has no `ArrayStride`"))?;
                    let matrix_stride = self.notes.get(pointee, Some(index), decoration::MATRIX_STRIDE);
                    if self.bytes(*of, matrix_stride)? > stride.into() {
                        return Err(format!("elements of `{shown}` overlap"));
                    }
                    fixed_bytes = fixed_bytes.max(offset.into());
                    element = Some(Element { stride, ty: data_of(self.types, *of) });
                }
                _ => {
                    let stride = self.notes.get(pointee, Some(index), decoration::MATRIX_STRIDE);
                    fixed_bytes = fixed_bytes.max(u64::from(offset) + self.bytes(*member, stride)?);
                }
            }
        }
        let has_restrict = |member: u32| self.notes.get(pointee, Some(member), decoration::RESTRICT).is_some();
        let is_restrict = self.notes.has(id, decoration::RESTRICT) || (0..members.len() as u32).any(has_restrict);
        Ok(BufferBinding { set, binding, slot: binding, name, is_writable, is_restrict, fixed_bytes, element })
    }
}

pub(super) fn scalar_of(types: &Types, ty: u32) -> Option<ScalarType> {
    Some(match types.get(ty)? {
        Type::Bool => ScalarType::Bool,
        Type::Int { width, is_signed } => match (width, is_signed) {
            (8, true) => ScalarType::I8,
            (16, true) => ScalarType::I16,
            (32, true) => ScalarType::I32,
            (64, true) => ScalarType::I64,
            (8, false) => ScalarType::U8,
            (16, false) => ScalarType::U16,
            (32, false) => ScalarType::U32,
            _ => ScalarType::U64,
        },
        Type::Float { width: 16 } => ScalarType::F16,
        Type::Float { width: 32 } => ScalarType::F32,
        Type::Float { .. } => ScalarType::F64,
        _ => return None,
    })
}

fn data_of(types: &Types, ty: u32) -> Option<DataType> {
    match types.get(ty)? {
        Type::Vector { element, count } => Some(DataType { scalar: scalar_of(types, *element)?, count: *count }),
        _ => Some(DataType { scalar: scalar_of(types, ty)?, count: 1 }),
    }
}
