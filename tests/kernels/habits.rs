//! Habits of Rust programs: numbers by one's own trait, errors for elements that are not there, items in functions, and rows that are
//! filled as far as the data say. Functions also stand in a module that only rustc compiles.

#![allow(dead_code, unused_imports, clippy::all, reason = "programs as people write them")]

use gridwise::prelude::*;

use super::each_program;
use crate::case::{Case, Output, patterns};

const N: usize = 256;

each_program! { habits:
own_numbers plain_own_numbers own_numbers_kernel OwnNumbersKernel OWN_NUMBERS {
    use core::ops::{Add, Div, Mul};
    pub(super) trait Number: Copy + Add<Output = Self> + Mul<Output = Self> + Div<Output = Self> + PartialOrd {
        const ONE: Self;
        fn sqrt(self) -> Self;
        fn powi(self, n: i32) -> Self;
        fn abs(&self) -> Self;
        fn min(self, other: Self) -> Self;
    }
    impl Number for f32 {
        const ONE: f32 = 1.0;
        fn sqrt(self) -> f32 {
            f32::sqrt(self)
        }
        fn powi(self, n: i32) -> f32 {
            self.powi(n)
        }
        fn abs(&self) -> f32 {
            f32::abs(*self)
        }
        fn min(self, other: f32) -> f32 {
            Self::min(self, other)
        }
    }
    impl Number for f64 {
        const ONE: f64 = 1.0;
        fn sqrt(self) -> f64 {
            self.sqrt()
        }
        fn powi(self, n: i32) -> f64 {
            f64::powi(self, n)
        }
        fn abs(&self) -> f64 {
            f64::abs(*self)
        }
        fn min(self, other: f64) -> f64 {
            f64::min(self, other)
        }
    }
    fn norm<T: Number>(v: [T; 3]) -> T {
        v.iter().map(|x| x.powi(2)).reduce(|a, b| a + b).unwrap().sqrt()
    }
    fn inverse<T: Number>(x: T, most: T) -> T {
        (T::ONE / (x.abs() + T::ONE)).min(most)
    }
    pub(super) fn of(i: u32) -> u32 {
        let x = i as f32 * 0.37 - 40.0;
        let single = inverse(norm([x, 1.5, -2.0]), 0.125);
        let double = inverse(norm([x as f64, 0.25, 3.0]), 0.0625);
        single.to_bits() ^ (double as f32).to_bits().rotate_left(7)
    }
}
stack_machine plain_stack_machine stack_machine_kernel StackMachineKernel STACK_MACHINE {
    #[derive(Clone, Copy, PartialEq)]
    pub(super) enum Fault {
        Overflow,
        Underflow(u32),
    }
    pub(super) enum Failed {
        At(u32),
    }
    impl From<Fault> for Failed {
        fn from(fault: Fault) -> Self {
            match fault {
                Fault::Overflow => Failed::At(1),
                Fault::Underflow(depth) => Failed::At(100 + depth),
            }
        }
    }
    #[derive(Default)]
    pub(super) struct Machine {
        stack: [u32; 6],
        marks: [[u32; 2]; 3],
        depth: usize,
    }
    impl Machine {
        fn push(&mut self, v: u32) -> Result<(), Fault> {
            *self.stack.get_mut(self.depth).ok_or(Fault::Overflow)? = v;
            self.depth += 1;
            Ok(())
        }
        fn pop(&mut self) -> Result<u32, Fault> {
            self.depth = self.depth.checked_sub(1).ok_or(Fault::Underflow(self.depth as u32))?;
            self.stack.get(self.depth).copied().ok_or(Fault::Overflow)
        }
        fn mark(&mut self, row: usize, at: usize, v: u32) -> Result<u32, Failed> {
            let depth = self.depth as u32;
            let slot = self.marks[row].get_mut(at).ok_or_else(|| Fault::Underflow(depth + 7))?;
            *slot += v;
            *self.marks[row].last_mut().ok_or(Fault::Overflow)? ^= 5;
            Ok(depth ^ v)
        }
        fn run(&mut self, program: u32) -> Result<u32, Failed> {
            self.push(program)?;
            let mut code = program;
            for step in 0..8 {
                match code % 5 {
                    0 => self.push(step * 3)?,
                    1 => {
                        let (b, a) = (self.pop()?, self.pop()?);
                        self.push(a.wrapping_mul(b))?;
                    }
                    2 => {
                        let v = self.pop()?;
                        self.push(v)?;
                        self.push(v + 1)?;
                    }
                    3 => {
                        let v = self.mark(step as usize % 3, code as usize % 3, code)?;
                        self.push(v)?;
                    }
                    _ => self.push(code)?,
                }
                code /= 3;
            }
            Ok(self.pop()?)
        }
    }
    pub(super) fn of(i: u32) -> u32 {
        let mut machine = Machine::default();
        match machine.run(i.wrapping_mul(2_654_435_761) >> 12) {
            Ok(v) => v,
            Err(Failed::At(n)) => n | 0x8000_0000,
        }
    }
}
items_in_functions plain_items_in_functions items_in_functions_kernel ItemsInFunctionsKernel ITEMS_IN_FUNCTIONS {
    pub(super) fn attacked(n: u32, seed: u32) -> u32 {
        #[derive(Clone, Copy, Default)]
        struct Frame {
            columns: u32,
            left: u32,
            right: u32,
        }
        impl Frame {
            fn place(self, bit: u32) -> Self {
                fn shifted(v: u32, bit: u32) -> u32 {
                    (v | bit) << 1
                }
                Frame { columns: self.columns | bit, left: shifted(self.left, bit), right: (self.right | bit) >> 1 }
            }
        }
        type Bits = u32;
        let all: Bits = (1 << n) - 1;
        let (mut frame, mut state) = (Frame::default(), seed);
        for _ in 0..n {
            state = state.wrapping_mul(747_796_405).wrapping_add(1);
            let free = all & !(frame.columns | frame.left | frame.right);
            if free == 0 {
                break;
            }
            frame = frame.place(free & free.wrapping_neg() | 1 << (state >> 29));
        }
        frame.columns ^ frame.left << 8 ^ frame.right << 20
    }
    pub(super) fn of(i: u32) -> u32 {
        enum Way {
            Even,
            Odd(u32),
        }
        fn way(i: u32) -> Way {
            if i % 2 == 0 { Way::Even } else { Way::Odd(i / 2) }
        }
        match way(i) {
            Way::Even => attacked(6, i),
            Way::Odd(k) => attacked(5, k % 5) ^ 100,
        }
    }
}
}

