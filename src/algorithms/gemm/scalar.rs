//! Products of matrices that lie as they are, for devices and sizes that nothing faster takes.

use super::tiled::{OWN, SLICE, TILE, tiled};
use crate::prelude::*;

/// The kernel for a type of factors.
macro_rules! multiply {
    ($name:ident, $ty:ident, |$value:ident| $as_f32:expr) => {
        tiled! {
            fn $name[](rows, columns, depth, alpha: f32, beta: f32, a: &[$ty], b: &[$ty], c: &mut [f32]),
            by_rows false,
            left |row, k| {
                let $value = a[row * depth + k];
                $as_f32
            },
            right |k, column| {
                let $value = b[k * columns + column];
                $as_f32
            },
            result |row, column, sum| {
                let at = row * columns + column;
                let product = alpha * sum;
                c[at] = if beta == 0.0 { product } else { product + beta * c[at] };
            }
        }
    };
}

multiply!(multiply, f32, |value| value);
multiply!(multiply_f16, f16, |value| value.to_f32());
multiply!(multiply_bf16, bf16, |value| value.to_f32());
