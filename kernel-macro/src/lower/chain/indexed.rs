//! Sources that are reached by position without any effect: ranges, arrays and buffers, reversed, in steps, in part,
//! side by side.

use gridwise_ir::ir::{Place, ValueId};
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use crate::lower::function::FnCx;
use crate::typed::{Len, Ty};

/// How many elements there are.
#[derive(Debug, Clone, Copy)]
pub(in crate::lower) enum Extent {
    /// A `u32`.
    Count(ValueId),
    /// The position of the last one, a `u32` or `u64`, and whether there is any: also for numbers of elements that have no
    /// number of their width.
    Last {
        any: ValueId,
        last: ValueId,
    },
    /// A range as written, as long as nothing was done to it.
    Range(Direct),
    Endless,
}

/// The element at a position.
#[derive(Debug, Clone)]
pub(in crate::lower) enum At {
    /// `start + position`
    Range {
        start: ValueId,
    },
    /// Of an array or buffer; nowhere when its elements have no values, or there are none.
    Elements {
        place: Option<Place>,
        /// Of a slice: its first element's position there.
        offset: Option<ValueId>,
        ty: Ty,
        /// Of what `as_chunks` made, as in `Window`.
        chunk: Option<Len>,
    },
    /// Slices of what has `total` elements, from `offset` on. Each begins `step` elements behind the one before, and has `size`
    /// elements, or those that are left.
    Parts {
        size: ValueId,
        step: ValueId,
        offset: Option<ValueId>,
        total: ValueId,
        exact: bool,
        /// Each begins before the one before it, and the first one ends where all does.
        from_end: bool,
        chunk: Option<Len>,
    },
    /// Counted from the last position.
    Reversed(Box<At>, ValueId),
    Stepped(Box<At>, ValueId),
    /// Again from the first on, behind so many.
    Cycled(Box<At>, ValueId),
    Skipped(Box<At>, ValueId),
    /// Pairs of position and element, of the type.
    Numbered(Box<At>, Ty),
    /// Pairs, of the type.
    Zipped(Box<At>, Box<At>, Ty),
}

impl At {
    /// Whether elements are computed from their positions, and no memory is read for them.
    pub(super) fn is_computed(&self) -> bool {
        match self {
            Self::Range { .. } | Self::Parts { .. } => true,
            Self::Elements { .. } => false,
            Self::Reversed(of, _) | Self::Stepped(of, _) | Self::Cycled(of, _) | Self::Skipped(of, _) => {
                of.is_computed()
            }
            Self::Numbered(of, _) => of.is_computed(),
            Self::Zipped(left, right, _) => left.is_computed() && right.is_computed(),
        }
    }
}

/// `start..end` or `start..=end`
#[derive(Debug, Clone, Copy)]
pub(in crate::lower) struct Direct {
    pub(super) start: ValueId,
    pub(super) end: ValueId,
    pub(super) inclusive: bool,
}

#[derive(Debug, Clone)]
pub(in crate::lower) struct Indexed {
    pub(super) extent: Extent,
    pub(super) at: At,
    /// Whether Rust's library reaches its elements by position, too, where it is zipped.
    pub(super) trusted: bool,
}

