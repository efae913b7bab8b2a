//! Paths of built-in items, which are not gathered. Inference gives them their meaning.

use proc_macro2::Ident;

use crate::ast::Path;
use crate::builtin::foreign;
use crate::infer::{is_bare_math_constant, is_math_constant};
use crate::source::Spelling;
use crate::typed::MemoryFunction;

/// Types that Rust or glam define, supported by kernels or not: an unsupported one is inference's to report.
const TYPES: &[&str] = &[
    "bool",
    "char",
    "str",
    crate::infer::TEXT,
    "f16",
    "bf16",
    "f32",
    "f64",
    "f128",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "Vec2",
    "Vec3",
    "Vec4",
    "Vec3A",
    "IVec2",
    "IVec3",
    "IVec4",
    "UVec2",
    "UVec3",
    "UVec4",
    "BVec2",
    "BVec3",
    "BVec4",
    "DVec2",
    "DVec3",
    "DVec4",
    "I8Vec2",
    "I8Vec3",
    "I8Vec4",
    "U8Vec2",
    "U8Vec3",
    "U8Vec4",
    "I16Vec2",
    "I16Vec3",
    "I16Vec4",
    "U16Vec2",
    "U16Vec3",
    "U16Vec4",
    "I64Vec2",
    "I64Vec3",
    "I64Vec4",
    "U64Vec2",
    "U64Vec3",
    "U64Vec4",
    "USizeVec2",
    "USizeVec3",
    "USizeVec4",
    "ISizeVec2",
    "ISizeVec3",
    "ISizeVec4",
    "Mat2",
    "Mat3",
    "Mat4",
    "Mat3A",
    "Quat",
    "Affine2",
    "Affine3A",
    "DMat2",
    "DMat3",
    "DMat4",
    "DQuat",
    "String",
    "Vec",
    "Box",
    "Option",
    "Result",
    "BVec3A",
    "BVec4A",
    "Shared",
    "Atomic",
    "Ordering",
    "TryFromIntError",
    "TryFromSliceError",
    "CoopMatrix",
    "MatrixA",
    "MatrixB",
    "Accumulator",
    "MatrixLayout",
];

/// Names that kernels cannot have yet: inference says what to write instead.
const RESERVED: &[&str] =
    &["workgroup_barrier", "Some", "None", "Ok", "Err", "Less", "Equal", "Greater", "RowMajor", "ColumnMajor"];

/// Memory orders by their bare names.
const ORDERS: &[&str] = &["Relaxed", "Acquire", "Release", "AcqRel", "SeqCst"];

/// Functions that every kernel can call by their bare name, and from where else.
const FUNCTIONS: &[(&str, &[&str])] = &[
    (
        "gridwise",
        &[
            "global_id",
            "local_id",
            "workgroup_id",
            "num_workgroups",
            "workgroup_size",
            "local_index",
            "subgroup_size",
            "subgroup_id",
            "subgroup_local_id",
            "num_subgroups",
            "barrier",
            "fence",
            "workgroup_uniform",
            "detach",
            "with_slope",
        ],
    ),
    (
        "glam",
        &[
            "vec2", "vec3", "vec4", "ivec2", "ivec3", "ivec4", "uvec2", "uvec3", "uvec4", "bvec2", "bvec3", "bvec4",
            "vec3a", "dvec2", "dvec3", "dvec4", "mat2", "mat3", "mat4", "quat",
        ],
    ),
];

/// Whether a type path names a built-in type.
pub(crate) fn is_builtin_type(path: &Path) -> bool {
    if let [.., module, _] = path.segments.as_slice()
        && module == "ops"
    {
        return true;
    }
    if is_of_module(&path.segments) {
        return false;
    }
    path.segments.last().is_none_or(|name| {
        let name = Spelling::of(name);
        is_type_name(&name)
    })
}

