//! The whole way from a module as lowered to a compiled kernel; the one place that says in which order things happen.

use std::fmt;
use std::str::FromStr;

use crate::arena::EntityId;
use crate::batch::{self, Batch, Refusal};
use crate::check_groups::CheckGroups;
use crate::descriptor::{
    ConstType, Feature, HostStack, ImageAccess, LaunchWord, LaunchWordKind, ParamKind, SiteKind, Size,
};
use crate::ir::{Checked, ConstParam, ConstParamId, Image, Inst, InstKind, Kernel, Module, Obligation, SourceLocation};
use crate::launch_program;
use crate::layout::Layout;
use crate::locals;
use crate::parallel;
use crate::passes::{Aims, CheckCount, Optimized, TooLarge, optimize_with};
use crate::races::{Analysis, Race};
use crate::spirv::{self, EmitError, Emitted, Facts, TooNested};
use crate::types::{self, Scalar};
use crate::uniformity::Divergence;
use crate::verify::{VerifyErrors, verify};

/// The facts about a kernel that its IR does not hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompileOptions {
    /// For each buffer its position among all parameters of the function, ascending; by-value parameters take the places
    /// left. Empty: the buffers come first.
    pub buffer_positions: Vec<u32>,
    /// Whether to keep the text of the module as lowered, which the sanitizer runs.
    pub keep_ir: bool,
    /// How many items an invocation runs.
    pub batch: batch::Request,
    /// Whether to look for races; else the kernel's author vouches that there are none.
    pub finds_races: bool,
}

/// The options in a line that [`FromStr`] reads: `buffers 1 2 batch automatic`.
impl fmt::Display for CompileOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("buffers")?;
        self.buffer_positions.iter().try_for_each(|position| write!(f, " {position}"))?;
        match self.batch {
            batch::Request::Automatic => f.write_str(" batch automatic"),
            batch::Request::One => f.write_str(" batch 1"),
            batch::Request::Items(items) => write!(f, " batch {items}"),
        }
    }
}

impl FromStr for CompileOptions {
    type Err = BadOptions;

    fn from_str(text: &str) -> Result<Self, BadOptions> {
        let bad = || BadOptions { text: text.to_owned() };
        let rest = text.trim().strip_prefix("buffers").ok_or_else(bad)?;
        let (positions, batch) = rest.split_once(" batch ").ok_or_else(bad)?;
        let number = |word: &str| word.parse::<u32>().map_err(|_| bad());
        let buffer_positions = positions.split_whitespace().map(number).collect::<Result<_, _>>()?;
        let batch = match batch {
            "automatic" => batch::Request::Automatic,
            "1" => batch::Request::One,
            items => batch::Request::Items(number(items)?),
        };
        Ok(Self { buffer_positions, keep_ir: false, batch, finds_races: false })
    }
}

/// A text that is no [`CompileOptions`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not `buffers POSITION… batch ITEMS`")]
pub struct BadOptions {
    text: String,
}

/// A compiled kernel: the owned twin of [`KernelDescriptor`](crate::descriptor::KernelDescriptor), field by field, and what the
/// compiler found out on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    /// The function's name.
    pub name: String,
    /// The place of the function in the source.
    pub location: Option<CompiledLocation>,
    /// The SPIR-V module.
    pub words: Vec<u32>,
    /// Name of the module's only entry point.
    pub entry_point: &'static str,
    /// Invocations per workgroup.
    pub workgroup: [Size; 3],
    /// The const parameters, in order.
    pub constants: Vec<CompiledConstant>,
    /// The function's parameters, in order.
    pub params: Vec<CompiledParam>,
    /// Words the runtime fills in. `Len` counts all parameters.
    pub launch_words: Vec<LaunchWord>,
    /// The facts that pass unchanged from the back end into the descriptor.
    pub facts: Facts,
    /// The checks of the host before a launch, as a program of [`Obligations`](crate::descriptor::Obligations).
    pub obligations: Vec<u8>,
    /// The conditions of a launch without races, as a program of [`Conditions`](crate::descriptor::Conditions).
    pub conditions: Vec<u8>,
    /// Accesses that may race in any launch: an error of the kernel's author.
    pub races: Vec<Race>,
    /// The sites that are left.
    pub sites: Vec<CompiledSite>,
    /// Features beyond the baseline.
    pub features: Vec<(Feature, Option<CompiledLocation>)>,
    /// The stack that an invocation needs on the host.
    pub host_stack: HostStack,
    /// The second entry, for several items per invocation.
    pub batch: Option<CompiledBatch>,
    /// Why there is none although it was asked for.
    pub refusal: Option<(batch::Obstacle, Option<CompiledLocation>)>,
    /// The text of the module as lowered, if asked for.
    pub ir: Option<String>,
    /// How many bounds checks the passes removed and left.
    pub checks: CheckCount,
    /// Barriers that not all invocations of a workgroup reach: an error of the kernel's author.
    pub divergences: Vec<Divergence>,
    /// The files that these name, by number.
    pub files: Vec<String>,
}

