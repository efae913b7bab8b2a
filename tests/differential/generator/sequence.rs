//! Random chains of iterators, slices of arrays and buffers, and closures that change what is around them. No chain is made that the
//! macro refuses: what goes by position comes before closures.

use super::Generator;
use super::types::{Ty, Var, as_word};

/// A chain under construction.
struct Chain {
    text: String,
    item: Ty,
    /// Whether closures are part of it, or elements are left out.
    computed: bool,
}

impl Generator {
    /// One statement of these.
    pub(crate) fn sequence_statement(&mut self, out: &mut String, depth: usize) {
        match self.random.below(12) {
            0..=3 => self.chain_let(out),
            4 | 5 => self.chain_loop(out, depth),
            6 | 7 => self.parts_let(out),
            8 | 9 => self.array_change(out),
            _ => self.visit(out, depth),
        }
    }

    /// An expression with elements, without `&`, and its type: an array, or a part of one or of a buffer.
    fn elements(&mut self) -> (String, Ty) {
        let arrays: Vec<(String, Ty)> = self
            .scope
            .iter()
            .filter_map(|var| match &var.ty {
                Ty::Array(element) if matches!(**element, Ty::U32 | Ty::I32 | Ty::Int(_)) => {
                    Some((var.name.clone(), (**element).clone()))
                }
                _ => None,
            })
            .collect();
        if self.in_kernel && (arrays.is_empty() || self.random.one_in(2)) {
            let (start, len, by) = (self.random.below(20), 1 + self.random.below(9), self.leaf(&Ty::U32));
            let (name, ty) = [("x", Ty::U32), ("y", Ty::I32)][self.random.below(2)].clone();
            let end = start + len;
            return match self.random.below(3) {
                0 => (format!("{name}[{start}..{end}]"), ty),
                1 => (format!("{name}[({by} % {end}) as usize..{end}]"), ty),
                _ => (format!("{name}[{start}..={start} + ({by} % {len}) as usize]"), ty),
            };
        }
        if arrays.is_empty() {
            let literal = self.leaf(&Ty::Array(Box::new(Ty::U32)));
            let name = self.fresh("own");
            // A block's value is an array of its own.
            return (format!("({{ let {name} = {literal}; {name} }})"), Ty::U32);
        }
        let (name, element) = arrays[self.random.below(arrays.len())].clone();
        match self.random.below(4) {
            0 => (format!("{name}[{}..]", self.random.below(5)), element),
            1 => (format!("{name}[..({} % 5) as usize]", self.leaf(&Ty::U32)), element),
            _ => (name, element),
        }
    }

    /// A place with elements: no array that is made where it stands.
    fn lent(&mut self) -> Option<(String, Ty)> {
        let (text, element) = self.elements();
        (!text.starts_with('(')).then_some((text, element))
    }

    fn source(&mut self) -> Chain {
        if self.random.one_in(3) {
            let (a, b) = (self.random.below(4), self.random.below(7));
            let by = self.leaf(&Ty::U32);
            let text = match self.random.below(4) {
                0 => format!("({a}..{b}u32)"),
                1 => format!("({a}..{by} % {})", b + 1),
                2 => format!("({a}u32..={by} % {})", b + 1),
                _ => format!("(u32::MAX - {b}..=u32::MAX)"),
            };
            return Chain { text, item: Ty::U32, computed: false };
        }
        let (text, item) = self.elements();
        let text =
            if text.starts_with('(') { format!("{text}.into_iter()") } else { format!("{text}.iter().copied()") };
        Chain { text, item, computed: false }
    }

    /// A closure's text, with parameters in scope by other names; nothing in it leaves a loop.
    fn on(&mut self, params: &[(&str, String, Ty)], result: &Ty) -> String {
        let outer = self.scope.len();
        for (_, name, ty) in params {
            self.scope.push(Var { name: name.clone(), ty: ty.clone(), mutable: false });
        }
        let (loops, depth) = (std::mem::replace(&mut self.loops, 2), 2);
        let body = self.expr(result, depth);
        self.loops = loops;
        self.scope.truncate(outer);
        let patterns: Vec<_> = params.iter().map(|(pattern, ..)| *pattern).collect();
        format!("|{}| {body}", patterns.join(", "))
    }

