//! Loops that are left at the end of their body, in loops that go on with what was found. lavapipe of Mesa 22.3 loses who has left the
//! outer one; only lanes that differ show it.

#![expect(clippy::while_let_on_iterator, reason = "this is the form that is tried")]

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

const N: usize = 64;

/// Kernels of one number each, with the function that rustc makes of the same body.
macro_rules! searches {
    ($($name:ident $Kernel:ident $case:literal ($n:ident) $body:block)*) => {
        $(
            #[kernel(workgroup = 32)]
            fn $name(x: &[u32], y: &mut [u32]) {
                let i = global_id().x as usize;
                let $n = x[i];
                y[i] = $body;
            }
        )*

        /// The entries.
        pub const CASES: &[Case] = &[$(case!(
            $case,
            [$Kernel],
            |mgr| {
                let (x, mut y) = (mgr.tensor(&x())?, mgr.tensor_of_len::<u32>(N)?);
                let seq = mgr.sequence()?;
                $Kernel::dispatch(&seq, Grid::items(N), &x, &mut y)?;
                seq.eval()?;
                Ok(vec![Output::U32(y.to_vec()?)])
            },
            || {
                let one = |$n: u32| $body;
                vec![Output::U32(x().into_iter().map(one).collect())]
            }
        )),*];
    };
}

fn x() -> Vec<u32> {
    (0..N as u32).map(|k| k % 13 + 3).collect()
}

searches! {
    of_an_iterator OfAnIterator "searches::of_an_iterator" (n) {
        let mut it = (0..n).filter(|i| i % 2 == 0);
        let mut h = it.next().unwrap_or(9);
        while let Some(v) = it.next() {
            h = h * 5 ^ v;
        }
        h
    }
    some_of_an_iterator SomeOfAnIterator "searches::some_of_an_iterator" (n) {
        let mut it = (0..n).filter(|i| i % 3 != 1).filter_map(|i| if i % 5 == 2 { None } else { Some(i + 1) });
        let mut h = 3;
        for _ in 0..n {
            let Some(v) = it.next() else { break };
            h = h * 5 ^ v;
        }
        h
    }
    by_continue ByContinue "searches::by_continue" (n) {
        let (mut h, mut at) = (0u32, 0u32);
        loop {
            let (mut any, mut found) = (false, 0);
            while at < n {
                at += 1;
                if at % 2 == 0 {
                    continue;
                }
                (any, found) = (true, at);
                break;
            }
            if !any {
                break;
            }
            h = h * 5 ^ found;
        }
        h
    }
    by_two_continues ByTwoContinues "searches::by_two_continues" (n) {
        let (mut h, mut at) = (0u32, 0u32);
        loop {
            let (mut any, mut found) = (false, 0);
            while at < n {
                at += 1;
                if at % 2 == 0 {
                    if at % 4 == 0 {
                        continue;
                    }
                    h += 1;
                } else {
                    h += 2;
                }
                (any, found) = (true, at);
                break;
            }
            if !any {
                break;
            }
            h = h * 5 ^ found;
        }
        h
    }
    with_ends_inside WithEndsInside "searches::with_ends_inside" (n) {
        let (mut h, mut at) = (0u32, 0u32);
        while h < 1 << 20 {
            let mut found = 99;
            while at < n {
                at += 1;
                if at % 3 == 0 {
                    h ^= at;
                    continue;
                } else if at % 5 == 0 {
                    h += 7;
                    break;
                }
                found = at;
                break;
            }
            if found == 99 {
                break;
            }
            h = h * 5 ^ found;
        }
        h
    }
    in_three InThree "searches::in_three" (n) {
        let mut h = 0u32;
        for j in 0..n {
            let mut at = j;
            loop {
                let mut any = false;
                while at < n {
                    at += 1;
                    if (at ^ j) % 4 != 1 {
                        continue;
                    }
                    any = true;
                    break;
                }
                if !any {
                    break;
                }
                h = h.wrapping_mul(5) ^ at;
            }
            if h % 7 == 3 {
                break;
            }
        }
        h
    }
    at_the_end AtTheEnd "searches::at_the_end" (n) {
        let (mut h, mut at) = (0u32, 1u32);
        loop {
            let before = at;
            loop {
                at += 2;
                if at % 3 == 0 && at < n {
                    continue;
                }
                break;
            }
            if at >= n {
                break;
            }
            h = h * 5 ^ before;
        }
        h
    }
}
