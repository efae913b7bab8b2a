//! Branches and state: rays through enums, stacks with methods, tables of dynamic programming, text.

use gridwise::prelude::*;

use crate::data::words;
use crate::workload::Workload;

#[device]
#[derive(Clone, Copy)]
enum Shape {
    Ball { center: [f32; 3], radius: f32 },
    Floor { height: f32 },
}

#[device]
fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[device]
fn hit(shape: Shape, from: [f32; 3], along: [f32; 3]) -> Option<f32> {
    match shape {
        Shape::Ball { center, radius } => {
            let to = [center[0] - from[0], center[1] - from[1], center[2] - from[2]];
            let middle = dot(to, along);
            let square = radius * radius - dot(to, to) + middle * middle;
            if square < 0.0 {
                return None;
            }
            let near = middle - square.sqrt();
            if near > 1e-3 { Some(near) } else { None }
        }
        Shape::Floor { height } => {
            let distance = (height - from[1]) / along[1];
            if distance > 1e-3 { Some(distance) } else { None }
        }
    }
}

#[device]
fn scene(i: u32) -> Shape {
    if i == 0 {
        return Shape::Floor { height: -1.0 };
    }
    let x = (i % 4) as f32 * 1.5 - 2.0;
    let y = (i / 4) as f32 * 1.2 - 0.5;
    Shape::Ball { center: [x, y, 4.0 + (i % 3) as f32], radius: 0.6 }
}

#[kernel(workgroup = [16, 16])]
fn rays(width: u32, height: u32, shapes: u32, light: &mut [f32]) {
    let (px, py) = (global_id().x, global_id().y);
    let x = px as f32 / width as f32 * 2.0 - 1.0;
    let y = 1.0 - py as f32 / height as f32 * 2.0;
    let length = (x * x + y * y + 1.0).sqrt();
    let mut along = [x / length, y / length, 1.0 / length];
    let mut from = [0.0f32; 3];
    let mut brightness = 0.0;
    let mut share = 1.0;
    for _ in 0..4 {
        let mut nearest: Option<(f32, Shape)> = None;
        for i in 0..shapes {
            let shape = scene(i);
            if let Some(distance) = hit(shape, from, along) {
                if nearest.is_none_or(|(known, _)| distance < known) {
                    nearest = Some((distance, shape));
                }
            }
        }
        let Some((distance, shape)) = nearest else {
            brightness += share * (0.5 + 0.5 * along[1]);
            break;
        };
        for axis in 0..3 {
            from[axis] += distance * along[axis];
        }
        let normal = match shape {
            Shape::Ball { center, radius } => {
                [(from[0] - center[0]) / radius, (from[1] - center[1]) / radius, (from[2] - center[2]) / radius]
            }
            Shape::Floor { .. } => [0.0, 1.0, 0.0],
        };
        let facing = dot(along, normal);
        for axis in 0..3 {
            along[axis] -= 2.0 * facing * normal[axis];
        }
        brightness += share * 0.2 * -facing;
        share *= 0.7;
    }
    light[(py * width + px) as usize] = brightness;
}

const RAYS: &str = r"
struct Shape { int kind; float x; float y; float z; float radius; };
DEVICE Shape scene(uint i) {
    Shape shape;
    shape.kind = i == 0u ? 1 : 0;
    shape.x = float(i % 4u) * 1.5f - 2.0f;
    shape.y = i == 0u ? -1.0f : float(i / 4u) * 1.2f - 0.5f;
    shape.z = 4.0f + float(i % 3u);
    shape.radius = 0.6f;
    return shape;
}
DEVICE float hit(Shape shape, vec3 from, vec3 along) {
    if (shape.kind == 0) {
        float tx = shape.x - from.x, ty = shape.y - from.y, tz = shape.z - from.z;
        float middle = tx * along.x + ty * along.y + tz * along.z;
        float square = shape.radius * shape.radius - (tx * tx + ty * ty + tz * tz) + middle * middle;
        if (square < 0.0f) return -1.0f;
        float near = middle - sqrt(square);
        return near > 1e-3f ? near : -1.0f;
    }
    float distance = (shape.y - from.y) / along.y;
    return distance > 1e-3f ? distance : -1.0f;
}
KERNEL {
    uint px = GLOBAL_X, py = GLOBAL_Y;
    float x = float(px) / float(width) * 2.0f - 1.0f;
    float y = 1.0f - float(py) / float(height) * 2.0f;
    float length = sqrt(x * x + y * y + 1.0f);
    vec3 along, from;
    along.x = x / length; along.y = y / length; along.z = 1.0f / length;
    from.x = 0.0f; from.y = 0.0f; from.z = 0.0f;
    float brightness = 0.0f, share = 1.0f;
    for (int bounce = 0; bounce < 4; bounce++) {
        float nearest = -1.0f;
        Shape shape = scene(0u);
        for (uint i = 0u; i < shapes; i++) {
            Shape candidate = scene(i);
            float distance = hit(candidate, from, along);
            if (distance >= 0.0f && (nearest < 0.0f || distance < nearest)) { nearest = distance; shape = candidate; }
        }
        if (nearest < 0.0f) { brightness += share * (0.5f + 0.5f * along.y); break; }
        from.x += nearest * along.x; from.y += nearest * along.y; from.z += nearest * along.z;
        vec3 normal;
        normal.x = 0.0f; normal.y = 1.0f; normal.z = 0.0f;
        if (shape.kind == 0) {
            normal.x = (from.x - shape.x) / shape.radius;
            normal.y = (from.y - shape.y) / shape.radius;
            normal.z = (from.z - shape.z) / shape.radius;
        }
        float facing = along.x * normal.x + along.y * normal.y + along.z * normal.z;
        along.x -= 2.0f * facing * normal.x; along.y -= 2.0f * facing * normal.y; along.z -= 2.0f * facing * normal.z;
        brightness += share * 0.2f * -facing;
        share *= 0.7f;
    }
    light[py * width + px] = brightness;
}
";

