//! Random `match`, `if let`, `let … else` and `matches!`, and what they look at: ints, tuples, options, an enum.

use super::Generator;
use super::types::{Ty, Var};

impl Generator {
    /// A `match` of type `ty`.
    pub(crate) fn match_expr(&mut self, ty: &Ty, depth: usize) -> String {
        let arms = match self.random.below(4) {
            0 => self.int_arms(ty, depth),
            1 => self.tuple_arms(ty, depth),
            2 => self.option_arms(ty, depth),
            _ => self.shape_arms(ty, depth),
        };
        format!("(match {arms})")
    }

    /// An arm's value with some variables in scope.
    fn within(&mut self, bindings: &[(&str, Ty)], ty: &Ty, depth: usize) -> String {
        let outer = self.scope.len();
        for (name, ty) in bindings {
            self.scope.push(Var { name: (*name).to_owned(), ty: ty.clone(), mutable: false });
        }
        let value = self.expr(ty, depth - 1);
        self.scope.truncate(outer);
        value
    }

    fn int_arms(&mut self, ty: &Ty, depth: usize) -> String {
        let signed = self.random.one_in(2);
        let (selector, modulus) =
            (self.expr(if signed { &Ty::I32 } else { &Ty::U32 }, depth - 1), 3 + self.random.below(6));
        let name = self.fresh("m");
        let of = if signed { Ty::I32 } else { Ty::U32 };
        let mut arms = vec![format!("0 => {}", self.expr(ty, depth - 1))];
        if signed {
            arms.push(format!("-5..=-1 => {}", self.expr(ty, depth - 1)));
        }
        if self.random.one_in(2) {
            arms.push(format!("1 | 3 => {}", self.expr(ty, depth - 1)));
        }
        if self.random.one_in(2) {
            let (guard, value) =
                (self.within(&[(&name, of.clone())], &Ty::Bool, 2), self.within(&[(&name, of.clone())], ty, depth));
            arms.push(format!("{name} @ 2..=4 if {guard} => {value}"));
        }
        if self.random.one_in(2) {
            arms.push(format!("5.. => {}", self.expr(ty, depth - 1)));
        }
        let rest = self.within(&[(&name, of)], ty, depth);
        arms.push(format!("{name} => {rest}"));
        format!("{selector} % {modulus} {{ {} }}", arms.join(", "))
    }

    fn tuple_arms(&mut self, ty: &Ty, depth: usize) -> String {
        let (first, second) = (self.expr(&Ty::Bool, depth - 1), self.expr(&Ty::U32, depth - 1));
        let name = self.fresh("m");
        let arms = [
            format!("(true, 0..=9) => {}", self.expr(ty, depth - 1)),
            format!("(_, {name} @ (1 | 17 | 0x8000_0000..)) => {}", self.within(&[(&name, Ty::U32)], ty, depth)),
            format!("(false, {name}) if {name} > 5 => {}", self.within(&[(&name, Ty::U32)], ty, depth)),
            format!("_ => {}", self.expr(ty, depth - 1)),
        ];
        format!("({first}, {second}) {{ {} }}", arms.join(", "))
    }

    fn option_arms(&mut self, ty: &Ty, depth: usize) -> String {
        let option = self.expr(&Ty::Option, depth - 1);
        let name = self.fresh("m");
        let some = self.within(&[(&name, Ty::U32)], ty, depth);
        let zero = self.expr(ty, depth - 1);
        let none = self.expr(ty, depth - 1);
        format!("{option} {{ Some(0) => {zero}, None => {none}, Some({name}) => {some} }}")
    }

    fn shape_arms(&mut self, ty: &Ty, depth: usize) -> String {
        let shape = self.expr(&Ty::Shape, depth - 1);
        let (name, other) = (self.fresh("m"), self.fresh("m"));
        let empty = self.expr(ty, depth - 1);
        let line = self.within(&[(&name, Ty::I32)], ty, depth);
        let area = self.within(&[(&name, Ty::U32), (&other, Ty::F32)], ty, depth);
        let few = self.expr(ty, depth - 1);
        format!(
            "{shape} {{ Shape::Empty => {empty}, Shape::Line({name}) => {line}, Shape::Area {{ width: 0..=3, .. }} => {few}, \
             Shape::Area {{ width: {name}, height: {other} }} => {area} }}"
        )
    }

    /// `if let … else …` of type `ty`.
    pub(crate) fn if_let_expr(&mut self, ty: &Ty, depth: usize) -> String {
        let name = self.fresh("m");
        let (pattern, of, bound) = match self.random.below(3) {
            0 => (format!("Shape::Line({name})"), Ty::Shape, Ty::I32),
            1 => (format!("Shape::Area {{ width: {name}, .. }}"), Ty::Shape, Ty::U32),
            _ => (format!("Some({name})"), Ty::Option, Ty::U32),
        };
        let value = self.expr(&of, depth - 1);
        let chained = if self.random.one_in(3) {
            format!(" && {}", self.within(&[(&name, bound.clone())], &Ty::Bool, 2))
        } else {
            String::new()
        };
        let (then, other) = (self.within(&[(&name, bound)], ty, depth), self.expr(ty, depth - 1));
        format!("(if let {pattern} = {value}{chained} {{ {then} }} else {{ {other} }})")
    }

    /// An operation that gives an option.
    pub(crate) fn option_operation(&mut self, depth: usize) -> String {
        let (some, condition) = (self.expr(&Ty::U32, depth - 1), self.expr(&Ty::Bool, 2));
        match self.random.below(8) {
            4 => format!("{some}.checked_{}({})", self.random.pick(&["sub", "mul", "rem"]), self.leaf(&Ty::U32)),
            5 => format!("{some}.checked_ilog2()"),
            6 | 7 => self.option_method(depth),
            0 => format!("(if {condition} {{ Some({some}) }} else {{ None }})"),
            1 => format!("small({some})"),
            2 => format!(
                "{}.{}({})",
                self.expr(&Ty::Option, depth - 1),
                self.random.pick(&["or", "xor"]),
                self.expr(&Ty::Option, depth - 1)
            ),
            _ => format!("Some({some})"),
        }
    }

    /// A method of options that takes a closure.
    fn option_method(&mut self, depth: usize) -> String {
        let (option, name) = (self.expr(&Ty::Option, depth - 1), self.fresh("m"));
        if self.random.one_in(2) {
            let body = self.within(&[(&name, Ty::U32)], &Ty::U32, depth.min(3));
            format!("{option}.map(|{name}| {body})")
        } else {
            let body = self.within(&[(&name, Ty::U32)], &Ty::Option, depth.min(3));
            format!("{option}.and_then(|{name}| {body})")
        }
    }

    /// An operation that gives a shape.
    pub(crate) fn shape_operation(&mut self, depth: usize) -> String {
        match self.random.below(3) {
            0 => format!("Shape::Line({})", self.expr(&Ty::I32, depth - 1)),
            1 => format!(
                "(Shape::Area {{ width: {}, height: {} }})",
                self.expr(&Ty::U32, depth - 1),
                self.expr(&Ty::F32, depth - 1)
            ),
            _ => format!("grown({}, {})", self.expr(&Ty::Shape, depth - 1), self.leaf(&Ty::U32)),
        }
    }
}
