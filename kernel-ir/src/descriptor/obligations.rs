//! Obligations: the checks of the host before a launch, as a program of bytes that the compiler writes and the runtime
//! runs.

use std::cell::Cell;
use std::ops::ControlFlow;

use super::program::{self, BoundOp, LaunchNumbers, Step, VALUE};

/// Conditions on grid, lengths and parameters; where all of them hold, no index that they speak of is out of range.
///
/// A program for a stack of whole numbers, without end and never below zero. Each step is a character, with its operands behind it; all are
/// printable, as rustc reads each byte of a literal one by one and writes others with four:
///
/// | character | operands | does |
/// | --- | --- | --- |
/// | `n` | a number | pushes the number |
/// | `i` | an axis | pushes the invocations of the grid along an axis |
/// | `g` | an axis | pushes the workgroups of the grid along an axis |
/// | `l` | a position | pushes the number of elements of the buffer at this position of the parameters |
/// | `e` | a position, an axis | pushes the number of texels along an axis of the image at this position of the parameters |
/// | `L` | a position | pushes the number of elements of the shortest buffer in the list at this position of the parameters |
/// | `E` | a position, an axis | pushes the fewest texels along an axis that an image in the list at this position of the parameters has |
/// | `v` | an offset, a size | pushes the unsigned integer at an offset of the push constants, with so many bytes |
/// | `c` | a position | pushes the value of the const parameter with this position |
/// | `+ - * / m M` | | add, subtract, multiply, divide, smaller, larger of the two numbers on top |
/// | `p` | groups, a bit each | nothing: tells which groups of checks need the conditions behind it, up to the next of its kind; at first none |
/// | `!` | | the condition: the second number from the top is below the top |
/// | `a` | a number | the same of an index and the length of the buffer that was pushed last, where all invocations come to the access at the kernel's site with this number, and the last one computes the index modulo 2^32 |
///
/// An operand is written in digits to the base of 16, the highest first: `0` to `?` for the last of them, `@` to `O` for those before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Obligations(pub &'static [u8]);

impl Obligations {
    /// No conditions.
    pub const NONE: Self = Self(&[]);

    /// Whether there are no conditions.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a condition asks for a value of the push constants.
    pub fn asks_for_values(&self) -> bool {
        // Operands are written in other characters.
        self.0.contains(&VALUE)
    }

    /// Whether all conditions hold for a launch. A program that is not one holds for none.
    pub fn hold(&self, launch: &impl LaunchNumbers) -> bool {
        self.verdict(launch) == Verdict::Hold
    }

    /// The verdict of the conditions on a launch.
    /// Conditions that speak of a value which is not settled are open.
    pub fn verdict(&self, launch: &impl LaunchNumbers) -> Verdict {
        let of_settled = || {
            let launch = Unsettled { launch, has_grid: true, is_asked_for: Cell::new(false) };
            self.run_in(&launch, || launch.is_asked_for.take())
        };
        let found = self.run(launch).or_else(|| if self.asks_for_values() { of_settled() } else { None });
        found.unwrap_or(Verdict::Open { unproven: u32::MAX })
    }

    /// The verdict on a launch over a grid that only the device knows, and which may be empty: conditions that speak of it are open, and
    /// none is broken.
    pub fn verdict_of_any_grid(&self, launch: &impl LaunchNumbers) -> Verdict {
        let launch = Unsettled { launch, has_grid: false, is_asked_for: Cell::new(false) };
        match self.run_in(&launch, || launch.is_asked_for.take()) {
            Some(verdict @ (Verdict::Hold | Verdict::Open { .. })) => verdict,
            Some(Verdict::Broken(_)) | None => Verdict::Open { unproven: u32::MAX },
        }
    }

    /// `None` for a program that is not one, or asks for a value that is not settled.
    fn run(&self, launch: &impl LaunchNumbers) -> Option<Verdict> {
        self.run_in(launch, || false)
    }

