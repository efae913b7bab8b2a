//! What implements a kernel: descriptor and host twin. What the macro would have to say for each kernel is said here once.

/// `unsafe impl Kernel for Saxpy { … }`: the name of the dispatch type, what the twin calls its invocation, and the method that runs
/// it; types that must be `GpuData`; the table of sites; the twin's parameters, each with how its argument is taken out;
/// the descriptor's fields, and the arguments that give the others; the twin's body. What only some kernels have comes last:
/// items before all, generic parameters and arguments of the implementation, its further items, and generic
/// parameters, arguments and `where` clauses of the twin.
#[doc(hidden)]
#[macro_export]
macro_rules! __implementation {
    (
        $name:ident $invocation:ident $run:ident
        [$($asserted:ty),*]
        [$($file:literal $($kind:ident $line:literal $column:literal $text:literal),*)?]
        [$($param:ident $(($mutable:tt))? : $ty:ty = $take:ident $(<$element:ty>)? $position:literal),*]
        { $($field:tt)* } ($($new:tt)*) $body:tt
        $(
            [$($before:tt)*] [$($params:tt)*] [$($args:tt)*] [$($item:tt)*]
            [$($generics:tt)*] [$($turbofish:tt)*] [$($clauses:tt)*]
        )?
    ) => {
        const _: () = {
            #[allow(unused_imports)]
            use $crate::__private::{descriptor as __descriptor, twin::{self as __twin, names::*}};

            $(const __SITES: &[__Site] = &[$(__Site::new(__SiteKind::$kind, $file, $line, $column, $text)),*];)?
            $($($before)*)?

            const _: fn() = || {
                fn assert_gpu_data<T: $crate::__private::data::GpuData>() {}
                $(assert_gpu_data::<$asserted>();)*
            };

            // SAFETY: both sides come from one checked tree, with every access in range or checked where it happens.
            unsafe impl $($($params)*)? $crate::__private::kernel::Kernel for $name $($($args)*)? {
                const DESCRIPTOR: &'static __Descriptor = &__Descriptor { $($field)* ..__Descriptor::new($($new)*) };

                $($($item)*)?

                fn host(args: &__twin::HostArgs<'_>, group: __twin::HostGroup<'_>) {
                    #[allow(warnings, clippy::all)]
                    #[inline(always)]
                    fn __gridwise_twin $($($generics)*)? (
                        $invocation: &__twin::Invocation<'_>,
                        $($($mutable)? $param: $ty),*
                    ) $($($clauses)*)? $body

                    $(let $param = args.$take $(::<$element>)? ($position);)*
                    group.$run(|$invocation| __gridwise_twin $($($turbofish)*)? ($invocation, $($param),*));
                }
            }
        };
    };
}

/// That `Vec4` lies in memory as the compiler assumes.
#[doc(hidden)]
#[macro_export]
macro_rules! __vec4_assertion {
    () => {
        const _: () = ::core::assert!(
            ::core::mem::size_of::<$crate::__private::glam::Vec4>() == 16
                && ::core::mem::align_of::<$crate::__private::glam::Vec4>() == 16,
            "gridwise needs glam's `Vec4` to be 16 bytes, 16 byte aligned: build glam with SIMD (without `scalar-math`)",
        );
    };
}

pub use __implementation as implementation;
pub use __vec4_assertion as vec4_assertion;
