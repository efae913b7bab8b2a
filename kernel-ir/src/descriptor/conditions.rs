//! Conditions of launches without races, as programs in the format of [`Obligations`](super::Obligations): the first that is not met,
//! and its text.

use std::ops::ControlFlow;

use super::program::{self, BoundOp, LaunchNumbers, Number, Step, VALUE};

/// Conditions on grid, lengths and parameters without which invocations of a launch may race.
///
/// The format is that of [`Obligations`](super::Obligations), where each condition ends with the line and column of an access that needs
/// it: `r`, a line, a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Conditions(pub &'static [u8]);

/// A condition that a launch does not meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unmet {
    /// Line of an access that needs it, from 1.
    pub line: u32,
    /// Column of the access, from 1.
    pub column: u32,
    /// The condition's part of the program.
    program: &'static [u8],
}

/// The ends of a part of a grid of which the host knows the largest size only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfGrid {
    /// The condition does not ask for the grid.
    No,
    /// It asks for one invocation along an axis.
    OneItem(u8),
    /// It asks for one workgroup along an axis.
    OneGroup(u8),
    /// It asks for a grid that is not too large: what the largest one meets, a smaller one meets, too.
    Largest,
    /// It asks for something else of the grid.
    Other,
}

impl Conditions {
    /// No conditions.
    pub const NONE: Self = Self(&[]);

    /// Whether there are no conditions.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a condition asks for a value of the push constants.
    pub fn asks_for_values(&self) -> bool {
        self.0.contains(&VALUE)
    }

    /// The conditions, each by itself. A program that is not one, or ends within a condition, is a condition that nothing meets.
    fn each(&self) -> impl Iterator<Item = Unmet> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let start = rest;
            while !start.is_empty() {
                let Some((step, behind)) = Step::read(rest) else {
                    rest = &[];
                    return Some(Unmet { line: 1, column: 1, program: &[] });
                };
                rest = behind;
                if let Step::LessAt { line, column } = step {
                    return Some(Unmet { line, column, program: &start[..start.len() - rest.len()] });
                }
            }
            None
        })
    }

    /// The first condition that a launch does not meet.
    pub fn unmet(&self, launch: &impl LaunchNumbers) -> Option<Unmet> {
        if self.are_met(launch) {
            return None;
        }
        self.each().find(|condition| !condition.holds(launch).unwrap_or(false))
    }

    /// Whether a launch meets all of them, by numbers below 2^64 alone. Most launches do, and pay for one reading of the program.
    fn are_met(&self, launch: &impl LaunchNumbers) -> bool {
        program::run(self.0, launch, BoundOp::apply_small, is_met).is_some()
    }

    /// The conditions, and what each asks of the grid.
    pub fn of_grid(&self) -> impl Iterator<Item = (Unmet, OfGrid)> {
        self.each().map(|condition| (condition, condition.of_grid()))
    }
}

impl Unmet {
    fn steps(&self) -> impl Iterator<Item = Step> {
        let mut rest = self.program;
        std::iter::from_fn(move || {
            let (step, behind) = Step::read(rest)?;
            rest = behind;
            Some(step)
        })
    }

    /// Whether a launch meets it; `None` for a program that is not one, or that asks for a value that is not settled.
    pub fn holds(&self, launch: &impl LaunchNumbers) -> Option<bool> {
        let mut holds = None;
        let all = |op: BoundOp, a: u128, b| Some(op.apply(a, b));
        program::run(self.program, launch, all, |step, a, b, _| {
            holds = Some(is_met(step, a, b, 0).is_some());
            Some(ControlFlow::Continue(()))
        })?;
        holds
    }

    fn of_grid(&self) -> OfGrid {
        let steps: Vec<Step> = self.steps().collect();
        match steps[..] {
            [Step::Items(axis), Step::Const(2), _] => OfGrid::OneItem(axis),
            [Step::Groups(axis), Step::Const(2), _] => OfGrid::OneGroup(axis),
            _ if steps.iter().any(|step| matches!(step, Step::Items(_) | Step::Groups(_))) => {
                if grows(&steps) {
                    OfGrid::Largest
                } else {
                    OfGrid::Other
                }
            }
            // Nobody knows what it asks for.
            [] => OfGrid::Other,
            _ => OfGrid::No,
        }
    }

