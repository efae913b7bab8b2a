//! Slices of slices in the twin: what `windows`, `chunks` and `split_at` give.

use gridwise_ir::descriptor::Site;

use super::exact::Exact;
use super::launch::TrapSink;
use super::slice::{Slice, SliceMut};
use crate::memory::data::GpuData;

/// The elements of a slice that patterns name. Those which are not there are `None`.
#[derive(Debug, Clone, Copy)]
pub struct View<'a, T, const FRONT: usize, const BACK: usize, const RESTS: usize> {
    /// How many elements the slice has.
    pub len: usize,
    /// The first ones.
    pub front: [Option<T>; FRONT],
    /// The last ones, the last of all first.
    pub back: [Option<T>; BACK],
    /// Slices without some elements at the front and some at the end; empty where these are not there.
    pub rests: [Slice<'a, T>; RESTS],
    /// The slice itself.
    pub whole: Slice<'a, T>,
}

/// The methods that divide a slice into slices of its kind.
macro_rules! divided {
    ($Slice:ident) => {
        impl<'a, T: GpuData> $Slice<'a, T> {
            /// All slices of `size` elements, one position apart.
            #[inline]
            pub fn windows(
                self,
                size: usize,
            ) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone + use<'a, T> {
                let count = (self.len() + 1).saturating_sub(size);
                (0..count).map(move |start| self.part_of(start, size))
            }

            /// Slices of `size` elements one behind the other, the last one of those that are left.
            #[inline]
            pub fn chunks(
                self,
                size: usize,
            ) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone + use<'a, T> {
                (0..self.len().div_ceil(size)).map(move |chunk| {
                    let start = chunk * size;
                    self.part_of(start, size.min(self.len() - start))
                })
            }

            /// Slices of `size` elements one behind the other.
            #[inline]
            pub fn chunks_exact(
                self,
                size: usize,
            ) -> Exact<impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone + use<'a, T>, Self> {
                let left = self.len() % size;
                let parts = (0..self.len() / size).map(move |chunk| self.part_of(chunk * size, size));
                Exact::new(parts, self.part_of(self.len() - left, left))
            }

            /// Slices of `size` elements from the end on, the last one of those that are left.
            #[inline]
            pub fn rchunks(
                self,
                size: usize,
            ) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone + use<'a, T> {
                (0..self.len().div_ceil(size)).map(move |chunk| {
                    let end = self.len() - chunk * size;
                    let len = size.min(end);
                    self.part_of(end - len, len)
                })
            }

            /// Slices of `size` elements from the end on.
            #[inline]
            pub fn rchunks_exact(
                self,
                size: usize,
            ) -> Exact<impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone + use<'a, T>, Self> {
                let left = self.len() % size;
                let parts =
                    (0..self.len() / size).map(move |chunk| self.part_of(self.len() - (chunk + 1) * size, size));
                Exact::new(parts, self.part_of(0, left))
            }

            /// The parts of a slice that is split where `middle` is, if it is long enough.
            #[inline]
            pub fn split_at_checked(self, middle: usize) -> Option<(Self, Self)> {
                let behind = self.len().checked_sub(middle)?;
                Some((self.part_of(0, middle), self.part_of(middle, behind)))
            }

            /// The first element and all others.
            #[inline]
            pub fn split_first(self) -> Option<(T, Self)> {
                Some((self.at(0)?, self.part_of(1, self.len() - 1)))
            }

            /// The last element and all others.
            #[inline]
            pub fn split_last(self) -> Option<(T, Self)> {
                Some((self.last()?, self.part_of(0, self.len() - 1)))
            }

            /// The elements from `start` to before `end`, if they are all there.
            #[inline]
            pub fn get_part(self, start: usize, end: Option<usize>) -> Option<Self> {
                let end = end.unwrap_or(self.len());
                (start <= end && end <= self.len()).then(|| self.part_of(start, end - start))
            }

            /// The elements before `middle`, and those from there on.
            #[inline]
            pub fn split_at(self, sink: impl TrapSink, site: &'static Site, middle: usize) -> (Self, Self) {
                let Some(behind) = self.len().checked_sub(middle) else { sink.panic(site, format_args!("mid > len")) };
                (self.part_of(0, middle), self.part_of(middle, behind))
            }
        }
    };
}

divided!(Slice);
divided!(SliceMut);

