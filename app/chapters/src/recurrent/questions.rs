//! Questions about alignment: what the decoder reads of the sentence when it writes a token.

use attention_trace::{AttentionKind, AttentionLayer, window_factor};

use crate::kit::{
    derivation::find_error,
    evidence::{Evidence, Gap, Need, cross_head},
    questions::{
        Asked,
        changes::{four_of, hidden_in, named, quoted},
        decoding::step,
        largest, one_largest,
    },
    trial::{Measure, Trial, step_words},
};
use attention_core::widgets::{
    Expected, Values,
    numbers::{decimal, share_of_one},
};

type Answer = Result<Asked, Gap>;

/// The reach `D` of the window in both forms.
const REACHES: [usize; 2] = [2, 4];

/// Asks for the token with the largest weight when the step's token is written.
pub fn aligned_with(evidence: &Evidence) -> Answer {
    let row = alignment(evidence)?;
    let right = largest(row);
    let weight = right.first().map_or(0.0, |&place| row[place]);
    let mut values = place_words(evidence)?;
    values.push(("weight", share_of_one(weight, 3)));
    Ok(Asked {
        expected: Expected::OneOf {
            options: evidence.facts.names.clone(),
            right,
        },
        values,
    })
}

/// Asks for the sum of the weights next to the largest one after they were multiplied by local attention's window.
pub fn window_left(evidence: &Evidence) -> Answer {
    let row = alignment(evidence)?;
    let (centre, reach) = (one_largest(row)?, reach(evidence));
    let near = centre.saturating_sub(1)..(centre + 2).min(row.len());
    if near.len() < 2 {
        return Err(Gap::Sentence);
    }
    let left = |place: usize| row[place] * window_factor(place.abs_diff(centre) as f32, reach);
    let written = |place: usize| {
        let (token, weight) = (quoted(evidence, place), share_of_one(row[place], 3));
        format!("{token}: {weight}")
    };
    let mut values = place_words(evidence)?;
    values.extend([
        ("reach", reach.to_string()),
        ("centre", quoted(evidence, centre)),
        ("factor", decimal(window_factor(1.0, reach), 3)),
        (
            "near",
            near.clone().map(written).collect::<Vec<_>>().join("; "),
        ),
    ]);
    Ok(Asked {
        expected: Expected::about(near.map(left).sum(), 0.03),
        values,
    })
}

/// Four states of the encoder, each hidden from the decoder alone.
pub fn hidden_states(evidence: &Evidence) -> Result<Trial, Gap> {
    let places = four_of(evidence, read(evidence)?)?;
    let mut values = step_words(evidence)?;
    values.extend(named(places.map(|place| quoted(evidence, place))));
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: places
            .map(|place| hidden_in(crossing(evidence), place))
            .to_vec(),
        values,
    })
}

/// Asks which state, hidden from the decoder, moves the probability of the step's token most.
pub fn hidden_state(evidence: &Evidence) -> Answer {
    hidden_states(evidence)?.moves_most(evidence)
}

/// Asks how many of these changes make the step's token more probable.
pub fn hidden_state_raises(evidence: &Evidence) -> Answer {
    hidden_states(evidence)?.raises(evidence)
}

/// The state with the largest weight hidden from the decoder, and all others hidden.
pub fn without_and_alone(evidence: &Evidence) -> Result<Trial, Gap> {
    let row = alignment(evidence)?;
    let key = one_largest(row)?;
    if row.len() < 2 {
        return Err(Gap::Sentence);
    }
    let hide = |place| hidden_in(crossing(evidence), place);
    let others = (0..row.len()).filter(|&place| place != key);
    let mut values = place_words(evidence)?;
    values.push(("key", quoted(evidence, key)));
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: vec![hide(key), others.flat_map(hide).collect()],
        values,
    })
}

/// Asks why one state is not enough for the step's token, or is.
pub fn one_state(evidence: &Evidence) -> Answer {
    without_and_alone(evidence)?.tells_reason(evidence, |most| most)
}

