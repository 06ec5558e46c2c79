//! A fully connected layer over positions, with fixed weights and a fixed length, beside the weights of attention,
//! which are computed for every sentence.

use std::sync::Arc;

use attention_figures::matrix::Scale;
use attention_protocol::lessons::{Answer, LessonFailure, Question};
use attention_trace::{Array, lessons::FullyConnected};
use leptos::prelude::*;

use super::{
    made::{map_matrix, matrix, mixed, values, weights},
    words::lab,
};
use crate::{
    follow::{Derivation, Operation, explained},
    layers::parameters::LayersLab,
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    lessons::{Asked, LessonNotice, LessonProblem, Lessons},
    navigation::ViewLink,
    selection::{HeadChoice, SelfAttention},
    state::{Model, View, ViewState},
    widgets::{
        ScrollRegion, Slider,
        inspector::Inspected,
        matrix::{MatrixFigure, weights_described},
    },
};

/// The seed of the layer's random weights.
const SEED: u64 = 1;

/// Sentences of different lengths that the translator reads.
const SENTENCES: [&str; 3] = [
    "Je suis étudiant.",
    "Elle est fatiguée.",
    "Je suis un étudiant très fatigué.",
];

/// The attention of a head on one sentence.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    head: HeadChoice,
    names: Arc<[String]>,
    weights: Arc<Array>,
}

/// The sentence on screen and the one that was there before it, of the same head.
#[derive(Clone, Debug, Default, PartialEq)]
struct Both {
    before: Option<Seen>,
    now: Option<Seen>,
}

impl Both {
    /// Records the attention on screen now.
    fn see(&mut self, seen: Seen) {
        match self.now.replace(seen.clone()) {
            Some(last) if last.head != seen.head => self.before = None,
            Some(last) if last.names != seen.names => self.before = Some(last),
            _ => {}
        }
    }
}

/// The fixed weights beside the dynamic ones.
#[component]
pub fn FixedOrDynamic() -> impl IntoView {
    view! {
        <section class="lesson-figure" data-testid="fixed-or-dynamic">
            <Sentences />
            <Fixed />
            <Dynamic />
            <Counts />
        </section>
    }
}

/// Buttons that run prepared sentences.
#[component]
fn Sentences() -> impl IntoView {
    let i18n = use_i18n();
    let shown = ViewState::expect().select(|view| (view.model, view.text.clone()));
    let link = move |text: &'static str| {
        let change = move |view: &mut View| {
            view.model = Model::default();
            view.use_text(text.to_owned());
        };
        let current = Signal::derive(move || {
            shown.with(|(model, shown)| *model == Model::default() && shown == text)
        });
        view! {
            <li>
                <ViewLink change class="link-button" current test_id="layers-sentence">{text}</ViewLink>
            </li>
        }
    };
    view! {
        <p class="hint">{t!(i18n, layers.sentences)}</p>
        <ul class="lesson-links">{SENTENCES.map(link)}</ul>
    }
}

/// The fully connected layer.
#[component]
fn Fixed() -> impl IntoView {
    let i18n = use_i18n();
    let (state, lab) = (ViewState::expect(), lab());
    let context = SelfAttention::expect();
    let positions = Memo::new(move |_| lab.with(|lab| lab.positions));
    let values = values();
    let asked = Lessons::expect().ask(
        move || {
            Some(Question::FullyConnected {
                values: values.get()?.as_ref().clone(),
                positions: positions.get(),
                seed: SEED,
            })
        },
        |answer| match answer {
            Answer::FullyConnected(made) => Some(made.clone()),
            _ => None,
        },
    );
    let is_refused = Memo::new(move |_| {
        let problem = asked.problem.get();
        matches!(
            problem,
            Some(LessonProblem::Failed(LessonFailure::Refused(_)))
        )
    });
    let count = Memo::new(move |_| context.names().len());
    view! {
        <div class="position-controls">
            <Slider
                name=Signal::derive(move || t_string!(i18n, layers.positions).to_owned())
                test_id="fixed-n"
                range=LayersLab::POSITIONS
                value=positions
                words=Signal::derive(move || positions.get().to_string())
                set=move |positions| state.update_chapters(|chapters| chapters.of_mut::<LayersLab>().positions = positions)
            />
        </div>
        <Show
            when=move || is_refused.get()
            fallback=move || view! {
                <LessonNotice asked />
                <FixedMatrices asked values />
            }
        >
            <p class="notice problem" role="status" data-testid="fixed-refused">
                {move || t_string!(i18n, layers.refused, n = count.get(), positions = positions.get())}
            </p>
        </Show>
    }
}

