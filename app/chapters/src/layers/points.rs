//! The measurement as plain data: the points to be timed, their times, and the fit of the formulas to them.

use crate::layers::parameters::Against;
use attention_trace::{
    layers::{LayerSize, SequenceLayer},
    lessons::{Spread, Timed, TimedPoint},
};

/// The numbers of tokens that are timed, at the width [`AT_WIDTH`].
pub const TOKENS: [usize; 4] = [64, 128, 256, 512];
/// The widths that are timed, over [`AT_TOKENS`] tokens.
pub const WIDTHS: [usize; 4] = [32, 64, 128, 256];
/// The width at which numbers of tokens are timed.
pub const AT_WIDTH: usize = 64;
/// The number of tokens at which widths are timed.
pub const AT_TOKENS: usize = 128;

/// Returns the points to time, alternating between the three layers: every number of tokens, then every width. A
/// point on both axes is timed once.
pub fn points(kernel: usize) -> Vec<TimedPoint> {
    let by_tokens = TOKENS.map(|tokens| (tokens, AT_WIDTH));
    let by_width = WIDTHS.map(|width| (AT_TOKENS, width));
    let mut points = Vec::new();
    for (tokens, width) in [by_tokens, by_width].concat() {
        for layer in SequenceLayer::ALL {
            let point = TimedPoint {
                layer,
                tokens,
                width,
                kernel,
            };
            if !points.contains(&point) {
                points.push(point);
            }
        }
    }
    points
}

/// A measurement: its points and its progress.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurement {
    /// The points to be timed.
    pub points: Vec<TimedPoint>,
    /// The times so far, in the order of the points.
    pub measured: Vec<Timed>,
    /// True while the measurement is running.
    pub is_running: bool,
}

impl Measurement {
    /// Starts the measurement from the beginning.
    pub fn start(&mut self, kernel: usize) {
        *self = Measurement {
            points: points(kernel),
            measured: Vec::new(),
            is_running: true,
        };
    }

    /// Returns the point to be timed next.
    pub fn wanted(&self) -> Option<TimedPoint> {
        let next = self.points.get(self.measured.len()).copied();
        next.filter(|_| self.is_running)
    }

    /// Adds a time if its point is the next one to be measured.
    pub fn take(&mut self, timed: Timed) {
        if self.wanted() == Some(timed.point) {
            self.measured.push(timed);
            self.is_running = self.measured.len() < self.points.len();
        }
    }

    /// True if the measurement was stopped before its end.
    pub fn is_incomplete(&self) -> bool {
        !self.is_running && self.measured.len() < self.points.len()
    }
}

/// The source of a curve of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Series {
    /// One of the layers as a whole.
    Whole(SequenceLayer),
    /// The part of self-attention with `n²·d`.
    Mixing,
}

impl Series {
    /// All series in their order.
    pub const ALL: [Series; 4] = [
        Series::Whole(SequenceLayer::Recurrent),
        Series::Whole(SequenceLayer::Convolution),
        Series::Whole(SequenceLayer::SelfAttention),
        Series::Mixing,
    ];

    /// Returns the times of the series, if the point has any.
    pub fn spread(self, timed: &Timed) -> Option<Spread> {
        match self {
            Series::Whole(layer) => (timed.point.layer == layer).then_some(timed.whole),
            Series::Mixing => timed.mixing,
        }
    }

    pub fn operations(self, point: TimedPoint) -> u64 {
        let size = LayerSize {
            tokens: point.tokens as u64,
            width: point.width as u64,
            kernel: point.kernel as u64,
        };
        match self {
            Series::Whole(layer) => layer.operations(size).total(),
            Series::Mixing => SequenceLayer::SelfAttention.operations(size).by_pair,
        }
    }

    /// The term that times are held to.
    pub fn term(self) -> &'static str {
        match self {
            Series::Whole(SequenceLayer::Recurrent) => "2·n·d²",
            Series::Whole(SequenceLayer::Convolution) => "k·n·d²",
            Series::Whole(SequenceLayer::SelfAttention) => "4·n·d² + 2·n²·d",
            Series::Mixing => "2·n²·d",
        }
    }

    /// Returns the constant for which the term is closest to the times.
    pub fn fit(self, measured: &[Timed]) -> Option<Fit> {
        let ratio = |timed: &Timed| {
            let operations = self.operations(timed.point) as f64;
            Some(self.spread(timed)?.median_ms * 1e6 / operations)
        };
        let ratios: Vec<f64> = measured.iter().filter_map(ratio).collect();
        let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
        let nanoseconds = (logarithms / ratios.len() as f64).exp();
        let of_fit = || ratios.iter().map(|ratio| ratio / nanoseconds);
        (!ratios.is_empty()).then(|| Fit {
            nanoseconds,
            least: of_fit().fold(f64::INFINITY, f64::min),
            most: of_fit().fold(0.0, f64::max),
        })
    }
}

