//! Straight-line part of the function builder: values, memory, calls. Control flow is in `control`.

use crate::descriptor::SiteKind;
use crate::few::Few;
use crate::ir::{
    BlockId, BufferId, Builtin, Constant, FileId, Function, FunctionId, Inst, InstKind, Local, LocalId, Module, Name,
    ParamId, Place, Site, SiteId, SourceLocation, Value, ValueId,
};
use crate::op::Op;
use crate::passes::eval;
use crate::types::{ConstParamId, Scalar, Type, TypeId, Types};
use crate::typing;

/// Builds one function, block by block; see the [module](super) about code after a terminator.
#[derive(Debug)]
pub struct FunctionBuilder<'m> {
    pub(super) module: &'m mut Module,
    pub(super) function: Function,
    pub(super) current: BlockId,
    pub(super) location: Option<SourceLocation>,
    is_kernel: bool,
}

/// Instructions and values that a kernel has room for from the start, those of unrolled loops among them: growing copies all that there is. Not more
/// than 32 KiB, of which allocators keep blocks at hand.
const INSTS: usize = 360;
const VALUES: usize = 288;

impl<'m> FunctionBuilder<'m> {
    pub(crate) fn new(module: &'m mut Module, mut function: Function, is_kernel: bool) -> Self {
        if is_kernel {
            function.insts.reserve(INSTS);
            function.values.reserve(VALUES);
        }
        let current = function.entry;
        Self { module, function, current, location: None, is_kernel }
    }

    /// Adds the function to the module. An open entry block of a function that returns unit gets its `return`.
    ///
    /// # Panics
    /// When the entry block is open though the function returns a value.
    #[track_caller]
    pub fn finish(mut self) -> FunctionId {
        self.current = self.function.entry;
        if !self.is_terminated() {
            let is_unit = *self.types().get(self.function.result) == Type::Unit;
            assert!(is_unit, "function `{}` ends without returning a value", self.function.name);
            self.location = None;
            self.return_(None);
        }
        let id = self.module.functions.push(self.function);
        if self.is_kernel {
            self.module.kernel.as_mut().expect("checked when the builder was made").function = id;
        }
        id
    }

    /// The types known so far.
    pub fn types(&self) -> &Types {
        &self.module.types
    }

    /// The types, to add some.
    pub fn types_mut(&mut self) -> &mut Types {
        &mut self.module.types
    }

    /// The module as it is now, without this function.
    pub fn module(&self) -> &Module {
        self.module
    }

    /// The function as it is now.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The id of a source file, the same for equal paths.
    pub fn file(&mut self, path: &str) -> FileId {
        super::add_file(self.module, path)
    }

    /// Adds a trap site.
    pub fn site(&mut self, kind: SiteKind, location: SourceLocation, text: impl Into<String>) -> SiteId {
        self.module.sites.push(Site::new(kind, location, text, None))
    }

    /// Adds a site like another one at which nothing is recorded, because the other one comes first.
    pub fn quiet_site(&mut self, site: SiteId) -> SiteId {
        let quiet = Site { is_quiet: true, ..self.module.sites[site].clone() };
        self.module.sites.push(quiet)
    }

    /// Adds the site of a panic or print, with the number of its format.
    pub fn message_site(
        &mut self,
        kind: SiteKind,
        location: SourceLocation,
        text: impl Into<String>,
        format: u32,
    ) -> SiteId {
        self.module.sites.push(Site::new(kind, location, text, Some(format)))
    }

    /// Says where the function itself was written.
    pub fn set_function_location(&mut self, location: Option<SourceLocation>) {
        self.function.location = location;
    }

    /// Says where the instructions that follow come from; gives back what was set before.
    pub fn set_location(&mut self, location: Option<SourceLocation>) -> Option<SourceLocation> {
        std::mem::replace(&mut self.location, location)
    }

    /// The function's parameters.
    pub fn arguments(&self) -> &[ValueId] {
        &self.function.blocks[self.function.entry].params
    }

    /// The type of a value.
    #[track_caller]
    pub fn value_type(&self, value: ValueId) -> TypeId {
        self.function.values[value].ty
    }

    /// Names a value after the user's variable, unless it has a name already.
    #[track_caller]
    pub fn set_name(&mut self, value: ValueId, name: &str) {
        self.function.values[value].name.get_or_insert_with(|| name.into());
    }

    /// Adds a local variable.
    pub fn new_local(&mut self, name: impl Into<Name>, ty: TypeId) -> LocalId {
        self.function.locals.push(Local { name: name.into(), ty })
    }

