//! Copies between buffers of different managers: the way they take, which is the fastest that there is. It must not know recordings.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::core::error::{Error, Result};
use crate::core::pages;
use crate::core::span::span;
use crate::core::sync::schedule::Use;
use crate::device::vulkan::{Bridge, Side, Span, VulkanBackend, VulkanBuffer};
#[cfg(unix)]
use crate::device::vulkan::{Reach, VulkanDevice};
use crate::device::{Backend, Device};
use crate::memory::buffer::Buffer;
#[cfg(unix)]
use crate::memory::buffer::LetGo;

/// Bytes that the host has at once where it copies twice.
const PIECE: u64 = 16 << 20;

/// The way that a copy between tensors took; told by [`Tensor::copy_to`](crate::Tensor::copy_to). All ways bring the same elements.
///
/// ```
/// # fn main() -> gridwise::Result<()> {
/// use gridwise::{CopyWay, Manager};
///
/// let (one, other) = (Manager::host(), Manager::host());
/// let (from, mut to) = (one.tensor(&[1.0f32, 2.0])?, other.tensor(&[0.0f32; 2])?);
/// assert_eq!(from.copy_to(&mut to)?, CopyWay::Host);
/// assert_eq!(to.to_vec()?, [1.0, 2.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CopyWay {
    /// Both tensors are of one manager, whose device copied.
    OneManager,
    /// The host copied once: it reaches the memory of at least one of the tensors.
    Host,
    /// Both managers have one device, and one of the tensors is of [`Manager::shareable_tensor`](crate::Manager::shareable_tensor): the other
    /// manager imported its memory, and the device copied once.
    ImportedMemory,
    /// Both managers have one device, which copied through memory that they share (`VK_KHR_external_memory_fd`). The host waited in
    /// between.
    SharedMemory,
    /// Both devices copied through memory of the host in which they work (`VK_EXT_external_memory_host`). The host waited in between.
    HostMemory,
    /// The host copied twice: from one device, and to the other. One of the devices lacks what the faster ways take.
    Staging,
}

/// The bridges from one device to others. They hold no device's state, so that no device keeps another.
#[derive(Debug, Default)]
pub(crate) struct Bridges {
    kept: Mutex<Vec<Kept>>,
}

/// A bridge, and the device at its other end.
type Kept = (Weak<Device>, Arc<Mutex<Bridge>>);

impl Bridges {
    /// The bridge to a device for copies of so many bytes, made if there is none.
    fn get(
        &self,
        from: &VulkanBackend,
        (device, to): (&Arc<Device>, &VulkanBackend),
        bytes: u64,
    ) -> Result<Arc<Mutex<Bridge>>> {
        let is_meant = |kept: &Weak<Device>| std::ptr::eq(kept.as_ptr(), Arc::as_ptr(device));
        let (mut unused, mut found) = (Vec::new(), None);
        {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            // Also those to managers that are gone.
            unused.extend(kept.extract_if(.., |(device, _)| device.strong_count() == 0));
            if let Some(at) = kept.iter().position(|(device, _)| is_meant(device)) {
                let bridge = kept[at].1.lock().unwrap_or_else(PoisonError::into_inner);
                let is_fit = bridge.suits(bytes) && !bridge.is_broken();
                drop(bridge);
                match is_fit {
                    true => found = Some(kept[at].1.clone()),
                    false => unused.push(kept.remove(at)),
                }
            }
        }
        // Bridges free memory, which takes a while.
        drop(unused);
        if let Some(found) = found {
            return Ok(found);
        }
        let made = Arc::new(Mutex::new(Bridge::new(&from.device, &to.device, bytes)?));
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // Where two threads made one, both are used now, and the last one later.
        kept.push((Arc::downgrade(device), made.clone()));
        Ok(made)
    }

    /// Gives back the memory of all bridges that are not in use.
    pub(crate) fn clear(&self) {
        let kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        drop(kept);
    }
}

/// Takes what two buffers of different devices have, for one copy: in an order that is the same for all, so that nobody waits for
/// a buffer that another has who waits for its own.
fn reserve<'a>(from: &'a Buffer, to: &'a Buffer) -> (impl Drop + 'a, impl Drop + 'a) {
    let is_first = Arc::as_ptr(&from.device) < Arc::as_ptr(&to.device);
    let (first, second) = if is_first { (from, to) } else { (to, from) };
    let first = first.device.reserve(&first.uses);
    // Given back in the opposite order.
    (second.device.reserve(&second.uses), first)
}

/// Copies all of a buffer to another one of as many bytes, of another device, after all submitted uses of both.
pub(crate) fn copy(from: &Arc<Buffer>, to: &Arc<Buffer>) -> Result<CopyWay> {
    let bytes = from.bytes();
    debug_assert!(bytes == to.bytes() && !Arc::ptr_eq(&from.device, &to.device), "checked by the caller");
    if bytes == 0 {
        return Ok(CopyWay::Host);
    }
    span!("copy_between_managers", tensor = from.name(), bytes = bytes);
    let _reserved = reserve(from, to);
    // SAFETY: the other buffer has as many bytes as this one.
    if let Some(written) = from.with_mapped(|data| unsafe { to.write(data) })? {
        return written.map(|()| CopyWay::Host);
    }
    if to.write_from(from)? {
        return Ok(CopyWay::Host);
    }
    if let Some(way) = imported(from, to)? {
        return Ok(way);
    }
    match over_bridge(from, to) {
        Ok(Some(way)) => Ok(way),
        // The host makes copies that the devices cannot make together.
        Ok(None) | Err(Error::CannotShare { .. }) => by_host(from, to).map(|()| CopyWay::Staging),
        Err(error) => Err(error),
    }
}

