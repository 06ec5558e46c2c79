//! Fewer heads of keys and values by averaging, and after training: the bytes that are kept, and `log p` of texts.

use attention_core::{
    engine::{Job, Live, Second},
    i18n::{t, t_string, use_i18n},
    roles::OUR_SENTENCES,
    state::{Model, Task, View, ViewState},
    widgets::{
        ScrollRegion,
        numbers::{decimal, grouped},
    },
};
use attention_trace::{
    Generates, GroupedSum, Series, SeriesQuestion, StackSpec, positions::PositionalEncoding,
};
use leptos::prelude::*;

use super::NUMBER_BYTES;
use crate::series::{Measured, SeriesControls};

/// A row: so many heads, and the sum over the texts that were read with them.
#[derive(Clone, Debug, PartialEq)]
struct GroupRow {
    groups: usize,
    kept_bytes: usize,
    sum: Option<GroupedSum>,
}

fn rows_of(stack: &StackSpec, sums: &[GroupedSum]) -> Vec<GroupRow> {
    let counts = stack.group_counts().into_iter();
    counts.map(|groups| row_of(stack, groups, sums)).collect()
}

fn row_of(stack: &StackSpec, groups: usize, sums: &[GroupedSum]) -> GroupRow {
    GroupRow {
        groups,
        kept_bytes: stack.kept_numbers(groups) * NUMBER_BYTES,
        sum: sums.iter().find(|sum| sum.groups == groups).copied(),
    }
}

/// The sentences, read with so many heads of keys and values.
fn reading(groups: Vec<usize>) -> SeriesQuestion {
    SeriesQuestion::Grouped {
        texts: OUR_SENTENCES.lines().map(str::to_owned).collect(),
        groups,
    }
}

/// Returns the sums that are known of a series.
fn sums_of(measured: Measured) -> Vec<GroupedSum> {
    measured.read.with(|read| match &read.known {
        Some(Series::LogProbabilities { sums, .. }) => sums.clone(),
        _ => vec![],
    })
}

/// The model of sentences whose keys and values are averaged.
fn averaged_model() -> Model {
    Model::with_positions(Task::Continue, PositionalEncoding::Rope)
}

/// The model of sentences whose heads share their keys and values, which was trained on from the average of the other's.
fn trained_model() -> Model {
    Model::first(|card| card.shares_keys)
}

/// Makes the series of the trained model, in an engine of its own that starts when the series does.
fn by_trained() -> Measured {
    let wanted = RwSignal::new(false);
    let second = Second::of(move || {
        let mut view = View::default();
        view.use_model(trained_model());
        let job = Job {
            most_new: 1,
            ..Job::from(&view)
        };
        wanted.get().then_some(job)
    });
    let measured = Measured::by(
        second.live(),
        Memo::new(|_| trained_model()),
        Signal::stored(Some(reading(vec![1]))),
    );
    // An effect because what starts the engine is asked of the engine.
    Effect::new(move |_| {
        if measured.current.read().is_some() {
            wanted.set(true);
        }
    });
    measured
}

