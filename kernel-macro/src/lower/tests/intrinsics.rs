//! Built-in functions and methods against rustc's and glam's, and the whole table through the verifier.

use glam::{BVec3, IVec2, IVec3, IVec4, Mat2, Mat3, Mat4, Quat, UVec2, UVec3, UVec4, Vec2, Vec3, Vec4};

use super::eval::{Datum, call};
use super::harness::device_module;
use super::twin::twin;
use crate::builtin::intrinsic::{Kind, Receiver, Row, Sig, rows};

#[test]
fn float_methods() {
    twin! { fn f(a: f32) -> (f32, f32, f32, f32) { (a.abs(), a.sqrt(), a.recip(), a.fract()) } }
    twin! { fn f(a: f32) -> (f32, f32, f32) { (a.signum(), a.to_degrees(), a.to_radians()) } }
    twin! { fn f(a: f32) -> (f32, f32, f32, f32) { (a.floor(), a.ceil(), a.round(), a.trunc()) } }
    twin! { fn f(a: f32) -> ((f32, f32), f32, f32) { (a.sin_cos(), a.tan(), a.round_ties_even()) } }
    twin! { fn f(a: f32) -> (bool, bool, bool) { (a.is_nan(), a.is_infinite(), a.is_finite()) } }
    twin! { fn f(a: f32) -> (bool, bool, u32) { (a.is_sign_negative(), a.is_sign_positive(), (a + 0.0).to_bits() & 0xff80_0000) } }
    twin! { fn f(a: u32) -> f32 { f32::from_bits(a) } }
    twin! { fn f(a: f32, b: f32) -> (f32, f32) { (a.copysign(b), a.atan2(b)) } }
    twin! { fn f(a: f32, b: f32) -> (f32, f32) { (a.rem_euclid(b), a.div_euclid(b)) } }
    twin! { fn f(a: f32, b: f32) -> (f32, f32, f32) { (a.min(b) + 0.0, a.max(b) + 0.0, f32::max(a, b) + 0.0) } }
    twin! { fn f(a: f32, b: f32, c: f32) -> f32 { a.clamp(b, c) } }
    twin! { fn f(a: f32) -> f32 { a.clamp(-1.0, 2.0) } }
    twin! { fn f(a: f32, b: f32, c: f32) -> f32 { a.mul_add(b, c) } }
    twin! { fn f(a: f32, b: f32) -> (f32, f32) { (a.powf(b), a.log(b)) } }
}

#[test]
fn approximate_float_methods() {
    twin! { close(4) [] fn f(a: f32) -> f32 { a.log10() } }
    twin! { close(2) [] fn f(a: f32, b: f32) -> f32 { a.hypot(b) } }
}

#[test]
fn powi() {
    twin! { close(1) [] fn f(a: f32, n: i32) -> f32 { a.powi(n % 40) } }
    twin! { fn f(a: f32, n: i32) -> f32 { if n == 2147483647 || n < -2147483646 { a.powi(n) } else { 0.0 } } }
    twin! { close(1) [] fn f(a: f32) -> (f32, f32, f32, f32) { (a.powi(0), a.powi(2), a.powi(-3), a.powi(7)) } }
}

#[test]
fn integer_methods() {
    twin! { fn f(a: i32, b: i32) -> (i32, i32, i32) { (a.wrapping_add(b), a.wrapping_sub(b), a.wrapping_mul(b)) } }
    twin! { fn f(a: i32, n: u32) -> (i32, i32, i32) { (a.wrapping_neg(), a.wrapping_shl(n), a.wrapping_shr(n)) } }
    twin! { fn f(a: u32, n: u32) -> (u32, u32, u32) { (a.wrapping_neg(), a.wrapping_shl(n), a.wrapping_shr(n)) } }
    twin! { fn f(a: i32, b: i32) -> (i32, i32, u32) { (a.saturating_add(b), a.saturating_sub(b), a.abs_diff(b)) } }
    twin! { fn f(a: u32, b: u32) -> (u32, u32, u32) { (a.saturating_add(b), a.saturating_sub(b), a.abs_diff(b)) } }
    twin! { fn f(a: i32, n: u32) -> (i32, i32, i32) { (a.rotate_left(n), a.rotate_right(n), a.swap_bytes()) } }
    twin! { fn f(a: u32, n: u32) -> (u32, u32, u32) { (a.rotate_left(n), a.rotate_right(n), a.swap_bytes()) } }
    twin! { fn f(a: i32) -> (u32, u32, u32, u32) { (a.count_ones(), a.count_zeros(), a.leading_zeros(), a.trailing_zeros()) } }
    twin! { fn f(a: u32) -> (u32, u32, u32, bool) { (a.count_zeros(), a.leading_zeros(), a.reverse_bits(), a.is_power_of_two()) } }
    twin! { fn f(a: i32) -> (u32, i32, bool, bool) { (a.unsigned_abs(), a.signum(), a.is_positive(), a.is_negative()) } }
    twin! { fn f(a: i32, b: i32) -> (i32, i32) { (a.min(b), a.max(b)) } }
    twin! { fn f(a: i32, b: i32, c: i32) -> i32 { a.clamp(b, c) } }
    twin! { fn f(a: u32, b: u32, c: u32) -> u32 { a.clamp(b, c) } }
    twin! { fn f(a: i32) -> i32 { a.abs() } }
}

