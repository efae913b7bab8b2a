//! Zeros in shared memory: it is filled with them, unless all that is read was written before.

use crate::parallel::REDUCTION;
use crate::support::{disassemble, emit_text, validate};

#[test]
fn shared_memory_is_zeroed_unless_it_is_written_first() {
    let zeroed = |text: &str| {
        let emitted = emit_text(text);
        validate("zeroed", &emitted.words);
        disassemble(&emitted.words).matches("OpControlBarrier").count() - text.matches("barrier workgroup").count()
    };
    assert_eq!(zeroed(REDUCTION), 0);
    // A larger variable keeps cells that nobody wrote; a check may drop a store; without a barrier others read too early.
    assert_eq!(zeroed(&REDUCTION.replace("[f32; 64]", "[f32; 65]")), 1);
    assert_eq!(zeroed(&REDUCTION.replace("[f32; 64]", "[f32; 1000]")), 1);
    let without = REDUCTION.replacen("    barrier workgroup\n", "", 1);
    assert_eq!(zeroed(&without), 1);
    let other_index = REDUCTION.replace("store shared0[%2] = %3", "store shared0[%1] = %3");
    assert_eq!(zeroed(&other_index), 1);
    let plane = |index: &str| {
        format!(
            "kernel fn0 workgroup(8, 4, 1) {{\n buffer0 y: [u32] mut\n shared0 tile: [[u32; 8]; 4]\n shared1 flat: [u32; 32]\n}}\n\
             fn0 k() -> () {{\n %0: vec3<u32> = local_id\n %1: u32 = extract %0.0\n %2: u32 = extract %0.1\n \
             %3: u32 = const 8\n %4: u32 = mul %2, %3\n %5: u32 = add %4, %1\n store shared0{index} = %1\n \
             store shared1[%5] = %2\n barrier workgroup\n %6: u32 = load shared0.0.1\n %7: u32 = load shared1.3\n \
             store buffer0[%1] = %6\n store buffer0[%1] = %7\n return\n}}\n"
        )
    };
    assert_eq!(zeroed(&plane("[%2][%1]")), 0);
    assert_eq!(zeroed(&plane("[%1][%2]")), 1);
    // A member is a part of a cell: the other one is read, too.
    let pairs = |place: &str, value: &str| {
        format!(
            "kernel fn0 workgroup(32, 1, 1) {{\n buffer0 y: [u32] mut\n shared0 pairs: [(u32, u32); 32]\n}}\n\
             fn0 k() -> () {{\n %0: u32 = local_index\n %1: (u32, u32) = compose %0, %0\n store shared0[%0]{place} = {value}\n \
             barrier workgroup\n %2: u32 = load shared0.3.1\n store buffer0[%0] = %2\n return\n}}\n"
        )
    };
    assert_eq!(zeroed(&pairs("", "%1")), 0);
    assert_eq!(zeroed(&pairs(".0", "%0")), 1);
}

#[test]
fn each_cell_of_shared_memory_is_zeroed() {
    // Each invocation zeroes as many cells, one workgroup apart; where some are left, the first ones zero those, too.
    let sums = |len: u32| {
        let text = format!(
            "kernel fn0 workgroup(32, 1, 1) {{\n buffer0 y: [u32] mut\n shared0 s: [u32; {len}]\n}}\nfn0 k() -> () {{\n \
             %0: u32 = local_index\n %1: u32 = load shared0[%0]\n store buffer0[%0] = %1\n return\n}}\n"
        );
        let emitted = emit_text(&text);
        validate("cells", &emitted.words);
        disassemble(&emitted.words).matches("OpIAdd").count()
    };
    assert_eq!([32, 33, 64, 65, 95, 96, 97].map(sums), [0, 1, 1, 2, 2, 2, 3]);
}

