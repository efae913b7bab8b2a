//! The rules against enumeration: small kernels on all small launches. A rule may refuse what does not race, and never accepts what does.

use std::fmt::Write as _;

use super::mutants::{Mutant, SHIFTED};
use super::{Analysis, Rule, explain};
use crate::arena::EntityId;
use crate::ir::{Bound, BoundOp};
use crate::passes;

/// Invocations of a workgroup along x and y.
const WIDTHS: [u32; 2] = [2, 2];
/// Elements of the buffer whose elements differ.
const LEN: u32 = 3;
/// The places where rows begin, and where the last one ends: one is empty, and the last one is as long as it can be.
const STARTS: [u32; 5] = [1, 3, 3, 6, (1 << 31) - 1];

/// A number of an invocation.
#[derive(Clone)]
enum Expr {
    Const(u32),
    Global(usize),
    Local(usize),
    Group(usize),
    Groups,
    /// The by-value parameter.
    Param,
    /// The counter of the loop around.
    Counter,
    /// An element of the buffer whose elements differ.
    Element(Box<Expr>),
    Len,
    /// An element of the buffer of offsets.
    Start(Box<Expr>),
    /// The bits in reverse order.
    Reversed(Box<Expr>),
    Op(&'static str, Box<Expr>, Box<Expr>),
}

/// The place of an invocation, and its launch.
#[derive(Clone, Copy)]
struct At {
    global: [u32; 2],
    groups: u32,
    param: u32,
    counter: u32,
}

fn op(name: &'static str, a: Expr, b: Expr) -> Expr {
    Expr::Op(name, Box::new(a), Box::new(b))
}

fn times(factor: u32, of: Expr) -> Expr {
    op("mul", Expr::Const(factor), of)
}

fn plus(a: Expr, b: Expr) -> Expr {
    op("add", a, b)
}

impl Expr {
    fn value(&self, at: At) -> u32 {
        match self {
            Self::Const(number) => *number,
            Self::Global(axis) => at.global[*axis],
            Self::Local(axis) => at.global[*axis] % WIDTHS[*axis],
            Self::Group(axis) => at.global[*axis] / WIDTHS[*axis],
            Self::Groups => at.groups,
            Self::Param => at.param,
            Self::Counter => at.counter,
            // 5, 2 and 4, and zero beyond them.
            Self::Element(index) => [5, 2, 4].get(index.value(at) as usize).copied().unwrap_or(0),
            Self::Len => LEN,
            Self::Start(index) => STARTS.get(index.value(at) as usize).copied().unwrap_or(0),
            Self::Reversed(of) => of.value(at).reverse_bits(),
            Self::Op(name, a, b) => {
                let (a, b) = (a.value(at), b.value(at));
                match *name {
                    "add" => a.wrapping_add(b),
                    "sub" => a.wrapping_sub(b),
                    "mul" => a.wrapping_mul(b),
                    "xor" => a ^ b,
                    "shl" => a << b,
                    "shr" => a >> b,
                    "div" => a.checked_div(b).unwrap_or(0),
                    _ => a.checked_rem(b).unwrap_or(a),
                }
            }
        }
    }

    /// Writes the instructions, and gives the number of the result.
    fn write(&self, text: &mut Text) -> usize {
        match self {
            Self::Const(number) => text.value(&format!("u32 = const {number}")),
            Self::Global(axis) => text.builtin("global_id", *axis),
            Self::Local(axis) => text.builtin("local_id", *axis),
            Self::Group(axis) => text.builtin("workgroup_id", *axis),
            Self::Groups => text.builtin("num_workgroups", 0),
            Self::Param => text.value("u32 = param0"),
            Self::Counter => text.counter.expect("a loop"),
            Self::Element(index) => {
                let index = index.write(text);
                text.value(&format!("u32 = load buffer0[%{index} !site0]"))
            }
            Self::Len => text.value("u32 = len buffer0"),
            Self::Start(index) => {
                let index = index.write(text);
                text.value(&format!("u32 = load buffer3[%{index} !site0]"))
            }
            Self::Reversed(of) => {
                let of = of.write(text);
                text.value(&format!("u32 = reverse_bits %{of}"))
            }
            Self::Op(name, a, b) => {
                let (a, b) = (a.write(text), b.write(text));
                text.value(&format!("u32 = {name} %{a}, %{b}"))
            }
        }
    }
}

/// Instructions as text.
#[derive(Default)]
struct Text {
    lines: String,
    values: usize,
    counter: Option<usize>,
}

impl Text {
    fn value(&mut self, of: &str) -> usize {
        let number = self.values;
        self.values += 1;
        writeln!(self.lines, "    %{number}: {of}").expect("memory");
        number
    }