    /// The same; `is_open` tells of each condition, once it is computed, whether it is open whatever came out.
    fn run_in(&self, launch: &impl LaunchNumbers, is_open: impl Fn() -> bool) -> Option<Verdict> {
        // Nearly all programs get by with small numbers, which cost a fraction.
        let mut is_large = false;
        let small = self.run_with(launch, &is_open, |op, a: u64, b| {
            let result = op.apply_small(a, b);
            is_large |= result.is_none();
            result
        });
        if is_large { self.run_with(launch, &is_open, |op, a: u128, b| Some(op.apply(a, b))) } else { small }
    }

    /// The same with numbers of some size.
    #[inline]
    fn run_with<N: Copy + Default + Ord + From<u64> + TryInto<u32>>(
        &self,
        launch: &impl LaunchNumbers,
        is_open: &impl Fn() -> bool,
        apply: impl FnMut(BoundOp, N, N) -> Option<N>,
    ) -> Option<Verdict> {
        let (mut verdict, mut groups, mut unproven) = (Verdict::Hold, 0, 0);
        program::run(self.0, launch, apply, |comparison, index: N, len: N, buffer| {
            // Of another kind of program.
            if matches!(comparison, Step::LessAt { .. }) {
                return None;
            }
            if let Step::Serves(served) = comparison {
                groups = served;
                return Some(ControlFlow::Continue(()));
            }
            let is_open = is_open();
            if index < len && !is_open {
                return Some(ControlFlow::Continue(()));
            }
            unproven |= groups;
            verdict = Verdict::Open { unproven };
            if is_open {
                return Some(ControlFlow::Continue(()));
            }
            // A length that is no larger than such an index is as small.
            let (small_index, small_len): (Result<u32, _>, Result<u32, _>) = (index.try_into(), len.try_into());
            if let (Step::LessInAll(site), Ok(index), Ok(len)) = (comparison, small_index, small_len) {
                verdict = Verdict::Broken(Broken { site, param: buffer, index, len });
                return Some(ControlFlow::Break(()));
            }
            Some(ControlFlow::Continue(()))
        })?;
        Some(verdict)
    }
}

/// A launch of which some numbers are not known: values, and perhaps the grid.
struct Unsettled<'l, L> {
    launch: &'l L,
    has_grid: bool,
    /// Whether the condition that is computed asks for what is not known.
    is_asked_for: Cell<bool>,
}

impl<L: LaunchNumbers> Unsettled<'_, L> {
    fn unknown(&self) -> u64 {
        self.is_asked_for.set(true);
        0
    }
}

impl<L: LaunchNumbers> LaunchNumbers for Unsettled<'_, L> {
    fn items(&self, axis: u8) -> u64 {
        if self.has_grid { self.launch.items(axis) } else { self.unknown() }
    }

    fn groups(&self, axis: u8) -> u64 {
        if self.has_grid { self.launch.groups(axis) } else { self.unknown() }
    }

    fn len(&self, param: u16) -> u64 {
        self.launch.len(param)
    }

    fn extent(&self, param: u16, axis: u8) -> u64 {
        self.launch.extent(param, axis)
    }

    fn least(&self, param: u16) -> u64 {
        self.launch.least(param)
    }

    fn least_extent(&self, param: u16, axis: u8) -> u64 {
        self.launch.least_extent(param, axis)
    }

    fn value(&self, offset: u8, size: u8) -> Option<u64> {
        Some(self.launch.value(offset, size).unwrap_or_else(|| self.unknown()))
    }

    fn constant(&self, position: u16) -> u64 {
        self.launch.constant(position)
    }
}

/// The verdict of [`Obligations`] on a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// No index that they speak of is out of range.
    Hold,
    /// Some index may be.
    Open {
        /// The groups of checks that need a condition which does not hold, a bit each.
        unproven: u32,
    },
    /// One is, whatever the launch does.
    Broken(Broken),
}

/// An index that is out of range in the last invocation of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken {
    /// The number of the access among the kernel's sites.
    pub site: u16,
    /// The buffer's position among the parameters.
    pub param: u16,
    /// The index.
    pub index: u32,
    /// Elements of the buffer.
    pub len: u32,
}

#[cfg(test)]
mod tests {
    use super::program::tests::Launch;
    use super::*;

