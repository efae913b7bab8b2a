//! Builders that put modules and functions together; they panic on misuse and never on what a user wrote.
//!
//! ```
//! use gridwise_ir::builder::ModuleBuilder;
//! use gridwise_ir::ir::{Builtin, Place};
//! use gridwise_ir::op::Op;
//!
//! let mut module = ModuleBuilder::new();
//! let f32_ = module.types_mut().scalar(gridwise_ir::types::Scalar::F32);
//! module.begin_kernel([64, 1, 1]);
//! let y = module.buffer("y", f32_, true);
//! let mut b = module.kernel_function("double");
//! let id = b.builtin(Builtin::GlobalId);
//! let i = b.extract(id, &[0]);
//! let cell = Place::element(y, i, None);
//! let old = b.load(cell.clone());
//! let new = b.op(Op::Add, &[old, old]);
//! b.store(cell, new);
//! b.finish();
//! gridwise_ir::verify::verify(&module.finish()).unwrap();
//! ```
//!
//! # Divergence
//! A block is *terminated* once it has a terminator. An instruction added to a terminated block is dropped without a
//! word: the methods still give back values of the right type, which no instruction defines. So a lowering needs no
//! special case for code after `break`, `continue` or `return`; [`FunctionBuilder::is_terminated`] tells when it may
//! save the work. Control never comes out of an `if` or `switch` none of whose blocks yields, nor out of a `loop` that
//! nothing breaks: the builder adds `unreachable` right after such an instruction (the verifier demands it), which
//! terminates the block.

mod control;
mod function;
mod parallel;

use crate::arena::{Arena, EntityId};
use crate::descriptor::SiteKind;
use crate::ir::{
    Block, Buffer, BufferId, Checked, ConstParam, ConstParamId, FileId, Function, FunctionId, Image, Kernel, Module,
    ParamId, PushParam, Shared, SharedId, Site, SiteId, SourceLocation, Value,
};
use crate::types::{Scalar, Size, TypeId, Types};

/// Instructions of the body of a small loop.
const ROOM: usize = 16;

pub use function::FunctionBuilder;

/// Builds a module: files, sites, the kernel's interface and functions, callees first.
#[derive(Debug, Default)]
pub struct ModuleBuilder {
    module: Module,
}

impl ModuleBuilder {
    /// An empty module.
    pub fn new() -> Self {
        Self::default()
    }

    /// The types known so far.
    pub fn types(&self) -> &Types {
        &self.module.types
    }

    /// The types, to add some.
    pub fn types_mut(&mut self) -> &mut Types {
        &mut self.module.types
    }

    /// The module as it is now.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The id of a source file, the same for equal paths.
    pub fn file(&mut self, path: &str) -> FileId {
        add_file(&mut self.module, path)
    }

    /// Adds a trap site.
    pub fn site(&mut self, kind: SiteKind, location: SourceLocation, text: impl Into<String>) -> SiteId {
        self.module.sites.push(Site::new(kind, location, text, None))
    }

    /// Starts the kernel's interface; its function follows with [`Self::kernel_function`].
    ///
    /// # Panics
    /// When the module has a kernel already.
    #[track_caller]
    pub fn begin_kernel<S: Into<Size>>(&mut self, workgroup: [S; 3]) {
        assert!(self.module.kernel.is_none(), "a module has one kernel");
        let function = FunctionId::new(u32::MAX as usize);
        self.module.kernel = Some(Kernel::new(function, workgroup));
    }

    /// Adds a const parameter to the kernel; `begin_kernel` may have named it by its number.
    ///
    /// # Panics
    /// Before [`Self::begin_kernel`].
    #[track_caller]
    pub fn const_param(&mut self, name: impl Into<String>, scalar: Scalar, default: u64) -> ConstParamId {
        self.kernel_mut().constants.push(ConstParam { name: name.into(), scalar, default })
    }

    /// Adds a buffer parameter to the kernel.
    ///
    /// # Panics
    /// Before [`Self::begin_kernel`].
    #[track_caller]
    pub fn buffer(&mut self, name: impl Into<String>, element: TypeId, writable: bool) -> BufferId {
        self.add_buffer(Buffer { writable, ..Buffer::new(name, element) })
    }

    /// Adds a buffer parameter to the kernel whose elements were checked.
    ///
    /// # Panics
    /// Before [`Self::begin_kernel`].
    #[track_caller]
    pub fn checked(&mut self, name: impl Into<String>, element: TypeId, checked: Checked) -> BufferId {
        self.add_buffer(Buffer { checked: Some(checked), ..Buffer::new(name, element) })
    }