    fn by_position(&mut self, chain: &mut Chain) {
        if self.random.one_in(4) {
            chain.text.push_str(".rev()");
        }
        for _ in 0..self.random.below(3) {
            let n = self.leaf(&Ty::U32);
            match self.random.below(5) {
                0 => chain.text.push_str(&format!(".skip(({n} % 3) as usize)")),
                1 => chain.text.push_str(&format!(".step_by(1 + ({n} % 3) as usize)")),
                2 => chain.text.push_str(&format!(".take(({n} % 7) as usize)")),
                3 => chain.text.push_str(&format!(".cycle().take(({n} % 9) as usize)")),
                _ => {
                    let Some((other, element)) = self.lent() else { continue };
                    let (p, q) = (self.fresh("p"), self.fresh("q"));
                    let pair = format!("({p}, {q})");
                    let params = [(pair.as_str(), p.clone(), chain.item.clone()), ("", q, element)];
                    let made = self.on(&params, &Ty::U32).replacen(", |", "|", 1);
                    let other =
                        if self.random.one_in(3) { format!("{other}.iter().rev()") } else { format!("{other}.iter()") };
                    chain.text.push_str(&format!(".zip({other}.copied()).map({made})"));
                    (chain.item, chain.computed) = (Ty::U32, true);
                    return;
                }
            }
        }
        if self.random.one_in(5) {
            let (p, q) = (self.fresh("p"), self.fresh("q"));
            let word = as_word(&chain.item, &p);
            chain.text.push_str(&format!(".enumerate().map(|({q}, {p})| {word} ^ {q} as u32)"));
            (chain.item, chain.computed) = (Ty::U32, true);
        }
    }

    fn with_closures(&mut self, chain: &mut Chain) {
        for _ in 0..self.random.below(4) {
            let (p, q, item) = (self.fresh("p"), self.fresh("q"), chain.item.clone());
            let lent = (p.as_str(), format!("(*{p})"), item.clone());
            let given = (p.as_str(), p.clone(), item.clone());
            let next = [Ty::U32, Ty::I32, Ty::Int("u8"), Ty::Int("i64")][self.random.below(4)].clone();
            let step = match self.random.below(12) {
                0 => format!(".filter({})", self.on(&[lent], &Ty::Bool)),
                1 => format!(".take_while({})", self.on(&[lent], &Ty::Bool)),
                2 => format!(".skip_while({})", self.on(&[lent], &Ty::Bool)),
                3 => {
                    let (made, method) =
                        (self.on(&[given], &Ty::Option), self.random.pick(&["filter_map", "map_while", "flat_map"]));
                    chain.item = Ty::U32;
                    format!(".{method}({made})")
                }
                4 => {
                    let state = (q.as_str(), format!("(*{q})"), Ty::U32);
                    let (value, start) = (self.on(&[state.clone(), given.clone()], &Ty::U32), self.leaf(&Ty::U32));
                    let value = value.split_once("| ").map_or(String::new(), |(_, body)| body.to_owned());
                    let more = self.on(&[state, given], &Ty::Bool);
                    let more = more.split_once("| ").map_or(String::new(), |(_, body)| body.to_owned());
                    chain.item = Ty::U32;
                    format!(".scan({start}, |{q}, {p}| {{ *{q} = {value}; ({more}).then_some(*{q}) }})")
                }
                5 => {
                    let made = self.on(std::slice::from_ref(&given), &next);
                    let body = made.split_once("| ").map_or("", |(_, body)| body).to_owned();
                    let word = as_word(&item, &p);
                    chain.item = next.clone();
                    format!(".flat_map(|{p}| {{ let {q} = {body}; [{q}, ({word}) as {next}] }})")
                }
                6 => {
                    let word = as_word(&item, &p);
                    chain.item = Ty::U32;
                    format!(".flat_map(|{p}| ({}..({word}) % 4).map(move |{q}| {q} ^ {word}))", self.random.below(2))
                }
                7 => format!(".take(({} % 6) as usize)", self.leaf(&Ty::U32)),
                8 if chain.text.contains(".filter(") => format!(".skip(({} % 3) as usize)", self.leaf(&Ty::U32)),
                9 if !chain.text.contains("flat_map") => {
                    let value = self.leaf(&item);
                    format!(".chain([{value}, {}])", self.leaf(&item))
                }
                _ => {
                    chain.item = next.clone();
                    format!(".map({})", self.on(&[given], &next))
                }
            };
            chain.text.push_str(&step);
            chain.computed = true;
        }
    }

    fn chain(&mut self) -> Chain {
        let mut chain = self.source();
        self.by_position(&mut chain);
        self.with_closures(&mut chain);
        chain
    }

