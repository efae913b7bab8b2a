//! Makes a failing program shorter while it still fails: Rust's source, or the text of the IR.
//!
//! Knows of either no more than words, brackets and lines: it proposes, and whoever asks says which proposals are programs
//! and fail. So the answer must be that of a whole check, parsing included.

/// A word, a mark or a bracket, with the space before it.
#[derive(Debug, Clone)]
struct Token {
    space: String,
    text: String,
}

/// Tokens taken out, and what stands in their place.
#[derive(Debug, Clone, Copy)]
struct Edit {
    /// Two spans that go: around a group, or one of them empty.
    removed: [(usize, usize); 2],
    with: &'static str,
}

impl Edit {
    fn size(&self) -> usize {
        self.removed.iter().map(|(start, end)| end - start).sum()
    }
}

/// The shortest text found that `fails`, after at most `attempts` questions. `text` itself must fail.
pub(crate) fn minimise(text: &str, attempts: usize, mut fails: impl FnMut(&str) -> bool) -> String {
    let mut tokens = tokens_of(text);
    let mut left = attempts;
    loop {
        let (mut shorter, mut position) = (false, 0);
        let mut edits = edits_of(&tokens);
        while let Some(edit) = edits.get(position) {
            if left == 0 {
                return text_of(&tokens);
            }
            left -= 1;
            let proposed = apply(&tokens, edit);
            if fails(&text_of(&proposed)) {
                tokens = proposed;
                shorter = true;
                // What is still to try lies further on: the larger edits failed a moment ago.
                let size = edit.size();
                edits = edits_of(&tokens);
                position = edits.partition_point(|edit| edit.size() > size);
            } else {
                position += 1;
            }
        }
        if !shorter {
            return text_of(&tokens);
        }
    }
}

fn tokens_of(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        let word = rest.trim_start();
        let space = &rest[..rest.len() - word.len()];
        let Some(first) = word.chars().next() else { return tokens };
        let end = match first {
            '"' => word[1..].find('"').map_or(word.len(), |end| end + 2),
            // A number with its point, but not a range of numbers.
            '0'..='9' => number_end(word),
            _ if is_word(first) => word.find(|letter| !is_word(letter)).unwrap_or(word.len()),
            _ => first.len_utf8(),
        };
        tokens.push(Token { space: space.to_owned(), text: word[..end].to_owned() });
        rest = &word[end..];
    }
}

fn number_end(word: &str) -> usize {
    let bytes = word.as_bytes();
    let is_point = |at: usize| bytes[at] == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
    (0..bytes.len()).find(|&at| !is_word(char::from(bytes[at])) && !is_point(at)).unwrap_or(bytes.len())
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '%' | '\'')
}

fn text_of(tokens: &[Token]) -> String {
    tokens.iter().flat_map(|token| [token.space.as_str(), token.text.as_str()]).collect()
}

fn apply(tokens: &[Token], edit: &Edit) -> Vec<Token> {
    let is_removed = |at: usize| edit.removed.iter().any(|&(start, end)| (start..end).contains(&at));
    let mut kept = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if at == edit.removed[0].0 && !edit.with.is_empty() {
            kept.push(Token { space: token.space.clone(), text: edit.with.to_owned() });
        }
        if !is_removed(at) {
            kept.push(token.clone());
        }
    }
    kept
}

/// All edits that are worth a try, the largest first.
fn edits_of(tokens: &[Token]) -> Vec<Edit> {
    let closing = closing_of(tokens);
    let mut edits = Vec::new();
    list_edits(tokens, &closing, 0, tokens.len(), &mut edits);
    for (open, &close) in closing.iter().enumerate().filter(|&(open, &close)| close > open) {
        list_edits(tokens, &closing, open + 1, close, &mut edits);
        if close > open + 2 {
            let removed = [(open + 1, close), (close, close)];
            edits.extend(["0", "1", "true", "false", "0.0", "1.5"].map(|with| Edit { removed, with }));
        }
    }
    let numbers =
        tokens.iter().enumerate().filter(|(_, token)| token.text.len() > 1 && token.text.starts_with(is_digit));
    let numbers: Vec<_> = numbers.map(|(at, _)| at).collect();
    for at in numbers {
        edits.extend(["0", "1"].map(|with| Edit { removed: [(at, at + 1), (at, at)], with }));
    }
    edits.retain(|edit| edit.size() > 0);
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.size()));
    edits
}

fn is_digit(letter: char) -> bool {
    letter.is_ascii_digit()
}

/// The position of the closing bracket for each token that opens one; the token itself for all others.
fn closing_of(tokens: &[Token]) -> Vec<usize> {
    let mut closing: Vec<usize> = (0..tokens.len()).collect();
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.text.as_str() {
            "(" | "[" | "{" => open.push(at),
            ")" | "]" | "}" => {
                if let Some(start) = open.pop() {
                    closing[start] = at;
                }
            }
            _ => {}
        }
    }
    closing
}

/// Edits of what stands between two brackets.
fn list_edits(tokens: &[Token], closing: &[usize], start: usize, end: usize, edits: &mut Vec<Edit>) {
    // Where each member ends: a token, or a group as a whole.
    let mut members = Vec::new();
    let mut at = start;
    while at < end {
        let next = closing[at] + 1;
        members.push((at, next));
        at = next;
    }
    let mut ends = vec![start];
    ends.extend(members.iter().filter(|&&(first, next)| ends_item(tokens, first, next, end)).map(|&(_, next)| next));
    if ends.last() != Some(&end) {
        ends.push(end);
    }
    // Runs of statements, lines or list members.
    for from in 0..ends.len() {
        for to in from + 1..ends.len() {
            let count = to - from;
            if count.is_power_of_two() || count + 1 == ends.len() {
                edits.push(Edit { removed: [(ends[from], ends[to]), (end, end)], with: "" });
            }
        }
    }
    // What a statement's block holds, without the statement.
    for item in ends.windows(2) {
        for &(first, next) in
            members.iter().filter(|(first, next)| (item[0]..item[1]).contains(first) && first + 1 < *next)
        {
            edits.push(Edit { removed: [(item[0], first + 1), (next - 1, item[1])], with: "" });
        }
    }
    // Any few neighbours, and all but a few.
    const MANY: usize = 24;
    let few = if members.len() > MANY { 4 } else { members.len() };
    for from in 0..members.len() {
        for to in from..members.len().min(from + few) {
            let (first, last) = (members[from].0, members[to].1);
            edits.push(Edit { removed: [(first, last), (last, last)], with: "" });
            if members.len() <= MANY {
                edits.push(Edit { removed: [(start, first), (last, end)], with: "" });
            }
        }
    }
}

/// Whether a statement, a line or a member of a list ends with a token or group.
fn ends_item(tokens: &[Token], first: usize, next: usize, end: usize) -> bool {
    let ends_line = next < end && tokens[next].space.contains('\n');
    ends_line || matches!(tokens[next - 1].text.as_str(), ";" | ",") || (tokens[first].text == "{" && first + 1 < next)
}
