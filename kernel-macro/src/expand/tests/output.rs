//! The output of expansions: it parses, and it is the same each time.

use proc_macro2::TokenStream;
use quote::quote;

use super::driver::{accepted, expand_file};
use crate::gather::{EntryKind, Place, item_key};

const SOURCE: &str = "
#[device] pub const SCALE: f32 = 2.0;
#[device] pub const SIZE: u32 = 64;
#[derive(Clone, Copy, GpuData)] #[repr(C)] pub struct Particle { position: Vec3, mass: f32 }
#[device] fn sq(a: f32) -> f32 { a * a * SCALE }
#[device] pub fn lerp(a: f32, b: f32, t: f32) -> f32 { sq(a) + (b - a) * t * math::SCALE }
#[kernel(workgroup = [SIZE, 2])]
fn step(dt: f32, flag: bool, p: &mut [Particle], seq: &[f32]) {
    let i = global_id().x;
    let lerp = 1.0;
    if flag { p[i].mass = crate::lerp(seq[i], dt, lerp); }
    p[i] = Particle { position: Vec3::splat(f32::MAX), mass: p[i].mass };
}";

#[test]
fn output_is_rust() {
    let expanded = accepted(SOURCE);
    for (name, tokens) in &expanded.tokens {
        syn::parse2::<syn::File>(tokens.clone()).unwrap_or_else(|error| panic!("{name}: {error}\n{tokens}"));
    }
    let step = expanded.tokens["step"].to_string();
    for part in ["implementation !", " 28 64 2 1)", "p slice_mut 2 buffer 0 true 16 4 : Particle", "(\"step\" 8 4 b"] {
        assert!(step.contains(part), "no `{part}` in {step}");
    }
}

#[test]
fn output_is_deterministic() {
    let file = syn::parse_file(SOURCE).expect("the source is Rust");
    let text = || expand_file(file.clone(), SOURCE).tokens.values().map(ToString::to_string).collect::<String>();
    assert!(text() == text(), "two expansions of the same tokens differ");
}

