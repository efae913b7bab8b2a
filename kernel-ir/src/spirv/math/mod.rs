//! Float functions that SPIR-V has only inexactly, or not for all operands: one helper function each, defined when used.
//!
//! Helpers work on scalars; vectors call them lane by lane, but for `mul_add`, which devices may have for vectors. Special cases
//! (zeros, infinities, NaN, domains) are Rust's.
//!
//! | function | error, in units of the last place |
//! | --- | --- |
//! | `rem`, `mul_add`, division by a constant; of `f64`: `floor`, `ceil`, `trunc`, `round_ties_even` | none, for all operands |
//! | `exp2`, `ln`, `log2`, `tanh` | below 2 |
//! | `exp`, `powf` | below 2, and below 3.5 where the device's own `Exp2` is used |
//! | `sinh`, `cosh` | below 2, and below 4 where it is |
//! | `sin`, `cos`, `tan`, `asin`, `acos`, `atan`, `atan2` | below 3, for all operands |
//! | `sqrt`, and other divisions | the device's: Vulkan allows 3 and 2.5, devices in use have none |
//!
//! That is with a division rounded as usual; at its allowed worst, `tan`, `atan`, `atan2` and `tanh` lose 2 more, as does `tanh` with a
//! device's own `Exp2`.
//! A device that cannot preserve subnormals may take them for zero, as operands and as results, in any op but those done
//! on bits.

mod arc;
mod asm;
pub(super) mod constant_divisor;
mod division;
mod double;
mod exponential;
mod fused;
mod logarithm;
mod power;
mod reciprocal;
mod remainder;
mod root;
mod round;
mod trigonometry;

use rspirv::spirv::Op as Spv;

use self::asm::Asm;
use super::module::Writer;
use super::types::Lanes;
use super::words::Id;
use crate::op::Op;
use crate::types::Scalar;

/// Defines one helper per row: variant, name, types of parameters and result, the op it does, the function that writes it.
macro_rules! helpers {
    ($($variant:ident $name:literal ($($param:ident)*) $result:ident $op:expr => $write:path;)+) => {
        /// A function that does an op, or part of one.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Helper { $($variant,)+ }

        impl Helper {
            const COUNT: usize = [$(Self::$variant),+].len();

            const fn name(self) -> &'static str { match self { $(Self::$variant => $name),+ } }

            const fn params(self) -> &'static [Lanes] { match self { $(Self::$variant => &[$($param),*]),+ } }

            const fn result(self) -> Lanes { match self { $(Self::$variant => $result),+ } }

            /// The helper that does all of `op`.
            pub(super) fn of(op: Op) -> Option<Self> {
                $(if $op == Some(op) { return Some(Self::$variant); })+
                None
            }

            /// The helper that does the same to `f64`, or to whole vectors, if there is one.
            pub(super) fn of_lanes(self, lanes: Lanes) -> Self {
                match (self, lanes.count) {
                    (Self::MulAdd, _) if lanes.scalar == Scalar::F64 => Self::MulAddDouble,
                    (Self::MulAdd, 2) => Self::MulAdd2,
                    (Self::MulAdd, 3) => Self::MulAdd3,
                    (Self::MulAdd, 4) => Self::MulAdd4,
                    _ => self,
                }
            }

            fn write(self, asm: &mut Asm<'_, '_>, params: &[Id]) -> Id {
                match self { $(Self::$variant => $write(asm, params)),+ }
            }
        }
    };
}

const F: Lanes = Lanes::one(Scalar::F32);
/// `f64`.
const D: Lanes = Lanes::one(Scalar::F64);
const U: Lanes = Lanes::one(Scalar::U64);
const S: Lanes = Lanes::one(Scalar::I64);
const F2: Lanes = Lanes { scalar: Scalar::F32, count: 2 };
const F3: Lanes = Lanes { scalar: Scalar::F32, count: 3 };
const F4: Lanes = Lanes { scalar: Scalar::F32, count: 4 };

