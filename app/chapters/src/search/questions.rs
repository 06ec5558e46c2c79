//! Questions about choosing the next token, and about the text that was chosen.

use attention_trace::{
    AttentionKind, AttentionLayer, Edit,
    search::{Cost, length_score},
};

use crate::kit::{
    derivation::find_error,
    evidence::{Evidence, Gap, Need},
    questions::{
        Asked,
        changes::{four_attentions, named},
        decoding::step,
        softmax, top,
    },
    trial::{Measure, Trial, choice, clearly_largest, sizes, step_words},
};
use attention_core::widgets::{
    Expected,
    numbers::{decimal, grouped, share_of_one},
};

type Answer = Result<Asked, Gap>;

/// The widths of the beams in the two forms.
const WIDTHS: [u64; 2] = [5, 4];
/// The factor of a hidden key.
const HIDDEN: f32 = 1e-6;

/// Returns the number of probabilities that a beam considers over as many steps as the text on screen has.
pub fn beam_candidates(evidence: &Evidence) -> Answer {
    let (_, steps) = written(evidence)?;
    let width = WIDTHS[usize::from(!evidence.is_first_form())];
    let vocabulary = evidence.facts.spec.vocabulary as u64;
    Ok(Asked {
        expected: Expected::count(Cost::of_beam(width, vocabulary, steps as u64) as usize),
        values: vec![
            ("k", width.to_string()),
            ("vocabulary", grouped(vocabulary)),
            ("count", steps.to_string()),
        ],
    })
}

/// The score of that text with α = 1, in the other form with α = 0.5.
pub fn length_score_of_text(evidence: &Evidence) -> Answer {
    let (sum, steps) = written(evidence)?;
    let alpha = if evidence.is_first_form() { 1.0 } else { 0.5 };
    let score = length_score(f64::from(sum), steps, alpha);
    Ok(Asked {
        expected: Expected::about(score as f32, 0.03),
        values: vec![
            ("sum", decimal(sum, 3)),
            ("count", steps.to_string()),
            ("alpha", decimal(alpha as f32, 1)),
        ],
    })
}

/// Asks which of four settings of sampling moves the probability of the most probable token most.
pub fn sampled_by(evidence: &Evidence) -> Answer {
    let logits = evidence.vector(Need::Logits)?;
    let temperatures = if evidence.is_first_form() {
        [0.5, 2.0]
    } else {
        [0.7, 1.5]
    };
    let by = |temperature: f32| {
        let divided: Vec<f32> = logits.iter().map(|logit| logit / temperature).collect();
        top(&softmax(&divided))
    };
    let mut probabilities = softmax(logits);
    probabilities.sort_by(|one, other| other.total_cmp(one));
    let [first, second, ..] = probabilities[..] else {
        return Err(Gap::Model);
    };
    let mut kept = 0.0;
    for probability in &probabilities {
        kept += probability;
        if kept >= 0.9 {
            break;
        }
    }
    let tops = [
        by(temperatures[0]),
        by(temperatures[1]),
        first / (first + second),
        first / kept,
    ];
    let moved = tops.map(|top| top - first);
    let [a, b, c, d] = tops.map(|top| share_of_one(top, 3));
    let mut values = step_words(evidence)?;
    values.extend([
        ("first", share_of_one(first, 3)),
        ("low", decimal(temperatures[0], 1)),
        ("high", decimal(temperatures[1], 1)),
        ("effect_a", a),
        ("effect_b", b),
        ("effect_c", c),
        ("effect_d", d),
    ]);
    Ok(Asked {
        expected: choice(clearly_largest(&sizes(&moved))?),
        values,
    })
}

/// Four attentions, each with uniform weights in all heads.
pub fn uniform_attentions(evidence: &Evidence) -> Result<Trial, Gap> {
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

/// Asks after how many of these changes greedy search chooses another token at the step.
pub fn greedy_changes(evidence: &Evidence) -> Answer {
    uniform_attentions(evidence)?.changes_token(evidence)
}

/// Two changes: the text that was read becomes unreadable, or what was written before does.
pub fn read_or_written(evidence: &Evidence) -> Result<Trial, Gap> {
    let spec = &evidence.facts.spec;
    let of = |kind| (0..spec.layers(kind)).map(move |layer| AttentionLayer { kind, layer });
    let step = step(evidence)?;
    let changes = match spec.reads_source() {
        true => [AttentionKind::Cross, AttentionKind::DecoderSelf].map(|kind| {
            let uniform = |attention| Edit::Uniform {
                attention,
                head: None,
            };
            of(kind).map(uniform).collect::<Vec<_>>()
        }),
        false => {
            let decoding = evidence.decoding.as_ref().ok_or(Gap::Model)?;
            let first = decoding.steps.first().map_or(0, |step| step.row);
            // The last position is the query's own.
            [0..first, first..step.row].map(|keys| {
                let hide = move |attention| {
                    keys.clone().map(move |key| Edit::ScaleKey {
                        attention,
                        head: None,
                        key,
                        factor: HIDDEN,
                    })
                };
                of(AttentionKind::DecoderSelf).flat_map(hide).collect()
            })
        }
    };
    if changes.iter().any(Vec::is_empty) || spec.recurrence.is_some() {
        return Err(Gap::Sentence);
    }
    Ok(Trial {
        measure: Measure::LogProbability,
        changes: changes.to_vec(),
        values: step_words(evidence)?,
    })
}

/// Asks why the model writes the step's token: because of what it has read, or of what it has written.
pub fn because_of(evidence: &Evidence) -> Answer {
    read_or_written(evidence)?.tells_reason(evidence, |most| most)
}

/// Asks for the wrong step between two probabilities and the perplexity of the text.
pub fn wrong_of_score(evidence: &Evidence) -> Answer {
    let decoding = evidence.decoding.as_ref().ok_or(Gap::Model)?;
    let [first, second, ..] = decoding.steps.as_slice() else {
        return Err(Gap::Sentence);
    };
    let [p, q] = [first, second].map(|step| step.chosen.log_probability.exp());
    find_error(evidence, |derivation| {
        let product = derivation.number(p * q, (p + q) / 2.0);
        let sum = derivation.number(product.ln(), product.log10());
        let mean = derivation.number(sum / 2.0, sum);
        let perplexity = derivation.number((-mean).exp(), 1.0 - mean);
        Ok(vec![
            ("p", decimal(p, 3)),
            ("q", decimal(q, 3)),
            ("product", decimal(product, 3)),
            ("sum", decimal(sum, 3)),
            ("mean", decimal(mean, 3)),
            ("perplexity", decimal(perplexity, 3)),
        ])
    })
}

/// Returns `Σ ln p` of the model's output, and the number of its tokens.
fn written(evidence: &Evidence) -> Result<(f32, usize), Gap> {
    let decoding = evidence.decoding.as_ref().ok_or(Gap::Model)?;
    let terms = decoding
        .steps
        .iter()
        .map(|step| step.chosen.log_probability);
    match decoding.steps.len() {
        0 => Err(Gap::Model),
        steps => Ok((terms.sum(), steps)),
    }
}
