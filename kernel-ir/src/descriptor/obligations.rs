//! Obligations: the checks of the host before a launch, as a program of bytes that the compiler writes and the runtime
//! runs.

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
/// | `v` | an offset, a size | pushes the unsigned integer at an offset of the push constants, with so many bytes |
/// | `c` | a position | pushes the value of the const parameter with this position |
/// | `+ - * / m M` | | add, subtract, multiply, divide, smaller, larger of the two numbers on top |
/// | `!` | | the condition: the second number from the top is below the top |
/// | `a` | a number | the same of an index and the length of the buffer that was pushed last, where all invocations come to the access at the kernel's site with this number, and the last one computes the index modulo 2^32 |
///
/// An operand is written in digits to the base of 16, the highest first: `0` to `?` for the last of them, `@` to `O` for those before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Obligations(pub &'static [u8]);

/// The numbers of a launch that [`Obligations`] ask for.
pub trait LaunchNumbers {
    /// Invocations along axis 0, 1 or 2.
    fn items(&self, axis: u8) -> u64;
    /// Workgroups along axis 0, 1 or 2.
    fn groups(&self, axis: u8) -> u64;
    /// Elements of the buffer at this position of the parameters.
    fn len(&self, param: u16) -> u64;
    /// An unsigned integer of the push constants; `None` where the launch does not settle it.
    fn value(&self, offset: u8, size: u8) -> Option<u64>;
    /// The value of a const parameter.
    fn constant(&self, position: u16) -> u64;
}

/// Numbers on the stack; the compiler writes no program that needs more.
pub(super) const STACK: usize = 16;

/// The meaning of a byte of a program; its operand follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Const(u32),
    Items(u8),
    Groups(u8),
    Len(u16),
    Value { offset: u8, size: u8 },
    Constant(u16),
    Binary(BoundOp),
    Less,
    LessInAll(u16),
    LessAt { line: u32, column: u32 },
}

/// A number of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// A constant.
    Const(u32),
    /// Invocations along an axis.
    Items(u8),
    /// Workgroups along an axis.
    Groups(u8),
    /// Elements of the buffer at a position of the parameters.
    Len(u16),
    /// An unsigned integer of the push constants.
    Value {
        /// Its offset in bytes.
        offset: u8,
        /// Its bytes.
        size: u8,
    },
    /// The value of a const parameter.
    Constant(u16),
}

impl Number {
    /// Its value in a launch; `None` for one that is not settled.
    pub fn of(self, launch: &impl LaunchNumbers) -> Option<u64> {
        Some(match self {
            Self::Const(number) => number.into(),
            Self::Items(axis) => launch.items(axis),
            Self::Groups(axis) => launch.groups(axis),
            Self::Len(param) => launch.len(param),
            Self::Value { offset, size } => return launch.value(offset, size),
            Self::Constant(position) => launch.constant(position),
        })
    }
}

/// How two numbers become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BoundOp {
    /// The sum.
    Add,
    /// The difference, or zero.
    Sub,
    /// The product.
    Mul,
    /// The quotient; a divisor of zero counts as one.
    Div,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
}

impl BoundOp {
    /// All of them, in their order.
    pub const ALL: [Self; 6] = [Self::Add, Self::Sub, Self::Mul, Self::Div, Self::Min, Self::Max];

    /// The name in the text format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Sub => "sub",
            Self::Mul => "mul",
            Self::Div => "div",
            Self::Min => "min",
            Self::Max => "max",
        }
    }

    /// The operator, where it is one.
    pub(super) const fn symbol(self) -> Option<char> {
        match self {
            Self::Add => Some('+'),
            Self::Sub => Some('-'),
            Self::Mul => Some('*'),
            Self::Div => Some('/'),
            Self::Min | Self::Max => None,
        }
    }

    /// Applies the operation to two small numbers; `None` where the result is a large one.
    #[inline]
    pub(super) fn apply_small(self, a: u64, b: u64) -> Option<u64> {
        match self {
            Self::Add => a.checked_add(b),
            Self::Sub => Some(a.saturating_sub(b)),
            Self::Mul => a.checked_mul(b),
            Self::Div => Some(a / b.max(1)),
            Self::Min => Some(a.min(b)),
            Self::Max => Some(a.max(b)),
        }
    }

    /// Applies the operation to two numbers.
    #[inline]
    pub fn apply(self, a: u128, b: u128) -> u128 {
        match self {
            Self::Add => a.saturating_add(b),
            Self::Sub => a.saturating_sub(b),
            Self::Mul => a.saturating_mul(b),
            Self::Div => a / b.max(1),
            Self::Min => a.min(b),
            Self::Max => a.max(b),
        }
    }
}

