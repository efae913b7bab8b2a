//! The peers' sources: one text for CUDA C++ and GLSL, with what differs between them put in front, and their compilers.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use gridwise_benches::Error as BenchError;

use crate::error::Error;
use crate::measure::usual_words;
use crate::workload::{ParamKind, Workload};

const GLSL: &str = r"#version 460
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#define DEVICE
#define SHARED shared
#define TABLE const
#define INOUT(type) inout type
#define DOUBLE(x) double(x)
#define BARRIER barrier()
#define ATOMIC_ADD(place, value) atomicAdd(place, value)
#define ATOMIC_MAX(place, value) atomicMax(place, value)
#define ATOMIC_OR(place, value) atomicOr(place, value)
#define ATOMIC_SWAP_IF(place, old, value) atomicCompSwap(place, old, value)
#define LOCAL_X gl_LocalInvocationID.x
#define LOCAL_Y gl_LocalInvocationID.y
#define GROUP_X gl_WorkGroupID.x
#define GROUP_Y gl_WorkGroupID.y
#define GROUP_Z gl_WorkGroupID.z
#define GROUPS_X gl_NumWorkGroups.x
#define GLOBAL_X gl_GlobalInvocationID.x
#define GLOBAL_Y gl_GlobalInvocationID.y
#define GLOBAL_Z gl_GlobalInvocationID.z
struct f32x2 { float v[2]; };
struct f32x4 { float v[4]; };
struct f32x8 { float v[8]; };
struct f32x12 { float v[12]; };
struct u32x2 { uint v[2]; };
struct u32x4 { uint v[4]; };
";

const CUDA: &str = r"#include <cstdint>
#include <cmath>
#include <cuda_fp16.h>
typedef __half float16_t;
typedef unsigned int uint;
#define DEVICE __device__ __forceinline__
#define SHARED __shared__
#define TABLE __constant__ const
#define INOUT(type) type &
#define DOUBLE(x) x
#define BARRIER __syncthreads()
#define ATOMIC_ADD(place, value) atomicAdd(&(place), value)
#define ATOMIC_MAX(place, value) atomicMax(&(place), value)
#define ATOMIC_OR(place, value) atomicOr(&(place), value)
#define ATOMIC_SWAP_IF(place, old, value) atomicCAS(&(place), old, value)
#define LOCAL_X threadIdx.x
#define LOCAL_Y threadIdx.y
#define GROUP_X blockIdx.x
#define GROUP_Y blockIdx.y
#define GROUP_Z blockIdx.z
#define GROUPS_X gridDim.x
#define GLOBAL_X (blockIdx.x * blockDim.x + threadIdx.x)
#define GLOBAL_Y (blockIdx.y * blockDim.y + threadIdx.y)
#define GLOBAL_Z (blockIdx.z * blockDim.z + threadIdx.z)
struct f32x2 { float v[2]; };
struct f32x4 { float v[4]; };
struct f32x8 { float v[8]; };
struct f32x12 { float v[12]; };
struct u32x2 { uint v[2]; };
struct u32x4 { uint v[4]; };
struct vec3 { float x, y, z; };
typedef uchar4 u8vec4;
";

/// The shader of a workload.
pub(crate) fn glsl(workload: &Workload) -> String {
    let [x, y, z] = sizes(workload);
    let mut text = GLSL.to_owned();
    let _ = writeln!(text, "layout(local_size_x = {x}, local_size_y = {y}, local_size_z = {z}) in;");
    let values = workload.params.iter().filter_map(|param| match &param.kind {
        ParamKind::Value { value, .. } => Some(format!("{} {};", value.type_name(), param.name)),
        ParamKind::Buffer { .. } => None,
    });
    let values: Vec<_> = values.collect();
    if !values.is_empty() {
        let _ = writeln!(text, "layout(push_constant, scalar) uniform Push {{ {} }};", values.join(" "));
    }
    workload.buffers().for_each(|(data, _)| text.push_str(data.declaration()));
    let mut binding = 0;
    for param in &workload.params {
        if let ParamKind::Buffer { data, is_written } = &param.kind {
            let access = if *is_written { "restrict" } else { "restrict readonly" };
            let (ty, name) = (data.type_name(), param.name);
            let _ = writeln!(
                text,
                "layout(set = 0, binding = {binding}, scalar) {access} buffer B{binding} {{ {ty} {name}[]; }};"
            );
            binding += 1;
        }
    }
    let _ = writeln!(text, "#define KERNEL void main()\n{}{}", workload.helper, workload.source);
    text
}

