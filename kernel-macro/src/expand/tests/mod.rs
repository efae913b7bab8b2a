//! Whole expansions without rustc: gathering is done here by name.

mod attributes;
mod barriers;
mod driver;
mod examples;
mod generic_types;
mod gradients;
mod limits;
mod modules;
mod output;
mod reports;
mod unmarked;
