//! Texts: words by rolling hashes, lengths of matches, prefix codes, times, decimal numbers, k-mers, alignments.

use std::sync::atomic::Ordering;

use gridwise::prelude::*;

use crate::data::words;
use crate::workload::Workload;

#[device]
mod rolling {
    const BASE: u32 = 257;

    /// The hashes of all windows of a text, each made of the one before it.
    pub(crate) struct Rolling<'a> {
        text: &'a [u8],
        len: usize,
        end: usize,
        hash: u32,
        power: u32,
    }

    impl<'a> Rolling<'a> {
        pub(crate) fn new(text: &'a [u8], len: usize) -> Self {
            let hash =
                text[..len].iter().fold(0, |hash: u32, &byte| hash.wrapping_mul(BASE).wrapping_add(u32::from(byte)));
            Self { text, len, end: len, hash, power: BASE.wrapping_pow(len as u32) }
        }
    }

    impl Rolling<'_> {
        pub(crate) fn next(&mut self) -> Option<u32> {
            if self.end > self.text.len() {
                return None;
            }
            let hash = self.hash;
            if let Some(&next) = self.text.get(self.end) {
                let last = u32::from(self.text[self.end - self.len]).wrapping_mul(self.power);
                self.hash = hash.wrapping_mul(BASE).wrapping_add(u32::from(next)).wrapping_sub(last);
            }
            self.end += 1;
            Some(hash)
        }
    }
}

use rolling::Rolling;

/// Counts a word in parts of a text (Rabin and Karp).
#[kernel(workgroup = [128])]
fn words_by_hash(size: u32, text: &[u8], word: &[u8], counts: &mut [u32]) {
    let i = global_id().x as usize;
    if i >= counts.len() {
        return;
    }
    let start = i * size as usize;
    let end = (start + size as usize + word.len() - 1).min(text.len());
    let part = &text[start..end];
    let wanted = Rolling::new(word, word.len()).next();
    let mut hashes = Rolling::new(part, word.len());
    let same = part.windows(word.len()).filter(|window| hashes.next() == wanted && *window == word);
    counts[i] = same.count() as u32;
}

const WORDS_BY_HASH: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint wanted = 0u, power = 1u;
    for (uint k = 0u; k < word_len; k++) { wanted = wanted * 257u + uint(word[k]); power *= 257u; }
    uint start = i * size, end = min(start + size + word_len - 1u, text_len);
    uint hash = 0u;
    for (uint k = 0u; k < word_len; k++) hash = hash * 257u + uint(text[start + k]);
    uint count = 0u;
    for (uint at = start + word_len; at <= end; at++) {
        if (hash == wanted) {
            bool is_same = true;
            for (uint k = 0u; k < word_len; k++) {
                if (uint(text[at - word_len + k]) != uint(word[k])) { is_same = false; break; }
            }
            if (is_same) count++;
        }
        if (at < end) hash = hash * 257u + uint(text[at]) - uint(text[at - word_len]) * power;
    }
    counts[i] = count;
}
";

#[device]
const LONGEST: usize = 128;

/// The lengths of the matches that a compressor finds at candidates.
#[kernel(workgroup = [256])]
fn match_lengths(data: &[u8], candidates: &[u32], lengths: &mut [u32]) {
    let i = global_id().x as usize;
    let Some(&candidate) = candidates.get(i) else { return };
    let (earlier, here) = (&data[candidate as usize..], &data[i..]);
    let same = here.iter().zip(earlier).take(LONGEST).take_while(|(a, b)| a == b);
    lengths[i] = same.count() as u32;
}

const MATCH_LENGTHS: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint candidate = candidates[i];
    uint most = min(min(len - i, len - candidate), 128u);
    uint n = 0u;
    while (n < most && uint(data[i + n]) == uint(data[candidate + n])) n++;
    lengths[i] = n;
}
";

