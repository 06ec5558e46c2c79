//! The sentences of a longer text: all are translated, one is on screen, the others are a click away.

use std::collections::HashMap;

use leptos::prelude::*;

use attention_core::{
    engine::{Job, Live},
    i18n::{t_string, use_i18n},
    state::ViewState,
};

/// The most sentences that are translated without being asked for.
const MOST: usize = 24;

/// A text, and which of its sentences were translated to what.
#[derive(Clone, Default, PartialEq)]
struct Progress {
    /// The text, with the first of its sentences that ran: the one to come back to.
    of: Option<Job>,
    translations: HashMap<usize, String>,
    /// Whether sentences are still missing.
    goes_on: bool,
}

/// The list; nothing where the text is one sentence.
#[component]
pub fn Sentences() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let progress = RwSignal::new(Progress::default());
    let answered = live.select(|engine| {
        let shown = engine.shown.as_ref()?;
        let best = shown.trace.decoding.as_ref()?.hypotheses.first()?;
        Some((shown.job.clone()?, best.text.clone()))
    });
    // An effect because the engine lies outside the reactive graph.
    Effect::new(move |_| {
        if let Some((job, best)) = answered.get() {
            let next = progress.try_update(|progress| progress.after(&job, best));
            // What has been typed meanwhile is not run before the visitor says so.
            let is_typed = state.get_untracked().text == job.text;
            if let Some(next) = next.flatten()
                && is_typed
            {
                live.run_sentence(next);
            }
        }
    });
    let current = move || answered.with(|answered| answered.as_ref().map(|(job, _)| job.sentence));
    let rows = move || {
        let progress = progress.get();
        let sentences = progress.of.as_ref().map(Job::sentences).unwrap_or_default();
        let rows = sentences.into_iter().enumerate().map(|(index, sentence)| {
            let translation = progress.translations.get(&index).cloned();
            view! {
                <li>
                    <button
                        type="button"
                        class="sentence-choice"
                        data-testid="sentence-choice"
                        aria-current=move || (current() == Some(index)).then_some("true")
                        on:click=move |_| live.run_sentence(index)
                    >
                        <span>{sentence}</span>
                        <span class="hint">{translation}</span>
                    </button>
                </li>
            }
        });
        rows.collect_view()
    };
    let several = Memo::new(move |_| {
        let progress = progress.read();
        progress
            .of
            .as_ref()
            .is_some_and(|job| job.sentences().len() > 1)
    });
    view! {
        <Show when=move || several.get()>
            <ol
                class="sentence-choices"
                data-testid="sentences"
                aria-label=move || t_string!(i18n, shell.sentence_list)
            >
                {rows}
            </ol>
        </Show>
    }
}

impl Progress {
    /// A sentence was translated: which one to run next. First those that are not translated yet, then, once, the one
    /// that the visitor ran.
    fn after(&mut self, job: &Job, translation: String) -> Option<usize> {
        let is_same = self.of.as_ref().is_some_and(|of| of.is_same_text(job));
        if !is_same {
            *self = Progress {
                of: Some(job.clone()),
                translations: HashMap::new(),
                goes_on: true,
            };
        }
        self.translations.insert(job.sentence, translation);
        if !self.goes_on {
            return None;
        }
        let count = job.sentences().len().min(MOST);
        let missing = (0..count).find(|sentence| !self.translations.contains_key(sentence));
        self.goes_on = missing.is_some();
        let first = self.of.as_ref().map(|of| of.sentence);
        missing.or(first.filter(|&first| first != job.sentence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use attention_core::state::View;

    fn job(text: &str, sentence: usize) -> Job {
        Job::from(&View {
            text: text.to_owned(),
            sentence,
            ..View::default()
        })
    }

    #[test]
    fn all_sentences_run_and_then_the_one_that_was_asked_for() {
        let mut progress = Progress::default();
        let mut run = |sentence| progress.after(&job("Un. Deux. Trois.", sentence), String::new());
        assert_eq!(run(1), Some(0));
        assert_eq!(run(0), Some(2));
        assert_eq!(run(2), Some(1));
        // From here on the visitor goes where they like.
        assert_eq!(run(1), None);
        assert_eq!(run(2), None);
    }

    #[test]
    fn one_sentence_is_all() {
        let mut progress = Progress::default();
        assert_eq!(progress.after(&job("Un.", 0), String::new()), None);
        assert_eq!(
            progress.after(&job("Deux. Trois.", 0), String::new()),
            Some(1)
        );
    }
}
