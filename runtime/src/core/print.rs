//! Prints of kernels: records sorted into the order of a program that runs one invocation after the other, and the sink
//! that takes them. No Vulkan calls.

use std::fmt;
use std::io::Write;
use std::sync::Arc;

use gridwise_ir::descriptor::{KernelDescriptor, PrintHeader, Site, SiteKind};

/// Bytes of the print buffer of a launch, unless the manager says otherwise.
const DEFAULT_BYTES: u32 = 1 << 20;

/// A message that a kernel printed.
///
/// ```
/// use gridwise::Printed;
///
/// /// A line of a log.
/// fn line(printed: &Printed<'_>) -> String {
///     let [x, y, z] = printed.invocation;
///     format!("{}:{} [{x} {y} {z}] {}", printed.file, printed.line, printed.text.trim_end())
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Printed<'a> {
    /// The kernel.
    pub kernel: &'static str,
    /// Global id of the invocation that printed.
    pub invocation: [u32; 3],
    /// The text, with the line's end where the macro adds one.
    pub text: &'a str,
    /// Whether it was `eprintln!`, `eprint!` or `dbg!`.
    pub is_error: bool,
    /// File of the macro call.
    pub file: &'static str,
    /// Its line, from 1.
    pub line: u32,
    /// Its column, from 1.
    pub column: u32,
}

/// The sink for the messages of `println!`, `eprintln!` and `dbg!` in kernels; the standard streams by default.
///
/// It is called once per message after a run of a sequence, before the wait for the run returns. Messages are ordered
/// by workgroup, then by invocation, then in program order.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{Manager, ManagerDesc, PrintSink};
///
/// // Prints of kernels go to the program's log.
/// let print = PrintSink::new(|printed| eprintln!("{}: {}", printed.kernel, printed.text.trim_end()));
/// let manager = Manager::with(ManagerDesc { print, ..ManagerDesc::from_env()? })?;
/// # drop(manager);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct PrintSink(Arc<dyn Fn(&Printed<'_>) + Send + Sync>);

impl PrintSink {
    /// A sink that calls a function for each message.
    ///
    /// ```
    /// # fn main() -> gridwise::Result<()> {
    /// use std::sync::mpsc;
    /// use gridwise::{ManagerDesc, PrintSink};
    ///
    /// let (sender, texts) = mpsc::channel();
    /// let print = PrintSink::new(move |printed| drop(sender.send(printed.text.to_owned())));
    /// let desc = ManagerDesc { print, ..ManagerDesc::from_env()? };
    /// // … launches; then, for a test: what was printed …
    /// assert_eq!(texts.try_iter().count(), 0);
    /// # drop(desc);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(sink: impl Fn(&Printed<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(sink))
    }
}

impl Default for PrintSink {
    fn default() -> Self {
        Self::new(|printed| {
            // As with `println!` on a closed stream there is nobody to tell; unlike there, the program goes on.
            let _ = match printed.is_error {
                true => std::io::stderr().write_all(printed.text.as_bytes()),
                false => std::io::stdout().write_all(printed.text.as_bytes()),
            };
        })
    }
}

impl fmt::Debug for PrintSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrintSink").finish_non_exhaustive()
    }
}

impl PartialEq for PrintSink {
    /// Whether both are clones of one sink.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for PrintSink {}

/// One message of a launch.
#[derive(Debug, Clone)]
pub(crate) struct PrintRecord {
    pub(crate) site: Site,
    pub(crate) invocation: [u32; 3],
    pub(crate) text: String,
}

/// The messages of one launch.
#[derive(Debug, Clone)]
pub(crate) struct LaunchPrints {
    pub(crate) descriptor: &'static KernelDescriptor,
    /// Invocations per workgroup.
    pub(crate) workgroup: [u32; 3],
    /// In the order in which they came.
    pub(crate) records: Vec<PrintRecord>,
    pub(crate) dropped: u32,
    /// Words there were for records.
    pub(crate) capacity: u32,
}

/// Words for records in a print buffer of so many bytes; `None` asks for the usual size.
pub(crate) fn capacity_of(bytes: Option<u32>) -> u32 {
    (bytes.unwrap_or(DEFAULT_BYTES) / 4).saturating_sub(PrintHeader::WORDS)
}

impl LaunchPrints {
    /// Reads the records of a print buffer, without its header.
    pub(crate) fn read(
        descriptor: &'static KernelDescriptor,
        workgroup: [u32; 3],
        header: PrintHeader,
        words: &[u32],
    ) -> Self {
        let mut records = Vec::new();
        let end = words.len().min(header.used as usize);
        let mut rest = &words[..end];
        // A record that names no site ends them, and so does one that is cut off.
        while let [claim, x, y, z, arguments @ ..] = rest
            && let Some(site) = (*claim as usize).checked_sub(1).and_then(|index| descriptor.sites.get(index))
            && let Some(message) = site.message
            && let Some((own, behind)) = arguments.split_at_checked(message.words as usize)
        {
            let mut text = String::new();
            // Writing to a string fails only when some `Debug` gives up; what it wrote until then is kept.
            let _ = (message.write)(&mut text, own);
            records.push(PrintRecord { site: *site, invocation: [*x, *y, *z], text });
            rest = behind;
        }
        Self { descriptor, workgroup, records, dropped: header.dropped, capacity: header.capacity }
    }

