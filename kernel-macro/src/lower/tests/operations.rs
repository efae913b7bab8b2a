//! Every operator and method of integers computes what rustc computes: on all pairs of bytes, on all pairs of edges and on
//! noise of wider types; as lowered, after the passes, and with the operands written as literals, which the passes fold.
//! `GRIDWISE_LONG=1` tries 2^20 pairs of each wider type instead of 2^12.

use gridwise_ir::interpret::{Inputs, Options, Value, run};
use gridwise_ir::ir::{Constant, Module};
use gridwise_ir::passes::eval::from_bits;
use gridwise_ir::passes::optimize;
use gridwise_ir::types::Scalar;

use super::harness::kernel_module;

/// Invocations of the kernels.
const GROUP: usize = 64;

/// The operations of a type: their texts, and rustc's results.
struct Operations<T> {
    texts: Vec<String>,
    results: fn(T, T) -> Vec<u64>,
}

/// Operations that rustc and a kernel spell alike, then those that rustc must spell otherwise: debug builds trap.
macro_rules! operations {
    (($a:ident, $b:ident, $n:ident, $d:ident): $ty:ident; $($same:expr,)+; $($text:literal => $value:expr,)+) => {
        Operations::<$ty> {
            texts: [$(stringify!($same),)+ $($text,)+].map(|text: &str| text.replace('\n', " ")).to_vec(),
            results: |$a, $b| {
                #[allow(unused, reason = "not each list names all")]
                let ($n, $d) = ($b as u32, if $b == 0 { 3 } else { $b });
                vec![$(($same) as u64,)+ $(($value) as u64,)+]
            },
        }
    };
}

/// The operations that all integers have, and `more`.
macro_rules! all {
    ($ty:ident: $($more:expr,)*) => { vec![common!($ty), $($more,)*] };
}

macro_rules! common {
    ($ty:ident) => { operations! { (a, b, n, d): $ty;
        a & b, a | b, a ^ b, !a, a == b, a != b, a < b, a <= b, a > b, a >= b, a.min(b), a.max(b),
        a.wrapping_add(b), a.wrapping_sub(b), a.wrapping_mul(b), a.wrapping_div(d), a.wrapping_rem(d),
        a.wrapping_div_euclid(d), a.wrapping_rem_euclid(d), a.wrapping_neg(), a.wrapping_shl(n), a.wrapping_shr(n),
        a.wrapping_pow(n % 70),
        a.overflowing_add(b).0, a.overflowing_add(b).1, a.overflowing_sub(b).0, a.overflowing_sub(b).1,
        a.overflowing_mul(b).0, a.overflowing_mul(b).1, a.overflowing_div(d).0, a.overflowing_div(d).1,
        a.overflowing_rem(d).0, a.overflowing_rem(d).1, a.overflowing_neg().0, a.overflowing_neg().1,
        a.overflowing_shl(n).0, a.overflowing_shl(n).1, a.overflowing_shr(n).0, a.overflowing_shr(n).1,
        a.overflowing_pow(n % 70).0, a.overflowing_pow(n % 70).1,
        a.overflowing_div_euclid(d).0, a.overflowing_rem_euclid(d).1,
        a.checked_add(b).unwrap_or(71), a.checked_sub(b).unwrap_or(72), a.checked_mul(b).unwrap_or(73),
        a.checked_div(b).unwrap_or(74), a.checked_rem(b).unwrap_or(75), a.checked_neg().unwrap_or(76),
        a.checked_shl(n).unwrap_or(77), a.checked_shr(n).unwrap_or(78), a.checked_pow(n % 70).unwrap_or(79),
        a.checked_div_euclid(b).unwrap_or(80), a.checked_rem_euclid(b).unwrap_or(81),
        a.checked_add(b).is_none(), a.checked_mul(b).is_none(), a.checked_pow(n % 70).is_none(),
        a.saturating_add(b), a.saturating_sub(b), a.saturating_mul(b), a.saturating_div(d), a.saturating_pow(n % 70),
        a.rotate_left(n), a.rotate_right(n), a.swap_bytes(), a.reverse_bits(), a.abs_diff(b), a.midpoint(b),
        a.count_ones(), a.count_zeros(), a.leading_zeros(), a.leading_ones(), a.trailing_zeros(), a.trailing_ones(),
        a.checked_ilog2().unwrap_or(99), a.clamp(b.min(5), b.max(5)),
        a as u8, a as i8, a as u16, a as i16, a as u32, a as i32, a as i64,;
        "a + b" => a.wrapping_add(b), "a - b" => a.wrapping_sub(b), "a * b" => a.wrapping_mul(b),
        "a << b" => a.wrapping_shl(b as u32), "a >> b" => a.wrapping_shr(b as u32),
        "a << n" => a.wrapping_shl(n), "a >> n" => a.wrapping_shr(n),
        "a.pow(n % 9)" => a.wrapping_pow(n % 9),
    } };
}

