//! The time that the driver takes to make pipelines of our modules as the runtime hands them over, and of those that
//! `glslc -O` makes for the same algorithm. `--modules` tells how long the runtime takes to make one of them.

use gridwise_benches::raw::PipelineTimer;
use gridwise_benches::{Figure, Goal, interleave};

use crate::error::Error;
use crate::modules::{PAIRS, usual_words, words_of};
use crate::work::Bench;

pub(crate) fn bench(bench: &mut Bench<'_>) -> Result<(), Error> {
    for (name, reference, kernel) in PAIRS {
        let (ours, theirs) = (usual_words(kernel)?, words_of(&bench.shaders.module(reference)?));
        let (mut our_timer, mut their_timer) = (PipelineTimer::new(bench.raw)?, PipelineTimer::new(bench.raw)?);
        for is_warm in [false, true] {
            let make = |timer: &mut PipelineTimer<'_>, words: &[u32]| {
                Ok(if is_warm { timer.warm(words)? } else { timer.cold(words)? })
            };
            let mut first = || make(&mut our_timer, &ours);
            let mut second = || make(&mut their_timer, &theirs);
            let samples = interleave::<Error>(&mut [&mut first, &mut second], 1, bench.runs)?;
            bench.report.figures.push(Figure {
                name: format!("pipeline of {name}, {}", if is_warm { "warm" } else { "cold" }),
                unit: "run",
                peer: "GLSL".to_owned(),
                ours: samples[0].summary(1),
                theirs: samples[1].summary(1),
                goals: vec![Goal::Ratio(1.05)],
            });
        }
    }
    Ok(())
}
