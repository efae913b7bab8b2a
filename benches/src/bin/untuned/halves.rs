//! Floats of 16 bits as data, by their bits: crate `half` says nothing of their bytes here.

use gridwise::prelude::f16;
use gridwise::{KernelArgs, Manager, Tensor};

use crate::data::Numbers;
use crate::error::Error;
use crate::workload::{Data, Held};

/// The bits of floats of 16 bits.
pub(crate) struct Halves(Vec<u16>);

impl Halves {
    pub(crate) fn new(numbers: &[f32]) -> Self {
        Self(numbers.iter().map(|number| f16::from_f32(*number).to_bits()).collect())
    }
}

impl Data for Halves {
    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }

    fn type_name(&self) -> &'static str {
        "float16_t"
    }

    fn declaration(&self) -> &'static str {
        ""
    }

    fn numbers(&self) -> Numbers {
        Numbers::Exact(2)
    }

    fn tensor(&self, manager: &Manager) -> Result<Box<dyn Held>, Error> {
        let numbers: Vec<f16> = self.0.iter().map(|bits| f16::from_bits(*bits)).collect();
        Ok(Box::new(manager.tensor(&numbers)?))
    }
}

impl Held for Tensor<f16> {
    fn add(&mut self, args: KernelArgs, is_written: bool) -> KernelArgs {
        if is_written { args.write(self) } else { args.read(self) }
    }

    fn bytes(&self) -> Result<Vec<u8>, Error> {
        Ok(self.to_vec()?.iter().flat_map(|number| number.to_ne_bytes()).collect())
    }
}
