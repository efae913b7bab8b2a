//! Verdicts on launches of kernels that take their positions apart, guard the parts, and access what is near: where obligations hold,
//! nothing that they speak of traps.

use std::fmt::Write;

use gridwise_ir::descriptor::Verdict;
use gridwise_ir::interpret::Value;
use gridwise_ir::ir::Constant;
use gridwise_ir::parse::parse;

use crate::generate::Random;
use crate::launches::verdict_with;
use crate::random::world;
use crate::text::seeds;

/// Writes a kernel, line by line.
struct Writer<'r> {
    random: &'r mut Random,
    text: String,
    /// The type of the numbers.
    ty: &'static str,
    next: u32,
    /// Numbers that indices are made of.
    values: Vec<String>,
}

impl Writer<'_> {
    fn line(&mut self, ty: &str, inst: &str) -> String {
        self.next += 1;
        let _ = writeln!(self.text, "    %{}: {ty} = {inst}", self.next);
        format!("%{}", self.next)
    }

    fn op(&mut self, op: &str, a: &str, b: &str) -> String {
        self.line(self.ty, &format!("{op} {a}, {b}"))
    }

    fn constant(&mut self, value: u32) -> String {
        self.line(self.ty, &format!("const {value}"))
    }

    fn any(&mut self) -> String {
        let at = self.random.below(self.values.len());
        self.values[at].clone()
    }

    /// `whole / by` and `whole % by`, as they are lowered.
    fn divide(&mut self, whole: &str, by: &str) {
        let (zero, one) = (self.constant(0), self.constant(1));
        let mut is_zero = self.line("bool", &format!("eq {by}, {zero}"));
        if self.ty == "i32" {
            let (least, minus) = (self.line("i32", "const -2147483648"), self.line("i32", "const -1"));
            let is_least = self.line("bool", &format!("eq {whole}, {least}"));
            let is_minus = self.line("bool", &format!("eq {by}, {minus}"));
            let overflows = self.line("bool", &format!("and {is_least}, {is_minus}"));
            is_zero = self.line("bool", &format!("or {is_zero}, {overflows}"));
        }
        let _ = writeln!(
            self.text,
            "    if {is_zero} {{\n        trap site1(%0, %0)\n        yield\n    }} else {{\n        yield\n    }}"
        );
        let by = self.line(self.ty, &format!("select {is_zero}, {one}, {by}"));
        let quotient = self.op("div", whole, &by);
        let rest = self.op("rem", whole, &by);
        self.values.extend([quotient.clone(), rest.clone(), quotient, rest]);
    }

    /// Lets those invocations go on for which two values compare.
    fn guard(&mut self) {
        let op = ["lt", "lt", "le", "gt", "ge", "ne"][self.random.below(6)];
        let (a, b) = (self.near(), self.near());
        let is_so = self.line("bool", &format!("{op} {a}, {b}"));
        let _ = writeln!(self.text, "    if {is_so} {{\n        yield\n    }} else {{\n        return\n    }}");
    }

    /// A value, or one that is a step away from it.
    fn near(&mut self) -> String {
        let value = self.any();
        match self.random.below(6) {
            0 => {
                let one = self.constant(1);
                let op = ["add", "sub"][self.random.below(2)];
                self.op(op, &value, &one)
            }
            1 => {
                let other = self.any();
                let op = ["add", "sub", "mul", "min"][self.random.below(4)];
                self.op(op, &value, &other)
            }
            2 => {
                let (two, more) = (self.constant(2), self.random.below(3) as u32);
                let twice = self.op("mul", &value, &two);
                let more = self.constant(more);
                self.op("add", &twice, &more)
            }
            _ => value,
        }
    }

    /// A sum of three, two of which may have been compared before, or a choice.
    fn index(&mut self) -> String {
        let (a, b, c) = (self.near(), self.any(), self.any());
        match self.random.below(7) {
            0 | 1 => a,
            2 => self.op("add", &a, &b),
            3 => self.op("sub", &a, &b),
            4 => {
                let row = self.op("mul", &a, &b);
                self.op("add", &row, &c)
            }
            5 => {
                let row = self.op("mul", &a, &b);
                let one = self.constant(1);
                let op = ["add", "sub"][self.random.below(2)];
                let column = self.op("add", &row, &c);
                self.op(op, &column, &one)
            }
            _ => {
                let (op, one) = (["lt", "ne", "eq"][self.random.below(3)], self.constant(1));
                let next = self.op("add", &b, &one);
                let compared = if op == "lt" { &b } else { &next };
                let is_so = self.line("bool", &format!("{op} {compared}, {c}"));
                self.line(self.ty, &format!("select {is_so}, {next}, {a}"))
            }
        }
    }
}

