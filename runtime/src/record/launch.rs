//! The arithmetic of a launch: grid to workgroups, and the push-constant block. No Vulkan calls, no panics.

use gridwise_ir::descriptor::{Batch, KernelDescriptor, LaunchNumbers, LaunchWordKind};

use crate::core::error::{Error, KernelName, Result};
use crate::core::grid::{Grid, Unit};
use crate::device::MAX_PUSH_BYTES;
use crate::record::parameter::ParameterUse;
use crate::record::steps::{BufferArg, Role, extent_of, len_of};
use crate::record::table::TableUse;

/// The push-constant block of one launch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PushBlock {
    bytes: [u8; MAX_PUSH_BYTES],
    len: usize,
}

impl PushBlock {
    /// A block of zeros for a kernel.
    ///
    /// # Errors
    /// As [`reset`](Self::reset).
    #[cfg(test)]
    pub(crate) fn new(descriptor: &KernelDescriptor) -> Result<Self> {
        let mut block = Self::default();
        block.reset(descriptor)?;
        Ok(block)
    }

    /// Makes it a block of zeros for a kernel.
    ///
    /// # Errors
    /// When the kernel's block is larger than any kernel's may be.
    pub(crate) fn reset(&mut self, descriptor: &KernelDescriptor) -> Result<()> {
        let len = descriptor.push_constant_size as usize;
        if len > MAX_PUSH_BYTES {
            return Err(Error::PushConstantsTooLarge {
                kernel: descriptor.name.into(),
                asked: descriptor.push_constant_size,
                limit: MAX_PUSH_BYTES as u32,
            });
        }
        *self = Self { bytes: [0; MAX_PUSH_BYTES], len };
        Ok(())
    }

    /// The block.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// The bytes of a parameter; `None` when the descriptor places it outside of the block.
    pub(crate) fn slot(&mut self, offset: u32, size: usize) -> Option<&mut [u8]> {
        let offset = offset as usize;
        self.bytes[..self.len].get_mut(offset..offset.checked_add(size)?)
    }

    /// The unsigned integer at an offset; the largest there is where there is none.
    pub(crate) fn number(&self, offset: u8, size: u8) -> u64 {
        let start = usize::from(offset);
        let bytes = self.bytes().get(start..start + usize::from(size)).unwrap_or_default();
        match *bytes {
            [byte] => byte.into(),
            [a, b] => u16::from_ne_bytes([a, b]).into(),
            [a, b, c, d] => u32::from_ne_bytes([a, b, c, d]).into(),
            [a, b, c, d, e, f, g, h] => u64::from_ne_bytes([a, b, c, d, e, f, g, h]),
            _ => u64::MAX,
        }
    }

    /// Sets a launch word.
    pub(crate) fn set_word(&mut self, offset: u32, word: u32) {
        if let Some(slot) = self.slot(offset, 4) {
            slot.copy_from_slice(&word.to_ne_bytes());
        }
    }
}

impl Default for PushBlock {
    fn default() -> Self {
        Self { bytes: [0; MAX_PUSH_BYTES], len: 0 }
    }
}

/// How much a launch runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) items: [u32; 3],
    pub(crate) groups: [u32; 3],
}

impl Extent {
    /// Whether nothing runs.
    pub(crate) fn is_empty(&self) -> bool {
        self.items.contains(&0)
    }

    /// Works out what `grid` means for a kernel with workgroups of this size on a device that takes `max_groups` workgroups at once.
    ///
    /// # Errors
    /// For sizes below zero, and for sizes beyond what ids or the device can count.
    pub(crate) fn new(
        descriptor: &KernelDescriptor,
        workgroup: [u32; 3],
        grid: Grid,
        max_groups: [u32; 3],
    ) -> Result<Self> {
        let is_full = descriptor.parallel.full_workgroups;
        let kernel = || KernelName::from(descriptor.name);
        Self::measure(&kernel, workgroup, grid, max_groups, is_full, can_split(descriptor))
    }

