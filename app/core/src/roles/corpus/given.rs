//! The fields that take the visitor's sentences: a file, a pasted text, or sentences of this page.

use std::sync::Arc;

use leptos::{ev, prelude::*, task::spawn_local};
use leptos_i18n::I18nContext;
use web_sys::{DragEvent, File};

use super::{
    RoleCorpus,
    opened::{SetFault, bytes_of, is_set, read_set, weights_digest},
    text::{GivenText, LARGEST_BYTES, MOST_SENTENCES, Origin, TextFault},
};
use crate::{
    engine::{Live, Phase},
    i18n::{Locale, t, t_string, use_i18n},
    kept::KeptModels,
    mine::{FileField, Mine, Picked, dropped, holds_files},
    problems::files_fault,
    roles::published::{as_typed, published_texts},
    state::ViewState,
    widgets::numbers::megabytes,
};
use attention_protocol::FilesFault;

/// The reason why what was given is not taken.
#[derive(Clone, Debug, PartialEq)]
enum Fault {
    /// The browser cannot read the file.
    File(FilesFault),
    /// The file or text has no sentences.
    Text(String, TextFault),
    /// The file of roles is not this model's.
    Set(String, SetFault),
    /// The sentences of this page could not be fetched, for this reason.
    Ours(String),
    /// The model is not loaded, so that a file of roles cannot be compared with it.
    NoModel,
}

fn fault_words(i18n: I18nContext<Locale>, fault: &Fault) -> String {
    match fault {
        Fault::File(fault) => files_fault(i18n, fault),
        Fault::Text(_, TextFault::Empty) => t_string!(i18n, corpus.empty).to_owned(),
        Fault::Text(name, TextFault::NotText) => {
            t_string!(i18n, corpus.not_text, name = name.clone())
        }
        Fault::Text(name, TextFault::TooLarge) => t_string!(
            i18n,
            corpus.too_large,
            name = name.clone(),
            limit = megabytes(LARGEST_BYTES as u64)
        ),
        Fault::Set(name, SetFault::NotRoles(reason)) => t_string!(
            i18n,
            corpus.not_roles,
            name = name.clone(),
            reason = reason.clone()
        ),
        Fault::Set(name, SetFault::OtherWeights) => {
            t_string!(i18n, corpus.other_weights, name = name.clone())
        }
        Fault::Set(name, SetFault::OtherHeads) => {
            t_string!(i18n, corpus.other_heads, name = name.clone())
        }
        Fault::Ours(reason) => t_string!(i18n, encodings.missing_scores, reason = reason.clone()),
        Fault::NoModel => t_string!(i18n, corpus.no_model).to_owned(),
    }
}

/// The reader of what the visitor gives, with the contexts that it needs after a file was read.
#[derive(Clone, Copy)]
struct Reader {
    corpus: RoleCorpus,
    live: Live,
    state: ViewState,
    kept: KeptModels,
    mine: Mine,
    fault: RwSignal<Option<Fault>>,
}

impl Reader {
    fn new() -> Self {
        Reader {
            corpus: RoleCorpus::expect(),
            live: Live::expect(),
            state: ViewState::expect(),
            kept: KeptModels::expect(),
            mine: Mine::expect(),
            fault: RwSignal::new(None),
        }
    }

    /// Takes a text of sentences.
    fn take_text(self, origin: Origin, bytes: &[u8]) {
        let name = origin.to_string();
        match GivenText::read(origin, bytes) {
            Ok(text) => {
                self.fault.try_set(None);
                self.corpus.given.set(Some(Arc::new(text)));
            }
            Err(fault) => {
                self.fault.try_set(Some(Fault::Text(name, fault)));
            }
        }
    }

    /// Takes a file of sentences or of roles.
    async fn take_file(self, file: File) {
        let bytes = match bytes_of(&file).await {
            Ok(bytes) => bytes,
            Err(fault) => {
                self.fault.try_set(Some(Fault::File(fault)));
                return;
            }
        };
        match is_set(&bytes) {
            true => self.take_set(file.name(), &bytes).await,
            false => self.take_text(Origin::File(file.name()), &bytes),
        }
    }

    /// Takes a file of roles for the model on screen.
    async fn take_set(self, name: String, bytes: &[u8]) {
        let model = self.state.get_untracked().model;
        let weights = weights_digest(model, self.kept, self.mine).await;
        let spec = untrack(|| {
            self.live.select_now(|engine| match &engine.phase {
                Phase::Ready {
                    model: loaded,
                    reply,
                } if *loaded == model => Some(reply.spec.clone()),
                _ => None,
            })
        });
        let Some(spec) = spec else {
            self.fault.try_set(Some(Fault::NoModel));
            return;
        };
        match read_set(bytes, &spec, weights.as_deref()) {
            Ok(set) => {
                self.fault.try_set(None);
                self.corpus.keep(model, Origin::File(name), set);
            }
            Err(fault) => {
                self.fault.try_set(Some(Fault::Set(name, fault)));
            }
        }
    }

