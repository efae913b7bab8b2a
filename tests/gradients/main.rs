//! Gradients on the device that `GRIDWISE_DEVICE` selects and on the host: `⟨u, J v⟩ = ⟨Jᵀ u, v⟩`, with `J v` from differences of
//! the host's launches.

mod functions;
mod products;
mod published;
mod rotations;

use gridwise::prelude::*;
use gridwise::{ManagerDesc, Result};
use gridwise_gradients::*;

type Floats = Vec<f32>;

/// Numbers by a seed, between -1 and 1.
fn numbers(seed: u32, count: usize) -> Floats {
    let mut state = u64::from(seed) * 0x9e37_79b9 + 1;
    let mut next = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn product(a: &[f32], b: &[f32]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

/// Checks a gradient by its inputs. `forward` gives the output, `backward` what is added to the zeros of each input's adjoint.
fn check(
    inputs: &[Floats],
    forward: impl Fn(&Manager, &[Floats]) -> Result<Floats>,
    backward: impl Fn(&Manager, &[Floats], &[f32]) -> Result<Vec<Floats>>,
) -> Result<()> {
    let (host, device) = (Manager::host(), Manager::new()?);
    let (u, expected) = check_on(&host, inputs, &forward, &backward)?;
    let found = backward(&device, inputs, &u)?;
    for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!(
            (found - expected).abs() <= 1e-4 * (1.0 + expected.abs()),
            "{found} on the device, {expected} on the host"
        );
    }
    assert!(device.validation_messages().is_empty(), "{:?}", device.validation_messages());
    Ok(())
}

/// Checks a gradient that the device has a say in, as subgroups are of other sizes than the host's.
fn check_each(
    inputs: &[Floats],
    forward: impl Fn(&Manager, &[Floats]) -> Result<Floats>,
    backward: impl Fn(&Manager, &[Floats], &[f32]) -> Result<Vec<Floats>>,
) -> Result<()> {
    for mgr in [Manager::host(), Manager::new()?] {
        check_on(&mgr, inputs, &forward, &backward)?;
        assert!(mgr.validation_messages().is_empty(), "{:?}", mgr.validation_messages());
    }
    Ok(())
}

/// Compares with differences on one device: what was given for the outputs, and the gradients.
fn check_on(
    mgr: &Manager,
    inputs: &[Floats],
    forward: &impl Fn(&Manager, &[Floats]) -> Result<Floats>,
    backward: &impl Fn(&Manager, &[Floats], &[f32]) -> Result<Vec<Floats>>,
) -> Result<(Floats, Vec<Floats>)> {
    let u = numbers(99, forward(mgr, inputs)?.len());
    let ways: Vec<_> = (7..).zip(inputs).map(|(seed, input)| numbers(seed, input.len())).collect();
    let at = |step: f32| {
        let moved = |(input, way): (&Floats, &Floats)| input.iter().zip(way).map(|(x, v)| x + step * v).collect();
        let inputs: Vec<_> = inputs.iter().zip(&ways).map(moved).collect();
        forward(mgr, &inputs).map(|output| product(&output, &u))
    };
    let step = 1.0 / 256.0;
    let slope = (at(step)? - at(-step)?) / f64::from(2.0 * step);
    let gradients = backward(mgr, inputs, &u)?;
    let sum: f64 = gradients.iter().zip(&ways).map(|(gradient, way)| product(gradient, way)).sum();
    assert!((sum - slope).abs() <= 5e-3 * (1.0 + slope.abs()), "{slope} by differences, {sum} by the gradient");
    assert!(gradients.iter().all(|gradient| gradient.iter().any(|slope| *slope != 0.0)), "{gradients:?}");
    Ok((u, gradients))
}

#[test]
fn elements_and_parameters() -> Result<()> {
    check(
        &[vec![0.75], numbers(1, 100)],
        |mgr, inputs| {
            let (x, mut y) = (mgr.tensor(&inputs[1])?, mgr.tensor_of_len::<f32>(100)?);
            let seq = mgr.sequence()?;
            Squares::dispatch(&seq, Grid::items(100), inputs[0][0], &x, &mut y)?;
            seq.eval()?;
            y.to_vec()
        },
        |mgr, inputs, u| {
            let (x, mut dx, y, dy) =
                (mgr.tensor(&inputs[1])?, mgr.tensor(&[0.0f32; 100])?, mgr.tensor(u)?, mgr.tensor(u)?);
            let mut da = mgr.tensor(&[0.0f32])?;
            let seq = mgr.sequence()?;
            Squares::backward(&seq, Grid::items(100), inputs[0][0], &mut da, &x, &mut dx, &y, &dy)?;
            seq.eval()?;
            Ok(vec![da.to_vec()?, dx.to_vec()?])
        },
    )
}

#[test]
fn gradients_are_added() -> Result<()> {
    let mgr = Manager::new()?;
    let (x, mut dx) = (mgr.tensor(&[1.0f32, 2.0, 3.0])?, mgr.tensor(&[10.0f32, 20.0, 30.0])?);
    let (y, dy, mut da) = (mgr.tensor(&[0.0f32; 3])?, mgr.tensor(&[1.0f32, 0.5, 1.0])?, mgr.tensor(&[100.0f32])?);
    let seq = mgr.sequence()?;
    Squares::backward(&seq, Grid::items(3), 2.0, &mut da, &x, &mut dx, &y, &dy)?;
    seq.eval()?;
    assert_eq!(dx.to_vec()?, [14.0, 24.0, 42.0]);
    assert_eq!(da.to_vec()?, [112.0]);
    Ok(())
}

#[test]
fn lanes_of_a_vector() -> Result<()> {
    check(
        &[vec![1.5], numbers(1, 400)],
        |mgr, inputs| {
            let (x, mut y, seq) = (mgr.tensor(&inputs[1])?, mgr.tensor(&[0.0f32; 100])?, mgr.sequence()?);
            LanesBetween::dispatch(&seq, Grid::items(100), inputs[0][0], &x, &mut y)?;
            seq.eval()?;
            y.to_vec()
        },
        |mgr, inputs, u| {
            let (x, mut dx, y, dy) =
                (mgr.tensor(&inputs[1])?, mgr.tensor(&[0.0f32; 400])?, mgr.tensor(u)?, mgr.tensor(u)?);
            let (mut da, seq) = (mgr.tensor(&[0.0f32])?, mgr.sequence()?);
            LanesBetween::backward(&seq, Grid::items(100), inputs[0][0], &mut da, &x, &mut dx, &y, &dy)?;
            seq.eval()?;
            Ok(vec![da.to_vec()?, dx.to_vec()?])
        },
    )
}

#[test]
fn gradients_panic_as_their_kernels_do() -> Result<()> {
    for mgr in [Manager::host(), Manager::new()?] {
        let (x, mut dx) = (mgr.tensor(&[1.0f32, 2.0, 3.0])?, mgr.tensor(&[0.0f32; 3])?);
        let (y, dy) = (mgr.tensor(&[0.0f32; 3])?, mgr.tensor(&[1.0f32; 3])?);
        for (width, most, expected) in [
            (2, 1, None),
            (0, 1, Some("attempt to calculate the remainder with a divisor of zero")),
            (3, 1, Some("a column too many {}")),
        ] {
            let seq = mgr.sequence()?;
            Grouped::backward(&seq, Grid::items(3), width, most, &x, &mut dx, &y, &dy)?;
            let found = seq.eval().err().map(|error| error.to_string());
            match expected {
                None => {
                    assert_eq!(found, None);
                    assert_eq!(dx.to_vec()?, [2.0, 8.0, 6.0]);
                }
                Some(message) => assert!(found.as_ref().is_some_and(|found| found.contains(message)), "{found:?}"),
            }
        }
    }
    Ok(())
}

fn line_of(numbers: &[f32]) -> Line {
    Line { slope: numbers[0], shift: 1, middle: vec2(numbers[1], numbers[2]) }
}

fn floats_of(lines: &[Line]) -> Floats {
    lines.iter().flat_map(|line| [line.slope, line.middle.x, line.middle.y]).collect()
}

#[test]
fn structs_that_all_invocations_read() -> Result<()> {
    check(
        &[numbers(1, 3), numbers(2, 6)],
        |mgr, inputs| {
            let lines: Vec<Line> = inputs[1].chunks(3).map(line_of).collect();
            let (lines, x, mut y) = (mgr.tensor(&lines)?, mgr.tensor(&numbers(3, 51))?, mgr.tensor_of_len::<f32>(50)?);
            let seq = mgr.sequence()?;
            Lines::dispatch(&seq, Grid::items(50), line_of(&inputs[0]), &lines, &x, &mut y)?.eval()?;
            y.to_vec()
        },
        |mgr, inputs, u| {
            let of: Vec<Line> = inputs[1].chunks(3).map(line_of).collect();
            let (lines, x, y, dy) = (mgr.tensor(&of)?, mgr.tensor(&numbers(3, 51))?, mgr.tensor(u)?, mgr.tensor(u)?);
            let zero = Line { slope: 0.0, shift: 7, middle: Vec2::ZERO };
            let (mut d_line, mut d_lines) = (mgr.tensor(&[zero])?, mgr.tensor(&[zero; 2])?);
            let (seq, line) = (mgr.sequence()?, line_of(&inputs[0]));
            Lines::backward(&seq, Grid::items(50), line, &mut d_line, &lines, &mut d_lines, &x, &y, &dy)?.eval()?;
            let (d_line, d_lines) = (d_line.to_vec()?, d_lines.to_vec()?);
            // Nobody touches what is no float.
            assert!(d_line.iter().chain(&d_lines).all(|line| line.shift == 7));
            Ok(vec![floats_of(&d_line), floats_of(&d_lines)])
        },
    )
}

#[test]
fn variables_called_as_the_derived_kernels_own() -> Result<()> {
    check(
        &[numbers(5, 128)],
        |mgr, inputs| {
            let (x, mut y, seq) = (mgr.tensor(&inputs[0])?, mgr.tensor(&[0.0f32; 128])?, mgr.sequence()?);
            Names::dispatch(&seq, Grid::groups(2), &x, &mut y)?.eval()?;
            y.to_vec()
        },
        |mgr, inputs, u| {
            let (x, mut dx) = (mgr.tensor(&inputs[0])?, mgr.tensor(&[0.0f32; 128])?);
            let (y, dy, seq) = (mgr.tensor(&[0.0f32; 128])?, mgr.tensor(u)?, mgr.sequence()?);
            Names::backward(&seq, Grid::groups(2), &x, &mut dx, &y, &dy)?.eval()?;
            Ok(vec![dx.to_vec()?])
        },
    )
}

#[test]
fn numbers_of_16_bits() -> Result<()> {
    let values = [0.5f32, -1.25, 2.0];
    for mgr in [Manager::host(), Manager::new()?] {
        let (x, mut dx) = (mgr.tensor(&values.map(f16::from_f32))?, mgr.tensor(&[f16::ZERO; 3])?);
        let (y, dy, seq) = (mgr.tensor(&[0.0f32; 3])?, mgr.tensor(&[1.0f32; 3])?, mgr.sequence()?);
        Halves::backward(&seq, Grid::items(3), &x, &mut dx, &y, &dy)?.eval()?;
        assert_eq!(dx.to_vec()?, values.map(|x| f16::from_f32(2.0 * x + 2.0)));
    }
    Ok(())
}

/// Rows and triples: nobody else adds to their elements.
#[test]
fn several_elements_of_their_own() -> Result<()> {
    check(
        &[numbers(1, 3 * 70)],
        |mgr, inputs| {
            let (x, mut y, seq) = (mgr.tensor(&inputs[0])?, mgr.tensor(&[0.0f32; 70])?, mgr.sequence()?);
            Triples::dispatch(&seq, Grid::items(70), &x, &mut y)?.eval()?;
            y.to_vec()
        },
        |mgr, inputs, u| {
            let (x, mut dx) = (mgr.tensor(&inputs[0])?, mgr.tensor(&vec![0.0f32; 3 * 70])?);
            let (y, dy, seq) = (mgr.tensor(&[0.0f32; 70])?, mgr.tensor(u)?, mgr.sequence()?);
            Triples::backward(&seq, Grid::items(70), &x, &mut dx, &y, &dy)?.eval()?;
            Ok(vec![dx.to_vec()?])
        },
    )
}

/// Devices without sums of subgroups, and those with them, add the same.
#[test]
fn elements_that_all_invocations_add_to() -> Result<()> {
    let (rows, columns) = (100, 7);
    let (m, x, u) = (numbers(1, rows * columns), numbers(2, columns), numbers(3, rows));
    let gradient = |mgr: &Manager| {
        let (m, x, u) = (mgr.tensor(&m)?, mgr.tensor(&x)?, mgr.tensor(&u)?);
        let (mut dm, mut dx) = (mgr.tensor(&vec![0.0f32; rows * columns])?, mgr.tensor(&vec![0.0f32; columns])?);
        let y = mgr.tensor(&vec![0.0f32; rows])?;
        let seq = mgr.sequence()?;
        Rows::backward(&seq, Grid::items(rows), &m, &mut dm, &x, &mut dx, &y, &u)?;
        seq.eval()?;
        assert!(mgr.validation_messages().is_empty(), "{:?}", mgr.validation_messages());
        dx.to_vec()
    };
    let expected: Floats =
        (0..columns).map(|column| (0..rows).map(|row| u[row] * m[row * columns + column]).sum()).collect();
    for baseline_only in [false, true] {
        let mgr = Manager::with(ManagerDesc { baseline_only, ..ManagerDesc::default() })?;
        for (found, expected) in gradient(&mgr)?.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-5, "{found}, and {expected} by hand");
        }
    }
    Ok(())
}

