//! Constants of built-in types and of `core`: `f32::EPSILON`, `Vec3::ZERO`, `std::f32::consts::PI`. Device consts are items.

use std::f64::consts;
use std::rc::Rc;

use crate::ast::{Path, ScalarName};
use crate::typed::{ConstValue, Len, Ty};

use super::ty::{builtin_modules, builtin_type};

const FLOATS: &[(&str, f32)] = &[
    ("EPSILON", f32::EPSILON),
    ("MIN", f32::MIN),
    ("MAX", f32::MAX),
    ("MIN_POSITIVE", f32::MIN_POSITIVE),
    ("INFINITY", f32::INFINITY),
    ("NEG_INFINITY", f32::NEG_INFINITY),
    ("NAN", f32::NAN),
];

const DOUBLES: &[(&str, f64)] = &[
    ("EPSILON", f64::EPSILON),
    ("MIN", f64::MIN),
    ("MAX", f64::MAX),
    ("MIN_POSITIVE", f64::MIN_POSITIVE),
    ("INFINITY", f64::INFINITY),
    ("NEG_INFINITY", f64::NEG_INFINITY),
    ("NAN", f64::NAN),
];

/// The constants that describe the format of `f32` or `f64`.
fn float_format(scalar: ScalarName, name: &str) -> Option<ConstValue> {
    let is_wide = scalar == ScalarName::F64;
    let digits = |narrow: u32, wide: u32| Some(ConstValue::U32(if is_wide { wide } else { narrow }));
    let exponent = |narrow: i32, wide: i32| Some(ConstValue::I32(if is_wide { wide } else { narrow }));
    match name {
        "RADIX" => digits(f32::RADIX, f64::RADIX),
        "MANTISSA_DIGITS" => digits(f32::MANTISSA_DIGITS, f64::MANTISSA_DIGITS),
        "DIGITS" => digits(f32::DIGITS, f64::DIGITS),
        "MIN_EXP" => exponent(f32::MIN_EXP, f64::MIN_EXP),
        "MAX_EXP" => exponent(f32::MAX_EXP, f64::MAX_EXP),
        "MIN_10_EXP" => exponent(f32::MIN_10_EXP, f64::MIN_10_EXP),
        "MAX_10_EXP" => exponent(f32::MAX_10_EXP, f64::MAX_10_EXP),
        _ => None,
    }
}

/// Whether Rust gives the type itself a constant of this name, which kernels may lack.
pub(super) fn has_constant(scalar: ScalarName, name: &str) -> bool {
    match scalar {
        ScalarName::Bool => false,
        ScalarName::Char => matches!(name, "MIN" | "MAX" | "REPLACEMENT_CHARACTER" | "UNICODE_VERSION"),
        ScalarName::F16 | ScalarName::Bf16 if half_constant(scalar, name).is_some() => true,
        _ if scalar.is_int() => matches!(name, "MIN" | "MAX" | "BITS"),
        _ => {
            FLOATS.iter().any(|(float, _)| *float == name)
                || matches!(
                    name,
                    "RADIX" | "DIGITS" | "MANTISSA_DIGITS" | "MIN_EXP" | "MAX_EXP" | "MIN_10_EXP" | "MAX_10_EXP"
                )
        }
    }
}

/// The constants of crate `half`.
fn half_constant(scalar: ScalarName, name: &str) -> Option<f64> {
    let (digits, top) = if scalar == ScalarName::F16 { (10, 15) } else { (7, 127) };
    let epsilon = 2f64.powi(-digits);
    let max = (2.0 - epsilon) * 2f64.powi(top);
    let least = 2f64.powi(1 - top);
    Some(match name {
        "EPSILON" => epsilon,
        "MAX" => max,
        "MIN" => -max,
        "MIN_POSITIVE" => least,
        "MIN_POSITIVE_SUBNORMAL" => least * epsilon,
        "MAX_SUBNORMAL" => least - least * epsilon,
        "INFINITY" => f64::INFINITY,
        "NEG_INFINITY" => f64::NEG_INFINITY,
        "NAN" => f64::NAN,
        "ZERO" => 0.0,
        "NEG_ZERO" => -0.0,
        "ONE" => 1.0,
        "NEG_ONE" => -1.0,
        _ => {
            let (_, value) = MATHS.iter().find(|(math, _)| *math == name)?;
            match ConstValue::float(scalar, *value) {
                ConstValue::Float(_, value) => value,
                _ => return None,
            }
        }
    })
}

