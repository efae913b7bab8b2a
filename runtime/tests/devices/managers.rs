//! Several managers in one process: copies between their tensors by every way there is, events, and what they must not do to each other.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use gridwise_runtime::ops::{Access, OpCopy, OpFill, OpHost, OpMultiply, OpSignal, OpWait, Recorder};
use gridwise_runtime::{
    Contents, CopyWay, DeviceChoice, DeviceKind, Error, Grid, Manager, ManagerDesc, Op, Tensor, TensorDesc, TensorRef,
    WaitWay,
};

use crate::harness::{Device, On, Outcome, cases, ignored, open};
use crate::kernels::Saxpy;
use crate::ramp;

cases! {
    each: copies_between_managers_are_recorded, events_of_other_managers_are_waited_for, foreign_tensors_are_refused;
    once: every_way_brings_the_same_elements, opposite_copies_do_not_wait_for_each_other, runs_of_two_managers_are_told_apart;
    once_on_vulkan: long_copies_go_over_a_bridge_in_turns, shareable_tensors_are_copied_once, who_is_gone_keeps_nobody;
}

/// A manager of the device, and whether its tensors are out of the host's reach because others may have them.
fn manager(on: On) -> Device {
    let device = match on {
        On::Host => DeviceChoice::Host,
        _ => ManagerDesc::from_env().unwrap().device,
    };
    let (validation, baseline_only) = (on != On::Host, on == On::Baseline);
    Device { manager: open(ManagerDesc { device, validation, baseline_only, ..ManagerDesc::default() }) }
}

/// How a tensor of a test is made.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Host,
    Vulkan,
    /// Of a Vulkan device, where only the device reaches it.
    Shareable,
    Baseline,
}

const KINDS: [Kind; 4] = [Kind::Host, Kind::Vulkan, Kind::Shareable, Kind::Baseline];

impl Kind {
    fn manager(self) -> Device {
        manager(match self {
            Self::Host => On::Host,
            Self::Vulkan | Self::Shareable => On::Vulkan,
            Self::Baseline => On::Baseline,
        })
    }

    /// `None` where there is no such tensor.
    fn tensor(self, manager: &Manager, elements: &[f32]) -> Option<Tensor<f32>> {
        let desc = TensorDesc { name: "elements", contents: Contents::Data(elements) };
        match self {
            #[cfg(unix)]
            Self::Shareable => match manager.shareable_tensor(desc) {
                Err(Error::CannotShare { .. } | Error::OnHostDevice { .. }) => None,
                made => Some(made.unwrap()),
            },
            #[cfg(not(unix))]
            Self::Shareable => None,
            _ => Some(manager.tensor_with(desc).unwrap()),
        }
    }
}

fn every_way_brings_the_same_elements() {
    for from in KINDS {
        for to in KINDS {
            let (one, other) = (from.manager(), to.manager());
            let is_host = one.device().kind == DeviceKind::Host || other.device().kind == DeviceKind::Host;
            for len in [0, 1, 5, 100_003, (1 << 18) + 7] {
                let elements = ramp(len);
                let (Some(source), Some(mut target)) =
                    (from.tensor(&one, &elements), to.tensor(&other, &vec![-1.0; len]))
                else {
                    continue;
                };
                let way = source.copy_to(&mut target).unwrap();
                assert!(target.to_vec().unwrap() == elements, "{len} elements from {from:?} to {to:?} by {way:?}");
                assert!(way != CopyWay::OneManager && (!is_host || way == CopyWay::Host));
                if len == 100_003 {
                    eprintln!("{from:?} to {to:?}: {way:?}");
                }
            }
            // Parts of both, which begin where they want.
            let (Some(source), Some(mut target)) = (from.tensor(&one, &ramp(1000)), to.tensor(&other, &[-1.0; 2000]))
            else {
                continue;
            };
            let (part, mut into) = (source.part(17..900).unwrap(), target.part_mut(1003..1886).unwrap());
            part.copy_to(&mut into).unwrap();
            drop(into);
            let copied = target.to_vec().unwrap();
            assert!(copied[1003..1886] == ramp(1000)[17..900] && copied[1002] == -1.0 && copied[1886] == -1.0);
            let refused = source.copy_to(&mut target);
            assert!(matches!(refused, Err(Error::LengthMismatch { expected: 2000, found: 1000, .. })), "{refused:?}");
        }
    }
    let one = manager(On::Host);
    let (from, mut to) = (one.tensor(&[1u8, 2, 3]).unwrap(), one.tensor(&[0u8; 3]).unwrap());
    assert_eq!(from.copy_to(&mut to).unwrap(), CopyWay::OneManager);
    assert_eq!(to.to_vec().unwrap(), [1, 2, 3]);
}

