//! Methods with `&mut self` on elements: of buffers, of shared memory, of slices and of arrays, and through references to them.

use gridwise::prelude::*;

use super::traps::report;
use super::{both, case};
use crate::case::{Case, Output};

const N: usize = 70;

both!(bodies, plain, {
    use gridwise::prelude::*;

    #[derive(Debug, Clone, Copy, PartialEq, GpuData)]
    #[repr(C)]
    pub(super) struct Particle {
        pub(super) position: Vec2,
        pub(super) speed: Vec2,
        pub(super) random: Random,
        pub(super) visits: [u32; 3],
    }

    #[derive(Debug, Clone, Copy, PartialEq, GpuData)]
    #[repr(C)]
    pub(super) struct Random {
        pub(super) state: u32,
    }

    impl Random {
        pub(super) fn next(&mut self) -> u32 {
            self.state ^= self.state << 13;
            self.state ^= self.state >> 17;
            self.state ^= self.state << 5;
            self.state
        }

        pub(super) fn below<T: Copy>(&mut self, values: &[T]) -> T {
            values[self.next() as usize % values.len()]
        }
    }

    pub(super) trait Body {
        fn advance(&mut self, by: f32);
        fn twice(&mut self, by: f32) {
            self.advance(by);
            self.advance(by);
        }
    }

    impl Body for Particle {
        fn advance(&mut self, by: f32) {
            self.position += self.speed * by;
        }
    }

    impl Particle {
        pub(super) fn step(&mut self, by: f32) -> f32 {
            if self.position.x > 50.0 {
                self.speed.x = -self.speed.x;
                return by;
            }
            self.position += self.speed * by;
            self.position.x
        }

        pub(super) fn scatter(&mut self, table: &[u32], sum: &mut u32) {
            let chosen = self.random.below(table);
            *sum ^= chosen;
            self.visits[chosen as usize % 3] += *sum % 1000;
        }
    }

    pub(super) fn all<B: Body>(bodies: &mut [B], by: f32) {
        for i in 0..bodies.len() {
            bodies[i].twice(by);
            let one = &mut bodies[i];
            one.advance(by * 2.0);
        }
        for body in bodies.iter_mut() {
            body.twice(by * 0.5);
        }
    }

    pub(super) fn walk(p: &mut [Particle], i: usize, table: &[u32], sums: &mut [u32]) {
        // Arguments read what is then written.
        p[i].step(p[i].speed.y);
        p[i].twice(0.5);
        let first = p[i].random.next();
        p[i].visits[1] += p[i].random.below(&[3, 5, 8]);
        p[i].scatter(table, &mut sums[i]);
        let one = &mut p[i];
        one.step(1.5);
        sums[i] ^= one.random.next() ^ first;
        one.scatter(&table[2..], &mut sums[i]);
        p[i].scatter(&[sums[i], 4, sums[i] ^ 1], &mut sums[i]);
        for q in p[i..i + 1].iter_mut() {
            q.step(0.25);
            sums[i] ^= q.random.next();
        }
        if let Some(q) = p.get_mut(i) {
            q.advance(2.0);
        }
        all(&mut p[i..=i], 0.125);
    }

    pub(super) fn own(seed: u32) -> [u32; 6] {
        let mut random = [Random { state: seed }, Random { state: 2 * seed + 1 }, Random { state: 77 }];
        let mut places = [Some(1u32), None, Some(seed)];
        let mut sums = [0u32; 4];
        for i in 0..12 {
            let k = i * 7 % 3;
            sums[k] += random[k].next() % 100;
            sums[3] += random[(k + 1) % 3].below(&[random[k].state, random[2].state, 9]) % 50;
            if let Some(v) = places[k].take() {
                sums[3] += places[(k + 1) % 3].replace(v + 1).unwrap_or(4);
            }
        }
        let part = &mut random[seed as usize % 3];
        let last = part.next();
        [sums[0], sums[1], sums[2], sums[3], last, places[0].unwrap_or(3)]
    }
});

use bodies::{Particle, Random};

/// # Safety
/// No two invocations walk to the same particle.
#[kernel]
unsafe fn walk_all(p: &mut [Particle], table: &[u32], sums: &mut [u32], owns: &mut [[u32; 6]]) {
    let i = global_id().x as usize;
    bodies::walk(p, i, table, sums);
    owns[i] = bodies::own(i as u32 + 1);
}

#[kernel(workgroup = 32)]
fn exchange(p: &mut [Particle], table: &[u32], sums: &mut [u32]) {
    use bodies::Body;
    let tile = Shared::<[Particle; 32]>::new();
    let (i, t) = (global_id().x as usize, local_id().x as usize);
    if i < p.len() {
        tile[t] = p[i];
        let by = tile[t].speed.y;
        tile[t].step(by);
        tile[t].twice(0.5);
        sums[i] = tile[t].random.next();
        tile[t].scatter(table, &mut sums[i]);
        let own = &mut tile[t];
        own.step(2.0);
        own.random.next();
    }
    barrier();
    let other = t ^ 1;
    if i < p.len() && (i ^ 1) < p.len() {
        p[i] = tile[other];
        p[i].random.next();
    }
}

/// Nothing is written, whoever is asked first.
#[kernel(workgroup = 1)]
fn outside(i: u32, p: &mut [Random], counts: &mut [u32]) {
    if i == 1 << 20 {
        return;
    }
    counts[0] = p[i as usize].next();
}

