//! Random expressions of a wanted type.

use super::Generator;
use super::extra::Extra;
use super::types::{OTHER_INTS, Ty, Var};

impl Generator {
    /// An expression of type `ty` that can stand anywhere.
    pub(crate) fn expr(&mut self, ty: &Ty, depth: usize) -> String {
        if depth == 0 || self.random.one_in(4) {
            return self.leaf(ty);
        }
        match self.random.below(16) {
            14 | 15 => self.generic_call(ty, depth),
            12 => self.match_expr(ty, depth),
            13 => self.if_let_expr(ty, depth),
            0 => self.if_expr(ty, depth),
            1 => self.block_expr(ty, depth),
            2 => self.call(ty, depth),
            _ => self.operation(ty, depth),
        }
    }

    pub(crate) fn leaf(&mut self, ty: &Ty) -> String {
        let fitting: Vec<&Var> = self.scope.iter().filter(|var| var.ty == *ty).collect();
        if !fitting.is_empty() && (*ty == Ty::Param || !self.random.one_in(4)) {
            let position = self.random.below(fitting.len());
            return fitting[position].name.clone();
        }
        if let Some(part) = self.part(ty) {
            return part;
        }
        match ty {
            Ty::Array(element) if self.random.one_in(2) => format!("[{}; 4]", self.leaf(element)),
            Ty::Array(element) => {
                let elements: Vec<_> = (0..4).map(|_| self.leaf(element)).collect();
                format!("[{}]", elements.join(", "))
            }
            Ty::Tuple(members) => format!("({}, {})", self.leaf(&members[0]), self.leaf(&members[1])),
            Ty::Pair => {
                let (first, third) = (self.leaf(&Ty::U32), self.leaf(&Ty::F32));
                let second: Vec<_> = (0..3).map(|_| self.leaf(&Ty::I32)).collect();
                format!("(Pair {{ first: {first}, second: [{}], third: {third} }})", second.join(", "))
            }
            Ty::UVec3 => format!("uvec3({}, {}, {})", self.leaf(&Ty::U32), self.leaf(&Ty::U32), self.leaf(&Ty::U32)),
            Ty::Vec(size) => self.vector_leaf(*size),
            Ty::Mat(size) => self.matrix_leaf(*size),
            Ty::Packed => self.packed_leaf(),
            Ty::Option if self.random.one_in(2) => "small(u32::MAX)".to_owned(),
            Ty::Option => format!("Some({})", self.leaf(&Ty::U32)),
            Ty::Span if self.random.one_in(4) => "Span::UNIT".to_owned(),
            Ty::Span => format!("Span::new({}, {})", self.leaf(&Ty::U32), self.leaf(&Ty::I32)),
            Ty::Shape if self.random.one_in(2) => "Shape::Empty".to_owned(),
            Ty::Shape => format!("Shape::Line({})", self.leaf(&Ty::I32)),
            // A literal here would make half of all branches constant.
            Ty::Bool if !self.random.one_in(10) => {
                let of = self.random.pick(&[0, 1, 2]);
                let of = [Ty::U32, Ty::I32, Ty::F32][of].clone();
                let operator = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({} {operator} {})", self.leaf(&of), self.leaf(&of))
            }
            scalar => self.literal(scalar),
        }
    }