#[device]
mod bits {
    /// Words that are read bit by bit, from the lowest one.
    pub(crate) struct BitReader<'a> {
        words: &'a [u32],
        at: usize,
    }

    impl<'a> BitReader<'a> {
        pub(crate) fn new(words: &'a [u32], at: usize) -> Self {
            Self { words, at }
        }

        pub(crate) fn peek(&self, count: u32) -> u32 {
            let (word, shift) = (self.at / 32, self.at % 32);
            let low = u64::from(self.words[word]);
            let high = u64::from(self.words.get(word + 1).copied().unwrap_or(0));
            ((high << 32 | low) >> shift) as u32 & ((1 << count) - 1)
        }

        pub(crate) fn skip(&mut self, count: usize) {
            self.at += count;
        }
    }
}

use bits::BitReader;

/// Decodes blocks of 64 symbols, whose codes have up to 6 bits; an entry of the table is a symbol and the length of its code.
#[kernel(workgroup = [128])]
fn prefix_codes(table: &[u16], starts: &[u32], codes: &[u32], symbols: &mut [u8]) {
    let i = global_id().x as usize;
    if i >= starts.len() {
        return;
    }
    let mut bits = BitReader::new(codes, starts[i] as usize);
    for symbol in &mut symbols[64 * i..64 * (i + 1)] {
        let entry = table[bits.peek(6) as usize];
        *symbol = entry as u8;
        bits.skip(usize::from(entry >> 8));
    }
}

const PREFIX_CODES: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint at = starts[i];
    for (uint k = 0u; k < 64u; k++) {
        uint word = at / 32u, shift = at % 32u;
        uint64_t low = uint64_t(codes[word]);
        uint64_t high = word + 1u < codes_len ? uint64_t(codes[word + 1u]) : uint64_t(0);
        uint entry = uint(table[uint((high << 32 | low) >> shift) & 63u]);
        symbols[64u * i + k] = uint8_t(entry & 255u);
        at += entry >> 8;
    }
}
";

#[device]
fn digits(text: &[u8]) -> Option<u32> {
    text.iter().try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0')))
}

/// Seconds since 1970 at a time such as `2026-11-28T19:30:00` (days by Howard Hinnant's algorithm).
#[device]
fn seconds(text: &[u8]) -> Option<i64> {
    let (date, time) = (text.get(..10)?, text.get(11..19)?);
    let (year, month, day) = (digits(&date[..4])?, digits(&date[5..7])?, digits(&date[8..])?);
    let (hour, minute, second) = (digits(&time[..2])?, digits(&time[3..5])?, digits(&time[6..])?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = i64::from(year) - i64::from(month <= 2);
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = i64::from((153 * ((month + 9) % 12) + 2) / 5 + day - 1);
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    Some(days * 86_400 + i64::from(hour * 3600 + minute * 60 + second))
}

/// The times in lines of 20 bytes; the least number where a line has none.
#[kernel(workgroup = [128])]
fn times(lines: &[u8], times: &mut [i64]) {
    let i = global_id().x as usize;
    if let Some(line) = lines.chunks_exact(20).nth(i) {
        times[i] = seconds(line).unwrap_or(i64::MIN);
    }
}

const TIMES: &str = r"
#define DIGITS(name, first, count) \
    uint name = 0u; \
    for (uint k = first; k < first + count; k++) { \
        uint b = uint(lines[20u * i + k]); \
        if (b < 48u || b > 57u) is_wrong = true; \
        name = name * 10u + (b - 48u); \
    }
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    bool is_wrong = false;
    DIGITS(years, 0u, 4u)
    DIGITS(month, 5u, 2u)
    DIGITS(day, 8u, 2u)
    DIGITS(hour, 11u, 2u)
    DIGITS(minute, 14u, 2u)
    DIGITS(second, 17u, 2u)
    if (is_wrong || month < 1u || month > 12u || day < 1u || day > 31u) {
        times[i] = int64_t(1) << 63;
        return;
    }
    int64_t year = int64_t(years) - int64_t(month <= 2u ? 1 : 0);
    int64_t era = (year >= int64_t(0) ? year : year - int64_t(399)) / int64_t(400);
    int64_t of_era = year - era * int64_t(400);
    int64_t of_year = int64_t((153u * ((month + 9u) % 12u) + 2u) / 5u + day - 1u);
    int64_t days = era * int64_t(146097) + of_era * int64_t(365) + of_era / int64_t(4) - of_era / int64_t(100)
        + of_year - int64_t(719468);
    times[i] = days * int64_t(86400) + int64_t(hour * 3600u + minute * 60u + second);
}
";

