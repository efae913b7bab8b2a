//! Writes random kernels as source, to be compiled like any user's.
//!
//! `GRIDWISE_PROGRAMS` says how many (default 300), `GRIDWISE_SEED` which is the first (default 0).

#[allow(dead_code)]
mod generator;

use std::fmt::Write as _;
use std::path::PathBuf;

fn main() {
    for variable in ["GRIDWISE_PROGRAMS", "GRIDWISE_SEED"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    println!("cargo::rerun-if-changed=generator");
    let (first, count) = (number("GRIDWISE_SEED", 0), number("GRIDWISE_PROGRAMS", 300));
    let mut source = String::new();
    let mut table = String::new();
    for seed in first..first + count {
        let program = generator::program(seed, &format!("seed_{seed}"));
        source.push_str(&program.text);
        let together = program.together;
        let [arguments, plain_arguments] = program.arguments;
        let plain = if together {
            "None".to_owned()
        } else {
            format!(
                "Some(|data, item| seed_{seed}::plain::random(A, B, C, &data.x, &data.y, &data.z, {plain_arguments}item))"
            )
        };
        writeln!(table, "    Program {{ seed: {seed}, together: {together}, kernel: <seed_{seed}::Random as gridwise::Kernel>::DESCRIPTOR, plain: {plain}, record: |seq, data, out| seed_{seed}::Random::dispatch(seq, Grid::items(data.items), A, B, C, &data.x, &data.y, &data.z, {arguments}out) }},")
            .expect("a string takes all text");
    }
    writeln!(source, "/// All programs of this build.\npub static PROGRAMS: &[Program] = &[\n{table}];")
        .expect("a string takes all text");
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    std::fs::write(folder.join("programs.rs"), source).expect("OUT_DIR can be written");
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable)
        .ok()
        .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable} is not a number: {text}")))
}
