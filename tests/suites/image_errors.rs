//! Misuse of images as arguments.

use gridwise::image::{R32Float, Sampler};
use gridwise::prelude::*;
use gridwise::{Error, KernelArgs};

use super::{clean, manager};

#[kernel(workgroup = 64)]
fn brighten(from: &Sampled1D<R32Float>, to: &mut Image1D<R32Float>) {
    let i = global_id().x;
    to.store(i, 2.0 * from.fetch(i, 0));
}

#[kernel(workgroup = 64)]
fn flatten(layers: &[&Image1D<R32Float>], textures: &[&Sampled1D<R32Float>], to: &mut Image1D<R32Float>) {
    let i = global_id().x;
    let mut sum = 0.0;
    for k in 0..layers.len() {
        sum += layers[k].load(i);
    }
    for k in 0..textures.len() {
        sum += textures[k].fetch(i, 0);
    }
    to.store(i, sum);
}

pub(super) fn lists_of_images_are_parameters_of_kernels() {
    let mgr = manager();
    let image = |texels: [f32; 2]| {
        let mut image = mgr.image_1d::<R32Float>(2).expect("an image");
        image.write(&texels).expect("two texels");
        image
    };
    let (one, two, mut to) = (image([1.0, 2.0]), image([10.0, 20.0]), image([0.0; 2]));
    let texture = two.sampled(Sampler::default()).expect("floats are sampled");
    let seq = mgr.sequence().expect("a sequence");
    match Flatten::dispatch(&seq, Grid::items(2), &[&one, &two, &one], &[&texture], &mut to) {
        Err(error @ Error::MissingFeature { .. }) => {
            let told = error.to_string();
            assert!(told.contains("`flatten`") && told.contains("ImageArrayNonUniformIndexing"), "{told}");
            return;
        }
        recorded => recorded.expect("fits"),
    };
    // A recording keeps what it names alive.
    drop((one, texture));
    seq.eval().expect("runs");
    assert_eq!(to.to_vec().expect("readable"), [22.0, 44.0]);
    seq.clear().expect("idle");
    Flatten::dispatch(&seq, Grid::items(2), &[], &[], &mut to).expect("none is legal");
    seq.eval().expect("runs");
    assert_eq!(to.to_vec().expect("readable"), [0.0; 2]);
    seq.clear().expect("idle");

    // What `dispatch` does not let through: an image of the list that is written, too.
    let args = || KernelArgs::new::<Flatten>();
    let both = args().images(&[&two, &to]).sampled_images::<R32Float, 1>(&[]).image_mut(&mut to);
    let error = seq.dispatch(Grid::items(1), both).expect_err("read and written at once");
    assert!(matches!(error, Error::AliasedTensor { .. }), "{error}");
    let words = mgr.image_1d::<gridwise::image::R32Uint>(2).expect("an image");
    let flat = mgr.image_2d::<R32Float>(2, 1).expect("an image");
    let wrong = [args().image(&two), args().images(&[&words]), args().images(&[&flat]), args().read_list::<f32>(&[])];
    for wrong in wrong {
        let error = seq.dispatch(Grid::items(1), wrong).expect_err("another kind");
        let is_told =
            matches!(&error, Error::ArgumentMismatch { expected, .. } if expected.contains("list of & images"));
        assert!(is_told, "{error}");
    }
    let other = Manager::host();
    let foreign = other.image_1d::<R32Float>(2).expect("an image");
    let error =
        Flatten::dispatch(&seq, Grid::items(2), &[&two, &foreign], &[], &mut to).expect_err("of another manager");
    assert!(matches!(error, Error::ForeignTensor { .. }), "{error}");
    let many = vec![&two; 1000];
    match Flatten::dispatch(&seq, Grid::items(2), &many, &[], &mut to) {
        Ok(_) => {
            seq.eval().expect("runs");
            assert_eq!(to.to_vec().expect("readable"), [10_000.0, 20_000.0]);
        }
        Err(error) => assert!(matches!(error, Error::TooManyImages { asked: 1025, .. }), "{error}"),
    }
    clean(&mgr);
}