#[device]
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

#[device]
#[derive(Clone, Copy)]
enum Part {
    Whole,
    Fraction,
    Exponent { is_negative: bool, value: u32 },
}

/// A decimal number such as `-12.5e-3`.
#[device]
fn decimal(text: &[u8]) -> Option<f64> {
    let (is_negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let mut part = Part::Whole;
    let (mut mantissa, mut places) = (0u64, 0);
    for &byte in text {
        part = match (part, byte) {
            (Part::Whole, b'0'..=b'9') => {
                mantissa = mantissa * 10 + u64::from(byte - b'0');
                part
            }
            (Part::Whole, b'.') => Part::Fraction,
            (Part::Fraction, b'0'..=b'9') => {
                mantissa = mantissa * 10 + u64::from(byte - b'0');
                places += 1;
                part
            }
            (Part::Whole | Part::Fraction, b'e') => Part::Exponent { is_negative: false, value: 0 },
            (Part::Exponent { value: 0, .. }, b'-') => Part::Exponent { is_negative: true, value: 0 },
            (Part::Exponent { is_negative, value }, b'0'..=b'9') => {
                Part::Exponent { is_negative, value: value * 10 + u32::from(byte - b'0') }
            }
            _ => return None,
        };
    }
    let exponent = match part {
        Part::Exponent { is_negative: true, value } => -(value as i32),
        Part::Exponent { value, .. } => value as i32,
        _ => 0,
    } - places;
    let power = *POWERS.get(exponent.unsigned_abs() as usize)?;
    let value = if exponent < 0 { mantissa as f64 / power } else { mantissa as f64 * power };
    Some(if is_negative { -value } else { value })
}

/// Decimal numbers between given places of a text.
#[kernel(workgroup = [128])]
fn decimals(text: &[u8], starts: &[u32], values: &mut [f64]) {
    let i = global_id().x as usize;
    if i < values.len() {
        let (start, end) = (starts[i] as usize, starts[i + 1] as usize);
        values[i] = decimal(&text[start..end]).unwrap_or(f64::NAN);
    }
}

const DECIMALS: &str = r"
#define LARGE(x) (DOUBLE(1e10) * DOUBLE(x))
TABLE double POWERS[23] = {
    DOUBLE(1e0), DOUBLE(1e1), DOUBLE(1e2), DOUBLE(1e3), DOUBLE(1e4), DOUBLE(1e5), DOUBLE(1e6), DOUBLE(1e7),
    DOUBLE(1e8), DOUBLE(1e9), DOUBLE(1e10), LARGE(1e1), LARGE(1e2), LARGE(1e3), LARGE(1e4), LARGE(1e5), LARGE(1e6),
    LARGE(1e7), LARGE(1e8), LARGE(1e9), LARGE(1e10), LARGE(1e10) * DOUBLE(1e1), LARGE(1e10) * DOUBLE(1e2)
};
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint at = starts[i], end = starts[i + 1u];
    bool is_negative = at < end && uint(text[at]) == 45u;
    if (is_negative) at++;
    int part = 0;
    bool is_small = false, is_wrong = false;
    uint64_t mantissa = uint64_t(0);
    int places = 0;
    uint digits = 0u;
    for (; at < end; at++) {
        uint b = uint(text[at]);
        bool is_digit = b >= 48u && b <= 57u;
        if (part < 2 && is_digit) {
            mantissa = mantissa * uint64_t(10) + uint64_t(b - 48u);
            places += part;
        } else if (part == 0 && b == 46u) part = 1;
        else if (part < 2 && b == 101u) part = 2;
        else if (part == 2 && b == 45u && digits == 0u) is_small = true;
        else if (part == 2 && is_digit) digits = digits * 10u + (b - 48u);
        else { is_wrong = true; break; }
    }
    int exponent = (is_small ? -int(digits) : int(digits)) - places;
    uint size = uint(exponent < 0 ? -exponent : exponent);
    double value = DOUBLE(0.0) / DOUBLE(0.0);
    if (!is_wrong && size < 23u) {
        value = exponent < 0 ? double(mantissa) / POWERS[size] : double(mantissa) * POWERS[size];
        if (is_negative) value = -value;
    }
    values[i] = value;
}
";

