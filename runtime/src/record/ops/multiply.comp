// product[i] = x[i] * y[i]; compiled by `glslc -O --target-env=vulkan1.2`.
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Launch { uint items; uint first_group; } launch;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Y { float y[]; };
layout(binding = 2) writeonly buffer Product { float product[]; };

void main() {
    uint i = (launch.first_group + gl_WorkGroupID.x) * 64u + gl_LocalInvocationID.x;
    if (i < launch.items) {
        product[i] = x[i] * y[i];
    }
}
