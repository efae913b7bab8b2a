//! The state of lowering one function: builder, variables, loop targets, source locations. No language construct is lowered here.

use std::collections::HashSet;

use gridwise_ir::arena::EntityId;
use gridwise_ir::builder::FunctionBuilder;
use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::few::Few;
use gridwise_ir::hash::FastMap;
use gridwise_ir::ir::{BufferId, FileId, FunctionId, LocalId, Place, SharedId, SiteId, SourceLocation, ValueId};
use gridwise_ir::types::TypeId;
use proc_macro2::Span;

use super::chain::Machine;
use super::control::Target;
use super::image::Named;
use super::inline::Frame;
use super::one_of::EndWrite;
use super::place::{Origin, Spot};
use super::reference::{Code, Home, Scope};
use super::{Elsewhere, KernelParam, Shared, function_of};
use crate::ast::{BindingId, Expr, ExprId, Fn, Param};
use crate::program::{ItemId, Program};
use crate::source;
use crate::typed::{Resolution, Ty, TypedFn};

/// The meaning of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// Of unit type, or declared where control never comes.
    Nothing,
    /// Never changes.
    Value(ValueId),
    /// Lies in memory: declared `mut`.
    Local(LocalId),
    /// Never changes, and lies in memory too, so that an index known at run time reaches its elements.
    Both(ValueId, LocalId),
    Buffer(BufferId),
    Shared(SharedId),
    /// A reference: another name of what a spot holds, by its number.
    Alias(u32),
    /// An image of a list, by its number.
    Image(u32),
    /// An iterator, by its number.
    Iterator(u32),
    /// A closure that runs where it is called, of a function around this one, by its number.
    Code(u32),
}

/// How many constants there is room for from the start.
const CONSTANTS: usize = 56;

/// Lowers one function.
pub(super) struct FnCx<'p, 'm, 's> {
    pub(super) shared: &'s mut Shared<'p>,
    pub(super) ast: &'p Fn,
    pub(super) typed: &'p TypedFn,
    pub(super) b: FunctionBuilder<'m>,
    /// The loops and labelled blocks around, by their expression.
    pub(super) targets: FastMap<ExprId, Target>,
    /// Bits of the lanes of scalars and vectors that are constant.
    pub(super) known: FastMap<ValueId, Few<u64>>,
    /// Values of other types whose bits are all zero.
    pub(super) zeros: HashSet<ValueId>,
    /// How many links of `let` conditions are around.
    pub(super) links_depth: u32,
    /// The origins of slices, by the calls that made them.
    pub(super) origins: FastMap<ExprId, Origin>,
    /// The referents of references.
    pub(super) spots: Vec<Spot>,
    /// Images of lists that variables name.
    pub(super) images: Vec<Named>,
    /// Iterators in variables.
    pub(super) machines: Vec<Machine<'p>>,
    /// Closures that were passed to functions which are lowered where they are called.
    pub(super) codes: Vec<Code<'p>>,
    /// The functions around the one that is being lowered where it is called; none in place of one whose closure runs.
    pub(super) callers: Vec<Option<Scope<'p>>>,
    /// The functions that gave iterators.
    pub(super) homes: Vec<Home<'p>>,
    /// How many bodies around are lowered where they are called.
    pub(super) copies: u32,
    /// The closures around that run where they stand and that a `return` can leave, innermost last.
    pub(super) inlined: Vec<Frame<'p>>,
    /// Const items that hold arrays.
    pub(super) const_slots: FastMap<ItemId, Slot>,
    pub(super) slots: Vec<Slot>,
    pub(super) file: FileId,
    pub(super) result: Option<TypeId>,
    pub(super) result_ty: &'p Ty,
    /// `self` of a method that writes it.
    pub(super) written: Option<BindingId>,
    /// The write of the ends of a function that is lowered where it is called.
    pub(super) end_write: Option<EndWrite<'p>>,
}

