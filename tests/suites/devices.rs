//! The choice of a device: by name, by the environment, many times over in one process, and of those that are not there.

use gridwise::prelude::*;
use gridwise::{DeviceChoice, Error, ManagerDesc};

pub(super) fn unknown_device() {
    let desc = ManagerDesc { device: DeviceChoice::Name("no such device".into()), ..ManagerDesc::default() };
    let error = Manager::with(desc).expect_err("no such device");
    assert!(matches!(error, Error::NoDevice { .. }), "{error}");
    assert!(error.to_string().contains("no such device") && error.to_string().contains("host"), "{error}");
}

pub(super) fn the_sanitizer_is_there_with_its_feature() {
    let desc = ManagerDesc { device: DeviceChoice::Sanitizer, ..ManagerDesc::default() };
    match Manager::with(desc) {
        Ok(_) if cfg!(feature = "sanitizer") => {}
        Ok(_) => panic!("a sanitizer without its feature"),
        Err(error) => assert!(matches!(error, Error::NoSanitizer) && !cfg!(feature = "sanitizer"), "{error}"),
    }
}

pub(super) fn the_environment_names_a_device_by_its_uuid() {
    const ALONE: &str = "GRIDWISE_TEST_UUID";
    if let Some(uuid) = std::env::var_os(ALONE) {
        let found = Manager::new().expect("a manager").device().uuid.expect("a device of Vulkan");
        assert_eq!(Some(&*found.to_string()), uuid.to_str());
        return;
    }
    let [program, options @ ..] = &this_program()[..] else { panic!("a program has a name") };
    for device in Manager::list_devices().iter().filter(|device| device.is_suitable()) {
        let Some(uuid) = device.uuid.map(|uuid| uuid.to_string()) else { continue };
        let mut child = std::process::Command::new(program);
        child.args(options).args(["--exact", "the_environment_names_a_device_by_its_uuid"]);
        let output =
            child.env(ALONE, &uuid).env("GRIDWISE_DEVICE", &uuid).output().expect("the program starts once more");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// A process that has one manager at a time, many times over. Drivers can be loaded into a process so often and no more.
pub(super) fn managers_in_turn_find_their_device() {
    const ALONE: &str = "GRIDWISE_TEST_MANAGERS_IN_TURN";
    if std::env::var_os(ALONE).is_none() {
        let [program, options @ ..] = &this_program()[..] else { panic!("a program has a name") };
        let mut child = std::process::Command::new(program);
        child.args(options).args(["--exact", "managers_in_turn_find_their_device"]).env(ALONE, "1");
        let output = child.output().expect("the program starts once more");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    let mut devices = (0..64).map(|_| Manager::new().expect("a manager").device().to_string());
    let first = devices.next();
    assert!(devices.all(|device| Some(device) == first), "always {first:?}");
}

/// How this program is started: its path, behind a loader and its options if one started it.
fn this_program() -> Vec<String> {
    let program = std::env::args().next().expect("a program has a name");
    let line = std::fs::read_to_string("/proc/self/cmdline").unwrap_or_default();
    let words: Vec<_> = line.split('\0').map(str::to_owned).collect();
    match words.iter().position(|word| *word == program) {
        Some(at) => words[..=at].to_vec(),
        None => vec![program],
    }
}
