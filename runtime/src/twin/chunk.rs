//! Arrays of a slice's elements in the twin: what `as_chunks`, `first_chunk` and their like give.

use std::marker::PhantomData;

use super::slice::Slice;
use crate::memory::data::GpuData;

impl<'a, T: GpuData> Slice<'a, T> {
    /// Arrays of `N` elements one behind the other, and the elements that are left.
    #[inline]
    pub fn as_chunks<const N: usize>(self) -> (Slice<'a, [T; N]>, Self) {
        let taken = self.len / N * N;
        (self.part_of(0, taken).arrays(), self.part_of(taken, self.len - taken))
    }

    /// The elements that are left, and arrays of `N` elements up to the end.
    #[inline]
    pub fn as_rchunks<const N: usize>(self) -> (Self, Slice<'a, [T; N]>) {
        let left = self.len % N;
        (self.part_of(0, left), self.part_of(left, self.len - left).arrays())
    }

    /// The first `N` elements, if there are so many.
    #[inline]
    pub fn first_chunk<const N: usize>(self) -> Option<[T; N]> {
        Some(self.split_first_chunk()?.0)
    }

    /// The last `N` elements, if there are so many.
    #[inline]
    pub fn last_chunk<const N: usize>(self) -> Option<[T; N]> {
        Some(self.split_last_chunk()?.1)
    }

    /// The first `N` elements and all others.
    #[inline]
    pub fn split_first_chunk<const N: usize>(self) -> Option<([T; N], Self)> {
        let left = self.len.checked_sub(N)?;
        Some((self.part_of(0, N).array()?, self.part_of(N, left)))
    }

    /// The last `N` elements and all others.
    #[inline]
    pub fn split_last_chunk<const N: usize>(self) -> Option<(Self, [T; N])> {
        let left = self.len.checked_sub(N)?;
        Some((self.part_of(0, left), self.part_of(left, N).array()?))
    }

    /// All elements, of which there are `N`.
    #[inline]
    fn array<const N: usize>(self) -> Option<[T; N]> {
        let mut array = [T::ZEROED; N];
        for (index, element) in array.iter_mut().enumerate() {
            *element = self.at(index)?;
        }
        Some(array)
    }

    /// The elements as arrays, whose number is a multiple of `N`. They are as aligned as an element, and read in the same pieces.
    #[inline]
    fn arrays<const N: usize>(self) -> Slice<'a, [T; N]> {
        Slice { data: self.data, len: self.len / N, marker: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn are_those_of_rust() {
        for len in 0..12_u32 {
            let own: Vec<u32> = (0..len).collect();
            let slice = Slice::new(&own);
            let all = |slice: Slice<'_, u32>| slice.values().collect::<Vec<_>>();
            let (words, rest) = slice.as_chunks::<3>();
            let (native, left) = own.as_chunks::<3>();
            assert_eq!((words.values().collect::<Vec<_>>(), all(rest)), (native.to_vec(), left.to_vec()));
            let (rest, words) = slice.as_rchunks::<3>();
            let (left, native) = own.as_rchunks::<3>();
            assert_eq!((all(rest), words.values().collect::<Vec<_>>()), (left.to_vec(), native.to_vec()));
            assert_eq!(slice.first_chunk::<4>().as_ref(), own.first_chunk());
            assert_eq!(slice.last_chunk::<4>().as_ref(), own.last_chunk());
            let native = own.split_first_chunk::<4>().map(|(first, rest)| (*first, rest.to_vec()));
            assert_eq!(slice.split_first_chunk::<4>().map(|(first, rest)| (first, all(rest))), native);
            let native = own.split_last_chunk::<4>().map(|(rest, last)| (rest.to_vec(), *last));
            assert_eq!(slice.split_last_chunk::<4>().map(|(rest, last)| (all(rest), last)), native);
        }
    }
}
