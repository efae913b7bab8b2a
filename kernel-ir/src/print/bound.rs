//! The text format of what the host checks before a launch.

use std::fmt::{self, Display, Formatter};

use crate::ir::{Bound, Obligation};

impl Display for Bound {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Const(number) => write!(f, "{number}"),
            Self::Items(axis) => write!(f, "items({axis})"),
            Self::Groups(axis) => write!(f, "groups({axis})"),
            Self::Len(buffer) => write!(f, "len({buffer})"),
            Self::Extent(image, axis) => write!(f, "extent({image}, {axis})"),
            Self::Least(list) => write!(f, "least({list})"),
            Self::LeastExtent(list, axis) => write!(f, "least_extent({list}, {axis})"),
            Self::Constant(param) => write!(f, "{param}"),
            Self::Param(param, path) => {
                write!(f, "{param}")?;
                path.iter().try_for_each(|field| write!(f, ".{field}"))
            }
            Self::Binary(op, operands) => write!(f, "{}({}, {})", op.name(), operands[0], operands[1]),
        }
    }
}

impl Display for Obligation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} < {}", self.index, self.length)?;
        self.in_all.map_or(Ok(()), |site| write!(f, " in_all {site}"))
    }
}
