//! Recovery: the contents that come back after a loss, the reports of lost evaluations and their number, and devices
//! that hang.

use std::time::{Duration, Instant};

use gridwise::image::{ImageDesc, Levels, R32Float, R32Uint, Rgba8Unorm};
use gridwise::ops::{OpClearImage, OpCopy, OpFill, OpSyncDevice};
use gridwise::prelude::*;
use gridwise::{Contents, Error, ManagerDesc, PipelineCache, TensorDesc};
use gridwise_fault_layer::Control;
use libtest_mimic::Failed;

use crate::programs::block_on;

/// The trials. Those that leave things behind are the last.
pub(crate) const ALL: &[crate::Case] = &[
    ("recovery::what_the_host_has_comes_back", what_the_host_has_comes_back),
    ("recovery::staged_where_the_host_cannot_reach", staged_where_the_host_cannot_reach),
    ("recovery::images_come_back", images_come_back),
    ("recovery::each_evaluation_is_reported_once", each_evaluation_is_reported_once),
    ("recovery::a_failed_recovery_may_be_tried_again", a_failed_recovery_may_be_tried_again),
    ("recovery::waits_that_time_out_lose_nothing", waits_that_time_out_lose_nothing),
    ("recovery::a_hung_device_is_told_and_left_alone", a_hung_device_is_told_and_left_alone),
    ("recovery::a_task_is_told_of_a_hung_device", a_task_is_told_of_a_hung_device),
];

const LOST: i32 = -4;

fn open(desc: ManagerDesc) -> gridwise::Result<Manager> {
    let device = ManagerDesc::from_env()?.device;
    Manager::with(ManagerDesc { device, pipeline_cache: PipelineCache::Off, ..desc })
}

fn keeping(baseline_only: bool) -> gridwise::Result<Manager> {
    open(ManagerDesc { keeps_contents: true, baseline_only, ..ManagerDesc::default() })
}

/// Loses the device with the next question whether something is complete.
fn lose(faults: Control, mgr: &Manager) {
    let mut probe = mgr.tensor_of_len::<u32>(4).expect("memory");
    let seq = mgr.sequence().expect("made");
    seq.record(OpFill::new(&mut probe, 1)).expect("fits");
    (faults.reset)();
    (faults.arm)("vkGetSemaphoreCounterValue", 1, LOST);
    assert!(matches!(seq.eval(), Err(Error::DeviceLost { .. })) && (faults.has_fired)());
}

fn is_clean(faults: Control) -> Result<(), Failed> {
    (faults.reset)();
    let live = faults.left();
    if live.is_empty() { Ok(()) } else { Err(format!("left behind: {live:?}").into()) }
}

fn what_the_host_has_comes_back(faults: Control) -> Result<(), Failed> {
    rescue(faults, false)
}

fn staged_where_the_host_cannot_reach(faults: Control) -> Result<(), Failed> {
    rescue(faults, true)
}

