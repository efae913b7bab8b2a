//! Panics and prints: Rust's own texts, in Rust's order, on every device.

#![expect(clippy::dbg_macro, clippy::todo, clippy::unimplemented, reason = "kernels have these macros")]

use std::collections::BTreeMap;
use std::sync::Mutex;

use gridwise::Error;
use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

/// The texts that each kernel printed: entries share a manager, and each of these kernels has one entry.
static PRINTED: Mutex<BTreeMap<&str, String>> = Mutex::new(BTreeMap::new());

/// Runs one launch over `items`: what it printed, how it ended, and the buffer.
fn run(
    mgr: &Manager,
    kernel: &str,
    items: u32,
    dispatch: impl for<'s> FnOnce(&'s Sequence, Grid, &mut Tensor<u32>) -> gridwise::Result<&'s Sequence>,
) -> gridwise::Result<Vec<Output>> {
    mgr.on_print(move |message| {
        PRINTED.lock().expect("nobody panics").entry(message.kernel).or_default().push_str(message.text);
    });
    let mut out = mgr.tensor(&[0u32; 8])?;
    let seq = mgr.sequence()?;
    dispatch(&seq, Grid::items(items), &mut out)?;
    let end = match seq.eval() {
        Ok(()) => "done".to_owned(),
        Err(Error::KernelPanic { message, file, line, column, count, .. }) => {
            // Panics of one kernel only are told apart by their lines, which change as this file does.
            let line = if line == ROOT + 3 && file == file!() { "root" } else { "here" };
            format!("{message} ({line}:{column}, {count})")
        }
        Err(error) => error.to_string(),
    };
    let printed = PRINTED.lock().expect("nobody panics").remove(kernel).unwrap_or_default();
    Ok(vec![Output::Report(printed), Output::Report(end), Output::U32(out.to_vec()?)])
}

/// The texts of a launch that ends well, and the words that it wrote.
fn printed(text: impl Into<String>, out: [u32; 8]) -> Vec<Output> {
    vec![Output::Report(text.into()), Output::Report("done".to_owned()), Output::U32(out.to_vec())]
}

