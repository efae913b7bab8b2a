//! Splits tuples, structs and small arrays in local variables into one variable per member, wherever every index is constant.
//!
//! It changes what is stored where, never what is computed; [`promote_locals`](super::promote_locals) does the rest.

use super::edit::{SpareLists, add_effect, add_inst, for_each_inst};
use super::{Changed, PassCx};
use crate::arena::EntityId;
use crate::ir::{BlockId, Constant, Function, InstId, InstKind, Local, LocalId, Place, Root, Step, ValueId};
use crate::types::{Size, Type, TypeId, Types};

/// Locals that would split into more parts stay whole.
const MOST_PARTS: usize = 64;

/// How a local is stored after the pass.
enum Shape {
    /// In one local.
    Whole(LocalId),
    /// By member.
    Split(TypeId, Vec<Shape>),
}

/// Runs the pass.
pub fn run(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    if function.locals.is_empty() {
        return Changed::No;
    }
    let accesses = accesses(function);
    let mut changed = fix_constant_indices(function, &accesses, cx.types);
    let candidates: Vec<LocalId> =
        function.locals.iter().filter(|(_, local)| is_splittable(cx.types, local.ty)).map(|(id, _)| id).collect();
    if candidates.is_empty() {
        return changed;
    }
    let (used, pinned) = uses(function, &accesses);
    let mut shapes: Vec<Option<Shape>> = Vec::new();
    shapes.resize_with(function.locals.len(), || None);
    let mut any = false;
    for id in candidates {
        let pins = &pinned[id.index()];
        if !used[id.index()] || pins.iter().any(Vec::is_empty) {
            continue;
        }
        let local = function.locals[id].clone();
        if parts(cx.types, local.ty, pins, &mut Vec::new()) <= MOST_PARTS {
            shapes[id.index()] = Some(split(function, cx.types, &local.name, local.ty, pins, &mut Vec::new()));
            any = true;
        }
    }
    if any {
        changed = Changed::Yes;
        Splitter { function, shapes, spare: SpareLists::default() }.block_from_entry();
    }
    changed
}

/// Loads and stores of locals, and the constants that may be indices of theirs.
struct Accesses {
    places: Vec<InstId>,
    constants: Vec<(ValueId, u32)>,
}

fn accesses(function: &Function) -> Accesses {
    // Most instructions are neither.
    let room = function.insts.len() / 4;
    let (mut places, mut constants) = (Vec::with_capacity(room), Vec::with_capacity(room));
    for_each_inst(function, &mut |id, inst| match &inst.kind {
        InstKind::Const(Constant::U32(value)) => constants.push((inst.results[0], *value)),
        InstKind::Const(Constant::Zero) => constants.push((inst.results[0], 0)),
        InstKind::Load(place) | InstKind::Store(place, _) if matches!(place.root, Root::Local(_)) => places.push(id),
        _ => {}
    });
    Accesses { places, constants }
}

/// Makes members of steps whose index is a constant in range.
fn fix_constant_indices(function: &mut Function, accesses: &Accesses, types: &Types) -> Changed {
    let mut changed = Changed::No;
    let mut constants = Vec::new();
    for id in &accesses.places {
        let (InstKind::Load(place) | InstKind::Store(place, _)) = &mut function.insts[*id].kind else { continue };
        let Root::Local(local) = place.root else { continue };
        if place.values().next().is_none() {
            continue;
        }
        if constants.is_empty() {
            constants = vec![None; function.values.len()];
            accesses.constants.iter().for_each(|(value, constant)| constants[value.index()] = Some(*constant));
        }
        let mut ty = function.locals[local].ty;
        for step in &mut place.path {
            if let Step::Index { value, .. } = *step
                && let Some(index) = constants[value.index()].filter(|index| types.member(ty, *index).is_some())
            {
                *step = Step::Field(index);
                changed = Changed::Yes;
            }
            let member = match *step {
                Step::Field(index) => index,
                Step::Index { .. } => 0,
                Step::Element(_) => break,
            };
            let Some(inner) = types.member(ty, member) else { break };
            ty = inner;
        }
    }
    changed
}

fn is_splittable(types: &Types, ty: TypeId) -> bool {
    matches!(types.get(ty), Type::Array(_, Size::Known(_)) | Type::Tuple(_) | Type::Struct(_))
}

/// The locals that are used at all, and per local the paths at which an element is chosen at run time.
fn uses(function: &Function, accesses: &Accesses) -> (Vec<bool>, Vec<Vec<Vec<u32>>>) {
    let mut used = vec![false; function.locals.len()];
    let mut pinned = vec![Vec::new(); function.locals.len()];
    for id in &accesses.places {
        let (InstKind::Load(place) | InstKind::Store(place, _)) = &function.insts[*id].kind else { continue };
        let Root::Local(local) = place.root else { continue };
        used[local.index()] = true;
        if place.values().next().is_some() {
            let fields = constant_steps(&place.path);
            if !pinned[local.index()].contains(&fields) {
                pinned[local.index()].push(fields);
            }
        }
    }
    (used, pinned)
}

/// The leading steps that name members by number.
fn constant_steps(path: &[Step]) -> Vec<u32> {
    path.iter()
        .map_while(|step| match step {
            Step::Field(index) => Some(*index),
            Step::Index { .. } | Step::Element(_) => None,
        })
        .collect()
}

fn member_count(types: &Types, ty: TypeId) -> u32 {
    match types.get(ty) {
        Type::Array(_, len) => len.known().unwrap_or(0),
        Type::Tuple(members) => members.len() as u32,
        Type::Struct(id) => types.struct_def(*id).fields.len() as u32,
        _ => 0,
    }
}

