//! The parts that several examples share: `main`, the argument `--output`, tables of numbers, and charts of a loss. The examples are a
//! package of their own so that what these need is not compiled for `quickstart`, which needs none of it.

use std::{error::Error, path::Path, process::ExitCode};

use plotters::prelude::*;

/// The end of an example: nothing, or the reason why it failed.
pub type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// The end of a program: an error is printed, and is a failure.
pub fn finish(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The path of `--output`, or another one. `what`: the argument's name in the usage.
///
/// # Errors
/// When there are other arguments.
pub fn output(program: &str, what: &str, default: &str) -> Outcome<String> {
    match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => Ok(default.to_owned()),
        [option, path] if option == "--output" => Ok(path.clone()),
        _ => Err(format!("usage: {program} [--output {what}]   (default: {default})").into()),
    }
}

/// Samples as kernels read them.
#[derive(Debug, Clone)]
pub struct Table {
    /// How many samples there are.
    pub samples: usize,
    /// The features, and one column of ones.
    pub columns: usize,
    /// Column after column, each but the last standardised to mean 0 and deviation 1.
    pub values: Vec<f32>,
    /// The last number of each line.
    pub labels: Vec<f32>,
}

impl Table {
    /// Reads `samples,features,…` and one line of features and label per sample.
    ///
    /// # Errors
    /// When a line has no numbers, or has more or fewer than others.
    pub fn read(csv: &str) -> Outcome<Self> {
        let mut rows = Vec::new();
        for (number, line) in csv.lines().enumerate().skip(1) {
            let row: Result<Vec<f32>, _> = line.split(',').map(str::parse).collect();
            rows.push(row.map_err(|error| format!("line {}: {error}", number + 1))?);
        }
        let columns = rows.first().ok_or("the table is empty")?.len();
        if let Some(odd) = rows.iter().position(|row| row.len() != columns) {
            return Err(format!("line {}: {} columns instead of {columns}", odd + 2, rows[odd].len()).into());
        }
        let labels = rows.iter().map(|row| row[columns - 1]).collect();
        let mut values = Vec::with_capacity(rows.len() * columns);
        for feature in 0..columns - 1 {
            let column: Vec<f64> = rows.iter().map(|row| f64::from(row[feature])).collect();
            values.extend(standardised(&column));
        }
        // The column of the constant weight.
        values.extend(vec![1.0; rows.len()]);
        Ok(Self { samples: rows.len(), columns, values, labels })
    }

    /// The sum of a sample's columns, each times its weight.
    pub fn weighted(&self, sample: usize, weights: &[f32]) -> f32 {
        weights.iter().enumerate().map(|(column, weight)| weight * self.values[column * self.samples + sample]).sum()
    }
}

fn standardised(column: &[f64]) -> impl Iterator<Item = f32> {
    let count = column.len() as f64;
    let mean = column.iter().sum::<f64>() / count;
    let variance = column.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    column.iter().map(move |value| ((value - mean) / variance.sqrt()) as f32)
}

/// The largest difference between two lists of numbers; infinite where one has no number.
pub fn difference(found: &[f32], expected: &[f32]) -> f32 {
    let differences = found.iter().zip(expected).map(|(found, expected)| (found - expected).abs());
    // `max` would leave NaN out.
    differences.fold(0.0, |largest, now| {
        if now <= largest {
            largest
        } else if now.is_nan() {
            f32::INFINITY
        } else {
            now
        }
    })
}

/// A loss over the steps of a search.
#[derive(Debug, Clone, Copy)]
pub struct Curve<'a> {
    /// Its name in the legend, which stands where there are several curves.
    pub name: &'a str,
    /// The loss of each step.
    pub losses: &'a [f32],
}

/// Draws losses as an SVG, the later curves upon the earlier ones; `step`: what one step is called.
///
/// # Errors
/// When the file cannot be written.
pub fn draw_losses(path: &Path, caption: &str, step: &str, curves: &[Curve<'_>]) -> Outcome {
    make_folder(path)?;
    let area = SVGBackend::new(path, (800, 480)).into_drawing_area();
    area.fill(&WHITE)?;
    draw_losses_on(&area, caption, step, curves)?;
    area.present()?;
    Ok(())
}

/// The part of a picture that a chart is drawn on.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// Draws losses on a part of a picture.
///
/// # Errors
/// When it cannot be drawn on.
pub fn draw_losses_on(area: &Area<'_>, caption: &str, step: &str, curves: &[Curve<'_>]) -> Outcome {
    let highest = curves.iter().flat_map(|curve| curve.losses).copied().fold(0.0, f32::max);
    let steps = curves.iter().map(|curve| curve.losses.len()).max().unwrap_or(0);
    let mut chart = ChartBuilder::on(area)
        .caption(caption, ("sans-serif", 22))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(64)
        .build_cartesian_2d(0..steps, 0.0..highest * 1.05)?;
    chart.configure_mesh().light_line_style(TRANSPARENT).x_desc(step).draw()?;
    let styles = [(RED, 5), (BLUE, 2)];
    for (curve, (colour, width)) in curves.iter().zip(&styles[styles.len() - curves.len().min(styles.len())..]) {
        let style = colour.stroke_width(*width);
        chart
            .draw_series(LineSeries::new(curve.losses.iter().copied().enumerate(), style))?
            .label(curve.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
    }
    if curves.len() > 1 {
        chart.configure_series_labels().border_style(BLACK).background_style(WHITE).draw()?;
    }
    Ok(())
}

/// Makes the folder that a file is to lie in.
///
/// # Errors
/// When that cannot be.
pub fn make_folder(file: &Path) -> Outcome {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    Ok(())
}
