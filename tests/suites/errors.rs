//! Misuse of the runtime on the device that `GRIDWISE_DEVICE` selects: a typed error each, never a crash.

mod alignment;
mod cases;
mod const_arguments;
mod devices;
mod image_errors;
mod list_arguments;
mod places;
mod races;
mod recordings;
mod tables;

use std::time::Duration;

use gridwise::__private::twin::{HostArgs, HostGroup};
use gridwise::descriptor::{KernelDescriptor, Param, ParamKind};
use gridwise::ops::OpDispatch;
use gridwise::prelude::*;
use gridwise::{Contents, DeviceKind, Error, Kernel, KernelArgs, ManagerDesc, TensorDesc};

use alignment::{arguments_begin_where_elements_can, texels_and_later_members_begin_where_elements_can};
use cases::cases;
use const_arguments::{const_arguments_are_checked, const_arguments_beyond_the_device};
use devices::{
    managers_in_turn_find_their_device, the_environment_names_a_device_by_its_uuid,
    the_sanitizer_is_there_with_its_feature, unknown_device,
};
use image_errors::{
    images_are_parameters_of_kernels, lists_of_images_are_parameters_of_kernels, lists_of_images_that_are_written,
};
use list_arguments::{
    lists_are_parameters_of_kernels, parts_of_tensors_are_in_lists, written_lists_have_no_tensor_twice,
};
use places::{evaluations_name_the_argument, grids_beyond_tensors, lengths_name_the_argument};
use races::{
    elements_that_are_equal, elements_that_differ_stay_so, elements_that_fall, elements_with_two_writers,
    indirect_launches_may_race, launches_may_race, rows_stay_apart,
};
use recordings::{
    conditions_of_races_follow_each_launch, decisions_follow_each_launch, long_lists_of_images,
    parameters_leave_checks, parameters_of_every_type, parameters_of_generic_kernels_and_reports,
    profiles_tell_which_launches_keep_checks,
};
use tables::{
    a_run_keeps_the_slots_it_began_with, checks_follow_slots, slots_are_set_between_evaluations, slots_that_do_not_fit,
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
        tables_are_ordered_with_all_else, tables_change_with_swaps_and_rebuilt_tensors, a_run_keeps_the_slots_it_began_with, checks_follow_slots,
        long_lists_of_images, parameters_of_every_type, parameters_leave_checks, parameters_of_generic_kernels_and_reports,
        profiles_tell_which_launches_keep_checks,
        grids_beyond_tensors, lengths_name_the_argument, evaluations_name_the_argument, launches_may_race,
        indirect_launches_may_race, elements_that_are_equal, elements_that_differ_stay_so, elements_that_fall, rows_stay_apart,
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
