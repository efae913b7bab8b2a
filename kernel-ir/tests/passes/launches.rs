//! Verdicts on launches before they run: where obligations hold, nothing that they speak of traps; where one is broken for certain, the
//! launch traps.

use gridwise_ir::check_groups::CheckGroups;
use gridwise_ir::compile::{CompileOptions, compile};
use gridwise_ir::descriptor::{LaunchNumbers, Obligations, SiteKind, Verdict};
use gridwise_ir::interpret::{FindingKind, ImageInput, Inputs, Options, Report, Value, World, run};
use gridwise_ir::ir::{Constant, Module};
use gridwise_ir::parse::parse;
use gridwise_ir::passes::{Aims, optimize_with};

use crate::generate::{Random, kernel};
use crate::random::world;
use crate::text::seeds;

/// The verdict where the checks of the only group stay.
const OPEN: Verdict = Verdict::Open { unproven: 1 };

/// A launch of whole workgroups.
struct Launch<'a> {
    groups: [u32; 3],
    workgroup: [u32; 3],
    world: &'a World,
    /// The images among the buffers, by number of the buffer.
    images: &'a [Vec<ImageInput>],
    /// Offsets of the by-value parameters in the push constants.
    offsets: Vec<u32>,
}

impl LaunchNumbers for Launch<'_> {
    fn items(&self, axis: u8) -> u64 {
        u64::from(self.groups[usize::from(axis)]) * u64::from(self.workgroup[usize::from(axis)])
    }
    fn groups(&self, axis: u8) -> u64 {
        self.groups[usize::from(axis)].into()
    }
    /// Elements of a buffer, members of a list.
    fn len(&self, param: u16) -> u64 {
        let param = usize::from(param);
        let members = self.world.lists.get(param).and_then(Option::as_ref);
        members.map_or(self.world.buffers[param].len(), Vec::len) as u64
    }
    fn extent(&self, param: u16, axis: u8) -> u64 {
        self.images[usize::from(param)][0].shape.extent[usize::from(axis)].into()
    }
    fn least(&self, param: u16) -> u64 {
        let members = self.world.lists.get(usize::from(param)).and_then(Option::as_ref).expect("a list");
        members.iter().copied().min().unwrap_or(0).into()
    }
    fn least_extent(&self, param: u16, axis: u8) -> u64 {
        let extents = self.images[usize::from(param)].iter().map(|image| image.shape.extent[usize::from(axis)]);
        extents.min().unwrap_or(0).into()
    }
    fn value(&self, offset: u8, _: u8) -> Option<u64> {
        let at = self.offsets.iter().position(|own| *own == u32::from(offset)).expect("a parameter");
        match &self.world.params[at] {
            Value::Scalar(Constant::U32(value)) => Some((*value).into()),
            Value::Scalar(Constant::I32(value)) => Some(u64::from(*value as u32)),
            other => panic!("{other:?} is no integer"),
        }
    }
    fn constant(&self, _: u16) -> u64 {
        unreachable!("the kernels have no const parameters")
    }
}

/// The verdict on a launch, once it is compared with what the launch does; `None` where that is not known.
fn verdict(module: &Module, world: &World, groups: [u32; 3]) -> Option<Verdict> {
    verdict_with(module, world, &[], groups)
}

