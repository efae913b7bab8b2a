//! Images: texels are elements of a buffer, level after level, row after row; stores convert them to the format and back.

use super::memory::{Access, Memory};
use super::step::Context;
use super::thread::Thread;
use super::{InterpretError, Value};
use crate::arena::EntityId;
use crate::descriptor::{ImageFormat, SampledExtent, Sampler, TexelKind};
use crate::ir::{BufferId, Constant, Image, ImageOp, ValueId};
use crate::passes::eval;

/// The shape and format of an image argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImageInput {
    /// Its sides and levels.
    pub shape: SampledExtent,
    /// How it is sampled, if it is.
    pub sampler: Sampler,
}

/// A texel as the kernel sees it, of its four words.
pub fn texel_value(format: ImageFormat, words: [u32; 4]) -> Value {
    let lane = |word: &u32| {
        Value::Scalar(match format.kind() {
            TexelKind::Float => Constant::F32(*word),
            TexelKind::Uint => Constant::U32(*word),
            TexelKind::Sint => Constant::I32(word.cast_signed()),
        })
    };
    match format.components() as usize {
        1 => lane(&words[0]),
        count => Value::Composite(words[..count].iter().map(lane).collect()),
    }
}

/// The words of a texel; those of components that there are not are zero.
pub fn texel_words(value: &Value) -> [u32; 4] {
    let lanes = match value {
        Value::Scalar(_) => std::slice::from_ref(value),
        Value::Composite(lanes) => lanes,
    };
    let mut words = [0; 4];
    for (word, lane) in words.iter_mut().zip(lanes) {
        if let Value::Scalar(constant) = lane {
            *word = eval::bits(*constant).unwrap_or_default() as u32;
        }
    }
    words
}

/// The value of a texel after it was stored and loaded again.
fn stored(format: ImageFormat, value: &Value) -> Value {
    let mut bytes = [0; 16];
    let bytes = &mut bytes[..format.bytes() as usize];
    format.encode(texel_words(value), bytes);
    texel_value(format, format.decode(bytes))
}

impl<'m> Thread<'m> {
    /// An instruction on an image; gives what it defines.
    pub(super) fn image(
        &mut self,
        cx: &Context<'m>,
        memory: &mut Memory,
        (op, id): (ImageOp, BufferId),
        operands: &[ValueId],
    ) -> Result<Option<Value>, InterpretError> {
        let kernel = cx.module.kernel.as_ref().expect("images belong to a kernel");
        let buffer = &kernel.buffers[id];
        let image = buffer.image.expect("the verifier saw an image");
        let mut operands = self.frame().values(operands);
        let member = if buffer.is_list { operands.remove(0).bits() as usize } else { 0 };
        let members = memory.images.get(id.index()).map_or(&[][..], Vec::as_slice);
        let Some(ImageInput { shape, sampler }) = members.get(member).copied() else {
            return Err(InterpretError::Undefined(format!("{id} was given no image {member}")));
        };
        // The texels of those before it.
        let first = members[..member].iter().map(|it| texel_number(&it.shape, it.shape.levels, [0; 3])).sum();
        let dimensions = usize::from(image.dimensions);
        let position = |operands: &[Value]| {
            let mut at = [0; 3];
            at.iter_mut().zip(&operands[..dimensions]).for_each(|(at, value)| *at = value.bits());
            at
        };
        Ok(match op {
            ImageOp::Size(axis) => {
                let level = operands.first().map_or(0, Value::bits);
                Some(Value::u32(shape.of_level(level)[usize::from(axis)]))
            }
            ImageOp::Levels => Some(Value::u32(shape.levels)),
            ImageOp::Load => {
                let level = operands.get(dimensions).map_or(0, Value::bits);
                let access = texel_access(id, image, (&shape, first), level, position(&operands))?;
                Some(memory.read(cx, self, &access))
            }
            ImageOp::Store => {
                let access = texel_access(id, image, (&shape, first), 0, position(&operands))?;
                memory.write(cx, self, &access, stored(image.format, &operands[dimensions]));
                None
            }
            ImageOp::Sample => {
                let mut at = [0.0; 3];
                let number = |value: &Value| f32::from_bits(value.bits());
                at.iter_mut().zip(&operands[..dimensions]).for_each(|(at, value)| *at = number(value));
                let texels = &memory.buffers[id.index()];
                let value = sampler.sample(&shape, at, number(&operands[dimensions]), |level, at| {
                    let words = texel_words(&texels[(first + texel_number(&shape, level, at)) as usize]);
                    words.map(f32::from_bits)
                });
                Some(texel_value(image.format, value.map(f32::to_bits)))
            }
        })
    }
}

/// The number of a texel among those of all levels.
fn texel_number(shape: &SampledExtent, level: u32, [x, y, z]: [u32; 3]) -> u32 {
    let before: u32 = (0..level).map(|level| shape.of_level(level).iter().product::<u32>()).sum();
    let [width, height, _] = shape.of_level(level);
    before + x + width * (y + height * z)
}

fn texel_access(
    id: BufferId,
    image: Image,
    (shape, first): (&SampledExtent, u32),
    level: u32,
    at: [u32; 3],
) -> Result<Access, InterpretError> {
    let inside = level < shape.levels && at.iter().zip(shape.of_level(level)).all(|(at, side)| *at < side);
    if !inside {
        return Err(InterpretError::Undefined(format!("texel {at:?} in level {level} of {id}")));
    }
    Ok(Access::texel(id, first + texel_number(shape, level, at), image.format.components().into()))
}
