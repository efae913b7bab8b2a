//! Random loops that shift their counters until nothing is left: with as many rounds as a counter may need, their results are the same.

use crate::generate::Random;
use crate::text::{numbered, written_out};

/// The changes of a value `A` beside another one `B` and what is left of the counter, `left`; `bit` and `any` ask for the lowest bit of it,
/// and for all. Some change nothing once nothing is left.
const CHANGES: [&str; 16] = [
    "select %bit, %product, A",
    "select %bit, %sum, A",
    "select %any, %sum, A",
    "select %none, A, %sum",
    "add A, %low",
    "add %low, A",
    "xor A, %left",
    "or A, %low",
    "sub A, %low",
    "sub %low, A",
    "shl A, %low",
    "and A, %left",
    "add A, %next",
    "mul A, B",
    "select %none, %sum, A",
    "max A, %left",
];

/// A kernel with such a loop; it may be left with a number of rounds that no mask bounds.
fn kernel(random: &mut Random) -> String {
    let mut pick = |of: &[&str]| of[random.below(of.len())].to_owned();
    let mask = pick(&["0", "1", "2", "7", "31", "255", "300", "1023", "65535", "4294967295"]);
    let by = pick(&["1", "1", "1", "2", "3", "5"]);
    let (a, b) = (pick(&CHANGES), pick(&CHANGES));
    let of = |change: &str, a: &str, b: &str| change.replace('A', a).replace('B', b);
    let (a, b) = (of(&a, "%p", "%q"), of(&b, "%q", "%p"));
    let (head, tail) = match random.below(4) {
        0 => ("if %any {\nyield\n} else {\nbreak block1(OUT)\n}\n", ""),
        1 => ("if %none {\nbreak block1(OUT)\n} else {\nyield\n}\n", ""),
        2 => ("", "if %last {\nbreak block1(OUT)\n} else {\nyield\n}\n"),
        _ => ("", "if %more {\nyield\n} else {\nbreak block1(OUT)\n}\n"),
    };
    let late = if random.one_in(4) { "%p, %r" } else { "%r, %s" };
    let out = if head.is_empty() { late } else { "%p, %q" };
    let guard = if random.one_in(2) { "load buffer0[%zero !site0]" } else { "const 3" };
    let text = format!(
        "file0 \"a.rs\"\nsite0 index_out_of_bounds @file0:1:1 \"a\"\nkernel fn0 workgroup(4, 2, 1) {{\nbuffer0 a: [u32] mut\nparam0 n: \
         u32\nparam1 m: u32\n}}\nfn0 k() -> () {{\n%n: u32 = param0\n%m: u32 = param1\n%zero: u32 = const 0\n%one: u32 = const 1\n%mask: u32 \
         = const {mask}\n%start: u32 = and %n, %mask\n%read: u32 = {guard}\nloop block1(%left: u32 = %start, %p: u32 = %m, %q: u32 = %read) -> \
         (%x: u32, %y: u32) {{\n%by: u32 = const {by}\n%any: bool = ne %left, %zero\n%none: bool = eq %left, %zero\n{head}%low: u32 = and \
         %left, %one\n%bit: bool = ne %low, %zero\n%product: u32 = mul %p, %q\n%sum: u32 = add %p, %q\n%next: u32 = shr %left, %by\n%r: u32 = \
         {a}\n%s: u32 = {b}\n%more: bool = gt %next, %zero\n%last: bool = eq %next, %zero\n{tail}%t: u32 = mul %s, %s\ncontinue \
         block1(%next, %r, %CARRIED)\n}}\nstore buffer0[%zero !site0] = %x\nstore buffer0[%one !site0] = %y\nreturn\n}}\n"
    );
    let carried = if random.one_in(2) { "%s" } else { "%t" };
    numbered(&text.replace("OUT", out).replace("%CARRIED", carried))
}

#[test]
fn results_of_random_halving_loops_stay() {
    written_out(1500, kernel, |random| {
        let mut number = || match random.below(3) {
            0 => [0, 1, 255, 1023, 1 << 31, u32::MAX][random.below(6)],
            1 => random.below(1 << 16) as u32,
            _ => random.below(12) as u32,
        };
        ([number(), number()], vec![number(); 2])
    });
}