#[device]
mod stack {
    #[derive(Clone, Copy)]
    pub(super) struct Stack {
        items: [u32; 32],
        len: usize,
    }

    impl Stack {
        pub(super) fn new() -> Self {
            Stack { items: [0; 32], len: 0 }
        }

        pub(super) fn push(&mut self, item: u32) {
            self.items[self.len] = item;
            self.len += 1;
        }

        pub(super) fn pop(&mut self) -> Option<u32> {
            if self.len == 0 {
                return None;
            }
            self.len -= 1;
            Some(self.items[self.len])
        }
    }
}

/// Queens on a board of `n`, the first two of which an invocation's number places: the boards that are full.
#[kernel(workgroup = 64)]
fn queens(n: u32, counts: &mut [u32]) {
    let id = global_id().x;
    let (first, second) = (id % n, id / n % n);
    let all = (1u32 << n) - 1;
    let (a, b) = (1 << first, 1 << second);
    let mut count = 0;
    let taken = a | (a << 1) | (a >> 1);
    if b & taken == 0 {
        let mut stack = stack::Stack::new();
        let (columns, left, right) = (a | b, ((a << 1) | b) << 1, ((a >> 1) | b) >> 1);
        stack.push(all & !(columns | left | right));
        let mut state = [(columns, left, right); 16];
        let mut depth = 0;
        while let Some(free) = stack.pop() {
            if free == 0 {
                if depth > 0 {
                    depth -= 1;
                }
                continue;
            }
            let queen = free & (!free + 1);
            stack.push(free & !queen);
            let (columns, left, right) = state[depth];
            let next = (columns | queen, (left | queen) << 1, (right | queen) >> 1);
            if next.0 == all {
                count += 1;
            } else {
                depth += 1;
                state[depth] = next;
                stack.push(all & !(next.0 | next.1 | next.2));
            }
        }
    }
    counts[id as usize] = count;
}

const QUEENS: &str = r"
KERNEL {
    uint id = GLOBAL_X;
    uint first = id % n, second = id / n % n;
    uint all = (1u << n) - 1u;
    uint a = 1u << first, b = 1u << second;
    uint count = 0u;
    uint taken = a | (a << 1u) | (a >> 1u);
    if ((b & taken) == 0u) {
        uint items[32];
        uint len = 0u;
        uint columns[16]; uint left[16]; uint right[16];
        columns[0] = a | b; left[0] = ((a << 1u) | b) << 1u; right[0] = ((a >> 1u) | b) >> 1u;
        items[len++] = all & ~(columns[0] | left[0] | right[0]);
        uint depth = 0u;
        while (len > 0u) {
            uint open = items[--len];
            if (open == 0u) { if (depth > 0u) depth--; continue; }
            uint queen = open & (~open + 1u);
            items[len++] = open & ~queen;
            uint c = columns[depth] | queen, l = (left[depth] | queen) << 1u, r = (right[depth] | queen) >> 1u;
            if (c == all) count++;
            else {
                depth++;
                columns[depth] = c; left[depth] = l; right[depth] = r;
                items[len++] = all & ~(c | l | r);
            }
        }
    }
    counts[id] = count;
}
";

/// The edit distance of two texts of 32 letters, a row of the table at a time.
#[kernel(workgroup = 64)]
fn edit_distance(a: &[u8], b: &[u8], distances: &mut [u32]) {
    let pair = global_id().x as usize;
    let mut row = [0u32; 33];
    for j in 0..33 {
        row[j] = j as u32;
    }
    for i in 0..32 {
        let mut corner = row[0];
        row[0] = i as u32 + 1;
        for j in 0..32 {
            let change = corner + u32::from(a[pair * 32 + i] != b[pair * 32 + j]);
            corner = row[j + 1];
            row[j + 1] = change.min(corner + 1).min(row[j] + 1);
        }
    }
    distances[pair] = row[32];
}

