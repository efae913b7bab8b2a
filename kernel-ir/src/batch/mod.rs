//! The choice of kernels that can run several items per invocation, so that their elements travel as vectors. It
//! changes nothing.
//!
//! Drivers do not merge scalar accesses into wide ones, neither those of neighbouring invocations nor those of one. So
//! a kernel whose invocations each have an element of their own in a buffer, the one at `global_id().x`, gets a second
//! entry point: there an invocation loads the elements of several items as vectors, runs the kernel's code for one item
//! after the other on variables in place of the elements, and stores those as vectors. The code sees the same values,
//! because `global_id` is the item's. There is no second entry if the code could see a difference (ids of workgroups,
//! barriers, atomics) or can trap on the device.
//!
//! A launch takes it where the obligations of the batch hold besides the kernel's own: every item has its element in each of
//! these buffers, and all items pass the guards around what they write.

mod flow;
mod survey;

use crate::arena::EntityId;
use crate::ir::{Bound, BoundOp, BufferId, Kernel, Module, Obligation, SourceLocation};
use crate::types::{Scalar, Size, Type, TypeId, Types};

use flow::Flow;
use survey::Survey;

/// The numbers of items that a kernel may ask for, besides 1.
pub const COUNTS: [u32; 3] = [2, 4, 8];

/// Bytes of the widest access there is.
const WIDEST: u32 = 16;

/// How many items an invocation runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Request {
    /// As many as seem best.
    #[default]
    Automatic,
    /// One.
    One,
    /// This number, one of [`COUNTS`].
    Items(u32),
}

/// A kernel's second entry: several items per invocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Items of an invocation, a power of two.
    pub items: u32,
    /// The buffers whose elements at `global_id().x` travel as vectors, by number.
    pub own: Vec<Option<Own>>,
    /// Conditions on a launch besides the kernel's obligations.
    pub obligations: Vec<Obligation>,
}

/// How an item's own element of a buffer travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Own {
    /// The element's scalars.
    pub scalar: Scalar,
    /// How many it has.
    pub lanes: u32,
    /// Lanes of the vectors that hold several elements.
    pub width: u32,
    /// Whether the element's value before the launch is needed.
    pub is_loaded: bool,
    /// Whether it is written.
    pub is_stored: bool,
    /// Whether the buffer is read at other places, too.
    pub is_read_elsewhere: bool,
}

/// Why an invocation cannot run several items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// The workgroup is one invocation wide, or has more than one axis, or is a const parameter.
    Workgroup,
    /// Something tells how invocations are put together, or lets one see what another does.
    Together,
    /// It may panic, and the host cannot exclude that before the launch.
    Panic,
    /// It prints.
    Print,
    /// No buffer has an element for each item that is narrower than the widest access.
    NoElement,
}

/// The obstacle to a batch, and its place in the source.
pub type Refusal = (Obstacle, Option<SourceLocation>);

/// How an optimised module's kernel runs several items per invocation; `None` where nobody asked and it would be no gain.
///
/// # Errors
/// When it cannot.
pub fn find(module: &Module, kernel: &Kernel, request: Request) -> Result<Option<Batch>, Refusal> {
    let [x, y, z] = kernel.workgroup;
    if x == Size::Known(1) || [y, z] != [Size::Known(1); 2] || kernel.has_open_workgroup() {
        return Err((Obstacle::Workgroup, None));
    }
    if kernel.full_workgroups {
        return Err((Obstacle::Together, None));
    }
    let survey = Survey::of(module, kernel)?;
    let mut own = own_buffers(&survey);
    let some = || own.iter().flatten();
    if some().next().is_none() {
        return Err((Obstacle::NoElement, None));
    }
    let items = match request {
        Request::One => return Ok(None),
        Request::Items(items) => items,
        Request::Automatic if is_scattered(&survey, &own) => return Ok(None),
        Request::Automatic if some().all(|own| own.size() == 8) => 2,
        Request::Automatic => 4,
    };
    let flow = Flow::of(&survey);
    let mut lengths = flow.guards;
    for (number, own) in own.iter_mut().enumerate() {
        let Some(own) = own else { continue };
        let id = BufferId::new(number);
        own.width = [4, 2].into_iter().find(|width| own.fits(*width, items)).unwrap_or(1);
        let is_read = flow.read.contains(&id);
        let is_partial = flow.partial.contains(&id);
        own.is_loaded = is_read || is_partial && own.is_stored;
        if request == Request::Automatic && is_partial && own.is_stored && !is_read {
            // Elements that stay as they are would have to be read.
            return Ok(None);
        }
        lengths.push(Bound::Len(id));
    }
    let last = Bound::binary(BoundOp::Sub, Bound::Items(0), Bound::Const(1));
    let mut obligations: Vec<Obligation> = Vec::new();
    for length in lengths {
        let obligation = Obligation { index: last.clone(), length, in_all: None };
        if !obligations.contains(&obligation) {
            obligations.push(obligation);
        }
    }
    Ok(Some(Batch { items, own, obligations }))
}

impl Own {
    /// How elements of a type travel, if they can.
    fn of(types: &Types, element: TypeId) -> Option<Self> {
        let (scalar, lanes) = match *types.get(element) {
            Type::Scalar(scalar) => (scalar, 1),
            Type::Vector(scalar, lanes) => (scalar, u32::from(lanes)),
            _ => return None,
        };
        let own = Self { scalar, lanes, width: 1, is_loaded: false, is_stored: false, is_read_elsewhere: false };
        // An element as wide as an access needs no other.
        (scalar != Scalar::Bool && own.size() < WIDEST).then_some(own)
    }

    /// Bytes of an element.
    const fn size(self) -> u32 {
        self.scalar.bits() / 8 * self.lanes
    }

    const fn fits(self, width: u32, items: u32) -> bool {
        self.scalar.bits() / 8 * width <= WIDEST && (items * self.lanes).is_multiple_of(width)
    }
}

/// The buffers whose elements can travel as vectors. Of one that is written, all accesses must be to the item's own element.
fn own_buffers(survey: &Survey<'_>) -> Vec<Option<Own>> {
    let own = survey.kernel.buffers.iter().map(|(id, buffer)| {
        let accesses = || survey.accesses.iter().filter(|access| access.buffer == id);
        let (is_own, is_elsewhere) = (accesses().any(|access| access.is_own), accesses().any(|access| !access.is_own));
        // Texels are vectors already, or asked for one by one.
        if !is_own || buffer.is_texels || buffer.writable && is_elsewhere {
            return None;
        }
        let is_stored = accesses().any(|access| access.is_store);
        Some(Own { is_stored, is_read_elsewhere: is_elsewhere, ..Own::of(&survey.module.types, buffer.element)? })
    });
    own.collect()
}

/// Whether other accesses would come in a worse order, or the code is such that memory is not what it waits for.
fn is_scattered(survey: &Survey<'_>, own: &[Option<Own>]) -> bool {
    let travels = |access: &survey::Access| access.is_own && own[access.buffer.index()].is_some();
    survey.has_loop || !survey.accesses.iter().all(|access| travels(access) || access.is_uniform)
}
