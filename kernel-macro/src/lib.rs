//! `#[kernel]`, `#[device]` and `#[derive(GpuData)]`: tokens → AST → gather → infer → check → IR → SPIR-V → generated items.

mod ast;
mod attribute;
mod builtin;
mod check;
mod diag;
mod dump;
mod emit;
mod expand;
mod gather;
mod guard;
mod infer;
mod krate;
mod lower;
mod parse;
mod program;
mod source;
mod spirv_file;
mod typed;

use proc_macro::TokenStream;

use guard::guarded;

/// Makes a function a GPU kernel.
///
/// The function stays Rust and is checked by rustc; beside it stands a type, named like the function in CamelCase, whose
/// `dispatch` launches the kernel. `workgroup = N`, `[X, Y]` or `[X, Y, Z]` sets the invocations per workgroup (64 when
/// left out); each size is a number, a `#[device] const` or a const parameter of the kernel. `subgroup = N` asks for
/// subgroups of N invocations. `subnormals` asks for a device that keeps subnormal numbers of all floats that the kernel has; recording a launch
/// on another one is an error.
///
/// # Items per invocation
///
/// A kernel whose items each access elements of their own, `y[i] += a * x[i]` with `i = global_id().x`, runs several items
/// per invocation where a launch allows it, so that their elements are loaded and stored as vectors. Nothing else changes: `global_id()`
/// is the item's. The compiler chooses the number, and launches of fewer than 16,384 items run one; `items_per_invocation = N` asks for
/// 1, 2, 4 or 8 in launches of any size, and is an error where the kernel could tell the difference.
///
/// # Const parameters
///
/// The values of a kernel's const parameters are chosen where it is dispatched. They may be workgroup sizes, lengths of
/// arrays (then of type `usize`, as everywhere in Rust), bounds of loops and plain values, and may be passed on to generic
/// device functions. `NAME = value` in the attribute gives a default, which `<Type>::dispatch` takes:
///
/// ```ignore
/// #[kernel(workgroup = N, N = 256)]
/// fn reduce<const N: usize>(x: &[u32], sums: &mut [u32]) {
///     let tile = Shared::<[u32; N]>::new();
///     let l = local_index();
///     tile[l] = x[global_id().x];
///     barrier();
///     let mut stride = N as u32 / 2;
///     while stride > 0 {
///         if l < stride {
///             tile[l] += tile[l + stride];
///         }
///         barrier();
///         stride /= 2;
///     }
///     if l == 0 {
///         sums[workgroup_id().x] = tile[0];
///     }
/// }
///
/// Reduce::<64>::dispatch(&seq, Grid::items(1024), &x, &mut sums)?;
/// <Reduce>::dispatch(&seq, Grid::items(1024), &x, &mut sums)?;
/// ```
///
/// A size of 0, and a workgroup of more than 1024 invocations, do not compile; what one device lacks is an error of the
/// dispatch.
///
/// # Type parameters
///
/// A kernel's type parameters stand for the types that its attribute lists, `NAME = [types]`: it is compiled for each of them, or
/// for each combination where there are several (64 at most). Bounds are Rust's, as for any generic function. The dispatch
/// type has the same parameters, which the arguments tell; a type that is not listed does not compile. Beside it stands a
/// trait, here `ScaleTypes`, which the listed types implement, for functions that launch the kernel and are generic themselves:
///
/// ```ignore
/// #[kernel(T = [f32, u32, Vec3])]
/// fn scale<T: Copy + Mul<Output = T>>(x: &mut [T], k: T) {
///     let i = global_id().x;
///     x[i] = x[i] * k;
/// }
///
/// Scale::dispatch(&seq, Grid::items(1024), &mut x, 1.5)?;
/// Scale::<u32>::dispatch(&seq, Grid::items(1024), &mut y, 3)?;
/// ```
#[proc_macro_attribute]
pub fn kernel(attr: TokenStream, item: TokenStream) -> TokenStream {
    guarded([attr.into(), item.into()], |[attr, item]| expand::kernel(attr, item)).into()
}

/// Makes a function or const usable in kernels, also those of other modules and crates: one `use` imports both sides.
#[proc_macro_attribute]
pub fn device(attr: TokenStream, item: TokenStream) -> TokenStream {
    guarded([attr.into(), item.into()], |[attr, item]| expand::device(attr, item)).into()
}

/// Lets a `#[repr(C)]` struct lie in buffers and travel as a parameter.
#[proc_macro_derive(GpuData, attributes(__gridwise_member))]
pub fn gpu_data(item: TokenStream) -> TokenStream {
    guarded([item.into()], |[item]| expand::gpu_data(item)).into()
}

/// Makes a type of a compiled SPIR-V module, whose `dispatch` has the module's own parameters, by reading the file while the
/// program is compiled: push constants by value, then buffers as tensors, in the order of their bindings.
///
/// The path is relative to the source file. The type is named like the file, or as said: `include_spirv!("a.spv" as Name)`. Its
/// specialization constants are the fields of a second type, `NameConstants`.
///
/// ```ignore
/// include_spirv!("shaders/scale.spv");
///
/// // SAFETY: the shader writes below `count` only.
/// let scale = unsafe { Scale::new(&mgr, ScaleConstants { factor: 3.0, ..Default::default() }) }?;
/// scale.dispatch(&seq, Grid::items(1024), 1024, 0.5, &from, &mut to)?;
/// ```
///
/// What is no module, or asks for more than buffers in set 0, does not compile.
#[proc_macro]
pub fn include_spirv(tokens: TokenStream) -> TokenStream {
    let file = tokens.clone().into_iter().next().and_then(|token| token.span().local_file());
    let folder = file.and_then(|file| file.parent().map(std::path::Path::to_owned));
    guarded([tokens.into()], |[tokens]| spirv_file::include(tokens, folder)).into()
}

/// The callback of gathering. For the macros themselves only. Its name is for rustc to show, where a name has no macro.
#[doc(hidden)]
#[proc_macro]
pub fn names_in_kernels_need_the_device_attribute(tokens: TokenStream) -> TokenStream {
    guarded([tokens.into()], |[tokens]| expand::resume(tokens)).into()
}

/// The same, where a name is that of one of Rust's constants.
#[doc(hidden)]
#[proc_macro]
pub fn imported_constants_need_their_whole_path_in_kernels(tokens: TokenStream) -> TokenStream {
    guarded([tokens.into()], |[tokens]| expand::resume(tokens)).into()
}
