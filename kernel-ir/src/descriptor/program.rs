//! Programs of bytes about the numbers of a launch, and their evaluation: the one of [`Obligations`](super::Obligations) and of
//! [`Conditions`](super::Conditions), which say what a comparison means.

use std::ops::ControlFlow;

/// The numbers of a launch that programs ask for.
pub trait LaunchNumbers {
    /// Invocations along axis 0, 1 or 2.
    fn items(&self, axis: u8) -> u64;
    /// Workgroups along axis 0, 1 or 2.
    fn groups(&self, axis: u8) -> u64;
    /// Elements of the buffer at this position of the parameters.
    fn len(&self, param: u16) -> u64;
    /// Texels along axis 0, 1 or 2 of the image at this position of the parameters, in its first level.
    fn extent(&self, param: u16, axis: u8) -> u64;
    /// A number of elements that no buffer in the list at this position of the parameters is shorter than: of the shortest one, or zero
    /// where there is none, or the launch does not settle which these are.
    fn least(&self, param: u16) -> u64;
    /// The same of the texels along axis 0, 1 or 2 that an image in a list has in its first level.
    fn least_extent(&self, param: u16, axis: u8) -> u64;
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
    Extent { param: u16, axis: u8 },
    Least(u16),
    LeastExtent { param: u16, axis: u8 },
    Value { offset: u8, size: u8 },
    Constant(u16),
    Binary(BoundOp),
    Serves(u32),
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
    /// Texels along an axis of the image at a position of the parameters.
    Extent {
        /// The position.
        param: u16,
        /// The axis.
        axis: u8,
    },
    /// Elements of the shortest buffer in the list at a position of the parameters.
    Least(u16),
    /// The fewest texels along an axis of the images in the list at a position of the parameters.
    LeastExtent {
        /// The position.
        param: u16,
        /// The axis.
        axis: u8,
    },
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
            Self::Extent { param, axis } => launch.extent(param, axis),
            Self::Least(param) => launch.least(param),
            Self::LeastExtent { param, axis } => launch.least_extent(param, axis),
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
    /// The first, times two to the power of the second, of which the last five bits count: what a shift of 32 bits gives that loses none.
    Shl,
}

impl BoundOp {
    /// All of them, in their order.
    pub const ALL: [Self; 7] = [Self::Add, Self::Sub, Self::Mul, Self::Div, Self::Min, Self::Max, Self::Shl];

    /// The name in the text format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Sub => "sub",
            Self::Mul => "mul",
            Self::Div => "div",
            Self::Min => "min",
            Self::Max => "max",
            Self::Shl => "shl",
        }
    }

    /// The operator, where it is one.
    pub(super) const fn symbol(self) -> Option<&'static str> {
        match self {
            Self::Add => Some("+"),
            Self::Sub => Some("-"),
            Self::Mul => Some("*"),
            Self::Div => Some("/"),
            Self::Shl => Some("<<"),
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
            Self::Shl => a.checked_mul(1 << (b & 31)),
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
            Self::Shl => a.saturating_mul(1 << (b & 31)),
        }
    }
}

