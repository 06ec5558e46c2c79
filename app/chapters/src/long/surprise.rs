//! The surprise of a model at each token, `−log p` of what it had to name there.

use attention_core::state::Task;
use attention_trace::{Array, Trace, log_probability};

use crate::positions::{LETTERS_BACK, VERSE_BACK};

/// A token that the model had to name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sought {
    /// The row of the logits, from 0: the last token that the model had read.
    pub row: usize,
    /// The number of the token.
    pub token: u32,
}

/// Returns the tokens that a model had to name on the text of a trace: the next ones, or earlier ones in a task of
/// naming them.
pub fn sought(trace: &Trace, task: Task) -> Vec<Sought> {
    let target = &trace.meta.target;
    let named = |back: usize| {
        // The start token is read first; what was decoded after the text is no letter of it.
        let typed = trace.decoding.as_ref().and_then(|it| it.steps.first());
        let end = typed.map_or(target.len(), |step| step.row + 1);
        let rows = back + 1..end.min(target.len());
        rows.map(|row| Sought {
            row,
            token: target[row - back].id,
        })
        .collect()
    };
    match task {
        Task::Letters => named(LETTERS_BACK),
        Task::Verse => named(VERSE_BACK),
        _ => (1..target.len())
            .map(|place| Sought {
                row: place - 1,
                token: target[place].id,
            })
            .collect(),
    }
}

/// Returns `−log p` of each sought token, in nats, by logits `[n, vocabulary]`; `None` if they are of other tokens.
pub fn surprises(sought: &[Sought], logits: &Array) -> Option<Vec<f32>> {
    let one = |sought: &Sought| {
        let row = logits.row(&[sought.row])?;
        log_probability(row, sought.token as usize).map(|log| -log)
    };
    sought.iter().map(one).collect()
}

/// Returns the mean, if there is any.
pub fn mean(values: &[f32]) -> Option<f32> {
    (!values.is_empty()).then(|| values.iter().sum::<f32>() / values.len() as f32)
}

#[cfg(test)]
mod tests {
    use attention_trace::{Pieces, Token, TraceMeta, config::LlamaConfig};

    use super::*;

    fn trace(ids: &[u32]) -> Trace {
        let token = |&id: &u32| Token {
            id,
            text: id.to_string(),
            unknown: false,
        };
        Trace::new(TraceMeta {
            spec: LlamaConfig::default().spec(),
            source: vec![],
            target: ids.iter().map(token).collect(),
            pieces: Pieces::default(),
        })
    }

    fn pairs(found: &[Sought]) -> Vec<(usize, u32)> {
        found.iter().map(|it| (it.row, it.token)).collect()
    }

    #[test]
    fn a_row_names_the_next_token_or_an_earlier_one() {
        let trace = trace(&[0, 5, 6, 7, 8, 9]);
        let next = sought(&trace, Task::Continue);
        assert_eq!(pairs(&next), [(0, 5), (1, 6), (2, 7), (3, 8), (4, 9)]);
        assert_eq!(pairs(&sought(&trace, Task::Letters)), [(4, 5), (5, 6)]);
        assert_eq!(
            pairs(&sought(&trace, Task::Verse)),
            [(3, 5), (4, 6), (5, 7)]
        );
    }

    #[test]
    fn surprise_is_minus_log_p() {
        let logits = Array {
            shape: vec![2, 2],
            data: vec![0.0, 0.0, 3.0f32.ln(), 0.0],
        };
        let sought = [0, 1].map(|row| Sought { row, token: 0 });
        let found = surprises(&sought, &logits).unwrap();
        assert!((found[0] - 2.0f32.ln()).abs() < 1e-6);
        assert!((found[1] - (4.0f32 / 3.0).ln()).abs() < 1e-6);
        assert!((mean(&found).unwrap() - (2.0f32.ln() + (4.0f32 / 3.0).ln()) / 2.0).abs() < 1e-6);
        assert_eq!(mean(&[]), None);
        let beyond = [Sought { row: 2, token: 0 }];
        assert_eq!(surprises(&beyond, &logits), None);
    }
}
