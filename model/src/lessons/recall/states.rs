//! The matrix after each pair that is written into it, and what a query reads from it.

use attention_trace::Array;
use attention_trace::lessons::{StatePairs, WrittenStates};
use burn::prelude::*;

use super::super::{LessonError, array, fits, matrix, not_too_large, vector};
use super::read::{Pairs, State};

/// Writes pairs one after the other, and reads the query after each.
///
/// # Errors
/// If shapes do not agree, or arrays are too large or not finite.
pub fn write_states(asked: &StatePairs) -> Result<WrittenStates, LessonError> {
    let keys = matrix("the keys", &asked.keys, "[n, d]")?;
    let values = matrix("the values", &asked.values, "[n, e]")?;
    let strengths = vector("the strengths", &asked.strengths)?;
    let query = vector("the query", &asked.query)?;
    let ([count, width], [of_values, value_width]) = (keys.dims(), values.dims());
    fits(
        of_values == count,
        "the values",
        &values.dims(),
        "[n, e], one for each key",
    )?;
    fits(
        strengths.dims() == [count],
        "the strengths",
        &strengths.dims(),
        "[n], one for each key",
    )?;
    fits(
        query.dims() == [width],
        "the query",
        &query.dims(),
        "[d], as wide as a key",
    )?;
    not_too_large(
        "the states",
        count.saturating_mul(width).saturating_mul(value_width),
    )?;
    let pairs = Pairs {
        keys: keys.unsqueeze(),
        values: values.unsqueeze(),
        strengths: strengths.reshape([1, count, 1]),
    };
    let query: Tensor<3> = query.reshape([1, 1, width]);
    let mut state = State::empty(asked.rule, &pairs);
    let (mut states, mut reads) = (Vec::new(), Vec::new());
    for place in 0..count {
        state = state.written(&pairs, place);
        states.push(state.matrix.clone());
        reads.push(state.read(query.clone()));
    }
    Ok(WrittenStates {
        states: array(Tensor::cat(states, 0))?,
        reads: of_rows(array(Tensor::cat(reads, 1))?),
    })
}

/// Returns an array of one example without the axis of examples.
fn of_rows(array: Array) -> Array {
    Array {
        shape: array.shape[1..].to_vec(),
        ..array
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::lessons::StateRule;

    use super::*;

    fn table(shape: [usize; 2], data: &[f32]) -> Array {
        Array {
            shape: shape.to_vec(),
            data: data.to_vec(),
        }
    }

    /// A key twice, with one value and then the other.
    fn twice(rule: StateRule) -> StatePairs {
        StatePairs {
            rule,
            keys: table([2, 2], &[1.0, 0.0, 1.0, 0.0]),
            values: table([2, 2], &[1.0, 0.0, 0.0, 1.0]),
            strengths: vec![1.0, 1.0],
            query: vec![1.0, 0.0],
        }
    }

    #[test]
    fn a_repeated_key_adds_by_one_rule_and_replaces_by_the_other() {
        let added = write_states(&twice(StateRule::Linear)).unwrap();
        assert_eq!(added.states.shape, [2, 2, 2]);
        assert_eq!(added.states.data, [1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
        assert_eq!(added.reads.shape, [2, 2]);
        assert_eq!(added.reads.data, [1.0, 0.0, 1.0, 1.0]);
        let replaced = write_states(&twice(StateRule::Delta)).unwrap();
        for (found, expected) in replaced.reads.data.iter().zip([1.0, 0.0, 0.0, 1.0]) {
            assert!((found - expected).abs() < 1e-5, "{found}");
        }
    }

    #[test]
    fn what_does_not_agree_is_refused() {
        let pairs = twice(StateRule::Delta);
        for wrong in [
            StatePairs {
                values: table([1, 2], &[1.0, 0.0]),
                ..pairs.clone()
            },
            StatePairs {
                strengths: vec![1.0],
                ..pairs.clone()
            },
            StatePairs {
                query: vec![1.0],
                ..pairs.clone()
            },
            StatePairs {
                query: vec![1.0, f32::NAN],
                ..pairs
            },
        ] {
            assert!(write_states(&wrong).is_err());
        }
    }
}
