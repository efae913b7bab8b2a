//! The floors of the runtime: none imports one above it, and files that import each other are few.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The floors from below. What generated code calls stands beside them: above memory, below what records.
const FLOORS: [(&str, u32); 9] = [
    ("core", 0),
    ("device", 1),
    ("memory", 2),
    ("parallel", 3),
    ("twin", 3),
    ("record", 4),
    ("run", 5),
    ("manager", 6),
    ("worker", 7),
];

/// Files that may import each other in one circle.
const LARGEST_CIRCLE: usize = 15;

/// The path of a module, or of an item in it.
type Names = Vec<String>;

/// The definitions and imports of a module's file.
#[derive(Default)]
struct Module {
    defines: BTreeSet<String>,
    imports: Vec<Names>,
    /// Names that it has from elsewhere; `*` has a list of its own.
    reexports: BTreeMap<String, Names>,
    globs: Vec<Names>,
}

/// The modules of a crate by their paths, without those of tests.
struct Crate {
    modules: BTreeMap<Names, Module>,
}

impl Crate {
    fn read(source: &Path) -> Self {
        let (mut texts, mut folders) = (BTreeMap::new(), vec![(source.to_owned(), Names::new())]);
        while let Some((folder, names)) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("a folder of the runtime") {
                let path = entry.expect("an entry of a folder").path();
                let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a plain name").to_owned();
                let mut inner = names.clone();
                if path.is_dir() {
                    inner.push(stem);
                    folders.push((path, inner));
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    if !["mod", "lib"].contains(&stem.as_str()) {
                        inner.push(stem);
                    }
                    let text = std::fs::read_to_string(&path).expect("a source file");
                    texts.insert(inner, text.parse::<TokenStream>().expect("tokens"));
                }
            }
        }
        let known: BTreeSet<Names> = texts.keys().cloned().collect();
        let (mut modules, mut of_tests) = (BTreeMap::new(), BTreeSet::new());
        for (names, tokens) in texts {
            let mut reader =
                Reader { names: &names, known: &known, module: Module::default(), of_tests: &mut of_tests };
            reader.read(tokens, true);
            let module = reader.module;
            modules.insert(names, module);
        }
        modules.retain(|names, _| !of_tests.iter().any(|test| names.starts_with(test)));
        Self { modules }
    }

    /// The module that defines what a path names.
    fn find(&self, path: &[String], depth: u32) -> Option<&Names> {
        let (names, module) = (0..=path.len()).rev().find_map(|length| self.modules.get_key_value(&path[..length]))?;
        let Some(name) = path.get(names.len()).filter(|_| depth < 10) else { return Some(names) };
        if module.defines.contains(name) {
            return Some(names);
        }
        if let Some(from) = module.reexports.get(name) {
            return self.find(from, depth + 1);
        }
        let through = |glob: &Names| {
            let found = self.find(&[glob.as_slice(), std::slice::from_ref(name)].concat(), depth + 1)?;
            self.modules[found].defines.contains(name).then_some(found)
        };
        module.globs.iter().find_map(through).or(Some(names))
    }

    /// For each module the others that it imports from.
    fn arrows(&self) -> BTreeMap<&Names, BTreeSet<&Names>> {
        let of = |(names, module): (_, &Module)| {
            let found = module.imports.iter().filter_map(|path| self.find(path, 0));
            (names, found.filter(|found| *found != names).collect())
        };
        self.modules.iter().map(|(names, module)| of((names, module))).collect()
    }
}

/// Reads one file.
struct Reader<'a> {
    names: &'a Names,
    known: &'a BTreeSet<Names>,
    module: Module,
    of_tests: &'a mut BTreeSet<Names>,
}

