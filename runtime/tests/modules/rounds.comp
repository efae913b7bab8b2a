// Counts its rounds, in a loop that is left at its end and one that is left by `return`.
// glslc --target-env=vulkan1.2 rounds.comp -o rounds.spv
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint rounds; };
layout(binding = 0) buffer Counted { uint counted[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= counted.length()) {
        return;
    }
    uint count = 0;
    do {
        switch (count % 3) {
            case 0: count += 1; break;
            case 1: count += 4; continue;
            default: count += 2;
        }
    } while (count < rounds);
    for (uint round = 0;; round++) {
        if (round == rounds) {
            counted[i] = count;
            return;
        }
        count ^= round & 1;
    }
}
