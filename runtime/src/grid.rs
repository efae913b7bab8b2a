//! The size of a launch as users give it. It must not panic: odd sizes become errors at dispatch.

/// How much a launch runs: invocations along each axis, or workgroups.
///
/// ```
/// use gridwise_runtime::Grid;
/// let _ = Grid::items(1000);          // 1000 invocations, however large the workgroup is
/// let _ = Grid::items([640usize, 480]);
/// let _ = Grid::groups((8, 8, 2));    // workgroups
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    pub(crate) unit: Unit,
    pub(crate) size: [i128; 3],
}

/// What a grid counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Items,
    Groups,
}

impl Grid {
    /// A grid of `size` invocations. The last workgroup along an axis may be partly idle.
    pub fn items(size: impl GridSize) -> Self {
        Self { unit: Unit::Items, size: size.extent() }
    }

    /// A grid of `size` whole workgroups.
    pub fn groups(size: impl GridSize) -> Self {
        Self { unit: Unit::Groups, size: size.extent() }
    }
}

/// What can be the size of a grid: one to three integers.
pub trait GridSize {
    /// Size along x, y and z; 1 where not given.
    fn extent(self) -> [i128; 3];
}

macro_rules! grid_sizes {
    ($($ty:ty),+) => {
        $(
            impl GridSize for $ty {
                fn extent(self) -> [i128; 3] {
                    [self as i128, 1, 1]
                }
            }

            impl GridSize for [$ty; 2] {
                fn extent(self) -> [i128; 3] {
                    [self[0] as i128, self[1] as i128, 1]
                }
            }

            impl GridSize for [$ty; 3] {
                fn extent(self) -> [i128; 3] {
                    self.map(|size| size as i128)
                }
            }
        )+
    };
}

grid_sizes!(i32, u32, u64, usize);

/// One side of a grid given as a tuple; sides may be of different types.
pub trait GridSide {
    /// The size.
    fn side(self) -> i128;
}

macro_rules! grid_sides {
    ($($ty:ty),+) => {
        $(impl GridSide for $ty {
            fn side(self) -> i128 {
                self as i128
            }
        })+
    };
}

grid_sides!(i32, u32, u64, usize);

impl<A: GridSide, B: GridSide> GridSize for (A, B) {
    fn extent(self) -> [i128; 3] {
        [self.0.side(), self.1.side(), 1]
    }
}

impl<A: GridSide, B: GridSide, C: GridSide> GridSize for (A, B, C) {
    fn extent(self) -> [i128; 3] {
        [self.0.side(), self.1.side(), self.2.side()]
    }
}
