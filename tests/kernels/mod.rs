//! The corpus, by area.

pub mod abstraction;
pub mod ahead;
pub mod aliases;
pub mod apart;
pub mod arithmetic;
pub mod assumed;
pub mod batches;
pub mod beside;
pub mod best_ones;
pub mod bvh;
pub mod bytes;
pub mod carried;
pub mod chains;
pub mod characters;
pub mod choices;
pub mod choices_of_slices;
pub mod chunks;
pub mod closures;
pub mod combined;
pub mod const_functions;
pub mod constant_tables;
pub mod constants;
pub mod control;
pub mod conversions;
pub mod coop;
pub mod coop_elements;
pub mod coop_wide;
pub mod cursors;
pub mod defaults;
pub mod directions;
pub mod distinct;
pub mod diverging;
pub mod divided;
pub mod domains;
pub mod domains_boards;
pub mod domains_codes;
pub mod domains_crypto;
pub mod domains_games;
pub mod domains_math;
pub mod domains_models;
pub mod domains_newcomers;
pub mod domains_places;
pub mod domains_signals;
pub mod domains_space;
pub mod domains_streams;
pub mod domains_text;
pub mod domains_tools;
pub mod domains_types;
pub mod doubles;
pub mod drawn;
pub mod element_chains;
pub mod elements;
pub mod equality;
pub mod everyday;
pub mod everyday_data;
pub mod exchanges;
pub mod fast_math;
pub mod firsts;
pub mod float_atomics;
pub mod floats;
pub mod followed;
pub mod forms;
pub mod found_places;
pub mod generic_lengths;
pub mod generic_types;
pub mod generics;

pub mod constant_divisors;
pub mod given_iterators;
pub mod given_places;
pub mod given_slices;
pub mod glam_methods;
pub mod grid;
pub mod habits;
pub mod held_references;
pub mod held_slices;
pub mod held_traits;
pub mod idioms;
pub mod image_lists;
mod image_reference;
pub mod images;
pub mod implementations;
pub mod imported;
pub mod in_place;
pub mod indexed;
pub mod initial_arrays;
pub mod inner_names;
pub mod integers;
pub mod iterator_parameters;
pub mod iterators;
pub mod kept;
pub mod kept_ones;
pub mod kernel_types;
pub mod lanes;
pub mod lent;
pub mod lent_places;
pub mod lent_results;
pub mod lent_rows;
pub mod lent_slices;
pub mod life;
pub mod lifetimes;
pub mod lists;
pub mod lookups;
pub mod loop_divisors;
pub mod loop_traps;
pub mod loops;
pub mod marks;
pub mod matching;
pub mod matrices;
pub mod memory;
pub mod moves;
pub mod moving_slices;
pub mod narrow;
pub mod narrow_atomics;
pub mod natural;
pub mod near;
pub mod neighbours;
pub mod neutral;
pub mod numbers;
pub mod obligations;
pub mod offsets;
pub mod open_ended;
pub mod open_lengths;
pub mod operands;
pub mod ordering;
pub mod overflow;
pub mod own_iterators;
pub mod own_reverse;
pub mod own_slices;
pub mod own_totals;
pub mod own_vectors;
pub mod parallel;
pub mod parallel_programs;
pub mod parted;
pub mod passed_slices;
pub mod phrases;
pub mod ported;
pub mod programs;
pub mod qualified;
pub mod quotients;
pub mod ranges;
pub mod readme;
pub mod references;
pub mod remainders;
pub mod reports;
pub mod reversed;
pub mod rows;
pub mod saturated;
pub mod scalars;
pub mod scatter;
pub mod searches;
pub mod sha256;
pub mod slice_methods;
pub mod slice_orders;
pub mod slice_parameters;
pub mod slice_patterns;
pub mod slice_statements;
pub mod slice_tables;
pub mod slices;
pub mod solvers;
pub mod sooner;
pub mod sources;
pub mod stacks;
pub mod subgroups;
pub mod tables;
pub mod texels;
pub mod traps;
pub mod tuple_structs;
pub mod tuples_of_references;
pub mod uniformity;
pub mod unordered;
pub mod unwrapped;
pub mod vectors;
pub mod visitors;
pub mod wide;
pub mod wide_atomics;
pub mod wide_integers;
pub mod workloads;
pub mod workloads_together;
pub mod wrapping;
pub mod written_chains;
pub mod written_image_lists;
pub mod written_lists;
pub mod written_out;
pub mod written_patterns;

use crate::case::Case;