    fn builtin(&mut self, name: &str, axis: usize) -> usize {
        let whole = self.value(&format!("vec3<u32> = {name}"));
        self.value(&format!("u32 = extract %{whole}.{axis}"))
    }
}

/// A comparison of two numbers.
type Guard = (&'static str, Expr, Expr);

/// An access behind conditions.
#[derive(Clone)]
struct Access {
    guards: Vec<Guard>,
    index: Expr,
    is_write: bool,
}

fn write(index: Expr) -> Access {
    Access { guards: Vec::new(), index, is_write: true }
}

fn behind(guards: Vec<Guard>, index: Expr) -> Access {
    Access { guards, ..write(index) }
}

fn read(index: Expr) -> Access {
    Access { is_write: false, ..write(index) }
}

/// A kernel: accesses, which a loop may go around, from a number up to another one, in steps.
#[derive(Clone)]
struct Kernel {
    accesses: Vec<Access>,
    around: Option<[Expr; 3]>,
}

impl Kernel {
    fn text(&self) -> String {
        let mut text = Text::default();
        let mut step = None;
        if let Some([first, end, by]) = &self.around {
            let (first, end, by) = (first.write(&mut text), end.write(&mut text), by.write(&mut text));
            let counter = text.values;
            text.values += 1;
            text.counter = Some(counter);
            writeln!(text.lines, "    loop block50(%{counter}: u32 = %{first}) {{").expect("memory");
            let is_left = text.value(&format!("bool = lt %{counter}, %{end}"));
            writeln!(text.lines, "    if %{is_left} {{\n    yield\n    }} else {{\n    break block50()\n    }}")
                .expect("memory");
            step = Some((counter, by));
        }
        for Access { guards, index, is_write } in &self.accesses {
            for (name, a, b) in guards {
                let (a, b) = (a.write(&mut text), b.write(&mut text));
                let holds = text.value(&format!("bool = {name} %{a}, %{b}"));
                writeln!(text.lines, "    if %{holds} {{").expect("memory");
            }
            let index = index.write(&mut text);
            if *is_write {
                let one = text.value("u32 = const 1");
                writeln!(text.lines, "    store buffer1[%{index} !site0] = %{one}").expect("memory");
            } else {
                let value = text.value(&format!("u32 = load buffer1[%{index} !site0]"));
                writeln!(text.lines, "    store buffer2[%{value} !site0] = %{value}").expect("memory");
            }
            text.lines.push_str(&"    yield\n    } else {\n    yield\n    }\n".repeat(guards.len()));
        }
        if let Some((counter, by)) = step {
            let next = text.value(&format!("u32 = add %{counter}, %{by}"));
            writeln!(text.lines, "    continue block50(%{next})\n    }}").expect("memory");
        }
        let [x, y] = WIDTHS;
        format!(
            "file0 \"k.rs\"\nsite0 index_out_of_bounds @file0:1:1 \"y[i]\"\nkernel fn0 workgroup({x}, {y}, 1) {{\n    \
             buffer0 ix: [u32] distinct\n    buffer1 y: [u32] mut\n    buffer2 z: [u32] mut\n    buffer3 starts: [u32] offsets\n    param0 n: u32\n}}\nfn0 k() -> () {{\n{}    \
             return\n}}\n",
            text.lines
        )
    }

    /// The cells that an invocation accesses in `y`, and whether it writes.
    fn cells(&self, at: At) -> Vec<(u32, bool)> {
        let mut cells = Vec::new();
        let mut all = |at: At| {
            for access in &self.accesses {
                let holds = |(name, a, b): &Guard| {
                    let (a, b) = (a.value(at), b.value(at));
                    match *name {
                        "lt" => a < b,
                        "le" => a <= b,
                        "ge" => a >= b,
                        _ => a == b,
                    }
                };
                if access.guards.iter().all(holds) {
                    cells.push((access.index.value(at), access.is_write));
                }
            }
        };
        match &self.around {
            None => all(at),
            Some([first, end, by]) => {
                let (mut counter, end, by) = (first.value(at), end.value(at), by.value(at));
                // A loop that begins anew goes on for ever, and so do its accesses.
                for _ in 0..64 {
                    if counter >= end {
                        break;
                    }
                    all(At { counter, ..at });
                    counter = counter.wrapping_add(by);
                }
            }
        }
        cells
    }

    /// Whether two invocations of a launch race.
    fn races(&self, items: [u32; 2], param: u32) -> bool {
        let mut seen: std::collections::HashMap<u32, ([u32; 2], bool)> = std::collections::HashMap::new();
        for y in 0..items[1] {
            for x in 0..items[0] {
                let at = At { global: [x, y], groups: items[0].div_ceil(WIDTHS[0]), param, counter: 0 };
                for (cell, is_write) in self.cells(at) {
                    let (first, was_written) = *seen.entry(cell).or_insert(([x, y], is_write));
                    if first != [x, y] && (was_written || is_write) {
                        return true;
                    }
                    if is_write && !was_written {
                        // Somebody else who read before was seen above, or is this one.
                        seen.insert(cell, ([x, y], true));
                    }
                }
            }
        }
        false
    }
}

fn number(bound: &Bound, items: [u32; 2], param: u32) -> u128 {
    let size = |axis: u8| items.get(usize::from(axis)).copied().unwrap_or(1);
    let width = |axis: u8| WIDTHS.get(usize::from(axis)).copied().unwrap_or(1);
    match bound {
        Bound::Const(number) => (*number).into(),
        Bound::Items(axis) => size(*axis).into(),
        Bound::Groups(axis) => size(*axis).div_ceil(width(*axis)).into(),
        Bound::Len(buffer) => match buffer.index() {
            0 => LEN.into(),
            3 => STARTS.len() as u128,
            _ => u32::MAX.into(),
        },
        Bound::Param(..) => param.into(),
        Bound::Extent(..) | Bound::Least(_) | Bound::LeastExtent(..) | Bound::Constant(_) => {
            unreachable!("there are no images, lists and const parameters")
        }
        Bound::Binary(op, operands) => {
            let [a, b] = [&operands[0], &operands[1]].map(|bound| number(bound, items, param));
            BoundOp::apply(*op, a, b)
        }
    }
}

fn meets(analysis: &Analysis, items: [u32; 2], param: u32) -> bool {
    analysis.conditions.iter().all(|condition| {
        let obligation = &condition.obligation;
        number(&obligation.index, items, param) < number(&obligation.length, items, param)
    })
}

/// The verdicts on kernels: how many launches are accepted, how many of them race, and the rules that were used.
#[derive(Debug, Default, PartialEq, Eq)]
struct Verdicts {
    accepted: usize,
    racing: Vec<String>,
    rules: std::collections::BTreeSet<Rule>,
}

fn judge(kernels: &[(String, Kernel)]) -> Verdicts {
    let mut verdicts = Verdicts::default();
    for (text, kernel) in kernels {
        let mut module = crate::parse::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        passes::expose(&mut module).expect("a small module");
        let (analysis, proven) = explain(&module);
        let of_y = |name: &str| name == "y";
        if analysis.races.iter().any(|race| of_y(&race.name)) {
            continue;
        }
        verdicts.rules.extend(proven.iter().filter(|proven| of_y(&proven.name)).map(|proven| proven.rule));
        for y in 1..=3 {
            for x in [1, 2, 3, 4, 5, 7] {
                for param in [0, 1, 2, 3, 4, 5, 6] {
                    if !meets(&analysis, [x, y], param) {
                        continue;
                    }
                    verdicts.accepted += 1;
                    if kernel.races([x, y], param) {
                        verdicts.racing.push(format!("{x} x {y}, n = {param}\n{text}\n{:?}", analysis.conditions));
                    }
                }
            }
        }
    }
    verdicts
}

/// All indices that are a sum of two digits with small coefficients, and some that wrap around.
fn sums(a: &Expr, b: &Expr) -> Vec<Expr> {
    let factors = [0, 1, 2, 3, 5, 1 << 30, 1 << 31, u32::MAX];
    let mut sums = Vec::new();
    for first in factors {
        for second in factors {
            sums.push(plus(times(first, a.clone()), times(second, b.clone())));
        }
    }
    sums
}

fn kernels() -> Vec<(String, Kernel)> {
    let (x, y) = (Expr::Global(0), Expr::Global(1));
    let straight = [writes(&x, &y), pairs(&x, &y), mixtures(&x, &y)].into_iter().flatten();
    let straight = straight.map(|accesses| Kernel { accesses, around: None });
    straight.chain(loops(&x)).chain(rows(&x)).map(|kernel| (kernel.text(), kernel)).collect()
}

/// One access, of one invocation or of all: P1 to P4.
fn writes(x: &Expr, y: &Expr) -> Vec<Vec<Access>> {
    use Expr::{Const, Group, Local, Param};
    let mut all = Vec::new();
    let mut add = |accesses: Vec<Access>| all.push(accesses);
    let sum_of = |a: Expr, b: Expr| plus(a, b);
    // P1, P2 and P3: one digit and two, of the grid and of workgroups.
    for index in sums(x, y) {
        add(vec![write(index.clone())]);
        add(vec![behind(vec![("lt", x.clone(), Const(3))], index.clone())]);
        add(vec![behind(vec![("le", y.clone(), Const(1)), ("lt", x.clone(), Param)], index)]);
    }
    for index in sums(&Group(0), &Local(0)) {
        add(vec![write(plus(index, times(64, y.clone())))]);
    }
    // Rows as long as a parameter says.
    let row = |width: Expr| sum_of(op("mul", y.clone(), width), x.clone());
    add(vec![write(row(Param))]);
    add(vec![behind(vec![("lt", x.clone(), Param)], row(Param))]);
    add(vec![behind(vec![("le", x.clone(), Param)], row(Param))]);
    // P4: one invocation comes there.
    for only in 0..3 {
        let guards = vec![("eq", x.clone(), Const(only)), ("eq", y.clone(), Const(0))];
        add(vec![behind(guards.clone(), Const(1))]);
        add(vec![behind(
            vec![("eq", Local(0), Const(only)), ("eq", Local(1), Const(0))],
            sum_of(Group(0), times(8, Group(1))),
        )]);
        add(vec![behind(guards[..1].to_vec(), y.clone()), write(plus(Const(3), row(Const(7))))]);
    }
    all
}

/// Two accesses, of which one writes: R1 to R5, quotients and remainders.
fn pairs(x: &Expr, y: &Expr) -> Vec<Vec<Access>> {
    use Expr::{Const, Param};
    let mut all = Vec::new();
    let mut add = |accesses: Vec<Access>| all.push(accesses);
    // R1 to R5: what is written, and what another access reads or writes.
    for (factor, offset) in [(1, 0), (1, 1), (2, 0), (2, 1), (2, 3), (3, 1), (3, 2), (4, 2), (1, 5)] {
        for (other, more) in [(1, 0), (2, 0), (2, 1), (3, 2), (3, 3), (4, 1), (1, 7)] {
            let index = |factor, offset| plus(times(factor, x.clone()), Const(offset));
            add(vec![write(index(factor, offset)), read(index(other, more))]);
            let low = behind(vec![("lt", x.clone(), Const(2))], index(factor, offset));
            add(vec![low, Access { guards: vec![("ge", x.clone(), Const(2))], ..read(index(other, more)) }]);
        }
    }
    for by in [2, 3, 4] {
        let (quotient, rest) = (op("div", x.clone(), Const(by)), op("rem", x.clone(), Const(by)));
        for step in [by - 1, by, by + 1] {
            add(vec![write(plus(times(step, quotient.clone()), rest.clone()))]);
            add(vec![write(plus(times(step, rest.clone()), quotient.clone()))]);
        }
    }
    // Numbers that are exchanged in pairs, of which the lower one does it.
    for by in [Const(1), Const(2), Param] {
        let other = op("xor", x.clone(), by);
        for guard in ["lt", "le"] {
            let guards = vec![(guard, x.clone(), other.clone())];
            add(vec![behind(guards.clone(), x.clone()), behind(guards, other.clone())]);
        }
        add(vec![write(x.clone()), read(other)]);
    }
    // Odd factors modulo powers of two, and others.
    for by in [4, 6, 8] {
        for factor in [1, 2, 3, 5, 6, 7, u32::MAX] {
            let index = op("rem", plus(times(factor, x.clone()), Const(3)), Const(by));
            for below in [by / 2, by, by + 1] {
                add(vec![behind(vec![("lt", x.clone(), Const(below)), ("lt", y.clone(), Const(1))], index.clone())]);
            }
            let both = plus(times(factor, x.clone()), times(factor.wrapping_mul(2), y.clone()));
            let guards = vec![("lt", x.clone(), Const(2)), ("lt", y.clone(), Const(by / 2))];
            add(vec![behind(guards, op("rem", both, Const(by)))]);
        }
    }
    // Rows and columns exchanged, as many as fit.
    for below in [8, 9, 11, 12, 13] {
        let exchanged = plus(times(3, op("rem", x.clone(), Const(4))), op("div", x.clone(), Const(4)));
        add(vec![behind(vec![("lt", x.clone(), Const(below)), ("lt", y.clone(), Const(1))], exchanged)]);
    }
    all
}

/// Bits that are mixed or reversed, and elements.
fn mixtures(x: &Expr, y: &Expr) -> Vec<Vec<Access>> {
    use Expr::{Const, Element, Group, Len, Local};
    let mut all = Vec::new();
    let mut add = |accesses: Vec<Access>| all.push(accesses);
    // Bits that are mixed.
    for of in [x.clone(), plus(x.clone(), Const(1)), times(3, x.clone()), times(1 << 30, x.clone())] {
        for bits in [0, 1, 2, 31] {
            for name in ["shr", "shl"] {
                let mixed = op("xor", of.clone(), op(name, of.clone(), Const(bits)));
                add(vec![write(mixed.clone())]);
                add(vec![write(plus(mixed, times(8, y.clone())))]);
            }
            add(vec![write(op("xor", op("shr", of.clone(), Const(bits)), x.clone()))]);
        }
    }
    // Bits in reverse order, of the position in the workgroup.
    for (factor, offset) in [(1, 0), (1, 1), (2, 0), (3, 0)] {
        for bits in [0, 28, 29, 30, 31] {
            let of = plus(times(factor, Local(0)), Const(offset));
            let part = op("shr", Expr::Reversed(Box::new(of)), Const(bits));
            let group = times(64, plus(Group(0), times(64, y.clone())));
            add(vec![write(plus(part.clone(), group))]);
            add(vec![behind(vec![("lt", Group(0), Const(1)), ("lt", y.clone(), Const(1))], part)]);
        }
        add(vec![write(Expr::Reversed(Box::new(plus(times(factor, x.clone()), Const(offset)))))]);
    }
    // Elements that differ, within the buffer and beyond.
    let element = |index: Expr| Element(Box::new(index));
    for (factor, offset) in [(1, 0), (1, 1), (2, 0), (2, 1)] {
        let index = plus(times(factor, x.clone()), Const(offset));
        add(vec![write(element(index.clone()))]);
        for guard in ["lt", "le"] {
            add(vec![behind(vec![(guard, index.clone(), Len)], element(index.clone()))]);
            let rows = plus(times(6, y.clone()), element(index.clone()));
            add(vec![behind(vec![(guard, index.clone(), Len), ("lt", element(index.clone()), Const(6))], rows)]);
        }
        let both = vec![("lt", x.clone(), Const(1)), ("lt", index.clone(), Len)];
        add(vec![behind(both.clone(), element(index.clone())), behind(both, element(plus(index, Const(1))))]);
    }
    all
}

/// P5 and P6.
fn loops(x: &Expr) -> Vec<Kernel> {
    use Expr::{Const, Counter, Groups, Param};
    let mut all = Vec::new();
    let mut add = |around: [Expr; 3], accesses: Vec<Access>| all.push(Kernel { accesses, around: Some(around) });
    // P5: a loop with the stride of the grid, and with others.
    for step in [1, 2, 3] {
        for end in [Const(9), Param] {
            let stride = times(step, Groups);
            add([x.clone(), end.clone(), stride.clone()], vec![write(Counter)]);
            add([x.clone(), end.clone(), stride], vec![write(plus(times(2, Counter), Const(1)))]);
            add([x.clone(), end, Const(step)], vec![write(Counter)]);
        }
    }
    // P6: so many elements each.
    for (part, len) in [(1, 1), (2, 1), (2, 2), (2, 3), (3, 2), (3, 4)] {
        add([Const(0), Const(len), Const(1)], vec![write(plus(times(part, x.clone()), Counter))]);
        let first = times(part, x.clone());
        add([first.clone(), plus(first, Const(len)), Const(1)], vec![write(Counter)]);
    }
    all
}

/// Places in rows between offsets: by loops from one to another one, by distances, and behind conditions.
fn rows(x: &Expr) -> Vec<Kernel> {
    use Expr::{Const, Counter, Group, Local, Param};
    let start = |index: Expr| Expr::Start(Box::new(index));
    let mut all = Vec::new();
    for (factor, of) in [(1, x.clone()), (2, x.clone()), (1, Group(0)), (2, Group(0))] {
        // Offsets end at 2^31 - 1, so that 2^31 may be added to each, and no more.
        let large = |more: u32| plus(times(1 << 30, Local(0)), Const((1 << 30) + more));
        for offset in [0, u32::MAX] {
            let row = plus(times(factor, of.clone()), Const(offset));
            for rows in [1, 2, u32::MAX] {
                let (begin, end) = (start(row.clone()), start(plus(row.clone(), Const(rows))));
                for more in [Const(0), Const(1), Const(u32::MAX), Local(0), Param, large(0), large(1)] {
                    let first = plus(begin.clone(), more.clone());
                    for step in [1, 2] {
                        let around = Some([first.clone(), end.clone(), Const(step)]);
                        all.push(Kernel { accesses: vec![write(Counter)], around });
                    }
                    let before_end = behind(vec![("lt", first.clone(), end.clone())], first.clone());
                    let length = op("sub", end.clone(), begin.clone());
                    let within = behind(vec![("lt", more, length)], first);
                    all.extend([before_end, within].map(|access| Kernel { accesses: vec![access], around: None }));
                }
            }
        }
    }
    all
}

/// Kernels as people write them, of the suite `races`.
fn written() -> Vec<crate::ir::Module> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/races/kernels");
    let kernels =
        |of: &str| std::fs::read_dir(folder.join(of)).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<_> = ["free", "racy", "conditional"].into_iter().flat_map(kernels).collect();
    paths.sort();
    let read = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a kernel");
        let mut module = crate::parse::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        passes::expose(&mut module).expect("a small module");
        module
    };
    paths.into_iter().map(read).collect()
}