impl<'p, 'm, 's> FnCx<'p, 'm, 's> {
    pub(super) fn new(shared: &'s mut Shared<'p>, mut b: FunctionBuilder<'m>, item: ItemId) -> Self {
        let (ast, typed) = function_of(shared.program, item);
        let entry = &shared.program.items[item];
        let file = b.file(&file_path(shared.program, item));
        let (line, column) = entry.position;
        b.set_function_location(Some(SourceLocation { file, line: line.max(1), column: column.max(1) }));
        let slots = vec![Slot::Nothing; ast.binding_count];
        let result = super::result_type(shared, b.types_mut(), ast, typed);
        let written = if ast.writes_self() { ast.params.first().map(|param| param.binding) } else { None };
        let (targets, zeros, inlined, const_slots, spots, origins) = Default::default();
        let known = FastMap::with_capacity_and_hasher(CONSTANTS, Default::default());
        let (codes, callers, images, machines) = Default::default();
        Self {
            shared,
            ast,
            typed,
            b,
            targets,
            known,
            zeros,
            links_depth: 0,
            inlined,
            origins,
            spots,
            images,
            machines,
            codes,
            callers,
            homes: Vec::new(),
            copies: 0,
            const_slots,
            slots,
            file,
            result,
            result_ty: typed.result.as_ref().unwrap_or(&Ty::Unit),
            written,
            end_write: None,
        }
    }

    /// The file that an item stands in.
    pub(super) fn file_of(&mut self, item: ItemId) -> FileId {
        let path = file_path(self.shared.program, item);
        self.b.file(&path)
    }

    /// Lowers the kernel's body; its parameters come from the interface.
    pub(super) fn lower_kernel_body(mut self, params: &[KernelParam]) {
        for (param, kind) in self.ast.params.iter().zip(params) {
            match *kind {
                KernelParam::Buffer(buffer) => self.set_slot(param.binding, Slot::Buffer(buffer)),
                KernelParam::Value(id) => {
                    let value = self.b.param(id);
                    self.bind_param(param, Some(value));
                }
                KernelParam::Nothing => {}
            }
        }
        self.lower_body();
    }

    /// Lowers a device function's body; its parameters are the function's arguments.
    pub(super) fn lower_device_body(mut self) -> FunctionId {
        let mut arguments = self.b.arguments().to_vec().into_iter();
        for (param, ty) in self.ast.params.iter().zip(&self.typed.params) {
            if self.ty(ty).is_some()
                && let Some(value) = arguments.next()
            {
                self.bind_param(param, Some(value));
            }
        }
        self.lower_body()
    }

    fn lower_body(mut self) -> FunctionId {
        self.materialise_tables();
        let value = self.lower_block(&self.ast.body);
        self.emit_return(value);
        self.b.finish()
    }

    pub(super) fn bind_param(&mut self, param: &Param, value: Option<ValueId>) {
        self.bind(param.binding, &param.name, param.mutable, value);
    }

    /// Puts the const arrays that the function names where an index known at run time reaches them: once, at its start.
    pub(super) fn materialise_tables(&mut self) {
        let mut items: Vec<_> = self
            .typed
            .paths
            .values()
            .filter_map(|path| match path {
                Resolution::Const(item) => Some(*item),
                _ => None,
            })
            .collect();
        items.sort_unstable();
        items.dedup();
        for item in items {
            let constant = self.const_of(item);
            if self.holds_array(&constant.ty)
                && let Some(value) = self.constant(&constant.value, &constant.ty)
            {
                let name = self.const_name(item);
                let slot = self.in_memory(value, &name);
                self.const_slots.insert(item, slot);
            }
        }
    }

    /// The place of a const item with arrays.
    pub(super) fn const_slot(&self, item: ItemId) -> Option<Slot> {
        self.const_slots.get(&item).copied()
    }