fn panicked(text: &str, out: [u32; 8]) -> Vec<Output> {
    vec![Output::Report(String::new()), Output::Report(text.to_owned()), Output::U32(out.to_vec())]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "reports::assert",
        [AssertBelow],
        |mgr| run(mgr, "assert_below", 8, |seq, grid, out| AssertBelow::dispatch(seq, grid, 3, out)),
        || panicked("assertion failed: i < limit (here:5, 5)", [1, 1, 1, 0, 0, 0, 0, 0])
    ),
    case!(
        "reports::assert_holds",
        [AssertBelow],
        |mgr| run(mgr, "assert_below", 8, |seq, grid, out| AssertBelow::dispatch(seq, grid, 8, out)),
        || printed("", [1; 8])
    ),
    case!(
        "reports::assert_eq",
        [AssertEqual],
        |mgr| run(mgr, "assert_equal", 1, |seq, grid, out| AssertEqual::dispatch(seq, grid, 2.5, out)),
        || panicked("assertion `left == right` failed: x was 2.500\n  left: 2.5\n right: 3.0 (here:5, 1)", [0; 8])
    ),
    case!(
        "reports::assert_ne_of_vectors",
        [AssertUnequal],
        |mgr| run(mgr, "assert_unequal", 1, |seq, grid, out| AssertUnequal::dispatch(seq, grid, 7, out)),
        || panicked("assertion `left != right` failed\n  left: UVec2(7, 1)\n right: UVec2(7, 1) (here:5, 1)", [0; 8])
    ),
    case!(
        "reports::panic_in_a_device_fn",
        [InDevice],
        |mgr| run(mgr, "in_device", 8, InDevice::dispatch),
        || panicked("no root of -1, {0xffffffff} (root:9, 1)", [4, 4, 4, 0, 4, 4, 4, 4])
    ),
    case!(
        "reports::todo_and_unreachable",
        [Branches],
        |mgr| {
            let mut outputs = Vec::new();
            for which in 0..5 {
                outputs.extend(run(mgr, "branches", 1, |seq, grid, out| Branches::dispatch(seq, grid, which, out))?);
            }
            Ok(outputs)
        },
        || {
            let out = |value| [value, 0, 0, 0, 0, 0, 0, 0];
            [
                printed("", out(10)),
                panicked("not yet implemented (here:9, 1)", out(0)),
                panicked("not implemented: case 2 (here:9, 1)", out(0)),
                panicked("explicit panic (here:9, 1)", out(0)),
                panicked("internal error: entered unreachable code: which = 4 (here:9, 1)", out(0)),
            ]
            .concat()
        }
    ),
    case!(
        "reports::panic_before_barriers",
        [BeforeBarriers],
        // Of other elements only those that no dead invocation had a share in are known.
        |mgr| Ok(run(mgr, "before_barriers", 16, BeforeBarriers::dispatch)?.into_iter().take(2).collect()),
        || vec![Output::Report(String::new()), Output::Report("assertion failed: limit > i (here:5, 4)".to_owned()),]
    ),
    case!(
        "reports::endless_when_dead",
        [EndlessWhenDead],
        |mgr| {
            let mut outputs = Vec::new();
            for (which, step) in [(0, 0), (1, 0), (2, 0), (3, 0), (0, 5), (3, 5)] {
                outputs.extend(run(mgr, "endless_when_dead", 8, |seq, grid, out| {
                    EndlessWhenDead::dispatch(seq, grid, which, step, out)
                })?);
            }
            Ok(outputs)
        },
        || {
            [
                panicked("assertion failed: step > 0 (here:14, 8)", [0; 8]),
                panicked("assertion failed: i < step (here:14, 8)", [0; 8]),
                panicked("round 0 of 10 (here:13, 8)", [0; 8]),
                panicked("assertion failed: i < step (here:13, 8)", [0; 8]),
                printed("", [10, 12, 14, 16, 18, 20, 22, 24]),
                panicked("assertion failed: i < step (here:13, 3)", [10, 12, 14, 16, 18, 0, 0, 0]),
            ]
            .concat()
        }
    ),
    case!(
        "reports::unwrap",
        [Unwrapped],
        |mgr| {
            let mut outputs = Vec::new();
            for which in 0..6 {
                outputs.extend(run(mgr, "unwrapped", 1, |seq, grid, out| Unwrapped::dispatch(seq, grid, which, out))?);
            }
            Ok(outputs)
        },
        || {
            [
                printed("", [7, 1, 0, 0, 0, 0, 0, 0]),
                panicked("called `Option::unwrap()` on a `None` value (here:30, 1)", [0; 8]),
                panicked("{no half} of one (here:30, 1)", [0; 8]),
                panicked("called `Result::unwrap()` on an `Err` value: Odd(3) (here:34, 1)", [0; 8]),
                panicked("a half: Shape { x: 1, y: -1.0 } (here:42, 1)", [0; 8]),
                panicked("called `Result::unwrap_err()` on an `Ok` value: Some(5) (here:44, 1)", [0; 8]),
            ]
            .concat()
        }
    ),
    case!("reports::variants", [Variants], |mgr| run(mgr, "variants", 3, Variants::dispatch), || {
        let line = |i: u32| {
            let wrong = [Wrong::Nothing, Wrong::Odd(i), Wrong::Shape { x: i, y: 0.5 }][i as usize];
            let option = if i == 0 { None } else { Some((i, [true; 2])) };
            format!("{wrong:?} {option:?} {:#?}\n", if i == 1 { Ok(()) } else { Err::<(), _>(wrong) })
        };
        printed((0..3).map(line).collect::<String>(), [0; 8])
    }),
    case!("reports::debug_assertions", [Careful], |mgr| run(mgr, "careful", 1, Careful::dispatch), || match cfg!(
        debug_assertions
    ) {
        true => panicked("assertion `left == right` failed: in `twice`\n  left: 0\n right: 1 (here:5, 1)", [0; 8]),
        false => printed("", [2, 0, 0, 0, 0, 0, 0, 0]),
    }),
    case!("reports::panic_leaves_loops", [InLoop], |mgr| run(mgr, "in_loop", 4, InLoop::dispatch), || panicked(
        "k reached 5 for 2 (here:13, 1)",
        [3, 4, 0, 6, 0, 0, 0, 0]
    )),
    case!("reports::matrices", [Matrices], |mgr| run(mgr, "matrices", 1, Matrices::dispatch), || {
        let (m, q) = (Mat3::from_diagonal(Vec3::new(1.0, 2.0, 3.0)), Quat::from_xyzw(0.5, 0.0, -0.5, 1.0));
        printed(format!("{m} {m:?} {q} {q:?} {:?}\n", (Mat2::IDENTITY, 7)), [1, 0, 0, 0, 0, 0, 0, 0])
    }),
    case!(
        "reports::lines",
        [Lines],
        |mgr| run(mgr, "lines", 5, |seq, grid, out| Lines::dispatch(seq, grid, 1.5, out)),
        || {
            printed(
                (0..5)
                    .map(|i| {
                        let (x, v) = (1.5f32 * i as f32, Vec3::new(i as f32, 0.25, -1.0));
                        format!("{i}: x = {x:.3}, {v} {v:?} {:#06x} {:>5}|{:<5}|{}\nnext of {i}\n", i * 77, i, i, i > 2)
                    })
                    .collect::<String>(),
                [1, 1, 1, 1, 1, 0, 0, 0],
            )
        }
    ),
    case!(
        "reports::scalars",
        [Scalars],
        |mgr| run(mgr, "scalars", 1, |seq, grid, out| Scalars::dispatch(seq, grid, 3, out)),
        || {
            let (a, b, c, d) = (-128i8, 200u8, -32768i16, 65535u16);
            let (e, f) = (i64::MIN + 3, u64::MAX - 3);
            let (g, h, i, j) = (-3isize, 3usize, f16::from_f32(1.5), bf16::from_f32(-0.25));
            let text = format!("{a} {b:#x} {c:?} {d} {e} {f:#018x} {g} {h} {i} {j:?} {:?}\n", (e, Some(f), [b; 2]));
            printed(text, [0; 8])
        }
    ),
    case!(
        "reports::doubles",
        [Doubles],
        |mgr| run(mgr, "doubles", 1, |seq, grid, out| Doubles::dispatch(seq, grid, 3, out)),
        || printed(format!("{} {:?} {:e}\n", 0.1f64 + 3.0, -1e300f64, f64::MIN_POSITIVE), [0; 8])
    ),
    case!(
        "reports::in_generic_code",
        [InGenericCode],
        |mgr| {
            let mut outputs = Vec::new();
            for which in 0..3 {
                outputs.extend(run(mgr, "in_generic_code", 1, |seq, grid, out| {
                    InGenericCode::dispatch(seq, grid, which, out)
                })?);
            }
            Ok(outputs)
        },
        || {
            let said = |end: &str, out| {
                vec![
                    Output::Report("2.5 then 7\n".to_owned()),
                    Output::Report(end.to_owned()),
                    Output::U32(vec![out, 0, 0, 0, 0, 0, 0, 0]),
                ]
            };
            [
                said("done", 3),
                said("Rod { len: 1 } is shorter than 2 (here:13, 1)", 0),
                said("called `Option::unwrap()` on a `None` value (here:68, 1)", 0),
            ]
            .concat()
        }
    ),
    case!(
        "reports::characters",
        [Characters],
        |mgr| run(mgr, "characters", 1, |seq, grid, out| Characters::dispatch(seq, grid, 0x1f600, out)),
        || {
            let (c, quote) = ('\u{1f600}', '\'');
            printed(format!("{c} {c:?} {quote:?}|{c:>4}|{:?} {:?}\n", Some('\n'), ('a', ['\0', '\u{7f}'])), [0; 8])
        }
    ),
    case!(
        "reports::bad_radix",
        [BadRadix],
        |mgr| run(mgr, "bad_radix", 4, |seq, grid, out| BadRadix::dispatch(seq, grid, 35, out)),
        || panicked(
            "to_digit: invalid radix -- radix must be in the range 2 to 36 inclusive (here:17, 2)",
            [35, 35, 0, 0, 0, 0, 0, 0]
        )
    ),
    case!("reports::structs", [Structs], |mgr| run(mgr, "structs", 1, Structs::dispatch), || {
        let pair = Pair { weight: -0.5, cells: [1, 2, 3] };
        printed(format!("{pair:?} {pair:#?} {:?} {:?}\n", (true, 1u32, [2i32; 2]), ()), [0; 8])
    }),
    case!("reports::dbg", [Debugged], |mgr| run(mgr, "debugged", 1, Debugged::dispatch), || {
        let place = |below: u32| format!("[{}:{}:{}]", file!(), DEBUGGED + below, [14, 13, 5][below as usize - 4]);
        let text = format!("{} i + 2 = 2\n{} v = Vec2(\n    1.0,\n    2.0,\n)\n{}\n", place(4), place(5), place(6));
        printed(text, [2, 1, 0, 0, 0, 0, 0, 0])
    }),
];

