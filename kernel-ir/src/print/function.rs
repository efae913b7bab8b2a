//! Functions as text: head, blocks, instructions.

use std::fmt::{self, Display, Formatter};

use super::{INDENT, Show, list, location, name};
use crate::ir::{
    Atomic, AtomicOp, BlockId, Constant, CoopAccess, Function, FunctionId, Inst, InstId, InstKind, Module, SubgroupOp,
    ValueId,
};
use crate::passes::eval;
use crate::types::{Scalar, Type, Types};

impl Module {
    /// The text of one function.
    pub fn display_function(&self, id: FunctionId) -> impl Display + '_ {
        Show(move |f: &mut Formatter<'_>| match self.functions.get(id) {
            Some(function) => self.write_function(f, id, function),
            None => writeln!(f, "; there is no {id}"),
        })
    }

    /// The text of one instruction up to the blocks it owns, on one line without its location.
    pub fn display_inst<'a>(&'a self, function: &'a Function, id: InstId) -> impl Display + 'a {
        let printer = Printer { types: &self.types, function };
        Show(move |f: &mut Formatter<'_>| match printer.function.insts.get(id) {
            Some(inst) => printer.write_head(f, inst),
            None => write!(f, "<no {id}>"),
        })
    }

    fn write_function(&self, f: &mut Formatter<'_>, id: FunctionId, function: &Function) -> fmt::Result {
        let printer = Printer { types: &self.types, function };
        write!(f, "{id} {}(", name(&function.name))?;
        let params = function.blocks.get(function.entry).map_or(&[][..], |entry| &entry.params);
        for (index, param) in params.iter().enumerate() {
            write!(f, "{}{}", if index == 0 { "" } else { ", " }, printer.definition(*param))?;
        }
        writeln!(f, ") -> {}{} {{", self.types.display(function.result), location(function.location))?;
        for (id, local) in function.locals.iter() {
            writeln!(f, "{INDENT}{id} {}: {}", name(&local.name), self.types.display(local.ty))?;
        }
        printer.write_block(f, function.entry, 1)?;
        writeln!(f, "}}")
    }
}

#[derive(Clone, Copy)]
struct Printer<'a> {
    types: &'a Types,
    function: &'a Function,
}

