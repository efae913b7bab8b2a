//! Estimates: decisions of a forest, bags of embeddings, tracks by Kalman filters, epidemics by chance.

use bytemuck::{Pod, Zeroable};
use gridwise::prelude::*;

use crate::data::{Element, Numbers, bytes, floats, words};
use crate::halves::Halves;
use crate::workload::Workload;

/// A node of a decision tree; a leaf has no child on the left, and its value in place of a threshold.
#[derive(GpuData, Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Node {
    threshold: f32,
    feature: u16,
    left: u16,
}

impl Element for Node {
    const NAME: &'static str = "Node";
    const NUMBERS: Numbers = Numbers::Exact(8);
    const DECLARATION: &'static str = "struct Node { float threshold; uint16_t feature; uint16_t left; };\n";
}

/// The mean of what trees say about samples.
#[kernel(workgroup = [128])]
fn forest(features: u32, roots: &[u32], nodes: &[Node], samples: &[f32], scores: &mut [f32]) {
    let i = global_id().x as usize;
    let Some(sample) = samples.chunks_exact(features as usize).nth(i) else { return };
    let leaf = |root: u32| {
        let tree = &nodes[root as usize..];
        let mut node = &tree[0];
        while node.left != 0 {
            let is_right = sample[usize::from(node.feature)] > node.threshold;
            node = &tree[usize::from(node.left) + usize::from(is_right)];
        }
        node.threshold
    };
    scores[i] = roots.iter().map(|&root| leaf(root)).sum::<f32>() / roots.len() as f32;
}

const FOREST: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    float sum = 0.0f;
    for (uint t = 0u; t < trees; t++) {
        uint root = roots[t];
        Node node = nodes[root];
        while (uint(node.left) != 0u) {
            bool is_right = samples[i * features + uint(node.feature)] > node.threshold;
            node = nodes[root + uint(node.left) + (is_right ? 1u : 0u)];
        }
        sum += node.threshold;
    }
    scores[i] = sum / float(trees);
}
";

/// Means of rows of bytes, each with a scale of its own.
#[kernel(workgroup = [64, 4])]
fn embedding_bags(width: u32, starts: &[u32], items: &[u32], table: &[u8], scales: &[f16], bags: &mut [f32]) {
    let (column, bag, width) = (global_id().x as usize, global_id().y as usize, width as usize);
    if column >= width || bag + 1 >= starts.len() {
        return;
    }
    let own = &items[starts[bag] as usize..starts[bag + 1] as usize];
    let weights = own.iter().map(|&item| {
        let row = item as usize;
        f32::from(scales[row]) * (f32::from(table[row * width + column]) - 128.0)
    });
    let sum: f32 = weights.sum();
    bags[bag * width + column] = if own.is_empty() { 0.0 } else { sum / own.len() as f32 };
}

const EMBEDDING_BAGS: &str = r"
KERNEL {
    uint column = GLOBAL_X, bag = GLOBAL_Y;
    if (column >= width || bag >= bags_len) return;
    uint start = starts[bag], end = starts[bag + 1u];
    float sum = 0.0f;
    for (uint k = start; k < end; k++) {
        uint row = items[k];
        sum += float(scales[row]) * (float(uint(table[row * width + column])) - 128.0f);
    }
    bags[bag * width + column] = end > start ? sum / float(end - start) : 0.0f;
}
";

#[device]
mod matrix {
    use std::ops::{Add, Mul, Sub};

    #[derive(Clone, Copy)]
    pub(crate) struct Matrix<const R: usize, const C: usize>(pub(crate) [[f32; C]; R]);

    impl<const R: usize, const K: usize, const C: usize> Mul<Matrix<K, C>> for Matrix<R, K> {
        type Output = Matrix<R, C>;

        fn mul(self, other: Matrix<K, C>) -> Matrix<R, C> {
            let mut product = [[0.0; C]; R];
            for (to, row) in product.iter_mut().zip(self.0) {
                for c in 0..C {
                    to[c] = (0..K).map(|k| row[k] * other.0[k][c]).sum();
                }
            }
            Matrix(product)
        }
    }

