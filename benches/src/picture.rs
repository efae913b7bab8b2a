//! The ratios of a report as a picture: a bar per figure, to the left of the line where ours is the faster. Measures nothing.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::{Error, Figure, Goal, Report};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Pixels.
const WIDTH: u32 = 960;
const HEAD: u32 = 76;
const ROW: u32 = 22;
const FOOT: u32 = 16;
/// The columns of names, peers and bars, from their left edge, and the end of the bars.
const NAME: i32 = 16;
const PEER: i32 = 330;
const BARS: (i32, i32) = (520, 848);
/// The right edges of ratios and goals.
const RATIO: i32 = 890;
const GOAL: i32 = 944;

/// The ratio at both ends of the scale, which is logarithmic; a longer bar ends there.
const END: f64 = 4.0;

const INK: RGBColor = RGBColor(51, 51, 51);
const FAINT: RGBColor = RGBColor(221, 221, 221);
const REACHED: RGBColor = RGBColor(38, 139, 125);
const MISSED: RGBColor = RGBColor(214, 120, 40);
const NO_GOAL: RGBColor = RGBColor(160, 160, 160);

/// All figures that have a ratio, as an SVG.
pub(crate) fn svg(report: &Report) -> Result<String, Error> {
    let mut svg = String::new();
    draw(&mut svg, report).map_err(|error| Error::Picture(error.to_string()))?;
    Ok(svg)
}

fn draw(svg: &mut String, report: &Report) -> Drawn {
    let figures: Vec<&Figure> = report.figures.iter().filter(|figure| figure.ratio().is_finite()).collect();
    let height = HEAD + ROW * figures.len() as u32 + FOOT;
    let area = SVGBackend::with_string(svg, (WIDTH, height)).into_drawing_area();
    area.fill(&WHITE)?;
    write_head(&area, report)?;
    draw_scale(&area, height)?;
    for (figure, top) in figures.into_iter().zip((HEAD as i32..).step_by(ROW as usize)) {
        draw_figure(&area, figure, top)?;
    }
    area.present()
}

fn write_head(area: &Area<'_>, report: &Report) -> Drawn {
    let machine = &report.machine;
    let device = machine.device.as_deref().unwrap_or(&machine.cpu);
    let driver = machine.driver.as_deref().unwrap_or_default();
    area.draw_text(
        &format!("Time of gridwise by time of its peer: {}", report.bench),
        &text(17, HPos::Left),
        (NAME, 20),
    )?;
    area.draw_text(&format!("{device} {driver}, {}", machine.date), &text(12, HPos::Left), (NAME, 42))?;
    area.draw_text(&report.tally(), &text(12, HPos::Left), (NAME, HEAD as i32 - 12))?;
    area.draw_text("gridwise is faster", &text(12, HPos::Right), (at(1.0) - 8, 42))?;
    area.draw_text("slower", &text(12, HPos::Left), (at(1.0) + 8, 42))?;
    let colors = [(REACHED, "goal reached"), (MISSED, "missed"), (NO_GOAL, "no goal")];
    for ((color, meaning), left) in colors.into_iter().zip([BARS.0 + 60, BARS.0 + 170, BARS.0 + 250]) {
        area.draw(&Rectangle::new([(left, 15), (left + 12, 25)], color.filled()))?;
        area.draw_text(meaning, &text(12, HPos::Left), (left + 18, 20))?;
    }
    draw_mark(area, BARS.0 + 335, 20)?;
    area.draw_text("the goal", &text(12, HPos::Left), (BARS.0 + 343, 20))?;
    area.draw_text("ratio", &text(12, HPos::Right), (RATIO, HEAD as i32 - 12))?;
    area.draw_text("goal", &text(12, HPos::Right), (GOAL, HEAD as i32 - 12))
}

/// A line at each power of two.
fn draw_scale(area: &Area<'_>, height: u32) -> Drawn {
    let bottom = (height - FOOT) as i32;
    for ratio in [0.25, 0.5, 2.0, 4.0, 1.0] {
        let color = if ratio == 1.0 { INK } else { FAINT };
        area.draw(&PathElement::new([(at(ratio), HEAD as i32), (at(ratio), bottom)], color))?;
        area.draw_text(&format!("{ratio}×"), &text(11, HPos::Center), (at(ratio), HEAD as i32 - 12))?;
    }
    Ok(())
}