#[test]
fn wrong_launches_are_refused() -> Result<()> {
    let mgr = Manager::host();
    let (x, y, dy) = (mgr.tensor(&[1.0f32; 4])?, mgr.tensor(&[0.0f32; 4])?, mgr.tensor(&[1.0f32; 4])?);
    let (mut short, mut dx, mut da) = (mgr.tensor(&[0.0f32; 3])?, mgr.tensor(&[0.0f32; 4])?, mgr.tensor(&[0.0f32])?);
    let seq = mgr.sequence()?;
    let refused = Squares::backward(&seq, Grid::items(4), 2.0, &mut da, &x, &mut short, &y, &dy);
    let message = refused.err().map(|error| error.to_string());
    assert_eq!(message.as_deref(), Some("gradient `d_x`: expected 4 elements, found 3; the lengths have to be equal"));
    let refused = Squares::backward(&seq, Grid::items([2, 2]), 2.0, &mut da, &x, &mut dx, &y, &dy);
    let message = refused.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(message.contains("launch `backward` on a line"), "{message}");
    // Three times as many elements as 32 bits count.
    let refused = Triples::backward(&seq, Grid::items(1u32 << 31), &x, &mut dx, &y, &dy);
    let message = refused.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(message.contains("with fewer than 2^32 elements"), "{message}");
    Ok(())
}