    /// Takes the sentences that are published with the model, or those that were written for this page.
    async fn take_ours(self) {
        let model = self.state.get_untracked().model;
        match published_texts(model).await {
            Ok(texts) => {
                let lines = texts.iter().map(|text| as_typed(text).0);
                let text = lines.collect::<Vec<_>>().join("\n");
                self.take_text(Origin::Ours, text.as_bytes());
            }
            Err(reason) => {
                self.fault.try_set(Some(Fault::Ours(reason)));
            }
        }
    }

    fn take_first(self, picked: Vec<Picked>) {
        if let Some(Picked { file, .. }) = picked.into_iter().next() {
            spawn_local(self.take_file(file));
        }
    }
}

/// The area that takes dropped files, with a field for a file, one for a text, and the sentences of this page.
#[component]
pub fn GivenFields() -> impl IntoView {
    let i18n = use_i18n();
    let reader = Reader::new();
    let drop = move |event: DragEvent| {
        if holds_files(&event) {
            // The page takes other dropped files for models.
            event.prevent_default();
            event.stop_propagation();
            let files = dropped(&event);
            spawn_local(async move { reader.take_first(files.await) });
        }
    };
    let words = move || reader.fault.get().map(|fault| fault_words(i18n, &fault));
    view! {
        <div
            class="corpus-given"
            data-testid="corpus-drop"
            on:dragover=move |event: ev::DragEvent| event.prevent_default()
            on:drop=drop
        >
            <p class="hint">{t!(i18n, corpus.hint)}</p>
            <p class="hint">{t!(i18n, corpus.private)}</p>
            <div class="position-controls">
                <FileField
                    is_folder=false
                    name=Signal::derive(move || t_string!(i18n, corpus.choose).to_owned())
                    test_id="corpus-file"
                    read=move |picked| reader.take_first(picked)
                />
                <button
                    type="button"
                    class="plain-button"
                    data-testid="corpus-ours"
                    on:click=move |_| spawn_local(reader.take_ours())
                >
                    {t!(i18n, corpus.ours)}
                </button>
            </div>
            <Pasted take=move |text: String| reader.take_text(Origin::Pasted, text.as_bytes()) />
            <p class="hint warning" class:is-hidden=move || reader.fault.read().is_none() role="alert" data-testid="corpus-fault">
                {words}
            </p>
            <Given />
        </div>
    }
}

/// A field for a text that is pasted.
#[component]
fn Pasted(take: impl Fn(String) + Copy + Send + Sync + 'static) -> impl IntoView {
    let i18n = use_i18n();
    let text = RwSignal::new(String::new());
    view! {
        <details class="corpus-pasted">
            <summary>{t!(i18n, corpus.paste)}</summary>
            <textarea
                rows="4"
                data-testid="corpus-text"
                aria-label=move || t_string!(i18n, corpus.paste_label)
                prop:value=text
                on:input:target=move |event| text.set(event.target().value())
            ></textarea>
            <button
                type="button"
                class="plain-button"
                data-testid="corpus-use"
                on:click=move |_| take(text.get_untracked())
            >
                {t!(i18n, corpus.use_pasted)}
            </button>
        </details>
    }
}

/// The sentences that were given, and the lines that were left out.
#[component]
fn Given() -> impl IntoView {
    let i18n = use_i18n();
    let corpus = RoleCorpus::expect();
    let words = move || {
        let given = corpus.given.get()?;
        let name = origin_words(i18n, &given.origin);
        let count = given.lines.len();
        let mut words = vec![t_string!(i18n, corpus.given, name = name, count = count).to_string()];
        if given.long > 0 {
            words.push(t_string!(i18n, corpus.long, count = given.long).to_string());
        }
        if given.beyond > 0 {
            let words_beyond = t_string!(
                i18n,
                corpus.beyond,
                limit = MOST_SENTENCES,
                count = given.beyond
            );
            words.push(words_beyond.to_string());
        }
        Some(words.join(" "))
    };
    view! { <p class="lesson-reading" role="status" data-testid="corpus-given">{words}</p> }
}

/// Names the origin of sentences.
pub(super) fn origin_words(i18n: I18nContext<Locale>, origin: &Origin) -> String {
    match origin {
        Origin::File(name) => name.clone(),
        Origin::Pasted => t_string!(i18n, corpus.pasted).to_owned(),
        Origin::Ours => t_string!(i18n, corpus.our_sentences).to_owned(),
    }
}
