//! Kernels of which it is known whether they race, and what the analysis says of them.

use gridwise_ir::ir::Module;
use gridwise_ir::races::{Analysis, Reason};

use crate::analysed;

/// Values that cases name, and their definitions: only what a case names is there, so that it speaks of no other axis.
const VALUES: [(&str, &str); 6] = [
    ("%x", "%global: vec3<u32> = global_id\n    %x: u32 = extract %global.0"),
    ("%y", "%grid: vec3<u32> = global_id\n    %y: u32 = extract %grid.1"),
    ("%l", "%local: vec3<u32> = local_id\n    %l: u32 = extract %local.0"),
    ("%one", "%one: u32 = const 1"),
    ("%n", "%n: u32 = param0"),
    ("%w", "%w: u32 = param1"),
];

/// The analysis of a kernel with workgroups of 64.
fn of(code: &str) -> Analysis {
    analysed(&kernel(code))
}

/// A kernel with workgroups of 64.
pub(crate) fn kernel(code: &str) -> Module {
    let is_named = |name: &str| {
        code.match_indices(name)
            .any(|(at, _)| !code[at + name.len()..].starts_with(|c: char| c.is_ascii_alphanumeric()))
    };
    let values: String =
        VALUES.iter().filter(|(name, _)| is_named(name)).map(|(_, of)| format!("    {of}\n")).collect();
    let text = format!(
        "file0 \"k.rs\"\nsite0 index_out_of_bounds @file0:1:1 \"y[i]\"\nkernel fn0 workgroup(64, 1, 1) {{\n    \
         buffer0 x: [u32]\n    buffer1 y: [u32] mut\n    buffer2 z: [u32] mut\n    buffer3 d: [u32] distinct\n    param0 n: u32\n    param1 w: u32\n    \
         shared0 tile: [u32; 128]\n}}\nfn0 k() -> () {{\n{values}{code}\n    return\n}}\n"
    );
    let module = gridwise_ir::parse::parse(&numbered(&text)).unwrap_or_else(|error| panic!("{error}\n{text}"));
    gridwise_ir::verify::verify(&module).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    module
}

