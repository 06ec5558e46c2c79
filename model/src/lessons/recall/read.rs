//! Ways of reading a value for a query from pairs: softmax attention, linear attention and the delta rule.

use attention_trace::lessons::{RecallWay, StateRule};
use burn::prelude::*;
use burn::tensor::activation::{relu, softmax};

/// The least squared length that a key is divided by, for a key of zeros.
const EPSILON: f64 = 1e-6;

/// Pairs of a key and a value, of several examples at once.
#[derive(Clone)]
pub struct Pairs {
    /// The keys, `[batch, n, d]`.
    pub keys: Tensor<3>,
    /// The values, `[batch, n, e]`.
    pub values: Tensor<3>,
    /// `β` of each pair, `[batch, n, 1]`; only the delta rule reads it.
    pub strengths: Tensor<3>,
}

/// Reads a value for each query. Every query sees all pairs.
///
/// # Shapes
/// - queries: `[batch, m, d]`
/// - out: `[batch, m, e]`
pub fn read(way: RecallWay, queries: Tensor<3>, pairs: Pairs) -> Tensor<3> {
    match way {
        RecallWay::Softmax => {
            let [.., width] = queries.dims();
            let scores = queries.matmul(pairs.keys.swap_dims(1, 2));
            softmax(scores.div_scalar((width as f64).sqrt()), 2).matmul(pairs.values)
        }
        RecallWay::State(rule) => State::of(rule, pairs).read(queries),
    }
}

/// A matrix that pairs were written into.
#[derive(Clone)]
pub struct State {
    rule: StateRule,
    /// `S`, `[batch, d, e]`.
    pub matrix: Tensor<3>,
    /// The sum of the keys' features, `[batch, 1, d]`.
    key_sum: Tensor<3>,
}

impl State {
    /// Creates a state of zeros for pairs of these widths.
    pub fn empty(rule: StateRule, pairs: &Pairs) -> Self {
        let ([batch, _, width], [.., value_width]) = (pairs.keys.dims(), pairs.values.dims());
        let device = pairs.keys.device();
        State {
            rule,
            matrix: Tensor::zeros([batch, width, value_width], &device),
            key_sum: Tensor::zeros([batch, 1, width], &device),
        }
    }

    /// Writes all pairs: at once where their order does not matter, otherwise one after the other.
    fn of(rule: StateRule, pairs: Pairs) -> Self {
        match rule {
            StateRule::Linear | StateRule::Positive => {
                let keys = features(rule, pairs.keys);
                State {
                    rule,
                    key_sum: keys.clone().sum_dim(1),
                    matrix: keys.swap_dims(1, 2).matmul(pairs.values),
                }
            }
            StateRule::Delta => {
                let [_, count, _] = pairs.keys.dims();
                let empty = State::empty(rule, &pairs);
                (0..count).fold(empty, |state, place| state.written(&pairs, place))
            }
        }
    }

    /// Returns the state after one more pair, the one at `place`.
    pub fn written(self, pairs: &Pairs, place: usize) -> Self {
        let at = |vectors: &Tensor<3>| vectors.clone().narrow(1, place, 1);
        let key = features(self.rule, at(&pairs.keys));
        let value = at(&pairs.values);
        let added = match self.rule {
            StateRule::Linear | StateRule::Positive => value,
            StateRule::Delta => {
                let held = key.clone().matmul(self.matrix.clone());
                (value - held) * at(&pairs.strengths)
            }
        };
        State {
            matrix: self.matrix + key.clone().swap_dims(1, 2) * added,
            key_sum: self.key_sum + key,
            ..self
        }
    }

    /// Reads a value for each query.
    ///
    /// # Shapes
    /// - queries: `[batch, m, d]`
    /// - out: `[batch, m, e]`
    pub fn read(&self, queries: Tensor<3>) -> Tensor<3> {
        let queries = features(self.rule, queries);
        let read = queries.clone().matmul(self.matrix.clone());
        match self.rule {
            StateRule::Linear | StateRule::Delta => read,
            StateRule::Positive => read / queries.matmul(self.key_sum.clone().swap_dims(1, 2)),
        }
    }
}

