//! Arrays whose length is a parameter, and of what else a generic function knows no type: elements that are written, parts, loops,
//! functions by name, `unwrap`; and values of a call's own that it writes. rustc compiles each of them, too.

#![allow(
    dead_code,
    unused_variables,
    clippy::all,
    reason = "programs as people write them, of which not every function is called"
)]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(operations, plain_operations, {
    #[derive(Clone, Copy, Default)]
    pub(super) struct B(u32);
    impl B {
        fn bump(&mut self) {
            self.0 += 1;
        }
    }
    fn bump_twice(b: &mut B) {
        b.0 *= 2;
        b.bump();
    }
    pub(super) struct M<const D: usize> {
        t: [[u32; 3]; D],
        u: [u32; D],
        o: [Option<u32>; D],
        b: [B; D],
    }
    impl<const D: usize> M<D> {
        fn change(&mut self, k: usize, operation: u32) {
            match operation {
                0 => self.t[k][1..].fill(3),
                1 => {
                    for v in &mut self.t[k][..1] {
                        *v += 4;
                    }
                }
                2 => {
                    for v in self.t[k][..1].iter_mut() {
                        *v += 4;
                    }
                }
                3 => {
                    if let Some(v) = self.t[k].get_mut(2) {
                        *v += 40;
                    }
                }
                4 => self.t[k].swap(0, 1),
                5 => self.t[k].iter_mut().for_each(|v| *v += 1),
                6 => {
                    for v in &mut self.t[k] {
                        *v += 4;
                    }
                }
                7 => self.t[k][..2].reverse(),
                8 => {
                    let r = &mut self.t[k];
                    r[1] += 2;
                    r.swap(0, 1);
                }
                9 => self.t[k][0..2].copy_from_slice(&[5, 6]),
                10 => {
                    if let Some(v) = &mut self.o[k] {
                        *v += 3;
                    }
                }
                11 => {
                    if let Some(v) = self.o[k].as_mut() {
                        *v += 3;
                    }
                }
                12 => {
                    self.t[k].sort();
                }
                13 => self.t[k].rotate_left(1),
                14 => match &mut self.o[k] {
                    Some(v) => *v = 2,
                    None => {}
                },
                15 => {
                    let v = core::mem::replace(&mut self.u[k], 4);
                    self.u[0] += v;
                }
                16 => {
                    for (a, b) in self.t[k].iter_mut().zip(self.u.iter()) {
                        *a += *b;
                    }
                }
                17 => {
                    let [a, b, c] = &mut self.t[k];
                    *a += *b;
                    *c = 2;
                }
                18 => {
                    self.b[k].bump();
                    bump_twice(&mut self.b[k]);
                    self.b[k].0 += 2;
                    let q = &mut self.b[k];
                    q.bump();
                }
                _ => {
                    for q in &mut self.b {
                        q.bump();
                    }
                    self.b.iter_mut().for_each(|q| q.bump());
                }
            }
        }
        fn sum(&self, k: usize) -> u32 {
            let t = self.t[k];
            let rest = self.u[0] * 7 + self.u[1] * 11 + self.o[k].unwrap_or(6) + self.b[1].0 * 13;
            t[0] + t[1] * 3 + t[2] * 5 + rest
        }
    }
    pub(super) fn operations(i: u32, x: &[u32]) -> u32 {
        let n = x[i as usize] & 255;
        let mut m = M { t: [[n, 8, 9]; 2], u: [n, 3], o: [Some(n); 2], b: [B(n); 2] };
        m.change(1, i % 20);
        m.change(0, (i + 7) % 20);
        m.sum(1) * 31 + m.sum(0)
    }
});

both!(divided, plain_divided, {
    fn f<T: core::ops::DivAssign + Copy>(mut a: [T; 2], b: T) -> T {
        for v in &mut a {
            *v /= b;
        }
        for v in a.iter_mut() {
            *v /= b;
        }
        a[0]
    }
    fn g<T: core::ops::DivAssign + Copy, const D: usize>(mut a: [T; D], b: T) -> T {
        for v in &mut a {
            *v /= b;
        }
        for v in a.iter_mut() {
            *v /= b;
        }
        a[0]
    }
    pub(super) fn divided(i: u32, x: &[u32]) -> u32 {
        f([i as f32, 2.0], 2.0) as u32 + g([i as f32], 2.0) as u32
    }
});

