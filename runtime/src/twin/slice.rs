//! The host form of `&mut [T]`: a buffer that all invocations of a launch hold at once.

use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;

use gridwise_ir::descriptor::Site;

use super::atomic::AtomicPlace;
use super::atomic_unit::{load, store};
use super::launch::TrapSink;
use super::part::BufferPart;
use crate::memory::data::{GpuData, Value};
use crate::parallel::{Atomic, AtomicValue};

/// A struct with slices: generated code names its host form, which has a [`Slice`] or [`SliceMut`] for each of them.
pub trait Held {
    /// The host form.
    type Twin;
}

/// The host form of `&[T]` in device functions, whether others write it or not: every access is a relaxed atomic one, word by word (see
/// `atomic_unit`).
#[derive(Debug)]
pub struct Slice<'a, T> {
    /// Invariant: valid for `len` elements of `T` for `'a`, accessed by atomic units only, aligned for `T`.
    pub(super) data: *const u8,
    pub(super) len: usize,
    pub(super) marker: PhantomData<&'a T>,
}

impl<T> Clone for Slice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Slice<'_, T> {}

// SAFETY: all accesses are atomic.
unsafe impl<T: GpuData> Send for Slice<'_, T> {}
// SAFETY: all accesses are atomic.
unsafe impl<T: GpuData> Sync for Slice<'_, T> {}

impl<'a, T: GpuData> Slice<'a, T> {
    /// Elements that nobody writes.
    #[inline]
    pub fn new(elements: &'a [T]) -> Self {
        // Nothing writes through a `Slice`, and reading by atomic units is as good as any.
        Self { data: elements.as_ptr().cast(), len: elements.len(), marker: PhantomData }
    }

    /// The slice itself; of one to write, the same elements, to read.
    #[inline]
    pub fn shared(self) -> Self {
        self
    }

    /// The elements from `start` to before `end`.
    #[inline]
    pub fn range(self, sink: impl TrapSink, site: &'static Site, start: usize, end: Option<usize>) -> Self {
        let (start, end) = super::access::ends(sink, site, self.len, start, end);
        self.part_of(start, end - start)
    }

    /// `len` elements from `start` on, which are there.
    #[inline]
    pub(super) fn part_of(self, start: usize, len: usize) -> Self {
        debug_assert!(start + len <= self.len, "computed from the length");
        Self { data: self.bytes(start, 0), len, marker: PhantomData }
    }

    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All elements in order; each is read when it is asked for.
    #[inline]
    pub fn values(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator + Clone + use<'a, T> {
        // SAFETY: `index` is in range.
        (0..self.len).map(move |index| unsafe { load::<T, _>(self.bytes(index, 0)) })
    }

    /// Element `index`, if there is one.
    #[inline]
    pub fn at(&self, index: usize) -> Option<T> {
        // SAFETY: `index` is in range.
        (index < self.len).then(|| unsafe { load::<T, _>(self.bytes(index, 0)) })
    }

    /// The last element, if there is one.
    #[inline]
    pub fn last(&self) -> Option<T> {
        self.at(self.len.wrapping_sub(1))
    }

    /// Reads element `index`; zero after a trap when there is none.
    #[inline]
    pub fn load(&self, sink: impl TrapSink, site: &'static Site, index: usize) -> T {
        if index >= self.len {
            sink.trap(site, [index as u32, self.len as u32]);
            return T::ZEROED;
        }
        // SAFETY: `index` is in range.
        unsafe { load::<T, _>(self.bytes(index, 0)) }
    }

    /// Reads the part of element `index` that `part` selects; zero after a trap when there is no such element or part.
    #[inline]
    pub fn get<F: GpuData>(
        &self,
        sink: impl TrapSink,
        site: &'static Site,
        index: usize,
        part: impl FnOnce(&T) -> Option<&F>,
    ) -> F {
        if index >= self.len {
            sink.trap(site, [index as u32, self.len as u32]);
            return F::ZEROED;
        }
        match offset(part) {
            // SAFETY: `index` is in range, and the part lies within an element.
            Some(offset) => unsafe { load::<T, _>(self.bytes(index, offset)) },
            None => F::ZEROED,
        }
    }

