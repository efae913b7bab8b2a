use gridwise::prelude::*;

#[device]
struct Token {
    number: u32,
}

#[device]
fn spend(token: Token) -> u32 {
    token.number
}

#[device]
fn twice(number: u32) -> u32 {
    let token = Token { number };
    spend(token) + spend(token)
}

#[device]
fn out_of_a_reference(token: &Token) -> u32 {
    spend(*token)
}

#[device]
fn cloned(token: &Token) -> u32 {
    token.clone().number
}

fn main() {}