impl FnCx<'_, '_, '_> {
    /// `start..end`, `start..=end` or `start..`
    pub(super) fn indexed_range(&mut self, start: ValueId, end: Option<ValueId>, inclusive: bool) -> Indexed {
        let at = At::Range { start };
        let trusted = end.is_some() && !inclusive;
        let (end, inclusive) = match end.filter(|_| inclusive).and_then(|end| self.number_behind(end)) {
            Some(behind) => (Some(behind), false),
            None => (end, inclusive),
        };
        let extent = end.map_or(Extent::Endless, |end| Extent::Range(Direct { start, end, inclusive }));
        Indexed { extent, at, trusted }
    }

    /// The number behind a constant, unless that is the largest: `a..=9` is `a..10`, whose loop has one way out, at its head.
    fn number_behind(&mut self, end: ValueId) -> Option<ValueId> {
        let (scalar, bits) = (self.shape(end).0, self.known_scalar(end)?);
        let most = if scalar.is_signed() { scalar.mask() >> 1 } else { scalar.mask() };
        (scalar.is_int() && bits != most).then(|| self.bits(scalar, bits.wrapping_add(1) & scalar.mask()))
    }

    /// The number of a range's elements in another form.
    pub(super) fn settled(&mut self, extent: Extent) -> Extent {
        let Extent::Range(Direct { start, end, inclusive }) = extent else { return extent };
        let scalar = self.shape(start).0;
        let is_wide = matches!(scalar, Scalar::I64 | Scalar::U64);
        if inclusive || is_wide {
            let any = self.b.op(if inclusive { Op::Le } else { Op::Lt }, &[start, end]);
            let distance = self.steps_between(start, end);
            let last = if inclusive { distance } else { self.less_one(distance) };
            Extent::Last { any, last }
        } else if !scalar.is_signed() && self.is_known_zero(start) {
            Extent::Count(self.cast(end, Scalar::U32))
        } else {
            let any = self.b.op(Op::Lt, &[start, end]);
            let (distance, zero) = (self.steps_between(start, end), self.u32(0));
            Extent::Count(self.select(any, distance, zero))
        }
    }

    /// How many elements a range has of which the number is a `u32`.
    pub(in crate::lower) fn count_between(&mut self, start: ValueId, end: ValueId) -> ValueId {
        match self.settled(Extent::Range(Direct { start, end, inclusive: false })) {
            Extent::Count(count) => count,
            // rustc refuses the length of others.
            _ => self.u32(0),
        }
    }

    /// How far `end` is from `start`, which is not behind it: a `u64` for 64-bit integers, a `u32` for all others.
    fn steps_between(&mut self, start: ValueId, end: ValueId) -> ValueId {
        let difference = self.op(Op::Sub, &[end, start]);
        let (unsigned, wide) = match self.shape(start).0 {
            Scalar::I8 | Scalar::U8 => (Scalar::U8, Scalar::U32),
            Scalar::I16 | Scalar::U16 => (Scalar::U16, Scalar::U32),
            Scalar::I64 | Scalar::U64 => (Scalar::U64, Scalar::U64),
            _ => (Scalar::U32, Scalar::U32),
        };
        let difference = self.cast(difference, unsigned);
        self.cast(difference, wide)
    }

    pub(super) fn less_one(&mut self, value: ValueId) -> ValueId {
        let one = self.int_like(value, 1);
        self.op(Op::Sub, &[value, one])
    }

    /// Whether there is anything, and the last position.
    fn any_and_last(&mut self, extent: Extent) -> Option<(ValueId, ValueId)> {
        match self.settled(extent) {
            Extent::Count(count) => {
                let zero = self.u32(0);
                let any = self.b.op(Op::Lt, &[zero, count]);
                Some((any, self.less_one(count)))
            }
            Extent::Last { any, last } => Some((any, last)),
            Extent::Range(_) | Extent::Endless => None,
        }
    }

    /// The last position, of something that has one if it is not empty.
    pub(super) fn last_of(&mut self, extent: Extent) -> ValueId {
        match self.any_and_last(extent) {
            Some((_, last)) => last,
            // Inference has refused it.
            None => self.u32(0),
        }
    }

    pub(super) fn reversed(&mut self, indexed: Indexed) -> Indexed {
        let extent = self.settled(indexed.extent);
        let last = self.last_of(extent);
        Indexed { extent, at: At::Reversed(Box::new(indexed.at), last), trusted: false }
    }

    /// Every `step`th, from the first on; `step` is a `u32` and not 0.
    pub(super) fn stepped(&mut self, indexed: Indexed, step: ValueId) -> Indexed {
        let extent = match self.settled(indexed.extent) {
            Extent::Count(count) => {
                let (whole, rest) = (self.b.op(Op::Div, &[count, step]), self.b.op(Op::Rem, &[count, step]));
                let zero = self.u32(0);
                let more = self.b.op(Op::Ne, &[rest, zero]);
                let more = self.cast(more, Scalar::U32);
                Extent::Count(self.b.op(Op::Add, &[whole, more]))
            }
            Extent::Last { any, last } => {
                let step = self.like(step, last);
                Extent::Last { any, last: self.b.op(Op::Div, &[last, step]) }
            }
            other => other,
        };
        Indexed { extent, at: At::Stepped(Box::new(indexed.at), step), trusted: false }
    }

    /// All of them again and again. Nobody waits for the end of 2^32 rounds.
    pub(super) fn cycled(&mut self, indexed: Indexed) -> Indexed {
        let extent = self.settled(indexed.extent);
        let (any, count) = match extent {
            Extent::Count(count) => {
                let zero = self.u32(0);
                (self.op(Op::Lt, &[zero, count]), count)
            }
            Extent::Last { any, last } => {
                // As many as there are numbers, less one, is as good as all.
                let scalar = self.shape(last).0;
                let most = self.bits(scalar, scalar.mask() - 1);
                let one = self.int_like(last, 1);
                let last = self.op(Op::Min, &[last, most]);
                (any, self.op(Op::Add, &[last, one]))
            }
            Extent::Range(_) | Extent::Endless => return indexed,
        };
        let extent = if self.known_scalar(any) == Some(1) {
            Extent::Endless
        } else {
            let (all, none) = (self.u32(u32::MAX), self.u32(0));
            Extent::Count(self.select(any, all, none))
        };
        Indexed { extent, at: At::Cycled(Box::new(indexed.at), count), trusted: false }
    }

    /// The first `count`, a `u32`.
    pub(super) fn taken(&mut self, indexed: Indexed, count: ValueId) -> Indexed {
        let extent = match self.settled(indexed.extent) {
            Extent::Count(all) => Extent::Count(self.b.op(Op::Min, &[all, count])),
            Extent::Last { any, last } => {
                let zero = self.u32(0);
                let some = self.b.op(Op::Lt, &[zero, count]);
                let any = self.b.op(Op::And, &[any, some]);
                let limit = self.less_one(count);
                let limit = self.like(limit, last);
                Extent::Last { any, last: self.b.op(Op::Min, &[last, limit]) }
            }
            _ => Extent::Count(count),
        };
        Indexed { extent, at: indexed.at, trusted: false }
    }

    /// All but the first `count`, a `u32`.
    pub(super) fn skipped(&mut self, indexed: Indexed, count: ValueId) -> Indexed {
        let extent = match self.settled(indexed.extent) {
            Extent::Count(all) => {
                let gone = self.b.op(Op::Min, &[all, count]);
                Extent::Count(self.b.op(Op::Sub, &[all, gone]))
            }
            Extent::Last { any, last } => {
                let count = self.like(count, last);
                let some = self.b.op(Op::Le, &[count, last]);
                let any = self.b.op(Op::And, &[any, some]);
                Extent::Last { any, last: self.b.op(Op::Sub, &[last, count]) }
            }
            other => other,
        };
        Indexed { extent, at: At::Skipped(Box::new(indexed.at), count), trusted: indexed.trusted }
    }

    /// Pairs of the type `ty`.
    pub(super) fn zipped(&mut self, left: Indexed, right: Indexed, ty: Ty) -> Indexed {
        let extent = self.shorter(left.extent, right.extent);
        let trusted = left.trusted && right.trusted;
        Indexed { extent, at: At::Zipped(Box::new(left.at), Box::new(right.at), ty), trusted }
    }

    /// As many as the shorter one has elements.
    pub(super) fn shorter(&mut self, left: Extent, right: Extent) -> Extent {
        let extents = (self.settled(left), self.settled(right));
        match extents {
            (Extent::Endless, other) | (other, Extent::Endless) => other,
            (Extent::Count(a), Extent::Count(b)) if a == b => Extent::Count(a),
            (Extent::Count(a), Extent::Count(b)) => Extent::Count(self.b.op(Op::Min, &[a, b])),
            (a, b) => {
                let (a, b) = (self.any_and_last(a), self.any_and_last(b));
                match (a, b) {
                    (Some((any, last)), Some((other_any, other_last))) => {
                        let wide = [last, other_last].iter().any(|last| self.shape(*last).0 == Scalar::U64);
                        let scalar = if wide { Scalar::U64 } else { Scalar::U32 };
                        let (last, other_last) = (self.cast(last, scalar), self.cast(other_last, scalar));
                        let any = self.b.op(Op::And, &[any, other_any]);
                        Extent::Last { any, last: self.b.op(Op::Min, &[last, other_last]) }
                    }
                    _ => Extent::Endless,
                }
            }
        }
    }

    /// The element at a position in range; `None` when it has no value.
    pub(super) fn element_at(&mut self, at: &At, position: ValueId) -> Option<ValueId> {
        match at {
            At::Range { start } => {
                let position = self.like(position, *start);
                let is_first = self.is_known_zero(*start);
                Some(if is_first { position } else { self.op(Op::Add, &[*start, position]) })
            }
            At::Elements { place, offset, ty, chunk } => {
                let element = self.ty(ty)?;
                let Some(place) = place else { return Some(self.zero(element)) };
                let value = self.cast(position, Scalar::U32);
                // In range: the position comes from the length.
                self.load_at((place, *offset, *chunk), value, ty)
            }
            At::Parts { size, step, offset, total, exact, from_end, chunk } => {
                let (position, step) = (self.cast(position, Scalar::U32), *step);
                let is_next = self.known_scalar(step) == Some(1);
                let before = if is_next { position } else { self.op(Op::Mul, &[position, step]) };
                let len = if *exact {
                    *size
                } else {
                    let left = self.op(Op::Sub, &[*total, before]);
                    self.op(Op::Min, &[*size, left])
                };
                let start = if *from_end {
                    let end = self.op(Op::Sub, &[*total, before]);
                    self.op(Op::Sub, &[end, len])
                } else {
                    before
                };
                let start = self.in_chunks(*chunk, start);
                let start = offset.map_or(start, |offset| self.op(Op::Add, &[offset, start]));
                Some(self.slice_value(start, len))
            }
            At::Reversed(inner, last) => {
                let position = self.like(position, *last);
                let position = self.op(Op::Sub, &[*last, position]);
                self.element_at(inner, position)
            }
            At::Stepped(inner, step) => {
                let step = self.like(*step, position);
                let position = self.op(Op::Mul, &[position, step]);
                self.element_at(inner, position)
            }
            At::Cycled(inner, count) => {
                let position = self.like(position, *count);
                let position = self.op(Op::Rem, &[position, *count]);
                self.element_at(inner, position)
            }
            At::Skipped(inner, count) => {
                let count = self.like(*count, position);
                let position = self.op(Op::Add, &[position, count]);
                self.element_at(inner, position)
            }
            At::Numbered(inner, ty) => {
                let element = self.element_at(inner, position);
                let number = self.cast(position, Scalar::U32);
                self.pair(ty, Some(number), element)
            }
            At::Zipped(left, right, ty) => {
                let left = self.element_at(left, position);
                let right = self.element_at(right, position);
                self.pair(ty, left, right)
            }
        }
    }

    /// A pair of the type; members without values are left out.
    pub(super) fn pair(&mut self, ty: &Ty, left: Option<ValueId>, right: Option<ValueId>) -> Option<ValueId> {
        let ty = self.ty(ty)?;
        let members: Vec<_> = [left, right].into_iter().flatten().collect();
        self.compose_or_zero(ty, &members)
    }

    /// A number in the type of `model`.
    pub(super) fn like(&mut self, value: ValueId, model: ValueId) -> ValueId {
        let scalar = self.shape(model).0;
        self.cast(value, scalar)
    }
}
