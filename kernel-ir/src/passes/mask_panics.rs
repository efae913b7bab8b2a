//! In kernels with barriers, lets invocations that panicked walk on without effects: the others wait for them.
//!
//! A panic behind which no barrier can be reached ends the invocation. Any other becomes a trap that sets the
//! invocation's `dead` flag; from there on stores to shared memory and buffers, atomics and messages are guarded by it,
//! and indices out of range are not counted. The instructions of an `if`'s block that does not panic move behind the
//! `if`, so that values all invocations agree on stay the same in dead ones, and with them the barriers they reach.
//!
//! No loop may keep dead invocations for ever: what should have ended it may be what was asserted. A loop that not all
//! invocations go through together is left by dead ones at once, for no barrier hangs on its results. In one that they
//! go through together, and of which it is not plain that it ends, they ask in each round whether anyone is alive, and
//! all return when nobody is. A panic that all come to together ends all at once.
//!
//! It must run before anything concludes from a panic that the code behind it runs only where the assertion held.

use super::edit::{Substitution, add_effect, add_inst, for_each_inst, yields};
use super::{Changed, loop_ends};
use crate::ir::{
    Atomic, AtomicOp, Block, BlockId, Constant, Function, FunctionId, ImageOp, Inst, InstId, InstKind, Kernel, Local,
    LocalId, Module, Order, Place, Root, Scope, Shared, SharedId, SourceLocation, Step, ValueId,
};
use crate::op::Op;
use crate::types::{Scalar, Size, Type, TypeId, Types};
use crate::uniformity::Uniformity;

/// Runs the pass.
pub fn run(module: &mut Module) -> Changed {
    let ids: Vec<_> = module.functions.iter().map(|(id, _)| id).collect();
    ids.into_iter().fold(Changed::No, |changed, id| changed | function(module, id))
}

fn function(module: &mut Module, id: FunctionId) -> Changed {
    let (mut waits, mut has_barriers, mut panics) = (false, false, false);
    for_each_inst(&module.functions[id], &mut |_, inst| {
        waits |= inst.kind.needs_full_workgroup();
        has_barriers |= matches!(inst.kind, InstKind::Barrier(_));
        panics |= matches!(inst.kind, InstKind::Panic(..));
    });
    if !waits || !panics {
        return Changed::No;
    }
    let before = module.functions[id].clone();
    let interface = module.kernel.clone();
    // Dead invocations read what the others read, and like them only where nobody writes at that time.
    let uniform = Uniformity::of(&before, interface.as_ref(), &[]);
    let (bool_type, word_type) = (module.types.scalar(Scalar::Bool), module.types.scalar(Scalar::U32));
    let Module { types, functions, kernel, .. } = module;
    let function = &mut functions[id];
    let dead = function.locals.push(Local { name: "dead".into(), ty: bool_type });
    let substitution = Substitution::of(function);
    let mut pass = Masking {
        function,
        uniform,
        types,
        kernel: kernel.as_mut().filter(|kernel| kernel.function == id),
        has_barriers,
        bool_type,
        word_type,
        dead,
        any_alive: None,
        may_be_dead: false,
        substitution,
    };
    let entry = pass.function.entry;
    let insts = std::mem::take(&mut pass.function.blocks[entry].insts);
    let mut out = Vec::new();
    pass.insts(insts, &Exit::Return, false, &mut out);
    pass.function.blocks[entry].insts = out;
    Changed::Yes
}

/// How a dead invocation leaves a block at its end.
#[derive(Clone)]
enum Exit {
    Return,
    /// A block of an `if` or `switch` with results of these types.
    Yield(Vec<TypeId>),
    /// The body of a loop with results of these types.
    Break(BlockId, Vec<TypeId>),
}

struct Masking<'a> {
    function: &'a mut Function,
    uniform: Uniformity<'a>,
    types: &'a Types,
    kernel: Option<&'a mut Kernel>,
    /// Whether anyone waits for the whole workgroup.
    has_barriers: bool,
    bool_type: TypeId,
    word_type: TypeId,
    dead: LocalId,
    /// A word of shared memory by which the workgroup finds out whether anyone is alive.
    any_alive: Option<SharedId>,
    /// Whether the invocation may be dead at the current point.
    may_be_dead: bool,
    substitution: Substitution,
}