macro_rules! signed {
    ($ty:ident) => { operations! { (a, b, n, d): $ty;
        a.wrapping_abs(), a.overflowing_abs().0, a.overflowing_abs().1, a.checked_abs().unwrap_or(82), a.saturating_abs(),
        a.saturating_neg(), a.unsigned_abs(), a.signum(), a.is_positive(), a.is_negative(), a.cast_unsigned(),
        a.wrapping_add_unsigned(b.unsigned_abs()), a.checked_sub_unsigned(b.unsigned_abs()).unwrap_or(83),
        a.saturating_add_unsigned(b.unsigned_abs()), a.overflowing_sub_unsigned(b.unsigned_abs()).1,;
        "-a" => a.wrapping_neg(), "a.abs()" => a.wrapping_abs(),
        "if d == -1 { 5 } else { a / d }" => if d == -1 { 5 } else { a / d },
        "if d == -1 { 5 } else { a % d }" => if d == -1 { 5 } else { a % d },
        "if d == -1 { 5 } else { a.div_euclid(d) }" => if d == -1 { 5 } else { a.div_euclid(d) },
        "if d == -1 { 5 } else { a.rem_euclid(d) }" => if d == -1 { 5 } else { a.rem_euclid(d) },
    } };
}

macro_rules! unsigned {
    ($ty:ident) => { operations! { (a, b, n, d): $ty;
        a / d, a % d, a.div_euclid(d), a.rem_euclid(d), a.div_ceil(d), a.isqrt(), a.is_power_of_two(), a.cast_signed(),
        a.checked_next_power_of_two().unwrap_or(82), a.checked_next_power_of_two().is_none(),
        a.wrapping_add_signed(b.cast_signed()), a.checked_add_signed(b.cast_signed()).unwrap_or(83),
        a.saturating_add_signed(b.cast_signed()), a.overflowing_add_signed(b.cast_signed()).1,
        (a >> 1).next_multiple_of((d >> 1) | 1),;
        "a + 0" => a,
    } };
}

macro_rules! integers {
    ($($name:ident $ty:ident $scalar:ident $kind:ident;)+) => { $(
        #[test]
        #[allow(clippy::all, reason = "one list for all types")]
        fn $name() {
            let lists = all!($ty: $kind!($ty),);
            let edges: [$ty; 12] =
                [0, 1, 2, 3, 7, $ty::BITS as $ty, $ty::MAX, $ty::MAX - 1, $ty::MIN, $ty::MIN + 1, !0, !1];
            let mut pairs: Vec<($ty, $ty)> = edges.iter().flat_map(|a| edges.iter().map(|b| (*a, *b))).collect();
            for operations in &lists {
                for (a, b) in &pairs {
                    literals(stringify!($ty), &format!("{a:?}"), &format!("{b:?}"), &operations.texts, &(operations.results)(*a, *b));
                }
            }
            if $ty::BITS == 8 {
                pairs.extend((0..=255u8).flat_map(|a| (0..=255u8).map(move |b| (a as $ty, b as $ty))));
            } else {
                // Numbers of all magnitudes.
                let number = |bits: u64, by: u64| (bits >> (by % 64)) as $ty;
                let mut noise = noise();
                let mut next = || noise.next().unwrap_or(0);
                pairs.extend((0..noisy_pairs()).map(|_| (number(next(), next()), number(next(), next()))));
            }
            for operations in &lists {
                let results: Vec<_> = pairs.iter().map(|(a, b)| (operations.results)(*a, *b)).collect();
                let constants: Vec<_> = pairs.iter().map(|(a, b)| [*a, *b].map(|v| from_bits(v as u64, Scalar::$scalar))).collect();
                arguments(stringify!($ty), &constants, &operations.texts, &results);
            }
        }
    )+ };
}

