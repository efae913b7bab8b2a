//! The earlier accesses to each resource: lists that most often have one member, without an allocation for that one.

use super::numbering::Numbering;

/// Earlier accesses to a resource, in order.
#[derive(Debug)]
pub(crate) struct Pasts<P> {
    first: Option<P>,
    /// Those behind the first; empty where there is none.
    others: Vec<P>,
}

impl<P> Default for Pasts<P> {
    fn default() -> Self {
        Self { first: None, others: Vec::new() }
    }
}

impl<P> Pasts<P> {
    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &P> {
        self.first.iter().chain(&self.others)
    }

    /// Adds one behind the others.
    pub(crate) fn push(&mut self, past: P) {
        match &self.first {
            None => self.first = Some(past),
            Some(_) => self.others.push(past),
        }
    }

    /// Leaves those that are to stay.
    pub(crate) fn retain(&mut self, mut stays: impl FnMut(&P) -> bool) {
        if self.first.as_ref().is_some_and(|first| !stays(first)) {
            self.first = None;
        }
        if self.others.is_empty() {
            return;
        }
        self.others.retain(stays);
        if self.first.is_none() && !self.others.is_empty() {
            self.first = Some(self.others.remove(0));
        }
    }
}

/// The earlier accesses to all resources, each of which has a place from the first time that it is asked for.
#[derive(Debug)]
pub(crate) struct PastsOfAll<P> {
    places: Numbering,
    pasts: Vec<Pasts<P>>,
}

impl<P> Default for PastsOfAll<P> {
    fn default() -> Self {
        Self { places: Numbering::default(), pasts: Vec::new() }
    }
}

impl<P> PastsOfAll<P> {
    /// Resources for which there is room at the most before they are asked for.
    const MOST_RESERVED: usize = 256;

    /// Makes room for the resources of so many commands, which are few for many.
    pub(crate) fn reserve(&mut self, commands: usize) {
        let resources = commands.min(Self::MOST_RESERVED);
        self.places.reserve(resources);
        self.pasts.reserve(resources);
    }

    /// The place of a resource.
    pub(crate) fn place_of(&mut self, resource: u64) -> usize {
        let place = self.places.place_of(resource);
        if place == self.pasts.len() {
            self.pasts.push(Pasts::default());
        }
        place
    }

    /// The accesses to the resource at a place.
    pub(crate) fn at(&mut self, place: usize) -> &mut Pasts<P> {
        &mut self.pasts[place]
    }

    /// The accesses to a resource, if there were any.
    pub(crate) fn get(&self, resource: u64) -> Option<&Pasts<P>> {
        self.places.get(resource).map(|place| &self.pasts[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_order() {
        let mut pasts = Pasts::default();
        (0..6).for_each(|past| pasts.push(past));
        pasts.retain(|past| past % 2 == 1);
        pasts.push(6);
        assert_eq!(pasts.iter().copied().collect::<Vec<_>>(), [1, 3, 5, 6]);
        pasts.retain(|past| *past > 3);
        assert_eq!(pasts.iter().copied().collect::<Vec<_>>(), [5, 6]);
        pasts.retain(|_| false);
        assert_eq!(pasts.iter().count(), 0);
        pasts.push(7);
        assert_eq!(pasts.iter().copied().collect::<Vec<_>>(), [7]);
    }
}