both!(written_elements, plain_written_elements, {
    #[derive(Clone, Copy, Default)]
    pub(super) struct Rng(u32);
    impl Rng {
        fn draw(&mut self) -> u32 {
            self.0 = self.0 * 5 + 1;
            self.0
        }
    }
    pub(super) struct M<const D: usize> {
        a: [Rng; D],
        o: [Option<u32>; D],
        t: [[u32; 3]; D],
    }
    impl<const D: usize> M<D> {
        fn f(&mut self, k: usize) -> u32 {
            self.a[k].draw() + self.a[k].draw() * 2
        }
        fn g(&mut self, k: usize) -> u32 {
            let v = self.o[k].take().unwrap_or(7);
            v + self.o[k].take().unwrap_or(7) * 3
        }
        fn h(&mut self, k: usize) -> u32 {
            self.t[k].swap(0, 1);
            self.t[k].iter_mut().for_each(|v| *v += 1);
            self.t[k][1..].fill(3);
            for v in &mut self.t[k][..1] {
                *v += 4;
            }
            for v in self.t[k][..1].iter_mut() {
                *v += 4;
            }
            if let Some(v) = self.t[k].get_mut(2) {
                *v += 40;
            }
            self.t[k][1].min(self.t[k][0]) + self.t[k].iter().sum::<u32>()
        }
    }
    pub(super) fn written_elements(i: u32, x: &[u32]) -> u32 {
        let mut m = M { a: [Rng(i); 2], o: [Some(i); 2], t: [[i, 8, 9]; 2] };
        match i % 3 {
            0 => m.f(1),
            1 => m.g(0),
            _ => m.h(1),
        }
    }
});

both!(every, plain_every, {
    fn f<const D: usize>(mut a: [f32; D]) -> f32 {
        for v in &mut a {
            *v /= 2.0;
        }
        a[0]
    }
    pub(super) fn every(i: u32, x: &[u32]) -> u32 {
        f([i as f32, 2.0]) as u32
    }
});

both!(rows_of_field, plain_rows_of_field, {
    pub(super) struct M<const D: usize> {
        a: [[f32; D]; 2],
    }
    impl<const D: usize> M<D> {
        fn f(mut self) -> f32 {
            for v in &mut self.a[1] {
                *v /= 2.0;
            }
            for v in self.a[0].iter_mut() {
                *v /= 2.0;
            }
            self.a[0][0] + self.a[1][1]
        }
    }
    pub(super) fn rows_of_field(i: u32, x: &[u32]) -> u32 {
        M { a: [[i as f32, 2.0], [3.0, i as f32]] }.f() as u32
    }
});

both!(lent, plain_lent, {
    fn axpy<const M: usize>(y: &mut [f32; M], a: f32, x: &[f32; M]) {
        y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
    }
    pub(super) fn lent(i: u32, x: &[u32]) -> u32 {
        let mut y = [i as f32, 4.0];
        axpy(&mut y, 2.0, &[1.0, 2.0]);
        y[0] as u32 + y[1] as u32
    }
});

both!(nested, plain_nested, {
    #[derive(Clone, Copy)]
    pub(super) struct Mat<const R: usize, const C: usize>([[f32; C]; R]);
    impl<const R: usize, const C: usize> core::ops::Add for Mat<R, C> {
        type Output = Self;
        fn add(mut self, rhs: Self) -> Self {
            for (a, b) in self.0.iter_mut().zip(rhs.0.iter()) {
                for (a, b) in a.iter_mut().zip(b) {
                    *a += b;
                }
            }
            self
        }
    }
    pub(super) fn nested(i: u32, x: &[u32]) -> u32 {
        let m = Mat([[1.0, i as f32]]);
        let Mat([[a, b]]) = m + m;
        a as u32 * 3 + b as u32
    }
});

both!(variant_numbers, plain_variant_numbers, {
    pub(super) enum Class {
        A,
        B,
    }
    const fn transitions() -> [[u8; 2]; 3] {
        let mut t = [[0; 2]; 3];
        t[1][Class::B as usize] = 3;
        t
    }
    const TABLE: [[u8; 2]; 3] = transitions();
    pub(super) fn variant_numbers(i: u32, x: &[u32]) -> u32 {
        TABLE[i as usize % 3][1] as u32
    }
});

both!(const_rows, plain_const_rows, {
    const fn transitions() -> [[u8; 2]; 3] {
        let mut t = [[0; 2]; 3];
        t[1] = [7, 8];
        t
    }
    const TABLE: [[u8; 2]; 3] = transitions();
    pub(super) fn const_rows(i: u32, x: &[u32]) -> u32 {
        TABLE[i as usize % 3][1] as u32
    }
});

