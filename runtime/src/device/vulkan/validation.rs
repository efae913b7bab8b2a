//! Collects what the validation layer reports.

use std::ffi::{CStr, c_void};
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use ash::vk;

/// Messages of the validation layer.
#[derive(Debug, Default)]
pub(crate) struct ValidationLog {
    messages: Mutex<Vec<String>>,
}

impl ValidationLog {
    /// All messages so far.
    pub(crate) fn messages(&self) -> Vec<String> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How to create a messenger that reports here. The log must outlive the messenger.
    pub(crate) fn messenger_info(&self) -> vk::DebugUtilsMessengerCreateInfoEXT<'_> {
        use vk::{DebugUtilsMessageSeverityFlagsEXT as Severity, DebugUtilsMessageTypeFlagsEXT as Kind};
        vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(Severity::WARNING | Severity::ERROR)
            .message_type(Kind::GENERAL | Kind::VALIDATION | Kind::PERFORMANCE)
            .pfn_user_callback(Some(on_message))
            .user_data(std::ptr::from_ref(self).cast_mut().cast())
    }
}

/// Called by the layer, from any thread.
///
/// # Safety
/// `user_data` is the log of [`ValidationLog::messenger_info`], and `data` is valid, as the specification promises.
unsafe extern "system" fn on_message(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user_data: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: this function's contract.
    let (log, data) = unsafe { (user_data.cast::<ValidationLog>().as_ref(), data.as_ref()) };
    let text = data.filter(|data| !data.p_message.is_null()).map(|data| {
        // SAFETY: a null-terminated string, valid during the call.
        unsafe { CStr::from_ptr(data.p_message) }.to_string_lossy().into_owned()
    });
    let mut text = text.unwrap_or_default();
    // The loader reports about other drivers and layers by the general type; and older layers advise against `GENERAL`, the
    // layout of all images here, which newer ones no longer do. Worth a line in the log, no finding.
    let is_advice = kind == vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE && text.contains("instead of GENERAL");
    if kind.contains(vk::DebugUtilsMessageTypeFlagsEXT::GENERAL) || is_advice {
        tracing::debug!("{text}");
        return vk::FALSE;
    }
    if severity.contains(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR) {
        tracing::error!("{text}");
    } else {
        tracing::warn!("{text}");
    }
    if let Some(log) = log {
        let _ = write!(text, " [{severity:?}]");
        log.messages.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }
    vk::FALSE
}
