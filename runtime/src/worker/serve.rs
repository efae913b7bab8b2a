//! The worker's side: what it is asked, it loads and runs, one call after the other. It must not outlive its parent.

use std::io::{self, BufReader};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, mpsc};

use super::process::ASKED;
use super::wire::{Answer, Hello, Request, Sent};
use crate::core::error::Result;
use crate::core::grid::{Grid, Unit};
use crate::device::vulkan::MemoryUse;
use crate::manager::Manager;
use crate::memory::buffer::Buffer;
use crate::record::algorithm::Algorithm;
use crate::record::module::{ModuleLaunch, SpirvAlgorithm, SpirvCode, SpirvDesc};

/// Begins `main` of a program that has a [`Worker`](super::Worker): in the worker's process it serves and does not return, in all
/// others it does nothing.
///
/// ```
/// gridwise::serve_if_asked(); // the first line of `main`
/// ```
pub fn serve_if_asked() {
    if std::env::var_os(ASKED).is_none() {
        return;
    }
    // Whatever ends the line ends the worker; what failed is of no use to a parent that is gone.
    std::process::exit(serve().is_err().into());
}

fn serve() -> io::Result<()> {
    let mut line = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    Hello::write(&mut line)?;
    let (send, requests) = mpsc::channel();
    let heard = line.try_clone()?;
    // Beside the calls, so that a parent that ends takes along a worker that hangs.
    std::thread::Builder::new().spawn(move || {
        let mut heard = BufReader::new(heard);
        while let Ok(request) = Request::read(&mut heard) {
            if send.send(request).is_err() {
                break;
            }
        }
        std::process::abort();
    })?;
    let mut manager: Option<Manager> = None;
    while let Ok(request) = requests.recv() {
        match answer(&mut manager, &request, &mut line) {
            Ok(results) => {
                Answer::Well.write(&mut line)?;
                for result in results {
                    io::Write::write_all(&mut line, &result)?;
                }
            }
            Err(error) => Answer::Failed(error.to_string()).write(&mut line)?,
        }
        // A module that takes its device along takes no other: the next one gets a device anew.
        manager = manager.filter(|manager| !manager.shared_device().is_gone());
    }
    Ok(())
}

/// Runs a request; says when it is loaded.
fn answer(manager: &mut Option<Manager>, request: &Request, line: &mut UnixStream) -> Result<Vec<Vec<u8>>> {
    let manager = match manager {
        Some(manager) => manager,
        none => none.insert(Manager::new()?),
    };
    let desc = SpirvDesc {
        name: &request.name,
        code: SpirvCode::Bytes(&request.words),
        entry_point: request.entry_point.as_deref(),
        constants: &request.constants,
    };
    // SAFETY: nobody vouches for the module, and what it breaks is this process, which has nothing but copies.
    let module = unsafe { Algorithm::from_spirv(manager, &desc) }?;
    let launch = Launch::new(manager, &module, request)?;
    // A line that is closed is found out at the end.
    let _ = Answer::Well.write(line);
    launch.run()
}

/// A launch with its buffers on the device.
struct Launch<'a> {
    manager: &'a Manager,
    launch: ModuleLaunch,
    written: Vec<Arc<Buffer>>,
}

impl<'a> Launch<'a> {
    fn new(manager: &'a Manager, module: &SpirvAlgorithm, request: &Request) -> Result<Self> {
        let unit = if request.in_items { Unit::Items } else { Unit::Groups };
        let mut launch = module.launch(Grid { unit, size: request.size });
        if let Some(push) = &request.push {
            launch = launch.push_bytes(push);
        }
        let mut written = Vec::new();
        for Sent { binding, is_written, stride, bytes } in &request.buffers {
            let stride = *stride as usize;
            let len = bytes.len().checked_div(stride).unwrap_or(0);
            let name = format!("binding {binding}");
            let buffer = Arc::new(Buffer::new(manager.shared_device(), &name, len, stride, MemoryUse::Device)?);
            // SAFETY: `bytes` has as many bytes as the buffer.
            unsafe { buffer.write(bytes.as_ptr()) }?;
            launch = launch.bind((*binding).into(), buffer.clone(), *is_written);
            written.extend(is_written.then_some(buffer));
        }
        Ok(Self { manager, launch, written })
    }

    fn run(self) -> Result<Vec<Vec<u8>>> {
        self.manager.sequence()?.record(self.launch)?.eval()?;
        let contents = |buffer: &Arc<Buffer>| {
            let mut bytes = vec![0u8; buffer.bytes() as usize];
            // SAFETY: `bytes` has as many bytes as the buffer.
            unsafe { buffer.read(bytes.as_mut_ptr()) }.map(|()| bytes)
        };
        self.written.iter().map(contents).collect()
    }
}