#[test]
fn integer_division_and_powers() {
    twin! { fn f(a: i32, b: i32) -> i32 { a.rem_euclid(b) } }
    twin! { fn f(a: i32, b: i32) -> i32 { a.div_euclid(b) } }
    twin! { fn f(a: u32, b: u32) -> (u32, u32) { (a.rem_euclid(b), a.div_euclid(b)) } }
    twin! { fn f(a: u32, b: u32) -> u32 { a.div_ceil(b) } }
    twin! { fn f(a: u32, b: u32) -> u32 { a.next_multiple_of(b) } }
    twin! { fn f(a: i32, n: u32) -> i32 { a.pow(n % 9) } }
    twin! { fn f(a: u32) -> (u32, u32, u32) { ((a & 63).pow(0), (a & 63).pow(1), (a & 63).pow(5)) } }
}

#[test]
fn vector_methods() {
    twin! { fn f(a: Vec3, b: Vec3) -> (f32, Vec3, f32) { (a.dot(b), a.cross(b), a.distance(b)) } }
    twin! { fn f(a: Vec4, b: Vec4) -> (f32, f32, f32, f32) { (a.dot(b), a.distance(b), a.length(), a.length_squared()) } }
    twin! { fn f(a: Vec2, b: Vec2) -> (f32, f32, f32, f32) { (a.dot(b), a.perp_dot(b), a.length(), a.distance_squared(b)) } }
    twin! { fn f(a: Vec2, b: Vec3, c: Vec4) -> (Vec2, Vec3, Vec4) { (a.normalize(), b.normalize(), c.normalize()) } }
    twin! { fn f(a: Vec3, b: Vec3, s: f32) -> Vec3 { a.lerp(b, s) } }
    twin! { fn f(a: Vec4, b: Vec4, s: f32) -> Vec4 { a.lerp(b, s) } }
    twin! { fn f(a: Vec3, b: Vec4, c: Vec4) -> (Vec3, Vec4) { (a.reflect(a), b.reflect(c)) } }
    twin! { fn f(a: Vec3, b: Vec3) -> (Vec3, Vec3) { (a.min(b), a.max(b)) } }
    twin! { fn f(a: Vec4, b: Vec4) -> (Vec4, Vec4, Vec4) { (a.min(b), a.max(b), a.clamp(b, a)) } }
    twin! { fn f(a: Vec2, b: Vec3, c: Vec4) -> (f32, f32, f32) { (a.min_element(), b.min_element(), c.min_element()) } }
    twin! { fn f(a: Vec2, b: Vec3, c: Vec4) -> (f32, f32, f32) { (a.max_element(), b.max_element(), c.max_element()) } }
    twin! { fn f(a: Vec3, b: Vec4) -> (f32, f32, f32, f32) {
        (a.element_sum(), b.element_sum(), a.element_product(), b.element_product())
    } }
    twin! { fn f(a: Vec4) -> (Vec4, Vec4, Vec4, Vec4) { (a.floor(), a.ceil(), a.round(), a.trunc()) } }
    twin! { fn f(a: Vec4) -> (Vec4, Vec4, Vec4, Vec4) { (a.fract(), a.signum(), a.abs(), a.recip()) } }
    twin! { fn f(a: Vec3) -> (Vec3, Vec3, Vec3, Vec3) { (a.floor(), a.fract(), a.signum(), a.round()) } }
    twin! { fn f(a: Vec3, b: Vec3) -> (Vec3, Vec3, Vec3) { (a.copysign(b), a.mul_add(b, a), a.exp()) } }
    twin! { fn f(a: Vec3, s: f32) -> Vec3 { a.powf(s) } }
}

