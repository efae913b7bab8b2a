//! The kernels of a device that are ready: made once, by whoever records a launch first. It must not submit anything.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gridwise_ir::descriptor::KernelDescriptor;
use rustc_hash::FxHashMap;

use crate::core::error::{Error, Result};
use crate::core::span::span;
use crate::device::native::Native;
use crate::device::{Device, subnormals};
use crate::record::algorithm::{Flags, Prepared, Variant};

/// Ready kernels, by the addresses of their descriptors, the values of their const parameters and their variants.
#[derive(Default)]
pub(crate) struct Kernels(Mutex<FxHashMap<Key, Arc<Slot>>>);

/// Address of the descriptor, values of the const parameters, variant.
type Key = (usize, &'static [u64], Variant);

/// A kernel that is ready, or being made so by whoever holds the lock.
#[derive(Default)]
struct Slot {
    prepared: OnceLock<Arc<Prepared>>,
    making: Mutex<()>,
}

impl Kernels {
    /// A kernel made ready, now or before. Different kernels are made ready in parallel.
    pub(crate) fn prepare(
        &self,
        device: &Device,
        descriptor: &'static KernelDescriptor,
        constants: &'static [u64],
        variant: Variant,
    ) -> Result<Arc<Prepared>> {
        let key = (std::ptr::from_ref(descriptor).addr(), constants, variant);
        let slot = {
            let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let slot = slots.entry(key).or_default();
            if let Some(prepared) = slot.prepared.get() {
                return Ok(prepared.clone());
            }
            slot.clone()
        };
        span!("create_pipeline", kernel = descriptor.name);
        let _making = slot.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(prepared) = slot.prepared.get() {
            return Ok(prepared.clone());
        }
        check_subnormals(device, descriptor)?;
        let has_native = Native::ALL.map(|native| descriptor.asks_for[native as usize] && device.has_native(native));
        let flags = Flags { variant, has_native };
        let prepared = Arc::new(Prepared::new(device, descriptor, constants, flags)?);
        Ok(slot.prepared.get_or_init(|| prepared).clone())
    }
}

/// Checks that the device keeps the subnormal numbers that a kernel asks for, by promise or not.
fn check_subnormals(device: &Device, descriptor: &'static KernelDescriptor) -> Result<()> {
    for needed in descriptor.features {
        let Some(width) = subnormals::Width::of(needed.feature) else { continue };
        if !device.keeps_subnormals(width)? {
            return Err(Error::MissingFeature {
                kernel: descriptor.name.into(),
                feature: needed.feature,
                file: needed.location.file,
                line: needed.location.line,
                device: device.info.name.clone(),
            });
        }
    }
    Ok(())
}

/// A kernel made ready on a device, now or before.
pub(crate) fn prepare(
    device: &Device,
    descriptor: &'static KernelDescriptor,
    constants: &'static [u64],
    variant: Variant,
) -> Result<Arc<Prepared>> {
    device.cache::<Kernels>().prepare(device, descriptor, constants, variant)
}
