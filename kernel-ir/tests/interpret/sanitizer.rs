//! Findings of the interpreter besides races, and their texts.

use crate::{computes, launch, module, simplified, words};
use gridwise_ir::interpret::{FindingKind, Inputs, Options, run};

fn described(text: &str, groups: u32, seed: u64) -> Vec<String> {
    let module = module(text);
    let [found, found_simplified]: [Vec<_>; 2] = [module.clone(), simplified(&module)].map(|module| {
        let outcome = launch(&module, groups, vec![words([0; 8])], seed);
        outcome.findings.iter().map(|finding| finding.describe(&module).to_string()).collect()
    });
    assert_eq!(found, found_simplified, "{text}");
    found
}

const EXCHANGE: &str = r#"file0 "src/kernel.rs"
struct0 Pair { left: u32, right: [vec2<u32>; 4] }
kernel fn0 workgroup(4, 1, 1) {
    buffer0 y: [u32] mut
    shared0 pairs: [struct0; 2]
}
fn0 k() -> () @file0:1:1 {
    %0: u32 = local_index
    %1: u32 = const 3
    %2: u32 = sub %1, %0
    store shared0.1.1[%0].1 = %0 @file0:7:5
    %3: u32 = load shared0.1.1[%2].1 @file0:8:9
    store buffer0[%0] = %3 @file0:9:5
    return
}
"#;

#[test]
fn races_name_the_cell_both_places_and_invocations() {
    let found = described(EXCHANGE, 1, 0);
    assert_eq!(found.len(), 1, "{found:?}");
    // In order, invocation 1 reads before 2 writes.
    assert_eq!(
        found[0],
        "data race on `pairs[1].right[2].y`: write by invocation (2, 0, 0) at src/kernel.rs:7:5, read by invocation \
         (1, 0, 0) at src/kernel.rs:8:9, and no barrier between them (4 times)"
    );
    for seed in 1..20 {
        let found = described(EXCHANGE, 1, seed);
        assert_eq!(found.len(), 1, "each pair of places is named once: {found:?}");
    }
}

#[test]
fn plain_and_atomic_accesses_conflict() {
    let text = r#"kernel fn0 workgroup(4, 1, 1) {
    buffer0 y: [u32] mut
}
fn0 k() -> () {
    %0: u32 = local_index
    %1: u32 = const 0
    %2: bool = eq %0, %1
    if %2 {
        store buffer0[%1] = %1
        yield
    } else {
        %3: u32 = atomic_add buffer0[%1], %0 relaxed device
        yield
    }
    return
}
"#;
    let found = described(text, 1, 0);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("`y[0]`") && found[0].contains("atomic write"), "{found:?}");
}

/// Invocations 0 to 39 do `early` to a cell, the others nothing; behind a barrier invocation 40 does it, and invocation 50 `late`.
fn one_more(early: &str, late: &str) -> String {
    let early = |at: u32| early.replace('#', &at.to_string());
    let late = late.replace('#', "30");
    format!(
        "kernel fn0 workgroup(64, 1, 1) {{\n buffer0 y: [u32] mut\n shared0 tile: [u32; 1]\n}}\nfn0 k() -> () {{\n \
         %0: u32 = local_index\n %1: u32 = const 0\n %2: u32 = const 40\n %3: u32 = const 50\n %4: bool = lt %0, %2\n \
         %5: bool = eq %0, %2\n %6: bool = eq %0, %3\n if %4 {{\n {}\n yield\n }} else {{\n yield\n }}\n barrier workgroup\n \
         if %5 {{\n {}\n yield\n }} else {{\n yield\n }}\n if %6 {{\n {late}\n yield\n }} else {{\n yield\n }}\n return\n}}\n",
        early(10),
        early(20),
    )
}

#[test]
fn the_last_of_many_readers_races_too() {
    const READ: &str = "%#: u32 = load shared0[%1]";
    const ATOMIC_READ: &str = "%#: u32 = atomic_load shared0[%1] relaxed workgroup";
    const ADD: &str = "%#: u32 = atomic_add shared0[%1], %0 relaxed workgroup";
    const WRITE: &str = "store shared0[%1] = %0";
    for (early, late) in [(READ, WRITE), (READ, ADD), (ATOMIC_READ, WRITE), (ADD, WRITE), (ADD, READ)] {
        let module = module(&one_more(early, late));
        for seed in 0..20 {
            let outcome = launch(&module, 1, vec![words([0])], seed);
            let [finding] = outcome.findings.as_slice() else { panic!("{early}, {late}: {:?}", outcome.findings) };
            let FindingKind::Race(conflict) = &finding.kind else { panic!("{finding:?}") };
            let mut parties = [finding.party.invocation[0], conflict.other.invocation[0]];
            parties.sort_unstable();
            assert_eq!((parties, finding.count), ([40, 50], 1), "{early}, {late}, seed {seed}");
        }
    }
    for (early, late) in [(READ, READ), (READ, ATOMIC_READ), (ADD, ATOMIC_READ), (ADD, ADD)] {
        let outcome = launch(&module(&one_more(early, late)), 1, vec![words([0])], 0);
        assert!(outcome.findings.is_empty(), "{early}, {late}: {:?}", outcome.findings);
    }
}