    /// So many whole workgroups of this size, which ids can count.
    pub(crate) fn of_groups(workgroup: [u32; 3], groups: [u32; 3]) -> Self {
        Self { items: std::array::from_fn(|axis| groups[axis].saturating_mul(workgroup[axis])), groups }
    }

    /// Works out what `grid` means for a module; items are rounded up to whole workgroups.
    pub(crate) fn of_module(name: &KernelName, workgroup: [u32; 3], grid: Grid, max: [u32; 3]) -> Result<Self> {
        Self::measure(&|| name.clone(), workgroup, grid, max, false, false)
    }

    fn measure(
        kernel: &dyn Fn() -> KernelName,
        workgroup: [u32; 3],
        grid: Grid,
        max_groups: [u32; 3],
        is_full: bool,
        can_split: bool,
    ) -> Result<Self> {
        let mut extent = Self { items: [0; 3], groups: [0; 3] };
        for (axis, asked) in grid.size.into_iter().enumerate() {
            let width = u64::from(workgroup[axis].max(1));
            if let Some((items, groups)) = usual(asked, grid.unit, width)
                && groups <= max_groups[axis]
                && (grid.unit == Unit::Groups || !is_full || items & (width as u32 - 1) == 0)
            {
                (extent.items[axis], extent.groups[axis]) = (items, groups);
                continue;
            }
            if asked < 0 {
                return Err(Error::NegativeGrid { kernel: kernel(), axis, asked });
            }
            // Ids are 32-bit: the last id of the last workgroup, masked or not, must not wrap around to zero.
            let unit = match grid.unit {
                Unit::Items => 1,
                Unit::Groups => width,
            };
            let limit = (1 << 32) / width * width / unit;
            let limit = limit.min(u64::from(u32::MAX) / unit);
            // Sizes may be any numbers; from here on they are small enough for what is computed from them.
            let asked = u64::try_from(asked).unwrap_or(u64::MAX);
            let too_large = |limit| Error::GridTooLarge { kernel: kernel(), axis, asked, limit };
            if asked > limit {
                return Err(too_large(limit));
            }
            let groups = match grid.unit {
                Unit::Items => asked.div_ceil(width),
                Unit::Groups => asked,
            };
            if grid.unit == Unit::Items && is_full && !asked.is_multiple_of(width) {
                let (items, width, rounded) = (asked, width as u32, groups * width);
                return Err(Error::PartialWorkgroup { kernel: kernel(), axis, items, width, rounded });
            }
            // A wider x takes several dispatches, if the kernel can be told where each begins.
            let max = u64::from(max_groups[axis]);
            if groups > max && !(axis == 0 && can_split) {
                return Err(too_large(max * width / unit));
            }
            extent.groups[axis] = groups as u32;
            extent.items[axis] = if grid.unit == Unit::Items { asked } else { groups * width } as u32;
        }
        Ok(extent)
    }

    /// The kernel's batch, if a launch can take it and is to. `is_proven` tells whether the kernel's own obligations hold,
    /// `batches_small` whether few items are enough.
    pub(crate) fn batch(
        &self,
        descriptor: &KernelDescriptor,
        (is_proven, batches_small): (bool, bool),
        numbers: &Numbers<'_>,
    ) -> Option<Batch> {
        let batch =
            descriptor.batch.filter(|batch| batch.is_asked || batches_small || self.items[0] >= Batch::LEAST)?;
        let is_line = self.items[1..] == [1, 1];
        let is_proven = is_proven || descriptor.obligations.is_empty();
        (is_line && is_proven && batch.items > 0 && batch.obligations.hold(numbers)).then_some(batch)
    }

    /// Whether each invocation has an item, of workgroups of this size that run so many along x.
    pub(crate) fn is_full(&self, workgroup: [u32; 3], batch: Option<Batch>) -> bool {
        let of_batch = [batch.map_or(1, |batch| batch.items.max(1)), 1, 1];
        let is_full = |axis: usize| {
            let each = u64::from(workgroup[axis].max(1)) * u64::from(of_batch[axis]);
            u64::from(self.items[axis]).is_multiple_of(each)
        };
        (0..3).all(is_full)
    }

