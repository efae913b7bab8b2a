use gridwise::prelude::*;

#[device]
fn first(x: &[f32]) -> f32 {
    x[0]
}

// A list has positions and a length; each of its buffers is named or used where it stands.
#[kernel]
fn iterates(parts: &[&[f32]], to: &mut [f32]) {
    for part in parts {
        to[0] += part[0];
    }
    to[1] = parts.iter().map(|part| part[0]).sum::<f32>();
    to[2] = first(parts[1..][0]);
}

#[kernel]
fn chooses(parts: &[&[f32]], to: &mut [f32]) {
    let i = global_id().x;
    let part = if i > 3 { parts[0] } else { parts[1] };
    to[i] = part[i];
}

#[kernel]
fn divides(parts: &[&[f32]], to: &mut [f32]) {
    let part = parts[0];
    for (i, chunk) in part.chunks(4).enumerate() {
        to[i] = chunk[0];
    }
    let (head, _) = parts[1].split_at(2);
    to[0] = head[0];
}

#[kernel]
fn writes(parts: &[&[f32]], to: &mut [f32]) {
    parts[0][1] = to[0];
    let part = parts[1];
    part[0] = 1.0;
}

#[kernel]
fn replaces(parts: &mut [&mut [f32]], to: &mut [f32]) {
    let part = parts[0];
    part[0] = 1.0;
    parts[0] = parts[1];
    parts.swap(0, 1);
    let (a, b) = (&mut parts[0], &mut parts[1]);
    std::mem::swap(&mut parts[0], &mut parts[1]);
    let read = &parts[0];
    read[0] = to[0];
    let own: &mut [f32] = &mut parts[0];
    own[0] = 1.0;
    parts[0].swap(to[0], 1);
    for part in parts.iter_mut() {
        part[0] = 0.0;
    }
    parts[1].chunks_mut(2);
}

#[kernel]
fn passes(parts: &[&[f32]], to: &mut [f32]) {
    to[0] = first(parts);
    to[1] = parts[0] + 1.0;
    let all = parts;
    let one = &parts[0];
    let rest = &parts[1..];
    to[2] = f32::from(parts == rest);
    let (a, b) = (parts[0], parts.first());
}

fn main() {}
