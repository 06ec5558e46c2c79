//! The models that were trained here and that this browser keeps.

use super::parameters::Training;
use leptos::{prelude::*, task::spawn_local};

use attention_core::{
    i18n::{t, use_i18n},
    kept::{KeptModel, KeptModels},
    names::model_name,
    navigation::ViewLink,
    state::{Model, Tab, View},
};

/// Shows a kept model with a text of its task. The address includes its settings, so that a link works where the
/// model is not kept.
pub fn show_kept(model: &KeptModel, view: &mut View) {
    view.use_model(Model::Trained(model.id));
    view.use_text(model.text.clone());
    view.chapters.of_mut::<Training>().settings = model.settings.clone();
}

/// Opens a kept model on the map.
pub fn open(model: &KeptModel, view: &mut View) {
    show_kept(model, view);
    view.tab = Tab::Explore;
}

/// The models that this browser keeps: a link to each, and a button that forgets it.
#[component]
pub fn KeptList() -> impl IntoView {
    let i18n = use_i18n();
    let kept = KeptModels::expect();
    let name = model_name();
    let is_empty = Memo::new(move |_| kept.list().is_empty());
    view! {
        <Show when=move || !is_empty.get()>
            <h3 class="panel-title">{t!(i18n, training.kept)}</h3>
            <ul class="training-kept" data-testid="training-kept">
                <For each=move || kept.list() key=|model| model.id let(model)>
                    {
                        let id = model.id;
                        let model = StoredValue::new(model);
                        view! {
                            <li>
                                <ViewLink
                                    change=move |view: &mut View| {
                                        model.with_value(|model| open(model, view));
                                    }
                                    class="link-button"
                                    test_id="training-kept-model"
                                >
                                    {move || name(Model::Trained(id))}
                                </ViewLink>
                                <button
                                    type="button"
                                    class="plain-button"
                                    data-testid="training-forget"
                                    on:click=move |_| spawn_local(kept.forget(id))
                                >
                                    {t!(i18n, training.forget)}
                                </button>
                            </li>
                        }
                    }
                </For>
            </ul>
        </Show>
    }
}
