//! The table of glam's vectors as directions: angles, turns, orthogonal vectors. One row per method. Lowering
//! lives in `lower`.

use crate::builtin::intrinsic::{Intrinsic, Kind, Receiver, Row, Sig, family};

family! {
    /// A method of vectors as directions.
    Direction

    AngleBetween "angle_between" Method (Vec3) (Same) -> Element;
    AngleToVec2 "angle_to" Method (Vec2) (Same) -> Element;
    AngleToVec3 "angle_to" Method (Vec3) (Same, Same) -> Element;
    RotateX "rotate_x" Method (Vec3) (Element) -> Same;
    RotateY "rotate_y" Method (Vec3) (Element) -> Same;
    RotateZ "rotate_z" Method (Vec3) (Element) -> Same;
    RotateAxis "rotate_axis" Method (Vec3) (Same, Element) -> Same;
    RotateAngle "rotate_angle" Method (Vec2) (Element) -> Same;
    RotateTowardsVec2 "rotate_towards" Method (Vec2) (Same, Element) -> Same;
    RotateTowardsVec3 "rotate_towards" Method (Vec3) (Same, Element) -> Same;
    SlerpVec3 "slerp" Method (Vec3) (Same, Element) -> Same;
    AnyOrthogonalVector "any_orthogonal_vector" Method (Vec3) () -> Same;
    AnyOrthonormalVector "any_orthonormal_vector" Method (Vec3) () -> Same;
    AnyOrthonormalPair "any_orthonormal_pair" Method (Vec3) () -> PairSame;
    IsNormalized "is_normalized" Method (FloatVec) () -> Bool;
}
