//! What the host checks before a launch: a program of bytes that the compiler writes and the runtime runs.

/// Conditions on grid, lengths and parameters; where all of them hold, no index that they speak of is out of range.
///
/// A program for a stack of whole numbers, without end and never below zero. Each step is a byte, with its operand behind
/// it, little-endian:
///
/// | byte | operand | does |
/// | --- | --- | --- |
/// | 0 | `u32` | pushes the number |
/// | 1 | `u8` | pushes the invocations of the grid along an axis |
/// | 2 | `u8` | pushes the workgroups of the grid along an axis |
/// | 3 | `u16` | pushes the number of elements of the buffer at this position of the parameters |
/// | 4 | `u8`, `u8` | pushes the unsigned integer at an offset of the push constants, with so many bytes |
/// | 5 | `u16` | pushes the value of the const parameter with this position |
/// | 16 … 21 | | add, subtract, multiply, divide, smaller, larger of the two numbers on top |
/// | 32 | | the condition: the second number from the top is below the top |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Obligations(pub &'static [u8]);

/// What a launch tells [`Obligations`].
pub trait LaunchNumbers {
    /// Invocations along axis 0, 1 or 2.
    fn items(&self, axis: u8) -> u64;
    /// Workgroups along axis 0, 1 or 2.
    fn groups(&self, axis: u8) -> u64;
    /// Elements of the buffer at this position of the parameters.
    fn len(&self, param: u16) -> u64;
    /// An unsigned integer of the push constants.
    fn value(&self, offset: u8, size: u8) -> u64;
    /// The value of a const parameter.
    fn constant(&self, position: u16) -> u64;
}

/// Numbers on the stack; the compiler writes no program that needs more.
const STACK: usize = 16;

/// What a byte of a program means; the operand follows it.
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
    /// All of them, in the order of their bytes.
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

    /// What it makes of two numbers.
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

impl Step {
    /// Adds the step to a program.
    #[cfg(any(test, feature = "compiler"))]
    pub(crate) fn write(self, program: &mut Vec<u8>) {
        match self {
            Self::Const(number) => {
                program.push(0);
                program.extend(number.to_le_bytes());
            }
            Self::Items(axis) => program.extend([1, axis]),
            Self::Groups(axis) => program.extend([2, axis]),
            Self::Len(param) => {
                program.push(3);
                program.extend(param.to_le_bytes());
            }
            Self::Value { offset, size } => program.extend([4, offset, size]),
            Self::Constant(position) => {
                program.push(5);
                program.extend(position.to_le_bytes());
            }
            Self::Binary(op) => program.push(16 + op as u8),
            Self::Less => program.push(32),
        }
    }

    /// The first step of a program, and the rest.
    fn read(program: &[u8]) -> Option<(Self, &[u8])> {
        let (code, rest) = program.split_first()?;
        Some(match code {
            0 => {
                let (number, rest) = rest.split_first_chunk()?;
                (Self::Const(u32::from_le_bytes(*number)), rest)
            }
            1 | 2 => {
                let (axis, rest) = rest.split_first()?;
                (if *code == 1 { Self::Items(*axis) } else { Self::Groups(*axis) }, rest)
            }
            3 | 5 => {
                let (position, rest) = rest.split_first_chunk()?;
                let position = u16::from_le_bytes(*position);
                (if *code == 3 { Self::Len(position) } else { Self::Constant(position) }, rest)
            }
            4 => {
                let ([offset, size], rest) = rest.split_first_chunk()?;
                (Self::Value { offset: *offset, size: *size }, rest)
            }
            16..=21 => (Self::Binary(BoundOp::ALL[usize::from(code - 16)]), rest),
            32 => (Self::Less, rest),
            _ => return None,
        })
    }
}

impl Obligations {
    /// No conditions.
    pub const NONE: Self = Self(&[]);

    /// Whether there are no conditions.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all conditions hold for a launch. A program that is not one holds for none.
    pub fn hold(&self, launch: &impl LaunchNumbers) -> bool {
        let mut program = self.0;
        let mut stack = [0u128; STACK];
        let mut height = 0;
        while !program.is_empty() {
            let Some((step, rest)) = Step::read(program) else { return false };
            program = rest;
            let number = match step {
                Step::Const(number) => u64::from(number),
                Step::Items(axis) => launch.items(axis),
                Step::Groups(axis) => launch.groups(axis),
                Step::Len(param) => launch.len(param),
                Step::Value { offset, size } => launch.value(offset, size),
                Step::Constant(position) => launch.constant(position),
                Step::Binary(_) | Step::Less if height < 2 => return false,
                Step::Binary(op) => {
                    height -= 1;
                    stack[height - 1] = op.apply(stack[height - 1], stack[height]);
                    continue;
                }
                Step::Less => {
                    height -= 2;
                    if stack[height] >= stack[height + 1] {
                        return false;
                    }
                    continue;
                }
            };
            let Some(top) = stack.get_mut(height) else { return false };
            *top = number.into();
            height += 1;
        }
        height == 0
    }
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
        fn value(&self, _: u8, _: u8) -> u64 {
            u64::from(u32::MAX)
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
    fn nonsense_never_holds() {
        assert!(Obligations::NONE.hold(&Launch));
        for bytes in [&[9u8][..], &[32], &[0, 1], &[16], &[1, 0], &[4, 0]] {
            assert!(!Obligations(bytes).hold(&Launch), "{bytes:?}");
        }
        assert!(!program(&[Step::Const(0); 40]).hold(&Launch));
    }
}
