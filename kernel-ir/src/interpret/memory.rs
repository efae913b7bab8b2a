//! Buffers and shared variables, places resolved to cells, and every access told to the shadow.

use super::finding::{Kind, Object};
use super::image::ImageInput;
use super::settled;
use super::shadow::Shadow;
use super::step::Context;
use super::thread::Thread;
use super::{InterpretError, Trap, Value};
use crate::arena::EntityId;
use crate::few::Few;
use crate::ir::{BufferId, Module, Place, Root, SiteId, Step};
use crate::types::{Type, TypeId, Types};

/// The memory that invocations share, and what they record.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) buffers: Vec<Vec<Value>>,
    /// Of the buffers that are images.
    pub(super) images: Vec<Vec<ImageInput>>,
    /// Of the buffers that are lists: how many elements each member has. They lie one behind the other.
    pub(super) lists: Vec<Option<Vec<u32>>>,
    pub(super) shared: Vec<Value>,
    pub(super) traps: Vec<Trap>,
    pub(super) prints: Vec<Trap>,
    pub(super) shadow: Option<Shadow>,
}

/// A place as numbers.
#[derive(Debug, Clone)]
pub(super) struct Access {
    root: Root,
    path: Few<u32>,
    /// The scalars of the root that it names: the number of the first, and how many.
    first: u64,
    count: u64,
    /// Whether its author vouches for what races.
    is_unordered: bool,
}

impl Access {
    /// A texel of an image, of so many scalars.
    pub(super) fn texel(image: BufferId, number: u32, scalars: u64) -> Self {
        Self {
            root: Root::Buffer(image),
            path: Few::from([number]),
            first: u64::from(number) * scalars,
            count: scalars,
            is_unordered: false,
        }
    }

    /// The memory it is in, unless that is the invocation's own.
    pub(super) fn object(&self) -> Option<Object> {
        match self.root {
            Root::Local(_) => None,
            Root::Buffer(buffer) | Root::Member(buffer, _) => Some(Object::Buffer(buffer)),
            Root::Shared(shared) => Some(Object::Shared(shared)),
        }
    }

    /// The numbers of the scalars it names.
    pub(super) fn scalars(&self) -> std::ops::Range<u64> {
        self.first..self.first + self.count
    }
}

impl Memory {
    /// Memory with these buffers. Shared variables are zero.
    pub(super) fn new(module: &Module, buffers: Vec<Vec<Value>>, shadow: Option<Shadow>) -> Self {
        let mut memory = Self { buffers, shadow, ..Self::default() };
        memory.start_group(module);
        memory
    }

    /// Forgets what the workgroup before left in shared variables.
    pub(super) fn start_group(&mut self, module: &Module) {
        let shared = module.kernel.iter().flat_map(|kernel| kernel.shared.iter());
        self.shared = shared.map(|(_, shared)| Value::zero(&module.types, shared.ty)).collect();
        if let Some(shadow) = &mut self.shadow {
            shadow.start_group();
        }
    }

    /// Elements of a buffer, or members of a list.
    pub(super) fn len(&self, buffer: BufferId) -> u32 {
        let len = match self.members(buffer) {
            Some(members) => members.len(),
            None => self.buffers[buffer.index()].len(),
        };
        u32::try_from(len).expect("buffers are small")
    }

    fn members(&self, list: BufferId) -> Option<&Vec<u32>> {
        self.lists.get(list.index())?.as_ref()
    }

    /// The range of a member's elements in its list; empty if there is no such member.
    pub(super) fn member(&self, list: BufferId, member: u32) -> std::ops::Range<u32> {
        let Some(members) = self.members(list) else { return 0..0 };
        let Some(len) = members.get(member as usize) else { return 0..0 };
        let start = members[..member as usize].iter().sum();
        start..start + len
    }

    /// A place as numbers; `None` after a failed check, which has been recorded.
    pub(super) fn resolve(
        &mut self,
        cx: &Context<'_>,
        thread: &mut Thread<'_>,
        place: &Place,
    ) -> Result<Option<Access>, InterpretError> {
        self.resolve_with(cx, thread, place, None)
    }

    /// As [`resolve`](Self::resolve), with another index at the end, which is in range.
    pub(super) fn resolve_at(
        &mut self,
        cx: &Context<'_>,
        thread: &mut Thread<'_>,
        place: &Place,
        last: u32,
    ) -> Result<Access, InterpretError> {
        let outside = || InterpretError::Undefined(format!("a matrix reaches index {last}"));
        self.resolve_with(cx, thread, place, Some(last))?.ok_or_else(outside)
    }

