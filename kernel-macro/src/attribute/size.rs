//! The sizes of workgroups and subgroups: numbers, consts and const parameters of the kernel.

use proc_macro2::Literal;
use syn::{Expr, Lit};

use super::KernelAttr;
use crate::ast::{Path, ScalarName, SpanRange};
use crate::diag::{Diagnostics, code};
use crate::program::{Chosen, ItemId, Program, TypedItem};
use crate::typed::{ConstValue, Len};

/// Invocations per workgroup of a kernel that does not say: a multiple of every GPU's subgroup size.
const DEFAULT_WORKGROUP: u32 = 64;

/// The most invocations a workgroup may have: what desktop GPUs and software devices offer.
pub(crate) const MAX_INVOCATIONS: u64 = 1024;

/// The most invocations along each axis.
const MAX_SIZE: [u64; 3] = [1024, 1024, 64];

/// The most invocations of a subgroup.
const MAX_SUBGROUP: u64 = 128;

/// One component of `workgroup`.
#[derive(Debug, Clone)]
pub(super) struct WorkgroupArg {
    size: Size,
    span: SpanRange,
}

#[derive(Debug, Clone)]
pub(super) enum Size {
    Number(u64),
    Const(Path),
    /// Reported already.
    Error,
}

impl KernelAttr {
    pub(super) fn read_subgroup(&mut self, value: &Expr, diags: &mut Diagnostics) {
        let arg = read_size(value, diags);
        if let Size::Number(number) = arg.size {
            check_subgroup(number, arg.span, diags);
        }
        self.subgroup = Some(arg);
    }

    /// The subgroup size that the kernel asks for, a const looked up among what `kernel` names.
    pub(crate) fn subgroup(&self, program: &Program, kernel: ItemId, diags: &mut Diagnostics) -> Option<u32> {
        let arg = self.subgroup.as_ref()?;
        let number = match &arg.size {
            Size::Error => return None,
            Size::Number(number) => *number,
            Size::Const(path) => {
                let Some(number) = const_size(path, program, kernel) else {
                    unknown_const(path, arg.span, diags);
                    return None;
                };
                check_subgroup(number, arg.span, diags);
                number
            }
        };
        u32::try_from(number).ok()
    }

    pub(super) fn read_workgroup(&mut self, value: &Expr, diags: &mut Diagnostics) {
        self.span = SpanRange::of(value);
        let sizes = match value {
            Expr::Array(array) => &array.elems,
            // As grids are written.
            Expr::Tuple(tuple) => &tuple.elems,
            other => {
                self.workgroup = vec![read_size(other, diags)];
                return self.check(diags, Size::number);
            }
        };
        if (1..=3).contains(&sizes.len()) {
            self.workgroup = sizes.iter().map(|size| read_size(size, diags)).collect();
        } else {
            let message = format!("a workgroup has one to three sizes, found {}", sizes.len());
            diags.error(code::BAD_ATTRIBUTE, self.span, message).help("write `[X]`, `[X, Y]` or `[X, Y, Z]`");
        }
        self.check(diags, Size::number);
    }

    /// The consts that the sizes name.
    pub(crate) fn const_paths(&self) -> impl Iterator<Item = &Path> {
        self.workgroup.iter().chain(&self.subgroup).filter_map(|arg| match &arg.size {
            Size::Const(path) => Some(path),
            Size::Number(_) | Size::Error => None,
        })
    }

    /// The workgroup size, consts looked up among what `kernel` names.
    pub(crate) fn workgroup(&self, program: &Program, kernel: ItemId, diags: &mut Diagnostics) -> [Len; 3] {
        if self.workgroup.is_empty() {
            return [DEFAULT_WORKGROUP, 1, 1].map(Len::Known);
        }
        let mut sizes = [1; 3].map(Len::Known);
        let mut known = Vec::new();
        for (arg, size) in self.workgroup.iter().zip(&mut sizes) {
            if let Some((number, chosen)) = arg.chosen(program) {
                if !matches!(chosen.scalar, ScalarName::U32 | ScalarName::Usize) {
                    let (name, ty) = (&chosen.name, chosen.scalar.name());
                    diags
                        .error(code::BAD_ATTRIBUTE, arg.span, format!("the workgroup size `{name}` is a `{ty}`"))
                        .help(format!("make it `const {name}: u32`"));
                }
                known.push(None);
                *size = Len::Chosen(number);
                continue;
            }
            let value = match &arg.size {
                Size::Number(number) => Some(*number),
                Size::Error => None,
                Size::Const(path) => const_size(path, program, kernel).or_else(|| {
                    unknown_const(path, arg.span, diags);
                    None
                }),
            };
            known.push(value);
            *size = Len::Known(value.and_then(|value| u32::try_from(value).ok()).unwrap_or(1));
        }
        if self.workgroup.iter().any(|arg| matches!(arg.size, Size::Const(_))) {
            let mut values = known.into_iter();
            self.check(diags, |_| values.next().flatten());
        }
        sizes
    }

