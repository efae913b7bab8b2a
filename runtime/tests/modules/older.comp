// to[i] = factor * from[i], as compilers for Vulkan 1.0 write it: a uniform buffer, and buffers by an older storage class, none `readonly`.
// glslangValidator -V --target-env vulkan1.0
#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform Params { vec4 factor; } params;
layout(binding = 1) buffer From { vec4 from[]; };
layout(binding = 2) buffer To { vec4 to[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    to[i] = params.factor * from[i];
}
