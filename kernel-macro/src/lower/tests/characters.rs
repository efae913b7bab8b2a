//! `char`: rustc and the IR agree on every method at the edges of its ranges.

use super::twin::twin;

#[test]
fn numbers_and_characters() {
    twin! { fn f(c: char) -> (u32, u8, i8, u16) { (c as u32, c as u8, c as i8, c as u16) } }
    twin! { fn f(c: char) -> (i32, u64, i64, usize) { (c as i32, c as u64, c as i64, c as usize) } }
    twin! { fn f(n: u32) -> u32 { char::from_u32(n).map_or(7, |c| c as u32) } }
    twin! { fn f(c: char) -> char { char::from_u32((c as u32).wrapping_sub(1)).unwrap_or('!') } }
    twin! { fn f(n: u8) -> (char, char, char) { (n as char, char::from(n), n.into()) } }
    twin! { fn f(c: char) -> (u32, u64) { (u32::from(c), c.into()) } }
    twin! { fn f(c: char) -> (usize, usize) { (c.len_utf8(), c.len_utf16()) } }
    twin! { fn f(n: u32) -> (char, char, char, char) { (char::MIN, char::MAX, char::REPLACEMENT_CHARACTER, char::default()) } }
    twin! { fn f(n: u32) -> (char, u32) { (65 as char, '\u{1f600}' as u32) } }
}

#[test]
fn comparisons() {
    twin! { fn f(a: char, b: char) -> (bool, bool, bool, bool) { (a == b, a != b, a < b, a >= b) } }
    twin! { fn f(a: char, b: char) -> (char, char, bool) { (a.max(b), a.min(b), a.cmp(&b).is_lt()) } }
    twin! { fn f(a: char) -> (char, bool, bool) { (a.clamp('B', 'y'), ('a'..='z').contains(&a), ('a'..'z').contains(&a)) } }
    twin! { fn f(a: char, b: char) -> (bool, bool) { (a.eq_ignore_ascii_case(&b), a.eq_ignore_ascii_case(&'\u{e9}')) } }
    twin! { fn f(a: u8, b: u8) -> (bool, bool) { (a.eq_ignore_ascii_case(&b), a.eq_ignore_ascii_case(&b'k')) } }
    twin! { fn f(a: char, b: char) -> (bool, bool) { ((a, 'x') < (b, 'y'), [a, b] == ['a', 'b']) } }
    twin! { fn f(c: char) -> u32 { match c {
        '\0' => 0, 'a' | 'e' => 1, 'b'..='y' => 2, 'A'..'N' => 3, '\u{80}'.. => 4, '0'..='9' if c != '7' => 5, _ => 6,
    } } }
}

#[test]
fn classes_and_digits() {
    twin! { fn f(c: char) -> (bool, bool, bool, bool) {
        (c.is_ascii(), c.is_ascii_digit(), c.is_ascii_hexdigit(), c.is_ascii_alphabetic())
    } }
    twin! { fn f(c: char) -> (bool, bool, bool, bool) {
        (c.is_ascii_uppercase(), c.is_ascii_lowercase(), c.is_ascii_whitespace(), c.is_ascii_punctuation())
    } }
    twin! { fn f(c: char) -> (bool, bool, bool, bool) {
        (c.is_ascii_graphic(), c.is_ascii_control(), c.is_control(), c.is_whitespace())
    } }
    twin! { fn f(c: char) -> (char, char, bool) {
        (c.to_ascii_uppercase(), c.to_ascii_lowercase(), c.is_ascii_alphanumeric())
    } }
    twin! { fn f(c: char, radix: u32) -> u32 { c.to_digit(radix % 35 + 2).unwrap_or(99) } }
    twin! { fn f(c: char) -> (u32, u32, bool) { (c.to_digit(2).unwrap_or(99), c.to_digit(16).unwrap_or(99), c.is_digit(10)) } }
    twin! { fn f(c: char) -> (u32, u32, bool) { (c.to_digit(11).unwrap_or(99), c.to_digit(36).unwrap_or(99), c.is_digit(36)) } }
    twin! { fn f(n: u32, radix: u32) -> char { char::from_digit(n, radix % 37).unwrap_or('!') } }
    twin! { fn f(n: u32) -> (char, char) {
        (char::from_digit(n % 40, 36).unwrap_or('!'), char::from_digit(n % 12, 10).unwrap_or('!'))
    } }
}

#[test]
fn places() {
    twin! { fn f(c: char, i: u32) -> u32 {
        let mut letters = ['a', 'b', c, 'd'];
        letters[(i % 4) as usize] = 'z';
        letters.iter().fold(0u32, |hash, letter| hash.wrapping_mul(31).wrapping_add(*letter as u32))
    } }
    twin! { [const SEPARATOR: char = '_'; const NUMBER: u32 = SEPARATOR as u32 + 1; const LETTER: char = b'q' as char;]
    fn f(c: char) -> (bool, u32, char) { (c == SEPARATOR, NUMBER, LETTER) } }
}