/// The same of a launch with images.
pub(crate) fn verdict_with(
    module: &Module,
    world: &World,
    images: &[Vec<ImageInput>],
    groups: [u32; 3],
) -> Option<Verdict> {
    let compiled = compile(module.clone(), &CompileOptions::default()).expect("it compiles");
    let offsets = compiled.params.iter().filter_map(|param| match param.kind {
        gridwise_ir::descriptor::ParamKind::Value { offset, .. } => Some(offset),
        _ => None,
    });
    let workgroup = compiled.workgroup.map(|size| match size {
        gridwise_ir::descriptor::Size::Known(size) => size,
        gridwise_ir::descriptor::Size::Param(_) => unreachable!("the kernels have no const parameters"),
    });
    let launch = Launch { groups, workgroup, world, images, offsets: offsets.collect() };
    let program = Obligations(compiled.obligations.clone().leak());
    let verdict = program.verdict(&launch);
    let (params, buffers, lists) = (world.params.clone(), world.buffers.clone(), world.lists.clone());
    let inputs = Inputs { groups, items: None, params, buffers, lists, images: images.to_vec() };
    let launch_groups = groups;
    let outcome = run(module, &inputs, &Options { finds_races: false, fuel: 4000, ..Options::default() });
    let is_cut = |kind: &FindingKind| matches!(kind, FindingKind::OutOfFuel | FindingKind::Undefined(_));
    if outcome.findings.iter().any(|finding| is_cut(&finding.kind)) {
        return None;
    }
    let mut traps = outcome.traps.iter().map(|trap| (&module.sites[trap.site], &trap.operands));
    match verdict {
        Verdict::Broken(broken) => {
            let text = &compiled.sites[usize::from(broken.site)].text;
            let is_told = traps.any(|(site, operands)| {
                site.kind == SiteKind::Panic || site.text == *text && operands[..] == [broken.index, broken.len]
            });
            assert!(is_told, "no invocation traps as {broken:?} says at {text}\n{module}");
        }
        Verdict::Hold if !compiled.obligations.is_empty() && !compiled.facts.traps_anyway => {
            if let Some((site, operands)) = traps.next() {
                panic!("{groups:?} with {:?}: {} traps with {operands:?}\n{module}", world.params, site.text);
            }
        }
        Verdict::Hold => {}
        // The checks of the other groups are left out.
        Verdict::Open { unproven } => {
            let mut optimized = module.clone();
            let _ = optimize_with(&mut optimized, Aims { leaves: true, ..Aims::default() });
            let groups = CheckGroups::of(&optimized.sites);
            let is_left_out = |trap: &Report| groups.group(trap.site).is_some_and(|group| unproven & 1 << group == 0);
            // Behind a trap an invocation may have left.
            let options = Options { finds_races: false, fuel: 8000, ..Options::default() };
            let outcome = run(&optimized, &inputs, &options);
            let undefined = |kind: &FindingKind| matches!(kind, FindingKind::Undefined(_));
            if let Some(finding) = outcome.findings.iter().find(|finding| undefined(&finding.kind)) {
                panic!("{launch_groups:?} with {:?}: {finding:?}\n{module}\n{optimized}", world.params);
            }
            if let Some(trap) = outcome.traps.iter().find(|trap| is_left_out(trap)) {
                let (text, operands) = (&optimized.sites[trap.site].text, &trap.operands);
                panic!(
                    "{launch_groups:?} with {:?}: {text} traps with {operands:?} without its check\n{module}",
                    world.params
                );
            }
        }
    }
    Some(verdict)
}

#[test]
fn verdicts_are_what_random_launches_do() {
    let seeds = seeds(300);
    let cases = seeds.end - seeds.start;
    let mut broken = 0;
    for seed in seeds {
        let mut random = Random(seed);
        let module = kernel(&mut random);
        let world = world(&mut random);
        for groups in [[1, 1, 1], [2, 1, 1], [1, 3, 1]] {
            broken += usize::from(matches!(verdict(&module, &world, groups), Some(Verdict::Broken(_))));
        }
    }
    assert!(broken >= 5 || cases < 300, "only {broken} launches were refused");
}

/// A kernel whose `lines` are in the middle; `%1` is the global id along x, `%2` along y, `%3` the parameter.
fn told(lines: &str, groups: [u32; 3], lengths: [usize; 2], n: u32) -> Option<Verdict> {
    let text = format!(
        "file0 \"a.rs\"\nsite0 index_out_of_bounds @file0:1:1 \"a\"\nkernel fn0 workgroup(4, 2, 1) {{\n    buffer0 a: [u32]\n    buffer1 b: [u32] \
         mut\n    param0 n: u32\n}}\nfn0 k() -> () {{\n    %0: vec3<u32> = global_id\n    %1: u32 = extract %0.0\n    %2: u32 = extract %0.1\n    \
         %3: u32 = param0\n    %4: u32 = const 3\n{lines}\n    return\n}}\n"
    );
    let module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let numbers = |len| vec![Value::Scalar(Constant::U32(1)); len];
    let mut world = world(&mut Random(1));
    (world.buffers, world.lists) = (lengths.map(numbers).to_vec(), Vec::new());
    world.params = vec![Value::Scalar(Constant::U32(n))];
    verdict(&module, &world, groups)
}

