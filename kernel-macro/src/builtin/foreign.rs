//! Names that CUDA, OpenCL, GLSL, HLSL, WGSL, Metal and other Rust tools have, and how gridwise spells them. Only names
//! that nobody would give to an item of a Rust crate: an unknown `mix(…)` may be somebody's `#[device] fn`.

/// Functions.
const FUNCTIONS: &[(&[&str], &str)] = &[
    (
        &[
            "__syncthreads",
            "syncthreads",
            "sync_threads",
            "workgroupBarrier",
            "workgroup_barrier",
            "groupMemoryBarrier",
            "group_memory_barrier",
            "GroupMemoryBarrierWithGroupSync",
            "threadgroup_barrier",
            "workgroup_memory_barrier_with_group_sync",
            "control_barrier",
            "sync_cube",
        ],
        "write `barrier()`",
    ),
    (
        &[
            "__threadfence",
            "__threadfence_block",
            "memoryBarrier",
            "memoryBarrierShared",
            "memoryBarrierBuffer",
            "storageBarrier",
            "DeviceMemoryBarrier",
            "mem_fence",
            "memory_barrier",
        ],
        "write `fence(…)` with a scope and an order, or `barrier()`, which is one, too",
    ),
    (&["__syncwarp", "simdgroup_barrier", "sync_plane"], "lanes of a subgroup wait with `barrier()`"),
    (&["get_global_id", "global_invocation_id"], "write `global_id()`, whose lanes are `x`, `y` and `z`"),
    (&["get_local_id", "local_invocation_id"], "write `local_id()`, whose lanes are `x`, `y` and `z`"),
    (&["get_group_id"], "write `workgroup_id()`, whose lanes are `x`, `y` and `z`"),
    (&["get_local_size"], "write `workgroup_size()`, whose lanes are `x`, `y` and `z`"),
    (&["get_num_groups"], "write `num_workgroups()`, whose lanes are `x`, `y` and `z`"),
    (
        &["get_global_size", "global_size"],
        "write `num_workgroups() * workgroup_size()`, or pass the size as a parameter",
    ),
    (
        &["atomicAdd", "atomic_add", "InterlockedAdd", "atomic_fetch_add", "atomicIAdd"],
        "write `x[i].fetch_add(v, Relaxed)` on a parameter `x: &[Atomic<u32>]`",
    ),
    (&["atomicSub", "atomic_sub"], "write `x[i].fetch_sub(v, Relaxed)` on a parameter `x: &[Atomic<u32>]`"),
    (
        &["atomicMax", "atomic_max", "InterlockedMax"],
        "write `x[i].fetch_max(v, Relaxed)` on a parameter `x: &[Atomic<u32>]`",
    ),
    (
        &["atomicMin", "atomic_min", "InterlockedMin"],
        "write `x[i].fetch_min(v, Relaxed)` on a parameter `x: &[Atomic<u32>]`",
    ),
    (&["atomicAnd", "InterlockedAnd"], "write `x[i].fetch_and(v, Relaxed)` on a parameter `x: &[Atomic<u32>]`"),
    (&["atomicOr", "InterlockedOr"], "write `x[i].fetch_or(v, Relaxed)` on a parameter `x: &[Atomic<u32>]`"),
    (&["atomicXor", "InterlockedXor"], "write `x[i].fetch_xor(v, Relaxed)` on a parameter `x: &[Atomic<u32>]`"),
    (
        &["atomicExch", "atomicExchange", "InterlockedExchange"],
        "write `x[i].swap(v, Relaxed)` on a parameter `x: &[Atomic<u32>]`",
    ),
    (
        &["atomicCAS", "atomicCompSwap", "atomicCompareExchangeWeak", "InterlockedCompareExchange", "atomic_cmpxchg"],
        "write `x[i].compare_exchange(old, new, Relaxed, Relaxed)` on a parameter `x: &[Atomic<u32>]`",
    ),
    (&["atomicLoad"], "write `x[i].load(Relaxed)` on a parameter `x: &[Atomic<u32>]`"),
    (&["atomicStore"], "write `x[i].store(v, Relaxed)` on a parameter `x: &[Atomic<u32>]`"),
    (
        &["subgroupAdd", "subgroup_add", "WaveActiveSum", "simd_sum", "plane_sum", "__reduce_add_sync"],
        "write `subgroup::add(x)`",
    ),
    (&["subgroupMax", "subgroup_max", "WaveActiveMax", "simd_max", "plane_max"], "write `subgroup::max(x)`"),
    (&["subgroupMin", "subgroup_min", "WaveActiveMin", "simd_min", "plane_min"], "write `subgroup::min(x)`"),
    (&["subgroupBallot", "WaveActiveBallot", "__ballot_sync", "simd_ballot"], "write `subgroup::ballot(x)`"),
    (&["subgroupShuffle", "__shfl_sync", "simd_shuffle", "WaveReadLaneAt"], "write `subgroup::shuffle(x, lane)`"),
    (&["__shfl_down_sync", "subgroupShuffleDown", "simd_shuffle_down"], "write `subgroup::shuffle_down(x, by)`"),
    (&["__shfl_up_sync", "subgroupShuffleUp", "simd_shuffle_up"], "write `subgroup::shuffle_up(x, by)`"),
    (&["__shfl_xor_sync", "subgroupShuffleXor", "simd_shuffle_xor"], "write `subgroup::shuffle_xor(x, mask)`"),
    (&["subgroupAll", "WaveActiveAllTrue", "__all_sync", "simd_all"], "write `subgroup::all(x)`"),
    (&["subgroupAny", "WaveActiveAnyTrue", "__any_sync", "simd_any"], "write `subgroup::any(x)`"),
    (&["inverseSqrt", "inversesqrt", "rsqrtf"], "write `1.0 / x.sqrt()`"),
    (&["floatBitsToUint", "__float_as_uint", "asuint"], "write `x.to_bits()`"),
    (&["uintBitsToFloat", "__uint_as_float", "asfloat"], "write `f32::from_bits(x)`"),
    (&["floatBitsToInt", "__float_as_int", "asint"], "write `x.to_bits() as i32`"),
    (&["bitCount", "countOneBits", "__popc", "countbits"], "write `x.count_ones()`"),
    (&["countLeadingZeros", "__clz"], "write `x.leading_zeros()`"),
    (&["countTrailingZeros", "__ffs"], "write `x.trailing_zeros()`"),
    (&["findMSB", "firstLeadingBit", "firstbithigh"], "write `31 - x.leading_zeros()`"),
    (&["findLSB", "firstTrailingBit", "firstbitlow"], "write `x.trailing_zeros()`"),
    (&["bitfieldReverse", "reverseBits", "__brev", "reversebits"], "write `x.reverse_bits()`"),
    (&["arrayLength"], "write `x.len()`"),
    (&["fmaf", "__fmaf_rn"], "write `a.mul_add(b, c)`"),
    (&["faceForward", "faceforward"], "write it with `dot`: `if i.dot(g) < 0.0 { n } else { -n }`"),
    (&["printf", "debugPrintfEXT"], "write `println!(\"…\", x)`"),
    (&["float"], "write `x as f32`"),
    (&["uint"], "write `x as u32`"),
    (&["int"], "write `x as i32`"),
    (
        &["texelFetch", "textureLoad", "textureSample", "textureStore", "imageLoad", "imageStore", "tex2D"],
        "images are not available: index a buffer, `x[row * width + column]`",
    ),
    (
        &["thread_rng"],
        "compute numbers from a seed and `global_id()`: hash them, or keep a generator's state in a buffer",
    ),
    (&["__ldg"], "index the buffer: reads of `&[T]` may be cached without being told"),
];

