//! Rays through a tree of boxes: a walk with a stack of its own, and a `match` on what a node is.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

mod scene;

use scene::{Node, rays, scene};

/// The entries.
pub const CASES: &[Case] = &[case!("programs::bvh", [Nearest], run, || {
    let (balls, _) = scene();
    let nearest = rays().into_iter().map(|ray| {
        let hits = (0u32..).zip(&balls).filter_map(|(i, ball)| Some((i, hit(ray, *ball)?)));
        hits.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(u32::MAX, |(i, _)| i)
    });
    vec![Output::U32(nearest.collect())]
})];

fn run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let (balls, nodes) = scene();
    let (balls, nodes, rays) = (mgr.tensor(&balls)?, mgr.tensor(&nodes)?, mgr.tensor(&rays())?);
    let mut nearest = mgr.tensor(&vec![0u32; rays.len()])?;
    let seq = mgr.sequence()?;
    Nearest::dispatch(&seq, Grid::items(rays.len()), &balls, &nodes, &rays, &mut nearest)?;
    seq.eval()?;
    Ok(vec![Output::U32(nearest.to_vec()?)])
}

/// The kind of a node.
#[device]
#[derive(Clone, Copy)]
enum Kind {
    Leaf { first: u32, count: u32 },
    Inner(u32, u32),
}

#[device]
fn kind(node: Node) -> Kind {
    match node {
        Node { first, count: 0, .. } => Kind::Inner(first, first + 1),
        Node { first, count, .. } => Kind::Leaf { first, count },
    }
}

/// How far along the ray a ball is.
#[device]
fn hit([origin, direction]: [Vec3; 2], ball: Vec4) -> Option<f32> {
    let to_center = ball.truncate() - origin;
    let (a, b) = (direction.dot(direction), direction.dot(to_center));
    let discriminant = b * b - a * (to_center.dot(to_center) - ball.w * ball.w);
    if discriminant < 0.0 {
        return None;
    }
    let along = (b - discriminant.sqrt()) / a;
    if along > 0.0 { Some(along) } else { None }
}

/// Whether a ray meets a box before `limit`.
#[device]
fn enters([origin, direction]: [Vec3; 2], Node { low, high, .. }: Node, limit: f32) -> bool {
    let (one, other) = ((low - origin) / direction, (high - origin) / direction);
    let (near, far) = (one.min(other).max_element(), one.max(other).min_element());
    near <= far && far >= 0.0 && near < limit
}

#[kernel]
fn nearest(balls: &[Vec4], nodes: &[Node], rays: &[[Vec3; 2]], nearest: &mut [u32]) {
    let i = global_id().x;
    let ray = rays[i];
    let (mut found, mut limit) = (u32::MAX, f32::INFINITY);
    let mut stack = [0u32; 32];
    let mut depth = 1;
    while depth > 0 {
        depth -= 1;
        let node = nodes[stack[depth]];
        if !enters(ray, node, limit) {
            continue;
        }
        match kind(node) {
            Kind::Inner(left, right) => {
                (stack[depth], stack[depth + 1]) = (left, right);
                depth += 2;
            }
            Kind::Leaf { first, count } => {
                for ball in first..first + count {
                    if let Some(along) = hit(ray, balls[ball])
                        && along < limit
                    {
                        (found, limit) = (ball, along);
                    }
                }
            }
        }
    }
    nearest[i] = found;
}
