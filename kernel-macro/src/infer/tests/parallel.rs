//! Shared memory, atomics, barriers and subgroup operations: what is accepted, and what errors say.

use expect_test::expect;

use super::harness::{accepted_to_the_end, check_errors};

#[test]
fn shared_memory_is_accepted_where_it_belongs() {
    accepted_to_the_end(
        "fn kernel(y: &mut [f32]) {
            let tile = Shared::<[f32; 64]>::new();
            let pairs: Shared<[[u32; 2]; 8]> = Shared::new();
            let counts = Shared::<[Atomic<i32>; 4]>::new();
            let total = gridwise::Shared::<Atomic<u32>>::new();
            tile[local_id().x] = y[0];
            pairs[1][local_index() % 2] += 3;
            counts[0].fetch_max(-1, AcqRel);
            total.fetch_add(1, Ordering::Relaxed);
            barrier();
            gridwise::fence(Scope::Device, Release);
            y[0] = tile[tile.len() as u32 - 1] + pairs[1][0] as f32 + counts[0].load(Acquire) as f32;
        }",
    );
}

#[test]
fn subgroup_operations_are_accepted() {
    accepted_to_the_end(
        "fn kernel(y: &mut [f32], u: &mut [u32]) {
            let (i, x) = (subgroup_local_id(), y[0]);
            let sum = subgroup::add(x) + subgroup::inclusive_max(x) + subgroup::clustered_mul(x, 4);
            let votes = subgroup::ballot(i > 3);
            if subgroup::any(x > 1.0) && subgroup::all_equal(vec2(x, sum)) || subgroup::elect() {
                u[i] = subgroup::ballot_count(votes) + subgroup::exclusive_add(1u32);
            }
            let both = subgroup::and(x > 0.0) | subgroup::ballot_bit(votes, i);
            u[0] = subgroup::xor(uvec2(1, i)).x + both as u32;
            y[i] = subgroup::shuffle_down(sum, 1) + subgroup::quad_broadcast(x, 2) + subgroup::rotate(x, i);
        }",
    );
}

#[test]
fn atomic_fields_are_reached_in_nested_members() {
    accepted_to_the_end(
        "struct Cell { counts: [Atomic<u32>; 3], mass: Atomic<f32>, scale: f32 }
        fn kernel(cells: &[Cell], own: &mut [Cell]) {
            let i = global_id().x;
            cells[i].counts[i % 3].fetch_add(1, Relaxed);
            own[i].mass.fetch_add(cells[i].scale, Relaxed);
            own[i].scale = own[i].mass.load(Relaxed);
        }",
    );
}