#[test]
fn grids_beyond_buffers_are_known() {
    let is_broken = |verdict: Option<Verdict>| matches!(verdict.expect("it ends"), Verdict::Broken(_));
    let own = "    %5: u32 = load buffer0[%1 !site0]\n    store buffer1[%1 !site0] = %5";
    let rows = "    %5: u32 = mul %2, %3\n    %6: u32 = add %5, %1\n    store buffer1[%6 !site0] = %4";
    // 8 by 2 items.
    let grid = [2, 1, 1];
    assert_eq!(told(own, grid, [8, 8], 0), Some(Verdict::Hold));
    assert!(is_broken(told(own, grid, [7, 8], 0)) && is_broken(told(own, grid, [8, 7], 0)));
    assert_eq!(told(rows, grid, [0, 18], 10), Some(Verdict::Hold));
    assert!(is_broken(told(rows, grid, [0, 17], 10)));
    // What wraps around is not known: the second row begins at zero again.
    assert_eq!(told(rows, grid, [0, 8], 0), Some(Verdict::Hold));
    let twice = "    %5: u32 = add %3, %3\n    %6: u32 = add %5, %1\n    store buffer1[%6 !site0] = %4";
    assert_eq!(told(twice, grid, [0, 8], 1 << 31), Some(OPEN));
    // Only some come there, or the last one has no greater index than others.
    let some = "    %5: bool = lt %1, %4\n    if %5 {\n        %6: u32 = load buffer0[%1 !site0]\n        store buffer1[%1 !site0] = %6\n        \
                yield\n    } else {\n        yield\n    }";
    assert_eq!(told(some, grid, [2, 8], 0), Some(OPEN));
    let back = "    %5: u32 = sub %3, %1\n    store buffer1[%5 !site0] = %4";
    assert!(!is_broken(told(back, grid, [0, 3], 10)));
    let left = "    %5: bool = lt %1, %4\n    if %5 {\n        yield\n    } else {\n        return\n    }\n    store buffer1[%1 !site0] = %4";
    assert_eq!(told(left, grid, [0, 3], 0), Some(Verdict::Hold));
    assert!(!is_broken(told(left, grid, [0, 2], 0)));
    let in_loop = "    loop block1() {\n        store buffer1[%1 !site0] = %4\n        break block1()\n    }";
    assert!(is_broken(told(in_loop, grid, [0, 2], 0)), "of one round, which all run");
    let rounds = "    %6: u32 = const 0\n    loop block1(%7: u32 = %6) {\n        %8: bool = lt %7, %3\n        if %8 {\n            yield\n        \
                  } else {\n            break block1()\n        }\n        store buffer1[%1 !site0] = %4\n        %9: u32 = add %7, %4\n        \
                  continue block1(%9)\n    }";
    assert!(!is_broken(told(rounds, grid, [0, 2], 0)) && !is_broken(told(rounds, grid, [0, 2], 5)));
}

#[test]
fn arms_have_the_greater_bound() {
    // `if x % 3 == 0 { (x + 1) % n } else { (x + n) % n }`, one of which is the other's last element.
    let chosen = |last: &str| {
        format!(
            "    %5: u32 = const 0\n    %6: bool = eq %3, %5\n    if %6 {{\n        return\n    }} else {{\n        yield\n    }}\n    %7: u32 = \
             rem %1, %4\n    %8: bool = eq %7, %5\n    if %8 -> (%9: u32) {{\n        %10: u32 = add %1, %4\n        %11: u32 = rem %10, \
             %3\n        yield %11\n    }} else {{\n        %12: u32 = add %1, %3\n        %13: u32 = rem %12, %3\n        yield {last}\n    \
             }}\n    store buffer1[%9 !site0] = %4"
        )
    };
    assert_eq!(told(&chosen("%13"), [2, 1, 1], [0, 5], 5), Some(Verdict::Hold));
    assert_eq!(told(&chosen("%13"), [2, 1, 1], [0, 4], 5), Some(OPEN));
    assert_eq!(told(&chosen("%12"), [2, 1, 1], [0, 5], 5), Some(OPEN));
    assert_eq!(told(&chosen("%12"), [2, 1, 1], [0, 13], 5), Some(Verdict::Hold));
}

