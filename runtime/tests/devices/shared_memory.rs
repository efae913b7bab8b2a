//! Memory that two managers have: what one writes, the other reads; what cannot be shared is an error; who goes first does not matter.

use std::thread;
use std::time::Duration;

use gridwise_runtime::{Contents, Error, Grid, Manager, ManagerDesc, QueueChoice, Tensor, TensorDesc};

use crate::harness::{Device, Outcome, cases, ignored, open};
use crate::kernels::Saxpy;
use crate::ramp;

cases! {
    once: what_cannot_be_shared_is_an_error;
    once_on_vulkan: managers_see_what_each_other_wrote, shared_memory_outlives_who_made_it,
        queues_take_shared_memory_in_turns, sharing_needs_its_extension, what_does_not_fit_is_not_imported, empty_tensors_are_shared_too;
}

/// Two managers of one device that can share memory, and a tensor of the first; or why it has none.
fn two(data: &[f32]) -> Result<(Device, Device, Tensor<f32>), Outcome> {
    let manager = || Device { manager: open(ManagerDesc { validation: true, ..ManagerDesc::from_env().unwrap() }) };
    let (first, second) = (manager(), manager());
    let desc = TensorDesc { name: "shared", contents: Contents::Data(data) };
    match first.shareable_tensor(desc) {
        Ok(tensor) => Ok((first, second, tensor)),
        Err(error @ Error::CannotShare { .. }) => Err(ignored(error)),
        Err(other) => panic!("{other}"),
    }
}

fn managers_see_what_each_other_wrote() -> Outcome {
    let (first, second, mut mine) = match two(&ramp(5000)) {
        Ok(shared) => shared,
        Err(ignored) => return ignored,
    };
    let mut yours = second.tensor_from_shared::<f32>("yours", mine.share().unwrap()).unwrap();
    assert_eq!((yours.len(), yours.to_vec().unwrap()), (5000, ramp(5000)));
    let (one, two) = (first.tensor(&[1.0f32; 5000]).unwrap(), second.tensor(&[1.0f32; 5000]).unwrap());
    let (there, back) = (first.sequence().unwrap(), second.sequence().unwrap());
    Saxpy::dispatch(&there, Grid::items(5000), 1.0, &one, &mut mine).unwrap();
    Saxpy::dispatch(&back, Grid::items(5000), 10.0, &two, &mut yours).unwrap();
    for round in 1..4 {
        there.eval().unwrap();
        back.eval().unwrap();
        let expected: Vec<f32> = (0..5000).map(|i| i as f32 + 11.0 * round as f32).collect();
        assert!(mine.to_vec().unwrap() == expected && yours.to_vec().unwrap() == expected);
    }
    yours.write(&[2.0; 5000]).unwrap();
    assert_eq!(mine.to_vec().unwrap(), [2.0; 5000]);
    // As elements of another type, through a second descriptor.
    let words = second.tensor_from_shared::<[u32; 3]>("words", mine.share().unwrap()).unwrap();
    assert_eq!((words.len(), words.to_vec().unwrap()[1665]), (1666, [2.0f32.to_bits(); 3]));
    Outcome::Done
}

/// Both only read: without the hand-over they would run side by side.
fn queues_take_shared_memory_in_turns() -> Outcome {
    let queues = QueueChoice::AtLeast(2);
    let first = Device { manager: open(ManagerDesc { validation: true, queues, ..ManagerDesc::from_env().unwrap() }) };
    let desc = TensorDesc { name: "shared", contents: Contents::Data(&ramp(5000)) };
    let shared = match first.shareable_tensor(desc) {
        Ok(tensor) => tensor,
        Err(error @ Error::CannotShare { .. }) => return ignored(error),
        Err(other) => panic!("{other}"),
    };
    let mut sums = [0, 1].map(|_| first.tensor(&[1.0f32; 5000]).unwrap());
    let sequences = [0, 1].map(|queue| first.sequence_on(queue).unwrap());
    for (sequence, sum) in sequences.iter().zip(&mut sums) {
        Saxpy::dispatch(sequence, Grid::items(5000), 1.0, &shared, sum).unwrap();
    }
    for _ in 0..10 {
        let running = sequences.each_ref().map(|sequence| sequence.eval_async().unwrap());
        // The host's read is a third taker.
        assert_eq!(shared.to_vec().unwrap()[7], 7.0);
        running.into_iter().for_each(|running| running.wait().unwrap());
    }
    assert!(sums.iter().all(|sum| sum.to_vec().unwrap()[9] == 91.0));
    Outcome::Done
}

