//! Random loops over elements of an array with a bound that is known beside one that is not: written out, they do the same.

use crate::generate::Random;
use crate::text::{numbered, written_out};

/// Steps that a round may do.
const STEPS: [&str; 12] = [
    "store local0[%i !site0] = %p\n",
    "store local0[%i !site0] = %q\n",
    "%gK: u32 = load local0[%i !site0]\nstore buffer0[%one !site0] = %gK\n",
    "%hK: u32 = add %i, %one\nstore local0[%hK !site0] = %p\n",
    "%hK: u32 = sub %seven, %i\n%gK: u32 = load local0[%hK !site0]\nstore local0[%i !site0] = %gK\n",
    "%cK: bool = lt %p, %q\nif %cK {\nstore local0[%i !site0] = %seven\nyield\n} else {\nyield\n}\n",
    "store buffer0[%p !site1] = %i\n",
    "%cK: bool = gt %p, %n\nif %cK {\ntrap site2()\nyield\n} else {\nyield\n}\n",
    "%cK: bool = eq %p, %m\nif %cK {\npanic site3()\n} else {\nyield\n}\n",
    "%cK: bool = eq %i, %m\nif %cK {\nreturn\n} else {\nyield\n}\n",
    "%wK: u32 = load buffer0[%i !site1]\nstore local0[%i !site0] = %wK\n",
    "%gK: u32 = load local0[%one !site0]\nstore local0[%i !site0] = %gK\n",
];

/// Values that a round hands on.
const NEXT: [&str; 8] = ["%p", "%q", "%sum", "%i", "%seven", "%up", "%read", "%end"];

fn kernel(random: &mut Random) -> String {
    let mut steps = String::new();
    for number in 0..1 + random.below(3) {
        steps += &STEPS[random.below(STEPS.len())].replace('K', &number.to_string());
    }
    let mut pick = |of: &[&str]| of[random.below(of.len())].to_owned();
    let end =
        pick(&["min %n, %most", "min %most, %n", "and %n, %most", "rem %n, %seven", "max %one, %most", "add %n, %one"]);
    let most = pick(&["0", "1", "2", "4", "7", "8", "9", "16", "17", "4294967295"]);
    let first = pick(&["0", "0", "0", "1", "3", "9", "4294967295"]);
    let (p, q) = (pick(&NEXT), pick(&NEXT));
    let result = pick(&["%p", "%q", "%n", "%i", "%half"]);
    let exit = if random.one_in(2) {
        "%on: bool = lt %i, %end\nif %on {\nyield\n} else {\nbreak block1(RESULT)\n}\n"
    } else {
        "%off: bool = ge %i, %end\nif %off {\nbreak block1(RESULT)\n} else {\nyield\n}\n"
    };
    // An end that rounds move bounds nothing.
    let exit = if random.one_in(4) {
        format!("%late: u32 = min %p, %most\n{}", exit.replace("%end", "%late"))
    } else {
        exit.to_owned()
    };
    let exit = exit.replace("RESULT", &result);
    numbered(&format!(
        "file0 \"a.rs\"\nsite0 index_out_of_bounds @file0:1:1 \"a\"\nsite1 index_out_of_bounds @file0:1:1 \"b\"\nsite2 index_out_of_bounds \
         @file0:1:1 \"c\"\nsite3 panic @file0:1:1 \"d\"\nkernel fn0 workgroup(4, 2, 1) {{\nbuffer0 a: [u32] mut\nparam0 n: u32\nparam1 m: \
         u32\n}}\nfn0 k() -> () {{\nlocal0 own: [u32; 8]\n%n: u32 = param0\n%m: u32 = param1\n%zero: u32 = const 0\n%one: u32 = const \
         1\n%seven: u32 = const 7\n%most: u32 = const {most}\n%end: u32 = {end}\n%empty: [u32; 8] = const zero\nstore local0 = %empty\n%first: \
         u32 = const {first}\nloop block1(%i: u32 = %first, %p: u32 = %m, %q: u32 = %zero) -> (%x: u32) {{\n%half: u32 = shr %i, \
         %one\n{exit}{steps}%sum: u32 = add %p, %q\n%read: u32 = load local0[%seven]\n%up: u32 = add %i, %one\ncontinue block1(%up, {p}, \
         {q})\n}}\nstore buffer0[%zero !site1] = %x\nloop block2(%k: u32 = %zero) {{\n%still: bool = lt %k, %seven\nif %still \
         {{\nyield\n}} else {{\nbreak block2()\n}}\n%kept: u32 = load local0[%k !site0]\n%old: u32 = load buffer0[%one !site1]\n%three: u32 = \
         const 3\n%mixed: u32 = mul %old, %three\n%new: u32 = add %mixed, %kept\nstore buffer0[%one !site1] = %new\n%after: u32 = add %k, \
         %one\ncontinue block2(%after)\n}}\nreturn\n}}\n"
    ))
}

#[test]
fn random_loops_with_two_bounds_do_the_same() {
    written_out(1500, kernel, |random| {
        let mut number = || if random.one_in(5) { u32::MAX - random.below(3) as u32 } else { random.below(11) as u32 };
        let params = [number(), number()];
        (params, vec![5; [2, 3, 9, 20][random.below(4)]])
    });
}