/// Writes slices that are cut and indexed as lowering does it.
struct Cuts<'r> {
    random: &'r mut Random,
    text: String,
    next: u32,
}

impl Cuts<'_> {
    fn line(&mut self, ty: &str, inst: &str) -> String {
        self.next += 1;
        self.text += &format!("%{}: {ty} = {inst}\n", self.next);
        format!("%{}", self.next)
    }

    fn op(&mut self, op: &str, a: &str, b: &str) -> String {
        self.line("u32", &format!("{op} {a}, {b}"))
    }

    fn constant(&mut self) -> String {
        let value = self.random.below(5);
        self.line("u32", &format!("const {value}"))
    }

    /// A position, a length, or what is made of such.
    fn value(&mut self, depth: u32) -> String {
        let leaf = |of: usize| ["%1", "%2", "%3", "%1", "%4"][of].to_owned();
        if depth == 0 || self.random.below(4) == 0 {
            return match self.random.below(7) {
                of @ 0..5 => leaf(of),
                _ => self.constant(),
            };
        }
        let (a, b) = (self.value(depth - 1), self.value(depth - 1));
        match self.random.below(11) {
            0..3 => self.op("add", &a, &b),
            10 => {
                // An arm that its condition bounds.
                let op = ["lt", "le", "gt", "ge", "eq", "ne"][self.random.below(6)];
                let is_so = self.line("bool", &format!("{op} {a}, {b}"));
                let other = self.value(0);
                let arms = if self.random.one_in(2) { [&a, &other] } else { [&other, &a] };
                self.line("u32", &format!("select {is_so}, {}, {}", arms[0], arms[1]))
            }
            3 | 4 => self.op("mul", &a, &b),
            5 => self.op("min", &a, &b),
            6 => self.op("sub", &a, &b),
            7 => {
                // `a.saturating_sub(b)`
                let less = self.line("bool", &format!("lt {a}, {b}"));
                let (zero, rest) = (self.line("u32", "const 0"), self.op("sub", &a, &b));
                // The other way round the difference wraps.
                let arms = if self.random.one_in(4) { [&rest, &zero] } else { [&zero, &rest] };
                self.line("u32", &format!("select {less}, {}, {}", arms[0], arms[1]))
            }
            8 => {
                // `if b == 0 { a } else { b - 1 }`
                let (zero, one) = (self.line("u32", "const 0"), self.line("u32", "const 1"));
                let (is_zero, rest) = (self.line("bool", &format!("eq {b}, {zero}")), self.op("sub", &b, &one));
                self.line("u32", &format!("select {is_zero}, {a}, {rest}"))
            }
            _ => {
                let op = if self.random.below(2) == 0 { "div" } else { "rem" };
                self.divided(op, &a, &b)
            }
        }
    }

    fn divided(&mut self, op: &str, a: &str, b: &str) -> String {
        let (zero, one) = (self.line("u32", "const 0"), self.line("u32", "const 1"));
        let is_zero = self.line("bool", &format!("eq {b}, {zero}"));
        self.text += &format!("if {is_zero} {{\ntrap site1({a})\nyield\n}} else {{\nyield\n}}\n");
        let by = self.line("u32", &format!("select {is_zero}, {one}, {b}"));
        self.op(op, a, &by)
    }

    /// The Euclidean remainder by a signed parameter, `%6`.
    fn around(&mut self) -> String {
        let from = self.value(1);
        let from = self.line("i32", &format!("cast {from}"));
        let by = self.line("i32", "const 1");
        let from = self.line("i32", &format!("sub {from}, {by}"));
        let (zero, side) = (self.line("i32", "const 0"), "%6".to_owned());
        let [least, minus] = ["-2147483648", "-1"].map(|number| self.line("i32", &format!("const {number}")));
        let is_zero = self.line("bool", &format!("eq {side}, {zero}"));
        let (is_least, is_minus) =
            (self.line("bool", &format!("eq {from}, {least}")), self.line("bool", &format!("eq {side}, {minus}")));
        let wraps = self.line("bool", &format!("and {is_least}, {is_minus}"));
        let may_not = self.line("bool", &format!("or {is_zero}, {wraps}"));
        self.text += &format!("if {may_not} {{\npanic site2()\n}} else {{\nyield\n}}\n");
        let divisor = self.line("i32", &format!("select {may_not}, {by}, {side}"));
        let (rest, size) =
            (self.line("i32", &format!("rem {from}, {divisor}")), self.line("i32", &format!("abs {divisor}")));
        let (sum, is_negative) =
            (self.line("i32", &format!("add {rest}, {size}")), self.line("bool", &format!("lt {rest}, {zero}")));
        let found = self.line("i32", &format!("select {is_negative}, {sum}, {rest}"));
        self.line("u32", &format!("cast {found}"))
    }

    fn check(&mut self, op: &str, a: &str, b: &str) {
        let is_bad = self.line("bool", &format!("{op} {a}, {b}"));
        self.text += &format!("if {is_bad} {{\ntrap site0({a}, {b})\nyield\n}} else {{\nyield\n}}\n");
    }

    /// `x[start..end][index]`
    fn cut(&mut self) {
        let start = self.value(2);
        let end = match self.random.below(4) {
            0 => "%5".to_owned(),
            3 => {
                let times = self.value(1);
                self.op("mul", &start, &times)
            }
            1 => {
                let more = self.value(1);
                self.op("add", &start, &more)
            }
            _ => self.value(2),
        };
        self.check("gt", &start, &end);
        self.check("gt", &end, "%5");
        // What is left on the device would hide what is not.
        if self.random.one_in(2) {
            return;
        }
        let (index, len) = (self.value(1), self.op("sub", &end, &start));
        let is_in = self.line("bool", &format!("lt {index}, {len}"));
        let is_out = self.line("bool", &format!("not {is_in}"));
        self.text += &format!("if {is_out} {{\ntrap site0({index}, {len})\nyield\n}} else {{\nyield\n}}\n");
        let (at, nowhere) = (self.op("add", &start, &index), self.line("u32", "const 4294967295"));
        let at = self.line("u32", &format!("select {is_in}, {at}, {nowhere}"));
        self.text += &format!("store buffer0[{at} !site0] = %3\n");
    }

    /// `x.chunks_exact(size).nth(i).unwrap()`
    fn part(&mut self) {
        let (size, index) = (self.value(1), self.value(1));
        let count = self.divided("div", "%5", &size);
        let is_there = self.line("bool", &format!("lt {index}, {count}"));
        self.text += &format!("if {is_there} {{\nyield\n}} else {{\npanic site2()\n}}\n");
        let start = self.op("mul", &index, &size);
        let end = self.op("add", &start, &size);
        self.check("gt", &end, "%5");
        self.text += &format!("store buffer0[{start} !site0] = %3\n");
    }
}

