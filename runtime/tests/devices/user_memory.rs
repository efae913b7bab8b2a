//! Tensors over memory of the host: kernels work on it in place, it stays as long as anybody uses it, and what does not fit is an error.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use gridwise_runtime::ops::{OpCopy, OpFill};
use gridwise_runtime::{Error, Grid, Manager, PageVec};

use crate::harness::{On, cases};
use crate::kernels::Saxpy;
use crate::ramp;

cases! {
    each: kernels_work_on_memory_of_the_host, raw_memory_is_kept_until_nobody_uses_it, memory_that_does_not_fit_is_refused;
}

fn kernels_work_on_memory_of_the_host(on: On) {
    on.run(|manager| {
        for len in [0, 1, 1000, 100_003] {
            let mut elements = PageVec::zeros(len).unwrap();
            elements.copy_from_slice(&ramp(len));
            let address = elements.as_ptr();
            let (x, mut y) = (manager.tensor(&vec![1.0f32; len]).unwrap(), manager.tensor_over("y", elements).unwrap());
            assert_eq!(y.len(), len);
            if manager.host_memory_alignment().is_some() {
                assert_eq!(y.map().unwrap().as_ptr(), address);
            }
            let sequence = manager.sequence().unwrap();
            Saxpy::dispatch(&sequence, Grid::items(len), 2.0, &x, &mut y).unwrap();
            for round in 1..3 {
                sequence.eval().unwrap();
                let view = y.map().unwrap();
                assert!(view.iter().enumerate().all(|(i, y)| *y == i as f32 + 2.0 * round as f32));
            }
            // The host writes it in place, and as any other tensor.
            y.map_mut().unwrap().fill(5.0);
            sequence.eval().unwrap();
            assert_eq!(y.to_vec().unwrap(), vec![7.0; len]);
            y.write(&vec![1.0; len]).unwrap();
            let mut copy = manager.tensor_of_len::<f32>(len).unwrap();
            manager.sequence().unwrap().record(OpCopy::new(&y, &mut copy)).unwrap().eval().unwrap();
            assert_eq!(copy.to_vec().unwrap(), vec![1.0; len]);
        }
        let bytes = PageVec::from_slice(&[1u8, 2, 3]).unwrap();
        assert_eq!(*bytes, [1, 2, 3]);
        let mut bytes = manager.tensor_over("bytes", bytes).unwrap();
        manager.sequence().unwrap().record(OpFill::new(&mut bytes, 9)).unwrap().eval().unwrap();
        assert_eq!(bytes.to_vec().unwrap(), [9; 3]);
    });
}

/// Counts how often it is dropped, and has the memory.
struct Owner {
    drops: Arc<AtomicU32>,
    memory: Vec<Page>,
}

#[derive(Clone)]
#[repr(align(65536))]
struct Page {
    #[expect(dead_code, reason = "tensors see it")]
    words: [u32; 1 << 14],
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Relaxed);
    }
}

/// A whole page of the host's, and who keeps it.
fn page(drops: &Arc<AtomicU32>) -> (NonNull<u32>, Owner) {
    let mut owner = Owner { drops: drops.clone(), memory: vec![Page { words: [3; 1 << 14] }] };
    (NonNull::new(owner.memory.as_mut_ptr().cast()).unwrap(), owner)
}

fn raw_memory_is_kept_until_nobody_uses_it(on: On) {
    on.run(|manager| {
        let drops = Arc::new(AtomicU32::new(0));
        let (data, owner) = page(&drops);
        // SAFETY: a page that the owner keeps, and nobody else uses.
        let tensor = unsafe { manager.tensor_over_raw("page", data, 1000, owner) };
        let mut tensor = match tensor {
            Err(Error::CannotShare { .. }) => {
                assert_eq!((drops.load(Relaxed), manager.host_memory_alignment()), (1, None));
                return;
            }
            made => made.unwrap(),
        };
        assert_eq!(tensor.to_vec().unwrap(), [3; 1000]);
        let sequence = manager.sequence().unwrap();
        sequence.record(OpFill::new(&mut tensor, 8)).unwrap();
        let running = sequence.eval_async().unwrap();
        drop(tensor);
        running.wait().unwrap();
        assert_eq!(drops.load(Relaxed), 0, "the recording has it");
        // SAFETY: the owner lives, and no evaluation runs.
        let seen = unsafe { std::slice::from_raw_parts(data.as_ptr(), 1001) };
        assert_eq!((seen[999], seen[1000]), (8, 3));
        drop((sequence, running));
        assert_eq!(drops.load(Relaxed), 1);
    });
}

fn memory_that_does_not_fit_is_refused(on: On) {
    on.run(|manager| {
        let drops = Arc::new(AtomicU32::new(0));
        let (data, owner) = page(&drops);
        // SAFETY: the second word of a page that the owner keeps.
        let refused = unsafe { manager.tensor_over_raw("askew", data.add(1), 100, owner) };
        assert!(matches!(refused.map(|tensor| tensor.len()), Err(Error::CannotShare { .. })));
        assert_eq!(drops.load(Relaxed), 1, "what is refused is not kept");
        assert!(matches!(PageVec::<[u64; 16]>::zeros(usize::MAX), Err(Error::OutOfMemory { .. })));
    });
    let host = Manager::host();
    assert_eq!(host.host_memory_alignment(), Some(16));
}
