//! Random kernels as Rust source: well typed, ending, free of traps, and the same for the same seed. It compiles and runs nothing.
//!
//! A third of the kernels works together: shared memory, barriers, atomics whose order does not matter, clusters of four
//! lanes. The others are made a second time as plain functions, which rustc compiles without any macro.
//!
//! All kernels begin with the same parameters, and what some have beside them is one list of two, so that one harness runs them all. Results of floats are kept away from what devices may
//! do differently: subnormal numbers, the sign of zero, the bits of NaN.

mod call;
mod expr;
mod extra;
mod matrix;
mod number;
mod pattern;
mod random;
mod sequence;
mod stmt;
mod together;
mod types;

use extra::Extra;
use random::Random;
use types::{Ty, Var};

/// Words of output per invocation.
pub(crate) const WORDS: usize = 4;

/// A random kernel with the items it needs, as a module.
pub(crate) struct Source {
    pub(crate) text: String,
    /// Whether its invocations work together.
    pub(crate) together: bool,
    /// Arguments of the kernel before the output, as fields of `data`; and of the plain function.
    pub(crate) arguments: [String; 2],
}

/// One random kernel with the items it needs, as a module named `module`; the plain function `plain::random` in it.
pub(crate) fn program(seed: u64, module: &str) -> Source {
    let Program { helpers, kernel, together } = items(seed, "random");
    let helpers: String = helpers.iter().map(|helper| format!("    #[device]\n    pub {helper}")).collect();
    let plain = if together { String::new() } else { plain(seed) };
    let text = format!(
        "pub mod {module} {{\n    use super::*;\n{helpers}    #[kernel(workgroup = 32)]\n    pub {kernel}{plain}}}\n"
    );
    Source { text, together, arguments: [false, true].map(|plain| Extra::of(seed).arguments(plain)) }
}

/// The functions of a random program, without attributes.
pub(crate) struct Program {
    pub(crate) helpers: Vec<String>,
    pub(crate) kernel: String,
    /// Whether its invocations work together.
    pub(crate) together: bool,
}

/// The functions of one random program.
pub(crate) fn items(seed: u64, kernel: &str) -> Program {
    let mut generator = Generator::new(seed, false);
    let helpers = generator.helpers();
    let body = generator.kernel_body();
    // What is read as texels is the same: some programs fetch some of it so.
    let [x, y, z] = [1, 2, 4].map(|bit| if seed & 8 != 0 && seed & bit != 0 { "#[texels] " } else { "" });
    let kernel = format!(
        "fn {kernel}(a: u32, b: i32, c: f32, {x}x: &[u32], {y}y: &[i32], {z}z: &[f32], {}out: &mut [u32]) {{\n{body}    }}\n",
        generator.extra.signature(false)
    );
    Program { helpers, kernel, together: generator.together }
}

/// The same functions for rustc alone.
fn plain(seed: u64) -> String {
    let mut generator = Generator::new(seed, true);
    let helpers = generator.helpers().concat();
    let body = generator.kernel_body();
    format!(
        "pub mod plain {{\n use super::super::*;\n{helpers}\npub fn random(a: u32, b: i32, c: f32, x: &[u32], y: &[i32], \
         z: &[f32], {}i: u32) -> [u32; {WORDS}] {{\n{}{body} }}\n}}\n",
        generator.extra.signature(true),
        generator.extra.locals()
    )
}

/// The scope of a program that is being made.
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
    /// Labels of the loops around, and whether `break` may name them: not where it needs a value.
    pub(crate) labels: Vec<(String, bool)>,
    /// The result type of the function around, if `?` and `return` may stand here.
    pub(crate) returns: Option<Ty>,
    /// Whether invocations work together.
    pub(crate) together: bool,
    /// Whether the text is for rustc alone.
    pub(crate) plain: bool,
    /// Whether it compares what is made of parts: only some seeds do, so that the others stay what they were.
    pub(crate) orders: bool,
    /// Whether it has chains, slices, and closures that change what is around them: some seeds, for the same reason.
    pub(crate) sequences: bool,
    /// The extra that only some seeds have.
    pub(crate) extra: Extra,
    /// Whether a slice is in scope, which no closure that is passed on may name.
    pub(crate) in_part: bool,
}