    /// Leaves only as many workgroups of this width as run all items in batches.
    pub(crate) fn gather(&mut self, batch: Batch, width: u32) {
        self.groups[0] = self.items[0].div_ceil(batch.items.max(1)).div_ceil(width.max(1));
    }

    /// Fills in the launch words of a block, but for [`LaunchWordKind::FirstGroup`], which stays zero.
    pub(crate) fn fill_words(&self, descriptor: &KernelDescriptor, block: &mut PushBlock, len: impl Fn(u32) -> u32) {
        for word in descriptor.launch_words {
            let value = match word.kind {
                LaunchWordKind::Items(axis) => self.items.get(usize::from(axis)).copied().unwrap_or(1),
                LaunchWordKind::Groups(axis) => self.groups.get(usize::from(axis)).copied().unwrap_or(1),
                LaunchWordKind::FirstGroup => 0,
                LaunchWordKind::Len(param) => len(param),
            };
            block.set_word(word.offset, value);
        }
    }
}

/// Invocations and workgroups along an axis, where ids can count them and workgroups have a power of two: without the divisions of other
/// widths.
fn usual(asked: i128, unit: Unit, width: u64) -> Option<(u32, u32)> {
    let asked = u64::from(u32::try_from(asked).ok()?);
    if !width.is_power_of_two() {
        return None;
    }
    let log = width.trailing_zeros();
    let (items, groups) = match unit {
        Unit::Items => (asked, (asked + width - 1) >> log),
        Unit::Groups => (asked << log, asked),
    };
    Some((u32::try_from(items).ok()?, groups as u32))
}

/// A launch as its kernel's obligations see it.
pub(crate) struct Numbers<'a> {
    pub(crate) extent: &'a Extent,
    pub(crate) push: &'a PushBlock,
    /// The values that each evaluation reads anew: nothing is known of them.
    pub(crate) parameters: &'a [ParameterUse],
    /// The lists whose slots may change after the launch is recorded: nothing is known of their members.
    pub(crate) tables: &'a [TableUse],
    pub(crate) buffers: &'a [BufferArg],
    pub(crate) constants: &'a [u64],
}

impl Numbers<'_> {
    /// The least number that the members of a list have; zero where there are none, or others may take their places.
    fn least_of(&self, param: u16, number: impl Fn(&BufferArg) -> u32) -> u64 {
        let param = u32::from(param);
        if self.tables.iter().any(|table| table.param == param) {
            return 0;
        }
        let members = self.buffers.iter().filter(|argument| (argument.param, argument.role) == (param, Role::Member));
        members.map(number).min().unwrap_or(0).into()
    }
}

impl LaunchNumbers for Numbers<'_> {
    fn items(&self, axis: u8) -> u64 {
        self.extent.items.get(usize::from(axis)).copied().map_or(u64::MAX, u64::from)
    }

    fn groups(&self, axis: u8) -> u64 {
        self.extent.groups.get(usize::from(axis)).copied().map_or(u64::MAX, u64::from)
    }

    fn len(&self, param: u16) -> u64 {
        len_of(self.buffers, param.into()).into()
    }

    fn extent(&self, param: u16, axis: u8) -> u64 {
        extent_of(self.buffers, param.into()).get(usize::from(axis)).copied().unwrap_or(0).into()
    }

    fn least(&self, param: u16) -> u64 {
        self.least_of(param, |member| member.buffer.len())
    }

    fn least_extent(&self, param: u16, axis: u8) -> u64 {
        let axis = usize::from(axis);
        self.least_of(param, |member| match member.buffer.is_image() {
            true => member.buffer.image_layout().extent.get(axis).copied().unwrap_or(0),
            false => 0,
        })
    }

    fn value(&self, offset: u8, size: u8) -> Option<u64> {
        let asked = u64::from(offset)..u64::from(offset) + u64::from(size);
        let is_open = |parameter: &ParameterUse| {
            let open = parameter.bytes();
            open.start < asked.end && asked.start < open.end
        };
        (!self.parameters.iter().any(is_open)).then(|| self.push.number(offset, size))
    }

    fn constant(&self, position: u16) -> u64 {
        self.constants.get(usize::from(position)).copied().unwrap_or(u64::MAX)
    }
}

