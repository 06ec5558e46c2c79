//! The model of the chosen checkpoint, as a model of this page and as files.

use attention_protocol::training::Snapshot;
use attention_trace::training::{SEPARATOR, TaskKind, TrainingSettings};
use leptos::{prelude::*, task::spawn_local};
use leptos_i18n::I18nContext;

use super::{Shown, kept::open};
use attention_core::{
    assets::{
        CHECKPOINT,
        download::save,
        storage::{StorageError, sha256},
    },
    engine::Live,
    i18n::{Locale, t, t_string, use_i18n},
    kept::{KeptFile, KeptModel, KeptModels},
    state::ViewState,
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

/// Returns the first input for the model of a checkpoint: the watched example's input, without the answer.
fn first_text(settings: &TrainingSettings, snapshot: &Snapshot) -> String {
    let observation = &snapshot.observation;
    let tokens = match settings.shape.architecture.has_encoder() {
        true => &observation.source,
        false => &observation.target,
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
) -> Result<KeptModel, StorageError> {
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
        id: id.map_err(|_| StorageError::Missing)?,
        step: snapshot.step,
        text: first_text(&settings, snapshot),
        settings,
        files: described,
    })
}

fn storage_words(i18n: I18nContext<Locale>, error: StorageError) -> String {
    match error {
        StorageError::Missing => t_string!(i18n, training.no_storage).to_owned(),
        StorageError::Silent => t_string!(i18n, training.silent_storage).to_owned(),
        StorageError::Refused(reason) => reason,
    }
}

/// Buttons that load the model into the page, and that offer its files.
#[component]
pub fn ModelActions() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let (kept, live, state) = (KeptModels::expect(), Live::expect(), ViewState::expect());
    let shot = shown.snapshot(move || shown.run.get());
    let settings = shown
        .runs
        .of_run(move || shown.run.get(), |run| Some(run.settings.clone()));
    let failed = RwSignal::new(None::<StorageError>);
    let is_busy = RwSignal::new(false);
    let is_there = Memo::new(move |_| shot.with(Option::is_some));
    let is_recurrent = Memo::new(move |_| {
        let architecture = settings.with(|settings| Some(settings.as_ref()?.shape.architecture));
        architecture.is_some_and(|architecture| architecture.recurrence().is_some())
    });
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
                Ok::<_, StorageError>(model)
            };
            match stored.await {
                Ok(model) => {
                    failed.try_set(None);
                    state.update(|view| open(&model, view));
                    live.run();
                }
                Err(reason) => {
                    failed.try_set(Some(reason));
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
            failed.try_set(saved.err().map(StorageError::from));
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
            <Show when=move || is_recurrent.get()>
                <p class="hint" data-testid="training-own-layout">{t!(i18n, training.own_layout)}</p>
            </Show>
        </Show>
        <p class="training-problem" role="alert" data-testid="training-not-kept">
            {move || {
                let reason = failed.get().map(|error| storage_words(i18n, error));
                reason.map(|reason| t_string!(i18n, training.not_kept, reason = reason))
            }}
        </p>
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::{
        Token,
        training::{Architecture, Evaluation, Observation, Task},
    };

    use super::*;

    fn snapshot(source: &[&str], target: &[&str]) -> Snapshot {
        let tokens = |texts: &[&str]| {
            let token = |text: &&str| Token {
                id: 0,
                text: (*text).to_owned(),
                unknown: false,
            };
            texts.iter().map(token).collect::<Vec<_>>()
        };
        Snapshot {
            step: 0,
            seconds: 0.0,
            evaluation: Evaluation {
                step: 0,
                examples: 1,
                held_out: true,
                loss: 1.0,
                token_accuracy: 0.0,
                sequence_accuracy: 0.0,
            },
            observation: Observation {
                source: tokens(source),
                target: tokens(target),
                predictions: vec![],
                loss: 1.0,
                attention: vec![],
            },
            config: String::new(),
            tokenizer: String::new(),
            weights: vec![],
            optimizer: vec![],
        }
    }

    #[test]
    fn a_model_is_given_what_it_read_without_the_answer() {
        let text = |settings: &TrainingSettings, source: &[&str], target: &[&str]| {
            first_text(settings, &snapshot(source, target))
        };
        let copy = TrainingSettings::default();
        let read = ["</s>", "c", "a", "=", "c", "a"];
        assert_eq!(text(&copy, &[], &read), "ca=");
        for architecture in [Architecture::EncoderDecoder, Architecture::LUONG] {
            let mut translates = copy.clone();
            translates.shape.architecture = architecture;
            assert_eq!(
                text(&translates, &["c", "a", "</s>"], &["<pad>", "c"]),
                "ca"
            );
        }
        let lines = TrainingSettings {
            task: Task::Lines {
                text: String::new(),
            },
            ..copy
        };
        let line = ["</s>", "a", "▁", "c", "a", "t"];
        assert_eq!(text(&lines, &[], &line), "a c");
    }
}
