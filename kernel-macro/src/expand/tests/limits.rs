//! Limits that only a compiled kernel shows.

use expect_test::expect;

use super::driver::{accepted, check_errors};

#[test]
fn push_constants() {
    check_errors(
        "#[kernel]
fn k(a: f32, big: [Vec4; 8], x: &mut [f32]) { x[0] = a + big[0].x; }",
        expect![[r#"
            error: [K0201] the parameters by value take 156 bytes of push constants, Vulkan guarantees 128
                   note: the parameters have 132 bytes (`a` 4, `big` 128); gridwise adds 12 bytes for sizes of the grid and of buffers; alignment may add some
                   note: the limit is `maxPushConstantsSize`
                   help: pass large values in a buffer: `&[T]` with one element
             2 | fn k(a: f32, big: [Vec4; 8], x: &mut [f32]) { x[0] = a + big[0].x; }
               |                   ^^^^^^^^^
        "#]],
    );
    accepted("#[kernel] fn k(big: [u32; 26], x: &mut [u32]) { x[0] = big[1]; }");
}

#[test]
fn shared_memory() {
    check_errors(
        "#[kernel]
fn k(y: &mut [f32]) {
    let small = Shared::<[f32; 64]>::new();
    let large = Shared::<[[f32; 128]; 128]>::new();
}",
        expect![[r#"
            error: [K0304] the kernel has 65792 bytes of shared memory, the limit is 65536
                   note: the largest variable is a `Shared<[[f32; 128]; 128]>`
                   note: Vulkan guarantees 16384 bytes (`maxComputeSharedMemorySize`), devices offer 32 to 64 KiB
                   help: work on smaller tiles
             4 |     let large = Shared::<[[f32; 128]; 128]>::new();
               |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        "#]],
    );
    check_errors(
        "#[kernel]
fn k(y: &mut [f32]) {
    let endless = Shared::<[[Vec4; 1000000]; 1000000]>::new();
}",
        expect![[r#"
            error: [K0304] the kernel has more than 4 GiB of shared memory, the limit is 65536
                   note: the largest variable is a `Shared<[[Vec4; 1000000]; 1000000]>`
                   note: Vulkan guarantees 16384 bytes (`maxComputeSharedMemorySize`), devices offer 32 to 64 KiB
                   help: work on smaller tiles
             3 |     let endless = Shared::<[[Vec4; 1000000]; 1000000]>::new();
               |                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        "#]],
    );
    accepted("#[kernel] fn k(y: &mut [f32]) { let tile = Shared::<[f32; 16384]>::new(); y[0] = tile[1]; }");
}

#[test]
fn functions_that_panic_in_functions_that_panic() {
    let eight = |name: &str| format!("{}x{}", format!("{name}(").repeat(8), ")".repeat(8));
    let levels = [("b", "a"), ("c", "b"), ("d", "c"), ("e", "d")];
    let functions = |first: &str| {
        let levels =
            levels.map(|(name, callee)| format!("#[device] fn {name}(x: u32) -> u32 {{ {} }}\n", eight(callee)));
        format!(
            "#[device] fn a(x: u32) -> u32 {{ {first} x * 3 }}\n{}#[kernel] fn k(y: &mut [u32]) {{ let x = y[0]; y[0] = {}; }}",
            levels.concat(),
            eight("e")
        )
    };
    check_errors(
        &functions("assert!(x % 31 != 5 && x / 7 != 3);"),
        expect![[r#"
        error: [K0206] the kernel `k` becomes too large
               note: `e` has 69633 instructions, and each of its 8 calls is replaced by them
               note: so it is with functions that can panic, name buffers or wait: on devices only a kernel can end early
               help: call `e` in a loop, or let it give back an `Option` instead of panicking
         6 | #[kernel] fn k(y: &mut [u32]) { let x = y[0]; y[0] = e(e(e(e(e(e(e(e(x)))))))); }
           |              ^
    "#]],
    );
    // What does not panic is called.
    accepted(&functions("let v = x.rotate_left(3); let w = v % 31 * x + v / 7;"));
}