#[test]
fn loops_that_add_up() -> Result<()> {
    check(
        &[numbers(2, 70 * 9), numbers(3, 9)],
        |mgr, inputs| {
            let (m, x, mut y) = (mgr.tensor(&inputs[0])?, mgr.tensor(&inputs[1])?, mgr.tensor_of_len::<f32>(70)?);
            let seq = mgr.sequence()?;
            Rows::dispatch(&seq, Grid::items(80), &m, &x, &mut y)?;
            seq.eval()?;
            y.to_vec()
        },
        |mgr, inputs, u| {
            let (m, x, y, dy) = (mgr.tensor(&inputs[0])?, mgr.tensor(&inputs[1])?, mgr.tensor(u)?, mgr.tensor(u)?);
            let (mut dm, mut dx) = (mgr.tensor(&vec![0.0f32; 630])?, mgr.tensor(&[0.0f32; 9])?);
            let seq = mgr.sequence()?;
            Rows::backward(&seq, Grid::items(80), &m, &mut dm, &x, &mut dx, &y, &dy)?;
            seq.eval()?;
            Ok(vec![dm.to_vec()?, dx.to_vec()?])
        },
    )
}

#[test]
fn logistic_loss() -> Result<()> {
    let (table, labels) = (numbers(4, 50 * 5), numbers(5, 50).iter().map(|x| x.round().abs()).collect::<Floats>());
    check(
        &[numbers(6, 5)],
        |mgr, inputs| {
            let (table, label, w) = (mgr.tensor(&table)?, mgr.tensor(&labels)?, mgr.tensor(&inputs[0])?);
            let (mut loss, seq) = (mgr.tensor_of_len::<f32>(50)?, mgr.sequence()?);
            Logistic::dispatch(&seq, Grid::items(50), &table, &w, &label, &mut loss)?;
            seq.eval()?;
            loss.to_vec()
        },
        |mgr, inputs, u| {
            let (table, label, w) = (mgr.tensor(&table)?, mgr.tensor(&labels)?, mgr.tensor(&inputs[0])?);
            let (mut dw, loss, d_loss, seq) =
                (mgr.tensor(&[0.0f32; 5])?, mgr.tensor(u)?, mgr.tensor(u)?, mgr.sequence()?);
            Logistic::backward(&seq, Grid::items(50), &table, &w, &mut dw, &label, &loss, &d_loss)?;
            seq.eval()?;
            Ok(vec![dw.to_vec()?])
        },
    )
}

