//! The maps in words: the cell under the cursor, the largest differences, how the tokens are aligned.

use attention_core::{
    i18n::{Locale, t, t_string, use_i18n},
    names::{name_of, token_name},
    state::Cell,
    widgets::{
        Finding, KeyHint,
        numbers::{share_of_one, signed_share},
    },
};
use attention_figures::difference::{largest, mean_size};
use attention_trace::Token;
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::{
    align::Fit,
    axes::{Axes, Axis, Maps, Side},
    context::Comparison,
};

/// Differences that are listed.
const LISTED: usize = 5;
/// Decimals of a cell that is read.
const DECIMALS: usize = 4;

/// Returns the name of a place of an axis: the token of both sides, or the two tokens.
pub fn place_name(i18n: I18nContext<Locale>, axis: &Axis, at: usize) -> String {
    let name = |side| {
        axis.token(side, at)
            .map(|token: &Token| name_of(i18n, token))
    };
    let is_replaced = axis
        .places
        .get(at)
        .is_some_and(|place| place.fit == Fit::Replaced);
    match (name(Side::Left), name(Side::Right)) {
        (Some(left), Some(right)) if is_replaced => format!("{left} ⇄ {right}"),
        (left, right) => left.or(right).unwrap_or_default(),
    }
}

/// The cell under the cursor, in all three maps at once.
#[component]
pub fn Readout() -> impl IntoView {
    let i18n = use_i18n();
    let comparison = Comparison::expect();
    let words = Memo::new(move |_| {
        let cell = comparison.cell()?;
        let (axes, maps) = (comparison.axes.get()?, comparison.maps.get()?);
        cell_words(i18n, &axes, &maps, cell)
    });
    let is_locked =
        Memo::new(move |_| comparison.cell().is_some() && comparison.cell() == comparison.locked());
    view! {
        <div
            class="compare-readout"
            class:is-reading=move || words.read().is_some()
            id="compare-readout" role="status" data-testid="compare-readout">
            <p class="number">
                {move || words.get().unwrap_or_else(|| t_string!(i18n, compare.hint).to_owned())}
            </p>
            <Show when=move || is_locked.get()>
                <p class="hint">
                    {t!(i18n, compare.locked)}
                    <KeyHint>{t!(i18n, heads.locked_keys)}</KeyHint>
                </p>
            </Show>
        </div>
    }
}

fn cell_words(i18n: I18nContext<Locale>, axes: &Axes, maps: &Maps, cell: Cell) -> Option<String> {
    let cell = maps.inside(cell)?;
    let query = place_name(i18n, &axes.queries, cell.query);
    let key = place_name(i18n, &axes.keys, cell.key);
    let value = |of: &[f32]| {
        maps.value(of, cell)
            .map(|value| share_of_one(value, DECIMALS))
    };
    let between = maps
        .value(&maps.between, cell)
        .map(|value| signed_share(value, DECIMALS));
    Some(match (value(&maps.left), value(&maps.right), between) {
        (Some(left), Some(right), Some(difference)) => t_string!(
            i18n,
            compare.reading,
            query = query,
            key = key,
            left = left,
            right = right,
            difference = difference
        ),
        (Some(left), ..) => t_string!(
            i18n,
            compare.left_alone,
            query = query,
            key = key,
            left = left
        ),
        (_, Some(right), _) => {
            t_string!(
                i18n,
                compare.right_alone,
                query = query,
                key = key,
                right = right
            )
        }
        _ => t_string!(i18n, compare.neither, query = query, key = key),
    })
}

/// A difference of the list.
#[derive(Clone, Debug, PartialEq)]
struct Large {
    cell: Cell,
    words: String,
}

