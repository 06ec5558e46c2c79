//! Every head by how much of its weight moved: a grid of layers and heads, and a list with those that moved most first.

use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::{head_name, token_name},
    state::{AddressValue, HeadChoice, ViewState, flat},
    widgets::{ScrollRegion, Segmented, numbers::share_of_one},
};
use attention_trace::{Stack, difference::HeadDifference};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::Measured;
use crate::compare::{
    context::Comparison,
    overview::{Grid, Group, choose},
    parameters::Compare,
};

/// Decimals of a share of weight.
const DECIMALS: usize = 4;

/// The order of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SortedBy {
    /// The mean over all queries, the largest first.
    #[default]
    Mean,
    /// The largest of all queries.
    Largest,
    /// The order of layers and heads.
    Place,
}

impl AddressValue for SortedBy {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

impl SortedBy {
    /// Sorts heads that are in the order of the model.
    fn sort(self, heads: &mut [HeadDifference]) {
        let value = |head: &HeadDifference| match self {
            SortedBy::Mean => head.mean,
            SortedBy::Largest => head.largest,
            SortedBy::Place => 0.0,
        };
        heads.sort_by(|one, other| value(other).total_cmp(&value(one)));
    }
}

/// The grid and the list.
#[component]
pub fn MovedHeads() -> impl IntoView {
    let i18n = use_i18n();
    let measured = Measured::expect();
    let groups = Memo::new(move |_| Some(grouped(&measured.moved.get()?)));
    let is_small = measured.is_small;
    view! {
        <h3 class="panel-title">{t!(i18n, compare.moved)}</h3>
        <p class="hint">{t!(i18n, compare.moved_hint)}</p>
        <Show
            when=move || is_small.get()
            fallback=move || view! { <p class="hint">{t!(i18n, compare.too_long)}</p> }
        >
            <Grid groups />
            <List />
        </Show>
    }
}

/// Puts heads that are in the order of the model into a group for each kind of attention, and a row for each layer.
fn grouped(heads: &[HeadDifference]) -> Vec<Group> {
    let kinds = heads.chunk_by(|one, other| one.attention.kind == other.attention.kind);
    kinds
        .filter_map(|heads| {
            let layers = heads.chunk_by(|one, other| one.attention == other.attention);
            Some(Group {
                kind: heads.first()?.attention.kind,
                layers: layers
                    .map(|layer| layer.iter().map(|head| Some(head.mean)).collect())
                    .collect(),
            })
        })
        .collect()
}

#[component]
fn List() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let measured = Measured::expect();
    let by = state.select(|view| view.chapters.of::<Compare>().sorted_by);
    let sorted = Memo::new(move |_| {
        let mut heads = measured.moved.get().unwrap_or_default();
        by.get().sort(&mut heads);
        heads
    });
    let name = Signal::derive(move || t_string!(i18n, compare.moved_list).to_owned());
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, compare.sorted_by).to_owned())
            options=Signal::derive(move || vec![
                (SortedBy::Mean, t_string!(i18n, compare.by_mean).to_owned()),
                (SortedBy::Largest, t_string!(i18n, compare.by_largest).to_owned()),
                (SortedBy::Place, t_string!(i18n, compare.by_place).to_owned()),
            ])
            value=by
            choose=move |by| state.update_chapters(|chapters| chapters.of_mut::<Compare>().sorted_by = by)
        />
        <ScrollRegion class="lesson-table is-long precisions-list" name test_id="compare-moved">
            <table aria-label=name>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, decoding.head)}</th>
                        <th scope="col">{t!(i18n, compare.by_mean)}</th>
                        <th scope="col">{t!(i18n, compare.by_largest)}</th>
                        <th scope="col">{t!(i18n, compare.at_query)}</th>
                    </tr>
                </thead>
                <tbody>
                    {move || sorted.get().into_iter().map(|head| view! { <Row head /> }).collect_view()}
                </tbody>
            </table>
        </ScrollRegion>
    }
}

#[component]
fn Row(head: HeadDifference) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let comparison = Comparison::expect();
    let (name, token) = (head_name(), token_name());
    let choice = HeadChoice {
        attention: head.attention,
        head: head.head,
    };
    let is_chosen = move || {
        let chosen = comparison.heads.get();
        chosen.is_some_and(|[left, _]| left == choice).to_string()
    };
    // The kind of attention goes without saying where there is one.
    let words = move || {
        let meta = comparison.metas[0].get();
        match meta.is_some_and(|meta| meta.spec.kinds().len() == 1) {
            true => t_string!(
                i18n,
                compare.moved_head,
                layer = head.attention.layer + 1,
                head = head.head + 1
            ),
            false => name(head.attention, head.head),
        }
    };
    let query = move || {
        let meta = comparison.metas[0].get()?;
        let stack: Stack = head.attention.kind.stack();
        let found = meta.tokens(stack).get(head.query)?;
        Some(format!("{}. {}", head.query + 1, token(found)))
    };
    view! {
        <tr data-head=choice.to_string()>
            <th scope="row">
                <button
                    type="button"
                    class="chip"
                    data-testid="compare-moved-head"
                    aria-pressed=is_chosen
                    on:click=move |_| choose(state, choice)
                >
                    {words}
                </button>
            </th>
            <td class="number">{share_of_one(head.mean, DECIMALS)}</td>
            <td class="number">{share_of_one(head.largest, DECIMALS)}</td>
            <td>{query}</td>
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::{AttentionKind, AttentionLayer};

    use super::*;

    fn head(
        kind: AttentionKind,
        layer: usize,
        head: usize,
        mean: f32,
        largest: f32,
    ) -> HeadDifference {
        HeadDifference {
            attention: AttentionLayer { kind, layer },
            head,
            mean,
            largest,
            query: 0,
        }
    }

    fn heads() -> Vec<HeadDifference> {
        use AttentionKind::{Cross, DecoderSelf};
        vec![
            head(DecoderSelf, 0, 0, 0.1, 0.9),
            head(DecoderSelf, 0, 1, 0.3, 0.4),
            head(DecoderSelf, 1, 0, 0.2, 0.5),
            head(Cross, 0, 0, 0.3, 0.3),
        ]
    }

    #[test]
    fn the_list_starts_with_what_moved_most() {
        let sorted = |by: SortedBy| {
            let mut heads = heads();
            by.sort(&mut heads);
            heads.iter().map(|head| head.largest).collect::<Vec<_>>()
        };
        assert_eq!(sorted(SortedBy::Mean), [0.4, 0.3, 0.5, 0.9]);
        assert_eq!(sorted(SortedBy::Largest), [0.9, 0.5, 0.4, 0.3]);
        assert_eq!(sorted(SortedBy::Place), [0.9, 0.4, 0.5, 0.3]);
    }

    #[test]
    fn the_grid_has_a_row_for_each_layer_of_a_kind() {
        let groups = grouped(&heads());
        let shapes: Vec<_> = groups
            .iter()
            .map(|group| {
                (
                    group.kind,
                    group.layers.iter().map(Vec::len).collect::<Vec<_>>(),
                )
            })
            .collect();
        let expected = [
            (AttentionKind::DecoderSelf, vec![2, 1]),
            (AttentionKind::Cross, vec![1]),
        ];
        assert_eq!(shapes, expected);
        assert_eq!(groups[0].layers[1], [Some(0.2)]);
    }
}
