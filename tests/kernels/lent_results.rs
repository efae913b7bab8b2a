//! References that are chosen, kept in variables that change, and returned. Each function also stands in a module that only rustc compiles.

#![expect(
    clippy::needless_lifetimes,
    clippy::manual_find,
    clippy::needless_late_init,
    reason = "these are the forms that are tried"
)]

use gridwise::prelude::*;

use super::{both, case};
use crate::case::{Case, Output};

const N: usize = 64;

/// A node of a list, beside the number that it is judged by.
#[derive(GpuData, Clone, Copy)]
#[repr(C)]
pub struct Node {
    key: u32,
    score: f32,
    next: u32,
    parts: [u32; 3],
}

both!(lent, plain_lent, {
    use super::Node;

    pub(super) struct Ray {
        pub(super) at: [u32; 3],
        pub(super) hits: u32,
    }

    impl Ray {
        fn at(&self) -> &[u32; 3] {
            &self.at
        }

        fn larger<'a>(&'a self, other: &'a u32) -> &'a u32 {
            if self.hits > *other { &self.hits } else { other }
        }

        fn most(&self) -> &u32 {
            let mut best = &self.at[0];
            for v in &self.at {
                if v > best {
                    best = v;
                }
            }
            best
        }
    }

    pub(super) trait Keyed {
        fn key(&self) -> &u32;
        fn shifted(&self) -> u32 {
            self.key() << 1
        }
    }

    impl Keyed for Ray {
        fn key(&self) -> &u32 {
            &self.at[1]
        }
    }

    fn keyed<T: Keyed>(x: &T) -> u32 {
        *x.key() ^ x.shifted()
    }

    pub(super) fn pick<'a>(nodes: &'a [Node], i: usize) -> &'a Node {
        &nodes[i]
    }

    fn find<'a>(nodes: &'a [Node], key: u32) -> Option<&'a Node> {
        nodes.iter().find(|node| node.key == key)
    }

    fn find_in_loop(nodes: &[Node], key: u32) -> Option<&Node> {
        for node in nodes {
            if node.key == key {
                return Some(node);
            }
        }
        None
    }

    fn find_by_index(nodes: &[Node], key: u32) -> Result<&Node, u32> {
        for i in 0..nodes.len() {
            if nodes[i].key == key {
                return Ok(&nodes[i]);
            }
        }
        Err(key)
    }

    fn larger<'a, T: PartialOrd>(a: &'a T, b: &'a T) -> &'a T {
        if a > b { a } else { b }
    }

    fn hash(node: &Node) -> u32 {
        node.key ^ node.next.rotate_left(7) ^ node.parts[1] ^ node.score as u32
    }

    fn best(nodes: &[Node]) -> &Node {
        let mut best = &nodes[0];
        for i in 1..nodes.len() {
            if nodes[i].score > best.score {
                best = &nodes[i];
            }
        }
        best
    }

    fn ends(nodes: &[Node]) -> (&Node, &Node) {
        (&nodes[0], &nodes[nodes.len() - 1])
    }

    fn chosen(nodes: &[Node], i: usize) -> u32 {
        let picked = pick(nodes, i + 2);
        let p = if i % 2 == 0 { &nodes[i] } else { &nodes[i + 1] };
        let q = match i % 3 {
            0 => p,
            1 => picked,
            _ => &nodes[0],
        };
        let (a, b) = if q.key > 5 { (&nodes[1], &nodes[2]) } else { (&nodes[2], &nodes[1]) };
        let own = [q.key, 3, 5];
        let mut least = &own[0];
        for v in &own {
            if v < least {
                least = v;
            }
        }
        hash(p) ^ hash(q).rotate_left(5) ^ hash(a).rotate_left(9) ^ b.key << 3 ^ p.next ^ picked.parts[2] ^ *least
    }

    /// Assigned later, and one of several places to write.
    fn later(nodes: &[Node], i: usize) -> u32 {
        let node: &Node;
        if i > 2 {
            node = &nodes[1];
        } else {
            node = &nodes[i];
        }
        let (mut a, mut b) = (node.key, [node.next, 3]);
        let larger = if a > b[0] { &mut a } else { &mut b[i % 2] };
        *larger += 5;
        a << 3 ^ b[0] << 5 ^ b[1]
    }

    pub(super) fn found(nodes: &[Node], i: usize) -> u32 {
        let mut h = 0;
        if let Some(node) = find(nodes, 7) {
            h ^= hash(node) << 1;
        }
        match find_in_loop(nodes, 9) {
            Some(node) => h ^= node.next,
            None => h ^= 77,
        }
        h ^= find_by_index(nodes, i as u32).map_or_else(|key| key << 9, |node| node.key + 3);
        let most = nodes.iter().max_by(|a, b| a.score.total_cmp(&b.score)).unwrap();
        h ^= hash(most) ^ hash(nodes.iter().min_by_key(|node| node.next).unwrap()) << 2;
        let mut best: Option<&Node> = None;
        for node in nodes.iter() {
            if best.is_none_or(|best| node.key > best.key) {
                best = Some(node);
            }
        }
        h ^= best.unwrap().next << 3;
        let mut last: Option<&Node> = None;
        for k in 0..nodes.len() {
            match last {
                Some(last) if last.key > nodes[k].key => {}
                _ => last = Some(&nodes[k]),
            }
        }
        h ^ last.unwrap().next << 4
    }

    pub(super) fn all(nodes: &[Node], i: usize) -> u32 {
        let mut h = hash(pick(nodes, i)) ^ pick(nodes, i + 1).key ^ hash(best(nodes)) << 2;
        h ^= later(nodes, i) << 8 ^ chosen(nodes, i).rotate_left(3);
        let mut node: &Node = &nodes[0];
        for _ in 0..4 {
            node = &nodes[node.next as usize % nodes.len()];
        }
        h = h.rotate_left(3) ^ node.key;
        let ray = Ray { at: [i as u32, h % 100, 3], hits: h % 7 };
        h ^= ray.at()[1] ^ *ray.larger(&4) ^ ray.larger(&node.key) << 3;
        h ^= ray.most() ^ ray.at().iter().sum::<u32>() ^ keyed(&ray);
        let (x, y) = (h % 5, h % 3);
        let (first, last) = ends(nodes);
        h ^ *larger(&x, &y) ^ first.key << 9 ^ last.key << 11
    }
});

