// Looks for a number in x that is less than the one before it, or no offset. Compile with:
// glslangValidator --target-env vulkan1.2 -V find_descent.comp -o find_descent.spv
#version 450

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly restrict buffer X { uint x[]; };
// 1 if there is one.
layout(std430, binding = 1) restrict buffer Found { uint found[]; };
layout(push_constant) uniform Push {
    uint most; // the largest offset
    uint items; // launch words
    uint first_group;
};

void main() {
    uint i = (gl_WorkGroupID.x + first_group) * 64u + gl_LocalInvocationID.x;
    if (i >= items) {
        return;
    }
    uint before = i > 0u ? x[i - 1u] : 0u;
    if (x[i] < before || x[i] > most) {
        atomicOr(found[0], 1u);
    }
}
