//! The table of glam's vectors: functions and methods that are more than one per lane. One row per method. Lowering
//! lives in `lower`.

use crate::builtin::intrinsic::{Intrinsic, Kind, Receiver, Row, Sig, family};

family! {
    /// A function or method of vectors.
    Vector

    New "new" Function (FloatVec|SintVec|UintVec|BoolVec) (Elements) -> Same;
    Splat "splat" Function (FloatVec|SintVec|UintVec|BoolVec) (Element) -> Same;
    FromArray "from_array" Function (FloatVec|SintVec|UintVec|BoolVec) (ElementArray) -> Same;
    ToArray "to_array" Method (FloatVec|SintVec|UintVec) () -> ElementArray;
    Dot "dot" Method (FloatVec|SintVec|UintVec) (Same) -> Element;
    DotIntoVec "dot_into_vec" Method (FloatVec|SintVec|UintVec) (Same) -> Same;
    Cross "cross" Method (Vec3|IVec3|UVec3) (Same) -> Same;
    PerpDot "perp_dot" Method (Vec2|IVec2) (Same) -> Element;
    Length "length" Method (FloatVec) () -> Element;
    LengthSquared "length_squared" Method (FloatVec|SintVec|UintVec) () -> Element;
    Normalize "normalize" Method (FloatVec) () -> Same;
    Distance "distance" Method (FloatVec) (Same) -> Element;
    DistanceSquared "distance_squared" Method (FloatVec|SintVec) (Same) -> Element;
    Lerp "lerp" Method (FloatVec) (Same, Element) -> Same;
    LerpMonotonic "lerp_monotonic" Method (FloatVec) (Same, Element) -> Same;
    Reflect "reflect" Method (FloatVec) (Same) -> Same;
    MinElement "min_element" Method (FloatVec|SintVec|UintVec) () -> Element;
    MaxElement "max_element" Method (FloatVec|SintVec|UintVec) () -> Element;
    ElementSum "element_sum" Method (FloatVec|SintVec|UintVec) () -> Element;
    ElementProduct "element_product" Method (FloatVec|SintVec|UintVec) () -> Element;
    Cmpeq "cmpeq" Method (FloatVec|SintVec|UintVec) (Same) -> BoolVector;
    Cmpne "cmpne" Method (FloatVec|SintVec|UintVec) (Same) -> BoolVector;
    Cmplt "cmplt" Method (FloatVec|SintVec|UintVec) (Same) -> BoolVector;
    Cmple "cmple" Method (FloatVec|SintVec|UintVec) (Same) -> BoolVector;
    Cmpgt "cmpgt" Method (FloatVec|SintVec|UintVec) (Same) -> BoolVector;
    Cmpge "cmpge" Method (FloatVec|SintVec|UintVec) (Same) -> BoolVector;
    Select "select" Function (FloatVec|SintVec|UintVec) (BoolVector, Same, Same) -> Same;
    AnyLane "any" Method (BoolVec) () -> Bool;
    AllLanes "all" Method (BoolVec) () -> Bool;
    LengthRecip "length_recip" Method (FloatVec) () -> Element;
    NormalizeOr "normalize_or" Method (FloatVec) (Same) -> Same;
    NormalizeOrZero "normalize_or_zero" Method (FloatVec) () -> Same;
    TryNormalize "try_normalize" Method (FloatVec) () -> OptionSame;
    NormalizeAndLength "normalize_and_length" Method (FloatVec) () -> SameAndElement;
    ClampLength "clamp_length" Method (FloatVec) (Element, Element) -> Same;
    ClampLengthMin "clamp_length_min" Method (FloatVec) (Element) -> Same;
    ClampLengthMax "clamp_length_max" Method (FloatVec) (Element) -> Same;
    ProjectOnto "project_onto" Method (FloatVec) (Same) -> Same;
    ProjectOntoNormalized "project_onto_normalized" Method (FloatVec) (Same) -> Same;
    RejectFrom "reject_from" Method (FloatVec) (Same) -> Same;
    RejectFromNormalized "reject_from_normalized" Method (FloatVec) (Same) -> Same;
    Midpoint "midpoint" Method (FloatVec) (Same) -> Same;
    MoveTowards "move_towards" Method (FloatVec) (Same, Element) -> Same;
    Refract "refract" Method (FloatVec) (Same, Element) -> Same;
    AbsDiffEq "abs_diff_eq" Method (FloatVec) (Same, Element) -> Bool;
    IsNan "is_nan" Method (FloatVec) () -> Bool;
    IsFinite "is_finite" Method (FloatVec) () -> Bool;
    Perp "perp" Method (Vec2|IVec2) () -> Same;
    RotateVec2 "rotate" Method (Vec2|IVec2) (Same) -> Same;
    FromAngleVec2 "from_angle" Function (Vec2) (Element) -> Same;
    ToAngle "to_angle" Method (Vec2) () -> Element;
    FractGl "fract_gl" Method (FloatVec) () -> Same;
    Step "step" Method (FloatVec) (Same) -> Same;
    Saturate "saturate" Method (FloatVec) () -> Same;
    Smoothstep "smoothstep" Method (FloatVec) (Same, Same) -> Same;
    WithX "with_x" Method (FloatVec|SintVec|UintVec) (Element) -> Same;
    WithY "with_y" Method (FloatVec|SintVec|UintVec) (Element) -> Same;
    WithZ "with_z" Method (FloatVec|SintVec|UintVec) (Element) -> Same;
    WithW "with_w" Method (FloatVec|SintVec|UintVec) (Element) -> Same;
    Truncate "truncate" Method (FloatVec|SintVec|UintVec) () -> Shorter;
    Extend "extend" Method (FloatVec|SintVec|UintVec) (Element) -> Longer;
    FromHomogeneous "from_homogeneous" Function (Vec3) (Vec4) -> Same;
    ToHomogeneous "to_homogeneous" Method (Vec3) () -> Vec4;
    Project "project" Method (Vec4) () -> Vec3;
    AsVec "as_vecN" Method (SintVec|UintVec) () -> FloatVector;
    AsIVec "as_ivecN" Method (FloatVec|UintVec) () -> SintVector;
    AsUVec "as_uvecN" Method (FloatVec|SintVec) () -> UintVector;
}
