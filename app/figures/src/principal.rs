//! The two directions in which points vary most, by power iteration, and each one's share of the variance.

/// The most iterations for a direction, and the change below which they end.
const MOST: usize = 200;
const SMALL: f64 = 1e-9;

/// Points of many dimensions, seen in two directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Principal {
    /// The points' coordinates along the two directions, from their mean.
    pub at: Vec<[f64; 2]>,
    /// The share of the variance along each direction, from 0 to 1.
    pub shares: [f64; 2],
}

impl Principal {
    /// Returns the two principal directions of points of equal length; `None` of fewer than two points, of points that
    /// differ in length or are not finite, and of points that are all the same.
    pub fn of(points: &[&[f32]]) -> Option<Self> {
        let width = points.first()?.len();
        let belong =
            |point: &&[f32]| point.len() == width && point.iter().all(|one| one.is_finite());
        if points.len() < 2 || !points.iter().all(belong) {
            return None;
        }
        let mut centred = centred(points, width);
        let total = squares(&centred);
        if total <= 0.0 {
            return None;
        }
        let mut at = vec![[0.0; 2]; points.len()];
        let mut shares = [0.0; 2];
        for axis in 0..2 {
            let direction = direction(&centred, width);
            let along = products(&centred, &direction);
            for ((place, point), length) in at.iter_mut().zip(&mut centred).zip(&along) {
                place[axis] = *length;
                let taken = point.iter_mut().zip(&direction);
                taken.for_each(|(value, part)| *value -= length * part);
            }
            shares[axis] = along.iter().map(|length| length * length).sum::<f64>() / total;
        }
        Some(Principal { at, shares })
    }
}

fn centred(points: &[&[f32]], width: usize) -> Vec<Vec<f64>> {
    let count = points.len() as f64;
    let mean = |place: usize| {
        points
            .iter()
            .map(|point| f64::from(point[place]))
            .sum::<f64>()
            / count
    };
    let mean: Vec<f64> = (0..width).map(mean).collect();
    let moved = |point: &&[f32]| {
        let pairs = point.iter().zip(&mean);
        pairs
            .map(|(&value, mean)| f64::from(value) - mean)
            .collect()
    };
    points.iter().map(moved).collect()
}

fn squares(points: &[Vec<f64>]) -> f64 {
    points.iter().flatten().map(|value| value * value).sum()
}

fn products(points: &[Vec<f64>], direction: &[f64]) -> Vec<f64> {
    let product = |point: &Vec<f64>| point.iter().zip(direction).map(|(a, b)| a * b).sum();
    points.iter().map(product).collect()
}

/// Returns the unit vector along which centred points vary most; its largest component is positive.
fn direction(points: &[Vec<f64>], width: usize) -> Vec<f64> {
    let longest = points.iter().max_by(|one, other| {
        let length = |point: &[f64]| point.iter().map(|value| value * value).sum::<f64>();
        length(one).total_cmp(&length(other))
    });
    let mut direction = unit(longest.cloned().unwrap_or_else(|| vec![0.0; width]));
    for _ in 0..MOST {
        let along = products(points, &direction);
        let mut next = vec![0.0; width];
        for (point, length) in points.iter().zip(&along) {
            let sum = next.iter_mut().zip(point);
            sum.for_each(|(sum, value)| *sum += length * value);
        }
        let next = unit(next);
        let change: f64 = next
            .iter()
            .zip(&direction)
            .map(|(a, b)| (a - b).powi(2))
            .sum();
        direction = next;
        if change < SMALL * SMALL {
            break;
        }
    }
    let largest = direction
        .iter()
        .copied()
        .max_by(|a, b| a.abs().total_cmp(&b.abs()));
    if largest.is_some_and(|value| value < 0.0) {
        direction.iter_mut().for_each(|value| *value = -*value);
    }
    direction
}

fn unit(mut vector: Vec<f64>) -> Vec<f64> {
    let length = vector.iter().map(|value| value * value).sum::<f64>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_an_ellipse_vary_along_its_axes() {
        // Axes of 3 and 1 along (0.6, 0.8, 0) and (−0.8, 0.6, 0): variances as 9 to 1.
        let points: Vec<Vec<f32>> = (0..24)
            .map(|place| {
                let turn = place as f32 * std::f32::consts::TAU / 24.0;
                let (long, short) = (3.0 * turn.cos(), turn.sin());
                vec![
                    5.0 + 0.6 * long - 0.8 * short,
                    0.8 * long + 0.6 * short,
                    2.0,
                ]
            })
            .collect();
        let points: Vec<&[f32]> = points.iter().map(Vec::as_slice).collect();
        let found = Principal::of(&points).unwrap();
        assert!((found.shares[0] - 0.9).abs() < 1e-5, "{:?}", found.shares);
        assert!((found.shares[1] - 0.1).abs() < 1e-5);
        assert!((found.at[0][0] - 3.0).abs() < 1e-4 && found.at[0][1].abs() < 1e-4);
        assert!(
            (found.at[6][1].abs() - 1.0).abs() < 1e-4,
            "{:?}",
            found.at[6]
        );
    }

    #[test]
    fn points_on_a_line_leave_nothing_for_the_second_direction() {
        let found = Principal::of(&[&[0.0, 0.0], &[1.0, 2.0], &[2.0, 4.0]]).unwrap();
        assert!((found.shares[0] - 1.0).abs() < 1e-9 && found.shares[1] < 1e-9);
        assert!((found.at[2][0] - 5.0_f64.sqrt()).abs() < 1e-6);
    }

    #[test]
    fn points_without_directions_have_none() {
        assert_eq!(Principal::of(&[]), None);
        assert_eq!(Principal::of(&[&[1.0, 2.0], &[1.0, 2.0]]), None);
        assert_eq!(Principal::of(&[&[1.0], &[1.0, 2.0]]), None);
        assert_eq!(Principal::of(&[&[1.0], &[f32::NAN]]), None);
    }
}
