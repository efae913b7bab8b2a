//! Misuse of the runtime on the device that `GRIDWISE_DEVICE` selects: a typed error each, never a crash.

mod alignment;
mod cases;
mod image_errors;
mod places;
mod races;
mod recordings;
mod tables;

use std::time::Duration;

use gridwise::__private::twin::{HostArgs, HostGroup};
use gridwise::descriptor::{KernelDescriptor, Param, ParamKind};
use gridwise::ops::OpDispatch;
use gridwise::prelude::*;
use gridwise::{Contents, DeviceChoice, DeviceKind, Error, Kernel, KernelArgs, ManagerDesc, TensorDesc};

use alignment::{arguments_begin_where_elements_can, texels_and_later_members_begin_where_elements_can};
use cases::cases;
use image_errors::{
    images_are_parameters_of_kernels, lists_of_images_are_parameters_of_kernels, lists_of_images_that_are_written,
};
use places::{evaluations_name_the_argument, grids_beyond_tensors, lengths_name_the_argument};
use races::{
    elements_that_are_equal, elements_that_differ_stay_so, elements_with_two_writers, indirect_launches_may_race,
    launches_may_race,
};
use recordings::{
    conditions_of_races_follow_each_launch, decisions_follow_each_launch, long_lists_of_images,
    parameters_leave_checks, parameters_of_every_type, parameters_of_generic_kernels_and_reports,
};
use tables::{
    a_run_keeps_the_slots_it_began_with, slots_are_set_between_evaluations, slots_that_do_not_fit,
    tables_are_ordered_with_all_else, tables_change_with_swaps_and_rebuilt_tensors, tables_of_images, written_tables,
};

cases! {
    always: tensor_of_another_manager, lengths_that_differ, zero_length_tensors_and_grids, grids_that_cannot_be,
        sequence_in_flight, timeout_keeps_everything_alive, any_order_of_drops, unknown_device,
        replay_sees_new_data, many_threads_share_a_manager, errors_name_the_place,
        const_arguments_beyond_the_device, const_arguments_are_checked, images_are_parameters_of_kernels,
        kernels_without_buffers_run, lists_of_images_are_parameters_of_kernels, lists_of_images_that_are_written,
        texels_that_no_device_fetches, lists_are_parameters_of_kernels, written_lists_have_no_tensor_twice, parts_of_tensors_are_in_lists,
        arguments_begin_where_elements_can, texels_and_later_members_begin_where_elements_can,
        conditions_of_races_follow_each_launch, decisions_follow_each_launch, slots_are_set_between_evaluations, slots_that_do_not_fit, written_tables, tables_of_images,
        tables_are_ordered_with_all_else, tables_change_with_swaps_and_rebuilt_tensors, a_run_keeps_the_slots_it_began_with,
        long_lists_of_images, parameters_of_every_type, parameters_leave_checks, parameters_of_generic_kernels_and_reports,
        grids_beyond_tensors, lengths_name_the_argument, evaluations_name_the_argument, launches_may_race,
        indirect_launches_may_race, elements_that_are_equal, elements_that_differ_stay_so,
        elements_with_two_writers,
        the_sanitizer_is_there_with_its_feature, managers_in_turn_find_their_device, the_environment_names_a_device_by_its_uuid;
    unless: validation_reports_a_missing_barrier;
}

#[kernel(workgroup = 64)]
fn scale(factor: f32, values: &mut [f32]) {
    let i = global_id().x;
    if factor != -1.0 {
        values[i] *= factor;
    }
}
/// The line on which `scale` accesses an element.
const SCALED_AT: u32 = line!() - 4;

#[kernel(workgroup = 64)]
fn spin(rounds: u32, values: &mut [u32]) {
    let i = global_id().x;
    let mut state = i;
    for _ in 0..rounds {
        state = state * 747796405 + 2891336453;
    }
    values[i] = state;
}

#[kernel(workgroup = [1, 1, 1])]
fn flat(values: &mut [u32]) {
    values[0] = 1;
}

#[kernel(workgroup = 64)]
fn nothing() {}

#[kernel(workgroup = 64)]
fn only_small(limit: u32) {
    assert!(global_id().x < limit, "item {} is one too many", limit);
}

