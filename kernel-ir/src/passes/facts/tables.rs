//! Intervals of the numbers in local tables of constants: a state machine goes from one state of its table to another.

use super::Facts;
use crate::arena::EntityId;
use crate::ir::{Constant, InstKind, LocalId, Place, Root, ValueId};
use crate::passes::edit::for_each_inst;
use crate::passes::eval;
use crate::passes::ranges::Range;
use crate::types::TypeId;

/// Numbers of a table that are looked at.
const MOST: usize = 1 << 12;

/// The interval of the numbers of one type in a local that only holds constants.
pub(super) struct Table {
    local: LocalId,
    ty: TypeId,
    range: Range,
}

/// The numbers of a constant.
struct Numbers {
    /// By type.
    found: Vec<(TypeId, Range)>,
    left: usize,
}

impl Facts<'_> {
    /// Finds the locals that are only ever given constants as a whole.
    pub(super) fn find_tables(&mut self) {
        let mut given: Vec<Option<Vec<ValueId>>> = vec![Some(Vec::new()); self.function.locals.len()];
        for_each_inst(self.function, &mut |_, inst| {
            if let Some(Place { root: Root::Local(local), path, .. }) = inst.kind.place() {
                match (&inst.kind, &mut given[local.index()]) {
                    (InstKind::Load(_), _) => {}
                    (InstKind::Store(_, value), Some(given)) if path.is_empty() => given.push(*value),
                    (_, given) => *given = None,
                }
            }
        });
        for (local, _) in self.function.locals.iter() {
            let given = given[local.index()].take().unwrap_or_default();
            let mut numbers = Numbers { found: Vec::new(), left: MOST };
            if given.iter().all(|value| self.gather(*value, &mut numbers)) {
                self.tables.extend(numbers.found.into_iter().map(|(ty, range)| Table { local, ty, range }));
            }
        }
    }

    /// Joins the numbers of a constant by their types; false if it is none.
    fn gather(&self, value: ValueId, numbers: &mut Numbers) -> bool {
        let Some(left) = numbers.left.checked_sub(1) else { return false };
        numbers.left = left;
        match self.definition(value) {
            Some(InstKind::Compose(members)) => members.iter().all(|member| self.gather(*member, numbers)),
            Some(InstKind::Const(Constant::Zero)) => true,
            Some(InstKind::Const(constant)) => {
                if let Some(number) = eval::int(*constant).filter(|_| self.integer(value).is_some()) {
                    // A local is zero before it is given anything, and so is a number whose check fails.
                    let (ty, range) = (self.function.values[value].ty, Range::new(number.min(0), number.max(0)));
                    match numbers.found.iter_mut().find(|(known, _)| *known == ty) {
                        Some((_, known)) => *known = known.join(range),
                        None => numbers.found.push((ty, range)),
                    }
                }
                true
            }
            _ => false,
        }
    }

    /// The interval of a number that is read from a table, if it is.
    pub(super) fn of_table(&self, place: &Place, number: ValueId) -> Option<Range> {
        let Root::Local(local) = place.root else { return None };
        let ty = self.function.values[number].ty;
        self.tables.iter().find(|table| table.local == local && table.ty == ty).map(|table| table.range)
    }
}