    /// Hands all messages to a sink, in order, and a note when some were lost.
    pub(crate) fn emit(mut self, sink: &PrintSink) {
        let kernel = self.descriptor.name;
        let size = self.workgroup.map(|size| size.max(1));
        // Stable: the messages of one invocation stay as they came, which is the order of the program.
        self.records.sort_by_key(|record| {
            let axis = |axis: usize| (record.invocation[axis] / size[axis], record.invocation[axis] % size[axis]);
            let [x, y, z] = [axis(0), axis(1), axis(2)];
            ([z.0, y.0, x.0], [z.1, y.1, x.1])
        });
        for record in &self.records {
            let location = record.site.location;
            (sink.0)(&Printed {
                kernel,
                invocation: record.invocation,
                text: &record.text,
                is_error: record.site.kind == SiteKind::PrintError,
                file: location.file,
                line: location.line,
                column: location.column,
            });
        }
        if self.dropped > 0 {
            let location = self.descriptor.location;
            let (lost, bytes) = (self.dropped, 4 * (u64::from(self.capacity) + u64::from(PrintHeader::WORDS)));
            tracing::warn!(kernel, lost, bytes, "the print buffer was full");
            (sink.0)(&Printed {
                kernel,
                invocation: [0; 3],
                text: &format!(
                    "kernel `{kernel}`: {lost} more messages were lost: the print buffer has {bytes} bytes; \
                     `ManagerDesc::print_bytes` sets its size\n"
                ),
                is_error: true,
                file: location.file,
                line: location.line,
                column: location.column,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use gridwise_ir::descriptor::{Location, Message};

    use super::*;

    const LOCATION: Location = Location { file: "k.rs", line: 3, column: 5 };
    static DESCRIPTOR: KernelDescriptor = KernelDescriptor {
        print_binding: Some(0),
        sites: &[Site {
            kind: SiteKind::Print,
            location: LOCATION,
            text: "println!",
            message: Some(Message { words: 1, write: |f, words| writeln!(f, "{}", words[0]) }),
        }],
        ..KernelDescriptor::new("k", LOCATION, &[], "main", [2, 2, 1], 0)
    };

    fn lines(words: &[u32], used: u32, dropped: u32) -> Vec<String> {
        let header = PrintHeader { used, dropped, capacity: words.len() as u32, reserved: 0 };
        let lines = Arc::new(Mutex::new(Vec::new()));
        let kept = lines.clone();
        let sink = PrintSink::new(move |printed| {
            kept.lock().unwrap().push(format!("{:?} {}", printed.invocation, printed.text.trim_end()));
        });
        LaunchPrints::read(&DESCRIPTOR, [2, 2, 1], header, words).emit(&sink);
        lines.lock().unwrap().clone()
    }

    #[test]
    fn records_come_by_workgroup_and_invocation() {
        let words = [1, 2, 0, 0, 7, 1, 1, 1, 0, 8, 1, 1, 0, 0, 9, 1, 1, 1, 0, 6];
        assert_eq!(lines(&words, 20, 0), ["[1, 0, 0] 9", "[1, 1, 0] 8", "[1, 1, 0] 6", "[2, 0, 0] 7"]);
    }

    #[test]
    fn nothing_is_read_past_the_end() {
        let words = [1, 0, 0, 0, 7, 0, 1, 1, 1, 1];
        let lost = "[0, 0, 0] kernel `k`: 3 more messages were lost: the print buffer has 56 bytes; \
                    `ManagerDesc::print_bytes` sets its size";
        assert_eq!(lines(&words, 40, 3), ["[0, 0, 0] 7", lost]);
        assert_eq!(lines(&words, 0, 0), [""; 0]);
        assert_eq!(lines(&words[..4], 40, 0), [""; 0], "cut off");
        assert_eq!(lines(&[9; 10], 10, 0), [""; 0], "no such site");
    }
}
