//! The guide: chapters that are read in a browser and run as tests. It holds no code.
//!
//! Read the first four chapters in their order. The others stand by themselves.
//!
//! | chapter | about |
//! | --- | --- |
//! | [`first_kernel`] | a whole program, line by line |
//! | [`tensors_and_sequences`] | data, recordings, evaluation, errors |
//! | [`grids_and_workgroups`] | positions, sizes, `Grid::items` and `Grid::groups` |
//! | [`shared_memory_and_barriers`] | invocations that work together |
//! | [`reductions`] | a sum in seven steps, with the time of each |
//! | [`images`] | texels, formats, samplers |
//! | [`atomics`] | counters, lists of unknown length, orderings |
//! | [`generics_and_traits`] | type parameters, const parameters, traits |
//! | [`panics_and_prints`] | what kernels report, and how to debug them |
//! | [`races`] | conditions of launches, accesses in any order, `unsafe` kernels |
//! | [`profiling`] | times, and the page of `gridwise-inspect` |
//! | [`several_queues`] | work side by side, streams, calls of the host |
//! | [`several_devices`] | several managers: copies between them, memory of the host |
//! | [`gradients`] | differentiated kernels: `#[kernel(grad(…))]` and `backward` |
//! | [`several_machines`] | MPI: ranks, halos, reductions |
//! | [`from_cuda`], [`from_glsl`], [`from_kompute`], [`from_cubecl`] | your word and ours |
//! | [`python`] | Kompute's `kp`, arrays, and Rust kernels from Python |
//!
//! Three references belong to it: [the language](language) with each feature of Rust in kernels, [the errors](errors) with a wrong and a
//! right example for each code, and [Kompute's names](kompute).

macro_rules! chapters {
    ($($(#[$attribute:meta])* $name:ident $file:literal $title:literal)+) => { $(
        $(#[$attribute])*
        #[doc = $title]
        #[doc = ""]
        #[doc = include_str!(concat!("../docs/", $file))]
        pub mod $name {}
    )+ };
}

chapters! {
    first_kernel "guide/01-first-kernel.md" "A whole program, line by line."
    tensors_and_sequences "guide/02-tensors-and-sequences.md" "Data, recordings, evaluation, errors."
    grids_and_workgroups "guide/03-grids-and-workgroups.md" "Positions and sizes of invocations."
    shared_memory_and_barriers "guide/04-shared-memory-and-barriers.md" "Invocations that work together."
    reductions "guide/05-reductions.md" "A sum in seven steps."
    images "guide/06-images.md" "Texels, formats, samplers."
    atomics "guide/07-atomics.md" "Counters and lists of unknown length."
    generics_and_traits "guide/08-generics-and-traits.md" "Type parameters, const parameters, traits."
    panics_and_prints "guide/09-panics-and-prints.md" "Reports of kernels, and debugging."
    profiling "guide/10-profiling.md" "Times, and the page of `gridwise-inspect`."
    #[allow(rustdoc::broken_intra_doc_links, reason = "tables have code with indices, which look like links")]
    races "guide/20-races.md" "What is proven of a kernel, and what launches must keep."
    several_queues "guide/11-several-queues.md" "Work side by side."
    several_devices "guide/19-several-devices.md" "Several managers, and copies between them."
    several_machines "guide/16-several-machines.md" "Ranks of an MPI program."
    #[allow(rustdoc::broken_intra_doc_links, reason = "tables have code with indices, which look like links")]
    gradients "guide/18-gradients.md" "Kernels that are derived, operation by operation."
    from_cuda "guide/12-from-cuda.md" "CUDA's words and ours."
    from_glsl "guide/13-from-glsl.md" "GLSL's words and ours."
    from_kompute "guide/14-from-kompute.md" "What changes when a program moves from Kompute."
    from_cubecl "guide/15-from-cubecl.md" "CubeCL's words and ours."
    python "guide/17-python.md" "Kompute's `kp`, arrays, and Rust kernels from Python."
    #[allow(rustdoc::broken_intra_doc_links, reason = "tables have code with indices, which look like links")]
    language "language.md" "Rust in kernels, row by row."
    errors "errors.md" "Every error of the macros, with a wrong and a right example."
    kompute "kompute.md" "Each class, method and operation of Kompute."
}
