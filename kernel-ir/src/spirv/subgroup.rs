//! Operations between the lanes of a subgroup, with guards where a lane may be missing.

use rspirv::spirv::{self, GroupOperation, Op as Spv};

use super::function::FunctionWriter;
use super::types::Lanes;
use super::words::Id;
use crate::descriptor::SubgroupOperations as Needs;
use crate::ir::{Builtin, Fold, Span, SubgroupOp, ValueId};
use crate::types::{Scalar, TypeId};

const WORD: Lanes = Lanes::one(Scalar::U32);
const BALLOT: Lanes = Lanes { scalar: Scalar::U32, count: 4 };

/// Whether `op` reads a value by the number of its lane, which is inside the subgroup, in place of the instruction for its distance:
/// see [`OutsideLanes`](crate::faults::Fault::OutsideLanes).
fn reads_by_lane(op: SubgroupOp, scalar: Option<Scalar>) -> bool {
    use SubgroupOp as S;
    matches!(op, S::ShuffleXor | S::ShuffleUp | S::ShuffleDown) && scalar.is_none_or(|scalar| scalar.bits() != 32)
}

/// The groups of operations a device must have for `op` with values of `scalar`.
pub(super) fn operations(op: SubgroupOp, scalar: Option<Scalar>) -> Needs {
    use SubgroupOp as S;
    let more = match op {
        _ if reads_by_lane(op, scalar) => Needs::SHUFFLE.union(Needs::BALLOT),
        S::Elect => Needs::BASIC,
        S::Any | S::All => Needs::VOTE,
        S::AllEqual => Needs::VOTE.union(Needs::BALLOT),
        S::Ballot
        | S::BallotBit
        | S::BallotCount
        | S::BallotInclusiveCount
        | S::BallotExclusiveCount
        | S::BallotLowest
        | S::BallotHighest
        | S::BroadcastFirst => Needs::BALLOT,
        S::Shuffle | S::ShuffleXor | S::Rotate => Needs::SHUFFLE.union(Needs::BALLOT),
        S::ShuffleUp | S::ShuffleDown => Needs::SHUFFLE_RELATIVE.union(Needs::BALLOT),
        S::Reduce(_, Span::Cluster(_)) => Needs::ARITHMETIC.union(Needs::CLUSTERED),
        S::Reduce(..) => Needs::ARITHMETIC,
        S::QuadBroadcast(_) | S::QuadSwap(_) => Needs::QUAD.union(Needs::BALLOT),
    };
    Needs::BASIC.union(more)
}

/// The builtins that the guards of `op` read.
pub(super) fn builtins(op: SubgroupOp) -> &'static [Builtin] {
    use SubgroupOp as S;
    match op {
        S::Shuffle
        | S::ShuffleXor
        | S::ShuffleUp
        | S::ShuffleDown
        | S::Rotate
        | S::QuadBroadcast(_)
        | S::QuadSwap(_) => &[Builtin::SubgroupLocalId, Builtin::SubgroupSize],
        S::BallotBit | S::Reduce(_, Span::Cluster(_)) => &[Builtin::SubgroupSize],
        _ => &[],
    }
}

impl FunctionWriter<'_, '_> {
    /// Writes a subgroup operation with a result of type `ty`.
    pub(super) fn subgroup(&mut self, op: SubgroupOp, operands: &[ValueId], ty: TypeId) -> Id {
        use SubgroupOp as S;
        let ids = self.stored_ids(operands);
        if let Some(operand) = operands.first() {
            let scalar = self.w.lanes_of(self.function.values[*operand].ty).scalar;
            self.w.need_subgroup(scalar);
        }
        let bool_ = self.w.bool_type();
        match op {
            S::Elect => self.group_op(Spv::GroupNonUniformElect, bool_, &[]),
            S::Any => self.group_op(Spv::GroupNonUniformAny, bool_, &ids),
            S::All => self.group_op(Spv::GroupNonUniformAll, bool_, &ids),
            S::AllEqual => self.all_equal(ids[0], self.function.values[operands[0]].ty),
            S::Ballot => self.ballot(ids[0]),
            S::BallotBit => self.ballot_bit(ids[0], ids[1]),
            S::BallotCount => self.ballot_count(GroupOperation::Reduce, ids[0]),
            S::BallotInclusiveCount => self.ballot_count(GroupOperation::InclusiveScan, ids[0]),
            S::BallotExclusiveCount => self.ballot_count(GroupOperation::ExclusiveScan, ids[0]),
            S::BallotLowest => self.ballot_find(Spv::GroupNonUniformBallotFindLSB, ids[0]),
            S::BallotHighest => self.ballot_find(Spv::GroupNonUniformBallotFindMSB, ids[0]),
            S::BroadcastFirst => {
                let ty = self.w.value_type(ty);
                self.group_op(Spv::GroupNonUniformBroadcastFirst, ty, &ids)
            }
            S::Reduce(fold, span) => self.reduce(fold, span, ids[0], ty),
            S::Shuffle
            | S::ShuffleXor
            | S::ShuffleUp
            | S::ShuffleDown
            | S::Rotate
            | S::QuadBroadcast(_)
            | S::QuadSwap(_) => {
                let known = operands.get(1).and_then(|operand| self.known_u32(*operand));
                self.exchange(op, &ids, known, ty)
            }
        }
    }