    /// The atomic part of element `index` that `part` selects; nowhere after a trap when there is no such element or part.
    #[inline]
    pub fn atomic<V: AtomicValue>(
        &self,
        sink: impl TrapSink,
        site: &'static Site,
        index: usize,
        part: impl FnOnce(&T) -> Option<&Atomic<V>>,
    ) -> AtomicPlace<'a, V> {
        let place = if index < self.len {
            offset(part).and_then(|offset| NonNull::new(self.bytes(index, offset).cast_mut().cast::<V>()))
        } else {
            sink.trap(site, [index as u32, self.len as u32]);
            None
        };
        // SAFETY: the part lies within the buffer, aligned for its type; all threads access it atomically.
        unsafe { AtomicPlace::new(place) }
    }

    /// A reference to the part of element `index` that `part` selects; to nowhere after a trap when there is no such element
    /// or part.
    #[inline]
    pub fn part<F: GpuData>(
        &self,
        sink: impl TrapSink,
        site: &'static Site,
        index: usize,
        part: impl FnOnce(&T) -> Option<&F>,
    ) -> BufferPart<'a, T, F> {
        if index >= self.len {
            sink.trap(site, [index as u32, self.len as u32]);
            return BufferPart::nowhere();
        }
        match offset(part).and_then(|offset| NonNull::new(self.bytes(index, offset).cast_mut())) {
            // SAFETY: `index` is in range, and the part lies within an element.
            Some(place) => unsafe { BufferPart::new(place) },
            None => BufferPart::nowhere(),
        }
    }

    /// The byte at `offset` in element `index`, which must be in range.
    #[inline]
    fn bytes(&self, index: usize, offset: usize) -> *const u8 {
        self.data.wrapping_byte_add(index * size_of::<T>() + offset)
    }
}

/// A writable buffer shared by threads: a [`Slice`] with the accesses that write.
///
/// Two invocations that write the same element race: each atomic unit then holds what one of them wrote. That is a wrong program,
/// but not undefined behaviour.
#[derive(Debug)]
pub struct SliceMut<'a, T>(pub(super) Slice<'a, T>);

impl<T> Clone for SliceMut<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SliceMut<'_, T> {}

impl<'a, T> Deref for SliceMut<'a, T> {
    type Target = Slice<'a, T>;

    #[inline]
    fn deref(&self) -> &Slice<'a, T> {
        &self.0
    }
}

impl<'a, T: GpuData> SliceMut<'a, T> {
    /// The elements of an array that the invocation has to itself.
    #[inline]
    pub fn new(elements: &'a mut [T]) -> Self {
        Self(Slice { data: elements.as_mut_ptr().cast_const().cast(), len: elements.len(), marker: PhantomData })
    }

    /// No elements.
    pub(super) fn none() -> Self {
        Self(Slice::new(&[]))
    }

    /// The elements from `start` to before `end`.
    #[inline]
    pub fn range(self, sink: impl TrapSink, site: &'static Site, start: usize, end: Option<usize>) -> Self {
        Self(self.0.range(sink, site, start, end))
    }

    /// `len` elements from `start` on, which are there.
    #[inline]
    pub(super) fn part_of(self, start: usize, len: usize) -> Self {
        Self(self.0.part_of(start, len))
    }

    /// References to all elements in order.
    #[inline]
    pub fn parts(
        self,
    ) -> impl DoubleEndedIterator<Item = BufferPart<'a, T, T>> + ExactSizeIterator + Clone + use<'a, T> {
        (0..self.len).map(move |index| match NonNull::new(self.bytes(index, 0).cast_mut()) {
            // SAFETY: `index` is in range, and the part is the whole element.
            Some(place) => unsafe { BufferPart::new(place) },
            None => BufferPart::nowhere(),
        })
    }

