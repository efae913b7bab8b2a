//! The table of glam's matrices: methods, and the fields and constants of matrices and quaternions. One row per method; lowering lives in
//! `lower`.

use crate::ast::ScalarName;
use crate::builtin::intrinsic::{Intrinsic, Kind, Receiver, Row, Sig, family};
use crate::typed::{ConstValue, Ty};

/// Names of a matrix's columns.
pub(crate) const AXES: [&str; 4] = ["x_axis", "y_axis", "z_axis", "w_axis"];

/// Lanes that a quaternion has.
pub(crate) const QUAT_LANES: u8 = 4;

family! {
    /// A function or method of a matrix, or of a matrix and a quaternion alike.
    Linear

    FromCols "from_cols" Function (Matrix) (Columns) -> Same;
    FromRows "from_rows" Function (Matrix) (Columns) -> Same;
    FromColsArray "from_cols_array" Function (Matrix) (CellArray) -> Same;
    FromColsArray2d "from_cols_array_2d" Function (Matrix) (CellArrays) -> Same;
    FromRowsArray "from_rows_array" Function (Matrix) (CellArray) -> Same;
    FromDiagonal "from_diagonal" Function (Matrix) (Column) -> Same;
    Diagonal "diagonal" Method (Matrix) () -> Column;
    Col "col" Method (Matrix) (Usize) -> Column;
    Row "row" Method (Matrix) (Usize) -> Column;
    ToColsArray "to_cols_array" Method (Matrix) () -> CellArray;
    ToColsArray2d "to_cols_array_2d" Method (Matrix) () -> CellArrays;
    ToRowsArray "to_rows_array" Method (Matrix) () -> CellArray;
    Transpose "transpose" Method (Matrix) () -> Same;
    Determinant "determinant" Method (Matrix) () -> F32;
    Inverse "inverse" Method (Matrix) () -> Same;
    TryInverse "try_inverse" Method (Matrix) () -> OptionSame;
    InverseOrZero "inverse_or_zero" Method (Matrix) () -> Same;
    MulMatrix "mul_matN" Method (Matrix) (Lent) -> Same;
    AddMatrix "add_matN" Method (Matrix) (Lent) -> Same;
    SubMatrix "sub_matN" Method (Matrix) (Lent) -> Same;
    TransposeMulVec "transpose_mul_vecN" Method (Matrix) (Column) -> Column;
    MulTransposeVec "mul_transpose_vecN" Method (Matrix) (Column) -> Column;
    MulDiagonalScale "mul_diagonal_scale" Method (Matrix) (Column) -> Same;
    MulVec "mul_vecN" Method (Matrix) (Column) -> Column;
    MulScalar "mul_scalar" Method (Matrix) (F32) -> Same;
    DivScalar "div_scalar" Method (Matrix) (F32) -> Same;
    MatrixAbs "abs" Method (Matrix) () -> Same;
    MatrixRecip "recip" Method (Matrix) () -> Same;
    MatrixAbsDiffEq "abs_diff_eq" Method (Matrix) (Same, F32) -> Bool;
    IsNan "is_nan" Method (Matrix|Quat) () -> Bool;
    IsFinite "is_finite" Method (Matrix|Quat) () -> Bool;
    FromAngle "from_angle" Function (Mat2|Mat3) (F32) -> Same;
    FromScaleAngle "from_scale_angle" Function (Mat2) (Vec2, F32) -> Same;
    FromScaleAngleTranslation "from_scale_angle_translation" Function (Mat3) (Vec2, F32, Vec2) -> Same;
    FromScale2 "from_scale" Function (Mat3) (Vec2) -> Same;
    FromScale3 "from_scale" Function (Mat4) (Vec3) -> Same;
    FromTranslation2 "from_translation" Function (Mat3) (Vec2) -> Same;
    FromTranslation3 "from_translation" Function (Mat4) (Vec3) -> Same;
    ShrinkMat3 "from_mat3" Function (Mat2) (Mat3) -> Same;
    ShrinkMat4 "from_mat4" Function (Mat3) (Mat4) -> Same;
    GrowMat2 "from_mat2" Function (Mat3) (Mat2) -> Same;
    GrowMat3 "from_mat3" Function (Mat4) (Mat3) -> Same;
    FromMat3Translation "from_mat3_translation" Function (Mat4) (Mat3, Vec3) -> Same;
    TransformPoint2 "transform_point2" Method (Mat3) (Vec2) -> Vec2;
    TransformVector2 "transform_vector2" Method (Mat3) (Vec2) -> Vec2;
    TransformPoint3 "transform_point3" Method (Mat4) (Vec3) -> Vec3;
    TransformVector3 "transform_vector3" Method (Mat4) (Vec3) -> Vec3;
    ProjectPoint3 "project_point3" Method (Mat4) (Vec3) -> Vec3;
}

/// The type of a matrix's columns.
pub(crate) const fn column(size: u8) -> Ty {
    Ty::Vector(ScalarName::F32, size)
}

/// The type that a name stands for.
pub(crate) fn named(name: &str) -> Option<Ty> {
    Some(match name {
        "Mat2" => Ty::Matrix(2),
        "Mat3" => Ty::Matrix(3),
        "Mat4" => Ty::Matrix(4),
        "Quat" => Ty::Quat,
        _ => return None,
    })
}

/// `Mat4::IDENTITY` and its like.
pub(crate) fn constant(ty: &Ty, name: &str) -> Option<ConstValue> {
    let lanes = |size: u8, lane: &dyn Fn(u8) -> f32| {
        ConstValue::Aggregate((0..size).map(|index| ConstValue::F32(lane(index))).collect())
    };
    match (ty, name) {
        (Ty::Matrix(size), _) => {
            let cell: &dyn Fn(u8, u8) -> f32 = match name {
                "ZERO" => &|_, _| 0.0,
                "IDENTITY" => &|column, row| f32::from(u8::from(column == row)),
                "NAN" => &|_, _| f32::NAN,
                _ => return None,
            };
            Some(ConstValue::Aggregate((0..*size).map(|column| lanes(*size, &|row| cell(column, row))).collect()))
        }
        (Ty::Quat, "IDENTITY") => Some(lanes(QUAT_LANES, &|lane| f32::from(u8::from(lane == 3)))),
        (Ty::Quat, "NAN") => Some(lanes(QUAT_LANES, &|_| f32::NAN)),
        _ => None,
    }
}
