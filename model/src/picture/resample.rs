//! Resizing of pictures in the integers of [Pillow](https://pillow.readthedocs.io) up to version 12, which published models
//! were trained with: what rounds at other places, Pillow 13 included, differs from it by a level in some pixels.

use super::filter::{Filter, Weights, weights};
use super::{CHANNELS, Picture};

/// The bits after the point of Pillow's weights.
const BITS: u32 = 22;

impl Picture {
    /// Resizes the picture to `width × height` pixels, first its rows and then its columns, each with 8 bits.
    #[must_use]
    pub fn resized(&self, [width, height]: [usize; 2], filter: Filter) -> Picture {
        let wide = match width == self.width {
            true => self.clone(),
            false => self.with_rows_resized(width, filter),
        };
        match height == self.height {
            true => wide,
            false => wide.with_columns_resized(height, filter),
        }
    }

    fn with_rows_resized(&self, width: usize, filter: Filter) -> Picture {
        let places = fixed(weights(self.width, width, filter));
        let mut rgb = Vec::with_capacity(width * self.height * CHANNELS);
        for row in self.rgb.chunks_exact(self.width * CHANNELS) {
            for (first, weights) in &places {
                for channel in 0..CHANNELS {
                    let pixels = row[first * CHANNELS + channel..].iter().step_by(CHANNELS);
                    rgb.push(sum(pixels, weights));
                }
            }
        }
        Picture {
            width,
            rgb,
            ..*self
        }
    }

    fn with_columns_resized(&self, height: usize, filter: Filter) -> Picture {
        let places = fixed(weights(self.height, height, filter));
        let line = self.width * CHANNELS;
        let mut rgb = Vec::with_capacity(line * height);
        for (first, weights) in &places {
            for at in 0..line {
                let pixels = self.rgb[first * line + at..].iter().step_by(line);
                rgb.push(sum(pixels, weights));
            }
        }
        Picture {
            height,
            rgb,
            ..*self
        }
    }
}

/// Returns the weights as integers, with the first place of each.
fn fixed(places: Vec<Weights>) -> Vec<(usize, Vec<i64>)> {
    let one = f64::from(1_u32 << BITS);
    let rounded = |weight: f64| (weight * one + 0.5_f64.copysign(weight)) as i64;
    let fixed = |place: Weights| {
        let weights = place.weights.into_iter().map(rounded);
        (place.first, weights.collect())
    };
    places.into_iter().map(fixed).collect()
}

/// Returns the weighted sum of pixels, rounded to 8 bits.
fn sum<'a>(pixels: impl Iterator<Item = &'a u8>, weights: &[i64]) -> u8 {
    let products = pixels.zip(weights);
    let sum: i64 = products
        .map(|(pixel, weight)| i64::from(*pixel) * weight)
        .sum();
    let half = 1 << (BITS - 1);
    ((sum + half) >> BITS).clamp(0, 255) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_colour_stays_that_colour_at_every_size() {
        let picture = Picture::new(3, 2, [200, 7, 255].repeat(6)).unwrap();
        for size in [[1, 1], [2, 5], [300, 1], [3, 2]] {
            for filter in [Filter::Bilinear, Filter::Bicubic, Filter::Lanczos] {
                let resized = picture.resized(size, filter);
                assert_eq!(resized.size(), size);
                assert!(resized.rgb.chunks(3).all(|pixel| pixel == [200, 7, 255]));
            }
        }
    }

    #[test]
    fn half_the_width_is_the_mean_of_neighbours_under_a_triangle() {
        let picture = Picture::new(4, 1, [[0; 3], [80; 3], [160; 3], [240; 3]].concat()).unwrap();
        let resized = picture.resized([2, 1], Filter::Bilinear);
        // Weights 3/7, 3/7, 1/7 at the left edge.
        assert_eq!(resized.rgb[0], 57);
        assert_eq!(resized.rgb[3], 183);
    }
}
