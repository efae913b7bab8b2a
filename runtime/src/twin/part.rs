//! The host form of `let r = &mut y[i];` where other invocations reach the place too: every access copies a value in or out.

use std::marker::PhantomData;
use std::ptr::NonNull;

use gridwise_ir::descriptor::Site;

use super::atomic::AtomicPlace;
use super::atomic_unit::{atomic_unit, load, store};
use super::launch::TrapSink;
use super::slice::{Slice, SliceMut, offset};
use crate::memory::data::{GpuData, Value};
use crate::parallel::{Atomic, AtomicValue};

/// A part of an element of a buffer; nowhere after a trap. Nowhere is zero and stays so.
#[derive(Debug)]
pub struct BufferPart<'a, T, F> {
    /// Invariant: an `F` within a `T` of a buffer that lives for `'a`, accessed by atomic units only.
    place: Option<NonNull<u8>>,
    marker: PhantomData<(&'a T, F)>,
}

impl<T, F> Clone for BufferPart<'_, T, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, F> Copy for BufferPart<'_, T, F> {}

impl<'a, T: GpuData, F: GpuData> BufferPart<'a, T, F> {
    /// Nowhere.
    pub(super) fn nowhere() -> Self {
        Self { place: None, marker: PhantomData }
    }

    /// The part at `place`.
    ///
    /// # Safety
    /// There lies an `F` within a `T` of a buffer that lives for `'a`, and all threads access it by atomic units.
    pub(super) unsafe fn new(place: NonNull<u8>) -> Self {
        Self { place: Some(place), marker: PhantomData }
    }

    /// Reads what `part` selects.
    #[inline]
    pub fn get<G: GpuData>(&self, part: impl FnOnce(&F) -> Option<&G>) -> G {
        match self.within(offset(part)) {
            // SAFETY: within the part, by the invariant of `place`.
            Some(place) => unsafe { load::<T, _>(place) },
            None => G::ZEROED,
        }
    }

    /// Writes what `part` selects.
    #[inline]
    pub fn set<G: GpuData>(&self, part: impl FnOnce(&mut F) -> Option<&mut G>, value: G) {
        if let Some(place) = self.within(offset_mut(part)) {
            // SAFETY: within the part, by the invariant of `place`.
            unsafe { store::<T, _>(place, value) }
        }
    }

    /// A reference to what `part` selects.
    #[inline]
    pub fn part<G: GpuData>(&self, part: impl FnOnce(&mut F) -> Option<&mut G>) -> BufferPart<'a, T, G> {
        match self.within(offset_mut(part)).and_then(|place| NonNull::new(place.cast_mut())) {
            // SAFETY: within the part, by the invariant of `place`.
            Some(place) => unsafe { BufferPart::new(place) },
            None => BufferPart::nowhere(),
        }
    }

    /// The value that `part` selects, for atomic operations.
    #[inline]
    pub fn atomic<V: AtomicValue>(&self, part: impl FnOnce(&mut F) -> Option<&mut Atomic<V>>) -> AtomicPlace<'a, V> {
        let place = self.within(offset_mut(part)).and_then(|place| NonNull::new(place.cast_mut().cast::<V>()));
        // SAFETY: within the part and so within the buffer, aligned for its type; all threads access it atomically.
        unsafe { AtomicPlace::new(place) }
    }

    /// The byte at `offset` of the part, which lies in it.
    fn within(&self, offset: Option<usize>) -> Option<*const u8> {
        Some(self.place?.as_ptr().cast_const().wrapping_byte_add(offset?))
    }
}

impl<'a, T: GpuData, E: GpuData, const LEN: usize> BufferPart<'a, T, [E; LEN]> {
    /// All elements; none of what is nowhere.
    #[inline]
    pub fn elements(&self) -> SliceMut<'a, E> {
        const {
            assert!(
                atomic_unit::<T>() == atomic_unit::<E>(),
                "an array in a buffer whose elements have another alignment has no slices: copy it to a variable"
            );
        }
        // By atomic units of one size, as the rest of the buffer is accessed.
        match self.place {
            Some(place) => SliceMut(Slice { data: place.as_ptr().cast_const(), len: LEN, marker: PhantomData }),
            None => SliceMut::none(),
        }
    }
}

/// As [`offset`], of a selection that could write.
fn offset_mut<T: GpuData, F: Value + Copy>(part: impl FnOnce(&mut T) -> Option<&mut F>) -> Option<usize> {
    let mut element = T::ZEROED;
    let start = std::ptr::from_ref(&element).addr();
    let offset = std::ptr::from_ref(part(&mut element)?).addr().wrapping_sub(start);
    // A part that is not inside the element would be a bug of the macro; refuse it rather than write elsewhere.
    (offset.checked_add(size_of::<F>())? <= size_of::<T>()).then_some(offset)
}