/// In both directions, with work of both managers before and behind.
fn shareable_tensors_are_copied_once() -> Outcome {
    let (one, other) = (Kind::Vulkan.manager(), Kind::Vulkan.manager());
    let elements = ramp((3 << 18) + 5);
    let len = elements.len();
    let (Some(mut source), Some(mut target)) =
        (Kind::Shareable.tensor(&one, &elements), Kind::Shareable.tensor(&other, &vec![0.0; len]))
    else {
        return ignored("the device shares no memory");
    };
    let (ones, twos) = (one.tensor(&vec![1.0f32; len]).unwrap(), other.tensor(&vec![2.0f32; len]).unwrap());
    let (first, second) = (one.sequence().unwrap(), other.sequence().unwrap());
    Saxpy::dispatch(&first, Grid::items(len), 1.0, &ones, &mut source).unwrap();
    Saxpy::dispatch(&second, Grid::items(len), 1.0, &twos, &mut target).unwrap();
    for round in 0..3 {
        let running = first.eval_async().unwrap();
        assert_eq!(source.copy_to(&mut target).unwrap(), CopyWay::ImportedMemory);
        running.wait().unwrap();
        let running = second.eval_async().unwrap();
        // A part of it, which begins in the middle.
        let (from, mut to) = (target.part(7..len).unwrap(), source.part_mut(7..len).unwrap());
        assert_eq!(from.copy_to(&mut to).unwrap(), CopyWay::ImportedMemory);
        drop(to);
        running.wait().unwrap();
        let (sums, before) = (target.to_vec().unwrap(), 3.0 * round as f32);
        assert!(sums[7..].iter().zip(&elements[7..]).all(|(sum, element)| *sum == element + before + 3.0));
        let sums = source.to_vec().unwrap();
        assert!(sums[7..].iter().zip(&elements[7..]).all(|(sum, element)| *sum == element + before + 3.0));
        assert_eq!(sums[6], 6.0 + (round + 1) as f32);
    }
    // Recorded, and from a manager that is gone behind it.
    second.record(OpCopy::new(&source, &mut target)).unwrap();
    second.eval().unwrap();
    let expected = source.to_vec().unwrap();
    drop((source, ones, first, one));
    assert!(target.to_vec().unwrap() == expected);
    borrowed_tensors_are_copied_over_a_bridge()
}

/// Memory that is another one's cannot be given on: both devices copy, through memory of the device.
fn borrowed_tensors_are_copied_over_a_bridge() -> Outcome {
    #[cfg(unix)]
    {
        let [owner, one, other] = [(); 3].map(|()| Kind::Vulkan.manager());
        let elements = ramp((52 << 18) + 11);
        let zeros = vec![0.0; elements.len()];
        let [mine, theirs] = [&elements, &zeros].map(|elements| Kind::Shareable.tensor(&owner, elements).unwrap());
        let source = one.tensor_from_shared::<f32>("borrowed", mine.share().unwrap()).unwrap();
        let mut target = other.tensor_from_shared::<f32>("borrowed", theirs.share().unwrap()).unwrap();
        assert_eq!(source.copy_to(&mut target).unwrap(), CopyWay::SharedMemory);
        assert!(target.to_vec().unwrap() == elements);
    }
    Outcome::Done
}