/// The CUDA C++ of a workload; its kernel is `run`.
pub(crate) fn cuda(workload: &Workload) -> String {
    let [x, y, z] = sizes(workload);
    let params = workload.params.iter().map(|param| match &param.kind {
        ParamKind::Value { value, .. } => format!("{} {}", value.type_name(), param.name),
        ParamKind::Buffer { data, is_written: false } => {
            format!("const {} *__restrict__ {}", data.type_name(), param.name)
        }
        ParamKind::Buffer { data, .. } => format!("{} *__restrict__ {}", data.type_name(), param.name),
    });
    let params = params.collect::<Vec<_>>().join(", ");
    let threads = x * y * z;
    let kernel = format!("#define KERNEL extern \"C\" __global__ void __launch_bounds__({threads}) run({params})");
    let types: String = workload.buffers().map(|(data, _)| data.declaration()).collect();
    format!("{CUDA}{types}{kernel}\n{}{}", workload.helper, workload.source)
}

/// A workgroup's invocations along the axes.
pub(crate) fn sizes(workload: &Workload) -> [u32; 3] {
    workload.kernel.workgroup_with(&[])
}

/// Writes the sources of all workloads and our own modules to a folder, and compiles those sources whose compilers are there.
///
/// # Errors
/// When a source does not compile, or the file system fails.
pub(crate) fn compile_all(workloads: &[Workload], folder: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(folder).map_err(BenchError::file(folder))?;
    for workload in workloads {
        let words = usual_words(workload.kernel).unwrap_or_default();
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let path = folder.join(format!("{}.ours.spv", workload.file()));
        std::fs::write(&path, bytes).map_err(BenchError::file(&path))?;
    }
    let results = std::thread::scope(|scope| {
        let jobs: Vec<_> = workloads.iter().map(|workload| (workload.file(), glsl(workload), cuda(workload))).collect();
        let threads: Vec<_> = jobs
            .into_iter()
            .map(|(name, glsl, cuda)| {
                scope.spawn(move || {
                    compile_glsl(&name, &glsl, folder)?;
                    compile_cuda(&name, &cuda, folder)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join()).collect::<Vec<_>>()
    });
    results.into_iter().flatten().collect()
}

fn compile_glsl(name: &str, source: &str, folder: &Path) -> Result<(), Error> {
    let (path, target) = (write(name, "comp", source, folder)?, folder.join(format!("{name}.spv")));
    let compiler = std::env::var_os("GLSLC").unwrap_or_else(|| "glslc".into());
    let mut command = Command::new(compiler);
    command.args(["-O", "--target-env=vulkan1.2", "-o"]).arg(&target).arg(&path);
    run(command, "glslc", &target)
}

fn compile_cuda(name: &str, source: &str, folder: &Path) -> Result<(), Error> {
    let (path, target) = (write(name, "cu", source, folder)?, folder.join(format!("{name}.cubin")));
    let mut command = Command::new("nvcc");
    command.args(["-O3", "-arch=native", "-cubin", "-o"]).arg(&target).arg(&path);
    run(command, "nvcc", &target)
}

fn write(name: &str, suffix: &str, source: &str, folder: &Path) -> Result<PathBuf, Error> {
    let path = folder.join(format!("{name}.{suffix}"));
    std::fs::write(&path, source).map_err(BenchError::file(&path))?;
    Ok(path)
}

/// Runs a compiler, unless there is none.
fn run(mut command: Command, program: &str, target: &Path) -> Result<(), Error> {
    let output = match command.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        output => output.map_err(|source| BenchError::Start { program: program.to_owned(), source })?,
    };
    if output.status.success() {
        return Ok(());
    }
    let text = format!("{}: {}", target.display(), String::from_utf8_lossy(&output.stderr));
    Err(BenchError::Program { program: program.to_owned(), status: output.status, output: text }.into())
}
