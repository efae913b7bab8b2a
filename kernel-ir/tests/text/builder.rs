//! The builder: what it makes prints as expected and verifies.

use expect_test::{Expect, expect};
use gridwise_ir::builder::{FunctionBuilder, ModuleBuilder};
use gridwise_ir::ir::Place;
use gridwise_ir::op::Op;
use gridwise_ir::parse::parse;
use gridwise_ir::types::Scalar;
use gridwise_ir::verify::verify;

/// Builds `fn(n: u32, on: bool) -> u32` and checks its text.
#[track_caller]
fn check(expected: &Expect, build: impl FnOnce(&mut FunctionBuilder<'_>)) {
    let mut module = ModuleBuilder::new();
    let u32_ = module.types_mut().scalar(Scalar::U32);
    let bool_ = module.types_mut().scalar(Scalar::Bool);
    let mut b = module.function("f", &[("n", u32_), ("on", bool_)], u32_);
    build(&mut b);
    b.finish();
    let module = module.finish();
    expected.assert_eq(&module.to_string());
    if let Err(errors) = verify(&module) {
        panic!("{errors}");
    }
    assert_eq!(parse(&module.to_string()).unwrap().to_string(), module.to_string());
}

#[test]
fn loops_carry_values() {
    let expected = expect![[r#"
        fn0 f(%0 "n": u32, %1 "on": bool) -> u32 {
            %2: u32 = const 0
            loop block1(%3: u32 = %2) -> (%7: u32) {
                %4: bool = ge %3, %0
                if %4 {
                    break block1(%3)
                } else {
                    yield
                }
                %5: u32 = const 1
                %6: u32 = add %3, %5
                continue block1(%6)
            }
            return %7
        }
    "#]];
    check(&expected, |b| {
        let n = b.arguments()[0];
        let zero = b.const_u32(0);
        let u32_ = b.value_type(n);
        let results = b.loop_(&[zero], &[u32_], |b, label, carried| {
            let done = b.op(Op::Ge, &[carried[0], n]);
            b.if_(
                done,
                &[],
                |b| {
                    b.break_(label, &[carried[0]]);
                    Vec::new()
                },
                |_| Vec::new(),
            );
            let one = b.const_u32(1);
            let next = b.op(Op::Add, &[carried[0], one]);
            b.continue_(label, &[next]);
        });
        b.return_(Some(results[0]));
    });
}

#[test]
fn code_behind_terminators_is_dropped() {
    let expected = expect![[r#"
        fn0 f(%0 "n": u32, %1 "on": bool) -> u32 {
            local0 x: u32
            if %1 -> (%3: u32) {
                return %0
            } else {
                return %0
            }
            unreachable
        }
    "#]];
    check(&expected, |b| {
        let (n, on) = (b.arguments()[0], b.arguments()[1]);
        let u32_ = b.value_type(n);
        let x = b.new_local("x", u32_);
        let (then_block, else_block) = (b.new_block(), b.new_block());
        let parent = b.switch_to(then_block);
        b.return_(Some(n));
        assert!(b.is_terminated());
        let dropped = b.op(Op::Add, &[n, n]);
        b.yield_(&[dropped]);
        b.switch_to(else_block);
        b.return_(Some(n));
        b.switch_to(parent);
        let results = b.push_if(on, then_block, else_block, &[u32_]);
        assert!(b.is_terminated());
        b.store(Place::local(x), results[0]);
        b.return_(Some(results[0]));
    });
}

#[test]
fn blocks_left_open_are_closed() {
    let expected = expect![[r#"
        fn0 f(%0 "n": u32, %1 "on": bool) -> u32 {
            switch %0 {
                case 3 {
                    loop block3() {
                        continue block3()
                    }
                    unreachable
                }
                default {
                    yield
                }
            }
            return %0
        }
    "#]];
    check(&expected, |b| {
        let n = b.arguments()[0];
        let (case, default) = (b.new_block(), b.new_block());
        let parent = b.switch_to(case);
        b.loop_(&[], &[], |_, _, _| {});
        b.switch_to(parent);
        b.push_switch(n, &[(3, case)], default, &[]);
        b.return_(Some(n));
    });
}

#[test]
fn endless_loops_end_the_block() {
    let expected = expect![[r#"
        fn0 f(%0 "n": u32, %1 "on": bool) -> u32 {
            loop block1() {
                if %1 {
                    return %0
                } else {
                    yield
                }
                continue block1()
            }
            unreachable
        }
    "#]];
    check(&expected, |b| {
        let (n, on) = (b.arguments()[0], b.arguments()[1]);
        b.loop_(&[], &[], |b, _, _| {
            b.if_(
                on,
                &[],
                |b| {
                    b.return_(Some(n));
                    Vec::new()
                },
                |_| Vec::new(),
            );
        });
        let late = b.const_u32(1);
        b.return_(Some(late));
    });
}

#[test]
fn values_of_all_kinds() {
    let expected = expect![[r#"
        fn0 f(%0 "n": u32, %1 "on": bool) -> u32 {
            local0 cell: (vec2<f32>, bool)
            %2: f32 = cast %0
            %3: vec2<f32> = compose %2, %2
            %4: vec2<bool> = lt %3, %3
            %5: vec2<f32> = select %4, %3, %3
            %6: f32 = const -0.0
            %7: vec2<f32> = insert %5.1, %6
            store local0.0 = %7
            %8 "x": f32 = load local0.0.1
            %9: u32 = bitcast %8
            %10: (vec2<f32>, bool) = const zero
            %11: bool = extract %10.1
            %12: i32 = const -2147483648
            %13: bool = const false
            return %9
        }
    "#]];
    check(&expected, |b| {
        use gridwise_ir::ir::Step::Field;
        use gridwise_ir::types::Type;
        let n = b.arguments()[0];
        let f32_ = b.types_mut().scalar(Scalar::F32);
        let vec2 = b.types_mut().vector(Scalar::F32, 2);
        let bool_ = b.types_mut().scalar(Scalar::Bool);
        let pair = b.types_mut().intern(Type::Tuple(vec![vec2, bool_]));
        let cell = b.new_local("cell", pair);
        let x = b.cast(n, f32_);
        let xx = b.compose(vec2, &[x, x]);
        let less = b.op(Op::Lt, &[xx, xx]);
        let chosen = b.op(Op::Select, &[less, xx, xx]);
        let zero = b.const_f32(-0.0);
        let changed = b.insert(chosen, zero, &[1]);
        let mut place = Place::local(cell);
        place.path.push(Field(0));
        b.store(place.clone(), changed);
        place.path.push(Field(1));
        assert_eq!(b.place_type(&place), f32_);
        let loaded = b.load(place);
        b.set_name(loaded, "x");
        let u32_ = b.value_type(n);
        let bits = b.bitcast(loaded, u32_);
        let none = b.zero(pair);
        b.extract(none, &[1]);
        b.const_i32(i32::MIN);
        b.const_bool(false);
        b.return_(Some(bits));
    });
}
