//! The table of arithmetic whose name says what happens on overflow: `wrapping_add`, `checked_mul`, `overflowing_shl`, …. One
//! row per operation; each has up to five methods.

use crate::builtin::intrinsic::{Intrinsic, Kind, Receiver, Row, Sig};

/// The behaviour of a method if the result does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Overflow {
    /// Gives the lower bits.
    Wrapping,
    /// Gives the lower bits, and whether they are not all.
    Overflowing,
    /// Gives `None`.
    Checked,
    /// Gives the nearest value.
    Saturating,
    /// Panics, whatever the build.
    Strict,
}

/// The method of an operation with one behaviour on overflow.
macro_rules! row {
    ($overflow:ident $variant:ident $name:expr, ($($receiver:ident)*) ($($param:ident)?) $result:ident) => {
        Row {
            intrinsic: Intrinsic::Arithmetic(Overflow::$overflow, Arithmetic::$variant),
            name: $name,
            kind: Kind::Method,
            receivers: &[$(Receiver::$receiver),*],
            params: &[$(Sig::$param)?],
            result: Sig::$result,
        }
    };
}

/// Name, receivers, parameter; receivers of the saturating form.
macro_rules! arithmetic {
    ($($variant:ident $name:literal ($($receiver:ident)|+) $param:tt saturating ($($saturating:ident)|*);)+) => {
        /// An operation of the table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum Arithmetic { $($variant,)+ }

        /// The methods.
        pub(crate) static METHODS: &[Row] = &[$(
            row!(Wrapping $variant concat!("wrapping_", $name), ($($receiver)+) $param Same),
            row!(Overflowing $variant concat!("overflowing_", $name), ($($receiver)+) $param SameAndFlag),
            row!(Checked $variant concat!("checked_", $name), ($($receiver)+) $param OptionSame),
            row!(Saturating $variant concat!("saturating_", $name), ($($saturating)*) $param Same),
            row!(Strict $variant concat!("strict_", $name), ($($receiver)+) $param Same),
        )+];
    };
}

arithmetic! {
    Add "add" (Sint|Uint) (Same) saturating (Sint|Uint);
    Sub "sub" (Sint|Uint) (Same) saturating (Sint|Uint);
    Mul "mul" (Sint|Uint) (Same) saturating (Sint|Uint);
    Div "div" (Sint|Uint) (Same) saturating (Sint|Uint);
    Rem "rem" (Sint|Uint) (Same) saturating ();
    DivEuclid "div_euclid" (Sint|Uint) (Same) saturating ();
    RemEuclid "rem_euclid" (Sint|Uint) (Same) saturating ();
    Neg "neg" (Sint|Uint) () saturating (Sint);
    Abs "abs" (Sint) () saturating (Sint);
    Shl "shl" (Sint|Uint) (U32) saturating ();
    Shr "shr" (Sint|Uint) (U32) saturating ();
    Pow "pow" (Sint|Uint) (U32) saturating (Sint|Uint);
    AddSigned "add_signed" (Uint) (Signed) saturating (Uint);
    AddUnsigned "add_unsigned" (Sint) (Unsigned) saturating (Sint);
    SubUnsigned "sub_unsigned" (Sint) (Unsigned) saturating (Sint);
}

impl Arithmetic {
    /// Whether the parameter is a divisor.
    pub(crate) const fn divides(self) -> bool {
        matches!(self, Self::Div | Self::DivEuclid) || self.is_remainder()
    }

    /// The panic of the strict form.
    pub(crate) const fn panics(self) -> &'static str {
        match self {
            Self::Add | Self::AddSigned | Self::AddUnsigned => "attempt to add with overflow",
            Self::Sub | Self::SubUnsigned => "attempt to subtract with overflow",
            Self::Mul | Self::Pow => "attempt to multiply with overflow",
            Self::Div | Self::DivEuclid => "attempt to divide with overflow",
            Self::Rem | Self::RemEuclid => "attempt to calculate the remainder with overflow",
            Self::Neg | Self::Abs => "attempt to negate with overflow",
            Self::Shl => "attempt to shift left with overflow",
            Self::Shr => "attempt to shift right with overflow",
        }
    }

    /// Whether the result is a remainder.
    pub(crate) const fn is_remainder(self) -> bool {
        matches!(self, Self::Rem | Self::RemEuclid)
    }
}
