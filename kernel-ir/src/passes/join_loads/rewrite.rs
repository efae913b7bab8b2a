//! Puts one load in the place of the first of those that it is made of, and parts of it in the place of each.

use std::collections::HashMap;

use super::{Elements, Piece};
use crate::descriptor::SiteKind;
use crate::few::Few;
use crate::ir::{
    Block, BlockId, Constant, Function, InstId, InstKind, Kernel, Module, Obligation, Place, Root, Site, SiteId,
    SourceLocation, Step, ValueId,
};
use crate::op::Op;
use crate::passes::edit::{add_effect, add_inst};
use crate::types::{Scalar, Type, TypeId, Types};

/// Rewrites a kernel's function.
pub(super) fn run(module: &mut Module, pieces: Vec<Piece>) {
    let Some(kernel) = &mut module.kernel else { return };
    let mut of_blocks: HashMap<BlockId, Vec<(Piece, Option<SiteId>)>> = HashMap::new();
    let mut sites = Sites { known: Vec::new() };
    for piece in pieces {
        let location = module.functions[kernel.function].insts[piece.loads[0].inst].location;
        let site = sites.of(&piece, kernel, (&mut module.sites, location));
        of_blocks.entry(piece.block).or_default().push((piece, site));
    }
    let function = &mut module.functions[kernel.function];
    let mut blocks: Vec<BlockId> = of_blocks.keys().copied().collect();
    blocks.sort_unstable();
    for block in blocks {
        let pieces = of_blocks.remove(&block).unwrap_or_default();
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut joined: Vec<Option<ValueId>> = vec![None; pieces.len()];
        let mut out = Vec::with_capacity(insts.len() + 8 * pieces.len());
        for id in insts {
            let is_part = |(piece, _): &(Piece, _)| piece.loads.iter().any(|load| load.inst == id);
            if let Some(number) = pieces.iter().position(is_part) {
                let (piece, site) = &pieces[number];
                let location = function.insts[id].location;
                let mut writer = Writer { function: &mut *function, types: &mut module.types, location, out: &mut out };
                let whole = *joined[number].get_or_insert_with(|| writer.whole(piece, *site));
                let at = piece.loads.iter().find(|load| load.inst == id).map_or(0, |load| load.at);
                let kind = writer.part(piece, whole, at);
                function.insts[id].kind = kind;
            }
            out.push(id);
        }
        function.blocks[block].insts = out;
    }
}

/// The sites at which launches are asked, by the obligations that they need.
struct Sites {
    known: Vec<(Few<u32>, SiteId)>,
}

impl Sites {
    /// The site of a piece; `None` where nothing is asked.
    fn of(
        &mut self,
        piece: &Piece,
        kernel: &mut Kernel,
        (sites, location): (&mut crate::arena::Arena<SiteId, Site>, Option<SourceLocation>),
    ) -> Option<SiteId> {
        let checks = piece.loads.iter().filter_map(|load| load.check);
        let mut needs: Vec<u32> =
            checks.flat_map(|check| sites[check].at_launch.iter().flat_map(|needs| needs.iter().copied())).collect();
        needs.extend(piece.alignment.obligations().map(|obligation| number(kernel, obligation)));
        needs.sort_unstable();
        needs.dedup();
        let needs = Few::from(needs);
        if needs.is_empty() && piece.loads.iter().all(|load| load.check.is_none()) {
            return None;
        }
        if let Some((_, site)) = self.known.iter().find(|(known, _)| *known == needs) {
            return Some(*site);
        }
        let location = location.or_else(|| piece.loads.iter().find_map(|load| Some(sites[load.check?].location)));
        let location = location.unwrap_or_else(|| sites.iter().next().map_or_else(unknown, |(_, site)| site.location));
        let site = Site::new(SiteKind::IndexOutOfBounds, location, "", None);
        let site = sites.push(Site { is_quiet: true, at_launch: Some(needs.clone()), ..site });
        self.known.push((needs, site));
        Some(site)
    }
}

