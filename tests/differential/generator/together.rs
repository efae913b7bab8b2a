//! Random statements in which invocations of a workgroup work together. They stand where all invocations come by.

use super::Generator;
use super::types::{Ty, Var};

impl Generator {
    /// One statement, or a few that belong together.
    pub(crate) fn together_statement(&mut self, out: &mut String) {
        match self.random.below(5) {
            0 | 1 => self.exchange(out),
            2 | 3 => self.count(out),
            _ => self.subgroup(out),
        }
    }

    /// Each invocation writes an element and reads another's.
    fn exchange(&mut self, out: &mut String) {
        let extra = if self.random.one_in(2) { self.extra.param(&mut self.random) } else { None };
        let ty =
            extra.unwrap_or_else(|| [Ty::U32, Ty::I32, Ty::F32, Ty::Pair, Ty::UVec3][self.random.below(5)].clone());
        let (tile, name, value) = (self.fresh("tile"), self.fresh("v"), self.expr(&ty, 3));
        let (other, again) = (self.expr(&Ty::U32, 2), self.random.one_in(2));
        let own = self.random.pick(&["local_index()", "local_id().x", "31 - local_index()"]);
        out.push_str(&format!("let {tile} = Shared::<[{ty}; 32]>::new();\n{tile}[{own}] = {value};\nbarrier();\n"));
        out.push_str(&format!("let mut {name} = {tile}[({other}) % 8];\n"));
        self.scope.push(Var { name: name.clone(), ty: ty.clone(), mutable: true });
        if again {
            let (value, other) = (self.expr(&ty, 2), self.leaf(&Ty::U32));
            out.push_str(&format!(
                "barrier();\n{tile}[{own}] = {value};\nbarrier();\n{name} = {tile}[({other}) % 8];\n"
            ));
        }
    }

    /// All invocations change a few atomics, in any order: by one operation, whose results nobody looks at.
    fn count(&mut self, out: &mut String) {
        let ty = [Ty::U32, Ty::I32][self.random.below(2)].clone();
        let (counts, name) = (self.fresh("counts"), self.fresh("v"));
        let operation = self.random.pick(&["add", "sub", "xor", "or", "max", "min"]);
        out.push_str(&format!("let {counts} = Shared::<[Atomic<{ty}>; 4]>::new();\n"));
        for _ in 0..1 + self.random.below(2) {
            let (index, value) = (self.expr(&Ty::U32, 2), self.expr(&ty, 2));
            let change = format!("{counts}[({index}) % 4].fetch_{operation}({value}, Relaxed);");
            if self.random.one_in(2) {
                let condition = self.expr(&Ty::Bool, 2);
                out.push_str(&format!("if {condition} {{ {change} }}\n"));
            } else {
                out.push_str(&format!("{change}\n"));
            }
        }
        let index = self.leaf(&Ty::U32);
        out.push_str(&format!("barrier();\nlet mut {name} = {counts}[({index}) % 4].load(Relaxed);\n"));
        self.scope.push(Var { name, ty, mutable: true });
    }

    /// Four lanes put their values together: what the result is does not depend on the size of subgroups.
    fn subgroup(&mut self, out: &mut String) {
        let ty = [Ty::U32, Ty::I32][self.random.below(2)].clone();
        let (name, value) = (self.fresh("v"), self.expr(&ty, 3));
        let operation = match self.random.below(6) {
            0 => format!("subgroup::quad_broadcast({value}, {})", self.random.below(4)),
            1 => format!("subgroup::quad_swap_horizontal({value})"),
            2 => format!("subgroup::quad_swap_diagonal({value})"),
            3 => format!("subgroup::clustered_max({value}, 2)"),
            4 => format!("subgroup::clustered_xor({value}, 4)"),
            _ => format!("subgroup::clustered_add({value}, 4)"),
        };
        out.push_str(&format!("let mut {name} = {operation};\n"));
        self.scope.push(Var { name, ty, mutable: true });
    }
}