#[test]
fn vector_shapes() {
    twin! { fn f(a: Vec3, s: f32) -> (Vec4, Vec2, Vec3) { (a.extend(s), a.truncate(), Vec3::splat(s)) } }
    twin! { fn f(a: Vec3) -> ([f32; 3], Vec3) { (a.to_array(), Vec3::from_array(a.to_array())) } }
    twin! { fn f(a: f32, b: f32) -> Vec4 { Vec4::new(a, b, a, 1.0) } }
    twin! { fn f(a: Vec3) -> (IVec3, UVec3) { (a.as_ivec3(), a.as_uvec3()) } }
    twin! { fn f(a: IVec2, b: UVec4) -> (Vec2, UVec2, Vec4, IVec4) { (a.as_vec2(), a.as_uvec2(), b.as_vec4(), b.as_ivec4()) } }
    twin! { fn f(a: Vec3, b: Vec3) -> (BVec3, BVec3, BVec3) { (a.cmpeq(b), a.cmplt(b), a.cmpge(b)) } }
    twin! { fn f(a: Vec3, b: Vec3) -> (Vec3, bool, bool) { (Vec3::select(a.cmpgt(b), a, b), a.cmpne(b).any(), a.cmple(b).all()) } }
    twin! { fn f(a: IVec3) -> (i32, i32, i32) { (a.min_element(), a.max_element(), (a % 8).dot(a % 4)) } }
    twin! { fn f(a: UVec4) -> (u32, u32, u32) { (a.max_element(), (a % 8).element_sum(), (a % 8).element_product()) } }
    twin! { fn f(a: IVec3, b: IVec3) -> (IVec3, IVec3) { (a.clamp(b, a), a.min(b)) } }
}

/// The same operations for each size of matrix.
macro_rules! matrices {
    ($($name:ident $matrix:ident $vector:ident $mul:ident;)+) => { $(
        #[test]
        fn $name() {
            twin! { fn f(a: $matrix, b: $matrix) -> ($matrix, $matrix, $matrix) { (a * b, a + b, a - b) } }
            twin! { fn f(a: $matrix, s: f32) -> ($matrix, $matrix, $matrix, $matrix) { (a * s, s * a, a / s, s / a) } }
            twin! { fn f(a: $matrix, v: $vector) -> ($vector, $vector, $matrix) { (a * v, a.$mul(v), -a) } }
            twin! { fn f(a: $matrix) -> ($matrix, f32, $matrix, $vector) {
                (a.inverse(), a.determinant(), a.transpose(), a.diagonal())
            } }
            twin! { fn f(a: $matrix, b: $matrix) -> (bool, bool, bool, bool) { (a == b, a != b, a.is_nan(), a.is_finite()) } }
            twin! { fn f(a: $matrix, v: $vector) -> ($matrix, $matrix, $matrix, $vector) {
                (a.abs(), $matrix::from_diagonal(v), a * 2.0, a.x_axis)
            } }
            twin! { fn f(a: $matrix, s: f32) -> ($matrix, $matrix, $vector, $vector) {
                let mut m = a;
                m.y_axis.x = s;
                m *= s;
                m += $matrix::IDENTITY;
                (m, a.mul_scalar(s) - a.div_scalar(s), a.col(1), a.row(0))
            } }
        }
    )+ };
}

matrices! {
    matrices_of_two Mat2 Vec2 mul_vec2;
    matrices_of_three Mat3 Vec3 mul_vec3;
    matrices_of_four Mat4 Vec4 mul_vec4;
}

#[test]
fn matrices_by_dimension() {
    twin! { fn f(a: Mat4, v: Vec3) -> (Vec3, Vec3, Vec3) {
        (a.transform_point3(v), a.transform_vector3(v), a.project_point3(v))
    } }
    twin! { fn f(a: Mat3, v: Vec2) -> (Vec2, Vec2, Mat3) { (a.transform_point2(v), a.transform_vector2(v), Mat3::from_scale(v)) } }
    twin! { fn f(a: Mat3, v: Vec3) -> (Mat4, Mat4, Mat2) { (Mat4::from_mat3(a), Mat4::from_mat3_translation(a, v), Mat2::from_mat3(a)) } }
    twin! { fn f(a: Mat2, b: Mat4, v: Vec3) -> (Mat3, Mat3, Mat4, Mat4) {
        (Mat3::from_mat2(a), Mat3::from_mat4(b), Mat4::from_translation(v), Mat4::from_scale(v))
    } }
    twin! { fn f(a: Mat3) -> ([f32; 9], [[f32; 3]; 3], Mat3) {
        (a.to_cols_array(), a.to_cols_array_2d(), Mat3::from_rows(a.x_axis, a.y_axis, a.z_axis))
    } }
    twin! { fn f(a: [f32; 9], b: [[f32; 2]; 2], s: f32) -> (Mat3, Mat2, Mat2) {
        (Mat3::from_cols_array(&a), Mat2::from_cols_array_2d(&b), Mat2::from_cols_array(&[s, 1.0, -s, 2.0]))
    } }
    twin! { fn f(i: usize, a: Mat3) -> Vec3 { a.col(i) - a.row(i) } }
}