/// Invocations below 2 wait at one barrier, the others at another or at none.
fn divergent(other: &str) -> String {
    format!(
        "file0 \"k.rs\"\nkernel fn0 workgroup(4, 1, 1) {{\n buffer0 y: [u32] mut\n}}\nfn0 k() -> () {{\n %0: u32 = local_index\n \
         %1: u32 = const 2\n %2: bool = lt %0, %1\n if %2 {{\n barrier workgroup @file0:3:9\n yield\n }} else {{\n{other} yield\n }}\n \
         store buffer0[%0] = %1\n return\n}}\n"
    )
}

#[test]
fn divergent_barriers() {
    let returned = described(&divergent(""), 1, 0);
    let expected = "barrier that not all invocations reach: invocation (0, 0, 0) at k.rs:3:9 waits there, \
                    invocation (2, 0, 0) has returned";
    assert_eq!(returned, [expected]);
    let elsewhere = described(&divergent(" barrier workgroup @file0:5:9\n"), 1, 0);
    let expected = "barrier that not all invocations reach: invocation (0, 0, 0) at k.rs:3:9 waits there, \
                    invocation (2, 0, 0) at k.rs:5:9 elsewhere";
    assert_eq!(elsewhere, [expected]);
    for seed in 1..10 {
        assert_eq!(described(&divergent(""), 1, seed).len(), 1);
    }
}

#[test]
fn loops_without_end() {
    let text = "file0 \"k.rs\"\nkernel fn0 workgroup(2, 1, 1) {\n buffer0 y: [u32] mut\n}\nfn0 k() -> () {\n \
                loop block1() {\n %0: u32 = const 1 @file0:4:5\n continue block1()\n }\n unreachable\n}\n";
    let found = described(text, 1, 0);
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("no end in sight: invocation (0, 0, 0)"), "{found:?}");
}

#[test]
fn what_is_undefined_is_found() {
    let text = "file0 \"k.rs\"\nkernel fn0 workgroup(2, 1, 1) {\n buffer0 y: [u32] mut\n}\nfn0 k() -> () {\n \
                %0: u32 = const 9\n store buffer0[%0] = %0 @file0:4:5\n return\n}\n";
    let expected = "undefined: unchecked index 9 of 8, by invocation (0, 0, 0) at k.rs:4:5 (2 times)";
    assert_eq!(described(text, 1, 0), [expected]);
}

#[test]
fn reads_before_writes_are_found_on_demand() {
    let text = r#"kernel fn0 workgroup(4, 1, 1) {
    buffer0 y: [u32] mut
    shared0 tile: [u32; 5]
}
fn0 k() -> () {
    %0: u32 = local_index
    store shared0[%0] = %0
    barrier workgroup
    %1: u32 = const 1
    %2: u32 = add %0, %1
    %3: u32 = load shared0[%2]
    store buffer0[%0] = %3
    return
}
"#;
    computes(text, 1, vec![words([7; 4])], &[1, 2, 3, 0]);
    let module = module(text);
    let inputs = Inputs { groups: [1, 1, 1], buffers: vec![words([7; 4])], ..Inputs::default() };
    let options = Options { finds_reads_before_writes: true, ..Options::default() };
    let outcome = run(&module, &inputs, &options);
    assert_eq!(outcome.findings.len(), 1);
    assert_eq!(outcome.findings[0].kind, FindingKind::ReadBeforeWrite { object: "tile[4]".to_owned() });
}

/// A lock: each invocation takes it, adds to a plain cell, and frees it.
const LOCK: &str = r#"kernel fn0 workgroup(4, 1, 1) {
    buffer0 lock: [u32] mut
    buffer1 total: [u32] mut
}
fn0 k() -> () {
    %0: u32 = const 0
    %1: u32 = const 1
    loop block1() {
        %2: u32 = atomic_compare_exchange buffer0[%0], %0, %1 acquire relaxed device
        %3: bool = eq %2, %0
        if %3 {
            %4: u32 = load buffer1[%0]
            %5: u32 = add %4, %1
            store buffer1[%0] = %5
            atomic_store buffer0[%0], %0 release device
            break block1()
        } else {
            yield
        }
        continue block1()
    }
    return
}
"#;

#[test]
fn locks_order_what_they_guard() {
    computes(LOCK, 3, vec![words([0]), words([0])], &[12]);
    let module = module(&LOCK.replace("release device", "relaxed device"));
    let outcome = launch(&module, 3, vec![words([0]), words([0])], 0);
    assert!(outcome.findings.iter().any(|finding| matches!(finding.kind, FindingKind::Race(_))));
}

#[test]
fn masked_invocations_do_not_run() {
    let text = "kernel fn0 workgroup(4, 1, 1) {\n buffer0 y: [u32] mut\n}\nfn0 k() -> () {\n %0: vec3<u32> = global_id\n \
                %1: u32 = extract %0.0\n store buffer0[%1] = %1\n return\n}\n";
    let inputs = Inputs {
        groups: [2, 1, 1],
        items: Some([6, 1, 1]),
        params: Vec::new(),
        buffers: vec![words([9; 6])],
        ..Inputs::default()
    };
    let outcome = run(&module(text), &inputs, &Options::default());
    assert_eq!(crate::numbers(&outcome.buffers[0]), [0, 1, 2, 3, 4, 5]);
    assert!(outcome.findings.is_empty());
}

#[test]
fn equal_seeds_give_equal_outcomes() {
    let module = module(EXCHANGE);
    for seed in 0..5 {
        let [a, b] = [(); 2].map(|()| launch(&module, 2, vec![words([0; 8])], seed));
        assert_eq!(a, b);
    }
}