impl<'a> Printer<'a> {
    /// `%3 "acc": f32`
    fn definition(self, id: ValueId) -> impl Display + 'a {
        Show(move |f: &mut Formatter<'_>| match self.function.values.get(id) {
            Some(value) => {
                write!(f, "{id}")?;
                if let Some(name) = &value.name {
                    write!(f, " {name:?}")?;
                }
                write!(f, ": {}", self.types.display(value.ty))
            }
            None => write!(f, "{id}: <no value>"),
        })
    }

    fn definitions(self, ids: &'a [ValueId]) -> impl Display + 'a {
        Show(move |f: &mut Formatter<'_>| {
            for (index, id) in ids.iter().enumerate() {
                write!(f, "{}{}", if index == 0 { "" } else { ", " }, self.definition(*id))?;
            }
            Ok(())
        })
    }

    fn write_block(self, f: &mut Formatter<'_>, block: BlockId, depth: usize) -> fmt::Result {
        let indent = INDENT.repeat(depth);
        let Some(block) = self.function.blocks.get(block) else {
            return writeln!(f, "{indent}; there is no {block}");
        };
        // Only a malformed function nests a block in itself; it must not overflow the stack here.
        if depth > self.function.blocks.len() {
            return writeln!(f, "{indent}; blocks own each other");
        }
        for id in &block.insts {
            let Some(inst) = self.function.insts.get(*id) else {
                writeln!(f, "{indent}; there is no {id}")?;
                continue;
            };
            f.write_str(&indent)?;
            self.write_head(f, inst)?;
            f.write_str(&location(inst.location).to_string())?;
            self.write_owned_blocks(f, &inst.kind, depth)?;
            writeln!(f)?;
        }
        Ok(())
    }

    fn write_owned_blocks(self, f: &mut Formatter<'_>, kind: &InstKind, depth: usize) -> fmt::Result {
        let indent = INDENT.repeat(depth);
        let braced = |f: &mut Formatter<'_>, block: BlockId, depth: usize| {
            writeln!(f, " {{")?;
            self.write_block(f, block, depth + 1)?;
            write!(f, "{}}}", INDENT.repeat(depth))
        };
        match kind {
            InstKind::If { then_block, else_block, .. } => {
                braced(f, *then_block, depth)?;
                write!(f, " else")?;
                braced(f, *else_block, depth)
            }
            InstKind::Switch { cases, default, .. } => {
                writeln!(f, " {{")?;
                for (case, block) in cases {
                    write!(f, "{indent}{INDENT}case {case}")?;
                    braced(f, *block, depth + 1)?;
                    writeln!(f)?;
                }
                write!(f, "{indent}{INDENT}default")?;
                braced(f, *default, depth + 1)?;
                write!(f, "\n{indent}}}")
            }
            InstKind::Loop { body, .. } => braced(f, *body, depth),
            _ => Ok(()),
        }
    }

    /// The line of an instruction up to its location and the blocks it owns.
    fn write_head(self, f: &mut Formatter<'_>, inst: &Inst) -> fmt::Result {
        match &inst.kind {
            InstKind::If { condition, .. } => write!(f, "if {condition}{}", self.results(inst)),
            InstKind::Switch { selector, .. } => write!(f, "switch {selector}{}", self.results(inst)),
            InstKind::Loop { initial, body, unroll } => {
                write!(f, "loop {body}({}){unroll}{}", self.carried(initial, *body), self.results(inst))
            }
            kind => {
                if !inst.results.is_empty() {
                    write!(f, "{} = ", self.definitions(&inst.results))?;
                }
                self.write_simple(f, kind, inst.results.first().copied())
            }
        }
    }

    fn results(self, inst: &'a Inst) -> impl Display + 'a {
        Show(move |f: &mut Formatter<'_>| match &inst.results[..] {
            [] => Ok(()),
            results => write!(f, " -> ({})", self.definitions(results)),
        })
    }

    fn carried(self, initial: &'a [ValueId], body: BlockId) -> impl Display + 'a {
        Show(move |f: &mut Formatter<'_>| {
            let params = self.function.blocks.get(body).map_or(&[][..], |block| &block.params);
            for index in 0..params.len().max(initial.len()) {
                f.write_str(if index == 0 { "" } else { ", " })?;
                match params.get(index) {
                    Some(param) => write!(f, "{}", self.definition(*param))?,
                    None => f.write_str("<no value>")?,
                }
                if let Some(value) = initial.get(index) {
                    write!(f, " = {value}")?;
                }
            }
            Ok(())
        })
    }

    fn write_simple(self, f: &mut Formatter<'_>, kind: &InstKind, result: Option<ValueId>) -> fmt::Result {
        match kind {
            InstKind::Const(constant) => {
                let ty = result.and_then(|id| self.function.values.get(id)).map(|value| value.ty);
                let ty = ty.and_then(|ty| self.types.all().get(ty));
                write!(f, "const {}", literal(*constant, ty))
            }
            InstKind::Op(op, operands) => write!(f, "{} {}", op.name(), list(operands)),
            InstKind::Compose(members) => write!(f, "compose {}", list(members)),
            InstKind::Extract(composite, steps) => write!(f, "extract {composite}{}", fields(steps)),
            InstKind::Insert(composite, member, steps) => {
                write!(f, "insert {composite}{}, {member}", fields(steps))
            }
            InstKind::Param(param) => write!(f, "{param}"),
            InstKind::ConstParam(param) => write!(f, "{param}"),
            InstKind::Proven(site) => write!(f, "proven {site}"),
            InstKind::ForgetsResults => f.write_str("forgets_results"),
            InstKind::Builtin(builtin) => f.write_str(builtin.name()),
            InstKind::Len(buffer) => write!(f, "len {buffer}"),
            InstKind::MemberLen(list, member) => write!(f, "len {list}{{{member}}}"),
            InstKind::Load(place) => write!(f, "load {place}"),
            InstKind::Store(place, value) => write!(f, "store {place} = {value}"),
            InstKind::Call(callee, arguments) => write!(f, "call {callee}({})", list(arguments)),
            InstKind::Trap(site, operands) => write!(f, "trap {site}({})", list(operands)),
            InstKind::Print(site, words) => write!(f, "print {site}({})", list(words)),
            InstKind::Panic(site, words) => write!(f, "panic {site}({})", list(words)),
            InstKind::Atomic(atomic) => write_atomic(f, atomic),
            InstKind::Barrier(scope) => write!(f, "barrier {}", scope.name()),
            InstKind::Fence(scope, order) => write!(f, "fence {} {}", order.name(), scope.name()),
            InstKind::Subgroup(op, operands) => write_subgroup(f, *op, operands),
            InstKind::Image(op, image, operands) => write!(f, "{} {image}({})", op.name(), list(operands)),
            InstKind::Coop(op, operands) => write!(f, "{} {}", op.name(), list(operands)),
            InstKind::CoopLoad(access) => write!(f, "coop_load {}", cells(access)),
            InstKind::CoopStore(access, value) => write!(f, "coop_store {} = {value}", cells(access)),
            InstKind::Yield(values) => write_terminator(f, "yield", values),
            InstKind::Break(body, values) => write!(f, "break {body}({})", list(values)),
            InstKind::Continue(body, values) => write!(f, "continue {body}({})", list(values)),
            InstKind::Return(value) => write_terminator(f, "return", value.as_slice()),
            InstKind::Unreachable => f.write_str("unreachable"),
            InstKind::If { .. } | InstKind::Switch { .. } | InstKind::Loop { .. } => Ok(()),
        }
    }
}

