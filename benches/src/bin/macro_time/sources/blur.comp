#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) readonly restrict buffer Source { vec4 source[]; };
layout(set = 0, binding = 1) restrict buffer Target { vec4 target[]; };
layout(push_constant) uniform Params { ivec2 size; };

void main() {
    int x = int(gl_GlobalInvocationID.x);
    int y = int(gl_GlobalInvocationID.y);
    float weights[5] = float[5](1.0, 4.0, 6.0, 4.0, 1.0);
    vec4 sum = vec4(0.0);
    for (int row = 0; row < 5; row++) {
        for (int column = 0; column < 5; column++) {
            int from_x = clamp(x + column - 2, 0, size.x - 1);
            int from_y = clamp(y + row - 2, 0, size.y - 1);
            float weight = weights[row] * weights[column] / 256.0;
            sum += weight * source[uint(from_y * size.x + from_x)];
        }
    }
    target[uint(y * size.x + x)] = sum;
}