fn long_copies_go_over_a_bridge_in_turns() -> Outcome {
    // More than the bridge holds at once.
    let elements = ramp((52 << 18) + 11);
    let (one, other) = (Kind::Baseline.manager(), Kind::Baseline.manager());
    let source = one.tensor(&elements).unwrap();
    let mut target = other.tensor_of_len::<f32>(elements.len()).unwrap();
    let way = source.copy_to(&mut target).unwrap();
    assert!(target.to_vec().unwrap() == elements);
    // What is written on either side is ordered with the next copy.
    let (ones, back) = (other.tensor(&vec![1.0f32; elements.len()]).unwrap(), other.sequence().unwrap());
    Saxpy::dispatch(&back, Grid::items(elements.len()), 1.0, &ones, &mut target).unwrap();
    let running = back.eval_async().unwrap();
    let mut source = source;
    assert_eq!(target.copy_to(&mut source).unwrap(), way);
    running.wait().unwrap();
    let sums = source.to_vec().unwrap();
    assert!(sums.iter().zip(&elements).all(|(sum, element)| *sum == element + 1.0));
    one.trim();
    target.copy_to(&mut source).unwrap();
    match way {
        CopyWay::Staging => ignored("the device works on no memory of the host: copied by staging"),
        way => {
            assert_eq!(way, CopyWay::HostMemory);
            Outcome::Done
        }
    }
}

fn copies_between_managers_are_recorded(on: On) {
    for other_on in [On::Host, On::Vulkan] {
        let (one, other) = (manager(on), manager(other_on));
        let x = one.tensor(&ramp(3000)).unwrap();
        let mut y = one.tensor(&[1.0f32; 3000]).unwrap();
        let mut theirs = other.tensor_named("theirs", &[0.0f32; 3000]).unwrap();
        let mut doubled = other.tensor_of_len::<f32>(3000).unwrap();
        let twos = other.tensor(&[2.0f32; 3000]).unwrap();
        let mut result = one.tensor_of_len::<f32>(3000).unwrap();
        // There and back, around work of the host's own.
        let calls = Arc::new(AtomicBool::new(false));
        let (there, back) = (one.sequence().unwrap(), one.sequence().unwrap());
        Saxpy::dispatch(&there, Grid::items(3000), 1.0, &x, &mut y).unwrap();
        there.record(OpCopy::new(&y, &mut theirs)).unwrap();
        let called = calls.clone();
        there.record(OpHost::new(move || called.store(true, Relaxed))).unwrap();
        let double = other.sequence().unwrap();
        double.record(OpMultiply::new(&theirs, &twos, &mut doubled)).unwrap();
        back.record(OpCopy::new(&doubled, &mut result)).unwrap();
        Saxpy::dispatch(&back, Grid::items(3000), 1.0, &x, &mut result).unwrap();
        for round in 1..4 {
            match round {
                1 => there.eval().unwrap(),
                2 => there.eval_async().unwrap().wait().unwrap(),
                _ => assert_eq!(there.eval_profiled().unwrap().ops().len(), 3),
            }
            assert!(calls.swap(false, Relaxed));
            // Behind the copy, and before the next, by the tensors alone.
            let running = double.eval_async().unwrap();
            back.eval().unwrap();
            running.wait().unwrap();
            let expected: Vec<f32> = (0..3000).map(|i| 2.0 * (1.0 + round as f32 * i as f32) + i as f32).collect();
            assert!(result.to_vec().unwrap() == expected, "round {round}");
        }
        // A rebuilt tensor of either manager is followed.
        theirs.rebuild(&[0.0; 3000]).unwrap();
        there.eval().unwrap();
        assert_eq!(theirs.get(1).unwrap(), 5.0);
        theirs.rebuild(&[0.0; 2]).unwrap();
        assert!(matches!(there.eval(), Err(Error::TensorRebuilt { .. })));
        // An empty copy is one, too.
        let (none, mut nothing) = (one.tensor::<f32>(&[]).unwrap(), other.tensor::<f32>(&[]).unwrap());
        one.sequence().unwrap().record(OpCopy::new(&none, &mut nothing)).unwrap().eval().unwrap();
    }
}

