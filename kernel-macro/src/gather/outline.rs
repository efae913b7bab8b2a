//! The outline of a source file: its modules, functions' bodies and blocks, with the items and imports of each. Read from text
//! alone, so that it can be kept between expansions; expands nothing, and says where a macro may add items.

use super::state::STD_MACROS;

/// A part of a file with items of its own; the first is the file.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// The scope to search for names that are not here; `None` for modules and the file.
    pub(super) lexical_parent: Option<usize>,
    pub(super) module: Module,
    pub(super) items: Vec<Item>,
    pub(super) imports: Vec<Import>,
    /// The functions of `impl` blocks and traits here: name and line.
    pub(super) associated: Vec<(String, u32)>,
    /// Whether a macro stands among the items, which may bring more of them.
    pub(super) has_macros: bool,
}

/// The module that a scope belongs to.
#[derive(Debug, Default, Clone)]
pub(super) struct Module {
    /// The module's scope.
    pub(super) scope: usize,
    /// The names of the modules around it within the file, and its own.
    pub(super) names: Vec<String>,
}

/// The kind of item in an outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Fn,
    Const,
    Struct,
    Enum,
    Alias,
    Trait,
    /// No kernel can name one.
    Static,
    /// A module, with its scope when it stands in this file.
    Mod(Option<usize>),
}

/// An item of a scope.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) kind: Kind,
    pub(super) name: String,
    /// The line of its name, from 1.
    pub(super) line: u32,
    /// The text in its attributes' brackets.
    pub(super) attrs: Vec<String>,
    /// Its place in the text, without attributes.
    pub(super) text: std::ops::Range<usize>,
}

/// A name, or with `None` all names, that a `use` brings.
#[derive(Debug)]
pub(super) struct Import {
    pub(super) path: Vec<String>,
    pub(super) name: Option<String>,
}

/// Reads a file's text; `None` where its brackets do not match.
pub(super) fn outline(text: &str) -> Option<Vec<Scope>> {
    let tokens = tokens(text);
    let ends = matching(&tokens)?;
    let mut reader = Reader { text, tokens, ends, scopes: vec![Scope::default()] };
    reader.read(0, reader.tokens.len(), Some(0));
    Some(reader.scopes)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TokenKind {
    Word,
    /// Numbers, texts and lifetimes.
    Other,
    Punct(u8),
}

#[derive(Debug, Clone, Copy)]
struct Token {
    kind: TokenKind,
    start: usize,
    end: usize,
    line: u32,
}

/// The tokens of a text, comments left out. Text that is no Rust gives some tokens or other.
fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        let next = bytes.get(at + 1).copied().unwrap_or(0);
        let kind = match byte {
            b'\n' => {
                line += 1;
                at += 1;
                continue;
            }
            b' ' | b'\t' | b'\r' => {
                at += 1;
                continue;
            }
            b'/' if next == b'/' => {
                at = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length);
                continue;
            }
            b'/' if next == b'*' => {
                at = end_of_comment(bytes, at);
                line += lines_in(&bytes[start..at]);
                continue;
            }
            b'"' => {
                at = end_of_text(bytes, at);
                TokenKind::Other
            }
            b'\'' => {
                at = end_of_quote(bytes, at);
                TokenKind::Other
            }
            _ if is_word(byte) => {
                at = end_of_word(bytes, at);
                match end_of_prefixed(bytes, start, at) {
                    Some(end) => {
                        at = end;
                        TokenKind::Other
                    }
                    None if byte.is_ascii_digit() => TokenKind::Other,
                    None => TokenKind::Word,
                }
            }
            _ => {
                at += 1;
                TokenKind::Punct(byte)
            }
        };
        tokens.push(Token { kind, start, end: at, line });
        line += lines_in(&bytes[start..at]);
    }
    tokens
}

fn lines_in(bytes: &[u8]) -> u32 {
    bytes.iter().map(|byte| u32::from(*byte == b'\n')).sum()
}

/// Letters beyond ASCII among them.
const fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80
}

fn end_of_word(bytes: &[u8], start: usize) -> usize {
    bytes[start..].iter().position(|byte| !is_word(*byte)).map_or(bytes.len(), |length| start + length)
}

fn end_of_comment(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start + 2, 1);
    while depth > 0 && at < bytes.len() {
        match bytes.get(at..at + 2) {
            Some(b"/*") => (at, depth) = (at + 2, depth + 1),
            Some(b"*/") => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
    }
    at.min(bytes.len())
}

