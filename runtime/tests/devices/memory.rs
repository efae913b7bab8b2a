//! Many tensors, large tensors, tensors made anew or looked at in place; hooks, barriers by hand and graphs of sequences.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use gridwise_runtime::data::{Field, GpuData, Value};
use gridwise_runtime::ops::{Access, OpBarrier, OpCopy, OpFill, OpMultiply, OpSyncDevice, Recorder};
use gridwise_runtime::{
    Contents, DeviceKind, Error, Grid, Manager, ManagerDesc, MemoryKind, Op, Result, Sequence, Tensor, TensorDesc,
};

use crate::harness::{On, cases};
use crate::kernels::{Mark, Saxpy};
use crate::ramp;

cases! {
    each: what_is_too_large_is_an_error_or_whole, tensors_are_made_anew_and_looked_at, products_by_element,
        hooks_run_once_for_each_run, hooks_that_run_their_sequence_are_refused, hooks_may_panic_while_a_sequence_is_dropped,
        elements_may_have_no_bytes, threads_may_end_with_tensors, graphs_tell_why, memory_is_told_and_given_back, padding_is_cleared_on_all_ways;
    once: a_hundred_thousand_small_tensors_share_memory, tensors_that_outlive_their_manager_are_named_in_debug_builds;
}

fn a_hundred_thousand_small_tensors_share_memory() {
    // Without validation, which takes its time with each.
    let manager =
        Manager::with(ManagerDesc { device: ManagerDesc::from_env().unwrap().device, ..ManagerDesc::default() })
            .unwrap();
    let make = |i: u32| {
        let desc = TensorDesc::<u32> { name: "small", contents: Contents::Uninit(4 + i as usize % 13) };
        manager.tensor_with(desc).unwrap()
    };
    let mut tensors: Vec<_> = (0..100_000).map(make).collect();
    let statistics = manager.statistics();
    assert_eq!((statistics.tensors, manager.live_tensors().len()), (100_000, 100_000));
    // The least that Vulkan lets a device bound it by is 4096.
    assert!(statistics.allocations < 100, "{statistics}");
    tensors[77_777].write(&[7; 4 + 77_777 % 13]).unwrap();
    assert_eq!(tensors[77_777].to_vec().unwrap()[0], 7);
    drop(tensors);
    assert_eq!(manager.statistics().tensors, 0);
}

fn what_is_too_large_is_an_error_or_whole(on: On) {
    on.run(|manager| {
        // 64 GiB and 1 KiB: never a tensor of 1 KiB. The host device would try to have them.
        if manager.device().kind != DeviceKind::Host {
            let desc = TensorDesc::<[u32; 64]> { name: "huge", contents: Contents::Uninit((1 << 28) + 4) };
            let error = manager.tensor_with(desc).map(|_| ()).unwrap_err();
            let is_told = matches!(error, Error::BufferTooLarge { unit: "bytes", .. } | Error::OutOfMemory { .. });
            assert!(is_told, "{error}");
        }
        let error = manager.tensor_of_len::<u8>(1 << 33).map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::BufferTooLarge { unit: "elements", .. }), "{error}");
    });
}

fn tensors_are_made_anew_and_looked_at(on: On) {
    on.run(|manager| {
        let mut tensor = manager.tensor(&ramp(100)).unwrap();
        let mut copy = manager.tensor_of_len::<f32>(100).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.record(OpCopy::new(&tensor, &mut copy)).unwrap();
        sequence.eval().unwrap();
        assert_eq!(copy.to_vec().unwrap(), ramp(100));
        tensor.rebuild(&ramp(3000)).unwrap();
        assert_eq!(tensor.len(), 3000);
        let error = sequence.eval().unwrap_err();
        assert!(matches!(error, Error::TensorRebuilt { recorded: 100, now: Some(3000), .. }), "{error}");
        assert_eq!(tensor.view(|values| values.iter().sum::<f32>()).unwrap(), (0..3000).sum::<i32>() as f32);
        let empty = manager.tensor::<f32>(&[]).unwrap();
        assert_eq!(empty.view(<[f32]>::len).unwrap(), 0);
        // A view waits for the run.
        let mut sum = manager.tensor_of_len::<f32>(3000).unwrap();
        let adding = manager.sequence().unwrap();
        for _ in 0..10 {
            Saxpy::dispatch(&adding, Grid::items(3000), 1.0, &tensor, &mut sum).unwrap();
        }
        let running = adding.eval_async().unwrap();
        assert_eq!(sum.view(|values| values[2999]).unwrap(), 29990.0);
        running.wait().unwrap();
    });
}

