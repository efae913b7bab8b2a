//! The table of glam's quaternions, and of matrices that turn. One row per method. Lowering lives in `lower`.

use crate::builtin::intrinsic::{Intrinsic, Kind, Receiver, Row, Sig, family};

family! {
    /// A function or method of quaternions, or one that makes a matrix of a rotation.
    Rotation

    FromRotationX "from_rotation_x" Function (Mat3|Mat4|Quat) (F32) -> Same;
    FromRotationY "from_rotation_y" Function (Mat3|Mat4|Quat) (F32) -> Same;
    FromRotationZ "from_rotation_z" Function (Mat3|Mat4|Quat) (F32) -> Same;
    FromAxisAngle "from_axis_angle" Function (Mat3|Mat4|Quat) (Vec3, F32) -> Same;
    FromQuat "from_quat" Function (Mat3|Mat4) (Quat) -> Same;
    FromRotationTranslation "from_rotation_translation" Function (Mat4) (Quat, Vec3) -> Same;
    FromScaleRotationTranslation "from_scale_rotation_translation" Function (Mat4) (Vec3, Quat, Vec3) -> Same;
    FromScaledAxis "from_scaled_axis" Function (Quat) (Vec3) -> Same;
    FromRotationAxes "from_rotation_axes" Function (Quat) (Vec3, Vec3, Vec3) -> Same;
    QuatFromMat3 "from_mat3" Function (Quat) (LentMat3) -> Same;
    QuatFromMat4 "from_mat4" Function (Quat) (LentMat4) -> Same;
    FromXyzw "from_xyzw" Function (Quat) (F32, F32, F32, F32) -> Same;
    FromVec4 "from_vec4" Function (Quat) (Vec4) -> Same;
    QuatFromArray "from_array" Function (Quat) (F32x4) -> Same;
    QuatToArray "to_array" Method (Quat) () -> F32x4;
    Xyz "xyz" Method (Quat) () -> Vec3;
    Conjugate "conjugate" Method (Quat) () -> Same;
    QuatInverse "inverse" Method (Quat) () -> Same;
    QuatDot "dot" Method (Quat) (Same) -> F32;
    QuatLength "length" Method (Quat) () -> F32;
    QuatLengthSquared "length_squared" Method (Quat) () -> F32;
    QuatLengthRecip "length_recip" Method (Quat) () -> F32;
    QuatNormalize "normalize" Method (Quat) () -> Same;
    QuatLerp "lerp" Method (Quat) (Same, F32) -> Same;
    QuatSlerp "slerp" Method (Quat) (Same, F32) -> Same;
    QuatAngleBetween "angle_between" Method (Quat) (Same) -> F32;
    QuatIsNormalized "is_normalized" Method (Quat) () -> Bool;
    IsNearIdentity "is_near_identity" Method (Quat) () -> Bool;
    QuatAbsDiffEq "abs_diff_eq" Method (Quat) (Same, F32) -> Bool;
    SlerpLong "slerp_long" Method (Quat) (Same, F32) -> Same;
    QuatRotateTowards "rotate_towards" Method (Quat) (Same, F32) -> Same;
    ToAxisAngle "to_axis_angle" Method (Quat) () -> AxisAndAngle;
    ToScaledAxis "to_scaled_axis" Method (Quat) () -> Vec3;
    ToScaleRotationTranslation "to_scale_rotation_translation" Method (Mat4) () -> ScaleRotationTranslation;
    FromRotationArcColinear "from_rotation_arc_colinear" Function (Quat) (Vec3, Vec3) -> Same;
    FromRotationArc2d "from_rotation_arc_2d" Function (Quat) (Vec2, Vec2) -> Same;
    FromRotationArc "from_rotation_arc" Function (Quat) (Vec3, Vec3) -> Same;
    MulQuat "mul_quat" Method (Quat) (Same) -> Same;
    MulVec3 "mul_vec3" Method (Quat) (Vec3) -> Vec3;
}
