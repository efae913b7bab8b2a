//! Limits that only a compiled kernel shows.

use expect_test::expect;

use super::driver::{accepted, check_errors, expand_source};

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
    accepted("#[kernel] fn k(y: &mut [f32]) { let tile = Shared::<[f32; 16384]>::new(); y[global_id().x] = tile[1]; }");
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
               note: functions that can panic, use buffers or wait are inlined: on devices only a kernel can end early
               help: call `e` in a loop, or let it return an `Option` instead of panicking
         6 | #[kernel] fn k(y: &mut [u32]) { let x = y[0]; y[0] = e(e(e(e(e(e(e(e(x)))))))); }
           |              ^
    "#]],
    );
    // Functions that do not panic are called.
    accepted(&functions("let v = x.rotate_left(3); let w = v % 31 * x + v / 7;"));
}

/// `step0` to `step{levels}`, each of which calls the one before twice, and a kernel that calls the last.
fn doubling(levels: u32, first: &str, other: impl Fn(u32) -> String, call: &str) -> String {
    let others: String = (1..=levels).map(|level| other(level) + "\n").collect();
    format!("{first}\n{others}#[kernel] fn k(x: &[u32], y: &mut [u32]) {{ {call} }}")
}

#[test]
fn functions_in_place_that_call_each_other_twice() {
    let slices = |levels| {
        let other = |level| format!("#[device] fn step{level}(t: &mut [u32]) {{ step{0}(t); step{0}(t); }}", level - 1);
        let call = format!("let mut t = [0u32; 4]; step{levels}(&mut t); y[0] = t[0];");
        doubling(levels, "#[device] fn step0(t: &mut [u32]) { t[0] += 1; }", other, &call)
    };
    accepted(&slices(8));
    let errors = expand_source(&slices(40)).errors;
    let shown = errors.lines().take(4).collect::<Vec<_>>().join("\n");
    expect![[r#"
        error: [K0206] the kernel `k` becomes too large
               note: the calls: k → step40 → step39 → step38 → step37 → step36 → step35 → step34 → step33 → step32 → step31 → …
               note: functions that take `&mut`, slices or closures are compiled anew at each call, with the functions that they call
               help: call them in loops, or let the inner ones take and return values"#]]
    .assert_eq(&shown);
    let too_large = |source: &str| {
        let errors = expand_source(source).errors;
        assert!(errors.contains("[K0206]"), "{errors}");
    };
    too_large(&doubling(
        40,
        "#[device] fn step0(t: &mut u32) { }",
        |level| format!("#[device] fn step{level}(t: &mut u32) {{ step{0}(t); step{0}(t); }}", level - 1),
        "let mut t = 0; step40(&mut t); y[0] = t;",
    ));
    too_large(&doubling(
        40,
        "#[device] fn step0(t: &[u32]) -> u32 { t[0] }",
        |level| format!("#[device] fn step{level}(t: &[u32]) -> u32 {{ step{0}(t) + step{0}(t) }}", level - 1),
        "y[0] = step40(x);",
    ));
}

#[test]
fn closures_in_place_that_call_each_other_twice() {
    let closures: String =
        (1..=40).map(|level| format!("let step{level} = |a: u32| step{0}(step{0}(a));", level - 1)).collect();
    let kernel =
        |first: &str| format!("#[kernel] fn k(x: &[u32], y: &mut [u32]) {{ {first} {closures} y[0] = step40(1); }}");
    assert!(expand_source(&kernel("let step0 = |a: u32| x[a] * 3;")).errors.contains("[K0206]"));
    // As functions they are compiled once.
    accepted(&kernel("let step0 = |a: u32| a * 3;"));
}

#[test]
fn functions_that_are_needed_for_ever_more_types() {
    let source = doubling(
        30,
        "#[device] fn step0<T: Copy>(t: T) -> T { t }",
        |level| {
            let call = |number: &str| format!("step{}((t, 1{number}))", level - 1);
            let (first, second) = (call("u32"), call("i32"));
            format!("#[device] fn step{level}<T: Copy>(t: T) -> T {{ let (_, _) = {first}; let (a, _) = {second}; a }}")
        },
        "y[0] = step30(1u32);",
    );
    let errors = expand_source(&source).errors;
    assert!(errors.contains("[K0206] this needs more than 2000 functions"), "{errors}");
}

#[test]
fn consts_that_call_too_much() {
    let functions: String = (1..=40)
        .map(|level| format!("#[device] const fn step{level}(t: u32) -> u32 {{ step{0}(step{0}(t)) }}\n", level - 1))
        .collect();
    let source = format!(
        "#[device] const fn step0(t: u32) -> u32 {{ t ^ 1 }}\n{functions}#[device] const C: u32 = step40(1);\n\
         #[kernel] fn k(y: &mut [u32]) {{ y[0] = C; }}"
    );
    let errors = expand_source(&source).errors;
    assert!(errors.contains("the functions that this const calls make too many calls"), "{errors}");
}

#[test]
fn elements_looked_for_in_else_blocks_of_each_other() {
    let kernel = |times: usize| {
        let (open, close) = ("let Some(v) = t.get_mut(3) else { ".repeat(times), "return; }; *v = 1; ".repeat(times));
        format!("#[kernel] fn k(y: &mut [u32]) {{ let mut t = [0u32; 4]; {open} {close} y[0] = t[0]; }}")
    };
    accepted(&kernel(4));
    assert!(expand_source(&kernel(60)).errors.contains("[K0010] this is nested too deeply"));
}

#[test]
fn types_that_double() {
    let levels = |times: usize, line: &str| {
        format!("#[kernel]\nfn k(y: &mut [u32]) {{\n    let a = y[0];\n{}    y[0] = 1;\n}}", line.repeat(times))
    };
    accepted(&levels(12, "    let a = (a, a);\n"));
    accepted(&levels(90, "    let a = [a];\n"));
    check_errors(
        &levels(40, "    let a = (a, a);\n"),
        expect![[r#"
            error: [K0010] a type is too large here, or nested too deeply
                   note: a type has at most 100 levels, 16384 members, and 67108864 numbers in all elements
                   help: keep the values in a buffer, or make an array of equal ones: `[value; N]`
            17 |     let a = (a, a);
               |             ^^^^^^
        "#]],
    );
    for line in ["    let a = Some(a);\n", "    let a = (a,);\n", "    let a = [a];\n", "    let a = [a, a];\n"] {
        assert!(
            expand_source(&levels(1000, line)).errors.starts_with("error: [K0010] a type is too large here"),
            "{line}"
        );
    }
}