    /// A part of a variable or buffer.
    fn part(&mut self, ty: &Ty) -> Option<String> {
        if !self.random.one_in(2) {
            return None;
        }
        if self.in_kernel && self.random.one_in(3) {
            let buffer = match ty {
                Ty::U32 => "x",
                Ty::I32 => "y",
                Ty::F32 => "z",
                _ => return self.extra_part(ty),
            };
            let index = self.leaf(&Ty::U32);
            return Some(format!("{buffer}[({index} % 64) as usize]"));
        }
        let mut parts = Vec::new();
        for var in &self.scope {
            let name = &var.name;
            match &var.ty {
                Ty::Array(element) if **element == *ty => parts.push((format!("{name}["), "]")),
                Ty::Tuple(members) => {
                    for (position, member) in members.iter().enumerate().filter(|(_, member)| *member == ty) {
                        let _ = member;
                        parts.push((format!("{name}.{position}"), ""));
                    }
                }
                Ty::Pair if *ty == Ty::U32 => parts.push((format!("{name}.first"), "")),
                Ty::Pair if *ty == Ty::F32 => parts.push((format!("{name}.third"), "")),
                Ty::UVec3 if *ty == Ty::U32 => parts.push((format!("{name}.y"), "")),
                Ty::Vec(_) if *ty == Ty::F32 => parts.push((format!("{name}.x"), "")),
                Ty::Mat(size) if *ty == Ty::Vec(*size) => parts.push((format!("{name}.x_axis"), "")),
                Ty::Packed if *ty == Ty::Half("f16") => parts.push((format!("{name}.half"), "")),
                Ty::Packed if *ty == Ty::Int("i16") => parts.push((format!("{name}.short"), "")),
                Ty::Span if *ty == Ty::U32 => parts.push((format!("{name}.from"), "")),
                Ty::Span if *ty == Ty::I32 => parts.push((format!("{name}.to"), "")),
                _ => {}
            }
        }
        if parts.is_empty() {
            return None;
        }
        let (text, end) = parts.swap_remove(self.random.below(parts.len()));
        Some(if end.is_empty() { text } else { format!("{text}{}{end}", self.index(4)) })
    }

    /// An index below `len`, of any unsigned type.
    pub(crate) fn index(&mut self, len: usize) -> String {
        let index = match self.random.below(4) {
            0 => format!("{}", self.random.below(len)),
            1 => format!("({} % {len}) as usize", self.leaf(&Ty::U32)),
            2 => format!("({} as usize) % {len}", self.leaf(&Ty::U32)),
            _ => format!("{} % {len}", self.leaf(&Ty::U32)),
        };
        self.as_index(&index)
    }

    fn if_expr(&mut self, ty: &Ty, depth: usize) -> String {
        let condition = self.expr(&Ty::Bool, depth - 1);
        let (then, other) = (self.expr(ty, depth - 1), self.expr(ty, depth - 1));
        format!("(if {condition} {{ {then} }} else {{ {other} }})")
    }

    fn block_expr(&mut self, ty: &Ty, depth: usize) -> String {
        let local = self.scalar_ty();
        let (name, value) = (self.fresh("t"), self.expr(&local, depth - 1));
        self.scope.push(Var { name: name.clone(), ty: local, mutable: false });
        let result = self.expr(ty, depth - 1);
        self.scope.pop();
        format!("{{ let {name} = {value}; {result} }}")
    }

    fn call(&mut self, ty: &Ty, depth: usize) -> String {
        let fitting: Vec<usize> = (0..self.functions.len()).filter(|&k| self.functions[k].gives(ty)).collect();
        // Calls in loops would cost too much.
        if fitting.is_empty() || self.loops > 1 {
            return self.operation(ty, depth);
        }
        let function = fitting[self.random.below(fitting.len())];
        let (name, params) = (self.functions[function].name.clone(), self.functions[function].params.clone());
        let param_ty = |param: &Ty| if *param == Ty::Param { ty.clone() } else { param.clone() };
        let args: Vec<_> = params.iter().map(|param| self.expr(&param_ty(param), depth - 1)).collect();
        format!("{name}({})", args.join(", "))
    }

