//! Proofs that were found, by what they depend on: a kernel accesses one element in many places that are alike.

use std::rc::Rc;

use super::access::{Access, Fact};
use super::demand::Demand;
use super::form::Form;
use super::index::Index;
use super::open::Open;
use super::rules::{self, Failure, Goal, Proof};
use crate::hash::FastMap;

/// The part of an access that a proof depends on: its path, and the facts that hold there, by their address.
type Side = (Vec<Form>, usize);

/// Proofs by the numbers of both sides.
#[derive(Debug, Default)]
pub(super) struct Known {
    sides: FastMap<Side, usize>,
    /// So that no address is used again.
    facts: Vec<Rc<[Fact]>>,
    proofs: FastMap<(usize, usize, Goal, Demand), Result<Proof, Failure>>,
}

impl Known {
    fn side(&mut self, access: &Access) -> usize {
        let key = (access.path.clone(), access.facts.as_ptr().addr());
        let next = self.sides.len();
        *self.sides.entry(key).or_insert_with(|| {
            self.facts.push(access.facts.clone());
            next
        })
    }

    /// As [`rules::prove`].
    pub(super) fn prove(
        &mut self,
        index: &mut Index<'_>,
        (a, b): (&Access, &Access),
        goal: Goal,
        open: Open,
        most: Demand,
    ) -> Result<Proof, Failure> {
        let key = (self.side(a), self.side(b), goal, most);
        if let Some(known) = self.proofs.get(&key) {
            return known.clone();
        }
        let proof = rules::prove(index, (a, b), goal, open, most);
        self.proofs.insert(key, proof.clone());
        proof
    }
}
