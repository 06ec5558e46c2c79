//! The filters of resampling, and the weights that they give to the places of a row.

use std::f64::consts::PI;

/// A filter that resampling weighs neighbouring pixels by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// A triangle: linear interpolation.
    Bilinear,
    /// Cubic interpolation by Keys' kernel with `a = −1/2`.
    Bicubic,
    /// Lanczos' windowed sine with three lobes.
    Lanczos,
}

impl Filter {
    /// Returns half of the filter's width, in pixels of the larger picture.
    fn support(self) -> f64 {
        match self {
            Filter::Bilinear => 1.0,
            Filter::Bicubic => 2.0,
            Filter::Lanczos => 3.0,
        }
    }

    /// Returns the filter's value at a distance.
    fn at(self, distance: f64) -> f64 {
        let x = distance.abs();
        match self {
            Filter::Bilinear => (1.0 - x).max(0.0),
            Filter::Bicubic => cubic(x, -0.5),
            Filter::Lanczos if x < 3.0 => sine_ratio(x) * sine_ratio(x / 3.0),
            Filter::Lanczos => 0.0,
        }
    }
}

/// Keys' cubic kernel at a distance that is not negative.
pub fn cubic(x: f64, a: f64) -> f64 {
    match x {
        x if x < 1.0 => ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0,
        x if x < 2.0 => (((x - 5.0) * x + 8.0) * x - 4.0) * a,
        _ => 0.0,
    }
}

fn sine_ratio(x: f64) -> f64 {
    match x {
        0.0 => 1.0,
        x => (PI * x).sin() / (PI * x),
    }
}

/// The weights of one place of a resampled row.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// The first place of the row that counts.
    pub first: usize,
    /// The weights of the places from there on, which sum to one.
    pub weights: Vec<f64>,
}

/// Returns the weights of each place of a row of `after` places, resampled from `before` places, by a filter that is as
/// wide as several places where the row becomes shorter: Pillow's rule, and that of PyTorch's `antialias`.
pub fn weights(before: usize, after: usize, filter: Filter) -> Vec<Weights> {
    let scale = before as f64 / after as f64;
    let stretch = scale.max(1.0);
    let support = filter.support() * stretch;
    let of_place = |place: usize| {
        let center = (place as f64 + 0.5) * scale;
        // Conversion drops what follows the point, and makes a negative number 0.
        let first = (center - support + 0.5) as usize;
        let end = ((center + support + 0.5) as usize).min(before);
        let raw = (first..end).map(|at| filter.at((at as f64 - center + 0.5) / stretch));
        let raw: Vec<f64> = raw.collect();
        let sum: f64 = raw.iter().sum();
        let weights = raw.into_iter().map(|weight| match sum {
            0.0 => weight,
            sum => weight / sum,
        });
        Weights {
            first,
            weights: weights.collect(),
        }
    };
    (0..after).map(of_place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_a_place_sum_to_one() {
        for filter in [Filter::Bilinear, Filter::Bicubic, Filter::Lanczos] {
            for (before, after) in [(1, 1), (1, 7), (7, 1), (30, 7), (7, 30), (5, 5)] {
                for place in weights(before, after, filter) {
                    let sum: f64 = place.weights.iter().sum();
                    assert!((sum - 1.0).abs() < 1e-12, "{filter:?} {before} {after}");
                    assert!(place.first + place.weights.len() <= before);
                }
            }
        }
    }

    #[test]
    fn a_row_of_the_same_length_stays_as_it_is() {
        for filter in [Filter::Bilinear, Filter::Bicubic] {
            for (index, place) in weights(6, 6, filter).into_iter().enumerate() {
                assert_eq!(place.weights[index - place.first], 1.0, "{filter:?}");
            }
        }
    }
}
