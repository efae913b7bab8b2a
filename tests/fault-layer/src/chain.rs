//! The layer's place in the chain of layers: what the loader asks for, and which function comes next.

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk::{self, Handle};

use crate::calls::{CALLS, DESTROYERS, Kind, judge};
use crate::{lend, plan, properties};

type Void = unsafe extern "system" fn();

/// The negotiation between the loader and a layer (`VkNegotiateLayerInterface`).
#[repr(C)]
pub(crate) struct Negotiation {
    kind: i32,
    next: *mut c_void,
    version: u32,
    get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr,
    get_physical_device_proc_addr: Option<Void>,
}

/// `VkLayerInstanceLink`, and the beginning of `VkLayerDeviceLink`, whose last function is a device's.
#[repr(C)]
struct Link {
    next: *mut Self,
    get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    other: Option<Void>,
}

/// `VkLayerInstanceCreateInfo` and `VkLayerDeviceCreateInfo`.
#[repr(C)]
struct LinkInfo {
    kind: vk::StructureType,
    next: *mut c_void,
    function: i32,
    link: *mut Link,
}

/// The instance functions that the layer calls. They are looked up when the instance is made: later the loader's own
/// lookup gives the first layer's functions, which lead here again.
const OF_INSTANCE: &[&CStr] = &[
    c"vkDestroyInstance",
    c"vkCreateDevice",
    c"vkEnumeratePhysicalDevices",
    c"vkEnumerateDeviceExtensionProperties",
    c"vkGetPhysicalDeviceProperties",
    c"vkGetPhysicalDeviceProperties2",
    c"vkGetPhysicalDeviceFeatures2",
    c"vkGetPhysicalDeviceExternalSemaphoreProperties",
    c"vkGetPhysicalDeviceQueueFamilyProperties",
];

struct InstanceNext {
    handle: vk::Instance,
    get: vk::PFN_vkGetInstanceProcAddr,
    /// Of [`OF_INSTANCE`].
    functions: Vec<Option<Void>>,
}

struct DeviceNext {
    handle: vk::Device,
    get: vk::PFN_vkGetDeviceProcAddr,
    /// Of [`CALLS`], then of [`DESTROYERS`].
    functions: Vec<Option<Void>>,
}

#[derive(Default)]
struct Chain {
    instances: HashMap<usize, Arc<InstanceNext>>,
    devices: HashMap<usize, Arc<DeviceNext>>,
}

fn chain() -> MutexGuard<'static, Option<Chain>> {
    static CHAIN: Mutex<Option<Chain>> = Mutex::new(None);
    CHAIN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The key that an object shares with its instance or device: the loader's table, to which its first word points.
pub(crate) fn key_of(handle: u64) -> usize {
    if handle == 0 {
        return 0;
    }
    // SAFETY: a dispatchable handle points to an object that begins with the loader's word.
    unsafe { *(handle as *const usize) }
}

fn device_of(key: usize) -> Option<Arc<DeviceNext>> {
    chain().as_ref()?.devices.get(&key).cloned()
}

/// The next layer's function of a device.
pub(crate) fn next_of(key: usize, index: usize) -> Option<Void> {
    device_of(key)?.functions.get(index).copied().flatten()
}

/// The next layer's function of a device, by its name.
pub(crate) fn function_of(key: usize, name: &CStr) -> Option<Void> {
    let device = device_of(key)?;
    // SAFETY: the next layer's lookup, for a live device.
    unsafe { (device.get)(device.handle, name.as_ptr()) }
}

/// Lets a device come to rest.
pub(crate) fn wait_idle(key: usize) {
    let Some(device) = device_of(key) else { return };
    // SAFETY: the next layer's function for a live device.
    unsafe {
        if let Some(wait) = (device.get)(device.handle, c"vkDeviceWaitIdle".as_ptr()) {
            let wait = std::mem::transmute::<Void, vk::PFN_vkDeviceWaitIdle>(wait);
            _ = wait(device.handle);
        }
    }
}

/// The next layer's function of an instance, for an instance or a physical device.
pub(crate) fn next_of_instance(handle: u64, name: &CStr) -> Option<Void> {
    let next = chain().as_ref()?.instances.get(&key_of(handle))?.clone();
    match OF_INSTANCE.iter().position(|known| *known == name) {
        Some(position) => next.functions[position],
        // SAFETY: the next layer's lookup, for a live instance.
        None => unsafe { (next.get)(next.handle, name.as_ptr()) },
    }
}

