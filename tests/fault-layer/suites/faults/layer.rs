//! Puts the layer between this process and its Vulkan, and finds its control.

use std::path::PathBuf;
use std::{env, fs};

use gridwise_fault_layer::{CONTROL, Control, LAYER, manifest};

/// Opens the layer and lets the Vulkan loader find it.
///
/// # Safety
/// No other thread of the process runs: its environment changes.
///
/// # Errors
/// When the library is not where cargo puts it.
pub(crate) unsafe fn load() -> Result<Control, String> {
    let library = library()?;
    let folder = env::temp_dir().join(format!("gridwise-fault-layer-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let text = manifest(&library.to_string_lossy());
    fs::write(folder.join("fault.json"), text).map_err(|error| error.to_string())?;
    // SAFETY: the caller's promise.
    unsafe {
        match env::var("VK_LAYER_PATH") {
            Ok(path) => env::set_var("VK_LAYER_PATH", format!("{path}:{}", folder.display())),
            Err(_) => env::set_var("VK_ADD_LAYER_PATH", &folder),
        }
        env::set_var("VK_INSTANCE_LAYERS", LAYER);
        // Mesa's own layer takes for granted that these calls succeed, and crashes.
        env::set_var("NODEVICE_SELECT", "1");
    }
    // SAFETY: the library of this package, whose symbol has this type; it stays open to the end.
    unsafe {
        let opened = libloading::Library::new(&library).map_err(|error| error.to_string())?;
        let control = opened.get::<fn() -> Control>(CONTROL).map_err(|error| error.to_string())?();
        std::mem::forget(opened);
        Ok(control)
    }
}

/// The library's path in cargo's target folder: beside the suite, or above. A suite that another loader of programs
/// runs is its first argument.
fn library() -> Result<PathBuf, String> {
    let name = format!("{}gridwise_fault_layer{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let suites: Vec<_> = env::current_exe().into_iter().chain(env::args().take(1).map(PathBuf::from)).collect();
    let folders = suites.iter().flat_map(|suite| suite.ancestors().skip(1).take(2));
    let places: Vec<_> = folders.map(|folder| folder.join(&name)).collect();
    let found = places.iter().find(|path| path.is_file());
    found.cloned().ok_or_else(|| format!("no library at {places:?}"))
}
