//! WGSL and GLSL to SPIR-V by naga. `kp.compile` calls it in a process of its own: there are sources that exhaust any stack.

use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, Module, ShaderStage};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// naga recurses over expressions and blocks.
const STACK: usize = 256 << 20;

/// A module of one entry point, in SPIR-V of the version. For `kp.compile`.
#[pyfunction]
pub(crate) fn translate<'py>(
    py: Python<'py>,
    source: String,
    language: String,
    entry_point: String,
    version: (u8, u8),
) -> PyResult<Bound<'py, PyBytes>> {
    let compiled = py.detach(|| {
        let work = move || compile(&source, &language, &entry_point, version);
        let thread = std::thread::Builder::new().name("naga".to_owned()).stack_size(STACK).spawn(work);
        let ended = thread.map_err(|error| format!("there is no thread for naga: {error}"))?.join();
        ended.unwrap_or_else(|_| Err("naga failed on this shader; compile it by glslangValidator".to_owned()))
    });
    let words = compiled.map_err(PyValueError::new_err)?;
    let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    Ok(PyBytes::new(py, &bytes))
}

fn compile(source: &str, language: &str, entry_point: &str, version: (u8, u8)) -> Result<Vec<u32>, String> {
    let mut module = match language {
        "wgsl" => naga::front::wgsl::parse_str(source).map_err(|error| error.emit_to_string(source))?,
        "glsl" => naga::front::glsl::Frontend::default()
            .parse(&ShaderStage::Compute.into(), source)
            .map_err(|errors| errors.emit_to_string(source))?,
        other => return Err(format!("naga has no language `{other}`; use \"glsl\" or \"wgsl\"")),
    };
    let name = choose(&mut module, language, entry_point)?;
    check_bindings(&module)?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|error| error.emit_to_string(source))?;
    let options = spv::Options {
        lang_version: version,
        flags: spv::WriterFlags::empty(),
        bounds_check_policies: BoundsCheckPolicies {
            index: BoundsCheckPolicy::Restrict,
            buffer: BoundsCheckPolicy::Restrict,
            // naga 30 restricts unsigned places by constants of another type, which no validator takes.
            image_load: BoundsCheckPolicy::ReadZeroSkipWrite,
            ..BoundsCheckPolicies::default()
        },
        ..spv::Options::default()
    };
    let pipeline = spv::PipelineOptions { shader_stage: ShaderStage::Compute, entry_point: name };
    spv::write_vec(&module, &info, &options, Some(&pipeline)).map_err(|error| error.to_string())
}

/// The entry point with this name; unasked, a module's only one.
fn choose(module: &mut Module, language: &str, asked: &str) -> Result<String, String> {
    let compute: Vec<usize> =
        (0..module.entry_points.len()).filter(|at| module.entry_points[*at].stage == ShaderStage::Compute).collect();
    let named = compute.iter().copied().find(|at| module.entry_points[*at].name == asked);
    let found = match (named, compute.as_slice()) {
        (Some(at), _) => at,
        (None, [only]) if language == "glsl" => {
            // As glslangValidator renames it.
            asked.clone_into(&mut module.entry_points[*only].name);
            *only
        }
        (None, [only]) if asked == "main" => *only,
        _ => {
            let names: Vec<&str> = compute.iter().map(|at| module.entry_points[*at].name.as_str()).collect();
            return Err(format!("there is no compute entry point `{asked}`; the shader has: {}", names.join(", ")));
        }
    };
    Ok(module.entry_points[found].name.clone())
}

fn check_bindings(module: &Module) -> Result<(), String> {
    if let Some((_, value)) = module.overrides.iter().next() {
        let name = value.name.as_deref().unwrap_or("without a name");
        return Err(format!(
            "naga has no specialization constants, such as `{name}`: pass the value by push constants, write it into the \
             source, or compile by glslangValidator"
        ));
    }
    let is_bound = |space| matches!(space, AddressSpace::Storage { .. } | AddressSpace::Uniform | AddressSpace::Handle);
    match module.global_variables.iter().find(|(_, global)| is_bound(global.space) && global.binding.is_none()) {
        Some((_, global)) => {
            let name = global.name.as_deref().unwrap_or("a buffer");
            Err(format!("`{name}` has no binding: write `layout(binding = 0)` or `@group(0) @binding(0)`"))
        }
        None => Ok(()),
    }
}