#[test]
fn quaternions() {
    twin! { fn f(a: Quat, b: Quat) -> (Quat, Quat, Quat, Quat) { (a * b, a + b, a - b, a.mul_quat(b)) } }
    twin! { fn f(a: Quat, v: Vec3) -> (Vec3, Vec3, Vec3) { (a * v, a.mul_vec3(v), a.xyz()) } }
    twin! { fn f(a: Quat, s: f32) -> (Quat, Quat, Quat, Quat) { (a * s, a / s, -a, a.conjugate()) } }
    twin! { fn f(a: Quat, b: Quat) -> (f32, f32, f32, f32) { (a.dot(b), a.length(), a.length_squared(), a.length_recip()) } }
    twin! { fn f(a: Quat, b: Quat, s: f32) -> (Quat, Quat) { (a.lerp(b, s), a.normalize()) } }
    twin! { fn f(a: Quat, v: Vec3) -> (Mat3, Mat4, Mat4, Mat4) {
        (Mat3::from_quat(a), Mat4::from_quat(a), Mat4::from_rotation_translation(a, v), Mat4::from_scale_rotation_translation(v, a, v))
    } }
    twin! { fn f(a: Quat, v: Vec4) -> (Quat, [f32; 4], Quat, bool) {
        (Quat::from_vec4(v), a.to_array(), Quat::from_array(a.to_array()), a == Quat::IDENTITY)
    } }
    twin! { fn f(a: Quat, s: f32) -> (f32, Quat, bool, bool) {
        let mut q = a;
        q.w += s;
        (q.x + q.w, q.inverse(), q.is_nan(), q.is_finite())
    } }
}

/// Every row, for every receiver it lists, gives IR that verifies.
#[test]
fn whole_table_lowers() {
    for row in rows() {
        for receiver in row.receivers {
            for (ty, element, lanes) in types_of(*receiver) {
                if let Some(source) = source_of(row, ty, element, *lanes) {
                    device_module(&source);
                }
            }
        }
    }
}

type TypeRow = (&'static str, &'static str, usize);

fn types_of(receiver: Receiver) -> &'static [TypeRow] {
    match receiver {
        Receiver::Float => &[("f32", "f32", 1), ("f64", "f64", 1)],
        Receiver::Half => &[("f16", "f16", 1), ("bf16", "bf16", 1)],
        Receiver::FloatVec => &[("Vec2", "f32", 2), ("Vec3", "f32", 3), ("Vec4", "f32", 4)],
        Receiver::Sint => {
            &[("i32", "i32", 1), ("i8", "i8", 1), ("i16", "i16", 1), ("i64", "i64", 1), ("isize", "isize", 1)]
        }
        Receiver::Uint => {
            &[("u32", "u32", 1), ("u8", "u8", 1), ("u16", "u16", 1), ("u64", "u64", 1), ("usize", "usize", 1)]
        }
        Receiver::Byte => &[("u8", "u8", 1)],
        Receiver::Char => &[("char", "char", 1)],
        Receiver::FixedSint => &[("i32", "i32", 1), ("i8", "i8", 1), ("i16", "i16", 1), ("i64", "i64", 1)],
        Receiver::FixedUint => &[("u32", "u32", 1), ("u8", "u8", 1), ("u16", "u16", 1), ("u64", "u64", 1)],
        Receiver::SintVec => &[("IVec2", "i32", 2), ("IVec3", "i32", 3), ("IVec4", "i32", 4)],
        Receiver::UintVec => &[("UVec2", "u32", 2), ("UVec3", "u32", 3), ("UVec4", "u32", 4)],
        Receiver::BoolVec => &[("BVec2", "bool", 2), ("BVec3", "bool", 3), ("BVec4", "bool", 4)],
        Receiver::Vec2 => &[("Vec2", "f32", 2)],
        Receiver::Vec3 => &[("Vec3", "f32", 3)],
        Receiver::Vec4 => &[("Vec4", "f32", 4)],
        Receiver::IVec2 => &[("IVec2", "i32", 2)],
        Receiver::IVec3 => &[("IVec3", "i32", 3)],
        Receiver::UVec3 => &[("UVec3", "u32", 3)],
        Receiver::Matrix => &[("Mat2", "f32", 2), ("Mat3", "f32", 3), ("Mat4", "f32", 4)],
        Receiver::Mat2 => &[("Mat2", "f32", 2)],
        Receiver::Mat3 => &[("Mat3", "f32", 3)],
        Receiver::Mat4 => &[("Mat4", "f32", 4)],
        Receiver::Quat => &[("Quat", "f32", 4)],
        // Kernels only.
        Receiver::Buffer => &[],
        Receiver::Array => &[("[f32; 5]", "f32", 5)],
    }
}