/// Tells the loader where the layer's functions are.
///
/// # Safety
/// As the loader calls it: with a structure of its own.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn vkNegotiateLoaderLayerInterfaceVersion(
    negotiation: *mut Negotiation,
) -> vk::Result {
    // SAFETY: the loader's structure.
    let Some(negotiation) = (unsafe { negotiation.as_mut() }) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    negotiation.version = negotiation.version.min(2);
    negotiation.get_instance_proc_addr = get_instance_proc_addr;
    negotiation.get_device_proc_addr = get_device_proc_addr;
    negotiation.get_physical_device_proc_addr = None;
    vk::Result::SUCCESS
}

/// Finds the link that the loader left for this layer, and moves on to the next layer's.
///
/// # Safety
/// `chained` is the chain of a create info that the loader passes to a layer.
unsafe fn take_link(chained: *const c_void, kind: vk::StructureType) -> Option<&'static Link> {
    let mut at = chained.cast_mut().cast::<LinkInfo>();
    // SAFETY: every structure of a chain begins with its type and the next; those of the loader are its to change.
    unsafe {
        while let Some(info) = at.as_mut() {
            if info.kind == kind && info.function == 0 {
                let link = info.link.as_ref()?;
                info.link = link.next;
                return Some(link);
            }
            at = info.next.cast();
        }
    }
    None
}

unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Instance,
) -> vk::Result {
    if let Some(failure) = judge(c"vkCreateInstance") {
        return failure;
    }
    // SAFETY: the loader's call, whose arguments are passed on to the next layer.
    unsafe {
        let Some(link) = take_link((*info).p_next, vk::StructureType::LOADER_INSTANCE_CREATE_INFO) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let get = link.get_instance_proc_addr;
        let Some(create) = get(vk::Instance::null(), c"vkCreateInstance".as_ptr()) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let result = std::mem::transmute::<Void, vk::PFN_vkCreateInstance>(create)(info, allocator, out);
        if result == vk::Result::SUCCESS {
            let functions = OF_INSTANCE.iter().map(|name| get(*out, name.as_ptr())).collect();
            let next = Arc::new(InstanceNext { handle: *out, get, functions });
            chain().get_or_insert_default().instances.insert(key_of((*out).as_raw()), next);
            plan::with(|plan| plan.made(Kind::Instance, 1));
        }
        result
    }
}

unsafe extern "system" fn destroy_instance(instance: vk::Instance, allocator: *const vk::AllocationCallbacks<'_>) {
    let next = next_of_instance(instance.as_raw(), c"vkDestroyInstance");
    let key = key_of(instance.as_raw());
    if let (Some(chain), Some(_)) = (chain().as_mut(), next) {
        chain.instances.remove(&key);
    }
    if let Some(next) = next {
        plan::with(|plan| plan.made(Kind::Instance, -1));
        // SAFETY: the next layer's function; the caller's arguments.
        unsafe { std::mem::transmute::<Void, vk::PFN_vkDestroyInstance>(next)(instance, allocator) }
    }
}

unsafe extern "system" fn create_device(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Device,
) -> vk::Result {
    if let Some(failure) = judge(c"vkCreateDevice") {
        return failure;
    }
    // SAFETY: as for instances; the last function of a device's link looks up functions of devices.
    unsafe {
        let Some(link) = take_link((*info).p_next, vk::StructureType::LOADER_DEVICE_CREATE_INFO) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let (Some(create), Some(get)) = (next_of_instance(physical.as_raw(), c"vkCreateDevice"), link.other) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let get = std::mem::transmute::<Void, vk::PFN_vkGetDeviceProcAddr>(get);
        // An extension that the layer answers for is none of the driver's.
        let mut given = *info;
        let names: Vec<_> = match given.enabled_extension_count {
            0 => Vec::new(),
            count => std::slice::from_raw_parts(given.pp_enabled_extension_names, count as usize).to_vec(),
        };
        let is_ours =
            |name: *const c_char| lend::is_on() && CStr::from_ptr(name).to_bytes() == lend::EXTENSION.as_bytes();
        let names: Vec<_> = names.into_iter().filter(|name| !is_ours(*name)).collect();
        (given.enabled_extension_count, given.pp_enabled_extension_names) = (names.len() as u32, names.as_ptr());
        let create = std::mem::transmute::<Void, vk::PFN_vkCreateDevice>(create);
        let result = create(physical, &raw const given, allocator, out);
        if result == vk::Result::SUCCESS {
            let (handle, key) = (*out, key_of((*out).as_raw()));
            let all = CALLS.iter().chain(DESTROYERS);
            let functions = all.map(|call| get(handle, call.name.as_ptr())).collect();
            let next = Arc::new(DeviceNext { handle, get, functions });
            chain().get_or_insert_default().devices.insert(key, next);
            plan::with(|plan| {
                plan.forget(key);
                plan.made(Kind::Device, 1);
            });
        }
        result
    }
}

