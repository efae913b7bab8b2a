//! The implementation of a kernel, its descriptor and its host twin: the code that all kernels share, so that the macro
//! generates it for none.

/// `unsafe impl Kernel for Saxpy { … }`: the name of the dispatch type, the twin's name for its invocation, and the
/// method that runs it; types that must be `GpuData`; the file, and the table of sites in it; the parameters, each with
/// how the twin takes its argument out, and how the descriptor describes it; the launch words; the traps, obligations
/// and batches that many kernels have; fields of the descriptor that only some have, and the arguments that give the
/// others; the twin's body; the function as rustc is to check it. Parts that only some kernels have come last: items
/// before all, generic parameters and arguments of the implementation, its further items, and generic parameters,
/// arguments and `where` clauses of the twin.
#[doc(hidden)]
#[macro_export]
macro_rules! __implementation {
    (
        $name:ident $invocation:ident $run:ident
        [$($asserted:ty),*]
        $file:literal $(sites [$($kind:ident $line:literal $column:literal $text:literal),*])?
        [$(
            $param:ident $(($mutable:tt))? $take:ident $position:literal
            $maker:ident $($number:literal)* $([$($more:tt)*])? : $element:ty
        ),*]
        [$($word:ident $($operand:literal)*),*]
        $(trap $trap_binding:literal $trap_words:literal)?
        $(obligations $program:literal $traps_anyway:literal)?
        $(left $($site:literal)*)?
        $(batch $items:literal $needs:literal $is_asked:literal)?
        { $($field:tt)* }
        ($kernel:literal $at_line:literal $at_column:literal $packed:literal $size:literal $x:literal $y:literal $z:literal)
        $body:tt
        $(original [$(#[$($attr:tt)*])* $vis:vis fn $($original:tt)*])?
        $(
            [$($before:tt)*] [$($params:tt)*] [$($args:tt)*] [$($item:tt)*]
            [$($generics:tt)*] [$($turbofish:tt)*] [$($clauses:tt)*]
        )?
    ) => {
        $(
            $(#[$($attr)*])*
            // It never runs: the dispatch type does. Lints that the rendering's own shape would set off; others stay on.
            #[allow(dead_code, unused_parens, unused_braces, clippy::all, clippy::pedantic, clippy::nursery)]
            $vis fn $($original)*
        )?

        const _: () = {
            #[allow(unused_imports)]
            use $crate::__private::{descriptor as __descriptor, twin::{self as __twin, names::*}};

            // No const: rustc would make the whole table anew for each row that the twin names.
            $(static __SITES: &[__Site] = &[$(__Site::new(__SiteKind::$kind, $file, $line, $column, $text)),*];)?
            $($($before)*)?

            const _: fn() = || {
                fn assert_gpu_data<T: $crate::__private::data::GpuData>() {}
                $(assert_gpu_data::<$asserted>();)*
            };

            // SAFETY: both sides come from one checked tree, with every access in range or checked where it happens.
            unsafe impl $($($params)*)? $crate::__private::kernel::Kernel for $name $($($args)*)? {
                const DESCRIPTOR: &'static __Descriptor = &__Descriptor {
                    params: &[$(__Param::$maker(stringify!($param), $($number,)* $($($more)*)?)),*],
                    launch_words: &[$(__Word::$word($($operand),*)),*],
                    $(trap_binding: __Some($trap_binding), trap_words: $trap_words,)?
                    $(obligations: __descriptor::Obligations($program), traps_anyway: $traps_anyway,)?
                    $(sites: &[$(__SITES[$site]),*],)?
                    $(batch: __Some(__descriptor::Batch::new("batch", $items, $needs, $is_asked)),)?
                    $($field)*
                    ..__Descriptor::new(
                        $kernel, __Location::new($file, $at_line, $at_column), $packed, "main", [$x, $y, $z], $size,
                    )
                };

                $($($item)*)?

                fn host(args: &__twin::HostArgs<'_>, group: __twin::HostGroup<'_>) {
                    $crate::__private::twin_fn! { $run
                        [__gridwise_twin $($($generics)*)? (
                            $invocation: &__twin::Invocation<'_>,
                            $($($mutable)? $param: __twin::argument_types::$take<'_, $element>),*
                        ) $($($clauses)*)? $body]
                    }

                    $(let $param = args.$take::<$element>($position);)*
                    $crate::__private::run_twin! {
                        group $run $invocation [__gridwise_twin $($($turbofish)*)? ($invocation, $($param),*)]
                    }
                }
            }
        };
    };
}

/// A kernel's twin: an async function for those that run in steps.
#[doc(hidden)]
#[macro_export]
macro_rules! __twin_fn {
    (run_steps [$($twin:tt)*]) => {
        #[allow(warnings, clippy::all)]
        #[inline(always)]
        async fn $($twin)*
    };
    ($run:ident [$($twin:tt)*]) => {
        #[allow(warnings, clippy::all)]
        #[inline(always)]
        fn $($twin)*
    };
}

/// Runs a workgroup by its twin.
#[doc(hidden)]
#[macro_export]
macro_rules! __run_twin {
    ($group:ident run_steps $invocation:ident [$($call:tt)*]) => {
        $group.run_steps(async |$invocation| $($call)*.await);
    };
    ($group:ident $run:ident $invocation:ident [$($call:tt)*]) => {
        $group.$run(|$invocation| $($call)*);
    };
}

/// Asserts that `Vec4` lies in memory as the compiler assumes.
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
pub use __run_twin as run_twin;
pub use __twin_fn as twin_fn;
pub use __vec4_assertion as vec4_assertion;
