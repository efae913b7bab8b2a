//! The times of a run's operations: collected here, shown as a table or a trace. It must not measure anything itself.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::time::Duration;

use crate::record::steps::RecordedOp;

/// How long each operation of a run took on the device; made by [`Sequence::eval_profiled`](crate::Sequence::eval_profiled).
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{Manager, ops::OpFill};
///
/// let manager = Manager::host();
/// let mut values = manager.tensor_of_len::<f32>(1 << 16)?;
/// let sequence = manager.sequence()?;
/// sequence.record(OpFill::new(&mut values, 1.0))?;
/// let profile = sequence.eval_profiled()?;
/// println!("{profile}"); // a table
/// assert_eq!(profile.ops().len(), 1);
/// assert!(profile.ops()[0].duration() <= profile.device());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    ops: Vec<OpTime>,
    host: Duration,
}

/// When an operation ran, counted from the start of the first one of its run.
///
/// Operations that do not depend on each other may overlap, and run in another order than they were recorded in where that takes fewer
/// barriers. The end is when the operation and all that the device came to before were complete.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::ops::OpFill;
///
/// # let manager = gridwise::Manager::host();
/// let mut values = manager.tensor_of_len::<f32>(1 << 12)?;
/// let sequence = manager.sequence()?;
/// sequence.record(OpFill::new(&mut values, 1.0))?.record(OpFill::new(&mut values, 2.0))?;
/// for op in sequence.eval_profiled()?.ops() {
///     println!("{} from {:?} to {:?}", op.name, op.start, op.end);
///     assert!(op.start <= op.end);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpTime {
    /// The operation's name: of a launch, the kernel's.
    pub name: String,
    /// When the device came to it.
    pub start: Duration,
    /// When it was complete.
    pub end: Duration,
    /// Whether a launch of it does not meet all of the kernel's conditions, and so checks indices, or loads neighbouring elements one by
    /// one, where it would not if it met them.
    ///
    /// Most kernels run without checks if the grid, the tensors and the parameters fit each other as the kernel needs it; loads of a row's
    /// elements become loads of vectors if its width is a multiple of theirs. `gridwise-inspect` shows the conditions of each kernel.
    /// Always `false` of a kernel without conditions.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::prelude::*;
    ///
    /// #[kernel]
    /// fn first(n: u32, x: &mut [u32]) {
    ///     let i = global_id().x;
    ///     if i < n {
    ///         x[i as usize] = i;
    ///     }
    /// }
    ///
    /// let manager = Manager::host();
    /// let mut x = manager.tensor(&[0u32; 64])?;
    /// let sequence = manager.sequence()?;
    /// First::dispatch(&sequence, Grid::items(64), 64, &mut x)?;
    /// assert!(!sequence.eval_profiled()?.ops()[0].keeps_checks, "64 elements are enough");
    /// # Ok(())
    /// # }
    /// ```
    pub keeps_checks: bool,
}

impl OpTime {
    /// The device's time from its start to its end.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use std::time::Duration;
    /// use gridwise::ops::OpFill;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpFill::new(&mut manager.tensor_of_len::<f32>(1 << 12)?, 1.0))?;
    /// let total: Duration = sequence.eval_profiled()?.ops().iter().map(|op| op.duration()).sum();
    /// println!("{total:?} in all");
    /// # Ok(())
    /// # }
    /// ```
    pub fn duration(&self) -> Duration {
        self.end.saturating_sub(self.start)
    }
}

impl Profile {
    pub(crate) fn new(
        ops: &[RecordedOp],
        checked: &[bool],
        spans: &[Option<(Duration, Duration)>],
        host: Duration,
    ) -> Self {
        let mut last = Duration::ZERO;
        let ops = ops.iter().zip(spans).zip(checked).map(|((op, span), keeps_checks)| {
            let (start, end) = span.unwrap_or((last, last));
            last = end;
            OpTime { name: op.name.to_string(), start, end, keeps_checks: *keeps_checks }
        });
        Self { ops: ops.collect(), host }
    }

