//! Random loops that carry counters, stack pointers and ends of searches, and index by them: no check that is needed may go.

use gridwise_ir::interpret::Value;
use gridwise_ir::ir::Constant;

use crate::generate::Random;
use crate::random::{compare, world};
use crate::run_pass;
use crate::text::{self, Lines, Write, seeds};

/// Numbers beside the ends of types and of what is indexed.
const NUMBERS: [&str; 12] = ["0", "1", "2", "3", "5", "6", "7", "8", "9", "4294967295", "4294967294", "2147483648"];
const SIGNED: [&str; 8] = ["0", "1", "-1", "7", "8", "2147483647", "-2147483648", "-2"];

struct Writer<'r> {
    random: &'r mut Random,
    lines: Lines,
    /// Values that can be used here, without and with sign.
    values: Vec<String>,
    signed: Vec<String>,
    /// Comparisons that can be used here.
    conditions: Vec<String>,
}

impl Write for Writer<'_> {
    fn lines(&mut self) -> &mut Lines {
        &mut self.lines
    }
}

impl Writer<'_> {
    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.random.below(of.len())]
    }

    fn constant(&mut self) -> String {
        // Most are beside what is indexed.
        let most = if self.random.one_in(4) { NUMBERS.len() } else { 9 };
        let number = self.pick(&NUMBERS[..most]);
        self.line("u32", &format!("const {number}"))
    }

    /// A value known here, the latest ones more often than others, or a constant.
    fn value(&mut self) -> String {
        let known = self.values.len();
        match self.random.below(4) {
            0 => self.constant(),
            1 => self.values[self.random.below(known)].clone(),
            _ => self.values[known - 1 - self.random.below(known.min(4))].clone(),
        }
    }

    fn compared(&mut self) -> String {
        let op = self.pick(&["lt", "le", "gt", "ge", "eq", "ne"]);
        let (a, b) = match self.signed.last().cloned() {
            Some(a) if self.random.one_in(4) => {
                let number = self.pick(&SIGNED);
                (a, self.line("i32", &format!("const {number}")))
            }
            _ => (self.value(), self.value()),
        };
        let condition = self.line("bool", &format!("{op} {a}, {b}"));
        self.conditions.push(condition.clone());
        condition
    }

    fn condition(&mut self) -> String {
        if !self.conditions.is_empty() && self.random.one_in(4) {
            return self.conditions[self.random.below(self.conditions.len())].clone();
        }
        self.compared()
    }

    fn computed(&mut self) {
        let (a, b) = (self.value(), self.value());
        let small = |writer: &mut Self| {
            let number = writer.pick(&["1", "1", "2", "3"]);
            writer.line("u32", &format!("const {number}"))
        };
        let made = match self.random.below(14) {
            0 | 1 => {
                let one = small(self);
                self.line("u32", &format!("add {a}, {one}"))
            }
            2 | 3 => {
                let one = small(self);
                self.line("u32", &format!("sub {a}, {one}"))
            }
            4 => self.line("u32", &format!("sub {a}, {b}")),
            5 => self.line("u32", &format!("add {a}, {b}")),
            6 => self.line("u32", &format!("min {a}, {b}")),
            7 => {
                let by = self.pick(&["0", "1", "2", "32"]);
                let by = self.line("u32", &format!("const {by}"));
                self.line("u32", &format!("shr {a}, {by}"))
            }
            8 => {
                let by = small(self);
                let op = self.pick(&["div", "rem", "mul"]);
                self.line("u32", &format!("{op} {a}, {by}"))
            }
            9 => {
                let condition = self.condition();
                self.line("u32", &format!("select {condition}, {a}, {b}"))
            }
            12 | 13 => self.chosen(&a, &b),
            10 => {
                // `(a + n) + m - a`
                let more = self.line("u32", &format!("add {a}, {b}"));
                let one = small(self);
                let sum = self.line("u32", &format!("add {more}, {one}"));
                self.line("u32", &format!("sub {sum}, {a}"))
            }
            _ => {
                let signed = self.line("i32", &format!("cast {a}"));
                let number = self.pick(&SIGNED);
                let by = self.line("i32", &format!("const {number}"));
                let op = self.pick(&["add", "sub", "min", "max"]);
                let signed = self.line("i32", &format!("{op} {signed}, {by}"));
                self.signed.push(signed.clone());
                self.line("u32", &format!("cast {signed}"))
            }
        };
        self.values.push(made);
    }

    /// A choice between what its condition compares, and what lies beside that: `if a == n { 0 } else { a + 1 }`.
    fn chosen(&mut self, a: &str, b: &str) -> String {
        let (b, one) =
            (if self.random.one_in(3) { b.to_owned() } else { self.constant() }, self.line("u32", "const 1"));
        let next = self.line("u32", &format!("add {a}, {one}"));
        let less = self.line("u32", &format!("sub {a}, {one}"));
        let compared = if self.random.one_in(4) { next.clone() } else { a.to_owned() };
        let op = self.pick(&["lt", "le", "gt", "ge", "eq", "eq", "ne"]);
        let mut condition = if self.random.one_in(3) {
            self.line("bool", &format!("{op} {b}, {compared}"))
        } else {
            self.line("bool", &format!("{op} {compared}, {b}"))
        };
        if self.random.one_in(3) {
            let other = self.compared();
            let op = self.pick(&["and", "or"]);
            condition = self.line("bool", &format!("{op} {condition}, {other}"));
        }
        if self.random.one_in(4) {
            condition = self.line("bool", &format!("not {condition}"));
        }
        let zero = self.line("u32", "const 0");
        let of = [a.to_owned(), next, less, b, zero];
        let [yes, no] = [(); 2].map(|()| of[self.random.below(of.len())].clone());
        self.line("u32", &format!("select {condition}, {yes}, {no}"))
    }

    fn access(&mut self) {
        let index = self.value();
        let place = self.pick(&["local0", "local0", "buffer0"]);
        if self.random.one_in(3) {
            let value = self.value();
            self.lines.text += &format!("store {place}[{index} !site0] = {value}\n");
        } else {
            let read = self.line("u32", &format!("load {place}[{index} !site1]"));
            if self.random.one_in(4) {
                self.values.push(read);
            }
        }
    }

    /// An index as a slice's check lets it through.
    fn let_through(&mut self) {
        let (index, count) = (self.value(), self.value());
        let is_in = self.line("bool", &format!("lt {index}, {count}"));
        let is_out = self.line("bool", &format!("ge {index}, {count}"));
        self.lines.text += &format!("if {is_out} {{\ntrap site2({index}, {count})\nyield\n}} else {{\nyield\n}}\n");
        let nowhere = self.line("u32", "const 4294967295");
        let at = self.line("u32", &format!("select {is_in}, {index}, {nowhere}"));
        let read = self.line("u32", &format!("load buffer0[{at} !site2]"));
        self.values.push(read);
    }

    fn guard(&mut self) {
        let condition = self.condition();
        let leaves = match self.random.below(4) {
            0 => "trap site3()\nyield\n",
            1 | 2 => "panic site4()\n",
            _ => "return\n",
        };
        if self.random.one_in(3) {
            self.lines.text += &format!("if {condition} {{\nyield\n}} else {{\n{leaves}}}\n");
        } else {
            self.lines.text += &format!("if {condition} {{\n{leaves}}} else {{\nyield\n}}\n");
        }
    }

    fn inner(&mut self, depth: u32) -> String {
        let known = (self.values.len(), self.signed.len(), self.conditions.len());
        self.body(depth);
        let made = self.value();
        self.values.truncate(known.0);
        self.signed.truncate(known.1);
        self.conditions.truncate(known.2);
        made
    }

    fn branch(&mut self, depth: u32) {
        let (condition, result) = (self.condition(), self.name());
        self.lines.text += &format!("if {condition} -> ({result}: u32) {{\n");
        let made = self.inner(depth);
        self.lines.text += &format!("yield {made}\n}} else {{\n");
        let made = self.inner(depth);
        self.lines.text += &format!("yield {made}\n}}\n");
        self.values.push(result);
    }

    fn repeat(&mut self, depth: u32) {
        let (first, second, zero) = (self.value(), self.value(), self.line("u32", "const 0"));
        let [a, b, round, result] = [(); 4].map(|()| self.name());
        let body = self.lines.last;
        self.lines.text += &format!(
            "loop block{body}({a}: u32 = {first}, {b}: u32 = {second}, {round}: u32 = {zero}) -> ({result}: u32) {{\n"
        );
        let known = (self.values.len(), self.signed.len(), self.conditions.len());
        let rounds = self.line("u32", "const 12");
        let is_over = self.line("bool", &format!("ge {round}, {rounds}"));
        self.lines.text += &format!("if {is_over} {{\nbreak block{body}({a})\n}} else {{\nyield\n}}\n");
        self.values.extend([b.clone(), a.clone()]);
        if !self.random.one_in(4) {
            let condition = self.compared();
            self.lines.text += &format!("if {condition} {{\nyield\n}} else {{\nbreak block{body}({b})\n}}\n");
        }
        self.body(depth);
        let one = self.line("u32", "const 1");
        let next = self.line("u32", &format!("add {round}, {one}"));
        if self.random.one_in(3) {
            let (condition, on) = (self.condition(), self.value());
            self.lines.text +=
                &format!("if {condition} {{\ncontinue block{body}({on}, {b}, {next})\n}} else {{\nyield\n}}\n");
        }
        let (x, y) = (self.value(), if self.random.one_in(2) { b } else { self.value() });
        self.lines.text += &format!("continue block{body}({x}, {y}, {next})\n}}\n");
        self.values.truncate(known.0);
        self.signed.truncate(known.1);
        self.conditions.truncate(known.2);
        self.values.push(result);
    }

    fn body(&mut self, depth: u32) {
        for _ in 0..2 + self.random.below(5) {
            match self.random.below(10) {
                0..4 => self.computed(),
                4 | 5 => self.access(),
                6 => self.let_through(),
                7 => self.guard(),
                8 if depth > 0 => self.branch(depth - 1),
                9 if depth > 0 => self.repeat(depth - 1),
                _ => self.access(),
            }
        }
    }
}