#[test]
fn atomics_are_no_values() {
    check_errors(
        r"
struct Cell { mass: Atomic<f32>, scale: f32 }
fn kernel(bins: &[Atomic<u32>], cells: &mut [Cell], y: &mut [u32]) {
    let old = bins[0];
    y[0] = bins[1] + 1;
    bins[2] = 5;
    bins[3] += 1;
    bins[3] *= 2;
    let cell = cells[0];
    cells[1] = cells[2];
    bins[0].max(1);
}
",
        expect![[r#"
            error: [K0301] `bins[0]` is an `Atomic<u32>` and cannot be used as a value
                   help: read it with `bins[0].load(Relaxed)`
             3 |     let old = bins[0];
               |               ^^^^^^^
            error: [K0301] `bins[1]` is an `Atomic<u32>` and cannot be used as a value
                   help: read it with `bins[1].load(Relaxed)`
             4 |     y[0] = bins[1] + 1;
               |            ^^^^^^^
            error: [K0301] cannot assign to `bins[2]`, which is an `Atomic<u32>`
                   help: write `bins[2].store(value, Relaxed)`
             5 |     bins[2] = 5;
               |     ^^^^^^^
            error: [K0301] cannot assign to `bins[3]`, which is an `Atomic<u32>`
                   help: write `bins[3].fetch_add(value, Relaxed)`
             6 |     bins[3] += 1;
               |     ^^^^^^^
            error: [K0301] cannot assign to `bins[3]`, which is an `Atomic<u32>`
                   help: exchange it in a loop with `bins[3].compare_exchange(…)`
             7 |     bins[3] *= 2;
               |     ^^^^^^^
            error: [K0301] `cells[0]` holds atomics and cannot be copied
                   help: read its fields one by one, the atomic ones with `cells[0].field.load(Relaxed)`
             8 |     let cell = cells[0];
               |                ^^^^^^^^
            error: [K0301] cannot assign to `cells[1]`, which holds atomics
                   help: write its fields one by one, the atomic ones with `cells[1].field.store(value, Relaxed)`
             9 |     cells[1] = cells[2];
               |     ^^^^^^^^
            error: [K0301] `cells[2]` holds atomics and cannot be copied
                   help: read its fields one by one, the atomic ones with `cells[2].field.load(Relaxed)`
             9 |     cells[1] = cells[2];
               |                ^^^^^^^^
            error: [K0104] no method `max` on type `Atomic<u32>`
                   help: read it first: `bins[0].load(Relaxed)`
            10 |     bins[0].max(1);
               |             ^^^
        "#]],
    );
}

#[test]
fn unknown_methods_of_atomics_suggest() {
    check_errors(
        r"
fn kernel(bins: &[Atomic<u32>], mass: &[Atomic<f32>]) {
    bins[0].fetch_plus(1, Relaxed);
    bins[0].fetch_update(Relaxed, Relaxed);
    bins[0].compare_exchange_weak(1, 2, Relaxed, Relaxed);
    bins[0].compare_exchange(1, 2);
    let wrong: u32 = bins[0].compare_exchange(1, 2, Relaxed, Relaxed);
    mass[0].fetch_and(1.0, Relaxed);
    bins[0].fetch_add(1);
    bins[0].fetch_add(1.5, Relaxed);
    let fresh = Atomic::new(1u32);
}
",
        expect![[r#"
            error: [K0104] no method `fetch_plus` on type `Atomic<u32>`
                   help: a method with a similar name exists: `fetch_sub`
             2 |     bins[0].fetch_plus(1, Relaxed);
               |             ^^^^^^^^^^
            error: [K0104] no method `fetch_update` on type `Atomic<u32>`
                   help: write a loop with `compare_exchange`: an atomic operation cannot call a closure
             3 |     bins[0].fetch_update(Relaxed, Relaxed);
               |             ^^^^^^^^^^^^
            error: [K0104] no method `compare_exchange_weak` on type `Atomic<u32>`
                   help: write `compare_exchange(old, new, order, order_of_failure)`
             4 |     bins[0].compare_exchange_weak(1, 2, Relaxed, Relaxed);
               |             ^^^^^^^^^^^^^^^^^^^^^
            error: [K0106] `compare_exchange` takes 4 arguments, the last two memory orders, but 2 were given
                   help: write `bins[0].compare_exchange(1, 2, AcqRel, Relaxed)`
             5 |     bins[0].compare_exchange(1, 2);
               |             ^^^^^^^^^^^^^^^^
            error: [K0102] expected `u32`, found `Result<u32, u32>`
             6 |     let wrong: u32 = bins[0].compare_exchange(1, 2, Relaxed, Relaxed);
               |                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            error: [K0104] no method `fetch_and` on type `Atomic<f32>`
                   note: bitwise operations are for integers
                   help: declare it `Atomic<u32>` and use `to_bits` and `from_bits`
             7 |     mass[0].fetch_and(1.0, Relaxed);
               |             ^^^^^^^^^
            error: [K0106] `fetch_add` takes 2 arguments, the last a memory order, but 1 were given
                   help: write `bins[0].fetch_add(1, Relaxed)`
             8 |     bins[0].fetch_add(1);
               |             ^^^^^^^^^
            error: [K0102] expected `u32`, found float literal
             9 |     bins[0].fetch_add(1.5, Relaxed);
               |                       ^^^
            error: [K0301] `Atomic::new` is not available in kernels
                   note: atomics live in buffers and in shared memory, where they begin as zeros
                   help: call methods on an element: `counts[i].fetch_add(1, Relaxed)`
            10 |     let fresh = Atomic::new(1u32);
               |                 ^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn memory_orders_must_fit() {
    check_errors(
        r"
fn kernel(bins: &[Atomic<u32>]) {
    bins[0].fetch_add(1, SeqCst);
    bins[0].fetch_add(1, Ordering::SeqCst);
    bins[0].fetch_add(1, 2);
    bins[0].load(Release);
    bins[0].store(1, AcqRel);
    bins[0].compare_exchange(1, 2, AcqRel, Release);
    fence(Scope::Workgroup, Relaxed);
    fence(Scope::System, AcqRel);
    fence(AcqRel);
}
",
        expect![[r#"
            error: [K0302] `SeqCst` is not available in kernels
                   note: Vulkan's memory model has no single order of all operations, which `SeqCst` promises
                   help: write `AcqRel` for operations that read and write, `Acquire` for loads, `Release` for stores
             2 |     bins[0].fetch_add(1, SeqCst);
               |                          ^^^^^^
            error: [K0302] `SeqCst` is not available in kernels
                   note: Vulkan's memory model has no single order of all operations, which `SeqCst` promises
                   help: write `AcqRel` for operations that read and write, `Acquire` for loads, `Release` for stores
             3 |     bins[0].fetch_add(1, Ordering::SeqCst);
               |                          ^^^^^^^^^^^^^^^^
            error: [K0302] expected a memory order, found `2`
                   note: an order is written out where it is used: it is part of the instruction
                   help: write `Relaxed`, `Acquire`, `Release` or `AcqRel`
             4 |     bins[0].fetch_add(1, 2);
               |                          ^
            error: [K0302] `load` cannot have the order `Release`
                   help: a load does not release: write `Acquire` or `Relaxed`
             5 |     bins[0].load(Release);
               |                  ^^^^^^^
            error: [K0302] `store` cannot have the order `AcqRel`
                   help: a store does not acquire: write `Release` or `Relaxed`
             6 |     bins[0].store(1, AcqRel);
               |                      ^^^^^^
            error: [K0302] a failed exchange cannot have the order `Release`
                   note: nothing is written then
                   help: write `Acquire` or `Relaxed`
             7 |     bins[0].compare_exchange(1, 2, AcqRel, Release);
               |                                            ^^^^^^^
            error: [K0302] a fence cannot have the order `Relaxed`
                   note: it would order nothing
                   help: write `Acquire`, `Release` or `AcqRel`
             8 |     fence(Scope::Workgroup, Relaxed);
               |                             ^^^^^^^
            error: [K0302] expected a scope, found `Scope::System`
                   help: write `Scope::Subgroup`, `Scope::Workgroup` or `Scope::Device`
             9 |     fence(Scope::System, AcqRel);
               |           ^^^^^^^^^^^^^
            error: [K0106] `fence` takes 2 arguments, but 1 were given
                   help: write `fence(Scope::Workgroup, AcqRel)`
            10 |     fence(AcqRel);
               |     ^^^^^
        "#]],
    );
}

#[test]
fn types_that_cannot_be_atomic() {
    check_errors(
        r"
fn kernel(a: &[Atomic<bool>], b: &[Atomic<Vec2>], c: Atomic<u32>, d: &[Atomic], e: [Atomic<u32>; 2]) {}
",
        expect![[r#"
            error: [K0301] `bool` cannot be atomic
                   help: write `Atomic<u32>`, 1 for `true`: `swap(1, AcqRel) == 1` tells whether it was set
             1 | fn kernel(a: &[Atomic<bool>], b: &[Atomic<Vec2>], c: Atomic<u32>, d: &[Atomic], e: [Atomic<u32>; 2]) {}
               |                       ^^^^
            error: [K0301] `Vec2` cannot be atomic
                   help: supported are `Atomic<T>` of integers of 8 to 64 bits, `f16`, `f32` and `f64`
             1 | fn kernel(a: &[Atomic<bool>], b: &[Atomic<Vec2>], c: Atomic<u32>, d: &[Atomic], e: [Atomic<u32>; 2]) {}
               |                                           ^^^^
            error: [K0205] parameter `c` of type `Atomic<u32>` cannot reach the device
                   note: invocations share an atomic, and each has a copy of a value
                   help: pass a buffer with one element: `&[Atomic<u32>]`
             1 | fn kernel(a: &[Atomic<bool>], b: &[Atomic<Vec2>], c: Atomic<u32>, d: &[Atomic], e: [Atomic<u32>; 2]) {}
               |                                                      ^^^^^^^^^^^
            error: [K0101] `Atomic` needs the type that it holds
                   help: write `Atomic<u32>`
             1 | fn kernel(a: &[Atomic<bool>], b: &[Atomic<Vec2>], c: Atomic<u32>, d: &[Atomic], e: [Atomic<u32>; 2]) {}
               |                                                                        ^^^^^^
            error: [K0205] parameter `e` of type `[Atomic<u32>; 2]` cannot reach the device
                   note: invocations share an atomic, and each has a copy of a value
                   help: pass a buffer with one element: `&[Atomic<u32>]`
             1 | fn kernel(a: &[Atomic<bool>], b: &[Atomic<Vec2>], c: Atomic<u32>, d: &[Atomic], e: [Atomic<u32>; 2]) {}
               |                                                                                    ^^^^^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn shared_memory_is_declared_at_the_top() {
    check_errors(
        r"
fn helper() {
    let tile = Shared::<[f32; 4]>::new();
}
fn kernel(y: &mut [f32]) {
    if y[0] > 1.0 {
        let tile = Shared::<[f32; 4]>::new();
    }
    let (a, b) = (Shared::<[f32; 4]>::new(), 1);
}
",
        expect![[r#"
            error: [K0300] shared memory cannot be declared here
                   note: shared memory belongs to a kernel's workgroups
                   help: declare it in the kernel
             2 |     let tile = Shared::<[f32; 4]>::new();
               |                ^^^^^^^^^^^^^^^^^^^^^^^^^
            error: [K0300] shared memory cannot be declared here
                   note: a workgroup's shared memory exists for its whole life
                   help: write `let tile = Shared::<…>::new();` at the top of the kernel's body, outside of all blocks
             6 |         let tile = Shared::<[f32; 4]>::new();
               |                    ^^^^^^^^^^^^^^^^^^^^^^^^^
            error: [K0300] shared memory cannot be declared here
                   note: a workgroup's shared memory exists for its whole life
                   help: write `let tile = Shared::<…>::new();` at the top of the kernel's body, outside of all blocks
             8 |     let (a, b) = (Shared::<[f32; 4]>::new(), 1);
               |                   ^^^^^^^^^^^^^^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn shared_memory_is_made_by_new() {
    check_errors(
        r"
fn kernel(y: &mut [f32]) {
    let open = Shared::new();
    let filled = Shared::<[f32; 4]>::new(1.0);
    let made = Shared::<[f32; 4]>::zeroed();
    let wrong: Shared<[u32; 4]> = Shared::<[u32; 5]>::new();
    let bare: Shared = Shared::<[u32; 5]>::new();
}
",
        expect![[r#"
            error: [K0109] cannot infer the type of `open`
                   help: write it, for example `let open: Shared<f32> = …`
             2 |     let open = Shared::new();
               |         ^^^^
            error: [K0106] `Shared::new` takes no arguments
                   note: shared memory is zero when a workgroup begins
                   help: write the first values, then call `barrier()`
             3 |     let filled = Shared::<[f32; 4]>::new(1.0);
               |                                          ^^^
            error: [K0300] no function `zeroed` on type `Shared`
                   help: shared memory is made by `let tile = Shared::<[f32; 256]>::new();` and begins as zeros
             4 |     let made = Shared::<[f32; 4]>::zeroed();
               |                ^^^^^^^^^^^^^^^^^^^^^^^^^^
            error: [K0102] expected `Shared<[u32; 4]>`, found `Shared<[u32; 5]>`
             5 |     let wrong: Shared<[u32; 4]> = Shared::<[u32; 5]>::new();
               |                                   ^^^^^^^^^^^^^^^^^^^^^^^^^
            error: [K0101] `Shared` needs the type that it holds
                   help: write `Shared<[f32; 256]>`
             6 |     let bare: Shared = Shared::<[u32; 5]>::new();
               |               ^^^^^^
        "#]],
    );
}

#[test]
fn shared_memory_holds_what_buffers_hold() {
    check_errors(
        r"
fn kernel(y: &mut [f32]) {
    let flags = Shared::<[bool; 64]>::new();
    let lens = Shared::<[usize; 64]>::new();
    let pairs = Shared::<[(u32, u32); 4]>::new();
}
",
        expect![[r#"
            error: [K0300] `[bool; 64]` cannot lie in shared memory
                   note: `bool` has no layout in buffers
                   help: store `u32`: `flag as u32`, and read it with `!= 0`
             2 |     let flags = Shared::<[bool; 64]>::new();
               |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^
            error: [K0300] `[usize; 64]` cannot lie in shared memory
                   note: `usize` has 64 bits on the host and 32 on the device
                   help: pass `u32`: any unsigned integer indexes
             3 |     let lens = Shared::<[usize; 64]>::new();
               |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            error: [K0300] `[(u32, u32); 4]` cannot lie in shared memory
                   note: Rust does not define the layout of tuples
                   help: pass a struct with `#[derive(GpuData)]`
             4 |     let pairs = Shared::<[(u32, u32); 4]>::new();
               |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        "#]],
    );
    check_errors(
        "fn kernel(y: &mut [f32]) { let one = Shared::<u32>::new(); one.set(3); }",
        expect![[r#"
        error: [K0300] shared memory is an array or a struct, no `u32`
               help: write `Shared::<[u32; 1]>::new()`, and `one[0]` where it is used
         1 | fn kernel(y: &mut [f32]) { let one = Shared::<u32>::new(); one.set(3); }
           |                                      ^^^^^^^^^^^^^^^^^^^^
    "#]],
    );
}

#[test]
fn shared_memory_is_no_value() {
    check_errors(
        r"
fn sum(x: [f32; 4]) -> f32 { x[0] }
fn kernel(y: &mut [f32]) {
    let tile = Shared::<[f32; 4]>::new();
    let copy = tile;
    tile = [0.0; 4];
    y[0] = sum(tile);
    tile[4] = 1.0;
    tile[1] = 1u32;
    let x = tile.first;
}
",
        expect![[r#"
            error: [K0300] the shared variable `tile` is used as a value
                   help: index it: `tile[i]`
             4 |     let copy = tile;
               |                ^^^^
            error: [K0300] cannot assign to the shared variable `tile` as a whole
                   note: every invocation of the workgroup would write all of it
                   help: assign its elements: `tile[i] = …`
             5 |     tile = [0.0; 4];
               |     ^^^^
            error: [K0300] the shared variable `tile` is used as a value
                   help: index it: `tile[i]`
             6 |     y[0] = sum(tile);
               |                ^^^^
            error: [K0108] index 4 is out of range: `tile` has 4 elements
             7 |     tile[4] = 1.0;
               |          ^
            error: [K0102] expected `f32`, found `u32`
                   help: write `1.0`
             8 |     tile[1] = 1u32;
               |               ^^^^
            error: [K0105] no field `first` on type `[f32; 4]`
                   help: index it: `tile[i]`
             9 |     let x = tile.first;
               |                  ^^^^^
        "#]],
    );
}

#[test]
fn subgroup_operands_must_fit() {
    check_errors(
        r"
fn kernel(y: &mut [f32], u: &mut [u32]) {
    let i = global_id().x;
    subgroup::add(true);
    subgroup::xor(y[0]);
    subgroup::add(y.len());
    subgroup::add((1, 2));
    subgroup::add([1u64]);
    subgroup::any(1);
    subgroup::clustered_add(y[0], 3);
    subgroup::clustered_add(y[0], i);
    subgroup::quad_broadcast(y[0], 4);
    subgroup::shuffle(y[0], 1.5);
    subgroup::ad(1u32);
    subgroup::add();
    subgroup_add(y[0]);
    sync_threads();
    barrier(1);
}
",
        expect![[r#"
            error: [K0303] a subgroup operation does not take `bool`
                   note: `bool` has no arithmetic
                   help: count with `subgroup::ballot_count`
             3 |     subgroup::add(true);
               |                   ^^^^
            error: [K0303] a subgroup operation does not take `f32`
                   note: bitwise operations are for integers and `bool`
                   help: write `y[0].to_bits()`
             4 |     subgroup::xor(y[0]);
               |                   ^^^^
            error: [K0303] a subgroup operation does not take `usize`
                   note: `usize` has another size on the host
                   help: write `y.len() as u32`
             5 |     subgroup::add(y.len());
               |                   ^^^^^^^
            error: [K0303] a subgroup operation does not take `(i32, i32)`
                   note: subgroups exchange integers, `f16`, `f32`, `f64`, `bool` and vectors
             6 |     subgroup::add((1, 2));
               |                   ^^^^^^
            error: [K0303] a subgroup operation does not take `[u64; 1]`
                   note: subgroups exchange integers, `f16`, `f32`, `f64`, `bool` and vectors
             7 |     subgroup::add([1u64]);
               |                   ^^^^^^
            error: [K0102] expected `bool`, found integer literal
                   help: write `1 != 0`
             8 |     subgroup::any(1);
               |                   ^
            error: [K0303] a cluster of 3 invocations is not possible
                   help: the size of a cluster is a power of two from 1 to 128
             9 |     subgroup::clustered_add(y[0], 3);
               |                                   ^
            error: [K0112] the variable `i` is used in a constant
                   note: array lengths and consts are known when the kernel is compiled
                   help: use a literal or a `#[device] const`
            10 |     subgroup::clustered_add(y[0], i);
               |                                   ^
            error: [K0303] a quad has no invocation 4
                   help: a quad has invocations 0 to 3
            11 |     subgroup::quad_broadcast(y[0], 4);
               |                                    ^
            error: [K0102] expected `u32`, found float literal
            12 |     subgroup::shuffle(y[0], 1.5);
               |                             ^^^
            error: [K0100] cannot find function `ad` in module `subgroup`
                   help: a function with a similar name exists: `subgroup::add`
            13 |     subgroup::ad(1u32);
               |     ^^^^^^^^^^^^
            error: [K0106] `add` takes 1 argument, but 0 were given
            14 |     subgroup::add();
               |     ^^^^^^^^^^^^^
            error: [K0100] function `subgroup_add` is not available in kernels
                   help: write `subgroup::add(x)`
            15 |     subgroup_add(y[0]);
               |     ^^^^^^^^^^^^
            error: [K0100] function `sync_threads` is not available in kernels
                   help: write `barrier()`
            16 |     sync_threads();
               |     ^^^^^^^^^^^^
            error: [K0106] `barrier` takes 0 arguments, but 1 was given
            17 |     barrier(1);
               |             ^
        "#]],
    );
}
