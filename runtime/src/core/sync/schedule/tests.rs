//! Schedules: which submissions wait for which, and where barriers stand.

use super::*;

/// Submits to a queue; gives whether a barrier was asked for, and the waits.
fn submit_to(schedule: &Schedule, queue: usize, uses: &[(&Uses, bool)]) -> (bool, Marks) {
    let mut told = None;
    let noted = schedule.submit(
        queue,
        uses.iter().map(|(uses, is_write)| Use::whole(uses, *is_write)),
        &Marks::default(),
        false,
        |submission| {
            told = Some((submission.needs_barrier, submission.waits));
            Ok(())
        },
    );
    noted.unwrap();
    told.unwrap()
}

fn submit(schedule: &Schedule, uses: &[(&Uses, bool)]) -> bool {
    let (barrier, waits) = submit_to(schedule, 0, uses);
    assert_eq!(waits, Marks::default(), "there is no other queue");
    barrier
}

fn marks(of: &[u64]) -> Marks {
    std::array::from_fn(|queue| of.get(queue).copied().unwrap_or(0))
}

#[test]
fn a_barrier_only_where_a_buffer_ties_submissions() {
    let schedule = Schedule::default();
    let [a, b, c] = [(); 3].map(|()| schedule.new_uses());
    assert!(!submit(&schedule, &[(&a, false), (&b, true)]), "nothing came before");
    assert!(!submit(&schedule, &[(&a, false), (&c, true)]), "two readers of one buffer");
    assert!(submit(&schedule, &[(&b, false)]), "read after write");
    assert!(!submit(&schedule, &[(&c, false)]), "that barrier served this one too");
    assert!(submit(&schedule, &[(&a, true), (&c, true)]), "write after read");
}

#[test]
fn queues_wait_for_each_other_only_where_a_buffer_ties_them() {
    let schedule = Schedule::new(3);
    let [a, b, c] = [(); 3].map(|()| schedule.new_uses());
    let none = (false, Marks::default());
    assert_eq!(submit_to(&schedule, 0, &[(&a, false), (&b, true)]), none);
    assert_eq!(submit_to(&schedule, 1, &[(&a, false), (&c, true)]), none, "two readers of one buffer");
    assert_eq!(submit_to(&schedule, 1, &[(&b, false)]), (false, marks(&[1])), "read after write");
    assert_eq!(submit_to(&schedule, 1, &[(&b, false)]), none, "it has waited for that");
    assert_eq!(
        submit_to(&schedule, 0, &[(&c, false)]),
        (false, marks(&[0, 1])),
        "for the write, not for what came later"
    );
    assert_eq!(submit_to(&schedule, 2, &[(&a, true)]), (false, marks(&[1, 1])), "write after both reads");
    assert_eq!(submit_to(&schedule, 1, &[(&a, false)]), (false, marks(&[0, 0, 1])), "the write stands for the reads");
    assert_eq!(submit_to(&schedule, 2, &[(&a, false)]), (true, Marks::default()), "its own write takes a barrier");
}

#[test]
fn hand_overs_to_and_fro_wait_each_time() {
    let schedule = Schedule::new(2);
    let a = schedule.new_uses();
    submit_to(&schedule, 0, &[(&a, true)]);
    for round in 1..5 {
        assert_eq!(submit_to(&schedule, 1, &[(&a, true)]), (false, marks(&[round])));
        assert_eq!(submit_to(&schedule, 0, &[(&a, true)]), (false, marks(&[0, round])));
    }
}

#[test]
fn new_buffers_wait_for_nobody_who_runs() {
    let schedule = Schedule::new(2);
    let a = schedule.new_uses();
    submit_to(&schedule, 1, &[(&a, true)]);
    let b = schedule.new_uses();
    assert_eq!(submit_to(&schedule, 0, &[(&b, true)]), (false, Marks::default()));
    schedule.note_completed(Ticket { queue: 1, number: 1 });
    // Its memory may have been that of a buffer that queue 1 wrote.
    let c = schedule.new_uses();
    assert_eq!(submit_to(&schedule, 0, &[(&c, true)]), (false, marks(&[0, 1])));
}

