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

/// The grid, which has to be a line: each invocation adds to elements that it has by its number along x.
///
/// # Errors
/// When it has a second axis, or lies on the device, so that nobody knows.
pub fn line(kernel: &'static str, grid: AnyGrid) -> Result<AnyGrid> {
    if grid.is_line() { Ok(grid) } else { Err(Error::GradientGrid { kernel }) }
}

/// Checks that 32 bits count the elements to which invocations add, so that each has its own.
///
/// # Errors
/// When they do not.
pub fn fits(kernel: &'static str, number: u128, limit: u128) -> Result<()> {
    if number < limit { Ok(()) } else { Err(Error::GradientGrid { kernel }) }
}

/// The invocations of a line, in workgroups of `width`.
pub fn items(grid: &AnyGrid, width: u32) -> u128 {
    grid.line_items(width).unwrap_or(u128::MAX)
}