#[test]
fn shared_memory_that_several_stores_fill_is_not_zeroed() {
    // Two stores, at the position and at one that is made of it, then a load of any cell behind a barrier.
    let zeroed = |shared: &str, made: &str, between: &str| {
        let text = format!(
            "kernel fn0 workgroup(8, 4, 1) {{\n buffer0 y: [u32] mut\n shared0 s: {shared}\n}}\n\
             fn0 k() -> () {{\n %0: vec3<u32> = local_id\n %1: u32 = extract %0.0\n %2: u32 = extract %0.1\n \
             %3: u32 = const 3\n %4: u32 = shl %2, %3\n %5: u32 = add %4, %1\n %6: u32 = const 32\n %7: u32 = const 16\n \
             %8: u32 = const 1\n{made} store shared0{{5}} = %1\n{between} store shared0{{9}} = %2\n barrier workgroup\n \
             %19: u32 = mul %5, %5\n %20: u32 = load shared0[%19]\n store buffer0[%1] = %20\n return\n}}\n"
        );
        let nested = shared.contains("[[");
        let text = text.replace("{5}", if nested { ".0[%5]" } else { "[%5]" });
        let text = text.replace("{9}", if nested { ".1[%9]" } else { "[%9]" });
        let text = text.replace("shared0[%19]", if nested { "shared0.0[%19]" } else { "shared0[%19]" });
        let emitted = emit_text(&text);
        validate("filled", &emitted.words);
        let barriers = disassemble(&emitted.words).matches("OpControlBarrier").count();
        barriers - text.matches("barrier workgroup").count()
    };
    assert_eq!(zeroed("[u32; 64]", " %9: u32 = xor %5, %6\n", ""), 0);
    assert_eq!(zeroed("[u32; 64]", " %9: u32 = add %5, %6\n", ""), 0);
    // Another order of the same halves.
    assert_eq!(zeroed("[u32; 64]", " %10: u32 = xor %5, %7\n %9: u32 = or %6, %10\n", ""), 0);
    assert_eq!(zeroed("[[u32; 32]; 2]", " %9: u32 = xor %5, %7\n", ""), 0);
    // The same half twice, by other bits, more cells than that, and what is read in between.
    assert_eq!(zeroed("[u32; 64]", " %9: u32 = xor %5, %7\n", ""), 1);
    assert_eq!(zeroed("[u32; 64]", " %9: u32 = shl %5, %8\n", ""), 1);
    assert_eq!(zeroed("[u32; 128]", " %9: u32 = xor %5, %6\n", ""), 1);
    assert_eq!(zeroed("[u32; 65]", " %9: u32 = xor %5, %6\n", ""), 1);
    let load = " %11: u32 = load shared0.3\n store buffer0[%1] = %11\n";
    assert_eq!(zeroed("[u32; 64]", " %9: u32 = xor %5, %6\n", load), 1);
    // Another number of bits that change.
    assert_eq!(zeroed("[u32; 64]", " %10: u32 = and %5, %7\n %9: u32 = xor %10, %6\n", ""), 1);
    assert_eq!(zeroed("[u32; 64]", " %9: u32 = mul %5, %5\n", ""), 1);
}

/// Four rounds of stores to a padded tile, then loads of it the other way round.
const PADDED: &str = "\
kernel fn0 workgroup(32, 1, 1) {
 buffer0 y: [u32] mut
 shared0 tile: [u32; 264]
}
fn0 k() -> () {
 %0: u32 = local_index
 %1: u32 = const 7
 %2: u32 = and %0, %1
 %3: u32 = const 3
 %4: u32 = shr %0, %3
 %5: u32 = const 0
 %6: u32 = const 8
 %7: u32 = const 4
 %8: u32 = const 33
 %9: u32 = const 1
 loop block1(%10: u32 = %5) {
  %11: bool = lt %10, %6
  if %11 {
   yield
  } else {
   break block1()
  }
  %12: u32 = mul %10, %7
  %13: u32 = add %12, %4
  %14: u32 = mul %2, %8
  %15: u32 = add %14, %13
  store tile[%15] = %0
  %16: u32 = add %10, %9
  continue block1(%16)
 }
 barrier workgroup
 loop block4(%20: u32 = %5) {
  %21: bool = lt %20, %6
  if %21 {
   yield
  } else {
   break block4()
  }
  %22: u32 = mul %2, %7
  %23: u32 = add %22, %4
  %24: u32 = mul %20, %8
  %25: u32 = add %24, %23
  %26: u32 = load tile[%25]
  store buffer0[%0] = %26
  %27: u32 = add %20, %9
  continue block4(%27)
 }
 return
}
";

