//! The Vulkan instance: loader, layers, extensions.

use std::ffi::{CStr, c_char};
use std::fmt;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use ash::{ext, khr, vk};

use super::candidate::Candidate;
use super::validation::ValidationLog;
use crate::core::error::{Error, Result};

const VALIDATION_LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// Held while instances and devices are made and destroyed.
///
/// Vulkan allows this on several threads at once; [`Fault::ConcurrentDevices`](gridwise_ir::faults::Fault::ConcurrentDevices) does not. With
/// a device made and dropped on each of 16 threads, such a driver spun for ever in a thread's exit, or crashed, within some ten rounds.
static LIFECYCLE: Mutex<()> = Mutex::new(());

/// Waits for whoever makes or destroys an instance or a device.
pub(super) fn lifecycle() -> MutexGuard<'static, ()> {
    LIFECYCLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The first instance of the process, which stays: the loader unloads its drivers with the last one.
///
/// Avoids [`Fault::FewLoads`](gridwise_ir::faults::Fault::FewLoads).
/// NVIDIA's driver 580.159 can be loaded some thirty times into a process and not again, since each time takes static
/// thread-local storage that is never given back. Vulkan finds no device after that.
static KEPT: OnceLock<(ash::Entry, vk::Instance)> = OnceLock::new();

/// A loaded Vulkan.
pub(crate) struct VulkanInstance {
    pub(crate) raw: ash::Instance,
    messenger: Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    pub(crate) has_debug_utils: bool,
    // Invariant: the messenger points to it, so it has a fixed place and goes after the messenger.
    log: Box<ValidationLog>,
    /// Whether it is an application's, which destroys it.
    is_borrowed: bool,
    // Keeps the loader's library open.
    entry: ash::Entry,
}

impl VulkanInstance {
    /// Loads Vulkan; `None` when there is no loader, or only one older than Vulkan 1.1, or no driver.
    ///
    /// # Errors
    /// When validation is asked for and not installed, or the loader fails.
    pub(crate) fn new(validation: bool) -> Result<Option<Self>> {
        // SAFETY: the system's Vulkan loader; its initialisers are as trustworthy as the system.
        let entry = match unsafe { ash::Entry::load() } {
            Ok(entry) => entry,
            Err(error) => {
                tracing::debug!(%error, "no Vulkan loader");
                return Ok(None);
            }
        };
        // SAFETY: no preconditions.
        let version = unsafe { entry.try_enumerate_instance_version() }.ok().flatten().unwrap_or(vk::API_VERSION_1_0);
        if version < vk::API_VERSION_1_1 {
            tracing::debug!(version, "the Vulkan loader is too old");
            return Ok(None);
        }
        if validation && !has_layer(&entry)? {
            return Err(Error::ValidationUnavailable);
        }
        match Self::create(entry, validation) {
            // The loader's way to say that it found no driver.
            Err(Error::Vulkan { result: vk::Result::ERROR_INCOMPATIBLE_DRIVER, .. }) => Ok(None),
            created => created.map(Some),
        }
    }

    fn create(entry: ash::Entry, validation: bool) -> Result<Self> {
        let has = extensions(&entry)?;
        let has_debug_utils = validation && has(ext::debug_utils::NAME);
        let has_portability = has(khr::portability_enumeration::NAME);
        let mut names: Vec<*const c_char> = Vec::new();
        let mut layers: Vec<*const c_char> = Vec::new();
        if has_debug_utils {
            names.push(ext::debug_utils::NAME.as_ptr());
        }
        let mut flags = vk::InstanceCreateFlags::empty();
        if has_portability {
            names.push(khr::portability_enumeration::NAME.as_ptr());
            flags |= vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR;
        }
        if validation {
            layers.push(VALIDATION_LAYER.as_ptr());
            // The layer itself brings this extension.
            names.push(ext::validation_features::NAME.as_ptr());
        }
        let has_settings = validation && has_layer_settings(&entry)?;
        if has_settings {
            names.push(ext::layer_settings::NAME.as_ptr());
        }
        let log = Box::<ValidationLog>::default();
        let application = vk::ApplicationInfo::default()
            .engine_name(c"gridwise")
            .engine_version(vk::make_api_version(0, 0, 1, 0))
            .api_version(vk::API_VERSION_1_3);
        let enabled = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
        let mut features = vk::ValidationFeaturesEXT::default().enabled_validation_features(&enabled);
        // Newer layers leave what shaders access out of synchronization validation unless told.
        let on = vk::TRUE.to_ne_bytes();
        let settings = [vk::LayerSettingEXT::default()
            .layer_name(VALIDATION_LAYER)
            .setting_name(c"syncval_shader_accesses_heuristic")
            .ty(vk::LayerSettingTypeEXT::BOOL32)
            .values(&on)];
        let settings = settings.map(|setting| vk::LayerSettingEXT { value_count: 1, ..setting });
        let mut settings = vk::LayerSettingsCreateInfoEXT::default().settings(&settings);
        let mut messenger_info = log.messenger_info();
        let mut info = vk::InstanceCreateInfo::default()
            .flags(flags)
            .application_info(&application)
            .enabled_extension_names(&names)
            .enabled_layer_names(&layers);
        if validation {
            info = info.push_next(&mut features);
        }
        if has_settings {
            info = info.push_next(&mut settings);
        }
        if has_debug_utils {
            info = info.push_next(&mut messenger_info);
        }
        let raw = {
            let _one_at_a_time = lifecycle();
            // SAFETY: everything `info` points to lives until after the call.
            unsafe { entry.create_instance(&info, None) }.map_err(Error::vulkan("vkCreateInstance"))?
        };
        let mut instance = Self { raw, messenger: None, has_debug_utils, log, is_borrowed: false, entry };
        if has_debug_utils {
            let utils = ext::debug_utils::Instance::new(&instance.entry, &instance.raw);
            // SAFETY: the log is boxed and dropped after the messenger.
            let messenger = unsafe { utils.create_debug_utils_messenger(&instance.log.messenger_info(), None) };
            let messenger = messenger.map_err(Error::vulkan("vkCreateDebugUtilsMessengerEXT"))?;
            instance.messenger = Some((utils, messenger));
        }
        Ok(instance)
    }