    /// A slot with the value as it is and as a local variable.
    pub(super) fn in_memory(&mut self, value: ValueId, name: &str) -> Slot {
        let local = self.spill(value, name);
        Slot::Both(value, local)
    }

    /// A new local variable that holds `value`.
    pub(super) fn spill(&mut self, value: ValueId, name: &str) -> LocalId {
        let local = self.b.new_local(name, self.b.value_type(value));
        self.b.store(Place::local(local), value);
        local
    }

    /// Sets the function's result, when it is not that of the tree itself.
    pub(super) fn set_result(&mut self, result: Option<TypeId>, ty: &'p Ty) {
        self.result = result;
        self.result_ty = ty;
        self.written = None;
    }

    pub(super) fn slot(&self, binding: BindingId) -> Slot {
        self.slots[binding.index()]
    }

    pub(super) fn set_slot(&mut self, binding: BindingId, slot: Slot) {
        self.slots[binding.index()] = slot;
    }

    /// The IR type, `None` for unit and its like.
    pub(super) fn ty(&mut self, ty: &Ty) -> Option<TypeId> {
        self.shared.types.lower(self.b.types_mut(), ty)
    }

    /// The type that inference found for an expression.
    pub(super) fn ty_of(&self, expr: &Expr) -> &'p Ty {
        self.typed.ty(expr.id)
    }

    /// Whether values of the type contain arrays.
    pub(super) fn holds_array(&self, ty: &Ty) -> bool {
        self.shared.types.holds_array(ty)
    }

    /// The type that a `return` has to have here.
    pub(super) fn returned(&self) -> &'p Ty {
        self.inlined.last().map_or(self.result_ty, |frame| frame.ty)
    }

    /// Returns from the function, or the closure around; a function of unit type drops the value.
    pub(super) fn emit_return(&mut self, value: Option<ValueId>) {
        if let Some(frame) = self.inlined.last() {
            return self.leave_inline(*frame, value);
        }
        if let Some(written) = self.written
            && !self.b.is_terminated()
            && let Slot::Local(local) = self.slot(written)
        {
            return self.return_written(local, value);
        }
        match (self.result, value) {
            (None, _) => self.b.return_(None),
            (Some(_), Some(value)) => self.b.return_(Some(value)),
            (Some(_), None) => self.expect_left(),
        }
    }

    /// Returns from a method with the new `self`, in front of the result if there is one.
    fn return_written(&mut self, local: LocalId, value: Option<ValueId>) {
        let has_value = self.typed.result.as_ref().is_some_and(|ty| self.ty(ty).is_some());
        let new = self.b.load(Place::local(local));
        match (has_value, value, self.result) {
            (false, ..) => self.b.return_(Some(new)),
            (true, Some(value), Some(result)) => {
                let both = self.b.compose(result, &[new, value]);
                self.b.return_(Some(both));
            }
            _ => self.expect_left(),
        }
    }

    /// The place of a token in the source.
    pub(super) fn location(&self, span: Span) -> SourceLocation {
        let start = span.start();
        SourceLocation { file: self.file, line: start.line.max(1) as u32, column: start.column as u32 + 1 }
    }

    /// The place of an expression in the source.
    pub(super) fn location_of(&self, expr: &Expr) -> SourceLocation {
        self.location(expr.span.start)
    }

    /// Adds a trap site for an expression.
    pub(super) fn site(&mut self, kind: SiteKind, expr: &Expr) -> SiteId {
        let location = self.location_of(expr);
        if kind == SiteKind::IndexOutOfBounds && !self.shared.calls.is_empty() {
            let calls = self.shared.calls.clone();
            self.shared.elsewhere.push(Elsewhere { location, span: expr.span, calls });
        }
        self.b.site(kind, location, source::text(expr))
    }
}

/// The path of the file that an item stands in.
fn file_path(program: &Program, item: ItemId) -> String {
    match &program.items[item].file {
        file if file.is_empty() => function_of(program, item).0.name.span().file(),
        file => file.clone(),
    }
}
