use gridwise::prelude::*;
use gridwise::image::*;

// Images of lists are loaded and stored to where they are named; nothing else is done with them.
#[kernel]
fn stores(layers: &mut [&Image2D<R32Float>]) {
    layers[0].store(uvec2(0, 0), 1.0);
}

#[kernel]
fn stores_inside(layers: &[&mut Image2D<R32Float>]) {
    layers[0].store(uvec2(0, 0), 1.0);
}

#[kernel]
fn stores_to_read(layers: &[&Image2D<R32Float>]) {
    layers[0].store(uvec2(0, 0), 1.0);
}

#[device]
fn first(layers: &[&Image2D<R32Float>]) -> f32 {
    0.0
}

#[kernel]
fn by_value(layers: &[Image2D<R32Float>], to: &mut [f32]) {
    to[0] = 0.0;
}

#[kernel]
fn names(layers: &[&Image2D<R32Float>], to: &mut [f32]) {
    let mut layer = layers[1];
    let stored = &mut layers[1];
    let same = &layers[1];
    same.store(uvec2(0, 0), 1.0);
    let copy = same;
}

#[kernel]
fn moves(layers: &[&Image2D<R32Float>], to: &mut [f32]) {
    let layer = layers[1];
    let read = move |x: u32| layer.load(uvec2(x, 0));
    to[0] = read(0);
}

#[kernel]
fn with_samplers(all: &mut [&mut Sampled2D<R32Float>], to: &mut [f32]) {
    to[0] = all[0].sample(vec2(0.5, 0.5));
}

#[kernel]
fn names_to_store(layers: &mut [&mut Image2D<R32Float>]) {
    let layer = layers[1];
    let read = &layers[1];
    read.store(uvec2(0, 0), 1.0);
}

#[kernel]
fn assigns(layers: &mut [&mut Image2D<R32Float>]) {
    layers[0] = layers[1];
    for layer in layers.iter_mut() {
        layer.store(uvec2(0, 0), 1.0);
    }
    layers[0].sample(vec2(0.5, 0.5));
}

#[kernel]
fn goes_through(layers: &[&Sampled1D<R32Float>], to: &mut [f32]) {
    for layer in layers {
        to[0] += layer.sample(0.5);
    }
    to[0] += layers.iter().map(|layer| layer.sample(0.5)).sum::<f32>();
}

#[device]
fn shown(x: f32) -> f32 {
    x
}

#[kernel]
fn passes(layers: &[&Image1D<R32Float>], to: &mut [f32]) {
    to[0] = shown(layers[0]);
    to[1] = shown(layers);
    let chosen = if to.len() > 3 { layers[0] } else { layers[1] };
    layers[0] = layers[1];
}

#[kernel]
fn samples(layers: &[&Image2D<R32Float>], to: &mut [f32]) {
    to[0] = layers[0].sample(vec2(0.5, 0.5));
    to[1] = layers.load(uvec2(0, 0));
    to[2] = layers[0][1];
    to[3] = layers[-1].load(uvec2(0, 0));
}

#[kernel]
fn format(layers: &[&Image2D<f32>], to: &mut [f32]) {
    to[0] = layers[0].load(uvec2(0, 0));
}

fn main() {}
