//! `tune` of a kernel with lists of const arguments: the code that all such kernels share, so that the macro generates
//! it for none.

/// `tune` and `dispatch_tuned` of a dispatch type, at the first of its candidates.
#[doc(hidden)]
#[macro_export]
macro_rules! __tuning {
    (@safety unsafe) => { "\n# Safety\nAs `dispatch`." };
    ([$($safety:tt)?] { $($launch:tt)* } $vis:vis $name:ident ($($param:tt)*) ($($push:tt)*) [$($cfg:tt)*] [$($first:tt)*] $([$($args:tt)*])*) => {
        $($cfg)*
        impl $name<$($first)*> {
            /// Tries the listed const arguments on the device, with these tensors, which keep their contents, and remembers the
            /// fastest on disk. `grid` is asked with the values of the const parameters, in their order.
            ///
            /// # Errors
            /// When no candidate can run on this device, an argument does not fit, or a launch panics.
            $(#[doc = $crate::__tuning!(@safety $safety)])?
            #[allow(dead_code, unused_imports, clippy::too_many_arguments)]
            $vis $($safety)? fn tune(
                mgr: &$crate::__private::Manager,
                grid: impl ::core::ops::Fn(&[::core::primitive::u64]) -> $crate::__private::Grid,
                $($param)*
            ) -> $crate::__private::Result<$crate::__private::Tuned> {
                use $crate::__private::launch::NoKernel as _;
                const CANDIDATES: &[$crate::__private::Candidate] =
                    &[$($crate::__private::Candidate::of::<$name<$($args)*>>()),*];
                mgr.tune(CANDIDATES, grid, $($launch)* $($push)*)
            }

            /// Records a launch with the const arguments that [`tune`](Self::tune) found.
            ///
            /// # Errors
            /// As `dispatch`.
            $(#[doc = $crate::__tuning!(@safety $safety)])?
            #[allow(dead_code, unused_imports, clippy::too_many_arguments)]
            $vis $($safety)? fn dispatch_tuned<'__seq>(
                tuned: &$crate::__private::Tuned,
                seq: &'__seq $crate::__private::Sequence,
                grid: $crate::__private::Grid,
                $($param)*
            ) -> $crate::__private::Result<&'__seq $crate::__private::Sequence> {
                use $crate::__private::launch::NoKernel as _;
                let args = $($launch)* $($push)*;
                seq.dispatch(grid, tuned.args(args)?)
            }
        }
    };
}

pub use __tuning as tuning;