/// Offset of the word that tells a kernel where along x this dispatch begins.
pub(crate) fn first_group_offset(descriptor: &KernelDescriptor) -> Option<u32> {
    descriptor.launch_words.iter().find(|word| word.kind == LaunchWordKind::FirstGroup).map(|word| word.offset)
}

fn can_split(descriptor: &KernelDescriptor) -> bool {
    first_group_offset(descriptor).is_some()
}

#[cfg(test)]
mod tests {
    use gridwise_ir::descriptor::{LaunchWord, Location, Parallel, known};

    use super::*;
    use crate::record::parameter::{Owner, Parameter};

    const BASE: KernelDescriptor =
        KernelDescriptor::new("k", Location { file: "k.rs", line: 1, column: 1 }, &[], "k", [64, 2, 1], 0);
    const MAX: [u32; 3] = [65535; 3];

    #[test]
    fn items_round_up_to_groups() {
        let extent = Extent::new(&BASE, BASE.workgroup_with(&[]), Grid::items([65, 3]), MAX).unwrap();
        assert_eq!(extent, Extent { items: [65, 3, 1], groups: [2, 2, 1] });
    }

    #[test]
    fn full_workgroups_have_an_item_for_each_invocation() {
        let batch = |items| Some(Batch::new("batch", items, &[], false));
        for (items, batch, is_full) in [
            ([128, 3, 1], None, true),
            ([128, 3, 1], batch(2), true),
            ([128, 3, 1], batch(4), false),
            ([129, 3, 1], None, false),
            ([64, 4, 1], None, false),
            ([u32::MAX - 63, 3, 1], batch(1 << 31), false),
        ] {
            let extent = Extent { items, groups: [1; 3] };
            assert_eq!(extent.is_full([64, 3, 1], batch), is_full, "{items:?} {batch:?}");
        }
    }

    #[test]
    fn few_items_take_no_batch_that_nobody_asked_for() {
        let takes = |items, is_asked, batches_small| {
            let descriptor = KernelDescriptor { batch: Some(Batch::new("batch", 4, &[], is_asked)), ..BASE };
            let (extent, push) = (Extent { items: [items, 1, 1], groups: [1; 3] }, PushBlock::new(&BASE).unwrap());
            let numbers =
                Numbers { extent: &extent, push: &push, parameters: &[], tables: &[], buffers: &[], constants: &[] };
            extent.batch(&descriptor, (false, batches_small), &numbers).is_some()
        };
        assert!(takes(Batch::LEAST, false, false) && !takes(Batch::LEAST - 1, false, false));
        assert!(takes(1, true, false) && takes(1, false, true));
    }

    #[test]
    fn batches_take_lines_that_meet_their_conditions() {
        let takes = |items, obligations| {
            let descriptor = KernelDescriptor { batch: Some(Batch::new("batch", 4, obligations, true)), ..BASE };
            let (extent, push) = (Extent { items, groups: [1; 3] }, PushBlock::new(&BASE).unwrap());
            let numbers =
                Numbers { extent: &extent, push: &push, parameters: &[], tables: &[], buffers: &[], constants: &[] };
            extent.batch(&descriptor, (false, false), &numbers).is_some()
        };
        assert!(takes([64, 1, 1], b"") && takes([64, 1, 1], b"n0n1!"));
        assert!(!takes([64, 2, 1], b"") && !takes([64, 1, 2], b"") && !takes([64, 1, 1], b"n1n1!"));
    }

