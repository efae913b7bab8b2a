//! Structs that hold slices: views, cursors, graphs, matrices and rings. Each module also stands in one that only rustc compiles.

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output};

const N: usize = 64;

both!(image, plain_image, {
    #[derive(Clone, Copy)]
    pub(super) struct View<'a> {
        pub(super) data: &'a [f32],
        pub(super) width: usize,
    }

    impl<'a> View<'a> {
        const OUTSIDE: f32 = 0.5;

        pub(super) fn new(data: &'a [f32], width: usize) -> Self {
            Self { data, width }
        }

        pub(super) fn height(&self) -> usize {
            self.data.len() / self.width
        }

        pub(super) fn at(&self, x: usize, y: usize) -> f32 {
            self.data[y * self.width + x]
        }

        fn clamped(&self, x: i32, y: i32) -> f32 {
            if x < 0 || y < 0 {
                return Self::OUTSIDE;
            }
            self.at((x as usize).min(self.width - 1), (y as usize).min(self.height() - 1))
        }

        fn row(&self, y: usize) -> &'a [f32] {
            &self.data[y * self.width..(y + 1) * self.width]
        }

        fn below(&self, y: usize) -> View<'a> {
            View { width: self.width, data: &self.data[y * self.width..] }
        }
    }

    fn mean(view: View<'_>, x: usize, y: usize) -> f32 {
        let mut sum = 0.0;
        for dy in -1..=1 {
            for dx in -1..=1 {
                sum += view.clamped(x as i32 + dx, y as i32 + dy);
            }
        }
        sum * 0.125
    }

    fn brightest(view: &View<'_>, y: usize) -> f32 {
        view.row(y).iter().copied().fold(0.0, f32::max)
    }

    pub(super) fn all(data: &[f32], width: usize, i: usize) -> f32 {
        let view = View::new(data, width);
        let (x, y) = (i % width, i / width);
        mean(view, x, y) + brightest(&view, y) * 8.0 + view.below(1).at(x, y / 2) * 32.0
    }
});

both!(text, plain_text, {
    struct Reader<'a> {
        bytes: &'a [u8],
        at: usize,
    }

    impl<'a> Reader<'a> {
        fn new(bytes: &'a [u8]) -> Reader<'a> {
            Reader { bytes, at: 0 }
        }

        fn next(&mut self) -> Option<u8> {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            Some(byte)
        }

        fn number(&mut self) -> Option<u32> {
            let mut n: Option<u32> = None;
            while let Some(byte) = self.next() {
                if !byte.is_ascii_digit() {
                    break;
                }
                n = Some(n.unwrap_or(0) % 100_000 * 10 + u32::from(byte - b'0'));
            }
            n
        }
    }

    /// A cursor: its slice becomes others.
    struct Rest<'a> {
        rest: &'a [u8],
    }

    impl<'a> Rest<'a> {
        fn word(&mut self) -> &'a [u8] {
            let mut n = 0;
            while n < self.rest.len() && self.rest[n] != b' ' {
                n += 1;
            }
            let word = &self.rest[..n];
            self.rest = &self.rest[(n + 1).min(self.rest.len())..];
            word
        }

        fn skip_digit(&mut self) -> bool {
            match self.rest {
                [b'0'..=b'9', rest @ ..] => {
                    self.rest = rest;
                    true
                }
                _ => false,
            }
        }
    }

    struct Parser<'a> {
        reader: Reader<'a>,
        rest: Rest<'a>,
        depth: u32,
    }

    impl Parser<'_> {
        fn step(&mut self) {
            if self.reader.next().is_some() && self.rest.skip_digit() {
                self.depth += 1;
            }
            self.rest.rest = &self.rest.rest[1..];
        }
    }

    pub(super) fn all(text: &[u8]) -> u32 {
        let mut reader = Reader::new(text);
        let mut sum = 0u32;
        while let Some(n) = reader.number() {
            sum = sum.wrapping_mul(3).wrapping_add(n);
        }
        let mut words = Rest { rest: text };
        for k in 0..4 {
            sum ^= (words.word().len() as u32) << (k * 4);
        }
        let mut parser = Parser { reader: Reader::new(text), rest: Rest { rest: &text[1..] }, depth: 0 };
        for _ in 0..5 {
            parser.step();
        }
        sum ^ parser.depth << 20 ^ (parser.reader.at as u32) << 24 ^ (parser.rest.rest.len() as u32) << 10
    }
});

