use gridwise::prelude::*;

#[device]
fn next(c: char) -> char {
    (c as u32 + 1) as char
}

#[device]
fn is_letter(c: char) -> bool {
    c.is_alphabetic()
}

#[device]
fn letters() -> u32 {
    let mut sum = 0;
    for c in 'a'..='z' {
        sum += c as u32;
    }
    sum
}

#[device]
fn checked(n: u32) -> Option<char> {
    char::try_from(n).ok()
}

fn main() {}
