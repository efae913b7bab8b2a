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