    /// An instruction at subgroup scope.
    pub(super) fn group_op(&mut self, op: Spv, ty: Id, operands: &[Id]) -> Id {
        let scope = self.w.const_u32(spirv::Scope::Subgroup as u32);
        let all = [&[scope], operands].concat();
        self.w.op(op, ty, &all)
    }

    fn all_equal(&mut self, value: Id, ty: TypeId) -> Id {
        let lanes = self.w.lanes_of(ty);
        let (bool_, value_type) = (self.w.bool_type(), self.w.lanes_type(lanes));
        if !lanes.scalar.is_float() {
            return self.group_op(Spv::GroupNonUniformAllEqual, bool_, &[value]);
        }
        // How the instruction compares NaNs and zeros is open.
        let first = self.group_op(Spv::GroupNonUniformBroadcastFirst, value_type, &[value]);
        let bools = self.w.lanes_type(lanes.of(Scalar::Bool));
        let mut is_equal = self.w.op(Spv::FOrdEqual, bools, &[value, first]);
        if lanes.count > 1 {
            is_equal = self.w.op(Spv::All, bool_, &[is_equal]);
        }
        self.group_op(Spv::GroupNonUniformAll, bool_, &[is_equal])
    }

    fn ballot(&mut self, value: Id) -> Id {
        let ty = self.w.lanes_type(BALLOT);
        self.group_op(Spv::GroupNonUniformBallot, ty, &[value])
    }

    fn ballot_count(&mut self, operation: GroupOperation, ballot: Id) -> Id {
        let ty = self.w.lanes_type(WORD);
        self.group_op(Spv::GroupNonUniformBallotBitCount, ty, &[operation as u32, ballot])
    }

    fn ballot_bit(&mut self, ballot: Id, lane: Id) -> Id {
        let (word, bool_) = (self.w.lanes_type(WORD), self.w.bool_type());
        let size = self.prologue.builtin(Builtin::SubgroupSize);
        let zero = self.w.const_u32(0);
        let exists = self.w.op(Spv::ULessThan, bool_, &[lane, size]);
        let lane = self.w.op(Spv::Select, word, &[exists, lane, zero]);
        let bit = self.group_op(Spv::GroupNonUniformBallotBitExtract, bool_, &[ballot, lane]);
        self.w.op(Spv::LogicalAnd, bool_, &[exists, bit])
    }

    fn ballot_find(&mut self, op: Spv, ballot: Id) -> Id {
        let (word, bool_) = (self.w.lanes_type(WORD), self.w.bool_type());
        let count = self.ballot_count(GroupOperation::Reduce, ballot);
        let (zero, none) = (self.w.const_u32(0), self.w.const_u32(u32::MAX));
        let is_empty = self.w.op(Spv::IEqual, bool_, &[count, zero]);
        let found = self.group_op(op, word, &[ballot]);
        self.w.op(Spv::Select, word, &[is_empty, none, found])
    }