fn rescue(faults: Control, is_baseline: bool) -> Result<(), Failed> {
    {
        let mgr = keeping(is_baseline)?;
        let written = mgr.tensor_named("written", &[1u32, 2, 3])?;
        let zeros = mgr.tensor_of_len::<u32>(3)?;
        let open = mgr.tensor_with(TensorDesc::<u32> { name: "open", contents: Contents::Uninit(3) })?;
        let mut staged = mgr.tensor_named("staged", &[0u32; 3])?;
        let mut read = mgr.tensor_named("read", &[0u32; 3])?;
        let mut again = mgr.tensor_named("again", &[9u32; 3])?;
        let mut unread = mgr.tensor_named("unread", &[0u32; 3])?;
        let mut partly = mgr.tensor_named("partly", &[1u32, 2, 3])?;
        let mut parted = mgr.tensor_named("parted", &[1u32, 2, 3])?;
        let empty = mgr.tensor::<u32>(&[])?;
        staged.stage(&[4, 5, 6])?;
        let mut placed = mgr.tensor_named("placed", &[0u32; 3])?;
        placed.stage(&[0, 0, 6])?;
        placed.fill_staged(|values| values[..2].copy_from_slice(&[4, 5]))?;
        let seq = mgr.sequence()?;
        seq.record(OpCopy::new(&written, &mut read))?.record(OpFill::new(&mut unread, 8))?;
        seq.record(OpFill::new(&mut again, 7))?;
        seq.eval()?;
        assert_eq!(read.to_vec()?, [1, 2, 3]);
        again.write(&[5; 3])?;
        partly.part_mut(1..)?.write(&[8, 9])?;
        parted.part_mut(1..)?.write(&[8, 9])?;
        assert_eq!((parted.to_vec()?, written.part(1..)?.to_vec()?), (vec![1, 8, 9], vec![2, 3]));
        lose(faults, &mgr);
        assert!(matches!(written.to_vec(), Ok(_) | Err(Error::DeviceLost { .. })));
        let recovery = mgr.recover()?;
        assert_eq!(recovery.tensor(&written)?.to_vec()?, [1, 2, 3]);
        assert_eq!(recovery.tensor(&zeros)?.to_vec()?, [0; 3]);
        assert_eq!(recovery.tensor(&open)?.len(), 3);
        assert_eq!(recovery.tensor(&read)?.to_vec()?, [1, 2, 3], "read since the device wrote it");
        assert_eq!(recovery.tensor(&again)?.to_vec()?, [5; 3], "written since the device wrote it");
        assert_eq!(recovery.tensor(&empty)?.len(), 0);
        let error = recovery.tensor(&unread).map(|_| ()).expect_err("the device had it alone");
        assert!(matches!(&error, Error::ContentsLost { tensor } if tensor == "unread"), "{error}");
        let error = recovery.tensor(&partly).map(|_| ()).expect_err("another part was written long ago");
        assert!(matches!(&error, Error::ContentsLost { tensor } if tensor == "partly"), "{error}");
        assert_eq!(recovery.tensor(&parted)?.to_vec()?, [1, 8, 9], "all of it was read since");
        let back = recovery.tensor(&staged)?;
        let new = recovery.manager().sequence()?;
        new.record(OpSyncDevice::new(&back))?.eval()?;
        assert_eq!((back.to_vec()?, back.name()), (vec![4, 5, 6], "staged"));
        assert_eq!(recovery.tensor(&placed)?.staged()?, [4, 5, 6], "as it was left in place");
        // What is of the lost device says so, or does not mix.
        assert!(matches!(seq.eval(), Err(Error::DeviceLost { .. })));
        assert!(matches!(
            mgr.tensor(&[1u32]).and_then(|tensor| tensor.to_vec()),
            Ok(_) | Err(Error::DeviceLost { .. })
        ));
        let mixed = new.record(OpSyncDevice::new(&written)).map(|_| ());
        assert!(matches!(mixed, Err(Error::ForeignTensor { .. })));
        let copied = new.record(OpCopy::new(&written, &mut recovery.tensor(&zeros)?))?.eval();
        assert!(matches!(copied, Ok(()) | Err(Error::DeviceLost { .. })), "{copied:?}");
        let foreign = recovery.tensor(&back).map(|_| ());
        assert!(matches!(foreign, Err(Error::ForeignTensor { .. })));
        // It may be lost again.
        let kept = recovery.tensor(&written)?;
        lose(faults, recovery.manager());
        assert_eq!(recovery.manager().recover()?.tensor(&kept)?.to_vec()?, [1, 2, 3]);
    }
    is_clean(faults)
}

