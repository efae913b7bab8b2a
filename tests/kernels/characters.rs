//! `char`: from numbers and bytes, in patterns, structs, options, arrays and consts, and its methods, at the edges of every range.

use gridwise::prelude::*;

use super::case;
use crate::case::{Case, Output};

pub(super) const CASES: &[Case] = &[
    case!("characters::classes", [CharClasses], classes_run, classes_expected),
    case!("characters::digits", [CharDigits], digits_run, digits_expected),
    case!("characters::words", [CharWords], words_run, words_expected),
    case!("characters::held", [HeldChars], held_run, held_expected),
];

/// The characters around which something changes, numbers that are none, and all of ASCII.
fn numbers() -> Vec<u32> {
    let edges = [
        0x80,
        0x85,
        0x9f,
        0xa0,
        0xb5,
        0xdf,
        0xe9,
        0xff,
        0x130,
        0x7ff,
        0x800,
        0x1680,
        0x1681,
        0x180e,
        0x2000,
        0x200a,
        0x200b,
        0x2028,
        0x2029,
        0x202f,
        0x205f,
        0x3000,
        0xd7ff,
        0xd800,
        0xdbff,
        0xdfff,
        0xe000,
        0xfeff,
        0xfffd,
        0xffff,
        0x1_0000,
        0x1_f600,
        0x10_ffff,
        0x11_0000,
        0x7fff_ffff,
        0x8000_0000,
        u32::MAX,
    ];
    (0..128).chain(edges).collect()
}

fn upload_and_run(
    mgr: &Manager,
    x: &[u32],
    columns: usize,
    dispatch: impl FnOnce(&Sequence, Grid, &Tensor<u32>, &mut Tensor<u32>) -> gridwise::Result<()>,
) -> gridwise::Result<Vec<Output>> {
    let (x_tensor, mut out) = (mgr.tensor(x)?, mgr.tensor(&vec![0u32; x.len() * columns])?);
    let seq = mgr.sequence()?;
    dispatch(&seq, Grid::items(x.len() as u32), &x_tensor, &mut out)?;
    seq.eval()?;
    Ok(vec![Output::U32(out.to_vec()?)])
}

const CLASS_COLUMNS: usize = 8;

/// A bit for each class of a character.
#[device]
fn classes_of(c: char) -> u32 {
    c.is_ascii() as u32
        | (c.is_ascii_digit() as u32) << 1
        | (c.is_ascii_hexdigit() as u32) << 2
        | (c.is_ascii_alphabetic() as u32) << 3
        | (c.is_ascii_alphanumeric() as u32) << 4
        | (c.is_ascii_uppercase() as u32) << 5
        | (c.is_ascii_lowercase() as u32) << 6
        | (c.is_ascii_whitespace() as u32) << 7
        | (c.is_ascii_punctuation() as u32) << 8
        | (c.is_ascii_graphic() as u32) << 9
        | (c.is_ascii_control() as u32) << 10
        | (c.is_control() as u32) << 11
        | (c.is_whitespace() as u32) << 12
}

#[kernel(workgroup = 32)]
fn char_classes(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let o = i * 8;
    let Some(c) = char::from_u32(x[i]) else {
        out[o] = 0xffff_ffff;
        return;
    };
    out[o] = classes_of(c);
    out[o + 1] = c as u32;
    out[o + 2] = c as u8 as u32;
    out[o + 3] = c.to_ascii_uppercase() as u32;
    out[o + 4] = c.to_ascii_lowercase() as u32;
    out[o + 5] = (c.len_utf8() * 4 + c.len_utf16()) as u32;
    out[o + 6] = c.eq_ignore_ascii_case(&'k') as u32 | (c.eq_ignore_ascii_case(&'[') as u32) << 1;
    out[o + 7] = match c {
        '\0' => 1,
        'a' | 'e' | 'i' | 'o' | 'u' => 2,
        'b'..='z' => 3,
        'A'..'N' => 4,
        'é' => 5,
        '\u{1f600}'.. => 6,
        '0'..='9' if c != '7' => 7,
        _ => 8,
    };
}

fn classes_run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    upload_and_run(mgr, &numbers(), CLASS_COLUMNS, |seq, grid, x, out| {
        CharClasses::dispatch(seq, grid, x, out).map(drop)
    })
}