/// A device function that calls the intrinsic with its parameters; `None` when the receiver's size does not have it.
fn source_of(row: &Row, ty: &str, element: &str, lanes: usize) -> Option<String> {
    let least_lanes = match row.name {
        "with_z" => 3,
        "with_w" => 4,
        _ => 0,
    };
    if lanes < least_lanes {
        return None;
    }
    let vector = |letter: &str, lanes: usize| format!("{letter}Vec{lanes}");
    let own_letter = &ty[..ty.find("Vec").unwrap_or(0)];
    let sig = |sig: Sig| -> Option<Vec<String>> {
        Some(vec![match sig {
            Sig::Same | Sig::Lent => ty.to_owned(),
            Sig::Element => element.to_owned(),
            Sig::Elements => return Some(vec![element.to_owned(); lanes]),
            Sig::ElementArray => format!("[{element}; {lanes}]"),
            Sig::Bool => "bool".to_owned(),
            Sig::I32 => "i32".to_owned(),
            Sig::U32 => "u32".to_owned(),
            Sig::Usize => "usize".to_owned(),
            Sig::F32 => "f32".to_owned(),
            Sig::F64 => "f64".to_owned(),
            Sig::Unsigned => match ty {
                "f16" | "bf16" => "u16".to_owned(),
                _ => ty.replace(['i', 'f'], "u").replace("usuze", "usize"),
            },
            Sig::Signed => ty.replacen('u', "i", 1),
            Sig::Bytes => {
                let bits = crate::ast::ScalarName::from_name(ty).map_or(0, |scalar| scalar.bits());
                format!("[u8; {}]", bits / 8)
            }
            Sig::SameAndElement => format!("({ty}, {element})"),
            Sig::AxisAndAngle => "(Vec3, f32)".to_owned(),
            Sig::ScaleRotationTranslation => "(Vec3, Quat, Vec3)".to_owned(),
            Sig::SameAndFlag => format!("({ty}, bool)"),
            Sig::OptionSame => format!("Option<{ty}>"),
            Sig::OptionU32 => "Option<u32>".to_owned(),
            Sig::PairSame => format!("({ty}, {ty})"),
            Sig::BoolVector => vector("B", lanes),
            Sig::FloatVector => vector("", lanes),
            Sig::SintVector => vector("I", lanes),
            Sig::UintVector => vector("U", lanes),
            Sig::Shorter if lanes == 2 => return None,
            Sig::Longer if lanes == 4 => return None,
            Sig::Shorter => vector(own_letter, lanes - 1),
            Sig::Longer => vector(own_letter, lanes + 1),
            Sig::Column => vector("", lanes),
            Sig::Columns => return Some(vec![vector("", lanes); lanes]),
            Sig::CellArray => format!("[f32; {}]", lanes * lanes),
            Sig::CellArrays => format!("[[f32; {lanes}]; {lanes}]"),
            Sig::Vec2 => "Vec2".to_owned(),
            Sig::Vec3 => "Vec3".to_owned(),
            Sig::Vec4 => "Vec4".to_owned(),
            Sig::Mat2 => "Mat2".to_owned(),
            Sig::Mat3 | Sig::LentMat3 => "Mat3".to_owned(),
            Sig::Mat4 | Sig::LentMat4 => "Mat4".to_owned(),
            Sig::Quat => "Quat".to_owned(),
            Sig::F32x4 => "[f32; 4]".to_owned(),
        }])
    };
    let mut params = if row.kind == Kind::Method { vec![ty.to_owned()] } else { Vec::new() };
    for param in row.params {
        // Taken by reference, as glam does.
        let lent = if param.is_lent() { "&" } else { "" };
        params.extend(sig(*param)?.into_iter().map(|ty| format!("{lent}{ty}")));
    }
    let result = sig(row.result)?.remove(0);
    let name = row.name.replace("vecN", &format!("vec{lanes}")).replace("matN", &format!("mat{lanes}"));
    let declared: Vec<_> = params.iter().enumerate().map(|(index, ty)| format!("p{index}: {ty}")).collect();
    let names: Vec<_> = (0..params.len()).map(|index| format!("p{index}")).collect();
    let call = match row.kind {
        Kind::Method => format!("p0.{name}({})", names[1..].join(", ")),
        Kind::Function => format!("{ty}::{name}({})", names.join(", ")),
    };
    Some(format!("fn f({}) -> {result} {{ {call} }}", declared.join(", ")))
}