fn images_come_back(faults: Control) -> Result<(), Failed> {
    {
        let mgr = keeping(false)?;
        let texels: Vec<u32> = (0..32).collect();
        let mut written = mgr.image_2d::<R32Uint>(8, 4)?;
        written.write(&texels)?;
        let zeros = mgr.image_1d::<Rgba8Unorm>(5)?;
        let levels = |name| mgr.image_with::<R32Float, 2>(ImageDesc { name, extent: [4, 2], levels: Levels::All });
        let (mut half, mut parts, mut read, mut unread) =
            (levels("half")?, levels("parts")?, levels("read")?, levels("unread")?);
        // Of what was never written, zeros are known.
        half.write_level(1, &[3.0, 4.0])?;
        let seq = mgr.sequence()?;
        for image in [&mut parts, &mut read, &mut unread] {
            seq.record(OpClearImage::new(image, 2.5))?;
        }
        seq.eval()?;
        parts.write(&[1.0; 8])?;
        for level in 0..3 {
            read.level_to_vec(level)?;
        }
        read.write_level(2, &[9.0])?;
        lose(faults, &mgr);
        let recovery = mgr.recover()?;
        assert_eq!(recovery.image(&written)?.to_vec()?, texels);
        assert_eq!(recovery.image(&zeros)?.to_vec()?, [[0; 4]; 5]);
        let back = recovery.image(&half)?;
        let found = (0..3).map(|level| back.level_to_vec(level)).collect::<Result<Vec<_>, _>>()?;
        assert_eq!((found, back.name()), (vec![vec![0.0; 8], vec![3.0, 4.0], vec![0.0]], "half"));
        let back = recovery.image(&read)?;
        let found = (0..3).map(|level| back.level_to_vec(level)).collect::<Result<Vec<_>, _>>()?;
        assert_eq!(found, vec![vec![2.5; 8], vec![2.5; 2], vec![9.0]]);
        for lost in [&parts, &unread] {
            let error = recovery.image(lost).map(|_| ()).expect_err("the device had a level of it alone");
            assert!(matches!(&error, Error::ContentsLost { tensor } if tensor == lost.name()), "{error}");
        }
        let foreign = recovery.image(&back).map(|_| ());
        assert!(matches!(foreign, Err(Error::ForeignTensor { .. })));
        // It may be lost again.
        lose(faults, recovery.manager());
        assert_eq!(recovery.manager().recover()?.image(&back)?.level_to_vec(2)?, [9.0]);
    }
    is_clean(faults)
}

fn each_evaluation_is_reported_once(faults: Control) -> Result<(), Failed> {
    {
        let mgr = open(ManagerDesc::default())?;
        let mut tensors: Vec<_> = (0..4).map(|_| mgr.tensor_of_len::<u32>(64)).collect::<Result<_, _>>()?;
        let mut sequences = Vec::new();
        for (index, tensor) in tensors.iter_mut().enumerate() {
            let sequence = mgr.sequence()?;
            for _ in 0..=index {
                sequence.record(OpFill::new(tensor, 3))?;
            }
            sequences.push(sequence);
        }
        let [held, given_up, dropped, acknowledged] = &sequences[..] else { return Err("four".into()) };
        acknowledged.eval()?;
        let running = held.eval_async()?;
        drop(given_up.eval_async()?);
        drop(dropped.eval_async()?);
        lose(faults, &mgr);
        drop(sequences.remove(2));
        let recovery = mgr.recover()?;
        let counts: Vec<_> = recovery.lost_evaluations().iter().map(|lost| lost.operations.len()).collect();
        assert_eq!(counts, [3, 2], "the one whose sequence is gone, and the one whose evaluation is");
        assert!(matches!(running.wait(), Err(Error::DeviceLost { .. })), "told by its evaluation");
        assert!(mgr.recover()?.lost_evaluations().is_empty(), "once");
        assert!(sequences.iter().all(|sequence| !sequence.is_running()));
        let error = recovery.tensor(&tensors[0]).map(|_| ()).expect_err("nothing was kept");
        assert!(matches!(error, Error::ContentsLost { .. }));
    }
    is_clean(faults)
}

