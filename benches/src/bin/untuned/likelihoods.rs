//! Likelihoods: letters along a tree of life, volatilities that prices imply, splits of boosted trees, shares of a mixture.

use gridwise::prelude::*;

use crate::data::{floats, words};
use crate::workload::Workload;

/// The logarithm of each site's likelihood in a tree of sixteen species (pruning: Felsenstein, 1981).
#[kernel(workgroup = [128])]
fn pruning(sites: u32, children: &[[u32; 2]], chances: &[f32], letters: &[u8], logarithms: &mut [f32]) {
    const SPECIES: usize = 16;
    let site = global_id().x as usize;
    if site >= sites as usize {
        return;
    }
    let mut partial = [[0.0f32; 4]; 2 * SPECIES - 1];
    for species in 0..SPECIES {
        partial[species] = match letters[species * sites as usize + site] {
            b'A' => [1.0, 0.0, 0.0, 0.0],
            b'C' => [0.0, 1.0, 0.0, 0.0],
            b'G' => [0.0, 0.0, 1.0, 0.0],
            b'T' => [0.0, 0.0, 0.0, 1.0],
            b'R' => [1.0, 0.0, 1.0, 0.0],
            b'Y' => [0.0, 1.0, 0.0, 1.0],
            _ => [1.0; 4],
        };
    }
    for (k, &[left, right]) in children.iter().enumerate() {
        let along = |child: u32, letter: usize| -> f32 {
            let row = &chances[16 * child as usize + 4 * letter..][..4];
            row.iter().zip(&partial[child as usize]).map(|(chance, part)| chance * part).sum()
        };
        partial[SPECIES + k] = std::array::from_fn(|letter| along(left, letter) * along(right, letter));
    }
    let root = partial.last().unwrap();
    logarithms[site] = root.iter().map(|part| 0.25 * part).sum::<f32>().ln();
}

const PRUNING: &str = r"
KERNEL {
    uint site = GLOBAL_X;
    if (site >= sites) return;
    float partial[31][4];
    for (uint k = 0u; k < 16u; k++) {
        uint letter = uint(letters[k * sites + site]);
        bool has_a = true, has_c = true, has_g = true, has_t = true;
        switch (letter) {
            case 65u: has_c = false; has_g = false; has_t = false; break;
            case 67u: has_a = false; has_g = false; has_t = false; break;
            case 71u: has_a = false; has_c = false; has_t = false; break;
            case 84u: has_a = false; has_c = false; has_g = false; break;
            case 82u: has_c = false; has_t = false; break;
            case 89u: has_a = false; has_g = false; break;
            default: break;
        }
        partial[k][0] = has_a ? 1.0f : 0.0f;
        partial[k][1] = has_c ? 1.0f : 0.0f;
        partial[k][2] = has_g ? 1.0f : 0.0f;
        partial[k][3] = has_t ? 1.0f : 0.0f;
    }
    for (uint k = 0u; k < 15u; k++) {
        uint left = children[k].v[0], right = children[k].v[1];
        for (uint s = 0u; s < 4u; s++) {
            float a = 0.0f, b = 0.0f;
            for (uint t = 0u; t < 4u; t++) {
                a += chances[16u * left + 4u * s + t] * partial[left][t];
                b += chances[16u * right + 4u * s + t] * partial[right][t];
            }
            partial[16u + k][s] = a * b;
        }
    }
    float sum = 0.0f;
    for (int s = 0; s < 4; s++) sum += 0.25f * partial[30][s];
    logarithms[site] = log(sum);
}
";

#[device]
mod options {
    /// The normal distribution's sum (Abramowitz and Stegun, 26.2.17).
    fn normal(x: f32) -> f32 {
        const FACTORS: [f32; 5] = [0.319_381_53, -0.356_563_78, 1.781_477_9, -1.821_255_9, 1.330_274_4];
        let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
        let sum = FACTORS.iter().rev().fold(0.0, |sum, factor| (sum + factor) * t);
        let tail = 0.398_942_28 * (-0.5 * x * x).exp() * sum;
        if x < 0.0 { tail } else { 1.0 - tail }
    }

    #[derive(Clone, Copy)]
    pub(crate) enum Kind {
        Call,
        Put,
    }

