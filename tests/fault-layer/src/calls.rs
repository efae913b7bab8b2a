//! The functions that can fail, with the codes that the specification lets them fail with, and those that destroy what they make.
//! Each asks the plan first.

use std::ffi::{CStr, c_void};

use ash::vk::{self, Handle};

use crate::chain::{key_of, next_of, wait_idle};
use crate::lend;
use crate::plan::{self, Verdict};

/// A function that the layer answers for.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) name: &'static CStr,
    pub(crate) function: fn() -> vk::PFN_vkVoidFunction,
    /// The ways in which it can fail.
    pub(crate) codes: &'static [i32],
    pub(crate) is_wait: bool,
    pub(crate) is_submit: bool,
}

const HOST: i32 = vk::Result::ERROR_OUT_OF_HOST_MEMORY.as_raw();
const DEVICE: i32 = vk::Result::ERROR_OUT_OF_DEVICE_MEMORY.as_raw();
const LOST: i32 = vk::Result::ERROR_DEVICE_LOST.as_raw();
const START: i32 = vk::Result::ERROR_INITIALIZATION_FAILED.as_raw();
const TIMEOUT: i32 = vk::Result::TIMEOUT.as_raw();
const MEMORY: &[i32] = &[HOST, DEVICE];
const MEMORY_OR_LOST: &[i32] = &[HOST, DEVICE, LOST];

/// The function pointer of a lookup, as Vulkan declares it.
fn as_void<F>(function: *const F) -> vk::PFN_vkVoidFunction {
    // SAFETY: the address of a function; whoever calls it casts it to its type again.
    unsafe { std::mem::transmute::<*const F, vk::PFN_vkVoidFunction>(function) }
}

macro_rules! kinds {
    ($($kind:ident)*) => {
        /// Types of objects that are counted.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Kind { $($kind),* }

        impl Kind {
            pub(crate) const ALL: &'static [Self] = &[$(Self::$kind),*];

            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$kind => stringify!($kind)),* }
            }
        }
    };
}

kinds! {
    Instance Device Memory Buffer BufferView Image ImageView Sampler Semaphore Fence Event QueryPool CommandPool ShaderModule
    PipelineCache PipelineLayout Pipeline DescriptorSetLayout DescriptorPool UpdateTemplate
}

/// How many types are counted.
pub(crate) const KINDS: usize = Kind::UpdateTemplate as usize + 1;

macro_rules! fallible {
    ($(
        $name:ident($first:ident: $first_ty:ty $(, $arg:ident: $ty:ty)*) $codes:expr $(=> $kind:ident * $count:expr)?
            $(, noted $note:expr)? $(, instead $instead:expr)? $(, endless $endless:expr)? $(, is $flag:ident)?;
    )*) => {
        /// Positions in [`CALLS`].
        #[expect(non_camel_case_types, reason = "Vulkan's names")]
        enum Index { $($name),* }

        /// All functions that can fail.
        pub(crate) static CALLS: &[Call] = &[$(Call {
            name: match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => c"",
            },
            function: || as_void($name as *const c_void),
            codes: $codes,
            $($flag: true,)?
            ..USUAL
        }),*];

        $(
            #[expect(non_snake_case, reason = "Vulkan's name")]
            unsafe extern "system" fn $name($first: $first_ty $(, $arg: $ty)*) -> vk::Result {
                let index = Index::$name as usize;
                let key = key_of($first.as_raw());
                let is_endless = false $(|| $endless)?;
                match plan::with(|plan| plan.judge(index, key, is_endless)) {
                    Verdict::Pass => {}
                    Verdict::Answer(result) => return result,
                    Verdict::Lose => {
                        wait_idle(key);
                        return vk::Result::ERROR_DEVICE_LOST;
                    }
                }
                let pass_on = || {
                    let Some(next) = next_of(key, index) else { return vk::Result::ERROR_EXTENSION_NOT_PRESENT };
                    type Function = unsafe extern "system" fn($first_ty $(, $ty)*) -> vk::Result;
                    // SAFETY: the next layer's function of this name; the caller's arguments are passed on.
                    unsafe {
                        std::mem::transmute::<vk::PFN_vkVoidFunction, Function>(Some(next))($first $(, $arg)*)
                    }
                };
                let result = None::<vk::Result>$(.or_else(|| $instead))?.unwrap_or_else(pass_on);
                $(
                    if result == vk::Result::SUCCESS {
                        plan::with(|plan| plan.made(Kind::$kind, i64::from($count)));
                    }
                )?
                $(
                    if result == vk::Result::SUCCESS {
                        $note;
                    }
                )?
                result
            }
        )*
    };
}

/// The defaults of a call.
const USUAL: Call = Call { name: c"", function: || None, codes: &[], is_wait: false, is_submit: false };

type Info = *const c_void;
type Out = *mut c_void;

