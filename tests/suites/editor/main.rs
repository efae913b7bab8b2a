//! rust-analyzer in kernels and device functions: it completes, tells types and finds definitions, also while there is an
//! error. Needs rust-analyzer; asks nothing of rustc.

mod client;

use std::path::{Path, PathBuf};

use client::Client;
use serde_json::Value;

const PROJECT: &str = include_str!("project.rs");

/// A question, and the parts that its answer must hold.
#[derive(Clone, Copy)]
enum Question {
    Complete(&'static [&'static str]),
    Type(&'static str),
    Definition(&'static str),
}
use Question::{Complete, Definition, Type};

/// A text of the project, the same with `|` where the caret is, and what is asked there.
type Case = (&'static str, &'static str, Question);

const CASES: &[Case] = &[
    ("value.sqrt()", "val|ue.sqrt()", Type("value: f32")),
    ("value.sqrt()", "val|ue.sqrt()", Definition("let value = x[index];")),
    ("= x[index];\n    y", "= |x[index];\n    y", Definition("fn roots(x: &[f32]")),
    ("value.sqrt()", "value.sq|rt()", Type("fn sqrt(self) -> f32")),
    ("value.sqrt()", "value.|", Complete(&["sqrt", "powi"])),
    ("value.sqrt()", "value.sq|", Complete(&["sqrt"])),
    ("value.sqrt()", "va|", Complete(&["value"])),
    ("value.sqrt()", "glo|", Complete(&["global_id"])),
    ("radius: particle.mass", "radius: par|ticle.mass", Type("particle: Particle")),
    ("radius: particle.mass", "radius: particle.|", Complete(&["mass", "position"])),
    ("radius: particle.mass", "radius: particle.ma|ss", Definition("pub mass: f32,")),
    ("position.x);", "position.x|);", Type("x: f32")),
    ("= lerp(", "= le|rp(", Definition("fn lerp(")),
    ("= lerp(", "= le|; (", Complete(&["lerp"])),
    ("circle.area()", "circle.ar|ea()", Definition("pub fn area(")),
    ("circle.area()", "circle.|", Complete(&["area", "radius"])),
    ("= middle;", "= mid|;", Complete(&["middle"])),
    ("span * at", "sp|an * at", Type("span: f32")),
    ("span * at", "span.|", Complete(&["sqrt"])),
    ("squared * 3.0", "squ|ared * 3.0", Type("squared: f32")),
    ("= self.radius *", "= self.| *", Complete(&["radius", "area"])),
    ("= self.radius *", "= self.rad|ius *", Definition("pub radius: f32,")),
];

/// The errors that stand in the functions while questions are asked.
const ERRORS: &[(&str, &str)] = &[
    ("no error", ""),
    ("an unfinished field", "let other = 1.0f32.;"),
    ("an unfinished statement", "let other = "),
    ("an unclosed call", "let other = 1.0f32.min(2.0;"),
    ("a type error", "let other: u32 = 1.5f32;"),
    ("something unsupported", "let other = vec![1, 2];"),
    ("an unknown name", "let other = nothing(1);"),
];

/// The places of the errors: before the first statement of each function.
const STARTS: &[&str] = &["let index = ", "let squared = ", "let span = "];

#[test]
fn editor() {
    let (root, file) = project();
    let mut client = Client::start(&root, &file, PROJECT);
    let mut failures = Vec::new();
    for (name, error) in ERRORS {
        let mut text = PROJECT.to_owned();
        for start in STARTS {
            text = text.replace(start, &format!("{error}\n    {start}"));
        }
        for (place, asked, question) in CASES {
            if let Some(found) = failure(&mut client, &file, &text, (place, asked, *question)) {
                failures.push(format!("with {name}, at `{asked}`: {found}"));
            }
        }
    }
    let asked = ERRORS.len() * CASES.len();
    assert!(failures.is_empty(), "{} of {asked} answers are wrong:\n{}", failures.len(), failures.join("\n"));
}

/// A crate that uses gridwise, with the versions that everything here is tested with.
fn project() -> (PathBuf, PathBuf) {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("editor");
    let gridwise = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are in a folder of the repository");
    let file = root.join("src/lib.rs");
    std::fs::create_dir_all(root.join("src")).expect("the target directory can be written");
    let manifest = format!(
        "[package]\nname = \"editor\"\nedition = \"2024\"\n\n[dependencies]\ngridwise = {{ path = {gridwise:?} }}\n\n[workspace]\n"
    );
    std::fs::write(root.join("Cargo.toml"), manifest).expect("the target directory can be written");
    std::fs::copy(gridwise.join("Cargo.lock"), root.join("Cargo.lock")).expect("the lock file can be copied");
    std::fs::write(&file, PROJECT).expect("the target directory can be written");
    (root, file)
}

/// The fault of an answer.
fn failure(client: &mut Client, file: &Path, text: &str, (place, asked, question): Case) -> Option<String> {
    assert!(text.contains(place), "the project does not hold `{place}`");
    let caret = asked.find('|').expect("a caret");
    let offset = text.find(place).expect("just found") + caret;
    let text = text.replacen(place, &asked.replacen('|', "", 1), 1);
    let before = &text[..offset];
    let (line, column) = (before.matches('\n').count(), before.len() - before.rfind('\n').map_or(0, |at| at + 1));
    client.change(&text);
    match question {
        Complete(wanted) => {
            let answer = client.ask("textDocument/completion", line, column);
            let items = answer.get("items").unwrap_or(&answer).as_array().cloned().unwrap_or_default();
            let labels: Vec<_> = items.iter().filter_map(|item| item["label"].as_str()).collect();
            let missing = wanted.iter().find(|wanted| !labels.iter().any(|label| label.starts_with(**wanted)));
            missing.map(|missing| format!("`{missing}` is not among {} completions", labels.len()))
        }
        Type(wanted) => {
            let answer = client.ask("textDocument/hover", line, column);
            let shown = answer["contents"]["value"].as_str().unwrap_or_default();
            (!shown.contains(wanted)).then(|| format!("no `{wanted}` in {shown:?}"))
        }
        Definition(wanted) => {
            let answer = client.ask("textDocument/definition", line, column);
            let lines = definitions(&answer, file, &text);
            (!lines.iter().any(|line| line.contains(wanted))).then(|| format!("no `{wanted}` in {lines:?}"))
        }
    }
}

/// The lines of the file that an answer points to.
fn definitions<'a>(answer: &Value, file: &Path, text: &'a str) -> Vec<&'a str> {
    let uri = format!("file://{}", file.display());
    let places = answer.as_array().cloned().unwrap_or_default();
    let here = places.iter().filter(|place| place["uri"] == uri.as_str());
    let lines = here.filter_map(|place| place["range"]["start"]["line"].as_u64());
    lines.filter_map(|line| text.lines().nth(line as usize)).collect()
}
