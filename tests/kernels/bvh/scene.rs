//! Balls, rays, and a tree of boxes over the balls, made on the host. The kernel traces the rays.

use gridwise::prelude::*;

use crate::case::moderate;

const BALLS: usize = 200;
const RAYS: usize = 512;

/// A box, and what is in it: `count` balls from `first`, or two nodes, `first` and the one behind it.
#[derive(Debug, Clone, Copy, GpuData)]
#[repr(C)]
pub(super) struct Node {
    pub(super) low: Vec3,
    pub(super) first: u32,
    pub(super) high: Vec3,
    pub(super) count: u32,
}

/// Balls, sorted as the tree has them, and the tree.
pub(super) fn scene() -> (Vec<Vec4>, Vec<Node>) {
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

pub(super) fn rays() -> Vec<[Vec3; 2]> {
    let numbers = moderate(RAYS * 6, 8, 12.0);
    numbers.chunks(6).map(|c| [Vec3::new(c[0], c[1], c[2]), Vec3::new(c[3], c[4], c[5])]).collect()
}
