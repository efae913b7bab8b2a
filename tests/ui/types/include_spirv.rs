//! Files that cannot become a dispatch are refused at their names.
use gridwise::include_spirv;

include_spirv!();
include_spirv!(shader);
include_spirv!("nothing.spv");
include_spirv!("include_spirv.rs");
include_spirv!("shader.spv", Name);
include_spirv!("../../../runtime/tests/modules/apart.spv");

fn main() {}