fn cells(access: &CoopAccess) -> impl Display + '_ {
    let CoopAccess { place, first, stride, layout } = access;
    Show(move |f: &mut Formatter<'_>| write!(f, "{place} from {first} step {stride} {}", layout.name()))
}

fn write_atomic(f: &mut Formatter<'_>, atomic: &Atomic) -> fmt::Result {
    write!(f, "{} {}", atomic.op.name(), atomic.place)?;
    for operand in &atomic.operands {
        write!(f, ", {operand}")?;
    }
    write!(f, " {}", atomic.order.name())?;
    if let AtomicOp::CompareExchange(failure) = atomic.op {
        write!(f, " {}", failure.name())?;
    }
    write!(f, " {}", atomic.scope.name())
}

fn write_subgroup(f: &mut Formatter<'_>, op: SubgroupOp, operands: &[ValueId]) -> fmt::Result {
    let (name, number) = op.text();
    f.write_str(&name)?;
    if let Some(number) = number {
        write!(f, "({number})")?;
    }
    if operands.is_empty() { Ok(()) } else { write!(f, " {}", list(operands)) }
}

fn write_terminator(f: &mut Formatter<'_>, keyword: &str, values: &[ValueId]) -> fmt::Result {
    f.write_str(keyword)?;
    if values.is_empty() { Ok(()) } else { write!(f, " {}", list(values)) }
}

fn fields(steps: &[u32]) -> impl Display + '_ {
    Show(move |f: &mut Formatter<'_>| steps.iter().try_for_each(|step| write!(f, ".{step}")))
}

/// A literal; the suffix is left out where the type of the value says the same.
fn literal(constant: Constant, ty: Option<&Type>) -> impl Display {
    let is = |scalar| ty == Some(&Type::Scalar(scalar));
    let own = eval::scalar_of(constant).unwrap_or(Scalar::Bool);
    let suffix = if is(own) { "" } else { own.name() };
    let stated = if is(own) || own == Scalar::F32 { String::new() } else { format!("{} ", own.name()) };
    Show(move |f: &mut Formatter<'_>| match constant {
        Constant::Zero => f.write_str("zero"),
        Constant::Bool(value) => write!(f, "{value}"),
        Constant::F32(bits) if f32::from_bits(bits).is_finite() => write!(f, "{:?}{suffix}", f32::from_bits(bits)),
        Constant::Bits(Scalar::F64, bits) if f64::from_bits(bits).is_finite() => {
            write!(f, "{:?}{suffix}", f64::from_bits(bits))
        }
        _ => match (eval::int(constant), eval::bits(constant)) {
            (Some(value), _) => write!(f, "{value}{suffix}"),
            (None, bits) => {
                let width = 2 + own.bits() as usize / 4;
                write!(f, "bits {stated}{:#0width$x}", bits.unwrap_or_default())
            }
        },
    })
}