    impl<const R: usize, const C: usize> Add for Matrix<R, C> {
        type Output = Self;

        fn add(mut self, other: Self) -> Self {
            for r in 0..R {
                for c in 0..C {
                    self.0[r][c] += other.0[r][c];
                }
            }
            self
        }
    }

    impl<const R: usize, const C: usize> Sub for Matrix<R, C> {
        type Output = Self;

        fn sub(mut self, other: Self) -> Self {
            for r in 0..R {
                for c in 0..C {
                    self.0[r][c] -= other.0[r][c];
                }
            }
            self
        }
    }

    impl<const R: usize, const C: usize> Matrix<R, C> {
        pub(crate) fn transpose(&self) -> Matrix<C, R> {
            Matrix(std::array::from_fn(|c| std::array::from_fn(|r| self.0[r][c])))
        }
    }

    impl<const N: usize> Matrix<N, N> {
        pub(crate) fn diagonal(value: f32) -> Self {
            let mut matrix = Self([[0.0; N]; N]);
            for k in 0..N {
                matrix.0[k][k] = value;
            }
            matrix
        }
    }

    impl Matrix<2, 2> {
        pub(crate) fn inverse(&self) -> Option<Self> {
            let [[a, b], [c, d]] = self.0;
            let determinant = a * d - b * c;
            (determinant != 0.0)
                .then(|| Self([[d / determinant, -b / determinant], [-c / determinant, a / determinant]]))
        }
    }
}

use matrix::Matrix;

/// Follows points by noisy places with a filter of constant velocity (Kalman); tells where each is at last.
#[kernel(workgroup = [64])]
fn kalman(steps: u32, time: f32, noise: f32, places: &[f32], ends: &mut [[f32; 4]]) {
    let track = global_id().x as usize;
    if track >= ends.len() {
        return;
    }
    let mut motion = Matrix::<4, 4>::diagonal(1.0);
    motion.0[0][2] = time;
    motion.0[1][3] = time;
    let observed = Matrix([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]);
    let mut state = Matrix([[0.0]; 4]);
    let mut spread = Matrix::<4, 4>::diagonal(10.0);
    for step in 0..steps as usize {
        let at = 2 * (step * ends.len() + track);
        let place = Matrix([[places[at]], [places[at + 1]]]);
        state = motion * state;
        spread = motion * spread * motion.transpose() + Matrix::diagonal(0.01);
        let surprise = place - observed * state;
        let doubt = observed * spread * observed.transpose() + Matrix::diagonal(noise);
        let Some(inverse) = doubt.inverse() else { continue };
        let gain = spread * observed.transpose() * inverse;
        state = state + gain * surprise;
        spread = (Matrix::diagonal(1.0) - gain * observed) * spread;
    }
    ends[track] = state.0.map(|[value]| value);
}

const KALMAN: &str = r"
struct m41 { float v[4][1]; };
struct m21 { float v[2][1]; };
struct m22 { float v[2][2]; };
struct m24 { float v[2][4]; };
struct m42 { float v[4][2]; };
struct m44 { float v[4][4]; };
#define PRODUCT(name, A, B, C, rows, inner, columns) \
    DEVICE C name(A a, B b) { \
        C c; \
        for (int i = 0; i < rows; i++) \
            for (int j = 0; j < columns; j++) { \
                float sum = 0.0f; \
                for (int k = 0; k < inner; k++) sum += a.v[i][k] * b.v[k][j]; \
                c.v[i][j] = sum; \
            } \
        return c; \
    }
#define SUM(name, A, rows, columns) \
    DEVICE A name(A a, float by, A b) { \
        for (int i = 0; i < rows; i++) for (int j = 0; j < columns; j++) a.v[i][j] += by * b.v[i][j]; \
        return a; \
    }
#define DIAGONAL(name, A, size) \
    DEVICE A name(float value) { \
        A a; \
        for (int i = 0; i < size; i++) for (int j = 0; j < size; j++) a.v[i][j] = i == j ? value : 0.0f; \
        return a; \
    }