/// Checks a kernel with one input, of an element per invocation, and one output.
macro_rules! check_map {
    ($name:ident, $kernel:ident, $count:expr, [$($argument:expr),*], $x:expr) => {
        #[test]
        fn $name() -> Result<()> {
            check(
                &[$x],
                |mgr, inputs| {
                    let (x, mut y, seq) = (mgr.tensor(&inputs[0])?, mgr.tensor_of_len::<f32>($count)?, mgr.sequence()?);
                    $kernel::dispatch(&seq, Grid::items($count as u32), $($argument,)* &x, &mut y)?;
                    seq.eval()?;
                    y.to_vec()
                },
                |mgr, inputs, u| {
                    let (x, y, dy) = (mgr.tensor(&inputs[0])?, mgr.tensor(u)?, mgr.tensor(u)?);
                    let (mut dx, seq) = (mgr.tensor(&vec![0.0f32; inputs[0].len()])?, mgr.sequence()?);
                    $kernel::backward(&seq, Grid::items($count as u32), $($argument,)* &x, &mut dx, &y, &dy)?;
                    seq.eval()?;
                    Ok(vec![dx.to_vec()?])
                },
            )
        }
    };
}

check_map!(branches_and_functions, Branches, 90, [], numbers(8, 90));
check_map!(arrays_of_the_invocation, Arrays, 64, [11], numbers(9, 64));

