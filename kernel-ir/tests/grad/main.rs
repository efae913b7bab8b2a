//! Derived kernels in the interpreter: `⟨u, J v⟩ = ⟨Jᵀ u, v⟩`, with `J v` from finite differences in `f64`.

mod apart;
mod matrices;
mod programs;
mod random;
mod rules;
mod shared;

use gridwise_ir::arena::EntityId;
use gridwise_ir::grad::{By, Derived, ShadowKind, derive};
use gridwise_ir::interpret::{Inputs, Options, Value, run};
use gridwise_ir::ir::{BufferId, Constant, Module};
use gridwise_ir::types::Scalar;

/// The verified module a text describes.
#[track_caller]
pub fn module(text: &str) -> Module {
    let module = gridwise_ir::parse::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    gridwise_ir::verify::verify(&module).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    module
}

/// Numbers as elements of a buffer.
pub fn floats(scalar: Scalar, values: &[f64]) -> Vec<Value> {
    let constant = |value: &f64| match scalar {
        Scalar::F64 => Constant::Bits(Scalar::F64, value.to_bits()),
        _ => Constant::F32((*value as f32).to_bits()),
    };
    values.iter().map(|value| Value::Scalar(constant(value))).collect()
}

/// Elements of a buffer, or the bits of such, as numbers.
pub fn numbers(values: &[Value]) -> Vec<f64> {
    let number = |value: &Value| match value {
        Value::Scalar(Constant::Bits(Scalar::F64 | Scalar::U64, bits)) => f64::from_bits(*bits),
        Value::Scalar(Constant::F32(bits) | Constant::U32(bits)) => f32::from_bits(*bits).into(),
        other => panic!("not a float: {other:?}"),
    };
    values.iter().map(number).collect()
}

/// A launch of the kernel: the buffers afterwards.
#[track_caller]
pub fn launch(module: &Module, groups: [u32; 3], buffers: Vec<Vec<Value>>) -> Vec<Vec<Value>> {
    let inputs = Inputs { groups, buffers, ..Inputs::default() };
    let outcome = run(module, &inputs, &Options { fuel: 1 << 24, ..Options::default() });
    let found: Vec<_> = outcome.findings.iter().map(|found| found.describe(module).to_string()).collect();
    assert!(found.is_empty(), "{found:?}\n{module}");
    assert!(outcome.traps.is_empty(), "{:?}\n{module}", outcome.traps);
    outcome.buffers
}

/// Derives the kernel by its buffers with these numbers.
#[track_caller]
pub fn derived(module: &Module, by: &[usize]) -> Derived {
    let by = By { buffers: by.iter().map(|number| BufferId::new(*number)).collect(), ..By::default() };
    let derived = derive(module, &by).unwrap_or_else(|refusal| panic!("{}\n{module}", refusal.refused));
    gridwise_ir::verify::verify(&derived.module).unwrap_or_else(|errors| panic!("{errors}\n{}", derived.module));
    derived
}

/// A kernel whose buffers hold scalars, and a launch of it.
pub struct Case {
    /// The kernel.
    pub module: Module,
    /// Workgroups.
    pub groups: [u32; 3],
    /// The contents of the buffers.
    pub buffers: Vec<Vec<Value>>,
    /// The inputs that it is derived by.
    pub by: Vec<usize>,
    /// The output.
    pub output: usize,
    /// The scalar of them all.
    pub scalar: Scalar,
}

/// How a check went.
#[derive(Debug, PartialEq)]
pub enum Checked {
    /// Both products are the same.
    Same,
    /// Steps of two sizes give different slopes: a kink is near.
    Kink,
    /// They differ.
    Differ {
        /// From the differences.
        forward: f64,
        /// From the derived kernel.
        backward: f64,
    },
}

impl Case {
    /// Compares `⟨u, J v⟩` and `⟨Jᵀ u, v⟩`.
    #[track_caller]
    pub fn check(&self, step: f64, tolerance: f64, numbers_of: &mut dyn FnMut() -> f64) -> Checked {
        let derived = derived(&self.module, &self.by);
        let u: Vec<f64> = self.buffers[self.output].iter().map(|_| numbers_of()).collect();
        let directions: Vec<Vec<f64>> =
            self.by.iter().map(|at| self.buffers[*at].iter().map(|_| numbers_of()).collect()).collect();
        let [wide, narrow] = [step, step / 2.0].map(|step| self.slope(step, &u, &directions));
        let scale = 1.0 + wide.abs() + narrow.abs();
        if (wide - narrow).abs() > tolerance * scale || !wide.is_finite() {
            return Checked::Kink;
        }
        let backward = self.backward(&derived, &u, &directions);
        match (narrow - backward).abs() <= 4.0 * tolerance * scale {
            true => Checked::Same,
            false => Checked::Differ { forward: narrow, backward },
        }
    }

    fn slope(&self, step: f64, u: &[f64], directions: &[Vec<f64>]) -> f64 {
        let at = |step: f64| {
            let mut buffers = self.buffers.clone();
            for (input, direction) in self.by.iter().zip(directions) {
                let old = numbers(&buffers[*input]);
                let new: Vec<f64> = old.iter().zip(direction).map(|(old, way)| old + step * way).collect();
                buffers[*input] = floats(self.scalar, &new);
            }
            let outcome = launch(&self.module, self.groups, buffers);
            numbers(&outcome[self.output])
        };
        let (above, below) = (at(step), at(-step));
        above.iter().zip(&below).zip(u).map(|((above, below), u)| u * (above - below) / (2.0 * step)).sum()
    }

    fn backward(&self, derived: &Derived, u: &[f64], directions: &[Vec<f64>]) -> f64 {
        let kernel = derived.module.kernel.as_ref().expect("a kernel is derived");
        let mut buffers = self.buffers.clone();
        buffers.resize(kernel.buffers.len(), Vec::new());
        for (at, shadow) in derived.buffers.iter().enumerate() {
            let Some(shadow) = shadow else { continue };
            buffers[shadow.buffer.index()] = match shadow.kind {
                ShadowKind::Read | ShadowKind::Taken if at == self.output => floats(self.scalar, u),
                ShadowKind::Atomic(scalar) => {
                    let zero = if scalar == Scalar::F64 { Constant::Bits(Scalar::U64, 0) } else { Constant::U32(0) };
                    vec![Value::Scalar(zero); self.buffers[at].len()]
                }
                _ => floats(self.scalar, &vec![0.0; self.buffers[at].len()]),
            };
        }
        let outcome = launch(&derived.module, self.groups, buffers);
        let product = |(at, direction): (&usize, &Vec<f64>)| {
            let shadow = derived.buffers[*at].expect("it is derived by");
            let gradient = numbers(&outcome[shadow.buffer.index()]);
            gradient.iter().zip(direction).map(|(gradient, way)| gradient * way).sum::<f64>()
        };
        self.by.iter().zip(directions).map(product).sum()
    }
}

/// Numbers by a seed, between -1 and 1.
pub struct Numbers(pub u64);

impl Numbers {
    /// The next word.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) ^ (self.0 >> 13)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        (self.word() & 0xffff_ffff) % end
    }

    /// The next number.
    pub fn float(&mut self) -> f64 {
        self.below(1 << 20) as f64 / f64::from(1 << 19) - 1.0
    }
}
