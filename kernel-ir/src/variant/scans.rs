//! A subgroup's reductions of integers, by scans.
//!
//! A reduction becomes the last lane of a scan on drivers with [`Fault::LostReductions`](crate::faults::Fault::LostReductions).

use crate::binary::{HEADER, inst_at, op, push};

const REDUCE: u32 = 0;
const INCLUSIVE_SCAN: u32 = 1;
const CLUSTERED_REDUCE: u32 = 3;
const CAPABILITY_BALLOT: u32 = 64;
const CAPABILITY_SHUFFLE: u32 = 65;

/// Whether an instruction of subgroups adds, compares or combines integers.
fn folds_integers(opcode: u16) -> bool {
    matches!(
        opcode,
        op::GROUP_NON_UNIFORM_I_ADD
            | op::GROUP_NON_UNIFORM_S_MIN
            | op::GROUP_NON_UNIFORM_U_MIN
            | op::GROUP_NON_UNIFORM_S_MAX
            | op::GROUP_NON_UNIFORM_U_MAX
            | op::GROUP_NON_UNIFORM_BITWISE_AND..=op::GROUP_NON_UNIFORM_BITWISE_XOR
    )
}

/// The constants and types that the last lane of a scan needs and the module has.
#[derive(Default)]
struct Known {
    word: Option<u32>,
    words: Option<u32>,
    bool_: Option<u32>,
    true_: Option<u32>,
    has_ballot: bool,
    has_shuffle: bool,
    /// Integers of at most 32 bits, and vectors of these.
    integers: Vec<u32>,
    /// Constants of 32 bits and more than 31.
    large: Vec<u32>,
    /// Position of the first function.
    functions: usize,
}

impl Known {
    fn of(words: &[u32]) -> Self {
        let mut known = Self { functions: words.len(), ..Self::default() };
        let mut at = HEADER;
        while at < words.len() {
            let inst = inst_at(words, at);
            match (inst.opcode, inst.words) {
                (op::CAPABILITY, [CAPABILITY_BALLOT]) => known.has_ballot = true,
                (op::CAPABILITY, [CAPABILITY_SHUFFLE]) => known.has_shuffle = true,
                (op::TYPE_BOOL, [id]) => known.bool_ = Some(*id),
                (op::TYPE_INT, [id, width, sign]) if *width <= 32 => {
                    known.integers.push(*id);
                    if (*width, *sign) == (32, 0) {
                        known.word = Some(*id);
                    }
                }
                (op::TYPE_VECTOR, [id, of, count]) if known.integers.contains(of) => {
                    known.integers.push(*id);
                    if known.word == Some(*of) && *count == 4 {
                        known.words = Some(*id);
                    }
                }
                (op::CONSTANT_TRUE, [_, id]) => known.true_ = Some(*id),
                (op::CONSTANT, [ty, id, bits]) if known.word == Some(*ty) && *bits >= 32 => known.large.push(*id),
                (op::FUNCTION, _) => {
                    known.functions = at;
                    break;
                }
                _ => {}
            }
            at += 1 + inst.words.len();
        }
        known
    }

    fn has_reductions(&self, words: &[u32]) -> bool {
        let mut at = self.functions;
        while at < words.len() {
            let inst = inst_at(words, at);
            if self.is_reduction(inst.opcode, inst.words) {
                return true;
            }
            at += 1 + inst.words.len();
        }
        false
    }

    /// Whether an instruction is such a reduction of the whole subgroup.
    fn is_reduction(&self, opcode: u16, operands: &[u32]) -> bool {
        let is_whole = match operands {
            [_, _, _, REDUCE, _] => true,
            [_, _, _, CLUSTERED_REDUCE, _, size] => self.large.contains(size),
            _ => false,
        };
        is_whole && folds_integers(opcode) && self.integers.contains(&operands[0])
    }
}

/// A variant with its subgroups' reductions of integers of at most 32 bits made of scans: the part of the last lane that takes part.
/// Clusters of 32 lanes and more count as whole subgroups, so it is for devices whose subgroups have 32.
///
/// The driver gets such reductions wrong in some kernels, whatever stands around them in SPIR-V. Scans are right in the same places.
pub(super) fn by_scans(words: Vec<u32>) -> Vec<u32> {
    let known = Known::of(&words);
    if !known.has_reductions(&words) {
        return words;
    }
    let mut bound = words[3];
    let mut new = || {
        bound += 1;
        bound - 1
    };
    let mut out = Vec::with_capacity(words.len() + 64);
    out.extend_from_slice(&words[..HEADER]);
    for (has, capability) in [(known.has_ballot, CAPABILITY_BALLOT), (known.has_shuffle, CAPABILITY_SHUFFLE)] {
        if !has {
            push(&mut out, op::CAPABILITY, &[capability]);
        }
    }
    out.extend_from_slice(&words[HEADER..known.functions]);
    let mut declare = |id: Option<u32>, opcode, operands: &dyn Fn(u32) -> Vec<u32>| {
        id.unwrap_or_else(|| {
            let id = new();
            push(&mut out, opcode, &operands(id));
            id
        })
    };
    let word = declare(known.word, op::TYPE_INT, &|id| vec![id, 32, 0]);
    let ballots = declare(known.words, op::TYPE_VECTOR, &|id| vec![id, word, 4]);
    let bool_ = declare(known.bool_, op::TYPE_BOOL, &|id| vec![id]);
    let true_ = declare(known.true_, op::CONSTANT_TRUE, &|id| vec![bool_, id]);
    let mut at = known.functions;
    while at < words.len() {
        let inst = inst_at(&words, at);
        if known.is_reduction(inst.opcode, inst.words) {
            let [ty, result, scope, _, value] = [0, 1, 2, 3, 4].map(|position| inst.words[position]);
            let [scan, active, last] = [new(), new(), new()];
            push(&mut out, inst.opcode, &[ty, scan, scope, INCLUSIVE_SCAN, value]);
            push(&mut out, op::GROUP_NON_UNIFORM_BALLOT, &[ballots, active, scope, true_]);
            push(&mut out, op::GROUP_NON_UNIFORM_BALLOT_FIND_MSB, &[word, last, scope, active]);
            push(&mut out, op::GROUP_NON_UNIFORM_SHUFFLE, &[ty, result, scope, scan, last]);
        } else {
            out.extend_from_slice(&words[at..=at + inst.words.len()]);
        }
        at += 1 + inst.words.len();
    }
    out[3] = bound;
    out
}
