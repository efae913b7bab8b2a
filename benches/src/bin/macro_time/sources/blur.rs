fn blur(size: IVec2, source: &[Vec4], target: &mut [Vec4]) {
    let x = global_id().x as i32;
    let y = global_id().y as i32;
    let weights: [f32; 5] = [1.0, 4.0, 6.0, 4.0, 1.0];
    let mut sum = Vec4::splat(0.0);
    for row in 0..5 {
        for column in 0..5 {
            let from_x = (x + column - 2).clamp(0, size.x - 1);
            let from_y = (y + row - 2).clamp(0, size.y - 1);
            let weight = weights[row as usize] * weights[column as usize] / 256.0;
            sum += weight * source[(from_y * size.x + from_x) as u32];
        }
    }
    target[(y * size.x + x) as u32] = sum;
}
