//! A small grid of layers and heads, coloured by the difference of each head; a click chooses a head.

use crate::compare::parameters::{Compare, Compared};
use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    names::{head_name, kind_name},
    state::{HeadChoice, HeadPlace, ViewState},
    widgets::{ScrollRegion, numbers::share_of_one},
};
use attention_figures::{Theme, color};
use attention_protocol::OrLogged;
use attention_trace::{Array, AttentionKind, AttentionLayer, Excerpt, Quantity, Slice, TraceMeta};
use leptos::{ev::KeyboardEvent, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::{axes::Axes, context::Comparison};

/// The most numbers that the maps of all heads of a side may have: those of a longer text are not compared.
pub const MOST_NUMBERS: usize = 4 << 20;
/// Decimals of a difference.
const DECIMALS: usize = 3;

/// The heads of a kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub kind: AttentionKind,
    /// The mean difference of each head of each layer.
    pub layers: Vec<Vec<Option<f32>>>,
}

#[component]
pub fn Overview() -> impl IntoView {
    let i18n = use_i18n();
    let comparison = Comparison::expect();
    let is_one_head = matches!(comparison.of, Compared::Heads | Compared::Models);
    let metas = comparison.metas;
    let listed = Memo::new(move |_| {
        let [one, other] = comparison.heads.get()?;
        let right = metas[1].get()?;
        let kinds = match is_one_head {
            true => vec![other.attention.kind],
            false => right.spec.kinds(),
        };
        Some((kinds, is_one_head.then_some(one)))
    });
    let is_small = Memo::new(move |_| {
        let small = |meta: &TraceMeta| numbers(meta) <= MOST_NUMBERS;
        metas
            .iter()
            .all(|meta| meta.with(|meta| meta.as_ref().is_some_and(|meta| small(meta))))
    });
    let wanted = Memo::new(move |_| {
        let none = || [Vec::new(), Vec::new()];
        let (Some((kinds, with)), true) = (listed.get(), is_small.get()) else {
            return none();
        };
        let [_, Some(right)] = metas.map(|meta| meta.get()) else {
            return none();
        };
        let right: Vec<Excerpt> = layers(&right, &kinds).into_iter().map(whole).collect();
        let left = match with {
            Some(head) => vec![whole(head.attention)],
            None => right.clone(),
        };
        [left, right]
    });
    let [left, right] = comparison.arrays(wanted);
    let groups = Memo::new(move |_| {
        let (kinds, with) = listed.get()?;
        let metas = metas.map(|meta| meta.get());
        let [Some(left_meta), Some(right_meta)] = metas else {
            return None;
        };
        let (left, right) = (left.get()?, right.get()?);
        if right.is_empty() {
            return None;
        }
        let mut right = right.into_iter();
        let mut left = left.into_iter();
        let shared = with.is_some().then(|| left.next()).flatten();
        let mut group = |kind: AttentionKind| {
            let of_left = with.map_or(kind, |head| head.attention.kind);
            let axes = Axes::of([(&*left_meta, of_left), (&*right_meta, kind)]);
            let layers = (0..right_meta.spec.layers(kind)).map(|_| {
                let theirs = right.next()?;
                let own = shared.clone().or_else(|| left.next())?;
                Some(of_layer(&axes, &own.0, &theirs.0, with))
            });
            Some(Group {
                kind,
                layers: layers.collect::<Option<_>>()?,
            })
        };
        kinds
            .into_iter()
            .map(&mut group)
            .collect::<Option<Vec<_>>>()
    });
    let hint = move || match comparison.of {
        Compared::Heads => t_string!(i18n, compare.overview_heads),
        Compared::Models => t_string!(i18n, compare.overview_models),
        Compared::Texts | Compared::Edits | Compared::Precisions => {
            t_string!(i18n, compare.overview_all)
        }
    };
    view! {
        <h3 class="panel-title">{t!(i18n, compare.overview)}</h3>
        <p class="hint">{hint}</p>
        <Show
            when=move || is_small.get()
            fallback=move || view! { <p class="hint">{t!(i18n, compare.too_long)}</p> }
        >
            <Grid groups />
        </Show>
    }
}

/// Returns the number of weights in the maps of all heads.
pub fn numbers(meta: &TraceMeta) -> usize {
    let of = |kind: AttentionKind| {
        let (queries, keys) = meta.axes(kind);
        meta.spec.layers(kind) * meta.spec.heads(kind) * queries.len() * keys.len()
    };
    meta.spec.kinds().into_iter().map(of).sum()
}

