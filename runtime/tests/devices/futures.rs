//! Evaluations as futures: woken by any thread, under an executor written here, polled anew, dropped at any time.

use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use gridwise_runtime::{Error, Grid, Manager, Result, Sequence, Tensor};

use crate::harness::{On, cases, open};
use crate::kernels::{Mark, Saxpy};

cases! {
    each: a_task_goes_on_when_the_device_is_done, many_tasks_wait_at_once, errors_come_to_the_task,
        times_can_be_awaited, the_last_waker_is_the_one_that_is_woken, dropped_futures_leave_the_run_alone;
    once: a_waker_may_drop_the_manager;
}

/// Parks a thread until it is woken.
#[derive(Default)]
struct Signal {
    is_woken: Mutex<bool>,
    woken: Condvar,
    times: AtomicUsize,
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.times.fetch_add(1, Relaxed);
        *self.is_woken.lock().unwrap() = true;
        self.woken.notify_all();
    }
}

impl Signal {
    /// Waits for a wake; fails the test when none comes.
    fn wait(&self) {
        let woken = self.is_woken.lock().unwrap();
        let (mut woken, time) =
            self.woken.wait_timeout_while(woken, Duration::from_secs(60), |is_woken| !*is_woken).unwrap();
        assert!(!time.timed_out(), "nobody woke the task");
        *woken = false;
    }
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let signal = Arc::new(Signal::default());
    let waker = Waker::from(signal.clone());
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return value;
        }
        signal.wait();
    }
}

