//! References to values that an iterator gives, for functions that take an iterator over references: in twins, elements are values.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Keeps the values that an iterator gave for as long as the call lasts that it is passed to.
#[derive(Debug)]
pub struct Lending<T> {
    /// Each of them came from a box, which only `drop` frees.
    kept: RefCell<Vec<NonNull<T>>>,
    owns: PhantomData<T>,
}

impl<T> Lending<T> {
    /// Without values.
    #[expect(clippy::new_without_default, reason = "generated code calls it, and nobody else")]
    pub fn new() -> Self {
        Self { kept: RefCell::default(), owns: PhantomData }
    }

    /// An iterator over references to the values of another one, which are asked for as late as before.
    pub fn lend<I: IntoIterator<Item = T>>(&self, iterator: I) -> Lent<'_, I::IntoIter, T> {
        Lent { iterator: iterator.into_iter(), lending: self }
    }

    fn keep(&self, value: T) -> &T {
        let value = NonNull::from(Box::leak(Box::new(value)));
        self.kept.borrow_mut().push(value);
        // SAFETY: the box is freed when `self` is dropped, which the result borrows, and nobody has a `&mut` to it before.
        unsafe { value.as_ref() }
    }
}

impl<T> Drop for Lending<T> {
    fn drop(&mut self) {
        for value in self.kept.get_mut().drain(..) {
            // SAFETY: the pointer came from `Box::leak`, stands in the list once, and no reference to the value outlives `self`.
            drop(unsafe { Box::from_raw(value.as_ptr()) });
        }
    }
}

/// The iterator of [`Lending::lend`].
#[derive(Debug, Clone)]
pub struct Lent<'a, I, T> {
    iterator: I,
    lending: &'a Lending<T>,
}

impl<'a, I: Iterator<Item = T>, T> Iterator for Lent<'a, I, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        let lending = self.lending;
        self.iterator.next().map(|value| lending.keep(value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.iterator.size_hint()
    }
}

impl<I: DoubleEndedIterator<Item = T>, T> DoubleEndedIterator for Lent<'_, I, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let lending = self.lending;
        self.iterator.next_back().map(|value| lending.keep(value))
    }
}

impl<I: ExactSizeIterator<Item = T>, T> ExactSizeIterator for Lent<'_, I, T> {}
