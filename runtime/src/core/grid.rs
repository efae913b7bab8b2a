//! The size of a launch as users give it. It must not panic: odd sizes become errors at dispatch.

/// The size of a launch along each axis, in invocations or in workgroups.
///
/// ```
/// use gridwise::Grid;
/// let _ = Grid::items(1000);          // 1000 invocations, however large the workgroup is
/// let _ = Grid::items([640usize, 480]);
/// let _ = Grid::groups((8, 8, 2));    // workgroups
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    pub(crate) unit: Unit,
    pub(crate) size: [i128; 3],
}

/// The unit of a grid's counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Items,
    Groups,
}

impl Grid {
    /// A grid of `size` invocations. In the last workgroup along an axis, invocations beyond `size` are masked.
    ///
    /// ```standalone_crate
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::Grid;
    /// # use kernels::Mark;
    ///
    /// # let manager = gridwise::Manager::host();
    /// // The kernel's workgroups have 64 invocations; of the second, 36 run.
    /// let mut indices = manager.tensor_of_len::<u32>(100)?;
    /// let sequence = manager.sequence()?;
    /// Mark::dispatch(&sequence, Grid::items(indices.len()), 0, &mut indices)?;
    /// sequence.eval()?;
    /// assert_eq!(indices.to_vec()?[99], 99);
    /// # Ok(())
    /// # }
    /// ```
    pub fn items(size: impl GridSize) -> Self {
        Self { unit: Unit::Items, size: size.extent() }
    }

    /// A grid of `size` whole workgroups.
    ///
    /// ```standalone_crate
    /// # #[path = "../../tests/devices/kernels.rs"]
    /// # mod kernels;
    /// # fn main() -> gridwise::Result<()> {
    /// use gridwise::Grid;
    /// # use kernels::Mark;
    ///
    /// # let manager = gridwise::Manager::host();
    /// let mut indices = manager.tensor_of_len::<u32>(128)?;
    /// let sequence = manager.sequence()?;
    /// Mark::dispatch(&sequence, Grid::groups(2), 0, &mut indices)?; // two whole workgroups, of 64 invocations each
    /// sequence.eval()?;
    /// assert_eq!(indices.to_vec()?[127], 127);
    /// # Ok(())
    /// # }
    /// ```
    pub fn groups(size: impl GridSize) -> Self {
        Self { unit: Unit::Groups, size: size.extent() }
    }
}

/// A type that can be the size of a grid: one to three integers.
///
/// ```
/// use gridwise::GridSize;
///
/// /// So many tiles as cover an image.
/// fn tiles(width: u32, height: u32) -> impl GridSize {
///     (width.div_ceil(16), height.div_ceil(16))
/// }
/// assert_eq!(tiles(640, 481).extent(), [40, 31, 1]);
/// ```
pub trait GridSize {
    /// Size along x, y and z; 1 where not given.
    ///
    /// ```
    /// use gridwise::GridSize;
    ///
    /// assert_eq!((64u32, 32usize).extent(), [64, 32, 1]);
    /// ```
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
///
/// ```
/// use gridwise::{Grid, GridSide};
///
/// /// A grid with as many rows as columns.
/// fn square(side: impl GridSide + Copy) -> Grid {
///     Grid::items((side, side))
/// }
/// assert_eq!(square(8u32), Grid::items([8, 8]));
/// ```
pub trait GridSide {
    /// The size.
    ///
    /// ```
    /// use gridwise::GridSide;
    ///
    /// assert_eq!(GridSide::side(7usize), 7);
    /// ```
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