    fn resolve_with(
        &mut self,
        cx: &Context<'_>,
        thread: &mut Thread<'_>,
        place: &Place,
        last: Option<u32>,
    ) -> Result<Option<Access>, InterpretError> {
        let types = &cx.module.types;
        let kernel = cx.module.kernel.as_ref();
        let is_unordered = place.is_unordered;
        let mut access = Access { root: place.root, path: Few::new(), first: 0, count: 0, is_unordered };
        // The type of what the next step goes into; `None` for the buffer itself.
        let mut ty = match place.root {
            Root::Local(local) => Some(thread.frame().function.locals[local].ty),
            Root::Shared(shared) => kernel.map(|kernel| kernel.shared[shared].ty),
            Root::Buffer(_) | Root::Member(..) => None,
        };
        let window = match place.root {
            Root::Member(list, member) => self.member(list, thread.frame().value(member).bits()),
            _ => 0..0,
        };
        for (depth, step) in place.path.iter().enumerate() {
            let index = match *step {
                Step::Joined { .. } => unreachable!("elements are read one by one"),
                Step::Field(index) => index,
                Step::Element(value) => {
                    let element = ty.and_then(|ty| types.held_element(ty)).expect("the verifier follows every path");
                    let (index, len) = (thread.frame().value(value).bits(), scalars(types, ty.unwrap_or(element)));
                    if u64::from(index) >= len {
                        return Err(InterpretError::Undefined(format!("element {index} of a matrix of {len}")));
                    }
                    access.first += u64::from(index);
                    access.path.push(index);
                    ty = Some(element);
                    continue;
                }
                Step::Index { value, check } => {
                    let is_last = depth + 1 == place.path.len();
                    let index = last.filter(|_| is_last).unwrap_or_else(|| thread.frame().value(value).bits());
                    let len = match (ty, place.root) {
                        (Some(ty), _) => member_count(types, ty),
                        (None, Root::Buffer(buffer)) => self.len(buffer),
                        (None, Root::Member(..)) => window.len() as u32,
                        (None, _) => unreachable!("only buffers have no type"),
                    };
                    if index >= len {
                        return self.out_of_range(cx.module, check, index, len).map(|()| None);
                    }
                    if ty.is_none() { window.start + index } else { index }
                }
            };
            let (before, inner) = match (ty, place.root) {
                (Some(ty), _) => (scalars_before(types, ty, index), types.member(ty, index)),
                (None, Root::Buffer(buffer) | Root::Member(buffer, _)) => {
                    let element = kernel.expect("buffers belong to a kernel").buffers[buffer].element;
                    (u64::from(index) * scalars(types, element), Some(element))
                }
                (None, _) => unreachable!("only buffers have no type"),
            };
            access.first += before;
            access.path.push(index);
            ty = inner;
        }
        access.count = scalars(types, ty.expect("the verifier follows every path"));
        Ok(Some(access))
    }

    fn out_of_range(
        &mut self,
        module: &Module,
        check: Option<SiteId>,
        index: u32,
        len: u32,
    ) -> Result<(), InterpretError> {
        match check {
            Some(site) if module.sites[site].is_quiet => Ok(()),
            Some(site) => {
                self.traps.push(Trap { site, operands: vec![index, len] });
                Ok(())
            }
            None => Err(InterpretError::Undefined(format!("unchecked index {index} of {len}"))),
        }
    }

    /// Reads cells.
    pub(super) fn read(&mut self, cx: &Context<'_>, thread: &mut Thread<'_>, access: &Access) -> Value {
        if let Some(shadow) = self.shadow.as_mut().filter(|_| !access.is_unordered) {
            shadow.access(cx.module, thread, access, Kind::Read);
        }
        self.cell(thread, access).clone()
    }

    /// Writes cells.
    pub(super) fn write(&mut self, cx: &Context<'_>, thread: &mut Thread<'_>, access: &Access, value: Value) {
        if let Some(shadow) = self.shadow.as_mut().filter(|_| !access.is_unordered) {
            shadow.access(cx.module, thread, access, Kind::Write);
        }
        *self.cell(thread, access) = value;
    }

    /// The cells of an access.
    pub(super) fn cell<'a>(&'a mut self, thread: &'a mut Thread<'_>, access: &Access) -> &'a mut Value {
        match (access.root, &access.path[..]) {
            (Root::Local(local), path) => thread.frame().locals[local.index()].member(path),
            (Root::Shared(shared), path) => self.shared[shared.index()].member(path),
            (Root::Buffer(buffer) | Root::Member(buffer, _), [first, rest @ ..]) => {
                self.buffers[buffer.index()][*first as usize].member(rest)
            }
            (Root::Buffer(_) | Root::Member(..), []) => unreachable!("a place in a buffer begins with an index"),
        }
    }
}

fn member_count(types: &Types, ty: TypeId) -> u32 {
    match types.get(ty) {
        Type::Vector(_, lanes) => u32::from(*lanes),
        Type::Array(_, len) => settled(*len),
        _ => unreachable!("only arrays and vectors are indexed"),
    }
}

/// How many scalars a value of the type has.
pub(super) fn scalars(types: &Types, ty: TypeId) -> u64 {
    match types.get(ty) {
        Type::Unit => 0,
        Type::Scalar(_) => 1,
        Type::Vector(_, lanes) => u64::from(*lanes),
        Type::Coop(ty) => u64::from(ty.len()),
        Type::Array(element, len) => u64::from(settled(*len)) * scalars(types, *element),
        Type::Tuple(members) => members.iter().map(|member| scalars(types, *member)).sum(),
        Type::Struct(id) => types.struct_def(*id).fields.iter().map(|field| scalars(types, field.ty)).sum(),
    }
}

/// How many scalars stand before a member.
fn scalars_before(types: &Types, ty: TypeId, member: u32) -> u64 {
    match types.get(ty) {
        Type::Vector(..) => u64::from(member),
        Type::Array(element, _) => u64::from(member) * scalars(types, *element),
        _ => (0..member).filter_map(|before| types.member(ty, before)).map(|before| scalars(types, before)).sum(),
    }
}