fn classes_expected() -> Vec<Output> {
    let row = |number: u32| {
        let mut row = [0u32; CLASS_COLUMNS];
        let Some(c) = char::from_u32(number) else {
            row[0] = u32::MAX;
            return row;
        };
        let tests = [
            c.is_ascii(),
            c.is_ascii_digit(),
            c.is_ascii_hexdigit(),
            c.is_ascii_alphabetic(),
            c.is_ascii_alphanumeric(),
            c.is_ascii_uppercase(),
            c.is_ascii_lowercase(),
            c.is_ascii_whitespace(),
            c.is_ascii_punctuation(),
            c.is_ascii_graphic(),
            c.is_ascii_control(),
            c.is_control(),
            c.is_whitespace(),
        ];
        row[0] = (0..).zip(tests).map(|(bit, holds)| u32::from(holds) << bit).sum();
        row[1] = number;
        row[2] = number & 0xff;
        row[3] = c.to_ascii_uppercase().into();
        row[4] = c.to_ascii_lowercase().into();
        row[5] = (c.len_utf8() * 4 + c.len_utf16()) as u32;
        row[6] = u32::from(c == 'k' || c == 'K') | u32::from(c == '[') << 1;
        row[7] = match c {
            '\0' => 1,
            'a' | 'e' | 'i' | 'o' | 'u' => 2,
            'b'..='z' => 3,
            'A'..'N' => 4,
            'é' => 5,
            '\u{1f600}'.. => 6,
            '0'..='9' if c != '7' => 7,
            _ => 8,
        };
        row
    };
    vec![Output::U32(numbers().into_iter().flat_map(row).collect())]
}

const RADIXES: [u32; 6] = [2, 8, 10, 16, 35, 36];

#[kernel(workgroup = 32)]
fn char_digits(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let number = x[i];
    let radixes = [2, 8, 10, 16, 35, 36];
    let c = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
    for k in 0..6 {
        let radix = radixes[k];
        let value = c.to_digit(radix).map_or(99, |digit| digit);
        let back = char::from_digit(number, radix).map_or(99, |digit| digit as u32);
        out[i * 6 + k] = value | back << 8 | (c.is_digit(radix) as u32) << 16;
    }
}

fn digits_run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    upload_and_run(mgr, &numbers(), RADIXES.len(), |seq, grid, x, out| {
        CharDigits::dispatch(seq, grid, x, out).map(drop)
    })
}

fn digits_expected() -> Vec<Output> {
    let row = |number: u32| {
        RADIXES.map(|radix| {
            let c = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
            let back = char::from_digit(number, radix).map_or(99, u32::from);
            c.to_digit(radix).unwrap_or(99) | back << 8 | u32::from(c.is_digit(radix)) << 16
        })
    };
    vec![Output::U32(numbers().into_iter().flat_map(row).collect())]
}

const TEXT: &[u8] = b"The quick Brown fox; 7 jumps_over the LAZY dog, twice.";

#[device]
const SEPARATOR: char = '_';

/// Whether a word may hold it: a letter, or the separator.
#[device]
fn is_of_word(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z') || c == SEPARATOR
}

/// The number of bytes that are one character.
#[device]
#[derive(Clone, Copy)]
struct Counter<const C: char> {
    count: u32,
}

#[device]
fn count_of<const C: char>(text: &[u8]) -> u32 {
    let mut counter = Counter::<C> { count: 0 };
    for byte in text.iter() {
        counter.count += (char::from(*byte) == C) as u32;
    }
    counter.count
}

/// How often each letter begins a word, and how long the words are.
#[kernel(workgroup = 1)]
fn char_words(text: &[u8], counts: &mut [u32]) {
    if global_id().x == 0 {
        let (mut last, mut len) = (' ', 0u32);
        for byte in text.iter() {
            let c = char::from(*byte);
            if is_of_word(c) {
                if !is_of_word(last) {
                    let letter = c.to_ascii_lowercase() as u32 - 'a' as u32;
                    counts[letter] += 1;
                }
                len += 1;
            }
            last = c;
        }
        counts[26] = len;
        counts[28] = count_of::<'e'>(text) * 10 + count_of::<'\''>(text);
        counts[27] = text.iter().filter(|byte| (**byte as char).is_ascii_uppercase()).count() as u32;
    }
}

fn words_run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    let (text, mut counts) = (mgr.tensor(TEXT)?, mgr.tensor(&[0u32; 29])?);
    let seq = mgr.sequence()?;
    CharWords::dispatch(&seq, Grid::items(1), &text, &mut counts)?;
    seq.eval()?;
    Ok(vec![Output::U32(counts.to_vec()?)])
}