/// The characters of [`BoundOp::ALL`].
#[cfg(any(test, feature = "compiler"))]
const BINARY: [u8; 6] = *b"+-*/mM";
/// The character of a value of the push constants.
pub(super) const VALUE: u8 = b'v';
/// The character of a condition.
const LESS: u8 = b'!';
/// The character of a condition on an access that all invocations do.
const LESS_IN_ALL: u8 = b'a';
/// The character of a condition of a launch without races.
const LESS_AT: u8 = b'r';
/// Digit zero where it is an operand's last digit, and where others follow.
const LAST_DIGIT: u8 = b'0';
const DIGIT: u8 = b'@';

impl Step {
    /// Adds the step to a program.
    #[cfg(any(test, feature = "compiler"))]
    pub(crate) fn write(self, program: &mut Vec<u8>) {
        let (code, operands) = match self {
            Self::Const(number) => (b'n', [Some(number), None]),
            Self::Items(axis) => (b'i', [Some(axis.into()), None]),
            Self::Groups(axis) => (b'g', [Some(axis.into()), None]),
            Self::Len(param) => (b'l', [Some(param.into()), None]),
            Self::Value { offset, size } => (VALUE, [Some(offset.into()), Some(size.into())]),
            Self::Constant(position) => (b'c', [Some(position.into()), None]),
            Self::Binary(op) => (BINARY[op as usize], [None; 2]),
            Self::Less => (LESS, [None; 2]),
            Self::LessInAll(site) => (LESS_IN_ALL, [Some(site.into()), None]),
            Self::LessAt { line, column } => (LESS_AT, [Some(line), Some(column)]),
        };
        program.push(code);
        for operand in operands.into_iter().flatten() {
            let first = operand.checked_ilog2().unwrap_or(0) / 4;
            let digit = |place: u32| (operand >> (place * 4)) as u8 & 15;
            program.extend((1..=first).rev().map(|place| DIGIT + digit(place)));
            program.push(LAST_DIGIT + digit(0));
        }
    }

    /// The number that it pushes.
    pub(super) fn number(self) -> Option<Number> {
        Some(match self {
            Self::Const(number) => Number::Const(number),
            Self::Items(axis) => Number::Items(axis),
            Self::Groups(axis) => Number::Groups(axis),
            Self::Len(param) => Number::Len(param),
            Self::Value { offset, size } => Number::Value { offset, size },
            Self::Constant(position) => Number::Constant(position),
            Self::Binary(_) | Self::Less | Self::LessInAll(_) | Self::LessAt { .. } => return None,
        })
    }

    /// The first step of a program, and the rest.
    #[inline]
    pub(super) fn read(program: &[u8]) -> Option<(Self, &[u8])> {
        let (code, mut rest) = program.split_first()?;
        let step = match code {
            b'n' => Self::Const(operand(&mut rest)?),
            b'i' => Self::Items(operand(&mut rest)?.try_into().ok()?),
            b'g' => Self::Groups(operand(&mut rest)?.try_into().ok()?),
            b'l' => Self::Len(operand(&mut rest)?.try_into().ok()?),
            &VALUE => {
                let (offset, size) = (operand(&mut rest)?, operand(&mut rest)?);
                Self::Value { offset: offset.try_into().ok()?, size: size.try_into().ok()? }
            }
            b'c' => Self::Constant(operand(&mut rest)?.try_into().ok()?),
            &LESS => Self::Less,
            &LESS_IN_ALL => Self::LessInAll(operand(&mut rest)?.try_into().ok()?),
            &LESS_AT => Self::LessAt { line: operand(&mut rest)?, column: operand(&mut rest)? },
            b'+' => Self::Binary(BoundOp::Add),
            b'-' => Self::Binary(BoundOp::Sub),
            b'*' => Self::Binary(BoundOp::Mul),
            b'/' => Self::Binary(BoundOp::Div),
            b'm' => Self::Binary(BoundOp::Min),
            b'M' => Self::Binary(BoundOp::Max),
            _ => return None,
        };
        Some((step, rest))
    }
}

