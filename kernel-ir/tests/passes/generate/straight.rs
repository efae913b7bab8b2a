//! Straight-line code: ops, aggregates, memory, ids.

use gridwise_ir::arena::EntityId;
use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::{
    Atomic, AtomicOp, BufferId, Builtin, Constant, InstId, InstKind, LocalId, Order, ParamId, Place, Root, Scope,
    SharedId, Step,
};
use gridwise_ir::op::Op;
use gridwise_ir::passes::eval::from_bits;
use gridwise_ir::types::{Scalar, Type, TypeId, Types};

use super::Generator;

impl Generator<'_> {
    pub(super) fn operation(&mut self, out: &mut Vec<InstId>) {
        let op = self.random.pick(Op::ALL);
        let shape = self.random.below(5) == 0;
        let lanes = |types: &mut Types, scalar| if shape { types.vector(scalar, 3) } else { types.scalar(scalar) };
        use gridwise_ir::op::TypeRule as Rule;
        // Mostly scalars of which there are values already.
        let other = self.random.pick(&Scalar::ALL[1..]);
        let numeric = self.random.pick(&[Scalar::I32, Scalar::U32, Scalar::U32, Scalar::F32, other]);
        let any = self.random.pick(&[Scalar::I32, Scalar::U32, Scalar::F32, Scalar::Bool, other]);
        let other_int = self.random.pick(&Scalar::ALL[1..9]);
        let int = self.random.pick(&[Scalar::I32, Scalar::U32, other_int]);
        let bits = self.random.pick(&[Scalar::I32, Scalar::U32, Scalar::Bool, Scalar::Bool, other_int]);
        let is_small = |scalar| matches!(scalar, Scalar::F16 | Scalar::Bf16);
        let (operand, result) = match op.rule() {
            Rule::Numeric => (numeric, numeric),
            Rule::Signed => (int.signed(), int.signed()),
            Rule::Float | Rule::Single => (Scalar::F32, Scalar::F32),
            Rule::Fused => {
                let float = self.random.pick(&[Scalar::F32, Scalar::F64]);
                (float, float)
            }
            Rule::Int => (int, int),
            Rule::Bits => (bits, bits),
            Rule::Shift => (int, int),
            Rule::Equality => (any, Scalar::Bool),
            Rule::Order => (numeric, Scalar::Bool),
            Rule::FloatTest => (Scalar::F32, Scalar::Bool),
            Rule::IntCount => (int, Scalar::U32),
            Rule::Cast if is_small(any) => (any, self.random.pick(&[Scalar::F32, Scalar::F64, any])),
            Rule::Cast => (any, self.random.pick(&[Scalar::I32, Scalar::U32, Scalar::F32, Scalar::Bool, other_int])),
            Rule::Bitcast => (numeric, if self.random.one_in(2) { numeric.signed() } else { numeric.unsigned() }),
            Rule::Reduce => {
                let ty = self.types.vector(Scalar::Bool, 3);
                let operand = self.get(ty, out);
                let result = self.types.scalar(Scalar::Bool);
                self.define(out, InstKind::Op(op, [operand].into()), result);
                return;
            }
            Rule::Select => {
                let ty = self.random.pick(&self.pool.clone());
                let condition = self.types.scalar(Scalar::Bool);
                let operands = self.get_all(&[condition, ty, ty], out);
                self.define(out, InstKind::Op(op, operands.into()), ty);
                return;
            }
        };
        let (operand, result_ty) = (lanes(&mut self.types, operand), lanes(&mut self.types, result));
        let mut operands = self.get_all(&vec![operand; op.arity()], out);
        if op.rule() == Rule::Shift {
            let amount = lanes(&mut self.types, Scalar::U32);
            operands[1] = self.get(amount, out);
        }
        if matches!(op, Op::Div | Op::Rem) && !result.is_float() {
            // Odd and, for signed integers, not -1.
            operands[1] = match (result, shape) {
                (Scalar::U32, false) => {
                    let one = self.define(out, InstKind::Const(Constant::U32(1)), operand);
                    self.define(out, InstKind::Op(Op::Or, [operands[1], one].into()), operand)
                }
                (_, false) => {
                    let value = self.random.pick(&[1i64, 2, 3, 8, -3]).cast_unsigned();
                    self.define(out, InstKind::Const(from_bits(value, result)), operand)
                }
                _ => return,
            };
        }
        self.define(out, InstKind::Op(op, operands.into()), result_ty);
    }

    pub(super) fn members(&self, ty: TypeId) -> Vec<TypeId> {
        (0..).map_while(|index| self.types.member(ty, index)).collect()
    }

    pub(super) fn aggregate(&mut self, out: &mut Vec<InstId>) {
        let ty = self.random.pick(&self.pool.clone());
        let members = self.members(ty);
        if members.is_empty() {
            return;
        }
        if self.random.one_in(2) {
            let values = self.get_all(&members, out);
            self.define(out, InstKind::Compose(values.into()), ty);
            return;
        }
        let composite = self.get(ty, out);
        let mut path = Vec::new();
        let mut inner = ty;
        loop {
            let members = self.members(inner);
            if members.is_empty() || (!path.is_empty() && self.random.one_in(2)) {
                break;
            }
            let index = self.random.below(members.len());
            path.push(index as u32);
            inner = members[index];
        }
        if self.random.one_in(2) {
            self.define(out, InstKind::Extract(composite, path.into()), inner);
        } else {
            let member = self.get(inner, out);
            self.define(out, InstKind::Insert(composite, member, path.into()), ty);
        }
    }

    /// Steps at random to a member; to one of the wanted type, if one is wanted.
    pub(super) fn descend(
        &mut self,
        mut place: Place,
        mut ty: TypeId,
        wanted: Option<TypeId>,
        out: &mut Vec<InstId>,
    ) -> Option<Place> {
        loop {
            let members = self.members(ty);
            if wanted == Some(ty) {
                return Some(place);
            }
            if members.is_empty() {
                return wanted.is_none().then_some(place);
            }
            if wanted.is_none() && self.random.one_in(3) {
                return Some(place);
            }
            let is_uniform = matches!(self.types.get(ty), Type::Array(..) | Type::Vector(..));
            let mut at = self.random.below(members.len());
            if is_uniform && self.random.one_in(3) {
                let step = self.index(out);
                place.path.push(step);
            } else {
                if wanted.is_some() {
                    at = 0;
                }
                place.path.push(Step::Field(at as u32));
            }
            ty = members[at];
        }
    }

    pub(super) fn index(&mut self, out: &mut Vec<InstId>) -> Step {
        let u = self.types.scalar(Scalar::U32);
        let value = self.get(u, out);
        Step::Index { value, check: Some(self.site(SiteKind::IndexOutOfBounds)) }
    }

    pub(super) fn place_type(&self, place: &Place) -> TypeId {
        let (mut ty, steps) = match place.root {
            Root::Local(local) => (self.function.locals[local].ty, &place.path[..]),
            Root::Buffer(buffer) | Root::Member(buffer, _) => (self.buffers[buffer].element, &place.path[1..]),
            Root::Shared(shared) => (self.shared[shared].ty, &place.path[..]),
        };
        for step in steps {
            let index = if let Step::Field(index) = step { *index } else { 0 };
            ty = self.types.member(ty, index).expect("places lead to a cell");
        }
        ty
    }

    pub(super) fn memory(&mut self, out: &mut Vec<InstId>, buffer: bool) {
        let is_load = self.random.one_in(2);
        let (root, ty) = if buffer && self.is_kernel {
            let id = BufferId::new(self.random.below(self.buffers.len()));
            if !is_load && !self.buffers[id].writable {
                return;
            }
            let u = self.types.scalar(Scalar::U32);
            let root = match self.buffers[id].is_list {
                true => Root::Member(id, self.get(u, out)),
                false => Root::Buffer(id),
            };
            let step = self.index(out);
            (Place { root, path: [step].into(), is_unordered: false }, self.buffers[id].element)
        } else if self.random.one_in(4) {
            let shared = SharedId::new(self.random.below(self.shared.len()));
            (Place::shared(shared), self.shared[shared].ty)
        } else {
            let local = LocalId::new(self.random.below(self.function.locals.len()));
            (Place::local(local), self.function.locals[local].ty)
        };
        let place = self.descend(root, ty, None, out).expect("any member will do");
        self.access(place, is_load, out);
    }

    pub(super) fn access(&mut self, place: Place, is_load: bool, out: &mut Vec<InstId>) {
        let ty = self.place_type(&place);
        if is_load {
            self.define(out, InstKind::Load(place), ty);
        } else {
            let value = self.get(ty, out);
            self.push(out, InstKind::Store(place, value), &[]);
        }
    }

    /// A barrier, a fence or an atomic access.
    fn parallel(&mut self, out: &mut Vec<InstId>) {
        let u = self.types.scalar(Scalar::U32);
        match self.random.below(4) {
            0 => {
                self.push(out, InstKind::Barrier(Scope::Workgroup), &[]);
            }
            1 => {
                self.push(out, InstKind::Fence(Scope::Device, Order::AcqRel), &[]);
            }
            _ => {
                let op = self.random.pick(&AtomicOp::ALL);
                let step = self.index(out);
                let place = match self.is_kernel && self.random.one_in(2) {
                    true => Place { root: Root::Buffer(BufferId::new(1)), path: [step].into(), is_unordered: false },
                    false => Place { root: Root::Shared(SharedId::new(1)), path: [step].into(), is_unordered: false },
                };
                let operands = (0..op.arity()).map(|_| self.get(u, out)).collect();
                let atomic = Atomic { op, place, operands, order: Order::Relaxed, scope: Scope::Device };
                let kind = InstKind::Atomic(Box::new(atomic));
                if op.reads() {
                    self.define(out, kind, u);
                } else {
                    self.push(out, kind, &[]);
                }
            }
        }
    }

    pub(super) fn source(&mut self, out: &mut Vec<InstId>) {
        let u = self.types.scalar(Scalar::U32);
        if self.random.one_in(6) {
            return self.parallel(out);
        }
        if self.random.one_in(6) {
            let operands = self.get_all(&[u, u], out);
            let site = self.site(SiteKind::DivideByZero);
            self.push(out, InstKind::Trap(site, operands.into()), &[]);
            return;
        }
        if self.random.one_in(8) {
            let words = self.get_all(&[u, u, u], out);
            let site = self.site(SiteKind::Print);
            self.push(out, InstKind::Print(site, words.into()), &[]);
            return;
        }
        if !self.is_kernel {
            return;
        }
        match self.random.below(3) {
            0 => {
                let param = self.random.below(3);
                let scalar = [Scalar::U32, Scalar::I32, Scalar::F32][param];
                let ty = self.types.scalar(scalar);
                self.define(out, InstKind::Param(ParamId::new(param)), ty);
            }
            1 => {
                let builtin = self.random.pick(&Builtin::ALL[..4]);
                let ty = self.types.vector(Scalar::U32, 3);
                let ids = self.define(out, InstKind::Builtin(builtin), ty);
                let axis = self.random.below(3) as u32;
                self.define(out, InstKind::Extract(ids, [axis].into()), u);
            }
            _ => {
                let buffer = BufferId::new(self.random.below(self.buffers.len()));
                let kind = match self.buffers[buffer].is_list && self.random.one_in(2) {
                    true => InstKind::MemberLen(buffer, self.get(u, out)),
                    false => InstKind::Len(buffer),
                };
                self.define(out, kind, u);
            }
        }
    }
}
