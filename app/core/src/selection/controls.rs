//! Controls that choose a head by its kind of attention, its layer and its number, for every tab.

use attention_trace::AttentionKind;
use leptos::prelude::*;

use super::HeadNumbers;
use crate::{
    i18n::{t_string, use_i18n},
    names::kind_name,
    state::ViewState,
    widgets::{Segmented, Select, numbers::counted},
};

/// The choice of the kind of attention.
#[component]
pub fn KindChoice(
    /// The kinds that the model has.
    #[prop(into)]
    kinds: Signal<Vec<AttentionKind>>,
    #[prop(into)] chosen: Signal<AttentionKind>,
) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let name = kind_name();
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, heads.kind).to_owned())
            options=Signal::derive(move || {
                kinds.get().into_iter().map(|kind| (kind, name(kind))).collect()
            })
            value=chosen
            choose=move |kind| state.set_kind(kind)
        />
    }
}

/// The choice of the layer, and of a head in it.
#[component]
pub fn HeadSelects(
    /// The numbers of layers and heads, and the selected ones.
    #[prop(into)]
    numbers: Signal<Option<HeadNumbers>>,
    /// The `data-testid`s of the layer's and the head's field.
    test_ids: [&'static str; 2],
    /// True to choose a head, false to choose a layer alone.
    #[prop(default = true)]
    with_head: bool,
) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let part =
        move |part: fn(HeadNumbers) -> usize| Memo::new(move |_| numbers.get().map_or(0, part));
    let (layers, layer) = (
        part(|numbers| numbers.layers),
        part(|numbers| numbers.layer),
    );
    let (heads, head) = (part(|numbers| numbers.heads), part(|numbers| numbers.head));
    view! {
        <Select
            name=Signal::derive(move || t_string!(i18n, decoding.layer).to_owned())
            test_id=test_ids[0]
            options=Signal::derive(move || counted(layers.get()))
            chosen=layer
            choose=move |layer| state.set_head(layer, head.get_untracked())
        />
        {with_head.then(|| view! {
            <Select
                name=Signal::derive(move || t_string!(i18n, decoding.head).to_owned())
                test_id=test_ids[1]
                options=Signal::derive(move || counted(heads.get()))
                chosen=head
                choose=move |head| state.set_head(layer.get_untracked(), head)
            />
        })}
    }
}