#[kernel(workgroup = 64)]
fn add(x: &[f32], values: &mut [f32]) {
    let i = global_id().x;
    values[i] += x[i];
}

fn manager() -> Manager {
    Manager::new().expect("a device")
}

fn clean(mgr: &Manager) {
    assert_eq!(mgr.validation_messages(), Vec::<String>::new());
}

/// Work that is still running when the caller goes on: some tenths of a second.
fn long(mgr: &Manager) -> (Sequence, Tensor<u32>) {
    let mut values = mgr.tensor(&vec![0u32; 2048]).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    Spin::dispatch(&seq, Grid::items(2048), 40_000, &mut values).expect("recorded");
    (seq, values)
}

fn tensor_of_another_manager() {
    let (mgr, other) = (manager(), Manager::host());
    let mut foreign = other.tensor(&[1.0f32; 4]).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    let error = Scale::dispatch(&seq, Grid::items(4), 2.0, &mut foreign).expect_err("foreign");
    assert!(matches!(error, Error::ForeignTensor { .. }), "{error}");
    assert!(error.to_string().contains("`tensor` (argument 2, `values`, of kernel `scale`)"), "{error}");
    seq.eval().expect("nothing was recorded");
    clean(&mgr);
}

fn kernels_without_buffers_run() {
    let mgr = manager();
    let seq = mgr.sequence().expect("a sequence");
    let recorded = Nothing::dispatch(&seq, Grid::items(100)).expect("recorded");
    // What records gives back the sequence, whichever way it does.
    let recorded = recorded.dispatch(Grid::items(7), KernelArgs::new::<Nothing>()).expect("recorded");
    let recorded = recorded.record(OpDispatch::new(Grid::items(7), KernelArgs::new::<Nothing>())).expect("recorded");
    let recorded = OnlySmall::dispatch(recorded, Grid::items(100), 100).expect("recorded");
    assert_eq!(recorded.len(), 4);
    recorded.eval().expect("nothing to complain of");
    let seq = mgr.sequence().expect("a sequence");
    OnlySmall::dispatch(&seq, Grid::items(100), 99).expect("recorded");
    let error = seq.eval().expect_err("one item too many");
    assert!(matches!(&error, Error::KernelPanic { message, .. } if message == "item 99 is one too many"), "{error}");
    clean(&mgr);
}

fn the_sanitizer_is_there_with_its_feature() {
    let desc = ManagerDesc { device: DeviceChoice::Sanitizer, ..ManagerDesc::default() };
    match Manager::with(desc) {
        Ok(_) if cfg!(feature = "sanitizer") => {}
        Ok(_) => panic!("a sanitizer without its feature"),
        Err(error) => assert!(matches!(error, Error::NoSanitizer) && !cfg!(feature = "sanitizer"), "{error}"),
    }
}

fn lengths_that_differ() {
    let mgr = manager();
    let mut tensor = mgr.tensor(&[1.0f32; 4]).expect("memory");
    let error = tensor.write(&[1.0; 3]).expect_err("three for four");
    assert!(matches!(error, Error::LengthMismatch { expected: 4, found: 3, .. }), "{error}");
    let error = tensor.read_into(&mut [0.0; 5]).expect_err("five for four");
    assert!(matches!(error, Error::LengthMismatch { expected: 4, found: 5, .. }), "{error}");
    tensor.write(&[5.0; 4]).expect("the right length");
    assert_eq!(tensor.to_vec().expect("readable"), [5.0; 4]);
    let bytes: Vec<u8> = (0..=200).collect();
    let bytes = mgr.tensor_named("bytes", &bytes).expect("memory");
    for at in [0, 1, 2, 3, 77, 200] {
        assert_eq!(bytes.get(at).expect("one of them"), at as u8);
        assert_eq!(bytes.part(at..).expect("in range").get(0).expect("the first"), at as u8);
    }
    for at in [201, usize::MAX - 1, usize::MAX] {
        let error = bytes.get(at).expect_err("behind the last");
        assert!(matches!(&error, Error::OutOfRange { tensor, size: 201, .. } if tensor == "bytes"), "{error}");
    }
    assert!(mgr.tensor::<u32>(&[]).expect("nothing").get(0).is_err());
    clean(&mgr);
}

