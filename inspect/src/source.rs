//! The author's files: which function a line is in, and its text. A file that is not there is shown as nothing.

use std::collections::BTreeMap;
use std::path::PathBuf;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// A place in the source: path as the compiler knows it, and line from 1.
pub(crate) type Place = (String, u32);

/// Lines that belong together: a function with its attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub(crate) file: String,
    /// The number of the first line.
    pub(crate) first: u32,
    pub(crate) lines: Vec<String>,
}

/// The files of a workspace, read once.
#[derive(Debug)]
pub(crate) struct Sources {
    workspace: PathBuf,
    files: BTreeMap<String, File>,
}

#[derive(Debug, Default)]
struct File {
    lines: Vec<String>,
    /// First and last lines of functions.
    functions: Vec<(u32, u32)>,
}

impl Sources {
    /// Of the workspace in this folder.
    pub(crate) fn new(workspace: PathBuf) -> Self {
        Self { workspace, files: BTreeMap::new() }
    }

    /// The functions that these places are in, each once, in the order of their first place.
    pub(crate) fn excerpts(&mut self, places: impl Iterator<Item = Place>) -> Vec<Excerpt> {
        let mut excerpts: Vec<Excerpt> = Vec::new();
        for (file, line) in places {
            let is_in = |excerpt: &Excerpt| {
                excerpt.file == file && (excerpt.first..excerpt.first + excerpt.lines.len() as u32).contains(&line)
            };
            if excerpts.iter().any(is_in) {
                continue;
            }
            let Some((first, lines)) = self.file(&file).around(line) else { continue };
            excerpts.push(Excerpt { file, first, lines });
        }
        excerpts
    }

    fn file(&mut self, path: &str) -> &File {
        let full = self.workspace.join(path);
        self.files.entry(path.to_owned()).or_insert_with(|| match std::fs::read_to_string(full) {
            Ok(text) => File::new(&text),
            Err(_) => File::default(),
        })
    }
}

impl File {
    fn new(text: &str) -> Self {
        let mut functions = Functions(Vec::new());
        if let Ok(file) = syn::parse_file(text) {
            functions.visit_file(&file);
        }
        Self { lines: text.lines().map(str::to_owned).collect(), functions: functions.0 }
    }

    /// The innermost function around a line; outside of functions, as in a `macro_rules!`, the line alone.
    fn around(&self, line: u32) -> Option<(u32, Vec<String>)> {
        let around = self.functions.iter().filter(|(first, last)| (*first..=*last).contains(&line));
        let (first, last) = around.min_by_key(|(first, last)| last - first).copied().unwrap_or((line, line));
        let lines = self.lines.get(first.checked_sub(1)? as usize..last as usize)?;
        Some((first, lines.to_vec()))
    }
}

/// Notes where functions are.
struct Functions(Vec<(u32, u32)>);

impl Functions {
    fn note(&mut self, function: &impl Spanned) {
        let span = function.span();
        self.0.push((span.start().line as u32, span.end().line as u32));
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.note(function);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.note(function);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        self.note(function);
        visit::visit_trait_item_fn(self, function);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_leads_to_its_function_with_attributes() {
        let folder = std::env::temp_dir().join(format!("gridwise-sources-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let text = "const A: u32 = 1;\n\n#[kernel]\nfn one() {\n    1;\n}\nfn two() {}\n";
        std::fs::write(folder.join("a.rs"), text).expect("written");
        let mut sources = Sources::new(folder.clone());
        let place = |line| ("a.rs".to_owned(), line);
        let found = sources.excerpts([place(5), place(4), place(7), place(1)].into_iter());
        _ = std::fs::remove_dir_all(&folder);
        let shown: Vec<_> = found.iter().map(|excerpt| (excerpt.first, excerpt.lines.join("|"))).collect();
        let one = (3, "#[kernel]|fn one() {|    1;|}".to_owned());
        assert_eq!(shown, [one, (7, "fn two() {}".to_owned()), (1, "const A: u32 = 1;".to_owned())]);
    }

    #[test]
    fn what_is_not_there_is_left_out() {
        let mut sources = Sources::new(PathBuf::from("."));
        assert!(sources.excerpts([("no/such/file.rs".to_owned(), 3)].into_iter()).is_empty());
    }
}