    /// Checks the sizes that `value` knows, each and together.
    pub(super) fn check(&self, diags: &mut Diagnostics, mut value: impl FnMut(&Size) -> Option<u64>) {
        let mut product = 1_u64;
        let mut fits = true;
        for ((arg, axis), max) in self.workgroup.iter().zip(["x", "y", "z"]).zip(MAX_SIZE) {
            let Some(size) = value(&arg.size) else { continue };
            product = product.saturating_mul(size);
            if size == 0 {
                fits = false;
                diags
                    .error(code::WORKGROUP_SIZE, arg.span, "a workgroup size cannot be zero")
                    .help("write the number of invocations per workgroup, such as 64");
            } else if size > max {
                fits = false;
                diags
                    .error(
                        code::WORKGROUP_SIZE,
                        arg.span,
                        format!("a workgroup size of {size} along {axis} is over {max}"),
                    )
                    .note(format!("devices offer {max} along {axis} (`maxComputeWorkGroupSize`)"));
            }
        }
        if fits && product > MAX_INVOCATIONS {
            let message = format!("a workgroup of {product} invocations is over {MAX_INVOCATIONS}");
            diags
                .error(code::WORKGROUP_SIZE, self.span, message)
                .note(format!(
                    "Vulkan guarantees 128 (`maxComputeWorkGroupInvocations`), devices offer up to {MAX_INVOCATIONS}"
                ))
                .help("make the workgroup smaller and dispatch more of them");
        }
    }
}

impl Size {
    /// The number that is written.
    pub(super) fn number(&self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Const(_) | Self::Error => None,
        }
    }
}

impl WorkgroupArg {
    /// The kernel's const parameter that it names.
    fn chosen<'p>(&self, program: &'p Program) -> Option<(u32, &'p Chosen)> {
        let Size::Const(path) = &self.size else { return None };
        let name = path.as_name()?;
        (0..).zip(&program.chosen).find(|(_, chosen)| chosen.name == *name)
    }
}

fn unknown_const(path: &Path, span: SpanRange, diags: &mut Diagnostics) {
    diags
        .error(code::BAD_ATTRIBUTE, span, format!("`{}` is not an unsigned const", path.text()))
        .help("name a `#[device] const` of type u32 or usize, or write a number");
}

/// Reports a subgroup size that no device has.
fn check_subgroup(number: u64, span: SpanRange, diags: &mut Diagnostics) {
    if !number.is_power_of_two() || number > MAX_SUBGROUP {
        diags
            .error(code::SUBGROUP_OPERAND, span, format!("a subgroup of {number} invocations is not possible"))
            .note("subgroups have a power of two of invocations, at most 128; most devices have 32 or 64")
            .help("write `subgroup = 32`, or leave it out and ask `subgroup_size()`");
    }
}

/// Digits.
pub(super) fn plain_size(literal: &Literal) -> Option<WorkgroupArg> {
    let size = Size::Number(literal.to_string().parse().ok()?);
    Some(WorkgroupArg { size, span: SpanRange::token(literal.span()) })
}

fn read_size(value: &Expr, diags: &mut Diagnostics) -> WorkgroupArg {
    let span = SpanRange::of(value);
    let size = match value {
        Expr::Group(group) => return read_size(&group.expr, diags),
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(int) if ["", "u32", "usize"].contains(&int.suffix()) => {
                // A number too large for u64 is as much over the limit as u64::MAX.
                Size::Number(int.base10_parse().unwrap_or(u64::MAX))
            }
            _ => bad_size(span, diags),
        },
        Expr::Path(path) if path.qself.is_none() && path.path.segments.iter().all(|it| it.arguments.is_none()) => {
            let segments = path.path.segments.iter().map(|segment| segment.ident.clone()).collect();
            Size::Const(Path::plain(path.path.leading_colon.is_some(), segments))
        }
        _ => bad_size(span, diags),
    };
    WorkgroupArg { size, span }
}

fn bad_size(span: SpanRange, diags: &mut Diagnostics) -> Size {
    diags
        .error(code::BAD_ATTRIBUTE, span, "a workgroup size is a whole number or the path of a `#[device] const`")
        .help("write `workgroup = 64`, `workgroup = [8, 8]` or `workgroup = SIZE`");
    Size::Error
}

fn const_size(path: &Path, program: &Program, kernel: ItemId) -> Option<u64> {
    let used = program.items[kernel].uses.get(&path.text())?;
    match &program.items[*used].typed {
        TypedItem::Const(constant) => match constant.value {
            ConstValue::U32(value) => Some(u64::from(value)),
            _ => None,
        },
        _ => None,
    }
}