fn zero_length_tensors_and_grids() {
    let mgr = manager();
    let (x, mut values) = (mgr.tensor::<f32>(&[]).expect("empty"), mgr.tensor::<f32>(&[]).expect("empty"));
    assert_eq!(x.to_vec().expect("readable"), []);
    values.write(&[]).expect("nothing to write");
    let seq = mgr.sequence().expect("a sequence");
    Add::dispatch(&seq, Grid::items(0), &x, &mut values).expect("nothing to do");
    seq.eval().expect("nothing to do");
    seq.clear().expect("not running");
    seq.eval().expect("an empty sequence");
    let error = Add::dispatch(&seq, Grid::items(1), &x, &mut values).expect_err("one item, no element");
    assert!(matches!(error, Error::GridBeyondTensor(_)), "{error}");
    clean(&mgr);
}

/// A size of the program's own.
struct Any(i128);

impl gridwise::GridSize for Any {
    fn extent(self) -> [i128; 3] {
        [self.0, 1, 1]
    }
}

fn grids_that_cannot_be() {
    let mgr = manager();
    let mut values = mgr.tensor(&[1.0f32; 4]).expect("memory");
    let mut flags = mgr.tensor(&[1u32; 4]).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    let error = Scale::dispatch(&seq, Grid::items(-3), 2.0, &mut values).expect_err("negative");
    assert!(matches!(error, Error::NegativeGrid { axis: 0, asked: -3, .. }), "{error}");
    let error = Scale::dispatch(&seq, Grid::items(1u64 << 40), 2.0, &mut values).expect_err("too large");
    assert!(matches!(error, Error::GridTooLarge { axis: 0, .. }), "{error}");
    let error = Flat::dispatch(&seq, Grid::groups([1u64, 1 << 33, 1]), &mut flags).expect_err("too large");
    assert!(matches!(error, Error::GridTooLarge { axis: 1, .. }), "{error}");
    assert!(error.to_string().contains("axis 1"), "{error}");
    // As on every device that has no more than all have; none has more along y.
    let error = Flat::dispatch(&seq, Grid::groups([70_000, 70_000]), &mut flags).expect_err("too large");
    let is_told = matches!(error, Error::GridTooLarge { axis: 0 | 1, asked: 70_000, .. });
    assert!(is_told || mgr.device().limits.max_groups[1] >= 70_000, "{error}");
    let error = Scale::dispatch(&seq, Grid::items(Any(i128::MAX)), 2.0, &mut values).expect_err("too large");
    assert!(matches!(error, Error::GridTooLarge { axis: 0, asked: u64::MAX, .. }), "{error}");
    let error = Scale::dispatch(&seq, Grid::groups(Any(i128::MIN)), 2.0, &mut values).expect_err("negative");
    assert!(matches!(error, Error::NegativeGrid { axis: 0, .. }), "{error}");
    clean(&mgr);
}

fn sequence_in_flight() {
    let mgr = manager();
    let (seq, mut values) = long(&mgr);
    let running = seq.eval_async().expect("submitted");
    // A fast device may be done at any moment; what it must not do is accept work while it runs.
    for result in [Spin::dispatch(&seq, Grid::items(64), 1, &mut values).map(drop), seq.eval()] {
        match result {
            Err(Error::SequenceInFlight { .. }) => {}
            Ok(()) => assert!(!seq.is_running()),
            Err(error) => panic!("{error}"),
        }
    }
    running.wait().expect("finished");
    seq.eval().expect("again");
    clean(&mgr);
}

fn timeout_keeps_everything_alive() {
    let mgr = manager();
    let (seq, values) = long(&mgr);
    let running = seq.eval_async().expect("submitted");
    match running.wait_timeout(Duration::from_micros(1)) {
        Ok(_) => {}
        Err(error) => assert!(matches!(error, Error::Timeout { .. }), "{error}"),
    }
    drop(seq);
    // Reading waits for what still runs.
    let expected = (0..40_000).fold(5u32, |state, _| state.wrapping_mul(747796405).wrapping_add(2891336453));
    assert_eq!(values.to_vec().expect("readable")[5], expected);
    clean(&mgr);
}

