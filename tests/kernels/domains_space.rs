//! Programs about light and space: colours, noise, trees, photons. rustc compiles each of them, too.

#![allow(dead_code, clippy::all, reason = "programs as people write them, of which not every function is called")]

use gridwise::prelude::*;

use super::{both, domain};
use crate::case::Case;

both!(colours, plain_colours, {
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Rgb<T> {
        pub(super) r: T,
        pub(super) g: T,
        pub(super) b: T,
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Hsv {
        h: f32,
        s: f32,
        v: f32,
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct YCbCr([f32; 3]);

    pub(super) trait Channel: Copy {
        const MAX: Self;
        fn to_unit(self) -> f32;
        fn from_unit(v: f32) -> Self;
    }
    impl Channel for u8 {
        const MAX: u8 = u8::MAX;
        fn to_unit(self) -> f32 {
            f32::from(self) / 255.0
        }
        fn from_unit(v: f32) -> u8 {
            (v * 255.0).round() as u8
        }
    }
    impl Channel for f32 {
        const MAX: f32 = 1.0;
        fn to_unit(self) -> f32 {
            self
        }
        fn from_unit(v: f32) -> f32 {
            v
        }
    }

    impl<T: Channel> Rgb<T> {
        pub(super) fn map<U>(self, f: impl Fn(T) -> U) -> Rgb<U> {
            Rgb { r: f(self.r), g: f(self.g), b: f(self.b) }
        }
        pub(super) fn convert<U: Channel>(self) -> Rgb<U> {
            self.map(|c| U::from_unit(c.to_unit()))
        }
        pub(super) fn to_array(self) -> [T; 3] {
            let Rgb { r, g, b } = self;
            [r, g, b]
        }
    }

    pub(super) trait ColourSpace: Sized {
        fn from_rgb(c: Rgb<f32>) -> Self;
        fn to_rgb(&self) -> Rgb<f32>;

        fn adjust<F>(c: Rgb<f32>, f: F) -> Rgb<f32>
        where
            F: FnOnce(&mut Self),
        {
            let mut own = Self::from_rgb(c);
            f(&mut own);
            own.to_rgb()
        }
    }

    impl ColourSpace for Hsv {
        fn from_rgb(Rgb { r, g, b }: Rgb<f32>) -> Self {
            let max = [r, g, b].into_iter().fold(f32::MIN, f32::max);
            let min = r.min(g).min(b);
            let d = max - min;
            let h = match () {
                _ if d == 0.0 => 0.0,
                () if max == r => ((g - b) / d).rem_euclid(6.0),
                () if max == g => (b - r) / d + 2.0,
                () => (r - g) / d + 4.0,
            };
            Hsv { h, s: if max > 0.0 { d / max } else { 0.0 }, v: max }
        }
        fn to_rgb(&self) -> Rgb<f32> {
            let &Self { h, s, v } = self;
            let f = |n: f32| {
                let k = (n + h) % 6.0;
                v - v * s * k.min(4.0 - k).clamp(0.0, 1.0)
            };
            Rgb { r: f(5.0), g: f(3.0), b: f(1.0) }
        }
    }

    impl ColourSpace for YCbCr {
        fn from_rgb(c: Rgb<f32>) -> Self {
            const M: [[f32; 3]; 3] =
                [[0.299, 0.587, 0.114], [-0.168_736, -0.331_264, 0.5], [0.5, -0.418_688, -0.081_312]];
            let c = c.to_array();
            YCbCr(M.map(|row| row.iter().zip(&c).map(|(m, c)| m * c).sum()))
        }
        fn to_rgb(&self) -> Rgb<f32> {
            let [y, cb, cr] = self.0;
            Rgb { r: y + 1.402 * cr, g: y - 0.344_136 * cb - 0.714_136 * cr, b: y + 1.772 * cb }
        }
    }

    pub(super) fn colours(i: u32, x: &[u32]) -> u32 {
        let [r, g, b, a] = x[i as usize].rotate_left(i % 24).to_be_bytes();
        let colour = Rgb { r, g, b: b ^ a }.convert::<f32>();
        let turned = Hsv::adjust(colour, |c| c.h = (c.h + 2.0) % 6.0);
        let grey = YCbCr::adjust(turned, |c| {
            for v in &mut c.0[1..] {
                *v *= 0.5;
            }
        });
        let Rgb { r, g, b } = grey.map(|v| v.clamp(0.0, <f32 as Channel>::MAX)).convert::<u8>();
        u32::from_be_bytes([0, r, g, b])
    }
});

both!(worley, plain_worley, {
    pub(super) const fn mix(mut h: u32) -> u32 {
        h ^= h >> 16;
        h = h.wrapping_mul(0x7feb_352d);
        h ^= h >> 15;
        h = h.wrapping_mul(0x846c_a68b);
        h ^ h >> 16
    }

    #[derive(Clone, Copy)]
    pub(super) struct Rng(pub(super) u32);

    impl Rng {
        pub(super) fn next_u32(&mut self) -> u32 {
            self.0 = self.0.wrapping_add(0x9e37_79b9);
            mix(self.0)
        }
        pub(super) fn unit(&mut self) -> f32 {
            (self.next_u32() >> 8) as f32 * (1.0 / (1 << 24) as f32)
        }
        pub(super) fn array<const N: usize>(&mut self) -> [f32; N] {
            core::array::from_fn(|_| self.unit())
        }
    }

    #[derive(Clone, Copy, PartialEq)]
    pub(super) enum Metric {
        Euclid,
        Manhattan,
        Chebyshev,
        Minkowski(f32),
    }

    impl Metric {
        fn distance<const D: usize>(self, a: [f32; D], b: [f32; D]) -> f32 {
            let deltas = a.iter().zip(b).map(|(a, b)| (a - b).abs());
            match self {
                Metric::Euclid => deltas.map(|d| d * d).sum::<f32>(),
                Metric::Manhattan => deltas.sum(),
                Metric::Chebyshev => deltas.fold(0.0, f32::max),
                Metric::Minkowski(p) => deltas.map(|d| d * d * p).sum(),
            }
        }
    }

    fn worley2(p: [f32; 2], metric: Metric) -> [f32; 2] {
        let cell = p.map(|v| v.floor() as i32);
        let mut best = [f32::MAX; 2];
        for (dx, dy) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
            let [cx, cy] = [cell[0] + dx, cell[1] + dy];
            let mut rng = Rng(mix(cx as u32 ^ mix(cy as u32)));
            let feature: [f32; 2] = rng.array();
            let d = metric.distance(p, [cx as f32 + feature[0], cy as f32 + feature[1]]);
            match d {
                d if d < best[0] => best = [d, best[0]],
                d if d < best[1] => best[1] = d,
                _ => (),
            }
        }
        best
    }

    pub(super) fn worley(i: u32, x: &[u32]) -> u32 {
        let p = [(x[i as usize] & 0xff) as f32 / 32.0, i as f32 * 0.375];
        let metrics = [Metric::Euclid, Metric::Manhattan, Metric::Chebyshev, Metric::Minkowski(0.5)];
        metrics
            .iter()
            .map(|&m| worley2(p, m))
            .map(|[near, far]| ((far - near) * 255.0) as u32)
            .fold(0, |acc, v| acc << 8 | v.min(255))
    }
});

both!(octree, plain_octree, {
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub(super) struct Morton(u32);

    const fn spread(v: u32) -> u32 {
        let mut v = v & 0x3ff;
        v = (v | v << 16) & 0x30000ff;
        v = (v | v << 8) & 0x0300f00f;
        v = (v | v << 4) & 0x30c30c3;
        (v | v << 2) & 0x9249249
    }

    const fn compact(v: u32) -> u32 {
        let mut v = v & 0x9249249;
        v = (v ^ v >> 2) & 0x30c30c3;
        v = (v ^ v >> 4) & 0x0300f00f;
        v = (v ^ v >> 8) & 0x30000ff;
        (v ^ v >> 16) & 0x3ff
    }

    impl From<[u32; 3]> for Morton {
        fn from([x, y, z]: [u32; 3]) -> Self {
            Morton(spread(x) | spread(y) << 1 | spread(z) << 2)
        }
    }
    impl From<Morton> for [u32; 3] {
        fn from(Morton(m): Morton) -> Self {
            [compact(m), compact(m >> 1), compact(m >> 2)]
        }
    }

    impl Morton {
        pub(super) const LEVELS: u32 = 10;

        pub(super) fn child_at(self, level: u32) -> u8 {
            (self.0 >> (3 * (Self::LEVELS - 1 - level)) & 7) as u8
        }
        pub(super) fn path(self) -> impl Iterator<Item = u8> {
            (0..Self::LEVELS).map(move |l| self.child_at(l))
        }
        pub(super) fn common_levels(self, other: Self) -> u32 {
            match self.0 ^ other.0 {
                0 => Self::LEVELS,
                diff => (diff.leading_zeros() - 2) / 3,
            }
        }
        pub(super) fn neighbours(self) -> impl Iterator<Item = Morton> {
            let c: [u32; 3] = self.into();
            (0..3).flat_map(move |axis| {
                [-1, 1].into_iter().filter_map(move |step| {
                    let mut n = c;
                    n[axis] = n[axis].checked_add_signed(step)?;
                    (n[axis] < 1 << Self::LEVELS).then(|| n.into())
                })
            })
        }
    }

    #[derive(Clone, Copy)]
    pub(super) enum Node {
        Empty,
        Leaf(u8),
        Inner { first: u8, mask: u8 },
    }

    pub(super) struct Octree<const N: usize> {
        nodes: [Node; N],
    }

    impl<const N: usize> Octree<N> {
        pub(super) fn lookup(&self, code: Morton) -> Option<(u8, usize)> {
            let mut node = self.nodes.first()?;
            for (depth, child) in code.path().enumerate() {
                match *node {
                    Node::Empty => return None,
                    Node::Leaf(v) => return Some((v, depth)),
                    Node::Inner { mask, .. } if mask & 1 << child == 0 => return None,
                    Node::Inner { first, mask } => {
                        let rank = (mask & (1 << child) - 1).count_ones() as usize;
                        node = self.nodes.get(usize::from(first) + rank)?;
                    }
                }
            }
            None
        }
    }

    pub(super) fn octree(i: u32, x: &[u32]) -> u32 {
        let nodes = [
            Node::Inner { first: 1, mask: 0b1010_1101 },
            Node::Leaf(3),
            Node::Inner { first: 6, mask: 0b0011 },
            Node::Leaf(9),
            Node::Empty,
            Node::Leaf(17),
            Node::Leaf(33),
            Node::Leaf(65),
        ];
        let tree = Octree { nodes };
        let v = x[i as usize];
        let code = Morton::from([v & 0x3ff, v >> 7 & 0x3ff, (v ^ i << 7) & 0x3ff]);
        let found = tree.lookup(code).map_or(0xfff, |(v, d)| u32::from(v) << 4 | d as u32);
        let near = code.neighbours().filter_map(|n| tree.lookup(n)).count() as u32;
        let lowest = code.neighbours().min().map(|n| n.common_levels(code)).unwrap_or(0);
        let back: [u32; 3] = code.into();
        found ^ near << 12 ^ lowest << 16 ^ back.iter().sum::<u32>() << 20
    }
});

both!(photons, plain_photons, {
    #[derive(Clone, Copy, gridwise::prelude::GpuData)]
    #[repr(C)]
    pub(super) struct Medium {
        scatter: f32,
        absorb: f32,
    }

    impl Medium {
        const fn extinction(&self) -> f32 {
            self.scatter + self.absorb
        }
    }

    pub(super) trait Random {
        fn next(&mut self) -> u32;
        fn uniform(&mut self) -> f32 {
            (self.next() >> 8) as f32 / 16_777_216.0
        }
        fn chance(&mut self, p: f32) -> bool {
            self.uniform() < p
        }
        fn pick<T: Copy, const N: usize>(&mut self, from: &[T; N]) -> T {
            from[self.next() as usize % N]
        }
    }

    pub(super) struct XorShift(u32);
    impl Random for XorShift {
        fn next(&mut self) -> u32 {
            let mut s = self.0;
            s ^= s << 13;
            s ^= s >> 17;
            s ^= s << 5;
            self.0 = s;
            s
        }
    }

    #[derive(Clone, Copy, Default)]
    pub(super) struct Tally {
        reflected: u32,
        transmitted: u32,
        absorbed: u32,
    }

    impl core::ops::AddAssign<Fate> for Tally {
        fn add_assign(&mut self, fate: Fate) {
            match fate {
                Fate::Reflected => self.reflected += 1,
                Fate::Transmitted => self.transmitted += 1,
                Fate::Absorbed { .. } => self.absorbed += 1,
            }
        }
    }

    #[derive(Clone, Copy)]
    pub(super) enum Fate {
        Reflected,
        Transmitted,
        Absorbed { layer: usize },
    }

    fn trace(layers: &[Medium], rng: &mut impl Random) -> Fate {
        let mut layer = 0i32;
        let mut down = true;
        for _bounce in 0..50 {
            let Ok(at) = usize::try_from(layer) else { return Fate::Reflected };
            let Some(medium) = layers.get(at) else { return Fate::Transmitted };
            if rng.chance(medium.extinction()) {
                if rng.chance(medium.absorb / medium.extinction()) {
                    return Fate::Absorbed { layer: at };
                }
                down = rng.pick(&[true, false, down]);
            }
            layer += if down { 1 } else { -1 };
        }
        Fate::Absorbed { layer: layers.len() }
    }

    pub(super) fn photons(i: u32, x: &[u32]) -> u32 {
        const LAYERS: &[Medium] = &[
            Medium { scatter: 0.25, absorb: 0.125 },
            Medium { scatter: 0.5, absorb: 0.0 },
            Medium { scatter: 0.0, absorb: 0.5 },
        ];
        let seed = x[i as usize] ^ 0xbeef;
        let mut rng = XorShift(seed);
        let mut tally = Tally::default();
        let mut deepest = 0usize;
        for _ in 0..6 {
            let fate = trace(LAYERS, &mut rng);
            if let Fate::Absorbed { layer } = fate {
                deepest = deepest.max(layer);
            }
            tally += fate;
        }
        let Tally { reflected, transmitted, absorbed } = tally;
        reflected | transmitted << 4 | absorbed << 8 | (deepest as u32) << 12 | rng.next() << 16
    }
});

domain!("domains_space", {
    colours, Colours, plain_colours;
    worley, Worley, plain_worley;
    octree, Octree, plain_octree;
    photons, Photons, plain_photons;
});
