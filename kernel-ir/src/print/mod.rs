//! The text format, written: `Display` for modules, functions, instructions and types. It changes nothing.
//!
//! The text depends on the module alone, and [`parse`](crate::parse) reads it back; the grammar is documented there.
//! Ids are printed as they are, so that text, errors and dumps of passes speak of the same `%3`. Blocks and
//! instructions that nothing owns are left out. Printing never panics, however malformed the module.

mod bound;
mod function;

use std::fmt::{self, Display, Formatter};

use crate::descriptor::SiteKind;
use crate::ir::{Checked, Image, Kernel, Module, Place, Root, SourceLocation, Step};
use crate::types::{Type, TypeId, Types};

const INDENT: &str = "    ";

/// Prints with a closure.
struct Show<F>(F);

impl<F: Fn(&mut Formatter<'_>) -> fmt::Result> Display for Show<F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        (self.0)(f)
    }
}

impl Types {
    /// The spelling of a type in the text format, like Rust's.
    pub fn display(&self, id: TypeId) -> impl Display + '_ {
        Show(move |f: &mut Formatter<'_>| match self.all().get(id) {
            Some(ty) => write!(f, "{}", self.display_type(ty)),
            None => write!(f, "<no {id}>"),
        })
    }

    /// The spelling of a type that may not be interned.
    pub fn display_type<'a>(&'a self, ty: &'a Type) -> impl Display + 'a {
        Show(move |f: &mut Formatter<'_>| self.write_type(f, ty))
    }

    fn write_type(&self, f: &mut Formatter<'_>, ty: &Type) -> fmt::Result {
        let write_id = |f: &mut Formatter<'_>, id: TypeId| match self.all().get(id) {
            Some(ty) => self.write_type(f, ty),
            None => write!(f, "<no {id}>"),
        };
        match ty {
            Type::Unit => f.write_str("()"),
            Type::Scalar(scalar) => f.write_str(scalar.name()),
            Type::Vector(scalar, len) => write!(f, "vec{len}<{}>", scalar.name()),
            Type::Array(element, len) => {
                f.write_str("[")?;
                write_id(f, *element)?;
                write!(f, "; {len}]")
            }
            Type::Tuple(members) => {
                f.write_str("(")?;
                for (index, member) in members.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { ", " })?;
                    write_id(f, *member)?;
                }
                f.write_str(if members.len() == 1 { ",)" } else { ")" })
            }
            Type::Struct(id) => write!(f, "{id}"),
            Type::Coop(ty) => {
                write!(f, "coop<{}, {}, {}, {}>", ty.scalar.name(), ty.role.name(), ty.rows, ty.columns)
            }
        }
    }
}

impl SiteKind {
    /// The kind's name in the text format.
    pub(crate) const fn text_name(self) -> &'static str {
        match self {
            Self::IndexOutOfBounds => "index_out_of_bounds",
            Self::DivideByZero => "divide_by_zero",
            Self::RemainderByZero => "remainder_by_zero",
            Self::DivideOverflow => "divide_overflow",
            Self::RemainderOverflow => "remainder_overflow",
            Self::ClampBounds => "clamp_bounds",
            Self::Panic => "panic",
            Self::Print => "print",
            Self::PrintError => "print_error",
        }
    }
}

/// A name: bare when it is a plain identifier, else a string.
fn name(name: &str) -> impl Display + '_ {
    Show(move |f: &mut Formatter<'_>| {
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if plain && name.starts_with(|c: char| !c.is_ascii_digit()) { f.write_str(name) } else { write!(f, "{name:?}") }
    })
}

/// ` @file0:12:5`, or nothing.
fn location(location: Option<SourceLocation>) -> impl Display {
    Show(move |f: &mut Formatter<'_>| match location {
        Some(SourceLocation { file, line, column }) => write!(f, " @{file}:{line}:{column}"),
        None => Ok(()),
    })
}

