//! Panics and prints: which buffers they bind, and that their functions are valid.

use super::emit_text;
use super::support::{disassemble, validate};

const HEAD: &str = r#"file0 "k.rs"
site0 panic @file0:1:1 "assert!" format 0
site1 print @file0:2:1 "println!" format 1
site2 print_error @file0:3:1 "dbg!" format 2
kernel fn1 workgroup(4, 1, 1) {
    buffer0 y: [u32] mut
}
"#;

/// A kernel as `tests/passes/mask_panics.ir` has it, before and after the pass, and optimised.
#[test]
fn masked_panics_are_valid() {
    let text = include_str!("../passes/mask_panics.ir");
    let (before, after) = text.split_once("; ---- after\n").expect("two parts");
    let before = before.split_once('\n').expect("a head").1;
    validate("masked", &emit_text(after).words);
    let mut module = super::support::module(before);
    let _ = gridwise_ir::passes::optimize(&mut module);
    gridwise_ir::verify::verify(&module).expect("passes keep modules well-formed");
    let emitted = gridwise_ir::spirv::emit(&module).expect("it can be expressed");
    validate("masked and optimised", &emitted.words);
    let text = disassemble(&emitted.words);
    // One stands behind the zeroing of shared memory, three around each question who is alive.
    assert_eq!(text.matches("OpControlBarrier").count(), 8, "{text}");
}

/// A panic in a function that returns a value, in a loop and at the end; messages of three sizes.
const BODY: &str = r#"fn0 checked(%0: u32, %1: bool) -> u32 {
    if %1 {
        yield
    } else {
        panic site0(%0, %0, %0)
    }
    return %0
}
fn1 k() -> () {
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
    %2: u32 = const 3
    %3: bool = lt %1, %2
    %4: u32 = call fn0(%1, %3)
    loop block1(%5: u32 = %4) {
        %6: bool = lt %5, %2
        if %6 {
            yield
        } else {
            panic site0(%5, %1, %2)
        }
        print site1(%5)
        %7: bool = eq %5, %1
        if %7 {
            break block1()
        } else {
            yield
        }
        %8: u32 = add %5, %2
        continue block1(%8)
    }
    print site2(%1, %2, %4)
    print site2()
    store buffer0[%2] = %1
    return
}
"#;

#[test]
fn panics_and_prints_bind_their_buffers() {
    let emitted = emit_text(&format!("{HEAD}{BODY}"));
    validate("reports", &emitted.words);
    assert_eq!((emitted.facts.trap_binding, emitted.facts.print_binding), (Some(1), Some(2)));
    assert_eq!((emitted.facts.trap_words, emitted.sites.len()), (8, 3));
    let text = disassemble(&emitted.words);
    let names: Vec<_> = ["trap3", "print1", "print3", "print0"].iter().map(|name| text.contains(name)).collect();
    assert_eq!(names, [true; 4], "one function for each number of words:\n{text}");
}

#[test]
fn only_what_is_used_is_bound() {
    let silent: String = BODY.lines().filter(|line| !line.contains("print")).flat_map(|line| [line, "\n"]).collect();
    let emitted = emit_text(&format!("{HEAD}{silent}"));
    assert_eq!((emitted.facts.trap_binding, emitted.facts.print_binding), (Some(1), None));
    assert!(emitted.facts.traps_anyway, "a panic needs no broken obligation");
    let calm = BODY.replace("panic site0(%0, %0, %0)", "yield").replace("panic site0(%5, %1, %2)", "yield");
    let emitted = emit_text(&format!("{HEAD}{calm}"));
    validate("prints", &emitted.words);
    assert_eq!((emitted.facts.trap_binding, emitted.facts.print_binding, emitted.facts.trap_words), (None, Some(1), 0));
    assert!(!emitted.facts.traps_anyway, "a print is no panic");
}
