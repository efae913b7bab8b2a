//! Typed ids and the arenas they index; nothing here knows what is stored.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An index into an [`Arena`] of its own kind; made by [`entity_id!`](crate::entity_id).
pub trait EntityId: Copy + Eq + Ord + fmt::Debug + fmt::Display + 'static {
    /// The id of position `index`.
    ///
    /// # Panics
    /// When `index` does not fit in 32 bits.
    fn new(index: usize) -> Self;
    /// The position this id names.
    fn index(self) -> usize;
}

/// Declares an id type whose `Display` is the text format's spelling, such as `%3` or `block1`.
#[macro_export]
macro_rules! entity_id {
    ($(#[$meta:meta])* $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $crate::arena::EntityId for $name {
            fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("fewer than 2^32 entities"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(self, f)
            }
        }
    };
}

/// A growing list whose elements are named by ids of one type; elements are never removed.
#[derive(Clone, PartialEq, Eq)]
pub struct Arena<I, T> {
    items: Vec<T>,
    id: PhantomData<fn() -> I>,
}

impl<I: EntityId, T> Arena<I, T> {
    /// An empty arena.
    pub const fn new() -> Self {
        Self { items: Vec::new(), id: PhantomData }
    }

    /// Makes room for so many more.
    pub fn reserve(&mut self, additional: usize) {
        self.items.reserve(additional);
    }

    /// Appends `item` and returns its id.
    pub fn push(&mut self, item: T) -> I {
        let id = I::new(self.items.len());
        self.items.push(item);
        id
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether `id` names an item of this arena.
    pub fn contains(&self, id: I) -> bool {
        id.index() < self.items.len()
    }

    /// The item named by `id`, or `None` when it belongs to another arena.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// All ids, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::new)
    }

    /// All items with their ids, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(i, t)| (I::new(i), t))
    }

    /// All items, in order, to change.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut T> {
        self.items.iter_mut()
    }
}

impl<I: EntityId, T> Default for Arena<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: EntityId, T: fmt::Debug> fmt::Debug for Arena<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<I: EntityId, T> Index<I> for Arena<I, T> {
    type Output = T;
    #[track_caller]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: EntityId, T> IndexMut<I> for Arena<I, T> {
    #[track_caller]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

/// A value for every id of an arena that lives elsewhere; ids never written read as `T::default()`.
#[derive(Clone, Debug)]
pub struct SecondaryMap<I, T> {
    items: Vec<T>,
    default: T,
    id: PhantomData<fn() -> I>,
}

impl<I: EntityId, T: Clone + Default> SecondaryMap<I, T> {
    /// A map in which every id reads as `T::default()`.
    pub fn new() -> Self {
        Self { items: Vec::new(), default: T::default(), id: PhantomData }
    }

    /// The same, with room for all that the arena holds now.
    pub fn of<U>(arena: &Arena<I, U>) -> Self {
        Self { items: vec![T::default(); arena.len()], default: T::default(), id: PhantomData }
    }
}

impl<I: EntityId, T: Clone + Default> Default for SecondaryMap<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: EntityId, T> Index<I> for SecondaryMap<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        self.items.get(id.index()).unwrap_or(&self.default)
    }
}

impl<I: EntityId, T: Clone + Default> IndexMut<I> for SecondaryMap<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        if id.index() >= self.items.len() {
            self.items.resize(id.index() + 1, T::default());
        }
        &mut self.items[id.index()]
    }
}
