// Looks for numbers that are in x twice: each position goes into a hash table by its number. Compile with:
// glslangValidator --target-env vulkan1.2 -V find_equal.comp -o find_equal.spv
#version 450

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly restrict buffer X { uint x[]; };
// Positions, from 1 on; its length is a power of two.
layout(std430, binding = 1) restrict buffer Table { uint table[]; };
// 0: bit 0 if two numbers are equal, bit 1 if a number found no place.
layout(std430, binding = 2) restrict buffer Found { uint found[]; };
layout(push_constant) uniform Push {
    uint mask; // positions of the table, less one
    uint probes;
    uint items; // launch words
    uint first_group;
};

// A permutation of the numbers in which each bit depends on all others.
uint mixed(uint number) {
    number ^= number >> 16;
    number *= 0x7feb352du;
    number ^= number >> 15;
    number *= 0x846ca68bu;
    return number ^ (number >> 16);
}

void main() {
    uint i = (gl_WorkGroupID.x + first_group) * 64u + gl_LocalInvocationID.x;
    if (i >= items) {
        return;
    }
    uint number = x[i];
    uint place = mixed(number);
    for (uint probe = 0u; probe < probes; probe++) {
        uint other = atomicCompSwap(table[place & mask], 0u, i + 1u);
        if (other == 0u) {
            return;
        }
        if (x[other - 1u] == number) {
            atomicOr(found[0], 1u);
            return;
        }
        place++;
    }
    atomicOr(found[0], 2u);
}
