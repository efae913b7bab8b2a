//! Random accesses to images, guarded by their sizes or by nothing: no check that is needed may go, and where the host finds nothing, nothing
//! traps.

use gridwise_ir::descriptor::{Edge, Filter, SampledExtent, Sampler, Verdict};
use gridwise_ir::interpret::{ImageInput, Inputs, Options, Outcome, Value, World, run};
use gridwise_ir::ir::{Constant, Module};
use gridwise_ir::passes;

use crate::generate::Random;
use crate::launches::verdict_with;
use crate::random::world;
use crate::text::{self, Lines, Write, seeds};

/// Writes accesses to `buffer0`, an image that is written, and `buffer1`, one with levels that is sampled, as lowering does it.
struct Writer<'r> {
    random: &'r mut Random,
    lines: Lines,
    /// Values that can be used here.
    values: Vec<String>,
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
        let number = self.pick(&["0", "0", "1", "1", "2", "3", "4294967295"]);
        self.line("u32", &format!("const {number}"))
    }

    fn value(&mut self) -> String {
        match self.random.below(6) {
            0 => self.constant(),
            1 | 2 => self.values[self.random.below(2)].clone(),
            _ => self.values[self.random.below(self.values.len())].clone(),
        }
    }

    /// The size of an image along an axis, of its first level or of another one.
    fn size(&mut self) -> String {
        let axis = self.pick(&["x", "x", "y"]);
        if self.random.one_in(2) {
            return self.line("u32", &format!("image_size_{axis} buffer0()"));
        }
        let level = self.level();
        self.line("u32", &format!("image_size_{axis} buffer1({level})"))
    }

    /// A level that there is.
    fn level(&mut self) -> String {
        if self.random.one_in(2) {
            return self.line("u32", "const 0");
        }
        let (asked, levels, one) =
            (self.value(), self.line("u32", "image_levels buffer1()"), self.line("u32", "const 1"));
        let last = self.line("u32", &format!("sub {levels}, {one}"));
        self.line("u32", &format!("min {asked}, {last}"))
    }

    fn computed(&mut self) {
        let (a, b) = (self.value(), self.value());
        let made = match self.random.below(9) {
            0 | 1 => self.size(),
            2 => {
                // The last texel along an axis.
                let by = self.pick(&["1", "1", "2", "3"]);
                let (size, by) = (self.size(), self.line("u32", &format!("const {by}")));
                let last = self.line("u32", &format!("sub {size}, {by}"));
                if self.random.one_in(3) { last } else { self.line("u32", &format!("min {a}, {last}")) }
            }
            3 => {
                let op = self.pick(&["add", "mul", "sub"]);
                self.line("u32", &format!("{op} {a}, {b}"))
            }
            4 => self.line("u32", &format!("min {a}, {b}")),
            5 => {
                let (size, by) = (self.size(), self.line("u32", "const 2"));
                self.line("u32", &format!("div {size}, {by}"))
            }
            6 => {
                let less = self.line("bool", &format!("lt {a}, {b}"));
                self.line("u32", &format!("select {less}, {a}, {b}"))
            }
            7 => {
                let (size, one) = (self.size(), self.line("u32", "const 1"));
                let next = self.line("u32", &format!("add {a}, {one}"));
                self.line("u32", &format!("rem {next}, {size}"))
            }
            _ => {
                let (from, by) = (self.line("i32", &format!("cast {a}")), self.line("i32", "const -1"));
                let (sum, zero) = (self.line("i32", &format!("add {from}, {by}")), self.line("i32", "const 0"));
                let size = self.size();
                let size = self.line("i32", &format!("cast {size}"));
                let last = self.line("i32", &format!("add {size}, {by}"));
                let least = self.line("i32", &format!("max {sum}, {zero}"));
                let within = self.line("i32", &format!("min {least}, {last}"));
                self.line("u32", &format!("cast {within}"))
            }
        };
        self.values.push(made);
    }

    fn guard(&mut self) {
        let (a, b) = (self.value(), if self.random.one_in(4) { self.value() } else { self.size() });
        let op = self.pick(&["lt", "lt", "lt", "le", "ge"]);
        let is_in = self.line("bool", &format!("{op} {a}, {b}"));
        self.lines.text += &format!("if {is_in} {{\nyield\n}} else {{\nreturn\n}}\n");
    }

    fn access(&mut self) {
        let [x, y] = [(); 2].map(|()| self.value());
        let is_sampled = self.random.one_in(2);
        let (mut inside, mut told) = (Vec::new(), Vec::new());
        let mut operands = format!("{x}, {y}");
        let mut asked = String::new();
        if is_sampled {
            let level = if self.random.one_in(2) { self.level() } else { self.value() };
            let (levels, one) = (self.line("u32", "image_levels buffer1()"), self.line("u32", "const 1"));
            inside.push(self.line("bool", &format!("lt {level}, {levels}")));
            told.push((level.clone(), levels.clone()));
            let last = self.line("u32", &format!("sub {levels}, {one}"));
            asked = self.line("u32", &format!("min {level}, {last}"));
            operands += &format!(", {level}");
        }
        for (at, axis) in [(x, "x"), (y, "y")] {
            let image = if is_sampled { "buffer1" } else { "buffer0" };
            let size = self.line("u32", &format!("image_size_{axis} {image}({asked})"));
            inside.push(self.line("bool", &format!("lt {at}, {size}")));
            told.push((at, size));
        }
        let all = inside.clone().into_iter().reduce(|all, one| self.line("bool", &format!("and {all}, {one}")));
        let (all, (at, side)) = (all.expect("some axes"), told.swap_remove(0));
        let one = self.line("u32", "const 1");
        if is_sampled {
            self.lines.last += 1;
            let found = format!("%{}", self.lines.last);
            self.lines.text += &format!("if {all} -> ({found}: u32) {{\n");
            let loaded = self.line("u32", &format!("image_load buffer1({operands})"));
            self.lines.text += &format!("yield {loaded}\n}} else {{\ntrap site0({at}, {side})\nyield {one}\n}}\n");
            self.values.push(found);
        } else {
            self.lines.text += &format!(
                "if {all} {{\nimage_store buffer0({operands}, {one})\nyield\n}} else {{\ntrap site0({at}, {side})\nyield\n}}\n"
            );
        }
    }
}