/// Values.
const VALUES: &[(&[&str], &str)] = &[
    (
        &["gl_GlobalInvocationID", "thread_position_in_grid", "SV_DispatchThreadID", "ABSOLUTE_POS"],
        "write `global_id()`",
    ),
    (
        &["gl_LocalInvocationID", "threadIdx", "thread_position_in_threadgroup", "SV_GroupThreadID", "UNIT_POS"],
        "write `local_id()`",
    ),
    (&["gl_LocalInvocationIndex", "SV_GroupIndex"], "write `local_index()`"),
    (
        &["gl_WorkGroupID", "blockIdx", "threadgroup_position_in_grid", "SV_GroupID", "CUBE_POS"],
        "write `workgroup_id()`",
    ),
    (&["gl_WorkGroupSize", "blockDim", "threads_per_threadgroup", "CUBE_DIM"], "write `workgroup_size()`"),
    (&["gl_NumWorkGroups", "gridDim", "threadgroups_per_grid", "CUBE_COUNT"], "write `num_workgroups()`"),
    (&["gl_SubgroupSize", "warpSize", "threads_per_simdgroup", "PLANE_DIM"], "write `subgroup_size()`"),
    (
        &["gl_SubgroupInvocationID", "laneId", "thread_index_in_simdgroup", "UNIT_POS_PLANE"],
        "write `subgroup_local_id()`",
    ),
    (&["gl_SubgroupID"], "write `subgroup_id()`"),
    (&["gl_NumSubgroups"], "write `num_subgroups()`"),
];

