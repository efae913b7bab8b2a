// A histogram in shared memory, a sum over the subgroup, and functions of all kinds: what compilers make of GLSL.
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 64) in;
struct Item { vec4 place; uint kind; float weight; };
layout(std430, binding = 0) readonly buffer Items { uint count; Item items[]; };
layout(std430, binding = 1) buffer Bins { uint bins[16]; float total; };
shared uint local_bins[16];

float weigh(in Item item, out uint kind) {
    kind = item.kind & 15u;
    float sum = 0.0;
    for (int i = 0; i < 4; ++i) {
        if (item.place[i] < 0.0) continue;
        sum += sqrt(abs(item.place[i])) * clamp(item.weight, 0.0, 1.0);
        if (sum > 100.0) break;
    }
    switch (kind) {
        case 0u: return sum;
        case 3u: sum *= 2.0; break;
        default: sum = fma(sum, 0.5, 1.0);
    }
    return sum;
}

void main() {
    uint local = gl_LocalInvocationIndex;
    if (local < 16u) local_bins[local] = 0u;
    barrier();
    uint kind = 0u;
    float weight = 0.0;
    if (gl_GlobalInvocationID.x < count) {
        weight = weigh(items[gl_GlobalInvocationID.x], kind);
        atomicAdd(local_bins[kind], 1u);
    }
    float all = subgroupAdd(weight);
    if (subgroupElect()) total += all;
    barrier();
    if (local < 16u) atomicAdd(bins[local], local_bins[local]);
}