#[test]
fn keys_name_the_place() {
    let name = syn::parse_str("thing").expect("a name");
    assert!(item_key(&name).contains(":1:1 thing"));
    assert_eq!(Place::of(&name).position, (1, 1));
    let kind = EntryKind::Struct;
    assert_eq!(quote!(#kind).to_string(), "gpu_struct");
}

#[test]
fn what_cannot_be_read_stays_for_rustc() {
    let item: TokenStream = "fn k(x: &mut [u32]) { let y = ; }".parse().expect("Rust's tokens");
    for tokens in
        [super::super::kernel(TokenStream::new(), item.clone()), super::super::device(TokenStream::new(), item)]
    {
        let text = tokens.to_string();
        assert!(text.contains("this cannot be read: expected an expression"), "{text}");
        assert!(text.ends_with("fn k (x : & mut [u32]) { let y = ; }"), "{text}");
    }
}

/// The host's way of running a kernel whose invocations wait for each other.
#[test]
fn kernels_that_wait_run_in_loops_or_in_steps_where_they_can() {
    let head = "
#[device] fn sum_of(slots: &mut [u32], own: u32) -> u32 { let l = local_id().x; slots[l] = own; barrier(); slots[l ^ 1] }
#[device] fn until(slots: &mut [u32], end: u32) { for i in 0..end { slots[i] = 1; barrier(); } }
#[device] fn lone(own: u32) -> u32 { subgroup::add(own) }
#[device] fn each(n: u32, mut f: impl FnMut(u32)) { for i in 0..n { f(i); } }
#[kernel(workgroup = 64)]
unsafe fn step(n: u32, x: &[u32], y: &mut [u32]) { let l = local_id().x; let mut slots = Shared::<[u32; 64]>::new();";
    for (body, way) in [
        ("slots[l] = x[l]; barrier(); y[l] = slots[l ^ 1];", "run_loops"),
        ("for i in 0..n { if n > 3 { y[l] += sum_of(&mut slots[..], i) * 2 + 1; } barrier(); }", "run_loops"),
        ("let mut k = 64; while k > 1 { barrier(); let half = k / 2; slots[l] += half; k = half; }", "run_loops"),
        ("for (i, _) in [1, 2].iter().enumerate() { barrier(); y[l] = i as u32; }", "run_steps"),
        ("for i in (0..n).rev().step_by(2) { for _ in 0..=i { barrier(); } } y[l] = slots[l];", "run_loops"),
        ("{ barrier(); } if x.len() > 3 { barrier(); } else if n == 2 { y[l] = 1; } else { barrier(); }", "run_loops"),
        // Jumps within a part.
        (
            "'a: for i in 0..l { for j in 0..i { if x[j] == 3 { continue 'a; } slots[l] += 1; } } barrier(); y[l] = slots[0];",
            "run_loops",
        ),
        // Values of memory may differ, for all that the text shows.
        ("let m = x[0]; for i in 0..m { barrier(); slots[l] = i; }", "run_steps"),
        ("if workgroup_uniform(slots[0] > 3) { barrier(); } y[l] = slots[0];", "run_steps"),
        // So do variables that an invocation changes by itself.
        ("let mut k = 0; if x[0] > 3 { k = 1; } if k == 1 { barrier(); } y[l] = slots[0];", "run_steps"),
        ("let mut k = n; let r = &mut k; *r = 3; if k == 3 { barrier(); } y[l] = slots[0];", "run_steps"),
        ("let mut k = n; std::mem::swap(&mut k, &mut 3); if k == 3 { barrier(); } y[l] = slots[0];", "run_steps"),
        // A divisor that may be zero is reported for each invocation.
        ("for _ in 0..100 / n { barrier(); } y[l] = slots[0];", "run_steps"),
        // The workgroup leaves a loop in its middle.
        ("for i in 0..9 { if i == n { break; } barrier(); } y[l] = slots[0];", "run_steps"),
        ("if n == 3 { return; } barrier(); y[l] = slots[0];", "run_steps"),
        ("loop { barrier(); if n < 3 { break; } } y[l] = slots[0];", "run_steps"),
        // References and closures live across a barrier.
        ("let part = &x[1..]; barrier(); y[l] = part[0] + slots[0];", "run_steps"),
        ("let f = |i: u32| x[i] + n; barrier(); y[l] = f(0) + slots[0];", "run_steps"),
        ("let late; barrier(); late = x[l]; barrier(); y[l] = late + slots[0];", "run_steps"),
        // The name of a variable that changes means another one at the end of its part.
        ("let mut k = l; barrier(); k += 1; let k = k * 2; barrier(); y[l] = k + slots[0];", "run_steps"),
        ("let k = l; barrier(); let k = k * 2; barrier(); y[l] = k + slots[0];", "run_loops"),
        // A function that has no form in loops, and arguments that differ.
        ("until(&mut slots[..], 3); y[l] = slots[0];", "run_steps"),
        ("y[l] = sum_of(&mut slots[1..], 3);", "run_steps"),
        // A read before a call that waits, and arguments of a call that change something.
        ("y[l] = slots[0] + sum_of(&mut slots[..], 4);", "run_steps"),
        ("let mut k = l; y[l] = k + sum_of(&mut slots[..], { k += 1; k });", "run_steps"),
        ("y[l] = sum_of(&mut slots[..], 3) + n * sum_of(&mut slots[..], 4) + slots[0];", "run_loops"),
        ("let sum = subgroup::add(x[l]) + (subgroup::max(l) as u32); y[l] = sum;", "run_loops"),
        ("if subgroup::elect() { y[l] = subgroup::ballot_count(subgroup::ballot(l > 3)); }", "run_fibers"),
        ("if subgroup::any(l > 3) { y[l] = slots[0]; } subgroup::barrier();", "run_loops"),
        // Without a form that gives way.
        ("y[l] = lone(x[l]);", "run_fibers"),
        // In what may be one of Rust's closures.
        ("each(n, |i| { slots[l] = i; barrier(); }); y[l] = slots[0];", "run_fibers"),
        ("y[l] = (0..n).map(|i| subgroup::add(i)).sum();", "run_fibers"),
        // Values that are too large to be kept for all invocations at once.
        ("let mut own = [0; 40_000]; own[l] = x[l]; barrier(); y[l] = own[l] + own[n];", "run_fibers"),
    ] {
        let expanded = accepted(&format!("{head} {body} }}"));
        let step = expanded.tokens["step"].to_string();
        assert!(step.contains(way), "no `{way}` of {body} in {step}");
        assert_eq!(step.contains("await"), way == "run_steps", "{body}: {step}");
    }
}
