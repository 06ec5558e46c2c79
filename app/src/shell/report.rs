//! A report of a problem for the maintainers of the page, as a text to copy. Nothing is sent.

use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::device::device_name;
use attention_core::{
    assets::version,
    engine::{Job, Live, Phase, Problem},
    i18n::{Locale, t, t_string, use_i18n},
    problems::problem_words,
    state::ViewState,
    widgets::{Check, CopyButton},
};
use attention_protocol::OrLogged;

/// The least length of a text to be removed from a message; shorter ones are too common.
const SHORTEST: usize = 3;

/// The report, folded until it is opened. It contains the typed text only if the visitor agrees.
#[component]
pub fn Report() -> impl IntoView {
    let i18n = use_i18n();
    let with_input = RwSignal::new(false);
    let report = report(with_input.into());
    view! {
        <details class="report" data-testid="report">
            <summary>{t!(i18n, shell.report)}</summary>
            <div class="report-body">
                <p class="hint">{t!(i18n, shell.report_hint)}</p>
                <textarea
                    class="report-text"
                    readonly
                    rows="7"
                    data-testid="report-text"
                    aria-label=move || t_string!(i18n, shell.report_text)
                    prop:value=report
                ></textarea>
                <div class="report-foot">
                    <Check
                        name=Signal::derive(move || {
                            t_string!(i18n, shell.report_with_sentence).to_owned()
                        })
                        test_id="report-with-input"
                        on=with_input
                        set=move |on| with_input.set(on)
                    />
                    <CopyButton
                        test_id="copy-report"
                        text=move || report.get_untracked()
                        name=Signal::derive(move || t_string!(i18n, shell.report_copy).to_owned())
                        copied=Signal::derive(move || {
                            t_string!(i18n, shell.answer_copied).to_owned()
                        })
                        refused=Signal::derive(move || {
                            t_string!(i18n, shell.answer_not_copied).to_owned()
                        })
                    />
                </div>
            </div>
        </details>
    }
}

/// Returns the text of the report, which follows the engine and the language.
fn report(with_input: Signal<bool>) -> Memo<String> {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let device = live.select(|engine| match &engine.phase {
        Phase::Ready { reply, .. } => Some(reply.clone()),
        _ => None,
    });
    let now = live.select(|engine| {
        let gave_up = engine.gave_up_webgpu.clone();
        let problem = engine.problem.clone().or(gave_up)?;
        Some((problem, engine.wanted().clone()))
    });
    // A problem that has been overcome is still the one to report.
    let last = Memo::new(move |before: Option<&Option<(Problem, Job)>>| {
        now.get().or_else(|| before.cloned().flatten())
    });
    Memo::new(move |_| {
        let device = device.get().map(|ready| {
            let adapter = ready.adapter.clone().map(|adapter| format!(" ({adapter})"));
            device_name(i18n, &ready) + &adapter.unwrap_or_default()
        });
        let problem = last.get();
        let problem =
            problem.map(|(problem, asked)| without(problem_words(i18n, &problem), &asked));
        let mut lines = vec![
            format!("Attention Scope {}", version().unwrap_or_default()),
            line(t_string!(i18n, shell.report_device), device, i18n),
            line(t_string!(i18n, shell.report_browser), browser(), i18n),
            line(
                t_string!(i18n, shell.report_language),
                Some(languages(i18n)),
                i18n,
            ),
            line(t_string!(i18n, shell.report_problem), problem, i18n),
        ];
        if with_input.get() {
            let view = state.get();
            let input = format!("{} · {}", view.model, view.text);
            lines.push(line(t_string!(i18n, shell.report_input), Some(input), i18n));
        }
        lines.join("\n")
    })
}

fn line(name: &str, value: Option<String>, i18n: I18nContext<Locale>) -> String {
    let value = value.unwrap_or_else(|| t_string!(i18n, shell.report_no_problem).to_owned());
    format!("{name}: {value}")
}

fn browser() -> Option<String> {
    window()
        .navigator()
        .user_agent()
        .or_logged("reading the browser's name")
}

/// Returns the languages of the page and of the browser.
fn languages(i18n: I18nContext<Locale>) -> String {
    let page = i18n.get_locale();
    match window().navigator().language() {
        Some(browser) => format!("{page} ({browser})"),
        None => page.to_string(),
    }
}

/// Returns a message without the typed text, which the message of a fault may quote.
fn without(message: String, asked: &Job) -> String {
    // The text first: what is one of its sentences is a part of it.
    let typed = std::iter::once(asked.text.clone()).chain(asked.sentences());
    let quotable = typed.filter(|text| text.chars().count() >= SHORTEST);
    quotable.fold(message, |message, text| message.replace(&text, "…"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use attention_core::state::View;

    fn asked(text: &str) -> Job {
        Job::from(&View {
            text: text.to_owned(),
            ..View::default()
        })
    }

    #[test]
    fn what_was_typed_is_taken_out_of_a_message() {
        let asked = asked("Une girafe dort.\nIl pleut.");
        let message = "byte index 5 is not a char boundary of `Une girafe dort.` and `Il pleut.`";
        assert_eq!(
            without(message.to_owned(), &asked),
            "byte index 5 is not a char boundary of `…` and `…`"
        );
    }

    #[test]
    fn a_message_about_something_else_stays_as_it_is() {
        for text in ["", "a", "Je suis étudiant"] {
            let message = "A file could not be downloaded";
            assert_eq!(without(message.to_owned(), &asked(text)), message);
        }
    }
}