    /// Adds the claims of the buffer parameter that was added last.
    ///
    /// # Panics
    /// Before [`Self::begin_kernel`].
    #[track_caller]
    pub fn claims(&mut self, name: impl Into<String>, element: TypeId) -> BufferId {
        self.add_buffer(Buffer { writable: true, is_claims: true, ..Buffer::new(name, element) })
    }

    /// Adds a buffer parameter to the kernel whose elements are fetched as texels are.
    ///
    /// # Panics
    /// Before [`Self::begin_kernel`].
    #[track_caller]
    pub fn texels(&mut self, name: impl Into<String>, element: TypeId) -> BufferId {
        self.add_buffer(Buffer { is_texels: true, ..Buffer::new(name, element) })
    }

    #[track_caller]
    fn add_buffer(&mut self, buffer: Buffer) -> BufferId {
        self.kernel_mut().buffers.push(buffer)
    }

    /// Adds a parameter to the kernel that is a list of buffers.
    ///
    /// # Panics
    /// Before [`Self::begin_kernel`].
    #[track_caller]
    pub fn list(&mut self, name: impl Into<String>, element: TypeId, writable: bool) -> BufferId {
        self.add_buffer(Buffer { writable, is_list: true, ..Buffer::new(name, element) })
    }

    /// Adds an image parameter to the kernel.
    ///
    /// # Panics
    /// Before [`Self::begin_kernel`].
    #[track_caller]
    pub fn image(&mut self, name: impl Into<String>, image: Image, writable: bool) -> BufferId {
        let element = self.types_mut().intern(image.texel());
        self.add_buffer(Buffer { writable, image: Some(image), ..Buffer::new(name, element) })
    }

    /// Adds a parameter to the kernel that is a list of images.
    ///
    /// # Panics
    /// Before [`Self::begin_kernel`].
    #[track_caller]
    pub fn image_list(&mut self, name: impl Into<String>, image: Image, writable: bool) -> BufferId {
        let element = self.types_mut().intern(image.texel());
        self.add_buffer(Buffer { writable, is_list: true, image: Some(image), ..Buffer::new(name, element) })
    }

    /// Adds a by-value parameter to the kernel.
    ///
    /// # Panics
    /// Before [`Self::begin_kernel`].
    #[track_caller]
    pub fn param(&mut self, name: impl Into<String>, ty: TypeId) -> ParamId {
        self.kernel_mut().params.push(PushParam { name: name.into(), ty })
    }

    /// Adds a variable of the workgroup to the kernel; a function builder can do so too.
    ///
    /// # Panics
    /// Before [`Self::begin_kernel`].
    #[track_caller]
    pub fn shared(&mut self, name: impl Into<String>, ty: TypeId) -> SharedId {
        self.kernel_mut().shared.push(Shared { name: name.into(), ty })
    }

    #[track_caller]
    fn kernel_mut(&mut self) -> &mut Kernel {
        self.module.kernel.as_mut().expect("`begin_kernel` comes first")
    }

    /// Starts a function; it joins the module with [`FunctionBuilder::finish`]. `result` may be unit.
    pub fn function(
        &mut self,
        name: impl Into<String>,
        params: &[(&str, TypeId)],
        result: TypeId,
    ) -> FunctionBuilder<'_> {
        FunctionBuilder::new(&mut self.module, new_function(name.into(), params, result), false)
    }

    /// Starts the kernel's function, which has no parameters and returns unit.
    ///
    /// # Panics
    /// Before [`Self::begin_kernel`].
    #[track_caller]
    pub fn kernel_function(&mut self, name: impl Into<String>) -> FunctionBuilder<'_> {
        self.kernel_mut();
        let unit = self.module.types.unit();
        FunctionBuilder::new(&mut self.module, new_function(name.into(), &[], unit), true)
    }

    /// The module. It is not verified yet.
    pub fn finish(self) -> Module {
        self.module
    }
}

/// A function whose entry block has parameters and nothing else.
fn new_function(name: String, params: &[(&str, TypeId)], result: TypeId) -> Function {
    let mut values = Arena::new();
    let named = |(name, ty): &(&str, TypeId)| Value { ty: *ty, name: (!name.is_empty()).then(|| (*name).into()) };
    let params = params.iter().map(|param| values.push(named(param))).collect();
    let mut blocks = Arena::new();
    let entry = blocks.push(Block { params, insts: Vec::with_capacity(2 * ROOM) });
    Function { name, result, entry, locals: Arena::new(), values, blocks, insts: Arena::new(), location: None }
}

fn add_file(module: &mut Module, path: &str) -> FileId {
    let known = module.files.iter().find(|(_, known)| *known == path).map(|(id, _)| id);
    known.unwrap_or_else(|| module.files.push(path.to_owned()))
}
