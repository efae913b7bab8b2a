//! The values that a gradient flows through: those that hang on the parameters derived by, and that the kernel's outputs hang on.
//!
//! Comparisons, roundings to whole numbers and casts to integers let nothing through: their derivative is zero wherever they have one.
//! Bits of a float taken as an integer let everything through, so that the derivation finds and refuses them.

use crate::arena::EntityId;
use crate::ir::{
    AtomicOp, BlockId, BufferId, CoopOp, Function, InstId, InstKind, LocalId, Module, ParamId, Place, Root, SharedId,
    ValueId,
};
use crate::op::Op;
use crate::types::{Scalar, Type, TypeId, Types};

use super::needs::definitions;

/// The inputs that a kernel is derived by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct By {
    /// Buffers.
    pub buffers: Vec<BufferId>,
    /// By-value parameters.
    pub params: Vec<ParamId>,
    /// Whether the kernel stands for a function, whose arguments are the parameters: an adjoint is one invocation's alone, and may be zero.
    pub is_function: bool,
    /// Whether the values of the outputs are known already, so that forward mode stores only how they change.
    pub has_values: bool,
}

/// By value: whether a gradient flows through it.
pub(super) struct Activity {
    varied: Vec<bool>,
    useful: Vec<bool>,
    buffers: Vec<bool>,
    locals: [Vec<bool>; 2],
    shared: [Vec<bool>; 2],
}

/// Whether a gradient passes an op.
pub(super) fn passes(op: Op) -> bool {
    match op {
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::IsNan | Op::IsInf => false,
        Op::Floor | Op::Ceil | Op::Trunc | Op::Round | Op::RoundTiesEven => false,
        Op::CountOnes | Op::LeadingZeros | Op::TrailingZeros | Op::Any | Op::All => false,
        Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Rem | Op::Neg | Op::Min | Op::Max | Op::Abs => true,
        Op::And | Op::Or | Op::Xor | Op::Not | Op::Shl | Op::Shr | Op::ReverseBits | Op::MulHigh => true,
        Op::Select
        | Op::Cast
        | Op::Bitcast
        | Op::Uniform
        | Op::Slope
        | Op::Copysign
        | Op::Sqrt
        | Op::MulAdd
        | Op::NearMulAdd => true,
        Op::Sin | Op::Cos | Op::Tan | Op::Asin | Op::Acos | Op::Atan | Op::Atan2 => true,
        Op::Sinh | Op::Cosh | Op::Tanh | Op::Exp | Op::Exp2 | Op::Ln | Op::Log2 | Op::Powf => true,
    }
}

/// The operands through which a gradient may flow.
fn moved(op: Op, operands: &[ValueId]) -> &[ValueId] {
    match op {
        Op::Select => &operands[1..],
        Op::Slope => &operands[1..2],
        _ => operands,
    }
}

/// Whether a type has floats in it.
pub(super) fn has_floats(types: &Types, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Unit => false,
        Type::Scalar(scalar) | Type::Vector(scalar, _) => scalar.is_float(),
        Type::Coop(ty) => ty.scalar.is_float(),
        Type::Array(element, _) => has_floats(types, *element),
        Type::Tuple(members) => members.iter().any(|member| has_floats(types, *member)),
        Type::Struct(id) => types.struct_def(*id).fields.iter().any(|field| has_floats(types, field.ty)),
    }
}

impl Activity {
    /// Finds out, by going through the function until nothing changes.
    pub(super) fn of(module: &Module, function: &Function, by: &By) -> Self {
        let kernel = module.kernel.as_ref().expect("a kernel is derived");
        let values = function.values.len();
        let flags = |len: usize| [vec![false; len], vec![false; len]];
        let mut activity = Self {
            varied: vec![false; values],
            useful: vec![false; values],
            buffers: vec![false; kernel.buffers.len()],
            locals: flags(function.locals.len()),
            shared: flags(kernel.shared.len()),
        };
        by.buffers.iter().for_each(|buffer| activity.buffers[buffer.index()] = true);
        let mut cx = Flow { module, function, by, definitions: definitions(function), activity, changed: true };
        while std::mem::take(&mut cx.changed) {
            cx.forward(function.entry, &[]);
        }
        cx.changed = true;
        while std::mem::take(&mut cx.changed) {
            cx.backward(function.entry, &[]);
        }
        cx.activity
    }

    /// Whether a gradient flows through the value.
    pub(super) fn is_active(&self, value: ValueId) -> bool {
        self.varied[value.index()] && self.useful[value.index()]
    }

    /// Whether the value hangs on what is derived by.
    pub(super) fn is_varied(&self, value: ValueId) -> bool {
        self.varied[value.index()]
    }

    /// Whether a gradient flows through a variable.
    pub(super) fn is_active_local(&self, local: LocalId) -> bool {
        self.locals.iter().all(|flags| flags[local.index()])
    }