    #[derive(Clone, Copy)]
    pub(crate) struct Contract {
        pub(crate) kind: Kind,
        pub(crate) spot: f32,
        pub(crate) strike: f32,
        pub(crate) years: f32,
        pub(crate) rate: f32,
    }

    impl Contract {
        /// The price and how it changes with the volatility (Black and Scholes, 1973).
        fn price(&self, volatility: f32) -> (f32, f32) {
            let root = self.years.sqrt();
            let d1 = ((self.spot / self.strike).ln() + (self.rate + 0.5 * volatility * volatility) * self.years)
                / (volatility * root);
            let d2 = d1 - volatility * root;
            let discounted = self.strike * (-self.rate * self.years).exp();
            let price = match self.kind {
                Kind::Call => self.spot * normal(d1) - discounted * normal(d2),
                Kind::Put => discounted * normal(-d2) - self.spot * normal(-d1),
            };
            (price, self.spot * root * 0.398_942_28 * (-0.5 * d1 * d1).exp())
        }

        /// The volatility of a price, by Newton's method between bounds that halve where it leaves them.
        pub(crate) fn implied(&self, price: f32) -> Option<f32> {
            let (mut low, mut high) = (0.01, 3.0);
            if price < self.price(low).0 || price > self.price(high).0 {
                return None;
            }
            let mut volatility = 0.3;
            for _ in 0..40 {
                let (value, slope) = self.price(volatility);
                let error = value - price;
                if error.abs() < 1e-4 {
                    return Some(volatility);
                }
                if error > 0.0 {
                    high = volatility;
                } else {
                    low = volatility;
                }
                let next = volatility - error / slope;
                volatility = if next > low && next < high { next } else { 0.5 * (low + high) };
            }
            Some(volatility)
        }
    }
}

use options::{Contract, Kind};

/// Volatilities that prices of options imply; not a number where there is none.
#[kernel(workgroup = [128])]
fn implied(rate: f32, terms: &[[f32; 4]], is_put: &[u8], volatilities: &mut [f32]) {
    let i = global_id().x as usize;
    if i >= terms.len() {
        return;
    }
    let [spot, strike, years, price] = terms[i];
    let kind = if is_put[i] != 0 { Kind::Put } else { Kind::Call };
    let contract = Contract { kind, spot, strike, years, rate };
    volatilities[i] = contract.implied(price).unwrap_or(f32::NAN);
}

const IMPLIED: &str = r"
DEVICE float normal(float x) {
    float t = 1.0f / (1.0f + 0.2316419f * abs(x));
    float sum = ((((1.3302744f * t - 1.8212559f) * t + 1.7814779f) * t - 0.35656378f) * t + 0.31938153f) * t;
    float tail = 0.39894228f * exp(-0.5f * x * x) * sum;
    return x < 0.0f ? tail : 1.0f - tail;
}
DEVICE float price_of(bool is_put, float spot, float strike, float years, float rate, float volatility, INOUT(float) slope) {
    float root = sqrt(years);
    float d1 = (log(spot / strike) + (rate + 0.5f * volatility * volatility) * years) / (volatility * root);
    float d2 = d1 - volatility * root;
    float discounted = strike * exp(-rate * years);
    slope = spot * root * 0.39894228f * exp(-0.5f * d1 * d1);
    return is_put ? discounted * normal(-d2) - spot * normal(-d1) : spot * normal(d1) - discounted * normal(d2);
}
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    float spot = terms[i].v[0], strike = terms[i].v[1], years = terms[i].v[2], price = terms[i].v[3];
    bool put = uint(is_put[i]) != 0u;
    float low = 0.01f, high = 3.0f, slope = 0.0f, volatility = 0.3f;
    if (price < price_of(put, spot, strike, years, rate, low, slope)
        || price > price_of(put, spot, strike, years, rate, high, slope)) {
        volatilities[i] = 0.0f / 0.0f;
        return;
    }
    for (int k = 0; k < 40; k++) {
        float error = price_of(put, spot, strike, years, rate, volatility, slope) - price;
        if (abs(error) < 1e-4f) break;
        if (error > 0.0f) high = volatility;
        else low = volatility;
        float next = volatility - error / slope;
        volatility = next > low && next < high ? next : 0.5f * (low + high);
    }
    volatilities[i] = volatility;
}
";