    fn operation(&mut self, ty: &Ty, depth: usize) -> String {
        match (self.extra, ty) {
            (Extra::Halves, Ty::Bool | Ty::U32 | Ty::I32 | Ty::Int(_) | Ty::F32 | Ty::F64) if self.random.one_in(6) => {
                return self.of_half(ty, depth);
            }
            (Extra::Matrices, Ty::Bool | Ty::F32) if self.random.one_in(4) => return self.of_matrix(ty, depth),
            _ => {}
        }
        match ty {
            Ty::Bool => self.bool_operation(depth),
            Ty::U32 | Ty::I32 | Ty::Int(_) => self.int_operation(ty, depth),
            Ty::F32 => self.float_operation(depth),
            Ty::F64 => self.double_operation(depth),
            Ty::Span => match self.random.below(3) {
                0 => format!("(-{})", self.expr(ty, depth - 1)),
                1 => format!("({} + {})", self.expr(ty, depth - 1), self.expr(ty, depth - 1)),
                _ => format!("Span::new({}, {})", self.expr(&Ty::U32, depth - 1), self.expr(&Ty::I32, depth - 1)),
            },
            Ty::Option => self.option_operation(depth),
            Ty::Shape => self.shape_operation(depth),
            Ty::UVec3 => {
                let (left, right) = (self.expr(ty, depth - 1), self.expr(ty, depth - 1));
                match self.random.below(4) {
                    0 => format!("{left}.min({right})"),
                    1 => format!("({left} * {})", self.leaf(&Ty::U32)),
                    _ => format!("({left} {} {right})", self.random.pick(&["+", "-", "*"])),
                }
            }
            Ty::Vec(size) if self.extra == Extra::Matrices => self.vector_operation(*size, depth),
            Ty::Mat(size) => self.matrix_operation(*size, depth),
            Ty::Half(name) => self.half_operation(name, depth),
            Ty::Packed => self.packed(depth),
            Ty::Vec(_) => {
                let (left, right) = (self.expr(ty, depth - 1), self.expr(ty, depth - 1));
                format!("({left} {} {right})", self.random.pick(&["+", "-"]))
            }
            _ => self.leaf(ty),
        }
    }

    /// Something that is compared member by member.
    fn ordered(&mut self, kind: usize, depth: usize) -> String {
        let (unsigned, signed) = (self.expr(&Ty::U32, depth - 1), self.expr(&Ty::I32, depth - 1));
        match kind {
            0 => format!("({unsigned}, {})", self.expr(&Ty::F32, depth - 1)),
            1 => format!("[{unsigned}, {}]", self.leaf(&Ty::U32)),
            2 => self.expr(&Ty::Option, depth - 1),
            3 => self.expr(&Ty::Span, depth - 1),
            4 => self.expr(&Ty::Shape, depth - 1),
            5 => format!("(({unsigned} & 3, {}), {signed})", self.expr(&Ty::Bool, depth - 1)),
            _ => format!("{unsigned}.cmp(&{})", self.leaf(&Ty::U32)),
        }
    }

    /// A comparison member by member.
    fn order(&mut self, depth: usize) -> String {
        let kind = self.random.below(7);
        let (left, right) = (self.ordered(kind, depth), self.ordered(kind, depth));
        // Two kinds have floats in them.
        let is_total = kind != 0 && kind != 4;
        match self.random.below(4) {
            0 if is_total => format!("{left}.cmp(&{right}).{}()", self.random.pick(&["is_lt", "is_ge", "is_ne"])),
            1 if is_total => {
                format!("({left}.{}({right}) == {left})", self.random.pick(&["min", "max"]))
            }
            2 => format!("{left}.partial_cmp(&{right}).is_some_and(|order| order.reverse().is_le())"),
            _ => format!("({left} {} {right})", self.random.pick(&["<", "<=", ">", ">=", "==", "!="])),
        }
    }

    fn bool_operation(&mut self, depth: usize) -> String {
        if self.orders && self.random.one_in(4) {
            return self.order(depth);
        }
        match self.random.below(6) {
            0 => format!("(!{})", self.expr(&Ty::Bool, depth - 1)),
            5 => match self.random.below(6) {
                3 => {
                    format!("{}.overflowing_add({}).1", self.expr(&Ty::I32, depth - 1), self.expr(&Ty::I32, depth - 1))
                }
                4 => format!("{}.cmplt({}).any()", self.expr(&Ty::UVec3, depth - 1), self.expr(&Ty::UVec3, depth - 1)),
                5 => format!("({} == {})", self.expr(&Ty::Span, depth - 1), self.expr(&Ty::Span, depth - 1)),
                0 => format!("{}.is_some()", self.expr(&Ty::Option, depth - 1)),
                1 => format!(
                    "matches!({}, Shape::Line(..) | Shape::Area {{ width: 1..=99, .. }})",
                    self.expr(&Ty::Shape, depth - 1)
                ),
                _ => format!("matches!({}, 3..=9 | 0x7fff_ffff | 12)", self.expr(&Ty::U32, depth - 1)),
            },
            1 | 2 => {
                let operator = self.random.pick(&["&&", "||", "&", "|", "^", "==", "!="]);
                format!("({} {operator} {})", self.expr(&Ty::Bool, depth - 1), self.expr(&Ty::Bool, depth - 1))
            }
            _ => {
                let of = self.random.pick(&[0, 0, 1, 2, 3]);
                let of = [Ty::U32, Ty::I32, Ty::F32, Ty::Int(self.random.pick(&OTHER_INTS))][of].clone();
                let operator = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({} {operator} {})", self.expr(&of, depth - 1), self.expr(&of, depth - 1))
            }
        }
    }

