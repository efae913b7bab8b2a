//! The parser of obligations, the checks of the host before a launch.

use std::sync::Arc;

use super::cursor::{Cursor, Result};
use crate::ir::{Bound, BoundOp, BufferId, ConstParamId, Obligation, ParamId};

/// How deep a bound may be, so that no text exhausts the stack.
const DEPTH: usize = 64;

pub(super) fn parse_obligation(cursor: &mut Cursor<'_>) -> Result<Obligation> {
    let index = parse_bound(cursor, DEPTH)?;
    cursor.expect("<")?;
    let length = parse_bound(cursor, DEPTH)?;
    let in_all = if cursor.eat_word("in_all") { Some(cursor.id("site")?) } else { None };
    Ok(Obligation { index, length, in_all })
}

fn parse_bound(cursor: &mut Cursor<'_>, depth: usize) -> Result<Bound> {
    if depth == 0 {
        return cursor.error("the bound is too deep");
    }
    if let Some(param) = cursor.eat_id::<ParamId>("param") {
        let mut path = Vec::new();
        while cursor.eat(".") {
            path.push(cursor.number()?);
        }
        return Ok(Bound::Param(param, path.into()));
    }
    if let Some(param) = cursor.eat_id::<ConstParamId>("constant") {
        return Ok(Bound::Constant(param));
    }
    let word = cursor.peek_word().unwrap_or_default();
    if let Some(op) = BoundOp::ALL.into_iter().find(|op| op.name() == word) {
        cursor.skip_word(word);
        cursor.expect("(")?;
        let first = parse_bound(cursor, depth - 1)?;
        cursor.expect(",")?;
        let second = parse_bound(cursor, depth - 1)?;
        cursor.expect(")")?;
        return Ok(Bound::Binary(op, Arc::new([first, second])));
    }
    for (name, make) in [("items", Bound::Items as fn(u8) -> Bound), ("groups", Bound::Groups)] {
        if cursor.eat_word(name) {
            cursor.expect("(")?;
            let axis = parse_axis(cursor)?;
            cursor.expect(")")?;
            return Ok(make(axis));
        }
    }
    let extents = [("extent", Bound::Extent as fn(BufferId, u8) -> Bound), ("least_extent", Bound::LeastExtent)];
    for (name, make) in extents {
        if cursor.eat_word(name) {
            cursor.expect("(")?;
            let image = cursor.id("buffer")?;
            cursor.expect(",")?;
            let axis = parse_axis(cursor)?;
            cursor.expect(")")?;
            return Ok(make(image, axis));
        }
    }
    for (name, make) in [("len", Bound::Len as fn(BufferId) -> Bound), ("least", Bound::Least)] {
        if cursor.eat_word(name) {
            cursor.expect("(")?;
            let buffer = cursor.id("buffer")?;
            cursor.expect(")")?;
            return Ok(make(buffer));
        }
    }
    Ok(Bound::Const(cursor.number()?))
}

fn parse_axis(cursor: &mut Cursor<'_>) -> Result<u8> {
    match cursor.number()? {
        axis @ 0..=2 => Ok(axis as u8),
        _ => cursor.error("an axis is 0, 1 or 2"),
    }
}
