//! Kernels that barriers cut into parts: variables of each kind that live across barriers, loops and branches around barriers, names used
//! again, jumps within a part, functions with barriers, workgroups of three dimensions, an invocation that panics in between.

use gridwise::Error;
use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

const GROUPS: u32 = 3;
#[device]
const WIDTH: u32 = 24;
const COUNT: usize = (GROUPS * WIDTH) as usize;

#[device]
#[derive(Debug, Clone, Copy)]
struct Kept {
    low: u32,
    at: UVec2,
}

#[device]
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Even,
    Odd(u32),
}

/// The number of the neighbour to the right, round the workgroup.
#[device]
fn neighbour(slots: &mut [u32], mut own: u32) -> u32 {
    let local = local_index();
    slots[local] = own;
    barrier();
    own = slots[(local + 1) % WIDTH];
    barrier();
    own
}

/// The same of the neighbour's neighbours.
#[device]
fn far(slots: &mut [u32], own: u32, steps: u32) -> u32 {
    let near = neighbour(slots, own + steps);
    let next = neighbour(slots, near * 2);
    next - steps
}

/// Leaves a number for all.
#[device]
fn leave(slots: &mut [u32], value: u32) {
    if local_index() == 3 {
        slots[7] = value;
    }
    barrier();
}

/// Variables of each kind across barriers.
#[kernel(workgroup = 24)]
fn variables(x: &[u32], y: &mut [u32]) {
    let slots = Shared::<[u32; 24]>::new();
    let (i, local) = (global_id().x, local_id().x);
    let number = x[i];
    let mut array = [number; 3];
    let mut pair = (number + 1, -1.5f32);
    let mut kept = Kept { low: number, at: UVec2::new(i, local) };
    let mut found: Option<u32> = None;
    let kind = if number % 2 == 0 { Kind::Even } else { Kind::Odd(number) };
    let flag = number > 20;
    slots[local] = number;
    barrier();
    let other = slots[(local + 5) % 24];
    array[(other % 3) as usize] += other;
    pair.0 += other;
    pair.1 *= 2.0;
    kept.at.x += other;
    if other > number {
        found = Some(other);
    }
    barrier();
    slots[local] = array[0] + array[1] * 3 + array[2] * 7;
    kept.low += found.unwrap_or(100);
    barrier();
    let next = slots[(local + 1) % 24];
    let of_kind = match kind {
        Kind::Even => 1,
        Kind::Odd(value) => value,
    };
    y[i] = next + pair.0 * 3 + (pair.1 * -10.0) as u32 + kept.low + kept.at.x + kept.at.y * 2 + of_kind + flag as u32;
}

/// Loops and branches around barriers, nested; names used again; jumps within a part.
#[kernel(workgroup = 24)]
fn nested(n: u32, x: &[u32], y: &mut [u32]) {
    let slots = Shared::<[u32; 24]>::new();
    let local = local_id().x;
    let i = global_id().x;
    let (mut stride, mut turn) = (1, 0u32);
    let total = x[i];
    let total = total * 3;
    let mut sum = total;
    slots[local] = total;
    barrier();
    while stride < n {
        for step in (0..stride).rev() {
            let seen = slots[(local + step) % 24];
            barrier();
            // A part with jumps of its own.
            'all: for k in 0..seen % 7 {
                for l in 0..k {
                    if (l + seen) % 5 == 3 {
                        continue 'all;
                    }
                    if l > 4 {
                        break 'all;
                    }
                    sum += l + k;
                }
            }
            {
                let stride = stride * 2 + step;
                slots[local] = sum + stride;
                barrier();
            }
            turn += 1;
        }
        if stride % 4 == 1 && turn < 100 {
            let own = slots[local];
            barrier();
            slots[local] = own * 2;
            barrier();
        } else if n == 3 {
            sum += 1;
        } else {
            barrier();
            sum += slots[(local + turn) % 24];
            barrier();
        }
        stride = stride * 2 + 1;
    }
    let local = slots[local] % 1000;
    y[i] = sum + local * turn + stride;
}