/// A device function made before.
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) params: Vec<Ty>,
    pub(crate) result: Ty,
}

impl Function {
    /// Whether it can give a value of a type.
    pub(crate) fn gives(&self, ty: &Ty) -> bool {
        self.result == *ty || (self.result == Ty::Param && *ty != Ty::Param)
    }
}

impl Generator {
    fn new(seed: u64, plain: bool) -> Self {
        let mut random = Random::new(seed);
        let together = random.one_in(3);
        Self {
            random,
            labels: Vec::new(),
            returns: None,
            together,
            plain,
            orders: seed % 3 == 1,
            sequences: seed % 4 == 3,
            extra: Extra::of(seed),
            in_part: false,
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

    fn helpers(&mut self) -> Vec<String> {
        (0..self.random.below(4)).map(|_| self.device_fn()).collect()
    }

    /// An index as the text's language wants it.
    pub(crate) fn as_index(&self, index: &str) -> String {
        if self.plain { format!("({index}) as usize") } else { index.to_owned() }
    }

    fn device_fn(&mut self) -> String {
        let name = self.fresh("helper");
        let (params, result) = if self.random.one_in(4) {
            (vec![Ty::Param, Ty::Param, self.scalar_ty()], Ty::Param)
        } else {
            let params = (0..1 + self.random.below(3)).map(|_| self.param_ty()).collect();
            (params, self.param_ty())
        };
        let generics = if result == Ty::Param { "<T: Copy>" } else { "" };
        self.scope.clear();
        self.returns = Some(result.clone());
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
        self.returns = None;
        self.functions.push(Function { name: name.clone(), params, result: result.clone() });
        format!("fn {name}{generics}({}) -> {result} {{\n{body}{tail}\n    }}\n", signature.join(", "))
    }

    fn kernel_body(&mut self) -> String {
        self.scope.clear();
        self.in_kernel = true;
        for (name, ty) in [("a", Ty::U32), ("b", Ty::I32), ("c", Ty::F32), ("i", Ty::U32)] {
            self.scope.push(Var { name: name.to_owned(), ty, mutable: false });
        }
        let mut body = if self.plain { "" } else { "let i = global_id().x;\n" }.to_owned();
        let [first, second, third, small] =
            ["i % 64", "(i + 5) % 64", "(i * 3) % 64", "i % 13"].map(|index| self.as_index(index));
        let extra = self.extra_locals();
        // Something of most types that differs between invocations.
        let common = [
            (Ty::U32, format!("x[{first}]")),
            (Ty::I32, format!("y[{second}]")),
            (Ty::F32, format!("z[{third}]")),
            (Ty::Array(Box::new(Ty::U32)), format!("[x[{small}], i, a, 7]")),
            (Ty::Pair, format!("Pair {{ first: i, second: [b, 1, i as i32], third: z[{first}] }}")),
            (Ty::Option, format!("small(x[{first}])")),
            (Ty::Span, "Span::new(i, b) + Span::UNIT".to_owned()),
            (Ty::F64, format!("y[{second}] as f64 * 0.5")),
            (Ty::Shape, "grown(Shape::Line(b), i)".to_owned()),
        ];
        for (ty, value) in common.into_iter().chain(extra) {
            let name = self.fresh("s");
            body.push_str(&format!("let mut {name} = {value};\n"));
            self.scope.push(Var { name, ty, mutable: true });
        }
        self.budget = 10 + self.random.below(16);
        while self.budget > 0 {
            self.statements(&mut body, 3);
            if self.together {
                self.together_statement(&mut body);
            } else if self.random.one_in(4) {
                self.early_return(&mut body);
            }
        }
        body.push_str("let mut word = [0u32; 4];\n");
        let visible = std::mem::take(&mut self.scope);
        for (position, var) in visible.iter().enumerate() {
            let value = types::as_word(&var.ty, &var.name);
            let slot = position % WORDS;
            body.push_str(&format!("word[{slot}] = word[{slot}].rotate_left(7).wrapping_mul(31) ^ {value};\n"));
        }
        if self.plain {
            body.push_str("word\n");
            return body;
        }
        for slot in 0..WORDS {
            body.push_str(&format!("out[i * {WORDS} + {slot}] = word[{slot}];\n"));
        }
        body
    }
}
