//! Questions about several ways of weighing a sentence at once: the heads of a layer are taken as hops.

use attention_trace::Edit;

use crate::kit::{
    derivation::find_error,
    evidence::{Evidence, Gap, Need},
    questions::{
        Asked,
        changes::{four_heads, four_of, hidden_in, named, numbered, quoted},
        one_largest,
    },
    trial::{Measure, Trial, reason},
};
use attention_core::widgets::{
    Expected,
    numbers::{decimal, share_of_one},
};

type Answer = Result<Asked, Gap>;

/// The longest row that is written out.
const LONGEST: usize = 24;
/// Rows with a larger cosine agree.
const AGREE: f32 = 0.5;

/// Asks for the product of the rows of two hops, an entry of `A·Aᵀ`.
pub fn hop_overlap(evidence: &Evidence) -> Answer {
    let [own, other] = two_rows(evidence)?;
    Ok(Asked {
        expected: Expected::Number {
            right: product(&own, &other).into(),
            tolerance: 0.01,
        },
        values: vec![("own_row", written(&own)), ("other_row", written(&other))],
    })
}

/// Asks for the product of a hop's row with itself.
pub fn hop_focus(evidence: &Evidence) -> Answer {
    let [own, _] = two_rows(evidence)?;
    Ok(Asked {
        expected: Expected::Number {
            right: product(&own, &own).into(),
            tolerance: 0.01,
        },
        values: vec![
            ("own_row", written(&own)),
            ("even", decimal(1.0 / own.len() as f32, 3)),
        ],
    })
}

/// Four hops, each made to weigh all tokens alike.
pub fn uniform_hops(evidence: &Evidence) -> Result<Trial, Gap> {
    let hops = four_heads(evidence)?;
    let uniform = |hop: attention_core::state::HeadChoice| {
        vec![Edit::Uniform {
            attention: hop.attention,
            head: Some(hop.head),
        }]
    };
    Ok(Trial {
        measure: Measure::output(evidence),
        changes: hops.map(uniform).to_vec(),
        values: numbered(&hops),
    })
}

/// Asks which hop, made uniform, moves the query's final vector most.
pub fn uniform_hop(evidence: &Evidence) -> Answer {
    uniform_hops(evidence)?.moves_most(evidence)
}

/// Four tokens, each hidden from all hops of the layer.
pub fn words_hidden(evidence: &Evidence) -> Result<Trial, Gap> {
    let places = four_of(evidence, evidence.facts.visible())?;
    let attention = evidence.facts.head.attention;
    let mut values = named(places.map(|place| quoted(evidence, place)));
    values.push(("layer", (attention.layer + 1).to_string()));
    Ok(Trial {
        measure: Measure::output(evidence),
        changes: places.map(|place| hidden_in([attention], place)).to_vec(),
        values,
    })
}

/// Asks which token, hidden from all hops, moves the query's final vector most.
pub fn word_hidden(evidence: &Evidence) -> Answer {
    words_hidden(evidence)?.moves_most(evidence)
}

/// Asks why two hops overlap as much as they do.
pub fn hops_agree(evidence: &Evidence) -> Answer {
    let [own, other] = two_rows(evidence)?;
    let (one, two) = (one_largest(&own)?, one_largest(&other)?);
    let lengths = product(&own, &own).sqrt() * product(&other, &other).sqrt();
    let overlap = product(&own, &other);
    let right = match (one == two, overlap / lengths > AGREE) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    };
    Ok(Asked {
        expected: reason(right),
        values: vec![
            ("own_top", quoted(evidence, one)),
            ("other_top", quoted(evidence, two)),
            ("overlap", decimal(overlap, 3)),
            ("cosine", decimal(overlap / lengths, 2)),
        ],
    })
}

/// Asks for the wrong step of the penalty of two hops.
pub fn wrong_of_penalty(evidence: &Evidence) -> Answer {
    let [own, other] = two_rows(evidence)?;
    let sum = own.iter().sum::<f32>();
    find_error(evidence, |derivation| {
        let one = derivation.number(product(&own, &own), sum);
        let two = derivation.number(product(&other, &other), product(&other, &other).sqrt());
        let both = derivation.number(product(&own, &other), one * two);
        let diagonal = (one - 1.0).powi(2) + (two - 1.0).powi(2);
        let penalty = derivation.number(diagonal + 2.0 * both * both, diagonal - 2.0 * both);
        Ok(vec![
            ("own_row", written(&own)),
            ("other_row", written(&other)),
            ("one", decimal(one, 3)),
            ("two", decimal(two, 3)),
            ("both", decimal(both, 3)),
            ("penalty", decimal(penalty, 3)),
        ])
    })
}

/// The query's rows in the head in sight and in the next one, as they are written.
fn two_rows(evidence: &Evidence) -> Result<[Vec<f32>; 2], Gap> {
    let facts = &evidence.facts;
    if facts.stack.heads < 2 {
        return Err(Gap::Model);
    }
    let seen = facts.seen(facts.query);
    if seen.len() < 2 || seen.len() > LONGEST {
        return Err(Gap::Sentence);
    }
    let weights = evidence.matrix(Need::LayerWeights)?;
    let row = |head: usize| {
        let row = weights.row(&[head])?.get(seen.clone())?;
        Some(row.iter().map(|&weight| rounded(weight)).collect())
    };
    let [own, other] = [facts.head.head, facts.other().head].map(row);
    Ok([own.ok_or(Gap::Loading)?, other.ok_or(Gap::Loading)?])
}

fn product(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

fn written(row: &[f32]) -> String {
    let weights = row.iter().map(|&weight| share_of_one(weight, 2));
    weights.collect::<Vec<_>>().join(", ")
}

/// The weight as it is written in the question.
fn rounded(weight: f32) -> f32 {
    (weight * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use attention_trace::Array;

    use super::*;
    use crate::kit::{evidence::tests::evidence, questions::tests::met, trial::choice};

    fn weighed(rows: [[f32; 3]; 2]) -> Evidence {
        let mut evidence = evidence(false, &[]);
        let excerpt = Need::LayerWeights.excerpt(&evidence).unwrap();
        evidence.add(
            excerpt,
            Array {
                shape: vec![2, 3],
                data: rows.concat(),
            },
        );
        evidence
    }

    #[test]
    fn hops_overlap_where_both_look() {
        let apart = weighed([[0.5, 0.5, 0.0], [0.0, 0.2, 0.8]]);
        assert_eq!(met(hop_overlap(&apart), "0.1"), Some(true));
        assert_eq!(met(hop_focus(&apart), "0.5"), Some(true));
        assert_eq!(hops_agree(&apart), Err(Gap::Sentence));
    }

    #[test]
    fn the_reason_of_an_overlap_is_the_same_token_or_a_wide_spread() {
        let right = |rows| hops_agree(&weighed(rows)).unwrap().expected;
        assert_eq!(right([[0.6, 0.4, 0.0], [0.9, 0.0, 0.1]]), reason(0));
        assert_eq!(right([[0.4, 0.3, 0.3], [0.3, 0.4, 0.3]]), reason(1));
        assert_eq!(right([[0.9, 0.1, 0.0], [0.0, 0.1, 0.9]]), reason(2));
    }

    #[test]
    fn the_penalty_counts_each_overlap_twice() {
        let hops = weighed([[0.5, 0.5, 0.0], [0.0, 0.2, 0.8]]);
        let asked = wrong_of_penalty(&hops).unwrap();
        assert!((0..4).any(|step| asked.expected == choice(step)));
    }
}
