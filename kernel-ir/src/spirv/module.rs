//! The module being written: its sections, its ids, and what every other file here shares.

use std::hash::Hasher as _;

use rspirv::spirv;

use super::uses::Uses;
use super::words::{Id, Words};
use super::{EmitError, Emitted, debug, features, interface, math, report};
use crate::arena::EntityId;
use crate::batch::Batch;
use crate::check_groups::CheckGroups;
use crate::descriptor::SubgroupOperations;
use crate::hash::{FastMap, Mixer};
use crate::ir::{Kernel, Module};
use crate::types::{Scalar, TypeId};

/// Number of this generator in the header; zero, as for every unregistered one.
const GENERATOR: u32 = 0;

/// The capability of each group of subgroup operations, in the order of their bits.
const SUBGROUP_CAPABILITIES: [spirv::Capability; 8] = [
    spirv::Capability::GroupNonUniform,
    spirv::Capability::GroupNonUniformVote,
    spirv::Capability::GroupNonUniformArithmetic,
    spirv::Capability::GroupNonUniformBallot,
    spirv::Capability::GroupNonUniformShuffle,
    spirv::Capability::GroupNonUniformShuffleRelative,
    spirv::Capability::GroupNonUniformClustered,
    spirv::Capability::GroupNonUniformQuad,
];

/// Words of a section of a small module.
const SECTION: usize = 240;

/// Types and constants that there is room for from the start.
const KNOWN: usize = 56;

/// The module being written.
pub(super) struct Writer<'m> {
    pub(super) module: &'m Module,
    pub(super) kernel: &'m Kernel,
    pub(super) uses: Uses,
    pub(super) check_groups: CheckGroups,
    /// Atomic additions that subgroups do together.
    pub(super) gathered: super::gather::Gathered,

    next_id: Id,
    glsl: Id,
    /// `OpString`s.
    pub(super) strings: Words,
    /// `OpName`s and `OpMemberName`s.
    pub(super) names: Words,
    /// Decorations.
    pub(super) annotations: Words,
    /// Types, constants and module-scope variables.
    pub(super) globals: Words,
    /// Function definitions.
    pub(super) functions: Words,

    /// The index in `globals` of types and constants that must not be declared twice, by the hash of their words.
    known: FastMap<u64, usize>,
    /// Ids of scalars and vectors, by number of the scalar and of lanes.
    pub(super) lanes_types: [[Option<Id>; 4]; Scalar::ALL.len()],
    /// Ids of IR types as values and in memory, by number.
    pub(super) value_types: Vec<Option<Id>>,
    pub(super) storage_types: Vec<Option<Id>>,
    /// Ids of arrays in memory that are made of vectors.
    pub(super) row_types: Vec<(TypeId, Id)>,
    /// The types of packed elements of several vectors, by their number and lanes.
    pub(super) packed_types: Vec<(u32, u8, Id)>,
    pub(super) features: features::Features,

    /// Label of the block being written.
    pub(super) label: Id,
    pub(super) debug: debug::Lines,
    pub(super) interface: interface::Interface,
    pub(super) reports: report::ReportFunctions,
    pub(super) helpers: math::Helpers,
    pub(super) combines: super::coop::Combines,
    /// Whether an invocation leaves the kernel at a trap that was written.
    pub(super) leaves_at_traps: bool,
}

impl<'m> Writer<'m> {
    /// A writer that has written nothing.
    pub(super) fn new(module: &'m Module, kernel: &'m Kernel, uses: Uses) -> Result<Self, EmitError> {
        let types = module.types.all().len();
        Ok(Self {
            module,
            kernel,
            interface: interface::Interface::lay_out(module, kernel, &uses)?,
            uses,
            check_groups: CheckGroups::of(&module.sites),
            gathered: super::gather::Gathered::of(module, kernel),
            next_id: 2,
            glsl: 1,
            strings: Words::default(),
            names: Words::with_room(SECTION),
            annotations: Words::with_room(SECTION),
            globals: Words::with_room(SECTION),
            functions: Words::default(),
            known: FastMap::with_capacity_and_hasher(KNOWN, Default::default()),
            lanes_types: [[None; 4]; Scalar::ALL.len()],
            value_types: vec![None; types],
            storage_types: vec![None; types],
            row_types: Vec::new(),
            packed_types: Vec::new(),
            features: features::Features::default(),
            label: 0,
            debug: debug::Lines::default(),
            reports: report::ReportFunctions::default(),
            helpers: math::Helpers::default(),
            combines: super::coop::Combines::default(),
            leaves_at_traps: false,
        })
    }