impl Reader<'_> {
    fn read(&mut self, tokens: TokenStream, is_outermost: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let (mut at, mut is_public) = (0, false);
        while at < tokens.len() {
            let word = tokens[at].to_string();
            match word.as_str() {
                "#" if tokens
                    .get(at + 1)
                    .is_some_and(|attribute| attribute.to_string().replace(' ', "") == "[cfg(test)]") =>
                {
                    at = self.skip_test(&tokens, at + 2);
                    continue;
                }
                "pub" => is_public = true,
                "use" => {
                    let end = (at..tokens.len()).find(|end| tokens[*end].to_string() == ";").unwrap_or(tokens.len());
                    self.import(&tokens[at + 1..end], &[], is_public);
                    (at, is_public) = (end, false);
                }
                "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "union" | "mod" if is_outermost => {
                    self.module.defines.extend(tokens.get(at + 1).map(ToString::to_string));
                    is_public = false;
                }
                "crate" | "super" | "self" => {
                    let (path, end) = path_at(&tokens, at);
                    if path.len() > 1 {
                        self.module.imports.extend(self.absolute(&path));
                    }
                    at = end;
                    continue;
                }
                _ => {
                    if let TokenTree::Group(group) = &tokens[at] {
                        self.read(group.stream(), false);
                        is_public &= group.delimiter() == Delimiter::Parenthesis;
                    }
                }
            }
            at += 1;
        }
    }

    /// Skips the item behind `#[cfg(test)]`; gives where the next begins.
    fn skip_test(&mut self, tokens: &[TokenTree], start: usize) -> usize {
        let ends = |token: &TokenTree| match token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            other => other.to_string() == ";",
        };
        let end = (start..tokens.len()).find(|at| ends(&tokens[*at])).unwrap_or(tokens.len());
        if let Some(at) = (start..end).find(|at| tokens[*at].to_string() == "mod") {
            self.of_tests.insert([self.names.as_slice(), &[tokens[at + 1].to_string()]].concat());
        }
        end + 1
    }

    /// Reads the tree of a `use`, behind a path.
    fn import(&mut self, tree: &[TokenTree], before: &[String], is_public: bool) {
        for branch in tree.split(|token| token.to_string() == ",") {
            let (path, end) = path_at(branch, 0);
            let path = [before, &path].concat();
            match branch.get(end) {
                Some(TokenTree::Group(group)) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    self.import(&inner, &path, is_public);
                }
                Some(star) if star.to_string() == "*" => {
                    let Some(path) = self.absolute(&path) else { continue };
                    if is_public { self.module.globs.push(path) } else { self.module.imports.push(path) }
                }
                renamed => {
                    let alias = renamed.and_then(|_| branch.get(end + 1)).map(ToString::to_string);
                    let Some(alias) = alias.or_else(|| path.last().cloned()) else { continue };
                    let Some(path) = self.absolute(&path) else { continue };
                    if is_public {
                        self.module.reexports.insert(alias, path);
                    } else {
                        self.module.imports.push(path);
                    }
                }
            }
        }
    }

    /// A path from the root of the crate; `None` for one of another crate.
    fn absolute(&self, path: &[String]) -> Option<Names> {
        let mut own = self.names.clone();
        let rest = match path.first()?.as_str() {
            "crate" => return Some(path[1..].to_vec()),
            "self" => &path[1..],
            "super" => {
                let ups = path.iter().take_while(|name| *name == "super").count();
                own.truncate(own.len().saturating_sub(ups));
                &path[ups..]
            }
            first => {
                own.push(first.to_owned());
                let is_child = self.known.contains(&own);
                own.pop();
                if !is_child {
                    return None;
                }
                path
            }
        };
        own.extend(rest.iter().filter(|name| *name != "self").cloned());
        Some(own)
    }
}

/// The names of a path, and where it ends: at a group, a star, or what no path has.
fn path_at(tokens: &[TokenTree], start: usize) -> (Names, usize) {
    let (mut path, mut at) = (Names::new(), start);
    while let Some(TokenTree::Ident(name)) = tokens.get(at) {
        path.push(name.to_string());
        at += 1;
        let is_colon = |at: usize| tokens.get(at).is_some_and(|token| token.to_string() == ":");
        if !(is_colon(at) && is_colon(at + 1)) {
            break;
        }
        at += 2;
    }
    (path, at)
}

/// The largest set of modules each of which leads to each other.
fn largest_circle<'a>(arrows: &BTreeMap<&'a Names, BTreeSet<&'a Names>>) -> BTreeSet<&'a Names> {
    let reached = |from: &'a Names| {
        let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(next) = open.pop() {
            open.extend(arrows[next].iter().filter(|to| reached.insert(**to)));
        }
        reached
    };
    let reach: BTreeMap<&Names, BTreeSet<&Names>> = arrows.keys().map(|from| (*from, reached(from))).collect();
    let circle = |from: &&'a Names| reach[*from].iter().copied().filter(|to| reach[to].contains(from)).collect();
    arrows.keys().map(circle).max_by_key(BTreeSet::len).unwrap_or_default()
}

fn runtime() -> Crate {
    Crate::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src"))
}

#[test]
fn no_floor_imports_one_above() {
    let runtime = runtime();
    let rank = |names: &Names| FLOORS.iter().find(|(floor, _)| names.first().is_some_and(|name| name == floor));
    let mut wrong = Vec::new();
    for (names, module) in runtime.modules.iter().filter(|(names, _)| !names.is_empty()) {
        let (_, own) = rank(names).unwrap_or_else(|| panic!("`{}` is on no floor", names.join("/")));
        let imports = module.imports.iter().chain(module.reexports.values()).chain(&module.globs);
        for found in imports.filter_map(|path| runtime.find(path, 0)) {
            if rank(found).is_some_and(|(_, floor)| floor > own) {
                wrong.push(format!("{} imports {}", names.join("/"), found.join("/")));
            }
        }
    }
    assert!(runtime.modules.len() > 100 && wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn circles_of_files_are_small() {
    let runtime = runtime();
    let circle = largest_circle(&runtime.arrows());
    let files: Vec<String> = circle.iter().map(|names| names.join("/")).collect();
    assert!((2..=LARGEST_CIRCLE).contains(&files.len()), "{} files import each other: {files:?}", files.len());
}
