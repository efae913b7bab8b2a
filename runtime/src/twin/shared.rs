//! The host form of workgroup memory: variables that the invocations of one workgroup hold together, on one thread.

use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell, UnsafeCell};
use std::marker::PhantomData;
use std::ptr::NonNull;

use gridwise_ir::descriptor::Site;

use super::atomic::AtomicPlace;
use super::launch::TrapSink;
use super::part::SharedPart;
use super::slice::{Slice, SliceMut};
use crate::memory::data::{GpuData, Value};
use crate::parallel::{Atomic, AtomicValue};

/// A variable with its type.
type Typed = (TypeId, Box<dyn Any>);

/// The shared variables of one workgroup, by the number the macro gave them; each is made when first asked for.
#[derive(Debug, Default)]
pub(super) struct SharedMemory {
    variables: RefCell<Vec<Option<Typed>>>,
}

impl SharedMemory {
    /// Variable `index`, of zeros at first.
    ///
    /// # Panics
    /// When the variable was made with another type: a bug of the macro.
    #[inline]
    pub(super) fn variable<T: GpuData>(&self, index: usize) -> SharedRef<'_, T> {
        let mut variables = self.variables.borrow_mut();
        let variable = match variables.get(index) {
            Some(Some((ty, variable))) if *ty == TypeId::of::<Variable<T>>() => &**variable,
            _ => Self::made::<T>(&mut variables, index),
        };
        // SAFETY: it is of this type, as its id says.
        SharedRef { variable: NonNull::from(variable).cast(), marker: PhantomData }
    }

    #[cold]
    fn made<T: GpuData>(variables: &mut Vec<Option<Typed>>, index: usize) -> &dyn Any {
        if variables.len() <= index {
            variables.resize_with(index + 1, || None);
        }
        let ty = TypeId::of::<Variable<T>>();
        let (made, variable) = variables[index].get_or_insert_with(|| (ty, zeroed::<T>()));
        assert_eq!(*made, ty, "a shared variable has one type");
        &**variable
    }
}

/// A variable in place. Zeros are a valid one.
#[derive(Debug)]
#[repr(C)]
struct Variable<T> {
    /// Whether an access is under way: an access within an access would be a bug of the macro.
    is_borrowed: Cell<bool>,
    value: UnsafeCell<T>,
}

impl<T> Variable<T> {
    #[inline]
    fn with<R>(&self, access: impl FnOnce(&mut T) -> R) -> R {
        assert!(!self.is_borrowed.replace(true), "an access to shared memory lies within another");
        // SAFETY: no other reference exists: the flag was clear, and it is set while this one lives. Should `access`
        // panic, it stays set and refuses all others.
        let result = access(unsafe { &mut *self.value.get() });
        self.is_borrowed.set(false);
        result
    }
}

/// A variable of zeros, made in place: it may be larger than a fiber's stack.
fn zeroed<T: GpuData>() -> Box<dyn Any> {
    let layout = Layout::new::<Variable<T>>();
    // SAFETY: the layout is not empty, since there is a flag.
    let Some(memory) = NonNull::new(unsafe { alloc_zeroed(layout) }) else { handle_alloc_error(layout) };
    // SAFETY: the memory has the layout of a `Variable<T>` and came from the allocator of boxes. Zeros are a clear flag
    // and, as any bits are, a `T`.
    unsafe { Box::from_raw(memory.cast::<Variable<T>>().as_ptr()) }
}

/// A shared variable, as an invocation holds it.
///
/// Every access copies values in or out; it is over before the next invocation runs.
#[derive(Debug)]
pub struct SharedRef<'a, T> {
    /// Invariant: points to a variable that lives for `'a`, and never moves: it is in a box.
    variable: NonNull<Variable<T>>,
    marker: PhantomData<&'a Variable<T>>,
}

impl<T> Clone for SharedRef<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SharedRef<'_, T> {}

