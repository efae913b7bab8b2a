//! Convolutions of images in two dimensions, as products of matrices that are never stored.

use super::gemm::{AXIS, Activate, Activation, ConvolveWindows, FILTERS, PLACES};
use super::stages::Stages;
use super::{expect_len, lines, operation};
use crate::prelude::*;
use crate::{Error, KernelArgs, Result};

/// Convolves images with filters, as neural networks do: each result is the sum of a window of all channels, multiplied by the weights of a
/// filter, with a bias and an activation.
///
/// Images are in NCHW order, and weights in OIHW order. Filters are not mirrored. Work space: four words for each weight of a filter.
///
/// ```
/// use gridwise::algorithms::{Convolution, OpConvolve};
/// # use gridwise::prelude::*;
/// # fn main() -> gridwise::Result<()> {
/// let mgr = Manager::new()?;
/// let image = mgr.tensor(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0])?;
/// let weights = mgr.tensor(&[1.0f32, 0.0, 0.0, -1.0])?;
/// let convolution = Convolution { image: [3, 3], window: [2, 2], ..Convolution::new(1, 1, 1) };
/// let mut y = mgr.tensor_of_len::<f32>(4)?;
/// mgr.sequence()?.record(OpConvolve::new(convolution, &image, &weights, &mut y)?)?.eval()?;
/// assert_eq!(y.to_vec()?, [-4.0; 4]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "an operation does nothing until it is recorded"]
pub struct OpConvolve(Stages);

operation!(OpConvolve);

/// The sizes of a convolution. All pairs are width and height, along x and along y.
#[derive(Debug, Clone, Copy)]
pub struct Convolution<'a> {
    /// The number of images.
    pub count: u32,
    /// Channels of an image.
    pub channels: u32,
    /// Filters, each of which makes a channel of the result.
    pub filters: u32,
    /// Width and height of an image.
    pub image: [u32; 2],
    /// Width and height of a filter.
    pub window: [u32; 2],
    /// The stride: the distance of windows.
    pub step: [u32; 2],
    /// The padding: columns of zeros on the left and on the right, and rows of zeros above and below each image.
    pub padding: [u32; 2],
    /// The dilation: the distance of the elements of a window.
    pub dilation: [u32; 2],
    /// The bias of each filter, which is added to its results.
    pub bias: Option<&'a Tensor<f32>>,
    /// The activation function, which is applied last.
    pub activation: Activation,
}

impl Convolution<'_> {
    /// Sizes for these numbers of images, channels and filters, with images and filters of one element and no padding. Set the fields for
    /// other sizes.
    pub fn new(count: u32, channels: u32, filters: u32) -> Self {
        Self {
            count,
            channels,
            filters,
            image: [1; 2],
            window: [1; 2],
            step: [1; 2],
            padding: [0; 2],
            dilation: [1; 2],
            bias: None,
            activation: Activation::Identity,
        }
    }

    /// Width and height of the result of a filter; none if a window does not fit into the image with its padding, or a size is zero.
    pub fn result(&self) -> Option<[u32; 2]> {
        let side = |axis: usize| {
            let [image, window, step] = [self.image[axis], self.window[axis], self.step[axis]];
            let extent = window.checked_sub(1)?.checked_mul(self.dilation[axis])?.checked_add(1)?;
            let all = self.padding[axis].checked_mul(2)?.checked_add(image)?;
            // Positions are computed in 32 bits, and those before the image are told by their sign.
            let is_small = all < 1 << 31 && self.dilation[axis] > 0;
            if is_small { all.checked_sub(extent)?.checked_div(step)?.checked_add(1) } else { None }
        };
        Some([side(0)?, side(1)?])
    }
}

impl OpConvolve {
    /// Convolves the images `x` with `weights` into `y`.
    ///
    /// # Errors
    /// When a window does not fit, a tensor does not have as many elements as the sizes say, or these are more than a `u32` counts.
    pub fn new(
        convolution: Convolution<'_>,
        x: &Tensor<f32>,
        weights: &Tensor<f32>,
        y: &mut Tensor<f32>,
    ) -> Result<Self> {
        let Convolution { count, channels, filters, image, window, step, padding, dilation, bias, .. } = convolution;
        let refused = |expected: &str, found: String| Error::ArgumentMismatch {
            kernel: "convolution".into(),
            param: "`convolution`".to_owned(),
            expected: expected.to_owned(),
            found,
        };
        let Some([width, height]) = convolution.result() else {
            let found = format!(
                "windows of {window:?}, {dilation:?} and {step:?} apart, in {image:?} with a padding of {padding:?}"
            );
            return Err(refused("windows that fit into the images with their padding", found));
        };
        let product = |sides: &[u32]| {
            sides
                .iter()
                .try_fold(1u32, |product, side| product.checked_mul(*side))
                .ok_or_else(|| refused("as many elements as a `u32` counts", format!("{sides:?}")))
        };
        let depth = product(&[channels, window[0], window[1]])?;
        let columns = product(&[width, height])?;
        expect_len("convolving", (2, "x"), x, product(&[count, channels, image[0], image[1]])? as usize)?;
        expect_len("convolving with", (3, "weights"), weights, product(&[filters, depth])? as usize)?;
        expect_len("convolving into", (4, "y"), y, product(&[count, filters, columns])? as usize)?;
        if let Some(bias) = bias {
            expect_len("a number for each filter in", (1, "bias"), bias, filters as usize)?;
        }
        let (mut stages, mgr) = (Stages::new("convolution"), y.manager());
        if count == 0 || filters == 0 {
            return Ok(Self(stages));
        }
        let plane = image[0].wrapping_mul(image[1]);
        let tap = |k: u32| {
            let (channel, rest) = (k / (window[0] * window[1]), k % (window[0] * window[1]));
            let (tap_x, tap_y) = (rest % window[0] * dilation[0], rest / window[0] * dilation[1]);
            uvec4(tap_x, tap_y, channel * plane + tap_y.wrapping_mul(image[0]).wrapping_add(tap_x), 0)
        };
        // No list is empty.
        let taps: Vec<UVec4> = if depth == 0 { vec![UVec4::MAX] } else { (0..depth).map(tap).collect() };
        let (taps, none) = (mgr.tensor(&taps)?, mgr.tensor_of_len::<f32>(1)?);
        let (x, weights) = if depth == 0 { (&none, &none) } else { (x, weights) };
        let mut first = 0;
        while first < count {
            let part = (count - first).min(AXIS);
            let grid = Grid::groups([columns.div_ceil(PLACES), filters.div_ceil(FILTERS), part]);
            let arguments = |args: KernelArgs| {
                let args = args.value(filters).value(columns).value(depth).value(first);
                let args = args.value(UVec2::from(image)).value(channels.wrapping_mul(plane)).value(width);
                let args = args.value(UVec2::from(step)).value(UVec2::from(padding));
                args.read(&taps).read(weights).read(x).read(bias.unwrap_or(&none)).write(y)
            };
            if bias.is_some() {
                stages.launch::<ConvolveWindows<true>>(grid, arguments);
            } else {
                stages.launch::<ConvolveWindows<false>>(grid, arguments);
            }
            first += part;
        }
        if convolution.activation != Activation::Identity {
            let activation = convolution.activation as u32;
            stages.launch::<Activate>(lines::items(y.len()), |args| args.value(activation).write(y));
        }
        Ok(Self(stages))
    }
}
