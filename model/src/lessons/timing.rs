//! The time that layers take on this machine.

use attention_trace::lessons::{Spread, Timed, TimedPoint};

use super::{
    LessonError,
    sequence::{Layer, mix, project},
    values,
};

/// The number of timings of each operation; the median is the fourth.
const REPEATS: usize = 7;
/// The shortest period that is timed, in milliseconds: browsers' clocks have a resolution of 0.1 ms, some of 1 ms.
const LEAST_MS: f64 = 10.0;
/// The most passes in one timing.
const MOST_PASSES: usize = 1 << 10;

/// Times one pass of a layer by a clock in milliseconds. Passes before the measurement warm up the processor's caches
/// and the browser's compiler. For self-attention, the mixing is also timed alone, on precomputed queries, keys and
/// values.
///
/// # Errors
/// If a size is 0 or too large, or the clock does not move.
pub fn time_layer(
    point: TimedPoint,
    clock_ms: impl Fn() -> f64 + Copy,
) -> Result<Timed, LessonError> {
    let (layer, input) = Layer::drawn(point)?;
    // The numbers are read back, so that nothing is left undone.
    let whole = spread(clock_ms, || {
        values(layer.forward(input.clone())).map(|_| ())
    })?;
    let mixing = match &layer {
        Layer::SelfAttention { projections, .. } => {
            let [query, key, value] = project(input.clone(), projections);
            let pass = || values(mix(query.clone(), key.clone(), value.clone())).map(|_| ());
            Some(spread(clock_ms, pass)?)
        }
        _ => None,
    };
    Ok(Timed {
        point,
        whole,
        mixing,
    })
}

/// Times a pass, repeated often enough for the clock's resolution.
fn spread(
    clock_ms: impl Fn() -> f64,
    pass: impl Fn() -> Result<(), LessonError>,
) -> Result<Spread, LessonError> {
    let run = |passes: usize| -> Result<f64, LessonError> {
        let began = clock_ms();
        for _ in 0..passes {
            pass()?;
        }
        Ok(clock_ms() - began)
    };
    run(1)?;
    let mut passes = 1;
    while run(passes)? < LEAST_MS && passes < MOST_PASSES {
        passes *= 2;
    }
    let mut times = Vec::with_capacity(REPEATS);
    for _ in 0..REPEATS {
        times.push(run(passes)? / passes as f64);
    }
    times.sort_by(f64::total_cmp);
    let most_ms = times[REPEATS - 1];
    if most_ms <= 0.0 {
        return Err(LessonError::Clock);
    }
    Ok(Spread {
        median_ms: times[REPEATS / 2],
        least_ms: times[0],
        most_ms,
        repeats: REPEATS,
        passes,
    })
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use attention_trace::layers::SequenceLayer;

    use super::*;

    /// Creates a clock by which the runs take the given times; the last time repeats.
    fn clock(times: Vec<f64>) -> impl Fn() -> f64 {
        let (now, readings) = (Cell::new(0.0), Cell::new(0));
        let times = RefCell::new(times);
        move || {
            // Every second reading ends a run.
            if readings.get() % 2 == 1 {
                let mut times = times.borrow_mut();
                let took = if times.len() > 1 {
                    times.remove(0)
                } else {
                    times[0]
                };
                now.set(now.get() + took);
            }
            readings.set(readings.get() + 1);
            now.get()
        }
    }

    #[test]
    fn the_median_the_shortest_and_the_longest_of_seven_after_the_warm_up() {
        // The warm-up, the first run that is long enough, and the seven.
        let times = vec![900.0, 12.0, 30.0, 11.0, 50.0, 12.0, 14.0, 13.0, 500.0];
        let passes = Cell::new(0);
        let made = spread(clock(times), || {
            passes.set(passes.get() + 1);
            Ok(())
        })
        .unwrap();
        let expected = Spread {
            median_ms: 14.0,
            least_ms: 11.0,
            most_ms: 500.0,
            repeats: 7,
            passes: 1,
        };
        assert_eq!(made, expected);
        assert_eq!(passes.get(), 9);
    }

    #[test]
    fn short_passes_are_timed_together() {
        // Half a millisecond, then 2, 4 and 10: of one, two, four and eight passes.
        let made = spread(clock(vec![1.0, 0.5, 2.0, 4.0, 16.0]), || Ok(())).unwrap();
        assert_eq!((made.passes, made.median_ms), (8, 2.0));
    }

    #[test]
    fn a_clock_that_stands_times_nothing() {
        assert_eq!(spread(|| 0.0, || Ok(())), Err(LessonError::Clock));
    }

    #[test]
    fn attention_alone_has_a_part_with_pairs() {
        let ticks = Cell::new(0.0);
        let clock = || {
            ticks.set(ticks.get() + 20.0);
            ticks.get()
        };
        for layer in SequenceLayer::ALL {
            let point = TimedPoint {
                layer,
                tokens: 3,
                width: 2,
                kernel: 2,
            };
            let timed = time_layer(point, clock).unwrap();
            assert_eq!(timed.point, point);
            assert_eq!(timed.whole.median_ms, 20.0);
            assert_eq!(
                timed.mixing.is_some(),
                layer == SequenceLayer::SelfAttention
            );
        }
    }
}
