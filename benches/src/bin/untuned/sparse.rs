//! Workloads that read and write here and there: sparse matrices, graphs, clusters, histograms, sorting.

use std::sync::atomic::Ordering;

use gridwise::prelude::*;

use crate::data::{bytes, floats, words};
use crate::workload::Workload;

#[kernel(workgroup = 256)]
fn spmv(row_starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = global_id().x as usize;
    let mut sum = 0.0;
    for k in row_starts[row] as usize..row_starts[row + 1] as usize {
        sum += values[k] * x[columns[k] as usize];
    }
    y[row] = sum;
}

/// The same as somebody writes it who likes iterators.
#[kernel(workgroup = 256)]
fn spmv_iter(row_starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let i = global_id().x as usize;
    let row = row_starts[i] as usize..row_starts[i + 1] as usize;
    y[i] = values[row.clone()].iter().zip(&columns[row]).map(|(v, &c)| v * x[c as usize]).sum();
}

const SPMV: &str = r"
KERNEL {
    uint row = GLOBAL_X;
    float sum = 0.0f;
    uint end = row_starts[row + 1u];
    for (uint k = row_starts[row]; k < end; k++) sum += values[k] * x[columns[k]];
    y[row] = sum;
}
";

#[kernel(workgroup = 256)]
fn gather(x: &[f32], index: &[u32], y: &mut [f32]) {
    let i = global_id().x as usize;
    y[i] = x[index[i] as usize];
}

const GATHER: &str = "KERNEL { uint i = GLOBAL_X; y[i] = x[index[i]]; }\n";

/// The neighbours of a frontier that nobody has seen go to the next one.
#[kernel(workgroup = 256)]
fn frontier(
    row_starts: &[u32],
    neighbours: &[u32],
    from: &[u32],
    depth: u32,
    depths: &[Atomic<u32>],
    count: &[Atomic<u32>],
    next: &mut [u32],
) {
    let i = global_id().x as usize;
    if i >= from.len() {
        return;
    }
    let node = from[i] as usize;
    for k in row_starts[node]..row_starts[node + 1] {
        let other = neighbours[k as usize];
        if depths[other as usize].fetch_max(depth, Ordering::Relaxed) < depth {
            let place = count[0].fetch_add(1, Ordering::Relaxed) as usize % next.len();
            // SAFETY: there are no more neighbours in a frontier than places.
            unsafe { next.unordered()[place] = other };
        }
    }
}

const FRONTIER: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= from_len) return;
    uint node = from[i];
    uint end = row_starts[node + 1u];
    for (uint k = row_starts[node]; k < end; k++) {
        uint other = neighbours[k];
        if (ATOMIC_MAX(depths[other], depth) < depth) next[ATOMIC_ADD(count[0], 1u) % next_len] = other;
    }
}
";

/// A level of a breadth-first search that looks from what is not yet reached.
#[kernel(workgroup = 256)]
fn search_level(level: u32, row_starts: &[u32], neighbours: &[u32], depths: &[u32], found: &mut [u32]) {
    let node = global_id().x as usize;
    let mut depth = depths[node];
    if depth == u32::MAX {
        for &other in &neighbours[row_starts[node] as usize..row_starts[node + 1] as usize] {
            if depths[other as usize] == level {
                depth = level + 1;
                break;
            }
        }
    }
    found[node] = depth;
}

const SEARCH_LEVEL: &str = r"
KERNEL {
    uint node = GLOBAL_X;
    uint depth = depths[node];
    if (depth == 0xffffffffu) {
        uint end = row_starts[node + 1u];
        for (uint k = row_starts[node]; k < end; k++) {
            if (depths[neighbours[k]] == level) { depth = level + 1u; break; }
        }
    }
    found[node] = depth;
}
";

/// The nearest of some centroids.
#[kernel(workgroup = 256)]
fn assign(points: &[[f32; 8]], centroids: &[[f32; 8]], nearest: &mut [u32]) {
    let i = global_id().x as usize;
    let point = points[i];
    let (mut best, mut least) = (0, f32::INFINITY);
    for (k, centroid) in centroids.iter().enumerate() {
        let mut distance = 0.0;
        for d in 0..8 {
            let difference = point[d] - centroid[d];
            distance += difference * difference;
        }
        if distance < least {
            (best, least) = (k, distance);
        }
    }
    nearest[i] = best as u32;
}

const ASSIGN: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    f32x8 point = points[i];
    uint best = 0u;
    float least = 3.4e38f;
    for (uint k = 0u; k < centroids_len; k++) {
        float distance = 0.0f;
        for (int d = 0; d < 8; d++) {
            float difference = point.v[d] - centroids[k].v[d];
            distance += difference * difference;
        }
        if (distance < least) { best = k; least = distance; }
    }
    nearest[i] = best;
}
";