helpers! {
    Sqrt "sqrt" (F) F Some(Op::Sqrt) => root::sqrt;
    SqrtOfOthers "sqrt_of_others" (F) F None => root::sqrt_of_others;
    SqrtDouble "sqrt_f64" (D) D None => root::sqrt_f64;
    RecipOfRoot "recip_of_root" (F) F None => reciprocal::of_root;
    Fmod "fmod" (F F) F None => remainder::fmod_f32;
    FmodByConstant "fmod_by_constant" (F F F) F None => remainder::fmod_by_constant;
    FmodInIntegers "fmod_in_integers" (F F) F None => remainder::fmod;
    FmodDouble "fmod_f64" (D D) D None => remainder::fmod;
    Quotient "quotient" (F F F) F None => constant_divisor::quotient;
    QuotientNear "quotient_near" (F F F) F None => constant_divisor::quotient_near;
    DivideWide "divide_u64" (U U) U None => division::quotient;
    DivideSignedWide "divide_i64" (S S) S None => division::signed_quotient;
    MulAdd "mul_add" (F F F) F Some(Op::MulAdd) => fused::mul_add;
    MulAdd2 "mul_add_vec2" (F2 F2 F2) F2 None => fused::mul_add_of::<2>;
    MulAdd3 "mul_add_vec3" (F3 F3 F3) F3 None => fused::mul_add_of::<3>;
    MulAdd4 "mul_add_vec4" (F4 F4 F4) F4 None => fused::mul_add_of::<4>;
    MulAddExact "mul_add_exact" (F F F) F None => fused::mul_add_exact;
    MulAddDouble "mul_add_f64" (D D D) D None => fused::mul_add;
    MulAddExactDouble "mul_add_exact_f64" (D D D) D None => fused::mul_add_exact;
    RoundTiesEvenDouble "round_ties_even_f64" (D) D None => round::ties_even;
    TruncDouble "trunc_f64" (D) D None => round::trunc;
    FloorDouble "floor_f64" (D) D None => round::floor;
    CeilDouble "ceil_f64" (D) D None => round::ceil;
    ReduceAngle "reduce_angle" (F) F2 None => trigonometry::reduce;
    Sin "sin" (F) F Some(Op::Sin) => trigonometry::sin;
    Cos "cos" (F) F Some(Op::Cos) => trigonometry::cos;
    SinCos "sin_cos" (F) F2 None => trigonometry::sin_cos;
    Tan "tan" (F) F Some(Op::Tan) => trigonometry::tan;
    Asin "asin" (F) F Some(Op::Asin) => arc::asin;
    Acos "acos" (F) F Some(Op::Acos) => arc::acos;
    Atan "atan" (F) F Some(Op::Atan) => arc::atan;
    Atan2 "atan2" (F F) F Some(Op::Atan2) => arc::atan2;
    Atan2OfOthers "atan2_of_others" (F F) F None => arc::atan2_of_others;
    Sinh "sinh" (F) F Some(Op::Sinh) => exponential::sinh;
    Cosh "cosh" (F) F Some(Op::Cosh) => exponential::cosh;
    Tanh "tanh" (F) F Some(Op::Tanh) => exponential::tanh;
    Exp "exp" (F) F Some(Op::Exp) => exponential::exp;
    Exp2 "exp2" (F) F Some(Op::Exp2) => exponential::exp2;
    Ln "ln" (F) F Some(Op::Ln) => logarithm::ln;
    Log2 "log2" (F) F Some(Op::Log2) => logarithm::log2;
    Powf "powf" (F F) F Some(Op::Powf) => power::powf;
    PowfOfOthers "powf_of_others" (F F) F None => power::powf_of_others;
}

/// Helpers that something calls, in the order of the first calls.
#[derive(Debug)]
pub(super) struct Helpers {
    ids: [Option<Id>; Helper::COUNT],
    wanted: Vec<Helper>,
    /// Whether what is written now is a helper.
    pub(super) are_being_written: bool,
}

impl Default for Helpers {
    fn default() -> Self {
        Self { ids: [None; Helper::COUNT], wanted: Vec::new(), are_being_written: false }
    }
}

impl Writer<'_> {
    /// Calls a helper, on vectors lane by lane unless it is one for vectors.
    pub(super) fn call_helper(&mut self, helper: Helper, lanes: Lanes, operands: &[Id]) -> Id {
        let (function, result) = (self.helper_id(helper), self.lanes_type(helper.result()));
        let call = |w: &mut Self, operands: &[Id]| {
            let operands: Vec<_> = [function].into_iter().chain(operands.iter().copied()).collect();
            w.op(Spv::FunctionCall, result, &operands)
        };
        if helper.params()[0].count == lanes.count {
            return call(self, operands);
        }
        let scalar = self.lanes_type(Lanes::one(lanes.scalar));
        let mut results = Vec::with_capacity(usize::from(lanes.count));
        for lane in 0..u32::from(lanes.count) {
            let operands: Vec<_> =
                operands.iter().map(|operand| self.op(Spv::CompositeExtract, scalar, &[*operand, lane])).collect();
            results.push(call(self, &operands));
        }
        let vector = self.lanes_type(lanes);
        self.op(Spv::CompositeConstruct, vector, &results)
    }

    fn helper_id(&mut self, helper: Helper) -> Id {
        if let Some(id) = self.helpers.ids[helper as usize] {
            return id;
        }
        let id = self.new_id();
        self.helpers.ids[helper as usize] = Some(id);
        self.helpers.wanted.push(helper);
        self.name(id, helper.name());
        id
    }

    /// Defines all helpers that something calls; they may call more.
    pub(super) fn write_helpers(&mut self) {
        let mut written = 0;
        self.helpers.are_being_written = true;
        while let Some(&helper) = self.helpers.wanted.get(written) {
            written += 1;
            self.write_helper(helper);
        }
    }

    fn write_helper(&mut self, helper: Helper) {
        let function = self.helper_id(helper);
        let result = self.lanes_type(helper.result());
        let params: Vec<_> = helper.params().iter().map(|lanes| self.lanes_type(*lanes)).collect();
        let signature: Vec<_> = [result].into_iter().chain(params.iter().copied()).collect();
        let signature = self.global(Spv::TypeFunction, None, &signature);
        self.op_into(function, Spv::Function, result, &[0, signature]);
        let params: Vec<_> = params.iter().map(|ty| self.op(Spv::FunctionParameter, *ty, &[])).collect();
        let entry = self.new_id();
        self.begin_block(entry);
        let mut asm = Asm::new(self, helper.params()[0].scalar);
        let value = helper.write(&mut asm, &params);
        self.effect(Spv::ReturnValue, &[value]);
        self.effect(Spv::FunctionEnd, &[]);
    }
}