impl<'a, T: GpuData> Slice<'a, T> {
    /// The elements that patterns name. `rests`: for each, how many elements are left out at the front, and at the end.
    #[inline]
    pub fn view<const FRONT: usize, const BACK: usize, const RESTS: usize>(
        self,
        rests: [(usize, usize); RESTS],
    ) -> View<'a, T, FRONT, BACK, RESTS> {
        let len = self.len();
        View {
            len,
            front: std::array::from_fn(|index| self.at(index)),
            back: std::array::from_fn(|index| self.at(len.wrapping_sub(index + 1))),
            rests: rests.map(|(front, back)| match len.checked_sub(front + back) {
                Some(left) => self.part_of(front, left),
                None => Slice::new(&[]),
            }),
            whole: self,
        }
    }

    /// No elements: a slice of Rust's own, whose patterns rustc looks at.
    #[inline]
    pub fn proof<'p>(self) -> &'p [T] {
        &[]
    }
}

/// The size of `windows`, which is not zero.
#[inline]
pub fn window_size(sink: impl TrapSink, site: &'static Site, size: usize) -> usize {
    if size == 0 {
        sink.panic(site, format_args!("window size must be non-zero"));
    }
    size
}

/// The size of `chunks` and its like, which is not zero.
#[inline]
pub fn chunk_size(sink: impl TrapSink, site: &'static Site, size: usize) -> usize {
    if size == 0 {
        sink.panic(site, format_args!("chunk size must be non-zero"));
    }
    size
}

#[cfg(test)]
mod tests {
    use super::super::ambient::Ambient;
    use super::*;
    use gridwise_ir::descriptor::{Location, SiteKind};

    const HERE: Location = Location { file: "", line: 1, column: 1 };

    #[test]
    fn are_those_of_rust() {
        static SITE: Site = Site { kind: SiteKind::Panic, location: HERE, text: "", message: None };
        let (lens, sizes) = if cfg!(miri) { (0..5_u32, 1..5) } else { (0..9, 1..12) };
        for len in lens {
            let own: Vec<u32> = (0..len).collect();
            let slice = Slice::new(&own);
            let plain = |slices: &mut dyn Iterator<Item = Slice<'_, u32>>| -> Vec<Vec<u32>> {
                slices.map(|slice| slice.values().collect()).collect()
            };
            for size in sizes.clone() {
                let native = |slices: &mut dyn Iterator<Item = &[u32]>| slices.map(<[u32]>::to_vec).collect::<Vec<_>>();
                assert_eq!(plain(&mut slice.windows(size)), native(&mut own.windows(size)));
                assert_eq!(plain(&mut slice.chunks(size)), native(&mut own.chunks(size)));
                assert_eq!(plain(&mut slice.chunks(size).rev()), native(&mut own.chunks(size).rev()));
                assert_eq!(plain(&mut slice.chunks_exact(size)), native(&mut own.chunks_exact(size)));
                assert_eq!(plain(&mut slice.rchunks(size)), native(&mut own.rchunks(size)));
                assert_eq!(plain(&mut slice.rchunks(size).rev()), native(&mut own.rchunks(size).rev()));
                assert_eq!(plain(&mut slice.rchunks_exact(size)), native(&mut own.rchunks_exact(size)));
            }
            for middle in 0..=own.len() {
                let (head, tail) = slice.split_at(Ambient, &SITE, middle);
                let joined: Vec<u32> = head.values().chain(tail.values()).collect();
                assert_eq!((joined, head.len()), (own.clone(), middle));
            }
            let all = |slice: Slice<'_, u32>| slice.values().collect::<Vec<_>>();
            for start in 0..=own.len() + 2 {
                let (halves, native) = (slice.split_at_checked(start), own.split_at_checked(start));
                let native = native.map(|(head, tail)| (head.to_vec(), tail.to_vec()));
                assert_eq!(halves.map(|(head, tail)| (all(head), all(tail))), native);
                assert_eq!(slice.get_part(start, None).map(all), own.get(start..).map(<[u32]>::to_vec));
                for end in 0..=own.len() + 2 {
                    assert_eq!(slice.get_part(start, Some(end)).map(all), own.get(start..end).map(<[u32]>::to_vec));
                }
            }
            let ends = |pair: Option<(u32, Slice<'_, u32>)>| pair.map(|(end, rest)| (end, all(rest)));
            let native = |pair: Option<(&u32, &[u32])>| pair.map(|(end, rest)| (*end, rest.to_vec()));
            assert_eq!(ends(slice.split_first()), native(own.split_first()));
            assert_eq!(ends(slice.split_last()), native(own.split_last()));
        }
    }
}
