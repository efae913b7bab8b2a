//! A box of cells split over ranks: which rank has which cells, and which ranks are neighbours. No messages but one agreement.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::rank::{Offer, Rank};

/// A box of cells in one to three dimensions, of which each rank has a smaller box.
///
/// Axis 0 is the one along which cells lie side by side in memory, as `x` in grids. Cells that do not divide by the ranks are spread: the
/// first ranks along an axis have one more.
///
/// ```no_run
/// use gridwise_mpi::{Decomposition, run};
///
/// # fn main() -> std::process::ExitCode {
/// run(|rank| {
///     let boxes = Decomposition::new(rank, [1000, 600], [false, true])?;
///     println!("rank {} has the columns {:?} and the rows {:?}", rank.index(), boxes.cells()[0], boxes.cells()[1]);
///     Ok(())
/// })
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decomposition<const D: usize> {
    all: [usize; D],
    periodic: [bool; D],
    ranks: [usize; D],
    /// This rank's place along each axis.
    place: [usize; D],
}

impl<const D: usize> Decomposition<D> {
    /// Splits a box so that the ranks have the fewest cells to exchange; where two ways are equal, along the last axis.
    ///
    /// `periodic` tells of each axis whether its last cell is a neighbour of its first.
    ///
    /// # Errors
    /// On all ranks: [`Error::Disagree`] where they name other boxes, [`Error::TooFewCells`] where no split gives each rank a cell.
    pub fn new(rank: &Rank, cells: [usize; D], periodic: [bool; D]) -> Result<Self> {
        let ranks = best_split(cells, rank.size());
        Self::with_ranks(rank, cells, periodic, ranks)
    }

    /// Splits a box into so many ranks along each axis.
    ///
    /// # Errors
    /// On all ranks: as [`new`](Self::new), and [`Error::WrongRanks`] where the product is not the number of ranks.
    pub fn with_ranks(rank: &Rank, cells: [usize; D], periodic: [bool; D], ranks: [usize; D]) -> Result<Self> {
        const { assert!(1 <= D && D <= 3, "boxes have one to three dimensions") };
        // A digest of all arguments, so that one number tells whether they are equal.
        let digest = (0..D).fold(D, |sum, axis| {
            let word = |sum: usize, word: usize| sum.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(word);
            word(word(word(sum, cells[axis]), usize::from(periodic[axis])), ranks[axis])
        });
        let offer = Offer { variant: digest, ..Offer::of::<u8>("Decomposition::new", 0) };
        rank.agree(offer, check(cells, ranks, rank.size()))?;
        Ok(Self { all: cells, periodic, ranks, place: place_of(rank.index(), ranks) })
    }

    /// The cells of this rank along each axis, as numbers in the whole box.
    pub fn cells(&self) -> [Range<usize>; D] {
        self.cells_of(self.place)
    }

    /// The cells of any rank, as [`cells`](Self::cells).
    ///
    /// ```no_run
    /// # fn main() -> std::process::ExitCode {
    /// # gridwise_mpi::run(|rank| {
    /// # let boxes = gridwise_mpi::Decomposition::new(rank, [8, 8], [false, false])?;
    /// let of_all: Vec<_> = (0..rank.size()).map(|other| boxes.cells_of_rank(other)).collect();
    /// # Ok(()) })
    /// # }
    /// ```
    pub fn cells_of_rank(&self, rank: usize) -> [Range<usize>; D] {
        self.cells_of(place_of(rank, self.ranks))
    }

    /// The cells of the whole box along each axis.
    pub fn all_cells(&self) -> [usize; D] {
        self.all
    }

    /// The ranks along each axis.
    pub fn ranks(&self) -> [usize; D] {
        self.ranks
    }

    /// The number of cells of this rank along each axis.
    pub fn extent(&self) -> [usize; D] {
        self.cells().map(|range| range.len())
    }

    /// The number of cells of this rank along each axis, with a halo of `width` on both sides.
    pub fn padded(&self, width: usize) -> [usize; D] {
        self.extent().map(|cells| cells + 2 * width)
    }

    /// The elements of a tensor that holds this rank's cells with their halo.
    pub fn len(&self, width: usize) -> usize {
        self.padded(width).iter().product()
    }

    /// The rank next to this one in a direction: -1, 0 or 1 along each axis. `None` beyond an end that is not periodic.
    ///
    /// A periodic axis with one rank has that rank as its own neighbour.
    pub fn neighbour(&self, direction: [i8; D]) -> Option<usize> {
        let mut place = self.place;
        for axis in 0..D {
            let ranks = self.ranks[axis] as isize;
            let next = place[axis] as isize + isize::from(direction[axis]);
            if !(0..ranks).contains(&next) && !self.periodic[axis] {
                return None;
            }
            place[axis] = next.rem_euclid(ranks) as usize;
        }
        Some(rank_of(place, self.ranks))
    }

    /// An error where the box was split for a communicator of another size.
    pub(crate) fn check_size(&self, size: usize) -> Result<()> {
        check(self.all, self.ranks, size)
    }

    /// An error where a halo of `width` takes more cells than the smallest box has.
    pub(crate) fn check_width(&self, width: usize) -> Result<()> {
        for axis in 0..D {
            let cells = self.all[axis] / self.ranks[axis];
            if cells < width {
                return Err(Error::NarrowBox { axis, cells, width });
            }
        }
        Ok(())
    }

