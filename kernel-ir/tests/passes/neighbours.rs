//! Random loads of neighbours, joined: the interpreter refuses a joined load whose first element is not where it may be.

use gridwise_ir::interpret::Value;
use gridwise_ir::ir::{Bound, InstKind, Module, Obligation, Step};
use gridwise_ir::passes::eval;
use gridwise_ir::types::Scalar;

use crate::generate::Random;
use crate::random::{compare, world};
use crate::run_pass;
use crate::text::{self, Lines, Write, seeds};

/// Elements of the buffer that is read.
const LEN: usize = 4096;

const ELEMENTS: [Scalar; 7] = [Scalar::U8, Scalar::U8, Scalar::I8, Scalar::U16, Scalar::I16, Scalar::U32, Scalar::F32];

struct Writer<'r> {
    random: &'r mut Random,
    lines: Lines,
    element: Scalar,
    /// Small numbers.
    numbers: Vec<String>,
}

impl Write for Writer<'_> {
    fn lines(&mut self) -> &mut Lines {
        &mut self.lines
    }
}

impl Writer<'_> {
    fn number(&mut self) -> String {
        self.numbers[self.random.below(self.numbers.len())].clone()
    }

    fn constant(&mut self, number: u32) -> String {
        self.line("u32", &format!("const {number}"))
    }

    fn one_of(&mut self, numbers: &[u32]) -> String {
        let number = numbers[self.random.below(numbers.len())];
        self.constant(number)
    }

    /// A sum of some multiples of numbers.
    fn base(&mut self) -> String {
        let mut sum = self.multiple();
        for _ in 0..self.random.below(3) {
            let other = self.multiple();
            sum = self.line("u32", &format!("add {sum}, {other}"));
        }
        if self.random.one_in(5) {
            let by = self.one_of(&[1, 4, 8]);
            sum = self.line("u32", &format!("sub {sum}, {by}"));
            // Not below zero.
            let more = self.constant(16);
            sum = self.line("u32", &format!("add {sum}, {more}"));
        }
        sum
    }

    fn multiple(&mut self) -> String {
        let number = self.number();
        match self.random.below(4) {
            0 => {
                let by = self.one_of(&[0, 1, 2, 3, 4]);
                self.line("u32", &format!("shl {number}, {by}"))
            }
            1 => {
                let mask = self.one_of(&[4, 8, 12, 15, 16]);
                self.line("u32", &format!("and {number}, {mask}"))
            }
            2 => number,
            _ => {
                let by = if self.random.one_in(2) { "%4".to_owned() } else { self.one_of(&[1, 2, 4, 6, 8, 16]) };
                self.line("u32", &format!("mul {number}, {by}"))
            }
        }
    }

    /// Loads of neighbours, whose bits come to the sum in some way.
    fn loads(&mut self) {
        let base = self.base();
        let (first, count) = (self.random.below(9) as u32, 2 + self.random.below(17) as u32);
        let mut offsets: Vec<u32> = (first..first + count).filter(|_| !self.random.one_in(12)).collect();
        if self.random.one_in(3) {
            offsets.reverse();
        }
        let element = self.element;
        let mut joined: Option<String> = None;
        for offset in offsets {
            let by = self.constant(offset);
            let index = self.line("u32", &format!("add {base}, {by}"));
            let loaded = self.line(element.name(), &format!("load buffer0[{index}]"));
            let bits = match element {
                Scalar::U32 => loaded,
                Scalar::F32 => self.line("u32", &format!("bitcast {loaded}")),
                Scalar::I8 | Scalar::I16 if self.random.one_in(2) => self.line("u32", &format!("cast {loaded}")),
                Scalar::I8 => {
                    let unsigned = self.line("u8", &format!("cast {loaded}"));
                    self.line("u32", &format!("cast {unsigned}"))
                }
                Scalar::I16 => {
                    let unsigned = self.line("u16", &format!("cast {loaded}"));
                    self.line("u32", &format!("cast {unsigned}"))
                }
                _ => self.line("u32", &format!("cast {loaded}")),
            };
            // Four bytes make a number, in some order, or are mixed.
            let shift = self.one_of(&[8 * ((offset - first) % 4), 8 * (3 - (offset - first) % 4), 3]);
            let shifted = self.line("u32", &format!("shl {bits}, {shift}"));
            joined = Some(match joined {
                Some(sum) => {
                    let op = ["or", "or", "add", "xor"][self.random.below(4)];
                    self.line("u32", &format!("{op} {sum}, {shifted}"))
                }
                None => shifted,
            });
            if self.random.one_in(6) {
                self.store(joined.take().unwrap_or_default());
            }
        }
        if let Some(sum) = joined {
            self.store(sum);
        }
    }

    fn store(&mut self, value: String) {
        let slot = self.one_of(&[0, 1, 2, 3, 4, 5, 6, 7]);
        let old = self.line("u32", &format!("load buffer1[{slot}]"));
        let three = self.constant(3);
        let old = self.line("u32", &format!("mul {old}, {three}"));
        let new = self.line("u32", &format!("add {old}, {value}"));
        self.lines.text += &format!("store buffer1[{slot}] = {new}\n");
    }

    /// A loop of some rounds, with a counter that may count in steps.
    fn repeat(&mut self) {
        let (zero, end) = (self.constant(0), self.constant(12));
        let step = self.one_of(&[1, 2, 4, 8]);
        let counter = self.name();
        let body = 90 + self.lines.last;
        let condition = self.name();
        self.lines.text +=
            &format!("loop block{body}({counter}: u32 = {zero}) {{\n{condition}: bool = lt {counter}, {end}\n");
        self.lines.text += &format!("if {condition} {{\nyield\n}} else {{\nbreak block{body}()\n}}\n");
        self.numbers.extend([counter.clone(), counter.clone()]);
        self.loads();
        self.loads();
        self.numbers.truncate(self.numbers.len() - 2);
        let next = self.line("u32", &format!("add {counter}, {step}"));
        self.lines.text += &format!("continue block{body}({next})\n}}\n");
    }
}

