//! A kernel as it is shown: compiled again from what the macro lowered, by the same passes, with what they found out.

use std::fmt;

use gridwise_ir::compile::{CompileOptions, Compiled, compile};
use gridwise_ir::ir::Module;
use gridwise_ir::parse::parse;
use gridwise_ir::passes::optimize;

use crate::checks::{self, Check};
use crate::collect::Lowered;
use crate::driver::Answer;
use crate::error::Error;
use crate::listing::{self, Line, Spirv};
use crate::races::Races;
use crate::source::{Excerpt, Place, Sources};

/// Everything that is shown of a kernel.
#[derive(Debug)]
pub(crate) struct Inspected {
    pub(crate) name: String,
    pub(crate) location: Option<Place>,
    /// The kernel's function first, then those that were put into it.
    pub(crate) sources: Vec<Excerpt>,
    pub(crate) ir: Vec<Line>,
    pub(crate) spirv: Spirv,
    /// Instructions of the IR, as lowered and at the end.
    pub(crate) instructions: [usize; 2],
    pub(crate) checks: Vec<Check>,
    pub(crate) removed_checks: usize,
    /// The checks of the host before a launch.
    pub(crate) obligations: Vec<String>,
    /// Whether its invocations can race.
    pub(crate) races: Races,
    /// Items of an invocation in the second entry point.
    pub(crate) batch: Option<u32>,
    pub(crate) compiled: Compiled,
    pub(crate) driver: Option<Answer>,
}

impl Inspected {
    /// Compiles what was dumped.
    ///
    /// # Errors
    /// When the text is of another version of the compiler.
    pub(crate) fn new(lowered: &Lowered, sources: &mut Sources) -> Result<Self, Error> {
        let Lowered { path, text } = lowered;
        let first = text.lines().next().unwrap_or_default();
        let options: CompileOptions = first
            .trim_start_matches(';')
            .trim()
            .parse()
            .map_err(|cause| Error::OtherVersion { path: path.clone(), cause: format!("{cause}") })?;
        let module = parse(text).map_err(|source| Error::Parse { path: path.clone(), source })?;
        let compiled = compile(module.clone(), &options)
            .map_err(|source| Error::Compile { path: path.clone(), source: Box::new(source) })?;
        Ok(Self::of(module, compiled, sources))
    }

    fn of(lowered: Module, compiled: Compiled, sources: &mut Sources) -> Self {
        let before = listing::count_ir(&lowered);
        let mut module = lowered;
        // What `compile` decides of the module before the passes.
        let waits = gridwise_ir::parallel::needs_full_workgroups(&module);
        if let Some(kernel) = &mut module.kernel {
            kernel.full_workgroups |= waits;
        }
        let races = Races::of(&module);
        let _ = optimize(&mut module);
        let ir = listing::ir_lines(&module);
        let location = compiled.location.as_ref().map(|at| (at.file.clone(), at.line));
        let places = location.iter().chain(ir.iter().filter_map(|line| line.place.as_ref()));
        let excerpts = sources.excerpts(places.cloned());
        let obligations = module
            .kernel
            .iter()
            .flat_map(|kernel| kernel.obligations.iter().map(|obligation| checks::obligation_text(kernel, obligation)));
        Self {
            name: compiled.name.clone(),
            location,
            sources: excerpts,
            spirv: Spirv::new(&compiled.words),
            instructions: [before, listing::count_ir(&module)],
            checks: checks::residual(&module),
            removed_checks: compiled.checks.removed,
            obligations: obligations.collect(),
            races,
            batch: compiled.batch.as_ref().map(|batch| batch.items),
            ir,
            compiled,
            driver: None,
        }
    }

    /// Checks that run on the device whatever the launch.
    pub(crate) fn checks_on_device(&self) -> usize {
        self.checks.iter().filter(|check| !check.at_launch).count()
    }

    /// Facts in a word or two, with their names.
    pub(crate) fn facts(&self) -> Vec<(&'static str, String)> {
        let [lowered, optimised] = self.instructions;
        let words = self.compiled.words.len();
        let mut facts = vec![
            ("workgroup", workgroup_text(&self.compiled)),
            ("IR instructions", format!("{optimised}, {lowered} as lowered")),
            ("SPIR-V", format!("{words} words, {} bytes", words * 4)),
            ("push constants", format!("{} bytes", self.compiled.facts.push_constant_size)),
        ];
        if self.compiled.facts.parallel.shared_bytes > 0 {
            facts.push(("shared memory", format!("{} bytes", self.compiled.facts.parallel.shared_bytes)));
        }
        if let Some(items) = self.batch {
            facts.push(("items per invocation", format!("{items}, where the launch allows it")));
        }
        let features: Vec<_> = self.compiled.features.iter().map(|(feature, _)| feature.vulkan_name()).collect();
        if !features.is_empty() {
            facts.push(("needs", features.join(", ")));
        }
        facts
    }
}

fn workgroup_text(compiled: &Compiled) -> String {
    use gridwise_ir::descriptor::Size;
    let text = |size: &Size| match size {
        Size::Known(number) => number.to_string(),
        Size::Param(param) => compiled.constants[*param as usize].name.clone(),
    };
    compiled.workgroup.iter().map(text).collect::<Vec<_>>().join(" × ")
}

/// A line for each kernel.
pub(crate) fn table(kernels: &[Inspected]) -> String {
    let width = kernels.iter().map(|kernel| kernel.name.chars().count()).max().unwrap_or(0).max(6);
    let mut text = format!(
        "{:width$} {:>6} {:>8} {:>14} {:>10} {:>10} {:>6}\n",
        "kernel", "IR", "words", "checks removed", "at launch", "on device", "batch"
    );
    for kernel in kernels {
        let on_device = kernel.checks_on_device();
        text += &format!(
            "{:width$} {:>6} {:>8} {:>14} {:>10} {on_device:>10} {:>6}\n",
            kernel.name,
            kernel.instructions[1],
            kernel.compiled.words.len(),
            kernel.removed_checks,
            kernel.checks.len() - on_device,
            kernel.batch.map_or("-".to_owned(), |items| items.to_string()),
        );
    }
    text
}

/// For a terminal.
impl fmt::Display for Inspected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "=== {}", self.name)?;
        if let Some((file, line)) = &self.location {
            write!(f, " ({file}:{line})")?;
        }
        writeln!(f)?;
        for (name, value) in self.facts() {
            writeln!(f, "{name}: {value}")?;
        }
        for obligation in &self.obligations {
            writeln!(f, "condition of a launch without checks: {obligation}")?;
        }
        for Check { text, place: (file, line), reason, .. } in &self.checks {
            writeln!(f, "check of `{text}` at {file}:{line}: {reason}")?;
        }
        write!(f, "{}", self.races)?;
        for (kind, count) in &self.spirv.counts {
            writeln!(f, "{count:>6} {kind}")?;
        }
        if let Some(answer) = &self.driver {
            write!(f, "{answer}")?;
        }
        for (title, lines) in [("IR", &self.ir), ("SPIR-V", &self.spirv.lines)] {
            writeln!(f, "--- {title} of {}", self.name)?;
            for Line { text, place } in lines {
                match place {
                    Some((_, line)) => writeln!(f, "{line:>5} {text}")?,
                    None => writeln!(f, "      {text}")?,
                }
            }
        }
        Ok(())
    }
}