#[kernel(workgroup = 4)]
fn assert_below(limit: u32, out: &mut [u32]) {
    let i = global_id().x;
    assert!(i < limit);
    out[i] = 1;
}

#[kernel(workgroup = 1)]
fn assert_equal(x: f32, out: &mut [u32]) {
    let i = global_id().x;
    assert_eq!(x, 3.0, "x was {x:.3}");
    out[i] = 1;
}

#[kernel(workgroup = 1)]
fn assert_unequal(x: u32, out: &mut [u32]) {
    assert_ne!(uvec2(x, 1), uvec2(7, out[0] + 1));
    out[0] = 1;
}

/// The line of `root`'s attribute.
const ROOT: u32 = line!() + 1;
#[device]
fn root(x: i32) -> u32 {
    if x < 0 {
        panic!("no root of {x}, {{{:#x}}}", x);
    }
    (x as f32).sqrt() as u32
}

#[kernel(workgroup = 8)]
fn in_device(out: &mut [u32]) {
    let i = global_id().x;
    let x = if i == 3 { -1 } else { 16 };
    out[i] = root(x);
}

#[kernel(workgroup = 1)]
fn branches(which: u32, out: &mut [u32]) {
    let value: u32 = if which == 0 {
        10
    } else if which == 1 {
        todo!()
    } else if which == 2 {
        unimplemented!("case {which}")
    } else if which == 3 {
        panic!()
    } else {
        unreachable!("which = {}", which)
    };
    out[0] = value;
}

