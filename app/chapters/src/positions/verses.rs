//! Lines of verse through the models trained on lines of five: their accuracy in lines of seven.

use attention_trace::positions::PositionalEncoding;
use leptos::prelude::*;

use super::{
    learned::RowsOfVerse,
    needs_model::{NeedsModel, is_on_screen},
    verse::{LONGEST_VERSE, Named, Place, places, summary},
};
use attention_core::{
    engine::{Forced, ForcedTarget, Job, Live},
    i18n::{t, t_string, use_i18n},
    names::encoding_names,
    problems::failure_words,
    state::{EditList, Model, Task, ViewState},
    widgets::{ScrollRegion, Segmented},
};

/// The lines of the text, shown if one of the models of verse is on screen.
#[component]
pub fn Verses() -> impl IntoView {
    let state = ViewState::expect();
    let is_here = state.select(|view| view.model.card().task == Task::Verse);
    move || match is_here.get() {
        true => view! { <Poem /> }.into_any(),
        false => view! { <NeedsModel model=verse(PositionalEncoding::Learned) /> }.into_any(),
    }
}

/// The model of verse with a positional encoding.
fn verse(encoding: PositionalEncoding) -> Model {
    Model::with_positions(Task::Verse, encoding)
}

#[component]
fn Poem() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let encoding = state.select(|view| view.model.card().positions);
    let lines = live.select(|engine| {
        let job = engine.shown.as_ref()?.job.as_ref()?;
        (job.model.card().task == Task::Verse).then(|| targets(job))
    });
    let lines = Memo::new(move |_| lines.get().unwrap_or_default());
    let forced = live.forced(move || lines.get());
    let has_table = is_on_screen(PositionalEncoding::Learned);
    view! {
        <section class="lesson-figure" data-testid="verses">
            <Segmented
                label=Signal::derive(move || t_string!(i18n, encodings.way).to_owned())
                options=encoding_names()
                value=encoding
                choose=move |encoding: PositionalEncoding| {
                    state.set_sibling(verse(encoding));
                    live.run();
                }
            />
            <p class="lesson-reading number" role="status" data-testid="verses-summary">
                {move || summary(&forced.get()).map(|(right, all, right_beyond, all_beyond)| t_string!(
                    i18n,
                    encodings.verses_named,
                    right = right,
                    all = all,
                    right_beyond = right_beyond,
                    all_beyond = all_beyond,
                    trained = LONGEST_VERSE
                ))}
            </p>
            {move || {
                forced
                    .get()
                    .into_iter()
                    .enumerate()
                    .map(|(index, answer)| view! { <Verse number=index + 1 answer /> })
                    .collect_view()
            }}
            <Show when=move || has_table.get() && lines.with(|lines| !lines.is_empty())>
                <RowsOfVerse />
            </Show>
            <Show when=move || lines.with(Vec::is_empty)>
                <p class="hint">{t!(i18n, chapters.waiting)}</p>
            </Show>
        </section>
    }
}

/// Returns every line of the job's text as a separate target, without anything before it.
fn targets(job: &Job) -> Vec<ForcedTarget> {
    let alone = Job {
        sentence: 0,
        reads: String::new(),
        prefix: Vec::new(),
        edits: EditList::default(),
        ..job.clone()
    };
    let line = |target| ForcedTarget {
        job: alone.clone(),
        target,
    };
    job.sentences().into_iter().map(line).collect()
}

/// A line: its characters, with the right name and the model's name at each.
#[component]
fn Verse(number: usize, answer: Option<Forced>) -> impl IntoView {
    let i18n = use_i18n();
    let name = Signal::derive(move || t_string!(i18n, encodings.verse, number = number));
    match answer {
        None => view! { <p class="hint">{t!(i18n, chapters.waiting)}</p> }.into_any(),
        Some(Err(failure)) => view! {
            <p class="notice problem">{name} ": " {move || failure_words(i18n, &failure)}</p>
        }
        .into_any(),
        Some(Ok(line)) => {
            let places = places(&line);
            let unknown: String = places
                .iter()
                .filter(|place| place.is_unknown)
                .map(|place| place.character.as_str())
                .collect();
            let note = (!unknown.is_empty()).then(|| view! {
                <p class="hint">
                    {move || t_string!(i18n, encodings.verse_unknown, characters = unknown.clone())}
                </p>
            });
            view! {
                <ScrollRegion class="lesson-table verse" name>
                    <VerseTable name places />
                </ScrollRegion>
                {note}
            }
            .into_any()
        }
    }
}

#[component]
fn VerseTable(name: Signal<String>, places: Vec<Place>) -> impl IntoView {
    let i18n = use_i18n();
    let trained = LONGEST_VERSE;
    let numbers: Vec<_> = (1..=places.len())
        .map(|number| view! { <td class="number" class:beyond={number > trained}>{number}</td> })
        .collect();
    let (mut characters, mut sought, mut found) = (vec![], vec![], vec![]);
    for Place {
        character,
        is_unknown,
        named,
    } in places
    {
        characters.push(view! { <th scope="col" class:unknown=is_unknown>{character}</th> });
        let (seek, find, class) = match named {
            Some(Named {
                sought,
                found,
                is_right: true,
            }) => (sought, format!("{found} ✓"), "right"),
            Some(Named {
                sought,
                found,
                is_right: false,
            }) => (sought, format!("{found} ✗"), "wrong"),
            None => ("–".to_owned(), "–".to_owned(), ""),
        };
        sought.push(view! { <td>{seek}</td> });
        found.push(view! { <td class=class>{find}</td> });
    }
    view! {
        <table aria-label=name>
            <thead>
                <tr><th scope="row">{t!(i18n, encodings.verse_reads)}</th>{characters}</tr>
            </thead>
            <tbody>
                <tr><th scope="row">{t!(i18n, encodings.verse_place)}</th>{numbers}</tr>
                <tr><th scope="row">{t!(i18n, encodings.verse_sought)}</th>{sought}</tr>
                <tr><th scope="row">{t!(i18n, encodings.verse_found)}</th>{found}</tr>
            </tbody>
        </table>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use attention_core::state::View;

    #[test]
    fn every_line_is_read_by_itself_whichever_is_on_screen() {
        let poems = View {
            model: verse(PositionalEncoding::Learned),
            text: "风劲角弓鸣，将军猎渭城".to_owned(),
            ..Default::default()
        };
        let second = View {
            sentence: 1,
            ..poems.clone()
        };
        let lines = targets(&Job::from(&poems));
        assert_eq!(lines, targets(&Job::from(&second)));
        assert_eq!(lines[1].target, "将军猎渭城");
        assert_eq!(lines[1].job.reads, "");
    }
}