impl Masking<'_> {
    /// Rewrites a run of instructions that ends a block; `waits_behind` tells whether a barrier may be reached after them.
    /// True when the end became the way out of dead invocations only.
    fn insts(&mut self, insts: Vec<InstId>, exit: &Exit, waits_behind: bool, out: &mut Vec<InstId>) -> bool {
        // Whether a barrier may be reached after each instruction.
        let mut behind = vec![waits_behind; insts.len()];
        for at in (1..insts.len()).rev() {
            behind[at - 1] = behind[at] || self.waits(insts[at]);
        }
        let mut comes_out_dead = false;
        for (id, waits_behind) in insts.into_iter().zip(behind) {
            self.substitution.apply(&mut self.function.insts[id].kind);
            let location = self.function.insts[id].location;
            match &self.function.insts[id].kind {
                InstKind::Panic(..) if waits_behind && self.uniform.reach_together(id) => {
                    self.end_all(id, out);
                    return false;
                }
                InstKind::Panic(site, words) if waits_behind => {
                    let trap = InstKind::Trap(*site, words.clone());
                    self.function.insts[id].kind = trap;
                    self.guard(id, out);
                    let yes = self.define(InstKind::Const(Constant::Bool(true)), self.bool_type, location, out);
                    let store = InstKind::Store(Place::local(self.dead), yes);
                    out.push(add_effect(self.function, store, location));
                    self.may_be_dead = true;
                    self.leave(exit, location, out);
                    return true;
                }
                // Nobody waits any more: whoever comes here ends, and who is dead has been recorded.
                InstKind::Panic(..) => self.end_all(id, out),
                // Dead invocations come here now, and nobody else.
                InstKind::Unreachable if comes_out_dead => {
                    self.leave(exit, location, out);
                    return true;
                }
                InstKind::If { .. } | InstKind::Switch { .. } => {
                    comes_out_dead = self.branch(id, waits_behind, out);
                    continue;
                }
                InstKind::Loop { .. } => {
                    comes_out_dead = self.enter_loop(id, waits_behind, out);
                    continue;
                }
                kind if self.may_be_dead && has_effect(kind) => self.guard(id, out),
                kind if self.may_be_dead && kind.place().is_some_and(Place::is_checked) => self.silence(id, out),
                _ => out.push(id),
            }
            comes_out_dead = false;
        }
        false
    }

    /// Makes a panic behind which nobody waits the end of the invocation; who is dead has been recorded.
    fn end_all(&mut self, id: InstId, out: &mut Vec<InstId>) {
        let Inst { kind: InstKind::Panic(site, words), location, .. } = &self.function.insts[id] else { return };
        if !self.may_be_dead {
            return out.push(id);
        }
        let (trap, location) = (InstKind::Trap(*site, words.clone()), *location);
        self.function.insts[id].kind = trap;
        self.guard(id, out);
        out.push(add_effect(self.function, InstKind::Return(None), location));
    }

    fn waits(&self, id: InstId) -> bool {
        let kind = &self.function.insts[id].kind;
        kind.needs_full_workgroup() || kind.blocks().iter().any(|block| self.block_waits(*block))
    }

    fn block_waits(&self, block: BlockId) -> bool {
        self.function.blocks[block].insts.iter().any(|id| self.waits(*id))
    }

    /// True when only dead invocations come out of it.
    fn branch(&mut self, id: InstId, waits_behind: bool, out: &mut Vec<InstId>) -> bool {
        let mut blocks = self.function.insts[id].kind.blocks().to_vec();
        blocks.sort_unstable();
        blocks.dedup();
        let types = self.result_types(id);
        let (yielding, leaving): (Vec<_>, Vec<_>) =
            blocks.iter().copied().partition(|block| yields(self.function, *block).is_some());
        let before = self.may_be_dead;
        let mut may_be_dead = before;
        let mut dies = false;
        for block in leaving {
            self.may_be_dead = before;
            dies |= self.block(block, &Exit::Yield(types.clone()), waits_behind);
            may_be_dead |= self.may_be_dead;
        }
        match yielding[..] {
            [] => {
                out.push(id);
                self.may_be_dead = may_be_dead;
                return dies;
            }
            // Dead invocations, too, would do what has an effect in this block: it moves behind.
            [block] if dies => {
                self.may_be_dead = true;
                self.move_behind(id, block, waits_behind, out);
                return false;
            }
            _ => {}
        }
        for block in yielding {
            self.may_be_dead = before;
            self.block(block, &Exit::Yield(types.clone()), waits_behind);
            may_be_dead |= self.may_be_dead;
        }
        self.may_be_dead = may_be_dead;
        out.push(id);
        false
    }

    fn move_behind(&mut self, id: InstId, block: BlockId, waits_behind: bool, out: &mut Vec<InstId>) {
        let results = std::mem::take(&mut self.function.insts[id].results);
        let mut insts = std::mem::take(&mut self.function.blocks[block].insts);
        let last = insts.pop().expect("a block ends with a terminator");
        // All blocks that come out now yield nothing.
        self.function.blocks[block].insts = vec![add_effect(self.function, InstKind::Yield([].into()), None)];
        for block in self.function.insts[id].kind.blocks() {
            let last = *self.function.blocks[block].insts.last().expect("a block ends with a terminator");
            if let InstKind::Yield(values) = &mut self.function.insts[last].kind {
                *values = [].into();
            }
        }
        out.push(id);
        // The terminator is gone, so nothing at the end leaves.
        self.insts(insts, &Exit::Return, waits_behind, out);
        self.substitution.apply(&mut self.function.insts[last].kind);
        if let InstKind::Yield(values) = self.function.insts[last].kind.clone() {
            for (result, value) in results.into_iter().zip(values) {
                self.substitution.set(result, value);
            }
        }
    }

    fn enter_loop(&mut self, id: InstId, waits_behind: bool, out: &mut Vec<InstId>) -> bool {
        let InstKind::Loop { body, .. } = self.function.insts[id].kind else { return false };
        let came_out = crate::flow::is_broken(self.function, body);
        let types = self.result_types(id);
        let waits = self.block_waits(body);
        let location = self.function.insts[id].location;
        let (mut panics, mut has_barrier) = (false, false);
        super::edit::walk(self.function, body, &mut |id, inst| {
            panics |= matches!(inst.kind, InstKind::Panic(..)) && !self.uniform.reach_together(id);
            has_barrier |= matches!(inst.kind, InstKind::Barrier(_));
        });
        // An invocation that dies in one round is dead in the next.
        self.may_be_dead |= panics && (waits || waits_behind);
        let together = self.has_barriers && (has_barrier || self.uniform.go_through_together(body));
        let ends = loop_ends::ends(self.function, self.types, body);
        let insts = std::mem::take(&mut self.function.blocks[body].insts);
        let mut inner = Vec::new();
        if self.may_be_dead && !together {
            self.leave_when_dead(&Exit::Break(body, types.clone()), location, &mut inner);
        } else if self.may_be_dead && !ends {
            self.return_when_all_dead(location, &mut inner);
        }
        self.insts(insts, &Exit::Break(body, types), waits_behind || waits, &mut inner);
        self.function.blocks[body].insts = inner;
        out.push(id);
        !came_out && crate::flow::is_broken(self.function, body)
    }

    fn block(&mut self, block: BlockId, exit: &Exit, waits_behind: bool) -> bool {
        let insts = std::mem::take(&mut self.function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        let dies = self.insts(insts, exit, waits_behind, &mut out);
        self.function.blocks[block].insts = out;
        dies
    }

    fn result_types(&self, id: InstId) -> Vec<TypeId> {
        self.function.insts[id].results.iter().map(|result| self.function.values[*result].ty).collect()
    }

    /// `if dead { leave }`
    fn leave_when_dead(&mut self, exit: &Exit, location: Option<SourceLocation>, out: &mut Vec<InstId>) {
        let condition = self.define(InstKind::Load(Place::local(self.dead)), self.bool_type, location, out);
        let mut leaving = Vec::new();
        self.leave(exit, location, &mut leaving);
        let then_block = self.new_block(leaving);
        let end = add_effect(self.function, InstKind::Yield([].into()), location);
        let else_block = self.new_block(vec![end]);
        out.push(add_effect(self.function, InstKind::If { condition, then_block, else_block }, location));
    }

    /// Lets the workgroup return if nobody in it is alive. All invocations must come here together.
    fn return_when_all_dead(&mut self, location: Option<SourceLocation>, out: &mut Vec<InstId>) {
        let Some(kernel) = &mut self.kernel else { return };
        let ty = self.word_type;
        let any_alive =
            *self.any_alive.get_or_insert_with(|| kernel.shared.push(Shared { name: "any_alive".to_owned(), ty }));
        let place = Place { root: Root::Shared(any_alive), path: [].into(), is_unordered: false };
        let (no, yes) = (Constant::U32(0), Constant::U32(1));
        let no = self.define(InstKind::Const(no), ty, location, out);
        let yes = self.define(InstKind::Const(yes), ty, location, out);
        // All store the same, which is only allowed atomically.
        let store = |pass: &mut Self, value| {
            let (op, order, scope) = (AtomicOp::Store, Order::Relaxed, Scope::Workgroup);
            let atomic = Atomic { op, place: place.clone(), operands: [value].into(), order, scope };
            add_effect(pass.function, InstKind::Atomic(Box::new(atomic)), location)
        };
        let barrier = |pass: &mut Self| add_effect(pass.function, InstKind::Barrier(Scope::Workgroup), location);
        // Nobody may still read the answer to the question before.
        out.extend([barrier(self), store(self, no), barrier(self)]);
        let alive = self.alive(location, out);
        let answer = store(self, yes);
        self.run_if(alive, answer, out);
        out.push(barrier(self));
        let found = self.define(InstKind::Load(place.clone()), ty, location, out);
        let nobody = self.define(InstKind::Op(Op::Eq, [found, no].into()), self.bool_type, location, out);
        let end = add_effect(self.function, InstKind::Return(None), location);
        let then_block = self.new_block(vec![end]);
        let end = add_effect(self.function, InstKind::Yield([].into()), location);
        let else_block = self.new_block(vec![end]);
        out.push(add_effect(self.function, InstKind::If { condition: nobody, then_block, else_block }, location));
    }

    fn leave(&mut self, exit: &Exit, location: Option<SourceLocation>, out: &mut Vec<InstId>) {
        let zeros = |pass: &mut Self, types: &[TypeId], out: &mut Vec<InstId>| -> Vec<ValueId> {
            types.iter().map(|ty| pass.define(InstKind::Const(Constant::Zero), *ty, location, out)).collect()
        };
        let kind = match exit {
            Exit::Return => InstKind::Return(None),
            Exit::Yield(types) => InstKind::Yield(zeros(self, types, out).into()),
            Exit::Break(body, types) => InstKind::Break(*body, zeros(self, types, out).into()),
        };
        out.push(add_effect(self.function, kind, location));
    }

    /// `if !dead { the instruction }`, with zero for what it defines.
    fn guard(&mut self, id: InstId, out: &mut Vec<InstId>) {
        if !self.may_be_dead {
            return out.push(id);
        }
        let location = self.function.insts[id].location;
        let alive = self.alive(location, out);
        self.run_if(alive, id, out);
    }

    /// Lets a dead invocation access what there is, without a word about what there is not: it was counted once.
    fn silence(&mut self, id: InstId, out: &mut Vec<InstId>) {
        let location = self.function.insts[id].location;
        let Some(place) = self.function.insts[id].kind.place().cloned() else { return out.push(id) };
        let (bool_type, word_type) = (self.bool_type, self.word_type);
        let mut inside = None;
        for (index, len) in self.checked_steps(&place) {
            let len = self.define(len, word_type, location, out);
            let fits = self.define(InstKind::Op(Op::Lt, [index, len].into()), bool_type, location, out);
            inside = Some(match inside {
                Some(before) => self.define(InstKind::Op(Op::And, [before, fits].into()), bool_type, location, out),
                None => fits,
            });
        }
        let Some(inside) = inside else { return out.push(id) };
        let alive = self.alive(location, out);
        let runs = self.define(InstKind::Op(Op::Or, [alive, inside].into()), bool_type, location, out);
        self.run_if(runs, id, out);
    }

    /// The indices of a place that are checked, with what gives the lengths.
    fn checked_steps(&self, place: &Place) -> Vec<(ValueId, InstKind)> {
        let kernel = self.kernel.as_deref();
        // Elements of a buffer have a type, the buffer has none.
        let mut ty = match place.root {
            Root::Local(local) => Some(self.function.locals[local].ty),
            Root::Shared(shared) => kernel.map(|kernel| kernel.shared[shared].ty),
            Root::Buffer(_) | Root::Member(..) => None,
        };
        let mut steps = Vec::new();
        for step in &place.path {
            ty = match (*step, ty, place.root) {
                (Step::Field(member), Some(of), _) => self.types.member(of, member),
                (Step::Index { value, check }, Some(of), _) => {
                    let len = match self.types.get(of) {
                        Type::Array(_, Size::Param(param)) => InstKind::ConstParam(*param),
                        Type::Array(_, Size::Known(len)) => InstKind::Const(Constant::U32(*len)),
                        Type::Vector(_, len) => InstKind::Const(Constant::U32(u32::from(*len))),
                        _ => InstKind::Const(Constant::U32(0)),
                    };
                    steps.extend(check.map(|_| (value, len)));
                    self.types.member(of, 0)
                }
                (Step::Index { value, check }, None, Root::Buffer(buffer) | Root::Member(buffer, _)) => {
                    let len = match place.root.member() {
                        Some(member) => InstKind::MemberLen(buffer, member),
                        None => InstKind::Len(buffer),
                    };
                    steps.extend(check.map(|_| (value, len)));
                    kernel.map(|kernel| kernel.buffers[buffer].element)
                }
                _ => None,
            };
        }
        steps
    }

    /// Whether the invocation has not panicked.
    fn alive(&mut self, location: Option<SourceLocation>, out: &mut Vec<InstId>) -> ValueId {
        let is_dead = self.define(InstKind::Load(Place::local(self.dead)), self.bool_type, location, out);
        self.define(InstKind::Op(Op::Not, [is_dead].into()), self.bool_type, location, out)
    }

    /// `if condition { the instruction }`, with zero for what it defines.
    fn run_if(&mut self, condition: ValueId, id: InstId, out: &mut Vec<InstId>) {
        let location = self.function.insts[id].location;
        let results = std::mem::take(&mut self.function.insts[id].results);
        let types: Vec<_> = results.iter().map(|result| self.function.values[*result].ty).collect();
        let inner: Vec<_> = results.iter().map(|result| self.function.values[*result].clone()).collect();
        let inner: Vec<_> = inner.into_iter().map(|value| self.function.values.push(value)).collect();
        self.function.insts[id].results = inner[..].into();
        let end = add_effect(self.function, InstKind::Yield(inner.into()), location);
        let then_block = self.new_block(vec![id, end]);
        let mut otherwise = Vec::new();
        self.leave(&Exit::Yield(types), location, &mut otherwise);
        let else_block = self.new_block(otherwise);
        let kind = InstKind::If { condition, then_block, else_block };
        out.push(self.function.insts.push(Inst { kind, results, location }));
    }

    fn new_block(&mut self, insts: Vec<InstId>) -> BlockId {
        self.function.blocks.push(Block { params: Vec::new(), insts })
    }

    fn define(
        &mut self,
        kind: InstKind,
        ty: TypeId,
        location: Option<SourceLocation>,
        out: &mut Vec<InstId>,
    ) -> ValueId {
        let (id, value) = add_inst(self.function, kind, ty, location);
        out.push(id);
        value
    }
}

/// Whether others, or the host, see what it does.
fn has_effect(kind: &InstKind) -> bool {
    match kind {
        InstKind::Store(place, _) => !matches!(place.root, Root::Local(_)),
        // A variable that is only read may decide, with others, which invocations come to a barrier.
        InstKind::Atomic(atomic) => atomic.op.writes(),
        InstKind::Print(..) | InstKind::Trap(..) | InstKind::Image(ImageOp::Store, ..) => true,
        _ => false,
    }
}
