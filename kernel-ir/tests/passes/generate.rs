//! Makes random kernels that verify, end, and divide by nothing but odd or constant numbers. It runs nothing.

use gridwise_ir::arena::{Arena, EntityId};
use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::{
    Block, BlockId, Buffer, BufferId, Builtin, Constant, Function, FunctionId, Inst, InstId, InstKind, Kernel, Local,
    LocalId, Module, ParamId, Place, PushParam, Root, Site, SiteId, SourceLocation, Step, Value, ValueId,
};
use gridwise_ir::op::Op;
use gridwise_ir::types::{Field, Scalar, StructDef, Type, TypeId, Types};

/// A small generator of random numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = self.0;
        (x ^ (x >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20
    }

    /// Below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    pub(crate) fn constant(&mut self, scalar: Scalar) -> Constant {
        match scalar {
            Scalar::Bool => Constant::Bool(self.one_in(2)),
            Scalar::I32 => Constant::I32(self.pick(&[-2, -1, 0, 1, 2, 3, 5, i32::MAX, i32::MIN, 31])),
            Scalar::U32 => Constant::U32(self.pick(&[0, 1, 2, 3, 4, 5, 7, 31, 32, u32::MAX, 0x8000_0000])),
            Scalar::F32 => {
                let floats = [0.0, -0.0, 1.0, 1.5, -3.75, 1e10, f32::INFINITY, f32::NAN, 0.1];
                Constant::F32(self.pick(&floats).to_bits())
            }
        }
    }
}

/// Values of which types a loop carries and gives.
struct LoopShape {
    body: BlockId,
    params: Vec<TypeId>,
    results: Vec<TypeId>,
}

struct Generator<'a> {
    random: &'a mut Random,
    types: Types,
    pool: Vec<TypeId>,
    sites: Arena<SiteId, Site>,
    buffers: Arena<BufferId, Buffer>,
    is_kernel: bool,
    callees: Vec<(FunctionId, Vec<TypeId>, Option<TypeId>)>,
    function: Function,
    result: Option<TypeId>,
    scope: Vec<ValueId>,
    loops: Vec<LoopShape>,
    budget: usize,
}

/// A random kernel.
pub(crate) fn kernel(random: &mut Random) -> Module {
    let mut types = Types::new();
    let [b, i, u, f] = [Scalar::Bool, Scalar::I32, Scalar::U32, Scalar::F32].map(|scalar| types.scalar(scalar));
    let v = types.vector(Scalar::U32, 3);
    let array = types.array(u, 4);
    let tuple = types.intern(Type::Tuple(vec![u, f]));
    let field = |name: &str, ty| Field { name: name.to_owned(), ty };
    let fields = vec![field("a", u), field("b", f), field("c", array)];
    let (_, record) = types.add_struct(StructDef { name: "Record".to_owned(), fields });
    let nested = types.intern(Type::Tuple(vec![tuple, record]));
    let bools = types.vector(Scalar::Bool, 3);
    let floats = types.vector(Scalar::F32, 3);
    let unit = types.unit();
    let pool = vec![b, b, i, u, u, u, f, v, array, tuple, record, nested, bools, floats];
    let mut buffers = Arena::new();
    for (name, element, writable) in [("a", u, false), ("b", u, true), ("c", f, true), ("d", record, true)] {
        let _: BufferId = buffers.push(Buffer { name: name.to_owned(), element, writable });
    }
    let mut params = Arena::new();
    for (name, ty) in [("n", u), ("s", i), ("x", f)] {
        let _: ParamId = params.push(PushParam { name: name.to_owned(), ty });
    }
    let mut module = Module { types, kernel: None, ..Module::default() };
    let mut callees: Vec<(FunctionId, Vec<TypeId>, Option<TypeId>)> = Vec::new();
    let count = random.below(4);
    for number in 0..=count {
        let is_kernel = number == count;
        let signature: Vec<TypeId> =
            if is_kernel { Vec::new() } else { (0..random.below(3)).map(|_| random.pick(&pool)).collect() };
        let result = (!is_kernel && !random.one_in(4)).then(|| random.pick(&pool));
        let budget = if is_kernel { 90 } else { 25 };
        let mut generator = Generator {
            random,
            types: std::mem::take(&mut module.types),
            pool: pool.clone(),
            sites: std::mem::take(&mut module.sites),
            buffers: buffers.clone(),
            is_kernel,
            callees: callees.clone(),
            function: empty_function(format!("f{number}"), result.unwrap_or(unit)),
            result,
            scope: Vec::new(),
            loops: Vec::new(),
            budget,
        };
        generator.body(&signature);
        module.types = generator.types;
        module.sites = generator.sites;
        let id = module.functions.push(generator.function);
        callees.push((id, signature, result));
    }
    let _ = module.files.push("random.rs".to_owned());
    let function = callees.last().expect("at least the kernel").0;
    module.kernel = Some(Kernel { function, workgroup: [4, 2, 1], buffers, params });
    module
}

