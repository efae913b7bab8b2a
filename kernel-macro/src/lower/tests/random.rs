//! Random programs, from source: what their IR computes stays the same through all passes together.

#[allow(dead_code, reason = "the programs' other users need the rest")]
#[path = "../../../../tests/differential/generator/mod.rs"]
mod generator;

use gridwise_ir::interpret::{Invocation, Value, World, run_kernel};
use gridwise_ir::ir::{Constant, Module};
use gridwise_ir::passes::optimize;
use gridwise_ir::verify::verify;

use crate::infer::tests::harness::accepted;
use crate::lower::lower_kernel;

/// What the programs share, as the harness of the device tests has it.
const SHARED: &str = "
    struct Pair { first: u32, second: [i32; 3], third: f32 }
    enum Shape { Empty, Line(i32), Area { width: u32, height: f32 } }
    fn small(value: u32) -> Option<u32> { if value < 0x1000_0000 { Some(value) } else { None } }
    fn grown(shape: Shape, by: u32) -> Shape {
        match shape {
            Shape::Empty => Shape::Line(by as i32),
            Shape::Line(length) if length < 0 => Shape::Empty,
            Shape::Line(length) => Shape::Area { width: by, height: length as f32 },
            Shape::Area { width, .. } => Shape::Area { width: width.wrapping_add(by), height: 0.5 },
        }
    }
    fn tame(value: f32) -> f32 { if value.abs() < 1e-30 { 0.0 } else { value } }
    fn word_of(value: f32) -> u32 {
        if value.is_nan() { 0x7fc0_0000 } else if value == 0.0 { 0 } else { value.to_bits() }
    }
    fn code(shape: Shape) -> u32 {
        match shape {
            Shape::Empty => 1,
            Shape::Line(length) => length as u32 ^ 2,
            Shape::Area { width, height } => width.rotate_left(9) ^ word_of(height),
        }
    }
";

const FUEL: u64 = 2_000_000;

/// Programs per run; `CASES` in the environment says another number, `SEED` another start.
const CASES: u64 = 120;

#[test]
fn passes_keep_what_random_programs_compute() {
    let number = |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().expect("a number"));
    let first = number("SEED", 40_000);
    for seed in first..first + number("CASES", CASES) {
        let program = generator::items(seed, "kernel");
        let source = format!("{SHARED}{}{}", program.helpers.concat(), program.kernel);
        let program = accepted(&source);
        let kernel = crate::infer::tests::harness::kernel_of(&program);
        let before = lower_kernel(&program, kernel, [32, 1, 1], true).module;
        verify(&before).unwrap_or_else(|errors| panic!("seed {seed}: {errors}"));
        let mut after = before.clone();
        let _ = optimize(&mut after);
        verify(&after).unwrap_or_else(|errors| panic!("seed {seed}: {errors}"));
        for item in [0, 1, 7, 30] {
            let (expected, found) = (run(&before, item, FUEL), run(&after, item, FUEL * 2));
            assert_eq!(expected, found, "seed {seed}, invocation {item}");
        }
    }
}

/// The words that one invocation writes.
fn run(module: &Module, item: u32, fuel: u64) -> Vec<Value> {
    let scalar = |constant| Value::Scalar(constant);
    let bits = |k: u32| {
        if k < 16 { [0, 1, 2, 31, 32, 255, 1 << 31, u32::MAX][k as usize / 2] } else { k.wrapping_mul(0x9e37_79b9) }
    };
    let invocation =
        Invocation { global_id: [item, 0, 0], local_id: [item, 0, 0], workgroup_id: [0; 3], num_workgroups: [1; 3] };
    let buffers = vec![
        (0..64).map(|k| scalar(Constant::U32(bits(k)))).collect(),
        (0..64).map(|k| scalar(Constant::I32(bits(k).wrapping_neg() as i32))).collect(),
        (0..64).map(|k| scalar(Constant::F32(((bits(k) as i32 >> 8) as f32 / 64.0).to_bits()))).collect(),
        vec![scalar(Constant::U32(0)); 32 * 4],
    ];
    let params = vec![
        scalar(Constant::U32(0xdead_beef)),
        scalar(Constant::I32(-12_345)),
        scalar(Constant::F32(2.75f32.to_bits())),
    ];
    let mut world = World { invocation, params, buffers, fuel, ..World::default() };
    run_kernel(module, &mut world).unwrap_or_else(|error| panic!("{error}"));
    assert!(world.traps.is_empty(), "random programs do not trap: {:?}", world.traps);
    world.buffers.pop().expect("the output is the last buffer")
}