const ROW: usize = 16;

/// Rows are filled as far as the data say, and read as far.
#[kernel(workgroup = 32)]
fn filled_rows(x: &[u32], rows: &mut [u32], sums: &mut [u32]) {
    let i = global_id().x as usize;
    let row = &mut rows[i * 16..(i + 1) * 16];
    let mut n = 0;
    'fill: while n < row.len() {
        match (x[i] >> (2 * n)) % 7 {
            0 => break,
            run @ 1..=2 => {
                for _ in 0..run {
                    if n == row.len() {
                        break 'fill;
                    }
                    row[n] = run;
                    n += 1;
                }
            }
            v => {
                row[n] = v;
                n += 1;
            }
        }
    }
    sums[i] = row[..n].iter().sum::<u32>() + 1000 * n as u32;
}

fn filled(x: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let (mut rows, mut sums) = (vec![0; N * ROW], vec![0; N]);
    for (i, row) in rows.chunks_exact_mut(ROW).enumerate() {
        let mut n = 0;
        'fill: while n < ROW {
            match (x[i] >> (2 * n)) % 7 {
                0 => break,
                run @ 1..=2 => {
                    for _ in 0..run {
                        if n == ROW {
                            break 'fill;
                        }
                        row[n] = run;
                        n += 1;
                    }
                }
                v => {
                    row[n] = v;
                    n += 1;
                }
            }
        }
        sums[i] = row[..n].iter().sum::<u32>() + 1000 * n as u32;
    }
    (rows, sums)
}

