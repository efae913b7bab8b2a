//! The page: a section per kernel with facts, checks, and source, IR and SPIR-V side by side. Lines of one place light up together.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::kernel::Inspected;
use crate::listing::Line;
use crate::races::{Proof, Races};
use crate::source::Place;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The whole page, without anything that would have to be loaded.
pub(crate) fn page(kernels: &[Inspected], device: Option<&str>, roofline: Option<&str>) -> String {
    let mut html = String::from("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    html += "<meta name=\"viewport\" content=\"width=device-width\"><title>gridwise kernels</title>\n";
    put(&mut html, format_args!("<style>{STYLE}</style></head><body>\n<h1>Kernels</h1>\n"));
    if let Some(device) = device {
        put(&mut html, format_args!("<p>Driver's figures: {}</p>\n", Escaped(device)));
    }
    overview(&mut html, kernels);
    if let Some(picture) = roofline {
        put(&mut html, format_args!("<h2>Roofline</h2>\n{picture}\n"));
    }
    let mut places = Places::default();
    for (number, kernel) in kernels.iter().enumerate() {
        section(&mut html, number, kernel, &mut places);
    }
    put(&mut html, format_args!("<script>{SCRIPT}</script></body></html>\n"));
    html
}

/// Writing to a string cannot fail.
fn put(html: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = html.write_fmt(text);
}

fn overview(html: &mut String, kernels: &[Inspected]) {
    *html += "<table><tr><th>kernel<th>IR instructions<th>SPIR-V words<th>checks removed<th>at launch<th>on device<th>batch</tr>\n";
    for (number, kernel) in kernels.iter().enumerate() {
        let on_device = kernel.checks_on_device();
        let batch = kernel.batch.map_or("–".to_owned(), |items| items.to_string());
        put(
            html,
            format_args!(
                "<tr><td><a href=\"#k{number}\">{}</a><td>{}<td>{}<td>{}<td>{}<td>{on_device}<td>{batch}</tr>\n",
                Escaped(&kernel.name),
                kernel.instructions[1],
                kernel.compiled.words.len(),
                kernel.removed_checks,
                kernel.checks.len() - on_device,
            ),
        );
    }
    *html += "</table>\n";
}

fn section(html: &mut String, number: usize, kernel: &Inspected, places: &mut Places) {
    put(html, format_args!("<h2 id=\"k{number}\">{}</h2>\n<div class=\"facts\"><dl>", Escaped(&kernel.name)));
    for (name, value) in kernel.facts() {
        put(html, format_args!("<dt>{name}<dd>{}", Escaped(&value)));
    }
    *html += "</dl><table class=\"counts\">";
    for (kind, count) in &kernel.spirv.counts {
        put(html, format_args!("<tr><td>{kind}<td>{count}</tr>"));
    }
    *html += "</table>";
    if let Some(answer) = &kernel.driver {
        put(html, format_args!("<pre>{}</pre>", Escaped(&answer.to_string())));
    }
    *html += "</div>\n";
    checks(html, kernel, places);
    races(html, kernel, places);
    *html += "<div class=\"columns\"><div><h3>Rust</h3><pre>";
    for excerpt in &kernel.sources {
        put(html, format_args!("<b>{}</b>\n", Escaped(&excerpt.file)));
        for (line, text) in (excerpt.first..).zip(&excerpt.lines) {
            let class = places.class(&(excerpt.file.clone(), line));
            put(html, format_args!("<span class=\"l {class}\"><i>{line}</i>{}\n</span>", Escaped(text)));
        }
    }
    *html += "</pre></div>";
    for (title, lines) in [("IR", &kernel.ir), ("SPIR-V", &kernel.spirv.lines)] {
        put(html, format_args!("<div><h3>{title}</h3><pre>"));
        lines.iter().for_each(|line| listing_line(html, line, places));
        *html += "</pre></div>";
    }
    *html += "</div>\n";
}

fn checks(html: &mut String, kernel: &Inspected, places: &mut Places) {
    if !kernel.obligations.is_empty() {
        *html += "<p>A launch runs without these checks where the host finds:</p><ul>";
        for obligation in &kernel.obligations {
            put(html, format_args!("<li><code>{}</code>", Escaped(obligation)));
        }
        *html += "</ul>\n";
    }
    if !kernel.checks.is_empty() {
        *html += "<p>Checks that are left:</p><ul>";
        for check in &kernel.checks {
            let class = places.class(&check.place);
            let kind = if check.at_launch { "launch" } else { "device" };
            put(
                html,
                format_args!(
                    "<li class=\"{kind}\"><span class=\"l {class}\"><code>{}</code></span>, line {}: {}",
                    Escaped(&check.text),
                    check.place.1,
                    Escaped(&check.reason)
                ),
            );
        }
        *html += "</ul>\n";
    }
}

fn races(html: &mut String, kernel: &Inspected, places: &mut Places) {
    let Races { conditions, races, proofs } = &kernel.races;
    if !conditions.is_empty() {
        *html += "<p>Its invocations do not race in a launch with:</p><ul>";
        for condition in conditions {
            put(html, format_args!("<li><code>{}</code>", Escaped(condition)));
        }
        *html += "</ul>\n";
    }
    if !races.is_empty() {
        *html += "<p>Accesses that are not proven to be free of races:</p><ul>";
        for race in races {
            let classes = [&race.accesses[0].1, &race.accesses[1].1].map(|place| places.class(place));
            put(
                html,
                format_args!(
                    "<li class=\"device\"><span class=\"l {} {}\">{}</span>",
                    classes[0],
                    classes[1],
                    Escaped(&race.to_string())
                ),
            );
        }
        *html += "</ul>\n";
    }
    self::proofs(html, proofs, places);
}

fn proofs(html: &mut String, proofs: &[Proof], places: &mut Places) {
    if proofs.is_empty() {
        return;
    }
    *html += "<details><summary>Why its accesses do not race</summary><ul>";
    for proof in proofs {
        let class = places.class(&proof.access.1);
        put(html, format_args!("<li><span class=\"l {class}\">{}</span>", Escaped(&proof.to_string())));
    }
    *html += "</ul></details>\n";
}

fn listing_line(html: &mut String, line: &Line, places: &mut Places) {
    let text = Escaped(&line.text);
    match &line.place {
        Some(place) => {
            let class = places.class(place);
            put(html, format_args!("<span class=\"l {class}\"><i>{}</i>{text}\n</span>", place.1));
        }
        None => put(html, format_args!("<span class=\"l\"><i></i>{text}\n</span>")),
    }
}

/// A class for each place in the source.
#[derive(Default)]
struct Places(BTreeMap<Place, usize>);

impl Places {
    fn class(&mut self, place: &Place) -> String {
        let next = self.0.len();
        format!("p{}", self.0.entry(place.clone()).or_insert(next))
    }
}

/// Text in which nothing is markup.
struct Escaped<'a>(&'a str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.chars().try_for_each(|character| match character {
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '&' => f.write_str("&amp;"),
            '"' => f.write_str("&quot;"),
            other => f.write_char(other),
        })
    }
}
