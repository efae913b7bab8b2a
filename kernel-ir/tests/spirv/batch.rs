//! The second entry point: which kernels get one, what it needs of a launch, that it is valid, and that it stores without loading.

use gridwise_ir::batch::{Request, find};
use gridwise_ir::passes::optimize;
use gridwise_ir::spirv::emit_with;

use crate::support::{disassemble, module, validate};

const HEADER: &str = r#"file0 "k.rs"
site0 index_out_of_bounds @file0:2:1 "x[i]" launch 0
site1 divide_by_zero @file0:3:1 "a / b"
site2 print @file0:4:1 "println!()"
kernel fn0 workgroup(64, 1, 1) {
    buffer0 x: [f32]
    buffer1 y: [f32] mut
    buffer2 z: [vec2<f32>] mut
    buffer3 wide: [vec4<f32>] mut
    param0 n: u32
}
fn0 k() -> () @file0:1:1 {
    %0: vec3<u32> = global_id
    %1: u32 = extract %0.0
"#;

/// The outcome of a batch request for a kernel with this code behind `%1`, the item.
fn outcome(request: Request, code: &str) -> String {
    let mut module = module(&format!("{HEADER}{code}}}\n"));
    let _ = optimize(&mut module);
    let kernel = module.kernel.as_ref().expect("it is a kernel");
    let batch = match find(&module, kernel, request) {
        Ok(batch) => batch,
        Err((obstacle, at)) => return format!("{obstacle:?} at line {}", at.map_or(0, |at| at.line)),
    };
    let emitted = emit_with(&module, batch.as_ref()).expect("it can be expressed");
    validate("batch", &emitted.words);
    let Some(batch) = batch else { return "one item".to_owned() };
    let own = batch.own.iter().enumerate().filter_map(|(number, own)| {
        let own = (*own)?;
        let ways = [(own.is_loaded, "r"), (own.is_stored, "w"), (own.is_read_elsewhere, "e")];
        let ways: String = ways.into_iter().filter(|(is_so, _)| *is_so).map(|(_, letter)| letter).collect();
        Some(format!(" {number}:{}x{}{ways}", own.width, batch.items * own.lanes / own.width))
    });
    let own: String = own.collect();
    let needs: Vec<String> = batch.obligations.iter().map(|obligation| obligation.to_string()).collect();
    format!("{} items,{own}; {}", batch.items, needs.join(", "))
}

#[test]
fn elements_travel_as_vectors() {
    let outcome = |code| outcome(Request::Automatic, code);
    let copy = "%2: f32 = load buffer0[%1 !site0]\nstore buffer1[%1 !site0] = %2\nreturn\n";
    assert_eq!(
        outcome(copy),
        "4 items, 0:4x1r 1:4x1w; sub(items(0), 1) < len(buffer0), sub(items(0), 1) < len(buffer1)"
    );
    let pairs = "%2: f32 = load buffer2[%1].1\nstore buffer2[%1].0 = %2\nreturn\n";
    assert_eq!(outcome(pairs), "2 items, 2:4x1rw; sub(items(0), 1) < len(buffer2)");
}

#[test]
fn guards_become_obligations() {
    let code = "%2: u32 = param0\n%3: bool = lt %1, %2\nif %3 {\n%4: f32 = load buffer0[%1]\nstore buffer1[%1] = %4\nyield\n} else {\nyield\n}\nreturn\n";
    assert_eq!(
        outcome(Request::Automatic, code),
        "4 items, 0:4x1r 1:4x1w; sub(items(0), 1) < param0, sub(items(0), 1) < len(buffer0), sub(items(0), 1) < len(buffer1)"
    );
    // Another condition leaves elements as they are: they must be read, which is worth it only where someone asks.
    let code = code.replace("lt %1, %2", "gt %1, %2");
    assert_eq!(outcome(Request::Automatic, &code), "one item");
    assert_eq!(
        outcome(Request::Items(8), &code),
        "8 items, 0:4x2r 1:4x2rw; sub(items(0), 1) < len(buffer0), sub(items(0), 1) < len(buffer1)"
    );
}

/// Guards joined by `or` are both known only in the block for neither.
#[test]
fn guards_of_two_conditions() {
    let copy = "%9: f32 = load buffer0[%1]\nstore buffer1[%1] = %9\nyield\n";
    let code = |conditions: [&str; 2], joined: &str, [then, other]: [&str; 2]| {
        let [a, b] = conditions;
        let (joined, not) = joined.split_once(' ').unwrap_or((joined, ""));
        let not = if not.is_empty() { "%7: bool = or %6, %6" } else { "%7: bool = not %6" };
        let code = format!(
            "%2: u32 = param0\n%3: u32 = const 7\n%4: bool = {a} %1, %2\n%5: bool = {b} %1, %3\n\
             %6: bool = {joined} %4, %5\n{not}\nif %7 {{\n{then}}} else {{\n{other}}}\nreturn\n"
        );
        outcome(Request::Automatic, &code)
    };
    let lengths = "sub(items(0), 1) < len(buffer0), sub(items(0), 1) < len(buffer1)";
    let both = format!("4 items, 0:4x1r 1:4x1w; sub(items(0), 1) < param0, sub(items(0), 1) < 7, {lengths}");
    assert_eq!(code(["lt", "lt"], "and", [copy, "yield\n"]), both);
    assert_eq!(code(["ge", "ge"], "or", ["yield\n", copy]), both);
    assert_eq!(code(["lt", "lt"], "and not", ["yield\n", copy]), both);
    assert_eq!(code(["ge", "ge"], "or not", [copy, "yield\n"]), both);
    for (conditions, joined, blocks) in [
        (["lt", "lt"], "and", ["yield\n", copy]),
        (["lt", "lt"], "and not", [copy, "yield\n"]),
        (["ge", "ge"], "or not", ["yield\n", copy]),
        (["lt", "lt"], "or", [copy, "yield\n"]),
        (["lt", "lt"], "or", ["yield\n", copy]),
        (["ge", "lt"], "or", ["yield\n", copy]),
        (["lt", "ge"], "or", ["yield\n", copy]),
        (["ge", "ge"], "or", [copy, "yield\n"]),
        (["lt", "ge"], "and", [copy, "yield\n"]),
        (["ge", "ge"], "and", ["yield\n", copy]),
    ] {
        assert_eq!(code(conditions, joined, blocks), "one item", "{conditions:?} {joined} {blocks:?}");
    }
}

#[test]
fn what_shows_a_difference_stays_single() {
    let outcome = |code| outcome(Request::Items(4), code);
    assert_eq!(
        outcome(
            "%2: vec3<u32> = local_id\n%3: u32 = extract %2.0\n%4: f32 = cast %3\nstore buffer1[%1] = %4\nreturn\n"
        ),
        "Together at line 0"
    );
    assert_eq!(
        outcome("%2: f32 = load buffer0[%1]\nstore buffer1[%1] = %2\ntrap site1()\nreturn\n"),
        "Panic at line 3"
    );
    assert_eq!(
        outcome("%2: f32 = load buffer0[%1]\nstore buffer1[%1] = %2\nprint site2()\nreturn\n"),
        "Print at line 0"
    );
    assert_eq!(outcome("%2: vec4<f32> = load buffer3[%1]\nstore buffer3[%1] = %2\nreturn\n"), "NoElement at line 0");
    // Another's element is written: the order of accesses to it is the kernel's.
    assert_eq!(
        outcome("%2: f32 = load buffer1[%1]\n%3: u32 = const 0\nstore buffer1[%3] = %2\nreturn\n"),
        "NoElement at line 0"
    );
}

#[test]
fn entries_have_variables_of_their_own() {
    let code = "%2: f32 = load buffer0[%1]\nstore buffer1[%1] = %2\nreturn\n";
    let mut module = module(&format!("{HEADER}{code}}}\n"));
    let _ = optimize(&mut module);
    let kernel = module.kernel.as_ref().expect("it is a kernel");
    let batch = find(&module, kernel, Request::Automatic).expect("nothing is in the way");
    let emitted = emit_with(&module, batch.as_ref()).expect("it can be expressed");
    let text = disassemble(&emitted.words);
    let entries: Vec<Vec<&str>> = text
        .lines()
        .filter_map(|line| line.strip_prefix("OpEntryPoint GLCompute "))
        .map(|line| line.split(' ').skip(2).collect())
        .collect();
    let [main, batch] = &entries[..] else { panic!("{text}") };
    for variable in main.iter().filter(|variable| batch.contains(variable)) {
        assert!(!text.contains(&format!("OpDecorate {variable} Binding 0")), "{text}");
        assert!(!text.contains(&format!("OpDecorate {variable} Binding 1")), "{text}");
    }
    assert_eq!(text.matches("Restrict").count(), 6, "{text}");
    assert!(!text.contains("Aliased"), "{text}");
}
