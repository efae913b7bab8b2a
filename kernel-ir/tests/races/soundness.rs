//! Accepted kernels do not race: random ones run in the interpreter, on launches that meet their conditions.

use gridwise_ir::interpret::{FindingKind, Inputs, Options, Value, run};
use gridwise_ir::ir::{Bound, BoundOp, Module};
use gridwise_ir::races::Analysis;

use crate::analysed;
use crate::cases::kernel;
use crate::programs::{Random, program};

/// Elements of each buffer.
const LEN: u32 = 96;
/// Elements of the buffer whose elements differ: fewer than invocations.
const DIFFERENT: u32 = 20;
/// Programs that are tried; `GRIDWISE_RACES` says how many more.
const PROGRAMS: u64 = 3000;

/// A launch.
struct Launch {
    groups: [u32; 3],
    items: [u32; 3],
    params: [u32; 2],
}

impl Launch {
    fn number(&self, bound: &Bound) -> u128 {
        match bound {
            Bound::Const(number) => (*number).into(),
            Bound::Items(axis) => self.items[usize::from(*axis)].into(),
            Bound::Groups(axis) => self.groups[usize::from(*axis)].into(),
            Bound::Len(buffer) if gridwise_ir::arena::EntityId::index(*buffer) == 3 => DIFFERENT.into(),
            Bound::Len(_) => LEN.into(),
            Bound::Param(param, _) => self.params[gridwise_ir::arena::EntityId::index(*param)].into(),
            Bound::Extent(..) | Bound::Least(_) | Bound::LeastExtent(..) | Bound::Constant(_) => {
                unreachable!("there are no images, lists and const parameters")
            }
            Bound::Binary(op, operands) => {
                let [a, b] = [&operands[0], &operands[1]].map(|bound| self.number(bound));
                BoundOp::apply(*op, a, b)
            }
        }
    }

    fn meets(&self, analysis: &Analysis) -> bool {
        let holds = |at: usize| {
            let obligation = &analysis.conditions[at].obligation;
            self.number(&obligation.index) < self.number(&obligation.length)
        };
        (0..analysis.conditions.len()).all(holds)
    }

    fn random(random: &mut Random, module: &Module) -> Self {
        let widths = module.kernel.as_ref().expect("a kernel").workgroup.map(|width| width.known().expect("a number"));
        let mut items = [1; 3];
        let axes = 1 + random.below(3) as usize;
        for (axis, items) in items.iter_mut().enumerate().take(axes) {
            *items = 1 + random.below([24, 6, 3][axis]);
        }
        // Kernels with shared memory run whole workgroups.
        let is_full = gridwise_ir::parallel::needs_full_workgroups(module);
        let groups = [0, 1, 2].map(|axis| items[axis].div_ceil(widths[axis]));
        if is_full {
            items = [0, 1, 2].map(|axis| groups[axis] * widths[axis]);
        }
        let params = [0; 2].map(|_| random.pick(&[1, 2, 3, 4, 6, 8, 12, 16, 24, 40, 0x4000_0000, 0xffff_ffff]));
        Self { groups, items, params }
    }

    /// The races that the interpreter finds.
    fn races(&self, module: &Module, (seed, subgroup_size): (u64, u32)) -> Vec<String> {
        let buffer = |at: u32| (0..LEN).map(|i| Value::u32(i.wrapping_mul(7 * at + 1) % 40)).collect();
        // Odd factors permute numbers.
        let count = module.kernel.as_ref().map_or(0, |kernel| kernel.buffers.len()).saturating_sub(3);
        let distinct = vec![(0..DIFFERENT).map(|i| Value::u32(i * 61 % 128)).collect(); count];
        let inputs = Inputs {
            groups: self.groups,
            items: Some(self.items),
            params: self.params.map(Value::u32).to_vec(),
            buffers: (0..2).map(buffer).chain([vec![Value::u32(0); LEN as usize]]).chain(distinct).collect(),
            ..Inputs::default()
        };
        let options = Options { seed, subgroup_size, fuel: 20_000, ..Options::default() };
        let outcome = run(module, &inputs, &options);
        let races = outcome.findings.iter().filter(|finding| matches!(finding.kind, FindingKind::Race(_)));
        races.map(|finding| finding.describe(module).to_string()).collect()
    }
}