#[kernel(workgroup = 8)]
fn before_barriers(out: &mut [u32]) {
    let tile = Shared::<[u32; 8]>::new();
    let i = local_id().x;
    let mut limit = 1;
    while limit < 6 {
        limit *= 2;
    }
    limit -= 2;
    assert!(limit > i);
    tile[i] = i;
    let mut width = 4;
    while width > 0 {
        barrier();
        if i < width {
            assert!(tile[i] < 100, "never");
            tile[i] += tile[i + width];
        }
        width /= 2;
    }
    barrier();
    if i == 0 {
        out[workgroup_id().x] = tile[0];
    }
}

/// Loops that end only because of an assertion: in one or in all invocations, before the loop or in it, with barriers
/// behind it.
#[kernel(workgroup = 8)]
fn endless_when_dead(which: u32, step: u32, out: &mut [u32]) {
    let tile = Shared::<[u32; 8]>::new();
    let i = local_id().x;
    match which {
        0 => assert!(step > 0),
        1 => assert!(i < step),
        _ => {}
    }
    let mut at = 0;
    while at < 10 {
        if which == 2 && i + step < 8 {
            panic!("round {at} of {}", 10);
        }
        if which == 3 {
            assert!(i < step);
        }
        at += step;
    }
    for _ in 0..at {
        barrier();
        tile[i] += 1;
    }
    barrier();
    out[i] = tile[i] + 2 * i;
}

