// As `scale`, with the second buffer in another set.
#version 450
layout(local_size_x_id = 7) in;
layout(constant_id = 0) const float factor = 2.0;
layout(constant_id = 1) const int shift = -1;
layout(constant_id = 3) const bool negate = false;
layout(push_constant) uniform Params { uint count; float offset; } params;
layout(binding = 0) readonly buffer From { float from[]; };
layout(set = 1, binding = 1) buffer To { float to[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < params.count) {
        float value = factor * from[i] + params.offset + float(shift);
        to[i] = negate ? -value : value;
    }
}