/// `f32::consts` and `f64::consts`; each of the former is the latter rounded.
pub(super) const MATHS: &[(&str, f64)] = &[
    ("PI", consts::PI),
    ("TAU", consts::TAU),
    ("E", consts::E),
    ("SQRT_2", consts::SQRT_2),
    ("LN_2", consts::LN_2),
    ("LN_10", consts::LN_10),
    ("LOG2_E", consts::LOG2_E),
    ("LOG2_10", consts::LOG2_10),
    ("LOG10_E", consts::LOG10_E),
    ("LOG10_2", consts::LOG10_2),
    ("FRAC_PI_2", consts::FRAC_PI_2),
    ("FRAC_PI_3", consts::FRAC_PI_3),
    ("FRAC_PI_4", consts::FRAC_PI_4),
    ("FRAC_PI_6", consts::FRAC_PI_6),
    ("FRAC_PI_8", consts::FRAC_PI_8),
    ("FRAC_1_PI", consts::FRAC_1_PI),
    ("FRAC_2_PI", consts::FRAC_2_PI),
    ("FRAC_2_SQRT_PI", consts::FRAC_2_SQRT_PI),
    ("FRAC_1_SQRT_2", consts::FRAC_1_SQRT_2),
];

/// The names of the constants of `f32::consts`.
pub(crate) fn math_constants() -> impl Iterator<Item = &'static str> {
    MATHS.iter().map(|(name, _)| *name)
}

/// Whether a name is that of a constant of `f32::consts`.
pub(crate) fn is_math_constant(name: &str) -> bool {
    MATHS.iter().any(|(math, _)| *math == name)
}

/// Whether a bare name stands for that constant of `f32::consts`, which the module around imports: that it is this one is asserted
/// where the name is used. `E` may be anything.
pub(crate) fn is_bare_math_constant(name: &str) -> bool {
    name != "E" && is_math_constant(name)
}

/// The constant that a path names.
pub(super) fn builtin_constant(path: &Path) -> Option<(Ty, ConstValue)> {
    let segments: Vec<String> = path.segments.iter().map(ToString::to_string).collect();
    match segments.as_slice() {
        [name] if is_bare_math_constant(name) => {
            let (_, value) = MATHS.iter().find(|(math, _)| math == name)?;
            Some((Ty::F32, ConstValue::float(ScalarName::F32, *value)))
        }
        [modules @ .., module, name] if module == "consts" => {
            let (scalar, modules) = match modules {
                [modules @ .., module] if module == "f64" => (ScalarName::F64, modules),
                [modules @ .., module] if module == "f32" => (ScalarName::F32, modules),
                _ => (ScalarName::F32, modules),
            };
            let (_, value) = MATHS.iter().find(|(math, _)| math == name)?;
            let value = ConstValue::float(scalar, *value);
            builtin_modules(modules.iter().cloned()).then_some((Ty::Scalar(scalar), value))
        }
        [.., ty, name] => {
            let ty = builtin_type(ty)?;
            let value = associated_constant(&ty, name)?;
            let ty = match (&ty, name.as_str()) {
                (Ty::Vector(_, lanes), "AXES") => Ty::Array(Rc::new(ty.clone()), Len::Known((*lanes).into())),
                (_, "BITS" | "RADIX" | "MANTISSA_DIGITS" | "DIGITS") => Ty::U32,
                (_, "MIN_EXP" | "MAX_EXP" | "MIN_10_EXP" | "MAX_10_EXP") => Ty::I32,
                _ => ty,
            };
            Some((ty, value))
        }
        _ => None,
    }
}

