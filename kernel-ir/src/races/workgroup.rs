//! A workgroup that is run for some accesses, by [`segments`](super::segments): with which sizes, and which of the accesses meet.

use super::access::{Access, Kind, Object};
use super::layout::number;
use super::relevance::Relevance;
use super::report::Reason;
use super::segments::Engine;
use super::tables::Tables;
use crate::hash::{FastMap, FastSet};
use crate::ir::{Builtin, ConstParamId, Function, InstId, InstKind, Kernel, Module, Scope};
use crate::types::Size;
use crate::uniformity::Uniformity;

/// Lanes that a subgroup can have.
const WIDTHS: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
/// Invocations that a workgroup has, at most.
pub(super) const MOST_INVOCATIONS: u32 = 1024;
/// Sizes of a workgroup that are tried.
const MOST_CHOICES: usize = 72;

/// Two accesses that meet.
#[derive(Debug, Clone)]
pub(super) struct Meeting {
    pub(super) insts: Pair,
    pub(super) invocations: Option<[[u32; 3]; 2]>,
}

/// Two instructions, the earlier one first.
pub(super) type Pair = [InstId; 2];

pub(super) fn pair(a: InstId, b: InstId) -> Pair {
    [a.min(b), a.max(b)]
}

/// A workgroup that can be run for some accesses.
pub(super) struct Workgroup<'u, 'm> {
    pub(super) module: &'m Module,
    pub(super) kernel: &'m Kernel,
    pub(super) function: &'m Function,
    pub(super) uniformity: &'u Uniformity<'m>,
    kinds: FastMap<InstId, (Object, Kind)>,
    /// Invocations of a workgroup, if they are known.
    invocations: Option<u32>,
    pub(super) tables: Tables,
}

/// Whether barriers and shared memory give accesses of a workgroup an order to look at.
pub(super) fn have_order(function: &Function, accesses: &[Access]) -> bool {
    accesses.iter().any(|access| matches!(access.object, Object::Shared(_)))
        || function
            .insts
            .iter()
            .any(|(_, inst)| matches!(inst.kind, InstKind::Barrier(Scope::Workgroup | Scope::Device)))
}

impl<'u, 'm> Workgroup<'u, 'm> {
    pub(super) fn new(
        module: &'m Module,
        kernel: &'m Kernel,
        function: &'m Function,
        uniformity: &'u Uniformity<'m>,
        accesses: &[Access],
    ) -> Self {
        let kinds = accesses.iter().map(|access| (access.inst, (access.object, access.kind))).collect();
        let invocations = kernel.workgroup.iter().map(|width| width.known()).product::<Option<u32>>();
        let tables = Tables::of(&module.types, function);
        Self { module, kernel, function, uniformity, kinds, invocations, tables }
    }

    pub(super) fn is_one_invocation(&self) -> bool {
        self.invocations == Some(1)
    }

    /// Runs a workgroup for some accesses: those of shared variables that meet, and those of buffers that are in no order. Where const
    /// parameters decide its size, it is run for each power of two, which the result tells.
    pub(super) fn run(&self, wanted: &dyn Fn(InstId) -> bool) -> Result<Found, Reason> {
        let kinds: FastMap<InstId, (Object, Kind)> =
            self.kinds.iter().filter(|(inst, _)| wanted(**inst)).map(|(inst, what)| (*inst, *what)).collect();
        let relevance = Relevance::of(self.function, &|inst| kinds.contains_key(&inst));
        let mut found = Found::default();
        let mut choices = self.choices();
        let is_open = choices.len() > 1;
        choices.retain(|sizes| self.size(sizes).is_some_and(|count| (1..=MOST_INVOCATIONS).contains(&count)));
        if choices.is_empty() || choices.len() > MOST_CHOICES {
            return Err(Reason::OpenSize);
        }
        for sizes in choices {
            let Some(invocations) = self.size(&sizes) else { return Err(Reason::OpenSize) };
            if is_open {
                found.sizes.push(sizes.clone());
            }
            let (met, unordered) = self.run_of(&kinds, &relevance, sizes, invocations as usize)?;
            found.meetings.extend(met);
            found.unordered.extend(unordered);
            // Nobody asks for the other sizes.
            if is_open && !found.meetings.is_empty() {
                found.has_stopped = true;
                break;
            }
        }
        Ok(found)
    }

    /// The numbers of the const parameters that decide the size of a workgroup: none, or powers of two for each.
    fn choices(&self) -> Vec<Vec<(ConstParamId, u32)>> {
        let mut choices = vec![Vec::new()];
        let mut params: Vec<ConstParamId> = Vec::new();
        for width in self.kernel.workgroup {
            if let Size::Param(param) = width
                && !params.contains(&param)
            {
                params.push(param);
                choices = choices
                    .iter()
                    .flat_map(|choice| {
                        let with = |power: u32| choice.iter().copied().chain([(param, 1 << power)]).collect();
                        // Small ones first.
                        (0..=MOST_INVOCATIONS.ilog2()).map(with)
                    })
                    .collect();
            }
        }
        choices
    }

    fn size(&self, sizes: &[(ConstParamId, u32)]) -> Option<u32> {
        let mut widths = self.kernel.workgroup.iter().map(|width| number(*width, sizes));
        widths.try_fold(1u32, |product, width| product.checked_mul(width?))
    }

    fn run_of(
        &self,
        kinds: &FastMap<InstId, (Object, Kind)>,
        relevance: &Relevance,
        sizes: Vec<(ConstParamId, u32)>,
        invocations: usize,
    ) -> Result<(Vec<Meeting>, FastSet<Pair>), Reason> {
        let any = |is: &dyn Fn(&InstKind) -> bool| self.function.insts.iter().any(|(_, inst)| is(&inst.kind));
        let of_subgroups = any(&|kind| {
            kind.is_of_coop()
                || matches!(
                    kind,
                    InstKind::Builtin(Builtin::SubgroupId | Builtin::SubgroupLocalId)
                        | InstKind::Barrier(Scope::Subgroup)
                )
        });
        let mut engine = Engine::new(self, kinds, relevance, sizes);
        let (mut met, unordered) = engine.run(None, invocations).ok_or(Reason::TooMuch)?;
        if !met.is_empty() && of_subgroups {
            let widths = self.kernel.subgroup_size.map_or(WIDTHS.to_vec(), |width| vec![width]);
            let mut met_by_lanes = FastSet::default();
            for width in widths {
                let (more, _) = engine.run(Some(width), invocations).ok_or(Reason::TooMuch)?;
                met_by_lanes.extend(more.into_iter().map(|meeting| meeting.insts));
            }
            met.retain(|meeting| met_by_lanes.contains(&meeting.insts));
        }
        Ok((met, unordered))
    }
}

/// The result of runs.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) meetings: Vec<Meeting>,
    /// Accesses that no barrier puts in order.
    pub(super) unordered: FastSet<Pair>,
    /// The const parameters' numbers for which it holds; empty: any.
    pub(super) sizes: Vec<Vec<(ConstParamId, u32)>>,
    /// Whether other numbers were not tried, as accesses met.
    pub(super) has_stopped: bool,
}
