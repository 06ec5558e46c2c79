//! The chapters' tests and misconceptions: their texts, their places, their links.

use std::{collections::BTreeSet, fs, path::Path};

use crate::{
    PAGES, Page,
    census::{Kind, Listed, listed},
    kit::{
        Kit, Misconception,
        evidence::{Evidence, tests::evidence},
        questions::{Asked, softmax, tests::written},
        words::WORDS,
    },
};
use attention_core::{state::MOST_QUESTIONS, widgets::Expected};
use attention_trace::{Array, ArrayName, Excerpt, Quantity, Slice};

fn text(language: &str, kit: &Kit) -> String {
    let chapters = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folder = chapters.join(kit.chapter).join(language);
    fs::read_to_string(folder.join("kit.md")).unwrap()
}

#[test]
fn a_kit_names_its_chapter() {
    for page in PAGES {
        assert_eq!(page.kit().chapter, page.name);
        assert!(page.kit().questions.len() <= MOST_QUESTIONS);
    }
}

#[test]
fn a_test_has_questions_of_every_kind() {
    for kit in PAGES.iter().map(Page::kit).filter(|kit| kit.has_test()) {
        let count = |kind| {
            let questions = kit.questions.iter();
            questions.filter(|question| question.kind == kind).count()
        };
        let counts = [Kind::Computed, Kind::Causal, Kind::Why, Kind::Error].map(count);
        assert_eq!(counts, [2, 2, 1, 1], "{}", kit.chapter);
    }
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

/// Evidence of six tokens and a text of eight.
fn of_six_tokens() -> Evidence {
    let mut evidence = evidence(false, &[]);
    evidence.facts.names = ["Je", "suis", "un", "bon", "médecin", "."]
        .map(str::to_owned)
        .to_vec();
    evidence.facts.query = 2;
    evidence.facts.spec.vocabulary = 16;
    evidence.decoding = Some(written(&[0.4, 0.3, 0.5, 0.2, 0.6, 0.125, 0.3, 0.35]));
    evidence.step = 4;
    evidence
}

/// An array of the shape that an excerpt of that evidence has, with numbers that a seed decides; rows of weights sum to one.
fn made(excerpt: &Excerpt, evidence: &Evidence, seed: u64) -> Array {
    let facts = &evidence.facts;
    let tokens = facts.names.len();
    let ArrayName::Site(site) = excerpt.array else {
        unreachable!("questions read sites")
    };
    let columns = match site.quantity {
        Quantity::Pattern | Quantity::Scores | Quantity::ScaledScores => tokens,
        Quantity::Query | Quantity::Key => 4,
        Quantity::Logits => facts.spec.vocabulary,
        _ => facts.spec.width,
    };
    let rows = match excerpt.slice {
        Slice::Rows(from, to) => to - from,
        Slice::Row(_) => facts.stack.heads,
        _ => tokens,
    };
    let mut state = format!("{excerpt:?}")
        .bytes()
        .fold(seed, |state, byte| state.wrapping_mul(31) + u64::from(byte));
    let mut number = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 40) as f32 / (1u64 << 24) as f32 * 4.0 - 2.0
    };
    let row = |_| {
        let values: Vec<f32> = (0..columns).map(|_| number()).collect();
        match site.quantity {
            Quantity::Pattern => softmax(&values),
            _ => values,
        }
    };
    Array {
        shape: vec![rows, columns],
        data: (0..rows).flat_map(row).collect(),
    }
}

/// A question as some arrays decide it.
fn decided(question: Listed) -> Asked {
    let evidence = of_six_tokens();
    let decided = (0..400).find_map(|seed| {
        let mut fetch = |excerpt: &Excerpt| Some(made(excerpt, &evidence, seed));
        question.asked(&evidence, &mut fetch).ok()
    });
    decided.unwrap_or_else(|| panic!("{}: nothing decides it", question.name()))
}

#[test]
fn every_place_of_a_questions_text_is_filled() {
    for question in listed() {
        let kits = PAGES.iter().map(Page::kit);
        let kit = kits
            .into_iter()
            .find(|kit| kit.chapter == question.chapter)
            .unwrap();
        let asked = decided(question);
        let own = asked.values.iter().map(|(name, _)| *name);
        let known: BTreeSet<&str> = WORDS.into_iter().chain(own).collect();
        for language in ["en", "zh"] {
            for part in ["ask", "why"].map(|part| format!("{part}-{}", question.name())) {
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
fn a_question_lists_as_many_letters_as_its_answer_has() {
    for question in listed()
        .into_iter()
        .filter(|question| question.kind() != Kind::Computed)
    {
        let kits = PAGES.iter().map(Page::kit);
        let kit = kits
            .into_iter()
            .find(|kit| kit.chapter == question.chapter)
            .unwrap();
        let options = match (decided(question).expected, question.kind()) {
            (Expected::OneOf { options, .. }, _) => options,
            // It asks how many of the changes do something.
            (Expected::Number { .. }, Kind::Causal) => continue,
            _ => panic!("{}: no choice", question.name()),
        };
        for language in ["en", "zh"] {
            let text = text(language, kit);
            let (_, rest) = text
                .split_once(&format!("{{#ask-{}}}", question.name()))
                .unwrap();
            let own = rest.split("\n## ").next().unwrap();
            let listed = own.lines().filter(|line| {
                line.split_once(". ")
                    .is_some_and(|(number, _)| number.parse::<u8>().is_ok())
            });
            assert_eq!(
                listed.count(),
                options.len(),
                "{language}: {}",
                question.name()
            );
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
        assert_eq!(names.len(), kit.questions.len(), "{}", kit.chapter);
    }
}