/// Ops and methods of each integer type, on edge values.
macro_rules! integers {
    ($($name:ident $ty:ident $bytes:literal;)+) => { $(
        #[test]
        fn $name() {
            twin! { fn f(a: $ty, b: $ty) -> ($ty, $ty, $ty, $ty) { (a + b, a - b, a * b, a & b) } }
            twin! { fn f(a: $ty, b: $ty) -> ($ty, $ty, $ty, $ty) { (a | b, a ^ b, !a, a << (b & 7)) } }
            twin! { fn f(a: $ty, b: $ty) -> ($ty, $ty) { (a / b, a % b) } }
            twin! { fn f(a: $ty, b: $ty) -> (bool, bool, bool, bool) { (a == b, a < b, a >= b, a != b) } }
            twin! { fn f(a: $ty, n: u32) -> ($ty, $ty, $ty) { (a >> (n % 8), a.wrapping_shl(n), a.wrapping_shr(n)) } }
            twin! { fn f(a: $ty, n: u32) -> ($ty, $ty, $ty) { (a.rotate_left(n), a.rotate_right(n), a.pow(n % 5)) } }
            twin! { fn f(a: $ty, b: $ty) -> ($ty, $ty, $ty) { (a.saturating_add(b), a.saturating_sub(b), a.wrapping_neg()) } }
            twin! { fn f(a: $ty, b: $ty) -> (($ty, bool), ($ty, bool), ($ty, bool)) {
                (a.overflowing_add(b), a.overflowing_sub(b), a.overflowing_mul(b))
            } }
            twin! { fn f(a: $ty, b: $ty) -> (($ty, bool), ($ty, bool)) { (a.overflowing_div(b), a.overflowing_rem(b)) } }
            twin! { fn f(a: $ty, b: $ty) -> (($ty, bool), ($ty, bool)) {
                (a.overflowing_div_euclid(b), a.overflowing_rem_euclid(b))
            } }
            twin! { fn f(a: $ty, n: u32) -> (($ty, bool), ($ty, bool), ($ty, bool)) {
                (a.overflowing_shl(n), a.overflowing_shr(n), a.overflowing_pow(n % 70))
            } }
            twin! { fn f(a: $ty, b: $ty) -> ($ty, $ty, $ty) { (a.wrapping_div(b), a.wrapping_rem(b), a.saturating_div(b)) } }
            twin! { fn f(a: $ty, b: $ty) -> ($ty, $ty, $ty) {
                (a.checked_add(b).unwrap_or(77), a.checked_sub(b).unwrap_or(78), a.checked_mul(b).unwrap_or(79))
            } }
            twin! { fn f(a: $ty, b: $ty) -> ($ty, $ty, $ty) {
                (a.checked_div(b).unwrap_or(77), a.checked_rem(b).unwrap_or(78), a.checked_neg().unwrap_or(79))
            } }
            twin! { fn f(a: $ty, n: u32) -> ($ty, $ty, $ty) {
                (a.checked_shl(n).unwrap_or(77), a.checked_pow(n % 9).unwrap_or(78), a.saturating_pow(n % 9))
            } }
            twin! { fn f(a: $ty, b: $ty) -> ($ty, $ty, $ty) { (a.saturating_mul(b), a.wrapping_pow(9), a.midpoint(b)) } }
            twin! { fn f(a: $ty) -> (u32, u32, u32) {
                (a.leading_ones(), a.trailing_ones(), a.checked_ilog2().unwrap_or(99))
            } }
            twin! { fn f(a: $ty, b: $ty) -> ($ty, $ty, bool) { (a.min(b), a.max(b), a.abs_diff(b) > 3) } }
            twin! { fn f(a: $ty) -> (u32, u32, u32, u32) { (a.count_ones(), a.count_zeros(), a.leading_zeros(), a.trailing_zeros()) } }
            twin! { fn f(a: $ty) -> ($ty, $ty) { (a.reverse_bits(), a.swap_bytes()) } }
            twin! { fn f(a: $ty) -> (u32, u32) { if a > 0 { (a.ilog2(), a.ilog10()) } else { (0, 0) } } }
            twin! { fn f(a: $ty, b: $ty) -> u32 { if a > 0 && b > 1 { a.ilog(b) } else { 7 } } }
            twin! { fn f(a: $ty, b: $ty) -> (u32, u32) { (a.checked_ilog10().unwrap_or(99), a.checked_ilog(b).unwrap_or(98)) } }
            twin! { fn f(a: $ty, n: u32) -> ($ty, $ty) { (a.unbounded_shl(n), a.unbounded_shr(n)) } }
            twin! { fn f(a: $ty) -> ([u8; $bytes], [u8; $bytes], $ty, $ty) {
                (a.to_le_bytes(), a.to_be_bytes(), $ty::from_le_bytes(a.to_be_bytes()), $ty::from_be_bytes(a.to_ne_bytes()))
            } }
            twin! { fn f(a: $ty) -> ($ty, $ty, $ty, $ty) { (a.to_le(), a.to_be(), $ty::from_be(a), $ty::from_le(a)) } }
            twin! { fn f(a: $ty, b: $ty) -> ($ty, $ty) { (a.rem_euclid(b), a.div_euclid(b)) } }
            twin! { fn f(a: $ty, b: $ty) -> $ty { a.clamp(b, 100) } }
            twin! { fn f(a: $ty) -> (i8, u8, i16, u16) { (a as i8, a as u8, a as i16, a as u16) } }
            twin! { fn f(a: $ty) -> (i32, u32, i64, u64) { (a as i32, a as u32, a as i64, a as u64) } }
            twin! { fn f(a: $ty) -> (f32, f64) { (a as f32, a as f64) } }
            twin! { fn f(a: f32, b: f64, c: bool) -> ($ty, $ty, $ty) { (a as $ty, b as $ty, c as $ty) } }
            twin! { fn f(a: $ty) -> ($ty, $ty, $ty) { (a.clamp($ty::MIN / 2, $ty::MAX / 3), a / 3, a % 7) } }
        }
    )+ };
}

