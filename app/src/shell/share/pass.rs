//! The pass on screen as a file: a trace, or a page that replays it.

use attention_trace::Trace;
use leptos::{prelude::*, task::spawn_local};
use leptos_i18n::Locale as _;
use wasm_bindgen::JsValue;

use super::Failed;
use attention_core::{
    assets::download::{file_stem, save},
    engine::{Live, describe},
    i18n::{t, t_string, use_i18n},
    language::current_language,
    names::full_model_name,
    selection::HeadChoice,
    state::{View, ViewState},
    taking::{self, Options},
};

/// The endings of the files.
const TRACE: &str = "safetensors";
const PAGE: &str = "html";

/// Buttons that save the pass on screen.
#[component]
pub fn TakePass() -> impl IntoView {
    let i18n = use_i18n();
    let pass = Pass::of_screen();
    let failed = RwSignal::new(None::<String>);
    let take_trace = move |_| {
        pass.use_now(failed, |taken| async move {
            let bytes = taken.trace.to_safetensors();
            let bytes = bytes.map_err(|error| JsValue::from_str(&error.to_string()))?;
            save(&taken.file_name(TRACE), &bytes).await
        });
    };
    let take_page = move |_| {
        pass.use_now(failed, |taken| async move {
            let page = taking::html(&taken.trace, &taken.title(), &taken.options).await?;
            save(&taken.file_name(PAGE), &page).await
        });
    };
    let is_missing = move || pass.is_missing().then_some("true");
    view! {
        <div class="take-files">
            <button
                type="button"
                class="plain-button"
                data-testid="take-page"
                aria-disabled=is_missing
                on:click=take_page
            >
                {t!(i18n, take.page)}
            </button>
            <button
                type="button"
                class="plain-button"
                data-testid="take-trace"
                aria-disabled=is_missing
                on:click=take_trace
            >
                {t!(i18n, take.trace)}
            </button>
        </div>
        <p class="hint">{move || t_string!(i18n, take.pass_hint)}</p>
        <Failed reason=failed />
    }
}

/// The pass on screen, with what names it.
#[derive(Clone, Copy)]
pub struct Pass {
    live: Live,
    state: ViewState,
    /// The model's name in the visitor's language.
    model: Memo<String>,
    language: Memo<&'static str>,
}

impl Pass {
    /// Returns the pass that is on screen whenever it is asked for.
    pub fn of_screen() -> Self {
        let (live, state) = (Live::expect(), ViewState::expect());
        let model = state.select(|view| view.model);
        let name = full_model_name();
        Pass {
            live,
            state,
            model: Memo::new(move |_| name(model.get())),
            language: Memo::new(move |_| current_language().as_str()),
        }
    }

    /// True as long as nothing is on screen.
    pub fn is_missing(self) -> bool {
        self.live.trace().is_none()
    }

    /// Makes a file of the pass on screen; its failure is put into `failed`.
    pub fn use_now<F>(self, failed: RwSignal<Option<String>>, make: impl FnOnce(Taken) -> F)
    where
        F: Future<Output = Result<(), JsValue>> + 'static,
    {
        let Some(taken) = untrack(|| self.taken()) else {
            return;
        };
        let made = make(taken);
        spawn_local(async move {
            let failure = made.await.err().map(|error| describe(&error));
            failed.try_set(failure);
        });
    }

    fn taken(self) -> Option<Taken> {
        let mut trace = Trace::clone(&*self.live.trace()?);
        let model = self.model.get_untracked();
        // The worker knows neither.
        trace.origin.model.get_or_insert_with(|| model.clone());
        if let Some(job) = self.live.job_shown() {
            trace.origin.text = Some(job.reads);
        }
        let view = self.state.get_untracked();
        Some(Taken {
            options: Options {
                language: self.language.get_untracked(),
                theme: None,
                ..options(&view, &trace)
            },
            model,
            trace,
        })
    }
}

/// Returns the heads in sight: those of one layer; of several layers, the first.
fn options(view: &View, trace: &Trace) -> Options {
    let place = view.place();
    let chosen = HeadChoice::resolve(&trace.meta, view.kind(), place.layer, place.head);
    let more = view.more_heads.iter();
    let is_one_layer = more
        .clone()
        .all(|head| head.layer == chosen.attention.layer);
    let count = trace.meta.spec.heads(chosen.attention.kind);
    let mut heads = vec![chosen.head];
    if is_one_layer {
        heads.extend(more.map(|head| head.head).filter(|&head| head < count));
    }
    Options {
        language: "",
        theme: None,
        attention: chosen.attention,
        heads,
    }
}

/// A pass that becomes a file.
#[derive(Debug)]
pub struct Taken {
    pub trace: Trace,
    pub options: Options,
    model: String,
}

impl Taken {
    /// Returns the title of a page: the model and the text.
    pub fn title(&self) -> String {
        match &self.trace.origin.text {
            Some(text) => format!("{}: {text}", self.model),
            None => self.model.clone(),
        }
    }

    /// Returns the name of a file with this ending.
    pub fn file_name(&self, ending: &str) -> String {
        format!("{}.{ending}", file_stem(&self.title()))
    }
}
