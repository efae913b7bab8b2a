struct Params { size: vec2<i32> }
@group(0) @binding(0) var<storage, read> source: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> target_: array<vec4<f32>>;
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(16, 16)
fn blur(@builtin(global_invocation_id) id: vec3<u32>) {
    let x = i32(id.x);
    let y = i32(id.y);
    var weights = array<f32, 5>(1.0, 4.0, 6.0, 4.0, 1.0);
    var sum = vec4<f32>(0.0);
    for (var row = 0; row < 5; row++) {
        for (var column = 0; column < 5; column++) {
            let from_x = clamp(x + column - 2, 0, params.size.x - 1);
            let from_y = clamp(y + row - 2, 0, params.size.y - 1);
            let weight = weights[row] * weights[column] / 256.0;
            sum += weight * source[u32(from_y * params.size.x + from_x)];
        }
    }
    target_[u32(y * params.size.x + x)] = sum;
}
