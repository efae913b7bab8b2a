//! The extension module `gridwise._native`: the classes, a compiler of shaders, and no kernels.

#[cfg(feature = "naga")]
mod shader;

use gridwise_python::pyo3;
use pyo3::prelude::*;

/// The compiled part of gridwise.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    gridwise_python::__private::fill(module, Vec::new())?;
    #[cfg(feature = "naga")]
    module.add_function(wrap_pyfunction!(shader::translate, module)?)?;
    Ok(())
}