const FILLED_ROWS: Case = Case {
    name: "habits::filled_rows",
    kernels: &[<FilledRows as gridwise::Kernel>::DESCRIPTOR],
    run: |mgr| {
        let x = mgr.tensor(&patterns(N, 5))?;
        let (mut rows, mut sums) = (mgr.tensor_of_len::<u32>(N * ROW)?, mgr.tensor_of_len::<u32>(N)?);
        let seq = mgr.sequence()?;
        FilledRows::dispatch(&seq, Grid::items(N as u32), &x, &mut rows, &mut sums)?.eval()?;
        Ok(vec![Output::U32(rows.to_vec()?), Output::U32(sums.to_vec()?)])
    },
    expected: Some(|| {
        let (rows, sums) = filled(&patterns(N, 5));
        vec![Output::U32(rows), Output::U32(sums)]
    }),
};

/// Each invocation has two elements of its workgroup's part, named by a table.
#[kernel(workgroup = 32)]
fn sorted_parts(data: &mut [u32]) {
    let mut tile = Shared::<[u32; 64]>::new();
    let (t, base) = (local_id().x as usize, workgroup_id().x as usize * 64);
    for i in [t, t + 32] {
        tile[i] = data[base + i];
    }
    barrier();
    let mut k = 2;
    while k <= 64 {
        let mut j = k >> 1;
        while j > 0 {
            let low = 2 * t - (t & (j - 1));
            let (a, b) = (tile[low], tile[low + j]);
            if (a > b) == (low & k == 0) {
                tile[low] = b;
                tile[low + j] = a;
            }
            barrier();
            j >>= 1;
        }
        k <<= 1;
    }
    for i in [t, t + 32] {
        data[base + i] = tile[i];
    }
}

const SORTED_PARTS: Case = Case {
    name: "habits::sorted_parts",
    kernels: &[<SortedParts as gridwise::Kernel>::DESCRIPTOR],
    run: |mgr| {
        let mut data = mgr.tensor(&patterns(2 * N, 6))?;
        let seq = mgr.sequence()?;
        SortedParts::dispatch(&seq, Grid::items(N as u32), &mut data)?.eval()?;
        Ok(vec![Output::U32(data.to_vec()?)])
    },
    expected: Some(|| {
        let mut data = patterns(2 * N, 6);
        data.chunks_mut(64).for_each(<[u32]>::sort);
        vec![Output::U32(data)]
    }),
};

#[device]
const FACTOR: u32 = 7;

mod farther {
    use gridwise::prelude::*;

    #[device]
    pub(super) fn mixed(a: u32) -> u32 {
        a.rotate_left(5) ^ 0x9e37
    }
}

/// The same items in a kernel, in a `#[device] fn` and in a function that only rustc compiles.
macro_rules! with_own_items {
    ($($items:tt)*) => {
        #[kernel(workgroup = 32)]
        fn items_in_kernels(out: &mut [[u32; 2]]) {
            $($items)*
            let i = global_id().x;
            out[i] = [of(i), items_of_a_function(i)];
        }
        #[device]
        fn items_of_a_function(i: u32) -> u32 {
            $($items)*
            let shape = Shape { side: i % 5 + 1, kind: Kind::Ring(2) };
            of(i) ^ shape.area() << 8
        }
        fn plain_items(i: u32) -> u32 {
            $($items)*
            of(i)
        }
        fn plain_items_of_a_function(i: u32) -> u32 {
            $($items)*
            let shape = Shape { side: i % 5 + 1, kind: Kind::Ring(2) };
            of(i) ^ shape.area() << 8
        }
    };
}

with_own_items! {
    use core::ops::Mul;
    use self::farther::mixed;
    const STEP: u32 = 3;
    const UNUSED_BY_ITEMS: u32 = 2;
    type Pair = (u32, u32);
    #[derive(Clone, Copy, PartialEq)]
    enum Kind {
        Full,
        Ring(u32),
    }
    #[derive(Clone, Copy)]
    struct Shape {
        side: u32,
        kind: Kind,
    }
    trait Area {
        fn area(&self) -> u32;
    }
    impl Area for Shape {
        fn area(&self) -> u32 {
            match self.kind {
                Kind::Full => self.side * self.side,
                Kind::Ring(width) => self.side * self.side - self.side.saturating_sub(2 * width).pow(2),
            }
        }
    }
    impl Shape {
        const LEAST: u32 = 2;
        fn grown(self) -> Self {
            Self { side: self.side.max(Self::LEAST) + STEP, ..self }
        }
    }
    impl Mul<u32> for Shape {
        type Output = Shape;
        fn mul(self, by: u32) -> Shape {
            Shape { side: self.side * by, ..self }
        }
    }
    fn weight(d: u32) -> u32 {
        fn twice(d: u32) -> u32 {
            2 * d
        }
        twice(d) + FACTOR * STEP + self::farther::mixed(d)
    }
    fn pair(i: u32) -> Pair {
        (i % 9, mixed(i) % 4)
    }
    fn of(i: u32) -> u32 {
        let (side, by) = pair(i);
        let kind = if i % 2 == 0 { Kind::Full } else { Kind::Ring(1) };
        let shape = (Shape { side, kind }).grown() * by;
        weight(shape.area()) ^ i << 20
    }
}

