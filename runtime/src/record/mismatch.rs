//! An argument that does not fit, in the words of errors: what the kernel declares, what was given, and where.

use gridwise_ir::descriptor::{ImageAccess, ImageFormat, KernelDescriptor, Param, ParamKind};

use crate::core::error::{Error, Result};
use crate::record::steps::{BufferArg, Role};

/// The kind of a parameter; an error where the kernel has no such parameter.
pub(super) fn param_kind(
    descriptor: &'static KernelDescriptor,
    param: usize,
    found: impl Fn() -> String,
) -> Result<ParamKind> {
    let kind = descriptor.params.get(param).map(|param| param.kind);
    kind.ok_or_else(|| mismatch(descriptor, param, found()))
}

/// An image argument in the words of errors.
pub(crate) fn describe_image(access: ImageAccess, format: ImageFormat, dimensions: u32) -> String {
    let how = match access {
        ImageAccess::Load => "& image",
        ImageAccess::Store => "&mut image",
        ImageAccess::Sample => "& image with a sampler",
    };
    format!("{how} of format {format} in {dimensions} dimensions")
}

/// A list of images in the words of errors.
pub(super) fn describe_images(access: ImageAccess, format: ImageFormat, dimensions: u32) -> String {
    let how = match access {
        ImageAccess::Load => "& images",
        ImageAccess::Store => "&mut images",
        ImageAccess::Sample => "& images with samplers",
    };
    format!("a list of {how} of format {format} in {dimensions} dimensions")
}

/// A list of tensors in the words of errors.
pub(super) fn describe_list(is_written: bool, size: usize) -> String {
    format!("a list of {} tensors of {size}-byte elements", if is_written { "&mut" } else { "&" })
}

/// An argument of a launch in words: its position from 1, and the parameter; for a member of a list also the position
/// in the list.
pub(super) fn place_among(descriptor: &KernelDescriptor, arguments: &[BufferArg], at: usize) -> String {
    let (param, role) = (arguments[at].param, arguments[at].role);
    // Claims come with their elements.
    let is_claims = |param: &&Param| matches!(param.kind, ParamKind::Claims { .. });
    let claims = descriptor.params.iter().take(param as usize + 1).filter(is_claims).count();
    let position = param as usize + 1 - claims;
    let name = descriptor.params.get(param as usize).map_or("", |param| param.name);
    match role {
        Role::Member => {
            let before = arguments[..at].iter().filter(|other| other.param == param).count();
            format!("argument {position}, `{name}[{before}]`")
        }
        Role::Whole | Role::Texels | Role::Table => format!("argument {position}, `{name}`"),
    }
}

/// An argument of a kernel's launch, in the words of errors.
pub(crate) fn place_of(descriptor: &KernelDescriptor, arguments: &[BufferArg], at: usize) -> String {
    format!("{}, of kernel `{}`", place_among(descriptor, arguments, at), descriptor.name)
}

/// The error of an argument that is not what the kernel declares.
pub(super) fn mismatch(descriptor: &'static KernelDescriptor, param: usize, found: String) -> Error {
    let declared = descriptor.params.get(param);
    let expected = match declared.map(|param| param.kind) {
        None => "no further argument".to_owned(),
        Some(ParamKind::Value { size, .. }) => format!("a value of {size} bytes"),
        Some(ParamKind::List { writable, stride, .. }) => describe_list(writable, stride as usize),
        Some(ParamKind::Image { access, format, dimensions, .. }) => describe_image(access, format, dimensions.into()),
        Some(ParamKind::Images { access, format, dimensions, .. }) => {
            describe_images(access, format, dimensions.into())
        }
        Some(ParamKind::Distinct { .. }) => "& distinct tensor of 4-byte elements, from `Manager::distinct`".to_owned(),
        Some(ParamKind::Offsets { .. }) => "& offsets tensor of 4-byte elements, from `Manager::offsets`".to_owned(),
        Some(ParamKind::Claims { .. }) => "the claims of a scatter tensor, from `Manager::scatter`".to_owned(),
        Some(ParamKind::Texels { stride, .. }) => format!("& tensor of {stride}-byte elements"),
        Some(ParamKind::Buffer { writable, stride, .. }) => {
            format!("{} tensor of {stride}-byte elements", if writable { "&mut" } else { "&" })
        }
    };
    let param = declared.map_or_else(|| param.to_string(), |declared| format!("`{}`", declared.name));
    Error::ArgumentMismatch { kernel: descriptor.name.into(), param, expected, found }
}
