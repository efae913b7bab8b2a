//! Random calls: generic functions with closures, traits, and the methods that few programs use.

use super::Generator;
use super::types::{Ty, Var};

impl Generator {
    /// A call of one of the harness's generic functions, or of what takes a closure.
    pub(crate) fn generic_call(&mut self, ty: &Ty, depth: usize) -> String {
        let kind = self.random.below(6);
        if self.in_part && matches!((ty, kind), (Ty::U32, 0) | (_, 5)) {
            return self.leaf(ty);
        }
        match (ty, kind) {
            (Ty::U32, 0) => self.repeated(depth),
            (Ty::U32, 1) => {
                let of = [Ty::Span, Ty::Shape][self.random.below(2)].clone();
                let (value, by) = (self.expr(&of, depth - 1), self.leaf(&Ty::U32));
                match self.random.below(4) {
                    0 => format!("measured({value}, {by})"),
                    1 => format!("{value}.scaled({by})"),
                    2 => format!("({value}.size() ^ {of}::SCALE)"),
                    _ => format!("{}.width()", self.expr(&Ty::Span, depth - 1)),
                }
            }
            (Ty::U32, 2) => format!("{}.dot({})", self.expr(&Ty::UVec3, depth - 1), self.leaf(&Ty::UVec3)),
            (Ty::U32 | Ty::I32 | Ty::Int(_), 3) => {
                format!("mixed({}, {})", self.expr(ty, depth - 1), self.expr(ty, depth - 1))
            }
            (Ty::U32 | Ty::I32 | Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Half(_), 4) => {
                format!("larger({}, {})", self.expr(ty, depth - 1), self.expr(ty, depth - 1))
            }
            (Ty::U32 | Ty::I32 | Ty::Int(_) | Ty::F32 | Ty::Bool | Ty::Half(_), 5) => self.folded(ty, depth),
            _ => {
                let (which, a, b) = (self.expr(&Ty::Bool, 2), self.expr(ty, depth - 1), self.leaf(ty));
                if *ty == Ty::Param {
                    format!("(if {which} {{ {a} }} else {{ {b} }})")
                } else {
                    format!("choose({which}, {a}, {b})")
                }
            }
        }
    }

    /// A closure's body, in which its parameters are in scope and what is around is captured.
    fn closure(&mut self, params: &[(&str, &Ty)], result: &Ty, depth: usize) -> String {
        let outer = self.scope.len();
        for (name, ty) in params {
            self.scope.push(Var { name: (*name).to_owned(), ty: (*ty).clone(), mutable: false });
        }
        // It is called many times.
        self.loops += 1;
        let body = self.expr(result, depth.min(2));
        self.loops -= 1;
        self.scope.truncate(outer);
        let params: Vec<_> = params.iter().map(|(name, _)| *name).collect();
        format!("|{}| {body}", params.join(", "))
    }

    fn repeated(&mut self, depth: usize) -> String {
        let (times, x) = (self.leaf(&Ty::U32), self.expr(&Ty::U32, depth - 1));
        let (p, q) = (self.fresh("p"), self.fresh("q"));
        let step = self.closure(&[(&p, &Ty::U32), (&q, &Ty::U32)], &Ty::U32, depth - 1);
        format!("repeated({times}, {x}, {step})")
    }

    fn folded(&mut self, ty: &Ty, depth: usize) -> String {
        let element = self.scalar_ty();
        let array = self.expr(&Ty::Array(Box::new(element.clone())), depth - 1);
        let (start, p, q) = (self.leaf(ty), self.fresh("p"), self.fresh("q"));
        let step = self.closure(&[(&p, ty), (&q, &element)], ty, depth - 1);
        // The closure's parameters have their types from here: what stands in it may be a method's receiver.
        let step = step.replacen(&format!("|{p}, {q}|"), &format!("|{p}: {ty}, {q}: {element}|"), 1);
        format!("folded({array}, {start}, {step})")
    }

    /// A method that says what overflow does, or one that few programs use.
    pub(crate) fn int_method(&mut self, ty: &Ty, left: &str, depth: usize) -> String {
        let signed = ty.to_string().starts_with('i');
        let right = self.expr(ty, depth - 1);
        let amount = self.leaf(&Ty::U32);
        match self.random.below(14) {
            0 => format!("{left}.pow({amount} & 7)"),
            1 => format!("{left}.wrapping_{}({amount})", self.random.pick(&["shl", "shr", "pow"])),
            2 => format!("{left}.saturating_mul({right})"),
            3 => format!(
                "{left}.checked_{}({right}).unwrap_or({})",
                self.random.pick(&["add", "sub", "mul"]),
                self.leaf(ty)
            ),
            4 => format!("{left}.checked_{}({right}).unwrap_or({})", self.random.pick(&["div", "rem"]), self.leaf(ty)),
            5 => format!(
                "{left}.checked_{}({amount}).unwrap_or({})",
                self.random.pick(&["shl", "shr", "pow"]),
                self.leaf(ty)
            ),
            6 => format!("{left}.overflowing_{}({right}).0", self.random.pick(&["add", "sub", "mul"])),
            7 => format!("({left}.abs_diff({right}) as {ty})"),
            8 => format!("{left}.{}(({right} & 0x3f) | 1)", self.random.pick(&["rem_euclid", "div_euclid"])),
            9 => format!("{left}.{}({right} | 1)", self.random.pick(&["wrapping_div", "wrapping_rem"])),
            10 => format!("({left}.{}() as {ty})", self.random.pick(&["leading_ones", "trailing_ones"])),
            11 if signed => format!("{left}.signum()"),
            11 => format!("{left}.isqrt()"),
            12 if signed => format!("({left}.unsigned_abs() as {ty})"),
            12 => format!("{left}.checked_next_power_of_two().unwrap_or({right})"),
            _ => format!("{left}.midpoint({right})"),
        }
    }

    pub(crate) fn double_operation(&mut self, depth: usize) -> String {
        let ty = Ty::F64;
        let left = self.expr(&ty, depth - 1);
        match self.random.below(10) {
            0 | 1 => format!("({left} {} {})", self.random.pick(&["+", "-"]), self.expr(&ty, depth - 1)),
            2 => format!("tame_double({left} * {})", self.expr(&ty, depth - 1)),
            8 | 9 => format!("tame_double({left} {} {})", self.random.pick(&["/", "%"]), self.expr(&ty, depth - 1)),
            // Which of two zeros it is, Rust leaves open; the sum is the positive one.
            3 => format!("({left}.{}({}) + 0.0)", self.random.pick(&["min", "max"]), self.expr(&ty, depth - 1)),
            4 => format!("{left}.{}()", self.random.pick(&["floor", "ceil", "trunc", "abs"])),
            5 => format!("(-{left})"),
            _ => {
                let from = [Ty::U32, Ty::I32, Ty::F32, Ty::Int("i64"), Ty::Int("u64")][self.random.below(5)].clone();
                format!("({} as f64)", self.expr(&from, depth - 1))
            }
        }
    }
}