/// The layer's weights and its outputs for the values.
#[component]
fn FixedMatrices(asked: Asked<FullyConnected>, values: Memo<Option<Arc<Array>>>) -> impl IntoView {
    let i18n = use_i18n();
    let context = SelfAttention::expect();
    let fixed = Memo::new(move |_| {
        let made = asked.answer.get()?;
        let places: Vec<String> = (1..=made.weights.shape[0])
            .map(|place| place.to_string())
            .collect();
        map_matrix(&made.weights, places.into())
    });
    let made = Memo::new(move |_| matrix(&asked.answer.get()?.mixed, context.names()));
    let of_weight = explained(move |row, column| {
        Some(Derivation {
            place: vec![(row + 1).to_string(), (column + 1).to_string()],
            value: fixed.read().as_ref()?.value(row, column)?,
            operation: Operation::Given,
        })
    });
    let of_output = explained(move |row, column| {
        let (made, values) = (asked.answer.get()?, values.get()?);
        let name = context.names().get(row)?.clone();
        mixed(
            ("w", name),
            (row, column),
            &made.weights,
            &values,
            &made.mixed,
        )
    });
    view! {
        <Inspected>
            <div class="equation">
                <MatrixFigure
                    id="fixed-weights"
                    symbol="<math><mi>W</mi></math>"
                    name=Signal::derive(move || t_string!(i18n, layers.fixed_weights).to_owned())
                    matrix=fixed
                    describe=of_weight
                />
                <MatrixFigure
                    id="fixed-output"
                    symbol="<math><mi>W</mi><mi>V</mi></math>"
                    name=Signal::derive(move || t_string!(i18n, layers.fixed_output).to_owned())
                    matrix=made
                    describe=of_output
                />
            </div>
        </Inspected>
    }
}

/// The head's weights on this sentence and on the one before.
#[component]
fn Dynamic() -> impl IntoView {
    let i18n = use_i18n();
    let context = SelfAttention::expect();
    let weights = weights();
    let seen = Memo::new(move |_| {
        Some(Seen {
            head: context.with(|place| place.head)?,
            names: context.names(),
            weights: weights.get()?,
        })
    });
    let both = RwSignal::new(Both::default());
    // An effect because a sentence goes when the next one comes.
    Effect::new(move |_| {
        if let Some(seen) = seen.get() {
            both.update(|both| both.see(seen));
        }
    });
    let of = move |read: fn(&Both) -> Option<&Seen>| {
        Memo::new(move |_| {
            both.with(|both| {
                let seen = read(both)?;
                map_matrix(&seen.weights, seen.names.clone())
            })
        })
    };
    let (now, before) = (
        of(|both| both.now.as_ref()),
        of(|both| both.before.as_ref()),
    );
    view! {
        <Inspected>
            <div class="map-pair">
                <Show
                    when=move || before.read().is_some()
                    fallback=move || view! { <p class="hint">{t!(i18n, layers.no_sentence_before)}</p> }
                >
                    <MatrixFigure
                        id="dynamic-before"
                        symbol="<math><mi>A</mi></math>"
                        name=Signal::derive(move || t_string!(i18n, layers.dynamic_before).to_owned())
                        matrix=before
                        scale=Scale::Weights
                        describe=weights_described(before)
                    />
                </Show>
                <MatrixFigure
                    id="dynamic-now"
                    symbol="<math><mi>A</mi></math>"
                    name=Signal::derive(move || t_string!(i18n, layers.dynamic_now).to_owned())
                    matrix=now
                    scale=Scale::Weights
                    describe=weights_described(now)
                />
            </div>
        </Inspected>
    }
}

/// Compares the numbers of learned weights for pairs of positions.
#[component]
fn Counts() -> impl IntoView {
    let i18n = use_i18n();
    let lab = lab();
    let name = Signal::derive(move || t_string!(i18n, layers.learned).to_owned());
    let fixed = move || {
        let positions = lab.with(|lab| lab.positions);
        format!("{positions} × {positions} = {}", positions * positions)
    };
    view! {
        <ScrollRegion class="lesson-table" test_id="learned-weights" name>
            <table aria-label=name>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, layers.layer)}</th>
                        <th scope="col">{t!(i18n, layers.learned)}</th>
                        <th scope="col">{t!(i18n, layers.lengths)}</th>
                    </tr>
                </thead>
                <tbody>
                    <tr>
                        <th scope="row">{t!(i18n, layers.fully_connected)}</th>
                        <td class="number">{fixed}</td>
                        <td>{move || t_string!(i18n, layers.only, n = lab.with(|lab| lab.positions))}</td>
                    </tr>
                    <tr>
                        <th scope="row">{t!(i18n, layers.self_attention)}</th>
                        <td class="number">"0"</td>
                        <td>{t!(i18n, layers.any_length)}</td>
                    </tr>
                </tbody>
            </table>
        </ScrollRegion>
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::{AttentionKind, AttentionLayer};

    use super::*;

    fn seen(head: usize, text: &str) -> Seen {
        Seen {
            head: HeadChoice {
                attention: AttentionLayer {
                    kind: AttentionKind::EncoderSelf,
                    layer: 0,
                },
                head,
            },
            names: text.split(' ').map(str::to_owned).collect(),
            weights: Arc::new(Array {
                shape: vec![0, 0],
                data: vec![],
            }),
        }
    }

    #[test]
    fn the_sentence_before_is_kept_as_long_as_the_head_is_the_same() {
        let mut both = Both::default();
        both.see(seen(0, "Je suis"));
        assert_eq!(both.before, None);
        both.see(seen(0, "Tu es là"));
        assert_eq!(both.before, Some(seen(0, "Je suis")));
        // The same sentence again, on another device for example.
        both.see(seen(0, "Tu es là"));
        assert_eq!(both.before, Some(seen(0, "Je suis")));
        both.see(seen(1, "Tu es là"));
        assert_eq!((both.before, both.now), (None, Some(seen(1, "Tu es là"))));
    }
}
