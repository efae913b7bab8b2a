//! Elements near an invocation's own, found as programs find them: by rows and columns, by quotients and remainders, behind guards of
//! sums, products and differences. No launch keeps a check of them.

use gridwise::prelude::*;

use crate::case::{Case, Output};

const WIDTH: u32 = 12;
const HEIGHT: u32 = 10;

/// Functions of a position in a table, each for kernels and as rustc compiles it; their kernels and corpus entries.
macro_rules! near {
    ($($name:ident $plain:ident $kernel:ident $Kernel:ident $case:ident ($($at:ident),+) { $($body:tt)* })*) => {
        $(
            #[device]
            mod $name {
                $($body)*
            }
            mod $plain {
                $($body)*
            }
            near!(@ $kernel, $name, $($at),+);
            const $case: Case = Case {
                name: concat!("near::", stringify!($name)),
                kernels: &[<$Kernel as gridwise::Kernel>::DESCRIPTOR],
                run: |mgr| {
                    let (a, mut b) = (mgr.tensor(&numbers())?, mgr.tensor_of_len::<u32>((WIDTH * HEIGHT) as usize)?);
                    let seq = mgr.sequence()?;
                    // More invocations than there are elements.
                    let grid = if stringify!($($at)+) == "i" { [16, 1] } else { [2, 2] };
                    let profile = $Kernel::dispatch(&seq, Grid::groups(grid), WIDTH, HEIGHT, &a, &mut b)?.eval_profiled()?;
                    let kept = profile.ops().iter().filter(|op| op.keeps_checks).count();
                    Ok(vec![Output::U32(b.to_vec()?), Output::U32(vec![kept as u32])])
                },
                expected: Some(|| {
                    let of = |i: u32| $plain::of(i, [i % WIDTH, i / WIDTH], [WIDTH, HEIGHT], &numbers());
                    vec![Output::U32((0..WIDTH * HEIGHT).map(of).collect()), Output::U32(vec![0])]
                }),
            };
        )*

        /// The entries.
        pub const CASES: &[Case] = &[$($case),*];
    };
    (@ $kernel:ident, $name:ident, i) => {
        #[kernel(workgroup = 8)]
        fn $kernel(w: u32, h: u32, a: &[u32], b: &mut [u32]) {
            let i = global_id().x;
            if i < b.len() as u32 {
                b[i as usize] = $name::of(i, [0; 2], [w, h], a);
            }
        }
    };
    (@ $kernel:ident, $name:ident, x, y) => {
        #[kernel(workgroup = [8, 8])]
        fn $kernel(w: u32, h: u32, a: &[u32], b: &mut [u32]) {
            let (x, y) = (global_id().x, global_id().y);
            if x < w && y < h {
                b[(y * w + x) as usize] = $name::of(0, [x, y], [w, h], a);
            }
        }
    };
}

fn numbers() -> Vec<u32> {
    (0..WIDTH * HEIGHT).map(|i| i.wrapping_mul(0x9e37_79b9) >> 8).collect()
}

