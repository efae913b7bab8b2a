//! The methods of iterators that kernels have: their names and kinds. Inference and lowering give them their meaning.

use crate::ast::BinaryOp;

/// A method of an iterator, or one that makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Iteration {
    /// `array.into_iter()`, and of an iterator, which it leaves as it is.
    IntoIter,
    /// `array.iter()` or `buffer.iter()`
    Iter,
    /// `array.iter_mut()` or `buffer.iter_mut()`, in the head of a `for` loop.
    IterMut,
    /// `x.windows(n)` and its like: slices of what they are called on.
    Parts(Parts),
    /// `by_ref` of a range in a variable, which it changes.
    ByRef,
    /// `copied`, `cloned` and `fuse`: nothing that anyone would notice.
    Same,
    /// `clone`: an iterator that goes on by itself.
    Fork,
    Peekable,
    Rev,
    StepBy,
    Enumerate,
    Map,
    Filter,
    FilterMap,
    /// `flatten` of options.
    Flatten,
    /// `flat_map` of what has several elements, or `flatten` of arrays and slices.
    Nested(Nested),
    Zip,
    Chain,
    /// `cycle` of what is reached by position.
    Cycle,
    Take,
    Skip,
    TakeWhile,
    SkipWhile,
    MapWhile,
    Scan,
    Inspect,
    Sum,
    Product,
    Fold,
    Rfold,
    TryFold,
    Reduce,
    Count,
    Last,
    Nth,
    Next,
    /// `peek` of a `peekable`, which leaves the element there.
    Peek,
    /// `next_if` of a `peekable`.
    NextIf,
    Min,
    Max,
    MinBy,
    MaxBy,
    MinByKey,
    MaxByKey,
    Any,
    All,
    Find,
    Rfind,
    FindMap,
    Position,
    Rposition,
    ForEach,
    TryForEach,
    /// `eq`, `lt` and their like, of two iterators.
    Compare(BinaryOp),
    Cmp,
    PartialCmp,
    IsSorted,
    IsSortedBy,
    IsSortedByKey,
}

/// The way to make several elements of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nested {
    /// `flat_map`, what its closure gives.
    Made,
    /// `flatten`, the elements themselves.
    Elements,
}

/// The parts of an array or slice that an iterator goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parts {
    /// Overlapping ones: each begins one element behind the one before.
    Windows,
    /// One behind the other; the last one may be shorter. `mutable`: to be written.
    Chunks { mutable: bool },
    /// One behind the other; elements that fill none are left out.
    ChunksExact { mutable: bool },
    /// As `Chunks`, from the end on.
    RChunks { mutable: bool },
    /// As `ChunksExact`, from the end on.
    RChunksExact { mutable: bool },
}

impl Parts {
    /// The method of this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "windows" => Self::Windows,
            "chunks" => Self::Chunks { mutable: false },
            "chunks_mut" => Self::Chunks { mutable: true },
            "chunks_exact" => Self::ChunksExact { mutable: false },
            "chunks_exact_mut" => Self::ChunksExact { mutable: true },
            "rchunks" => Self::RChunks { mutable: false },
            "rchunks_mut" => Self::RChunks { mutable: true },
            "rchunks_exact" => Self::RChunksExact { mutable: false },
            "rchunks_exact_mut" => Self::RChunksExact { mutable: true },
            _ => return None,
        })
    }

    /// Whether the parts are written.
    pub(crate) const fn writes(self) -> bool {
        match self {
            Self::Windows => false,
            Self::Chunks { mutable }
            | Self::ChunksExact { mutable }
            | Self::RChunks { mutable }
            | Self::RChunksExact { mutable } => mutable,
        }
    }

    /// Whether all parts have as many elements as was asked for.
    pub(crate) const fn is_exact(self) -> bool {
        !matches!(self, Self::Chunks { .. } | Self::RChunks { .. })
    }

    /// Whether the first part is the last one of what is divided.
    pub(crate) const fn is_from_end(self) -> bool {
        matches!(self, Self::RChunks { .. } | Self::RChunksExact { .. })
    }
}

