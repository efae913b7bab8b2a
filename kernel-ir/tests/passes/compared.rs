//! Random questions of how floats compare, NaN among them, with ways out where they do not.

use gridwise_ir::interpret::Value;
use gridwise_ir::ir::Constant;

use crate::generate::Random;
use crate::random::{compare, world};
use crate::run_pass;
use crate::text::{self, Lines, Write, seeds};

const NUMBERS: [f32; 7] = [f32::NAN, f32::NEG_INFINITY, -1.5, -0.0, 0.0, 2.0, f32::INFINITY];

/// Writes questions about `%1`, `%2` and `%3`, and about what was chosen of them.
struct Writer<'r> {
    random: &'r mut Random,
    lines: Lines,
    floats: Vec<String>,
    stored: u32,
}

impl Write for Writer<'_> {
    fn lines(&mut self) -> &mut Lines {
        &mut self.lines
    }
}

impl Writer<'_> {
    fn float(&mut self) -> String {
        if self.random.one_in(12) {
            let number = self.random.pick(&["0.0", "2.0"]);
            return self.line("f32", &format!("const {number}"));
        }
        self.floats[self.random.below(self.floats.len())].clone()
    }

    /// A comparison of the pair, in either order.
    fn comparison(&mut self, [a, b]: &[String; 2]) -> String {
        let op = self.random.pick(&["lt", "le", "gt", "ge", "eq", "ne"]);
        let (a, b) = if self.random.one_in(3) { (b, a) } else { (a, b) };
        self.line("bool", &format!("{op} {a}, {b}"))
    }

    fn question(&mut self, pair: &[String; 2], depth: u32) -> String {
        match self.random.below(if depth > 0 { 7 } else { 2 }) {
            0 | 1 => self.comparison(pair),
            2 => {
                let inner = self.question(pair, depth - 1);
                self.line("bool", &format!("not {inner}"))
            }
            3 | 4 => {
                let (a, b) = (self.question(pair, depth - 1), self.question(pair, depth - 1));
                let op = self.random.pick(&["and", "or"]);
                self.line("bool", &format!("{op} {a}, {b}"))
            }
            _ => {
                let number = self.order(pair, depth - 1);
                let [op, than] = [self.random.pick(&["eq", "ne", "lt", "gt"]), self.random.pick(&["0", "1", "2", "3"])];
                let than = self.line("u32", &format!("const {than}"));
                self.line("bool", &format!("{op} {number}, {than}"))
            }
        }
    }

    /// A number that stands for an order.
    fn order(&mut self, pair: &[String; 2], depth: u32) -> String {
        if self.random.one_in(3) {
            // As `partial_cmp` gives it.
            let [a, b] = pair;
            let numbers = ["0", "1", "2", "3"].map(|number| self.line("u32", &format!("const {number}")));
            let [lt, eq, le, gt] = ["lt", "eq", "le", "gt"].map(|op| self.line("bool", &format!("{op} {a}, {b}")));
            let known = self.line("bool", &format!("or {le}, {gt}"));
            let later = self.line("u32", &format!("select {eq}, {}, {}", numbers[1], numbers[2]));
            let order = self.line("u32", &format!("select {lt}, {}, {later}", numbers[0]));
            return self.line("u32", &format!("select {known}, {order}, {}", numbers[3]));
        }
        let condition = self.question(pair, depth.min(1));
        let number = |writer: &mut Self| {
            let number = writer.random.pick(&["0", "1", "2", "3"]);
            writer.line("u32", &format!("const {number}"))
        };
        let yes = number(self);
        let no = if depth > 0 && self.random.one_in(2) { self.order(pair, depth - 1) } else { number(self) };
        self.line("u32", &format!("select {condition}, {yes}, {no}"))
    }

    fn statement(&mut self, depth: u32) {
        let pair = [self.float(), self.float()];
        let condition = self.question(&pair, 3);
        match self.random.below(if depth > 0 { 5 } else { 3 }) {
            0 => self.lines.text += &format!("if {condition} {{\nyield\n}} else {{\npanic site0()\n}}\n"),
            1 => {
                let chosen = self.line("f32", &format!("select {condition}, {}, {}", pair[0], pair[1]));
                self.floats.push(chosen);
            }
            2 => {
                let told = self.line("u32", &format!("cast {condition}"));
                let at = self.line("u32", &format!("const {}", self.stored));
                self.stored += 1;
                self.lines.text += &format!("store buffer0[{at}] = {told}\n");
            }
            _ => {
                let known = self.floats.len();
                self.lines.text += &format!("if {condition} -> (%RESULT: f32) {{\n");
                let yields = |writer: &mut Self| {
                    for _ in 0..writer.random.below(3) {
                        writer.statement(depth - 1);
                    }
                    let last = writer.float();
                    writer.lines.text += &format!("yield {last}\n");
                    writer.floats.truncate(known);
                };
                let from = self.lines.text.len();
                yields(self);
                self.lines.text += "} else {\n";
                yields(self);
                self.lines.text += "}\n";
                let result = self.name();
                let start = self.lines.text[..from].rfind("%RESULT").expect("it was written above");
                self.lines.text.replace_range(start..start + "%RESULT".len(), &result);
                self.floats.push(result);
            }
        }
    }
}

#[test]
fn random_questions_keep_their_answers() {
    let (mut asked, mut left) = (0, 0);
    for seed in seeds(1500) {
        let mut random = Random(seed);
        let floats = ["%1", "%2", "%3"].map(str::to_owned).to_vec();
        let mut writer = Writer { random: &mut random, lines: Lines::after(3), floats, stored: 0 };
        for _ in 0..3 + writer.random.below(4) {
            writer.statement(2);
        }
        let (lines, stored) = (writer.lines.text, writer.stored);
        let text = format!(
            "file0 \"a.rs\"\nsite0 panic @file0:1:1 \"a\" format 0\nkernel fn0 workgroup(1, 1, 1) {{\nbuffer0 a: [u32] mut\n\
             param0 a: f32\nparam1 b: f32\nparam2 c: f32\n}}\nfn0 k() -> () {{\n%1: f32 = param0\n%2: f32 = param1\n%3: f32 = param2\n\
             {lines}\nreturn\n}}\n"
        );
        let before = text::module(seed, &text);
        let mut after = before.clone();
        run_pass(&mut after, "compared_numbers");
        run_pass(&mut after, "remove_dead_code");
        let mut optimized = before.clone();
        run_pass(&mut optimized, "optimize");
        let mut plain = before.clone();
        run_pass(&mut plain, "remove_dead_code");
        asked += plain.to_string().lines().count();
        left += after.to_string().lines().count();
        let mut world = world(&mut random);
        (world.buffers, world.lists) = (vec![vec![Value::Scalar(Constant::U32(7)); stored as usize + 1]], Vec::new());
        for number in 0..NUMBERS.len().pow(3) {
            let of = |place: usize| NUMBERS[number / NUMBERS.len().pow(place as u32) % NUMBERS.len()];
            let numbers = [of(0), of(1), of(2)];
            world.params = numbers.map(|number| Value::Scalar(Constant::F32(number.to_bits()))).to_vec();
            for after in [&after, &optimized] {
                if let Err(what) = compare(&before, after, &world) {
                    panic!("seed {seed}: {what} with {numbers:?}\n{before}\n{after}");
                }
            }
        }
    }
    assert!(left * 10 < asked * 8, "{left} of {asked} lines are left");
}