#[test]
fn what_is_asked_for_is_waited_for_once() {
    let schedule = Schedule::new(2);
    let [a, b] = [(); 2].map(|()| schedule.new_uses());
    submit_to(&schedule, 0, &[(&a, true)]);
    let submit = |queue| {
        let mut told = None;
        let noted = schedule.submit(queue, [Use::whole(&b, false)].into_iter(), &marks(&[1]), false, |submission| {
            told = Some((submission.needs_barrier, submission.waits));
            Ok(())
        });
        noted.map(|_| told.unwrap()).unwrap()
    };
    assert_eq!(submit(1), (false, marks(&[1])));
    assert_eq!(submit(1), (false, Marks::default()));
    assert_eq!(submit(0), (true, Marks::default()));
    assert_eq!(submit(0), (false, Marks::default()));
}

#[test]
fn work_that_brings_its_barrier_serves_others_too() {
    let schedule = Schedule::default();
    let [a, b] = [(); 2].map(|()| schedule.new_uses());
    submit(&schedule, &[(&a, true)]);
    assert!(schedule.needs_barrier(0, [Use::whole(&a, false)].into_iter()));
    let mut extra = true;
    let brought = schedule.submit(0, [Use::whole(&b, true)].into_iter(), &Marks::default(), true, |submission| {
        extra = submission.needs_barrier;
        Ok(())
    });
    assert!(brought.is_ok() && !extra);
    assert!(!schedule.needs_barrier(0, [Use::whole(&a, false)].into_iter()));
    assert!(schedule.needs_barrier(0, [Use::whole(&b, false)].into_iter()));
}

#[test]
fn a_completed_read_is_over_but_a_completed_write_must_be_made_visible() {
    let schedule = Schedule::new(2);
    let [a, b] = [(); 2].map(|()| schedule.new_uses());
    submit(&schedule, &[(&a, false), (&b, true)]);
    schedule.note_completed(Ticket { queue: 0, number: 1 });
    assert_eq!(submit_to(&schedule, 1, &[(&a, true)]), (false, Marks::default()));
    assert_eq!(submit_to(&schedule, 1, &[(&b, false)]), (false, marks(&[1])));
    assert_eq!(submit_to(&schedule, 0, &[(&b, false)]), (true, Marks::default()));
}

#[test]
fn failed_submissions_leave_no_trace() {
    let schedule = Schedule::default();
    let a = schedule.new_uses();
    let none = Marks::default();
    let failed = schedule.submit(0, [Use::whole(&a, true)].into_iter(), &none, false, |_| {
        Err(crate::Error::DeviceLost { operation: "test" })
    });
    assert!(failed.is_err());
    assert_eq!(schedule.take_for_host(&a, &WHOLE, true).unwrap().after, none);
    assert_eq!(
        schedule.submit(0, [Use::whole(&a, true)].into_iter(), &none, false, |_| Ok(())).unwrap().unwrap().number,
        1
    );
}

#[test]
fn the_host_reads_after_writes_and_writes_after_everything() {
    let schedule = Schedule::new(2);
    let a = schedule.new_uses();
    submit_to(&schedule, 0, &[(&a, true)]);
    submit_to(&schedule, 1, &[(&a, false)]);
    submit_to(&schedule, 0, &[(&a, false)]);
    assert_eq!(schedule.take_for_host(&a, &WHOLE, false).unwrap().after, marks(&[1]));
    assert_eq!(schedule.take_for_host(&a, &WHOLE, true).unwrap().after, marks(&[2, 1]));
}