integers! {
    ops_of_i8 i8 1;
    ops_of_i16 i16 2;
    ops_of_i64 i64 8;
    ops_of_u8 u8 1;
    ops_of_u16 u16 2;
    ops_of_u64 u64 8;
    ops_of_i32 i32 4;
    ops_of_u32 u32 4;
}

#[test]
fn sizes_index_and_count() {
    twin! { fn f(a: u8, b: u64) -> (i32, i32) { let t = [3, 5, 7]; (t[(a % 3) as usize], t[(b % 3) as usize]) } }
    twin! { fn f(a: isize, b: isize) -> (isize, bool) { (a - b, a.abs() < b) } }
    twin! { fn f(n: u8) -> u64 { let mut sum = 0u64; for i in 0..n { sum += i as u64 * 3; } sum } }
    twin! { fn f(n: i64) -> i64 { let mut sum = 0; let mut i = 0; while i < n % 20 { sum += i; i += 1; } sum } }
}

#[test]
fn doubles() {
    twin! { fn f(a: f64, b: f64) -> (f64, f64, f64, f64) { (a + b, a - b, a * b, a / b) } }
    twin! { fn f(a: f64, b: f64) -> (f64, f64, bool, bool) { (a % b, -a, a < b, a != b) } }
    twin! { fn f(a: f64) -> (f64, f64, f64, f64) { (a.floor(), a.ceil(), a.trunc(), a.round()) } }
    twin! { fn f(a: f64, b: f64) -> (f64, f64, f64, f64) { (a.sqrt(), a.fract(), a.copysign(b), a.signum()) } }
    twin! { fn f(a: f64, b: f64) -> (f64, f64, f64) { (a.rem_euclid(b), a.div_euclid(b), a.abs()) } }
    twin! { fn f(a: f64) -> (bool, bool, bool, u64) { (a.is_nan(), a.is_finite(), a.is_sign_negative(), a.abs().to_bits()) } }
    twin! { fn f(a: f64, b: f32) -> (f32, f64, f64) { (a as f32, b as f64, f64::from_bits(7) + 1e300) } }
    twin! { fn f(a: f64) -> (f64, f64, f64) { (a.clamp(-1.0, 1.0), a.to_radians(), a.powi(3)) } }
}

