//! A colour scale along a path through OKLab at constant speed.

use super::{oklab::Oklab, rgb::Rgb};

/// Colours of a path at equal distances, so fine that neighbours differ by one 8-bit step.
#[derive(Debug)]
pub(super) struct ColorScale {
    table: [Rgb; 256],
}

impl ColorScale {
    /// Returns the path through `points` (at least two), straight between neighbours.
    pub fn through(points: &[Oklab]) -> Self {
        let lengths: Vec<f32> = points.windows(2).map(|w| w[0].distance(w[1])).collect();
        let total: f32 = lengths.iter().sum();
        let table = std::array::from_fn(|i| {
            let mut remaining = total * i as f32 / 255.0;
            let mut leg = 0;
            while leg + 1 < lengths.len() && remaining > lengths[leg] {
                remaining -= lengths[leg];
                leg += 1;
            }
            let fraction = (remaining / lengths[leg]).min(1.0);
            points[leg].toward(points[leg + 1], fraction).to_rgb()
        });
        ColorScale { table }
    }

    /// Returns the colour at `value`, clamped to 0…1.
    pub fn at(&self, value: f32) -> Rgb {
        // Rounds half up, as positive numbers do; `round` is a function call in WebAssembly.
        self.table[(value.clamp(0.0, 1.0) * 255.0 + 0.5) as usize]
    }
}
