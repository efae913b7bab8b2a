//! Host copies of buffers' contents, for the day the device is lost. A copy is valid as long as no submission writes
//! the buffer.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::core::sync::schedule::{Marks, Ticket, Uses};

/// The contents of a buffer as the host knows them.
#[derive(Debug, Clone)]
pub(crate) enum Contents {
    /// Nobody cares.
    Anything,
    Zeros,
    Bytes(Vec<u8>),
    /// Of an image, by level.
    Levels(Vec<Level>),
}

/// The texels of a level of an image as the host knows them.
#[derive(Debug, Clone)]
pub(crate) enum Level {
    Unknown,
    Zeros,
    Bytes(Vec<u8>),
}

/// The contents, and after which writes of the device the buffer had them.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    state: Mutex<Option<(Contents, Marks)>>,
}

impl Kept {
    fn lock(&self) -> MutexGuard<'_, Option<(Contents, Marks)>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the contents that a buffer has after these writes.
    pub(crate) fn set(&self, contents: Contents, after: Marks) {
        *self.lock() = Some((contents, after));
    }

    /// Notes that the contents are not known.
    pub(crate) fn forget(&self) {
        *self.lock() = None;
    }

    /// Notes the contents that the host saw or wrote in place, if nobody wrote the buffer meanwhile.
    pub(crate) fn set_in_place(&self, uses: &Uses, before: Marks, contents: Contents) {
        if uses.written() == before {
            self.set(contents, before);
        }
    }

    /// Notes the contents that a submission brought.
    pub(crate) fn set_by(&self, ticket: Ticket, contents: Contents) {
        self.set(contents, marks_of(ticket));
    }

    /// Notes the texels that a level, one of `count`, has after these writes. The copies of other levels stay valid if
    /// the image had the marks `before`.
    pub(crate) fn set_level(&self, (level, count): (u32, u32), bytes: Vec<u8>, before: Marks, after: Marks) {
        let mut state = self.lock();
        let mut levels = match state.take() {
            Some((Contents::Levels(levels), known)) if known == before => levels,
            Some((Contents::Zeros, known)) if known == before => vec![Level::Zeros; count as usize],
            _ => vec![Level::Unknown; count as usize],
        };
        if let Some(found) = levels.get_mut(level as usize) {
            *found = Level::Bytes(bytes);
        }
        *state = Some((Contents::Levels(levels), after));
    }

    /// The contents, if they are known.
    pub(crate) fn get(&self, uses: &Uses) -> Option<Contents> {
        let kept = self.lock();
        let (contents, after) = kept.as_ref()?;
        (*after == uses.written()).then(|| contents.clone())
    }
}

/// The marks of a buffer that a submission wrote last.
pub(crate) fn marks_of(ticket: Ticket) -> Marks {
    let mut marks = Marks::default();
    marks[ticket.queue] = ticket.number;
    marks
}