fn any_order_of_drops() {
    for order in 0..4 {
        let mgr = manager();
        let messages = mgr.clone();
        let (seq, values) = long(&mgr);
        let running = seq.eval_async().expect("submitted");
        match order {
            0 => {
                drop(values);
                drop(mgr);
                drop(seq);
                drop(running);
            }
            1 => {
                drop(running);
                drop(seq);
                drop(mgr);
                drop(values);
            }
            2 => {
                drop(seq);
                drop(values);
                running.wait().expect("finished");
                drop(mgr);
            }
            _ => {
                drop(mgr);
                running.wait().expect("finished");
                drop(values);
                drop(seq);
            }
        }
        clean(&messages);
    }
}

fn unknown_device() {
    let desc = ManagerDesc { device: DeviceChoice::Name("no such device".into()), ..ManagerDesc::default() };
    let error = Manager::with(desc).expect_err("no such device");
    assert!(matches!(error, Error::NoDevice { .. }), "{error}");
    assert!(error.to_string().contains("no such device") && error.to_string().contains("host"), "{error}");
}

fn replay_sees_new_data() {
    let mgr = manager();
    let (mut x, mut values) =
        (mgr.tensor(&[1.0f32; 100]).expect("memory"), mgr.tensor(&[0.0f32; 100]).expect("memory"));
    let seq = mgr.sequence().expect("a sequence");
    Add::dispatch(&seq, Grid::items(100), &x, &mut values).expect("recorded");
    for round in 0..10 {
        x.write(&vec![round as f32; 100]).expect("written");
        seq.eval().expect("evaluated");
    }
    assert_eq!(values.to_vec().expect("readable"), [45.0; 100]);
    clean(&mgr);
}

fn many_threads_share_a_manager() {
    let mgr = manager();
    std::thread::scope(|scope| {
        for thread in 0..8u32 {
            let mgr = mgr.clone();
            scope.spawn(move || {
                for round in 0..20 {
                    let mut values = mgr.tensor(&vec![thread as f32; 300]).expect("memory");
                    let seq = mgr.sequence().expect("a sequence");
                    Scale::dispatch(&seq, Grid::items(300), round as f32, &mut values).expect("recorded");
                    seq.eval().expect("evaluated");
                    assert_eq!(values.to_vec().expect("readable"), vec![(thread * round) as f32; 300]);
                }
            });
        }
    });
    clean(&mgr);
}

fn errors_name_the_place() {
    let mgr = manager();
    let mut values = mgr.tensor(&[1.0f32; 4]).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    Scale::dispatch(&seq, Grid::items(6), 2.0, &mut values).expect("recorded");
    let Err(Error::KernelPanic { kernel, message, file, line, column, count, .. }) = seq.eval() else {
        panic!("two invocations are out of range");
    };
    assert_eq!((&*kernel, line, column), ("scale", SCALED_AT, 9));
    assert!(file.ends_with("errors.rs") && count >= 2, "{file} {count}");
    assert!(message.contains("the len is 4 but the index is"), "{message}");
    assert_eq!(values.to_vec().expect("readable"), [2.0; 4], "the others went on");
    clean(&mgr);
}

#[kernel(workgroup = N)]
fn tile<const N: u32, const M: usize>(values: &mut [u32]) {
    let tile = Shared::<[[u32; M]; 2]>::new();
    tile[0][local_id().x] = 1;
    barrier();
    values[global_id().x] = tile[0][0] + M as u32;
}

/// Const arguments that the device cannot run are errors of the launch; others of the same kernel run.
fn const_arguments_beyond_the_device() {
    let mgr = manager();
    let mut values = mgr.tensor(&[0u32; 64]).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    Tile::<64, 1024>::dispatch(&seq, Grid::items(64), &mut values).expect("recorded");
    let error = Tile::<64, 1_000_000>::dispatch(&seq, Grid::items(64), &mut values);
    if mgr.device().kind == DeviceKind::Host {
        error.expect("the host has enough");
    } else {
        let error = error.expect_err("8 MB of shared memory");
        assert!(matches!(error, Error::SharedMemoryTooLarge { asked: 8_000_000, .. }), "{error}");
    }
    let error = Tile::<64, 1024>::dispatch(&seq, Grid::items(65), &mut values).expect_err("not full");
    assert!(matches!(error, Error::PartialWorkgroup { width: 64, .. }), "{error}");
    seq.eval().expect("evaluated");
    clean(&mgr);
}