/// The characters of [`BoundOp::ALL`].
#[cfg(any(test, feature = "compiler"))]
const BINARY: [u8; 7] = *b"+-*/mMs";
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
            Self::Extent { param, axis } => (b'e', [Some(param.into()), Some(axis.into())]),
            Self::Least(param) => (b'L', [Some(param.into()), None]),
            Self::LeastExtent { param, axis } => (b'E', [Some(param.into()), Some(axis.into())]),
            Self::Value { offset, size } => (VALUE, [Some(offset.into()), Some(size.into())]),
            Self::Constant(position) => (b'c', [Some(position.into()), None]),
            Self::Binary(op) => (BINARY[op as usize], [None; 2]),
            Self::Serves(groups) => (b'p', [Some(groups), None]),
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
            Self::Extent { param, axis } => Number::Extent { param, axis },
            Self::Least(param) => Number::Least(param),
            Self::LeastExtent { param, axis } => Number::LeastExtent { param, axis },
            Self::Value { offset, size } => Number::Value { offset, size },
            Self::Constant(position) => Number::Constant(position),
            Self::Binary(_) | Self::Serves(_) | Self::Less | Self::LessInAll(_) | Self::LessAt { .. } => return None,
        })
    }

    /// The first step of a program, and the rest.
    #[inline]
    pub(crate) fn read(program: &[u8]) -> Option<(Self, &[u8])> {
        let (code, mut rest) = program.split_first()?;
        let step = match code {
            b'n' => Self::Const(operand(&mut rest)?),
            b'i' => Self::Items(operand(&mut rest)?.try_into().ok()?),
            b'g' => Self::Groups(operand(&mut rest)?.try_into().ok()?),
            b'l' => Self::Len(operand(&mut rest)?.try_into().ok()?),
            b'e' | b'E' => {
                let (param, axis) = (operand(&mut rest)?, operand(&mut rest)?);
                let (param, axis) = (param.try_into().ok()?, axis.try_into().ok()?);
                if *code == b'e' { Self::Extent { param, axis } } else { Self::LeastExtent { param, axis } }
            }
            b'L' => Self::Least(operand(&mut rest)?.try_into().ok()?),
            &VALUE => {
                let (offset, size) = (operand(&mut rest)?, operand(&mut rest)?);
                Self::Value { offset: offset.try_into().ok()?, size: size.try_into().ok()? }
            }
            b'c' => Self::Constant(operand(&mut rest)?.try_into().ok()?),
            b'p' => Self::Serves(operand(&mut rest)?),
            &LESS => Self::Less,
            &LESS_IN_ALL => Self::LessInAll(operand(&mut rest)?.try_into().ok()?),
            &LESS_AT => Self::LessAt { line: operand(&mut rest)?, column: operand(&mut rest)? },
            b'+' => Self::Binary(BoundOp::Add),
            b'-' => Self::Binary(BoundOp::Sub),
            b'*' => Self::Binary(BoundOp::Mul),
            b'/' => Self::Binary(BoundOp::Div),
            b'm' => Self::Binary(BoundOp::Min),
            b'M' => Self::Binary(BoundOp::Max),
            b's' => Self::Binary(BoundOp::Shl),
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

/// Runs a program to its end, or until `compare` breaks off: it is told each comparison, both numbers, and the buffer whose length was
/// pushed last, and without numbers which groups of checks those behind serve. `apply` is the arithmetic. `None` for a program that is not one, that asks for a value that is not settled, or where
/// one of the two gives up.
#[inline]
pub(super) fn run<N: Copy + Default + From<u64>>(
    mut program: &[u8],
    launch: &impl LaunchNumbers,
    mut apply: impl FnMut(BoundOp, N, N) -> Option<N>,
    mut compare: impl FnMut(Step, N, N, u16) -> Option<ControlFlow<()>>,
) -> Option<()> {
    let mut stack = [N::default(); STACK];
    let (mut height, mut buffer) = (0, 0);
    while !program.is_empty() {
        let (step, rest) = Step::read(program)?;
        program = rest;
        if let Step::Len(param) = step {
            buffer = param;
        }
        match step {
            Step::Binary(op) if height >= 2 => {
                height -= 1;
                stack[height - 1] = apply(op, stack[height - 1], stack[height])?;
            }
            Step::Serves(_) if height == 0 => {
                let _ = compare(step, N::default(), N::default(), buffer)?;
            }
            Step::Less | Step::LessInAll(_) | Step::LessAt { .. } if height == 2 => {
                height = 0;
                if compare(step, stack[0], stack[1], buffer)?.is_break() {
                    return Some(());
                }
            }
            // There are too few numbers, or too many, where it is no number.
            step => {
                *stack.get_mut(height)? = step.number()?.of(launch)?.into();
                height += 1;
            }
        }
    }
    (height == 0).then_some(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::LaunchNumbers;

    /// A launch of 100 by 7 items, whose buffer 1 has 700 elements, and whose parameters are all this number.
    pub(in super::super) struct Launch {
        pub(in super::super) value: u32,
    }

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
        fn extent(&self, param: u16, axis: u8) -> u64 {
            if param == 2 { [640, 480, 1][usize::from(axis)] } else { 0 }
        }
        fn least(&self, param: u16) -> u64 {
            if param == 3 { 50 } else { 0 }
        }
        fn least_extent(&self, param: u16, axis: u8) -> u64 {
            if param == 4 { [32, 16, 8][usize::from(axis)] } else { 0 }
        }
        fn value(&self, _: u8, size: u8) -> Option<u64> {
            // Those of 2 bytes are not settled.
            (size != 2).then_some(self.value.into())
        }
        fn constant(&self, position: u16) -> u64 {
            position.into()
        }
    }
}
