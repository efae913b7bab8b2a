//! A hand-written twin, run as the host device runs the generated ones.

use gridwise_ir::descriptor::{KernelDescriptor, Location, Param, ParamKind, Site, SiteKind};

use super::*;

const HERE: Location = Location { file: "kernel.rs", line: 3, column: 5 };

pub(super) static SITES: [Site; 2] = [
    Site { kind: SiteKind::IndexOutOfBounds, location: HERE, text: "y[i]", message: None },
    Site { kind: SiteKind::DivideByZero, location: HERE, text: "a / b", message: None },
];

pub(super) static DESCRIPTOR: KernelDescriptor = KernelDescriptor {
    params: &[
        Param { name: "a", kind: ParamKind::Value { offset: 0, size: 4 } },
        Param { name: "x", kind: ParamKind::Buffer { binding: 0, writable: false, stride: 4, align: 4 } },
        Param { name: "y", kind: ParamKind::Buffer { binding: 1, writable: true, stride: 12, align: 4 } },
    ],
    sites: &SITES,
    ..KernelDescriptor::new("test", HERE, &[], "main", [4, 2, 1], 4)
};

/// `y[i][1] = x[i] + a` over a grid of 5×3 in groups of 4×2, with buffers of `len` elements.
fn run(len: u32) -> (Vec<[u32; 3]>, Option<Trap>) {
    let (mut x, mut y) = (vec![7u32; 15], vec![[0u32; 3]; 15]);
    x.truncate(len as usize);
    let launch = LaunchContext::new(&DESCRIPTOR, [5, 3, 1], [2, 2, 1]);
    let buffers =
        [HostBuffer { data: x.as_mut_ptr().cast(), len }, HostBuffer { data: y.as_mut_ptr().cast(), len: 15 }];
    // SAFETY: the buffers outlive `args`, hold what they say, and only this thread accesses them.
    let args = unsafe { HostArgs::new(&launch, &buffers, &[1, 0, 0, 0]) };
    for group in [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]] {
        let (a, x, y) = (args.value::<u32>(0), args.slice::<u32>(1), args.slice_mut::<[u32; 3]>(2));
        HostGroup::new(&launch, group).run_ambient(|cx| {
            assert_eq!(global_id(), cx.global_id());
            let i = (cx.global_id().y * 5 + cx.global_id().x) as usize;
            let value = at(cx, &SITES[0], x, i) + a;
            y.set(cx, &SITES[0], i, |element| index_ref(cx, &SITES[0], element, 1), value);
        });
    }
    (y, launch.trap())
}

#[test]
fn covers_the_grid_once_and_writes_only_the_selected_part() {
    let (y, trap) = run(15);
    assert_eq!(y, vec![[0, 8, 0]; 15]);
    assert_eq!(trap, None);
}

#[test]
fn records_reads_out_of_range_and_goes_on_with_zero() {
    let (y, trap) = run(13);
    let trap = trap.expect("two reads are out of range");
    assert_eq!((trap.site, trap.count), (SITES[0], 2));
    assert_eq!(trap.message, "index out of bounds: the len is 13 but the index is 13");
    assert_eq!(trap.invocation, [3, 2, 0]);
    assert_eq!((y[12], y[13], y[14]), ([0, 8, 0], [0, 1, 0], [0, 1, 0]));
}

#[test]
fn device_functions_panic_as_rust_does_outside_of_a_kernel() {
    let panic = std::panic::catch_unwind(|| at(Ambient, &SITES[0], &[1u32], 4)).expect_err("out of range");
    let message = panic.downcast_ref::<String>().expect("a formatted message");
    assert!(message.contains("the len is 1 but the index is 4") && message.contains("kernel.rs:3:5"), "{message}");
}