near! {
    line line_plain line_kernel LineKernel LINE (i) {
        /// The four neighbours of an element by its place in the whole.
        pub(super) fn of(i: u32, _: [u32; 2], [w, _]: [u32; 2], a: &[u32]) -> u32 {
            let (i, w) = (i as usize, w as usize);
            let h = a.len() / w;
            if i >= a.len() {
                return 0;
            }
            let (x, y) = (i % w, i / w);
            let mut sum = a[i];
            if x > 0 {
                sum += a[i - 1];
            }
            if x + 1 < w {
                sum += a[i + 1];
            }
            if y > 0 {
                sum += a[i - w];
            }
            if y + 1 < h {
                sum += a[i + w];
            }
            sum
        }
    }
    space space_plain space_kernel SpaceKernel SPACE (i) {
        /// The six neighbours in a space of four columns, five rows, and what planes fill.
        pub(super) fn of(i: u32, _: [u32; 2], [w, h]: [u32; 2], a: &[u32]) -> u32 {
            let (columns, rows) = (w / 3, h / 2);
            let plane = columns * rows;
            let planes = a.len() as u32 / plane;
            if i >= plane * planes {
                return 0;
            }
            let (z, rest) = (i / plane, i % plane);
            let (y, x) = (rest / columns, rest % columns);
            let mut sum = a[i as usize];
            if x > 0 {
                sum += a[(i - 1) as usize];
            }
            if x < columns - 1 {
                sum += a[(i + 1) as usize];
            }
            if y > 0 {
                sum += a[(i - columns) as usize];
            }
            if y < rows - 1 {
                sum += a[(i + columns) as usize];
            }
            if z > 0 {
                sum += a[(i - plane) as usize];
            }
            if z < planes - 1 {
                sum += a[(i + plane) as usize];
            }
            sum
        }
    }
    clamped clamped_plain clamped_kernel ClampedKernel CLAMPED (x, y) {
        /// The mean around, where the edge goes on; the height by the length.
        pub(super) fn of(_: u32, [x, y]: [u32; 2], [w, _]: [u32; 2], a: &[u32]) -> u32 {
            let (x, y, w) = (x as i32, y as i32, w as i32);
            let h = a.len() as i32 / w;
            if x >= w || y >= h {
                return 0;
            }
            let pixel = |x: i32, y: i32| a[(y.clamp(0, h - 1) * w + x.clamp(0, w - 1)) as usize];
            let mut sum = 0;
            for v in -1..=1 {
                for u in -1..=1 {
                    sum += pixel(x + u, y + v);
                }
            }
            sum / 9
        }
    }
    inner inner_plain inner_kernel InnerKernel INNER (x, y) {
        /// Five by five around, unless the edge is near.
        pub(super) fn of(_: u32, [x, y]: [u32; 2], [w, h]: [u32; 2], a: &[u32]) -> u32 {
            let (x, y, w, h) = (x as usize, y as usize, w as usize, h as usize);
            if x < 3 || y < 3 || x + 3 >= w || y + 3 >= h {
                return 7;
            }
            let mut most = 0u32;
            for v in y - 2..=y + 2 {
                for u in x - 2..=x + 2 {
                    let here = v * w + u;
                    most = most.max(a[here + 1] - a[here + 1].min(a[here - 1]));
                    most = most.max(a[here + w] - a[here + w].min(a[here - w]));
                }
            }
            most
        }
    }
    pairs pairs_plain pairs_kernel PairsKernel PAIRS (i) {
        /// Two neighbours that stand side by side.
        pub(super) fn of(i: u32, _: [u32; 2], _: [u32; 2], a: &[u32]) -> u32 {
            let i = i as usize;
            if 2 * i + 1 < a.len() { a[2 * i] ^ a[2 * i + 1] } else { 5 }
        }
    }
    around around_plain around_kernel AroundKernel AROUND (x, y) {
        /// Neighbours on a torus, by choices.
        pub(super) fn of(_: u32, [x, y]: [u32; 2], [w, h]: [u32; 2], a: &[u32]) -> u32 {
            let left = if x > 0 { x - 1 } else { w - 1 };
            let right = if x < w - 1 { x + 1 } else { 0 };
            let (up, down) = ((y + h - 1) % h, (y + 1) % h);
            a[(y * w + left) as usize] + a[(y * w + right) as usize] + a[(up * w + x) as usize] + a[(down * w + x) as usize]
        }
    }
    shifted shifted_plain shifted_kernel ShiftedKernel SHIFTED (x, y) {
        /// Five by five around, by positions without sign.
        pub(super) fn of(_: u32, [x, y]: [u32; 2], [w, h]: [u32; 2], a: &[u32]) -> u32 {
            let mut sum = 0;
            for dy in 0..5 {
                for dx in 0..5 {
                    let (u, v) = (x + dx, y + dy);
                    if u < 2 || v < 2 || u - 2 >= w || v - 2 >= h {
                        continue;
                    }
                    sum += a[((v - 2) * w + u - 2) as usize];
                }
            }
            sum
        }
    }
    tiled tiled_plain tiled_kernel TiledKernel TILED (x, y) {
        /// The sum over a row, in tiles of five.
        pub(super) fn of(_: u32, [x, y]: [u32; 2], [w, _]: [u32; 2], a: &[u32]) -> u32 {
            let mut sum = 0;
            for tile in 0..w.div_ceil(5) {
                if tile * 5 + x < w {
                    sum += a[(y * w + tile * 5 + x) as usize];
                }
            }
            sum
        }
    }
    rows rows_plain rows_kernel RowsKernel ROWS (x, y) {
        /// Neighbours in a row that may be the last, short one.
        pub(super) fn of(_: u32, [x, y]: [u32; 2], [w, _]: [u32; 2], a: &[u32]) -> u32 {
            let x = x as usize;
            let Some(row) = a.chunks(w as usize).nth(y as usize) else { return 3 };
            if x >= row.len() {
                return 4;
            }
            let left = if x == 0 { row[0] } else { row[x - 1] };
            left ^ *row.get(x + 1).unwrap_or(&row[x])
        }
    }
    joined joined_plain joined_kernel JoinedKernel JOINED (i) {
        /// One slice behind the other.
        pub(super) fn of(i: u32, _: [u32; 2], _: [u32; 2], a: &[u32]) -> u32 {
            let i = i as usize;
            let half = a.len() / 2;
            let (first, second) = a.split_at(half);
            if i < first.len() { first[i] } else if i - first.len() < second.len() { second[i - first.len()] + 1 } else { 2 }
        }
    }
    butterfly butterfly_plain butterfly_kernel ButterflyKernel BUTTERFLY (i) {
        /// The two of a step of a fast transform.
        pub(super) fn of(i: u32, _: [u32; 2], [w, _]: [u32; 2], a: &[u32]) -> u32 {
            let (half, n) = (w / 2, a.len() as u32);
            if i >= n / 2 {
                return 9;
            }
            let k = i % half;
            let j = 2 * (i - k) + k;
            a[j as usize] ^ a[(j + half) as usize]
        }
    }
    ring ring_plain ring_kernel RingKernel RING (i) {
        /// Both neighbours on a ring.
        pub(super) fn of(i: u32, _: [u32; 2], _: [u32; 2], a: &[u32]) -> u32 {
            let (i, n) = (i as usize, a.len());
            if i >= n {
                return 0;
            }
            let next = if i + 1 == n { 0 } else { i + 1 };
            let last = if i == 0 { n - 1 } else { i - 1 };
            a[next] ^ a[last]
        }
    }
    halving halving_plain halving_kernel HalvingKernel HALVING (i) {
        /// The first place from which on numbers are large, as if they were sorted.
        pub(super) fn of(i: u32, _: [u32; 2], _: [u32; 2], a: &[u32]) -> u32 {
            let (mut low, mut high) = (0, a.len());
            while low < high {
                let middle = (low + high) / 2;
                if a[middle] < i << 17 {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            low as u32
        }
    }
    horner horner_plain horner_kernel HornerKernel HORNER (i) {
        /// A polynomial, from its last coefficient down.
        pub(super) fn of(i: u32, _: [u32; 2], [w, _]: [u32; 2], a: &[u32]) -> u32 {
            let mut sum = 0u32;
            let mut k = w as i32;
            while k >= 0 {
                sum = sum.wrapping_mul(i).wrapping_add(a[k as usize]);
                k -= 1;
            }
            sum
        }
    }
}