#[test]
fn submissions_wait_for_the_host() {
    let schedule = Schedule::default();
    let a = schedule.new_uses();
    let reader = schedule.take_for_host(&a, &WHOLE, false).unwrap();
    assert!(!submit(&schedule, &[(&a, false)]), "both read");
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| submit(&schedule, &[(&a, true)]));
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(!writer.is_finished());
        drop(reader);
        assert!(writer.join().unwrap());
    });
}

#[test]
fn submissions_do_not_wait_for_views() {
    let schedule = Schedule::default();
    let (a, b) = (schedule.new_uses().named(&Arc::from("a")), schedule.new_uses());
    let submit = |uses: &Uses, is_write| {
        schedule.submit(0, [Use::whole(uses, is_write)].into_iter(), &Marks::default(), false, |_| Ok(()))
    };
    let view = schedule.map_for_host(&a, &WHOLE, false).unwrap();
    let refused = submit(&a, true);
    assert!(matches!(refused, Err(Error::TensorMapped { tensor }) if tensor == "a"));
    submit(&a, false).unwrap();
    submit(&b, true).unwrap();
    drop(view);
    submit(&a, true).unwrap();
    let view = schedule.map_for_host(&a, &WHOLE, true).unwrap();
    assert!(submit(&a, false).is_err());
    drop(view);
    submit(&a, false).unwrap();
}

#[test]
fn a_run_has_its_buffers_to_itself() {
    let schedule = Schedule::default();
    let [a, b] = [(); 2].map(|()| schedule.new_uses());
    let hold = |uses: &[&Uses]| {
        let mut newly = Vec::new();
        (schedule.hold(uses.iter().copied(), |is_new| newly.push(is_new)), newly)
    };
    let (holder, newly) = hold(&[&a]);
    assert_eq!(newly, [true]);
    {
        let _inside = enter(holder);
        submit(&schedule, &[(&a, true)]);
        assert_eq!(schedule.take_for_host(&a, &WHOLE, true).unwrap().after, marks(&[1]));
        let (inner, newly) = hold(&[&a, &b]);
        assert_eq!((inner, newly), (holder, vec![false, true]));
        schedule.release([&b].into_iter());
    }
    submit(&schedule, &[(&b, true)]);
    std::thread::scope(|scope| {
        let others = [
            scope.spawn(|| schedule.wait_until_free([&a].into_iter())),
            scope.spawn(|| drop(schedule.take_for_host(&a, &WHOLE, false).unwrap())),
            scope.spawn(|| {
                assert_eq!(hold(&[&b, &a]).1, [true, true]);
                // Whoever of the others comes later than this one waits for it.
                schedule.release([&b, &a].into_iter());
            }),
        ];
        std::thread::sleep(std::time::Duration::from_millis(20));
        let refused = schedule.submit(0, [Use::whole(&a, false)].into_iter(), &Marks::default(), false, |_| Ok(()));
        assert_eq!(refused.unwrap(), None);
        assert!(others.iter().all(|other| !other.is_finished()));
        schedule.release([&a].into_iter());
    });
}

#[test]
fn parts_of_a_buffer_tie_nobody_but_their_users() {
    let schedule = Schedule::new(2);
    let a = schedule.new_uses();
    let submit = |queue, bytes, is_write| {
        let (used, mut told) = (Use { uses: &a, bytes, is_write }, None);
        let submitted = schedule.submit(queue, [used].into_iter(), &Marks::default(), false, |submission| {
            told = Some((submission.needs_barrier, submission.waits));
            Ok(())
        });
        submitted.map(|_| told.unwrap()).unwrap()
    };
    let none = (false, Marks::default());
    assert_eq!(submit(0, 0..8, true), none);
    assert_eq!(submit(1, 8..16, true), none, "apart from it");
    assert_eq!(submit(0, 16..24, true), none, "on one queue, too");
    assert_eq!(schedule.waiting(), 0);
    assert_eq!(submit(1, 7..9, false), (true, marks(&[1])), "one byte of each");
    assert_eq!(schedule.waiting(), 1);
    assert_eq!(schedule.take_for_host(&a, &WHOLE, true).unwrap().after, marks(&[2, 2]), "the host has it whole");
    assert_eq!(submit(0, WHOLE, true), (true, marks(&[0, 2])));
    assert_eq!(submit(1, 16..24, false), (false, marks(&[3])));
    assert_eq!(schedule.take_for_host(&a, &WHOLE, false).unwrap().after, marks(&[3]));
}

