//! Errors of the parser: where and what.

use gridwise_ir::parse::parse;

#[track_caller]
fn fails(text: &str, expected: &str) {
    match parse(text) {
        Ok(module) => panic!("parsed:\n{module}"),
        Err(error) => assert_eq!(error.to_string(), expected),
    }
}

/// A function with this body.
#[track_caller]
fn fails_inside(body: &str, expected: &str) {
    fails(&format!("fn0 f() -> () {{\n{body}\n}}"), expected);
}

#[test]
fn modules() {
    fails("fn1 f() -> () {}", "1:1: expected `fn0`, the next function id, found `fn1`");
    fails("file0 \"a\"\nfile0 \"b\"", "2:1: expected `file1`, the next file id, found `file0`");
    fails("file0 \"a", "1:7: expected a string, found no `\"` at its end");
    fails("file0 \"\\q\"", "1:7: expected an escape of Rust in the string");
    fails("site0 overheated @file0:1:1 \"x\"", "1:7: expected a kind of site, found `overheated`");
    fails("struct0 S { }", "1:13: expected a name, found `}`");
    fails("struct0 S { a: struct0 }", "1:16: expected a type, found `struct0`");
    fails("struct0 S { a: vec5<f32> }", "1:16: expected a type, found `vec5`");
    fails("struct0 S { a: vec3<u128> }", "1:21: expected a scalar type, found `u128`");
    fails("struct0 S { a: [f32 4] }", "1:21: expected `;`, found `4`");
    fails("kernel fn0 workgroup(1, 1) {}", "1:26: expected `,`, found `)`");
    fails("kernel fn0 workgroup(1, 1, 1) { x }", "1:33: expected `param0`, the next param id, found `x`");
    fails("fn0 f() {}", "1:9: expected `->`, found `{`");
    fails("fn0 f() -> () {", "1:16: expected an instruction, found the end");
}

#[test]
fn instructions() {
    fails_inside("  jump", "2:3: expected an instruction, found `jump`");
    fails_inside("%0: f32 = jump", "2:11: expected an operation that defines a value, found `jump`");
    fails_inside("%0 = const 1", "2:4: expected `:`, found `=`");
    fails_inside("%0: f32 = const", "3:1: expected a literal, found `}`");
    fails_inside("%0: u32 = const 1.5", "2:17: expected a literal of the value's type, found `1.5`");
    fails_inside("%0: u32 = const -1", "2:17: expected a literal of the value's type, found `-1`");
    fails_inside("%0: f32 = const bits 12", "2:22: expected hexadecimal bits (`0x7fc00000`), found `12`");
    fails_inside("%0: u32 = global_id\n%0: u32 = global_id", "3:1: %0 is defined twice");
    fails_inside("%99999999: u32 = global_id", "2:1: %99999999 has too large a number");
    fails_inside("loop block1() { loop block1() {} }", "2:22: block1 is defined twice");
    fails_inside("store param0 = %1", "2:7: expected a `local`, `buffer` or `shared` id, found `param0`");
    fails_inside("store local0[1] = %1", "2:14: expected a value, found `1`");
    fails_inside("if %1 { yield }", "3:1: expected `else`, found `}`");
    fails_inside("return @file0:1", "3:1: expected `:`, found `}`");
}
