//! Gradients of cooperative matrices, against `f64` by hand. All numbers are small enough for sums in any order to be exact.

use gridwise::prelude::*;
use gridwise::{Error, Result};
use gridwise_gradients::*;

/// Multiples of an eighth between -1 and 1.
fn some(seed: usize, count: usize) -> Vec<f64> {
    (0..count).map(|i| ((i * 7 + seed * 5 + i / 13) % 17) as f64 / 8.0 - 1.0).collect()
}

fn halves(values: &[f64]) -> Vec<f16> {
    values.iter().map(|value| f16::from_f64(*value)).collect()
}

fn singles(values: &[f64]) -> Vec<f32> {
    values.iter().map(|value| *value as f32).collect()
}

/// A row-major matrix.
#[derive(Clone)]
struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Matrix {
    fn some(seed: usize, rows: usize, columns: usize) -> Self {
        Self { rows, columns, values: some(seed, rows * columns) }
    }

    fn of(rows: usize, columns: usize, f: impl Fn(usize, usize) -> f64) -> Self {
        Self { rows, columns, values: (0..rows * columns).map(|at| f(at / columns, at % columns)).collect() }
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.columns + column]
    }

    fn turned(&self) -> Self {
        Self::of(self.columns, self.rows, |row, column| self.at(column, row))
    }

    fn times(&self, other: &Self) -> Self {
        Self::of(self.rows, other.columns, |row, column| {
            (0..self.columns).map(|k| self.at(row, k) * other.at(k, column)).sum()
        })
    }
}

/// Runs on the host, and on the device where it has such products.
fn on_each(run: impl Fn(&Manager) -> Result<()>) -> Result<()> {
    run(&Manager::host())?;
    let device = Manager::new()?;
    match run(&device) {
        Err(Error::MissingFeature { kernel, .. }) => {
            eprintln!("{} has no products for `{kernel}`", device.device().name)
        }
        other => other?,
    }
    assert!(device.validation_messages().is_empty(), "{:?}", device.validation_messages());
    Ok(())
}

#[track_caller]
fn assert_same(found: &[f32], expected: &[f64]) {
    assert_eq!(found, singles(expected));
}

/// A linear layer of two by three tiles, with two in its depth.
fn linear<const S: usize>(mgr: &Manager) -> Result<()> {
    let (rows, depth, columns) = (2 * S, 2 * S, 3 * S);
    let (x, w, u) = (Matrix::some(1, rows, depth), Matrix::some(2, depth, columns), Matrix::some(3, rows, columns));
    let bias = some(4, columns);
    let (tx, tw, tb) = (mgr.tensor(&halves(&x.values))?, mgr.tensor(&halves(&w.values))?, mgr.tensor(&singles(&bias))?);
    let (mut y, seq) = (mgr.tensor_of_len::<f32>(rows * columns)?, mgr.sequence()?);
    let grid = Grid::groups([(columns / S) as u32, (rows / S) as u32]);
    let (width, deep) = (columns as u32, depth as u32);
    match S {
        8 => Linear8::dispatch(&seq, grid, width, deep, &tx, &tw, &tb, &mut y)?,
        _ => Linear16::dispatch(&seq, grid, width, deep, &tx, &tw, &tb, &mut y)?,
    };
    seq.eval()?;
    let product = x.times(&w);
    assert_same(&y.to_vec()?, &Matrix::of(rows, columns, |r, c| product.at(r, c) + bias[c]).values);

    let ones = |count: usize| mgr.tensor(&vec![1.0f32; count]);
    let (mut dx, mut dw, mut db) = (ones(rows * depth)?, ones(depth * columns)?, ones(columns)?);
    let dy = mgr.tensor(&singles(&u.values))?;
    match S {
        8 => Linear8::backward(&seq, grid, width, deep, &tx, &mut dx, &tw, &mut dw, &tb, &mut db, &y, &dy)?,
        _ => Linear16::backward(&seq, grid, width, deep, &tx, &mut dx, &tw, &mut dw, &tb, &mut db, &y, &dy)?,
    };
    seq.eval()?;
    // Gradients are added to what was there.
    let added = |of: Matrix| of.values.into_iter().map(|value| value + 1.0).collect::<Vec<_>>();
    assert_same(&dx.to_vec()?, &added(u.times(&w.turned())));
    assert_same(&dw.to_vec()?, &added(x.turned().times(&u)));
    let sums = Matrix::of(1, columns, |_, c| (0..rows).map(|r| u.at(r, c)).sum());
    assert_same(&db.to_vec()?, &added(sums));
    Ok(())
}