both!(slices_to_traits, plain_slices_to_traits, {
    pub(super) trait Sum1: Default {
        fn write(&mut self, bytes: &[u8]);
        fn finish(self) -> u32;
    }
    #[derive(Default)]
    pub(super) struct A(u32);
    impl Sum1 for A {
        fn write(&mut self, bytes: &[u8]) {
            for &b in bytes {
                self.0 += u32::from(b);
            }
        }
        fn finish(self) -> u32 {
            self.0
        }
    }
    fn check<C: Sum1>(data: &[u8]) -> u32 {
        let (head, tail) = data.split_at(data.len() / 2);
        let mut sum = C::default();
        sum.write(head);
        sum.finish()
    }
    pub(super) fn slices_to_traits(i: u32, x: &[u32]) -> u32 {
        check::<A>(&[i as u8, 3, 4])
    }
});

both!(rows_by_method, plain_rows_by_method, {
    #[derive(Clone, Copy, Default)]
    pub(super) struct B(u32);
    impl B {
        fn bump(&mut self) {
            self.0 += 1;
        }
    }
    fn bump2(b: &mut B) {
        b.0 *= 2;
    }
    pub(super) struct M<const D: usize> {
        t: [[u32; 3]; D],
        u: [u32; D],
        o: [Option<u32>; D],
        b: [B; D],
    }
    impl<const D: usize> M<D> {
        fn h(&mut self, k: usize) -> u32 {
            for r in self.t.iter_mut() {
                r[1] += 1;
                r.swap(0, 2);
            }
            let t = self.t[k];
            t[0] + t[1] * 3 + t[2] * 5 + self.u[0] * 7 + self.u[1] * 11 + self.o[k].unwrap_or(6) + self.b[1].0 * 13
        }
    }
    pub(super) fn rows_by_method(i: u32, x: &[u32]) -> u32 {
        let mut m = M { t: [[i, 8, 9]; 2], u: [i, 3], o: [Some(i); 2], b: [B(i); 2] };
        m.h(1)
    }
});

both!(parts_of_parts, plain_parts_of_parts, {
    pub(super) struct M<const D: usize> {
        t: [[u32; 4]; D],
    }
    impl<const D: usize> M<D> {
        fn h(&mut self, k: usize) -> u32 {
            let j = k - 1;
            self.t[k][1..][..2].reverse();
            for v in &mut self.t[k][..3][1..] {
                *v += 1;
            }
            for v in self.t[j][j + 1..].iter_mut().skip(1) {
                *v *= 2;
            }
            let part = &mut self.t[j][..2];
            part.swap(0, 1);
            let t = self.t[k];
            let u = self.t[j];
            t[0] + t[1] * 3
                + t[2] * 5
                + u[0] * 7
                + u[1] * 11
                + u[2] * 13
                + self.t[k][..2].iter().sum::<u32>()
                + self.t[0][1..].len() as u32
        }
    }
    pub(super) fn parts_of_parts(i: u32, x: &[u32]) -> u32 {
        let mut m = M { t: [[i, 8, 9, 11]; 2] };
        m.h(1)
    }
});

both!(named_part, plain_named_part, {
    pub(super) struct M<const D: usize> {
        t: [[u32; 4]; D],
    }
    impl<const D: usize> M<D> {
        fn h(&mut self, k: usize) -> u32 {
            let part = &mut self.t[k][..2];
            part.swap(0, 1);
            part[0] += 3;
            for r in &mut self.t {
                r[1] += 1;
                r[2] = 4;
                r.swap(0, 2);
            }
            let rows = self.t.iter().map(|r| r[0] + r[1]).sum::<u32>();
            let mut most = 0u32;
            for r in self.t.iter() {
                most = most.max(r[3] + r.iter().max().unwrap());
            }
            for r in &self.t {
                most += r[0];
            }
            let t = self.t[k];
            t[0] + t[1] * 3 + t[2] * 5 + rows * 7 + most
        }
    }
    pub(super) fn named_part(i: u32, x: &[u32]) -> u32 {
        let mut m = M { t: [[i, 8, 9, 11]; 2] };
        m.h(1)
    }
});