fn words_expected() -> Vec<Output> {
    let mut counts = [0u32; 29];
    let text = std::str::from_utf8(TEXT).unwrap();
    for word in text.split(|c: char| !(c.is_ascii_alphabetic() || c == '_')).filter(|word| !word.is_empty()) {
        counts[usize::from(word.as_bytes()[0].to_ascii_lowercase() - b'a')] += 1;
        counts[26] += word.len() as u32;
    }
    counts[28] = text.chars().filter(|c| *c == 'e').count() as u32 * 10;
    counts[27] = text.chars().filter(char::is_ascii_uppercase).count() as u32;
    vec![Output::U32(counts.to_vec())]
}

/// A scanner's finding.
#[device]
#[derive(Clone, Copy, PartialEq)]
enum Found {
    Digit(u32),
    Letter { small: char, was_large: bool },
    Other(char),
}

#[device]
#[derive(Clone, Copy, PartialEq, PartialOrd, Default)]
struct Pair {
    first: char,
    second: char,
}

#[device]
fn scan(c: char) -> Found {
    match c {
        '0'..='9' => Found::Digit(c as u32 - '0' as u32),
        _ if c.is_ascii_alphabetic() => {
            Found::Letter { small: c.to_ascii_lowercase(), was_large: c.is_ascii_uppercase() }
        }
        other => Found::Other(other),
    }
}

#[device]
const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];

#[kernel(workgroup = 32)]
fn held_chars(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    let o = i * 6;
    let c: char = char::from_u32(x[i]).unwrap_or_default();
    out[o] = match scan(c) {
        Found::Digit(value) => value,
        Found::Letter { small, was_large } => small as u32 + (was_large as u32) * 1000,
        Found::Other(c) => c as u32 + 2000,
    };
    out[o + 1] = VOWELS.contains(&c) as u32 | (('a'..='m').contains(&c) as u32) << 1;
    let pair = Pair { first: c, second: 'q' };
    let other = Pair { second: c, ..Pair { first: 'p', second: '\n' } };
    out[o + 2] = (pair < other) as u32
        | ((pair == other) as u32) << 1
        | ((pair == Pair::default()) as u32) << 2
        | ((c.max('x') as u32) << 8);
    let mut letters = ['a', 'b', 'c', 'd'];
    letters[(i % 4) as usize] = c;
    letters.reverse();
    out[o + 3] = letters.iter().fold(0u32, |hash, letter| hash.wrapping_mul(31).wrapping_add(*letter as u32));
    let wide: u64 = c.into();
    out[o + 4] = u32::from(c).wrapping_add((wide >> 3) as u32) ^ (c as i16 as u32);
    out[o + 5] = (c.cmp(&'m').is_lt() as u32) | (c.clamp('c', 'w') as u32) << 8;
}

fn held_run(mgr: &Manager) -> gridwise::Result<Vec<Output>> {
    upload_and_run(mgr, &numbers(), 6, |seq, grid, x, out| HeldChars::dispatch(seq, grid, x, out).map(drop))
}

fn held_expected() -> Vec<Output> {
    let row = |(i, number): (usize, u32)| {
        let c = char::from_u32(number).unwrap_or('\0');
        let first = match c {
            '0'..='9' => number - 48,
            'a'..='z' => number,
            'A'..='Z' => number + 32 + 1000,
            c => u32::from(c) + 2000,
        };
        let order = u32::from((c, 'q') < ('p', c)) | u32::from(c == 'p' && c == 'q') << 1;
        let mut letters = ['a', 'b', 'c', 'd'];
        letters[i % 4] = c;
        let hash = |hash: u32, letter: &char| hash.wrapping_mul(31).wrapping_add(u32::from(*letter));
        let value = u32::from(c);
        [
            first,
            u32::from("aeiou".contains(c)) | u32::from(('a'..='m').contains(&c)) << 1,
            order | u32::from(c.max('x')) << 8,
            letters.iter().rev().fold(0, hash),
            value.wrapping_add(value >> 3) ^ (value as i16 as u32),
            u32::from(c < 'm') | u32::from(c.clamp('c', 'w')) << 8,
        ]
    };
    vec![Output::U32(numbers().into_iter().enumerate().flat_map(row).collect())]
}