/// Returns what a rule makes of keys and queries, `[batch, n, d]`.
pub fn features(rule: StateRule, vectors: Tensor<3>) -> Tensor<3> {
    match rule {
        StateRule::Linear => vectors,
        // `elu(x) + 1`: `x + 1` where x is positive, otherwise `e^x`.
        StateRule::Positive => relu(vectors.clone()) + (-relu(-vectors)).exp(),
        StateRule::Delta => {
            let squares = vectors.clone().square().sum_dim(2);
            vectors / (squares + EPSILON).sqrt()
        }
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::Array;
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;
    use crate::lessons::{tensor, values};

    #[derive(Deserialize)]
    struct Case {
        way: RecallWay,
        read: Array,
        /// The matrix after each pair, `[batch, n, d, e]`.
        states: Option<Array>,
    }

    #[derive(Deserialize)]
    struct Fixture {
        queries: Array,
        keys: Array,
        values: Array,
        strengths: Array,
        cases: Vec<Case>,
    }

    fn of(array: &Array) -> Tensor<3> {
        tensor("a fixture", array, "[batch, n, d]").unwrap()
    }

    fn assert_close(found: Vec<f32>, expected: &[f32]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-4, "{found}, {expected}");
        }
    }

    #[test]
    fn what_is_read_and_every_state_are_those_of_pytorch() {
        let text = include_str!("../../../../tests/fixtures/recall.json");
        let fixture: Fixture = serde_json::from_str(text).unwrap();
        let pairs = Pairs {
            keys: of(&fixture.keys),
            values: of(&fixture.values),
            strengths: of(&fixture.strengths),
        };
        let ways: Vec<RecallWay> = fixture.cases.iter().map(|case| case.way).collect();
        assert_eq!(ways, RecallWay::ALL);
        for case in fixture.cases {
            let found = read(case.way, of(&fixture.queries), pairs.clone());
            assert_close(values(found).unwrap(), &case.read.data);
            let (RecallWay::State(rule), Some(states)) = (case.way, case.states) else {
                continue;
            };
            let mut state = State::empty(rule, &pairs);
            for place in 0..states.shape[1] {
                state = state.written(&pairs, place);
                let expected = at_place(&states, place);
                assert_close(values(state.matrix.clone()).unwrap(), &expected);
            }
        }
    }

    /// The matrices of all examples after the pair at `place`.
    fn at_place(states: &Array, place: usize) -> Vec<f32> {
        let [batch, count, width, value_width] = states.shape[..] else {
            unreachable!("the fixture has four axes")
        };
        let size = width * value_width;
        let first = |example: usize| (example * count + place) * size;
        (0..batch)
            .flat_map(|example| states.data[first(example)..first(example) + size].to_vec())
            .collect()
    }

    fn drawn(width: usize, numbers: &[f32]) -> Tensor<3> {
        let count = numbers.len() / width;
        let data = TensorData::new(numbers[..count * width].to_vec(), [1, count, width]);
        Tensor::from_data(data, &crate::device::cpu())
    }

    /// Causal attention without softmax, all queries at once: masked products of features, times the values.
    fn masked(rule: StateRule, queries: Tensor<3>, pairs: &Pairs) -> Vec<f32> {
        let [_, count, _] = pairs.keys.dims();
        let (queries, keys) = (features(rule, queries), features(rule, pairs.keys.clone()));
        let later = Tensor::<2, Bool>::tril_mask([count, count], 0, &keys.device());
        let scores = queries.matmul(keys.swap_dims(1, 2));
        let scores = scores.mask_fill(later.unsqueeze(), 0.0);
        let read = scores.clone().matmul(pairs.values.clone());
        values(match rule {
            StateRule::Positive => read / scores.sum_dim(2),
            StateRule::Linear | StateRule::Delta => read,
        })
        .unwrap()
    }

    /// The same, one pair after the other.
    fn recurrent(rule: StateRule, queries: Tensor<3>, pairs: &Pairs) -> Vec<f32> {
        let [_, count, _] = pairs.keys.dims();
        let mut state = State::empty(rule, pairs);
        let mut found = vec![];
        for place in 0..count {
            state = state.written(pairs, place);
            let query = queries.clone().narrow(1, place, 1);
            found.extend(values(state.read(query)).unwrap());
        }
        found
    }

    proptest! {
        #[test]
        fn masked_attention_without_softmax_is_the_recurrence(
            numbers in prop::collection::vec(-2.0f32..2.0, 3 * 4 * 7),
        ) {
            let parts: Vec<&[f32]> = numbers.chunks(4 * 7).collect();
            let pairs = Pairs {
                keys: drawn(4, parts[0]),
                values: drawn(4, parts[1]),
                strengths: drawn(1, &[1.0; 7]),
            };
            for rule in [StateRule::Linear, StateRule::Positive] {
                let at_once = masked(rule, drawn(4, parts[2]), &pairs);
                let by_one = recurrent(rule, drawn(4, parts[2]), &pairs);
                for (one, other) in at_once.iter().zip(&by_one) {
                    prop_assert!((one - other).abs() < 1e-4, "{rule:?}: {one}, {other}");
                }
            }
        }

        #[test]
        fn the_delta_rule_replaces_the_value_of_a_key(
            numbers in prop::collection::vec(-2.0f32..2.0, 4 * 3 + 3 * 3),
        ) {
            let (keys, written) = numbers.split_at(4 * 3);
            prop_assume!(keys[..4].iter().any(|number| number.abs() > 0.1));
            let again = [&keys[..4], &keys[4..8], &keys[..4]].concat();
            let pairs = Pairs {
                keys: drawn(4, &again),
                values: drawn(3, written),
                strengths: drawn(1, &[1.0; 3]),
            };
            let read = read(RecallWay::State(StateRule::Delta), drawn(4, &keys[..4]), pairs);
            for (read, last) in values(read).unwrap().iter().zip(&written[6..]) {
                prop_assert!((read - last).abs() < 1e-3, "{read}, {last}");
            }
        }
    }
}
