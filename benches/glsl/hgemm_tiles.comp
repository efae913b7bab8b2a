#version 460
// Reference: as hgemm_coopmat, parametric: BM BN BK, SGX x SGY subgroups, optional double-buffered shared memory, grouped tile order for L2.
#pragma use_vulkan_memory_model
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_control_flow_attributes : require
#define T float16_t
#ifndef BM // the best shape found
#define BM 128
#define BN 128
#define BK 32
#define SGX 2
#define SGY 2
#define NBUF 1
#endif
#ifndef PAD
#define PAD 1
#endif
const uint F = 16;
const uint WG = SGX * SGY * 32;
const uint FM = BM / SGY / F, FN = BN / SGX / F;
layout(local_size_x = SGX * SGY * 32) in;
layout(push_constant) uniform Push { uint M, N, K; } pc;
layout(set = 0, binding = 0, std430) restrict readonly  buffer BufA { uvec4 A[]; };
layout(set = 0, binding = 1, std430) restrict readonly  buffer BufB { uvec4 B[]; };
layout(set = 0, binding = 2, std430) restrict writeonly buffer BufD { float D[]; };
const uint AW = BK / 8, BW = BN / 8;
const uint AS = AW + PAD, BS = BW + PAD;
const uint SA = BM * AS, SB = BK * BS;
shared uvec4 sA[SA * NBUF];
shared uvec4 sB[SB * NBUF];
const uint NA = BM * AW / WG, NB = BK * BW / WG;
uvec4 ra[NA], rb[NB];
uint row0, col0, lda, ldb, t;
void fetch(uint k) {
    [[unroll]] for (uint i = 0; i < NA; ++i) { uint e = i * WG + t; ra[i] = A[(row0 + e / AW) * lda + k / 8 + e % AW]; }
    [[unroll]] for (uint i = 0; i < NB; ++i) { uint e = i * WG + t; rb[i] = B[(k + e / BW) * ldb + col0 / 8 + e % BW]; }
}
void stash(uint b) {
    [[unroll]] for (uint i = 0; i < NA; ++i) { uint e = i * WG + t; sA[b * SA + (e / AW) * AS + e % AW] = ra[i]; }
    [[unroll]] for (uint i = 0; i < NB; ++i) { uint e = i * WG + t; sB[b * SB + (e / BW) * BS + e % BW] = rb[i]; }
}
void main() {
    t = gl_LocalInvocationIndex;
    const uint sx = gl_SubgroupID % SGX, sy = gl_SubgroupID / SGX;
    const uint gx = gl_NumWorkGroups.x, gy = gl_NumWorkGroups.y, lin = gl_WorkGroupID.y * gx + gl_WorkGroupID.x;
    const uint GM = 8, per = GM * gx, g = lin / per, r = lin % per, rows = min(GM, gy - g * GM);
    row0 = (g * GM + r % rows) * BM; col0 = (r / rows) * BN;
    lda = pc.K / 8; ldb = pc.N / 8;
    coopmat<float, gl_ScopeSubgroup, F, F, gl_MatrixUseAccumulator> acc[FM * FN];
    [[unroll]] for (uint i = 0; i < FM * FN; ++i) acc[i] = coopmat<float, gl_ScopeSubgroup, F, F, gl_MatrixUseAccumulator>(0.0);
    fetch(0);
    stash(0);
    if (BK < pc.K) fetch(BK);
    barrier();
    uint buf = 0;
    for (uint k0 = 0; k0 < pc.K; k0 += BK) {
        [[unroll]] for (uint kk = 0; kk < BK / F; ++kk) {
            coopmat<T, gl_ScopeSubgroup, F, F, gl_MatrixUseA> fa[FM];
            coopmat<T, gl_ScopeSubgroup, F, F, gl_MatrixUseB> fb[FN];
            [[unroll]] for (uint i = 0; i < FM; ++i) coopMatLoad(fa[i], sA, buf * SA + (sy * FM + i) * F * AS + kk * (F / 8), AS, gl_CooperativeMatrixLayoutRowMajor);
            [[unroll]] for (uint j = 0; j < FN; ++j) coopMatLoad(fb[j], sB, buf * SB + kk * F * BS + (sx * FN + j) * (F / 8), BS, gl_CooperativeMatrixLayoutRowMajor);
            [[unroll]] for (uint j = 0; j < FN; ++j) [[unroll]] for (uint i = 0; i < FM; ++i) acc[i * FN + j] = coopMatMulAdd(fa[i], fb[j], acc[i * FN + j]);
        }
#if NBUF == 2
        buf ^= 1;
        if (k0 + BK < pc.K) stash(buf);
        if (k0 + 2 * BK < pc.K) fetch(k0 + 2 * BK);
        barrier();
#else
        barrier();
        if (k0 + BK < pc.K) stash(0);
        if (k0 + 2 * BK < pc.K) fetch(k0 + 2 * BK);
        barrier();
#endif
    }
    [[unroll]] for (uint i = 0; i < FM; ++i) [[unroll]] for (uint j = 0; j < FN; ++j)
        coopMatStore(acc[i * FN + j], D, (row0 + (sy * FM + i) * F) * pc.N + col0 + (sx * FN + j) * F, pc.N, gl_CooperativeMatrixLayoutRowMajor);
}