fn events_of_other_managers_are_waited_for(on: On) {
    let (one, other) = (manager(on), manager(On::Vulkan));
    let event = one.event();
    let mut values = one.tensor_of_len::<f32>(1 << 16).unwrap();
    let (first, second) = (one.sequence().unwrap(), other.sequence().unwrap());
    first.record(OpFill::new(&mut values, 1.0)).unwrap().record(OpSignal::new(&event)).unwrap();
    let mut theirs = other.tensor_of_len::<f32>(16).unwrap();
    second.record(OpWait::new(&event)).unwrap().record(OpFill::new(&mut theirs, 2.0)).unwrap();
    // Nobody has signalled it.
    second.eval().unwrap();
    for _ in 0..3 {
        let running = first.eval_async().unwrap();
        second.eval().unwrap();
        // Two semaphores of one submission may be signalled one after the other.
        let at_most = if other.wait_way(&event) == WaitWay::Host { Duration::ZERO } else { Duration::from_secs(1) };
        assert!(running.wait_timeout(at_most).unwrap());
    }
    assert_eq!(theirs.to_vec().unwrap(), [2.0; 16]);
    let way = other.wait_way(&event);
    assert_eq!(one.wait_way(&event), WaitWay::OneManager);
    assert!(way != WaitWay::OneManager && (on == On::Vulkan || way == WaitWay::Host), "{way:?}");
    eprintln!("Vulkan waits for an event of {}: {way:?}", one.device().name);
    assert!(matches!(second.record(OpSignal::new(&event)), Err(Error::ForeignEvent { .. })));
}

fn foreign_tensors_are_refused(on: On) {
    let (one, other) = (manager(on), manager(On::Vulkan));
    let (theirs, mut others) = (other.tensor(&[1.0f32; 4]).unwrap(), other.tensor(&[1.0f32; 4]).unwrap());
    let mut own = one.tensor(&[1.0f32; 4]).unwrap();
    let sequence = one.sequence().unwrap();
    let refused = Saxpy::dispatch(&sequence, Grid::items(4), 1.0, &theirs, &mut own).map(drop);
    assert!(matches!(refused, Err(Error::ForeignTensor { .. })), "{refused:?}");
    // One of the two is this manager's.
    let refused = sequence.record(OpCopy::new(&theirs, &mut others)).map(drop);
    assert!(matches!(refused, Err(Error::ForeignTensor { .. })), "{refused:?}");
    let mut short = other.tensor(&[0.0f32; 3]).unwrap();
    let refused = sequence.record(OpCopy::new(&own, &mut short)).map(drop);
    assert!(matches!(refused, Err(Error::LengthMismatch { .. })), "{refused:?}");
    // A view of either is an error, and no wait for who holds it.
    sequence.record(OpCopy::new(&own, &mut others)).unwrap();
    if let Ok(view) = others.map_mut() {
        let refused = sequence.eval();
        assert!(matches!(&refused, Err(Error::TensorMapped { .. })), "{refused:?}");
        drop(view);
    }
    if let Ok(view) = others.map_mut() {
        // Evaluated by another thread, too.
        let running = sequence.eval_async().unwrap();
        let refused = running.wait();
        assert!(matches!(&refused, Err(Error::TensorMapped { .. })), "{refused:?}");
        drop(view);
    }
    sequence.eval().unwrap();
    assert_eq!(others.to_vec().unwrap(), [1.0; 4]);
}

/// A copy whose tensors the compiler does not tell apart.
struct CopyOf(TensorRef, TensorRef);

impl Op for CopyOf {
    fn name(&self) -> &str {
        "copy of"
    }

