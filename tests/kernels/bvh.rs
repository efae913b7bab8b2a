//! Rays through a tree of boxes: a walk with a stack of its own, and a `match` on what a node is.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output, moderate};

const BALLS: usize = 200;
const RAYS: usize = 512;

/// The entries.
pub const CASES: &[Case] = &[case!("programs::bvh", [Nearest], run, || {
    let (balls, _) = scene();
    let nearest = rays().into_iter().map(|ray| {
        let hits = (0u32..).zip(&balls).filter_map(|(i, ball)| Some((i, hit(ray, *ball)?)));
        hits.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(u32::MAX, |(i, _)| i)
    });
    vec![Output::U32(nearest.collect())]
})];

/// A box, and what is in it: `count` balls from `first`, or two nodes, `first` and the one behind it.
#[derive(Debug, Clone, Copy, GpuData)]
#[repr(C)]
struct Node {
    low: Vec3,
    first: u32,
    high: Vec3,
    count: u32,
}

/// Balls, sorted as the tree has them, and the tree.
fn scene() -> (Vec<Vec4>, Vec<Node>) {
    let mut balls: Vec<Vec4> =
        moderate(BALLS * 3, 7, 10.0).chunks(3).map(|c| Vec4::new(c[0], c[1], c[2], 0.4)).collect();
    let mut nodes = vec![node(&balls, 0, BALLS)];
    let mut todo = vec![0];
    while let Some(at) = todo.pop() {
        let Node { low, high, first, count } = nodes[at];
        if count > 4 {
            let axis = (0..3).max_by(|a, b| (high - low)[*a].total_cmp(&(high - low)[*b])).unwrap_or(0);
            let (first, count) = (first as usize, count as usize);
            balls[first..first + count].sort_by(|a, b| a[axis].total_cmp(&b[axis]));
            let children = nodes.len();
            nodes[at] = Node { first: children as u32, count: 0, ..nodes[at] };
            nodes.push(node(&balls, first, count / 2));
            nodes.push(node(&balls, first + count / 2, count - count / 2));
            todo.extend([children, children + 1]);
        }
    }
    (balls, nodes)
}

fn node(balls: &[Vec4], first: usize, count: usize) -> Node {
    let corners = balls[first..first + count].iter().map(|ball| (ball.truncate() - ball.w, ball.truncate() + ball.w));
    let (low, high) = corners.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or_default();
    Node { low, first: first as u32, high, count: count as u32 }
}

fn rays() -> Vec<[Vec3; 2]> {
    let numbers = moderate(RAYS * 6, 8, 12.0);
    numbers.chunks(6).map(|c| [Vec3::new(c[0], c[1], c[2]), Vec3::new(c[3], c[4], c[5])]).collect()
}

fn run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let (balls, nodes) = scene();
    let (balls, nodes, rays) = (mgr.tensor(&balls)?, mgr.tensor(&nodes)?, mgr.tensor(&rays())?);
    let mut nearest = mgr.tensor(&vec![0u32; RAYS])?;
    let seq = mgr.sequence()?;
    Nearest::dispatch(&seq, Grid::items(RAYS), &balls, &nodes, &rays, &mut nearest)?;
    seq.eval()?;
    Ok(vec![Output::U32(nearest.to_vec()?)])
}

/// What a node is.
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
    let mut best: Option<(u32, f32)> = None;
    let mut stack = [0u32; 32];
    let mut depth = 1;
    while depth > 0 {
        depth -= 1;
        let node = nodes[stack[depth]];
        let limit = if let Some((_, along)) = best { along } else { f32::INFINITY };
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
                    match (hit(ray, balls[ball]), best) {
                        (Some(along), Some((_, limit))) if along >= limit => {}
                        (Some(along), _) => best = Some((ball, along)),
                        (None, _) => {}
                    }
                }
            }
        }
    }
    nearest[i] = match best {
        Some((ball, _)) => ball,
        None => u32::MAX,
    };
}