/// `tile` with const arguments that the macro would refuse.
struct Refused<const LEN: usize>;

// SAFETY: the descriptor is that of a kernel; the launch is refused before anything runs.
unsafe impl<const LEN: usize> Kernel for Refused<LEN> {
    const DESCRIPTOR: &'static KernelDescriptor = <Tile<64, 64> as Kernel>::DESCRIPTOR;
    const CONSTANTS: &'static [u64] = [&[0u64, 4] as &[u64], &[64, 1 << 33], &[64]][LEN];

    fn host(_: &HostArgs<'_>, _: HostGroup<'_>) {}
}

fn const_arguments_are_checked() {
    let mgr = manager();
    let error = mgr.algorithm::<Refused<0>>().expect_err("a workgroup of nobody");
    assert_eq!(
        error.to_string(),
        "kernel `tile`: the const parameter `N` cannot be 0: a workgroup or an array cannot have this size"
    );
    let error = mgr.algorithm::<Refused<1>>().expect_err("33 bits");
    assert!(matches!(error, Error::InvalidConstant { constant: "M", value: 0x2_0000_0000, .. }), "{error}");
    let error = mgr.algorithm::<Refused<2>>().expect_err("one is missing");
    assert!(matches!(error, Error::InvalidModule { .. }), "{error}");
    let small = mgr.algorithm::<Tile<32, 16>>().expect("ready");
    assert_eq!((small.constants(), small.descriptor().workgroup_with(small.constants())), (&[32, 16][..], [32, 1, 1]));
}

/// `add` with a descriptor that denies its writes, so that no barrier is made for them.
struct Liar;

static LIE: KernelDescriptor = KernelDescriptor {
    params: &[
        Param { name: "x", kind: ParamKind::Buffer { binding: 0, writable: false, stride: 4, align: 4 } },
        Param { name: "values", kind: ParamKind::Buffer { binding: 1, writable: false, stride: 4, align: 4 } },
    ],
    ..*<Add as Kernel>::DESCRIPTOR
};

// SAFETY: it is not: that is the point. It runs in this test only, where each invocation has elements of its own, and what
// comes of it is not looked at.
unsafe impl Kernel for Liar {
    const DESCRIPTOR: &'static KernelDescriptor = &LIE;

    fn host(_: &HostArgs<'_>, _: HostGroup<'_>) {}
}

/// The suites take silence of the validation layer for proof: it must speak when there is something to say.
fn validation_reports_a_missing_barrier() -> Option<&'static str> {
    let mgr = manager();
    if !ManagerDesc::from_env().expect("a good environment").validation || mgr.device().kind == DeviceKind::Host {
        return Some("nobody validates");
    }
    let (x, values) = (mgr.tensor(&[1.0f32; 64]).expect("memory"), mgr.tensor(&[0.0f32; 64]).expect("memory"));
    let seq = mgr.sequence().expect("a sequence");
    for (from, to) in [(&x, &values), (&values, &x)] {
        let args = KernelArgs::new::<Liar>().read(from).read(to);
        seq.dispatch(Grid::items(64), args).expect("recorded");
    }
    seq.eval().expect("evaluated");
    let messages = mgr.validation_messages();
    assert!(messages.iter().any(|message| message.contains("READ_AFTER_WRITE")), "{messages:?}");
    None
}

#[kernel(workgroup = 64)]
fn fetched(#[texels] x: &[u32], values: &mut [u32]) {
    let i = global_id().x;
    values[i] = x[i];
}