fn a_failed_recovery_may_be_tried_again(faults: Control) -> Result<(), Failed> {
    {
        let mgr = open(ManagerDesc::default())?;
        assert!(matches!(mgr.recover(), Err(Error::CannotRecover { .. })), "its device works");
        let mut tensor = mgr.tensor_of_len::<u32>(64)?;
        let sequence = mgr.sequence()?;
        sequence.record(OpFill::new(&mut tensor, 3))?;
        drop(sequence.eval_async()?);
        lose(faults, &mgr);
        for function in ["vkCreateInstance", "vkCreateDevice", "vkCreateSemaphore"] {
            (faults.arm)(function, 1, -2);
            assert!(matches!(mgr.recover(), Err(Error::OutOfMemory { .. })), "{function}");
        }
        assert_eq!(mgr.recover()?.lost_evaluations().len(), 1, "reported by the one that worked");
    }
    is_clean(faults)
}

fn waits_that_time_out_lose_nothing(faults: Control) -> Result<(), Failed> {
    {
        let mgr = open(ManagerDesc::default())?;
        let mut tensor = mgr.tensor(&vec![0u32; 1 << 20])?;
        let sequence = mgr.sequence()?;
        for value in 0..200 {
            sequence.record(OpFill::new(&mut tensor, value))?;
        }
        (faults.reset)();
        (faults.time_out)(true);
        let mut timeouts = 0;
        for _ in 0..5 {
            match sequence.eval_within(Duration::from_millis(1)) {
                Ok(()) => {}
                Err(Error::Timeout { .. } | Error::SequenceInFlight { .. }) => timeouts += 1,
                Err(error) => return Err(error.into()),
            }
        }
        (faults.time_out)(false);
        assert!(timeouts > 0);
        assert_eq!(tensor.to_vec()?, vec![199; 1 << 20]);
    }
    is_clean(faults)
}

/// A sequence whose submission vanishes.
fn swallowed(faults: Control, mgr: &Manager) -> gridwise::Result<(Sequence, Tensor<u32>)> {
    let mut tensor = mgr.tensor(&[1u32; 64])?;
    let sequence = mgr.sequence()?;
    sequence.record(OpFill::new(&mut tensor, 3))?;
    (faults.reset)();
    (faults.swallow_submit)(1);
    Ok((sequence, tensor))
}

const PATIENCE: Duration = Duration::from_millis(100);

fn a_hung_device_is_told_and_left_alone(faults: Control) -> Result<(), Failed> {
    let mgr = open(ManagerDesc { hang_timeout: Some(PATIENCE), keeps_contents: true, ..ManagerDesc::default() })?;
    let (sequence, tensor) = swallowed(faults, &mgr)?;
    let input = mgr.tensor(&[5u32; 10])?;
    let start = Instant::now();
    // A wait with an end of its own is no reason to give the device up.
    assert!(!sequence.eval_async()?.wait_timeout(PATIENCE / 4)?);
    let error = tensor.to_vec().expect_err("it never comes");
    assert!(matches!(error, Error::DeviceHung { waited: PATIENCE, .. }), "{error}");
    assert!((PATIENCE..Duration::from_secs(20)).contains(&start.elapsed()));
    assert!(matches!(sequence.eval(), Err(Error::DeviceHung { .. })));
    assert!(!sequence.is_running());
    let before = (faults.live)();
    let recovery = mgr.recover()?;
    assert_eq!(recovery.lost_evaluations().len(), 1);
    assert_eq!(recovery.tensor(&input)?.to_vec()?, [5; 10]);
    drop((mgr, sequence, tensor, input, recovery));
    assert_eq!((faults.live)(), before, "all of it stays, and nothing else");
    Ok(())
}

fn a_task_is_told_of_a_hung_device(faults: Control) -> Result<(), Failed> {
    let mgr = open(ManagerDesc { hang_timeout: Some(PATIENCE), ..ManagerDesc::default() })?;
    let (sequence, tensor) = swallowed(faults, &mgr)?;
    let error = block_on(sequence.eval_async()?).expect_err("it never comes");
    assert!(matches!(error, Error::DeviceHung { .. }), "{error}");
    drop((tensor, sequence, mgr));
    (faults.reset)();
    Ok(())
}
