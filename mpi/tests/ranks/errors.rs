//! Cases of misuse: every rank gets an error, and none waits for another.

use gridwise_mpi::mpi::topology::Color;
use gridwise_mpi::mpi::traits::Communicator;
use gridwise_mpi::{Decomposition, Error, Expected, Halo, Neighbours, Rank, ReduceOp};

use crate::Outcome;

/// After each error the ranks go on together.
pub(crate) fn disagreements(rank: &Rank) -> Outcome {
    let mgr = rank.manager()?;
    let (index, first) = (rank.index(), rank.index() == 0);
    let mut tensor = mgr.tensor(&[1.0f32; 4])?;
    let part = mgr.tensor(&[1.0f32; 4])?;

    let error = if first { rank.broadcast(0, &mut tensor).err() } else { rank.gather(0, &part).err() };
    let error = error.ok_or("different operations went through")?;
    assert!(matches!(&error, Error::Disagree { what: "the operation", .. }), "{error}");
    assert!(error.to_string().contains("broadcast on rank 0, gather on rank 1"), "{error}");

    let error = rank.broadcast(usize::from(!first), &mut tensor).unwrap_err();
    assert!(matches!(&error, Error::Disagree { what: "the root", .. }), "{error}");

    let mut longer = mgr.tensor(&vec![1.0f32; 4 + index])?;
    let error = rank.broadcast(0, &mut longer).unwrap_err();
    assert!(
        matches!(&error, Error::Disagree { what: "the number of elements", values, .. } if values.0[1] == "5"),
        "{error}"
    );

    let error = match first {
        true => rank.broadcast(0, &mut tensor).unwrap_err(),
        false => rank.broadcast(0, &mut mgr.tensor(&[1.0f64; 4])?).unwrap_err(),
    };
    assert!(matches!(&error, Error::Disagree { what: "the bytes of an element", .. }), "{error}");

    let op = if first { ReduceOp::Min } else { ReduceOp::Max };
    let error = rank.all_reduce(op, &part, &mut tensor).unwrap_err();
    assert!(matches!(&error, Error::Disagree { what: "the arguments", .. }), "{error}");

    let error = rank.broadcast(99, &mut tensor).unwrap_err();
    assert!(matches!(error, Error::NoSuchRoot { root: 99, last, .. } if last == rank.size() - 1));

    let error = Decomposition::new(rank, [100 + index], [false]).unwrap_err();
    assert!(matches!(&error, Error::Disagree { operation: "Decomposition::new", .. }), "{error}");

    rank.broadcast(0, &mut tensor)?;
    Ok(())
}

pub(crate) fn one_rank_cannot(rank: &Rank) -> Outcome {
    let mgr = rank.manager()?;
    let is_odd_one = rank.index() == 1;
    let mut total = mgr.tensor_of_len::<f32>(4)?;
    let partials = mgr.tensor(&vec![1.0f32; if is_odd_one { 7 } else { 8 }])?;
    let error = rank.all_reduce(ReduceOp::Sum, &partials, &mut total).unwrap_err();
    match is_odd_one {
        true => assert!(matches!(error, Error::WrongLength { len: 7, expected: Expected::MultipleOf(4), .. })),
        false => assert!(matches!(error, Error::OtherRank { operation: "all_reduce", rank: 1 })),
    }

    let boxes = Decomposition::new(rank, [16], [true])?;
    let mut cells = mgr.tensor(&vec![0u32; boxes.len(1) + usize::from(is_odd_one)])?;
    let error = Halo::new(rank, &boxes, 1, Neighbours::All, &mut cells).unwrap_err();
    match is_odd_one {
        true => assert!(matches!(error, Error::WrongLength { operation: "Halo::new", .. })),
        false => assert!(matches!(error, Error::OtherRank { operation: "Halo::new", rank: 1 })),
    }

    let mut part = mgr.tensor_of_len::<u32>(2)?;
    let error = rank.scatter(1, Some(&[1, 2, 3]), &mut part).unwrap_err();
    match is_odd_one {
        true => assert!(matches!(error, Error::WrongScatter { given: 3, .. })),
        false => assert!(matches!(error, Error::OtherRank { operation: "scatter", rank: 1 })),
    }
    rank.barrier();
    Ok(())
}

pub(crate) fn boxes(rank: &Rank) -> Outcome {
    let mgr = rank.manager()?;
    assert!(matches!(Decomposition::new(rank, [3], [true]), Err(Error::TooFewCells { cells: 3, ranks: 4, .. })));
    assert!(matches!(Decomposition::new(rank, [0, 9], [true; 2]), Err(Error::TooFewCells { axis: 0, cells: 0, .. })));
    let wrong = Decomposition::with_ranks(rank, [9, 9], [true; 2], [3, 1]);
    assert!(matches!(wrong, Err(Error::WrongRanks { product: 3, size: 4, .. })));

    let boxes = Decomposition::new(rank, [6], [true])?;
    let mut cells = mgr.tensor(&vec![0u32; boxes.len(2)])?;
    // Ranks 0 and 1 have two cells, the others one: all of them are told.
    let error = Halo::new(rank, &boxes, 2, Neighbours::All, &mut cells).unwrap_err();
    assert!(matches!(error, Error::NarrowBox { axis: 0, cells: 1, width: 2 }), "{error}");
    Ok(())
}

