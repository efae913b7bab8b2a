//! Spans for a subscriber of `tracing`: one for each piece of work that takes the host's time, with its subject.

use std::fmt::{Debug, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use gridwise_runtime::ops::{OpHost, OpMultiply};
use gridwise_runtime::{DeviceKind, Manager, ManagerDesc, PipelineCache, Result};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Notes each span when it begins and when it ends.
#[derive(Clone, Default)]
struct Notes {
    lines: Arc<Mutex<Vec<String>>>,
    names: Arc<Mutex<Vec<&'static str>>>,
    next: Arc<AtomicU64>,
}

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

impl Subscriber for Notes {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "gridwise"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields(span.metadata().name().to_owned());
        span.record(&mut fields);
        self.lines.lock().unwrap().push(fields.0);
        self.names.lock().unwrap().push(span.metadata().name());
        Id::from_u64(self.next.fetch_add(1, Relaxed) + 1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, span: &Id) {
        let name = self.names.lock().unwrap()[span.into_u64() as usize - 1];
        self.lines.lock().unwrap().push(format!("/{name}"));
    }
}

/// Squares on the device that the environment chooses.
fn square() -> Result<DeviceKind> {
    let manager = Manager::with(ManagerDesc { pipeline_cache: PipelineCache::Off, ..ManagerDesc::from_env()? })?;
    let x = manager.tensor_named("x", &[3.0f32; 8])?;
    let mut y = manager.tensor_of_len::<f32>(8)?;
    let sequence = manager.sequence()?;
    sequence.record(OpMultiply::new(&x, &x, &mut y))?;
    sequence.eval()?;
    assert_eq!(y.to_vec()?, [9.0; 8]);
    sequence.reopen()?.record(OpHost::new(|| ()))?;
    sequence.eval()?;
    Ok(manager.device().kind)
}

#[test]
fn spans_tell_what_takes_time() {
    let notes = Notes::default();
    let kind = tracing::subscriber::with_default(notes.clone(), square).unwrap();
    let lines = notes.lines.lock().unwrap().clone();
    let all = lines.join("\n");
    let at = |wanted: &str| {
        let found = lines.iter().position(|line| line.starts_with(wanted));
        found.unwrap_or_else(|| panic!("no {wanted}:\n{all}"))
    };
    let order = [
        at("create_manager device="),
        at("/create_manager"),
        at("upload tensor=\"x\" bytes=32"),
        at("record operation=\"multiply\""),
        at("create_pipeline kernel=\"multiply\""),
        at("/create_pipeline"),
        at("/record"),
        at("submit queue=0"),
        at("/submit"),
        at("download tensor="),
        at("record operation=\"host\""),
        at("drive operations=2"),
    ];
    assert!(order.is_sorted(), "{order:?}:\n{all}");
    match kind {
        DeviceKind::Host => assert!(at("run_on_host operations=1") > at("/submit"), "{all}"),
        _ => assert!(lines.contains(&"/wait".to_owned()), "{all}"),
    }
    let begun = lines.iter().filter(|line| !line.starts_with('/')).count();
    assert_eq!(begun * 2, lines.len(), "each ends once:\n{all}");
}
