// What a module can do to a driver, by `deed`: 0 doubles, 1 reaches far outside of shared memory, 2 takes very long.
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Params { uint deed; uint far; } params;
layout(binding = 0) readonly buffer From { uint from[]; };
layout(binding = 1) buffer To { uint to[]; };
shared uint tile[64];

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint value = from[i % 64];
    if (params.deed == 1) {
        tile[params.far * (1 + gl_LocalInvocationIndex)] = value;
        barrier();
        value = tile[params.far + 7];
    }
    if (params.deed == 2) {
        for (uint k = 0; k < 60000; k++) {
            value = value * 1664525u + 1013904223u + to[(i + k) % 64];
        }
    }
    if (i < 64) {
        to[i] = value * 2;
    }
}
