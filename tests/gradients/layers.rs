//! Kernels with cooperative matrices, in the shapes of a software device and of GPUs.

use gridwise::prelude::*;

macro_rules! of_shape {
    ($s:literal: $linear:ident, $all_tiles:ident, $operators:ident) => {
        /// `y = x w + bias`, a tile for each workgroup; the bias is the same in all rows.
        #[kernel(workgroup = 32, grad(x, w, bias))]
        pub fn $linear(width: u32, depth: u32, x: &[f16], w: &[f16], bias: &[f32], y: &mut [f32]) {
            let (row, column) = (workgroup_id().y * $s, workgroup_id().x * $s);
            if subgroup_id() == 0 {
                let mut sum = CoopMatrix::<f32, Accumulator, $s, $s>::load(bias, column, 0, RowMajor);
                for k in 0..depth / $s {
                    let left = CoopMatrix::<f16, MatrixA, $s, $s>::load(x, row * depth + k * $s, depth, RowMajor);
                    let right = CoopMatrix::<f16, MatrixB, $s, $s>::load(w, k * $s * width + column, width, RowMajor);
                    sum = left.mul_add(right, sum);
                }
                sum.store(y, row * width + column, width, RowMajor);
            }
        }

        /// `y = xᵀ w` of tiles that stand one after another, each subgroup several of them.
        #[kernel(workgroup = 64, grad(x, w))]
        pub fn $all_tiles(tiles: u32, x: &[f16], w: &[f16], y: &mut [f32]) {
            let mut tile = workgroup_id().x * num_subgroups() + subgroup_id();
            while tile < tiles {
                let at = tile * $s * $s;
                let left = CoopMatrix::<f16, MatrixA, $s, $s>::load(x, at, $s, ColumnMajor);
                let right = CoopMatrix::<f16, MatrixB, $s, $s>::load(w, 0, $s, RowMajor);
                let sum = left.mul_add(right, CoopMatrix::<f32, Accumulator, $s, $s>::splat(0.0));
                // SAFETY: each tile belongs to one subgroup.
                unsafe { sum.store(y.unordered(), at, $s, ColumnMajor) };
                tile += num_workgroups().x * num_subgroups();
            }
        }

        /// Sums, differences, multiples, conversions, columns, and factors that are computed.
        #[kernel(workgroup = 32, grad(x, w, c))]
        pub fn $operators(scale: f32, x: &[f16], w: &[f16], c: &[f32], y: &mut [f32], z: &mut [f16]) {
            if subgroup_id() == 0 {
                let left = CoopMatrix::<f16, MatrixA, $s, $s>::load(x, 0, $s, RowMajor);
                let right = CoopMatrix::<f16, MatrixB, $s, $s>::load(w, 0, $s, ColumnMajor);
                let start = CoopMatrix::<f32, Accumulator, $s, $s>::load(c, 0, $s, RowMajor);
                let sum = (left + left * f16::from_f32(2.0)).mul_add(-right, start - start * scale);
                (sum.column_sum() - sum).store(y, 0, $s, RowMajor);
                let half = left.mul_add(right, CoopMatrix::<f16, Accumulator, $s, $s>::splat(f16::ONE));
                half.store(z, 0, $s, RowMajor);
            }
        }
    };
}
of_shape!(8: linear_8, all_tiles_8, operators_8);
of_shape!(16: linear_16, all_tiles_16, operators_16);