/// Counts the k-mers of reads with 128 letters and those of their other strands, by a hash of both.
#[kernel(workgroup = [128])]
fn kmers(k: u32, reads: &[u8], counts: &[Atomic<u32>]) {
    let Some(read) = reads.chunks_exact(128).nth(global_id().x as usize) else { return };
    let mask = (1u64 << (2 * k)) - 1;
    let (mut forward, mut backward, mut len) = (0u64, 0u64, 0);
    for letter in read {
        let Some(code) = b"ACGT".iter().position(|known| known == letter) else {
            len = 0;
            continue;
        };
        forward = (forward << 2 | code as u64) & mask;
        backward = backward >> 2 | (3 - code as u64) << (2 * (k - 1));
        len += 1;
        if len >= k {
            let hash = forward.min(backward).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
            counts[hash as usize % counts.len()].fetch_add(1, Ordering::Relaxed);
        }
    }
}

const KMERS: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    if (i >= len) return;
    uint64_t mask = (uint64_t(1) << (2u * k)) - uint64_t(1);
    uint64_t ahead = uint64_t(0), behind = uint64_t(0);
    uint known = 0u;
    for (uint at = 0u; at < 128u; at++) {
        uint letter = uint(reads[128u * i + at]);
        uint code = letter == 65u ? 0u : letter == 67u ? 1u : letter == 71u ? 2u : letter == 84u ? 3u : 4u;
        if (code == 4u) { known = 0u; continue; }
        ahead = (ahead << 2 | uint64_t(code)) & mask;
        behind = behind >> 2 | uint64_t(3u - code) << (2u * (k - 1u));
        known++;
        if (known >= k) {
            uint64_t least = ahead < behind ? ahead : behind;
            uint hash = uint((least * (uint64_t(0x9e3779b9u) << 32 | uint64_t(0x7f4a7c15u))) >> 32);
            ATOMIC_ADD(counts[hash % slots], 1u);
        }
    }
}
";

/// The best local alignment of each pair of sequences (Smith and Waterman): an invocation has a column, diagonals go one by one.
#[kernel(workgroup = 128)]
fn alignments(rows: u32, columns: &[u8], lines: &[u8], scores: &[Atomic<i32>]) {
    let mut border = Shared::<[i32; 129]>::new();
    let column = local_id().x as usize;
    let pair = workgroup_id().x as usize;
    let rows = rows as usize;
    let letter = columns[pair * 128 + column];
    let line = &lines[pair * rows..(pair + 1) * rows];
    border[column + 1] = 0;
    if column == 0 {
        border[0] = 0;
    }
    barrier();
    let (mut corner, mut above, mut best) = (0i32, 0, 0i32);
    for diagonal in 0..rows + 127 {
        let left = border[column];
        barrier();
        if let Some(row) = diagonal.checked_sub(column)
            && row < rows
        {
            let change = if line[row] == letter { 2 } else { -1 };
            above = (corner + change).max(above - 2).max(left - 2).max(0);
            best = best.max(above);
            corner = left;
            border[column + 1] = above;
        }
        barrier();
    }
    scores[pair].fetch_max(best, Ordering::Relaxed);
}

