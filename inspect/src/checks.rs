//! The checks that are left in a kernel, and why; what the host checks before a launch instead. Reads a module; changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use gridwise_ir::descriptor::{BoundOp, SiteKind};
use gridwise_ir::ir::{
    BlockId, Bound, Function, InstKind, Kernel, Module, Obligation, Place, Root, Site, SiteId, Step, ValueId,
};
use gridwise_ir::op::Op;
use gridwise_ir::types::{Scalar, Type};

use crate::source;

/// A check that the passes could not remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Check {
    /// The expression as written.
    pub(crate) text: String,
    pub(crate) place: source::Place,
    /// Whether it runs only in launches that do not meet the obligations.
    pub(crate) at_launch: bool,
    pub(crate) reason: String,
}

/// The checks that are left, in the order of their sites: of indices, of divisors, of bounds, and of what the kernel asserts.
pub(crate) fn residual(module: &Module) -> Vec<Check> {
    let mut found: BTreeMap<SiteId, Check> = BTreeMap::new();
    for (_, function) in module.functions.iter() {
        let definitions = Definitions::of(function);
        for kind in function.blocks.iter().flat_map(|(_, block)| &block.insts).map(|id| &function.insts[*id].kind) {
            for step in kind.place().iter().flat_map(|place| &place.path) {
                let Step::Index { value, check: Some(site) } = step else { continue };
                let Some(place) = kind.place() else { continue };
                let check = || describe(module, &definitions, place, *value, &module.sites[*site]);
                found.entry(*site).or_insert_with(check);
            }
            if let InstKind::Trap(site, _) | InstKind::Panic(site, _) = kind {
                found.entry(*site).or_insert_with(|| describe_trap(module, &module.sites[*site]));
            }
        }
    }
    found.into_values().collect()
}

/// A check that the kernel's own code makes: whether it fails depends on values that only the device has.
fn describe_trap(module: &Module, site: &Site) -> Check {
    let reason = match site.kind {
        SiteKind::DivideByZero | SiteKind::RemainderByZero => "the divisor may be zero",
        SiteKind::DivideOverflow | SiteKind::RemainderOverflow => "the quotient may not fit its type",
        SiteKind::ClampBounds => "the lower bound may be above the upper one, or a bound NaN",
        SiteKind::Panic => "the kernel panics where it gets here",
        SiteKind::IndexOutOfBounds => "the index may be out of range",
        SiteKind::Print | SiteKind::PrintError => "the kernel prints here",
    };
    let reason = if site.at_launch.is_some() { "only where the launch does not meet the conditions" } else { reason };
    let file = module.files[site.location.file].clone();
    Check {
        text: site.text.clone(),
        place: (file, site.location.line),
        at_launch: site.at_launch.is_some(),
        reason: reason.to_owned(),
    }
}

fn describe(module: &Module, definitions: &Definitions<'_>, place: &Place, index: ValueId, site: &Site) -> Check {
    let reason = match site.at_launch.is_some() {
        true => "only where the launch does not meet the conditions".to_owned(),
        false => {
            let mut causes = BTreeSet::new();
            definitions.causes(module, index, &mut causes, &mut BTreeSet::new());
            let what = match place.root {
                Root::Buffer(_) | Root::Member(..) => "the length of the tensor",
                Root::Shared(_) => "the length of the shared array",
                Root::Local(_) => "the length of the array",
            };
            match causes.first() {
                Some(cause) => format!("{}, so it may reach {what}", cause.text()),
                None => format!("nothing that is known of it at launch keeps it below {what}"),
            }
        }
    };
    let file = module.files[site.location.file].clone();
    Check { text: site.text.clone(), place: (file, site.location.line), at_launch: site.at_launch.is_some(), reason }
}

/// The causes of an unknown index, the plainest first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Cause {
    /// Read from a buffer of this name.
    Buffer(String),
    /// Read from a shared variable of this name.
    Shared(String),
    Atomic,
    Lanes,
    /// Read from an array of the invocation.
    Array,
    Converted,
    Wraps,
    Round,
    /// A parameter that is not unsigned, or part of one.
    Param(String),
}