#[kernel]
fn lent_results(nodes: &[Node], y: &mut [u32]) {
    let i = global_id().x as usize;
    let mut best = &nodes[i];
    for k in 0..4 {
        if nodes[i + k].score > best.score {
            best = &nodes[i + k];
        }
    }
    let one = if i % 2 == 0 { &nodes[i] } else { &nodes[i + 1] };
    y[i] = best.key ^ one.next ^ lent::pick(nodes, i).key ^ lent::all(&nodes[i..i + 8], i % 5);
}

#[kernel]
fn lent_found(nodes: &[Node], y: &mut [u32]) {
    let i = global_id().x as usize;
    y[i] = lent::found(&nodes[i..i + 8], i % 5);
}

fn nodes() -> Vec<Node> {
    (0..N as u32 + 8)
        .map(|k| Node {
            key: k * 7 % 13,
            score: (k * 29 % 31) as f32,
            next: k * 11 % 17,
            parts: [k, k * 3, k * 5 % 19],
        })
        .collect()
}

fn expected() -> Vec<u32> {
    let nodes = nodes();
    let one = |i: usize| {
        let best = (i..i + 4).rev().max_by(|a, b| nodes[*a].score.total_cmp(&nodes[*b].score)).map_or(i, |best| best);
        nodes[best].key ^ nodes[i + i % 2].next ^ plain_lent::pick(&nodes, i).key
    };
    (0..N).map(|i| one(i) ^ plain_lent::all(&nodes[i..i + 8], i % 5)).collect()
}

/// The entry. It is two kernels: current lavapipe computes some values wrongly in one kernel of this size, which it does not do without
/// LLVM's passes or with vectors of four.
pub const CASES: &[Case] = &[
    case!(
        "lent_results::everywhere",
        [LentResults],
        |mgr| {
            let (nodes, mut y) = (mgr.tensor(&nodes())?, mgr.tensor_of_len::<u32>(N)?);
            let seq = mgr.sequence()?;
            LentResults::dispatch(&seq, Grid::items(N), &nodes, &mut y)?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || vec![Output::U32(expected())]
    ),
    case!(
        "lent_results::found",
        [LentFound],
        |mgr| {
            let (nodes, mut y) = (mgr.tensor(&nodes())?, mgr.tensor_of_len::<u32>(N)?);
            let seq = mgr.sequence()?;
            LentFound::dispatch(&seq, Grid::items(N), &nodes, &mut y)?;
            seq.eval()?;
            Ok(vec![Output::U32(y.to_vec()?)])
        },
        || {
            let nodes = nodes();
            vec![Output::U32((0..N).map(|i| plain_lent::found(&nodes[i..i + 8], i % 5)).collect())]
        }
    ),
];
