//! Structured control flow in SPIR-V: merges, phis and what never comes out.

use crate::support::{disassemble, emit_text, module, validate};
use gridwise_ir::spirv::{EmitError, emit};

/// A kernel whose body gets `%0` = an index, `%1` = a float loaded from `y`, and may store into `buffer0`.
fn kernel(body: &str) -> String {
    format!(
        r#"file0 "k.rs"
kernel fn0 workgroup(64, 1, 1) {{
    buffer0 y: [f32] mut
}}
fn0 k() -> () {{
    %90: vec3<u32> = global_id
    %0: u32 = extract %90.0
    %1: f32 = load buffer0[%0]
    %2: f32 = const 0.0
    %3: bool = lt %1, %2
    %4: u32 = const 10
    %5: u32 = const 1
{body}
}}
"#
    )
}

fn accepts(name: &str, body: &str) -> String {
    let words = emit_text(&kernel(body)).words;
    validate(name, &words);
    disassemble(&words)
}

#[test]
fn if_with_results() {
    let text = accepts(
        "if",
        "if %3 -> (%6: f32, %7: u32) { %8: f32 = neg %1 yield %8, %4 } else { yield %1, %5 }
         %9: f32 = cast %7
         %10: f32 = add %6, %9
         store buffer0[%0] = %10
         return",
    );
    assert_eq!(text.matches("OpPhi").count(), 2);
}

#[test]
fn if_that_only_stores() {
    accepts("if without results", "if %3 { store buffer0[%0] = %2 yield } else { yield } return");
}

#[test]
fn arms_that_diverge() {
    let text = accepts(
        "one arm returns",
        "if %3 -> (%6: f32) { return } else { %7: f32 = add %1, %1 yield %7 }
         store buffer0[%0] = %6
         return",
    );
    assert_eq!(text.matches("OpPhi").count(), 0, "a single way needs no phi");
    accepts("both arms return", "if %3 { return } else { store buffer0[%0] = %2 return } unreachable");
    accepts("both arms return, though it has results", "if %3 -> (%6: f32) { return } else { return } unreachable");
}

#[test]
fn switch_with_results() {
    accepts(
        "switch",
        "switch %0 -> (%6: f32) {
             case 0 { yield %1 }
             case 7 { %7: f32 = mul %1, %1 yield %7 }
             case 9 { return }
             default { yield %2 }
         }
         store buffer0[%0] = %6
         return",
    );
    accepts("only a default", "switch %0 { default { store buffer0[%0] = %2 yield } } return");
}

const COUNTING: &str = "loop block1(%10: u32 = %4, %11: f32 = %1) -> (%12: f32) {
    %13: u32 = const 0
    %14: bool = eq %10, %13
    if %14 { break block1(%11) } else { yield }
    %15: u32 = sub %10, %5
    %16: f32 = mul %11, %11
    continue block1(%15, %16)
}
store buffer0[%0] = %12
return";

#[test]
fn loops() {
    accepts("endless loop", "loop block1() { continue block1() } unreachable");
    accepts("loop that runs once", "loop block1(%10: u32 = %4) -> (%11: u32) { break block1(%10) } return");
    accepts("return inside", "loop block1() { if %3 { return } else { yield } continue block1() } unreachable");
    accepts(
        "several ways on and out",
        "loop block1(%10: u32 = %4) -> (%12: u32) {
             %13: bool = lt %10, %5
             if %13 { break block1(%10) } else { %14: u32 = sub %10, %5 if %3 { continue block1(%14) } else { yield } yield }
             %15: u32 = shr %10, %5
             %16: bool = eq %15, %4
             if %16 { break block1(%5) } else { continue block1(%15) }
             unreachable
         }
         return",
    );
}

/// The test that rounds begin with stands in the header, whichever way leaves; not so what may need blocks of its own before it.
#[test]
fn loops_are_left_in_their_header() {
    let stands_in_header = |name: &str, body: &str| {
        let text = accepts(name, body);
        let mut lines = text.lines().map(str::trim).skip_while(|line| !line.starts_with("OpLoopMerge"));
        lines.nth(1).is_some_and(|line| line.starts_with("OpBranchConditional"))
    };
    assert!(stands_in_header("counting loop", COUNTING));
    let turned = COUNTING
        .replace("eq %10", "ne %10")
        .replace("{ break block1(%11) } else { yield }", "{ yield } else { break block1(%11) }");
    assert_ne!(turned, COUNTING);
    assert!(stands_in_header("loop that stays when it holds", &turned));
    let given = COUNTING
        .replace(
            "if %14 { break block1(%11) } else { yield }",
            "if %14 -> (%17: f32) { break block1(%11) } else { yield %11 }",
        )
        .replace("mul %11, %11", "mul %17, %11");
    assert_ne!(given, COUNTING);
    assert!(stands_in_header("test that gives a value", &given));
    let loaded = COUNTING.replace("%13: u32 = const 0", "%13: u32 = const 0\n store buffer0[%0] = %11");
    assert!(!stands_in_header("effect before the test", &loaded));
    let busy = COUNTING.replace("{ break block1(%11) }", "{ store buffer0[%0] = %11 break block1(%11) }");
    assert!(!stands_in_header("effect on the way out", &busy));
}

#[test]
fn jumps_out_of_a_switch_in_a_loop() {
    accepts(
        "switch in loop",
        "loop block1(%10: u32 = %4) -> (%12: u32) {
             switch %10 {
                 case 3 { break block1(%10) }
                 case 4 { continue block1(%5) }
                 case 5 { return }
                 default { yield }
             }
             %15: u32 = sub %10, %5
             continue block1(%15)
         }
         return",
    );
}

const NESTED: &str = "loop block1(%10: u32 = %4) -> (%12: u32) {
    %13: bool = lt %10, %5
    if %13 { break block1(%10) } else { yield }
    loop block2(%20: u32 = %10) -> (%21: u32) {
        %22: bool = lt %20, %5
        if %22 { JUMP } else { yield }
        %23: u32 = sub %20, %5
        continue block2(%23)
    }
    %15: u32 = sub %21, %5
    continue block1(%15)
}
return";

#[test]
fn nested_loops() {
    accepts("nested", &NESTED.replace("JUMP", "break block2(%20)"));
}

#[test]
fn jumps_to_an_outer_loop_are_reported() {
    for jump in ["break block1(%20)", "continue block1(%20)"] {
        // The inner loop needs a way out of its own.
        let inner = format!("if %3 {{ {jump} }} else {{ break block2(%20) }} unreachable");
        let error = emit(&module(&kernel(&NESTED.replace("JUMP", &inner)))).expect_err("SPIR-V cannot say that");
        assert!(matches!(error, EmitError::OuterLoop { ref function, .. } if function == "k"), "{error}");
    }
}
