//! Random statements: what they change stays in scope, what they loop over ends.

use super::Generator;
use super::number::kind;
use super::sequence::names;
use super::types::{Ty, Var};

impl Generator {
    /// Statements until the budget or the block ends. Variables of the block stay in scope.
    pub(crate) fn statements(&mut self, out: &mut String, depth: usize) {
        for _ in 0..3 + self.random.below(6) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            self.statement(out, depth);
        }
    }

    /// A block in braces, whose variables go with it.
    pub(crate) fn block(&mut self, out: &mut String, depth: usize) {
        let outer = self.scope.len();
        out.push_str("{\n");
        self.statements(out, depth);
        out.push_str("}\n");
        self.scope.truncate(outer);
    }

    fn statement(&mut self, out: &mut String, depth: usize) {
        if self.sequences && self.random.one_in(3) {
            return self.sequence_statement(out, depth);
        }
        match self.random.below(if depth == 0 { 6 } else { 11 }) {
            0..=2 => self.let_statement(out),
            3..=5 => self.assignment(out),
            6 | 7 => self.if_statement(out, depth),
            8 => self.for_statement(out, depth),
            9 => self.while_statement(out, depth),
            _ => self.loop_statement(out, depth),
        }
    }

    fn let_statement(&mut self, out: &mut String) {
        if self.random.one_in(12) {
            return self.let_else(out);
        }
        if self.returns == Some(Ty::Option) && self.random.one_in(4) {
            let (name, value) = (self.fresh("v"), self.expr(&Ty::Option, 3));
            out.push_str(&format!("let {name} = ({value})?;\n"));
            self.scope.push(Var { name, ty: Ty::U32, mutable: false });
            return;
        }
        let ty = self.any_ty();
        let value = self.expr(&ty, 3);
        let (name, mutable, stated) = (self.fresh("v"), !self.random.one_in(3), self.random.one_in(2));
        let (keyword, ty_text) =
            (if mutable { "mut " } else { "" }, if stated { format!(": {ty}") } else { String::new() });
        out.push_str(&format!("let {keyword}{name}{ty_text} = {value};\n"));
        self.scope.push(Var { name, ty, mutable });
    }

    /// `let Some(v) = … else { … };`, where control can leave.
    fn let_else(&mut self, out: &mut String) {
        let how = match (self.loops > 0, self.random.one_in(2)) {
            (true, true) => "continue".to_owned(),
            (true, false) => "break".to_owned(),
            (false, _) => return,
        };
        let (name, value) = (self.fresh("v"), self.expr(&Ty::Option, 3));
        out.push_str(&format!("let Some({name}) = ({value}) else {{ {how} }};\n"));
        self.scope.push(Var { name, ty: Ty::U32, mutable: false });
    }

    /// The kernel ends for some invocations.
    pub(crate) fn early_return(&mut self, out: &mut String) {
        let (condition, word) = (self.expr(&Ty::Bool, 3), self.expr(&Ty::U32, 3));
        out.push_str(&if self.plain {
            format!("if {condition} {{ return [{word}, 0, 0, 0]; }}\n")
        } else {
            format!("if {condition} {{ out[i * 4] = {word}; return; }}\n")
        });
    }

    pub(crate) fn assignment(&mut self, out: &mut String) {
        let mutable: Vec<Var> = self.scope.iter().filter(|var| var.mutable).cloned().collect();
        if mutable.is_empty() {
            return self.let_statement(out);
        }
        let Var { name, ty, .. } = mutable[self.random.below(mutable.len())].clone();
        match &ty {
            Ty::Array(element) if !self.random.one_in(4) => {
                let (index, value) = (self.index(4), self.expr(element, 3));
                self.change(out, &format!("{name}[{index}]"), element, &value);
            }
            Ty::Tuple(members) if !self.random.one_in(4) => {
                let member = self.random.below(2);
                let value = self.expr(&members[member], 3);
                self.change(out, &format!("{name}.{member}"), &members[member], &value);
            }
            Ty::Pair if !self.random.one_in(4) => match self.random.below(3) {
                0 => {
                    let value = self.expr(&Ty::U32, 3);
                    self.change(out, &format!("{name}.first"), &Ty::U32, &value);
                }
                1 => {
                    let (index, value) = (self.index(3), self.expr(&Ty::I32, 3));
                    self.change(out, &format!("{name}.second[{index}]"), &Ty::I32, &value);
                }
                _ => {
                    let value = self.expr(&Ty::F32, 3);
                    self.change(out, &format!("{name}.third"), &Ty::F32, &value);
                }
            },
            Ty::Span if !self.random.one_in(3) => {
                let by = self.expr(&Ty::U32, 3);
                out.push_str(&format!("{name}.grow({by});\n"));
            }
            Ty::UVec3 if !self.random.one_in(3) => {
                let value = self.expr(&Ty::U32, 3);
                let lane = self.random.pick(&["x", "y", "z"]);
                self.change(out, &format!("{name}.{lane}"), &Ty::U32, &value);
            }
            Ty::Mat(size) if !self.random.one_in(3) => {
                let (value, column) = (self.expr(&Ty::Vec(*size), 3), self.random.pick(&["x_axis", "y_axis"]));
                // A column is had by a reference to the whole matrix, so that rustc takes no value of its own behind `+=`.
                let of_itself = self.fresh("column");
                let value = if names(&value, &name) {
                    out.push_str(&format!("let {of_itself} = {value};\n"));
                    of_itself
                } else {
                    value
                };
                self.change(out, &format!("{name}.{column}"), &Ty::Vec(*size), &value);
            }
            Ty::Vec(3 | 4) if !self.random.one_in(3) => {
                let (value, lane) = (self.expr(&Ty::F32, 3), self.random.pick(&["x", "y", "z"]));
                self.change(out, &format!("{name}.{lane}"), &Ty::F32, &value);
            }
            Ty::Packed if !self.random.one_in(3) => {
                let member = self.random.below(3);
                let (member, ty) =
                    [("half", Ty::Half("f16")), ("byte", Ty::Int("u8")), ("short", Ty::Int("i16"))][member].clone();
                let value = self.expr(&ty, 3);
                self.change(out, &format!("{name}.{member}"), &ty, &value);
            }
            ty => {
                let value = self.expr(ty, 3);
                self.change(out, &name, ty, &value);
            }
        }
    }

    /// `place = value` or `place op= value`.
    fn change(&mut self, out: &mut String, place: &str, ty: &Ty, value: &str) {
        let operator = match ty {
            Ty::U32 | Ty::I32 | Ty::Int(_) => self.random.pick(&["", "", "+", "-", "*", "^", "&", "|"]),
            Ty::Bool => self.random.pick(&["", "^", "&", "|"]),
            Ty::F32 | Ty::Vec(_) | Ty::Mat(_) => self.random.pick(&["", "+", "-"]),
            Ty::UVec3 => self.random.pick(&["", "+", "-"]),
            Ty::Half(_) => self.random.pick(&["", "", "+", "-", "*"]),
            _ => "",
        };
        let shifted = ty.is_int() && self.random.one_in(8);
        if shifted {
            let (operator, amount) = (self.random.pick(&["<<", ">>"]), self.leaf(&Ty::U32));
            out.push_str(&format!("{place} {operator}= {amount};\n"));
        } else {
            // Some of glam's members are behind a `DerefMut`, which borrows before the value is there.
            let is_behind = matches!(ty, Ty::Vec(_)) && !operator.is_empty() && value.contains('(');
            if is_behind {
                let name = self.fresh("v");
                out.push_str(&format!("let {name} = {value};\n{place} {operator}= {name};\n"));
            } else {
                out.push_str(&format!("{place} {operator}= {value};\n"));
            }
        }
        if let (Ty::Half(name), false) = (ty, operator.is_empty()) {
            out.push_str(&format!("{place} = tame_{}({place});\n", kind(name)));
        }
    }

    pub(crate) fn if_statement(&mut self, out: &mut String, depth: usize) {
        let condition = self.expr(&Ty::Bool, 3);
        out.push_str(&format!("if {condition} "));
        self.block(out, depth - 1);
        if self.random.one_in(2) {
            out.push_str("else ");
            self.block(out, depth - 1);
        }
        self.leave(out);
    }

    /// Sometimes leaves or continues the loop around.
    fn leave(&mut self, out: &mut String) {
        if !self.labels.is_empty() && self.random.one_in(3) {
            let (label, can_break) = self.labels[self.random.below(self.labels.len())].clone();
            let how = if can_break && self.random.one_in(2) { "break" } else { "continue" };
            let condition = self.expr(&Ty::Bool, 2);
            if !label.is_empty() {
                out.push_str(&format!("if {condition} {{ {how} {label}; }}\n"));
            }
        }
        if self.loops > 0
            && let Some(result) = self.returns.clone()
            && self.random.one_in(6)
        {
            let (condition, value) = (self.expr(&Ty::Bool, 2), self.expr(&result, 2));
            out.push_str(&format!("if {condition} {{ return {value}; }}\n"));
        }
        if self.loops > 0 && self.random.one_in(4) {
            let (condition, how) = (self.expr(&Ty::Bool, 2), self.random.pick(&["break", "continue"]));
            out.push_str(&format!("if {condition} {{ {how}; }}\n"));
        }
    }

    /// A label for a loop, or none.
    fn label(&mut self, can_break: bool) -> String {
        if !self.random.one_in(3) {
            self.labels.push((String::new(), can_break));
            return String::new();
        }
        let label = self.fresh("'l");
        self.labels.push((label.clone(), can_break));
        format!("{label}: ")
    }

    fn for_statement(&mut self, out: &mut String, depth: usize) {
        if self.loops > 1 {
            return self.assignment(out);
        }
        let (name, end) = (self.fresh("k"), 1 + self.random.below(5));
        let range = match self.random.below(9) {
            0 => format!("0u32..=({} % {end})", self.leaf(&Ty::U32)),
            5 => format!("(0..{end}u32).rev()"),
            6 => format!("({} % 9..{}u32).step_by({})", self.leaf(&Ty::U32), end + 9, 2 + self.random.below(4)),
            7 => format!("(u32::MAX - {end}..=u32::MAX).rev().step_by(2)"),
            8 => format!("[{}, {}]", self.leaf(&Ty::U32), self.leaf(&Ty::U32)),
            1 => format!("1..{}u32", end + 1),
            2 => format!("({} & 3)..{}u32", self.leaf(&Ty::U32), end),
            _ => format!("0..{end}u32"),
        };
        let label = self.label(true);
        out.push_str(&format!("{label}for {name} in {range} "));
        let outer = self.scope.len();
        self.scope.push(Var { name, ty: Ty::U32, mutable: false });
        self.loops += 1;
        self.block(out, depth - 1);
        self.loops -= 1;
        self.labels.pop();
        self.scope.truncate(outer);
    }

    fn while_statement(&mut self, out: &mut String, depth: usize) {
        if self.loops > 1 {
            return self.assignment(out);
        }
        let (name, rounds) = (self.fresh("n"), 1 + self.random.below(5));
        let condition = self.expr(&Ty::Bool, 2);
        // Counted first, so that `continue` ends, too.
        let label = self.label(true);
        out.push_str(&format!(
            "let mut {name} = 0u32;\n{label}while {name} < {rounds} && {condition} {{\n{name} += 1;\n"
        ));
        self.loops += 1;
        self.block(out, depth - 1);
        self.loops -= 1;
        self.labels.pop();
        out.push_str("}\n");
    }

    fn loop_statement(&mut self, out: &mut String, depth: usize) {
        if self.loops > 1 {
            return self.assignment(out);
        }
        let (name, rounds, ty) = (self.fresh("n"), 1 + self.random.below(5), self.scalar_ty());
        let result = self.fresh("v");
        let last = self.expr(&ty, 2);
        let label = self.label(false);
        out.push_str(&format!("let mut {name} = 0u32;\nlet {result}: {ty} = {label}loop {{\n{name} += 1;\nif {name} > {rounds} {{ break {last}; }}\n"));
        let outer = self.scope.len();
        self.scope.push(Var { name, ty: Ty::U32, mutable: false });
        // A `break` without a value does not fit here.
        let loops = std::mem::take(&mut self.loops);
        let mut body = String::new();
        self.block(&mut body, depth - 1);
        self.loops = loops;
        self.labels.pop();
        out.push_str(&body);
        if self.random.one_in(2) {
            let (condition, early) = (self.expr(&Ty::Bool, 2), self.expr(&ty, 2));
            out.push_str(&format!("if {condition} {{ break {early}; }}\n"));
        }
        out.push_str("};\n");
        self.scope.truncate(outer);
        self.scope.push(Var { name: result, ty, mutable: false });
    }
}