PRODUCT(times44, m44, m44, m44, 4, 4, 4)
PRODUCT(times41, m44, m41, m41, 4, 4, 1)
PRODUCT(times21, m24, m41, m21, 2, 4, 1)
PRODUCT(times24, m24, m44, m24, 2, 4, 4)
PRODUCT(times22, m24, m42, m22, 2, 4, 2)
PRODUCT(times42, m44, m42, m42, 4, 4, 2)
PRODUCT(gain42, m42, m22, m42, 4, 2, 2)
PRODUCT(moved41, m42, m21, m41, 4, 2, 1)
PRODUCT(known44, m42, m24, m44, 4, 2, 4)
SUM(sum44, m44, 4, 4)
SUM(sum41, m41, 4, 1)
SUM(sum21, m21, 2, 1)
SUM(sum22, m22, 2, 2)
DIAGONAL(diagonal4, m44, 4)
DIAGONAL(diagonal2, m22, 2)
KERNEL {
    uint track = GLOBAL_X;
    if (track >= len) return;
    m44 motion = diagonal4(1.0f), back;
    motion.v[0][2] = time;
    motion.v[1][3] = time;
    m24 observed;
    m42 turned;
    for (int i = 0; i < 2; i++) for (int j = 0; j < 4; j++) observed.v[i][j] = turned.v[j][i] = i == j ? 1.0f : 0.0f;
    for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) back.v[i][j] = motion.v[j][i];
    m41 state;
    for (int i = 0; i < 4; i++) state.v[i][0] = 0.0f;
    m44 spread = diagonal4(10.0f);
    for (uint n = 0u; n < steps; n++) {
        uint at = 2u * (n * len + track);
        m21 place;
        place.v[0][0] = places[at];
        place.v[1][0] = places[at + 1u];
        state = times41(motion, state);
        spread = sum44(times44(times44(motion, spread), back), 1.0f, diagonal4(0.01f));
        m21 surprise = sum21(place, -1.0f, times21(observed, state));
        m22 doubt = sum22(times22(times24(observed, spread), turned), 1.0f, diagonal2(noise));
        float a = doubt.v[0][0], b = doubt.v[0][1], c = doubt.v[1][0], d = doubt.v[1][1];
        float size = a * d - b * c;
        if (size == 0.0f) continue;
        m22 inverted;
        inverted.v[0][0] = d / size; inverted.v[0][1] = -b / size; inverted.v[1][0] = -c / size; inverted.v[1][1] = a / size;
        m42 gain = gain42(times42(spread, turned), inverted);
        state = sum41(state, 1.0f, moved41(gain, surprise));
        spread = times44(sum44(diagonal4(1.0f), -1.0f, known44(gain, observed)), spread);
    }
    f32x4 end;
    for (int i = 0; i < 4; i++) end.v[i] = state.v[i][0];
    ends[track] = end;
}
";

#[device]
mod random {
    /// PCG with a state of 64 bits, by Melissa O'Neill.
    pub(crate) struct Random {
        state: u64,
    }

    impl Random {
        pub(crate) fn new(seed: u64) -> Self {
            let mut random = Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) };
            random.next();
            random
        }

        fn next(&mut self) -> u32 {
            let old = self.state;
            self.state = old.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let mixed = ((old >> 18 ^ old) >> 27) as u32;
            mixed.rotate_right((old >> 59) as u32)
        }

        /// A number above 0, at most 1.
        pub(crate) fn unit(&mut self) -> f32 {
            ((self.next() >> 8) + 1) as f32 / 16_777_216.0
        }
    }
}

use random::Random;

#[device]
enum Event {
    Infection,
    Recovery,
}

/// The most people who are ill at once, and how long it lasts, in epidemics by chance (Gillespie).
#[kernel(workgroup = [64])]
fn epidemics(people: u32, infectivity: f32, recovery: f32, peaks: &mut [u32], days: &mut [f32]) {
    let i = global_id().x as usize;
    let mut random = Random::new(i as u64 + 1);
    let (mut healthy, mut ill, mut peak, mut time) = (people - 5, 5u32, 5u32, 0.0);
    while ill > 0 {
        let rates = [infectivity * healthy as f32 * ill as f32 / people as f32, recovery * ill as f32];
        let total = rates.iter().sum::<f32>();
        time -= random.unit().ln() / total;
        let event = if random.unit() * total <= rates[0] { Event::Infection } else { Event::Recovery };
        match event {
            Event::Infection => {
                healthy -= 1;
                ill += 1;
            }
            Event::Recovery => ill -= 1,
        }
        peak = peak.max(ill);
    }
    peaks[i] = peak;
    days[i] = time;
}

