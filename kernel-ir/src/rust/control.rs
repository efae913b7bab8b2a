//! Branches, loops and jumps as Rust.

use std::fmt::Write as _;

use super::{Printed, Printer};
use crate::arena::EntityId;
use crate::ir::{BlockId, InstId, InstKind, ValueId};

/// A loop around: its body, the variables that it carries, and those that take its results where it has several.
#[derive(Clone)]
pub(super) struct Out {
    body: BlockId,
    carried: Vec<String>,
    results: Vec<String>,
}

impl Printer<'_> {
    /// `let a: A = `, or nothing. Several results are in variables: a tuple would be as divergent as its members together.
    fn binding(&mut self, results: &[ValueId]) -> Printed<(String, Vec<String>)> {
        if let [one] = results {
            return Ok((format!("let {}: {} = ", self.name(*one), self.ty(self.value_type(*one))?), Vec::new()));
        }
        let mut variables = Vec::new();
        for result in results {
            let (ty, zero) = (self.ty(self.value_type(*result))?, self.zero(self.value_type(*result))?);
            let variable = self.own(format!("__out_{}", result.index()));
            self.line(&format!("let mut {variable}: {ty} = {zero};"));
            variables.push(variable);
        }
        Ok((String::new(), variables))
    }

    /// Reads the variables with several results.
    fn bind(&mut self, results: &[ValueId], variables: &[String]) -> Printed {
        results.iter().zip(variables).try_for_each(|(result, variable)| self.let_(*result, variable))
    }

    fn assign(&mut self, variables: &[String], values: &[ValueId]) {
        let names = self.names(values);
        for (variable, value) in variables.iter().zip(names) {
            self.line(&format!("{variable} = {value};"));
        }
    }

    pub(super) fn control(&mut self, id: InstId, outs: &[Out]) -> Printed {
        let function = self.function;
        let inst = &function.insts[id];
        match &inst.kind {
            InstKind::If { condition, then_block, else_block } => {
                self.print_if(&inst.results, *condition, [*then_block, *else_block], outs)?;
            }
            InstKind::Switch { selector, cases, default } => {
                self.print_match(&inst.results, *selector, (cases, *default), outs)?;
            }
            InstKind::Loop { initial, body, .. } => self.print_loop(&inst.results, initial, *body, outs)?,
            InstKind::Yield(values) => match self.yields.last().cloned() {
                Some(variables) if !variables.is_empty() => self.assign(&variables, values),
                _ => {
                    let value = values.first().map(|value| self.name(*value)).unwrap_or_default();
                    self.line(&value);
                }
            },
            InstKind::Break(target, values) => {
                let results = outs.iter().rev().find(|out| out.body == *target).map(|out| out.results.clone());
                let results = results.unwrap_or_default();
                self.assign(&results, values);
                let value = values.first().filter(|_| results.is_empty()).map(|value| self.name(*value));
                let text = format!("break 'loop_{} {};", target.index(), value.unwrap_or_default());
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
                self.panic(*site);
            }
            // The code before it never ends.
            InstKind::Unreachable => {}
            _ => return self.fail("an instruction"),
        }
        Ok(())
    }

    fn print_if(
        &mut self,
        results: &[ValueId],
        condition: ValueId,
        [then_block, else_block]: [BlockId; 2],
        outs: &[Out],
    ) -> Printed {
        let (binding, variables) = self.binding(results)?;
        let head = format!("{binding}if {} {{", self.name(condition));
        self.line(&head);
        self.yields.push(variables);
        let skips_traps = self.skips_traps || self.divisors.checks(condition);
        let around = std::mem::replace(&mut self.skips_traps, skips_traps);
        self.block(then_block, outs)?;
        self.skips_traps = around;
        self.line("} else {");
        self.block(else_block, outs)?;
        self.line(end_of(results));
        let variables = self.yields.pop().unwrap_or_default();
        self.bind(results, &variables)
    }

    fn print_match(
        &mut self,
        results: &[ValueId],
        selector: ValueId,
        (cases, default): (&[(u32, BlockId)], BlockId),
        outs: &[Out],
    ) -> Printed {
        let (binding, variables) = self.binding(results)?;
        let head = format!("{binding}match {} {{", self.name(selector));
        self.line(&head);
        self.yields.push(variables);
        let is_signed = *self.kind(selector) == crate::types::Type::Scalar(crate::types::Scalar::I32);
        for (bits, block) in cases {
            let case = if is_signed { (*bits as i32).to_string() } else { bits.to_string() };
            self.line(&format!("{case} => {{"));
            self.block(*block, outs)?;
            self.line("}");
        }
        self.line("_ => {");
        self.block(default, outs)?;
        self.line("}");
        self.line(end_of(results));
        let variables = self.yields.pop().unwrap_or_default();
        self.bind(results, &variables)
    }

    fn print_loop(&mut self, results: &[ValueId], initial: &[ValueId], body: BlockId, outs: &[Out]) -> Printed {
        let params = &self.function.blocks[body].params;
        let carried: Vec<_> = params.iter().map(|param| self.own(format!("__next_{}", param.index()))).collect();
        for ((carried, param), value) in carried.iter().zip(params).zip(initial) {
            let text = format!("let mut {carried}: {} = {};", self.ty(self.value_type(*param))?, self.name(*value));
            self.line(&text);
        }
        let (binding, variables) = self.binding(results)?;
        let head = format!("{binding}'loop_{}: loop {{", body.index());
        self.line(&head);
        for (carried, param) in carried.iter().zip(params) {
            self.let_(*param, carried)?;
        }
        let mut inner = outs.to_vec();
        inner.push(Out { body, carried, results: variables.clone() });
        self.block(body, &inner)?;
        self.line(end_of(results));
        self.bind(results, &variables)
    }
}

/// The end of control flow with such results: one of them is what the whole gives.
fn end_of(results: &[ValueId]) -> &'static str {
    if results.len() == 1 { "};" } else { "}" }
}
