//! Modules that tell whether a driver stopped one of their loops. For drivers that end loops after so many rounds and go on behind them
//! as if nothing were missing.
//!
//! Each invocation adds one to a word of a buffer where it enters a loop, and takes one away where it leaves it by its own way. So the word
//! is zero behind a launch in which no loop was stopped, whatever the driver counts. Loops whose rounds are known and few need none of it.
//! Any module that [`reflect`](crate::reflect) or the back end vouches for can be read; nothing else of it changes.

mod edit;
mod graph;
mod rounds;

use edit::Editor;
use graph::Graph;

/// A module whose loops are watched; `None` where they have at most `most` rounds together, as far as the words tell.
///
/// It has one more storage buffer, at `binding` of set 0, with a word that has to be zero before a launch. Behind it the word is zero again
/// unless a loop was stopped.
///
/// ```
/// // No module, so no loops.
/// assert_eq!(gridwise_ir::watch::watch(&[0x0723_0203, 0x10500, 0, 1, 0], 0, 1000), None);
/// ```
pub fn watch(words: &[u32], binding: u32, most: u32) -> Option<Vec<u32>> {
    let graph = Graph::of(words)?;
    if graph.functions.iter().all(|function| function.loops.is_empty()) || rounds::are_at_most(&graph, most) {
        return None;
    }
    Some(Editor::new(&graph, binding).write())
}
