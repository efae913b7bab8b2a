//! Layouts against what rustc does with the same `repr(C)` structs.

use std::mem::{align_of, offset_of, size_of};

use gridwise_ir::layout::{Layout, field_offsets};
use gridwise_ir::parse::parse;
use gridwise_ir::types::{StructId, Type, Types};

/// As glam's `Vec4` where it is a SIMD register.
#[repr(C, align(16))]
struct Vec4([f32; 4]);
type Vec2 = [f32; 2];
type Vec3 = [f32; 3];
type UVec4 = [u32; 4];

/// The types of a module that consists of struct definitions.
fn types(text: &str) -> Types {
    parse(text).unwrap_or_else(|error| panic!("{error}")).types
}

/// Layout and offsets of the last struct.
fn last_struct(types: &Types) -> (Layout, Vec<u32>) {
    let id: StructId = types.structs().ids().next_back().unwrap();
    let ty = types.find(&Type::Struct(id)).unwrap();
    (Layout::of(types, ty).unwrap(), field_offsets(types, id).unwrap())
}

macro_rules! same_as_rustc {
    ($test:ident, $text:literal, { $($field:ident: $ty:ty),+ }) => {
        #[test]
        fn $test() {
            #[repr(C)]
            struct Rust { $($field: $ty),+ }
            let (layout, offsets) = last_struct(&types($text));
            assert_eq!(offsets, [$(offset_of!(Rust, $field) as u32),+]);
            assert_eq!((layout.size as usize, layout.align as usize), (size_of::<Rust>(), align_of::<Rust>()));
        }
    };
}

same_as_rustc!(scalars, "struct0 S { a: f32, b: u32, c: i32 }", { a: f32, b: u32, c: i32 });
same_as_rustc!(vec3_is_not_padded, "struct0 S { a: vec3<f32>, b: f32, c: vec2<f32>, d: vec3<u32> }", { a: Vec3, b: f32, c: Vec2, d: [u32; 3] });
same_as_rustc!(vec4_is_aligned, "struct0 S { a: f32, b: vec4<f32>, c: vec2<f32> }", { a: f32, b: Vec4, c: Vec2 });
same_as_rustc!(uvec4_is_not_aligned, "struct0 S { a: f32, b: vec4<u32>, c: vec4<i32> }", { a: f32, b: UVec4, c: [i32; 4] });
same_as_rustc!(arrays, "struct0 S { a: [vec4<f32>; 3], b: [u32; 5], c: [[vec3<f32>; 2]; 2] }", { a: [Vec4; 3], b: [u32; 5], c: [[Vec3; 2]; 2] });

#[repr(C)]
struct Inner {
    a: f32,
    b: Vec4,
}
same_as_rustc!(
    nested,
    "struct0 Inner { a: f32, b: vec4<f32> } struct1 S { x: u32, y: struct0, z: [struct0; 2], w: f32 }",
    { x: u32, y: Inner, z: [Inner; 2], w: f32 }
);

#[test]
fn no_layout() {
    for field in ["bool", "vec2<bool>", "(f32, u32)", "(f32,)", "[bool; 4]", "[u32; 1073741824]"] {
        let types = types(&format!("struct0 S {{ a: f32, b: {field} }}"));
        let id = types.structs().ids().next().unwrap();
        let ty = types.find(&Type::Struct(id)).unwrap();
        assert_eq!((Layout::of(&types, ty), field_offsets(&types, id)), (None, None), "{field}");
    }
}
