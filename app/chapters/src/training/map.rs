//! Attention maps of a checkpoint, and the gradients of the loss with respect to them, as plain data.

use crate::training::parameters::Maps;
use attention_trace::{AttentionKind, AttentionLayer, Token, training::Observation};

/// A head's map in a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub layer: AttentionLayer,
    /// The head, from 0.
    pub head: usize,
}

/// The places of all maps, in the order of computation.
pub fn places(observation: &Observation) -> Vec<Place> {
    let layers = observation.attention.iter();
    let heads = layers.flat_map(|record| {
        let heads = record.weights.shape.first().copied().unwrap_or(0);
        let layer = record.layer;
        (0..heads).map(move |head| Place { layer, head })
    });
    heads.collect()
}

/// Returns one map, row by row, and its number of columns. In a map of gradients, entries that the mask hides from
/// training are NaN.
pub fn map(observation: &Observation, place: Place, maps: Maps) -> Option<(Vec<f32>, usize)> {
    let mut records = observation.attention.iter();
    let record = records.find(|record| record.layer == place.layer)?;
    let columns = *record.weights.shape.last()?;
    let values = match maps {
        Maps::Weights => record.weights.matrix(place.head)?.to_vec(),
        Maps::Gradients => {
            let is_causal = place.layer.kind == AttentionKind::DecoderSelf;
            let is_masked = |cell: usize| is_causal && cell % columns > cell / columns;
            let gradient = record.gradient.matrix(place.head)?.iter().enumerate();
            let seen = gradient.map(|(cell, &value)| match is_masked(cell) {
                true => f32::NAN,
                false => value,
            });
            seen.collect()
        }
    };
    Some((values, columns))
}

/// The largest magnitude among all gradients that training sees: the end of the colour scale of their maps.
pub fn limit(observation: &Observation) -> f32 {
    let maps = places(observation).into_iter();
    let maps = maps.filter_map(|place| map(observation, place, Maps::Gradients));
    let values = maps.flat_map(|(values, _)| values);
    let largest = values
        .filter(|value| value.is_finite())
        .fold(0.0f32, |largest, value| largest.max(value.abs()));
    if largest > 0.0 { largest } else { 1.0 }
}

/// The tokens of the rows and of the columns of a layer's maps.
pub fn axes(observation: &Observation, kind: AttentionKind) -> [&[Token]; 2] {
    let (source, target) = (&observation.source[..], &observation.target[..]);
    match kind {
        AttentionKind::EncoderSelf => [source, source],
        AttentionKind::DecoderSelf => [target, target],
        AttentionKind::Cross => [target, source],
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::{Array, training::AttentionRecord};

    use super::*;

    fn observation() -> Observation {
        let array = |data: &[f32]| Array {
            shape: vec![1, 2, 2],
            data: data.to_vec(),
        };
        Observation {
            source: vec![],
            target: vec![],
            predictions: vec![],
            loss: 0.0,
            attention: vec![AttentionRecord {
                layer: AttentionLayer {
                    kind: AttentionKind::DecoderSelf,
                    layer: 0,
                },
                weights: array(&[1.0, 0.0, 0.25, 0.75]),
                gradient: array(&[-0.5, 9.0, 0.25, 0.125]),
            }],
        }
    }

    #[test]
    fn gradients_that_the_mask_hides_are_not_shown() {
        let observation = observation();
        let [place] = places(&observation)[..] else {
            panic!("one head")
        };
        let (weights, columns) = map(&observation, place, Maps::Weights).unwrap();
        assert_eq!((&weights[..], columns), (&[1.0, 0.0, 0.25, 0.75][..], 2));
        let (gradients, _) = map(&observation, place, Maps::Gradients).unwrap();
        assert!(gradients[1].is_nan());
        assert_eq!(
            [gradients[0], gradients[2], gradients[3]],
            [-0.5, 0.25, 0.125]
        );
        assert_eq!(limit(&observation), 0.5);
    }
}
