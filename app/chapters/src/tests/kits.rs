//! The chapters' tests and misconceptions: their texts, their places, their links.

use std::{collections::BTreeSet, fs, path::Path};

use crate::{
    PAGES, Page,
    kit::{
        Kit, Misconception, QUESTIONS,
        evidence::{Evidence, Need, tests::evidence},
        questions::tests::written,
        words::WORDS,
    },
};
use attention_core::state::MOST_QUESTIONS;

fn text(language: &str, kit: &Kit) -> String {
    let chapters = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folder = chapters.join(kit.chapter).join(language);
    fs::read_to_string(folder.join("kit.md")).unwrap()
}

#[test]
fn a_kit_names_its_chapter() {
    for page in PAGES {
        assert_eq!(page.kit().chapter, page.name);
    }
    const { assert!(QUESTIONS <= MOST_QUESTIONS) };
}

#[test]
fn its_parts_are_in_its_text_and_no_others() {
    for kit in PAGES.iter().map(Page::kit) {
        let questions = kit
            .questions
            .iter()
            .flat_map(|question| [question.ask, question.why]);
        let mistakes = kit
            .misconceptions
            .iter()
            .map(|misconception| misconception.part);
        let parts: BTreeSet<String> = questions
            .chain(mistakes)
            .chain(["references"])
            .map(str::to_owned)
            .collect();
        for language in ["en", "zh"] {
            let text = text(language, kit);
            let found = text.split("{#").skip(1);
            let found: BTreeSet<String> = found
                .filter_map(|rest| Some(rest.split_once('}')?.0.to_owned()))
                .collect();
            assert_eq!(found, parts, "{language}: {}", kit.chapter);
        }
    }
}

/// Evidence that decides every question.
fn decisive() -> Evidence {
    let weights = [0.2, 0.3, 0.5, 0.1, 0.6, 0.3, 0.3, 0.3, 0.4];
    let others = [0.2, 0.3, 0.5, 0.05, 0.15, 0.8, 0.3, 0.3, 0.4];
    let vectors = [9.0, 0.0, 1.0, 0.5, -1.0, 0.0];
    let mut evidence = evidence(
        false,
        &[
            (Need::Weights, &weights),
            (Need::OtherWeights, &others),
            (Need::Queries, &vectors),
            (Need::Keys, &vectors),
            (Need::Scores, &weights),
            (Need::ScaledScores, &weights),
        ],
    );
    evidence.decoding = Some(written(&[0.5, 0.125]));
    evidence
}

#[test]
fn every_place_of_a_questions_text_is_filled() {
    let evidence = decisive();
    for kit in PAGES.iter().map(Page::kit) {
        for question in &kit.questions {
            let asked = (question.answer)(&evidence).unwrap();
            let own = asked.values.iter().map(|(name, _)| *name);
            let known: BTreeSet<&str> = WORDS.into_iter().chain(own).collect();
            for (language, part) in [
                ("en", question.ask),
                ("zh", question.ask),
                ("en", question.why),
            ] {
                let text = text(language, kit);
                let (_, rest) = text.split_once(&format!("{{#{part}}}")).unwrap();
                let own = rest.split("\n## ").next().unwrap();
                for place in own.split("{{").skip(1) {
                    let (name, _) = place.split_once("}}").unwrap();
                    assert!(known.contains(name), "{}, {part}: {name}", kit.chapter);
                }
            }
        }
    }
}

#[test]
fn what_shows_a_mistake_is_a_view() {
    for kit in PAGES.iter().map(Page::kit) {
        for Misconception { link, .. } in kit.misconceptions {
            let view = crate::testing::view(link);
            let spelled = view.to_fragment();
            let spelled: Vec<_> = spelled.split('&').collect();
            for entry in link
                .split('&')
                .filter(|entry| !entry.starts_with("chapter="))
            {
                assert!(spelled.contains(&entry), "{link}: {entry}");
            }
            let pages = PAGES.iter().any(|page| page.name == view.chapters.open);
            assert!(pages, "{link}");
        }
    }
}

#[test]
fn the_questions_of_a_kit_differ() {
    for kit in PAGES.iter().map(Page::kit) {
        let names: BTreeSet<_> = kit.questions.iter().map(|question| question.ask).collect();
        assert_eq!(names.len(), QUESTIONS, "{}", kit.chapter);
    }
}
