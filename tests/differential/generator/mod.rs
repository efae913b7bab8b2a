//! Random kernels as Rust source: well typed, ending, free of traps, and the same for the same seed. It compiles and runs nothing.
//!
//! All kernels have one signature, so that one harness runs them all. Results of floats are kept away from what devices may
//! do differently: subnormal numbers, the sign of zero, the bits of NaN.

mod expr;
mod pattern;
mod random;
mod stmt;
mod types;

use random::Random;

use types::{Ty, Var};

/// Words of output per invocation.
pub(crate) const WORDS: usize = 4;

/// One random kernel with the items it needs, as a module named `module`.
pub(crate) fn program(seed: u64, module: &str) -> String {
    let Program { helpers, kernel } = items(seed, "random");
    let helpers: String = helpers.iter().map(|helper| format!("    #[device]\n    pub {helper}")).collect();
    format!("pub mod {module} {{\n    use super::*;\n{helpers}    #[kernel(workgroup = 32)]\n    pub {kernel}}}\n")
}

/// The functions of a random program, without attributes.
pub(crate) struct Program {
    pub(crate) helpers: Vec<String>,
    pub(crate) kernel: String,
}

/// The functions of one random program.
pub(crate) fn items(seed: u64, kernel: &str) -> Program {
    let mut generator = Generator::new(seed);
    let helpers = (0..generator.random.below(3)).map(|_| generator.device_fn()).collect();
    let body = generator.kernel_body();
    let kernel = format!(
        "fn {kernel}(a: u32, b: i32, c: f32, x: &[u32], y: &[i32], z: &[f32], out: &mut [u32]) {{\n{body}    }}\n"
    );
    Program { helpers, kernel }
}

/// What is in scope while a program is made.
pub(crate) struct Generator {
    pub(crate) random: Random,
    pub(crate) scope: Vec<Var>,
    pub(crate) functions: Vec<Function>,
    /// Numbers names.
    pub(crate) names: usize,
    /// Loops around the current point.
    pub(crate) loops: usize,
    /// Statements that may still be made.
    pub(crate) budget: usize,
    /// Whether the current point lies in a kernel, where buffers are.
    pub(crate) in_kernel: bool,
}

/// A device function made before.
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) params: Vec<Ty>,
    pub(crate) result: Ty,
}

impl Generator {
    fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            scope: Vec::new(),
            functions: Vec::new(),
            names: 0,
            loops: 0,
            budget: 0,
            in_kernel: false,
        }
    }

    pub(crate) fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn device_fn(&mut self) -> String {
        let name = self.fresh("helper");
        let params: Vec<Ty> = (0..1 + self.random.below(3)).map(|_| Ty::any_param(&mut self.random)).collect();
        let result = Ty::any_param(&mut self.random);
        self.scope.clear();
        self.in_kernel = false;
        let mut signature = Vec::new();
        for ty in &params {
            let (name, mutable) = (self.fresh("p"), self.random.one_in(3));
            signature.push(format!("{}{name}: {ty}", if mutable { "mut " } else { "" }));
            self.scope.push(Var { name, ty: ty.clone(), mutable });
        }
        self.budget = 4;
        let mut body = String::new();
        self.statements(&mut body, 2);
        if self.random.one_in(3) {
            let (condition, early) = (self.expr(&Ty::Bool, 2), self.expr(&result, 2));
            body.push_str(&format!("if {condition} {{ return {early}; }}\n"));
        }
        let tail = self.expr(&result, 3);
        self.functions.push(Function { name: name.clone(), params, result: result.clone() });
        format!("fn {name}({}) -> {result} {{\n{body}{tail}\n    }}\n", signature.join(", "))
    }

    fn kernel_body(&mut self) -> String {
        self.scope.clear();
        self.in_kernel = true;
        for (name, ty) in [("a", Ty::U32), ("b", Ty::I32), ("c", Ty::F32), ("i", Ty::U32)] {
            self.scope.push(Var { name: name.to_owned(), ty, mutable: false });
        }
        let mut body = "let i = global_id().x;\n".to_owned();
        // Something of most types that differs between invocations.
        for (ty, value) in [
            (Ty::U32, "x[i % 64]"),
            (Ty::I32, "y[(i + 5) % 64]"),
            (Ty::F32, "z[(i * 3) % 64]"),
            (Ty::Array(Box::new(Ty::U32)), "[x[i % 13], i, a, 7]"),
            (Ty::Pair, "Pair { first: i, second: [b, 1, i as i32], third: z[i % 64] }"),
            (Ty::Option, "small(x[i % 64])"),
            (Ty::Shape, "grown(Shape::Line(b), i)"),
        ] {
            let name = self.fresh("s");
            body.push_str(&format!("let mut {name} = {value};\n"));
            self.scope.push(Var { name, ty, mutable: true });
        }
        self.budget = 10 + self.random.below(16);
        while self.budget > 0 {
            self.statements(&mut body, 3);
        }
        body.push_str("let mut word = [0u32; 4];\n");
        let visible = std::mem::take(&mut self.scope);
        for (position, var) in visible.iter().enumerate() {
            let value = types::as_word(&var.ty, &var.name);
            let slot = position % WORDS;
            body.push_str(&format!("word[{slot}] = word[{slot}].rotate_left(7).wrapping_mul(31) ^ {value};\n"));
        }
        for slot in 0..WORDS {
            body.push_str(&format!("out[i * {WORDS} + {slot}] = word[{slot}];\n"));
        }
        body
    }
}
