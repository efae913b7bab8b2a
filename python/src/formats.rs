//! Images of a format that is chosen at run time: by the type of their numbers, or by name.

use gridwise::image::{self, Format, Sampler};
use gridwise::{BindingPlace, ModuleLaunch, TensorRef};

use crate::dtype::DType;
use crate::error::{Fault, Outcome};

type Make = fn(&gridwise::Manager, [u32; 2]) -> gridwise::Result<TensorRef>;
type Check = fn(&TensorRef, Sampler) -> gridwise::Result<()>;
type Bind = fn(ModuleLaunch, BindingPlace, &TensorRef, Sampler) -> gridwise::Result<ModuleLaunch>;

/// A format by its name, with what its texels have in Python.
#[derive(Debug)]
pub(crate) struct Row {
    name: &'static str,
    channels: u32,
    bytes: u32,
    make: Make,
    /// Whether the device samples an image of the format so.
    pub(crate) check: Check,
    /// Gives a module the image with a sampler.
    pub(crate) bind: Bind,
}

const fn row<F: Format>() -> Row {
    fn make<F: Format>(manager: &gridwise::Manager, [width, height]: [u32; 2]) -> gridwise::Result<TensorRef> {
        Ok(manager.image_2d::<F>(width, height)?.handle())
    }
    fn check<F: Format>(image: &TensorRef, sampler: Sampler) -> gridwise::Result<()> {
        image.image::<F, 2>()?.sampled(sampler).map(drop)
    }
    fn bind<F: Format>(
        launch: ModuleLaunch,
        place: BindingPlace,
        image: &TensorRef,
        sampler: Sampler,
    ) -> gridwise::Result<ModuleLaunch> {
        Ok(launch.sampled(place, &image.image::<F, 2>()?.sampled(sampler)?))
    }
    let format = F::FORMAT;
    Row {
        name: format.name(),
        channels: format.components(),
        bytes: format.bytes(),
        make: make::<F>,
        check: check::<F>,
        bind: bind::<F>,
    }
}

macro_rules! rows {
    ($($name:ident)+) => {
        const ROWS: &[Row] = &[$(row::<image::$name>()),+];
    };
}

rows! {
    R8Sint R8Uint Rg8Sint Rg8Uint Rgba8Sint Rgba8Uint
    R16Sint R16Uint Rg16Sint Rg16Uint Rgba16Sint Rgba16Uint
    R32Sint R32Uint Rg32Sint Rg32Uint Rgba32Sint Rgba32Uint
    R16Float Rg16Float Rgba16Float R32Float Rg32Float Rgba32Float
    R8Snorm R8Unorm Rg8Snorm Rg8Unorm Rgba8Snorm Rgba8Unorm
    R16Snorm R16Unorm Rg16Snorm Rg16Unorm Rgba16Snorm Rgba16Unorm
}

/// The format whose texels have these numbers: floats and integers as they are.
fn suffix(dtype: DType) -> Option<&'static str> {
    Some(match dtype {
        DType::I8 => "8Sint",
        DType::I16 => "16Sint",
        DType::I32 => "32Sint",
        DType::U8 => "8Uint",
        DType::U16 => "16Uint",
        DType::U32 => "32Uint",
        DType::F16 => "16Float",
        DType::F32 => "32Float",
        _ => return None,
    })
}

/// An image of so many texels with so many channels, and its format.
pub(crate) fn image_of(
    manager: &gridwise::Manager,
    dtype: DType,
    format: Option<&str>,
    [width, height, channels]: [u32; 3],
) -> Outcome<(TensorRef, &'static Row)> {
    let refused = |text| Err(Fault::Misuse("BadArgument", text));
    let found = match format {
        Some(name) => ROWS.iter().find(|row| row.name == name),
        None => {
            let has_numbers = |name| suffix(dtype).is_some_and(|end| is_plain(name, end));
            ROWS.iter().find(|row| row.channels == channels && has_numbers(row.name))
        }
    };
    match (found, format) {
        (Some(row), _) if row.channels == channels && row.bytes as usize == channels as usize * dtype.size() => {
            Ok(((row.make)(manager, [width, height])?, row))
        }
        (Some(row), _) => refused(format!(
            "an image of format `{}` has {} channels and {} bytes for each texel, not {channels} channels of {}",
            row.name,
            row.channels,
            row.bytes,
            dtype.name()
        )),
        (None, Some(name)) => {
            let names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
            refused(format!("there is no format `{name}`; there are {}", names.join(", ")))
        }
        (None, None) => refused(format!(
            "no valid dtype or number of channels: images have 1, 2 or 4 channels of float16, float32, int8 to int32 or uint8 to uint32, not {channels} of {}",
            dtype.name()
        )),
    }
}

/// Whether nothing but the channels stands before the end of a format's name.
fn is_plain(name: &str, end: &str) -> bool {
    matches!(name.strip_suffix(end), Some("R" | "Rg" | "Rgba"))
}