/// The corpus entries by area.
const AREAS: &[&[Case]] = &[
    abstraction::CASES,
    ahead::CASES,
    aliases::CASES,
    assumed::CASES,
    apart::CASES,
    arithmetic::CASES,
    batches::CASES,
    batches::OF_NUMBERS,
    beside::CASES,
    best_ones::CASES,
    bvh::CASES,
    bytes::CASES,
    characters::CASES,
    carried::CASES,
    chains::CASES,
    choices::CASES,
    choices_of_slices::CASES,
    chunks::CASES,
    closures::CASES,
    combined::CASES,
    combined::OWN_CONSTS,
    const_functions::CASES,
    constant_tables::CASES,
    constants::CASES,
    control::CASES,
    conversions::CASES,
    coop::CASES,
    coop_elements::CASES,
    coop_wide::CASES,
    cursors::CASES,
    defaults::CASES,
    directions::CASES,
    distinct::CASES,
    diverging::CASES,
    drawn::CASES,
    divided::CASES,
    firsts::CASES,
    float_atomics::CASES,
    domains::CASES,
    domains_codes::CASES,
    domains_crypto::CASES,
    domains_boards::CASES,
    domains_signals::CASES,
    domains_streams::CASES,
    domains_games::CASES,
    domains_math::CASES,
    domains_models::CASES,
    domains_newcomers::CASES,
    domains_places::CASES,
    domains_space::CASES,
    domains_text::CASES,
    domains_tools::CASES,
    domains_types::CASES,
    doubles::CASES,
    element_chains::CASES,
    elements::CASES,
    equality::CASES,
    everyday::CASES,
    everyday_data::CASES,
    exchanges::CASES,
    fast_math::CASES,
    floats::CASES,
    followed::CASES,
    forms::CASES,
    found_places::CASES,
    generic_lengths::CASES,
    generic_types::CASES,
    generics::CASES,
    given_iterators::CASES,
    given_places::CASES,
    given_slices::CASES,
    glam_methods::CASES,
    grid::CASES,
    habits::CASES,
    held_references::CASES,
    held_slices::CASES,
    held_traits::CASES,
    idioms::CASES,
    images::CASES,
    implementations::CASES,
    in_place::CASES,
    indexed::CASES,
    initial_arrays::CASES,
    imported::CASES,
    inner_names::CASES,
    integers::CASES,
    iterator_parameters::CASES,
    iterators::CASES,
    kept::CASES,
    kept_ones::CASES,
    kernel_types::CASES,
    lanes::CASES,
    lent::CASES,
    lent_places::CASES,
    lent_results::CASES,
    lent_rows::CASES,
    life::CASES,
    lent_slices::CASES,
    lifetimes::CASES,
    image_lists::CASES,
    lists::CASES,
    wrapping::CASES,
    written_chains::CASES,
    written_image_lists::CASES,
    written_lists::CASES,
    written_out::CASES,
    written_patterns::CASES,
    lookups::CASES,
    loop_divisors::CASES,
    loop_traps::CASES,
    loops::CASES,
    marks::CASES,
    matching::CASES,
    matrices::CASES,
    memory::CASES,
    own_iterators::CASES,
    own_reverse::CASES,
    own_slices::CASES,
    own_vectors::CASES,
    own_totals::CASES,
    parallel::CASES,
    moves::CASES,
    moving_slices::CASES,
    narrow::CASES,
    narrow_atomics::CASES,
    near::CASES,
    natural::CASES,
    neighbours::CASES,
    neutral::CASES,
    numbers::CASES,
    obligations::CASES,
    offsets::CASES,
    open_ended::CASES,
    open_lengths::CASES,
    operands::CASES,
    ordering::CASES,
    overflow::CASES,
    parallel_programs::CASES,
    parted::CASES,
    passed_slices::CASES,
    phrases::CASES,
    ported::CASES,
    programs::CASES,
    qualified::CASES,
    quotients::CASES,
    ranges::CASES,
    readme::CASES,
    references::CASES,
    remainders::CASES,
    reports::CASES,
    reversed::CASES,
    rows::CASES,
    saturated::CASES,
    scalars::CASES,
    scatter::CASES,
    searches::CASES,
    sha256::CASES,
    slice_methods::CASES,
    slice_orders::CASES,
    solvers::CASES,
    sooner::CASES,
    slice_parameters::CASES,
    slice_patterns::CASES,
    slice_statements::CASES,
    slice_tables::CASES,
    slices::CASES,
    sources::CASES,
    stacks::CASES,
    subgroups::CASES,
    tables::CASES,
    texels::CASES,
    traps::CASES,
    tuple_structs::CASES,
    tuples_of_references::CASES,
    uniformity::CASES,
    unordered::CASES,
    unwrapped::CASES,
    vectors::CASES,
    visitors::CASES,
    wide::CASES,
    constant_divisors::CASES,
    wide_atomics::CASES,
    wide_integers::CASES,
    workloads::CASES,
    workloads_together::CASES,
];

/// Every corpus entry.
pub fn all() -> Vec<Case> {
    AREAS.concat()
}

