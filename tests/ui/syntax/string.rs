//! Texts are passed on and compared; there are no strings on the device to show or to take apart.

use gridwise::prelude::*;

#[kernel]
fn case(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    let s = "hello";
    println!("{s}");
    if s < "world" {
        out[i] = s.len() as f32;
    }
}

#[kernel]
fn by_value(name: &'static str, out: &mut [f32]) {
    out[0] = 1.0;
}

#[device]
fn checked(x: f32) -> Result<f32, &'static str> {
    if x < 0.0 { Err("negative") } else { Ok(x.sqrt()) }
}

#[device]
fn named(name: &str) -> u32 {
    1
}

#[kernel]
fn unwrapped(x: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    out[i] = checked(x[i]).unwrap();
}

/// Two texts with one hash.
#[device]
fn told_apart(name: &'static str) -> u32 {
    match name {
        "costarring" => 1,
        "liquid" => 2,
        _ => 0,
    }
}

fn main() {}