/// A number of nanoseconds for each multiplication: the one that is as many times too small at some points as it is too
/// large at others (least squares of the logarithms).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Nanoseconds for a multiplication with its addition.
    pub nanoseconds: f64,
    /// The smallest ratio of a time to the fitted one.
    pub least: f64,
    /// The largest ratio of a time to the fitted one.
    pub most: f64,
}

/// True if a point lies on an axis.
pub fn is_on(against: Against, point: TimedPoint) -> bool {
    match against {
        Against::Tokens => point.width == AT_WIDTH && TOKENS.contains(&point.tokens),
        Against::Width => point.tokens == AT_TOKENS && WIDTHS.contains(&point.width),
    }
}

/// The place of a point on an axis.
pub fn place(against: Against, point: TimedPoint) -> usize {
    match against {
        Against::Tokens => point.tokens,
        Against::Width => point.width,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timed(point: TimedPoint, median_ms: f64) -> Timed {
        let spread = Spread {
            median_ms,
            least_ms: median_ms,
            most_ms: median_ms,
            repeats: 7,
            passes: 1,
        };
        let is_attention = point.layer == SequenceLayer::SelfAttention;
        Timed {
            point,
            whole: spread,
            mixing: is_attention.then_some(spread),
        }
    }

    #[test]
    fn what_belongs_to_both_axes_is_timed_once() {
        let points = points(3);
        assert_eq!(points.len(), 3 * (4 + 4 - 1));
        for against in [Against::Tokens, Against::Width] {
            let on = points.iter().filter(|&&point| is_on(against, point));
            assert_eq!(on.count(), 3 * 4);
        }
    }

    #[test]
    fn a_measurement_goes_from_point_to_point_and_ends() {
        let mut measurement = Measurement::default();
        assert_eq!(measurement.wanted(), None);
        measurement.start(3);
        let first = measurement.wanted().unwrap();
        // What comes late, of a measurement before, is not taken.
        let other = TimedPoint { kernel: 5, ..first };
        measurement.take(timed(other, 1.0));
        assert_eq!(measurement.wanted(), Some(first));
        while let Some(point) = measurement.wanted() {
            measurement.take(timed(point, 1.0));
        }
        assert_eq!(measurement.measured.len(), measurement.points.len());
        assert!(!measurement.is_running && !measurement.is_incomplete());
    }

    #[test]
    fn what_was_measured_before_it_was_stopped_stays() {
        let mut measurement = Measurement::default();
        measurement.start(3);
        let first = measurement.wanted().unwrap();
        measurement.take(timed(first, 1.0));
        let second = measurement.wanted().unwrap();
        measurement.is_running = false;
        measurement.take(timed(second, 1.0));
        assert_eq!(measurement.measured.len(), 1);
        assert!(measurement.is_incomplete());
        measurement.is_running = true;
        assert_eq!(measurement.wanted(), Some(second));
    }

    #[test]
    fn times_that_are_proportional_to_the_term_are_met_by_the_fit() {
        let series = Series::Whole(SequenceLayer::Recurrent);
        let at = |tokens, factor: f64| {
            let point = TimedPoint {
                layer: SequenceLayer::Recurrent,
                tokens,
                width: 64,
                kernel: 3,
            };
            // Two nanoseconds for each multiplication.
            timed(point, series.operations(point) as f64 * 2e-6 * factor)
        };
        let fit = series.fit(&[at(64, 1.0), at(128, 1.0)]).unwrap();
        assert!((fit.nanoseconds - 2.0).abs() < 1e-9);
        assert!((fit.least - 1.0).abs() < 1e-9 && (fit.most - 1.0).abs() < 1e-9);
        let fit = series.fit(&[at(64, 0.5), at(128, 2.0)]).unwrap();
        assert!((fit.nanoseconds - 2.0).abs() < 1e-9);
        assert!((fit.least - 0.5).abs() < 1e-9 && (fit.most - 2.0).abs() < 1e-9);
        assert_eq!(series.fit(&[]), None);
    }
}
