//! Questions to be computed by hand, with numbers of the head and the sentence on screen.

use attention_core::widgets::{
    Expected,
    numbers::{decimal, share_of_one},
};

use crate::kit::{
    derivation::find_error,
    evidence::{Evidence, Gap, Need},
    questions::{
        Asked,
        changes::{four_of, named, quoted, weighed},
        one_largest, softmax,
    },
    trial::{Measure, Trial, choice, clearly_largest},
};

type Answer = Result<Asked, Gap>;

/// The number of scores and components that are computed with.
const THREE: usize = 3;
/// The largest score whose power is still short.
const LARGEST: f32 = 8.0;

/// Asks for the weight of the first of three tokens, from their scores.
pub fn weight_of_three(evidence: &Evidence) -> Answer {
    let row = evidence.visible_row(Need::ScaledScores)?;
    if row.len() < THREE {
        return Err(Gap::Sentence);
    }
    let first = match evidence.is_first_form() {
        true => 0,
        false => row.len() - THREE,
    };
    let scores = &row[first..first + THREE];
    let written: Vec<f32> = scores.iter().map(|&score| rounded(score)).collect();
    let name = |further: usize| quoted(evidence, first + further);
    Ok(Asked {
        expected: Expected::about(softmax(&written)[0], 0.03),
        values: vec![
            ("a", name(0)),
            ("b", name(1)),
            ("c", name(2)),
            ("s_a", decimal(written[0], 2)),
            ("s_b", decimal(written[1], 2)),
            ("s_c", decimal(written[2], 2)),
        ],
    })
}

/// Asks for the product of the first three components of a query and a key.
pub fn product_of_three(evidence: &Evidence) -> Answer {
    let query = evidence.row(Need::Queries)?;
    let key = match evidence.is_first_form() {
        true => 0,
        false => evidence.facts.visible() - 1,
    };
    let keys = evidence.matrix(Need::Keys)?;
    let row = keys.row(&[key]).ok_or(Gap::Loading)?;
    if query.len() < THREE || row.len() < THREE {
        return Err(Gap::Model);
    }
    let [q, k] = [query, row].map(|row| [0, 1, 2].map(|place: usize| rounded(row[place])));
    let product: f32 = q.iter().zip(&k).map(|(q, k)| q * k).sum();
    let written = |row: [f32; THREE]| row.map(|value| decimal(value, 2)).join(", ");
    Ok(Asked {
        expected: Expected::about(product, 0.02),
        values: vec![
            ("key", quoted(evidence, key)),
            ("q", written(q)),
            ("k", written(k)),
        ],
    })
}

/// Asks which of four changes of its scores gives the query's own token the largest weight.
pub fn own_weight(evidence: &Evidence) -> Answer {
    let row = evidence.visible_row(Need::ScaledScores)?;
    let own = evidence.facts.query;
    let others = (0..row.len()).filter(|&place| place != own);
    let strongest = others.max_by(|&one, &two| row[one].total_cmp(&row[two]));
    let strongest = strongest.ok_or(Gap::Sentence)?;
    let scored = |change: &dyn Fn(usize, f32) -> f32| {
        let changed = row.iter().enumerate();
        let changed: Vec<f32> = changed
            .map(|(place, &score)| change(place, score))
            .collect();
        softmax(&changed).get(own).copied().unwrap_or(0.0)
    };
    let step = if evidence.is_first_form() { 1.0 } else { 1.5 };
    let weights = [
        scored(&|place, score| if place == own { score + step } else { score }),
        scored(&|_, score| 2.0 * score),
        scored(&|_, score| score / 2.0),
        scored(&|place, score| match place == strongest {
            true => f32::NEG_INFINITY,
            false => score,
        }),
    ];
    let before = scored(&|_, score| score);
    let written = weights.map(|weight| share_of_one(weight, 3));
    let [a, b, c, d] = written;
    Ok(Asked {
        expected: choice(clearly_largest(&weights)?),
        values: vec![
            ("before", share_of_one(before, 3)),
            ("strongest", quoted(evidence, strongest)),
            ("more", decimal(step, 1)),
            ("effect_a", a),
            ("effect_b", b),
            ("effect_c", c),
            ("effect_d", d),
        ],
    })
}

