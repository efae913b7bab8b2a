//! Runs launches in the interpreter of the intermediate representation, and says what it found.

use gridwise_ir::arena::EntityId;
use gridwise_ir::descriptor::{KernelDescriptor, ParamKind, PrintHeader, Site};
use gridwise_ir::interpret::{
    ImageInput, Inputs, Options, Outcome, Report, Value, read_value, run, texel_value, texel_words, write_value,
};
use gridwise_ir::ir::{self, Kernel, Module};
use gridwise_ir::parse::parse;
use gridwise_ir::passes::{fix_constants, simplify};
use gridwise_ir::types::{TypeId, Types};

use crate::core::error::{Error, Result};
use crate::core::print::LaunchPrints;
use crate::core::trap::Trap;
use crate::core::trap::{message_of, panic_error};
use crate::device::host::HostOptions;
use crate::record::launch::Extent;
use crate::record::steps::{BufferArg, DispatchStep};

/// Instructions that each invocation may run: minutes.
const FUEL: u64 = 1 << 26;

/// Runs one launch; gives its error, and what it printed.
///
/// # Safety
/// The caller has the turn of the device's queue, and no host access to the launch's buffers is under way.
pub(crate) unsafe fn run_dispatch(
    options: HostOptions,
    dispatch: &DispatchStep,
    extent: Extent,
    capacity: u32,
) -> (Option<Error>, Option<LaunchPrints>) {
    // SAFETY: the caller's promise.
    match unsafe { interpret(options, dispatch, extent) } {
        Ok((module, outcome)) => {
            let prints = (!outcome.prints.is_empty()).then(|| prints_of(dispatch, &module, &outcome, capacity));
            (error_of(dispatch.settled.descriptor, &module, &outcome), prints)
        }
        Err(error) => (Some(error), None),
    }
}

/// # Safety
/// As [`run_dispatch`].
unsafe fn interpret(options: HostOptions, dispatch: &DispatchStep, extent: Extent) -> Result<(Module, Outcome)> {
    let descriptor = dispatch.settled.descriptor;
    let kernel_name = descriptor.name;
    let broken = |cause| Error::InvalidModule { kernel: kernel_name.into(), cause };
    let text = descriptor.ir.ok_or(Error::NoIntermediate { kernel: kernel_name.into() })?;
    let module = parse(text).map_err(|_| broken("its intermediate representation cannot be read"))?;
    let mut module = fix_constants(&module, dispatch.settled.constants)
        .ok_or_else(|| broken("its intermediate representation has other const parameters"))?;
    simplify(&mut module).map_err(|_| broken("its intermediate representation is too large"))?;
    let kernel = module.kernel.as_ref().ok_or_else(|| broken("its intermediate representation has no kernel"))?;
    let mismatch = || broken("its intermediate representation has another interface");
    let params = params_of(descriptor, &module.types, kernel, dispatch.push_of_run().bytes()).ok_or_else(mismatch)?;
    let mut buffers = vec![Vec::new(); kernel.buffers.len()];
    let mut lists: Vec<_> = kernel.buffers.iter().map(|(_, buffer)| buffer.is_list.then(Vec::new)).collect();
    for argument in &dispatch.args.buffers {
        let element = element_of(kernel, argument).ok_or_else(mismatch)?;
        // SAFETY: the buffer has as many bytes, and nobody else accesses them now.
        let bytes =
            unsafe { std::slice::from_raw_parts(argument.buffer.host_data(0), argument.buffer.bytes() as usize) };
        let values = match argument.buffer.is_image() {
            true => Some(read_texels(argument, bytes)),
            false => read_elements(&module.types, element, bytes, argument.buffer.stride()),
        };
        let binding = argument.binding as usize;
        if let Some(members) = lists.get_mut(binding).and_then(Option::as_mut) {
            members.push(argument.buffer.len());
        }
        // Those of a list lie one behind the other.
        buffers[binding].append(&mut values.ok_or_else(mismatch)?);
    }
    let images = images_of(&dispatch.args.buffers, buffers.len());
    let inputs = Inputs { groups: extent.groups, items: Some(extent.items), params, buffers, images, lists };
    let options = Options {
        seed: options.seed.unwrap_or(0),
        fuel: FUEL,
        subgroup_size: options.subgroup_size,
        leaves_at_traps: descriptor.leaves_at_traps,
        ..Options::default()
    };
    let outcome = run(&module, &inputs, &options);
    // Those of a list lie one behind the other.
    let mut rest: Vec<&[Value]> = outcome.buffers.iter().map(Vec::as_slice).collect();
    for argument in dispatch.args.buffers.iter().filter(|argument| argument.is_written) {
        let element = element_of(kernel, argument).ok_or_else(mismatch)?;
        let data = argument.buffer.host_data(0);
        // SAFETY: as above; the reader's slice is gone.
        let bytes = unsafe { std::slice::from_raw_parts_mut(data, argument.buffer.bytes() as usize) };
        let stride = argument.buffer.stride() as usize;
        let values = &mut rest[argument.binding as usize];
        let count = bytes.len().div_ceil(stride.max(1)).min(values.len());
        let own = values.split_off(..count).unwrap_or_default();
        for (value, bytes) in own.iter().zip(bytes.chunks_mut(stride.max(1))) {
            match argument.buffer.is_image() {
                true => argument.buffer.image_layout().format.encode(texel_words(value), bytes),
                false => write_value(&module.types, element, value, bytes).ok_or_else(mismatch)?,
            }
        }
    }
    Ok((module, outcome))
}