/// The best split of each node by each feature, from sums of gradients and hessians in bins; the first bin has what is missing, which
/// goes to the better side (Chen and Guestrin, "XGBoost", 2016).
#[kernel(workgroup = [128])]
fn splits(bins: u32, lambda: f32, least: f32, sums: &[[f32; 2]], gains: &mut [f32], places: &mut [u32]) {
    let i = global_id().x as usize;
    let Some(own) = sums.chunks_exact(bins as usize).nth(i) else { return };
    let score = |[gradient, hessian]: [f32; 2]| gradient * gradient / (hessian + lambda);
    let total = own.iter().fold([0.0, 0.0], |sum, bin| [sum[0] + bin[0], sum[1] + bin[1]]);
    let missing = own[0];
    let mut best: Option<(f32, usize, bool)> = None;
    let mut left = [0.0, 0.0];
    for (place, bin) in own.iter().enumerate().skip(1) {
        left = [left[0] + bin[0], left[1] + bin[1]];
        for is_left in [false, true] {
            let low = if is_left { [left[0] + missing[0], left[1] + missing[1]] } else { left };
            let high = [total[0] - low[0], total[1] - low[1]];
            if low[1] < least || high[1] < least {
                continue;
            }
            let gain = score(low) + score(high) - score(total);
            if best.is_none_or(|(most, _, _)| gain > most) {
                best = Some((gain, place, is_left));
            }
        }
    }
    (gains[i], places[i]) = match best {
        Some((gain, place, is_left)) => (gain, 2 * place as u32 + u32::from(is_left)),
        None => (0.0, 0),
    };
}

const SPLITS: &str = r"
DEVICE float score(float gradient, float hessian, float lambda) { return gradient * gradient / (hessian + lambda); }
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    float total_g = 0.0f, total_h = 0.0f;
    for (uint k = 0u; k < bins; k++) {
        total_g += sums[i * bins + k].v[0];
        total_h += sums[i * bins + k].v[1];
    }
    float missing_g = sums[i * bins].v[0], missing_h = sums[i * bins].v[1];
    float left_g = 0.0f, left_h = 0.0f, best = 0.0f;
    uint found = 0u;
    for (uint k = 1u; k < bins; k++) {
        left_g += sums[i * bins + k].v[0];
        left_h += sums[i * bins + k].v[1];
        for (uint is_left = 0u; is_left < 2u; is_left++) {
            float low_g = is_left == 1u ? left_g + missing_g : left_g, low_h = is_left == 1u ? left_h + missing_h : left_h;
            float high_g = total_g - low_g, high_h = total_h - low_h;
            if (low_h < least || high_h < least) continue;
            float gain = score(low_g, low_h, lambda) + score(high_g, high_h, lambda) - score(total_g, total_h, lambda);
            if (found == 0u || gain > best) {
                best = gain;
                found = 2u * k + is_left;
            }
        }
    }
    gains[i] = best;
    places[i] = found;
}
";

/// How likely each point is of each part of a mixture of Gaussians with full precisions, by their roots (Bishop, 9.2.2).
#[kernel(workgroup = [128])]
fn mixture(parts: u32, points: &[[f32; 4]], means: &[[f32; 4]], roots: &[f32], weights: &[f32], shares: &mut [f32]) {
    const MOST: usize = 16;
    let i = global_id().x as usize;
    let parts = parts as usize;
    if i >= points.len() || parts > MOST {
        return;
    }
    let point = points[i];
    let mut logarithms = [f32::NEG_INFINITY; MOST];
    for (part, root) in roots.chunks_exact(16).enumerate().take(parts) {
        let mut square = 0.0;
        let mut logarithm = weights[part].ln();
        for row in 0..4 {
            let away: f32 = (0..=row).map(|k| root[4 * row + k] * (point[k] - means[part][k])).sum();
            square += away * away;
            logarithm += root[4 * row + row].ln();
        }
        logarithms[part] = logarithm - 0.5 * square;
    }
    let most = logarithms.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total: f32 = logarithms.iter().map(|logarithm| (logarithm - most).exp()).sum();
    for (share, logarithm) in shares[i * parts..][..parts].iter_mut().zip(&logarithms) {
        *share = (logarithm - most).exp() / total;
    }
}