    /// Whether a gradient flows through a variable of the workgroup.
    pub(super) fn is_active_shared(&self, shared: SharedId) -> bool {
        self.shared.iter().all(|flags| flags[shared.index()])
    }
}

struct Flow<'f> {
    module: &'f Module,
    function: &'f Function,
    by: &'f By,
    definitions: Vec<Option<InstId>>,
    activity: Activity,
    changed: bool,
}

/// A loop or branch around a block, whose results a jump or a `yield` carries.
#[derive(Clone, Copy)]
struct Around<'f> {
    body: BlockId,
    results: &'f [ValueId],
}

impl<'f> Flow<'f> {
    fn raise(&mut self, pick: impl Fn(&mut Activity) -> &mut bool) {
        let flag = pick(&mut self.activity);
        self.changed |= !*flag;
        *flag = true;
    }

    fn varies(&self, value: ValueId) -> bool {
        self.activity.varied[value.index()]
    }

    fn vary(&mut self, value: ValueId) {
        self.raise(|activity| &mut activity.varied[value.index()]);
    }

    fn use_(&mut self, value: ValueId) {
        self.raise(|activity| &mut activity.useful[value.index()]);
    }

    fn vary_all(&mut self, from: &[ValueId], to: &[ValueId]) {
        for (from, to) in from.iter().zip(to) {
            if self.varies(*from) {
                self.vary(*to);
            }
        }
    }

    fn use_all(&mut self, from: &[ValueId], to: &[ValueId]) {
        for (from, to) in from.iter().zip(to) {
            if self.activity.useful[from.index()] {
                self.use_(*to);
            }
        }
    }

    fn root(activity: &mut Activity, root: Root, which: usize) -> Option<&mut bool> {
        match root {
            Root::Local(local) => activity.locals[which].get_mut(local.index()),
            Root::Shared(shared) => activity.shared[which].get_mut(shared.index()),
            Root::Buffer(buffer) | Root::Member(buffer, _) => activity.buffers.get_mut(buffer.index()),
        }
    }

    fn is_varied_root(&mut self, root: Root) -> bool {
        Self::root(&mut self.activity, root, 0).is_some_and(|flag| *flag)
    }

    fn vary_root(&mut self, root: Root) {
        if let Some(flag) = Self::root(&mut self.activity, root, 0) {
            self.changed |= !*flag;
            *flag = true;
        }
    }

