//! Which head and which token are followed.

use attention_trace::AttentionKind;
use leptos::prelude::*;

use super::context::{FollowContext, Place};
use crate::{
    controls::Select,
    heads::TokenLabel,
    i18n::{t, t_string, use_i18n},
    shell::Segmented,
    state::{Cell, ViewState},
};

/// The kind of attention, the layer, the head, and the token that asks; the worked example has but one
/// head.
#[component]
pub fn HeadPicker(
    /// Whether a head is chosen, or a layer alone.
    with_head: bool,
) -> impl IntoView {
    let context = FollowContext::expect();
    view! {
        <div class="follow-head" data-testid="follow-head">
            <Show when=move || !context.is_example()>
                <Kinds />
                <HeadSelects with_head />
            </Show>
            <Queries />
        </div>
    }
}

#[component]
fn Kinds() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = FollowContext::expect();
    let name = move |kind| match kind {
        AttentionKind::EncoderSelf => t_string!(i18n, heads.encoder_self),
        AttentionKind::DecoderSelf => t_string!(i18n, heads.decoder_self),
        AttentionKind::Cross => t_string!(i18n, heads.cross),
    };
    let kinds = Memo::new(move |_| {
        context
            .with_place(|place| place.meta.kinds())
            .unwrap_or_default()
    });
    let chosen = Signal::derive(move || {
        context
            .with_place(|place| place.choice.site.kind)
            .unwrap_or(AttentionKind::Cross)
    });
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, heads.kind).to_owned())
            options=Signal::derive(move || {
                let kinds = kinds.get().iter();
                kinds.map(|&kind| (kind, name(kind).to_owned())).collect()
            })
            value=chosen
            choose=move |kind| state.set_kind(kind)
        />
    }
}

/// Counted from 1, as everywhere on the page.
fn counted(count: usize) -> Vec<String> {
    (1..=count).map(|number| number.to_string()).collect()
}

#[component]
fn HeadSelects(with_head: bool) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = FollowContext::expect();
    let sizes = Memo::new(move |_| {
        context.with_place(|Place { meta, choice, .. }| {
            let layers = meta.layers(choice.site.kind);
            (layers, meta.heads, choice.site.layer, choice.head)
        })
    });
    move || {
        sizes.get().map(|(layers, heads, layer, head)| {
            view! {
                <Select
                    name=Signal::derive(move || t_string!(i18n, decoding.layer).to_owned())
                    test_id="follow-layer"
                    options=counted(layers)
                    chosen=layer
                    choose=move |layer| state.set_head(layer, head)
                />
                {with_head.then(|| view! {
                    <Select
                        name=Signal::derive(move || t_string!(i18n, decoding.head).to_owned())
                        test_id="follow-head-number"
                        options=counted(heads)
                        chosen=head
                        choose=move |head| state.set_head(layer, head)
                    />
                })}
            }
        })
    }
}

/// The tokens that ask, the chosen one pressed.
#[component]
fn Queries() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = FollowContext::expect();
    let tokens = Memo::new(move |_| {
        context
            .with_place(|place| (place.queries().to_vec(), place.keys().len()))
            .unwrap_or_default()
    });
    let choose = move |query: usize, keys: usize| {
        state.update(|view| {
            let key = view.cell.map_or(query, |cell| cell.key);
            let key = key.min(keys.saturating_sub(1));
            view.cell = Some(Cell { query, key });
        });
    };
    view! {
        <div class="follow-queries" role="group" aria-label=move || t_string!(i18n, chapters.asks)>
            <span class="hint" aria-hidden="true">{t!(i18n, chapters.asks)}</span>
            {move || {
                let (tokens, keys) = tokens.get();
                tokens
                    .into_iter()
                    .enumerate()
                    .map(|(index, token)| view! {
                        <button
                            type="button"
                            class="chip query-chip"
                            aria-pressed=move || (context.query() == index).to_string()
                            on:click=move |_| choose(index, keys)
                        >
                            <TokenLabel token />
                        </button>
                    })
                    .collect_view()
            }}
        </div>
    }
}
