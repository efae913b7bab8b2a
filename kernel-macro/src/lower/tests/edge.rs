//! Odd but legal programs: they must lower to IR that verifies, whatever control flow they leave dead.

use super::harness::{device_module, kernel_module};
use super::twin::twin;

#[test]
fn code_that_control_never_reaches() {
    twin! { fn f(a: u32) -> u32 { return a; let b = a + 1; b } }
    twin! { fn f(a: u32) -> u32 { let b: u32 = return a; if b > 1 { 2 } else { b } } }
    twin! { fn f(a: u32) -> u32 { if a > 2 { return 1; } else { return 2; } } }
    twin! { fn f(a: u32) -> u32 { (if a > 2 { return 1 } else { a }) * 2 } }
    twin! { fn f(a: u32) -> u32 { let t = [a, return 5, 7]; t[1] } }
    twin! { fn f(a: u32) -> u32 { while { if a > 3 { return 9; } false } {} a } }
    twin! { fn f(a: bool) -> bool { a && return true } }
    twin! { fn f(a: bool) -> bool { (a || return false) & !a } }
    twin! { fn f(a: u32) -> u32 { loop { if a > 1 { break; } else { return 4; } } a } }
    twin! { fn f(a: u32) -> u32 { loop { break; } loop { return a; } } }
    twin! { fn f(a: u32) -> u32 { let mut t = [a; 2]; t[if a > 2 { return 3 } else { 1 }] = 1; t[0] } }
    twin! { fn f(a: u32) -> u32 { for i in 0..return 6 { let _ = i; } a } }
    twin! { fn f(a: u32) -> u32 { u32::max(a, return 6) } }
    twin! { fn f(a: u32) -> u32 { 'a: { 'b: { if a > 3 { break 'b; } break 'a 5; } a } } }
    twin! { fn f(a: u32) -> u32 { 'a: loop { 'b: loop { if a > 3 { break 'a; } break 'b; } return 1; } a } }
}

#[test]
fn values_that_are_no_values() {
    twin! { [fn nothing() {} fn unit(a: u32) { if a > 3 { return; } nothing(); }]
    fn f(a: u32) -> u32 { let u = unit(a); let t = (u, a, ()); let (_, b, _) = t; u; t.1 & b } }
    twin! { fn f(a: u32) -> (u32, u32) { let mut p = (a % 9, 1); p.0 = p.1 + 1; p.1 = p.0 * 2; p } }
    twin! { fn f(a: u32) -> (u32, u32) { let (x, (y, _)) = (a, (2, 3)); { { (x, y) } } } }
}

#[test]
fn kernels_that_do_little() {
    kernel_module("fn kernel() {}");
    kernel_module("fn kernel(y: &mut [f32]) { return; }");
    kernel_module("fn kernel(n: usize, b: bool, y: &mut [u32]) { if b { y[n] = y.len() as u32; } }");
    kernel_module(
        "fn kernel(mut n: u32, y: &mut [u32]) { while n > 0 { n -= 1; if y[n] == 0 { continue; } y[n] /= n; } }",
    );
    kernel_module(
        "fn kernel(y: &mut [[f32; 4]]) { let r = y[0]; let mut s = 0.0; for i in 0..r.len() { s += r[i]; y[i][i] = s; } }",
    );
    kernel_module("fn kernel(y: &mut [Vec4]) { let i = local_id().x; y[i] *= 2.0; y[i].w = y[i].dot(y[0]); }");
    kernel_module(
        "fn kernel(y: &mut [u32]) { if y.is_empty() { return } loop { if y[0] > 3 { break } y[0] += num_workgroups().x; } }",
    );
}

#[test]
fn constants_and_shadowing() {
    device_module(
        "const A: f32 = 1.5; const B: [Vec2; 2] = [Vec2::ONE; 2]; fn f(i: u32) -> f32 { A * B[i].x + B[1].y }",
    );
}