    #[test]
    fn workgroups_run_all_items_of_batches() {
        for (items, groups) in [(1, 1), (256, 1), (257, 2), (1023, 4), (1024, 4), (1025, 5)] {
            let mut extent = Extent { items: [items, 1, 1], groups: [99, 1, 1] };
            extent.gather(Batch::new("batch", 4, &[], true), 64);
            assert_eq!(extent.groups, [groups, 1, 1], "{items}");
        }
    }

    #[test]
    fn values_that_evaluations_read_anew_are_open() {
        const WORDS: KernelDescriptor = KernelDescriptor { push_constant_size: 16, ..BASE };
        let cell = Parameter::new(Owner::default(), 7u64).cell;
        let (extent, mut push) = (Extent { items: [1; 3], groups: [1; 3] }, PushBlock::new(&WORDS).unwrap());
        push.set_word(12, 5);
        let parameters = [ParameterUse { cell, param: 0, offset: 4 }];
        let numbers = Numbers {
            extent: &extent,
            push: &push,
            parameters: &parameters,
            tables: &[],
            buffers: &[],
            constants: &[],
        };
        // Any byte of it is enough.
        let values =
            [(0, 4), (4, 4), (8, 4), (0, 8), (11, 1), (12, 4)].map(|(offset, size)| numbers.value(offset, size));
        assert_eq!(values, [Some(0), None, None, None, None, Some(5)]);
    }

    #[test]
    fn groups_are_whole() {
        let extent = Extent::new(&BASE, BASE.workgroup_with(&[]), Grid::groups((2u64, 3usize, 4)), MAX).unwrap();
        assert_eq!(extent, Extent { items: [128, 6, 4], groups: [2, 3, 4] });
    }

    #[test]
    fn zero_is_empty() {
        assert!(Extent::new(&BASE, BASE.workgroup_with(&[]), Grid::items([0, 7, 7]), MAX).unwrap().is_empty());
        assert!(Extent::new(&BASE, BASE.workgroup_with(&[]), Grid::groups([5, 0, 7]), MAX).unwrap().is_empty());
    }

    #[test]
    fn odd_sizes_are_errors() {
        assert!(matches!(
            Extent::new(&BASE, BASE.workgroup_with(&[]), Grid::items(-1), MAX),
            Err(Error::NegativeGrid { axis: 0, .. })
        ));
        let too_large = |grid| {
            matches!(Extent::new(&BASE, BASE.workgroup_with(&[]), grid, [u32::MAX; 3]), Err(Error::GridTooLarge { .. }))
        };
        assert!(too_large(Grid::items(u64::MAX)));
        assert!(too_large(Grid::groups(usize::MAX)));
        assert!(too_large(Grid::items([1, 1 << 31, 1 << 31].map(|side: u64| side * 2))));
        assert!(matches!(
            Extent::new(&BASE, BASE.workgroup_with(&[]), Grid::groups([1, 65536]), MAX),
            Err(Error::GridTooLarge { axis: 1, asked: 65536, limit: 65535, .. })
        ));
    }

