//! Random programs: expressions, branches and loops over variables, in `f64`.

use gridwise_ir::builder::{FunctionBuilder, ModuleBuilder};
use gridwise_ir::ir::{BufferId, Builtin, LocalId, Module, Place, ValueId};
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use crate::{Case, Checked, Numbers, floats};

const VARIABLES: u64 = 4;
const INPUTS: u32 = 6;

struct Program<'b, 'm> {
    b: &'b mut FunctionBuilder<'m>,
    numbers: Numbers,
    variables: Vec<LocalId>,
    x: BufferId,
    item: ValueId,
    depth: u32,
}

impl Program<'_, '_> {
    fn variable(&mut self) -> LocalId {
        self.variables[self.numbers.below(VARIABLES) as usize]
    }

    /// A float of moderate size.
    fn value(&mut self, depth: u32) -> ValueId {
        let kind = if depth == 0 { self.numbers.below(3) } else { self.numbers.below(9) };
        match kind {
            0 => {
                let number = self.numbers.float();
                self.b.const_bits(Scalar::F64, number.to_bits())
            }
            1 => {
                let variable = self.variable();
                self.b.load(Place::local(variable))
            }
            2 => {
                let index = match self.numbers.below(2) {
                    0 => self.item,
                    _ => {
                        let at = self.numbers.below(INPUTS.into()) as u32;
                        self.b.const_u32(at)
                    }
                };
                self.b.load(Place::element(self.x, index, None))
            }
            3 => {
                let (a, b) = (self.value(depth - 1), self.value(depth - 1));
                let condition = self.condition();
                self.b.op(Op::Select, &[condition, a, b])
            }
            4 => {
                // The root of one and a square is smooth.
                let a = self.value(depth - 1);
                let square = self.b.op(Op::Mul, &[a, a]);
                let one = self.b.const_bits(Scalar::F64, 1.0f64.to_bits());
                let sum = self.b.op(Op::Add, &[square, one]);
                let root = self.b.op(Op::Sqrt, &[sum]);
                self.b.op(Op::Div, &[a, root])
            }
            5 => {
                let a = self.value(depth - 1);
                let op = [Op::Neg, Op::Abs][self.numbers.below(2) as usize];
                self.b.op(op, &[a])
            }
            _ => {
                let (a, b) = (self.value(depth - 1), self.value(depth - 1));
                let op = [Op::Add, Op::Sub, Op::Mul, Op::Mul, Op::Min, Op::Max][self.numbers.below(6) as usize];
                self.b.op(op, &[a, b])
            }
        }
    }

    fn condition(&mut self) -> ValueId {
        let (a, b) = (self.value(1), self.value(1));
        self.b.op(Op::Lt, &[a, b])
    }

    /// Sets a variable, kept small.
    fn assign(&mut self) {
        let value = self.value(3);
        let one = self.b.const_bits(Scalar::F64, 1.0f64.to_bits());
        let square = self.b.op(Op::Mul, &[value, value]);
        let sum = self.b.op(Op::Add, &[square, one]);
        let small = self.b.op(Op::Div, &[value, sum]);
        let variable = self.variable();
        self.b.store(Place::local(variable), small);
    }

    fn statements(&mut self, count: u64) {
        for _ in 0..count {
            let kind = if self.depth >= 3 { 0 } else { self.numbers.below(6) };
            self.depth += 1;
            match kind {
                3 | 4 => self.branch(),
                5 => self.rounds(),
                _ => self.assign(),
            }
            self.depth -= 1;
        }
    }

    fn branch(&mut self) {
        let condition = self.condition();
        let (yes, no) = (self.b.new_block(), self.b.new_block());
        let parent = self.b.switch_to(yes);
        let count = 1 + self.numbers.below(3);
        self.statements(count);
        self.b.switch_to(no);
        let count = self.numbers.below(2);
        self.statements(count);
        self.b.switch_to(parent);
        self.b.push_if(condition, yes, no, &[]);
    }

