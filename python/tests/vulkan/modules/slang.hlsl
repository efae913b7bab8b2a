// The source of `slang.spv`, made by slangc 2026.14.1: `slangc slang.hlsl -target spirv -O0 -entry main -o slang.spv`. Its source
// language is changed to "unknown" (0): the SPIR-V tools of Debian 12 do not know Slang (11).
struct Push { float factor; };
[[vk::push_constant]] ConstantBuffer<Push> push;
[[vk::binding(0, 0)]] StructuredBuffer<float> a;
[[vk::binding(1, 0)]] RWStructuredBuffer<float> b;
groupshared float first[64];

[shader("compute")]
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint at : SV_GroupIndex)
{
    uint count, stride;
    a.GetDimensions(count, stride);
    first[at] = id.x < count ? a[id.x] : 0;
    GroupMemoryBarrierWithGroupSync();
    if (id.x < count)
        b[id.x] = push.factor * a[id.x] + first[0];
}
