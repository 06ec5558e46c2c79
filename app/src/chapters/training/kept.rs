//! The model of the checkpoint that is looked at, as a model of this page and as files; and the models that are kept.

use attention_protocol::training::Snapshot;
use attention_trace::training::{Architecture, SEPARATOR, TaskKind, TrainingSettings};
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::JsValue;

use super::Shown;
use crate::{
    assets::{CHECKPOINT, download::save, storage::sha256},
    engine::{Live, describe},
    i18n::{t, t_string, use_i18n},
    kept::{KeptFile, KeptModel, KeptModels},
    names::model_name,
    navigation::ViewLink,
    state::{Model, Tab, View, ViewState},
    training::Shot,
};

/// A checkpoint's files in the order of [`CHECKPOINT`].
fn files(snapshot: &Snapshot) -> [Vec<u8>; 3] {
    [
        snapshot.config.clone().into_bytes(),
        snapshot.tokenizer.clone().into_bytes(),
        snapshot.weights.clone(),
    ]
}

/// What the model of a checkpoint reads, to begin with: what it read of the watched example, without the answer.
fn first_text(settings: &TrainingSettings, snapshot: &Snapshot) -> String {
    let observation = &snapshot.observation;
    let tokens = match settings.shape.architecture {
        Architecture::EncoderDecoder => &observation.source,
        Architecture::DecoderOnly => &observation.target,
    };
    // Special tokens are added by whoever reads the text.
    let pieces = tokens.iter().map(|token| token.text.as_str());
    let pieces = pieces.filter(|piece| piece.chars().count() == 1);
    let text = pieces.collect::<String>().replace('▁', " ");
    match text.find(SEPARATOR) {
        Some(end) => text[..=end].to_owned(),
        // The model goes on with the beginning of a line.
        None if settings.task.kind() == TaskKind::Lines => text
            .chars()
            .take(text.chars().count().div_ceil(2))
            .collect(),
        None => text,
    }
}

/// Describes a checkpoint's files and names the model by them.
async fn described(
    settings: TrainingSettings,
    snapshot: &Snapshot,
    contents: &[Vec<u8>],
) -> Result<KeptModel, JsValue> {
    let mut described = Vec::new();
    for (name, contents) in CHECKPOINT.into_iter().zip(contents) {
        described.push(KeptFile {
            name: name.to_owned(),
            bytes: contents.len() as u64,
            sha256: sha256(contents).await?,
        });
    }
    let weights = described.last().map(|file| file.sha256.as_str());
    let id = weights.unwrap_or_default().parse();
    Ok(KeptModel {
        id: id.map_err(|_| JsValue::from_str("no digest"))?,
        step: snapshot.step,
        text: first_text(&settings, snapshot),
        settings,
        files: described,
    })
}

/// Makes the model one of this page, and offers its files.
#[component]
pub fn ModelActions() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let (kept, live, state) = (KeptModels::expect(), Live::expect(), ViewState::expect());
    let shot = shown.snapshot(move || shown.run.get());
    let settings = shown
        .runs
        .of_run(move || shown.run.get(), |run| Some(run.settings.clone()));
    let failed = RwSignal::new(None::<String>);
    let is_busy = RwSignal::new(false);
    let is_there = Memo::new(move |_| shot.with(Option::is_some));
    let use_model = move |_| {
        let (Some(Shot(snapshot)), Some(settings)) =
            (shot.get_untracked(), settings.get_untracked())
        else {
            return;
        };
        if is_busy.get_untracked() {
            return;
        }
        is_busy.set(true);
        spawn_local(async move {
            let contents = files(&snapshot);
            let stored = async {
                let model = described(settings, &snapshot, &contents).await?;
                kept.keep(model.clone(), &contents).await?;
                Ok::<_, JsValue>(model)
            };
            match stored.await {
                Ok(model) => {
                    failed.try_set(None);
                    state.update(|view| open(&model, view));
                    live.run();
                }
                Err(reason) => {
                    failed.try_set(Some(describe(&reason)));
                }
            }
            is_busy.try_set(false);
        });
    };
    let download = move |place: usize| {
        let Some(Shot(snapshot)) = shot.get_untracked() else {
            return;
        };
        let contents = files(&snapshot);
        spawn_local(async move {
            let saved = save(CHECKPOINT[place], &contents[place]).await;
            failed.try_set(saved.err().map(|reason| describe(&reason)));
        });
    };
    view! {
        <Show
            when=move || is_there.get()
            fallback=move || view! { <p class="hint">{t!(i18n, training.no_checkpoint)}</p> }
        >
            <div class="training-actions" data-testid="training-model">
                <button
                    type="button"
                    class="main-button"
                    data-testid="training-use"
                    aria-disabled=move || is_busy.get().then_some("true")
                    on:click=use_model
                >
                    {t!(i18n, training.use_model)}
                </button>
                {CHECKPOINT
                    .into_iter()
                    .enumerate()
                    .map(|(place, name)| view! {
                        <button
                            type="button"
                            class="plain-button"
                            data-testid="training-download"
                            on:click=move |_| download(place)
                        >
                            {move || t_string!(i18n, training.download, name = name)}
                        </button>
                    })
                    .collect_view()}
            </div>
        </Show>
        <p class="training-problem" role="alert" data-testid="training-not-kept">
            {move || failed.get().map(|reason| t_string!(i18n, training.not_kept, reason = reason))}
        </p>
    }
}

/// Opens a kept model on the map.
fn open(model: &KeptModel, view: &mut View) {
    model.put_into(view);
    view.tab = Tab::Heads;
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
