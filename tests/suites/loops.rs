//! Loops of many rounds on the device that `GRIDWISE_DEVICE` selects: all of them run, or the evaluation says that the driver stopped
//! some. Never less than was asked for without a word.

use gridwise::prelude::*;
use gridwise::{Algorithm, DeviceKind, Error, Result, SpirvCode, SpirvDesc};

/// Rounds of an invocation's loops together, beyond which some drivers end them.
const MOST: u32 = 65_535;

/// Counts its rounds.
#[kernel(workgroup = 64)]
fn count(rounds: &[u32], counted: &mut [u32]) {
    let i = global_id().x;
    let mut count = 0;
    for round in 0..rounds[i] {
        count += (round & 1) + 1;
    }
    counted[i] = count;
}

/// Counts the rounds of a loop that half of the invocations run, and those of another that the others run.
#[kernel(workgroup = 64)]
fn count_by_turns(rounds: &[u32], counted: &mut [u32]) {
    let i = global_id().x;
    let mut count = 0;
    if i % 2 == 0 {
        for round in 0..rounds[i] {
            count += (round & 1) + 1;
        }
    } else {
        let mut left = rounds[i];
        while left > 0 {
            count += (left & 1) + 1;
            left -= 1;
        }
    }
    counted[i] = count;
}

/// Loops within a loop; a match that leaves both, and one that returns.
#[kernel(workgroup = 64)]
fn count_nested(outer: u32, inner: u32, leaves_at: u32, returns_at: u32, counted: &mut [u32]) {
    let i = global_id().x;
    let mut count = 0;
    'outer: for a in 0..outer {
        let mut b = 0;
        loop {
            if b == inner {
                break;
            }
            match a * inner + b {
                n if n == leaves_at => break 'outer,
                n if n == returns_at => {
                    counted[i] = count + 1_000_000;
                    return;
                }
                _ => {}
            }
            count += 1;
            b += 1;
        }
    }
    counted[i] = count;
}

/// As many rounds as a constant says: whether that can be too many is known when the pipeline is made.
#[kernel(workgroup = 64)]
fn count_const<const N: u32>(counted: &mut [u32]) {
    let i = global_id().x;
    let mut count = i;
    for round in 0..N {
        count = count * 5 + (round ^ i);
    }
    counted[i] = count;
}

fn expected(rounds: u32) -> u32 {
    rounds + rounds / 2
}

/// The words of a launch; `None` if the error, which names the kernel and the device, says that loops were stopped.
fn outcome(mgr: &Manager, kernel: &str, seq: &Sequence, counted: &Tensor<u32>) -> Option<Vec<u32>> {
    match seq.eval() {
        Ok(_) => Some(counted.to_vec().expect("readable")),
        Err(Error::LoopsStopped { kernel: of, device, rounds }) => {
            assert_eq!((&*of, device.as_str(), rounds), (kernel, mgr.device().name.as_str(), MOST));
            None
        }
        Err(other) => panic!("{other}"),
    }
}

/// Whether this device ends loops: the only one known to is llvmpipe before Mesa 26.1.
fn stops(mgr: &Manager) -> bool {
    let device = mgr.device();
    device.kind == DeviceKind::Cpu
        && device.name.contains("llvmpipe")
        && device.driver.contains("Mesa 2")
        && !device.driver.contains("Mesa 26.")
}

fn run(mgr: &Manager, rounds: &[u32], by_turns: bool) -> Result<Option<Vec<u32>>> {
    let (rounds, mut counted) = (mgr.tensor(rounds)?, mgr.tensor_of_len::<u32>(rounds.len())?);
    let seq = mgr.sequence()?;
    let grid = Grid::items(rounds.len());
    match by_turns {
        true => CountByTurns::dispatch(&seq, grid, &rounds, &mut counted)?,
        false => Count::dispatch(&seq, grid, &rounds, &mut counted)?,
    };
    Ok(outcome(mgr, if by_turns { "count_by_turns" } else { "count" }, &seq, &counted))
}

#[test]
fn all_rounds_run_or_the_error_says_that_they_did_not() -> Result<()> {
    let mgr = Manager::new()?;
    let mut told = 0;
    // Four rounds may be one of the device.
    for most in [1, 60_000, MOST - 1, MOST, MOST + 1, MOST + 2, 400_000] {
        for at in [0, 5, 63, 64, 99] {
            let rounds: Vec<u32> = (0..100).map(|i| if i == at { most } else { i % 7 }).collect();
            match run(&mgr, &rounds, false)? {
                Some(counted) => {
                    assert_eq!(counted, rounds.iter().map(|rounds| expected(*rounds)).collect::<Vec<_>>(), "{most}");
                }
                None => {
                    told += 1;
                    assert!(most >= MOST && stops(&mgr), "{most} rounds are few, or the device runs all");
                }
            }
        }
    }
    assert_eq!(told > 0, stops(&mgr));
    assert_eq!(mgr.validation_messages(), Vec::<String>::new());
    Ok(())
}

