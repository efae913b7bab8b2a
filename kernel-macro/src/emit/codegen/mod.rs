//! The output of an expansion. It works on error-free items, except for the stubs; decides nothing, reports only
//! limits.

mod barriers;
mod constant;
mod data;
mod descriptor;
mod dispatch;
mod generics;
mod item_macro;
mod kernel;
mod limits;
mod listed;
mod local_data;
mod message;
mod races;
mod stub;
mod tuning;

pub(crate) use barriers::{check_barriers, check_matrices};
pub(crate) use constant::const_assertion;
pub(crate) use data::{check_fields, check_repr, data_assertions, data_impls};
pub(crate) use dispatch::{dispatch_items, dispatch_param, plain_element, type_name};
pub(crate) use item_macro::item_macro;
pub(crate) use kernel::{BuiltKernel, instance_items, kernel_items, original};
pub(crate) use limits::{
    check_items, check_push_constants, check_shared_memory, report_long_value, report_nesting, report_repeated,
    report_size,
};
pub(crate) use local_data::{discriminant_assertions, value_impl};
pub(crate) use races::check_races;
pub(crate) use stub::{const_stub, fn_stub, kernel_stub, method_stub};