fn texels_that_no_device_fetches() {
    let mgr = manager();
    let (seq, limits) = (mgr.sequence().expect("a sequence"), mgr.device().limits);
    let (x, mut values) = (mgr.tensor(&[7u32; 96]).expect("memory"), mgr.tensor(&[0u32; 32]).expect("memory"));
    for first in [1, 2, 3, 4, 8, 16, 64] {
        let recorded =
            Fetched::dispatch(&seq, Grid::items(32), &x.part(first..first + 32).expect("a part"), &mut values);
        match (4 * first as u64).is_multiple_of(limits.texel_alignment) {
            true => assert!(recorded.is_ok(), "{recorded:?}"),
            false => {
                let error = recorded.expect_err("where no texel begins");
                let is_told =
                    matches!(&error, Error::Misaligned { alignment, .. } if *alignment == limits.texel_alignment);
                assert!(is_told, "{error}");
            }
        }
    }
    seq.eval().expect("evaluated");
    assert_eq!(values.to_vec().expect("read"), [7; 32]);
    // One more than there can be, where buffers may be as large; nobody writes them.
    let len = limits.max_texels as usize + 1;
    if mgr.device().kind != DeviceKind::Host && 4 * len as u64 <= limits.max_buffer_bytes {
        let desc = TensorDesc::<u32> { name: "many", contents: Contents::Uninit(len) };
        let many = mgr.tensor_with(desc).expect("half a gigabyte");
        let error = Fetched::dispatch(&seq, Grid::items(32), &many, &mut values).expect_err("one too many");
        let is_told = matches!(&error, Error::BufferTooLarge { unit: "texels", asked, limit, .. }
            if (*asked, *limit) == (len as u64, u64::from(limits.max_texels)));
        assert!(is_told, "{error}");
    }
    clean(&mgr);
}

#[kernel(workgroup = 64)]
fn sums(parts: &[&[f32]], to: &mut [f32]) {
    let k = global_id().x;
    to[k] = parts[k].iter().sum::<f32>();
}

fn lists_are_parameters_of_kernels() {
    let mgr = manager();
    let (one, mut two) = (mgr.tensor(&[1.0f32, 2.0]).expect("memory"), mgr.tensor(&[3.0f32]).expect("memory"));
    let mut to = mgr.tensor_of_len::<f32>(3).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    Sums::dispatch(&seq, Grid::items(3), &[&one, &two, &one], &mut to).expect("fits");
    // A member that is rebuilt is followed: the table of the list has its new address.
    two.rebuild(&[5.0]).expect("memory");
    seq.eval().expect("runs");
    assert_eq!(to.to_vec().expect("readable"), [3.0, 5.0, 3.0]);
    two.write(&[3.0]).expect("as long");
    // A recording keeps what it names alive.
    drop((one, two));
    seq.eval().expect("runs");
    assert_eq!(to.to_vec().expect("readable"), [3.0, 3.0, 3.0]);
    seq.clear().expect("idle");

    let mut own = mgr.tensor_of_len::<f32>(3).expect("memory");
    // What `dispatch` does not let through: a tensor of the list that is written, too.
    let args = || KernelArgs::new::<Sums>();
    let both = args().read_list(&[&to, &own]).write(&mut own);
    let error = seq.dispatch(Grid::items(1), both).expect_err("read and written at once");
    assert!(matches!(error, Error::AliasedTensor { .. }), "{error}");
    let error = seq.dispatch(Grid::items(1), args().read(&to).write(&mut own)).expect_err("one tensor");
    assert!(matches!(error, Error::ArgumentMismatch { .. }), "{error}");
    let words = mgr.tensor(&[1.0f64]).expect("memory");
    let error = seq.dispatch(Grid::items(1), args().read_list(&[&words]).write(&mut own)).expect_err("other elements");
    assert!(matches!(error, Error::ArgumentMismatch { .. }), "{error}");
    let other = Manager::host();
    let foreign = other.tensor(&[1.0f32]).expect("memory");
    let error = Sums::dispatch(&seq, Grid::items(1), &[&to, &foreign], &mut own).expect_err("of another manager");
    assert!(matches!(error, Error::ForeignTensor { .. }), "{error}");
    // A list is no tensor.
    let error = seq
        .dispatch(Grid::items(1), KernelArgs::new::<Add>().read_list(&[&to]).write(&mut own))
        .expect_err("the kernel takes one");
    assert!(matches!(error, Error::ArgumentMismatch { .. }), "{error}");
    assert!(seq.is_empty(), "nothing of what was refused is kept");
    #[cfg(unix)]
    if let Ok(shared) =
        mgr.shareable_tensor(gridwise::TensorDesc { name: "shared", contents: gridwise::Contents::Data(&[1.0f32]) })
    {
        let error = Sums::dispatch(&seq, Grid::items(1), &[&shared], &mut own).expect_err("without an address");
        assert!(matches!(&error, Error::NoAddress { tensor, .. } if tensor == "shared"), "{error}");
    }
    clean(&mgr);
}

