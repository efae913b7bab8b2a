//! Asks a Vulkan driver what it makes of the kernels. Runs none of them.

use std::fmt;

use gridwise_ir::descriptor::{CHECK_GROUPS, IS_FULL, IS_WHOLE, LaunchWordKind, NATIVES, is_proven};
use gridwise_runtime::{
    Algorithm, Constant, DeviceChoice, DeviceKind, Error as RuntimeError, Executable, Manager, ManagerDesc, SpirvCode,
    SpirvDesc, Statistic, StatisticValue,
};

use crate::error::Error;
use crate::kernel::Inspected;

/// A device whose driver can be asked.
pub(crate) struct Driver {
    manager: Manager,
    name: String,
}

/// The driver's answer about a kernel.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// The programs it made, with how full registers let the device be.
    Told(Vec<(Executable, Option<Occupancy>)>),
    /// Why it told nothing.
    Nothing(String),
}

/// How many subgroups can run at once on a multiprocessor, as far as registers limit it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Occupancy {
    pub(crate) subgroups: u64,
    pub(crate) most: u64,
}

impl Driver {
    /// The device of this name, which has to exist; without a name the best Vulkan device, if there is one.
    pub(crate) fn open(name: Option<&str>) -> Result<Option<Self>, Error> {
        let device = name.map_or(DeviceChoice::Best, DeviceChoice::parse);
        let desc = ManagerDesc { device, executable_statistics: true, ..ManagerDesc::default() };
        let manager = match Manager::with(desc) {
            Ok(manager) => manager,
            Err(error) if name.is_none() => {
                eprintln!("no driver is asked: {error}");
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        let info = manager.device();
        if info.kind == DeviceKind::Host {
            return Ok(None);
        }
        let name = format!("{}, {}", info.name, info.driver);
        Ok(Some(Self { manager, name }))
    }

    /// The device and its driver.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The driver's figures for the kernel as most launches run it: the host has checked all that it can.
    pub(crate) fn ask(&self, kernel: &Inspected) -> Answer {
        let constants = constants(kernel);
        let words = &kernel.compiled.words;
        let made = self.make(kernel, words, &constants).or_else(|error| match error {
            // Only whole modules can be refused; without float controls they are as long and as fast.
            RuntimeError::ModuleNeeds { .. } => self.make(kernel, &without_float_controls(words), &constants),
            other => Err(other),
        });
        match made {
            Ok(executables) => {
                let invocations = kernel.compiled.workgroup.iter().map(known).product();
                Answer::Told(
                    executables.into_iter().map(|made| (made.clone(), occupancy(&made, invocations))).collect(),
                )
            }
            Err(error) => Answer::Nothing(error.to_string()),
        }
    }

    fn make(
        &self,
        kernel: &Inspected,
        words: &[u32],
        constants: &[(u32, Constant)],
    ) -> Result<Vec<Executable>, RuntimeError> {
        let entry_point = match kernel.compiled.batch.as_ref() {
            Some(batch) => batch.entry_point,
            None => kernel.compiled.entry_point,
        };
        let code = SpirvCode::Words(words);
        let desc = SpirvDesc { name: &kernel.name, code, entry_point: Some(entry_point), constants };
        // SAFETY: it is not launched.
        unsafe { Algorithm::from_spirv(&self.manager, &desc) }?.executables()
    }
}

fn known(size: &gridwise_ir::descriptor::Size) -> u64 {
    match size {
        gridwise_ir::descriptor::Size::Known(number) => (*number).into(),
        gridwise_ir::descriptor::Size::Param(_) => 0,
    }
}

/// The constants that the runtime gives a module: the host's checks hold, the device multiplies and adds exactly,
/// batches leave no items over, and each invocation has an item.
fn constants(kernel: &Inspected) -> Vec<(u32, Constant)> {
    let compiled = &kernel.compiled;
    let proven = !compiled.obligations.is_empty();
    let has_mask = compiled.launch_words.iter().any(|word| matches!(word.kind, LaunchWordKind::Items(_)));
    let groups = (0..CHECK_GROUPS as u8).map(|group| (is_proven(group), proven));
    let told = [(IS_WHOLE, compiled.batch.is_some()), (IS_FULL, has_mask)];
    let natives = NATIVES.into_iter().zip(compiled.facts.asks_for);
    groups
        .chain(natives)
        .chain(told)
        .filter(|(_, is_told)| *is_told)
        .map(|(id, _)| (id, Constant::Bool(true)))
        .collect()
}

/// A module without capabilities and execution modes of float controls, which not all devices have.
fn without_float_controls(words: &[u32]) -> Vec<u32> {
    const HEADER: usize = 5;
    const CAPABILITY: u32 = 17;
    const EXECUTION_MODE: u32 = 16;
    let (header, mut rest) = words.split_at(HEADER.min(words.len()));
    let mut kept = header.to_vec();
    while let Some(first) = rest.first() {
        let (instruction, behind) = rest.split_at((*first as usize >> 16).clamp(1, rest.len()));
        let is_control = match (first & 0xffff, instruction) {
            (CAPABILITY, [_, capability]) => (4464..=4468).contains(capability),
            (EXECUTION_MODE, [_, _, mode, ..]) => (4459..=4463).contains(mode),
            _ => false,
        };
        if !is_control {
            kept.extend(instruction);
        }
        rest = behind;
    }
    kept
}

/// From the number of registers, where the driver is one that tells it like NVIDIA's: 65,536 registers of 32 bits and 64
/// subgroups of 32 to a multiprocessor (CUDA C Programming Guide, "Technical Specifications per Compute Capability", 7.0, 8.0,
/// 9.0), handed out to a subgroup in units of 256.
fn occupancy(executable: &Executable, invocations: u64) -> Option<Occupancy> {
    const REGISTERS: u64 = 65_536;
    const UNIT: u64 = 256;
    const MOST: u64 = 64;
    let is_registers = |statistic: &&Statistic| statistic.name.eq_ignore_ascii_case("register count");
    let registers = match executable.statistics.iter().find(is_registers)?.value {
        StatisticValue::U64(registers) => registers,
        StatisticValue::I64(registers) => u64::try_from(registers).ok()?,
        StatisticValue::Bool(_) | StatisticValue::F64(_) => return None,
    };
    if executable.subgroup_size != 32 || registers == 0 || invocations == 0 {
        return None;
    }
    let of_workgroup = invocations.div_ceil(32);
    let fit = (REGISTERS / (registers * 32).next_multiple_of(UNIT)).min(MOST);
    Some(Occupancy { subgroups: fit / of_workgroup * of_workgroup, most: MOST })
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let executables = match self {
            Self::Nothing(why) => return writeln!(f, "driver: {why}"),
            Self::Told(executables) => executables,
        };
        for (executable, occupancy) in executables {
            write!(f, "driver: {executable}")?;
            if let Some(Occupancy { subgroups, most }) = occupancy {
                writeln!(f, "  subgroups at once, by registers: {subgroups} of {most}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn float_controls_are_taken_out() {
        let capability = |number| [17 | 2 << 16, number];
        let mode = |mode| [16 | 4 << 16, 7, mode, 32];
        let other = [vec![3, 1, 0, 9, 0], capability(1).to_vec(), mode(17).to_vec()].concat();
        let controls = [other.clone(), capability(4467).to_vec(), mode(4462).to_vec()].concat();
        assert_eq!(without_float_controls(&controls), other);
        assert_eq!(without_float_controls(&[1, 2]), [1, 2]);
    }
}