/// The owned twin of [`Batch`](crate::descriptor::Batch).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledBatch {
    /// Name of the entry point.
    pub entry_point: &'static str,
    /// Items of an invocation.
    pub items: u32,
    /// Conditions on the launch besides the kernel's obligations.
    pub obligations: Vec<u8>,
    /// Whether the kernel asks for so many.
    pub is_asked: bool,
}

/// The owned twin of [`Location`](crate::descriptor::Location).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledLocation {
    /// Path of the file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// The owned twin of [`Param`](crate::descriptor::Param).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledParam {
    /// The parameter's name.
    pub name: String,
    /// How it reaches the device.
    pub kind: ParamKind,
}

/// The owned twin of [`ConstParam`](crate::descriptor::ConstParam).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledConstant {
    /// The parameter's name.
    pub name: String,
    /// Its type.
    pub ty: ConstType,
    /// The bits it has where nothing else is said.
    pub default: u64,
    /// Whether a workgroup or an array is so large.
    pub is_size: bool,
}

/// The owned twin of [`Site`](crate::descriptor::Site).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledSite {
    /// The kind of fault.
    pub kind: SiteKind,
    /// The place in the source.
    pub location: CompiledLocation,
    /// The expression as the user wrote it.
    pub text: String,
    /// The format of its message, by the number the lowering gave it.
    pub format: Option<u32>,
    /// Words it records of its arguments.
    pub words: u32,
}

impl Compiled {
    /// Asks for devices that keep the subnormal numbers of all floats that the kernel has, as of the place where it is written.
    pub fn require_subnormals(&mut self) {
        let features = [(16, Feature::SubnormalsF16), (32, Feature::SubnormalsF32), (64, Feature::SubnormalsF64)];
        let used = features.into_iter().filter(|(width, _)| self.facts.float_widths.contains(width));
        self.features.extend(used.map(|(_, feature)| (feature, self.location.clone())));
    }

    /// Whether a launch cannot tell this kernel's interface from the other's.
    pub fn has_interface_of(&self, other: &Self) -> bool {
        let interface = |compiled: &Self| {
            let Facts { push_constant_size, trap_binding, trap_words, print_binding, parallel, .. } = compiled.facts;
            (push_constant_size, trap_binding, trap_words, print_binding, parallel, compiled.workgroup)
        };
        interface(self) == interface(other)
            && (&self.params, &self.launch_words, &self.sites) == (&other.params, &other.launch_words, &other.sites)
    }
}

/// Why a module did not become a kernel.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The module that came in is malformed: a bug of whoever built it.
    #[error("the lowered module is malformed: {0}")]
    Lowered(VerifyErrors),
    /// A pass broke the module: a bug of the compiler.
    #[error("the optimised module is malformed: {0}")]
    Optimised(VerifyErrors),
    /// SPIR-V cannot express the module.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// The author's functions, put where they are called, are too much.
    #[error("`{}` is called too often", .0.callee)]
    TooLarge(TooLarge),
    /// The author's branches and loops are nested more deeply than SPIR-V allows.
    #[error(transparent)]
    TooNested(#[from] TooNested),
}

