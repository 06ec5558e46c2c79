//! The choice of the task, or of the languages of text and translation, for opened models whose files name them.

use attention_trace::{Chosen, Opening, Openings, TargetOpening};
use leptos::prelude::*;

use attention_core::{
    engine::{Live, Phase},
    i18n::{Locale, t_string, use_i18n},
    language_names::language_name,
    state::{Beginning, ViewState},
    widgets::Select,
};

/// The choices; empty for a model without beginnings, unless the address has some.
#[component]
pub fn BeginningChoice() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let openings = live.select(|engine| match &engine.phase {
        Phase::Ready { reply, .. } => reply.openings.clone(),
        _ => Openings::default(),
    });
    let beginning = state.select(|view| view.beginning.clone());
    let source = Memo::new(move |_| sources(&openings.read().source, &beginning.read().source));
    let target = Memo::new(move |_| targets(&openings.read().target, beginning.read().target));
    let chosen_by = move || {
        let openings = openings.read();
        let first = openings.source.first();
        match first.map(|opening| &opening.chooses) {
            Some(Chosen::Language(_)) => t_string!(i18n, beginning.language),
            Some(Chosen::Into(_)) => t_string!(i18n, beginning.into),
            Some(Chosen::Task(_)) | None => t_string!(i18n, beginning.task),
        }
    };
    let choose = move |change: &dyn Fn(&mut Beginning)| {
        let mut chosen = beginning.get_untracked();
        change(&mut chosen);
        state.update(|view| view.use_beginning(chosen));
        live.run();
    };
    let names = move |written: Vec<String>| {
        let standard = t_string!(i18n, beginning.standard).to_owned();
        std::iter::once(standard).chain(written).collect::<Vec<_>>()
    };
    view! {
        <Show when=move || !source.read().is_empty()>
            <Select
                name=Signal::derive(move || chosen_by().to_owned())
                test_id="opening"
                options=Signal::derive(move || {
                    let source = source.read();
                    names(source.iter().map(|opening| source_name(opening, i18n.get_locale())).collect())
                })
                chosen=Signal::derive(move || {
                    let chosen = &beginning.read().source;
                    let at = source.read().iter().position(|opening| opening.text == *chosen);
                    at.map_or(0, |at| at + 1)
                })
                choose=move |index| choose(&|beginning| {
                    let chosen = index.checked_sub(1).and_then(|at| source.read_untracked().get(at).cloned());
                    beginning.source = chosen.map(|opening| opening.text).unwrap_or_default();
                })
            />
        </Show>
        <Show when=move || !target.read().is_empty()>
            <Select
                name=Signal::derive(move || t_string!(i18n, beginning.into).to_owned())
                test_id="into"
                options=Signal::derive(move || {
                    let target = target.read();
                    names(target.iter().map(|(_, language)| language_name(language, i18n.get_locale())).collect())
                })
                chosen=Signal::derive(move || {
                    let chosen = beginning.read().target;
                    let at = target.read().iter().position(|(token, _)| Some(*token) == chosen);
                    at.map_or(0, |at| at + 1)
                })
                choose=move |index| choose(&|beginning| {
                    let chosen = index.checked_sub(1).and_then(|at| target.read_untracked().get(at).cloned());
                    beginning.target = chosen.map(|(token, _)| token);
                })
            />
        </Show>
    }
}

/// Returns the beginnings to choose from: those of the model, and the chosen one if it is another.
fn sources(offered: &[Opening], chosen: &str) -> Vec<Opening> {
    let is_other = !chosen.is_empty() && offered.iter().all(|opening| opening.text != chosen);
    let other = is_other.then(|| Opening {
        text: chosen.to_owned(),
        chooses: Chosen::Task(chosen.trim().to_owned()),
    });
    offered.iter().cloned().chain(other).collect()
}

/// Returns the first tokens to choose from, with their languages: those of the model, and the chosen one if it is
/// another.
fn targets(offered: &[TargetOpening], chosen: Option<u32>) -> Vec<(u32, String)> {
    let known = offered
        .iter()
        .map(|opening| (opening.token.id, opening.language.clone()));
    let known: Vec<_> = known.collect();
    let is_other = |id: &u32| known.iter().all(|(token, _)| token != id);
    let other = chosen.filter(is_other).map(|id| (id, format!("<{id}>")));
    known.iter().cloned().chain(other).collect()
}

/// Returns the name of a beginning: its language, or the text itself, which says the task.
fn source_name(opening: &Opening, locale: Locale) -> String {
    match &opening.chooses {
        Chosen::Language(language) | Chosen::Into(language) => language_name(language, locale),
        Chosen::Task(_) => opening.text.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_of_the_address_is_offered_too() {
        let task = |text: &str| Opening {
            text: text.to_owned(),
            chooses: Chosen::Task(text.trim().to_owned()),
        };
        let offered = [task("summarize: ")];
        assert_eq!(sources(&offered, ""), offered);
        assert_eq!(sources(&offered, "summarize: "), offered);
        assert_eq!(sources(&[], "stsb "), [task("stsb ")]);
        assert_eq!(targets(&[], None), []);
        assert_eq!(targets(&[], Some(7)), [(7, "<7>".to_owned())]);
    }
}
