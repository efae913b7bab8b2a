//! The three kernels, each in the language of each contender, doing the same in the same shape.

/// One kernel in three languages.
#[derive(Debug)]
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    /// The arguments in the parentheses of `#[kernel(…)]`.
    pub(crate) attribute: &'static str,
    pub(crate) rust: &'static str,
    pub(crate) wgsl: &'static str,
    pub(crate) glsl: &'static str,
}

macro_rules! workload {
    ($name:literal, $attribute:literal) => {
        Workload {
            name: $name,
            attribute: $attribute,
            rust: include_str!(concat!("sources/", $name, ".rs")),
            wgsl: include_str!(concat!("sources/", $name, ".wgsl")),
            glsl: include_str!(concat!("sources/", $name, ".comp")),
        }
    };
}

/// All of them, smallest first.
pub(crate) const WORKLOADS: [Workload; 3] = [
    workload!("saxpy", "workgroup = 256"),
    workload!("blur", "workgroup = [16, 16]"),
    workload!("matmul", "workgroup = [16, 16]"),
];
