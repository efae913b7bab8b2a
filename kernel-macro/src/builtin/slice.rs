//! The methods of arrays and slices that kernels have besides `len` and iteration. Inference and lowering give them
//! their meaning.

/// A method of an array or slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SliceMethod {
    First,
    Last,
    /// `get(i)`, of one element.
    Get,
    /// `get(a..b)`, or `get_mut(a..b)` if `mutable`.
    GetPart {
        mutable: bool,
    },
    /// `split_first`, or `split_last` if `last`.
    SplitEnd {
        last: bool,
    },
    /// `split_at_checked`
    SplitAtChecked,
    /// `as_chunks`, or `as_rchunks` if `from_end`.
    AsChunks {
        from_end: bool,
    },
    /// `first_chunk`, or `last_chunk` if `last`.
    EndChunk {
        last: bool,
    },
    /// `split_first_chunk`, or `split_last_chunk` if `last`.
    SplitChunk {
        last: bool,
    },
    Contains,
    Swap,
    Fill,
    Reverse,
    /// `rotate_left`, or `rotate_right` if `right`.
    Rotate {
        right: bool,
    },
    /// `copy_from_slice`
    CopyFrom,
    StartsWith,
    EndsWith,
    /// `==` and `!=` of two slices.
    Equal,
    /// `split_at`, or `split_at_mut` if `mutable`.
    SplitAt {
        mutable: bool,
    },
    /// `map` of an array.
    Map,
    /// `map` of a vector's lanes.
    MapLanes,
    PartitionPoint,
    /// `binary_search`, of an element.
    Search,
    /// `binary_search_by`
    SearchBy,
    /// `binary_search_by_key`
    SearchByKey,
    /// `remainder` of `chunks_exact` and `rchunks_exact`.
    Remainder,
}

impl SliceMethod {
    /// The method of this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "first" => Self::First,
            "last" => Self::Last,
            "get" => Self::Get,
            "contains" => Self::Contains,
            "swap" => Self::Swap,
            "fill" => Self::Fill,
            "reverse" => Self::Reverse,
            "rotate_left" => Self::Rotate { right: false },
            "rotate_right" => Self::Rotate { right: true },
            "split_first" => Self::SplitEnd { last: false },
            "split_last" => Self::SplitEnd { last: true },
            "split_at_checked" => Self::SplitAtChecked,
            "as_chunks" => Self::AsChunks { from_end: false },
            "as_rchunks" => Self::AsChunks { from_end: true },
            "first_chunk" => Self::EndChunk { last: false },
            "last_chunk" => Self::EndChunk { last: true },
            "split_first_chunk" => Self::SplitChunk { last: false },
            "split_last_chunk" => Self::SplitChunk { last: true },
            "copy_from_slice" => Self::CopyFrom,
            "starts_with" => Self::StartsWith,
            "ends_with" => Self::EndsWith,
            "map" => Self::Map,
            "partition_point" => Self::PartitionPoint,
            "binary_search" => Self::Search,
            "binary_search_by" => Self::SearchBy,
            "binary_search_by_key" => Self::SearchByKey,
            "split_at" => Self::SplitAt { mutable: false },
            "split_at_mut" => Self::SplitAt { mutable: true },
            _ => return None,
        })
    }

    /// Whether it writes elements.
    pub(crate) const fn writes(self) -> bool {
        matches!(
            self,
            Self::Swap
                | Self::Fill
                | Self::Reverse
                | Self::Rotate { .. }
                | Self::CopyFrom
                | Self::SplitAt { mutable: true }
                | Self::GetPart { mutable: true }
        )
    }

    /// How many arguments it takes.
    pub(crate) const fn arity(self) -> usize {
        match self {
            Self::First
            | Self::Last
            | Self::Reverse
            | Self::SplitEnd { .. }
            | Self::AsChunks { .. }
            | Self::EndChunk { .. }
            | Self::SplitChunk { .. }
            | Self::Remainder => 0,
            Self::Get
            | Self::GetPart { .. }
            | Self::SplitAtChecked
            | Self::Rotate { .. }
            | Self::Contains
            | Self::Fill
            | Self::CopyFrom
            | Self::StartsWith
            | Self::EndsWith
            | Self::Equal
            | Self::SplitAt { .. }
            | Self::Map
            | Self::MapLanes
            | Self::PartitionPoint
            | Self::Search
            | Self::SearchBy => 1,
            Self::Swap | Self::SearchByKey => 2,
        }
    }
}
