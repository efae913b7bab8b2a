//! Shows what gridwise made of the kernels of a crate: the source beside the IR beside the SPIR-V, which checks are left and
//! why, and what the driver says. The way from options to page; the parts are in the modules.
//!
//! ```text
//! cargo run -p gridwise-inspect -- --example quickstart
//! ```

mod checks;
mod collect;
mod driver;
mod error;
mod html;
mod kernel;
mod listing;
mod options;
mod races;
mod roofline;
mod source;

use std::process::ExitCode;

use clap::Parser;

use crate::collect::{Collected, collect};
use crate::driver::Driver;
use crate::error::Error;
use crate::kernel::Inspected;
use crate::options::Options;
use crate::roofline::Measurements;
use crate::source::Sources;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Error> {
    // Before minutes of building.
    let measurements = options.measured.as_deref().map(Measurements::read).transpose()?;
    let Collected { workspace, target, modules } = collect(options)?;
    let mut sources = Sources::new(workspace);
    let mut kernels = Vec::new();
    for module in &modules {
        let kernel = Inspected::new(module, &mut sources)?;
        if options.kernels.is_empty() || options.kernels.contains(&kernel.name) {
            kernels.push(kernel);
        }
    }
    kernels.sort_by(|a, b| a.location.cmp(&b.location).then_with(|| a.name.cmp(&b.name)));
    if kernels.is_empty() {
        return Err(Error::NoKernels { asked_for: options.kernels.join(", "), found: modules.len() });
    }
    let driver = if options.no_device { None } else { Driver::open(options.device.as_deref())? };
    if let Some(driver) = &driver {
        kernels.iter_mut().for_each(|kernel| kernel.driver = Some(driver.ask(kernel)));
    }
    print!("{}", kernel::table(&kernels));
    if options.text {
        kernels.iter().for_each(|kernel| print!("\n{kernel}"));
    }
    let path = options.out.clone().unwrap_or_else(|| target.join("gridwise-inspect.html"));
    let picture = measurements.as_ref().map(roofline::draw).transpose()?;
    let device = driver.as_ref().map(Driver::name);
    std::fs::write(&path, html::page(&kernels, device, picture.as_deref()))
        .map_err(|source| Error::Write { path: path.clone(), source })?;
    println!("written: {}", path.display());
    Ok(())
}