    const LAUNCH: Launch = Launch { value: u32::MAX };

    fn program(steps: &[Step]) -> Obligations {
        let mut bytes = Vec::new();
        steps.iter().for_each(|step| step.write(&mut bytes));
        Obligations(bytes.leak())
    }

    #[test]
    fn conditions_are_compared_exactly() {
        use BoundOp::{Add, Mul, Sub};
        let last = |axis| [Step::Items(axis), Step::Const(1), Step::Binary(Sub)];
        // (items(1) - 1) * 100 + (items(0) - 1) < len: 699 < 700.
        let mut steps = last(1).to_vec();
        steps.extend([Step::Const(100), Step::Binary(Mul)]);
        steps.extend(last(0));
        steps.extend([Step::Binary(Add), Step::Len(1), Step::Less]);
        assert!(program(&steps).hold(&LAUNCH));
        steps[3] = Step::Const(101);
        assert!(!program(&steps).hold(&LAUNCH));
        // Sums that would wrap around in 32 bits do not.
        let steps = [Step::Value { offset: 0, size: 4 }, Step::Const(1), Step::Binary(Add), Step::Len(1), Step::Less];
        assert!(!program(&steps).hold(&LAUNCH));
        // Image 2 has 640 by 480 texels.
        let inside = |index, axis| program(&[Step::Const(index), Step::Extent { param: 2, axis }, Step::Less]);
        assert!(inside(639, 0).hold(&LAUNCH) && inside(479, 1).hold(&LAUNCH));
        assert!(!inside(640, 0).hold(&LAUNCH) && !inside(480, 1).hold(&LAUNCH));
        // The shortest buffer in list 3 has 50 elements, and the smallest images of list 4 have 32 by 16 by 8 texels.
        let in_all = |index, least| program(&[Step::Const(index), least, Step::Less]).hold(&LAUNCH);
        assert!(in_all(49, Step::Least(3)) && !in_all(50, Step::Least(3)));
        let along = |axis| Step::LeastExtent { param: 4, axis };
        assert!(in_all(15, along(1)) && !in_all(16, along(1)) && in_all(31, along(0)));
        assert!(!in_all(0, Step::Least(4)) && !in_all(0, Step::LeastExtent { param: 3, axis: 0 }));
    }

    #[test]
    fn what_breaks_in_all_is_told() {
        // The launch has 100 items, and buffer 1 has 700 elements.
        let condition =
            |index: u32, step| [Step::Items(0), Step::Const(index), Step::Binary(BoundOp::Mul), Step::Len(1), step];
        let verdict = |steps: &[&[Step]]| program(&steps.concat()).verdict(&LAUNCH);
        let broken = Verdict::Broken(Broken { site: 20, param: 1, index: 700, len: 700 });
        let (fits, reaches) = (condition(6, Step::LessInAll(3)), condition(7, Step::LessInAll(20)));
        let (may_reach, wraps) = (condition(7, Step::Less), condition(1 << 26, Step::LessInAll(3)));
        assert_eq!(verdict(&[&fits]), Verdict::Hold);
        assert_eq!(verdict(&[&fits, &reaches]), broken);
        assert_eq!(verdict(&[&may_reach, &reaches]), broken, "also behind what is open");
        assert_eq!(verdict(&[&may_reach]), Verdict::Open { unproven: 0 });
        assert_eq!(verdict(&[&wraps]), Verdict::Open { unproven: 0 }, "2^26 * 100 is more than an index is");
    }

    #[test]
    fn groups_are_proven_by_what_they_need() {
        let condition = |index: u32| [Step::Const(index), Step::Len(1), Step::Less];
        let (holds, fails) = (condition(699), condition(700));
        let unproven = |steps: &[&[Step]]| match program(&steps.concat()).verdict(&LAUNCH) {
            Verdict::Open { unproven } => unproven,
            verdict => panic!("{verdict:?}"),
        };
        let serves = |groups| [Step::Serves(groups)];
        assert_eq!(unproven(&[&serves(0b101), &fails, &serves(0b10), &holds]), 0b101);
        assert_eq!(unproven(&[&serves(0b101), &holds, &fails, &serves(0b10), &fails]), 0b111);
        assert_eq!(unproven(&[&fails, &serves(0b10), &holds]), 0, "no group needs it");
        let no_program = program(&[Step::Const(1), Step::Serves(1)]);
        assert_eq!(no_program.verdict(&LAUNCH), Verdict::Open { unproven: u32::MAX });
    }