fn products_by_element(on: On) {
    on.run(|manager| {
        for len in [0, 1, 64, 5000] {
            let (x, y) = (manager.tensor(&ramp(len)).unwrap(), manager.tensor(&vec![0.5f32; len]).unwrap());
            let mut product = manager.tensor(&vec![9.0f32; len]).unwrap();
            let sequence = manager.sequence().unwrap();
            sequence.record(OpMultiply::new(&x, &y, &mut product)).unwrap().eval().unwrap();
            assert_eq!(product.to_vec().unwrap(), ramp(len).iter().map(|x| x * 0.5).collect::<Vec<_>>());
        }
        let (x, y) = (manager.tensor(&ramp(4)).unwrap(), manager.tensor(&ramp(5)).unwrap());
        let mut product = manager.tensor(&ramp(4)).unwrap();
        let refused = manager.sequence().unwrap().record(OpMultiply::new(&x, &y, &mut product)).map(|_| ());
        assert!(matches!(refused, Err(Error::LengthMismatch { expected: 4, found: 5, .. })));
    });
}

/// Notes when its hooks run.
struct Notes {
    before: Arc<AtomicU32>,
    after: Arc<AtomicU32>,
}

impl Op for Notes {
    fn name(&self) -> &str {
        "notes"
    }

    fn accesses(&self) -> Vec<Access> {
        Vec::new()
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        let (before, after) = (self.before.clone(), self.after.clone());
        recorder.before_submit(move || _ = before.fetch_add(1, Relaxed));
        recorder.after_wait(move || _ = after.fetch_add(1, Relaxed));
        Ok(())
    }
}

fn hooks_run_once_for_each_run(on: On) {
    on.run(|manager| {
        let [before, after] = [(); 2].map(|()| Arc::new(AtomicU32::new(0)));
        let counts = || (before.load(Relaxed), after.load(Relaxed));
        let mut marks = manager.tensor_of_len::<u32>(8).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.record(Notes { before: before.clone(), after: after.clone() }).unwrap();
        assert_eq!(counts(), (0, 0), "recording runs nothing");
        Mark::dispatch(&sequence, Grid::items(8), 0, &mut marks).unwrap();
        sequence.eval().unwrap();
        assert_eq!(counts(), (1, 1));
        let running = sequence.eval_async().unwrap();
        assert_eq!(before.load(Relaxed), 2);
        running.wait().unwrap();
        sequence.eval_profiled().unwrap();
        assert_eq!(counts(), (3, 3));
        // Whoever finds out that it is complete calls them, here the next run.
        drop(sequence.eval_async().unwrap());
        while sequence.is_running() {
            std::thread::yield_now();
        }
        sequence.eval().unwrap();
        assert_eq!(counts(), (5, 5));
        sequence.clear().unwrap();
        sequence.eval().unwrap();
        assert_eq!(counts(), (5, 5), "gone with the operations");
    });
}

/// Calls a function before or after each run.
struct Calls<F>(bool, Arc<F>);

impl<F: Fn() + Send + Sync + 'static> Op for Calls<F> {
    fn name(&self) -> &str {
        "calls"
    }

    fn accesses(&self) -> Vec<Access> {
        Vec::new()
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        let call = self.1.clone();
        match self.0 {
            true => recorder.before_submit(move || call()),
            false => recorder.after_wait(move || call()),
        }
        Ok(())
    }
}

fn hooks_that_run_their_sequence_are_refused(on: On) {
    on.run(|manager| {
        for is_before in [true, false] {
            let mut x = manager.tensor(&[0u32; 4]).unwrap();
            let (one, other) = (Arc::new(manager.sequence().unwrap()), manager.sequence().unwrap());
            other.record(OpFill::new(&mut x, 1)).unwrap();
            let (own, refused) = (Arc::downgrade(&one), Arc::new(AtomicU32::new(0)));
            let count = refused.clone();
            let call = move || {
                let again = own.upgrade().map(|own| own.eval());
                assert!(matches!(again, Some(Err(Error::SequenceInFlight { .. }))), "{again:?}");
                other.eval().unwrap();
                count.fetch_add(1, Relaxed);
            };
            one.record(OpSyncDevice::new(&x)).unwrap().record(Calls(is_before, Arc::new(call))).unwrap();
            for round in 1..3 {
                one.eval().unwrap();
                assert_eq!(refused.load(Relaxed), round);
            }
        }
    });
}