/// Memory of other managers' tensors that a device has imported. Neither keeps the other: a tensor takes its memory out of here when it is
/// dropped, and a device lets go of all.
#[cfg(unix)]
#[derive(Default)]
pub(crate) struct Imports {
    kept: Mutex<Vec<(Weak<Buffer>, Arc<Import>)>>,
}

/// An imported memory; none once its tensor is gone.
#[cfg(unix)]
type Import = Mutex<Option<Reach>>;

#[cfg(unix)]
impl LetGo for Import {
    fn let_go(&self) {
        // A copy holds the tensor, so none is under way.
        drop(self.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

#[cfg(unix)]
impl Imports {
    /// The memory of another manager's buffer, imported if it is not yet.
    fn get(&self, device: &Arc<VulkanDevice>, theirs: &Arc<Buffer>, memory: &VulkanBuffer) -> Result<Arc<Import>> {
        let whole = theirs.with_memory();
        {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.retain(|(buffer, _)| buffer.strong_count() > 0);
            let is_meant = |buffer: &Weak<Buffer>| std::ptr::eq(buffer.as_ptr(), Arc::as_ptr(whole));
            if let Some((_, import)) = kept.iter().find(|(buffer, _)| is_meant(buffer)) {
                return Ok(import.clone());
            }
        }
        let import = Arc::new(Mutex::new(Some(Reach::new(device, memory, whole.bytes())?)));
        let weak: Weak<Import> = Arc::downgrade(&import);
        whole.take_along(weak);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push((Arc::downgrade(whole), import.clone()));
        Ok(import)
    }

    /// Lets go of all that no copy uses.
    pub(crate) fn clear(&self) {
        drop(std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner)));
    }
}

/// Lets one manager's device copy between its own buffer and the other one's, which it imports; nothing where that cannot be.
#[cfg(unix)]
fn imported(from: &Arc<Buffer>, to: &Arc<Buffer>) -> Result<Option<CopyWay>> {
    for (own, theirs, is_sent) in [(to, from, false), (from, to, true)] {
        let (Backend::Vulkan(device), Some(buffer)) = (&own.device.backend, own.vulkan()) else { return Ok(None) };
        let Some(memory) = theirs.vulkan().filter(|memory| memory.is_shared()) else { continue };
        let import = match own.device.cache::<Imports>().get(&device.device, theirs, memory) {
            // Of another device, or imported itself.
            Err(Error::CannotShare { .. } | Error::NotShareable { .. }) => continue,
            made => made?,
        };
        let mut import = import.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(reach) = &mut *import else { continue };
        let access = theirs.device.schedule.take_for_host(&theirs.uses, &theirs.part(), true)?;
        theirs.device.wait_all(&access.after)?;
        if is_sent {
            // The host's copy is of what there was before.
            to.forget();
        }
        reach.copy(&side(own, buffer, !is_sent), theirs.vulkan_offset(), from.bytes(), is_sent)?;
        return Ok(Some(CopyWay::ImportedMemory));
    }
    Ok(None)
}

#[cfg(not(unix))]
fn imported(_from: &Arc<Buffer>, _to: &Arc<Buffer>) -> Result<Option<CopyWay>> {
    Ok(None)
}

/// Lets both devices copy; nothing where one of them is the host.
fn over_bridge(from: &Arc<Buffer>, to: &Arc<Buffer>) -> Result<Option<CopyWay>> {
    let (Backend::Vulkan(writer), Backend::Vulkan(reader)) = (&from.device.backend, &to.device.backend) else {
        return Ok(None);
    };
    let (Some(read), Some(written)) = (from.vulkan(), to.vulkan()) else { return Ok(None) };
    let bridge = from.device.cache::<Bridges>().get(writer, (&to.device, reader), from.bytes())?;
    let mut bridge = bridge.lock().unwrap_or_else(PoisonError::into_inner);
    bridge.copy(&side(from, read, false), &side(to, written, true), from.bytes())?;
    Ok(Some(match bridge.span {
        Span::SharedMemory => CopyWay::SharedMemory,
        Span::HostMemory => CopyWay::HostMemory,
    }))
}

/// A buffer as a bridge has it.
fn side<'a>(buffer: &'a Buffer, memory: &'a VulkanBuffer, is_write: bool) -> Side<'a> {
    let used = Use { uses: &buffer.uses, bytes: buffer.part(), is_write: is_write || buffer.is_shared() };
    Side { schedule: &buffer.device.schedule, buffer: memory, offset: buffer.vulkan_offset(), used }
}

/// Copies through memory of the host, a piece at a time.
fn by_host(from: &Arc<Buffer>, to: &Arc<Buffer>) -> Result<()> {
    let bytes = from.bytes();
    let room = bytes.min(PIECE);
    let exhausted = |cause: &dyn ToString| Error::OutOfMemory {
        object: "a copy between managers".to_owned(),
        bytes: room,
        cause: cause.to_string(),
    };
    let mut piece: Vec<u8> = pages::reserve(room as usize).map_err(|error| exhausted(&error))?;
    piece.resize(room as usize, 0);
    for start in (0..bytes).step_by(PIECE as usize) {
        let len = PIECE.min(bytes - start) as u32;
        // SAFETY: parts of both buffers, with as many bytes as the piece has at least.
        unsafe {
            from.seen(start, len, 1).read(piece.as_mut_ptr())?;
            to.seen(start, len, 1).write(piece.as_ptr())?;
        }
    }
    Ok(())
}