const EPIDEMICS: &str = r"
DEVICE uint draw(INOUT(uint64_t) state) {
    uint64_t old = state;
    state = old * 6364136223846793005ul + 1442695040888963407ul;
    uint mixed = uint((old >> 18 ^ old) >> 27), by = uint(old >> 59);
    return mixed >> by | mixed << ((32u - by) % 32u);
}
DEVICE float unit(INOUT(uint64_t) state) { return float((draw(state) >> 8) + 1u) / 16777216.0f; }
KERNEL {
    uint i = GLOBAL_X;
    uint64_t state = uint64_t(i + 1u) * 0x9e3779b97f4a7c15ul;
    draw(state);
    uint healthy = people - 5u, ill = 5u, peak = 5u;
    float time = 0.0f;
    while (ill > 0u) {
        float infection = infectivity * float(healthy) * float(ill) / float(people);
        float total = infection + recovery * float(ill);
        time -= log(unit(state)) / total;
        if (unit(state) * total <= infection) { healthy--; ill++; }
        else ill--;
        peak = max(peak, ill);
    }
    peaks[i] = peak;
    days[i] = time;
}
";

/// Full trees of eight levels: their roots and nodes.
fn trees(count: usize, features: u32) -> (Vec<u32>, Vec<Node>) {
    let (thresholds, choices) = (floats(511 * count), words(511 * count));
    let node = |at: usize| Node {
        threshold: thresholds[at],
        feature: (choices[at] % features) as u16,
        left: if at % 511 < 255 { 2 * (at % 511) as u16 + 1 } else { 0 },
    };
    ((0..count).map(|tree| 511 * tree as u32).collect(), (0..511 * count).map(node).collect())
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 20 } else { 1 << 10 };
    let (roots, nodes) = trees(64, 32);
    let bags = n / 16;
    let starts: Vec<u32> = words(bags)
        .into_iter()
        .scan(0, |at, word| {
            *at += word % 32;
            Some(*at)
        })
        .collect();
    let starts = [vec![0], starts].concat();
    let most = starts.last().copied().unwrap_or(0) as usize;
    let rows = if large { 100_000 } else { 100 };
    let tracks = n / 8;
    vec![
        Workload::new::<Forest>("decisions of a forest", [n / 4 / 128, 1, 1], FOREST)
            .value("features", 32)
            .peer_value("len", n as u32 / 4)
            .peer_value("trees", 64)
            .read("roots", roots)
            .read("nodes", nodes)
            .read("samples", floats(32 * n / 4))
            .write::<f32>("scores", n / 4),
        Workload::new::<EmbeddingBags>("bags of embeddings", [2, bags / 4, 1], EMBEDDING_BAGS)
            .value("width", 128)
            .peer_value("bags_len", bags as u32)
            .read("starts", starts)
            .read("items", words(most).into_iter().map(|word| word % rows as u32).collect())
            .read("table", bytes(128 * rows))
            .read_data("scales", Halves::new(&floats(rows)))
            .write::<f32>("bags", 128 * bags),
        Workload::new::<Kalman>("tracks by Kalman filters", [tracks / 64, 1, 1], KALMAN)
            .value("steps", 32)
            .value("time", 0.1f32)
            .value("noise", 0.5f32)
            .peer_value("len", tracks as u32)
            .read("places", floats(2 * 32 * tracks))
            .write::<[f32; 4]>("ends", tracks),
        Workload::new::<Epidemics>("epidemics", [n / 16 / 64, 1, 1], EPIDEMICS)
            .value("people", 500)
            .value("infectivity", 1.5f32)
            .value("recovery", 1.0f32)
            .write::<u32>("peaks", n / 16)
            .write::<f32>("days", n / 16)
            .roughly(0.02),
    ]
}
