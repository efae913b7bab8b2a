//! Makes random kernels that verify, end, and divide by nothing but odd or constant numbers. It runs nothing.

mod control;
mod loops;
mod straight;

use gridwise_ir::arena::{Arena, EntityId};
use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::{
    Block, BlockId, Buffer, BufferId, Constant, Function, FunctionId, Inst, InstId, InstKind, Kernel, Local, Module,
    ParamId, Place, PushParam, Shared, SharedId, Site, SiteId, SourceLocation, Value, ValueId,
};
use gridwise_ir::op::Op;
use gridwise_ir::passes::eval::{evaluate, from_bits};
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

    pub(crate) fn one_in(&mut self, bound: usize) -> bool {
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
            _ if scalar.is_float() => {
                let floats = [0.0, -0.0, 1.0, 1.5, -3.75, 1e10, f64::INFINITY, f64::NAN, 0.1];
                let wide = Constant::Bits(Scalar::F64, self.pick(&floats).to_bits());
                evaluate(Op::Cast, &[wide], scalar).expect("floats convert to floats")
            }
            _ => {
                let ints = [-2i64, -1, 0, 1, 2, 3, 5, i64::MAX, i64::MIN, 31, 64, 127, 128, -129, 0x8000, 0x8000_0000];
                from_bits(self.pick(&ints).cast_unsigned(), scalar)
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
    shared: Arena<SharedId, Shared>,
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
    let (_, record) = types.add_struct(StructDef { name: "Record".to_owned(), fields, align: 1 });
    let nested = types.intern(Type::Tuple(vec![tuple, record]));
    let bools = types.vector(Scalar::Bool, 3);
    let floats = types.vector(Scalar::F32, 3);
    let narrow = random.pick(&[Scalar::I8, Scalar::U8, Scalar::I16, Scalar::U16]);
    let narrow = types.scalar(narrow);
    let pair = types.intern(Type::Tuple(vec![narrow, u]));
    let unit = types.unit();
    let pool = vec![b, b, i, u, u, u, f, v, array, tuple, record, nested, bools, floats, narrow, narrow, pair];
    let mut buffers = Arena::new();
    for (name, element, writable) in [("a", u, false), ("b", u, true), ("c", f, true), ("d", record, true)] {
        let (name, is_texels) = (name.to_owned(), name == "a" && random.0 & 1 == 1);
        let _: BufferId = buffers.push(Buffer {
            name,
            element,
            writable,
            is_list: false,
            image: None,
            is_texels,
            checked: None,
            is_claims: false,
        });
    }
    for (name, element, writable) in [("e", u, false), ("f", f, true)] {
        let name = name.to_owned();
        buffers.push(Buffer { writable, is_list: true, ..Buffer::new(name, element) });
    }
    let mut shared = Arena::new();
    for (name, ty) in [("total", u), ("cells", array), ("row", record)] {
        let _: SharedId = shared.push(Shared { name: name.to_owned(), ty });
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
            shared: shared.clone(),
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
    module.kernel = Some(Kernel { buffers, params, shared, ..Kernel::new(function, [4, 2, 1]) });
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
            let _ = self.function.locals.push(Local { name: format!("l{index}").into(), ty });
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
            let ty = self.function.locals[local].ty;
            let is_narrow =
                matches!(*self.types.get(ty), Type::Scalar(scalar) if scalar.is_int() && scalar.bits() < 32);
            let wanted = if is_narrow { ty } else { u };
            let Some(place) = self.descend(Place::local(local), ty, Some(wanted), out) else {
                continue;
            };
            let mut loaded = self.define(out, InstKind::Load(place), wanted);
            if is_narrow {
                loaded = self.define(out, InstKind::Op(Op::Cast, [loaded].into()), u);
            }
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
        out.push(self.function.insts.push(Inst { kind, results: results.clone().into(), location: None }));
        self.scope.extend(&results);
        results
    }

    fn define(&mut self, out: &mut Vec<InstId>, kind: InstKind, ty: TypeId) -> ValueId {
        self.push(out, kind, &[ty])[0]
    }

    fn site(&mut self, kind: SiteKind) -> SiteId {
        let location = SourceLocation { file: EntityId::new(0), line: 1, column: 1 };
        let text = format!("site {}", self.sites.len());
        self.sites.push(Site { kind, location, text, format: None, is_quiet: false, at_launch: None })
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
                11 if self.random.one_in(2) => self.loads_around_a_write(out),
                11 => self.guarded(out),
                12 => {
                    if !self.switch(out, depth) {
                        return false;
                    }
                }
                _ if self.random.one_in(3) => {
                    if !self.known_loop(out, depth) {
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
}