/// A part of a shared variable; nowhere when there is none. Nowhere is zero and stays so.
#[derive(Debug)]
pub struct SharedPart<'a, F> {
    /// Invariant: an `F` that lives for `'a`; only the workgroup's thread accesses it, one access at a time.
    place: Option<NonNull<F>>,
    marker: PhantomData<&'a F>,
}

impl<F> Clone for SharedPart<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for SharedPart<'_, F> {}

impl<'a, F: Value + Copy> SharedPart<'a, F> {
    /// The part at `place`.
    ///
    /// # Safety
    /// There lies an `F` that lives for `'a`; only the thread of this value accesses it, and no access lies within another.
    pub(super) unsafe fn new(place: Option<NonNull<F>>) -> Self {
        Self { place, marker: PhantomData }
    }

    /// Reads what `part` selects.
    #[inline]
    pub fn get<G: Value + Copy>(&self, part: impl FnOnce(&F) -> Option<&G>) -> G {
        // SAFETY: by the invariant of `place`; the selection reads nothing else, and ends here.
        let place = self.place.and_then(|place| part(unsafe { place.as_ref() }));
        place.copied().unwrap_or(G::ZEROED)
    }

    /// Writes what `part` selects.
    #[inline]
    pub fn set<G: Value + Copy>(&self, part: impl FnOnce(&mut F) -> Option<&mut G>, value: G) {
        // SAFETY: as in `get`.
        if let Some(place) = self.place.and_then(|mut place| part(unsafe { place.as_mut() })) {
            *place = value;
        }
    }

    /// The value that `part` selects, for atomic operations.
    #[inline]
    pub fn atomic<V: AtomicValue>(&self, part: impl FnOnce(&mut F) -> Option<&mut Atomic<V>>) -> AtomicPlace<'a, V> {
        // SAFETY: as in `get`.
        let place = self.place.and_then(|mut place| part(unsafe { place.as_mut() }).map(NonNull::from));
        // SAFETY: it lives for `'a`. This thread alone accesses it, and an operation is over before anything else is.
        unsafe { AtomicPlace::new(place.map(NonNull::cast::<V>)) }
    }

    /// A reference to what `part` selects.
    #[inline]
    pub fn part<G: Value + Copy>(&self, part: impl FnOnce(&mut F) -> Option<&mut G>) -> SharedPart<'a, G> {
        // SAFETY: as in `get`.
        let place = self.place.and_then(|mut place| part(unsafe { place.as_mut() }).map(NonNull::from));
        // SAFETY: a part of this part, of which all that holds.
        unsafe { SharedPart::new(place) }
    }
}

impl<'a, E: GpuData, const LEN: usize> SharedPart<'a, [E; LEN]> {
    /// Reads element `index`; zero after a trap when there is none.
    #[inline]
    pub fn load(&self, sink: impl TrapSink, site: &'static Site, index: usize) -> E {
        match self.element(sink, site, index) {
            // SAFETY: within the part, by the invariant of `place`.
            Some(element) => unsafe { element.read() },
            None => E::ZEROED,
        }
    }

    /// Writes element `index`; nothing after a trap when there is none.
    #[inline]
    pub fn store(&self, sink: impl TrapSink, site: &'static Site, new: E, index: usize) {
        if let Some(element) = self.element(sink, site, index) {
            // SAFETY: within the part, by the invariant of `place`.
            unsafe { element.write(new) };
        }
    }

    /// The element `index`, which is an array; nowhere after a trap when there is none.
    #[inline]
    pub fn inner(&self, sink: impl TrapSink, site: &'static Site, index: usize) -> SharedPart<'a, E> {
        // SAFETY: an element of this part, of which all that holds.
        unsafe { SharedPart::new(self.element(sink, site, index)) }
    }

    /// The place of element `index`; `None` of what is nowhere, and after a trap when there is none.
    #[inline]
    fn element(&self, sink: impl TrapSink, site: &'static Site, index: usize) -> Option<NonNull<E>> {
        let place = self.place?;
        if index < LEN {
            // SAFETY: one of the elements of the array.
            return Some(unsafe { place.cast::<E>().add(index) });
        }
        sink.trap(site, [index as u32, LEN as u32]);
        None
    }

    /// All elements; none of what is nowhere.
    #[inline]
    pub fn elements(&self) -> SliceMut<'a, E> {
        // Alive for `'a` and aligned; one thread alone accesses them, and an access is over before anything else is.
        match self.place {
            Some(place) => SliceMut(Slice { data: place.as_ptr().cast_const().cast(), len: LEN, marker: PhantomData }),
            None => SliceMut::none(),
        }
    }
}
