//! Parallel algorithms over tensors, as operations that a sequence records like any other: [`OpReduce`], [`OpScan`],
//! [`OpHistogram`], [`OpSort`], [`OpMerge`], [`OpTopK`], [`OpSelect`], [`OpUnique`], [`OpRunLengths`], [`OpRandom`],
//! [`OpTranspose`], [`OpGemm`], [`OpSpmv`], [`OpConvolve`], [`OpSoftmax`], [`OpFft`]. [`Philox`] makes random numbers in kernels.
//!
//! ```
//! use gridwise::algorithms::OpReduce;
//! use gridwise::prelude::*;
//!
//! fn main() -> gridwise::Result<()> {
//!     let mgr = Manager::new()?;
//!     let x = mgr.tensor(&[3.0f32, 4.0, 5.0])?;
//!     let mut total = mgr.tensor_of_len::<f32>(1)?;
//!     let seq = mgr.sequence()?;
//!     seq.record(OpReduce::sum(&x, &mut total)?)?.eval()?;
//!     assert_eq!(total.get(0)?, 12.0);
//!     Ok(())
//! }
//! ```
//!
//! Each operation supports every length, zero included, and every device. Its constructor checks the lengths and
//! allocates the work space; the documentation of each operation states the size. The work space lives as long as a
//! sequence that recorded the operation. All operations are ordinary `#[kernel]` functions and use only the public
//! interface.

#![expect(unreachable_pub, reason = "sealed traits name the kernels")]

mod chained;
mod convolve;
mod fft;
mod gemm;
mod histogram;
mod lines;
mod long;
mod merge;
mod progress;
mod random;
mod reduce;
mod rows;
mod runs;
mod scan;
mod segments;
mod select;
mod softmax;
mod sort;
mod sparse;
mod stages;
mod sweep;
mod top;
mod transpose;

pub use convolve::{Convolution, OpConvolve};
pub use fft::OpFft;
pub use gemm::{Activation, BatchedGemm, Factor, GemmShape, Matrices, OpGemm};
pub use histogram::{Countable, OpHistogram};
pub use merge::OpMerge;
pub use progress::Progress;
pub use random::philox::Philox;
pub use random::{Normal, OpRandom, Uniform};
pub use reduce::{OpReduce, Reducible};
pub use runs::{OpRunLengths, OpUnique};
pub use scan::{OpScan, Scannable};
pub use select::OpSelect;
pub use softmax::OpSoftmax;
pub use sort::{OpSort, SortKey};
pub use sparse::{OpSpmv, SparseRows, SparseValue};
pub use top::OpTopK;
pub use transpose::OpTranspose;

use crate::{Error, GpuData, Kernel, Plain, Result, Tensor, TensorName};

/// Elements of four bytes that are moved about and not looked at: `u32`, `i32`, `f32`.
pub trait Word: Plain + sealed::Word {}

impl Word for u32 {}
impl Word for i32 {}
impl Word for f32 {}

/// The parts of the element traits that only this module implements.
mod sealed {
    use super::gemm::{Many, Product};
    use super::stages::Stages;
    use super::{GpuData, Kernel, Plain, Result, SparseRows, Tensor};
    use crate::Manager;

    pub trait Word {
        const IS_FLOAT: bool;
    }

    impl Word for u32 {
        const IS_FLOAT: bool = false;
    }

    impl Word for i32 {
        const IS_FLOAT: bool = false;
    }

    impl Word for f32 {
        const IS_FLOAT: bool = true;
    }

    pub trait Uniform {
        /// As many elements as a block of random words gives.
        type Block: Plain;
        type Uniform: Kernel;
        type UniformRest: Kernel;
    }

    pub trait Normal {
        type Normal: Kernel;
        type NormalRest: Kernel;
    }

    pub trait Strided {
        type Strided<const BIAS: u32>: Kernel;

        /// Appends products of whole tiles; false where they are not, or the device has no fast way.
        fn multiply_many(stages: &mut Stages, many: &mut Many<'_, Self>) -> Result<bool>
        where
            Self: GpuData;
    }

    pub trait Sparse: Segments + Plain {
        /// Appends a product in one pass; false where there is none.
        fn multiply_chained(
            stages: &mut Stages,
            matrix: &SparseRows<'_, Self>,
            factors: [Self; 2],
            x: &Tensor<Self>,
            y: &mut Tensor<Self>,
        ) -> Result<bool> {
            let _ = (stages, matrix, factors, x, y);
            Ok(false)
        }

        type MultiplyRows: Kernel;
        type FinishRows: Kernel;
    }

    pub trait Segments {
        type SegmentTiles<const OP: u32>: Kernel;
        type SegmentScan<const OP: u32, const INCLUSIVE: bool>: Kernel;
        type SegmentEnds: Kernel;
    }

