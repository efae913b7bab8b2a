//! Packets: blocks of AES, sounds of four bits, names by patterns, parity checks.

use gridwise::prelude::*;

use crate::data::{bytes, floats, words};
use crate::workload::Workload;

/// The S-box of AES (FIPS 197, figure 7).
#[device]
const S_BOX: [u8; 256] = s_box();

/// Inverses in the field of 2^8 by powers of 3, and the affine map.
#[device]
const fn s_box() -> [u8; 256] {
    let mut boxes = [0x63; 256];
    let (mut power, mut inverse) = (1u8, 1u8);
    loop {
        power = power ^ (power << 1) ^ if power & 0x80 != 0 { 0x1b } else { 0 };
        inverse ^= inverse << 1;
        inverse ^= inverse << 2;
        inverse ^= inverse << 4;
        if inverse & 0x80 != 0 {
            inverse ^= 0x09;
        }
        let turned =
            inverse ^ inverse.rotate_left(1) ^ inverse.rotate_left(2) ^ inverse.rotate_left(3) ^ inverse.rotate_left(4);
        boxes[power as usize] = turned ^ 0x63;
        if power == 1 {
            return boxes;
        }
    }
}

#[device]
fn doubled(byte: u8) -> u8 {
    (byte << 1) ^ if byte & 0x80 != 0 { 0x1b } else { 0 }
}

/// AES-128 of a counter, as counter mode has it (FIPS 197 and NIST SP 800-38A).
#[kernel(workgroup = [128])]
fn aes(keys: &[[u8; 16]], nonce: &[u8], blocks: &mut [[u8; 16]]) {
    let i = global_id().x as usize;
    if i >= blocks.len() {
        return;
    }
    let mut state = [0u8; 16];
    state[..12].copy_from_slice(&nonce[..12]);
    state[12..].copy_from_slice(&(i as u32).to_be_bytes());
    for (byte, key) in state.iter_mut().zip(&keys[0]) {
        *byte ^= key;
    }
    for round in 1..11 {
        let mut shifted = [0; 16];
        for column in 0..4 {
            for row in 0..4 {
                shifted[4 * column + row] = S_BOX[state[4 * ((column + row) % 4) + row] as usize];
            }
        }
        if round < 10 {
            for column in shifted.chunks_exact_mut(4) {
                let [a, b, c, d] = [column[0], column[1], column[2], column[3]];
                let all = a ^ b ^ c ^ d;
                column[0] = a ^ all ^ doubled(a ^ b);
                column[1] = b ^ all ^ doubled(b ^ c);
                column[2] = c ^ all ^ doubled(c ^ d);
                column[3] = d ^ all ^ doubled(d ^ a);
            }
        }
        state = std::array::from_fn(|k| shifted[k] ^ keys[round][k]);
    }
    blocks[i] = state;
}

const AES: &str = r"
DEVICE uint doubled(uint byte_) {
    return ((byte_ << 1) ^ ((byte_ & 0x80u) != 0u ? 0x1bu : 0u)) & 0xffu;
}
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint state[16];
    for (int k = 0; k < 12; k++) state[k] = uint(nonce[k]);
    for (int k = 0; k < 4; k++) state[12 + k] = i >> (24 - 8 * k) & 0xffu;
    for (int k = 0; k < 16; k++) state[k] ^= uint(keys[0].v[k]);
    for (int round = 1; round < 11; round++) {
        uint shifted[16];
        for (int column = 0; column < 4; column++) {
            for (int row = 0; row < 4; row++) {
                shifted[4 * column + row] = S_BOX[state[4 * ((column + row) % 4) + row]];
            }
        }
        if (round < 10) {
            for (int c = 0; c < 16; c += 4) {
                uint p = shifted[c], q = shifted[c + 1], r = shifted[c + 2], s = shifted[c + 3];
                uint all = p ^ q ^ r ^ s;
                shifted[c] = p ^ all ^ doubled(p ^ q);
                shifted[c + 1] = q ^ all ^ doubled(q ^ r);
                shifted[c + 2] = r ^ all ^ doubled(r ^ s);
                shifted[c + 3] = s ^ all ^ doubled(s ^ p);
            }
        }
        for (int k = 0; k < 16; k++) state[k] = shifted[k] ^ uint(keys[round].v[k]);
    }
    for (int k = 0; k < 16; k++) blocks[i].v[k] = uint8_t(state[k]);
}
";