pub fn layers(meta: &TraceMeta, kinds: &[AttentionKind]) -> Vec<AttentionLayer> {
    let of = |&kind: &AttentionKind| {
        (0..meta.spec.layers(kind)).map(move |layer| AttentionLayer { kind, layer })
    };
    kinds.iter().flat_map(of).collect()
}

pub fn whole(attention: AttentionLayer) -> Excerpt {
    Excerpt::new(attention.at(Quantity::Pattern), Slice::Whole)
}

/// The mean difference of each head of a layer.
fn of_layer(
    axes: &Axes,
    left: &Array,
    right: &Array,
    with: Option<HeadChoice>,
) -> Vec<Option<f32>> {
    let heads = right.shape.first().copied().unwrap_or(0);
    let of = |head: usize| {
        let own = with.map_or(head, |with| with.head);
        axes.mean_difference([(left, own), (right, head)])
    };
    (0..heads).map(of).collect()
}

/// The heads of all kinds in small.
#[component]
pub fn Grid(groups: Memo<Option<Vec<Group>>>) -> impl IntoView {
    let i18n = use_i18n();
    let of = Comparison::expect().of;
    let largest = Memo::new(move |_| {
        groups.with(|groups| {
            let groups = groups.iter().flatten();
            let values = groups.flat_map(|group| group.layers.iter().flatten().flatten());
            values.copied().fold(0.0, f32::max)
        })
    });
    view! {
        <Show
            when=move || groups.read().is_some()
            fallback=move || view! { <p class="hint">{t!(i18n, chapters.waiting)}</p> }
        >
            <div class="compare-grids" data-testid="compare-overview">
                {move || groups.get().into_iter().flatten().map(|group| view! {
                    <Heads group largest />
                }).collect_view()}
            </div>
            <p class="hint number">
                {move || {
                    let largest = share_of_one(largest.get(), DECIMALS);
                    match of {
                        Compared::Precisions => t_string!(i18n, compare.moved_scale, largest = largest),
                        _ => t_string!(i18n, compare.overview_scale, largest = largest),
                    }
                }}
            </p>
        </Show>
    }
}

/// The heads of a kind as a table: a row for each layer.
#[component]
fn Heads(group: Group, largest: Memo<f32>) -> impl IntoView {
    let i18n = use_i18n();
    let kind = group.kind;
    let name = kind_name();
    let count = group.layers.first().map_or(0, Vec::len);
    let layer = move |(layer, heads): (usize, Vec<Option<f32>>)| {
        let head = move |(head, value): (usize, Option<f32>)| {
            let choice = HeadChoice {
                attention: AttentionLayer { kind, layer },
                head,
            };
            view! { <td><Head choice value largest /></td> }
        };
        view! {
            <tr>
                <th scope="row">{layer + 1}</th>
                {heads.into_iter().enumerate().map(head).collect_view()}
            </tr>
        }
    };
    view! {
        <ScrollRegion name=Signal::derive(move || name(kind)) class="compare-grid">
            <table on:keydown=on_key>
                <caption>{move || name(kind)}</caption>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, compare.layer_and_head)}</th>
                        {(1..=count).map(|head| view! { <th scope="col">{head}</th> }).collect_view()}
                    </tr>
                </thead>
                <tbody>{group.layers.into_iter().enumerate().map(layer).collect_view()}</tbody>
            </table>
        </ScrollRegion>
    }
}

/// A head, shaded by its mean difference; a click chooses it.
#[component]
fn Head(choice: HeadChoice, value: Option<f32>, largest: Memo<f32>) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let appearance = Appearance::expect();
    let comparison = Comparison::expect();
    let name = head_name();
    let style = move || {
        value.map(|value| {
            shade(
                value / largest.get().max(f32::MIN_POSITIVE),
                appearance.get(),
            )
        })
    };
    let written = value.map_or_else(|| "–".to_owned(), |value| share_of_one(value, DECIMALS));
    let label = {
        let written = written.clone();
        move || {
            let (head, mean) = (name(choice.attention, choice.head), written.clone());
            match comparison.of {
                Compared::Precisions => {
                    t_string!(i18n, compare.head_moved, head = head, mean = mean)
                }
                _ => t_string!(i18n, compare.head_differs, head = head, mean = mean),
            }
        }
    };
    let is_chosen = Memo::new(move |_| {
        comparison
            .heads
            .get()
            .is_some_and(|[_, right]| right == choice)
    });
    // One head of each table is reached by Tab, the others from there by arrow keys.
    let is_entrance = Memo::new(move |_| {
        let chosen = comparison.heads.get().map(|[_, right]| right);
        let is_elsewhere =
            chosen.is_none_or(|chosen| chosen.attention.kind != choice.attention.kind);
        is_elsewhere && (choice.attention.layer, choice.head) == (0, 0)
    });
    let take = move |_| match comparison.of {
        Compared::Heads | Compared::Models => {
            state.update_chapters(|chapters| chapters.of_mut::<Compare>().head = Some(choice));
        }
        Compared::Texts | Compared::Edits | Compared::Precisions => choose(state, choice),
    };
    view! {
        <button
            type="button"
            class="compare-thumb number"
            data-testid="compare-thumb"
            data-head=choice.to_string()
            tabindex=move || if is_chosen.get() || is_entrance.get() { 0 } else { -1 }
            aria-label=label.clone()
            title=label
            aria-pressed=move || is_chosen.get().to_string()
            style=style
            on:click=take
        >
            {written}
        </button>
    }
}