const ALIGNMENTS: &str = r"
SHARED int border[129];
KERNEL {
    uint column = LOCAL_X, pair = GROUP_X;
    uint letter = uint(columns[pair * 128u + column]);
    border[column + 1u] = 0;
    if (column == 0u) border[0] = 0;
    BARRIER;
    int corner = 0, above = 0, best = 0;
    for (uint diagonal = 0u; diagonal < rows + 127u; diagonal++) {
        int left = border[column];
        BARRIER;
        if (diagonal >= column && diagonal - column < rows) {
            int change = uint(lines[pair * rows + (diagonal - column)]) == letter ? 2 : -1;
            above = max(max(corner + change, above - 2), max(left - 2, 0));
            best = max(best, above);
            corner = left;
            border[column + 1u] = above;
        }
        BARRIER;
    }
    ATOMIC_MAX(scores[pair], best);
}
";

/// Letters of which most stand in copies of earlier parts, and for each place an earlier one to look at.
fn copies(len: usize) -> (Vec<u8>, Vec<u32>) {
    let mut data: Vec<u8> = Vec::with_capacity(len);
    let mut candidates = Vec::with_capacity(len);
    for pair in words(2 * len).chunks_exact(2) {
        let (size, from) = (4 + pair[0] as usize % 60, pair[1] as usize);
        let start = data.len();
        if pair[0] % 4 == 0 || start < 64 {
            data.extend(pair[1].to_le_bytes().map(|byte| b'a' + byte % 16));
            candidates.resize(data.len(), (start / 2) as u32);
        } else {
            let from = from % (start - 63);
            data.extend_from_within(from..from + size);
            candidates.extend((from..from + size).map(|at| at as u32));
        }
        if data.len() >= len {
            break;
        }
    }
    data.truncate(len);
    candidates.truncate(len);
    (data, candidates)
}

/// Blocks of 64 symbols in a prefix code with lengths of 3, 5 and 6 bits: its table, where blocks start, the code.
fn coded(blocks: usize) -> (Vec<u16>, Vec<u32>, Vec<u32>) {
    let lens: Vec<u32> = [(4, 3), (8, 5), (16, 6)].iter().flat_map(|&(count, len)| vec![len; count]).collect();
    let mut next = 0u32;
    let codes: Vec<u32> = lens
        .iter()
        .map(|&len| {
            let code = (next >> (6 - len)).reverse_bits() >> (32 - len);
            next += 1 << (6 - len);
            code
        })
        .collect();
    let mut table = vec![0u16; 64];
    for (symbol, (&len, &code)) in lens.iter().zip(&codes).enumerate() {
        for high in 0..1 << (6 - len) {
            table[(code | high << len) as usize] = (len as u16) << 8 | symbol as u16;
        }
    }
    let (mut starts, mut bits) = (Vec::new(), Vec::new());
    let mut at = 0u32;
    for (i, entry) in words(64 * blocks).into_iter().map(|word| word as usize % 64).enumerate() {
        if i % 64 == 0 {
            starts.push(at);
        }
        let symbol = usize::from(table[entry] & 255);
        bits.resize(at as usize / 32 + 2, 0u32);
        let code = u64::from(codes[symbol]) << (at % 32);
        bits[at as usize / 32] |= code as u32;
        bits[at as usize / 32 + 1] |= (code >> 32) as u32;
        at += lens[symbol];
    }
    (table, starts, bits)
}

/// Times in lines of 20 bytes, of which some are none.
fn clock(lines: usize) -> Vec<u8> {
    let mut text = Vec::with_capacity(20 * lines);
    for word in words(lines) {
        let (year, month, day) = (1900 + word % 200, 1 + word / 200 % 12, 1 + word / 2400 % 28);
        let (hour, minute, second) = (word % 24, word / 24 % 60, word / 1440 % 60);
        let separator = if word % 64 == 5 { 'x' } else { '0' };
        text.extend(
            format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{separator}{}\n", second % 10).into_bytes(),
        );
    }
    text
}