fn empty_function(name: String, result: TypeId) -> Function {
    let mut blocks = Arena::new();
    let entry = blocks.push(Block::default());
    Function {
        name,
        result,
        entry,
        locals: Arena::new(),
        values: Arena::new(),
        blocks,
        insts: Arena::new(),
        location: None,
    }
}

impl Generator<'_> {
    fn body(&mut self, signature: &[TypeId]) {
        let entry = self.function.entry;
        for ty in signature {
            let param = self.value(*ty);
            self.function.blocks[entry].params.push(param);
            self.scope.push(param);
        }
        for index in 0..3 + self.random.below(5) {
            let ty = self.random.pick(&self.pool.clone());
            let _ = self.function.locals.push(Local { name: format!("l{index}"), ty });
        }
        let mut insts = Vec::new();
        if self.statements(&mut insts, 0) {
            self.observe(&mut insts);
            let value = self.result.map(|ty| self.get(ty, &mut insts));
            self.push(&mut insts, InstKind::Return(value), &[]);
        }
        self.function.blocks[entry].insts = insts;
    }

    /// Stores what the locals hold where the test looks.
    fn observe(&mut self, out: &mut Vec<InstId>) {
        if !self.is_kernel {
            return;
        }
        let u = self.types.scalar(Scalar::U32);
        for local in self.function.locals.ids().collect::<Vec<_>>() {
            let Some(place) = self.descend(Place::local(local), self.function.locals[local].ty, Some(u), out) else {
                continue;
            };
            let loaded = self.define(out, InstKind::Load(place), u);
            let index = Constant::U32(local.index() as u32);
            let index = self.define(out, InstKind::Const(index), u);
            let site = self.site(SiteKind::IndexOutOfBounds);
            let place = Place::element(BufferId::new(1), index, Some(site));
            self.push(out, InstKind::Store(place, loaded), &[]);
        }
    }

    fn value(&mut self, ty: TypeId) -> ValueId {
        self.function.values.push(Value { ty, name: None })
    }

    fn push(&mut self, out: &mut Vec<InstId>, kind: InstKind, results: &[TypeId]) -> Vec<ValueId> {
        let results: Vec<ValueId> = results.iter().map(|ty| self.value(*ty)).collect();
        out.push(self.function.insts.push(Inst { kind, results: results.clone(), location: None }));
        self.scope.extend(&results);
        results
    }

    fn define(&mut self, out: &mut Vec<InstId>, kind: InstKind, ty: TypeId) -> ValueId {
        self.push(out, kind, &[ty])[0]
    }

    fn site(&mut self, kind: SiteKind) -> SiteId {
        let location = SourceLocation { file: EntityId::new(0), line: 1, column: 1 };
        let text = format!("site {}", self.sites.len());
        self.sites.push(Site { kind, location, text })
    }

    /// A value of the type: one in scope, or a new constant.
    fn get(&mut self, ty: TypeId, out: &mut Vec<InstId>) -> ValueId {
        let known: Vec<ValueId> =
            self.scope.iter().copied().filter(|value| self.function.values[*value].ty == ty).collect();
        if !known.is_empty() && !self.random.one_in(4) {
            // Later values are more interesting.
            let at = self.random.below(known.len()).max(self.random.below(known.len()));
            return known[at];
        }
        match *self.types.get(ty) {
            Type::Scalar(scalar) => {
                let constant = self.random.constant(scalar);
                self.define(out, InstKind::Const(constant), ty)
            }
            _ => self.define(out, InstKind::Const(Constant::Zero), ty),
        }
    }

    fn get_all(&mut self, types: &[TypeId], out: &mut Vec<InstId>) -> Vec<ValueId> {
        types.iter().map(|ty| self.get(*ty, out)).collect()
    }

    fn some_types(&mut self) -> Vec<TypeId> {
        (0..self.random.below(3)).map(|_| self.random.pick(&self.pool.clone())).collect()
    }

    /// Adds statements; false when control does not come out and the block is ended.
    fn statements(&mut self, out: &mut Vec<InstId>, depth: usize) -> bool {
        for _ in 0..2 + self.random.below(8) {
            if self.budget == 0 {
                return true;
            }
            self.budget -= 1;
            match self.random.below(if depth < 4 { 14 } else { 9 }) {
                0 | 1 => self.operation(out),
                2 => self.aggregate(out),
                3 => self.memory(out, true),
                4..=6 => self.memory(out, false),
                7 => self.call(out),
                8 => self.source(out),
                9 | 10 => {
                    if !self.branch(out, depth) {
                        return false;
                    }
                }
                11 => self.guarded(out, depth),
                12 => {
                    if !self.switch(out, depth) {
                        return false;
                    }
                }
                _ => {
                    if !self.counted_loop(out, depth) {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn operation(&mut self, out: &mut Vec<InstId>) {
        let op = self.random.pick(Op::ALL);
        let shape = self.random.below(5) == 0;
        let lanes = |types: &mut Types, scalar| if shape { types.vector(scalar, 3) } else { types.scalar(scalar) };
        use gridwise_ir::op::TypeRule as Rule;
        let numeric = self.random.pick(&[Scalar::I32, Scalar::U32, Scalar::U32, Scalar::F32]);
        let any = self.random.pick(&[Scalar::I32, Scalar::U32, Scalar::F32, Scalar::Bool]);
        let int = self.random.pick(&[Scalar::I32, Scalar::U32]);
        let bits = self.random.pick(&[Scalar::I32, Scalar::U32, Scalar::Bool, Scalar::Bool]);
        let (operand, result) = match op.rule() {
            Rule::Numeric => (numeric, numeric),
            Rule::Signed => (Scalar::I32, Scalar::I32),
            Rule::Float => (Scalar::F32, Scalar::F32),
            Rule::Int => (int, int),
            Rule::Bits => (bits, bits),
            Rule::Shift => (int, int),
            Rule::Equality => (any, Scalar::Bool),
            Rule::Order => (numeric, Scalar::Bool),
            Rule::FloatTest => (Scalar::F32, Scalar::Bool),
            Rule::IntCount => (int, Scalar::U32),
            Rule::Cast => (any, self.random.pick(&[Scalar::I32, Scalar::U32, Scalar::F32, Scalar::Bool])),
            Rule::Bitcast if int == Scalar::I32 => (Scalar::I32, Scalar::U32),
            Rule::Bitcast => (Scalar::F32, Scalar::I32),
            Rule::Reduce => {
                let ty = self.types.vector(Scalar::Bool, 3);
                let operand = self.get(ty, out);
                let result = self.types.scalar(Scalar::Bool);
                self.define(out, InstKind::Op(op, vec![operand]), result);
                return;
            }
            Rule::Select => {
                let ty = self.random.pick(&self.pool.clone());
                let condition = self.types.scalar(Scalar::Bool);
                let operands = self.get_all(&[condition, ty, ty], out);
                self.define(out, InstKind::Op(op, operands), ty);
                return;
            }
        };
        let (operand, result_ty) = (lanes(&mut self.types, operand), lanes(&mut self.types, result));
        let mut operands = self.get_all(&vec![operand; op.arity()], out);
        if op.rule() == Rule::Shift {
            let amount = lanes(&mut self.types, Scalar::U32);
            operands[1] = self.get(amount, out);
        }
        if matches!(op, Op::Div | Op::Rem) && result != Scalar::F32 {
            // Odd and, for i32, not -1.
            operands[1] = match (result, shape) {
                (Scalar::U32, false) => {
                    let one = self.define(out, InstKind::Const(Constant::U32(1)), operand);
                    self.define(out, InstKind::Op(Op::Or, vec![operands[1], one]), operand)
                }
                (_, false) => {
                    let value = self.random.pick(&[1, 2, 3, 8, -3]);
                    self.define(out, InstKind::Const(Constant::I32(value)), operand)
                }
                _ => return,
            };
        }
        self.define(out, InstKind::Op(op, operands), result_ty);
    }

    fn members(&self, ty: TypeId) -> Vec<TypeId> {
        (0..).map_while(|index| self.types.member(ty, index)).collect()
    }

    fn aggregate(&mut self, out: &mut Vec<InstId>) {
        let ty = self.random.pick(&self.pool.clone());
        let members = self.members(ty);
        if members.is_empty() {
            return;
        }
        if self.random.one_in(2) {
            let values = self.get_all(&members, out);
            self.define(out, InstKind::Compose(values), ty);
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
            self.define(out, InstKind::Extract(composite, path), inner);
        } else {
            let member = self.get(inner, out);
            self.define(out, InstKind::Insert(composite, member, path), ty);
        }
    }

    /// Steps at random to a member; to one of the wanted type, if one is wanted.
    fn descend(
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

    fn index(&mut self, out: &mut Vec<InstId>) -> Step {
        let u = self.types.scalar(Scalar::U32);
        let value = self.get(u, out);
        Step::Index { value, check: Some(self.site(SiteKind::IndexOutOfBounds)) }
    }

    fn place_type(&self, place: &Place) -> TypeId {
        let (mut ty, steps) = match place.root {
            Root::Local(local) => (self.function.locals[local].ty, &place.path[..]),
            Root::Buffer(buffer) => (self.buffers[buffer].element, &place.path[1..]),
        };
        for step in steps {
            let index = if let Step::Field(index) = step { *index } else { 0 };
            ty = self.types.member(ty, index).expect("places lead to a cell");
        }
        ty
    }

    fn memory(&mut self, out: &mut Vec<InstId>, buffer: bool) {
        let is_load = self.random.one_in(2);
        let (root, ty) = if buffer && self.is_kernel {
            let id = BufferId::new(self.random.below(self.buffers.len()));
            if !is_load && !self.buffers[id].writable {
                return;
            }
            let step = self.index(out);
            (Place { root: Root::Buffer(id), path: vec![step] }, self.buffers[id].element)
        } else {
            let local = LocalId::new(self.random.below(self.function.locals.len()));
            (Place::local(local), self.function.locals[local].ty)
        };
        let place = self.descend(root, ty, None, out).expect("any member will do");
        self.access(place, is_load, out);
    }

    fn access(&mut self, place: Place, is_load: bool, out: &mut Vec<InstId>) {
        let ty = self.place_type(&place);
        if is_load {
            self.define(out, InstKind::Load(place), ty);
        } else {
            let value = self.get(ty, out);
            self.push(out, InstKind::Store(place, value), &[]);
        }
    }

    fn call(&mut self, out: &mut Vec<InstId>) {
        if self.callees.is_empty() {
            return;
        }
        let at = self.random.below(self.callees.len());
        let (callee, signature, result) = self.callees[at].clone();
        let arguments = self.get_all(&signature, out);
        let results: Vec<TypeId> = result.into_iter().collect();
        self.push(out, InstKind::Call(callee, arguments), &results);
    }

    fn source(&mut self, out: &mut Vec<InstId>) {
        let u = self.types.scalar(Scalar::U32);
        if self.random.one_in(6) {
            let operands = self.get_all(&[u, u], out);
            let site = self.site(SiteKind::DivideByZero);
            self.push(out, InstKind::Trap(site, [operands[0], operands[1]]), &[]);
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
                let builtin = self.random.pick(&Builtin::ALL);
                let ty = self.types.vector(Scalar::U32, 3);
                let ids = self.define(out, InstKind::Builtin(builtin), ty);
                let axis = self.random.below(3) as u32;
                self.define(out, InstKind::Extract(ids, vec![axis]), u);
            }
            _ => {
                let buffer = BufferId::new(self.random.below(self.buffers.len()));
                self.define(out, InstKind::Len(buffer), u);
            }
        }
    }

    /// An access whose index was compared with the length before.
    fn guarded(&mut self, out: &mut Vec<InstId>, depth: usize) {
        if !self.is_kernel {
            return;
        }
        let [u, b] = [Scalar::U32, Scalar::Bool].map(|scalar| self.types.scalar(scalar));
        let buffer = BufferId::new(1 + self.random.below(2));
        let len = self.define(out, InstKind::Len(buffer), u);
        let index = self.get(u, out);
        let op = self.random.pick(&[Op::Lt, Op::Lt, Op::Le, Op::Ge, Op::Gt, Op::Ne]);
        let operands = if self.random.one_in(3) { vec![len, index] } else { vec![index, len] };
        let mut condition = self.define(out, InstKind::Op(op, operands), b);
        if self.random.one_in(3) {
            let other = self.get(b, out);
            let op = self.random.pick(&[Op::And, Op::Or]);
            condition = self.define(out, InstKind::Op(op, vec![condition, other]), b);
        }
        let blocks = [0, 1].map(|_| {
            self.nested(depth, &[], |this, out| {
                let index = if this.random.one_in(3) { this.get(u, out) } else { index };
                let place = Place::element(buffer, index, Some(this.site(SiteKind::IndexOutOfBounds)));
                let is_load = this.random.one_in(3);
                this.access(place, is_load, out);
            })
        });
        let kind = InstKind::If { condition, then_block: blocks[0], else_block: blocks[1] };
        let comes_out = blocks.iter().any(|block| self.yields(*block));
        self.push(out, kind, &[]);
        if !comes_out {
            unreachable!("guarded blocks yield");
        }
    }

    fn yields(&self, block: BlockId) -> bool {
        let last = self.function.blocks[block].insts.last().expect("blocks are ended");
        matches!(self.function.insts[*last].kind, InstKind::Yield(_))
    }

    /// A block that starts with `start` and yields.
    fn nested(&mut self, depth: usize, results: &[TypeId], start: impl FnOnce(&mut Self, &mut Vec<InstId>)) -> BlockId {
        let _ = depth;
        let scope = self.scope.len();
        let mut out = Vec::new();
        start(self, &mut out);
        let values = self.get_all(results, &mut out);
        self.push(&mut out, InstKind::Yield(values), &[]);
        self.scope.truncate(scope);
        self.function.blocks.push(Block { params: Vec::new(), insts: out })
    }

    /// A block of random statements that yields or leaves.
    fn arm(&mut self, depth: usize, results: &[TypeId]) -> BlockId {
        let scope = self.scope.len();
        let mut out = Vec::new();
        if self.statements(&mut out, depth + 1) {
            match self.random.below(8) {
                0 | 1 if !self.loops.is_empty() => self.jump(&mut out),
                2 => {
                    let value = self.result.map(|ty| self.get(ty, &mut out));
                    self.push(&mut out, InstKind::Return(value), &[]);
                }
                _ => {
                    let values = self.get_all(results, &mut out);
                    self.push(&mut out, InstKind::Yield(values), &[]);
                }
            }
        }
        self.scope.truncate(scope);
        self.function.blocks.push(Block { params: Vec::new(), insts: out })
    }

    /// A break or continue of any loop around.
    fn jump(&mut self, out: &mut Vec<InstId>) {
        let at = self.random.below(self.loops.len());
        let (body, params, results) =
            (self.loops[at].body, self.loops[at].params.clone(), self.loops[at].results.clone());
        if self.random.one_in(2) {
            let values = self.get_all(&results, out);
            self.push(out, InstKind::Break(body, values), &[]);
        } else {
            let values = self.next_round(&params, out);
            self.push(out, InstKind::Continue(body, values), &[]);
        }
    }

    fn next_round(&mut self, params: &[TypeId], out: &mut Vec<InstId>) -> Vec<ValueId> {
        self.get_all(params, out)
    }

    fn condition(&mut self, out: &mut Vec<InstId>) -> ValueId {
        let [u, b] = [Scalar::U32, Scalar::Bool].map(|scalar| self.types.scalar(scalar));
        if self.random.one_in(2) {
            return self.get(b, out);
        }
        let op = self.random.pick(&[Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne]);
        let operands = self.get_all(&[u, u], out);
        self.define(out, InstKind::Op(op, operands), b)
    }

    fn branch(&mut self, out: &mut Vec<InstId>, depth: usize) -> bool {
        let condition = self.condition(out);
        let mut results = self.some_types();
        let [then_block, else_block] = [0, 1].map(|_| self.arm(depth, &results));
        let comes_out = self.yields(then_block) || self.yields(else_block);
        if !comes_out {
            results.clear();
        }
        self.push(out, InstKind::If { condition, then_block, else_block }, &results);
        comes_out || self.end(out)
    }

    fn switch(&mut self, out: &mut Vec<InstId>, depth: usize) -> bool {
        let u = self.types.scalar(Scalar::U32);
        let selector = self.get(u, out);
        let mut results = self.some_types();
        let blocks = [0, 1, 2].map(|_| self.arm(depth, &results));
        let comes_out = blocks.iter().any(|block| self.yields(*block));
        if !comes_out {
            results.clear();
        }
        let cases = vec![(self.random.below(3) as u32, blocks[0]), (3 + self.random.below(3) as u32, blocks[1])];
        self.push(out, InstKind::Switch { selector, cases, default: blocks[2] }, &results);
        comes_out || self.end(out)
    }

    fn end(&mut self, out: &mut Vec<InstId>) -> bool {
        self.push(out, InstKind::Unreachable, &[]);
        false
    }

    /// A loop that ends because of a local counter nobody else writes; half of them also count in a parameter.
    fn counted_loop(&mut self, out: &mut Vec<InstId>, depth: usize) -> bool {
        let [u, b] = [Scalar::U32, Scalar::Bool].map(|scalar| self.types.scalar(scalar));
        let counter = self.function.locals.push(Local { name: "counter".to_owned(), ty: u });
        let mut params = self.some_types();
        let counts = self.random.one_in(2);
        if counts {
            params.insert(0, u);
        }
        let results = self.some_types();
        let limit = self.limit(out);
        let mut initial = self.get_all(&params, out);
        if counts && self.random.one_in(2) {
            initial[0] =
                if self.random.one_in(3) { limit } else { self.define(out, InstKind::Const(Constant::U32(0)), u) };
        }
        let body = self.function.blocks.push(Block::default());
        let scope = self.scope.len();
        let values: Vec<ValueId> = params.iter().map(|ty| self.value(*ty)).collect();
        self.function.blocks[body].params.clone_from(&values);
        self.scope.extend(&values);
        self.loops.push(LoopShape { body, params: params.clone(), results: results.clone() });
        let mut insts = Vec::new();
        self.count_down(counter, body, &results, &mut insts);
        if counts {
            let at = if self.random.one_in(4) { self.get(u, &mut insts) } else { limit };
            let op = self.random.pick(&[Op::Lt, Op::Lt, Op::Le, Op::Ne]);
            let condition = self.define(&mut insts, InstKind::Op(op, vec![values[0], at]), b);
            self.leave_unless(condition, body, &results, &mut insts);
            self.counted_accesses(values[0], &mut insts);
        }
        if self.statements(&mut insts, depth + 1) {
            if self.random.one_in(4) {
                let values = self.get_all(&results, &mut insts);
                self.push(&mut insts, InstKind::Break(body, values), &[]);
            } else {
                let mut next = self.get_all(&params, &mut insts);
                if counts {
                    let step = self.define(&mut insts, InstKind::Const(Constant::U32(1)), u);
                    if self.random.one_in(3) {
                        // As `for i in a..=b` ends a round.
                        let goes_on = self.define(&mut insts, InstKind::Op(Op::Ne, vec![values[0], limit]), b);
                        self.leave_unless(goes_on, body, &results, &mut insts);
                    }
                    let op = self.random.pick(&[Op::Add, Op::Add, Op::Sub, Op::Shr, Op::Mul]);
                    next[0] = self.define(&mut insts, InstKind::Op(op, vec![values[0], step]), u);
                }
                self.push(&mut insts, InstKind::Continue(body, next), &[]);
            }
        }
        self.loops.pop();
        self.scope.truncate(scope);
        self.function.blocks[body].insts = insts;
        // The counter breaks every loop, so control comes out.
        self.push(out, InstKind::Loop { initial, body }, &results);
        true
    }

    /// What a counter is compared with.
    fn limit(&mut self, out: &mut Vec<InstId>) -> ValueId {
        let u = self.types.scalar(Scalar::U32);
        match self.random.below(3) {
            0 if self.is_kernel => self.define(out, InstKind::Len(BufferId::new(1)), u),
            1 => {
                let limit = Constant::U32(2 + self.random.below(4) as u32);
                self.define(out, InstKind::Const(limit), u)
            }
            _ => self.get(u, out),
        }
    }

    /// Accesses with the counter, or one beside it, as index.
    fn counted_accesses(&mut self, counter: ValueId, out: &mut Vec<InstId>) {
        let u = self.types.scalar(Scalar::U32);
        for _ in 0..self.random.below(3) {
            let mut value = counter;
            if self.random.one_in(3) {
                let one = self.define(out, InstKind::Const(Constant::U32(1)), u);
                let op = self.random.pick(&[Op::Add, Op::Sub]);
                value = self.define(out, InstKind::Op(op, vec![counter, one]), u);
            }
            let check = Some(self.site(SiteKind::IndexOutOfBounds));
            let array = self.types.array(u, 4);
            let local = self.function.locals.iter().find(|(_, local)| local.ty == array).map(|(id, _)| id);
            let root = match local {
                Some(local) if self.random.one_in(2) => Root::Local(local),
                _ if self.is_kernel => Root::Buffer(BufferId::new(1)),
                _ => continue,
            };
            let is_load = self.random.one_in(2);
            self.access(Place { root, path: vec![Step::Index { value, check }] }, is_load, out);
        }
    }

    fn count_down(&mut self, counter: LocalId, body: BlockId, results: &[TypeId], insts: &mut Vec<InstId>) {
        let [u, b] = [Scalar::U32, Scalar::Bool].map(|scalar| self.types.scalar(scalar));
        let old = self.define(insts, InstKind::Load(Place::local(counter)), u);
        let one = self.define(insts, InstKind::Const(Constant::U32(1)), u);
        let new = self.define(insts, InstKind::Op(Op::Add, vec![old, one]), u);
        self.push(insts, InstKind::Store(Place::local(counter), new), &[]);
        let limit = Constant::U32(1 + self.random.below(6) as u32);
        let limit = self.define(insts, InstKind::Const(limit), u);
        let goes_on = self.define(insts, InstKind::Op(Op::Lt, vec![old, limit]), b);
        self.leave_unless(goes_on, body, results, insts);
    }

    fn leave_unless(&mut self, goes_on: ValueId, body: BlockId, results: &[TypeId], insts: &mut Vec<InstId>) {
        let then_block = self.nested(0, &[], |_, _| {});
        let scope = self.scope.len();
        let mut out = Vec::new();
        let values = self.get_all(results, &mut out);
        self.push(&mut out, InstKind::Break(body, values), &[]);
        self.scope.truncate(scope);
        let else_block = self.function.blocks.push(Block { params: Vec::new(), insts: out });
        self.push(insts, InstKind::If { condition: goes_on, then_block, else_block }, &[]);
    }
}