fn draw_figure(area: &Area<'_>, figure: &Figure, top: i32) -> Drawn {
    let middle = top + ROW as i32 / 2;
    let color = match figure.reached().as_slice() {
        [] => NO_GOAL,
        reached if reached.contains(&false) => MISSED,
        _ => REACHED,
    };
    let (from, to) = (at(1.0).min(at(figure.ratio())), at(1.0).max(at(figure.ratio())));
    area.draw_text(&figure.name, &text(12, HPos::Left), (NAME, middle))?;
    area.draw_text(&figure.peer, &text(12, HPos::Left), (PEER, middle))?;
    area.draw(&Rectangle::new([(from, top + 4), (to.max(from + 1), top + ROW as i32 - 4)], color.filled()))?;
    area.draw_text(&format!("{:.2}", figure.ratio()), &text(12, HPos::Right), (RATIO, middle))?;
    let goals: Vec<f64> = figure.goals.iter().filter_map(Goal::ratio).collect();
    goals.iter().try_for_each(|goal| draw_mark(area, at(*goal), middle))?;
    let told = goals.iter().map(|goal| format!("≤ {goal:.2}")).collect::<Vec<_>>().join(", ");
    area.draw_text(if told.is_empty() { "none" } else { &told }, &text(12, HPos::Right), (GOAL, middle))
}

/// The mark of a goal: a line as high as a row.
fn draw_mark(area: &Area<'_>, left: i32, middle: i32) -> Drawn {
    area.draw(&Rectangle::new([(left, middle - 9), (left + 2, middle + 9)], INK.filled()))
}

/// The position of a ratio, in pixels.
fn at(ratio: f64) -> i32 {
    let middle = f64::from(BARS.0 + BARS.1) / 2.0;
    let half = f64::from(BARS.1 - BARS.0) / 2.0;
    (middle + half * (ratio.ln() / END.ln()).clamp(-1.0, 1.0)).round() as i32
}

fn text(size: u32, side: HPos) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK).pos(Pos::new(side, VPos::Center))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, Summary};

    #[test]
    fn the_scale_is_logarithmic_and_ends() {
        assert_eq!(at(2.0) - at(1.0), at(4.0) - at(2.0));
        assert_eq!(at(1.0) - at(0.5), at(2.0) - at(1.0));
        assert_eq!(at(100.0), BARS.1);
        assert_eq!(at(0.0), BARS.0);
    }

    #[test]
    fn a_figure_is_drawn_with_its_names_and_ratio() {
        let times = |median: f64| Summary { median, p10: median, p90: median, noise: 0.0, runs: 1 };
        let figure = |name: &str, ours: f64, goal: f64| Figure {
            name: name.to_owned(),
            unit: "run",
            peer: "GLSL".to_owned(),
            ours: times(ours),
            theirs: times(100.0),
            goals: vec![Goal::Ratio(goal)],
        };
        let mut report = Report::new("work", Machine::here("release"));
        report.figures =
            vec![figure("copy", 74.0, 1.0), figure("sort < 2^24", 130.0, 1.0), figure("ratioless", f64::NAN, 1.0)];
        report.figures.push(Figure { goals: Vec::new(), ..figure("aimless", 90.0, 1.0) });
        let svg = svg(&report).unwrap();
        for part in [
            "copy",
            "GLSL",
            "0.74",
            "sort &lt; 2^24",
            "1.30",
            "aimless",
            "≤ 1.00",
            "none",
            "1 of 2 goals reached, 1 without a goal, 2 of 3 ratios at most 1.00",
        ] {
            assert!(svg.contains(part), "{part} is not in {svg}");
        }
        assert!(!svg.contains("ratioless"), "what has no ratio has no bar");
        // Each colour once as a bar, and once where it is explained.
        for color in ["#268B7D", "#D67828", "#A0A0A0"] {
            assert_eq!(svg.matches(color).count(), 2, "{color} in {svg}");
        }
        // A goal of 1.00 is told for two figures, and none for the third.
        assert_eq!(svg.matches("≤ 1.00").count(), 2, "{svg}");
        let mark = format!("x=\"{}\"", at(1.0));
        assert_eq!(svg.matches(&mark).count(), 2 + 2, "two marks, and the two bars that begin at the line: {svg}");
    }
}