both!(graph, plain_graph, {
    #[derive(Clone, Copy)]
    pub(super) struct Graph<'a> {
        pub(super) starts: &'a [u32],
        pub(super) targets: &'a [u32],
    }

    impl<'a> Graph<'a> {
        fn neighbours(&self, v: usize) -> &'a [u32] {
            &self.targets[self.starts[v] as usize..self.starts[v + 1] as usize]
        }
    }

    pub(super) fn around(graph: &Graph<'_>, v: usize) -> u32 {
        let mut sum = 0;
        for &to in graph.neighbours(v) {
            sum = sum * 5 + to;
        }
        let weigh = |v: usize| graph.starts[v] * 3 + graph.targets[v];
        sum ^ weigh(v)
    }
});

both!(matrix, plain_matrix, {
    #[derive(Clone, Copy)]
    struct Matrix<'a, T, const W: usize> {
        cells: &'a [T],
    }

    impl<'a, T: Copy, const W: usize> Matrix<'a, T, W> {
        fn of(cells: &'a [T]) -> Self {
            Matrix { cells }
        }

        fn row(&self, y: usize) -> &'a [T] {
            &self.cells[y * W..][..W]
        }

        fn at(&self, x: usize, y: usize) -> T {
            self.row(y)[x]
        }

        fn get(&self, x: usize, y: usize) -> Option<T> {
            self.cells.get(y * W + x).copied()
        }

        fn from(&self, y: usize) -> Matrix<'a, T, W> {
            Self { cells: &self.cells[y * W..] }
        }
    }

    fn corner<T: Copy>(m: &Matrix<'_, T, 4>, x: usize) -> T {
        m.at(x, 0)
    }

    /// A tuple struct.
    #[derive(Clone, Copy)]
    struct Span<'a>(&'a [u32]);

    impl<'a> Span<'a> {
        fn at(self, i: usize) -> u32 {
            self.0[i]
        }

        fn halves(self) -> (Span<'a>, Span<'a>) {
            let (a, b) = self.0.split_at(self.0.len() / 2);
            (Span(a), Span(b))
        }

        fn behind(&self, n: usize) -> Option<Self> {
            if n > self.0.len() {
                return None;
            }
            Some(Span(&self.0[n..]))
        }

        fn sum(&self) -> u32 {
            self.0.iter().fold(0u32, |sum, v| sum.wrapping_mul(3).wrapping_add(*v))
        }

        fn twice(this: &Self) -> u32 {
            Self::small(this.sum()) * 2
        }

        fn small(v: u32) -> u32 {
            v % 1000
        }

        fn mixed(&self) -> u32 {
            Self::twice(self) + Self::small(1007) + self.none().0.len() as u32
        }

        fn none(&self) -> Self {
            Self(&self.0[..0])
        }
    }

    /// With structs that hold slices.
    #[derive(Clone)]
    struct Pair<'a> {
        left: Span<'a>,
        right: Span<'a>,
        weights: [u32; 2],
    }

    impl Pair<'_> {
        fn mixed(&self, i: usize) -> u32 {
            self.left.at(i) * self.weights[0] + self.right.0[i] * self.weights[1]
        }

        fn shift(&mut self) {
            self.left = Span(&self.left.0[1..]);
            self.right.0 = &self.right.0[2..];
        }
    }

    const TABLE: [u32; 4] = [3, 1, 4, 1];

    fn table() -> Span<'static> {
        Span(&TABLE)
    }

    fn chosen(x: &[u32], is_near: bool) -> Span<'_> {
        if is_near { Span(&x[1..4]) } else { Span(&x[3..]) }
    }

    pub(super) fn all(numbers: &[u32], i: usize) -> u32 {
        let own: [u32; 16] = std::array::from_fn(|k| numbers[i + k]);
        let x = &own[..];
        let m = Matrix::<u32, 4>::of(x);
        let mut h = corner(&m, i % 4) ^ m.from(1).at(2, 0) ^ m.row(1).iter().sum::<u32>() ^ m.get(3, i).unwrap_or(77);
        let span = Span(&x[i % 3..]);
        let (a, b) = span.halves();
        h ^= a.sum() ^ b.sum() << 1;
        if let Some(c) = span.behind(i % 5) {
            h ^= c.sum();
        }
        h = h.wrapping_add(a.at(1)) ^ span.mixed();
        let mut pair = Pair { left: a, right: b, weights: [2, 3] };
        h ^= pair.mixed(1);
        let copy = pair.clone();
        pair.shift();
        h = h.rotate_left(3) ^ pair.mixed(0) ^ pair.right.0.len() as u32 ^ copy.left.sum();
        h ^= table().sum() ^ chosen(x, i % 2 == 0).sum();
        let mut best: Option<Span<'_>> = None;
        for k in 0..4 {
            let part: Span<'_> = Span(&x[k..k + 2]);
            let is_better = match best {
                Some(best) => part.sum() > best.sum(),
                None => true,
            };
            if is_better {
                best = Some(part);
            }
        }
        h ^= best.map_or(0, |best| best.sum());
        let at = |k: usize| span.at(k) + m.at(k, 1);
        h ^= at(1) ^ at(2);
        let mut walk = span;
        while walk.0.len() > 2 {
            walk = Span(&walk.0[2..]);
            h = h.rotate_left(1) ^ walk.at(0);
        }
        for (k, v) in span.0.iter().enumerate() {
            h ^= v << (k % 7);
        }
        h
    }
});