/// The end of a text in quotes that begins here.
fn end_of_text(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The end of a character or a lifetime.
fn end_of_quote(bytes: &[u8], start: usize) -> usize {
    let is_char = match bytes.get(start + 1) {
        Some(b'\\') => true,
        Some(byte) if is_word(*byte) => bytes.get(end_of_word(bytes, start + 1)) == Some(&b'\''),
        _ => true,
    };
    if !is_char {
        return end_of_word(bytes, start + 1);
    }
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\'' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The end of a text or raw name of which a word is the beginning: `b"…"`, `r#"…"#`, `r#type`.
fn end_of_prefixed(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let prefix = &bytes[start..end];
    if !matches!(prefix, b"r" | b"b" | b"c" | b"br" | b"cr") {
        return None;
    }
    match bytes.get(end)? {
        b'"' if !prefix.ends_with(b"r") => return Some(end_of_text(bytes, end)),
        b'\'' if prefix == b"b" => return Some(end_of_quote(bytes, end)),
        b'"' | b'#' if prefix.ends_with(b"r") => {}
        _ => return None,
    }
    let hashes = bytes[end..].iter().take_while(|byte| **byte == b'#').count();
    if bytes.get(end + hashes) != Some(&b'"') {
        return None;
    }
    let mut close = vec![b'"'];
    close.resize(hashes + 1, b'#');
    let body = end + hashes + 1;
    let length = bytes[body..].windows(close.len()).position(|window| window == close);
    Some(length.map_or(bytes.len(), |length| body + length + close.len()))
}

/// For each opening bracket the position of the closing one.
fn matching(tokens: &[Token]) -> Option<Vec<usize>> {
    let mut ends = vec![0; tokens.len()];
    let mut open = Vec::new();
    for (position, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Punct(b'(' | b'[' | b'{') => open.push(position),
            TokenKind::Punct(b')' | b']' | b'}') => ends[open.pop()?] = position,
            _ => {}
        }
    }
    open.is_empty().then_some(ends)
}

struct Reader<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    ends: Vec<usize>,
    scopes: Vec<Scope>,
}

/// The head of an item as read so far.
#[derive(Default)]
struct Head {
    attrs: Vec<String>,
    start: usize,
}