impl Iteration {
    /// The names of all.
    pub(crate) const NAMES: &[&str] = &[
        "into_iter",
        "by_ref",
        "clone",
        "copied",
        "cloned",
        "fuse",
        "rev",
        "step_by",
        "enumerate",
        "map",
        "filter",
        "filter_map",
        "flatten",
        "flat_map",
        "zip",
        "chain",
        "cycle",
        "take",
        "skip",
        "take_while",
        "skip_while",
        "map_while",
        "scan",
        "inspect",
        "sum",
        "product",
        "fold",
        "rfold",
        "try_fold",
        "reduce",
        "count",
        "last",
        "nth",
        "peekable",
        "peek",
        "next_if",
        "min",
        "max",
        "min_by",
        "max_by",
        "min_by_key",
        "max_by_key",
        "any",
        "all",
        "find",
        "rfind",
        "find_map",
        "position",
        "rposition",
        "for_each",
        "try_for_each",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "cmp",
        "partial_cmp",
        "is_sorted",
        "is_sorted_by",
        "is_sorted_by_key",
    ];

    /// The method of an iterator by its name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "into_iter" => Self::IntoIter,
            "copied" | "cloned" | "fuse" => Self::Same,
            "clone" => Self::Fork,
            "rev" => Self::Rev,
            "step_by" => Self::StepBy,
            "enumerate" => Self::Enumerate,
            "map" => Self::Map,
            "filter" => Self::Filter,
            "filter_map" => Self::FilterMap,
            "flatten" => Self::Flatten,
            "flat_map" => Self::Nested(Nested::Made),
            "zip" => Self::Zip,
            "chain" => Self::Chain,
            "cycle" => Self::Cycle,
            "take" => Self::Take,
            "skip" => Self::Skip,
            "take_while" => Self::TakeWhile,
            "skip_while" => Self::SkipWhile,
            "map_while" => Self::MapWhile,
            "scan" => Self::Scan,
            "inspect" => Self::Inspect,
            "sum" => Self::Sum,
            "product" => Self::Product,
            "fold" => Self::Fold,
            "rfold" => Self::Rfold,
            "try_fold" => Self::TryFold,
            "reduce" => Self::Reduce,
            "count" => Self::Count,
            "last" => Self::Last,
            "nth" => Self::Nth,
            "peekable" => Self::Peekable,
            "peek" => Self::Peek,
            "next_if" => Self::NextIf,
            "min" => Self::Min,
            "max" => Self::Max,
            "min_by" => Self::MinBy,
            "max_by" => Self::MaxBy,
            "min_by_key" => Self::MinByKey,
            "max_by_key" => Self::MaxByKey,
            "any" => Self::Any,
            "all" => Self::All,
            "find" => Self::Find,
            "rfind" => Self::Rfind,
            "find_map" => Self::FindMap,
            "position" => Self::Position,
            "rposition" => Self::Rposition,
            "for_each" => Self::ForEach,
            "try_for_each" => Self::TryForEach,
            "eq" => Self::Compare(BinaryOp::Eq),
            "ne" => Self::Compare(BinaryOp::Ne),
            "lt" => Self::Compare(BinaryOp::Lt),
            "le" => Self::Compare(BinaryOp::Le),
            "gt" => Self::Compare(BinaryOp::Gt),
            "ge" => Self::Compare(BinaryOp::Ge),
            "cmp" => Self::Cmp,
            "partial_cmp" => Self::PartialCmp,
            "is_sorted" => Self::IsSorted,
            "is_sorted_by" => Self::IsSortedBy,
            "is_sorted_by_key" => Self::IsSortedByKey,
            _ => return None,
        })
    }

    /// Whether each of its elements is one of the iterator's before it, found by position: then it may be written.
    pub(crate) const fn keeps_places(self) -> bool {
        matches!(
            self,
            Self::IntoIter | Self::Rev | Self::StepBy | Self::Enumerate | Self::Take | Self::Skip | Self::Zip
        )
    }

    /// Whether it takes elements from an iterator that is there behind it.
    pub(crate) const fn borrows(self) -> bool {
        matches!(
            self,
            Self::ByRef
                | Self::Next
                | Self::Peek
                | Self::NextIf
                | Self::Nth
                | Self::Any
                | Self::All
                | Self::Find
                | Self::Rfind
                | Self::FindMap
                | Self::Position
                | Self::Rposition
                | Self::TryFold
                | Self::TryForEach
        )
    }

    /// Whether its closure gets references to the elements.
    pub(crate) const fn lends(self) -> bool {
        matches!(
            self,
            Self::Filter
                | Self::TakeWhile
                | Self::SkipWhile
                | Self::Inspect
                | Self::MinBy
                | Self::MaxBy
                | Self::MinByKey
                | Self::MaxByKey
                | Self::Find
                | Self::Rfind
                | Self::NextIf
                | Self::IsSortedBy
        )
    }
}