impl Cause {
    fn text(&self) -> String {
        match self {
            Self::Buffer(name) => format!("the index comes from the elements of `{name}`"),
            Self::Shared(name) => format!("the index comes from shared memory, `{name}`"),
            Self::Atomic => "the index comes from an atomic operation".to_owned(),
            Self::Lanes => "the index comes from other lanes of the subgroup".to_owned(),
            Self::Array => "the index comes from an array in memory".to_owned(),
            Self::Converted => "the index is made of a float or a signed number".to_owned(),
            Self::Wraps => "the index is a difference or a product that may wrap around".to_owned(),
            Self::Round => "the index changes from round to round of a loop in no way that bounds it".to_owned(),
            Self::Param(name) => format!("the index depends on the parameter `{name}`"),
        }
    }
}

/// The definitions of a function's values.
struct Definitions<'a> {
    function: &'a Function,
    insts: BTreeMap<ValueId, &'a InstKind>,
    /// Parameters of loop bodies.
    rounds: BTreeMap<ValueId, BlockId>,
}

impl<'a> Definitions<'a> {
    fn of(function: &'a Function) -> Self {
        let mut insts = BTreeMap::new();
        let mut rounds = BTreeMap::new();
        for (id, block) in function.blocks.iter() {
            rounds.extend(block.params.iter().map(|param| (*param, id)));
            for inst in &block.insts {
                let inst = &function.insts[*inst];
                insts.extend(inst.results.iter().map(|result| (*result, &inst.kind)));
            }
        }
        Self { function, insts, rounds }
    }

    /// Gathers what keeps a value from being known, from what it is computed of.
    fn causes(&self, module: &Module, value: ValueId, causes: &mut BTreeSet<Cause>, seen: &mut BTreeSet<ValueId>) {
        if !seen.insert(value) {
            return;
        }
        if self.rounds.contains_key(&value) {
            causes.insert(Cause::Round);
            return;
        }
        let Some(kind) = self.insts.get(&value) else { return };
        let kernel = module.kernel.as_ref();
        match kind {
            InstKind::Load(place) => {
                let cause = match (place.root, kernel) {
                    (Root::Buffer(buffer) | Root::Member(buffer, _), Some(kernel)) => {
                        Cause::Buffer(kernel.buffers[buffer].name.clone())
                    }
                    (Root::Shared(shared), Some(kernel)) => Cause::Shared(kernel.shared[shared].name.clone()),
                    _ => Cause::Array,
                };
                causes.insert(cause);
            }
            InstKind::Atomic(_) => {
                causes.insert(Cause::Atomic);
            }
            InstKind::Subgroup(..) => {
                causes.insert(Cause::Lanes);
            }
            InstKind::Param(param) => {
                causes.extend(kernel.map(|kernel| Cause::Param(kernel.params[*param].name.clone())));
            }
            InstKind::Op(op, _) => {
                if matches!(op, Op::Sub | Op::Mul | Op::Shl | Op::Neg) {
                    causes.insert(Cause::Wraps);
                }
                if !self.is_unsigned_or_truth(module, kind) {
                    causes.insert(Cause::Converted);
                }
                kind.for_each_use(|operand| self.causes(module, operand, causes, seen));
            }
            _ => kind.for_each_use(|operand| self.causes(module, operand, causes, seen)),
        }
    }

    /// Whether all operands of an operation are unsigned integers or truth values.
    fn is_unsigned_or_truth(&self, module: &Module, kind: &InstKind) -> bool {
        let mut fits = true;
        kind.for_each_use(|operand| {
            fits &= match module.types.get(self.function.values[operand].ty) {
                Type::Scalar(scalar) => *scalar == Scalar::Bool || scalar.is_unsigned(),
                _ => true,
            };
        });
        fits
    }
}

/// An obligation with the names of the kernel's author.
pub(crate) fn obligation_text(kernel: &Kernel, obligation: &Obligation) -> String {
    format!("{} < {}", bound_text(kernel, &obligation.index), bound_text(kernel, &obligation.length))
}

