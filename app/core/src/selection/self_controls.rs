//! Controls of the chapters on self-attention: the kind, the layer, the head and the token.

use attention_trace::AttentionKind;
use leptos::prelude::*;

use super::{ChosenToken, HeadSelects, KindChoice, SelfAttention, SelfPlace};

/// All controls; the kind only if the model has more than one.
#[component]
pub fn SelfControls(
    /// The `data-testid`s of the layer's and the head's field.
    test_ids: [&'static str; 2],
) -> impl IntoView {
    let context = SelfAttention::expect();
    let kinds = Memo::new(move |_| context.with(SelfPlace::kinds).unwrap_or_default());
    let kind = move |place: &SelfPlace| place.head.attention.kind;
    let chosen = Memo::new(move |_| context.with(kind).unwrap_or(AttentionKind::EncoderSelf));
    let numbers = Memo::new(move |_| context.with(|place| place.head.numbers(&place.meta)));
    view! {
        <div class="position-controls">
            <Show when=move || kinds.read().len() != 1>
                <KindChoice kinds chosen />
            </Show>
            <HeadSelects numbers test_ids />
        </div>
        <ChosenToken />
    }
}
