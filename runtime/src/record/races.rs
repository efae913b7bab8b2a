//! The conditions of a kernel under which its invocations do not race, checked when a launch is recorded.

use gridwise_ir::descriptor::{KernelDescriptor, Number, OfGrid, ParamKind, Unmet};

use crate::core::error::{Error, MayRace, Result};
use crate::record::launch::Numbers;

/// Refuses a launch that does not meet a condition.
///
/// # Errors
/// [`Error::MayRace`] then.
pub(crate) fn check(descriptor: &KernelDescriptor, numbers: &Numbers<'_>) -> Result<()> {
    match descriptor.conditions.unmet(numbers) {
        None => Ok(()),
        Some(unmet) => Err(may_race(descriptor, &unmet, numbers, false)),
    }
}

/// The most workgroups of an indirect grid that meet the conditions, at most `limit`, of which `numbers` tell. The device checks how many
/// there are.
///
/// # Errors
/// [`Error::MayRace`] where it takes more than a limit of each axis to tell.
pub(crate) fn limit_of(
    descriptor: &KernelDescriptor,
    numbers: &Numbers<'_>,
    workgroup: [u32; 3],
    mut limit: [u32; 3],
) -> Result<[u32; 3]> {
    for (condition, of_grid) in descriptor.conditions.of_grid() {
        let is_kept = match of_grid {
            OfGrid::No | OfGrid::Largest => condition.holds(numbers) == Some(true),
            OfGrid::OneItem(axis) => workgroup.get(usize::from(axis)) == Some(&1),
            OfGrid::OneGroup(_) => true,
            OfGrid::Other => false,
        };
        if !is_kept {
            return Err(may_race(descriptor, &condition, numbers, of_grid != OfGrid::No));
        }
        if let OfGrid::OneItem(axis) | OfGrid::OneGroup(axis) = of_grid
            && let Some(limit) = limit.get_mut(usize::from(axis))
        {
            *limit = 1.min(*limit);
        }
    }
    Ok(limit)
}

#[cold]
fn may_race(descriptor: &KernelDescriptor, unmet: &Unmet, numbers: &Numbers<'_>, is_indirect: bool) -> Error {
    let (condition, values) = unmet.explain(numbers, &|number| name_of(descriptor, number));
    let (kernel, file) = (descriptor.name.into(), descriptor.location.file);
    let (line, column) = (unmet.line, unmet.column);
    Error::MayRace(Box::new(MayRace { kernel, file, line, column, condition, values, is_indirect }))
}

/// The name of a number of a launch, as the author calls it.
fn name_of(descriptor: &KernelDescriptor, number: Number) -> String {
    let axis = |axis: u8| ["x", "y", "z"].get(usize::from(axis)).copied().unwrap_or("?");
    let param = |at: u16| descriptor.params.get(usize::from(at)).map_or("?", |param| param.name);
    match number {
        Number::Const(number) => number.to_string(),
        Number::Items(of) => format!("invocations along {}", axis(of)),
        Number::Groups(of) => format!("workgroups along {}", axis(of)),
        Number::Len(at) => format!("{}.len()", param(at)),
        Number::Extent { param: at, axis: of } => format!("{}.size() along {}", param(at), axis(of)),
        Number::Least(at) => format!("the least {}[_].len()", param(at)),
        Number::LeastExtent { param: at, axis: of } => format!("the least {}[_].size() along {}", param(at), axis(of)),
        Number::Constant(at) => {
            descriptor.constants.get(usize::from(at)).map_or("?", |constant| constant.name).to_owned()
        }
        Number::Value { offset, size } => {
            let offset = u32::from(offset);
            let value = descriptor.params.iter().find_map(|param| match param.kind {
                ParamKind::Value { offset: start, size } if (start..start + size).contains(&offset) => {
                    Some((param.name, offset - start, size))
                }
                _ => None,
            });
            match value {
                Some((name, _, whole)) if whole == u32::from(size) => name.to_owned(),
                Some((name, at, _)) => format!("a member of {name} (byte {at})"),
                None => "a parameter".to_owned(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gridwise_ir::descriptor::{Conditions, Location};

    use super::*;
    use crate::record::launch::{Extent, PushBlock};

    #[test]
    fn grids_that_the_device_reads_are_limited_where_that_is_enough() {
        let limit = |conditions: &'static [u8], workgroup: [u32; 3]| {
            let location = Location { file: "k.rs", line: 1, column: 1 };
            let base = KernelDescriptor::new("k", location, &[], "k", workgroup, 0);
            let descriptor = KernelDescriptor { conditions: Conditions(conditions), ..base };
            let (extent, push) = (Extent::of_groups(workgroup, [8; 3]), PushBlock::new(&base).expect("no constants"));
            let numbers =
                Numbers { extent: &extent, push: &push, parameters: &[], tables: &[], buffers: &[], constants: &[] };
            limit_of(&descriptor, &numbers, workgroup, [8; 3]).ok()
        };
        assert_eq!(limit(b"", [1, 4, 1]), Some([8; 3]));
        assert_eq!(limit(b"i1n2r11", [4, 1, 1]), Some([8, 1, 8]));
        assert_eq!(limit(b"g1n2r11", [4, 4, 1]), Some([8, 1, 8]));
        // One workgroup has several.
        assert_eq!(limit(b"i1n2r11", [1, 4, 1]), None);
        // The largest grid meets it; it does not; a smaller one may not.
        assert_eq!(limit(b"g0n9r11", [1; 3]), Some([8; 3]));
        assert_eq!(limit(b"g0n8r11", [1; 3]), None);
        assert_eq!(limit(b"n1g0r11", [1; 3]), None);
    }
}