/// Asks for the wrong step of multiplying a weight by the window.
pub fn wrong_of_window(evidence: &Evidence) -> Answer {
    let row = alignment(evidence)?;
    let (key, reach) = (one_largest(row)?, reach(evidence));
    let (weight, half) = (row[key], reach as f32 / 2.0);
    find_error(evidence, |derivation| {
        let deviation = derivation.number(half, reach as f32);
        let squared = deviation * deviation;
        let factor = derivation.number((-1.0 / (2.0 * squared)).exp(), (-2.0 / squared).exp());
        let left = derivation.number(weight * factor, weight * (1.0 - factor));
        let lost = derivation.number(weight - left, weight + left);
        let mut values = place_words(evidence)?;
        values.extend([
            ("reach", reach.to_string()),
            ("key", quoted(evidence, key)),
            ("weight", share_of_one(weight, 3)),
            ("deviation", decimal(deviation, 1)),
            ("factor", decimal(factor, 3)),
            ("left", share_of_one(left, 3)),
            ("lost", share_of_one(lost, 3)),
        ]);
        Ok(values)
    })
}

/// The weights over the sentence at the step on screen.
fn alignment(evidence: &Evidence) -> Result<&[f32], Gap> {
    let weights = evidence.matrix(Need::CrossWeights)?;
    let row = weights.row(&[step(evidence)?.row]).ok_or(Gap::Loading)?;
    match row.len() == read(evidence)? {
        true => Ok(row),
        false => Err(Gap::Sentence),
    }
}

/// The number of tokens that the decoder reads.
fn read(evidence: &Evidence) -> Result<usize, Gap> {
    cross_head(&evidence.facts)?;
    match evidence.facts.head.attention.kind {
        AttentionKind::EncoderSelf => Ok(evidence.facts.names.len()),
        // A head of the decoder is in sight, and its tokens.
        _ => Err(Gap::Sentence),
    }
}

fn crossing(evidence: &Evidence) -> impl Iterator<Item = AttentionLayer> + use<> {
    let kind = AttentionKind::Cross;
    (0..evidence.facts.spec.layers(kind)).map(move |layer| AttentionLayer { kind, layer })
}

fn reach(evidence: &Evidence) -> usize {
    REACHES[usize::from(!evidence.is_first_form())]
}

/// The step's token, and the head of cross-attention by its numbers.
fn place_words(evidence: &Evidence) -> Result<Values, Gap> {
    let head = cross_head(&evidence.facts)?;
    let mut values = step_words(evidence)?;
    values.extend([
        ("cross_layer", (head.attention.layer + 1).to_string()),
        ("cross_head", (head.head + 1).to_string()),
    ]);
    Ok(values)
}

#[cfg(test)]
mod tests {
    use attention_trace::Array;

    use super::*;
    use crate::kit::questions::tests::{evidence_of, met};

    /// The second row is that of the step on screen.
    fn aligned() -> Evidence {
        let mut evidence = evidence_of(&[0.5, 0.25]);
        evidence.step = 1;
        let excerpt = Need::CrossWeights.excerpt(&evidence).unwrap();
        evidence.add(
            excerpt,
            Array {
                shape: vec![2, 3],
                data: vec![0.2, 0.3, 0.5, 0.2, 0.7, 0.1],
            },
        );
        evidence
    }

    #[test]
    fn the_row_is_that_of_the_step() {
        assert_eq!(met(aligned_with(&aligned()), "1"), Some(true));
    }

    #[test]
    fn the_window_leaves_the_centre_and_less_beside_it() {
        // With D = 2: 0.7 + e^(-1/2) · (0.2 + 0.1).
        assert_eq!(met(window_left(&aligned()), "0.882"), Some(true));
        assert_eq!(met(window_left(&aligned()), "1"), Some(false));
    }

    #[test]
    fn all_states_but_one_are_hidden_from_every_layer() {
        let evidence = aligned();
        let layers = evidence.facts.spec.layers(AttentionKind::Cross);
        let trial = without_and_alone(&evidence).unwrap();
        assert_eq!(trial.changes[0].len(), layers);
        assert_eq!(trial.changes[1].len(), 2 * layers);
    }

    #[test]
    fn a_model_without_a_decoder_that_reads_is_not_asked() {
        let causal = crate::kit::evidence::tests::evidence(true, &[]);
        assert_eq!(hidden_states(&causal), Err(Gap::Model));
        assert_eq!(aligned_with(&causal), Err(Gap::Model));
    }
}