    /// Writes an element that is there.
    #[inline]
    fn put(&self, index: usize, value: T) {
        debug_assert!(index < self.len, "checked by the caller");
        // SAFETY: `index` is in range.
        unsafe { store::<T, _>(self.bytes(index, 0), value) }
    }

    /// Exchanges two elements; nothing after a trap when there is none.
    #[inline]
    pub fn swap(&self, sink: impl TrapSink, site: &'static Site, a: usize, b: usize) {
        if super::access::are_inside(sink, site, self.len, a, b)
            && let (Some(first), Some(second)) = (self.at(a), self.at(b))
        {
            self.put(a, second);
            self.put(b, first);
        }
    }

    /// Writes all elements.
    #[inline]
    pub fn fill(&self, value: T) {
        (0..self.len).for_each(|index| self.put(index, value));
    }

    /// Turns the order of the elements round.
    #[inline]
    pub fn reverse(&self) {
        for index in 0..self.len / 2 {
            let other = self.len - 1 - index;
            if let (Some(first), Some(second)) = (self.at(index), self.at(other)) {
                self.put(index, second);
                self.put(other, first);
            }
        }
    }

    /// Moves the elements by `count` to the front, those that leave it to the end; panics where there are fewer.
    #[inline]
    pub fn rotate_left(&self, sink: impl TrapSink, site: &'static Site, count: usize) {
        super::access::check_left(sink, site, self.len, count);
        self.rotate(count);
    }

    /// Moves the elements by `count` to the end, those that leave it to the front; panics where there are fewer.
    #[inline]
    pub fn rotate_right(&self, sink: impl TrapSink, site: &'static Site, count: usize) {
        super::access::check_right(sink, site, self.len, count);
        self.rotate(self.len - count);
    }

    fn rotate(&self, middle: usize) {
        self.part_of(0, middle).reverse();
        self.part_of(middle, self.len - middle).reverse();
        self.reverse();
    }

    /// Copies as many values as there are elements; panics where there are more or fewer.
    #[inline]
    pub fn copy_from(&self, sink: impl TrapSink, site: &'static Site, values: impl ExactSizeIterator<Item = T>) {
        super::access::check_lengths(sink, site, values.len(), self.len);
        values.enumerate().for_each(|(index, value)| self.put(index, value));
    }

    /// Writes element `index`; nothing after a trap when there is none. The value comes first, as Rust evaluates it.
    #[inline]
    pub fn store(&self, sink: impl TrapSink, site: &'static Site, value: T, index: usize) {
        if index >= self.len {
            return sink.trap(site, [index as u32, self.len as u32]);
        }
        // SAFETY: `index` is in range.
        unsafe { store::<T, _>(self.bytes(index, 0), value) }
    }

    /// Writes the part of element `index` that `part` selects; nothing after a trap when there is no such element or part.
    #[inline]
    pub fn set<F: GpuData>(
        &self,
        sink: impl TrapSink,
        site: &'static Site,
        index: usize,
        part: impl FnOnce(&T) -> Option<&F>,
        value: F,
    ) {
        if index >= self.len {
            return sink.trap(site, [index as u32, self.len as u32]);
        }
        if let Some(offset) = offset(part) {
            // SAFETY: `index` is in range, and the part lies within an element.
            unsafe { store::<T, _>(self.bytes(index, offset), value) }
        }
    }
}

/// How many bytes into a `T` the selected part lies: tried on a value of zeros, so that selecting needs no access to the buffer.
#[inline]
pub(super) fn offset<T: GpuData, F: Value + Copy>(part: impl FnOnce(&T) -> Option<&F>) -> Option<usize> {
    let element = T::ZEROED;
    let offset = std::ptr::from_ref(part(&element)?).addr().wrapping_sub(std::ptr::from_ref(&element).addr());
    // A part that is not inside the element would be a bug of the macro; refuse it rather than write elsewhere.
    (offset.checked_add(size_of::<F>())? <= size_of::<T>()).then_some(offset)
}
