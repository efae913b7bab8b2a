//! Short lists: a few members without an allocation, in the size of a `Vec`. A list of our own, because instructions are made of them
//! and the macro runs without optimisations in a dev build, where each layer of a library costs time.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

/// A list that most often has few members.
///
/// ```
/// # use gridwise_ir::few::Few;
/// let mut list: Few<i32> = Few::from([1, 2]);
/// list.push(3);
/// list.push(4);
/// assert_eq!(list[..], [1, 2, 3, 4]);
/// ```
#[derive(Clone)]
pub struct Few<T, const N: usize = MOST>(List<T, N>);

#[derive(Clone)]
#[expect(
    clippy::box_collection,
    reason = "telling which of these a list is takes no more than a look at a small number"
)]
enum List<T, const N: usize> {
    /// The first so many; what is behind them means nothing.
    Few(u32, [T; N]),
    Many(Box<Vec<T>>),
}

/// The most members that need no allocation.
const MOST: usize = 3;

impl<T: Copy + Default + Ord, const N: usize> PartialOrd for Few<T, N> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Copy + Default + Ord, const N: usize> Ord for Few<T, N> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self[..].cmp(&other[..])
    }
}

impl<T: Copy + Default, const N: usize> Few<T, N> {
    /// An empty list.
    pub fn new() -> Self {
        Self(List::Few(0, [T::default(); N]))
    }

    /// Appends a member.
    pub fn push(&mut self, member: T) {
        match &mut self.0 {
            List::Few(len, few) => match few.get_mut(*len as usize) {
                Some(free) => {
                    *free = member;
                    *len += 1;
                }
                None => {
                    let mut many = Vec::with_capacity(2 * N + 2);
                    many.extend_from_slice(few);
                    many.push(member);
                    self.0 = List::Many(Box::new(many));
                }
            },
            List::Many(many) => many.push(member),
        }
    }

    /// Takes the last member.
    pub fn pop(&mut self) -> Option<T> {
        let last = self.last().copied()?;
        match &mut self.0 {
            List::Many(many) => drop(many.pop()),
            List::Few(len, _) => *len -= 1,
        }
        Some(last)
    }

    /// Keeps the members for which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        let mut kept = 0;
        for at in 0..self.len() {
            if keep(&self[at]) {
                self[kept] = self[at];
                kept += 1;
            }
        }
        match &mut self.0 {
            List::Many(many) => many.truncate(kept),
            List::Few(len, _) => *len = kept as u32,
        }
    }
}

impl<T, const N: usize> Deref for Few<T, N> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            List::Few(len, few) => &few[..*len as usize],
            List::Many(many) => many,
        }
    }
}

impl<T, const N: usize> DerefMut for Few<T, N> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            List::Few(len, few) => &mut few[..*len as usize],
            List::Many(many) => many,
        }
    }
}

impl<T: Copy + Default, const N: usize> Default for Few<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for Few<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: PartialEq, const N: usize> PartialEq for Few<T, N> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq, const N: usize> Eq for Few<T, N> {}

impl<T: Hash, const N: usize> Hash for Few<T, N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: Copy + Default, const N: usize> Extend<T> for Few<T, N> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, members: I) {
        members.into_iter().for_each(|member| self.push(member));
    }
}

impl<'a, T: Copy + Default + 'a, const N: usize> Extend<&'a T> for Few<T, N> {
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, members: I) {
        self.extend(members.into_iter().copied());
    }
}

impl<T: Copy + Default, const N: usize> FromIterator<T> for Few<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(members: I) -> Self {
        let mut list = Self::new();
        list.extend(members);
        list
    }
}

impl<T: Copy + Default, const N: usize> From<&[T]> for Few<T, N> {
    fn from(members: &[T]) -> Self {
        if members.len() > N { Self(List::Many(Box::new(members.to_vec()))) } else { members.iter().copied().collect() }
    }
}

impl<T: Copy + Default, const N: usize> From<Vec<T>> for Few<T, N> {
    fn from(members: Vec<T>) -> Self {
        if members.len() > N { Self(List::Many(Box::new(members))) } else { Self::from(&members[..]) }
    }
}

impl<T: Copy + Default, const M: usize, const N: usize> From<[T; M]> for Few<T, N> {
    fn from(members: [T; M]) -> Self {
        Self::from(&members[..])
    }
}

impl<T: Copy + Default, const N: usize> IntoIterator for Few<T, N> {
    type Item = T;
    type IntoIter = Members<T, N>;

    fn into_iter(self) -> Members<T, N> {
        Members { list: self, next: 0 }
    }
}

impl<'a, T, const N: usize> IntoIterator for &'a Few<T, N> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T, const N: usize> IntoIterator for &'a mut Few<T, N> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

/// Iterator over a [`Few`] that is used up.
#[derive(Debug, Clone)]
pub struct Members<T, const N: usize> {
    list: Few<T, N>,
    next: usize,
}

impl<T: Copy + Default, const N: usize> Iterator for Members<T, N> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let member = self.list.get(self.next).copied();
        self.next += 1;
        member
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_does_what_a_vec_does() {
        for len in 0..9u32 {
            let all: Vec<u32> = (0..len).collect();
            let mut few: Few<u32> = all.iter().copied().collect();
            assert_eq!(few[..], all[..]);
            assert_eq!(few, Few::from(all.clone()));
            assert_eq!(few.clone().into_iter().collect::<Vec<_>>(), all);
            few.extend(&all);
            assert_eq!(few[..], [&all[..], &all].concat());
            few.retain(|member| member % 2 == 0);
            let mut twice = [&all[..], &all].concat();
            twice.retain(|member| member % 2 == 0);
            assert_eq!(few[..], twice[..]);
            few.push(7);
            assert_eq!(few.pop(), Some(7));
            assert_eq!(few[..], twice[..]);
            few.push(7);
            assert_eq!(few.last(), Some(&7));
            few.retain(|_| false);
            assert!(few.is_empty());
        }
    }

    #[test]
    fn it_is_as_small_as_a_vec() {
        assert_eq!(size_of::<Few<u32>>(), size_of::<Vec<u32>>());
    }
}
