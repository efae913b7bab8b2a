//! Variants that a `use` brings, misspelt: in patterns, as values, in kernels, functions and modules.

use gridwise::prelude::*;

#[device]
#[derive(Clone, Copy)]
enum State {
    Idle,
    Running(u32),
    Done { code: u32 },
}

#[kernel]
fn case(y: &mut [u32]) {
    use State::*;
    let i = global_id().x;
    let state = if i == 0 { Idle } else { Runing(i) };
    y[i] = match state {
        Idel => 0,
        Running(n) => n,
        Doen { code } => code,
    };
}

#[device]
fn named(n: u32) -> State {
    use State::{Idle, Running};
    if n == 0 { Idle } else { Runnnig(n) }
}

#[device]
mod inside {
    use Light::*;

    #[derive(Clone, Copy)]
    pub enum Light {
        Green,
        Amber,
    }

    pub fn next(light: Light) -> Light {
        match light {
            Green => Ambre,
            Amber => Green,
        }
    }
}

fn main() {}