const ITEMS_IN_KERNELS: Case = Case {
    name: "habits::items_in_kernels",
    kernels: &[<ItemsInKernels as gridwise::Kernel>::DESCRIPTOR],
    run: |mgr| {
        let mut out = mgr.tensor_of_len::<[u32; 2]>(N)?;
        let seq = mgr.sequence()?;
        ItemsInKernels::dispatch(&seq, Grid::items(N as u32), &mut out)?.eval()?;
        Ok(vec![Output::U32(out.to_vec()?.into_flattened())])
    },
    expected: Some(|| {
        let of = |i: u32| [plain_items(i), plain_items_of_a_function(i)];
        vec![Output::U32((0..N as u32).flat_map(of).collect())]
    }),
};

#[repr(C)]
#[derive(Clone, Copy, GpuData)]
struct Particle {
    x: f32,
    v: f32,
}

#[device]
mod doubles {
    pub trait Twice {
        fn twice(self) -> Self;
    }
    impl Twice for f32 {
        fn twice(self) -> f32 {
            2.0 * self
        }
    }
    impl Twice for super::Particle {
        fn twice(self) -> Self {
            Self { x: self.x.twice(), v: self.v }
        }
    }
}

#[device]
mod fours {
    use super::doubles::Twice;
    pub(super) fn four_times(x: f32) -> f32 {
        x.twice().twice()
    }
}

#[device]
fn eight_times(x: f32) -> f32 {
    use doubles::Twice as _;
    fours::four_times(x).twice()
}

mod importing {
    use gridwise::prelude::*;

    use super::doubles::*;

    /// No path here names the trait `Twice`.
    #[kernel(workgroup = 32)]
    pub(super) fn imported_traits(p: &mut [super::Particle]) {
        trait Step {
            const DT: f32;
            fn step(&mut self);
        }
        impl Step for super::Particle {
            const DT: f32 = 0.5;
            fn step(&mut self) {
                self.x += self.v * Self::DT;
            }
        }
        let i = global_id().x;
        p[i].step();
        let mut particle = p[i].twice();
        particle.step();
        particle.v = super::eight_times(particle.v).twice();
        p[i] = particle;
    }
}

fn particles() -> Vec<Particle> {
    (0..N).map(|i| Particle { x: i as f32, v: (i % 7) as f32 - 3.0 }).collect()
}

const IMPORTED_TRAITS: Case = Case {
    name: "habits::imported_traits",
    kernels: &[<importing::ImportedTraits as gridwise::Kernel>::DESCRIPTOR],
    run: |mgr| {
        let mut p = mgr.tensor(&particles())?;
        let seq = mgr.sequence()?;
        importing::ImportedTraits::dispatch(&seq, Grid::items(N as u32), &mut p)?.eval()?;
        Ok(vec![Output::exact(p.to_vec()?.iter().flat_map(|p| [p.x, p.v]).collect())])
    },
    expected: Some(|| {
        let of = |p: Particle| [2.0 * (p.x + 0.5 * p.v) + 0.5 * p.v, 16.0 * p.v];
        vec![Output::exact(particles().into_iter().flat_map(of).collect())]
    }),
};

/// All cases of this file.
pub const CASES: &[Case] =
    &[OWN_NUMBERS, STACK_MACHINE, ITEMS_IN_FUNCTIONS, ITEMS_IN_KERNELS, IMPORTED_TRAITS, FILLED_ROWS, SORTED_PARTS];