/// Types.
const TYPES: &[(&[&str], &str)] = &[
    (&["float"], "write `f32`"),
    (&["double"], "write `f64`"),
    (&["uint", "unsigned"], "write `u32`"),
    (&["int"], "write `i32`"),
    (&["size_t"], "write `usize`, which has 32 bits on the device"),
    (&["boolean"], "write `bool`"),
    (&["float2", "vec2", "vec2f"], "write `Vec2`"),
    (&["float3", "vec3", "vec3f"], "write `Vec3`"),
    (&["float4", "vec4", "vec4f"], "write `Vec4`"),
    (&["uint2", "uvec2", "vec2u"], "write `UVec2`"),
    (&["uint3", "uvec3", "vec3u"], "write `UVec3`"),
    (&["uint4", "uvec4", "vec4u"], "write `UVec4`"),
    (&["int2", "ivec2", "vec2i"], "write `IVec2`"),
    (&["int3", "ivec3", "vec3i"], "write `IVec3`"),
    (&["int4", "ivec4", "vec4i"], "write `IVec4`"),
    (&["HashMap", "BTreeMap", "HashSet"], "use arrays or buffers, with the index as key"),
    (&["VecDeque", "LinkedList"], "use an array `[T; N]` and an index"),
    (&["RefCell", "Mutex", "RwLock"], "use a `let mut` variable, or `Atomic<T>` for values that invocations share"),
    (&["AtomicU32", "AtomicI32", "AtomicU64"], "write `Atomic<u32>` and its like"),
    (&["sampler2D", "texture2D", "image2D", "texture_2d"], "images are not available: use a buffer `&[T]`"),
];

/// Methods of arrays and buffers.
const CONTAINER_METHODS: &[(&[&str], &str)] = &[
    (&["push", "pop", "extend", "insert", "remove"], "arrays and buffers have a fixed length: write to an index"),
    (&["to_vec", "collect"], "there is no heap on the device: write to an array or buffer"),
    (&["get_unchecked", "get_unchecked_mut", "get_mut"], "index it: `x[i]`; checks that cannot fail cost nothing"),
    (&["as_slice", "as_ref", "as_mut"], "use the buffer or array by its name"),
    (&["size"], "write `x.len()`"),
    (&["as_array"], "write `let head: [u32; 4] = x[..4].try_into().unwrap();`, or `x.get(..4)` for a slice"),
    (
        &["last_chunk"],
        "write `let tail: [u32; 4] = x[x.len() - 4..].try_into().unwrap();`, or `x.get(x.len() - 4..)` for a slice",
    ),
    (&["split_first_chunk"], "write `x.split_at_checked(4)`"),
    (&["split_last_chunk"], "write `x.split_at_checked(x.len() - 4)`"),
    (&["split_at_mut_checked"], "compare before: `if n <= x.len() { let (a, b) = x.split_at_mut(n); … }`"),
    (&["strip_prefix"], "write `if x.starts_with(head) { &x[head.len()..] } else { x }`"),
    (&["strip_suffix"], "write `if x.ends_with(tail) { &x[..x.len() - tail.len()] } else { x }`"),
    (
        &["chunk_by", "splitn", "rsplit", "rsplitn", "split_inclusive"],
        "find where to cut with `.iter().position(…)`, and write `x.split_at(n)`",
    ),
    (&["split_off", "split_off_first", "split_off_last"], "assign the rest: `x = &x[1..];`"),
    (&["as_flattened"], "go through all elements with `x.iter().flatten()`"),
    (&["select_nth_unstable"], "sort it, `x.sort();`, and take `x[n]`"),
    (&["get_disjoint_mut"], "copy the elements, `let (a, b) = (x[i], x[j]);`, and store them back"),
    (&["each_ref"], "elements are values here: leave it out"),
    (&["is_ascii"], "ask for each byte: `x.iter().all(|b| b.is_ascii())`"),
    (&["make_ascii_uppercase"], "write `for b in x.iter_mut() { *b = b.to_ascii_uppercase(); }`"),
    (&["make_ascii_lowercase"], "write `for b in x.iter_mut() { *b = b.to_ascii_lowercase(); }`"),
    (&["clone_from_slice"], "write `x.copy_from_slice(…)`"),
];

