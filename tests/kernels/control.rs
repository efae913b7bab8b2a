//! Control flow: every form, nested, with values, labels and early exits.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, patterns};

const N: usize = 1000;

fn map(
    mgr: &Manager,
    run: impl for<'s> FnOnce(&'s Sequence, Grid, &Tensor<u32>, &mut Tensor<u32>) -> gridwise::Result<&'s Sequence>,
) -> gridwise::Result<Vec<Output>> {
    let input = patterns(N, 1).into_iter().map(|v| v % 50).collect::<Vec<_>>();
    let (x, mut out) = (mgr.tensor(&input)?, mgr.tensor(&vec![0u32; N])?);
    let seq = mgr.sequence()?;
    run(&seq, Grid::items(N), &x, &mut out)?;
    seq.eval()?;
    Ok(vec![Output::U32(out.to_vec()?)])
}

fn expect(f: impl Fn(u32) -> u32) -> Vec<Output> {
    vec![Output::U32(patterns(N, 1).into_iter().map(|v| f(v % 50)).collect())]
}

/// The entries.
pub const CASES: &[Case] = &[
    case!("control::if_values", [IfValues], |mgr| map(mgr, IfValues::dispatch), || expect(|x| {
        if x < 10 {
            x
        } else if x < 20 {
            x * 2
        } else {
            100 - x
        }
    })),
    case!("control::casts_of_choices", [CastsOfChoices], |mgr| map(mgr, CastsOfChoices::dispatch), || expect(|x| {
        let wide = (if x < 10 { !0 >> 1 } else { 5 }) as u64;
        (wide >> 40) as u32 ^ wide as u32
    })),
    case!("control::while_loop", [Collatz], |mgr| map(mgr, Collatz::dispatch), || expect(|x| {
        let (mut n, mut steps) = (x + 1, 0);
        while n != 1 {
            n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
            steps += 1;
        }
        steps
    })),
    case!("control::loop_with_value", [LoopWithValue], |mgr| map(mgr, LoopWithValue::dispatch), || expect(|x| {
        let mut n = x;
        loop {
            n += 7;
            if n % 5 == 0 {
                break n * 2;
            }
        }
    })),
    case!("control::for_ranges", [ForRanges], |mgr| map(mgr, ForRanges::dispatch), || expect(|x| {
        let mut sum = 0;
        for i in 0..x {
            sum += i;
        }
        for i in 3..=x {
            sum += i * i;
        }
        for i in 10..5 {
            sum += i;
        }
        sum
    })),
    case!("control::labels", [Labels], |mgr| map(mgr, Labels::dispatch), || expect(|x| {
        let mut count = 0;
        'outer: for i in 0..20u32 {
            for j in 0..20u32 {
                if i * j > x {
                    continue 'outer;
                }
                if i + j == x {
                    break 'outer;
                }
                if j > i {
                    break;
                }
                count += 1;
            }
            count += 100;
        }
        count
    })),
    case!("control::early_return", [EarlyReturn], |mgr| map(mgr, EarlyReturn::dispatch), || expect(|x| {
        if x % 3 == 0 { 0 } else { (0..x).find(|i| i * i >= x).unwrap_or(77) }
    })),
    case!("control::short_circuit", [ShortCircuit], |mgr| map(mgr, ShortCircuit::dispatch), || expect(|x| {
        let divides = x != 0 && 100 % x == 0;
        let small = x == 0 || 60 / x > 5;
        u32::from(divides) + 2 * u32::from(small)
    })),
    case!("control::labelled_block", [LabelledBlock], |mgr| map(mgr, LabelledBlock::dispatch), || expect(|x| {
        'found: {
            if x > 40 {
                break 'found 1;
            }
            if x % 2 == 0 {
                break 'found 2;
            }
            x + 10
        }
    })),
    case!("control::nested_loop_values", [NestedLoopValues], |mgr| map(mgr, NestedLoopValues::dispatch)),
    case!("control::diverging_arms", [DivergingArms], |mgr| map(mgr, DivergingArms::dispatch)),
];

/// The literals are `i32`: a cast says nothing about the branches.
#[kernel]
fn casts_of_choices(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let wide = (if x[i] < 10 { !0 >> 1 } else { 5 }) as u64;
    out[i] = (wide >> 40) as u32 ^ wide as u32;
}

#[kernel]
fn if_values(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = if x[i] < 10 {
        x[i]
    } else if x[i] < 20 {
        x[i] * 2
    } else {
        100 - x[i]
    };
}

#[kernel]
fn collatz(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let mut n = x[i] + 1;
    let mut steps = 0;
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    out[i] = steps;
}

#[kernel]
fn loop_with_value(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let mut n = x[i];
    out[i] = loop {
        n += 7;
        if n % 5 == 0 {
            break n * 2;
        }
    };
}

#[kernel]
fn for_ranges(x: &[u32], out: &mut [u32]) {
    let me = global_id().x;
    let mut sum = 0;
    for i in 0..x[me] {
        sum += i;
    }
    for i in 3..=x[me] {
        sum += i * i;
    }
    for i in 10..5 {
        sum += i;
    }
    out[me] = sum;
}

#[kernel]
fn labels(x: &[u32], out: &mut [u32]) {
    let me = global_id().x;
    let limit = x[me];
    let mut count = 0;
    'outer: for i in 0..20u32 {
        for j in 0..20u32 {
            if i * j > limit {
                continue 'outer;
            }
            if i + j == limit {
                break 'outer;
            }
            if j > i {
                break;
            }
            count += 1;
        }
        count += 100;
    }
    out[me] = count;
}

#[device]
fn root_above(x: u32) -> u32 {
    for i in 0..x {
        if i * i >= x {
            return i;
        }
    }
    77
}

#[kernel]
fn early_return(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    if x[i] % 3 == 0 {
        return;
    }
    out[i] = root_above(x[i]);
}

#[kernel]
fn short_circuit(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let n = x[i];
    let divides = n != 0 && 100 % n == 0;
    let small = n == 0 || 60 / n > 5;
    out[i] = divides as u32 + 2 * small as u32;
}

#[kernel]
fn labelled_block(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let n = x[i];
    out[i] = 'found: {
        if n > 40 {
            break 'found 1;
        }
        if n % 2 == 0 {
            break 'found 2;
        }
        n + 10
    };
}

#[kernel]
fn nested_loop_values(x: &[u32], out: &mut [u32]) {
    let me = global_id().x;
    let mut total = 0;
    let mut round = 0;
    let last = 'all: loop {
        let inner = loop {
            total += round;
            if total > 500 {
                break 'all total * 2;
            }
            if total % 7 == x[me] % 7 {
                break total + 1;
            }
            round += 1;
            if round > 30 {
                break 'all 3;
            }
        };
        total = inner + 1;
    };
    out[me] = last + total * 1000;
}

#[kernel]
fn diverging_arms(x: &[u32], out: &mut [u32]) {
    let me = global_id().x;
    let mut sum = 0;
    let mut n = x[me];
    while true {
        let step = if n % 2 == 1 {
            1
        } else if n > 30 {
            n -= 9;
            continue;
        } else if n == 0 {
            break;
        } else {
            2
        };
        sum += step;
        n -= if n >= step { step } else { return };
    }
    out[me] = sum + 1;
}
