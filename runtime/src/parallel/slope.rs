//! The words that a kernel has for its derivation: values that count as constants, and slopes of the author's own.

/// `value`, through which no gradient flows.
///
/// Differentiation treats it as a constant. Everywhere else it is the value.
///
/// ```
/// use gridwise::prelude::*;
///
/// /// `score` by the largest score, which stands for a scale and not for an input.
/// #[device]
/// fn scaled(score: f32, largest: f32) -> f32 {
///     score / detach(largest)
/// }
/// ```
#[inline]
pub fn detach<T>(value: T) -> T {
    value
}

/// `value`, with `slope` as its derivative by `x`. Differentiation ignores the code that computed `value`.
///
/// `x` and `slope` are floats, or vectors whose lanes belong together. A value with several variables is a sum of such values.
/// Everywhere else it is `value`.
///
/// ```
/// use gridwise::prelude::*;
///
/// /// Whether `x` is positive, with the slope of a smooth step.
/// #[device]
/// fn step(x: f32) -> f32 {
///     let hard = if x > 0.0 { 1.0 } else { 0.0 };
///     let soft = 1.0 / (1.0 + (-x).exp());
///     with_slope(hard, x, soft * (1.0 - soft))
/// }
/// ```
#[inline]
pub fn with_slope<T, X>(value: T, x: X, slope: X) -> T {
    let _ = (x, slope);
    value
}
