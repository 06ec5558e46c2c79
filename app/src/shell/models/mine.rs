//! Models of the visitor's own: from their disk, and those that were trained on this page.

use leptos::prelude::*;

use super::{
    ModelsSheet,
    card::FoundCard,
    hub::{FromHub, OnThisMachine},
};
use attention_chapters::show_kept;
use attention_core::{
    i18n::{t, t_string, use_i18n},
    kept::{KeptModel, KeptModels},
    mine::{About, FileField},
    names::model_name,
    problems::files_fault,
    state::{Model, ViewState},
    widgets::{
        Check,
        numbers::{grouped, megabytes},
    },
};
use attention_trace::config::MODEL_TYPES;

/// The group of the visitor's own models.
#[component]
pub fn OwnModels() -> impl IntoView {
    let i18n = use_i18n();
    let kept = KeptModels::expect();
    let has_trained = Memo::new(move |_| !kept.list().is_empty());
    view! {
        <section class="models-group">
            <h3>{t!(i18n, models.mine)}</h3>
            <div class="models-entries">
                <FromDisk />
                <FromHub />
                <OnThisMachine />
                <Show when=move || has_trained.get()>
                    <TrainedHere />
                </Show>
            </div>
        </section>
    }
}

/// The files of a checkpoint: the choice, the drop area, and the result of reading them.
#[component]
fn FromDisk() -> impl IntoView {
    let i18n = use_i18n();
    let sheet = ModelsSheet::expect();
    let model = ViewState::expect().select(|view| view.model);
    let is_chosen = move || matches!(model.get(), Model::Mine(_));
    view! {
        <article class="models-entry models-disk" class:is-chosen=is_chosen>
            <h4 class="models-name">{t!(i18n, models.from_disk)}</h4>
            <p>{t!(i18n, models.layout)}</p>
            <p class="models-good">{t!(i18n, models.stays)}</p>
            <div class="models-variants">
                <FileField is_folder=true test_id="mine-folder" read=move |files| sheet.read(files) />
                <FileField is_folder=false test_id="mine-files" read=move |files| sheet.read(files) />
            </div>
            <Check
                name=Signal::derive(move || t_string!(i18n, models.look_first).to_owned())
                test_id="mine-look-first"
                on=sheet.looks_first
                set=move |on| sheet.looks_first.set(on)
            />
            {move || sheet.found.get().map(|about| view! { <FoundCard about /> })}
            <p class="hint">{move || t_string!(i18n, models.families, known = MODEL_TYPES.join(", "))}</p>
            <Show when=move || sheet.is_reading.get()>
                <p class="hint" role="status" data-testid="mine-reading">
                    {t!(i18n, models.reading)}
                </p>
            </Show>
            {move || sheet.fault.get().map(|fault| view! {
                <p class="hint warning" role="alert" data-testid="mine-problem">
                    {move || files_fault(i18n, &fault)}
                </p>
            })}
            <Show when=move || sheet.mine.about().is_some()>
                <ChosenBefore />
            </Show>
        </article>
    }
}

/// The model chosen since the page was opened, with the facts from its files.
#[component]
fn ChosenBefore() -> impl IntoView {
    let i18n = use_i18n();
    let sheet = ModelsSheet::expect();
    let state = ViewState::expect();
    let model = state.select(|view| view.model);
    let name = model_name();
    let id = move || sheet.mine.about().map(|about| about.id);
    let words = move || {
        let About {
            model_type,
            bytes,
            types,
            ..
        } = sheet.mine.about()?;
        Some(t_string!(
            i18n,
            models.about_mine,
            kind = model_type,
            size = megabytes(bytes),
            weights = grouped(types.weights()),
            types = types.shares()
        ))
    };
    let licence = move || {
        let licence = sheet.mine.about()?.licence?;
        Some(t_string!(i18n, models.mine_licence, licence = licence))
    };
    let choose = move |_| {
        if let Some(about) = untrack(|| sheet.mine.about()) {
            state.update(|view| view.use_mine(about.id, &about.name));
            sheet.run();
        }
    };
    view! {
        <p class="models-own">
            <button
                type="button"
                class="plain-button"
                data-testid="model-mine"
                aria-pressed=move || (model.get() == Model::Mine(id())).to_string()
                on:click=choose
            >
                {move || name(Model::Mine(id()))}
            </button>
            " "
            <span class="hint" data-testid="mine-about">{words}{licence}</span>
        </p>
    }
}

/// The models trained on this page and kept by this browser, each with a text of its task.
#[component]
fn TrainedHere() -> impl IntoView {
    let i18n = use_i18n();
    let sheet = ModelsSheet::expect();
    let kept = KeptModels::expect();
    let model = ViewState::expect().select(|view| view.model);
    let name = model_name();
    let button = move |kept: KeptModel| {
        let own = Model::Trained(kept.id);
        view! {
            <button
                type="button"
                class="plain-button"
                data-testid=format!("model-{own}")
                aria-pressed=move || (model.get() == own).to_string()
                on:click=move |_| {
                    sheet.state.update(|view| show_kept(&kept, view));
                    sheet.run();
                }
            >
                {move || name(own)}
            </button>
        }
    };
    view! {
        <article class="models-entry">
            <h4 class="models-name">{t!(i18n, shell.trained_here)}</h4>
            <p>{t!(i18n, models.trained)}</p>
            <div class="models-variants" role="group" aria-label=move || t_string!(i18n, shell.trained_here)>
                {move || kept.list().into_iter().map(button).collect_view()}
            </div>
        </article>
    }
}