    fn accesses(&self) -> Vec<Access> {
        vec![Access::read(&self.0), Access::write(&self.1)]
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<(), Error> {
        recorder.copy(&self.0, &self.1)
    }
}

fn opposite_copies_do_not_wait_for_each_other() {
    for kinds in [[Kind::Host, Kind::Host], [Kind::Host, Kind::Vulkan], [Kind::Baseline, Kind::Vulkan]] {
        let managers = kinds.map(Kind::manager);
        let tensors = managers.each_ref().map(|manager| manager.tensor(&[1.0f32; 512]).unwrap());
        let [a, b] = &tensors;
        // Both are copied there and back at once.
        let copy = |from: &Tensor<f32>, to: &Tensor<f32>, manager: &Manager| {
            let sequence = manager.sequence().unwrap();
            sequence.record(CopyOf(from.handle(), to.handle())).unwrap();
            sequence
        };
        let [first, second] = &managers;
        let sequences = [copy(a, b, first), copy(b, a, first), copy(a, b, second), copy(b, a, second)];
        thread::scope(|scope| {
            for sequence in &sequences {
                scope.spawn(|| (0..50).for_each(|_| sequence.eval().unwrap()));
            }
        });
        assert_eq!(tensors.map(|tensor| tensor.to_vec().unwrap()), [vec![1.0; 512], vec![1.0; 512]]);
    }
}

/// A call of the host evaluates sequences of another manager, which has runs of its own.
fn runs_of_two_managers_are_told_apart() {
    let (one, other) = (manager(On::Host), manager(On::Host));
    let mut counter = one.tensor(&[0u32]).unwrap();
    let outer = one.sequence().unwrap();
    outer.record(OpFill::new(&mut counter, 1)).unwrap();
    // The other manager's run holds `theirs` for a while; its number would be that of the first manager's run.
    let mut theirs = other.tensor(&[0u32]).unwrap();
    // How often the call began or ended.
    let (turns, inner) = (Arc::new(AtomicU32::new(0)), other.sequence().unwrap());
    inner.record(OpFill::new(&mut theirs, 1)).unwrap();
    let counted = turns.clone();
    let call = OpHost::new(move || {
        counted.fetch_add(1, Relaxed);
        thread::sleep(Duration::from_millis(50));
        counted.fetch_add(1, Relaxed);
    });
    inner.record(call).unwrap();
    let (seen, counted) = (Arc::new(AtomicU32::new(0)), turns.clone());
    let noted = seen.clone();
    let call = OpHost::fallible(move || {
        while counted.load(Relaxed) == 0 {
            thread::yield_now();
        }
        // It waits until the other run is over.
        let read = theirs.to_vec().map(drop);
        noted.store(counted.load(Relaxed), Relaxed);
        read
    });
    outer.record(call).unwrap();
    let running = [outer.eval_async().unwrap(), inner.eval_async().unwrap()];
    running.into_iter().for_each(|running| running.wait().unwrap());
    assert_eq!(seen.load(Relaxed), 2, "the tensor was read inside of a run that had it to itself");
}

fn who_is_gone_keeps_nobody() -> Outcome {
    let (one, other) = (Kind::Baseline.manager(), Kind::Baseline.manager());
    let source = one.tensor(&ramp(100)).unwrap();
    let mut target = other.tensor(&[0.0f32; 100]).unwrap();
    let copy = one.sequence().unwrap();
    copy.record(OpCopy::new(&source, &mut target)).unwrap();
    let running = copy.eval_async().unwrap();
    // The recording keeps the other manager's tensor, and that its device.
    drop((target, other));
    running.wait().unwrap();
    copy.eval().unwrap();
    // The first manager goes while its bridge to the other is kept, and the other way round.
    let other = Kind::Baseline.manager();
    let mut target = other.tensor(&[0.0f32; 100]).unwrap();
    source.copy_to(&mut target).unwrap();
    drop((copy, source, one));
    let one = Kind::Baseline.manager();
    let mut back = one.tensor(&[0.0f32; 100]).unwrap();
    target.copy_to(&mut back).unwrap();
    drop((target, other));
    assert_eq!(back.to_vec().unwrap(), ramp(100));
    Outcome::Done
}