fn hooks_may_panic_while_a_sequence_is_dropped(on: On) {
    on.run(|manager| {
        let mut x = manager.tensor(&[0u32; 4]).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.record(OpFill::new(&mut x, 1)).unwrap();
        let panics = || std::panic::resume_unwind(Box::new("after the run"));
        sequence.record(Calls(false, Arc::new(panics))).unwrap();
        drop(sequence.eval_async().unwrap());
        // Two panics at once would end the process.
        let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
            let _dropped = sequence;
            std::panic::resume_unwind(Box::new("beside it"));
        }));
        assert_eq!(unwound.unwrap_err().downcast_ref(), Some(&"beside it"));
        assert_eq!(x.to_vec().unwrap(), [1; 4]);
    });
}

fn elements_may_have_no_bytes(on: On) {
    on.run(|manager| {
        let mut x = manager.tensor::<[u32; 0]>(&[[]; 5]).unwrap();
        let mut y = manager.tensor_of_len::<[u32; 0]>(5).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.record(OpFill::new(&mut x, [])).unwrap().record(OpCopy::new(&x, &mut y)).unwrap().eval().unwrap();
        assert_eq!((y.to_vec().unwrap().len(), y.cast::<u32>().unwrap().len()), (5, 0));
        assert_eq!(manager.tensor(&[1u32]).unwrap().cast::<[u32; 0]>().unwrap().len(), 0);
    });
}

/// Uses what it has when it is dropped.
struct Last(Sequence, Tensor<u32>);

impl Drop for Last {
    fn drop(&mut self) {
        self.0.eval().unwrap();
        assert_eq!(self.1.view(<[u32]>::to_vec).unwrap(), [7; 4]);
        self.1.write(&[8; 4]).unwrap();
    }
}

fn threads_may_end_with_tensors(on: On) {
    thread_local!(static LAST: RefCell<Option<Last>> = const { RefCell::new(None) });
    on.run(|manager| {
        let mut x = manager.tensor(&[0u32; 4]).unwrap();
        let sequence = manager.sequence().unwrap();
        sequence.record(OpFill::new(&mut x, 7)).unwrap();
        let seen = manager.sequence().unwrap();
        let mut y = manager.tensor(&[0u32; 4]).unwrap();
        seen.record(OpCopy::new(&x, &mut y)).unwrap();
        let thread = std::thread::spawn(move || {
            // Made first, so that it goes last.
            LAST.with_borrow_mut(|_| ());
            x.view(|_| ()).unwrap();
            LAST.set(Some(Last(sequence, x)));
        });
        thread.join().unwrap();
        seen.eval().unwrap();
        assert_eq!(y.to_vec().unwrap(), [8; 4]);
    });
}

fn graphs_tell_why(on: On) {
    on.run(|manager| {
        let x = manager.tensor_named("x", &ramp(64)).unwrap();
        let mut y = manager.tensor_named("y", &ramp(64)).unwrap();
        let mut z = manager.tensor_named("a \"z\"", &ramp(64)).unwrap();
        let sequence = manager.sequence().unwrap();
        Saxpy::dispatch(&sequence, Grid::items(64), 1.0, &x, &mut y).unwrap();
        Saxpy::dispatch(&sequence, Grid::items(64), 1.0, &x, &mut z).unwrap();
        sequence.record(OpCopy::new(&y, &mut z)).unwrap();
        sequence.record(OpBarrier).unwrap().record(OpFill::new(&mut y, 0.0)).unwrap();
        let dot = sequence.to_dot();
        assert!(dot.starts_with("digraph sequence {") && dot.ends_with("}\n"), "{dot}");
        assert!(dot.contains("op0 -> op2 [constraint=false, label=\"read after write: y [0..256]\"]"), "{dot}");
        assert!(
            dot.contains("op1 -> op2 [constraint=false, label=\"write after write: a \\\"z\\\" [0..256]\"]"),
            "{dot}"
        );
        assert!(!dot.contains("op0 -> op1 [constraint"), "independent: {dot}");
        assert!(!dot.contains("op2 -> op4"), "the barrier by hand was enough: {dot}");
        assert!(dot.contains("5 operations, 2 barriers"), "{dot}");
        sequence.eval().unwrap();
        assert_eq!(y.to_vec().unwrap(), [0.0; 64]);
        assert_eq!(manager.device().kind == DeviceKind::Host, manager.statistics().allocations == 0);
    });
}

fn memory_is_told_and_given_back(on: On) {
    on.run(|manager| {
        let heaps = manager.memory_heaps();
        assert_eq!(heaps.is_empty(), manager.device().kind == DeviceKind::Host);
        assert!(heaps.iter().all(|heap| heap.bytes > 0 && heap.budget.is_none_or(|budget| budget > 0)), "{heaps:?}");
        let tensor = manager.tensor(&ramp(1 << 16)).unwrap();
        let before = manager.statistics();
        manager.trim();
        assert!(manager.statistics().allocated_bytes <= before.allocated_bytes);
        assert_eq!(tensor.to_vec().unwrap(), ramp(1 << 16), "transfers take what they need anew");
    });
}

