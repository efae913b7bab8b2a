#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) readonly restrict buffer A { float a[]; };
layout(set = 0, binding = 1) readonly restrict buffer B { float b[]; };
layout(set = 0, binding = 2) restrict buffer C { float c[]; };
layout(push_constant) uniform Params { uvec3 size; };

void main() {
    uint row = gl_GlobalInvocationID.y * 4;
    uint column = gl_GlobalInvocationID.x * 4;
    float sums[16];
    for (uint i = 0; i < 16; i++) sums[i] = 0.0;
    for (uint tile = 0; tile < size.y / 16; tile++) {
        for (uint inner = 0; inner < 16; inner++) {
            uint k = tile * 16 + inner;
            float left[4];
            float right[4];
            for (uint i = 0; i < 4; i++) {
                left[i] = a[(row + i) * size.y + k];
                right[i] = b[k * size.z + column + i];
            }
            for (uint i = 0; i < 4; i++) {
                for (uint j = 0; j < 4; j++) {
                    sums[i * 4 + j] += left[i] * right[j];
                }
            }
        }
    }
    for (uint i = 0; i < 4; i++) {
        for (uint j = 0; j < 4; j++) {
            c[(row + i) * size.z + column + j] = sums[i * 4 + j];
        }
    }
}
