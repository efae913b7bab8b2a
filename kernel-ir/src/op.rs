//! The table of pure operations: name, arity, type rule and exact meaning of each. Effects live in `InstKind`.
//!
//! Every op is total except where its row says "requires": the meaning is Rust's, for all operands. The back end guards
//! the operands for which SPIR-V leaves the result undefined.

macro_rules! ops {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $arity:literal $rule:ident;)+) => {
        /// A pure operation. Works lane by lane on vectors unless its row says otherwise.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Op { $($(#[doc = $doc])+ $variant,)+ }

        impl Op {
            /// All ops, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The op's name in the text format.
            pub const fn name(self) -> &'static str { match self { $(Self::$variant => $name),+ } }

            /// How many operands it takes.
            pub const fn arity(self) -> usize { match self { $(Self::$variant => $arity),+ } }

            /// How the types of operands and result hang together.
            pub const fn rule(self) -> TypeRule { match self { $(Self::$variant => TypeRule::$rule),+ } }

            /// The table row's text.
            pub const fn doc(self) -> &'static str { match self { $(Self::$variant => concat!($($doc),+)),+ } }

            /// The op with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|op| op.name() == name)
            }
        }
    };
}

/// How the types of an op's operands and result hang together. "Lanes of" means that scalar or a vector of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeRule {
    /// All operands and the result: one type, lanes of a number.
    Numeric,
    /// All operands and the result: one type, lanes of a signed integer or float.
    Signed,
    /// All operands and the result: one type, lanes of a float.
    Float,
    /// All operands and the result: one type, lanes of f32.
    Single,
    /// All operands and the result: one type, lanes of f32 or f64.
    Fused,
    /// All operands and the result: one type, lanes of an integer.
    Int,
    /// All operands and the result: one type, lanes of an integer or bool.
    Bits,
    /// First operand and the result: one type, lanes of an integer; second operand: the same shape of u32.
    Shift,
    /// Both operands: one type, lanes of any scalar; result: the same shape of bool.
    Equality,
    /// Both operands: one type, lanes of a number; result: the same shape of bool.
    Order,
    /// First operand: bool; the others and the result: one type, any but unit. Or all lanes: shape of bool, then two vectors.
    Select,
    /// Operand: lanes of any scalar; result: the same shape of any scalar. `f16` and `bf16` convert to and from floats only.
    Cast,
    /// Operand: lanes of a number; result: the same shape of a number with as many bits.
    Bitcast,
    /// Operand: vector of bool; result: bool.
    Reduce,
    /// Operand: lanes of a float; result: the same shape of bool.
    FloatTest,
    /// Operand: lanes of an integer; result: the same shape of u32.
    IntCount,
}

/// The cost of running an op in a place where its own block would not run it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// Next to nothing.
    Short,
    /// Many instructions.
    Long,
    /// The same, and of integers it requires what only its own block may know.
    Guarded,
}

impl Op {
    /// The cost of the op. Each row is named, so that a new one does not compile before it has a cost.
    pub const fn cost(self) -> Cost {
        match self {
            Self::Div | Self::Rem => Cost::Guarded,
            Self::Sqrt | Self::MulAdd => Cost::Long,
            Self::Sin | Self::Cos | Self::Tan | Self::Asin | Self::Acos | Self::Atan | Self::Atan2 => Cost::Long,
            Self::Sinh | Self::Cosh | Self::Tanh | Self::Exp | Self::Exp2 | Self::Ln | Self::Log2 | Self::Powf => {
                Cost::Long
            }
            Self::NearMulAdd => Cost::Short,
            Self::Add | Self::Sub | Self::Mul | Self::Neg | Self::Min | Self::Max | Self::Abs => Cost::Short,
            Self::And | Self::Or | Self::Xor | Self::Not | Self::Shl | Self::Shr => Cost::Short,
            Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge => Cost::Short,
            Self::Select | Self::Cast | Self::Bitcast | Self::Any | Self::All | Self::Uniform | Self::Slope => {
                Cost::Short
            }
            Self::Floor | Self::Ceil | Self::Trunc | Self::Round | Self::RoundTiesEven | Self::Copysign => Cost::Short,
            Self::IsNan | Self::IsInf => Cost::Short,
            Self::CountOnes | Self::LeadingZeros | Self::TrailingZeros | Self::ReverseBits | Self::MulHigh => {
                Cost::Short
            }
        }
    }
}