/// A corpus entry: name, kernels, how to run, and what to expect, if computed apart.
macro_rules! case {
    ($name:literal, [$($kernel:ty),+], $run:expr) => { case!(@ $name, [$($kernel),+], $run, None) };
    ($name:literal, [$($kernel:ty),+], $run:expr, $expected:expr) => {
        case!(@ $name, [$($kernel),+], $run, Some($expected))
    };
    (@ $name:literal, [$($kernel:ty),+], $run:expr, $expected:expr) => {
        $crate::case::Case {
            name: $name,
            kernels: &[$(<$kernel as gridwise::Kernel>::DESCRIPTOR),+],
            run: $run,
            expected: $expected,
        }
    };
}
pub(crate) use case;

/// Each function twice: for kernels, and in a module `plain` as rustc compiles it.
macro_rules! twice {
    ($($(#[$attr:meta])* fn $name:ident($($param:ident: $ty:ty),*) -> $result:ty { $($body:tt)* })+) => {
        $($(#[$attr])* #[device] fn $name($($param: $ty),*) -> $result { $($body)* })+
        mod plain {
            #[allow(unused_imports, reason = "what the functions name besides scalars")]
            use super::*;
            $(pub(super) fn $name($($param: $ty),*) -> $result { $($body)* })+
        }
    };
}
pub(crate) use twice;

/// A kernel for a function of an index and a buffer of each module, and the case that compares it with the plain module's function of
/// the same name.
macro_rules! domain {
    ($area:literal, { $($name:ident, $kernel:ident, $plain:ident;)+ }) => {
        $(
            #[kernel(workgroup = 16)]
            fn $name(x: &[u32], y: &mut [u32]) {
                let i = global_id().x;
                y[i] = $name::$name(i, x);
            }
        )+

        /// The entries.
        pub const CASES: &[Case] = &[$(Case {
            name: concat!($area, "::", stringify!($name)),
            kernels: &[<$kernel as gridwise::Kernel>::DESCRIPTOR],
            run: |mgr| {
                let x = $crate::kernels::domain_input();
                let mut y = mgr.tensor(&[0u32; $crate::kernels::DOMAIN])?;
                let seq = mgr.sequence()?;
                $kernel::dispatch(&seq, Grid::items($crate::kernels::DOMAIN), &mgr.tensor(&x)?, &mut y)?;
                seq.eval()?;
                Ok(vec![$crate::case::Output::U32(y.to_vec()?)])
            },
            expected: Some(|| {
                let x = $crate::kernels::domain_input();
                let results = (0..$crate::kernels::DOMAIN as u32).map(|i| $plain::$name(i, &x));
                vec![$crate::case::Output::U32(results.collect())]
            }),
        }),+];
    };
}
pub(crate) use domain;

/// How many invocations the kernels of [`domain!`] have.
const DOMAIN: usize = 32;

/// Small numbers, then bytes and noise.
fn domain_input() -> Vec<u32> {
    let noise = crate::case::patterns(76, 12).into_iter().skip(28).enumerate();
    (0..16).chain(noise.map(|(k, v)| if k % 3 == 0 { v } else { v >> 24 })).collect()
}

/// Items twice: for kernels, and in a module as rustc compiles it.
macro_rules! both {
    ($name:ident, $plain:ident, { $($tokens:tt)* }) => {
        #[device]
        mod $name {
            $($tokens)*
        }
        mod $plain {
            $($tokens)*
        }
    };
}
pub(crate) use both;

/// The programs of an area. Each becomes a module for kernels, the same one as rustc compiles it, a kernel of its function `of`, and a
/// corpus entry.
macro_rules! each_program {
    ($area:ident: $($name:ident $plain:ident $kernel:ident $Kernel:ident $case:ident { $($tokens:tt)* })*) => {
        $(
            #[device]
            mod $name {
                use gridwise::prelude::*;
                $($tokens)*
            }
            mod $plain {
                use gridwise::prelude::*;
                $($tokens)*
            }
            #[kernel(workgroup = 32)]
            fn $kernel(out: &mut [u32]) {
                let i = global_id().x;
                out[i] = $name::of(i);
            }
            const $case: Case = Case {
                name: concat!(stringify!($area), "::", stringify!($name)),
                kernels: &[<$Kernel as gridwise::Kernel>::DESCRIPTOR],
                run: |mgr| {
                    let mut out = mgr.tensor_of_len::<u32>(N)?;
                    let seq = mgr.sequence()?;
                    $Kernel::dispatch(&seq, Grid::items(N as u32), &mut out)?.eval()?;
                    Ok(vec![Output::U32(out.to_vec()?)])
                },
                expected: Some(|| vec![Output::U32((0..N as u32).map($plain::of).collect())]),
            };
        )*
    };
}
pub(crate) use each_program;