    /// Reads from another lane; gives the own value where that lane is missing.
    fn exchange(&mut self, op: SubgroupOp, ids: &[Id], known: Option<u32>, ty: TypeId) -> Id {
        use SubgroupOp as S;
        let value_type = self.w.value_type(ty);
        let (word, bool_) = (self.w.lanes_type(WORD), self.w.bool_type());
        let own = self.prologue.builtin(Builtin::SubgroupLocalId);
        let size = self.prologue.builtin(Builtin::SubgroupSize);
        let value = ids[0];
        // The lane to read from, and whether there is one with this number.
        let (lane, exists) = match op {
            S::ShuffleUp => {
                let exists = self.w.op(Spv::ULessThanEqual, bool_, &[ids[1], own]);
                (self.w.op(Spv::ISub, word, &[own, ids[1]]), Some(exists))
            }
            S::ShuffleDown => {
                let above = self.w.op(Spv::ISub, word, &[size, own]);
                let exists = self.w.op(Spv::ULessThan, bool_, &[ids[1], above]);
                (self.w.op(Spv::IAdd, word, &[own, ids[1]]), Some(exists))
            }
            S::Rotate => {
                let one = self.w.const_u32(1);
                let mask = self.w.op(Spv::ISub, word, &[size, one]);
                let sum = self.w.op(Spv::IAdd, word, &[own, ids[1]]);
                (self.w.op(Spv::BitwiseAnd, word, &[sum, mask]), None)
            }
            _ => {
                let lane = self.target_lane(op, own, ids);
                (lane, Some(self.w.op(Spv::ULessThan, bool_, &[lane, size])))
            }
        };
        let safe = match exists {
            Some(exists) => self.w.op(Spv::Select, word, &[exists, lane, own]),
            None => lane,
        };
        let yes = self.w.const_scalar(Scalar::Bool, 1);
        let active = self.ballot(yes);
        let is_active = self.group_op(Spv::GroupNonUniformBallotBitExtract, bool_, &[active, safe]);
        let mut is_there = is_active;
        let read = match (op, known) {
            _ if reads_by_lane(op, self.w.module.types.element_scalar(ty)) => {
                self.group_op(Spv::GroupNonUniformShuffle, value_type, &[value, safe])
            }
            (S::Shuffle, Some(lane)) => {
                // Such a lane is the same for all, which hardware knows how to use. Behind the end it is nobody's.
                is_there = self.both(exists, is_active);
                let lane = self.w.const_u32(lane);
                self.group_op(Spv::GroupNonUniformBroadcast, value_type, &[value, lane])
            }
            (S::ShuffleXor, _) => {
                is_there = self.both(exists, is_active);
                self.group_op(Spv::GroupNonUniformShuffleXor, value_type, &[value, ids[1]])
            }
            (S::ShuffleUp, _) => {
                is_there = self.both(exists, is_active);
                self.group_op(Spv::GroupNonUniformShuffleUp, value_type, &[value, ids[1]])
            }
            (S::ShuffleDown, _) => {
                is_there = self.both(exists, is_active);
                self.group_op(Spv::GroupNonUniformShuffleDown, value_type, &[value, ids[1]])
            }
            (S::QuadBroadcast(lane), _) => {
                let lane = self.w.const_u32(lane);
                self.group_op(Spv::GroupNonUniformQuadBroadcast, value_type, &[value, lane])
            }
            (S::QuadSwap(direction), _) => {
                let direction = self.w.const_u32(direction);
                self.group_op(Spv::GroupNonUniformQuadSwap, value_type, &[value, direction])
            }
            _ => self.group_op(Spv::GroupNonUniformShuffle, value_type, &[value, safe]),
        };
        self.w.op(Spv::Select, value_type, &[is_there, read, value])
    }

    fn both(&mut self, exists: Option<Id>, is_active: Id) -> Id {
        let bool_ = self.w.bool_type();
        exists.map_or(is_active, |exists| self.w.op(Spv::LogicalAnd, bool_, &[exists, is_active]))
    }

    /// The lane that a shuffle or quad operation reads from.
    fn target_lane(&mut self, op: SubgroupOp, own: Id, ids: &[Id]) -> Id {
        let word = self.w.lanes_type(WORD);
        match op {
            SubgroupOp::ShuffleXor => self.w.op(Spv::BitwiseXor, word, &[own, ids[1]]),
            SubgroupOp::QuadBroadcast(lane) => {
                let (mask, lane) = (self.w.const_u32(!3), self.w.const_u32(lane));
                let quad = self.w.op(Spv::BitwiseAnd, word, &[own, mask]);
                self.w.op(Spv::BitwiseOr, word, &[quad, lane])
            }
            SubgroupOp::QuadSwap(direction) => {
                let bits = self.w.const_u32(direction + 1);
                self.w.op(Spv::BitwiseXor, word, &[own, bits])
            }
            _ => ids[1],
        }
    }