both!(ring, plain_ring, {
    /// A queue of a fixed number of slots.
    pub(super) struct Ring<'a> {
        slots: &'a mut [u32],
        head: usize,
        len: usize,
    }

    impl<'a> Ring<'a> {
        pub(super) fn over(slots: &'a mut [u32]) -> Ring<'a> {
            Ring { slots, head: 0, len: 0 }
        }

        pub(super) fn push(&mut self, v: u32) -> bool {
            if self.len == self.slots.len() {
                return false;
            }
            let at = (self.head + self.len) % self.slots.len();
            self.slots[at] = v;
            self.len += 1;
            true
        }

        pub(super) fn pop(&mut self) -> Option<u32> {
            if self.len == 0 {
                return None;
            }
            let v = self.slots[self.head];
            self.head = (self.head + 1) % self.slots.len();
            self.len -= 1;
            Some(v)
        }

        fn clear(&mut self) {
            self.slots.fill(2);
            for slot in self.slots.iter_mut() {
                *slot += 1;
            }
            self.len = 0;
        }
    }

    pub(super) fn all(x: &[u32]) -> u32 {
        let mut h = 7u32;
        let mut own = [0u32; 5];
        let mut ring = Ring::over(&mut own);
        for k in 0..7 {
            if !ring.push(x[k]) {
                h ^= ring.pop().unwrap_or(1);
            }
        }
        while let Some(v) = ring.pop() {
            h = h.wrapping_mul(31).wrapping_add(v);
        }
        ring.clear();
        h ^ own.iter().sum::<u32>()
    }
});

#[kernel(workgroup = 32)]
fn view_of_an_image(data: &[f32], width: u32, out: &mut [f32]) {
    let i = global_id().x as usize;
    let view = image::View { data, width: width as usize };
    out[i] = image::all(data, width as usize, i) + view.at(i % 8, 1);
}

#[kernel(workgroup = 32)]
fn readers_of_text(text: &[u8], out: &mut [u32]) {
    let i = global_id().x as usize;
    out[i] = text::all(&text[i..]);
}

#[kernel(workgroup = 32)]
fn graph_of_lists(starts: &[u32], targets: &[u32], out: &mut [u32]) {
    let i = global_id().x as usize;
    let graph = graph::Graph { starts, targets };
    out[i] = graph::around(&graph, i % 6);
}

#[kernel(workgroup = 32)]
fn matrices_of_slices(x: &[u32], out: &mut [u32]) {
    let i = global_id().x as usize;
    out[i] = matrix::all(x, i % 32);
}

/// A ring in each row of a shared array, and one in the elements that an invocation writes.
#[kernel(workgroup = 32)]
fn rings_of_slices(x: &[u32], out: &mut [u32]) {
    let i = global_id().x as usize;
    let t = local_id().x as usize;
    let tile = Shared::<[u32; 64]>::new();
    tile[2 * t] = x[i];
    tile[2 * t + 1] = t as u32;
    barrier();
    let near = image_of(&tile[..]);
    let seen = near.at((t + 1) % 32) + near.at(t / 2 + 32);
    let mut ring = ring::Ring::over(&mut out[4 * i..4 * i + 4]);
    ring.push(ring::all(&x[i % 32..]));
    ring.push(seen);
    ring.pop();
    ring.push(5);
}