#[test]
fn shared_memory_of_which_all_that_is_read_is_written_is_not_zeroed() {
    let zeroed = |changes: &[(&str, &str)]| {
        let text = changes.iter().fold(PADDED.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        });
        let text = text.replace(" tile[", " shared0[");
        let emitted = emit_text(&text);
        validate("padded", &emitted.words);
        let barriers = disassemble(&emitted.words).matches("OpControlBarrier").count();
        barriers - text.matches("barrier workgroup").count()
    };
    assert_eq!(zeroed(&[]), 0);
    // The cells between the rows are written by nobody; neither are those of a round that is left out, nor those behind the rows.
    assert_eq!(zeroed(&[("%24: u32 = mul %20, %8", "%24: u32 = mul %20, %6")]), 1);
    assert_eq!(zeroed(&[("%11: bool = lt %10, %6", "%11: bool = lt %10, %1")]), 1);
    assert_eq!(zeroed(&[("%21: bool = lt %20, %6", "%21: bool = lt %20, %8"), ("u32; 264", "u32; 2640")]), 1);
    assert_eq!(zeroed(&[("%23: u32 = add %22, %4", "%23: u32 = add %22, %6")]), 1);
    // Fewer are read, or a part of them by an index of which only the range is known.
    assert_eq!(zeroed(&[("%21: bool = lt %20, %6", "%21: bool = lt %20, %1")]), 0);
    assert_eq!(zeroed(&[("%22: u32 = mul %2, %7", "%22: u32 = const 28"), ("%4\n  %24", "%3\n  %24")]), 0);
    let product = "%17: u32 = mul %0, %0\n  %22: u32 = and %17, %1";
    assert_eq!(zeroed(&[("%22: u32 = mul %2, %7", product)]), 0);
    assert_eq!(zeroed(&[("%22: u32 = mul %2, %7", &product.replace("%1", "%8"))]), 1);
    assert_eq!(zeroed(&[("%22: u32 = mul %2, %7", &product.replace("and %17, %1", "rem %17, %6"))]), 0);
    let least = "%17: u32 = mul %0, %0\n  %18: u32 = const 28\n  %22: u32 = min %17, %18";
    assert_eq!(zeroed(&[("%22: u32 = mul %2, %7", least)]), 0);
    assert_eq!(zeroed(&[("%22: u32 = mul %2, %7", &least.replace("28", "29"))]), 1);
    // What may not be written: by an index that is not known, where a condition holds, before another round begins or none does,
    // or where a check drops it.
    assert_eq!(zeroed(&[("%14: u32 = mul %2, %8", "%17: u32 = mul %0, %0\n  %14: u32 = and %17, %1")]), 1);
    let store = "store tile[%15] = %0";
    let inside = "%17: bool = lt %0, %7\n  if %17 {\n   store tile[%15] = %0\n   yield\n  } else {\n   yield\n  }";
    assert_eq!(zeroed(&[(store, inside)]), 1);
    let leaves =
        "%17: bool = lt %0, %7\n  if %17 {\n   continue block1(%10)\n  } else {\n   yield\n  }\n  store tile[%15] = %0";
    assert_eq!(zeroed(&[(store, leaves)]), 1);
    let unknown = [("loop block1(%10: u32 = %5)", "loop block1(%10: u32 = %0)")];
    assert_eq!(zeroed(&unknown), 1);
    let checked = [
        ("kernel fn0", "file0 \"k.rs\"\nsite0 index_out_of_bounds @file0:1:1 \"tile[i]\"\nkernel fn0"),
        ("tile[%15]", "tile[%15 !site0]"),
    ];
    assert_eq!(zeroed(&checked), 1);
    // Read too early, by each invocation what it wrote.
    assert_eq!(zeroed(&[(store, "store tile[%15] = %0\n  %17: u32 = load tile[%15]")]), 1);
}

/// A tile with a border that 16 by 16 invocations fill; each reads the last cell that it may need.
const BORDERED: &str = "kernel fn0 workgroup(16, 16, 1) {
 buffer0 y: [f32] mut
 shared0 tile: [[f32; 22]; 22]
}
fn0 k() -> () {
 %0: vec3<u32> = local_id
 %1: u32 = extract %0.0
 %2: u32 = extract %0.1
 %3: u32 = const 16
 %4: u32 = const 22
 %5: f32 = const 1
 %6: u32 = const 6
 %7: u32 = const 0
 %8: u32 = const 1
 loop block1(%10: u32 = %2) {
  %11: bool = lt %10, %4
  if %11 {
   yield
  } else {
   break block1()
  }
  loop block4(%12: u32 = %1) {
   %13: bool = lt %12, %4
   if %13 {
    yield
   } else {
    break block4()
   }
   store shared0[%10][%12] = %5
   %14: u32 = add %12, %3
   continue block4(%14)
  }
  %15: u32 = add %10, %3
  continue block1(%15)
 }
 barrier workgroup
 %17: u32 = add %1, %6
 %18: u32 = add %2, %6
 %30: f32 = load shared0[%18][%17]
 store buffer0[%1] = %30
 return
}
";

