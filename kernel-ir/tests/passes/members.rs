//! Random accesses to lists of buffers and of images, guarded by lengths, sizes and positions or by nothing: no check that is needed may
//! go, and where the host finds nothing, nothing traps.

use gridwise_ir::descriptor::{Edge, Filter, SampledExtent, Sampler, Verdict};
use gridwise_ir::interpret::{ImageInput, Inputs, Options, Outcome, Value, World, run};
use gridwise_ir::ir::{Constant, Module};
use gridwise_ir::passes;

use crate::generate::Random;
use crate::launches::verdict_with;
use crate::random::world;
use crate::text::{self, Lines, Write, seeds};

/// Writes accesses to `buffer0`, a list of buffers, and `buffer1`, a list of images, as lowering does it.
struct Writer<'r> {
    random: &'r mut Random,
    lines: Lines,
    /// Values that can be used here.
    values: Vec<String>,
    /// Positions in lists.
    positions: Vec<String>,
}

impl Write for Writer<'_> {
    fn lines(&mut self) -> &mut Lines {
        &mut self.lines
    }
}

impl Writer<'_> {
    fn constant(&mut self) -> String {
        let number = self.random.pick(&["0", "0", "1", "1", "2", "3", "4294967295"]);
        self.line("u32", &format!("const {number}"))
    }

    fn value(&mut self) -> String {
        match self.random.below(6) {
            0 => self.constant(),
            1 | 2 => self.values[self.random.below(2)].clone(),
            _ => self.values[self.random.below(self.values.len())].clone(),
        }
    }

    fn position(&mut self) -> String {
        match self.random.below(6) {
            0 => self.value(),
            1 => self.constant(),
            2 => {
                let (of, op) = (self.value(), self.random.pick(&["and", "min"]));
                let last = self.random.below(3);
                let last = self.line("u32", &format!("const {last}"));
                self.line("u32", &format!("{op} {of}, {last}"))
            }
            _ => self.positions[self.random.below(self.positions.len())].clone(),
        }
    }

    /// `a % b` or `a / b`, where it is checked that there is something to divide by.
    fn divided(&mut self, op: &str, a: &str, b: &str) -> String {
        let (zero, one) = (self.line("u32", "const 0"), self.line("u32", "const 1"));
        let is_zero = self.line("bool", &format!("eq {b}, {zero}"));
        self.lines.text += &format!("if {is_zero} {{\ntrap site1({a})\nyield\n}} else {{\nyield\n}}\n");
        let by = self.line("u32", &format!("select {is_zero}, {one}, {b}"));
        self.line("u32", &format!("{op} {a}, {by}"))
    }

    /// A length of a member, or sizes of one; there may be none.
    fn size(&mut self) -> String {
        if self.random.one_in(2) {
            let member = self.position();
            return self.line("u32", &format!("len buffer0{{{member}}}"));
        }
        let axis = self.random.pick(&["x", "y"]);
        let image = self.position();
        self.size_of(&image, axis)
    }

    /// The size of an image of a list, zero where there is none.
    fn size_of(&mut self, image: &str, axis: &str) -> String {
        let count = self.line("u32", "len buffer1");
        let (mut is_there, zero) = (self.line("bool", &format!("lt {image}, {count}")), self.line("u32", "const 0"));
        if self.random.one_in(4) {
            // Where something else holds, too.
            let (a, b) = (self.value(), self.value());
            let other = self.line("bool", &format!("le {a}, {b}"));
            is_there = self.line("bool", &format!("and {is_there}, {other}"));
        }
        let result = self.name();
        self.lines.text += &format!("if {is_there} -> ({result}: u32) {{\n");
        let size = self.line("u32", &format!("image_size_{axis} buffer1({image})"));
        self.lines.text += &format!("yield {size}\n}} else {{\nyield {zero}\n}}\n");
        result
    }

    fn computed(&mut self) {
        let (a, b) = (self.value(), self.value());
        let made = match self.random.below(8) {
            0 | 1 => self.size(),
            2 => {
                let (size, one) = (self.size(), self.line("u32", "const 1"));
                let last = self.line("u32", &format!("sub {size}, {one}"));
                if self.random.one_in(2) { last } else { self.line("u32", &format!("sub {last}, {a}")) }
            }
            3 | 4 => {
                let (size, op) = (self.size(), self.random.pick(&["rem", "rem", "rem", "div"]));
                self.divided(op, &a, &size)
            }
            5 => {
                let op = self.random.pick(&["add", "mul", "sub", "min", "max"]);
                self.line("u32", &format!("{op} {a}, {b}"))
            }
            6 => {
                let list = self.random.pick(&["buffer0", "buffer1"]);
                let count = self.line("u32", &format!("len {list}"));
                let position = self.divided("rem", &a, &count);
                self.positions.push(position.clone());
                position
            }
            _ => {
                let less = self.line("bool", &format!("lt {a}, {b}"));
                self.line("u32", &format!("select {less}, {a}, {b}"))
            }
        };
        self.values.push(made);
    }

    fn guard(&mut self) {
        let (a, b) = match self.random.below(3) {
            0 => {
                let list = self.random.pick(&["buffer0", "buffer1"]);
                (self.position(), self.line("u32", &format!("len {list}")))
            }
            1 => (self.value(), self.size()),
            _ => (self.value(), self.value()),
        };
        let op = self.random.pick(&["lt", "lt", "lt", "le", "ge"]);
        let is_in = self.line("bool", &format!("{op} {a}, {b}"));
        self.lines.text += &format!("if {is_in} {{\nyield\n}} else {{\nreturn\n}}\n");
    }

    /// `parts[k][i]`
    fn element(&mut self) {
        let (member, index, one) = (self.position(), self.value(), self.line("u32", "const 1"));
        if self.random.one_in(2) {
            let loaded = self.line("u32", &format!("load buffer0{{{member}}}[{index} !site0]"));
            self.values.push(loaded);
        } else {
            self.lines.text += &format!("store buffer0{{{member}}}[{index} !site0] = {one}\n");
        }
    }

    /// `parts[k][start..][i]`
    fn cut(&mut self) {
        let (member, start, index) = (self.position(), self.value(), self.value());
        let len = self.line("u32", &format!("len buffer0{{{member}}}"));
        let is_out = self.line("bool", &format!("gt {start}, {len}"));
        self.lines.text += &format!("if {is_out} {{\ntrap site0({start}, {len})\nyield\n}} else {{\nyield\n}}\n");
        let left = self.line("u32", &format!("sub {len}, {start}"));
        let (is_in, is_out) =
            (self.line("bool", &format!("lt {index}, {left}")), self.line("bool", &format!("ge {index}, {left}")));
        self.lines.text += &format!("if {is_out} {{\ntrap site0({index}, {left})\nyield\n}} else {{\nyield\n}}\n");
        let (at, nowhere) = (self.line("u32", &format!("add {start}, {index}")), self.line("u32", "const 4294967295"));
        let at = self.line("u32", &format!("select {is_in}, {at}, {nowhere}"));
        let loaded = self.line("u32", &format!("load buffer0{{{member}}}[{at} !site0]"));
        self.values.push(loaded);
    }

    /// `planes[k].load(uvec2(x, y))`
    fn texel(&mut self) {
        let (image, x, y) = (self.position(), self.value(), self.value());
        let count = self.line("u32", "len buffer1");
        let (is_there, zero) = (self.line("bool", &format!("lt {image}, {count}")), self.line("u32", "const 0"));
        let is_missing = self.line("bool", &format!("not {is_there}"));
        self.lines.text += &format!("if {is_missing} {{\ntrap site2({image}, {count})\nyield\n}} else {{\nyield\n}}\n");
        let sides = ["x", "y"].map(|axis| self.size_of(&image, axis));
        let inside =
            [(&x, &sides[0]), (&y, &sides[1])].map(|(at, side)| self.line("bool", &format!("lt {at}, {side}")));
        let (all, result) = (self.line("bool", &format!("and {}, {}", inside[0], inside[1])), self.name());
        self.lines.text += &format!("if {all} -> ({result}: u32) {{\n");
        let loaded = self.line("u32", &format!("image_load buffer1({image}, {x}, {y})"));
        self.lines.text += &format!("yield {loaded}\n}} else {{\n");
        let told = [(&x, &y), (&sides[0], &sides[1])]
            .map(|(first, second)| self.line("u32", &format!("select {}, {second}, {first}", inside[0])));
        self.lines.text += &format!(
            "if {is_there} {{\ntrap site3({}, {})\nyield\n}} else {{\nyield\n}}\nyield {zero}\n}}\n",
            told[0], told[1]
        );
        self.values.push(result);
    }

    /// `if condition { … }` around a part.
    fn branch(&mut self) {
        let (a, b) = match self.random.below(2) {
            0 => (self.position(), self.line("u32", "len buffer1")),
            _ => (self.value(), self.size()),
        };
        let (op, known) = (self.random.pick(&["lt", "lt", "eq", "ge"]), (self.values.len(), self.positions.len()));
        let condition = self.line("bool", &format!("{op} {a}, {b}"));
        self.lines.text += &format!("if {condition} {{\n");
        self.part();
        self.lines.text += "yield\n} else {\n";
        self.values.truncate(known.0);
        self.positions.truncate(known.1);
        if self.random.one_in(2) {
            self.part();
            self.values.truncate(known.0);
            self.positions.truncate(known.1);
        }
        self.lines.text += "yield\n}\n";
    }

    fn part(&mut self) {
        match self.random.below(9) {
            0 | 1 => self.element(),
            2 => self.cut(),
            3 => self.texel(),
            4 => self.branch(),
            5 => {
                self.computed();
                self.element();
            }
            6 => {
                self.computed();
                self.texel();
            }
            _ => self.computed(),
        }
    }
}

