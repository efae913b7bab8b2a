//! Rewrites `break` and `continue` that name an outer loop: the inner loop breaks with a code, and a jump behind it goes on.
//!
//! Afterwards every jump names the innermost loop around it, as structured SPIR-V requires. Returns stay.

use super::edit::{add_effect, add_inst, add_value};
use super::{Changed, PassCx};
use crate::ir::{Block, BlockId, Constant, Function, InstId, InstKind, ValueId};
use crate::types::{Scalar, TypeId};

/// Runs the pass.
pub fn run(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    let mut lowering = Lowering { function, cx, changed: Changed::No };
    lowering.block(lowering.function.entry, None);
    lowering.changed
}

/// The target of a jump out of more than one loop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Break(BlockId),
    Continue(BlockId),
}

/// A way out of an inner loop to an outer one.
struct Far {
    target: Target,
    /// Types of the values it carries.
    types: Vec<TypeId>,
}

/// The jumps of one loop, not those of loops inside it.
#[derive(Default)]
struct Jumps {
    near: Vec<InstId>,
    far: Vec<(InstId, usize)>,
    ways: Vec<Far>,
}

struct Lowering<'a, 'm> {
    function: &'a mut Function,
    cx: &'a mut PassCx<'m>,
    changed: Changed,
}

impl Lowering<'_, '_> {
    /// Lowers the loops in a block, then notes the block's own jumps for the loop around it.
    fn block(&mut self, block: BlockId, mut jumps: Option<(BlockId, &mut Jumps)>) {
        let insts = std::mem::take(&mut self.function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for id in insts {
            match &self.function.insts[id].kind {
                InstKind::Loop { body, .. } => {
                    let body = *body;
                    let mut inner = Jumps::default();
                    self.block(body, Some((body, &mut inner)));
                    if inner.ways.is_empty() {
                        out.push(id);
                        continue;
                    }
                    self.changed = Changed::Yes;
                    let new = self.leave_through(id, body, inner, &mut out);
                    for (jump, ends_block) in new {
                        if let Some((around, jumps)) = &mut jumps {
                            self.note(*around, jumps, jump);
                        }
                        if ends_block {
                            self.function.blocks[block].insts = out;
                            return;
                        }
                    }
                    continue;
                }
                InstKind::Break(..) | InstKind::Continue(..) => {
                    if let Some((around, jumps)) = &mut jumps {
                        self.note(*around, jumps, id);
                    }
                }
                kind if kind.has_blocks() => {
                    for nested in kind.blocks() {
                        let jumps = jumps.as_mut().map(|(around, jumps)| (*around, &mut **jumps));
                        self.block(nested, jumps);
                    }
                }
                _ => {}
            }
            out.push(id);
        }
        self.function.blocks[block].insts = out;
    }

    fn note(&self, around: BlockId, jumps: &mut Jumps, id: InstId) {
        let (target, values) = match &self.function.insts[id].kind {
            InstKind::Break(target, _) if *target == around => return jumps.near.push(id),
            InstKind::Continue(target, _) if *target == around => return,
            InstKind::Break(target, values) => (Target::Break(*target), values),
            InstKind::Continue(target, values) => (Target::Continue(*target), values),
            _ => return,
        };
        let way = jumps.ways.iter().position(|way| way.target == target).unwrap_or_else(|| {
            let types = values.iter().map(|value| self.function.values[*value].ty).collect();
            jumps.ways.push(Far { target, types });
            jumps.ways.len() - 1
        });
        jumps.far.push((id, way));
    }

    /// Makes all far jumps of a loop breaks of it, and appends the loop and the jumps behind it to `out`.
    ///
    /// Returns the new jumps, each with whether it ends the block that holds the loop.
    fn leave_through(&mut self, id: InstId, body: BlockId, jumps: Jumps, out: &mut Vec<InstId>) -> Vec<(InstId, bool)> {
        let single = jumps.near.is_empty() && jumps.ways.len() == 1;
        let code = if single { None } else { Some(self.cx.types.scalar(Scalar::U32)) };
        // The old results, the code, then the values of each way. Where a jump has no value for one, it gives zero.
        let mut zeros: Vec<(TypeId, ValueId)> = Vec::new();
        let old = self.function.insts[id].results.len();
        let mut types: Vec<TypeId> =
            self.function.insts[id].results.iter().map(|result| self.function.values[*result].ty).collect();
        types.extend(code);
        let mut starts = Vec::new();
        for way in &jumps.ways {
            starts.push(types.len());
            types.extend(&way.types);
        }
        let fill: Vec<ValueId> = types.iter().map(|ty| self.constant(&mut zeros, *ty, out)).collect();
        for near in &jumps.near {
            if let InstKind::Break(_, values) = &mut self.function.insts[*near].kind {
                values.extend(&fill[old..]);
            }
        }
        let codes: Vec<ValueId> = match code {
            Some(ty) => (1..=jumps.ways.len() as u32)
                .map(|code| self.define(InstKind::Const(Constant::U32(code)), ty, out))
                .collect(),
            None => Vec::new(),
        };
        for (jump, way) in &jumps.far {
            let mut values = fill.clone();
            if let Some(code) = codes.get(*way) {
                values[old] = *code;
            }
            let kind = &mut self.function.insts[*jump].kind;
            if let InstKind::Break(_, carried) | InstKind::Continue(_, carried) = kind {
                values[starts[*way]..starts[*way] + carried.len()].copy_from_slice(carried);
            }
            *kind = InstKind::Break(body, values.into());
        }
        let mut results = self.function.insts[id].results.clone();
        for ty in &types[old..] {
            results.push(add_value(self.function, *ty, None));
        }
        self.function.insts[id].results.clone_from(&results);
        out.push(id);
        self.jump_on(id, &jumps.ways, &starts, &results, code.map(|_| results[old]), out)
    }

    /// Appends what goes on to the outer loops behind the inner one.
    fn jump_on(
        &mut self,
        id: InstId,
        ways: &[Far],
        starts: &[usize],
        results: &[ValueId],
        code: Option<ValueId>,
        out: &mut Vec<InstId>,
    ) -> Vec<(InstId, bool)> {
        let location = self.function.insts[id].location;
        let mut new = Vec::new();
        for (way, start) in ways.iter().zip(starts) {
            let values = results[*start..start + way.types.len()].to_vec();
            let kind = match way.target {
                Target::Break(target) => InstKind::Break(target, values.into()),
                Target::Continue(target) => InstKind::Continue(target, values.into()),
            };
            new.push((add_effect(self.function, kind, location), code.is_none()));
        }
        let Some(code) = code else {
            out.push(new[0].0);
            return new;
        };
        let mut blocks = new
            .iter()
            .map(|(jump, _)| *jump)
            .collect::<Vec<_>>()
            .into_iter()
            .map(|jump| self.function.blocks.push(Block { params: Vec::new(), insts: vec![jump] }));
        let cases: Vec<(u32, BlockId)> = (1..).zip(&mut blocks).collect();
        drop(blocks);
        let end = add_effect(self.function, InstKind::Yield([].into()), location);
        let default = self.function.blocks.push(Block { params: Vec::new(), insts: vec![end] });
        let kind = if let [(_, then_block)] = cases[..] {
            let u32_type = self.function.values[code].ty;
            let zero = self.define(InstKind::Const(Constant::U32(0)), u32_type, out);
            let bool_type = self.cx.types.scalar(Scalar::Bool);
            let compare = InstKind::Op(crate::op::Op::Ne, [code, zero].into());
            let condition = self.define(compare, bool_type, out);
            InstKind::If { condition, then_block, else_block: default }
        } else {
            InstKind::Switch { selector: code, cases, default }
        };
        out.push(add_effect(self.function, kind, location));
        new
    }

    fn constant(&mut self, zeros: &mut Vec<(TypeId, ValueId)>, ty: TypeId, out: &mut Vec<InstId>) -> ValueId {
        if let Some((_, value)) = zeros.iter().find(|(known, _)| *known == ty) {
            return *value;
        }
        let value = self.define(InstKind::Const(Constant::Zero), ty, out);
        zeros.push((ty, value));
        value
    }

    fn define(&mut self, kind: InstKind, ty: TypeId, out: &mut Vec<InstId>) -> ValueId {
        let (id, value) = add_inst(self.function, kind, ty, None);
        out.push(id);
        value
    }
}