#[test]
fn checks_of_what_random_loops_carry_stay() {
    for seed in seeds(1500) {
        let mut random = Random(seed);
        let values = ["%1", "%2", "%3", "%4", "%5"].map(str::to_owned).to_vec();
        let mut writer =
            Writer { random: &mut random, lines: Lines::after(6), values, signed: Vec::new(), conditions: Vec::new() };
        writer.repeat(2);
        writer.body(2);
        let lines = writer.lines.text;
        let text = format!(
            "file0 \"a.rs\"\nsite0 index_out_of_bounds @file0:1:1 \"a\"\nsite1 index_out_of_bounds @file0:1:1 \"b\"\nsite2 \
             index_out_of_bounds @file0:1:1 \"c\"\nsite3 index_out_of_bounds @file0:1:1 \"d\"\nsite4 panic @file0:1:1 \"e\"\nkernel fn0 \
             workgroup(4, 2, 1) {{\nbuffer0 a: [u32] mut\nbuffer1 b: [u32] mut\nparam0 n: u32\nparam1 m: u32\n}}\nfn0 k() -> () {{\nlocal0 \
             own: [u32; 8]\n%0: vec3<u32> = global_id\n%1: u32 = extract %0.0\n%2: u32 = extract %0.1\n%3: u32 = param0\n%4: u32 = \
             param1\n%5: u32 = len buffer0\n%6: [u32; 8] = const zero\nstore local0 = %6\n{lines}\nreturn\n}}\n"
        );
        let before = text::module(seed, &text);
        for name in ["eliminate_checks", "optimize"] {
            let mut after = before.clone();
            run_pass(&mut after, name);
            for _ in 0..3 {
                let mut world = world(&mut random);
                let mut number = || match random.below(6) {
                    0 => [7, 8, 9, 1 << 31, u32::MAX - 1, u32::MAX][random.below(6)],
                    _ => random.below(12) as u32,
                };
                world.params = [number(), number()].map(|number| Value::Scalar(Constant::U32(number))).to_vec();
                let len = [0, 1, 7, 8, 40][random.below(5)];
                world.buffers = [len, 8].map(|len| vec![Value::Scalar(Constant::U32(3)); len]).to_vec();
                world.lists = Vec::new();
                if let Err(what) = compare(&before, &after, &world) {
                    panic!("seed {seed}: {name}: {what}\n{before}\n{after}\n{world:?}");
                }
            }
        }
    }
}