    /// The type of the memory cell that `place` names.
    ///
    /// # Panics
    /// When it names none.
    #[track_caller]
    pub fn place_type(&self, place: &Place) -> TypeId {
        or_panic(typing::place_type(self.module, &self.function, place))
    }

    /// A `u32` literal.
    pub fn const_u32(&mut self, value: u32) -> ValueId {
        self.constant(Constant::U32(value), Scalar::U32)
    }

    /// An `i32` literal.
    pub fn const_i32(&mut self, value: i32) -> ValueId {
        self.constant(Constant::I32(value), Scalar::I32)
    }

    /// An `f32` literal.
    pub fn const_f32(&mut self, value: f32) -> ValueId {
        self.constant(Constant::F32(value.to_bits()), Scalar::F32)
    }

    /// A `bool` literal.
    pub fn const_bool(&mut self, value: bool) -> ValueId {
        self.constant(Constant::Bool(value), Scalar::Bool)
    }

    /// A literal of any scalar type by its bits; for `bool` any but zero is true.
    pub fn const_bits(&mut self, scalar: Scalar, bits: u64) -> ValueId {
        self.constant(eval::from_bits(bits, scalar), scalar)
    }

    fn constant(&mut self, constant: Constant, scalar: Scalar) -> ValueId {
        let ty = self.types_mut().scalar(scalar);
        self.define(InstKind::Const(constant), ty)
    }

    /// All bits zero, of any type but unit.
    pub fn zero(&mut self, ty: TypeId) -> ValueId {
        self.define(InstKind::Const(Constant::Zero), ty)
    }

    /// A pure operation.
    ///
    /// # Panics
    /// When the operands break the op's type rule, and for `Cast` and `Bitcast`, which have methods of their own.
    #[track_caller]
    pub fn op(&mut self, op: Op, operands: &[ValueId]) -> ValueId {
        self.checked_op(op, operands, None)
    }

    /// Rust's `as`, lane by lane.
    ///
    /// # Panics
    /// When the types differ in shape or are not made of scalars.
    #[track_caller]
    pub fn cast(&mut self, value: ValueId, to: TypeId) -> ValueId {
        self.checked_op(Op::Cast, &[value], Some(to))
    }

    /// The same bits as another type, lane by lane.
    ///
    /// # Panics
    /// When the types differ in shape or are not made of 32-bit scalars.
    #[track_caller]
    pub fn bitcast(&mut self, value: ValueId, to: TypeId) -> ValueId {
        self.checked_op(Op::Bitcast, &[value], Some(to))
    }

    #[track_caller]
    fn checked_op(&mut self, op: Op, operands: &[ValueId], wanted: Option<TypeId>) -> ValueId {
        let operand_types: Few<_> = operands.iter().map(|value| self.value_type(*value)).collect();
        let ty = or_panic(typing::op_result(self.types(), op, &operand_types, wanted));
        let ty = self.types_mut().intern(ty);
        self.define(InstKind::Op(op, operands.into()), ty)
    }

    /// Builds a vector, array, tuple or struct from all its members.
    ///
    /// # Panics
    /// When `ty` has other members than these.
    #[track_caller]
    pub fn compose(&mut self, ty: TypeId, members: &[ValueId]) -> ValueId {
        let member_types: Vec<_> = members.iter().map(|value| self.value_type(*value)).collect();
        or_panic(typing::check_members(self.types(), ty, &member_types));
        self.define(InstKind::Compose(members.into()), ty)
    }

    /// The member of `composite` that constant `steps` lead to.
    ///
    /// # Panics
    /// When they lead nowhere.
    #[track_caller]
    pub fn extract(&mut self, composite: ValueId, steps: &[u32]) -> ValueId {
        let ty = or_panic(typing::member_type(self.types(), self.value_type(composite), steps));
        self.define(InstKind::Extract(composite, steps.into()), ty)
    }

    /// `composite` with the member that constant `steps` lead to replaced by `member`.
    ///
    /// # Panics
    /// When they lead nowhere, or to a member of another type.
    #[track_caller]
    pub fn insert(&mut self, composite: ValueId, member: ValueId, steps: &[u32]) -> ValueId {
        let ty = self.value_type(composite);
        let expected = or_panic(typing::member_type(self.types(), ty, steps));
        assert_eq!(self.value_type(member), expected, "`insert` of a member of another type");
        self.define(InstKind::Insert(composite, member, steps.into()), ty)
    }

