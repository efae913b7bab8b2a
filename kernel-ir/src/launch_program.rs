//! A kernel's obligations as the bytes that [`Obligations`](crate::descriptor::Obligations) runs.

use crate::arena::EntityId;
use crate::descriptor::program::Step;
use crate::ir::{Bound, Kernel, Module, Obligation, ParamId, SiteId, SourceLocation};
use crate::layout::{Layout, field_offsets};
use crate::races::Condition;
use crate::spirv::PushSlot;
use crate::types::{Type, Types};

/// Writes obligations; `needed_by` tells which groups of checks need the one at a position, `slots` are the by-value parameters, `position` counts a buffer among all parameters,
/// `site_number` a site among those that the descriptor lists. If one of
/// them cannot be expressed, the program holds for no launch.
pub(crate) fn write(
    (module, kernel): (&Module, &Kernel),
    (obligations, needed_by): (&[Obligation], &dyn Fn(usize) -> u32),
    slots: &[PushSlot],
    site_number: &dyn Fn(SiteId) -> Option<usize>,
    position: impl Fn(u32) -> u32,
) -> Vec<u8> {
    let mut writer = Writer { types: &module.types, kernel, slots, position, program: Vec::new() };
    let mut served = 0;
    for (number, obligation) in obligations.iter().enumerate() {
        let groups = needed_by(number);
        if groups != served {
            Step::Serves(groups).write(&mut writer.program);
            served = groups;
        }
        let written = writer.bound(&obligation.index).and_then(|()| writer.bound(&obligation.length));
        if written.is_none() {
            return never();
        }
        let of_buffer = matches!(obligation.length, Bound::Len(_));
        let site =
            obligation.in_all.filter(|_| of_buffer).and_then(site_number).and_then(|site| u16::try_from(site).ok());
        site.map_or(Step::Less, Step::LessInAll).write(&mut writer.program);
    }
    writer.program
}

/// Writes the conditions of a launch without races. `at` gives line and column of an access in the kernel's own file.
pub(crate) fn write_conditions(
    (module, kernel): (&Module, &Kernel),
    conditions: &[Condition],
    slots: &[PushSlot],
    at: &dyn Fn(Option<SourceLocation>) -> (u32, u32),
    position: impl Fn(u32) -> u32,
) -> Vec<u8> {
    let mut writer = Writer { types: &module.types, kernel, slots, position, program: Vec::new() };
    for Condition { obligation, location } in conditions {
        let (line, column) = at(*location);
        let end = Step::LessAt { line, column };
        let start = writer.program.len();
        if writer.bound(&obligation.index).and_then(|()| writer.bound(&obligation.length)).is_none() {
            // A condition that cannot be expressed holds for no launch.
            writer.program.truncate(start);
            [Step::Const(0), Step::Const(0)].into_iter().for_each(|step| step.write(&mut writer.program));
        }
        end.write(&mut writer.program);
    }
    writer.program
}

/// A program that holds for no launch.
fn never() -> Vec<u8> {
    let mut program = Vec::new();
    [Step::Const(0), Step::Const(0), Step::Less].into_iter().for_each(|step| step.write(&mut program));
    program
}

struct Writer<'m, P> {
    types: &'m Types,
    kernel: &'m Kernel,
    slots: &'m [PushSlot],
    position: P,
    program: Vec<u8>,
}

impl<P: Fn(u32) -> u32> Writer<'_, P> {
    fn bound(&mut self, bound: &Bound) -> Option<()> {
        let step = match bound {
            Bound::Const(number) => Step::Const(*number),
            Bound::Items(axis) => Step::Items(*axis),
            Bound::Groups(axis) => Step::Groups(*axis),
            Bound::Len(buffer) => Step::Len(u16::try_from((self.position)(buffer.index() as u32)).ok()?),
            Bound::Extent(image, axis) => {
                let param = u16::try_from((self.position)(image.index() as u32)).ok()?;
                Step::Extent { param, axis: *axis }
            }
            Bound::Least(list) => Step::Least(u16::try_from((self.position)(list.index() as u32)).ok()?),
            Bound::LeastExtent(list, axis) => {
                let param = u16::try_from((self.position)(list.index() as u32)).ok()?;
                Step::LeastExtent { param, axis: *axis }
            }
            Bound::Constant(param) => Step::Constant(u16::try_from(param.index()).ok()?),
            Bound::Param(param, path) => self.param(*param, path)?,
            Bound::Binary(op, operands) => {
                operands.iter().try_for_each(|operand| self.bound(operand))?;
                Step::Binary(*op)
            }
        };
        step.write(&mut self.program);
        Some(())
    }

    /// An integer in a by-value parameter.
    fn param(&self, param: ParamId, path: &[u32]) -> Option<Step> {
        let mut offset = self.slots.get(param.index())?.offset;
        let mut ty = self.kernel.params[param].ty;
        for member in path {
            offset += match *self.types.get(ty) {
                Type::Struct(id) => *field_offsets(self.types, id)?.get(*member as usize)?,
                Type::Vector(scalar, _) => scalar.bits() / 8 * member,
                Type::Array(element, _) => Layout::of(self.types, element)?.size * member,
                _ => return None,
            };
            ty = self.types.member(ty, *member)?;
        }
        match *self.types.get(ty) {
            Type::Scalar(scalar) if scalar.is_int() => {
                let size = (scalar.bits() / 8) as u8;
                Some(Step::Value { offset: u8::try_from(offset).ok()?, size })
            }
            _ => None,
        }
    }
}
