//! The limit of a type's size. Types that are made of each other can double with each line, and every stage looks at all of one.

use crate::ast::{SpanRange, TypeExpr};
use crate::diag::code;
use crate::program::{ItemId, TypedItem};
use crate::typed::Len;

use super::Infer;
use super::unify::{Term, TermArgs};

/// Types in types: more than people write, and fewer than rustc itself takes.
const MOST_LEVELS: usize = 100;

/// Members and types that a type is made of, where an array has one element.
const MOST_PARTS: usize = 1 << 14;

/// Numbers in a value, those of all elements among them: 256 MiB of 32 bits, where the host device gives 128 MiB to all locals.
const MOST_NUMBERS: u64 = 1 << 26;

impl<'a> Infer<'a> {
    /// A type as written, if it is not too large.
    pub(super) fn limited_term_of(&mut self, ty: &'a TypeExpr) -> Term {
        let term = self.term_of(ty);
        self.within_limits(term, ty.span)
    }

    /// The type, or [`Term::Error`] where it is too large, which is reported.
    pub(super) fn within_limits(&mut self, term: Term, at: SpanRange) -> Term {
        if self.numbers_of(&term, MOST_LEVELS, &mut MOST_PARTS.clone()).is_some() {
            return term;
        }
        if !self.found_large {
            self.found_large = true;
            self.error(code::NESTING, at, "a type is too large here, or nested too deeply")
                .note(format!(
                    "a type has at most {MOST_LEVELS} levels, {MOST_PARTS} members, and {MOST_NUMBERS} numbers in all elements"
                ))
                .help("keep the values in a buffer, or make an array of equal ones: `[value; N]`");
        }
        self.poisoned = true;
        Term::Error
    }

    /// The numbers in a value of this type. `None` if it has more than [`MOST_NUMBERS`], more levels than `levels`, or more
    /// parts than are `left`, of which it takes its own.
    fn numbers_of(&mut self, term: &Term, levels: usize, left: &mut usize) -> Option<u64> {
        *left = left.checked_sub(1)?;
        let numbers = match self.table.bound(term).clone() {
            Term::Array(element, len) => {
                let len = if let Len::Known(len) = len { u64::from(len) } else { 1 };
                self.numbers_of(&element, levels.checked_sub(1)?, left)?.saturating_mul(len)
            }
            Term::ArrayOf(element, _) | Term::Option(element) => {
                self.numbers_of(&element, levels.checked_sub(1)?, left)?
            }
            Term::Result(value, error) => self.numbers_of_all(&[(*value).clone(), (*error).clone()], levels, left)?,
            Term::Tuple(members) => self.numbers_of_all(&members, levels, left)?,
            Term::Struct(item, args) | Term::Enum(item, args) => self.numbers_of_item(item, &args, levels, left)?,
            // Shared memory and buffers have limits of their own.
            _ => 1,
        };
        (numbers <= MOST_NUMBERS).then_some(numbers)
    }

    fn numbers_of_all(&mut self, members: &[Term], levels: usize, left: &mut usize) -> Option<u64> {
        let levels = levels.checked_sub(1)?;
        members.iter().try_fold(0u64, |sum, member| Some(sum.saturating_add(self.numbers_of(member, levels, left)?)))
    }

    /// Of a struct or an enum. Those without parameters are looked at once.
    fn numbers_of_item(&mut self, item: ItemId, args: &TermArgs, levels: usize, left: &mut usize) -> Option<u64> {
        if let (None, Some((numbers, parts))) = (args, self.extents.get(&item).copied()) {
            *left = left.checked_sub(parts)?;
            return Some(numbers);
        }
        let members: Vec<Term> = match &self.program.items[item].typed {
            TypedItem::Struct(fields) => Term::members(fields, args),
            TypedItem::Enum(variants) => {
                variants.iter().flat_map(|variant| Term::members(&variant.fields, args)).collect()
            }
            _ => return Some(1),
        };
        let before = *left;
        let numbers = self.numbers_of_all(&members, levels, left)?;
        if args.is_none() {
            self.extents.insert(item, (numbers, before - *left));
        }
        Some(numbers)
    }
}
