//! The accesses that no barrier puts in order, whoever does them. It knows nothing of indices or of invocations.
//!
//! The accesses since the last barrier are a set that goes through the code once, and through a loop again while that adds to it. Where
//! not all take one way, the ways count as one after the other.

use super::access::Access;
use super::mutants::{Mutant, shift};
use crate::hash::FastMap;
use crate::ir::{BlockId, Function, InstId, InstKind, Scope};
use crate::uniformity::Uniformity;

/// A set of accesses, by their places in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Set(Vec<u64>);

impl Set {
    fn new(len: usize) -> Self {
        Self(vec![0; len.div_ceil(64)])
    }

    fn insert(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn contains(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    /// Adds all of another set; whether that is more than before.
    fn add(&mut self, other: &Self) -> bool {
        let mut grew = false;
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            grew |= *theirs & !*mine != 0;
            *mine |= theirs;
        }
        grew
    }
}

/// Pairs of accesses in no order.
#[derive(Debug)]
pub(super) struct Unordered {
    /// By access: those before it in no order with it.
    rows: Vec<Set>,
}

impl Unordered {
    /// Whether two accesses, by their places in the list, may be in no order.
    pub(super) fn contains(&self, a: usize, b: usize) -> bool {
        self.rows[a].contains(b) || self.rows[b].contains(a)
    }
}

/// Jumps of a loop: the accesses before those that leave it, and before those that begin it again.
struct Frame {
    body: BlockId,
    breaks: Option<Set>,
    continues: Option<Set>,
}

struct Walk<'m, 'u> {
    function: &'m Function,
    uniformity: &'u Uniformity<'m>,
    /// By instruction: the place of its access in the list.
    places: FastMap<InstId, usize>,
    pending: Set,
    /// By loop: the accesses before any of its rounds.
    heads: FastMap<BlockId, Set>,
    frames: Vec<Frame>,
    found: Unordered,
}

/// The pairs of accesses in no order.
pub(super) fn unordered(function: &Function, uniformity: &Uniformity<'_>, accesses: &[Access]) -> Unordered {
    let mut walk = Walk {
        function,
        uniformity,
        places: accesses.iter().enumerate().map(|(at, access)| (access.inst, at)).collect(),
        pending: Set::new(accesses.len()),
        heads: FastMap::default(),
        frames: Vec::new(),
        found: Unordered { rows: vec![Set::new(accesses.len()); accesses.len()] },
    };
    walk.block(function.entry);
    walk.found
}

impl Walk<'_, '_> {
    /// Goes through a block; whether anybody comes out of it.
    fn block(&mut self, block: BlockId) -> bool {
        let function = self.function;
        for id in &function.blocks[block].insts {
            let comes_out = match &function.insts[*id].kind {
                InstKind::If { condition, then_block, else_block } => {
                    self.ways(self.uniformity.is_uniform(*condition), &[*then_block, *else_block])
                }
                InstKind::Switch { selector, cases, default } => {
                    let blocks: Vec<BlockId> = cases.iter().map(|(_, block)| *block).chain([*default]).collect();
                    self.ways(self.uniformity.is_uniform(*selector), &blocks)
                }
                InstKind::Loop { body, .. } => self.enter_loop(*body),
                InstKind::Break(body, _) | InstKind::Continue(body, _) => {
                    self.jump(*body, matches!(function.insts[*id].kind, InstKind::Break(..)));
                    false
                }
                InstKind::Return(_) | InstKind::Panic(..) | InstKind::Unreachable => false,
                InstKind::Barrier(Scope::Workgroup | Scope::Device) => {
                    if shift(Mutant::Barrier, 0) == 0 {
                        self.pending.0.fill(0);
                    }
                    true
                }
                _ => {
                    if let Some(at) = self.places.get(id).copied() {
                        self.pending.insert(at);
                        self.found.rows[at].add(&self.pending);
                    }
                    true
                }
            };
            if !comes_out {
                return false;
            }
        }
        true
    }

    fn ways(&mut self, is_together: bool, blocks: &[BlockId]) -> bool {
        let before = is_together.then(|| self.pending.clone());
        let mut out: Option<Set> = None;
        let mut comes_out = false;
        for block in blocks {
            if let Some(before) = &before {
                self.pending.clone_from(before);
            }
            let came = self.block(*block);
            comes_out |= came;
            if is_together && came {
                match &mut out {
                    Some(out) => {
                        out.add(&self.pending);
                    }
                    None => out = Some(self.pending.clone()),
                }
            }
        }
        if let Some(out) = out {
            self.pending = out;
        }
        comes_out
    }

    fn enter_loop(&mut self, body: BlockId) -> bool {
        let mut head = self.heads.remove(&body).unwrap_or_else(|| self.pending.clone());
        head.add(&self.pending);
        let frame = loop {
            self.pending.clone_from(&head);
            self.frames.push(Frame { body, breaks: None, continues: None });
            self.block(body);
            let Some(frame) = self.frames.pop() else { return false };
            if !frame.continues.as_ref().is_some_and(|next| head.add(next)) {
                break frame;
            }
        };
        let out = frame.breaks.map(|mut out| {
            // An invocation that left early may be anywhere behind, while the others go on.
            if !self.uniformity.go_through_together(body) {
                out.add(&head);
            }
            out
        });
        self.heads.insert(body, head);
        let comes_out = out.is_some();
        self.pending = out.unwrap_or_else(|| self.pending.clone());
        comes_out
    }

    fn jump(&mut self, body: BlockId, is_break: bool) {
        let Some(frame) = self.frames.iter_mut().rev().find(|frame| frame.body == body) else { return };
        let into = if is_break { &mut frame.breaks } else { &mut frame.continues };
        match into {
            Some(into) => {
                into.add(&self.pending);
            }
            None => *into = Some(self.pending.clone()),
        }
    }
}