/// Decimal numbers one behind the other, of which some are none.
fn numbers(count: usize) -> (Vec<u8>, Vec<u32>) {
    let (mut text, mut starts) = (Vec::new(), vec![0u32]);
    for word in words(count) {
        let sign = if word % 3 == 0 { "-" } else { "" };
        let (whole, fraction, exponent) = (word % 10_000, word / 7 % 100_000, word / 11 % 9);
        let number = match word % 5 {
            0 => format!("{sign}{whole}"),
            1 | 2 => format!("{sign}{whole}.{fraction}"),
            3 => format!("{sign}{whole}.{fraction}e-{exponent}"),
            _ if word % 50 == 4 => "null".to_owned(),
            _ => format!("{sign}{whole}e{exponent}"),
        };
        text.extend(number.into_bytes());
        starts.push(text.len() as u32);
    }
    (text, starts)
}

fn letters(len: usize, seed: usize) -> Vec<u8> {
    words(len + seed)[seed..].iter().map(|word| b"ACGT"[*word as usize % 4]).collect()
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let n = if large { 1 << 20 } else { 1 << 10 };
    let (data, candidates) = copies(4 * n);
    let (table, starts, codes) = coded(n / 4);
    let (text, places) = numbers(2 * n);
    let pairs = if large { 4096 } else { 16 };
    let mut reads = letters(128 * (n / 16).max(128), 0);
    reads.iter_mut().step_by(1000).for_each(|letter| *letter = b'N');
    vec![
        Workload::new::<WordsByHash>("words by rolling hashes", [n / 4 / 128, 1, 1], WORDS_BY_HASH)
            .value("size", 64)
            .peer_value("len", n as u32 / 4)
            .peer_value("text_len", 16 * n as u32)
            .peer_value("word_len", 6)
            .read("text", letters(16 * n, 1))
            .read("word", letters(16 * n, 1)[500..506].to_vec())
            .write::<u32>("counts", n / 4),
        Workload::new::<MatchLengths>("lengths of matches", [4 * n / 256, 1, 1], MATCH_LENGTHS)
            .peer_value("len", 4 * n as u32)
            .read("data", data)
            .read("candidates", candidates)
            .write::<u32>("lengths", 4 * n),
        Workload::new::<PrefixCodes>("prefix codes", [n / 4 / 128, 1, 1], PREFIX_CODES)
            .peer_value("len", n as u32 / 4)
            .peer_value("codes_len", codes.len() as u32)
            .read("table", table)
            .read("starts", starts)
            .read("codes", codes)
            .write::<u8>("symbols", 16 * n),
        Workload::new::<Times>("times in lines", [2 * n / 128, 1, 1], TIMES)
            .peer_value("len", 2 * n as u32)
            .read("lines", clock(2 * n))
            .write::<i64>("times", 2 * n),
        Workload::new::<Decimals>("decimal numbers", [2 * n / 128, 1, 1], DECIMALS)
            .peer_value("len", 2 * n as u32)
            .read("text", text)
            .read("starts", places)
            .write::<f64>("values", 2 * n),
        Workload::new::<Kmers>("k-mers of reads", [reads.len() / 128 / 128, 1, 1], KMERS)
            .value("k", 21)
            .peer_value("len", reads.len() as u32 / 128)
            .peer_value("slots", 1 << 20)
            .read("reads", reads)
            .write::<u32>("counts", 1 << 20),
        Workload::new::<Alignments>("local alignments", [pairs, 1, 1], ALIGNMENTS)
            .value("rows", 256)
            .read("columns", letters(128 * pairs, 3))
            .read("lines", letters(256 * pairs, 9))
            .write::<i32>("scores", pairs),
    ]
}
