//! Random programs: expressions, branches and loops over variables, and with shared memory between barriers, in `f64`.

use gridwise_ir::arena::EntityId;
use gridwise_ir::builder::{FunctionBuilder, ModuleBuilder};
use gridwise_ir::grad::{By, Refused, derive};
use gridwise_ir::ir::{BufferId, Builtin, LocalId, Module, Place, Root, Scope, SharedId, Step, ValueId};
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use crate::{Case, Checked, Numbers, floats};

const VARIABLES: u64 = 4;
const INPUTS: u32 = 6;
/// Invocations that share.
const GROUP: u32 = 4;

struct Program<'b, 'm> {
    b: &'b mut FunctionBuilder<'m>,
    numbers: Numbers,
    variables: Vec<LocalId>,
    x: BufferId,
    item: ValueId,
    depth: u32,
    /// The variables that invocations share, and the invocation's number.
    shared: Option<([SharedId; 2], ValueId)>,
    /// Whether all invocations come here together.
    together: bool,
}

impl Program<'_, '_> {
    fn variable(&mut self) -> LocalId {
        self.variables[self.numbers.below(VARIABLES) as usize]
    }

    /// A float of moderate size.
    fn value(&mut self, depth: u32) -> ValueId {
        let kinds = if self.shared.is_some() { 12 } else { 9 };
        let kind = if depth == 0 { self.numbers.below(3) } else { self.numbers.below(kinds) };
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
            9.. => {
                let place = self.cell();
                self.b.load(place)
            }
            _ => {
                let (a, b) = (self.value(depth - 1), self.value(depth - 1));
                let op = [Op::Add, Op::Sub, Op::Mul, Op::Mul, Op::Min, Op::Max][self.numbers.below(6) as usize];
                self.b.op(op, &[a, b])
            }
        }
    }

    /// A cell of a shared variable, of any invocation.
    fn cell(&mut self) -> Place {
        let Some((shared, lane)) = self.shared else { unreachable!("only such programs share") };
        let (other, last) = (self.numbers.below(GROUP.into()) as u32, GROUP - 1);
        let (other, last) = (self.b.const_u32(other), self.b.const_u32(last));
        let other = self.b.op(Op::Add, &[lane, other]);
        let value = self.b.op(Op::And, &[other, last]);
        let root = Root::Shared(shared[self.numbers.below(2) as usize]);
        Place { root, path: [Step::Index { value, check: None }].into(), is_unordered: false }
    }

    /// Each invocation, or the first ones, writes its cell, from what others wrote before.
    fn exchange(&mut self) {
        let Some((shared, lane)) = self.shared else { return };
        let shared = Root::Shared(shared[self.numbers.below(2) as usize]);
        let own = Place { root: shared, path: [Step::Index { value: lane, check: None }].into(), is_unordered: false };
        self.assign();
        self.b.barrier(Scope::Workgroup);
        if self.numbers.below(2) == 0 {
            let variable = self.variable();
            let value = self.b.load(Place::local(variable));
            self.b.store(own, value);
        } else {
            let half = self.b.const_u32(GROUP / 2);
            let is_first = self.b.op(Op::Lt, &[lane, half]);
            let (yes, no) = (self.b.new_block(), self.b.new_block());
            let parent = self.b.switch_to(yes);
            let value = self.b.op(Op::Add, &[lane, half]);
            let other = self.b.load(Place {
                root: shared,
                path: [Step::Index { value, check: None }].into(),
                is_unordered: false,
            });
            let before = self.b.load(own.clone());
            let product = self.b.op(Op::Mul, &[before, other]);
            let variable = self.variable();
            let variable = self.b.load(Place::local(variable));
            let sum = self.b.op(Op::Add, &[product, variable]);
            let half = self.b.const_bits(Scalar::F64, 0.5f64.to_bits());
            let sum = self.b.op(Op::Mul, &[sum, half]);
            self.b.store(own, sum);
            self.b.switch_to(parent);
            self.b.push_if(is_first, yes, no, &[]);
        }
        self.b.barrier(Scope::Workgroup);
    }

    /// A loop or branch that all go through together.
    fn all_together(&mut self, is_loop: bool) {
        let word = self.b.types_mut().scalar(Scalar::U32);
        let count = 1 + self.numbers.below(3);
        if !is_loop {
            let group = self.b.builtin(Builtin::WorkgroupId);
            let (group, none) = (self.b.extract(group, &[0]), self.b.const_u32(0));
            let is_first = self.b.op(Op::Eq, &[group, none]);
            let (yes, no) = (self.b.new_block(), self.b.new_block());
            let parent = self.b.switch_to(yes);
            self.statements(count);
            self.b.switch_to(no);
            let count = self.numbers.below(2);
            self.statements(count);
            self.b.switch_to(parent);
            self.b.push_if(is_first, yes, no, &[]);
            return;
        }
        let zero = self.b.const_u32(0);
        let end = self.numbers.below(5) as u32;
        let end = self.b.const_u32(end);
        let body = self.b.new_loop_body(&[word]);
        let round = self.b.block_params(body)[0];
        let parent = self.b.switch_to(body);
        let is_done = self.b.op(Op::Ge, &[round, end]);
        self.jump(is_done, body, true);
        self.statements(count);
        let one = self.b.const_u32(1);
        let next = self.b.op(Op::Add, &[round, one]);
        self.b.continue_(body, &[next]);
        self.b.switch_to(parent);
        self.b.push_loop(body, &[zero], &[]);
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
            let shares = self.together && self.shared.is_some();
            let kind = match self.depth {
                3.. => 0,
                _ => self.numbers.below(if shares { 12 } else { 6 }),
            };
            let together = std::mem::replace(&mut self.together, shares && kind > 5);
            self.depth += 1;
            match kind {
                3 | 4 => self.branch(),
                5 => self.rounds(),
                6..=8 => self.exchange(),
                9 | 10 => self.all_together(true),
                11 => self.all_together(false),
                _ => self.assign(),
            }
            self.together = together;
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

fn program(seed: u64, shares: bool) -> Module {
    let mut module = ModuleBuilder::new();
    let ty = module.types_mut().scalar(Scalar::F64);
    module.begin_kernel([if shares { GROUP } else { 2 }, 1, 1]);
    let row = module.types_mut().array(ty, GROUP);
    let shared = ["s", "t"].map(|name| shares.then(|| module.shared(name, row)));
    let (x, y) = (module.buffer("x", ty, false), module.buffer("y", ty, true));
    let mut b = module.kernel_function("random");
    let id = b.builtin(Builtin::GlobalId);
    let item = b.extract(id, &[0]);
    let variables: Vec<_> = (0..VARIABLES).map(|number| b.new_local(format!("v{number}"), ty)).collect();
    let lane = b.builtin(Builtin::LocalIndex);
    let mut program = Program {
        b: &mut b,
        numbers: Numbers(seed * 7919 + 1),
        variables: variables.clone(),
        x,
        item,
        depth: 0,
        shared: None,
        together: true,
    };
    if let [Some(s), Some(t)] = shared {
        program.shared = Some(([s, t], lane));
        let own = Place {
            root: Root::Shared(s),
            path: [Step::Index { value: lane, check: None }].into(),
            is_unordered: false,
        };
        let value = program.b.load(Place::element(x, item, None));
        program.b.store(own, value);
        program.b.barrier(Scope::Workgroup);
    }
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

/// Checks so many programs; how many have the same slopes.
fn check_programs(count: u64, shares: bool) -> u64 {
    let (mut same, mut kinks, mut refused) = (0, 0, 0);
    let items = if shares { 2 * GROUP } else { 4 };
    for seed in 0..count {
        let module = program(seed, shares);
        if let Err(errors) = gridwise_ir::verify::verify(&module) {
            panic!("seed {seed}: {errors}\n{module}");
        }
        let mut numbers = Numbers(seed + 1);
        let x: Vec<f64> = (0..INPUTS.max(items)).map(|_| numbers.float()).collect();
        let buffers = vec![floats(Scalar::F64, &x), floats(Scalar::F64, &vec![0.0; items as usize])];
        let case = Case { module, groups: [2, 1, 1], buffers, by: vec![0], output: 1, scalar: Scalar::F64 };
        if let Err(refusal) = derive(&case.module, &By { buffers: vec![BufferId::new(0)], ..By::default() }) {
            let is_known = matches!(refusal.refused, Refused::NoPath { .. } | Refused::SharedApart { .. });
            assert!(is_known, "seed {seed}: {}\n{}", refusal.refused, case.module);
            refused += 1;
            continue;
        }
        match case.check(1e-6, 1e-5, &mut || numbers.float()) {
            Checked::Same => same += 1,
            Checked::Kink => kinks += 1,
            differ => panic!("seed {seed}: {differ:?}\n{}", case.module),
        }
    }
    println!("{same} programs of {count} have the same slopes, {kinks} a kink nearby, {refused} no gradient");
    same
}

fn count(usual: u64) -> u64 {
    std::env::var("GRIDWISE_PROGRAMS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn random_programs() {
    let count = count(300);
    let same = check_programs(count, false);
    assert!(same * 10 >= count * 8, "{same} of {count}");
}

/// The interpreter finds no race in the derived kernels, either.
#[test]
fn random_programs_that_share() {
    let count = count(200);
    let same = check_programs(count, true);
    assert!(same * 2 >= count, "{same} of {count}");
}