#[component]
pub fn GroupedFigure() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let stack = Memo::new(move |_| {
        let trace = live.trace()?;
        let spec = &trace.meta.spec;
        let continues = spec.generates == Generates::Continuation;
        spec.cached_stack().filter(|_| continues).cloned()
    });
    let question = Signal::derive(move || {
        let groups = stack.with(|stack| stack.as_ref().map(StackSpec::group_counts))?;
        Some(reading(groups))
    });
    let measured = Measured::new(question);
    let trained = by_trained();
    let is_average = ViewState::expect().select(|view| view.model == averaged_model());
    let rows = Memo::new(move |_| {
        let sums = sums_of(measured);
        stack.with(|stack| stack.as_ref().map(|stack| rows_of(stack, &sums)))
    });
    let trained_row = Memo::new(move |_| {
        let sums = sums_of(trained);
        let one = |stack: &StackSpec| row_of(stack, 1, &sums);
        stack.with(|stack| stack.as_ref().filter(|_| is_average.get()).map(one))
    });
    let name = Signal::derive(move || t_string!(i18n, kept.groups).to_owned());
    let table = move || {
        let rows = rows.get()?.into_iter();
        let rows = rows.map(|row| view! { <GroupCells row is_trained=false /> });
        let last = trained_row
            .get()
            .map(|row| view! { <GroupCells row is_trained=true /> });
        Some((rows.collect_view(), last))
    };
    view! {
        <section class="lesson-figure" data-testid="grouped">
            <Show
                when=move || stack.read().is_some()
                fallback=move || view! { <p class="notice">{t!(i18n, kept.lacks)}</p> }
            >
                <SeriesControls
                    measured
                    name=Signal::derive(move || t_string!(i18n, kept.average).to_owned())
                    test_id="measure-groups"
                />
                <Show when=move || is_average.get()>
                    <SeriesControls
                        measured=trained
                        name=Signal::derive(move || t_string!(i18n, kept.read_trained).to_owned())
                        test_id="measure-trained"
                    />
                </Show>
                <ScrollRegion class="lesson-table" test_id="grouped-table" name>
                    <table aria-label=name>
                        <thead>
                            <tr>
                                <th scope="col">{t!(i18n, kept.heads_left)}</th>
                                <th scope="col">{t!(i18n, kept.bytes_of_token)}</th>
                                <th scope="col">{t!(i18n, kept.sentences_read)}</th>
                                <th scope="col">{t!(i18n, kept.mean_log)}</th>
                                <th scope="col">{t!(i18n, kept.perplexity)}</th>
                            </tr>
                        </thead>
                        <tbody>{table}</tbody>
                    </table>
                </ScrollRegion>
            </Show>
        </section>
    }
}

/// A row of the table: the heads, the bytes, and what is known of the sentences.
#[component]
fn GroupCells(row: GroupRow, is_trained: bool) -> impl IntoView {
    let i18n = use_i18n();
    let measured = row.sum.map_or_else(
        || ["–".to_owned(), "–".to_owned(), "–".to_owned()],
        |sum| {
            [
                sum.texts.to_string(),
                decimal(sum.mean() as f32, 3),
                decimal(sum.perplexity() as f32, 2),
            ]
        },
    );
    let heads = move || match is_trained {
        true => t_string!(i18n, kept.trained, count = row.groups).to_string(),
        false => row.groups.to_string(),
    };
    view! {
        <tr data-groups=row.groups data-trained=is_trained.to_string()>
            <th scope="row" class="number">{heads}</th>
            <td class="number">{grouped(row.kept_bytes as u64)}</td>
            {measured.map(|cell| view! { <td class="number">{cell}</td> })}
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::config::LlamaConfig;

    use super::*;

    #[test]
    fn there_are_a_hundred_sentences_each_once() {
        let mut lines: Vec<&str> = OUR_SENTENCES.lines().collect();
        assert_eq!(lines.len(), 100);
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), 100);
    }

    #[test]
    fn one_model_is_averaged_and_another_trained_on() {
        assert_ne!(averaged_model(), trained_model());
        assert!(trained_model().card().shares_keys);
        assert!(!averaged_model().card().shares_keys);
    }

    #[test]
    fn fewer_heads_keep_fewer_bytes() {
        let spec = LlamaConfig {
            num_hidden_layers: 4,
            num_attention_heads: 6,
            hidden_size: 192,
            ..LlamaConfig::default()
        }
        .spec();
        let rows = rows_of(spec.cached_stack().unwrap(), &[]);
        let found: Vec<(usize, usize)> = rows
            .iter()
            .map(|row| (row.groups, row.kept_bytes))
            .collect();
        assert_eq!(found, [(6, 6144), (3, 3072), (2, 2048), (1, 1024)]);
    }
}