integers! {
    every_operation_of_i8 i8 I8 signed;
    every_operation_of_u8 u8 U8 unsigned;
    every_operation_of_i16 i16 I16 signed;
    every_operation_of_u16 u16 U16 unsigned;
    every_operation_of_i32 i32 I32 signed;
    every_operation_of_u32 u32 U32 unsigned;
    every_operation_of_i64 i64 I64 signed;
    every_operation_of_u64 u64 U64 unsigned;
}

fn noisy_pairs() -> usize {
    if std::env::var_os("GRIDWISE_LONG").is_some() { 1 << 20 } else { 1 << 12 }
}

/// Noise, by Marsaglia's xorshift64.
fn noise() -> impl Iterator<Item = u64> {
    std::iter::successors(Some(0x9e37_79b9_7f4a_7c15u64), |state| {
        let mut next = *state;
        next ^= next << 13;
        next ^= next >> 7;
        next ^= next << 17;
        Some(next)
    })
}

/// All operations in one kernel, whose operands are literals.
fn literals(ty: &str, a: &str, b: &str, texts: &[String], expected: &[u64]) {
    let header = format!("let a: {ty} = {a}; let b: {ty} = {b};");
    let module = kernel(&header, "", texts);
    for module in stages(module) {
        let found = outcome(&module, 1, vec![vec![scalar(Constant::Bits(Scalar::U64, 0)); texts.len()]]);
        for ((text, expected), found) in texts.iter().zip(expected).zip(found) {
            assert_eq!(found, *expected, "`{text}` where `{header}`");
        }
    }
}

/// All operations in one kernel, whose operands come from buffers.
fn arguments(ty: &str, pairs: &[[Constant; 2]], texts: &[String], expected: &[Vec<u64>]) {
    let module =
        kernel("let i = global_id().x; let (a, b) = (x[i], y[i]);", &format!("x: &[{ty}], y: &[{ty}], "), texts);
    // A few at a time: the values of a whole type take much memory.
    const TAKEN: usize = 4096;
    // As lowered, an eighth of them: that is slow, and the passes have the last word.
    for (module, step) in stages(module).into_iter().zip([8, 1]) {
        for (pairs, expected) in pairs.chunks(TAKEN).zip(expected.chunks(TAKEN)).step_by(step) {
            let operands = |which: usize| pairs.iter().map(|pair| scalar(pair[which])).collect::<Vec<_>>();
            let out = vec![scalar(Constant::Bits(Scalar::U64, 0)); pairs.len() * texts.len()];
            let found = outcome(&module, pairs.len(), vec![operands(0), operands(1), out]);
            for ((pair, expected), found) in pairs.iter().zip(expected).zip(found.chunks(texts.len())) {
                for ((text, expected), found) in texts.iter().zip(expected).zip(found) {
                    assert_eq!(found, expected, "`{text}` of {pair:?}");
                }
            }
        }
    }
}

fn kernel(header: &str, params: &str, texts: &[String]) -> Module {
    let index = if params.is_empty() { "0".to_owned() } else { format!("i * {}", texts.len()) };
    let assignments = texts.iter().enumerate().map(|(at, text)| format!("out[{index} + {at}] = ({text}) as u64;\n"));
    let assignments: String = assignments.collect();
    kernel_module(&format!(
        "fn kernel({params}out: &mut [u64]) {{ {header} let n = b as u32; let d = if b == 0 {{ 3 }} else {{ b }};\n{assignments} }}"
    ))
}

fn stages(module: Module) -> [Module; 2] {
    let mut optimised = module.clone();
    let _ = optimize(&mut optimised);
    [module, optimised]
}

fn scalar(constant: Constant) -> Value {
    Value::Scalar(constant)
}

/// The last buffer after a launch.
fn outcome(module: &Module, items: usize, buffers: Vec<Vec<Value>>) -> Vec<u64> {
    let [groups, items] = [items.div_ceil(GROUP), items].map(|count| [count as u32, 1, 1]);
    let inputs = Inputs { groups, items: Some(items), params: Vec::new(), buffers, ..Inputs::default() };
    let outcome = run(module, &inputs, &Options { finds_races: false, ..Options::default() });
    assert!(outcome.traps.is_empty() && outcome.findings.is_empty(), "{:?} {:?}", outcome.traps, outcome.findings);
    let last = outcome.buffers.into_iter().next_back().expect("a buffer");
    let bits = last.into_iter().map(|value| match value {
        Value::Scalar(Constant::Bits(_, bits)) => bits,
        other => panic!("{other:?} is no u64"),
    });
    bits.collect()
}