#[test]
fn loops_whose_data_ends_them() -> Result<()> {
    check(
        &[numbers(10, 40), numbers(11, 40)],
        |mgr, inputs| {
            let (x, c, mut y) = (mgr.tensor(&inputs[0])?, mgr.tensor(&inputs[1])?, mgr.tensor_of_len::<f32>(40)?);
            let seq = mgr.sequence()?;
            Iterates::dispatch(&seq, Grid::items(40), &x, &c, &mut y)?;
            seq.eval()?;
            y.to_vec()
        },
        |mgr, inputs, u| {
            let (x, c, y, dy) = (mgr.tensor(&inputs[0])?, mgr.tensor(&inputs[1])?, mgr.tensor(u)?, mgr.tensor(u)?);
            let (mut dx, mut dc) = (mgr.tensor(&[0.0f32; 40])?, mgr.tensor(&[0.0f32; 40])?);
            let seq = mgr.sequence()?;
            Iterates::backward(&seq, Grid::items(40), &x, &mut dx, &c, &mut dc, &y, &dy)?;
            seq.eval()?;
            Ok(vec![dx.to_vec()?, dc.to_vec()?])
        },
    )
}

fn points(floats: &[f32]) -> Vec<Vec3> {
    floats.chunks(3).map(Vec3::from_slice).collect()
}

