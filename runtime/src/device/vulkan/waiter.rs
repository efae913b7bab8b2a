//! Wakes tasks when submissions are complete: one thread per device, which the first task starts.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use ash::vk;

use super::device::VulkanDevice;
use crate::core::error::Result;
use crate::core::sync::schedule::{MAX_QUEUES, Marks, Ticket};
use crate::core::sync::tasks::{Tasks, wake_all};

/// The thread that waits for the device where tasks cannot. Dropping it ends the thread.
pub(crate) struct Waiter {
    watch: Arc<Watch>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Watch {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    tasks: Tasks,
    /// The submissions of which the thread waits for one now, by queue; zero where for none.
    waiting_for: Option<Marks>,
    /// How often the bell was rung: a timeline semaphore of our own that ends a wait for the device.
    rung: u64,
    bell: vk::Semaphore,
    is_closed: bool,
}

impl Watch {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Lets the thread look again.
    fn ring(&mut self, device: &VulkanDevice) {
        self.rung += 1;
        if let Err(error) = device.signal(self.bell, self.rung) {
            tracing::debug!(%error, "ringing for the waiter");
        }
    }
}

impl Waiter {
    pub(crate) fn new() -> Self {
        Self { watch: Arc::default(), thread: Mutex::new(None) }
    }

    /// Wakes `waker` once the submission is complete, or nothing more can be said about it.
    pub(crate) fn watch(&self, device: &Arc<VulkanDevice>, key: u64, ticket: Ticket, waker: &Waker) {
        if let Err(error) = self.start(device) {
            tracing::warn!(%error, "no thread waits for the device; tasks ask again and again");
            waker.wake_by_ref();
            return;
        }
        let mut state = self.watch.lock();
        let left = state.tasks.set(key, ticket, waker.clone());
        match state.waiting_for {
            Some(marks) if (1..=ticket.number).contains(&marks[ticket.queue]) => {}
            Some(_) => state.ring(device),
            None => self.watch.changed.notify_one(),
        }
        drop(state);
        drop(left);
    }

    /// Forgets a task.
    pub(crate) fn forget(&self, key: u64) {
        let left = self.watch.lock().tasks.remove(key);
        drop(left);
    }

    fn start(&self, device: &Arc<VulkanDevice>) -> Result<(), String> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_some() {
            return Ok(());
        }
        let bell = device.create_timeline().map_err(|error| error.to_string())?;
        self.watch.lock().bell = bell;
        let (watch, device) = (self.watch.clone(), device.clone());
        let freed = device.clone();
        let started = thread::Builder::new().name("gridwise-waiter".to_owned()).spawn(move || {
            run(&watch, &device);
            // SAFETY: only this thread waits for it, and who rings it does so under the lock before it is closed.
            unsafe { device.raw.destroy_semaphore(bell, None) };
        });
        match started {
            Ok(started) => {
                *thread = Some(started);
                Ok(())
            }
            Err(error) => {
                // SAFETY: nobody knows it.
                unsafe { freed.raw.destroy_semaphore(bell, None) };
                Err(error.to_string())
            }
        }
    }

    /// Ends the thread; the device it waits for is `device`.
    pub(crate) fn close(&mut self, device: &VulkanDevice) {
        let Some(thread) = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take() else { return };
        {
            let mut state = self.watch.lock();
            state.is_closed = true;
            state.ring(device);
        }
        self.watch.changed.notify_one();
        // A waker may have dropped the last that needs the thread, on this very thread: it ends when it comes back.
        if thread.thread().id() != thread::current().id() && thread.join().is_err() {
            tracing::error!("the waiter panicked");
        }
    }
}

/// The main loop of the thread.
fn run(watch: &Watch, device: &VulkanDevice) {
    let mut state = watch.lock();
    while !state.is_closed {
        let first = state.tasks.first();
        if first == Marks::default() {
            state = watch.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        state.waiting_for = Some(first);
        let bell = (state.bell, state.rung + 1);
        drop(state);
        let completed = device.wait_or_bell(&first, bell);
        state = watch.lock();
        state.waiting_for = None;
        // Where the device fails, everybody has to see that.
        let ready = state.tasks.take_ready(completed.as_ref().unwrap_or(&[u64::MAX; MAX_QUEUES]));
        drop(state);
        wake_all(ready);
        if completed.is_err() {
            // An error that is not a lost device may pass: tasks ask again, but not all the time.
            thread::sleep(Duration::from_millis(1));
        }
        state = watch.lock();
    }
}