fn bound_text(kernel: &Kernel, bound: &Bound) -> String {
    const AXES: [&str; 3] = ["x", "y", "z"];
    let axis = |axis: u8| AXES.get(usize::from(axis)).copied().unwrap_or("?");
    match bound {
        Bound::Const(number) => number.to_string(),
        Bound::Items(number) => format!("items.{}", axis(*number)),
        Bound::Groups(number) => format!("groups.{}", axis(*number)),
        Bound::Len(buffer) => format!("{}.len()", kernel.buffers[*buffer].name),
        Bound::Extent(image, along) => format!("{}.size().{}", kernel.buffers[*image].name, axis(*along)),
        Bound::Least(list) => format!("least {}[_].len()", kernel.buffers[*list].name),
        Bound::LeastExtent(list, along) => format!("least {}[_].size().{}", kernel.buffers[*list].name, axis(*along)),
        Bound::Constant(param) => kernel.constants[*param].name.clone(),
        Bound::Param(param, path) => {
            let fields: String = path.iter().map(|field| format!(".{field}")).collect();
            format!("{}{fields}", kernel.params[*param].name)
        }
        Bound::Binary(op, operands) => {
            let [a, b] = [&operands[0], &operands[1]].map(|operand| match operand {
                Bound::Binary(BoundOp::Min | BoundOp::Max, _) => bound_text(kernel, operand),
                Bound::Binary(..) => format!("({})", bound_text(kernel, operand)),
                _ => bound_text(kernel, operand),
            });
            match op {
                BoundOp::Add => format!("{a} + {b}"),
                BoundOp::Sub => format!("{a} - {b}"),
                BoundOp::Mul => format!("{a} * {b}"),
                BoundOp::Div => format!("{a} / {b}"),
                BoundOp::Min => format!("min({a}, {b})"),
                BoundOp::Max => format!("max({a}, {b})"),
                BoundOp::Shl => format!("{a} << {b}"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gridwise_ir::compile::{CompileOptions, compile};
    use gridwise_ir::parse::parse;

    use super::*;

    /// Whether each check that is left runs at launch only, and the reasons of those that do not. The descriptor says the same.
    #[track_caller]
    fn on_device(body: &str) -> Vec<String> {
        let text = format!(
            "file0 \"k.rs\"\nsite0 index_out_of_bounds @file0:2:5 \"y[i]\"\nsite1 divide_by_zero @file0:3:5 \"a / b\"\n\
             site2 panic @file0:4:5 \"panic!()\" format 0\nsite3 print @file0:5:5 \"println!()\" format 1\n\
             kernel fn0 workgroup(64, 1, 1) {{\n buffer0 y: [u32] mut\n param0 b: u32\n}}\nfn0 k() -> () {{\n \
             %0: vec3<u32> = global_id\n %1: u32 = extract %0.0\n %2: u32 = param0\n %3: u32 = const 0\n \
             %4: bool = eq %2, %3\n{body}\n return\n}}\n"
        );
        let mut module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let compiled = compile(module.clone(), &CompileOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        let _ = gridwise_ir::passes::optimize(&mut module);
        let left = residual(&module);
        let reasons: Vec<_> = left.into_iter().filter(|check| !check.at_launch).map(|check| check.reason).collect();
        assert_eq!(!reasons.is_empty(), compiled.facts.trap_binding.is_some() && compiled.facts.traps_anyway, "{text}");
        reasons
    }

    #[test]
    fn each_check_that_runs_in_every_launch_is_counted() {
        let index = " store buffer0[%1 !site0] = %1";
        let read = " %5: u32 = load buffer0[%1 !site0]\n %6: bool = eq %5, %3";
        let trap =
            |condition: &str| format!(" if {condition} {{\n trap site1(%1, %2)\n yield\n }} else {{\n yield\n }}");
        let panic = |condition: &str| format!(" if {condition} {{\n panic site2()\n }} else {{\n yield\n }}");
        let print = " print site3()";
        let nothing = Vec::<String>::new();
        assert_eq!(on_device(index), nothing);
        assert_eq!(on_device(print), nothing);
        // The host knows a parameter, and asks for one with which nothing traps.
        assert_eq!(on_device(&trap("%4")), nothing);
        assert_eq!(on_device(&[index, &panic("%4")].join("\n")), nothing);
        // It does not know the elements.
        assert_eq!(on_device(&[read, &trap("%6")].join("\n")), ["the divisor may be zero"]);
        assert_eq!(on_device(&[read, &panic("%6")].join("\n")), ["the kernel panics where it gets here"]);
    }
}
