//! Runs every corpus kernel on the device that `GRIDWISE_DEVICE` selects and compares it with the host twin.
//!
//! With `GRIDWISE_DUMP_SPIRV=DIR` it also writes each module to `DIR`, and what most launches' pipelines are made of.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use gridwise::DeviceInfo;
use gridwise::descriptor::{Feature, IS_FULL, IS_PROVEN, IS_WHOLE, KernelDescriptor, NATIVES};
use gridwise::prelude::*;
use gridwise_ir::faults::{Fault, Faults};
use gridwise_ir::variant::{VariantDesc, VariantError, tally, variant};
use gridwise_tests::case::Case;
use gridwise_tests::kernels;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let cases = kernels::all();
    if let Some(directory) = std::env::var_os("GRIDWISE_DUMP_SPIRV")
        && let Err(error) = dump(&cases, Path::new(&directory))
    {
        eprintln!("cannot write modules to {}: {error}", Path::new(&directory).display());
        return ExitCode::FAILURE;
    }
    let host = Arc::new(Manager::host());
    let device = match Manager::new() {
        Ok(device) => Arc::new(device),
        Err(error) => {
            eprintln!("no device: {error}");
            return ExitCode::FAILURE;
        }
    };
    eprintln!("device: {}", device.device());
    let trials = cases.into_iter().map(|case| {
        let (host, device) = (Arc::clone(&host), Arc::clone(&device));
        // A device without the operations of a kernel says so in an error, which another suite looks at.
        let missing = missing(&case, device.device());
        if let Some(missing) = missing {
            eprintln!("ignored: {}: {} has not all of its {missing}", case.name, device.device().name);
        }
        Trial::test(case.name, move || check(case, &host, &device)).with_ignored_flag(missing.is_some())
    });
    let kept = kernels::all();
    let figure = Trial::test("checks::left", move || checks_left(&kept));
    let conclusion = libtest_mimic::run(&arguments, trials.chain([figure]).collect());
    let messages = device.validation_messages();
    for message in &messages {
        eprintln!("validation: {message}");
    }
    if conclusion.has_failed() || !messages.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Whether a device has the subgroup operations of a case's kernels.
fn has_operations(case: &Case, device: &DeviceInfo) -> bool {
    let has = device.limits.subgroup.operations;
    case.kernels.iter().all(|kernel| has.contains(kernel.parallel.subgroup_operations))
}

/// The feature that a case's kernels need and the device lacks, if devices may lack it.
fn missing(case: &Case, device: &DeviceInfo) -> Option<&'static str> {
    let needed = case.kernels.iter().flat_map(|kernel| kernel.features.iter().map(|needed| needed.feature));
    let missing = needed.filter(|feature| !device.has(*feature)).find_map(|feature| match feature {
        Feature::CooperativeMatrix(_) | Feature::CooperativeProduct(_) | Feature::CooperativeBfloat16 => {
            Some("matrices")
        }
        Feature::CooperativeReductions | Feature::CooperativeConversions => Some("operations on matrices"),
        Feature::StorageImageLists | Feature::SampledImageLists => Some("lists of images"),
        _ => None,
    });
    missing.or_else(|| (!has_operations(case, device)).then_some("subgroup operations"))
}

/// Host twin = expectation, device = host twin, and twice the same on the device.
fn check(case: Case, host: &Manager, device: &Manager) -> Result<(), Failed> {
    let on_host = (case.run)(host).map_err(|error| format!("host: {error}"))?;
    if let Some(expected) = case.expected {
        compare("host twin and expectation", &on_host, &expected())?;
    }
    for round in ["first", "second"] {
        let on_device = (case.run)(device).map_err(|error| format!("device: {error}"))?;
        compare(&format!("host twin and {round} run on {}", device.device().name), &on_host, &on_device)?;
    }
    Ok(())
}

