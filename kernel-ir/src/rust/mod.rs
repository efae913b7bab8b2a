//! Kernels printed as Rust, as their author could have written them: each value a `let`, control flow as `if`, `match` and `loop`.
//!
//! The text is the body of a function with the kernel's parameters. rustc compiles it for the host, and `#[kernel]` for devices, so a
//! module that no source belongs to becomes a kernel. Structs are tuples in it, but for elements of buffers, whose fields it names.
//! The text panics where the module records a trap and goes on, as the author's code does.

mod control;
mod divisors;
mod matrices;
mod memory;
mod ops;
mod panics;
mod values;

use std::fmt::Write as _;

use self::divisors::Divisors;
use crate::arena::EntityId;
use crate::ir::{
    BlockId, BufferId, Function, Inst, InstId, InstKind, Kernel, LocalId, Module, ParamId, Root, SharedId,
    SourceLocation, ValueId,
};
use crate::types::{Scalar, Type, TypeId, Types};

/// Something in a module that the printer has no Rust for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} cannot be printed as Rust")]
pub struct Unprintable {
    /// Its description.
    pub what: String,
    /// Its place in the source.
    pub location: Option<SourceLocation>,
}

/// How a module is printed.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Whether a word `__at_FILE_LINE_COLUMN` stands before what comes from another place than what stands before it.
    pub marks: bool,
    /// The buffers whose elements are quaternions or hold some. Values of the printed text are `Vec4`.
    pub buffers: Vec<(BufferId, Quaternions)>,
    /// The parameters that do.
    pub params: Vec<(ParamId, Quaternions)>,
    /// The formats of the panics' messages that show no values, by their numbers.
    pub messages: Vec<Option<String>>,
}

impl Options {
    fn of_buffer(&self, buffer: BufferId) -> &Quaternions {
        self.buffers.iter().find(|(id, _)| *id == buffer).map_or(&Quaternions::None, |(_, found)| found)
    }

    fn of_param(&self, param: ParamId) -> &Quaternions {
        self.params.iter().find(|(id, _)| *id == param).map_or(&Quaternions::None, |(_, found)| found)
    }
}

/// The vectors in a type that are glam's `Quat`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Quaternions {
    /// No one.
    None,
    /// The vector itself.
    Itself,
    /// Those of the members of a struct or tuple, by position; of an array, those of its elements.
    Within(Vec<Self>),
}

impl Quaternions {
    fn member(&self, types: &Types, ty: TypeId, member: u32) -> &Self {
        let position = if matches!(types.get(ty), Type::Array(..)) { 0 } else { member as usize };
        match self {
            Self::Within(members) => members.get(position).unwrap_or(&Self::None),
            _ => &Self::None,
        }
    }
}

/// The body of the module's kernel, which calls no function: see [`passes::flatten`](crate::passes::flatten).
///
/// # Errors
/// When something in it has no Rust.
pub fn print(module: &Module, options: &Options) -> Result<String, Unprintable> {
    let no_kernel = || Unprintable { what: "a module without a kernel".to_owned(), location: None };
    let kernel = module.kernel.as_ref().ok_or_else(no_kernel)?;
    let function = &module.functions[kernel.function];
    let divisors = Divisors::of(module, function);
    let mut printer = Printer { divisors, ..Printer::new(module, kernel, options) };
    printer.variables()?;
    printer.block(function.entry, &[])?;
    Ok(printer.text)
}

