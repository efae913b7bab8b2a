//! Splits tuples, structs and small arrays in local variables into one variable per member, wherever every index is constant. An array of
//! tuples or structs that is indexed otherwise becomes an array for each member: drivers access such arrays faster, unless an element is
//! what they load at once.
//!
//! It changes what is stored where, never what is computed; [`promote_locals`](super::promote_locals) does the rest.

use super::edit::{SpareLists, add_effect, add_inst, for_each_inst};
use super::{Changed, PassCx};
use crate::arena::EntityId;
use crate::few::Few;
use crate::ir::{BlockId, Constant, Function, InstId, InstKind, Local, LocalId, Place, Root, Step, ValueId};
use crate::op::Op;
use crate::types::{Scalar, Size, Type, TypeId, Types};

/// Locals that would split into more parts stay whole.
const MOST_PARTS: usize = 64;

/// Arrays whose elements have more members than this stay whole.
const MOST_COLUMNS: usize = 16;

/// How a local is stored after the pass.
enum Shape {
    /// In one local.
    Whole(LocalId),
    /// By member.
    Split(TypeId, Vec<Shape>),
    /// An array of what has members, by members: each of the shape's locals is an array.
    Columns(ArrayShape, Box<Shape>),
}

/// The arrays around what has members.
#[derive(Debug, Clone)]
struct ArrayShape {
    /// The outermost array's type.
    ty: TypeId,
    /// The element's type.
    element: TypeId,
    /// The length of each array, outermost first.
    lens: Vec<u32>,
}

/// Splits by constant indices.
pub fn run(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    split_all(function, cx, false)
}

/// Splits into arrays of members, too. To come once no more checks are removed: what is accessed beside a check needs an index inside.
pub fn run_columns(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    split_all(function, cx, true)
}

