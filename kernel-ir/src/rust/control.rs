//! Branches, loops and jumps as Rust.

use std::fmt::Write as _;

use super::{Printed, Printer};
use crate::arena::EntityId;
use crate::ir::{BlockId, InstId, InstKind, ValueId};

/// A loop around: its body, and the variables that it carries.
#[derive(Clone)]
pub(super) struct Out {
    body: BlockId,
    carried: Vec<String>,
}

impl Printer<'_> {
    /// `(a, b)`, `a` or nothing.
    fn list(&self, values: &[ValueId]) -> String {
        let names = self.names(values);
        match names.as_slice() {
            [] => String::new(),
            [one] => one.clone(),
            _ => format!("({})", names.join(", ")),
        }
    }

    /// `let (a, b): (A, B) = `, or nothing.
    fn binding(&self, results: &[ValueId]) -> Printed<String> {
        if results.is_empty() {
            return Ok(String::new());
        }
        let types: Printed<Vec<_>> = results.iter().map(|result| self.ty(self.value_type(*result))).collect();
        let types = types?;
        let types = if types.len() == 1 { types[0].clone() } else { format!("({})", types.join(", ")) };
        Ok(format!("let {}: {types} = ", self.list(results)))
    }

    pub(super) fn control(&mut self, id: InstId, outs: &[Out]) -> Printed {
        let function = self.function;
        let inst = &function.insts[id];
        let end = if inst.results.is_empty() { "}" } else { "};" };
        match &inst.kind {
            InstKind::If { condition, then_block, else_block } => {
                let head = format!("{}if {} {{", self.binding(&inst.results)?, self.name(*condition));
                self.line(&head);
                self.block(*then_block, outs)?;
                self.line("} else {");
                self.block(*else_block, outs)?;
                self.line(end);
            }
            InstKind::Switch { selector, cases, default } => {
                let head = format!("{}match {} {{", self.binding(&inst.results)?, self.name(*selector));
                self.line(&head);
                let is_signed = *self.kind(*selector) == crate::types::Type::Scalar(crate::types::Scalar::I32);
                for (bits, block) in cases {
                    let case = if is_signed { (*bits as i32).to_string() } else { bits.to_string() };
                    self.line(&format!("{case} => {{"));
                    self.block(*block, outs)?;
                    self.line("}");
                }
                self.line("_ => {");
                self.block(*default, outs)?;
                self.line("}");
                self.line(end);
            }
            InstKind::Loop { initial, body, .. } => {
                let params = &function.blocks[*body].params;
                let carried: Vec<_> = params.iter().map(|param| format!("next_{}", param.index())).collect();
                for ((carried, param), value) in carried.iter().zip(params).zip(initial) {
                    let text =
                        format!("let mut {carried}: {} = {};", self.ty(self.value_type(*param))?, self.name(*value));
                    self.line(&text);
                }
                let head = format!("{}'loop_{}: loop {{", self.binding(&inst.results)?, body.index());
                self.line(&head);
                for (carried, param) in carried.iter().zip(params) {
                    self.let_(*param, carried)?;
                }
                let mut inner = outs.to_vec();
                inner.push(Out { body: *body, carried });
                self.block(*body, &inner)?;
                self.line(end);
            }
            InstKind::Yield(values) => {
                let text = self.list(values);
                self.line(&text);
            }
            InstKind::Break(target, values) => {
                let text = format!("break 'loop_{} {};", target.index(), self.list(values));
                self.line(&text);
            }
            InstKind::Continue(target, values) => {
                let carried = outs.iter().rev().find(|out| out.body == *target).map(|out| out.carried.clone());
                let mut text = String::new();
                for (carried, value) in carried.unwrap_or_default().iter().zip(values) {
                    let _ = writeln!(text, "{carried} = {};", self.name(*value));
                }
                let _ = write!(text, "continue 'loop_{};", target.index());
                self.line(&text);
            }
            InstKind::Return(_) => {
                if !outs.is_empty() || !function.blocks[function.entry].insts.contains(&id) {
                    self.line("return;");
                }
            }
            InstKind::Panic(site, _) => {
                let text = format!("panic!({:?});", self.module.sites[*site].text.replace(['{', '}'], "_"));
                self.line(&text);
            }
            // What stands before it does not come out.
            InstKind::Unreachable => {}
            _ => return self.fail("an instruction"),
        }
        Ok(())
    }
}