/// A variable with one element of the buffer's type, which is zero and has the buffer's name. `given`: a value of the type, from which
/// its structs come; without structs or quaternions in it, none is needed.
///
/// # Errors
/// When the type has no zero.
pub fn zeroed(
    module: &Module,
    buffer: BufferId,
    (ty_text, given): (&str, &str),
    options: &Options,
) -> Result<String, Unprintable> {
    let no_kernel = || Unprintable { what: "a module without a kernel".to_owned(), location: None };
    let kernel = module.kernel.as_ref().ok_or_else(no_kernel)?;
    let mut printer = Printer::new(module, kernel, options);
    let (name, ty) = (&kernel.buffers[buffer].name, kernel.buffers[buffer].element);
    let quaternions = options.of_buffer(buffer);
    if *quaternions == Quaternions::None && !holds_struct(module, ty) {
        return Ok(format!("let mut {name}: [{ty_text}; 1] = [{}];", printer.zero(ty)?));
    }
    printer.line(&format!("let mut {name}: [{ty_text}; 1] = [{given}];"));
    printer.clear(memory::Stored { text: format!("{name}[0]"), ty, quaternions })?;
    Ok(printer.text)
}

/// Whether a type is a struct or has one in it, which values of the printed text are not.
pub fn holds_struct(module: &Module, ty: TypeId) -> bool {
    let types = &module.types;
    match types.get(ty) {
        Type::Struct(_) => true,
        Type::Array(element, _) => holds_struct(module, *element),
        Type::Tuple(members) => members.iter().any(|member| holds_struct(module, *member)),
        _ => false,
    }
}

struct Printer<'m> {
    module: &'m Module,
    kernel: &'m Kernel,
    function: &'m Function,
    options: &'m Options,
    text: String,
    at: Option<SourceLocation>,
    /// For each branch around: the variables that take its results where it has several.
    yields: Vec<Vec<String>>,
    divisors: Divisors,
    /// Whether the traps that follow guard divisions, which check themselves.
    skips_traps: bool,
}

type Printed<T = ()> = Result<T, Unprintable>;

impl<'m> Printer<'m> {
    fn new(module: &'m Module, kernel: &'m Kernel, options: &'m Options) -> Self {
        let function = &module.functions[kernel.function];
        let (text, yields, divisors) = (String::new(), Vec::new(), Divisors::default());
        Self { module, kernel, function, options, text, at: None, yields, divisors, skips_traps: false }
    }

    fn fail<T>(&self, what: impl Into<String>) -> Printed<T> {
        Err(Unprintable { what: what.into(), location: self.at })
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// The name of a value.
    fn name(&self, value: ValueId) -> String {
        let number = value.index();
        let is_plain = |name: &str| {
            name.starts_with(|first: char| first.is_ascii_lowercase())
                && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        };
        match self.function.values[value].name.as_deref().filter(|name| is_plain(name)) {
            Some(name) => self.own(format!("{name}_{number}")),
            None => self.own(format!("v_{number}")),
        }
    }

    /// A name that no parameter has. Names without underscores at their end are different from each other.
    fn own(&self, mut name: String) -> String {
        let kernel = self.kernel;
        while kernel.buffers.iter().any(|(_, other)| other.name == name)
            || kernel.params.iter().any(|(_, other)| other.name == name)
            || kernel.constants.iter().any(|(_, other)| other.name == name)
        {
            name.push('_');
        }
        name
    }

    /// The name of a variable. Values have names that begin with a letter, so that none is called so.
    fn local(&self, local: LocalId) -> String {
        self.own(format!("__local_{}", local.index()))
    }

    fn names(&self, values: &[ValueId]) -> Vec<String> {
        values.iter().map(|value| self.name(*value)).collect()
    }

    fn value_type(&self, value: ValueId) -> TypeId {
        self.function.values[value].ty
    }

    fn kind(&self, value: ValueId) -> &'m Type {
        self.module.types.get(self.value_type(value))
    }

    /// A type of values, structs as tuples.
    fn ty(&self, ty: TypeId) -> Printed<String> {
        Ok(match self.module.types.get(ty) {
            Type::Unit => "()".to_owned(),
            Type::Scalar(scalar) => scalar.name().to_owned(),
            Type::Vector(scalar, lanes) => format!("{}{lanes}", self.prefix(*scalar)?),
            Type::Array(element, len) => format!("[{}; {}]", self.ty(*element)?, self.size(*len)),
            Type::Tuple(_) | Type::Struct(_) => {
                let mut text = "(".to_owned();
                for member in self.members(ty) {
                    let member = self.ty(member)?;
                    let _ = write!(text, "{member}, ");
                }
                text + ")"
            }
            Type::Coop(of) => Self::matrix(*of),
        })
    }