/// The operand at the beginning, which goes.
#[inline]
fn operand(program: &mut &[u8]) -> Option<u32> {
    let mut number = 0u32;
    loop {
        let (&byte, rest) = program.split_first()?;
        *program = rest;
        let digit = match byte {
            LAST_DIGIT..=b'?' => byte - LAST_DIGIT,
            DIGIT..=b'O' => byte - DIGIT,
            _ => return None,
        };
        number = number.checked_mul(16)?.checked_add(digit.into())?;
        if byte < DIGIT {
            return Some(number);
        }
    }
}

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
    pub fn verdict(&self, launch: &impl LaunchNumbers) -> Verdict {
        self.run(launch).unwrap_or(Verdict::Open)
    }

    /// `None` for a program that is not one, or asks for a value that is not settled.
    fn run(&self, launch: &impl LaunchNumbers) -> Option<Verdict> {
        // Nearly all programs get by with small numbers, which cost a fraction.
        let mut is_large = false;
        let small = self.run_with(launch, |op, a: u64, b| {
            let result = op.apply_small(a, b);
            is_large |= result.is_none();
            result
        });
        if is_large { self.run_with(launch, |op, a: u128, b| Some(op.apply(a, b))) } else { small }
    }

    /// The same with numbers of some size.
    #[inline]
    fn run_with<N: Copy + Default + Ord + From<u64> + TryInto<u32>>(
        &self,
        launch: &impl LaunchNumbers,
        mut apply: impl FnMut(BoundOp, N, N) -> Option<N>,
    ) -> Option<Verdict> {
        let mut program = self.0;
        let mut stack = [N::default(); STACK];
        let (mut height, mut buffer) = (0, 0);
        let mut verdict = Verdict::Hold;
        while !program.is_empty() {
            let (step, rest) = Step::read(program)?;
            program = rest;
            if let Step::Len(param) = step {
                buffer = param;
            }
            let number = match step {
                // Of another kind of program.
                Step::LessAt { .. } => return None,
                Step::Binary(_) | Step::Less | Step::LessInAll(_) if height < 2 => return None,
                Step::Binary(op) => {
                    height -= 1;
                    stack[height - 1] = apply(op, stack[height - 1], stack[height])?;
                    continue;
                }
                Step::Less | Step::LessInAll(_) => {
                    height -= 2;
                    let (index, len) = (stack[height], stack[height + 1]);
                    if index >= len {
                        verdict = Verdict::Open;
                        // A length that is no larger than such an index is as small.
                        let (small_index, small_len): (Result<u32, _>, Result<u32, _>) =
                            (index.try_into(), len.try_into());
                        if let (Step::LessInAll(site), Ok(index), Ok(len)) = (step, small_index, small_len) {
                            return Some(Verdict::Broken(Broken { site, param: buffer, index, len }));
                        }
                    }
                    continue;
                }
                step => step.number()?.of(launch)?,
            };
            *stack.get_mut(height)? = number.into();
            height += 1;
        }
        (height == 0).then_some(verdict)
    }
}

/// The verdict of [`Obligations`] on a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// No index that they speak of is out of range.
    Hold,
    /// Some index may be.
    Open,
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
    use super::*;

    struct Launch;

    impl LaunchNumbers for Launch {
        fn items(&self, axis: u8) -> u64 {
            [100, 7, 1][usize::from(axis)]
        }
        fn groups(&self, _: u8) -> u64 {
            2
        }
        fn len(&self, param: u16) -> u64 {
            if param == 1 { 700 } else { 0 }
        }
        fn value(&self, _: u8, _: u8) -> Option<u64> {
            Some(u32::MAX.into())
        }
        fn constant(&self, position: u16) -> u64 {
            position.into()
        }
    }

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
        assert!(program(&steps).hold(&Launch));
        steps[3] = Step::Const(101);
        assert!(!program(&steps).hold(&Launch));
        // What would wrap around in 32 bits does not.
        let steps = [Step::Value { offset: 0, size: 4 }, Step::Const(1), Step::Binary(Add), Step::Len(1), Step::Less];
        assert!(!program(&steps).hold(&Launch));
    }

    #[test]
    fn what_breaks_in_all_is_told() {
        // The launch has 100 items, and buffer 1 has 700 elements.
        let condition =
            |index: u32, step| [Step::Items(0), Step::Const(index), Step::Binary(BoundOp::Mul), Step::Len(1), step];
        let verdict = |steps: &[&[Step]]| program(&steps.concat()).verdict(&Launch);
        let broken = Verdict::Broken(Broken { site: 20, param: 1, index: 700, len: 700 });
        let (fits, reaches) = (condition(6, Step::LessInAll(3)), condition(7, Step::LessInAll(20)));
        let (may_reach, wraps) = (condition(7, Step::Less), condition(1 << 26, Step::LessInAll(3)));
        assert_eq!(verdict(&[&fits]), Verdict::Hold);
        assert_eq!(verdict(&[&fits, &reaches]), broken);
        assert_eq!(verdict(&[&may_reach, &reaches]), broken, "also behind what is open");
        assert_eq!(verdict(&[&may_reach]), Verdict::Open);
        assert_eq!(verdict(&[&wraps]), Verdict::Open, "2^26 * 100 is more than an index is");
    }

    #[test]
    fn all_operands_survive() {
        let mut steps: Vec<Step> = [0, 1, 15, 16, 255, 256, 0x1234_5678, u32::MAX].map(Step::Const).to_vec();
        steps.extend([Step::Items(2), Step::Groups(1), Step::Len(u16::MAX), Step::Constant(300), Step::Less]);
        steps.extend([Step::LessInAll(0), Step::LessInAll(u16::MAX)]);
        steps.push(Step::Value { offset: 124, size: 8 });
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
        assert!(Obligations::NONE.hold(&Launch));
        for text in [" ", "!", "n", "nA", "n ", "n@@@@@@@@@0n1!n0n1", "+", "i0", "v0", "n0", "nA@@@@@@@0n1!"] {
            assert!(!Obligations(text.as_bytes()).hold(&Launch), "{text:?}");
        }
        assert!(!program(&[Step::Const(0); 40]).hold(&Launch));
    }
}
