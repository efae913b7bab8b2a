//! The checks of `backward`: lengths of adjoints, and grids of kernels that add to elements of their own.

use gridwise_runtime::{AnyGrid, Error, Result};

/// Checks that an adjoint has as many elements as its parameter.
///
/// # Errors
/// When it has not.
pub fn same_length(_parameter: &str, expected: usize, adjoint: &str, found: usize) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    Err(Error::LengthMismatch { operation: "gradient", tensor: adjoint.into(), expected, found })
}

/// The grid, which has to be a line: the gradient is added to the element with the invocation's number along x.
///
/// # Errors
/// When it has a second axis, or lies on the device, so that nobody knows.
pub fn line(kernel: &'static str, grid: AnyGrid) -> Result<AnyGrid> {
    if grid.is_line() { Ok(grid) } else { Err(Error::GradientGrid { kernel }) }
}