/// A number of the launch.
fn number(bound: &Bound, params: &[u32]) -> u128 {
    match bound {
        Bound::Const(number) => (*number).into(),
        Bound::Param(param, _) => params[usize::from(param.to_string() == "param1")].into(),
        Bound::Binary(op, operands) => op.apply(number(&operands[0], params), number(&operands[1], params)),
        other => panic!("{other:?}"),
    }
}

/// The module for a launch that was asked at each site.
fn asked(module: &Module, params: &[u32]) -> Module {
    let mut text = module.to_string();
    let kernel = module.kernel.as_ref().expect("a kernel");
    for (id, site) in module.sites.iter() {
        let holds = |obligation: &Obligation| number(&obligation.index, params) < number(&obligation.length, params);
        let are_met =
            site.at_launch.iter().flat_map(|needs| needs.iter()).all(|need| holds(&kernel.obligations[*need as usize]));
        text = text.replace(&format!("proven {id}\n"), &format!("const {are_met}\n"));
    }
    text::module(0, &text)
}

#[test]
fn random_neighbours_are_joined_where_they_are_aligned() {
    let (mut joined, mut asked_for) = (0, 0);
    let cases = seeds(400);
    let count = cases.end - cases.start;
    for seed in cases {
        let mut random = Random(seed);
        let element = ELEMENTS[random.below(ELEMENTS.len())];
        let numbers = ["%1", "%2", "%1", "%3"].map(str::to_owned).to_vec();
        let mut writer = Writer { random: &mut random, lines: Lines::after(5), element, numbers };
        writer.loads();
        writer.repeat();
        writer.loads();
        let (lines, name) = (writer.lines.text, element.name());
        let text = format!(
            "file0 \"a.rs\"\nkernel fn0 workgroup(4, 2, 1) {{\nbuffer0 a: [{name}]\nbuffer1 b: [u32] mut\nparam0 n: u32\nparam1 m: \
             u32\n}}\nfn0 k() -> () {{\n%0: vec3<u32> = global_id\n%1: u32 = extract %0.0\n%2: u32 = extract %0.1\n%3: u32 = \
             param0\n%4: u32 = param1\n%5: u32 = len buffer1\n{lines}return\n}}\n"
        );
        let before = text::module(seed, &text);
        let mut after = before.clone();
        for pass in [
            "fold_constants",
            "share_values",
            "join_loads",
            "fold_constants",
            "share_values",
            "join_bytes",
            "remove_dead_code",
        ] {
            run_pass(&mut after, pass);
        }
        let function = &after.functions[after.kernel.as_ref().expect("a kernel").function];
        let is_joined =
            |kind: &InstKind| kind.place().is_some_and(|place| matches!(place.path.last(), Some(Step::Joined { .. })));
        joined += u64::from(function.insts.iter().any(|(_, inst)| is_joined(&inst.kind)));
        for _ in 0..4 {
            let mut world = world(&mut random);
            world.invocation.global_id = [random.below(8) as u32, random.below(5) as u32, 0];
            let params = [random.below(20) as u32, random.below(40) as u32];
            world.params = params.map(Value::u32).to_vec();
            let bits = |random: &mut Random| Value::Scalar(eval::from_bits(random.next() & element.mask(), element));
            world.buffers = vec![(0..LEN).map(|_| bits(&mut random)).collect(), vec![Value::u32(1); 8]];
            world.lists = Vec::new();
            let launched = asked(&after, &params);
            asked_for += u64::from(launched.to_string().contains("const true"));
            if let Err(what) = compare(&before, &launched, &world) {
                panic!("seed {seed}: {what}\n{before}\n{launched}\n{world:?}");
            }
        }
    }
    assert!(joined > count / 4 && asked_for > count / 4, "{joined} of {count} were joined, {asked_for} launches asked");
}