fn image(extent: [u32; 2], levels: u32) -> Vec<ImageInput> {
    let shape = SampledExtent { extent: [extent[0], extent[1], 1], dimensions: 2, levels };
    vec![ImageInput { shape, sampler: Sampler { filter: Filter::Nearest, levels: Filter::Nearest, edge: Edge::Clamp } }]
}

fn texels(image: &[ImageInput]) -> Vec<Value> {
    let shape = image[0].shape;
    let count: u32 = (0..shape.levels).map(|level| shape.of_level(level).iter().product::<u32>()).sum();
    vec![Value::Scalar(Constant::U32(1)); count as usize]
}

/// The outcome of a launch, and its traps in an order of their own.
fn outcome(module: &Module, world: &World, images: &[Vec<ImageInput>], groups: [u32; 3]) -> (Vec<String>, Outcome) {
    let (params, buffers) = (world.params.clone(), world.buffers.clone());
    let inputs = Inputs { groups, params, buffers, images: images.to_vec(), ..Inputs::default() };
    let outcome = run(module, &inputs, &Options { finds_races: false, ..Options::default() });
    let mut traps: Vec<_> =
        outcome.traps.iter().map(|trap| format!("{:?} {:?}", trap.invocation, trap.operands)).collect();
    traps.sort();
    (traps, outcome)
}

#[test]
fn checks_of_random_images_hold() {
    let seeds = seeds(1000);
    let cases = seeds.end - seeds.start;
    let (mut held, mut went) = (0, 0);
    for seed in seeds {
        let mut random = Random(seed);
        let values = ["%1", "%2", "%3"].map(str::to_owned).to_vec();
        let mut writer = Writer { random: &mut random, lines: Lines::after(3), values };
        for _ in 0..writer.random.below(4) {
            writer.computed();
        }
        for _ in 0..writer.random.below(3) {
            writer.guard();
        }
        for _ in 0..writer.random.below(3) {
            writer.computed();
        }
        for _ in 0..1 + writer.random.below(2) {
            writer.access();
        }
        let lines = writer.lines.text;
        let text = format!(
            "file0 \"a.rs\"\nsite0 index_out_of_bounds @file0:1:1 \"a\"\nkernel fn0 workgroup(4, 2, 1) {{\nbuffer0 to: [u32] mut \
             image(2, R32Uint)\nbuffer1 from: [u32] image(2, R32Uint, sampled)\nparam0 n: u32\n}}\nfn0 k() -> () {{\n%0: vec3<u32> = \
             global_id\n%1: u32 = extract %0.0\n%2: u32 = extract %0.1\n%3: u32 = param0\n{lines}\nreturn\n}}\n"
        );
        let module = text::module(seed, &text);
        let mut after = module.clone();
        let _ = passes::optimize(&mut after);
        let traps_left = after.to_string().matches("trap site0").count();
        went += usize::from(traps_left < text.matches("trap site0").count());
        let mut world = world(&mut Random(1));
        world.lists = Vec::new();
        for _ in 0..6 {
            let mut side = |_| [1, 2, 3, 4, 7, 8, 16, 40][random.below(8)];
            let images = [image([0, 1].map(&mut side), 1), image([0, 1].map(&mut side), side(0).min(3))];
            world.buffers = images.iter().map(|image| texels(image)).collect();
            let number = [0, 1, 2, 3, 5, 1 << 31, u32::MAX][random.below(7)];
            world.params = vec![Value::Scalar(Constant::U32(number))];
            let groups = [1 + random.below(2) as u32, 1 + random.below(2) as u32, 1];
            held += usize::from(verdict_with(&module, &world, &images, groups) == Some(Verdict::Hold));
            let ((traps, before), (traps_after, after)) =
                (outcome(&module, &world, &images, groups), outcome(&after, &world, &images, groups));
            assert_eq!(traps, traps_after, "seed {seed}: {images:?}\n{text}");
            assert_eq!(before.buffers, after.buffers, "seed {seed}: {images:?}\n{text}");
            assert_eq!(before.findings.len(), after.findings.len(), "seed {seed}: {:?}\n{text}", after.findings);
        }
    }
    assert!(held >= 200 || cases < 1000, "only {held} launches were found to hold");
    assert!(went >= 20 || cases < 1000, "checks went from {went} kernels only");
}
