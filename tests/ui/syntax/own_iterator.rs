//! Types with an `impl Iterator` of their own that cannot be gone through.

use gridwise::prelude::*;

#[device]
mod steps {
    #[derive(Clone, Copy)]
    pub struct Steps(u32);

    impl Iterator for Steps {
        type Item = u32;

        fn next(&mut self) -> Option<u32> {
            self.0 = self.0.checked_sub(1)?;
            Some(self.0)
        }
    }

    pub struct Jumps(u32);

    impl Iterator for Jumps {
        type Item = u32;

        fn next(&mut self) -> Option<u32> {
            self.0 = self.0.checked_sub(1)?;
            Some(self.0)
        }

        fn nth(&mut self, n: usize) -> Option<u32> {
            self.0 = self.0.checked_sub(n as u32)?;
            self.next()
        }
    }

    pub struct Bag(u32);

    pub fn reversed(n: u32) -> u32 {
        Steps(n).map(|v| v * 2).rev().fold(0, |a, b| a * 3 + b)
    }

    pub fn cycled(n: u32) -> u32 {
        Steps(n).cycle().take(9).sum()
    }

    pub fn of_element(n: u32) -> u32 {
        let mut own = [Steps(n), Steps(4)];
        own[n as usize % 2].by_ref().take(2).sum()
    }

    pub fn overridden(n: u32) -> u32 {
        Jumps(n).skip(2).sum()
    }

    pub fn no_iterator(n: u32) -> u32 {
        let mut sum = 0;
        for v in Bag(n) {
            sum += v;
        }
        sum
    }
}

fn main() {}