/// Methods of iterators that kernels do not have, and what to write instead.
pub(crate) const UNSUPPORTED: &[(&str, &str)] = &[
    (
        "collect",
        "kernels have no memory to allocate: write each element where it belongs, or fill an array in a `for` loop",
    ),
    ("partition", "kernels have no memory to allocate: `filter` twice, or use a `for` loop"),
    ("unzip", "kernels have no memory to allocate: write the elements in a `for` loop"),
    ("next_if_eq", "write `it.next_if(|v| *v == x)`"),
    ("peek_mut", "write `it.peek()`, and change what `it.next()` gives"),
    ("by_ref", "name the iterator, `let mut it = …;`, and write `it.by_ref()`"),
    ("next_back", "reverse where the iterator is made, `let mut it = ….rev();`, and write `it.next()`"),
    ("nth_back", "reverse where the iterator is made, `let mut it = ….rev();`, and write `it.nth(n)`"),
    ("try_rfold", "reverse, and fold: `.rev().try_fold(…)`"),
    ("into_inner", "name the ends: `(*range.start(), *range.end())`"),
    ("array_windows", "write `.windows(n)`"),
    ("array_chunks", "write `.chunks_exact(n)`"),
    ("as_chunks_mut", "write `.chunks_exact_mut(n)` for the parts, and `&mut x[x.len() / n * n..]` for the rest"),
    ("sort", "write it as a statement, `x.sort();`, of a variable, field or element"),
    (
        "sort_by",
        "write it as a statement, `x.sort_by(|a, b| …);`, of a variable, field or element, with a closure without `return`",
    ),
    ("sort_by_key", "write it as a statement, `x.sort_by_key(|v| …);`, of a variable, field or element"),
    ("sort_unstable", "write it as a statement, `x.sort_unstable();`, of a variable, field or element"),
    (
        "sort_unstable_by",
        "write it as a statement, `x.sort_unstable_by(|a, b| …);`, of a variable, field or element, with a closure without `return`",
    ),
    ("split_first_mut", "write `x.split_at_mut(1)`"),
    ("split_last_mut", "write `x.split_at_mut(x.len() - 1)`"),
    ("copy_within", "write it as a statement, with a range as its argument: `x.copy_within(a..b, to);`"),
    ("fill_with", "write it as a statement, with a closure or a function's name as its argument: `x.fill_with(|| …);`"),
    ("trim_ascii", "find the ends: `x.iter().position(|b| !b.is_ascii_whitespace())`, and write `&x[a..b]`"),
    ("split", "find where to cut with `.iter().position(…)`, and write `x.split_at(n)`"),
    ("remainder", "take it of the iterator that `chunks_exact` or `rchunks_exact` gives, before anything else"),
    (
        "into_remainder",
        "split before, `let whole = x.len() / n * n; let (parts, rest) = x.split_at_mut(whole);`, and go through `parts.chunks_exact_mut(n)`",
    ),
    ("concat", "kernels have no memory to allocate: write each part where it belongs"),
    ("to_vec", "kernels have no memory to allocate: copy to an array with `copy_from_slice`"),
];
