//! The README's second program.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, moderate};

#[device]
fn luminance(color: Vec3) -> f32 {
    color.dot(vec3(0.2126, 0.7152, 0.0722))
}

/// Sums of the luminance of 256 pixels each.
#[kernel(workgroup = 256)]
fn sum_luminance(pixels: &[Vec3], sums: &mut [f32]) {
    let parts = Shared::<[f32; 256]>::new();
    let local = local_id().x;
    parts[local] = pixels.get(global_id().x as usize).map_or(0.0, |pixel| luminance(*pixel));
    barrier();
    let mut stride = 128;
    while stride > 0 {
        if local < stride {
            parts[local] += parts[local + stride];
        }
        barrier();
        stride /= 2;
    }
    if local == 0 {
        sums[workgroup_id().x] = parts[0];
    }
}

const PIXELS: usize = 700;

fn pixels() -> Vec<Vec3> {
    moderate(3 * PIXELS, 91, 1.0).chunks(3).map(Vec3::from_slice).collect()
}

/// Sums in the order of the kernel's.
fn expected() -> Vec<Output> {
    let sum = |pixels: &[Vec3]| {
        let mut parts = [0.0; 256];
        parts.iter_mut().zip(pixels).for_each(|(part, pixel)| *part = luminance(*pixel));
        let mut stride = 128;
        while stride > 0 {
            for at in 0..stride {
                parts[at] += parts[at + stride];
            }
            stride /= 2;
        }
        parts[0]
    };
    vec![Output::exact(pixels().chunks(256).map(sum).collect())]
}

pub(super) const CASES: &[Case] = &[case!(
    "readme::sum_luminance",
    [SumLuminance],
    |mgr| {
        let (pixels, mut sums) = (mgr.tensor(&pixels())?, mgr.tensor(&[0f32; PIXELS.div_ceil(256)])?);
        let seq = mgr.sequence()?;
        SumLuminance::dispatch(&seq, Grid::groups(PIXELS.div_ceil(256)), &pixels, &mut sums)?;
        seq.eval()?;
        Ok(vec![Output::exact(sums.to_vec()?)])
    },
    expected
)];
