//! Images with samplers: for parameters `&Sampled2D<F>` of kernels, and for bindings `sampler2D` of modules.

use std::sync::Arc;

use gridwise::image::{Edge, Filter, Sampler};
use pyo3::prelude::*;

use crate::error::{Fault, Outcome};
use crate::memory::{Cell, Memory};

const FILTERS: [(&str, Filter); 2] = [("linear", Filter::Linear), ("nearest", Filter::Nearest)];
const EDGES: [(&str, Edge); 4] =
    [("clamp", Edge::Clamp), ("repeat", Edge::Repeat), ("mirror", Edge::Mirror), ("zero", Edge::Zero)];

/// An image with a sampler; made by `Image.sampled`. It keeps the image.
#[pyclass(frozen, module = "gridwise")]
pub(crate) struct SampledImage {
    sampler: Sampler,
    image: Py<Memory>,
}

fn named<T: Copy>(what: &str, name: &str, rows: &[(&str, T)]) -> Outcome<T> {
    let found = rows.iter().find(|row| row.0 == name).map(|row| row.1);
    found.ok_or_else(|| {
        let names: Vec<String> = rows.iter().map(|row| format!("\"{}\"", row.0)).collect();
        Fault::Value(format!("there is no {what} `{name}`; there are {}", names.join(", ")))
    })
}

fn name_of<T: Copy + PartialEq>(value: T, rows: &'static [(&'static str, T)]) -> &'static str {
    rows.iter().find(|row| row.1 == value).map_or("", |row| row.0)
}

impl SampledImage {
    /// An image with the sampler of these names, if its device samples it so.
    pub(crate) fn of(image: &Bound<'_, Memory>, filter: &str, edge: &str) -> Outcome<Self> {
        let filter = named("filter", filter, &FILTERS)?;
        let sampler = Sampler { filter, levels: filter, edge: named("edge", edge, &EDGES)? };
        let cell = &image.get().cell;
        if let Some(format) = cell.format {
            (format.check)(&cell.live()?.handle, sampler)?;
        }
        Ok(Self { sampler, image: image.clone().unbind() })
    }
}

#[pymethods]
impl SampledImage {
    /// The image.
    #[getter]
    fn image(&self, py: Python<'_>) -> Py<Memory> {
        self.image.clone_ref(py)
    }

    /// `"linear"` or `"nearest"`.
    #[getter]
    fn filter(&self) -> &'static str {
        name_of(self.sampler.filter, &FILTERS)
    }

    /// `"clamp"`, `"repeat"`, `"mirror"` or `"zero"`.
    #[getter]
    fn edge(&self) -> &'static str {
        name_of(self.sampler.edge, &EDGES)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<SampledImage of {}, {}, {}>", self.image.bind(py).repr()?, self.filter(), self.edge()))
    }
}

/// An image with a sampler, or one that is sampled as samplers do unasked: mixed, and clamped at the edges.
pub(crate) fn image_and_sampler<'py>(argument: &Bound<'py, PyAny>) -> (Bound<'py, PyAny>, Option<Sampler>) {
    match argument.cast::<SampledImage>() {
        Ok(sampled) => (sampled.get().image.bind(argument.py()).clone().into_any(), Some(sampled.get().sampler)),
        Err(_) => (argument.clone(), None),
    }
}

/// The tensors, images and images with samplers of a list.
pub(crate) fn bound(list: &Bound<'_, PyAny>) -> Outcome<Vec<(Arc<Cell>, Option<Sampler>)>> {
    let each = list.try_iter()?.map(|item| {
        let (memory, sampler) = image_and_sampler(&item?);
        match memory.cast::<Memory>() {
            Ok(memory) => Ok((memory.get().cell.clone(), sampler)),
            Err(_) => Err(Fault::Type(format!("`{memory}` is no tensor and no image"))),
        }
    });
    each.collect()
}
