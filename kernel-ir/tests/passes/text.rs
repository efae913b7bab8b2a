//! Modules of random text: the seeds, the lines of a function, the module that they are, and a check that optimising keeps what it does.

use std::ops::Range;

use gridwise_ir::interpret::Value;
use gridwise_ir::ir::{Constant, Module};
use gridwise_ir::parse::parse;
use gridwise_ir::verify::verify;

use crate::generate::Random;
use crate::random::{compare, world};
use crate::run_pass;

/// The seeds of a test: as many as usual from zero on, or as many as `CASES` asks for, from `SEED` on.
pub(crate) fn seeds(usual: u64) -> Range<u64> {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let first = number("SEED").unwrap_or(0);
    first..first + number("CASES").unwrap_or(usual)
}

/// The well-formed module that a text is.
pub(crate) fn module(seed: u64, text: &str) -> Module {
    let module = parse(text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
    verify(&module).unwrap_or_else(|errors| panic!("seed {seed}: {errors}\n{text}"));
    module
}

/// Lines of a function, whose values are numbers.
pub(crate) struct Lines {
    pub(crate) text: String,
    /// The last number.
    pub(crate) last: usize,
}

impl Lines {
    /// No lines behind the value with this number.
    pub(crate) fn after(last: usize) -> Self {
        Self { text: String::new(), last }
    }
}

/// Writes lines.
pub(crate) trait Write {
    /// The lines so far.
    fn lines(&mut self) -> &mut Lines;

    /// The name of a value that nothing defines yet.
    fn name(&mut self) -> String {
        let lines = self.lines();
        lines.last += 1;
        format!("%{}", lines.last)
    }

    /// Adds an instruction with a result, and gives its name.
    fn line(&mut self, ty: &str, inst: &str) -> String {
        let name = self.name();
        self.lines().text += &format!("{name}: {ty} = {inst}\n");
        name
    }
}

/// Checks that random kernels of two numbers and one buffer do the same once they are optimised, and that some of them have no loop then.
/// `inputs` gives the numbers and the buffer of a launch.
pub(crate) fn written_out(
    usual: u64,
    kernel: impl Fn(&mut Random) -> String,
    inputs: impl Fn(&mut Random) -> ([u32; 2], Vec<u32>),
) {
    let seeds = seeds(usual);
    let cases = seeds.end - seeds.start;
    let mut without_loop = 0;
    for seed in seeds {
        let mut random = Random(seed);
        let before = module(seed, &kernel(&mut random));
        let mut after = before.clone();
        run_pass(&mut after, "optimize");
        verify(&after).unwrap_or_else(|errors| panic!("seed {seed}: {errors}\n{after}"));
        without_loop += u64::from(!after.to_string().contains("loop"));
        for _ in 0..6 {
            let mut world = world(&mut random);
            let (params, buffer) = inputs(&mut random);
            let values = |words: &[u32]| words.iter().map(|word| Value::Scalar(Constant::U32(*word))).collect();
            (world.params, world.buffers, world.lists) = (values(&params), vec![values(&buffer)], Vec::new());
            if let Err(what) = compare(&before, &after, &world) {
                panic!("seed {seed}: {what}\n{before}\n{after}\n{world:?}");
            }
        }
    }
    assert!(without_loop * 10 > cases, "{without_loop} loops of {cases} are written out");
}

/// A text with numbers for the names of its values.
pub(crate) fn numbered(text: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    let mut out = String::new();
    for (at, part) in text.split('%').enumerate() {
        if at == 0 {
            out += part;
            continue;
        }
        let end = part.find(|c: char| !c.is_alphanumeric()).unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        let known = names.iter().position(|known| known == name);
        let number = known.unwrap_or_else(|| {
            names.push(name.to_owned());
            names.len() - 1
        });
        out += &format!("%{number}{rest}");
    }
    out
}
