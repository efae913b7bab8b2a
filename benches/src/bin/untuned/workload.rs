//! A workload: a kernel of ours, the same for its peers, and the data of all.

use gridwise::descriptor::KernelDescriptor;
use gridwise::{Kernel, KernelArgs, Manager, Tensor};

use crate::data::{Element, Numbers};
use crate::error::Error;

/// Floats of two sides may differ by this share of the largest one: sums in another order, functions of a few units.
const TOLERANCE: f64 = 1e-4;

/// One piece of work.
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    pub(crate) kernel: &'static KernelDescriptor,
    pub(crate) args: fn() -> KernelArgs,
    pub(crate) groups: [u32; 3],
    /// The source of both peers, without what differs between them.
    pub(crate) source: &'static str,
    pub(crate) helper: &'static str,
    pub(crate) params: Vec<Param>,
    /// The share of a result's elements that may differ: where one rounding decides.
    pub(crate) share: f64,
    /// Whether results are sets.
    pub(crate) in_any_order: bool,
}

/// A parameter of a kernel, in order.
pub(crate) struct Param {
    pub(crate) name: &'static str,
    pub(crate) kind: ParamKind,
}

pub(crate) enum ParamKind {
    /// A value, and whether ours has it: the length of a slice is told by the slice.
    Value {
        value: Value,
        is_ours: bool,
    },
    Buffer {
        data: Box<dyn Data>,
        is_written: bool,
    },
}

/// A number of four bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value {
    U32(u32),
    F32(f32),
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::U32(value)
    }
}

impl From<f32> for Value {
    fn from(value: f32) -> Self {
        Self::F32(value)
    }
}

impl Value {
    pub(crate) fn bytes(self) -> [u8; 4] {
        match self {
            Self::U32(value) => value.to_ne_bytes(),
            Self::F32(value) => value.to_ne_bytes(),
        }
    }

    pub(crate) fn type_name(self) -> &'static str {
        match self {
            Self::U32(_) => "uint",
            Self::F32(_) => "float",
        }
    }

    pub(crate) fn add(self, args: KernelArgs) -> KernelArgs {
        match self {
            Self::U32(value) => args.value(value),
            Self::F32(value) => args.value(value),
        }
    }
}

/// The data that a buffer starts with.
pub(crate) trait Data {
    fn bytes(&self) -> &[u8];
    fn type_name(&self) -> &'static str;
    /// The declaration of a struct.
    fn declaration(&self) -> &'static str;
    fn numbers(&self) -> Numbers;
    fn tensor(&self, manager: &Manager) -> Result<Box<dyn Held>, Error>;
}

/// A tensor of some type.
pub(crate) trait Held {
    fn add(&mut self, args: KernelArgs, is_written: bool) -> KernelArgs;
    fn bytes(&self) -> Result<Vec<u8>, Error>;
}

impl<T: Element> Data for Vec<T> {
    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(self)
    }

    fn type_name(&self) -> &'static str {
        T::NAME
    }

    fn declaration(&self) -> &'static str {
        T::DECLARATION
    }

    fn numbers(&self) -> Numbers {
        T::NUMBERS
    }

    fn tensor(&self, manager: &Manager) -> Result<Box<dyn Held>, Error> {
        Ok(Box::new(manager.tensor(self)?))
    }
}

impl<T: Element> Held for Tensor<T> {
    fn add(&mut self, args: KernelArgs, is_written: bool) -> KernelArgs {
        if is_written { args.write(self) } else { args.read(self) }
    }

    fn bytes(&self) -> Result<Vec<u8>, Error> {
        Ok(bytemuck::cast_slice(&self.to_vec()?).to_vec())
    }
}

impl Workload {
    pub(crate) fn new<K: Kernel>(name: &'static str, groups: [usize; 3], source: &'static str) -> Self {
        Self {
            name,
            kernel: K::DESCRIPTOR,
            args: KernelArgs::new::<K>,
            // Small sizes fill less than a workgroup of some kernels: these ask whether there is more, others need whole workgroups.
            groups: groups.map(|count| count.max(1) as u32),
            source,
            helper: "",
            params: Vec::new(),
            share: 0.0,
            in_any_order: false,
        }
    }

    /// Source in front of the peers' kernel.
    pub(crate) fn with_helper(self, helper: &'static str) -> Self {
        Self { helper, ..self }
    }

    pub(crate) fn value(self, name: &'static str, value: impl Into<Value>) -> Self {
        self.param(name, ParamKind::Value { value: value.into(), is_ours: true })
    }

    /// Adds a value that only the peers have to be told.
    pub(crate) fn peer_value(self, name: &'static str, value: u32) -> Self {
        self.param(name, ParamKind::Value { value: value.into(), is_ours: false })
    }

    pub(crate) fn read<T: Element>(self, name: &'static str, data: Vec<T>) -> Self {
        self.param(name, ParamKind::Buffer { data: Box::new(data), is_written: false })
    }

    /// Adds a buffer whose type no [`Element`] is.
    pub(crate) fn read_data(self, name: &'static str, data: impl Data + 'static) -> Self {
        self.param(name, ParamKind::Buffer { data: Box::new(data), is_written: false })
    }

    pub(crate) fn write<T: Element>(self, name: &'static str, len: usize) -> Self {
        self.update(name, vec![T::zeroed(); len])
    }

    /// Adds a buffer that is read and written.
    pub(crate) fn update<T: Element>(self, name: &'static str, data: Vec<T>) -> Self {
        self.param(name, ParamKind::Buffer { data: Box::new(data), is_written: true })
    }

    /// Lets a share of the elements differ.
    pub(crate) fn roughly(self, share: f64) -> Self {
        Self { share, ..self }
    }

    pub(crate) fn in_any_order(self) -> Self {
        Self { in_any_order: true, ..self }
    }

    fn param(mut self, name: &'static str, kind: ParamKind) -> Self {
        self.params.push(Param { name, kind });
        self
    }

    /// The name of its files.
    pub(crate) fn file(&self) -> String {
        self.name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
    }

    /// The buffers, and whether each is written.
    pub(crate) fn buffers(&self) -> impl Iterator<Item = (&dyn Data, bool)> {
        self.params.iter().filter_map(|param| match &param.kind {
            ParamKind::Buffer { data, is_written } => Some((&**data, *is_written)),
            ParamKind::Value { .. } => None,
        })
    }

    /// Compares what two sides wrote, buffer by buffer.
    pub(crate) fn compare(&self, contender: &str, ours: &[Vec<u8>], theirs: &[Vec<u8>]) -> Result<(), Error> {
        let written = self.buffers().filter(|(_, is_written)| *is_written);
        for ((data, _), (ours, theirs)) in written.zip(ours.iter().zip(theirs)) {
            let [ours, theirs] =
                [ours, theirs].map(|bytes| if self.in_any_order { sorted(bytes) } else { bytes.clone() });
            if let Some(detail) = crate::data::difference(&ours, &theirs, data.numbers(), TOLERANCE, self.share) {
                return Err(gridwise_benches::Error::WrongResult {
                    contender: format!("gridwise or {contender}, {}", self.name),
                    detail,
                }
                .into());
            }
        }
        Ok(())
    }
}

fn sorted(bytes: &[u8]) -> Vec<u8> {
    let mut words: Vec<[u8; 4]> = bytes.as_chunks().0.to_vec();
    words.sort_unstable();
    words.as_flattened().to_vec()
}
