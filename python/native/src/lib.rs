//! The extension module `gridwise._native`: the classes, and no kernels.

gridwise_python::module! {
    /// The compiled part of gridwise.
    mod _native {}
}