/// Chooses a head for both sides.
pub fn choose(state: ViewState, choice: HeadChoice) {
    state.update(|view| {
        if view.kind() != choice.attention.kind {
            view.use_kind(choice.attention.kind);
        }
        view.use_heads(&[HeadPlace {
            layer: choice.attention.layer,
            head: choice.head,
        }]);
    });
}

fn shade(share: f32, theme: Theme) -> String {
    let background = color::sequential(share, theme);
    let ink = color::ink_on(background);
    format!(
        "background: {}; color: {}",
        color::css(background),
        color::css(ink)
    )
}

/// Arrow keys go to a neighbour of the focused head and choose it.
fn on_key(event: KeyboardEvent) {
    let (rows, columns) = match event.key().as_str() {
        "ArrowUp" => (-1, 0),
        "ArrowDown" => (1, 0),
        "ArrowLeft" => (0, -1),
        "ArrowRight" => (0, 1),
        _ => return,
    };
    let from = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    if let Some(button) = from.and_then(|from| neighbour(&from, rows, columns)) {
        event.prevent_default();
        button.focus().or_logged("moving the focus");
        button.click();
    }
}

/// The head so many rows down and columns to the right in the same table.
fn neighbour(from: &Element, rows: isize, columns: isize) -> Option<HtmlElement> {
    let table = from.closest("table").or_logged("finding a head")??;
    let at: HeadChoice = from.get_attribute("data-head")?.parse().ok()?;
    let there = HeadChoice {
        attention: AttentionLayer {
            layer: at.attention.layer.checked_add_signed(rows)?,
            ..at.attention
        },
        head: at.head.checked_add_signed(columns)?,
    };
    let found = table
        .query_selector(&format!("[data-head='{there}']"))
        .or_logged("finding a head")??;
    found.dyn_into().ok()
}

#[cfg(test)]
mod tests {
    use attention_trace::{Token, config::MarianConfig};

    use super::*;

    fn meta(tokens: usize) -> TraceMeta {
        let config = MarianConfig {
            encoder_layers: 2,
            decoder_layers: 1,
            encoder_attention_heads: 2,
            decoder_attention_heads: 2,
            ..MarianConfig::default()
        };
        let token = |id| Token {
            id,
            text: format!("▁{id}"),
            unknown: false,
        };
        TraceMeta {
            spec: config.spec(),
            source: (0..tokens as u32).map(token).collect(),
            target: (0..2).map(token).collect(),
            pieces: attention_trace::Pieces::default(),
        }
    }

    #[test]
    fn all_maps_of_a_model_are_counted() {
        // Two layers of two heads over 3 × 3, one of 2 × 2 and one of 2 × 3.
        assert_eq!(numbers(&meta(3)), 4 * 9 + 2 * 4 + 2 * 6);
        let kinds = meta(3).spec.kinds();
        assert_eq!(layers(&meta(3), &kinds).len(), 4);
    }

    #[test]
    fn a_head_is_compared_with_itself_or_with_the_one_that_is_chosen() {
        let meta = meta(1);
        let kind = AttentionKind::EncoderSelf;
        let axes = Axes::of([(&meta, kind), (&meta, kind)]);
        let layer = |data: [f32; 2]| Array {
            shape: vec![2, 1, 1],
            data: data.to_vec(),
        };
        let (left, right) = (layer([0.25, 1.0]), layer([0.5, 0.0]));
        let own = of_layer(&axes, &left, &right, None);
        assert_eq!(own, [Some(0.25), Some(1.0)]);
        let with = "encoder.0.1".parse().ok();
        assert_eq!(of_layer(&axes, &left, &right, with), [Some(0.5), Some(1.0)]);
    }
}