/// A vector of invocations runs the loops of all of them, so that each may have few rounds and all together too many.
#[test]
fn loops_of_neighbours_count_together() -> Result<()> {
    let mgr = Manager::new()?;
    for most in [20_000, 40_000] {
        let rounds: Vec<u32> = (0..64).map(|i| most + i).collect();
        let expected: Vec<u32> =
            rounds.iter().enumerate().map(|(i, n)| n + if i % 2 == 0 { n / 2 } else { n.div_ceil(2) }).collect();
        match run(&mgr, &rounds, true)? {
            Some(counted) => assert_eq!(counted, expected),
            None => assert!(most == 40_000 && stops(&mgr)),
        }
    }
    Ok(())
}

#[test]
fn loops_within_loops_and_all_ways_out_of_them() -> Result<()> {
    let mgr = Manager::new()?;
    let never = u32::MAX;
    for (outer, inner, leaves_at, returns_at) in [
        (9, 0, never, never),
        (30, 40, never, never),
        (30, 40, 500, never),
        (30, 40, 0, never),
        (300, 400, 700, never),
        (30, 40, never, 900),
        (3000, 4000, never, never),
    ] {
        let mut counted = mgr.tensor_of_len::<u32>(64)?;
        let seq = mgr.sequence()?;
        CountNested::dispatch(&seq, Grid::items(64), outer, inner, leaves_at, returns_at, &mut counted)?;
        let count = match outer * inner {
            _ if returns_at != never => 1_000_000 + returns_at,
            all => all.min(leaves_at),
        };
        let rounds = (outer * inner).min(leaves_at).min(returns_at);
        // A replay begins with nothing told.
        for _ in 0..2 {
            match outcome(&mgr, "count_nested", &seq, &counted) {
                Some(counted) => assert_eq!(counted, [count; 64]),
                None => assert!(rounds > 60_000 && stops(&mgr), "{rounds}"),
            }
        }
    }
    assert_eq!(mgr.validation_messages(), Vec::<String>::new());
    Ok(())
}

#[test]
fn constants_decide_too() -> Result<()> {
    let mgr = Manager::new()?;
    let mut counted = mgr.tensor_of_len::<u32>(64)?;
    let value = |rounds: u32, i: u32| (0..rounds).fold(i, |count, round| count.wrapping_mul(5).wrapping_add(round ^ i));
    for rounds in [10, 70_000] {
        let seq = mgr.sequence()?;
        match rounds {
            10 => CountConst::<10>::dispatch(&seq, Grid::items(64), &mut counted)?,
            _ => CountConst::<70_000>::dispatch(&seq, Grid::items(64), &mut counted)?,
        };
        match outcome(&mgr, "count_const", &seq, &counted) {
            Some(counted) => assert_eq!(counted, (0..64).map(|i| value(rounds, i)).collect::<Vec<_>>()),
            None => assert!(rounds > MOST && stops(&mgr)),
        }
    }
    Ok(())
}

/// The error names the right launch of several.
#[test]
fn the_launch_is_named_among_others() -> Result<()> {
    let mgr = Manager::new()?;
    let (few, many) = (mgr.tensor(&[3u32; 64])?, mgr.tensor(&[100_000u32; 64])?);
    let (mut a, mut b, mut c) = (mgr.tensor_of_len(64)?, mgr.tensor_of_len(64)?, mgr.tensor_of_len(64)?);
    let seq = mgr.sequence()?;
    Count::dispatch(&seq, Grid::items(64), &few, &mut a)?;
    CountByTurns::dispatch(&seq, Grid::items(64), &many, &mut b)?;
    Count::dispatch(&seq, Grid::items(64), &few, &mut c)?;
    assert_eq!(outcome(&mgr, "count_by_turns", &seq, &c).is_none(), stops(&mgr));
    assert_eq!(a.to_vec()?, [expected(3); 64], "the launch before it is whole");
    Ok(())
}

/// Modules of others are watched, too.
#[test]
fn modules_from_elsewhere_do_not_stop_unnoticed() -> Result<()> {
    let mgr = Manager::new()?;
    let code = SpirvCode::Bytes(include_bytes!("../../runtime/tests/modules/rounds.spv"));
    let desc = SpirvDesc { name: "rounds", code, entry_point: None, constants: &[] };
    // SAFETY: the module stays within its buffer, and ends.
    let module = match unsafe { Algorithm::from_spirv(&mgr, &desc) } {
        Err(Error::NeedsVulkan { .. }) if mgr.device().kind == DeviceKind::Host => return Ok(()),
        made => made?,
    };
    for rounds in [5u32, 50_000, 150_000] {
        let mut count = 0;
        while count < rounds {
            count += [1, 4, 2][count as usize % 3];
        }
        let expected = (0..rounds).fold(count, |count, round| count ^ (round & 1));
        let mut counted = mgr.tensor_of_len::<u32>(100)?;
        let seq = mgr.sequence()?;
        seq.record(module.launch(Grid::items(128)).write(0, &mut counted).push(&[rounds]))?;
        match outcome(&mgr, "rounds", &seq, &counted) {
            Some(counted) => assert_eq!(counted, [expected; 100]),
            None => assert!(rounds > 5 && stops(&mgr)),
        }
        assert_eq!(
            rounds > MOST && stops(&mgr),
            matches!(seq.eval(), Err(Error::LoopsStopped { .. })) && rounds > MOST
        );
    }
    assert_eq!(mgr.validation_messages(), Vec::<String>::new());
    Ok(())
}
