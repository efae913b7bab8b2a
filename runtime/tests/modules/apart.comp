// A texture and its sampler apart, which cannot be launched.
#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform texture2D picture;
layout(binding = 1) uniform sampler nearest;
layout(binding = 2) buffer To { vec4 to[]; };

void main() {
    to[gl_GlobalInvocationID.x] = textureLod(sampler2D(picture, nearest), vec2(0.5), 0.0);
}