impl Reader<'_> {
    fn word(&self, position: usize) -> &str {
        match self.tokens.get(position) {
            Some(token) if token.kind == TokenKind::Word => &self.text[token.start..token.end],
            _ => "",
        }
    }

    fn is(&self, position: usize, punct: u8) -> bool {
        self.tokens.get(position).is_some_and(|token| token.kind == TokenKind::Punct(punct))
    }

    /// The position behind a bracket's end, or behind one token.
    fn after(&self, position: usize) -> usize {
        match self.tokens.get(position).map(|token| token.kind) {
            Some(TokenKind::Punct(b'(' | b'[' | b'{')) => self.ends[position] + 1,
            _ => position + 1,
        }
    }

    /// The next of these marks that stands in no brackets; braces are brackets unless one of the marks.
    fn next_of(&self, mut position: usize, end: usize, marks: &[u8]) -> usize {
        while position < end && !marks.iter().any(|mark| self.is(position, *mark)) {
            position = self.after(position);
        }
        position
    }

    /// Reads what stands between two positions into a scope; into none, the items of an `impl` or trait.
    fn read(&mut self, from: usize, end: usize, scope: Option<usize>) {
        self.read_within(from, end, scope, scope.unwrap_or(0));
    }

    /// `around`: the scope in which bodies look for names.
    fn read_within(&mut self, from: usize, end: usize, scope: Option<usize>, around: usize) {
        let mut at = from;
        let mut head = Head { start: from, ..Head::default() };
        while at < end {
            if self.is(at, b'#') {
                let bracket = if self.is(at + 1, b'!') { at + 2 } else { at + 1 };
                let close = self.after(bracket);
                if bracket == at + 1 && self.is(bracket, b'[') {
                    let inner = self.tokens[bracket].end..self.tokens[close - 1].start;
                    head.attrs.push(self.text[inner].to_owned());
                }
                at = close;
                head.start = at;
                continue;
            }
            let next = match scope {
                Some(scope) => self.item(at, end, scope, &head).or_else(|| self.macro_call(at, scope)),
                None => self.associated(at, end, around),
            };
            if let Some(next) = next {
                at = next;
                head = Head { start: at, ..Head::default() };
                continue;
            }
            if self.is(at, b'{') {
                let inner = self.push(around);
                self.read(at + 1, self.ends[at], Some(inner));
                at = self.after(at);
                head = Head { start: at, ..Head::default() };
                continue;
            }
            at += 1;
            if self.is(at - 1, b';') {
                head = Head { start: at, ..Head::default() };
            }
        }
    }

    /// A new block in a scope.
    fn push(&mut self, around: usize) -> usize {
        let module = self.scopes[around].module.clone();
        self.scopes.push(Scope { lexical_parent: Some(around), module, ..Scope::default() });
        self.scopes.len() - 1
    }

    /// A new module in a scope.
    fn push_module(&mut self, around: usize, name: &str) -> usize {
        let scope = self.scopes.len();
        let mut names = self.scopes[around].module.names.clone();
        names.push(name.to_owned());
        self.scopes.push(Scope { module: Module { scope, names }, ..Scope::default() });
        scope
    }

    /// Reads the item whose keyword stands here; the position behind it.
    fn item(&mut self, at: usize, end: usize, scope: usize, head: &Head) -> Option<usize> {
        let name = self.word(at + 1).to_owned();
        let has_name = !name.is_empty();
        match self.word(at) {
            "use" => {
                let close = self.next_of(at, end, b";");
                let mut path = Vec::new();
                self.imports(at + 1, close, &mut path, scope);
                Some(close + 1)
            }
            "mod" if has_name => {
                let body = at + 2;
                let inner = self.is(body, b'{').then(|| self.push_module(scope, &name));
                self.add(scope, Kind::Mod(inner), at + 1, head, self.after(body));
                if let Some(inner) = inner {
                    self.read(body + 1, self.ends[body], Some(inner));
                }
                Some(self.after(body))
            }
            "fn" if has_name => {
                let body = self.next_of(at, end, b"{;");
                self.add(scope, Kind::Fn, at + 1, head, self.after(body));
                Some(self.body(body, scope))
            }
            "const" if has_name && self.is(at + 2, b':') => {
                let close = self.next_of(at, end, b";");
                self.add(scope, Kind::Const, at + 1, head, close + 1);
                // Blocks in the value have items of their own.
                let value = self.push(scope);
                self.read(at + 2, close, Some(value));
                Some(close + 1)
            }
            keyword @ ("struct" | "enum" | "type") if has_name => {
                let kind = match keyword {
                    "struct" => Kind::Struct,
                    "enum" => Kind::Enum,
                    _ => Kind::Alias,
                };
                let body = self.next_of(at, end, if kind == Kind::Alias { b";" } else { b"{;" });
                self.add(scope, kind, at + 1, head, self.after(body));
                Some(self.after(body))
            }
            "trait" if has_name => {
                let body = self.next_of(at, end, b"{;");
                self.add(scope, Kind::Trait, at + 1, head, self.after(body));
                Some(self.members(body, scope))
            }
            "impl" if at == head.start || self.word(at - 1) == "unsafe" => {
                Some(self.members(self.next_of(at, end, b"{;"), scope))
            }
            "static" if has_name => {
                let name = if self.word(at + 1) == "mut" { at + 2 } else { at + 1 };
                let close = self.next_of(at, end, b";");
                self.add(scope, Kind::Static, name, head, close + 1);
                Some(close + 1)
            }
            "extern" => {
                let body = if self.is(at + 1, b'{') { at + 1 } else { at + 2 };
                self.is(body, b'{').then(|| self.after(body))
            }
            _ => None,
        }
    }

    /// A function among the items of an `impl` or trait; the position behind it.
    fn associated(&mut self, at: usize, end: usize, around: usize) -> Option<usize> {
        if self.word(at) != "fn" {
            return None;
        }
        if let Some(token) = self.tokens.get(at + 1) {
            let found = (self.word(at + 1).to_owned(), token.line);
            self.scopes[around].associated.push(found);
        }
        Some(self.body(self.next_of(at, end, b"{;"), around))
    }

    /// Reads a function's body; the position behind it.
    fn body(&mut self, brace: usize, around: usize) -> usize {
        if self.is(brace, b'{') {
            let inner = self.push(around);
            self.read(brace + 1, self.ends[brace], Some(inner));
        }
        self.after(brace)
    }

    fn members(&mut self, brace: usize, around: usize) -> usize {
        if self.is(brace, b'{') {
            self.read_within(brace + 1, self.ends[brace], None, around);
        }
        self.after(brace)
    }

    /// Passes a macro's call or definition, which may bring items.
    fn macro_call(&mut self, at: usize, scope: usize) -> Option<usize> {
        if self.word(at).is_empty() || !self.is(at + 1, b'!') {
            return None;
        }
        let is_definition = self.word(at) == "macro_rules";
        let body = at + 2 + usize::from(is_definition);
        if ![b'(', b'[', b'{'].iter().any(|bracket| self.is(body, *bracket)) {
            return None;
        }
        self.scopes[scope].has_macros |= !is_definition && !STD_MACROS.contains(&self.word(at));
        Some(self.after(body))
    }

    fn add(&mut self, scope: usize, kind: Kind, name: usize, head: &Head, end: usize) {
        let Some(last) = self.tokens.get(end.max(1) - 1).or_else(|| self.tokens.last()) else { return };
        let start = self.tokens.get(head.start).map_or(last.end, |token| token.start);
        let item = Item {
            kind,
            name: self.word(name).to_owned(),
            line: last.line.min(self.tokens.get(name).map_or(last.line, |token| token.line)),
            attrs: head.attrs.clone(),
            text: start..last.end.max(start),
        };
        self.scopes[scope].items.push(item);
    }

    /// The names of a `use` tree.
    fn imports(&mut self, from: usize, end: usize, path: &mut Vec<String>, scope: usize) {
        let depth = path.len();
        let mut at = from;
        while at < end {
            if self.is(at, b'{') {
                self.imports(at + 1, self.ends[at], path, scope);
            } else if self.is(at, b'*') {
                self.scopes[scope].imports.push(Import { path: path.clone(), name: None });
            } else if self.is(at, b',') {
                path.truncate(depth);
            } else if self.word(at) == "as" {
                at += 1;
            } else if !self.word(at).is_empty() {
                path.push(self.word(at).to_owned());
                let alias = if self.word(at + 1) == "as" { self.word(at + 2) } else { self.word(at) }.to_owned();
                if !self.is(at + 1, b':') {
                    self.add_import(path, alias, scope);
                    path.pop();
                }
            }
            at = self.after(at);
        }
        path.truncate(depth);
    }

    fn add_import(&mut self, path: &[String], alias: String, scope: usize) {
        let mut path = path.to_vec();
        let mut name = alias;
        // `a::{self}` is `a`.
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
            if name == "self" {
                name = path.last().cloned().unwrap_or_default();
            }
        }
        self.scopes[scope].imports.push(Import { path, name: Some(name) });
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, outline};

    /// Each scope in a line: names of items with their lines, imports, macros.
    fn text(source: &str) -> String {
        let scopes = outline(source).expect("brackets match");
        let lines = scopes.iter().map(|scope| {
            let items = scope.items.iter().map(|item| format!("{}:{}", item.name, item.line));
            let imports = scope
                .imports
                .iter()
                .map(|import| format!("{}={}", import.name.as_deref().unwrap_or("*"), import.path.join("::")));
            let macros = scope.has_macros.then(|| "!".to_owned());
            items.chain(imports).chain(macros).collect::<Vec<_>>().join(" ")
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn items_are_found_in_their_scopes() {
        let source = r##"//! A file with "quotes' and { in comments /* */
use a::{b, c as d, e::{self, *}};
pub(crate) const fn f<'a>(x: &'a [u8; 2]) -> char { fn inner() {} '{' }
const A: &str = "fn no() { \" }";
/* fn no() { /* } */ */
#[repr(C)] pub struct S { x: u32 }
struct T(u32);
mod m {
    pub fn g() -> &'static str { r#"fn no() "{ "# }
    impl S { fn method(&self) { fn deep() {} } }
}
other!{ "x" } println!();
fn h() where u32: Copy {}
type U = [u8; { 4 }];
trait V { fn no(); }
"##;
        assert_eq!(
            text(source),
            "f:3 A:4 S:6 T:7 m:8 h:13 U:14 V:15 b=a::b d=a::c e=a::e *=a::e !\ninner:3\n\n\ng:9\n\ndeep:10\n\n"
        );
    }

    #[test]
    fn items_have_attributes_and_text() {
        let source = "fn a() {}\n#[inline] #[device]\npub fn b() { 1 }\nfn c() {}";
        let scopes = outline(source).expect("brackets match");
        let item = &scopes[0].items[1];
        assert_eq!((item.kind, item.attrs.join(" ")), (Kind::Fn, "inline device".to_owned()));
        assert_eq!(&source[item.text.clone()], "pub fn b() { 1 }");
        assert!(scopes[0].items[2].attrs.is_empty());
    }

    #[test]
    fn what_is_no_rust_has_no_outline_or_some() {
        for source in [
            "fn a() {",
            "}",
            "mod",
            "use",
            "fn",
            "#",
            "#!",
            "'",
            "\"",
            "r#",
            "/*",
            "const A: ",
            "mod m",
            "a!",
            "impl",
            "extern",
            "static mut",
        ] {
            let _ = outline(source);
        }
    }
}