/// The fault to provoke.
#[device]
#[derive(Clone, Copy, Debug)]
pub enum Wrong {
    /// Nothing.
    Nothing,
    /// This number.
    Odd(u32),
    /// Both.
    Shape {
        /// One.
        x: u32,
        /// The other.
        y: f32,
    },
}

#[device]
fn half(x: u32) -> Option<u32> {
    if x % 2 == 0 { Some(x / 2) } else { None }
}

#[device]
fn checked_half(x: u32) -> Result<Option<u32>, Wrong> {
    if x == 1 {
        return Err(Wrong::Shape { x, y: -1.0 });
    }
    if x % 2 == 0 { Ok(Some(x / 2)) } else { Err(Wrong::Odd(x)) }
}

#[kernel(workgroup = 1)]
fn unwrapped(which: u32, out: &mut [u32]) {
    let value = match which {
        0 => half(4).unwrap() + checked_half(10).expect("even").unwrap(),
        1 => half(which + 4).unwrap(),
        2 => half(which + 1).expect("{no half} of one"),
        3 => checked_half(which).unwrap().unwrap_or(1),
        4 => checked_half(1 + 0 * which).expect("a half").unwrap_or(1),
        _ => match checked_half(which * 2).unwrap_err() {
            Wrong::Odd(x) => x,
            _ => 0,
        },
    };
    out[0] = value;
    out[1] = 1;
}

#[kernel(workgroup = 1)]
fn variants(out: &mut [u32]) {
    let i = global_id().x;
    let wrong = match i {
        0 => Wrong::Nothing,
        1 => Wrong::Odd(i + out[0]),
        _ => Wrong::Shape { x: i, y: 0.5 },
    };
    let option = if i == 0 { None } else { Some((i, [true; 2])) };
    let result = if i == 1 { Ok(()) } else { Err(wrong) };
    println!("{wrong:?} {option:?} {result:#?}");
}

#[device]
fn twice(x: u32) -> u32 {
    debug_assert_eq!(x - 1, 1, "in `twice`");
    x * 2
}

#[kernel(workgroup = 1)]
fn careful(out: &mut [u32]) {
    debug_assert!(out[0] == 0);
    out[0] = twice(out[0] + 1);
}

#[kernel(workgroup = 2)]
fn in_loop(out: &mut [u32]) {
    let i = global_id().x;
    let mut k = i;
    loop {
        if k == 5 && i == 2 {
            panic!("k reached {k} for {i}");
        }
        while k % 3 != i % 3 || k < i + 3 {
            k += 1;
            assert!(k < 100, "endless");
            if k == 5 && i == 2 {
                break;
            }
        }
        if k != 5 {
            break;
        }
    }
    out[i] = k;
}

#[kernel(workgroup = 2)]
fn matrices(out: &mut [u32]) {
    let (m, q) = (Mat3::from_diagonal(vec3(1.0, 2.0, 3.0)), quat(0.5, 0.0, -0.5, 1.0));
    println!("{m} {m:?} {q} {q:?} {:?}", (Mat2::IDENTITY, 7));
    out[0] = 1;
}