const MIXTURE: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len || parts > 16u) return;
    f32x4 point = points[i];
    float logarithms[16];
    float most = -1.0f / 0.0f;
    for (uint p = 0u; p < parts; p++) {
        float square = 0.0f, logarithm = log(weights[p]);
        for (uint row = 0u; row < 4u; row++) {
            float away = 0.0f;
            for (uint k = 0u; k <= row; k++) away += roots[16u * p + 4u * row + k] * (point.v[k] - means[p].v[k]);
            square += away * away;
            logarithm += log(roots[16u * p + 5u * row]);
        }
        logarithms[p] = logarithm - 0.5f * square;
        most = max(most, logarithms[p]);
    }
    float total = 0.0f;
    for (uint p = 0u; p < parts; p++) total += exp(logarithms[p] - most);
    for (uint p = 0u; p < parts; p++) shares[i * parts + p] = exp(logarithms[p] - most) / total;
}
";

/// Chances of changes along branches of a tree (Jukes and Cantor, 1969).
fn changes(lengths: &[f32]) -> Vec<f32> {
    let branch = |length: &f32| -> [f32; 16] {
        let other = 0.25 - 0.25 * (-4.0 / 3.0 * (0.02 + 0.3 * length)).exp();
        std::array::from_fn(|at| if at / 4 == at % 4 { 1.0 - 3.0 * other } else { other })
    };
    lengths.iter().flat_map(branch).collect()
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 20 } else { 1 << 12 };
    let (options, splits, bins, parts) = (n / 4, n / 64, 64, 12);
    let letter = |word: u32| b"ACGTACGTACGTACGTACGTACGTACGTRY-N"[(word % 32) as usize];
    let term = |&[a, b, c, d]: &[f32; 4]| [80.0 + 40.0 * a, 90.0 + 20.0 * b, 0.2 + 2.0 * c, 30.0 * d];
    let bin = |&[a, b]: &[f32; 2]| [a - 0.5, 0.1 + b];
    let root = |k: usize, x: f32| if k.is_multiple_of(5) { 1.0 + 4.0 * x } else { 2.0 * x - 1.0 };
    vec![
        Workload::new::<Pruning>("letters along a tree", [n / 4 / 128, 1, 1], PRUNING)
            .value("sites", (n / 4) as u32)
            .read::<[u32; 2]>("children", (0..15).map(|k| [2 * k, 2 * k + 1]).collect())
            .read("chances", changes(&floats(31)))
            .read("letters", words(4 * n).into_iter().map(letter).collect::<Vec<u8>>())
            .write::<f32>("logarithms", n / 4),
        Workload::new::<Implied>("implied volatilities", [options / 128, 1, 1], IMPLIED)
            .peer_value("len", options as u32)
            .value("rate", 0.02)
            .read::<[f32; 4]>("terms", floats(4 * options).as_chunks().0.iter().map(term).collect())
            .read("is_put", words(options).into_iter().map(|word| (word >> 9 & 1) as u8).collect::<Vec<u8>>())
            .write::<f32>("volatilities", options)
            .roughly(0.01),
        Workload::new::<Splits>("splits of boosted trees", [splits.div_ceil(128), 1, 1], SPLITS)
            .peer_value("len", splits as u32)
            .value("bins", bins as u32)
            .value("lambda", 1.0)
            .value("least", 1.0)
            .read::<[f32; 2]>("sums", floats(2 * splits * bins).as_chunks().0.iter().map(bin).collect())
            .write::<f32>("gains", splits)
            .write::<u32>("places", splits)
            .roughly(0.001),
        Workload::new::<Mixture>("shares of a mixture", [n / 4 / 128, 1, 1], MIXTURE)
            .peer_value("len", (n / 4) as u32)
            .value("parts", parts as u32)
            .read::<[f32; 4]>("points", floats(n).as_chunks().0.to_vec())
            .read::<[f32; 4]>("means", floats(4 * parts + 9)[9..].as_chunks().0.to_vec())
            .read(
                "roots",
                floats(16 * parts).into_iter().enumerate().map(|(k, x)| root(k % 16, x)).collect::<Vec<f32>>(),
            )
            .read("weights", vec![1.0 / parts as f32; parts])
            .write::<f32>("shares", n / 4 * parts),
    ]
}
