//! A driver's figures for a compiled kernel, as data; `vulkan/executables.rs` asks for them.

use std::fmt;

/// A program that the driver compiled from a kernel, with its statistics; most drivers compile one for each kernel.
///
/// Got by [`Algorithm::executables`](crate::Algorithm::executables), from managers with
/// [`ManagerDesc::executable_statistics`](crate::ManagerDesc::executable_statistics).
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{Algorithm, Executable, Result, StatisticValue};
///
/// /// The registers that an invocation takes, where the driver tells.
/// fn registers(algorithm: &Algorithm) -> Result<Option<u64>> {
///     let executables: Vec<Executable> = algorithm.executables()?;
///     let mut statistics = executables.iter().flat_map(|executable| &executable.statistics);
///     let found = statistics.find(|statistic| statistic.name.contains("Register"));
///     Ok(found.and_then(|statistic| match statistic.value {
///         StatisticValue::U64(count) => Some(count),
///         _ => None,
///     }))
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Executable {
    /// The driver's name for it.
    pub name: String,
    /// The description, in the driver's words.
    pub description: String,
    /// Invocations of a subgroup in it.
    pub subgroup_size: u32,
    /// Registers, bytes of memory, instructions: whatever the driver counts.
    pub statistics: Vec<Statistic>,
}

/// A figure of an [`Executable`].
///
/// ```
/// use gridwise::{Executable, Statistic};
///
/// /// All figures, a line each.
/// fn table(executable: &Executable) -> String {
///     let line = |Statistic { name, value, .. }: &Statistic| format!("{name}: {value}\n");
///     executable.statistics.iter().map(line).collect()
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Statistic {
    /// The driver's name for it, such as `Register Count`.
    pub name: String,
    /// The meaning, in the driver's words.
    pub description: String,
    /// The figure.
    pub value: StatisticValue,
}

/// The value of a [`Statistic`].
///
/// ```
/// use gridwise::StatisticValue;
///
/// assert_eq!(StatisticValue::U64(48).to_string(), "48");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StatisticValue {
    /// A truth value.
    Bool(bool),
    /// A signed number.
    I64(i64),
    /// An unsigned number.
    U64(u64),
    /// A number with a fraction.
    F64(f64),
}

impl fmt::Display for StatisticValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::I64(value) => value.fmt(f),
            Self::U64(value) => value.fmt(f),
            Self::F64(value) => value.fmt(f),
        }
    }
}

/// A line for each figure.
impl fmt::Display for Executable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} (subgroups of {})", self.name, self.subgroup_size)?;
        let width = self.statistics.iter().map(|statistic| statistic.name.chars().count()).max().unwrap_or(0);
        for Statistic { name, value, .. } in &self.statistics {
            writeln!(f, "  {name:width$}  {value}")?;
        }
        Ok(())
    }
}