unsafe extern "system" fn destroy_device(device: vk::Device, allocator: *const vk::AllocationCallbacks<'_>) {
    let key = key_of(device.as_raw());
    let Some(next) = chain().as_mut().and_then(|chain| chain.devices.remove(&key)) else { return };
    plan::with(|plan| {
        plan.forget(key);
        plan.made(Kind::Device, -1);
    });
    // SAFETY: the next layer's function; the caller's arguments.
    unsafe {
        if let Some(destroy) = (next.get)(device, c"vkDestroyDevice".as_ptr()) {
            std::mem::transmute::<Void, vk::PFN_vkDestroyDevice>(destroy)(device, allocator);
        }
    }
}

unsafe extern "system" fn enumerate_physical_devices(
    instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDevice,
) -> vk::Result {
    if let Some(failure) = judge(c"vkEnumeratePhysicalDevices") {
        return failure;
    }
    let Some(next) = next_of_instance(instance.as_raw(), c"vkEnumeratePhysicalDevices") else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: the next layer's function; the caller's arguments.
    unsafe { std::mem::transmute::<Void, vk::PFN_vkEnumeratePhysicalDevices>(next)(instance, count, out) }
}

/// A cast that keeps the signature in sight.
macro_rules! as_void {
    ($function:expr, $ty:ty) => {{
        let function: $ty = $function;
        // SAFETY: the address of a function; whoever calls it casts it to its type again.
        Some(unsafe { std::mem::transmute::<$ty, Void>(function) })
    }};
}

/// The layer's own function of this name, if it has one that needs no device.
fn own_of_instance(name: &CStr) -> Option<Void> {
    match name.to_str().ok()? {
        "vkGetInstanceProcAddr" => as_void!(get_instance_proc_addr, vk::PFN_vkGetInstanceProcAddr),
        "vkGetDeviceProcAddr" => as_void!(get_device_proc_addr, vk::PFN_vkGetDeviceProcAddr),
        "vkCreateInstance" => as_void!(create_instance, vk::PFN_vkCreateInstance),
        "vkDestroyInstance" => as_void!(destroy_instance, vk::PFN_vkDestroyInstance),
        "vkCreateDevice" => as_void!(create_device, vk::PFN_vkCreateDevice),
        "vkDestroyDevice" => as_void!(destroy_device, vk::PFN_vkDestroyDevice),
        "vkEnumeratePhysicalDevices" => as_void!(enumerate_physical_devices, vk::PFN_vkEnumeratePhysicalDevices),
        _ => properties::own(name),
    }
}

/// The layer's own function of this name, if it is one of a device's.
fn own_of_device(name: &CStr) -> Option<Void> {
    CALLS.iter().chain(DESTROYERS).find(|call| call.name == name).and_then(|call| (call.function)())
}

unsafe extern "system" fn get_instance_proc_addr(instance: vk::Instance, name: *const c_char) -> Option<Void> {
    // SAFETY: a null-terminated string, as Vulkan asks for.
    let name = unsafe { CStr::from_ptr(name) };
    own_of_instance(name).or_else(|| {
        let next = next_of_instance(instance.as_raw(), name)?;
        Some(own_of_device(name).unwrap_or(next))
    })
}

unsafe extern "system" fn get_device_proc_addr(device: vk::Device, name: *const c_char) -> Option<Void> {
    let next = device_of(key_of(device.as_raw()))?;
    // SAFETY: as above, and the next layer's lookup.
    let (name, next) = unsafe { (CStr::from_ptr(name), (next.get)(device, name)) };
    if lend::is_on() && matches!(name.to_bytes(), b"vkGetSemaphoreFdKHR" | b"vkImportSemaphoreFdKHR") {
        return own_of_device(name);
    }
    let next = next?;
    match name.to_str() {
        Ok("vkGetDeviceProcAddr") => as_void!(get_device_proc_addr, vk::PFN_vkGetDeviceProcAddr),
        Ok("vkDestroyDevice") => as_void!(destroy_device, vk::PFN_vkDestroyDevice),
        _ => Some(own_of_device(name).unwrap_or(next)),
    }
}