/// `T::NAME`
fn associated_constant(ty: &Ty, name: &str) -> Option<ConstValue> {
    match ty {
        Ty::Scalar(scalar) => scalar_constant(*scalar, name),
        Ty::Vector(scalar, lanes) if name == "AXES" && *scalar != ScalarName::Bool => {
            let axes = ["X", "Y", "Z", "W"].into_iter().take((*lanes).into());
            Some(ConstValue::Aggregate(axes.filter_map(|axis| associated_constant(ty, axis)).collect()))
        }
        Ty::Vector(scalar, lanes) => {
            let lane = vector_constant(*scalar, *lanes, name)?;
            Some(ConstValue::Aggregate((0..*lanes).map(lane).collect()))
        }
        Ty::Matrix(_) | Ty::Quat => crate::builtin::matrix::constant(ty, name),
        _ => None,
    }
}

fn scalar_constant(scalar: ScalarName, name: &str) -> Option<ConstValue> {
    Some(match (scalar, name) {
        (ScalarName::F32 | ScalarName::F64, _) if float_format(scalar, name).is_some() => float_format(scalar, name)?,
        (ScalarName::F32, _) => ConstValue::F32(FLOATS.iter().find(|(float, _)| *float == name)?.1),
        (ScalarName::F64, _) => ConstValue::Float(scalar, DOUBLES.iter().find(|(float, _)| *float == name)?.1),
        (ScalarName::F16 | ScalarName::Bf16, _) => ConstValue::Float(scalar, half_constant(scalar, name)?),
        (ScalarName::Bool, _) => return None,
        // The bits, all of which are ones.
        (ScalarName::U128, "MAX") => ConstValue::Int(scalar, -1),
        (_, "MIN") => ConstValue::int(scalar, scalar.limits().0)?,
        (_, "MAX") => ConstValue::int(scalar, scalar.limits().1)?,
        (ScalarName::Char, "REPLACEMENT_CHARACTER") => {
            ConstValue::Int(scalar, u32::from(char::REPLACEMENT_CHARACTER).into())
        }
        (ScalarName::Char, "BITS") => return None,
        (_, "BITS") => ConstValue::U32(scalar.bits()),
        _ => return None,
    })
}

type Lane = Box<dyn Fn(u8) -> ConstValue>;

/// The lanes of a vector type's constant.
fn vector_constant(scalar: ScalarName, lanes: u8, name: &str) -> Option<Lane> {
    let number = move |value: i8| match scalar {
        ScalarName::F32 => ConstValue::F32(f32::from(value)),
        ScalarName::I32 => ConstValue::I32(i32::from(value)),
        _ => ConstValue::U32(u32::from(value.unsigned_abs())),
    };
    if scalar == ScalarName::Bool {
        let value = match name {
            "TRUE" => true,
            "FALSE" => false,
            _ => return None,
        };
        return Some(Box::new(move |_| ConstValue::Bool(value)));
    }
    let signed = scalar != ScalarName::U32;
    let (sign, axis) = match name.strip_prefix("NEG_") {
        Some(axis) if signed => (-1, axis),
        Some(_) => return None,
        None => (1, name),
    };
    let axes = ["X", "Y", "Z", "W"];
    if let Some(position) = axes.iter().position(|letter| *letter == axis).filter(|axis| *axis < usize::from(lanes)) {
        // Positive zeros in the other lanes, as glam has them.
        return Some(Box::new(move |lane| number(if usize::from(lane) == position { sign } else { 0 })));
    }
    match name {
        "ZERO" => Some(Box::new(move |_| number(0))),
        "ONE" => Some(Box::new(move |_| number(1))),
        "NEG_ONE" if signed => Some(Box::new(move |_| number(-1))),
        "MIN" | "MAX" | "NAN" | "INFINITY" | "NEG_INFINITY" => {
            let value = scalar_constant(scalar, name)?;
            Some(Box::new(move |_| value.clone()))
        }
        _ => None,
    }
}
