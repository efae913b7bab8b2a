//! Random programs, from source: their IR computes the same before and after all passes together. A program that fails
//! is made short before it is shown.

#[allow(dead_code, reason = "the programs' other users need the rest")]
#[path = "../../../../tests/differential/generator/mod.rs"]
mod generator;
#[path = "../../../../tests/differential/minimise.rs"]
mod minimise;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use gridwise_ir::interpret::{FindingKind, Inputs, Options, Value, run};
use gridwise_ir::ir::{Constant, Module};
use gridwise_ir::parse::parse;
use gridwise_ir::passes::optimize;
use gridwise_ir::verify::verify;

use crate::ast::Item;
use crate::check::check_kernel;
use crate::diag::Diagnostics;
use crate::gather::Place;
use crate::infer::infer_item;
use crate::lower::lower_kernel;
use crate::parse::{Role, SourceItem, SourceItems, parse_fn};
use crate::program::instantiate::instantiate;
use crate::program::module::{infer_module, name_of, push_module};
use crate::program::{ItemId, Program, ProgramItem, TypedItem};

/// The items that the programs share, as the harness of the device tests has them.
const SHARED: &str = include_str!("../../../../tests/differential/shared.rs");

/// Instructions of one invocation.
const FUEL: u64 = 2_000_000;

/// Programs per run; `CASES` in the environment says another number, `SEED` another start.
const CASES: u64 = 120;

/// Proposals of the minimiser.
const ATTEMPTS: usize = 30_000;

/// The verdict on a program.
#[derive(Debug, PartialEq)]
enum Verdict {
    Same,
    /// The passes changed what it computes.
    Differs(String),
    /// It says nothing about the passes.
    Invalid(String),
}

fn source_of(seed: u64) -> String {
    let program = generator::items(seed, "kernel");
    format!("{SHARED}\n{}{}", program.helpers.concat(), program.kernel)
}

#[test]
fn passes_keep_what_random_programs_compute() {
    let number = |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().expect("a number"));
    let first = number("SEED", 40_000);
    let end = first + number("CASES", CASES);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let some = |start: u64| (start..end).step_by(threads).for_each(check);
    std::thread::scope(|scope| {
        (first..).take(threads).for_each(|start| drop(scope.spawn(move || some(start))));
    });
}

fn check(seed: u64) {
    let optimised = |module: &mut Module| {
        let _ = optimize(module);
    };
    let source = source_of(seed);
    match verdict(&source, &optimised) {
        Verdict::Same => {}
        Verdict::Invalid(what) => panic!("seed {seed}: {what}\n{source}"),
        Verdict::Differs(what) => {
            let short = minimise::minimise(&source, ATTEMPTS, |proposed| differs(proposed, &optimised));
            panic!("seed {seed}: {what}; in short:\n{short}");
        }
    }
}

#[test]
fn what_fails_is_made_short() {
    // Passes with a fault: products become sums.
    let faulty =
        |module: &mut Module| *module = parse(&module.to_string().replace("= mul ", "= add ")).expect("it was IR");
    let seed = (40_000..).find(|&seed| differs(&source_of(seed), &faulty)).expect("many programs multiply");
    let short = minimise::minimise(&source_of(seed), ATTEMPTS, |proposed| differs(proposed, &faulty));
    assert!(differs(&short, &faulty), "still fails: {short}");
    let is_product = short.contains('*') || short.contains("mul");
    assert!(is_product && short.split_whitespace().count() < 40, "{} words: {short}", short.split_whitespace().count());
}

fn differs(source: &str, change: &dyn Fn(&mut Module)) -> bool {
    catch_unwind(AssertUnwindSafe(|| matches!(verdict(source, change), Verdict::Differs(_)))).unwrap_or(false)
}

/// Compares what a program computes before and after `change`.
fn verdict(source: &str, change: &dyn Fn(&mut Module)) -> Verdict {
    let before = match lowered(source) {
        Ok(before) => before,
        Err(what) => return Verdict::Invalid(what),
    };
    if let Err(errors) = verify(&before) {
        return Verdict::Invalid(errors.to_string());
    }
    let mut after = before.clone();
    change(&mut after);
    if let Err(errors) = verify(&after) {
        return Verdict::Differs(errors.to_string());
    }
    let expected = match outcome(&before, FUEL) {
        Ok(expected) => expected,
        Err(what) => return Verdict::Invalid(what),
    };
    match outcome(&after, FUEL * 2) {
        Ok(found) => {
            let place =
                expected.iter().flatten().zip(found.iter().flatten()).position(|(expected, found)| expected != found);
            place.map_or(Verdict::Same, |place| Verdict::Differs(format!("element {place} of the buffers differs")))
        }
        Err(what) => Verdict::Differs(what),
    }
}

