//! The candidates of the next word as they are exported: bars of their probabilities.

use attention_core::{
    i18n::{t_string, use_i18n},
    names::token_name,
    steps::probability,
    widgets::Taken,
};
use attention_figures::{
    Theme,
    bars::Series,
    color::categorical,
    export::{BarChart, Column, Content},
};
use attention_trace::{Candidate, python::Number};

/// Returns a function that describes candidates, of which the one at `chosen` was taken, for a row of the logits.
pub fn candidates_taken()
-> impl Fn(&[Candidate], Option<usize>, usize, String) -> Taken + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let name = token_name();
    move |candidates, chosen, row, sentence| {
        let numbers = |of: fn(&Candidate) -> f32| candidates.iter().map(of).collect::<Vec<f32>>();
        let probabilities = numbers(probability);
        let top = probabilities.iter().copied().fold(0.0, f32::max);
        let column = |name: &str, of| Column {
            name: name.to_owned(),
            values: numbers(of),
        };
        let content = Content::Bars(BarChart {
            names: candidates.iter().map(|it| name(&it.token)).collect(),
            top,
            marked: chosen,
            series: vec![Series {
                label: Some(t_string!(i18n, decoding.probability).to_owned()),
                values: probabilities,
                colors: vec![categorical(0, Theme::Light)],
            }],
            further: vec![
                column(t_string!(i18n, decoding.logit), |it| it.logit),
                column("log p", |it| it.log_probability),
            ],
        });
        Taken {
            sentences: vec![sentence],
            number: Some(Number::Next { row }),
            ..Taken::new(t_string!(i18n, decoding.candidates), content)
        }
    }
}