    #[test]
    fn a_value_that_is_not_settled_leaves_other_conditions() {
        let value = |size| [Step::Value { offset: 0, size }, Step::Len(1), Step::Less];
        let (holds, fails) =
            ([Step::Const(699), Step::Len(1), Step::Less], [Step::Const(700), Step::Len(1), Step::Less]);
        let steps = [&[Step::Serves(1)][..], &value(2), &[Step::Serves(2)], &holds, &[Step::Serves(4)], &fails];
        assert_eq!(program(&steps.concat()).verdict(&Launch { value: 3 }), Verdict::Open { unproven: 0b101 });
    }

    #[test]
    fn of_any_grid_what_speaks_of_grids_is_open() {
        let verdict = |steps: &[&[Step]]| program(&steps.concat()).verdict_of_any_grid(&LAUNCH);
        let of_grid = [Step::Items(0), Step::Const(0), Step::Binary(BoundOp::Mul), Step::Len(1), Step::Less];
        let of_groups = [Step::Const(1), Step::Groups(2), Step::Less];
        let of_length = |index, step| [Step::Const(index), Step::Len(1), step];
        let serves = |groups| [Step::Serves(groups)];
        let (holds, fails) = (of_length(699, Step::Less), of_length(700, Step::Less));
        assert_eq!(verdict(&[&serves(1), &holds]), Verdict::Hold);
        assert_eq!(verdict(&[&serves(1), &of_grid, &serves(2), &holds]), Verdict::Open { unproven: 1 });
        assert_eq!(verdict(&[&serves(1), &holds, &serves(2), &of_groups, &holds]), Verdict::Open { unproven: 2 });
        assert_eq!(verdict(&[&serves(4), &fails, &serves(2), &holds]), Verdict::Open { unproven: 4 });
        // A grid without workgroups breaks nothing.
        let in_all = of_length(700, Step::LessInAll(3));
        assert_eq!(verdict(&[&serves(1), &in_all]), Verdict::Open { unproven: u32::MAX });
    }

    #[test]
    fn all_operands_survive() {
        let mut steps: Vec<Step> = [0, 1, 15, 16, 255, 256, 0x1234_5678, u32::MAX].map(Step::Const).to_vec();
        steps.extend([Step::Items(2), Step::Groups(1), Step::Len(u16::MAX), Step::Constant(300), Step::Less]);
        steps.extend([Step::LessInAll(0), Step::LessInAll(u16::MAX), Step::Serves(0x8001)]);
        steps.push(Step::Value { offset: 124, size: 8 });
        steps.push(Step::Extent { param: u16::MAX, axis: 2 });
        steps.extend([Step::Least(u16::MAX), Step::LeastExtent { param: u16::MAX, axis: 2 }]);
        steps.extend(BoundOp::ALL.map(Step::Binary));
        let mut rest = program(&steps).0;
        assert!(rest.iter().all(|byte| (b' '..=b'~').contains(byte) && ![b'"', b'\\'].contains(byte)));
        for step in steps {
            let (read, behind) = Step::read(rest).expect("a step");
            assert_eq!(read, step);
            rest = behind;
        }
        assert_eq!(rest, b"");
    }

    #[test]
    fn nonsense_never_holds() {
        assert!(Obligations::NONE.hold(&LAUNCH));
        for text in [" ", "!", "n", "nA", "n ", "n@@@@@@@@@0n1!n0n1", "+", "i0", "v0", "n0", "nA@@@@@@@0n1!"] {
            assert!(!Obligations(text.as_bytes()).hold(&LAUNCH), "{text:?}");
        }
        assert!(!program(&[Step::Const(0); 40]).hold(&LAUNCH));
    }
}
