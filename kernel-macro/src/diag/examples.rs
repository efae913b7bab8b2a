//! For each error code a wrong and a right example: the error index shows them, and tests compile them.

use super::code::{self, Code};

/// A code with a source that has it, and one that does what was meant.
pub(crate) struct Example {
    pub(crate) code: Code,
    pub(crate) wrong: &'static str,
    pub(crate) right: &'static str,
}

macro_rules! examples {
    ($($code:ident { $wrong:literal } => { $right:literal })+) => {
        /// In the order of the codes.
        pub(crate) const ALL: &[Example] = &[$(Example { code: code::$code, wrong: $wrong, right: $right }),+];
    };
}

examples! {
    UNSUPPORTED_SYNTAX {
"#[device]
fn doubled(x: f32) -> f32 {
    let factors = vec![2.0, 3.0];
    x * factors[0]
}"
    } => {
"#[device]
fn doubled(x: f32) -> f32 {
    let factors = [2.0, 3.0];
    x * factors[0]
}"
    }
    BAD_ATTRIBUTE {
"#[kernel(threads = 64)]
fn fill(x: &mut [f32]) {
    x[global_id().x] = 1.0;
}"
    } => {
"#[kernel(workgroup = 64)]
fn fill(x: &mut [f32]) {
    x[global_id().x] = 1.0;
}"
    }
    BAD_SIGNATURE {
"#[kernel]
fn sum(x: &[f32]) -> f32 {
    x[0] + x[1]
}"
    } => {
"#[kernel]
fn sum(x: &[f32], out: &mut [f32]) {
    out[0] = x[0] + x[1];
}"
    }
    BAD_STRUCT {
"#[derive(Clone, Copy, GpuData)]
struct Particle {
    position: Vec3,
}"
    } => {
"#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Particle {
    position: Vec3,
}"
    }
    BAD_LITERAL {
"#[device]
fn largest() -> u32 {
    4294967296
}"
    } => {
"#[device]
fn largest() -> u32 {
    4294967295
}"
    }
    BAD_PATTERN {
"#[device]
fn value(x: Option<u32>, other: Option<u32>) -> u32 {
    match (x, other) {
        (Some(a), _) | (_, Some(b)) => a,
        _ => 0,
    }
}"
    } => {
"#[device]
fn value(x: Option<u32>, other: Option<u32>) -> u32 {
    match (x, other) {
        (Some(a), _) | (_, Some(a)) => a,
        _ => 0,
    }
}"
    }
    NESTING {
"#[kernel]
fn fill(x: &mut [u32]) {
    x[0] = (((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((
        (((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
        )))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))));
}"
    } => {
"#[kernel]
fn fill(x: &mut [u32]) {
    x[0] = 1;
}"
    }
    UNKNOWN_NAME {
"#[kernel]
fn fill(x: &mut [f32]) {
    let index = global_id().x;
    x[indx] = 1.0;
}"
    } => {
"#[kernel]
fn fill(x: &mut [f32]) {
    let index = global_id().x;
    x[index] = 1.0;
}"
    }
    UNKNOWN_TYPE {
"#[device]
fn scale(x: float4) -> float4 {
    x * 2.0
}"
    } => {
"#[device]
fn scale(x: Vec4) -> Vec4 {
    x * 2.0
}"
    }
    MISMATCHED_TYPES {
"#[device]
fn half(n: u32) -> f32 {
    n * 0.5
}"
    } => {
"#[device]
fn half(n: u32) -> f32 {
    n as f32 * 0.5
}"
    }
    BAD_OPERAND {
"#[device]
fn square(x: f32) -> f32 {
    x ^ 2.0
}"
    } => {
"#[device]
fn square(x: f32) -> f32 {
    x.powi(2)
}"
    }
    UNKNOWN_METHOD {
"#[device]
fn limited(x: f32) -> f32 {
    x.saturate()
}"
    } => {
"#[device]
fn limited(x: f32) -> f32 {
    x.clamp(0.0, 1.0)
}"
    }
    UNKNOWN_FIELD {
"#[device]
fn red(color: Vec4) -> f32 {
    color.r
}"
    } => {
"#[device]
fn red(color: Vec4) -> f32 {
    color.x
}"
    }
    WRONG_ARGUMENTS {
"#[device]
fn grey(x: f32) -> Vec3 {
    vec3(x)
}"
    } => {
"#[device]
fn grey(x: f32) -> Vec3 {
    Vec3::splat(x)
}"
    }
    BAD_CAST {
"#[device]
fn is_set(x: u32) -> bool {
    x as bool
}"
    } => {
"#[device]
fn is_set(x: u32) -> bool {
    x != 0
}"
    }
    BAD_INDEX {
"#[kernel]
fn fill(x: &mut [f32], at: i32) {
    x[at] = 1.0;
}"
    } => {
"#[kernel]
fn fill(x: &mut [f32], at: u32) {
    x[at] = 1.0;
}"
    }
    CANNOT_INFER {
"#[device]
fn nothing() -> u32 {
    let empty = [];
    0
}"
    } => {
"#[device]
fn nothing() -> u32 {
    let empty: [f32; 0] = [];
    0
}"
    }
    NOT_ASSIGNABLE {
"#[kernel]
fn fill(x: &[f32]) {
    x[global_id().x] = 1.0;
}"
    } => {
"#[kernel]
fn fill(x: &mut [f32]) {
    x[global_id().x] = 1.0;
}"
    }
    BAD_LOOP_CONTROL {
"#[device]
fn check(x: u32) -> u32 {
    if x > 3 {
        break;
    }
    x
}"
    } => {
"#[device]
fn check(x: u32) -> u32 {
    if x > 3 {
        return 3;
    }
    x
}"
    }
    BAD_CONST {
"#[device]
fn table(n: u32) -> f32 {
    let cells = [1.0; n];
    cells[0]
}"
    } => {
"#[device]
fn table() -> f32 {
    let cells = [1.0; 16];
    cells[0]
}"
    }
    MISSING_VALUE {
"#[device]
fn double(x: u32) -> u32 {
    x * 2;
}"
    } => {
"#[device]
fn double(x: u32) -> u32 {
    x * 2
}"
    }
    BAD_FORMAT {
"#[kernel]
fn watch(x: &[f32]) {
    println!(\"{} of {}\", x[0]);
}"
    } => {
"#[kernel]
fn watch(x: &[f32]) {
    println!(\"{} of {}\", x[0], x.len());
}"
    }
    REFERENCE_USE {
"#[device]
fn sum(a: u32, b: u32) -> u32 {
    let both = [&a, &b];
    *both[0] + *both[1]
}"
    } => {
"#[device]
fn sum(a: u32, b: u32) -> u32 {
    let both = [a, b];
    both[0] + both[1]
}"
    }
    UNMARKED {
"fn luma(color: Vec3) -> f32 {
    color.dot(vec3(0.2, 0.7, 0.1))
}

#[kernel]
fn grey(x: &[Vec3], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = luma(x[i]);
}"
    } => {
"#[device]
fn luma(color: Vec3) -> f32 {
    color.dot(vec3(0.2, 0.7, 0.1))
}

#[kernel]
fn grey(x: &[Vec3], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = luma(x[i]);
}"
    }
    RECURSION {
"#[device]
fn factorial(n: u32) -> u32 {
    if n == 0 { 1 } else { n * factorial(n - 1) }
}"
    } => {
"#[device]
fn factorial(n: u32) -> u32 {
    let mut product = 1;
    for factor in 2..=n {
        product *= factor;
    }
    product
}"
    }
    PUSH_CONSTANTS {
"#[kernel]
fn fill(values: [Vec4; 9], x: &mut [Vec4]) {
    x[global_id().x] = values[0];
}"
    } => {
"#[kernel]
fn fill(values: &[Vec4], x: &mut [Vec4]) {
    x[global_id().x] = values[0];
}"
    }
    WORKGROUP_SIZE {
"#[kernel(workgroup = [64, 64])]
fn fill(x: &mut [f32]) {
    x[global_id().x] = 1.0;
}"
    } => {
"#[kernel(workgroup = [16, 16])]
fn fill(x: &mut [f32]) {
    x[global_id().x] = 1.0;
}"
    }
    BUFFER_USE {
"#[kernel]
fn either(a: &[f32], b: &[f32], y: &mut [f32]) {
    y[0] = (if a[0] > b[0] { a } else { b }).iter().sum();
}"
    } => {
"#[kernel]
fn either(a: &[f32], b: &[f32], y: &mut [f32]) {
    let larger = if a[0] > b[0] { a } else { b };
    y[0] = larger.iter().sum();
}"
    }
    UNINITIALISED {
"#[device]
fn total(x: &[f32], half: bool) -> f32 {
    let part: &[f32];
    if half { part = &x[4..] } else { part = x }
    part.iter().sum()
}"
    } => {
"#[device]
fn total(x: &[f32], half: bool) -> f32 {
    let start = if half { 4 } else { 0 };
    let part = &x[start..];
    part.iter().sum()
}"
    }
    PARAMETER_TYPE {
"#[kernel]
fn fill(flags: &[bool], x: &mut [u32]) {
    x[0] = flags[0] as u32;
}"
    } => {
"#[kernel]
fn fill(flags: &[u32], x: &mut [u32]) {
    x[0] = flags[0];
}"
    }
    KERNEL_SIZE {
"#[device]
fn step(x: u32) -> u32 {
    assert!(x != 1 && x != 3 && x != 5 && x != 7 && x != 9);
    x * 3
}

#[device]
fn steps(x: u32) -> u32 {
    step(step(step(step(step(step(step(step(x))))))))
}

#[device]
fn leap(x: u32) -> u32 {
    steps(steps(steps(steps(steps(steps(steps(steps(x))))))))
}

#[device]
fn leaps(x: u32) -> u32 {
    leap(leap(leap(leap(leap(leap(leap(leap(x))))))))
}

#[kernel]
fn run(x: &mut [u32]) {
    x[0] = leaps(leaps(leaps(leaps(leaps(leaps(leaps(leaps(x[0]))))))));
}"
    } => {
"#[device]
fn step(x: u32) -> u32 {
    assert!(x != 1 && x != 3 && x != 5 && x != 7 && x != 9);
    x * 3
}

#[kernel]
fn run(x: &mut [u32]) {
    for _ in 0..4096 {
        x[0] = step(x[0]);
    }
}"
    }
    ITEMS {
"#[kernel(items_per_invocation = 4)]
fn number(x: &mut [u32]) {
    x[global_id().x] = workgroup_id().x;
}"
    } => {
"#[kernel]
fn number(x: &mut [u32]) {
    x[global_id().x] = workgroup_id().x;
}"
    }
    SHARED_USE {
"#[kernel]
fn reverse(x: &mut [f32]) {
    if local_id().x == 0 {
        let tile = Shared::<[f32; 64]>::new();
        tile[0] = x[0];
    }
}"
    } => {
"#[kernel]
fn reverse(x: &mut [f32]) {
    let tile = Shared::<[f32; 64]>::new();
    if local_id().x == 0 {
        tile[0] = x[0];
    }
}"
    }
    ATOMIC_USE {
"#[kernel]
fn count(bins: &[Atomic<u32>]) {
    bins[0] += 1;
}"
    } => {
"#[kernel]
fn count(bins: &[Atomic<u32>]) {
    bins[0].fetch_add(1, Relaxed);
}"
    }
    MEMORY_ORDER {
"#[kernel]
fn count(bins: &[Atomic<u32>]) {
    bins[0].fetch_add(1, SeqCst);
}"
    } => {
"#[kernel]
fn count(bins: &[Atomic<u32>]) {
    bins[0].fetch_add(1, AcqRel);
}"
    }
    SUBGROUP_OPERAND {
"#[kernel]
fn sum(x: &mut [u32]) {
    let total = subgroup::add(x[global_id().x] > 0);
}"
    } => {
"#[kernel]
fn sum(x: &mut [u32]) {
    let total = subgroup::add((x[global_id().x] > 0) as u32);
    x[global_id().x] = total;
}"
    }
    SHARED_SIZE {
"#[kernel]
fn sort(x: &mut [f32]) {
    let tile = Shared::<[f32; 100000]>::new();
    tile[0] = x[0];
}"
    } => {
"#[kernel]
fn sort(x: &mut [f32]) {
    let tile = Shared::<[f32; 4096]>::new();
    tile[local_index()] = x[global_id().x];
}"
    }
    DIVERGENT_BARRIER {
"#[kernel(workgroup = 64)]
fn sum_halves(x: &mut [f32]) {
    let tile = Shared::<[f32; 64]>::new();
    let i = local_id().x;
    tile[i] = x[i];
    if i < 32 {
        barrier();
        x[i] = tile[i] + tile[i + 32];
    }
}"
    } => {
"#[kernel(workgroup = 64)]
fn sum_halves(x: &mut [f32]) {
    let tile = Shared::<[f32; 64]>::new();
    let i = local_id().x;
    tile[i] = x[i];
    barrier();
    if i < 32 {
        x[i] = tile[i] + tile[i + 32];
    }
}"
    }
    MATRIX_USE {
"#[kernel(workgroup = 32)]
fn square(x: &[f16], y: &mut [f32]) {
    let first = local_index() * 256;
    let a = CoopMatrix::<f16, MatrixA, 16, 16>::load(x, first, 16, RowMajor);
    let b = CoopMatrix::<f16, MatrixB, 16, 16>::load(x, first, 16, RowMajor);
    let c = CoopMatrix::<f32, Accumulator, 16, 16>::splat(0.0);
    a.mul_add(b, c).store(y, first, 16, RowMajor);
}"
    } => {
"#[kernel(workgroup = 32)]
fn square(x: &[f16], y: &mut [f32]) {
    let first = (workgroup_id().x * num_subgroups() + subgroup_id()) * 256;
    let a = CoopMatrix::<f16, MatrixA, 16, 16>::load(x, first, 16, RowMajor);
    let b = CoopMatrix::<f16, MatrixB, 16, 16>::load(x, first, 16, RowMajor);
    let c = CoopMatrix::<f32, Accumulator, 16, 16>::splat(0.0);
    a.mul_add(b, c).store(y, first, 16, RowMajor);
}"
    }
    RACE {
"#[kernel]
fn smooth(y: &mut [f32]) {
    let i = global_id().x;
    y[i] = (y[i] + y[i + 1]) / 2.0;
}"
    } => {
"#[kernel]
fn smooth(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = (x[i] + x[i + 1]) / 2.0;
}"
    }
    SPIRV_ARGUMENT {
"gridwise::include_spirv!(\"scale.spv\", Scaled);"
    } => {
"gridwise::include_spirv!(\"scale.spv\" as Scaled);"
    }
    SPIRV_FILE {
"gridwise::include_spirv!(\"scale.comp\");"
    } => {
"// glslc --target-env=vulkan1.2 scale.comp -o scale.spv
gridwise::include_spirv!(\"scale.spv\");"
    }
    SPIRV_MODULE {
"// A module with a texture and its sampler apart.
gridwise::include_spirv!(\"apart.spv\");"
    } => {
"gridwise::include_spirv!(\"scale.spv\");"
    }
    NO_GRADIENT {
"#[kernel(grad(x))]
fn halved(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = f32::from_bits(x[i].to_bits() - (1 << 23));
}"
    } => {
"#[kernel(grad(x))]
fn halved(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = x[i] * 0.5;
}"
    }
    LOST_VALUE {
"#[kernel(grad(x))]
fn grow(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = y[i] * x[i];
}"
    } => {
"#[kernel(grad(x, y))]
fn grow(x: &[f32], y: &[f32], grown: &mut [f32]) {
    let i = global_id().x;
    grown[i] = y[i] * x[i];
}"
    }
    GRADIENT_OF {
"#[kernel(grad(x, n))]
fn scale(n: u32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = x[i] * n as f32;
}"
    } => {
"#[kernel(grad(x))]
fn scale(n: u32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = x[i] * n as f32;
}"
    }
}