    /// A new id.
    pub(super) fn new_id(&mut self) -> Id {
        self.next_id += 1;
        self.next_id - 1
    }

    /// The id the next call of [`Self::new_id`] gives.
    pub(super) fn next_id(&self) -> Id {
        self.next_id
    }

    /// A type or constant, declared the first time it is asked for. `result_type` is `None` for types.
    pub(super) fn global(&mut self, op: spirv::Op, result_type: Option<Id>, operands: &[u32]) -> Id {
        let mut hasher = Mixer::default();
        hasher.write_u32(op as u32);
        hasher.write_u32(result_type.unwrap_or(0));
        operands.iter().for_each(|operand| hasher.write_u32(*operand));
        let mut key = hasher.finish();
        while let Some(&at) = self.known.get(&key) {
            if let Some(id) = self.globals.declared(at, op, result_type, operands) {
                return id;
            }
            // Another declaration with the same hash.
            key = key.wrapping_add(1);
        }
        self.known.insert(key, self.globals.as_slice().len());
        self.new_global(op, result_type, operands)
    }

    /// A type, constant or variable that is declared anew every time.
    pub(super) fn new_global(&mut self, op: spirv::Op, result_type: Option<Id>, operands: &[u32]) -> Id {
        let id = self.new_id();
        match result_type {
            Some(ty) => self.globals.inst_parts(op, &[&[ty, id], operands]),
            None => self.globals.inst_parts(op, &[&[id], operands]),
        }
        id
    }

    /// Appends an instruction without a result to the function being written.
    pub(super) fn effect(&mut self, op: spirv::Op, operands: &[u32]) {
        self.functions.inst(op, operands);
    }

    /// Appends an instruction with a result to the function being written.
    pub(super) fn op(&mut self, op: spirv::Op, ty: Id, operands: &[u32]) -> Id {
        let id = self.new_id();
        self.op_into(id, op, ty, operands);
        id
    }

    /// Appends an instruction whose result id is known already.
    pub(super) fn op_into(&mut self, id: Id, op: spirv::Op, ty: Id, operands: &[u32]) {
        self.functions.inst_parts(op, &[&[ty, id], operands]);
    }

    /// Appends float arithmetic: its result is what the operation alone gives, never fused with another, unless the kernel
    /// lets a device reassociate. Helpers rely on it in any kernel.
    pub(super) fn float_op(&mut self, op: spirv::Op, ty: Id, operands: &[u32]) -> Id {
        let id = self.op(op, ty, operands);
        if self.kernel.float_rules.reassociate && !self.helpers.are_being_written {
            return id;
        }
        self.annotations.inst(spirv::Op::Decorate, &[id, spirv::Decoration::NoContraction as u32]);
        id
    }

    /// Appends an instruction of `GLSL.std.450`.
    pub(super) fn glsl_op(&mut self, op: spirv::GlslStd450Op, ty: Id, operands: &[u32]) -> Id {
        let id = self.new_id();
        self.functions.inst_parts(spirv::Op::ExtInst, &[&[ty, id, self.glsl, op as u32], operands]);
        id
    }

    /// The same of an operation that no other one may be joined with.
    pub(super) fn glsl_op_alone(&mut self, op: spirv::GlslStd450Op, ty: Id, operands: &[u32]) -> Id {
        let id = self.glsl_op(op, ty, operands);
        self.annotations.inst(spirv::Op::Decorate, &[id, spirv::Decoration::NoContraction as u32]);
        id
    }

    /// Starts a block.
    pub(super) fn begin_block(&mut self, label: Id) {
        self.functions.inst(spirv::Op::Label, &[label]);
        self.label = label;
        self.debug.forget();
    }

    /// Writes all functions: the kernel's, those it calls, the trap function and the helpers asked for on the way.
    pub(super) fn write_functions(&mut self, batch: Option<&Batch>) -> Result<(), EmitError> {
        self.declare_function_ids();
        for id in self.uses.functions.clone() {
            self.write_function(id)?;
        }
        if let Some(batch) = batch {
            self.write_batch(batch)?;
        }
        self.write_report_functions();
        self.write_helpers();
        self.write_combines();
        Ok(())
    }