    fn int_operation(&mut self, ty: &Ty, depth: usize) -> String {
        let left = self.expr(ty, depth - 1);
        let signed = ty.to_string().starts_with('i');
        match self.random.below(12) {
            9..=11 => self.int_method(ty, &left, depth),
            0 | 1 => {
                let right = if self.random.one_in(3) {
                    format!("{}", self.random.below(100))
                } else {
                    self.expr(ty, depth - 1)
                };
                format!("({left} {} {right})", self.random.pick(&["+", "-", "*", "&", "|", "^"]))
            }
            2 => {
                let (operator, right) = (self.random.pick(&["/", "%"]), self.expr(ty, depth - 1));
                format!("({left} {operator} (({right} & 0x3f) | 1))")
            }
            3 => format!("({left} {} ({} & 31))", self.random.pick(&["<<", ">>"]), self.expr(&Ty::U32, depth - 1)),
            4 => format!("({left} {} {})", self.random.pick(&["<<", ">>"]), self.leaf(&Ty::U32)),
            5 => {
                let method = self.random.pick(&[
                    "wrapping_add",
                    "wrapping_sub",
                    "wrapping_mul",
                    "min",
                    "max",
                    "saturating_add",
                    "saturating_sub",
                ]);
                format!("{left}.{method}({})", self.expr(ty, depth - 1))
            }
            6 => {
                let counted = self.random.pick(&["count_ones", "leading_zeros", "trailing_zeros", "count_zeros"]);
                format!("({left}.{counted}() as {ty})")
            }
            7 => match self.random.below(4) {
                0 => format!("{left}.{}({})", self.random.pick(&["rotate_left", "rotate_right"]), self.leaf(&Ty::U32)),
                1 => format!("{left}.{}()", self.random.pick(&["reverse_bits", "swap_bytes", "wrapping_neg"])),
                2 if signed => format!("(-{left})"),
                _ => format!("(!{left})"),
            },
            _ => {
                let from = self.random.pick(&[0, 1, 2, 3, 4, 5]);
                let from = [Ty::Bool, Ty::U32, Ty::I32, Ty::F32, Ty::F64, Ty::Int(self.random.pick(&OTHER_INTS))][from]
                    .clone();
                format!("({} as {ty})", self.expr(&from, depth - 1))
            }
        }
    }

    fn float_operation(&mut self, depth: usize) -> String {
        let ty = Ty::F32;
        let left = self.expr(&ty, depth - 1);
        match self.random.below(10) {
            0 | 1 => format!("({left} {} {})", self.random.pick(&["+", "-"]), self.expr(&ty, depth - 1)),
            2 => format!("tame({left} * {})", self.expr(&ty, depth - 1)),
            // Devices in use divide without an error.
            8 | 9 => format!("tame({left} {} {})", self.random.pick(&["/", "%"]), self.expr(&ty, depth - 1)),
            // Which of two zeros it is, Rust leaves open; the sum is the positive one.
            3 => format!("({left}.{}({}) + 0.0)", self.random.pick(&["min", "max"]), self.expr(&ty, depth - 1)),
            4 => format!("{left}.{}()", self.random.pick(&["floor", "ceil", "trunc", "round", "abs"])),
            5 => format!("(-{left})"),
            6 => format!("tame({left}.mul_add({}, {}))", self.leaf(&ty), self.leaf(&ty)),
            _ => {
                let from = self.random.pick(&[0, 1, 2, 3]);
                let from = [Ty::U32, Ty::I32, Ty::Int(self.random.pick(&OTHER_INTS)), Ty::F64][from].clone();
                format!("tame({} as f32)", self.expr(&from, depth - 1))
            }
        }
    }
}
