//! Lists of tensors as kernels find them on a device: a table of addresses and lengths, made when a launch is recorded. It must not
//! outlive the tensors: a recording holds both.

use std::sync::Arc;

use gridwise_ir::descriptor::{KernelDescriptor, ListRow, ParamKind};

use crate::core::error::{Error, Result};
use crate::device::vulkan::{MemoryUse, VulkanBuffer};
use crate::device::{Backend, Device};
use crate::memory::buffer::Buffer;
use crate::record::steps::{BufferArg, Role};

/// The most elements of a tensor in a list: kernels count from an address in 32 bits with a sign.
const MOST_ELEMENTS: u32 = i32::MAX as u32;

/// Adds the tables of the lists among the arguments of a launch; the host device needs none.
///
/// # Errors
/// When a tensor has no address that kernels could use or too many elements, or there is no memory for a table.
pub(crate) fn with_tables(
    device: &Arc<Device>,
    descriptor: &'static KernelDescriptor,
    mut arguments: Vec<BufferArg>,
) -> Result<Vec<BufferArg>> {
    if let Backend::Host(_) = device.backend {
        return Ok(arguments);
    }
    for (param, declared) in (0..).zip(descriptor.params) {
        let ParamKind::List { binding, stride, .. } = declared.kind else { continue };
        let members = arguments.iter().filter(|argument| (argument.param, argument.role) == (param, Role::Member));
        let mut rows = members.map(|member| row(descriptor, &member.buffer)).collect::<Result<Vec<_>>>()?;
        // The row for all positions behind the end; and at the end zeros, an element where there is none.
        rows.push(ListRow::default());
        let spare = rows.len();
        rows.resize(spare + stride.div_ceil(ListRow::BYTES) as usize, ListRow::default());
        let name = format!("table of `{}`", declared.name);
        let table = Buffer::new(device, &name, rows.len(), ListRow::BYTES as usize, MemoryUse::Upload)?;
        let address = spare_address(descriptor, &table, spare)?;
        rows[..spare].iter_mut().filter(|row| row.len == 0).for_each(|row| row.address = address);
        // SAFETY: as many bytes as the table has.
        unsafe { table.write(rows.as_ptr().cast()) }?;
        let (buffer, role) = (Arc::new(table), Role::Table);
        arguments.push(BufferArg { buffer, param, binding, is_written: false, sampler: None, role });
    }
    Ok(arguments)
}

/// The row of a member in the table of a list with so many.
///
/// # Errors
/// As [`with_tables`].
pub(super) fn row_in(
    descriptor: &'static KernelDescriptor,
    (table, members): (&Buffer, usize),
    member: &Buffer,
) -> Result<ListRow> {
    let row = row(descriptor, member)?;
    match row.len {
        0 => Ok(ListRow { address: spare_address(descriptor, table, members + 1)?, ..row }),
        _ => Ok(row),
    }
}

/// Puts a row into a table that no device uses now.
///
/// # Errors
/// When the device fails.
pub(super) fn put_row(table: &Arc<Buffer>, position: usize, row: ListRow) -> Result<()> {
    let place = table.seen(position as u64 * u64::from(ListRow::BYTES), ListRow::BYTES, 1);
    // SAFETY: as many bytes as a row has.
    unsafe { place.write((&raw const row).cast()) }
}

/// The address of the zeros behind the rows of a table.
fn spare_address(descriptor: &'static KernelDescriptor, table: &Buffer, rows: usize) -> Result<u64> {
    Ok(address(descriptor, table)? + rows as u64 * u64::from(ListRow::BYTES))
}

fn row(descriptor: &'static KernelDescriptor, member: &Buffer) -> Result<ListRow> {
    if member.len() > MOST_ELEMENTS {
        return Err(Error::BufferTooLarge {
            tensor: member.name().into(),
            asked: member.len().into(),
            limit: MOST_ELEMENTS.into(),
            unit: "elements in a list",
        });
    }
    let address = address(descriptor, member)?;
    Ok(ListRow { address, len: member.len(), last: member.len().saturating_sub(1) })
}

fn address(descriptor: &'static KernelDescriptor, buffer: &Buffer) -> Result<u64> {
    let unknown = || Error::NoAddress { kernel: descriptor.name.into(), tensor: buffer.name().into() };
    Ok(buffer.vulkan().and_then(VulkanBuffer::address).ok_or_else(unknown)? + buffer.start())
}