    fn cells_of(&self, place: [usize; D]) -> [Range<usize>; D] {
        std::array::from_fn(|axis| {
            let (cells, ranks) = (self.all[axis], self.ranks[axis]);
            let (each, more) = (cells / ranks, cells % ranks);
            let start = |place: usize| place * each + place.min(more);
            start(place[axis])..start(place[axis] + 1)
        })
    }
}

/// The place of a rank along each axis: ranks count along axis 0 first.
fn place_of<const D: usize>(rank: usize, ranks: [usize; D]) -> [usize; D] {
    let mut rest = rank;
    ranks.map(|ranks| {
        let place = rest % ranks;
        rest /= ranks;
        place
    })
}

fn rank_of<const D: usize>(place: [usize; D], ranks: [usize; D]) -> usize {
    (0..D).rev().fold(0, |rank, axis| rank * ranks[axis] + place[axis])
}

fn check<const D: usize>(cells: [usize; D], ranks: [usize; D], size: usize) -> Result<()> {
    let product = ranks.iter().try_fold(1usize, |product, ranks| product.checked_mul(*ranks));
    if product != Some(size) {
        return Err(Error::WrongRanks { ranks: ranks.to_vec(), product: product.unwrap_or(usize::MAX), size });
    }
    for axis in 0..D {
        if cells[axis] < ranks[axis] {
            return Err(Error::TooFewCells { axis, cells: cells[axis], ranks: ranks[axis] });
        }
    }
    Ok(())
}

/// The numbers of ranks along the axes with the fewest cells between ranks.
fn best_split<const D: usize>(cells: [usize; D], size: usize) -> [usize; D] {
    let mut best: Option<(f64, [usize; D])> = None;
    let mut split = [1; D];
    every_split(size, 0, &mut split, &mut |ranks| {
        let fits = (0..D).all(|axis| ranks[axis] <= cells[axis]);
        // Cells that lie along the cuts, over all cells.
        let cost: f64 = (0..D).map(|axis| (ranks[axis] - 1) as f64 / cells[axis].max(1) as f64).sum();
        let cost = if fits { cost } else { f64::INFINITY };
        // Splits come with the fewest ranks along axis 0 first.
        if best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, ranks));
        }
    });
    best.map_or([1; D], |(_, ranks)| ranks)
}

/// Calls `visit` with each way to write `size` as a product, the smallest factor of the first axes first.
fn every_split<const D: usize>(size: usize, axis: usize, split: &mut [usize; D], visit: &mut impl FnMut([usize; D])) {
    if axis + 1 == D {
        split[axis] = size;
        return visit(*split);
    }
    for factor in (1..=size).filter(|factor| size.is_multiple_of(*factor)) {
        split[axis] = factor;
        every_split(size / factor, axis + 1, split, visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<const D: usize>(all: [usize; D], periodic: [bool; D], ranks: [usize; D], rank: usize) -> Decomposition<D> {
        Decomposition { all, periodic, ranks, place: place_of(rank, ranks) }
    }

    #[test]
    fn every_cell_belongs_to_one_rank() {
        for ranks in [[1, 1], [2, 3], [5, 1], [3, 4]] {
            let mut owners = vec![0; 7 * 11];
            for rank in 0..ranks[0] * ranks[1] {
                let [columns, rows] = of([7, 11], [false; 2], ranks, rank).cells();
                for row in rows {
                    for column in columns.clone() {
                        owners[row * 7 + column] += 1;
                    }
                }
            }
            assert!(owners.iter().all(|&owners| owners == 1), "{ranks:?}");
        }
    }

    #[test]
    fn splits_have_the_fewest_cells_between_ranks() {
        assert_eq!(best_split([100], 4), [4]);
        assert_eq!(best_split([100, 100], 4), [2, 2]);
        assert_eq!(best_split([100, 100], 2), [1, 2], "rows are whole where both ways are equal");
        assert_eq!(best_split([1000, 10], 4), [4, 1]);
        assert_eq!(best_split([64, 64, 64], 8), [2, 2, 2]);
        assert_eq!(best_split([2, 100], 6), [1, 6]);
    }

    #[test]
    fn neighbours_of_neighbours_are_oneself() {
        for rank in 0..12 {
            let boxes = of([9, 9, 9], [true, false, true], [2, 3, 2], rank);
            for direction in [[1, 0, 0], [0, 1, 0], [-1, 1, 1], [1, -1, -1], [0, 0, 1]] {
                let Some(other) = boxes.neighbour(direction) else {
                    let row = place_of(rank, [2, 3, 2])[1];
                    assert!(direction[1] == 1 && row == 2 || direction[1] == -1 && row == 0);
                    continue;
                };
                let back = of([9, 9, 9], [true, false, true], [2, 3, 2], other).neighbour(direction.map(|step| -step));
                assert_eq!(back, Some(rank), "{direction:?}");
            }
        }
    }

    #[test]
    fn boxes_that_cannot_be_split_are_errors() {
        assert!(matches!(check([3, 9], [4, 1], 4), Err(Error::TooFewCells { axis: 0, cells: 3, ranks: 4 })));
        assert!(matches!(check([9, 9], [2, 2], 6), Err(Error::WrongRanks { product: 4, size: 6, .. })));
        assert!(matches!(check([9, 9], [usize::MAX, 2], 6), Err(Error::WrongRanks { .. })));
        let boxes = of([9, 4], [false; 2], [1, 3], 0);
        assert!(matches!(boxes.check_width(2), Err(Error::NarrowBox { axis: 1, cells: 1, width: 2 })));
        assert!(boxes.check_width(1).is_ok());
    }
}