/// Whether a path begins in the module around, where no built-in type is: `self::Vec3`.
pub(crate) fn is_of_module(segments: &[Ident]) -> bool {
    matches!(segments, [module, _, ..] if module == "self")
}

/// Whether a built-in type has this name.
pub(crate) fn is_type_name(name: &str) -> bool {
    TYPES.contains(&name) || foreign::ty(name).is_some()
}

/// Whether a type path names an item to gather.
pub(crate) fn is_gathered_type(path: &Path) -> bool {
    !is_builtin_type(path)
}

/// Whether a path in an expression names a built-in constant, or something that belongs to a type.
pub(crate) fn is_builtin_value(path: &Path) -> bool {
    let Some((_, qualifiers)) = path.segments.split_last() else { return true };
    if path.as_name().is_some_and(|name| {
        let name = name.to_string();
        RESERVED.contains(&name.as_str())
            || ORDERS.contains(&name.as_str())
            || is_bare_math_constant(&name)
            || foreign::value(&name).is_some()
    }) {
        return true;
    }
    qualifiers.iter().any(|segment| {
        let name = segment.to_string();
        ["std", "core"].contains(&name.as_str())
            || name == "consts" && names_math_constant(path)
            || TYPES.contains(&name.as_str())
            || is_type_like(&name)
    })
}

/// Whether a path is `consts::PI` or its like. That it is the one of `f32` is asserted where it is used.
fn names_math_constant(path: &Path) -> bool {
    let is_own = path.segments.first().is_some_and(|first| ["self", "super", "crate"].iter().any(|own| first == own));
    !is_own && path.segments.last().is_some_and(|last| is_math_constant(&last.to_string()))
}

/// Whether a path names a value or type that is built in.
pub(crate) fn is_builtin(path: &Path) -> bool {
    is_builtin_value(path) || is_builtin_type(path) || is_builtin_function(path)
}

/// Whether a name is written as those of types are.
fn is_type_like(name: &str) -> bool {
    name.trim_start_matches("r#").starts_with(|first: char| first.is_ascii_uppercase())
}

/// The type that a path in an expression belongs to, when it is one to gather: `Complex` of `Complex::ONE`.
pub(crate) fn owner_type(path: &Path) -> Option<Path> {
    let (last, qualifiers) = path.segments.split_last()?;
    let owner = qualifiers.last()?.to_string();
    // `Add::add`, where a function is asked for.
    if qualifiers.len() == 1 && TRAITS.contains(&owner.as_str()) && *last == owner.to_ascii_lowercase() {
        return None;
    }
    if is_order_or_scope(&owner, &last.to_string()) || owner == "Default" && last == "default" {
        return None;
    }
    let is_foreign = qualifiers.first().is_some_and(|first| first == "std" || first == "core");
    let is_type = is_type_like(&owner)
        && (is_of_module(qualifiers) || !TYPES.contains(&owner.as_str()) && foreign::ty(&owner).is_none());
    (is_type && !is_foreign && owner != "Self").then(|| Path::plain(path.leading_colon, qualifiers.to_vec()))
}

/// Traits of Rust that bounds may name; they are not gathered.
const TRAITS: &[&str] = &[
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Rem",
    "Neg",
    "Not",
    "BitAnd",
    "BitOr",
    "BitXor",
    "Shl",
    "Shr",
    "AddAssign",
    "SubAssign",
    "MulAssign",
    "DivAssign",
    "RemAssign",
    "BitAndAssign",
    "BitOrAssign",
    "BitXorAssign",
    "ShlAssign",
    "ShrAssign",
    "PartialEq",
    "Eq",
    "PartialOrd",
    "Ord",
    "Copy",
    "Clone",
    "Default",
    "From",
    "Into",
    "TryFrom",
    "TryInto",
    "Sized",
    "Send",
    "Sync",
    "Debug",
    "Display",
    "Hash",
    "Fn",
    "FnMut",
    "FnOnce",
    "GpuData",
    "Index",
    "IndexMut",
    "Iterator",
    "IntoIterator",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "FusedIterator",
    "Sum",
    "Product",
];

