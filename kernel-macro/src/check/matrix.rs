//! Where matrices of subgroups may be loaded and stored.

use crate::diag::{Diagnostics, code};
use crate::program::{ItemId, Program, TypedItem};

// Rule: a device function is handed slices of arrays, too, from which no matrix comes.
// Example: `#[device] fn f(x: &[f16]) { CoopMatrix::<f16, MatrixA, 16, 16>::load(x, 0, 16, RowMajor); }`
pub(super) fn check_device_matrices(program: &Program, item: ItemId, diags: &mut Diagnostics) {
    let TypedItem::Fn(typed) = &program.items[item].typed else { return };
    for memory in &typed.matrix_memory {
        diags
            .error(code::MATRIX_USE, *memory, "matrices are loaded and stored by the kernel itself")
            .note("a slice that a device function is handed may be one of an array, which devices load no matrix from")
            .help("load it in the kernel and pass the matrix");
    }
}
