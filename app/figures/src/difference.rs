//! The difference of two maps on the same axes: right minus left, cell by cell.
//!
//! A cell that one of the maps lacks is masked in the difference: it is NaN and does not count.

use crate::{
    color::{self, Theme},
    heatmap::{Scale, diverging_rgba},
};

/// Returns right minus left of each cell; NaN where either is masked.
///
/// # Panics
/// If the maps are not of the same size.
pub fn differences(left: &[f32], right: &[f32]) -> Vec<f32> {
    assert_eq!(left.len(), right.len(), "two maps have the same axes");
    let pairs = left.iter().zip(right);
    let between =
        |(&left, &right): (&f32, &f32)| match color::is_masked(left) || color::is_masked(right) {
            true => f32::NAN,
            false => right - left,
        };
    pairs.map(between).collect()
}

/// Returns the limit of the diverging scale, which reaches from minus the limit to the limit: 1, the most that two
/// weights differ by, or the largest difference in the map.
pub fn limit(differences: &[f32], scale: Scale) -> f32 {
    let largest = || {
        let sizes = differences.iter().map(|difference| difference.abs());
        // `max` passes over NaN.
        sizes.fold(0.0, f32::max)
    };
    match scale {
        Scale::Absolute => 1.0,
        Scale::PerMap => Some(largest())
            .filter(|&largest| largest > 0.0)
            .unwrap_or(1.0),
    }
}

/// Returns the row-major differences of `rows` × `columns` cells as RGBA, one pixel per cell: blue where the left map
/// has more, orange where the right one has, the neutral colour where there is nothing to compare.
///
/// # Panics
/// If there are not `rows · columns` differences.
pub fn rgba(
    differences: &[f32],
    rows: usize,
    columns: usize,
    scale: Scale,
    theme: Theme,
) -> Vec<u8> {
    let limit = limit(differences, scale);
    diverging_rgba(differences, rows, columns, limit, theme)
}

/// Returns the places of the `count` largest differences that are not zero, largest first, and of equal ones the
/// earlier first.
pub fn largest(differences: &[f32], count: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..differences.len())
        .filter(|&place| differences[place].abs() > 0.0)
        .collect();
    places.sort_by(|&one, &other| differences[other].abs().total_cmp(&differences[one].abs()));
    places.truncate(count);
    places
}

/// Returns the mean size of the unmasked differences; `None` if there is nothing to compare.
pub fn mean_size(differences: impl IntoIterator<Item = f32>) -> Option<f32> {
    let compared = differences
        .into_iter()
        .filter(|difference| !difference.is_nan());
    let (sum, count) = compared.fold((0.0f64, 0_usize), |(sum, count), difference| {
        (sum + f64::from(difference.abs()), count + 1)
    });
    (count > 0).then(|| (sum / count as f64) as f32)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn weights() -> impl Strategy<Value = f32> {
        prop_oneof![4 => 0.0f32..=1.0, 1 => Just(f32::NAN)]
    }

    fn pairs() -> impl Strategy<Value = Vec<(f32, f32)>> {
        prop::collection::vec((weights(), weights()), 0..24)
    }

    proptest! {
        #[test]
        fn the_other_way_round_is_the_opposite(pairs in pairs()) {
            let (left, right): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let one = differences(&left, &right);
            let other = differences(&right, &left);
            for (one, other) in one.iter().zip(&other) {
                prop_assert!(one.is_nan() && other.is_nan() || *one == -other);
            }
            prop_assert_eq!(mean_size(one.iter().copied()), mean_size(other));
            prop_assert_eq!(limit(&one, Scale::PerMap), limit(&differences(&right, &left), Scale::PerMap));
        }

        #[test]
        fn a_map_differs_from_itself_nowhere(pairs in pairs()) {
            let (left, _): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let none = differences(&left, &left);
            prop_assert!(largest(&none, 9).is_empty());
            prop_assert!(none.iter().all(|difference| difference.is_nan() || *difference == 0.0));
        }

        #[test]
        fn no_difference_is_larger_than_the_largest(pairs in pairs(), count in 1usize..9) {
            let (left, right): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let all = differences(&left, &right);
            let found = largest(&all, count);
            prop_assert!(found.len() <= count);
            let least = found.last().map_or(0.0, |&place| all[place].abs());
            for (place, difference) in all.iter().enumerate() {
                prop_assert!(found.contains(&place) || difference.is_nan() || difference.abs() <= least);
            }
            let limit = limit(&all, Scale::PerMap);
            prop_assert!(found.first().is_none_or(|&place| all[place].abs() == limit));
        }
    }

    #[test]
    fn what_one_map_lacks_is_masked_and_counts_for_nothing() {
        let all = differences(
            &[0.25, f32::NAN, 0.5, 0.0],
            &[0.75, 1.0, f32::NEG_INFINITY, 0.0],
        );
        assert_eq!(all[0], 0.5);
        assert!(all[1].is_nan() && all[2].is_nan());
        assert_eq!(mean_size(all.iter().copied()), Some(0.25));
        assert_eq!(mean_size([f32::NAN]), None);
        let pixels = rgba(&all, 1, 4, Scale::Absolute, Theme::Light);
        assert_eq!(pixels[0..3], color::diverging(0.5, Theme::Light));
        assert_eq!(pixels[4..7], color::masked(Theme::Light));
    }

    #[test]
    fn the_scale_is_absolute_or_the_maps_own() {
        let all = [-0.25, 0.125, f32::NAN];
        assert_eq!(limit(&all, Scale::Absolute), 1.0);
        assert_eq!(limit(&all, Scale::PerMap), 0.25);
        assert_eq!(limit(&[0.0, f32::NAN], Scale::PerMap), 1.0);
        let pixels = rgba(&all, 1, 3, Scale::PerMap, Theme::Dark);
        assert_eq!(pixels[0..3], color::diverging(-1.0, Theme::Dark));
        assert_eq!(pixels[4..7], color::diverging(0.5, Theme::Dark));
    }

    #[test]
    fn the_earlier_of_equal_differences_comes_first() {
        assert_eq!(largest(&[0.1, -0.5, 0.0, 0.5, f32::NAN], 3), [1, 3, 0]);
    }
}