/// Functions with barriers, in expressions and alone.
#[kernel(workgroup = 24)]
fn called(n: u32, x: &[u32], y: &mut [u32]) {
    let mut slots = Shared::<[u32; 24]>::new();
    let i = global_id().x;
    let own = x[i];
    let near = neighbour(&mut slots[..], own) * 2 + own;
    let mut sum = near;
    for turn in 0..n {
        sum += far(&mut slots[..], near + turn, turn) / 3;
    }
    barrier();
    leave(&mut slots[..], sum);
    y[i] = sum + slots[7];
    barrier();
    y[i] += neighbour(&mut slots[..], near);
}

/// Workgroups of three dimensions.
#[kernel(workgroup = [4, 3, 2])]
fn cubes(x: &[u32], y: &mut [u32]) {
    let slots = Shared::<[[[u32; 4]; 3]; 2]>::new();
    let (local, global, size) = (local_id(), global_id(), workgroup_size());
    let i = workgroup_id().x * WIDTH + local_index();
    slots[local.z][local.y][local.x] = x[i] + global.x;
    barrier();
    let turned = slots[1 - local.z][(local.y + 1) % size.y][3 - local.x];
    barrier();
    slots[local.z][local.y][local.x] = turned * 2;
    barrier();
    if workgroup_id().y == 0 && workgroup_id().z == 0 {
        y[i] = turned + slots[0][local.y][0] + global.y * 100 + global.z * 1000;
    }
}

/// One invocation of each workgroup panics before a barrier; the others go on.
#[kernel(workgroup = 24)]
fn stopped(x: &[u32], y: &mut [u32]) {
    let slots = Shared::<[u32; 24]>::new();
    let (i, local) = (global_id().x, local_id().x);
    assert!(local != 5, "five of {i}");
    slots[local] = x[i];
    barrier();
    let next = slots[(local + 1) % 24];
    barrier();
    slots[local] = next;
    barrier();
    y[i] = slots[(local + 1) % 24] + 1;
}

fn input() -> Vec<u32> {
    (0..COUNT as u32).map(|i| i * 7919 % 53).collect()
}

/// The values of a workgroup's invocations, `by` positions to the right.
fn shifted(slots: &[u32], by: usize) -> Vec<u32> {
    (0..slots.len()).map(|local| slots[(local + by) % slots.len()]).collect()
}

fn expected_variables() -> Vec<Output> {
    let mut y = Vec::new();
    for (group, x) in input().chunks(WIDTH as usize).enumerate() {
        let others = shifted(x, 5);
        let arrays = x.iter().zip(&others).map(|(number, other)| {
            let mut array = [*number; 3];
            array[*other as usize % 3] += other;
            array[0] + array[1] * 3 + array[2] * 7
        });
        let next = shifted(&arrays.collect::<Vec<_>>(), 1);
        for local in 0..WIDTH {
            let (number, other) = (x[local as usize], others[local as usize]);
            let i = group as u32 * WIDTH + local;
            let low = number + if other > number { other } else { 100 };
            let of_kind = if number % 2 == 0 { 1 } else { number };
            let pair = (number + 1 + other) * 3 + 30;
            y.push(next[local as usize] + pair + low + i + other + local * 2 + of_kind + u32::from(number > 20));
        }
    }
    vec![Output::U32(y)]
}

fn expected_nested(n: u32) -> Vec<u32> {
    let mut y = Vec::new();
    for x in input().chunks(WIDTH as usize) {
        let mut slots: Vec<u32> = x.iter().map(|x| x * 3).collect();
        let mut sums = slots.clone();
        let (mut stride, mut turn) = (1u32, 0u32);
        while stride < n {
            for step in (0..stride).rev() {
                let seen = shifted(&slots, step as usize);
                for (sum, seen) in sums.iter_mut().zip(&seen) {
                    'all: for k in 0..seen % 7 {
                        for l in 0..k {
                            if (l + seen) % 5 == 3 {
                                continue 'all;
                            }
                            if l > 4 {
                                break 'all;
                            }
                            *sum += l + k;
                        }
                    }
                }
                slots = sums.iter().map(|sum| sum + stride * 2 + step).collect();
                turn += 1;
            }
            if stride % 4 == 1 && turn < 100 {
                slots.iter_mut().for_each(|slot| *slot *= 2);
            } else if n == 3 {
                sums.iter_mut().for_each(|sum| *sum += 1);
            } else {
                let seen = shifted(&slots, turn as usize);
                sums.iter_mut().zip(seen).for_each(|(sum, seen)| *sum += seen);
            }
            stride = stride * 2 + 1;
        }
        y.extend(sums.iter().zip(&slots).map(|(sum, slot)| sum + slot % 1000 * turn + stride));
    }
    y
}