    fn size(&self, size: crate::types::Size) -> String {
        match size {
            crate::types::Size::Known(number) => number.to_string(),
            crate::types::Size::Param(param) => self.kernel.constants[param].name.clone(),
        }
    }

    fn prefix(&self, scalar: Scalar) -> Printed<&'static str> {
        Ok(match scalar {
            Scalar::F32 => "Vec",
            Scalar::U32 => "UVec",
            Scalar::I32 => "IVec",
            Scalar::Bool => "BVec",
            other => return self.fail(format!("a vector of `{}`", other.name())),
        })
    }

    /// The types of a tuple's or struct's members.
    fn members(&self, ty: TypeId) -> Vec<TypeId> {
        match self.module.types.get(ty) {
            Type::Tuple(members) => members.clone(),
            Type::Struct(id) => self.module.types.struct_def(*id).fields.iter().map(|field| field.ty).collect(),
            _ => Vec::new(),
        }
    }

    /// Local variables and those of the workgroup.
    fn variables(&mut self) -> Printed {
        let function = self.function;
        let is_used = |shared| {
            let mut places = function.insts.iter().filter_map(|(_, inst)| inst.kind.place());
            places.any(|place| place.root == Root::Shared(shared))
        };
        for (id, shared) in self.kernel.shared.iter().filter(|(id, _)| is_used(*id)) {
            let (name, ty) = (self.shared_name(id), self.shared_type(id, shared.ty)?);
            let text = format!("let {name}: Shared<{ty}> = Shared::new();");
            self.line(&text);
        }
        for (id, local) in self.function.locals.iter() {
            let (ty, zero) = (self.ty(local.ty)?, self.zero(local.ty)?);
            let text = format!("let mut {}: {ty} = {zero};", self.local(id));
            self.line(&text);
        }
        Ok(())
    }

    /// The name of a variable of the workgroup, with its number where the name has another owner.
    fn shared_name(&self, shared: SharedId) -> String {
        let name = &self.kernel.shared[shared].name;
        // A value may be called so: all of theirs end in a number.
        let is_numbered = name.rsplit_once('_').is_some_and(|(_, end)| end.bytes().all(|byte| byte.is_ascii_digit()));
        let is_other = is_numbered
            || self.kernel.shared.iter().any(|(id, other)| id != shared && other.name == *name)
            || self.kernel.buffers.iter().any(|(_, other)| other.name == *name)
            || self.kernel.params.iter().any(|(_, other)| other.name == *name)
            || self.kernel.constants.iter().any(|(_, other)| other.name == *name);
        if is_other { format!("__{name}_{}", shared.index()) } else { name.clone() }
    }

    /// The type of a variable of the workgroup: of atomics, if it is accessed so.
    fn shared_type(&self, shared: SharedId, ty: TypeId) -> Printed<String> {
        // It would be a tuple, which has no layout there.
        if holds_struct(self.module, ty) {
            return self.fail("shared memory with structs or tuples");
        }
        let value = self.function.insts.iter().find_map(|(_, inst)| match &inst.kind {
            InstKind::Atomic(atomic) if atomic.place.root == Root::Shared(shared) => {
                atomic.operands.first().or(inst.results.first()).copied()
            }
            _ => None,
        });
        let Some(value) = value else { return self.ty(ty) };
        let (mut text, mut lens, mut inner) = (self.ty(self.value_type(value))?, Vec::new(), ty);
        while let Type::Array(element, len) = self.module.types.get(inner) {
            lens.push(*len);
            inner = *element;
        }
        text = format!("Atomic<{text}>");
        for len in lens.into_iter().rev() {
            text = format!("[{text}; {}]", self.size(len));
        }
        Ok(text)
    }

    fn mark(&mut self, inst: &Inst) {
        if inst.location.is_some() && inst.location != self.at {
            self.at = inst.location;
            if let (true, Some(at)) = (self.options.marks, inst.location) {
                let text = format!("__at_{}_{}_{}", at.file.index(), at.line, at.column);
                self.line(&text);
            }
        }
    }

    fn block(&mut self, block: BlockId, outs: &[control::Out]) -> Printed {
        let function = self.function;
        function.blocks[block].insts.iter().try_for_each(|id| self.inst(*id, outs))
    }

    fn let_(&mut self, result: ValueId, text: &str) -> Printed {
        let line = format!("let {}: {} = {text};", self.name(result), self.ty(self.value_type(result))?);
        self.line(&line);
        Ok(())
    }

    fn inst(&mut self, id: InstId, outs: &[control::Out]) -> Printed {
        let function = self.function;
        let inst = &function.insts[id];
        self.mark(inst);
        if let Some(result) = inst.results.first()
            && let Some(text) = self.expression(&inst.kind, *result)?
        {
            return self.let_(*result, &text);
        }
        match &inst.kind {
            InstKind::Insert(of, member, steps) => {
                let (result, ty) = (self.name(inst.results[0]), self.ty(self.value_type(*of))?);
                let fields = self.fields(self.value_type(*of), steps);
                let text =
                    format!("let mut {result}: {ty} = {};\n{result}{fields} = {};", self.name(*of), self.name(*member));
                self.line(&text);
                Ok(())
            }
            InstKind::Store(place, value) => self.store(place, *value),
            InstKind::Atomic(atomic) => self.atomic(atomic, inst.results.first().copied()),
            InstKind::Barrier(crate::ir::Scope::Workgroup) => {
                self.line("barrier();");
                Ok(())
            }
            InstKind::Trap(site, operands) => {
                self.trap(*site, operands);
                Ok(())
            }
            // They were printed once.
            InstKind::Print(..) => Ok(()),
            InstKind::Barrier(_) | InstKind::Fence(..) => self.fail("a barrier or fence of memory"),
            InstKind::Call(..) => self.fail("a call"),
            InstKind::Image(..) => self.fail("an access to an image"),
            InstKind::CoopStore(access, value) => self.matrix_store(access, *value),
            _ => self.control(id, outs),
        }
    }

    /// The expression that an instruction is, if it is one.
    fn expression(&self, kind: &InstKind, result: ValueId) -> Printed<Option<String>> {
        Ok(Some(match kind {
            InstKind::Const(constant) => self.constant(*constant, self.value_type(result))?,
            InstKind::Op(op, operands) => self.op(*op, operands, result)?,
            InstKind::Compose(members) => self.compose(members, self.value_type(result))?,
            InstKind::Extract(of, steps) => {
                format!("{}{}", self.name(*of), self.fields(self.value_type(*of), steps))
            }
            InstKind::Param(param) => {
                let quaternions = self.options.of_param(*param);
                let param = &self.kernel.params[*param];
                self.as_value(memory::Stored { text: param.name.clone(), ty: param.ty, quaternions })?
            }
            InstKind::ConstParam(param) => {
                let ty = self.ty(self.value_type(result))?;
                let name = &self.kernel.constants[*param].name;
                if ty == "bool" { name.clone() } else { format!("{name} as {ty}") }
            }
            InstKind::Builtin(builtin) => format!("{}()", builtin.name()),
            InstKind::Len(buffer) => format!("{}.len() as u32", self.kernel.buffers[*buffer].name),
            InstKind::MemberLen(list, member) => {
                format!("{}[{}].len() as u32", self.kernel.buffers[*list].name, self.name(*member))
            }
            InstKind::Load(place) => self.load(place)?,
            InstKind::Subgroup(op, operands) => self.subgroup(*op, operands)?,
            InstKind::Coop(op, operands) => self.matrix_op(*op, operands, result)?,
            InstKind::CoopLoad(access) => self.matrix_load(access, result)?,
            _ => return Ok(None),
        }))
    }
}