impl<'a, T: GpuData> SharedRef<'a, T> {
    #[inline]
    fn variable(&self) -> &'a Variable<T> {
        // SAFETY: by the invariant of `variable`.
        unsafe { self.variable.as_ref() }
    }

    /// Reads the part that `part` selects; zero when it selects none.
    #[inline]
    pub fn get<F: Value + Copy>(&self, part: impl FnOnce(&T) -> Option<&F>) -> F {
        self.variable().with(|value| part(value).copied().unwrap_or(F::ZEROED))
    }

    /// Writes the part that `part` selects; nothing when it selects none.
    #[inline]
    pub fn set<F: Value + Copy>(&self, part: impl FnOnce(&mut T) -> Option<&mut F>, new: F) {
        self.variable().with(|value| {
            if let Some(place) = part(value) {
                *place = new;
            }
        });
    }

    /// A reference to the part that `part` selects; to nowhere when it selects none.
    #[inline]
    pub fn part<F: Value + Copy>(&self, part: impl FnOnce(&mut T) -> Option<&mut F>) -> SharedPart<'a, F> {
        let place = self.variable().with(|value| part(value).map(NonNull::from));
        // SAFETY: the part lives as long as the variable. This thread alone accesses it, and an access is over before
        // anything else is.
        unsafe { SharedPart::new(place) }
    }

    /// The part that `part` selects, for atomic operations.
    #[inline]
    pub fn atomic<V: AtomicValue>(&self, part: impl FnOnce(&mut T) -> Option<&mut Atomic<V>>) -> AtomicPlace<'a, V> {
        let place = self.variable().with(|value| part(value).map(|place| NonNull::from(place).cast::<V>()));
        // SAFETY: the part lives as long as the variable. This thread alone accesses it, and an operation is over before
        // anything else is.
        unsafe { AtomicPlace::new(place) }
    }
}

impl<'a, T: GpuData, const LEN: usize> SharedRef<'a, [T; LEN]> {
    /// Reads element `index`; zero after a trap when there is none.
    #[inline]
    pub fn load(&self, sink: impl TrapSink, site: &'static Site, index: usize) -> T {
        self.whole().load(sink, site, index)
    }

    /// Writes element `index`; nothing after a trap when there is none. The value comes first, as Rust evaluates it.
    #[inline]
    pub fn store(&self, sink: impl TrapSink, site: &'static Site, new: T, index: usize) {
        self.whole().store(sink, site, new, index);
    }

    /// The element `index`, which is an array; nowhere after a trap when there is none.
    #[inline]
    pub fn inner(&self, sink: impl TrapSink, site: &'static Site, index: usize) -> SharedPart<'a, T> {
        self.whole().inner(sink, site, index)
    }

    /// All of it.
    #[inline]
    fn whole(&self) -> SharedPart<'a, [T; LEN]> {
        let variable = self.variable();
        assert!(!variable.is_borrowed.get(), "an access to shared memory lies within another");
        // SAFETY: it lives for `'a`. This thread alone accesses it; none of its accesses is under way, and those of the part are over
        // before anything else is.
        unsafe { SharedPart::new(NonNull::new(variable.value.get())) }
    }

    /// All elements.
    #[inline]
    pub fn elements(&self) -> SliceMut<'a, T> {
        let data = self.variable().with(|value| value.as_mut_ptr().cast_const().cast());
        // Alive for `'a` and aligned; this thread alone accesses them, and an access is over before anything else is.
        SliceMut(Slice { data, len: LEN, marker: PhantomData })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_with_zeros_and_is_one_per_number() {
        let memory = SharedMemory::default();
        let large = memory.variable::<[[f32; 64]; 1024]>(1);
        assert_eq!(large.get(|all| all[1023].get(63)), 0.0);
        large.set(|all| all.get_mut(5), [2.0; 64]);
        assert_eq!(memory.variable::<[[f32; 64]; 1024]>(1).get(|all| all[5].get(7)), 2.0);
        assert_eq!(memory.variable::<u32>(0).get(|value| Some(value)), 0);
        assert_eq!(memory.variable::<[u32; 2]>(2).get(|all| all.get(2)), 0);
    }
}