#[kernel(workgroup = 1)]
fn first_of_each(x: &[f32], parts: &mut [&mut [f32]]) {
    for k in 0..parts.len() {
        parts[k][0] = x[0];
    }
}

fn parts_of_tensors_are_in_lists() {
    let mgr = manager();
    let x = mgr.tensor(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).expect("memory");
    let part = |range: std::ops::Range<usize>| x.part(range).expect("in range");
    let mut to = mgr.tensor(&[0.0f32; 5]).expect("memory");
    let seq = mgr.sequence().expect("a sequence");
    // Wherever they begin, as lists are found by addresses; also where they overlap, and one without elements.
    let parts = [&part(1..3), &part(2..7), &part(7..7), &part(6..7)];
    let parts = parts.map(|part| &**part);
    Sums::dispatch(&seq, Grid::items(4), &parts, &mut to.part_mut(..4).expect("in range")).expect("fits");
    seq.eval().expect("runs");
    assert_eq!(to.to_vec().expect("readable"), [5.0, 25.0, 0.0, 7.0, 0.0]);

    let seq = mgr.sequence().expect("a sequence");
    let (mut first, mut others) = to.split_at_mut(1).expect("in range");
    let (mut second, mut third) = others.split_at_mut(3).expect("in range");
    FirstOfEach::dispatch(&seq, Grid::items(1), &x, &mut [&mut *third, &mut *first, &mut *second]).expect("fits");
    seq.eval().expect("runs");
    let recorded = Exchange::dispatch(&seq, Grid::items(1), &mut [&mut *first, &mut *second], &mut [&mut *third]);
    recorded.expect("parts of one tensor that have nothing in common");
    seq.eval().expect("runs");
    assert_eq!(to.to_vec().expect("readable"), [1.0, 1.0, 0.0, 7.0, 1.0]);

    // What overlaps one that is written is refused, whichever of a list it is.
    let seq = mgr.sequence().expect("a sequence");
    let args =
        KernelArgs::new::<Sums>().read_list(&[&*to.part(0..1).expect("in range"), &*to.part(2..4).expect("in range")]);
    let mut written = to.part_mut(3..5).expect("in range");
    let error = seq.dispatch(Grid::items(1), args.write(&mut written)).expect_err("an element of both");
    assert!(matches!(error, Error::AliasedTensor { .. }), "{error}");
    clean(&mgr);
}

#[kernel(workgroup = 1)]
fn exchange(a: &mut [&mut [f32]], b: &mut [&mut [f32]]) {
    let kept = a[0][0];
    a[0][0] = b[0][0];
    b[0][0] = kept;
}

#[kernel(workgroup = 64)]
fn take(to: &mut [f32], from: &[f32]) {
    let i = global_id().x;
    to[i] = from[i];
}