fn verdicts_on(modules: &[crate::ir::Module]) -> Vec<Analysis> {
    modules.iter().map(super::analyse).collect()
}

#[test]
fn no_rule_accepts_what_races() {
    let kernels = kernels();
    let verdicts = judge(&kernels);
    println!("{} kernels, {} launches accepted, by {:?}", kernels.len(), verdicts.accepted, verdicts.rules);
    if let Some(first) = verdicts.racing.first() {
        panic!("{} of {} accepted launches race, the first:\n{first}", verdicts.racing.len(), verdicts.accepted);
    }
    let used = [
        Rule::Own,
        Rule::Digits,
        Rule::Single,
        Rule::Stride,
        Rule::Part,
        Rule::Distinct,
        Rule::Offsets,
        Rule::Ranges,
        Rule::Remainders,
        Rule::Guards,
    ];
    for rule in used {
        assert!(verdicts.rules.contains(&rule), "nothing tries {rule:?}");
    }
    // Each bound and condition of the rules matters: one more and one less is another verdict, here or on kernels as people write them.
    let written = written();
    let of_written = verdicts_on(&written);
    let bounds = [
        Mutant::Factor,
        Mutant::Word,
        Mutant::Limit,
        Mutant::Guard,
        Mutant::Single,
        Mutant::Within,
        Mutant::Odd,
        Mutant::Mixed,
        Mutant::Reversed,
        Mutant::Claims,
        Mutant::Rows,
        Mutant::Offset,
        Mutant::Differs,
        Mutant::Triangle,
        Mutant::Crossing,
        Mutant::Circle,
        Mutant::Drawn,
        Mutant::First,
        Mutant::Elected,
        Mutant::Exchanged,
        Mutant::Chosen,
        Mutant::Barrier,
        Mutant::Cell,
    ];
    let (mut noticed, mut count) = (0, 0);
    let mut unnoticed = Vec::new();
    for mutant in bounds {
        for by in [-1, 1] {
            SHIFTED.set(Some((mutant, by)));
            let (shifted, of_these) = (judge(&kernels), verdicts_on(&written));
            SHIFTED.set(None);
            let others = of_these.iter().zip(&of_written).filter(|(a, b)| a != b).count();
            println!(
                "{mutant:?} {by:+}: {} accepted, {} race; {others} kernels as written have another verdict",
                shifted.accepted,
                shifted.racing.len()
            );
            count += 1;
            match shifted != verdicts || others > 0 {
                true => noticed += 1,
                false => unnoticed.push((mutant, by)),
            }
        }
    }
    println!("{noticed} of {count} mutants are noticed");
    assert!(unnoticed.is_empty(), "nobody notices {unnoticed:?}");
}