fn element_of(kernel: &Kernel, argument: &BufferArg) -> Option<TypeId> {
    kernel.buffers.get(EntityId::new(argument.binding as usize)).map(|buffer| buffer.element)
}

/// The shapes and formats of the images among the arguments, by binding.
fn images_of(arguments: &[BufferArg], bindings: usize) -> Vec<Vec<ImageInput>> {
    if arguments.iter().all(|argument| !argument.buffer.is_image()) {
        return Vec::new();
    }
    let mut images = vec![Vec::new(); bindings];
    for argument in arguments.iter().filter(|argument| argument.buffer.is_image()) {
        let shape = argument.buffer.image_layout().shape();
        images[argument.binding as usize].push(ImageInput { shape, sampler: argument.sampler.unwrap_or_default() });
    }
    images
}

fn read_texels(argument: &BufferArg, bytes: &[u8]) -> Vec<Value> {
    let format = argument.buffer.image_layout().format;
    let texels = bytes.chunks(format.bytes() as usize);
    texels.map(|raw| texel_value(format, format.decode(raw))).collect()
}

fn read_elements(types: &Types, element: TypeId, bytes: &[u8], stride: u32) -> Option<Vec<Value>> {
    bytes.chunks((stride as usize).max(1)).map(|bytes| read_value(types, element, bytes)).collect()
}

/// The by-value parameters in order.
fn params_of(descriptor: &KernelDescriptor, types: &Types, kernel: &Kernel, push: &[u8]) -> Option<Vec<Value>> {
    let offsets = descriptor.params.iter().filter_map(|param| match param.kind {
        ParamKind::Value { offset, .. } => Some(offset as usize),
        _ => None,
    });
    let mut params = kernel.params.iter().zip(offsets);
    params.try_fold(Vec::new(), |mut values, ((_, param), offset)| {
        values.push(read_value(types, param.ty, push.get(offset..)?)?);
        Some(values)
    })
}

/// The descriptor's row of a site of the module, with its number; none for a site that the compiler proved to be idle.
///
/// The instances of a generic function have sites at one place: they are told apart by the words they record and by their
/// order, which is the same on both sides.
fn site_of(descriptor: &'static KernelDescriptor, module: &Module, report: &Report) -> Option<(usize, &'static Site)> {
    let key = |site: &ir::Site| (site.kind, site.location, site.text.clone());
    let wanted = &module.sites[report.site];
    let file = &module.files[wanted.location.file];
    let words = report.operands.len() as u32;
    let rows = descriptor.sites.iter().enumerate().filter(|(_, row)| {
        let at = row.location;
        (row.kind, at.line, at.column, at.file, row.text)
            == (wanted.kind, wanted.location.line, wanted.location.column, file.as_str(), wanted.text.as_str())
    });
    let rows: Vec<_> = rows.collect();
    let alike: Vec<_> = module.sites.iter().filter(|(_, site)| key(site) == key(wanted)).map(|(id, _)| id).collect();
    let fits = |row: &&(usize, &'static Site)| row.1.message.is_none_or(|message| message.words == words);
    let own = alike.iter().position(|id| *id == report.site).filter(|_| alike.len() == rows.len());
    own.and_then(|at| rows.get(at)).filter(fits).or_else(|| rows.iter().find(fits)).or_else(|| rows.first()).copied()
}

/// The error of a launch: its faults, else its first panic.
fn error_of(descriptor: &'static KernelDescriptor, module: &Module, outcome: &Outcome) -> Option<Error> {
    let panicked = outcome.traps.first().map(|first| {
        let idle = Site {
            kind: module.sites[first.site].kind,
            location: descriptor.location,
            text: descriptor.name,
            message: None,
        };
        let site = site_of(descriptor, module, first).map_or(idle, |(_, site)| *site);
        let message = message_of(&site, &first.operands);
        let count = u32::try_from(outcome.traps.len()).unwrap_or(u32::MAX);
        panic_error(descriptor.name, Trap { site, message, invocation: first.invocation, count })
    });
    if outcome.findings.is_empty() {
        return panicked;
    }
    let mut faults: Vec<_> = outcome.findings.iter().map(|finding| finding.describe(module).to_string()).collect();
    faults.extend(panicked.map(|error| error.to_string()));
    Some(Error::KernelFaults { kernel: descriptor.name.into(), faults })
}

/// The prints of a launch, as a device records them.
fn prints_of(dispatch: &DispatchStep, module: &Module, outcome: &Outcome, capacity: u32) -> LaunchPrints {
    let mut words = Vec::new();
    let mut header = PrintHeader { capacity, ..PrintHeader::default() };
    for report in &outcome.prints {
        let Some((number, _)) = site_of(dispatch.settled.descriptor, module, report) else { continue };
        if words.len() + 4 + report.operands.len() > capacity as usize {
            header.dropped += 1;
            continue;
        }
        words.push(number as u32 + 1);
        words.extend(report.invocation);
        words.extend(&report.operands);
    }
    header.used = words.len() as u32;
    LaunchPrints::read(dispatch.settled.descriptor, dispatch.workgroup(), header, &words)
}