/// Halves of the world work side by side, each with its own boxes.
pub(crate) fn other_communicators(rank: &Rank) -> Outcome {
    let color = Color::with_value((rank.index() % 2) as i32);
    let half = rank.communicator().split_by_color(color).ok_or("no communicator")?;
    let half = Rank::new(&half)?;
    assert_eq!((half.size(), half.index()), (2, rank.index() / 2));
    let mgr = half.manager()?;
    let boxes = Decomposition::new(&half, [10 + rank.index() % 2], [true])?;
    let mut cells = mgr.tensor(&vec![rank.index() as u32; boxes.len(1)])?;
    Halo::new(&half, &boxes, 1, Neighbours::All, &mut cells)?.exchange()?;
    assert_eq!(cells.get(0)?, (rank.index() as u32 + 2) % 4);
    let mut total = mgr.tensor_of_len::<u32>(1)?;
    half.all_reduce(ReduceOp::Sum, &mgr.tensor(&[1u32])?, &mut total)?;
    assert_eq!(total.get(0)?, 2);

    // A box that was split for one communicator does not fit another with more ranks.
    let mut cells = mgr.tensor(&vec![0u32; boxes.len(1)])?;
    let error = Halo::new(rank, &boxes, 1, Neighbours::All, &mut cells).unwrap_err();
    assert!(matches!(error, Error::WrongRanks { product: 2, size: 4, .. }), "{error}");
    Ok(())
}

pub(crate) fn devices(rank: &Rank) -> Outcome {
    assert!(rank.local_index() < rank.local_size() && rank.local_size() == rank.size());
    let gpus =
        gridwise::Manager::list_devices().iter().filter(|device| device.kind < gridwise::DeviceKind::Cpu).count();
    // One that the environment names is the same for all ranks.
    let is_named = std::env::var_os("GRIDWISE_DEVICE").is_some_and(|name| !name.is_empty());
    let devices_here = if is_named { 1 } else { gpus };
    match rank.manager_alone() {
        Ok(_) => assert!(devices_here >= rank.size()),
        Err(Error::DeviceShared { ranks, devices }) => {
            assert_eq!((ranks, devices), (rank.size(), devices_here));
            assert!(devices < ranks);
        }
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

/// The environment names one device for all ranks.
pub(crate) fn one_device(rank: &Rank) -> Outcome {
    match (rank.manager_alone(), rank.size()) {
        (Ok(mgr), 1) => assert_eq!(mgr.device().kind, gridwise::DeviceKind::Host),
        (Err(error @ Error::DeviceShared { ranks: 4, devices: 1 }), 4) => {
            assert!(error.to_string().contains("let `GRIDWISE_DEVICE` name another device"), "{error}");
        }
        (other, _) => return Err(format!("{other:?}").into()),
    }
    // Shared, it works on all ranks.
    let mgr = rank.manager()?;
    let mut total = mgr.tensor_of_len::<u32>(3)?;
    rank.all_reduce(ReduceOp::Sum, &mgr.tensor(&[1u32, 2, 3])?, &mut total)?;
    assert_eq!(total.to_vec()?, [1, 2, 3].map(|one| one * rank.size() as u32));
    Ok(())
}

/// One rank by itself, and three whose boxes differ by a cell: both work at once, and then all together.
pub(crate) fn uneven_communicators(rank: &Rank) -> Outcome {
    let color = Color::with_value(i32::from(rank.index() > 0));
    let part = rank.communicator().split_by_color(color).ok_or("no communicator")?;
    let part = Rank::new(&part)?;
    assert_eq!((part.size(), part.index()), if rank.index() == 0 { (1, 0) } else { (3, rank.index() - 1) });
    let mgr = part.manager()?;
    for cells in [10, 11] {
        let boxes = Decomposition::new(&part, [cells], [true])?;
        let mut values = mgr.tensor(&vec![part.index() as u32; boxes.len(1)])?;
        Halo::new(&part, &boxes, 1, Neighbours::All, &mut values)?.exchange()?;
        let (before, behind) = ((part.index() + part.size() - 1) % part.size(), (part.index() + 1) % part.size());
        let values = values.to_vec()?;
        assert_eq!((values[0], values[values.len() - 1]), (before as u32, behind as u32));
    }
    // What does not fit three ranks fits one: the errors are the part's own.
    let few = Decomposition::new(&part, [2], [true]).err();
    match part.size() {
        1 => assert!(few.is_none()),
        _ => assert!(matches!(few, Some(Error::TooFewCells { cells: 2, ranks: 3, .. })), "{few:?}"),
    }
    let mut tensor = mgr.tensor(&[rank.index() as u32])?;
    let error = part.broadcast(part.size(), &mut tensor).unwrap_err();
    assert!(matches!(error, Error::NoSuchRoot { last, .. } if last == part.size() - 1), "{error}");
    rank.broadcast(3, &mut tensor)?;
    assert_eq!(tensor.get(0)?, 3);
    Ok(())
}

/// Rank 1 fails while the others wait for it.
pub(crate) fn fails(rank: &Rank) -> Outcome {
    match rank.index() {
        1 => Err("out of cheese".into()),
        _ => waits(rank),
    }
}

pub(crate) fn panics(rank: &Rank) -> Outcome {
    assert_ne!(rank.index(), 1, "one rank panics");
    waits(rank)
}

pub(crate) fn is_killed(rank: &Rank) -> Outcome {
    if rank.index() == 1 {
        std::process::Command::new("kill").args(["-KILL", &std::process::id().to_string()]).status()?;
    }
    waits(rank)
}

fn waits(rank: &Rank) -> Outcome {
    let mgr = rank.manager()?;
    rank.broadcast(0, &mut mgr.tensor(&[1.0f32])?)?;
    Err("a rank that is gone took part".into())
}
