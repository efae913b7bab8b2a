//! Extras of programs: narrow floats, or matrices, which only some seeds have, so that the others stay the same
//! programs. Buffers of them are read; in others each invocation has an element of its own.

use super::Generator;
use super::random::Random;
use super::types::{Ty, Var};

/// The extra of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extra {
    Nothing,
    /// `f16` and `bf16`, and structs with members of 8, 16 and 64 bits.
    Halves,
    /// glam's matrices and vectors of `f32`.
    Matrices,
}

/// A parameter that only programs with something more have.
struct Param {
    name: &'static str,
    ty: &'static str,
    /// The value of an element before the first launch, if each invocation writes its own; else the host fills it.
    own: Option<&'static str>,
}

const HALVES: &[Param] = &[
    Param { name: "packed", ty: "Packed", own: None },
    Param { name: "halves", ty: "f16", own: None },
    Param { name: "bytes", ty: "u8", own: None },
    Param { name: "own_half", ty: "f16", own: Some("f16::ZERO") },
    Param { name: "own_byte", ty: "u8", own: Some("0") },
    Param { name: "own_wide", ty: "i64", own: Some("0") },
];

const MATRICES: &[Param] = &[
    Param { name: "poses", ty: "Pose", own: None },
    Param { name: "own_frame", ty: "Mat3", own: Some("Mat3::ZERO") },
    Param { name: "own_column", ty: "Vec4", own: Some("Vec4::ZERO") },
];

impl Extra {
    pub(crate) fn of(seed: u64) -> Self {
        match seed % 5 {
            1 => Self::Halves,
            3 => Self::Matrices,
            _ => Self::Nothing,
        }
    }

    fn params(self) -> &'static [Param] {
        match self {
            Self::Nothing => &[],
            Self::Halves => HALVES,
            Self::Matrices => MATRICES,
        }
    }

    /// The parameters of the kernel, or of the plain function, which has what each invocation writes for itself.
    pub(crate) fn signature(self, plain: bool) -> String {
        let params = self.params().iter().filter(|param| !plain || param.own.is_none());
        let slice = |own: bool| if own { "&mut " } else { "&" };
        params.map(|Param { name, ty, own }| format!("{name}: {}[{ty}], ", slice(own.is_some()))).collect()
    }

    /// The locals of the plain function that take the place of written buffers.
    pub(crate) fn locals(self) -> String {
        let own = self.params().iter().filter_map(|Param { name, ty, own }| own.map(|own| (name, ty, own)));
        own.map(|(name, ty, own)| format!("let mut {name}: [{ty}; 64] = [{own}; 64];\n")).collect()
    }

    /// The arguments after those of all programs, as fields of `data`, which the plain function does not change.
    pub(crate) fn arguments(self, plain: bool) -> String {
        let params = self.params().iter().filter(|param| !plain || param.own.is_none());
        let slice = |own: bool| if own { "&mut " } else { "&" };
        params.map(|Param { name, own, .. }| format!("{}data.{name}, ", slice(own.is_some()))).collect()
    }

    /// A type that only such programs have, of those with literals.
    pub(crate) fn scalar(self, random: &mut Random) -> Option<Ty> {
        (self == Self::Halves && random.one_in(4)).then(|| half(random))
    }

    /// A type that only such programs have, which functions may take and give.
    pub(crate) fn param(self, random: &mut Random) -> Option<Ty> {
        if self == Self::Nothing || !random.one_in(3) {
            return None;
        }
        Some(match (self, random.below(5)) {
            (Self::Halves, 0) => Ty::Packed,
            (Self::Halves, _) => half(random),
            (_, 0 | 1) => Ty::Vec(2 + random.below(3) as u8),
            _ => Ty::Mat(2 + random.below(3) as u8),
        })
    }
}

fn half(random: &mut Random) -> Ty {
    Ty::Half(if random.one_in(3) { "bf16" } else { "f16" })
}

impl Generator {
    pub(crate) fn scalar_ty(&mut self) -> Ty {
        self.extra.scalar(&mut self.random).unwrap_or_else(|| Ty::scalar(&mut self.random))
    }

    /// A type that a device function can take and give.
    pub(crate) fn param_ty(&mut self) -> Ty {
        self.extra.param(&mut self.random).unwrap_or_else(|| Ty::any_param(&mut self.random))
    }

    /// A type that a variable can have.
    pub(crate) fn any_ty(&mut self) -> Ty {
        if self.extra == Extra::Halves && self.random.one_in(8) {
            return Ty::Array(Box::new(half(&mut self.random)));
        }
        self.extra.param(&mut self.random).unwrap_or_else(|| Ty::any(&mut self.random))
    }

    /// The variables in scope from the beginning: one of each type that differs between invocations, and one for each
    /// element to write.
    pub(crate) fn extra_locals(&mut self) -> Vec<(Ty, String)> {
        let [at, next] = ["i % 64", "(i + 9) % 64"].map(|index| self.as_index(index));
        let own = self.as_index("i");
        let mut variable = |name: &str, ty| {
            self.scope.push(Var { name: format!("{name}[{own}]"), ty, mutable: true });
        };
        match self.extra {
            Extra::Nothing => Vec::new(),
            Extra::Halves => {
                variable("own_half", Ty::Half("f16"));
                variable("own_byte", Ty::Int("u8"));
                variable("own_wide", Ty::Int("i64"));
                vec![
                    (Ty::Half("f16"), format!("halves[{at}]")),
                    (Ty::Half("bf16"), format!("packed[{at}].brain")),
                    (Ty::Packed, format!("packed[{next}]")),
                    (Ty::Array(Box::new(Ty::Half("f16"))), format!("[halves[{next}]; 4]")),
                ]
            }
            Extra::Matrices => {
                variable("own_frame", Ty::Mat(3));
                variable("own_column", Ty::Vec(4));
                vec![
                    (Ty::Mat(2), format!("poses[{at}].turn")),
                    (Ty::Mat(3), format!("poses[{next}].frame")),
                    (Ty::Mat(4), format!("poses[{at}].view")),
                    (Ty::Vec(3), format!("poses[{at}].frame.y_axis")),
                    (Ty::Vec(4), format!("poses[{next}].view.w_axis")),
                ]
            }
        }
    }

    /// An element of a buffer that only such programs have, or part of one.
    pub(crate) fn extra_part(&mut self, ty: &Ty) -> Option<String> {
        let index = self.leaf(&Ty::U32);
        let at = format!("[({index} % 64) as usize]");
        Some(match (self.extra, ty) {
            (Extra::Halves, Ty::Half("f16")) if self.random.one_in(2) => format!("halves{at}"),
            (Extra::Halves, Ty::Half("f16")) => format!("packed{at}.half"),
            (Extra::Halves, Ty::Half(_)) => format!("packed{at}.brain"),
            (Extra::Halves, Ty::Int("u8")) => format!("bytes{at}"),
            (Extra::Halves, Ty::Int("i16")) => format!("packed{at}.short"),
            (Extra::Halves, Ty::Int("u64")) => format!("packed{at}.wide"),
            (Extra::Halves, Ty::Packed) => format!("packed{at}"),
            (Extra::Matrices, Ty::Mat(2)) => format!("poses{at}.turn"),
            (Extra::Matrices, Ty::Mat(3)) => format!("poses{at}.frame"),
            (Extra::Matrices, Ty::Mat(4)) => format!("poses{at}.view"),
            (Extra::Matrices, Ty::Vec(4)) => format!("poses{at}.view.x_axis"),
            (Extra::Matrices, Ty::F32) => format!("poses{at}.frame.z_axis.y"),
            _ => return None,
        })
    }
}
