#version 450
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly restrict buffer X { float x[]; };
layout(set = 0, binding = 1) restrict buffer Y { float y[]; };
layout(push_constant) uniform Params { float a; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    y[i] = a * x[i] + y[i];
}
