//! The suite's harness: each test once for each device that it is for, and a reason where it cannot run there.

use std::process::ExitCode;
use std::thread;

use gridwise_runtime::{DeviceChoice, DeviceKind, Error, Manager, ManagerDesc};
use libtest_mimic::{Arguments, Completion, Trial};

/// The outcome of a test that did not panic.
pub(crate) enum Outcome {
    /// All was as expected.
    Done,
    /// The test needs what is not there.
    Ignored(String),
}

impl From<()> for Outcome {
    fn from((): ()) -> Self {
        Self::Done
    }
}

/// A test that cannot run here, and why.
pub(crate) fn ignored(why: impl ToString) -> Outcome {
    Outcome::Ignored(why.to_string())
}

/// A test, and which devices it is for.
pub(crate) struct Case {
    pub(crate) module: &'static str,
    pub(crate) name: &'static str,
    pub(crate) run: Run,
}

/// How a test is run.
pub(crate) enum Run {
    /// Once for each device.
    Each(fn(On) -> Outcome),
    /// Once for each device of Vulkan.
    Vulkan(fn(On) -> Outcome),
    /// Once; the test opens what it needs.
    Once(fn() -> Outcome),
    /// Once, where there is Vulkan; the test opens what it needs of it.
    OnceOnVulkan(fn() -> Outcome),
}

/// Lists the tests of a module. One that is forgotten is dead code, which the compiler reports.
macro_rules! cases {
    (
        $(each: $($each:ident),+;)?
        $(vulkan: $($vulkan:ident),+;)?
        $(once: $($once:ident),+;)?
        $(once_on_vulkan: $($once_on_vulkan:ident),+;)?
    ) => {
        pub(crate) fn cases() -> Vec<$crate::harness::Case> {
            use $crate::harness::{Case, Outcome, Run};
            let module = module_path!().rsplit("::").next().unwrap_or_default();
            vec![
                $($(Case { module, name: stringify!($each), run: Run::Each(|on| Outcome::from($each(on))) },)+)?
                $($(Case { module, name: stringify!($vulkan), run: Run::Vulkan(|on| Outcome::from($vulkan(on))) },)+)?
                $($(Case { module, name: stringify!($once), run: Run::Once(|| Outcome::from($once())) },)+)?
                $($(Case {
                    module,
                    name: stringify!($once_on_vulkan),
                    run: Run::OnceOnVulkan(|| Outcome::from($once_on_vulkan())),
                },)+)?
            ]
        }
    };
}
pub(crate) use cases;

/// A device that a test runs on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum On {
    /// The host device.
    Host,
    /// The Vulkan device that the environment names, with all it offers.
    Vulkan,
    /// The same with no more than what every device has.
    Baseline,
}

impl On {
    const ALL: [Self; 3] = [Self::Host, Self::Vulkan, Self::Baseline];

    fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Vulkan => "vulkan",
            Self::Baseline => "baseline",
        }
    }

    /// Runs a test on this device.
    pub(crate) fn run<R>(self, test: impl Fn(&Manager) -> R) -> R {
        self.run_with(ManagerDesc::default(), test)
    }

    /// Runs a test on this device, with a manager that is otherwise as described.
    pub(crate) fn run_with<R>(self, desc: ManagerDesc, test: impl Fn(&Manager) -> R) -> R {
        let device = match self {
            Self::Host => DeviceChoice::Host,
            _ => ManagerDesc::from_env().unwrap().device,
        };
        let (validation, baseline_only) = (self != Self::Host, self == Self::Baseline);
        let device = Device { manager: open(ManagerDesc { device, validation, baseline_only, ..desc }) };
        assert_eq!(device.device().kind == DeviceKind::Host, self == Self::Host);
        test(&device)
    }

    /// Runs a test on this device, without the validation layer.
    pub(crate) fn run_unvalidated<R>(self, test: impl Fn(&Manager) -> R) -> R {
        let device = if self == Self::Host { DeviceChoice::Host } else { ManagerDesc::from_env().unwrap().device };
        let desc = ManagerDesc { device, baseline_only: self == Self::Baseline, ..ManagerDesc::default() };
        test(&Manager::with(desc).unwrap())
    }
}

/// A manager whose validation messages fail the test.
pub(crate) struct Device {
    pub(crate) manager: Manager,
}

impl std::ops::Deref for Device {
    type Target = Manager;

    fn deref(&self) -> &Manager {
        &self.manager
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        let messages = self.manager.validation_messages();
        if !thread::panicking() {
            assert!(messages.is_empty(), "{messages:#?}");
        }
    }
}

/// A manager, with the validation layer if that is installed.
pub(crate) fn open(desc: ManagerDesc) -> Manager {
    match Manager::with(desc.clone()) {
        Err(Error::ValidationUnavailable) => Manager::with(ManagerDesc { validation: false, ..desc }).unwrap(),
        manager => manager.unwrap(),
    }
}

/// Why a device of Vulkan runs no test, if so.
fn missing_vulkan() -> Option<String> {
    let manager = open(ManagerDesc { validation: true, ..ManagerDesc::from_env().unwrap() });
    let device = manager.device();
    eprintln!("device: {device}");
    if device.kind == DeviceKind::Host {
        return Some("no Vulkan device".to_owned());
    }
    let validated = ManagerDesc { validation: true, ..ManagerDesc::from_env().unwrap() };
    if matches!(Manager::with(validated), Err(Error::ValidationUnavailable)) {
        eprintln!("no validation layer: Vulkan is tested without");
    }
    None
}

/// Runs all that the arguments ask for.
pub(crate) fn run(cases: impl Iterator<Item = Case>) -> ExitCode {
    let arguments = Arguments::from_args();
    let missing = missing_vulkan();
    let mut trials = Vec::new();
    for Case { module, name, run } in cases {
        let (devices, test) = match run {
            Run::Once(test) => {
                trials.push(trial(format!("{module}::{name}"), None, test));
                continue;
            }
            Run::OnceOnVulkan(test) => {
                trials.push(trial(format!("{module}::{name}"), missing.clone(), test));
                continue;
            }
            Run::Each(test) => (&On::ALL[..], test),
            Run::Vulkan(test) => (&On::ALL[1..], test),
        };
        for &on in devices {
            let missing = missing.clone().filter(|_| on != On::Host);
            trials.push(trial(format!("{module}::{name} on {}", on.name()), missing, move || test(on)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(name: String, missing: Option<String>, test: impl FnOnce() -> Outcome + Send + 'static) -> Trial {
    Trial::ignorable_test(name, move || {
        let outcome = missing.map_or_else(test, Outcome::Ignored);
        Ok(match outcome {
            Outcome::Done => Completion::Completed,
            Outcome::Ignored(why) => Completion::ignored_with(why),
        })
    })
}
