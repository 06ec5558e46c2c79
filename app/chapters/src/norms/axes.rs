//! Three norms on the same activations: their axes and their results.

use attention_protocol::lessons::{Answer, Question};
use attention_trace::{
    Array, Quantity,
    lessons::{NormKind, Normed},
};
use leptos::prelude::*;

use crate::{
    follow::{Derivation, FollowContext, Normalised, Operation, axes, explained},
    norms::parameters::{Norm, Norms},
};
use attention_core::{
    i18n::{t_string, use_i18n},
    lessons::{Asked, LessonNotice, Lessons},
    state::ViewState,
    widgets::{
        Expected, Prompt, Prose, Segmented,
        inspector::{Inspected, Inspector},
        matrix::{Marks, Matrix, MatrixFigure},
        numbers::decimal,
    },
};

/// The most tokens whose activations are normalised: a batch of a class, not of a data centre.
const MOST_TOKENS: usize = 12;

/// Converts a norm to burn's kind.
fn kind(norm: Norm) -> NormKind {
    match norm {
        Norm::Layer => NormKind::Layer,
        Norm::Rms => NormKind::Rms,
        Norm::Batch => NormKind::Batch,
    }
}

/// The part of the text that explains a norm.
fn part(norm: Norm) -> &'static str {
    match norm {
        Norm::Layer => "layer-norm",
        Norm::Rms => "rms-norm",
        Norm::Batch => "batch-norm",
    }
}

/// Returns the formula of a norm's divisor.
fn spread(norm: Norm) -> &'static str {
    match norm {
        Norm::Layer | Norm::Batch => "σ",
        Norm::Rms => "RMS",
    }
}

/// The activations, the chosen norm, and the normalised activations.
#[component]
pub fn Axes() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = FollowContext::expect();
    let norm = state.select(|view| view.chapters.of::<Norms>().norm);
    let all = context.whole(|sites| sites.attention().at(Quantity::Residual));
    let activations = Memo::new(move |_| {
        all.with(|array| {
            let &[rows, columns] = array.shape.as_slice() else {
                return None;
            };
            let rows = rows.min(MOST_TOKENS);
            Some(Array {
                shape: vec![1, rows, columns],
                data: array.data[..rows * columns].to_vec(),
            })
        })?
    });
    let asked = Lessons::expect().ask(
        move || {
            Some(Question::Norm {
                norm: kind(norm.get()),
                activations: activations.get()?,
            })
        },
        |answer| match answer {
            Answer::Normed(normed) => Some(normed.clone()),
            _ => None,
        },
    );
    let figure = Figure {
        context,
        norm,
        activations,
        asked,
    };
    view! {
        <section class="chapter-section" data-testid="norm-axes">
            <Prose part="three-norms" />
            <Segmented
                label=Signal::derive(move || t_string!(i18n, norms.norm).to_owned())
                options=Signal::derive(|| vec![
                    (Norm::Layer, "LayerNorm".to_owned()),
                    (Norm::Rms, "RMSNorm".to_owned()),
                    (Norm::Batch, "BatchNorm".to_owned()),
                ])
                value=norm
                choose=move |norm| state.update_chapters(|chapters| chapters.of_mut::<Norms>().norm = norm)
            />
            {move || view! { <Prose part=part(norm.get()) /> }}
            <LessonNotice asked />
            <Inspected inspector=Inspector::default()>
                <Matrices figure />
            </Inspected>
            <Prompt
                question="predict-norm"
                answer="answer-norm"
                values=figure.row_after()
                asks=Signal::derive(move || t_string!(i18n, predictions.deviation).to_owned())
                expected=figure.expected()
            />
        </section>
    }
}

#[derive(Clone, Copy)]
struct Figure {
    context: FollowContext,
    norm: Memo<Norm>,
    activations: Memo<Option<Array>>,
    asked: Asked<Normed>,
}

impl Figure {
    fn labelled(self, array: &Array) -> Matrix {
        let columns = array.shape.last().copied().unwrap_or(1);
        let labels = self.context.query_labels();
        let labels = labels.iter().take(MOST_TOKENS).cloned();
        Matrix::new(array.data.as_slice(), columns).with_rows(labels.collect::<Vec<_>>())
    }

    fn before(self) -> Signal<Option<Matrix>> {
        Signal::derive(move || Some(self.labelled(self.activations.read().as_ref()?)))
    }

    fn after(self) -> Signal<Option<Matrix>> {
        Signal::derive(move || {
            let asked = self.asked.answer.read();
            Some(self.labelled(&asked.as_ref()?.activations))
        })
    }

    /// Returns the shift and the divisor of each group: a column for rows, a row for columns.
    fn statistics(self) -> Signal<Option<Matrix>> {
        Signal::derive(move || {
            let asked = self.asked.answer.read();
            let normed = asked.as_ref()?;
            let spread = spread(self.norm.get()).to_owned();
            let labels = self.context.query_labels();
            let tokens: Vec<String> = labels.iter().take(MOST_TOKENS).cloned().collect();
            Some(match normed.kind {
                NormKind::Batch => {
                    let values = [normed.centre.as_slice(), &normed.spread].concat();
                    Matrix::new(values, normed.spread.len()).with_rows(vec!["μ".to_owned(), spread])
                }
                NormKind::Layer => {
                    let pairs = normed.centre.iter().zip(&normed.spread);
                    let values: Vec<f32> =
                        pairs.flat_map(|(&mean, &spread)| [mean, spread]).collect();
                    Matrix::new(values, 2)
                        .with_rows(tokens)
                        .with_columns(vec!["μ".to_owned(), spread])
                }
                NormKind::Rms => Matrix::new(normed.spread.as_slice(), 1)
                    .with_rows(tokens)
                    .with_columns(vec![spread]),
            })
        })
    }