#[device]
mod words {
    pub(super) struct Words<'a> {
        words: &'a [u32],
    }

    impl Words<'_> {
        pub(super) fn at(&self, k: usize) -> u32 {
            self.words[k]
        }
    }

    pub(super) fn image_of(words: &[u32]) -> Words<'_> {
        Words { words }
    }
}
use words::image_of;

fn numbers() -> Vec<u32> {
    (0..N as u32).map(|k| k * 37 % 61).collect()
}

const TEXT: &[u8] =
    b"12 345,6;7777 90 1 22 abc 5 0 17 99 1000 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 and 20 words more";
const STARTS: [u32; 7] = [0, 2, 3, 5, 5, 8, 9];
const TARGETS: [u32; 9] = [1, 2, 0, 4, 5, 0, 1, 2, 3];

fn rings() -> Vec<u32> {
    let x = numbers();
    let rows = (0..N).map(|i| {
        let (t, group) = (i % 32, i / 32 * 32);
        let tile = |k: usize| if k % 2 == 0 { x[group + k / 2] } else { k as u32 / 2 };
        let seen = tile((t + 1) % 32) + tile(t / 2 + 32);
        let mut row = [0; 4];
        let mut ring = plain_ring::Ring::over(&mut row);
        let pushed = ring.push(plain_ring::all(&x[i % 32..])) && ring.push(seen) && ring.pop().is_some();
        assert!(pushed && ring.push(5));
        row
    });
    rows.flatten().collect()
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "held_slices::image",
        [ViewOfAnImage],
        |mgr| {
            let data: Vec<f32> = numbers().iter().map(|v| *v as f32).collect();
            let (x, mut y) = (mgr.tensor(&data)?, mgr.tensor_of_len::<f32>(N)?);
            let seq = mgr.sequence()?;
            ViewOfAnImage::dispatch(&seq, Grid::items(N as u32), &x, 8, &mut y)?.eval()?;
            Ok(vec![Output::exact(y.to_vec()?)])
        },
        || {
            let data: Vec<f32> = numbers().iter().map(|v| *v as f32).collect();
            vec![Output::exact((0..N).map(|i| plain_image::all(&data, 8, i) + data[8 + i % 8]).collect())]
        }
    ),
    case!(
        "held_slices::text",
        [ReadersOfText],
        |mgr| {
            let (x, mut y) = (mgr.tensor(TEXT)?, mgr.tensor_of_len::<u32>(N)?);
            let seq = mgr.sequence()?;
            ReadersOfText::dispatch(&seq, Grid::items(N as u32), &x, &mut y)?.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || vec![Output::U32((0..N).map(|i| plain_text::all(&TEXT[i..])).collect())]
    ),
    case!(
        "held_slices::graph",
        [GraphOfLists],
        |mgr| {
            let (starts, targets) = (mgr.tensor(&STARTS)?, mgr.tensor(&TARGETS)?);
            let mut y = mgr.tensor_of_len::<u32>(N)?;
            let seq = mgr.sequence()?;
            GraphOfLists::dispatch(&seq, Grid::items(N as u32), &starts, &targets, &mut y)?.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || {
            let graph = plain_graph::Graph { starts: &STARTS, targets: &TARGETS };
            vec![Output::U32((0..N).map(|i| plain_graph::around(&graph, i % 6)).collect())]
        }
    ),
    case!(
        "held_slices::matrices",
        [MatricesOfSlices],
        |mgr| {
            let (x, mut y) = (mgr.tensor(&numbers())?, mgr.tensor_of_len::<u32>(N)?);
            let seq = mgr.sequence()?;
            MatricesOfSlices::dispatch(&seq, Grid::items(N as u32), &x, &mut y)?.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || vec![Output::U32((0..N).map(|i| plain_matrix::all(&numbers(), i % 32)).collect())]
    ),
    case!(
        "held_slices::rings",
        [RingsOfSlices],
        |mgr| {
            let (x, mut y) = (mgr.tensor(&numbers())?, mgr.tensor_of_len::<u32>(4 * N)?);
            let seq = mgr.sequence()?;
            RingsOfSlices::dispatch(&seq, Grid::items(N as u32), &x, &mut y)?.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || vec![Output::U32(rings())]
    ),
];
