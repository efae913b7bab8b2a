//! The dispatch type of a kernel, made from its signature: the code that all kernels share, so that the macro generates
//! it for none.

/// `struct Saxpy;` with `fn dispatch`. Attributes and generic parameters come last, if there are any.
#[doc(hidden)]
#[macro_export]
macro_rules! __dispatch_type {
    (
        $vis:vis $name:ident $kernel:ident $dispatch:ident ($($param:tt)*) ($($value:tt)*) ($($push:tt)*)
        $([$($attr:tt)*] [$($cfg:tt)*] [$($defaults:tt)*] [$($params:tt)*] [$($args:tt)*])?
    ) => {
        $($($attr)*)?
        // A paragraph of its own, behind the author's.
        #[doc = concat!("\n\nLaunches the kernel `", stringify!($kernel), "`: see [`dispatch`](Self::dispatch).")]
        #[derive(Debug, Clone, Copy)]
        #[allow(non_camel_case_types)]
        $vis struct $name $($($defaults)*)?;

        $($($cfg)*)?
        impl $($($params)*)? $name $($($args)*)? {
            #[doc = concat!("Records a launch of the kernel `", stringify!($kernel), "` into `seq`, and gives that back.")]
            ///
            /// # Errors
            /// When an argument belongs to another manager or is used already, or when the device cannot run the kernel.
            #[allow(dead_code, unused_imports, clippy::too_many_arguments)]
            $vis fn $dispatch<'__seq>(
                seq: &'__seq $crate::__private::Sequence,
                grid: impl ::core::convert::Into<$crate::__private::AnyGrid>,
                $($param)*
            ) -> $crate::__private::Result<&'__seq $crate::__private::Sequence> {
                use $crate::__private::launch::NoKernel as _;
                let args = $crate::__private::launch::LaunchOf::<Self>::NEW.args() $($push)*;
                seq.dispatch(grid, args)
            }

            /// `dispatch` of values only: one type, for who takes a kernel as a function.
            #[doc(hidden)]
            #[inline]
            #[allow(dead_code, unused_imports, clippy::too_many_arguments)]
            $vis fn __dispatch<'__seq>(
                seq: &'__seq $crate::__private::Sequence,
                grid: $crate::__private::Grid,
                $($value)*
            ) -> $crate::__private::Result<&'__seq $crate::__private::Sequence> {
                use $crate::__private::launch::NoKernel as _;
                let args = $crate::__private::launch::LaunchOf::<Self>::NEW.args() $($push)*;
                seq.dispatch(grid, args)
            }
        }
    };
}

pub use __dispatch_type as dispatch_type;
