//! A memory small enough to be read: five keys and values on a plane, and weights in whole numbers.

use crate::scores::parameters::Read;
use attention_trace::{
    Array,
    lessons::{Memory, ScoreParameters, ScoreWeights},
};

/// The coordinates of the keys.
pub const KEYS: [[f32; 2]; 5] = [
    [2.0, 0.0],
    [1.0, 2.0],
    [-1.0, 1.0],
    [-2.0, -1.0],
    [1.0, -2.0],
];
/// The coordinates of the keys' values.
pub const VALUES: [[f32; 2]; 5] = [
    [2.0, 2.0],
    [-1.0, 2.5],
    [-2.5, 0.0],
    [-1.0, -2.0],
    [2.0, -1.0],
];
const SUBSCRIPTS: [&str; 5] = ["₁", "₂", "₃", "₄", "₅"];

/// Returns the names of the vectors: `k₁`, `k₂`, …
pub fn names(letter: char) -> Vec<String> {
    SUBSCRIPTS.map(|number| format!("{letter}{number}")).into()
}

/// The points that are read.
pub fn values(read: Read) -> [[f32; 2]; 5] {
    match read {
        Read::Values => VALUES,
        Read::Keys => KEYS,
    }
}

/// The memory with the query at a point.
pub fn memory(query: [f32; 2], read: Read) -> Memory {
    Memory {
        query: query.to_vec(),
        keys: points(KEYS),
        values: points(values(read)),
    }
}

fn points(points: [[f32; 2]; 5]) -> Array {
    Array {
        shape: vec![points.len(), 2],
        data: points.concat(),
    }
}

/// The bilinear `W` turns a query by a right angle; the additive matrices are the identity; the
/// perceptron has a third unit, which compares key and query.
pub fn parameters() -> ScoreParameters {
    let matrix = |rows: usize, columns: usize, data: &[f32]| Array {
        shape: vec![rows, columns],
        data: data.to_vec(),
    };
    let identity = matrix(2, 2, &[1.0, 0.0, 0.0, 1.0]);
    ScoreParameters::Given(Box::new(ScoreWeights {
        additive_key: identity.clone(),
        additive_query: identity,
        additive_out: vec![2.0, 2.0],
        bilinear: matrix(2, 2, &[0.0, -1.0, 1.0, 0.0]),
        hidden: matrix(
            3,
            4,
            &[
                1.0, 0.0, 1.0, 0.0, //
                0.0, 1.0, 0.0, 1.0, //
                1.0, -1.0, -1.0, 1.0,
            ],
        ),
        out: vec![2.0, 2.0, 1.0],
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_value_and_a_name() {
        let memory = memory([1.0, 1.0], Read::Values);
        assert_eq!(memory.keys.shape, memory.values.shape);
        assert_eq!(memory.keys.data.len(), 2 * names('k').len());
        assert_eq!(names('v')[4], "v₅");
    }
}