    fn forward(&mut self, block: BlockId, around: &[Around<'f>]) {
        let function = self.function;
        for id in &function.blocks[block].insts {
            self.forward_inst(*id, around);
        }
    }

    fn forward_inst(&mut self, id: InstId, around: &[Around<'f>]) {
        let function = self.function;
        let inst = &function.insts[id];
        let with = |it: Around<'f>| {
            let mut inner = around.to_vec();
            inner.push(it);
            inner
        };
        match &inst.kind {
            InstKind::Param(param) if self.by.params.contains(param) => self.vary(inst.results[0]),
            InstKind::Load(place) => {
                if self.is_varied_root(place.root) && !self.is_fixed(inst.results[0], id) {
                    self.vary(inst.results[0]);
                }
            }
            InstKind::Store(place, value) => {
                if self.varies(*value) {
                    self.vary_root(place.root);
                }
            }
            InstKind::Atomic(atomic) => {
                if atomic.operands.iter().any(|operand| self.varies(*operand)) {
                    self.vary_root(atomic.place.root);
                }
                if self.is_varied_root(atomic.place.root) {
                    inst.results.iter().for_each(|result| self.vary(*result));
                }
            }
            InstKind::CoopStore(access, value) => {
                if self.varies(*value) {
                    self.vary_root(access.place.root);
                }
            }
            InstKind::Coop(CoopOp::Held, _) => {}
            InstKind::If { .. } | InstKind::Switch { .. } => {
                let inner = with(Around { body: function.entry, results: &inst.results });
                inst.kind.blocks().iter().for_each(|block| self.forward(*block, &inner));
            }
            InstKind::Loop { initial, body, .. } => {
                self.vary_all(initial, &function.blocks[*body].params);
                let inner = with(Around { body: *body, results: &inst.results });
                self.forward(*body, &inner);
            }
            InstKind::Yield(values) => {
                let results = around.last().map_or(&[][..], |it| it.results);
                self.vary_all(values, results);
            }
            InstKind::Break(target, values) => {
                let results = around.iter().find(|it| it.body == *target).map_or(&[][..], |it| it.results);
                self.vary_all(values, results);
            }
            InstKind::Continue(target, values) => self.vary_all(values, &function.blocks[*target].params),
            InstKind::Op(op, operands) => {
                let (to, from) = (self.scalar(inst.results[0]), self.scalar(operands[0]));
                let is_cut = *op == Op::Cast && !(to.is_some_and(is_float) && from.is_some_and(is_float));
                let from = moved(*op, operands);
                if passes(*op) && !is_cut && from.iter().any(|operand| self.varies(*operand)) {
                    self.vary(inst.results[0]);
                }
            }
            InstKind::Extract(of, _) => {
                let is_fixed = self.definitions[of.index()].is_some_and(|of| self.is_fixed(inst.results[0], of));
                if self.varies(*of) && !is_fixed {
                    self.vary(inst.results[0]);
                }
            }
            kind => {
                let mut any = kind.place().is_some_and(|place| self.is_varied_root(place.root));
                kind.for_each_use(|value| any |= self.activity.varied[value.index()]);
                if any {
                    inst.results.iter().for_each(|result| self.vary(*result));
                }
            }
        }
    }

    /// Whether a value is an integer, or several, out of an input: nothing hangs on those. `from`: what reads the input.
    fn is_fixed(&self, value: ValueId, from: InstId) -> bool {
        if has_floats(&self.module.types, self.function.values[value].ty) {
            return false;
        }
        match &self.function.insts[from].kind {
            InstKind::Param(_) => true,
            InstKind::Load(Place { root: Root::Buffer(buffer), .. }) => self.by.buffers.contains(buffer),
            InstKind::Extract(of, _) => self.definitions[of.index()].is_some_and(|from| self.is_fixed(value, from)),
            _ => false,
        }
    }

    fn scalar(&self, value: ValueId) -> Option<Scalar> {
        self.module.types.element_scalar(self.function.values[value].ty)
    }

    fn backward(&mut self, block: BlockId, around: &[Around<'f>]) {
        let function = self.function;
        for id in function.blocks[block].insts.iter().rev() {
            self.backward_inst(*id, around);
        }
    }

    fn backward_inst(&mut self, id: InstId, around: &[Around<'f>]) {
        let function = self.function;
        let inst = &function.insts[id];
        let is_useful = inst.results.iter().any(|result| self.activity.useful[result.index()]);
        let with = |it: Around<'f>| {
            let mut inner = around.to_vec();
            inner.push(it);
            inner
        };
        match &inst.kind {
            InstKind::Load(place) if is_useful => self.use_root(place),
            InstKind::Store(place, value) if self.is_useful_root(place.root) => self.use_(*value),
            InstKind::Atomic(atomic) => {
                if is_useful {
                    self.use_root(&atomic.place);
                }
                if atomic.op != AtomicOp::Load && self.is_useful_root(atomic.place.root) {
                    atomic.operands.iter().for_each(|operand| self.use_(*operand));
                }
            }
            InstKind::If { .. } | InstKind::Switch { .. } => {
                let inner = with(Around { body: function.entry, results: &inst.results });
                inst.kind.blocks().iter().for_each(|block| self.backward(*block, &inner));
            }
            InstKind::Loop { initial, body, .. } => {
                let inner = with(Around { body: *body, results: &inst.results });
                self.backward(*body, &inner);
                self.use_all(&function.blocks[*body].params, initial);
            }
            InstKind::Yield(values) => {
                let results = around.last().map_or(&[][..], |it| it.results);
                self.use_all(results, values);
            }
            InstKind::Break(target, values) => {
                let results = around.iter().find(|it| it.body == *target).map_or(&[][..], |it| it.results);
                self.use_all(results, values);
            }
            InstKind::Continue(target, values) => self.use_all(&function.blocks[*target].params, values),
            InstKind::Op(op, operands) => {
                let from = moved(*op, operands);
                if is_useful && passes(*op) {
                    from.iter().for_each(|operand| self.use_(*operand));
                }
            }
            InstKind::CoopLoad(access) if is_useful => self.use_root(&access.place),
            InstKind::CoopStore(access, value) if self.is_useful_root(access.place.root) => self.use_(*value),
            // Values that are written to images count.
            InstKind::Image(..) => inst.kind.for_each_use(|value| self.use_(value)),
            kind if is_useful => kind.for_each_use(|value| self.use_(value)),
            _ => {}
        }
    }

    fn use_root(&mut self, place: &Place) {
        let flag = match place.root {
            Root::Local(local) => &mut self.activity.locals[1][local.index()],
            Root::Shared(shared) => &mut self.activity.shared[1][shared.index()],
            Root::Buffer(_) | Root::Member(..) => return,
        };
        self.changed |= !*flag;
        *flag = true;
    }

    fn is_useful_root(&self, root: Root) -> bool {
        match root {
            Root::Local(local) => self.activity.locals[1][local.index()],
            Root::Shared(shared) => self.activity.shared[1][shared.index()],
            Root::Buffer(_) | Root::Member(..) => true,
        }
    }
}

const fn is_float(scalar: Scalar) -> bool {
    scalar.is_float()
}