    /// The condition in words, and the numbers in it that a launch decides; `name` gives what the author calls one.
    pub fn explain(
        &self,
        launch: &impl LaunchNumbers,
        name: &dyn Fn(Number) -> String,
    ) -> (String, Vec<(String, Option<u64>)>) {
        let (mut terms, mut values): (Vec<Term>, Vec<(String, Option<u64>)>) = (Vec::new(), Vec::new());
        for step in self.steps() {
            let term = match step {
                Step::Binary(op) => {
                    let (b, a) = (terms.pop().unwrap_or_default(), terms.pop().unwrap_or_default());
                    Term::binary(op, a, b)
                }
                Step::LessAt { .. } => {
                    let (b, a) = (terms.pop().unwrap_or_default(), terms.pop().unwrap_or_default());
                    Term { text: format!("{} < {}", a.text, b.text), ..Term::default() }
                }
                Step::Const(number) => Term::number(number.into()),
                step => match step.number() {
                    Some(number) => {
                        let named = name(number);
                        if !values.iter().any(|(known, _)| *known == named) {
                            values.push((named.clone(), number.of(launch)));
                        }
                        Term { text: named, rank: Rank::Whole, number: None }
                    }
                    None => Term::default(),
                },
            };
            terms.push(term);
        }
        (terms.pop().unwrap_or_default().text, values)
    }
}

/// How tightly the parts of a term hold together, the loosest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Rank {
    Shift,
    Sum,
    Product,
    #[default]
    Whole,
}

/// A part of a condition in words. Numbers are computed, as far as 64 bits hold them.
#[derive(Debug, Default)]
struct Term {
    text: String,
    rank: Rank,
    number: Option<u64>,
}

impl Term {
    fn number(number: u64) -> Self {
        let text = match number {
            // Digits of large powers tell nobody anything.
            0x2_0000.. if number.is_power_of_two() => format!("2^{}", number.ilog2()),
            _ => number.to_string(),
        };
        Self { text, rank: Rank::Whole, number: Some(number) }
    }

    fn binary(op: BoundOp, a: Self, b: Self) -> Self {
        if let (Some(a), Some(b)) = (a.number, b.number)
            && let Some(number) = op.apply_small(a, b)
        {
            return Self::number(number);
        }
        let rank = match op {
            BoundOp::Shl => Rank::Shift,
            BoundOp::Add | BoundOp::Sub => Rank::Sum,
            BoundOp::Mul | BoundOp::Div => Rank::Product,
            BoundOp::Min | BoundOp::Max => Rank::Whole,
        };
        let inside = |term: &Self, needed: bool| if needed { format!("({})", term.text) } else { term.text.clone() };
        let text = match op.symbol() {
            Some(symbol) => {
                let right = b.rank < rank || b.rank == rank && rank != Rank::Whole;
                format!("{} {symbol} {}", inside(&a, a.rank < rank), inside(&b, right))
            }
            None => format!("{}.{}({})", inside(&a, a.rank < rank || a.number.is_some()), op.name(), b.text),
        };
        Self { text, rank, number: None }
    }
}

/// Goes on where a condition is met; gives up where it is not, or is one of another kind of program.
#[inline]
fn is_met<N: Ord>(step: Step, a: N, b: N, _: u16) -> Option<ControlFlow<()>> {
    (matches!(step, Step::LessAt { .. }) && a < b).then_some(ControlFlow::Continue(()))
}

