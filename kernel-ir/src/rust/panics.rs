//! Panics and traps as Rust.

use super::Printer;
use crate::descriptor::SiteKind;
use crate::ir::{SiteId, ValueId};

impl Printer<'_> {
    /// A panic of the author's, with its message where that shows no values, or what was written there.
    pub(super) fn panic(&mut self, site: SiteId) {
        let site = &self.module.sites[site];
        let message =
            site.format.and_then(|number| self.options.messages.get(number as usize)).and_then(Option::as_ref);
        let text = match message {
            Some(format) => format!("panic!({format:?});"),
            None => format!("panic!({:?});", site.text.replace('{', "{{").replace('}', "}}")),
        };
        self.line(&text);
    }

    /// The panic that a trap stands for.
    pub(super) fn trap(&mut self, site: SiteId, operands: &[ValueId]) {
        if self.skips_traps {
            return;
        }
        let text = match self.module.sites[site].kind {
            SiteKind::DivideByZero => "attempt to divide by zero",
            SiteKind::RemainderByZero => "attempt to calculate the remainder with a divisor of zero",
            SiteKind::DivideOverflow => "attempt to divide with overflow",
            SiteKind::RemainderOverflow => "attempt to calculate the remainder with overflow",
            SiteKind::ClampBounds => "clamp with min > max, or a bound that is NaN",
            // The access behind it is checked. A panic before a barrier would cost each access behind it a guard.
            _ if self.needs_full_workgroup() => return,
            SiteKind::IndexOutOfBounds => {
                if let [index, len, ..] = self.names(operands).as_slice() {
                    let format = "index out of bounds: the len is {} but the index is {}";
                    self.line(&format!("panic!({format:?}, {len}, {index});"));
                }
                return;
            }
            SiteKind::Panic | SiteKind::Print | SiteKind::PrintError => return self.panic(site),
        };
        self.line(&format!("panic!({text:?});"));
    }

    fn needs_full_workgroup(&self) -> bool {
        self.function.insts.iter().any(|(_, inst)| inst.kind.needs_full_workgroup())
    }
}
