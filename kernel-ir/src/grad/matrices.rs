//! Matrices of subgroups on the way back: a product becomes two products with transposes, a load an addition to the adjoint of its buffer,
//! a store a load.
//!
//! The adjoint of a matrix is a sum of `f32` with its rows and columns, whatever its role. For a product it is rounded to the type of the
//! factors. A factor's transpose is loaded once more, in the other layout, or computed from such.

use crate::arena::EntityId;
use crate::coop::multiplies;
use crate::ir::{
    Atomic, AtomicOp, Builtin, CoopAccess, CoopFold, CoopLayout, CoopOp, Function, Inst, InstKind, LocalId, Module,
    Order, Place, Root, Scope, Shared, SharedId, Step, ValueId,
};
use crate::op::Op;
use crate::types::{CoopRole, CoopType, Scalar, Type, TypeId, Types};

use super::activity::Activity;
use super::refusal::Refused;
use super::reverse::Reverse;
use super::rules;
use super::shadows::{Shadow, ShadowKind};

/// The positions of the elements of matrices. Which invocation of a subgroup holds which of them is the device's choice; so a matrix is loaded
/// whose elements are their own positions.
#[derive(Debug, Clone)]
pub(super) struct Positions {
    /// Numbers from zero on, as floats.
    table: SharedId,
    /// How many there are.
    size: u32,
    /// By rows and columns: who adds an element that several invocations hold, and the matrix of positions.
    shapes: Vec<Shape>,
}

#[derive(Debug, Clone, Copy)]
struct Shape {
    ty: CoopType,
    owners: SharedId,
    /// The variable of the derived kernel with the positions.
    positions: Option<LocalId>,
}

/// Adds the variables to the derived module, if a gradient flows into a buffer from which matrices are loaded.
pub(super) fn positions(function: &Function, activity: &Activity, result: &mut Module) -> Option<Positions> {
    let mut shapes: Vec<CoopType> = Vec::new();
    for (_, inst) in function.insts.iter() {
        if let (InstKind::CoopLoad(_), Some(loaded)) = (&inst.kind, inst.results.first())
            && activity.is_active(*loaded)
            && let Some(of) = matrix(&result.types, function.values[*loaded].ty)
        {
            let of = CoopType { scalar: Scalar::F32, role: CoopRole::Accumulator, ..of };
            if !shapes.contains(&of) {
                shapes.push(of);
            }
        }
    }
    let size = shapes.iter().map(|of| of.rows * of.columns).max()?;
    let (float, word) = (result.types.scalar(Scalar::F32), result.types.scalar(Scalar::U32));
    let (floats, words) = (result.types.array(float, size), result.types.array(word, size));
    let kernel = result.kernel.as_mut()?;
    let mut share = |name: &str, ty: TypeId| {
        let mut name = name.to_owned();
        while kernel.shared.iter().any(|(_, other)| other.name == name) {
            name.insert(0, 'd');
        }
        kernel.shared.push(Shared { name, ty })
    };
    let table = share("d_positions", floats);
    let shapes = shapes.into_iter().map(|ty| Shape { ty, owners: share("d_owners", words), positions: None }).collect();
    Some(Positions { table, size, shapes })
}

/// The matrix type of a type.
pub(super) fn matrix(types: &Types, ty: TypeId) -> Option<CoopType> {
    match types.get(ty) {
        Type::Coop(ty) => Some(*ty),
        _ => None,
    }
}

/// The type of the adjoints of a type's values: of matrices, sums of `f32`.
pub(super) fn adjoint_type(types: &mut Types, ty: TypeId) -> TypeId {
    match types.get(ty).clone() {
        Type::Coop(of) if of.scalar.is_float() => {
            types.intern(Type::Coop(CoopType { scalar: Scalar::F32, role: CoopRole::Accumulator, ..of }))
        }
        Type::Array(element, len) => {
            let element = adjoint_type(types, element);
            types.array(element, len)
        }
        Type::Tuple(members) => {
            let members = members.into_iter().map(|member| adjoint_type(types, member)).collect();
            types.intern(Type::Tuple(members))
        }
        _ => ty,
    }
}

