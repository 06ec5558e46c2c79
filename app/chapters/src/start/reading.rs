//! The model's input and its output so far: the first screen, and the parts that other screens reuse.

use attention_figures::{bars::Series, color::categorical};
use attention_trace::{Decoding, Step, Token, TraceMeta};
use leptos::prelude::*;

use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    names::{token_label, token_name},
    steps::{Steps, probability},
    widgets::{BarFigure, Bars, Slider},
};

/// The number of candidates for the next word.
pub const CANDIDATES: usize = 6;

/// The first screen: a text as input, words as output.
#[component]
pub fn Translate() -> impl IntoView {
    view! {
        <StepSlider />
        <Texts />
        <NextWords />
    }
}

/// The slider of the decoding step; for an empty answer, the reason why there are no steps.
#[component]
pub fn StepSlider() -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let is_empty = Memo::new(move |_| {
        let empty = |decoding: &Decoding| {
            let best = decoding.hypotheses.first();
            best.is_some_and(|best| best.text.is_empty())
        };
        steps.with_decoding(empty) == Some(true)
    });
    let why = move || match steps
        .trace()
        .is_some_and(|trace| trace.meta.spec.reads_source())
    {
        true => t_string!(i18n, shell.empty_answer),
        false => t_string!(i18n, shell.empty_continuation),
    };
    let words = move || {
        let timeline = steps.timeline();
        let (step, count) = (timeline.step + 1, timeline.count);
        t_string!(i18n, start.word_of, step = step, count = count)
    };
    view! {
        <Slider
            name=Signal::derive(move || t_string!(i18n, start.next_word).to_owned())
            test_id="start-step"
            range=Signal::derive(move || (0, steps.timeline().count.saturating_sub(1)))
            value=Signal::derive(move || steps.timeline().step)
            words=Signal::derive(words)
            set=move |step| steps.player().go_to(step)
        />
        <Show when=move || is_empty.get()>
            <p class="hint" role="status" data-testid="start-ended">{why}</p>
        </Show>
    }
}

/// Returns the tokens read before the first word is written.
fn read(meta: &TraceMeta, decoding: &Decoding) -> Vec<Token> {
    let prompt = decoding.steps.first().map_or(0, |first| first.row + 1);
    match meta.spec.reads_source() {
        true => meta.source.clone(),
        false => meta.target.iter().take(prompt).cloned().collect(),
    }
}

/// Returns the tokens written before a step.
fn written(decoding: &Decoding, step: usize) -> Vec<Token> {
    let before = decoding.steps.iter().take(step);
    before.map(|step| step.chosen.token.clone()).collect()
}

/// The input, and the output so far.
#[component]
pub fn Texts() -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let source = Memo::new(move |_| {
        let trace = steps.trace()?;
        Some(read(&trace.meta, trace.decoding.as_ref()?))
    });
    let target = Memo::new(move |_| {
        let step = steps.timeline().step;
        steps.with_decoding(|decoding| written(decoding, step))
    });
    let label = token_label();
    let tokens = |tokens: Memo<Option<Vec<Token>>>| {
        move || {
            let tokens = tokens.get().unwrap_or_default();
            tokens.iter().map(label).collect_view()
        }
    };
    view! {
        <dl class="start-texts">
            <dt>{t!(i18n, start.reads)}</dt>
            <dd data-testid="start-read">{tokens(source)}</dd>
            <dt>{t!(i18n, start.has_written)}</dt>
            <dd data-testid="start-written">
                {tokens(target)} <span class="start-next" aria-hidden="true"></span>
            </dd>
        </dl>
    }
}

/// The most probable next words.
#[component]
pub fn NextWords(
    /// Height of their bars in CSS pixels.
    #[prop(default = 180.0)]
    height: f64,
) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let steps = Steps::expect();
    let name = token_name();
    let chart = Memo::new(move |_| {
        let theme = appearance.get();
        steps.with_step(|step: &Step| {
            let shown = &step.candidates[..step.candidates.len().min(CANDIDATES)];
            Bars {
                names: shown
                    .iter()
                    .map(|candidate| name(&candidate.token))
                    .collect(),
                top: 1.0,
                marked: shown
                    .iter()
                    .position(|candidate| candidate.token.id == step.chosen.token.id),
                series: vec![Series {
                    label: None,
                    values: shown.iter().map(probability).collect(),
                    colors: vec![categorical(0, theme)],
                }],
            }
        })
    });
    view! {
        <h3 class="panel-title">{t!(i18n, start.candidates)}</h3>
        <BarFigure
            name=Signal::derive(move || t_string!(i18n, start.candidates).to_owned())
            test_id="start-candidates"
            height
            chart
        />
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::{
        Candidate, Search,
        config::{LlamaConfig, MarianConfig},
    };

    use super::*;

    fn token(id: u32) -> Token {
        Token {
            id,
            text: format!("▁{id}"),
            unknown: false,
        }
    }

    fn decoding(first_row: usize) -> Decoding {
        let step = |index: usize| Step {
            row: first_row + index,
            chosen: Candidate {
                token: token(10 + index as u32),
                logit: 0.0,
                log_probability: 0.0,
            },
            forced: false,
            candidates: vec![],
        };
        Decoding {
            search: Search::Greedy,
            hypotheses: vec![],
            steps: (0..3).map(step).collect(),
            considered: vec![],
            draws: vec![],
        }
    }

    fn ids(tokens: Vec<Token>) -> Vec<u32> {
        tokens.into_iter().map(|token| token.id).collect()
    }

    #[test]
    fn a_translator_reads_the_source_and_others_the_prompt() {
        let meta = |spec| TraceMeta {
            spec,
            source: vec![token(1), token(2)],
            target: vec![token(0), token(5), token(10), token(11)],
            pieces: attention_trace::Pieces::default(),
        };
        let translator = meta(MarianConfig::default().spec());
        assert_eq!(ids(read(&translator, &decoding(0))), [1, 2]);
        let llama = meta(LlamaConfig::default().spec());
        assert_eq!(ids(read(&llama, &decoding(1))), [0, 5]);
    }

    #[test]
    fn what_is_written_ends_before_the_step() {
        assert!(written(&decoding(0), 0).is_empty());
        assert_eq!(ids(written(&decoding(0), 2)), [10, 11]);
    }
}
