//! Vulkan commands of an application within operations: their place among the others, what is refused, and the objects they need.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use gridwise_runtime::ops::{Access, OpCopy, OpFill, Recorder};
use gridwise_runtime::{DeviceKind, Error, Grid, Op, Result, TensorRef};

use crate::harness::{On, cases};
use crate::kernels::Saxpy;

cases! {
    each: applications_record_commands_of_their_own, what_commands_cannot_use_is_refused, instance_and_device_are_told,
        waiting_again_tells_the_same;
}

/// Fills a tensor by a command of its own.
struct Raw {
    to: TensorRef,
    value: f32,
    calls: Arc<AtomicU32>,
}

impl Op for Raw {
    fn name(&self) -> &str {
        "raw"
    }

    fn accesses(&self) -> Vec<Access> {
        vec![Access::write(&self.to)]
    }

    fn record(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        let range = self.to.vulkan_buffer();
        let (word, calls) = (self.value.to_bits(), self.calls.clone());
        let record = move |with: gridwise_runtime::ops::VulkanCommands<'_>| {
            assert!(calls.fetch_add(1, Relaxed) < 100, "on purpose");
            let Some(range) = range else { return };
            // SAFETY: the whole words of the tensor, which is declared.
            unsafe {
                with.device.cmd_fill_buffer(with.command_buffer, range.buffer, range.offset, range.bytes & !3, word)
            };
        };
        // SAFETY: as above.
        unsafe { recorder.vulkan(record) }
    }
}

fn applications_record_commands_of_their_own(on: On) {
    on.run(|manager| {
        let mut x = manager.tensor(&[1.0f32; 100]).unwrap();
        let mut y = manager.tensor(&[1.0f32; 100]).unwrap();
        let mut z = manager.tensor_of_len::<f32>(100).unwrap();
        let sequence = manager.sequence().unwrap();
        // Before and behind it is what depends on it, by all stages.
        Saxpy::dispatch(&sequence, Grid::items(100), 1.0, &x, &mut y).unwrap();
        sequence.record(OpFill::new(&mut x, 9.0)).unwrap();
        let raw = Raw { to: x.handle(), value: 4.0, calls: Arc::default() };
        let refused = sequence.record(raw).map(|_| ());
        if on == On::Host {
            assert!(matches!(refused, Err(Error::OnHostDevice { .. })), "{refused:?}");
            return;
        }
        refused.unwrap();
        Saxpy::dispatch(&sequence, Grid::items(100), 1.0, &x, &mut y).unwrap();
        sequence.record(OpCopy::new(&x, &mut z)).unwrap();
        assert!(sequence.to_dot().contains("raw"));
        sequence.eval().unwrap();
        assert_eq!((y.to_vec().unwrap(), z.to_vec().unwrap()), (vec![6.0; 100], vec![4.0; 100]));
        sequence.eval().unwrap();
        assert_eq!(y.to_vec().unwrap(), [14.0; 100]);
        let profile = sequence.eval_profiled().map(|profile| profile.ops().len());
        assert!(matches!(profile, Ok(5) | Err(Error::NoTimestamps)), "{profile:?}");
        // What panics is told, as often as it is tried, and harms nothing else.
        let failing = manager.sequence().unwrap();
        failing.record(Raw { to: x.handle(), value: 5.0, calls: Arc::new(AtomicU32::new(100)) }).unwrap();
        for _ in 0..2 {
            let error = failing.eval().map(|_| ()).unwrap_err();
            assert!(matches!(&error, Error::HostCallFailed { operation, .. } if operation == "raw"), "{error}");
        }
        assert_eq!(x.to_vec().unwrap(), [4.0; 100]);
        // The commands name the memory that the tensor had.
        x.rebuild(&[0.0; 100]).unwrap();
        let error = sequence.eval().map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::TensorRebuilt { .. }), "{error}");
    });
}

fn what_commands_cannot_use_is_refused(on: On) {
    on.run(|manager| {
        on.run(|other| {
            let foreign = other.tensor(&[1.0f32]).unwrap();
            let raw = Raw { to: foreign.handle(), value: 1.0, calls: Arc::default() };
            let refused = manager.sequence().unwrap().record(raw).map(|_| ());
            match on {
                On::Host => assert!(matches!(refused, Err(Error::OnHostDevice { .. })), "{refused:?}"),
                _ => assert!(matches!(refused, Err(Error::ForeignTensor { .. })), "{refused:?}"),
            }
        });
    });
}

fn instance_and_device_are_told(on: On) {
    on.run(|manager| match manager.vulkan() {
        None => assert_eq!(manager.device().kind, DeviceKind::Host),
        Some(vulkan) => {
            // SAFETY: a physical device of the instance.
            let properties = unsafe { vulkan.instance.get_physical_device_properties(vulkan.physical_device) };
            assert_eq!(properties.device_name_as_c_str().unwrap().to_str(), Ok(manager.device().name.as_str()));
            // SAFETY: a live device, of which nothing is asked but to be idle.
            unsafe { vulkan.device.device_wait_idle() }.unwrap();
        }
    });
}

fn waiting_again_tells_the_same(on: On) {
    on.run(|manager| {
        let mut x = manager.tensor_of_len::<f32>(10).unwrap();
        let sequence = manager.sequence().unwrap();
        let running = sequence.record(OpFill::new(&mut x, 2.0)).unwrap().eval_async().unwrap();
        running.wait().unwrap();
        running.wait().unwrap();
        assert!(running.is_complete().unwrap());
        assert_eq!(x.to_vec().unwrap(), [2.0; 10]);
    });
}