    /// An application's instance, which it keeps until everything here is gone.
    pub(crate) fn borrow(entry: ash::Entry, raw: ash::Instance) -> Self {
        let log = Box::default();
        Self { raw, messenger: None, has_debug_utils: false, log, is_borrowed: true, entry }
    }

    /// The devices, usable or not; none when the loader finds no driver.
    ///
    /// # Errors
    /// When the driver fails.
    pub(crate) fn candidates(&self) -> Result<Vec<Candidate>> {
        // SAFETY: no preconditions.
        let devices = unsafe { self.raw.enumerate_physical_devices() };
        let devices = match devices.map_err(Error::vulkan("vkEnumeratePhysicalDevices")) {
            // As with the creation of an instance: a driver that finds no device it could drive.
            Err(Error::Vulkan { operation, result: result @ vk::Result::ERROR_INITIALIZATION_FAILED }) => {
                tracing::warn!(operation, ?result, "no Vulkan device to be had");
                Vec::new()
            }
            devices => devices?,
        };
        devices.into_iter().map(|physical| Candidate::new(&self.entry, &self.raw, physical)).collect()
    }

    pub(crate) fn entry(&self) -> &ash::Entry {
        &self.entry
    }

    pub(crate) fn validation_messages(&self) -> Vec<String> {
        self.log.messages()
    }
}

fn has_layer(entry: &ash::Entry) -> Result<bool> {
    // SAFETY: no preconditions.
    let layers = unsafe { entry.enumerate_instance_layer_properties() };
    let layers = layers.map_err(Error::vulkan("vkEnumerateInstanceLayerProperties"))?;
    Ok(layers.iter().any(|layer| layer.layer_name_as_c_str() == Ok(VALIDATION_LAYER)))
}

/// Whether the validation layer takes settings from the program.
fn has_layer_settings(entry: &ash::Entry) -> Result<bool> {
    // SAFETY: no preconditions.
    let found = unsafe { entry.enumerate_instance_extension_properties(Some(VALIDATION_LAYER)) };
    let found = found.map_err(Error::vulkan("vkEnumerateInstanceExtensionProperties"))?;
    Ok(found.iter().any(|extension| extension.extension_name_as_c_str() == Ok(ext::layer_settings::NAME)))
}

/// Tells whether an instance extension is there.
fn extensions(entry: &ash::Entry) -> Result<impl Fn(&CStr) -> bool + use<>> {
    // SAFETY: no preconditions.
    let found = unsafe { entry.enumerate_instance_extension_properties(None) };
    let found = found.map_err(Error::vulkan("vkEnumerateInstanceExtensionProperties"))?;
    Ok(move |name: &CStr| found.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name)))
}

impl Drop for VulkanInstance {
    fn drop(&mut self) {
        let _one_at_a_time = lifecycle();
        if let Some((utils, messenger)) = self.messenger.take() {
            // SAFETY: the instance made it, and lives.
            unsafe { utils.destroy_debug_utils_messenger(messenger, None) };
        }
        if !self.is_borrowed && KEPT.set((self.entry.clone(), self.raw.handle())).is_err() {
            // SAFETY: the device that used the instance held it, so it is gone; nothing else was made of it.
            unsafe { self.raw.destroy_instance(None) };
        }
    }
}

impl fmt::Debug for VulkanInstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VulkanInstance").field("handle", &self.raw.handle()).finish_non_exhaustive()
    }
}
