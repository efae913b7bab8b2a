//! Random selections that are compared with numbers, as guards of divisions are: a trap that some numbers come to stays.

use gridwise_ir::interpret::Value;
use gridwise_ir::ir::Constant;

use crate::generate::Random;
use crate::random::{compare, world};
use crate::run_pass;
use crate::text::{self, Lines, Write, seeds};

const NUMBERS: [i32; 8] = [i32::MIN, -2, -1, 0, 1, 2, 7, i32::MAX];

/// Writes conditions and selections of `%1` and `%2`, two numbers of a buffer.
struct Writer<'r> {
    random: &'r mut Random,
    lines: Lines,
    values: Vec<String>,
}

impl Write for Writer<'_> {
    fn lines(&mut self) -> &mut Lines {
        &mut self.lines
    }
}

impl Writer<'_> {
    fn constant(&mut self) -> String {
        let number = self.random.pick(&[i32::MIN, -1, -1, 0, 0, 0, 1, 7]);
        self.line("i32", &format!("const {number}"))
    }

    fn value(&mut self) -> String {
        self.values[self.random.below(self.values.len())].clone()
    }

    fn compared(&mut self, ops: &[&str]) -> String {
        let (a, b) = (self.value(), if self.random.one_in(6) { self.value() } else { self.constant() });
        let op = self.random.pick(ops);
        if self.random.one_in(6) {
            let wide = [a, b].map(|value| self.line("i64", &format!("cast {value}")));
            return self.line("bool", &format!("{op} {}, {}", wide[0], wide[1]));
        }
        self.line("bool", &format!("{op} {a}, {b}"))
    }

    fn condition(&mut self, depth: u32) -> String {
        match self.random.below(if depth > 0 { 8 } else { 4 }) {
            0 | 1 => self.compared(&["eq"]),
            2 => self.compared(&["ne"]),
            3 => self.compared(&["lt", "le", "gt", "ge"]),
            4 => {
                let inner = self.condition(depth - 1);
                self.line("bool", &format!("not {inner}"))
            }
            5 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                self.line("bool", &format!("and {a}, {b}"))
            }
            _ => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                self.line("bool", &format!("or {a}, {b}"))
            }
        }
    }

    fn selection(&mut self) {
        let condition = self.condition(2);
        let arm = |writer: &mut Self| if writer.random.one_in(2) { writer.constant() } else { writer.value() };
        let (a, b) = (arm(self), arm(self));
        let chosen = self.line("i32", &format!("select {condition}, {a}, {b}"));
        self.values.push(chosen);
    }

    fn guard(&mut self) {
        let equal = self.compared(&["eq", "eq", "eq", "ne"]);
        let condition = match self.random.below(4) {
            0 => equal,
            1 => {
                let other = self.compared(&["eq"]);
                self.line("bool", &format!("or {equal}, {other}"))
            }
            _ => {
                let other = self.compared(&["eq", "eq", "ne"]);
                self.line("bool", &format!("and {equal}, {other}"))
            }
        };
        let told = self.line("u32", "const 1");
        let (then, other) = ("trap site0(TOLD)\nyield\n", "yield\n");
        let (then, other) = if self.random.one_in(4) { (other, then) } else { (then, other) };
        self.lines.text += &format!("if {condition} {{\n{then}}} else {{\n{other}}}\n").replace("TOLD", &told);
    }
}

#[test]
fn traps_behind_random_selections_stay() {
    let seeds = seeds(3000);
    let cases = seeds.end - seeds.start;
    let mut went = 0;
    for seed in seeds {
        let mut random = Random(seed);
        let values = ["%1", "%2"].map(str::to_owned).to_vec();
        let mut writer = Writer { random: &mut random, lines: Lines::after(2), values };
        for _ in 0..1 + writer.random.below(2) {
            writer.selection();
        }
        for _ in 0..1 + writer.random.below(3) {
            writer.guard();
        }
        let lines = writer.lines.text;
        let text = format!(
            "file0 \"a.rs\"\nsite0 divide_by_zero @file0:1:1 \"a\"\nkernel fn0 workgroup(1, 1, 1) {{\nbuffer0 a: [i32] mut\nparam0 n: i32\n\
             param1 m: i32\n}}\nfn0 k() -> () {{\n%1: i32 = param0\n%2: i32 = param1\n{lines}\nreturn\n}}\n"
        );
        let before = text::module(seed, &text);
        let after = ["eliminate_checks", "optimize"].map(|name| {
            let mut after = before.clone();
            run_pass(&mut after, name);
            after
        });
        went += usize::from(!after[1].to_string().contains("trap site0"));
        let mut world = world(&mut random);
        (world.buffers, world.lists) = (vec![Vec::new()], Vec::new());
        for (a, b) in NUMBERS.iter().flat_map(|a| NUMBERS.map(|b| (*a, b))) {
            world.params = [a, b].map(|number| Value::Scalar(Constant::I32(number))).to_vec();
            for after in &after {
                if let Err(what) = compare(&before, after, &world) {
                    panic!("seed {seed}: {what} with {a} and {b}\n{before}\n{after}");
                }
            }
        }
    }
    assert!(went as u64 > cases / 40, "the traps went from {went} kernels only");
}
