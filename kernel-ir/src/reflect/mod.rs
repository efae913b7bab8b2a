//! SPIR-V that somebody else made: whether it is a module that a driver can take, and what it asks of whoever launches it.
//!
//! Drivers trust modules: one that is cut off, or that adds a pointer to a float, makes them crash. So a module is read
//! here first: its words, the types of all operands, the order and nesting of its blocks, its interface. The behaviour
//! of a module while it runs is left to its author. It must not know of devices, nor of `#[kernel]`.
//!
//! Supported are compute modules of Vulkan that work on buffers and images, workgroup memory and push constants; samplers of
//! their own, arrays of images and physical addresses are refused, by name.

mod adapt;
mod bindings;
mod flow;
pub(crate) mod grammar;
mod interface;
mod layout;
mod notes;
mod parse;
mod rules;
#[cfg(test)]
mod tests;
mod types;

use std::fmt;

use crate::descriptor::{ImageAccess, ImageFormat, SubgroupOperations, TexelKind};

/// A fault of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleError {
    /// Position of the word that it was found at.
    pub word: usize,
    /// The fault, in words.
    pub cause: String,
}

impl ModuleError {
    fn new(word: usize, cause: impl Into<String>) -> Self {
        Self { word, cause: cause.into() }
    }
}

impl fmt::Display for ModuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (word {})", self.cause, self.word)
    }
}

/// The interface of a module with one entry point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// The entry point.
    pub entry_point: String,
    /// SPIR-V's version: major, minor.
    pub version: [u8; 2],
    /// Invocations per workgroup.
    pub workgroup: [WorkgroupSize; 3],
    /// The buffers, by their sets and bindings.
    pub buffers: Vec<BufferBinding>,
    /// The images, by their sets and bindings.
    pub images: Vec<ImageBinding>,
    /// The push constants; empty when there are none.
    pub push_constants: Vec<Field>,
    /// Bytes of all push constants, from zero.
    pub push_constant_size: u32,
    /// The specialization constants, by their numbers.
    pub constants: Vec<SpecConstant>,
    /// Numbers of the capabilities, as the module declares them, and their names.
    pub capabilities: Vec<(u32, &'static str)>,
    /// The groups of subgroup operations that these stand for.
    pub subgroup_operations: SubgroupOperations,
    /// Bytes of workgroup memory.
    pub shared_bytes: u64,
    /// Whether it orders memory among all invocations of the device, as GLSL's atomics do.
    pub uses_device_scope: bool,
    /// Whether it uses Vulkan's memory model.
    pub has_vulkan_memory_model: bool,
}

/// A workgroup's size along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkgroupSize {
    /// A number.
    Known(u32),
    /// The specialization constant with this number.
    Constant(u32),
}

/// A buffer of a module: a storage buffer, or a uniform one that is bound as such.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufferBinding {
    /// Its set.
    pub set: u32,
    /// Its binding in the set.
    pub binding: u32,
    /// The binding in set 0 that stands for both in the accepted words.
    pub slot: u32,
    /// Its name, if the module has kept it.
    pub name: Option<String>,
    /// Whether the entry point may write it: through a pointer to it there is a store or an atomic operation, or one that leaves
    /// that open.
    pub is_writable: bool,
    /// Whether the module promises that nothing else is the same memory (`Restrict`).
    pub is_restrict: bool,
    /// Bytes before the array without a length that it ends with; all its bytes, if it has none.
    pub fixed_bytes: u64,
    /// The elements of that array.
    pub element: Option<Element>,
}

/// An image of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageBinding {
    /// Its set.
    pub set: u32,
    /// Its binding in the set.
    pub binding: u32,
    /// The binding in set 0 that stands for both in the accepted words.
    pub slot: u32,
    /// Its name, if the module has kept it.
    pub name: Option<String>,
    /// The module's access to the image: it counts as stored unless it is decorated `NonWritable`.
    pub access: ImageAccess,
    /// How its texels lie in memory; anyhow, for those that are sampled.
    pub format: Option<ImageFormat>,
    /// The type of the components in the module.
    pub kind: TexelKind,
    /// 1, 2 or 3.
    pub dimensions: u8,
}

/// Elements of an array without a length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element {
    /// Bytes from one to the next.
    pub stride: u32,
    /// The type, for plain numbers and vectors.
    pub ty: Option<DataType>,
}

/// A member of the push constants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name, if the module has kept it.
    pub name: Option<String>,
    /// Its first byte.
    pub offset: u32,
    /// Its bytes.
    pub size: u32,
    /// The type, for plain numbers and vectors.
    pub ty: Option<DataType>,
}

/// A number, or two to four of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataType {
    /// The number.
    pub scalar: ScalarType,
    /// How many.
    pub count: u32,
}

/// A number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "they are Rust's types")]
pub enum ScalarType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
}

impl ScalarType {
    /// Rust's name of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Its bytes; as a specialization constant, a `bool` has four.
    pub const fn size(self) -> u32 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::Bool | Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
}

/// A specialization constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecConstant {
    /// Its number (`SpecId`).
    pub number: u32,
    /// Its name, if the module has kept it.
    pub name: Option<String>,
    /// Its type.
    pub ty: ScalarType,
    /// The bits of its value, when none is given.
    pub default: u64,
}

/// The words of a module's bytes, in whichever order they are.
///
/// # Errors
/// When the bytes are no words.
pub fn words_of(bytes: &[u8]) -> Result<Vec<u32>, ModuleError> {
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(ModuleError::new(words.len(), "its length is no multiple of four bytes"));
    }
    let is_swapped = words.first() == Some(&[7, 0x23, 2, 3]);
    let word = |bytes: &[u8; 4]| if is_swapped { u32::from_be_bytes(*bytes) } else { u32::from_le_bytes(*bytes) };
    Ok(words.iter().map(word).collect())
}

impl Interface {
    /// Checks a module, and reads what it asks for: of the entry point with this name, or of its only one.
    ///
    /// # Errors
    /// When it is no module, or none that can be launched.
    pub fn read(words: &[u32], entry_point: Option<&str>) -> Result<Self, ModuleError> {
        Ok(Self::accept(words, entry_point)?.1)
    }

    /// As [`read`](Self::read), with the words that a driver is to get: of the same meaning, with all bindings in set 0 by their slots.
    ///
    /// # Errors
    /// When it is no module, or none that can be launched.
    pub fn accept(words: &[u32], entry_point: Option<&str>) -> Result<(Vec<u32>, Self), ModuleError> {
        interface::read(words, entry_point)
    }

    /// Accepted words for launches that give several buffers the same memory.
    ///
    /// # Errors
    /// When the module promises that they are not the same.
    pub fn aliased(&self, words: &[u32]) -> Result<Vec<u32>, ModuleError> {
        match self.buffers.iter().find(|buffer| buffer.is_restrict) {
            None => Ok(adapt::aliased(words)),
            Some(buffer) => {
                let name = buffer.name.as_deref().unwrap_or("a buffer");
                Err(ModuleError::new(
                    0,
                    format!("`{name}` is declared `restrict`: no tensor may be given for it and another"),
                ))
            }
        }
    }
}
