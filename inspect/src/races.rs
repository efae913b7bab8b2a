//! Whether a kernel's invocations can race, in words. It repeats what the analysis says of the module as lowered.

use std::fmt;

use gridwise_ir::ir::{InstId, Module, Obligation, SourceLocation};
use gridwise_ir::passes::expose;
use gridwise_ir::races::{Kind, Proven, Race, Rule, explain};

use crate::checks::obligation_text;
use crate::source::Place;

/// Whether a kernel's invocations can race.
#[derive(Debug, Default)]
pub(crate) struct Races {
    /// Conditions under which a launch has no race.
    pub(crate) conditions: Vec<String>,
    /// Accesses that are not proven.
    pub(crate) races: Vec<Unproven>,
    /// Why each of the others is free of races.
    pub(crate) proofs: Vec<Proof>,
}

/// Why an access does not race, with itself in other invocations or with another access.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Proof {
    /// The buffer or variable.
    pub(crate) name: String,
    /// The kind of the access, and its place.
    pub(crate) access: (&'static str, Place),
    /// The other access, where it is another one.
    pub(crate) other: Option<(&'static str, Place)>,
    pub(crate) rule: &'static str,
    /// Conditions of a launch for it.
    pub(crate) conditions: Vec<String>,
    is_vouched: bool,
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
        let (analysis, proven) = explain(&module);
        let text = |obligation: &Obligation| module.kernel.as_ref().map(|kernel| obligation_text(kernel, obligation));
        let mut proofs: Vec<Proof> = Vec::new();
        for proven in &proven {
            let proof = Proof::of(&module, proven, &text);
            // Copies of code are the same access.
            if !proofs.contains(&proof) {
                proofs.push(proof);
            }
        }
        proofs.sort_by(|a, b| (&a.access.1, &a.name).cmp(&(&b.access.1, &b.name)));
        Self {
            conditions: analysis.conditions.iter().filter_map(|condition| text(&condition.obligation)).collect(),
            races: analysis.races.iter().map(|race| Unproven::of(&module, race)).collect(),
            proofs,
        }
    }
}

/// The place of an access.
fn place(module: &Module, at: Option<SourceLocation>) -> Place {
    match at {
        Some(at) => (module.files[at.file].clone(), at.line),
        None => (String::new(), 0),
    }
}

impl Proof {
    fn of(module: &Module, proven: &Proven, text: &dyn Fn(&Obligation) -> Option<String>) -> Self {
        let [first, second] = proven.accesses;
        let access = |(kind, at, _): (Kind, Option<SourceLocation>, InstId)| (kind.name(), place(module, at));
        Self {
            name: proven.name.clone(),
            access: access(first),
            other: (first.2 != second.2).then(|| access(second)),
            rule: proven.rule.text(),
            conditions: proven.conditions.iter().filter_map(text).collect(),
            is_vouched: proven.rule == Rule::Vouched,
        }
    }

    /// The price of it in a launch.
    pub(crate) fn cost(&self) -> &'static str {
        match (self.is_vouched, self.conditions.is_empty()) {
            (true, _) => "nothing is checked",
            (false, true) => "costs nothing",
            (false, false) => "checked when a launch is recorded",
        }
    }
}

/// With the place of the access.
impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, (file, line)) = &self.access;
        write!(f, "`{}` {kind} at {file}:{line}", self.name)?;
        if let Some((kind, (file, line))) = &self.other {
            write!(f, ", and {kind} at {file}:{line}")?;
        }
        write!(f, ": {}", self.rule)?;
        if !self.conditions.is_empty() {
            write!(f, ", where {}", self.conditions.join(" and "))?;
        }
        write!(f, "; {}", self.cost())
    }
}

impl Unproven {
    fn of(module: &Module, race: &Race) -> Self {
        let accesses = [0, 1].map(|at| {
            let (kind, location, _) = &race.accesses[at];
            (kind.name(), place(module, *location))
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
        for proof in &self.proofs {
            writeln!(f, "no race: {proof}")?;
        }
        if self.races.is_empty() && self.conditions.is_empty() && self.proofs.is_empty() {
            writeln!(f, "its invocations do not race")?;
        }
        Ok(())
    }
}
