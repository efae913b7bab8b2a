//! Cooperative matrices in the interpreter: a linear layer of tiles of 8, against products in `f64`.

use gridwise_ir::arena::EntityId;
use gridwise_ir::interpret::Value;
use gridwise_ir::ir::Constant;
use gridwise_ir::types::Scalar;

use crate::{derived, floats, launch, module, numbers};

/// `y = x w`: 8 by 16 times 16 by 8, by one subgroup. The sum goes through a loop of two rounds.
const LINEAR: &str = "
kernel fn0 workgroup(4, 1, 1) {
    buffer0 x: [f16]
    buffer1 w: [f16]
    buffer2 y: [f32] mut
}
fn0 linear() -> () {
    %0: u32 = const 0
    %1: u32 = const 1
    %2: u32 = const 2
    %3: u32 = const 8
    %4: u32 = const 16
    %5: u32 = const 63
    %6: u32 = const 119
    %7: coop<f32, accumulator, 8, 8> = const zero
    loop block1(%8: u32 = %0, %9: coop<f32, accumulator, 8, 8> = %7) -> (%10: coop<f32, accumulator, 8, 8>) {
        %11: bool = lt %8, %2
        if %11 {
            yield
        } else {
            break block1(%9)
        }
        %12: u32 = mul %8, %3
        %13: u32 = add %12, %6
        %14: coop<f16, a, 8, 8> = coop_load buffer0[%13] from %12 step %4 row_major
        %15: u32 = mul %12, %3
        %16: u32 = add %15, %5
        %17: coop<f16, b, 8, 8> = coop_load buffer1[%16] from %15 step %3 row_major
        %18: coop<f32, accumulator, 8, 8> = coop_mul_add %14, %17, %9
        %19: u32 = add %8, %1
        continue block1(%19, %18)
    }
    coop_store buffer2[%5] from %0 step %3 row_major = %10
    return
}
";

fn some(seed: usize, count: usize) -> Vec<f64> {
    (0..count).map(|i| ((i * 7 + seed * 5) % 13) as f64 / 4.0 - 1.5).collect()
}

/// Elements of `f16`; the numbers are so small that each has one.
fn halves(values: &[f64]) -> Vec<Value> {
    let half = |value: &f64| match *value {
        0.0 => 0,
        value => {
            let (sign, size) = (u64::from(value < 0.0), value.abs());
            let exponent = size.log2().floor();
            sign << 15 | ((exponent + 15.0) as u64) << 10 | ((size / exponent.exp2() - 1.0) * 1024.0) as u64
        }
    };
    values.iter().map(|value| Value::Scalar(Constant::Bits(Scalar::F16, half(value)))).collect()
}

#[test]
fn a_linear_layer() {
    let derived = derived(&module(LINEAR), &[0, 1]);
    let (x, w, u) = (some(1, 128), some(2, 128), some(3, 64));
    let kernel = derived.module.kernel.as_ref().expect("a kernel is derived");
    let mut buffers = vec![Vec::new(); kernel.buffers.len()];
    (buffers[0], buffers[1], buffers[2]) = (halves(&x), halves(&w), floats(Scalar::F32, &[0.0; 64]));
    let shadow = |at: usize| derived.buffers[at].expect("it has an adjoint").buffer.index();
    for at in [0, 1] {
        buffers[shadow(at)] = vec![Value::Scalar(Constant::U32(0)); 128];
    }
    buffers[shadow(2)] = floats(Scalar::F32, &u);
    let outcome = launch(&derived.module, [1, 1, 1], buffers);
    let sum = |f: &dyn Fn(usize) -> f64| (0..8).map(f).sum::<f64>();
    let of_x: Vec<f64> = (0..128).map(|at| sum(&|n| u[at / 16 * 8 + n] * w[at % 16 * 8 + n])).collect();
    let of_w: Vec<f64> = (0..128).map(|at| sum(&|m| x[m * 16 + at / 8] * u[m * 8 + at % 8])).collect();
    assert_eq!(numbers(&outcome[shadow(0)]), of_x);
    assert_eq!(numbers(&outcome[shadow(1)]), of_w);
}
