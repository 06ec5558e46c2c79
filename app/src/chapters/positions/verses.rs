//! Lines of verse through the models that learned from lines of five: what they still name in lines of seven.

use attention_trace::{ForcedToken, positions::PositionalEncoding};
use leptos::prelude::*;

use super::{
    learned::RowsOfVerse,
    needs_model::{NeedsModel, is_on_screen},
};
use crate::{
    engine::{Forced, ForcedTarget, Job, Live},
    i18n::{t, t_string, use_i18n},
    names::encoding_names,
    problems::failure_words,
    state::{HeadsOff, Model, ViewState},
    widgets::{ScrollRegion, Segmented, label},
};

/// How many places back the character stands that is to be named.
const BACK: usize = 2;

/// A character that the model read.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    character: String,
    /// Whether the model has no token for it.
    is_unknown: bool,
    /// The character that is to be named and the one that is; `None` where there is none to name.
    named: Option<Named>,
}

#[derive(Clone, Debug, PartialEq)]
struct Named {
    sought: String,
    found: String,
    is_right: bool,
}

/// The characters of a line, of which each has been predicted from those before it, and so has the end: what is
/// predicted after a character is what the model names there.
fn places(line: &[ForcedToken]) -> Vec<Place> {
    let characters = line.len().saturating_sub(1);
    let place = |index: usize| {
        let token = &line[index].given.token;
        let sought = index
            .checked_sub(BACK)
            .map(|index| &line[index].given.token);
        let found = &line[index + 1].best.token;
        let named = sought.filter(|sought| !sought.unknown).map(|sought| Named {
            sought: label(sought),
            found: label(found),
            is_right: found.id == sought.id,
        });
        Place {
            character: label(token),
            is_unknown: token.unknown,
            named,
        }
    };
    (0..characters).map(place).collect()
}

/// How many of the characters to be named are named rightly.
fn count(places: &[Place]) -> (usize, usize) {
    let named = places.iter().filter_map(|place| place.named.as_ref());
    let right = named.clone().filter(|named| named.is_right).count();
    (right, named.count())
}

/// The places that training reached, and those after them.
fn split(places: &[Place]) -> (&[Place], &[Place]) {
    places.split_at(places.len().min(Model::LONGEST_VERSE))
}

/// The lines of the text, where one of the models of verse is on screen.
#[component]
pub fn Verses() -> impl IntoView {
    let state = ViewState::expect();
    let is_here = state.select(|view| matches!(view.model, Model::Poems(_)));
    move || match is_here.get() {
        true => view! { <Poem /> }.into_any(),
        false => {
            view! { <NeedsModel model=Model::Poems(PositionalEncoding::Learned) /> }.into_any()
        }
    }
}

