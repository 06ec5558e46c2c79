//! A row of scores, the width whose root divides them, and the softmax of the scaled row.

use crate::{scale::parameters::Scale, source::DataSource};
use attention_figures::{bars::Series, color::categorical};
use attention_protocol::lessons::{Answer, Question};
use attention_trace::{
    Array, Quantity,
    lessons::{Memory, ScoreFunction, ScoreParameters, Softmax},
};
use leptos::prelude::*;

use attention_core::{
    appearance::Appearance,
    engine::Live,
    i18n::{t, t_string, use_i18n},
    lessons::{Asked, LessonNotice, Lessons},
    selection::{HeadControls, chosen_head, first_rows, names, recorded},
    state::ViewState,
    widgets::{BarFigure, Bars, Segmented, Slider, numbers::decimal},
};

/// A row of scores with the names of their keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The names of the scored keys.
    pub names: Vec<String>,
    /// The scores, not scaled.
    pub scores: Vec<f32>,
}

/// The selected row and its softmax at every width.
#[derive(Clone, Copy)]
pub struct RowSelection {
    /// The row; `None` if the head's vectors are not recorded.
    pub row: Memo<Option<Row>>,
    /// The softmax of the row for widths from 1.
    pub softmax: Asked<Vec<Softmax>>,
    /// The width whose root divides the scores.
    pub width: Memo<usize>,
    source: Memo<DataSource>,
}

impl RowSelection {
    /// The row that the view asks for.
    pub fn of_view() -> Self {
        let state = ViewState::expect();
        let lecture = state.select(|view| view.chapters.of::<Scale>().row);
        let source = state.select(|view| view.chapters.of::<Scale>().source);
        let head = head_row(source);
        let row = Memo::new(move |_| match source.get() {
            DataSource::Lecture => Some(lecture_row(lecture.get())),
            DataSource::Head => head.get(),
        });
        let question = move || {
            let scales = (1..=Scale::WIDTHS.1).map(|width| 1.0 / (width as f32).sqrt());
            Some(Question::Softmax {
                scores: row.get()?.scores,
                scales: scales.collect(),
            })
        };
        let softmax = Lessons::expect().ask(question, |answer| match answer {
            Answer::Softmax(softmax) => Some(softmax.clone()),
            _ => None,
        });
        RowSelection {
            row,
            softmax,
            width: state.select(|view| view.chapters.of::<Scale>().width),
            source,
        }
    }

    /// Returns the softmax without scaling, and at the selected width.
    pub fn both(self) -> Option<[Softmax; 2]> {
        let at = self.width.get() - 1;
        self.softmax.answer.with(|made| {
            let made = made.as_ref()?;
            Some([made.first()?.clone(), made.get(at)?.clone()])
        })
    }
}

fn lecture_row(scores: [i32; 8]) -> Row {
    Row {
        names: scores
            .map(|score| score.to_string().replace('-', "−"))
            .into(),
        scores: scores.map(|score| score as f32).into(),
    }
}

/// The scores of a head's query and keys, before they are scaled.
fn head_row(source: Memo<DataSource>) -> Memo<Option<Row>> {
    let live = Live::expect();
    let chosen = chosen_head();
    let (query, key) = (
        recorded(chosen, Quantity::Query),
        recorded(chosen, Quantity::Key),
    );
    let keys = Memo::new(move |_| {
        let (chosen, trace) = (chosen.get()?, live.trace()?);
        let (_, keys) = trace.meta.axes(chosen.head.attention.kind);
        Some(names(keys, chosen.visible_keys(keys.len())))
    });
    let question = move || {
        if source.get() != DataSource::Head {
            return None;
        }
        let keys: Array = first_rows(&key.get()?.0, keys.get()?.len())?;
        Some(Question::Attend {
            memory: Memory {
                query: query.get()?.0.row(&[chosen.get()?.query])?.to_vec(),
                values: keys.clone(),
                keys,
            },
            // A dot product has no weights; the others are not looked at.
            parameters: ScoreParameters::Random { hidden: 1, seed: 0 },
            draws: 0,
            seed: 0,
        })
    };
    let scores = Lessons::expect().ask(question, |answer| match answer {
        Answer::Attended(made) => {
            let dot = made
                .iter()
                .find(|made| made.function == ScoreFunction::Dot)?;
            Some(dot.scores.clone())
        }
        _ => None,
    });
    Memo::new(move |_| {
        let (names, scores) = (keys.get()?, scores.answer.get()?);
        // The sentence and its scores may change one after the other.
        (names.len() == scores.len()).then_some(Row { names, scores })
    })
}