/// The text with numbers in place of names, in the order in which they are defined.
fn numbered(text: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('%') {
        let end = rest[at + 1..].find(|c: char| !c.is_ascii_alphanumeric()).map_or(rest.len(), |len| at + 1 + len);
        let name = &rest[at..end];
        let number = names.iter().position(|known| *known == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        out.push_str(&rest[..at]);
        out.push_str(&format!("%{number}"));
        rest = &rest[end..];
    }
    out + rest
}

#[track_caller]
fn accepts(code: &str, conditions: usize) {
    let analysis = of(code);
    assert!(analysis.races.is_empty(), "{:#?}", analysis.races);
    // Shared memory makes workgroups whole; along y and z, a launch must have one invocation.
    assert_eq!(analysis.conditions.len(), conditions, "{:#?}", analysis.conditions);
}

#[track_caller]
fn refuses(code: &str, reason: Reason) {
    let analysis = of(code);
    assert!(analysis.races.iter().any(|race| race.reason == reason), "{:#?}", analysis.races);
}

#[test]
fn an_element_of_its_own() {
    accepts("    store buffer1[%x !site0] = %one ", 2);
    // It may be read and written again.
    accepts("    %10: u32 = load buffer1[%x !site0]\n    store buffer1[%x !site0] = %10", 2);
}

#[test]
fn an_axis_that_the_index_leaves_out() {
    refuses("    store buffer1[%x !site0] = %y ", Reason::Axis(1));
}

#[test]
fn neighbours_of_what_is_written() {
    refuses(
        "    %10: u32 = add %x, %one\n    %11: u32 = load buffer1[%10 !site0]\n    store buffer1[%x !site0] = %11",
        Reason::Axis(0),
    );
}

#[test]
fn a_stride_that_wraps() {
    // 2^30 · 4 wraps around to the first element.
    let code = "    %10: u32 = const 1073741824\n    %11: u32 = mul %x, %10\n    store buffer1[%11 !site0] = %one ";
    accepts(code, 3);
    let analysis = of(code);
    assert!(format!("{:?}", analysis.conditions).contains("Const(1073741824)"), "{:?}", analysis.conditions);
}

#[test]
fn rows_and_columns() {
    // Below the width nothing is asked of it but that the product does not wrap.
    accepts(
        "    %10: bool = lt %x, %w\n    if %10 {\n    %11: u32 = mul %y, %w\n    %12: u32 = add %11, %x\n    \
         store buffer1[%12 !site0] = %one\n    yield\n    } else {\n    yield\n    }",
        2,
    );
    // Else the launch must have no more columns than the width.
    accepts("    %11: u32 = mul %y, %w\n    %12: u32 = add %11, %x\n    store buffer1[%12 !site0] = %one ", 3);
}

#[test]
fn tickets() {
    let code = |by: u32, more: &str| {
        format!(
            "    %10: u32 = const 0\n    %11: u32 = const {by}\n    %12: u32 = atomic_add buffer2[%10 !site0], %11 relaxed device\n    \
             store buffer1[%12 !site0] = %x\n{more}"
        )
    };
    // The counter exists, and does not begin anew.
    accepts(&code(1, ""), 2);
    // Somebody else writes the counter.
    refuses(&code(1, "    %13: u32 = atomic_exchange buffer2[%10 !site0], %10 relaxed device"), Reason::Axis(0));
    refuses(&code(0, ""), Reason::Axis(0));
    // What a loop adds does not excuse what is added behind it.
    let in_loop = |by: u32| {
        format!(
            "    %20: u32 = const 0\n    %21: u32 = const {by}\n    loop block50(%22: u32 = %20) {{\n    %23: bool = lt %22, %n\n    if %23 {{\n    \
             yield\n    }} else {{\n    break block50()\n    }}\n    %24: u32 = atomic_add buffer2[%20 !site0], %21 relaxed device\n    \
             %25: u32 = add %22, %21\n    continue block50(%25)\n    }}\n"
        )
    };
    let half = format!("{:?}", of(&(in_loop(5) + &code(5, ""))).conditions);
    assert!(half.contains("Const(2147483648)"), "the other half is for the loop: {half}");
    refuses(&(in_loop(5) + &code(1 << 30, "")), Reason::Index);
    refuses(&(in_loop(1 << 30) + &code(1 << 30, "")), Reason::Index);
}

#[test]
fn the_first_row_of_a_triangle() {
    let code = |rest: &str| {
        format!(
            "    %10: u32 = sub %y, %one\n    %11: u32 = mul %y, %10\n    %12: u32 = const 2\n    %13: u32 = div %11, %12\n    \
             %14: bool = lt %y, %n\n    if %14 {{\n{rest}    yield\n    }} else {{\n    yield\n    }}"
        )
    };
    // Rows 0 and 1 both begin at 0: nobody is below row 0.
    refuses(&code("    store buffer1[%13 !site0] = %one\n"), Reason::Axis(1));
}

#[test]
fn numbers_up_to_the_one_before_zero() {
    // `x <= y - 1` always holds where `y` is zero, so that `x` may be beyond the row: the launch must have no more columns.
    let code = "    %10: u32 = sub %y, %one\n    %11: bool = lt %y, %w\n    %12: bool = le %x, %10\n    if %12 {\n    if %11 {\n    \
                %13: u32 = mul %y, %w\n    %14: u32 = add %13, %x\n    store buffer1[%14 !site0] = %one\n    yield\n    } else {\n    \
                yield\n    }\n    yield\n    } else {\n    yield\n    }";
    let analysis = of(code);
    let is_of_columns = |bound: &gridwise_ir::ir::Bound| format!("{bound:?}").contains("Items(0)");
    let asks = analysis.conditions.iter().any(|condition| is_of_columns(&condition.obligation.index));
    assert!(!analysis.races.is_empty() || asks, "{:#?}", analysis.conditions);
}

#[test]
fn a_barrier_between_neighbours() {
    let code = |barrier: &str| {
        format!(
            "    store shared0[%l !site0] = %x\n{barrier}    %10: u32 = add %l, %one\n    \
             %11: u32 = load shared0[%10 !site0]\n    store buffer1[%x !site0] = %11"
        )
    };
    accepts(&code("    barrier workgroup\n"), 2);
    refuses(&code(""), Reason::NoBarrier);
    // That of a subgroup is not one of the workgroup.
    refuses(&code("    barrier subgroup\n"), Reason::NoBarrier);
    let analysis = of(&code(""));
    assert_eq!(analysis.races[0].invocations, Some([[1, 0, 0], [0, 0, 0]]));
}

#[test]
fn one_lane_of_each_subgroup() {
    let elect = "    %20: u32 = subgroup_id\n    %21: bool = subgroup_elect\n    if %21 {\n    \
                 store shared0[%20 !site0] = %x\n    yield\n    } else {\n    yield\n    }\n";
    accepts(&format!("{elect}    store buffer1[%x !site0] = %x"), 2);
    // Behind a branch that memory decides, each side elects another lane.
    let other = elect.replace("%20", "%30").replace("%21", "%31");
    refuses(
        &format!(
            "    %10: u32 = load buffer0[%x !site0]\n    %11: bool = lt %10, %one\n    if %11 {{\n{elect}    yield\n    }} else {{\n{other}    \
             yield\n    }}\n    store buffer1[%x !site0] = %x"
        ),
        Reason::NoBarrier,
    );
}

#[test]
fn a_grid_stride() {
    let code = |step: &str| {
        format!(
            "    %10: vec3<u32> = num_workgroups\n    %11: u32 = extract %10.0\n    %12: u32 = const 64\n    \
             %13: u32 = mul %11, %12\n    loop block50(%14: u32 = %x) {{\n    %15: bool = lt %14, %n\n    if %15 {{\n    yield\n    \
             }} else {{\n    break block50()\n    }}\n    store buffer1[%14 !site0] = %one\n    %16: u32 = add %14, {step}\n    \
             continue block50(%16)\n    }}"
        )
    };
    // Steps are at least as long as the launch, and the last one does not wrap.
    accepts(&code("%13"), 3);
    refuses(&code("%one"), Reason::Axis(0));
}

#[test]
fn accesses_that_an_author_vouches_for_are_left_out() {
    accepts("    store unordered buffer1[%one !site0] = %x ", 0);
    // Only these are: another access of the same element counts as before.
    refuses("    store unordered buffer1[%one !site0] = %x\n    store buffer1[%one !site0] = %x ", Reason::Axis(0));
}

/// The element at an index of the buffer whose elements differ.
fn element(index: &str, result: &str) -> String {
    format!("    {result}: u32 = load buffer3[{index} !site0]\n")
}

#[test]
fn elements_that_differ() {
    let store = "    store buffer1[%10 !site0] = %one ";
    // One along y and z, and no more than there are elements.
    accepts(&format!("{}{store}", element("%x", "%10")), 3);
    // Behind a condition that says so, nothing is asked of the length.
    let behind = |op: &str| {
        format!(
            "    %20: u32 = len buffer3\n    %21: bool = {op} %x, %20\n    if %21 {{\n{}{store}\n    yield\n    }} else {{\n    yield\n    }}",
            element("%x", "%10")
        )
    };
    accepts(&behind("lt"), 2);
    accepts(&behind("le"), 3);
    // Any number may be next to any other one, and sums of two that differ may be equal.
    refuses(
        &format!(
            "{}    %10: u32 = add %11, %one\n    %12: u32 = load buffer1[%11 !site0]\n{store}",
            element("%x", "%11")
        ),
        Reason::Axis(0),
    );
    refuses(&format!("{}    %10: u32 = add %11, %x\n{store}", element("%x", "%11")), Reason::Axis(0));
    // The same element for all, of which there is one.
    accepts(&format!("{}{store}", element("%one", "%10")), 3);
    // The elements of a plain buffer may be equal.
    refuses(&format!("{}{store}", element("%x", "%10").replace("buffer3", "buffer0")), Reason::Axis(0));
}

/// `x <= u32::MAX` says nothing, and `x <= n - 1` says nothing where `n` is zero.
#[test]
fn bounds_that_wrap_are_no_bounds() {
    let behind = |condition: &str| {
        format!(
            "{condition}    if %below {{\n        %at: u32 = rem %x, %n\n        store buffer1[%at !site0] = %one\n        \
             yield\n    }} else {{\n        yield\n    }}"
        )
    };
    let all = behind("    %most: u32 = const 4294967295\n    %below: bool = le %x, %most\n");
    assert!(!of(&all).races.is_empty(), "{:#?}", of(&all).conditions);
    let last = of(&behind("    %last: u32 = sub %n, %one\n    %below: bool = le %x, %last\n"));
    assert!(last.races.is_empty(), "{:#?}", last.races);
    let is_of_zero = |condition: &gridwise_ir::races::Condition| {
        format!("{:?}", condition.obligation.index) == "Const(0)"
            && format!("{:?}", condition.obligation.length).contains("Param")
    };
    assert!(last.conditions.iter().any(is_of_zero), "{:#?}", last.conditions);
}

/// A counter below a number that was checked to be no greater than the length of a row, after which the code goes on.
#[test]
fn counters_below_checked_numbers() {
    let code = |most: u32| {
        format!(
            "    %row: u32 = const 64
    %first: u32 = mul %x, %row
    %most: u32 = const {most}
    store buffer1[%first !site0] = %most
    %count: u32 = load buffer0[%x !site0]
    %many: bool = gt %count, %most
    if %many {{
        return
    }} else {{
        yield
    }}
    %zero: u32 = const 0
    loop block10(%k: u32 = %zero) {{
        %below: bool = lt %k, %count
        if %below {{
            yield
        }} else {{
            break block10()
        }}
        %at: u32 = add %first, %k
        %v: u32 = load buffer1[%at !site0]
        store buffer2[%x !site0] = %v
        %next: u32 = add %k, %one
        continue block10(%next)
    }}"
        )
    };
    accepts(&code(64), 3);
    refuses(&code(65), Reason::Axis(0));
}