    /// The operations, in the order they were recorded.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::{OpCopy, OpFill};
    ///
    /// # let manager = gridwise::Manager::host();
    /// let (mut a, mut b) = (manager.tensor_of_len::<f32>(64)?, manager.tensor_of_len::<f32>(64)?);
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpFill::new(&mut a, 1.0))?.record(OpCopy::new(&a, &mut b))?;
    /// let profile = sequence.eval_profiled()?;
    /// let names: Vec<_> = profile.ops().iter().map(|op| op.name.as_str()).collect();
    /// assert_eq!(names, ["fill", "copy"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn ops(&self) -> &[OpTime] {
        &self.ops
    }

    /// Time of the device from the start of the first operation to the end of the last.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpFill;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut values = manager.tensor_of_len::<f32>(1 << 16)?;
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpFill::new(&mut values, 1.0))?;
    /// let seconds = sequence.eval_profiled()?.device().as_secs_f64();
    /// println!("{:.1} GB/s", 4.0 * values.len() as f64 / seconds / 1e9);
    /// # Ok(())
    /// # }
    /// ```
    pub fn device(&self) -> Duration {
        self.ops.iter().map(|op| op.end).max().unwrap_or_default()
    }

    /// Time of the host from the submission until it knew that all was complete.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpFill;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpFill::new(&mut manager.tensor_of_len::<f32>(64)?, 1.0))?;
    /// let profile = sequence.eval_profiled()?;
    /// let overhead = profile.host().saturating_sub(profile.device()); // of submitting and waiting
    /// println!("{overhead:?}");
    /// # Ok(())
    /// # }
    /// ```
    pub fn host(&self) -> Duration {
        self.host
    }

    /// The run as JSON in Chrome's trace event format, which `chrome://tracing` and Perfetto draw.
    ///
    /// Format: "Trace Event Format", complete events; times are microseconds.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::ops::OpFill;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let sequence = manager.sequence()?;
    /// sequence.record(OpFill::new(&mut manager.tensor_of_len::<f32>(64)?, 1.0))?;
    /// let trace = sequence.eval_profiled()?.to_chrome_trace(); // for `std::fs::write("trace.json", trace)`
    /// assert!(trace.contains("\"name\":\"fill\""));
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_chrome_trace(&self) -> String {
        let mut json = String::from("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
        for (index, op) in self.ops.iter().enumerate() {
            json.push_str(if index == 0 { "\n" } else { ",\n" });
            json.push_str("{\"ph\":\"X\",\"pid\":0,\"tid\":0,\"name\":\"");
            push_escaped(&mut json, &op.name);
            // Writing to a string cannot fail.
            let _ = write!(json, "\",\"ts\":{},\"dur\":{}}}", Micros(op.start), Micros(op.duration()));
        }
        json.push_str("\n]}\n");
        json
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows: Vec<(Cow<'_, str>, u32, Duration, Duration)> = Vec::new();
        for op in &self.ops {
            let time = op.duration();
            let name =
                if op.keeps_checks { format!("{}, with checks", op.name).into() } else { Cow::from(op.name.as_str()) };
            match rows.iter_mut().find(|row| row.0 == name) {
                Some((_, times, total, longest)) => {
                    (*times, *total, *longest) = (*times + 1, *total + time, time.max(*longest));
                }
                None => rows.push((name, 1, time, time)),
            }
        }
        rows.sort_by_key(|row| std::cmp::Reverse(row.2));
        let width = rows.iter().map(|row| row.0.chars().count()).max().unwrap_or(0).max("operation".len());
        writeln!(f, "{:width$} {:>7} {:>12} {:>12} {:>12}", "operation", "times", "total µs", "mean µs", "longest µs")?;
        for (name, times, total, longest) in rows {
            let mean = total / times.max(1);
            let [total, mean, longest] = [total, mean, longest].map(|time| Micros(time).to_string());
            writeln!(f, "{name:width$} {times:>7} {total:>12} {mean:>12} {longest:>12}")?;
        }
        write!(f, "{} µs on the device, {} µs for the host", Micros(self.device()), Micros(self.host))
    }
}

/// Microseconds with three decimals, whatever the size.
struct Micros(Duration);

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanoseconds = self.0.as_nanos();
        write!(f, "{}.{:03}", nanoseconds / 1000, nanoseconds % 1000)
    }
}

/// Adds text as the inside of a JSON string.
fn push_escaped(json: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            control if control < ' ' => {
                let _ = write!(json, "\\u{:04x}", u32::from(control));
            }
            other => json.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile() -> Profile {
        let op = |name: &str| RecordedOp { name: name.to_owned().into(), steps: 0..0 };
        let span = |start, end| Some((Duration::from_nanos(start), Duration::from_nanos(end)));
        let ops = [op("blur"), op("no\"thing\n"), op("blur"), op("blur")];
        let spans = [span(0, 1500), None, span(1000, 4000), span(2000, 2500)];
        Profile::new(&ops, &[false, false, false, true], &spans, Duration::from_micros(9))
    }

    #[test]
    fn the_table_adds_up_operations_of_one_name() {
        assert_eq!(profile().device(), Duration::from_nanos(4000));
        let text = profile().to_string();
        let row = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("a row");
            line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(row("blur "), ["2", "4.500", "2.250", "3.000"]);
        assert_eq!(row("blur, with checks "), ["1", "0.500", "0.500", "0.500"]);
        assert!(text.ends_with("4.000 µs on the device, 9.000 µs for the host"), "{text}");
    }

    #[test]
    fn the_trace_escapes_names() {
        let json = profile().to_chrome_trace();
        assert!(json.contains(r#""name":"blur","ts":1.000,"dur":3.000}"#), "{json}");
        assert!(json.contains(r#""name":"no\"thing\u000a","ts":1.500,"dur":0.000}"#), "{json}");
    }
}