#[test]
fn vectors_that_several_read() -> Result<()> {
    check(
        &[numbers(12, 90)],
        |mgr, inputs| {
            let (p, mut y, seq) = (mgr.tensor(&points(&inputs[0]))?, mgr.tensor_of_len::<f32>(30)?, mgr.sequence()?);
            Vectors::dispatch(&seq, Grid::items(30), &p, &mut y)?;
            seq.eval()?;
            y.to_vec()
        },
        |mgr, inputs, u| {
            let (p, y, dy, seq) = (mgr.tensor(&points(&inputs[0]))?, mgr.tensor(u)?, mgr.tensor(u)?, mgr.sequence()?);
            let mut dp = mgr.tensor(&[Vec3::ZERO; 30])?;
            Vectors::backward(&seq, Grid::items(30), &p, &mut dp, &y, &dy)?;
            seq.eval()?;
            Ok(vec![dp.to_vec()?.iter().flat_map(|p| p.to_array()).collect()])
        },
    )
}

#[test]
fn sums_of_atomics() -> Result<()> {
    check(
        &[numbers(13, 200)],
        |mgr, inputs| {
            let (x, loss, seq) = (mgr.tensor(&inputs[0])?, mgr.tensor(&[0.0f32])?, mgr.sequence()?);
            Total::dispatch(&seq, Grid::items(200), &x, &loss)?;
            seq.eval()?;
            loss.to_vec()
        },
        |mgr, inputs, u| {
            let (x, loss, d_loss, seq) = (mgr.tensor(&inputs[0])?, mgr.tensor(u)?, mgr.tensor(u)?, mgr.sequence()?);
            let mut dx = mgr.tensor(&[0.0f32; 200])?;
            Total::backward(&seq, Grid::items(200), &x, &mut dx, &loss, &d_loss)?;
            seq.eval()?;
            Ok(vec![dx.to_vec()?])
        },
    )
}

#[test]
fn outputs_that_a_loop_writes() -> Result<()> {
    check(
        &[numbers(14, 96)],
        |mgr, inputs| {
            let (x, mut y, seq) = (mgr.tensor(&inputs[0])?, mgr.tensor_of_len::<f32>(96)?, mgr.sequence()?);
            Strided::<3>::dispatch(&seq, Grid::items(32), &x, &mut y)?;
            seq.eval()?;
            y.to_vec()
        },
        |mgr, inputs, u| {
            let (x, y, mut dy, seq) = (mgr.tensor(&inputs[0])?, mgr.tensor(u)?, mgr.tensor(u)?, mgr.sequence()?);
            let mut dx = mgr.tensor(&[0.0f32; 96])?;
            Strided::<3>::backward(&seq, Grid::items(32), &x, &mut dx, &y, &mut dy)?;
            seq.eval()?;
            assert_eq!(dy.to_vec()?, [0.0; 96], "what was taken is gone");
            Ok(vec![dx.to_vec()?])
        },
    )
}

fn bodies(floats: &[f32]) -> Vec<Body> {
    let body = |(id, chunk): (u32, &[f32])| Body { at: vec2(chunk[0], chunk[1]), mass: chunk[2], id };
    (0..).zip(floats.chunks(3)).map(body).collect()
}

#[test]
fn structs() -> Result<()> {
    check(
        &[numbers(15, 36)],
        |mgr, inputs| {
            let (b, mut y, seq) = (mgr.tensor(&bodies(&inputs[0]))?, mgr.tensor_of_len::<f32>(12)?, mgr.sequence()?);
            Energies::dispatch(&seq, Grid::items(12), &b, &mut y)?;
            seq.eval()?;
            y.to_vec()
        },
        |mgr, inputs, u| {
            let (b, y, dy, seq) = (mgr.tensor(&bodies(&inputs[0]))?, mgr.tensor(u)?, mgr.tensor(u)?, mgr.sequence()?);
            let mut db = mgr.tensor(&bodies(&[0.0; 36]))?;
            Energies::backward(&seq, Grid::items(12), &b, &mut db, &y, &dy)?;
            seq.eval()?;
            Ok(vec![db.to_vec()?.iter().flat_map(|body| [body.at.x, body.at.y, body.mass]).collect()])
        },
    )
}

