//! A sequence as a graph: its operations, its barriers and the reason of each. Works on what is recorded; runs nothing.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::core::sync::hazard::{HazardTracker, Reason};
use crate::record::steps::{DispatchStep, RecordedOp, Step, by_level};

/// The graph in Graphviz' language: operations in the order of the device, barriers between them, and an arrow for each reason.
pub(crate) fn to_dot(steps: &[Step], ops: &[RecordedOp]) -> String {
    let mut names = BTreeMap::new();
    for step in steps {
        step.for_each_use(|buffer, _, _| {
            names.entry(buffer.id).or_insert_with(|| buffer.name().to_owned());
        });
    }
    let name_of = |resource: u64| names.get(&resource).map_or("?", String::as_str);
    let mut dot = String::from("digraph sequence {\n    rankdir=TB;\n    node [shape=box, fontname=\"monospace\"];\n");
    let mut tracker = HazardTracker::default();
    let mut barriers = 0;
    let mut last: Option<String> = None;
    // The operation of each command.
    let mut commands = Vec::new();
    let order = by_level(steps, ops).unwrap_or_else(|| (0..ops.len()).collect());
    for index in order {
        let op = &ops[index];
        let (mut reasons, mut is_ordered) = (Vec::new(), false);
        for step in &steps[op.steps.clone()] {
            match step.touches() {
                Some(touches) => {
                    for (stage, touches) in touches {
                        reasons.extend(tracker.reasons(stage, &touches));
                        is_ordered |= tracker.command(stage, &touches).is_some();
                        commands.push(index);
                    }
                }
                None => {
                    tracker.order_all();
                    is_ordered = true;
                }
            }
        }
        if is_ordered {
            // Writing to a string cannot fail; likewise below.
            let _ = writeln!(dot, "    b{barriers} [label=\"barrier\", shape=box, style=filled, fillcolor=lightgray];");
            if let Some(last) = &last {
                let _ = writeln!(dot, "    {last} -> b{barriers} [style=dotted, arrowhead=none];");
            }
            let _ = writeln!(dot, "    b{barriers} -> op{index} [style=dotted, arrowhead=none];");
            barriers += 1;
        }
        let can_trap = steps[op.steps.clone()].iter().filter_map(Step::dispatch).any(DispatchStep::can_trap);
        let checked = if can_trap { "\\nwith checks" } else { "" };
        let _ = writeln!(dot, "    op{index} [label=\"{index}: {}{checked}\"];", escape(&op.name));
        if !is_ordered && let Some(last) = &last {
            let _ = writeln!(dot, "    {last} -> op{index} [style=invis];");
        }
        let mut told = Vec::new();
        for Reason { command, resource, bytes, kind } in reasons {
            let from = commands.get(command as usize).copied().unwrap_or_default();
            let arrow = (from, resource, kind.text());
            if from == index || told.contains(&arrow) {
                continue;
            }
            told.push(arrow);
            let (name, kind) = (escape(name_of(resource)), kind.text());
            let _ = writeln!(
                dot,
                "    op{from} -> op{index} [constraint=false, label=\"{kind}: {name} [{}..{}]\"];",
                bytes.start, bytes.end
            );
        }
        last = Some(format!("op{index}"));
    }
    let _ = writeln!(dot, "    label=\"{} operations, {barriers} barriers\";\n}}", ops.len());
    dot
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
