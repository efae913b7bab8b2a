//! Random loops over elements of an array that their counter ends at the latest, and others things sooner: written out, they do the same.

use crate::generate::Random;
use crate::text::{numbered, written_out};

/// Steps that a round may do.
const STEPS: [&str; 12] = [
    "store local0[%i !site0] = %p\n",
    "%gK: u32 = load local0[%i !site0]\n%cK: bool = gt %gK, %m\nif %cK {\nbreak block1(%i)\n} else {\nyield\n}\n",
    "%gK: u32 = load local0[%i !site0]\n%cK: bool = eq %gK, %p\nif %cK {\nstore buffer0[%one !site1] = %gK\nbreak block1(%gK)\n} else \
     {\nyield\n}\n",
    "%cK: bool = lt %p, %q\nif %cK {\nyield\n} else {\nstore local0[%i !site0] = %q\nbreak block1(%p)\n}\n",
    "%cK: bool = gt %p, %m\nif %cK -> (%hK: u32) {\n%dK: bool = gt %i, %three\nif %dK {\nbreak block1(%q)\n} else {\nyield\n}\nyield %i\n} \
     else {\nyield %q\n}\nstore local0[%one !site0] = %hK\n",
    "%gK: u32 = load local0[%i !site0]\n%hK: u32 = and %i, %three\n%jK: u32 = load local0[%hK !site0]\nstore local0[%i !site0] = %jK\nstore \
     local0[%hK !site0] = %gK\n",
    "store buffer0[%p !site1] = %i\n",
    "%cK: bool = gt %p, %n\nif %cK {\ntrap site2()\nyield\n} else {\nyield\n}\n",
    "%cK: bool = eq %p, %m\nif %cK {\npanic site3()\n} else {\nyield\n}\n",
    "%cK: bool = eq %i, %m\nif %cK {\nreturn\n} else {\nyield\n}\n",
    "%wK: u32 = load buffer0[%i !site1]\nstore local0[%i !site0] = %wK\n",
    "%cK: bool = lt %q, %n\nif %cK {\ncontinue block1(%up, %q, %i)\n} else {\nyield\n}\n",
];

/// Values that a round hands on.
const NEXT: [&str; 7] = ["%p", "%q", "%sum", "%i", "%three", "%up", "%read"];

fn kernel(random: &mut Random) -> String {
    let mut steps = String::new();
    for number in 0..1 + random.below(3) {
        steps += &STEPS[random.below(STEPS.len())].replace('K', &number.to_string());
    }
    let mut pick = |of: &[&str]| of[random.below(of.len())].to_owned();
    let most = pick(&["0", "1", "2", "4", "7", "8", "9", "16", "17", "4294967295"]);
    let (first, up) = (
        pick(&["0", "0", "1", "3", "7", "8", "4294967295"]),
        pick(&["add %i, %one", "sub %i, %one", "add %i, %three"]),
    );
    let (p, q) = (pick(&NEXT), pick(&NEXT));
    let result = pick(&["%p", "%q", "%n", "%i"]);
    // As `i < end && own[i] > m`, and as `i > 0` alone.
    let exit = pick(&[
        "%on: bool = lt %i, %most\nif %on -> (%both: bool) {\n%there: u32 = load local0[%i !site0]\n%more: bool = ge %there, %q\nyield \
         %more\n} else {\n%no: bool = const false\nyield %no\n}\nif %both {\nyield\n} else {\nbreak block1(RESULT)\n}\n",
        "%on: bool = gt %i, %zero\n%less: bool = le %q, %n\n%both: bool = and %on, %less\nif %both {\nyield\n} else {\nbreak \
         block1(RESULT)\n}\n",
        "%off: bool = ge %i, %most\n%less: bool = gt %q, %n\n%both: bool = or %off, %less\nif %both {\nbreak block1(RESULT)\n} else \
         {\nyield\n}\n",
        "%on: bool = lt %i, %most\nif %on {\nyield\n} else {\nbreak block1(RESULT)\n}\n",
        "%off: bool = eq %i, %zero\nif %off {\nbreak block1(RESULT)\n} else {\nyield\n}\n",
        "%on: bool = gt %i, %zero\n%less: bool = le %q, %n\n%both: bool = and %on, %less\nif %both {\nyield\n} else {\n%five: u32 = const \
         5\n%near: u32 = add %q, %five\nbreak block1(%near)\n}\n",
        "%off: bool = ge %i, %most\nif %off {\n%five: u32 = const 5\nbreak block1(%five)\n} else {\nyield\n}\n",
    ]);
    let exit = exit.replace("RESULT", &result);
    let inner = format!(
        "loop block1(%i: u32 = %first, %p: u32 = %m, %q: u32 = %zero) -> (%x: u32) {{\n%up: u32 = {up}\n{exit}{steps}%sum: u32 = add %p, \
         %q\n%read: u32 = load local0[%three]\ncontinue block1(%up, {p}, {q})\n}}\nstore buffer0[%zero !site1] = %x\n"
    );
    // The counter of a loop around may be where it starts.
    let rounds = random.below(4);
    let loops = if random.one_in(2) {
        format!(
            "loop block3(%first: u32 = %one) {{\n%outer: bool = lt %first, %end\nif %outer {{\nyield\n}} else {{\nbreak \
             block3()\n}}\n{inner}%follows: u32 = add %first, %one\ncontinue block3(%follows)\n}}\n"
        )
    } else {
        format!("%first: u32 = const {first}\n{inner}")
    };
    numbered(&format!(
        "file0 \"a.rs\"\nsite0 index_out_of_bounds @file0:1:1 \"a\"\nsite1 index_out_of_bounds @file0:1:1 \"b\"\nsite2 index_out_of_bounds \
         @file0:1:1 \"c\"\nsite3 panic @file0:1:1 \"d\"\nkernel fn0 workgroup(4, 2, 1) {{\nbuffer0 a: [u32] mut\nparam0 n: u32\nparam1 m: \
         u32\n}}\nfn0 k() -> () {{\nlocal0 own: [u32; 8]\n%n: u32 = param0\n%m: u32 = param1\n%zero: u32 = const 0\n%one: u32 = const \
         1\n%three: u32 = const 3\n%most: u32 = const {most}\n%end: u32 = const {rounds}\n%seven: u32 = const 7\n%empty: [u32; 8] = const \
         zero\nstore local0 = %empty\nstore local0[%three] = %n\n{loops}loop block2(%k: u32 = %zero) {{\n%still: bool = lt %k, %seven\nif \
         %still {{\nyield\n}} else {{\nbreak block2()\n}}\n%kept: u32 = load local0[%k !site0]\n%old: u32 = load buffer0[%one \
         !site1]\n%mixed: u32 = mul %old, %three\n%new: u32 = add %mixed, %kept\nstore buffer0[%one !site1] = %new\n%after: u32 = add %k, \
         %one\ncontinue block2(%after)\n}}\nreturn\n}}\n"
    ))
}

#[test]
fn random_loops_that_end_sooner_do_the_same() {
    written_out(1500, kernel, |random| {
        let mut number = || if random.one_in(5) { u32::MAX - random.below(3) as u32 } else { random.below(11) as u32 };
        let params = [number(), number()];
        (params, vec![5; [2, 3, 9, 20][random.below(4)]])
    });
}
