//! Overlaps among the arguments of a launch: memory that is written is passed once.

use gridwise_ir::descriptor::KernelDescriptor;

use crate::core::error::{Error, Result, TensorName};
use crate::record::mismatch::place_among;
use crate::record::steps::BufferArg;

/// Refuses arguments that overlap, where one of both is written.
pub(super) fn refuse_aliases(descriptor: &KernelDescriptor, arguments: &[BufferArg]) -> Result<()> {
    match alias(arguments) {
        None => Ok(()),
        Some((first, second)) => Err(passed_twice(descriptor, arguments, first, second)),
    }
}

/// The positions of two buffers that overlap, where one of both is written.
fn alias(arguments: &[BufferArg]) -> Option<(usize, usize)> {
    // As many as there are: sorted, so that what overlaps one stands behind it, and how far those before it reach is known.
    let mut order: Vec<usize> = (0..arguments.len()).filter(|at| arguments[*at].buffer.bytes() > 0).collect();
    order.sort_unstable_by_key(|at| (arguments[*at].buffer.id, arguments[*at].buffer.words().start));
    let mut of_one = order.chunk_by(|a, b| arguments[*a].buffer.is_same_memory(&arguments[*b].buffer));
    of_one.find_map(|of_one| {
        // Where the words that are used end, and those that are written; and the arguments that reach so far.
        let (mut used, mut written) = ((0, None), (0, None));
        of_one.iter().find_map(|&at| {
            let (words, is_written) = (arguments[at].buffer.words(), arguments[at].is_written);
            let (end, other) = if is_written { used } else { written };
            let clash = if words.start < end { other } else { None };
            let reach =
                |before: (u64, Option<usize>)| if words.end > before.0 { (words.end, Some(at)) } else { before };
            used = reach(used);
            written = if is_written { reach(written) } else { written };
            clash.map(|other| (at.min(other), at.max(other)))
        })
    })
}

/// Refuses the last argument if it is one of those before, too.
pub(super) fn refuse_alias(descriptor: &KernelDescriptor, arguments: &[BufferArg], other: Option<usize>) -> Result<()> {
    match other {
        None => Ok(()),
        Some(other) => Err(passed_twice(descriptor, arguments, other, arguments.len() - 1)),
    }
}

fn passed_twice(descriptor: &KernelDescriptor, arguments: &[BufferArg], first: usize, second: usize) -> Error {
    let place = [first, second].map(|at| place_among(descriptor, arguments, at)).join(" and ");
    let (operation, name) =
        (format!("kernel `{}`", descriptor.name), TensorName::from(arguments[second].buffer.name()));
    Error::AliasedTensor { operation, tensor: name.at(place) }
}