/// Queue, uses of bytes of buffers, and which earlier submissions come before it.
type Submitted = (usize, Vec<(usize, Range<u64>, bool)>, Vec<bool>);

/// Random submissions to three queues, against a model that knows for each pair of submissions whether one comes after the
/// other: all that share a buffer must, and a wait is asked for only where it adds to that.
#[test]
fn random_submissions_are_ordered_exactly_where_they_share() {
    let mut seed = 12_345u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    for _ in 0..200 {
        let schedule = Schedule::new(3);
        let buffers: Vec<Uses> = (0..4).map(|_| schedule.new_uses()).collect();
        let mut all: Vec<Submitted> = Vec::new();
        // By queue: what comes before all its later submissions.
        let mut before: Vec<Vec<bool>> = vec![Vec::new(); 3];
        for at in 0..40 {
            let queue = random(3) as usize;
            // Half of them of all bytes, which are few enough to be told apart.
            let mut bytes = || match random(2) {
                0 => WHOLE,
                _ => {
                    let start = random(8);
                    start..start + 1 + random(4)
                }
            };
            let ranges = [bytes(), bytes()];
            let uses: Vec<(usize, Range<u64>, bool)> = (ranges.into_iter().take(1 + random(2) as usize))
                .map(|bytes| (random(4) as usize, bytes, random(3) == 0))
                .collect();
            let named = uses.iter().map(|(buffer, bytes, is_write)| {
                let (uses, bytes, is_write) = (&buffers[*buffer], bytes.clone(), *is_write);
                Use { uses, bytes, is_write }
            });
            let mut told = None;
            let submitted = schedule.submit(queue, named, &Marks::default(), false, |submission| {
                told = Some((submission.needs_barrier, submission.waits));
                Ok(())
            });
            submitted.unwrap();
            let (barrier, waits) = told.unwrap();
            before[queue].resize(at, false);
            let conflicts = |earlier: &Submitted| {
                let meets = |(a, ba, wa): &(usize, Range<u64>, bool)| {
                    let overlaps = |other: &Range<u64>| ba.start < other.end && other.start < ba.end;
                    uses.iter().any(|(b, bb, wb)| a == b && overlaps(bb) && (*wa || *wb))
                };
                earlier.1.iter().any(meets)
            };
            let must: Vec<bool> = all.iter().map(conflicts).collect();
            let numbers: Vec<u64> = (0..at)
                .map(|index| all[..=index].iter().filter(|(other, ..)| *other == all[index].0).count() as u64)
                .collect();
            for index in 0..at {
                let other = all[index].0;
                if (other == queue && barrier) || (other != queue && numbers[index] <= waits[other]) {
                    before[queue][index] = true;
                    for (earlier, comes_before) in all[index].2.iter().enumerate() {
                        before[queue][earlier] |= *comes_before;
                    }
                }
            }
            for index in 0..at {
                assert!(!must[index] || before[queue][index], "{at} shares with {index} and may overlap it");
            }
            for other in (0..3).filter(|other| waits[*other] > 0) {
                let ties = (0..at).any(|index| all[index].0 == other && must[index]);
                assert!(ties, "{at} waits for queue {other} and shares nothing with it");
            }
            assert!(!barrier || (0..at).any(|index| all[index].0 == queue && must[index]));
            all.push((queue, uses, before[queue].clone()));
        }
    }
}