ops! {
    /// Sum; integers wrap.
    Add "add" 2 Numeric;
    /// Difference; integers wrap.
    Sub "sub" 2 Numeric;
    /// Product; integers wrap.
    Mul "mul" 2 Numeric;
    /// Quotient, integers rounded toward zero. Requires for integers: no lane of the divisor is zero, and not `MIN / -1`.
    Div "div" 2 Numeric;
    /// Remainder with the sign of the dividend; of floats, exactly (`fmod`). Requires for integers: no lane of the divisor is zero, and not `MIN % -1`.
    Rem "rem" 2 Numeric;
    /// Negation; integers wrap.
    Neg "neg" 1 Signed;
    /// Bitwise or logical and.
    And "and" 2 Bits;
    /// Bitwise or logical or.
    Or "or" 2 Bits;
    /// Bitwise or logical exclusive or.
    Xor "xor" 2 Bits;
    /// Bitwise or logical not.
    Not "not" 1 Bits;
    /// Shift left by the amount modulo the number of bits.
    Shl "shl" 2 Shift;
    /// Shift right by the amount modulo the number of bits; copies the sign of signed integers.
    Shr "shr" 2 Shift;
    /// Equal; false when a float is NaN.
    Eq "eq" 2 Equality;
    /// Not equal; true when a float is NaN.
    Ne "ne" 2 Equality;
    /// Less than; false when a float is NaN.
    Lt "lt" 2 Order;
    /// At most; false when a float is NaN.
    Le "le" 2 Order;
    /// Greater than; false when a float is NaN.
    Gt "gt" 2 Order;
    /// At least; false when a float is NaN.
    Ge "ge" 2 Order;
    /// Second operand where the first is true, else the third.
    Select "select" 3 Select;
    /// Rust's `as`: saturating from float to integer with NaN to 0, `bool` to 0 or 1, nearest from integer to float. To `bool`: not zero.
    Cast "cast" 1 Cast;
    /// The same bits as another type.
    Bitcast "bitcast" 1 Bitcast;
    /// Whether any lane is true.
    Any "any" 1 Reduce;
    /// Whether all lanes are true.
    All "all" 1 Reduce;

    /// Smaller operand; of floats the other one when one is NaN.
    Min "min" 2 Numeric;
    /// Larger operand; of floats the other one when one is NaN.
    Max "max" 2 Numeric;
    /// Absolute value; the least integer stays.
    Abs "abs" 1 Signed;
    /// Largest whole number not above.
    Floor "floor" 1 Float;
    /// Smallest whole number not below.
    Ceil "ceil" 1 Float;
    /// Whole part, toward zero.
    Trunc "trunc" 1 Float;
    /// Nearest whole number, ties away from zero.
    Round "round" 1 Float;
    /// Nearest whole number, ties to even.
    RoundTiesEven "round_ties_even" 1 Float;
    /// First operand with the sign of the second.
    Copysign "copysign" 2 Float;
    /// Square root; NaN below zero.
    Sqrt "sqrt" 1 Float;
    /// First times second plus third, rounded once.
    MulAdd "mul_add" 3 Fused;
    /// First times second plus third, rounded once or twice, whatever the device does faster.
    NearMulAdd "near_mul_add" 3 Fused;
    /// Sine of radians, of any magnitude.
    Sin "sin" 1 Single;
    /// Cosine of radians, of any magnitude.
    Cos "cos" 1 Single;
    /// Tangent of radians, of any magnitude.
    Tan "tan" 1 Single;
    /// Arc sine; NaN outside [-1, 1].
    Asin "asin" 1 Single;
    /// Arc cosine; NaN outside [-1, 1].
    Acos "acos" 1 Single;
    /// Arc tangent.
    Atan "atan" 1 Single;
    /// Angle of the point (second, first), as `f32::atan2`.
    Atan2 "atan2" 2 Single;
    /// Hyperbolic sine.
    Sinh "sinh" 1 Single;
    /// Hyperbolic cosine.
    Cosh "cosh" 1 Single;
    /// Hyperbolic tangent.
    Tanh "tanh" 1 Single;
    /// e to the power of the operand.
    Exp "exp" 1 Single;
    /// 2 to the power of the operand.
    Exp2 "exp2" 1 Single;
    /// Natural logarithm; NaN below zero, -inf at zero.
    Ln "ln" 1 Single;
    /// Base-2 logarithm; NaN below zero, -inf at zero.
    Log2 "log2" 1 Single;
    /// First operand to the power of the second, with all of `f32::powf`'s special cases.
    Powf "powf" 2 Single;
    /// Whether the operand is NaN.
    IsNan "is_nan" 1 FloatTest;
    /// Whether the operand is an infinity.
    IsInf "is_inf" 1 FloatTest;
    /// Number of one bits.
    CountOnes "count_ones" 1 IntCount;
    /// Number of zero bits above the highest one; all of them for zero.
    LeadingZeros "leading_zeros" 1 IntCount;
    /// Number of zero bits below the lowest one; all of them for zero.
    TrailingZeros "trailing_zeros" 1 IntCount;
    /// The bits in the opposite order.
    ReverseBits "reverse_bits" 1 Int;
    /// Upper half of the product with twice as many bits.
    MulHigh "mul_high" 2 Int;
    /// The operand, of which the author says that it is the same in all invocations of the workgroup.
    Uniform "uniform" 1 Bits;
    /// First operand, of which the author says that the third is its derivative by the second.
    Slope "slope" 3 Float;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_requires_something_is_guarded() {
        for op in Op::ALL {
            assert_eq!(op.doc().contains("Requires"), op.cost() == Cost::Guarded, "`{}`", op.name());
        }
    }
}
