//! Whether a kernel's invocations can race, in words. It repeats what the analysis says of the module as lowered.

use std::fmt;

use gridwise_ir::ir::{Module, SourceLocation};
use gridwise_ir::passes::expose;
use gridwise_ir::races::{Race, analyse};

use crate::checks::obligation_text;
use crate::source::Place;

/// Whether a kernel's invocations can race.
#[derive(Debug, Default)]
pub(crate) struct Races {
    /// Conditions under which a launch has no race.
    pub(crate) conditions: Vec<String>,
    /// Accesses that are not proven.
    pub(crate) races: Vec<Unproven>,
}

/// Two accesses that may race.
#[derive(Debug)]
pub(crate) struct Unproven {
    /// The buffer or variable.
    pub(crate) name: String,
    /// The kind of each access, and its place.
    pub(crate) accesses: [(&'static str, Place); 2],
    pub(crate) reason: &'static str,
    /// Two invocations of a workgroup that meet.
    pub(crate) invocations: Option<[[u32; 3]; 2]>,
}

impl Races {
    /// Looks at a module as lowered.
    pub(crate) fn of(module: &Module) -> Self {
        let mut module = module.clone();
        // A kernel that is too large has been refused before.
        if expose(&mut module).is_err() {
            return Self::default();
        }
        let analysis = analyse(&module);
        let text = |condition: &gridwise_ir::races::Condition| {
            module.kernel.as_ref().map(|kernel| obligation_text(kernel, &condition.obligation))
        };
        Self {
            conditions: analysis.conditions.iter().filter_map(text).collect(),
            races: analysis.races.iter().map(|race| Unproven::of(&module, race)).collect(),
        }
    }
}

impl Unproven {
    fn of(module: &Module, race: &Race) -> Self {
        let place = |at: Option<SourceLocation>| match at {
            Some(at) => (module.files[at.file].clone(), at.line),
            None => (String::new(), 0),
        };
        let accesses = [0, 1].map(|at| {
            let (kind, location, _) = &race.accesses[at];
            (kind.name(), place(*location))
        });
        let (reason, invocations) = (race.reason.text(), race.invocations);
        Self { name: race.name.clone(), accesses, reason, invocations }
    }
}

impl fmt::Display for Unproven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [(first, (file, line)), (second, (other_file, other_line))] = &self.accesses;
        write!(f, "`{}` is {first} at {file}:{line} and {second} at {other_file}:{other_line}: ", self.name)?;
        f.write_str(self.reason)?;
        match self.invocations {
            Some([a, b]) => write!(f, ", for example {a:?} and {b:?} of a workgroup"),
            None => Ok(()),
        }
    }
}

/// For a terminal.
impl fmt::Display for Races {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for condition in &self.conditions {
            writeln!(f, "condition of a launch without races: {condition}")?;
        }
        for race in &self.races {
            writeln!(f, "may race: {race}")?;
        }
        if self.races.is_empty() && self.conditions.is_empty() {
            writeln!(f, "its invocations do not race")?;
        }
        Ok(())
    }
}