fallible! {
    vkAllocateMemory(device: vk::Device, info: Info, allocator: Info, out: Out) MEMORY => Memory * 1;
    vkMapMemory(device: vk::Device, memory: u64, offset: u64, size: u64, flags: u32, out: Out)
        &[HOST, DEVICE, vk::Result::ERROR_MEMORY_MAP_FAILED.as_raw()];
    vkFlushMappedMemoryRanges(device: vk::Device, count: u32, ranges: Info) MEMORY;
    vkInvalidateMappedMemoryRanges(device: vk::Device, count: u32, ranges: Info) MEMORY;
    vkBindBufferMemory(device: vk::Device, buffer: u64, memory: u64, offset: u64) MEMORY;
    vkBindImageMemory(device: vk::Device, image: u64, memory: u64, offset: u64) MEMORY;
    vkCreateBuffer(device: vk::Device, info: Info, allocator: Info, out: Out) MEMORY => Buffer * 1;
    vkCreateBufferView(device: vk::Device, info: Info, allocator: Info, out: Out) MEMORY => BufferView * 1;
    vkCreateImage(device: vk::Device, info: Info, allocator: Info, out: Out) MEMORY => Image * 1;
    vkCreateImageView(device: vk::Device, info: Info, allocator: Info, out: Out) MEMORY => ImageView * 1;
    vkCreateSampler(device: vk::Device, info: Info, allocator: Info, out: Out) MEMORY => Sampler * 1;
    vkCreateSemaphore(device: vk::Device, info: Info, allocator: Info, out: Out) MEMORY => Semaphore * 1,
        instead lend::create(device, info, allocator, out);
    vkCreateFence(device: vk::Device, info: Info, allocator: Info, out: Out) MEMORY => Fence * 1;
    vkCreateEvent(device: vk::Device, info: Info, allocator: Info, out: Out) MEMORY => Event * 1;
    vkCreateQueryPool(device: vk::Device, info: Info, allocator: Info, out: Out) MEMORY => QueryPool * 1;
    vkCreateCommandPool(device: vk::Device, info: Info, allocator: Info, out: Out) MEMORY => CommandPool * 1;
    vkCreateShaderModule(device: vk::Device, info: Info, allocator: Info, out: Out) MEMORY => ShaderModule * 1,
        noted note_module(info);
    vkCreatePipelineCache(device: vk::Device, info: Info, allocator: Info, out: Out) MEMORY => PipelineCache * 1;
    vkCreatePipelineLayout(device: vk::Device, info: Info, allocator: Info, out: Out) MEMORY => PipelineLayout * 1;
    vkCreateDescriptorSetLayout(device: vk::Device, info: Info, allocator: Info, out: Out) MEMORY
        => DescriptorSetLayout * 1;
    vkCreateDescriptorPool(device: vk::Device, info: Info, allocator: Info, out: Out) MEMORY => DescriptorPool * 1;
    vkCreateDescriptorUpdateTemplate(device: vk::Device, info: Info, allocator: Info, out: Out) MEMORY
        => UpdateTemplate * 1;
    vkCreateComputePipelines(device: vk::Device, cache: u64, count: u32, infos: Info, allocator: Info, out: Out)
        MEMORY => Pipeline * count;
    vkAllocateCommandBuffers(device: vk::Device, info: Info, out: Out) MEMORY;
    vkAllocateDescriptorSets(device: vk::Device, info: Info, out: Out)
        &[HOST, DEVICE, vk::Result::ERROR_OUT_OF_POOL_MEMORY.as_raw(), vk::Result::ERROR_FRAGMENTED_POOL.as_raw()];
    vkResetDescriptorPool(device: vk::Device, pool: u64, flags: u32) &[];
    vkResetCommandPool(device: vk::Device, pool: u64, flags: u32) MEMORY;
    vkResetCommandBuffer(commands: vk::CommandBuffer, flags: u32) MEMORY;
    vkBeginCommandBuffer(commands: vk::CommandBuffer, info: Info) MEMORY;
    vkEndCommandBuffer(commands: vk::CommandBuffer) MEMORY;
    vkGetPipelineCacheData(device: vk::Device, cache: u64, size: Out, out: Out) MEMORY;
    vkGetQueryPoolResults(
        device: vk::Device, pool: u64, first: u32, count: u32, size: usize, out: Out, stride: u64, flags: u32
    ) MEMORY_OR_LOST;
    vkQueueSubmit(queue: vk::Queue, count: u32, infos: Info, fence: u64) MEMORY_OR_LOST, is is_submit;
    vkQueueSubmit2(queue: vk::Queue, count: u32, infos: Info, fence: u64) MEMORY_OR_LOST, is is_submit;
    vkQueueWaitIdle(queue: vk::Queue) MEMORY_OR_LOST;
    vkDeviceWaitIdle(device: vk::Device) MEMORY_OR_LOST;
    vkGetSemaphoreCounterValue(device: vk::Device, semaphore: u64, out: Out) MEMORY_OR_LOST;
    vkSignalSemaphore(device: vk::Device, info: Info) MEMORY;
    vkWaitSemaphores(device: vk::Device, info: Info, timeout: u64)
        &[HOST, DEVICE, LOST, TIMEOUT], endless timeout == u64::MAX, is is_wait;
    vkGetFenceStatus(device: vk::Device, fence: u64) MEMORY_OR_LOST;
    vkResetFences(device: vk::Device, count: u32, fences: Info) MEMORY;
    vkWaitForFences(device: vk::Device, count: u32, fences: Info, all: u32, timeout: u64)
        &[HOST, DEVICE, LOST, TIMEOUT], endless timeout == u64::MAX, is is_wait;
    vkGetMemoryFdKHR(device: vk::Device, info: Info, out: Out) &[HOST, vk::Result::ERROR_TOO_MANY_OBJECTS.as_raw()];
    vkGetMemoryHostPointerPropertiesEXT(device: vk::Device, kind: u32, pointer: Info, out: Out)
        &[HOST, vk::Result::ERROR_INVALID_EXTERNAL_HANDLE.as_raw()];
    vkGetSemaphoreFdKHR(device: vk::Device, info: Info, out: Out)
        &[HOST, vk::Result::ERROR_TOO_MANY_OBJECTS.as_raw()], instead lend::export(device, info, out);
    vkImportSemaphoreFdKHR(device: vk::Device, info: Info)
        &[HOST, vk::Result::ERROR_INVALID_EXTERNAL_HANDLE.as_raw()], instead lend::import(device, info);
    // These are made by `chain`, which asks for their verdicts.
    vkCreateInstance(unused: vk::Instance) &[HOST, DEVICE, START, vk::Result::ERROR_INCOMPATIBLE_DRIVER.as_raw()];
    vkCreateDevice(unused: vk::PhysicalDevice)
        &[HOST, DEVICE, START, LOST, vk::Result::ERROR_TOO_MANY_OBJECTS.as_raw()];
    vkEnumeratePhysicalDevices(unused: vk::Instance) &[HOST, DEVICE, START];
    vkEnumerateDeviceExtensionProperties(unused: vk::PhysicalDevice) MEMORY;
}