fn written_lists_have_no_tensor_twice() {
    let mgr = manager();
    let (x, mut one, mut two) = (
        mgr.tensor(&[1.0f32]).expect("memory"),
        mgr.tensor(&[2.0f32]).expect("memory"),
        mgr.tensor(&[3.0f32]).expect("memory"),
    );
    let seq = mgr.sequence().expect("a sequence");
    // What `dispatch` does not let through: a tensor that is read, or in another list, too.
    let of_one = one.name().to_owned();
    let both = KernelArgs::new::<Take>().write(&mut one).read(&one);
    let error = seq.dispatch(Grid::items(1), both).expect_err("written, then read");
    assert!(matches!(&error, Error::AliasedTensor { tensor, .. } if *tensor == of_one), "{error}");
    let both = KernelArgs::new::<FirstOfEach>().read(&one).write_list(&mut [&mut two, &mut one]);
    let error = seq.dispatch(Grid::items(1), both).expect_err("read and written");
    assert!(matches!(&error, Error::AliasedTensor { tensor, .. } if *tensor == of_one), "{error}");
    assert!(error.to_string().contains("`tensor` (argument 1, `x` and argument 2, `parts[1]`)"), "{error}");
    let both = KernelArgs::new::<Exchange>().write_list(&mut [&mut one, &mut two]).write_list(&mut [&mut one]);
    let error = seq.dispatch(Grid::items(1), both).expect_err("in both lists");
    assert!(matches!(&error, Error::AliasedTensor { tensor, .. } if *tensor == of_one), "{error}");
    assert!(error.to_string().contains("`tensor` (argument 1, `a[0]` and argument 2, `b[0]`)"), "{error}");
    // A list to write is not one to read.
    let args = || KernelArgs::new::<FirstOfEach>().read(&x);
    let error = seq.dispatch(Grid::items(1), args().read_list(&[&two])).expect_err("to be written");
    assert!(matches!(error, Error::ArgumentMismatch { .. }), "{error}");
    let error = seq.dispatch(Grid::items(1), args().write(&mut two)).expect_err("no list");
    assert!(matches!(error, Error::ArgumentMismatch { .. }), "{error}");
    assert!(seq.is_empty(), "nothing of what was refused is kept");
    FirstOfEach::dispatch(&seq, Grid::items(1), &x, &mut [&mut one, &mut two]).expect("fits");
    seq.eval().expect("runs");
    assert_eq!((one.to_vec().expect("readable"), two.to_vec().expect("readable")), (vec![1.0], vec![1.0]));
    let seq = mgr.sequence().expect("a sequence");
    two.write(&[8.0]).expect("written");
    Exchange::dispatch(&seq, Grid::items(1), &mut [&mut one], &mut [&mut two]).expect("fits");
    seq.eval().expect("runs");
    assert_eq!((one.to_vec().expect("readable"), two.to_vec().expect("readable")), (vec![8.0], vec![1.0]));
}

/// A process that has one manager at a time, many times over. Drivers can be loaded into a process so often and no more.
fn the_environment_names_a_device_by_its_uuid() {
    const ALONE: &str = "GRIDWISE_TEST_UUID";
    if let Some(uuid) = std::env::var_os(ALONE) {
        let found = Manager::new().expect("a manager").device().uuid.expect("a device of Vulkan");
        assert_eq!(Some(&*found.to_string()), uuid.to_str());
        return;
    }
    let [program, options @ ..] = &this_program()[..] else { panic!("a program has a name") };
    for device in Manager::list_devices().iter().filter(|device| device.is_suitable()) {
        let Some(uuid) = device.uuid.map(|uuid| uuid.to_string()) else { continue };
        let mut child = std::process::Command::new(program);
        child.args(options).args(["--exact", "the_environment_names_a_device_by_its_uuid"]);
        let output =
            child.env(ALONE, &uuid).env("GRIDWISE_DEVICE", &uuid).output().expect("the program starts once more");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

fn managers_in_turn_find_their_device() {
    const ALONE: &str = "GRIDWISE_TEST_MANAGERS_IN_TURN";
    if std::env::var_os(ALONE).is_none() {
        let [program, options @ ..] = &this_program()[..] else { panic!("a program has a name") };
        let mut child = std::process::Command::new(program);
        child.args(options).args(["--exact", "managers_in_turn_find_their_device"]).env(ALONE, "1");
        let output = child.output().expect("the program starts once more");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    let mut devices = (0..64).map(|_| Manager::new().expect("a manager").device().to_string());
    let first = devices.next();
    assert!(devices.all(|device| Some(device) == first), "always {first:?}");
}

/// How this program is started: its path, behind a loader and its options if one started it.
fn this_program() -> Vec<String> {
    let program = std::env::args().next().expect("a program has a name");
    let line = std::fs::read_to_string("/proc/self/cmdline").unwrap_or_default();
    let words: Vec<_> = line.split('\0').map(str::to_owned).collect();
    match words.iter().position(|word| *word == program) {
        Some(at) => words[..=at].to_vec(),
        None => vec![program],
    }
}
