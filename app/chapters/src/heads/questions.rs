//! Questions about several heads of a layer.

use attention_trace::Edit;

use crate::kit::{
    derivation::find_error,
    evidence::{Evidence, Gap, Need},
    questions::{
        Asked, LETTERS,
        changes::{four_heads, heads_of_layer, numbered, quoted},
        largest, one_largest, token,
    },
    trial::{Measure, Trial, choice, clearly_largest, reason, step_words},
};
use attention_core::{
    state::HeadChoice,
    widgets::{
        Expected,
        numbers::{grouped, share_of_one},
    },
};

type Answer = Result<Asked, Gap>;

/// Effects that add up to within this share are independent.
const ALIKE: f32 = 0.15;
/// The least effect of two heads on `log p`, in nats, that has a cause to be asked for.
const FELT: f32 = 0.01;

/// Asks for the key with the largest weight in another head of the layer.
pub fn other(evidence: &Evidence) -> Answer {
    two_heads(evidence)?;
    let right = largest(evidence.visible_row(Need::OtherWeights)?);
    Ok(token(evidence, right).into())
}

/// Asks which of four heads gives the query's own token the largest weight.
pub fn looks_at_itself(evidence: &Evidence) -> Answer {
    let heads = four_heads(evidence)?;
    let weights = evidence.matrix(Need::LayerWeights)?;
    let own: Option<Vec<f32>> = heads
        .iter()
        .map(|head| {
            weights
                .row(&[head.head])?
                .get(evidence.facts.query)
                .copied()
        })
        .collect();
    let own = own.ok_or(Gap::Loading)?;
    let right = one_largest(&own)?;
    let mut values = numbered(&heads);
    values.push(("weight", share_of_one(own[right], 3)));
    Ok(Asked {
        expected: Expected::OneOf {
            options: LETTERS.map(str::to_owned).to_vec(),
            right: vec![right],
        },
        values,
    })
}

/// Four heads of the layer, each switched off, and what becomes of the query's vector.
pub fn each_off(evidence: &Evidence) -> Result<Trial, Gap> {
    let heads = four_heads(evidence)?;
    Ok(Trial {
        measure: Measure::output(evidence),
        changes: heads.map(|head| vec![head.switched_off()]).to_vec(),
        values: numbered(&heads),
    })
}

/// Asks which head, switched off, moves the query's final vector most.
pub fn vector_without(evidence: &Evidence) -> Answer {
    each_off(evidence)?.moves_most(evidence)
}

/// Four heads of the layer, each with all others switched off.
pub fn others_off(evidence: &Evidence) -> Result<Trial, Gap> {
    let heads = four_heads(evidence)?;
    let others = |kept: HeadChoice| {
        let others = heads_of_layer(evidence).filter(|head| head.head != kept.head);
        others.map(HeadChoice::switched_off).collect()
    };
    Ok(Trial {
        measure: Measure::output(evidence),
        changes: heads.map(others).to_vec(),
        values: numbered(&heads),
    })
}

/// Asks which head, with all others of its layer off, keeps the query's final vector nearest to what it was.
pub fn only_one(evidence: &Evidence) -> Answer {
    let trial = others_off(evidence)?;
    let effects = trial.effects(evidence)?;
    let near = effects.iter().map(|effect| effect.max(f32::MIN_POSITIVE));
    let near: Vec<f32> = near.map(f32::recip).collect();
    Ok(Asked {
        expected: choice(clearly_largest(&near)?),
        values: trial.words(&effects),
    })
}

/// This head, the next one, and both switched off.
pub fn both_off(evidence: &Evidence) -> Result<Trial, Gap> {
    two_heads(evidence)?;
    let [one, other] =
        [evidence.facts.head, evidence.facts.other()].map(|head| head.switched_off());
    let both: Vec<Edit> = vec![one.clone(), other.clone()];
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: vec![vec![one], vec![other], both],
        values: step_words(evidence)?,
    })
}

/// Asks why two heads that are off together move as much as they do.
pub fn together(evidence: &Evidence) -> Answer {
    let trial = both_off(evidence)?;
    let effects = trial.effects(evidence)?;
    let [one, other, both] = effects[..] else {
        return Err(Gap::Loading);
    };
    let sum = one + other;
    if sum.abs().max(both.abs()) < FELT {
        return Err(Gap::Sentence);
    }
    let apart = (both - sum).abs() / sum.abs().max(both.abs());
    let right = match both.abs() > sum.abs() {
        _ if apart < ALIKE => 0,
        true => 1,
        false => 2,
    };
    let mut values = trial.words(&effects);
    values.push(("sum", attention_core::edits::signed(sum)));
    Ok(Asked {
        expected: reason(right),
        values,
    })
}

/// Asks for the wrong one of four statements about two heads.
pub fn wrong_of_heads(evidence: &Evidence) -> Answer {
    two_heads(evidence)?;
    let stack = &evidence.facts.stack;
    let own = evidence.visible_row(Need::Weights)?;
    let others = evidence.visible_row(Need::OtherWeights)?;
    let (first, second) = (one_largest(own)?, one_largest(others)?);
    let beside = |place: usize| quoted(evidence, (place + 1) % own.len());
    let (width, numbers) = (
        stack.heads * stack.head_width,
        stack.heads * evidence.facts.names.len(),
    );
    find_error(evidence, |derivation| {
        let width = derivation.words(grouped(width as u64), grouped(numbers as u64));
        let one = derivation.words(quoted(evidence, first), beside(first));
        let two = derivation.words(quoted(evidence, second), beside(second));
        let mean = derivation.number(
            (own[first] + others[first]) / 2.0,
            own[first] * others[first],
        );
        Ok(vec![
            ("count", stack.heads.to_string()),
            ("concatenated", width),
            ("one", one),
            ("two", two),
            ("shared", quoted(evidence, first)),
            ("own_weight", share_of_one(own[first], 3)),
            ("other_weight", share_of_one(others[first], 3)),
            ("mean", share_of_one(mean, 3)),
        ])
    })
}

/// Checks that there are two heads to compare.
///
/// # Errors
/// [`Gap::Model`] if the layer has fewer than two heads.
pub fn two_heads(evidence: &Evidence) -> Result<(), Gap> {
    match evidence.facts.stack.heads {
        0 | 1 => Err(Gap::Model),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{evidence::tests::evidence, questions::tests::met};

    const ROWS: [f32; 9] = [0.2, 0.3, 0.5, 0.1, 0.6, 0.3, 0.3, 0.3, 0.4];
    const OTHERS: [f32; 9] = [1.0, 0.0, 0.0, 0.2, 0.8, 0.0, 0.3, 0.3, 0.4];

    fn both() -> Evidence {
        evidence(
            false,
            &[(Need::Weights, &ROWS), (Need::OtherWeights, &OTHERS)],
        )
    }

    #[test]
    fn another_head_has_a_key_of_its_own() {
        assert_eq!(met(other(&both()), "1"), Some(true));
    }

    #[test]
    fn a_head_alone_is_compared_with_none() {
        let mut alone = both();
        alone.facts.stack.heads = 1;
        for answer in [other(&alone), wrong_of_heads(&alone), together(&alone)] {
            assert_eq!(answer, Err(Gap::Model));
        }
    }
}
