//! Operations between the invocations of a subgroup. All are defined for all operands; "active" lanes are those that
//! run the instruction together.

/// An operation between the active lanes of a subgroup.
///
/// Reading from a lane that is inactive, or that no lane has as its number, gives the invocation's own operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SubgroupOp {
    /// Whether the lane is the lowest active one. No operands.
    Elect,
    /// Whether the `bool` is true in any active lane.
    Any,
    /// Whether the `bool` is true in all active lanes.
    All,
    /// Whether the value is equal in all active lanes; NaN equals nothing, not even in a single lane.
    AllEqual,
    /// One bit per lane, set where the lane is active and the `bool` true: a `UVec4`, lane 0 in the lowest bit of `x`.
    Ballot,
    /// Of a ballot, whether the bit of the lane given second is set; false for lanes that do not exist.
    BallotBit,
    /// Of a ballot, how many bits are set among those of lanes that exist.
    BallotCount,
    /// Of a ballot, how many bits are set up to and including the invocation's own lane.
    BallotInclusiveCount,
    /// Of a ballot, how many bits are set below the invocation's own lane.
    BallotExclusiveCount,
    /// Of a ballot, the lowest set bit among lanes that exist; `u32::MAX` when there is none.
    BallotLowest,
    /// Of a ballot, the highest set bit among lanes that exist; `u32::MAX` when there is none.
    BallotHighest,
    /// The value of the lowest active lane.
    BroadcastFirst,
    /// The first operand in the lane given second.
    Shuffle,
    /// The first operand in the lane whose number is the own one exclusive-or the second operand.
    ShuffleXor,
    /// The first operand in the lane whose number is the second operand less.
    ShuffleUp,
    /// The first operand in the lane whose number is the second operand more.
    ShuffleDown,
    /// The first operand in the lane whose number is the second operand more, counted around the end of the subgroup.
    Rotate,
    /// All active lanes' values folded from the identity of the operation, in an open order.
    Reduce(Fold, Span),
    /// The value in the lane of this number, 0 to 3, of the four neighbours.
    QuadBroadcast(u32),
    /// The value of a neighbour: 0 swaps lanes 0 and 1, 2 and 3; 1 swaps 0 and 2, 1 and 3; 2 swaps 0 and 3, 1 and 2.
    QuadSwap(u32),
}

/// The operation of a reduction. The identities are 0, 1, the largest and the smallest value (floats: the infinities),
/// all bits set, no bit set, no bit set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fold {
    /// Sum; integers wrap.
    Add,
    /// Product; integers wrap.
    Mul,
    /// Smallest, as the op `min`: a NaN is left out.
    Min,
    /// Largest, as the op `max`: a NaN is left out.
    Max,
    /// Bitwise or logical and.
    And,
    /// Bitwise or logical or.
    Or,
    /// Bitwise or logical exclusive or.
    Xor,
}

/// The active lanes that a reduction folds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Span {
    /// All.
    All,
    /// Those up to and including the own one.
    Inclusive,
    /// Those below the own one.
    Exclusive,
    /// Those of the own cluster of so many neighbours, a power of two; all where the subgroup is smaller.
    Cluster(u32),
}

impl Fold {
    /// All of them.
    pub const ALL: [Self; 7] = [Self::Add, Self::Mul, Self::Min, Self::Max, Self::And, Self::Or, Self::Xor];

    /// Its name within the names of reductions.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Mul => "mul",
            Self::Min => "min",
            Self::Max => "max",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
        }
    }
}

impl SubgroupOp {
    /// The operations that are neither reductions nor have a number, with their names in the text format.
    pub const NAMED: [(Self, &'static str); 17] = [
        (Self::Elect, "subgroup_elect"),
        (Self::Any, "subgroup_any"),
        (Self::All, "subgroup_all"),
        (Self::AllEqual, "subgroup_all_equal"),
        (Self::Ballot, "subgroup_ballot"),
        (Self::BallotBit, "subgroup_ballot_bit"),
        (Self::BallotCount, "subgroup_ballot_count"),
        (Self::BallotInclusiveCount, "subgroup_ballot_inclusive_count"),
        (Self::BallotExclusiveCount, "subgroup_ballot_exclusive_count"),
        (Self::BallotLowest, "subgroup_ballot_lowest"),
        (Self::BallotHighest, "subgroup_ballot_highest"),
        (Self::BroadcastFirst, "subgroup_broadcast_first"),
        (Self::Shuffle, "subgroup_shuffle"),
        (Self::ShuffleXor, "subgroup_shuffle_xor"),
        (Self::ShuffleUp, "subgroup_shuffle_up"),
        (Self::ShuffleDown, "subgroup_shuffle_down"),
        (Self::Rotate, "subgroup_rotate"),
    ];

    /// How many operands it takes.
    pub const fn arity(self) -> usize {
        match self {
            Self::Elect => 0,
            Self::BallotBit | Self::Shuffle | Self::ShuffleXor | Self::ShuffleUp | Self::ShuffleDown | Self::Rotate => {
                2
            }
            _ => 1,
        }
    }

    /// Its name in the text format, and the number behind it in parentheses if it has one.
    pub fn text(self) -> (String, Option<u32>) {
        match self {
            Self::Reduce(fold, Span::All) => (format!("subgroup_{}", fold.name()), None),
            Self::Reduce(fold, Span::Inclusive) => (format!("subgroup_inclusive_{}", fold.name()), None),
            Self::Reduce(fold, Span::Exclusive) => (format!("subgroup_exclusive_{}", fold.name()), None),
            Self::Reduce(fold, Span::Cluster(size)) => (format!("subgroup_cluster_{}", fold.name()), Some(size)),
            Self::QuadBroadcast(lane) => ("subgroup_quad_broadcast".to_owned(), Some(lane)),
            Self::QuadSwap(direction) => ("subgroup_quad_swap".to_owned(), Some(direction)),
            other => {
                let name = Self::NAMED.iter().find(|(op, _)| *op == other).map_or("", |(_, name)| *name);
                (name.to_owned(), None)
            }
        }
    }

    /// The operation with this name, given the number that follows the name where one is needed.
    pub fn from_text(name: &str, number: Option<u32>) -> Option<Self> {
        let known = Self::NAMED.into_iter().find(|(_, known)| *known == name).map(|(op, _)| op);
        let fold = |prefix: &str| {
            let name = name.strip_prefix(prefix)?;
            Fold::ALL.into_iter().find(|fold| fold.name() == name)
        };
        match number {
            None => known
                .or_else(|| Some(Self::Reduce(fold("subgroup_inclusive_")?, Span::Inclusive)))
                .or_else(|| Some(Self::Reduce(fold("subgroup_exclusive_")?, Span::Exclusive)))
                .or_else(|| Some(Self::Reduce(fold("subgroup_")?, Span::All))),
            Some(number) => match name {
                "subgroup_quad_broadcast" => Some(Self::QuadBroadcast(number)),
                "subgroup_quad_swap" => Some(Self::QuadSwap(number)),
                _ => Some(Self::Reduce(fold("subgroup_cluster_")?, Span::Cluster(number))),
            },
        }
    }
}