fn image(extent: [u32; 2]) -> ImageInput {
    let shape = SampledExtent { extent: [extent[0], extent[1], 1], dimensions: 2, levels: 1 };
    ImageInput { shape, sampler: Sampler { filter: Filter::Nearest, levels: Filter::Nearest, edge: Edge::Clamp } }
}

/// The outcome of a launch, and its traps in an order of their own.
fn outcome(module: &Module, world: &World, images: &[Vec<ImageInput>], groups: [u32; 3]) -> (Vec<String>, Outcome) {
    let (params, buffers, lists) = (world.params.clone(), world.buffers.clone(), world.lists.clone());
    let inputs = Inputs { groups, params, buffers, lists, images: images.to_vec(), ..Inputs::default() };
    let outcome = run(module, &inputs, &Options { finds_races: false, ..Options::default() });
    let mut traps: Vec<_> =
        outcome.traps.iter().map(|trap| format!("{:?} {:?}", trap.invocation, trap.operands)).collect();
    traps.sort();
    (traps, outcome)
}

#[test]
fn checks_of_random_members_hold() {
    let seeds = seeds(1500);
    let cases = seeds.end - seeds.start;
    let mut held = 0;
    for seed in seeds {
        let mut random = Random(seed);
        let values = ["%1", "%2", "%3"].map(str::to_owned).to_vec();
        let positions = vec!["%2".to_owned()];
        let mut writer = Writer { random: &mut random, lines: Lines::after(3), values, positions };
        for _ in 0..writer.random.below(3) {
            writer.computed();
        }
        for _ in 0..writer.random.below(3) {
            writer.guard();
        }
        for _ in 0..1 + writer.random.below(4) {
            writer.part();
        }
        let lines = writer.lines.text;
        let text = format!(
            "file0 \"a.rs\"\nsite0 index_out_of_bounds @file0:1:1 \"a\"\nsite1 divide_by_zero @file0:1:1 \"b\"\nsite2 index_out_of_bounds \
             @file0:1:1 \"c\"\nsite3 index_out_of_bounds @file0:1:1 \"d\"\nkernel fn0 workgroup(4, 2, 1) {{\nbuffer0 parts: [u32] list \
             mut\nbuffer1 planes: [u32] list image(2, R32Uint)\nparam0 n: u32\n}}\nfn0 k() -> () {{\n%0: vec3<u32> = global_id\n%1: \
             u32 = extract %0.0\n%2: u32 = extract %0.1\n%3: u32 = param0\n{lines}\nreturn\n}}\n"
        );
        let module = text::module(seed, &text);
        let mut after = module.clone();
        let _ = passes::optimize(&mut after);
        let mut world = world(&mut Random(1));
        for _ in 0..6 {
            let count = [0, 1, 2, 2, 3, 4][random.below(6)];
            let lengths: Vec<u32> = (0..count).map(|_| [0, 3, 4, 7, 8, 40][random.below(6)]).collect();
            let count = [0, 1, 2, 2, 3, 4][random.below(6)];
            let mut side = || [1, 2, 3, 4, 7, 8, 40][random.below(7)];
            let planes: Vec<ImageInput> = (0..count).map(|_| image([side(), side()])).collect();
            let texels: Vec<u32> = planes.iter().map(|plane| plane.shape.extent.iter().product()).collect();
            let all = |lengths: &[u32]| vec![Value::Scalar(Constant::U32(1)); lengths.iter().sum::<u32>() as usize];
            world.buffers = vec![all(&lengths), all(&texels)];
            world.lists = vec![Some(lengths), Some(texels)];
            let images = vec![Vec::new(), planes];
            let number = [0, 1, 2, 3, 5, 1 << 31, u32::MAX][random.below(7)];
            world.params = vec![Value::Scalar(Constant::U32(number))];
            let groups = [1 + random.below(2) as u32, 1 + random.below(2) as u32, 1];
            held += usize::from(verdict_with(&module, &world, &images, groups) == Some(Verdict::Hold));
            let ((traps, before), (traps_after, after)) =
                (outcome(&module, &world, &images, groups), outcome(&after, &world, &images, groups));
            assert_eq!(traps, traps_after, "seed {seed}: {:?} {images:?}\n{text}", world.lists);
            assert_eq!(before.buffers, after.buffers, "seed {seed}: {:?} {images:?}\n{text}", world.lists);
            assert_eq!(before.findings.len(), after.findings.len(), "seed {seed}: {:?}\n{text}", after.findings);
        }
    }
    assert!(held as u64 >= cases / 5, "only {held} launches were found to hold");
}