    /// A statement that evaluates a chain.
    fn chain_let(&mut self, out: &mut String) {
        let chain = self.chain();
        let (p, q, item) = (self.fresh("p"), self.fresh("q"), chain.item.clone());
        let lent = (p.as_str(), format!("(*{p})"), item.clone());
        let given = (p.as_str(), p.clone(), item.clone());
        let (n, other) = (self.leaf(&Ty::U32), self.leaf(&item));
        let (end, ty) = match self.random.below(14) {
            0 => (format!(".sum::<{item}>()"), item),
            1 => {
                let state = (q.as_str(), q.clone(), Ty::U32);
                (format!(".fold({n}, {})", self.on(&[state, given], &Ty::U32)), Ty::U32)
            }
            2 => (".count() as u32".to_owned(), Ty::U32),
            3 => (format!(".{}().unwrap_or({other})", self.random.pick(&["max", "min", "last"])), item),
            4 => {
                let method = self.random.pick(&["max_by_key", "min_by_key"]);
                (format!(".{method}({}).unwrap_or({other})", self.on(&[lent], &Ty::U32)), item)
            }
            5 => (format!(".position({}).map_or(9, |at| at as u32)", self.on(&[given], &Ty::Bool)), Ty::U32),
            6 => (format!(".{}({})", self.random.pick(&["any", "all"]), self.on(&[given], &Ty::Bool)), Ty::Bool),
            7 => (format!(".nth(({n} % 5) as usize).unwrap_or({other})"), item),
            8 => (format!(".find({}).unwrap_or({other})", self.on(&[lent], &Ty::Bool)), item),
            9 => (".is_sorted()".to_owned(), Ty::Bool),
            10 => {
                let operator = self.random.pick(&["lt", "le", "gt", "ge"]);
                (format!(".{operator}([{other}, {}, {}])", self.leaf(&item), self.leaf(&item)), Ty::Bool)
            }
            11 => (format!(".is_sorted_by_key({})", self.on(&[given], &Ty::I32)), Ty::Bool),
            12 if !chain.computed => {
                let method = self.random.pick(&["eq", "ne"]);
                (format!(".{method}([{other}, {}])", self.leaf(&item)), Ty::Bool)
            }
            _ => {
                let state = (q.as_str(), q.clone(), item.clone());
                (format!(".reduce({}).unwrap_or({other})", self.on(&[state, given], &item)), item)
            }
        };
        let name = self.fresh("v");
        out.push_str(&format!("let mut {name}: {ty} = {}{end};\n", chain.text));
        self.scope.push(Var { name, ty, mutable: true });
    }

    fn chain_loop(&mut self, out: &mut String, depth: usize) {
        if self.loops > 0 || depth == 0 {
            return self.chain_let(out);
        }
        let chain = self.chain();
        let name = self.fresh("k");
        // Chains of chains may be long, and each round is a block.
        out.push_str(&format!("for {name} in {}.take(9) ", chain.text));
        let outer = self.scope.clone();
        // What the chain's closures name is borrowed until the loop ends.
        for var in &mut self.scope {
            // An element of a buffer is borrowed with it.
            let whole = var.name.split('[').next().unwrap_or_default();
            var.mutable &= !names(&chain.text, whole);
        }
        self.scope.push(Var { name, ty: chain.item, mutable: false });
        self.labels.push((String::new(), true));
        self.loops += 1;
        self.block(out, depth - 1);
        self.loops -= 1;
        self.labels.pop();
        self.scope = outer;
    }

    /// Something of slices that are parts of others.
    fn parts_let(&mut self, out: &mut String) {
        let Some((whole, element)) = self.lent() else { return self.chain_let(out) };
        let (c, size, n) = (self.fresh("c"), 1 + self.random.below(3), self.leaf(&Ty::U32));
        let elements =
            [format!("{c}[0]"), format!("{c}[{c}.len() - 1]"), format!("{c}[{} % {c}.len()]", n_as_usize(&n))];
        let params: Vec<(&str, String, Ty)> = elements.iter().map(|text| ("", text.clone(), element.clone())).collect();
        self.in_part = true;
        let made = self.on(&params, &Ty::U32);
        self.in_part = false;
        let body = made.split_once("| ").map_or("", |(_, body)| body).to_owned();
        let method = self.random.pick(&["windows", "chunks", "rchunks", "chunks_exact", "rchunks_exact"]);
        let rev = self.random.pick(&["", ".rev()", ".skip(1)", ".take(2)"]);
        let word = as_word(&element, &format!("{c}[0]"));
        let value = match self.random.below(5) {
            0 => format!(
                "{whole}.get(({n} % 6) as usize..({n} % 9) as usize).map_or({n}, |{c}| {c}.len() as u32 + {c}.iter().count() as u32)"
            ),
            1 => format!(
                "if let Some((first, {c})) = {whole}.split_first() {{ ({} ^ {c}.len() as u32) }} else {{ 5 }}",
                as_word(&element, "(*first)")
            ),
            2 => {
                let d = self.fresh("c");
                format!(
                    "{{ let ({c}, {d}) = {whole}.split_at((({n}) as usize) % ({whole}.len() + 1)); {c}.iter().zip({d}.iter()).count() as u32 * 8 + {c}.is_sorted() as u32 }}"
                )
            }
            _ => format!("{whole}.{method}({size}){rev}.map(|{c}| ({body}) ^ {word}).fold({n}, |h, v| h * 31 ^ v)"),
        };
        let name = self.fresh("v");
        out.push_str(&format!("let mut {name}: u32 = {value};\n"));
        self.scope.push(Var { name, ty: Ty::U32, mutable: true });
    }