#[test]
fn shared_memory_that_invocations_fill_in_turns_is_not_zeroed() {
    let zeroed = |changes: &[(&str, &str)]| {
        let text = changes.iter().fold(BORDERED.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        });
        let emitted = emit_text(&text);
        validate("bordered", &emitted.words);
        disassemble(&emitted.words).matches("OpControlBarrier").count() - 1
    };
    assert_eq!(zeroed(&[]), 0);
    // Cells are left out at the end, at the start, or between.
    assert_eq!(zeroed(&[("lt %12, %4", "lt %12, %3")]), 1);
    assert_eq!(zeroed(&[("loop block4(%12: u32 = %1)", "%19: u32 = add %1, %8\n  loop block4(%12: u32 = %19)")]), 1);
    assert_eq!(zeroed(&[("add %12, %3", "add %12, %4")]), 1);
    assert_eq!(zeroed(&[("add %12, %3", "add %12, %6")]), 1);
    assert_eq!(zeroed(&[("%10: u32 = %2)", "%10: u32 = %7)")]), 1);
    // Both numbers hang on one position.
    assert_eq!(zeroed(&[("%12: u32 = %1)", "%12: u32 = %2)")]), 1);
    assert_eq!(zeroed(&[("shared0[%10][%12]", "shared0[%10][%1]")]), 1, "the border at the right");
    assert_eq!(zeroed(&[("shared0[%10][%12]", "shared0[%12][%1]"), ("[%18][%17]", "[%18][%1]")]), 1);
    // Rows in turns, and a column for each invocation, of which only those are read.
    let columns = ("shared0[%10][%12]", "shared0[%10][%1]");
    assert_eq!(zeroed(&[columns, ("[%18][%17]", "[%18][%1]")]), 0);
    // A round that leaves, or does not come to the store.
    let leaves =
        "%19: bool = lt %10, %6\n   if %19 {\n    break block4()\n   } else {\n    yield\n   }\n   store shared0";
    assert_eq!(zeroed(&[("store shared0", leaves)]), 1);

    // Steps that are counted, as `step_by` counts them.
    let counted = |end: &str| {
        [
            (
                "loop block1(",
                format!(
                    "%40: bool = lt %1, {end}\n %41: u32 = sub {end}, %1\n %42: u32 = select %40, %41, %7\n %43: u32 = div %42, %3\n \
                     %44: u32 = rem %42, %3\n %45: bool = ne %44, %7\n %46: u32 = cast %45\n %47: u32 = add %43, %46\n loop block1("
                ),
            ),
            ("%12: u32 = %1)", "%12: u32 = %7)".to_owned()),
            ("lt %12, %4", "lt %12, %47".to_owned()),
            ("add %12, %3", "add %12, %8".to_owned()),
            (
                "store shared0[%10][%12]",
                "%48: u32 = mul %12, %3\n   %49: u32 = add %1, %48\n   store shared0[%10][%49]".to_owned(),
            ),
        ]
    };
    let zeroed_by = |changes: &[(&str, String)], more: &[(&str, &str)]| {
        let changes: Vec<_> = changes.iter().map(|(from, to)| (*from, &to[..])).chain(more.iter().copied()).collect();
        zeroed(&changes)
    };
    assert_eq!(zeroed_by(&counted("%4"), &[]), 0);
    assert_eq!(zeroed_by(&counted("%3"), &[]), 1);
    assert_eq!(zeroed_by(&counted("%4"), &[("mul %12, %3", "mul %12, %6")]), 1);
    assert_eq!(zeroed_by(&counted("%4"), &[("add %1, %48", "add %2, %48")]), 1);
    assert_eq!(zeroed_by(&counted("%4"), &[("rem %42, %3", "rem %42, %4")]), 1);

    // The cells as one row.
    let flat = [
        (
            "%8: u32 = const 1\n",
            "%8: u32 = const 1\n %20: u32 = local_index\n %21: u32 = const 484\n %22: u32 = const 256\n",
        ),
        ("%12: u32 = %1)", "%12: u32 = %20)"),
        ("lt %12, %4", "lt %12, %21"),
        ("add %12, %3", "add %12, %22"),
        ("store shared0[%10][%12]", "%23: u32 = div %12, %4\n   %24: u32 = rem %12, %4\n   store shared0[%23][%24]"),
    ];
    assert_eq!(zeroed(&flat), 0);
    let with = |changes: &[(&'static str, &'static str)]| zeroed(&[&flat[..], changes].concat());
    assert_eq!(with(&[("const 484", "const 483")]), 1);
    assert_eq!(with(&[("const 256", "const 255")]), 1);
    assert_eq!(with(&[("rem %12, %4", "rem %12, %3")]), 1);
    assert_eq!(with(&[("rem %12, %4", "rem %20, %4")]), 1);
    assert_eq!(with(&[("const 484", "const 600")]), 1, "it goes on behind the tile");
}

