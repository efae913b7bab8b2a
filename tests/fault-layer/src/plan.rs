//! The plan of the layer: the calls that are to fail, and the counts of calls. No Vulkan calls.

use std::sync::{Mutex, PoisonError};

use ash::vk;

use crate::calls::{CALLS, Call, KINDS, Kind};

/// The calls that are to fail, and those that were made.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// Of each function, since the last reset.
    pub(crate) calls: Vec<u32>,
    /// Of each type, since the library was opened.
    pub(crate) live: [i64; KINDS],
    armed: Option<Armed>,
    pub(crate) has_fired: bool,
    /// Submissions until one vanishes; zero for none.
    pub(crate) swallow: u32,
    pub(crate) times_out: bool,
    /// Whether devices are said to share semaphores.
    pub(crate) lends: bool,
    pub(crate) hidden: Vec<String>,
    pub(crate) limits: Vec<(String, u64)>,
    /// The words of shader modules, since the last reset.
    pub(crate) modules: Vec<Vec<u32>>,
    /// Dispatch keys of devices that are lost.
    lost: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Armed {
    call: usize,
    /// Calls until it fails, this one included.
    remaining: u32,
    code: i32,
}

/// The verdict on a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Pass,
    /// Answer this.
    Answer(vk::Result),
    /// Let the device come to rest, then answer that it is lost.
    Lose,
}

/// Works on the state.
pub(crate) fn with<R>(work: impl FnOnce(&mut Plan) -> R) -> R {
    static PLAN: Mutex<Option<Plan>> = Mutex::new(None);
    let mut plan = PLAN.lock().unwrap_or_else(PoisonError::into_inner);
    work(plan.get_or_insert_with(|| Plan { calls: vec![0; CALLS.len()], ..Plan::default() }))
}

impl Plan {
    pub(crate) fn reset(&mut self) {
        let (live, lost) = (self.live, std::mem::take(&mut self.lost));
        *self = Self { calls: vec![0; CALLS.len()], live, lost, ..Self::default() };
    }

    pub(crate) fn arm(&mut self, name: &str, nth: u32, code: i32) {
        self.has_fired = false;
        let position = CALLS.iter().position(|call| call.name.to_str() == Ok(name));
        self.armed = position.map(|call| Armed { call, remaining: nth, code });
    }

    /// Counts a call and says what is to be done. `key` tells devices apart. `is_endless`: it waits without a timeout.
    pub(crate) fn judge(&mut self, index: usize, key: usize, is_endless: bool) -> Verdict {
        self.calls[index] += 1;
        let call: &Call = &CALLS[index];
        if call.codes.contains(&vk::Result::ERROR_DEVICE_LOST.as_raw()) && self.lost.contains(&key) {
            return Verdict::Answer(vk::Result::ERROR_DEVICE_LOST);
        }
        if let Some(armed) = self.armed.as_mut().filter(|armed| armed.call == index) {
            armed.remaining = armed.remaining.saturating_sub(1);
            let code = vk::Result::from_raw(armed.code);
            if armed.remaining == 0 {
                self.armed = None;
                // No wait without a timeout may time out.
                if code != vk::Result::TIMEOUT || !is_endless {
                    self.has_fired = true;
                    return self.fail(key, code);
                }
            }
        }
        if call.is_wait && self.times_out && !is_endless {
            return Verdict::Answer(vk::Result::TIMEOUT);
        }
        if call.is_submit && self.swallow > 0 {
            self.swallow -= 1;
            if self.swallow == 0 {
                self.has_fired = true;
                return Verdict::Answer(vk::Result::SUCCESS);
            }
        }
        Verdict::Pass
    }

    /// `key` is zero for what is no device's.
    fn fail(&mut self, key: usize, code: vk::Result) -> Verdict {
        if code != vk::Result::ERROR_DEVICE_LOST || key == 0 {
            return Verdict::Answer(code);
        }
        self.lost.push(key);
        Verdict::Lose
    }

    pub(crate) fn made(&mut self, kind: Kind, count: i64) {
        self.live[kind as usize] += count;
    }

    /// Forgets what was noted about a device.
    pub(crate) fn forget(&mut self, key: usize) {
        self.lost.retain(|lost| *lost != key);
    }
}