    /// A by-value parameter of the kernel.
    ///
    /// # Panics
    /// When the kernel has no such parameter.
    #[track_caller]
    pub fn param(&mut self, param: ParamId) -> ValueId {
        let ty = self.module.kernel.as_ref().expect("only kernels have parameters").params[param].ty;
        self.define(InstKind::Param(param), ty)
    }

    /// A const parameter of the kernel.
    ///
    /// # Panics
    /// When the kernel has no such parameter.
    #[track_caller]
    pub fn const_param(&mut self, param: ConstParamId) -> ValueId {
        let kernel = self.module.kernel.as_ref().expect("the kernel's interface comes first");
        let scalar = kernel.constants[param].scalar;
        let ty = self.types_mut().scalar(scalar);
        self.define(InstKind::ConstParam(param), ty)
    }

    /// An id or size of the running invocation, a vector of three `u32` or a `u32`.
    pub fn builtin(&mut self, builtin: Builtin) -> ValueId {
        let types = self.types_mut();
        let ty = if builtin.is_scalar() { types.scalar(Scalar::U32) } else { types.vector(Scalar::U32, 3) };
        self.define(InstKind::Builtin(builtin), ty)
    }

    /// Number of elements of a buffer, a `u32`.
    pub fn len(&mut self, buffer: BufferId) -> ValueId {
        let ty = self.types_mut().scalar(Scalar::U32);
        self.define(InstKind::Len(buffer), ty)
    }

    /// Number of elements of a buffer in a list, a `u32`; zero where there is no such buffer.
    pub fn member_len(&mut self, list: BufferId, member: ValueId) -> ValueId {
        let ty = self.types_mut().scalar(Scalar::U32);
        self.define(InstKind::MemberLen(list, member), ty)
    }

    /// Reads memory.
    ///
    /// # Panics
    /// When `place` names nothing.
    #[track_caller]
    pub fn load(&mut self, place: Place) -> ValueId {
        let ty = self.place_type(&place);
        self.define(InstKind::Load(place), ty)
    }

    /// Writes memory.
    ///
    /// # Panics
    /// When `place` names nothing, or a cell of another type.
    #[track_caller]
    pub fn store(&mut self, place: Place, value: ValueId) {
        assert_eq!(self.place_type(&place), self.value_type(value), "`store` of another type");
        self.append(InstKind::Store(place, value), &[]);
    }

    /// Calls a function that is finished; `None` when it returns unit.
    ///
    /// # Panics
    /// When there is no such function, or it takes other arguments.
    #[track_caller]
    pub fn call(&mut self, callee: FunctionId, arguments: &[ValueId]) -> Option<ValueId> {
        let target = &self.module.functions[callee];
        let expected: Vec<_> = target.blocks[target.entry].params.iter().map(|p| target.values[*p].ty).collect();
        let found: Vec<_> = arguments.iter().map(|value| self.value_type(*value)).collect();
        assert_eq!(found, expected, "arguments of the call of `{}`", target.name);
        let result = target.result;
        let kind = InstKind::Call(callee, arguments.into());
        if *self.types().get(result) == Type::Unit {
            self.append(kind, &[]);
            None
        } else {
            Some(self.define(kind, result))
        }
    }

    /// Records a trap with `u32` operands and goes on.
    pub fn trap(&mut self, site: SiteId, operands: &[ValueId]) {
        self.append(InstKind::Trap(site, operands.into()), &[]);
    }

    /// Records a message with `u32` words for the host.
    pub fn print(&mut self, site: SiteId, words: &[ValueId]) {
        self.append(InstKind::Print(site, words.into()), &[]);
    }

    pub(crate) fn define(&mut self, kind: InstKind, ty: TypeId) -> ValueId {
        self.append(kind, &[ty])[0]
    }

    /// Adds an instruction to the current block, or only its results when the block is terminated.
    pub(crate) fn append(&mut self, kind: InstKind, result_types: &[TypeId]) -> Few<ValueId> {
        let results: Few<ValueId> =
            result_types.iter().map(|&ty| self.function.values.push(Value { ty, name: None })).collect();
        if !self.is_terminated() {
            let inst = self.function.insts.push(Inst { kind, results: results.clone(), location: self.location });
            self.function.blocks[self.current].insts.push(inst);
        }
        results
    }
}

/// Misuse of the builder is a bug of the caller.
#[track_caller]
pub(super) fn or_panic<T>(result: Result<T, String>) -> T {
    match result {
        Ok(value) => value,
        Err(message) => panic!("{message}"),
    }
}
