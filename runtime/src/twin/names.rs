//! Short names for what generated code says most often: `use …::twin::names::*;` stands in front of it. Holds nothing of its own.

pub use core::option::Option::{None as __None, Some as __Some};
pub use core::primitive::{
    bool as __bool, char as __char, f32 as __f32, f64 as __f64, i8 as __i8, i16 as __i16, i32 as __i32, i64 as __i64,
    i128 as __i128, isize as __isize, u8 as __u8, u16 as __u16, u32 as __u32, u64 as __u64, u128 as __u128,
    usize as __usize,
};

pub use half::{bf16 as __bf16, f16 as __f16};

pub use gridwise_ir::descriptor::{
    KernelDescriptor as __Descriptor, LaunchWord as __Word, Location as __Location, Param as __Param, Site as __Site,
    SiteKind as __SiteKind,
};

pub use super::{at as __at, put as __put, row as __row};
