//! The limits of structs with slices.

use gridwise::prelude::*;

#[device]
mod spans {
    #[derive(Clone, Copy, PartialEq)]
    pub struct Span<'a>(pub &'a [u32]);

    impl<'a> Span<'a> {
        pub fn longer(self, other: Self) -> Self {
            if self.0.len() > other.0.len() { self } else { other }
        }
    }

    pub fn first(span: Span<'_>) -> u32 {
        match span {
            Span(words) => words[0],
        }
    }

    pub fn same(a: Span<'_>, b: Span<'_>) -> bool {
        a == b
    }
}

#[device]
mod traits {
    use core::ops::Index;

    pub trait Sized2 {
        fn size(&self) -> u32;
        fn twice(&self) -> u32 {
            self.size() * 2
        }
    }

    pub trait Made {
        fn none() -> u32;
        fn words(&self) -> &[u32];
    }

    pub struct Part<'a> {
        words: &'a [u32],
    }

    impl Sized2 for Part<'_> {
        fn size(&self) -> u32 {
            self.words.len() as u32
        }
    }

    impl Made for Part<'_> {
        fn none() -> u32 {
            0
        }
        fn words(&self) -> &[u32] {
            self.words
        }
    }

    impl Index<usize> for Part<'_> {
        type Output = u32;
        fn index(&self, i: usize) -> &u32 {
            &self.words[i]
        }
    }
}

#[device]
struct Slice<'a> {
    words: &'a [u32],
}

#[device]
fn sum(slice: &Slice<'_>) -> u32 {
    slice.words.iter().sum()
}

#[device]
fn same<T>(value: T) -> T {
    value
}

#[kernel]
fn several(x: &[u32], y: &[u32], lists: &[&[u32]], out: &mut [u32]) {
    let i = global_id().x as usize;
    let mut slice = Slice { words: x };
    out[i] = sum(&slice);
    slice = Slice { words: y };
    out[i] += sum(&slice);
    let chosen = Slice { words: if i > 3 { x } else { y } };
    out[i] += sum(&chosen);
    let halves = [Slice { words: &x[..4] }, Slice { words: &x[4..] }];
    out[i] += sum(&halves[i % 2]);
    let of_list = Slice { words: lists[i] };
    out[i] += sum(&of_list) + sum(&same(Slice { words: x }));
}

#[device]
enum Either<'a> {
    Words(&'a [u32]),
    None,
}

#[device]
struct Lent<'a> {
    table: &'a mut [f32; 4],
    scale: &'a mut f32,
}

#[derive(Clone, Copy, GpuData)]
#[repr(C)]
struct Stored<'a> {
    words: &'a [u32],
}

fn main() {}