/// Compiles a module with a kernel.
///
/// # Errors
/// When the module is malformed, lacks a kernel or cannot be expressed in SPIR-V, none of which is a user's mistake; and when it is
/// too large or nested too deeply.
pub fn compile(mut module: Module, options: &CompileOptions) -> Result<Compiled, CompileError> {
    // Passes verify what they leave, too, where there are debug assertions; without, one look at the end has to do.
    if cfg!(debug_assertions) {
        verify(&module).map_err(CompileError::Lowered)?;
    }
    // The kernel's demands on a launch must not depend on the results of passes.
    let needs_full_workgroups = parallel::needs_full_workgroups(&module);
    if let Some(kernel) = &mut module.kernel {
        kernel.full_workgroups |= needs_full_workgroups;
    }
    let ir = options.keep_ir.then(|| module.to_string());
    let host_stack = locals::estimate(&module);
    let Optimized { checks, divergences, races, too_large } =
        optimize_with(&mut module, Aims { finds_races: options.finds_races, leaves: true });
    let Analysis { conditions, races } = races;
    if let Some(too_large) = too_large {
        return Err(CompileError::TooLarge(too_large));
    }
    verify(&module).map_err(CompileError::Optimised)?;
    let kernel = module.kernel.as_ref().ok_or(EmitError::NoKernel)?;
    let (batch, refusal) = match batch::find(&module, kernel, options.batch) {
        Ok(batch) => (batch, None),
        Err(refusal) => (None, Some(refusal).filter(|_| matches!(options.batch, batch::Request::Items(_)))),
    };
    let emitted = spirv::emit_with(&module, batch.as_ref())?;
    spirv::check_nesting(&emitted.words)?;
    let files = if divergences.is_empty() && races.is_empty() {
        Vec::new()
    } else {
        module.files.iter().map(|(_, file)| file.clone()).collect()
    };
    let own = module.functions[kernel.function].location;
    let at = |location: Option<SourceLocation>| {
        let is_own = |at: &SourceLocation| own.is_none_or(|own| own.file == at.file);
        location.filter(is_own).or(own).map_or((1, 1), |at| (at.line, at.column))
    };
    let positions = options.buffer_positions.as_slice();
    let conditions = launch_program::write_conditions((&module, kernel), &conditions, &emitted.params, &at, |buffer| {
        position(positions, buffer)
    });
    let described = describe(&module, kernel, emitted, (batch.as_ref(), refusal), options);
    Ok(Compiled { checks, divergences, conditions, races, files, ir, host_stack, ..described })
}

fn describe(
    module: &Module,
    kernel: &Kernel,
    emitted: Emitted,
    (batch, refusal): (Option<&Batch>, Option<Refusal>),
    options: &CompileOptions,
) -> Compiled {
    let function = &module.functions[kernel.function];
    let locate =
        |at: SourceLocation| CompiledLocation { file: module.files[at.file].clone(), line: at.line, column: at.column };
    let positions = options.buffer_positions.as_slice();
    let sites = emitted.sites.iter().zip(&emitted.site_words).map(|(site, words)| {
        let site = &module.sites[*site];
        let location = locate(site.location);
        CompiledSite { kind: site.kind, location, text: site.text.clone(), format: site.format, words: *words }
    });
    // Accesses that passes removed since need no promise.
    let groups = CheckGroups::of(&module.sites);
    let program = |obligations: &[Obligation], needed_by: &dyn Fn(usize) -> u32| {
        let number = |site| emitted.sites.iter().position(|left| *left == site);
        launch_program::write((module, kernel), (obligations, needed_by), &emitted.params, &number, |buffer| {
            position(positions, buffer)
        })
    };
    let asks = |inst: &Inst| matches!(inst.kind, InstKind::Proven(_));
    let is_asked = emitted.sites.iter().any(|site| module.sites[*site].at_launch.is_some())
        || function.insts.iter().any(|(_, inst)| asks(inst));
    let obligations = match is_asked {
        true => program(&kernel.obligations, &|obligation| groups.that_need(obligation)),
        false => Vec::new(),
    };
    let batch = batch.map(|batch| {
        let is_new = |obligation: &&Obligation| {
            obligations.is_empty() || !kernel.obligations.iter().any(|own| own.is_same(obligation))
        };
        let rest: Vec<_> = batch.obligations.iter().filter(is_new).cloned().collect();
        CompiledBatch {
            entry_point: spirv::BATCH_ENTRY_POINT,
            items: batch.items,
            obligations: program(&rest, &|_| 0),
            is_asked: matches!(options.batch, batch::Request::Items(_)),
        }
    });
    Compiled {
        name: function.name.clone(),
        location: function.location.map(locate),
        entry_point: spirv::ENTRY_POINT,
        workgroup: kernel.workgroup.map(describe_size),
        constants: describe_constants(module, kernel),
        params: merge_params(kernel, &emitted, positions),
        launch_words: emitted.launch_words.iter().map(|word| renumber(*word, positions)).collect(),
        obligations,
        conditions: Vec::new(),
        races: Vec::new(),
        facts: emitted.facts,
        sites: sites.collect(),
        features: emitted.features.iter().map(|(feature, at)| (*feature, at.map(locate))).collect(),
        host_stack: HostStack::LITTLE,
        batch,
        refusal: refusal.map(|(obstacle, at)| (obstacle, at.map(locate))),
        ir: None,
        checks: CheckCount::default(),
        divergences: Vec::new(),
        files: Vec::new(),
        words: emitted.words,
    }
}