    /// Changes an array by a method, or by a loop over its elements.
    fn array_change(&mut self, out: &mut String) {
        let arrays: Vec<(String, Ty)> = self
            .scope
            .iter()
            .filter_map(|var| match &var.ty {
                // Others have no slices.
                Ty::Array(element) if var.mutable && !matches!(**element, Ty::Bool | Ty::Tuple(_)) => {
                    Some((var.name.clone(), (**element).clone()))
                }
                _ => None,
            })
            .collect();
        if arrays.is_empty() {
            return self.assignment(out);
        }
        let (array, element) = arrays[self.random.below(arrays.len())].clone();
        let (n, m, p, q) = (self.leaf(&Ty::U32), self.leaf(&Ty::U32), self.fresh("p"), self.fresh("q"));
        let value = self.expr(&element, 2);
        let (n, m, given) = (without(&n, &array), without(&m, &array), without_value(&value, &array));
        let by = |n: &str| format!("({n} % 4) as usize");
        let text = match self.random.below(9) {
            0 => format!("{array}.rotate_left(({n} % 5) as usize);"),
            1 => format!("{array}[({n} % 3) as usize..].rotate_right(({m} % 2) as usize);"),
            2 => format!("{array}.reverse();"),
            3 => format!("{array}.swap({}, {});", by(&n), by(&m)),
            4 => format!("{array}[..{}].fill({given});", by(&n)),
            5 => {
                let outer = self.scope.len();
                let visible: Vec<Var> = self.scope.iter().filter(|var| var.name != array).cloned().collect();
                let whole = std::mem::replace(&mut self.scope, visible);
                self.scope.push(Var { name: format!("(*{p})"), ty: element.clone(), mutable: false });
                let value = self.expr(&element, 2);
                self.scope = whole;
                self.scope.truncate(outer);
                format!(
                    "for ({q}, {p}) in {array}.iter_mut().enumerate() {{ if {q} as u32 != {m} % 3 {{ *{p} = {value}; }} }}"
                )
            }
            6 => format!(
                "for {p} in {array}.chunks_mut({}) {{ {p}.reverse(); {p}[0] = {given}; }}",
                1 + self.random.below(3)
            ),
            7 => format!("{{ let {p} = {array}; {array}[1..3].copy_from_slice(&{p}[2..]); }}"),
            _ => format!("for {p} in {array}.rchunks_exact_mut(2) {{ {p}.swap(0, 1); }}"),
        };
        out.push_str(&text);
        out.push('\n');
    }

    /// A closure that changes what is around it, passed to one of the harness's functions.
    fn visit(&mut self, out: &mut String, depth: usize) {
        if self.loops > 1 || depth == 0 {
            return self.assignment(out);
        }
        let (name, n) = (self.fresh("q"), self.leaf(&Ty::U32));
        let outer = self.scope.len();
        let (loops, labels, returns) =
            (std::mem::take(&mut self.loops), std::mem::take(&mut self.labels), std::mem::take(&mut self.returns));
        self.scope.push(Var { name: name.clone(), ty: Ty::U32, mutable: false });
        let mut body = String::new();
        for _ in 0..1 + self.random.below(2) {
            self.assignment(&mut body);
        }
        if self.random.one_in(2) {
            self.if_statement(&mut body, 1);
        }
        let stop = self.expr(&Ty::Bool, 2);
        self.scope.truncate(outer);
        (self.loops, self.labels, self.returns) = (loops, labels, returns);
        let text = match self.random.below(4) {
            0 => format!("each({n} % 5, |{name}| {{\n{body}}});"),
            1 => {
                let f = self.fresh("f");
                let times = self.fresh("n");
                format!(
                    "let {times} = {n} % 3;\nlet mut {f} = |{name}: u32| {{\n{body}}};\neach({times}, &mut {f});\n{f}(7);"
                )
            }
            kind => {
                let found = self.fresh("v");
                let function = if kind == 2 { "until" } else { "tried" };
                let text = format!("let mut {found}: u32 = {function}({n} % 6, |{name}| {{\n{body}{stop}\n}});");
                self.scope.push(Var { name: found, ty: Ty::U32, mutable: true });
                text
            }
        };
        out.push_str(&text);
        out.push('\n');
    }
}

fn n_as_usize(n: &str) -> String {
    format!("(({n}) as usize)")
}

/// Whether a text names a variable.
pub(super) fn names(text: &str, variable: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == variable)
}

/// A number that does not depend on an array which is being written.
fn without(text: &str, array: &str) -> String {
    if text.contains(array) { "1".to_owned() } else { text.to_owned() }
}

fn without_value(text: &str, array: &str) -> String {
    if text.contains(array) { "Default::default()".to_owned() } else { text.to_owned() }
}
