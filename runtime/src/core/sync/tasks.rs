//! Tasks that want to be woken when submissions are complete. It must not wait for anything itself.

use std::task::Waker;

use super::schedule::{Marks, Ticket};

/// Wakers, each with the submission it waits for.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    waiting: Vec<Task>,
}

#[derive(Debug)]
struct Task {
    /// The key of the task whose waker it is; each has one.
    key: u64,
    ticket: Ticket,
    waker: Waker,
}

impl Tasks {
    /// Notes that `key` is to be woken when the submission is complete, in place of what it wanted before; gives what it left
    /// behind, to be dropped outside of locks.
    pub(crate) fn set(&mut self, key: u64, ticket: Ticket, waker: Waker) -> Option<Waker> {
        match self.waiting.iter_mut().find(|task| task.key == key) {
            Some(task) => {
                task.ticket = ticket;
                Some(std::mem::replace(&mut task.waker, waker))
            }
            None => {
                self.waiting.push(Task { key, ticket, waker });
                None
            }
        }
    }

    /// Forgets `key`; gives what it left behind.
    pub(crate) fn remove(&mut self, key: u64) -> Option<Waker> {
        let position = self.waiting.iter().position(|task| task.key == key)?;
        Some(self.waiting.swap_remove(position).waker)
    }

    /// By queue, the first submission that somebody waits for; zero where nobody does.
    pub(crate) fn first(&self) -> Marks {
        let mut first = Marks::default();
        for Task { ticket, .. } in &self.waiting {
            let first = &mut first[ticket.queue];
            *first = if *first == 0 { ticket.number } else { ticket.number.min(*first) };
        }
        first
    }

    /// Takes out who waits for submissions up to these.
    pub(crate) fn take_ready(&mut self, completed: &Marks) -> Vec<Waker> {
        let is_ready = |task: &mut Task| task.ticket.number <= completed[task.ticket.queue];
        self.waiting.extract_if(.., is_ready).map(|task| task.waker).collect()
    }
}

/// Wakes tasks; what their wakers do is not ours to fail by.
pub(crate) fn wake_all(wakers: Vec<Waker>) {
    for waker in wakers {
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| waker.wake())).is_err() {
            tracing::error!("a waker panicked");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Relaxed);
        }
    }

    #[test]
    fn each_is_woken_once_when_its_turn_comes() {
        let count = Arc::new(Count::default());
        let waker = || Waker::from(count.clone());
        let ticket = |queue, number| Ticket { queue, number };
        let marks = |first, second| Marks::from([first, second, 0, 0, 0, 0, 0, 0]);
        let mut tasks = Tasks::default();
        tasks.set(1, ticket(0, 5), waker());
        tasks.set(2, ticket(0, 3), waker());
        tasks.set(3, ticket(1, 9), waker());
        assert!(tasks.set(1, ticket(0, 6), waker()).is_some(), "replaced");
        assert_eq!(tasks.first(), marks(3, 9));
        wake_all(tasks.take_ready(&marks(5, 8)));
        assert_eq!((count.0.load(Relaxed), tasks.first()), (1, marks(6, 9)));
        assert!(tasks.remove(1).is_some() && tasks.remove(1).is_none());
        wake_all(tasks.take_ready(&[u64::MAX; 8]));
        assert_eq!((count.0.load(Relaxed), tasks.first()), (2, marks(0, 0)));
    }

    #[test]
    fn a_waker_that_panics_harms_nobody() {
        struct Bad;
        impl Wake for Bad {
            fn wake(self: Arc<Self>) {
                std::panic::resume_unwind(Box::new("bad"));
            }
        }
        let count = Arc::new(Count::default());
        wake_all(vec![Waker::from(Arc::new(Bad)), Waker::from(count.clone())]);
        assert_eq!(count.0.load(Relaxed), 1);
    }
}
