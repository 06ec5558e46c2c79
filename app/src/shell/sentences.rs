//! The sentences of a longer text: all are translated, one is on screen, and a click opens another.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use leptos::prelude::*;

use attention_core::{
    engine::{Job, Live},
    i18n::{t, t_string, use_i18n},
    state::{View, ViewState},
};

/// The most sentences that are translated without a request.
const MOST: usize = 24;

/// The number of sentences listed at a time.
const LISTED: usize = 50;

/// The number of listed characters of a sentence: more than fit.
const SHOWN_CHARACTERS: usize = 80;

/// A text, with the translations of its sentences so far.
#[derive(Clone, Default)]
struct Progress {
    /// The text, with the sentence that the visitor opened last.
    of: Option<Job>,
    /// The view in which the visitor saw that sentence.
    before: View,
    translations: HashMap<usize, String>,
    refused: HashSet<usize>,
    /// The sentence that runs without a request of the visitor.
    runs: Option<usize>,
    /// True if sentences are still missing.
    goes_on: bool,
    /// The first sentence of the list.
    first_listed: usize,
}

#[derive(Debug, PartialEq)]
enum Next {
    /// A sentence without a translation yet.
    Missing(usize),
    /// The sentence that the visitor opened last, in its previous view.
    Back,
}

/// The list; empty if the text is a single sentence.
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
    let refused = live.select(|engine| engine.refused().cloned());
    let go_on = move |of: &Job, next: Option<Next>| {
        // What has been typed meanwhile is not run before the visitor says so.
        if state.get_untracked().text != of.text {
            return;
        }
        match next {
            Some(Next::Missing(sentence)) => live.run_sentence(sentence),
            Some(Next::Back) => {
                let before = progress.with_untracked(|progress| progress.before.clone());
                state.update(|view| view.come_back(&before));
                live.follow_view();
            }
            None => {}
        }
    };
    // Effects because the engine lies outside the reactive graph.
    Effect::new(move |_| {
        if let Some((job, best)) = answered.get() {
            let view = state.get_untracked();
            let next = progress.try_update(|progress| progress.after(&job, best, view));
            go_on(&job, next.flatten());
        }
    });
    Effect::new(move |_| {
        if let Some(job) = refused.get() {
            let next = progress.try_update(|progress| progress.after_refusal(&job));
            go_on(&job, next.flatten());
        }
    });
    let current = Memo::new(move |_| {
        let answered = answered.read();
        answered.as_ref().map(|(job, _)| job.sentence)
    });
    let sentences = Memo::new(move |_| {
        let progress = progress.read();
        progress.of.as_ref().map(Job::sentences).unwrap_or_default()
    });
    let count = Memo::new(move |_| sentences.read().len());
    let listed = Memo::new(move |_| listed(progress.read().first_listed, count.get()));
    let list_from = move |first| progress.update(|progress| progress.first_listed = first);
    let is_first = Memo::new(move |_| listed.read().start == 0);
    let is_last = Memo::new(move |_| listed.read().end == count.get());
    let rows = move || {
        let progress = progress.read();
        let sentences = sentences.read();
        let rows = listed.get().map(|index| {
            let sentence = sentences.get(index).map(|sentence| beginning(sentence));
            let translation = progress
                .translations
                .get(&index)
                .map(|text| beginning(text));
            view! {
                <li>
                    <button
                        type="button"
                        class="sentence-choice"
                        data-testid="sentence-choice"
                        aria-current=move || (current.get() == Some(index)).then_some("true")
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
    let has_more = Memo::new(move |_| count.get() > LISTED);
    let shown = move || {
        let (listed, count) = (listed.get(), count.get());
        t_string!(
            i18n,
            shell.sentences_shown,
            first = listed.start + 1,
            last = listed.end,
            count = count
        )
    };
    view! {
        <Show when=move || { count.get() > 1 }>
            <ol
                class="sentence-choices"
                data-testid="sentences"
                aria-label=move || t_string!(i18n, shell.sentence_list)
            >
                {rows}
            </ol>
            <Show when=move || has_more.get()>
                <p class="sentence-turn hint" data-testid="sentences-shown">
                    <button
                        type="button"
                        class="plain-button"
                        data-testid="earlier-sentences"
                        aria-disabled=move || is_first.get().to_string()
                        on:click=move |_| list_from(listed.get_untracked().start.saturating_sub(LISTED))
                    >
                        {t!(i18n, shell.earlier_sentences)}
                    </button>
                    <span role="status">{shown}</span>
                    <button
                        type="button"
                        class="plain-button"
                        data-testid="later-sentences"
                        aria-disabled=move || is_last.get().to_string()
                        on:click=move |_| if !is_last.get_untracked() {
                            list_from(listed.get_untracked().end);
                        }
                    >
                        {t!(i18n, shell.later_sentences)}
                    </button>
                </p>
            </Show>
        </Show>
    }
}

/// Returns the listed sentences from `first` on, of `count` sentences.
fn listed(first: usize, count: usize) -> Range<usize> {
    let first = first.min(count.saturating_sub(1)) / LISTED * LISTED;
    first..count.min(first + LISTED)
}

/// Returns the beginning of a text, as much as fits into the list.
fn beginning(text: &str) -> String {
    text.chars().take(SHOWN_CHARACTERS).collect()
}

impl Progress {
    /// Takes in a translated sentence, requested by `view`, and returns the next one to run. First the sentences not
    /// yet translated, then, once, the sentence that the visitor opened.
    fn after(&mut self, job: &Job, translation: String, view: View) -> Option<Next> {
        let of = self.of.as_ref();
        if !of.is_some_and(|of| of.is_same_text(job)) {
            // Where only the model's passes are changed, the visitor looks at this sentence.
            let goes_on = !of.is_some_and(|of| of.is_same_text_changed(job));
            // The same sentences are listed as before, whatever they are translated with.
            let first_listed = match of.is_some_and(|of| of.text == job.text) {
                true => self.first_listed,
                false => job.sentence / LISTED * LISTED,
            };
            *self = Progress {
                of: Some(job.clone()),
                before: view,
                goes_on,
                first_listed,
                ..Progress::default()
            };
        } else if self.runs != Some(job.sentence) {
            self.of = Some(job.clone());
            self.before = view;
        }
        self.translations.insert(job.sentence, translation);
        self.next(job)
    }

    /// Takes in the refusal of the last sentence and returns the next one to run, unless the visitor requested the
    /// refused one.
    fn after_refusal(&mut self, job: &Job) -> Option<Next> {
        let is_same = self.of.as_ref().is_some_and(|of| of.is_same_text(job));
        if !is_same || self.runs != Some(job.sentence) {
            return None;
        }
        self.refused.insert(job.sentence);
        self.next(job)
    }

    fn next(&mut self, job: &Job) -> Option<Next> {
        self.runs = None;
        if !self.goes_on {
            return None;
        }
        let is_missing = |sentence: &usize| {
            !self.translations.contains_key(sentence) && !self.refused.contains(sentence)
        };
        self.runs = (0..job.sentences().len().min(MOST)).find(is_missing);
        self.goes_on = self.runs.is_some();
        let is_elsewhere = self.of.as_ref()?.sentence != job.sentence;
        let back = || is_elsewhere.then_some(Next::Back);
        self.runs.map(Next::Missing).or_else(back)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(text: &str, sentence: usize) -> Job {
        Job::from(&View {
            text: text.to_owned(),
            sentence,
            ..View::default()
        })
    }

    fn seen(text: &str, sentence: usize) -> View {
        View {
            text: text.to_owned(),
            sentence,
            step: 3,
            ..View::default()
        }
    }

    const TEXT: &str = "Un. Deux. Trois.";

    #[test]
    fn all_sentences_run_and_then_the_one_that_was_asked_for() {
        let mut progress = Progress::default();
        let mut run = |sentence| {
            let view = seen(TEXT, sentence);
            progress.after(&job(TEXT, sentence), String::new(), view)
        };
        assert_eq!(run(1), Some(Next::Missing(0)));
        assert_eq!(run(0), Some(Next::Missing(2)));
        assert_eq!(run(2), Some(Next::Back));
        // From here on the visitor goes where they like.
        assert_eq!(run(1), None);
        assert_eq!(run(2), None);
        assert_eq!(progress.before, seen(TEXT, 2));
    }

    #[test]
    fn a_sentence_that_the_visitor_goes_to_meanwhile_is_the_one_to_come_back_to() {
        let mut progress = Progress::default();
        let mut run = |sentence| {
            let view = seen(TEXT, sentence);
            progress.after(&job(TEXT, sentence), String::new(), view)
        };
        assert_eq!(run(0), Some(Next::Missing(1)));
        assert_eq!(run(2), Some(Next::Missing(1)));
        assert_eq!(run(1), Some(Next::Back));
        assert_eq!(progress.before, seen(TEXT, 2));
    }

    #[test]
    fn a_sentence_that_is_refused_is_passed_over() {
        let mut progress = Progress::default();
        let view = seen(TEXT, 0);
        let next = progress.after(&job(TEXT, 0), String::new(), view.clone());
        assert_eq!(next, Some(Next::Missing(1)));
        // What the visitor asked for is not ours to pass over.
        assert_eq!(progress.after_refusal(&job(TEXT, 2)), None);
        assert_eq!(
            progress.after_refusal(&job(TEXT, 1)),
            Some(Next::Missing(2))
        );
        let next = progress.after(&job(TEXT, 2), String::new(), seen(TEXT, 2));
        assert_eq!(next, Some(Next::Back));
        assert_eq!(progress.before, view);
    }

    #[test]
    fn what_is_changed_in_the_passes_runs_no_other_sentence() {
        let mut progress = Progress::default();
        for sentence in 0..3 {
            progress.after(&job(TEXT, sentence), String::new(), seen(TEXT, sentence));
        }
        let mut changed = job(TEXT, 1);
        changed.edits = View::from_fragment("off=cross.0.0").edits;
        assert_eq!(progress.after(&changed, String::new(), seen(TEXT, 1)), None);
        assert_eq!(progress.translations.len(), 1);
    }

    #[test]
    fn a_new_text_alone_begins_the_list_anew() {
        let text = "Oui. ".repeat(120);
        let mut progress = Progress::default();
        let mut run = |text: &str, sentence, turned: Option<usize>| {
            progress.after(&job(text, sentence), String::new(), seen(text, sentence));
            progress.first_listed = turned.unwrap_or(progress.first_listed);
            progress.first_listed
        };
        assert_eq!(run(&text, 60, None), 50);
        // Turned to the last part, while others are translated.
        assert_eq!(run(&text, 0, Some(100)), 100);
        assert_eq!(run(&text, 1, None), 100);
        assert_eq!(run(TEXT, 0, None), 0);
    }

    #[test]
    fn of_many_sentences_a_part_is_listed() {
        assert_eq!(listed(0, 3), 0..3);
        assert_eq!(listed(0, 300), 0..50);
        assert_eq!(listed(299, 300), 250..300);
        assert_eq!(listed(70, 72), 50..72);
        // The text has become shorter.
        assert_eq!(listed(250, 60), 50..60);
        assert_eq!(listed(0, 0), 0..0);
    }

    #[test]
    fn one_sentence_is_all() {
        let mut progress = Progress::default();
        let next = progress.after(&job("Un.", 0), String::new(), seen("Un.", 0));
        assert_eq!(next, None);
        let next = progress.after(&job("Deux. Trois.", 0), String::new(), seen(TEXT, 0));
        assert_eq!(next, Some(Next::Missing(1)));
    }
}