/// Methods of numbers and vectors.
const METHODS: &[(&[&str], &str)] = &[
    (&["mix"], "write `a.lerp(b, t)` for vectors, `a + (b - a) * t` for numbers"),
    (&["saturate"], "write `x.clamp(0.0, 1.0)`"),
    (&["rsqrt", "inverse_sqrt", "inversesqrt"], "write `1.0 / x.sqrt()`"),
    (&["fma", "mad"], "write `a.mul_add(b, c)`"),
    (&["length_sq", "magnitude_squared", "norm_squared"], "write `x.length_squared()`"),
    (&["magnitude", "norm"], "write `x.length()`"),
    (&["atomic_add"], "write `x[i].fetch_add(v, Relaxed)` on a parameter `x: &[Atomic<u32>]`"),
    (&["set"], "make the mask anew: `BVec3::new(true, mask.y, mask.z)`"),
    (
        &[
            "as_dvec2",
            "as_dvec3",
            "as_dvec4",
            "as_i8vec2",
            "as_i8vec3",
            "as_i8vec4",
            "as_u8vec2",
            "as_u8vec3",
            "as_u8vec4",
            "as_i16vec2",
            "as_i16vec3",
            "as_i16vec4",
            "as_u16vec2",
            "as_u16vec3",
            "as_u16vec4",
            "as_i64vec2",
            "as_i64vec3",
            "as_i64vec4",
            "as_u64vec2",
            "as_u64vec3",
            "as_u64vec4",
            "as_isizevec2",
            "as_isizevec3",
            "as_isizevec4",
            "as_usizevec2",
            "as_usizevec3",
            "as_usizevec4",
        ],
        "vectors have `f32`, `i32` or `u32` here: convert the lanes, `v.x as f64`",
    ),
    (&["as_vec3a", "to_vec3a"], "`Vec3` takes the place of `Vec3A`: leave it out, or write `v.as_vec3()`"),
    (
        &["try_from"],
        "compare the lanes, and convert them: `if v.cmpge(IVec3::ZERO).all() { Some(v.as_uvec3()) } else { None }`",
    ),
    (&["classify"], "ask for one class: `is_nan()`, `is_infinite()`, `is_subnormal()`, `is_normal()`, or `x == 0.0`"),
    (&["to_int_unchecked"], "write `x as i32`, which gives the nearest number"),
    (&["abs_sub"], "write `(a - b).max(0.0)`"),
    (&["unchecked_add"], "write `a.wrapping_add(b)`"),
    (&["unchecked_sub"], "write `a.wrapping_sub(b)`"),
    (&["unchecked_mul"], "write `a.wrapping_mul(b)`"),
    (&["max_value"], "write the const of the type, `u32::MAX`"),
    (&["min_value"], "write the const of the type, `u32::MIN`"),
    (&["make_ascii_uppercase"], "assign it: `c = c.to_ascii_uppercase()`"),
    (&["make_ascii_lowercase"], "assign it: `c = c.to_ascii_lowercase()`"),
    (
        &["from_str_radix"],
        "text is no value here: of bytes write `x.iter().fold(0, |n, b| 10 * n + u32::from(b - b'0'))`",
    ),
    (&["to_string"], "show it: `println!(\"{x}\")`"),
];

/// Functions of `std::iter` and `std::mem`.
const LIBRARY_FUNCTIONS: &[(&str, &[&str], &str)] = &[
    ("iter", &["repeat_with", "from_fn"], "name it in full, `std::iter::from_fn`, with a closure or a function's name"),
    ("iter", &["repeat", "repeat_n"], "name it in full: `std::iter::repeat(x)`"),
    ("iter", &["once"], "name it in full, `std::iter::once(x)`, or go through an array: `[x].into_iter()`"),
    ("iter", &["empty"], "go through a range without elements: `0..0`"),
    ("iter", &["zip"], "write `a.zip(b)`"),
    ("iter", &["successors"], "name it in full, `std::iter::successors`, with a closure or a function's name"),
    ("mem", &["size_of", "size_of_val", "align_of"], "write the number of bytes, as layouts are those of `#[repr(C)]`"),
    ("mem", &["transmute"], "write `x.to_bits()` and `f32::from_bits(x)`, or the integers' `to_le_bytes()`"),
    ("mem", &["drop", "forget"], "values have no `Drop`: leave it out"),
    ("hint", &["black_box"], "leave it out"),
    ("convert", &["identity"], "write the value itself"),
];

