//! The sinusoidal positions are Marian's, and scaled RoPE is that of `transformers`.

use attention_trace::positions::{RopeScaling, ScaledRope, SinusoidalLayout, sinusoidal};
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

#[derive(Deserialize)]
struct Scalings {
    trained: usize,
    factors: Vec<f64>,
    shapes: Vec<Shape>,
}

#[derive(Deserialize)]
struct Shape {
    width: usize,
    base: f32,
}

#[test]
fn scaled_rope_equals_transformers() {
    let fixture = Fixture::<Scalings>::read("rope.safetensors");
    let Scalings {
        trained,
        factors,
        shapes,
    } = &fixture.description;
    let ways = [
        (RopeScaling::Linear, "linear"),
        (RopeScaling::Ntk, "ntk"),
        (RopeScaling::Yarn, "yarn"),
        (RopeScaling::Llama3, "llama3"),
    ];
    let mut largest = 0.0f64;
    for ((scaling, name), shape, factor) in ways.iter().flat_map(|way| {
        let shapes = shapes.iter();
        shapes.flat_map(move |shape| factors.iter().map(move |factor| (way, shape, factor)))
    }) {
        let expected = &fixture.arrays[&format!("{name}-{}-{factor}", shape.width)];
        let rope = ScaledRope {
            scaling: *scaling,
            factor: *factor,
            trained: *trained,
            ramp: scaling.ramp(),
        };
        let found = rope.wavelengths(shape.width, shape.base);
        assert_eq!(found.len(), expected.data.len());
        for (length, frequency) in found.iter().zip(&expected.data) {
            // Relative, since frequencies span six powers of ten; theirs are in f32.
            let apart = (length * f64::from(*frequency) - 1.0).abs();
            largest = largest.max(apart);
            assert!(
                apart < 1e-5,
                "{name}, width {}, factor {factor}",
                shape.width
            );
        }
    }
    println!("scaled RoPE: largest relative difference {largest:.1e}");
}