/// More tiles than subgroups; the factor on the right is the same for all. What was given for the output is taken.
fn tiles<const S: usize>(mgr: &Manager) -> Result<()> {
    const TILES: usize = 9;
    let x: Vec<_> = (0..TILES).map(|tile| Matrix::some(tile, S, S)).collect();
    let u: Vec<_> = (0..TILES).map(|tile| Matrix::some(tile + 40, S, S)).collect();
    let w = Matrix::some(5, S, S);
    let joined = |all: &[Matrix]| all.iter().flat_map(|of| of.values.clone()).collect::<Vec<_>>();
    let (tx, tw) = (mgr.tensor(&halves(&joined(&x)))?, mgr.tensor(&halves(&w.values))?);
    let (mut dx, mut dw) = (mgr.tensor(&vec![0.0f32; TILES * S * S])?, mgr.tensor(&vec![0.0f32; S * S])?);
    let (y, mut dy, seq) =
        (mgr.tensor_of_len::<f32>(TILES * S * S)?, mgr.tensor(&singles(&joined(&u)))?, mgr.sequence()?);
    let (grid, count) = (Grid::groups(1), TILES as u32);
    match S {
        8 => AllTiles8::backward(&seq, grid, count, &tx, &mut dx, &tw, &mut dw, &y, &mut dy)?,
        _ => AllTiles16::backward(&seq, grid, count, &tx, &mut dx, &tw, &mut dw, &y, &mut dy)?,
    };
    seq.eval()?;
    // `x` and `y` lie as columns: with `g = uᵀ` the adjoint of the sum, that of the left factor is `g wᵀ`, which lies as columns, too.
    let expected: Vec<_> = u.iter().map(|u| u.turned().times(&w.turned()).turned()).collect();
    assert_same(&dx.to_vec()?, &joined(&expected));
    let of_w =
        Matrix::of(S, S, |row, column| x.iter().zip(&u).map(|(x, u)| x.times(&u.turned()).at(row, column)).sum());
    assert_same(&dw.to_vec()?, &of_w.values);
    assert!(dy.to_vec()?.iter().all(|left| *left == 0.0));
    Ok(())
}

/// `y = columns(s) - s` with `s = 3 x (-w) + c (1 - scale)`, and `z = x w + 1`; `w` lies as columns.
fn operators<const S: usize>(mgr: &Manager) -> Result<()> {
    let (x, w, c) = (Matrix::some(1, S, S), Matrix::some(2, S, S).turned(), Matrix::some(3, S, S));
    let (u, v) = (Matrix::some(6, S, S), Matrix::some(7, S, S));
    let (tx, tw, tc) =
        (mgr.tensor(&halves(&x.values))?, mgr.tensor(&halves(&w.turned().values))?, mgr.tensor(&singles(&c.values))?);
    let zeros = || mgr.tensor(&vec![0.0f32; S * S]);
    let (mut dx, mut dw, mut dc) = (zeros()?, zeros()?, zeros()?);
    let (y, dy) = (zeros()?, mgr.tensor(&singles(&u.values))?);
    let (z, dz) = (mgr.tensor(&vec![f16::ZERO; S * S])?, mgr.tensor(&halves(&v.values))?);
    let (seq, grid) = (mgr.sequence()?, Grid::groups(1));
    match S {
        8 => Operators8::backward(&seq, grid, 0.5, &tx, &mut dx, &tw, &mut dw, &tc, &mut dc, &y, &dy, &z, &dz)?,
        _ => Operators16::backward(&seq, grid, 0.5, &tx, &mut dx, &tw, &mut dw, &tc, &mut dc, &y, &dy, &z, &dz)?,
    };
    seq.eval()?;
    let sums: Vec<f64> = (0..S).map(|column| (0..S).map(|row| u.at(row, column)).sum()).collect();
    let g = Matrix::of(S, S, |row, column| sums[column] - u.at(row, column));
    let (of_g, of_v) = (g.times(&w.turned()), v.times(&w.turned()));
    assert_same(&dx.to_vec()?, &Matrix::of(S, S, |r, c| -3.0 * of_g.at(r, c) + of_v.at(r, c)).values);
    let (of_g, of_v) = (x.turned().times(&g), x.turned().times(&v));
    assert_same(&dw.to_vec()?, &Matrix::of(S, S, |r, c| -3.0 * of_g.at(r, c) + of_v.at(r, c)).turned().values);
    assert_same(&dc.to_vec()?, &g.values.iter().map(|g| 0.5 * g).collect::<Vec<_>>());
    Ok(())
}

#[test]
fn linear_layers() -> Result<()> {
    on_each(linear::<8>)?;
    on_each(linear::<16>)
}

#[test]
fn matrices_in_loops_of_tiles() -> Result<()> {
    on_each(tiles::<8>)?;
    on_each(tiles::<16>)
}

#[test]
fn operators_of_matrices() -> Result<()> {
    on_each(operators::<8>)?;
    on_each(operators::<16>)
}