    fn reduce(&mut self, fold: Fold, span: Span, value: Id, ty: TypeId) -> Id {
        let lanes = self.w.lanes_of(ty);
        let value = self.without_nan(fold, lanes, value);
        let operation = match span {
            Span::All => GroupOperation::Reduce,
            Span::Inclusive => GroupOperation::InclusiveScan,
            Span::Exclusive => GroupOperation::ExclusiveScan,
            Span::Cluster(1) => return value,
            Span::Cluster(size) => return self.cluster(fold, size, lanes, value),
        };
        self.fold_lanes(fold, operation, lanes, &[value])
    }

    pub(super) fn fold_lanes(&mut self, fold: Fold, operation: GroupOperation, lanes: Lanes, operands: &[Id]) -> Id {
        let ty = self.w.lanes_type(lanes);
        let all = [&[operation as u32], operands].concat();
        self.group_op(instruction(fold, lanes.scalar), ty, &all)
    }

    /// Folds a cluster, or the whole subgroup where that is smaller, which the instruction does not allow.
    fn cluster(&mut self, fold: Fold, size: u32, lanes: Lanes, value: Id) -> Id {
        let (ty, bool_) = (self.w.lanes_type(lanes), self.w.bool_type());
        let cluster = self.w.const_u32(size);
        if let Some(known) = self.w.kernel.subgroup_size {
            return match size < known {
                true => self.fold_lanes(fold, GroupOperation::ClusteredReduce, lanes, &[value, cluster]),
                false => self.fold_lanes(fold, GroupOperation::Reduce, lanes, &[value]),
            };
        }
        let all = self.prologue.builtin(Builtin::SubgroupSize);
        let fits = self.w.op(Spv::ULessThanEqual, bool_, &[cluster, all]);
        let [inside, outside, merge] = [(); 3].map(|()| self.w.new_id());
        self.w.effect(Spv::SelectionMerge, &[merge, 0]);
        self.w.effect(Spv::BranchConditional, &[fits, inside, outside]);
        self.w.begin_block(inside);
        let clustered = self.fold_lanes(fold, GroupOperation::ClusteredReduce, lanes, &[value, cluster]);
        self.w.effect(Spv::Branch, &[merge]);
        self.w.begin_block(outside);
        let whole = self.fold_lanes(fold, GroupOperation::Reduce, lanes, &[value]);
        self.w.effect(Spv::Branch, &[merge]);
        self.w.begin_block(merge);
        self.w.op(Spv::Phi, ty, &[clustered, inside, whole, outside])
    }

    /// The value with the identity of a minimum or maximum in place of NaN, which the instructions do not define.
    fn without_nan(&mut self, fold: Fold, lanes: Lanes, value: Id) -> Id {
        let identity = match fold {
            Fold::Min => f64::INFINITY,
            Fold::Max => f64::NEG_INFINITY,
            _ => return value,
        };
        if !lanes.scalar.is_float() {
            return value;
        }
        let (ty, bools) = (self.w.lanes_type(lanes), self.w.lanes_type(lanes.of(Scalar::Bool)));
        let identity = self.w.const_floats(lanes, identity);
        let is_nan = self.w.op(Spv::FUnordNotEqual, bools, &[value, value]);
        self.w.op(Spv::Select, ty, &[is_nan, identity, value])
    }
}

fn instruction(fold: Fold, scalar: Scalar) -> Spv {
    let (is_float, is_bool, is_signed) = (scalar.is_float(), scalar == Scalar::Bool, scalar.is_signed());
    match fold {
        Fold::Add if is_float => Spv::GroupNonUniformFAdd,
        Fold::Add => Spv::GroupNonUniformIAdd,
        Fold::Mul if is_float => Spv::GroupNonUniformFMul,
        Fold::Mul => Spv::GroupNonUniformIMul,
        Fold::Min if is_float => Spv::GroupNonUniformFMin,
        Fold::Min if is_signed => Spv::GroupNonUniformSMin,
        Fold::Min => Spv::GroupNonUniformUMin,
        Fold::Max if is_float => Spv::GroupNonUniformFMax,
        Fold::Max if is_signed => Spv::GroupNonUniformSMax,
        Fold::Max => Spv::GroupNonUniformUMax,
        Fold::And if is_bool => Spv::GroupNonUniformLogicalAnd,
        Fold::And => Spv::GroupNonUniformBitwiseAnd,
        Fold::Or if is_bool => Spv::GroupNonUniformLogicalOr,
        Fold::Or => Spv::GroupNonUniformBitwiseOr,
        Fold::Xor if is_bool => Spv::GroupNonUniformLogicalXor,
        Fold::Xor => Spv::GroupNonUniformBitwiseXor,
    }
}
