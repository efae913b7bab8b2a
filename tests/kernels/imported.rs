//! `use` of all names of a module, in functions.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

/// The entries.
pub const CASES: &[Case] = &[case!("imported::all_names", [AllNames], all_names_on, all_names_expected)];

#[device]
mod shapes {
    pub(super) trait Distance {
        fn from(&self, at: f32) -> f32;
    }

    #[derive(Clone, Copy)]
    pub(super) struct Disk(pub(super) f32);

    impl Distance for Disk {
        fn from(&self, at: f32) -> f32 {
            at - self.0
        }
    }

    #[derive(Clone, Copy, PartialEq)]
    pub(super) enum Kind {
        Near,
        Far,
    }

    pub(super) const LIMIT: f32 = 4.0;

    pub(super) fn kind(distance: f32) -> Kind {
        if distance + offset() < LIMIT { Kind::Near } else { Kind::Far }
    }

    fn offset() -> f32 {
        1.5
    }

    #[allow(dead_code, reason = "hidden by another one")]
    pub(super) fn weight() -> f32 {
        1000.0
    }
}

/// The module has a private one of this name, which it keeps.
#[device]
fn offset() -> f32 {
    64.0
}

#[device]
fn weight() -> f32 {
    0.25
}

#[kernel(workgroup = 16)]
fn all_names(y: &mut [f32]) {
    // What another line imports is known, whichever comes first.
    use self::shapes::*;
    use Kind::*;
    // A single name hides that of a star, whichever comes first.
    use self::weight;
    use consts::*;
    use std::f32::consts;
    let i = global_id().x;
    let distance = Disk(FRAC_PI_2).from(i as f32);
    y[i] = match kind(distance) {
        Near => distance + offset(),
        Far => -distance * weight() + LIMIT * SQRT_2,
    };
}

fn all_names_on(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let mut y = mgr.tensor_of_len::<f32>(16)?;
    let seq = mgr.sequence()?;
    AllNames::dispatch(&seq, Grid::items(16), &mut y)?;
    seq.eval()?;
    Ok(vec![Output::exact(y.to_vec()?)])
}

fn all_names_expected() -> Vec<Output> {
    use std::f32::consts::{FRAC_PI_2, SQRT_2};
    let value = |i| {
        let distance = i as f32 - FRAC_PI_2;
        if distance + 1.5 < 4.0 { distance + 64.0 } else { -distance * 0.25 + 4.0 * SQRT_2 }
    };
    vec![Output::exact((0..16).map(value).collect())]
}
