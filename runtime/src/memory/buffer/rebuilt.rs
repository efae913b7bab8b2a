//! Tensors that were rebuilt: the buffer that recordings name, and the one that has taken its place. It must not change a recording.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::{Buffer, Memory};
use crate::core::error::{Error, Result};

/// The buffers that one tensor has had, of which the last is the tensor's. Made when a tensor is rebuilt first.
#[derive(Debug, Default)]
pub(super) struct Lineage {
    current: Mutex<Weak<Buffer>>,
}

impl Lineage {
    fn current(&self) -> Weak<Buffer> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Buffer {
    /// Takes the place of the buffer that a tensor had before. A part of a tensor has no place of its own.
    pub(crate) fn replace(self: &Arc<Self>, old: &Self) {
        if matches!(old.memory, Memory::Seen(..)) {
            return;
        }
        let lineage = old.lineage.get_or_init(Arc::default).clone();
        *lineage.current.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(self);
        // A new buffer has none.
        let _ = self.lineage.set(lineage);
    }

    /// The buffer with the memory that this one shows.
    fn owner(&self) -> &Self {
        match &self.memory {
            Memory::Seen(whole, _) => whole,
            Memory::Vulkan(_) | Memory::Image(_) | Memory::Host(_) => self,
        }
    }

    /// Whether the tensor has other memory by now.
    pub(crate) fn is_replaced(&self) -> bool {
        let owner = self.owner();
        owner.lineage.get().is_some_and(|lineage| !std::ptr::eq(lineage.current().as_ptr(), owner))
    }

    /// The same elements in the memory that the tensor has by now; `None` where that is this one.
    ///
    /// # Errors
    /// When the tensor has another length, or was dropped after it was rebuilt.
    pub(crate) fn current(self: &Arc<Self>) -> Result<Option<Arc<Self>>> {
        if !self.is_replaced() {
            return Ok(None);
        }
        let owner = self.owner();
        let current = owner.lineage.get().and_then(|lineage| lineage.current().upgrade());
        let error = |now: Option<&Arc<Self>>| Error::TensorRebuilt {
            tensor: (&*self.name).into(),
            recorded: owner.len as usize,
            now: now.map(|current| current.len as usize),
        };
        let Some(current) = current else { return Err(error(None)) };
        if (current.len, current.stride) != (owner.len, owner.stride) {
            return Err(error(Some(&current)));
        }
        Ok(Some(match &self.memory {
            Memory::Seen(_, start) => Arc::new(current.seen(*start, self.len, self.stride)),
            Memory::Vulkan(_) | Memory::Image(_) | Memory::Host(_) => current,
        }))
    }
}