#[device]
const STEPS: [i32; 89] = [
    7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107,
    118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876, 963,
    1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894,
    6484, 7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794,
    32767,
];

/// Samples of four bits each, by steps that follow the signal (IMA ADPCM).
#[kernel(workgroup = [64])]
fn adpcm(packed: &[u8], samples: &mut [i16]) {
    const TURNS: [i32; 8] = [-1, -1, -1, -1, 2, 4, 6, 8];
    let i = global_id().x as usize;
    let Some(block) = packed.chunks_exact(64).nth(i) else { return };
    let Some(sound) = samples.chunks_exact_mut(128).nth(i) else { return };
    let (mut level, mut index) = (0i32, 0i32);
    for (pair, byte) in sound.chunks_exact_mut(2).zip(block) {
        for (sample, code) in pair.iter_mut().zip([byte & 15, byte >> 4]) {
            let step = STEPS[index as usize];
            let mut change = step >> 3;
            if code & 4 != 0 {
                change += step;
            }
            if code & 2 != 0 {
                change += step >> 1;
            }
            if code & 1 != 0 {
                change += step >> 2;
            }
            level += if code & 8 != 0 { -change } else { change };
            level = level.clamp(i32::from(i16::MIN), i32::from(i16::MAX));
            index = (index + TURNS[usize::from(code & 7)]).clamp(0, 88);
            *sample = level as i16;
        }
    }
}

const ADPCM: &str = r"
TABLE int TURNS[8] = TURNS_OF;
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    int level = 0, index = 0;
    for (uint k = 0u; k < 128u; k++) {
        uint code = uint(packed[64u * i + k / 2u]) >> (k % 2u * 4u) & 15u;
        int step_ = STEPS[index];
        int change = step_ >> 3;
        if ((code & 4u) != 0u) change += step_;
        if ((code & 2u) != 0u) change += step_ >> 1;
        if ((code & 1u) != 0u) change += step_ >> 2;
        level += (code & 8u) != 0u ? -change : change;
        level = min(max(level, -32768), 32767);
        index = min(max(index + TURNS[code & 7u], 0), 88);
        samples[128u * i + k] = int16_t(level);
    }
}
";

/// Whether each name fits a pattern with `*` and `?`.
#[kernel(workgroup = [256])]
fn patterns(starts: &[u32], text: &[u8], pattern: &[u8], fits: &mut [u32]) {
    let i = global_id().x as usize;
    if i >= fits.len() {
        return;
    }
    let name = &text[starts[i] as usize..starts[i + 1] as usize];
    let (mut at, mut wanted) = (0, 0);
    let mut star = None;
    fits[i] = loop {
        if at == name.len() {
            break pattern[wanted..].iter().all(|&letter| letter == b'*') as u32;
        }
        match pattern.get(wanted) {
            Some(b'*') => {
                star = Some((wanted, at));
                wanted += 1;
            }
            Some(&letter) if letter == b'?' || letter == name[at] => {
                at += 1;
                wanted += 1;
            }
            _ => match &mut star {
                Some((place, from)) => {
                    *from += 1;
                    at = *from;
                    wanted = *place + 1;
                }
                None => break 0,
            },
        }
    };
}

const PATTERNS: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint at = starts[i], end = starts[i + 1u];
    uint wanted = 0u, star = 0xffffffffu, from = 0u;
    uint fit = 2u;
    while (fit == 2u) {
        if (at == end) {
            while (wanted < pattern_len && uint(pattern[wanted]) == 42u) wanted++;
            fit = wanted == pattern_len ? 1u : 0u;
        } else if (wanted < pattern_len && uint(pattern[wanted]) == 42u) {
            star = wanted;
            from = at;
            wanted++;
        } else if (wanted < pattern_len && (uint(pattern[wanted]) == 63u || pattern[wanted] == text[at])) {
            at++;
            wanted++;
        } else if (star != 0xffffffffu) {
            from++;
            at = from;
            wanted = star + 1u;
        } else {
            fit = 0u;
        }
    }
    fits[i] = fit;
}
";

