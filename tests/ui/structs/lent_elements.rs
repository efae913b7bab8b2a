use gridwise::prelude::*;

#[device]
struct Token {
    number: u32,
}

#[device]
fn total(a: u32) -> u32 {
    let own = [Token { number: a }, Token { number: 2 }];
    own.iter().map(|token| token.number).sum()
}

fn main() {}
