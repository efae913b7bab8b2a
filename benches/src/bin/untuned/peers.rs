//! The peers' sources: one text for CUDA C++, GLSL and C++ with OpenMP, with what differs between them put in front, and their compilers.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use gridwise_benches::Error as BenchError;

use crate::error::Error;
use crate::measure::usual_words;
use crate::workload::{Param, ParamKind, Workload};

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
";

/// Elements that are arrays, in all three languages.
const ARRAYS: &str = "struct f32x2 { float v[2]; };
struct f32x3 { float v[3]; };
struct f32x4 { float v[4]; };
struct f32x8 { float v[8]; };
struct f32x12 { float v[12]; };
struct f64x3 { double v[3]; };
struct u32x2 { uint v[2]; };
struct u32x4 { uint v[4]; };
struct u32x8 { uint v[8]; };
struct u8x16 { uint8_t v[16]; };
struct u64x4 { uint64_t v[4]; };
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
struct vec3 { float x, y, z; };
typedef uchar4 u8vec4;
";

/// Text says how it is written for CUDA, or else for GLSL: what CUDA has is defined here.
const NATIVE: &str = r"#include <cmath>
#include <cstdint>
#include <type_traits>
using std::abs; using std::acos; using std::asin; using std::atan; using std::atan2; using std::cbrt; using std::ceil;
using std::cos; using std::cosh; using std::exp; using std::exp2; using std::floor; using std::log; using std::log2;
using std::pow; using std::round; using std::sin; using std::sinh; using std::sqrt; using std::tan; using std::tanh; using std::trunc;
typedef _Float16 float16_t;
typedef unsigned int uint;
#define __CUDACC__
#define DEVICE static inline
#define TABLE static const
#define INOUT(type) type &
#define DOUBLE(x) x
#define ATOMIC_ADD(place, value) add_atomically(place, value)
#define ATOMIC_MAX(place, value) raise_atomically(place, value)
#define ATOMIC_OR(place, value) __atomic_fetch_or(&(place), value, __ATOMIC_RELAXED)
#define ATOMIC_SWAP_IF(place, old, value) swap_atomically(place, old, value)
#define LOCAL_X invocation_at.local[0]
#define LOCAL_Y invocation_at.local[1]
#define GROUP_X invocation_at.group[0]
#define GROUP_Y invocation_at.group[1]
#define GROUP_Z invocation_at.group[2]
#define GROUPS_X invocation_at.groups[0]
#define GLOBAL_X (invocation_at.group[0] * SIZE_X + invocation_at.local[0])
#define GLOBAL_Y (invocation_at.group[1] * SIZE_Y + invocation_at.local[1])
#define GLOBAL_Z (invocation_at.group[2] * SIZE_Z + invocation_at.local[2])
struct At { uint group[3], local[3], groups[3]; };
struct vec3 { float x, y, z; };
struct uchar4 { unsigned char x, y, z, w; };
typedef uchar4 u8vec4;
static inline uchar4 make_uchar4(uint x, uint y, uint z, uint w) {
    return uchar4 { (unsigned char)x, (unsigned char)y, (unsigned char)z, (unsigned char)w };
}
template <class A, class B> static inline typename std::common_type<A, B>::type min(A a, B b) { return b < a ? b : a; }
template <class A, class B> static inline typename std::common_type<A, B>::type max(A a, B b) { return a < b ? b : a; }
static inline int __popc(uint x) { return __builtin_popcount(x); }
static inline int __clz(uint x) { return x == 0 ? 32 : __builtin_clz(x); }
static inline int __ffs(uint x) { return __builtin_ffs(x); }
static inline uint __umulhi(uint a, uint b) { return (uint)((uint64_t)a * b >> 32); }
static inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
static inline uint __brev(uint x) {
    x = __builtin_bswap32(x);
    x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
    x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
    return (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
}
template <class T, class V> static inline T swap_atomically(T &place, V old, V value) {
    T found = old;
    __atomic_compare_exchange_n(&place, &found, (T)value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return found;
}
template <class T, class V> static inline T add_atomically(T &place, V value) {
    T sum, old;
    __atomic_load(&place, &old, __ATOMIC_RELAXED);
    do sum = old + value; while (!__atomic_compare_exchange(&place, &old, &sum, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}
template <class V> static inline uint add_atomically(uint &place, V value) {
    return __atomic_fetch_add(&place, (uint)value, __ATOMIC_RELAXED);
}
template <class T, class V> static inline T raise_atomically(T &place, V value) {
    T old = __atomic_load_n(&place, __ATOMIC_RELAXED);
    while (old < (T)value && !__atomic_compare_exchange_n(&place, &old, (T)value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    return old;
}
";

/// All invocations, one after the other, on all cores.
const NATIVE_LOOPS: &str = r#"extern "C" void run(void *const *arguments, const uint *groups) {
    uint nx = groups[0], ny = groups[1], nz = groups[2];
    #pragma omp parallel for collapse(3)
    for (uint gz = 0; gz < nz; gz++) for (uint gy = 0; gy < ny; gy++) for (uint gx = 0; gx < nx; gx++) {
        for (uint z = 0; z < SIZE_Z; z++) for (uint y = 0; y < SIZE_Y; y++) for (uint x = 0; x < SIZE_X; x++) {
            invocation(ARGUMENTS, At { { gx, gy, gz }, { x, y, z }, { nx, ny, nz } });
        }
    }
}
"#;

/// Words of a kernel whose invocations wait for each other, which no loop over them runs.
const TOGETHER: [&str; 4] = ["BARRIER", "SHARED", "_sync", "blockDim"];

/// The shader of a workload.
pub(crate) fn glsl(workload: &Workload) -> String {
    let [x, y, z] = sizes(workload);
    let mut text = format!("{GLSL}{ARRAYS}");
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
    format!("{CUDA}{ARRAYS}{types}{kernel}\n{}{}", workload.helper, workload.source)
}

/// The C++ of a workload, unless its invocations wait for each other; its function is `run`.
pub(crate) fn native(workload: &Workload) -> Option<String> {
    if TOGETHER.iter().any(|word| workload.source.contains(word) || workload.helper.contains(word)) {
        return None;
    }
    let [x, y, z] = sizes(workload);
    let (mut params, mut arguments) = (Vec::new(), Vec::new());
    for (number, Param { name, kind }) in workload.params.iter().enumerate() {
        let (ty, argument) = match kind {
            ParamKind::Value { value, .. } => {
                let ty = value.type_name().to_owned();
                let argument = format!("*({ty} *)arguments[{number}]");
                (ty, argument)
            }
            ParamKind::Buffer { data, is_written } => {
                let ty = format!("{}{} *__restrict__", if *is_written { "" } else { "const " }, data.type_name());
                let argument = format!("({ty})arguments[{number}]");
                (ty, argument)
            }
        };
        params.push(format!("{ty} {name}"));
        arguments.push(argument);
    }
    let (params, arguments) = (params.join(", "), arguments.join(", "));
    let types: String = workload.buffers().map(|(data, _)| data.declaration()).collect();
    let kernel = format!("#define KERNEL static inline void invocation({params}, const At &invocation_at)");
    let sizes = format!("#define SIZE_X {x}u\n#define SIZE_Y {y}u\n#define SIZE_Z {z}u\n");
    let (helper, source) = (workload.helper, workload.source);
    Some(format!(
        "{NATIVE}{ARRAYS}{types}{sizes}{kernel}\n{helper}{source}\n{}",
        NATIVE_LOOPS.replace("ARGUMENTS", &arguments)
    ))
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
    let texts = |workload: &Workload| (workload.file(), glsl(workload), cuda(workload), native(workload));
    let jobs: Vec<_> = workloads.iter().map(texts).collect();
    let next = AtomicUsize::new(0);
    let compile = || {
        while let Some((name, glsl, cuda, native)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            compile_glsl(name, glsl, folder)?;
            compile_cuda(name, cuda, folder)?;
            native.as_ref().map_or(Ok(()), |source| compile_native(name, source, folder))?;
        }
        Ok(())
    };
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let results = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(compile)).collect();
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

fn compile_native(name: &str, source: &str, folder: &Path) -> Result<(), Error> {
    let (path, target) = (write(name, "cpp", source, folder)?, folder.join(format!("{name}.so")));
    let mut command = Command::new("c++");
    // It stays loaded: OpenMP's threads go on after the last call.
    command
        .args(["-O3", "-march=native", "-fopenmp", "-shared", "-fPIC", "-Wl,-z,nodelete", "-o"])
        .arg(&target)
        .arg(&path);
    run(command, "c++", &target)
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