const EDIT_DISTANCE: &str = r"
KERNEL {
    uint pair = GLOBAL_X;
    uint row[33];
    for (uint j = 0u; j < 33u; j++) row[j] = j;
    for (uint i = 0u; i < 32u; i++) {
        uint corner = row[0];
        row[0] = i + 1u;
        for (uint j = 0u; j < 32u; j++) {
            uint change = corner + (uint(a[pair * 32u + i]) != uint(b[pair * 32u + j]) ? 1u : 0u);
            corner = row[j + 1u];
            row[j + 1u] = min(min(change, corner + 1u), row[j] + 1u);
        }
    }
    distances[pair] = row[32];
}
";

/// The sum of the numbers in a line of text, between commas.
#[kernel(workgroup = 128)]
fn parse_lines(text: &[u8], starts: &[u32], sums: &mut [u32]) {
    let line = global_id().x as usize;
    let (mut sum, mut number) = (0, 0);
    for &byte in &text[starts[line] as usize..starts[line + 1] as usize] {
        if byte.is_ascii_digit() {
            number = number * 10 + u32::from(byte - b'0');
        } else {
            sum += number;
            number = 0;
        }
    }
    sums[line] = sum;
}

const PARSE: &str = r"
KERNEL {
    uint line = GLOBAL_X;
    uint sum = 0u, number = 0u;
    uint end = starts[line + 1u];
    for (uint i = starts[line]; i < end; i++) {
        uint byte = uint(text[i]);
        if (byte >= 48u && byte <= 57u) number = number * 10u + (byte - 48u);
        else { sum += number; number = 0u; }
    }
    sums[line] = sum;
}
";

/// Positions in sorted keys, by halving.
#[kernel(workgroup = 256)]
fn lower_bounds(sorted: &[u32], wanted: &[u32], places: &mut [u32]) {
    let i = global_id().x as usize;
    let key = wanted[i];
    let (mut low, mut high) = (0, sorted.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if sorted[middle] < key {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    places[i] = low as u32;
}

const LOWER_BOUNDS: &str = r"
KERNEL {
    uint i = GLOBAL_X;
    uint key = wanted[i];
    uint low = 0u, high = sorted_len;
    while (low < high) {
        uint middle = low + (high - low) / 2u;
        if (sorted[middle] < key) low = middle + 1u; else high = middle;
    }
    places[i] = low;
}
";

/// Lines of numbers, and where each begins.
fn text(lines: usize) -> (Vec<u8>, Vec<u32>) {
    let mut text = Vec::new();
    let mut starts = vec![0u32];
    for numbers in words(lines * 6).chunks(6) {
        for number in numbers {
            text.extend((number % 100_000).to_string().into_bytes());
            text.push(b',');
        }
        text.push(b'\n');
        starts.push(text.len() as u32);
    }
    (text, starts)
}

pub(crate) fn workloads(large: bool) -> Vec<Workload> {
    let pick = |small: usize, many: usize| if large { many } else { small };
    let side = pick(64, 2048);
    let pairs = pick(64, 1 << 18);
    let lines = pick(128, 1 << 20);
    let (text, starts) = text(lines);
    let n = pick(1024, 1 << 22);
    let letters =
        |seed: usize| words(pairs * 32 + seed)[seed..].iter().map(|word| b'a' + (word % 4) as u8).collect::<Vec<_>>();
    let mut sorted = words(n);
    sorted.sort_unstable();
    vec![
        Workload::new::<Rays>("rays", [side / 16, side / 16, 1], RAYS)
            .value("width", side as u32)
            .value("height", side as u32)
            .value("shapes", 12u32)
            .write::<f32>("light", side * side)
            .roughly(0.01),
        Workload::new::<Queens>("queens with a stack", [pick(1, 256), 1, 1], QUEENS)
            .value("n", pick(6, 10) as u32)
            .write::<u32>("counts", 64 * pick(1, 256)),
        Workload::new::<EditDistance>("edit distance", [pairs / 64, 1, 1], EDIT_DISTANCE)
            .read("a", letters(0))
            .read("b", letters(5))
            .write::<u32>("distances", pairs),
        Workload::new::<ParseLines>("numbers in lines", [lines / 128, 1, 1], PARSE)
            .read("text", text)
            .read("starts", starts)
            .write::<u32>("sums", lines),
        Workload::new::<LowerBounds>("positions by halving", [n / 256, 1, 1], LOWER_BOUNDS)
            .read("sorted", sorted)
            .peer_value("sorted_len", n as u32)
            .read("wanted", words(n + 3)[3..].to_vec())
            .write::<u32>("places", n),
    ]
}
