//! The checks that a launch needs no longer, because the host made them.

use gridwise_ir::descriptor::{CHECK_GROUPS, IS_PROVEN, Obligations, Verdict, is_proven};

/// The groups of a kernel's checks whose obligations hold, a bit each, and one bit more where all obligations do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Proven(u16);

impl Proven {
    /// Nothing is known of the launch, or there is nothing to know.
    pub(crate) const NONE: Self = Self(0);
    /// All obligations hold.
    pub(crate) const ALL: Self = Self(u16::MAX);

    /// All, where a kernel has obligations that might not hold.
    pub(crate) fn all_of(obligations: Obligations) -> Self {
        if obligations.is_empty() { Self::NONE } else { Self::ALL }
    }

    /// The groups that a verdict leaves, which is none of a broken launch.
    pub(crate) fn by(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Hold => Self::ALL,
            Verdict::Open { unproven } => Self(((1 << CHECK_GROUPS) - 1) & !(unproven as u16)),
            Verdict::Broken(_) => Self::NONE,
        }
    }

    /// Whether all obligations hold.
    pub(crate) fn is_all(self) -> bool {
        self == Self::ALL
    }

    /// The bits.
    pub(crate) fn bits(self) -> u64 {
        self.0.into()
    }

    /// The specialization constants that tell a module.
    pub(crate) fn constants(self) -> impl Iterator<Item = (u32, bool)> {
        let groups = (0..CHECK_GROUPS as u8).map(move |group| (is_proven(group), self.0 & 1 << group != 0));
        groups.chain([(IS_PROVEN, self.is_all())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_condition_that_does_not_hold_leaves_the_other_groups() {
        let proven = Proven::by(Verdict::Open { unproven: 0b10 });
        let on: Vec<u32> = proven.constants().filter(|(_, is_on)| *is_on).map(|(id, _)| id).collect();
        assert!(on.contains(&is_proven(0)) && !on.contains(&is_proven(1)) && !on.contains(&IS_PROVEN));
        assert!(!proven.is_all() && Proven::by(Verdict::Hold).is_all());
        // Batches need what no group does.
        assert!(!Proven::by(Verdict::Open { unproven: 0 }).is_all());
        assert_eq!(Proven::by(Verdict::Open { unproven: u32::MAX }), Proven::NONE);
        assert!(Proven::ALL.constants().all(|(_, is_on)| is_on));
    }
}