fn unknown() -> SourceLocation {
    SourceLocation { file: crate::arena::EntityId::new(0), line: 1, column: 1 }
}

/// The number of an obligation among the kernel's.
fn number(kernel: &mut Kernel, obligation: Obligation) -> u32 {
    let known = kernel.obligations.iter().position(|known| known.is_same(&obligation));
    known.unwrap_or_else(|| {
        kernel.obligations.push(obligation);
        kernel.obligations.len() - 1
    }) as u32
}

struct Writer<'a> {
    function: &'a mut Function,
    types: &'a mut Types,
    location: Option<SourceLocation>,
    out: &'a mut Vec<InstId>,
}

impl Writer<'_> {
    fn inst(&mut self, kind: InstKind, ty: TypeId) -> ValueId {
        let (id, value) = add_inst(self.function, kind, ty, self.location);
        self.out.push(id);
        value
    }

    fn op(&mut self, op: Op, operands: &[ValueId], ty: TypeId) -> ValueId {
        self.inst(InstKind::Op(op, operands.into()), ty)
    }

    fn word(&mut self, number: u32) -> ValueId {
        let ty = self.types.scalar(Scalar::U32);
        self.inst(InstKind::Const(Constant::U32(number)), ty)
    }

    /// Writes another block, which yields a value.
    fn block(&mut self, write: impl FnOnce(&mut Writer<'_>) -> ValueId) -> BlockId {
        let mut insts = Vec::new();
        let mut inner =
            Writer { function: &mut *self.function, types: &mut *self.types, location: self.location, out: &mut insts };
        let value = write(&mut inner);
        insts.push(add_effect(self.function, InstKind::Yield([value].into()), self.location));
        self.function.blocks.push(Block { params: Vec::new(), insts })
    }

    /// All elements of a piece.
    fn whole(&mut self, piece: &Piece, site: Option<SiteId>) -> ValueId {
        let word = self.types.scalar(Scalar::U32);
        let (scalar, lanes) = piece.elements.joined(piece.bytes);
        let ty = if lanes == 1 { self.types.scalar(scalar) } else { self.types.vector(scalar, lanes) };
        let first = &piece.loads[0];
        let mut start = index_of(&self.function.insts[first.inst].kind);
        if first.at > 0 {
            let by = self.word(first.at);
            start = self.op(Op::Sub, &[start, by], word);
        }
        let path = [Step::Index { value: start, check: None }, Step::Joined { scalar, lanes }];
        let place = Place { root: Root::Buffer(piece.buffer), path: path.as_slice().into(), is_unordered: false };
        let load = InstKind::Load(place);
        let Some(site) = site else { return self.inst(load, ty) };
        let bool_ = self.types.scalar(Scalar::Bool);
        let condition = self.inst(InstKind::Proven(site), bool_);
        let then_block = self.block(|inner| inner.inst(load, ty));
        let else_block = self.block(|inner| inner.one_by_one(piece, (start, ty)));
        self.inst(InstKind::If { condition, then_block, else_block }, ty)
    }

    /// The same, made of loads of each element.
    fn one_by_one(&mut self, piece: &Piece, (start, ty): (ValueId, TypeId)) -> ValueId {
        let word = self.types.scalar(Scalar::U32);
        let elements = piece.elements;
        let count = piece.bytes / elements.bytes;
        let mut values = vec![None; count as usize];
        for load in &piece.loads {
            let by = self.word(load.at);
            let value = self.op(Op::Add, &[start, by], word);
            let path = [Step::Index { value, check: load.check }];
            let place = Place { root: Root::Buffer(piece.buffer), path: path.into(), is_unordered: false };
            values[load.at as usize] = Some(self.inst(InstKind::Load(place), elements.ty));
        }
        let (scalar, lanes) = elements.joined(piece.bytes);
        let lane_type = self.types.scalar(scalar);
        let members: Vec<ValueId> = if scalar == elements.scalar {
            values.into_iter().flatten().collect()
        } else {
            let mut words = vec![None; usize::from(lanes)];
            for (at, value) in (0..).zip(values) {
                let mut leaves = Vec::new();
                if let Some(value) = value {
                    self.leaves(value, elements.ty, &mut leaves);
                }
                let bytes = elements.scalar.bits() / 8;
                for (leaf, number) in leaves.into_iter().zip(0..) {
                    let offset = at * elements.bytes + number * bytes;
                    let shifted = self.shifted(leaf, elements.scalar, 8 * (offset % 4));
                    let sum = &mut words[(offset / 4) as usize];
                    *sum = Some(match *sum {
                        Some(sum) => self.op(Op::Or, &[sum, shifted], lane_type),
                        None => shifted,
                    });
                }
            }
            words.into_iter().map(|sum| sum.unwrap_or_else(|| self.word(0))).collect()
        };
        match members[..] {
            [only] if lanes == 1 => only,
            _ => self.inst(InstKind::Compose(members.into()), ty),
        }
    }

    /// The bits of a narrow integer so far up in a word.
    fn shifted(&mut self, leaf: ValueId, scalar: Scalar, by: u32) -> ValueId {
        let word = self.types.scalar(Scalar::U32);
        let mut bits = leaf;
        if scalar.is_signed() {
            let unsigned = self.types.scalar(scalar.unsigned());
            bits = self.op(Op::Cast, &[bits], unsigned);
        }
        let wide = self.op(Op::Cast, &[bits], word);
        if by == 0 {
            return wide;
        }
        let by = self.word(by);
        self.op(Op::Shl, &[wide, by], word)
    }

    /// The numbers that a value is made of, in the order of memory.
    fn leaves(&mut self, value: ValueId, ty: TypeId, leaves: &mut Vec<ValueId>) {
        if let Type::Scalar(_) = self.types.get(ty) {
            return leaves.push(value);
        }
        for member in 0.. {
            let Some(inner) =
                members(self.types, ty).filter(|count| member < *count).and(self.types.member(ty, member))
            else {
                return;
            };
            let part = self.inst(InstKind::Extract(value, [member].into()), inner);
            self.leaves(part, inner, leaves);
        }
    }

    /// One element of what was loaded, as the instruction that computes it last.
    fn part(&mut self, piece: &Piece, whole: ValueId, at: u32) -> InstKind {
        let elements = piece.elements;
        let (scalar, lanes) = elements.joined(piece.bytes);
        if scalar == elements.scalar {
            return InstKind::Extract(whole, [at].into());
        }
        self.number_or_members((whole, lanes), &elements, elements.ty, &mut (at * elements.bytes))
    }

    fn number_or_members(
        &mut self,
        (whole, lanes): (ValueId, u8),
        elements: &Elements,
        ty: TypeId,
        offset: &mut u32,
    ) -> InstKind {
        let word = self.types.scalar(Scalar::U32);
        if let Some(count) = members(self.types, ty) {
            let mut values = Vec::new();
            for member in 0..count {
                let inner = self.types.member(ty, member).expect("a member has a type");
                let kind = self.number_or_members((whole, lanes), elements, inner, offset);
                values.push(self.inst(kind, inner));
            }
            return InstKind::Compose(values.into());
        }
        let mut bits = whole;
        if lanes > 1 {
            bits = self.inst(InstKind::Extract(whole, [*offset / 4].into()), word);
        }
        let by = 8 * (*offset % 4);
        *offset += elements.scalar.bits() / 8;
        if by > 0 {
            let by = self.word(by);
            bits = self.op(Op::Shr, &[bits, by], word);
        }
        InstKind::Op(Op::Cast, [bits].into())
    }
}

/// The members of an array or struct; `None` for a scalar.
fn members(types: &Types, ty: TypeId) -> Option<u32> {
    match types.get(ty) {
        Type::Array(_, len) => len.known(),
        Type::Struct(id) => Some(types.struct_def(*id).fields.len() as u32),
        _ => None,
    }
}

/// The index of a load of a whole element.
fn index_of(kind: &InstKind) -> ValueId {
    match super::load_of(kind) {
        Some((_, index, _)) => index,
        None => unreachable!("pieces are made of loads"),
    }
}