fn split_all(function: &mut Function, cx: &mut PassCx<'_>, makes_columns: bool) -> Changed {
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
    let uses = uses(function, &accesses, cx.types, makes_columns);
    let mut shapes: Vec<Option<Shape>> = Vec::new();
    shapes.resize_with(function.locals.len(), || None);
    let mut any = false;
    for id in candidates {
        let uses = &uses[id.index()];
        if uses.all.is_empty() {
            continue;
        }
        let local = function.locals[id].clone();
        if parts(cx.types, local.ty, uses, &mut Vec::new()) <= MOST_PARTS {
            shapes[id.index()] = Some(split(function, cx.types, &local.name, local.ty, uses, &mut Vec::new()));
            any = true;
        }
    }
    if any {
        changed = Changed::Yes;
        let mut zeros = vec![false; function.values.len()];
        accesses.constants.iter().for_each(|(value, constant)| zeros[value.index()] = *constant == 0);
        let index_type = cx.types.scalar(Scalar::U32);
        Splitter { function, shapes, zeros, types: cx.types, index_type, spare: SpareLists::default() }
            .block_from_entry();
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
                Step::Element(_) | Step::Joined { .. } => break,
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

/// How a local is accessed.
#[derive(Default)]
struct LocalUses {
    /// The paths at which an element is chosen at run time.
    pins: Vec<Vec<u32>>,
    all: Vec<Access>,
    makes_columns: bool,
}

/// An access by constant steps, and by so many steps more.
#[derive(PartialEq)]
struct Access {
    fields: Vec<u32>,
    more: usize,
    /// Whether it stores zeros alone.
    is_zero: bool,
}

/// By local: how it is accessed.
fn uses(function: &Function, accesses: &Accesses, types: &Types, makes_columns: bool) -> Vec<LocalUses> {
    let mut locals: Vec<LocalUses> = Vec::new();
    locals.resize_with(function.locals.len(), || LocalUses { makes_columns, ..LocalUses::default() });
    for id in &accesses.places {
        let kind = &function.insts[*id].kind;
        let (InstKind::Load(place) | InstKind::Store(place, _)) = kind else { continue };
        let Root::Local(local) = place.root else { continue };
        let LocalUses { pins, all, .. } = &mut locals[local.index()];
        let fields = constant_steps(&place.path);
        let is_zero = match kind {
            InstKind::Store(_, value) if is_splittable(types, function.values[*value].ty) => {
                accesses.constants.contains(&(*value, 0))
            }
            _ => false,
        };
        if place.values().next().is_some() && !pins.contains(&fields) {
            pins.push(fields.clone());
        }
        let access = Access { more: place.path.len() - fields.len(), fields, is_zero };
        if !all.contains(&access) {
            all.push(access);
        }
    }
    locals
}

/// The leading steps that name members by number.
fn constant_steps(path: &[Step]) -> Vec<u32> {
    path.iter()
        .map_while(|step| match step {
            Step::Field(index) => Some(*index),
            Step::Index { .. } | Step::Element(_) | Step::Joined { .. } => None,
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

fn stays_whole(types: &Types, ty: TypeId, uses: &LocalUses, path: &[u32]) -> bool {
    !is_splittable(types, ty) || uses.pins.iter().any(|pin| pin == path)
}

fn parts(types: &Types, ty: TypeId, uses: &LocalUses, path: &mut Vec<u32>) -> usize {
    if stays_whole(types, ty, uses, path) {
        // One that stays as it is altogether is no part of anything.
        let stays = path.is_empty() && columns_of(types, ty, uses, path).is_none();
        return if stays { MOST_PARTS + 1 } else { 1 };
    }
    let count = member_count(types, ty);
    if count as usize > MOST_PARTS {
        return MOST_PARTS + 1;
    }
    let mut sum = 0;
    for index in 0..count {
        path.push(index);
        sum += parts(types, types.member(ty, index).expect("counted"), uses, path);
        path.pop();
    }
    sum
}

/// The arrays at a path whose elements have members, if they are to be arrays of the members.
fn columns_of(types: &Types, ty: TypeId, uses: &LocalUses, path: &[u32]) -> Option<ArrayShape> {
    let (mut element, mut lens) = (ty, Vec::new());
    while let Type::Array(inner, Size::Known(len)) = types.get(element) {
        lens.push(*len);
        element = *inner;
    }
    if !uses.makes_columns || lens.is_empty() || !has_fields(types, element) {
        return None;
    }
    let columns = leaves(types, element);
    if is_vector_like(types, element) {
        return None;
    }
    let is_small = columns * lens[0] as usize <= MOST_PARTS;
    let fits = |access: &Access| {
        let is_elsewhere = !access.fields.starts_with(path) && !path.starts_with(&access.fields);
        let depth = access.fields.len() + access.more;
        let is_of_all = depth <= path.len() && lens.len() == 1;
        is_elsewhere || depth >= path.len() + lens.len() || is_of_all && (is_small || access.is_zero)
    };
    let is_wanted = (2..=MOST_COLUMNS).contains(&columns) && uses.all.iter().all(fits);
    is_wanted.then_some(ArrayShape { ty, element, lens })
}

/// Whether an element of an array is two or four words, which devices load and store at once: the nearest of 2,048 points, kept with
/// their distances, take 931 µs by an array a member, 509 by one of pairs (NVIDIA H200, 580.159).
fn is_vector_like(types: &Types, element: TypeId) -> bool {
    let is_word = |member: TypeId| matches!(types.get(member), Type::Scalar(Scalar::U32 | Scalar::I32 | Scalar::F32));
    let count = member_count(types, element);
    matches!(count, 2 | 4) && (0..count).all(|index| types.member(element, index).is_some_and(is_word))
}

fn has_fields(types: &Types, ty: TypeId) -> bool {
    matches!(types.get(ty), Type::Tuple(_) | Type::Struct(_))
}

/// The values that a struct or tuple has, arrays being one each.
fn leaves(types: &Types, ty: TypeId) -> usize {
    if !has_fields(types, ty) {
        return 1;
    }
    (0..member_count(types, ty)).map(|index| leaves(types, types.member(ty, index).expect("counted"))).sum()
}

fn member_name(types: &Types, ty: TypeId, name: &str, index: u32) -> String {
    match types.get(ty) {
        Type::Struct(id) => format!("{name}.{}", types.struct_def(*id).fields[index as usize].name),
        _ => format!("{name}.{index}"),
    }
}

fn split(
    function: &mut Function,
    types: &mut Types,
    name: &str,
    ty: TypeId,
    uses: &LocalUses,
    path: &mut Vec<u32>,
) -> Shape {
    if stays_whole(types, ty, uses, path) {
        return match columns_of(types, ty, uses, path) {
            Some(array) => {
                let members = columns(function, types, name, (ty, array.element));
                Shape::Columns(array, Box::new(members))
            }
            None => Shape::Whole(function.locals.push(Local { name: name.into(), ty })),
        };
    }
    let count = member_count(types, ty);
    let mut members = Vec::with_capacity(count as usize);
    for index in 0..count {
        let name = member_name(types, ty, name, index);
        let member = types.member(ty, index).expect("counted");
        path.push(index);
        members.push(split(function, types, &name, member, uses, path));
        path.pop();
    }
    Shape::Split(ty, members)
}

/// The locals for the members of an array's elements: arrays like it.
fn columns(function: &mut Function, types: &mut Types, name: &str, (array, element): (TypeId, TypeId)) -> Shape {
    if !has_fields(types, element) {
        let ty = array_like(types, array, element);
        return Shape::Whole(function.locals.push(Local { name: name.into(), ty }));
    }
    let members = (0..member_count(types, element))
        .map(|index| {
            let name = member_name(types, element, name, index);
            let member = types.member(element, index).expect("counted");
            columns(function, types, &name, (array, member))
        })
        .collect();
    Shape::Split(element, members)
}

/// Arrays of the lengths of `array`, of `leaf` instead of its struct or tuple.
fn array_like(types: &mut Types, array: TypeId, leaf: TypeId) -> TypeId {
    match *types.get(array) {
        Type::Array(inner, len) => {
            let inner = array_like(types, inner, leaf);
            types.array(inner, len)
        }
        _ => leaf,
    }
}

struct Splitter<'a> {
    function: &'a mut Function,
    shapes: Vec<Option<Shape>>,
    /// By value, as far as there were any before the pass: whether it is zero.
    zeros: Vec<bool>,
    types: &'a Types,
    index_type: TypeId,
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
        let (InstKind::Load(place) | InstKind::Store(place, _)) = &self.function.insts[id].kind else { unreachable!() };
        let path = place.path.clone();
        let mut steps = &path[..];
        let mut indices: Vec<Step> = Vec::new();
        loop {
            match shape {
                Shape::Columns(array, members) if !steps.is_empty() => {
                    let (front, rest) = steps.split_at(array.lens.len());
                    indices = front.to_vec();
                    (shape, steps) = (members, rest);
                }
                Shape::Split(_, members) => match steps.split_first() {
                    Some((Step::Field(index), rest)) => (shape, steps) = (&members[*index as usize], rest),
                    Some(_) => unreachable!("locals stay whole where an index is not constant"),
                    None => break,
                },
                _ => break,
            }
        }
        if let Shape::Whole(local) = shape {
            let path: Few<Step, 1> = indices.iter().chain(steps).copied().collect();
            if let InstKind::Load(place) | InstKind::Store(place, _) = &mut self.function.insts[id].kind {
                (place.root, place.path) = (Root::Local(*local), path);
            }
            out.push(id);
            return;
        }
        match self.function.insts[id].kind {
            InstKind::Store(_, value) => self.store(shape, value, &mut indices, &mut Vec::new(), out),
            _ => {
                let members = self.load_members(shape, &mut indices, out);
                self.function.insts[id].kind = InstKind::Compose(members.into());
                out.push(id);
            }
        }
    }

    /// Stores the member at `path` of a value; `indices` lead to it in the shape's arrays.
    fn store(
        &mut self,
        shape: &Shape,
        value: ValueId,
        indices: &mut Vec<Step>,
        path: &mut Vec<u32>,
        out: &mut Vec<InstId>,
    ) {
        match shape {
            Shape::Whole(local) => {
                let (place, ty) = self.place(*local, indices);
                let kind = match self.is_zero(value) {
                    true => InstKind::Const(Constant::Zero),
                    false => InstKind::Extract(value, path.clone().into()),
                };
                let (member, value) = add_inst(self.function, kind, ty, None);
                let store = add_effect(self.function, InstKind::Store(place, value), None);
                out.extend([member, store]);
                self.pass_checks(*local, indices, out);
            }
            Shape::Columns(_, members) if self.is_zero(value) => {
                self.store(members, value, indices, path, out);
            }
            Shape::Columns(array, members) => {
                for index in 0..array.lens[0] {
                    path.push(index);
                    self.store(members, value, &mut vec![Step::Field(index)], path, out);
                    path.pop();
                }
            }
            Shape::Split(_, members) => {
                for (index, member) in members.iter().enumerate() {
                    path.push(index as u32);
                    self.store(member, value, indices, path, out);
                    path.pop();
                }
            }
        }
    }

    fn is_zero(&self, value: ValueId) -> bool {
        self.zeros.get(value.index()) == Some(&true)
    }

    fn load_members(&mut self, shape: &Shape, indices: &mut Vec<Step>, out: &mut Vec<InstId>) -> Vec<ValueId> {
        match shape {
            Shape::Split(_, members) => members.iter().map(|member| self.load(member, indices, out)).collect(),
            Shape::Columns(array, members) => {
                (0..array.lens[0]).map(|index| self.load(members, &mut vec![Step::Field(index)], out)).collect()
            }
            Shape::Whole(_) => unreachable!("only split shapes have members"),
        }
    }

    fn load(&mut self, shape: &Shape, indices: &mut Vec<Step>, out: &mut Vec<InstId>) -> ValueId {
        let (kind, ty) = match shape {
            Shape::Whole(local) => {
                let (place, ty) = self.place(*local, indices);
                (InstKind::Load(place), ty)
            }
            Shape::Split(ty, _) => (InstKind::Compose(self.load_members(shape, indices, out).into()), *ty),
            Shape::Columns(array, _) => (InstKind::Compose(self.load_members(shape, indices, out).into()), array.ty),
        };
        let (id, value) = add_inst(self.function, kind, ty, None);
        out.push(id);
        if let Shape::Whole(local) = shape {
            self.pass_checks(*local, indices, out);
        }
        value
    }

    /// A place in a local, and the type of what is there.
    fn place(&self, local: LocalId, indices: &[Step]) -> (Place, TypeId) {
        let mut ty = self.function.locals[local].ty;
        for _ in indices {
            ty = self.types.member(ty, 0).expect("an index for each array");
        }
        (Place { path: indices.into(), ..Place::local(local) }, ty)
    }

    /// Behind an access whose checks trap: the same element of the other arrays is accessed without a trap, and inside in any case.
    fn pass_checks(&mut self, local: LocalId, indices: &mut [Step], out: &mut Vec<InstId>) {
        let mut ty = self.function.locals[local].ty;
        for step in indices {
            if let Step::Index { value, check: Some(_) } = *step {
                let last = InstKind::Const(Constant::U32(member_count(self.types, ty).saturating_sub(1)));
                let (constant, last) = add_inst(self.function, last, self.index_type, None);
                let least = InstKind::Op(Op::Min, [value, last].into());
                let (clamp, value) = add_inst(self.function, least, self.index_type, None);
                out.extend([constant, clamp]);
                *step = Step::Index { value, check: None };
            }
            ty = self.types.member(ty, 0).expect("an index for each array");
        }
    }
}