/// All of the query's weight in the head on each of four tokens.
pub fn pinned_keys(evidence: &Evidence) -> Result<Trial, Gap> {
    let (head, query) = (evidence.facts.head, evidence.facts.query);
    let places = four_of(evidence, evidence.facts.visible())?;
    let pinned = |place: usize| {
        let weight = |key: usize| f32::from(u8::from(key == place));
        vec![weighed(evidence, head, query, weight)]
    };
    Ok(Trial {
        measure: Measure::output(evidence),
        changes: places.map(pinned).to_vec(),
        values: named(places.map(|place| quoted(evidence, place))),
    })
}

/// Asks which token, with all of the query's weight on it, moves the query's final vector most.
pub fn pinned_key(evidence: &Evidence) -> Answer {
    pinned_keys(evidence)?.moves_most(evidence)
}

/// Asks why a key has the highest score: by its length, by its direction, by both, or by neither alone.
pub fn length_or_direction(evidence: &Evidence) -> Answer {
    let scores = evidence.visible_row(Need::Scores)?;
    let query = length(evidence.row(Need::Queries)?);
    let keys = evidence.matrix(Need::Keys)?;
    let lengths: Option<Vec<f32>> = (0..scores.len())
        .map(|place| Some(length(keys.row(&[place])?)))
        .collect();
    let lengths = lengths.ok_or(Gap::Loading)?;
    let products = scores.iter().zip(&lengths);
    let cosines: Vec<f32> = products
        .map(|(score, length)| score / (length * query).max(f32::MIN_POSITIVE))
        .collect();
    let best = one_largest(scores)?;
    let (longest, nearest) = (one_largest(&lengths)?, one_largest(&cosines)?);
    let right = match (best == nearest, best == longest) {
        (true, false) => 0,
        (false, true) => 1,
        (true, true) => 2,
        (false, false) => 3,
    };
    Ok(Asked {
        expected: choice(right),
        values: vec![
            ("key", quoted(evidence, best)),
            ("longest", quoted(evidence, longest)),
            ("nearest", quoted(evidence, nearest)),
            ("length", decimal(lengths[best], 2)),
            ("most_length", decimal(lengths[longest], 2)),
            ("cosine", decimal(cosines[best], 2)),
            ("most_cosine", decimal(cosines[nearest], 2)),
        ],
    })
}

/// Asks for the wrong step between a product and a weight.
pub fn wrong_of_weight(evidence: &Evidence) -> Answer {
    if !evidence.facts.divides_by_root() {
        return Err(Gap::Model);
    }
    let products = evidence.visible_row(Need::Scores)?;
    let scaled = evidence.visible_row(Need::ScaledScores)?;
    let key = one_largest(products)?;
    let width = evidence.facts.stack.head_width as f32;
    let product = products[key];
    if scaled[key].abs() > LARGEST || product.abs() < 1.0 {
        return Err(Gap::Sentence);
    }
    let query = evidence.row(Need::Queries)?;
    let keys = evidence.matrix(Need::Keys)?;
    let last = query.last().zip(keys.row(&[key]).and_then(<[f32]>::last));
    let (q, k) = last.ok_or(Gap::Loading)?;
    find_error(evidence, |derivation| {
        let product = derivation.number(product, product - 2.0 * q * k - 1.0);
        let score = derivation.number(product / width.sqrt(), product / width);
        let power = derivation.number(score.exp(), score.exp2());
        let others = scaled.iter().enumerate().filter(|(place, _)| *place != key);
        let others: f32 = others.map(|(_, score)| score.exp()).sum();
        let sum = derivation.number(power + others, others);
        Ok(vec![
            ("key", quoted(evidence, key)),
            ("product", decimal(product, 3)),
            ("score", decimal(score, 3)),
            ("power", decimal(power, 3)),
            ("sum", decimal(sum, 3)),
            ("weight", decimal(power / sum, 3)),
        ])
    })
}

/// The number as it is written in the question.
fn rounded(value: f32) -> f32 {
    (value * 100.0).round() / 100.0
}

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|value| value * value).sum::<f32>().sqrt()
}