/// The row, its controls and its two softmaxes as bars.
#[component]
pub fn RowSection(row: RowSelection) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let appearance = Appearance::expect();
    let width = row.width;
    let words = move || {
        let root = (width.get() as f32).sqrt();
        format!("√{} = {}", width.get(), decimal(root, 2))
    };
    let chart = Signal::derive(move || {
        let [unscaled, scaled] = row.both()?;
        let theme = appearance.get();
        let series = |label: String, weights: Vec<f32>, index| Series {
            label: Some(label),
            values: weights,
            colors: vec![categorical(index, theme)],
        };
        Some(Bars {
            names: row.row.get()?.names,
            top: 1.0,
            marked: None,
            series: vec![
                series("softmax(s)".to_owned(), unscaled.weights, 1),
                series(format!("softmax(s / √{})", width.get()), scaled.weights, 0),
            ],
        })
    });
    view! {
        <div class="lesson-figure" data-testid="row">
            <Segmented
                label=Signal::derive(move || t_string!(i18n, scale.whose).to_owned())
                options=Signal::derive(move || vec![
                    (DataSource::Lecture, t_string!(i18n, scale.whose_lecture).to_owned()),
                    (DataSource::Head, t_string!(i18n, scale.whose_head).to_owned()),
                ])
                value=row.source
                choose=move |source| state.update_chapters(|chapters| chapters.of_mut::<Scale>().source = source)
            />
            {move || match row.source.get() {
                DataSource::Lecture => view! { <Editor /> }.into_any(),
                DataSource::Head => view! { <HeadRow row /> }.into_any(),
            }}
            <Slider
                name=Signal::derive(move || t_string!(i18n, scale.width).to_owned())
                test_id="scale-width"
                range=Scale::WIDTHS
                value=width
                words=Signal::derive(words)
                set=move |width| state.update_chapters(|chapters| chapters.of_mut::<Scale>().width = width)
            />
            <BarFigure
                name=Signal::derive(move || t_string!(i18n, scale.bars).to_owned())
                test_id="softmax-bars"
                height=230.0
                chart
            />
            <p class="hint">{move || row.row.with(|row| row.as_ref().map(scores_in_words))}</p>
            {move || (row.source.get() == DataSource::Lecture || row.row.with(Option::is_some)).then(|| {
                view! { <LessonNotice asked=row.softmax /> }
            })}
        </div>
    }
}

/// The scores of a head, which its bars do not name.
fn scores_in_words(row: &Row) -> Option<String> {
    let named = |(name, score): (&String, &f32)| format!("{name} {}", decimal(*score, 2));
    let of_tokens = row.names.first()?.parse::<f32>().is_err() && !row.names[0].starts_with('−');
    let words: Vec<_> = row.names.iter().zip(&row.scores).map(named).collect();
    of_tokens.then(|| format!("q·k: {}", words.join(", ")))
}

#[component]
fn HeadRow(row: RowSelection) -> impl IntoView {
    let i18n = use_i18n();
    let chosen = chosen_head();
    let query = recorded(chosen, Quantity::Query);
    view! {
        <HeadControls chosen with_query=true />
        {move || {
            let width = *query.get()?.0.shape.last()?;
            Some(view! { <p class="hint">{t_string!(i18n, scale.own_width, width = width)}</p> })
        }}
        <Show when=move || row.row.with(Option::is_none)>
            <p class="hint">{t!(i18n, lessons.not_recorded)}</p>
        </Show>
    }
}

/// The eight scores as fields.
#[component]
fn Editor() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let scores = state.select(|view| view.chapters.of::<Scale>().row);
    let (low, high) = Scale::SCORES;
    let field = move |index: usize| {
        view! {
            <input
                type="number"
                class="score-field number"
                data-testid="score"
                min=low
                max=high
                step="1"
                aria-label=move || t_string!(i18n, scale.score_number, number = index + 1)
                prop:value=move || scores.get()[index]
                on:change:target=move |event| {
                    if let Ok(score) = event.target().value().parse::<f64>() {
                        let score = (score.round() as i32).clamp(low, high);
                        state.update_chapters(|chapters| chapters.of_mut::<Scale>().row[index] = score);
                    }
                    // Input that is not a number is discarded: the field shows the current score again.
                    event.target().set_value(&scores.get_untracked()[index].to_string());
                }
            />
        }
    };
    view! {
        <div class="score-row" role="group" aria-label=move || t_string!(i18n, scale.scores).to_owned()>
            {(0..Scale::LECTURE.len()).map(field).collect_view()}
            <button
                type="button"
                class="plain-button"
                data-testid="reset-row"
                disabled=move || scores.get() == Scale::LECTURE
                on:click=move |_| state.update_chapters(|chapters| {
                    chapters.of_mut::<Scale>().row = Scale::LECTURE;
                })
            >
                {t!(i18n, scale.reset)}
            </button>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lectures_scores_name_themselves_and_tokens_do_not() {
        let row = lecture_row([-3, 2, 7, 12, 8, 5, 2, 1]);
        assert_eq!(row.names[0], "−3");
        assert_eq!(scores_in_words(&row), None);
        let row = Row {
            names: vec!["Je".to_owned()],
            scores: vec![-1.5],
        };
        assert_eq!(scores_in_words(&row).as_deref(), Some("q·k: Je −1.50"));
    }
}