both!(temporaries, plain_temporaries, {
    #[derive(Default)]
    pub(super) struct S {
        items: [u32; 4],
        len: usize,
    }
    impl S {
        fn push(&mut self, v: u32) -> Result<(), u32> {
            if self.len == 4 {
                return Err(9);
            }
            self.items[self.len] = v;
            self.len += 1;
            Ok(())
        }
    }
    #[derive(Default)]
    pub(super) struct V {
        s: S,
        pc: usize,
    }
    impl V {
        fn step(&mut self, v: u32) -> Result<bool, u32> {
            if v == 0 {
                return Ok(true);
            }
            self.s.push(v)?;
            Ok(false)
        }
        pub(super) fn run(&mut self, code: &[u32; 6], fuel: u32) -> Result<u32, u32> {
            for _ in 0..fuel {
                let Some(&c) = code.get(self.pc) else { break };
                if self.step(c)? {
                    return Ok(self.s.items[1] * 10 + self.s.len as u32);
                }
                self.pc += 1;
            }
            Err(4)
        }
    }
    fn through(v: &mut V, code: &[u32; 6]) -> u32 {
        v.pc += 1;
        v.run(code, 6).unwrap_or(v.pc as u32) + v.pc as u32
    }
    fn through2(code: &[u32; 6]) -> u32 {
        let mut v = V::default();
        through(&mut v, code)
    }
    fn add(v: &mut u32, code: &[u32; 6]) -> u32 {
        for c in code {
            *v += c;
        }
        *v
    }
    fn fill(v: &mut [u32; 3], code: &[u32]) -> u32 {
        for (v, c) in v.iter_mut().zip(code) {
            *v += c;
        }
        v[0] + v[1] * 2 + v[2] * 4
    }
    fn part(v: &mut [u32], by: &u32) -> u32 {
        for v in v.iter_mut() {
            *v += by;
        }
        v[0]
    }
    pub(super) fn temporaries(i: u32, x: &[u32]) -> u32 {
        let code = [1, i, 3, i % 5, 7, 0];
        let a = match V::default().run(&code, 10) {
            Ok(v) => v,
            Err(e) => e + 1000,
        };
        let b = through2(&code) + V { s: S { items: [i; 4], len: 1 }, pc: 1 }.run(&code, 3).unwrap_or(9);
        let c = 1u32;
        let d = 0;
        a ^ b << 8 ^ c << 16 ^ d << 22
    }
});

both!(functions_by_name, plain_functions_by_name, {
    fn far<const D: usize>(a: [f32; D], b: [f32; D]) -> f32 {
        let most = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        most + a.iter().copied().map(f32::sqrt).reduce(f32::min).unwrap_or(0.5)
    }
    pub(super) fn functions_by_name(i: u32, x: &[u32]) -> u32 {
        far([i as f32, 4.0], [2.0, x[i as usize] as u8 as f32]) as u32
    }
});

both!(unwrapped, plain_unwrapped, {
    pub(super) trait Has {
        fn has(self) -> Option<u32>;
        fn may(self) -> Result<u32, u8>;
    }
    impl Has for u32 {
        fn has(self) -> Option<u32> {
            Some(self)
        }
        fn may(self) -> Result<u32, u8> {
            Ok(self + 1)
        }
    }
    fn of<T: Has + Copy, const D: usize>(a: [T; D]) -> u32 {
        let first = a.iter().map(|a| a.has()).next().expect("one {}").unwrap();
        let may = a.first().unwrap().may().expect("two");
        first + a.get(1).unwrap().may().unwrap() + may
    }
    fn largest<const D: usize>(a: [f32; D]) -> Option<f32> {
        let most = a.iter().map(|a| a.abs()).reduce(|a, b| a.max(b))?;
        Some(most + a.iter().copied().reduce(f32::min).unwrap())
    }
    pub(super) fn unwrapped(i: u32, x: &[u32]) -> u32 {
        of([i, x[i as usize] & 255]) + largest([i as f32, 3.0]).unwrap() as u32
    }
});

domain!("generic_lengths", {
    operations, Operations, plain_operations;
    divided, Divided, plain_divided;
    written_elements, WrittenElements, plain_written_elements;
    every, Every, plain_every;
    rows_of_field, RowsOfField, plain_rows_of_field;
    lent, Lent, plain_lent;
    nested, Nested, plain_nested;
    variant_numbers, VariantNumbers, plain_variant_numbers;
    const_rows, ConstRows, plain_const_rows;
    slices_to_traits, SlicesToTraits, plain_slices_to_traits;
    rows_by_method, RowsByMethod, plain_rows_by_method;
    parts_of_parts, PartsOfParts, plain_parts_of_parts;
    named_part, NamedPart, plain_named_part;
    temporaries, Temporaries, plain_temporaries;
    functions_by_name, FunctionsByName, plain_functions_by_name;
    unwrapped, Unwrapped, plain_unwrapped;
});
