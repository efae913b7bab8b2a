// Copies three counts, or zeros and a record where one is over its limit; compiled by `glslc -O --target-env=vulkan1.2`.
#version 450
layout(local_size_x = 1) in;
layout(push_constant) uniform Launch { uint first; uint limit_x; uint limit_y; uint limit_z; } launch;
layout(binding = 0) readonly buffer Counts { uint counts[]; };
layout(binding = 1) writeonly buffer Command { uint command[]; };
layout(binding = 2) writeonly buffer Record {
    uint claimed;
    uint count;
    uint invocation_x;
    uint invocation_y;
    uint invocation_z;
    uint asked_x;
    uint asked_y;
    uint asked_z;
} record;

void main() {
    uint x = counts[launch.first];
    uint y = counts[launch.first + 1u];
    uint z = counts[launch.first + 2u];
    bool fits = x <= launch.limit_x && y <= launch.limit_y && z <= launch.limit_z;
    command[0] = fits ? x : 0u;
    command[1] = fits ? y : 0u;
    command[2] = fits ? z : 0u;
    if (!fits) {
        record.claimed = 1u;
        record.count = 1u;
        record.asked_x = x;
        record.asked_y = y;
        record.asked_z = z;
    }
}