fn stays_whole(types: &Types, ty: TypeId, pins: &[Vec<u32>], path: &[u32]) -> bool {
    !is_splittable(types, ty) || pins.iter().any(|pin| pin == path)
}

fn parts(types: &Types, ty: TypeId, pins: &[Vec<u32>], path: &mut Vec<u32>) -> usize {
    if stays_whole(types, ty, pins, path) {
        return 1;
    }
    let count = member_count(types, ty);
    if count as usize > MOST_PARTS {
        return MOST_PARTS + 1;
    }
    let mut sum = 0;
    for index in 0..count {
        path.push(index);
        sum += parts(types, types.member(ty, index).expect("counted"), pins, path);
        path.pop();
    }
    sum
}

fn split(
    function: &mut Function,
    types: &Types,
    name: &str,
    ty: TypeId,
    pins: &[Vec<u32>],
    path: &mut Vec<u32>,
) -> Shape {
    if stays_whole(types, ty, pins, path) {
        return Shape::Whole(function.locals.push(Local { name: name.into(), ty }));
    }
    let count = member_count(types, ty);
    let mut members = Vec::with_capacity(count as usize);
    for index in 0..count {
        let name = match types.get(ty) {
            Type::Struct(id) => format!("{name}.{}", types.struct_def(*id).fields[index as usize].name),
            _ => format!("{name}.{index}"),
        };
        let member = types.member(ty, index).expect("counted");
        path.push(index);
        members.push(split(function, types, &name, member, pins, path));
        path.pop();
    }
    Shape::Split(ty, members)
}

struct Splitter<'a> {
    function: &'a mut Function,
    shapes: Vec<Option<Shape>>,
    spare: SpareLists,
}

impl Splitter<'_> {
    fn block_from_entry(mut self) {
        let shapes = std::mem::take(&mut self.shapes);
        self.block(self.function.entry, &shapes);
    }

    fn block(&mut self, block: BlockId, shapes: &[Option<Shape>]) {
        let insts = std::mem::take(&mut self.function.blocks[block].insts);
        let mut out = self.spare.take(insts.len());
        for &id in &insts {
            let inst = &self.function.insts[id];
            match &inst.kind {
                InstKind::Load(place) | InstKind::Store(place, _) => {
                    let shape = match place.root {
                        Root::Local(local) => shapes.get(local.index()).and_then(Option::as_ref),
                        Root::Buffer(_) | Root::Shared(_) | Root::Member(..) => None,
                    };
                    if let Some(shape) = shape {
                        self.access(id, shape, &mut out);
                    } else {
                        out.push(id);
                    }
                }
                kind => {
                    if kind.has_blocks() {
                        kind.blocks().into_iter().for_each(|nested| self.block(nested, shapes));
                    }
                    out.push(id);
                }
            }
        }
        self.function.blocks[block].insts = out;
        self.spare.give_back(insts);
    }

    /// Rewrites one load or store of a split local.
    fn access(&mut self, id: InstId, mut shape: &Shape, out: &mut Vec<InstId>) {
        let inst = &mut self.function.insts[id];
        let (InstKind::Load(place) | InstKind::Store(place, _)) = &mut inst.kind else { unreachable!() };
        let mut steps = place.path.iter();
        let mut taken = 0;
        while let Shape::Split(_, members) = shape {
            match steps.next() {
                Some(Step::Field(index)) => shape = &members[*index as usize],
                Some(Step::Index { .. } | Step::Element(_)) => {
                    unreachable!("locals stay whole where an index is not constant")
                }
                None => break,
            }
            taken += 1;
        }
        if let Shape::Whole(local) = shape {
            place.path = place.path[taken..].into();
            place.root = Root::Local(*local);
            out.push(id);
            return;
        }
        match inst.kind {
            InstKind::Store(_, value) => self.store(shape, value, &mut Vec::new(), out),
            _ => {
                let members = self.load_members(shape, out);
                self.function.insts[id].kind = InstKind::Compose(members.into());
                out.push(id);
            }
        }
    }

    fn store(&mut self, shape: &Shape, value: ValueId, path: &mut Vec<u32>, out: &mut Vec<InstId>) {
        match shape {
            Shape::Whole(local) => {
                let ty = self.function.locals[*local].ty;
                let (extract, member) =
                    add_inst(self.function, InstKind::Extract(value, path.clone().into()), ty, None);
                let store = add_effect(self.function, InstKind::Store(Place::local(*local), member), None);
                out.extend([extract, store]);
            }
            Shape::Split(_, members) => {
                for (index, member) in members.iter().enumerate() {
                    path.push(index as u32);
                    self.store(member, value, path, out);
                    path.pop();
                }
            }
        }
    }

    fn load_members(&mut self, shape: &Shape, out: &mut Vec<InstId>) -> Vec<ValueId> {
        let Shape::Split(_, members) = shape else { unreachable!("only split shapes have members") };
        members.iter().map(|member| self.load(member, out)).collect()
    }

    fn load(&mut self, shape: &Shape, out: &mut Vec<InstId>) -> ValueId {
        let (kind, ty) = match shape {
            Shape::Whole(local) => (InstKind::Load(Place::local(*local)), self.function.locals[*local].ty),
            Shape::Split(ty, _) => (InstKind::Compose(self.load_members(shape, out).into()), *ty),
        };
        let (id, value) = add_inst(self.function, kind, ty, None);
        out.push(id);
        value
    }
}