#[test]
fn parts_of_positions_stay_within_what_launches_keep() {
    let mut held = 0;
    let seeds = seeds(400);
    let cases = seeds.end - seeds.start;
    for seed in seeds {
        let mut random = Random(seed);
        let ty = if random.one_in(3) { "i32" } else { "u32" };
        let mut writer = Writer { random: &mut random, text: String::new(), ty, next: 7, values: Vec::new() };
        for source in ["%1", "%1", "%2", "%3", "%4", "%5", "%6", "%7"] {
            let value = writer.line(ty, &format!("cast {source}"));
            writer.values.push(value);
        }
        if writer.random.one_in(3) {
            let [w, h] = [3, 4].map(|at| writer.values[at].clone());
            let plane = writer.op("mul", &w, &h);
            writer.values.extend([plane.clone(), plane]);
        }
        let in_front = writer.random.below(2);
        (0..in_front).for_each(|_| writer.guard());
        for _ in 0..1 + writer.random.below(2) {
            let (whole, by) = (writer.any(), writer.any());
            writer.divide(&whole, &by);
        }
        for _ in 0..1 + writer.random.below(3) {
            writer.guard();
        }
        for _ in 0..1 + writer.random.below(2) {
            let index = writer.index();
            let index = writer.line("u32", &format!("cast {index}"));
            let _ = writeln!(writer.text, "    store buffer1[{index} !site0] = %0");
        }
        let text = format!(
            "file0 \"a.rs\"\nsite0 index_out_of_bounds @file0:1:1 \"a\"\nsite1 divide_by_zero @file0:1:1 \"b\"\nkernel fn0 workgroup(4, 1, 1) \
             {{\n    buffer0 a: [u32]\n    buffer1 b: [u32] mut\n    param0 w: {ty}\n    param1 h: {ty}\n}}\nfn0 k() -> () {{\n    %0: u32 = const 7\n    \
             %100: vec3<u32> = global_id\n    %1: u32 = extract %100.0\n    %2: u32 = extract %100.1\n    %3: {ty} = param0\n    %4: {ty} = param1\n    %5: u32 = len \
             buffer0\n    %6: u32 = len buffer1\n    %101: vec3<u32> = local_id\n    %7: u32 = extract %101.0\n{}    return\n}}\n",
            writer.text
        );
        let module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut world = world(&mut Random(seed));
        world.lists = Vec::new();
        for _ in 0..3 {
            let number = |random: &mut Random| match random.below(12) {
                0 => 0,
                1 => 1 << 31,
                2 => u32::MAX,
                3 => 1 << 16,
                _ => 1 + random.below(6) as u32,
            };
            let (w, h) = (number(&mut random), number(&mut random));
            let whole = w.saturating_mul(h).min(40) as usize;
            let len = |random: &mut Random| if random.one_in(2) { whole } else { random.below(24) };
            let lengths = [len(&mut random), len(&mut random)];
            world.buffers = lengths.map(|len| vec![Value::Scalar(Constant::U32(1)); len]).to_vec();
            let param = |number: u32| match ty {
                "i32" => Value::Scalar(Constant::I32(number as i32)),
                _ => Value::Scalar(Constant::U32(number)),
            };
            world.params = [w, h].map(param).to_vec();
            let groups = [1 + random.below(8) as u32, 1 + random.below(2) as u32, 1];
            held += usize::from(verdict_with(&module, &world, &[], groups) == Some(Verdict::Hold));
        }
    }
    assert!(held >= 200 || cases < 400, "only {held} launches went without checks");
}
