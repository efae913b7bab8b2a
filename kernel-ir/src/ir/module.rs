//! Modules: one kernel, the functions it calls, the types, source files and trap sites they name.

use super::{FloatRules, Function, FunctionId, Image, Obligation};
use crate::arena::{Arena, EntityId};
use crate::descriptor::SiteKind;
use crate::entity_id;
use crate::few::Few;
use crate::types::{ConstParamId, Scalar, Size, TypeId, Types};

entity_id!(
    /// A buffer parameter of the kernel.
    BufferId,
    "buffer"
);
entity_id!(
    /// A by-value parameter of the kernel.
    ParamId,
    "param"
);
entity_id!(
    /// A variable that a workgroup's invocations share.
    SharedId,
    "shared"
);
entity_id!(
    /// A place in the source that can trap or print.
    SiteId,
    "site"
);
entity_id!(
    /// A source file.
    FileId,
    "file"
);

/// A kernel with all it needs to be compiled.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Module {
    /// Types of values and memory.
    pub types: Types,
    /// Functions, callees before callers. Invariant: no recursion.
    pub functions: Arena<FunctionId, Function>,
    /// The kernel; `None` only in tests of single functions.
    pub kernel: Option<Kernel>,
    /// Sites of traps and prints.
    pub sites: Arena<SiteId, Site>,
    /// Paths of source files.
    pub files: Arena<FileId, String>,
}

/// The kernel: its function and its interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// The function that runs once per invocation; it has no parameters and returns unit.
    pub function: FunctionId,
    /// Invocations per workgroup along x, y, z; never zero.
    pub workgroup: [Size; 3],
    /// The const parameters in order; the number of each is its specialization constant's.
    pub constants: Arena<ConstParamId, ConstParam>,
    /// `&[T]` and `&mut [T]` parameters in order; binding numbers are their positions.
    pub buffers: Arena<BufferId, Buffer>,
    /// By-value parameters in order.
    pub params: Arena<ParamId, PushParam>,
    /// The checks of the host before a launch. The launch tells the kernel whether they hold.
    pub obligations: Vec<Obligation>,
    /// Variables of the workgroup.
    pub shared: Arena<SharedId, Shared>,
    /// The number of lanes the kernel demands of a subgroup, a power of two.
    pub subgroup_size: Option<u32>,
    /// Whether the kernel must run with all invocations of every workgroup, even if no instruction is left that waits for them.
    pub full_workgroups: bool,
    /// The guarantees of exact float arithmetic that the kernel waives.
    pub float_rules: FloatRules,
}

impl Module {
    /// Whether a workgroup or an array has the const parameter for its size, which is then at least 1.
    pub fn is_size(&self, kernel: &Kernel, param: ConstParamId) -> bool {
        let size = Size::Param(param);
        kernel.workgroup.contains(&size) || self.types.has_len(size)
    }
}

impl Kernel {
    /// The claims of a buffer's elements, if invocations claim them.
    pub fn claims_of(&self, buffer: BufferId) -> Option<BufferId> {
        let next = buffer.index() + 1;
        (next < self.buffers.len()).then(|| BufferId::new(next)).filter(|next| self.buffers[*next].is_claims)
    }

    /// A kernel without parameters.
    pub fn new<S: Into<Size>>(function: FunctionId, workgroup: [S; 3]) -> Self {
        Self {
            function,
            workgroup: workgroup.map(Into::into),
            constants: Arena::new(),
            buffers: Arena::new(),
            params: Arena::new(),
            obligations: Vec::new(),
            shared: Arena::new(),
            subgroup_size: None,
            full_workgroups: false,
            float_rules: FloatRules::default(),
        }
    }

    /// Whether the launch decides how wide a workgroup is.
    pub fn has_open_workgroup(&self) -> bool {
        self.workgroup.iter().any(|size| size.known().is_none())
    }
}

/// A const parameter of the kernel: a specialization constant of its module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConstParam {
    /// The parameter's name.
    pub name: String,
    /// An integer or `bool`.
    pub scalar: Scalar,
    /// The bits it has where nothing else is said, those above its width zero.
    pub default: u64,
}

/// A storage buffer, texel buffer or image of the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    /// The parameter's name.
    pub name: String,
    /// Type of one element.
    pub element: TypeId,
    /// Whether stores are allowed (`&mut [T]`). No other parameter names the same memory.
    pub writable: bool,
    /// Whether it is a list of buffers, each with such elements; with `image`, of images.
    pub is_list: bool,
    /// The image, if the parameter has texels for elements.
    pub image: Option<Image>,
    /// Whether it is a uniform texel buffer and not a storage buffer, so that its elements are fetched as texels are.
    pub is_texels: bool,
    /// The property of its elements that was checked before the launch: then nobody writes it.
    pub checked: Option<Checked>,
    /// Whether it has a word for each element of the buffer before it: the invocation that claimed the element in a launch, counted from
    /// one; zero before. A claimed element is written by no other invocation.
    pub is_claims: bool,
}

/// A property of a buffer's elements that proofs rest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checked {
    /// They all differ.
    Distinct,
    /// None is less than the one before it, and none is above 2^31 - 1: where rows begin that lie one behind the other.
    Offsets,
}

impl Checked {
    /// The name of the parameter's type.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Distinct => "Distinct",
            Self::Offsets => "Offsets",
        }
    }
}

impl Buffer {
    /// A storage buffer that is only read.
    pub fn new(name: impl Into<String>, element: TypeId) -> Self {
        Self {
            name: name.into(),
            element,
            writable: false,
            is_list: false,
            image: None,
            is_texels: false,
            checked: None,
            is_claims: false,
        }
    }
}

/// A by-value parameter of the kernel: it lies in the push-constant block (a `bool` as a `u32`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushParam {
    /// The parameter's name.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
}

/// A variable that the invocations of a workgroup share. All its bits are zero when the workgroup starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// The user's name for it.
    pub name: String,
    /// Its type; any that a local variable may have.
    pub ty: TypeId,
}

/// A place in the source that can trap or print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The kind of fault.
    pub kind: SiteKind,
    /// The place in the source.
    pub location: SourceLocation,
    /// The expression as the user wrote it.
    pub text: String,
    /// For panics and prints: the format of the message, by its number in the front end's own table.
    pub format: Option<u32>,
    /// Whether nothing is recorded there, because an access before it through the same indices did so.
    pub is_quiet: bool,
    /// The numbers of the kernel's obligations under which every index with this site is in range, in order; `None` where the device
    /// checks in any case.
    pub at_launch: Option<Few<u32>>,
}

impl Site {
    /// A site that records what happens there, as far as is known.
    pub fn new(kind: SiteKind, location: SourceLocation, text: impl Into<String>, format: Option<u32>) -> Self {
        Self { kind, location, text: text.into(), format, is_quiet: false, at_launch: None }
    }
}

/// A position in a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SourceLocation {
    /// The file.
    pub file: FileId,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}