    #[test]
    fn sizes_may_be_any_numbers() {
        const TOGETHER: KernelDescriptor =
            KernelDescriptor { parallel: Parallel { full_workgroups: true, ..Parallel::NONE }, ..BASE };
        struct Odd(i128);
        impl crate::GridSize for Odd {
            fn extent(self) -> [i128; 3] {
                [1, self.0, 1]
            }
        }
        for descriptor in [BASE, TOGETHER] {
            for workgroup in [[64, 2, 1], [1, 1, 1], [0, 0, 0], [u32::MAX; 3]] {
                for size in [i128::MAX, i128::MAX - 1, 1 << 64, (1 << 64) - 1, 1 << 33, i128::MIN, -1] {
                    for grid in [Grid::items(Odd(size)), Grid::groups(Odd(size))] {
                        for max in [MAX, [u32::MAX; 3], [0; 3]] {
                            let error = Extent::new(&descriptor, workgroup, grid, max).unwrap_err();
                            let is_told = match error {
                                Error::NegativeGrid { axis: 1, asked, .. } => asked == size && size < 0,
                                Error::GridTooLarge { axis: 1, asked, limit, .. } => {
                                    size > 0 && asked == u64::try_from(size).unwrap_or(u64::MAX) && limit < asked
                                }
                                // The first axis is looked at first, and has one item.
                                Error::PartialWorkgroup { axis: 0, items: 1, .. } => {
                                    descriptor.parallel.full_workgroups
                                }
                                Error::GridTooLarge { axis: 0, limit: 0, .. } => {
                                    max == [0; 3] || workgroup == [u32::MAX; 3]
                                }
                                _ => false,
                            };
                            assert!(is_told, "{grid:?} in {workgroup:?}: {error}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn kernels_that_work_together_need_whole_workgroups() {
        const TOGETHER: KernelDescriptor =
            KernelDescriptor { parallel: Parallel { full_workgroups: true, ..Parallel::NONE }, ..BASE };
        assert!(Extent::new(&TOGETHER, TOGETHER.workgroup_with(&[]), Grid::items([128, 4]), MAX).is_ok());
        assert!(Extent::new(&TOGETHER, TOGETHER.workgroup_with(&[]), Grid::groups([3, 1]), MAX).is_ok());
        let error = Extent::new(&TOGETHER, TOGETHER.workgroup_with(&[]), Grid::items([128, 3]), MAX).unwrap_err();
        assert!(matches!(error, Error::PartialWorkgroup { axis: 1, items: 3, width: 2, rounded: 4, .. }), "{error}");
    }

    #[test]
    fn ids_do_not_wrap() {
        const ODD: KernelDescriptor = KernelDescriptor { workgroup: known([48, 1, 1]), ..BASE };
        let last = (1u64 << 32) / 48 * 48;
        assert!(Extent::new(&ODD, ODD.workgroup_with(&[]), Grid::items(last), [u32::MAX; 3]).is_ok());
        assert!(Extent::new(&ODD, ODD.workgroup_with(&[]), Grid::items(last + 1), [u32::MAX; 3]).is_err());
        // A grid whose number of items is no `u32` either.
        let of_groups = |groups: u32| Extent::new(&BASE, BASE.workgroup_with(&[]), Grid::groups(groups), [u32::MAX; 3]);
        assert!(of_groups((1 << 26) - 1).is_ok() && of_groups(1 << 26).is_err());
    }

    #[test]
    fn a_wide_x_needs_the_first_group() {
        const WIDE: KernelDescriptor = KernelDescriptor {
            launch_words: &[
                LaunchWord { offset: 0, kind: LaunchWordKind::FirstGroup },
                LaunchWord { offset: 4, kind: LaunchWordKind::Items(0) },
                LaunchWord { offset: 8, kind: LaunchWordKind::Len(1) },
                LaunchWord { offset: 12, kind: LaunchWordKind::Groups(1) },
            ],
            push_constant_size: 16,
            ..BASE
        };
        assert!(Extent::new(&BASE, BASE.workgroup_with(&[]), Grid::groups(65536), MAX).is_err());
        let extent = Extent::new(&WIDE, WIDE.workgroup_with(&[]), Grid::groups(65536), MAX).unwrap();
        let mut block = PushBlock::new(&WIDE).unwrap();
        extent.fill_words(&WIDE, &mut block, |param| param + 6);
        let words: Vec<u32> =
            block.bytes().chunks(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap())).collect();
        assert_eq!(words, [0, 65536 * 64, 7, 1]);
    }

    #[test]
    fn blocks_are_limited() {
        const LARGE: KernelDescriptor = KernelDescriptor { push_constant_size: 132, ..BASE };
        assert!(matches!(PushBlock::new(&LARGE), Err(Error::PushConstantsTooLarge { asked: 132, .. })));
        assert!(PushBlock::new(&BASE).unwrap().slot(u32::MAX, usize::MAX).is_none());
    }
}
