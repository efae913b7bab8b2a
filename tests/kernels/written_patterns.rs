//! Writes through patterns, `if let Some(v) = &mut o` and its like, and variables that are declared without a value. Each function also
//! stands in a module that only rustc compiles.

#![allow(
    dead_code,
    unused_assignments,
    unused_imports,
    clippy::explicit_iter_loop,
    clippy::manual_range_contains,
    clippy::mem_replace_option_with_some,
    clippy::needless_late_init,
    clippy::needless_option_as_deref,
    clippy::toplevel_ref_arg,
    reason = "these are the forms that are tried"
)]

use gridwise::prelude::*;

use super::each_program;
use crate::case::{Case, Output};

/// Numbers that a function gets.
const N: usize = 256;

each_program! { written_patterns:

parts_of_options plain_parts_of_options run_parts_of_options RunPartsOfOptions PARTS_OF_OPTIONS {
    fn grow(o: &mut Option<u32>) {
        if let Some(v) = o {
            *v += 1;
        }
    }
    fn grow_result(o: &mut Result<u32, u32>) -> u32 {
        match o {
            Ok(v) if *v > 10 => {
                *v -= 1;
                1
            }
            Ok(v) => {
                *v *= 2;
                2
            }
            Err(e) => {
                *e += 5;
                3
            }
        }
    }
    pub(super) fn of(i: u32) -> u32 {
        let mut o = if i % 3 == 0 { Some(i) } else { None };
        if let Some(v) = &mut o {
            *v += 1;
            *v *= 3;
        } else {
            o = Some(7);
        }
        grow(&mut o);
        let mut n = 0;
        while let Some(v) = &mut o {
            if *v > 200 {
                o = None;
            } else {
                *v += 50;
                n += 1;
            }
        }
        let mut r: Result<u32, u32> = if i % 2 == 0 { Ok(i) } else { Err(i) };
        n += grow_result(&mut r);
        if let Ok(ref mut v) = r {
            *v += 3;
        }
        if let Some(v) = o.as_mut() {
            *v += 1;
        }
        let mut p = Some(i);
        if let Some(v) = p.as_mut() {
            *v += 9;
        }
        let Some(w) = &mut p else { return 1 };
        *w ^= 5;
        let old = p.take();
        let mut q = Some(2);
        let before = q.replace(i);
        let mut pair = (i, 1.5f32);
        let (a, b) = &mut pair;
        *a += 2;
        *b *= 2.0;
        n + old.unwrap_or(0)
            + match r {
                Ok(v) => v,
                Err(e) => e * 100,
            }
            + before.unwrap_or(3)
            + pair.0
            + pair.1 as u32
            + q.unwrap_or(1)
    }
}

parts_of_enums plain_parts_of_enums run_parts_of_enums RunPartsOfEnums PARTS_OF_ENUMS {
    #[derive(Clone, Copy)]
    pub(super) enum Shape {
        Circle(f32),
        Square(f32),
        Box { w: f32, h: f32 },
        Tagged(u32, f32),
        Nothing,
    }
    impl Shape {
        fn scale(&mut self, k: f32) {
            match self {
                Shape::Circle(r) | Shape::Square(r) => *r *= k,
                Shape::Box { w, h } => {
                    *w *= k;
                    *h *= k + 1.0;
                }
                Self::Tagged(0, x) => {
                    *x += 0.5;
                }
                Self::Tagged(n, x) if *n > 2 => {
                    *n -= 1;
                    *x += k;
                }
                Self::Tagged(n, _) => *n += 1,
                Self::Nothing => *self = Shape::Circle(k),
            }
        }
        fn grow(&mut self) -> bool {
            let Self::Box { w, .. } = self else { return false };
            *w += 1.0;
            true
        }
        fn area(&self) -> f32 {
            match self {
                Shape::Circle(r) => 3.0 * r * r,
                Shape::Square(r) => r * r,
                Shape::Box { w, h } => w * h,
                Shape::Tagged(n, x) => *n as f32 * x,
                Shape::Nothing => 0.0,
            }
        }
    }
    pub(super) struct Holder {
        shape: Shape,
        count: Option<u32>,
    }
    impl Holder {
        fn bump(&mut self) {
            match &mut self.count {
                Some(n) => *n += 1,
                None => self.count = Some(0),
            }
            match self.shape {
                Shape::Circle(ref mut r) => *r += 1.0,
                ref mut other => other.scale(2.0),
            }
        }
    }
    fn outer(s: &mut Shape) {
        match s {
            Shape::Circle(r) => {
                *r += 1.0;
            }
            other => other.scale(3.0),
        }
    }
    pub(super) fn of(i: u32) -> u32 {
        let mut s = match i % 6 {
            0 => Shape::Circle(i as f32),
            1 => Shape::Square(2.0),
            2 => Shape::Box { w: 1.0, h: i as f32 },
            3 => Shape::Tagged(i % 5, 2.0),
            4 => Shape::Tagged(0, 1.0),
            _ => Shape::Nothing,
        };
        s.scale(2.0);
        s.scale(0.5);
        let grew = s.grow();
        let mut h = Holder { shape: s, count: if i % 7 == 0 { None } else { Some(i) } };
        h.bump();
        h.bump();
        let mut several = [s, Shape::Circle(1.0), Shape::Nothing];
        outer(&mut several[(i % 3) as usize]);
        match &mut several[(i % 2) as usize] {
            Shape::Circle(r) => *r += 4.0,
            Shape::Box { w, .. } => *w = 0.0,
            _ => {}
        }
        let mut sum = 0.0;
        for s in several.iter_mut() {
            match s {
                Shape::Circle(r) => {
                    *r += 0.25;
                    sum += *r;
                }
                other => sum += other.area(),
            }
        }
        (h.shape.area() + several[0].area() + several[1].area() + several[2].area() * 2.0 + sum).to_bits()
            ^ h.count.unwrap_or(3)
            ^ grew as u32
    }
}

parts_of_parts plain_parts_of_parts run_parts_of_parts RunPartsOfParts PARTS_OF_PARTS {
    use gridwise::prelude::*;
    #[derive(Clone, Copy)]
    pub(super) struct Cell {
        value: u32,
        next: Option<(u32, Option<u32>)>,
    }
    pub(super) fn of(i: u32) -> u32 {
        let mut c = Cell { value: i, next: Some((i, if i % 2 == 0 { Some(3) } else { None })) };
        if let Cell { value, next: Some((a, Some(b))) } = &mut c {
            *value += 1;
            *a += *value;
            *b += *a;
        }
        if let Some((a, inner)) = &mut c.next
            && *a > 20
        {
            *inner = Some(*a);
            if let Some(x) = inner {
                *x += 1;
            }
        }
        let mut cells = [c; 3];
        let k = (i % 3) as usize;
        if i > 4
            && let Some((a, _)) = &mut cells[k].next
            && *a % 2 == 1
        {
            *a = 1000;
        }
        let Cell { ref mut value, next } = c;
        *value += next.map_or(0, |n| n.0);
        let mut arr = [i, 2, 3];
        let [x, _, z] = &mut arr;
        *x += 1;
        core::mem::swap(x, z);
        match &mut arr {
            [0, b, _] => *b = 9,
            [a, .., 7] => *a = 8,
            [_, b, _] => *b += 1,
        }
        let mut row = [1u32, 2, 3, 4];
        for (j, v) in row.iter_mut().enumerate() {
            *v += j as u32 * i;
        }
        let mut v = Vec3::new(1.0, 2.0, 3.0);
        let Vec3 { x: vx, .. } = &mut v;
        *vx += 2.0;
        let mut state = Some(0u32);
        let mut rounds = 0;
        loop {
            match &mut state {
                Some(n) if *n < i % 5 => *n += 1,
                Some(_) => {
                    state = None;
                }
                None => break,
            }
            rounds += 1;
        }
        c.value
            + c.next.map_or(0, |n| n.0 * 3 + n.1.unwrap_or(1))
            + cells[k].next.map_or(0, |n| n.0)
            + arr[0] * 3
            + arr[1] * 5
            + arr[2] * 7
            + row[3]
            + row[1]
            + v.x as u32
            + rounds
    }
}

assigned_later plain_assigned_later run_assigned_later RunAssignedLater ASSIGNED_LATER {
    fn chosen(condition: bool) -> u32 {
        let x;
        if condition {
            x = 1;
        } else {
            x = 2;
        }
        x
    }
    fn matched(k: u32) -> u32 {
        let x: u32;
        match k % 4 {
            0 => x = 3,
            1 => {
                x = 4;
            }
            2 => return 11,
            _ => {
                let y = k * 2;
                x = y;
            }
        }
        x + 1
    }
    fn root(n: u32) -> u32 {
        let found;
        let mut i = 0;
        loop {
            if i * i > n {
                found = i;
                break;
            }
            i += 1;
        }
        found
    }
    fn several(n: u32) -> Option<u32> {
        let (low, high);
        if n > 3 {
            low = 1;
            high = n;
        } else {
            return None;
        }
        Some(low + high)
    }
    fn array(n: u32) -> u32 {
        let t: [u32; 4];
        if n > 3 {
            t = [n; 4];
        } else {
            t = [1, 2, 3, 4];
        }
        t[n as usize % 4]
    }
    fn sum(n: u32) -> f32 {
        let mut sum;
        sum = 0.0;
        for i in 0..n % 9 {
            let half;
            if i % 2 == 0 {
                half = i / 2;
            } else {
                half = 7;
            }
            sum += half as f32;
        }
        sum
    }
    fn in_a_block(n: u32) -> u32 {
        let x;
        let y = if n > 2 {
            x = 1;
            10
        } else {
            x = 2;
            20
        };
        {
            let z: Option<u32>;
            z = Some(x);
            y + z.unwrap_or(0)
        }
    }
    fn checked(n: u32) -> u32 {
        let x;
        match n.checked_sub(4) {
            Some(rest) => x = rest,
            None if n == 2 => x = 9,
            None => panic!("there is no {n}"),
        }
        x
    }
    pub(super) fn of(i: u32) -> u32 {
        let checked = if i > 3 || i == 2 { checked(i) } else { 1 };
        chosen(i % 3 == 0)
            + matched(i) * 3
            + root(i) * 5
            + several(i).unwrap_or(17) * 7
            + array(i) * 11
            + sum(i) as u32 * 13
            + in_a_block(i) * 17
            + checked * 19
    }
}

}

