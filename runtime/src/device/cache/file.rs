//! The format of a kept pipeline: a header of our own, then what the driver gave. Pure; it must accept nothing that this
//! driver did not give for this pipeline.

use super::digest::Digest;

/// The device and driver that a pipeline was compiled for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) vendor: u32,
    pub(crate) device: u32,
    pub(crate) driver_version: u32,
    /// `pipelineCacheUUID`, `deviceUUID` and `driverUUID`.
    pub(crate) uuids: [[u8; 16]; 3],
}

impl Identity {
    fn bytes(&self) -> [u8; 60] {
        let mut bytes = [0; 60];
        let numbers = [self.vendor, self.device, self.driver_version];
        for (slot, number) in bytes.chunks_exact_mut(4).zip(numbers) {
            slot.copy_from_slice(&number.to_le_bytes());
        }
        for (slot, uuid) in bytes[12..].chunks_exact_mut(16).zip(self.uuids) {
            slot.copy_from_slice(&uuid);
        }
        bytes
    }

    /// The identity in a file's name.
    pub(crate) fn digest(&self) -> u64 {
        Digest::new().bytes(&self.bytes()).finish() as u64
    }
}

const MAGIC: &[u8; 8] = b"gridwise";
const VERSION: u32 = 1;
/// Magic, version, identity, key, length, checksum.
const HEADER: usize = 8 + 4 + 60 + 16 + 8 + 16;
/// Bytes of the header that Vulkan puts before all pipeline cache data.
pub(super) const VULKAN_HEADER: usize = 32;

/// A file with a driver's data.
pub(super) fn encode(data: &[u8], identity: &Identity, key: u128) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + data.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&identity.bytes());
    bytes.extend_from_slice(&key.to_le_bytes());
    bytes.extend_from_slice(&(data.len() as u64).to_le_bytes());
    let checksum = Digest::new().bytes(&bytes).bytes(data).finish();
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes.extend_from_slice(data);
    bytes
}

/// The driver's data in a file.
///
/// # Errors
/// Reads a file's data; the error is the fault of the file.
pub(super) fn decode<'a>(bytes: &'a [u8], identity: &Identity, key: u128) -> Result<&'a [u8], &'static str> {
    let (header, data) = bytes.split_at_checked(HEADER).ok_or("shorter than its header")?;
    let (head, checksum) = header.split_at(HEADER - 16);
    let mut rest = head;
    let mut take = |count: usize| {
        let (part, after) = rest.split_at(count);
        rest = after;
        part
    };
    if take(8) != MAGIC {
        return Err("not a pipeline of gridwise");
    }
    if take(4) != VERSION.to_le_bytes() {
        return Err("of another version of gridwise");
    }
    if take(60) != identity.bytes() {
        return Err("of another device or driver");
    }
    if take(16) != key.to_le_bytes() {
        return Err("of another pipeline");
    }
    if take(8) != (data.len() as u64).to_le_bytes() {
        return Err("of another length than it says");
    }
    if checksum != Digest::new().bytes(head).bytes(data).finish().to_le_bytes() {
        return Err("damaged");
    }
    check_vulkan_header(data, identity)?;
    Ok(data)
}

/// Checks the header that Vulkan defines: its length, version 1, vendor, device, `pipelineCacheUUID`.
fn check_vulkan_header(data: &[u8], identity: &Identity) -> Result<(), &'static str> {
    let word = |index: usize| {
        let bytes = data.get(4 * index..4 * index + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    let numbers = [word(0), word(1), word(2), word(3)];
    let expected = [Some(VULKAN_HEADER as u32), Some(1), Some(identity.vendor), Some(identity.device)];
    match numbers == expected && data.get(16..VULKAN_HEADER) == Some(&identity.uuids[0]) {
        true => Ok(()),
        false => Err("without the header of this driver"),
    }
}