fn expected_called(n: u32) -> Vec<Output> {
    let mut y = Vec::new();
    for x in input().chunks(WIDTH as usize) {
        let near: Vec<u32> = shifted(x, 1).iter().zip(x).map(|(next, own)| next * 2 + own).collect();
        let mut sums = near.clone();
        for turn in 0..n {
            let given: Vec<u32> = near.iter().map(|near| near + turn + turn).collect();
            let seen = shifted(&given, 2);
            sums.iter_mut().zip(seen).for_each(|(sum, seen)| *sum += (seen * 2 - turn) / 3);
        }
        let left = sums[3];
        y.extend(sums.iter().zip(shifted(&near, 1)).map(|(sum, near)| sum + left + near));
    }
    vec![Output::U32(y)]
}

fn expected_cubes() -> Vec<Output> {
    let at = |x: u32, y: u32, z: u32| ((z * 3 + y) * 4 + x) as usize;
    let mut out = Vec::new();
    for (group, x) in (0u32..).zip(input().chunks(WIDTH as usize)) {
        let slots: Vec<u32> = (0..WIDTH).map(|local| x[local as usize] + group * 4 + local % 4).collect();
        let place = |local: u32| (local % 4, local / 4 % 3, local / 12);
        let turned: Vec<u32> = (0..WIDTH)
            .map(|local| {
                let (x, y, z) = place(local);
                slots[at(3 - x, (y + 1) % 3, 1 - z)]
            })
            .collect();
        out.extend((0..WIDTH).map(|local| {
            let (_, y, z) = place(local);
            turned[local as usize] + turned[at(0, y, 0)] * 2 + y * 100 + z * 1000
        }));
    }
    vec![Output::U32(out)]
}

fn expected_stopped() -> Vec<Output> {
    let mut y = Vec::new();
    for x in input().chunks(WIDTH as usize) {
        let mut slots = x.to_vec();
        slots[5] = 0;
        let mut next = shifted(&slots, 1);
        next[5] = 0;
        y.extend(shifted(&next, 1).iter().enumerate().map(|(local, value)| if local == 5 { 0 } else { value + 1 }));
    }
    vec![Output::U32(y), Output::Report("3 panics".to_owned())]
}

macro_rules! plain {
    ($name:literal, $kernel:ident, $grid:expr, ($($n:literal)?), $expected:expr) => {
        case!(
            $name,
            [$kernel],
            |mgr| {
                let (x, mut y) = (mgr.tensor(&input())?, mgr.tensor_of_len::<u32>(COUNT)?);
                let seq = mgr.sequence()?;
                $kernel::dispatch(&seq, $grid, $($n,)? &x, &mut y)?;
                seq.eval()?;
                Ok(vec![Output::U32(y.to_vec()?)])
            },
            $expected
        )
    };
}

/// The entries.
pub const CASES: &[Case] = &[
    plain!("parted::variables", Variables, Grid::groups(GROUPS), (), expected_variables),
    plain!("parted::nested", Nested, Grid::groups(GROUPS), (20), || vec![Output::U32(expected_nested(20))]),
    plain!("parted::nested_little", Nested, Grid::groups(GROUPS), (3), || vec![Output::U32(expected_nested(3))]),
    plain!("parted::called", Called, Grid::groups(GROUPS), (3), || expected_called(3)),
    plain!("parted::cubes", Cubes, Grid::groups(GROUPS), (), expected_cubes),
    case!(
        "parted::stopped",
        [Stopped],
        |mgr| {
            let (x, mut y) = (mgr.tensor(&input())?, mgr.tensor_of_len::<u32>(COUNT)?);
            let seq = mgr.sequence()?;
            Stopped::dispatch(&seq, Grid::groups(GROUPS), &x, &mut y)?;
            let report = match seq.eval() {
                Err(Error::KernelPanic { count, .. }) => format!("{count} panics"),
                other => other.map(|()| "no panic".to_owned())?,
            };
            Ok(vec![Output::U32(y.to_vec()?), Output::Report(report)])
        },
        expected_stopped
    ),
];