impl Cuts<'_> {
    /// `x[..rows * width][row * width + column]`, with or without planes around.
    fn rows(&mut self) {
        let [rows, width, row, column] = [(); 4].map(|()| self.value(0));
        for (a, b) in [(&row, &rows), (&column, &width)] {
            let op = if self.random.one_in(8) { "le" } else { "lt" };
            let is_in = self.line("bool", &format!("{op} {a}, {b}"));
            self.text += &format!("if {is_in} {{\nyield\n}} else {{\nreturn\n}}\n");
        }
        let other = if self.random.one_in(6) { self.value(0) } else { width.clone() };
        let start = if self.random.one_in(2) { self.op("mul", &other, &row) } else { self.op("mul", &row, &other) };
        let mut at =
            if self.random.one_in(2) { self.op("add", &column, &start) } else { self.op("add", &start, &column) };
        let mut count = self.op("mul", &rows, &width);
        if self.random.one_in(3) {
            // The position counts rows, now.
            let (times, column) = (self.value(0), self.value(0));
            let op = if self.random.one_in(8) { "le" } else { "lt" };
            let is_in = self.line("bool", &format!("{op} {column}, {times}"));
            self.text += &format!("if {is_in} {{\nyield\n}} else {{\nreturn\n}}\n");
            let start = self.op("mul", &at, &times);
            (at, count) = (self.op("add", &start, &column), self.op("mul", &count, &times));
        }
        if self.random.one_in(2) {
            self.check("gt", &count, "%5");
        }
        let (is_in, is_out) =
            (self.line("bool", &format!("lt {at}, {count}")), self.line("bool", &format!("ge {at}, {count}")));
        self.text += &format!("if {is_out} {{\ntrap site0({at}, {count})\nyield\n}} else {{\nyield\n}}\n");
        if self.random.one_in(2) {
            return;
        }
        let nowhere = self.line("u32", "const 4294967295");
        let at = self.line("u32", &format!("select {is_in}, {at}, {nowhere}"));
        self.text += &format!("store buffer0[{at} !site0] = %3\n");
    }
}