/// How often each byte is there.
#[kernel(workgroup = 256)]
fn histogram(data: &[u8], bins: &[Atomic<u32>]) {
    let own = Shared::<[Atomic<u32>; 256]>::new();
    let local = local_id().x as usize;
    let all = (num_workgroups().x * 256) as usize;
    for i in (global_id().x as usize..data.len()).step_by(all) {
        own[data[i] as usize].fetch_add(1, Ordering::Relaxed);
    }
    barrier();
    let count = own[local].load(Ordering::Relaxed);
    if count > 0 {
        bins[local].fetch_add(count, Ordering::Relaxed);
    }
}

const HISTOGRAM: &str = r"
SHARED uint own[256];
KERNEL {
    uint local = LOCAL_X;
    own[local] = 0u;
    BARRIER;
    uint all = GROUPS_X * 256u;
    for (uint i = GLOBAL_X; i < data_len; i += all) ATOMIC_ADD(own[uint(data[i])], 1u);
    BARRIER;
    if (own[local] > 0u) ATOMIC_ADD(bins[local], own[local]);
}
";

/// A step of a bitonic network.
#[kernel(workgroup = 256)]
fn bitonic_step(size: u32, stride: u32, keys: &mut [u32]) {
    let i = global_id().x;
    let other = i ^ stride;
    if other > i {
        let (a, b) = (keys[i as usize], keys[other as usize]);
        let rises = i & size == 0;
        if (a > b) == rises {
            keys[i as usize] = b;
            keys[other as usize] = a;
        }
    }
}

const BITONIC: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    uint other = i ^ stride;
    if (other > i) {
        uint a = keys[i], b = keys[other];
        bool rises = (i & size) == 0u;
        if ((a > b) == rises) { keys[i] = b; keys[other] = a; }
    }
}
";

/// A matrix in rows of about `degree` numbers each.
fn graph(nodes: usize, degree: usize) -> (Vec<u32>, Vec<u32>) {
    let random = words(nodes * (2 * degree + 1));
    let mut starts = vec![0u32];
    let mut columns = Vec::new();
    for row in random.chunks(2 * degree + 1) {
        let count = 1 + row[0] as usize % (2 * degree - 1);
        columns.extend(row[1..=count].iter().map(|word| word % nodes as u32));
        starts.push(columns.len() as u32);
    }
    (starts, columns)
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let pick = |small: usize, many: usize| if large { many } else { small };
    let nodes = pick(1024, 1 << 20);
    let (starts, columns) = graph(nodes, 16);
    let edges = columns.len();
    let n = pick(1024, 1 << 24);
    let points = pick(1024, 1 << 20);
    let eights = |len: usize| floats(8 * len).as_chunks::<8>().0.to_vec();
    let from = words(nodes / 4).into_iter().map(|word| word % nodes as u32).collect::<Vec<_>>();
    let depths =
        words(nodes).into_iter().map(|word| if word % 3 == 0 { word % 7 } else { u32::MAX }).collect::<Vec<_>>();
    let matrix = |workload: Workload| {
        workload
            .read("row_starts", starts.clone())
            .read("columns", columns.clone())
            .read("values", floats(edges))
            .read("x", floats(nodes))
            .write::<f32>("y", nodes)
    };
    vec![
        matrix(Workload::new::<Spmv>("sparse matrix by vector", [nodes / 256, 1, 1], SPMV)),
        matrix(Workload::new::<SpmvIter>("the same by iterators", [nodes / 256, 1, 1], SPMV)),
        Workload::new::<Gather>("gather", [n / 256, 1, 1], GATHER)
            .read("x", floats(n))
            .read("index", words(n).into_iter().map(|word| word % n as u32).collect::<Vec<_>>())
            .write::<f32>("y", n),
        Workload::new::<Frontier>("frontier", [nodes / 4 / 256, 1, 1], FRONTIER)
            .read("row_starts", starts.clone())
            .read("neighbours", columns.clone())
            .read("from", from)
            .peer_value("from_len", nodes as u32 / 4)
            .value("depth", 1u32)
            .update("depths", vec![0u32; nodes])
            .update("count", vec![0u32; 1])
            .write::<u32>("next", nodes)
            .peer_value("next_len", nodes as u32)
            .in_any_order(),
        Workload::new::<SearchLevel>("level of a search", [nodes / 256, 1, 1], SEARCH_LEVEL)
            .value("level", 3u32)
            .read("row_starts", starts.clone())
            .read("neighbours", columns.clone())
            .read("depths", depths)
            .write::<u32>("found", nodes),
        Workload::new::<Assign>("nearest centroid", [points / 256, 1, 1], ASSIGN)
            .read("points", eights(points))
            .read("centroids", eights(64))
            .peer_value("centroids_len", 64)
            .write::<u32>("nearest", points)
            .roughly(0.001),
        Workload::new::<Histogram>("histogram of bytes", [pick(4, 132 * 8), 1, 1], HISTOGRAM)
            .read("data", bytes(pick(10_000, 1 << 27)))
            .peer_value("data_len", pick(10_000, 1 << 27) as u32)
            .update("bins", vec![0u32; 256]),
        Workload::new::<BitonicStep>("step of a bitonic network", [n / 256, 1, 1], BITONIC)
            .value("size", 1u32 << 9)
            .value("stride", 1u32 << 8)
            .update("keys", words(n)),
    ]
}