fn list<T: Display>(items: &[T]) -> impl Display + '_ {
    Show(move |f: &mut Formatter<'_>| {
        for (index, item) in items.iter().enumerate() {
            write!(f, "{}{item}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    })
}

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (id, path) in self.files.iter() {
            writeln!(f, "{id} {path:?}")?;
        }
        for (id, site) in self.sites.iter() {
            write!(f, "{id} {}{} {:?}", site.kind.text_name(), location(Some(site.location)), site.text)?;
            if let Some(format) = site.format {
                write!(f, " format {format}")?;
            }
            f.write_str(if site.is_quiet { " quiet" } else { "" })?;
            match &site.at_launch {
                Some(obligations) => writeln!(f, " launch {}", list(obligations))?,
                None => writeln!(f)?,
            }
        }
        for (id, def) in self.types.structs().iter() {
            write!(f, "{id} {}", name(&def.name))?;
            if def.align > 1 {
                write!(f, " align({})", def.align)?;
            }
            f.write_str(" {")?;
            for (index, field) in def.fields.iter().enumerate() {
                let comma = if index == 0 { "" } else { "," };
                write!(f, "{comma} {}: {}", name(&field.name), self.types.display(field.ty))?;
            }
            writeln!(f, " }}")?;
        }
        if let Some(kernel) = &self.kernel {
            write_kernel(f, self, kernel)?;
        }
        for id in self.functions.ids() {
            write!(f, "{}", self.display_function(id))?;
        }
        Ok(())
    }
}

fn write_kernel(f: &mut Formatter<'_>, module: &Module, kernel: &Kernel) -> fmt::Result {
    write!(f, "kernel {} workgroup({})", kernel.function, list(&kernel.workgroup))?;
    if let Some(lanes) = kernel.subgroup_size {
        write!(f, " subgroup({lanes})")?;
    }
    let relaxed = kernel.float_rules.names();
    if !relaxed.is_empty() {
        write!(f, " fast_math({})", relaxed.join(", "))?;
    }
    writeln!(f, "{} {{", if kernel.full_workgroups { " full" } else { "" })?;
    for (id, constant) in kernel.constants.iter() {
        let (scalar, default) = (constant.scalar.name(), constant.default);
        writeln!(f, "{INDENT}{id} {}: {scalar} = {default}", name(&constant.name))?;
    }
    for (id, buffer) in kernel.buffers.iter() {
        let list = if buffer.is_list { " list" } else { "" };
        let mutable = if buffer.writable { " mut" } else { "" };
        let texels = if buffer.is_texels { " texels" } else { "" };
        let checked = match buffer.checked {
            Some(Checked::Distinct) => " distinct",
            Some(Checked::Offsets) => " offsets",
            None => "",
        };
        let claims = if buffer.is_claims { " claims" } else { "" };
        let element = module.types.display(buffer.element);
        write!(f, "{INDENT}{id} {}: [{element}]{list}{mutable}{texels}{checked}{claims}", name(&buffer.name))?;
        if let Some(Image { format, dimensions, is_sampled }) = buffer.image {
            write!(f, " image({dimensions}, {format}{})", if is_sampled { ", sampled" } else { "" })?;
        }
        writeln!(f)?;
    }
    for (id, param) in kernel.params.iter() {
        writeln!(f, "{INDENT}{id} {}: {}", name(&param.name), module.types.display(param.ty))?;
    }
    for (id, shared) in kernel.shared.iter() {
        writeln!(f, "{INDENT}{id} {}: {}", name(&shared.name), module.types.display(shared.ty))?;
    }
    kernel.obligations.iter().try_for_each(|obligation| writeln!(f, "{INDENT}requires {obligation}"))?;
    writeln!(f, "}}")
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.is_unordered {
            f.write_str("unordered ")?;
        }
        match self.root {
            Root::Local(local) => write!(f, "{local}")?,
            Root::Buffer(buffer) => write!(f, "{buffer}")?,
            Root::Shared(shared) => write!(f, "{shared}")?,
            Root::Member(list, member) => write!(f, "{list}{{{member}}}")?,
        }
        self.path.iter().try_for_each(|step| match step {
            Step::Field(field) => write!(f, ".{field}"),
            Step::Joined { scalar, lanes } => write!(f, " as {} {lanes}", scalar.name()),
            Step::Element(value) => write!(f, "<{value}>"),
            Step::Index { value, check: None } => write!(f, "[{value}]"),
            Step::Index { value, check: Some(site) } => write!(f, "[{value} !{site}]"),
        })
    }
}