/// Keeps the words of a module that was made.
fn note_module(info: Info) {
    // SAFETY: the caller's valid info, whose words are as many as it says.
    let words = unsafe {
        let info = &*info.cast::<vk::ShaderModuleCreateInfo<'_>>();
        std::slice::from_raw_parts(info.p_code, info.code_size / 4)
    };
    plan::with(|plan| plan.modules.push(words.to_vec()));
}

/// The verdict on a call of an instance's.
pub(crate) fn judge(name: &CStr) -> Option<vk::Result> {
    let index = CALLS.iter().position(|call| call.name == name)?;
    match plan::with(|plan| plan.judge(index, 0, false)) {
        Verdict::Pass => None,
        Verdict::Answer(result) => Some(result),
        Verdict::Lose => Some(vk::Result::ERROR_DEVICE_LOST),
    }
}

macro_rules! destroyers {
    ($($name:ident $kind:ident)*) => {
        /// All functions that destroy one object.
        pub(crate) static DESTROYERS: &[Call] = &[$(Call {
            name: match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => c"",
            },
            function: || as_void($name as *const c_void),
            ..USUAL
        }),*];

        #[expect(non_camel_case_types, clippy::enum_variant_names, reason = "Vulkan's names")]
        enum Destroyer { $($name),* }

        $(
            #[expect(non_snake_case, reason = "Vulkan's name")]
            unsafe extern "system" fn $name(device: vk::Device, object: u64, allocator: Info) {
                let Some(next) = next_of(key_of(device.as_raw()), CALLS.len() + Destroyer::$name as usize) else { return };
                if object != 0 {
                    plan::with(|plan| plan.made(Kind::$kind, -1));
                }
                if Kind::$kind == Kind::Semaphore {
                    lend::destroyed(device, object);
                }
                type Function = unsafe extern "system" fn(vk::Device, u64, Info);
                // SAFETY: as above.
                unsafe { std::mem::transmute::<vk::PFN_vkVoidFunction, Function>(Some(next))(device, object, allocator) }
            }
        )*
    };
}

destroyers! {
    vkFreeMemory Memory
    vkDestroyBuffer Buffer
    vkDestroyBufferView BufferView
    vkDestroyImage Image
    vkDestroyImageView ImageView
    vkDestroySampler Sampler
    vkDestroySemaphore Semaphore
    vkDestroyFence Fence
    vkDestroyEvent Event
    vkDestroyQueryPool QueryPool
    vkDestroyCommandPool CommandPool
    vkDestroyShaderModule ShaderModule
    vkDestroyPipelineCache PipelineCache
    vkDestroyPipelineLayout PipelineLayout
    vkDestroyPipeline Pipeline
    vkDestroyDescriptorSetLayout DescriptorSetLayout
    vkDestroyDescriptorPool DescriptorPool
    vkDestroyDescriptorUpdateTemplate UpdateTemplate
}
