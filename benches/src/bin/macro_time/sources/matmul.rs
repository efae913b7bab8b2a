fn matmul(size: UVec3, a: &[f32], b: &[f32], c: &mut [f32]) {
    let row = global_id().y * 4;
    let column = global_id().x * 4;
    let mut sums = [0.0; 16];
    for tile in 0..size.y / 16 {
        for inner in 0..16 {
            let k = tile * 16 + inner;
            let mut left = [0.0; 4];
            let mut right = [0.0; 4];
            for i in 0..4 {
                left[i] = a[(row + i) * size.y + k];
                right[i] = b[k * size.z + column + i];
            }
            for i in 0..4 {
                for j in 0..4 {
                    sums[i * 4 + j] += left[i] * right[j];
                }
            }
        }
    }
    for i in 0..4 {
        for j in 0..4 {
            c[(row + i) * size.z + column + j] = sums[i * 4 + j];
        }
    }
}
