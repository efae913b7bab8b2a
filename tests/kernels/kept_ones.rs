//! Loops that keep what one of their rounds had: the nearest sphere and what a ray meets there, the first that is near enough, what was
//! before, and quotients in some of the rounds.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

const RAYS: usize = 70;

/// Spheres of a loop, at least.
const COUNTS: [u32; 4] = [1, 2, 6, 8];

#[device]
#[derive(Clone, Copy)]
struct Hit {
    at: f32,
    place: [f32; 2],
    kind: u32,
    weight: f32,
}

#[device]
#[derive(Clone, Copy)]
enum Found {
    Nothing,
    Near { place: [f32; 2], kind: u32 },
    Far(f32, f32, f32),
}

super::twice! {
    /// The sphere that is nearest, by its distance and what follows from that; all of it changes together.
    fn hit_of(x: f32, spheres: &[[f32; 4]]) -> [f32; 6] {
        let mut nearest: Option<Hit> = None;
        for &[center, side, radius, weight] in spheres {
            let at = (center - x).abs() - radius;
            if at < 0.0 {
                continue;
            }
            if nearest.is_none_or(|hit| at < hit.at) {
                let place = [x + at * side, weight / (at + 0.5)];
                nearest = Some(Hit { at, place, kind: (radius * 4.0) as u32, weight });
            }
        }
        match nearest {
            Some(Hit { at, place, kind, weight }) => [1.0, at, place[0], place[1], kind as f32, weight],
            None => [0.0, x, 2.0, 3.0, 4.0, 5.0],
        }
    }

    /// The same from the first one, which is there, with a way out in the middle.
    fn best_of(x: f32, spheres: &[[f32; 4]]) -> [f32; 6] {
        let mut best = spheres[0];
        let mut least = f32::MAX;
        let mut rounds = 0.0;
        for sphere in &spheres[1..] {
            let far = (sphere[0] - x) * (sphere[0] - x) + sphere[1];
            if far < least {
                best = *sphere;
                least = far;
            }
            if least < 0.25 {
                break;
            }
            rounds += 1.0;
        }
        [best[0], best[1], best[2], best[3], least, rounds]
    }

    /// The next round asks for the kind of the last one found.
    fn last_of(x: f32, spheres: &[[f32; 4]]) -> [f32; 6] {
        let mut found = Found::Nothing;
        let mut changes = 0.0;
        for (k, &[center, side, radius, weight]) in spheres.iter().enumerate() {
            if k % 3 == 2 {
                continue;
            }
            let before = found;
            if (center - x).abs() < radius {
                found = Found::Near { place: [side, weight], kind: k as u32 };
            } else if side > 1.0 {
                found = Found::Far(center / weight, radius, x);
            }
            if matches!((before, found), (Found::Near { .. }, Found::Far(..)) | (Found::Nothing, Found::Near { .. })) {
                changes += 1.0;
            }
        }
        match found {
            Found::Nothing => [9.0, changes, 0.0, 0.0, 0.0, 0.0],
            Found::Near { place: [side, weight], kind } => [1.0, changes, side, weight, kind as f32, 0.0],
            Found::Far(quotient, radius, at) => [2.0, changes, quotient, radius, at, 0.0],
        }
    }

    /// Quotients in some rounds, and how often they are passed.
    fn quotients_of(x: f32, spheres: &[[f32; 4]]) -> [f32; 6] {
        let mut sums = [0.0; 3];
        let mut previous = [x, 0.5];
        for sphere in spheres {
            if (sphere[0] > x) != (previous[0] > x) {
                sums[0] += (sphere[1] - previous[1]) * (x - previous[0]) / (sphere[0] - previous[0]);
                sums[1] += 1.0;
            } else {
                sums[2] += sphere[3];
            }
            previous = [sphere[0], sphere[1]];
        }
        [sums[0], sums[1], sums[2], previous[0], previous[1], x]
    }
}

#[kernel]
fn kept(count: u32, xs: &[f32], spheres: &[[f32; 4]], out: &mut [[[f32; 6]; 4]]) {
    let i = global_id().x as usize;
    if i < xs.len().min(out.len()) {
        let spheres = &spheres[..(count as usize + i % 5).min(spheres.len()).max(1)];
        let x = xs[i];
        out[i] = [hit_of(x, spheres), best_of(x, spheres), last_of(x, spheres), quotients_of(x, spheres)];
    }
}

fn spheres() -> Vec<[f32; 4]> {
    (0..13)
        .map(|k| {
            let [a, b, c] = [5, 7, 11].map(|by| (k * by % 16) as f32);
            [a * 0.75 - 3.0, b * 0.25 - 1.0, c * 0.125, (k % 4) as f32 + 0.5]
        })
        .collect()
}

fn xs() -> Vec<f32> {
    (0..RAYS).map(|i| (i * 29 % RAYS) as f32 * 0.25 - 6.0).collect()
}

/// The bits of all numbers, as both sides round alike.
fn bits(found: &[[[f32; 6]; 4]]) -> Output {
    Output::U32(found.as_flattened().as_flattened().iter().map(|number| number.to_bits()).collect())
}

fn expected() -> Vec<Output> {
    let (xs, spheres) = (xs(), spheres());
    let of = |count: usize, i: usize| {
        let spheres = &spheres[..(count + i % 5).min(spheres.len()).max(1)];
        let x = xs[i];
        [
            plain::hit_of(x, spheres),
            plain::best_of(x, spheres),
            plain::last_of(x, spheres),
            plain::quotients_of(x, spheres),
        ]
    };
    COUNTS.iter().map(|count| bits(&(0..RAYS).map(|i| of(*count as usize, i)).collect::<Vec<_>>())).collect()
}

/// The entries.
pub const CASES: &[Case] = &[case!(
    "kept_ones::of_loops",
    [Kept],
    |mgr| {
        let (x, spheres) = (mgr.tensor(&xs())?, mgr.tensor(&spheres())?);
        let mut found = Vec::new();
        for count in COUNTS {
            let mut out = mgr.tensor(&[[[0f32; 6]; 4]; RAYS])?;
            let seq = mgr.sequence()?;
            Kept::dispatch(&seq, Grid::items(RAYS), count, &x, &spheres, &mut out)?.eval()?;
            found.push(bits(&out.to_vec()?));
        }
        Ok(found)
    },
    expected
)];
