//! Habits from Rust on the host and from other languages: each message says how kernels spell them.

use expect_test::expect;

use super::harness::{check_each, check_errors, infer_source};

/// Asserts that each source has errors, unless the language has it by now, and that each error has a note or a help.
fn each_has_a_way_out(sources: &[&str]) {
    for source in sources {
        let (_, diags) = infer_source(source);
        for error in diags.into_list() {
            assert!(!error.lines.is_empty(), "nothing but `{}` for\n{source}", error.message);
        }
    }
}

#[test]
fn ids_of_other_languages() {
    check_each(
        &[
            r##"fn f() -> u32 { gl_GlobalInvocationID.x }"##,
            r##"fn f() -> u32 { blockIdx.x * blockDim.x + threadIdx.x }"##,
            r##"fn f() -> u32 { get_global_id(0) }"##,
            r##"fn f() -> u32 { thread_position_in_grid.x }"##,
            r##"fn f() -> u32 { global_id.x }"##,
            r##"fn f() -> u32 { global_idd().x }"##,
            r##"fn f() -> u32 { gl_LocalInvocationIndex }"##,
        ],
        expect![[r#"
            error: [K0100] cannot find value `gl_GlobalInvocationID` in this scope
                   help: write `global_id()`
             1 | fn f() -> u32 { gl_GlobalInvocationID.x }
               |                 ^^^^^^^^^^^^^^^^^^^^^
            error: [K0100] cannot find value `blockIdx` in this scope
                   help: write `workgroup_id()`
             1 | fn f() -> u32 { blockIdx.x * blockDim.x + threadIdx.x }
               |                 ^^^^^^^^
            error: [K0100] cannot find value `blockDim` in this scope
                   help: write `workgroup_size()`
             1 | fn f() -> u32 { blockIdx.x * blockDim.x + threadIdx.x }
               |                              ^^^^^^^^
            error: [K0100] cannot find value `threadIdx` in this scope
                   help: write `local_id()`
             1 | fn f() -> u32 { blockIdx.x * blockDim.x + threadIdx.x }
               |                                           ^^^^^^^^^
            error: [K0100] function `get_global_id` is not available in kernels
                   help: write `global_id()`, whose lanes are `x`, `y` and `z`
             1 | fn f() -> u32 { get_global_id(0) }
               |                 ^^^^^^^^^^^^^
            error: [K0100] cannot find value `thread_position_in_grid` in this scope
                   help: write `global_id()`
             1 | fn f() -> u32 { thread_position_in_grid.x }
               |                 ^^^^^^^^^^^^^^^^^^^^^^^
            error: [K0100] cannot find value `global_id` in this scope
                   help: `global_id` is a function: write `global_id()`
             1 | fn f() -> u32 { global_id.x }
               |                 ^^^^^^^^^
            error: [K0100] cannot find function `global_idd` in this scope
                   help: a function with a similar name exists: `global_id`
             1 | fn f() -> u32 { global_idd().x }
               |                 ^^^^^^^^^^
            error: [K0100] cannot find value `gl_LocalInvocationIndex` in this scope
                   help: write `local_index()`
             1 | fn f() -> u32 { gl_LocalInvocationIndex }
               |                 ^^^^^^^^^^^^^^^^^^^^^^^
        "#]],
    );
    check_errors(r##"fn f() -> u32 { global_id()[0] }"##, expect![[r#""#]]);
}

#[test]
fn barriers_and_atomics_of_other_languages() {
    check_each(
        &[
            r##"fn f() { __syncthreads(); }"##,
            r##"fn f() { workgroupBarrier(); }"##,
            r##"fn f() { GroupMemoryBarrierWithGroupSync(); }"##,
            r##"fn f() { memoryBarrier(); }"##,
            r##"fn kernel(x: &mut [u32]) { atomicAdd(x[0], 1); }"##,
            r##"fn kernel(x: &mut [u32]) { InterlockedMax(x[0], 1); }"##,
            r##"fn kernel(x: &mut [u32]) { atomicCAS(x[0], 1, 2); }"##,
            r##"fn f(x: f32) -> f32 { subgroupAdd(x) }"##,
            r##"fn f(x: f32) -> f32 { __shfl_down_sync(0, x, 1) }"##,
        ],
        expect![[r#"
            error: [K0100] function `__syncthreads` is not available in kernels
                   help: write `barrier()`
             1 | fn f() { __syncthreads(); }
               |          ^^^^^^^^^^^^^
            error: [K0100] function `workgroupBarrier` is not available in kernels
                   help: write `barrier()`
             1 | fn f() { workgroupBarrier(); }
               |          ^^^^^^^^^^^^^^^^
            error: [K0100] function `GroupMemoryBarrierWithGroupSync` is not available in kernels
                   help: write `barrier()`
             1 | fn f() { GroupMemoryBarrierWithGroupSync(); }
               |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            error: [K0100] function `memoryBarrier` is not available in kernels
                   help: write `fence(…)` with a scope and an order, or `barrier()`, which is one, too
             1 | fn f() { memoryBarrier(); }
               |          ^^^^^^^^^^^^^
            error: [K0100] function `atomicAdd` is not available in kernels
                   help: write `x[i].fetch_add(v, Relaxed)` on a parameter `x: &[Atomic<u32>]`
             1 | fn kernel(x: &mut [u32]) { atomicAdd(x[0], 1); }
               |                            ^^^^^^^^^
            error: [K0100] function `InterlockedMax` is not available in kernels
                   help: write `x[i].fetch_max(v, Relaxed)` on a parameter `x: &[Atomic<u32>]`
             1 | fn kernel(x: &mut [u32]) { InterlockedMax(x[0], 1); }
               |                            ^^^^^^^^^^^^^^
            error: [K0100] function `atomicCAS` is not available in kernels
                   help: write `x[i].compare_exchange(old, new, Relaxed, Relaxed)` on a parameter `x: &[Atomic<u32>]`
             1 | fn kernel(x: &mut [u32]) { atomicCAS(x[0], 1, 2); }
               |                            ^^^^^^^^^
            error: [K0100] function `subgroupAdd` is not available in kernels
                   help: write `subgroup::add(x)`
             1 | fn f(x: f32) -> f32 { subgroupAdd(x) }
               |                       ^^^^^^^^^^^
            error: [K0100] function `__shfl_down_sync` is not available in kernels
                   help: write `subgroup::shuffle_down(x, by)`
             1 | fn f(x: f32) -> f32 { __shfl_down_sync(0, x, 1) }
               |                       ^^^^^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn functions_of_other_languages() {
    check_each(
        &[
            r##"fn f(x: f32) -> f32 { inverseSqrt(x) }"##,
            r##"fn f(x: f32) -> u32 { floatBitsToUint(x) }"##,
            r##"fn f(x: u32) -> u32 { countOneBits(x) }"##,
            r##"fn f(x: u32) -> f32 { float(x) }"##,
            r##"fn f(x: f32) -> u32 { uint(x) }"##,
            r##"fn kernel(x: &[f32]) { let n = arrayLength(x); }"##,
            r##"fn f(x: u32) { printf(x); }"##,
            r##"fn f(x: f32) -> f32 { sqrt(x) }"##,
            r##"fn f(x: f32, y: f32) -> f32 { max(x, y) }"##,
            r##"fn f(x: f32) -> Vec3 { vec3(x) }"##,
            r##"fn f(x: Vec2) -> Vec3 { vec3(x, 1.0) }"##,
            r##"fn f() -> Vec3 { vec3(1, 2, 3) }"##,
        ],
        expect![[r#"
            error: [K0100] function `inverseSqrt` is not available in kernels
                   help: write `1.0 / x.sqrt()`
             1 | fn f(x: f32) -> f32 { inverseSqrt(x) }
               |                       ^^^^^^^^^^^
            error: [K0100] function `floatBitsToUint` is not available in kernels
                   help: write `x.to_bits()`
             1 | fn f(x: f32) -> u32 { floatBitsToUint(x) }
               |                       ^^^^^^^^^^^^^^^
            error: [K0100] function `countOneBits` is not available in kernels
                   help: write `x.count_ones()`
             1 | fn f(x: u32) -> u32 { countOneBits(x) }
               |                       ^^^^^^^^^^^^
            error: [K0100] function `float` is not available in kernels
                   help: write `x as f32`
             1 | fn f(x: u32) -> f32 { float(x) }
               |                       ^^^^^
            error: [K0100] function `uint` is not available in kernels
                   help: write `x as u32`
             1 | fn f(x: f32) -> u32 { uint(x) }
               |                       ^^^^
            error: [K0100] function `arrayLength` is not available in kernels
                   help: write `x.len()`
             1 | fn kernel(x: &[f32]) { let n = arrayLength(x); }
               |                                ^^^^^^^^^^^
            error: [K0100] function `printf` is not available in kernels
                   help: write `println!("…", x)`
             1 | fn f(x: u32) { printf(x); }
               |                ^^^^^^
            error: [K0100] cannot find function `sqrt` in this scope
                   help: it is a method: write `x.sqrt()`
             1 | fn f(x: f32) -> f32 { sqrt(x) }
               |                       ^^^^
            error: [K0100] cannot find function `max` in this scope
                   help: it is a method: write `x.max(y)`
             1 | fn f(x: f32, y: f32) -> f32 { max(x, y) }
               |                               ^^^
            error: [K0106] `vec3` takes 3 arguments, but 1 was given
                   help: write `Vec3::splat(x)`
             1 | fn f(x: f32) -> Vec3 { vec3(x) }
               |                        ^^^^
            error: [K0106] `vec3` takes 3 arguments, but 2 were given
                   help: write `x.extend(1.0)`
             1 | fn f(x: Vec2) -> Vec3 { vec3(x, 1.0) }
               |                         ^^^^
            error: [K0102] expected `f32`, found integer literal
                   help: write `1.0`
             1 | fn f() -> Vec3 { vec3(1, 2, 3) }
               |                       ^
            error: [K0102] expected `f32`, found integer literal
                   help: write `2.0`
             1 | fn f() -> Vec3 { vec3(1, 2, 3) }
               |                          ^
            error: [K0102] expected `f32`, found integer literal
                   help: write `3.0`
             1 | fn f() -> Vec3 { vec3(1, 2, 3) }
               |                             ^
        "#]],
    );
}

#[test]
fn types_of_other_languages() {
    check_each(
        &[
            r##"fn f(x: float) -> float { x }"##,
            r##"fn f(x: float4) { }"##,
            r##"fn f() { let x: vec3 = vec3(1.0, 2.0, 3.0); }"##,
            r##"fn f(x: uint) { }"##,
            r##"fn f(x: size_t) { }"##,
            r##"fn f() { let m: HashMap = 1; }"##,
            r##"fn f(x: u32) -> f32 { x as float }"##,
        ],
        expect![[r#"
            error: [K0101] type `float` is not available in kernels
                   help: write `f32`
             1 | fn f(x: float) -> float { x }
               |         ^^^^^
            error: [K0101] type `float` is not available in kernels
                   help: write `f32`
             1 | fn f(x: float) -> float { x }
               |                   ^^^^^
            error: [K0101] type `float4` is not available in kernels
                   help: write `Vec4`
             1 | fn f(x: float4) { }
               |         ^^^^^^
            error: [K0101] type `vec3` is not available in kernels
                   help: write `Vec3`
             1 | fn f() { let x: vec3 = vec3(1.0, 2.0, 3.0); }
               |                 ^^^^
            error: [K0101] type `uint` is not available in kernels
                   help: write `u32`
             1 | fn f(x: uint) { }
               |         ^^^^
            error: [K0101] type `size_t` is not available in kernels
                   help: write `usize`, which has 32 bits on the device
             1 | fn f(x: size_t) { }
               |         ^^^^^^
            error: [K0101] type `HashMap` is not available in kernels
                   help: use arrays or buffers, with the index as key
             1 | fn f() { let m: HashMap = 1; }
               |                 ^^^^^^^
            error: [K0101] type `float` is not available in kernels
                   help: write `f32`
             1 | fn f(x: u32) -> f32 { x as float }
               |                            ^^^^^
        "#]],
    );
}

#[test]
fn lanes_and_methods_of_other_languages() {
    check_each(
        &[
            r##"fn f(v: Vec4) -> Vec3 { v.rgb }"##,
            r##"fn f(v: Vec4) -> f32 { v.r }"##,
            r##"fn f(v: Vec4) -> Vec3 { v.rgb() }"##,
            r##"fn f(v: UVec3) -> UVec2 { v.xy }"##,
            r##"fn f(v: Vec3) -> f32 { v.x() }"##,
            r##"fn f(x: f32) -> f32 { x.saturate() }"##,
            r##"fn f(x: f32) -> f32 { x.rsqrt() }"##,
            r##"fn f(x: f32) -> f32 { x.mix(1.0, 0.5) }"##,
            r##"fn f(v: Vec3) -> f32 { v.magnitude() }"##,
            r##"fn kernel(x: &mut [f32]) { x.push(1.0); }"##,
            r##"fn kernel(x: &mut [f32]) { let n = x.length(); }"##,
            r##"fn kernel(x: &[f32]) { let y = x.to_vec(); }"##,
            r##"fn kernel(x: &[f32]) -> () { let y = x.get_unchecked(1); }"##,
            r##"fn f(x: f32) { x.to_string(); }"##,
            r##"fn f(x: u32) -> u32 { x.sqrt() }"##,
        ],
        expect![[r#"
            error: [K0105] no field `rgb` on type `Vec4`
                   help: lanes are called x, y, z, w: write `v.xyz()`
             1 | fn f(v: Vec4) -> Vec3 { v.rgb }
               |                           ^^^
            error: [K0105] no field `r` on type `Vec4`
                   help: lanes are called x, y, z, w: write `v.x`
             1 | fn f(v: Vec4) -> f32 { v.r }
               |                          ^
            error: [K0104] no method `rgb` on type `Vec4`
                   help: its lanes are `x`, `y`, `z`, `w`
             1 | fn f(v: Vec4) -> Vec3 { v.rgb() }
               |                           ^^^
            error: [K0105] no field `xy` on type `UVec3`
                   help: a swizzle is a method: write `v.xy()`
             1 | fn f(v: UVec3) -> UVec2 { v.xy }
               |                             ^^
            error: [K0104] no method `x` on type `Vec3`
                   help: a lane is a field: write `.x`
             1 | fn f(v: Vec3) -> f32 { v.x() }
               |                          ^
            error: [K0104] no method `saturate` on type `f32`
                   help: write `x.clamp(0.0, 1.0)`
             1 | fn f(x: f32) -> f32 { x.saturate() }
               |                         ^^^^^^^^
            error: [K0104] no method `rsqrt` on type `f32`
                   help: write `1.0 / x.sqrt()`
             1 | fn f(x: f32) -> f32 { x.rsqrt() }
               |                         ^^^^^
            error: [K0104] no method `mix` on type `f32`
                   help: write `a.lerp(b, t)` for vectors, `a + (b - a) * t` for numbers
             1 | fn f(x: f32) -> f32 { x.mix(1.0, 0.5) }
               |                         ^^^
            error: [K0104] no method `magnitude` on type `Vec3`
                   help: write `x.length()`
             1 | fn f(v: Vec3) -> f32 { v.magnitude() }
               |                          ^^^^^^^^^
            error: [K0104] no method `push` on type `&mut [f32]`
                   help: arrays and buffers have a fixed length: write to an index
             1 | fn kernel(x: &mut [f32]) { x.push(1.0); }
               |                              ^^^^
            error: [K0104] no method `length` on type `&mut [f32]`
                   help: slices have `len()`, `iter()`, `first()`, `get(i)`, `swap(i, j)` and others, and indexing
             1 | fn kernel(x: &mut [f32]) { let n = x.length(); }
               |                                      ^^^^^^
            error: [K0104] no method `to_vec` on type `&[f32]`
                   help: there is no heap on the device: write to an array or buffer
             1 | fn kernel(x: &[f32]) { let y = x.to_vec(); }
               |                                  ^^^^^^
            error: [K0104] no method `get_unchecked` on type `&[f32]`
                   help: index it: `x[i]`; checks that cannot fail cost nothing
             1 | fn kernel(x: &[f32]) -> () { let y = x.get_unchecked(1); }
               |                                        ^^^^^^^^^^^^^
            error: [K0104] no method `to_string` on type `f32`
                   help: show it: `println!("{x}")`
             1 | fn f(x: f32) { x.to_string(); }
               |                  ^^^^^^^^^
            error: [K0104] no method `sqrt` on type `u32`
                   help: `sqrt` is a method of `f32`: write `(x as f32).sqrt(…)`
             1 | fn f(x: u32) -> u32 { x.sqrt() }
               |                         ^^^^
        "#]],
    );
}

/// Their words change as the language grows; that there is a way out must stay.
#[test]
fn text_and_memory() {
    each_has_a_way_out(&[
        r##"fn f() { let s = "text"; }"##,
        r##"fn f() { let c = 'c'; }"##,
        r##"fn f() { let b = b"bytes"; }"##,
        r##"fn f() { let v = vec![1, 2]; }"##,
        r##"fn f() { let v = Vec::new(); }"##,
        r##"fn f() { let v = Box::new(1.0); }"##,
        r##"fn f() { let s = format!("{}", 1); }"##,
        r##"fn f(x: f32) { let p = &raw const x; }"##,
        r##"fn f(x: f32) { let p = &x; }"##,
        r##"fn f(x: &f32) -> f32 { *x }"##,
        r##"fn f(x: *const f32) { }"##,
        r##"fn f(x: Box<f32>) { }"##,
        r##"fn f(x: &str) { }"##,
        r##"fn f(x: String) { }"##,
        r##"fn f(x: f128) { }"##,
    ]);
}

/// Their words change as the language grows; that there is a way out must stay.
#[test]
fn items_and_functions() {
    each_has_a_way_out(&[
        r##"fn f() { fn g() {} }"##,
        r##"fn f() { static X: u32 = 1; }"##,
        r##"fn f() { struct S { x: u32 } }"##,
        r##"fn f() { enum E { A } }"##,
        r##"fn f() { use std::f32; }"##,
        r##"fn f() { impl S { } }"##,
        r##"fn f() { mod m {} }"##,
        r##"fn f() { type T = u32; }"##,
        r##"fn f(g: fn(u32) -> u32) { }"##,
        r##"fn f(g: impl Fn(u32) -> u32) { }"##,
        r##"fn f(g: &dyn Fn(u32)) { }"##,
        r##"async fn f() { }"##,
        r##"unsafe fn f() { }"##,
        r##"extern "C" fn f() { }"##,
        r##"fn f(self) { }"##,
        r##"fn f() { let g = |x: u32| x + 1; }"##,
        r##"fn f() { unsafe { } }"##,
        r##"fn f() { async { }; }"##,
        r##"fn f(x: u32) { x.await; }"##,
        r##"fn f() { yield 1; }"##,
        r##"fn f() { asm!("nop"); }"##,
        r##"fn f() { core::arch::asm!("nop"); }"##,
        r##"fn f() { my_macro!(1); }"##,
        r##"fn f(x: u32) -> impl Copy { x }"##,
        r##"fn f(x: !) { loop {} }"##,
    ]);
}

/// Their words change as the language grows; that there is a way out must stay.
#[test]
fn loops_and_patterns() {
    each_has_a_way_out(&[
        r##"fn kernel(x: &[f32]) { for v in x { } }"##,
        r##"fn kernel(x: &[f32]) { for v in x.iter() { } }"##,
        r##"fn kernel(x: &[f32]) { for (i, v) in x.iter().enumerate() { } }"##,
        r##"fn f() { for i in (0..10).filter(|i| true) { } }"##,
        r##"fn f() { for i in 0.. { } }"##,
        r##"fn f() { for i in 0.0..1.0 { } }"##,
        r##"fn f() { let [a, .., b] = [1, 2, 3]; }"##,
        r##"fn f() { let x @ 1 = 1; }"##,
        r##"fn f(x: u32) { match x { 0 => {} } }"##,
        r##"fn f(x: u32) { while let Some(y) = x { } }"##,
        r##"fn f() -> u32 { loop { } }"##,
        r##"fn f() { 'a: loop { break 'b; } }"##,
        r##"fn f() { break; }"##,
    ]);
}

#[test]
fn methods_of_rust_that_kernels_spell_otherwise() {
    check_errors(
        r##"fn two(v: &mut u32) { *v += 1; }
fn kernel(x: &mut [f32], bytes: &[u8], y: &mut [u32]) {
    let (mut a, mut b) = (1u32, 2u32);
    for s in [&mut a, &mut b] { *s += 1; }
    let mut m = Mat3::IDENTITY;
    m.col_mut(1)[2] = 3.0;
    y[0] = subgroup::ballot(true).count_ones();
    let same = bytes[0].eq_ignore_ascii_case(&bytes[1]);
    let mut own = Some(3u32);
    own.as_mut().unwrap_or(&mut a);
    y[1] = clamp(a + 1, 0, b);
    x[0] = sqrt(x[1]) + atan2(x[1], x[2] + 1.0);
}"##,
        expect![[r#"
            error: [K0104] no method `col_mut` on type `Mat3`
                   help: write `m.x_axis[row] = …`; for a column by its number: `let mut cells = m.to_cols_array_2d();`, `cells[column][row] = …;`, and `from_cols_array_2d(&cells)`
             6 |     m.col_mut(1)[2] = 3.0;
               |       ^^^^^^^
            error: [K0104] no method `count_ones` on type `UVec4`
                   help: of a ballot write `subgroup::ballot_count(ballot)`, else take the lanes: `v.x.count_ones()`
             7 |     y[0] = subgroup::ballot(true).count_ones();
               |                                   ^^^^^^^^^^
            error: [K0104] no method `as_mut` on type `Option<u32>`
                   help: take the place apart: `if let Some(v) = x.as_mut() { *v += 1; }`
            10 |     own.as_mut().unwrap_or(&mut a);
               |         ^^^^^^
            error: [K0100] cannot find function `clamp` in this scope
                   help: it is a method: write `(a + 1).clamp(0, b)`
            11 |     y[1] = clamp(a + 1, 0, b);
               |            ^^^^^
            error: [K0100] cannot find function `sqrt` in this scope
                   help: it is a method: write `x[1].sqrt()`
            12 |     x[0] = sqrt(x[1]) + atan2(x[1], x[2] + 1.0);
               |            ^^^^
            error: [K0100] cannot find function `atan2` in this scope
                   help: it is a method: write `x[1].atan2(x[2] + 1.0)`
            12 |     x[0] = sqrt(x[1]) + atan2(x[1], x[2] + 1.0);
               |                         ^^^^^
        "#]],
    );
    check_errors(
        r##"fn found(x: &mut [u32], i: u32) -> Result<u32, u32> {
    *x.get_mut(i as usize).ok_or(i.pow(2))? = 5;
    Ok(1)
}"##,
        expect![[r#"
            error: [K0104] no method `get_mut` on type `&mut [u32]`
                   help: write `if let Some(v) = x.get_mut(i) { … }`, or `let Some(v) = x.get_mut(i) else { return Err(…) };` and `*v = …`, or `x[i] = …`
             2 |     *x.get_mut(i as usize).ok_or(i.pow(2))? = 5;
               |        ^^^^^^^
        "#]],
    );
}

#[test]
fn methods_that_write_values_of_their_own() {
    check_errors(
        "fn kernel(y: &mut [u32], x: &[u32]) {
    y[0] = x.iter().as_ref().sum();
    let o = Some(x[0]);
    if let Some(v) = o.as_ref() { y[1] = *v + o.as_ref().map_or(2, |v| *v); }
}",
        expect![[r#"
            error: [K0104] iterators in kernels have no method `as_ref`
                   help: a method with a similar name exists: `by_ref`
             2 |     y[0] = x.iter().as_ref().sum();
               |                     ^^^^^^
        "#]],
    );
}
