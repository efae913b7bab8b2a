//! Caches of the floors above a device, each value found by its type. The device knows none of these types.

use std::any::Any;
use std::fmt;
use std::sync::OnceLock;

/// Values of different types, each made when it is first asked for. Asking takes no lock.
#[derive(Default)]
pub(crate) struct Caches {
    value: OnceLock<Box<dyn Any + Send + Sync>>,
    others: OnceLock<Box<Caches>>,
}

impl Caches {
    /// The value of a type.
    pub(crate) fn get<T: Any + Default + Send + Sync>(&self) -> &T {
        let mut caches = self;
        loop {
            let value = caches.value.get_or_init(|| Box::new(T::default()));
            match value.downcast_ref() {
                Some(value) => return value,
                None => caches = caches.others.get_or_init(Box::default),
            }
        }
    }
}

impl fmt::Debug for Caches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caches").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

    use super::*;

    #[test]
    fn each_type_has_one_value() {
        let caches = Caches::default();
        caches.get::<AtomicU32>().store(1, Relaxed);
        caches.get::<AtomicU64>().store(2, Relaxed);
        assert_eq!((caches.get::<AtomicU32>().load(Relaxed), caches.get::<AtomicU64>().load(Relaxed)), (1, 2));
    }
}
