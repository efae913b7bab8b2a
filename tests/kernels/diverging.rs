//! Functions that never return: `fn fail() -> !`, called where a value of any type is wanted.
//! Each function also stands in a module that only rustc compiles.

#![allow(dead_code, unused_imports, clippy::all, reason = "programs as people write them")]

use gridwise::prelude::*;

use super::{case, each_program};
use crate::case::{Case, Output};

const N: usize = 64;

each_program! { diverging:
never plain_never never_kernel NeverKernel NEVER {
    #[derive(Clone, Copy, PartialEq)]
    pub(super) enum Kind {
        Small,
        Large(u32),
        Broken,
    }
    fn fail(code: u32) -> ! {
        panic!("failed with {code}")
    }
    fn broken(kind: Kind, i: u32) -> ! {
        if let Kind::Large(n) = kind {
            fail(n + i);
        }
        unreachable!("item {i}")
    }
    pub(super) struct Parser {
        at: u32,
    }
    impl Parser {
        fn stop(&self, why: u32) -> ! {
            fail(why * 1000 + self.at)
        }
        fn next(&mut self, max: u32) -> u32 {
            if self.at >= max {
                self.stop(1)
            }
            self.at += 1;
            self.at * 3
        }
    }
    fn kind_of(i: u32) -> Kind {
        match i % 3 {
            0 => Kind::Small,
            1 => Kind::Large(i),
            _ if i > 1000 => Kind::Broken,
            _ => Kind::Large(i * 2),
        }
    }
    fn value(kind: Kind, i: u32) -> u32 {
        match kind {
            Kind::Small => 3,
            Kind::Large(n) => n,
            Kind::Broken => broken(kind, i),
        }
    }
    pub(super) fn of(i: u32) -> u32 {
        let kind = kind_of(i);
        let mut sum = value(kind, i);
        let checked = i.checked_add(7).unwrap_or_else(|| fail(2));
        let Some(half) = checked.checked_div(2) else { fail(3) };
        let mut parser = Parser { at: i % 4 };
        for _ in 0..3 {
            sum += parser.next(40);
        }
        sum += if half > 5000 { fail(half) } else { half };
        loop {
            if sum > 10_000 {
                fail(sum);
            }
            if sum % 5 == 0 {
                break;
            }
            sum += 1;
        }
        sum
    }
}
}

#[device]
fn give_up(i: u32) -> ! {
    panic!("item {i} gives up")
}

#[kernel(workgroup = 16)]
fn some_stop(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    let v = if x[i] > 60 { give_up(i) } else { x[i] * 2 };
    y[i] = v + 1;
}

const SOME: Case = Case {
    name: "diverging::some_stop",
    kernels: &[<SomeStop as gridwise::Kernel>::DESCRIPTOR],
    run: |mgr| {
        let x: Vec<u32> = (0..N as u32).collect();
        let mut y = mgr.tensor_of_len::<u32>(N)?;
        let seq = mgr.sequence()?;
        SomeStop::dispatch(&seq, Grid::items(N as u32), &mgr.tensor(&x)?, &mut y)?;
        let stopped = matches!(seq.eval(), Err(gridwise::Error::KernelPanic { .. }));
        Ok(vec![Output::U32(vec![u32::from(stopped)])])
    },
    expected: Some(|| vec![Output::U32(vec![1])]),
};

/// All cases of this file.
pub const CASES: &[Case] = &[NEVER, SOME];
