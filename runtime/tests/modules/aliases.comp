// values[4 * i] = the sum of the four values from there on: one buffer, declared as `vec4[]` and as `float[]`.
#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Wide { vec4 wide[]; };
layout(binding = 0) buffer Values { float values[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < wide.length()) {
        values[4 * i] = dot(wide[i], vec4(1.0));
    }
}