/// The largest differences: a sentence, and a list whose entries lock their cells.
#[component]
pub fn Largest() -> impl IntoView {
    let i18n = use_i18n();
    let comparison = Comparison::expect();
    let places = Memo::new(move |_| {
        comparison.maps.with(|maps| {
            let maps = maps.as_ref()?;
            Some(largest(&maps.between, LISTED))
        })
    });
    let summary = Memo::new(move |_| {
        let places = places.get()?;
        let (axes, maps) = (comparison.axes.get()?, comparison.maps.get()?);
        Some(summary(i18n, &axes, &maps, &places))
    });
    Finding::tell(move || summary.get());
    let listed = Memo::new(move |_| {
        let (axes, maps) = (comparison.axes.get()?, comparison.maps.get()?);
        let large = |place| {
            let cell = maps.cell(place);
            Some(Large {
                words: cell_in_short(i18n, &axes, &maps, cell)?,
                cell,
            })
        };
        places
            .get()?
            .into_iter()
            .map(large)
            .collect::<Option<Vec<_>>>()
    });
    let entry = move |Large { cell, words }: Large| {
        view! {
            <li>
                <button
                    type="button"
                    class="link-button number"
                    data-testid="compare-large"
                    aria-pressed=move || (comparison.locked() == Some(cell)).to_string()
                    on:click=move |_| comparison.click(cell)
                >
                    {words}
                </button>
            </li>
        }
    };
    view! {
        <p class="lesson-reading number" role="status" data-testid="compare-summary">{summary}</p>
        <Show when=move || listed.with(|listed| listed.as_ref().is_some_and(|listed| !listed.is_empty()))>
            <h3 class="panel-title">{t!(i18n, compare.largest_title)}</h3>
            <ol class="compare-largest" data-testid="compare-largest">
                {move || listed.get().unwrap_or_default().into_iter().map(entry).collect_view()}
            </ol>
        </Show>
    }
}

fn summary(i18n: I18nContext<Locale>, axes: &Axes, maps: &Maps, places: &[usize]) -> String {
    let count = maps.compared();
    if count == 0 {
        return t_string!(i18n, compare.no_partners).to_owned();
    }
    let Some(&first) = places.first() else {
        return t_string!(i18n, compare.same, count = count);
    };
    let cell = maps.cell(first);
    let value = |of: &[f32]| {
        maps.value(of, cell)
            .map_or_else(String::new, |value| share_of_one(value, 2))
    };
    let mean = mean_size(maps.between.iter().copied()).unwrap_or_default();
    t_string!(
        i18n,
        compare.largest,
        query = place_name(i18n, &axes.queries, cell.query),
        key = place_name(i18n, &axes.keys, cell.key),
        left = value(&maps.left),
        right = value(&maps.right),
        mean = share_of_one(mean, DECIMALS),
        count = count
    )
}

fn cell_in_short(
    i18n: I18nContext<Locale>,
    axes: &Axes,
    maps: &Maps,
    cell: Cell,
) -> Option<String> {
    Some(t_string!(
        i18n,
        compare.large,
        query = place_name(i18n, &axes.queries, cell.query),
        key = place_name(i18n, &axes.keys, cell.key),
        left = share_of_one(maps.value(&maps.left, cell)?, DECIMALS),
        right = share_of_one(maps.value(&maps.right, cell)?, DECIMALS),
        difference = signed_share(maps.value(&maps.between, cell)?, DECIMALS)
    ))
}

/// Sentences on the alignment of the tokens, if the sides differ, and on tokens unknown to the right model.
#[component]
pub fn Alignment() -> impl IntoView {
    let i18n = use_i18n();
    let comparison = Comparison::expect();
    let counts = Memo::new(move |_| {
        comparison.axes.with(|axes| {
            let axes = axes.as_ref()?;
            let count = |fit| axes.queries.count(fit) + axes.keys.count(fit);
            Some([Fit::Same, Fit::Replaced, Fit::Alone].map(count))
        })
    });
    let words = move || {
        let [same, replaced, alone] = counts.get()?;
        (replaced + alone > 0).then(|| {
            t_string!(
                i18n,
                compare.alignment,
                same = same,
                replaced = replaced,
                alone = alone
            )
        })
    };
    let name = token_name();
    let unknown = Memo::new(move |_| {
        comparison.axes.with(|axes| {
            let axes = axes.as_ref()?;
            let mut unknown: Vec<String> = vec![];
            for token in [&axes.queries, &axes.keys]
                .map(|axis| axis.tokens(Side::Right))
                .concat()
            {
                let text = name(&token);
                if token.unknown && !unknown.contains(&text) {
                    unknown.push(text);
                }
            }
            (!unknown.is_empty()).then(|| unknown.join(" "))
        })
    });
    view! {
        <Show when=move || counts.get().is_some_and(|[_, replaced, alone]| replaced + alone > 0)>
            <p class="hint" data-testid="compare-alignment">{words}</p>
        </Show>
        <Show when=move || unknown.read().is_some()>
            <p class="notice" data-testid="compare-unknown">
                {move || t_string!(i18n, compare.unknown, tokens = unknown.get().unwrap_or_default())}
            </p>
        </Show>
    }
}