    pub trait Rows {
        type ReduceRows<const OP: u32>: Kernel;
    }

    pub trait Long {
        type Reduce<const OP: u32>: Kernel;
        type Join<const OP: u32>: Kernel;
    }

    pub trait Chained {
        type Vectors: Plain;
        type ScanChained<const INCLUSIVE: bool, const MARKS: bool>: Kernel;
        type ScanRest<const INCLUSIVE: bool, const MARKS: bool>: Kernel;
    }

    pub trait Runs {
        type Vectors: Plain;
        type ReduceRuns<const OP: u32>: Kernel;
        type JoinRuns<const OP: u32>: Kernel;
    }

    pub trait Reduce {
        type Vector: Plain;
        type Sum: Kernel;
        type Min: Kernel;
        type Max: Kernel;
    }

    pub trait Scan {
        type TileSums: Kernel;
        type ScanTiles: Kernel;

        /// Appends a scan in one pass, in which workgroups wait for each other; false where there is none.
        fn scan_in_one_pass(
            stages: &mut Stages,
            mgr: &Manager,
            x: &Tensor<Self>,
            sums: &mut Tensor<Self>,
            is_inclusive: bool,
        ) -> Result<bool>
        where
            Self: GpuData,
        {
            let _ = (stages, mgr, x, sums, is_inclusive);
            Ok(false)
        }
    }

    pub trait Count {
        type Count: Kernel;
        /// For elements that are bytes and all have a bin of their own.
        type CountBytes: Kernel;
        type CountAnywhere: Kernel;
    }

    pub trait Multiply: GpuData {
        /// Appends what computes a product on a device.
        fn multiply(mgr: &Manager, product: &mut Product<'_, Self>) -> Result<()>;
    }

    pub trait Order {
        /// 0: unsigned, 1: signed, 2: float.
        const ORDER: u32;
    }
}

/// Makes a type around [`stages::Stages`] an operation.
macro_rules! operation {
    ($name:ident) => {
        impl crate::Op for $name {
            fn name(&self) -> &str {
                self.0.name()
            }

            fn accesses(&self) -> Vec<crate::ops::Access> {
                self.0.accesses()
            }

            fn record(&self, recorder: &mut crate::ops::Recorder<'_>) -> crate::Result<()> {
                self.0.record(recorder)
            }
        }
    };
}
use operation;

/// Refuses a tensor of another length; `place` is its position among the arguments, from 1, and the parameter.
fn expect_len<T: crate::GpuData>(
    operation: &'static str,
    (position, param): (u32, &str),
    tensor: &Tensor<T>,
    expected: usize,
) -> Result<()> {
    if tensor.len() == expected {
        return Ok(());
    }
    let (found, place) = (tensor.len(), format!("argument {position}, `{param}`"));
    Err(Error::LengthMismatch { operation, tensor: TensorName::from(tensor.name()).at(place), expected, found })
}

#[cfg(test)]
mod tests {
    use super::runs::{firsts, heads};
    use super::sealed::{Chained, Count, Reduce, Runs, Scan};
    use super::{Kernel, merge, rows, scan, sweep};

    /// Whether a kernel checks indices where it runs, which takes a record to be looked at after each launch.
    fn checks<K: Kernel>() -> bool {
        let found = K::DESCRIPTOR.trap_binding.is_some();
        if found {
            eprintln!("{}: {:?}", K::DESCRIPTOR.name, K::DESCRIPTOR.sites);
        }
        found
    }

    #[test]
    fn no_index_is_checked_on_the_device() {
        let found = [
            checks::<<u8 as Count>::Count>(),
            checks::<<u8 as Count>::CountBytes>(),
            checks::<<u32 as Count>::Count>(),
            checks::<<u32 as Count>::CountAnywhere>(),
            checks::<<f32 as Reduce>::Sum>(),
            checks::<<f32 as Scan>::TileSums>(),
            checks::<<f32 as Scan>::ScanTiles>(),
            checks::<scan::ScanOnceU32<true, 32>>(),
            checks::<<u32 as Chained>::ScanChained<true, false>>(),
            checks::<heads::FindHeads<0>>(),
            checks::<heads::FindHeads<2>>(),
            checks::<firsts::PickFirsts<true>>(),
            checks::<<f32 as Runs>::ReduceRuns<0>>(),
            checks::<<f32 as Runs>::JoinRuns<0>>(),
            checks::<merge::SplitTiles>(),
            checks::<merge::MergeTiles<true>>(),
            checks::<rows::SplitRows>(),
            checks::<sweep::CountAllDigits<0>>(),
            checks::<sweep::StartDigits>(),
            checks::<sweep::SweepDigits<256, 0, true>>(),
        ];
        assert!(!found.contains(&true), "{found:?}");
    }
}