/// The IR of the function `kernel`, all other items in one module with those of `shared`; or the first error.
fn lowered(source: &str) -> Result<Module, String> {
    let file: syn::File = syn::parse_str(source).map_err(|error| error.to_string())?;
    let (mut device, mut kernel) = (Vec::new(), None);
    for item in file.items {
        match item {
            syn::Item::Mod(item) => device.extend(item.content.into_iter().flat_map(|(_, items)| items)),
            syn::Item::Fn(item) if item.sig.ident == "kernel" => kernel = Some(item),
            other => device.push(other),
        }
    }
    let kernel = kernel.ok_or("there is no kernel")?;
    let place = Place::of(&kernel.sig.ident);
    let items = SourceItems(device.iter().filter_map(SourceItem::of).collect());
    let (mut program, mut diags) = (Program::default(), Diagnostics::new());
    let items = items.parse_all(&mut diags);
    let mut uses: BTreeMap<String, ItemId> = BTreeMap::new();
    let names: Vec<_> = items.iter().map(|item| name_of(&item.item).map(ToString::to_string)).collect();
    let ids = push_module(&mut program, items, &uses, &place);
    uses.extend(names.into_iter().zip(ids).filter_map(|(name, id)| name.map(|name| (name, id))));
    let end = program.items.len();
    infer_module(&mut program, 0..end, &mut diags);
    let function = Item::Fn(parse_fn(&kernel, Role::Kernel, &mut diags));
    let Place { file, position } = place;
    let (bindings, typed) = (Vec::new(), TypedItem::None);
    let id = program.items.push(ProgramItem { item: function, uses, file, position, owner: None, bindings, typed });
    infer_item(&mut program, id, &mut diags);
    instantiate(&mut program, id, &mut diags);
    check_kernel(&program, id, &mut diags);
    match diags.into_list().first() {
        Some(error) => Err(error.text()),
        None => Ok(lower_kernel(&program, id, [8, 1, 1], true).module),
    }
}

/// The buffers after a workgroup; a message if it does something that no random program should.
fn outcome(module: &Module, fuel: u64) -> Result<Vec<Vec<Value>>, String> {
    let scalar = |constant| Value::Scalar(constant);
    let bits = |k: u32| {
        if k < 16 { [0, 1, 2, 31, 32, 255, 1 << 31, u32::MAX][k as usize / 2] } else { k.wrapping_mul(0x9e37_79b9) }
    };
    let mut buffers = vec![
        (0..64).map(|k| scalar(Constant::U32(bits(k)))).collect(),
        (0..64).map(|k| scalar(Constant::I32(bits(k).wrapping_neg() as i32))).collect(),
        (0..64).map(|k| scalar(Constant::F32(((bits(k) as i32 >> 8) as f32 / 64.0).to_bits()))).collect(),
    ];
    let params = vec![
        scalar(Constant::U32(0xdead_beef)),
        scalar(Constant::I32(-12_345)),
        scalar(Constant::F32(2.75f32.to_bits())),
    ];
    // A kernel that was cut down may have fewer.
    let kernel = module.kernel.as_ref().expect("a kernel");
    // Parts that only some programs have stand between the reads and the writes of all.
    let count = kernel.buffers.len();
    let more = kernel.buffers.iter().skip(buffers.len()).take((count - 1).saturating_sub(buffers.len()));
    let more =
        more.map(|(_, buffer)| (0..64).map(|k| filled(Value::zero(&module.types, buffer.element), bits(k))).collect());
    buffers.extend(more.collect::<Vec<_>>());
    buffers.push(vec![scalar(Constant::U32(0)); 8 * generator::WORDS]);
    let params = params.into_iter().take(kernel.params.len()).collect();
    let inputs = Inputs { groups: [1, 1, 1], items: None, params, buffers, ..Inputs::default() };
    let outcome = run(module, &inputs, &Options { fuel, subgroup_size: 4, ..Options::default() });
    if let Some(trap) = outcome.traps.first() {
        return Err(format!("it traps: {}", module.sites[trap.site].text));
    }
    match outcome.findings.first() {
        Some(finding) if finding.kind == FindingKind::OutOfFuel => Err("it does not end".to_owned()),
        Some(finding) => Err(format!("the interpreter finds {:?}", finding.kind)),
        None => Ok(outcome.buffers),
    }
}

/// A value of a zero's type.
fn filled(zero: Value, bits: u32) -> Value {
    match zero {
        Value::Scalar(zero) => Value::Scalar(match zero {
            Constant::F32(_) => Constant::F32(((bits as i32 >> 8) as f32 / 64.0).to_bits()),
            Constant::Bits(scalar, _) => {
                Constant::Bits(scalar, (u64::from(bits) << 31 ^ u64::from(bits)) & scalar.mask())
            }
            Constant::U32(_) => Constant::U32(bits),
            Constant::I32(_) => Constant::I32(bits as i32),
            other => other,
        }),
        Value::Composite(members) => {
            let member = |(zero, k): (Value, u32)| filled(zero, bits.wrapping_mul(0x85eb_ca6b).rotate_left(k) ^ k);
            Value::Composite(members.into_iter().zip(1..).map(member).collect())
        }
    }
}