#[test]
fn components_and_axes_of_any_length_are_cells() {
    let zeroed = |workgroup: &str, shared: &str, body: &str| {
        let text = format!(
            "kernel fn0 workgroup{workgroup} {{\n buffer0 y: [f32] mut\n shared0 s: {shared}\n}}\n\
             fn0 k() -> () {{\n %0: vec3<u32> = local_id\n %1: u32 = extract %0.0\n %2: u32 = extract %0.1\n \
             %3: u32 = const 3\n %4: u32 = const 2\n %5: f32 = const 1\n %6: vec4<f32> = const zero\n{body} \
             store buffer0[%1] = %30\n return\n}}\n"
        );
        let emitted = emit_text(&text);
        validate("cells", &emitted.words);
        let barriers = disassemble(&emitted.words).matches("OpControlBarrier").count();
        barriers - text.matches("barrier workgroup").count()
    };
    // Each component by another invocation, rows of five vectors of which four are used.
    let components = " %10: u32 = and %1, %3\n %11: u32 = shr %1, %4\n store shared0[%11][%10] = %5\n barrier workgroup\n \
                      %12: vec4<f32> = load shared0[%10]\n %30: f32 = extract %12.2\n";
    assert_eq!(zeroed("(16, 1, 1)", "[vec4<f32>; 5]", components), 0);
    assert_eq!(zeroed("(16, 1, 1)", "[vec4<f32>; 5]", &components.replace("load shared0[%10]", "load shared0[%1]")), 1);
    assert_eq!(zeroed("(16, 1, 1)", "[vec4<f32>; 5]", &components.replace("and %1, %3", "and %1, %4")), 1);
    assert_eq!(
        zeroed("(16, 1, 1)", "[vec4<f32>; 5]", &components.replace("shared0[%11][%10] = %5", "shared0[%11] = %6")),
        0
    );
    // Seven by three invocations, in rows of eight.
    let rows = " %10: u32 = const 8\n %11: u32 = mul %2, %10\n %12: u32 = add %11, %1\n store shared0[%12] = %5\n barrier workgroup\n \
                %30: f32 = load shared0[%13]\n";
    let rows = |index: &str| rows.replace(" barrier", &format!(" %13: u32 = {index}\n barrier"));
    assert_eq!(zeroed("(7, 3, 1)", "[f32; 32]", &rows("mul %2, %10")), 0);
    assert_eq!(zeroed("(7, 3, 1)", "[f32; 32]", &rows("add %1, %3")), 1);
    assert_eq!(zeroed("(7, 3, 1)", "[f32; 32]", &rows("add %12, %10")), 1);
    assert_eq!(
        zeroed(
            "(7, 3, 1)",
            "[[f32; 8]; 4]",
            &rows("add %2, %3").replace("shared0[%12]", "shared0[%2][%1]").replace("shared0[%13]", "shared0[%4][%13]")
        ),
        0
    );
    assert_eq!(
        zeroed(
            "(7, 3, 1)",
            "[[f32; 8]; 4]",
            &rows("add %2, %3").replace("shared0[%12]", "shared0[%2][%1]").replace("shared0[%13]", "shared0[%3][%13]")
        ),
        1
    );
}