/// The share of accesses, in percent, that may be checked on the device where launches keep their obligations. It may not rise: what is
/// checked needlessly is a pass that is missing. Kernels of the corpus index by what they read far more often than others do, and each write of
/// a `Scatter` is checked twice: the index, and who claims the element. So do the machines, trees and texts of `domains_codes`,
/// `domains_games`, `domains_boards`, `domains_streams` and `domains_newcomers`.
const MOST_CHECKED: f64 = 5.4;

/// Counts the checks in what the usual launches' pipelines are made of, over all kernels of the corpus.
fn checks_left(cases: &[Case]) -> Result<(), Failed> {
    let mut kernels: Vec<&KernelDescriptor> = cases.iter().flat_map(|case| case.kernels).copied().collect();
    kernels.sort_unstable_by_key(|kernel| std::ptr::from_ref(*kernel));
    kernels.dedup_by_key(|kernel| std::ptr::from_ref(*kernel));
    let (mut accesses, mut checks) = (0, 0);
    for kernel in kernels {
        let words = kernel.spirv.words().unwrap_or_default();
        let words = usual_variant(kernel, &words, Faults::NONE).map_err(|error| error.to_string())?;
        let found = tally(&words);
        accesses += found.accesses;
        checks += found.checks;
    }
    let share = 100.0 * checks as f64 / accesses.max(1) as f64;
    println!("checks left on the device: {checks} beside {accesses} accesses, {share:.2} %");
    if share <= MOST_CHECKED { Ok(()) } else { Err(format!("{share:.2} % are more than {MOST_CHECKED} %").into()) }
}

fn compare(
    what: &str,
    left: &[gridwise_tests::case::Output],
    right: &[gridwise_tests::case::Output],
) -> Result<(), Failed> {
    if left.len() != right.len() {
        return Err(format!("{what}: {} and {} outputs", left.len(), right.len()).into());
    }
    for (output, (left, right)) in left.iter().zip(right).enumerate() {
        if let Some(difference) = left.difference(right) {
            return Err(format!("{what}, output {output}: {difference}").into());
        }
    }
    Ok(())
}

/// The variant that the runtime makes a pipeline of if all obligations hold and the device's `fma` rounds once.
fn usual_variant(kernel: &KernelDescriptor, words: &[u32], faults: Faults) -> Result<Vec<u32>, VariantError> {
    let entry_point = kernel.batch.map_or(kernel.entry_point, |batch| batch.entry_point);
    let constants: Vec<_> = [IS_PROVEN, IS_WHOLE, IS_FULL].into_iter().chain(NATIVES).map(|id| (id, 1)).collect();
    variant(words, &VariantDesc { entry_point, constants: &constants, keeps_names: false, faults })
}

fn dump(cases: &[Case], directory: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(directory)?;
    for case in cases {
        for kernel in case.kernels {
            let native = kernel.parallel.native.map(|native| ("native_", native.spirv));
            for (prefix, spirv) in [("", kernel.spirv)].into_iter().chain(native) {
                let name = format!("{prefix}{}.{}.spv", case.name.replace("::", "."), kernel.name);
                let words = spirv.words().unwrap_or_default();
                let for_faults = |faults| usual_variant(kernel, &words, faults).map_err(std::io::Error::other);
                let of_pipeline = for_faults(Faults::NONE)?;
                let by_scans = for_faults(Faults::NONE.with(Fault::LostReductions))?;
                let by_zeros = for_faults(Faults::NONE.with(Fault::SimplifiedZeros))?;
                let others = [("scans_", by_scans), ("zeros_", by_zeros)];
                let others: Vec<_> = others.into_iter().filter(|(_, words)| *words != of_pipeline).collect();
                for (prefix, words) in [("", words), ("variant_", of_pipeline)].into_iter().chain(others) {
                    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                    std::fs::write(directory.join(format!("{prefix}{name}")), bytes)?;
                }
            }
        }
    }
    Ok(())
}
