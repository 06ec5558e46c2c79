//! Fewer heads of keys and values by averaging: the bytes that are kept, and `log p` of texts.

use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    roles::OUR_SENTENCES,
    widgets::{
        ScrollRegion,
        numbers::{decimal, grouped},
    },
};
use attention_trace::{Generates, GroupedSum, Series, SeriesQuestion, StackSpec};
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
    let row = |groups| GroupRow {
        groups,
        kept_bytes: stack.kept_numbers(groups) * NUMBER_BYTES,
        sum: sums.iter().find(|sum| sum.groups == groups).copied(),
    };
    counts.map(row).collect()
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
        Some(SeriesQuestion::Grouped {
            texts: OUR_SENTENCES.lines().map(str::to_owned).collect(),
            groups,
        })
    });
    let measured = Measured::new(question);
    let rows = Memo::new(move |_| {
        let sums = measured.read.with(|read| match &read.known {
            Some(Series::LogProbabilities { sums, .. }) => sums.clone(),
            _ => vec![],
        });
        stack.with(|stack| stack.as_ref().map(|stack| rows_of(stack, &sums)))
    });
    let name = Signal::derive(move || t_string!(i18n, kept.groups).to_owned());
    let table = move || {
        let rows = rows.get()?.into_iter().map(|row| {
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
            view! {
                <tr data-groups=row.groups>
                    <th scope="row" class="number">{row.groups}</th>
                    <td class="number">{grouped(row.kept_bytes as u64)}</td>
                    {measured.map(|cell| view! { <td class="number">{cell}</td> })}
                </tr>
            }
        });
        Some(rows.collect_view())
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