/// An element of a buffer, which functions take apart by reference.
#[derive(Clone, Copy, Debug, PartialEq, GpuData)]
#[repr(C)]
pub struct Pair {
    a: u32,
    b: u32,
}

#[device]
fn raise(pair: &mut Pair) {
    match pair {
        Pair { a, b: 0 } => *a += 1,
        Pair { b, .. } => *b -= 1,
    }
    let Pair { a, .. } = pair;
    *a *= 3;
}

#[device]
fn first(values: &mut [u32; 2], by: u32) {
    let [a, _] = &mut *values;
    *a += by;
}

#[kernel(workgroup = 32)]
fn raise_elements(x: &mut [Pair], y: &mut [[u32; 2]]) {
    let i = global_id().x as usize;
    raise(&mut x[i]);
    first(&mut y[i], x[i].a);
    let mut own = x[i];
    if let Pair { a, b: 1 } = &mut own {
        *a += 100;
    }
    let Pair { ref mut b, .. } = own;
    *b += 1;
    x[i] = own;
}

const ELEMENTS: Case = Case {
    name: "written_patterns::elements",
    kernels: &[<RaiseElements as gridwise::Kernel>::DESCRIPTOR],
    run: |mgr| {
        let pairs: Vec<Pair> = (0..64).map(|i| Pair { a: i, b: i % 4 }).collect();
        let (mut x, mut y) = (mgr.tensor(&pairs)?, mgr.tensor(&[[1u32, 2]; 64])?);
        let seq = mgr.sequence()?;
        RaiseElements::dispatch(&seq, Grid::items(64), &mut x, &mut y)?.eval()?;
        let pairs = x.to_vec()?.into_iter().flat_map(|pair| [pair.a, pair.b]).collect();
        Ok(vec![Output::U32(pairs), Output::U32(y.to_vec()?.concat())])
    },
    expected: Some(|| {
        let raised = |i: u32| {
            let (a, b) = if i % 4 == 0 { (i + 1, 0) } else { (i, i % 4 - 1) };
            (3 * a, b)
        };
        let pairs = (0..64).map(raised).flat_map(|(a, b)| [a + if b == 1 { 100 } else { 0 }, b + 1]).collect();
        let firsts = (0..64).map(raised).flat_map(|(a, _)| [1 + a, 2]).collect();
        vec![Output::U32(pairs), Output::U32(firsts)]
    }),
};

/// All cases of this file.
pub const CASES: &[Case] = &[PARTS_OF_OPTIONS, PARTS_OF_ENUMS, PARTS_OF_PARTS, ASSIGNED_LATER, ELEMENTS];
