// to = mix(from, pattern, amount): a storage image that is read, one that is written, and one with a sampler.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(push_constant) uniform Params { float amount; } params;
layout(binding = 0, rgba8) readonly uniform image2D from;
layout(binding = 1, rgba8) uniform image2D to;
layout(binding = 3) uniform sampler2D pattern;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    ivec2 size = imageSize(to);
    if (any(greaterThanEqual(at, size))) {
        return;
    }
    vec4 sampled = textureLod(pattern, (vec2(at) + 0.5) / vec2(size), 0.0);
    vec4 first = texelFetch(pattern, ivec2(0), 0);
    imageStore(to, at, mix(imageLoad(from, at), sampled, params.amount) + first);
}