    /// Puts the sections together.
    pub(super) fn finish(mut self) -> Result<Emitted, EmitError> {
        if self.kernel.has_open_workgroup() {
            self.workgroup_size();
        }
        let head = self.head();
        let sections = [&head, &self.strings, &self.names, &self.annotations, &self.globals, &self.functions];
        if sections.iter().any(|section| section.is_too_long()) {
            return Err(EmitError::TooLong);
        }
        // The second extension of matrices builds on 1.6, and where there is one, there is the other.
        let minor = if self.features.has_later_matrices() { 6 } else { 5 };
        let version = 1 << 16 | minor << 8;
        let header = [spirv::MAGIC_NUMBER, version, GENERATOR, self.next_id, 0];
        let count = sections.iter().map(|section| section.as_slice().len()).sum::<usize>();
        let mut words = Vec::with_capacity(header.len() + count);
        words.extend_from_slice(&header);
        for section in sections {
            words.extend_from_slice(section.as_slice());
        }
        Ok(Emitted {
            words,
            facts: self.facts(),
            params: self.interface.params,
            launch_words: self.interface.launch_words,
            elements: self.interface.elements,
            sites: self.uses.sites,
            site_words: self.uses.site_words,
            features: self.features.uses(),
        })
    }

    /// Capabilities, memory model, entry point and execution modes.
    fn head(&self) -> Words {
        use spirv::{Capability, ExecutionMode, Op};
        let controls = [
            (Capability::DenormPreserve, ExecutionMode::DenormPreserve),
            (Capability::SignedZeroInfNanPreserve, ExecutionMode::SignedZeroInfNanPreserve),
            (Capability::RoundingModeRTE, ExecutionMode::RoundingModeRTE),
        ];
        let widths = self.features.float_widths();
        let is_kept = |mode: ExecutionMode| {
            !(widths.is_empty() || mode == ExecutionMode::SignedZeroInfNanPreserve && self.kernel.float_rules.no_nan)
        };
        let controls: Vec<_> = controls.into_iter().filter(|(_, mode)| is_kept(*mode)).collect();
        let mut head = Words::default();
        for capability in [Capability::Shader, Capability::VulkanMemoryModel] {
            head.inst(Op::Capability, &[capability as u32]);
        }
        for capability in self.features.capabilities() {
            head.inst(Op::Capability, &[capability as u32]);
        }
        for (capability, _) in &controls {
            head.inst(Op::Capability, &[*capability as u32]);
        }
        let subgroup = self.uses.subgroup.union(self.gathered.operations());
        for (capability, (operations, _)) in SUBGROUP_CAPABILITIES.into_iter().zip(SubgroupOperations::NAMES) {
            if subgroup.contains(operations) {
                head.inst(Op::Capability, &[capability as u32]);
            }
        }
        let (has_matrices, has_bfloat16) = self.features.matrices();
        if has_bfloat16 {
            head.inst(Op::Capability, &[Capability::BFloat16TypeKHR as u32]);
        }
        // Extensions come behind all capabilities.
        if !self.features.float_atomics().is_empty() {
            head.inst_text(Op::Extension, &[], "SPV_EXT_shader_atomic_float_add", &[]);
        }
        if has_matrices {
            head.inst_text(Op::Extension, &[], "SPV_KHR_cooperative_matrix", &[]);
        }
        if has_bfloat16 {
            head.inst_text(Op::Extension, &[], "SPV_KHR_bfloat16", &[]);
        }
        if self.features.has_later_matrices() {
            head.inst_text(Op::Extension, &[], "SPV_NV_cooperative_matrix2", &[]);
        }
        head.inst_text(Op::ExtInstImport, &[self.glsl], "GLSL.std.450", &[]);
        let addressing = match self.kernel.buffers.iter().any(|(_, buffer)| buffer.is_list && buffer.image.is_none()) {
            true => spirv::AddressingModel::PhysicalStorageBuffer64,
            false => spirv::AddressingModel::Logical,
        };
        head.inst(Op::MemoryModel, &[addressing as u32, spirv::MemoryModel::Vulkan as u32]);
        let main = self.interface.functions[self.kernel.function.index()];
        let mut entries = vec![(main, super::ENTRY_POINT, &self.interface.variables)];
        if let Some(batch) = &self.interface.batch {
            entries.push((batch.function, super::BATCH_ENTRY_POINT, &batch.variables));
        }
        let model = spirv::ExecutionModel::GLCompute as u32;
        for (entry, name, variables) in &entries {
            head.inst_text(Op::EntryPoint, &[model, *entry], name, variables);
        }
        // Where the launch decides, the constant that is the built-in `WorkgroupSize` takes precedence over this.
        let [x, y, z] = self.kernel.workgroup.map(|size| size.known().unwrap_or(1));
        let widths: Vec<_> = widths.into_iter().collect();
        for (entry, ..) in entries {
            head.inst(Op::ExecutionMode, &[entry, ExecutionMode::LocalSize as u32, x, y, z]);
            for width in &widths {
                for (_, mode) in &controls {
                    head.inst(Op::ExecutionMode, &[entry, *mode as u32, *width]);
                }
            }
        }
        head
    }
}