fn describe_size(size: types::Size) -> Size {
    match size {
        types::Size::Known(number) => Size::Known(number),
        types::Size::Param(param) => Size::Param(param.index() as u32),
    }
}

fn describe_constants(module: &Module, kernel: &Kernel) -> Vec<CompiledConstant> {
    let describe = |(id, constant): (ConstParamId, &ConstParam)| CompiledConstant {
        name: constant.name.clone(),
        ty: const_type(constant.scalar),
        default: constant.default,
        is_size: module.is_size(kernel, id),
    };
    kernel.constants.iter().map(describe).collect()
}

fn const_type(scalar: Scalar) -> ConstType {
    match scalar {
        Scalar::I8 => ConstType::I8,
        Scalar::I16 => ConstType::I16,
        Scalar::I32 => ConstType::I32,
        Scalar::I64 => ConstType::I64,
        Scalar::U8 => ConstType::U8,
        Scalar::U16 => ConstType::U16,
        Scalar::U32 => ConstType::U32,
        Scalar::U64 => ConstType::U64,
        // The verifier leaves no other.
        _ => ConstType::Bool,
    }
}

/// Both kinds of parameters in the order of the function's.
fn merge_params(kernel: &Kernel, emitted: &Emitted, positions: &[u32]) -> Vec<CompiledParam> {
    let mut values = kernel.params.iter().zip(&emitted.params).map(|((_, param), slot)| CompiledParam {
        name: param.name.clone(),
        kind: ParamKind::Value { offset: slot.offset, size: slot.size },
    });
    let mut params = Vec::with_capacity(kernel.params.len() + kernel.buffers.len());
    for (binding, ((_, buffer), &Layout { size: stride, align })) in
        (0..).zip(kernel.buffers.iter().zip(&emitted.elements))
    {
        let before = (position(positions, binding) as usize).saturating_sub(params.len());
        params.extend(values.by_ref().take(before));
        let kind = match buffer.image {
            Some(Image { format, dimensions, is_sampled }) => {
                let access = match (is_sampled, buffer.writable) {
                    (true, _) => ImageAccess::Sample,
                    (false, true) => ImageAccess::Store,
                    (false, false) => ImageAccess::Load,
                };
                match buffer.is_list {
                    true => ParamKind::Images { binding, access, format, dimensions },
                    false => ParamKind::Image { binding, access, format, dimensions },
                }
            }
            None if buffer.is_list => ParamKind::List { binding, writable: buffer.writable, stride, align },
            None if buffer.is_texels => ParamKind::Texels { binding, stride, align },
            None if buffer.is_claims => ParamKind::Claims { binding },
            None => match buffer.checked {
                Some(Checked::Distinct) => ParamKind::Distinct { binding },
                Some(Checked::Offsets) => ParamKind::Offsets { binding },
                None => ParamKind::Buffer { binding, writable: buffer.writable, stride, align },
            },
        };
        params.push(CompiledParam { name: buffer.name.clone(), kind });
    }
    params.extend(values);
    params
}

/// A launch word that counts all parameters instead of buffers.
fn renumber(word: LaunchWord, positions: &[u32]) -> LaunchWord {
    let kind = match word.kind {
        LaunchWordKind::Len(buffer) => LaunchWordKind::Len(position(positions, buffer)),
        other => other,
    };
    LaunchWord { kind, ..word }
}

/// The position of a buffer among all parameters; its own number when none was given.
fn position(positions: &[u32], buffer: u32) -> u32 {
    positions.get(buffer as usize).copied().unwrap_or(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_as_they_were_written() {
        for batch in [batch::Request::Automatic, batch::Request::One, batch::Request::Items(4)] {
            for buffer_positions in [vec![], vec![0, 2, 3]] {
                let options = CompileOptions { buffer_positions, batch, ..CompileOptions::default() };
                assert_eq!(options.to_string().parse(), Ok(options));
            }
        }
        assert!("buffers x batch 1".parse::<CompileOptions>().is_err());
        assert!("batch 1".parse::<CompileOptions>().is_err());
    }
}