    /// A loop of some rounds, which a condition of the data may leave early or cut short.
    fn rounds(&mut self) {
        let word = self.b.types_mut().scalar(Scalar::U32);
        let counter = self.b.new_local("round", word);
        let zero = self.b.const_u32(0);
        self.b.store(Place::local(counter), zero);
        let body = self.b.new_loop_body(&[]);
        let parent = self.b.switch_to(body);
        let round = self.b.load(Place::local(counter));
        let one = self.b.const_u32(1);
        let next = self.b.op(Op::Add, &[round, one]);
        self.b.store(Place::local(counter), next);
        let end = self.numbers.below(5) as u32;
        let end = self.b.const_u32(end);
        let is_done = self.b.op(Op::Ge, &[round, end]);
        self.jump(is_done, body, true);
        let count = 1 + self.numbers.below(2);
        self.statements(count);
        if self.numbers.below(2) == 0 {
            let condition = self.condition();
            let leaves = self.numbers.below(2) == 0;
            self.jump(condition, body, leaves);
            self.statements(1);
        }
        self.b.continue_(body, &[]);
        self.b.switch_to(parent);
        self.b.push_loop(body, &[], &[]);
    }

    fn jump(&mut self, condition: ValueId, body: gridwise_ir::ir::BlockId, leaves: bool) {
        let (yes, no) = (self.b.new_block(), self.b.new_block());
        let parent = self.b.switch_to(yes);
        if leaves {
            self.b.break_(body, &[]);
        } else {
            self.b.continue_(body, &[]);
        }
        self.b.switch_to(parent);
        self.b.push_if(condition, yes, no, &[]);
    }
}

fn program(seed: u64) -> Module {
    let mut module = ModuleBuilder::new();
    let ty = module.types_mut().scalar(Scalar::F64);
    module.begin_kernel([2, 1, 1]);
    let (x, y) = (module.buffer("x", ty, false), module.buffer("y", ty, true));
    let mut b = module.kernel_function("random");
    let id = b.builtin(Builtin::GlobalId);
    let item = b.extract(id, &[0]);
    let variables: Vec<_> = (0..VARIABLES).map(|number| b.new_local(format!("v{number}"), ty)).collect();
    let mut program =
        Program { b: &mut b, numbers: Numbers(seed * 7919 + 1), variables: variables.clone(), x, item, depth: 0 };
    for variable in &variables {
        let value = program.value(1);
        program.b.store(Place::local(*variable), value);
    }
    program.statements(6);
    let mut sum = program.value(1);
    for variable in variables {
        let value = program.b.load(Place::local(variable));
        sum = program.b.op(Op::Add, &[sum, value]);
    }
    program.b.store(Place::element(y, item, None), sum);
    b.finish();
    module.finish()
}

#[test]
fn random_programs() {
    let count: u64 = std::env::var("GRIDWISE_PROGRAMS").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    let (mut same, mut kinks) = (0, 0);
    for seed in 0..count {
        let module = program(seed);
        if let Err(errors) = gridwise_ir::verify::verify(&module) {
            panic!("seed {seed}: {errors}\n{module}");
        }
        let mut numbers = Numbers(seed + 1);
        let x: Vec<f64> = (0..INPUTS).map(|_| numbers.float()).collect();
        let buffers = vec![floats(Scalar::F64, &x), floats(Scalar::F64, &[0.0; 4])];
        let case = Case { module, groups: 2, buffers, by: vec![0], output: 1, scalar: Scalar::F64 };
        if let Err(refusal) = gridwise_ir::grad::derive(
            &case.module,
            &gridwise_ir::grad::By { buffers: vec![x_buffer()], params: Vec::new() },
        ) {
            assert!(matches!(refusal.refused, gridwise_ir::grad::Refused::NoPath { .. }), "{}", refusal.refused);
            continue;
        }
        match case.check(1e-6, 1e-5, &mut || numbers.float()) {
            Checked::Same => same += 1,
            Checked::Kink => kinks += 1,
            differ => panic!("seed {seed}: {differ:?}\n{}", case.module),
        }
    }
    println!("{same} programs of {count} have the same slopes, {kinks} a kink nearby");
    assert!(same * 10 >= count * 8, "{same} of {count}");
}

fn x_buffer() -> BufferId {
    use gridwise_ir::arena::EntityId;
    BufferId::new(0)
}