/// Modules of Rust's library that devices have nothing for.
const LIBRARY_MODULES: &[(&[&str], &str)] = &[
    (&["time"], "a device has no clock: measure on the host, before and after the launch"),
    (&["thread"], "each invocation is a thread of the device already: launch as many items as there is work"),
    (
        &["process", "env", "fs", "io", "net", "os", "path"],
        "a device has no operating system: do it on the host, and pass the result as a parameter",
    ),
    (
        &["sync", "cell", "rc"],
        "a `let mut` variable belongs to one invocation; for values that they share there are `Atomic<T>` and `Shared`",
    ),
    (&["collections", "vec", "string", "boxed"], "kernels have no memory to allocate: use an array or a buffer"),
    (&["ptr"], "index the buffer: `x[i]`, or a part of it, `&x[a..b]`"),
];

/// The replacement for a function of Rust's library, given by its names: `std`, `iter`, `once`.
pub(crate) fn library_function(names: &[String]) -> Option<&'static str> {
    let [root, module, .., name] = names else { return None };
    if !["std", "core", "alloc"].contains(&root.as_str()) {
        return None;
    }
    let is_meant = |(of, functions, _): &&(&str, &[&str], &str)| of == module && functions.contains(&name.as_str());
    let function = LIBRARY_FUNCTIONS.iter().find(is_meant).map(|(.., instead)| *instead);
    function.or_else(|| find(LIBRARY_MODULES, module))
}

/// Types of Rust's library that somebody may put into a struct.
const LIBRARY_TYPES: &[(&[&str], &str)] = &[
    (
        &["Cell", "RefCell", "UnsafeCell", "OnceCell", "LazyCell"],
        "hold the value itself: methods with `&mut self` change it; for values that invocations share there is `Atomic<T>`",
    ),
    (&["NonZeroU8", "NonZeroU16", "NonZeroU32", "NonZeroU64", "NonZeroUsize"], NONZERO),
    (&["NonZeroI8", "NonZeroI16", "NonZeroI32", "NonZeroI64", "NonZeroIsize", "NonZero"], NONZERO),
    (&["Saturating"], "use the number itself, with `saturating_add` and its like"),
    (&["Duration", "Instant", "SystemTime"], "use a number, as `f32` of seconds or `u64` of nanoseconds"),
    (&["ManuallyDrop", "MaybeUninit", "Pin"], "use the value itself"),
    (&["Rc", "Arc", "Weak"], "hold the value itself, or its index in a buffer"),
];

const NONZERO: &str =
    "use the number itself, as `u32`, and compare it with 0: every bit pattern in a buffer must be a valid value";

/// The replacement for an item of Rust's library, by the path of its import.
pub(crate) fn library_item(path: &str) -> Option<String> {
    let names: Vec<String> = path.split("::").map(str::to_owned).collect();
    let (name, module) = (names.last()?, names.iter().rev().nth(1)?);
    let is_known = module == "mem" && ["swap", "replace", "take"].contains(&name.as_str());
    if module == "consts" || is_known {
        return Some(format!("write the whole path: `{path}`"));
    }
    find(LIBRARY_TYPES, name).or_else(|| library_function(&names)).map(str::to_owned)
}

fn find(table: &'static [(&[&str], &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(names, _)| names.contains(&name)).map(|(_, instead)| *instead)
}

/// The replacement for a function.
pub(crate) fn function(name: &str) -> Option<&'static str> {
    find(FUNCTIONS, name)
}

/// The replacement for a value.
pub(crate) fn value(name: &str) -> Option<&'static str> {
    find(VALUES, name)
}

/// The replacement for a type.
pub(crate) fn ty(name: &str) -> Option<&'static str> {
    find(TYPES, name)
}

/// The replacement for a method of an array or buffer.
pub(crate) fn container_method(name: &str) -> Option<&'static str> {
    find(CONTAINER_METHODS, name)
}

/// The replacement for a method of a number or vector.
pub(crate) fn method(name: &str) -> Option<&'static str> {
    find(METHODS, name)
}
