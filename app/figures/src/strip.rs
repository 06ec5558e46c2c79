//! The attention weights of one query over many tokens: a strip of bars, and the tokens with the largest weights.

use crate::color::is_masked;

/// Returns at most `most` bars, each the largest weight of a run of tokens, as shares of the largest of all; masked
/// weights have none.
pub fn bars(weights: &[f32], most: usize) -> Vec<f32> {
    let count = weights.len().min(most);
    let mut bars = vec![0.0_f32; count];
    for (index, &weight) in weights.iter().enumerate() {
        let bar = &mut bars[index * count / weights.len()];
        if !is_masked(weight) {
            *bar = bar.max(weight);
        }
    }
    let largest = bars.iter().copied().fold(0.0, f32::max);
    if largest > 0.0 {
        bars.iter_mut().for_each(|bar| *bar /= largest);
    }
    bars
}

/// Returns the bars as an SVG path in a box 1 high and as wide as the number of bars.
pub fn path(bars: &[f32]) -> String {
    let mut path = String::new();
    for (place, bar) in bars.iter().enumerate().filter(|(_, bar)| **bar > 0.0) {
        path.push_str(&format!("M{place} 1V{:.3}h1V1z", 1.0 - bar));
    }
    path
}

/// Returns the `count` tokens with the largest weights, strongest first; of equal ones, the earlier.
pub fn strongest(weights: &[f32], count: usize) -> Vec<usize> {
    let seen = weights.iter().enumerate();
    let mut places: Vec<usize> = seen
        .filter(|(_, weight)| !is_masked(**weight))
        .map(|(place, _)| place)
        .collect();
    places.sort_by(|&one, &other| weights[other].total_cmp(&weights[one]));
    places.truncate(count);
    places
}

/// Returns the token for a pointer at a position of the strip, 0…1: the strongest one within `reach`, also a share of
/// the strip. Otherwise a bar of one pixel could not be pointed at.
pub fn pointed_at(weights: &[f32], at: f64, reach: f64) -> Option<usize> {
    let count = weights.len();
    let last = count.checked_sub(1)?;
    let place = |part: f64| ((part * count as f64) as usize).min(last);
    let (first, middle, end) = (place(at - reach), place(at), place(at + reach));
    let near = strongest(weights.get(first..=end)?, 1);
    Some(near.first().map_or(middle, |near| first + near))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_bar_is_the_largest_of_its_tokens() {
        assert_eq!(bars(&[0.1, 0.4, 0.2, f32::NAN], 2), [1.0, 0.5]);
        assert_eq!(bars(&[0.25, 0.5], 8), [0.5, 1.0]);
        assert_eq!(bars(&[0.0, f32::NEG_INFINITY], 8), [0.0, 0.0]);
        assert_eq!(bars(&[], 8), [0.0; 0]);
    }

    #[test]
    fn a_path_has_the_bars_that_are_there() {
        assert_eq!(path(&[0.0, 1.0, 0.25]), "M1 1V0.000h1V1zM2 1V0.750h1V1z");
    }

    #[test]
    fn the_strongest_come_first() {
        assert_eq!(strongest(&[0.1, f32::NAN, 0.5, 0.1], 3), [2, 0, 3]);
        assert_eq!(strongest(&[0.1], 0), [0usize; 0]);
    }

    #[test]
    fn a_pointer_means_the_strongest_near_it() {
        let weights = [0.0, 0.0, 0.0, 0.0, 0.9, 0.0, 0.0, 0.0, 0.0, 0.1];
        assert_eq!(pointed_at(&weights, 0.35, 0.1), Some(4));
        assert_eq!(pointed_at(&weights, 0.25, 0.05), Some(2));
        assert_eq!(pointed_at(&weights, 1.0, 0.0), Some(9));
        assert_eq!(pointed_at(&[], 0.5, 0.1), None);
        assert_eq!(pointed_at(&[f32::NAN; 4], 0.6, 0.1), Some(2));
    }

    proptest! {
        #[test]
        fn every_token_is_in_a_bar_and_can_be_pointed_at(
            weights in prop::collection::vec(0.0f32..1.0, 1..600), place in any::<prop::sample::Index>()
        ) {
            let bars = bars(&weights, 240);
            prop_assert_eq!(bars.len(), weights.len().min(240));
            prop_assert!(bars.iter().all(|bar| (0.0..=1.0).contains(bar)));
            let place = place.index(weights.len());
            let at = (place as f64 + 0.5) / weights.len() as f64;
            prop_assert_eq!(pointed_at(&weights, at, 0.0), Some(place));
            let near = pointed_at(&weights, at, 0.02).unwrap();
            prop_assert!(weights[near] >= weights[place]);
        }
    }
}
