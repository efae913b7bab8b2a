//! The roofline of measured kernels: operations per second over operations per byte, under what the device can do at most.
//!
//! The model is of Williams, Waterman and Patterson, "Roofline: an insightful visual performance model for multicore
//! architectures", CACM 52(4), 2009.

use std::path::Path;

use plotters::prelude::*;

use crate::error::Error;

/// The measurements, and the device's limits.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Measurements {
    /// The device's name.
    pub(crate) device: String,
    /// Gigabytes per second to and from memory, measured best by copying.
    pub(crate) peak_gb_per_s: f64,
    /// Billions of operations per second.
    pub(crate) peak_gflop_per_s: f64,
    pub(crate) kernels: Vec<Measured>,
}

/// A measured launch.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Measured {
    pub(crate) name: String,
    pub(crate) microseconds: f64,
    /// Bytes that had to be read and written.
    pub(crate) bytes: f64,
    /// Operations that had to be done.
    pub(crate) flops: f64,
}

impl Measurements {
    /// Reads a file.
    ///
    /// # Errors
    /// When it is not there, is no JSON of this form or has a number that is not positive.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
        let measurements: Self =
            serde_json::from_str(&text).map_err(|source| Error::Measurements { path: path.to_owned(), source })?;
        match measurements.problem() {
            Some(cause) => Err(Error::BadMeasurements { path: path.to_owned(), cause }),
            None => Ok(measurements),
        }
    }

    /// The reason why no picture can be drawn.
    fn problem(&self) -> Option<String> {
        let is_bad = |number: f64| !(number.is_finite() && number > 0.0);
        if is_bad(self.peak_gb_per_s) || is_bad(self.peak_gflop_per_s) {
            return Some("the device's peaks must be above zero".to_owned());
        }
        let bad = |kernel: &&Measured| [kernel.microseconds, kernel.bytes, kernel.flops].into_iter().any(is_bad);
        let none = self.kernels.is_empty().then(|| "no kernel was measured".to_owned());
        let bad = self.kernels.iter().find(bad);
        bad.map(|kernel| format!("time, bytes and flops of `{}` must be above zero", kernel.name)).or(none)
    }

    /// The most operations per second, in billions, at so many operations per byte.
    fn roof(&self, intensity: f64) -> f64 {
        (intensity * self.peak_gb_per_s).min(self.peak_gflop_per_s)
    }
}

impl Measured {
    /// Operations per byte.
    fn intensity(&self) -> f64 {
        self.flops / self.bytes
    }

    /// Billions of operations per second.
    fn rate(&self) -> f64 {
        self.flops / self.microseconds / 1000.0
    }
}

/// Draws the picture, as SVG.
///
/// # Errors
/// When the drawing library fails.
pub(crate) fn draw(measurements: &Measurements) -> Result<String, Error> {
    let mut svg = String::new();
    draw_into(&mut svg, measurements).map_err(|error| Error::Draw(error.to_string()))?;
    Ok(svg)
}

fn draw_into(svg: &mut String, measurements: &Measurements) -> Result<(), Box<dyn std::error::Error>> {
    let ridge = measurements.peak_gflop_per_s / measurements.peak_gb_per_s;
    let intensities = || measurements.kernels.iter().map(Measured::intensity).chain([ridge]);
    let lowest = intensities().fold(f64::INFINITY, f64::min) / 4.0;
    let highest = intensities().fold(0.0, f64::max) * 4.0;
    let rates = || measurements.kernels.iter().map(Measured::rate).chain([measurements.roof(lowest)]);
    let [bottom, top] = [rates().fold(f64::INFINITY, f64::min) / 2.0, measurements.peak_gflop_per_s * 2.0];
    let area = SVGBackend::with_string(svg, (860, 460)).into_drawing_area();
    area.fill(&WHITE)?;
    let title = format!(
        "{}: {:.0} GB/s, {:.0} Gflop/s",
        measurements.device, measurements.peak_gb_per_s, measurements.peak_gflop_per_s
    );
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(70)
        .build_cartesian_2d((lowest..highest).log_scale(), (bottom..top).log_scale())?;
    chart.configure_mesh().x_desc("operations per byte").y_desc("Gflop/s").draw()?;
    let roof = [lowest, ridge, highest].map(|intensity| (intensity, measurements.roof(intensity)));
    chart.draw_series(LineSeries::new(roof, BLACK.stroke_width(2)))?;
    for (number, kernel) in measurements.kernels.iter().enumerate() {
        let (x, y) = (kernel.intensity(), kernel.rate());
        let colour = Palette99::pick(number).to_rgba();
        let share = 100.0 * y / measurements.roof(x);
        chart
            .draw_series([Circle::new((x, y), 5, colour.filled())])?
            .label(format!("{}: {share:.0} % of the roof", kernel.name))
            .legend(move |(x, y)| Circle::new((x + 8, y), 5, colour.filled()));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.9))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measurements() -> Measurements {
        let kernel = |name: &str, bytes, flops| Measured { name: name.to_owned(), microseconds: 100.0, bytes, flops };
        Measurements {
            device: "a device".to_owned(),
            peak_gb_per_s: 1000.0,
            peak_gflop_per_s: 10_000.0,
            kernels: vec![kernel("saxpy", 9e7, 1.5e7), kernel("n-body", 1e6, 9e8)],
        }
    }

    #[test]
    fn each_kernel_is_measured_against_the_roof_above_it() {
        let svg = draw(&measurements()).expect("a picture");
        // 90 MB in 100 µs are 900 of 1000 GB/s; 9e8 operations in 100 µs are 9000 of 10000.
        assert!(svg.contains("saxpy: 90 % of the roof"), "{svg}");
        assert!(svg.contains("n-body: 90 % of the roof"), "{svg}");
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        let mut none = measurements();
        none.kernels.clear();
        assert!(none.problem().is_some_and(|problem| problem.contains("no kernel")));
        let mut zero = measurements();
        zero.kernels[1].bytes = 0.0;
        assert!(zero.problem().is_some_and(|problem| problem.contains("n-body")));
    }
}