/// Whether a path names a trait of Rust or of the facade.
pub(crate) fn is_builtin_trait(path: &Path) -> bool {
    path.segments.last().is_none_or(|name| TRAITS.contains(&name.to_string().as_str()))
}

/// Whether a bare name is written like a variable, not like a const: unknown to the function, it is a slip of the pen.
pub(crate) fn is_variable_like(path: &Path) -> bool {
    path.as_name().is_some_and(|name| !name.to_string().contains(|letter: char| letter.is_uppercase()))
}

/// The crate whose function a bare name means in every kernel.
pub(crate) fn home_of_function(name: &str) -> Option<&'static str> {
    FUNCTIONS.iter().find(|(_, names)| names.contains(&name)).map(|(home, _)| *home)
}

/// Whether the callee of a call is a built-in function.
pub(crate) fn is_builtin_function(path: &Path) -> bool {
    // Most calls are of these.
    if let Some(name) = path.as_name() {
        let name = Spelling::of(name);
        if FUNCTIONS.iter().any(|(_, names)| names.contains(&&*name)) {
            return true;
        }
    }
    // `double(x)` is as likely a function of somebody's.
    if is_builtin_value(path) || path.as_name().is_some_and(|name| name != "double" && is_builtin_type(path)) {
        return true;
    }
    if is_subgroup_function(path) || memory_function(path).is_some() || is_from_fn(path) || is_cmp_function(path) {
        return true;
    }
    if path.as_name().is_some_and(|name| foreign::function(&name.to_string()).is_some()) {
        return true;
    }
    let (Some(last), Some(first)) = (path.segments.last(), path.segments.first()) else { return true };
    let bare = path.segments.len() == 1;
    FUNCTIONS.iter().any(|(home, names)| names.contains(&last.to_string().as_str()) && (bare || first == home))
}

/// Whether a path is `subgroup::name` or `gridwise::subgroup::name`; whether there is such a name is inference's matter.
pub(crate) fn is_subgroup_function(path: &Path) -> bool {
    match path.segments.as_slice() {
        [module, _] => module == "subgroup",
        [first, module, _] => first == "gridwise" && module == "subgroup",
        _ => false,
    }
}

/// The function that `mem::swap` and its like, with `core` or `std` before them or not, name.
pub(crate) fn memory_function(path: &Path) -> Option<MemoryFunction> {
    let (module, name) = match path.segments.as_slice() {
        [module, name] => (module, name),
        [first, module, name] if first == "core" || first == "std" => (module, name),
        _ => return None,
    };
    match name.to_string().as_str() {
        _ if module != "mem" => None,
        "swap" => Some(MemoryFunction::Swap),
        "replace" => Some(MemoryFunction::Replace),
        "take" => Some(MemoryFunction::Take),
        _ => None,
    }
}

/// Whether a path is `array::from_fn`, with `core` or `std` before it or not.
pub(crate) fn is_from_fn(path: &Path) -> bool {
    match path.segments.as_slice() {
        [module, name] => module == "array" && name == "from_fn",
        [first, module, name] => (first == "core" || first == "std") && module == "array" && name == "from_fn",
        _ => false,
    }
}

/// Whether a path is `core::cmp::max`, `core::cmp::min` or the same of `std`.
pub(crate) fn is_cmp_function(path: &Path) -> bool {
    match path.segments.as_slice() {
        [first, module, name] => {
            (first == "core" || first == "std") && module == "cmp" && (name == "max" || name == "min")
        }
        _ => false,
    }
}

/// Whether a path ends like `Ordering::Relaxed` or `Scope::Workgroup`.
fn is_order_or_scope(owner: &str, name: &str) -> bool {
    match owner {
        "Ordering" => ORDERS.contains(&name),
        "Scope" => ["Subgroup", "Workgroup", "Device"].contains(&name),
        _ => false,
    }
}
