//! Kernels as people write them, each with a construct of its own.

use gridwise_ir::types::Scalar;

use crate::{Case, Checked, Numbers, floats, module};

/// Checks a kernel whose buffers are `f64`s: lengths of buffers, inputs, output.
#[track_caller]
fn checks(text: &str, groups: u32, lens: &[usize], by: &[usize]) {
    let module = module(text);
    for seed in 1..6 {
        let mut numbers = Numbers(seed);
        let mut buffer = |len: &usize| {
            let values: Vec<f64> = (0..*len).map(|_| numbers.float()).collect();
            floats(Scalar::F64, &values)
        };
        let buffers = lens.iter().map(&mut buffer).collect();
        let case = Case {
            module: module.clone(),
            groups: [groups, 1, 1],
            buffers,
            by: by.to_vec(),
            output: lens.len() - 1,
            scalar: Scalar::F64,
        };
        let checked = case.check(1e-5, 1e-6, &mut || numbers.float());
        assert_eq!(checked, Checked::Same, "seed {seed}\n{module}\n{}", crate::derived(&module, by).module);
    }
}

#[test]
fn elements_of_their_own() {
    checks(
        r#"kernel fn0 workgroup(4, 1, 1) {
    buffer0 x: [f64]
    buffer1 y: [f64] mut
}
fn0 k() -> () {
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
    %2: f64 = load buffer0[%1]
    %3: f64 = mul %2, %2
    %4: f64 = mul %3, %2
    store buffer1[%1] = %4
    return
}
"#,
        2,
        &[8, 8],
        &[0],
    );
}

/// A product of a matrix and a vector, in an early return's shadow.
#[test]
fn loops_that_add_up() {
    checks(
        r#"kernel fn0 workgroup(4, 1, 1) {
    buffer0 m: [f64]
    buffer1 x: [f64]
    buffer2 y: [f64] mut
}
fn0 k() -> () {
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
    %2: u32 = len buffer2
    %3: bool = ge %1, %2
    if %3 {
        return
    } else {
        yield
    }
    %4: u32 = len buffer1
    %5: u32 = const 0
    %6: f64 = const 0.0
    loop block9(%8: u32 = %5, %9: f64 = %6) -> (%7: f64) {
        %10: bool = lt %8, %4
        if %10 {
            yield
        } else {
            break block9(%9)
        }
        %11: u32 = mul %1, %4
        %12: u32 = add %11, %8
        %13: f64 = load buffer0[%12]
        %14: f64 = load buffer1[%8]
        %15: f64 = mul %13, %14
        %16: f64 = add %9, %15
        %17: u32 = const 1
        %18: u32 = add %8, %17
        continue block9(%18, %16)
    }
    store buffer2[%1] = %7
    return
}
"#,
        2,
        &[18, 3, 6],
        &[0, 1],
    );
}

/// `v = v * x + c` for rounds that are known or not: states have to be kept, all of them where they are known and few.
#[test]
fn loops_whose_values_grow() {
    for (rounds, is_known) in
        [0, 1, 2, 7, 40, 128, 129, 300].into_iter().flat_map(|count| [(count, false), (count, true)])
    {
        let count = match is_known {
            true => format!("%3: u32 = const {rounds}"),
            // The buffer has three elements.
            false => format!("%20: u32 = len buffer0\n    %21: u32 = const {}\n    %3: u32 = sub %21, %20", rounds + 3),
        };
        let text = format!(
            r#"kernel fn0 workgroup(1, 1, 1) {{
    buffer0 x: [f64]
    buffer1 y: [f64] mut
}}
fn0 k() -> () {{
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
    %2: f64 = load buffer0[%1]
    {count}
    %5: u32 = const 0
    loop block9(%7: u32 = %5, %8: f64 = %2) -> (%6: f64) {{
        %9: bool = lt %7, %3
        if %9 {{
            yield
        }} else {{
            break block9(%8)
        }}
        %10: f64 = mul %8, %8
        %11: f64 = mul %10, %2
        %12: f64 = const 0.3
        %13: f64 = mul %11, %12
        %14: f64 = add %13, %12
        %15: u32 = const 1
        %16: u32 = add %7, %15
        continue block9(%16, %14)
    }}
    store buffer1[%1] = %6
    return
}}
"#
        );
        checks(&text, 3, &[3, 3], &[0]);
        let derived = crate::derived(&module(&text), &[0]).module.to_string();
        assert_eq!(derived.contains("states"), is_known && (1..=128).contains(&rounds), "{derived}");
        assert_eq!(derived.contains("kept_top"), !is_known || rounds > 128, "{derived}");
    }
}
