//! A rope of springs, thrown so that its end is at a mark after 1000 steps. `backward` tells how each mass's speed at the start moves the
//! end; descending along that finds the throw. One workgroup is the rope, and its positions are in shared memory.
//!
//! The run fails unless the end comes within a hundredth of the mark, and unless the first gradient is that of differences.

use std::{path::Path, process::ExitCode};

use gridwise::prelude::*;
use gridwise_examples::{Curve, Outcome, draw_losses_on, finish, make_folder, output};
use plotters::prelude::*;

const MASSES: usize = 16;
const STEPS: u32 = 1000;
const THROWS: usize = 120;
const RATE: f32 = 0.3;
const MARK: Vec2 = vec2(0.9, 0.4);

/// The pull of a spring from `here` to `there`, which is a tenth long at rest.
#[device]
fn pull(here: Vec2, there: Vec2) -> Vec2 {
    let way = there - here;
    let length = (way.dot(way) + 1e-6).sqrt();
    way * (400.0 * (1.0 - 0.1 / length))
}

/// The places of the masses after the steps. The first one hangs on a nail.
#[kernel(workgroup = 16, grad(speed))]
fn swing(steps: u32, start: &[Vec2], speed: &[Vec2], end: &mut [Vec2]) {
    let at = Shared::<[Vec2; 16]>::new();
    let lane = local_index();
    let mut speed = speed[global_id().x];
    at[lane] = start[global_id().x];
    barrier();
    for _ in 0..steps {
        let here = at[lane];
        let (before, behind) = (at[lane.max(1) - 1], at[(lane + 1).min(15)]);
        barrier();
        let force = pull(here, before) + pull(here, behind) - speed * 0.5 + vec2(0.0, -1.0);
        speed += force * 0.002;
        if lane > 0 {
            at[lane] = here + speed * 0.002;
        }
        barrier();
    }
    end[global_id().x] = at[lane];
}

fn main() -> ExitCode {
    finish(run())
}

fn run() -> Outcome {
    let output = output("rope", "FILE.svg", "target/rope.svg")?;
    let mgr = Manager::new()?;
    println!("device: {}", mgr.device());
    let rope = Rope::new(&mgr)?;
    let mut speed = vec![Vec2::ZERO; MASSES];
    check_gradient(&rope, &speed)?;

    let (mut ropes, mut losses) = (Vec::new(), Vec::new());
    for throw in 0..THROWS {
        let (end, gradient) = rope.throw(&speed)?;
        let loss = loss(&end);
        if throw % 20 == 0 {
            println!("throw {throw:3}  loss {loss:.5}");
        }
        ropes.push(end);
        losses.push(loss);
        for (speed, slope) in speed.iter_mut().zip(gradient) {
            *speed -= slope * RATE;
        }
    }
    let miss = losses.last().copied().unwrap_or(f32::NAN).sqrt();
    // Also catches NaN, which compares as false.
    let is_close = miss <= 0.01;
    if !is_close {
        return Err(format!("the end misses the mark by {miss}").into());
    }
    println!("checked: after {THROWS} throws the end is {miss:.1e} from the mark");
    draw(&losses, &ropes, Path::new(&output))?;
    println!("wrote: {output}");
    Ok(())
}

/// The square of the distance between the rope's end and the mark.
fn loss(end: &[Vec2]) -> f32 {
    end.last().map_or(f32::NAN, |end| (*end - MARK).length_squared())
}

struct Rope<'m> {
    mgr: &'m Manager,
    start: Tensor<Vec2>,
}

impl<'m> Rope<'m> {
    fn new(mgr: &'m Manager) -> gridwise::Result<Self> {
        let start: Vec<Vec2> = (0..MASSES).map(|mass| vec2(0.07 * mass as f32, -0.07 * mass as f32)).collect();
        Ok(Self { mgr, start: mgr.tensor(&start)? })
    }

    /// The places that the masses come to, and the gradient of the loss by their speeds.
    fn throw(&self, speed: &[Vec2]) -> gridwise::Result<(Vec<Vec2>, Vec<Vec2>)> {
        let (speed, mut end) = (self.mgr.tensor(speed)?, self.mgr.tensor_of_len::<Vec2>(MASSES)?);
        let seq = self.mgr.sequence()?;
        Swing::dispatch(&seq, Grid::groups(1), STEPS, &self.start, &speed, &mut end)?;
        seq.eval()?;
        let ends = end.to_vec()?;
        let mut d_end = vec![Vec2::ZERO; MASSES];
        d_end[MASSES - 1] = (ends[MASSES - 1] - MARK) * 2.0;
        let (d_end, mut d_speed) = (self.mgr.tensor(&d_end)?, self.mgr.tensor(&[Vec2::ZERO; MASSES])?);
        let seq = self.mgr.sequence()?;
        Swing::backward(&seq, Grid::groups(1), STEPS, &self.start, &speed, &mut d_speed, &end, &d_end)?;
        seq.eval()?;
        Ok((ends, d_speed.to_vec()?))
    }
}

/// Compares the gradient along one direction with differences.
fn check_gradient(rope: &Rope<'_>, speed: &[Vec2]) -> Outcome {
    let way = |mass: usize| vec2(1.0, 0.3 * mass as f32 - 1.0) * 0.1;
    let at = |step: f32| {
        let moved: Vec<Vec2> = speed.iter().enumerate().map(|(mass, speed)| *speed + way(mass) * step).collect();
        rope.throw(&moved).map(|(end, _)| loss(&end))
    };
    let by_differences = (at(0.1)? - at(-0.1)?) / 0.2;
    let (_, gradient) = rope.throw(speed)?;
    let by_gradient: f32 = gradient.iter().enumerate().map(|(mass, slope)| slope.dot(way(mass))).sum();
    let is_same = (by_differences - by_gradient).abs() <= 0.01 * (0.1 + by_gradient.abs());
    if !is_same {
        return Err(format!("the slope is {by_differences} by differences and {by_gradient} by the gradient").into());
    }
    println!("checked: a slope of {by_gradient:.4} through {STEPS} steps, by differences {by_differences:.4}");
    Ok(())
}

fn draw(losses: &[f32], ropes: &[Vec<Vec2>], path: &Path) -> Outcome {
    make_folder(path)?;
    let area = SVGBackend::new(path, (960, 480)).into_drawing_area();
    area.fill(&WHITE)?;
    let (left, right) = area.split_horizontally(480);
    draw_losses_on(&left, "Distance from the mark, squared", "throw", &[Curve { name: "loss", losses }])?;

    let mut chart = ChartBuilder::on(&right)
        .caption("The rope after 1000 steps, first to last throw", ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(40)
        .build_cartesian_2d(-1.8f32..1.8, -1.8f32..1.8)?;
    chart.configure_mesh().light_line_style(TRANSPARENT).draw()?;
    for (number, rope) in ropes.iter().enumerate() {
        let colour = HSLColor(0.6 * number as f64 / ropes.len() as f64, 0.7, 0.5);
        chart.draw_series(LineSeries::new(rope.iter().map(|at| (at.x, at.y)), colour))?;
    }
    chart.draw_series([Circle::new((MARK.x, MARK.y), 6, RED.filled())])?;
    area.present()?;
    Ok(())
}
