//! Random expressions of `f16` and `bf16`, and between these and other numbers. Both are floats like others: what may differ between
//! devices is kept away from, as the harness's `tame_half` does with what devices may make zero of.

use super::Generator;
use super::random::Random;
use super::types::{OTHER_INTS, Ty};

/// The part of the harness's function names that stands for a type.
pub(crate) fn kind(name: &str) -> &'static str {
    if name == "f16" { "half" } else { "brain" }
}

/// A literal, as far as such types have any.
pub(crate) fn literal(name: &str, random: &mut Random) -> String {
    match random.below(3) {
        0 => format!(
            "{name}::{}",
            random.pick(&[
                "ZERO",
                "NEG_ZERO",
                "ONE",
                "NEG_ONE",
                "MAX",
                "MIN",
                "INFINITY",
                "NEG_INFINITY",
                "NAN",
                "EPSILON",
                "PI"
            ])
        ),
        1 => format!("{name}::from_bits({:#x})", random.pick(&[0x3c01, 0x4248, 0xb800, 0x7bff, 0x3555, 0xc580])),
        _ => format!("{name}::from_f32({:?}f32)", (random.next() as i16 | 1) as f32 / 64.0),
    }
}

impl Generator {
    /// A literal of a scalar type.
    pub(crate) fn literal(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Half(name) => literal(name, &mut self.random),
            other => other.literal(&mut self.random),
        }
    }

    pub(crate) fn half_operation(&mut self, name: &'static str, depth: usize) -> String {
        let ty = Ty::Half(name);
        let left = self.expr(&ty, depth - 1);
        let tame = format!("tame_{}", kind(name));
        match self.random.below(14) {
            0 | 1 => format!("{tame}({left} {} {})", self.random.pick(&["+", "-"]), self.expr(&ty, depth - 1)),
            2 | 3 => format!("{tame}({left} * {})", self.expr(&ty, depth - 1)),
            4 => format!("{tame}({left} / nonzero_{}({}))", kind(name), self.expr(&ty, depth - 1)),
            5 => format!("{tame}({left} % {})", self.expr(&ty, depth - 1)),
            6 => {
                let lesser = self.random.pick(&["min", "max"]);
                format!("({left}.{lesser}({}) + {name}::ZERO)", self.expr(&ty, depth - 1))
            }
            7 => format!("{left}.clamp({name}::from_f32(-2.5), {name}::from_f32(100.0))"),
            8 => format!("(-{left})"),
            9 => {
                let from = ["u8", "i8"][self.random.below(2)];
                let from = self.expr(&Ty::Int(from), depth - 1);
                format!("{name}::from({from})")
            }
            10 => {
                let (other, method) = if name == "f16" { ("bf16", "to_f32") } else { ("f16", "to_f32") };
                format!("{tame}({name}::from_f32({}.{method}()))", self.expr(&Ty::Half(other), depth - 1))
            }
            11 => {
                let integer = Ty::Int(self.random.pick(&OTHER_INTS));
                format!("{name}::from_f32({} as f32)", self.expr(&integer, depth - 1))
            }
            _ => format!("{tame}({name}::from_f32({}))", self.expr(&Ty::F32, depth - 1)),
        }
    }

    /// A number of another type, made of a narrow float.
    pub(crate) fn of_half(&mut self, ty: &Ty, depth: usize) -> String {
        let name = self.random.pick(&["f16", "f16", "bf16"]);
        let value = self.expr(&Ty::Half(name), depth - 1);
        let wide = self.random.pick(&["f32", "f64"]);
        match ty {
            Ty::Bool => format!("{value}.{}()", self.random.pick(&["is_nan", "is_infinite", "is_finite"])),
            Ty::F32 | Ty::F64 if self.random.one_in(2) => format!("{ty}::from({value})"),
            Ty::F32 | Ty::F64 => format!("{value}.to_{ty}()"),
            _ if self.random.one_in(3) => format!("(word_of_{}({value}) as {ty})", kind(name)),
            _ => format!("({value}.to_{wide}() as {ty})"),
        }
    }

    pub(crate) fn packed(&mut self, depth: usize) -> String {
        let base = self.leaf(&Ty::Packed);
        let depth = depth.saturating_sub(1);
        match self.random.below(4) {
            0 => format!("(Packed {{ half: {}, ..{base} }})", self.expr(&Ty::Half("f16"), depth)),
            1 => format!("(Packed {{ byte: {}, ..{base} }})", self.expr(&Ty::Int("u8"), depth)),
            2 => format!("(Packed {{ wide: {}, ..{base} }})", self.expr(&Ty::Int("u64"), depth)),
            _ => format!("(Packed {{ brain: {}, ..{base} }})", self.expr(&Ty::Half("bf16"), depth)),
        }
    }

    pub(crate) fn packed_leaf(&mut self) -> String {
        let parts: Vec<_> = [Ty::Half("f16"), Ty::Half("bf16"), Ty::Int("u8"), Ty::Int("i16"), Ty::Int("u64")]
            .iter()
            .map(|ty| self.leaf(ty))
            .collect();
        let [half, brain, byte, short, wide] = parts.try_into().expect("five");
        format!("(Packed {{ half: {half}, brain: {brain}, byte: {byte}, short: {short}, wide: {wide} }})")
    }
}
