//! The health of a device: whether it still works, and whether its memory may be freed. No Vulkan calls.
//!
//! A lost device stays lost, and so do all objects made on it. A device that completes nothing for
//! `ManagerDesc::hang_timeout` while somebody waits is given up: memory that it may still use is never freed. A single
//! launch that takes longer than the timeout looks like a hang, so there is no timeout by default.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::time::Duration;

use crate::core::error::{Error, Result};

/// The health of a device. It only ever gets worse.
#[derive(Debug)]
pub(crate) struct Health {
    state: AtomicU8,
    /// How long the device may go without completing anything that is waited for.
    pub(crate) patience: Option<Duration>,
}

const WORKS: u8 = 0;
/// It runs nothing any more.
const LOST: u8 = 1;
/// Nobody knows what it still uses.
const HUNG: u8 = 2;

impl Health {
    pub(crate) fn new(patience: Option<Duration>) -> Self {
        Self { state: AtomicU8::new(WORKS), patience }
    }

    pub(crate) fn note_lost(&self) {
        self.state.fetch_max(LOST, Relaxed);
    }

    /// From now on nothing of the device is freed.
    pub(crate) fn abandon(&self) {
        if self.state.fetch_max(HUNG, Relaxed) < HUNG {
            tracing::error!("a device does not come to rest: its memory stays as it is until the program ends");
        }
    }

    /// Whether the device works no more.
    pub(crate) fn is_gone(&self) -> bool {
        self.state.load(Relaxed) != WORKS
    }

    /// Whether objects of the device must be left alone.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.state.load(Relaxed) == HUNG
    }

    /// Refuses operations on a device that works no more.
    pub(crate) fn check(&self, operation: &'static str) -> Result<()> {
        match self.state.load(Relaxed) {
            WORKS => Ok(()),
            LOST => Err(Error::DeviceLost { operation }),
            _ => Err(self.hung(operation)),
        }
    }

    /// The error of a device that does not answer.
    pub(crate) fn hung(&self, operation: &'static str) -> Error {
        Error::DeviceHung { operation, waited: self.patience.unwrap_or_default() }
    }
}