/// All futures at once, on one thread.
async fn join<T>(futures: Vec<impl Future<Output = T> + Unpin>) -> Vec<T> {
    let mut futures: Vec<_> = futures.into_iter().map(|future| (future, None)).collect();
    std::future::poll_fn(|cx| {
        for (future, value) in &mut futures {
            if value.is_none()
                && let Poll::Ready(ready) = Pin::new(future).poll(cx)
            {
                *value = Some(ready);
            }
        }
        if futures.iter().all(|(_, value)| value.is_some()) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    futures.into_iter().filter_map(|(_, value)| value).collect()
}

/// A sequence that adds one to all elements of a tensor, many times.
fn long(manager: &Manager) -> (Sequence, Tensor<f32>) {
    let len = 30_000;
    let one = manager.tensor(&vec![1.0f32; len]).unwrap();
    let mut sum = manager.tensor_of_len::<f32>(len).unwrap();
    let sequence = manager.sequence().unwrap();
    for _ in 0..20 {
        Saxpy::dispatch(&sequence, Grid::items(len), 1.0, &one, &mut sum).unwrap();
    }
    (sequence, sum)
}

fn a_task_goes_on_when_the_device_is_done(on: On) {
    on.run(|manager| {
        let (sequence, sum) = long(manager);
        let run = async {
            for _ in 0..5 {
                sequence.eval_async()?.await?;
            }
            sum.to_vec()
        };
        assert_eq!(block_on(run).unwrap()[29_999], 100.0);
    });
}

fn many_tasks_wait_at_once(on: On) {
    on.run(|manager| {
        let work: Vec<_> = (0..6).map(|_| long(manager)).collect();
        let mut running: Vec<_> = work.iter().map(|(sequence, _)| sequence.eval_async().unwrap()).collect();
        // The last submission is asked for first: the thread has to come back for those before it.
        running.reverse();
        assert!(block_on(join(running)).into_iter().all(|run| run.is_ok()));
        assert!(work.iter().all(|(_, sum)| sum.to_vec().unwrap()[5] == 20.0));
        thread::scope(|scope| {
            for (sequence, _) in &work {
                scope.spawn(|| (0..3).for_each(|_| block_on(sequence.eval_async().unwrap()).unwrap()));
            }
        });
        assert!(work.iter().all(|(_, sum)| sum.to_vec().unwrap()[5] == 80.0));
    });
}

fn errors_come_to_the_task(on: On) {
    on.run(|manager| {
        let mut marks = manager.tensor_of_len::<u32>(8).unwrap();
        let sequence = manager.sequence().unwrap();
        Mark::dispatch(&sequence, Grid::items(4), 7, &mut marks).unwrap();
        assert!(matches!(block_on(sequence.eval_async().unwrap()), Err(Error::KernelPanic { count: 3, .. })));
        assert!(matches!(block_on(sequence.eval_profiled_async().unwrap()), Err(Error::KernelPanic { .. })));
        let nothing = manager.sequence().unwrap();
        block_on(nothing.eval_async().unwrap()).unwrap();
        assert!(block_on(nothing.eval_profiled_async().unwrap()).unwrap().ops().is_empty());
    });
}

fn times_can_be_awaited(on: On) {
    on.run(|manager| {
        let (sequence, sum) = long(manager);
        let profile = block_on(sequence.eval_profiled_async().unwrap()).unwrap();
        assert_eq!(profile.ops().len(), 20);
        assert!(profile.device() > Duration::ZERO && profile.device() <= profile.host(), "{profile}");
        let running = sequence.eval_profiled_async().unwrap();
        while !running.wait_timeout(Duration::from_millis(1)).unwrap() {}
        assert_eq!(running.wait().unwrap().ops().len(), 20);
        assert_eq!(sum.to_vec().unwrap()[0], 40.0);
    });
}

fn the_last_waker_is_the_one_that_is_woken(on: On) {
    on.run(|manager| {
        let (sequence, _sum) = long(manager);
        let poll = |running: &mut gridwise_runtime::Evaluation, signal: &Arc<Signal>| {
            Pin::new(running).poll(&mut Context::from_waker(&Waker::from(signal.clone())))
        };
        for _ in 0..20 {
            let mut running = sequence.eval_async().unwrap();
            let [first, second] = [(); 2].map(|()| Arc::new(Signal::default()));
            let mut was_replaced_in_time = false;
            if poll(&mut running, &first).is_pending() && poll(&mut running, &second).is_pending() {
                // A run that ended while the second one was handed over may have woken the first.
                was_replaced_in_time = sequence.is_running();
                second.wait();
                assert!(first.times.load(Relaxed) == 0 || !was_replaced_in_time);
            }
            assert!(matches!(poll(&mut running, &first), Poll::Ready(Ok(()))));
            assert!(matches!(poll(&mut running, &first), Poll::Ready(Ok(()))), "it stays complete");
            if was_replaced_in_time {
                break;
            }
        }
    });
}

fn dropped_futures_leave_the_run_alone(on: On) {
    on.run(|manager| {
        let (sequence, sum) = long(manager);
        let signal = Arc::new(Signal::default());
        let waker = Waker::from(signal.clone());
        let mut running = sequence.eval_async().unwrap();
        let was_pending = Pin::new(&mut running).poll(&mut Context::from_waker(&waker)).is_pending();
        drop(running);
        assert_eq!(sum.to_vec().unwrap()[7], 20.0);
        drop(waker);
        // Forgotten, or already being woken.
        assert!(signal.times.load(Relaxed) <= usize::from(was_pending));
        // Everything goes at once, while it runs.
        let (sequence, sum) = long(manager);
        let mut running = sequence.eval_async().unwrap();
        let _ = Pin::new(&mut running).poll(&mut Context::from_waker(Waker::noop()));
        drop((sum, sequence, running));
    });
}

/// A task that owns everything, and goes with its last waker, on whatever thread that is.
struct Owner(Mutex<Option<Owned>>, Arc<Signal>);

type Owned = (Manager, Pin<Box<dyn Future<Output = Result<()>> + Send>>);

impl Wake for Owner {
    fn wake(self: Arc<Self>) {
        let owned = self.0.lock().unwrap().take();
        drop(owned);
        self.1.clone().wake();
    }
}

fn a_waker_may_drop_the_manager() {
    let manager = open(gridwise_runtime::ManagerDesc::from_env().unwrap());
    let (sequence, _sum) = long(&manager);
    let mut running = Box::pin(async move { sequence.eval_async()?.await });
    let signal = Arc::new(Signal::default());
    let owner = Arc::new(Owner(Mutex::new(None), signal.clone()));
    // Held until the owner has everything: the thread that wakes it waits here.
    let mut owned = owner.0.lock().unwrap();
    if running.as_mut().poll(&mut Context::from_waker(&Waker::from(owner.clone()))).is_pending() {
        drop(_sum);
        *owned = Some((manager, running));
        drop(owned);
        signal.wait();
    }
}