/// Whether a number that is to stay below another one grows with the grid, and the other one does not depend on it.
fn grows(steps: &[Step]) -> bool {
    /// How a number depends on the grid.
    #[derive(Clone, Copy, PartialEq)]
    enum Depends {
        Not,
        Grows,
        Somehow,
    }
    let mut stack: Vec<Depends> = Vec::new();
    for step in steps {
        let depends = match step {
            Step::Items(_) | Step::Groups(_) => Depends::Grows,
            Step::Binary(op) => {
                let (Some(b), Some(a)) = (stack.pop(), stack.pop()) else { return false };
                match (a, b) {
                    (Depends::Not, Depends::Not) => Depends::Not,
                    (Depends::Somehow, _) | (_, Depends::Somehow) => Depends::Somehow,
                    (_, Depends::Grows) if matches!(op, BoundOp::Sub | BoundOp::Div | BoundOp::Shl) => Depends::Somehow,
                    _ => Depends::Grows,
                }
            }
            Step::LessAt { .. } => return stack == [Depends::Grows, Depends::Not],
            _ => Depends::Not,
        };
        stack.push(depends);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::program::tests::Launch;
    use super::*;

    const LAUNCH: Launch = Launch { value: 64 };

    fn conditions(steps: &[Step]) -> Conditions {
        let mut bytes = Vec::new();
        steps.iter().for_each(|step| step.write(&mut bytes));
        Conditions(bytes.leak())
    }

    #[test]
    fn the_first_that_is_not_met_is_told() {
        let one = |axis| [Step::Items(axis), Step::Const(2), Step::LessAt { line: 40, column: 9 }];
        let wide = [
            Step::Items(0),
            Step::Const(1),
            Step::Binary(BoundOp::Sub),
            Step::Value { offset: 4, size: 4 },
            Step::LessAt { line: 300, column: 17 },
        ];
        assert_eq!(conditions(&one(2)).unmet(&LAUNCH), None);
        assert_eq!(Conditions::NONE.unmet(&LAUNCH), None);
        let both = conditions(&[&one(2)[..], &wide].concat());
        let unmet = both.unmet(&LAUNCH).expect("100 items are more than 64");
        assert_eq!((unmet.line, unmet.column), (300, 17));
        let name = |number: Number| match number {
            Number::Items(axis) => format!("items.{axis}"),
            _ => "width".to_owned(),
        };
        let (text, values) = unmet.explain(&LAUNCH, &name);
        assert_eq!(text, "items.0 - 1 < width");
        assert_eq!(values, [("items.0".to_owned(), Some(100)), ("width".to_owned(), Some(64))]);
        let of_grid: Vec<OfGrid> = both.of_grid().map(|(_, of)| of).collect();
        assert_eq!(of_grid, [OfGrid::OneItem(2), OfGrid::Largest]);
        // More workgroups make this one easier to meet.
        let shrinks = [Step::Const(9), Step::Groups(0), Step::LessAt { line: 1, column: 1 }];
        assert!(conditions(&shrinks).of_grid().all(|(_, of)| of == OfGrid::Other));
    }

    #[test]
    fn words_have_the_parentheses_that_they_need() {
        let name = |number: Number| if let Number::Items(_) = number { "n" } else { "width" }.to_owned();
        let text = |program: &'static str| {
            let unmet = Conditions(program.as_bytes()).unmet(&Launch { value: u32::MAX }).expect("it is not met");
            unmet.explain(&LAUNCH, &name).0
        };
        assert_eq!(text("i0nA@@@0nA@@@0**v04+n1r11"), "n * 2^32 + width < 1");
        assert_eq!(text("i0n2-n3*v04n5+*n1r11"), "(n - 2) * 3 * (width + 5) < 1");
        assert_eq!(text("i0v04i0-+n1r11"), "n + (width - n) < 1");
        assert_eq!(text("i0v04+n2+n1r11"), "n + width + 2 < 1");
        assert_eq!(text("i0v04+n2Mn1r11"), "(n + width).max(2) < 1");
        assert_eq!(text("v04n7n2-+n1r11"), "width + 5 < 1");
    }

    #[test]
    fn nonsense_is_never_met() {
        // The last ones end within a step, or before the comparison.
        for text in ["r", "n0r11", "n0n1n2r11", "x", "n0+r11", "i", "i0", "n0n1", "n0n1r11n0", "n0n1r11n0n1"] {
            let conditions = Conditions(text.as_bytes());
            assert!(conditions.unmet(&LAUNCH).is_some(), "{text}");
            let is_met = |(condition, of): (Unmet, OfGrid)| of == OfGrid::No && condition.holds(&LAUNCH) == Some(true);
            assert!(!conditions.of_grid().all(is_met), "{text}");
        }
        assert_eq!(Conditions(b"n0n1r11").unmet(&LAUNCH), None);
    }
}
