//! Runs passes on the text cases beside this file and compares the result; `BLESS=1` rewrites the cases instead.
//!
//! A case starts with `; passes: name, name`, then a module, then `; ---- after`, then what the passes make of it.

mod bounds;
mod carried;
mod compared;
mod generate;
mod guarded;
mod halving;
mod images;
mod launches;
mod leaving;
mod members;
mod neighbours;
mod parts;
mod random;
mod selected;
mod text;

use std::path::Path;

use gridwise_ir::ir::{InstKind, Module};
use gridwise_ir::parse::parse;
use gridwise_ir::passes::{self, CheckCount, FunctionPass};
use gridwise_ir::verify::verify;

const SEPARATOR: &str = "; ---- after\n";

fn run_pass(module: &mut Module, name: &str) {
    let mut checks = CheckCount::default();
    let pass: FunctionPass = match name {
        "optimize" => {
            let _ = passes::optimize(module);
            return;
        }
        "optimize_for_launches" => {
            let _ = passes::optimize_with(module, passes::Aims { leaves: true, ..passes::Aims::default() });
            return;
        }
        "leave_at_traps" => {
            let _ = passes::leave_at_traps::run(module);
            return;
        }
        "inline_functions" => {
            let _ = passes::inline_functions::run(module);
            return;
        }
        "renumber" => {
            let _ = passes::renumber::run(module);
            return;
        }
        "version_loops" => {
            let _ = passes::version_loops::run(module);
            return;
        }
        "join_loads" => {
            let _ = passes::join_loads::run(module);
            return;
        }
        "mask_panics" => {
            let _ = passes::mask_panics::run(module);
            return;
        }
        "tail_returns" => |function, _| passes::tail_exits::run(function),
        "tail_breaks" => passes::tail_exits::run_on_loops,
        "tail_continues" => passes::tail_exits::run_on_rounds,
        "compared_numbers" => passes::compared_numbers::run,
        "late_panics" => passes::late_panics::run,
        "thread_results" => passes::thread_branches::run_on_results,
        "thread_branches" => passes::thread_branches::run,
        "split_locals" => passes::split_locals::run,
        "split_columns" => passes::split_locals::run_columns,
        "promote_locals" => passes::promote_locals::run,
        "fold_constants" => passes::fold_constants::run,
        "flatten_branches" => passes::flatten_branches::run,
        "hoist_invariants" => passes::hoist_invariants::run,
        "share_values" => passes::share_values::run,
        "eliminate_checks" => passes::eliminate_checks::run,
        "remove_dead_code" => passes::remove_dead_code::run,
        "unroll_loops" => passes::unroll_loops::run,
        "unroll_partly" => passes::unroll_loops::run_partly,
        "constant_divisions" => passes::constant_divisions::run,
        "loop_divisions" => passes::loop_divisions::run,
        "join_bytes" => passes::join_bytes::run,
        "count_lanes" => passes::count_lanes::run,
        "lower_labels" => passes::lower_labels::run,
        "leave_at_head" => passes::leave_at_head::run,
        other => panic!("there is no pass {other}"),
    };
    let _ = passes::run_on_functions(module, name, pass, &mut checks);
}

fn run_case(path: &Path, bless: bool) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let (head, rest) = text.split_once('\n').ok_or("the case is empty")?;
    let names = head.strip_prefix("; passes: ").ok_or("the case does not start with `; passes: `")?;
    let (input, expected) = rest.split_once(SEPARATOR).unwrap_or((rest, ""));
    let mut module = parse(input).map_err(|error| error.to_string())?;
    verify(&module).map_err(|errors| format!("the input is malformed: {errors}"))?;
    for name in names.split(',') {
        run_pass(&mut module, name.trim());
        verify(&module).map_err(|errors| format!("{name} broke the module: {errors}\n{module}"))?;
    }
    let found = module.to_string();
    if found == expected {
        return Ok(());
    }
    if bless {
        return std::fs::write(path, format!("{head}\n{input}{SEPARATOR}{found}")).map_err(|error| error.to_string());
    }
    Err(format!("expected\n{expected}\nfound\n{found}"))
}

#[test]
fn cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes");
    let bless = std::env::var_os("BLESS").is_some();
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ir"));
    paths.sort();
    assert!(!paths.is_empty());
    let failures: Vec<String> = paths
        .iter()
        .filter_map(|path| run_case(path, bless).err().map(|error| format!("{}: {error}", path.display())))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A function that ends the invocation or names buffers is inlined, however large it is.
#[test]
fn large_functions_of_the_kernel_are_inlined() {
    let calls_left = |ending: &str| {
        let sums: String = (1..11_000).map(|n| format!(" %{n}: u32 = add %{}, %0\n", n - 1)).collect();
        let calls: String = (1..4).map(|n| format!(" %{n}: u32 = call fn0(%{})\n", n - 1)).collect();
        let mut module = parse(&format!(
            "file0 \"k.rs\"\nsite0 index_out_of_bounds @file0:1:1 \"x\"\nkernel fn1 workgroup(1, 1, 1) {{\n buffer0 y: [u32] mut\n}}\n\
             fn0 long(%0: u32) -> u32 {{\n{sums}{ending} return %10999\n}}\n\
             fn1 k() -> () {{\n %0: u32 = const 1\n{calls} store buffer0[%0] = %3\n return\n}}\n"
        ))
        .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(verify(&module), Ok(()));
        assert!(passes::inline_functions::run(&mut module).is_ok());
        let kernel = &module.functions[module.kernel.as_ref().expect("it is a kernel").function];
        let insts = kernel.blocks[kernel.entry].insts.iter();
        insts.filter(|inst| matches!(kernel.insts[**inst].kind, InstKind::Call(..))).count()
    };
    assert_eq!(calls_left(" store buffer0[%0] = %1\n"), 0);
    assert_eq!(calls_left(" %11000: u32 = len buffer0\n"), 0);
    // Of others only as many as the module may grow by.
    assert_eq!(calls_left(""), 2);
}

#[test]
fn sizes_are_fixed_where_they_are_sizes() {
    let text = "kernel fn0 workgroup(constant0, 1, 1) {\n constant0 N: u32 = 64\n buffer0 x: [u32] mut\n shared0 s: [u32; constant0]\n}\n\
        fn0 k() -> () {\n return\n}\n";
    let module = parse(text).unwrap_or_else(|error| panic!("{error}"));
    let fixed = |values: &[u64]| passes::fix_constants(&module, values).map(|module| module.to_string());
    let eight = fixed(&[8]).expect("it is a size");
    assert!(eight.contains("workgroup(8, 1, 1)") && eight.contains("[u32; 8]"), "{eight}");
    assert_eq!([&[0][..], &[1 << 32], &[]].map(fixed), [None, None, None]);
}
