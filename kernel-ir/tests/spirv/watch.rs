//! Modules whose loops are watched: which are, and that additions stand where loops are entered and left.

use gridwise_ir::faults::Faults;
use gridwise_ir::spirv::ENTRY_POINT;
use gridwise_ir::variant::{VariantDesc, variant};
use gridwise_ir::watch::watch;

use crate::support::{disassemble, emit_text, validate_words};

/// The variant of a kernel with this body.
fn words(body: &str) -> Vec<u32> {
    let text = format!(
        "kernel fn0 workgroup(64, 1, 1) {{\n buffer0 y: [u32] mut\n param0 n: u32\n}}\nfn0 k() -> () {{\n %0: u32 = local_index\n \
         %1: u32 = param0\n %2: u32 = const 0\n %3: u32 = const 1\n %4: u32 = const 1000\n %5: u32 = const 3\n{body}\n return\n}}\n"
    );
    let desc = VariantDesc { entry_point: ENTRY_POINT, constants: &[], keeps_names: false, faults: Faults::NONE };
    variant(&emit_text(&text).words, &desc).expect("a variant")
}

/// A loop that counts up to a value by a step; values of its own begin at a number.
fn counted(end: &str, step: &str, first: u32, inner: &str) -> String {
    let [i, test, next] = [first, first + 1, first + 2];
    format!(
        "loop block{first}(%{i}: u32 = %2) {{\n %{test}: bool = lt %{i}, {end}\n if %{test} {{\n yield\n }} else {{\n break block{first}()\n }}\n\
         {inner}\n store buffer0[%0] = %{i}\n %{next}: u32 = add %{i}, {step}\n continue block{first}(%{next})\n }}\n"
    )
}

#[test]
fn loops_of_few_rounds_are_not_watched() {
    let once = words(&counted("%4", "%3", 10, ""));
    assert_eq!(watch(&once, 1, 1001), None);
    assert!(watch(&once, 1, 1000).is_some(), "the test that ends it counts, too");
    let by_three = words(&counted("%4", "%5", 10, ""));
    assert_eq!(watch(&by_three, 1, 335), None);
    assert!(watch(&by_three, 1, 334).is_some());
    // 1001 rounds, of which each has 1001 more.
    let nested = words(&counted("%4", "%3", 10, &counted("%4", "%3", 20, "")));
    assert_eq!(watch(&nested, 1, 1001 + 1001 * 1001), None);
    assert!(watch(&nested, 1, 1001 * 1001).is_some());
    let unknown = words(&counted("%1", "%3", 10, ""));
    assert!(watch(&unknown, 1, u32::MAX).is_some());
    assert_eq!(watch(&words(""), 1, 0), None);
}

#[test]
fn additions_stand_where_loops_are_entered_and_left() {
    let additions = |body: &str| {
        let watched = watch(&words(body), 1, 0).expect("a loop to watch");
        validate_words("watched", &watched);
        disassemble(&watched).matches("OpAtomicIAdd").count()
    };
    assert_eq!(additions(&counted("%1", "%3", 10, "")), 2);
    assert_eq!(additions(&counted("%1", "%3", 10, &counted("%1", "%5", 20, ""))), 4);
    // A way out of both at once.
    let leaves = "%30: bool = eq %20, %5\n if %30 { return } else { yield }";
    assert_eq!(additions(&counted("%1", "%3", 10, &counted("%1", "%5", 20, leaves))), 5);
    let breaks = "%30: bool = eq %10, %5\n if %30 { break block10() } else { yield }";
    assert_eq!(additions(&counted("%1", "%3", 10, breaks)), 3);
}

#[test]
fn what_is_no_module_has_no_loops() {
    assert_eq!(watch(&[], 1, 0), None);
    assert_eq!(watch(&[7; 4], 1, 0), None);
    let words = words(&counted("%1", "%3", 10, ""));
    for len in 0..words.len() {
        // It must not panic.
        let _ = watch(&words[..len], 1, 0);
    }
}
