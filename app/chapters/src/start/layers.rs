//! The eighth screen: a token's vector after some layers.

use crate::start::parameters::Start;
use attention_trace::{Excerpt, Slice};
use leptos::prelude::*;

use super::{measures::likeness, vectors::LikenessBars};
use attention_core::{
    engine::Part,
    i18n::{t_string, use_i18n},
    selection::{ChosenToken, SelfAttention, SelfPlace},
    state::ViewState,
    widgets::Slider,
};

/// Returns the vectors after that many layers, `[n, d]`; for 0 layers, the vectors that enter the first.
fn after(context: SelfAttention, layers: Memo<usize>) -> Memo<Option<Part>> {
    context.part(move |place: &SelfPlace| {
        let stack = place.head.attention.kind.stack();
        let spec = &place.meta.spec;
        let site = match layers.get().checked_sub(1) {
            Some(last) => spec.layer_output(stack, last),
            None => spec.layer_input(stack, 0),
        };
        Excerpt::new(site, Slice::Whole)
    })
}

/// The similarity of the chosen token to the others before the first layer, and after the number of layers on a
/// slider.
#[component]
pub fn Layers() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = SelfAttention::expect();
    let asked = state.select(|view| view.chapters.of::<Start>().layers);
    let count = move || {
        let layers = |place: &SelfPlace| place.meta.spec.layers(place.head.attention.kind);
        context.with(layers).unwrap_or(0)
    };
    let layers = Memo::new(move |_| asked.get().min(count()));
    let none = Memo::new(|_| 0);
    let (before, after) = (after(context, none), after(context, layers));
    let name = move |layers: usize| match layers {
        0 => t_string!(i18n, start.before_layers).to_owned(),
        layers => t_string!(i18n, start.after_layers, layers = layers),
    };
    let series = Memo::new(move |_| {
        let (query, tokens) = (context.query(), context.names().len());
        let alike = |part: Option<Part>| {
            let Part(rows) = part?;
            Some(likeness(rows.row(&[query])?, &rows, tokens))
        };
        let after = (name(layers.get()), alike(after.get())?);
        let before = (name(0), alike(before.get())?);
        Some(vec![before, after])
    });
    let title = move || {
        let token = context.query_name()?;
        Some(t_string!(i18n, start.likeness_of, token = token))
    };
    view! {
        <ChosenToken />
        <Slider
            name=Signal::derive(move || t_string!(i18n, start.layers).to_owned())
            test_id="start-layers"
            range=Signal::derive(move || (0, count()))
            value=layers
            words=Signal::derive(move || name(layers.get()))
            set=move |layers| state.update_chapters(|chapters| chapters.of_mut::<Start>().layers = layers)
        />
        <h3 class="panel-title">{title}</h3>
        <LikenessBars test_id="start-layer-likeness" series />
    }
}
