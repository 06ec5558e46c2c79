//! The panel of a model that uses one block at every depth: a note on the shared weights, and the number of depths used
//! by each token.

use attention_trace::Stack;
use leptos::prelude::*;

use attention_core::{
    depths::{Halts, Reused, StackDepths, used_depths},
    engine::Live,
    i18n::{t, t_string, use_i18n},
};

/// The panel; empty for a model with separate weights in each layer.
#[component]
pub fn Depths() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let reused = Memo::new(move |_| Reused::of(&live.trace()?.meta.spec));
    let is_there = Memo::new(move |_| reused.read().is_some());
    let own = Memo::new(move |_| Halts::of(&live.trace()?.meta.spec));
    let halts = Memo::new(move |_| own.read().is_some());
    let same = move || {
        let depths = reused.get().map_or(0, |it| it.depths);
        match halts.get() {
            true => t_string!(i18n, depths.same, depths = depths),
            false => t_string!(i18n, depths.same_fixed, depths = depths),
        }
    };
    view! {
        <Show when=move || is_there.get()>
            <section class="depths" data-testid="depths">
                <h2 class="panel-title">{t!(i18n, depths.title)}</h2>
                <p class="hint" data-testid="depths-same">{same}</p>
                <Show when=move || halts.get()>
                    {[Stack::Encoder, Stack::Decoder].map(|stack| {
                        let used = used_depths(stack, own.into(), own.into());
                        view! { <StackDepths stack used /> }
                    })}
                </Show>
            </section>
        </Show>
    }
}