/// Functions of `f64` near those of rustc's, which are within 1 of the truth, over all magnitudes.
#[test]
fn exponentials_and_logarithms_of_doubles() {
    twin! { close(2) [] fn f(a: f64) -> (f64, f64, f64) { (a.exp(), a.exp2(), a.ln()) } }
    twin! { close(2) [] fn f(a: f64) -> (f64, f64) { (a.log2(), a.log10()) } }
    twin! { close(3) [] fn f(a: f64) -> ((f64, f64), f64) { (a.sin_cos(), a.sin()) } }
    /// A method's name, what it computes, how far it may be off.
    type Row = (&'static str, fn(f64) -> f64, u64);
    let functions: [Row; 8] = [
        ("exp", f64::exp, 2),
        ("exp2", f64::exp2, 2),
        ("ln", f64::ln, 2),
        ("log2", f64::log2, 2),
        ("log10", f64::log10, 2),
        ("sin", f64::sin, 3),
        ("cos", f64::cos, 3),
        ("tan", f64::tan, 7),
    ];
    for (name, truth, units) in functions {
        let module = device_module(&format!("fn f(a: f64) -> f64 {{ a.{name}() }}"));
        for number in 0..3000u64 {
            // Bits all over; small numbers; numbers next to 1.
            let noise = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let x = match number % 3 {
                0 => f64::from_bits(noise),
                1 => noise as i64 as f64 / (1u64 << 53) as f64,
                _ => 1.0 + noise as i64 as f64 / (1u64 << 63) as f64 / (1u64 << (number % 50)) as f64,
            };
            let wanted = truth(x);
            let Some(Datum::Bits(found)) = call(&module, &[Datum::Bits(x.to_bits())]).result else {
                panic!("no result")
            };
            let is_near =
                found.abs_diff(wanted.to_bits()) <= units || wanted.is_nan() && f64::from_bits(found).is_nan();
            assert!(is_near, "{name}({x:e}) is {wanted:e}, not {:e}", f64::from_bits(found));
        }
    }
}

/// Methods that only one of the two kinds of integers has.
macro_rules! kinds {
    ($($name:ident $signed:ident $unsigned:ident;)+) => { $(
        #[test]
        fn $name() {
            twin! { fn f(a: $signed) -> (($signed, bool), $signed, $unsigned) {
                (a.overflowing_abs(), a.saturating_abs(), a.unsigned_abs())
            } }
            twin! { fn f(a: $signed) -> ($signed, $unsigned, ($signed, bool)) {
                (a.saturating_neg(), a.cast_unsigned(), a.overflowing_neg())
            } }
            twin! { fn f(a: $signed, b: $unsigned) -> (($signed, bool), ($signed, bool), $signed) {
                (a.overflowing_add_unsigned(b), a.overflowing_sub_unsigned(b), a.saturating_add_unsigned(b))
            } }
            twin! { fn f(a: $signed, b: $unsigned) -> ($signed, $signed) {
                (a.saturating_sub_unsigned(b), a.checked_add_unsigned(b).unwrap_or(5))
            } }
            twin! { fn f(a: $unsigned, b: $signed) -> (($unsigned, bool), $unsigned, $unsigned) {
                (a.overflowing_add_signed(b), a.saturating_add_signed(b), a.wrapping_add_signed(b))
            } }
            twin! { fn f(a: $unsigned) -> ($unsigned, $unsigned, $signed, ($unsigned, bool)) {
                (a.isqrt(), a.checked_next_power_of_two().unwrap_or(3), a.cast_signed(), a.overflowing_neg())
            } }
            twin! { fn f(a: $signed) -> $signed { if a < 0 { a } else { a.isqrt() } } }
            twin! { fn f(a: $signed) -> $signed { a.checked_isqrt().unwrap_or(-1) } }
            twin! { fn f(a: $unsigned, b: $unsigned) -> (bool, $unsigned) {
                (a.is_multiple_of(b), a.checked_next_multiple_of(b).unwrap_or(77))
            } }
            twin! { fn f(a: $unsigned, b: $unsigned, c: bool) -> (($unsigned, bool), ($unsigned, bool)) {
                (a.carrying_add(b, c), a.borrowing_sub(b, c))
            } }
            twin! { fn f(a: $unsigned, b: $unsigned, c: $unsigned) -> (($unsigned, $unsigned), ($unsigned, $unsigned)) {
                (a.carrying_mul(b, c), a.carrying_mul_add(b, c, a))
            } }
            twin! { fn f(a: $unsigned) -> ($unsigned, bool) { ((a / 2).next_power_of_two(), a.is_power_of_two()) } }
        }
    )+ };
}

kinds! {
    kinds_of_8_bits i8 u8;
    kinds_of_16_bits i16 u16;
    kinds_of_32_bits i32 u32;
    kinds_of_64_bits i64 u64;
}

#[test]
fn floats_by_their_bits() {
    twin! { fn f(a: f32) -> (f32, f32, bool, bool) { (a.next_up(), a.next_down(), a.is_normal(), a.is_subnormal()) } }
    twin! { fn f(a: f32, b: f32) -> (f32, f32) { (a.midpoint(b), f32::from_le_bytes(a.to_be_bytes()).abs()) } }
    twin! { fn f(a: f64, b: f64) -> (f64, [u8; 8]) { (a.midpoint(b), (a + 0.0).abs().to_be_bytes()) } }
    twin! { fn f(a: f64) -> (f64, f64, bool, bool) { (a.next_up(), a.next_down(), a.is_normal(), a.is_subnormal()) } }
}

#[test]
fn composed_functions() {
    twin! { close(4) [] fn f(a: f32) -> (f32, f32, f32) { (a.exp_m1(), a.ln_1p(), a.cbrt()) } }
    twin! { close(8) [] fn f(a: f32) -> (f32, f32, f32) { (a.asinh(), a.acosh(), a.atanh()) } }
}