    /// Returns the group of a cell: its column for BatchNorm, its row otherwise.
    fn group(self, row: usize, column: usize) -> usize {
        match self.norm.get() {
            Norm::Batch => column,
            Norm::Layer | Norm::Rms => row,
        }
    }

    fn made(self, row: usize, column: usize) -> Option<Derivation> {
        let asked = self.asked.answer.read();
        let normed = asked.as_ref()?;
        let group = self.group(row, column);
        let rms = normed.kind == NormKind::Rms;
        Some(Derivation {
            place: vec![
                self.context.query_labels().get(row)?.clone(),
                format!("c = {}", column + 1),
            ],
            value: normed.activations.row(&[0, row])?.get(column).copied()?,
            operation: Operation::Normalised(Normalised {
                input: self
                    .activations
                    .read()
                    .as_ref()?
                    .row(&[0, row])?
                    .get(column)
                    .copied()?,
                mean: normed.centre.get(group).copied().filter(|_| !rms),
                spread: normed.spread.get(group).copied()?,
                gain: None,
                bias: None,
            }),
        })
    }

    /// Returns the query's position, with the mean and standard deviation of its row after the norm.
    fn moments_after(self) -> Option<(usize, (f32, f32))> {
        let asked = self.asked.answer.read();
        let normed = asked.as_ref()?;
        let rows = normed.activations.shape.get(1).copied()?;
        let query = self.context.query().min(rows.saturating_sub(1));
        Some((query, moments(normed.activations.row(&[0, query])?)))
    }

    fn expected(self) -> Signal<Option<Expected>> {
        Signal::derive(move || {
            let (_, (_, deviation)) = self.moments_after()?;
            Some(Expected::about(deviation, 0.05))
        })
    }

    fn row_after(self) -> Signal<Option<Vec<(&'static str, String)>>> {
        Signal::derive(move || {
            let (query, (mean, deviation)) = self.moments_after()?;
            Some(vec![
                ("token", self.context.query_labels().get(query)?.clone()),
                ("mean", decimal(mean, 3)),
                ("deviation", decimal(deviation, 3)),
            ])
        })
    }
}

/// Returns the mean and the standard deviation.
fn moments(values: &[f32]) -> (f32, f32) {
    let count = values.len().max(1) as f32;
    let mean = values.iter().sum::<f32>() / count;
    let squares = values.iter().map(|value| (value - mean).powi(2));
    (mean, (squares.sum::<f32>() / count).sqrt())
}

#[component]
fn Matrices(figure: Figure) -> impl IntoView {
    let i18n = use_i18n();
    let inspector = Inspector::expect();
    // The group over which the norm was taken.
    let marks = Signal::derive(move || {
        let seen = inspector
            .of("normed")
            .or_else(|| inspector.of("activations"));
        let (row, column) = seen.unwrap_or((figure.context.query(), 0));
        match figure.norm.get() {
            Norm::Batch => Marks {
                row: None,
                column: Some(column),
            },
            Norm::Layer | Norm::Rms => Marks {
                row: Some(row),
                column: None,
            },
        }
    });
    let given = explained(move |row, column| {
        let activations = figure.activations.read();
        Some(Derivation {
            place: vec![
                figure.context.query_labels().get(row)?.clone(),
                format!("c = {}", column + 1),
            ],
            value: activations.as_ref()?.row(&[0, row])?.get(column).copied()?,
            operation: Operation::Given,
        })
    });
    let statistics = figure.statistics();
    let statistic = explained(move |row, column| {
        let matrix = statistics.get()?;
        let name = |labels: &[String], index: usize| labels.get(index).cloned();
        let names = [
            name(&matrix.row_labels, row),
            name(&matrix.column_labels, column),
        ];
        Some(Derivation {
            place: names.into_iter().flatten().collect(),
            value: matrix.value(row, column)?,
            operation: Operation::Given,
        })
    });
    view! {
        <div class="equation">
            <MatrixFigure
                id="activations"
                symbol="<math><mi>X</mi></math>"
                name=Signal::derive(move || t_string!(i18n, norms.activations).to_owned())
                matrix=figure.before()
                rows=axes::QUERIES
                columns=axes::WIDTH
                marks
                describe=given
            />
            <MatrixFigure
                id="statistics"
                symbol="<math><mi>μ</mi><mo>,</mo><mi>σ</mi></math>"
                name=Signal::derive(move || t_string!(i18n, norms.statistics).to_owned())
                matrix=statistics
                describe=statistic
            />
            <MatrixFigure
                id="normed"
                symbol="<math><mover><mi>X</mi><mo>^</mo></mover></math>"
                name=Signal::derive(move || t_string!(i18n, norms.normed).to_owned())
                matrix=figure.after()
                rows=axes::QUERIES
                columns=axes::WIDTH
                marks
                describe=explained(move |row, column| figure.made(row, column))
            />
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::moments;

    #[test]
    fn moments_are_mean_and_standard_deviation() {
        assert_eq!(moments(&[1.0, 3.0]), (2.0, 1.0));
        assert_eq!(moments(&[]), (0.0, 0.0));
    }
}