/// Whether the transpose of a matrix that an instruction makes can be made.
fn can_turn(kind: &InstKind, result: Option<CoopType>) -> bool {
    match kind {
        InstKind::CoopLoad(_) => true,
        InstKind::Coop(op, _) => match op {
            CoopOp::Splat | CoopOp::Neg | CoopOp::Add | CoopOp::Sub | CoopOp::Scale | CoopOp::Convert => true,
            CoopOp::Role => result.is_some_and(|ty| ty.role == CoopRole::B),
            CoopOp::Transpose => true,
            CoopOp::MulAdd | CoopOp::Held | CoopOp::Reduce(..) => false,
        },
        _ => false,
    }
}

impl<'s> Reverse<'s, '_> {
    fn matrix_of(&self, value: ValueId) -> Option<CoopType> {
        matrix(&self.source.types, self.ty(value))
    }

    fn refused_matrix_store(&self, access: &CoopAccess, value: ValueId) -> Option<Refused> {
        let is_active = self.is_active(value);
        let is_there = match access.place.root {
            Root::Buffer(_) => !is_active || self.has_same_cells(access, self.matrix_of(value)),
            Root::Shared(shared) => {
                !is_active && !self.needs.shared(shared) && self.shared_shadows[shared.index()].is_none()
            }
            _ => !is_active,
        };
        (!is_there).then_some(Refused::MatrixMemory)
    }

    /// Why matrices at an instruction cannot be derived.
    pub(super) fn refused_matrix(&self, inst: &Inst) -> Option<Refused> {
        let is_active = |value: &ValueId| self.is_active(*value);
        let is_turned = inst.results.iter().any(|result| self.needs.turned(*result));
        let first = inst.results.first().copied();
        if is_turned && !can_turn(&inst.kind, first.and_then(|first| self.matrix_of(first))) {
            return Some(Refused::MatrixFactor);
        }
        let has_struct = |value: &ValueId| self.is_active(*value) && self.has_matrices_in_struct(self.ty(*value));
        let local_has_struct = match inst.kind.place() {
            Some(Place { root: Root::Local(local), .. }) => {
                self.activity.is_active_local(*local) && self.has_matrices_in_struct(self.function.locals[*local].ty)
            }
            _ => false,
        };
        if local_has_struct || inst.results.iter().any(has_struct) {
            return Some(Refused::MatrixInStruct);
        }
        let is_needed = inst.results.iter().any(|result| self.needs.value(*result));
        let acts = first.is_some_and(|first| self.is_active(first));
        match &inst.kind {
            InstKind::CoopLoad(access) => match access.place.root {
                Root::Buffer(buffer) if acts => {
                    let shadow = self.shadows.buffers[buffer.index()].as_ref();
                    if shadow.is_some_and(|shadow| !matches!(shadow.kind, ShadowKind::Atomic(_))) {
                        return Some(Refused::MatrixInPlace);
                    }
                    let matrix = first.and_then(|first| self.matrix_of(first));
                    (!self.has_same_cells(access, matrix)).then_some(Refused::MatrixMemory)
                }
                Root::Buffer(_) => None,
                _ => (acts || is_needed || is_turned).then_some(Refused::MatrixMemory),
            },
            InstKind::CoopStore(access, value) => self.refused_matrix_store(access, *value),
            InstKind::Coop(op, operands) if acts => match op {
                CoopOp::Splat => Some(Refused::MatrixNumber),
                CoopOp::Scale => is_active(&operands[1]).then_some(Refused::MatrixNumber),
                CoopOp::Transpose | CoopOp::Held | CoopOp::Reduce(_, CoopFold::Min | CoopFold::Max) => {
                    Some(Refused::Matrix)
                }
                CoopOp::MulAdd => {
                    let factor = self.matrix_of(operands[0]).map(|ty| ty.scalar)?;
                    (!multiplies(factor, factor, Scalar::F32)).then_some(Refused::Matrix)
                }
                CoopOp::Neg | CoopOp::Add | CoopOp::Sub | CoopOp::Convert | CoopOp::Role | CoopOp::Reduce(..) => None,
            },
            InstKind::Load(place) | InstKind::Store(place, _) => {
                let is_element = place.path.iter().any(|step| matches!(step, Step::Element(_)));
                let counts = acts
                    || is_needed
                    || matches!(inst.kind, InstKind::Store(_, value) if self.is_active(value))
                    || matches!(place.root, Root::Local(local) if self.needs.local(local));
                (is_element && counts).then_some(Refused::MatrixElements)
            }
            InstKind::Loop { body, .. } => {
                let params = &self.function.blocks[*body].params;
                if params.iter().any(|param| self.needs.turned(*param)) {
                    return Some(Refused::MatrixFactor);
                }
                let is_state = |param: &ValueId| self.needs.value(*param) && self.holds_matrix(self.ty(*param));
                params.iter().any(is_state).then_some(Refused::MatrixState)
            }
            _ => None,
        }
    }

    /// Whether a type is a matrix or has one in it.
    fn holds_matrix(&self, ty: TypeId) -> bool {
        match self.source.types.get(ty) {
            Type::Coop(_) => true,
            Type::Array(element, _) => self.holds_matrix(*element),
            Type::Tuple(members) => members.iter().any(|member| self.holds_matrix(*member)),
            Type::Struct(id) => {
                self.source.types.struct_def(*id).fields.iter().any(|field| self.holds_matrix(field.ty))
            }
            _ => false,
        }
    }

    /// Whether a type has a struct with a matrix in it: the adjoint of a matrix is of another type than the field.
    fn has_matrices_in_struct(&self, ty: TypeId) -> bool {
        match self.source.types.get(ty) {
            Type::Struct(_) => self.holds_matrix(ty),
            Type::Array(element, _) => self.has_matrices_in_struct(*element),
            Type::Tuple(members) => members.iter().any(|member| self.has_matrices_in_struct(*member)),
            _ => false,
        }
    }

    /// Whether memory has an element for each of a matrix.
    fn has_same_cells(&self, access: &CoopAccess, ty: Option<CoopType>) -> bool {
        let (Root::Buffer(buffer), Some(kernel), Some(ty)) = (access.place.root, &self.source.kernel, ty) else {
            return false;
        };
        *self.source.types.get(kernel.buffers[buffer].element) == Type::Scalar(ty.scalar)
    }

    /// An operation on matrices, or a load of one, that runs once more.
    pub(super) fn forward_matrix(&mut self, inst: &'s Inst, is_needed: bool) {
        let Some(&result) = inst.results.first() else { return };
        if is_needed {
            let mut kind = inst.kind.clone();
            kind.map_uses(|value| self.get(value));
            let value = self.b.define(kind, self.ty(result));
            self.bind(result, value);
        }
        if self.needs.turned(result) {
            let turned = self.turn(&inst.kind, result);
            self.turned[result.index()] = turned;
        }
    }

    /// The transpose of the matrix that an instruction makes, in the same role.
    fn turn(&mut self, kind: &InstKind, result: ValueId) -> Option<ValueId> {
        let of = self.matrix_of(result)?;
        let ty = self.b.types_mut().intern(Type::Coop(CoopType { rows: of.columns, columns: of.rows, ..of }));
        let kind = match kind {
            InstKind::CoopLoad(access) => {
                let layout = match access.layout {
                    CoopLayout::RowMajor => CoopLayout::ColumnMajor,
                    CoopLayout::ColumnMajor => CoopLayout::RowMajor,
                };
                InstKind::CoopLoad(Box::new(CoopAccess { layout, ..self.access(access, access.place.root) }))
            }
            InstKind::Coop(CoopOp::Role, operands) => {
                InstKind::Coop(CoopOp::Transpose, [self.get(operands[0])].as_slice().into())
            }
            InstKind::Coop(CoopOp::Transpose, operands) => {
                InstKind::Coop(CoopOp::Role, [self.get(operands[0])].as_slice().into())
            }
            InstKind::Coop(op, operands) => {
                let operands: Option<Vec<_>> = operands
                    .iter()
                    .map(|operand| match self.matrix_of(*operand) {
                        Some(_) => self.turned[operand.index()],
                        None => Some(self.get(*operand)),
                    })
                    .collect();
                InstKind::Coop(*op, operands?.as_slice().into())
            }
            _ => return None,
        };
        Some(self.b.define(kind, ty))
    }

    /// An access with the values as they are now, at a place with another root.
    fn access(&self, access: &CoopAccess, root: Root) -> CoopAccess {
        CoopAccess {
            place: Place { is_unordered: false, ..self.with_root(&access.place, root) },
            first: self.get(access.first),
            stride: self.get(access.stride),
            layout: access.layout,
        }
    }

    /// The rule of an operation on matrices.
    pub(super) fn backward_matrix(&mut self, op: CoopOp, operands: &[ValueId], result: ValueId) {
        let g = self.adjoint(result);
        let ty = self.b.value_type(g);
        match op {
            CoopOp::MulAdd => {
                self.backward_factors(operands, g);
                self.give(operands[2], g);
            }
            CoopOp::Convert | CoopOp::Role => self.give(operands[0], g),
            CoopOp::Neg => {
                let share = self.b.coop(CoopOp::Neg, &[g], ty);
                self.give(operands[0], share);
            }
            CoopOp::Add => operands.iter().for_each(|operand| self.give(*operand, g)),
            CoopOp::Sub => {
                self.give(operands[0], g);
                if self.is_active(operands[1]) {
                    let share = self.b.coop(CoopOp::Neg, &[g], ty);
                    self.give(operands[1], share);
                }
            }
            CoopOp::Scale => {
                let by = self.get(operands[1]);
                let float = self.b.types_mut().scalar(Scalar::F32);
                let by = if self.b.value_type(by) == float { by } else { self.b.cast(by, float) };
                let share = self.b.coop(CoopOp::Scale, &[g, by], ty);
                self.give(operands[0], share);
            }
            // A value in all elements of a line got an adjoint from each.
            CoopOp::Reduce(..) => {
                let share = self.b.coop(op, &[g], ty);
                self.give(operands[0], share);
            }
            CoopOp::Splat | CoopOp::Held | CoopOp::Transpose => {}
        }
    }

    /// `dA += G Bᵀ` and `dB += Aᵀ G`.
    fn backward_factors(&mut self, operands: &[ValueId], g: ValueId) {
        let [a, b] = [operands[0], operands[1]];
        if self.is_active(a)
            && let (Some(g), Some(turned)) = (self.as_factor(g, a), self.turned[b.index()])
        {
            self.add_product(a, g, turned);
        }
        if self.is_active(b)
            && let (Some(g), Some(turned)) = (self.as_factor(g, b), self.turned[a.index()])
        {
            self.add_product(b, turned, g);
        }
    }

    /// An adjoint as a factor in the role and of the type of another one.
    fn as_factor(&mut self, g: ValueId, like: ValueId) -> Option<ValueId> {
        let like = self.matrix_of(like)?;
        let of = matrix(self.b.types(), self.b.value_type(g))?;
        let narrow = CoopType { scalar: like.scalar, ..of };
        let ty = self.b.types_mut().intern(Type::Coop(narrow));
        let narrowed = self.b.coop(CoopOp::Convert, &[g], ty);
        let ty = self.b.types_mut().intern(Type::Coop(CoopType { role: like.role, ..narrow }));
        Some(self.b.coop(CoopOp::Role, &[narrowed], ty))
    }

    fn add_product(&mut self, to: ValueId, left: ValueId, right: ValueId) {
        let place = Place::local(self.adjoint_of(to));
        let old = self.b.load(place.clone());
        let ty = self.b.value_type(old);
        let sum = self.b.coop(CoopOp::MulAdd, &[left, right, old], ty);
        self.b.store(place, sum);
    }

    /// A store's adjoint is what the buffer's adjoint has at its place.
    pub(super) fn backward_matrix_store(&mut self, access: &CoopAccess, value: ValueId) {
        let Root::Buffer(buffer) = access.place.root else { return };
        let Some(shadow) = self.shadows.buffers[buffer.index()] else { return };
        let Some(of) = self.matrix_of(value) else { return };
        let there = self.access(access, Root::Buffer(shadow.buffer));
        let stored = self.b.types_mut().intern(Type::Coop(CoopType { role: CoopRole::Accumulator, ..of }));
        if self.is_active(value) {
            let mut g = self.b.coop_load(there.clone(), stored);
            let wide = self.adjoint_type(value);
            if wide != stored {
                g = self.b.coop(CoopOp::Convert, &[g], wide);
            }
            self.give(value, g);
        }
        if shadow.kind == ShadowKind::Taken {
            let nothing = rules::zero(&mut self.b, stored);
            self.b.coop_store(there, nothing);
        }
    }

    /// Notes who holds which elements, before all else: all invocations of the workgroup wait for each other here.
    pub(super) fn find_positions(&mut self) {
        let Some(mut positions) = self.positions.take() else { return };
        let known = self.source.kernel.as_ref().and_then(|kernel| {
            kernel.workgroup.iter().map(|size| size.known()).product::<Option<u32>>().filter(|count| *count > 0)
        });
        let own = self.b.builtin(Builtin::LocalIndex);
        let size = self.b.const_u32(positions.size);
        // Where nobody knows how many there are, one does it all.
        let (first, step) = match known {
            Some(count) => (own, count),
            None => {
                let zero = self.b.const_u32(0);
                let is_first = self.b.op(Op::Eq, &[own, zero]);
                (self.b.op(Op::Select, &[is_first, zero, size]), 1)
            }
        };
        let step = self.b.const_u32(step);
        self.count(first, size, step, &mut |reverse, at| {
            let float = reverse.b.types_mut().scalar(Scalar::F32);
            let number = reverse.b.cast(at, float);
            reverse.b.store(cell(positions.table, at), number);
            let nobody = reverse.b.const_u32(u32::MAX);
            for shape in &positions.shapes {
                reverse.access_owner(AtomicOp::Store, shape.owners, at, Some(nobody));
            }
        });
        self.wait();
        for shape in &mut positions.shapes {
            let ty = self.b.types_mut().intern(Type::Coop(shape.ty));
            let (zero, stride) = (self.b.const_u32(0), self.b.const_u32(shape.ty.columns));
            let end = self.b.const_u32(shape.ty.rows * shape.ty.columns - 1);
            let (place, layout) = (cell(positions.table, end), CoopLayout::RowMajor);
            let loaded = self.b.coop_load(CoopAccess { place, first: zero, stride, layout }, ty);
            let local = self.b.new_local("positions", ty);
            self.b.store(Place::local(local), loaded);
            shape.positions = Some(local);
            let owners = shape.owners;
            self.each_element(loaded, &mut |reverse, number| {
                let at = reverse.position(local, number);
                let key = reverse.key(number, positions.size);
                reverse.access_owner(AtomicOp::Min, owners, at, Some(key));
            });
        }
        self.wait();
        self.positions = Some(positions);
    }

    /// A loop over the numbers from `first` to `end` in steps.
    fn count(&mut self, first: ValueId, end: ValueId, step: ValueId, body: &mut dyn FnMut(&mut Self, ValueId)) {
        let word = self.b.types_mut().scalar(Scalar::U32);
        let block = self.b.new_loop_body(&[word]);
        let at = self.b.block_params(block)[0];
        let parent = self.b.switch_to(block);
        let goes_on = self.b.op(Op::Lt, &[at, end]);
        let (on, out) = (self.b.new_block(), self.b.new_block());
        let head = self.b.switch_to(out);
        self.b.break_(block, &[]);
        self.b.switch_to(head);
        self.b.push_if(goes_on, on, out, &[]);
        body(self, at);
        let next = self.b.op(Op::Add, &[at, step]);
        self.b.continue_(block, &[next]);
        self.b.switch_to(parent);
        self.b.push_loop(block, &[first], &[]);
    }

    /// A loop over the elements of a matrix that the invocation holds.
    fn each_element(&mut self, of: ValueId, body: &mut dyn FnMut(&mut Self, ValueId)) {
        let word = self.b.types_mut().scalar(Scalar::U32);
        let held = self.b.coop(CoopOp::Held, &[of], word);
        let (zero, one) = (self.b.const_u32(0), self.b.const_u32(1));
        self.count(zero, held, one, body);
    }

    fn position(&mut self, positions: LocalId, number: ValueId) -> ValueId {
        let position = self.b.load(element(positions, number));
        let word = self.b.types_mut().scalar(Scalar::U32);
        self.b.cast(position, word)
    }

    /// A number that no other element of the subgroup's invocations has.
    fn key(&mut self, number: ValueId, size: u32) -> ValueId {
        let (lane, size) = (self.b.builtin(Builtin::SubgroupLocalId), self.b.const_u32(size));
        let before = self.b.op(Op::Mul, &[lane, size]);
        self.b.op(Op::Add, &[before, number])
    }

    fn access_owner(
        &mut self,
        op: AtomicOp,
        owners: SharedId,
        at: ValueId,
        operand: Option<ValueId>,
    ) -> Option<ValueId> {
        let operands: Vec<ValueId> = operand.into_iter().collect();
        let (order, scope) = (Order::Relaxed, Scope::Workgroup);
        let atomic = Atomic { op, place: cell(owners, at), operands: operands.as_slice().into(), order, scope };
        let word = self.b.types_mut().scalar(Scalar::U32);
        self.b.atomic(atomic, word)
    }

    /// Adds the adjoint of a loaded matrix to that of its buffer. Each element is added by one of the invocations that hold it.
    pub(super) fn backward_matrix_load(&mut self, access: &CoopAccess, result: ValueId) {
        let (Root::Buffer(buffer), Some(Step::Index { value: last, .. })) =
            (access.place.root, access.place.path.last())
        else {
            return;
        };
        let (Some(shadow @ Shadow { kind: ShadowKind::Atomic(_), .. }), Some(positions), Some(of)) =
            (self.shadows.buffers[buffer.index()], self.positions.clone(), self.matrix_of(result))
        else {
            return;
        };
        let shape = positions.shapes.iter().find(|shape| (shape.ty.rows, shape.ty.columns) == (of.rows, of.columns));
        let Some(Shape { owners, positions: Some(places), .. }) = shape.copied() else { return };
        let g = self.adjoint(result);
        let ty = self.b.value_type(g);
        let share = self.b.new_local("share", ty);
        self.b.store(Place::local(share), g);
        // Where the load found nothing, nothing is added.
        let (last, len) = (self.get(*last), self.b.len(buffer));
        let is_inside = self.b.op(Op::Lt, &[last, len]);
        let (first, stride, layout) = (self.get(access.first), self.get(access.stride), access.layout);
        let columns = self.b.const_u32(of.columns);
        self.each_element(g, &mut |reverse, number| {
            let at = reverse.position(places, number);
            let value = reverse.b.load(element(share, number));
            let key = reverse.key(number, positions.size);
            let Some(owner) = reverse.access_owner(AtomicOp::Load, owners, at, None) else { return };
            let is_own = reverse.b.op(Op::Eq, &[owner, key]);
            let adds = reverse.b.op(Op::And, &[is_own, is_inside]);
            let (yes, no) = (reverse.b.new_block(), reverse.b.new_block());
            let parent = reverse.b.switch_to(yes);
            let (row, column) = (reverse.b.op(Op::Div, &[at, columns]), reverse.b.op(Op::Rem, &[at, columns]));
            let (line, along) = match layout {
                CoopLayout::RowMajor => (row, column),
                CoopLayout::ColumnMajor => (column, row),
            };
            let offset = reverse.b.op(Op::Mul, &[line, stride]);
            let to = reverse.b.op(Op::Add, &[first, offset]);
            let to = reverse.b.op(Op::Add, &[to, along]);
            let check = reverse.site();
            reverse.add_scalar(Place::element(shadow.buffer, to, check), value);
            reverse.b.switch_to(parent);
            reverse.b.push_if(adds, yes, no, &[]);
        });
    }
}

/// An element of a shared array.
fn cell(shared: SharedId, at: ValueId) -> Place {
    Place { root: Root::Shared(shared), path: [Step::Index { value: at, check: None }].into(), is_unordered: false }
}

/// An element of a matrix in a variable, by its number among those that the invocation holds.
fn element(local: LocalId, number: ValueId) -> Place {
    Place { root: Root::Local(local), path: [Step::Element(number)].into(), is_unordered: false }
}