#[kernel(workgroup = 2)]
fn lines(scale: f32, out: &mut [u32]) {
    let i = global_id().x;
    let v = vec3(i as f32, 0.25, -1.0);
    let width = 5usize;
    print!("{i}: x = {:.3}, {v} {v:?} ", scale * i as f32);
    println!("{:#06x} {i:>width$}|{i:<1$}|{is_large}", i * 77, 5usize, is_large = i > 2);
    eprintln!("next of {i}");
    out[i] = 1;
}

/// Something with a derived `Debug`.
#[derive(Clone, Copy, Debug, GpuData)]
#[repr(C)]
pub struct Pair {
    weight: f32,
    cells: [u32; 3],
}

#[kernel(workgroup = 1)]
fn scalars(three: u32, out: &mut [u32]) {
    let (a, b, c, d) = (-128i8, 200u8, -32768i16, 65535u16);
    let (e, f) = (i64::MIN + three as i64, u64::MAX - three as u64);
    let (g, h) = (-(three as isize), three as usize);
    let (i, j) = (f16::from_f32(three as f32 / 2.0), bf16::from_f32(-0.25));
    println!("{a} {b:#x} {c:?} {d} {e} {f:#018x} {g} {h} {i} {j:?} {:?}", (e, Some(f), [b; 2]));
    out[0] = 0;
}

#[kernel(workgroup = 1)]
fn doubles(three: u32, out: &mut [u32]) {
    println!("{} {:?} {:e}", 0.1f64 + three as f64, -1e300f64, f64::MIN_POSITIVE);
    out[0] = 0;
}

#[device]
fn noted<T: Copy + std::fmt::Debug>(value: T) -> T {
    print!("{value:?}");
    value
}

#[device]
mod rod {
    /// Something with a length.
    #[derive(Clone, Copy, Debug)]
    pub(super) struct Rod {
        pub(super) len: u32,
    }

    impl Rod {
        pub(super) fn longer(self, than: u32) -> u32 {
            assert!(self.len >= than, "{self:?} is shorter than {than}");
            self.len - than
        }
    }
}
use rod::Rod;

#[device]
fn picked(x: u32, pick: impl Fn(u32) -> Option<u32>) -> u32 {
    pick(x).unwrap_or(0)
}

#[kernel(workgroup = 1)]
fn in_generic_code(which: u32, out: &mut [u32]) {
    let first = noted(2.5);
    print!(" then ");
    let second = noted(7u32);
    println!();
    let rod = Rod { len: if which == 1 { 1 } else { second } };
    let value =
        picked(rod.longer(2), |len| if which == 2 { Some(half(len).unwrap()) } else { Some(len - first as u32) });
    out[0] = value;
}

#[kernel(workgroup = 1)]
fn structs(out: &mut [u32]) {
    let pair = Pair { weight: -0.5, cells: [1, 2, out[0] + 3] };
    println!("{pair:?} {pair:#?} {:?} {:?}", (true, 1u32, [2i32; 2]), ());
}

#[kernel(workgroup = 1)]
fn characters(number: u32, out: &mut [u32]) {
    let (c, quote) = (char::from_u32(number).unwrap(), '\'');
    println!("{c} {c:?} {quote:?}|{c:>4}|{:?} {:?}", Some('\n'), ('a', ['\0', '\u{7f}']));
    out[0] = 0;
}

#[kernel(workgroup = 4)]
fn bad_radix(radix: u32, out: &mut [u32]) {
    let i = global_id().x;
    let digit = 'z'.to_digit(radix + i);
    out[i] = digit.unwrap_or(radix);
}

/// The line of the attribute of `debugged`.
const DEBUGGED: u32 = line!() + 1;
#[kernel(workgroup = 1)]
fn debugged(out: &mut [u32]) {
    let i = global_id().x;
    let v = vec2(1.0, 2.0);
    out[0] = dbg!(i + 2);
    let w = dbg!(v);
    dbg!();
    out[1] = w.x as u32;
}
