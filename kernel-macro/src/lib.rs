//! `#[kernel]`, `#[device]` and `#[derive(GpuData)]`: tokens → AST → gather → infer → check → IR → SPIR-V → generated items.

#![allow(dead_code)]

mod ast;
mod diag;
mod infer;
mod intrinsic;
mod lower;
mod parse;
mod program;
mod render;
mod source;
mod typed;
