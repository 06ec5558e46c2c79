//! Questions about the loss of what was written, and about one step of learning from it.

use attention_trace::Edit;

use attention_core::widgets::{label, numbers::decimal};

use crate::kit::{
    derivation::find_error,
    evidence::{Evidence, Gap},
    questions::{
        Asked,
        changes::{four_attentions, named},
        decoding::{decoding, step},
    },
    trial::{Measure, Trial, choice, step_words},
};

type Answer = Result<Asked, Gap>;

/// The difference of losses that is one.
const APART: f32 = 0.02;

/// Four attentions, each with uniform weights in all heads.
pub fn uniform_layers(evidence: &Evidence) -> Result<Trial, Gap> {
    if evidence.facts.spec.recurrence.is_some() {
        return Err(Gap::Model);
    }
    let chosen = four_attentions(evidence)?;
    let mut values = step_words(evidence)?;
    values.extend(named(chosen.map(|attention| attention.block().to_string())));
    let uniform = |attention| {
        vec![Edit::Uniform {
            attention,
            head: None,
        }]
    };
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: chosen.map(uniform).to_vec(),
        values,
    })
}

/// Asks which attention, made uniform, moves the loss of the step's token most.
pub fn loss_without(evidence: &Evidence) -> Answer {
    uniform_layers(evidence)?.moves_most(evidence)
}

/// Asks how many of these changes lower the loss of the step's token.
pub fn loss_falls(evidence: &Evidence) -> Answer {
    uniform_layers(evidence)?.raises(evidence)
}

/// Asks why the loss of a step is above or below the mean of the text.
pub fn loss_reason(evidence: &Evidence) -> Answer {
    let step = step(evidence)?;
    let steps = &decoding(evidence)?.steps;
    let losses = steps.iter().map(|step| -step.chosen.log_probability);
    let mean = losses.sum::<f32>() / steps.len() as f32;
    let [first, second, ..] = step.candidates.as_slice() else {
        return Err(Gap::Sentence);
    };
    let loss = -step.chosen.log_probability;
    if (loss - mean).abs() < APART {
        return Err(Gap::Sentence);
    }
    let [p, q] = [first, second].map(|candidate| candidate.log_probability.exp());
    let right = match (loss < mean, p > 0.5, q > p / 2.0) {
        (true, true, _) => 0,
        (true, false, _) => 1,
        (false, _, true) => 2,
        (false, _, false) => 3,
    };
    let mut values = step_words(evidence)?;
    values.extend([
        ("loss", decimal(loss, 3)),
        ("mean", decimal(mean, 3)),
        ("first", label(&first.token)),
        ("second", label(&second.token)),
        ("p", decimal(p, 3)),
        ("q", decimal(q, 3)),
    ]);
    Ok(Asked {
        expected: choice(right),
        values,
    })
}

/// Asks for the wrong step of learning from a token.
pub fn wrong_of_learning(evidence: &Evidence) -> Answer {
    let step = step(evidence)?;
    let p = step.chosen.log_probability.exp();
    let mut others = step.candidates.iter();
    let other = others.find(|candidate| candidate.token.id != step.chosen.token.id);
    let other = other.ok_or(Gap::Sentence)?;
    let q = other.log_probability.exp();
    find_error(evidence, |derivation| {
        let loss = derivation.number(-step.chosen.log_probability, 1.0 - p);
        let own = derivation.number(p - 1.0, 1.0 - p);
        let others = derivation.number(q, q - 1.0);
        let apart = derivation.number(others - own, others + own);
        let mut values = step_words(evidence)?;
        values.extend([
            ("loss", decimal(loss, 3)),
            ("own", decimal(own, 3)),
            ("second", label(&other.token)),
            ("q", decimal(q, 3)),
            ("others", decimal(others, 3)),
            ("apart", decimal(apart, 3)),
        ]);
        Ok(values)
    })
}
