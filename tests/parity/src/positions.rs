//! The sinusoidal positions are Marian's.

use attention_trace::positions::{SinusoidalLayout, sinusoidal};
use serde::Deserialize;

use crate::fixture::Fixture;
use crate::run::largest_difference;

#[derive(Deserialize)]
struct Rows {
    positions: Vec<usize>,
}

#[test]
fn sinusoidal_positions_equal_transformers() {
    let fixture = Fixture::<Rows>::read("positions.safetensors");
    for width in [16, 256] {
        let expected = &fixture.arrays[&format!("width-{width}")];
        let table = sinusoidal(0..512, width, SinusoidalLayout::Halves);
        let found: Vec<f32> = fixture
            .description
            .positions
            .iter()
            .flat_map(|position| &table[position * width..(position + 1) * width])
            .copied()
            .collect();
        let difference = largest_difference(&found, &expected.data);
        println!("positions of width {width}: largest difference {difference:.1e}");
        assert!(difference <= 1e-6);
    }
}
