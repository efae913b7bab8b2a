//! Types of the crate's own that have the name of a built-in one: `struct Vec3`. A macro cannot ask rustc what a name stands for, so that the text
//! of its file is searched. Knows no types of macros or of other crates: these names stand for the built-in ones.

use proc_macro2::Ident;

use super::outline::Kind;
use super::place::place_at;

/// The built-in types whose names people give to types of their own.
const NAMES: &[&str] = &[
    "Vec2", "Vec3", "Vec4", "UVec2", "UVec3", "UVec4", "IVec2", "IVec3", "IVec4", "BVec2", "BVec3", "BVec4", "Mat2",
    "Mat3", "Mat4", "Quat", "Vec3A", "DVec2", "DVec3", "DVec4", "DMat2", "DMat3", "DMat4", "Affine2", "Affine3A",
];

/// Whether the last name of a type, or one before it, is that of such a type.
pub(crate) fn may_be_own_type(path: &[Ident]) -> bool {
    path.iter().any(has_known_name)
}

fn has_known_name(segment: &Ident) -> bool {
    NAMES.iter().any(|known| segment == known)
}

/// Whether a path is `subgroup::name` and leads to a module of the crate.
pub(crate) fn is_own_subgroup(path: &[Ident]) -> bool {
    let [module, _] = path else { return false };
    module == "subgroup" && place_at(module).is_some_and(|place| place.find_module(&[module.to_string()]).is_some())
}

/// A path up to the name of such a type: `glam::Vec3` of `glam::Vec3::new`.
pub(crate) fn to_own_type(path: &[Ident]) -> &[Ident] {
    let end = path.iter().position(has_known_name).map_or(path.len(), |at| at + 1);
    &path[..end]
}

/// Spells the name of such a type as a raw one: Rust knows no difference, and no built-in type is called so.
pub(crate) fn spell_raw(segment: &mut Ident) {
    if has_known_name(segment) {
        *segment = Ident::new_raw(&segment.to_string(), segment.span());
    }
}

/// Whether a path, or its beginning, has the name of a built-in type and leads to an item of the crate, as the module around sees it.
pub(crate) fn is_own_type(path: &[Ident]) -> bool {
    let Some(at) = path.iter().position(has_known_name) else { return false };
    let names: Vec<String> = path[..=at].iter().map(ToString::to_string).collect();
    place_at(&path[at]).and_then(|place| place.find_item(&names)).is_some_and(|found| {
        let item = &found.place.scope().items[found.item];
        // `type Vec3 = glam::Vec3;` is as good as the import of it.
        item.kind != Kind::Alias || item.attrs.iter().any(|attr| attr.contains("device"))
    })
}