/// One step of the checks of a low-density parity-check code: the least magnitude of all others, with the sign of their product.
#[kernel(workgroup = [128])]
fn parity_checks(starts: &[u32], messages: &[f32], answers: &mut [f32]) {
    let i = global_id().x as usize;
    if i + 1 >= starts.len() {
        return;
    }
    let edges = starts[i] as usize..starts[i + 1] as usize;
    let (mut least, mut next, mut place, mut is_negative) = (f32::INFINITY, f32::INFINITY, 0, false);
    for edge in edges.clone() {
        let magnitude = messages[edge].abs();
        is_negative ^= messages[edge] < 0.0;
        if magnitude < least {
            (next, least, place) = (least, magnitude, edge);
        } else if magnitude < next {
            next = magnitude;
        }
    }
    for edge in edges {
        let magnitude = 0.75 * if edge == place { next } else { least };
        // SAFETY: no edge is of two checks.
        unsafe {
            answers.unordered()[edge] = if is_negative ^ (messages[edge] < 0.0) { -magnitude } else { magnitude }
        };
    }
}

const PARITY_CHECKS: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= checks) return;
    uint start = starts[i], end = starts[i + 1u];
    float least = 1.0f / 0.0f, next = 1.0f / 0.0f;
    uint place = 0u;
    bool is_negative = false;
    for (uint edge = start; edge < end; edge++) {
        float message = messages[edge];
        float magnitude = abs(message);
        if (message < 0.0f) is_negative = !is_negative;
        if (magnitude < least) {
            next = least;
            least = magnitude;
            place = edge;
        } else if (magnitude < next) {
            next = magnitude;
        }
    }
    for (uint edge = start; edge < end; edge++) {
        float magnitude = 0.75f * (edge == place ? next : least);
        answers[edge] = is_negative != (messages[edge] < 0.0f) ? -magnitude : magnitude;
    }
}
";

/// The tables of constants, as the peers' text has them.
fn table(ty: &str, name: &str, values: impl Iterator<Item = i32> + Clone) -> String {
    let list = values.clone().map(|value| value.to_string()).collect::<Vec<_>>().join(", ");
    let len = values.count();
    format!(
        "#ifdef __CUDACC__\nTABLE {ty} {name}[{len}] = {{ {list} }};\n#else\nTABLE {ty} {name}[{len}] = {ty}[{len}]({list});\n#endif\n"
    )
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 20 } else { 1 << 12 };
    let boxes: &'static str = table("uint", "S_BOX", S_BOX.iter().map(|&byte| i32::from(byte))).leak();
    let steps: &'static str = format!(
        "{}#ifdef __CUDACC__\n#define TURNS_OF {{ -1, -1, -1, -1, 2, 4, 6, 8 }}\n#else\n#define TURNS_OF int[8](-1, -1, -1, -1, 2, 4, 6, 8)\n#endif\n",
        table("int", "STEPS", STEPS.iter().copied())
    )
    .leak();
    let (mut starts, mut text) = (vec![0], Vec::new());
    for word in words(n) {
        let len = 4 + word % 20;
        text.extend((0..len).map(|k| b"abcdefg."[(word.rotate_left(3 * k) & 7) as usize]));
        starts.push(text.len() as u32);
    }
    let degrees = words(n / 8).into_iter().map(|word| 5 + word % 4);
    let edges: Vec<u32> = std::iter::once(0)
        .chain(degrees.scan(0, |sum, degree| {
            *sum += degree;
            Some(*sum)
        }))
        .collect();
    let messages: Vec<f32> = floats(edges[n / 8] as usize).into_iter().map(|x| 8.0 * x - 3.0).collect();
    vec![
        Workload::new::<Aes>("blocks of AES", [n / 128, 1, 1], AES)
            .with_helper(boxes)
            .peer_value("len", n as u32)
            .read::<[u8; 16]>("keys", bytes(176).as_chunks().0.to_vec())
            .read("nonce", bytes(12))
            .write::<[u8; 16]>("blocks", n),
        Workload::new::<Adpcm>("sounds of four bits", [n / 16 / 64, 1, 1], ADPCM)
            .with_helper(steps)
            .peer_value("len", (n / 16) as u32)
            .read("packed", bytes(4 * n))
            .write::<i16>("samples", 8 * n),
        Workload::new::<Patterns>("names by patterns", [n / 256, 1, 1], PATTERNS)
            .peer_value("len", n as u32)
            .peer_value("pattern_len", 9)
            .read("starts", starts)
            .read("text", text)
            .read("pattern", b"*ab?*c*.d".to_vec())
            .write::<u32>("fits", n),
        Workload::new::<ParityChecks>("parity checks", [(n / 8).div_ceil(128), 1, 1], PARITY_CHECKS)
            .peer_value("checks", (n / 8) as u32)
            .read("starts", edges.clone())
            .read("messages", messages)
            .write::<f32>("answers", edges[n / 8] as usize),
    ]
}