fn shared_memory_outlives_who_made_it() -> Outcome {
    let (first, second, mine) = match two(&[7.0; 100]) {
        Ok(shared) => shared,
        Err(ignored) => return ignored,
    };
    let memory = mine.share().unwrap();
    let (fd, layout) = memory.into_parts();
    drop((mine, first));
    // SAFETY: both are of one.
    let memory = unsafe { gridwise_runtime::SharedMemory::from_parts(fd, layout) };
    let yours = second.tensor_from_shared::<f32>("yours", memory).unwrap();
    assert_eq!(yours.to_vec().unwrap(), [7.0; 100]);
    let refused = yours.share();
    assert!(matches!(refused, Err(Error::NotShareable { .. })), "{refused:?}");
    drop(second);
    assert_eq!(yours.to_vec().unwrap(), [7.0; 100]);
    Outcome::Done
}

fn what_cannot_be_shared_is_an_error() {
    let host = Manager::host();
    let desc = || TensorDesc { name: "alone", contents: Contents::Data(&[1.0f32; 4]) };
    assert!(matches!(host.shareable_tensor(desc()), Err(Error::OnHostDevice { .. })));
    assert!(matches!(host.tensor_with(desc()).unwrap().share(), Err(Error::OnHostDevice { .. })));
}

fn sharing_needs_its_extension() {
    let desc = TensorDesc { name: "alone", contents: Contents::Data(&[1.0f32; 4]) };
    let device = ManagerDesc::from_env().unwrap().device;
    let bare = Manager::with(ManagerDesc { device, baseline_only: true, ..ManagerDesc::default() }).unwrap();
    match bare.shareable_tensor(desc) {
        Err(Error::CannotShare { why, .. }) => assert!(why.contains("VK_KHR_external_memory_fd")),
        other => panic!("{other:?}"),
    }
}

fn what_does_not_fit_is_not_imported() -> Outcome {
    let (first, second, mine) = match two(&[1.0; 64]) {
        Ok(shared) => shared,
        Err(ignored) => return ignored,
    };
    assert!(matches!(first.tensor(&[1u32]).unwrap().share(), Err(Error::NotShareable { .. })));
    // No mapping, whatever the memory is: others may write it.
    assert!(matches!(mine.map().map(|_| ()), Err(Error::NotMappable { .. })));
    let import = |change: &dyn Fn(&mut gridwise_runtime::SharedLayout)| {
        let (fd, mut layout) = mine.share().unwrap().into_parts();
        change(&mut layout);
        // SAFETY: what does not fit is told before the driver is asked.
        let memory = unsafe { gridwise_runtime::SharedMemory::from_parts(fd, layout) };
        second.tensor_from_shared::<f32>("yours", memory).map(|tensor| tensor.len())
    };
    assert!(matches!(import(&|layout| layout.uuids[0][3] ^= 1), Err(Error::CannotShare { .. })));
    assert!(matches!(import(&|layout| layout.memory_type = 77), Err(Error::CannotShare { .. })));
    assert!(matches!(import(&|layout| layout.bytes = 1 << 20), Err(Error::CannotShare { .. })));
    assert_eq!(import(&|_| ()).unwrap(), 64);
    // Descriptors are closed, also those of imports that fail.
    let open_files = || std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let before = open_files();
    let rounds = 512;
    for _ in 0..rounds {
        import(&|layout| layout.uuids[1][0] ^= 1).unwrap_err();
        import(&|_| ()).unwrap();
        drop(mine.share().unwrap());
    }
    // Managers of other tests come and go meanwhile, each with dozens of files; what is left open here stays open.
    let is_settled = || {
        let is_settled = open_files() < before + rounds / 2;
        thread::sleep(Duration::from_millis(if is_settled { 0 } else { 50 }));
        is_settled
    };
    assert!((0..600).any(|_| is_settled()), "{before} files became {}", open_files());
    Outcome::Done
}

fn empty_tensors_are_shared_too() -> Outcome {
    let (_first, second, mine) = match two(&[]) {
        Ok(shared) => shared,
        Err(ignored) => return ignored,
    };
    let yours = second.tensor_from_shared::<f32>("yours", mine.share().unwrap()).unwrap();
    assert_eq!(yours.to_vec().unwrap(), Vec::<f32>::new());
    Outcome::Done
}