/// Each image is filled with its number, in front of which are those that are read.
#[kernel(workgroup = 64)]
fn clear(images: &mut [&mut Image1D<R32Float>], before: &[&Image1D<R32Float>]) {
    for k in 0..images.len() {
        images[k].store(global_id().x, (k + before.len()) as f32);
    }
}

pub(super) fn lists_of_images_that_are_written() {
    let mgr = manager();
    let (mut one, mut two) = (mgr.image_1d::<R32Float>(2).expect("an image"), mgr.image_1d(2).expect("an image"));
    let seq = mgr.sequence().expect("a sequence");
    match Clear::dispatch(&seq, Grid::items(2), &mut [&mut one, &mut two], &[]) {
        Err(error @ Error::MissingFeature { .. }) => {
            let told = error.to_string();
            assert!(told.contains("`clear`") && told.contains("ImageArrayNonUniformIndexing"), "{told}");
            return;
        }
        recorded => recorded.expect("fits"),
    };
    seq.eval().expect("runs");
    assert_eq!((one.to_vec().expect("readable"), two.to_vec().expect("readable")), (vec![0.0; 2], vec![1.0; 2]));
    seq.clear().expect("idle");
    Clear::dispatch(&seq, Grid::items(2), &mut [], &[&one]).expect("none is legal");
    seq.clear().expect("idle");

    // What `dispatch` does not let through: an image twice in the lists, one of them written.
    let args = || KernelArgs::new::<Clear>();
    let twice = args().images_mut(&mut [&mut one]).images(&[&two, &one]);
    let error = seq.dispatch(Grid::items(1), twice).expect_err("read and written at once");
    assert!(matches!(error, Error::AliasedTensor { .. }), "{error}");
    for wrong in [args().images(&[&one]), args().image_mut(&mut one), args().write_list::<f32>(&mut [])] {
        let error = seq.dispatch(Grid::items(1), wrong).expect_err("another kind");
        let is_told =
            matches!(&error, Error::ArgumentMismatch { expected, .. } if expected.contains("list of &mut images"));
        assert!(is_told, "{error}");
    }
    clean(&mgr);
}

pub(super) fn images_are_parameters_of_kernels() {
    let mgr = Manager::new().expect("a device");
    let mut from = mgr.image_1d::<R32Float>(4).expect("an image");
    from.write(&[1.0, 2.0, 3.0, 4.0]).expect("four texels");
    let mut to = mgr.image_1d::<R32Float>(4).expect("an image");
    let texture = from.sampled(Sampler::default()).expect("floats are sampled");
    let seq = mgr.sequence().expect("a sequence");
    Brighten::dispatch(&seq, Grid::items(4), &texture, &mut to).expect("fits");
    seq.eval().expect("runs");
    assert_eq!(to.to_vec().expect("readable"), [2.0, 4.0, 6.0, 8.0]);
    let error = Brighten::dispatch(&seq, Grid::items(4), &texture, &mut from).expect_err("read and written at once");
    assert!(matches!(error, Error::AliasedTensor { .. }), "{error}");
    let other = Manager::host();
    let foreign = other.image_1d::<R32Float>(4).expect("an image").sampled(Sampler::default()).expect("sampled");
    let error = Brighten::dispatch(&seq, Grid::items(4), &foreign, &mut to).expect_err("of another manager");
    assert!(matches!(error, Error::ForeignTensor { .. }), "{error}");
    // The sampled image keeps the image alive.
    let texture = to.sampled(Sampler::default()).expect("floats are sampled");
    drop(to);
    let mut last = mgr.image_1d::<R32Float>(4).expect("an image");
    let seq = mgr.sequence().expect("a sequence");
    Brighten::dispatch(&seq, Grid::items(4), &texture, &mut last).expect("fits");
    drop(texture);
    seq.eval().expect("runs");
    assert_eq!(last.to_vec().expect("readable"), [4.0, 8.0, 12.0, 16.0]);
    assert_eq!(mgr.validation_messages(), Vec::<String>::new());
}
