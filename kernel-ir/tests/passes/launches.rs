//! Verdicts on launches before they run: where obligations hold, nothing that they speak of traps; where one is broken for certain, the
//! launch traps.

use gridwise_ir::compile::{CompileOptions, compile};
use gridwise_ir::descriptor::{LaunchNumbers, Obligations, SiteKind, Verdict};
use gridwise_ir::interpret::{FindingKind, Inputs, Options, Value, World, run};
use gridwise_ir::ir::{Constant, Module};
use gridwise_ir::parse::parse;

use crate::generate::{Random, kernel};
use crate::random::world;

/// A launch of whole workgroups.
struct Launch<'a> {
    groups: [u32; 3],
    workgroup: [u32; 3],
    world: &'a World,
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
    fn len(&self, param: u16) -> u64 {
        self.world.buffers[usize::from(param)].len() as u64
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
    let compiled = compile(module.clone(), &CompileOptions::default()).expect("it compiles");
    let offsets = compiled.params.iter().filter_map(|param| match param.kind {
        gridwise_ir::descriptor::ParamKind::Value { offset, .. } => Some(offset),
        _ => None,
    });
    let workgroup = compiled.workgroup.map(|size| match size {
        gridwise_ir::descriptor::Size::Known(size) => size,
        gridwise_ir::descriptor::Size::Param(_) => unreachable!("the kernels have no const parameters"),
    });
    let launch = Launch { groups, workgroup, world, offsets: offsets.collect() };
    let program = Obligations(compiled.obligations.clone().leak());
    let verdict = program.verdict(&launch);
    let (params, buffers, lists) = (world.params.clone(), world.buffers.clone(), world.lists.clone());
    let inputs = Inputs { groups, items: None, params, buffers, lists, ..Inputs::default() };
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
            assert!(traps.all(|(site, _)| site.kind != SiteKind::IndexOutOfBounds), "{module}");
        }
        Verdict::Hold | Verdict::Open => {}
    }
    Some(verdict)
}

#[test]
fn verdicts_are_what_random_launches_do() {
    let cases = std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300);
    let first = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let mut broken = 0;
    for seed in first..first + cases {
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
    assert_eq!(told(twice, grid, [0, 8], 1 << 31), Some(Verdict::Open));
    // Only some come there, or the last one has no greater index than others.
    let some = "    %5: bool = lt %1, %4\n    if %5 {\n        %6: u32 = load buffer0[%1 !site0]\n        store buffer1[%1 !site0] = %6\n        \
                yield\n    } else {\n        yield\n    }";
    assert_eq!(told(some, grid, [2, 8], 0), Some(Verdict::Open));
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