/// Checks of slices that the compiler leaves to the launch: where the host finds nothing, nothing traps.
#[test]
fn slices_of_random_launches_hold() {
    let seeds = seeds(1500);
    let cases = seeds.end - seeds.start;
    let mut held = 0;
    for seed in seeds {
        let mut random = Random(seed);
        let mut cuts = Cuts { random: &mut random, text: String::new(), next: 6 };
        for _ in 0..1 + cuts.random.below(2) {
            match cuts.random.below(5) {
                0 | 1 => cuts.cut(),
                2 => cuts.part(),
                3 => cuts.rows(),
                _ => {
                    let at = cuts.around();
                    cuts.text += &format!("store buffer0[{at} !site0] = %3\n");
                }
            }
        }
        let lines = cuts.text;
        let text = format!(
            "file0 \"a.rs\"\nsite0 index_out_of_bounds @file0:1:1 \"a\"\nsite1 divide_by_zero @file0:1:1 \"b\"\nsite2 panic @file0:1:1 \
             \"c\"\nkernel fn0 workgroup(4, 2, 1) {{\nbuffer0 a: [u32] mut\nbuffer1 b: [u32] mut\nparam0 n: u32\nparam1 m: u32\nparam2 side: \
             i32\n}}\nfn0 k() -> () {{\n%0: vec3<u32> = global_id\n%1: u32 = extract %0.0\n%2: u32 = extract %0.1\n%3: u32 = \
             param0\n%4: u32 = param1\n%5: u32 = len buffer0\n%6: i32 = param2\n{lines}\nreturn\n}}\n"
        );
        let module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut world = world(&mut Random(1));
        for _ in 0..6 {
            let large = [1 << 16, 1 << 30, 1 << 31, u32::MAX - 1, u32::MAX];
            let mut number = |most: usize| match random.below(8) {
                0 => large[random.below(5)],
                _ => random.below(most) as u32,
            };
            let params = [number(9), number(9), number(9)];
            world.params = vec![
                Value::Scalar(Constant::U32(params[0])),
                Value::Scalar(Constant::U32(params[1])),
                Value::Scalar(Constant::I32(params[2] as i32)),
            ];
            let len = [0, 1, 7, 16, 40, 200][random.below(6)];
            world.buffers = [len, 8].map(|len| vec![Value::Scalar(Constant::U32(1)); len]).to_vec();
            world.lists = Vec::new();
            let groups = [1 + random.below(2) as u32, 1 + random.below(2) as u32, 1];
            held += usize::from(verdict(&module, &world, groups) == Some(Verdict::Hold));
        }
    }
    assert!(held as u64 > cases / 2, "only {held} launches held");
}