#[component]
fn Poem() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let encoding = state.select(|view| view.model.way_to_know_positions());
    let lines = live.select(|engine| {
        let job = engine.shown.as_ref()?.job.as_ref()?;
        matches!(job.model, Model::Poems(_)).then(|| targets(job))
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
                    state.set_sibling(Model::Poems(encoding));
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
                    trained = Model::LONGEST_VERSE
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

/// Every line of the job's text by itself, after nothing.
fn targets(job: &Job) -> Vec<ForcedTarget> {
    let alone = Job {
        sentence: 0,
        reads: String::new(),
        prefix: Vec::new(),
        off: HeadsOff::default(),
        ..job.clone()
    };
    let line = |target| ForcedTarget {
        job: alone.clone(),
        target,
    };
    job.sentences().into_iter().map(line).collect()
}

/// What is named rightly of all lines, as far as training went and beyond; `None` as long as a line is not answered.
fn summary(lines: &[Option<Forced>]) -> Option<(usize, usize, usize, usize)> {
    let mut sum = (0, 0, 0, 0);
    for line in lines {
        let Ok(line) = line.as_ref()? else { continue };
        let places = places(line);
        let (inside, beyond) = split(&places);
        let ((right, all), (right_beyond, all_beyond)) = (count(inside), count(beyond));
        sum = (
            sum.0 + right,
            sum.1 + all,
            sum.2 + right_beyond,
            sum.3 + all_beyond,
        );
    }
    (!lines.is_empty()).then_some(sum)
}

/// A line: its characters, what is to be named at each and what the model names.
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
    let trained = Model::LONGEST_VERSE;
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
    use std::sync::Arc;

    use attention_protocol::Failure;
    use attention_trace::{Candidate, Token};

    use super::*;

    /// A line that was read, and what the model names at each character; `?` is one that it does not know.
    fn line(characters: &str, named: &str) -> Vec<ForcedToken> {
        let candidate = |character: char| Candidate {
            token: Token {
                id: character as u32,
                text: character.to_string(),
                unknown: character == '?',
            },
            logit: 0.0,
            log_probability: 0.0,
        };
        let best = std::iter::once('.').chain(named.chars());
        characters
            .chars()
            .chain(['⊣'])
            .zip(best)
            .map(|(given, best)| ForcedToken {
                given: candidate(given),
                rank: 1,
                best: candidate(best),
            })
            .collect()
    }

    #[test]
    fn a_character_is_right_where_the_one_two_back_is_named() {
        let places = places(&line("风急天高猿啸哀", "..风急天天猿"));
        assert_eq!(places.len(), 7);
        assert_eq!(places[1].named, None);
        let right: Vec<_> = places
            .iter()
            .filter_map(|place| place.named.as_ref())
            .collect();
        assert_eq!((right[0].sought.as_str(), right[0].is_right), ("风", true));
        assert_eq!(
            (right[3].sought.as_str(), right[3].found.as_str()),
            ("高", "天")
        );
        let (inside, beyond) = split(&places);
        assert_eq!((count(inside), count(beyond)), ((3, 3), (1, 2)));
    }

    #[test]
    fn a_character_without_a_token_is_not_asked_for() {
        let places = places(&line("风?天高猿", "..风高天"));
        assert!(places[1].is_unknown);
        assert_eq!(places[3].named, None);
        assert_eq!(count(&places), (2, 2));
    }

    #[test]
    fn a_summary_waits_for_every_line_and_leaves_out_those_that_failed() {
        let read = |characters: &str, named: &str| -> Option<Forced> {
            Some(Ok(Arc::from(line(characters, named))))
        };
        let five = read("风劲角弓鸣", "..风劲角");
        let seven = read("风急天高猿啸哀", "..风急天猿高");
        assert_eq!(summary(&[]), None);
        assert_eq!(summary(&[five.clone(), None]), None);
        let failed = Some(Err(Failure::EmptyInput));
        assert_eq!(summary(&[five, failed, seven]), Some((6, 6, 0, 2)));
    }

    #[test]
    fn every_line_is_read_by_itself_whichever_is_on_screen() {
        let poems = crate::state::View {
            model: Model::Poems(PositionalEncoding::Learned),
            text: "风劲角弓鸣，将军猎渭城".to_owned(),
            ..Default::default()
        };
        let second = crate::state::View {
            sentence: 1,
            ..poems.clone()
        };
        let lines = targets(&Job::from(&poems));
        assert_eq!(lines, targets(&Job::from(&second)));
        assert_eq!(lines[1].target, "将军猎渭城");
        assert_eq!(lines[1].job.reads, "");
    }

    #[test]
    fn the_models_learned_what_is_asked_here() {
        for encoding in PositionalEncoding::ALL {
            let directory = Model::Poems(encoding).directory();
            let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets");
            let config = std::fs::read(root.join(directory).join("config.json")).unwrap();
            let config: serde_json::Value = serde_json::from_slice(&config).unwrap();
            let task = &config["task"];
            assert_eq!(
                (&task["shortest"], &task["longest"]),
                (&5.into(), &5.into())
            );
            assert_eq!(task["longest"], Model::LONGEST_VERSE);
            assert_eq!(task["back"], BACK);
        }
    }
}