/// Checks a kernel with one input and one output, by its launches: `groups` workgroups, lengths of input and output.
macro_rules! check_groups {
    ($check:ident, $name:ident, $kernel:ident, $groups:expr, $len:expr, $out:expr, [$($argument:expr),*] $(, $mutable:tt)?) => {
        #[test]
        fn $name() -> Result<()> {
            $check(
                &[numbers(20, $len)],
                |mgr, inputs| {
                    let (x, mut y, seq) = (mgr.tensor(&inputs[0])?, mgr.tensor_of_len::<f32>($out)?, mgr.sequence()?);
                    $kernel::dispatch(&seq, Grid::groups($groups), $($argument,)* &x, &mut y)?;
                    seq.eval()?;
                    y.to_vec()
                },
                |mgr, inputs, u| {
                    let (x, y, mut dx) = (mgr.tensor(&inputs[0])?, mgr.tensor(u)?, mgr.tensor(&[0.0f32; $len])?);
                    let ($($mutable)? dy, seq) = (mgr.tensor(u)?, mgr.sequence()?);
                    $kernel::backward(&seq, Grid::groups($groups), $($argument,)* &x, &mut dx, &y, &$($mutable)? dy)?;
                    seq.eval()?;
                    Ok(vec![dx.to_vec()?])
                },
            )
        }
    };
}

check_groups!(check, softmax_of_rows, SoftmaxRows, 3, 450, 450, [150], mut);
check_groups!(check, sums_of_groups, GroupSums, 2, 128, 2, []);
check_groups!(check, rounds_that_need_each_other, ProductsOfHalves, 4, 64, 64, []);
check_groups!(check, values_that_go_around, Smoothed, 3, 48, 48, [6]);
check_groups!(check_each, lanes_of_a_subgroup, Lanes, 2, 64, 64, []);
check_groups!(check_each, extremes_of_a_subgroup, Extremes, 2, 64, 64, []);

/// Checks a kernel with two inputs and one output.
macro_rules! check_two {
    ($name:ident, $kernel:ident, $groups:expr, [$a:expr, $b:expr, $out:expr], [$($argument:expr),*]) => {
        #[test]
        fn $name() -> Result<()> {
            check(
                &[numbers(21, $a), numbers(22, $b)],
                |mgr, inputs| {
                    let (a, b, mut y) = (mgr.tensor(&inputs[0])?, mgr.tensor(&inputs[1])?, mgr.tensor_of_len::<f32>($out)?);
                    let seq = mgr.sequence()?;
                    $kernel::dispatch(&seq, Grid::groups($groups), $($argument,)* &a, &b, &mut y)?;
                    seq.eval()?;
                    y.to_vec()
                },
                |mgr, inputs, u| {
                    let (a, b) = (mgr.tensor(&inputs[0])?, mgr.tensor(&inputs[1])?);
                    let (mut da, mut db) = (mgr.tensor(&[0.0f32; $a])?, mgr.tensor(&[0.0f32; $b])?);
                    let (y, dy, seq) = (mgr.tensor(u)?, mgr.tensor(u)?, mgr.sequence()?);
                    $kernel::backward(&seq, Grid::groups($groups), $($argument,)* &a, &mut da, &b, &mut db, &y, &dy)?;
                    seq.eval()?;
                    Ok(vec![da.to_vec()?, db.to_vec()?])
                },
            )
        }
    };
}

check_two!(norms_of_layers, LayerNorm, 3, [64, 32, 64], []);
check_two!(products_by_tiles, TiledProduct, [3, 3], [576, 576, 576], [24]);
check_two!(filters_with_a_halo, Filtered, 2, [64, 5, 64], []);
