struct Params { size: vec3<u32> }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> params: Params;

@compute @workgroup_size(16, 16)
fn matmul(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = params.size;
    let row = id.y * 4u;
    let column = id.x * 4u;
    var sums: array<f32, 16>;
    for (var tile = 0u; tile < size.y / 16u; tile++) {
        for (var inner = 0u; inner < 16u; inner++) {
            let k = tile * 16u + inner;
            var left: array<f32, 4>;
            var right: array<f32, 4>;
            for (var i = 0u; i < 4u; i++) {
                left[i] = a[(row + i) * size.y + k];
                right[i] = b[k * size.z + column + i];
            }
            for (var i = 0u; i < 4u; i++) {
                for (var j = 0u; j < 4u; j++) {
                    sums[i * 4u + j] += left[i] * right[j];
                }
            }
        }
    }
    for (var i = 0u; i < 4u; i++) {
        for (var j = 0u; j < 4u; j++) {
            c[(row + i) * size.z + column + j] = sums[i * 4u + j];
        }
    }
}