#[kernel(workgroup = 1)]
fn outside_first(i: u32, p: &mut [Random], counts: &mut [u32]) {
    if i == 1 << 20 {
        return;
    }
    let mut own = [Random { state: 1 }; 3];
    own[i as usize].below(&[counts[i as usize]]);
    counts[0] = p[0].next();
}

#[kernel(workgroup = 1)]
fn no_argument(i: u32, p: &mut [Random], counts: &mut [u32]) {
    if i == 1 << 20 {
        return;
    }
    counts[0] = p[i as usize].below(&[counts[i as usize], 2]);
}

fn particles<P>(make: impl Fn(u32, Vec2, Vec2) -> P) -> Vec<P> {
    (0..N as u32).map(|i| make(i + 1, vec2(i as f32, 3.0), vec2(i as f32 % 4.0, 0.5))).collect()
}

fn table() -> Vec<u32> {
    (0..17).map(|v| v * v % 23).collect()
}

fn flat(p: Particle) -> [u32; 8] {
    let (at, by, [a, b, c]) = (p.position, p.speed, p.visits);
    [at.x.to_bits(), at.y.to_bits(), by.x.to_bits(), by.y.to_bits(), p.random.state, a, b, c]
}

fn made() -> Vec<Particle> {
    particles(|seed, position, speed| Particle { position, speed, random: Random { state: seed }, visits: [0; 3] })
}

fn made_plain() -> Vec<plain::Particle> {
    particles(|state, position, speed| {
        let random = plain::Random { state };
        plain::Particle { position, speed, random, visits: [0; 3] }
    })
}

fn flat_plain(p: plain::Particle) -> [u32; 8] {
    let plain::Particle { position, speed, random, visits } = p;
    flat(Particle { position, speed, random: Random { state: random.state }, visits })
}

fn expected_walk() -> Vec<Output> {
    let (mut p, mut sums) = (made_plain(), vec![0; N]);
    (0..N).for_each(|i| plain::walk(&mut p, i, &table(), &mut sums));
    let owns = (0..N as u32).flat_map(|i| plain::own(i + 1)).collect();
    vec![Output::U32(p.into_iter().flat_map(flat_plain).collect()), Output::U32(sums), Output::U32(owns)]
}

fn expected_shared() -> Vec<Output> {
    use plain::Body;
    let (mut p, mut sums) = (made_plain(), vec![0; N]);
    for (p, sum) in p.iter_mut().zip(&mut sums) {
        p.step(p.speed.y);
        p.twice(0.5);
        *sum = p.random.next();
        p.scatter(&table(), sum);
        p.step(2.0);
        p.random.next();
    }
    let mut out: Vec<_> = (0..N).map(|i| p[i ^ 1]).collect();
    out.iter_mut().for_each(|p| _ = p.random.next());
    vec![Output::U32(out.into_iter().flat_map(flat_plain).collect()), Output::U32(sums)]
}

macro_rules! trapping {
    ($kernel:ident) => {
        |mgr| {
            let (mut p, mut counts) =
                (mgr.tensor(&[Random { state: 1 }, Random { state: 2 }])?, mgr.tensor(&[7u32; 2])?);
            let seq = mgr.sequence()?;
            $kernel::dispatch(&seq, Grid::items(1), 5, &mut p, &mut counts)?;
            let report = report(&seq)?;
            Ok(vec![report, Output::U32(p.to_vec()?.iter().map(|p| p.state).collect()), Output::U32(counts.to_vec()?)])
        }
    };
}

/// The entries.
pub const CASES: &[Case] = &[
    case!(
        "in_place::everywhere",
        [WalkAll],
        |mgr| {
            let (mut p, table) = (mgr.tensor(&made())?, mgr.tensor(&table())?);
            let (mut sums, mut owns) = (mgr.tensor(&[0u32; N])?, mgr.tensor(&[[0u32; 6]; N])?);
            let seq = mgr.sequence()?;
            // SAFETY: they do not.
            unsafe { WalkAll::dispatch(&seq, Grid::items(N), &mut p, &table, &mut sums, &mut owns) }?;
            seq.eval()?;
            let p = p.to_vec()?.into_iter().flat_map(flat).collect();
            Ok(vec![Output::U32(p), Output::U32(sums.to_vec()?), Output::U32(owns.to_vec()?.concat())])
        },
        expected_walk
    ),
    case!(
        "in_place::in_shared_memory",
        [Exchange],
        |mgr| {
            let (mut p, table) = (mgr.tensor(&made())?, mgr.tensor(&table())?);
            let mut sums = mgr.tensor(&[0u32; N])?;
            let seq = mgr.sequence()?;
            Exchange::dispatch(&seq, Grid::groups(N.div_ceil(32)), &mut p, &table, &mut sums)?;
            seq.eval()?;
            let p = p.to_vec()?.into_iter().flat_map(flat).collect();
            Ok(vec![Output::U32(p), Output::U32(sums.to_vec()?)])
        },
        expected_shared
    ),
    case!("in_place::outside", [Outside], trapping!(Outside)),
    case!("in_place::outside_first", [OutsideFirst], trapping!(OutsideFirst)),
    case!("in_place::no_argument", [NoArgument], trapping!(NoArgument)),
];
