//! Groups of sites whose indices are in range under the same obligations. A launch switches off the checks of each group whose
//! obligations hold, and keeps those of the others.

use crate::arena::{Arena, EntityId};
use crate::descriptor::CHECK_GROUPS;
use crate::few::Few;
use crate::ir::{Site, SiteId};

/// The groups of a module's sites.
#[derive(Debug, Clone, Default)]
pub struct CheckGroups {
    /// By site.
    of_sites: Vec<Option<u8>>,
    /// By group: the numbers of the kernel's obligations that it needs.
    needs: Vec<Few<u32>>,
}

impl CheckGroups {
    /// Gathers sites in their order; those that find no room share the last group.
    pub fn of(sites: &Arena<SiteId, Site>) -> Self {
        let mut groups = Self::default();
        for (_, site) in sites.iter() {
            let group = site.at_launch.as_ref().map(|needs| groups.place(needs));
            groups.of_sites.push(group);
        }
        groups
    }

    fn place(&mut self, needs: &Few<u32>) -> u8 {
        if let Some(group) = self.needs.iter().position(|known| known == needs) {
            return group as u8;
        }
        if self.needs.len() < CHECK_GROUPS {
            self.needs.push(needs.clone());
        } else if let Some(last) = self.needs.last_mut() {
            for number in needs.iter() {
                if !last.contains(number) {
                    last.push(*number);
                }
            }
        }
        (self.needs.len() - 1) as u8
    }

    /// The group of a site, unless the device checks there in any case.
    pub fn group(&self, site: SiteId) -> Option<u8> {
        self.of_sites.get(site.index()).copied().flatten()
    }

    /// The groups that need an obligation, a bit each.
    pub fn that_need(&self, obligation: usize) -> u32 {
        let needs = |group: &Few<u32>| group.iter().any(|number| *number as usize == obligation);
        (0..).zip(&self.needs).filter(|(_, group)| needs(group)).map(|(group, _)| 1 << group).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::SiteKind;
    use crate::ir::SourceLocation;

    #[test]
    fn sites_with_the_same_needs_share_a_group() {
        let location = SourceLocation { file: EntityId::new(0), line: 1, column: 1 };
        let site = |at_launch| Site { at_launch, ..Site::new(SiteKind::IndexOutOfBounds, location, "x[i]", None) };
        let mut sites = Arena::new();
        let needs = [Some([0, 1]), None, Some([1, 2]), Some([0, 1])];
        let ids = needs.map(|needs| sites.push(site(needs.map(Few::from))));
        let groups = CheckGroups::of(&sites);
        assert_eq!(ids.map(|id| groups.group(id)), [Some(0), None, Some(1), Some(0)]);
        assert_eq!([0, 1, 2, 3].map(|number| groups.that_need(number)), [0b01, 0b11, 0b10, 0]);
        // Without room for more, sites wait for what all of the last group need.
        let more: Vec<_> = (10..30).map(|number| sites.push(site(Some(Few::from([number]))))).collect();
        let groups = CheckGroups::of(&sites);
        let last = CHECK_GROUPS as u8 - 1;
        assert!(more[CHECK_GROUPS - 3..].iter().all(|id| groups.group(*id) == Some(last)));
        assert!([10 + CHECK_GROUPS - 3, 29].iter().all(|number| groups.that_need(*number) == 1 << last));
    }
}