/// Keeps the texts of events.
#[derive(Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl tracing::Subscriber for Log {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        struct Fields(String);
        impl tracing::field::Visit for Fields {
            fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
                self.0 += &format!("{field}={value:?} ");
            }
        }
        let mut fields = Fields(String::new());
        event.record(&mut fields);
        self.0.lock().unwrap().push(fields.0);
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

fn tensors_that_outlive_their_manager_are_named_in_debug_builds() {
    let log = Log::default();
    let texts = log.0.clone();
    tracing::subscriber::with_default(log, || {
        let manager = Manager::host();
        let _kept = manager.tensor_named("kept", &[1u32; 10]).unwrap();
        drop(manager.tensor_named("gone", &[1u32; 10]).unwrap());
        drop(manager.clone());
        assert!(!texts.lock().unwrap().iter().any(|text| text.contains("outlives")), "one manager is left");
        drop(manager);
        let texts = texts.lock().unwrap();
        let named: Vec<_> = texts.iter().filter(|text| text.contains("outlives")).collect();
        assert_eq!(named.len(), usize::from(cfg!(debug_assertions)), "{named:?}");
        assert!(named.iter().all(|text| text.contains("\"kept\"") && text.contains("bytes=40")), "{named:?}");
    });
}

/// Two bytes of padding at the end.
#[repr(C)]
#[derive(Clone, Copy)]
struct Padded {
    number: u32,
    flag: u16,
}

impl Value for Padded {
    const ZEROED: Self = Self { number: 0, flag: 0 };
}

// SAFETY: `repr(C)` with fields that are `GpuData`, which lie where `FIELDS` says.
unsafe impl GpuData for Padded {
    const FIELDS: &'static [Field] = &[Field::new(0, 4, &[]), Field::new(4, 2, &[])];
}

fn padding_is_cleared_on_all_ways(on: On) {
    on.run(|manager| {
        // No byte of this is zero, so that padding shows.
        let words = [u32::MAX; 6];
        // SAFETY: plain words, aligned alike, as long as three elements.
        let data = unsafe { std::slice::from_raw_parts(words.as_ptr().cast::<Padded>(), 3) };
        let expect = |tensor: &Tensor<Padded>, way: &str| {
            let seen = tensor
                .view(|elements| {
                    // SAFETY: three elements, whose bytes all have values.
                    let bytes = unsafe { std::slice::from_raw_parts(elements.as_ptr().cast::<[u8; 8]>(), 3) };
                    bytes.to_vec()
                })
                .unwrap();
            assert_eq!(seen, [[255, 255, 255, 255, 255, 255, 0, 0]; 3], "{way}");
        };
        let mut made = manager.tensor(data).unwrap();
        expect(&made, "made");
        made.rebuild(data).unwrap();
        expect(&made, "made anew");
        let zeros = || manager.tensor_of_len::<Padded>(3).unwrap();
        let (mut written, mut staged, mut placed, mut filled) = (zeros(), zeros(), zeros(), zeros());
        written.write(data).unwrap();
        expect(&written, "written");
        staged.stage(data).unwrap();
        manager.sequence().unwrap().record(OpSyncDevice::new(&staged)).unwrap().eval().unwrap();
        expect(&staged, "staged");
        // SAFETY: as many bytes as the elements have.
        let place = |into: &mut [Padded]| unsafe {
            std::ptr::copy_nonoverlapping(words.as_ptr().cast::<u8>(), into.as_mut_ptr().cast::<u8>(), 24);
        };
        placed.fill_staged(place).unwrap();
        manager.sequence().unwrap().record(OpSyncDevice::new(&placed)).unwrap().eval().unwrap();
        expect(&placed, "staged in place");
        manager.sequence().unwrap().record(OpFill::new(&mut filled, data[0])).unwrap().eval().unwrap();
        expect(&filled, "filled");
        let desc = TensorDesc { name: "mapped", contents: Contents::Zeros(3) };
        let mut mapped = manager.tensor_in::<Padded>(MemoryKind::Upload, desc).unwrap();
        let view = mapped.map_mut().map(|mut view| {
            // SAFETY: as many bytes as the elements have.
            unsafe { std::ptr::copy_nonoverlapping(words.as_ptr().cast::<u8>(), view.as_mut_ptr().cast::<u8>(), 24) };
        });
        match view {
            Ok(()) => expect(&mapped, "mapped"),
            Err(error) => assert!(matches!(error, Error::NotMappable { .. }), "{error}"),
        }
    });
}