#[test]
fn accepted_kernels_do_not_race() {
    let count = std::env::var("GRIDWISE_RACES").ok().and_then(|count| count.parse().ok()).unwrap_or(PROGRAMS);
    let first: u64 = std::env::var("GRIDWISE_RACES_FROM").ok().and_then(|from| from.parse().ok()).unwrap_or(0);
    let (mut accepted, mut launches, mut racing) = (0, 0, 0);
    for seed in first..first + count {
        let mut random = Random::new(seed);
        let program = program(&mut random);
        let module =
            gridwise_ir::parse::parse(&program.text).unwrap_or_else(|error| panic!("{error}\n{}", program.text));
        assert_eq!(
            module.kernel.as_ref().map(|kernel| kernel.workgroup.map(|width| width.known())),
            Some(program.workgroup.map(Some))
        );
        gridwise_ir::verify::verify(&module).unwrap_or_else(|errors| panic!("{errors}\n{}", program.text));
        let analysis = analysed(&module);
        let is_accepted = analysis.races.is_empty();
        accepted += u64::from(is_accepted);
        for _ in 0..if is_accepted { 12 } else { 1 } {
            let launch = Launch::random(&mut random, &module);
            if is_accepted && !launch.meets(&analysis) {
                continue;
            }
            let order = (u64::from(random.below(8)), random.pick(&[1, 2, 4, 8]));
            let races = launch.races(&module, order);
            if !is_accepted {
                racing += u64::from(!races.is_empty());
                continue;
            }
            launches += 1;
            assert!(
                races.is_empty(),
                "seed {seed}, items {:?}, groups {:?}, params {:?}: {races:#?}\n{}\n{:?}",
                launch.items,
                launch.groups,
                launch.params,
                program.text,
                analysis.conditions
            );
        }
    }
    println!("{count} kernels, {accepted} accepted, which ran {launches} times; {racing} of the others raced at once");
    assert!(accepted * 10 > count && racing > 0, "the programs say little");
}

/// Of each kind of condition: the smallest launch that breaks it races, and one that meets it does not.
#[test]
fn conditions_are_what_launches_need() {
    let store = |index: &str| format!("{index}\n    store buffer1[%10 !site0] = %one ");
    type Numbers = ([u32; 3], [u32; 2]);
    let cases: [(&str, Numbers, Numbers); 6] = [
        // One invocation along an axis that the index leaves out.
        ("    %10: u32 = add %x, %one", ([2, 2, 1], [0, 0]), ([2, 1, 1], [0, 0])),
        // One invocation in all.
        ("    %10: u32 = const 7", ([2, 1, 1], [0, 0]), ([1, 1, 1], [0, 0])),
        // One workgroup.
        ("    %10: u32 = add %l, %one", ([65, 1, 1], [0, 0]), ([64, 1, 1], [0, 0])),
        // A row is as long as the grid is wide.
        ("    %11: u32 = mul %y, %w\n    %10: u32 = add %11, %x", ([2, 2, 1], [0, 1]), ([2, 2, 1], [0, 2])),
        // Elements are apart.
        ("    %10: u32 = mul %x, %n", ([2, 1, 1], [0, 0]), ([2, 1, 1], [1, 0])),
        // No index wraps around.
        ("    %11: u32 = const 1073741824\n    %10: u32 = mul %x, %11", ([5, 1, 1], [0, 0]), ([4, 1, 1], [0, 0])),
    ];
    for (index, breaks, keeps) in cases {
        let module = kernel(&store(index));
        let analysis = analysed(&module);
        assert!(analysis.races.is_empty(), "{index}: {:#?}", analysis.races);
        for ((items, params), is_kept) in [(breaks, false), (keeps, true)] {
            let groups = [items[0].div_ceil(64), items[1], items[2]];
            let launch = Launch { groups, items, params };
            assert_eq!(launch.meets(&analysis), is_kept, "{index} {items:?} {params:?}: {:#?}", analysis.conditions);
            assert_eq!(launch.races(&module, (0, 4)).is_empty(), is_kept, "{index} {items:?} {params:?}");
        }
    }
}
