//! The parts of a slice that all have one size, and the elements that are left over.

/// The iterator that `chunks_exact` and `rchunks_exact` give.
#[derive(Debug, Clone)]
pub struct Exact<I, S> {
    parts: I,
    rest: S,
}

impl<I, S> Exact<I, S> {
    pub(super) const fn new(parts: I, rest: S) -> Self {
        Self { parts, rest }
    }
}

impl<I, S: Copy> Exact<I, S> {
    /// The elements that fill no part.
    #[inline]
    pub const fn remainder(&self) -> S {
        self.rest
    }
}

impl<I: Iterator, S> Iterator for Exact<I, S> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        self.parts.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.parts.size_hint()
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<I::Item> {
        self.parts.nth(n)
    }

    #[inline]
    fn fold<B, F: FnMut(B, I::Item) -> B>(self, start: B, step: F) -> B {
        self.parts.fold(start, step)
    }
}

impl<I: DoubleEndedIterator, S> DoubleEndedIterator for Exact<I, S> {
    #[inline]
    fn next_back(&mut self) -> Option<I::Item> {
        self.parts.next_back()
    }

    #[inline]
    fn nth_back(&mut self, n: usize) -> Option<I::Item> {
        self.parts.nth_back(n)
    }

    #[inline]
    fn rfold<B, F: FnMut(B, I::Item) -> B>(self, start: B, step: F) -> B {
        self.parts.rfold(start, step)
    }
}

impl<I: ExactSizeIterator, S> ExactSizeIterator for Exact<I, S> {}
